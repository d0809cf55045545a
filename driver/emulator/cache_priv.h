/* SPDX-License-Identifier: MIT */
/* cache_priv.h - what cache.c, cache_engine.c and cache_shader.c share. */
#ifndef RAWCL_EMULATOR_CACHE_PRIV_H
#define RAWCL_EMULATOR_CACHE_PRIV_H

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/order.h"

enum { PAGE_SHIFT = 12, CHUNK_SHIFT = 21, CHUNK_PAGES = 1 << (CHUNK_SHIFT - PAGE_SHIFT) };
enum { BLOCK_SHIFT = 9 }; /* of system memory that V$ read: what is hashed */

/* Stamps count events; 0: never. A dispatch's fills carry its stamp s, its writes s + 1. Lines: one
 * bit per 128 bytes. */
struct page {
    uint64_t
        fill[CACHE_COUNT]; /* the oldest since the invalidation, by accesses to this very page */
    uint64_t wr_gl2;       /* last write by the CP through GL2 */
    uint64_t wr_mem;       /* last write behind GL2 */
    uint64_t wr_shader;    /* last dispatch that wrote this very page */
    uint64_t rd_shader;    /* ... or read it */
    uint64_t dirty;        /* last shader write that stays in GL2 until a writeback */
    uint64_t told;         /* the write that was reported */
    uint32_t wr_lines, rd_lines, dirty_lines;
    uint32_t hash;   /* of the contents at the fill of I$ or K$, system memory only */
    uint32_t hash_v; /* of block_v at the fill of V$, the same */
    uint8_t block_v;
    uint8_t gl2_writer, mem_writer;
};

/* Vector accesses may reach all of a large piece, of which only some pages are touched: that a
 * cache may hold them is kept by the chunk. */
struct chunk {
    uint64_t key; /* pa >> CHUNK_SHIFT */
    struct chunk *next;
    uint64_t fill_v, fill_gl2; /* of all pages: the oldest since the invalidation */
    uint64_t wr_window;        /* last dispatch that may write all of it */
    struct page page[CHUNK_PAGES];
};

enum { HASH_SIZE = 4096 };

struct cache {
    struct gpu *g;
    pthread_mutex_t lock;
    uint64_t now; /* even, later than the last event */
    uint64_t inv[CACHE_COUNT], wb_gl2;
    uint64_t dirty_any, dirty_any_page;       /* newest dirty page */
    uint64_t dirty_system, dirty_system_page; /* ... of system memory */
    struct order order;
    uint64_t tlb_epoch;
    _Atomic unsigned pieces; /* vector translations of the running dispatch */
    bool code_written;       /* a page that I$ ever filled was written since the code was dropped */
    bool code_in_system;     /* I$ filled from memory whose CPU writes are invisible */
    struct chunk **vram;
    uint64_t vram_chunks;
    struct chunk *system[HASH_SIZE];
};

static inline struct cache *cache_of(struct gpu *g) {
    return *gpu_slot(g, GPU_SLOT_CACHE);
}

static inline struct page *page_in(struct chunk *k, uint64_t pa) {
    return &k->page[pa >> PAGE_SHIFT & (CHUNK_PAGES - 1)];
}

/* Of a place in memory; NULL if it was never made, or there is no memory for it. */
struct chunk *cache_chunk(struct cache *c, bool system, uint64_t pa, bool make);

/* ---- findings: one for each call, reported after the lock is released ---- */

/* Beside the caches: R6, R3, R7, R8. */
enum { RACE = CACHE_COUNT, DIRTY, UNORDERED, OVERLAP };

struct finding {
    int what; /* a cache, or one of the above; -1: nothing */
    uint64_t va;
    int writer;
    const char *reader;
};

extern const char *const cache_agent_names[];
/* Keeps the first. */
void cache_found(struct finding *f, int what, uint64_t va, int writer, const char *reader);
void cache_report(struct gpu *g, const struct finding *f);

/* When the cache first took what it may still hold of a page, by the page's own accesses or by its
 * chunk's; 0: it holds nothing. */
static inline uint64_t held_since(uint64_t page, uint64_t chunk, uint64_t inv) {
    if (page <= inv) page = 0;
    if (chunk <= inv) chunk = 0;
    return !page || (chunk && chunk < page) ? chunk : page;
}

/* Each write is reported once. */
static inline bool news(struct page *p, uint64_t write) {
    if (p->told == write) return false;
    p->told = write;
    return true;
}

/* The stamp of a new event; fills that follow are later than it. */
static inline uint64_t event(struct cache *c) {
    c->now += 4;
    return c->now - 2;
}

/* The lines of the page at `at` that [va, va + len) touches. */
static inline uint32_t lines_of(uint64_t at, uint64_t va, uint64_t len) {
    uint64_t from = va > at ? va - at : 0, to = va + len - at;
    if (to > 4096) to = 4096;
    unsigned first = (unsigned)(from >> 7), last = (unsigned)((to - 1) >> 7);
    return (last == 31 ? ~0u : (2u << last) - 1) & ~((1u << first) - 1);
}

/* Pages of [va, va + len) in x: the statement sees their chunk k, themselves p and their va at. */
#define FOR_PAGES(c, x, va, len)                                                                   \
    for (uint64_t at = (va) & ~4095ull, end = (va) + (len); at < end; at += 4096)                  \
        for (struct chunk *k = cache_chunk(c, (x)->system, (x)->pa + at - (x)->va, true); k;       \
             k = NULL)                                                                             \
            for (struct page *p = page_in(k, (x)->pa + at - (x)->va); p; p = NULL)

/* A read or write of a cached page by a client of GL2. before: only writes up to it count. */
void cache_through_gl2(struct cache *c, struct chunk *k, struct page *p, uint64_t before,
                       uint64_t stamp, uint64_t va, const char *reader, bool write,
                       struct finding *f);
static inline void wrote_behind(struct cache *c, struct page *p, enum gpu_agent who,
                                uint64_t stamp) {
    p->wr_mem = stamp;
    p->mem_writer = (uint8_t)who;
    if (p->fill[CACHE_I]) c->code_written = true;
}

#endif
