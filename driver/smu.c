/* SPDX-License-Identifier: MIT */
/* SMU: mailbox, clocks, power limit, mode-1 reset. Messages: linux smu_v13_0_0_ppsmc.h and
 * smu_v14_0_2_ppsmc.h, which agree on those used here. */
#include <errno.h>
#include <stdlib.h>

#include "driver/blocks.h"

#define SAME(m)                                                                                    \
    _Static_assert(PPSMC_MSG_##m##_13_0_0 == (int)PPSMC_MSG_##m##_14_0_2, "differs: " #m)
SAME(GetSmuVersion);
SAME(SetDriverDramAddrHigh);
SAME(SetDriverDramAddrLow);
SAME(EnableAllSmuFeatures);
SAME(GetDpmFreqByIndex);
SAME(SetSoftMinByFreq);
SAME(SetSoftMaxByFreq);
SAME(SetPptLimit);
#undef SAME

enum { SMU_TIMEOUT_US = 5000000, SMU_ALIVE_US = 100000 };
enum { DEBUGSMC_MSG_MODE1_RESET = 2 }; /* linux smu_v13_0.h DEBUGSMC_MSG_Mode1Reset */
enum { MODE1_RESET_US = 500000 };      /* linux smu_v13_0_mode1_reset */
enum { DPM_COUNT_INDEX = 0xff, DPM_VALUE_MASK = 0x7fffffff };

/* PPCLK numbers: the same in both generations */
static const uint32_t ppclk[SMU_CLOCK_COUNT] = {PPCLK_UCLK_13_0_0, PPCLK_FCLK_13_0_0,
                                                PPCLK_SOCCLK_13_0_0, PPCLK_GFXCLK_13_0_0};

static int mailbox(struct am_device *d, enum hw_reg msg_reg, enum hw_reg arg_reg,
                   enum hw_reg resp_reg, uint32_t msg, uint32_t param, uint32_t *result,
                   uint64_t timeout_us) {
    reg_wr(d, resp_reg, 0);
    reg_wr(d, arg_reg, param);
    reg_wr(d, msg_reg, msg);
    int rc = reg_wait_not(d, resp_reg, ~0u, 0, timeout_us);
    if (rc) return rc;
    uint32_t resp = reg_rd(d, resp_reg);
    if (resp != PPSMC_Result_OK_13_0_0) {
        am_log(d, AM_LOG_ERROR, "smu", "message 0x%x parameter 0x%x is answered 0x%x", msg, param,
               resp);
        return resp == PPSMC_Result_UnknownCmd_13_0_0 ? -EOPNOTSUPP : -EIO;
    }
    if (result) *result = reg_rd(d, arg_reg);
    return 0;
}

int smu_message(struct am_device *d, uint32_t msg, uint32_t param, uint32_t *result) {
    return mailbox(d, R_MP1_SMN_C2PMSG_66, R_MP1_SMN_C2PMSG_82, R_MP1_SMN_C2PMSG_90, msg, param,
                   result, SMU_TIMEOUT_US);
}

bool smu_alive(struct am_device *d) {
    bool quiet = d->quiet;
    d->quiet = true; /* silence is an answer here, not an error */
    int rc = mailbox(d, R_MP1_SMN_C2PMSG_66, R_MP1_SMN_C2PMSG_82, R_MP1_SMN_C2PMSG_90,
                     PPSMC_MSG_GetSmuVersion_13_0_0, 0, NULL, SMU_ALIVE_US);
    d->quiet = quiet;
    return rc == 0;
}

/* The debug mailbox is answered by the firmware's boot stage as well. */
int smu_reset_chip(struct am_device *d) {
    int rc = mailbox(d, R_MP1_SMN_C2PMSG_75, R_MP1_SMN_C2PMSG_53, R_MP1_SMN_C2PMSG_54,
                     DEBUGSMC_MSG_MODE1_RESET, 0, NULL, SMU_TIMEOUT_US);
    if (!rc) d->bus->ops->delay(d->bus, MODE1_RESET_US);
    return rc;
}

static int init_sw(struct am_device *d) {
    blocks(d)->smu_table = boot_alloc(d, SMU_TABLE_BYTES, 4096);
    return blocks(d)->smu_table ? 0 : -ENOSPC;
}

static int init_hw(struct am_device *d) {
    mc_addr_t table = d->mc_base + blocks(d)->smu_table;
    int rc = smu_message(d, PPSMC_MSG_SetDriverDramAddrHigh_13_0_0, (uint32_t)(table >> 32), NULL);
    if (!rc) rc = smu_message(d, PPSMC_MSG_SetDriverDramAddrLow_13_0_0, (uint32_t)table, NULL);
    if (!rc) rc = smu_message(d, PPSMC_MSG_EnableAllSmuFeatures_13_0_0, 0, NULL);
    return rc;
}

static int read_clocks(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    for (int c = 0; c < SMU_CLOCK_COUNT; c++) {
        uint32_t n = 0;
        int rc = smu_message(d, PPSMC_MSG_GetDpmFreqByIndex_13_0_0,
                             ppclk[c] << 16 | DPM_COUNT_INDEX, &n);
        if (rc) return rc;
        n &= DPM_VALUE_MASK;
        if (n == 0 || n > 16) {
            am_log(d, AM_LOG_ERROR, "smu", "clock %u has %u levels", ppclk[c], n);
            return -EIO;
        }
        for (uint32_t i = 0; i < n; i++) {
            rc = smu_message(d, PPSMC_MSG_GetDpmFreqByIndex_13_0_0, ppclk[c] << 16 | i,
                             &b->clocks[c][i]);
            if (rc) return rc;
            b->clocks[c][i] &= DPM_VALUE_MASK;
        }
        b->clock_levels[c] = n;
    }
    return 0;
}

/* AM_POWER_LIMIT in watts; 0: none */
static uint32_t power_limit(struct am_device *d) {
    const char *s = getenv("AM_POWER_LIMIT");
    if (!s || !*s) return 0;
    char *end;
    long v = strtol(s, &end, 10);
    if (*end == 0 && v > 0 && v < 0x10000) return (uint32_t)v;
    am_log(d, AM_LOG_WARN, "smu", "AM_POWER_LIMIT=%s is not a number of watts; no limit is set", s);
    return 0;
}

/* Pins every clock to its highest or lowest level; with a power limit the upper end alone is set
 * and the SMU chooses below it. */
int smu_set_clocks(struct am_device *d, bool highest) {
    struct am_blocks *b = blocks(d);
    uint32_t watts = highest ? power_limit(d) : 0;
    int rc = b->clock_levels[0] ? 0 : read_clocks(d);
    if (!rc && watts) rc = smu_message(d, PPSMC_MSG_SetPptLimit_13_0_0, watts, NULL);
    for (int c = 0; c < SMU_CLOCK_COUNT && !rc; c++) {
        unsigned top = b->clock_levels[c] - 1;
        uint32_t max = b->clocks[c][highest ? top : 0], min = watts ? b->clocks[c][0] : max;
        rc = smu_message(d, PPSMC_MSG_SetSoftMinByFreq_13_0_0, ppclk[c] << 16 | (min & 0xffff),
                         NULL);
        if (!rc)
            rc = smu_message(d, PPSMC_MSG_SetSoftMaxByFreq_13_0_0, ppclk[c] << 16 | (max & 0xffff),
                             NULL);
    }
    return rc;
}

static int fini_hw(struct am_device *d) {
    return smu_set_clocks(d, false);
}

static void irq(struct am_device *d, const uint32_t entry[8]) {
    am_log(d, AM_LOG_WARN, "smu", "interrupt of client %u, source %u context 0x%x", entry[0] & 0xff,
           entry[0] >> 8 & 0xff, entry[4]);
}

const struct ip_ops smu_ops = {"SMU", init_sw, init_hw, fini_hw, irq};
