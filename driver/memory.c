/* SPDX-License-Identifier: MIT */
/* memory.c - device memory: VRAM and system memory, mapped into the one address space (VMID 0). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/chip.h"
#include "driver/dev.h"
#include "driver/heap.h"
#include "driver/page_table.h"
#include "driver/va_space.h"

#define PAGE  4096ull
#define LARGE (2ull << 20) /* from this size on, aligned for huge pages */

/* The end of VRAM belongs to the firmware: the discovery binary and, on gfx12, the trusted memory
 * region of the boot ROM. The reference keeps 64 MiB clear; a small VRAM gives an eighth. */
#define VRAM_TOP_RESERVE (64ull << 20)

struct mem_obj {
    struct am_mem m; /* first: am_mem.priv points back here */
    struct mem_obj *prev, *next;
    struct heap_block *va_block, *vram_block;
    struct bus_dma dma;
    bool hole; /* the CPU mapping lies in the reserved range */
    char label[64];
};

/* Page tables come from VRAM in chunks, lest single pages litter it. */
#define CHUNK_PAGES 64u
struct table_chunk {
    struct heap_block *block;
    uint64_t used; /* one bit a page */
    struct table_chunk *next;
};

struct am_memory {
    pthread_mutex_t lock;
    struct heap *vram;
    struct page_table *pt;
    struct table_chunk *chunks;
    struct mem_obj *objects;
};

/* ---- page table memory ---- */

static int table_alloc(void *ctx, uint64_t *off) {
    struct am_memory *m = ((struct am_device *)ctx)->mem;
    struct table_chunk *c = m->chunks;
    while (c && c->used == ~0ull)
        c = c->next;
    if (!c) {
        c = calloc(1, sizeof(*c));
        if (!c) return -ENOMEM;
        int r = heap_alloc(m->vram, CHUNK_PAGES * PAGE, PAGE, &c->block);
        if (r) {
            free(c);
            return r;
        }
        c->next = m->chunks;
        m->chunks = c;
    }
    unsigned bit = (unsigned)__builtin_ctzll(~c->used);
    c->used |= 1ull << bit;
    *off = c->block->base + bit * PAGE;
    return 0;
}

static void table_free(void *ctx, uint64_t off) {
    struct am_memory *m = ((struct am_device *)ctx)->mem;
    for (struct table_chunk **p = &m->chunks, *c; (c = *p); p = &c->next) {
        if (off < c->block->base || off >= c->block->base + c->block->size) continue;
        c->used &= ~(1ull << ((off - c->block->base) / PAGE));
        if (!c->used) {
            *p = c->next;
            heap_free(m->vram, c->block);
            free(c);
        }
        return;
    }
}

static int table_write(void *ctx, uint64_t off, const void *entries, size_t bytes) {
    return vram_write(ctx, off, entries, bytes);
}

static const struct pt_ops table_ops = {table_alloc, table_free, table_write};

/* ---- life ---- */

int memory_init(struct am_device *d) {
    struct am_memory *m = calloc(1, sizeof(*m));
    if (!m) return -ENOMEM;
    int r = va_space_get();
    if (r) {
        free(m);
        return r;
    }
    pthread_mutex_init(&m->lock, NULL);
    d->mem = m;
    uint64_t top = d->vram_bytes / 8 < VRAM_TOP_RESERVE ? d->vram_bytes / 8 : VRAM_TOP_RESERVE;
    if (d->vram_bytes - top > AM_BOOT_MEM_BYTES)
        m->vram = heap_create(AM_BOOT_MEM_BYTES, d->vram_bytes - top - AM_BOOT_MEM_BYTES, PAGE);
    if (!m->vram) {
        am_log(d, AM_LOG_ERROR, "memory", "%llu bytes of VRAM are too few",
               (unsigned long long)d->vram_bytes);
        memory_fini(d);
        return -ENOSPC;
    }
    /* The root lies in boot memory and may hold a dead session's tables: the first commit clears
     * it. */
    m->pt = page_table_create(&pt_formats[d->chip->gen], &table_ops, d, d->root_pt, AM_VA_BASE);
    r = m->pt ? page_table_commit(m->pt) : -ENOMEM;
    if (!r) r = gmc_flush_tlb(d);
    if (r) memory_fini(d);
    if (!r && !va_space_reserved())
        am_log(d, AM_LOG_INFO, "memory",
               "no CPU address range reserved: host and GPU addresses of system memory differ");
    return r;
}

static void obj_release(struct am_device *d, struct mem_obj *o) {
    if (o->dma.va) d->bus->ops->dma_unmap(d->bus, &o->dma);
    if (o->hole) va_space_close_hole(o->m.va, o->m.size);
    if (o->vram_block) heap_free(d->mem->vram, o->vram_block);
    if (o->va_block) va_space_free(o->va_block);
    free(o);
}

void memory_fini(struct am_device *d) {
    struct am_memory *m = d->mem;
    if (!m) return;
    while (m->objects) {
        struct mem_obj *o = m->objects;
        m->objects = o->next;
        obj_release(d, o);
    }
    page_table_destroy(m->pt);
    while (m->chunks) {
        struct table_chunk *c = m->chunks;
        m->chunks = c->next;
        free(c);
    }
    heap_destroy(m->vram);
    va_space_put();
    pthread_mutex_destroy(&m->lock);
    free(m);
    d->mem = NULL;
}

/* ---- allocation ---- */

static int back_with_vram(struct am_device *d, struct mem_obj *o, uint64_t align) {
    return heap_alloc(d->mem->vram, o->m.size, align, &o->vram_block);
}

/* Bus memory, at the address that the GPU will use where the process allows it. */
static int back_with_system(struct am_device *d, struct mem_obj *o) {
    uint64_t va = o->m.va;
    o->hole = va_space_open_hole(va, o->m.size);
    void *hint = o->hole ? (void *)(uintptr_t)va : NULL;
    int r = d->bus->ops->dma_map(d->bus, NULL, hint, o->m.size, &o->dma);
    if (r) return r;
    if (o->hole && o->dma.va != hint) {
        va_space_close_hole(va, o->m.size);
        o->hole = false;
    }
    o->m.cpu = o->dma.va;
    return 0;
}

/* Page tables first, then both hubs' TLBs: gmc_flush_tlb begins with the HDP flush that carries
 * the entries to VRAM. */
static int publish(struct am_device *d) {
    int r = page_table_commit(d->mem->pt);
    int f = gmc_flush_tlb(d);
    page_table_reap(d->mem->pt);
    return r ? r : f;
}

static int obj_map(struct am_device *d, struct mem_obj *o) {
    struct am_memory *m = d->mem;
    int r = o->vram_block
                ? page_table_map(m->pt, o->m.va, o->m.size, o->vram_block->base, NULL, PT_VRAM)
                : page_table_map(m->pt, o->m.va, o->m.size, 0, o->dma.pages, PT_SYSTEM);
    if (r) return r;
    r = publish(d);
    if (r) {
        page_table_unmap(m->pt, o->m.va, o->m.size);
        publish(d);
    }
    return r;
}

static int usable(struct am_device *d) {
    return atomic_load(&d->lost) || atomic_load(&d->abandoned) ? -ENODEV : 0;
}

int am_alloc(struct am_device *d, uint64_t size, uint64_t align, enum am_mem_kind kind,
             const char *label, struct am_mem **out) {
    *out = NULL;
    if (!align) align = PAGE;
    if (!size || (align & (align - 1))) return -EINVAL;
    if (kind != AM_MEM_VRAM && kind != AM_MEM_SYSTEM) return -EINVAL;
    if (size > AM_VA_BYTES) return -ENOSPC;
    int r = usable(d);
    if (r) return r;
    size = (size + PAGE - 1) & ~(PAGE - 1);
    if (align < PAGE) align = PAGE;
    if (size >= LARGE && align < LARGE) align = LARGE;

    struct mem_obj *o = calloc(1, sizeof(*o));
    if (!o) return -ENOMEM;
    o->m.size = size;
    o->m.kind = kind;
    o->m.priv = o;
    snprintf(o->label, sizeof(o->label), "%s", label ? label : "unnamed");
    pthread_mutex_lock(&d->mem->lock);
    r = va_space_alloc(size, align, &o->va_block);
    if (!r) {
        o->m.va = o->va_block->base;
        r = kind == AM_MEM_VRAM ? back_with_vram(d, o, align) : back_with_system(d, o);
    }
    if (!r) r = obj_map(d, o);
    if (r) {
        obj_release(d, o);
    } else {
        o->next = d->mem->objects;
        if (o->next) o->next->prev = o;
        d->mem->objects = o;
        *out = &o->m;
    }
    pthread_mutex_unlock(&d->mem->lock);
    return r;
}

int am_share(struct am_device *d, const struct am_mem *mem, struct am_mem **out) {
    *out = NULL;
    if (mem->kind != AM_MEM_SYSTEM) return -EINVAL;
    int r = usable(d);
    if (r) return r;
    struct mem_obj *o = calloc(1, sizeof(*o));
    if (!o) return -ENOMEM;
    o->m = *mem;
    o->m.priv = o;
    snprintf(o->label, sizeof(o->label), "shared");
    pthread_mutex_lock(&d->mem->lock);
    r = d->bus->ops->dma_map(d->bus, mem->cpu, NULL, mem->size, &o->dma);
    if (!r) r = obj_map(d, o);
    if (r) {
        obj_release(d, o);
    } else {
        o->next = d->mem->objects;
        if (o->next) o->next->prev = o;
        d->mem->objects = o;
        *out = &o->m;
    }
    pthread_mutex_unlock(&d->mem->lock);
    return r;
}

bool am_addresses_shared(void) {
    return va_space_possible();
}

void am_free(struct am_device *d, struct am_mem *mem) {
    if (!mem || atomic_load(&d->abandoned)) return;
    struct mem_obj *o = mem->priv;
    pthread_mutex_lock(&d->mem->lock);
    if (o->prev)
        o->prev->next = o->next;
    else
        d->mem->objects = o->next;
    if (o->next) o->next->prev = o->prev;
    page_table_unmap(d->mem->pt, o->m.va, o->m.size);
    /* Only when no translation is left may the pages serve somebody else. */
    publish(d);
    obj_release(d, o);
    pthread_mutex_unlock(&d->mem->lock);
}

uint64_t am_vram_free_bytes(struct am_device *d) {
    if (usable(d)) return 0;
    pthread_mutex_lock(&d->mem->lock);
    uint64_t n = heap_free_bytes(d->mem->vram);
    pthread_mutex_unlock(&d->mem->lock);
    return n;
}

/* ---- messages ---- */

void memory_describe(struct am_device *d, gpu_va_t va, char *buf, size_t size) {
    if (size) buf[0] = '\0';
    if (!d->mem) return;
    const struct mem_obj *near = NULL;
    uint64_t distance = UINT64_MAX;
    pthread_mutex_lock(&d->mem->lock);
    for (const struct mem_obj *o = d->mem->objects; o && distance; o = o->next) {
        uint64_t dist = va < o->m.va               ? o->m.va - va
                        : va < o->m.va + o->m.size ? 0
                                                   : va - (o->m.va + o->m.size) + 1;
        if (dist < distance) {
            distance = dist;
            near = o;
        }
    }
    if (!near) {
        snprintf(buf, size, "nothing is allocated");
    } else {
        uint64_t base = near->m.va, end = base + near->m.size;
        const char *kind = near->m.kind == AM_MEM_VRAM ? "VRAM" : "system memory";
        if (!distance)
            snprintf(buf, size, "byte %llu of \"%s\" (%llu bytes of %s at 0x%llx)",
                     (unsigned long long)(va - base), near->label, (unsigned long long)near->m.size,
                     kind, (unsigned long long)base);
        else
            snprintf(buf, size, "%llu bytes %s \"%s\" (%llu bytes of %s at 0x%llx)",
                     (unsigned long long)(va < base ? base - va : va - end),
                     va < base ? "before" : "past the end of", near->label,
                     (unsigned long long)near->m.size, kind, (unsigned long long)base);
    }
    pthread_mutex_unlock(&d->mem->lock);
}
