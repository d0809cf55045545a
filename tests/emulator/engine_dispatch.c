/* SPDX-License-Identifier: MIT */
/* Dispatches: grids, residency, scratch, faults, the watchdog. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/emulator/cp.h"
#include "tests/emulator/engine_rig.h"

static const char *target;

enum { CODE = 0x10000, OUT = 0x200000, SCRATCH = 0x800000 };

/* Assembled by llvm-mc 22. spin: each work-group adds 1 to the counter at [kernarg] and waits until
 * it has reached the dword at kernarg + 8. */
static const uint32_t spin11[] = {0xf4040100, 0xf8000000, 0xf4000180, 0xf8000008, 0x7e000280,
                                  0x7e020281, 0xbf89fc07, 0xbefe0081, 0xdcd60000, 0x00040100,
                                  0xdc524000, 0x02040000, 0xbf8903f7, 0x7e0e0502, 0xbf0a0607,
                                  0xbfa2fffa, 0xbfb00000};
static const uint32_t spin12[] = {0xf4002100, 0xf8000000, 0xf4000180, 0xf8000008, 0x7e000280,
                                  0x7e020281, 0xbfc70000, 0xbefe0081, 0xee0d4004, 0x00800000,
                                  0x00000000, 0xee050004, 0x00080002, 0x00000000, 0xbfc00000,
                                  0x7e0e0502, 0xbf0a0607, 0xbfa2fff9, 0xbfb00000};
/* scratch: the store kernel, its value taken through scratch memory at offset 16. */
static const uint32_t scratch11[] = {0xf4040100, 0xf8000000, 0xf4000180, 0xf8000008, 0x360000ff,
                                     0x000003ff, 0x84028602, 0xbf89fc07, 0x4a000002, 0x4a020006,
                                     0xdc690010, 0x007c0100, 0xbc7c0000, 0xdc510010, 0x037c0000,
                                     0x30040082, 0xbf8903f7, 0xdc6a0000, 0x00040302, 0xbfb00000};
static const uint32_t scratch12[] = {
    0xf4002100, 0xf8000000, 0xf4000180, 0xf8000008, 0x360000ff, 0x000003ff, 0x84028675, 0xbfc70000,
    0x4a000002, 0x4a020006, 0xed06807c, 0x00800000, 0x00001000, 0xbfc10000, 0xed05007c, 0x00000003,
    0x00001000, 0x30040082, 0xbfc00000, 0xee068004, 0x01800000, 0x00000002, 0xbfb00000};
/* forever: stores 7 to [kernarg] without end. */
static const uint32_t forever11[] = {0xf4040100, 0xf8000000, 0x7e000280, 0x7e020287, 0xbf89fc07,
                                     0xdc6a0000, 0x00040100, 0xbfa0fffd, 0xbfb00000};
static const uint32_t forever12[] = {0xf4002100, 0xf8000000, 0x7e000280, 0x7e020287, 0xbfc70000,
                                     0xee068004, 0x00800000, 0x00000000, 0xbfa0fffc, 0xbfb00000};
static const uint32_t loop[] = {0xbfa0ffff, 0xbfb00000};

#define PUT(r, name)                                                                               \
    memcpy((r)->vram + CODE, (r)->gfx12 ? (const void *)name##12 : (const void *)name##11,         \
           (r)->gfx12 ? sizeof name##12 : sizeof name##11)

static void put_store(struct rig *r) {
    memcpy(r->vram + CODE, r->gfx12 ? rig_store_gfx12 : rig_store_gfx11,
           r->gfx12 ? rig_store_gfx12_bytes : rig_store_gfx11_bytes);
}

static void put_args(struct rig *r, uint64_t out, uint32_t value) {
    memcpy(r->sys + RIG_DATA, &out, 8);
    memcpy(r->sys + RIG_DATA + 8, &value, 4);
}

static void begin(struct rig *r, uint32_t rsrc2) {
    rig_acquire(r, 0xc3f1);
    rig_program(r, RIG_VRAM_VA + CODE, RIG_SYS_VA + RIG_DATA, rsrc2);
}

static bool finish(struct rig *r, uint32_t value, unsigned ms) {
    rig_release(r, 0x70f514, RIG_SIGNAL, value);
    rig_ring(r);
    return rig_wait(r, RIG_SIGNAL, value, ms);
}

static void check_out(struct rig *r, uint32_t n, uint32_t value) {
    const uint32_t *o = (const uint32_t *)(const void *)(r->vram + OUT);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(o[i], i + value);
    for (uint32_t i = n; i < n + 64; i++)
        assert_int_equal(o[i], 0);
}

static void grids_with_an_edge(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_store(&r);
    put_args(&r, RIG_VRAM_VA + OUT, 7);
    begin(&r, 0);
    RIG_EMIT(&r, 0xc0087600, 0x204, 0, 0, 0, 64, 1, 1, 0, 0);
    RIG_EMIT(&r, 0xc0031500, 150, 1, 1, 0x8027); /* in work-items, partial groups enabled */
    assert_true(finish(&r, 1, 5000));
    check_out(&r, 150, 7);
    memset(r.vram + OUT, 0, 4096);
    begin(&r, 0);
    RIG_EMIT(&r, 0xc0087600, 0x204, 0, 0, 0, 64 | 22 << 16, 1, 1, 0, 0);
    RIG_EMIT(&r, 0xc0031500, 3, 1, 1, 0x8007); /* in groups, the last one of 22 */
    assert_true(finish(&r, 2, 5000));
    check_out(&r, 150, 7);
    begin(&r, 0);
    RIG_EMIT(&r, 0xc0087600, 0x204, 0, 0, 0, 64, 1, 1, 0, 0);
    RIG_EMIT(&r, 0xc0031500, 150, 1, 1, 0x8025); /* partial groups not enabled */
    assert_false(finish(&r, 3, 20));
    assert_true(rig_logged(&r, "PARTIAL_TG_EN"));
    rig_close(&r, 1, 0);
}

static void an_empty_grid_completes(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_store(&r);
    begin(&r, 0);
    rig_dispatch(&r, 0, 64);
    assert_true(finish(&r, 1, 2000));
    rig_close(&r, 0, 0);
}

/* Work-groups that wait for one another finish, with fewer host threads than work-groups. */
static void groups_that_wait_for_each_other(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct rig r;
        rig_open(&r, target, &(struct emu_config){.threads = threads, .cus = 32});
        PUT(&r, spin);
        put_args(&r, RIG_VRAM_VA + OUT, 48);
        begin(&r, 0);
        rig_dispatch(&r, 48, 32);
        assert_true(finish(&r, 1, 20000));
        assert_int_equal(*(uint32_t *)(void *)(r.vram + OUT), 48);
        rig_close(&r, 0, 0);
    }
}

static void many_groups_on_several_threads(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, &(struct emu_config){.threads = 3});
    put_store(&r);
    put_args(&r, RIG_VRAM_VA + OUT, 3);
    for (uint32_t i = 1; i <= 10; i++) {
        begin(&r, 0);
        rig_dispatch(&r, 3000, 64);
        assert_true(finish(&r, i, 20000));
        check_out(&r, 3000 * 64, 3);
        memset(r.vram + OUT, 0, 3000 * 256);
    }
    rig_close(&r, 0, 0);
}

static void scratch_memory(void **state) {
    (void)state;
    struct rig r;
    uint64_t base = RIG_VRAM_VA + SCRATCH;
    rig_open(&r, target, NULL);
    PUT(&r, scratch);
    put_args(&r, RIG_VRAM_VA + OUT, 5);
    begin(&r, 1);
    RIG_EMIT(&r, 0xc0017600, 0x218, 4 << 12 | 32); /* 1 KiB a wave, 32 waves an engine */
    RIG_EMIT(&r, 0xc0027600, 0x210, (uint32_t)(base >> 8), (uint32_t)(base >> 40));
    rig_dispatch(&r, 50, 64);
    assert_true(finish(&r, 1, 5000));
    check_out(&r, 50 * 64, 5);
    begin(&r, 1);
    RIG_EMIT(&r, 0xc0017600, 0x218, 4 << 12 | 1); /* a work-group has two waves */
    rig_dispatch(&r, 1, 64);
    assert_false(finish(&r, 2, 20));
    assert_true(rig_logged(&r, "TMPRING_SIZE.WAVES"));
    rig_close(&r, 1, 0);
}

static void recover(struct rig *r) {
    int dequeue = cp_hqd_index(r->g, gpu_reg_dw(r->g, R_CP_HQD_DEQUEUE_REQUEST));
    cp_hqd_write(r->g, 1, 0, 0, (unsigned)dequeue, 2);
    rig_compute_queue(r);
}

/* A store to an unmapped address: named, never completed, and the next queue works. */
static void a_fault(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_store(&r);
    put_args(&r, RIG_VRAM_VA + (1ull << 34), 0);
    begin(&r, 0);
    rig_dispatch(&r, 10, 64);
    assert_false(finish(&r, 1, 50));
    assert_true(rig_logged(&r, "page fault in hub GC: shader write"));
    recover(&r);
    put_args(&r, RIG_VRAM_VA + OUT, 9);
    begin(&r, 0);
    rig_dispatch(&r, 10, 64);
    assert_true(finish(&r, 2, 5000));
    check_out(&r, 640, 9);
    rig_close(&r, 0, 0);
}

static void code_that_is_not_there(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    rig_acquire(&r, 0xc3f1);
    rig_program(&r, RIG_VRAM_VA + (1ull << 34), RIG_SYS_VA + RIG_DATA, 0);
    rig_dispatch(&r, 1, 64);
    assert_false(finish(&r, 1, 50));
    assert_true(rig_logged(&r, "shader fetch from"));
    rig_close(&r, 0, 0);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void the_watchdog_names_a_hang(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, &(struct emu_config){.hang_seconds = 0.2});
    memcpy(r.vram + CODE, loop, sizeof loop);
    begin(&r, 0);
    rig_dispatch(&r, 4, 64);
    assert_false(finish(&r, 1, 1000));
    assert_true(rig_logged(&r, "hang:"));
    /* The queue's thread once asked itself for ever whether it may go on. */
    double before = cpu_seconds();
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    assert_true(cpu_seconds() - before < 0.05);
    recover(&r);
    assert_true(finish(&r, 2, 2000));
    rig_close(&r, 0, 0);
}

/* Closing while a kernel loops for ever ends. */
static void close_ends_an_endless_kernel(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, &(struct emu_config){.threads = 2});
    memcpy(r.vram + CODE, loop, sizeof loop);
    begin(&r, 0);
    rig_dispatch(&r, 40, 64);
    assert_false(finish(&r, 1, 30));
    rig_close(&r, 0, 0);
}

/* A driver that takes memory away from a running kernel gets an error, this process no crash. */
static void memory_that_goes_away(void **state) {
    (void)state;
    struct rig r;
    struct bus_dma extra;
    rig_open(&r, target, &(struct emu_config){.threads = 2});
    assert_int_equal(r.bus->ops->dma_map(r.bus, NULL, NULL, 4096, &extra), 0);
    uint64_t va = rig_map_page(&r, extra.pages[0]);
    PUT(&r, forever);
    put_args(&r, va, 0);
    begin(&r, 0);
    rig_dispatch(&r, 8, 64);
    assert_false(finish(&r, 1, 50));
    r.bus->ops->dma_unmap(r.bus, &extra);
    assert_false(finish(&r, 1, 50));
    assert_true(rig_logged(&r, "that is not mapped"));
    recover(&r);
    assert_true(finish(&r, 2, 2000));
    struct emu_counters n;
    emu_get_counters(r.bus, &n);
    rig_close(&r, (unsigned)n.guest_errors, 0);
}

int main(int argc, char **argv) {
    target = argc > 1 ? argv[1] : "gfx1100";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_with_an_edge),
        cmocka_unit_test(an_empty_grid_completes),
        cmocka_unit_test(groups_that_wait_for_each_other),
        cmocka_unit_test(many_groups_on_several_threads),
        cmocka_unit_test(scratch_memory),
        cmocka_unit_test(a_fault),
        cmocka_unit_test(code_that_is_not_there),
        cmocka_unit_test(the_watchdog_names_a_hang),
        cmocka_unit_test(close_ends_an_endless_kernel),
        cmocka_unit_test(memory_that_goes_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
