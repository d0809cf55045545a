/* SPDX-License-Identifier: MIT */
/* Pure parts of the runtime: rectangles, printf's formatting, the choice of a work-group, hidden
 * arguments, the size protocol, log specifications.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/info.h"
#include "runtime/launch.h"
#include "runtime/log.h"
#include "runtime/printf.h"
#include "runtime/rect.h"

/* ---- rectangles ---- */

static void rect_numbers(void **state) {
    struct rect r;
    uint64_t end;

    (void)state;
    assert_int_equal(rect_make(&r, (size_t[]){1, 2, 3}, (size_t[]){4, 5, 6}, 0, 0, &end), 0);
    assert_int_equal(r.row_pitch, 4);
    assert_int_equal(r.slice_pitch, 20);
    assert_int_equal(r.offset, 3 * 20 + 2 * 4 + 1);
    assert_int_equal(end, r.offset + 120);
    assert_int_equal(rect_make(&r, (size_t[]){0, 0, 0}, (size_t[]){4, 5, 6}, 3, 0, &end), -1);
    assert_int_equal(rect_make(&r, (size_t[]){0, 0, 0}, (size_t[]){4, 5, 6}, 8, 39, &end), -1);
    assert_int_equal(rect_make(&r, (size_t[]){0, 0, 0}, (size_t[]){4, 5, 6}, 8, 44, &end), -1);
    assert_int_equal(rect_make(&r, (size_t[]){0, 0, 0}, (size_t[]){4, 0, 6}, 8, 40, &end), -1);
    assert_int_equal(rect_make(&r, NULL, (size_t[]){4, 1, 6}, 8, 40, &end), -1);
    assert_int_equal(rect_make(&r, (size_t[]){0, SIZE_MAX / 2, 0}, (size_t[]){4, 1, 1}, 8, 0, &end),
                     -1);
    assert_int_equal(rect_make(&r, (size_t[]){0, 0, 0}, (size_t[]){4, SIZE_MAX, 1}, 8, 0, &end),
                     -1);
}

static bool overlap_by_bytes(const struct rect *a, const struct rect *b, const uint64_t n[3]) {
    static uint8_t used[4096];
    bool hit = false;

    memset(used, 0, sizeof used);
    for (int pass = 0; pass < 2; pass++) {
        const struct rect *r = pass ? b : a;
        for (uint64_t z = 0; z < n[2]; z++)
            for (uint64_t y = 0; y < n[1]; y++)
                for (uint64_t x = 0; x < n[0]; x++) {
                    uint8_t *u = &used[r->offset + z * r->slice_pitch + y * r->row_pitch + x];
                    if (pass && *u) hit = true;
                    *u = 1;
                }
    }
    return hit;
}

/* Against a count of bytes, for many small cases. */
static void rect_overlaps(void **state) {
    unsigned seed = 1, hits = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t v[9];
        for (int j = 0; j < 9; j++) {
            seed = seed * 1664525 + 1013904223;
            v[j] = seed >> 16;
        }
        uint64_t n[3] = {1 + v[0] % 6, 1 + v[1] % 4, 1 + v[2] % 3};
        uint64_t row = n[0] + v[3] % 5, slice = row * (n[1] + v[4] % 3);
        struct rect a = {v[5] % (3 * slice), row, slice}, b = {v[6] % (3 * slice), row, slice};
        bool want = overlap_by_bytes(&a, &b, n);
        hits += want;
        assert_int_equal(rect_overlap(&a, &b, n), want);
    }
    assert_true(hits > 2000 && hits < 18000);
}

/* ---- printf ---- */

static void expect(const char *format, const uint32_t *sizes, uint32_t count, const void *args,
                   size_t size, const char *want) {
    struct co_printf p = {.arg_count = count,
                          .arg_sizes = (uint32_t *)(uintptr_t)sizes,
                          .format = format,
                          .format_len = strlen(format)};
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);

    printf_format(f, &p, args, size);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
}

static void printf_scalars(void **state) {
    const int32_t minus = -7;
    const double half = 0.5;
    const uint64_t big = 0x123456789abcdef;
    const char text[8] = "abc";

    (void)state;
    expect("no arguments, 100%%\n", NULL, 0, NULL, 0, "no arguments, 100%\n");
    expect("%d|", (uint32_t[]){4}, 1, &minus, 4, "-7|");
    expect("%5d|", (uint32_t[]){4}, 1, &minus, 4, "   -7|");
    expect("%-5d|", (uint32_t[]){4}, 1, &minus, 4, "-7   |");
    expect("%+.3d|", (uint32_t[]){4}, 1, (int[]){7}, 4, "+007|");
    expect("%u", (uint32_t[]){4}, 1, &minus, 4, "4294967289");
    expect("%hhd", (uint32_t[]){4}, 1, (int[]){0x1ff}, 4, "-1");
    expect("%hu", (uint32_t[]){4}, 1, &minus, 4, "65529");
    expect("%lx", (uint32_t[]){8}, 1, &big, 8, "123456789abcdef");
    expect("%#o", (uint32_t[]){4}, 1, (int[]){8}, 4, "010");
    expect("%c%c", (uint32_t[]){4, 4}, 2, (int[]){'o', 'k'}, 8, "ok");
    expect("%f %g", (uint32_t[]){8, 8}, 2, (double[]){half, 1e10}, 16, "0.500000 1e+10");
    expect("%08.3f", (uint32_t[]){4}, 1, (float[]){3.14159f}, 4, "0003.142");
    expect("%p", (uint32_t[]){8}, 1, &big, 8, "0x123456789abcdef");
    expect("<%s> <%6s>", (uint32_t[]){8, 8}, 2, (char[16]){"abc\0\0\0\0\0de"}, 16,
           "<abc> <    de>");
    expect("<%.2s>", (uint32_t[]){8}, 1, text, 8, "<ab>");
}

static void printf_vectors(void **state) {
    const float v4[4] = {1, 2.5f, -3, 4};
    const int v3[4] = {1, -2, 3, 99};
    const uint16_t h2[2] = {0x3c00, 0xc000}; /* 1.0 and -2.0 */

    (void)state;
    expect("%v4hlf", (uint32_t[]){16}, 1, v4, 16, "1.000000,2.500000,-3.000000,4.000000");
    expect("%.1v4hlf", (uint32_t[]){16}, 1, v4, 16, "1.0,2.5,-3.0,4.0");
    expect("%v3hld", (uint32_t[]){16}, 1, v3, 16, "1,-2,3");
    expect("%v3hld", (uint32_t[]){12}, 1, v3, 12, "1,-2,3");
    expect("%v4hhd", (uint32_t[]){4}, 1, (int8_t[]){-1, 2, -3, 4}, 4, "-1,2,-3,4");
    expect("%#v2hx", (uint32_t[]){4}, 1, (uint16_t[]){0xab, 0xcd}, 4, "0xab,0xcd");
    expect("%v2lu", (uint32_t[]){16}, 1, (uint64_t[]){1, 1ull << 40}, 16, "1,1099511627776");
    expect("%v2hf", (uint32_t[]){4}, 1, h2, 4, "1.000000,-2.000000");
}

/* Damaged data must not be read past its end. */
static void printf_damage(void **state) {
    uint32_t sizes[] = {4};
    struct co_printf p = {
        .id = 1, .arg_count = 1, .arg_sizes = sizes, .format = "%d;", .format_len = 3};
    struct code_object co = {.printfs = &p, .printf_count = 1};
    const uint32_t records[] = {1, 11, 1, 22, 1};
    char *text = NULL;
    size_t len;

    (void)state;
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(printf_write(f, &co, (const uint8_t *)records, sizeof records), 2);
    const uint32_t unknown[] = {9, 9};
    assert_int_equal(printf_write(f, &co, (const uint8_t *)unknown, sizeof unknown), 0);
    fclose(f);
    assert_string_equal(text, "11;22;");
    free(text);
    expect("%d %d %", sizes, 1, (int[]){1}, 4, "1 %d %");
}

/* ---- launches ---- */

static void local_sizes(void **state) {
    static const uint32_t globals[][3] = {{1, 1, 1},       {1024, 1, 1},  {1000003, 1, 1},
                                          {997, 1, 1},     {640, 480, 1}, {17, 19, 23},
                                          {4096, 4096, 1}, {1, 1, 1024},  {3, 1, 1000}};

    (void)state;
    for (size_t i = 0; i < sizeof globals / sizeof globals[0]; i++)
        for (cl_uint dims = 1; dims <= 3; dims++)
            for (int uniform = 0; uniform < 2; uniform++)
                for (uint32_t max = 1; max <= 1024; max *= 4) {
                    uint32_t g[3] = {1, 1, 1}, l[3];
                    for (cl_uint d = 0; d < dims; d++)
                        g[d] = globals[i][d];
                    launch_choose_local(g, dims, max, 32, uniform, l);
                    assert_true((uint64_t)l[0] * l[1] * l[2] <= max);
                    for (int d = 0; d < 3; d++) {
                        assert_true(l[d] >= 1 && l[d] <= g[d]);
                        if (uniform) assert_int_equal(g[d] % l[d], 0);
                    }
                }
    uint32_t l[3];
    launch_choose_local((uint32_t[]){1 << 20, 1, 1}, 1, 1024, 32, true, l);
    assert_int_equal(l[0], 256);
    launch_choose_local((uint32_t[]){1000003, 1, 1}, 1, 1024, 32, false, l);
    assert_true(l[0] >= 32); /* a prime: partial groups rather than groups of one */
}

static void hidden_arguments(void **state) {
    struct co_arg args[] = {
        {.kind = CO_ARG_GLOBAL_BUFFER, .offset = 0, .size = 8},
        {.kind = CO_ARG_HIDDEN_BLOCK_COUNT_X, .offset = 8, .size = 4},
        {.kind = CO_ARG_HIDDEN_GROUP_SIZE_Y, .offset = 12, .size = 2},
        {.kind = CO_ARG_HIDDEN_REMAINDER_X, .offset = 14, .size = 2},
        {.kind = CO_ARG_HIDDEN_GLOBAL_OFFSET_Z, .offset = 16, .size = 8},
        {.kind = CO_ARG_HIDDEN_GRID_DIMS, .offset = 24, .size = 2},
        {.kind = CO_ARG_HIDDEN_DYNAMIC_LDS_SIZE, .offset = 28, .size = 4},
        {.kind = CO_ARG_HIDDEN_PRINTF_BUFFER, .offset = 32, .size = 8},
        {.kind = CO_ARG_HIDDEN_HEAP_V1, .offset = 40, .size = 8},
    };
    struct co_kernel k = {.args = args, .arg_count = 9, .explicit_arg_count = 1};
    struct ndrange nd = {3, {0, 0, 77}, {100, 8, 1}, {32, 4, 1}};
    uint8_t out[48];
    uint32_t u32;
    uint16_t u16;
    uint64_t u64;

    (void)state;
    memset(out, 0xee, sizeof out);
    launch_fill_hidden(&k, &nd, 512, 0x1000, out);
    assert_int_equal(out[0], 0xee); /* explicit ones are not touched */
#define GET(v, at) (memcpy(&(v), out + (at), sizeof(v)), (v))
    assert_int_equal(GET(u32, 8), 3); /* complete groups */
    assert_int_equal(GET(u16, 12), 4);
    assert_int_equal(GET(u16, 14), 4);
    assert_int_equal(GET(u64, 16), 77);
    assert_int_equal(GET(u16, 24), 3);
    assert_int_equal(GET(u32, 28), 512);
    assert_int_equal(GET(u64, 32), 0x1000);
    assert_int_equal(GET(u64, 40), 0);
}

/* ---- info and log ---- */

static void size_protocol(void **state) {
    int v = 5, out = 0;
    size_t size = 0;

    (void)state;
    assert_int_equal(info_copy(0, NULL, &size, &v, sizeof v), CL_SUCCESS);
    assert_int_equal(size, sizeof v);
    assert_int_equal(info_copy(2, &out, &size, &v, sizeof v), CL_INVALID_VALUE);
    assert_int_equal(out, 0);
    assert_int_equal(info_copy(sizeof out, &out, NULL, &v, sizeof v), CL_SUCCESS);
    assert_int_equal(out, 5);
    assert_int_equal(info_copy(0, &out, &size, NULL, 0), CL_SUCCESS);
    assert_int_equal(size, 0);
}

static void log_specs(void **state) {
    (void)state;
    assert_true(log_spec_wants(NULL, "mem", LOG_ERROR));
    assert_false(log_spec_wants(NULL, "mem", LOG_WARN));
    assert_false(log_spec_wants("", "mem", LOG_INFO));
    assert_true(log_spec_wants("mem", "mem", LOG_DEBUG));
    assert_false(log_spec_wants("memory", "mem", LOG_DEBUG));
    assert_true(log_spec_wants("api:warn,mem:info", "mem", LOG_INFO));
    assert_false(log_spec_wants("api:warn,mem:info", "mem", LOG_DEBUG));
    assert_true(log_spec_wants("all:info,mem", "mem", LOG_DEBUG));
    assert_true(log_spec_wants("all:info,mem", "api", LOG_INFO));
    assert_false(log_spec_wants("all:info,mem", "api", LOG_DEBUG));
}

/* Every slot of the loader's table is filled. */
static void full_table(void **state) {
    void *const *slots = (void *const *)&rawcl_dispatch;

    (void)state;
    for (size_t i = 0; i < sizeof rawcl_dispatch / sizeof slots[0]; i++)
        if (!slots[i]) fail_msg("slot %zu of the dispatch table is empty", i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rect_numbers),     cmocka_unit_test(rect_overlaps),
        cmocka_unit_test(printf_scalars),   cmocka_unit_test(printf_vectors),
        cmocka_unit_test(printf_damage),    cmocka_unit_test(local_sizes),
        cmocka_unit_test(hidden_arguments), cmocka_unit_test(size_protocol),
        cmocka_unit_test(log_specs),        cmocka_unit_test(full_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
