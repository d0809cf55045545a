/* SPDX-License-Identifier: MIT */
/* packet_decode.c - PM4 and SDMA streams as text, by the tables in hw/. */
#include <string.h>

#include "driver/enumerate.h"
#include "driver/hw/hw.h"

struct packet {
    uint8_t op, sub;
    const char *name; /* as in the field tables */
};

#define PM4(n)                                                                                     \
    { PM4_OP_##n, 0, #n }
static const struct packet pm4_packets[] = {
    PM4(ACQUIRE_MEM),
    PM4(ATOMIC_MEM),
    PM4(COND_EXEC),
    PM4(COPY_DATA),
    PM4(DISPATCH_DIRECT),
    PM4(DISPATCH_INDIRECT),
    PM4(DMA_DATA),
    PM4(EVENT_WRITE),
    PM4(HDP_FLUSH),
    PM4(INDIRECT_BUFFER),
    PM4(INVALIDATE_TLBS),
    PM4(PERFMON_CONTROL),
    PM4(RELEASE_MEM),
    PM4(SET_CONFIG_REG),
    PM4(SET_SH_REG),
    PM4(SET_SH_REG_INDEX),
    PM4(SET_SH_REG_PAIRS_PACKED),
    PM4(SET_UCONFIG_REG),
    PM4(TIMESTAMP),
    PM4(WAIT_REG_MEM),
    PM4(WAIT_REG_MEM64),
    PM4(WRITE_DATA),
    PM4(NOP),
};
#define SDMA(n)                                                                                    \
    { SDMA_OP_##n, SDMA_SUBOP_##n, #n }
static const struct packet sdma_packets[] = {
    SDMA(NOP),
    SDMA(ATOMIC),
    SDMA(COND_EXE),
    SDMA(CONSTANT_FILL),
    SDMA(COPY_LINEAR),
    SDMA(COPY_LINEAR_SUBWIN),
    SDMA(COPY_LINEAR_SUBWIN_LARGE),
    SDMA(DATA_FILL_MULTI),
    SDMA(DUMMY_TRAP),
    SDMA(FENCE),
    SDMA(GCR_REQ),
    SDMA(GPUVM_INV),
    SDMA(INDIRECT),
    SDMA(POLL_MEM_VERIFY),
    SDMA(POLL_REGMEM),
    SDMA(PRE_EXE),
    SDMA(SRBM_WRITE),
    SDMA(TIMESTAMP_GET),
    SDMA(TIMESTAMP_GET_GLOBAL),
    SDMA(TRAP),
    SDMA(WRITE_UNTILED),
};

static const struct packet *find(const struct packet *p, size_t n, unsigned op, unsigned sub) {
    for (size_t i = 0; i < n; i++)
        if (p[i].op == op && p[i].sub == sub) return &p[i];
    return NULL;
}

/* Fields of a packet that are not zero. Dwords that no field names are shown as they are. */
static void show_fields(FILE *out, const char *name, const struct hw_pkt_bits *bits,
                        const char *const *names, size_t count, const uint32_t *dw, size_t n) {
    size_t len = strlen(name);
    uint64_t named = 1;
    for (size_t f = 0; f < count; f++) {
        if (strncmp(names[f], name, len) != 0 || names[f][len] != '.') continue;
        struct hw_pkt_bits b = bits[f];
        if (b.dword < 0 || (size_t)b.dword >= n) continue;
        if (b.dword < 64) named |= 1ull << b.dword;
        uint32_t v = hw_pkt_get(dw, b);
        bool header = b.dword == 0 && (strcmp(names[f] + len, ".OP") == 0 ||
                                       strcmp(names[f] + len, ".SUB_OP") == 0);
        if (v && !header) fprintf(out, " %s=0x%x", names[f] + len + 1, v);
    }
    for (size_t i = 1; i < n && i < 64; i++)
        if (!(named >> i & 1)) fprintf(out, " [%zu]=0x%08x", i, dw[i]);
    if (n > 64) fprintf(out, " ... %zu dwords", n);
}

/* A type-3 header says how long its packet is; type 2 is filler. */
static size_t pm4(FILE *out, enum hw_gen gen, const uint32_t *dw, size_t n) {
    uint32_t h = dw[0];
    if (h >> 30 == 2) {
        fprintf(out, "filler\n");
        return 1;
    }
    if (h >> 30 != 3) {
        fprintf(out, "0x%08x: no packet\n", h);
        return 1;
    }
    unsigned op = h >> 8 & 0xff;
    size_t size = (h >> 16 & 0x3fff) + 2;
    if (op == PM4_OP_NOP && (h >> 16 & 0x3fff) == 0x3fff) size = 1; /* a NOP of one dword */
    const struct packet *p = find(pm4_packets, sizeof pm4_packets / sizeof *pm4_packets, op, 0);
    if (p)
        fprintf(out, "%s", p->name);
    else
        fprintf(out, "opcode 0x%02x", op);
    if (!(h & 2) && op != PM4_OP_NOP) fprintf(out, " (graphics)");
    if (size > n) {
        fprintf(out, ": %zu dwords, the dump has %zu\n", size, n);
        return n;
    }
    if (op != PM4_OP_NOP)
        show_fields(out, p ? p->name : "?", hw_pm4_fields[gen], hw_pm4_field_names,
                    HW_PM4_FIELD_COUNT, dw, size);
    else if (size > 1)
        fprintf(out, " %zu dwords", size);
    putc('\n', out);
    return size;
}

/* SDMA headers give no length: it is that of the last field that the generation has. */
static size_t sdma(FILE *out, enum hw_gen gen, const uint32_t *dw, size_t n) {
    unsigned op = dw[0] & 0xff, sub = dw[0] >> 8 & 0xff;
    const struct packet *p =
        find(sdma_packets, sizeof sdma_packets / sizeof *sdma_packets, op, sub);
    if (!p) {
        fprintf(out, "0x%08x: no packet\n", dw[0]);
        return 1;
    }
    size_t size = 1, len = strlen(p->name);
    for (size_t f = 0; f < HW_SDMA_FIELD_COUNT; f++) {
        if (strncmp(hw_sdma_field_names[f], p->name, len) || hw_sdma_field_names[f][len] != '.')
            continue;
        int at = hw_sdma_fields[gen][f].dword;
        if (at >= 0 && (size_t)at + 1 > size) size = (size_t)at + 1;
    }
    /* two packets carry their data behind them, a NOP as many dwords as it says */
    if (op == SDMA_OP_NOP) size = 1 + (dw[0] >> 16 & 0x3fff);
    if (op == SDMA_OP_WRITE_UNTILED && n > 3) size = 5 + (dw[3] & 0xfffff);
    fprintf(out, "%s", p->name);
    if (size > n) {
        fprintf(out, ": %zu dwords, the dump has %zu\n", size, n);
        return n;
    }
    if (op != SDMA_OP_NOP)
        show_fields(out, p->name, hw_sdma_fields[gen], hw_sdma_field_names, HW_SDMA_FIELD_COUNT, dw,
                    size);
    else if (size > 1)
        fprintf(out, " %zu dwords", size);
    putc('\n', out);
    return size;
}

void packet_decode(FILE *out, bool is_sdma, bool gfx12, const uint32_t *dw, size_t n) {
    enum hw_gen gen = gfx12 ? HW_GFX12 : HW_GFX11;
    for (size_t at = 0; at < n;) {
        size_t run = 0; /* zeros: an empty ring, or NOPs of SDMA */
        while (at + run < n && !dw[at + run])
            run++;
        if (run) {
            fprintf(out, "%6zu: %zu zero dwords\n", at, run);
            at += run;
            continue;
        }
        fprintf(out, "%6zu: ", at);
        at += is_sdma ? sdma(out, gen, dw + at, n - at) : pm4(out, gen, dw + at, n - at);
    }
}
