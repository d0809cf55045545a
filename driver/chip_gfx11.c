/* SPDX-License-Identifier: MIT */
/* RDNA3 (GC 11.0.x, MP0 13, SDMA 6). */
#include "driver/blocks.h"

static const struct chip_boot_step boot_steps[] = {
    {PSP_FW_TYPE_PSP_KDB, PSP_BL__LOAD_KEY_DATABASE},
    /* MP0 13 takes the key database again in place of the anti-rollback table (linux psp_v13_0.c,
     * tinygrad reference). */
    {PSP_FW_TYPE_PSP_KDB, PSP_BL__LOAD_TOS_SPL_TABLE},
    {PSP_FW_TYPE_PSP_SYS_DRV, PSP_BL__LOAD_SYSDRV},
    {PSP_FW_TYPE_PSP_SOC_DRV, PSP_BL__LOAD_SOCDRV},
    {PSP_FW_TYPE_PSP_INTF_DRV, PSP_BL__LOAD_INTFDRV},
    {PSP_FW_TYPE_PSP_DBG_DRV, PSP_BL__LOAD_DBGDRV},
    {PSP_FW_TYPE_PSP_RAS_DRV, PSP_BL__LOAD_RASDRV},
    {PSP_FW_TYPE_PSP_SOS, PSP_BL__LOAD_SOSDRV},
    {0, 0},
};

/* The front end's microcode does not run on this generation: compute needs the MEC only. */
static int front_end_config(struct am_device *d) {
    (void)d;
    return 0;
}

static int mec_soft_reset(struct am_device *d) {
    uint32_t v = reg_fv(d, F_GRBM_SOFT_RESET__SOFT_RESET_CP, 1) |
                 reg_fv(d, F_GRBM_SOFT_RESET__SOFT_RESET_CPC, 1);
    reg_wr(d, R_GRBM_SOFT_RESET, v);
    d->bus->ops->delay(d->bus, 50000);
    reg_wr(d, R_GRBM_SOFT_RESET, 0);
    return 0;
}

static void sdma_policy(struct am_device *d) {
    uint32_t v = reg_rd(d, R_SDMA0_UTCL1_PAGE);
    v = reg_fput(d, F_SDMA0_UTCL1_PAGE__RD_L2_POLICY, v, 2);
    v = reg_fput(d, F_SDMA0_UTCL1_PAGE__WR_L2_POLICY, v, 3);
    v = reg_fput(d, F_SDMA0_UTCL1_PAGE__LLC_NOALLOC, v, 1);
    reg_wr(d, R_SDMA0_UTCL1_PAGE, v);
}

const struct chip chip_gfx11 = {
    .name = "gfx11",
    .gc_major = 11,
    .gen = HW_GFX11,
    .image_pitch_align = 256,
    .c2pmsg_35 = R_MP0_SMN_C2PMSG_35,
    .c2pmsg_36 = R_MP0_SMN_C2PMSG_36,
    .c2pmsg_64 = R_MP0_SMN_C2PMSG_64,
    .c2pmsg_67 = R_MP0_SMN_C2PMSG_67,
    .c2pmsg_69 = R_MP0_SMN_C2PMSG_69,
    .c2pmsg_70 = R_MP0_SMN_C2PMSG_70,
    .c2pmsg_71 = R_MP0_SMN_C2PMSG_71,
    .c2pmsg_81 = R_MP0_SMN_C2PMSG_81,
    .boot_steps = boot_steps,
    .setup_tmr = true,
#define DOORBELL_PORT(n)                                                                           \
    .doorbell_entry[n] = R_S2A_DOORBELL_ENTRY_##n##_CTRL,                                          \
    .doorbell_enable[n] = F_S2A_DOORBELL_ENTRY_##n##_CTRL__S2A_DOORBELL_PORT##n##_ENABLE,          \
    .doorbell_awid[n] = F_S2A_DOORBELL_ENTRY_##n##_CTRL__S2A_DOORBELL_PORT##n##_AWID,              \
    .doorbell_offset[n] = F_S2A_DOORBELL_ENTRY_##n##_CTRL__S2A_DOORBELL_PORT##n##_RANGE_OFFSET,    \
    .doorbell_size[n] = F_S2A_DOORBELL_ENTRY_##n##_CTRL__S2A_DOORBELL_PORT##n##_RANGE_SIZE,        \
    .doorbell_awaddr[n] =                                                                          \
        F_S2A_DOORBELL_ENTRY_##n##_CTRL__S2A_DOORBELL_PORT##n##_AWADDR_31_28_VALUE
    DOORBELL_PORT(0),
    DOORBELL_PORT(2),
    DOORBELL_PORT(3),
#undef DOORBELL_PORT
    .gc_fault_status = R_GCVM_L2_PROTECTION_FAULT_STATUS,
    .mm_fault_status = R_MMVM_L2_PROTECTION_FAULT_STATUS,
    .perfmon_state = F_CP_PERFMON_CNTL__PERFMON_STATE,
    .perfmon_sample = F_CP_PERFMON_CNTL__PERFMON_SAMPLE_ENABLE,
    .spi_event_waves = SPI_PERF_CSN_WAVE,
    .sdma_halt = F_SDMA0_F32_CNTL__HALT,
    .sdma_thread_reset = F_SDMA0_F32_CNTL__TH1_RESET,
    .sdma_wptr_poll = F_SDMA0_QUEUE0_RB_CNTL__F32_WPTR_POLL_ENABLE,
    .front_end_config = front_end_config,
    .mec_soft_reset = mec_soft_reset,
    .sdma_policy = sdma_policy,
};
