/* SPDX-License-Identifier: MIT */
/* sem_float_test.c - binary32 and binary64 arithmetic in every rounding and denormal mode against
 * the host's own arithmetic (fesetround), minimum and maximum against the ISA guide's pseudocode,
 * and the division sequences that LLVM emits against correctly rounded division. */
#include <fenv.h>
#include <math.h>

#include "tests/isa/sem_test.h"

static const int host_round[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static uint32_t flush32(uint32_t x) {
    return x & 0x7f800000 ? x : x & 0x80000000;
}
static uint64_t flush64(uint64_t x) {
    return x & 0x7ff0000000000000 ? x : x & 0x8000000000000000;
}
static int nan32(uint32_t x) {
    return (x & 0x7fffffff) > 0x7f800000;
}
static int snan32(uint32_t x) {
    return nan32(x) && !(x & 0x400000);
}
static int nan64(uint64_t x) {
    return (x & INT64_MAX) > 0x7ff0000000000000;
}
static int snan64(uint64_t x) {
    return nan64(x) && !(x & 0x8000000000000);
}

/* noinline and volatile: the host must round in the mode set. */
static __attribute__((noinline)) float op32(int op, float a, float b, float c) {
    volatile float x = a, y = b, z = c;
    switch (op) {
    case 0:
        return x + y;
    case 1:
        return x - y;
    case 2:
        return y - x;
    case 3:
        return x * y;
    default:
        return fmaf(x, y, z);
    }
}
static __attribute__((noinline)) double op64(int op, double a, double b, double c) {
    volatile double x = a, y = b, z = c;
    return op == 0 ? x + y : op == 3 ? x * y : fma(x, y, z);
}

/* What MODE makes of it: denormals flushed before and after, the first NaN operand quieted. */
static uint32_t expect32(int op, uint32_t a, uint32_t b, uint32_t c, struct sem_mode m) {
    if (!(m.denorm32 & 1)) a = flush32(a), b = flush32(b), c = flush32(c);
    if (op == 2) {
        uint32_t t = a;
        a = b, b = t;
    }
    if (nan32(a)) return a | 0x400000;
    if (nan32(b)) return b | 0x400000;
    if (op == 4 && nan32(c)) return c | 0x400000;
    fesetround(host_round[m.round32]);
    uint32_t r = bits_f32(op32(op == 2 ? 1 : op, f32_of(a), f32_of(b), f32_of(c)));
    fesetround(FE_TONEAREST);
    if (nan32(r)) return 0xffc00000;
    return m.denorm32 & 2 ? r : flush32(r);
}
static uint64_t expect64(int op, uint64_t a, uint64_t b, uint64_t c, struct sem_mode m) {
    if (!(m.denorm64_16 & 1)) a = flush64(a), b = flush64(b), c = flush64(c);
    if (nan64(a)) return a | 0x8000000000000;
    if (nan64(b)) return b | 0x8000000000000;
    if (op == 4 && nan64(c)) return c | 0x8000000000000;
    fesetround(host_round[m.round64_16]);
    uint64_t r = bits_f64(op64(op, f64_of(a), f64_of(b), f64_of(c)));
    fesetround(FE_TONEAREST);
    if (nan64(r)) return 0xfff8000000000000;
    return m.denorm64_16 & 2 ? r : flush64(r);
}

static void arithmetic_32(void **state) {
    (void)state;
    static const char *const names[] = {"V_ADD_F32", "V_SUB_F32", "V_SUBREV_F32", "V_MUL_F32",
                                        "V_FMA_F32"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int op = 0; op < 5; op++)
            for (unsigned mode = 0; mode < 16; mode++) {
                sem_call_init(&s, build, names[op]);
                s.e.mode.round32 = mode & 3;
                s.e.mode.denorm32 = (uint8_t)(mode >> 2);
                for (unsigned n = 0; n < 150; n++) {
                    for (unsigned i = 0; i < LANES; i++) {
                        s.a[0][i] = sem_pick32();
                        s.b[0][i] = sem_pick32();
                        s.c[0][i] = sem_pick32();
                        /* Exponents near each other, so that sums round and cancel. */
                        if (n & 1) {
                            s.b[0][i] = (s.b[0][i] & 0x81ffffff) | (s.a[0][i] & 0x7e000000);
                            s.c[0][i] = (s.c[0][i] & 0x83ffffff) | (s.a[0][i] & 0x7c000000);
                        }
                    }
                    sem_run(&s);
                    for (unsigned i = 0; i < LANES; i++) {
                        uint32_t want = expect32(op, s.a[0][i], s.b[0][i], s.c[0][i], s.e.mode);
                        if (s.d[0][i] != want)
                            fail_msg("%s mode %u (%08x %08x %08x): %08x, expected %08x", names[op],
                                     mode, s.a[0][i], s.b[0][i], s.c[0][i], s.d[0][i], want);
                    }
                }
            }
}

static void arithmetic_64(void **state) {
    (void)state;
    static const char *const names[] = {"V_ADD_F64", NULL, NULL, "V_MUL_F64", "V_FMA_F64"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int op = 0; op < 5; op++)
            for (unsigned mode = 0; mode < 16 && names[op]; mode++) {
                sem_call_init(&s, build, names[op]);
                s.e.mode.round64_16 = mode & 3;
                s.e.mode.denorm64_16 = (uint8_t)(mode >> 2);
                for (unsigned n = 0; n < 150; n++) {
                    for (unsigned i = 0; i < LANES; i++) {
                        uint64_t a = sem_pick64(), b = sem_pick64(), c = sem_pick64();
                        if (n & 1) {
                            b = (b & 0x83ffffffffffffff) | (a & 0x7c00000000000000);
                            c = (c & 0x83ffffffffffffff) | (a & 0x7c00000000000000);
                        }
                        sem_set64(s.a, i, a);
                        sem_set64(s.b, i, b);
                        sem_set64(s.c, i, c);
                    }
                    sem_run(&s);
                    for (unsigned i = 0; i < LANES; i++) {
                        uint64_t a = sem_get64(s.a, i), b = sem_get64(s.b, i),
                                 c = sem_get64(s.c, i);
                        uint64_t want = expect64(op, a, b, c, s.e.mode), got = sem_get64(s.d, i);
                        if (got != want)
                            fail_msg("%s mode %u (%lx %lx %lx): %lx, expected %lx", names[op], mode,
                                     a, b, c, got, want);
                    }
                }
            }
}

/* --- minimum and maximum --- */

static int less32(uint32_t a, uint32_t b) {
    float x = f32_of(a), y = f32_of(b);
    return x < y || (x == 0 && y == 0 && a >> 31 && !(b >> 31));
}
static uint32_t pick32(int max, uint32_t a, uint32_t b) {
    return (max ? less32(b, a) : less32(a, b)) ? a : b;
}
static uint32_t minmax11(int max, uint32_t a, uint32_t b, int ieee) {
    if (ieee) {
        if (snan32(a)) return a | 0x400000;
        if (snan32(b)) return b | 0x400000;
    }
    if (nan32(b)) return a;
    if (nan32(a)) return b;
    return pick32(max, a, b);
}
static uint32_t minmax_num(int max, uint32_t a, uint32_t b, int ieee) {
    (void)ieee;
    if (nan32(a) && nan32(b)) return a | 0x400000;
    if (nan32(a)) return b;
    if (nan32(b)) return a;
    return pick32(max, a, b);
}
static uint32_t minmaximum(int max, uint32_t a, uint32_t b, int ieee) {
    (void)ieee;
    if (snan32(a)) return a | 0x400000;
    if (snan32(b)) return b | 0x400000;
    if (nan32(a)) return a;
    if (nan32(b)) return b;
    return pick32(max, a, b);
}
typedef uint32_t minmax_fn(int max, uint32_t a, uint32_t b, int ieee);
static uint32_t median(minmax_fn *f, uint32_t a, uint32_t b, uint32_t c, int ieee) {
    if (nan32(a) || nan32(b) || nan32(c)) return f(0, f(0, a, b, ieee), c, ieee);
    float m = f32_of(f(1, f(1, a, b, ieee), c, ieee));
    if (m == f32_of(a)) return f(1, b, c, ieee);
    if (m == f32_of(b)) return f(1, a, c, ieee);
    return f(1, a, b, ieee);
}

/* shape: 0 two operands, 1 min3/max3, 2 the opposite last (maxmin), 3 median. */
static const struct minmax_case {
    const char *name;
    minmax_fn *fn;
    int max, shape;
} minmax_cases[] = {
    {"V_MIN_F32", minmax11, 0, 0},
    {"V_MAX_F32", minmax11, 1, 0},
    {"V_MIN3_F32", minmax11, 0, 1},
    {"V_MAX3_F32", minmax11, 1, 1},
    {"V_MINMAX_F32", minmax11, 0, 2},
    {"V_MAXMIN_F32", minmax11, 1, 2},
    {"V_MED3_F32", minmax11, 0, 3},
    {"V_MIN_NUM_F32", minmax_num, 0, 0},
    {"V_MAX_NUM_F32", minmax_num, 1, 0},
    {"V_MIN3_NUM_F32", minmax_num, 0, 1},
    {"V_MAX3_NUM_F32", minmax_num, 1, 1},
    {"V_MINMAX_NUM_F32", minmax_num, 0, 2},
    {"V_MAXMIN_NUM_F32", minmax_num, 1, 2},
    {"V_MED3_NUM_F32", minmax_num, 0, 3},
    {"V_MINIMUM_F32", minmaximum, 0, 0},
    {"V_MAXIMUM_F32", minmaximum, 1, 0},
    {"V_MINIMUM3_F32", minmaximum, 0, 1},
    {"V_MAXIMUM3_F32", minmaximum, 1, 1},
    {"V_MINIMUMMAXIMUM_F32", minmaximum, 0, 2},
    {"V_MAXIMUMMINIMUM_F32", minmaximum, 1, 2},
};

static void minimum_maximum(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < sizeof minmax_cases / sizeof minmax_cases[0]; t++)
            for (int ieee = 0; ieee < 2; ieee++) {
                const struct minmax_case *k = &minmax_cases[t];
                sem_call_init(&s, build, k->name);
                s.e.mode.ieee = ieee;
                for (unsigned n = 0; n < 200; n++) {
                    for (unsigned i = 0; i < LANES; i++) {
                        s.a[0][i] = sem_pick32();
                        s.b[0][i] = sem_pick32();
                        s.c[0][i] = sem_pick32();
                    }
                    sem_run(&s);
                    for (unsigned i = 0; i < LANES; i++) {
                        uint32_t a = s.a[0][i], b = s.b[0][i], c = s.c[0][i], want;
                        want = k->fn(k->max, a, b, ieee);
                        if (k->shape == 1) want = k->fn(k->max, want, c, ieee);
                        if (k->shape == 2) want = k->fn(!k->max, want, c, ieee);
                        if (k->shape == 3) want = median(k->fn, a, b, c, ieee);
                        if (s.d[0][i] != want)
                            fail_msg("%s ieee %d (%08x %08x %08x): %08x, expected %08x", k->name,
                                     ieee, a, b, c, s.d[0][i], want);
                    }
                }
            }
}

static void minimum_maximum_64(void **state) {
    (void)state;
    static const char *const names[] = {"V_MIN_F64", "V_MAX_F64"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int max = 0; max < 2; max++) {
            sem_call_init(&s, build, names[max]);
            for (unsigned n = 0; n < 300; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    sem_set64(s.a, i, sem_pick64());
                    sem_set64(s.b, i, sem_pick64());
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint64_t a = sem_get64(s.a, i), b = sem_get64(s.b, i), want;
                    double x = f64_of(a), y = f64_of(b);
                    int neg0 =
                        x == 0 && y == 0 && (max ? !(a >> 63) && b >> 63 : a >> 63 && !(b >> 63));
                    want = (max ? x > y : x < y) || neg0 ? a : b;
                    if (nan64(a)) want = b;
                    if (nan64(b)) want = a;
                    if (snan64(b)) want = b | 0x8000000000000;
                    if (snan64(a)) want = a | 0x8000000000000;
                    if (sem_get64(s.d, i) != want)
                        fail_msg("%s(%lx %lx): %lx, expected %lx", names[max], a, b,
                                 sem_get64(s.d, i), want);
                }
            }
        }
}

/* --- exponents, integral values --- */

static void unary_32(void **state) {
    (void)state;
    static const char *const names[] = {"V_FLOOR_F32",        "V_CEIL_F32",  "V_TRUNC_F32",
                                        "V_RNDNE_F32",        "V_FRACT_F32", "V_FREXP_MANT_F32",
                                        "V_FREXP_EXP_I32_F32"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 7; t++) {
            sem_call_init(&s, build, names[t]);
            for (unsigned n = 0; n < 500; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    s.a[0][i] = sem_pick32();
                    if (n & 1) s.a[0][i] = (s.a[0][i] & 0x8fffffff) | 0x40000000;
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t a = s.a[0][i], want = 0;
                    float x = f32_of(a);
                    int e = 0;
                    float m = frexpf(x, &e);
                    if (t == 0) want = bits_f32(floorf(x));
                    if (t == 1) want = bits_f32(ceilf(x));
                    if (t == 2) want = bits_f32(truncf(x));
                    if (t == 3) want = bits_f32(rintf(x));
                    if (t == 4) want = bits_f32(fminf(x - floorf(x), 0x1.fffffep-1f));
                    if (t == 4 && isinf(x)) want = 0xffc00000;
                    if (t == 5) want = bits_f32(m);
                    if (nan32(a)) want = a | 0x400000;
                    if (t == 6) want = isfinite(x) ? (uint32_t)e : 0;
                    if (s.d[0][i] != want)
                        fail_msg("%s(%08x): %08x, expected %08x", names[t], a, s.d[0][i], want);
                }
            }
        }
}

static void ldexp_32(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned mode = 0; mode < 8; mode++) {
            sem_call_init(&s, build, "V_LDEXP_F32");
            s.e.mode.round32 = mode & 3;
            s.e.mode.denorm32 = mode & 4 ? 0 : 3;
            for (unsigned n = 0; n < 300; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    s.a[0][i] = sem_pick32();
                    s.b[0][i] = n & 1 ? sem_pick32() : (uint32_t)(sem_random() % 600) - 300;
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t a = s.a[0][i], x = mode & 4 ? flush32(a) : a;
                    fesetround(host_round[mode & 3]);
                    volatile float f = f32_of(x);
                    uint32_t want = bits_f32(ldexpf(f, (int)s.b[0][i]));
                    fesetround(FE_TONEAREST);
                    if (nan32(x)) want = x | 0x400000;
                    if (mode & 4) want = flush32(want);
                    if (s.d[0][i] != want)
                        fail_msg("ldexp mode %u (%08x, %d): %08x, expected %08x", mode, a,
                                 (int)s.b[0][i], s.d[0][i], want);
                }
            }
        }
}

static void unary_64(void **state) {
    (void)state;
    static const char *const names[] = {"V_FLOOR_F64", "V_CEIL_F64",         "V_TRUNC_F64",
                                        "V_RNDNE_F64", "V_FREXP_MANT_F64",   "V_RCP_F64",
                                        "V_SQRT_F64",  "V_FREXP_EXP_I32_F64"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 8; t++) {
            sem_call_init(&s, build, names[t]);
            for (unsigned n = 0; n < 300; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    uint64_t v = sem_pick64();
                    if (n & 1) v = (v & 0x81ffffffffffffff) | 0x4000000000000000;
                    sem_set64(s.a, i, v);
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint64_t a = sem_get64(s.a, i), want = 0, got = sem_get64(s.d, i);
                    double x = f64_of(a);
                    int e = 0;
                    double m = frexp(x, &e);
                    const double r[] = {floor(x), ceil(x), trunc(x), rint(x), m, 1 / x, sqrt(x), 0};
                    want = bits_f64(r[t]);
                    if (nan64(want)) want = 0xfff8000000000000;
                    if (nan64(a)) want = a | 0x8000000000000;
                    if (t == 7) want = isfinite(x) ? (uint32_t)e : 0, got &= UINT32_MAX;
                    if (got != want) fail_msg("%s(%lx): %lx, expected %lx", names[t], a, got, want);
                }
            }
        }
}

static void ldexp_64(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned mode = 0; mode < 4; mode++) {
            sem_call_init(&s, build, "V_LDEXP_F64");
            s.e.mode.round64_16 = (uint8_t)mode;
            for (unsigned n = 0; n < 300; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    sem_set64(s.a, i, sem_pick64());
                    s.b[0][i] = n & 1 ? sem_pick32() : (uint32_t)(sem_random() % 4400) - 2200;
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint64_t a = sem_get64(s.a, i);
                    fesetround(host_round[mode]);
                    volatile double f = f64_of(a);
                    uint64_t want = bits_f64(ldexp(f, (int)s.b[0][i]));
                    fesetround(FE_TONEAREST);
                    if (nan64(a)) want = a | 0x8000000000000;
                    if (sem_get64(s.d, i) != want)
                        fail_msg("ldexp mode %u (%lx, %d): %lx, expected %lx", mode, a,
                                 (int)s.b[0][i], sem_get64(s.d, i), want);
                }
            }
        }
}

/* --- division as LLVM 22 expands it (SIISelLowering LowerFDIV32, LowerFDIV64) --- */

typedef uint32_t lanes[LANES];

static void call3(unsigned build, const char *name, unsigned dw, uint32_t (*d)[LANES],
                  uint32_t (*a)[LANES], uint32_t (*b)[LANES], uint32_t (*c)[LANES],
                  uint32_t *mask) {
    struct sem_call s;
    sem_call_init(&s, build, name);
    memcpy(s.a, a, dw * sizeof(lanes));
    if (b) memcpy(s.b, b, dw * sizeof(lanes));
    if (c) memcpy(s.c, c, dw * sizeof(lanes));
    if (mask) s.e.mask_in = *mask;
    sem_run(&s);
    if (mask) *mask = s.e.mask_out;
    memcpy(d, s.d, dw * sizeof(lanes));
}

static void negate(unsigned dw, uint32_t (*d)[LANES], uint32_t (*a)[LANES]) {
    memcpy(d, a, dw * sizeof(lanes));
    for (unsigned i = 0; i < LANES; i++)
        d[dw - 1][i] ^= 0x80000000;
}

static void divide(unsigned build, unsigned dw, uint32_t (*q)[LANES], uint32_t (*num)[LANES],
                   uint32_t (*den)[LANES]) {
    const int f64 = dw == 2;
    const char *fma = f64 ? "V_FMA_F64" : "V_FMA_F32";
    uint32_t ds[2][LANES], ns[2][LANES], neg[2][LANES], rcp[2][LANES], one[2][LANES], f0[2][LANES],
        f1[2][LANES], mul[2][LANES], f2[2][LANES], f3[2][LANES], vcc = 0, unused = 0;
    for (unsigned i = 0; i < LANES; i++) {
        one[0][i] = f64 ? 0 : 0x3f800000;
        one[1][i] = 0x3ff00000;
    }
    const char *scale = f64 ? "V_DIV_SCALE_F64" : "V_DIV_SCALE_F32";
    call3(build, scale, dw, ds, den, den, num, &unused);
    call3(build, scale, dw, ns, num, den, num, &vcc);
    negate(dw, neg, ds);
    call3(build, f64 ? "V_RCP_F64" : "V_RCP_F32", dw, rcp, ds, NULL, NULL, NULL);
    call3(build, fma, dw, f0, neg, rcp, one, NULL);
    call3(build, fma, dw, f1, f0, rcp, rcp, NULL);
    if (f64) {
        call3(build, fma, dw, f2, neg, f1, one, NULL);
        call3(build, fma, dw, f1, f1, f2, f1, NULL);
    }
    call3(build, f64 ? "V_MUL_F64" : "V_MUL_F32", dw, mul, ns, f1, NULL, NULL);
    call3(build, fma, dw, f2, neg, mul, ns, NULL);
    if (!f64) {
        call3(build, fma, dw, f3, f2, f1, mul, NULL);
        memcpy(mul, f3, sizeof mul);
        call3(build, fma, dw, f2, neg, mul, ns, NULL);
    }
    call3(build, f64 ? "V_DIV_FMAS_F64" : "V_DIV_FMAS_F32", dw, f3, f2, f1, mul, &vcc);
    call3(build, f64 ? "V_DIV_FIXUP_F64" : "V_DIV_FIXUP_F32", dw, q, f3, den, num, NULL);
}

static void division_32(void **state) {
    (void)state;
    uint32_t a[2][LANES], b[2][LANES], q[2][LANES];
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned n = 0; n < 20000; n++) {
            for (unsigned i = 0; i < LANES; i++) {
                a[0][i] = n & 1 ? sem_pick32() : (uint32_t)sem_random();
                b[0][i] = n & 2 ? sem_pick32() : (uint32_t)sem_random();
            }
            divide(build, 1, q, a, b);
            for (unsigned i = 0; i < LANES; i++) {
                uint32_t want = bits_f32(f32_of(a[0][i]) / f32_of(b[0][i]));
                if (nan32(want)) want = 0xffc00000;
                if (nan32(b[0][i])) want = b[0][i] | 0x400000;
                if (nan32(a[0][i])) want = a[0][i] | 0x400000;
                if (q[0][i] != want)
                    fail_msg("%08x / %08x: %08x, expected %08x", a[0][i], b[0][i], q[0][i], want);
            }
        }
}

static void division_64(void **state) {
    (void)state;
    uint32_t a[2][LANES], b[2][LANES], q[2][LANES];
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned n = 0; n < 10000; n++) {
            for (unsigned i = 0; i < LANES; i++) {
                sem_set64(a, i, n & 1 ? sem_pick64() : sem_random());
                sem_set64(b, i, n & 2 ? sem_pick64() : sem_random());
            }
            divide(build, 2, q, a, b);
            for (unsigned i = 0; i < LANES; i++) {
                uint64_t x = sem_get64(a, i), y = sem_get64(b, i);
                uint64_t want = bits_f64(f64_of(x) / f64_of(y));
                if (nan64(want)) want = 0xfff8000000000000;
                if (nan64(y)) want = y | 0x8000000000000;
                if (nan64(x)) want = x | 0x8000000000000;
                if (sem_get64(q, i) != want)
                    fail_msg("%lx / %lx: %lx, expected %lx", x, y, sem_get64(q, i), want);
            }
        }
}

/* --- zero rules --- */

static void dx9_zero(void **state) {
    (void)state;
    struct sem_call s;
    static const uint32_t z[] = {0, 0x80000000};
    static const uint32_t v[] = {0x7f800000, 0x7fc00000, 0xbf800000};
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 6; t++) {
            sem_call_init(&s, build, "V_MUL_DX9_ZERO_F32");
            s.a[0][3] = z[t & 1];
            s.b[0][3] = v[t / 2];
            sem_run(&s);
            assert_int_equal(s.d[0][3], 0);
            s.row = sem_row(build, "V_FMA_DX9_ZERO_F32");
            s.c[0][3] = 0x80000000;
            sem_run(&s);
            assert_int_equal(s.d[0][3], 0x80000000);
        }
}

int main(void) {
#ifdef SEM_TEST_LIFT
    /* Its rounding and denormal modes are fixed: sem_lift_test compares the rest. */
    (void)arithmetic_32, (void)arithmetic_64, (void)minimum_maximum, (void)ldexp_32, (void)ldexp_64;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimum_maximum_64), cmocka_unit_test(unary_32),
        cmocka_unit_test(unary_64),           cmocka_unit_test(division_32),
        cmocka_unit_test(division_64),        cmocka_unit_test(dx9_zero),
    };
#else
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_32),   cmocka_unit_test(arithmetic_64),
        cmocka_unit_test(minimum_maximum), cmocka_unit_test(minimum_maximum_64),
        cmocka_unit_test(unary_32),        cmocka_unit_test(ldexp_32),
        cmocka_unit_test(unary_64),        cmocka_unit_test(ldexp_64),
        cmocka_unit_test(division_32),     cmocka_unit_test(division_64),
        cmocka_unit_test(dx9_zero),
    };
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
