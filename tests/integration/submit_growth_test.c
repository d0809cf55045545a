/* SPDX-License-Identifier: MIT */
/* Memory that comes back: what a program does over and over must not make the process grow. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/integration/submit_common.h"

/* Sanitizers keep freed memory for a while. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

/* Resident pages of this process that no file backs, in KiB. */
static long resident_kib(void) {
    long all = 0, shared = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld %ld", &all, &pages, &shared), 3);
    fclose(f);
    return (pages - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

static unsigned rounds(unsigned usual) {
    const char *s = getenv("TEST_ROUNDS");
    return s ? (unsigned)strtoul(s, NULL, 10) : usual;
}

/* The model once remembered 20 KB for each MiB of system memory that SDMA had ever touched. */
static void alloc_copy_free_10000_does_not_grow(void **state) {
    if (__asan_init || __tsan_init) skip();
    struct rig *g = *state;
    enum { N = 1 << 20 };
    struct am_mem *v = rig_alloc(g, N, AM_MEM_VRAM, "v");
    long before = 0;
    unsigned n = rounds(10000);
    for (unsigned i = 0; i < n; i++) {
        struct am_mem *m = rig_alloc(g, N, AM_MEM_SYSTEM, "short-lived");
        /* one page in each 64 KiB: what the model keeps goes by the page, the time by the byte */
        struct am_fence f = {0};
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(am_submit_copy(g->dev, NULL, 0, m->va + k * (N / 4), v->va, 4096, &f),
                             0);
        rig_wait(g, f);
        am_free(g->dev, m);
        if (i == n / 10) before = resident_kib();
    }
    long grown = resident_kib() - before;
    print_message("%u rounds: %ld KiB more\n", n, grown);
    /* A tenth of what the defect cost; the allocator's own ups and downs are far below. */
    assert_true(grown < (long)n * 2);
    am_free(g->dev, v);
}

static void million_enqueues_do_not_grow(void **state) {
    if (__asan_init || __tsan_init) skip();
    struct rig *g = *state;
    struct am_dispatch k = rig_kernel(g, "empty", 1, NULL, 0);
    long before = 0;
    unsigned n = rounds(1000000);
    struct am_fence f = {0};
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &k, &f), 0);
        if (i % 256 == 255) rig_wait(g, f);
        if (i == n / 10) before = resident_kib();
    }
    rig_wait(g, f);
    long grown = resident_kib() - before;
    print_message("%u enqueues: %ld KiB more\n", n, grown);
    assert_true(grown < 4096);
}

/* A device closed while memory is still allocated on it gives all of it back. */
static void open_and_close_do_not_grow(void **state) {
    if (__asan_init || __tsan_init) skip();
    struct rig *g = *state;
    char id[96], err[512];
    snprintf(id, sizeof(id), "emu:%s,vram=256M", g->target);
    size_t before = 0;
    for (unsigned i = 0; i < 12; i++) {
        struct am_device *d;
        struct am_mem *m;
        struct am_fence f;
        assert_int_equal(am_open(id, NULL, &d, err, sizeof(err)), 0);
        assert_int_equal(am_alloc(d, 4 << 20, 0, AM_MEM_SYSTEM, "left behind", &m), 0);
        assert_int_equal(am_submit_fill(d, NULL, 0, m->va, &i, 4, 4 << 20, &f), 0);
        assert_int_equal(am_wait(d, f, SECONDS(20)), 0);
        am_close(d);
        if (i == 3) before = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    print_message("12 devices: %ld bytes more\n", (long)(after - before));
    assert_true(after < before + 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alloc_copy_free_10000_does_not_grow),
        cmocka_unit_test(million_enqueues_do_not_grow),
        cmocka_unit_test(open_and_close_do_not_grow),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
