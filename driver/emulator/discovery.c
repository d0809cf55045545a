/* SPDX-License-Identifier: MIT */
/* discovery.c - writes the IP discovery binary that the VBIOS leaves 64 KiB below the end of VRAM.
 * Layout: linux include/discovery.h; checksums: amdgpu_discovery.c (sum of bytes, u16).
 */
#include "driver/emulator/gpu_state.h"

struct blob {
    uint8_t b[HW_DISCOVERY_BYTES];
    size_t len;
};

static const struct {
    const char *base; /* name in ip_bases.csv */
    uint16_t hwid;
    uint8_t instance;
} ips[] = {
    {"GC", GC_HWID, 0},       {"SDMA0", SDMA0_HWID, 0}, {"SDMA1", SDMA1_HWID, 0},
    {"MMHUB", MMHUB_HWID, 0}, {"ATHUB", ATHUB_HWID, 0}, {"OSSSYS", OSSSYS_HWID, 0},
    {"HDP", HDP_HWID, 0},     {"MP0", MP0_HWID, 0},     {"MP1", MP1_HWID, 0},
    {"NBIO", NBIF_HWID, 0},   {"SMUIO", SMUIO_HWID, 0}, {"THM", THM_HWID, 0},
    {"LSDMA", LSDMA_HWID, 0}, {"DF", DF_HWID, 0},
};

static struct hw_version version_of(const struct hw_chip *c, const char *ip) {
    bool v12 = c->gc.major == 12;
    if (!strcmp(ip, "GC")) return c->gc;
    if (!strncmp(ip, "SDMA", 4)) return c->sdma;
    if (!strcmp(ip, "MMHUB")) return c->mmhub;
    if (!strcmp(ip, "OSSSYS")) return c->osssys;
    if (!strcmp(ip, "HDP")) return c->hdp;
    if (!strcmp(ip, "MP0")) return c->mp0;
    if (!strcmp(ip, "MP1")) return c->mp1;
    if (!strcmp(ip, "NBIO")) return c->nbio;
    if (!strcmp(ip, "ATHUB"))
        return v12 ? (struct hw_version){4, 1, 0} : (struct hw_version){3, 0, 0};
    if (!strcmp(ip, "SMUIO"))
        return v12 ? (struct hw_version){14, 0, 2} : (struct hw_version){13, 0, 6};
    if (!strcmp(ip, "THM"))
        return v12 ? (struct hw_version){14, 0, 2} : (struct hw_version){13, 0, 6};
    if (!strcmp(ip, "LSDMA"))
        return v12 ? (struct hw_version){7, 0, 0} : (struct hw_version){6, 0, 0};
    return (struct hw_version){4, 5, 0}; /* DF */
}

static uint16_t sum(const uint8_t *p, size_t n) {
    uint16_t s = 0;
    while (n--)
        s = (uint16_t)(s + *p++);
    return s;
}

static uint8_t *append(struct blob *d, size_t n) {
    uint8_t *p = d->b + d->len;
    d->len += n;
    return p;
}

static void put_ip(struct gpu *g, struct blob *d, const char *base, uint16_t hwid,
                   uint8_t instance) {
    struct hw_version v = version_of(g->chip, base);
    unsigned n = 0;
    for (unsigned i = 0; i < hw_ip_base_count; i++)
        if (!strcmp(hw_ip_bases[i].ip, base) && !hw_ip_bases[i].instance &&
            hw_ip_bases[i].segment >= n)
            n = hw_ip_bases[i].segment + 1;
    uint8_t *p = append(d, SIZE_ip_v3 + 4 * n);
    hw_put16(p, OFF_ip_v4__hw_id, hwid);
    p[OFF_ip_v4__instance_number] = instance;
    p[OFF_ip_v4__num_base_address] = (uint8_t)n;
    p[OFF_ip_v4__major] = v.major;
    p[OFF_ip_v4__minor] = v.minor;
    p[OFF_ip_v4__revision] = v.rev;
    for (unsigned i = 0; i < hw_ip_base_count; i++)
        if (!strcmp(hw_ip_bases[i].ip, base) && !hw_ip_bases[i].instance)
            hw_put32(p, SIZE_ip_v3 + 4 * hw_ip_bases[i].segment, hw_ip_bases[i].base_dw);
}

static void put_ip_table(struct gpu *g, struct blob *d) {
    size_t at = d->len;
    uint8_t *h = append(d, SIZE_ip_discovery_header);
    hw_put32(h, OFF_ip_discovery_header__signature, DISCOVERY_TABLE_SIGNATURE);
    hw_put16(h, OFF_ip_discovery_header__version, g->gen == HW_GFX12 ? 4 : 3);
    hw_put16(h, OFF_ip_discovery_header__num_dies, 1);
    hw_put16(h, OFF_ip_discovery_header__die_info__die_offset, (uint16_t)d->len);
    uint8_t *die = append(d, SIZE_die_header);
    uint16_t count = sizeof ips / sizeof *ips;
    hw_put16(die, OFF_die_header__num_ips, count);
    for (unsigned i = 0; i < count; i++)
        put_ip(g, d, ips[i].base, ips[i].hwid, ips[i].instance);
    hw_put16(d->b + at, OFF_ip_discovery_header__size, (uint16_t)(d->len - at));
}

/* GC info 1.2: the chip as built; what is fused off shows in the GC's registers
 * (CC_GC_SHADER_ARRAY_CONFIG) and, for whole blocks, in the harvest table. */
static void put_gc_info(struct gpu *g, struct blob *d) {
    const struct hw_chip *c = g->chip;
    uint8_t *p = append(d, SIZE_gc_info_v1_2);
    hw_put32(p, OFF_gc_info_v1_2__header__table_id, GC_TABLE_ID);
    hw_put16(p, OFF_gc_info_v1_2__header__version_major, 1);
    hw_put16(p, OFF_gc_info_v1_2__header__version_minor, 2);
    hw_put32(p, OFF_gc_info_v1_2__header__size, SIZE_gc_info_v1_2);
    const struct {
        unsigned off;
        uint32_t v;
    } f[] = {
        {OFF_gc_info_v1_2__gc_num_se, c->num_se},
        {OFF_gc_info_v1_2__gc_num_wgp0_per_sa, c->wgp_per_sa},
        {OFF_gc_info_v1_2__gc_num_wgp1_per_sa, 0},
        {OFF_gc_info_v1_2__gc_num_rb_per_se, 4},
        {OFF_gc_info_v1_2__gc_num_gl2c, c->num_gl2c},
        {OFF_gc_info_v1_2__gc_num_gprs, c->max_cu > 32 && c->gc.major == 11 ? 1536 : 1024},
        {OFF_gc_info_v1_2__gc_num_max_gs_thds, 32},
        {OFF_gc_info_v1_2__gc_gs_table_depth, 32},
        {OFF_gc_info_v1_2__gc_gsprim_buff_depth, 1792},
        {OFF_gc_info_v1_2__gc_parameter_cache_depth, 512},
        {OFF_gc_info_v1_2__gc_double_offchip_lds_buffer, 1},
        {OFF_gc_info_v1_2__gc_wave_size, 32},
        {OFF_gc_info_v1_2__gc_max_waves_per_simd, 16},
        {OFF_gc_info_v1_2__gc_max_scratch_slots_per_cu, 32},
        {OFF_gc_info_v1_2__gc_lds_size, 64},
        {OFF_gc_info_v1_2__gc_num_sc_per_se, 1},
        {OFF_gc_info_v1_2__gc_num_sa_per_se, c->sa_per_se},
        {OFF_gc_info_v1_2__gc_num_packer_per_sc, 4},
        {OFF_gc_info_v1_2__gc_num_gl2a, 4},
        {OFF_gc_info_v1_2__gc_num_tcp_per_sa, c->wgp_per_sa * 2},
        {OFF_gc_info_v1_2__gc_num_sdp_interface, 16},
        {OFF_gc_info_v1_2__gc_num_tcps, c->max_cu},
        {OFF_gc_info_v1_2__gc_num_tcp_per_wpg, 2},
        {OFF_gc_info_v1_2__gc_tcp_l1_size, 32},
        {OFF_gc_info_v1_2__gc_num_sqc_per_wgp, 1},
        {OFF_gc_info_v1_2__gc_l1_instruction_cache_size_per_sqc, 32},
        {OFF_gc_info_v1_2__gc_l1_data_cache_size_per_sqc, 16},
        {OFF_gc_info_v1_2__gc_gl1c_per_sa, 1},
        {OFF_gc_info_v1_2__gc_gl1c_size_per_instance, 256},
        {OFF_gc_info_v1_2__gc_gl2c_per_gpu, c->gl2_kib},
    };
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        hw_put32(p, f[i].off, f[i].v);
}

static void put_harvest(struct blob *d) {
    uint8_t *p = append(d, SIZE_harvest_table); /* nothing harvested among whole blocks */
    hw_put32(p, OFF_harvest_table__header__signature, HARVEST_TABLE_SIGNATURE);
    hw_put32(p, OFF_harvest_table__header__version, 0);
}

static void list(struct blob *d, unsigned table, size_t from) {
    size_t e = OFF_binary_header__table_list + (size_t)table * STRIDE_binary_header__table_list;
    size_t n = d->len - from;
    hw_put16(d->b, e, (uint16_t)from);
    hw_put16(d->b, e + 2, sum(d->b + from, n));
    hw_put16(d->b, e + 4, (uint16_t)n);
    d->len = (d->len + 3) & ~(size_t)3;
}

void discovery_write(struct gpu *g) {
    static const struct blob empty;
    struct blob d = empty;
    append(&d, SIZE_binary_header);
    hw_put32(d.b, OFF_binary_header__binary_signature, BINARY_SIGNATURE);
    hw_put16(d.b, OFF_binary_header__version_major, 1);
    size_t at = d.len;
    put_ip_table(g, &d);
    list(&d, IP_DISCOVERY, at);
    at = d.len;
    put_gc_info(g, &d);
    list(&d, GC, at);
    at = d.len;
    put_harvest(&d);
    list(&d, HARVEST_INFO, at);
    hw_put16(d.b, OFF_binary_header__binary_size, (uint16_t)d.len);
    /* Everything behind the checksum itself. */
    hw_put16(d.b, OFF_binary_header__binary_checksum,
             sum(d.b + OFF_binary_header__binary_size, d.len - OFF_binary_header__binary_size));
    memcpy(g->vram + g->vram_size - HW_DISCOVERY_FROM_END, d.b, sizeof d.b);
}
