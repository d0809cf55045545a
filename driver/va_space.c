/* SPDX-License-Identifier: MIT */
#include "driver/va_space.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "driver/dev.h"

#define FIRST_GAP (64u << 10) /* nothing lies at the very base */
#define GIB       (1ull << 30)

static struct {
    pthread_mutex_t lock;
    unsigned refs;
    struct heap *heap;
    uint64_t reserved;
} space = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *reserve_at(uint64_t va, uint64_t size) {
    return mmap((void *)(uintptr_t)va, size, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

/* Thread and memory sanitizers keep this range for themselves, and end the process that asks. */
extern void __tsan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));

/* The largest power-of-two share of the wish that the process is given. */
static uint64_t reserve(void) {
    uint64_t want = AM_VA_BYTES;
    if (__tsan_init || __msan_init) return 0;
    const char *env = getenv("AM_VA_RESERVE");
    if (env && *env) {
        char *end;
        unsigned long long gib = strtoull(env, &end, 0);
        if (*end == '\0' && gib < AM_VA_BYTES / GIB) want = gib * GIB;
    }
    for (; want >= GIB; want /= 2) {
        void *p = reserve_at(AM_VA_BASE, want);
        if (p == MAP_FAILED) continue;
        if ((uint64_t)(uintptr_t)p == AM_VA_BASE) {
            madvise(p, want, MADV_DONTDUMP);
            return want;
        }
        munmap(p, want); /* a kernel that does not know MAP_FIXED_NOREPLACE */
    }
    return 0;
}

int va_space_get(void) {
    int r = 0;
    pthread_mutex_lock(&space.lock);
    if (!space.refs) {
        space.heap = heap_create(AM_VA_BASE + FIRST_GAP, AM_VA_BYTES - FIRST_GAP, 4096);
        if (space.heap)
            space.reserved = reserve();
        else
            r = -ENOMEM;
    }
    if (!r) space.refs++;
    pthread_mutex_unlock(&space.lock);
    return r;
}

void va_space_put(void) {
    pthread_mutex_lock(&space.lock);
    if (--space.refs == 0) {
        if (space.reserved) munmap((void *)(uintptr_t)AM_VA_BASE, space.reserved);
        space.reserved = 0;
        heap_destroy(space.heap);
        space.heap = NULL;
    }
    pthread_mutex_unlock(&space.lock);
}

uint64_t va_space_reserved(void) {
    pthread_mutex_lock(&space.lock);
    uint64_t n = space.reserved;
    pthread_mutex_unlock(&space.lock);
    return n;
}

bool va_space_possible(void) {
    pthread_mutex_lock(&space.lock);
    uint64_t n = space.refs ? space.reserved : reserve();
    if (!space.refs && n) munmap((void *)(uintptr_t)AM_VA_BASE, n);
    pthread_mutex_unlock(&space.lock);
    return n != 0;
}

int va_space_alloc(uint64_t size, uint64_t align, struct heap_block **out) {
    *out = NULL;
    uint64_t gap = size >= 64 << 10 ? 64 << 10 : 4096;
    if (size > AM_VA_BYTES) return -ENOSPC;
    pthread_mutex_lock(&space.lock);
    int r = heap_alloc(space.heap, size + gap, align, out);
    pthread_mutex_unlock(&space.lock);
    return r;
}

void va_space_free(struct heap_block *b) {
    pthread_mutex_lock(&space.lock);
    heap_free(space.heap, b);
    pthread_mutex_unlock(&space.lock);
}

static bool inside(uint64_t va, uint64_t size) {
    return va >= AM_VA_BASE && va + size <= AM_VA_BASE + va_space_reserved();
}

bool va_space_open_hole(uint64_t va, uint64_t size) {
    return inside(va, size) && munmap((void *)(uintptr_t)va, size) == 0;
}

void va_space_close_hole(uint64_t va, uint64_t size) {
    if (inside(va, size)) reserve_at(va, size);
}
