/* SPDX-License-Identifier: MIT */
/* PM4 streams against dwords that a driver known to run on gfx1100 and gfx1201 writes (tinygrad's
 * AM driver, August 2026). Where ours differ, the test says how. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/pm4.h"

static const uint32_t gc_base[8] = {0x1260, 0xa000};
static uint32_t dw[1024];

static struct pm4 make(enum hw_gen gen) {
    struct pm4 p = {
        .gen = gen, .gc = hw_find_ip(HW_GC, gen == HW_GFX11 ? 11 : 12, 0, 0), .gc_base = gc_base};
    assert_non_null(p.gc);
    return p;
}

static struct cmdbuf fresh(uint32_t cap) {
    memset(dw, 0xee, sizeof(dw));
    return (struct cmdbuf){.dw = dw, .cap = cap};
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

static void descriptor(uint8_t kd[64], uint32_t rsrc1, uint32_t rsrc2, uint32_t rsrc3,
                       uint16_t props) {
    memset(kd, 0, 64);
    hw_put64(kd, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset, 0x1000);
    hw_put32(kd, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc1, rsrc1);
    hw_put32(kd, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc2, rsrc2);
    hw_put32(kd, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc3, rsrc3);
    hw_put16(kd, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_properties, props);
}

enum { KERNARG = 8, WAVE32 = 1 << 10 };

static const struct pm4_dispatch_args ref_args = {.kernarg_va = 0x200007000000,
                                                  .scratch_va = 0x200008000000,
                                                  .scratch_wave_bytes = 0x20 * 256,
                                                  .scratch_waves_per_se = 0x200};

static struct am_dispatch ref_dispatch(const uint8_t *kd) {
    return (struct am_dispatch){.kernel_descriptor = kd,
                                .kernel_descriptor_va = 0x200001007000,
                                .dims = 1,
                                .grid = {16, 1, 1},
                                .group = {16, 1, 1}};
}

/* The register writes and the dispatch are the reference's, dword for dword. */
static void dispatch_gfx1100(void **state) {
    (void)state;
    struct pm4 p = make(HW_GFX11);
    struct cmdbuf c = fresh(1024);
    uint8_t kd[64];
    descriptor(kd, 0xc0af0001, 0x9e, 0x10, KERNARG | WAVE32);
    struct am_dispatch d = ref_dispatch(kd);
    assert_int_equal(pm4_dispatch(&p, &c, &d, &ref_args, NULL, 0), 0);
    EXPECT(&c, 0xc0027600, 0x20c, 0x00010080, 0x20, 0xc0027600, 0x212, 0xc0bf0001, 0x9e, 0xc0017600,
           0x228, 0x10, 0xc0017600, 0x218, 0x00020200, 0xc0027600, 0x210, 0x00080000, 0x20,
           0xc0037600, 0x21b, 0, 0, 0, 0xc0027600, 0x240, 0x07000000, 0x2000, 0xc0017600, 0x215, 0,
           0xc0087600, 0x204, 0, 0, 0, 0x10, 1, 1, 0, 0, 0xc0031500, 1, 1, 1, 0x8005);
}

static void dispatch_gfx1201(void **state) {
    (void)state;
    struct pm4 p = make(HW_GFX12);
    struct cmdbuf c = fresh(1024);
    uint8_t kd[64];
    descriptor(kd, 0xc00f0001, 0x84, 0x10, KERNARG | WAVE32);
    struct am_dispatch d = ref_dispatch(kd);
    assert_int_equal(pm4_dispatch(&p, &c, &d, &ref_args, NULL, 0), 0);
    EXPECT(&c, 0xc0027600, 0x20c, 0x00010080, 0x20, 0xc0027600, 0x212, 0xc00f0001, 0x84, 0xc0017600,
           0x228, 0x10, 0xc0017600, 0x218, 0x00020200, 0xc0027600, 0x210, 0x00080000, 0x20,
           0xc0037600, 0x21b, 0, 0, 0, 0xc0027600, 0x240, 0x07000000, 0x2000, 0xc0017600, 0x215, 0,
           0xc0087600, 0x204, 0, 0, 0, 0x10, 1, 1, 0, 0, 0xc0031500, 1, 1, 1, 0x8005);
}

static void timeline_packets(void **state) {
    (void)state;
    for (int gen = 0; gen < 2; gen++) {
        struct pm4 p = make(gen);
        struct cmdbuf c = fresh(1024);
        pm4_wait_mem_ge(&p, &c, 0x200001003ff0, 5);
        EXPECT(&c, 0xc0053c00, 0x15, 0x01003ff0, 0x2000, 5, 0xffffffff, 4);
        /* The reference drops the vector caches and L2 at every release (0x0070f514); nothing reads
         * through them what others write but what an acquire drops first. gfx12 has no GLM. */
        c = fresh(1024);
        pm4_release_signal(&p, &c, 0x200001003ff0, 6, false);
        EXPECT(&c, 0xc0064900, gen == HW_GFX11 ? 0x00603514 : 0x00600514, 0x20000000, 0x01003ff0,
               0x2000, 6, 0, 0);
        c = fresh(1024);
        pm4_release_signal(&p, &c, 0x200001003ff0, 6, true);
        assert_int_equal(c.dw[2], 0x22000000);
        c = fresh(1024);
        pm4_release_timestamp(&p, &c, 0x200001003fd8);
        EXPECT(&c, 0xc0064900, 0x514, 0x60000000, 0x01003fd8, 0x2000, 0, 0, 0);
        c = fresh(1024);
        pm4_timestamp(&p, &c, 0x200001003fd8);
        EXPECT(&c, 0xc0044000, 0x00110209, 0, 0, 0x01003fd8, 0x2000);
    }
}

static void acquire_packets(void **state) {
    (void)state;
    struct pm4 p = make(HW_GFX11);
    struct cmdbuf c = fresh(1024);
    pm4_acquire(&p, &c, true);
    EXPECT(&c, 0xc0065800, 0, 0xffffffff, 0xff, 0, 0, 0, 0xc3f1);
    c = fresh(1024);
    pm4_acquire(&p, &c, false);
    EXPECT(&c, 0xc0065800, 0, 0xffffffff, 0xff, 0, 0, 0, 0x3f1);
    p = make(HW_GFX12);
    c = fresh(1024);
    pm4_acquire(&p, &c, true);
    EXPECT(&c, 0xc0065800, 0, 0xffffffff, 0xff, 0, 0, 0, 0xc1c1);
}

/* Everything a descriptor can ask for, in the order of LLVM's AMDGPUUsage. */
static void user_sgprs(void **state) {
    (void)state;
    struct pm4 p = make(HW_GFX12);
    struct cmdbuf c = fresh(1024);
    uint8_t kd[64];
    descriptor(kd, 0, 9 << 1, 0, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6 | WAVE32);
    struct am_dispatch d = ref_dispatch(kd);
    d.private_segment_bytes = 48;
    struct pm4_dispatch_args a = {.kernarg_va = 0x100000003,
                                  .aql_va = 0x100000001,
                                  .queue_va = 0x100000002,
                                  .dispatch_id = 0x100000004,
                                  .scratch_va = 0x1000,
                                  .scratch_wave_bytes = 1536,
                                  .scratch_waves_per_se = 32};
    assert_int_equal(pm4_dispatch(&p, &c, &d, &a, NULL, 0), 0);
    const uint32_t want[] = {0xc0097600, 0x240, 1, 1, 2, 1, 3, 1, 4, 1, 48};
    unsigned at = 0;
    while (at < c.n && c.dw[at] != want[0])
        at++;
    assert_true(at + 11 <= c.n);
    assert_memory_equal(c.dw + at, want, sizeof(want));
    assert_int_equal(c.dw[7], 9 << 1 | 1); /* SCRATCH_EN */
}

/* A grid that groups do not divide: last group sizes, rounded-up counts, PARTIAL_TG_EN. */
static void partial_groups(void **state) {
    (void)state;
    struct pm4 p = make(HW_GFX11);
    struct cmdbuf c = fresh(1024);
    uint8_t kd[64];
    descriptor(kd, 0, 0, 0, 0);
    struct am_dispatch d = ref_dispatch(kd);
    d.dims = 3;
    memcpy(d.grid, (uint32_t[]){100, 6, 7}, 12);
    memcpy(d.group, (uint16_t[]){32, 3, 2}, 6);
    d.group_segment_bytes = 513;
    assert_int_equal(pm4_dispatch(&p, &c, &d, &ref_args, NULL, 0), 0);
    const uint32_t tail[] = {0xc0087600,   0x204,       0,           0, 0,
                             4 << 16 | 32, 3 << 16 | 3, 1 << 16 | 2, 0, 0,
                             0xc0031500,   4,           2,           4, 0x7};
    assert_memory_equal(c.dw + c.n - 15, tail, sizeof(tail));
    assert_int_equal(c.dw[7], 2 << 15); /* LDS_SIZE in 512-byte units */
}

static void refusals(void **state) {
    (void)state;
    struct pm4 p = make(HW_GFX11);
    struct cmdbuf c = fresh(1024);
    uint8_t kd[64];
    char err[128];
    struct am_dispatch d = ref_dispatch(kd);
#define REFUSED(code) assert_int_equal(pm4_dispatch(&p, &c, &d, &ref_args, err, sizeof(err)), code)
    descriptor(kd, 0, 0, 0, 1);
    REFUSED(-ENOTSUP);
    descriptor(kd, 0, 0, 0, 1 << 5);
    REFUSED(-ENOTSUP);
    descriptor(kd, 0, 17 << 1, 0, 0);
    REFUSED(-EINVAL);
    descriptor(kd, 0, 0, 0, 0);
    hw_put64(kd, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset, 0x1080);
    REFUSED(-EINVAL);
    descriptor(kd, 0, 0, 0, 0);
    d.group[0] = 0;
    REFUSED(-EINVAL);
    d.group[0] = 1024;
    d.group[1] = 2;
    d.grid[1] = 2;
    REFUSED(-EINVAL); /* dims is 1 */
    d.dims = 2;
    REFUSED(-EINVAL); /* 2048 items */
    assert_string_equal(err, "more than 1024 work-items in a work-group");
    d.group[1] = 1;
    d.group_segment_bytes = (64 << 10) + 1;
    REFUSED(-EINVAL);
    d.group_segment_bytes = 64 << 10;
    assert_int_equal(pm4_dispatch(&p, &c, &d, &ref_args, err, sizeof(err)), 0);
    c = fresh(20);
    assert_int_equal(pm4_dispatch(&p, &c, &d, &ref_args, err, sizeof(err)), -E2BIG);
    assert_int_equal(c.n, 0);
}

static void padding(void **state) {
    (void)state;
    struct cmdbuf c = fresh(1024);
    pm4_pad(&c, 8);
    assert_int_equal(c.n, 0);
    for (unsigned n = 1; n <= 8; n++) {
        c = fresh(1024);
        c.n = n;
        pm4_pad(&c, 8);
        assert_int_equal(c.n, n == 7 ? 16 : 8);
        if (n < 8) assert_int_equal(c.dw[n], 0xc0001000 | (c.n - n - 2) << 16);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispatch_gfx1100), cmocka_unit_test(dispatch_gfx1201),
        cmocka_unit_test(timeline_packets), cmocka_unit_test(acquire_packets),
        cmocka_unit_test(user_sgprs),       cmocka_unit_test(partial_groups),
        cmocka_unit_test(refusals),         cmocka_unit_test(padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
