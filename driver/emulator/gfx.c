/* SPDX-License-Identifier: MIT */
/* gfx.c - the GC block's registers outside of queues: GRBM, RLC, the MEC's and SDMA's control,
 * status, clock, harvest configuration.
 *
 * Sources: gc_11_0_0 / gc_12_0_0 headers, linux gfx_v11_0.c and gfx_v12_0.c (rlc safe mode, config
 * of the RS64 cores, get_cu_active_bitmap, get_gpu_clock_counter), sdma_v6_0.c; reference traces.
 */
#include "driver/emulator/cp.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/sdma_exec.h"

enum { US_MEC_START = 50, US_SOFT_RESET = 50 }; /* linux: udelay(50) in both places */

/* ---- RLC ---- */

/* CMD asks for MESSAGE 1 (enter) or 0 (leave); the RLC clears CMD when done
 * (gfx_v11_0_set_safe_mode). */
static void safe_mode_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old;
    if (!g->psp.rlc_loaded) {
        gpu_guest_error(g, "RLC_SAFE_MODE before RLC autoload: nobody answers");
        return;
    }
    if (v & 1) gpu_field_set(g, F_RLC_SAFE_MODE__CMD, 0);
}

/* LSB is latched with RLC_CAPTURE_GPU_CLOCK_COUNT = 1 (gfx_v11_0_get_gpu_clock_counter). */
static void capture_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old, (void)v;
    g->gfx.clock_latch = gpu_clock(g);
}

static uint32_t clock_lsb(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    return (uint32_t)g->gfx.clock_latch;
}

static uint32_t clock_msb(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    return (uint32_t)(g->gfx.clock_latch >> 32);
}

/* SDMA0_GLOBAL_TIMESTAMP runs free. */
static uint32_t stamp_lo(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    return (uint32_t)gpu_clock(g);
}

static uint32_t stamp_hi(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    return (uint32_t)(gpu_clock(g) >> 32);
}

/* ---- status ---- */

static uint32_t cp_stat_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    return cp_idle(g) ? 0 : 1u << 31; /* CP_BUSY */
}

static uint32_t grbm_status_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r;
    return cp_idle(g) ? stored : stored | 1u << 31; /* GUI_ACTIVE */
}

/* ---- MEC ---- */

static bool bit_of(uint32_t v, unsigned first, unsigned pipe) {
    return v >> (first + pipe) & 1;
}

/* A pipe starts at the program counter that was set before its reset was pulsed
 * (gfx_v11_0_config_mec_cache_rs64; reference traces config_mec). */
static void mec_cntl_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r;
    for (unsigned p = 0; p < 4; p++) {
        bool was = bit_of(old, 16, p), now = bit_of(v, 16, p);
        if (was && !now) {
            if (mmio_get_pipe(g, R_CP_MEC_RS64_PRGRM_CNTR_START, 1, p) ||
                mmio_get_pipe(g, R_CP_MEC_RS64_PRGRM_CNTR_START, 0, p))
                g->gfx.pipe_reset_done |= 1u << p;
            else
                gpu_guest_error(g, "MEC pipe %u reset without CP_MEC_RS64_PRGRM_CNTR_START", p);
        }
        bool ran = bit_of(old, 26, p) && !was, runs = bit_of(v, 26, p) && !now;
        if (!ran && runs) {
            g->gfx.mec_active_at = gpu_model_us(g);
            if (!(g->gfx.pipe_reset_done >> p & 1))
                gpu_guest_error(g, "MEC pipe %u made active without having been reset", p);
            if (!gpu_fw_ready(g, GPU_FW_MEC))
                gpu_guest_error(g, "MEC pipe %u made active without its firmware", p);
        }
    }
    cp_mec_cntl(g);
}

bool gpu_mec_ready(struct gpu *g, unsigned pipe) {
    uint32_t v = gpu_reg_get(g, R_CP_MEC_RS64_CNTL);
    if (pipe > 3 || !gpu_fw_ready(g, GPU_FW_MEC)) return false;
    if (!bit_of(v, 26, pipe) || bit_of(v, 16, pipe) || v >> 30 & 1) return false;
    return g->gfx.pipe_reset_done >> pipe & 1 &&
           gpu_model_us(g) >= g->gfx.mec_active_at + US_MEC_START;
}

static void spi_reset_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old;
    cp_spi_queue_reset(g, gpu_field_get(g, F_GRBM_GFX_CNTL__MEID),
                       gpu_field_get(g, F_GRBM_GFX_CNTL__PIPEID),
                       gpu_field_get(g, F_GRBM_GFX_CNTL__QUEUEID), v);
    gpu_reg_set(g, R_SPI_COMPUTE_QUEUE_RESET, 0); /* self-clearing */
}

/* ---- SDMA ---- */

static void sdma_cntl_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)old;
    sdma_engine_write(g, r, v);
}

bool gpu_sdma_ready(struct gpu *g, unsigned engine) {
    if (engine || !gpu_fw_ready(g, GPU_FW_SDMA)) return false;
    if (g->gfx.sdma_in_reset) return false;
    if (g->gen == HW_GFX12)
        return !gpu_field_get(g, F_SDMA0_MCU_CNTL__HALT) &&
               !gpu_field_get(g, F_SDMA0_MCU_CNTL__RESET);
    return !gpu_field_get(g, F_SDMA0_F32_CNTL__HALT) &&
           !gpu_field_get(g, F_SDMA0_F32_CNTL__TH0_RESET) &&
           !gpu_field_get(g, F_SDMA0_F32_CNTL__TH1_RESET);
}

/* ---- GRBM soft reset: bits are level triggered, held at least 50 us ---- */

static void soft_reset_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    enum { CP = 1 << 0, GFX = 1 << 16, CPF = 1 << 17, CPC = 1 << 18, SDMA0 = 1 << 23 };
    (void)r;
    uint32_t on = v & ~old, off = old & ~v;
    if (on) g->gfx.soft_reset_at = gpu_model_us(g);
    if (off && gpu_model_us(g) < g->gfx.soft_reset_at + US_SOFT_RESET)
        gpu_guest_error(g, "GRBM_SOFT_RESET released within 50 us");
    if (on & ~(uint32_t)(CP | GFX | CPF | CPC | SDMA0))
        gpu_unimplemented(g, "GRBM_SOFT_RESET of blocks 0x%x",
                          on & ~(uint32_t)(CP | GFX | CPF | CPC | SDMA0));
    if (on & (CP | GFX | CPC)) {
        cp_reset(g);
        g->gfx.pipe_reset_done = 0;
        gpu_reg_set(g, R_CP_MEC_RS64_CNTL, g->mmio.reg[R_CP_MEC_RS64_CNTL].reset);
    }
    if (on & SDMA0) {
        for (int q = 0; q < HW_REG_COUNT; q++)
            if (g->mmio.reg[q].bank == BANK_SDMA_QUEUE)
                gpu_reg_set(g, (enum hw_reg)q, g->mmio.reg[q].reset);
        sdma_reset(g);
    }
    g->gfx.sdma_in_reset = v & SDMA0;
}

/* ---- harvest: which work-group processors are there ---- */

/* Active WGPs spread evenly over the shader arrays; the rest is fused off. GRBM_GFX_INDEX selects
 * the array (gfx_v11_0_get_wgp_active_bitmap_per_sh). */
static unsigned active_wgps(const struct gpu *g, unsigned se, unsigned sa) {
    const struct hw_chip *c = g->chip;
    unsigned arrays = c->num_se * c->sa_per_se, wgps = g->cus / 2;
    unsigned array = sa * c->num_se + se; /* one in each engine before a second in any */
    if (se >= c->num_se || sa >= c->sa_per_se) return 0;
    unsigned n = wgps / arrays + (array < wgps % arrays ? 1 : 0);
    return n > c->wgp_per_sa ? c->wgp_per_sa : n;
}

static uint32_t array_config_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    unsigned n = active_wgps(g, gpu_field_get(g, F_GRBM_GFX_INDEX__SE_INDEX),
                             gpu_field_get(g, F_GRBM_GFX_INDEX__SA_INDEX));
    return (0xffffu & ~((1u << n) - 1)) << 16; /* INACTIVE_WGPS */
}

void gfx_reset(struct gpu *g) {
    memset(&g->gfx, 0, sizeof g->gfx);
}

void gfx_init(struct gpu *g) {
    gpu_reg_hook(g, R_RLC_SAFE_MODE, NULL, safe_mode_wrote);
    gpu_reg_hook(g, R_RLC_CAPTURE_GPU_CLOCK_COUNT, NULL, capture_wrote);
    gpu_reg_hook(g, R_RLC_GPU_CLOCK_COUNT_LSB, clock_lsb, NULL);
    gpu_reg_hook(g, R_RLC_GPU_CLOCK_COUNT_MSB, clock_msb, NULL);
    gpu_reg_hook(g, R_SDMA0_GLOBAL_TIMESTAMP_LO, stamp_lo, NULL);
    gpu_reg_hook(g, R_SDMA0_GLOBAL_TIMESTAMP_HI, stamp_hi, NULL);
    gpu_reg_hook(g, R_CP_STAT, cp_stat_read, NULL);
    gpu_reg_hook(g, R_GRBM_STATUS, grbm_status_read, NULL);
    gpu_reg_hook(g, R_CP_MEC_RS64_CNTL, NULL, mec_cntl_wrote);
    gpu_reg_hook(g, R_SPI_COMPUTE_QUEUE_RESET, NULL, spi_reset_wrote);
    gpu_reg_hook(g, R_SDMA0_F32_CNTL, NULL, sdma_cntl_wrote);
    gpu_reg_hook(g, R_SDMA0_MCU_CNTL, NULL, sdma_cntl_wrote);
    gpu_reg_hook(g, R_GRBM_SOFT_RESET, NULL, soft_reset_wrote);
    gpu_reg_hook(g, R_CC_GC_SHADER_ARRAY_CONFIG, array_config_read, NULL);
    ih_init_regs(g);
}
