/* SPDX-License-Identifier: MIT */
#include "runtime/staging.h"

#include <stddef.h>

void staging_init(struct staging *s) {
    pthread_mutex_init(&s->lock, NULL);
}

static void slab_create_locked(struct staging *s, struct am_device *am) {
    uint64_t size = (uint64_t)STAGING_SLOT_BYTES * STAGING_SLOTS;

    if (am_alloc(am, size, 0, AM_MEM_SYSTEM, "staging", &s->slab)) return;
    for (int i = 0; i < STAGING_SLOTS; i++) {
        struct staging_slot *slot = &s->slots[i];
        uint64_t offset = (uint64_t)i * STAGING_SLOT_BYTES;
        *slot = (struct staging_slot){.next = s->free,
                                      .mem = s->slab,
                                      .va = s->slab->va + offset,
                                      .cpu = (uint8_t *)s->slab->cpu + offset};
        s->free = slot;
    }
}

struct staging_slot *staging_take(struct staging *s, struct am_device *am) {
    pthread_mutex_lock(&s->lock);
    if (!s->slab) slab_create_locked(s, am);
    struct staging_slot *slot = s->free;
    if (slot) s->free = slot->next;
    pthread_mutex_unlock(&s->lock);
    return slot;
}

void staging_give(struct staging *s, struct staging_slot *slot) {
    pthread_mutex_lock(&s->lock);
    slot->next = s->free;
    s->free = slot;
    pthread_mutex_unlock(&s->lock);
}

struct am_mem *staging_reuse(struct staging *s, struct am_mem **list, int places) {
    struct am_mem *mem = NULL;

    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < places && !mem; i++) {
        mem = list[i];
        list[i] = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    return mem;
}

void staging_keep(struct staging *s, struct am_device *am, struct am_mem **list, int places,
                  struct am_mem *mem) {
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < places && mem; i++) {
        if (list[i]) continue;
        list[i] = mem;
        mem = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    if (mem) am_free(am, mem);
}

struct am_mem *staging_take_pipe(struct staging *s, struct am_device *am) {
    struct am_mem *pipe = staging_reuse(s, s->pipes, STAGING_PIPES);
    uint64_t size = (uint64_t)STAGING_CHUNK_BYTES * STAGING_CHUNKS;

    if (!pipe && am_alloc(am, size, 0, AM_MEM_SYSTEM, "staging pipe", &pipe)) return NULL;
    return pipe;
}

void staging_give_pipe(struct staging *s, struct am_device *am, struct am_mem *pipe) {
    staging_keep(s, am, s->pipes, STAGING_PIPES, pipe);
}
