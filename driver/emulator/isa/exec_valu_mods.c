/* SPDX-License-Identifier: MIT */
/* exec_valu_mods.c - what the vector ALU formats add around an operation: DPP, op_sel and the
 * true16 halves, neg, abs, omod, clamp (AMD RDNA3 ISA guide, "Vector ALU operations"). */
#include "driver/emulator/isa/exec_valu.h"

/* --- binding --- */

static bool is_16_bit(enum sem_type t) {
    return t == SEM_B16 || t == SEM_U16 || t == SEM_I16 || t == SEM_F16 || t == SEM_BF16;
}

static bool is_packed(enum sem_type t) {
    return t == SEM_PK16 || t == SEM_PKF16;
}

/* DPP16 controls (9 bits): lane to read within the row of 16, or -1 where there is none. */
static int dpp16_lane(unsigned ctrl, unsigned lane) {
    unsigned n = ctrl & 15;
    if (ctrl < 0x100) return (int)((lane & ~3u) | (ctrl >> 2 * (lane & 3) & 3)); /* quad_perm */
    switch (ctrl & 0x1f0) {
    case 0x100: /* row_shl */
        return lane + n < 16 ? (int)(lane + n) : -1;
    case 0x110: /* row_shr */
        return lane >= n ? (int)(lane - n) : -1;
    case 0x120: /* row_ror */
        return (int)((lane - n) & 15);
    case 0x140: /* row_mirror, row_half_mirror */
        return (int)(n == 0 ? 15 - lane : (lane & 8) | (7 - (lane & 7)));
    case 0x150: /* row_share */
        return (int)n;
    case 0x160: /* row_xmask */
        return (int)(lane ^ n);
    default:
        return -2;
    }
}

static bool bind_dpp(struct binding *b, struct valu_mods *m) {
    const struct isa_inst *in = b->in;
    m->dpp = in->dpp;
    m->fi = in->dpp_fi;
    m->bound_ctrl = in->dpp == 8 || in->dpp_bound_ctrl;
    m->source_valid = UINT32_MAX;
    for (unsigned lane = 0; lane < VEC_LANES; lane++) {
        if (in->dpp == 8) {
            m->from[lane] = (uint8_t)((lane & ~7u) | (in->dpp8_sel >> 3 * (lane & 7) & 7));
            continue;
        }
        int from = dpp16_lane(in->dpp_ctrl, lane & 15);
        if (from == -2) return SEM_SYM(exec_refuse)(b, "DPP control that means nothing");
        if (from < 0) m->source_valid &= ~(1u << lane);
        m->from[lane] = (uint8_t)((lane & 16) | (from < 0 ? 0 : (unsigned)from));
        unsigned row = lane / 16, bank = lane / 4 % 4;
        /* Rows 2 and 3 are the upper half of a wave64: their bits move down when it runs. */
        if (!(in->dpp_row_mask >> row & 1) || !(in->dpp_bank_mask >> bank & 1))
            m->write_lanes &= ~(1u << lane);
    }
    if (b->g->halves == 2 && in->dpp == 16 && (in->dpp_row_mask & 3) != in->dpp_row_mask >> 2)
        return SEM_SYM(exec_refuse_unimplemented)(
            b, "DPP row mask that differs between the halves of a wave64");
    return true;
}

static void fill_vop3(const struct isa_inst *in, struct valu_mods *m, const struct sem_vrow *row) {
    m->neg |= (uint8_t)in->f[ISA_F_neg];
    m->abs |= (uint8_t)in->f[ISA_F_abs];
    m->omod = (uint8_t)in->f[ISA_F_omod];
    m->clamp = (uint8_t)in->f[ISA_F_clmp];
    m->op_sel = (uint8_t)in->f[ISA_F_opsel];
    if (in->op->format != ISA_FMT_VOP3P) return;
    m->vop3p = true;
    m->neg_hi = (uint8_t)in->f[ISA_F_neg_hi];
    m->op_sel_hi = (uint8_t)(in->f[ISA_F_opsel_hi] | in->f[ISA_F_opsel_hi2] << 2);
    (void)row;
}

/* VOP1/VOP2/VOPC: bit 7 of the register number of a 16-bit operand picks its upper half. */
static void fill_true16(const struct isa_inst *in, struct valu_mods *m,
                        const struct sem_vrow *row) {
    uint32_t src0 = in->f[ISA_F_src0];
    if (is_16_bit(row->src0) && src0 >= ISA_SRC_VGPR0 && src0 & 128) m->op_sel |= 1;
    if (in->op->format == ISA_FMT_VOP1) return;
    unsigned at = in->has_literal && strstr(in->op->name, "FMAMK") ? 2 : 1;
    enum sem_type t = at == 2 ? row->src2 : row->src1;
    if (is_16_bit(t) && in->f[ISA_F_vsrc1] & 128) m->op_sel |= (uint8_t)(1u << at);
}

/* Packed operands with op_sel 0 and op_sel_hi 1 are what they are. */
static bool needs_mods(const struct valu_mods *m, const struct sem_vrow *row) {
    if (m->neg || m->abs || m->omod || m->clamp || m->dpp || m->neg_hi || m->op_sel) return true;
    if (!m->vop3p) return false;
    if (row->flags & SEM_OPSEL_SELF) return true;
    const uint8_t types[3] = {row->src0, row->src1, row->src2};
    for (unsigned i = 0; i < 3; i++)
        if (is_packed(types[i]) && !(m->op_sel_hi >> i & 1)) return true;
    return false;
}

/* Bit that neg flips and abs clears, in the top dword of an operand; 0: the type has none. */
static uint32_t sign_bit(enum sem_type t) {
    switch (t) {
    case SEM_F32:
    case SEM_B32:
    case SEM_F64:
    case SEM_B64:
        return UINT32_C(1) << 31;
    case SEM_F16:
    case SEM_BF16:
    case SEM_B16:
        return 1u << 15;
    default:
        return 0;
    }
}

static void fill_signs(struct valu_mods *m, const struct sem_vrow *row) {
    const uint8_t types[3] = {row->src0, row->src1, row->src2};
    m->signs_only = !m->dpp && !m->omod && !m->clamp && !m->op_sel && !m->vop3p;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t sign = sign_bit(types[i]);
        m->keep[i] = m->abs >> i & 1 ? ~sign : UINT32_MAX;
        m->flip[i] = m->neg >> i & 1 ? sign : 0;
    }
}

bool SEM_SYM(exec_bind_mods)(struct binding *b, const struct sem_vrow *row) {
    struct xinst *x = b->x;
    const struct isa_inst *in = b->in;
    struct valu_mods m = {.write_lanes = UINT32_MAX};
    m.neg = in->dpp_neg;
    m.abs = in->dpp_abs;
    enum isa_format fmt = in->op->format;
    if (fmt == ISA_FMT_VOP1 || fmt == ISA_FMT_VOP2 || fmt == ISA_FMT_VOPC)
        fill_true16(in, &m, row);
    else
        fill_vop3(in, &m, row);
    if (in->dpp && !bind_dpp(b, &m)) return false;
    /* op_sel[3]: the upper half of the destination. */
    if (x->sub == VALU_DST_LO16 && m.op_sel & 8 && !m.vop3p) x->sub = VALU_DST_HI16;
    /* The old destination, as a source, is the half that will be written. */
    if (x->sub == VALU_DST_HI16 && row->flags & SEM_READS_DST) m.op_sel |= 4;
    if (!needs_mods(&m, row)) return true;
    struct valu_mods *kept = isa_code_alloc(b->page, sizeof *kept);
    if (!kept) return SEM_SYM(exec_refuse_unimplemented)(b, "no host memory for decoded code");
    *kept = m;
    /* The function selects halves and signs itself; abs reaches it as VOP3P's neg_hi does. */
    if (row->flags & SEM_OPSEL_SELF) {
        if (!m.vop3p) kept->neg_hi = kept->abs;
        kept->abs = 0;
    }
    fill_signs(kept, row);
    x->mods = kept;
    x->imm = row->flags;
    return true;
}

/* --- execution --- */

static void permute(const struct valu_mods *m, const vu32 *src, vu32 *tmp, unsigned n,
                    uint32_t exec, uint32_t *write) {
    uint32_t valid = m->source_valid;
    if (!m->fi)
        for (unsigned i = 0; i < VEC_LANES; i++)
            if (!(exec >> m->from[i] & 1)) valid &= ~(1u << i);
    for (unsigned j = 0; j < n; j++) {
        vu32 r;
        for (unsigned i = 0; i < VEC_LANES; i++)
            ((uint32_t *)&r)[i] = ((const uint32_t *)&src[j])[m->from[i]];
        tmp[j] = vec_select(valid, r, (vu32){0});
    }
    if (!m->bound_ctrl) *write &= valid;
}

static vu32 select_halves(vu32 v, bool lo_high, bool hi_high) {
    vu32 lo = lo_high ? v >> 16 : v & 0xffffu, hi = hi_high ? v & 0xffff0000u : v << 16;
    return lo | hi;
}

void SEM_SYM(exec_apply_source_mods)(const struct xinst *x, unsigned i, const vu32 *src, vu32 *tmp,
                                     unsigned n, uint32_t exec, uint32_t *write) {
    const struct valu_mods *m = x->mods;
    enum sem_type t = x->types[1 + i];
    if (m->dpp && i == 0)
        permute(m, src, tmp, n, exec, write);
    else
        memcpy(tmp, src, n * sizeof *tmp);
    if (x->imm & SEM_OPSEL_SELF) return;
    if (is_packed(t) && m->vop3p) {
        tmp[0] = select_halves(tmp[0], m->op_sel >> i & 1, m->op_sel_hi >> i & 1);
        if (t == SEM_PKF16 && m->neg >> i & 1) tmp[0] ^= 0x8000u;
        if (t == SEM_PKF16 && m->neg_hi >> i & 1) tmp[0] ^= 0x80000000u;
        return;
    }
    if (is_16_bit(t))
        tmp[0] = m->op_sel >> i & 1 && x->k[i] != SRC_IMM ? tmp[0] >> 16 : tmp[0] & 0xffffu;
    tmp[n - 1] = (tmp[n - 1] & m->keep[i]) ^ m->flip[i];
}

static double half_to_double(uint32_t h) {
    uint32_t e = h >> 10 & 31, f = h & 0x3ff;
    double v = e ? (double)(f | 0x400) : f;
    int shift = e ? (int)e - 25 : -24;
    v = __builtin_ldexp(v, shift);
    return h & 0x8000 ? -v : v;
}

/* One value of type F16 by a power of two; exact but for results below the normal range. */
static uint32_t scale_half(uint32_t h, int power) {
    uint32_t e = h >> 10 & 31;
    if (e == 31 || (h & 0x7fff) == 0) return h;
    double v = __builtin_ldexp(half_to_double(h), power), a = v < 0 ? -v : v;
    uint32_t sign = h & 0x8000;
    if (a >= 65520) return sign | 0x7c00;
    if (a < 0x1p-14) return sign | (uint32_t)__builtin_rint(a * 0x1p24);
    int exp = 0;
    double frac = __builtin_frexp(a, &exp); /* [0.5, 1) */
    return sign | (((uint32_t)(exp + 14) << 10) + ((uint32_t)(frac * 2048) - 1024));
}

static uint32_t clamp_half(uint32_t h, bool nan_to_zero) {
    if ((h & 0x7fff) > 0x7c00) return nan_to_zero ? 0 : h;
    if (h & 0x8000) return 0;
    return h > 0x3c00 ? 0x3c00 : h;
}

static void omod_result(enum sem_type t, unsigned omod, vu32 *d) {
    static const int powers[] = {0, 1, 2, -1};
    static const float factors[] = {1, 2, 4, 0.5f};
    if (t == SEM_F32) {
        *d = (vu32)((vf32)*d * factors[omod]);
    } else if (t == SEM_F16) {
        for (unsigned i = 0; i < VEC_LANES; i++)
            ((uint32_t *)d)[i] = scale_half(((uint32_t *)d)[i], powers[omod]);
    } else if (t == SEM_F64) {
        for (unsigned i = 0; i < VEC_LANES; i++) {
            uint64_t v = ((uint32_t *)d)[i] | (uint64_t)((uint32_t *)&d[1])[i] << 32;
            double f;
            memcpy(&f, &v, 8);
            f *= factors[omod];
            memcpy(&v, &f, 8);
            ((uint32_t *)d)[i] = (uint32_t)v;
            ((uint32_t *)&d[1])[i] = (uint32_t)(v >> 32);
        }
    }
}

static void clamp_f32(bool nan_to_zero, vu32 *d) {
    const vf32 v = (vf32)*d;
    const vi32 nan = v != v, positive = v > (vf32){0}, above = v > (vf32){0} + 1.0f;
    vu32 r = (vu32)positive & *d;
    r = (r & ~(vu32)above) | ((vu32)above & 0x3f800000u);
    *d = nan_to_zero ? r : (r & ~(vu32)nan) | ((vu32)nan & *d);
}

static void clamp_result(enum sem_type t, bool nan_to_zero, vu32 *d) {
    if (t == SEM_F32) {
        clamp_f32(nan_to_zero, d);
        return;
    }
    uint32_t *lo = (uint32_t *)d, *hi = (uint32_t *)&d[1];
    for (unsigned i = 0; i < VEC_LANES; i++) {
        if (t == SEM_F16) {
            lo[i] = clamp_half(lo[i] & 0xffff, nan_to_zero);
        } else if (t == SEM_PKF16) {
            lo[i] = clamp_half(lo[i] & 0xffff, nan_to_zero) | clamp_half(lo[i] >> 16, nan_to_zero)
                                                                  << 16;
        } else if (t == SEM_F64) {
            uint64_t v = lo[i] | (uint64_t)hi[i] << 32;
            if ((v & INT64_MAX) > 0x7ff0000000000000)
                v = nan_to_zero ? 0 : v;
            else if (v >> 63)
                v = 0;
            else if (v > 0x3ff0000000000000)
                v = 0x3ff0000000000000;
            lo[i] = (uint32_t)v;
            hi[i] = (uint32_t)(v >> 32);
        }
    }
}

void SEM_SYM(exec_apply_result_mods)(const struct xinst *x, const struct sem_mode *mode, vu32 *d) {
    const struct valu_mods *m = x->mods;
    enum sem_type t = x->types[0];
    /* Output modifiers are ignored where output denormals are kept. */
    unsigned denorm = t == SEM_F32 ? mode->denorm32 : mode->denorm64_16;
    if (m->omod && !(denorm & 2)) omod_result(t, m->omod, d);
    if (m->clamp && !(x->imm & SEM_CLAMP_INT)) clamp_result(t, mode->dx10_clamp, d);
}
