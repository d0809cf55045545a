/* SPDX-License-Identifier: MIT */
/* sem_half_test.c - binary16: every input of the unary instructions, and sums, products, fused
 * products in every rounding mode, against exact arithmetic in binary64 rounded here, bit by bit.
 */
#include <math.h>

#include "tests/isa/sem_test.h"

static double half_value(uint32_t h) {
    int e = h >> 10 & 31;
    double m = h & 0x3ff, v = e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);
    if (e == 31) v = h & 0x3ff ? NAN : INFINITY;
    return h & 0x8000 ? -v : v;
}
static int nan16(uint32_t h) {
    return (h & 0x7fff) > 0x7c00;
}
static uint32_t flush16(uint32_t h) {
    return h & 0x7c00 ? h : h & 0x8000;
}

/* Rounds an exact value (long double holds every sum of two products' worth of bits used here) by
 * searching the grid of binary16. round: 0 nearest even, 1 up, 2 down, 3 to zero. */
static uint32_t round_half(long double v, int round) {
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    long double m = fabsl(v);
    if (isinf(v)) return sign | 0x7c00;
    if (isnan(v)) return 0xfe00;
    int e;
    frexpl(m, &e);
    int last = e - 11 < -24 ? -24 : e - 11;
    long double scaled = ldexpl(m, -last), whole = floorl(scaled), rest = scaled - whole;
    int away = round == 0 ? rest > 0.5L || (rest == 0.5L && fmodl(whole, 2) == 1)
                          : rest > 0 && (round == 1   ? !sign
                                         : round == 2 ? !!sign
                                                      : 0);
    long double r = ldexpl(whole + away, last);
    if (r > 65504) {
        int to_inf = round == 0 || (round == 1 && !sign) || (round == 2 && sign);
        return sign | (to_inf ? 0x7c00 : 0x7bff);
    }
    if (r < 0x1p-14L) return sign | (uint32_t)ldexpl(r, 24);
    frexpl(r, &e);
    return sign | (((uint32_t)(e + 14) << 10) + (uint32_t)ldexpl(r, 11 - e) - 1024);
}

/* --- unary, all 65,536 inputs --- */

static uint32_t expect_unary(const char *name, uint32_t h) {
    double x = half_value(h);
    if (nan16(h)) return h | 0x200;
    if (!strcmp(name, "V_FLOOR_F16")) return round_half(floor(x), 0);
    if (!strcmp(name, "V_CEIL_F16")) return round_half(ceil(x), 0);
    if (!strcmp(name, "V_TRUNC_F16")) return round_half(trunc(x), 0);
    if (!strcmp(name, "V_RNDNE_F16")) return round_half(rint(x), 0);
    if (!strcmp(name, "V_SQRT_F16")) return x < 0 ? 0xfe00 : round_half(sqrtl(x), 0);
    if (!strcmp(name, "V_RCP_F16")) return round_half(1.0L / x, 0);
    if (!strcmp(name, "V_FRACT_F16")) {
        uint32_t r = isinf(x) ? 0xfe00 : round_half(x - floor(x), 0);
        return r == 0x3c00 ? 0x3bff : r;
    }
    int e;
    double m = frexp(x, &e);
    return round_half(m, 0);
}

static void unary(void **state) {
    (void)state;
    static const char *const names[] = {"V_FLOOR_F16", "V_CEIL_F16",      "V_TRUNC_F16",
                                        "V_RNDNE_F16", "V_SQRT_F16",      "V_RCP_F16",
                                        "V_FRACT_F16", "V_FREXP_MANT_F16"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 8; t++) {
            sem_call_init(&s, build, names[t]);
            for (uint32_t h = 0; h < 0x10000; h += LANES) {
                for (unsigned i = 0; i < LANES; i++)
                    s.a[0][i] = 0xabcd0000 | (h + i);
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t want = expect_unary(names[t], h + i);
                    if (s.d[0][i] != want)
                        fail_msg("%s(%04x): %04x, expected %04x", names[t], h + i, s.d[0][i], want);
                }
            }
        }
}

/* One unit in the last place of the correctly rounded value, exact where the value is exact. */
static void transcendental(void **state) {
    (void)state;
    static const char *const names[] = {"V_EXP_F16", "V_LOG_F16", "V_RSQ_F16", "V_SIN_F16",
                                        "V_COS_F16"};
    const long double pi2 = 6.283185307179586476925286766559005768L;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 5; t++) {
            unsigned off = 0;
            sem_call_init(&s, build, names[t]);
            for (uint32_t h = 0; h < 0x10000; h += LANES) {
                for (unsigned i = 0; i < LANES; i++)
                    s.a[0][i] = h + i;
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    double x = half_value(h + i);
                    double whole = x - rint(x);
                    long double v = t == 0   ? exp2l(x)
                                    : t == 1 ? log2l(x)
                                    : t == 2 ? 1 / sqrtl(x)
                                    : t == 3 ? sinl(whole * pi2)
                                             : cosl(whole * pi2);
                    if (t >= 3 && fabs(whole) == 0.25) v = t == 3 ? copysign(1, whole) : 0;
                    if (t >= 3 && fabs(whole) == 0.5) v = t == 3 ? 0 : -1;
                    uint32_t want = isnan(v) ? 0xfe00 : round_half(v, 0), got = s.d[0][i];
                    if (nan16(h + i)) want = (h + i) | 0x200;
                    if (v == 0) want &= 0x7fff, got &= 0x7fff;
                    int ulp = (int)got - (int)want;
                    if (ulp) off++;
                    if (ulp < -1 || ulp > 1)
                        fail_msg("%s(%04x): %04x, expected %04x", names[t], h + i, got, want);
                }
            }
            if (off > 40) fail_msg("%s: %u of 65536 not correctly rounded", names[t], off);
        }
}

static void from_integers(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 8; t++) {
            sem_call_init(&s, build, t & 1 ? "V_CVT_F16_I16" : "V_CVT_F16_U16");
            s.e.mode.round64_16 = (uint8_t)(t / 2);
            for (uint32_t h = 0; h < 0x10000; h += LANES) {
                for (unsigned i = 0; i < LANES; i++)
                    s.a[0][i] = 0xffff0000 | (h + i);
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    int v = t & 1 ? (int16_t)(h + i) : (int)(h + i);
                    if (s.d[0][i] != round_half(v, t / 2))
                        fail_msg("%s(%d) round %u: %04x", s.row->name, v, t / 2, s.d[0][i]);
                }
            }
        }
}

static void to_integers(void **state) {
    (void)state;
    static const char *const names[] = {"V_CVT_I16_F16",      "V_CVT_U16_F16",
                                        "V_CVT_F32_F16",      "V_FREXP_EXP_I16_F16",
                                        "V_CVT_NORM_I16_F16", "V_CVT_NORM_U16_F16"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 6; t++) {
            sem_call_init(&s, build, names[t]);
            for (uint32_t h = 0; h < 0x10000; h += LANES) {
                for (unsigned i = 0; i < LANES; i++)
                    s.a[0][i] = h + i;
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    double x = half_value(h + i), y = isnan(x) ? 0 : x;
                    double unit = fmin(fmax(y, t == 4 ? -1 : 0), 1);
                    int e;
                    frexp(y, &e);
                    uint32_t want;
                    switch (t) {
                    case 0:
                        want = (uint16_t)(int)fmin(fmax(trunc(y), -32768), 32767);
                        break;
                    case 1:
                        want = (uint16_t)(int)fmin(fmax(trunc(y), 0), 65535);
                        break;
                    case 2:
                        want = bits_f32((float)x);
                        if (isnan(x))
                            want = ((h + i) & 0x8000) << 16 | 0x7fc00000 | ((h + i) & 0x3ff) << 13;
                        break;
                    case 3:
                        want = isfinite(x) ? (uint16_t)e : 0;
                        break;
                    case 4:
                        want = (uint16_t)(int)rint(unit * 32767);
                        break;
                    default:
                        want = (uint16_t)(int)rint(unit * 65535);
                        break;
                    }
                    if (s.d[0][i] != want)
                        fail_msg("%s(%04x): %08x, expected %08x", names[t], h + i, s.d[0][i], want);
                }
            }
        }
}

/* --- binary32 to binary16 --- */

static void from_f32(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int mode = 0; mode < 9; mode++) {
            sem_call_init(&s, build, mode == 8 ? "V_CVT_PK_RTZ_F16_F32" : "V_CVT_F16_F32");
            s.e.mode.round64_16 = mode & 3;
            s.e.mode.denorm64_16 = mode & 4 ? 1 : 3;
            int round = mode == 8 ? 3 : mode & 3;
            for (unsigned n = 0; n < 4000; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t r = (uint32_t)sem_random();
                    /* Exponents of binary16 and a little beyond; halfway cases. */
                    if (n % 4) r = (r & 0x807fffff) | (100 + r % 48) << 23;
                    if (n % 4 == 2) r &= 0xfffff000;
                    s.a[0][i] = n % 4 == 3 ? sem_pick32() : r;
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t a = s.a[0][i], want = round_half(f32_of(a), round);
                    if ((a & 0x7fffffff) > 0x7f800000)
                        want = (a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x3ff);
                    if (mode < 8 && mode & 4) want = flush16(want);
                    if ((s.d[0][i] & 0xffff) != want)
                        fail_msg("%s mode %d (%08x): %04x, expected %04x", s.row->name, mode, a,
                                 s.d[0][i], want);
                }
            }
        }
}

/* --- two and three operands --- */

static uint32_t pick_half(void) {
    static const uint16_t edge[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x8400,
                                    0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
                                    0xfe55, 0x7c01, 0x3bff, 0x4000, 0x2c01, 0x0401};
    uint64_t r = sem_random();
    return r & 1 ? edge[(r >> 8) % 20] : (uint32_t)(r >> 48);
}

static uint32_t expect_op(int op, uint32_t a, uint32_t b, uint32_t c, struct sem_mode m) {
    if (!(m.denorm64_16 & 1)) a = flush16(a), b = flush16(b), c = flush16(c);
    if (op == 2) {
        uint32_t t = a;
        a = b, b = t;
    }
    if (nan16(a)) return a | 0x200;
    if (nan16(b)) return b | 0x200;
    if (op == 4 && nan16(c)) return c | 0x200;
    long double x = half_value(a), y = half_value(b), z = half_value(c), v;
    if (op == 0)
        v = x + y;
    else if (op == 1 || op == 2)
        v = x - y;
    else
        v = x * y;
    if (op == 4) {
        /* x*y spans 2^-48..2^32, z 2^-24..2^16: more than long double holds only where z is so
         * small that its place does not matter beyond its sign; keep a sticky bit then. */
        long double p = v, s = p + z, err = (p - (s - (s - p))) + (z - (s - p));
        v = s;
        if (isfinite(s) && err != 0) v = nextafterl(s, err > 0 ? INFINITY : -INFINITY);
    }
    if (v == 0 && m.round64_16 == 2) {
        /* An exact zero of differing signs is negative when rounding down. */
        int sx = op == 3 || op == 4 ? signbit(x) != signbit(y) : signbit(x);
        int sy = op == 4 ? signbit(z) : op == 0 ? signbit(y) : !signbit(y);
        if (op != 3 && sx != sy) v = -0.0L;
    }
    uint32_t r = round_half(v, m.round64_16);
    return m.denorm64_16 & 2 ? r : flush16(r);
}

static void arithmetic(void **state) {
    (void)state;
    static const char *const names[] = {"V_ADD_F16", "V_SUB_F16", "V_SUBREV_F16", "V_MUL_F16",
                                        "V_FMA_F16"};
    static const char *const packed[] = {"V_PK_ADD_F16", NULL, NULL, "V_PK_MUL_F16",
                                         "V_PK_FMA_F16"};
    struct sem_call s, p;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int op = 0; op < 5; op++)
            for (unsigned mode = 0; mode < 16; mode++) {
                sem_call_init(&s, build, names[op]);
                s.e.mode.round64_16 = mode & 3;
                s.e.mode.denorm64_16 = (uint8_t)(mode >> 2);
                for (unsigned n = 0; n < 200; n++) {
                    for (unsigned i = 0; i < LANES; i++) {
                        s.a[0][i] = pick_half() | pick_half() << 16;
                        s.b[0][i] = pick_half() | pick_half() << 16;
                        s.c[0][i] = pick_half() | pick_half() << 16;
                    }
                    sem_run(&s);
                    for (unsigned i = 0; i < LANES; i++) {
                        uint32_t want = expect_op(op, s.a[0][i] & 0xffff, s.b[0][i] & 0xffff,
                                                  s.c[0][i] & 0xffff, s.e.mode);
                        if (s.d[0][i] != want)
                            fail_msg("%s mode %u (%04x %04x %04x): %04x, expected %04x", names[op],
                                     mode, s.a[0][i] & 0xffff, s.b[0][i] & 0xffff,
                                     s.c[0][i] & 0xffff, s.d[0][i], want);
                    }
                    if (!packed[op]) continue;
                    p = s;
                    p.row = sem_row(build, packed[op]);
                    sem_run(&p);
                    for (unsigned i = 0; i < LANES; i++) {
                        uint32_t want = expect_op(op, s.a[0][i] >> 16, s.b[0][i] >> 16,
                                                  s.c[0][i] >> 16, s.e.mode);
                        assert_int_equal(p.d[0][i], s.d[0][i] | want << 16);
                    }
                }
            }
}

static void ldexp_16(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int n = -70; n <= 70; n++) {
            sem_call_init(&s, build, "V_LDEXP_F16");
            for (unsigned k = 0; k < 40; k++) {
                for (unsigned i = 0; i < LANES; i++) {
                    s.a[0][i] = pick_half();
                    s.b[0][i] = 0x70000 | (uint16_t)n;
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t a = s.a[0][i];
                    uint32_t want = nan16(a) ? a | 0x200 : round_half(ldexpl(half_value(a), n), 0);
                    if (s.d[0][i] != want)
                        fail_msg("ldexp(%04x, %d): %04x, expected %04x", a, n, s.d[0][i], want);
                }
            }
        }
}

/* The families of minimum and maximum share their code with binary32; the order and the NaN bits
 * are binary16's own. */
static void minmax_16(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int max = 0; max < 2; max++) {
            sem_call_init(&s, build, max ? "V_MAX_F16" : "V_MIN_F16");
            for (unsigned n = 0; n < 500; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    s.a[0][i] = pick_half();
                    s.b[0][i] = pick_half();
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t a = s.a[0][i], b = s.b[0][i], want;
                    double x = half_value(a), y = half_value(b);
                    int tie = x == 0 && y == 0 && (a & 0x8000) == (max ? 0 : 0x8000);
                    want = (max ? x > y : x < y) || tie ? a : b;
                    if (nan16(a)) want = b;
                    if (nan16(b)) want = a;
                    if (nan16(b) && !(b & 0x200)) want = b | 0x200;
                    if (nan16(a) && !(a & 0x200)) want = a | 0x200;
                    if (s.d[0][i] != want)
                        fail_msg("%s(%04x, %04x): %04x, expected %04x", s.row->name, a, b,
                                 s.d[0][i], want);
                }
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unary),         cmocka_unit_test(transcendental),
        cmocka_unit_test(from_integers), cmocka_unit_test(to_integers),
        cmocka_unit_test(from_f32),      cmocka_unit_test(arithmetic),
        cmocka_unit_test(ldexp_16),      cmocka_unit_test(minmax_16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
