/* SPDX-License-Identifier: MIT */
#include "tests/emulator/engine_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "driver/emulator/cp.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/sdma_exec.h"

/* s_load_b64 s[4:5], s[0:1], 0; s_load_b32 s6, s[0:1], 8; v_and_b32 v0, 0x3ff, v0; s_lshl_b32 s2,
 * s2, 6; s_waitcnt lgkmcnt(0); v_add v0, s2, v0; v_add v1, s6, v0; v_lshlrev v2, 2, v0;
 * global_store_b32 v2, v1, s[4:5]; s_endpgm */
const uint32_t rig_store_gfx11[] = {0xf4040100, 0xf8000000, 0xf4000180, 0xf8000008, 0x360000ff,
                                    0x000003ff, 0x84028602, 0xbf89fc07, 0x4a000002, 0x4a020006,
                                    0x30040082, 0xdc6a0000, 0x00040102, 0xbfb00000};
const unsigned rig_store_gfx11_bytes = sizeof rig_store_gfx11;
/* The same with the group id in ttmp9. */
const uint32_t rig_store_gfx12[] = {0xf4002100, 0xf8000000, 0xf4000180, 0xf8000008, 0x360000ff,
                                    0x000003ff, 0x84028675, 0xbfc70000, 0x4a000002, 0x4a020006,
                                    0x30040082, 0xee068004, 0x00800000, 0x00000002, 0xbfb00000};
const unsigned rig_store_gfx12_bytes = sizeof rig_store_gfx12;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void log_line(void *ctx, enum emu_log_level level, const char *line) {
    struct rig *r = ctx;
    if (level == EMU_LOG_DEBUG) return;
    pthread_mutex_lock(&log_lock);
    size_t n = strlen(r->log);
    snprintf(r->log + n, sizeof r->log - n, "%s\n", line);
    pthread_mutex_unlock(&log_lock);
}

/* ---- page tables: root at VRAM 0, then tables as they are needed ---- */

static uint64_t next_table;

static uint64_t *table_entry(struct rig *r, uint64_t va, unsigned last_shift) {
    uint64_t table = 0, index = va - RIG_VRAM_VA;
    for (unsigned shift = 39; shift > last_shift; shift -= 9) {
        uint64_t *e = (uint64_t *)(void *)(r->g->vram + table) + (index >> shift & 511);
        if (!*e) {
            *e = next_table | 1;
            next_table += 4096;
        }
        table = *e & ~0xfffull;
    }
    return (uint64_t *)(void *)(r->g->vram + table) + (index >> last_shift & 511);
}

static void map_pages(struct rig *r) {
    uint64_t leaf = r->gfx12 ? 1ull << 63 : 0, huge = r->gfx12 ? 1ull << 63 : 1ull << 54;
    uint64_t uc = r->gfx12 ? 3ull << 54 : 3ull << 48;
    next_table = 4096;
    for (uint64_t o = 0; o < RIG_VRAM_BYTES; o += 2 << 20)
        *table_entry(r, RIG_VRAM_VA + o, 21) = (RIG_VRAM_OFF + o) | 0x71 | huge;
    for (size_t i = 0; i < r->dma.npages; i++) {
        *table_entry(r, RIG_SYS_VA + i * 4096, 12) = r->dma.pages[i] | 0x77 | leaf | uc;
        *table_entry(r, RIG_NC_VA + i * 4096, 12) = r->dma.pages[i] | 0x77 | leaf;
    }
    struct gpu *g = r->g;
    gpu_field_set(g, F_GCMC_VM_MX_L1_TLB_CNTL__ENABLE_L1_TLB, 1);
    gpu_field_set(g, F_GCMC_VM_MX_L1_TLB_CNTL__SYSTEM_ACCESS_MODE, 3);
    gpu_reg_set(g, R_GCMC_VM_SYSTEM_APERTURE_LOW_ADDR, (uint32_t)(g->mc_base >> 18));
    gpu_reg_set(g, R_GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR,
                (uint32_t)((g->mc_base + g->vram_size - 1) >> 18));
    uint64_t start = RIG_VRAM_VA >> 12, end = (RIG_VRAM_VA + (1ull << 40) - 1) >> 12;
    gpu_reg_set(g, R_GCVM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32, (uint32_t)start);
    gpu_reg_set(g, R_GCVM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32, (uint32_t)(start >> 32));
    gpu_reg_set(g, R_GCVM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32, (uint32_t)end);
    gpu_reg_set(g, R_GCVM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32, (uint32_t)(end >> 32));
    gpu_reg_set(g, R_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, 1);
    gpu_reg_set(g, R_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32, 0);
    gpu_reg_set(g, R_GCVM_CONTEXT0_CNTL, r->gfx12 ? 0x01fffc07 : 0x01fffe07);
}

uint64_t rig_map_page(struct rig *r, uint64_t bus_addr) {
    uint64_t va = RIG_NC_VA + (1ull << 30);
    *table_entry(r, va, 12) = bus_addr | 0x77 | (r->gfx12 ? 1ull << 63 | 3ull << 54 : 3ull << 48);
    return va;
}

static void pretend_booted(struct rig *r) {
    struct gpu *g = r->g;
    g->psp.rlc_loaded = true;
    g->psp.fw_seen[GFX_FW_TYPE_RS64_MEC / 64] |= 1ull << GFX_FW_TYPE_RS64_MEC % 64;
    g->psp.fw_seen[GFX_FW_TYPE_SDMA_UCODE_TH0 / 64] |= 1ull << GFX_FW_TYPE_SDMA_UCODE_TH0 % 64;
    g->gfx.pipe_reset_done = 0xf;
    gpu_reg_set(g, R_CP_MEC_RS64_CNTL, 0xfu << 26);
    gpu_reg_set(g, R_CP_MEC_DOORBELL_RANGE_LOWER, 0);
    gpu_reg_set(g, R_CP_MEC_DOORBELL_RANGE_UPPER, 0xf8);
    gpu_reg_set(g, R_CP_ME1_PIPE0_INT_CNTL, 0);
    gpu_reg_set(g, R_SDMA0_F32_CNTL, 0);
    gpu_reg_set(g, R_SDMA0_MCU_CNTL, 0);
    gpu_field_set(g, F_SDMA0_CNTL__TRAP_ENABLE, 1);
    g->bus.ops->delay(&g->bus, 1000000);
    g->bus.ops->cfg_write(&g->bus, 4, 2, 6); /* memory space and bus mastering */
}

static void hqd(struct rig *r, enum hw_reg reg, uint32_t v) {
    uint32_t *mqd = (uint32_t *)(void *)(r->g->vram + 0x200000);
    int i = cp_hqd_index(r->g, gpu_reg_dw(r->g, reg));
    assert_true(i >= 0);
    mqd[0x80 + i] = v;
    cp_hqd_write(r->g, 1, 0, 0, (unsigned)i, v);
}

void rig_compute_queue(struct rig *r) {
    uint64_t mqd = r->g->mc_base + 0x200000;
    uint32_t *m = (uint32_t *)(void *)(r->g->vram + 0x200000);
    memset(m, 0, 2048);
    m[0] = 0xc0310800;
    for (unsigned i = 0x17; i < 0x30; i++)
        if (i <= 0x18 || i == 0x1a || i == 0x1b || i >= 0x2c) m[i] = ~0u;
    hqd(r, R_CP_MQD_BASE_ADDR, (uint32_t)mqd);
    hqd(r, R_CP_MQD_BASE_ADDR_HI, (uint32_t)(mqd >> 32));
    hqd(r, R_CP_HQD_PERSISTENT_STATE, 0x5501);
    hqd(r, R_CP_HQD_PQ_BASE, (uint32_t)(RIG_SYS_VA >> 8));
    hqd(r, R_CP_HQD_PQ_BASE_HI, (uint32_t)(RIG_SYS_VA >> 40));
    hqd(r, R_CP_HQD_PQ_RPTR, 0);
    hqd(r, R_CP_HQD_PQ_WPTR_LO, 0);
    hqd(r, R_CP_HQD_PQ_WPTR_HI, 0);
    hqd(r, R_CP_HQD_PQ_RPTR_REPORT_ADDR, (uint32_t)(RIG_SYS_VA + RIG_RPTR));
    hqd(r, R_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, (uint32_t)((RIG_SYS_VA + RIG_RPTR) >> 32));
    hqd(r, R_CP_HQD_PQ_WPTR_POLL_ADDR, (uint32_t)(RIG_SYS_VA + RIG_WPTR));
    hqd(r, R_CP_HQD_PQ_WPTR_POLL_ADDR_HI, (uint32_t)((RIG_SYS_VA + RIG_WPTR) >> 32));
    hqd(r, R_CP_HQD_PQ_DOORBELL_CONTROL, 0x40000018);
    hqd(r, R_CP_HQD_PQ_CONTROL, 0x500 | 15); /* 2 << 15 dwords */
    hqd(r, R_CP_MQD_CONTROL, 0x100);
    hqd(r, R_CP_HQD_EOP_BASE_ADDR, (uint32_t)((RIG_VRAM_VA + 0x1000) >> 8));
    hqd(r, R_CP_HQD_EOP_BASE_ADDR_HI, (uint32_t)((RIG_VRAM_VA + 0x1000) >> 40));
    hqd(r, R_CP_HQD_EOP_CONTROL, 9);
    r->wptr = 0;
    hqd(r, R_CP_HQD_ACTIVE, 1);
}

static void sdma_reg(struct rig *r, enum hw_reg reg, uint32_t v) {
    gpu_mmio_write(r->g, gpu_reg_dw(r->g, reg), v);
}

void rig_sdma_queue(struct rig *r) {
    uint64_t ring = RIG_SYS_VA + RIG_SDMA_RING, rptr = RIG_SYS_VA + RIG_SDMA_RPTR;
    sdma_reg(r, R_SDMA0_QUEUE0_RB_RPTR, 0);
    sdma_reg(r, R_SDMA0_QUEUE0_RB_RPTR_HI, 0);
    sdma_reg(r, R_SDMA0_QUEUE0_RB_WPTR, 0);
    sdma_reg(r, R_SDMA0_QUEUE0_RB_WPTR_HI, 0);
    sdma_reg(r, R_SDMA0_QUEUE0_RB_BASE, (uint32_t)(ring >> 8));
    sdma_reg(r, R_SDMA0_QUEUE0_RB_BASE_HI, (uint32_t)(ring >> 40));
    sdma_reg(r, R_SDMA0_QUEUE0_RB_RPTR_ADDR_LO, (uint32_t)rptr);
    sdma_reg(r, R_SDMA0_QUEUE0_RB_RPTR_ADDR_HI, (uint32_t)(rptr >> 32));
    sdma_reg(r, R_SDMA0_QUEUE0_DOORBELL_OFFSET, 0x800);
    sdma_reg(r, R_SDMA0_QUEUE0_DOORBELL, 0x10000000);
    r->sdma_wptr = 0;
    sdma_reg(r, R_SDMA0_QUEUE0_RB_CNTL, 0x00841801 | 14 << 1);
    sdma_reg(r, R_SDMA0_QUEUE0_IB_CNTL, 1);
}

void rig_open(struct rig *r, const char *target, const struct emu_config *cfg) {
    memset(r, 0, sizeof *r);
    struct emu_config c = cfg ? *cfg : (struct emu_config){0};
    char err[256];
    c.target = target;
    c.vram_bytes = 256ull << 20;
    c.log = log_line;
    c.log_ctx = r;
    assert_int_equal(emu_open(&c, &r->bus, err, sizeof err), 0);
    r->g = (struct gpu *)r->bus;
    r->gfx12 = r->g->gen == HW_GFX12;
    pretend_booted(r);
    assert_int_equal(r->bus->ops->dma_map(r->bus, NULL, NULL, RIG_SYS_BYTES, &r->dma), 0);
    r->sys = r->dma.va;
    r->vram = r->g->vram + RIG_VRAM_OFF;
    map_pages(r);
    rig_compute_queue(r);
    rig_sdma_queue(r);
}

void rig_reboot(struct rig *r) {
    cp_reset(r->g);
    sdma_reset(r->g);
    memset(r->g->vram, 0, 0x200000); /* page tables */
    pretend_booted(r);
    map_pages(r);
    gpu_mmio_write(r->g, gpu_reg_dw(r->g, R_GCVM_INVALIDATE_ENG17_REQ), 0x00f80001);
    rig_compute_queue(r);
    rig_sdma_queue(r);
}

void rig_close(struct rig *r, unsigned guest_errors, unsigned unimplemented) {
    struct emu_counters n;
    emu_get_counters(r->bus, &n);
    if (n.guest_errors != guest_errors || n.unimplemented != unimplemented)
        print_message("%s", r->log);
    assert_int_equal(n.guest_errors, guest_errors);
    assert_int_equal(n.unimplemented, unimplemented);
    /* The engines may still report their read pointers. */
    cp_reset(r->g);
    sdma_reset(r->g);
    r->bus->ops->dma_unmap(r->bus, &r->dma);
    r->bus->ops->close(r->bus);
}

/* ---- streams ---- */

void rig_emit(struct rig *r, const uint32_t *dw, unsigned n) {
    uint32_t *ring = (uint32_t *)(void *)r->sys;
    for (unsigned i = 0; i < n; i++)
        ring[r->wptr++ % RIG_RING_DWORDS] = dw[i];
}

void rig_ring(struct rig *r) {
    cp_doorbell(r->g, 0x18, r->wptr);
}

void rig_sdma_emit(struct rig *r, const uint32_t *dw, unsigned n) {
    uint32_t *ring = (uint32_t *)(void *)(r->sys + RIG_SDMA_RING);
    for (unsigned i = 0; i < n; i++, r->sdma_wptr += 4)
        ring[r->sdma_wptr / 4 % 65536] = dw[i];
}

void rig_sdma_fence(struct rig *r, uint32_t off, uint32_t value) {
    uint64_t s = RIG_SYS_VA + off;
    RIG_SDMA(r, 0x00030005, (uint32_t)s, (uint32_t)(s >> 32), value);
}

void rig_sdma_poll(struct rig *r, uint32_t off, uint32_t value) {
    uint64_t s = RIG_SYS_VA + off; /* memory, equal, every 16 cycles, for ever */
    RIG_SDMA(r, 0x08 | 1u << 31 | 3u << 28, (uint32_t)s, (uint32_t)(s >> 32), value, ~0u,
             16 | 0xfffu << 16);
}

void rig_sdma_ring(struct rig *r) {
    sdma_doorbell(r->g, 0x800, r->sdma_wptr);
}

uint32_t rig_sys32(struct rig *r, uint32_t off) {
    return __atomic_load_n((uint32_t *)(void *)(r->sys + off), __ATOMIC_ACQUIRE);
}

void rig_put32(struct rig *r, uint32_t off, uint32_t v) {
    __atomic_store_n((uint32_t *)(void *)(r->sys + off), v, __ATOMIC_RELEASE);
}

bool rig_logged(struct rig *r, const char *text) {
    pthread_mutex_lock(&log_lock);
    bool there = strstr(r->log, text);
    if (!there) print_message("log: %s", r->log);
    pthread_mutex_unlock(&log_lock);
    return there;
}

bool rig_wait(struct rig *r, uint32_t off, uint32_t value, unsigned ms) {
    for (unsigned i = 0; i < ms * 10; i++) {
        if (rig_sys32(r, off) == value) return true;
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return false;
}

void rig_acquire(struct rig *r, uint32_t gcr) {
    RIG_EMIT(r, 0xc0065800, 0, ~0u, ~0u, 0, 0, 0, gcr);
}

void rig_release(struct rig *r, uint32_t event, uint32_t off, uint32_t value) {
    uint64_t at = RIG_SYS_VA + off;
    RIG_EMIT(r, 0xc0064900, event, 0x20000000, (uint32_t)at, (uint32_t)(at >> 32), value, 0, 0);
}

void rig_program(struct rig *r, uint64_t va, uint64_t kernarg, uint32_t rsrc2_extra) {
    RIG_EMIT(r, 0xc0027600, 0x20c, (uint32_t)(va >> 8), (uint32_t)(va >> 40));
    RIG_EMIT(r, 0xc0027600, 0x212, 0xc00f0001, 0x84 | rsrc2_extra);
    RIG_EMIT(r, 0xc0017600, 0x228, 0);
    RIG_EMIT(r, 0xc0027600, 0x240, (uint32_t)kernarg, (uint32_t)(kernarg >> 32));
}

void rig_dispatch(struct rig *r, uint32_t groups, uint32_t items) {
    RIG_EMIT(r, 0xc0087600, 0x204, 0, 0, 0, items, 1, 1, 0, 0);
    RIG_EMIT(r, 0xc0031500, groups, 1, 1, 0x8005);
    RIG_EMIT(r, 0xc0004600, 0x407);
}
