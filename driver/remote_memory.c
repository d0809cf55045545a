/* SPDX-License-Identifier: MIT */
/* remote_memory.c - system memory of the machine behind the socket.
 *
 * Where the server can share it, both map the same pages and there is nothing to do. Elsewhere each
 * mapping has a mirror here, and changes travel: what the CPU wrote goes out before the device is
 * told of anything (a write to a BAR), what the device wrote comes in when it has announced
 * something. It announces in the first page of the first mapping, which holds the driver's signals:
 * that page is read first and shown last, so that whoever sees a signal sees all that came before
 * it. Memory that a running kernel and the CPU write at the same time (fine-grained sharing) does
 * not work this way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/remote.h"

enum { CHUNK = 1 << 20 };

static struct remote_mem *new_mem(struct remote_memory *m) {
    if (m->count == m->cap) {
        unsigned cap = m->cap ? m->cap * 2 : 64;
        void *p = realloc(m->mem, cap * sizeof *m->mem);
        if (!p) return NULL;
        m->mem = p;
        m->cap = cap;
    }
    struct remote_mem *x = calloc(1, sizeof *x);
    if (x) m->mem[m->count++] = x;
    return x;
}

/* Zeroed pages at the hint if that is free. */
static void *pages_at(void *hint, size_t size, int file) {
    int flags = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = MAP_FAILED;
    if (hint) p = mmap(hint, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, file, 0);
    if (p == MAP_FAILED) p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Asks the server for memory: bus addresses, handle, and its file where that was asked for. */
static int ask(struct remote_link *l, bool shared, size_t size, struct remote_mem *x, int *file) {
    struct remote_request r = {shared ? REMOTE_MAP_SHARED : REMOTE_MAP_SYSMEM, 0, {size, 0, 0}};
    uint64_t r0 = 0, r1 = 0;
    int rc = remote_send(l, &r, NULL, 0);
    if (!rc) rc = remote_response(l, &r0, &r1, shared ? file : NULL);
    if (rc) return rc;
    x->npages = size / BUS_PAGE_SIZE;
    if (r0 != 8 * (uint64_t)x->npages || r1 > UINT32_MAX)
        return remote_broken(l, "memory of another size than asked for");
    x->handle = (uint32_t)r1;
    x->pages = malloc(8 * x->npages);
    if (!x->pages) return remote_broken(l, "out of memory here"); /* the addresses would be lost */
    rc = remote_receive(l, x->pages, 8 * x->npages);
    for (size_t i = 0; i < x->npages && !rc; i++)
        if (x->pages[i] % BUS_PAGE_SIZE) rc = remote_broken(l, "a bus address within a page");
    struct stat st;
    if (!rc && shared && (*file < 0 || fstat(*file, &st) || (uint64_t)st.st_size < size))
        rc = remote_broken(l, "shared memory without its file");
    return rc;
}

/* Memory of a server that takes nothing back: freed here, not there. */
static struct remote_mem *find_idle(struct remote_memory *m, size_t size) {
    for (unsigned i = 1; i < m->count; i++) /* the first one is special */
        if (!m->mem[i]->used && !m->mem[i]->shared && m->mem[i]->pages && m->mem[i]->size == size)
            return m->mem[i];
    return NULL;
}

static int make_mirror(struct remote_mem *x, void *va, void *hint) {
    x->owned = !va;
    x->va = va ? va : pages_at(hint, x->size, -1);
    bool fresh = !x->twin;
    if (fresh) x->twin = pages_at(NULL, x->size, -1);
    return x->va && x->twin ? 0 : -ENOMEM;
}

static void drop_pages(struct remote_mem *x) {
    if (x->owned && x->va) munmap(x->va, x->size);
    x->va = NULL;
    x->used = false;
}

int remote_map(struct remote_link *l, struct remote_memory *m, uint64_t features, void *va,
               void *hint, size_t size, struct bus_dma *out) {
    if (!size || size > (1ull << 40) || (uintptr_t)va % BUS_PAGE_SIZE) return -EINVAL;
    size = (size + BUS_PAGE_SIZE - 1) & ~(size_t)(BUS_PAGE_SIZE - 1);
    bool shared = (features & REMOTE_FEATURE_SHARED) && !va;
    struct remote_mem *x = shared ? NULL : find_idle(m, size);
    int file = -1, rc = 0;
    if (!x) {
        x = new_mem(m);
        if (!x) return -ENOMEM;
        x->size = size;
        x->shared = shared;
        rc = ask(l, shared, size, x, &file);
    }
    if (!rc && shared) {
        x->owned = true;
        x->va = pages_at(hint, size, file);
        if (!x->va) rc = -ENOMEM;
    } else if (!rc) {
        if (!m->scratch && !(m->scratch = malloc(CHUNK))) rc = -ENOMEM;
        if (!rc) rc = make_mirror(x, va, hint);
    }
    if (file >= 0) close(file);
    if (!rc) out->pages = malloc(8 * x->npages);
    if (!rc && !out->pages) rc = -ENOMEM;
    if (rc) {
        drop_pages(x);
        return rc;
    }
    memcpy(out->pages, x->pages, 8 * x->npages);
    x->used = true;
    if (!shared) m->mirrors++;
    out->va = x->va;
    out->size = size;
    out->npages = x->npages;
    out->handle = (uint64_t)(uintptr_t)x;
    out->owned = x->owned;
    return 0;
}

static void free_mem(struct remote_mem *x) {
    drop_pages(x);
    if (x->twin) munmap(x->twin, x->size);
    free(x->pages);
    free(x);
}

void remote_unmap(struct remote_link *l, struct remote_memory *m, uint64_t features,
                  struct bus_dma *d) {
    struct remote_mem *x = (struct remote_mem *)(uintptr_t)d->handle;
    if (!d->pages) return;
    if (!x->shared) m->mirrors--;
    drop_pages(x);
    if (features & REMOTE_FEATURE_UNMAP) {
        remote_call(l, &(struct remote_request){REMOTE_UNMAP_SYSMEM, x->handle, {0}}, NULL, NULL);
        for (unsigned i = 0; i < m->count; i++) {
            if (m->mem[i] != x) continue;
            memmove(m->mem + i, m->mem + i + 1, (m->count - i - 1) * sizeof *m->mem);
            m->count--;
            break;
        }
        free_mem(x);
    }
    free(d->pages);
    *d = (struct bus_dma){0};
}

void remote_memory_free(struct remote_memory *m) {
    for (unsigned i = 0; i < m->count; i++)
        free_mem(m->mem[i]);
    free(m->mem);
    free(m->scratch);
    *m = (struct remote_memory){0};
}

/* ---- mirrors ---- */

/* Words, since the device's 8-byte writes land between the CPU's. */
static uint64_t load(const uint8_t *p) {
    return __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_RELAXED);
}

static void store(uint8_t *p, uint64_t v) {
    __atomic_store_n((uint64_t *)(void *)p, v, __ATOMIC_RELAXED);
}

static int push_page(struct remote_link *l, struct remote_mem *x, size_t page) {
    for (size_t at = page, end = page + BUS_PAGE_SIZE; at < end;) {
        if (load(x->va + at) == load(x->twin + at)) {
            at += 8;
            continue;
        }
        size_t from = at;
        for (; at < end; at += 8) {
            uint64_t v = load(x->va + at);
            if (v == load(x->twin + at)) break;
            store(x->twin + at, v);
        }
        struct remote_request r = {REMOTE_SYSMEM_WRITE, x->handle, {from, at - from, 0}};
        int rc = remote_post(l, &r, x->twin + from, at - from);
        if (rc) return rc;
    }
    return 0;
}

int remote_push(struct remote_link *l, struct remote_memory *m, bool all) {
    if (!m->mirrors) return 0;
    for (unsigned i = 0; i < m->count; i++) {
        struct remote_mem *x = m->mem[i];
        if (!x->used || x->shared || (!all && x->size > REMOTE_SMALL_BYTES)) continue;
        for (size_t page = 0; page < x->size; page += BUS_PAGE_SIZE) {
            if (memcmp(x->va + page, x->twin + page, BUS_PAGE_SIZE) == 0) continue;
            int rc = push_page(l, x, page);
            if (rc) return rc;
        }
    }
    return 0;
}

/* What came from the server into mirror and twin. What both wrote stays the CPU's. */
static bool merge(struct remote_mem *x, size_t at, const uint8_t *from, size_t len) {
    bool changed = false;
    for (size_t i = 0; i < len; i += 8) {
        uint64_t theirs, agreed = load(x->twin + at + i);
        memcpy(&theirs, from + i, 8);
        if (theirs == agreed) continue;
        if (load(x->va + at + i) == agreed) store(x->va + at + i, theirs);
        store(x->twin + at + i, theirs);
        changed = true;
    }
    return changed;
}

static int fetch(struct remote_link *l, struct remote_mem *x, size_t at, size_t len, void *to) {
    return remote_read(l, &(struct remote_request){REMOTE_SYSMEM_READ, x->handle, {at, len, 0}}, to,
                       len);
}

int remote_pull(struct remote_link *l, struct remote_memory *m) {
    struct remote_mem *first = m->count ? m->mem[0] : NULL;
    uint8_t announced[BUS_PAGE_SIZE];
    if (!m->mirrors || !first || !first->used || first->shared) return 0;
    int rc = fetch(l, first, 0, sizeof announced, announced);
    if (rc) return rc;
    if (memcmp(announced, first->twin, sizeof announced) == 0) return 0;
    for (unsigned i = 0; i < m->count; i++) {
        struct remote_mem *x = m->mem[i];
        if (!x->used || x->shared) continue;
        for (size_t at = x == first ? BUS_PAGE_SIZE : 0, n; at < x->size; at += n) {
            n = x->size - at < CHUNK ? x->size - at : CHUNK;
            rc = fetch(l, x, at, n, m->scratch);
            if (rc) return rc;
            merge(x, at, m->scratch, n);
        }
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return merge(first, 0, announced, sizeof announced);
}
