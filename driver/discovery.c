/* SPDX-License-Identifier: MIT */
/* The discovery binary at the end of VRAM: which IP blocks of which version lie where, how many
 * compute units there are. Format: linux discovery.h. Nothing in it is trusted. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "driver/blocks.h"

struct reader {
    const uint8_t *bin;
    size_t size;
    int rc;
    char *err;
    size_t err_size;
};

__attribute__((format(printf, 2, 3))) static int bad(struct reader *r, const char *fmt, ...) {
    if (r->rc) return r->rc;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->err, r->err_size, fmt, ap);
    va_end(ap);
    return r->rc = -EBADMSG;
}

static bool room(struct reader *r, size_t off, size_t len, const char *what) {
    if (r->rc) return false;
    if (off <= r->size && len <= r->size - off) return true;
    bad(r, "discovery: %s at 0x%zx (0x%zx bytes) is past the end (0x%zx)", what, off, len, r->size);
    return false;
}

/* Sum of all bytes, 16 bits. */
static void check_sum(struct reader *r, size_t off, size_t len, uint16_t want, const char *what) {
    if (!room(r, off, len, what)) return;
    uint16_t sum = 0;
    for (size_t i = 0; i < len; i++)
        sum = (uint16_t)(sum + r->bin[off + i]);
    if (sum != want)
        bad(r, "discovery: checksum of the %s is 0x%04x, stored is 0x%04x", what, sum, want);
}

static int ip_of_hwid(uint16_t hwid) {
    switch (hwid) {
    case GC_HWID:
        return HW_GC;
    case MMHUB_HWID:
        return HW_MMHUB;
    case OSSSYS_HWID:
        return HW_OSSSYS;
    case MP0_HWID:
        return HW_MP0;
    case MP1_HWID:
        return HW_MP1;
    case HDP_HWID:
        return HW_HDP;
    case NBIF_HWID:
        return HW_NBIO;
    default:
        return -1;
    }
}

/* One ip entry (struct ip, ip_v3, ip_v4 share their first 8 bytes); returns its size. */
static size_t read_ip(struct am_device *d, struct reader *r, size_t off, bool wide) {
    if (!room(r, off, SIZE_ip_v3, "IP entry")) return 0;
    const uint8_t *e = r->bin + off;
    unsigned n = e[OFF_ip_v3__num_base_address], each = wide ? 8 : 4;
    size_t bytes = SIZE_ip_v3 + (size_t)n * each;
    if (!room(r, off, bytes, "IP base addresses")) return 0;
    uint16_t hwid = hw_get16(e, OFF_ip_v3__hw_id);
    struct hw_version v = {e[OFF_ip_v3__major], e[OFF_ip_v3__minor], e[OFF_ip_v3__revision]};
    unsigned instance = e[OFF_ip_v3__instance_number];
    if (hwid == SDMA0_HWID && instance == 0) d->sdma_version = v;
    int ip = ip_of_hwid(hwid);
    if (ip < 0 || instance != 0 || d->ip[ip].present) return bytes;
    struct am_ip *a = &d->ip[ip];
    a->present = true;
    a->version = v;
    for (unsigned i = 0; i < n && i < sizeof a->base / sizeof *a->base; i++)
        a->base[i] = hw_get32(e, SIZE_ip_v3 + (size_t)i * each);
    a->regs = hw_find_ip((enum hw_ip)ip, v.major, v.minor, v.rev);
    return bytes;
}

static void read_ip_table(struct am_device *d, struct reader *r, size_t off) {
    if (!room(r, off, SIZE_ip_discovery_header, "IP discovery header")) return;
    const uint8_t *h = r->bin + off;
    if (hw_get32(h, OFF_ip_discovery_header__signature) != DISCOVERY_TABLE_SIGNATURE) {
        bad(r, "discovery: IP table without its signature");
        return;
    }
    unsigned version = hw_get16(h, OFF_ip_discovery_header__version);
    unsigned dies = hw_get16(h, OFF_ip_discovery_header__num_dies);
    if (version < 1 || version > 4 || dies == 0 || dies > 16) {
        bad(r, "discovery: IP table version %u with %u dies", version, dies);
        return;
    }
    bool wide = version == 4 && (h[OFF_ip_discovery_header__base_addr_64_bit] & 1);
    for (unsigned i = 0; i < dies && !r->rc; i++) {
        size_t die = hw_get16(h, OFF_ip_discovery_header__die_info + (size_t)i * SIZE_die_info +
                                     OFF_die_info__die_offset);
        if (!room(r, die, SIZE_die_header, "die header")) return;
        unsigned n = hw_get16(r->bin, die + OFF_die_header__num_ips);
        size_t at = die + SIZE_die_header;
        for (unsigned k = 0; k < n && !r->rc; k++)
            at += read_ip(d, r, at, wide);
    }
}

static void read_gc_info(struct am_device *d, struct reader *r, size_t off) {
    struct am_gc_info *g = &d->gc;
    if (!room(r, off, SIZE_gc_info_v1_0, "GC table")) return;
    const uint8_t *t = r->bin + off;
    unsigned major = hw_get16(t, OFF_gpu_info_header__version_major),
             minor = hw_get16(t, OFF_gpu_info_header__version_minor);
    if (hw_get32(t, OFF_gpu_info_header__table_id) != GC_TABLE_ID || major != 1) {
        bad(r, "discovery: GC table with id 0x%x, version %u.%u",
            hw_get32(t, OFF_gpu_info_header__table_id), major, minor);
        return;
    }
    g->num_se = hw_get32(t, OFF_gc_info_v1_0__gc_num_se);
    g->sa_per_se = hw_get32(t, OFF_gc_info_v1_0__gc_num_sa_per_se);
    g->wgp_per_sa = hw_get32(t, OFF_gc_info_v1_0__gc_num_wgp0_per_sa) +
                    hw_get32(t, OFF_gc_info_v1_0__gc_num_wgp1_per_sa);
    g->wave_size = hw_get32(t, OFF_gc_info_v1_0__gc_wave_size);
    g->max_waves_per_simd = hw_get32(t, OFF_gc_info_v1_0__gc_max_waves_per_simd);
    g->max_scratch_slots_per_cu = hw_get32(t, OFF_gc_info_v1_0__gc_max_scratch_slots_per_cu);
    g->lds_bytes_per_cu = hw_get32(t, OFF_gc_info_v1_0__gc_lds_size) << 10; /* given in KiB */
    if (g->num_se < 1 || g->num_se > 8 || g->sa_per_se < 1 || g->sa_per_se > 4 ||
        g->wgp_per_sa < 1 || g->wgp_per_sa > 16) {
        bad(r, "discovery: %u shader engines, %u arrays each, %u work-group processors each",
            g->num_se, g->sa_per_se, g->wgp_per_sa);
        return;
    }
    g->cu_per_sa = 2 * g->wgp_per_sa;
    g->active_cus = g->num_se * g->sa_per_se * g->cu_per_sa; /* less the harvested, once GC is up */
}

static void read_harvest(struct am_device *d, struct reader *r, size_t off) {
    if (!room(r, off, SIZE_harvest_info_header, "harvest table")) return;
    if (hw_get32(r->bin, off + OFF_harvest_info_header__signature) != HARVEST_TABLE_SIGNATURE) {
        bad(r, "discovery: harvest table without its signature");
        return;
    }
    for (unsigned i = 0; i < 32; i++) {
        size_t e = off + SIZE_harvest_info_header + (size_t)i * SIZE_harvest_info;
        if (!room(r, e, SIZE_harvest_info, "harvest entry")) return;
        uint16_t hwid = hw_get16(r->bin, e + OFF_harvest_info__hw_id);
        if (hwid == 0) return;
        int ip = ip_of_hwid(hwid);
        if (ip >= 0 && r->bin[e + OFF_harvest_info__number_instance] == 0) {
            d->ip[ip].present = false;
            d->ip[ip].regs = NULL;
        }
    }
}

static size_t table_at(struct reader *r, unsigned which, uint16_t *sum) {
    size_t e = OFF_binary_header__table_list + (size_t)which * SIZE_table_info;
    *sum = hw_get16(r->bin, e + OFF_table_info__checksum);
    return hw_get16(r->bin, e + OFF_table_info__offset);
}

/* Chips of these generations that are part of a processor. */
static const char *apu_name(struct hw_version v) {
    for (unsigned i = 0; i < hw_chip_count; i++) {
        const struct hw_chip *c = &hw_chips[i];
        bool apu = strncmp(c->target, "gfx1103", 7) == 0 || strncmp(c->target, "gfx115", 6) == 0;
        if (apu && !memcmp(&c->gc, &v, sizeof v)) return c->name;
    }
    return NULL;
}

int discovery_parse(struct am_device *d, const uint8_t *bin, size_t size, char *err,
                    size_t err_size) {
    struct reader r = {bin, size, 0, err, err_size};
    memset(d->ip, 0, sizeof d->ip);
    memset(&d->gc, 0, sizeof d->gc);
    if (!room(&r, 0, SIZE_binary_header, "header")) return r.rc;
    if (hw_get32(bin, OFF_binary_header__binary_signature) != BINARY_SIGNATURE)
        return bad(&r, "discovery: no binary at the end of VRAM (signature 0x%08x)",
                   hw_get32(bin, OFF_binary_header__binary_signature));
    size_t total = hw_get16(bin, OFF_binary_header__binary_size);
    size_t first = OFF_binary_header__binary_checksum + 2; /* the sum leaves itself out */
    if (total < SIZE_binary_header || total > size)
        return bad(&r, "discovery: binary of %zu bytes", total);
    r.size = total;
    check_sum(&r, first, total - first, hw_get16(bin, OFF_binary_header__binary_checksum),
              "binary");

    uint16_t sum;
    size_t at = table_at(&r, IP_DISCOVERY, &sum);
    if (!room(&r, at, SIZE_ip_discovery_header, "IP discovery header")) return r.rc;
    check_sum(&r, at, hw_get16(bin, at + OFF_ip_discovery_header__size), sum, "IP table");
    read_ip_table(d, &r, at);

    at = table_at(&r, GC, &sum);
    if (!at) bad(&r, "discovery: no GC table");
    if (!room(&r, at, SIZE_gpu_info_header, "GC table")) return r.rc;
    check_sum(&r, at, hw_get32(bin, at + OFF_gpu_info_header__size), sum, "GC table");
    if (!r.rc) read_gc_info(d, &r, at);

    at = table_at(&r, HARVEST_INFO, &sum);
    if (at && !r.rc) read_harvest(d, &r, at);
    if (r.rc) return r.rc;

    static const char *const names[HW_IP_COUNT] = {"GC",  "MMHUB", "OSSSYS", "MP0",
                                                   "MP1", "HDP",   "NBIO"};
    for (int i = 0; i < HW_IP_COUNT; i++) {
        const struct am_ip *ip = &d->ip[i];
        if (!ip->present) return bad(&r, "discovery: no %s on this device", names[i]);
        if (!ip->regs && i == HW_GC && apu_name(ip->version))
            return bad(
                &r, "discovery: %s (GC %u.%u.%u) is an APU, without VRAM of its own: not supported",
                apu_name(ip->version), ip->version.major, ip->version.minor, ip->version.rev);
        if (!ip->regs)
            return bad(&r, "discovery: %s %u.%u.%u is not supported", names[i], ip->version.major,
                       ip->version.minor, ip->version.rev);
    }
    return 0;
}

/* The chip whose GC version the table names. */
static int name_target(struct am_device *d) {
    struct hw_version v = d->ip[HW_GC].version;
    for (unsigned i = 0; i < hw_chip_count; i++) {
        const struct hw_chip *c = &hw_chips[i];
        if (c->gc.major != v.major || c->gc.minor != v.minor || c->gc.rev != v.rev) continue;
        snprintf(d->target, sizeof d->target, "%s", c->target);
        d->gc.gl2_bytes = c->gl2_kib << 10;
        d->chip = chip_find(v.major);
        if (d->chip) return 0;
    }
    am_log(d, AM_LOG_ERROR, "discovery", "GC %u.%u.%u is not supported", v.major, v.minor, v.rev);
    return -ENOTSUP;
}

int discovery_vram_size(struct am_device *d) {
    /* The register table is not known yet: RCC_CONFIG_MEMSIZE lies at the same place on all chips
     * (linux amdgpu_discovery.c mmRCC_CONFIG_MEMSIZE). */
    uint32_t mb = 0, memsize = 0xde3;
    int rc = bus_rd32(d->bus, BUS_BAR_MMIO, (uint64_t)memsize * 4, &mb);
    if (rc) return rc;
    if (mb == 0 || mb == 0xffffffff) {
        am_log(d, AM_LOG_ERROR, "discovery", "memory size register reads 0x%x", mb);
        return -ENODEV;
    }
    d->vram_bytes = (uint64_t)mb << 20;
    return 0;
}

int discovery_run(struct am_device *d) {
    int rc = discovery_vram_size(d);
    if (rc) return rc;
    /* As much as the header says: through a small BAR every dword counts. */
    uint8_t bin[HW_DISCOVERY_BYTES] = {0};
    vram_off_t at = d->vram_bytes - HW_DISCOVERY_FROM_END;
    size_t head = (SIZE_binary_header + 3) & ~3u;
    rc = vram_read(d, at, bin, head);
    size_t size = hw_get16(bin, OFF_binary_header__binary_size);
    size = (size + 3) & ~(size_t)3;
    if (size > sizeof bin) size = sizeof bin;
    if (!rc && size > head) rc = vram_read(d, at + head, bin + head, size - head);
    if (rc) return rc;
    char err[256];
    rc = discovery_parse(d, bin, sizeof bin, err, sizeof err);
    if (rc) {
        am_log(d, AM_LOG_ERROR, "discovery", "%s", err);
        return rc;
    }
    return name_target(d);
}
