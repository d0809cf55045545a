/* SPDX-License-Identifier: MIT */
/* ih.c - the interrupt handler block: ring 0, write pointer write-back, the MSI behind it.
 *
 * Sources: osssys_6_0_0 / 7_0_0 headers, linux ih_v6_0.c (ih_v6_0_rb_cntl, _enable_ring,
 * _get_wptr), soc21 entry layout; reference traces coldboot.
 */
#include <errno.h>
#include <time.h>

#include "driver/emulator/gpu_state.h"

enum { ENTRY_BYTES = 32, SPACE_BUS = 2, SPACE_MC = 4 };

int ih_init(struct gpu *g) {
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&g->ih.cond, &a);
    pthread_condattr_destroy(&a);
    pthread_mutex_init(&g->ih.lock, NULL);
    g->ih.up = true;
    return 0;
}

void ih_fini(struct gpu *g) {
    if (!g->ih.up) return;
    pthread_cond_destroy(&g->ih.cond);
    pthread_mutex_destroy(&g->ih.lock);
    g->ih.up = false;
}

void ih_reset(struct gpu *g) {
    pthread_mutex_lock(&g->ih.lock);
    g->ih.reported = g->ih.raised;
    pthread_mutex_unlock(&g->ih.lock);
}

/* MC_SPACE 2: bus address; 4: MC address or GPU virtual address (linux ih_v6_0_rb_cntl). */
static int put(struct gpu *g, uint64_t addr, const void *data, size_t len) {
    if (gpu_field_get(g, F_IH_RB_CNTL__MC_SPACE) == SPACE_BUS) {
        uint64_t room = 0;
        uint8_t *p = pci_bus_master(g) ? dma_ptr(g, addr, &room) : NULL;
        if (!p || room < len) return -EFAULT;
        memcpy(p, data, len);
        return 0;
    }
    return gpu_mem_write(g, HUB_MM, AGENT_IH, addr, data, len);
}

static void fill_entry(struct gpu *g, uint32_t e[8], unsigned client, unsigned source,
                       unsigned ring_id, unsigned vmid, const uint32_t data[4]) {
    uint64_t t = gpu_clock(g);
    e[0] = client << IH_ENTRY__CLIENT_ID_LO | source << IH_ENTRY__SOURCE_ID_LO |
           ring_id << IH_ENTRY__RING_ID_LO | vmid << IH_ENTRY__VMID_LO;
    e[1] = (uint32_t)t;
    e[2] = (uint32_t)(t >> 32) & 0xffff;
    e[3] = 0;
    for (int i = 0; i < 4; i++)
        e[4 + i] = data[i];
}

static void write_back(struct gpu *g, uint32_t wptr) {
    if (!gpu_field_get(g, F_IH_RB_CNTL__WPTR_WRITEBACK_ENABLE)) return;
    uint64_t a =
        (uint64_t)gpu_reg_get(g, R_IH_RB_WPTR_ADDR_HI) << 32 | gpu_reg_get(g, R_IH_RB_WPTR_ADDR_LO);
    if (put(g, a, &wptr, 4))
        gpu_guest_error(g, "IH write pointer write-back to 0x%llx failed", (unsigned long long)a);
}

static void raise_locked(struct gpu *g) {
    if (!gpu_field_get(g, F_IH_RB_CNTL__ENABLE_INTR)) return;
    if (!pci_bus_master(g)) {
        gpu_guest_error(g, "interrupt message with bus mastering off");
        return;
    }
    g->ih.raised++;
    pthread_cond_broadcast(&g->ih.cond);
}

void gpu_irq(struct gpu *g, unsigned client, unsigned source, unsigned ring_id, unsigned vmid,
             const uint32_t data[4]) {
    uint32_t e[8];
    fill_entry(g, e, client, source, ring_id, vmid, data);
    pthread_mutex_lock(&g->ih.lock);
    if (gpu_field_get(g, F_IH_RB_CNTL__RB_ENABLE)) {
        uint32_t bytes = 4u << gpu_field_get(g, F_IH_RB_CNTL__RB_SIZE), mask = bytes - 1;
        uint32_t reg = gpu_reg_get(g, R_IH_RB_WPTR), flags = reg & 1;
        uint32_t wptr = reg & mask & ~3u, rptr = gpu_reg_get(g, R_IH_RB_RPTR) & mask & ~3u;
        uint64_t base = (uint64_t)gpu_reg_get(g, R_IH_RB_BASE_HI) << 40 |
                        (uint64_t)gpu_reg_get(g, R_IH_RB_BASE) << 8;
        uint32_t next = (wptr + ENTRY_BYTES) & mask;
        if (next == rptr) flags = 1; /* RB_OVERFLOW: the oldest entries are being lost */
        if (put(g, base + wptr, e, sizeof e))
            gpu_guest_error(g, "IH ring at 0x%llx is not reachable", (unsigned long long)base);
        gpu_reg_set(g, R_IH_RB_WPTR, next | flags);
        write_back(g, next | flags);
        raise_locked(g);
    }
    pthread_mutex_unlock(&g->ih.lock);
}

/* A read pointer behind the write pointer rearms the interrupt. What it points at is the driver's
 * own affair: the reference counts it in dwords, linux in bytes, and both run on silicon. */
static void rptr_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old;
    pthread_mutex_lock(&g->ih.lock);
    uint32_t mask = (4u << gpu_field_get(g, F_IH_RB_CNTL__RB_SIZE)) - 1;
    uint32_t wptr = gpu_reg_get(g, R_IH_RB_WPTR) & ~3u;
    if (gpu_field_get(g, F_IH_RB_CNTL__RPTR_REARM) && gpu_field_get(g, F_IH_RB_CNTL__RB_ENABLE) &&
        (v & mask & ~3u) != (wptr & mask))
        raise_locked(g);
    pthread_mutex_unlock(&g->ih.lock);
}

static void cntl_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old;
    if (gpu_field_get(g, F_IH_RB_CNTL__WPTR_OVERFLOW_CLEAR))
        gpu_reg_set(g, R_IH_RB_WPTR, gpu_reg_get(g, R_IH_RB_WPTR) & ~1u);
    unsigned space = gpu_field_get(g, F_IH_RB_CNTL__MC_SPACE);
    if ((v & 1) && space != SPACE_BUS && space != SPACE_MC)
        gpu_guest_error(g, "IH_RB_CNTL: MC_SPACE %u", space);
    if ((v & 1) && gpu_field_get(g, F_IH_RB_CNTL__RB_SIZE) < 8)
        gpu_guest_error(g, "IH_RB_CNTL: ring of 2^%u dwords",
                        gpu_field_get(g, F_IH_RB_CNTL__RB_SIZE));
}

int ih_wait(struct gpu *g, int64_t timeout_us) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (timeout_us < 0) timeout_us = 0;
    t.tv_sec += timeout_us / 1000000;
    t.tv_nsec += timeout_us % 1000000 * 1000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&g->ih.lock);
    int rc = 0;
    while (g->ih.raised == g->ih.reported && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&g->ih.cond, &g->ih.lock, &t);
    int came = g->ih.raised != g->ih.reported;
    g->ih.reported = g->ih.raised;
    pthread_mutex_unlock(&g->ih.lock);
    return came;
}

static void doorbell_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old, (void)v;
    if (gpu_field_get(g, F_IH_DOORBELL_RPTR__ENABLE))
        gpu_unimplemented(g, "IH read pointer by doorbell");
}

void ih_init_regs(struct gpu *g) {
    gpu_reg_hook(g, R_IH_DOORBELL_RPTR, NULL, doorbell_wrote);
    gpu_reg_hook(g, R_IH_RB_RPTR, NULL, rptr_wrote);
    gpu_reg_hook(g, R_IH_RB_CNTL, NULL, cntl_wrote);
}
