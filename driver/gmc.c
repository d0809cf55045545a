/* SPDX-License-Identifier: MIT */
/* GMC: the two memory hubs, VRAM through BAR0, boot memory. Register values: linux gfxhub_v3_0.c,
 * mmhub_v3_0.c; the same fields in the tinygrad reference. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver/blocks.h"

#define VM_BASE           0x200000000000ull /* start of the address space that all devices share */
#define VM_LAST_PAGE      0x7ffffffffull    /* 4 KiB page number of its end */
#define INVALIDATE_ENGINE 17                /* the driver's; others belong to firmware */

/* ---- VRAM from the CPU ---- */

/* MM_INDEX bit 31 selects memory; MM_INDEX_HI holds the address from bit 31 on. */
static int indexed(struct am_device *d, vram_off_t off, uint8_t *buf, size_t len, bool write) {
    if ((off | len) & 3) return -EINVAL;
    pthread_mutex_lock(&d->reg_lock);
    uint64_t index = (uint64_t)reg_addr(d, R_BIF_BX_PF0_MM_INDEX) * 4,
             index_hi = (uint64_t)reg_addr(d, R_BIF_BX_PF0_MM_INDEX_HI) * 4,
             data = (uint64_t)reg_addr(d, R_BIF_BX_PF0_MM_DATA) * 4;
    if (!reg_has(d, R_BIF_BX_PF0_MM_INDEX)) index = 0, index_hi = 6 * 4, data = 1 * 4;
    int rc = 0;
    for (size_t i = 0; i < len && !rc; i += 4) {
        uint64_t a = off + i;
        uint32_t v;
        rc = bus_wr32(d->bus, BUS_BAR_MMIO, index, (uint32_t)(a & 0x7fffffff) | 1u << 31);
        if (!rc) rc = bus_wr32(d->bus, BUS_BAR_MMIO, index_hi, (uint32_t)(a >> 31));
        if (rc) break;
        if (write) {
            memcpy(&v, buf + i, 4);
            rc = bus_wr32(d->bus, BUS_BAR_MMIO, data, v);
        } else {
            rc = bus_rd32(d->bus, BUS_BAR_MMIO, data, &v);
            memcpy(buf + i, &v, 4);
        }
    }
    pthread_mutex_unlock(&d->reg_lock);
    return rc;
}

static int vram_check(struct am_device *d, vram_off_t off, size_t len) {
    if (atomic_load(&d->lost) || atomic_load(&d->abandoned)) return -ENODEV;
    return off > d->vram_bytes || len > d->vram_bytes - off ? -EFAULT : 0;
}

int vram_read(struct am_device *d, vram_off_t off, void *buf, size_t len) {
    int rc = vram_check(d, off, len);
    if (rc) return rc;
    if (off + len <= d->vram_bar.size)
        return d->bus->ops->bar_read(d->bus, BUS_BAR_VRAM, off, buf, len);
    return indexed(d, off, buf, len, false);
}

int vram_write(struct am_device *d, vram_off_t off, const void *buf, size_t len) {
    int rc = vram_check(d, off, len);
    if (rc) return rc;
    if (off + len <= d->vram_bar.size)
        return d->bus->ops->bar_write(d->bus, BUS_BAR_VRAM, off, buf, len);
    return indexed(d, off, (uint8_t *)(uintptr_t)buf, len, true);
}

int vram_zero(struct am_device *d, vram_off_t off, size_t len) {
    static const uint8_t zeros[65536];
    int rc = 0;
    while (len && !rc) {
        size_t n = len < sizeof zeros ? len : sizeof zeros;
        rc = vram_write(d, off, zeros, n);
        off += n;
        len -= n;
    }
    return rc;
}

vram_off_t boot_alloc(struct am_device *d, size_t size, size_t align) {
    if (align < 4096) align = 4096;
    vram_off_t at = (d->boot_next + align - 1) & ~(vram_off_t)(align - 1);
    if (at + size > AM_BOOT_MEM_BYTES) {
        am_log(d, AM_LOG_ERROR, "gmc", "boot memory has no %zu bytes left", size);
        return 0;
    }
    d->boot_next = (at + size + 4095) & ~(vram_off_t)4095;
    return at;
}

/* ---- flushes ---- */

void gmc_hdp_flush(struct am_device *d) {
    /* The place to write to is where this register says; it stays there. */
    _Atomic uint32_t *place = &blocks(d)->hdp_flush;
    uint32_t remap = atomic_load(place);
    if (!remap) {
        remap = reg_rd(d, R_BIF_BX0_REMAP_HDP_MEM_FLUSH_CNTL);
        atomic_store(place, remap);
    }
    if (!atomic_load(&d->lost) && !atomic_load(&d->abandoned)) reg_wr_dw(d, remap / 4, 0);
}

static int invalidate(struct am_device *d, enum hw_reg req, enum hw_reg ack) {
    /* one VMID (0), legacy flush, all levels and the L1s */
    static const enum hw_field fields[] = {
        F_GCVM_INVALIDATE_ENG17_REQ__INVALIDATE_L2_PTES,
        F_GCVM_INVALIDATE_ENG17_REQ__INVALIDATE_L2_PDE0,
        F_GCVM_INVALIDATE_ENG17_REQ__INVALIDATE_L2_PDE1,
        F_GCVM_INVALIDATE_ENG17_REQ__INVALIDATE_L2_PDE2,
        F_GCVM_INVALIDATE_ENG17_REQ__INVALIDATE_L1_PTES,
    };
    uint32_t v = reg_fv(d, F_GCVM_INVALIDATE_ENG17_REQ__PER_VMID_INVALIDATE_REQ, 1);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        v = reg_fput(d, fields[i], v, 1);
    reg_wr(d, req, v); /* the layout is the same in both hubs */
    return reg_wait(d, ack, 1, 1, 100000);
}

int gmc_flush_tlb(struct am_device *d) {
    gmc_hdp_flush(d);
    int rc = invalidate(d, R_GCVM_INVALIDATE_ENG17_REQ, R_GCVM_INVALIDATE_ENG17_ACK);
    if (rc) return rc;
    /* The MM hub's engine is shared with firmware: its semaphore is taken by a read that gives 1.
     */
    rc = reg_wait(d, R_MMVM_INVALIDATE_ENG17_SEM, 1, 1, 100000);
    if (rc) return rc;
    rc = invalidate(d, R_MMVM_INVALIDATE_ENG17_REQ, R_MMVM_INVALIDATE_ENG17_ACK);
    reg_wr(d, R_MMVM_INVALIDATE_ENG17_SEM, 0);
    if (rc) return rc;
    /* keeps private translations from surviving; the read back orders it (reference) */
    reg_upd(d, F_MMVM_L2_BANK_SELECT_RESERVED_CID2__RESERVED_CACHE_PRIVATE_INVALIDATION, 1);
    (void)reg_rd(d, R_MMVM_L2_BANK_SELECT_RESERVED_CID2);
    return 0;
}

/* ---- hubs ---- */

/* Both hubs have the same registers under their own prefix. */
#define HUB_REG(hub, name)   ((hub) == AM_HUB_MM ? R_MM##name : R_GC##name)
#define HUB_FIELD(hub, name) ((hub) == AM_HUB_MM ? F_MM##name : F_GC##name)

static void hub_apertures(struct am_device *d, enum am_hub h) {
    struct am_blocks *b = blocks(d);
    /* no AGP aperture: bottom above top */
    reg_wr(d, HUB_REG(h, MC_VM_AGP_BASE), 0);
    reg_wr(d, HUB_REG(h, MC_VM_AGP_BOT), 0xffffff);
    reg_wr(d, HUB_REG(h, MC_VM_AGP_TOP), 0);
    reg_wr(d, HUB_REG(h, MC_VM_SYSTEM_APERTURE_LOW_ADDR), (uint32_t)(d->mc_base >> 18));
    reg_wr(d, HUB_REG(h, MC_VM_SYSTEM_APERTURE_HIGH_ADDR), (uint32_t)((d->mc_end - 1) >> 18));
    reg_wr(d, HUB_REG(h, MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_LSB),
           (uint32_t)(b->scratch_page >> 12));
    reg_wr(d, HUB_REG(h, MC_VM_SYSTEM_APERTURE_DEFAULT_ADDR_MSB),
           (uint32_t)(b->scratch_page >> 44));
    reg_wr(d, HUB_REG(h, VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_LO32),
           (uint32_t)(b->dummy_page >> 12));
    reg_wr(d, HUB_REG(h, VM_L2_PROTECTION_FAULT_DEFAULT_ADDR_HI32),
           (uint32_t)(b->dummy_page >> 44));
    reg_upd(d, HUB_FIELD(h, VM_L2_PROTECTION_FAULT_CNTL2__ACTIVE_PAGE_MIGRATION_PTE_READ_RETRY), 1);
}

static void hub_caches(struct am_device *d, enum am_hub h) {
    uint32_t v = reg_rd(d, HUB_REG(h, MC_VM_MX_L1_TLB_CNTL));
    v = reg_fput(d, HUB_FIELD(h, MC_VM_MX_L1_TLB_CNTL__ENABLE_L1_TLB), v, 1);
    v = reg_fput(d, HUB_FIELD(h, MC_VM_MX_L1_TLB_CNTL__SYSTEM_ACCESS_MODE), v, 3);
    v = reg_fput(d, HUB_FIELD(h, MC_VM_MX_L1_TLB_CNTL__ENABLE_ADVANCED_DRIVER_MODEL), v, 1);
    v = reg_fput(d, HUB_FIELD(h, MC_VM_MX_L1_TLB_CNTL__SYSTEM_APERTURE_UNMAPPED_ACCESS), v, 0);
    v = reg_fput(d, HUB_FIELD(h, MC_VM_MX_L1_TLB_CNTL__ECO_BITS), v, 0);
    v = reg_fput(d, HUB_FIELD(h, MC_VM_MX_L1_TLB_CNTL__MTYPE), v, MTYPE_UC);
    reg_wr(d, HUB_REG(h, MC_VM_MX_L1_TLB_CNTL), v);

    v = reg_rd(d, HUB_REG(h, VM_L2_CNTL));
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL__ENABLE_L2_CACHE), v, 1);
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL__ENABLE_L2_FRAGMENT_PROCESSING), v, 0);
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL__ENABLE_DEFAULT_PAGE_OUT_TO_SYSTEM_MEMORY), v, 1);
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL__L2_PDE0_CACHE_TAG_GENERATION_MODE), v, 0);
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL__PDE_FAULT_CLASSIFICATION), v, 0);
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL__CONTEXT1_IDENTITY_ACCESS_MODE), v, 1);
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL__IDENTITY_MODE_FRAGMENT_SIZE), v, 0);
    reg_wr(d, HUB_REG(h, VM_L2_CNTL), v);

    v = reg_rd(d, HUB_REG(h, VM_L2_CNTL2));
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL2__INVALIDATE_ALL_L1_TLBS), v, 1);
    v = reg_fput(d, HUB_FIELD(h, VM_L2_CNTL2__INVALIDATE_L2_CACHE), v, 1);
    reg_wr(d, HUB_REG(h, VM_L2_CNTL2), v);

    v = reg_fv(d, HUB_FIELD(h, VM_L2_CNTL3__BANK_SELECT), 9) |
        reg_fv(d, HUB_FIELD(h, VM_L2_CNTL3__L2_CACHE_BIGK_FRAGMENT_SIZE), 6) |
        reg_fv(d, HUB_FIELD(h, VM_L2_CNTL3__L2_CACHE_BIGK_ASSOCIATIVITY), 1) |
        reg_fv(d, HUB_FIELD(h, VM_L2_CNTL3__L2_CACHE_4K_ASSOCIATIVITY), 1);
    reg_wr(d, HUB_REG(h, VM_L2_CNTL3), v);
    reg_wr(d, HUB_REG(h, VM_L2_CNTL4),
           reg_fv(d, HUB_FIELD(h, VM_L2_CNTL4__L2_CACHE_4K_PARTITION_COUNT), 1));
    reg_wr(d, HUB_REG(h, VM_L2_CNTL5),
           reg_fv(d, HUB_FIELD(h, VM_L2_CNTL5__WALKER_PRIORITY_CLIENT_ID), 0x1ff));
}

/* Every kind of protection fault is reported and answered from the default page, but for secure
 * memory, which no default page may stand in for. */
static uint32_t fault_enables(struct am_device *d, enum hw_reg r, uint32_t v) {
    for (uint32_t i = 0; i < hw_regs[r].field_count; i++) {
        enum hw_field f = (enum hw_field)(hw_regs[r].first_field + i);
        const char *name = hw_fields[f].name;
        if (strstr(name, "_PROTECTION_FAULT_ENABLE_") && reg_fhas(d, f) &&
            strcmp(name, "SECURE_PROTECTION_FAULT_ENABLE_DEFAULT") != 0)
            v = reg_fput(d, f, v, 1);
    }
    return v;
}

static void hub_context0(struct am_device *d, enum am_hub h) {
    uint64_t first = VM_BASE >> 12, root = d->root_pt | 1; /* valid */
    reg_wr(d, HUB_REG(h, VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32), (uint32_t)first);
    reg_wr(d, HUB_REG(h, VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32), (uint32_t)(first >> 32));
    reg_wr(d, HUB_REG(h, VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32), (uint32_t)VM_LAST_PAGE);
    reg_wr(d, HUB_REG(h, VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32), (uint32_t)(VM_LAST_PAGE >> 32));
    reg_wr(d, HUB_REG(h, VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32), (uint32_t)root);
    reg_wr(d, HUB_REG(h, VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32), (uint32_t)(root >> 32));
    uint32_t v = reg_fv(d, HUB_FIELD(h, VM_CONTEXT0_CNTL__ENABLE_CONTEXT), 1) |
                 reg_fv(d, HUB_FIELD(h, VM_CONTEXT0_CNTL__PAGE_TABLE_DEPTH), 3);
    reg_wr(d, HUB_REG(h, VM_CONTEXT0_CNTL), fault_enables(d, HUB_REG(h, VM_CONTEXT0_CNTL), v));
}

static void hub_identity_off(struct am_device *d, enum am_hub h) {
    /* an empty identity aperture: low above high */
    reg_wr(d, HUB_REG(h, VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_LO32), 0xffffffff);
    reg_wr(d, HUB_REG(h, VM_L2_CONTEXT1_IDENTITY_APERTURE_LOW_ADDR_HI32), 0xf);
    reg_wr(d, HUB_REG(h, VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_LO32), 0);
    reg_wr(d, HUB_REG(h, VM_L2_CONTEXT1_IDENTITY_APERTURE_HIGH_ADDR_HI32), 0);
    reg_wr(d, HUB_REG(h, VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_LO32), 0);
    reg_wr(d, HUB_REG(h, VM_L2_CONTEXT_IDENTITY_PHYSICAL_OFFSET_HI32), 0);
}

#define ENGINES(X)                                                                                 \
    X(0)                                                                                           \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)

static void hub_ranges(struct am_device *d, enum am_hub h) {
#define LO(n)                                                                                      \
    {R_MMVM_INVALIDATE_ENG##n##_ADDR_RANGE_LO32, R_GCVM_INVALIDATE_ENG##n##_ADDR_RANGE_LO32},
#define HI(n)                                                                                      \
    {R_MMVM_INVALIDATE_ENG##n##_ADDR_RANGE_HI32, R_GCVM_INVALIDATE_ENG##n##_ADDR_RANGE_HI32},
    static const enum hw_reg lo[][2] = {ENGINES(LO)}, hi[][2] = {ENGINES(HI)};
#undef LO
#undef HI
    for (size_t i = 0; i < sizeof lo / sizeof *lo; i++) {
        reg_wr(d, lo[i][h], 0xffffffff);
        reg_wr(d, hi[i][h], 0x1f);
    }
}

int gmc_init_hub(struct am_device *d, enum am_hub h) {
    hub_apertures(d, h);
    hub_caches(d, h);
    hub_context0(d, h);
    hub_identity_off(d, h);
    hub_ranges(d, h);
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

/* ---- faults ---- */

/* Field layouts of the status register are named alike in both hubs and in its LO32 form. */
static uint32_t status_field(struct am_device *d, enum hw_reg r, const char *name, uint32_t v) {
    for (uint32_t i = 0; i < hw_regs[r].field_count; i++) {
        enum hw_field f = (enum hw_field)(hw_regs[r].first_field + i);
        if (strcmp(hw_fields[f].name, name) == 0) return reg_fget(d, f, v);
    }
    return 0;
}

/* SDMA0 and SDMA1 behind the GC hub (linux gfxhub_v3_0.c, gfxhub_client_ids). */
static bool is_sdma_client(uint32_t cid) {
    return cid == 13 || cid == 14;
}

bool gmc_read_fault(struct am_device *d, enum am_hub h, struct am_fault *f) {
    enum hw_reg sr = h == AM_HUB_MM ? d->chip->mm_fault_status : d->chip->gc_fault_status;
    uint32_t st = reg_rd(d, sr);
    if (!st) return false;
    uint64_t page = reg_rd(d, HUB_REG(h, VM_L2_PROTECTION_FAULT_ADDR_LO32)) |
                    (uint64_t)(reg_rd(d, HUB_REG(h, VM_L2_PROTECTION_FAULT_ADDR_HI32)) & 0xf) << 32;
    memset(f, 0, sizeof *f);
    f->kind = AM_FAULT_PAGE;
    f->address = page << 12;
    f->write = status_field(d, sr, "RW", st);
    uint32_t cid = status_field(d, sr, "CID", st);
    f->ring = h == AM_HUB_GC && is_sdma_client(cid) ? AM_RING_SDMA : AM_RING_COMPUTE;
    snprintf(f->detail, sizeof f->detail,
             "%s hub, client 0x%x, %s, vmid %u, permission faults 0x%x, walker error 0x%x, mapping "
             "error %u, status 0x%08x",
             h == AM_HUB_MM ? "MM" : "GC", cid, f->write ? "write" : "read",
             status_field(d, sr, "VMID", st), status_field(d, sr, "PERMISSION_FAULTS", st),
             status_field(d, sr, "WALKER_ERROR", st), status_field(d, sr, "MAPPING_ERROR", st), st);
    /* bit 0 re-arms the latch: CLEAR_PROTECTION_FAULT_STATUS_ADDR */
    uint32_t cntl = reg_rd(d, HUB_REG(h, VM_L2_PROTECTION_FAULT_CNTL));
    reg_wr(d, HUB_REG(h, VM_L2_PROTECTION_FAULT_CNTL), cntl | 1);
    reg_wr(d, HUB_REG(h, VM_L2_PROTECTION_FAULT_CNTL), cntl & ~1u);
    return true;
}

static int init_sw(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    d->mc_base = (uint64_t)(reg_rd(d, R_MMMC_VM_FB_LOCATION_BASE) & 0xffffff) << 24;
    d->mc_end = ((uint64_t)(reg_rd(d, R_MMMC_VM_FB_LOCATION_TOP) & 0xffffff) + 1) << 24;
    if (d->mc_end <= d->mc_base || d->mc_end - d->mc_base < d->vram_bytes) {
        am_log(d, AM_LOG_ERROR, "gmc",
               "VRAM aperture 0x%llx..0x%llx is smaller than its 0x%llx bytes",
               (unsigned long long)d->mc_base, (unsigned long long)d->mc_end,
               (unsigned long long)d->vram_bytes);
        return -EIO;
    }
    d->root_pt = boot_alloc(d, 4096, 4096);
    b->scratch_page = boot_alloc(d, 4096, 4096);
    b->dummy_page = boot_alloc(d, 4096, 4096);
    return b->dummy_page ? 0 : -ENOSPC;
}

static int init_hw(struct am_device *d) {
    return gmc_init_hub(d, AM_HUB_MM);
}

static int fini_hw(struct am_device *d) {
    (void)d;
    return 0;
}

static void report(struct am_device *d, enum am_hub h, const uint32_t entry[8]) {
    struct am_fault f;
    if (!gmc_read_fault(d, h, &f)) {
        memset(&f, 0, sizeof f);
        f.kind = AM_FAULT_PAGE;
        f.ring = AM_RING_COUNT; /* only the latch knows the client */
        f.address = ((uint64_t)entry[IH_ENTRY__CONTEXT_ID0_DW] << 12) |
                    ((uint64_t)entry[IH_ENTRY__CONTEXT_ID1_DW] & 0xf) << 44;
        snprintf(f.detail, sizeof f.detail, "%s hub", h == AM_HUB_MM ? "MM" : "GC");
    }
    fault_record(d, &f);
}

static void irq(struct am_device *d, const uint32_t entry[8]) {
    uint32_t client = entry[0] & 0xff;
    report(d, client == SOC21_IH_CLIENTID_VMC ? AM_HUB_MM : AM_HUB_GC, entry);
}

const struct ip_ops gmc_ops = {"GMC", init_sw, init_hw, fini_hw, irq};
