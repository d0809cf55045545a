/* SPDX-License-Identifier: MIT */
/* IH: the interrupt ring in VRAM and who gets its entries. Ring set-up: linux ih_v6_0.c. */
#include <errno.h>

#include "driver/blocks.h"
#include "driver/queues.h"

enum { IH_ENTRY_BYTES = 32 };

static unsigned log2_dwords(uint32_t bytes) {
    unsigned n = 0;
    while ((4u << n) < bytes)
        n++;
    return n;
}

static int init_sw(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    b->ih_ring = boot_alloc(d, IH_RING_BYTES, 4096);
    b->ih_wptr = boot_alloc(d, 4096, 4096);
    b->ih_ring1 = boot_alloc(d, IH_RING_BYTES, 4096);
    return b->ih_ring && b->ih_wptr && b->ih_ring1 ? 0 : -ENOSPC;
}

static void ring_base(struct am_device *d, enum hw_reg lo, enum hw_reg hi, vram_off_t ring) {
    mc_addr_t a = d->mc_base + ring;
    reg_wr(d, lo, (uint32_t)(a >> 8));
    reg_wr(d, hi, (uint32_t)(a >> 40) & 0xff);
}

static int init_hw(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    unsigned size = log2_dwords(IH_RING_BYTES);
    enum { MC_SPACE_VRAM = 4 };

    ring_base(d, R_IH_RB_BASE, R_IH_RB_BASE_HI, b->ih_ring);
    uint32_t v = reg_fv(d, F_IH_RB_CNTL__MC_SPACE, MC_SPACE_VRAM) |
                 reg_fv(d, F_IH_RB_CNTL__WPTR_OVERFLOW_CLEAR, 1) |
                 reg_fv(d, F_IH_RB_CNTL__RB_SIZE, size) | reg_fv(d, F_IH_RB_CNTL__MC_SNOOP, 1) |
                 reg_fv(d, F_IH_RB_CNTL__WPTR_OVERFLOW_ENABLE, 1) |
                 reg_fv(d, F_IH_RB_CNTL__RPTR_REARM, 1);
    reg_wr(d, R_IH_RB_CNTL, v);
    mc_addr_t wptr = d->mc_base + b->ih_wptr;
    reg_wr(d, R_IH_RB_WPTR_ADDR_LO, (uint32_t)wptr);
    reg_wr(d, R_IH_RB_WPTR_ADDR_HI, (uint32_t)(wptr >> 32) & 0xffff);
    reg_wr(d, R_IH_RB_WPTR, 0);
    reg_wr(d, R_IH_RB_RPTR, 0);
    reg_wr(d, R_IH_DOORBELL_RPTR, 0);

    ring_base(d, R_IH_RB_BASE_RING1, R_IH_RB_BASE_HI_RING1, b->ih_ring1);
    v = reg_fv(d, F_IH_RB_CNTL_RING1__MC_SPACE, MC_SPACE_VRAM) |
        reg_fv(d, F_IH_RB_CNTL_RING1__WPTR_OVERFLOW_CLEAR, 1) |
        reg_fv(d, F_IH_RB_CNTL_RING1__RB_SIZE, size) | reg_fv(d, F_IH_RB_CNTL_RING1__MC_SNOOP, 1) |
        reg_fv(d, F_IH_RB_CNTL_RING1__RB_FULL_DRAIN_ENABLE, 1);
    reg_wr(d, R_IH_RB_CNTL_RING1, v);
    reg_wr(d, R_IH_RB_WPTR_RING1, 0);
    reg_wr(d, R_IH_RB_RPTR_RING1, 0);
    reg_wr(d, R_IH_DOORBELL_RPTR_RING1, 0);

    reg_upd(d, F_IH_STORM_CLIENT_LIST_CNTL__CLIENT18_IS_STORM_CLIENT, 1);
    reg_upd(d, F_IH_INT_FLOOD_CNTL__FLOOD_CNTL_ENABLE, 1);
    reg_upd(d, F_IH_MSI_STORM_CTRL__DELAY, 3);

    v = reg_rd(d, R_IH_RB_CNTL);
    v = reg_fput(d, F_IH_RB_CNTL__RB_ENABLE, v, 1);
    v = reg_fput(d, F_IH_RB_CNTL__ENABLE_INTR, v, 1);
    reg_wr(d, R_IH_RB_CNTL, v);
    reg_upd(d, F_IH_RB_CNTL_RING1__RB_ENABLE, 1);
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

static int fini_hw(struct am_device *d) {
    ih_drain(d);
    return 0;
}

static void irq(struct am_device *d, const uint32_t entry[8]) {
    am_log(d, AM_LOG_DEBUG, "ih", "own interrupt, source %u", entry[0] >> 8 & 0xff);
}

const struct ip_ops ih_ops = {"IH", init_sw, init_hw, fini_hw, irq};

static void dispatch(struct am_device *d, const uint32_t e[8]) {
    uint32_t client = e[0] & 0xff, source = e[0] >> 8 & 0xff;
    am_log(d, AM_LOG_DEBUG, "ih", "client %u source %u ring %u vmid %u context %08x %08x %08x %08x",
           client, source, e[0] >> 16 & 0xff, e[0] >> 24 & 0xf, e[4], e[5], e[6], e[7]);
    switch (client) {
    case SOC21_IH_CLIENTID_VMC:
        gmc_ops.irq(d, e);
        break;
    case SOC21_IH_CLIENTID_GFX:
        if (source == GFX_11_0_0__SRCID__UTCL2_FAULT)
            gmc_ops.irq(d, e);
        else if (source >= GFX_11_0_0__SRCID__SDMA_ATOMIC_RTN_DONE &&
                 source <= GFX_11_0_0__SRCID__SDMA_SEM_WAIT_FAIL_TIMEOUT)
            sdma_ops.irq(d, e);
        else
            gfx_ops.irq(d, e);
        break;
    case SOC21_IH_CLIENTID_GRBM_CP:
        gfx_ops.irq(d, e);
        break;
    case SOC21_IH_CLIENTID_MP0:
        psp_ops.irq(d, e);
        break;
    case SOC21_IH_CLIENTID_MP1:
    case SOC21_IH_CLIENTID_THM:
        smu_ops.irq(d, e);
        break;
    case SOC21_IH_CLIENTID_IH:
        ih_ops.irq(d, e);
        break;
    default:
        soc_ops.irq(d, e);
        break;
    }
}

int ih_drain(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    int n = 0;
    bool more = false;
    pthread_mutex_lock(&b->ih_lock);
    uint32_t wptr = reg_rd(d, R_IH_RB_WPTR), rptr = reg_rd(d, R_IH_RB_RPTR);
    if (reg_fget(d, F_IH_RB_WPTR__RB_OVERFLOW, wptr)) {
        /* The oldest entries are gone; what lies behind the write pointer is the oldest left. */
        am_log(d, AM_LOG_WARN, "ih", "interrupt ring overflowed");
        if (d->queues) b->eop_seen = *d->queues->ring[AM_RING_COMPUTE].signal; /* some were lost */
        rptr = ((wptr & ~1u) + IH_ENTRY_BYTES) % IH_RING_BYTES;
        reg_upd(d, F_IH_RB_CNTL__WPTR_OVERFLOW_CLEAR, 1);
        reg_upd(d, F_IH_RB_CNTL__WPTR_OVERFLOW_CLEAR, 0);
    }
    wptr = (wptr & ~(uint32_t)(IH_ENTRY_BYTES - 1)) % IH_RING_BYTES;
    rptr = (rptr & ~(uint32_t)(IH_ENTRY_BYTES - 1)) % IH_RING_BYTES;
    while (rptr != wptr && !atomic_load(&d->lost)) {
        uint32_t entry[8];
        if (vram_read(d, b->ih_ring + rptr, entry, sizeof entry) < 0) break;
        dispatch(d, entry);
        rptr = (rptr + IH_ENTRY_BYTES) % IH_RING_BYTES;
        n++;
        if (fault_room(d)) continue;
        more = rptr != wptr; /* faults must be taken first */
        break;
    }
    reg_wr(d, R_IH_RB_RPTR, rptr);
    pthread_mutex_unlock(&b->ih_lock);
    uint32_t db = reg_rd(d, R_BIF_BX0_BIF_DOORBELL_INT_CNTL);
    if (reg_fget(d, F_BIF_BX0_BIF_DOORBELL_INT_CNTL__RAS_CNTLR_INTERRUPT_STATUS, db))
        am_log(d, AM_LOG_WARN, "ih", "the bus interface reports a hardware error (0x%08x)", db);
    return more ? -EAGAIN : n;
}
