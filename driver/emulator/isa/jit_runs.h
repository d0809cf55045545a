/* SPDX-License-Identifier: MIT */
/* jit_runs.h - 32 consecutive values in memory, for jit_inline.c. */
#ifndef RAWCL_ISA_JIT_RUNS_H
#define RAWCL_ISA_JIT_RUNS_H

#include <string.h>

#include "driver/emulator/isa/mem_ops.h"
#include "driver/emulator/isa/vec.h"

#define INLINE static inline __attribute__((always_inline))

typedef uint8_t v8 __attribute__((vector_size(32)));
typedef uint16_t v16 __attribute__((vector_size(64)));
typedef uint32_t v4x16 __attribute__((vector_size(64)));

INLINE v4x16 load16(const uint8_t *p) {
    v4x16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE vu32 join16(v4x16 a, v4x16 b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                                   17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}

#define EVEN16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD16  1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOW16  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

/* Consecutive values of 1, 2, 3 or 4 dwords. */
INLINE void load_run(const uint8_t *p, unsigned dwords, vu32 *out) {
    if (dwords == 1) {
        memcpy(out, p, sizeof *out);
        return;
    }
    v4x16 r[4][2];
    for (unsigned h = 0; h < 2; h++, p += 64 * dwords) {
        v4x16 z[4];
        for (unsigned j = 0; j < dwords; j++)
            z[j] = load16(p + 64 * j);
        if (dwords == 2) {
            r[0][h] = __builtin_shufflevector(z[0], z[1], EVEN16);
            r[1][h] = __builtin_shufflevector(z[0], z[1], ODD16);
        } else if (dwords == 4) {
            v4x16 e0 = __builtin_shufflevector(z[0], z[1], EVEN16);
            v4x16 o0 = __builtin_shufflevector(z[0], z[1], ODD16);
            v4x16 e1 = __builtin_shufflevector(z[2], z[3], EVEN16);
            v4x16 o1 = __builtin_shufflevector(z[2], z[3], ODD16);
            r[0][h] = __builtin_shufflevector(e0, e1, EVEN16);
            r[2][h] = __builtin_shufflevector(e0, e1, ODD16);
            r[1][h] = __builtin_shufflevector(o0, o1, EVEN16);
            r[3][h] = __builtin_shufflevector(o0, o1, ODD16);
        }
    }
    for (unsigned j = 0; j < dwords; j++)
        out[j] = join16(r[j][0], r[j][1]);
}

INLINE void store_run(uint8_t *p, unsigned dwords, const vu32 *v) {
    if (dwords == 1) {
        memcpy(p, v, sizeof *v);
        return;
    }
    for (unsigned h = 0; h < 2; h++, p += 64 * dwords) {
        v4x16 z[4], r[4];
        for (unsigned j = 0; j < dwords; j++)
            memcpy(&z[j], (const uint8_t *)&v[j] + 64 * h, 64);
        if (dwords == 2) {
            r[0] = __builtin_shufflevector(z[0], z[1], LOW16);
            r[1] = __builtin_shufflevector(z[0], z[1], HIGH16);
        } else {
            v4x16 a = __builtin_shufflevector(z[0], z[2], LOW16);
            v4x16 b = __builtin_shufflevector(z[1], z[3], LOW16);
            v4x16 c = __builtin_shufflevector(z[0], z[2], HIGH16);
            v4x16 d = __builtin_shufflevector(z[1], z[3], HIGH16);
            r[0] = __builtin_shufflevector(a, b, LOW16);
            r[1] = __builtin_shufflevector(a, b, HIGH16);
            r[2] = __builtin_shufflevector(c, d, LOW16);
            r[3] = __builtin_shufflevector(c, d, HIGH16);
        }
        for (unsigned j = 0; j < dwords; j++)
            memcpy(p + 64 * j, &r[j], 64);
    }
}

INLINE vu32 load_small_run(const uint8_t *p, unsigned size) {
    if (size == 1) {
        v8 b;
        memcpy(&b, p, sizeof b);
        return __builtin_convertvector(b, vu32);
    }
    v16 w;
    memcpy(&w, p, sizeof w);
    return __builtin_convertvector(w, vu32);
}

INLINE void store_whole_run(uint8_t *p, unsigned size, enum mem_ext ext, const vu32 *v) {
    unsigned shift = ext == MEM_D16_HI_B16 ? 16 : 0;
    if (size >= 4) {
        store_run(p, size / 4, v);
    } else if (size == 2) {
        v16 w = __builtin_convertvector(*v >> shift, v16);
        memcpy(p, &w, sizeof w);
    } else {
        v8 b = __builtin_convertvector(*v >> shift & 0xff, v8);
        memcpy(p, &b, sizeof b);
    }
}

#endif
