/* SPDX-License-Identifier: MIT */
/* isa.c - work-groups: creation, launch of their waves, scheduling. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/jit_abi.h"
#include "driver/emulator/isa/launch.h"
#include "driver/emulator/isa/wave.h"

/* Instructions a wave may run before its siblings and the stop flag get a turn. */
enum { SLICE = 20000 };

static atomic_uint translation_epoch, code_epoch;

void isa_invalidate_translations(void) {
    atomic_fetch_add(&translation_epoch, 1);
}

void isa_invalidate_code(void) {
    atomic_fetch_add(&code_epoch, 1);
}

const struct isa_variant *isa_pick_variant(void) {
#if defined(__x86_64__)
    const char *limit = getenv("RAWCL_EMU_HOST_ISA"); /* base, v3: for tests */
    bool v4 = !limit || !strcmp(limit, "v4"), v3 = v4 || !strcmp(limit, "v3");
    if (v4 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &isa_variant_v4;
    if (v3 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c"))
        return &isa_variant_v3;
#endif
    return &isa_variant_base;
}

static unsigned allocated_vgprs(const struct isa_dispatch *d) {
    /* COMPUTE_PGM_RSRC1.VGPRS: granules of 8 (wave32) or 4 (wave64), less one. */
    unsigned granule = d->wave_size == 64 ? 4 : 8, n = ((d->pgm_rsrc1 & 0x3f) + 1) * granule;
    return n < ISA_VGPRS ? n : ISA_VGPRS;
}

/* From one wave's VGPRs to the next's: not a power of two, or VGPR 0 of all waves would lie in the
 * same few sets of the host's cache. */
static size_t vgpr_stride(const struct isa_group *g) {
    return g->halves * ISA_VGPRS + 2;
}

static vu32 *vgprs_of(const struct isa_group *g, unsigned i) {
    return g->vgpr_memory + i * vgpr_stride(g);
}

struct isa_group *isa_group_create(const struct isa_dispatch *d) {
    if (!d || !d->host || d->arch >= ISA_ARCH_COUNT) return NULL;
    if (d->wave_size != 32 && d->wave_size != 64) return NULL;
    uint64_t items = (uint64_t)d->group_size[0] * d->group_size[1] * d->group_size[2];
    uint64_t waves = (items + d->wave_size - 1) / d->wave_size;
    if (!items || waves > ISA_MAX_WAVES) return NULL;
    struct isa_group *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->d = *d;
    g->variant = isa_pick_variant();
    g->halves = d->wave_size / 32;
    g->wave_capacity = (unsigned)waves;
    g->vgpr_limit = allocated_vgprs(d);
    g->lds_bytes = g->lds_capacity = d->lds_bytes;
    size_t vgprs = (size_t)waves * vgpr_stride(g) * sizeof(vu32);
    g->waves = calloc(waves, sizeof *g->waves);
    g->vgpr_memory = aligned_alloc(sizeof(vu32), vgprs);
    g->lds = calloc(1, (size_t)d->lds_bytes + ISA_LDS_PAD);
    g->ids = aligned_alloc(sizeof(vu32), (size_t)waves * g->halves * sizeof(vu32));
    if (!g->waves || !g->vgpr_memory || !g->lds || !g->ids) {
        isa_group_destroy(g);
        return NULL;
    }
    g->translation_epoch = atomic_load(&translation_epoch);
    g->code_epoch = atomic_load(&code_epoch);
    return g;
}

bool isa_group_rebind(struct isa_group *g, const struct isa_dispatch *d) {
    uint64_t items = (uint64_t)d->group_size[0] * d->group_size[1] * d->group_size[2];
    uint64_t waves = (items + d->wave_size - 1) / d->wave_size;
    if (d->arch != g->d.arch || d->wave_size != g->d.wave_size || !items) return false;
    if (waves > g->wave_capacity || d->lds_bytes > g->lds_capacity) return false;
    /* Decoded instructions were checked against the VGPRs that the dispatch allocates, and hold the
     * apertures as constants. */
    if (allocated_vgprs(d) != g->vgpr_limit || d->shared_aperture != g->d.shared_aperture ||
        d->private_aperture != g->d.private_aperture)
        isa_code_drop(g);
    g->d = *d;
    g->vgpr_limit = allocated_vgprs(d);
    g->lds_bytes = d->lds_bytes;
    g->direct = g->primed = false;
    return true;
}

void isa_group_destroy(struct isa_group *g) {
    if (!g) return;
    isa_code_drop(g);
    free(g->waves);
    free(g->vgpr_memory);
    free(g->lds);
    free(g->ids);
    free(g);
}

/* Forgets what an invalidation since the last look made stale. */
static void refresh_caches(struct isa_group *g) {
    unsigned t = atomic_load(&translation_epoch), c = atomic_load(&code_epoch);
    if (t != g->translation_epoch) {
        memset(g->segments, 0, sizeof g->segments); /* compiled code looks at sizes only */
        g->translation_epoch = t;
    }
    if (c != g->code_epoch) {
        isa_code_drop(g);
        g->code_epoch = c;
    }
}

void isa_group_start(struct isa_group *g, const struct isa_group_start *s) {
    g->start = *s;
    g->end = ISA_YIELD;
    g->reported = false;
    g->phase = g->signals = 0;
    g->next_wave = 0;
    uint64_t items = (uint64_t)s->size[0] * s->size[1] * s->size[2];
    uint64_t waves = (items + g->d.wave_size - 1) / g->d.wave_size;
    g->wave_count = waves < g->wave_capacity ? (unsigned)waves : g->wave_capacity;
    g->live = g->wave_count;
    g->direct_ends = 0;
    g->unlaunched = true;
    isa_launch_ids(g);
    if (!g->direct) isa_group_launch(g);
}

static uint64_t items_from(const struct isa_group *g, unsigned wave) {
    const uint32_t *size = g->start.size;
    return (uint64_t)size[0] * size[1] * size[2] - (uint64_t)wave * g->d.wave_size;
}

/* The wave as memory holds it at launch; from: a launched wave to copy, or NULL. */
static void launch(struct isa_group *g, unsigned i, const struct wave *from) {
    struct wave *w = &g->waves[i];
    g->primed = false;
    size_t size = sizeof *w;
    __asm__("" : "+r"(size)); /* a call of libc's: inlined string instructions start slowly */
    if (from)
        memcpy(w, from, size);
    else
        memset(w, 0, size);
    w->g = g;
    w->index = i;
    w->v = vgprs_of(g, i);
    w->env[1].wave64_half = 1;
    if (from)
        isa_launch_index(w, items_from(g, i));
    else
        isa_launch_wave(w, items_from(g, i));
}

void isa_group_launch(struct isa_group *g) {
    if (!g->unlaunched) return;
    g->unlaunched = false;
    for (unsigned i = 0; i < g->wave_count; i++)
        launch(g, i, i ? &g->waves[0] : NULL);
}

static void run_slice(struct wave *w, uint64_t slice) {
    w->exit = EXIT_NONE;
    w->budget = (int64_t)slice;
    w->g->variant->run(w);
}

/* One turn for every wave that can run. Returns how many did; *spent: instructions of the one that
 * used its slice most. */
static unsigned run_round(struct isa_group *g, uint64_t slice, uint64_t *spent) {
    unsigned ran = 0;
    *spent = 0;
    for (unsigned i = 0; i < g->wave_count; i++) {
        struct wave *w = &g->waves[i];
        if (w->ended || (w->exit == EXIT_BARRIER && !isa_barrier_passed(w))) continue;
        refresh_caches(g);
        run_slice(w, slice);
        ran++;
        uint64_t used = slice - (uint64_t)(w->budget > 0 ? w->budget : 0);
        if (used > *spent) *spent = used;
        if (w->exit == EXIT_STOP) break;
    }
    return ran;
}

/* Wave i, whose state is in wave 0's place, did not end: the group goes on in the usual way. */
static void settle(struct isa_group *g, unsigned i, uint64_t next) {
    struct wave *w0 = &g->waves[0], *w = &g->waves[i];
    g->direct = g->primed = false;
    if (i) {
        *w = *w0;
        w0->ended = true;
    }
    if (next != JIT_LEFT) {
        w->pc = next;
        w->exit = EXIT_YIELD;
    }
    for (unsigned k = 1; k < i; k++) {
        g->waves[k].g = g;
        g->waves[k].ended = true;
    }
    for (unsigned k = i + 1; k < g->wave_count; k++)
        launch(g, k, NULL);
}

/* Wave 0 and every VGPR 0 as at launch, without what need not be done again. */
static void prime(struct isa_group *g) {
    if (g->primed) {
        isa_launch_group(&g->waves[0]);
        return;
    }
    for (unsigned i = g->wave_count; i--;)
        launch(g, i, NULL);
}

/* Runs the waves of a group that has not been launched one after another in wave 0's place, as long
 * as compiled code takes them to their end. */
static void run_direct(struct isa_group *g) {
    struct wave *w = &g->waves[0];
    static const struct jit_helpers helpers = {.step = isa_step};
    g->unlaunched = false;
    refresh_caches(g);
    prime(g);
    const struct xinst *x = isa_code_at(w, g->d.entry_va);
    if (!x || x->fn != g->variant->jit_enter || (w->mode & JIT_MODE_BITS) != x->s[2]) {
        settle(g, 0, g->d.entry_va);
        return;
    }
    jit_fn *fn = (jit_fn *)(uintptr_t)x->s[0];
    const uint64_t base = x->s[1];
    const uint32_t number = (uint32_t)x->imm;
    bool clean = true;
    g->touched = false;
    for (unsigned i = 0; i < g->wave_count; i++) {
        if (g->touched) {
            launch(g, 0, NULL);
            g->touched = clean = false;
        }
        w->index = i;
        w->v = vgprs_of(g, i);
        isa_launch_scalars(w, items_from(g, i));
        w->exit = EXIT_NONE;
        w->budget = SLICE;
        uint64_t next = fn(w, &helpers, base, number);
        if (next != JIT_ENDED) {
            settle(g, i, next);
            return;
        }
        g->live--;
    }
    g->primed = clean && !g->touched;
}

enum isa_end isa_group_run(struct isa_group *g, uint64_t budget) {
    uint64_t spent = 0;
    if (g->end != ISA_YIELD) return g->end;
    bool stopping = g->d.host->stop && *g->d.host->stop;
    if (g->unlaunched && !stopping) {
        run_direct(g);
        if (g->end != ISA_YIELD) return g->end;
    }
    isa_group_launch(g);
    while (g->live) {
        if (g->d.host->stop && *g->d.host->stop) return isa_stop_killed(g);
        uint64_t slice = budget && budget - spent < SLICE ? budget - spent : SLICE;
        uint64_t used;
        unsigned ran = run_round(g, slice, &used);
        if (g->end != ISA_YIELD) return g->end;
        if (!ran) {
            /* Every live wave waits for a barrier that nobody will complete. */
            struct wave *w = &g->waves[0];
            while (w->ended)
                w++;
            w->page = NULL;
            isa_stop_illegal(w, NULL, false,
                             "all waves wait at a barrier that no wave can complete");
            return g->end;
        }
        spent += used + 1;
        if (budget && spent >= budget && g->live) return ISA_YIELD;
    }
    if (g->direct_ends == g->wave_count) g->direct = true;
    return g->end = ISA_DONE;
}

void isa_group_report(const struct isa_group *g, struct isa_report *out) {
    *out = g->report;
}
