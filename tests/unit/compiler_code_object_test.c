/* SPDX-License-Identifier: MIT */
/* The code object reader against damage: cut short at every length, and with bytes changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/code_object.h"
#include "compiler/compiler.h"

static struct compiler_result good;

static int setup(void **state) {
    (void)state;
    static const char source[] =
        "global int v = 1; global int *global q = &v;\n"
        "kernel __attribute__((reqd_work_group_size(64,1,1))) void f(global int *p, int n)\n"
        "{ *p = *q + n; printf(\"%d and %s\\n\", n, \"x\"); }\n"
        "kernel void g(local int *p) { *p = 1; }\n";
    struct compiler_job job = {.action = COMPILER_BUILD,
                               .target = "gfx1100",
                               .options = "-cl-std=CL3.0",
                               .source = source,
                               .source_size = strlen(source)};
    setenv("RAWCL_CACHE_DIR", "off", 1);
    compiler_run(&job, &good);
    if (good.status != COMPILER_OK) fputs(good.log, stderr);
    return good.status == COMPILER_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    compiler_result_free(&good);
    return 0;
}

/* Parses and touches everything. Returns whether it was accepted. */
static bool parse(const void *data, size_t size) {
    struct code_object *co;
    char err[256] = "", target[16];
    co_identify(data, size);
    co_target(data, size, target);
    if (co_parse(data, size, &co, err, sizeof err)) {
        assert_null(co);
        assert_true(err[0] != 0);
        return false;
    }
    size_t sum = 0;
    for (size_t i = 0; i < co->kernel_count; i++) {
        const struct co_kernel *k = &co->kernels[i];
        sum += strlen(k->name) + strlen(k->attributes) + strlen(k->vec_type_hint);
        assert_true(k->descriptor_vaddr <= co->image_size - 64);
        for (uint32_t a = 0; a < k->arg_count; a++) {
            assert_true(k->args[a].offset + (uint64_t)k->args[a].size <= k->kernarg_size);
            sum += k->args[a].name ? strlen(k->args[a].name) : 0;
        }
    }
    for (size_t i = 0; i < co->printf_count; i++)
        sum += co->printfs[i].format_len;
    uint8_t *image = malloc(co->image_size);
    assert_non_null(image);
    co_relocate(co, 0x200000000000, image);
    free(image);
    co_free(co);
    return sum < SIZE_MAX;
}

static void test_good(void **state) {
    (void)state;
    assert_int_equal(co_identify(good.binary, good.binary_size), CO_EXECUTABLE);
    assert_true(parse(good.binary, good.binary_size));
}

static void test_truncated(void **state) {
    (void)state;
    for (size_t size = 0; size < good.binary_size; size += size < 512 ? 1 : 37) {
        char *cut = malloc(size + 1); /* exact size: a sanitizer sees any overrun */
        if (size) memcpy(cut, good.binary, size);
        char *exact = realloc(cut, size ? size : 1);
        assert_false(parse(exact, size));
        free(exact);
    }
    assert_false(parse(NULL, 0));
}

static void test_changed(void **state) {
    (void)state;
    uint32_t random = 12345;
    char *copy = malloc(good.binary_size);
    for (int i = 0; i < 3000; i++) {
        memcpy(copy, good.binary, good.binary_size);
        for (int k = 0; k < 1 + i % 4; k++) {
            random = random * 1664525u + 1013904223u;
            size_t at = (random >> 4) % good.binary_size;
            if (i & 1) at %= 1024; /* headers and notes are at the front */
            random = random * 1664525u + 1013904223u;
            copy[at] = (char)(random >> 16);
        }
        parse(copy, good.binary_size);
    }
    free(copy);
}

static void test_other_formats(void **state) {
    (void)state;
    char *copy = malloc(good.binary_size);
    memcpy(copy, good.binary, good.binary_size);
    copy[18] = 62; /* x86-64 */
    assert_int_equal(co_identify(copy, good.binary_size), CO_INVALID);
    assert_false(parse(copy, good.binary_size));
    memcpy(copy, good.binary, good.binary_size);
    copy[8] = 1; /* code object version 3 */
    assert_false(parse(copy, good.binary_size));
    memcpy(copy, good.binary, good.binary_size);
    copy[48] = 0x2c; /* gfx900 */
    assert_false(parse(copy, good.binary_size));
    free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_other_formats),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
