/* SPDX-License-Identifier: MIT */
/* sem_valu_f64.c - binary64 arithmetic of the vector ALU.
 * Source: AMD RDNA3 and RDNA4 ISA guides. Operands are joined to two vectors of 16 lanes. */
#include "driver/emulator/isa/sem_minmax.h"

#define SIGN64    0x8000000000000000ull
#define MAG64     0x7fffffffffffffffull
#define INF64     0x7ff0000000000000ull
#define HALVES(i) for (unsigned i = 0; i < 2; i++)
/* The operands of an instruction, denormals treated, bound to x, y, z of 16 lanes. */
#define VD1(name, expr)                                                                            \
    VFN(name) {                                                                                    \
        struct sem_v64 p = load64(a);                                                              \
        HALVES(i) {                                                                                \
            const vu64 x = in64(p.h[i], e);                                                        \
            p.h[i] = (expr);                                                                       \
        }                                                                                          \
        store64(d, p);                                                                             \
    }
#define VF2(name, expr)                                                                            \
    VFN(name) {                                                                                    \
        struct sem_v64 p = load64(a);                                                              \
        const struct sem_v64 q = load64(b);                                                        \
        HALVES(i) {                                                                                \
            const vu64 x = in64(p.h[i], e), y = in64(q.h[i], e);                                   \
            p.h[i] = (expr);                                                                       \
        }                                                                                          \
        store64(d, p);                                                                             \
    }

static inline vu64 fma64(vu64 x, vu64 y, vu64 z, const struct sem_env *e) {
    const int round = SEM_ROUND64_16(e);
    const vu64 r = round ? soft_fma64(x, y, z, round) : host_fma64(x, y, z);
    return out64(nan3_64(r, x, y, z), e);
}
static inline vu64 add64(vu64 x, vu64 y, const struct sem_env *e) {
    const int round = SEM_ROUND64_16(e);
    const vu64 r =
        round ? soft_fma64(x, splat64(0x3ff0000000000000ull), y, round) : (vu64)((vf64)x + (vf64)y);
    return out64(nan3_64(r, x, y, (vu64){0}), e);
}
static inline vu64 mul64(vu64 x, vu64 y, const struct sem_env *e) {
    const int round = SEM_ROUND64_16(e);
    const vu64 r = round ? soft_fma64(x, y, (x ^ y) & SIGN64, round) : (vu64)((vf64)x * (vf64)y);
    return out64(nan3_64(r, x, y, (vu64){0}), e);
}

VF2(v_add_f64, add64(x, y, e))
VF2(v_mul_f64, mul64(x, y, e))

VFN(v_fma_f64) {
    struct sem_v64 p = load64(a);
    const struct sem_v64 q = load64(b), s = load64(c);
    HALVES(i) p.h[i] = fma64(in64(p.h[i], e), in64(q.h[i], e), in64(s.h[i], e), e);
    store64(d, p);
}

SEM_MINMAX_FAMILY(64, vu64, sel64, i64_lt)
SEM_MINMAX_ROWS(64, f64)

/* --- to an integral value --- */

#define ROUND_FN(name, host)                                                                       \
    static inline vu64 name(vu64 x) {                                                              \
        return sel64(isnan64(x), quiet64(x), (vu64)host((vf64)x));                                 \
    }
ROUND_FN(floor64, host_floor64)
ROUND_FN(ceil64, host_ceil64)
ROUND_FN(trunc64, host_trunc64)
ROUND_FN(rndne64, host_rint64)

VD1(v_floor_f64, floor64(x))
VD1(v_ceil_f64, ceil64(x))
VD1(v_trunc_f64, trunc64(x))
VD1(v_rndne_f64, rndne64(x))

/* x - floor(x), kept below 1. */
static inline vu64 fract64(vu64 x, const struct sem_env *e) {
    const vu64 r = add64(x, floor64(x) ^ SIGN64, e);
    const vi64 one = eq64(r, splat64(0x3ff0000000000000ull));
    return sel64(isnan64(x), quiet64(x), sel64(one, splat64(0x3fefffffffffffffull), r));
}
VD1(v_fract_f64, fract64(x, e))

/* --- exponent and mantissa --- */

/* Denormals scaled by 2^54 into the normal range; adjust receives 0 or -54. */
static inline vu64 normalise64(vu64 x, vu64 *adjust) {
    const vi64 tiny = eq64(x & INF64, (vu64){0});
    *adjust = (vu64)tiny & (uint64_t)-54;
    return sel64(tiny, (vu64)((vf64)x * 0x1p54), x);
}
static inline vi64 not_finite64(vu64 x) {
    return eq64(x & INF64, splat64(INF64));
}
static inline vi64 zero64(vu64 x) {
    return eq64(x & MAG64, (vu64){0});
}

VFN(v_frexp_exp_i32_f64) {
    struct sem_v64 p = load64(a);
    HALVES(i) {
        const vu64 x = in64(p.h[i], e);
        vu64 adjust;
        const vu64 n = normalise64(x, &adjust);
        p.h[i] = ((n >> 52 & 0x7ff) - 1022 + adjust) & ~(vu64)(not_finite64(x) | zero64(x));
    }
    d[0] = low32(p);
}

static inline vu64 mantissa64(vu64 x) {
    vu64 adjust;
    const vu64 n = normalise64(x, &adjust);
    const vu64 r = (n & 0x800fffffffffffffull) | 0x3fe0000000000000ull;
    return sel64(not_finite64(x) | zero64(x), sel64(isnan64(x), quiet64(x), x), r);
}
VD1(v_frexp_mant_f64, mantissa64(x))

static inline vu64 imin64(vu64 x, vu64 y) {
    return sel64(i64_lt((vi64)x, (vi64)y), x, y);
}
static inline vu64 imax64(vu64 x, vu64 y) {
    return sel64(i64_lt((vi64)x, (vi64)y), y, x);
}
static inline vf64 pow2(vu64 n) {
    return (vf64)((n + 1023) << 52);
}

/* x * 2^n rounded once: the significand goes to the smallest normal exponent exactly, the last
 * factor alone may round. */
static inline vu64 scale64(vu64 x, vu64 n) {
    vu64 adjust;
    const vu64 v = normalise64(x, &adjust);
    const vu64 m = (v & 0x800fffffffffffffull) | 0x3ff0000000000000ull;
    vu64 t = (v >> 52 & 0x7ff) - 1023 + adjust + n;
    t = imax64(imin64(t, splat64(1100)), splat64((uint64_t)-1100));
    const vu64 t1 = imax64(imin64(t, splat64(1023)), splat64((uint64_t)-1022));
    const vu64 r = (vu64)((vf64)m * pow2(t1) * pow2(t - t1));
    return sel64(not_finite64(x) | zero64(x), sel64(isnan64(x), quiet64(x), x), r);
}

static vu64 soft_ldexp64(vu64 x, vu64 n, int round) {
    const vf64 p = (vf64)x;
    vu64 r = sel64(isnan64(x), quiet64(x), x);
    for (unsigned i = 0; i < 16; i++)
        if (p[i] == p[i])
            r[i] = SEM_SYM(soft_fma)(p[i], 1.0, __builtin_copysign(0.0, p[i]), (int)n[i],
                                     &SEM_SYM(soft_f64), round);
    return r;
}

VFN(v_ldexp_f64) {
    struct sem_v64 p = load64(a);
    const struct sem_v64 n = widen_i32(clamp_i32(b[0], -3000, 3000));
    HALVES(i) {
        const vu64 x = in64(p.h[i], e);
        p.h[i] = out64(
            SEM_ROUND64_16(e) ? soft_ldexp64(x, n.h[i], SEM_ROUND64_16(e)) : scale64(x, n.h[i]), e);
    }
    store64(d, p);
}

/* --- reciprocal, roots: the correctly rounded value --- */

static inline vu64 sqrt64(vu64 x) {
    return (vu64)host_sqrt64((vf64)x);
}
VD1(v_rcp_f64, out64(nan3_64((vu64)(1.0 / (vf64)x), x, x, x), e))
VD1(v_sqrt_f64, out64(nan3_64(sqrt64(x), x, x, x), e))
VD1(v_rsq_f64, out64(nan3_64((vu64)(1.0 / (vf64)sqrt64(x)), x, x, x), e))

/* --- division helpers: see sem_valu_f32.c --- */

static inline vu64 biased64(vu64 x) {
    return x >> 52 & 0x7ff;
}

static inline vu64 div_scale64(vu64 x, vu64 y, vu64 z, vi64 *mask) {
    const vi64 ey = (vi64)biased64(y), ez = (vi64)biased64(z), diff = ez - ey;
    const vi64 zero = zero64(y) | zero64(z);
    const vi64 is_den = d_eq((vf64)x, (vf64)y), is_num = d_eq((vf64)x, (vf64)z);
    const vi64 huge = ~i64_lt(diff, (vi64)splat64(768));
    const vi64 den_tiny = eq64((vu64)ey, (vu64){0});
    const vi64 rcp_tiny = ~i64_lt(ey, (vi64)splat64(2045));
    const vi64 quot_tiny = i64_lt(diff, (vi64)splat64((uint64_t)-1021));
    const vi64 num_tiny = i64_lt(ez, (vi64)splat64(54));
    const vu64 up = (vu64)((vf64)x * 0x1p128), down = (vu64)((vf64)x * 0x1p-128);
    vu64 r = sel64(num_tiny, up, x);
    r = sel64(quot_tiny, sel64(is_num, up, x), r);
    r = sel64(rcp_tiny, down, r);
    r = sel64(rcp_tiny & quot_tiny, sel64(is_den, down, x), r);
    r = sel64(den_tiny, up, r);
    r = sel64(huge, sel64(is_den, up, x), r);
    r = sel64(zero, splat64(NAN_F64), r);
    *mask = zero | huge | (quot_tiny & ~den_tiny);
    return sel64(isnan64(x), quiet64(x), r);
}

VFN(v_div_scale_f64) {
    struct sem_v64 p = load64(a), m;
    const struct sem_v64 q = load64(b), s = load64(c);
    HALVES(i) {
        vi64 mask;
        p.h[i] = div_scale64(in64(p.h[i], e), in64(q.h[i], e), in64(s.h[i], e), &mask);
        m.h[i] = (vu64)mask;
    }
    e->mask_out = mask_of_lanes((vi32)low32(m));
    store64(d, p);
}

#ifdef SEM_LIFT
/* All lanes at once. Where the result will be denormal the fused result is taken to odd, by the
 * sign of its error, so that the scaling alone rounds it. */
static vu64 scaled_fma64(vu64 r, vu64 x, vu64 y, vu64 z, vi64 mask, SEM_UNUSED int round) {
    const vf64 f = (vf64)r, w = (vf64)z;
    const vf64 p = (vf64)x * (vf64)y, s = p + w, bb = s - p;
    const vf64 sum_error = (p - (s - bb)) + (w - bb);
    const vf64 product_error = (vf64)host_fma64(x, y, (vu64)p ^ SIGN64);
    const vu64 err = (vu64)((s - f) + (sum_error + product_error));
    const vu64 exponent = r >> 52 & 0x7ff;
    /* One bit falls off (exponent 128): it must not become a false tie, so step off odd values. */
    const vu64 last = (r & 1) ^ ((vu64)eq64(exponent, splat64(128)) & 1);
    const vi64 keep = u64_lt(splat64(128), exponent) | zero64(err) | eq64(last, splat64(1));
    const vu64 odd = r + (((vu64)((vi64)(err ^ r) >> 63) | 1) & ~(vu64)keep);
    const vi64 up = u64_lt(splat64(1023), z >> 52 & 0x7ff);
    const vu64 by = sel64(up, splat64(0x47f0000000000000ull), splat64(0x37f0000000000000ull));
    return sel64(mask, (vu64)((vf64)odd * (vf64)by), r);
}
#else
static vu64 scaled_fma64(vu64 r, vu64 x, vu64 y, vu64 z, vi64 mask, int round) {
    const vf64 p = (vf64)x, q = (vf64)y, s = (vf64)z;
    for (unsigned i = 0; i < 16; i++) {
        const int by = (z[i] >> 52 & 0x7ff) > 1023 ? 128 : -128;
        if (mask[i]) r[i] = SEM_SYM(soft_fma)(p[i], q[i], s[i], by, &SEM_SYM(soft_f64), round);
    }
    return r;
}
#endif

VFN(v_div_fmas_f64) {
    struct sem_v64 p = load64(a);
    const struct sem_v64 q = load64(b), s = load64(c);
    const int round = SEM_ROUND64_16(e);
    const struct sem_v64 mask = widen_i32((vu32)lanes_of_mask(e->mask_in));
    HALVES(i) {
        const vu64 x = in64(p.h[i], e), y = in64(q.h[i], e), z = in64(s.h[i], e);
        vu64 r = round ? soft_fma64(x, y, z, round) : host_fma64(x, y, z);
        if (SEM_IN_LIFT || e->mask_in) r = scaled_fma64(r, x, y, z, (vi64)mask.h[i], round);
        p.h[i] = out64(nan3_64(r, x, y, z), e);
    }
    store64(d, p);
}

static inline vu64 underflow64(vu64 sign, int round) {
    if (round == RUP) return sign | (~sign >> 63);
    if (round == RDOWN) return sign | sign >> 63;
    return sign;
}

static inline vu64 div_fixup64(vu64 x, vu64 y, vu64 z, int round) {
    const vu64 sign = (y ^ z) & SIGN64, ym = y & MAG64, zm = z & MAG64;
    const vi64 y0 = zero64(y), z0 = zero64(z);
    const vi64 yi = eq64(ym, splat64(INF64)), zi = eq64(zm, splat64(INF64));
    const vi64 diff = (vi64)(biased64(z) - biased64(y));
    vu64 r = sign | (x & MAG64);
    r = sel64(isnan64(x), sign | INF64, r);
    r = sel64(i64_lt(diff, (vi64)splat64((uint64_t)-1075)), underflow64(sign, round), r);
    r = sel64(yi | z0, sign, r);
    r = sel64(y0 | zi, sign | INF64, r);
    r = sel64((y0 & z0) | (yi & zi), splat64(NAN_F64), r);
    r = sel64(isnan64(y), quiet64(y), r);
    return sel64(isnan64(z), quiet64(z), r);
}

VFN(v_div_fixup_f64) {
    struct sem_v64 p = load64(a);
    const struct sem_v64 q = load64(b), s = load64(c);
    HALVES(i) {
        const vu64 x = in64(p.h[i], e), y = in64(q.h[i], e), z = in64(s.h[i], e);
        p.h[i] = out64(div_fixup64(x, y, z, SEM_ROUND64_16(e)), e);
    }
    store64(d, p);
}

/* --- segments of 2/pi --- */

/* The 1201 bits after the binary point, first bit in the top of the first word. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b0000ull,
};

/* Bits first .. first + 52 after the binary point; zero past the end. */
static uint64_t two_over_pi_bits(unsigned first) {
    const unsigned word = first / 64, bit = first % 64;
    const unsigned n = sizeof two_over_pi / sizeof two_over_pi[0];
    if (word >= n) return 0;
    const uint64_t next = word + 1 < n ? two_over_pi[word + 1] : 0;
    const uint64_t v = bit ? two_over_pi[word] << bit | next >> (64 - bit) : two_over_pi[word];
    return v >> 11;
}

/* Segment b (53 bits each) of 2/pi for arguments of the size of a, as a double at its place. */
VFN(v_trig_preop_f64) {
    vu32 lo, hi;
    for (unsigned i = 0; i < 32; i++) {
        const int exponent = (int)(a[1][i] >> 20 & 0x7ff);
        const unsigned shift =
            (b[0][i] & 31) * 53 + (unsigned)(exponent > 1077 ? exponent - 1077 : 0);
        const int scale = -53 - (int)shift + (exponent >= 1968 ? 128 : 0);
        const double part = (double)two_over_pi_bits(shift);
        const uint64_t r = SEM_SYM(soft_fma)(part, 1.0, 0.0, scale, &SEM_SYM(soft_f64), RNE);
        lo[i] = (uint32_t)r;
        hi[i] = (uint32_t)(r >> 32);
    }
    d[0] = lo;
    d[1] = hi;
}
