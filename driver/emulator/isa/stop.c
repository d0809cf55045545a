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

const struct xinst *isa_stop_fault(struct wave *w, const struct xinst *x, unsigned lane,
                                   uint64_t address, const char *what) {
    char reason[96];
    fill(w, x, lane, strcmp(what, "instruction fetch") != 0);
    snprintf(reason, sizeof reason, "memory fault, %s address 0x%llx", what,
             (unsigned long long)address);
    add_reason(w->g, reason);
    w->g->report.address = address;
    w->g->end = ISA_FAULT;
    return NULL;
}

const struct xinst *isa_stop_illegal(struct wave *w, const struct xinst *x, bool unimplemented,
                                     const char *why) {
    fill(w, x, 0, true);
    add_reason(w->g, why);
    w->g->report.unimplemented = unimplemented;
    w->g->end = ISA_ILLEGAL;
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
