/* SPDX-License-Identifier: MIT */
/* stop.c - how waves pause and how a work-group ends early, with a report. */
#include <stdio.h>
#include <string.h>

#include "driver/emulator/isa/wave.h"

const struct xinst *isa_pause(struct wave *w, const struct xinst *next, enum wave_exit why) {
    w->pc = isa_code_pc(w, next);
    w->exit = why;
    return NULL;
}

static void name_at(struct wave *w, uint64_t pc, char *name, unsigned size) {
    uint32_t dw[CODE_MAX_INST_DWORDS] = {0};
    unsigned n = 0;
    struct isa_inst inst;
    snprintf(name, size, "the instruction");
    /* Stay inside the page: this must not fault again. */
    while (n < CODE_MAX_INST_DWORDS && (!n || (pc + 4 * n) % CODE_PAGE_BYTES) &&
           isa_mem_read(w->g, ISA_CLIENT_INST, ISA_EXEC, pc + 4 * n, &dw[n], 4))
        n++;
    int err = isa_decode(w->g->d.arch, dw, CODE_MAX_INST_DWORDS, &inst);
    if (n && err > 0)
        isa_inst_name(&inst, name, size);
    else if (n)
        snprintf(name, size, "0x%08x", dw[0]);
}

static void fill(struct wave *w, const struct xinst *x, unsigned lane, bool fetched) {
    struct isa_group *g = w->g;
    struct isa_report *r = &g->report;
    memset(r, 0, sizeof *r);
    r->pc = x ? isa_code_pc(w, x) : w->pc;
    w->pc = r->pc;
    r->wave = w->index;
    r->lane = lane;
    uint64_t i = (uint64_t)w->index * g->d.wave_size + lane;
    const uint32_t *size = g->start.size;
    r->local_id[0] = (uint32_t)(i % size[0]);
    r->local_id[1] = (uint32_t)(i / size[0] % size[1]);
    r->local_id[2] = (uint32_t)(i / ((uint64_t)size[0] * size[1]));
    char name[64], where[160];
    if (fetched)
        name_at(w, r->pc, name, sizeof name);
    else
        snprintf(name, sizeof name, "instruction fetch");
    snprintf(where, sizeof where, "%s at 0x%llx of kernel %s, work-group (%u,%u,%u)", name,
             (unsigned long long)r->pc, g->d.name && g->d.name[0] ? g->d.name : "(unnamed)",
             g->start.id[0], g->start.id[1], g->start.id[2]);
    snprintf(r->text, sizeof r->text, "%s, work-item (%u,%u,%u)", where, r->local_id[0],
             r->local_id[1], r->local_id[2]);
    g->reported = true;
    w->exit = EXIT_STOP;
}

static void add_reason(struct isa_group *g, const char *reason) {
    size_t n = strlen(g->report.text);
    snprintf(g->report.text + n, sizeof g->report.text - n, ": %s", reason);
}

/* ttmp1: gfx11 the trap id in bits 23-16, 24 a host trap; gfx12 the id in 31-28 (ROCR-Runtime
 * trap_handler.s, trap_handler_gfx12.s). */
bool isa_trap_enter(struct wave *w, uint64_t pc, unsigned id, bool from_host) {
    bool gfx12 = w->g->d.arch == ISA_GFX12;
    if (!w->g->d.tba_va || w->priv) return false;
    uint32_t hi = (uint32_t)(pc >> 32) & 0xffff;
    hi |= gfx12 ? (id & 15) << 28 : (id & 0xff) << 16 | (uint32_t)from_host << 24;
    w->s[ISA_SRC_TTMP0] = (uint32_t)pc;
    w->s[ISA_SRC_TTMP0 + 1] = hi;
    w->priv = true;
    return true;
}

/* Bits of TRAPSTS and of EXCP_FLAG_PRIV (gc_11_0_0_sh_mask.h SQ_WAVE_TRAPSTS, gc_12_0_0_sh_mask.h
 * SQ_WAVE_EXCP_FLAG_PRIV). */
enum exception { EXC_MEMVIOL, EXC_ILLEGAL, EXC_HOST };
static const uint8_t exception_bit[][2] = {
    [EXC_MEMVIOL] = {8, 4},
    [EXC_ILLEGAL] = {11, 6},
    [EXC_HOST] = {16, 7},
};

/* Memory violations are maskable on gfx11 (RSRC2.EXCP_EN_MSB bit 1, MODE.EXCP_EN of the wave), on
 * gfx12 nothing in EXCP_FLAG_PRIV is; illegal instructions never (ROCR and amdkfd handlers). */
static bool enabled(const struct isa_group *g, enum exception e) {
    return e != EXC_MEMVIOL || g->d.arch == ISA_GFX12 || g->d.pgm_rsrc2 >> 14 & 1;
}

/* The wave goes to the handler in place of ending the group with the report just filled in. */
static bool raise_exception(struct wave *w, enum exception e) {
    struct isa_group *g = w->g;
    if (!enabled(g, e) || !isa_trap_enter(w, g->report.pc, 0, false)) return false;
    w->trapsts |= 1u << exception_bit[e][g->d.arch == ISA_GFX12];
    if (g->d.host->exception) g->d.host->exception(g->d.host, g->report.text);
    g->reported = false;
    w->pc = g->d.tba_va;
    w->exit = EXIT_YIELD;
    return true;
}

void isa_group_trap(struct isa_group *g) {
    isa_group_launch(g);
    for (unsigned i = 0; i < g->wave_count; i++) {
        struct wave *w = &g->waves[i];
        if (w->ended || !isa_trap_enter(w, w->pc, 0, true)) continue;
        w->trapsts |= 1u << exception_bit[EXC_HOST][g->d.arch == ISA_GFX12];
        w->pc = g->d.tba_va;
        w->exit = EXIT_YIELD;
    }
}

const struct xinst *isa_stop_fault(struct wave *w, const struct xinst *x, unsigned lane,
                                   uint64_t address, const char *what) {
    char reason[96];
    fill(w, x, lane, strcmp(what, "instruction fetch") != 0);
    snprintf(reason, sizeof reason, "memory fault, %s address 0x%llx", what,
             (unsigned long long)address);
    add_reason(w->g, reason);
    w->g->report.address = address;
    if (!raise_exception(w, EXC_MEMVIOL)) w->g->end = ISA_FAULT;
    return NULL;
}

const struct xinst *isa_stop_illegal(struct wave *w, const struct xinst *x, bool unimplemented,
                                     const char *why) {
    fill(w, x, 0, true);
    add_reason(w->g, why);
    w->g->report.unimplemented = unimplemented;
    if (unimplemented || !x || !raise_exception(w, EXC_ILLEGAL)) w->g->end = ISA_ILLEGAL;
    return NULL;
}

const struct xinst *isa_stop_trap(struct wave *w, const struct xinst *x, const char *why) {
    fill(w, x, 0, true);
    add_reason(w->g, why);
    w->g->end = ISA_TRAP;
    return NULL;
}

enum isa_end isa_stop_killed(struct isa_group *g) {
    struct wave *w = &g->waves[0];
    while (w->ended && w < &g->waves[g->wave_count - 1])
        w++;
    w->page = NULL;
    fill(w, NULL, 0, true);
    add_reason(g, "stopped before it ended");
    return g->end = ISA_STOPPED;
}

void isa_barrier_signal(struct wave *w) {
    struct isa_group *g = w->g;
    w->signal_phase = g->phase;
    w->signalled = true;
    if (++g->signals >= g->live) {
        g->signals = 0;
        g->phase++;
    }
}

void isa_wave_end(struct wave *w) {
    struct isa_group *g = w->g;
    w->ended = true;
    g->live--;
    if (g->live && g->signals >= g->live) { /* the others need not wait for this one */
        g->signals = 0;
        g->phase++;
    }
}

bool isa_barrier_passed(const struct wave *w) {
    return !w->signalled || w->g->phase != w->signal_phase;
}

void isa_set_mode(struct wave *w, uint32_t mode) {
    bool gfx12 = w->g->d.arch == ISA_GFX12;
    w->mode = mode;
    struct sem_mode m = {
        .round32 = mode & 3,
        .round64_16 = mode >> 2 & 3,
        .denorm32 = mode >> 4 & 3,
        .denorm64_16 = mode >> 6 & 3,
        .dx10_clamp =
            gfx12 || mode >> 8 & 1, /* gfx12 has neither bit and acts as if both were set */
        .ieee = gfx12 || mode >> 9 & 1,
    };
    w->env[0].mode = w->env[1].mode = m;
}
