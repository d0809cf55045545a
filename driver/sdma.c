/* SPDX-License-Identifier: MIT */
/* SDMA: engine 0 and its queue 0. Set-up: linux sdma_v6_0.c, sdma_v7_0.c; values of the reference.
 */
#include <errno.h>
#include <stdio.h>

#include "driver/blocks.h"

static int init_sw(struct am_device *d) {
    (void)d;
    return 0;
}

static int init_hw(struct am_device *d) {
    reg_upd(d, F_SDMA0_WATCHDOG_CNTL__QUEUE_HANG_COUNT,
            100); /* 10 ns units of 2^n: linux's value */
    uint32_t v = reg_rd(d, R_SDMA0_UTCL1_CNTL);
    v = reg_fput(d, F_SDMA0_UTCL1_CNTL__RESP_MODE, v, 3);
    v = reg_fput(d, F_SDMA0_UTCL1_CNTL__REDO_DELAY, v, 9);
    reg_wr(d, R_SDMA0_UTCL1_CNTL, v);
    d->chip->sdma_policy(d);
    /* lets the microcode run */
    enum hw_reg control = hw_fields[d->chip->sdma_halt].reg;
    v = reg_rd(d, control);
    v = reg_fput(d, d->chip->sdma_halt, v, 0);
    v = reg_fput(d, d->chip->sdma_thread_reset, v, 0);
    reg_wr(d, control, v);
    reg_upd(d, F_SDMA0_CNTL__TRAP_ENABLE, 1);
    /* port 2 feeds SDMA 0: four doorbells from AM_DOORBELL_SDMA on */
    soc_doorbell_enable(d, 2, 0xe, 3, AM_DOORBELL_SDMA / 4, 4);
    blocks(d)->sdma_up = true;
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

static void unbind(struct am_device *d) {
    reg_upd(d, F_SDMA0_QUEUE0_RB_CNTL__RB_ENABLE, 0);
    reg_upd(d, F_SDMA0_QUEUE0_IB_CNTL__IB_ENABLE, 0);
    reg_upd(d, F_SDMA0_QUEUE0_DOORBELL__ENABLE, 0);
    reg_upd(d, F_SDMA0_QUEUE0_DOORBELL_OFFSET__OFFSET, 0);
    blocks(d)->sdma_bound = false;
}

static void soft_reset(struct am_device *d) {
    reg_wr(d, R_GRBM_SOFT_RESET, reg_fv(d, F_GRBM_SOFT_RESET__SOFT_RESET_SDMA0, 1));
    d->bus->ops->delay(d->bus, 10000);
    reg_wr(d, R_GRBM_SOFT_RESET, 0);
}

int sdma_bind_queue(struct am_device *d, const struct am_ring_desc *r) {
    unsigned size = 0; /* log2 of dwords */
    while ((4u << size) < r->ring_bytes)
        size++;
    if (r->ring_bytes != 4u << size || (r->ring_va & 0xff)) return -EINVAL;
    reg_wr(d, R_SDMA0_QUEUE0_MINOR_PTR_UPDATE, 1);
    reg_wr(d, R_SDMA0_QUEUE0_RB_RPTR, 0);
    reg_wr(d, R_SDMA0_QUEUE0_RB_RPTR_HI, 0);
    reg_wr(d, R_SDMA0_QUEUE0_RB_WPTR, 0);
    reg_wr(d, R_SDMA0_QUEUE0_RB_WPTR_HI, 0);
    reg_wr(d, R_SDMA0_QUEUE0_RB_BASE, (uint32_t)(r->ring_va >> 8));
    reg_wr(d, R_SDMA0_QUEUE0_RB_BASE_HI, (uint32_t)(r->ring_va >> 40));
    reg_wr(d, R_SDMA0_QUEUE0_RB_RPTR_ADDR_LO, (uint32_t)r->rptr_va);
    reg_wr(d, R_SDMA0_QUEUE0_RB_RPTR_ADDR_HI, (uint32_t)(r->rptr_va >> 32));
    reg_wr(d, R_SDMA0_QUEUE0_RB_WPTR_POLL_ADDR_LO, (uint32_t)r->wptr_va);
    reg_wr(d, R_SDMA0_QUEUE0_RB_WPTR_POLL_ADDR_HI, (uint32_t)(r->wptr_va >> 32));
    reg_upd(d, F_SDMA0_QUEUE0_DOORBELL_OFFSET__OFFSET, AM_DOORBELL_SDMA / 4);
    reg_upd(d, F_SDMA0_QUEUE0_DOORBELL__ENABLE, 1);
    reg_wr(d, R_SDMA0_QUEUE0_MINOR_PTR_UPDATE, 0);
    uint32_t v = reg_fv(d, F_SDMA0_QUEUE0_RB_CNTL__RPTR_WRITEBACK_ENABLE, 1) |
                 reg_fv(d, F_SDMA0_QUEUE0_RB_CNTL__RPTR_WRITEBACK_TIMER, 4) |
                 reg_fv(d, d->chip->sdma_wptr_poll, 1) |
                 reg_fv(d, F_SDMA0_QUEUE0_RB_CNTL__RB_SIZE, size) |
                 reg_fv(d, F_SDMA0_QUEUE0_RB_CNTL__RB_PRIV, 1) |
                 reg_fv(d, F_SDMA0_QUEUE0_RB_CNTL__RB_ENABLE, 1);
    reg_wr(d, R_SDMA0_QUEUE0_RB_CNTL, v);
    reg_upd(d, F_SDMA0_QUEUE0_IB_CNTL__IB_ENABLE, 1);
    blocks(d)->sdma_bound = true;
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

int sdma_recover(struct am_device *d) {
    ih_drain(d);
    unbind(d);
    soft_reset(d);
    return init_hw(d);
}

static int fini_hw(struct am_device *d) {
    if (!blocks(d)->sdma_up) return 0;
    if (blocks(d)->sdma_bound) unbind(d);
    soft_reset(d);
    blocks(d)->sdma_up = false;
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

static void irq(struct am_device *d, const uint32_t entry[8]) {
    static const struct {
        uint32_t source;
        enum am_fault_kind kind;
        const char *what;
    } faults[] = {
        {GFX_11_0_0__SRCID__SDMA_DOORBELL_INVALID, AM_FAULT_OTHER, "doorbell without a queue"},
        {GFX_11_0_0__SRCID__SDMA_QUEUE_HANG, AM_FAULT_HANG, "queue hang"},
        {GFX_11_0_0__SRCID__SDMA_ATOMIC_TIMEOUT, AM_FAULT_HANG, "atomic time-out"},
        {GFX_11_0_0__SRCID__SDMA_POLL_TIMEOUT, AM_FAULT_HANG, "poll time-out"},
        {GFX_11_0_0__SRCID__SDMA_PAGE_TIMEOUT, AM_FAULT_PAGE, "page time-out"},
        {GFX_11_0_0__SRCID__SDMA_PAGE_NULL, AM_FAULT_PAGE, "null page"},
        {GFX_11_0_0__SRCID__SDMA_PAGE_FAULT, AM_FAULT_PAGE, "page fault"},
        {GFX_11_0_0__SRCID__SDMA_VM_HOLE, AM_FAULT_PAGE, "address outside the address space"},
        {GFX_11_0_0__SRCID__SDMA_ECC, AM_FAULT_OTHER, "memory error"},
        {GFX_11_0_0__SRCID__SDMA_SRAM_ECC, AM_FAULT_OTHER, "SRAM error"},
    };
    uint32_t source = entry[0] >> 8 & 0xff;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (faults[i].source != source) continue;
        struct am_fault f = {.kind = faults[i].kind, .ring = AM_RING_SDMA};
        snprintf(f.detail, sizeof f.detail, "SDMA: %s, context 0x%x", faults[i].what, entry[4]);
        fault_record(d, &f);
        return;
    }
}

const struct ip_ops sdma_ops = {"SDMA", init_sw, init_hw, fini_hw, irq};
