/* SPDX-License-Identifier: MIT */
/* spi.c - what the shader processor interpolator counts of compute waves: those that run
 * (SPI_CSQ_WF_ACTIVE_COUNT_n) and, while performance counters run, those that it launched. And
 * SQ_CMD, which lets running waves trap.
 *
 * Sources: gc_11_0_0 / gc_12_0_0 headers; linux amdgpu_amdkfd_gfx_v9.c kgd_gfx_v9_get_cu_occupancy
 * (active waves by pipe, queue and shader engine); soc21_enum.h / soc24_enum.h SPI_PERFCNT_SEL,
 * CP_PERFMON_STATE; COMPUTE_PERFCOUNT_ENABLE lets a dispatch count.
 */
#include "driver/emulator/spi.h"

#include "driver/emulator/cp_priv.h"
#include "driver/emulator/gpu_state.h"

static struct cp *cp_of(struct gpu *g) {
    return *gpu_slot(g, GPU_SLOT_CP);
}

/* The selected shader engine's share: work-groups are spread evenly. */
static uint64_t share(struct gpu *g, uint64_t all) {
    unsigned engines = gpu_chip(g)->num_se, se = gpu_field_get(g, F_GRBM_GFX_INDEX__SE_INDEX);
    if (gpu_field_get(g, F_GRBM_GFX_INDEX__SE_BROADCAST_WRITES)) se = 0; /* reads answer for one */
    return se < engines ? (all + engines - 1 - se) / engines : 0;
}

static uint32_t active_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    struct cp *cp = cp_of(g);
    unsigned me = gpu_field_get(g, F_GRBM_GFX_CNTL__MEID);
    unsigned pipe = gpu_field_get(g, F_GRBM_GFX_CNTL__PIPEID);
    if (!cp || me != 1 || pipe >= CP_PIPES) return 0;
    uint64_t n = share(g, cp->q[pipe][0].waves_active);
    const struct hw_ip_table *t = gpu_ip(g, HW_GC);
    uint32_t max = hw_field_get(t, F_SPI_CSQ_WF_ACTIVE_COUNT_0__COUNT, ~0u);
    return hw_field_put(t, F_SPI_CSQ_WF_ACTIVE_COUNT_0__COUNT, 0, n < max ? (uint32_t)n : max);
}

static enum hw_field state_field(struct gpu *g) {
    return gpu_gen(g) == HW_GFX12 ? F_CP_PERFMON_CNTL_1__PERFMON_STATE
                                  : F_CP_PERFMON_CNTL__PERFMON_STATE;
}

static bool counts_waves(struct gpu *g) {
    uint32_t sel = gpu_field_get(g, F_SPI_PERFCOUNTER0_SELECT__PERF_SEL);
    return sel == (gpu_gen(g) == HW_GFX12 ? SPI_PERF_CSN_WAVE_soc24 : SPI_PERF_CSN_WAVE);
}

static void perfmon_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old, (void)v;
    struct cp *cp = cp_of(g);
    uint32_t state = gpu_field_get(g, state_field(g));
    if (state > CP_PERFMON_STATE_STOP_COUNTING)
        gpu_unimplemented(g, "CP_PERFMON_CNTL.PERFMON_STATE %u", state);
    if (!cp) return;
    if (state == CP_PERFMON_STATE_DISABLE_AND_RESET) cp->waves_launched = 0;
    cp->counting = state == CP_PERFMON_STATE_START_COUNTING && counts_waves(g);
}

static void select_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    if (v && !counts_waves(g)) gpu_unimplemented(g, "SPI_PERFCOUNTER0_SELECT 0x%x", v);
    perfmon_wrote(g, r, old, v);
}

static uint32_t counter_lo(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    struct cp *cp = cp_of(g);
    return cp ? (uint32_t)share(g, cp->waves_launched) : 0;
}

static uint32_t counter_hi(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r, (void)stored;
    struct cp *cp = cp_of(g);
    return cp ? (uint32_t)(share(g, cp->waves_launched) >> 32) : 0;
}

/* ---- SQ_CMD: what a debugger asks of waves (linux kgd_gfx_v11_wave_control_execute) ---- */

static void sq_cmd_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old;
    const struct hw_ip_table *t = gpu_ip(g, HW_GC);
    struct cp *cp = cp_of(g);
    unsigned cmd = hw_field_get(t, F_SQ_CMD__CMD, v), mode = hw_field_get(t, F_SQ_CMD__MODE, v);
    if (!cmd || !cp) return;
    if (cmd != SQ_IND_CMD_CMD_TRAP || mode != SQ_IND_CMD_MODE_BROADCAST)
        gpu_unimplemented(g, "SQ_CMD 0x%x", v);
    else if (!gpu_field_get(g, F_GRBM_GFX_INDEX__SE_BROADCAST_WRITES) ||
             !gpu_field_get(g, F_GRBM_GFX_INDEX__SA_BROADCAST_WRITES))
        gpu_unimplemented(g, "SQ_CMD to one shader array");
    else if (!hw_field_get(t, F_SQ_CMD__CHECK_VMID, v) || !hw_field_get(t, F_SQ_CMD__VM_ID, v))
        cp->host_traps++; /* VMID 0's waves are all there are */
}

bool spi_counts(struct cp_queue *q) {
    return q->cp->counting && cp_field(q, F_COMPUTE_PERFCOUNT_ENABLE__PERFCOUNT_ENABLE);
}

void spi_init(struct gpu *g) {
    gpu_reg_hook(g, R_SPI_CSQ_WF_ACTIVE_COUNT_0, active_read, NULL);
    gpu_reg_hook(g, R_CP_PERFMON_CNTL, NULL, perfmon_wrote);
    gpu_reg_hook(g, R_CP_PERFMON_CNTL_1, NULL, perfmon_wrote);
    gpu_reg_hook(g, R_SPI_PERFCOUNTER0_SELECT, NULL, select_wrote);
    gpu_reg_hook(g, R_SPI_PERFCOUNTER0_LO, counter_lo, NULL);
    gpu_reg_hook(g, R_SPI_PERFCOUNTER0_HI, counter_hi, NULL);
    gpu_reg_hook(g, R_SQ_CMD, NULL, sq_cmd_wrote);
}
