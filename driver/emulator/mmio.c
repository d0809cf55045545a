/* SPDX-License-Identifier: MIT */
/* mmio.c - register space: which dword is which register on this chip, storage, rules common to all
 * registers. What a register does is in the hooks of its block.
 *
 * Places, fields and reset values come from driver/hw (linux asic_reg headers, pal defaults) for
 * the IP versions of the chip; segment bases are the ones that the discovery table names.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/emulator/cp.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/sdma_exec.h"

static const char *const ip_names[HW_IP_COUNT] = {
    [HW_GC] = "GC",   [HW_MMHUB] = "MMHUB", [HW_OSSSYS] = "OSSSYS", [HW_MP0] = "MP0",
    [HW_MP1] = "MP1", [HW_HDP] = "HDP",     [HW_NBIO] = "NBIO",
};

/* COMPUTE_*, CP_HQD_* and CP_MQD_* lie between these dwords (gc_11_0_0_offset.h: 0x1ba0 and 0x1fa9
 * behind segment 0 at 0x1260). */
enum { CP_BANKS_FIRST = 0x2e00, CP_BANKS_END = 0x3300 };

/* ---- rules that no header states ---- */

static bool starts(const char *s, const char *prefix) {
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Answers before RLC autoload: the scratch registers and status that a driver looks at to learn
 * whether anything is alive (reference traces coldboot: SCRATCH_REG7, CP_STAT; linux
 * gfx_v11_0_wait_for_rlc_autoload_complete: RLC_RLCS_BOOTLOAD_STATUS). */
static bool is_early(const char *n) {
    return starts(n, "SCRATCH_REG") || starts(n, "RLC_") || starts(n, "GRBM_STATUS") ||
           !strcmp(n, "CP_STAT");
}

static uint8_t bank_of(const char *n) {
    if (starts(n, "SH_MEM_") || starts(n, "SQ_SHADER_T") || !strcmp(n, "SPI_GDBG_PER_VMID_CNTL"))
        return BANK_VMID; /* linux kgd_gfx_v10_program_trap_handler_settings selects a VMID */
    if (strstr(n, "_PRGRM_CNTR_START")) return BANK_PIPE;
    if (starts(n, "SDMA0_QUEUE0_")) return BANK_SDMA_QUEUE;
    return BANK_NONE;
}

/* Written by the hardware only. */
static bool is_read_only(const char *n) {
    static const char *const prefix[] = {"GRBM_STATUS", "CC_GC_", "RLC_GPU_CLOCK_COUNT"};
    static const char *const suffix[] = {"_ACK",
                                         "_PROTECTION_FAULT_STATUS",
                                         "_PROTECTION_FAULT_STATUS_LO32",
                                         "_PROTECTION_FAULT_STATUS_HI32",
                                         "_PROTECTION_FAULT_ADDR_LO32",
                                         "_PROTECTION_FAULT_ADDR_HI32"};
    static const char *const whole[] = {"CP_STAT",
                                        "RLC_RLCS_BOOTLOAD_STATUS",
                                        "RLC_STAT",
                                        "RLC_GPM_STAT",
                                        "IH_STATUS",
                                        "RCC_DEV0_EPF0_RCC_CONFIG_MEMSIZE",
                                        "BIF_BX_PF0_GPU_HDP_FLUSH_DONE",
                                        "SDMA0_STATUS_REG"};
    size_t len = strlen(n);
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (starts(n, prefix[i])) return true;
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        size_t s = strlen(suffix[i]);
        if (len > s && !strcmp(n + len - s, suffix[i])) return true;
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!strcmp(n, whole[i])) return true;
    return false;
}

/* Bits without a field in the header that drivers known to run on silicon set. */
static const struct {
    enum hw_reg reg;
    uint32_t bits;
} undocumented[] = {
    {R_GCVM_CONTEXT0_CNTL, 0x01800000}, /* reference traces coldboot: the same in all hubs */
    {R_MMVM_CONTEXT0_CNTL, 0x01800000},
    {R_TCP_CNTL, 0x20000000},             /* reference traces gfx1201 coldboot */
    {R_CP_HQD_HQ_SCHEDULER0, 0x60004000}, /* reference traces queue-compute; pal reset value */
    {R_CP_HQD_HQ_STATUS0, 0x60004000},
};

static const uint32_t *segment_base(enum hw_ip ip, int seg, uint32_t *out) {
    for (unsigned i = 0; i < hw_ip_base_count; i++) {
        const struct hw_ip_base *b = &hw_ip_bases[i];
        if (!b->instance && (int)b->segment == seg && !strcmp(b->ip, ip_names[ip])) {
            *out = b->base_dw;
            return out;
        }
    }
    return NULL;
}

static void describe(struct gpu *g, enum hw_reg r) {
    const struct hw_reg_info *info = &hw_regs[r];
    const struct hw_ip_table *t = g->ip[info->ip];
    const struct hw_reg_loc *loc = hw_reg_loc(t, r);
    struct mmio_reg *m = &g->mmio.reg[r];
    uint32_t base;
    *m = (struct mmio_reg){.dw = UINT32_MAX};
    if (loc->offset < 0 || !segment_base(info->ip, loc->seg, &base)) return;
    m->dw = base + (uint32_t)loc->offset;
    m->reset = loc->reset;
    for (uint32_t f = 0; f < info->field_count; f++) {
        struct hw_bits b = hw_field_bits(t, (enum hw_field)(info->first_field + f));
        if (b.lo >= 0) m->valid |= hw_mask(b.lo, b.hi);
    }
    if (!m->valid) m->valid = ~0u; /* the header lists no fields */
    m->ro = is_read_only(info->name) ? ~0u : 0;
    m->early = info->ip != HW_GC || is_early(info->name);
    m->bank = bank_of(info->name);
    for (size_t i = 0; i < sizeof undocumented / sizeof *undocumented; i++)
        if (undocumented[i].reg == r) m->allowed = undocumented[i].bits;
}

static int place(struct gpu *g, enum hw_reg r) {
    struct mmio_state *s = &g->mmio;
    struct mmio_reg *m = &s->reg[r];
    if (m->dw == UINT32_MAX) return 0;
    m->slot = s->store_words;
    s->store_words += m->bank == BANK_PIPE   ? BANK_MES * BANK_PIPES
                      : m->bank == BANK_VMID ? BANK_VMIDS
                                             : 1;
    if (m->dw < BAR5_BYTES / 4) {
        /* Two names for one dword: the first stays. */
        if (!s->map[m->dw]) s->map[m->dw] = (uint16_t)(r + 1);
        return 0;
    }
    if (s->far_count == sizeof s->far_regs / sizeof *s->far_regs) return -ENOSPC;
    s->far_regs[s->far_count++] = (struct mmio_far){m->dw, r};
    return 0;
}

int mmio_init(struct gpu *g) {
    for (int r = 0; r < HW_REG_COUNT; r++) {
        describe(g, (enum hw_reg)r);
        int rc = place(g, (enum hw_reg)r);
        if (rc) return rc;
    }
    g->mmio.store = calloc(g->mmio.store_words, sizeof *g->mmio.store);
    return g->mmio.store ? 0 : -ENOMEM;
}

void mmio_fini(struct gpu *g) {
    free(g->mmio.store);
    g->mmio.store = NULL;
}

static unsigned instances(const struct mmio_reg *m) {
    return m->bank == BANK_PIPE ? BANK_MES * BANK_PIPES : m->bank == BANK_VMID ? BANK_VMIDS : 1;
}

void mmio_reset(struct gpu *g) {
    for (int r = 0; r < HW_REG_COUNT; r++) {
        const struct mmio_reg *m = &g->mmio.reg[r];
        if (m->dw == UINT32_MAX) continue;
        for (unsigned i = 0; i < instances(m); i++)
            atomic_store_explicit(&g->mmio.store[m->slot + i], m->reset, memory_order_relaxed);
    }
}

/* ---- storage ---- */

static uint32_t load(struct gpu *g, enum hw_reg r, unsigned i) {
    const struct mmio_reg *m = &g->mmio.reg[r];
    if (m->dw == UINT32_MAX) return 0;
    return atomic_load_explicit(&g->mmio.store[m->slot + i], memory_order_acquire);
}

static void store(struct gpu *g, enum hw_reg r, unsigned i, uint32_t v) {
    const struct mmio_reg *m = &g->mmio.reg[r];
    if (m->dw == UINT32_MAX) return;
    atomic_store_explicit(&g->mmio.store[m->slot + i], v, memory_order_release);
}

uint32_t gpu_reg_get(struct gpu *g, enum hw_reg r) {
    return load(g, r, 0);
}
void gpu_reg_set(struct gpu *g, enum hw_reg r, uint32_t v) {
    store(g, r, 0, v);
}

uint32_t gpu_field_get(struct gpu *g, enum hw_field f) {
    enum hw_reg r = hw_fields[f].reg;
    return hw_field_get(g->ip[hw_regs[r].ip], f, load(g, r, 0));
}

void gpu_field_set(struct gpu *g, enum hw_field f, uint32_t v) {
    enum hw_reg r = hw_fields[f].reg;
    store(g, r, 0, hw_field_put(g->ip[hw_regs[r].ip], f, load(g, r, 0), v));
}

uint32_t gpu_reg_get_vmid(struct gpu *g, enum hw_reg r, unsigned vmid) {
    return load(g, r, g->mmio.reg[r].bank == BANK_VMID ? vmid % BANK_VMIDS : 0);
}

uint32_t mmio_get_pipe(struct gpu *g, enum hw_reg r, unsigned me, unsigned pipe) {
    return load(g, r,
                g->mmio.reg[r].bank == BANK_PIPE ? me % BANK_MES * BANK_PIPES + pipe % BANK_PIPES
                                                 : 0);
}

void gpu_reg_hook(struct gpu *g, enum hw_reg r, reg_read_fn read, reg_write_fn wrote) {
    g->mmio.reg[r].read = read;
    g->mmio.reg[r].wrote = wrote;
}

uint32_t gpu_reg_dw(const struct gpu *g, enum hw_reg r) {
    return g->mmio.reg[r].dw;
}

int gpu_reg_at(struct gpu *g, uint32_t dw) {
    const struct mmio_state *s = &g->mmio;
    if (dw < BAR5_BYTES / 4) return (int)s->map[dw] - 1;
    for (unsigned i = 0; i < s->far_count; i++)
        if (s->far_regs[i].dw == dw) return (int)s->far_regs[i].reg;
    return -1;
}

enum hw_reg mmio_mp0(struct gpu *g, unsigned n) {
    bool asp = g->mmio.reg[R_MPASP_SMN_C2PMSG_81].dw != UINT32_MAX;
    char name[32];
    snprintf(name, sizeof name, "%s_SMN_C2PMSG_%u", asp ? "MPASP" : "MP0", n);
    for (int r = 0; r < HW_REG_COUNT; r++)
        if (hw_regs[r].ip == HW_MP0 && !strcmp(hw_regs[r].name, name)) return (enum hw_reg)r;
    return R_MP0_SMN_C2PMSG_81;
}

/* ---- accesses with side effects ---- */

static unsigned selected(struct gpu *g, const struct mmio_reg *m) {
    unsigned me = gpu_field_get(g, F_GRBM_GFX_CNTL__MEID);
    unsigned pipe = gpu_field_get(g, F_GRBM_GFX_CNTL__PIPEID);
    switch (m->bank) {
    case BANK_PIPE:
        return me % BANK_MES * BANK_PIPES + pipe % BANK_PIPES;
    case BANK_VMID:
        return gpu_field_get(g, F_GRBM_GFX_CNTL__VMID) % BANK_VMIDS;
    default:
        return 0;
    }
}

/* The GC block answers once RLC autoload has brought it up. */
static bool gc_down(struct gpu *g, const struct mmio_reg *m, int r, const char *verb) {
    if (m->early || g->psp.rlc_loaded) return false;
    gpu_guest_error(g, "%s of %s before RLC autoload: the GC block is down", verb, hw_regs[r].name);
    return true;
}

/* Banks that the CP keeps. True if the access was one of them. */
static bool cp_bank(struct gpu *g, uint32_t dw, int r, bool write, uint32_t *v) {
    if (dw < CP_BANKS_FIRST || dw >= CP_BANKS_END) return false;
    int hqd = cp_hqd_index(g, dw), sh = hqd < 0 ? cp_sh_index(g, dw) : -1;
    if (hqd < 0 && sh < 0) return false;
    if (!g->psp.rlc_loaded) {
        gpu_guest_error(g, "%s of %s (dword 0x%x) before RLC autoload: the GC block is down",
                        write ? "write" : "read", r >= 0 ? hw_regs[r].name : "a queue register",
                        dw);
        if (!write) *v = 0;
        return true;
    }
    unsigned me = gpu_field_get(g, F_GRBM_GFX_CNTL__MEID);
    unsigned pipe = gpu_field_get(g, F_GRBM_GFX_CNTL__PIPEID);
    unsigned queue = gpu_field_get(g, F_GRBM_GFX_CNTL__QUEUEID);
    if (write && r >= 0) {
        const struct mmio_reg *m = &g->mmio.reg[r];
        uint32_t bad = *v & ~(m->valid | m->allowed);
        if (bad)
            gpu_guest_error(g, "%s: reserved bits 0x%08x set in 0x%08x", hw_regs[r].name, bad, *v);
    } else if (write && *v) {
        gpu_guest_error(g, "dword 0x%x of the queue registers is reserved, 0x%08x written", dw, *v);
    }
    if (hqd >= 0) {
        if (write)
            cp_hqd_write(g, me, pipe, queue, (unsigned)hqd, *v);
        else
            *v = cp_hqd_read(g, me, pipe, queue, (unsigned)hqd);
    } else {
        if (write)
            cp_sh_write(g, me, pipe, queue, (unsigned)sh, *v);
        else
            *v = cp_sh_read(g, me, pipe, queue, (unsigned)sh);
    }
    return true;
}

uint32_t gpu_mmio_read(struct gpu *g, uint32_t dw) {
    int r = gpu_reg_at(g, dw);
    uint32_t v = 0;
    if (cp_bank(g, dw, r, false, &v)) return v;
    if (r < 0) {
        gpu_guest_error(g, "read of unknown register: dword 0x%x (byte 0x%" PRIx64 ")", dw,
                        (uint64_t)dw * 4);
        return 0;
    }
    const struct mmio_reg *m = &g->mmio.reg[r];
    if (gc_down(g, m, r, "read")) return 0;
    v = load(g, (enum hw_reg)r, selected(g, m));
    return m->read ? m->read(g, (enum hw_reg)r, v) : v;
}

void gpu_mmio_write(struct gpu *g, uint32_t dw, uint32_t v) {
    int r = gpu_reg_at(g, dw);
    if (cp_bank(g, dw, r, true, &v)) return;
    if (r < 0) {
        if (nbio_remapped_flush(g, dw)) return;
        gpu_guest_error(g, "write of 0x%08x to unknown register: dword 0x%x (byte 0x%" PRIx64 ")",
                        v, dw, (uint64_t)dw * 4);
        return;
    }
    const struct mmio_reg *m = &g->mmio.reg[r];
    if (gc_down(g, m, r, "write")) return;
    uint32_t bad = v & ~(m->valid | m->allowed);
    if (bad) gpu_guest_error(g, "%s: reserved bits 0x%08x set in 0x%08x", hw_regs[r].name, bad, v);
    unsigned i = selected(g, m);
    uint32_t old = load(g, (enum hw_reg)r, i);
    if (m->ro == ~0u && v != old)
        gpu_guest_error(g, "write of 0x%08x to read-only %s", v, hw_regs[r].name);
    uint32_t now = (old & (m->ro | m->w1c)) | (v & ~(m->ro | m->w1c));
    now &= ~(v & m->w1c);
    store(g, (enum hw_reg)r, i, now);
    if (m->bank == BANK_SDMA_QUEUE) sdma_queue_write(g, (enum hw_reg)r, now);
    if (m->wrote) m->wrote(g, (enum hw_reg)r, old, v);
}
