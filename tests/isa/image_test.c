/* SPDX-License-Identifier: MIT */
/* image_test.c - image and typed buffer instructions with hand-made descriptors, against a plain C
 * reference. Encodings: LLVM's assembler. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "driver/emulator/isa/image.h"
#include "tests/isa/fake_gpu.h"

#define CODE_VA  UINT64_C(0x200000001000)
#define IMAGE_VA UINT64_C(0x200000100000)
enum { WIDTH = 11, HEIGHT = 5, LAYERS = 3, LANES = 32, IMAGE_BYTES = 65536 };
enum { WRAP, MIRROR, EDGE, BORDER = 6 };

/* v[4:7], coordinates v0, v1 (v2), T# s[0:7], S# s[8:11]. [0]: gfx11, [1]: gfx12. */
static const uint32_t load_2d[2][3] = {{0xf0000f04, 0x00000400}, {0xd3c00001, 4, 0x0100}};
static const uint32_t load_d16[2][3] = {{0xf0020f04, 0x00000400}, {0xd3c00021, 4, 0x0100}};
static const uint32_t store_2d[2][3] = {{0xf0180f04, 0x00000400}, {0xd3c18001, 4, 0x0100}};
static const uint32_t sample_lz[2][3] = {{0xf07c0f04, 0x08000400},
                                         {0xe7c7c001, 0x04000004, 0x0100}};
/* The second coordinate in v2. */
static const uint32_t sample_nsa[2][3] = {{0xf07c0f05, 0x08000400, 2},
                                          {0xe7c7c001, 0x04000004, 0x0200}};
static const uint32_t sample_array[2][3] = {{0xf07c0f14, 0x08000400},
                                            {0xe7c7c005, 0x04000004, 0x020100}};
static const uint32_t gather_lz[2][3] = {{0xf0c80104, 0x08000400},
                                         {0xe44c8001, 0x04000004, 0x0100}};
static const uint32_t resinfo[2][3] = {{0xf05c0f04, 0x00000400}, {0xd3c5c001, 4, 0}};
static const uint32_t atomic_add[2][3] = {{0xf0304104, 0x00000400}, {0xd0430001, 0x100004, 0x0100}};
static const uint32_t buffer_load[2][3] = {{0xe00c0000, 0x80800400}, {0xc400c07c, 0x80800004, 0}};
static const uint32_t buffer_store[2][3] = {{0xe01c0000, 0x80800400}, {0xc401c07c, 0x80800004, 0}};

struct fixture {
    struct fake_gpu gpu;
    struct isa_dispatch d;
    struct isa_group *g;
    uint32_t *code;
    uint8_t *memory;
    uint32_t sgpr[12];
    uint32_t in[8][LANES], out[4][LANES];
    bool gfx12;
};

static void set_up(struct fixture *f, bool gfx12) {
    memset(f, 0, sizeof *f);
    fake_gpu_init(&f->gpu);
    f->gfx12 = gfx12;
    f->code = (uint32_t *)fake_gpu_map(&f->gpu, CODE_VA, 4096);
    f->memory = fake_gpu_map(&f->gpu, IMAGE_VA, IMAGE_BYTES);
    assert_non_null(f->code);
    assert_non_null(f->memory);
    f->d = (struct isa_dispatch){.arch = gfx12 ? ISA_GFX12 : ISA_GFX11,
                                 .host = &f->gpu.host,
                                 .entry_va = CODE_VA,
                                 .wave_size = LANES,
                                 .pgm_rsrc1 = 0x3f | 0xf0 << 12,
                                 .group_size = {LANES, 1, 1}};
    f->g = isa_group_create(&f->d);
    assert_non_null(f->g);
}

static void tear_down(struct fixture *f) {
    isa_group_destroy(f->g);
    fake_gpu_fini(&f->gpu);
}

/* SQ_RSRC_IMG_TYPE 9 2D, 13 2D array. */
static void descriptor(struct fixture *f, unsigned type, unsigned format, unsigned pitch) {
    unsigned w = WIDTH - 1, h = HEIGHT - 1;
    f->sgpr[0] = (uint32_t)(IMAGE_VA >> 8);
    f->sgpr[1] = (uint32_t)(IMAGE_VA >> 40) | format << (f->gfx12 ? 17 : 20) | (w & 3) << 30;
    f->sgpr[2] = w >> 2 | h << 14;
    f->sgpr[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | type << 28;
    f->sgpr[4] = type == 9 ? pitch - 1 : LAYERS - 1;
    f->sgpr[5] = f->sgpr[6] = f->sgpr[7] = 0;
}

static void sampler(struct fixture *f, unsigned clamp, unsigned filter, bool unnormalized) {
    f->sgpr[8] = clamp | clamp << 3 | clamp << 6 | (uint32_t)unnormalized << 15;
    f->sgpr[9] = 0xfffu << (f->gfx12 ? 13 : 12);
    f->sgpr[10] = filter << 20 | filter << 22;
    f->sgpr[11] = 0;
}

static enum isa_end run(struct fixture *f, const uint32_t code[2][3]) {
    const uint32_t *c = code[f->gfx12];
    unsigned n = f->gfx12 ? 3 : (c[0] & 1) && c[0] >> 26 == 0x3c ? 3 : 2;
    memcpy(f->code, c, n * 4);
    f->code[n] = 0xbfb00000; /* s_endpgm */
    isa_invalidate_code();
    struct isa_group_start s = {.size = {LANES, 1, 1}};
    isa_group_start(f->g, &s);
    struct wave *w = &f->g->waves[0];
    memcpy(w->s, f->sgpr, sizeof f->sgpr);
    memcpy(w->v, f->in, sizeof f->in);
    enum isa_end end = isa_group_run(f->g, 1000);
    memcpy(f->out, w->v + 4, sizeof f->out);
    return end;
}

static void run_ok(struct fixture *f, const uint32_t code[2][3]) {
    enum isa_end end = run(f, code);
    struct isa_report r;
    isa_group_report(f->g, &r);
    if (end != ISA_DONE) print_message("%s\n", r.text);
    assert_int_equal(end, ISA_DONE);
}

static float as_float(uint32_t v) {
    float f;
    memcpy(&f, &v, 4);
    return f;
}

static uint32_t as_bits(float v) {
    uint32_t b;
    memcpy(&b, &v, 4);
    return b;
}

/* A float image of four components, 64 texels a row. */
static float value_at(int x, int y, int c) {
    return (float)(x * x + 10 * y + 100 * c) + 0.25f;
}

static void fill(struct fixture *f, unsigned pitch, unsigned layers) {
    float *m = (float *)f->memory;
    for (unsigned l = 0; l < layers; l++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                for (int c = 0; c < 4; c++)
                    m[4 * ((l * HEIGHT + (unsigned)y) * pitch + (unsigned)x) + (unsigned)c] =
                        value_at(x, y, c) + 1000.0f * (float)l;
}

static void test_load(void **state) {
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        descriptor(&f, 9, 63, 32);
        fill(&f, 32, 1);
        for (unsigned i = 0; i < LANES; i++)
            f.in[0][i] = i - 2, f.in[1][i] = i % 7;
        run_ok(&f, load_2d);
        for (unsigned i = 0; i < LANES; i++)
            for (int c = 0; c < 4; c++) {
                int x = (int)i - 2, y = (int)i % 7;
                bool in = x >= 0 && x < WIDTH && y < HEIGHT;
                assert_true(as_float(f.out[c][i]) == (in ? value_at(x, y, c) : 0));
            }
        run_ok(&f, load_d16);
        assert_int_equal(f.out[0][2], image_to_half(as_bits(value_at(0, 2, 0))) |
                                          image_to_half(as_bits(value_at(0, 2, 1))) << 16);
        f.sgpr[3] |= 27 << 20; /* a tiled one */
        assert_int_equal(run(&f, load_2d), ISA_ILLEGAL);
        tear_down(&f);
    }
}

static void test_store(void **state) {
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        descriptor(&f, 9, 42, 64);                                        /* 8_8_8_8_UNORM */
        f.sgpr[3] = (f.sgpr[3] & ~0xfffu) | 6 | 5 << 3 | 4 << 6 | 7 << 9; /* BGRA */
        for (unsigned i = 0; i < LANES; i++) {
            f.in[0][i] = i, f.in[1][i] = 3;
            f.in[4][i] = as_bits((float)i / 255), f.in[5][i] = as_bits(2.5f);
            f.in[6][i] = as_bits(-1.0f), f.in[7][i] = as_bits(0.5f);
        }
        memset(f.memory, 0xee, IMAGE_BYTES);
        run_ok(&f, store_2d);
        for (unsigned i = 0; i < LANES; i++) {
            const uint8_t *p = f.memory + 4 * (3 * 64 + i);
            const uint8_t want[4] = {0, 255, (uint8_t)i, 128};
            if (i < WIDTH)
                assert_memory_equal(p, want, 4);
            else
                assert_int_equal(*p, 0xee);
        }
        run_ok(&f, load_2d);
        assert_true(as_float(f.out[0][7]) == 7.0f / 255 && as_float(f.out[1][7]) == 1);
        tear_down(&f);
    }
}

static int reference_index(unsigned mode, int i, int n) {
    if (mode == WRAP) return (i % n + n) % n;
    if (mode == EDGE) return i < 0 ? 0 : i >= n ? n - 1 : i;
    if (mode == BORDER) return i < 0 || i >= n ? -1 : i;
    i = (i % (2 * n) + 2 * n) % (2 * n);
    return i < n ? i : 2 * n - 1 - i;
}

static double reference_texel(unsigned mode, int x, int y, int c) {
    x = reference_index(mode, x, WIDTH), y = reference_index(mode, y, HEIGHT);
    return x < 0 || y < 0 ? 0 : value_at(x, y, c);
}

static double reference(unsigned mode, bool linear, double x, double y, int c) {
    if (!linear) return reference_texel(mode, (int)floor(x), (int)floor(y), c);
    int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    double a = x - 0.5 - i, b = y - 0.5 - j;
    return (1 - b) *
               ((1 - a) * reference_texel(mode, i, j, c) + a * reference_texel(mode, i + 1, j, c)) +
           b * ((1 - a) * reference_texel(mode, i, j + 1, c) +
                a * reference_texel(mode, i + 1, j + 1, c));
}

static void check_sample(struct fixture *f, const uint32_t code[2][3], unsigned second,
                         unsigned mode, bool linear, bool unnormalized) {
    sampler(f, mode, linear, unnormalized);
    for (unsigned i = 0; i < LANES; i++) {
        float x = (float)i - 9.3f, y = 0.37f * (float)i - 2.13f;
        f->in[0][i] = as_bits(unnormalized ? x : x / WIDTH);
        f->in[second][i] = as_bits(unnormalized ? y : y / HEIGHT);
    }
    run_ok(f, code);
    for (unsigned i = 0; i < LANES; i++)
        for (int c = 0; c < 4; c++) {
            double want = reference(mode, linear, i - 9.3f, 0.37f * (float)i - 2.13f, c);
            assert_true(fabs(as_float(f->out[c][i]) - want) <= 1e-4 * (100 + fabs(want)));
        }
}

static void test_sample(void **state) {
    (void)state;
    static const unsigned modes[] = {WRAP, MIRROR, EDGE, BORDER};
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        descriptor(&f, 9, 63, 64);
        fill(&f, 64, 1);
        for (unsigned m = 0; m < 4; m++)
            for (int linear = 0; linear < 2; linear++)
                for (int unnormalized = 0; unnormalized < 2; unnormalized++) {
                    if (unnormalized && modes[m] < EDGE) continue;
                    check_sample(&f, sample_lz, 1, modes[m], linear, unnormalized);
                    check_sample(&f, sample_nsa, 2, modes[m], linear, unnormalized);
                }
        tear_down(&f);
    }
}

static void test_array(void **state) {
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        descriptor(&f, 13, 63, 0);
        fill(&f, 16, LAYERS); /* 11 texels of 16 bytes: rows of 256 on both */
        sampler(&f, EDGE, 0, true);
        for (unsigned i = 0; i < LANES; i++) {
            f.in[0][i] = as_bits(2.5f), f.in[1][i] = as_bits(3.5f);
            f.in[2][i] = as_bits(0.3f * (float)i - 1);
        }
        run_ok(&f, sample_array);
        for (unsigned i = 0; i < LANES; i++) {
            float l = rintf(0.3f * (float)i - 1);
            l = l < 0 ? 0 : l > LAYERS - 1 ? LAYERS - 1 : l;
            assert_true(as_float(f.out[1][i]) == value_at(2, 3, 1) + 1000 * l);
        }
        tear_down(&f);
    }
}

static void test_gather_and_resinfo(void **state) {
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        descriptor(&f, 9, 63, 64);
        fill(&f, 64, 1);
        sampler(&f, EDGE, 0, true);
        for (unsigned i = 0; i < LANES; i++)
            f.in[0][i] = as_bits(4.0f), f.in[1][i] = as_bits(2.0f);
        run_ok(&f, gather_lz);
        assert_true(as_float(f.out[0][5]) == value_at(3, 2, 0));
        assert_true(as_float(f.out[1][5]) == value_at(4, 2, 0));
        assert_true(as_float(f.out[2][5]) == value_at(4, 1, 0));
        assert_true(as_float(f.out[3][5]) == value_at(3, 1, 0));
        memset(f.in[0], 0, sizeof f.in[0]);
        run_ok(&f, resinfo);
        assert_int_equal(f.out[0][3], WIDTH);
        assert_int_equal(f.out[1][3], HEIGHT);
        assert_int_equal(f.out[2][3], 1);
        assert_int_equal(f.out[3][3], 1);
        tear_down(&f);
    }
}

static void test_atomic(void **state) {
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        descriptor(&f, 9, 20, 64); /* 32_UINT */
        for (unsigned i = 0; i < LANES; i++)
            f.in[0][i] = i < 30 ? 3 : WIDTH, f.in[1][i] = 1, f.in[4][i] = i + 1;
        run_ok(&f, atomic_add);
        assert_int_equal(((uint32_t *)f.memory)[64 + 3], 30 * 31 / 2);
        uint64_t seen = 0;
        for (unsigned i = 0; i < 30; i++)
            seen += f.out[0][i] == i * (i + 1) / 2;
        assert_int_equal(seen, 30);
        assert_int_equal(f.out[0][31], 0);
        tear_down(&f);
    }
}

static void test_typed_buffer(void **state) {
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        f.sgpr[0] = (uint32_t)IMAGE_VA;
        f.sgpr[1] = (uint32_t)(IMAGE_VA >> 32) | 8 << 16;
        f.sgpr[2] = 20;
        f.sgpr[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 52u << 12; /* 16_16_16_16_SNORM */
        for (unsigned i = 0; i < LANES; i++) {
            f.in[0][i] = i;
            f.in[4][i] = as_bits((float)i / 32767), f.in[5][i] = as_bits(-3.0f);
            f.in[6][i] = as_bits(1), f.in[7][i] = as_bits(-0.5f);
        }
        memset(f.memory, 0xee, IMAGE_BYTES);
        run_ok(&f, buffer_store);
        for (unsigned i = 0; i < LANES; i++) {
            const int16_t want[4] = {(int16_t)i, -32767, 32767, -16384};
            if (i < 20)
                assert_memory_equal(f.memory + 8 * i, want, 8);
            else
                assert_int_equal(f.memory[8 * i], 0xee);
        }
        run_ok(&f, buffer_load);
        assert_true(as_float(f.out[0][9]) == 9.0f / 32767 && as_float(f.out[1][9]) == -1);
        assert_int_equal(f.out[2][20], 0);
        tear_down(&f);
    }
}

/* Elements of 4 bytes, 16 records beside each other: SWIZZLE_ENABLE 1, INDEX_STRIDE 1. Out of range
 * by offset and by nothing but NUM_RECORDS = 0. */
static void test_swizzled_buffer(void **state) {
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        f.sgpr[0] = (uint32_t)IMAGE_VA;
        f.sgpr[1] = (uint32_t)(IMAGE_VA >> 32) | 8 << 16 | 1u << 30;
        f.sgpr[2] = LANES;
        f.sgpr[3] = 4 | 1u << 3 | 0 << 6 | 4 << 9 | 20u << 12 | 1u << 21; /* 32_UINT; X 1 0 X */
        for (uint32_t i = 0; i < IMAGE_BYTES / 4; i++)
            ((uint32_t *)f.memory)[i] = i;
        for (unsigned i = 0; i < LANES; i++)
            f.in[0][i] = i;
        run_ok(&f, buffer_load);
        for (unsigned i = 0; i < LANES; i++) {
            assert_int_equal(f.out[0][i], i / 16 * 16 * 2 + i % 16);
            assert_int_equal(f.out[1][i], 1);
            assert_int_equal(f.out[2][i], 0);
            assert_int_equal(f.out[3][i], f.out[0][i]);
        }
        f.sgpr[1] = (uint32_t)(IMAGE_VA >> 32) | 2 << 16; /* a stride less than the texel */
        run_ok(&f, buffer_load);
        assert_int_equal(f.out[0][4], 0);
        f.sgpr[1] = (uint32_t)(IMAGE_VA >> 32) | 8 << 16;
        f.sgpr[2] = 1, f.sgpr[3] |= 2u << 28;
        run_ok(&f, buffer_load);
        assert_int_equal(f.out[0][30], 60);
        f.sgpr[2] = 0;
        run_ok(&f, buffer_load);
        assert_int_equal(f.out[0][30], 0);
        tear_down(&f);
    }
}

/* 3D, linear in every axis. */
static void test_volume(void **state) {
    (void)state;
    for (int g = 0; g < 2; g++) {
        struct fixture f;
        set_up(&f, g);
        descriptor(&f, 10, 22, 0); /* 3D, 32_FLOAT */
        struct image im;
        struct image_sampler s;
        struct image_texel t;
        const char *why;
        uint64_t va;
        assert_true(image_resource(f.d.arch, f.sgpr, &im, &why));
        assert_int_equal(im.depth, LAYERS);
        unsigned pitch = g ? 32 : 64;
        float *m = (float *)f.memory;
        for (unsigned z = 0; z < LAYERS; z++)
            for (unsigned y = 0; y < HEIGHT; y++)
                for (unsigned x = 0; x < WIDTH; x++)
                    m[(z * HEIGHT + y) * pitch + x] = (float)(x + 20 * y + 300 * z);
        sampler(&f, EDGE, 1, true);
        f.sgpr[10] |= 2u << 24;
        assert_true(image_sampler(f.d.arch, f.sgpr + 8, &s, &why));
        struct image_query q = {.coord = {3.25f, 2.75f, 1.0f}, .gather = -1};
        isa_group_start(f.g, &(struct isa_group_start){.size = {LANES, 1, 1}});
        assert_true(image_sample(f.g, &im, &s, &q, &t, &va));
        assert_true(fabsf(as_float(t.c[0]) - (2.75f + 20 * 2.25f + 150)) < 1e-3f);
        f.sgpr[11] = 3u << 30; /* a border colour of the table */
        assert_false(image_sampler(f.d.arch, f.sgpr + 8, &s, &why));
        tear_down(&f);
    }
}

/* Every code of every format without 32-bit components comes back as it was. */
static void test_formats(void **state) {
    (void)state;
    unsigned known = 0;
    for (unsigned n = 0; n < 256; n++) {
        const struct image_format *f = image_format_by_value(n);
        if (!f) continue;
        known++;
        assert_true(f->bytes >= 1 && f->bytes <= 16);
        for (unsigned v = 0; v < 65536; v++) {
            uint8_t in[16], out[16];
            for (unsigned i = 0; i < 16; i++)
                in[i] = (uint8_t)((i & 1 ? v >> 8 : v) * (i < 2 ? 1 : 2 * i + 1));
            struct image_texel t = image_decode(f, in);
            image_encode(f, &t, out);
            struct image_texel u = image_decode(f, out);
            if (f->number != IMAGE_SHARED_EXPONENT && f->number != IMAGE_FLOAT)
                assert_memory_equal(&t, &u, sizeof t);
            if (f->number == IMAGE_UINT || f->number == IMAGE_UNORM || f->number == IMAGE_SRGB)
                assert_memory_equal(in, out, f->bytes);
        }
    }
    assert_true(known > 70);
    /* Constants by hand: 5_6_5 holds X in the low bits. */
    struct image_texel t = image_decode(image_format_by_value(68), (const uint8_t[]){0x1f, 0x00});
    assert_true(as_float(t.c[0]) == 1 && as_float(t.c[1]) == 0 && as_float(t.c[3]) == 1);
    t = image_decode(image_format_by_value(66), (const uint8_t[]){188, 0, 255, 128});
    assert_true(fabsf(as_float(t.c[0]) - 0.50289f) < 1e-4f);
    assert_true(as_float(t.c[3]) == 128.0f / 255);
    assert_int_equal(image_to_half(as_bits(65520.0f)), 0x7c00);
    assert_int_equal(image_to_half(as_bits(1.0f + 0x1p-11f)), 0x3c00);
    assert_int_equal(image_to_half(as_bits(0x1p-24f)), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_store),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_gather_and_resinfo),
        cmocka_unit_test(test_atomic),
        cmocka_unit_test(test_typed_buffer),
        cmocka_unit_test(test_swizzled_buffer),
        cmocka_unit_test(test_volume),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
