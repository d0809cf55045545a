/* SPDX-License-Identifier: MIT */
/* Translation, TLB, HDP, DMA, interrupts. The test plays the engine with gpu_mem_*. */
#include "tests/emulator/mini.h"

#include <string.h>

static void open_booted(struct mini *m, const char *target) {
    mini_open(m, target);
    mini_psp_boot(m);
    mini_bus_master(m, true);
    mini_hubs(m);
    mini_expect_none(m);
}

static int peek(struct mini *m, uint64_t va, uint32_t *v) {
    return gpu_mem_read(m->g, HUB_GC, AGENT_CP, va, v, 4);
}

static void walks(struct mini *m) {
    uint32_t v, a = 0x11111111, b = 0x22222222, c = 0x33333333;
    mini_vram_write(m, 0x5001000, &a, 4);
    mini_vram_write(m, 0x6034000 + 0x1ff004, &b,
                    4); /* a 2 MiB page whose base is not 2 MiB aligned */
    mini_map(m, MINI_VA + 0x1000, mini_pte(m, 0x5001000, false, 0), 0);
    mini_map(m, MINI_VA + 0x40000000, mini_pte(m, 0x6034000, false, 1), 1);
    struct bus_dma d;
    assert_int_equal(m->b->ops->dma_map(m->b, NULL, NULL, 3 * 4096, &d), 0);
    assert_int_equal(d.npages, 3);
    memcpy((uint8_t *)d.va + 8192 + 8, &c, 4);
    for (unsigned i = 0; i < 3; i++)
        mini_map(m, MINI_VA + 0x100000 + i * 4096ull, mini_pte(m, d.pages[i], true, 0), 0);
    mini_invalidate(m);
    assert_int_equal(peek(m, MINI_VA + 0x1000, &v), 0);
    assert_int_equal(v, a);
    assert_int_equal(peek(m, MINI_VA + 0x40000000 + 0x1ff004, &v), 0);
    assert_int_equal(v, b);
    assert_int_equal(peek(m, MINI_VA + 0x100000 + 8192 + 8, &v), 0);
    assert_int_equal(v, c);
    struct gpu_xlat x; /* pages that continue are one piece */
    assert_int_equal(gpu_translate(m->g, HUB_GC, AGENT_CP, GPU_READ, MINI_VA + 0x100000, &x), 0);
    assert_int_equal(x.size, 3 * 4096);
    assert_true(x.system && x.snooped && x.mtype == 3);
    /* the MM hub has its own TLB and the same tables */
    assert_int_equal(gpu_mem_read(m->g, HUB_MM, AGENT_SDMA, MINI_VA + 0x1000, &v, 4), 0);
    assert_int_equal(v, a);
    /* MC addresses inside the system aperture are not translated */
    assert_int_equal(peek(m, MINI_MC + 0x5001000, &v), 0);
    assert_int_equal(v, a);
    mini_expect_none(m);
    m->b->ops->dma_unmap(m->b, &d);
}

static void page_walk(void **state) {
    (void)state;
    static const char *const targets[] = {"gfx1100", "gfx1201"};
    for (int i = 0; i < 2; i++) {
        struct mini m;
        open_booted(&m, targets[i]);
        walks(&m);
        mini_close(&m);
    }
}

static void huge_bit_by_generation(void **state) {
    struct mini m;
    uint32_t v;
    (void)state;
    open_booted(&m, "gfx1201");
    /* bit 54 makes a page of a directory entry on gfx11 only; on gfx12 it is a pointer to a table
     */
    mini_map(&m, MINI_VA + 0x40000000, 0x6000000 | 0x71 | 1ull << 54, 1);
    mini_map(&m, MINI_VA + 0x2000, 0x5000000 | 0x71, 0); /* a PTE without bit 63 */
    mini_invalidate(&m);
    assert_int_equal(peek(&m, MINI_VA + 0x40000000, &v), -14);
    assert_int_equal(peek(&m, MINI_VA + 0x2000, &v), -14);
    mini_expect(&m, "without the bit");
    mini_close(&m);
}

static void faults(void **state) {
    struct mini m;
    uint32_t v;
    (void)state;
    open_booted(&m, "gfx1100");
    mini_wr(&m, R_IH_RB_BASE, (uint32_t)((MINI_MC + 0x10000) >> 8));
    mini_wr(&m, R_IH_RB_BASE_HI, 0);
    mini_wr(&m, R_IH_RB_CNTL, 4u << 28 | 1u << 17 | 1u << 20 | 10u << 1 | 1); /* 4 KiB ring */
    uint64_t ro = (mini_pte(&m, 0x5000000, false, 0) & ~0x40ull);
    mini_map(&m, MINI_VA + 0x3000, ro, 0);
    mini_invalidate(&m);
    assert_int_equal(m.b->ops->irq_wait(m.b, 0), 0);
    assert_int_equal(peek(&m, MINI_VA + 0x123456000, &v), -14);
    assert_int_equal(m.b->ops->irq_wait(m.b, 100000), 1);
    assert_int_equal(m.b->ops->irq_wait(m.b, 0), 0);
    assert_int_equal(mini_rd(&m, R_IH_RB_WPTR), 32);
    uint32_t e[8];
    mini_vram_read(&m, 0x10000, e, sizeof e);
    assert_int_equal(e[0] & 0xffff, SOC21_IH_CLIENTID_GFX);
    assert_int_equal((uint64_t)e[4] << 12 | (uint64_t)(e[5] & 15) << 44, MINI_VA + 0x123456000);
    assert_int_not_equal(mini_rd(&m, R_GCVM_L2_PROTECTION_FAULT_STATUS), 0);
    assert_int_equal(mini_rd(&m, R_GCVM_L2_PROTECTION_FAULT_ADDR_LO32),
                     (uint32_t)((MINI_VA + 0x123456000) >> 12));
    /* a second fault does not overwrite the first */
    assert_int_equal(gpu_mem_write(m.g, HUB_GC, AGENT_CP, MINI_VA + 0x3000, &v, 4), -14);
    assert_int_equal(mini_rd(&m, R_GCVM_L2_PROTECTION_FAULT_ADDR_LO32),
                     (uint32_t)((MINI_VA + 0x123456000) >> 12));
    assert_int_equal(mini_rd(&m, R_GCVM_L2_PROTECTION_FAULT_STATUS) & 1, 1);
    mini_set_field(&m, F_GCVM_L2_PROTECTION_FAULT_CNTL__CLEAR_PROTECTION_FAULT_STATUS_ADDR, 1);
    assert_int_equal(mini_rd(&m, R_GCVM_L2_PROTECTION_FAULT_STATUS), 0);
    assert_int_equal(gpu_mem_write(m.g, HUB_GC, AGENT_CP, MINI_VA + 0x3000, &v, 4), -14);
    assert_int_equal(mini_rd(&m, R_GCVM_L2_PROTECTION_FAULT_STATUS) >> 18 & 1, 1); /* RW */
    assert_int_equal(peek(&m, MINI_VA + 0x3000, &v), 0);
    assert_int_equal(peek(&m, 0x1000, &v), -14); /* below the page table's range */
    mini_close(&m);
}

static void stale(void **state) {
    struct mini m;
    uint32_t v, a = 1, b = 2;
    (void)state;
    open_booted(&m, "gfx1100");
    mini_vram_write(&m, 0x5000000, &a, 4);
    mini_vram_write(&m, 0x5100000, &b, 4);
    mini_map(&m, MINI_VA, mini_pte(&m, 0x5000000, false, 0), 0);
    /* mapped, no invalidation */
    mini_hdp_flush(&m);
    assert_int_equal(peek(&m, MINI_VA, &v), 0);
    mini_expect(&m, "not followed by a TLB invalidation");
    mini_invalidate(&m);
    assert_int_equal(peek(&m, MINI_VA, &v), 0);
    mini_expect_none(&m);
    /* moved, no invalidation: the old page is used, and named */
    mini_map(&m, MINI_VA, mini_pte(&m, 0x5100000, false, 0), 0);
    mini_hdp_flush(&m);
    assert_int_equal(peek(&m, MINI_VA, &v), 0);
    assert_int_equal(v, a);
    mini_expect(&m, "stale translation");
    mini_invalidate(&m);
    assert_int_equal(peek(&m, MINI_VA, &v), 0);
    assert_int_equal(v, b);
    /* another entry of the same table changes: nothing stale here */
    mini_map(&m, MINI_VA + 0x7000, mini_pte(&m, 0x5200000, false, 0), 0);
    mini_hdp_flush(&m);
    assert_int_equal(peek(&m, MINI_VA, &v), 0);
    mini_expect_none(&m);
    mini_invalidate(&m);
    uint64_t epoch = gpu_tlb_epoch(m.g, HUB_GC);
    mini_invalidate(&m);
    assert_true(gpu_tlb_epoch(m.g, HUB_GC) > epoch);
    mini_close(&m);
}

static void invalidation_protocol(void **state) {
    struct mini m;
    (void)state;
    open_booted(&m, "gfx1201");
    mini_wr(&m, R_MMVM_INVALIDATE_ENG17_REQ, 0x00f80001);
    mini_expect(&m, "semaphore");
    mini_wr(&m, R_GCVM_INVALIDATE_ENG17_REQ, 0x00080001);
    mini_expect(&m, "all levels");
    mini_wr(&m, R_GCVM_INVALIDATE_ENG3_REQ, 0x00f80001);
    mini_expect(&m, "address range");
    assert_int_equal(mini_rd(&m, R_MMVM_INVALIDATE_ENG17_SEM), 1);
    assert_int_equal(mini_rd(&m, R_MMVM_INVALIDATE_ENG17_SEM), 0); /* taken */
    mini_wr(&m, R_MMVM_INVALIDATE_ENG17_SEM, 0);
    assert_int_equal(mini_rd(&m, R_MMVM_INVALIDATE_ENG17_SEM), 1);
    mini_close(&m);
}

static void hdp(void **state) {
    struct mini m;
    uint32_t v, a = 7;
    (void)state;
    open_booted(&m, "gfx1100");
    mini_map(&m, MINI_VA, mini_pte(&m, 0x5000000, false, 0), 0);
    mini_invalidate(&m);
    mini_vram_write(&m, 0x5000100, &a, 4);
    assert_int_equal(peek(&m, MINI_VA + 0x108, &v), 0); /* the next word was not written */
    mini_expect_none(&m);
    peek(&m, MINI_VA + 0x100, &v);
    mini_expect(&m, "before the HDP flush");
    mini_hdp_flush(&m);
    assert_int_equal(peek(&m, MINI_VA + 0x100, &v), 0);
    assert_int_equal(v, a);
    mini_expect_none(&m);
    /* the CP's own request: linux moves the trigger too */
    mini_vram_write(&m, 0x5000100, &a, 4);
    mini_wr(&m, R_BIF_BX_PF0_GPU_HDP_FLUSH_REQ, 1);
    assert_int_equal(mini_rd(&m, R_BIF_BX_PF0_GPU_HDP_FLUSH_DONE) & 1, 1);
    assert_int_equal(peek(&m, MINI_VA + 0x100, &v), 0);
    mini_wr(&m, R_BIF_BX0_REMAP_HDP_MEM_FLUSH_CNTL, 0x7f000);
    mini_vram_write(&m, 0x5000100, &a, 4);
    bus_wr32(m.b, 5, 0x7f000, 0);
    assert_int_equal(peek(&m, MINI_VA + 0x100, &v), 0);
    mini_close(&m);
}

static void dma_rules(void **state) {
    struct mini m;
    uint32_t v;
    (void)state;
    open_booted(&m, "gfx1100");
    struct bus_dma d;
    assert_int_equal(m.b->ops->dma_map(m.b, NULL, (void *)0x200000000000, 4096, &d), 0);
    assert_int_equal(d.owned, 1);
    mini_map(&m, MINI_VA, mini_pte(&m, d.pages[0], true, 0), 0);
    mini_map(&m, MINI_VA + 4096, mini_pte(&m, d.pages[0] + 4096, true, 0), 0);
    mini_invalidate(&m);
    assert_int_equal(peek(&m, MINI_VA, &v), 0);
    assert_int_equal(peek(&m, MINI_VA + 4096, &v), -14);
    mini_expect(&m, "not mapped");
    assert_ptr_equal(emu_dma_ptr(m.b, d.pages[0]), d.va);
    /* bus mastering off */
    mini_invalidate(&m);
    mini_bus_master(&m, false);
    assert_int_equal(peek(&m, MINI_VA, &v), -14);
    mini_expect(&m, "bus mastering off");
    mini_bus_master(&m, true);
    /* unmapping drops what the TLB kept */
    assert_int_equal(peek(&m, MINI_VA, &v), 0);
    uint64_t page = d.pages[0];
    m.b->ops->dma_unmap(m.b, &d);
    assert_null(emu_dma_ptr(m.b, page));
    assert_int_equal(peek(&m, MINI_VA, &v), -14);
    mini_expect(&m, "not mapped");
    assert_int_equal(m.b->ops->dma_map(m.b, (void *)1, NULL, 4096, &d), -22);
    assert_int_equal(m.b->ops->dma_map(m.b, NULL, NULL, 0, &d), -22);
    mini_close(&m);
}

static void ih_ring(void **state) {
    struct mini m;
    (void)state;
    open_booted(&m, "gfx1201");
    mini_wr(&m, R_IH_RB_BASE, (uint32_t)((MINI_MC + 0x10000) >> 8));
    mini_wr(&m, R_IH_RB_BASE_HI, 0);
    mini_wr(&m, R_IH_RB_WPTR_ADDR_LO, 0x20000);
    mini_wr(&m, R_IH_RB_WPTR_ADDR_HI, (uint32_t)(MINI_MC >> 32));
    mini_wr(&m, R_IH_RB_CNTL,
            4u << 28 | 1u << 21 | 1u << 17 | 1u << 16 | 1u << 8 | 8u << 1 | 1); /* 1 KiB */
    const uint32_t data[4] = {1, 2, 3, 4};
    for (unsigned i = 0; i < 31; i++)
        gpu_irq(m.g, SOC21_IH_CLIENTID_GRBM_CP, 181, 0, 0, data);
    assert_int_equal(mini_rd(&m, R_IH_RB_WPTR), 31 * 32);
    uint32_t v;
    mini_vram_read(&m, 0x20000, &v, 4);
    assert_int_equal(v, 31 * 32);
    gpu_irq(m.g, SOC21_IH_CLIENTID_GRBM_CP, 181, 0, 0, data);
    assert_int_equal(mini_rd(&m, R_IH_RB_WPTR) & 1, 1); /* overflow */
    mini_set_field(&m, F_IH_RB_CNTL__WPTR_OVERFLOW_CLEAR, 1);
    assert_int_equal(mini_rd(&m, R_IH_RB_WPTR), 0);
    m.b->ops->irq_wait(m.b, 0);
    mini_wr(&m, R_IH_RB_RPTR, 32); /* behind: rearmed */
    assert_int_equal(m.b->ops->irq_wait(m.b, 1000), 1);
    mini_wr(&m, R_IH_RB_RPTR, 0);
    assert_int_equal(m.b->ops->irq_wait(m.b, 1000), 0);
    mini_close(&m);
}

static void clock_advances(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1100");
    uint64_t t = gpu_clock(m.g);
    m.b->ops->delay(m.b, 1000000);
    assert_in_range(gpu_clock(m.g) - t, 100000000, 200000000);
    mini_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_walk),
        cmocka_unit_test(huge_bit_by_generation),
        cmocka_unit_test(faults),
        cmocka_unit_test(stale),
        cmocka_unit_test(invalidation_protocol),
        cmocka_unit_test(hdp),
        cmocka_unit_test(dma_rules),
        cmocka_unit_test(ih_ring),
        cmocka_unit_test(clock_advances),
    };
    return cmocka_run_group_tests_name("emulator memory", tests, NULL, NULL);
}
