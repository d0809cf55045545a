/* SPDX-License-Identifier: MIT */
/* hw.h - facts about the hardware, shared by driver and emulator: names and places of registers,
 * packets, structures, enumerations. No behaviour lives here.
 *
 * R_<REGISTER>, F_<REGISTER>__<FIELD>: one enum over all IP versions; where they lie is looked up
 * in the table of the version that the discovery table names. PM4_<PACKET>__<FIELD> and
 * SDMA_<PACKET>__<FIELD> likewise, per generation. OFF_<struct>__<member> are byte offsets.
 */
#ifndef RAWCL_HW_H
#define RAWCL_HW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "driver/hw/hw_gen.h"

enum hw_ip { HW_GC, HW_MMHUB, HW_OSSSYS, HW_MP0, HW_MP1, HW_HDP, HW_NBIO, HW_IP_COUNT };

struct hw_reg_info {
    const char *name;
    enum hw_ip ip;
    uint32_t first_field, field_count; /* a run of enum hw_field */
};
struct hw_field_info {
    const char *name;
    enum hw_reg reg;
};
extern const struct hw_reg_info hw_regs[HW_REG_COUNT];
extern const struct hw_field_info hw_fields[HW_FIELD_COUNT];

/* offset: dwords from the segment's base, -1: this version has no such register. */
struct hw_reg_loc {
    int32_t offset;
    int32_t seg;
    uint32_t reset; /* reset value as published; 0 where none is */
};
struct hw_bits {
    int8_t lo, hi; /* inclusive; -1: no such field in this version */
};
struct hw_ip_table {
    enum hw_ip ip;
    uint8_t major, minor, rev;
    uint32_t first_reg, first_field; /* enum values at which regs[] and fields[] begin */
    const struct hw_reg_loc *regs;
    const struct hw_bits *fields;
};
extern const struct hw_ip_table hw_ip_tables[];
extern const unsigned hw_ip_table_count;

/* The table that serves an IP version, or NULL when it is not in scope. */
const struct hw_ip_table *hw_find_ip(enum hw_ip ip, unsigned major, unsigned minor, unsigned rev);

/* t must be the table of hw_regs[r].ip. */
static inline const struct hw_reg_loc *hw_reg_loc(const struct hw_ip_table *t, enum hw_reg r) {
    return &t->regs[(uint32_t)r - t->first_reg];
}
static inline struct hw_bits hw_field_bits(const struct hw_ip_table *t, enum hw_field f) {
    return t->fields[(uint32_t)f - t->first_field];
}
static inline uint32_t hw_mask(int lo, int hi) {
    return (hi - lo == 31 ? ~0u : ((1u << (hi - lo + 1)) - 1)) << lo;
}
/* 0 for a field that the version lacks. */
static inline uint32_t hw_field_get(const struct hw_ip_table *t, enum hw_field f, uint32_t reg) {
    struct hw_bits b = hw_field_bits(t, f);
    return b.lo < 0 ? 0 : (reg & hw_mask(b.lo, b.hi)) >> b.lo;
}
/* reg with the field replaced; reg unchanged where the version lacks it. */
static inline uint32_t hw_field_put(const struct hw_ip_table *t, enum hw_field f, uint32_t reg,
                                    uint32_t val) {
    struct hw_bits b = hw_field_bits(t, f);
    if (b.lo < 0) return reg;
    uint32_t m = hw_mask(b.lo, b.hi);
    return (reg & ~m) | ((val << b.lo) & m);
}

/* ---- packets ---- */
enum hw_gen { HW_GFX11, HW_GFX12 }; /* PM4 tables; SDMA v6 and v7 in the same order */

struct hw_pkt_bits {
    int8_t dword, lo, hi; /* dword of the packet, bits in it; -1: not in this generation */
};
extern const struct hw_pkt_bits hw_pm4_fields[2][HW_PM4_FIELD_COUNT];
extern const struct hw_pkt_bits hw_sdma_fields[2][HW_SDMA_FIELD_COUNT];
/* V#, T#, S#: DESC_SQ_BUF_RSRC__*, DESC_SQ_IMG_RSRC__*, DESC_SQ_IMG_SAMP__*. */
extern const struct hw_pkt_bits hw_desc_fields[2][HW_DESC_FIELD_COUNT];
extern const char *const hw_pm4_field_names[];
extern const char *const hw_sdma_field_names[];

/* Type-3 header: opcode, payload dwords, shader_type (1: compute). linux nvd.h PACKET3. */
static inline uint32_t hw_pm4_header(unsigned opcode, unsigned payload_dw, bool compute) {
    return 3u << 30 | ((payload_dw - 1) & 0x3fff) << 16 | (opcode & 0xff) << 8 |
           (compute ? 1u << 1 : 0);
}
/* Sets a field in a packet whose dword 0 is its header. Fields absent in the generation are left.
 */
static inline void hw_pkt_put(uint32_t *pkt, struct hw_pkt_bits b, uint32_t val) {
    if (b.dword < 0) return;
    uint32_t m = hw_mask(b.lo, b.hi);
    pkt[b.dword] = (pkt[b.dword] & ~m) | ((val << b.lo) & m);
}
static inline uint32_t hw_pkt_get(const uint32_t *pkt, struct hw_pkt_bits b) {
    return b.dword < 0 ? 0 : (pkt[b.dword] & hw_mask(b.lo, b.hi)) >> b.lo;
}

/* ---- structures in byte buffers ---- */
static inline uint16_t hw_get16(const void *p, size_t off) {
    uint16_t v;
    memcpy(&v, (const uint8_t *)p + off, 2);
    return v;
}
static inline uint32_t hw_get32(const void *p, size_t off) {
    uint32_t v;
    memcpy(&v, (const uint8_t *)p + off, 4);
    return v;
}
static inline uint64_t hw_get64(const void *p, size_t off) {
    uint64_t v;
    memcpy(&v, (const uint8_t *)p + off, 8);
    return v;
}
static inline void hw_put16(void *p, size_t off, uint16_t v) {
    memcpy((uint8_t *)p + off, &v, 2);
}
static inline void hw_put32(void *p, size_t off, uint32_t v) {
    memcpy((uint8_t *)p + off, &v, 4);
}
static inline void hw_put64(void *p, size_t off, uint64_t v) {
    memcpy((uint8_t *)p + off, &v, 8);
}

/* ---- chips ---- */
struct hw_version {
    uint8_t major, minor, rev;
};
struct hw_chip {
    const char *name, *target; /* "Navi31", "gfx1100" */
    struct hw_version gc, sdma, mp0, mp1, nbio, mmhub, osssys, hdp;
    unsigned num_se, sa_per_se, wgp_per_sa, max_cu, num_gl2c, gl2_kib, mall_mib;
};
extern const struct hw_chip hw_chips[];
extern const unsigned hw_chip_count;
const struct hw_chip *hw_find_chip(const char *target);

struct hw_ip_base {
    const char *ip;
    unsigned instance, segment;
    uint32_t base_dw;
};
extern const struct hw_ip_base hw_ip_bases[];
extern const unsigned hw_ip_base_count;

/* The absolute byte addresses (RSMU index space) and places that no register header names. */
enum {
    HW_DISCOVERY_FROM_END = 64 << 10, /* discovery binary: this far below the end of VRAM */
    HW_DISCOVERY_BYTES = 10 << 10,    /* linux amdgpu_discovery.h DISCOVERY_TMR_SIZE */
};

#endif
