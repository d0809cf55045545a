/* SPDX-License-Identifier: MIT */
/* sem_test.h - calls vector ALU semantics by mnemonic on arrays of 32 lanes, in every build of them
 * (base, x86-64-v3, x86-64-v4) that this host can run. */
#ifndef RAWCL_SEM_TEST_H
#define RAWCL_SEM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "driver/emulator/isa/sem.h"

#pragma GCC diagnostic ignored "-Wpsabi"

const struct sem_vrow *sem_find_valu_base(const char *name);
extern const struct sem_vrow sem_valu_rows_base[];
extern const unsigned sem_valu_row_count_base;
#ifdef __x86_64__
const struct sem_vrow *sem_find_valu_v3(const char *name);
const struct sem_vrow *sem_find_valu_v4(const char *name);
#endif

enum { LANES = 32 };

#ifdef SEM_TEST_LIFT
/* The build that the lifter uses, instead of the interpreter's. */
const struct sem_vrow *sem_find_valu_lift(const char *name);
#endif

/* How many builds of the semantics the host can run; build 0 is base. */
static inline unsigned sem_builds(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return 3;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 2;
#endif
    return 1;
}

static inline const struct sem_vrow *sem_row(unsigned build, const char *name) {
    const struct sem_vrow *r = NULL;
#ifdef SEM_TEST_LIFT
    (void)build;
    r = sem_find_valu_lift(name);
#else
#ifdef __x86_64__
    if (build == 2) r = sem_find_valu_v4(name);
    if (build == 1) r = sem_find_valu_v3(name);
#endif
    if (build == 0) r = sem_find_valu_base(name);
#endif
    if (!r) fail_msg("no row %s", name);
    return r;
}

/* One call: operands of up to eight dwords of 32 lanes. */
struct sem_call {
    const struct sem_vrow *row;
    uint32_t a[8][LANES] __attribute__((aligned(128)));
    uint32_t b[8][LANES] __attribute__((aligned(128)));
    uint32_t c[8][LANES] __attribute__((aligned(128)));
    uint32_t d[8][LANES] __attribute__((aligned(128)));
    struct sem_env e;
};

/* MODE as OpenCL kernels start: nearest even, all denormals kept, DX10_CLAMP, IEEE. */
static inline void sem_call_init(struct sem_call *s, unsigned build, const char *name) {
    memset(s, 0, sizeof *s);
    s->row = sem_row(build, name);
    s->e.mode =
        (struct sem_mode){.denorm32 = 3, .denorm64_16 = 3, .dx10_clamp = true, .ieee = true};
    s->e.exec = UINT32_MAX;
}

static inline void sem_run(struct sem_call *s) {
    s->row->fn((vu32 *)s->d, (const vu32 *)s->a, (const vu32 *)s->b, (const vu32 *)s->c, &s->e);
}

static inline void sem_set64(uint32_t (*op)[LANES], unsigned lane, uint64_t v) {
    op[0][lane] = (uint32_t)v;
    op[1][lane] = (uint32_t)(v >> 32);
}
static inline uint64_t sem_get64(uint32_t (*op)[LANES], unsigned lane) {
    return op[0][lane] | (uint64_t)op[1][lane] << 32;
}

static inline float f32_of(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint32_t bits_f32(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}
static inline double f64_of(uint64_t u) {
    double f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static inline uint64_t bits_f64(double f) {
    uint64_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* xorshift64*, fixed seed: the same values on every run. */
static inline uint64_t sem_random(void) {
    static uint64_t s = 0x9e3779b97f4a7c15u;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    return s * 0x2545f4914f6cdd1du;
}

static const uint32_t sem_edge32[] = {
    0,          1,          2,          3,          15,         16,         31,         32,
    33,         0x7f,       0x80,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,
    0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000,  0x7ffffffe, 0x7fffffff, 0x80000000,
    0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x40000000, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffbfffff, 0x7f7fffff, 0xff7fffff, 0x00000001,
    0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x33800000, 0x4b000000, 0x4b000001,
    0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x3f7fffff, 0x3effffff,
    0x0c800000, 0x7e800000, 0x7f000000, 0x00ffffff, 0x01020304, 0xdeadbeef, 0x12345678, 0xa5a5a5a5};
enum { EDGES32 = sizeof sem_edge32 / sizeof sem_edge32[0] };

/* Half edge values, half random; for floats the exponents come out well spread. */
static inline uint32_t sem_pick32(void) {
    uint64_t r = sem_random();
    return r & 1 ? sem_edge32[(r >> 8) % EDGES32] : (uint32_t)(r >> 32);
}

/* An f64 operand: edge values, denormals, random. */
static inline uint64_t sem_pick64(void) {
    static const uint64_t edge[] = {0,
                                    0x8000000000000000,
                                    1,
                                    0x8000000000000001,
                                    0x000fffffffffffff,
                                    0x0010000000000000,
                                    0x8010000000000000,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    0x3fe0000000000000,
                                    0x7fefffffffffffff,
                                    0xffefffffffffffff,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x7ff8000000000000,
                                    0xfff8000000000123,
                                    0x7ff0000000000001,
                                    0xfff7ffffffffffff,
                                    0x41dfffffffc00000,
                                    0xc1e0000000000000,
                                    0x41efffffffe00000,
                                    0x4330000000000000,
                                    0x4340000000000001,
                                    0x3fefffffffffffff,
                                    0x7fe0000000000000,
                                    0x0360000000000000};
    uint64_t r = sem_random();
    return r & 1 ? edge[(r >> 8) % (sizeof edge / sizeof edge[0])] : sem_random();
}

#endif
