/* SPDX-License-Identifier: MIT */
/* staging.h - CPU-visible memory through which data enters and leaves the device: small slots that
 * short transfers take and give back, and pairs of big chunks for pipelined ones.
 */
#ifndef RAWCL_RUNTIME_STAGING_H
#define RAWCL_RUNTIME_STAGING_H

#include <pthread.h>

#include "driver/am.h"

#define STAGING_SLOT_BYTES  (256u << 10)
#define STAGING_SLOTS       16
#define STAGING_CHUNK_BYTES (1u << 20)
#define STAGING_CHUNKS      4 /* of one pipelined transfer */
#define STAGING_PIPES       2 /* kept for reuse */
#define STAGING_PRINTS      4

struct staging_slot {
    struct staging_slot *next;
    struct am_mem *mem; /* shared by all slots */
    uint64_t va;
    uint8_t *cpu;
};

struct staging {
    pthread_mutex_t lock;
    struct am_mem *slab;
    struct staging_slot slots[STAGING_SLOTS];
    struct staging_slot *free;
    struct am_mem *pipes[STAGING_PIPES];   /* idle ones; NULL: none */
    struct am_mem *prints[STAGING_PRINTS]; /* idle printf buffers, all of one size */
};

void staging_init(struct staging *s);
/* A free slot, or NULL. Never waits. */
struct staging_slot *staging_take(struct staging *s, struct am_device *am);
void staging_give(struct staging *s, struct staging_slot *slot);
/* STAGING_CHUNKS chunks in one allocation; NULL: out of memory. */
struct am_mem *staging_take_pipe(struct staging *s, struct am_device *am);
void staging_give_pipe(struct staging *s, struct am_device *am, struct am_mem *pipe);

/* Keeps mem in a free place of the list, or frees it. */
void staging_keep(struct staging *s, struct am_device *am, struct am_mem **list, int places,
                  struct am_mem *mem);
/* Takes one out of the list; NULL: empty. */
struct am_mem *staging_reuse(struct staging *s, struct am_mem **list, int places);

#endif
