/* SPDX-License-Identifier: MIT */
/* Commands that go wrong: which one is blamed, what is said, and that everything else still runs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/integration/submit_common.h"

struct poke_args {
    uint64_t where;
    uint32_t value;
};

static struct am_fence poke(struct rig *g, const struct am_fence *waits, size_t n, uint64_t where,
                            uint32_t value) {
    struct poke_args a = {where, value};
    struct am_dispatch d = rig_kernel(g, "poke", 1, &a, sizeof(a));
    struct am_fence f;
    assert_int_equal(am_submit_dispatch(g->dev, waits, n, &d, &f), 0);
    return f;
}

static void expect_fault(struct rig *g, struct am_fence f, const char *who, uint64_t address,
                         const char *near) {
    char text[512], hex[32];
    assert_int_equal(am_wait(g->dev, f, SECONDS(20)), -EIO);
    assert_int_equal(am_fence_error(g->dev, f, text, sizeof(text)), -EIO);
    snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)address);
    if (!strstr(text, who) || !strstr(text, hex) || !strstr(text, near))
        fail_msg("the message names not all of %s, %s, %s: %s", who, hex, near, text);
    uint64_t start, end;
    assert_int_equal(am_fence_times(g->dev, f, &start, &end), 0);
    assert_true(start <= end);
}

/* Past the end of a buffer; before and behind it, and on the other ring, all is well. */
static void one_bad_kernel(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    struct am_mem *v = rig_alloc(g, 4096, AM_MEM_VRAM, "the victim's buffer");
    volatile uint32_t *p = m->cpu;
    for (unsigned round = 0; round < 10; round++) {
        struct am_fence f[5];
        f[0] = poke(g, NULL, 0, m->va, 100 + round);
        f[1] = poke(g, &f[0], 1, v->va + v->size, 1);
        f[2] = poke(g, &f[1], 1, m->va + 4, 200 + round);
        assert_int_equal(am_submit_copy(g->dev, &f[2], 1, m->va + 8, m->va + 4, 4, &f[3]), 0);
        f[4] = poke(g, &f[3], 1, m->va + 12, 300 + round);
        rig_wait(g, f[4]);
        expect_fault(g, f[1], "\"poke\"", v->va + v->size,
                     "past the end of \"the victim's buffer\"");
        expect_fault(g, f[1], "work-group (0,0,0), work-item (0,0,0)", v->va + v->size, "at pc 0x");
        rig_wait(g, f[0]);
        rig_wait(g, f[2]);
        rig_wait(g, f[3]);
        assert_int_equal(p[0], 100 + round);
        assert_int_equal(p[1], 200 + round);
        assert_int_equal(p[2], 200 + round);
        assert_int_equal(p[3], 300 + round);
    }
    am_free(g->dev, m);
    am_free(g->dev, v);
}

/* Every lane of every wave faults; one command is blamed, once. */
static void many_faulting_waves(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    struct {
        uint64_t in, out;
        uint32_t mul, n;
    } a = {m->va + m->size, m->va + m->size + 65536, 3, 64 * 200};
    struct am_dispatch bad = rig_kernel(g, "muladd", 200, &a, sizeof(a));
    struct am_fence f[3];
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &bad, &f[0]), 0);
    f[1] = poke(g, &f[0], 1, m->va, 5);
    f[2] = poke(g, &f[1], 1, m->va + 4, 6);
    rig_wait(g, f[2]);
    rig_wait(g, f[1]);
    assert_int_equal(am_wait(g->dev, f[0], SECONDS(20)), -EIO);
    assert_int_equal(((uint32_t *)m->cpu)[0], 5);
    assert_int_equal(((uint32_t *)m->cpu)[1], 6);
    am_free(g->dev, m);
}

/* __builtin_trap() in one work-item: who it was is said, and only that command is lost. */
static void trap_names_the_work_item(void **state) {
    struct rig *g = *state;
    enum { GROUPS = 20 };
    struct am_mem *m = rig_alloc(g, 64 * 4 * GROUPS, AM_MEM_SYSTEM, "good");
    uint32_t *p = m->cpu;
    for (uint32_t round = 0; round < 10; round++) {
        struct {
            uint64_t p;
            uint32_t n;
        } a = {m->va, 1000};
        uint32_t group = round * 7 % GROUPS, item = round * 29 % 64;
        char want[64], text[512];
        memset(p, 0, m->size);
        p[group * 64 + item] = 1000;
        struct am_dispatch d = rig_kernel(g, "traps", GROUPS, &a, sizeof(a));
        struct am_fence f[4];
        f[0] = poke(g, NULL, 0, m->va + 4 * ((group + 1) % GROUPS * 64), 5);
        assert_int_equal(am_submit_dispatch(g->dev, f, 1, &d, &f[1]), 0);
        f[2] = poke(g, &f[1], 1, m->va + 4 * (group * 64 + item), 6);
        f[3] = poke(g, &f[2], 1, m->va + 4 * (group * 64 + item), 7);
        assert_int_equal(am_wait(g->dev, f[1], SECONDS(20)), -EIO);
        am_fence_error(g->dev, f[1], text, sizeof(text));
        snprintf(want, sizeof(want), "work-group (%u,0,0), work-item (%u,0,0)", group, item);
        if (!strstr(text, "kernel \"traps\": trap: s_trap 2 at pc") || !strstr(text, want))
            fail_msg("%s is not in: %s", want, text);
        assert_int_equal(am_wait(g->dev, f[3], SECONDS(20)), 0);
        rig_wait(g, f[0]);
        rig_wait(g, f[2]);
        assert_int_equal(p[group * 64 + item], 7);
    }
    am_free(g->dev, m);
}

static void a_debug_trap_goes_on(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    struct {
        uint64_t p;
        uint32_t n;
    } a = {m->va, 77};
    struct am_dispatch d = rig_kernel(g, "debugtrap", 4, &a, sizeof(a));
    rig_run(g, &d);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(((uint32_t *)m->cpu)[i], 5 + i);
    am_free(g->dev, m);
}

/* Good and bad commands of all kinds in one line: each ends as it must. */
static void a_mixture(void **state) {
    struct rig *g = *state;
    enum { N = 400 };
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    struct am_fence f[N];
    bool bad[N];
    for (unsigned round = 0; round < 3; round++) {
        uint32_t *p = m->cpu, last = 0;
        memset(p, 0, 4096);
        p[768 + 5] = 0xbeef; /* the work-item that finds it traps, each time */
        for (uint32_t i = 0; i < N; i++) {
            const struct am_fence *w = i ? &f[i - 1] : NULL;
            uint64_t wild = m->va + m->size + 64 * (rig_random() % 100);
            unsigned kind = (unsigned)(rig_random() % 12);
            bad[i] = kind < 3;
            if (kind == 0) {
                f[i] = poke(g, w, i > 0, wild, i);
            } else if (kind == 1) {
                struct {
                    uint64_t p;
                    uint32_t n;
                } a = {m->va + 3072, 0xbeef};
                struct am_dispatch d = rig_kernel(g, "traps", 1, &a, sizeof(a));
                assert_int_equal(am_submit_dispatch(g->dev, w, i > 0, &d, &f[i]), 0);
            } else if (kind == 2) {
                assert_int_equal(am_submit_copy(g->dev, w, i > 0, wild, m->va, 64, &f[i]), 0);
            } else if (kind < 8) {
                f[i] = poke(g, w, i > 0, m->va + 4 * (i % 16), i);
                last = i;
            } else {
                assert_int_equal(am_submit_copy(g->dev, w, i > 0, m->va + 128, m->va, 64, &f[i]),
                                 0);
            }
        }
        am_wait(g->dev, f[N - 1], SECONDS(60));
        for (uint32_t i = 0; i < N; i++) {
            char text[512];
            int rc = am_fence_error(g->dev, f[i], text, sizeof(text));
            if (rc != (bad[i] ? -EIO : 0)) fail_msg("command %u ended with %d: %s", i, rc, text);
        }
        assert_int_equal(p[last % 16], last);
    }
    am_free(g->dev, m);
}

/* The last kernel of a ring traps and nobody but am_poll looks. */
static void polling_finds_a_trap(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    struct timespec ms = {0, 1000000};
    for (unsigned round = 0; round < 20; round++) {
        struct {
            uint64_t p;
            uint32_t n;
        } a = {m->va, 0};
        memset(m->cpu, 0, 4096);
        struct am_dispatch d = rig_kernel(g, "traps", 4, &a, sizeof(a));
        struct am_fence f;
        assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), 0);
        int rc = 0;
        for (unsigned i = 0; i < 5000 && !(rc = am_poll(g->dev, f)); i++)
            nanosleep(&ms, NULL);
        assert_int_equal(rc, 1);
        assert_int_equal(am_fence_error(g->dev, f, NULL, 0), -EIO);
    }
    am_free(g->dev, m);
}

/* A long line of commands stands behind the fault: all run, in order. */
static void long_queue_behind(void **state) {
    struct rig *g = *state;
    enum { N = 500 };
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    struct am_fence bad = poke(g, NULL, 0, m->va + m->size, 0), f = bad;
    for (uint32_t i = 0; i < N; i++)
        f = poke(g, &f, 1, m->va + 4 * (i % 8), i);
    rig_wait(g, f);
    for (uint32_t i = N - 8; i < N; i++)
        assert_int_equal(((uint32_t *)m->cpu)[i % 8], i);
    assert_int_equal(am_wait(g->dev, bad, 0), -EIO);
    am_free(g->dev, m);
}

static void bad_copy(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "copy's buffer");
    uint32_t *p = m->cpu;
    for (unsigned round = 0; round < 5; round++) {
        struct am_fence f[3];
        p[0] = 42 + round;
        assert_int_equal(am_submit_copy(g->dev, NULL, 0, m->va + m->size, m->va, 64, &f[0]), 0);
        assert_int_equal(am_submit_copy(g->dev, &f[0], 1, m->va + 64, m->va, 4, &f[1]), 0);
        f[2] = poke(g, &f[1], 1, m->va + 128, round);
        rig_wait(g, f[2]);
        expect_fault(g, f[0], "copy of 64 bytes", m->va + m->size, "\"copy's buffer\"");
        assert_int_equal(p[16], 42 + round);
        assert_int_equal(p[32], round);
    }
    am_free(g->dev, m);
}

/* A bad copy while an innocent kernel runs: the kernel is not touched. */
static void bad_copy_beside_kernel(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    volatile uint32_t *p = m->cpu;
    struct {
        uint64_t flag, out;
        uint32_t value;
    } s = {m->va, m->va + 8, 9};
    struct am_dispatch spin = rig_kernel(g, "spin", 1, &s, sizeof(s));
    struct am_fence k, c;
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &spin, &k), 0);
    assert_int_equal(am_submit_copy(g->dev, NULL, 0, m->va + m->size, m->va, 64, &c), 0);
    assert_int_equal(am_wait(g->dev, c, SECONDS(20)), -EIO);
    assert_int_equal(am_poll(g->dev, k), 0);
    p[0] = 1;
    rig_wait(g, k);
    assert_int_equal(p[2], 9);
    am_free(g->dev, m);
}

/* Both rings fault at about the same time; neither is forgotten. */
static void both_rings(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    for (uint32_t round = 0; round < 10; round++) {
        struct am_fence k, c, after[2];
        k = poke(g, NULL, 0, m->va + m->size, 0);
        assert_int_equal(am_submit_copy(g->dev, NULL, 0, m->va + m->size + 4096, m->va, 64, &c), 0);
        after[0] = poke(g, &c, 1, m->va, round);
        assert_int_equal(am_submit_copy(g->dev, after, 1, m->va + 4, m->va, 4, &after[1]), 0);
        rig_wait(g, after[1]);
        rig_wait(g, after[0]);
        assert_int_equal(am_wait(g->dev, k, 0), -EIO);
        assert_int_equal(am_wait(g->dev, c, 0), -EIO);
        assert_int_equal(((uint32_t *)m->cpu)[1], round);
    }
    am_free(g->dev, m);
}

/* Nobody waits: polling alone finds the fault. */
static void polling_finds_it(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "good");
    struct am_fence f = poke(g, NULL, 0, m->va + m->size, 0);
    struct timespec ms = {0, 1000000};
    int rc = 0;
    for (unsigned i = 0; i < 5000 && !(rc = am_poll(g->dev, f)); i++)
        nanosleep(&ms, NULL);
    assert_int_equal(rc, 1);
    assert_int_equal(am_fence_error(g->dev, f, NULL, 0), -EIO);
    am_free(g->dev, m);
}

/* A long rectangle copy goes wrong in its last piece: its one fence says so. */
static void bad_last_piece(void **state) {
    struct rig *g = *state;
    struct am_mem *a = rig_alloc(g, 1 << 20, AM_MEM_SYSTEM, "a");
    struct am_mem *b = rig_alloc(g, 1 << 20, AM_MEM_SYSTEM, "b");
    uint64_t n[3] = {4, 20000, 1};
    struct am_rect d = {b->va, 60, 0}, s = {a->va, 8, 0};
    struct am_fence f, after;
    assert_int_equal(am_submit_copy_rect(g->dev, NULL, 0, &d, &s, n, &f), 0);
    assert_int_equal(am_submit_copy(g->dev, NULL, 0, b->va, a->va, 4, &after), 0);
    rig_wait(g, after);
    assert_int_equal(am_wait(g->dev, f, 0), -EIO);
    am_free(g->dev, a);
    am_free(g->dev, b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bad_kernel),
        cmocka_unit_test(many_faulting_waves),
        cmocka_unit_test(long_queue_behind),
        cmocka_unit_test(bad_copy),
        cmocka_unit_test(polling_finds_it),
        cmocka_unit_test(bad_last_piece),
        cmocka_unit_test(trap_names_the_work_item),
        cmocka_unit_test(polling_finds_a_trap),
        cmocka_unit_test(a_mixture),
        cmocka_unit_test(a_debug_trap_goes_on),
        cmocka_unit_test(bad_copy_beside_kernel),
        cmocka_unit_test(both_rings),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
