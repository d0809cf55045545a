/* SPDX-License-Identifier: MIT */
/* mmu.c - address translation of the two hubs (VMID 0): page walk, TLB, faults.
 *
 * Sources: gc/mmhub headers (VM_CONTEXT0_*, MC_VM_*), linux amdgpu_vm.h and gmc_v11_0.c /
 * gmc_v12_0.c for the bits of entries, gfxhub_v3_0.c / mmhub_v3_0.c for the registers, the
 * reference traces for what the walker must accept (unaligned huge pages, VRAM offsets in entries).
 *
 * A TLB entry is a segment: a run of pages that are contiguous in virtual and host memory with the
 * same permissions. Entries go away by invalidation only. When a page table was written since a
 * segment was made, a hit walks again; a different result is a use of a stale translation.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/isa/isa.h"

enum fault_kind {
    FAULT_NONE,
    FAULT_RANGE,
    FAULT_PDE0,
    FAULT_VALID,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_EXEC
};

#define MERGE_PAGES 4096 /* walks spent on making one segment long */

static const char *const agent_names[] = {"CPU", "BAR0", "PSP", "CP", "SDMA", "shader", "IH"};
static const char *const hub_names[] = {"GC", "MM"};

/* ---- registers by hub ---- */

struct hub_regs {
    enum hw_field enable, depth, block_size, l1_enable, l1_mode;
    enum hw_reg start_lo, start_hi, end_lo, end_hi, base_lo, base_hi, sys_low, sys_high, cntl;
    enum hw_reg fault_lo, fault_hi;
    enum hw_reg status, status_lo;           /* gfx11, gfx12 */
    enum hw_field interrupt[FAULT_EXEC + 1]; /* by enum fault_kind */
};

#define HUB(c, m)                                                                                  \
    {                                                                                              \
        F_##c##VM_CONTEXT0_CNTL__ENABLE_CONTEXT, F_##c##VM_CONTEXT0_CNTL__PAGE_TABLE_DEPTH,        \
            F_##c##VM_CONTEXT0_CNTL__PAGE_TABLE_BLOCK_SIZE,                                        \
            F_##m##_VM_MX_L1_TLB_CNTL__ENABLE_L1_TLB,                                              \
            F_##m##_VM_MX_L1_TLB_CNTL__SYSTEM_ACCESS_MODE,                                         \
            R_##c##VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32,                                         \
            R_##c##VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32,                                         \
            R_##c##VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32,                                           \
            R_##c##VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32,                                           \
            R_##c##VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32,                                          \
            R_##c##VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32, R_##m##_VM_SYSTEM_APERTURE_LOW_ADDR,     \
            R_##m##_VM_SYSTEM_APERTURE_HIGH_ADDR, R_##c##VM_CONTEXT0_CNTL,                         \
            R_##c##VM_L2_PROTECTION_FAULT_ADDR_LO32, R_##c##VM_L2_PROTECTION_FAULT_ADDR_HI32,      \
            R_##c##VM_L2_PROTECTION_FAULT_STATUS, R_##c##VM_L2_PROTECTION_FAULT_STATUS_LO32, {     \
            0, F_##c##VM_CONTEXT0_CNTL__RANGE_PROTECTION_FAULT_ENABLE_INTERRUPT,                   \
                F_##c##VM_CONTEXT0_CNTL__PDE0_PROTECTION_FAULT_ENABLE_INTERRUPT,                   \
                F_##c##VM_CONTEXT0_CNTL__VALID_PROTECTION_FAULT_ENABLE_INTERRUPT,                  \
                F_##c##VM_CONTEXT0_CNTL__READ_PROTECTION_FAULT_ENABLE_INTERRUPT,                   \
                F_##c##VM_CONTEXT0_CNTL__WRITE_PROTECTION_FAULT_ENABLE_INTERRUPT,                  \
                F_##c##VM_CONTEXT0_CNTL__EXECUTE_PROTECTION_FAULT_ENABLE_INTERRUPT                 \
        }                                                                                          \
    }
static const struct hub_regs hubs[2] = {HUB(GC, GCMC), HUB(MM, MMMC)};

static uint64_t reg64(struct gpu *g, enum hw_reg lo, enum hw_reg hi) {
    return (uint64_t)gpu_reg_get(g, hi) << 32 | gpu_reg_get(g, lo);
}

/* ---- physical ---- */

static bool mc_to_vram(struct gpu *g, uint64_t mc, uint64_t *off) {
    if (mc < g->mc_base || mc - g->mc_base >= g->vram_size) return false;
    *off = mc - g->mc_base;
    return true;
}

void *gpu_mc_ptr(struct gpu *g, uint64_t mc, size_t len) {
    uint64_t off;
    if (!mc_to_vram(g, mc, &off) || len > g->vram_size - off) return NULL;
    return g->vram + off;
}

static void mark_table(struct gpu *g, uint64_t off) {
    uint8_t *b = &g->mmu.pt_bitmap[off >> 15];
    uint8_t bit = (uint8_t)(1u << (off >> 12 & 7));
    if (!(__atomic_load_n(b, __ATOMIC_RELAXED) & bit)) __atomic_fetch_or(b, bit, __ATOMIC_RELAXED);
}

void mmu_table_written(struct gpu *g, uint64_t off, uint64_t len) {
    if (!g->mmu.pt_bitmap) return;
    for (uint64_t p = off >> 12; p <= (off + len - 1) >> 12; p++)
        if (__atomic_load_n(&g->mmu.pt_bitmap[p >> 3], __ATOMIC_RELAXED) >> (p & 7) & 1) {
            atomic_fetch_add(&g->mmu.table_gen, 1);
            g->mmu.hub[HUB_GC].changed = g->mmu.hub[HUB_MM].changed = true;
            return;
        }
}

/* ---- the walk ---- */

struct walk {
    struct gpu_xlat x; /* one page: va and host of its beginning, size of the page */
    enum fault_kind fault;
    uint64_t unwalked; /* VRAM offset of an entry that was written and not invalidated, or ~0 */
    uint64_t read[4];  /* VRAM offsets of the entries read */
    unsigned reads;
};

static bool entry_is_leaf(const struct gpu *g, uint64_t e) {
    return g->gen == HW_GFX12 ? e >> PTE_PDE_PTE_GFX12_LO & 1 : e >> PTE_PDE_PTE_LO & 1;
}

static void fill_access(const struct gpu *g, uint64_t e, struct gpu_xlat *x) {
    x->system = e >> PTE_SYSTEM_LO & 1;
    x->snooped = e >> PTE_SNOOPED_LO & 1;
    x->read = e >> PTE_READABLE_LO & 1;
    x->write = e >> PTE_WRITEABLE_LO & 1;
    x->exec = e >> PTE_EXECUTABLE_LO & 1;
    x->mtype = g->gen == HW_GFX12 ? e >> PTE_MTYPE_GFX12_LO & 3 : e >> PTE_MTYPE_NV10_LO & 7;
}

static uint64_t read_entry(struct gpu *g, enum gpu_hub hub, uint64_t at, struct walk *w) {
    mark_table(g, at);
    if (hdp_unwalked(g, hub, at)) w->unwalked = at;
    w->read[w->reads++] = at;
    return __atomic_load_n((uint64_t *)(void *)(g->vram + at), __ATOMIC_ACQUIRE);
}

/* Finds the page of va. Each directory holds 512 entries of 8 bytes; CONTEXT0_CNTL's depth counts
 * the levels above the last table. */
static bool walk_tables(struct gpu *g, enum gpu_hub hub, uint64_t va, struct walk *w) {
    const struct hub_regs *h = &hubs[hub];
    *w = (struct walk){.unwalked = UINT64_MAX, .fault = FAULT_RANGE};
    uint64_t start = reg64(g, h->start_lo, h->start_hi) << 12;
    uint64_t end = (reg64(g, h->end_lo, h->end_hi) << 12) + 4095;
    if (va < start || va > end) return false;
    unsigned depth = gpu_field_get(g, h->depth);
    uint64_t e = reg64(g, h->base_lo, h->base_hi), index = va - start;
    if (index >> (12 + 9 * (depth + 1))) return false;
    for (int level = (int)depth; level >= 0; level--) {
        w->fault = level == 0 ? FAULT_VALID : FAULT_PDE0;
        uint64_t table = e & 0x0000fffffffff000u;
        unsigned shift = 12 + 9 * (unsigned)level;
        if (!(e & 1)) return false;
        if (e >> PTE_SYSTEM_LO & 1) {
            gpu_unimplemented(g, "page table in system memory (entry 0x%016" PRIx64 ")", e);
            return false;
        }
        uint64_t at = table + (index >> shift & 511) * 8;
        if (at + 8 > g->vram_size) {
            gpu_guest_error(g,
                            "page table at VRAM offset 0x%" PRIx64
                            ", beyond VRAM (directory entry 0x%016" PRIx64 ")",
                            table, e);
            return false;
        }
        e = read_entry(g, hub, at, w);
        if (!(e & 1)) return false;
        if (level && !entry_is_leaf(g, e)) continue;
        if (!level && g->gen == HW_GFX12 && !entry_is_leaf(g, e)) {
            gpu_guest_error(g, "PTE 0x%016" PRIx64 " without the bit that makes it one (bit 63)",
                            e);
            return false;
        }
        fill_access(g, e, &w->x);
        w->x.size = 1ull << shift;
        w->x.va = va & ~(w->x.size - 1);
        w->x.pa = e & 0x0000fffffffff000u; /* need not be aligned to the page: offsets are added */
        w->fault = FAULT_NONE;
        return true;
    }
    return false;
}

/* Host address of a walked page, and clips the page to what is contiguous behind it. */
static bool attach_host(struct gpu *g, uint64_t va, struct walk *w) {
    struct gpu_xlat *x = &w->x;
    if (!x->system) {
        if (x->pa + (va - x->va) >= g->vram_size) {
            gpu_guest_error(g, "PTE of 0x%" PRIx64 " names VRAM 0x%" PRIx64 ", beyond VRAM", va,
                            x->pa);
            return false;
        }
        if (x->size > g->vram_size - x->pa) x->size = g->vram_size - x->pa;
        x->host = g->vram + x->pa;
        return true;
    }
    uint64_t len;
    if (!pci_bus_master(g)) {
        gpu_guest_error(g, "DMA to bus address 0x%" PRIx64 " with bus mastering off", x->pa);
        return false;
    }
    x->host = dma_ptr(g, x->pa, &len);
    if (!x->host) { /* the page may begin outside a mapping that holds va */
        uint64_t skip = va & ~4095ull;
        x->pa += skip - x->va;
        x->size -= skip - x->va;
        x->va = skip;
        x->host = dma_ptr(g, x->pa, &len);
    }
    if (!x->host) {
        gpu_guest_error(
            g, "DMA to bus address 0x%" PRIx64 " that is not mapped (GPU address 0x%" PRIx64 ")",
            x->pa, va);
        return false;
    }
    if (x->size > len) x->size = len;
    return true;
}

static bool same_kind(const struct gpu_xlat *a, const struct gpu_xlat *b) {
    return a->system == b->system && a->snooped == b->snooped && a->mtype == b->mtype &&
           a->read == b->read && a->write == b->write && a->exec == b->exec;
}

/* Grows a segment over the following and preceding pages while host memory continues. Entries that
 * await an invalidation are left alone. */
static void extend(struct gpu *g, enum gpu_hub hub, struct gpu_xlat *x) {
    struct walk w;
    for (int i = 0; i < MERGE_PAGES; i++) {
        uint64_t next = x->va + x->size;
        if (!walk_tables(g, hub, next, &w) || w.unwalked != UINT64_MAX || w.x.va != next ||
            !same_kind(x, &w.x) || w.x.pa != x->pa + x->size)
            break;
        if (x->system) {
            uint64_t len;
            uint8_t *host = dma_ptr(g, w.x.pa, &len);
            if (host != x->host + x->size) break;
            if (w.x.size > len) w.x.size = len;
        } else if (w.x.size > g->vram_size - w.x.pa) {
            break;
        }
        x->size += w.x.size;
    }
    for (int i = 0; i < 512 && x->va; i++) {
        if (!walk_tables(g, hub, x->va - 1, &w) || w.unwalked != UINT64_MAX ||
            w.x.va + w.x.size != x->va || !same_kind(x, &w.x) || w.x.pa + w.x.size != x->pa)
            break;
        if (x->system) {
            uint64_t len;
            uint8_t *host = dma_ptr(g, w.x.pa, &len);
            if (!host || len < w.x.size || host + w.x.size != x->host) break;
        }
        x->va = w.x.va;
        x->pa = w.x.pa;
        x->host -= w.x.size;
        x->size += w.x.size;
    }
}

/* ---- faults ---- */

/* Client ids: UTCL2 of the GC hub reports as GFX, the MM hub as VMC, both source 0 (linux
 * gmc_v11_0_sw_init); src_data[0] is the page, [1] bits 0-3 the top of it and bit 5 a write (linux
 * gmc_v11_0_process_interrupt). */
static void record_fault(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, uint64_t va,
                         enum gpu_access access, enum fault_kind kind, bool interrupt) {
    const struct hub_regs *h = &hubs[hub];
    /* UTCL2 client ids (linux gfxhub_v3_0_print_l2_protection_fault_status: 5 CPC, 8 TCP, 9 SQC
     * instruction, 13 SDMA0). */
    static const uint8_t cids[] = {0, 0, 0, 5, 13, 8, 0};
    uint32_t cid = hub == HUB_MM ? 0 : access == GPU_EXEC ? 9 : cids[who];
    bool perm = kind == FAULT_READ || kind == FAULT_WRITE || kind == FAULT_EXEC;
    uint32_t status = (perm                  ? 0
                       : kind == FAULT_RANGE ? 1u
                                             : 2u)
                          << 1 | /* WALKER_ERROR */
                      (kind == FAULT_VALID   ? 1u
                       : kind == FAULT_READ  ? 2u
                       : kind == FAULT_WRITE ? 4u
                       : kind == FAULT_EXEC  ? 8u
                                             : 0)
                          << 4 |
                      (kind == FAULT_RANGE ? 1u : 0) << 8 | cid << 9 |
                      (access == GPU_WRITE ? 1u : 0) << 18;
    pthread_mutex_lock(&g->mmu.fault_lock);
    enum hw_reg r = gpu_reg_dw(g, h->status) != UINT32_MAX ? h->status : h->status_lo;
    if (!g->mmu.hub[hub].fault_latched) {
        g->mmu.hub[hub].fault_latched = true;
        gpu_reg_set(g, r, status);
        gpu_reg_set(g, h->fault_lo, (uint32_t)(va >> 12));
        gpu_reg_set(g, h->fault_hi, (uint32_t)(va >> 44) & 15);
    } else {
        gpu_reg_set(g, r, gpu_reg_get(g, r) | 1); /* MORE_FAULTS */
    }
    pthread_mutex_unlock(&g->mmu.fault_lock);
    static const char *const why[] = {"",
                                      "outside the page table's range",
                                      "no page directory entry",
                                      "no page",
                                      "not readable",
                                      "not writable",
                                      "not executable"};
    gpu_fault(g, "page fault in hub %s: %s %s 0x%" PRIx64 ": %s", hub_names[hub], agent_names[who],
              access == GPU_WRITE  ? "write to"
              : access == GPU_EXEC ? "fetch from"
                                   : "read of",
              va, why[kind]);
    if (!interrupt || who == AGENT_IH || (kind && !gpu_field_get(g, h->interrupt[kind]))) return;
    const uint32_t data[4] = {(uint32_t)(va >> 12),
                              ((uint32_t)(va >> 44) & 15) | (access == GPU_WRITE ? 1u << 5 : 0), 0,
                              0};
    gpu_irq(g, hub == HUB_GC ? SOC21_IH_CLIENTID_GFX : SOC21_IH_CLIENTID_VMC,
            GFX_11_0_0__SRCID__UTCL2_FAULT, 0, 0, data);
}

static enum fault_kind check_access(const struct gpu_xlat *x, enum gpu_access access) {
    if (access == GPU_WRITE) return x->write ? FAULT_NONE : FAULT_WRITE;
    if (access == GPU_EXEC) return x->exec ? FAULT_NONE : FAULT_EXEC;
    return x->read ? FAULT_NONE : FAULT_READ;
}

/* ---- TLB ---- */

/* The first segment that ends behind va. */
static unsigned lower(const struct mmu_hub *h, uint64_t va) {
    unsigned lo = 0, hi = h->count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (h->seg[mid].x.va + h->seg[mid].x.size <= va)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool tlb_find(struct mmu_hub *h, uint64_t va, struct mmu_seg *out) {
    pthread_rwlock_rdlock(&h->lock);
    unsigned i = lower(h, va);
    bool hit = i < h->count && h->seg[i].x.va <= va;
    if (hit) *out = h->seg[i];
    pthread_rwlock_unlock(&h->lock);
    return hit;
}

/* Replaces whatever overlaps: the newer walk saw the newer tables. */
static void tlb_insert(struct mmu_hub *h, const struct mmu_seg *s, uint64_t epoch) {
    pthread_rwlock_wrlock(&h->lock);
    if (atomic_load(&h->epoch) != epoch) { /* invalidated while walking */
        pthread_rwlock_unlock(&h->lock);
        return;
    }
    unsigned i = lower(h, s->x.va), j = i;
    while (j < h->count && h->seg[j].x.va < s->x.va + s->x.size)
        j++;
    if (j == i && h->count == h->cap) {
        unsigned cap = h->cap ? h->cap * 2 : 256;
        void *p = realloc(h->seg, cap * sizeof *h->seg);
        if (!p) {
            pthread_rwlock_unlock(&h->lock);
            return;
        }
        h->seg = p;
        h->cap = cap;
    }
    memmove(h->seg + i + 1, h->seg + j, (h->count - j) * sizeof *h->seg);
    h->seg[i] = *s;
    h->count = h->count - (j - i) + 1;
    pthread_rwlock_unlock(&h->lock);
}

static void tlb_drop(struct gpu *g, enum gpu_hub hub) {
    struct mmu_hub *h = &g->mmu.hub[hub];
    pthread_rwlock_wrlock(&h->lock);
    h->count = 0;
    atomic_fetch_add(&h->epoch, 1);
    pthread_rwlock_unlock(&h->lock);
}

/* Both hubs walk VMID 0's tables: who changes them invalidates both (linux
 * amdgpu_gart_invalidate_tlb, each VM hub). One that was invalidated twice for the other's once
 * shows who does not. */
static void check_other_hub(struct gpu *g, enum gpu_hub hub) {
    struct mmu_hub *own = &g->mmu.hub[hub], *other = &g->mmu.hub[hub == HUB_GC ? HUB_MM : HUB_GC];
    bool late = atomic_exchange(&other->behind, other->changed);
    own->changed = own->behind = false;
    if (!late) return;
    other->changed = other->behind = false;
    gpu_guest_error(g,
                    "hub %s: the page tables changed, hub %s was given two TLB invalidations since "
                    "and this one none",
                    hub_names[other - g->mmu.hub], hub_names[hub]);
}

void mmu_invalidate(struct gpu *g, enum gpu_hub hub) {
    check_other_hub(g, hub);
    tlb_drop(g, hub);
    if (hub == HUB_GC) isa_invalidate_translations(); /* running waves keep pieces too */
    hdp_tlb_invalidated(g, hub);
}

void mmu_drop_host(struct gpu *g, const uint8_t *host, uint64_t len) {
    for (int hub = 0; hub < 2; hub++) {
        struct mmu_hub *h = &g->mmu.hub[hub];
        pthread_rwlock_wrlock(&h->lock);
        unsigned n = 0;
        for (unsigned i = 0; i < h->count; i++) {
            const struct gpu_xlat *x = &h->seg[i].x;
            if (x->host < host + len && host < x->host + x->size) continue;
            h->seg[n++] = h->seg[i];
        }
        if (n != h->count) atomic_fetch_add(&h->epoch, 1);
        h->count = n;
        pthread_rwlock_unlock(&h->lock);
    }
}

uint64_t gpu_tlb_epoch(struct gpu *g, enum gpu_hub hub) {
    return atomic_load(&g->mmu.hub[hub].epoch);
}

/* ---- translation ---- */

/* VMID 0 addresses inside the system aperture, or all with the L1 TLB off, are MC addresses
 * (gfxhub_v3_0_init_tlb_regs: SYSTEM_ACCESS_MODE 3). */
static bool untranslated(struct gpu *g, enum gpu_hub hub, uint64_t va) {
    const struct hub_regs *h = &hubs[hub];
    if (!gpu_field_get(g, h->l1_enable)) return true;
    if (gpu_field_get(g, h->l1_mode) != 3) return false;
    uint64_t low = gpu_reg_get(g, h->sys_low), high = gpu_reg_get(g, h->sys_high);
    return va >> 18 >= low && va >> 18 <= high;
}

static int physical(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, enum gpu_access access,
                    uint64_t va, struct gpu_xlat *out) {
    uint64_t off;
    if (!mc_to_vram(g, va, &off)) {
        record_fault(g, hub, who, va, access, FAULT_RANGE, true);
        return -EFAULT;
    }
    *out = (struct gpu_xlat){
        va, g->vram_size - off, g->vram + off, off, false, false, 3, true, true, true};
    uint64_t end = ((uint64_t)gpu_reg_get(g, hubs[hub].sys_high) + 1) << 18;
    if (gpu_field_get(g, hubs[hub].l1_enable) && end > va && out->size > end - va)
        out->size = end - va;
    return 0;
}

static int walk_new(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, enum gpu_access access,
                    uint64_t va, struct mmu_seg *s) {
    struct walk w;
    uint64_t epoch = atomic_load(&g->mmu.hub[hub].epoch);
    s->gen = atomic_load(&g->mmu.table_gen);
    bool ok = walk_tables(g, hub, va, &w);
    if (w.unwalked != UINT64_MAX) {
        /* May be stale in the walker's caches (linux amdgpu_vm_update_pdes then flush_gpu_tlb). */
        gpu_guest_error(g,
                        "hub %s walks 0x%" PRIx64 " through a page table entry (VRAM 0x%" PRIx64
                        ") that was written and not followed by a TLB invalidation",
                        hub_names[hub], va, w.unwalked);
    }
    for (unsigned i = 0; i < w.reads; i++)
        hdp_check_read(g, who, w.read[i], 8);
    if (!ok) {
        record_fault(g, hub, who, va, access, w.fault, true);
        return -EFAULT;
    }
    if (!attach_host(g, va, &w)) {
        record_fault(g, hub, who, va, access, FAULT_VALID, true);
        return -EFAULT;
    }
    s->x = w.x;
    extend(g, hub, &s->x);
    tlb_insert(&g->mmu.hub[hub], s, epoch);
    return 0;
}

/* A hit whose tables were written since: true if the page of va still says the same. */
static bool still_agrees(struct gpu *g, enum gpu_hub hub, uint64_t va, const struct mmu_seg *s) {
    struct walk w;
    return walk_tables(g, hub, va, &w) && same_kind(&w.x, &s->x) &&
           w.x.pa + (va - w.x.va) == s->x.pa + (va - s->x.va);
}

static int translate(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, enum gpu_access access,
                     uint64_t va, struct gpu_xlat *out) {
    if (untranslated(g, hub, va)) return physical(g, hub, who, access, va, out);
    if (!gpu_field_get(g, hubs[hub].enable)) {
        gpu_guest_error(g, "hub %s: %s uses 0x%" PRIx64 " while CONTEXT0 is disabled",
                        hub_names[hub], agent_names[who], va);
        return -EFAULT;
    }
    struct mmu_seg s;
    uint64_t gen = atomic_load(&g->mmu.table_gen);
    bool hit = tlb_find(&g->mmu.hub[hub], va, &s);
    if (hit && s.gen != gen) {
        if (!still_agrees(g, hub, va, &s)) {
            gpu_guest_error(g,
                            "hub %s: %s uses a stale translation of 0x%" PRIx64
                            ": the page table changed and the TLB was not invalidated",
                            hub_names[hub], agent_names[who], va);
            gen = s.gen; /* and goes on with the old one, as the TLB would */
        } else {
            hit = false; /* made anew from today's tables */
        }
    }
    if (!hit) {
        int rc = walk_new(g, hub, who, access, va, &s);
        if (rc) return rc;
    }
    enum fault_kind bad = check_access(&s.x, access);
    if (bad) {
        record_fault(g, hub, who, va, access, bad, true);
        return -EFAULT;
    }
    *out = s.x;
    return 0;
}

int gpu_translate(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, enum gpu_access access,
                  uint64_t va, struct gpu_xlat *out) {
    int rc = translate(g, hub, who, access, va, out);
    if (rc) return rc;
    if (out->system) return 0;
    uint64_t pa = out->pa + (va - out->va);
    if (access == GPU_WRITE) {
        psp_check_tmr(g, who, pa, 1);
        mmu_table_written(g, pa, 1);
    } else {
        hdp_check_read(g, who, pa, 1); /* how much will be read is the caller's to check */
    }
    return 0;
}

void *gpu_mem_ptr(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, uint64_t va, bool write,
                  size_t *len) {
    struct gpu_xlat x;
    if (gpu_translate(g, hub, who, write ? GPU_WRITE : GPU_READ, va, &x)) return NULL;
    *len = x.size - (va - x.va);
    return x.host + (va - x.va);
}

static int transfer(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, uint64_t va, void *buf,
                    size_t len, bool write) {
    uint8_t *p = buf;
    while (len) {
        struct gpu_xlat x;
        int rc = gpu_translate(g, hub, who, write ? GPU_WRITE : GPU_READ, va, &x);
        if (rc) return rc;
        uint64_t skip = va - x.va, room = x.size - skip;
        size_t n = room < len ? room : len;
        uint8_t *mem = x.host + skip;
        if (!x.system) {
            if (write) {
                hdp_chip_writes(g, x.pa + skip, n);
                mmu_table_written(g, x.pa + skip, n);
            } else {
                hdp_check_read(g, who, x.pa + skip, n);
            }
        }
        uint8_t *dst = write ? mem : p, *src = write ? p : mem;
        if (n == 8 && !((uintptr_t)mem & 7)) { /* fences and pointers: one transaction */
            uint64_t v;
            if (write) {
                memcpy(&v, src, 8);
                __atomic_store_n((uint64_t *)(void *)dst, v, __ATOMIC_RELEASE);
            } else {
                v = __atomic_load_n((uint64_t *)(void *)src, __ATOMIC_ACQUIRE);
                memcpy(dst, &v, 8);
            }
        } else if (n == 4 && !((uintptr_t)mem & 3)) {
            uint32_t v;
            if (write) {
                memcpy(&v, src, 4);
                __atomic_store_n((uint32_t *)(void *)dst, v, __ATOMIC_RELEASE);
            } else {
                v = __atomic_load_n((uint32_t *)(void *)src, __ATOMIC_ACQUIRE);
                memcpy(dst, &v, 4);
            }
        } else {
            memcpy(dst, src, n);
        }
        va += n;
        p += n;
        len -= n;
    }
    return 0;
}

int gpu_mem_read(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, uint64_t va, void *buf,
                 size_t len) {
    return transfer(g, hub, who, va, buf, len, false);
}

int gpu_mem_write(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, uint64_t va, const void *buf,
                  size_t len) {
    return transfer(g, hub, who, va, (void *)(uintptr_t)buf, len, true);
}

/* ---- life ---- */

int mmu_init(struct gpu *g) {
    g->mmu.pt_bitmap = calloc(g->vram_size >> 15, 1);
    if (!g->mmu.pt_bitmap) return -ENOMEM;
    pthread_mutex_init(&g->mmu.fault_lock, NULL);
    for (int i = 0; i < 2; i++)
        pthread_rwlock_init(&g->mmu.hub[i].lock, NULL);
    return 0;
}

void mmu_fini(struct gpu *g) {
    if (!g->mmu.pt_bitmap) return;
    free(g->mmu.pt_bitmap);
    g->mmu.pt_bitmap = NULL;
    for (int i = 0; i < 2; i++) {
        free(g->mmu.hub[i].seg);
        g->mmu.hub[i].seg = NULL;
        pthread_rwlock_destroy(&g->mmu.hub[i].lock);
    }
    pthread_mutex_destroy(&g->mmu.fault_lock);
}

void mmu_reset(struct gpu *g) {
    memset(g->mmu.pt_bitmap, 0, g->vram_size >> 15);
    for (int i = 0; i < 2; i++) {
        tlb_drop(g, (enum gpu_hub)i);
        g->mmu.hub[i].fault_latched = false;
        g->mmu.hub[i].changed = g->mmu.hub[i].behind = false;
        g->mmu.hub[i].sem_held = false;
    }
}
