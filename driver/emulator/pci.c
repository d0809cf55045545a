/* SPDX-License-Identifier: MIT */
/* pci.c - PCI configuration space (PCI Express Base Specification 4.0, chapter 7) and the system
 * memory that the device reaches through bus mastering.
 *
 * Layout: type 0 header; capabilities: 0x48 vendor, 0x50 power management, 0x64 PCI Express, 0xa0
 * MSI; extended: 0x100 vendor specific, 0x200 resizable BAR.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/cp.h"
#include "driver/emulator/gpu_state.h"

enum {
    CAP_PM = 0x50,
    CAP_EXP = 0x64,
    CAP_MSI = 0xa0,
    ECAP_VENDOR = 0x100,
    ECAP_REBAR = 0x200,
    CMD_MEMORY = 1 << 1,
    CMD_MASTER = 1 << 2,
    DEVCTL_FLR = 1 << 15,
};

#define BUS_BASE   0x100000000ull /* first address that dma_map hands out */
#define BAR_WINDOW 0x7c00000000ull

/* Source: libdrm data/amdgpu.ids. */
static const struct {
    const char *target;
    uint16_t device;
    uint8_t revision;
} ids[] = {
    {"gfx1100", 0x744c, 0xc8},
    {"gfx1102", 0x7480, 0xcf},
    {"gfx1200", 0x7590, 0xc0},
    {"gfx1201", 0x7550, 0xc0},
};

static void put(struct pci_state *p, uint32_t off, uint32_t len, uint32_t v, uint32_t wmask) {
    for (uint32_t i = 0; i < len; i++) {
        p->cfg[off + i] = (uint8_t)(v >> 8 * i);
        p->wmask[off + i] = (uint8_t)(wmask >> 8 * i);
    }
}

static uint64_t pow2_at_least(uint64_t v) {
    uint64_t p = 1;
    while (p < v)
        p <<= 1;
    return p;
}

/* BAR registers: addresses are fixed, as firmware would have assigned them; sizing writes answer
 * with the size mask. A 64-bit BAR n occupies registers n and n + 1. */
static uint32_t bar_register(struct gpu *g, unsigned i, uint32_t latch) {
    static const uint8_t kind[6] = {0xc, 0, 0xc, 0, 1, 0}; /* prefetchable 64-bit; I/O; 32-bit */
    struct pci_state *p = &g->pci;
    unsigned low = i == 1 || i == 3 ? i - 1 : i;
    uint64_t size = p->bar_size[low], addr = p->bar_addr[low];
    if (!size) return 0;
    bool high = low != i;
    if (latch == 0xffffffffu)
        return (uint32_t)(~(size - 1) >> (high ? 32 : 0)) | (high ? 0 : kind[i]);
    return (uint32_t)(addr >> (high ? 32 : 0)) | (high ? 0 : kind[i]);
}

static void fill_config(struct gpu *g) {
    struct pci_state *p = &g->pci;
    uint8_t rev = 0;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (!strcmp(ids[i].target, g->target)) {
            p->device_id = ids[i].device;
            rev = ids[i].revision;
        }
    memset(p->cfg, 0, sizeof p->cfg);
    memset(p->wmask, 0, sizeof p->wmask);
    put(p, 0x00, 2, 0x1002, 0);
    put(p, 0x02, 2, p->device_id, 0);
    /* As firmware leaves a card that is not the boot display: memory decoding on, mastering off. */
    put(p, 0x04, 2, CMD_MEMORY, 0x0547);
    put(p, 0x06, 2, 0x0010, 0);
    put(p, 0x08, 1, rev, 0);
    put(p, 0x09, 3, 0x038000, 0); /* display controller, other */
    put(p, 0x0c, 1, 0x10, 0xff);
    put(p, 0x2c, 2, 0x1002, 0);
    put(p, 0x2e, 2, 0x0e3b, 0);
    put(p, 0x34, 1, CAP_PM, 0);
    put(p, 0x3d, 1, 1, 0);
    put(p, 0x3c, 1, 0xff, 0xff);
    put(p, CAP_PM, 4, 0x0003u << 16 | CAP_EXP << 8 | 0x01, 0);
    put(p, CAP_PM + 4, 2, 0x0008, 0x8103);                      /* no soft reset */
    put(p, CAP_EXP, 4, 0x0012u << 16 | CAP_MSI << 8 | 0x10, 0); /* v2, legacy endpoint */
    put(p, CAP_EXP + 4, 4, 0x10008fa1, 0);                      /* bit 28: function-level reset */
    put(p, CAP_EXP + 8, 2, 0x2810, 0xffff);
    put(p, CAP_EXP + 12, 4, 0x00400d04, 0); /* 16 GT/s x16 */
    put(p, CAP_EXP + 18, 2, 0x1104, 0);
    put(p, CAP_MSI, 4, 0x0080u << 16 | 0x05, 0x0071u << 16); /* one vector, 64-bit */
    put(p, CAP_MSI + 4, 4, 0, 0xfffffffc);
    put(p, CAP_MSI + 8, 4, 0, 0xffffffff);
    put(p, CAP_MSI + 12, 2, 0, 0xffff);
    put(p, ECAP_VENDOR, 4, ECAP_REBAR << 20 | 1u << 16 | 0x000b, 0);
    put(p, ECAP_VENDOR + 4, 4, 0x01010001, 0);
    put(p, ECAP_REBAR, 4, 1u << 16 | 0x0015, 0);
    /* Sizes offered for BAR 0: one bit for each power of two from 256 MiB up to all of VRAM, bit
     * n + 4 for 2^n MiB; control: BAR 0, one resizable BAR, the size in bits 8-13. */
    uint64_t largest = pow2_at_least(g->vram_size);
    uint32_t sizes = 0;
    for (unsigned n = 8; n < 28 && 1ull << (20 + n) <= largest; n++)
        sizes |= 1u << (n + 4);
    put(p, ECAP_REBAR + 4, 4, sizes, 0);
    unsigned now = 0;
    while (1ull << (20 + now) < p->bar_size[0])
        now++;
    put(p, ECAP_REBAR + 8, 4, now << 8 | 1u << 5, 0x3f00);
}

int pci_init(struct gpu *g) {
    struct pci_state *p = &g->pci;
    uint64_t largest = pow2_at_least(g->vram_size);
    p->bar_size[0] = largest < BAR0_MIN_BYTES ? largest : BAR0_MIN_BYTES;
    p->bar_size[2] = BAR2_BYTES;
    p->bar_size[5] = BAR5_BYTES;
    p->bar_addr[0] = BAR_WINDOW;
    p->bar_addr[2] = BAR_WINDOW - (256ull << 20);
    p->bar_addr[5] = 0xfc900000;
    fill_config(g);
    return 0;
}

void pci_reset(struct gpu *g) {
    fill_config(g);
}

bool pci_bus_master(struct gpu *g) {
    return g->pci.cfg[4] & CMD_MASTER;
}

static bool cfg_range_ok(uint32_t off, uint32_t len) {
    return (len == 1 || len == 2 || len == 4) && off % len == 0 && off <= CFG_BYTES - len;
}

int pci_cfg_read(struct gpu *g, uint32_t off, uint32_t len, uint32_t *val) {
    if (!cfg_range_ok(off, len)) return -EINVAL;
    pthread_mutex_lock(&g->bus_lock);
    uint32_t v = 0;
    if (off >= 0x10 && off < 0x28) {
        unsigned i = (off - 0x10) / 4;
        v = bar_register(g, i, hw_get32(g->pci.cfg, 0x10 + 4 * i)) >> 8 * (off & 3);
    } else {
        for (uint32_t i = 0; i < len; i++)
            v |= (uint32_t)g->pci.cfg[off + i] << 8 * i;
    }
    pthread_mutex_unlock(&g->bus_lock);
    *val = len == 4 ? v : v & ((1u << 8 * len) - 1);
    return 0;
}

static int resize_to(struct gpu *g, unsigned log2_mib) {
    struct pci_state *p = &g->pci;
    if (log2_mib > 27 || !(hw_get32(p->cfg, ECAP_REBAR + 4) & 1u << (log2_mib + 4))) {
        gpu_guest_error(g, "resizable BAR: 2^%u MiB is not offered", log2_mib);
        return -EINVAL;
    }
    if (p->cfg[4] & CMD_MEMORY) gpu_debug(g, "BAR 0 resized while memory decoding is on");
    p->bar_size[0] = 1ull << (20 + log2_mib);
    return 0;
}

int pci_cfg_write(struct gpu *g, uint32_t off, uint32_t len, uint32_t val) {
    if (!cfg_range_ok(off, len)) return -EINVAL;
    struct pci_state *p = &g->pci;
    pthread_mutex_lock(&g->bus_lock);
    if (off >= 0x10 && off < 0x28) {
        /* Only sizing is modelled: all ones, or anything else to end it. */
        if (len == 4) memcpy(p->cfg + off, &val, 4);
    } else {
        for (uint32_t i = 0; i < len; i++) {
            uint8_t m = p->wmask[off + i];
            p->cfg[off + i] = (uint8_t)((p->cfg[off + i] & ~m) | ((val >> 8 * i) & m));
        }
        if (off <= ECAP_REBAR + 9 && off + len > ECAP_REBAR + 9)
            resize_to(g, p->cfg[ECAP_REBAR + 9] & 0x3f);
        if (off <= CAP_EXP + 9 && off + len > CAP_EXP + 9 &&
            (hw_get16(p->cfg, CAP_EXP + 8) & DEVCTL_FLR)) {
            pci_reset(g);
            gpu_reset_blocks(g);
        }
    }
    pthread_mutex_unlock(&g->bus_lock);
    return 0;
}

int pci_bar_resize(struct gpu *g, int bar) {
    if (bar != BUS_BAR_VRAM) return -ENOTSUP;
    pthread_mutex_lock(&g->bus_lock);
    uint64_t largest = pow2_at_least(g->vram_size);
    int rc = 0;
    if (largest > g->pci.bar_size[0]) {
        unsigned n = 0;
        while (1ull << (20 + n) < largest)
            n++;
        rc = resize_to(g, n);
        if (!rc) g->pci.cfg[ECAP_REBAR + 9] = (uint8_t)n;
    }
    pthread_mutex_unlock(&g->bus_lock);
    return rc;
}

/* ---- system memory ---- */

int dma_init(struct gpu *g) {
    g->dma.next = BUS_BASE;
    return -pthread_rwlock_init(&g->dma.lock, NULL);
}

void dma_fini(struct gpu *g) {
    for (unsigned i = 0; i < g->dma.count; i++)
        if (g->dma.range[i].owned) munmap(g->dma.range[i].host, g->dma.range[i].size);
    free(g->dma.range);
    g->dma.range = NULL;
    g->dma.count = 0;
    pthread_rwlock_destroy(&g->dma.lock);
}

/* The last range that begins at or before bus, or -1. */
static int find_range(const struct dma_state *d, uint64_t bus) {
    int lo = 0, hi = (int)d->count - 1, at = -1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2;
        if (d->range[mid].bus <= bus) {
            at = mid;
            lo = mid + 1;
        } else {
            hi = mid - 1;
        }
    }
    return at;
}

uint8_t *dma_ptr(struct gpu *g, uint64_t bus, uint64_t *len) {
    struct dma_state *d = &g->dma;
    uint8_t *p = NULL;
    pthread_rwlock_rdlock(&d->lock);
    int i = find_range(d, bus);
    if (i >= 0 && bus - d->range[i].bus < d->range[i].size) {
        uint64_t off = bus - d->range[i].bus;
        p = d->range[i].host + off;
        *len = d->range[i].size - off;
    }
    pthread_rwlock_unlock(&d->lock);
    return p;
}

static void *allocate(void *hint, size_t size) {
    void *p = MAP_FAILED;
    if (hint)
        p = mmap(hint, size, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                 0);
    return p == MAP_FAILED ? NULL : p;
}

int dma_map(struct gpu *g, void *va, void *hint, size_t size, struct bus_dma *out) {
    struct dma_state *d = &g->dma;
    if (!size || size > (1ull << 40) || (uintptr_t)va % BUS_PAGE_SIZE) return -EINVAL;
    size = (size + BUS_PAGE_SIZE - 1) & ~(size_t)(BUS_PAGE_SIZE - 1);
    size_t npages = size / BUS_PAGE_SIZE;
    uint64_t *pages = malloc(npages * sizeof *pages);
    void *host = va ? va : allocate(hint, size);
    if (!pages || !host) {
        free(pages);
        if (host && !va) munmap(host, size);
        return -ENOMEM;
    }
    pthread_rwlock_wrlock(&d->lock);
    if (d->count == d->cap) {
        unsigned cap = d->cap ? d->cap * 2 : 64;
        void *r = realloc(d->range, cap * sizeof *d->range);
        if (!r) {
            pthread_rwlock_unlock(&d->lock);
            free(pages);
            if (!va) munmap(host, size);
            return -ENOMEM;
        }
        d->range = r;
        d->cap = cap;
    }
    /* Addresses are handed out once: a stale one never meets somebody else's memory. 2 MiB
     * alignment lets drivers use huge pages; the gap catches overruns. */
    uint64_t align = size >= (2u << 20) ? 2ull << 20 : BUS_PAGE_SIZE;
    uint64_t bus = (d->next + align - 1) & ~(align - 1);
    d->next = bus + size + BUS_PAGE_SIZE;
    d->range[d->count++] = (struct dma_range){bus, size, host, !va};
    pthread_rwlock_unlock(&d->lock);
    for (size_t i = 0; i < npages; i++)
        pages[i] = bus + i * BUS_PAGE_SIZE;
    *out = (struct bus_dma){host, size, npages, pages, bus, !va};
    return 0;
}

void dma_unmap(struct gpu *g, struct bus_dma *m) {
    struct dma_state *d = &g->dma;
    if (!m->pages) return;
    pthread_rwlock_wrlock(&d->lock);
    int i = find_range(d, m->handle);
    bool known = i >= 0 && d->range[i].bus == m->handle;
    uint64_t lo = 0, hi = UINT64_MAX; /* the hole that is left */
    if (known) {
        if (i > 0) lo = d->range[i - 1].bus + d->range[i - 1].size;
        if ((unsigned)i + 1 < d->count) hi = d->range[i + 1].bus;
        d->count--;
        memmove(d->range + i, d->range + i + 1, (d->count - (unsigned)i) * sizeof *d->range);
    }
    pthread_rwlock_unlock(&d->lock);
    if (known) {
        mmu_drop_host(g, m->va, m->size);
        cp_release_memory(g); /* no engine is in the middle of an access any more */
        cache_system_unmapped(g, lo, hi, m->handle, m->size);
        if (m->owned) munmap(m->va, m->size);
    }
    free(m->pages);
    memset(m, 0, sizeof *m);
}
