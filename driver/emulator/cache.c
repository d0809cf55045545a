/* SPDX-License-Identifier: MIT */
/* cache.c - stamps per page that say when each cache last filled it and when it was last written.
 * The rules are in cache.h. */
#include "driver/emulator/cache.h"

#include <stdlib.h>
#include <string.h>

#include "driver/emulator/cache_priv.h"
#include "driver/emulator/isa/isa.h"
#include "driver/emulator/jit.h"

/* ---- pages ---- */

static struct chunk **system_list(struct cache *c, uint64_t key) {
    return &c->system[(key * 0x9e3779b97f4a7c15ull) >> 52];
}

struct chunk *cache_chunk(struct cache *c, bool system, uint64_t pa, bool make) {
    uint64_t key = pa >> CHUNK_SHIFT;
    if (!system) {
        if (key >= c->vram_chunks) return NULL;
        if (!c->vram[key] && make) c->vram[key] = calloc(1, sizeof(struct chunk));
        return c->vram[key];
    }
    struct chunk **head = system_list(c, key);
    for (struct chunk *k = *head; k; k = k->next)
        if (k->key == key) return k;
    if (!make) return NULL;
    struct chunk *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->key = key;
    k->next = *head;
    return *head = k;
}

/* ---- findings ---- */

const char *const cache_agent_names[] = {"the CPU", "BAR0",     "PSP", "the CP",
                                         "SDMA",    "a shader", "IH"};
static const char *const cache_names[] = {"instruction cache", "scalar cache", "vector cache",
                                          "GL2"};
static const char *const cache_cures[] = {"ACQUIRE_MEM gli_inv", "ACQUIRE_MEM glk_inv",
                                          "ACQUIRE_MEM glv_inv (gfx11: and gl1_inv)",
                                          "ACQUIRE_MEM or RELEASE_MEM gl2_inv"};

void cache_report(struct gpu *g, const struct finding *f) {
    unsigned long long va = f->va;
    switch (f->what) {
    case -1:
        return;
    case RACE:
        gpu_guest_error(g,
                        "coherency: a dispatch reads 0x%llx, which an earlier dispatch wrote, and "
                        "neither CS_PARTIAL_FLUSH nor a wait orders them: they may overlap",
                        va);
        return;
    case DIRTY:
        gpu_guest_error(g,
                        "coherency: %s reads 0x%llx while a shader's writes to it are still in "
                        "GL2: no writeback (RELEASE_MEM gl2_wb) in between",
                        f->reader, va);
        return;
    case UNORDERED:
        gpu_guest_error(g,
                        "coherency: SDMA and a dispatch access 0x%llx and %s writes it, but no "
                        "wait (%s) orders them: they may overlap",
                        va, cache_agent_names[f->writer], f->reader);
        return;
    case OVERLAP:
        gpu_guest_error(g,
                        "coherency: SDMA reads 0x%llx, which an earlier SDMA packet wrote, and no "
                        "FENCE and POLL_REGMEM stand in between: copies overlap",
                        va);
        return;
    default:
        gpu_guest_error(g,
                        "coherency: %s reads 0x%llx through the %s, which may hold the page from "
                        "before %s wrote it: no invalidation (%s) in between",
                        f->reader, va, cache_names[f->what], cache_agent_names[f->writer],
                        cache_cures[f->what]);
    }
}

void cache_found(struct finding *f, int what, uint64_t va, int writer, const char *reader) {
    if (f->what >= 0) return;
    *f = (struct finding){what, va, writer, reader};
}

/* A read or write of a cached page by a client of GL2. before: only writes up to it count. */
void cache_through_gl2(struct cache *c, struct chunk *k, struct page *p, uint64_t before,
                       uint64_t stamp, uint64_t va, const char *reader, bool write,
                       struct finding *f) {
    uint64_t inv = c->inv[CACHE_GL2];
    uint64_t fill = held_since(p->fill[CACHE_GL2], k->fill_gl2, inv);
    if (fill && !write && p->wr_mem > fill && p->wr_mem <= before && news(p, p->wr_mem))
        cache_found(f, CACHE_GL2, va, p->mem_writer, reader);
    if (p->fill[CACHE_GL2] <= inv) p->fill[CACHE_GL2] = stamp;
}

/* ---- moments ---- */

uint64_t cache_dispatch(struct gpu *g) {
    struct cache *c = cache_of(g);
    uint64_t stamp = 2;
    if (c) {
        pthread_mutex_lock(&c->lock);
        stamp = event(c);
        pthread_mutex_unlock(&c->lock);
        c->pieces = 0;
    }
    isa_invalidate_translations();
    return stamp;
}

uint64_t cache_window(struct gpu *g) {
    enum { FEW = 16 };
    struct cache *c = cache_of(g);
    unsigned n = c ? atomic_fetch_add_explicit(&c->pieces, 1, memory_order_relaxed) : 2 * FEW;
    return 1ull << (n < FEW ? 16 : n < 2 * FEW ? CHUNK_SHIFT : 26);
}

uint64_t cache_now(struct gpu *g) {
    struct cache *c = cache_of(g);
    if (!c) return 0;
    pthread_mutex_lock(&c->lock);
    uint64_t stamp = event(c);
    pthread_mutex_unlock(&c->lock);
    return stamp;
}

/* ---- actions ---- */

void cache_act(struct gpu *g, const struct cache_action *a) {
    struct cache *c = cache_of(g);
    if (!c) return;
    bool drop_code = false, lost = false;
    uint64_t epoch = gpu_tlb_epoch(g, HUB_GC);
    pthread_mutex_lock(&c->lock);
    uint64_t stamp = event(c);
    if (a->inv_k) c->inv[CACHE_K] = stamp;
    if (a->inv_v) c->inv[CACHE_V] = stamp;
    if (a->wb_gl2) c->wb_gl2 = stamp;
    if (a->inv_gl2) {
        c->inv[CACHE_GL2] = stamp;
        lost = c->dirty_any > c->wb_gl2;
    }
    if (lost || a->wb_gl2) c->dirty_any = 0;
    uint64_t page = c->dirty_any_page;
    if (a->inv_i) {
        c->inv[CACHE_I] = stamp;
        drop_code = c->code_written || c->code_in_system || epoch != c->tlb_epoch;
        c->code_written = c->code_in_system = false;
        c->tlb_epoch = epoch;
    }
    pthread_mutex_unlock(&c->lock);
    if (lost)
        gpu_guest_error(g,
                        "coherency: gl2_inv without gl2_wb drops what a shader wrote (page 0x%llx)",
                        (unsigned long long)page);
    if (drop_code) {
        jit_code_changed(g);
        isa_invalidate_code();
    }
}

void cache_host_fence(struct gpu *g, const char *what) {
    struct cache *c = cache_of(g);
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    bool late = c->dirty_system > c->wb_gl2;
    uint64_t page = c->dirty_system_page;
    c->dirty_system = 0;
    pthread_mutex_unlock(&c->lock);
    if (late)
        gpu_guest_error(
            g,
            "coherency: %s signals the host while GL2 holds unwritten results of system "
            "memory (page 0x%llx): no gl2_wb since a shader wrote it",
            what, (unsigned long long)page);
}

/* ---- from outside GL2 ---- */

static void write_behind(struct gpu *g, enum gpu_agent who, uint64_t off, uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    pthread_mutex_lock(&c->lock);
    uint64_t stamp = event(c);
    for (uint64_t at = off & ~4095ull; at < off + len; at += 4096) {
        struct chunk *k = cache_chunk(c, false, at, false); /* NULL: no cache ever held it */
        if (k) wrote_behind(c, page_in(k, at), who, stamp);
    }
    pthread_mutex_unlock(&c->lock);
}

void cache_bar0_write(struct gpu *g, uint64_t off, uint64_t len) {
    write_behind(g, AGENT_BAR0, off, len);
}

void cache_psp_write(struct gpu *g, uint64_t off, uint64_t len) {
    write_behind(g, AGENT_PSP, off, len);
}

void cache_bar0_read(struct gpu *g, uint64_t off, uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    uint64_t bad = ~0ull;
    pthread_mutex_lock(&c->lock);
    for (uint64_t at = off & ~4095ull; at < off + len && bad == ~0ull; at += 4096) {
        struct chunk *k = cache_chunk(c, false, at, false);
        struct page *p = k ? page_in(k, at) : NULL;
        if (p && p->dirty > c->wb_gl2 && p->dirty_lines & lines_of(at, off, len))
            bad = at, p->dirty = 0;
    }
    pthread_mutex_unlock(&c->lock);
    if (bad != ~0ull)
        gpu_guest_error(g,
                        "coherency: BAR0 reads VRAM page 0x%llx while a shader's writes to it are "
                        "still in GL2: no writeback (RELEASE_MEM gl2_wb) in between",
                        (unsigned long long)bad);
}

void cache_system_unmapped(struct gpu *g, uint64_t lo, uint64_t hi, uint64_t bus, uint64_t size) {
    struct cache *c = cache_of(g);
    if (!c || !size) return;
    const uint64_t bytes = 1ull << CHUNK_SHIFT;
    pthread_mutex_lock(&c->lock);
    for (uint64_t at = bus & ~(bytes - 1); at < bus + size; at += bytes) {
        if (at < lo || at + bytes > hi) continue; /* shared with memory that is mapped still */
        struct chunk **p = system_list(c, at >> CHUNK_SHIFT);
        while (*p && (*p)->key != at >> CHUNK_SHIFT)
            p = &(*p)->next;
        struct chunk *k = *p;
        if (k) *p = k->next;
        free(k);
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- life ---- */

static void forget(struct cache *c) {
    for (uint64_t i = 0; c->vram && i < c->vram_chunks; i++) {
        free(c->vram[i]);
        c->vram[i] = NULL;
    }
    for (unsigned i = 0; i < HASH_SIZE; i++) {
        while (c->system[i]) {
            struct chunk *k = c->system[i];
            c->system[i] = k->next;
            free(k);
        }
    }
}

void cache_init(struct gpu *g) {
    struct cache *c = calloc(1, sizeof *c);
    if (!c) return;
    c->g = g;
    pthread_mutex_init(&c->lock, NULL);
    c->vram_chunks = g->vram_size >> CHUNK_SHIFT;
    c->vram = calloc(c->vram_chunks ? c->vram_chunks : 1, sizeof *c->vram);
    if (!c->vram) c->vram_chunks = 0;
    *gpu_slot(g, GPU_SLOT_CACHE) = c;
}

void cache_reset(struct gpu *g) {
    struct cache *c = cache_of(g);
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    forget(c);
    uint64_t stamp = event(c);
    for (int i = 0; i < CACHE_COUNT; i++)
        c->inv[i] = stamp;
    c->wb_gl2 = stamp;
    c->dirty_system = c->dirty_any = 0;
    c->order = (struct order){0};
    c->code_written = true;
    pthread_mutex_unlock(&c->lock);
}

void cache_fini(struct gpu *g) {
    struct cache *c = cache_of(g);
    if (!c) return;
    forget(c);
    free(c->vram);
    pthread_mutex_destroy(&c->lock);
    *gpu_slot(g, GPU_SLOT_CACHE) = NULL;
    free(c);
}
