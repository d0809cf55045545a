/* SPDX-License-Identifier: MIT */
/* gmc.c - registers of the two memory hubs that do something: frame buffer location, TLB
 * invalidation engines, clearing of faults. Sources: linux gmc_v11_0.c (flush_gpu_tlb),
 * gfxhub_v3_0.c, mmhub_v3_0.c; reference traces (flush_tlb).
 */
#include <stdio.h>

#include "driver/emulator/gpu_state.h"

static enum gpu_hub hub_of(enum hw_reg r) {
    return hw_regs[r].ip == HW_GC ? HUB_GC : HUB_MM;
}

static const char *const prefix[2] = {"GCVM", "MMVM"};

static int reg_by_name(const char *name) {
    for (int r = 0; r < HW_REG_COUNT; r++)
        if (!strcmp(hw_regs[r].name, name)) return r;
    return -1;
}

static unsigned engine_of(enum hw_reg r) {
    const char *p = strstr(hw_regs[r].name, "_ENG");
    unsigned n = 0;
    for (p += 4; *p >= '0' && *p <= '9'; p++)
        n = n * 10 + (unsigned)(*p - '0');
    return n;
}

static int engine_reg(enum hw_reg any, const char *what) {
    char name[64];
    snprintf(name, sizeof name, "%s_INVALIDATE_ENG%u_%s", prefix[hub_of(any)], engine_of(any),
             what);
    return reg_by_name(name);
}

static uint32_t engine_get(struct gpu *g, enum hw_reg any, const char *what) {
    int r = engine_reg(any, what);
    return r < 0 ? 0 : gpu_reg_get(g, (enum hw_reg)r);
}

/* Bits of INVALIDATE_ENGn_REQ, alike in both hubs and generations (gc_11_0_0_sh_mask.h). */
enum {
    REQ_VMIDS = 0xffff,
    REQ_L2_PTES = 1 << 19,
    REQ_L2_PDES = 7 << 20,
    REQ_L1_PTES = 1 << 23,
    REQ_CLEAR_FAULT = 1 << 24,
};

static void clear_fault(struct gpu *g, enum gpu_hub hub) {
    static const char *const what[] = {"STATUS", "STATUS_LO32", "STATUS_HI32", "ADDR_LO32",
                                       "ADDR_HI32"};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_L2_PROTECTION_FAULT_%s", prefix[hub], what[i]);
        int r = reg_by_name(name);
        if (r >= 0) gpu_reg_set(g, (enum hw_reg)r, 0);
    }
    pthread_mutex_lock(&g->mmu.fault_lock);
    g->mmu.hub[hub].fault_latched = false;
    pthread_mutex_unlock(&g->mmu.fault_lock);
}

static void req_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)old;
    enum gpu_hub hub = hub_of(r);
    const char *n = hw_regs[r].name;
    struct mmu_hub *h = &g->mmu.hub[hub];
    /* linux gmc_v11_0_flush_gpu_tlb: the MM hub needs the semaphore, or the acknowledge can be lost
     * across power gating. */
    if (hub == HUB_MM && engine_of(r) == 17 && !h->sem_held)
        gpu_guest_error(g, "%s written without holding the engine's semaphore", n);
    if ((engine_get(g, r, "ADDR_RANGE_LO32") != 0xffffffffu ||
         (engine_get(g, r, "ADDR_RANGE_HI32") & 0x1f) != 0x1f))
        gpu_guest_error(g, "%s written while the engine's address range is not programmed", n);
    if (v & REQ_CLEAR_FAULT) clear_fault(g, hub);
    if ((v & REQ_VMIDS) & 1) {
        if ((v & (REQ_L2_PTES | REQ_L2_PDES | REQ_L1_PTES)) ==
            (REQ_L2_PTES | REQ_L2_PDES | REQ_L1_PTES))
            mmu_invalidate(g, hub);
        else
            gpu_guest_error(g, "%s = 0x%08x does not invalidate all levels", n, v);
    }
    int ack = engine_reg(r, "ACK");
    if (ack >= 0) gpu_reg_set(g, (enum hw_reg)ack, v & REQ_VMIDS);
}

/* Reading 1 takes the semaphore; writing 0 releases it. */
static uint32_t sem_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)stored;
    struct mmu_hub *h = &g->mmu.hub[hub_of(r)];
    bool free = !h->sem_held;
    h->sem_held = true;
    return free;
}

static void sem_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)old;
    struct mmu_hub *h = &g->mmu.hub[hub_of(r)];
    if (!h->sem_held) gpu_guest_error(g, "%s released without being held", hw_regs[r].name);
    if (!(v & 1)) h->sem_held = false;
}

static void l2_cntl2_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)old;
    if ((v & 3) == 3)
        mmu_invalidate(g, hub_of(r)); /* INVALIDATE_ALL_L1_TLBS, INVALIDATE_L2_CACHE */
    gpu_reg_set(g, r, v & ~3u);       /* self-clearing */
}

static void fault_cntl_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)old;
    if (v & 1) { /* CLEAR_PROTECTION_FAULT_STATUS_ADDR */
        clear_fault(g, hub_of(r));
        gpu_reg_set(g, r, v & ~1u);
    }
}

static void context_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    enum hw_field size = hub_of(r) == HUB_GC ? F_GCVM_CONTEXT0_CNTL__PAGE_TABLE_BLOCK_SIZE
                                             : F_MMVM_CONTEXT0_CNTL__PAGE_TABLE_BLOCK_SIZE;
    (void)old, (void)v;
    if (gpu_field_get(g, size))
        gpu_unimplemented(g, "%s: PAGE_TABLE_BLOCK_SIZE other than 0", hw_regs[r].name);
}

void gmc_init(struct gpu *g) {
    for (int hub = 0; hub < 2; hub++) {
        for (unsigned e = 0; e < 18; e++) {
            char name[64];
            snprintf(name, sizeof name, "%s_INVALIDATE_ENG%u_REQ", prefix[hub], e);
            int r = reg_by_name(name);
            if (r >= 0) gpu_reg_hook(g, (enum hw_reg)r, NULL, req_wrote);
            snprintf(name, sizeof name, "%s_INVALIDATE_ENG%u_SEM", prefix[hub], e);
            r = reg_by_name(name);
            if (r >= 0) gpu_reg_hook(g, (enum hw_reg)r, sem_read, sem_wrote);
        }
    }
    gpu_reg_hook(g, R_GCVM_L2_CNTL2, NULL, l2_cntl2_wrote);
    gpu_reg_hook(g, R_MMVM_L2_CNTL2, NULL, l2_cntl2_wrote);
    gpu_reg_hook(g, R_GCVM_L2_PROTECTION_FAULT_CNTL, NULL, fault_cntl_wrote);
    gpu_reg_hook(g, R_MMVM_L2_PROTECTION_FAULT_CNTL, NULL, fault_cntl_wrote);
    gpu_reg_hook(g, R_GCVM_CONTEXT0_CNTL, NULL, context_wrote);
    gpu_reg_hook(g, R_MMVM_CONTEXT0_CNTL, NULL, context_wrote);
    /* Set by the VBIOS before any driver runs. */
    uint32_t base = (uint32_t)(g->mc_base >> 24), top = base + (uint32_t)(g->vram_size >> 24) - 1;
    g->mmio.reg[R_MMMC_VM_FB_LOCATION_BASE].reset = base;
    g->mmio.reg[R_MMMC_VM_FB_LOCATION_TOP].reset = top;
    g->mmio.reg[R_GCMC_VM_FB_LOCATION_BASE].reset = base;
    g->mmio.reg[R_GCMC_VM_FB_LOCATION_TOP].reset = top;
}
