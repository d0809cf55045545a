/* SPDX-License-Identifier: MIT */
/* RDNA4 (GC 12.0.x, MP0 14, SDMA 7). */
#include "driver/blocks.h"

static const struct chip_boot_step boot_steps[] = {
    {PSP_FW_TYPE_PSP_KDB, PSP_BL__LOAD_KEY_DATABASE},
    {PSP_FW_TYPE_PSP_SPL, PSP_BL__LOAD_TOS_SPL_TABLE},
    {PSP_FW_TYPE_PSP_SYS_DRV, PSP_BL__LOAD_SYSDRV},
    {PSP_FW_TYPE_PSP_SOC_DRV, PSP_BL__LOAD_SOCDRV},
    {PSP_FW_TYPE_PSP_INTF_DRV, PSP_BL__LOAD_INTFDRV},
    {PSP_FW_TYPE_PSP_DBG_DRV, PSP_BL__LOAD_DBGDRV},
    {PSP_FW_TYPE_PSP_RAS_DRV, PSP_BL__LOAD_RASDRV},
    {PSP_FW_TYPE_PSP_SOS, PSP_BL__LOAD_SOSDRV},
    {0, 0},
};

static void pulse(struct am_device *d, enum hw_field reset) {
    reg_upd(d, reset, 1);
    reg_upd(d, reset, 0);
}

static int front_end_config(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    gfx_select(d, 0, 0, 0, 0);
    gfx_start_address(d, R_CP_PFP_PRGRM_CNTR_START, R_CP_PFP_PRGRM_CNTR_START_HI, b->start_pfp);
    gfx_select(d, 0, 0, 0, 0);
    pulse(d, F_CP_ME_CNTL__PFP_PIPE0_RESET);
    gfx_select(d, 0, 0, 0, 0);
    gfx_start_address(d, R_CP_ME_PRGRM_CNTR_START, R_CP_ME_PRGRM_CNTR_START_HI, b->start_me);
    gfx_select(d, 0, 0, 0, 0);
    pulse(d, F_CP_ME_CNTL__ME_PIPE0_RESET);
    return 0;
}

/* The pulse of the MEC pipe's own reset suffices. */
static int mec_soft_reset(struct am_device *d) {
    (void)d;
    return 0;
}

static void sdma_policy(struct am_device *d) {
    uint32_t v = reg_rd(d, R_SDMA0_UTCL1_PAGE);
    v = reg_fput(d, F_SDMA0_UTCL1_PAGE__RD_L2_POLICY, v, 2);
    v = reg_fput(d, F_SDMA0_UTCL1_PAGE__WR_L2_POLICY, v, 3);
    reg_wr(d, R_SDMA0_UTCL1_PAGE, v);
}

const struct chip chip_gfx12 = {
    .name = "gfx12",
    .gc_major = 12,
    .gen = HW_GFX12,
    .image_pitch_align = 128,
    .c2pmsg_35 = R_MPASP_SMN_C2PMSG_35,
    .c2pmsg_36 = R_MPASP_SMN_C2PMSG_36,
    .c2pmsg_64 = R_MPASP_SMN_C2PMSG_64,
    .c2pmsg_67 = R_MPASP_SMN_C2PMSG_67,
    .c2pmsg_69 = R_MPASP_SMN_C2PMSG_69,
    .c2pmsg_70 = R_MPASP_SMN_C2PMSG_70,
    .c2pmsg_71 = R_MPASP_SMN_C2PMSG_71,
    .c2pmsg_81 = R_MPASP_SMN_C2PMSG_81,
    .boot_steps = boot_steps,
    .setup_tmr = false,
#define ENTRY(n, field) F_GDC_S2A0_S2A_DOORBELL_ENTRY_##n##_CTRL__S2A_DOORBELL_PORT##n##_##field
#define DOORBELL_PORT(n)                                                                           \
    .doorbell_entry[n] = R_GDC_S2A0_S2A_DOORBELL_ENTRY_##n##_CTRL,                                 \
    .doorbell_enable[n] = ENTRY(n, ENABLE), .doorbell_awid[n] = ENTRY(n, AWID),                    \
    .doorbell_offset[n] = ENTRY(n, RANGE_OFFSET), .doorbell_size[n] = ENTRY(n, RANGE_SIZE),        \
    .doorbell_awaddr[n] = ENTRY(n, AWADDR_31_28_VALUE)
    DOORBELL_PORT(0),
    DOORBELL_PORT(2),
    DOORBELL_PORT(3),
#undef DOORBELL_PORT
#undef ENTRY
    .gc_fault_status = R_GCVM_L2_PROTECTION_FAULT_STATUS_LO32,
    .mm_fault_status = R_MMVM_L2_PROTECTION_FAULT_STATUS_LO32,
    .perfmon_state = F_CP_PERFMON_CNTL_1__PERFMON_STATE,
    .perfmon_sample = F_CP_PERFMON_CNTL_1__PERFMON_SAMPLE_ENABLE,
    .spi_event_waves = SPI_PERF_CSN_WAVE_soc24,
    .sdma_halt = F_SDMA0_MCU_CNTL__HALT,
    .sdma_thread_reset = F_SDMA0_MCU_CNTL__RESET,
    .sdma_wptr_poll = F_SDMA0_QUEUE0_RB_CNTL__MCU_WPTR_POLL_ENABLE,
    .front_end_config = front_end_config,
    .mec_soft_reset = mec_soft_reset,
    .sdma_policy = sdma_policy,
};
