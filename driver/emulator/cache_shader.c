/* SPDX-License-Identifier: MIT */
/* cache_shader.c - the rules of cache.h for shaders. */
#include <string.h>

#include "driver/emulator/cache_priv.h"

static uint32_t hash_bytes(const uint8_t *p, unsigned len) {
    uint64_t h = 0x9e3779b97f4a7c15ull;
    for (unsigned i = 0; i < len; i += 32) {
        uint64_t a, b, d, e;
        memcpy(&a, p + i, 8), memcpy(&b, p + i + 8, 8);
        memcpy(&d, p + i + 16, 8), memcpy(&e, p + i + 24, 8);
        h = (h ^ a ^ (b << 17 | b >> 47)) * 0xff51afd7ed558ccdull;
        h = (h ^ d ^ (e << 29 | e >> 35)) * 0xc4ceb9fe1a85ec53ull;
        h ^= h >> 32;
    }
    return (uint32_t)h | 1;
}

static uint32_t hash_page(const uint8_t *p) {
    return hash_bytes(p, 4096);
}

/* Who wrote the page after `fill` and not after the dispatch began; -1: nobody. *when: its stamp.
 */
static int written_since(const struct page *p, uint64_t fill, uint64_t stamp, uint64_t *when) {
    if (p->wr_gl2 > fill && p->wr_gl2 <= stamp) return *when = p->wr_gl2, p->gl2_writer;
    if (p->wr_mem > fill && p->wr_mem <= stamp) return *when = p->wr_mem, p->mem_writer;
    if (p->wr_shader > fill && p->wr_shader <= stamp) return *when = p->wr_shader, AGENT_SHADER;
    return -1;
}

/* A page read through I$ or K$. */
static void judge_page(struct cache *c, enum cache_kind kind, uint64_t stamp,
                       const struct gpu_xlat *x, struct page *p, uint64_t at, struct finding *f) {
    uint64_t *fill = &p->fill[kind], when = 0;
    if (*fill > c->inv[kind]) {
        int who = written_since(p, *fill, stamp, &when);
        if (who < 0 && x->system && p->hash && *fill < stamp &&
            hash_page(x->host + (at - x->va)) != p->hash)
            who = AGENT_CPU;
        if (who < 0) return;
        cache_found(f, kind, at, who, "a shader");
    }
    *fill = stamp;
    if (x->system) p->hash = hash_page(x->host + (at - x->va));
    if (kind == CACHE_I && x->system) c->code_in_system = true;
}

/* R5 for V$: a block of system memory that nothing of the chip can have written since, and that is
 * not what it was. */
static bool cpu_changed(const struct chunk *k, const struct page *p, uint64_t fill, uint64_t stamp,
                        uint8_t block, uint32_t hash) {
    uint64_t when;
    return p->hash_v && p->block_v == block && fill < stamp && k->wr_window < fill &&
           written_since(p, fill, UINT64_MAX, &when) < 0 && p->hash_v != hash;
}

/* The page of the very access, read through V$. */
static void judge_vector(struct cache *c, struct chunk *k, struct page *p, uint64_t stamp,
                         const struct gpu_xlat *x, uint64_t va, struct finding *f) {
    uint64_t inv = c->inv[CACHE_V], when = 0;
    uint64_t fill = held_since(p->fill[CACHE_V], k->fill_v, inv);
    if (x->mtype != MTYPE_UC) cache_through_gl2(c, k, p, stamp, stamp, va, "a shader", false, f);
    int who = fill ? written_since(p, fill, stamp, &when) : -1;
    if (who >= 0 && news(p, when)) cache_found(f, CACHE_V, va, who, "a shader");
    bool first = p->fill[CACHE_V] <= inv;
    if (x->system && (first || p->fill[CACHE_V] < stamp)) {
        uint8_t block = va >> BLOCK_SHIFT & 7;
        const uint8_t *at = x->host + ((va & ~((1ull << BLOCK_SHIFT) - 1)) - x->va);
        uint32_t hash = hash_bytes(at, 1u << BLOCK_SHIFT);
        if (!first && cpu_changed(k, p, p->fill[CACHE_V], stamp, block, hash))
            cache_found(f, CACHE_V, va, AGENT_CPU, "a shader");
        if (first || p->block_v != block || p->hash_v != hash) {
            p->block_v = block;
            p->hash_v = hash;
            p->fill[CACHE_V] = stamp;
        }
    }
    if (first) p->fill[CACHE_V] = stamp;
}

/* All that the piece lets the dispatch touch: it may be in V$ and GL2, or be written (which matters
 * where only a hash tells what the CPU wrote). */
static void open_window(struct cache *c, uint64_t stamp, bool write, const struct gpu_xlat *x,
                        uint64_t va, uint64_t len) {
    if (write && !x->system) return;
    for (uint64_t at = x->pa + (va - x->va), end = at + len; at < end;
         at = (at | ((1ull << CHUNK_SHIFT) - 1)) + 1) {
        struct chunk *k = cache_chunk(c, x->system, at, true);
        if (!k) continue;
        if (write) k->wr_window = stamp;
        if (!write && k->fill_v <= c->inv[CACHE_V]) k->fill_v = stamp;
        if (x->mtype != MTYPE_UC && k->fill_gl2 <= c->inv[CACHE_GL2]) k->fill_gl2 = stamp;
    }
}

static void note_write(struct cache *c, struct page *p, uint64_t stamp, const struct gpu_xlat *x,
                       uint64_t va) {
    uint32_t line = 1u << (va >> 7 & 31);
    if (p->wr_shader != stamp) p->wr_lines = 0;
    p->wr_shader = stamp;
    p->wr_lines |= line;
    if (p->fill[CACHE_I]) c->code_written = true;
    if (x->mtype == MTYPE_UC) return;
    if (p->fill[CACHE_GL2] <= c->inv[CACHE_GL2]) p->fill[CACHE_GL2] = stamp;
    if (p->dirty <= c->wb_gl2) p->dirty_lines = 0;
    p->dirty = stamp;
    p->dirty_lines |= line;
    c->dirty_any = stamp, c->dirty_any_page = va & ~4095ull;
    if (x->system) c->dirty_system = stamp, c->dirty_system_page = va & ~4095ull;
}

/* The dword of the very access: what is known of it, R6 and R7. */
static void exact_access(struct cache *c, const struct cache_order *o, bool write,
                         const struct gpu_xlat *x, struct page *p, uint64_t va, struct finding *f) {
    uint64_t launched = p->wr_shader ? p->wr_shader - 1 : 0;
    uint64_t ordered = c->order.known[ORDER_COMPUTE][ORDER_COMPUTE]; /* the host had seen its end */
    if (o->ordered > ordered) ordered = o->ordered;
    if (!write && launched > ordered && launched < o->stamp && p->wr_lines >> (va >> 7 & 31) & 1 &&
        news(p, p->wr_shader))
        cache_found(f, RACE, va, AGENT_SHADER, "a shader");
    if (order_shader_hazard(&c->order, write, x->system, x->pa + (va - x->va)))
        cache_found(f, UNORDERED, va, write ? AGENT_SHADER : AGENT_SDMA, "WAIT_REG_MEM");
    if (write) {
        note_write(c, p, o->stamp + 1, x, va);
        return;
    }
    if (p->rd_shader != o->stamp) p->rd_lines = 0;
    p->rd_shader = o->stamp;
    p->rd_lines |= 1u << (va >> 7 & 31);
}

void cache_shader(struct gpu *g, const struct cache_order *o, enum cache_kind kind, bool write,
                  uint64_t asked, const struct gpu_xlat *x, uint64_t va, uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    struct finding f = {.what = -1};
    pthread_mutex_lock(&c->lock);
    struct chunk *ak = cache_chunk(c, x->system, x->pa + (asked - x->va), true);
    if (ak) {
        struct page *ap = page_in(ak, x->pa + (asked - x->va));
        if (kind == CACHE_V && !write) judge_vector(c, ak, ap, o->stamp, x, asked, &f);
        if (kind != CACHE_V) {
            FOR_PAGES(c, x, va, len) {
                if (x->mtype != MTYPE_UC)
                    cache_through_gl2(c, k, p, o->stamp, o->stamp, at, "a shader", write, &f);
                judge_page(c, kind, o->stamp, x, p, at, &f);
            }
        }
        exact_access(c, o, write, x, ap, asked, &f);
    }
    if (kind == CACHE_V) open_window(c, o->stamp, write, x, va, len);
    pthread_mutex_unlock(&c->lock);
    cache_report(g, &f);
}
