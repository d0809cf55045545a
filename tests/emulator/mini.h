/* SPDX-License-Identifier: MIT */
/* mini.h - a driver of a few hundred lines for tests of the GPU model: registers by name, a boot
 * with synthetic firmware, page tables. It talks to the chip through the bus only.
 */
#ifndef RAWCL_TESTS_EMULATOR_MINI_H
#define RAWCL_TESTS_EMULATOR_MINI_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/bus.h"
#include "driver/emulator/emulator.h"
#include "driver/emulator/gpu.h"
#include "driver/hw/hw.h"

#define MINI_MC      0x8000000000ull /* MC address of VRAM offset 0, as the registers say */
#define MINI_VA      0x200000000000ull
#define MINI_PAYLOAD 0x300u /* bytes behind the header of a synthetic image */

struct mini {
    struct bus *b;
    struct gpu *g; /* to play an engine: gpu_mem_read and friends */
    const struct hw_chip *chip;
    const struct hw_ip_table *ip[HW_IP_COUNT];
    bool gfx12;
    uint64_t vram;
    uint64_t seen;   /* guest errors accounted for */
    char first[512]; /* first message since the last mini_errors */
    uint32_t psp_wptr;
    uint64_t table_next; /* next free page for page tables */
};

void mini_open(struct mini *m, const char *target);
/* Fails the test if a guest error or an unimplemented feature was not accounted for. */
void mini_close(struct mini *m);
/* Guest errors since the last call. */
unsigned mini_errors(struct mini *m);
/* Exactly one kind of complaint came, and its message holds text. */
void mini_expect(struct mini *m, const char *text);
void mini_expect_none(struct mini *m);

uint32_t mini_dw(struct mini *m, enum hw_reg r);
uint32_t mini_rd(struct mini *m, enum hw_reg r);
void mini_wr(struct mini *m, enum hw_reg r, uint32_t v);
enum hw_reg mini_mp0(struct mini *m, unsigned n);
void mini_set_field(struct mini *m, enum hw_field f, uint32_t v);
void mini_vram_write(struct mini *m, uint64_t off, const void *p, size_t len);
void mini_vram_read(struct mini *m, uint64_t off, void *p, size_t len);
void mini_hdp_flush(struct mini *m);
void mini_bus_master(struct mini *m, bool on);

/* PSP: a bootloader component, the ring, a command; each returns the status seen. */
uint32_t mini_component(struct mini *m, uint32_t cmd, bool magic, uint32_t payload);
void mini_bootloader(struct mini *m);
void mini_ring_create(struct mini *m);
uint32_t mini_psp_cmd(struct mini *m, uint32_t id, const uint32_t *arg, unsigned n);
uint32_t mini_load_fw(struct mini *m, uint32_t type);
void mini_psp_boot(struct mini *m); /* all of it, up to RLC autoload */
uint32_t mini_smu(struct mini *m, uint32_t msg, uint32_t arg, uint32_t *out);

/* Both hubs: apertures, root table at VRAM 0, 4 levels. */
void mini_hubs(struct mini *m);
void mini_invalidate(struct mini *m);
/* Leaf entry bits for one page of 4 KiB (level 0), 2 MiB (1), 1 GiB (2). */
uint64_t mini_pte(struct mini *m, uint64_t phys, bool system, unsigned level);
void mini_map(struct mini *m, uint64_t va, uint64_t entry, unsigned level);

#endif
