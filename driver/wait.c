/* SPDX-License-Identifier: MIT */
/* wait.c - waiting for commands. One thread at a time waits for the device's interrupt, on behalf
 * of all; the others wait for it. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "driver/queues.h"

#define SPIN_NS        20000u     /* short kernels end before an interrupt would be through */
#define SLICE_NS       100000000u /* longest sleep without a look at the device */
#define POLL_NS        50000u     /* between looks where the bus has no interrupts */
#define LOOKS          16         /* of the watchdog until it calls a command hung */
#define EVENT_EVERY_NS 1000000u   /* am_poll's looks at the interrupt ring */

static int usable(struct am_device *d) {
    return atomic_load(&d->lost) || atomic_load(&d->abandoned) ? -ENODEV : 0;
}

/* The next thing that went wrong. Waves that came to the trap handler are told of by interrupts,
 * and recover() looks for the record; a record alone means that an interrupt was lost. */
static bool next_fault(struct am_device *d, struct am_fault *f) {
    if (fault_take(d, f)) return true;
    if (!trap_pending(d)) return false;
    ih_drain(d);
    if (fault_take(d, f)) return true;
    *f = (struct am_fault){.ring = AM_RING_COMPUTE};
    if (!recover_next_trap(d, &f->trap)) return false;
    f->kind = AM_FAULT_TRAP; /* recover() knows better */
    return true;
}

void wait_poll_events(struct am_device *d) {
    struct am_fault f;
    int more;
    do {
        more = ih_drain(d);
        while (!usable(d) && next_fault(d, &f))
            recover(d, &f);
    } while (more == -EAGAIN && !usable(d));
}

/* Long kernels are legal: what counts is that nothing moves. Off unless AM_TIMEOUT says for how
 * long is too long. A command that still waits for another has not started and is not counted. */
static void watchdog(struct am_device *d) {
    struct am_queues *q = d->queues;
    if (!q->hang_ns) return;
    struct am_fault f = {.kind = AM_FAULT_HANG, .ring = AM_RING_COUNT};
    uint64_t now = clock_now_ns();
    pthread_mutex_lock(&q->lock);
    bool look = now >= q->watch_next_ns;
    if (look) q->watch_next_ns = now + q->hang_ns / LOOKS;
    for (int i = 0; i < AM_RING_COUNT && look; i++) {
        struct ring *r = &q->ring[i];
        uint64_t done = ring_done(r);
        bool runs = done < r->last && r->stamps[(done + 1) % RECORDS][0];
        uint64_t sign = runs ? progress_sign(d, r->id) : 0;
        if (!runs || done != r->watch_done || sign != r->watch_sign || !r->watch_since_ns) {
            r->watch_done = done;
            r->watch_sign = sign;
            r->watch_since_ns = runs ? now : 0;
        } else if (now - r->watch_since_ns > q->hang_ns) {
            r->watch_since_ns = 0;
            f.ring = r->id;
        }
    }
    pthread_mutex_unlock(&q->lock);
    if (f.ring == AM_RING_COUNT) return;
    snprintf(f.detail, sizeof(f.detail), "nothing started or ended for %.3g s",
             (double)q->hang_ns / 1e9);
    recover(d, &f);
}

static bool spin(struct ring *r, uint64_t value, uint64_t deadline_ns) {
    uint64_t start = clock_now_ns();
    for (unsigned i = 0;; i++) {
        if (ring_done(r) >= value) return true;
        if (i % 16 == 15) {
            uint64_t now = clock_now_ns();
            if (now - start > SPIN_NS || now >= deadline_ns) return false;
            sched_yield(); /* the emulated GPU may need this very CPU */
        }
    }
}

/* One wait for news: by interrupt when nobody else does so, else for the one who does. */
static void wait_slice(struct am_device *d, uint64_t slice_ns) {
    struct am_queues *q = d->queues;
    pthread_mutex_lock(&q->lock);
    if (q->irq_waiter) {
        uint64_t until = clock_now_ns() + slice_ns;
        struct timespec ts = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
        pthread_cond_timedwait(&q->cond, &q->lock, &ts);
        pthread_mutex_unlock(&q->lock);
        return;
    }
    q->irq_waiter = true;
    pthread_mutex_unlock(&q->lock);
    int n = d->bus->ops->irq_wait(d->bus, (int64_t)((slice_ns + 999) / 1000));
    if (n < 0) {
        struct timespec ts = {0, POLL_NS};
        nanosleep(&ts, NULL);
    }
    wait_poll_events(d);
    watchdog(d);
    pthread_mutex_lock(&q->lock);
    q->irq_waiter = false;
    pthread_cond_broadcast(&q->cond);
    pthread_mutex_unlock(&q->lock);
}

int wait_value(struct am_device *d, struct ring *r, uint64_t value, uint64_t deadline_ns) {
    if (ring_done(r) >= value || spin(r, value, deadline_ns)) return 0;
    for (;;) {
        if (ring_done(r) >= value) return 0;
        if (usable(d)) return -ENODEV;
        uint64_t now = clock_now_ns();
        if (now >= deadline_ns) return -ETIMEDOUT;
        uint64_t left = deadline_ns - now;
        wait_slice(d, left < SLICE_NS ? left : SLICE_NS);
    }
}

int am_poll(struct am_device *d, struct am_fence f) {
    if ((unsigned)f.ring >= AM_RING_COUNT) return -EINVAL;
    if (atomic_load(&d->abandoned)) return -ENODEV;
    struct ring *r = &d->queues->ring[f.ring];
    if (ring_done(r) >= f.value) {
        if (trap_pending(d)) wait_poll_events(d);
        return 1;
    }
    if (usable(d)) return -ENODEV;
    /* Without a waiter nobody would notice a fault. */
    uint64_t now = clock_now_ns(), last = atomic_load(&d->queues->events_ns);
    if (now - last > EVENT_EVERY_NS &&
        atomic_compare_exchange_strong(&d->queues->events_ns, &last, now)) {
        wait_poll_events(d);
        watchdog(d);
        if (ring_done(r) >= f.value) return 1;
        if (usable(d)) return -ENODEV;
    }
    return 0;
}

int am_wait(struct am_device *d, struct am_fence f, int64_t timeout_ns) {
    if ((unsigned)f.ring >= AM_RING_COUNT) return -EINVAL;
    if (atomic_load(&d->abandoned)) return -ENODEV;
    struct am_queues *q = d->queues;
    struct ring *r = &q->ring[f.ring];
    pthread_mutex_lock(&q->lock);
    bool known = f.value <= r->last;
    pthread_mutex_unlock(&q->lock);
    if (!known) return -EINVAL;
    uint64_t deadline = UINT64_MAX;
    if (timeout_ns >= 0 && (uint64_t)timeout_ns < UINT64_MAX / 4)
        deadline = clock_now_ns() + (uint64_t)timeout_ns;
    int rc = wait_value(d, r, f.value, deadline);
    if (rc) return rc;
    /* A kernel may run to its end past a fault; the fault's interrupt came before the end's. */
    if (!usable(d)) wait_poll_events(d);
    return am_fence_error(d, f, NULL, 0);
}
