/* SPDX-License-Identifier: MIT */
/* SDMA packets against dwords that a driver known to run on gfx1100 and gfx1201 writes (tinygrad's
 * AM driver, August 2026). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/sdma_packets.h"

static uint32_t dw[64];

static struct cmdbuf fresh(void) {
    memset(dw, 0xee, sizeof(dw));
    return (struct cmdbuf){.dw = dw, .cap = 64};
}

static void expect(const struct cmdbuf *c, const uint32_t *want, unsigned n) {
    assert_false(c->overrun);
    assert_int_equal(c->n, n);
    for (unsigned i = 0; i < n; i++)
        if (c->dw[i] != want[i]) fail_msg("dword %u: 0x%08x, not 0x%08x", i, c->dw[i], want[i]);
}
#define EXPECT(c, ...)                                                                             \
    do {                                                                                           \
        const uint32_t want_[] = {__VA_ARGS__};                                                    \
        expect(c, want_, sizeof(want_) / 4);                                                       \
    } while (0)

static void copy_in_v6(void **state) {
    (void)state;
    struct cmdbuf c = fresh();
    sdma_poll_mem_ge(HW_GFX11, &c, 0x200001003ff0, 1);
    sdma_copy(HW_GFX11, &c, 0x200001004000, 0x200001400000, 256);
    sdma_fence(HW_GFX11, &c, 0x200001003ff0, 2);
    EXPECT(&c, 0xd0000008, 0x01003ff0, 0x2000, 1, 0xffffffff, 0x0fff0004, 1, 0xff, 0, 0x01400000,
           0x2000, 0x01004000, 0x2000, 0x00030005, 0x01003ff0, 0x2000, 2);
}

/* v7: the same with the dword that some sources count to the packet, 0. */
static void copy_in_v7(void **state) {
    (void)state;
    struct cmdbuf c = fresh();
    sdma_poll_mem_ge(HW_GFX12, &c, 0x200001003ff0, 1);
    sdma_copy(HW_GFX12, &c, 0x200001004000, 0x200001400000, 256);
    sdma_fence(HW_GFX12, &c, 0x200001003ff0, 2);
    EXPECT(&c, 0xd0000008, 0x01003ff0, 0x2000, 1, 0xffffffff, 0x0fff0004, 0, 1, 0xff, 0, 0x01400000,
           0x2000, 0x01004000, 0x2000, 0, 0x00030005, 0x01003ff0, 0x2000, 2);
}

static void others(void **state) {
    (void)state;
    for (int gen = 0; gen < 2; gen++) {
        struct cmdbuf c = fresh();
        sdma_timestamp(gen, &c, 0x200001003fd8);
        sdma_trap(gen, &c);
        sdma_fill(gen, &c, 0x200001004000, 0xdeadbeef, SDMA_MAX_BYTES);
        EXPECT(&c, 0x0000020d, 0x01003fd8, 0x2000, 6, 0, 0x8000000b, 0x01004000, 0x2000, 0xdeadbeef,
               0x3fffffff);
        assert_true(SDMA_MAX_BYTES - 1 <=
                    hw_mask(0, hw_sdma_fields[gen][SDMA_COPY_LINEAR__COUNT].hi));
        assert_true(SDMA_MAX_BYTES - 1 <=
                    hw_mask(0, hw_sdma_fields[gen][SDMA_CONSTANT_FILL__COUNT].hi));
    }
}

/* Dwords by hand from the field tables. */
static void window(void **state) {
    (void)state;
    struct sdma_window w = {.dst = 0x200001004010,
                            .dst_pitch = 1024,
                            .dst_slice = 65536,
                            .src = 0x200001400004,
                            .src_pitch = 512,
                            .src_slice = 32768,
                            .width = 100,
                            .rows = 7,
                            .slices = 3};
    for (int gen = 0; gen < 2; gen++) { /* elements of 4 bytes */
        struct cmdbuf c = fresh();
        unsigned pitch = gen == HW_GFX12 ? 16 : 13;
        assert_true(sdma_window_fits(gen, &w));
        sdma_copy_window(gen, &c, &w);
        EXPECT(&c, 0x40000401, 0x01400004, 0x2000, 0, 127u << pitch, 8191, 0x01004010, 0x2000, 0,
               255u << pitch, 16383, 24 | 6 << 16, 2);
    }
    w.src += 1; /* bytes; what is not dword aligned goes to x */
    struct cmdbuf c = fresh();
    sdma_copy_window(HW_GFX11, &c, &w);
    EXPECT(&c, 0x00000401, 0x01400004, 0x2000, 1, 511u << 13, 32767, 0x01004010, 0x2000, 0,
           1023u << 13, 65535, 99 | 6 << 16, 2);
    w.src_pitch = 1 << 19;
    assert_true(sdma_window_fits(HW_GFX11, &w));
    assert_false(sdma_window_fits(HW_GFX12, &w)); /* 16 bits */
    w.src_pitch = (1 << 19) + 4;
    assert_false(sdma_window_fits(HW_GFX11, &w));
    w.src_pitch = 510; /* no dwords */
    assert_false(sdma_window_fits(HW_GFX11, &w));
    w.rows = 1;
    assert_true(sdma_window_fits(HW_GFX11, &w));
    w.src_slice = 0;
    assert_false(sdma_window_fits(HW_GFX11, &w));
    uint64_t limit[3];
    w.src -= 1;
    sdma_window_limit(HW_GFX11, &w, limit);
    assert_true(limit[0] == 4 << 14 && limit[1] == 1 << 14 && limit[2] == 1 << 13);
    sdma_window_limit(HW_GFX12, &w, limit);
    assert_true(limit[0] == 4 << 16 && limit[1] == 1 << 16 && limit[2] == 1 << 14);
}

static void padding(void **state) {
    (void)state;
    for (unsigned n = 0; n < 17; n++) {
        struct cmdbuf c = fresh();
        c.n = n;
        sdma_pad(HW_GFX11, &c, 8);
        assert_int_equal(c.n, (n + 7) / 8 * 8);
        if (n % 8) assert_int_equal(c.dw[n], (c.n - n - 1) << 16);
    }
}

static void overrun_is_sticky(void **state) {
    (void)state;
    struct cmdbuf c = {.dw = dw, .cap = 10};
    sdma_copy(HW_GFX11, &c, 0, 4096, 1);
    assert_false(c.overrun);
    sdma_copy(HW_GFX11, &c, 0, 4096, 1);
    assert_true(c.overrun);
    assert_int_equal(c.n, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_in_v6), cmocka_unit_test(copy_in_v7),
        cmocka_unit_test(others),     cmocka_unit_test(window),
        cmocka_unit_test(padding),    cmocka_unit_test(overrun_is_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
