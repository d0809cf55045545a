/* SPDX-License-Identifier: MIT */
/* sem_math.h - building blocks of the vector ALU semantics (sem_valu_*.c). Not for other files.
 *
 * The sources are compiled several times: for each host level (SEM_SUFFIX tells the copies apart)
 * and to bitcode for the lifter. The lifter's build defines SEM_LIFT and may fix the parts of MODE
 * that change the shape of the code (SEM_FIXED_DENORM32, SEM_FIXED_DENORM64_16, SEM_FIXED_IEEE, and
 * SEM_FIXED_CLAMP for the integer clamp bit; rounding is then nearest even), so that bodies fold to
 * one block. What the host's NaN rules give anyway is left out there. */
#ifndef RAWCL_SEM_MATH_H
#define RAWCL_SEM_MATH_H

#include <string.h>

#include "driver/emulator/isa/sem.h"

#define SEM_UNUSED __attribute__((unused))

/* Defines the vector function of one instruction: d results, a b c sources, e environment. */
#define VFN(name)                                                                                  \
    sem_vfn SEM_SYM(sem_##name);                                                                   \
    void SEM_SYM(sem_##name)(SEM_UNUSED vu32 * d, SEM_UNUSED const vu32 *a,                        \
                             SEM_UNUSED const vu32 *b, SEM_UNUSED const vu32 *c,                   \
                             SEM_UNUSED struct sem_env *e)

/* Sixteen lanes of 64 bits; 32 of them are two. */
typedef uint64_t vu64 __attribute__((vector_size(128)));
typedef int64_t vi64 __attribute__((vector_size(128)));
typedef double vf64 __attribute__((vector_size(128)));

struct sem_v64 {
    vu64 h[2]; /* lanes 0-15, 16-31 */
};

#ifdef SEM_LIFT
#define SEM_IN_LIFT 1
#ifndef SEM_FIXED_DENORM32
#define SEM_FIXED_DENORM32 3
#endif
#ifndef SEM_FIXED_DENORM64_16
#define SEM_FIXED_DENORM64_16 3
#endif
#ifndef SEM_FIXED_IEEE
#define SEM_FIXED_IEEE 1
#endif
#ifndef SEM_FIXED_CLAMP
#define SEM_FIXED_CLAMP 0
#endif
#define SEM_ROUND32(e)     ((void)(e), 0)
#define SEM_ROUND64_16(e)  ((void)(e), 0)
#define SEM_DENORM32(e)    ((void)(e), SEM_FIXED_DENORM32)
#define SEM_DENORM64_16(e) ((void)(e), SEM_FIXED_DENORM64_16)
#define SEM_IEEE(e)        ((void)(e), SEM_FIXED_IEEE)
#define SEM_CLAMP(e)       ((void)(e), SEM_FIXED_CLAMP)
#else
#define SEM_IN_LIFT        0
#define SEM_ROUND32(e)     ((e)->mode.round32)
#define SEM_ROUND64_16(e)  ((e)->mode.round64_16)
#define SEM_DENORM32(e)    ((e)->mode.denorm32)
#define SEM_DENORM64_16(e) ((e)->mode.denorm64_16)
#define SEM_IEEE(e)        ((e)->mode.ieee)
#define SEM_CLAMP(e)       ((e)->cmod)
#endif

/* --- comparisons: all ones where true --- */

/* gcc splits a comparison of vectors wider than the host's into single lanes, but turns a loop into
 * vector code; clang does the reverse. */
#ifdef __clang__
#define SEM_COMPARE_FN(name, in, out, n, op)                                                       \
    static inline out name(in x, in y) {                                                           \
        return x op y;                                                                             \
    }
#else
#define SEM_COMPARE_FN(name, in, out, n, op)                                                       \
    static inline out name(in x, in y) {                                                           \
        out r;                                                                                     \
        for (unsigned i = 0; i < n; i++)                                                           \
            r[i] = x[i] op y[i] ? -1 : 0;                                                          \
        return r;                                                                                  \
    }
#endif
SEM_COMPARE_FN(u_lt, vu32, vi32, 32, <)
SEM_COMPARE_FN(u_le, vu32, vi32, 32, <=)
SEM_COMPARE_FN(i_lt, vi32, vi32, 32, <)
SEM_COMPARE_FN(i_le, vi32, vi32, 32, <=)
SEM_COMPARE_FN(eq, vu32, vi32, 32, ==)
SEM_COMPARE_FN(ne, vu32, vi32, 32, !=)
SEM_COMPARE_FN(f_lt, vf32, vi32, 32, <)
SEM_COMPARE_FN(f_le, vf32, vi32, 32, <=)
SEM_COMPARE_FN(f_eq, vf32, vi32, 32, ==)
SEM_COMPARE_FN(f_ne, vf32, vi32, 32, !=)
SEM_COMPARE_FN(u64_lt, vu64, vi64, 16, <)
SEM_COMPARE_FN(i64_lt, vi64, vi64, 16, <)
SEM_COMPARE_FN(eq64, vu64, vi64, 16, ==)
SEM_COMPARE_FN(d_lt, vf64, vi64, 16, <)
SEM_COMPARE_FN(d_le, vf64, vi64, 16, <=)
SEM_COMPARE_FN(d_eq, vf64, vi64, 16, ==)
SEM_COMPARE_FN(d_ne, vf64, vi64, 16, !=)

static inline vi32 is_zero(vu32 x) {
    return eq(x, (vu32){0});
}
static inline vi32 non_zero(vu32 x) {
    return ne(x, (vu32){0});
}

/* --- selection and masks --- */

static inline vu32 sel(vi32 m, vu32 x, vu32 y) {
    return ((vu32)m & x) | (~(vu32)m & y);
}
static inline vu64 sel64(vi64 m, vu64 x, vu64 y) {
    return ((vu64)m & x) | (~(vu64)m & y);
}

/* Before a loop whose count is a small constant: bodies must have no loop left. */
#ifdef __clang__
#define SEM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SEM_UNROLL _Pragma("GCC unroll 16")
#endif

static inline vu32 splat(uint32_t x) {
    return x - (vu32){0};
}
static inline vu64 splat64(uint64_t x) {
    return x - (vu64){0};
}

/* The same choice for all lanes, without a branch. */
static inline vu32 pick(bool which, vu32 x, vu32 y) {
    return sel((vi32)splat(which ? UINT32_MAX : 0), x, y);
}

/* One bit a lane -> all ones or zero a lane. */
static inline vi32 lanes_of_mask(uint32_t m) {
#if defined(SEM_LIFT) && defined(__clang__)
    typedef bool vb32 __attribute__((ext_vector_type(32)));
    vb32 lanes;
    memcpy(&lanes, &m, sizeof lanes);
    return -__builtin_convertvector(lanes, vi32);
#else
    const vu32 bit = {1u,       1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,
                      1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13,
                      1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
                      1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
                      1u << 28, 1u << 29, 1u << 30, 1u << 31};
    return ne(bit & m, (vu32){0});
#endif
}

#if !defined(__clang__) && defined(__SSE2__)
#include <immintrin.h>
#endif

/* Sign bit of each lane -> one bit a lane. */
static inline uint32_t mask_of_lanes(vi32 m) {
#ifdef __clang__
    typedef bool vb32 __attribute__((ext_vector_type(32)));
    vb32 b = __builtin_convertvector(m < 0, vb32);
    uint32_t r;
    memcpy(&r, &b, sizeof r);
    return r;
#elif defined(__AVX512DQ__)
    __m512i v[2];
    memcpy(v, &m, sizeof v);
    return (uint32_t)_mm512_movepi32_mask(v[0]) | (uint32_t)_mm512_movepi32_mask(v[1]) << 16;
#elif defined(__AVX2__)
    __m256 v[4];
    memcpy(v, &m, sizeof v);
    return (uint32_t)_mm256_movemask_ps(v[0]) | (uint32_t)_mm256_movemask_ps(v[1]) << 8 |
           (uint32_t)_mm256_movemask_ps(v[2]) << 16 | (uint32_t)_mm256_movemask_ps(v[3]) << 24;
#elif defined(__SSE2__)
    __m128 v[8];
    uint32_t r = 0;
    memcpy(v, &m, sizeof v);
    for (unsigned i = 0; i < 8; i++)
        r |= (uint32_t)_mm_movemask_ps(v[i]) << 4 * i;
    return r;
#else
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= ((uint32_t)m[i] >> 31) << i;
    return r;
#endif
}

/* --- 64-bit lanes --- */

static inline struct sem_v64 join64(vu32 lo, vu32 hi) {
    struct sem_v64 r;
#ifdef __clang__
    r.h[0] = (vu64)__builtin_shufflevector(lo, hi, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38,
                                           7, 39, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14,
                                           46, 15, 47);
    r.h[1] = (vu64)__builtin_shufflevector(lo, hi, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53,
                                           22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60,
                                           29, 61, 30, 62, 31, 63);
#else
    for (unsigned i = 0; i < 16; i++)
        r.h[0][i] = lo[i] | (uint64_t)hi[i] << 32;
    for (unsigned i = 0; i < 16; i++)
        r.h[1][i] = lo[16 + i] | (uint64_t)hi[16 + i] << 32;
#endif
    return r;
}

static inline struct sem_v64 load64(const vu32 *s) {
    return join64(s[0], s[1]);
}

/* Truncates 32 lanes to their low dwords. */
static inline vu32 low32(struct sem_v64 v) {
    vu32 lo;
#ifdef __clang__
    lo = __builtin_shufflevector((vu32)v.h[0], (vu32)v.h[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54,
                                 56, 58, 60, 62);
#else
    for (unsigned i = 0; i < 16; i++)
        lo[i] = (uint32_t)v.h[0][i];
    for (unsigned i = 0; i < 16; i++)
        lo[16 + i] = (uint32_t)v.h[1][i];
#endif
    return lo;
}

static inline vu32 high32(struct sem_v64 v) {
    v.h[0] >>= 32;
    v.h[1] >>= 32;
    return low32(v);
}

static inline void store64(vu32 *d, struct sem_v64 v) {
    vu32 lo = low32(v), hi = high32(v);
    d[0] = lo;
    d[1] = hi;
}

static inline struct sem_v64 widen_u32(vu32 x) {
    return join64(x, splat(0));
}
static inline struct sem_v64 widen_i32(vu32 x) {
    return join64(x, (vu32)((vi32)x >> 31));
}

/* --- integer products --- */

/* Even and odd dwords separately: each host multiplies the low dwords of 64-bit lanes. */
static inline vu32 mulhi_u32(vu32 x, vu32 y) {
    const vu64 low = splat64(0xffffffffu), p = (vu64)x, q = (vu64)y;
    const vu64 even = (p & low) * (q & low), odd = (p >> 32) * (q >> 32);
    return (vu32)(even >> 32 | (odd & ~low));
}

static inline vu32 mulhi_i32(vu32 x, vu32 y) {
    vu32 h = mulhi_u32(x, y);
    return h - (y & (vu32)((vi32)x >> 31)) - (x & (vu32)((vi32)y >> 31));
}

static inline vu32 popcount32(vu32 x) {
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}

/* Leading zeros, 32 for zero. */
static inline vu32 clz32(vu32 x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return popcount32(~x);
}

#ifdef __clang__
#define SEM_MINMAX_FN(name, type, op)                                                              \
    static inline vu32 name(vu32 x, vu32 y) {                                                      \
        return sel((type)x op(type) y, x, y);                                                      \
    }
#else
#define SEM_MINMAX_FN(name, type, op)                                                              \
    static inline vu32 name(vu32 x, vu32 y) {                                                      \
        const type p = (type)x, q = (type)y;                                                       \
        type r;                                                                                    \
        for (unsigned i = 0; i < 32; i++)                                                          \
            r[i] = p[i] op q[i] ? p[i] : q[i];                                                     \
        return (vu32)r;                                                                            \
    }
#endif
SEM_MINMAX_FN(umin32, vu32, <)
SEM_MINMAX_FN(umax32, vu32, >)
SEM_MINMAX_FN(imin32, vi32, <)
SEM_MINMAX_FN(imax32, vi32, >)

static inline vu32 sext16(vu32 x) {
    return (vu32)((vi32)(x << 16) >> 16);
}
static inline vu32 zext16(vu32 x) {
    return x & 0xffffu;
}
static inline vu32 pack16(vu32 lo, vu32 hi) {
    return (lo & 0xffffu) | hi << 16;
}

/* Saturation used by the integer clamp bit. */
static inline vu32 clamp_i32(vu32 x, int32_t lo, int32_t hi) {
    return imin32(imax32(x, splat((uint32_t)lo)), splat((uint32_t)hi));
}

#endif
