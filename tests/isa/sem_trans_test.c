/* SPDX-License-Identifier: MIT */
/* sem_trans_test.c - binary32 transcendental instructions: sampled over the whole input range
 * against the host's long double functions, 1 ULP at most and nearly always correctly rounded;
 * special values exactly; v_trig_preop_f64 against 2/pi. */
#include <math.h>

#include "tests/isa/sem_test.h"

enum fn { EXP, LOG, RCP, RSQ, SQRT, SIN, COS, FN_COUNT };
static const char *const names[] = {"V_EXP_F32",  "V_LOG_F32", "V_RCP_F32", "V_RSQ_F32",
                                    "V_SQRT_F32", "V_SIN_F32", "V_COS_F32"};

static long double exact(enum fn f, float x) {
    const long double pi2 = 6.283185307179586476925286766559005768L;
    long double turn = (long double)x - rintl(x);
    switch (f) {
    case EXP:
        return exp2l(x);
    case LOG:
        return log2l(x);
    case RCP:
        return 1.0L / x;
    case RSQ:
        return 1.0L / sqrtl(x);
    case SQRT:
        return sqrtl(x);
    case SIN:
        return fabsl(turn) == 0.5L ? 0 : sinl(turn * pi2);
    default:
        return fabsl(turn) == 0.25L ? 0 : cosl(turn * pi2);
    }
}

/* Inputs that exercise a function: its interesting range half of the time, anything otherwise. */
static uint32_t pick(enum fn f, unsigned n) {
    uint32_t r = (uint32_t)sem_random();
    if (n & 1) return r;
    switch (f) {
    case EXP:
        return (r & 0x807fffff) | (96 + r / 0x800000 % 40) << 23;
    case LOG:
        return n & 2 ? 0x3f700000 + r % 0x200000 : r & 0x7fffffff;
    case SIN:
    case COS:
        return (r & 0x807fffff) | (100 + r / 0x800000 % 36) << 23;
    default:
        return r & 0x7fffffff;
    }
}

static uint32_t flush(uint32_t u) {
    return u & 0x7f800000 ? u : u & 0x80000000;
}

static int64_t ordered(uint32_t u) {
    return u >> 31 ? -(int64_t)(u & INT32_MAX) : u;
}

static void scan(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (enum fn f = 0; f < FN_COUNT; f++) {
            unsigned total = 0, off = 0, samples = build + 1 == sem_builds() ? 32000 : 2000;
            sem_call_init(&s, build, names[f]);
            for (unsigned n = 0; n < samples; n++) {
                for (unsigned i = 0; i < LANES; i++)
                    s.a[0][i] = pick(f, n);
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint32_t a = s.a[0][i], got = s.d[0][i];
                    float x = f32_of(flush(a));
                    if (isnan(x)) {
                        assert_int_equal(got, a | 0x400000);
                        continue;
                    }
                    long double v = exact(f, x);
                    uint32_t want = isnan(v) ? 0xffc00000 : flush(bits_f32((float)v));
                    if (v == 0 && f >= SIN) want &= INT32_MAX, got &= INT32_MAX;
                    total++;
                    if (got == want) continue;
                    off++;
                    int64_t ulp = ordered(got) - ordered(want);
                    /* At the edge of the normal range one neighbour is flushed to zero. */
                    if (fabsl(v) <= 0x1.000002p-126L && (got << 1 == 0 || want << 1 == 0)) continue;
                    if (ulp < -1 || ulp > 1)
                        fail_msg("%s(%08x): %08x, expected %08x", names[f], a, got, want);
                }
            }
            if (off > total / 1000)
                fail_msg("%s: %u of %u not correctly rounded", names[f], off, total);
        }
}

static void special_values(void **state) {
    (void)state;
    static const struct {
        enum fn f;
        uint32_t in, out;
    } cases[] = {
        {EXP, 0, 0x3f800000},
        {EXP, 0x80000000, 0x3f800000},
        {EXP, 0x7f800000, 0x7f800000},
        {EXP, 0xff800000, 0},
        {EXP, 0x3f800000, 0x40000000},
        {EXP, 0x43000000, 0x7f800000},
        {EXP, 0xc2fc0000, 0x00800000},
        {EXP, 0xc2fe0000, 0},
        {EXP, 0xc3160000, 0},
        {EXP, 0x7f7fffff, 0x7f800000},
        {EXP, 0xff7fffff, 0},
        {EXP, 1, 0x3f800000},
        {LOG, 0, 0xff800000},
        {LOG, 0x80000000, 0xff800000},
        {LOG, 0x3f800000, 0},
        {LOG, 0x7f800000, 0x7f800000},
        {LOG, 0xff800000, 0xffc00000},
        {LOG, 0xbf800000, 0xffc00000},
        {LOG, 1, 0xff800000},
        {LOG, 0x80000001, 0xff800000},
        {LOG, 0x41000000, 0x40400000},
        {LOG, 0x00800000, 0xc2fc0000},
        {RCP, 0, 0x7f800000},
        {RCP, 0x80000000, 0xff800000},
        {RCP, 0x7f800000, 0},
        {RCP, 0xff800000, 0x80000000},
        {RCP, 1, 0x7f800000},
        {RCP, 0x7f000000, 0},
        {RCP, 0x40000000, 0x3f000000},
        {RSQ, 0, 0x7f800000},
        {RSQ, 0x80000000, 0xff800000},
        {RSQ, 0x7f800000, 0},
        {RSQ, 0xbf800000, 0xffc00000},
        {RSQ, 0x40800000, 0x3f000000},
        {RSQ, 0x80000001, 0xff800000},
        {SQRT, 0, 0},
        {SQRT, 0x80000000, 0x80000000},
        {SQRT, 0x7f800000, 0x7f800000},
        {SQRT, 0xbf800000, 0xffc00000},
        {SQRT, 0x40800000, 0x40000000},
        {SQRT, 1, 0},
        {SIN, 0, 0},
        {SIN, 0x80000000, 0x80000000},
        {SIN, 0x3e800000, 0x3f800000},
        {SIN, 0x3f400000, 0xbf800000},
        {SIN, 0x7f800000, 0xffc00000},
        {SIN, 0xff800000, 0xffc00000},
        {COS, 0, 0x3f800000},
        {COS, 0x3f000000, 0xbf800000},
        {COS, 0x3f800000, 0x3f800000},
        {COS, 0x7f800000, 0xffc00000},
        {COS, 0x4b000001, 0x3f800000},
        {EXP, 0x7f800001, 0x7fc00001},
        {SIN, 0xff812345, 0xffc12345},
    };
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < sizeof cases / sizeof cases[0]; t++) {
            sem_call_init(&s, build, names[cases[t].f]);
            for (unsigned i = 0; i < LANES; i++)
                s.a[0][i] = cases[t].in;
            sem_run(&s);
            for (unsigned i = 0; i < LANES; i++)
                if (s.d[0][i] != cases[t].out)
                    fail_msg("%s(%08x): %08x, expected %08x", names[cases[t].f], cases[t].in,
                             s.d[0][i], cases[t].out);
        }
}

/* The three segments that OCML takes sum to 2/pi to 53 + 53 + 53 bits; and, for large arguments, to
 * its fractional part after 2^n of them. */
static void trig_preop(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++) {
        sem_call_init(&s, build, "V_TRIG_PREOP_F64");
        for (unsigned i = 0; i < LANES; i++) {
            sem_set64(s.a, i, 0x3ff0000000000000);
            s.b[0][i] = i;
        }
        sem_run(&s);
        /* 2/pi = 0.A2F9836E4E441529FC2757D1F534DDC0DB62... in hexadecimal */
        assert_true(f64_of(sem_get64(s.d, 0)) == 0x0.a2f9836e4e4410p+0);
        long double sum = 0;
        for (unsigned i = 0; i < 3; i++)
            sum += (long double)f64_of(sem_get64(s.d, i));
        assert_true(fabsl(sum - 0.636619772367581343075535053490057448L) < 0x1p-63L);
        for (unsigned i = 0; i + 1 < 20; i++) {
            double x = f64_of(sem_get64(s.d, i));
            assert_true(x >= 0 && x < ldexp(1, -53 * (int)i));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan),
        cmocka_unit_test(special_values),
        cmocka_unit_test(trig_preop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
