/* SPDX-License-Identifier: MIT */
/* timeline.c - what is known about commands: how far a ring is, how each ended, when it ran. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "driver/queues.h"

uint64_t clock_now_ns(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t ring_done(struct ring *r) {
    /* Base first: when it moves on, the signal was set to 0 before (submit.c, rebase). */
    uint64_t base = atomic_load_explicit(&r->base, memory_order_acquire);
    uint64_t now = base + *r->signal;
    atomic_thread_fence(memory_order_acquire);
    uint64_t seen = atomic_load_explicit(&r->done, memory_order_relaxed);
    while (now > seen && !atomic_compare_exchange_weak(&r->done, &seen, now))
        ;
    return now > seen ? now : seen;
}

static int usable(struct am_device *d) {
    return atomic_load(&d->lost) || atomic_load(&d->abandoned) ? -ENODEV : 0;
}

/* The record of a fence that has ended and is still remembered. Lock held. */
static int find(struct am_device *d, struct am_fence f, struct ring **ring,
                struct cmd_record **rec) {
    if ((unsigned)f.ring >= AM_RING_COUNT) return -EINVAL;
    struct ring *r = &d->queues->ring[f.ring];
    if (f.value > r->last) return -EINVAL;
    if (f.value > ring_done(r)) return -EAGAIN;
    *ring = r;
    *rec = ring_record(r, f.value);
    return f.value && (*rec)->value == f.value ? 0 : -ENOENT;
}

struct cmd_error *ring_error(struct ring *r, uint64_t value) {
    for (struct cmd_error *e = r->errors; e; e = e->next)
        if (value >= e->first && value <= e->last) return e;
    return NULL;
}

int am_fence_error(struct am_device *d, struct am_fence f, char *text, size_t size) {
    if (text && size) text[0] = '\0';
    if (!f.value) return 0;
    if ((unsigned)f.ring >= AM_RING_COUNT) return -EINVAL;
    if (atomic_load(&d->abandoned)) return -ENODEV;
    struct ring *r = &d->queues->ring[f.ring];
    pthread_mutex_lock(&d->queues->lock);
    int status = 0;
    if (f.value > r->last) {
        status = -EINVAL;
    } else if (f.value > ring_done(r)) {
        status = atomic_load(&d->lost) ? -ENODEV : -EAGAIN;
    } else {
        const struct cmd_error *e = ring_error(r, f.value);
        if (e) status = -EIO;
        if (e && text && size) snprintf(text, size, "%s", e->text);
    }
    pthread_mutex_unlock(&d->queues->lock);
    return status;
}

int am_fence_times(struct am_device *d, struct am_fence f, uint64_t *start_ns, uint64_t *end_ns) {
    *start_ns = *end_ns = 0;
    int rc = usable(d);
    if (rc) return rc;
    struct am_queues *q = d->queues;
    pthread_mutex_lock(&q->lock);
    struct ring *r;
    struct cmd_record *rec;
    rc = find(d, f, &r, &rec);
    if (!rc && rec->first != rec->value && ring_record(r, rec->first)->value != rec->first)
        rc = -ENOENT;
    if (!rc) {
        const struct cmd_record *first = ring_record(r, rec->first);
        gpu_clock_sync(d);
        uint64_t now = clock_now_ns();
        uint64_t start = gpu_clock_to_ns(q, r->stamps[rec->first % RECORDS][0]);
        uint64_t end = gpu_clock_to_ns(q, r->stamps[f.value % RECORDS][1]);
        /* Two clocks meet here: their error must not make effects precede causes. */
        if (start < first->submit_ns) start = first->submit_ns;
        if (start > now) start = now;
        if (end < start) end = start;
        if (end > now) end = now;
        *start_ns = start;
        *end_ns = end;
    }
    pthread_mutex_unlock(&q->lock);
    return rc;
}
