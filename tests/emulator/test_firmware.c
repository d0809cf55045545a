/* SPDX-License-Identifier: MIT */
/* PSP and SMU: order, sizes, life and death. */
#include "tests/emulator/mini.h"

#include <string.h>

static void boots(void **state) {
    static const char *const targets[] = {"gfx1100", "gfx1102", "gfx1200", "gfx1201"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct mini m;
        mini_open(&m, targets[i]);
        assert_int_equal(mini_rd(&m, mini_mp0(&m, 81)), 0);
        mini_psp_boot(&m);
        mini_close(&m);
    }
}

static void order(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1201");
    assert_int_not_equal(mini_component(&m, PSP_BL__LOAD_SYSDRV, true, MINI_PAYLOAD), 0);
    mini_expect(&m, "SYS_DRV before KDB");
    assert_int_equal(mini_component(&m, PSP_BL__LOAD_KEY_DATABASE, false, MINI_PAYLOAD), 0);
    assert_int_not_equal(mini_component(&m, PSP_BL__LOAD_KEY_DATABASE, true, MINI_PAYLOAD), 0);
    mini_expect(&m, "out of order");
    assert_int_not_equal(mini_component(&m, PSP_BL__LOAD_TOS_SPL_TABLE, true, 0x200000), 0);
    mini_expect(&m, "header names");
    assert_int_equal(mini_component(&m, PSP_BL__LOAD_TOS_SPL_TABLE, true, MINI_PAYLOAD), 0);
    assert_int_not_equal(mini_component(&m, PSP_BL__LOAD_SYSDRV, false, MINI_PAYLOAD), 0);
    mini_expect(&m, "no $PS1");
    assert_int_not_equal(mini_component(&m, 0x12340000, true, MINI_PAYLOAD), 0);
    mini_expect(&m, "unknown command");
    mini_wr(&m, mini_mp0(&m, 64), GFX_CTRL_CMD_ID_INIT_GPCOM_RING);
    mini_expect(&m, "before the secure OS");
    mini_close(&m);
}

static void image_needs_flush(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1100");
    uint8_t img[0x600] = {0};
    hw_put32(img, 20, MINI_PAYLOAD);
    mini_vram_write(&m, 0x100000, img, sizeof img);
    mini_wr(&m, mini_mp0(&m, 36), (uint32_t)((MINI_MC + 0x100000) >> 20));
    mini_wr(&m, mini_mp0(&m, 35), PSP_BL__LOAD_KEY_DATABASE);
    mini_expect(&m, "before the HDP flush");
    mini_close(&m);
}

static void ring(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1100");
    mini_bootloader(&m);
    mini_wr(&m, mini_mp0(&m, 67), 16);
    mini_expect(&m, "without a PSP ring");
    /* polled too soon */
    mini_wr(&m, mini_mp0(&m, 69), (uint32_t)(MINI_MC + 0x87000));
    mini_wr(&m, mini_mp0(&m, 70), (uint32_t)(MINI_MC >> 32));
    mini_wr(&m, mini_mp0(&m, 71), 0x10000);
    mini_wr(&m, mini_mp0(&m, 64), GFX_CTRL_CMD_ID_INIT_GPCOM_RING);
    mini_rd(&m, mini_mp0(&m, 64));
    mini_expect(&m, "within 20 ms");
    m.b->ops->delay(m.b, 20000);
    assert_int_equal(mini_rd(&m, mini_mp0(&m, 64)), 0x80000000);
    /* firmware before its time */
    assert_int_not_equal(mini_load_fw(&m, GFX_FW_TYPE_SMU), 0);
    mini_expect(&m, "before LOAD_TOC");
    const uint32_t tmr[] = {(uint32_t)(MINI_MC + 0x2000000), (uint32_t)(MINI_MC >> 32), 0x1300000,
                            2};
    assert_int_not_equal(mini_psp_cmd(&m, GFX_CMD_ID_SETUP_TMR, tmr, 4), 0);
    mini_expect(&m, "before LOAD_TOC");
    assert_int_not_equal(mini_psp_cmd(&m, GFX_CMD_ID_AUTOLOAD_RLC, NULL, 0), 0);
    mini_expect(&m, "AUTOLOAD_RLC without firmware");
    assert_int_not_equal(mini_psp_cmd(&m, 0x7777, NULL, 0), 0);
    mini_expect(&m, "unknown command");
    mini_wr(&m, mini_mp0(&m, 67), 3);
    mini_expect(&m, "not a frame");
    mini_close(&m);
}

static void smu(void **state) {
    struct mini m;
    uint32_t v;
    (void)state;
    mini_open(&m, "gfx1201");
    mini_wr(&m, R_MP1_SMN_C2PMSG_66, PPSMC_MSG_TestMessage_13_0_0);
    mini_expect(&m, "before the SMU's firmware");
    mini_psp_boot(&m);
    assert_int_equal(mini_smu(&m, PPSMC_MSG_TestMessage_13_0_0, 41, &v), 1);
    assert_int_equal(v, 42);
    assert_int_equal(mini_smu(&m, PPSMC_MSG_GetDpmFreqByIndex_13_0_0, 0xff, &v), 1);
    uint32_t levels = v & 0x7fffffff, last = 0;
    assert_in_range(levels, 1, 16);
    for (uint32_t i = 0; i < levels; i++) {
        assert_int_equal(mini_smu(&m, PPSMC_MSG_GetDpmFreqByIndex_13_0_0, i, &v), 1);
        assert_true(v > last);
        last = v;
    }
    assert_int_equal(mini_smu(&m, PPSMC_MSG_GetDpmFreqByIndex_13_0_0, levels, &v), 0xff);
    assert_int_equal(mini_smu(&m, PPSMC_MSG_SetPptLimit_13_0_0, 200, NULL), 1);
    assert_int_equal(mini_smu(&m, PPSMC_MSG_GetPptLimit_13_0_0, 0, &v), 1);
    assert_int_equal(v, 200);
    /* metrics into VRAM */
    assert_int_equal(mini_smu(&m, PPSMC_MSG_TransferTableSmu2Dram_13_0_0, 5, NULL), 0xff);
    mini_expect(&m, "not VRAM");
    mini_smu(&m, PPSMC_MSG_SetDriverDramAddrHigh_13_0_0, (uint32_t)(MINI_MC >> 32), NULL);
    mini_smu(&m, PPSMC_MSG_SetDriverDramAddrLow_13_0_0, 0x97000, NULL);
    assert_int_equal(mini_smu(&m, PPSMC_MSG_TransferTableSmu2Dram_13_0_0, 5, NULL), 1);
    mini_vram_read(&m, 0x97000 + OFF_smu_14_0_2_SmuMetrics_t__MetricsCounter, &v, 4);
    assert_int_equal(v, 1);
    /* a message without clearing the answer */
    mini_wr(&m, R_MP1_SMN_C2PMSG_66, PPSMC_MSG_TestMessage_13_0_0);
    mini_expect(&m, "without clearing");
    m.b->ops->delay(m.b, 1000);
    mini_rd(&m, R_MP1_SMN_C2PMSG_90);
    assert_int_equal(mini_smu(&m, 0x777, 0, NULL), 0xfe);
    mini_expect(&m, "unknown message");
    mini_close(&m);
}

static void mode1(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1100");
    mini_psp_boot(&m);
    mini_wr(&m, R_SCRATCH_REG7, 0x1234);
    uint32_t mark = 0x55aa55aa, v;
    mini_vram_write(&m, 0x8000000, &mark, 4);
    mini_wr(&m, R_MP1_SMN_C2PMSG_54, 0);
    mini_wr(&m, R_MP1_SMN_C2PMSG_53, 0);
    mini_wr(&m, R_MP1_SMN_C2PMSG_75, 2);
    assert_int_equal(mini_rd(&m, R_MP1_SMN_C2PMSG_54), 1);
    assert_int_equal(mini_rd(&m, R_SCRATCH_REG7), 0xffffffff);
    mini_expect(&m, "mode-1 reset");
    m.b->ops->delay(m.b, 500000);
    assert_int_equal(mini_rd(&m, R_SCRATCH_REG7), 0);
    assert_int_equal(mini_rd(&m, mini_mp0(&m, 81)), 0);
    mini_vram_read(&m, 0x8000000, &v, 4);
    assert_int_equal(v, mark); /* VRAM keeps its contents */
    mini_psp_boot(&m);
    /* with bus mastering on */
    mini_bus_master(&m, true);
    mini_wr(&m, R_MP1_SMN_C2PMSG_75, 2);
    mini_expect(&m, "bus mastering");
    m.b->ops->delay(m.b, 500000);
    /* function-level reset: everything again */
    mini_psp_boot(&m);
    assert_int_equal(m.b->ops->reset(m.b), 0);
    assert_int_equal(mini_rd(&m, mini_mp0(&m, 81)), 0);
    mini_psp_boot(&m);
    mini_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boots), cmocka_unit_test(order), cmocka_unit_test(image_needs_flush),
        cmocka_unit_test(ring),  cmocka_unit_test(smu),   cmocka_unit_test(mode1),
    };
    return cmocka_run_group_tests_name("emulator firmware", tests, NULL, NULL);
}
