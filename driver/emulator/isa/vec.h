/* SPDX-License-Identifier: MIT */
/* vec.h - the few vector idioms that plain vector_size arithmetic does not express. clang turns
 * these into single AVX-512/AVX2 instructions; the other branch is for compilers without its
 * builtins. Lane masks are uint32_t, bit n = lane n. */
#ifndef RAWCL_ISA_VEC_H
#define RAWCL_ISA_VEC_H

#include <string.h>

#include "driver/emulator/isa/sem.h"

#define VEC_LANES 32

static inline vu32 vec_splat(uint32_t x) {
    return (vu32){0} + x;
}

static inline vu32 vec_lane_bits(void) {
    return (vu32){1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
                  1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
                  1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
}

static inline vu32 vec_lane_ids(void) {
    return (vu32){0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
}

#ifdef __clang__
typedef _Bool vec_bool __attribute__((ext_vector_type(32)));

/* m holds 0 or ~0 per lane (a comparison): the lane mask of it. */
static inline uint32_t vec_mask(vi32 m) {
    vec_bool b = __builtin_convertvector(m, vec_bool);
    uint32_t r;
    memcpy(&r, &b, sizeof r);
    return r;
}

static inline vf32 vec_fma(vf32 a, vf32 b, vf32 c) {
    return __builtin_elementwise_fma(a, b, c);
}
#else
static inline uint32_t vec_mask(vi32 m) {
    uint32_t r = 0;
    for (unsigned i = 0; i < VEC_LANES; i++)
        r |= (uint32_t)(m[i] != 0) << i;
    return r;
}

static inline vf32 vec_fma(vf32 a, vf32 b, vf32 c) {
    vf32 r;
    for (unsigned i = 0; i < VEC_LANES; i++)
        r[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return r;
}
#endif

/* ~0 in the lanes whose bit is set, else 0. */
static inline vi32 vec_from_mask(uint32_t mask) {
    return (vi32)((vec_lane_bits() & mask) != 0);
}

/* Per lane: mask ? t : f. */
static inline vu32 vec_select(uint32_t mask, vu32 t, vu32 f) {
    vu32 m = (vu32)vec_from_mask(mask);
    return (t & m) | (f & ~m);
}

#endif
