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
    uint64_t fill[CACHE_COUNT]; /* by accesses to this very page; V$ not used */
    uint64_t wr_gl2;            /* last write by CP or SDMA through GL2 */
    uint64_t wr_mem;            /* last write behind GL2 */
    uint64_t wr_shader;         /* last shader write that asked for this very page */
    uint64_t dirty;             /* ... and stays in GL2 until a writeback */
    uint64_t raced;             /* the dispatch that R6 was reported for */
    uint32_t hash;              /* of the contents at the fill of I$ or K$, system memory only */
    uint8_t gl2_writer, mem_writer;
};

/* Vector accesses cover large pieces, of which only some pages are touched: they are kept by the
 * chunk. */
struct chunk {
    uint64_t key; /* pa >> CHUNK_SHIFT */
    struct chunk *next;
    uint64_t judged;               /* stamp of the dispatch whose V$ reads were judged */
    uint64_t fill_v, fill_gl2;     /* of all pages */
    uint64_t wr_last, wr_mem_last; /* newest of the pages' wr_gl2 and wr_mem, of their wr_mem */
    uint64_t wr_shader;            /* newest of the pages' */
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

static struct chunk **system_list(struct cache *c, uint64_t key) {
    return &c->system[(key * 0x9e3779b97f4a7c15ull) >> 52];
}

static struct chunk *chunk_at(struct cache *c, bool system, uint64_t pa, bool make) {
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

static struct page *page_in(struct chunk *k, uint64_t pa) {
    return &k->page[pa >> PAGE_SHIFT & (CHUNK_PAGES - 1)];
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

enum { RACE = CACHE_COUNT }; /* R6, beside the caches */

struct finding {
    int cache; /* -1: none, RACE */
    uint64_t va;
    int writer;
    const char *reader;
};

static void report(struct gpu *g, const struct finding *f) {
    if (f->cache < 0) return;
    if (f->cache == RACE) {
        gpu_guest_error(g,
                        "coherency: a dispatch reads 0x%llx, which an earlier dispatch wrote, and "
                        "neither CS_PARTIAL_FLUSH nor a wait orders them: they may overlap",
                        (unsigned long long)f->va);
        return;
    }
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

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* A read or write of a cached page by a client of GL2. before: only writes up to it count. */
static void through_gl2(struct cache *c, struct chunk *k, struct page *p, uint64_t before,
                        uint64_t stamp, uint64_t va, const char *reader, bool write,
                        struct finding *f) {
    uint64_t fill = later(p->fill[CACHE_GL2], k->fill_gl2);
    bool held = fill > c->inv[CACHE_GL2];
    if (held && !write && p->wr_mem > fill && p->wr_mem <= before) {
        found(f, CACHE_GL2, va, p->mem_writer, reader);
        held = false;
    }
    if (!held) p->fill[CACHE_GL2] = stamp;
}

/* The stamp of a new event; fills that follow are later than it. */
static uint64_t event(struct cache *c) {
    c->now += 4;
    return c->now - 2;
}

/* Pages of [va, va + len) in x: the statement sees their chunk k, themselves p and their va at. */
#define FOR_PAGES(c, x, va, len)                                                                   \
    for (uint64_t at = (va) & ~4095ull, end = (va) + (len); at < end; at += 4096)                  \
        for (struct chunk *k = chunk_at(c, (x)->system, (x)->pa + at - (x)->va, true); k;          \
             k = NULL)                                                                             \
            for (struct page *p = page_in(k, (x)->pa + at - (x)->va); p; p = NULL)

void cache_read(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len || x->mtype == MTYPE_UC) return;
    struct finding f = {.cache = -1};
    pthread_mutex_lock(&c->lock);
    FOR_PAGES(c, x, va, len) {
        through_gl2(c, k, p, c->now, c->now, at, agent_names[who], false, &f);
    }
    pthread_mutex_unlock(&c->lock);
    report(g, &f);
}

static void wrote_behind(struct cache *c, struct chunk *k, struct page *p, enum gpu_agent who,
                         uint64_t stamp) {
    p->wr_mem = k->wr_last = k->wr_mem_last = stamp;
    p->mem_writer = (uint8_t)who;
    if (p->fill[CACHE_I]) c->code_written = true;
}

void cache_write(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                 uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    pthread_mutex_lock(&c->lock);
    uint64_t stamp = event(c);
    FOR_PAGES(c, x, va, len) {
        if (x->mtype == MTYPE_UC) {
            wrote_behind(c, k, p, who, stamp);
            continue;
        }
        p->wr_gl2 = k->wr_last = stamp;
        p->gl2_writer = (uint8_t)who;
        if (p->fill[CACHE_I]) c->code_written = true;
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- shaders ---- */

/* Who wrote the page after `fill` and not after the dispatch began; -1: nobody. */
static int written_since(const struct page *p, uint64_t fill, uint64_t stamp) {
    if (p->wr_gl2 > fill && p->wr_gl2 <= stamp) return p->gl2_writer;
    if (p->wr_mem > fill && p->wr_mem <= stamp) return p->mem_writer;
    if (p->wr_shader > fill && p->wr_shader <= stamp) return AGENT_SHADER;
    return -1;
}

/* A page read through I$ or K$. */
static void judge_page(struct cache *c, enum cache_kind kind, uint64_t stamp,
                       const struct gpu_xlat *x, struct page *p, uint64_t at, struct finding *f) {
    uint64_t *fill = &p->fill[kind];
    if (*fill > c->inv[kind]) {
        int who = written_since(p, *fill, stamp);
        if (who < 0 && x->system && p->hash && *fill < stamp &&
            hash_page(x->host + (at - x->va)) != p->hash)
            who = AGENT_CPU;
        if (who < 0) return;
        found(f, kind, at, who, "a shader");
    }
    *fill = stamp;
    if (x->system) p->hash = hash_page(x->host + (at - x->va));
    if (kind == CACHE_I && x->system) c->code_in_system = true;
}

/* What of [va, va + len) lies in the chunk of va: bytes. */
static uint64_t in_chunk(const struct gpu_xlat *x, uint64_t va, uint64_t len) {
    uint64_t left = (1ull << CHUNK_SHIFT) - ((x->pa + (va - x->va)) & ((1u << CHUNK_SHIFT) - 1));
    return len < left ? len : left;
}

/* The part of a piece that lies in chunk k, read through V$. */
static void judge_chunk(struct cache *c, struct chunk *k, uint64_t stamp, const struct gpu_xlat *x,
                        uint64_t va, uint64_t len, struct finding *f) {
    if (k->judged == stamp) return;
    k->judged = stamp;
    bool cached = x->mtype != MTYPE_UC;
    bool held = k->fill_v > c->inv[CACHE_V];
    bool look_v = held && k->wr_last > k->fill_v;
    bool look_gl2 = cached && k->wr_mem_last > c->inv[CACHE_GL2];
    for (uint64_t at = va & ~4095ull; (look_v || look_gl2) && at < va + len; at += 4096) {
        struct page *p = page_in(k, x->pa + (at - x->va));
        if (look_gl2) through_gl2(c, k, p, stamp, stamp, at, "a shader", false, f);
        int who = look_v ? written_since(p, k->fill_v, stamp) : -1;
        if (who < 0) continue;
        found(f, CACHE_V, at, who, "a shader");
        held = false;
    }
    if (held && k->wr_shader > k->fill_v && k->wr_shader <= stamp) {
        found(f, CACHE_V, va, AGENT_SHADER, "a shader");
        held = false;
    }
    if (!held) k->fill_v = stamp;
    if (cached && k->fill_gl2 <= c->inv[CACHE_GL2]) k->fill_gl2 = stamp;
}

static void vector_read(struct cache *c, uint64_t stamp, const struct gpu_xlat *x, uint64_t va,
                        uint64_t len, struct finding *f) {
    while (len) {
        uint64_t n = in_chunk(x, va, len);
        struct chunk *k = chunk_at(c, x->system, x->pa + (va - x->va), true);
        if (k) judge_chunk(c, k, stamp, x, va, n, f);
        va += n, len -= n;
    }
}

/* The page of the very access: that it is written, or R6 (reported once for each write). */
static void exact_access(struct cache *c, const struct cache_order *o, bool write,
                         const struct gpu_xlat *x, uint64_t va, struct finding *f) {
    uint64_t pa = x->pa + (va - x->va);
    struct chunk *k = chunk_at(c, x->system, pa, true);
    if (!k) return;
    struct page *p = page_in(k, pa);
    if (!write) {
        uint64_t launched = p->wr_shader ? p->wr_shader - 1 : 0;
        if (launched <= o->ordered || launched >= o->stamp || p->raced == launched) return;
        p->raced = launched;
        found(f, RACE, va, AGENT_SHADER, "a shader");
        return;
    }
    p->wr_shader = k->wr_shader = o->stamp + 1;
    if (p->fill[CACHE_I]) c->code_written = true;
    if (x->mtype == MTYPE_UC) return;
    p->dirty = o->stamp + 1;
    if (k->fill_gl2 <= c->inv[CACHE_GL2]) k->fill_gl2 = o->stamp;
    if (x->system) c->dirty_system = o->stamp + 1, c->dirty_system_page = va & ~4095ull;
}

void cache_shader(struct gpu *g, const struct cache_order *o, enum cache_kind kind, bool write,
                  uint64_t asked, const struct gpu_xlat *x, uint64_t va, uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    struct finding f = {.cache = -1};
    pthread_mutex_lock(&c->lock);
    if (kind == CACHE_V) {
        if (!write) vector_read(c, o->stamp, x, va, len, &f);
    } else {
        FOR_PAGES(c, x, va, len) {
            if (x->mtype != MTYPE_UC)
                through_gl2(c, k, p, o->stamp, o->stamp, at, "a shader", write, &f);
            judge_page(c, kind, o->stamp, x, p, at, &f);
        }
    }
    exact_access(c, o, write, x, asked, &f);
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
        struct chunk *k = chunk_at(c, false, at, false); /* NULL: no cache ever held it */
        if (k) wrote_behind(c, k, page_in(k, at), who, stamp);
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
        struct chunk *k = chunk_at(c, false, at, false);
        struct page *p = k ? page_in(k, at) : NULL;
        if (p && p->dirty > c->wb_gl2) bad = at, p->dirty = 0;
    }
    pthread_mutex_unlock(&c->lock);
    if (bad != ~0ull)
        gpu_guest_error(g,
                        "coherency: BAR0 reads VRAM page 0x%llx while a shader's writes to it are "
                        "still in GL2: no gl2_wb in between",
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
