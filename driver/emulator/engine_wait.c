/* SPDX-License-Identifier: MIT */
#include "driver/emulator/engine_wait.h"

#include <sched.h>
#include <time.h>

uint64_t monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool host_has_spare_cpu(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

void cond_wait_us(pthread_cond_t *c, pthread_mutex_t *m, uint64_t us) {
    uint64_t end = monotonic_ns() + us * 1000;
    struct timespec t = {(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
    pthread_cond_timedwait(c, m, &t);
}

void cond_init_monotonic(pthread_cond_t *c) {
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(c, &a);
    pthread_condattr_destroy(&a);
}

void engine_wait_init(struct engine_wait *w) {
    pthread_mutex_init(&w->lock, NULL);
    cond_init_monotonic(&w->cond);
}

void engine_wait_fini(struct engine_wait *w) {
    pthread_cond_destroy(&w->cond);
    pthread_mutex_destroy(&w->lock);
}

void engine_wait_sleep(struct engine_wait *w, uint64_t seen, unsigned *backoff_us) {
    atomic_fetch_add(&w->waiters, 1);
    pthread_mutex_lock(&w->lock);
    if (w->kicks == seen) cond_wait_us(&w->cond, &w->lock, *backoff_us);
    pthread_mutex_unlock(&w->lock);
    atomic_fetch_sub(&w->waiters, 1);
    if (*backoff_us < 1000) *backoff_us *= 2;
}

void engine_wait_kick(struct engine_wait *w) {
    atomic_fetch_add(&w->kicks, 1);
    if (!w->waiters) return;
    pthread_mutex_lock(&w->lock);
    pthread_cond_broadcast(&w->cond);
    pthread_mutex_unlock(&w->lock);
}
