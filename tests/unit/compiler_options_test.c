/* SPDX-License-Identifier: MIT */
/* Build options: splitting, values, what is refused and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/options.h"

static const struct {
    const char *options;
    const char *defines[4];
    const char *includes[4];
} good_rows[] = {
    {NULL, {NULL}, {NULL}},
    {"", {NULL}, {NULL}},
    {"  \t\n ", {NULL}, {NULL}},
    {"-D A", {"A"}, {NULL}},
    {"-DA=1 -D B", {"A=1", "B"}, {NULL}},
    {"-D \"A=b c\"", {"A=b c"}, {NULL}},
    {"-D A=\"b c\"", {"A=b c"}, {NULL}},
    {"\"-DA=b c\"", {"A=b c"}, {NULL}},
    {"-D A=\\\"text\\\"", {"A=\"text\""}, {NULL}},
    {"-D \"A=\\\"a b\\\"\"", {"A=\"a b\""}, {NULL}},
    {"-D A=b\\ c", {"A=b c"}, {NULL}},
    {"-D A='x'", {"A='x'"}, {NULL}},
    {"-D \"f(x)=(x)\"", {"f(x)=(x)"}, {NULL}},
    {"-I \"/root/space test/OpenCL\"", {NULL}, {"/root/space test/OpenCL"}},
    {"-I/a -I b", {NULL}, {"/a", "b"}},
    {"-I /tmp/x-g-w/-cl-opt-disable", {NULL}, {"/tmp/x-g-w/-cl-opt-disable"}},
    {"-D X=-cl-fast-relaxed-math", {"X=-cl-fast-relaxed-math"}, {NULL}},
};

static void test_good(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof good_rows / sizeof good_rows[0]; i++) {
        struct compiler_options o;
        char err[256];
        int r = compiler_options_parse(good_rows[i].options, COMPILER_BUILD, &o, err, sizeof err);
        if (r) fail_msg("%s: %s", good_rows[i].options, err);
        size_t n = 0;
        for (; good_rows[i].defines[n]; n++) {
            assert_true(n < o.define_count);
            assert_string_equal(o.defines[n], good_rows[i].defines[n]);
        }
        assert_int_equal(n, o.define_count);
        for (n = 0; good_rows[i].includes[n]; n++) {
            assert_true(n < o.include_count);
            assert_string_equal(o.includes[n], good_rows[i].includes[n]);
        }
        assert_int_equal(n, o.include_count);
        assert_false(o.opt_disable || o.debug || o.no_warnings || o.fast_relaxed_math);
        assert_string_equal(o.standard, "CL1.2");
        compiler_options_free(&o);
    }
}

static void test_switches(void **state) {
    (void)state;
    struct compiler_options o;
    char err[256];
    assert_int_equal(
        compiler_options_parse(
            "-cl-single-precision-constant -cl-denorms-are-zero "
            "-cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable -cl-mad-enable "
            "-cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only "
            "-cl-fast-relaxed-math -cl-uniform-work-group-size -cl-no-subgroup-ifp -w -Werror "
            "-cl-std=CL3.0 -cl-kernel-arg-info -g -cl-strict-aliasing",
            COMPILER_BUILD, &o, err, sizeof err),
        0);
    assert_true(o.single_precision_constant && o.denorms_are_zero && o.correctly_rounded);
    assert_true(o.opt_disable && o.mad_enable && o.no_signed_zeros && o.unsafe_math);
    assert_true(o.finite_math && o.fast_relaxed_math && o.uniform_work_group_size);
    assert_true(o.no_subgroup_ifp && o.no_warnings && o.warnings_are_errors);
    assert_true(o.kernel_arg_info && o.debug && o.strict_aliasing);
    assert_string_equal(o.standard, "CL3.0");
    compiler_options_free(&o);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *options, *named;
        enum compiler_action action;
    } rows[] = {
        {"-cl-no-such-thing", "-cl-no-such-thing", COMPILER_BUILD},
        {"-D", "-D", COMPILER_BUILD},
        {"-D \"\"", "-D", COMPILER_BUILD},
        {"-D 1A", "1A", COMPILER_BUILD},
        {"-I", "-I", COMPILER_COMPILE},
        {"-D \"A=b", "quote", COMPILER_BUILD},
        {"-cl-std=CL9.9", "CL9.9", COMPILER_BUILD},
        {"stray", "stray", COMPILER_BUILD},
        {"-create-library", "-create-library", COMPILER_BUILD},
        {"-D A", "-DA", COMPILER_LINK},
        {"-cl-mad-enable", "-cl-mad-enable", COMPILER_LINK},
        {"-cl-std=CL2.0", "-cl-std=CL2.0", COMPILER_LINK},
        {"-x spir", "SPIR", COMPILER_BUILD},
        {"-gg", "-gg", COMPILER_BUILD},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char log[256];
        assert_int_equal(compiler_check_options(rows[i].options, rows[i].action, log, sizeof log),
                         COMPILER_INVALID_OPTIONS);
        if (!strcmp(rows[i].named, "-DA")) continue;
        if (!strstr(log, rows[i].named)) fail_msg("%s: \"%s\"", rows[i].options, log);
    }
    char log[8]; /* a short log is cut, not overrun */
    assert_int_equal(compiler_check_options("-cl-no-such-thing", COMPILER_BUILD, log, sizeof log),
                     COMPILER_INVALID_OPTIONS);
    assert_true(strlen(log) < sizeof log);
}

static void test_link(void **state) {
    (void)state;
    char log[256];
    assert_int_equal(compiler_check_options("-create-library -enable-link-options "
                                            "-cl-denorms-are-zero -cl-no-signed-zeroes",
                                            COMPILER_LINK, log, sizeof log),
                     COMPILER_OK);
}

/* Many words: the tables are sized by the text. */
static void test_many(void **state) {
    (void)state;
    char text[64 * 1024], err[256];
    size_t n = 0;
    int count = 0;
    while (n < sizeof text - 32) {
        n += (size_t)snprintf(text + n, sizeof text - n, "-DA%d ", count);
        count++;
    }
    struct compiler_options o;
    assert_int_equal(compiler_options_parse(text, COMPILER_BUILD, &o, err, sizeof err), 0);
    assert_int_equal(o.define_count, count);
    compiler_options_free(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_switches),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_link),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
