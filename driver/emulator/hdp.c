/* SPDX-License-Identifier: MIT */
/* hdp.c - the host data path: what the CPU writes through BAR0 is not in memory, for the chip,
 * until the host data path is flushed (linux amdgpu_device_flush_hdp, hdp_v6_0.c).
 *
 * The bytes wait here; the CPU reads them back, the chip sees what was there before. The chip
 * reading a word of 8 bytes that waits is an error. Not a cache line: drivers write the arguments
 * of the next kernel beside those of the running one. What the chip writes replaces what waits.
 * Apart from that, for each hub: which words have changed since its TLB was last invalidated, for
 * the walker (mmu.c).
 *
 * Whoever writes more than MAX_WAITING without a flush finds the oldest of it in memory, as a real
 * buffer would run over; reading it is an error all the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"

static const char *const agents[] = {"CPU", "BAR0", "PSP", "CP", "SDMA", "a shader", "IH"};

enum { PAGE = 4096, MAX_WAITING = 4096 /* pages */ };

struct hdp_data {
    uint8_t byte[PAGE];
    uint8_t mask[PAGE]; /* 0xff: the byte waits */
};

int hdp_init(struct gpu *g) {
    struct hdp_state *h = &g->hdp;
    h->cap = 1024;
    h->page = malloc(h->cap * sizeof *h->page);
    h->waiting = malloc(MAX_WAITING * sizeof *h->waiting);
    if (!h->page || !h->waiting) return -ENOMEM;
    for (unsigned i = 0; i < h->cap; i++)
        h->page[i].page = UINT64_MAX;
    return -pthread_mutex_init(&h->lock, NULL);
}

void hdp_fini(struct gpu *g) {
    struct hdp_state *h = &g->hdp;
    if (h->page && h->waiting) {
        for (unsigned i = 0; i < h->cap; i++)
            if (h->page[i].page != UINT64_MAX) free(h->page[i].data);
        pthread_mutex_destroy(&h->lock);
    }
    free(h->page);
    free(h->waiting);
    h->page = NULL;
    h->waiting = NULL;
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
    for (unsigned w = first >> 6; w <= last >> 6; w++) {
        unsigned lo = w == first >> 6 ? first & 63 : 0, hi = w == last >> 6 ? last & 63 : 63;
        bits[w] |= (hi == 63 ? ~0ull : (1ull << (hi + 1)) - 1) & ~((1ull << lo) - 1);
    }
}

static bool live(const struct hdp_page *p) {
    uint64_t any = p->data != NULL;
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

/* ---- landing ---- */

/* Moves the waiting bytes of [from, to) of the page into VRAM; whole words at once. */
static void land_bytes(struct gpu *g, struct hdp_page *p, unsigned from, unsigned to) {
    struct hdp_data *d = p->data;
    uint8_t *mem = g->vram + (p->page << 12);
    for (unsigned i = from; i < to;) {
        uint64_t mask = 0, v;
        if (!(i & 7) && i + 8 <= to) memcpy(&mask, d->mask + i, 8);
        if (mask == UINT64_MAX) {
            memcpy(&v, d->byte + i, 8);
            __atomic_store_n((uint64_t *)(void *)(mem + i), v, __ATOMIC_RELEASE);
            i += 8;
        } else if (!(i & 7) && i + 8 <= to && !mask) {
            i += 8;
        } else if (!(i & 3) && i + 4 <= to && d->mask[i] && d->mask[i + 1] && d->mask[i + 2] &&
                   d->mask[i + 3]) {
            uint32_t half;
            memcpy(&half, d->byte + i, 4);
            __atomic_store_n((uint32_t *)(void *)(mem + i), half, __ATOMIC_RELEASE);
            i += 4;
        } else {
            if (d->mask[i]) __atomic_store_n(mem + i, d->byte[i], __ATOMIC_RELEASE);
            i++;
        }
    }
    memset(d->mask + from, 0, to - from);
}

/* Tells the others that words first to last of the page have changed. */
static void landed(struct gpu *g, struct hdp_page *p, unsigned first, unsigned last) {
    struct hdp_state *h = &g->hdp;
    uint64_t off = (p->page << 12) + first * 8ull, len = (last - first + 1) * 8ull;
    for (int hub = 0; hub < 2; hub++) {
        set_bits(p->unwalked[hub], first, last);
        atomic_store(&h->unwalked[hub], true);
    }
    mmu_table_written(g, off, len);
    cache_bar0_write(g, off, len);
}

static void land_page(struct gpu *g, struct hdp_page *p) {
    if (!p->data) return;
    land_bytes(g, p, 0, PAGE);
    free(p->data);
    p->data = NULL;
    for (unsigned w = 0, n; w < 512; w += n) { /* runs of written words */
        bool set = test_bit(p->pending, w);
        for (n = 1; w + n < 512 && test_bit(p->pending, w + n) == set; n++) {
        }
        if (set) landed(g, p, w, w + n - 1);
    }
}

static void flush_locked(struct gpu *g) {
    struct hdp_state *h = &g->hdp;
    unsigned pages = atomic_load(&h->pending_pages);
    if (!pages) return;
    for (unsigned i = 0; i < h->waiting_count; i++) {
        struct hdp_page *p = find(h, h->waiting[i]);
        if (!p) continue;
        land_page(g, p);
        memset(p->pending, 0, sizeof p->pending);
    }
    h->waiting_count = 0;
    if (h->overrun) { /* pages that left the list */
        for (unsigned i = 0; i < h->cap; i++)
            if (h->page[i].page != UINT64_MAX)
                memset(h->page[i].pending, 0, sizeof h->page[i].pending);
        h->overrun = false;
    }
    atomic_store(&h->pending_pages, 0);
}

void hdp_flush(struct gpu *g) {
    struct hdp_state *h = &g->hdp;
    if (!atomic_load(&h->pending_pages)) return;
    pthread_mutex_lock(&h->lock);
    flush_locked(g);
    pthread_mutex_unlock(&h->lock);
}

void hdp_reset(struct gpu *g) {
    struct hdp_state *h = &g->hdp;
    pthread_mutex_lock(&h->lock);
    flush_locked(g); /* posted before the reset: they arrive */
    for (unsigned i = 0; i < h->cap; i++)
        h->page[i].page = UINT64_MAX;
    h->count = 0;
    atomic_store(&h->unwalked[0], false);
    atomic_store(&h->unwalked[1], false);
    pthread_mutex_unlock(&h->lock);
}

/* ---- the CPU's side ---- */

/* The page at `at` with room for waiting bytes; NULL without memory. */
static struct hdp_page *waiting_page(struct gpu *g, uint64_t at) {
    struct hdp_state *h = &g->hdp;
    struct hdp_page *p = add(h, at >> 12);
    if (!p || p->data) return p;
    struct hdp_data *d = malloc(sizeof *d);
    if (!d) return NULL;
    memset(d->mask, 0, sizeof d->mask);
    p->data = d;
    if (!any_pending(p)) atomic_fetch_add(&h->pending_pages, 1);
    if (h->waiting_count == MAX_WAITING) {
        struct hdp_page *old = find(h, h->waiting[0]);
        if (old) land_page(g, old);
        memmove(h->waiting, h->waiting + 1, (MAX_WAITING - 1) * sizeof *h->waiting);
        h->waiting_count--;
        h->overrun = true;
    }
    h->waiting[h->waiting_count++] = p->page;
    return p;
}

void hdp_cpu_write(struct gpu *g, uint64_t off, const void *buf, size_t len) {
    struct hdp_state *h = &g->hdp;
    const uint8_t *src = buf;
    pthread_mutex_lock(&h->lock);
    while (len) {
        unsigned from = off & (PAGE - 1);
        size_t n = PAGE - from < len ? PAGE - from : len;
        struct hdp_page *p = waiting_page(g, off);
        if (p) {
            memcpy(p->data->byte + from, src, n);
            memset(p->data->mask + from, 0xff, n);
            set_bits(p->pending, from >> 3, (from + (unsigned)n - 1) >> 3);
        } else { /* out of memory: strictness is lost, not data */
            memcpy(g->vram + off, src, n);
            mmu_table_written(g, off, n);
        }
        off += n, src += n, len -= n;
    }
    pthread_mutex_unlock(&h->lock);
}

void hdp_cpu_read(struct gpu *g, uint64_t off, void *buf, size_t len) {
    struct hdp_state *h = &g->hdp;
    uint8_t *dst = buf;
    if (!atomic_load(&h->pending_pages)) return;
    pthread_mutex_lock(&h->lock);
    while (len) {
        unsigned from = off & (PAGE - 1);
        size_t n = PAGE - from < len ? PAGE - from : len;
        const struct hdp_page *p = find(h, off >> 12);
        for (size_t i = 0; p && p->data && i < n; i++)
            if (p->data->mask[from + i]) dst[i] = p->data->byte[from + i];
        off += n, dst += n, len -= n;
    }
    pthread_mutex_unlock(&h->lock);
}

/* ---- the chip's side ---- */

/* Bytes of [off, off + len) that wait: they land (land), or are forgotten. */
static void settle(struct gpu *g, uint64_t off, uint64_t len, bool land) {
    struct hdp_state *h = &g->hdp;
    if (!atomic_load(&h->pending_pages) || !len) return;
    pthread_mutex_lock(&h->lock);
    while (len) {
        unsigned from = off & (PAGE - 1);
        uint64_t n = PAGE - from < len ? PAGE - from : len;
        struct hdp_page *p = find(h, off >> 12);
        if (p && p->data) {
            if (land) {
                land_bytes(g, p, from, from + (unsigned)n);
                landed(g, p, from >> 3, (from + (unsigned)n - 1) >> 3);
            } else {
                memset(p->data->mask + from, 0, n);
            }
        }
        off += n, len -= n;
    }
    pthread_mutex_unlock(&h->lock);
}

void hdp_accept(struct gpu *g, uint64_t off, uint64_t len) {
    settle(g, off, len, true);
}

void hdp_chip_writes(struct gpu *g, uint64_t off, uint64_t len) {
    settle(g, off, len, false);
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
