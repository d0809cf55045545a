/* SPDX-License-Identifier: MIT */
/* engine_wait.h - how an engine blocked in a wait packet sleeps: until somebody kicks it, or for a
 * moment that grows, since the CPU's writes to system memory kick nobody. */
#ifndef RAWCL_EMULATOR_ENGINE_WAIT_H
#define RAWCL_EMULATOR_ENGINE_WAIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct engine_wait {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    _Atomic unsigned waiters;
    _Atomic uint64_t kicks;
};

void engine_wait_init(struct engine_wait *w);
void engine_wait_fini(struct engine_wait *w);
/* Read before the condition is polled. */
static inline uint64_t engine_wait_seen(struct engine_wait *w) {
    return w->kicks;
}
/* Sleeps unless kicked since `seen`; at most *backoff_us, which doubles up to a millisecond. */
void engine_wait_sleep(struct engine_wait *w, uint64_t seen, unsigned *backoff_us);
void engine_wait_kick(struct engine_wait *w);

/* Condition variables on the monotonic clock. */
void cond_init_monotonic(pthread_cond_t *c);
void cond_wait_us(pthread_cond_t *c, pthread_mutex_t *m, uint64_t us);
uint64_t monotonic_ns(void);
/* Whether spinning may pay: this process can use more than one processor. */
bool host_has_spare_cpu(void);

/* Comparison functions of WAIT_REG_MEM and POLL_REGMEM, 0 (always) to 6 (greater). */
static inline int engine_compare(unsigned func, uint64_t v, uint64_t ref) {
    switch (func) {
    case 0:
        return 1;
    case 1:
        return v < ref;
    case 2:
        return v <= ref;
    case 3:
        return v == ref;
    case 4:
        return v != ref;
    case 5:
        return v >= ref;
    case 6:
        return v > ref;
    default:
        return 0;
    }
}

#endif
