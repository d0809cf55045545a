/* SPDX-License-Identifier: MIT */
/* The compute micro-engine: packets, queues, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "driver/emulator/cp.h"
#include "tests/emulator/engine_rig.h"

static const char *target;

static void release_writes_a_signal(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    rig_acquire(&r, 0xc3f1);
    rig_acquire(&r, 0x3f0);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 42);
    rig_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, 42, 2000));
    assert_true(rig_wait(&r, RIG_RPTR, (uint32_t)r.wptr, 2000));
    rig_close(&r, 0, 0);
}

static void a_kernel_stores(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    memcpy(r.vram + 0x10000, r.gfx12 ? rig_store_gfx12 : rig_store_gfx11,
           r.gfx12 ? rig_store_gfx12_bytes : rig_store_gfx11_bytes);
    uint64_t out = RIG_VRAM_VA + 0x100000;
    memcpy(r.sys + RIG_DATA, &out, 8);
    uint32_t value = 1000;
    memcpy(r.sys + RIG_DATA + 8, &value, 4);
    rig_acquire(&r, 0xc3f1);
    rig_program(&r, RIG_VRAM_VA + 0x10000, RIG_SYS_VA + RIG_DATA, 0);
    rig_dispatch(&r, 100, 64);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 5000));
    const uint32_t *o = (const uint32_t *)(const void *)(r.vram + 0x100000);
    for (uint32_t i = 0; i < 6400; i++)
        assert_int_equal(o[i], i + 1000);
    rig_close(&r, 0, 0);
}

/* Many packets, so that the ring wraps and packets straddle its end and the fetch buffer. */
static void the_ring_wraps(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    for (uint32_t i = 1; i <= 40; i++) {
        for (int k = 0; k < 250; k++) {
            uint64_t at = RIG_SYS_VA + RIG_DATA + 4 * ((i * 250 + k) % 1024);
            RIG_EMIT(&r, 0xc0053700, 0x00100500, (uint32_t)at, (uint32_t)(at >> 32), i, k, i + k);
        }
        rig_release(&r, 0x70f514, RIG_SIGNAL, i);
        rig_ring(&r);
        assert_true(rig_wait(&r, RIG_SIGNAL, i, 2000));
    }
    assert_true(r.wptr > RIG_RING_DWORDS);
    rig_close(&r, 0, 0);
}

static void waits_block_until_memory_says(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t at = RIG_SYS_VA + RIG_SIGNAL + 64;
    /* >= 5 in the low byte */
    RIG_EMIT(&r, 0xc0053c00, 0x15, (uint32_t)at, (uint32_t)(at >> 32), 5, 0xff, 4);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(&r);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 30));
    rig_put32(&r, RIG_SIGNAL + 64, 0x104);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 30));
    rig_put32(&r, RIG_SIGNAL + 64, 0x106);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    rig_close(&r, 0, 0);
}

/* The two engines order each other through memory, without the host. */
static void sdma_and_compute_wait_for_each_other(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t a = RIG_SYS_VA + RIG_SIGNAL + 64, b = RIG_SYS_VA + RIG_SIGNAL + 128;
    for (uint32_t i = 1; i <= 100; i++) {
        RIG_EMIT(&r, 0xc0053c00, 0x15, (uint32_t)a, (uint32_t)(a >> 32), i, ~0u, 4);
        rig_release(&r, 0x70f514, RIG_SIGNAL + 128, i);
        RIG_SDMA(&r, 0x00030005, (uint32_t)a, (uint32_t)(a >> 32), i);
        RIG_SDMA(&r, 0xd0000008, (uint32_t)b, (uint32_t)(b >> 32), i, ~0u, 0x0fff0004);
    }
    uint64_t s = RIG_SYS_VA + RIG_SIGNAL;
    RIG_SDMA(&r, 0x00030005, (uint32_t)s, (uint32_t)(s >> 32), 7);
    rig_ring(&r);
    rig_sdma_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, 7, 5000));
    rig_close(&r, 0, 0);
}

static void data_packets(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t d = RIG_SYS_VA + RIG_DATA, e = d + 0x100;
    uint32_t lo = (uint32_t)d, hi = (uint32_t)(d >> 32), elo = (uint32_t)e;
    RIG_EMIT(&r, 0xc0043700, 0x00100500, lo, hi, 11, 22);          /* WRITE_DATA */
    RIG_EMIT(&r, 0xc0044000, 0x00110202, lo, hi, elo, hi);         /* COPY_DATA 64 bit */
    RIG_EMIT(&r, 0xc0071e00, 79, lo, hi, 5, 0, 0, 0, 0);           /* ATOMIC_MEM add */
    RIG_EMIT(&r, 0xc0044000, 0x00100206, 0, 0, elo + 8, hi);       /* its return value */
    RIG_EMIT(&r, 0xc0055000, 0x60300000, lo, hi, elo + 16, hi, 8); /* DMA_DATA */
    RIG_EMIT(&r, 0xc0064900, 0x28 | 5 << 8, 0x60000000, elo + 32, hi, 0, 0, 0); /* clock */
    rig_release(&r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    assert_int_equal(rig_sys32(&r, RIG_DATA), 16);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x100), 11);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x104), 22);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x108), 11);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x110), 16);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x114), 22);
    assert_int_not_equal(rig_sys32(&r, RIG_DATA + 0x120), 0);
    rig_close(&r, 0, 0);
}

static void indirect_buffers_and_conditions(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t ib = RIG_SYS_VA + RIG_DATA, ib2 = ib + 0x100, flag = ib + 0x200;
    uint32_t *p = (uint32_t *)(void *)(r.sys + RIG_DATA), hi = (uint32_t)(ib >> 32);
    uint64_t out = ib + 0x300;
    /* IB: write 1, chain to IB 2; IB 2: write 2, skip the write of 3 as flag is 0. */
    const uint32_t first[] = {0xc0033700,    0x00100500, (uint32_t)out,           hi, 1, 0xc0023f00,
                              (uint32_t)ib2, hi,         13 | 1u << 20 | 1u << 23};
    const uint32_t second[] = {
        0xc0033700, 0x00100500, (uint32_t)out + 4, hi, 2, 0xc0032200, (uint32_t)flag, hi, 0, 5};
    const uint32_t third[] = {0xc0033700, 0x00100500, (uint32_t)out + 8, hi, 3};
    memcpy(p, first, sizeof first);
    memcpy(p + 64, second, sizeof second);
    memcpy(p + 64 + 10, third, sizeof third);
    p[64 + 13 - 1] = (uint32_t)out + 8;
    RIG_EMIT(&r, 0xc0023f00, (uint32_t)ib, hi, 9 | 1u << 23);
    p[5 + 3] = 15 | 1u << 20 | 1u << 23;
    rig_release(&r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x300), 1);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x304), 2);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x308), 0);
    rig_close(&r, 0, 0);
}

/* What is refused stops the queue: the release after it never comes. */
static void expect_refusal(const uint32_t *dw, unsigned n, const char *name) {
    struct rig r;
    rig_open(&r, target, NULL);
    rig_emit(&r, dw, n);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(&r);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 20));
    assert_true(rig_logged(&r, name));
    rig_close(&r, 1, 0);
}

static void refusals(void **state) {
    (void)state;
    const uint32_t opcode[] = {0xc0003300, 0};
    expect_refusal(opcode, 2, "opcode 0x33");
    const uint32_t type0[] = {0x00010000, 0};
    expect_refusal(type0, 2, "no packet header");
    const uint32_t reserved[] = {0xc0053c00, 0x80000015, 0, 0, 0, 0, 0};
    expect_refusal(reserved, 7, "reserved bits");
    const uint32_t size[] = {0xc0045800, 0, 0, 0, 0, 0};
    expect_refusal(size, 6, "ACQUIRE_MEM with 5");
    const uint32_t func[] = {0xc0053c00, 0x17, 0, 0, 0, 0, 0};
    expect_refusal(func, 7, "compare function");
    const uint32_t no_shader[] = {0xc0027600, 0x20c, 1, 0x20, 0xc0087600, 0x204, 0, 0, 0,     64,
                                  1,          1,     0, 0,    0xc0031500, 1,     1, 1, 0x8004};
    expect_refusal(no_shader, 19, "COMPUTE_SHADER_EN");
    const uint32_t too_many[] = {0xc0027600, 0x20c, 1, 0x20, 0xc0087600, 0x204, 0, 0, 0,     64,
                                 32,         1,     0, 0,    0xc0031500, 1,     1, 1, 0x8005};
    expect_refusal(too_many, 19, "1024 work-items");
    const uint32_t no_cu[] = {
        0xc0027600, 0x216, 0, 0,    0xc0027600, 0x219, 0, 0, 0xc0047600, 0x22b, 0, 0, 0, 0,
        0xc0027600, 0x20c, 1, 0x20, 0xc0087600, 0x204, 0, 0, 0,          64,    1, 1, 0, 0,
        0xc0031500, 1,     1, 1,    0x8005};
    expect_refusal(no_cu, sizeof no_cu / 4, "no compute unit");
}

static void an_incomplete_packet_waits_for_the_rest(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 9);
    r.wptr -= 2;
    rig_ring(&r);
    assert_false(rig_wait(&r, RIG_SIGNAL, 9, 20));
    r.wptr += 2;
    rig_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, 9, 2000));
    rig_close(&r, 0, 0);
}

static void bad_queues_do_not_run(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    int active = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_ACTIVE));
    int dequeue = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_DEQUEUE_REQUEST));
    int doorbell = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_PQ_DOORBELL_CONTROL));
    int quantum = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_PQ_CONTROL));
    cp_hqd_write(r.g, 1, 0, 0, (unsigned)dequeue, 2);
    assert_int_equal(cp_hqd_read(r.g, 1, 0, 0, (unsigned)active), 0);
    cp_hqd_write(r.g, 1, 0, 0, (unsigned)doorbell, 0x40000400);
    cp_hqd_write(r.g, 1, 0, 0, (unsigned)active, 1);
    assert_int_equal(cp_hqd_read(r.g, 1, 0, 0, (unsigned)active), 0);
    assert_true(rig_logged(&r, "DOORBELL_RANGE"));
    cp_hqd_write(r.g, 1, 0, 0, (unsigned)doorbell, 0x40000018);
    cp_hqd_write(r.g, 1, 0, 0, (unsigned)quantum, 0x50e);
    cp_hqd_write(r.g, 1, 0, 0, (unsigned)active, 1);
    assert_int_equal(cp_hqd_read(r.g, 1, 0, 0, (unsigned)active), 1);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(&r);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 20));
    assert_true(rig_logged(&r, "the MQD says"));
    rig_close(&r, 2, 0);
}

/* An endless kernel ends by a dequeue, and the queue works again afterwards. */
static void an_endless_kernel_can_be_dequeued(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    const uint32_t loop[] = {0xbfa0ffff, 0xbfb00000};
    memcpy(r.vram + 0x10000, loop, sizeof loop);
    rig_acquire(&r, 0xc3f1);
    rig_program(&r, RIG_VRAM_VA + 0x10000, 0, 0);
    rig_dispatch(&r, 4, 64);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(&r);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 50));
    int active = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_ACTIVE));
    int dequeue = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_DEQUEUE_REQUEST));
    cp_hqd_write(r.g, 1, 0, 0, (unsigned)dequeue, 2);
    assert_int_equal(cp_hqd_read(r.g, 1, 0, 0, (unsigned)active), 0);
    rig_compute_queue(&r);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 2);
    rig_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, 2, 2000));
    rig_close(&r, 0, 0);
}

/* A drain request lets the running packet end and unmaps the queue. */
static void a_drained_queue(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t at = RIG_SYS_VA + RIG_SIGNAL + 64;
    RIG_EMIT(&r, 0xc0053c00, 0x13, (uint32_t)at, (uint32_t)(at >> 32), 1, ~0u, 4);
    rig_ring(&r);
    assert_false(rig_wait(&r, RIG_RPTR, (uint32_t)r.wptr, 20));
    int active = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_ACTIVE));
    int dequeue = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_DEQUEUE_REQUEST));
    cp_hqd_write(r.g, 1, 0, 0, (unsigned)dequeue, 1);
    for (int i = 0; i < 200 && cp_hqd_read(r.g, 1, 0, 0, (unsigned)active); i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    assert_int_equal(cp_hqd_read(r.g, 1, 0, 0, (unsigned)active), 0);
    rig_close(&r, 0, 0);
}

/* Random packets, half of them with a plausible header: whatever happens is an error or a fault,
 * never more, and the queue can be set up again. */
static void random_streams(void **state) {
    (void)state;
    static const uint8_t codes[] = {0x10, 0x76, 0x79, 0x68, 0x15, 0x16, 0x58, 0x49,
                                    0x3c, 0x93, 0x37, 0x40, 0x46, 0x3f, 0x22, 0x1e,
                                    0x50, 0x95, 0x98, 0xb2, 0xbb, 0xbc};
    struct rig r;
    uint32_t seed = 12345;
    rig_open(&r, target, NULL);
    for (int round = 0; round < 150; round++) {
        for (int k = 0; k < 30; k++) {
            uint32_t dw[12];
            for (int i = 0; i < 12; i++) {
                seed = seed * 1664525 + 1013904223;
                uint32_t v = seed >> 4;
                dw[i] = v % 3 == 0 ? v * 16 : v % 3 == 1 ? v & 0xff : (uint32_t)(RIG_SYS_VA >> 32);
            }
            if (seed >> 31) dw[0] = 3u << 30 | 7u << 16 | (uint32_t)codes[seed % sizeof codes] << 8;
            rig_emit(&r, dw, seed >> 31 ? 9 : 12);
        }
        rig_ring(&r);
        nanosleep(&(struct timespec){0, 300000}, NULL);
        int dequeue = cp_hqd_index(r.g, gpu_reg_dw(r.g, R_CP_HQD_DEQUEUE_REQUEST));
        cp_hqd_write(r.g, 1, 0, 0, (unsigned)dequeue, 2);
        memset(r.sys, 0, 4096);
        rig_reboot(&r);
    }
    struct emu_counters n;
    emu_get_counters(r.bus, &n);
    assert_true(n.guest_errors > 100);
    r.wptr = 0;
    rig_compute_queue(&r);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 0x1234);
    rig_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, 0x1234, 2000));
    emu_get_counters(r.bus, &n);
    rig_close(&r, (unsigned)n.guest_errors, (unsigned)n.unimplemented);
}

int main(int argc, char **argv) {
    target = argc > 1 ? argv[1] : "gfx1100";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(release_writes_a_signal),
        cmocka_unit_test(a_kernel_stores),
        cmocka_unit_test(the_ring_wraps),
        cmocka_unit_test(waits_block_until_memory_says),
        cmocka_unit_test(sdma_and_compute_wait_for_each_other),
        cmocka_unit_test(data_packets),
        cmocka_unit_test(indirect_buffers_and_conditions),
        cmocka_unit_test(refusals),
        cmocka_unit_test(an_incomplete_packet_waits_for_the_rest),
        cmocka_unit_test(bad_queues_do_not_run),
        cmocka_unit_test(an_endless_kernel_can_be_dequeued),
        cmocka_unit_test(a_drained_queue),
        cmocka_unit_test(random_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
