/* SPDX-License-Identifier: MIT */
/* launch.h - what the SPI puts into a wave before its first instruction. */
#ifndef RAWCL_ISA_LAUNCH_H
#define RAWCL_ISA_LAUNCH_H

#include "driver/emulator/isa/wave.h"

/* items_left: work-items of the group from the wave's first lane on; lanes beyond are off. */
void isa_launch_wave(struct wave *w, uint64_t items_left);
/* The part of it that differs between the waves of a work-group; w->index is set. */
void isa_launch_index(struct wave *w, uint64_t items_left);
/* The same without VGPR 0. */
void isa_launch_scalars(struct wave *w, uint64_t items_left);
/* The part that differs between work-groups. */
void isa_launch_group(struct wave *w);
/* Work-item ids of all waves, for the group's size: what isa_launch_index copies. */
void isa_launch_ids(struct isa_group *g);

#endif
