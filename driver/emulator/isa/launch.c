/* SPDX-License-Identifier: MIT */
/* launch.c - initial wave state, by COMPUTE_PGM_RSRC1/2 (register fields as in the Linux amdgpu
 * headers gc_11_0_0 and gc_12_0_0; SGPR order as in LLVM's AMDGPU usage guide). */
#include <string.h>

#include "driver/emulator/isa/launch.h"
#include "driver/emulator/isa/vec.h"

#define BITS(v, lo, n) ((v) >> (lo) & ((1u << (n)) - 1))

#define TTMP(n) (ISA_SRC_TTMP0 + (n))

/* VGPR 0 of one wave, for a group of the size in g->start. */
static void work_item_ids(const struct isa_group *g, uint64_t first, vu32 *v) {
    const uint32_t *size = g->start.size;
    unsigned comps = BITS(g->d.pgm_rsrc2, 11, 2); /* TIDIG_COMP_CNT: 0 x, 1 xy, 2 xyz */
    if (size[1] == 1 && size[2] == 1) {           /* one dimension */
        for (unsigned h = 0; h < g->halves; h++)
            v[h] = ((uint32_t)first + 32 * h + vec_lane_ids()) & 0x3ffu;
        return;
    }
    uint32_t x = (uint32_t)(first % size[0]), y = (uint32_t)(first / size[0] % size[1]);
    uint32_t z = (uint32_t)(first / ((uint64_t)size[0] * size[1]));
    for (unsigned lane = 0; lane < g->d.wave_size; lane++) {
        uint32_t id = x & 0x3ff;
        if (comps >= 1) id |= (y & 0x3ff) << 10;
        if (comps >= 2) id |= (z & 0x3ff) << 20;
        v[lane / 32][lane % 32] = id;
        if (++x < size[0]) continue;
        x = 0;
        if (++y < size[1]) continue;
        y = 0;
        z++;
    }
}

void isa_launch_ids(struct isa_group *g) {
    const uint32_t key[4] = {g->start.size[0], g->start.size[1], g->start.size[2],
                             BITS(g->d.pgm_rsrc2, 11, 2) + 1};
    if (!memcmp(key, g->ids_key, sizeof key)) return;
    for (unsigned i = 0; i < g->wave_count; i++)
        work_item_ids(g, (uint64_t)i * g->d.wave_size, g->ids + (size_t)i * g->halves);
    memcpy(g->ids_key, key, sizeof key);
    g->primed = false;
}

static void set_scalars_gfx11(struct wave *w, unsigned n) {
    const struct isa_group *g = w->g;
    uint32_t rsrc2 = g->d.pgm_rsrc2;
    if (g->d.trap_temps) { /* as the ROCm debugger reads them */
        for (unsigned c = 0; c < 3; c++)
            w->s[TTMP(8 + c)] = g->start.id[c];
    }
    for (unsigned c = 0; c < 3; c++)
        if (BITS(rsrc2, 7 + c, 1)) w->s[n++] = g->start.id[c]; /* TGID_X_EN .. TGID_Z_EN */
}

static void set_scalars_gfx12(struct wave *w) {
    const struct isa_group *g = w->g;
    w->s[TTMP(9)] = g->start.id[0];
    w->s[TTMP(7)] = (g->start.id[1] & 0xffff) | g->start.id[2] << 16;
}

static uint32_t initial_mode(const struct isa_dispatch *d) {
    uint32_t mode = BITS(d->pgm_rsrc1, 12, 8); /* FLOAT_MODE */
    if (d->arch == ISA_GFX12) return mode;     /* no DX10_CLAMP, no IEEE_MODE */
    mode |= BITS(d->pgm_rsrc1, 21, 1) << 8;    /* DX10_CLAMP */
    mode |= BITS(d->pgm_rsrc1, 23, 1) << 9;    /* IEEE_MODE */
    return mode;
}

void isa_launch_index(struct wave *w, uint64_t items_left) {
    const struct isa_group *g = w->g;
    size_t size = sizeof(vu32);
    __asm__("" : "+r"(size)); /* libc's copy is as wide as the loads that follow: they forward */
    for (unsigned h = 0; h < g->halves; h++)
        memcpy(&w->v[h * ISA_VGPRS], &g->ids[(size_t)w->index * g->halves + h], size);
    isa_launch_scalars(w, items_left);
}

void isa_launch_scalars(struct wave *w, uint64_t items_left) {
    const struct isa_group *g = w->g;
    const struct isa_dispatch *d = &g->d;
    uint64_t exec = items_left >= 64 ? UINT64_MAX : (UINT64_C(1) << items_left) - 1;
    if (d->wave_size == 32) exec = items_left >= 32 ? UINT32_MAX : (uint32_t)exec;
    w->s[ISA_SRC_EXEC_LO] = (uint32_t)exec;
    w->s[ISA_SRC_EXEC_HI] = (uint32_t)(exec >> 32);
    w->scratch_base =
        d->scratch_base_va + (uint64_t)(g->start.scratch_slot + w->index) * d->scratch_wave_bytes;
    if (d->arch == ISA_GFX12) {
        w->s[TTMP(8)] = (w->index & 0x1f) << 25; /* wave id in the group */
        return;
    }
    if (d->trap_temps) w->s[TTMP(11)] = w->index & 0x3f;
    uint32_t rsrc2 = d->pgm_rsrc2;
    if (!BITS(rsrc2, 10, 1)) return; /* TG_SIZE_EN: waves in the group; bit 31: its first wave */
    unsigned n = BITS(rsrc2, 1, 5) + BITS(rsrc2, 7, 1) + BITS(rsrc2, 8, 1) + BITS(rsrc2, 9, 1);
    w->s[n] = g->wave_count | (w->index == 0 ? 1u << 31 : 0);
}

void isa_launch_group(struct wave *w) {
    if (w->g->d.arch == ISA_GFX12)
        set_scalars_gfx12(w);
    else
        set_scalars_gfx11(w, BITS(w->g->d.pgm_rsrc2, 1, 5));
}

void isa_launch_wave(struct wave *w, uint64_t items_left) {
    const struct isa_group *g = w->g;
    const struct isa_dispatch *d = &g->d;
    unsigned user = BITS(d->pgm_rsrc2, 1, 5); /* USER_SGPR */
    for (unsigned i = 0; i < user; i++)
        w->s[i] = d->user_data[i];
    isa_launch_group(w);
    isa_launch_index(w, items_left);
    w->pc = d->entry_va;
    w->priv =
        BITS(d->pgm_rsrc1, 20, 1); /* PRIV: as if in the trap handler, so that none is entered */
    isa_set_mode(w, initial_mode(d));
}
