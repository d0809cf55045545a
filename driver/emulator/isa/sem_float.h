/* SPDX-License-Identifier: MIT */
/* sem_float.h - floating point building blocks of the vector ALU semantics: classes, NaN rules,
 * denormal flush, rounding other than to nearest. For sem_valu_*.c only.
 *
 * The host runs with its default environment: round to nearest even, denormals kept. */
#ifndef RAWCL_SEM_FLOAT_H
#define RAWCL_SEM_FLOAT_H

#include "driver/emulator/isa/sem_math.h"

/* The NaN of an invalid operation (0 * inf, inf - inf, 0 / 0): negative, as the ISA guides give for
 * V_DIV_FIXUP. */
#define NAN_F32 0xffc00000u
#define NAN_F64 0xfff8000000000000ull
#define NAN_F16 0xfe00u

#if defined(__clang__) && __clang_major__ >= 18
#define SEM_VECTOR_BUILTINS 1
#endif

/* Rounding, the encoding of MODE. */
enum { RNE, RUP, RDOWN, RZERO };

/* Target of the slow path: a binary format narrower than or equal to binary64. */
struct soft_format {
    int precision; /* significand bits with the hidden one */
    int emin;      /* exponent of the smallest normal number */
    int emax;
    int bits; /* width of the encoding */
};

/* a * b + c * 2^0, times 2^scale, rounded once to the format; exact for any double operands.
 * An infinite or NaN operand gives what IEEE 754 says, NaNs without payload. */
uint64_t SEM_SYM(soft_fma)(double a, double b, double c, int scale, const struct soft_format *f,
                           int round);
extern const struct soft_format SEM_SYM(soft_f16), SEM_SYM(soft_f32), SEM_SYM(soft_f64);

/* Applies a function of one float to each lane. gcc: the scalar builtin in a loop, clang (recent
 * enough): its own vector builtin. */
#ifdef SEM_VECTOR_BUILTINS
#define SEM_MAP_FN(name, type, n, scalar, elementwise)                                             \
    static inline type name(type x) {                                                              \
        return elementwise(x);                                                                     \
    }
#else
#define SEM_MAP_FN(name, type, n, scalar, elementwise)                                             \
    static inline type name(type x) {                                                              \
        type r;                                                                                    \
        for (unsigned i = 0; i < n; i++)                                                           \
            r[i] = scalar(x[i]);                                                                   \
        return r;                                                                                  \
    }
#endif
SEM_MAP_FN(host_floor32, vf32, 32, __builtin_floorf, __builtin_elementwise_floor)
SEM_MAP_FN(host_ceil32, vf32, 32, __builtin_ceilf, __builtin_elementwise_ceil)
SEM_MAP_FN(host_trunc32, vf32, 32, __builtin_truncf, __builtin_elementwise_trunc)
SEM_MAP_FN(host_rint32, vf32, 32, __builtin_rintf, __builtin_elementwise_rint)
SEM_MAP_FN(host_sqrt32, vf32, 32, __builtin_sqrtf, __builtin_elementwise_sqrt)
SEM_MAP_FN(host_floor64, vf64, 16, __builtin_floor, __builtin_elementwise_floor)
SEM_MAP_FN(host_ceil64, vf64, 16, __builtin_ceil, __builtin_elementwise_ceil)
SEM_MAP_FN(host_trunc64, vf64, 16, __builtin_trunc, __builtin_elementwise_trunc)
SEM_MAP_FN(host_rint64, vf64, 16, __builtin_rint, __builtin_elementwise_rint)
SEM_MAP_FN(host_sqrt64, vf64, 16, __builtin_sqrt, __builtin_elementwise_sqrt)

/* --- binary32 --- */

static inline vi32 isnan32(vu32 x) {
    return u_lt(splat(0x7f800000u), x & 0x7fffffffu);
}
static inline vi32 isinf32(vu32 x) {
    return eq(x & 0x7fffffffu, splat(0x7f800000u));
}
static inline vi32 issnan32(vu32 x) {
    return u_lt((x & 0x7fffffffu) - 0x7f800001u, splat(0x003fffffu));
}
static inline vu32 quiet32(vu32 x) {
    return x | 0x00400000u;
}

/* Denormals become zero of the same sign. */
static inline vu32 ftz32(vu32 x) {
    return x & ~((vu32)is_zero(x & 0x7f800000u) & 0x7fffffffu);
}
static inline vu32 in32(vu32 x, const struct sem_env *e) {
    return SEM_DENORM32(e) & 1 ? x : ftz32(x);
}
static inline vu32 out32(vu32 x, const struct sem_env *e) {
    return SEM_DENORM32(e) & 2 ? x : ftz32(x);
}

/* The result of an operation whose NaNs come from its operands: the first NaN operand, quieted. */
static inline vu32 nan1_32(vu32 r, vu32 x) {
#ifdef SEM_LIFT
    (void)x;
    return r;
#else
    r = sel(isnan32(r), splat(NAN_F32), r);
    return sel(isnan32(x), quiet32(x), r);
#endif
}
static inline vu32 nan2_32(vu32 r, vu32 x, vu32 y) {
#ifdef SEM_LIFT
    /* The host passes on the first NaN too, but LLVM may swap the operands, and takes x * -1 for a
     * change of sign. */
    r = sel(f_ne((vf32)y, (vf32)y), quiet32(y), r);
    return sel(f_ne((vf32)x, (vf32)x), quiet32(x), r);
#else
    r = sel(isnan32(r), splat(NAN_F32), r);
    r = sel(isnan32(y), quiet32(y), r);
    return sel(isnan32(x), quiet32(x), r);
#endif
}
static inline vu32 nan3_32(vu32 r, vu32 x, vu32 y, vu32 z) {
#ifdef SEM_LIFT
    (void)z;
    r = sel(f_ne((vf32)y, (vf32)y), quiet32(y), r);
    return sel(f_ne((vf32)x, (vf32)x), quiet32(x), r);
#else
    r = sel(isnan32(r), splat(NAN_F32), r);
    r = sel(isnan32(z), quiet32(z), r);
    r = sel(isnan32(y), quiet32(y), r);
    return sel(isnan32(x), quiet32(x), r);
#endif
}

static inline vu32 host_fma32(vu32 x, vu32 y, vu32 z) {
#ifdef SEM_VECTOR_BUILTINS
    return (vu32)__builtin_elementwise_fma((vf32)x, (vf32)y, (vf32)z);
#else
    const vf32 p = (vf32)x, q = (vf32)y, s = (vf32)z;
    vf32 r;
    for (unsigned i = 0; i < 32; i++)
        r[i] = __builtin_fmaf(p[i], q[i], s[i]);
    return (vu32)r;
#endif
}

static inline vu32 soft_fma32(vu32 x, vu32 y, vu32 z, int round) {
    const vf32 p = (vf32)x, q = (vf32)y, s = (vf32)z;
    vu32 r;
    for (unsigned i = 0; i < 32; i++)
        r[i] = (uint32_t)SEM_SYM(soft_fma)(p[i], q[i], s[i], 0, &SEM_SYM(soft_f32), round);
    return r;
}

/* The sign of the product, as a zero that leaves it unchanged when added. */
static inline vu32 product_zero32(vu32 x, vu32 y) {
    return (x ^ y) & 0x80000000u;
}

/* Sum, product and fused product of values whose denormals have been treated by in32. */
static inline vu32 add32(vu32 x, vu32 y, const struct sem_env *e) {
    const vu32 r = SEM_ROUND32(e) ? soft_fma32(x, splat(0x3f800000u), y, SEM_ROUND32(e))
                                  : (vu32)((vf32)x + (vf32)y);
    return out32(nan2_32(r, x, y), e);
}
static inline vu32 mul32(vu32 x, vu32 y, const struct sem_env *e) {
    const vu32 r = SEM_ROUND32(e) ? soft_fma32(x, y, product_zero32(x, y), SEM_ROUND32(e))
                                  : (vu32)((vf32)x * (vf32)y);
    return out32(nan2_32(r, x, y), e);
}
static inline vu32 fma32(vu32 x, vu32 y, vu32 z, const struct sem_env *e) {
    const vu32 r = SEM_ROUND32(e) ? soft_fma32(x, y, z, SEM_ROUND32(e)) : host_fma32(x, y, z);
    return out32(nan3_32(r, x, y, z), e);
}

/* Order of all numbers with -0 < +0, as signed integers. */
static inline vi32 order32(vu32 x) {
    return (vi32)(x ^ (vu32)((vi32)x >> 31) >> 1);
}

/* --- binary64, sixteen lanes --- */

static inline vi64 isnan64(vu64 x) {
    return u64_lt(splat64(0x7ff0000000000000ull), x & 0x7fffffffffffffffull);
}
static inline vi64 issnan64(vu64 x) {
    return u64_lt((x & 0x7fffffffffffffffull) - 0x7ff0000000000001ull,
                  splat64(0x0007ffffffffffffull));
}
static inline vu64 quiet64(vu64 x) {
    return x | 0x0008000000000000ull;
}
static inline vu64 ftz64(vu64 x) {
    return x & ~((vu64)eq64(x & 0x7ff0000000000000ull, (vu64){0}) & 0x7fffffffffffffffull);
}
static inline vu64 in64(vu64 x, const struct sem_env *e) {
    return SEM_DENORM64_16(e) & 1 ? x : ftz64(x);
}
static inline vu64 out64(vu64 x, const struct sem_env *e) {
    return SEM_DENORM64_16(e) & 2 ? x : ftz64(x);
}

static inline vu64 nan3_64(vu64 r, vu64 x, vu64 y, vu64 z) {
#ifdef SEM_LIFT
    (void)z;
    r = sel64(d_ne((vf64)y, (vf64)y), quiet64(y), r);
    return sel64(d_ne((vf64)x, (vf64)x), quiet64(x), r);
#else
    r = sel64(isnan64(r), splat64(NAN_F64), r);
    r = sel64(isnan64(z), quiet64(z), r);
    r = sel64(isnan64(y), quiet64(y), r);
    return sel64(isnan64(x), quiet64(x), r);
#endif
}

static inline vu64 host_fma64(vu64 x, vu64 y, vu64 z) {
#ifdef SEM_VECTOR_BUILTINS
    return (vu64)__builtin_elementwise_fma((vf64)x, (vf64)y, (vf64)z);
#else
    const vf64 p = (vf64)x, q = (vf64)y, s = (vf64)z;
    vf64 r;
    for (unsigned i = 0; i < 16; i++)
        r[i] = __builtin_fma(p[i], q[i], s[i]);
    return (vu64)r;
#endif
}

static inline vu64 soft_fma64(vu64 x, vu64 y, vu64 z, int round) {
    const vf64 p = (vf64)x, q = (vf64)y, s = (vf64)z;
    vu64 r;
    for (unsigned i = 0; i < 16; i++)
        r[i] = SEM_SYM(soft_fma)(p[i], q[i], s[i], 0, &SEM_SYM(soft_f64), round);
    return r;
}

static inline vi64 order64(vu64 x) {
    return (vi64)(x ^ (vu64)((vi64)x >> 63) >> 1);
}

/* --- binary16, in the low half of a dword --- */

static inline vi32 isnan16(vu32 x) {
    return u_lt(splat(0x7c00u), x & 0x7fffu);
}
static inline vi32 issnan16(vu32 x) {
    return u_lt((x & 0x7fffu) - 0x7c01u, splat(0x01ffu));
}
static inline vu32 quiet16(vu32 x) {
    return x | 0x0200u;
}
static inline vu32 ftz16(vu32 x) {
    return x & ~((vu32)is_zero(x & 0x7c00u) & 0x7fffu);
}
/* Also drops what is above the half. */
static inline vu32 in16(vu32 x, const struct sem_env *e) {
    x &= 0xffffu;
    return SEM_DENORM64_16(e) & 1 ? x : ftz16(x);
}
static inline vu32 out16(vu32 x, const struct sem_env *e) {
    return SEM_DENORM64_16(e) & 2 ? x : ftz16(x);
}
static inline vi32 order16(vu32 x) {
    const vi32 s = (vi32)sext16(x);
    return s ^ (s >> 31 & 0x7fff);
}

/* Exact; a NaN keeps its payload and its signalling bit. */
static inline vu32 widen_f16(vu32 h) {
    const vu32 sign = (h & 0x8000u) << 16, mag = h & 0x7fffu;
    const vu32 tiny = (vu32)(__builtin_convertvector((vi32)mag, vf32) * 0x1p-24f);
    vu32 r = (mag << 13) + (112u << 23);
    r = sel(u_lt(mag, splat(0x0400u)), tiny, r);
    return sign | sel(u_lt(splat(0x7bffu), mag), r + (112u << 23), r);
}

/* Towards zero; magnitude only, finite or infinite. */
static inline vu32 truncate_f16(vu32 mag) {
    const vi32 tiny = u_lt(mag, splat(113u << 23));
    const vf32 scaled = (vf32)(mag & (vu32)tiny) * 0x1p24f;
    const vu32 small = (vu32) __builtin_convertvector(scaled, vi32);
    vu32 r = sel(tiny, small, (mag - (112u << 23)) >> 13);
    r = sel(u_lt(splat(0x477fffffu), mag), splat(0x7bffu), r);
    return sel(eq(mag, splat(0x7f800000u)), splat(0x7c00u), r);
}

static inline vu32 nearest_f16(vu32 mag) {
    const vu32 odd = mag >> 13 & 1;
    const vu32 small = (vu32)((vf32)mag + 0.5f) - 0x3f000000u;
    vu32 r = (mag - (112u << 23) + 0xfffu + odd) >> 13;
    r = sel(u_lt(mag, splat(113u << 23)), small, r);
    return sel(u_lt(splat(0x477fffffu), mag), splat(0x7c00u), r);
}

/* binary32 to binary16 in any rounding; a NaN keeps the top of its payload and becomes quiet. */
static inline vu32 narrow_f16(vu32 x, int round) {
    const vu32 sign = x >> 16 & 0x8000u, mag = x & 0x7fffffffu;
    const vi32 nan = isnan32(x);
    const vu32 m = mag & ~(vu32)nan;
    vu32 r;
    if (round == RNE) {
        r = nearest_f16(m);
    } else {
        r = truncate_f16(m);
        const vu32 inexact = (vu32)ne(widen_f16(r), m) & 1;
        if (round == RUP) r += inexact & ~(sign >> 15);
        if (round == RDOWN) r += inexact & sign >> 15;
    }
    return sign | sel(nan, 0x7e00u | (mag >> 13 & 0x3ffu), r);
}

/* A float with the sum's error folded into the last bit (rounding to odd), so that a second
 * rounding to at most 22 bits equals one rounding of the exact sum. */
static inline vu32 sum_to_odd(vu32 x, vu32 y) {
    const vf32 p = (vf32)x, q = (vf32)y, s = p + q;
    const vf32 bb = s - p;
    const vu32 err = (vu32)((p - (s - bb)) + (q - bb));
    const vu32 r = (vu32)s;
    const vi32 fix =
        non_zero(err << 1) & is_zero(r & 1) & u_lt(r & 0x7fffffffu, splat(0x7f800000u));
    const vu32 step = (vu32)((vi32)(err ^ r) >> 31) | 1;
    return r + (step & (vu32)fix);
}

static inline vu32 nan3_16(vu32 r, vu32 x, vu32 y, vu32 z) {
    r = sel(isnan16(r), splat(NAN_F16), r);
    r = sel(isnan16(z), quiet16(z), r);
    r = sel(isnan16(y), quiet16(y), r);
    return sel(isnan16(x), quiet16(x), r);
}

/* Fused product and sum of halves whose denormals have been treated by in16: the product of two is
 * exact in binary32, the sum is rounded once. */
static inline vu32 fma16(vu32 x, vu32 y, vu32 z, const struct sem_env *e) {
    const int round = SEM_ROUND64_16(e);
    const vu32 p = (vu32)((vf32)widen_f16(x) * (vf32)widen_f16(y)), w = widen_f16(z);
    vu32 s = sum_to_odd(p, w);
    if (round == RDOWN) s |= (vu32)is_zero(s << 1) & (p ^ w) & 0x80000000u;
    return out16(nan3_16(narrow_f16(s, round), x, y, z), e);
}
static inline vu32 mul16(vu32 x, vu32 y, const struct sem_env *e) {
    const vu32 p = (vu32)((vf32)widen_f16(x) * (vf32)widen_f16(y));
    return out16(nan3_16(narrow_f16(p, SEM_ROUND64_16(e)), x, y, splat(0)), e);
}
static inline vu32 add16(vu32 x, vu32 y, const struct sem_env *e) {
    if (SEM_ROUND64_16(e)) return fma16(x, splat(0x3c00u), y, e);
    const vu32 s = (vu32)((vf32)widen_f16(x) + (vf32)widen_f16(y));
    return out16(nan3_16(narrow_f16(s, RNE), x, y, splat(0)), e);
}

/* --- conversions between formats, 32 lanes --- */

struct sem_d64 {
    vf64 h[2];
};

#ifdef __clang__
typedef float vf32h __attribute__((vector_size(64)));
typedef int32_t vi32h __attribute__((vector_size(64)));
#define SEM_LOW_LANES(x)                                                                           \
    __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define SEM_HIGH_LANES(x)                                                                          \
    __builtin_shufflevector(x, x, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
#define SEM_JOIN_LANES(x, y)                                                                       \
    __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,    \
                            18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
#endif

static inline struct sem_d64 widen_f32(vu32 x) {
    const vf32 f = (vf32)x;
    struct sem_d64 r;
#ifdef __clang__
    r.h[0] = __builtin_convertvector(SEM_LOW_LANES(f), vf64);
    r.h[1] = __builtin_convertvector(SEM_HIGH_LANES(f), vf64);
#else
    for (unsigned i = 0; i < 16; i++)
        r.h[0][i] = f[i];
    for (unsigned i = 0; i < 16; i++)
        r.h[1][i] = f[16 + i];
#endif
    return r;
}

static inline vu32 narrow_f32(struct sem_d64 x) {
#ifdef __clang__
    const vf32h lo = __builtin_convertvector(x.h[0], vf32h);
    const vf32h hi = __builtin_convertvector(x.h[1], vf32h);
    return (vu32)SEM_JOIN_LANES(lo, hi);
#else
    vf32 f;
    for (unsigned i = 0; i < 16; i++)
        f[i] = (float)x.h[0][i];
    for (unsigned i = 0; i < 16; i++)
        f[16 + i] = (float)x.h[1][i];
    return (vu32)f;
#endif
}

static inline struct sem_d64 widen_int(vu32 x) {
    const vi32 v = (vi32)x;
    struct sem_d64 r;
#ifdef __clang__
    r.h[0] = __builtin_convertvector(SEM_LOW_LANES(v), vf64);
    r.h[1] = __builtin_convertvector(SEM_HIGH_LANES(v), vf64);
#else
    for (unsigned i = 0; i < 16; i++)
        r.h[0][i] = v[i];
    for (unsigned i = 0; i < 16; i++)
        r.h[1][i] = v[16 + i];
#endif
    return r;
}

/* Truncates doubles that fit. */
static inline vu32 double_to_int(struct sem_d64 x) {
#ifdef __clang__
    const vi32h lo = __builtin_convertvector(x.h[0], vi32h);
    const vi32h hi = __builtin_convertvector(x.h[1], vi32h);
    return (vu32)SEM_JOIN_LANES(lo, hi);
#else
    vi32 r;
    for (unsigned i = 0; i < 16; i++)
        r[i] = (int32_t)x.h[0][i];
    for (unsigned i = 0; i < 16; i++)
        r[16 + i] = (int32_t)x.h[1][i];
    return (vu32)r;
#endif
}

/* Rounds doubles to binary32 by MODE's rounding `round`; the sign of zero and NaN payloads are the
 * host's (a NaN keeps its upper bits and becomes quiet). */
static inline vu32 round_f32(struct sem_d64 x, int round) {
    if (!round) return narrow_f32(x);
    vu32 r = narrow_f32(x);
    for (unsigned i = 0; i < 32; i++) {
        const double v = x.h[i / 16][i % 16];
        if (v == v)
            r[i] = (uint32_t)SEM_SYM(soft_fma)(v, 1.0, __builtin_copysign(0.0, v), 0,
                                               &SEM_SYM(soft_f32), round);
    }
    return r;
}

#endif
