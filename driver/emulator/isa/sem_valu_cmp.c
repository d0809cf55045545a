/* SPDX-License-Identifier: MIT */
/* sem_valu_cmp.c - v_cmp_* and v_cmp_class_* of all types; v_cmpx_* share the functions, the caller
 * writes EXEC. The result is e->mask_out, one bit a lane, not yet masked by EXEC.
 * Source: AMD RDNA3 and RDNA4 ISA guides, VOPC. Float comparisons see flushed denormals where MODE
 * flushes inputs. */
#include "driver/emulator/isa/sem_float.h"

#define CMP(name, expr)                                                                            \
    VFN(name) {                                                                                    \
        e->mask_out = (expr);                                                                      \
    }

/* --- integers --- */

#define INT_ROWS(T, LT, EQ)                                                                        \
    CMP(v_cmp_lt_##T, LT(a, b))                                                                    \
    CMP(v_cmp_eq_##T, EQ(a, b))                                                                    \
    CMP(v_cmp_le_##T, ~LT(b, a))                                                                   \
    CMP(v_cmp_gt_##T, LT(b, a))                                                                    \
    CMP(v_cmp_ne_##T, ~EQ(a, b))                                                                   \
    CMP(v_cmp_ge_##T, ~LT(a, b))

static inline uint32_t lt_u32(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(u_lt(a[0], b[0]));
}
static inline uint32_t lt_i32(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(i_lt((vi32)a[0], (vi32)b[0]));
}
static inline uint32_t eq_32(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(eq(a[0], b[0]));
}
static inline uint32_t lt_u16(const vu32 *a, const vu32 *b) {
    return mask_of_lanes((vi32)(zext16(a[0]) - zext16(b[0])));
}
static inline uint32_t lt_i16(const vu32 *a, const vu32 *b) {
    return mask_of_lanes((vi32)(sext16(a[0]) - sext16(b[0])));
}
static inline uint32_t eq_16(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(is_zero(zext16(a[0] ^ b[0])));
}
static inline uint32_t lt_u64(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(u_lt(a[1], b[1]) | (eq(a[1], b[1]) & u_lt(a[0], b[0])));
}
static inline uint32_t lt_i64(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(i_lt((vi32)a[1], (vi32)b[1]) | (eq(a[1], b[1]) & u_lt(a[0], b[0])));
}
static inline uint32_t eq_64(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(is_zero((a[0] ^ b[0]) | (a[1] ^ b[1])));
}

INT_ROWS(u32, lt_u32, eq_32)
INT_ROWS(i32, lt_i32, eq_32)
INT_ROWS(u16, lt_u16, eq_16)
INT_ROWS(i16, lt_i16, eq_16)
INT_ROWS(u64, lt_u64, eq_64)
INT_ROWS(i64, lt_i64, eq_64)

CMP(v_cmp_f, 0)
CMP(v_cmp_t, 0xffffffffu)

/* --- floats --- */

#define FLOAT_ROWS(T, LT, LE, EQ, UNORD)                                                           \
    CMP(v_cmp_lt_##T, LT(a, b, e))                                                                 \
    CMP(v_cmp_eq_##T, EQ(a, b, e))                                                                 \
    CMP(v_cmp_le_##T, LE(a, b, e))                                                                 \
    CMP(v_cmp_gt_##T, LT(b, a, e))                                                                 \
    CMP(v_cmp_lg_##T, ~EQ(a, b, e) & ~UNORD(a, b))                                                 \
    CMP(v_cmp_ge_##T, LE(b, a, e))                                                                 \
    CMP(v_cmp_o_##T, ~UNORD(a, b))                                                                 \
    CMP(v_cmp_u_##T, UNORD(a, b))                                                                  \
    CMP(v_cmp_nge_##T, ~LE(b, a, e))                                                               \
    CMP(v_cmp_nlg_##T, EQ(a, b, e) | UNORD(a, b))                                                  \
    CMP(v_cmp_ngt_##T, ~LT(b, a, e))                                                               \
    CMP(v_cmp_nle_##T, ~LE(a, b, e))                                                               \
    CMP(v_cmp_neq_##T, ~EQ(a, b, e))                                                               \
    CMP(v_cmp_nlt_##T, ~LT(a, b, e))

#define F32_OP(name, op)                                                                           \
    static inline uint32_t name(const vu32 *a, const vu32 *b, const struct sem_env *e) {           \
        return mask_of_lanes(op((vf32)in32(a[0], e), (vf32)in32(b[0], e)));                        \
    }
F32_OP(lt_f32, f_lt)
F32_OP(le_f32, f_le)
F32_OP(eq_f32, f_eq)
static inline uint32_t unord_f32(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(isnan32(a[0]) | isnan32(b[0]));
}
FLOAT_ROWS(f32, lt_f32, le_f32, eq_f32, unord_f32)

#define F16_OP(name, op)                                                                           \
    static inline uint32_t name(const vu32 *a, const vu32 *b, const struct sem_env *e) {           \
        return mask_of_lanes(op((vf32)widen_f16(in16(a[0], e)), (vf32)widen_f16(in16(b[0], e))));  \
    }
F16_OP(lt_f16, f_lt)
F16_OP(le_f16, f_le)
F16_OP(eq_f16, f_eq)
static inline uint32_t unord_f16(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(isnan16(a[0]) | isnan16(b[0]));
}
FLOAT_ROWS(f16, lt_f16, le_f16, eq_f16, unord_f16)

#define F64_OP(name, op)                                                                           \
    static inline uint32_t name(const vu32 *a, const vu32 *b, const struct sem_env *e) {           \
        const struct sem_v64 x = load64(a), y = load64(b);                                         \
        struct sem_v64 r;                                                                          \
        for (unsigned i = 0; i < 2; i++)                                                           \
            r.h[i] = (vu64)op((vf64)in64(x.h[i], e), (vf64)in64(y.h[i], e));                       \
        return mask_of_lanes((vi32)low32(r));                                                      \
    }
F64_OP(lt_f64, d_lt)
F64_OP(le_f64, d_le)
F64_OP(eq_f64, d_eq)
static inline vi32 nan_halves(const vu32 *x) {
    const vu32 hi = x[1] & 0x7fffffffu;
    return u_lt(splat(0x7ff00000u), hi) | (eq(hi, splat(0x7ff00000u)) & non_zero(x[0]));
}
static inline uint32_t unord_f64(const vu32 *a, const vu32 *b) {
    return mask_of_lanes(nan_halves(a) | nan_halves(b));
}
FLOAT_ROWS(f64, lt_f64, le_f64, eq_f64, unord_f64)

/* --- classes --- */

/* Bits of the mask operand: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0,
 * 6 +0, 7 +denormal, 8 +normal, 9 +inf. */
static inline uint32_t class_mask(vu32 wanted, vi32 negative, vi32 snan, vi32 nan, vi32 inf,
                                  vi32 normal, vi32 denormal) {
    vu32 bit = sel(negative, splat(5), splat(6));
    bit = sel(denormal, sel(negative, splat(4), splat(7)), bit);
    bit = sel(normal, sel(negative, splat(3), splat(8)), bit);
    bit = sel(inf, sel(negative, splat(2), splat(9)), bit);
    bit = sel(nan, sel(snan, splat(0), splat(1)), bit);
    return mask_of_lanes((vi32)(wanted << (31 - bit)));
}

VFN(v_cmp_class_f32) {
    const vu32 x = a[0], exponent = x & 0x7f800000u;
    e->mask_out = class_mask(b[0], (vi32)x >> 31, issnan32(x), isnan32(x), isinf32(x),
                             non_zero(exponent), is_zero(exponent) & non_zero(x << 1));
}

VFN(v_cmp_class_f16) {
    const vu32 x = zext16(a[0]), exponent = x & 0x7c00u;
    e->mask_out = class_mask(b[0], (vi32)sext16(x) >> 31, issnan16(x), isnan16(x),
                             eq(x & 0x7fffu, splat(0x7c00u)), non_zero(exponent),
                             is_zero(exponent) & non_zero(x & 0x3ffu));
}

VFN(v_cmp_class_f64) {
    const vu32 lo = a[0], hi = a[1], exponent = hi & 0x7ff00000u;
    const vi32 nan = nan_halves(a), mant = non_zero((hi & 0xfffffu) | lo);
    e->mask_out = class_mask(b[0], (vi32)hi >> 31, nan & is_zero(hi & 0x80000u), nan,
                             eq(exponent, splat(0x7ff00000u)) & ~mant, non_zero(exponent),
                             is_zero(exponent) & mant);
}
