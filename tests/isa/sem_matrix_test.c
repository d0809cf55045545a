/* SPDX-License-Identifier: MIT */
/* sem_matrix_test.c - dot products, v_fma_mix, 8-bit floats and matrix instructions. */
#include <math.h>

#include "tests/isa/sem_test.h"

static uint32_t half_of(int v) {
    /* Small integers and halves are exact in binary16. */
    uint32_t sign = v < 0 ? 0x8000 : 0, m = (uint32_t)(v < 0 ? -v : v), e = 25;
    if (!m) return 0;
    while (m < 1024)
        m <<= 1, e--;
    return sign | e << 10 | (m & 1023);
}

/* --- 8-bit floats --- */

static double fp8_value(uint32_t x, int bf8) {
    uint32_t m = bf8 ? x & 3 : x & 7, e = bf8 ? x >> 2 & 31 : x >> 3 & 15;
    int bias = bf8 ? 15 : 7, bits = bf8 ? 2 : 3;
    double v = e ? ldexp(1 + m / (double)(1 << bits), (int)e - bias)
                 : ldexp(m / (double)(1 << bits), 1 - bias);
    if (bf8 && e == 31) v = m ? NAN : INFINITY;
    if (!bf8 && (x & 127) == 127) v = NAN;
    return x & 128 ? -v : v;
}

static void fp8_to_f32(void **state) {
    (void)state;
    static const unsigned byte_of_select[] = {0, 2, 1, 3};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int bf8 = 0; bf8 < 2; bf8++)
            for (unsigned sel = 0; sel < 4; sel++)
                for (uint32_t x = 0; x < 256; x++) {
                    sem_call_init(&s, build, bf8 ? "V_CVT_F32_BF8" : "V_CVT_F32_FP8");
                    s.e.op_sel = (uint8_t)sel;
                    s.a[0][5] = 0x5a5a5a5a;
                    s.a[0][5] &= ~(255u << 8 * byte_of_select[sel]);
                    s.a[0][5] |= x << 8 * byte_of_select[sel];
                    sem_run(&s);
                    double want = fp8_value(x, bf8), got = f32_of(s.d[0][5]);
                    if (!(got == want || (isnan(got) && isnan(want))))
                        fail_msg("%s %02x: %g, expected %g", s.row->name, x, got, want);
                    assert_int_equal(s.d[0][5] >> 31, x >> 7);
                }
}

/* Nearest even by search over all finite values. */
static uint32_t nearest_fp8(double v, int bf8) {
    uint32_t best = 0;
    double a = fabs(v), dist = INFINITY;
    unsigned last = bf8 ? 0x7b : 0x7e;
    for (uint32_t x = 0; x <= last; x++) {
        double t = fabs(fp8_value(x, bf8) - a);
        if (t < dist || (t == dist && !(x & 1))) dist = t, best = x;
    }
    /* Past the middle to the value that would come next. */
    double max = fp8_value(last, bf8), next = bf8 ? 65536 : 480;
    if (a >= (max + next) / 2) best = bf8 ? 0x7c : 0x7f;
    if (!bf8 && a == (max + next) / 2) best = 0x7e; /* 0x7e is even: the tie stays */
    return best | (signbit(v) ? 128 : 0);
}

static void f32_to_fp8(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (int bf8 = 0; bf8 < 2; bf8++)
            for (unsigned n = 0; n < 300; n++) {
                sem_call_init(&s, build, bf8 ? "V_CVT_PK_BF8_F32" : "V_CVT_PK_FP8_F32");
                s.e.op_sel = n & 1 ? 8 : 0;
                for (unsigned i = 0; i < LANES; i++) {
                    for (unsigned k = 0; k < 2; k++) {
                        uint32_t r = (uint32_t)sem_random();
                        uint32_t *op = k ? &s.b[0][i] : &s.a[0][i];
                        *op = (r & 0x807fffff) | (104 + r % 42) << 23;
                        if (n % 3 == 0) *op &= 0xfff80000;
                        if (n % 7 == 0) *op = r;
                    }
                    s.c[0][i] = 0xdeadbeef;
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    float x = f32_of(s.a[0][i]), y = f32_of(s.b[0][i]);
                    if (isnan(x) || isnan(y)) continue;
                    uint32_t pair = nearest_fp8(x, bf8) | nearest_fp8(y, bf8) << 8;
                    uint32_t want = n & 1 ? 0xbeef | pair << 16 : 0xdead0000 | pair;
                    if (s.d[0][i] != want)
                        fail_msg("%s(%08x, %08x): %08x, expected %08x", s.row->name, s.a[0][i],
                                 s.b[0][i], s.d[0][i], want);
                }
            }
}

/* Without random bits the stochastic form is the plain one; it writes one byte. */
static void stochastic(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned sel = 0; sel < 4; sel++) {
            sem_call_init(&s, build, "V_CVT_SR_FP8_F32");
            s.e.op_sel = (uint8_t)(sel << 2);
            for (unsigned i = 0; i < LANES; i++) {
                s.a[0][i] = bits_f32(1.0625f);
                s.b[0][i] = i & 1 ? 0xffffffff : 0;
                s.c[0][i] = 0x11223344;
            }
            sem_run(&s);
            for (unsigned i = 0; i < LANES; i++) {
                uint32_t byte = i & 1 ? 0x39 : 0x38; /* 1.125, or 1 */
                assert_int_equal(s.d[0][i], (0x11223344 & ~(255u << 8 * sel)) | byte << 8 * sel);
            }
        }
}

/* --- dot products and mixed precision --- */

static void float_dots(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned n = 0; n < 100; n++) {
            int x[LANES][2], y[LANES][2], z[LANES];
            sem_call_init(&s, build, "V_DOT2_F32_F16");
            for (unsigned i = 0; i < LANES; i++) {
                for (unsigned k = 0; k < 2; k++) {
                    x[i][k] = (int)(sem_random() % 200) - 100;
                    y[i][k] = (int)(sem_random() % 200) - 100;
                }
                z[i] = (int)(sem_random() % 2000) - 1000;
                s.a[0][i] = half_of(x[i][0]) | half_of(x[i][1]) << 16;
                s.b[0][i] = half_of(y[i][0]) | half_of(y[i][1]) << 16;
                s.c[0][i] = bits_f32((float)z[i]);
            }
            sem_run(&s);
            for (unsigned i = 0; i < LANES; i++)
                assert_int_equal(s.d[0][i],
                                 bits_f32((float)(z[i] + x[i][0] * y[i][0] + x[i][1] * y[i][1])));
            s.row = sem_row(build, "V_DOT2_F32_BF16");
            for (unsigned i = 0; i < LANES; i++) {
                s.a[0][i] = bits_f32((float)x[i][0]) >> 16 | bits_f32((float)x[i][1]);
                s.b[0][i] = bits_f32((float)y[i][0]) >> 16 | bits_f32((float)y[i][1]);
            }
            sem_run(&s);
            for (unsigned i = 0; i < LANES; i++)
                assert_int_equal(s.d[0][i],
                                 bits_f32((float)(z[i] + x[i][0] * y[i][0] + x[i][1] * y[i][1])));
        }
}

static void fma_mix(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned m = 0; m < 64; m++) {
            sem_call_init(&s, build, "V_FMA_MIX_F32");
            s.e.op_sel = m & 7;
            s.e.op_sel_hi = m >> 3;
            s.e.neg = m & 5;
            s.e.neg_hi = 2;
            float v[3];
            uint32_t(*ops[3])[LANES] = {s.a, s.b, s.c};
            static const int whole[] = {3, -5, 7}, upper[] = {11, -13, 17}, lower[] = {19, -23, 29};
            for (unsigned k = 0; k < 3; k++) {
                int f16 = s.e.op_sel_hi >> k & 1, hi = s.e.op_sel >> k & 1;
                ops[k][0][9] =
                    f16 ? half_of(lower[k]) | half_of(upper[k]) << 16 : bits_f32((float)whole[k]);
                v[k] = (float)(!f16 ? whole[k] : hi ? upper[k] : lower[k]);
                if (k == 1) v[k] = fabsf(v[k]);
                if (s.e.neg >> k & 1) v[k] = -v[k];
            }
            sem_run(&s);
            assert_int_equal(s.d[0][9], bits_f32(v[0] * v[1] + v[2]));
            s.row = sem_row(build, "V_FMA_MIXLO_F16");
            sem_run(&s);
            assert_int_equal(s.d[0][9], half_of((int)(v[0] * v[1] + v[2])));
            assert_true(sem_row(build, "V_FMA_MIXHI_F16")->flags & SEM_DST_HI16);
        }
}

/* --- matrices: small integers, so that every order of summation gives the same --- */

struct matrix_case {
    const char *name;
    unsigned bits, k, gfx12, out_bits; /* out_bits 16: C and D in binary16 or bfloat16 */
    enum { INT, HALF, BF16, FP8, BF8 } a, b;
};
static const struct matrix_case cases[] = {
    {"V_WMMA_F32_16X16X16_F16", 16, 16, 0, 32, HALF, HALF},
    {"V_WMMA_F32_16X16X16_BF16", 16, 16, 0, 32, BF16, BF16},
    {"V_WMMA_F16_16X16X16_F16", 16, 16, 0, 16, HALF, HALF},
    {"V_WMMA_BF16_16X16X16_BF16", 16, 16, 0, 16, BF16, BF16},
    {"V_WMMA_I32_16X16X16_IU8", 8, 16, 0, 32, INT, INT},
    {"V_WMMA_I32_16X16X16_IU4", 4, 16, 0, 32, INT, INT},
    {"V_WMMA_F32_16X16X16_F16_GFX12", 16, 16, 1, 32, HALF, HALF},
    {"V_WMMA_F32_16X16X16_BF16_GFX12", 16, 16, 1, 32, BF16, BF16},
    {"V_WMMA_F16_16X16X16_F16_GFX12", 16, 16, 1, 16, HALF, HALF},
    {"V_WMMA_BF16_16X16X16_BF16_GFX12", 16, 16, 1, 16, BF16, BF16},
    {"V_WMMA_I32_16X16X16_IU8_GFX12", 8, 16, 1, 32, INT, INT},
    {"V_WMMA_I32_16X16X16_IU4_GFX12", 4, 16, 1, 32, INT, INT},
    {"V_WMMA_I32_16X16X32_IU4_GFX12", 4, 32, 1, 32, INT, INT},
    {"V_WMMA_F32_16X16X16_FP8_FP8_GFX12", 8, 16, 1, 32, FP8, FP8},
    {"V_WMMA_F32_16X16X16_FP8_BF8_GFX12", 8, 16, 1, 32, FP8, BF8},
    {"V_WMMA_F32_16X16X16_BF8_FP8_GFX12", 8, 16, 1, 32, BF8, FP8},
    {"V_WMMA_F32_16X16X16_BF8_BF8_GFX12", 8, 16, 1, 32, BF8, BF8},
};

static uint32_t encode(int v, int type, unsigned bits) {
    switch (type) {
    case HALF:
        return half_of(v);
    case BF16:
        return bits_f32((float)v) >> 16;
    case FP8:
        return nearest_fp8(v, 0);
    case BF8:
        return nearest_fp8(v, 1);
    default:
        return (uint32_t)v & ((1u << bits) - 1);
    }
}

static void store_element(uint32_t (*op)[LANES], unsigned lane, unsigned i, unsigned bits,
                          uint32_t x) {
    unsigned at = bits * (i % (32 / bits));
    op[i * bits / 32][lane] |= x << at;
}

static void place_ab(uint32_t (*op)[LANES], const struct matrix_case *m, int type, int v[16][64]) {
    memset(op, 0, 8 * sizeof(uint32_t[LANES]));
    for (unsigned row = 0; row < 16; row++)
        for (unsigned k = 0; k < m->k; k++) {
            uint32_t x = encode(v[row][k], type, m->bits);
            unsigned half = m->k / 2;
            if (m->gfx12) {
                store_element(op, row + k / half * 16, k % half, m->bits, x);
            } else {
                store_element(op, row, k, m->bits, x);
                store_element(op, row + 16, k, m->bits, x);
            }
        }
}

static uint32_t encode_cd(const struct matrix_case *m, int v) {
    if (m->a == INT) return (uint32_t)v;
    if (m->out_bits == 32) return bits_f32((float)v);
    return encode(v, m->a, 16);
}

/* Lane and element of C(row, col). */
static void place_cd(const struct matrix_case *m, unsigned row, unsigned col, unsigned op_sel,
                     unsigned *lane, unsigned *i) {
    if (m->gfx12) {
        *lane = col + row / 8 * 16;
        *i = row % 8;
    } else {
        *lane = col + row % 2 * 16;
        *i = m->out_bits == 16 ? row / 2 * 2 + op_sel : row / 2;
    }
}

static void wmma(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < sizeof cases / sizeof cases[0]; t++)
            for (unsigned half = 0; half < 2; half++) {
                const struct matrix_case *m = &cases[t];
                int a[16][64], b[16][64], c[16][16], range = m->a == BF8 || m->b == BF8 ? 4 : 7;
                sem_call_init(&s, build, m->name);
                s.e.neg = m->a == INT ? 3 : 0;
                s.e.op_sel = (uint8_t)(half << 2);
                for (unsigned i = 0; i < 16; i++)
                    for (unsigned k = 0; k < 64; k++) {
                        a[i][k] = (int)(sem_random() % (2 * (unsigned)range + 1)) - range;
                        b[i][k] = (int)(sem_random() % (2 * (unsigned)range + 1)) - range;
                        /* bfloat16 has 8 bits: keep sums small and sparse there. */
                        if (m->out_bits == 16 && m->a == BF16) a[i][k] = k % 8 ? 0 : a[i][k];
                        if (k < 16) c[i][k] = (int)(sem_random() % 21) - 10;
                    }
                place_ab(s.a, m, m->a, a);
                place_ab(s.b, m, m->b, b);
                for (unsigned r = 0; r < 16; r++)
                    for (unsigned q = 0; q < 16; q++) {
                        unsigned lane, i;
                        place_cd(m, r, q, half, &lane, &i);
                        store_element(s.c, lane, i, m->out_bits, encode_cd(m, c[r][q]));
                    }
                sem_run(&s);
                for (unsigned r = 0; r < 16; r++)
                    for (unsigned q = 0; q < 16; q++) {
                        unsigned lane, i;
                        int sum = c[r][q];
                        for (unsigned k = 0; k < m->k; k++)
                            sum += a[r][k] * b[q][k];
                        place_cd(m, r, q, half, &lane, &i);
                        uint32_t got = s.d[i * m->out_bits / 32][lane];
                        if (m->out_bits == 16) got = got >> 16 * (i & 1) & 0xffff;
                        if (got != encode_cd(m, sum))
                            fail_msg("%s row %u column %u: %08x, expected %08x", m->name, r, q, got,
                                     encode_cd(m, sum));
                    }
            }
}

/* Sparse A: two of four, their places in the index; the other half of the index with op_sel. */
static void swmmac(void **state) {
    (void)state;
    static const struct matrix_case sparse[] = {
        {"V_SWMMAC_F32_16X16X32_F16_GFX12", 16, 32, 1, 32, HALF, HALF},
        {"V_SWMMAC_F16_16X16X32_F16_GFX12", 16, 32, 1, 16, HALF, HALF},
        {"V_SWMMAC_I32_16X16X32_IU8_GFX12", 8, 32, 1, 32, INT, INT},
        {"V_SWMMAC_I32_16X16X32_IU4_GFX12", 4, 32, 1, 32, INT, INT},
        {"V_SWMMAC_I32_16X16X64_IU4_GFX12", 4, 64, 1, 32, INT, INT},
        {"V_SWMMAC_F32_16X16X32_FP8_BF8_GFX12", 8, 32, 1, 32, FP8, BF8},
    };
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < sizeof sparse / sizeof sparse[0]; t++)
            for (unsigned key = 0; key < 2; key++) {
                const struct matrix_case *m = &sparse[t];
                int a[16][64] = {{0}}, b[16][64], c[16][16];
                sem_call_init(&s, build, m->name);
                s.e.neg = m->a == INT ? 3 : 0;
                s.e.op_sel = (uint8_t)key;
                unsigned shift = m->k == 32 ? 16 * key : 0;
                for (unsigned row = 0; row < 16; row++)
                    for (unsigned k = 0; k < m->k; k += 4) {
                        unsigned lane = row + k / (m->k / 2) * 16, p0 = (row + k / 4) % 3, p1 = 3;
                        unsigned pair = k % (m->k / 2) / 4;
                        s.c[0][lane] |= (p0 | p1 << 2) << (4 * pair + shift);
                        for (unsigned j = 0; j < 2; j++) {
                            int v = (int)(sem_random() % 9) - 4;
                            a[row][k + (j ? p1 : p0)] = v;
                            store_element(s.a, lane, 2 * pair + j, m->bits,
                                          encode(v, m->a, m->bits));
                        }
                    }
                for (unsigned i = 0; i < 16; i++)
                    for (unsigned k = 0; k < 64; k++) {
                        b[i][k] = (int)(sem_random() % 9) - 4;
                        if (k < 16) c[i][k] = (int)(sem_random() % 21) - 10;
                    }
                place_ab(s.b, m, m->b, b);
                for (unsigned r = 0; r < 16; r++)
                    for (unsigned q = 0; q < 16; q++) {
                        unsigned lane, i;
                        place_cd(m, r, q, 0, &lane, &i);
                        store_element(s.d, lane, i, m->out_bits, encode_cd(m, c[r][q]));
                    }
                assert_true(s.row->flags & SEM_DST_IN_D);
                sem_run(&s);
                for (unsigned r = 0; r < 16; r++)
                    for (unsigned q = 0; q < 16; q++) {
                        unsigned lane, i;
                        int sum = c[r][q];
                        for (unsigned k = 0; k < m->k; k++)
                            sum += a[r][k] * b[q][k];
                        place_cd(m, r, q, 0, &lane, &i);
                        uint32_t got = s.d[i * m->out_bits / 32][lane];
                        if (m->out_bits == 16) got = got >> 16 * (i & 1) & 0xffff;
                        assert_int_equal(got, encode_cd(m, sum));
                    }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fp8_to_f32), cmocka_unit_test(f32_to_fp8), cmocka_unit_test(stochastic),
        cmocka_unit_test(float_dots), cmocka_unit_test(fma_mix),    cmocka_unit_test(wmma),
        cmocka_unit_test(swmmac),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
