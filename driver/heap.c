/* SPDX-License-Identifier: MIT */
/* heap.c - two-level segregated fit (Masmano et al., "TLSF: a new dynamic memory allocator for
 * real-time systems", 2004) with its bookkeeping outside the managed ranges. */
#include "driver/heap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define SL_BITS 4
#define SL      (1 << SL_BITS) /* second-level classes in each power of two */
#define FL      64

struct heap {
    uint64_t base, size, grain, free_bytes;
    uint64_t fl_map;
    uint32_t sl_map[FL];
    struct heap_block *lists[FL][SL];
    struct heap_block *first; /* lowest address */
};

static unsigned log2_floor(uint64_t v) {
    return 63 - (unsigned)__builtin_clzll(v);
}

/* The class whose list a free block of this size (in grains) belongs to. */
static void class_of(uint64_t n, unsigned *fl, unsigned *sl) {
    unsigned f = log2_floor(n);
    *fl = f;
    *sl = f >= SL_BITS ? (unsigned)(n >> (f - SL_BITS)) & (SL - 1)
                       : (unsigned)(n << (SL_BITS - f)) & (SL - 1);
}

static uint64_t grains(const struct heap *h, uint64_t bytes) {
    return bytes >> log2_floor(h->grain);
}

static void list_insert(struct heap *h, struct heap_block *b) {
    unsigned fl, sl;
    class_of(grains(h, b->size), &fl, &sl);
    b->is_free = 1;
    b->free_prev = NULL;
    b->free_next = h->lists[fl][sl];
    if (b->free_next) b->free_next->free_prev = b;
    h->lists[fl][sl] = b;
    h->fl_map |= 1ull << fl;
    h->sl_map[fl] |= 1u << sl;
    h->free_bytes += b->size;
}

static void list_remove(struct heap *h, struct heap_block *b) {
    unsigned fl, sl;
    class_of(grains(h, b->size), &fl, &sl);
    if (b->free_prev)
        b->free_prev->free_next = b->free_next;
    else
        h->lists[fl][sl] = b->free_next;
    if (b->free_next) b->free_next->free_prev = b->free_prev;
    if (!h->lists[fl][sl]) {
        h->sl_map[fl] &= ~(1u << sl);
        if (!h->sl_map[fl]) h->fl_map &= ~(1ull << fl);
    }
    b->is_free = 0;
    h->free_bytes -= b->size;
}

struct heap *heap_create(uint64_t base, uint64_t size, uint64_t grain) {
    if (!grain || (grain & (grain - 1)) || base + size < base) return NULL;
    uint64_t lo = (base + grain - 1) & ~(grain - 1);
    uint64_t hi = (base + size) & ~(grain - 1);
    if (lo < base || hi <= lo) return NULL;
    struct heap *h = calloc(1, sizeof(*h));
    struct heap_block *b = calloc(1, sizeof(*b));
    if (!h || !b) {
        free(h);
        free(b);
        return NULL;
    }
    h->base = lo;
    h->size = hi - lo;
    h->grain = grain;
    b->base = lo;
    b->size = hi - lo;
    h->first = b;
    list_insert(h, b);
    return h;
}

void heap_destroy(struct heap *h) {
    if (!h) return;
    for (struct heap_block *b = h->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(h);
}

/* Does the block hold size bytes at this alignment? *at receives where. */
static bool fits(const struct heap_block *b, uint64_t size, uint64_t align, uint64_t *at) {
    uint64_t a = (b->base + align - 1) & ~(align - 1);
    if (a < b->base || a - b->base > b->size || b->size - (a - b->base) < size) return false;
    *at = a;
    return true;
}

/* First fit over the lists from the class of size upwards. Blocks in a higher class hold the size
 * for certain; the alignment may still rule them out. */
static struct heap_block *find(struct heap *h, uint64_t size, uint64_t align, uint64_t *at) {
    unsigned fl, sl;
    class_of(grains(h, size), &fl, &sl);
    for (; fl < FL; fl++, sl = 0) {
        if (!(h->fl_map >> fl)) return NULL;
        for (uint32_t m = h->sl_map[fl] & (~0u << sl); m; m &= m - 1) {
            struct heap_block *b = h->lists[fl][__builtin_ctz(m)];
            for (; b; b = b->free_next)
                if (fits(b, size, align, at)) return b;
        }
    }
    return NULL;
}

/* Cuts b in two at bytes; the second part is linked in, in no free list. */
static struct heap_block *split(struct heap_block *b, uint64_t bytes, struct heap_block *rest) {
    rest->base = b->base + bytes;
    rest->size = b->size - bytes;
    rest->prev = b;
    rest->next = b->next;
    if (b->next) b->next->prev = rest;
    b->next = rest;
    b->size = bytes;
    return rest;
}

int heap_alloc(struct heap *h, uint64_t size, uint64_t align, struct heap_block **out) {
    *out = NULL;
    if (!align) align = h->grain;
    if (!size || (align & (align - 1))) return -EINVAL;
    if (align < h->grain) align = h->grain;
    if (size > h->size) return -ENOSPC;
    size = (size + h->grain - 1) & ~(h->grain - 1);
    uint64_t at;
    struct heap_block *b = find(h, size, align, &at);
    if (!b) return -ENOSPC;
    struct heap_block *spare[2] = {calloc(1, sizeof(*b)), calloc(1, sizeof(*b))};
    if (!spare[0] || !spare[1]) {
        free(spare[0]);
        free(spare[1]);
        return -ENOMEM;
    }
    list_remove(h, b);
    if (at != b->base) {
        struct heap_block *lead = b;
        b = split(lead, at - lead->base, spare[0]);
        spare[0] = NULL;
        list_insert(h, lead);
    }
    if (b->size != size) {
        list_insert(h, split(b, size, spare[1]));
        spare[1] = NULL;
    }
    free(spare[0]);
    free(spare[1]);
    *out = b;
    return 0;
}

/* Joins b and its right neighbour; both in no free list. */
static void join(struct heap_block *b) {
    struct heap_block *n = b->next;
    b->size += n->size;
    b->next = n->next;
    if (n->next) n->next->prev = b;
    free(n);
}

void heap_free(struct heap *h, struct heap_block *b) {
    if (!b) return;
    if (b->next && b->next->is_free) {
        list_remove(h, b->next);
        join(b);
    }
    if (b->prev && b->prev->is_free) {
        b = b->prev;
        list_remove(h, b);
        join(b);
    }
    list_insert(h, b);
}

uint64_t heap_free_bytes(const struct heap *h) {
    return h->free_bytes;
}

uint64_t heap_largest_free(const struct heap *h) {
    if (!h->fl_map) return 0;
    unsigned fl = log2_floor(h->fl_map);
    uint64_t best = 0;
    for (const struct heap_block *b = h->lists[fl][log2_floor(h->sl_map[fl])]; b; b = b->free_next)
        if (b->size > best) best = b->size;
    return best;
}

int heap_check(const struct heap *h) {
    uint64_t at = h->base, free_bytes = 0, listed = 0;
    const struct heap_block *prev = NULL;
    for (const struct heap_block *b = h->first; b; prev = b, b = b->next) {
        if (b->base != at || b->prev != prev) return 1;
        if (!b->size || (b->size & (h->grain - 1))) return 2;
        if (prev && prev->is_free && b->is_free) return 3;
        if (b->is_free) free_bytes += b->size;
        at += b->size;
    }
    if (at != h->base + h->size) return 4;
    if (free_bytes != h->free_bytes) return 5;
    for (unsigned fl = 0; fl < FL; fl++) {
        if (!!h->sl_map[fl] != (h->fl_map >> fl & 1)) return 6;
        for (unsigned sl = 0; sl < SL; sl++) {
            if (!!h->lists[fl][sl] != (h->sl_map[fl] >> sl & 1)) return 7;
            for (const struct heap_block *b = h->lists[fl][sl]; b; b = b->free_next) {
                unsigned f, s;
                class_of(grains(h, b->size), &f, &s);
                if (!b->is_free || f != fl || s != sl) return 8;
                listed += b->size;
            }
        }
    }
    return listed == free_bytes ? 0 : 9;
}
