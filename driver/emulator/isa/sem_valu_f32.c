/* SPDX-License-Identifier: MIT */
/* sem_valu_f32.c - binary32 arithmetic of the vector ALU: sums, products, minimum and maximum,
 * rounding to integral, exponent and mantissa, cube map helpers.
 * Source: AMD RDNA3 and RDNA4 ISA guides, instruction pseudocode. */
#include "driver/emulator/isa/sem_minmax.h"

#define SIGN32 0x80000000u
#define VF2(name, expr)                                                                            \
    VFN(name) {                                                                                    \
        const vu32 x = in32(a[0], e), y = in32(b[0], e);                                           \
        d[0] = (expr);                                                                             \
    }
#define VF3(name, expr)                                                                            \
    VFN(name) {                                                                                    \
        const vu32 x = in32(a[0], e), y = in32(b[0], e), z = in32(c[0], e);                        \
        d[0] = (expr);                                                                             \
    }

/* Subtraction negates the second operand, but a NaN passes through with its sign. */
static inline vu32 sub32(vu32 x, vu32 y, const struct sem_env *e) {
#ifdef SEM_LIFT
    return out32(nan2_32((vu32)((vf32)x - (vf32)y), x, y), e);
#else
    return add32(x, sel(isnan32(y), y, y ^ SIGN32), e);
#endif
}

VF2(v_add_f32, add32(x, y, e))
VF2(v_sub_f32, sub32(x, y, e))
VF2(v_subrev_f32, sub32(y, x, e))
VF2(v_mul_f32, mul32(x, y, e))
VF3(v_fma_f32, fma32(x, y, z, e))

/* DX9: zero times anything is +0, and the addend passes through unchanged. */
static inline vi32 either_zero(vu32 x, vu32 y) {
    return is_zero(x << 1) | is_zero(y << 1);
}
VF2(v_mul_dx9_zero_f32, sel(either_zero(x, y), splat(0), mul32(x, y, e)))
VF3(v_fma_dx9_zero_f32, sel(either_zero(x, y), z, fma32(x, y, z, e)))

/* --- minimum and maximum --- */

static inline vi32 numeq32(vu32 x, vu32 y) {
    return eq(x, y) | is_zero((x | y) << 1);
}
SEM_MINMAX_FAMILY(32, vu32, sel, i_lt)
SEM_MED3(32, vu32, sel, min32, max32)
SEM_MED3(32, vu32, sel, min_num32, max_num32)
SEM_MINMAX_ROWS(32, f32)
SEM_MINMAX3_ROWS(32, f32)

/* --- to an integral value --- */

static inline vu32 floor32(vu32 x) {
    return nan1_32((vu32)host_floor32((vf32)x), x);
}
static inline vu32 ceil32(vu32 x) {
    return nan1_32((vu32)host_ceil32((vf32)x), x);
}
static inline vu32 trunc32(vu32 x) {
    return nan1_32((vu32)host_trunc32((vf32)x), x);
}
static inline vu32 rndne32(vu32 x) {
    return nan1_32((vu32)host_rint32((vf32)x), x);
}

VFN(v_floor_f32) {
    d[0] = floor32(in32(a[0], e));
}
VFN(v_ceil_f32) {
    d[0] = ceil32(in32(a[0], e));
}
VFN(v_trunc_f32) {
    d[0] = trunc32(in32(a[0], e));
}
VFN(v_rndne_f32) {
    d[0] = rndne32(in32(a[0], e));
}

/* x - floor(x), kept below 1 (a tiny negative x would round up to it). */
VFN(v_fract_f32) {
    const vu32 x = in32(a[0], e);
    const vu32 r = add32(x, floor32(x) ^ SIGN32, e);
    d[0] = nan1_32(sel(eq(r, splat(0x3f800000u)), splat(0x3f7fffffu), r), x);
}

/* --- exponent and mantissa --- */

/* Denormals scaled by 2^24 into the normal range; adjust receives 0 or -24. */
static inline vu32 normalise(vu32 x, vu32 *adjust) {
    const vi32 tiny = is_zero(x & 0x7f800000u);
    *adjust = (vu32)tiny & (uint32_t)-24;
    return sel(tiny, (vu32)((vf32)x * 0x1p24f), x);
}

static inline vi32 not_finite(vu32 x) {
    return u_lt(splat(0x7f7fffffu), x & 0x7fffffffu);
}

VFN(v_frexp_exp_i32_f32) {
    const vu32 x = in32(a[0], e);
    vu32 adjust;
    const vu32 n = normalise(x, &adjust);
    const vu32 r = (n >> 23 & 0xffu) - 126u + adjust;
    d[0] = r & ~(vu32)(not_finite(x) | is_zero(x << 1));
}

VFN(v_frexp_mant_f32) {
    const vu32 x = in32(a[0], e);
    vu32 adjust;
    const vu32 n = normalise(x, &adjust);
    const vu32 r = (n & 0x807fffffu) | 0x3f000000u;
    d[0] = sel(isnan32(x), quiet32(x), sel(not_finite(x) | is_zero(x << 1), x, r));
}

/* 2^n as doubles, n within the exponent range. */
static inline struct sem_d64 exp2_int(vu32 n) {
    struct sem_v64 v = widen_i32(n);
    struct sem_d64 r;
    for (unsigned i = 0; i < 2; i++)
        r.h[i] = (vf64)((v.h[i] + 1023) << 52);
    return r;
}

/* Exact in binary64 for every exponent that matters, then rounded once. */
VFN(v_ldexp_f32) {
    const vu32 x = in32(a[0], e);
    struct sem_d64 v = widen_f32(x), p = exp2_int(clamp_i32(b[0], -300, 300));
    v.h[0] *= p.h[0];
    v.h[1] *= p.h[1];
    d[0] = out32(nan1_32(round_f32(v, SEM_ROUND32(e)), x), e);
}

/* --- division helpers --- */

static inline vu32 biased(vu32 x) {
    return x >> 23 & 0xffu;
}

/* Scaling by a power of two that neither overflows nor loses bits where the guide asks for it. */
static inline vu32 scale32(vu32 x, float by) {
    return (vu32)((vf32)x * by);
}

/* Chooses the scaling of x0 (the denominator y or the numerator z) so that the refinement of z / y
 * cannot leave the range. Mask: the quotient must be scaled back by v_div_fmas. Where the guide's
 * text only scales "the denominator" because 1/y is denormal it must be scaled down.
 * "Quotient denormal" is judged by the exponents. */
VFN(v_div_scale_f32) {
    const vu32 x = in32(a[0], e), y = in32(b[0], e), z = in32(c[0], e);
    const vi32 ey = (vi32)biased(y), ez = (vi32)biased(z);
    const vi32 zero = is_zero(y << 1) | is_zero(z << 1);
    const vi32 is_den = f_eq((vf32)x, (vf32)y), is_num = f_eq((vf32)x, (vf32)z);
    const vi32 huge = i_le((vi32)splat(96), ez - ey);
    const vi32 den_tiny = eq((vu32)ey, splat(0));
    const vi32 rcp_tiny = i_le((vi32)splat(253), ey);
    const vi32 quot_tiny = i_le(ez - ey, (vi32)splat((uint32_t)-126));
    const vi32 num_tiny = i_le(ez, (vi32)splat(23));
    const vu32 up = scale32(x, 0x1p64f), down = scale32(x, 0x1p-64f);
    vu32 r = sel(num_tiny, up, x);
    r = sel(quot_tiny, sel(is_num, up, x), r);
    r = sel(rcp_tiny, down, r);
    r = sel(rcp_tiny & quot_tiny, sel(is_den, down, x), r);
    r = sel(den_tiny, up, r);
    r = sel(huge, sel(is_den, up, x), r);
    r = sel(zero, splat(NAN_F32), r);
    e->mask_out = mask_of_lanes(zero | huge | (quot_tiny & ~den_tiny));
    d[0] = sel(isnan32(x), quiet32(x), r);
}

/* The scaled result must be rounded once, also when it is denormal. */
#ifdef SEM_LIFT
/* All lanes at once: the sum to odd in binary64 (its first rounding cannot matter), scaled exactly.
 */
static vu32 scaled_fma32(vu32 r, vu32 x, vu32 y, vu32 z, const struct sem_env *e) {
    const struct sem_d64 p = widen_f32(x), q = widen_f32(y), s = widen_f32(z);
    const struct sem_d64 up =
        widen_f32(sel(u_lt(splat(127), z >> 23 & 0xffu), splat(0x5f800000u), splat(0x1f800000u)));
    struct sem_d64 v;
    for (unsigned i = 0; i < 2; i++) {
        const vf64 m = p.h[i] * q.h[i], t = m + s.h[i], bb = t - m;
        const vu64 err = (vu64)((m - (t - bb)) + (s.h[i] - bb));
        const vi64 exact =
            eq64(err << 1, (vu64){0}) | ~eq64((vu64)t & 1, (vu64){0}) | ~d_eq(t - t, (vf64){0});
        const vu64 step = (vu64)((vi64)(err ^ (vu64)t) >> 63) | 1;
        v.h[i] = (vf64)((vu64)t + (step & ~(vu64)exact)) * up.h[i];
    }
    return sel(lanes_of_mask(e->mask_in), narrow_f32(v), r);
}
#else
static vu32 scaled_fma32(vu32 r, vu32 x, vu32 y, vu32 z, const struct sem_env *e) {
    const vf32 p = (vf32)x, q = (vf32)y, s = (vf32)z;
    for (unsigned i = 0; i < 32; i++) {
        const int by = (z[i] >> 23 & 0xff) > 127 ? 64 : -64;
        if (e->mask_in >> i & 1)
            r[i] = (uint32_t)SEM_SYM(soft_fma)(p[i], q[i], s[i], by, &SEM_SYM(soft_f32),
                                               SEM_ROUND32(e));
    }
    return r;
}
#endif

/* The quotient estimate z tells which way v_div_scale went: 2^64 too small or too large. */
VFN(v_div_fmas_f32) {
    const vu32 x = in32(a[0], e), y = in32(b[0], e), z = in32(c[0], e);
    vu32 r = SEM_ROUND32(e) ? soft_fma32(x, y, z, SEM_ROUND32(e)) : host_fma32(x, y, z);
    if (SEM_IN_LIFT || e->mask_in) r = scaled_fma32(r, x, y, z, e);
    d[0] = out32(nan3_32(r, x, y, z), e);
}

/* Below half the smallest denormal: zero, or the denormal where MODE rounds away. */
static inline vu32 underflow32(vu32 sign, const struct sem_env *e) {
    const int round = SEM_ROUND32(e);
    if (round == RUP) return sign | (~(vu32)((vi32)sign >> 31) & 1);
    if (round == RDOWN) return sign | ((vu32)((vi32)sign >> 31) & 1);
    return sign;
}

VFN(v_div_fixup_f32) {
    const vu32 x = in32(a[0], e), y = in32(b[0], e), z = in32(c[0], e);
    const vu32 sign = (y ^ z) & SIGN32;
    const vi32 y0 = is_zero(y << 1), z0 = is_zero(z << 1), yi = isinf32(y), zi = isinf32(z);
    vu32 r = sign | (x & ~SIGN32);
    r = sel(isnan32(x), sign | 0x7f800000u, r);
    r = sel(i_lt((vi32)(biased(z) - biased(y)), (vi32)splat((uint32_t)-150)), underflow32(sign, e),
            r);
    r = sel(yi | z0, sign, r);
    r = sel(y0 | zi, sign | 0x7f800000u, r);
    r = sel((y0 & z0) | (yi & zi), splat(NAN_F32), r);
    r = sel(isnan32(y), quiet32(y), r);
    d[0] = out32(sel(isnan32(z), quiet32(z), r), e);
}

/* --- cube maps --- */

#define FABS(x) ((vf32)((x) & ~SIGN32))

/* Which axis is the major one: z wins ties, then y. */
static inline vi32 major_z(vu32 x, vu32 y, vu32 z) {
    return f_le(FABS(x), FABS(z)) & f_le(FABS(y), FABS(z));
}
static inline vi32 below_zero(vu32 x) {
    return f_lt((vf32)x, (vf32){0});
}
static inline vu32 f_const(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return splat(u);
}

VF3(v_cubeid_f32, sel(major_z(x, y, z), sel(below_zero(z), f_const(5), f_const(4)),
                      sel(f_le(FABS(x), FABS(y)), sel(below_zero(y), f_const(3), f_const(2)),
                          sel(below_zero(x), f_const(1), f_const(0)))))
VF3(v_cubesc_f32, sel(major_z(x, y, z), sel(below_zero(z), x ^ SIGN32, x),
                      sel(f_le(FABS(x), FABS(y)), x, sel(below_zero(x), z, z ^ SIGN32))))
VF3(v_cubetc_f32, sel(major_z(x, y, z), y ^ SIGN32,
                      sel(f_le(FABS(x), FABS(y)), sel(below_zero(y), z ^ SIGN32, z), y ^ SIGN32)))
VF3(v_cubema_f32,
    mul32(sel(major_z(x, y, z), z, sel(f_le(FABS(x), FABS(y)), y, x)), splat(0x40000000u), e))

/* Lighting product: -MAX when y is -MAX, -inf or NaN, or z is not above zero. */
VFN(v_mullit_f32) {
    const vu32 x = in32(a[0], e), y = in32(b[0], e), z = in32(c[0], e);
    const vi32 dark = eq(y, splat(0xff7fffffu)) | eq(y, splat(0xff800000u)) | isnan32(y) |
                      ~f_lt((vf32){0}, (vf32)z);
    d[0] = sel(dark, splat(0xff7fffffu), mul32(x, y, e));
}
