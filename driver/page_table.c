/* SPDX-License-Identifier: MIT */
#include "driver/page_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define ENTRIES   512u
#define LEAF      3u /* AMDGPU_VM_PTB */
#define TOP_HUGE  1u /* the highest level whose entry may be a page: 1 GiB */
#define ADDR_MASK (((1ull << (PTE_ADDR_4K_HI + 1)) - 1) & ~((1ull << PTE_ADDR_4K_LO) - 1))
#define BIT(n)    (1ull << (n))

/* Leaf permissions common to all: valid, readable, writeable, executable. */
#define LEAF_RWX                                                                                   \
    (BIT(PTE_VALID_LO) | BIT(PTE_EXECUTABLE_LO) | BIT(PTE_READABLE_LO) | BIT(PTE_WRITEABLE_LO))
#define LEAF_SYS (LEAF_RWX | BIT(PTE_SYSTEM_LO) | BIT(PTE_SNOOPED_LO))

const struct pt_format pt_formats[2] = {
    [HW_GFX11] = {.vram = LEAF_RWX,
                  .system = LEAF_SYS | (uint64_t)MTYPE_UC << PTE_MTYPE_NV10_LO,
                  .huge = BIT(PTE_PDE_PTE_LO),
                  .table = BIT(PTE_VALID_LO)},
    [HW_GFX12] = {.vram = LEAF_RWX | BIT(PTE_IS_PTE_GFX12_LO),
                  .system = LEAF_SYS | BIT(PTE_IS_PTE_GFX12_LO) |
                            (uint64_t)MTYPE_UC << PTE_MTYPE_GFX12_LO,
                  .huge = BIT(PTE_PDE_PTE_GFX12_LO),
                  .table = BIT(PTE_VALID_LO)},
};

struct table {
    uint64_t off; /* in VRAM */
    unsigned level, used;
    unsigned dirty_lo, dirty_hi; /* entries [lo, hi) differ from VRAM */
    struct table *parent;
    unsigned parent_slot;
    struct table *dirty_next;
    bool in_dirty;
    struct table *dead_next;
    uint64_t entry[ENTRIES];
    struct table *child[]; /* ENTRIES of them above the last level */
};

struct page_table {
    const struct pt_format *fmt;
    const struct pt_ops *ops;
    void *ctx;
    uint64_t va_base;
    struct table *root;
    struct table *dirty[LEAF + 1]; /* by level */
    struct table *dead;
    size_t count;
};

static unsigned shift_of(unsigned level) {
    return 39 - 9 * level;
}

static unsigned slot_of(uint64_t rel, unsigned level) {
    return (unsigned)(rel >> shift_of(level)) & (ENTRIES - 1);
}

static void mark(struct page_table *pt, struct table *t, unsigned lo, unsigned hi) {
    if (t->dirty_lo == t->dirty_hi) {
        t->dirty_lo = lo;
        t->dirty_hi = hi;
    } else {
        if (lo < t->dirty_lo) t->dirty_lo = lo;
        if (hi > t->dirty_hi) t->dirty_hi = hi;
    }
    if (!t->in_dirty) {
        t->in_dirty = true;
        t->dirty_next = pt->dirty[t->level];
        pt->dirty[t->level] = t;
    }
}

static struct table *table_new(struct page_table *pt, unsigned level, uint64_t off) {
    size_t children = level < LEAF ? ENTRIES : 0;
    struct table *t = calloc(1, sizeof(*t) + children * sizeof(t->child[0]));
    if (!t) return NULL;
    t->level = level;
    t->off = off;
    mark(pt, t, 0, ENTRIES); /* what lies in VRAM is unknown: write all of it */
    pt->count++;
    return t;
}

struct page_table *page_table_create(const struct pt_format *fmt, const struct pt_ops *ops,
                                     void *ctx, uint64_t root, uint64_t va_base) {
    struct page_table *pt = calloc(1, sizeof(*pt));
    if (!pt) return NULL;
    pt->fmt = fmt;
    pt->ops = ops;
    pt->ctx = ctx;
    pt->va_base = va_base;
    pt->root = table_new(pt, 0, root);
    if (!pt->root) {
        free(pt);
        return NULL;
    }
    return pt;
}

static void table_destroy(struct page_table *pt, struct table *t) {
    if (t->level < LEAF)
        for (unsigned i = 0; i < ENTRIES; i++)
            if (t->child[i]) table_destroy(pt, t->child[i]);
    if (t != pt->root) pt->ops->table_free(pt->ctx, t->off);
    free(t);
}

void page_table_destroy(struct page_table *pt) {
    if (!pt) return;
    page_table_reap(pt);
    table_destroy(pt, pt->root);
    free(pt);
}

/* The table under t's slot, made when there is none. A page there is -EEXIST. */
static int descend(struct page_table *pt, struct table *t, unsigned slot, struct table **out) {
    if (t->child[slot]) {
        *out = t->child[slot];
        return 0;
    }
    if (t->entry[slot]) return -EEXIST;
    uint64_t off;
    int r = pt->ops->table_alloc(pt->ctx, &off);
    if (r) return r;
    struct table *c = table_new(pt, t->level + 1, off);
    if (!c) {
        pt->ops->table_free(pt->ctx, off);
        return -ENOMEM;
    }
    c->parent = t;
    c->parent_slot = slot;
    t->child[slot] = c;
    t->entry[slot] = off | pt->fmt->table;
    t->used++;
    mark(pt, t, slot, slot + 1);
    *out = c;
    return 0;
}

static int table_at(struct page_table *pt, uint64_t rel, unsigned level, struct table **out) {
    struct table *t = pt->root;
    while (t->level < level) {
        int r = descend(pt, t, slot_of(rel, t->level), &t);
        if (r) return r;
    }
    *out = t;
    return 0;
}

/* Largest power of two that divides va and pa and does not exceed len, as a shift. */
static unsigned block_shift(uint64_t va, uint64_t pa, uint64_t len) {
    unsigned s = 63 - (unsigned)__builtin_clzll(len);
    uint64_t both = va | pa;
    if (both) {
        unsigned a = (unsigned)__builtin_ctzll(both);
        if (a < s) s = a;
    }
    return s;
}

/* Writes the entries of one aligned block of 1 << shift bytes. A fragment tells the TLB that the
 * whole block is contiguous and aligned, in both spaces (linux amdgpu_vm_pt.c). */
static int map_block(struct page_table *pt, uint64_t rel, uint64_t pa, unsigned shift,
                     uint64_t bits) {
    unsigned level = LEAF;
    while (level > TOP_HUGE && shift >= shift_of(level - 1))
        level--;
    unsigned frag = shift - 12 > 31 ? 31 : shift - 12;
    bits |= (uint64_t)frag << PTE_FRAG_LO;
    if (level < LEAF) bits |= pt->fmt->huge;
    uint64_t step = BIT(shift_of(level)), end = rel + BIT(shift);
    while (rel < end) {
        struct table *t;
        int r = table_at(pt, rel, level, &t);
        if (r) return r;
        unsigned lo = slot_of(rel, level), i = lo;
        for (; i < ENTRIES && rel < end; i++, rel += step, pa += step) {
            if (t->entry[i]) {
                mark(pt, t, lo, i + 1);
                return -EEXIST;
            }
            t->entry[i] = (pa & ADDR_MASK) | bits;
            t->used++;
        }
        mark(pt, t, lo, i);
    }
    return 0;
}

/* Is any part of the range mapped? */
static bool range_used(const struct table *t, uint64_t rel, uint64_t end) {
    uint64_t step = BIT(shift_of(t->level));
    while (rel < end) {
        unsigned i = slot_of(rel, t->level);
        uint64_t next = (rel & ~(step - 1)) + step;
        if (t->entry[i]) {
            if (t->level == LEAF || !t->child[i]) return true;
            if (range_used(t->child[i], rel, end < next ? end : next)) return true;
        }
        rel = next;
    }
    return false;
}

int page_table_map(struct page_table *pt, uint64_t va, uint64_t size, uint64_t pa,
                   const uint64_t *pages, enum pt_kind kind) {
    if (!size || ((va | size | pa) & (PT_PAGE - 1)) || va < pt->va_base) return -EINVAL;
    uint64_t rel = va - pt->va_base;
    if (rel + size < rel || rel + size > BIT(PT_VA_BITS)) return -EINVAL;
    if (range_used(pt->root, rel, rel + size)) return -EEXIST;
    uint64_t bits = kind == PT_SYSTEM ? pt->fmt->system : pt->fmt->vram;
    for (uint64_t done = 0; done < size;) {
        uint64_t from = pages ? pages[done / PT_PAGE] : pa + done;
        uint64_t run = pages ? PT_PAGE : size - done;
        if (from & ~ADDR_MASK) {
            page_table_unmap(pt, va, size);
            return -EINVAL;
        }
        while (pages && done + run < size && pages[(done + run) / PT_PAGE] == from + run)
            run += PT_PAGE;
        while (run) {
            unsigned s = block_shift(rel + done, from, run);
            int r = map_block(pt, rel + done, from, s, bits);
            if (r) {
                page_table_unmap(pt, va, size);
                return r;
            }
            done += BIT(s);
            from += BIT(s);
            run -= BIT(s);
        }
    }
    return 0;
}

static void unlink_table(struct page_table *pt, struct table *t) {
    struct table *p = t->parent;
    p->child[t->parent_slot] = NULL;
    p->entry[t->parent_slot] = 0;
    p->used--;
    mark(pt, p, t->parent_slot, t->parent_slot + 1);
    t->dead_next = pt->dead;
    pt->dead = t;
    pt->count--;
}

static void unmap_range(struct page_table *pt, struct table *t, uint64_t rel, uint64_t end) {
    uint64_t step = BIT(shift_of(t->level));
    while (rel < end) {
        unsigned i = slot_of(rel, t->level);
        uint64_t next = (rel & ~(step - 1)) + step;
        if (t->level < LEAF && t->child[i]) {
            struct table *c = t->child[i];
            unmap_range(pt, c, rel, end < next ? end : next);
            if (!c->used) unlink_table(pt, c);
        } else if (t->entry[i]) {
            t->entry[i] = 0;
            t->used--;
            mark(pt, t, i, i + 1);
        }
        rel = next;
    }
}

void page_table_unmap(struct page_table *pt, uint64_t va, uint64_t size) {
    unmap_range(pt, pt->root, va - pt->va_base, va - pt->va_base + size);
}

int page_table_commit(struct page_table *pt) {
    int result = 0;
    for (unsigned level = LEAF + 1; level-- > 0;) {
        while (pt->dirty[level]) {
            struct table *t = pt->dirty[level];
            size_t n = t->dirty_hi - t->dirty_lo;
            int r =
                pt->ops->write(pt->ctx, t->off + 8ull * t->dirty_lo, &t->entry[t->dirty_lo], 8 * n);
            if (r && !result) result = r;
            pt->dirty[level] = t->dirty_next;
            t->in_dirty = false;
            t->dirty_lo = t->dirty_hi = 0;
        }
    }
    return result;
}

void page_table_reap(struct page_table *pt) {
    while (pt->dead) {
        struct table *t = pt->dead;
        pt->dead = t->dead_next;
        if (t->in_dirty) { /* never committed: drop it from its list */
            struct table **p = &pt->dirty[t->level];
            while (*p != t)
                p = &(*p)->dirty_next;
            *p = t->dirty_next;
        }
        pt->ops->table_free(pt->ctx, t->off);
        free(t);
    }
}

int page_table_lookup(const struct page_table *pt, uint64_t va, uint64_t *entry, unsigned *level) {
    if (va < pt->va_base || va - pt->va_base >= BIT(PT_VA_BITS)) return -ENOENT;
    uint64_t rel = va - pt->va_base;
    const struct table *t = pt->root;
    while (t->level < LEAF && t->child[slot_of(rel, t->level)])
        t = t->child[slot_of(rel, t->level)];
    *entry = t->entry[slot_of(rel, t->level)];
    *level = t->level;
    return *entry ? 0 : -ENOENT;
}

size_t page_table_count(const struct page_table *pt) {
    return pt->count;
}
