/* SPDX-License-Identifier: MIT */
/* cache_engine.c - the rules of cache.h for the CP and SDMA, and what they wait for. */
#include "driver/emulator/cache_priv.h"

/* SDMA is not behind GL2 and runs beside the dispatches. lines: what of the page it accesses. */
static void judge_copy(struct cache *c, struct page *p, bool write, uint32_t lines, uint64_t at,
                       struct finding *f) {
    uint64_t waited = c->order.known[ORDER_COPY][ORDER_COMPUTE];
    if (c->order.data) {
        if (p->wr_shader > waited + 1 && p->wr_lines & lines && news(p, p->wr_shader))
            cache_found(f, UNORDERED, at, AGENT_SHADER, "POLL_REGMEM");
        if (write && p->rd_shader > waited && p->rd_lines & lines && news(p, p->rd_shader))
            cache_found(f, UNORDERED, at, AGENT_SDMA, "POLL_REGMEM");
    }
    if (!write && p->dirty > c->wb_gl2 && p->dirty_lines & lines && news(p, p->dirty))
        cache_found(f, DIRTY, at, AGENT_SHADER, cache_agent_names[AGENT_SDMA]);
}

/* Chunks that no cache and no shader ever saw are left out. */
static void copies(struct cache *c, bool write, const struct gpu_xlat *x, uint64_t va, uint64_t len,
                   struct finding *f) {
    uint64_t stamp = event(c), pa = x->pa + (va - x->va), at = pa & ~4095ull, end = pa + len;
    while (at < end) {
        struct chunk *k = cache_chunk(c, x->system, at, false);
        uint64_t stop = (at | ((1ull << CHUNK_SHIFT) - 1)) + 1;
        for (; k && at < end && at < stop; at += 4096) {
            struct page *p = page_in(k, at);
            judge_copy(c, p, write, lines_of(at, pa, len), x->va + (at - x->pa), f);
            if (write) wrote_behind(c, p, AGENT_SDMA, stamp);
        }
        if (!k) at = stop;
    }
    if (!write && order_copy_hazard(&c->order, x->system, pa, len))
        cache_found(f, OVERLAP, va, AGENT_SDMA, cache_agent_names[AGENT_SDMA]);
    order_copy(&c->order, write, x->system, pa, len, stamp);
}

void cache_read(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    if (who != AGENT_SDMA && x->mtype == MTYPE_UC) return;
    struct finding f = {.what = -1};
    pthread_mutex_lock(&c->lock);
    if (who == AGENT_SDMA) {
        copies(c, false, x, va, len, &f);
    } else {
        FOR_PAGES(c, x, va, len) {
            cache_through_gl2(c, k, p, c->now, c->now, at, cache_agent_names[who], false, &f);
        }
    }
    pthread_mutex_unlock(&c->lock);
    cache_report(g, &f);
}

void cache_write(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                 uint64_t len) {
    struct cache *c = cache_of(g);
    if (!c || !len) return;
    struct finding f = {.what = -1};
    pthread_mutex_lock(&c->lock);
    if (who == AGENT_SDMA) {
        copies(c, true, x, va, len, &f);
    } else {
        uint64_t stamp = c->order.seen[ORDER_COMPUTE] = event(c);
        FOR_PAGES(c, x, va, len) {
            if (x->mtype == MTYPE_UC) {
                wrote_behind(c, p, who, stamp);
                continue;
            }
            p->wr_gl2 = stamp;
            p->gl2_writer = (uint8_t)who;
            if (p->fill[CACHE_I]) c->code_written = true;
        }
    }
    pthread_mutex_unlock(&c->lock);
    cache_report(g, &f);
}

/* ---- order ---- */

static enum order_queue queue_of(enum gpu_agent who) {
    return who == AGENT_SDMA ? ORDER_COPY : ORDER_COMPUTE;
}

static uint64_t place_key(const struct gpu_xlat *x, uint64_t va) {
    return (x->pa + (va - x->va)) | (uint64_t)x->system << 63;
}

void cache_fence(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                 uint32_t value) {
    struct cache *c = cache_of(g);
    if (!c || !x) return;
    pthread_mutex_lock(&c->lock);
    order_fence(&c->order, queue_of(who), place_key(x, va), value, event(c));
    pthread_mutex_unlock(&c->lock);
}

void cache_waited(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                  uint32_t value) {
    struct cache *c = cache_of(g);
    if (!c || !x) return;
    pthread_mutex_lock(&c->lock);
    order_waited(&c->order, queue_of(who), place_key(x, va), value, event(c));
    pthread_mutex_unlock(&c->lock);
}

void cache_doorbell(struct gpu *g, enum gpu_agent who) {
    struct cache *c = cache_of(g);
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    order_doorbell(&c->order, queue_of(who));
    pthread_mutex_unlock(&c->lock);
}

void cache_copy_packet(struct gpu *g, bool data) {
    struct cache *c = cache_of(g);
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->order.packet++;
    c->order.data = data;
    if (!data) c->order.seen[ORDER_COPY] = event(c);
    pthread_mutex_unlock(&c->lock);
}

void cache_queue_gone(struct gpu *g) {
    struct cache *c = cache_of(g);
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    order_gone(&c->order, event(c));
    pthread_mutex_unlock(&c->lock);
}
