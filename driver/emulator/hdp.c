/* SPDX-License-Identifier: MIT */
/* hdp.c - the host data path: what the CPU writes through BAR0 is not in memory, for the chip,
 * until the host data path is flushed (linux amdgpu_device_flush_hdp, hdp_v6_0.c).
 *
 * The bytes go to VRAM at once; what is kept is which words of 8 bytes were written and not
 * flushed. The chip reading such a word is the error. Not by cache line: drivers write the
 * arguments of the next kernel beside those of the running one. Apart from that, for each hub:
 * which words were written since its TLB was last invalidated, for the walker (mmu.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"

static const char *const agents[] = {"CPU", "BAR0", "PSP", "CP", "SDMA", "a shader", "IH"};

int hdp_init(struct gpu *g) {
    struct hdp_state *h = &g->hdp;
    h->cap = 1024;
    h->page = malloc(h->cap * sizeof *h->page);
    if (!h->page) return -ENOMEM;
    for (unsigned i = 0; i < h->cap; i++)
        h->page[i].page = UINT64_MAX;
    return -pthread_mutex_init(&h->lock, NULL);
}

void hdp_fini(struct gpu *g) {
    if (!g->hdp.page) return;
    free(g->hdp.page);
    g->hdp.page = NULL;
    pthread_mutex_destroy(&g->hdp.lock);
}

void hdp_reset(struct gpu *g) {
    struct hdp_state *h = &g->hdp;
    pthread_mutex_lock(&h->lock);
    for (unsigned i = 0; i < h->cap; i++)
        h->page[i].page = UINT64_MAX;
    h->count = 0;
    atomic_store(&h->unwalked[0], false);
    atomic_store(&h->unwalked[1], false);
    atomic_store(&h->pending_pages, 0);
    pthread_mutex_unlock(&h->lock);
}

static unsigned slot_of(const struct hdp_state *h, uint64_t page) {
    unsigned i = (unsigned)(page * 0x9e3779b97f4a7c15u >> 40) & (h->cap - 1);
    while (h->page[i].page != UINT64_MAX && h->page[i].page != page)
        i = (i + 1) & (h->cap - 1);
    return i;
}

static struct hdp_page *find(struct hdp_state *h, uint64_t page) {
    unsigned i = slot_of(h, page);
    return h->page[i].page == page ? &h->page[i] : NULL;
}

static bool any_pending(const struct hdp_page *p) {
    uint64_t any = 0;
    for (int i = 0; i < 8; i++)
        any |= p->pending[i];
    return any;
}

static bool test_bit(const uint64_t *bits, unsigned i) {
    return bits[i >> 6] >> (i & 63) & 1;
}

static void set_bits(uint64_t *bits, unsigned first, unsigned last) {
    if (first == 0 && last == 511) {
        memset(bits, 0xff, 64);
        return;
    }
    for (unsigned i = first; i <= last; i++)
        bits[i >> 6] |= 1ull << (i & 63);
}

static bool live(const struct hdp_page *p) {
    uint64_t any = 0;
    for (int i = 0; i < 8; i++)
        any |= p->pending[i] | p->unwalked[0][i] | p->unwalked[1][i];
    return any;
}

/* Rebuilds the table without pages that hold nothing any more. */
static bool rebuild(struct hdp_state *h, unsigned cap) {
    struct hdp_page *old = h->page, *fresh = malloc(cap * sizeof *fresh);
    unsigned old_cap = h->cap;
    if (!fresh) return false;
    for (unsigned i = 0; i < cap; i++)
        fresh[i].page = UINT64_MAX;
    h->page = fresh;
    h->cap = cap;
    h->count = 0;
    for (unsigned i = 0; i < old_cap; i++)
        if (old[i].page != UINT64_MAX && live(&old[i])) {
            h->page[slot_of(h, old[i].page)] = old[i];
            h->count++;
        }
    free(old);
    return true;
}

static struct hdp_page *add(struct hdp_state *h, uint64_t page) {
    struct hdp_page *p = find(h, page);
    if (p) return p;
    if (h->count * 2 >= h->cap) {
        unsigned alive = 0;
        for (unsigned i = 0; i < h->cap; i++)
            alive += h->page[i].page != UINT64_MAX && live(&h->page[i]);
        if (!rebuild(h, alive * 4 > h->cap ? h->cap * 2 : h->cap)) return NULL;
    }
    p = &h->page[slot_of(h, page)];
    memset(p, 0, sizeof *p);
    p->page = page;
    h->count++;
    return p;
}

void hdp_cpu_wrote(struct gpu *g, uint64_t off, size_t len) {
    struct hdp_state *h = &g->hdp;
    if (!len) return;
    pthread_mutex_lock(&h->lock);
    for (uint64_t a = off & ~4095ull; a < off + len; a += 4096) {
        uint64_t from = a < off ? off : a, to = a + 4096 < off + len ? a + 4096 : off + len;
        struct hdp_page *p = add(h, a >> 12);
        if (!p) continue; /* out of memory: strictness is lost, not data */
        if (!any_pending(p)) atomic_fetch_add(&h->pending_pages, 1);
        unsigned first = (unsigned)(from & 4095) >> 3, last = (unsigned)((to - 1) & 4095) >> 3;
        set_bits(p->pending, first, last);
        set_bits(p->unwalked[0], first, last);
        set_bits(p->unwalked[1], first, last);
        atomic_store(&h->unwalked[0], true);
        atomic_store(&h->unwalked[1], true);
    }
    pthread_mutex_unlock(&h->lock);
    mmu_table_written(g, off, len);
}

void hdp_flush(struct gpu *g) {
    struct hdp_state *h = &g->hdp;
    if (!atomic_load(&h->pending_pages)) return;
    pthread_mutex_lock(&h->lock);
    for (unsigned i = 0; i < h->cap; i++) {
        struct hdp_page *p = &h->page[i];
        if (p->page == UINT64_MAX || !any_pending(p)) continue;
        for (unsigned w = 0, n; w < 512; w += n) { /* runs of written words */
            bool set = test_bit(p->pending, w);
            for (n = 1; w + n < 512 && test_bit(p->pending, w + n) == set; n++) {
            }
            if (set) cache_bar0_write(g, (p->page << 12) + w * 8ull, n * 8ull);
        }
        memset(p->pending, 0, sizeof p->pending);
    }
    atomic_store(&h->pending_pages, 0);
    pthread_mutex_unlock(&h->lock);
}

void hdp_tlb_invalidated(struct gpu *g, enum gpu_hub hub) {
    struct hdp_state *h = &g->hdp;
    pthread_mutex_lock(&h->lock);
    atomic_store(&h->unwalked[hub], false);
    for (unsigned i = 0; i < h->cap; i++)
        if (h->page[i].page != UINT64_MAX)
            memset(h->page[i].unwalked[hub], 0, sizeof h->page[i].unwalked[hub]);
    if (h->count > 256) {
        unsigned alive = 0, cap = 1024;
        for (unsigned i = 0; i < h->cap; i++)
            alive += h->page[i].page != UINT64_MAX && live(&h->page[i]);
        while (cap < alive * 4)
            cap *= 2;
        rebuild(h, cap);
    }
    pthread_mutex_unlock(&h->lock);
}

void hdp_check_read(struct gpu *g, enum gpu_agent who, uint64_t off, uint64_t len) {
    struct hdp_state *h = &g->hdp;
    if (!atomic_load(&h->pending_pages) || !len) return;
    uint64_t bad = UINT64_MAX;
    pthread_mutex_lock(&h->lock);
    for (uint64_t a = off & ~4095ull; a < off + len && bad == UINT64_MAX; a += 4096) {
        const struct hdp_page *p = find(h, a >> 12);
        if (!p || !any_pending(p)) continue;
        uint64_t from = a < off ? off : a, to = a + 4096 < off + len ? a + 4096 : off + len;
        for (unsigned w = (unsigned)(from & 4095) >> 3; w <= (unsigned)((to - 1) & 4095) >> 3; w++)
            if (test_bit(p->pending, w)) {
                bad = a + w * 8ull;
                break;
            }
    }
    pthread_mutex_unlock(&h->lock);
    if (bad != UINT64_MAX)
        gpu_guest_error(g,
                        "%s reads VRAM 0x%" PRIx64 " before the HDP flush of what BAR0 wrote there",
                        agents[who], bad);
}

bool hdp_unwalked(struct gpu *g, enum gpu_hub hub, uint64_t off) {
    struct hdp_state *h = &g->hdp;
    if (!atomic_load(&h->unwalked[hub])) return false;
    pthread_mutex_lock(&h->lock);
    const struct hdp_page *p = find(h, off >> 12);
    uint64_t w = (off & 4095) >> 3;
    bool yes = p && (p->unwalked[hub][w >> 6] >> (w & 63) & 1);
    pthread_mutex_unlock(&h->lock);
    return yes;
}
