/* SPDX-License-Identifier: MIT */
/* cache.c - stamps per page that say when each cache last filled it and when it was last written.
 * The rules are in cache.h. */
#include "driver/emulator/cache.h"

#include <stdlib.h>
#include <string.h>

#include "driver/emulator/gpu_state.h"
#include "driver/emulator/isa/isa.h"

enum { PAGE_SHIFT = 12, CHUNK_SHIFT = 21, CHUNK_PAGES = 1 << (CHUNK_SHIFT - PAGE_SHIFT) };

/* Stamps count events; 0: never. A dispatch's fills carry its stamp s, its writes s + 1. */
struct page {
    uint64_t fill[CACHE_COUNT];
    uint64_t wr_gl2; /* last write by a client of GL2 */
    uint64_t wr_mem; /* last write behind GL2 */
    uint64_t dirty;  /* last shader write that stays in GL2 until a writeback */
    uint32_t hash;   /* of the contents at fill[CACHE_I] or fill[CACHE_K], system memory only */
    uint8_t gl2_writer, mem_writer;
};

struct chunk {
    uint64_t key; /* pa >> CHUNK_SHIFT */
    struct chunk *next;
    uint64_t judged[2]; /* V$ read and write: stamp of the dispatch that judged the whole chunk */
    struct page page[CHUNK_PAGES];
};

enum { HASH_SIZE = 4096 };

struct cache {
    struct gpu *g;
    pthread_mutex_t lock;
    uint64_t now; /* even, later than the last event */
    uint64_t inv[CACHE_COUNT], wb_gl2;
    uint64_t dirty_system, dirty_system_page; /* newest dirty page of system memory */
    uint64_t tlb_epoch;
    bool code_written;   /* a page that I$ ever filled was written since the code was dropped */
    bool code_in_system; /* I$ filled from memory whose CPU writes are invisible */
    struct chunk **vram;
    uint64_t vram_chunks;
    struct chunk *system[HASH_SIZE];
};

static const char *const agent_names[] = {"the CPU", "BAR0",     "PSP", "the CP",
                                          "SDMA",    "a shader", "IH"};
static const char *const cache_names[] = {"instruction cache", "scalar cache", "vector cache",
                                          "GL2"};
static const char *const cache_cures[] = {"ACQUIRE_MEM gli_inv", "ACQUIRE_MEM glk_inv",
                                          "ACQUIRE_MEM glv_inv (gfx11: and gl1_inv)",
                                          "ACQUIRE_MEM or RELEASE_MEM gl2_inv"};

static struct cache *cache_of(struct gpu *g) {
    return *gpu_slot(g, GPU_SLOT_CACHE);
}

/* ---- pages ---- */

static struct chunk *chunk_at(struct cache *c, bool system, uint64_t pa, bool make) {
    uint64_t key = pa >> CHUNK_SHIFT;
    if (!system) {
        if (key >= c->vram_chunks) return NULL;
        if (!c->vram[key] && make) c->vram[key] = calloc(1, sizeof(struct chunk));
        return c->vram[key];
    }
    struct chunk **head = &c->system[(key * 0x9e3779b97f4a7c15ull) >> 52];
    for (struct chunk *k = *head; k; k = k->next)
        if (k->key == key) return k;
    if (!make) return NULL;
    struct chunk *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->key = key;
    k->next = *head;
    return *head = k;
}

static struct page *page_at(struct cache *c, bool system, uint64_t pa, bool make) {
    struct chunk *k = chunk_at(c, system, pa, make);
    return k ? &k->page[pa >> PAGE_SHIFT & (CHUNK_PAGES - 1)] : NULL;
}

static uint32_t hash_page(const uint8_t *p) {
    uint64_t h = 0x9e3779b97f4a7c15ull;
    for (unsigned i = 0; i < 4096; i += 32) {
        uint64_t a, b, d, e;
        memcpy(&a, p + i, 8), memcpy(&b, p + i + 8, 8);
        memcpy(&d, p + i + 16, 8), memcpy(&e, p + i + 24, 8);
        h = (h ^ a ^ (b << 17 | b >> 47)) * 0xff51afd7ed558ccdull;
        h = (h ^ d ^ (e << 29 | e >> 35)) * 0xc4ceb9fe1a85ec53ull;
        h ^= h >> 32;
    }
    return (uint32_t)h | 1;
}

/* ---- findings, reported after the lock is released ---- */

struct finding {
    int cache; /* -1: none */
    uint64_t va;
    int writer;
    const char *reader;
};

static void report(struct gpu *g, const struct finding *f) {
    if (f->cache < 0) return;
    gpu_guest_error(
        g,
        "coherency: %s reads 0x%llx through the %s, which may hold the page from before "
        "%s wrote it: no invalidation (%s) in between",
        f->reader, (unsigned long long)f->va, cache_names[f->cache], agent_names[f->writer],
        cache_cures[f->cache]);
}

static void found(struct finding *f, int cache, uint64_t va, int writer, const char *reader) {
    if (f->cache >= 0) return;
    *f = (struct finding){cache, va, writer, reader};
}

/* ---- GL2 ---- */

/* A read or write of a cached page by a client of GL2. before: only writes up to it count. */
static void through_gl2(struct cache *c, struct page *p, uint64_t before, uint64_t stamp,
                        uint64_t va, const char *reader, bool write, struct finding *f) {
    uint64_t *fill = &p->fill[CACHE_GL2];
    bool held = *fill > c->inv[CACHE_GL2];
    if (held && !write && p->wr_mem > *fill && p->wr_mem <= before) {
        found(f, CACHE_GL2, va, p->mem_writer, reader);
        *fill = stamp;
    }
    if (!held) *fill = stamp;
}

/* The stamp of a new event; fills that follow are later than it. */
static uint64_t event(struct cache *c) {
    c->now += 4;
    return c->now - 2;
}

/* Pages of [va, va + len) in x: calls a statement with p and at for each. */
#define FOR_PAGES(c, x, va, len, make)                                                             \
    for (uint64_t at = (va) & ~4095ull, end = (va) + (len); at < end; at += 4096)                  \
        for (struct page *p = page_at(c, (x)->system, (x)->pa + at - (x)->va, make); p; p = NULL)

void cache_read(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len || x->mtype == MTYPE_UC) return;
    struct finding f = {.cache = -1};
    pthread_mutex_lock(&c->lock);
    FOR_PAGES(c, x, va, len, true) {
        through_gl2(c, p, c->now, c->now, at, agent_names[who], false, &f);
    }
    pthread_mutex_unlock(&c->lock);
    report(g, &f);
}

static void note_code_write(struct cache *c, const struct page *p) {
    if (p->fill[CACHE_I]) c->code_written = true;
}

void cache_write(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                 uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    pthread_mutex_lock(&c->lock);
    uint64_t stamp = event(c);
    FOR_PAGES(c, x, va, len, true) {
        if (x->mtype == MTYPE_UC) {
            p->wr_mem = stamp;
            p->mem_writer = (uint8_t)who;
        } else {
            p->wr_gl2 = stamp;
            p->gl2_writer = (uint8_t)who;
        }
        note_code_write(c, p);
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- shaders ---- */

static void judge(struct cache *c, enum cache_kind kind, uint64_t stamp, const struct gpu_xlat *x,
                  struct page *p, uint64_t at, struct finding *f) {
    uint64_t *fill = &p->fill[kind];
    bool held = *fill > c->inv[kind];
    if (held) {
        bool gl2_later = p->wr_gl2 > *fill && p->wr_gl2 <= stamp;
        bool mem_later = p->wr_mem > *fill && p->wr_mem <= stamp;
        bool cpu = !gl2_later && !mem_later && x->system && kind != CACHE_V && p->hash &&
                   *fill < stamp && hash_page(x->host + (at - x->va)) != p->hash;
        if (gl2_later || mem_later || cpu) {
            found(f, kind, at,
                  cpu         ? AGENT_CPU
                  : gl2_later ? p->gl2_writer
                              : p->mem_writer,
                  "a shader");
            held = false;
        }
    }
    if (held) return;
    *fill = stamp;
    if (x->system && kind != CACHE_V) p->hash = hash_page(x->host + (at - x->va));
    if (kind == CACHE_I && x->system) c->code_in_system = true;
}

static void shader_write(struct cache *c, uint64_t stamp, const struct gpu_xlat *x, struct page *p,
                         uint64_t at) {
    if (x->mtype == MTYPE_UC) {
        p->wr_mem = stamp + 1;
        p->mem_writer = AGENT_SHADER;
    } else {
        p->wr_gl2 = p->dirty = stamp + 1;
        p->gl2_writer = AGENT_SHADER;
        if (x->system) c->dirty_system = stamp + 1, c->dirty_system_page = at;
    }
    note_code_write(c, p);
}

void cache_shader(struct gpu *g, uint64_t stamp, enum cache_kind kind, bool write,
                  const struct gpu_xlat *x, uint64_t va, uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    struct finding f = {.cache = -1};
    uint64_t pa = x->pa + (va - x->va);
    pthread_mutex_lock(&c->lock);
    bool whole = kind == CACHE_V && len == 1ull << CHUNK_SHIFT && !(pa & (len - 1));
    struct chunk *k = whole ? chunk_at(c, x->system, pa, true) : NULL;
    if (!k || k->judged[write] != stamp) {
        FOR_PAGES(c, x, va, len, true) {
            if (x->mtype != MTYPE_UC) through_gl2(c, p, stamp, stamp, at, "a shader", write, &f);
            if (!write) judge(c, kind, stamp, x, p, at, &f);
            if (write) shader_write(c, stamp, x, p, at);
        }
        if (k) k->judged[write] = stamp;
    }
    pthread_mutex_unlock(&c->lock);
    report(g, &f);
}

uint64_t cache_dispatch(struct gpu *g) {
    struct cache *c = cache_of(g);
    uint64_t stamp = 2;
    if (c) {
        pthread_mutex_lock(&c->lock);
        stamp = event(c);
        pthread_mutex_unlock(&c->lock);
    }
    isa_invalidate_translations();
    return stamp;
}

/* ---- actions ---- */

void cache_act(struct gpu *g, const struct cache_action *a) {
    struct cache *c = cache_of(g);
    if (!c) return;
    bool drop_code = false;
    uint64_t epoch = gpu_tlb_epoch(g, HUB_GC);
    pthread_mutex_lock(&c->lock);
    uint64_t stamp = event(c);
    if (a->inv_k) c->inv[CACHE_K] = stamp;
    if (a->inv_v) c->inv[CACHE_V] = stamp;
    if (a->wb_gl2) c->wb_gl2 = stamp;
    if (a->inv_gl2) c->inv[CACHE_GL2] = stamp;
    if (a->inv_i) {
        c->inv[CACHE_I] = stamp;
        drop_code = c->code_written || c->code_in_system || epoch != c->tlb_epoch;
        c->code_written = c->code_in_system = false;
        c->tlb_epoch = epoch;
    }
    pthread_mutex_unlock(&c->lock);
    if (drop_code) isa_invalidate_code();
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
        struct page *p = page_at(c, false, at, false);
        if (!p) continue; /* no cache ever held it */
        p->wr_mem = stamp;
        p->mem_writer = (uint8_t)who;
        note_code_write(c, p);
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
        struct page *p = page_at(c, false, at, false);
        if (p && p->dirty > c->wb_gl2) bad = at, p->dirty = 0;
    }
    pthread_mutex_unlock(&c->lock);
    if (bad != ~0ull)
        gpu_guest_error(g,
                        "coherency: BAR0 reads VRAM page 0x%llx while a shader's writes to it are "
                        "still in GL2: no gl2_wb in between",
                        (unsigned long long)bad);
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
    c->dirty_system = 0;
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
