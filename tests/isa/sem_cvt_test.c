/* SPDX-License-Identifier: MIT */
/* sem_cvt_test.c - conversions between integers and floats in every rounding mode, and comparisons
 * of every type, against scalar code. */
#include <fenv.h>
#include <math.h>

#include "tests/isa/sem_test.h"

static const int host_round[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static uint32_t to_int(double x, double lo, double hi) {
    if (isnan(x)) return 0;
    x = trunc(x);
    return (uint32_t)(int64_t)(x < lo ? lo : x > hi ? hi : x);
}
static uint32_t norm(float x, double lo, double scale) {
    double v = isnan(x) ? 0 : x;
    return (uint32_t)(int)rint(fmin(fmax(v, lo), 1) * scale) & 0xffff;
}
#define I_LO (-2147483648.0)
#define I_HI 2147483647.0
#define U_HI 4294967295.0

static uint32_t expect_from_f32(unsigned t, float x, float y, uint32_t b, uint32_t c) {
    switch (t) {
    case 0:
        return to_int(x, I_LO, I_HI);
    case 1:
        return to_int(x, 0, U_HI);
    case 2:
        return to_int(floor(x), I_LO, I_HI);
    case 3:
        return to_int(floor((double)x + 0.5), I_LO, I_HI);
    case 4:
        return (to_int(x, -32768, 32767) & 0xffff) | to_int(y, -32768, 32767) << 16;
    case 5:
        return to_int(x, 0, 65535) | to_int(y, 0, 65535) << 16;
    case 6:
        return norm(x, -1, 32767) | norm(y, -1, 32767) << 16;
    case 7:
        return norm(x, 0, 65535) | norm(y, 0, 65535) << 16;
    default:
        return (c & ~(255u << 8 * (b & 3))) | to_int(x, 0, 255) << 8 * (b & 3);
    }
}

static void from_f32(void **state) {
    (void)state;
    static const char *const names[] = {
        "V_CVT_I32_F32",         "V_CVT_U32_F32",         "V_CVT_FLOOR_I32_F32",
        "V_CVT_NEAREST_I32_F32", "V_CVT_PK_I16_F32",      "V_CVT_PK_U16_F32",
        "V_CVT_PK_NORM_I16_F32", "V_CVT_PK_NORM_U16_F32", "V_CVT_PK_U8_F32"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 9; t++) {
            sem_call_init(&s, build, names[t]);
            for (unsigned n = 0; n < 1000; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t r = (uint32_t)sem_random();
                    s.a[0][i] = n & 1 ? (r & 0x807fffff) | (110 + r % 54) << 23 : sem_pick32();
                    s.b[0][i] = sem_pick32();
                    s.c[0][i] = sem_pick32();
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t want = expect_from_f32(t, f32_of(s.a[0][i]), f32_of(s.b[0][i]),
                                                    s.b[0][i], s.c[0][i]);
                    if (s.d[0][i] != want)
                        fail_msg("%s(%08x, %08x): %08x, expected %08x", names[t], s.a[0][i],
                                 s.b[0][i], s.d[0][i], want);
                }
            }
        }
}

static void to_f32(void **state) {
    (void)state;
    static const char *const names[] = {"V_CVT_F32_I32",    "V_CVT_F32_U32",    "V_CVT_F32_UBYTE0",
                                        "V_CVT_F32_UBYTE1", "V_CVT_F32_UBYTE2", "V_CVT_F32_UBYTE3",
                                        "V_CVT_OFF_F32_I4"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 7; t++)
            for (unsigned mode = 0; mode < 4; mode++) {
                sem_call_init(&s, build, names[t]);
                s.e.mode.round32 = (uint8_t)mode;
                for (unsigned n = 0; n < 300; n++) {
                    for (unsigned i = 0; i < LANES; i++)
                        s.a[0][i] = sem_pick32() >> n % 12;
                    sem_run(&s);
                    for (unsigned i = 0; i < LANES; i++) {
                        uint32_t a = s.a[0][i];
                        volatile int32_t v = (int32_t)a;
                        volatile uint32_t u = t < 2 ? a : a >> 8 * ((t - 2) & 3) & 255;
                        fesetround(host_round[mode]);
                        volatile float f = t == 0 ? (float)v : (float)u;
                        fesetround(FE_TONEAREST);
                        if (t == 6) f = (float)((int32_t)(a << 28) >> 28) / 16;
                        if (s.d[0][i] != bits_f32(f))
                            fail_msg("%s mode %u (%08x): %08x, expected %08x", names[t], mode, a,
                                     s.d[0][i], bits_f32(f));
                    }
                }
            }
}

static uint64_t quiet_wide(uint32_t a) {
    return (uint64_t)(a & 0x80000000) << 32 | 0x7ff8000000000000 | (uint64_t)(a & 0x7fffff) << 29;
}

static void with_f64(void **state) {
    (void)state;
    static const char *const names[] = {"V_CVT_I32_F64", "V_CVT_U32_F64", "V_CVT_F32_F64",
                                        "V_CVT_F64_I32", "V_CVT_F64_U32", "V_CVT_F64_F32"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 6; t++)
            for (unsigned mode = 0; mode < 4; mode++) {
                sem_call_init(&s, build, names[t]);
                s.e.mode.round64_16 = (uint8_t)mode;
                for (unsigned n = 0; n < 300; n++) {
                    for (unsigned i = 0; i < LANES; i++) {
                        uint64_t v = sem_pick64();
                        if (n & 1) v = (v & 0x800fffffffffffff) | (860 + v % 330) << 52;
                        sem_set64(s.a, i, v);
                        if (t >= 3) s.a[0][i] = sem_pick32();
                    }
                    sem_run(&s);
                    for (unsigned i = 0; i < LANES; i++) {
                        uint64_t a = sem_get64(s.a, i), want, got = sem_get64(s.d, i);
                        volatile double x = f64_of(a);
                        uint32_t u = s.a[0][i];
                        fesetround(host_round[mode]);
                        volatile float f = (float)x;
                        fesetround(FE_TONEAREST);
                        switch (t) {
                        case 0:
                            want = to_int(x, I_LO, I_HI);
                            break;
                        case 1:
                            want = to_int(x, 0, U_HI);
                            break;
                        case 2:
                            want = bits_f32(f);
                            if (isnan(x))
                                want = (a >> 32 & 0x80000000) | 0x7fc00000 | (a >> 29 & 0x7fffff);
                            break;
                        case 3:
                            want = bits_f64((int32_t)u);
                            break;
                        case 4:
                            want = bits_f64(u);
                            break;
                        default:
                            want = isnan(f32_of(u)) ? quiet_wide(u) : bits_f64(f32_of(u));
                            break;
                        }
                        if (t < 3) got &= UINT32_MAX;
                        if (got != want)
                            fail_msg("%s mode %u (%lx): %lx, expected %lx", names[t], mode, a, got,
                                     want);
                    }
                }
            }
}

/* --- comparisons --- */

/* a ? b: -1, 0, 1, or 2 when unordered. */
static int order(const char *type, uint64_t a, uint64_t b) {
    int64_t x, y;
    if (!strcmp(type, "F32")) {
        float p = f32_of((uint32_t)a), q = f32_of((uint32_t)b);
        return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
    }
    if (!strcmp(type, "F64")) {
        double p = f64_of(a), q = f64_of(b);
        return p < q ? -1 : p > q ? 1 : p == q ? 0 : 2;
    }
    if (!strcmp(type, "F16")) {
        a &= 0xffff, b &= 0xffff;
        if ((a & 0x7fff) > 0x7c00 || (b & 0x7fff) > 0x7c00) return 2;
        x = a & 0x8000 ? -(int64_t)(a & 0x7fff) : (int64_t)a;
        y = b & 0x8000 ? -(int64_t)(b & 0x7fff) : (int64_t)b;
        return x < y ? -1 : x > y;
    }
    if (!strcmp(type, "U64")) return a < b ? -1 : a > b;
    if (!strcmp(type, "I64"))
        x = (int64_t)a, y = (int64_t)b;
    else if (!strcmp(type, "I32"))
        x = (int32_t)a, y = (int32_t)b;
    else if (!strcmp(type, "U32"))
        x = (uint32_t)a, y = (uint32_t)b;
    else if (!strcmp(type, "I16"))
        x = (int16_t)a, y = (int16_t)b;
    else
        x = (uint16_t)a, y = (uint16_t)b;
    return x < y ? -1 : x > y;
}

static int holds(const char *op, int o) {
    static const struct {
        const char *op;
        int lt, eq, gt, un;
    } t[] = {{"F", 0, 0, 0, 0},   {"LT", 1, 0, 0, 0},  {"EQ", 0, 1, 0, 0},  {"LE", 1, 1, 0, 0},
             {"GT", 0, 0, 1, 0},  {"LG", 1, 0, 1, 0},  {"GE", 0, 1, 1, 0},  {"O", 1, 1, 1, 0},
             {"U", 0, 0, 0, 1},   {"NGE", 1, 0, 0, 1}, {"NLG", 0, 1, 0, 1}, {"NGT", 1, 1, 0, 1},
             {"NLE", 0, 0, 1, 1}, {"NEQ", 1, 0, 1, 1}, {"NLT", 0, 1, 1, 1}, {"T", 1, 1, 1, 1},
             {"NE", 1, 0, 1, 1}};
    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++)
        if (!strcmp(op, t[i].op))
            return o < 0 ? t[i].lt : o == 0 ? t[i].eq : o == 1 ? t[i].gt : t[i].un;
    fail_msg("no comparison %s", op);
    return 0;
}

/* Every V_CMP_<op>_<type> row of the table but the classes. */
static void comparisons(void **state) {
    (void)state;
    unsigned rows = 0;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned r = 0; r < sem_valu_row_count_base; r++) {
            char op[8], type[8];
            const char *name = sem_valu_rows_base[r].name;
            if (sscanf(name, "V_CMP_%7[A-Z]_%7[A-Z0-9]", op, type) != 2 || !strcmp(op, "CLASS"))
                continue;
            struct sem_call s;
            sem_call_init(&s, build, name);
            rows++;
            for (unsigned n = 0; n < 60; n++) {
                for (unsigned i = 0; i < LANES; i++) {
                    uint64_t a = type[1] == '6' ? sem_pick64() : sem_pick32();
                    uint64_t b = type[1] == '6' ? sem_pick64() : sem_pick32();
                    if (sem_random() % 4 == 0) b = a;
                    if (sem_random() % 8 == 0) b = a ^ (type[1] == '6' ? INT64_MIN : INT32_MIN);
                    sem_set64(s.a, i, a);
                    sem_set64(s.b, i, b);
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint64_t a = sem_get64(s.a, i), b = sem_get64(s.b, i);
                    int want = holds(op, order(type, a, b));
                    if ((int)(s.e.mask_out >> i & 1) != want)
                        fail_msg("%s(%lx, %lx): expected %d", name, a, b, want);
                }
            }
        }
    assert_true(rows > 80);
}

/* With input denormals flushed they compare as zero. */
static void comparison_flush(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++) {
        sem_call_init(&s, build, "V_CMP_EQ_F32");
        s.a[0][0] = 1;
        s.b[0][0] = 0x80000000;
        sem_run(&s);
        assert_int_equal(s.e.mask_out & 1, 0);
        s.e.mode.denorm32 = 0;
        sem_run(&s);
        assert_int_equal(s.e.mask_out & 1, 1);
    }
}

static unsigned class_of(int negative, int nan, int quiet, int inf, int normal, int zero) {
    if (nan) return quiet ? 1 : 0;
    if (inf) return negative ? 2 : 9;
    if (normal) return negative ? 3 : 8;
    if (!zero) return negative ? 4 : 7;
    return negative ? 5 : 6;
}

static void classes(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 3; t++) {
            static const char *const names[] = {"V_CMP_CLASS_F16", "V_CMP_CLASS_F32",
                                                "V_CMP_CLASS_F64"};
            sem_call_init(&s, build, names[t]);
            for (unsigned bit = 0; bit < 10; bit++)
                for (unsigned n = 0; n < 60; n++) {
                    for (unsigned i = 0; i < LANES; i++) {
                        sem_set64(s.a, i, t == 2 ? sem_pick64() : sem_pick32());
                        if (t == 0)
                            s.a[0][i] = sem_edge32[(n * 32 + i) % EDGES32] >> (n & 1 ? 16 : 0);
                        s.b[0][i] = 1u << bit | 0xfffff400;
                    }
                    sem_run(&s);
                    for (unsigned i = 0; i < LANES; i++) {
                        uint64_t a = sem_get64(s.a, i), m, exp, quiet, sign;
                        m = t == 0 ? a & 0x3ff : t == 1 ? a & 0x7fffff : a & 0xfffffffffffff;
                        exp = t == 0 ? a >> 10 & 31 : t == 1 ? a >> 23 & 255 : a >> 52 & 2047;
                        quiet = m >> (t == 0 ? 9 : t == 1 ? 22 : 51);
                        sign = a >> (t == 0 ? 15 : t == 1 ? 31 : 63) & 1;
                        uint64_t top = t == 0 ? 31 : t == 1 ? 255 : 2047;
                        unsigned c = class_of(sign != 0, exp == top && m, quiet != 0,
                                              exp == top && !m, exp && exp != top, !exp && !m);
                        assert_int_equal(s.e.mask_out >> i & 1, c == bit);
                    }
                }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_f32),         cmocka_unit_test(to_f32),
        cmocka_unit_test(with_f64),         cmocka_unit_test(comparisons),
        cmocka_unit_test(comparison_flush), cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
