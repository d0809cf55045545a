/* SPDX-License-Identifier: MIT */
/* exec_lane.c - vector instructions that look across lanes or at the wave: lane reads and writes,
 * permlanes, swaps, relative moves, mbcnt. */
#include "driver/emulator/isa/exec_mem.h"

static uint32_t *wave_lane(const struct wave *w, unsigned reg, unsigned lane) {
    return mem_lane(exec_vgpr(w, lane / 32, reg), lane % 32);
}

static EXEC(readfirstlane) {
    uint64_t exec = exec_mask64(w, ISA_SRC_EXEC_LO);
    unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    w->s[x->dst] = x->k[0] == SRC_VGPR ? *wave_lane(w, (unsigned)x->s[0], lane) : exec_s32(w, x, 0);
    NEXT(w, x);
}

static EXEC(readlane) {
    unsigned lane = exec_s32(w, x, 1) & (w->g->d.wave_size - 1);
    w->s[x->dst] = x->k[0] == SRC_VGPR ? *wave_lane(w, (unsigned)x->s[0], lane) : exec_s32(w, x, 0);
    NEXT(w, x);
}

static EXEC(writelane) {
    unsigned lane = exec_s32(w, x, 1) & (w->g->d.wave_size - 1);
    *wave_lane(w, x->dst, lane) = exec_s32(w, x, 0);
    NEXT(w, x);
}

/* Selector of lane i (0..15): the scalar pair holds 16 fields of 4 bits; the VAR forms take each
 * lane's own from a VGPR. */
static unsigned permlane_selector(const struct wave *w, const struct xinst *x, unsigned h,
                                  unsigned i) {
    if (x->sub & 2 && x->k[1] == SRC_VGPR)
        return *mem_lane(exec_vgpr(w, h, (unsigned)x->s[1]), i) & 15;
    if (x->sub & 2) return exec_s32(w, x, 1) & 15;
    uint32_t word = exec_s32(w, x, (i & 15) < 8 ? 1 : 2);
    return word >> 4 * (i & 7) & 15;
}

/* v_permlane16, v_permlanex16 (sub bit 0: the other row). imm bit 0: fetch from inactive lanes,
 * bit 1: inactive sources give 0, else the lane keeps what it has. */
static EXEC(permlane) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        uint32_t exec = w->s[ISA_SRC_EXEC_LO + h], write = exec;
        const vu32 *v = exec_vgpr(w, h, (unsigned)x->s[0]);
        vu32 r = {0};
        for (uint32_t m = exec; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            unsigned row = (i & 16) ^ (x->sub & 1 ? 16 : 0);
            unsigned from = row | permlane_selector(w, x, h, i);
            if (exec >> from & 1 || x->imm & 1)
                ((uint32_t *)&r)[i] = ((const uint32_t *)v)[from];
            else if (!(x->imm & 2))
                write &= ~(1u << i);
        }
        exec_write_lanes(exec_vgpr(w, h, x->dst), &r, write);
    }
    NEXT(w, x);
}

/* Swaps the halves of a wave64; nothing to do in a wave32. */
static EXEC(permlane64) {
    if (w->g->halves == 2) {
        vu32 lo = *exec_vgpr(w, 0, (unsigned)x->s[0]), hi = *exec_vgpr(w, 1, (unsigned)x->s[0]);
        exec_write_lanes(exec_vgpr(w, 0, x->dst), &hi, w->s[ISA_SRC_EXEC_LO]);
        exec_write_lanes(exec_vgpr(w, 1, x->dst), &lo, w->s[ISA_SRC_EXEC_HI]);
    }
    NEXT(w, x);
}

static void swap(struct wave *w, unsigned r0, unsigned r1) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *p = exec_vgpr(w, h, r0), *q = exec_vgpr(w, h, r1), old = *p;
        exec_write_lanes(p, q, w->s[ISA_SRC_EXEC_LO + h]);
        exec_write_lanes(q, &old, w->s[ISA_SRC_EXEC_LO + h]);
    }
}

static EXEC(swap_b32) {
    swap(w, x->dst, (unsigned)x->s[0]);
    NEXT(w, x);
}

/* true16: bit 7 of a register number picks the high half. */
static EXEC(swap_b16) {
    unsigned rd = x->dst & 127, rs = (unsigned)x->s[0] & 127;
    unsigned sd = x->dst & 128 ? 16 : 0, ss = x->s[0] & 128 ? 16 : 0;
    for (unsigned h = 0; h < w->g->halves; h++) {
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint32_t *p = mem_lane(exec_vgpr(w, h, rd), i), *q = mem_lane(exec_vgpr(w, h, rs), i);
            uint32_t a = *p >> sd & 0xffff, b = *q >> ss & 0xffff;
            *p = (*p & ~(0xffffu << sd)) | b << sd;
            *q = (*q & ~(0xffffu << ss)) | a << ss;
        }
    }
    NEXT(w, x);
}

/* M0-relative moves. sub: bit 0 relative source, bit 1 relative destination, bit 2: M0 holds two
 * 10-bit offsets, source in 9:0 and destination in 25:16; bit 3: swap. */
static EXEC(movrel) {
    uint32_t m0 = w->s[ISA_SRC_M0];
    uint32_t so = x->sub & 4 ? m0 & 0x3ff : m0, dn = x->sub & 4 ? m0 >> 16 & 0x3ff : m0;
    uint64_t src = x->s[0] + (x->sub & 1 ? so : 0), dst = (uint64_t)x->dst + (x->sub & 2 ? dn : 0);
    if (dst >= w->g->vgpr_limit || (x->k[0] == SRC_VGPR && src >= w->g->vgpr_limit))
        return isa_stop_illegal(w, x, false, "M0 leads outside the allocated VGPRs");
    if (x->sub & 8) {
        swap(w, (unsigned)dst, (unsigned)src);
        NEXT(w, x);
    }
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 v =
            x->k[0] == SRC_VGPR ? *exec_vgpr(w, h, (unsigned)src) : vec_splat(exec_s32(w, x, 0));
        exec_write_lanes(exec_vgpr(w, h, (unsigned)dst), &v, w->s[ISA_SRC_EXEC_LO + h]);
    }
    NEXT(w, x);
}

/* Bits of the mask below the lane, plus src1. sub: 0 the low 32 lanes, 1 the high. */
static EXEC(mbcnt) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 r;
        for (unsigned i = 0; i < VEC_LANES; i++) {
            uint32_t below = h == x->sub ? (1u << i) - 1 : h > x->sub ? UINT32_MAX : 0;
            uint32_t mask = x->k[0] == SRC_VGPR ? *mem_lane(exec_vgpr(w, h, (unsigned)x->s[0]), i)
                                                : exec_s32(w, x, 0);
            uint32_t add = x->k[1] == SRC_VGPR ? *mem_lane(exec_vgpr(w, h, (unsigned)x->s[1]), i)
                                               : exec_s32(w, x, 1);
            ((uint32_t *)&r)[i] = add + (uint32_t)__builtin_popcount(mask & below);
        }
        exec_write_lanes(exec_vgpr(w, h, x->dst), &r, w->s[ISA_SRC_EXEC_LO + h]);
    }
    NEXT(w, x);
}

static EXEC(nothing) {
    NEXT(w, x);
}

enum { SCALAR_DST = 1, SCALAR_SRC = 2, VGPR_SRC = 4 };

static const struct lane_row {
    const char *name;
    xfn *fn;
    uint8_t sources, sub, flags;
} rows[] = {
    {"V_NOP", nothing, 0, 0, 0},
    {"V_PIPEFLUSH", nothing, 0, 0, 0},
    {"V_READFIRSTLANE_B32", readfirstlane, 1, 0, SCALAR_DST},
    {"V_READLANE_B32", readlane, 2, 0, SCALAR_DST},
    {"V_WRITELANE_B32", writelane, 2, 0, SCALAR_SRC},
    {"V_PERMLANE16_B32", permlane, 3, 0, VGPR_SRC},
    {"V_PERMLANEX16_B32", permlane, 3, 1, VGPR_SRC},
    {"V_PERMLANE16_VAR_B32", permlane, 2, 2, VGPR_SRC},
    {"V_PERMLANEX16_VAR_B32", permlane, 2, 3, VGPR_SRC},
    {"V_PERMLANE64_B32", permlane64, 1, 0, VGPR_SRC},
    {"V_SWAP_B32", swap_b32, 1, 0, VGPR_SRC},
    {"V_SWAP_B16", swap_b16, 1, 0, VGPR_SRC},
    {"V_SWAPREL_B32", movrel, 1, 4 | 3 | 8, VGPR_SRC},
    {"V_MOVRELD_B32", movrel, 1, 2, 0},
    {"V_MOVRELS_B32", movrel, 1, 1, VGPR_SRC},
    {"V_MOVRELSD_B32", movrel, 1, 3, VGPR_SRC},
    {"V_MOVRELSD_2_B32", movrel, 1, 4 | 3, VGPR_SRC},
    {"V_MBCNT_LO_U32_B32", mbcnt, 2, 0, 0},
    {"V_MBCNT_HI_U32_B32", mbcnt, 2, 1, 0},
};

static bool check_operands(struct binding *b, const struct lane_row *r) {
    const struct xinst *x = b->x;
    bool true16 = r->fn == swap_b16;
    for (unsigned i = 0; i < r->sources; i++) {
        bool vgpr = x->k[i] == SRC_VGPR;
        if (vgpr && r->flags & SCALAR_SRC)
            return SEM_SYM(exec_refuse)(b, "VGPR as a scalar source");
        if (!vgpr && i == 0 && r->flags & VGPR_SRC)
            return SEM_SYM(exec_refuse)(b, "source must be a VGPR");
        unsigned reg = (unsigned)x->s[i] & (true16 ? 127 : 511);
        if (vgpr && !SEM_SYM(exec_bind_vgprs)(b, reg, 1)) return false;
    }
    if (r->flags & SCALAR_DST && x->dst >= 128 && x->dst != ISA_SREG_SCRAP)
        return SEM_SYM(exec_refuse)(b, "destination is not an SGPR");
    if (r->flags & SCALAR_DST || !r->sources) return true;
    return SEM_SYM(exec_bind_vgprs)(b, x->dst & (true16 ? 127 : 511), 1);
}

bool SEM_SYM(exec_bind_lane)(struct binding *b) {
    struct xinst *x = b->x;
    const struct isa_inst *in = b->in;
    if (in->op_y || in->dpp) return false;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct lane_row *r = &rows[i];
        if (strcmp(r->name, in->op->name)) continue;
        static const enum isa_field fields[3] = {ISA_F_src0, ISA_F_src1, ISA_F_src2};
        for (unsigned j = 0; j < r->sources; j++)
            if (!SEM_SYM(exec_bind_source)(b, j, in->f[fields[j]], SEM_U32)) return false;
        x->fn = r->fn;
        x->sub = r->sub;
        x->imm = (int32_t)in->f[ISA_F_opsel];
        x->dst = r->flags & SCALAR_DST ? exec_sdst(in->f[ISA_F_vdst]) : (uint16_t)in->f[ISA_F_vdst];
        return check_operands(b, r);
    }
    return false;
}
