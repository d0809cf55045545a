/* SPDX-License-Identifier: MIT */
/* page_table.h - the GPU's page tables: PDB2 root, four levels of 512 entries (shifts 39 30 21 12),
 * 4 KiB pages, 2 MiB and 1 GiB huge pages, fragments. Pure: tables are kept in a CPU shadow and
 * reach VRAM through callbacks, in batches. No locking; the caller holds its own. */
#ifndef RAWCL_DRIVER_PAGE_TABLE_H
#define RAWCL_DRIVER_PAGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "driver/hw/hw.h"

enum pt_kind {
    PT_VRAM,   /* address: VRAM offset; cached in L2 (MTYPE RW) */
    PT_SYSTEM, /* address: bus address; snooped, not cached in L2 (MTYPE UC) */
};

/* Entry bits of one generation. Source: PTE_* in driver/hw/enums.csv (linux amdgpu_vm.h). */
struct pt_format {
    uint64_t vram, system; /* leaf bits without address and fragment */
    uint64_t huge;         /* set in a leaf above the last level */
    uint64_t table;        /* bits of an entry that points to a table */
};
extern const struct pt_format pt_formats[2]; /* by enum hw_gen */

struct pt_ops {
    /* 4 KiB of VRAM, 4 KiB aligned; contents do not matter. 0 or -errno. */
    int (*table_alloc)(void *ctx, uint64_t *off);
    void (*table_free)(void *ctx, uint64_t off);
    /* Writes entries; nothing may rely on their order or arrival before the caller's HDP flush. */
    int (*write)(void *ctx, uint64_t off, const void *entries, size_t bytes);
};

struct page_table;

#define PT_PAGE    4096ull
#define PT_VA_BITS 48 /* addresses relative to the base: 0 .. 2^48-1 */

/* root: VRAM offset of the root table, which the caller owns; it is cleared by the first commit.
 * va_base: PAGE_TABLE_START_ADDR in bytes; tables are indexed by VA - va_base. */
struct page_table *page_table_create(const struct pt_format *fmt, const struct pt_ops *ops,
                                     void *ctx, uint64_t root, uint64_t va_base);
/* Frees the shadow and (through table_free) every table but the root. Writes nothing. */
void page_table_destroy(struct page_table *pt);

/* Maps [va, va + size) to the pages listed (one address per 4 KiB), or, pages NULL, to contiguous
 * memory at pa. All multiples of 4 KiB. -EEXIST: part of it is mapped already; -ENOSPC or -ENOMEM:
 * no memory for tables. On failure nothing is mapped. page_table_commit makes it visible. */
int page_table_map(struct page_table *pt, uint64_t va, uint64_t size, uint64_t pa,
                   const uint64_t *pages, enum pt_kind kind);
/* Removes exactly what one page_table_map put there. Tables that become empty are unlinked, and
 * freed by page_table_reap once no translation can use them. */
void page_table_unmap(struct page_table *pt, uint64_t va, uint64_t size);
/* Writes every changed entry, lowest tables first. */
int page_table_commit(struct page_table *pt);
/* Frees unlinked tables. Call after the TLB flush that follows the commit. */
void page_table_reap(struct page_table *pt);

/* The leaf that translates va: entry, its level (1: 1 GiB, 2: 2 MiB, 3: 4 KiB); -ENOENT. */
int page_table_lookup(const struct page_table *pt, uint64_t va, uint64_t *entry, unsigned *level);
/* Tables in use, the root included. */
size_t page_table_count(const struct page_table *pt);

#endif
