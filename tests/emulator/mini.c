/* SPDX-License-Identifier: MIT */
#include "tests/emulator/mini.h"

#include <stdio.h>
#include <string.h>

enum { MSG1 = 0x100000, CMD = 0x85000, FENCE = 0x86000, RING = 0x87000, RING_BYTES = 0x10000 };

static void on_log(void *ctx, enum emu_log_level level, const char *line) {
    struct mini *m = ctx;
    if (level <= EMU_LOG_UNIMPLEMENTED && !m->first[0])
        snprintf(m->first, sizeof m->first, "%s", line);
}

void mini_open(struct mini *m, const char *target) {
    memset(m, 0, sizeof *m);
    m->vram = 512ull << 20;
    struct emu_config c = {.target = target,
                           .vram_bytes = m->vram,
                           .cus = 4,
                           .threads = 1,
                           .log = on_log,
                           .log_ctx = m};
    char err[200];
    if (emu_open(&c, &m->b, err, sizeof err)) fail_msg("emu_open: %s", err);
    m->g = (struct gpu *)(void *)m->b;
    m->chip = hw_find_chip(target);
    const struct hw_version v[HW_IP_COUNT] = {m->chip->gc,  m->chip->mmhub, m->chip->osssys,
                                              m->chip->mp0, m->chip->mp1,   m->chip->hdp,
                                              m->chip->nbio};
    for (int i = 0; i < HW_IP_COUNT; i++) {
        m->ip[i] = hw_find_ip((enum hw_ip)i, v[i].major, v[i].minor, v[i].rev);
        assert_non_null(m->ip[i]);
    }
    m->gfx12 = m->chip->gc.major == 12;
    m->table_next = 0x400000;
    m->b->ops->bar_resize(m->b, 0);
}

unsigned mini_errors(struct mini *m) {
    struct emu_counters c;
    emu_get_counters(m->b, &c);
    uint64_t n = c.guest_errors + c.unimplemented, fresh = n - m->seen;
    m->seen = n;
    return (unsigned)fresh;
}

void mini_expect(struct mini *m, const char *text) {
    unsigned n = mini_errors(m);
    if (!n) fail_msg("no guest error, expected \"%s\"", text);
    if (!strstr(m->first, text)) fail_msg("\"%s\" does not hold \"%s\"", m->first, text);
    m->first[0] = 0;
}

void mini_expect_none(struct mini *m) {
    if (mini_errors(m)) fail_msg("guest error: %s", m->first);
}

void mini_close(struct mini *m) {
    mini_expect_none(m);
    m->b->ops->close(m->b);
}

uint32_t mini_dw(struct mini *m, enum hw_reg r) {
    static const char *const names[] = {"GC", "MMHUB", "OSSSYS", "MP0", "MP1", "HDP", "NBIO"};
    const struct hw_reg_loc *l = hw_reg_loc(m->ip[hw_regs[r].ip], r);
    for (unsigned i = 0; i < hw_ip_base_count; i++)
        if (!hw_ip_bases[i].instance && (int)hw_ip_bases[i].segment == l->seg &&
            !strcmp(hw_ip_bases[i].ip, names[hw_regs[r].ip]))
            return hw_ip_bases[i].base_dw + (uint32_t)l->offset;
    fail_msg("register %s is not in this chip", hw_regs[r].name);
    return 0;
}

uint32_t mini_rd(struct mini *m, enum hw_reg r) {
    uint32_t v;
    assert_int_equal(bus_rd32(m->b, BUS_BAR_MMIO, mini_dw(m, r) * 4ull, &v), 0);
    return v;
}

void mini_wr(struct mini *m, enum hw_reg r, uint32_t v) {
    assert_int_equal(bus_wr32(m->b, BUS_BAR_MMIO, mini_dw(m, r) * 4ull, v), 0);
}

void mini_set_field(struct mini *m, enum hw_field f, uint32_t v) {
    enum hw_reg r = hw_fields[f].reg;
    mini_wr(m, r, hw_field_put(m->ip[hw_regs[r].ip], f, mini_rd(m, r), v));
}

enum hw_reg mini_mp0(struct mini *m, unsigned n) {
    char name[32];
    snprintf(name, sizeof name, "%s_SMN_C2PMSG_%u", m->gfx12 ? "MPASP" : "MP0", n);
    for (int r = 0; r < HW_REG_COUNT; r++)
        if (!strcmp(hw_regs[r].name, name)) return (enum hw_reg)r;
    fail_msg("no register %s", name);
    return 0;
}

void mini_vram_write(struct mini *m, uint64_t off, const void *p, size_t len) {
    assert_int_equal(m->b->ops->bar_write(m->b, BUS_BAR_VRAM, off, p, len), 0);
}

void mini_vram_read(struct mini *m, uint64_t off, void *p, size_t len) {
    assert_int_equal(m->b->ops->bar_read(m->b, BUS_BAR_VRAM, off, p, len), 0);
}

void mini_hdp_flush(struct mini *m) {
    bus_wr32(m->b, BUS_BAR_MMIO, mini_rd(m, R_BIF_BX0_REMAP_HDP_MEM_FLUSH_CNTL), 0);
}

void mini_bus_master(struct mini *m, bool on) {
    uint32_t v;
    assert_int_equal(m->b->ops->cfg_read(m->b, 4, 2, &v), 0);
    assert_int_equal(m->b->ops->cfg_write(m->b, 4, 2, on ? v | 4 : v & ~4u), 0);
}

/* ---- PSP ---- */

static uint32_t put_image(struct mini *m, bool magic, uint32_t payload) {
    static uint8_t img[0x1000];
    memset(img, 0, sizeof img);
    if (magic) hw_put32(img, 16, 0x31535024);
    hw_put32(img, 20, payload);
    mini_vram_write(m, MSG1, img, sizeof img);
    mini_hdp_flush(m);
    return 0x200 + MINI_PAYLOAD;
}

/* Polls a register for at most 100 ms of the chip's time. */
static uint32_t poll(struct mini *m, enum hw_reg r, uint32_t mask, uint32_t want) {
    uint32_t v = 0;
    for (int i = 0; i < 1000; i++) {
        v = mini_rd(m, r);
        if ((v & mask) == want) return v;
        m->b->ops->delay(m->b, 100);
    }
    fail_msg("%s stays 0x%x", hw_regs[r].name, v);
    return v;
}

uint32_t mini_component(struct mini *m, uint32_t cmd, bool magic, uint32_t payload) {
    poll(m, mini_mp0(m, 35), 0x80000000, 0x80000000);
    put_image(m, magic, payload);
    mini_wr(m, mini_mp0(m, 36), (uint32_t)((MINI_MC + MSG1) >> 20));
    mini_wr(m, mini_mp0(m, 35), cmd);
    return poll(m, mini_mp0(m, 35), 0x80000000, 0x80000000) & 0xffff;
}

void mini_bootloader(struct mini *m) {
    static const uint32_t order[] = {PSP_BL__LOAD_KEY_DATABASE, PSP_BL__LOAD_TOS_SPL_TABLE,
                                     PSP_BL__LOAD_SYSDRV,       PSP_BL__LOAD_SOCDRV,
                                     PSP_BL__LOAD_INTFDRV,      PSP_BL__LOAD_DBGDRV,
                                     PSP_BL__LOAD_SOSDRV};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        bool only12 = order[i] == PSP_BL__LOAD_SOCDRV || order[i] == PSP_BL__LOAD_INTFDRV ||
                      order[i] == PSP_BL__LOAD_DBGDRV;
        if (only12 && !m->gfx12) continue;
        assert_int_equal(mini_component(m, order[i], true, MINI_PAYLOAD), 0);
    }
    poll(m, mini_mp0(m, 81), 0xffffffff, 1);
}

void mini_ring_create(struct mini *m) {
    poll(m, mini_mp0(m, 64), 0x80000000, 0x80000000);
    mini_wr(m, mini_mp0(m, 69), (uint32_t)(MINI_MC + RING));
    mini_wr(m, mini_mp0(m, 70), (uint32_t)((MINI_MC + RING) >> 32));
    mini_wr(m, mini_mp0(m, 71), RING_BYTES);
    mini_wr(m, mini_mp0(m, 64), GFX_CTRL_CMD_ID_INIT_GPCOM_RING);
    m->b->ops->delay(m->b, 20000);
    poll(m, mini_mp0(m, 64), 0x8000ffff, 0x80000000);
    m->psp_wptr = 0;
}

uint32_t mini_psp_cmd(struct mini *m, uint32_t id, const uint32_t *arg, unsigned n) {
    uint8_t c[SIZE_psp_gfx_cmd_resp] = {0}, f[SIZE_psp_gfx_rb_frame] = {0};
    hw_put32(c, OFF_psp_gfx_cmd_resp__buf_size, sizeof c);
    hw_put32(c, OFF_psp_gfx_cmd_resp__buf_version, 1);
    hw_put32(c, OFF_psp_gfx_cmd_resp__cmd_id, id);
    for (unsigned i = 0; i < n; i++)
        hw_put32(c, OFF_psp_gfx_cmd_resp__cmd + 4 * (size_t)i, arg[i]);
    mini_vram_write(m, CMD, c, sizeof c);
    uint32_t wptr = mini_rd(m, mini_mp0(m, 67)), fence = 0;
    hw_put64(f, OFF_psp_gfx_rb_frame__cmd_buf_addr_lo, MINI_MC + CMD);
    hw_put64(f, OFF_psp_gfx_rb_frame__fence_addr_lo, MINI_MC + FENCE);
    hw_put32(f, OFF_psp_gfx_rb_frame__fence_value, wptr + 1);
    mini_vram_write(m, RING + wptr * 4, f, sizeof f);
    mini_wr(m, mini_mp0(m, 67), wptr + sizeof f / 4);
    for (int i = 0; i < 1000 && fence != wptr + 1; i++) {
        mini_vram_read(m, FENCE, &fence, 4);
        m->b->ops->delay(m->b, 10);
    }
    assert_int_equal(fence, wptr + 1);
    uint32_t status;
    mini_vram_read(m, CMD + OFF_psp_gfx_cmd_resp__resp__status, &status, 4);
    return status;
}

uint32_t mini_load_fw(struct mini *m, uint32_t type) {
    uint32_t size = put_image(m, true, MINI_PAYLOAD);
    const uint32_t arg[] = {(uint32_t)(MINI_MC + MSG1), (uint32_t)((MINI_MC + MSG1) >> 32), size,
                            type};
    return mini_psp_cmd(m, GFX_CMD_ID_LOAD_IP_FW, arg, 4);
}

void mini_psp_boot(struct mini *m) {
    static const uint32_t fw11[] = {
        GFX_FW_TYPE_SDMA_UCODE_TH1,    GFX_FW_TYPE_SDMA_UCODE_TH0, GFX_FW_TYPE_RS64_MEC,
        GFX_FW_TYPE_RS64_MEC_P0_STACK, GFX_FW_TYPE_IMU_I,          GFX_FW_TYPE_IMU_D,
        GFX_FW_TYPE_RLC_IRAM,          GFX_FW_TYPE_RLC_DRAM_BOOT,  GFX_FW_TYPE_RLC_G};
    static const uint32_t fw12[] = {GFX_FW_TYPE_SDMA_UCODE_TH0,
                                    GFX_FW_TYPE_RS64_PFP,
                                    GFX_FW_TYPE_RS64_PFP_P0_STACK,
                                    GFX_FW_TYPE_RS64_ME,
                                    GFX_FW_TYPE_RS64_ME_P0_STACK,
                                    GFX_FW_TYPE_RS64_MEC,
                                    GFX_FW_TYPE_RS64_MEC_P0_STACK,
                                    GFX_FW_TYPE_IMU_I,
                                    GFX_FW_TYPE_IMU_D,
                                    GFX_FW_TYPE_RLC_IRAM,
                                    GFX_FW_TYPE_RLC_DRAM_BOOT,
                                    GFX_FW_TYPE_RLC_G};
    mini_bootloader(m);
    mini_ring_create(m);
    uint32_t size = put_image(m, true, MINI_PAYLOAD);
    const uint32_t toc[] = {(uint32_t)(MINI_MC + MSG1), (uint32_t)((MINI_MC + MSG1) >> 32), size};
    assert_int_equal(mini_psp_cmd(m, GFX_CMD_ID_LOAD_TOC, toc, 3), 0);
    assert_int_equal(mini_load_fw(m, GFX_FW_TYPE_SMU), 0);
    if (!m->gfx12) {
        const uint32_t tmr[] = {
            (uint32_t)(MINI_MC + 0x2000000), (uint32_t)(MINI_MC >> 32), 0x1300000, 2, 0x2000000, 0};
        assert_int_equal(mini_psp_cmd(m, GFX_CMD_ID_SETUP_TMR, tmr, 6), 0);
    }
    const uint32_t *fw = m->gfx12 ? fw12 : fw11;
    size_t n = m->gfx12 ? sizeof fw12 / sizeof *fw12 : sizeof fw11 / sizeof *fw11;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(mini_load_fw(m, fw[i]), 0);
    assert_int_equal(mini_psp_cmd(m, GFX_CMD_ID_AUTOLOAD_RLC, NULL, 0), 0);
}

uint32_t mini_smu(struct mini *m, uint32_t msg, uint32_t arg, uint32_t *out) {
    uint32_t r = 0;
    mini_wr(m, R_MP1_SMN_C2PMSG_90, 0);
    mini_wr(m, R_MP1_SMN_C2PMSG_82, arg);
    mini_wr(m, R_MP1_SMN_C2PMSG_66, msg);
    for (int i = 0; i < 1000 && !r; i++) {
        r = mini_rd(m, R_MP1_SMN_C2PMSG_90);
        m->b->ops->delay(m->b, 10);
    }
    if (out) *out = mini_rd(m, R_MP1_SMN_C2PMSG_82);
    return r;
}

/* ---- memory ---- */

#define HUB(m, c, mc)                                                                              \
    do {                                                                                           \
        mini_wr(m, R_##mc##_VM_SYSTEM_APERTURE_LOW_ADDR, (uint32_t)(MINI_MC >> 18));               \
        mini_wr(m, R_##mc##_VM_SYSTEM_APERTURE_HIGH_ADDR,                                          \
                (uint32_t)((MINI_MC + (m)->vram - 1) >> 18));                                      \
        mini_set_field(m, F_##mc##_VM_MX_L1_TLB_CNTL__ENABLE_L1_TLB, 1);                           \
        mini_set_field(m, F_##mc##_VM_MX_L1_TLB_CNTL__SYSTEM_ACCESS_MODE, 3);                      \
        mini_wr(m, R_##c##VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32, (uint32_t)(MINI_VA >> 12));      \
        mini_wr(m, R_##c##VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32, (uint32_t)(MINI_VA >> 44));      \
        mini_wr(m, R_##c##VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32, 0xffffffff);                       \
        mini_wr(m, R_##c##VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32, 7);                                \
        mini_wr(m, R_##c##VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, 1);                               \
        mini_wr(m, R_##c##VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32, 0);                               \
        mini_wr(m, R_##c##VM_INVALIDATE_ENG17_ADDR_RANGE_LO32, 0xffffffff);                        \
        mini_wr(m, R_##c##VM_INVALIDATE_ENG17_ADDR_RANGE_HI32, 0x1f);                              \
        mini_set_field(m, F_##c##VM_CONTEXT0_CNTL__PAGE_TABLE_DEPTH, 3);                           \
        mini_set_field(m, F_##c##VM_CONTEXT0_CNTL__RANGE_PROTECTION_FAULT_ENABLE_INTERRUPT, 1);    \
        mini_set_field(m, F_##c##VM_CONTEXT0_CNTL__VALID_PROTECTION_FAULT_ENABLE_INTERRUPT, 1);    \
        mini_set_field(m, F_##c##VM_CONTEXT0_CNTL__PDE0_PROTECTION_FAULT_ENABLE_INTERRUPT, 1);     \
        mini_set_field(m, F_##c##VM_CONTEXT0_CNTL__WRITE_PROTECTION_FAULT_ENABLE_INTERRUPT, 1);    \
        mini_set_field(m, F_##c##VM_CONTEXT0_CNTL__ENABLE_CONTEXT, 1);                             \
    } while (0)

void mini_hubs(struct mini *m) {
    static const uint8_t zero[4096];
    mini_vram_write(m, 0, zero, sizeof zero);
    mini_hdp_flush(m);
    HUB(m, GC, GCMC);
    HUB(m, MM, MMMC);
    mini_invalidate(m);
}

void mini_invalidate(struct mini *m) {
    mini_hdp_flush(m);
    mini_wr(m, R_GCVM_INVALIDATE_ENG17_REQ, 0x00f80001);
    poll(m, R_GCVM_INVALIDATE_ENG17_ACK, 1, 1);
    poll(m, R_MMVM_INVALIDATE_ENG17_SEM, 1, 1);
    mini_wr(m, R_MMVM_INVALIDATE_ENG17_REQ, 0x00f80001);
    poll(m, R_MMVM_INVALIDATE_ENG17_ACK, 1, 1);
    mini_wr(m, R_MMVM_INVALIDATE_ENG17_SEM, 0);
}

uint64_t mini_pte(struct mini *m, uint64_t phys, bool system, unsigned level) {
    uint64_t e = phys | 0x71; /* valid, executable, readable, writable */
    if (system) e |= 6;
    if (m->gfx12) return e | 1ull << 63 | (system ? 3ull << 54 : 0);
    return e | (level ? 1ull << 54 : 0) | (system ? 3ull << 48 : 0);
}

void mini_map(struct mini *m, uint64_t va, uint64_t entry, unsigned level) {
    static const uint8_t zero[4096];
    uint64_t table = 0;
    for (unsigned l = 3; l > level; l--) {
        uint64_t at = table + ((va - MINI_VA) >> (12 + 9 * l) & 511) * 8, e;
        mini_vram_read(m, at, &e, 8);
        if (!(e & 1)) {
            e = m->table_next | 1;
            m->table_next += 4096;
            mini_vram_write(m, e & ~0xfffull, zero, sizeof zero);
            mini_vram_write(m, at, &e, 8);
        }
        table = e & 0xfffffffff000ull;
    }
    mini_vram_write(m, table + ((va - MINI_VA) >> (12 + 9 * level) & 511) * 8, &entry, 8);
}
