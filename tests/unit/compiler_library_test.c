/* SPDX-License-Identifier: MIT */
/* The prepared device library: names are found, damage is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <cmocka.h>

#include "compiler/library.h"

static void test_names(void **state) {
    (void)state;
    struct library l;
    assert_int_equal(library_open(LIBRARY_PATH, &l), 0);
    assert_true(l.header->name_count > 13000);
    static const char *const there[] = {"_Z13get_global_idj", "__ockl_get_global_id", "_Z3powff",
                                        "_Z6sincosDv4_fPS_", /* generic pointer, as clang says it */
                                        "__printf_alloc"};
    for (size_t i = 0; i < sizeof there / sizeof there[0]; i++)
        assert_true(library_find(&l, there[i]) >= 0);
    assert_int_equal(library_find(&l, "_Z3powff"), library_find(&l, "_Z3powDv4_fS_"));
    static const char *const absent[] = {"printf", "", "zzz", "_Z6sincosDv4_fPU3AS0S_"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        assert_int_equal(library_find(&l, absent[i]), -1);
    for (uint32_t i = 0; i < l.header->name_count; i++) { /* the search finds every entry */
        const char *name = (const char *)l.data + l.names[i].text;
        assert_int_equal(library_find(&l, name), l.names[i].shard);
    }
}

/* Writes the start of the library into a file, with one 32-bit word changed, and opens it. */
static int open_damaged(size_t size, size_t at, uint32_t word) {
    char path[] = "/tmp/rawcl-library-test-XXXXXX";
    struct library good, bad;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(library_open(LIBRARY_PATH, &good), 0);
    if (size > good.size) size = good.size;
    assert_int_equal(write(fd, good.data, size), (ssize_t)size);
    if (at + 4 <= size) assert_int_equal(pwrite(fd, &word, 4, (off_t)at), 4);
    close(fd);
    int r = library_open(path, &bad);
    unlink(path);
    return r;
}

static void test_damage(void **state) {
    (void)state;
    assert_int_equal(open_damaged(SIZE_MAX, SIZE_MAX - 8, 0), 0);
    static const size_t sizes[] = {0, 1, 15, 16, 4096, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_true(open_damaged(sizes[i], SIZE_MAX - 8, 0) < 0);
    assert_true(open_damaged(SIZE_MAX, 0, 1) < 0);           /* magic */
    assert_true(open_damaged(SIZE_MAX, 4, UINT32_MAX) < 0);  /* number of names */
    assert_true(open_damaged(SIZE_MAX, 8, UINT32_MAX) < 0);  /* number of shards */
    assert_true(open_damaged(SIZE_MAX, 16, UINT32_MAX) < 0); /* text of the first name */
    assert_true(open_damaged(SIZE_MAX, 20, UINT32_MAX) < 0); /* its shard */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
