/* SPDX-License-Identifier: MIT */
/* SDMA queue and packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "driver/emulator/sdma_exec.h"
#include "tests/emulator/engine_rig.h"

static const char *target;

static void fence(struct rig *r, uint32_t v) {
    uint64_t s = RIG_SYS_VA + RIG_SIGNAL;
    RIG_SDMA(r, 0x00030005, (uint32_t)s, (uint32_t)(s >> 32), v);
    rig_sdma_ring(r);
}

static void copy(struct rig *r, uint64_t dst, uint64_t src, uint32_t bytes) {
    RIG_SDMA(r, 1, bytes - 1, 0, (uint32_t)src, (uint32_t)(src >> 32), (uint32_t)dst,
             (uint32_t)(dst >> 32));
}

static void fill_bytes(uint8_t *p, size_t n, uint32_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        p[i] = (uint8_t)(seed >> 24);
    }
}

static void copies_of_all_sizes(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 4, 255, 4096, 4097, 70001, 1 << 20};
    struct rig r;
    rig_open(&r, target, NULL);
    fill_bytes(r.sys + RIG_DATA, 2 << 20, 1);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        copy(&r, RIG_VRAM_VA + 0x100003, RIG_SYS_VA + RIG_DATA + 5, sizes[i]);
        rig_sdma_fence(&r, RIG_SIGNAL + 8, i + 1);
        rig_sdma_poll(&r, RIG_SIGNAL + 8, i + 1);
        copy(&r, RIG_SYS_VA + RIG_DATA + (2 << 20), RIG_VRAM_VA + 0x100003, sizes[i]);
        fence(&r, i + 1);
        assert_true(rig_wait(&r, RIG_SIGNAL, i + 1, 5000));
        assert_memory_equal(r.sys + RIG_DATA + 5, r.sys + RIG_DATA + (2 << 20), sizes[i]);
    }
    assert_true(rig_wait(&r, RIG_SDMA_RPTR, (uint32_t)r.sdma_wptr, 2000));
    rig_close(&r, 0, 0);
}

static void fills(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t d = RIG_SYS_VA + RIG_DATA;
    uint32_t hi = (uint32_t)(d >> 32);
    RIG_SDMA(&r, 0x0000000b, (uint32_t)d + 1, hi, 0xab, 6);           /* 7 bytes */
    RIG_SDMA(&r, 0x4000000b, (uint32_t)d + 0x12, hi, 0xbeef, 5);      /* 3 halfwords */
    RIG_SDMA(&r, 0x8000000b, (uint32_t)d + 0x20, hi, 0x12345678, 15); /* 4 dwords */
    fence(&r, 1);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    const uint8_t want[48] = {0,    0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0,    0,
                              0,    0,    0,    0,    0,    0,    0,    0,    0xef, 0xbe,
                              0xef, 0xbe, 0xef, 0xbe, 0,    0,    0,    0,    0,    0,
                              0,    0,    0x78, 0x56, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12,
                              0x78, 0x56, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12};
    assert_memory_equal(r.sys + RIG_DATA, want, sizeof want);
    rig_close(&r, 0, 0);
}

static void a_rectangle(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t src = RIG_SYS_VA + RIG_DATA, dst = src + 0x10000;
    uint32_t hi = (uint32_t)(src >> 32);
    fill_bytes(r.sys + RIG_DATA, 0x8000, 3);
    /* 4-byte elements, pitch 64 and 32, slices of 8 and 4 rows; 5 x 3 x 2 at (2,1,0) -> (1,0,1) */
    unsigned zs = r.gfx12 ? 16 : 13;
    RIG_SDMA(&r, 1 | 4 << 8 | 2u << 29, (uint32_t)src, hi, 2 | 1 << 16, 0 | 63u << zs, 64 * 8 - 1,
             (uint32_t)dst, hi, 1 | 0 << 16, 1 | 31u << zs, 32 * 4 - 1, 4 | 2 << 16, 1);
    fence(&r, 1);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    for (unsigned z = 0; z < 2; z++)
        for (unsigned y = 0; y < 3; y++)
            assert_memory_equal(r.sys + RIG_DATA + (z * 8 + y + 1) * 256 + 8,
                                r.sys + RIG_DATA + 0x10000 + ((z + 1) * 4 + y) * 128 + 4, 20);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x10000 + 4 * 128), 0);
    rig_close(&r, 0, 0);
}

static void writes_atomics_and_time(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t d = RIG_SYS_VA + RIG_DATA;
    uint32_t lo = (uint32_t)d, hi = (uint32_t)(d >> 32);
    RIG_SDMA(&r, 2, lo, hi, 2, 10, 20, 30);
    RIG_SDMA(&r, 0x0a | 79u << 25, lo + 4, hi, 5, 0, 0, 0, 0);
    RIG_SDMA(&r, 0x0d | 2 << 8, lo + 16, hi);
    RIG_SDMA(&r, 0x09, lo, hi, 11, 4); /* dword is 10, not 11: skips the next packet */
    RIG_SDMA(&r, 5 | 3 << 16, lo, hi, 99);
    RIG_SDMA(&r, 0x06, 0x123); /* trap */
    fence(&r, 1);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    assert_int_equal(rig_sys32(&r, RIG_DATA), 10);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 4), 25);
    assert_int_equal(rig_sys32(&r, RIG_DATA + 8), 30);
    assert_int_not_equal(rig_sys32(&r, RIG_DATA + 16), 0);
    rig_close(&r, 0, 0);
}

static void indirect_buffer(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    uint64_t ib = RIG_SYS_VA + RIG_DATA, out = ib + 0x100;
    uint32_t *p = (uint32_t *)(void *)(r.sys + RIG_DATA);
    const uint32_t body[] = {5 | 3 << 16, (uint32_t)out, (uint32_t)(out >> 32), 77, 0, 0, 0, 0};
    memcpy(p, body, sizeof body);
    RIG_SDMA(&r, 4, (uint32_t)ib, (uint32_t)(ib >> 32), 8, 0, 0);
    fence(&r, 1);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    assert_int_equal(rig_sys32(&r, RIG_DATA + 0x100), 77);
    rig_close(&r, 0, 0);
}

static void expect_refusal(const uint32_t *dw, unsigned n, const char *name) {
    struct rig r;
    rig_open(&r, target, NULL);
    rig_sdma_emit(&r, dw, n);
    fence(&r, 1);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 20));
    assert_true(rig_logged(&r, name));
    /* The queue is stuck until it is set up anew. */
    gpu_mmio_write(r.g, gpu_reg_dw(r.g, R_SDMA0_QUEUE0_RB_CNTL), 0x00841800 | 14 << 1);
    rig_sdma_queue(&r);
    fence(&r, 2);
    assert_true(rig_wait(&r, RIG_SIGNAL, 2, 2000));
    rig_close(&r, 1, 0);
}

static void refusals(void **state) {
    (void)state;
    const uint32_t op[] = {0x7f};
    expect_refusal(op, 1, "op 0x7f");
    const uint32_t reserved[] = {1 | 1u << 31, 3, 0, 0, 0, 0, 0};
    expect_refusal(reserved, 7, "reserved bits");
    const uint32_t unaligned[] = {5, 2, 0, 0};
    expect_refusal(unaligned, 4, strcmp(target, "gfx1100") ? "reserved bits" : "aligned");
    const uint32_t fill[] = {0x8000000b, 0, 0x2000, 0, 4};
    expect_refusal(fill, 5, "multiple of the fill size");
    unsigned zs = strcmp(target, "gfx1100") ? 16 : 13;
    uint32_t box[] = {
        1 | 4 << 8 | 2u << 29, 2, 0x2000, 0, 63u << zs, 511, 0, 0x2000, 0, 31u << zs, 127, 4, 1};
    expect_refusal(box, 13, "dword aligned");
    box[0] = 1 | 4 << 8 | 5u << 29;
    expect_refusal(box, 13, "elementsize");
    box[0] = 1 | 4 << 8; /* bytes, 30 of them a row */
    box[1] = 0;
    box[4] = 29u << zs;
    expect_refusal(box, 13, "multiple of 4 bytes");
    const uint32_t func[] = {0x08 | 7u << 28 | 1u << 31, 0, 0, 0, 0, 0x0fff0004};
    expect_refusal(func, 6, "compare function");
}

static void a_fault_stops_the_queue(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    copy(&r, RIG_VRAM_VA + (1ull << 33), RIG_SYS_VA, 64);
    fence(&r, 1);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 20));
    assert_true(rig_logged(&r, "page fault in hub GC: SDMA write"));
    rig_close(&r, 0, 0);
}

static void random_streams(void **state) {
    (void)state;
    struct rig r;
    uint32_t seed = 777;
    rig_open(&r, target, NULL);
    for (int round = 0; round < 150; round++) {
        for (int k = 0; k < 30; k++) {
            uint32_t dw[14];
            for (int i = 0; i < 14; i++) {
                seed = seed * 1664525 + 1013904223;
                uint32_t v = seed >> 4;
                dw[i] = v % 3 == 0 ? v * 16 : v % 3 == 1 ? v & 0xff : (uint32_t)(RIG_SYS_VA >> 32);
            }
            if (seed >> 31) dw[0] = (seed >> 8) % 18 | (seed >> 20 & 4) << 8;
            rig_sdma_emit(&r, dw, 6 + seed % 8);
        }
        rig_sdma_ring(&r);
        nanosleep(&(struct timespec){0, 300000}, NULL);
        memset(r.sys + RIG_SDMA_RING, 0, 4096);
        rig_reboot(&r);
    }
    fence(&r, 0x1234);
    assert_true(rig_wait(&r, RIG_SIGNAL, 0x1234, 2000));
    struct emu_counters n;
    emu_get_counters(r.bus, &n);
    assert_true(n.guest_errors > 100);
    rig_close(&r, (unsigned)n.guest_errors, (unsigned)n.unimplemented);
}

int main(int argc, char **argv) {
    target = argc > 1 ? argv[1] : "gfx1100";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_all_sizes),
        cmocka_unit_test(fills),
        cmocka_unit_test(a_rectangle),
        cmocka_unit_test(writes_atomics_and_time),
        cmocka_unit_test(indirect_buffer),
        cmocka_unit_test(refusals),
        cmocka_unit_test(a_fault_stops_the_queue),
        cmocka_unit_test(random_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
