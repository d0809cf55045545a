/* SPDX-License-Identifier: MIT */
/* nbio.c - the bus interface: indirect register access, the VRAM window of small BARs, HDP flush
 * triggers, doorbell routing. Sources: nbio_4_3_0 / nbif_6_3_1 headers, linux nbio_v4_3.c,
 * nbif_v6_3_1.c, amdgpu_device.c (amdgpu_device_mm_access), reference traces README.
 */
#include <inttypes.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"

/* ---- indirect access ---- */

/* MM_INDEX bit 31 chooses the VRAM aperture; the rest and MM_INDEX_HI << 31 are the byte address.
 */
static bool mm_vram(struct gpu *g, uint64_t *addr) {
    uint32_t lo = gpu_reg_get(g, R_BIF_BX_PF0_MM_INDEX),
             hi = gpu_reg_get(g, R_BIF_BX_PF0_MM_INDEX_HI);
    *addr = (uint64_t)hi << 31 | (lo & 0x7fffffff);
    if (!(lo >> 31)) return false;
    if ((*addr & 3) || *addr + 4 > g->vram_size) {
        gpu_guest_error(g, "MM_DATA: VRAM address 0x%" PRIx64 " is out of range or unaligned",
                        *addr);
        *addr = UINT64_MAX;
    }
    return true;
}

/* A window onto a window would never end. */
static bool is_window(struct gpu *g, uint32_t dw) {
    return dw == gpu_reg_dw(g, R_BIF_BX_PF0_MM_DATA) ||
           dw == gpu_reg_dw(g, R_BIF_BX_PF0_RSMU_DATA) || dw == gpu_reg_dw(g, R_BIF_BX0_PCIE_DATA2);
}

static bool window_ok(struct gpu *g, uint64_t addr) {
    if (!(addr & 3) && addr >> 34 == 0 && !is_window(g, (uint32_t)(addr / 4))) return true;
    gpu_guest_error(g, "indirect access to 0x%" PRIx64 ", which is no register or a window itself",
                    addr);
    return false;
}

static uint32_t mm_data_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    uint64_t a;
    if (!mm_vram(g, &a)) return window_ok(g, a) ? gpu_mmio_read(g, (uint32_t)(a / 4)) : ~0u;
    if (a == UINT64_MAX) return ~0u;
    cache_bar0_read(g, a, 4);
    uint32_t v = hw_get32(g->vram, a);
    hdp_cpu_read(g, a, &v, 4);
    return v;
}

static void mm_data_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old;
    uint64_t a;
    if (!mm_vram(g, &a)) {
        if (window_ok(g, a)) gpu_mmio_write(g, (uint32_t)(a / 4), v);
    } else if (a != UINT64_MAX) {
        hdp_cpu_write(g, a, &v, 4);
    }
}

/* RSMU and PCIE_INDEX2 take the byte address of a register in the chip's own address space; it
 * equals 4 x (segment base + offset) for the registers in use. */
static const struct {
    enum hw_reg data, index, index_hi;
} windows[] = {
    {R_BIF_BX_PF0_RSMU_DATA, R_BIF_BX_PF0_RSMU_INDEX, R_BIF_BX_PF0_RSMU_INDEX_HI},
    {R_BIF_BX0_PCIE_DATA2, R_BIF_BX0_PCIE_INDEX2, R_BIF_BX0_PCIE_INDEX2_HI},
};

static uint32_t window_dw(struct gpu *g, enum hw_reg data) {
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        if (windows[i].data == data) {
            uint32_t lo = gpu_reg_get(g, windows[i].index),
                     hi = gpu_reg_get(g, windows[i].index_hi);
            if (!window_ok(g, (uint64_t)hi << 32 | lo)) return UINT32_MAX;
            return lo / 4;
        }
    return UINT32_MAX;
}

static uint32_t window_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)stored;
    uint32_t dw = window_dw(g, r);
    return dw == UINT32_MAX ? ~0u : gpu_mmio_read(g, dw);
}

static void window_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)old;
    uint32_t dw = window_dw(g, r);
    if (dw != UINT32_MAX) gpu_mmio_write(g, dw, v);
}

/* ---- HDP flush ---- */

static void flush_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old, (void)v;
    hdp_flush(g);
}

/* A client (CP0..., SDMA0...) asks for a flush with its bit and polls the same bit in DONE. */
static void flush_req_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old;
    hdp_flush(g);
    gpu_reg_set(g, R_BIF_BX_PF0_GPU_HDP_FLUSH_DONE, v);
}

bool nbio_remapped_flush(struct gpu *g, uint32_t dw) {
    if (dw * 4 != (gpu_reg_get(g, R_BIF_BX0_REMAP_HDP_MEM_FLUSH_CNTL) & 0x7fffc)) return false;
    hdp_flush(g);
    return true;
}

/* ---- doorbells ---- */

/* S2A routes a doorbell to a client by AWID when an enabled entry's range holds it; offset and size
 * are in dwords, and an entry of size 0 takes all that no other takes. AWID 3 is the CP, 14 SDMA0
 * (linux nbio_v4_3_gc_doorbell_init: entry 0 AWID 3 and entry 3 AWID 6 with AWADDR_31_28 3;
 * nbio_v4_3_sdma_doorbell_range: entry 2 AWID 0xe). */
enum { AWID_CP = 3, AWID_SDMA0 = 14 };

struct route {
    bool enabled;
    unsigned awid, offset, size;
};

static struct route s2a_entry(struct gpu *g, unsigned n) {
    static const enum hw_reg old[] = {R_S2A_DOORBELL_ENTRY_0_CTRL, R_S2A_DOORBELL_ENTRY_2_CTRL,
                                      R_S2A_DOORBELL_ENTRY_3_CTRL};
    static const enum hw_reg gdc[] = {R_GDC_S2A0_S2A_DOORBELL_ENTRY_0_CTRL,
                                      R_GDC_S2A0_S2A_DOORBELL_ENTRY_2_CTRL,
                                      R_GDC_S2A0_S2A_DOORBELL_ENTRY_3_CTRL};
    enum hw_reg r = gpu_reg_dw(g, old[n]) != UINT32_MAX ? old[n] : gdc[n];
    uint32_t v = gpu_reg_get(g, r);
    /* The fields of all entries lie alike. */
    return (struct route){v & 1, v >> 1 & 0x1f, v >> 7 & 0x3ff, v >> 17 & 0xff};
}

void nbio_doorbell(struct gpu *g, uint32_t off, uint64_t v) {
    if (!(gpu_reg_get(g, R_RCC_DEV0_EPF0_RCC_DOORBELL_APER_EN) & 1)) {
        gpu_guest_error(g, "doorbell 0x%x written while the doorbell aperture is disabled", off);
        return;
    }
    uint32_t dw = off / 4;
    struct route sdma = s2a_entry(g, 1), cp = s2a_entry(g, 0);
    if (sdma.enabled && sdma.awid == AWID_SDMA0 && dw >= sdma.offset &&
        dw < sdma.offset + sdma.size) {
        sdma_doorbell(g, off, v);
        return;
    }
    if (cp.enabled && cp.awid == AWID_CP && dw >= cp.offset &&
        (!cp.size || dw < cp.offset + cp.size)) {
        cp_doorbell(g, off, v);
        return;
    }
    gpu_guest_error(g, "doorbell 0x%x is in no enabled S2A range", off);
}

void nbio_init(struct gpu *g) {
    g->mmio.reg[R_BIF_BX0_REMAP_HDP_MEM_FLUSH_CNTL].reset =
        gpu_reg_dw(g, R_BIF_BX_PF0_HDP_MEM_COHERENCY_FLUSH_CNTL) * 4;
    g->mmio.reg[R_BIF_BX0_REMAP_HDP_REG_FLUSH_CNTL].reset =
        (gpu_reg_dw(g, R_BIF_BX_PF0_HDP_MEM_COHERENCY_FLUSH_CNTL) + 1) * 4;
    g->mmio.reg[R_RCC_DEV0_EPF0_RCC_CONFIG_MEMSIZE].reset = (uint32_t)(g->vram_size >> 20);
    gpu_reg_hook(g, R_BIF_BX_PF0_MM_DATA, mm_data_read, mm_data_wrote);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        gpu_reg_hook(g, windows[i].data, window_read, window_wrote);
    gpu_reg_hook(g, R_BIF_BX_PF0_HDP_MEM_COHERENCY_FLUSH_CNTL, NULL, flush_wrote);
    gpu_reg_hook(g, R_BIF_BX_PF0_HDP_MEM_COHERENCY_FLUSH_ONLY_CNTL, NULL, flush_wrote);
    gpu_reg_hook(g, R_BIF_BX_PF0_GPU_HDP_FLUSH_REQ, NULL, flush_req_wrote);
}
