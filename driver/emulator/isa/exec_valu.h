/* SPDX-License-Identifier: MIT */
/* exec_valu.h - the format work of vector ALU instructions: see exec_valu_mods.c. */
#ifndef RAWCL_ISA_EXEC_VALU_H
#define RAWCL_ISA_EXEC_VALU_H

#include "driver/emulator/isa/exec.h"

enum { VALU_MAX_DWORDS = 8 };

/* Bits of xinst.sub for vector ALU instructions: where a 16-bit result goes. */
enum { VALU_DST_LO16 = 1, VALU_DST_HI16 = 2 };

/* Fills the modifiers from the format; allocates x->mods when one is in use. */
bool SEM_SYM(exec_bind_mods)(struct binding *b, const struct sem_vrow *row);

/* Copies the n dwords at src to tmp with DPP, op_sel, neg and abs applied. DPP may clear bits of
 * *write. */
void SEM_SYM(exec_apply_source_mods)(const struct xinst *x, unsigned i, const vu32 *src, vu32 *tmp,
                                     unsigned n, uint32_t exec, uint32_t *write);
/* omod and clamp of a float result. */
void SEM_SYM(exec_apply_result_mods)(const struct xinst *x, const struct sem_mode *mode, vu32 *d);

#endif
