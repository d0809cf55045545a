/* SPDX-License-Identifier: MIT */
/* heap.h - an allocator of address ranges (VRAM offsets, GPU virtual addresses). It owns numbers
 * only, never touches the memory they stand for, and does no locking. Two-level segregated fit:
 * constant time in the usual case, neighbours are merged at every free. */
#ifndef RAWCL_DRIVER_HEAP_H
#define RAWCL_DRIVER_HEAP_H

#include <stdint.h>

struct heap;

/* One allocated range. Owned by the heap until heap_free. */
struct heap_block {
    uint64_t base, size; /* bytes; read only for the caller */
    /* The heap's own: neighbours in address order, neighbours in the free list. */
    struct heap_block *prev, *next, *free_prev, *free_next;
    int is_free;
};

/* A heap over [base, base + size). grain: power of two; every range begins and ends on it. NULL:
 * out of memory or an empty or overflowing range. */
struct heap *heap_create(uint64_t base, uint64_t size, uint64_t grain);
/* Frees the bookkeeping; ranges still allocated are forgotten. */
void heap_destroy(struct heap *h);
/* size in bytes, rounded up to the grain; align: power of two (0: the grain). 0, -EINVAL, -ENOSPC
 * (no such range is free) or -ENOMEM (no memory for the bookkeeping). */
int heap_alloc(struct heap *h, uint64_t size, uint64_t align, struct heap_block **out);
void heap_free(struct heap *h, struct heap_block *b);
uint64_t heap_free_bytes(const struct heap *h);
uint64_t heap_largest_free(const struct heap *h);
/* Checks every invariant; 0 or the number of the one that is broken. For tests. */
int heap_check(const struct heap *h);

#endif
