/* SPDX-License-Identifier: MIT */
/* Kernels that do not end, and code that is none. The driver's watchdog is set to
 * one second. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/hw/hw.h"
#include "tests/integration/submit_common.h"

struct spin_args {
    uint64_t flag, out;
    uint32_t value;
};

static void expect_text(struct rig *g, struct am_fence f, const char *what) {
    char text[512];
    assert_int_equal(am_wait(g->dev, f, SECONDS(15)), -EIO);
    am_fence_error(g->dev, f, text, sizeof(text));
    if (!strstr(text, what)) fail_msg("%s is not in: %s", what, text);
}

static void works(struct rig *g, struct am_mem *m, uint32_t value) {
    struct {
        uint64_t where;
        uint32_t value;
    } a = {m->va + 64, value};
    struct am_dispatch d = rig_kernel(g, "poke", 1, &a, sizeof(a));
    rig_run(g, &d);
    assert_int_equal(((uint32_t *)m->cpu)[16], value);
}

static void endless_kernel(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "m");
    struct spin_args a = {m->va, m->va + 8, 1};
    struct am_dispatch spin = rig_kernel(g, "spin", 1, &a, sizeof(a));
    struct am_fence f[2];
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &spin, &f[0]), 0);
    assert_int_equal(am_submit_copy(g->dev, &f[0], 1, m->va + 128, m->va, 4, &f[1]), 0);
    expect_text(g, f[0], "kernel \"spin\": hang");
    rig_wait(g, f[1]);
    works(g, m, 11);
    am_free(g->dev, m);
}

/* A word that is no instruction on either generation. */
static void illegal_instruction(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "m");
    struct am_mem *code = rig_alloc(g, 4096, AM_MEM_VRAM, "no code");
    struct am_dispatch d = rig_kernel(g, "empty", 1, NULL, 0);
    uint32_t bad = 0xbfff0000; /* SOPP, opcode 127 */
    struct am_fence f;
    assert_int_equal(am_submit_fill(g->dev, NULL, 0, code->va, &bad, 4, 4096, &f), 0);
    d.kernel_descriptor_va =
        code->va - hw_get64(d.kernel_descriptor,
                            OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset);
    assert_int_equal(am_submit_dispatch(g->dev, &f, 1, &d, &f), 0);
    expect_text(g, f, "illegal instruction");
    works(g, m, 12);
    am_free(g->dev, m);
    am_free(g->dev, code);
}

/* Code that lies nowhere. */
static void entry_unmapped(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "m");
    struct am_dispatch d = rig_kernel(g, "empty", 1, NULL, 0);
    struct am_fence f;
    d.kernel_descriptor_va = 0x300000000000ull;
    d.kernel_descriptor_va -= hw_get64(
        d.kernel_descriptor, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset);
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), 0);
    expect_text(g, f, "page fault on a read at 0x300000000000");
    works(g, m, 13);
    am_free(g->dev, m);
}

/* A loop that does nothing at all. */
static void forever(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "m");
    uint64_t a = m->va;
    struct am_dispatch d = rig_kernel(g, "forever", 4, &a, sizeof(a));
    struct am_fence f;
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), 0);
    expect_text(g, f, "kernel \"forever\": hang");
    works(g, m, 14);
    am_free(g->dev, m);
}

static double seconds_since(const struct timespec *t) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

/* Work-groups of some 30 ms, enough of them for three and a half seconds: three times what the
 * watchdog waits for a sign of life. */
static void long_kernel_of_short_groups(void **state) {
    struct rig *g = *state;
    enum { MOST = 4096 };
    struct am_mem *m = rig_alloc(g, 4 * MOST, AM_MEM_SYSTEM, "m");
    struct {
        uint64_t out;
        uint32_t rounds;
    } a = {m->va, 200000};
    struct timespec t;
    struct am_dispatch d = rig_kernel(g, "busy", 1, &a, sizeof(a));
    clock_gettime(CLOCK_MONOTONIC, &t);
    rig_run(g, &d);
    a.rounds = (uint32_t)(a.rounds * 0.03 / seconds_since(&t)) + 1;
    uint32_t groups = 16;
    double took = 0;
    while (took < 3.2) { /* how many run side by side, and how fast, is the host's business */
        groups = took > 0.1 ? (uint32_t)(groups * 3.6 / took) + 1 : groups * 4;
        assert_true(groups <= MOST);
        memset(m->cpu, 0, 4 * MOST);
        d = rig_kernel(g, "busy", groups, &a, sizeof(a));
        clock_gettime(CLOCK_MONOTONIC, &t);
        rig_run(g, &d);
        took = seconds_since(&t);
        for (uint32_t i = 0; i < groups; i++)
            assert_true(((uint32_t *)m->cpu)[i] & 1);
    }
    print_message("%u groups, %.1f s\n", groups, took);
    am_free(g->dev, m);
}

static int setup(void **state) {
    if (!getenv("RAWCL_EMU_TIMEOUT")) setenv("AM_TIMEOUT", "1", 1);
    return rig_setup(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(illegal_instruction),
        cmocka_unit_test(entry_unmapped),
        cmocka_unit_test(forever),
        cmocka_unit_test(long_kernel_of_short_groups),
        cmocka_unit_test(endless_kernel),
    };
    return cmocka_run_group_tests(tests, setup, rig_teardown);
}
