/* SPDX-License-Identifier: MIT */
/* The GPU model seen from the bus: configuration space, registers, discovery, refusals. */
#include "tests/emulator/mini.h"

#include <stdio.h>
#include <string.h>

static uint32_t cfg(struct mini *m, uint32_t off, uint32_t len) {
    uint32_t v;
    assert_int_equal(m->b->ops->cfg_read(m->b, off, len, &v), 0);
    return v;
}

static void config_space(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1100");
    assert_int_equal(cfg(&m, 0, 4), 0x744c1002);
    assert_int_equal(cfg(&m, 0x0b, 1), 0x03);
    /* sizing */
    m.b->ops->cfg_write(m.b, 0x24, 4, 0xffffffff);
    assert_int_equal(cfg(&m, 0x24, 4), ~((1u << 20) - 1));
    m.b->ops->cfg_write(m.b, 0x24, 4, 0);
    m.b->ops->cfg_write(m.b, 0x10, 4, 0xffffffff);
    m.b->ops->cfg_write(m.b, 0x14, 4, 0xffffffff);
    uint64_t mask = (uint64_t)cfg(&m, 0x14, 4) << 32 | (cfg(&m, 0x10, 4) & ~0xfu);
    assert_int_equal(~mask + 1, 512ull << 20);
    /* capabilities: PCI Express with FLR, MSI */
    bool flr = false, msi = false;
    for (uint32_t p = cfg(&m, 0x34, 1); p; p = cfg(&m, p + 1, 1)) {
        if (cfg(&m, p, 1) == 0x10) flr = cfg(&m, p + 4, 4) >> 28 & 1;
        if (cfg(&m, p, 1) == 0x05) msi = true;
    }
    assert_true(flr && msi);
    /* resizable BAR: walk the extended capabilities */
    uint32_t p = 0x100;
    while (p && (cfg(&m, p, 4) & 0xffff) != 0x0015)
        p = cfg(&m, p, 4) >> 20;
    assert_int_not_equal(p, 0);
    assert_int_equal(cfg(&m, p + 4, 4), 1u << 12 | 1u << 13); /* 256 and 512 MiB */
    uint32_t v;
    assert_int_equal(m.b->ops->cfg_read(m.b, 3, 4, &v), -22);
    assert_int_equal(m.b->ops->cfg_read(m.b, 4096, 4, &v), -22);
    mini_close(&m);
}

static void bad_targets(void **state) {
    (void)state;
    struct bus *b;
    char err[200];
    struct emu_config c = {.target = "gfx900"};
    assert_int_equal(emu_open(&c, &b, err, sizeof err), -2);
    assert_non_null(strstr(err, "gfx1100"));
    c = (struct emu_config){.target = "gfx1100", .vram_bytes = 12345};
    assert_int_equal(emu_open(&c, &b, err, sizeof err), -22);
    c = (struct emu_config){.target = "gfx1201", .vram_bytes = 512u << 20, .cus = 1000};
    assert_int_equal(emu_open(&c, &b, err, sizeof err), -22);
}

static void unknown_registers(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1201");
    uint32_t v;
    bus_rd32(m.b, 5, 0x3fff0 * 4, &v);
    mini_expect(&m, "0x3fff0");
    bus_wr32(m.b, 5, 0x3fff0 * 4, 1);
    mini_expect(&m, "unknown register");
    assert_int_equal(bus_rd32(m.b, 5, 1u << 20, &v), -22); /* beyond the BAR: the bus refuses */
    m.b->ops->bar_read(m.b, 5, 2, &v, 4);
    mini_expect(&m, "not dword aligned");
    mini_wr(&m, R_IH_MSI_STORM_CTRL, 0xfffff000);
    mini_expect(&m, "reserved bits");
    mini_wr(&m, R_RCC_DEV0_EPF0_RCC_CONFIG_MEMSIZE, 5);
    mini_expect(&m, "read-only");
    assert_int_equal(mini_rd(&m, R_RCC_DEV0_EPF0_RCC_CONFIG_MEMSIZE), 512);
    mini_close(&m);
}

static void indirect_access(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1100");
    /* S2A entries of gfx11 lie beyond BAR5 */
    uint32_t addr = mini_dw(&m, R_S2A_DOORBELL_ENTRY_2_CTRL) * 4;
    assert_int_equal(addr, 0x141e908);
    mini_wr(&m, R_BIF_BX_PF0_RSMU_INDEX, addr);
    mini_wr(&m, R_BIF_BX_PF0_RSMU_DATA, 0x3009001d);
    mini_wr(&m, R_BIF_BX_PF0_RSMU_INDEX, addr);
    assert_int_equal(mini_rd(&m, R_BIF_BX_PF0_RSMU_DATA), 0x3009001d);
    mini_wr(&m, R_BIF_BX_PF0_RSMU_INDEX, 0x12345678);
    mini_rd(&m, R_BIF_BX_PF0_RSMU_DATA);
    mini_expect(&m, "unknown register");
    /* the VRAM window */
    uint32_t magic = 0xcafe1234;
    mini_vram_write(&m, 0x1000000, &magic, 4);
    mini_wr(&m, R_BIF_BX_PF0_MM_INDEX, 0x1000000u | 1u << 31);
    mini_wr(&m, R_BIF_BX_PF0_MM_INDEX_HI, 0);
    assert_int_equal(mini_rd(&m, R_BIF_BX_PF0_MM_DATA), magic);
    mini_wr(&m, R_BIF_BX_PF0_MM_INDEX_HI, 1);
    mini_rd(&m, R_BIF_BX_PF0_MM_DATA);
    mini_expect(&m, "out of range");
    mini_close(&m);
}

static uint16_t sum(const uint8_t *p, size_t n) {
    uint16_t s = 0;
    while (n--)
        s = (uint16_t)(s + *p++);
    return s;
}

static void discovery(void **state) {
    static const char *const targets[] = {"gfx1100", "gfx1102", "gfx1200", "gfx1201"};
    (void)state;
    for (int t = 0; t < 4; t++) {
        struct mini m;
        mini_open(&m, targets[t]);
        static uint8_t d[HW_DISCOVERY_BYTES];
        mini_vram_read(&m, m.vram - HW_DISCOVERY_FROM_END, d, sizeof d);
        assert_int_equal(hw_get32(d, 0), BINARY_SIGNATURE);
        uint32_t size = hw_get16(d, OFF_binary_header__binary_size);
        assert_in_range(size, SIZE_binary_header, sizeof d);
        assert_int_equal(sum(d + 10, size - 10), hw_get16(d, OFF_binary_header__binary_checksum));
        for (int k = 0; k < 3; k++) {
            size_t e = OFF_binary_header__table_list + 8u * (size_t)k;
            uint16_t at = hw_get16(d, e), n = hw_get16(d, e + 4);
            assert_in_range(at + n, 1, size);
            assert_int_equal(sum(d + at, n), hw_get16(d, e + 2));
        }
        uint16_t ipt = hw_get16(d, OFF_binary_header__table_list);
        assert_int_equal(hw_get32(d, ipt), DISCOVERY_TABLE_SIGNATURE);
        uint16_t die = hw_get16(d, ipt + OFF_ip_discovery_header__die_info__die_offset);
        unsigned n = hw_get16(d, die + OFF_die_header__num_ips), found = 0;
        size_t at = die + SIZE_die_header;
        for (unsigned i = 0; i < n; i++) {
            if (hw_get16(d, at) == GC_HWID) {
                found++;
                assert_int_equal(d[at + OFF_ip_v4__major], m.chip->gc.major);
                assert_int_equal(d[at + OFF_ip_v4__revision], m.chip->gc.rev);
                assert_int_equal(hw_get32(d, at + SIZE_ip_v4), 0x1260);
            }
            at += SIZE_ip_v4 + 4u * d[at + OFF_ip_v4__num_base_address];
        }
        assert_int_equal(found, 1);
        mini_close(&m);
    }
}

static void gc_before_rlc(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1100");
    assert_int_equal(mini_rd(&m, R_SCRATCH_REG7), 0);
    mini_rd(&m, R_CP_STAT);
    mini_expect_none(&m);
    mini_wr(&m, R_TCP_CNTL, 0);
    mini_expect(&m, "before RLC autoload");
    mini_rd(&m, R_CP_HQD_ACTIVE);
    mini_expect(&m, "before RLC autoload");
    mini_psp_boot(&m);
    mini_expect_none(&m);
    mini_wr(&m, R_GRBM_GFX_CNTL, 0);
    mini_wr(&m, R_TCP_CNTL, 0);
    assert_int_equal(mini_rd(&m, R_RLC_RLCS_BOOTLOAD_STATUS) >> 31, 1);
    mini_close(&m);
}

static void banks(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1201");
    mini_psp_boot(&m);
    for (uint32_t v = 0; v < 16; v++) {
        mini_wr(&m, R_GRBM_GFX_CNTL, v << 4);
        mini_wr(&m, R_SH_MEM_BASES, v * 0x10001);
    }
    for (uint32_t v = 0; v < 16; v++) {
        mini_wr(&m, R_GRBM_GFX_CNTL, v << 4);
        assert_int_equal(mini_rd(&m, R_SH_MEM_BASES), v * 0x10001);
    }
    for (uint32_t q = 0; q < 4; q++) {
        mini_wr(&m, R_GRBM_GFX_CNTL, 1u << 2 | q << 8);
        mini_wr(&m, R_CP_HQD_PIPE_PRIORITY, q & 3);
    }
    for (uint32_t q = 0; q < 4; q++) {
        mini_wr(&m, R_GRBM_GFX_CNTL, 1u << 2 | q << 8);
        assert_int_equal(mini_rd(&m, R_CP_HQD_PIPE_PRIORITY), q & 3);
    }
    mini_close(&m);
}

static void harvest(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1100"); /* 4 compute units: 2 work-group processors */
    mini_psp_boot(&m);
    unsigned wgps = 0;
    for (uint32_t se = 0; se < 6; se++)
        for (uint32_t sa = 0; sa < 2; sa++) {
            mini_wr(&m, R_GRBM_GFX_INDEX, se << 16 | sa << 8);
            uint32_t off = mini_rd(&m, R_CC_GC_SHADER_ARRAY_CONFIG) >> 16;
            for (int i = 0; i < 4; i++)
                wgps += !(off >> i & 1);
        }
    assert_int_equal(wgps, 2);
    mini_close(&m);
}

static void doorbells(void **state) {
    struct mini m;
    (void)state;
    mini_open(&m, "gfx1201");
    mini_psp_boot(&m);
    bus_wr64(m.b, 2, 0x18, 0);
    mini_expect(&m, "aperture is disabled");
    mini_wr(&m, R_RCC_DEV0_EPF0_RCC_DOORBELL_APER_EN, 1);
    bus_wr64(m.b, 2, 0x18, 0);
    mini_expect(&m, "no enabled S2A range");
    bus_wr64(m.b, 2, 0x800, 0);
    mini_expect(&m, "no enabled S2A range");
    mini_wr(&m, R_GDC_S2A0_S2A_DOORBELL_ENTRY_0_CTRL, 0x30000007);
    bus_wr64(m.b, 2, 0x18, 0);
    assert_true(mini_errors(&m) > 0); /* routed to the CP, which has no queue for it */
    m.first[0] = 0;
    uint16_t half = 0;
    m.b->ops->bar_write(m.b, 2, 0x18, &half, 2);
    mini_expect(&m, "doorbell write of 2 bytes");
    mini_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config_space),
        cmocka_unit_test(bad_targets),
        cmocka_unit_test(unknown_registers),
        cmocka_unit_test(indirect_access),
        cmocka_unit_test(discovery),
        cmocka_unit_test(gc_before_rlc),
        cmocka_unit_test(banks),
        cmocka_unit_test(harvest),
        cmocka_unit_test(doorbells),
    };
    return cmocka_run_group_tests_name("emulator front", tests, NULL, NULL);
}
