/* SPDX-License-Identifier: MIT */
/* pool.h - host threads that execute work-groups beside the queue threads, and the jobs they help
 * with. A job is a dispatch in flight; its queue's thread works on it too and waits for the rest.
 */
#ifndef RAWCL_EMULATOR_POOL_H
#define RAWCL_EMULATOR_POOL_H

#include "driver/emulator/gpu.h"

struct pool;

enum { POOL_WIDTH_MAX = 256 }; /* participants of a job, the queue's thread included */

struct job {
    /* Works until nothing is left for this participant. who: 0 the queue's thread, 1.. helpers. */
    void (*work)(struct job *j, unsigned who);
    /* Owned by the pool. */
    struct job *next;
    unsigned inside; /* helpers in work() */
    bool listed;
};

/* Creates no thread yet: they start with the first job that wants help. */
struct pool *pool_create(struct gpu *g);
void pool_destroy(struct pool *p);
/* Participants of a job at most: helpers and the queue's thread. */
unsigned pool_width(const struct pool *p);
/* Lets up to `helpers` threads join. */
void pool_publish(struct pool *p, struct job *j, unsigned helpers);
/* No helper joins any more; waits until those inside left. */
void pool_retire(struct pool *p, struct job *j);

#endif
