/* SPDX-License-Identifier: MIT */
/* Rows of driver/README.md's coherency table that live in registers: the HDP flush of what BAR0
 * wrote, and the TLB invalidations. A bus in between leaves one of them out; the emulated GPU names
 * it, and reads what was there before. Kernels and copies: submit_coherency_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/blocks.h"
#include "driver/queues.h"
#include "tests/integration/boot_bus.h"

static char last_error[512];

static void listen(void *ctx, enum am_log_level level, const char *topic, const char *line) {
    (void)ctx;
    if (level == AM_LOG_ERROR) snprintf(last_error, sizeof last_error, "%s: %s", topic, line);
}

static uint64_t left_out; /* place in BAR5 */

static bool leaves_out(struct boot_bus *b, int bar, uint64_t off) {
    (void)b;
    return bar == BUS_BAR_MMIO && off == left_out;
}

static void leave_out(struct boot_bus *b, uint64_t write, uint32_t ack) {
    left_out = write;
    b->ack = ack;
    b->lose = leaves_out;
}

static void leave_nothing_out(struct boot_bus *b) {
    b->lose = NULL;
    b->ack = 0;
    b->log[0] = 0;
}

static int boot(struct boot_bus *b, struct am_device **out) {
    struct am_options opt = {.log = listen};
    struct am_device *d;
    last_error[0] = 0;
    *out = NULL;
    assert_int_equal(am_device_new(&b->base, "test", &opt, true, &d), 0);
    int rc = am_boot(d);
    if (rc) {
        queues_fini(d);
        memory_fini(d);
        am_device_free(d);
        return rc;
    }
    *out = d;
    return 0;
}

static int copy(struct am_device *d, struct am_mem *to, struct am_mem *from) {
    struct am_fence f;
    int rc = am_submit_copy(d, NULL, 0, to->va, from->va, 4096, &f);
    return rc ? rc : am_wait(d, f, 5000000000ll);
}

/* A copy there and back through fresh mappings; 0 if the bytes came back. */
static int works(struct am_device *d) {
    struct am_mem *sys, *vram;
    assert_int_equal(am_alloc(d, 8192, 0, AM_MEM_SYSTEM, "system", &sys), 0);
    assert_int_equal(am_alloc(d, 4096, 0, AM_MEM_VRAM, "vram", &vram), 0);
    uint8_t *p = sys->cpu;
    for (int i = 0; i < 4096; i++)
        p[i] = (uint8_t)(i * 7 + i / 256);
    int rc = copy(d, vram, sys);
    struct am_fence f;
    if (!rc) rc = am_submit_copy(d, NULL, 0, sys->va + 4096, vram->va, 4096, &f);
    if (!rc) rc = am_wait(d, f, 5000000000ll);
    if (!rc && memcmp(p, p + 4096, 4096)) rc = -1;
    am_free(d, vram);
    am_free(d, sys);
    return rc;
}

static const char *const targets[] = {"gfx1100", "gfx1201"};
enum { TARGETS = sizeof targets / sizeof *targets };

/* A device that runs, and a GPU with nothing to complain of. */
static struct am_device *start(struct boot_bus *b, const char *target) {
    char err[256] = "";
    struct am_device *d;
    if (boot_bus_open(b, target, err, sizeof err)) fail_msg("%s", err);
    int rc = boot(b, &d);
    if (rc) fail_msg("boot: %d, %s", rc, last_error);
    assert_int_equal(works(d), 0);
    assert_int_equal(boot_bus_counters(b).guest_errors, 0);
    return d;
}

static void expect_named(struct boot_bus *b, const char *x, const char *y) {
    if (!boot_bus_logged(b, x) || !boot_bus_logged(b, y))
        fail_msg("%s, %s are not both in: %s", x, y, b->log);
    if (getenv("TEST_VERBOSE")) fprintf(stderr, "named: %s", b->log);
}

/* Boots once more with everything in place, from whatever state. */
static void recovers(struct boot_bus *b) {
    struct am_device *d;
    leave_nothing_out(b);
    int rc = boot(b, &d);
    if (rc) fail_msg("boot: %d, %s", rc, last_error);
    assert_int_equal(works(d), 0);
    /* A chip left without SMU firmware is asked whether it has any. */
    if (b->log[0] && strncmp(b->log, "SMU message 0x2 before", 22)) fail_msg("%s", b->log);
    am_close(d);
    boot_bus_destroy(b);
}

/* BAR0 to PSP: firmware. */
static void firmware(void **state) {
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        struct boot_bus b;
        struct am_device *d = start(&b, targets[i]);
        uint64_t hdp = atomic_load(&blocks(d)->hdp_flush);
        am_close(d);
        leave_out(&b, hdp, 0);
        setenv("AM_RESET", "1", 1);
        int rc = boot(&b, &d);
        unsetenv("AM_RESET");
        assert_true(rc < 0); /* the PSP saw no header */
        expect_named(&b, "PSP reads VRAM", "before the HDP flush of what BAR0 wrote there");
        recovers(&b);
    }
}

/* A signal through the compute ring, no kernel. */
static int signal_by_cp(struct am_device *d) {
    struct am_queues *q = d->queues;
    struct ring *r = &q->ring[AM_RING_COMPUTE];
    struct cmd_record info = {.name = "signal", .kernarg_end = q->kernarg_head};
    assert_int_equal(submit_begin(d, r), 0);
    uint64_t value = submit_next_value(d, r);
    pm4_release_signal(&q->pm4, &r->buf, r->signal_va, ring_signal_value(r, value), true);
    pm4_pad(&r->buf, STREAM_ALIGN_DW);
    int rc = submit_commit(d, r, &info);
    submit_end(d, r);
    return rc ? rc : am_wait(d, (struct am_fence){AM_RING_COMPUTE, value}, 5000000000ll);
}

/* BAR0 to CP: the MQD, when the queue is bound anew. (At the boot the flushes of the page tables
 * come between the MQD and the first doorbell.) */
static void mqd(void **state) {
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        struct boot_bus b;
        struct am_device *d = start(&b, targets[i]);
        for (int good = 1; good >= 0; good--) {
            assert_int_equal(gfx_unbind_queue(d), 0);
            if (!good) leave_out(&b, atomic_load(&blocks(d)->hdp_flush), 0);
            assert_int_equal(ring_bind(d, &d->queues->ring[AM_RING_COMPUTE]), 0);
            assert_int_equal(signal_by_cp(d), 0); /* the old one says the same */
            if (good) assert_string_equal(b.log, "");
        }
        char text[64];
        snprintf(text, sizeof text, "CP reads VRAM 0x%llx", (unsigned long long)blocks(d)->mqd);
        expect_named(&b, text, "before the HDP flush of what BAR0 wrote there");
        leave_nothing_out(&b);
        am_close(d);
        recovers(&b);
    }
}

/* BAR0 to the walkers: page tables. The walker sees the old entry: the copy faults. */
static void page_tables(void **state) {
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        struct boot_bus b;
        struct am_device *d = start(&b, targets[i]);
        leave_out(&b, atomic_load(&blocks(d)->hdp_flush), 0);
        assert_true(works(d) < 0);
        expect_named(&b, "SDMA reads VRAM", "before the HDP flush of what BAR0 wrote there");
        leave_nothing_out(&b);
        am_close(d);
        recovers(&b);
    }
}

/* Page tables to the GC hub's TLB. */
static void tlb_gc(void **state) {
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        struct boot_bus b;
        struct am_device *d = start(&b, targets[i]);
        leave_out(&b, reg_addr(d, R_GCVM_INVALIDATE_ENG17_REQ) * 4ull,
                  reg_addr(d, R_GCVM_INVALIDATE_ENG17_ACK));
        works(d);
        expect_named(&b, "hub GC walks", "not followed by a TLB invalidation");
        leave_nothing_out(&b);
        am_close(d);
        recovers(&b);
    }
}

/* Page tables to the MM hub's TLB. */
static void tlb_mm(void **state) {
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        struct boot_bus b;
        struct am_device *d = start(&b, targets[i]);
        leave_out(&b, reg_addr(d, R_MMVM_INVALIDATE_ENG17_REQ) * 4ull,
                  reg_addr(d, R_MMVM_INVALIDATE_ENG17_ACK));
        assert_int_equal(works(d), 0); /* nothing goes through that hub */
        expect_named(&b, "hub MM: the page tables changed", "this one none");
        leave_nothing_out(&b);
        am_close(d);
        recovers(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(firmware), cmocka_unit_test(mqd),    cmocka_unit_test(page_tables),
        cmocka_unit_test(tlb_gc),   cmocka_unit_test(tlb_mm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
