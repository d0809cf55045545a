/* SPDX-License-Identifier: MIT */
/* smu.c - the system management unit: message mailbox, clocks, metrics, mode-1 reset.
 *
 * Sources: linux smu_cmn.c (__smu_cmn_send_msg: 66 message, 82 argument, 90 response; debug mailbox
 * 75, 53, 54), smu_v13_0_0_ppsmc.h, smu_v14_0_2_ppsmc.h, smu13_driver_if_v13_0_0.h; the reference
 * traces. The message ids in use are equal in all versions in scope.
 */
#include <inttypes.h>
#include <stddef.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"

enum { RESULT_OK = 1, RESULT_FAILED = 0xff, RESULT_UNKNOWN = 0xfe, US_MESSAGE = 30 };
enum { DEBUG_MODE1_RESET = 2, TABLE_SMU_METRICS_ID = 5, US_MODE1_RESET = 500000 };

#define R_MSG   R_MP1_SMN_C2PMSG_66
#define R_ARG   R_MP1_SMN_C2PMSG_82
#define R_RESP  R_MP1_SMN_C2PMSG_90
#define R_DMSG  R_MP1_SMN_C2PMSG_75
#define R_DARG  R_MP1_SMN_C2PMSG_53
#define R_DRESP R_MP1_SMN_C2PMSG_54

/* Frequencies in MHz by level, of the products (public specifications); the SOC clocks are round
 * figures. */
static const uint16_t levels_gfx11[4][4] = {{500, 1500, 2300, 2500},
                                            {500, 800, 1000, 1200},
                                            {96, 456, 1000, 1250},
                                            {500, 1000, 1500, 2000}};
static const uint16_t levels_gfx12[4][4] = {{500, 1500, 2400, 2970},
                                            {500, 800, 1000, 1200},
                                            {96, 456, 1000, 1258},
                                            {500, 1000, 1500, 2000}};

static const uint16_t *levels(const struct gpu *g, unsigned clk) {
    if (clk >= 4) return NULL;
    return g->gen == HW_GFX12 ? levels_gfx12[clk] : levels_gfx11[clk];
}

static unsigned clock_count(const struct gpu *g) {
    return g->gen == HW_GFX12 ? PPCLK_COUNT_14_0_2 : PPCLK_COUNT_13_0_0;
}

void smu_firmware_loaded(struct gpu *g) {
    g->smu.alive = true;
}

void smu_mode1_reset(struct gpu *g) {
    /* linux amdgpu_device_mode1_reset clears bus mastering first; smu_v13_0_mode1_reset waits 500
     * ms afterwards. */
    if (pci_bus_master(g)) gpu_guest_error(g, "mode-1 reset with bus mastering on");
    gpu_reset_blocks(g);
    g->smu.reset_until = gpu_model_us(g) + US_MODE1_RESET;
}

/* ---- messages ---- */

static uint32_t dpm_by_index(struct gpu *g, uint32_t param, uint32_t *out) {
    const uint16_t *l = levels(g, param >> 16);
    uint32_t index = param & 0xffff;
    if ((param >> 16) >= clock_count(g)) return RESULT_FAILED;
    if (!l) { /* clocks of blocks that the model lacks: one level */
        if (index != 0xff && index) return RESULT_FAILED;
        *out = index == 0xff ? 1 : 600;
        return RESULT_OK;
    }
    if (index == 0xff)
        *out = 4;
    else if (index < 4)
        *out = l[index];
    else
        return RESULT_FAILED;
    return RESULT_OK;
}

/* The nearest level that a soft or hard limit leaves reachable. */
static uint32_t set_limit(struct gpu *g, uint32_t param, bool max) {
    unsigned clk = param >> 16;
    const uint16_t *l = levels(g, clk);
    if (clk >= clock_count(g)) return RESULT_FAILED;
    if (!l) return RESULT_OK;
    if (max)
        g->smu.clock[clk].soft_max = param & 0xffff;
    else
        g->smu.clock[clk].soft_min = param & 0xffff;
    return RESULT_OK;
}

static uint32_t current_mhz(const struct gpu *g, unsigned clk) {
    const uint16_t *l = levels(g, clk);
    if (!l) return 600;
    uint32_t lo = g->smu.clock[clk].soft_min, hi = g->smu.clock[clk].soft_max, at = l[0];
    for (int i = 0; i < 4; i++)
        if (l[i] >= lo && (!hi || l[i] <= hi)) {
            at = l[i];
            break;
        }
    return at;
}

static void fill_metrics(struct gpu *g, uint8_t *t) {
    bool v14 = g->gen == HW_GFX12;
#define AT(m)                                                                                      \
    (v14 ? (size_t)OFF_smu_14_0_2_SmuMetrics_t__##m : (size_t)OFF_smu_13_0_0_SmuMetrics_t__##m)
    for (unsigned c = 0; c < clock_count(g); c++)
        hw_put32(t, AT(CurrClock) + 4 * c, current_mhz(g, c));
    uint16_t gfx = (uint16_t)current_mhz(g, 0);
    hw_put16(t, AT(AverageGfxclkFrequencyPreDs), gfx);
    hw_put16(t, AT(AverageGfxclkFrequencyPostDs), gfx);
    hw_put16(t, AT(AverageMemclkFrequencyPostDs), (uint16_t)current_mhz(g, 2));
    hw_put32(t, AT(MetricsCounter), ++g->smu.metrics_count);
    hw_put16(t, AT(AverageSocketPower), 30); /* watts */
    for (int i = 0; i < 8; i++)
        hw_put16(t, AT(AvgTemperature) + 2 * (size_t)i, 40);
    hw_put16(t, AT(AvgFanRpm), 1000);
#undef AT
}

static uint32_t table_to_dram(struct gpu *g, uint32_t id) {
    uint8_t t[SIZE_smu_14_0_2_SmuMetrics_t + 4] = {0};
    size_t size = g->gen == HW_GFX12 ? SIZE_smu_14_0_2_SmuMetrics_t : SIZE_smu_13_0_0_SmuMetrics_t;
    if (id != TABLE_SMU_METRICS_ID) {
        gpu_unimplemented(g, "SMU: transfer of table %u", id);
        return RESULT_FAILED;
    }
    uint8_t *p = gpu_mc_ptr(g, g->smu.dram_addr, size);
    if (!g->smu.dram_addr || !p) {
        gpu_guest_error(g, "SMU: table to driver address 0x%" PRIx64 ", which is not VRAM",
                        g->smu.dram_addr);
        return RESULT_FAILED;
    }
    fill_metrics(g, t);
    memcpy(p, t, size);
    hdp_chip_writes(g, (uint64_t)(p - g->vram), size);
    cache_psp_write(g, (uint64_t)(p - g->vram), size); /* as the PSP: behind the GL2 */
    return RESULT_OK;
}

static uint32_t answer(struct gpu *g, uint32_t msg, uint32_t param, uint32_t *out) {
    struct smu_state *s = &g->smu;
    switch (msg) {
    case PPSMC_MSG_TestMessage_13_0_0:
        *out = param + 1;
        return RESULT_OK;
    case PPSMC_MSG_GetSmuVersion_13_0_0:
        *out = g->gen == HW_GFX12 ? 0x00684b00 : 0x004e7f00;
        return RESULT_OK;
    case PPSMC_MSG_GetDriverIfVersion_13_0_0:
        *out = g->gen == HW_GFX12 ? 0x2e : 0x3d;
        return RESULT_OK;
    case PPSMC_MSG_SetAllowedFeaturesMaskLow_13_0_0:
    case PPSMC_MSG_SetAllowedFeaturesMaskHigh_13_0_0:
    case PPSMC_MSG_SetToolsDramAddrHigh_13_0_0:
    case PPSMC_MSG_SetToolsDramAddrLow_13_0_0:
    case PPSMC_MSG_OverridePcieParameters_13_0_0:
    case PPSMC_MSG_SetWorkloadMask_13_0_0:
    case PPSMC_MSG_UseDefaultPPTable_13_0_0:
    case PPSMC_MSG_RunDcBtc_13_0_0:
    case PPSMC_MSG_NotifyPowerSource_13_0_0:
    case PPSMC_MSG_PrepareMp1ForUnload_13_0_0:
    case PPSMC_MSG_AllowIHHostInterrupt_13_0_0:
        return RESULT_OK;
    case PPSMC_MSG_EnableAllSmuFeatures_13_0_0:
        s->features_on = true;
        return RESULT_OK;
    case PPSMC_MSG_DisableAllSmuFeatures_13_0_0:
        s->features_on = false;
        return RESULT_OK;
    case PPSMC_MSG_GetRunningSmuFeaturesLow_13_0_0:
        *out = s->features_on ? 0xffffffff : 0;
        return RESULT_OK;
    case PPSMC_MSG_GetRunningSmuFeaturesHigh_13_0_0:
        *out = s->features_on ? 0xffff : 0;
        return RESULT_OK;
    case PPSMC_MSG_SetDriverDramAddrHigh_13_0_0:
        s->dram_addr = (s->dram_addr & 0xffffffff) | (uint64_t)param << 32;
        return RESULT_OK;
    case PPSMC_MSG_SetDriverDramAddrLow_13_0_0:
        s->dram_addr = (s->dram_addr & ~0xffffffffull) | param;
        return RESULT_OK;
    case PPSMC_MSG_TransferTableSmu2Dram_13_0_0:
        return table_to_dram(g, param & 0xffff);
    case PPSMC_MSG_SetSoftMinByFreq_13_0_0:
    case PPSMC_MSG_SetHardMinByFreq_13_0_0:
        return set_limit(g, param, false);
    case PPSMC_MSG_SetSoftMaxByFreq_13_0_0:
    case PPSMC_MSG_SetHardMaxByFreq_13_0_0:
        return set_limit(g, param, true);
    case PPSMC_MSG_GetMinDpmFreq_13_0_0:
        return dpm_by_index(g, param & 0xffff0000u, out);
    case PPSMC_MSG_GetMaxDpmFreq_13_0_0:
        return dpm_by_index(g, (param & 0xffff0000u) | (param >> 16 < 4 ? 3 : 0), out);
    case PPSMC_MSG_GetDpmFreqByIndex_13_0_0:
        return dpm_by_index(g, param, out);
    case PPSMC_MSG_SetPptLimit_13_0_0:
        s->power_limit = param & 0xffff;
        return RESULT_OK;
    case PPSMC_MSG_GetPptLimit_13_0_0:
        *out = s->power_limit;
        return RESULT_OK;
    case PPSMC_MSG_DisallowGfxOff_13_0_0:
        return RESULT_OK;
    case PPSMC_MSG_AllowGfxOff_13_0_0:
        gpu_unimplemented(g, "SMU: GFXOFF");
        return RESULT_OK;
    default:
        if (msg < PPSMC_Message_Count_13_0_0)
            gpu_unimplemented(g, "SMU message 0x%x", msg);
        else
            gpu_guest_error(g, "SMU: unknown message 0x%x", msg);
        return RESULT_UNKNOWN;
    }
}

static void message_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t msg) {
    struct smu_state *s = &g->smu;
    (void)r, (void)old;
    if (!s->alive) {
        gpu_guest_error(g, "SMU message 0x%x before the SMU's firmware is loaded", msg);
        return;
    }
    if (s->ready_at) gpu_guest_error(g, "SMU message 0x%x while another is in progress", msg);
    /* linux __smu_cmn_send_msg: the response register is cleared before a message. */
    if (gpu_reg_get(g, R_RESP))
        gpu_guest_error(g, "SMU message 0x%x without clearing C2PMSG_90", msg);
    s->arg = gpu_reg_get(g, R_ARG);
    s->result = answer(g, msg, s->arg, &s->arg);
    s->ready_at = gpu_model_us(g) + US_MESSAGE;
}

static void deliver(struct gpu *g) {
    struct smu_state *s = &g->smu;
    if (!s->ready_at || gpu_model_us(g) < s->ready_at) return;
    s->ready_at = 0;
    gpu_reg_set(g, R_ARG, s->arg);
    gpu_reg_set(g, R_RESP, s->result);
}

static uint32_t mailbox_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)stored;
    deliver(g);
    return gpu_reg_get(g, r);
}

/* An answer whose time had come was there before this write, and is gone now. */
static void response_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    (void)r, (void)old, (void)v;
    if (g->smu.ready_at && gpu_model_us(g) >= g->smu.ready_at) g->smu.ready_at = 0;
}

static void debug_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t msg) {
    (void)r, (void)old;
    if (!g->smu.alive) {
        gpu_guest_error(g, "SMU debug message 0x%x before the SMU's firmware is loaded", msg);
        return;
    }
    if (msg != DEBUG_MODE1_RESET) {
        gpu_unimplemented(g, "SMU debug message 0x%x", msg);
        gpu_reg_set(g, R_DRESP, RESULT_UNKNOWN);
        return;
    }
    smu_mode1_reset(g);
    /* The response is seen at once; everything else waits for the reset. */
    gpu_reg_set(g, R_DRESP, RESULT_OK);
    g->smu.debug_answer = true;
}

void smu_reset(struct gpu *g) {
    memset(&g->smu, 0, sizeof g->smu);
    g->smu.power_limit = g->gen == HW_GFX12 ? 304 : 315; /* watts, public specifications */
}

void smu_init(struct gpu *g) {
    gpu_reg_hook(g, R_MSG, NULL, message_wrote);
    gpu_reg_hook(g, R_ARG, mailbox_read, NULL);
    gpu_reg_hook(g, R_RESP, mailbox_read, response_wrote);
    gpu_reg_hook(g, R_DMSG, NULL, debug_wrote);
}
