/* SPDX-License-Identifier: MIT */
/* threads.c - the scheduler's threads: one that ends commands for each device, workers for
 * commands that the host executes, one that calls back. Each starts when it is first needed and has
 * all signals blocked.
 */
#include <signal.h>
#include <stdlib.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/platform.h"
#include "runtime/queue.h"
#include "runtime/scheduler_private.h"

#define TICK_MS       20 /* between looks at commands that nobody asked about */
#define IDLE_TICKS    50 /* looks at nothing before the thread sleeps for good */
#define WAIT_SLICE_NS 100000000
#define MAX_WORKERS   8

struct call {
    struct call *next;
    void (*fn)(void *);
    void *arg;
};

static struct {
    pthread_cond_t work_wake;
    cl_event work_head, work_tail;
    unsigned workers, workers_idle;
    pthread_mutex_t call_lock;
    pthread_cond_t call_wake;
    struct call *call_head, **call_tail;
    bool caller_started;
} threads = {.call_lock = PTHREAD_MUTEX_INITIALIZER,
             .call_wake = PTHREAD_COND_INITIALIZER,
             .call_tail = &threads.call_head};

int thread_start(void *(*fn)(void *), void *arg) {
    sigset_t all, old;
    pthread_attr_t attr;
    pthread_t id;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int rc = pthread_create(&id, &attr, fn, arg);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return -rc;
}

void threads_init(void) {
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&threads.work_wake, &attr);
    pthread_condattr_destroy(&attr);
}

/* ---- completion ---- */

static cl_event find_attention_locked(struct sched_device *sd, bool *any) {
    for (int r = 0; r < AM_RING_COUNT; r++)
        for (cl_event ev = sd->ring_head[r]; ev; ev = ev->ring_next) {
            *any = true;
            if (ev->attention) return ev;
        }
    return NULL;
}

static void *completion_main(void *arg) {
    cl_device_id dev = arg;
    struct sched_device *sd = &dev->sched;
    unsigned idle = 0;

    sched_lock();
    for (;;) {
        bool any = false;
        while (platform_is_orphan())
            pthread_cond_wait(&sd->wake, &sched.lock); /* exiting */
        cl_event ev = find_attention_locked(sd, &any);
        idle = any ? 0 : idle + 1;
        if (ev) {
            struct am_fence f = ev->fence;
            sched.in_driver++;
            sched_unlock();
            am_wait(dev->am, f, WAIT_SLICE_NS);
            sched_lock();
            sched.in_driver--;
            if (platform_is_orphan()) continue;
            sched_reap_locked(dev);
            /* Reached, but another thread is busy with the host step of a predecessor. */
            if (sd->ring_head[f.ring] && am_poll(dev->am, f)) {
                sched.waiters++;
                sched_cond_wait(&sched.done, 1);
                sched.waiters--;
            }
        } else if (any || idle < IDLE_TICKS) {
            sched_cond_wait(&sd->wake, TICK_MS);
            sched_reap_locked(dev);
        } else {
            sd->thread_sleeping = true;
            while (sd->thread_sleeping)
                pthread_cond_wait(&sd->wake, &sched.lock);
        }
        sched_unlock(); /* lets go of what ended */
        sched_lock();
    }
    return NULL;
}

void thread_kick_locked(cl_device_id dev, bool attention) {
    struct sched_device *sd = &dev->sched;

    if (!sd->thread_started) {
        /* Without the thread, commands still end when somebody waits or asks. */
        sd->thread_started = thread_start(completion_main, dev) == 0;
    } else if (attention || sd->thread_sleeping) {
        sd->thread_sleeping = false;
        pthread_cond_signal(&sd->wake);
    }
}

/* ---- host commands ---- */

static void *worker_main(void *arg) {
    (void)arg;
    for (;;) {
        sched_lock();
        while (!threads.work_head)
            pthread_cond_wait(&threads.work_wake, &sched.lock);
        cl_event ev = threads.work_head;
        threads.work_head = ev->work_next;
        if (!threads.work_head) threads.work_tail = NULL;
        ev->work_next = NULL;
        sched_unlock();
        sched_run_host(ev);
    }
    return NULL;
}

bool thread_work_locked(cl_event ev) {
    /* A worker may be busy for long (a kernel in a context of several devices). */
    if (!threads.workers_idle && threads.workers < MAX_WORKERS && !thread_start(worker_main, NULL))
        threads.workers++;
    if (!threads.workers) return false;
    ev->work_next = NULL;
    *(threads.work_tail ? &threads.work_tail->work_next : &threads.work_head) = ev;
    threads.work_tail = ev;
    pthread_cond_signal(&threads.work_wake);
    return true;
}

/* ---- callbacks ---- */

static void *caller_main(void *arg) {
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&threads.call_lock);
        while (!threads.call_head)
            pthread_cond_wait(&threads.call_wake, &threads.call_lock);
        struct call *call = threads.call_head;
        threads.call_head = call->next;
        if (!threads.call_head) threads.call_tail = &threads.call_head;
        pthread_mutex_unlock(&threads.call_lock);
        call->fn(call->arg);
        free(call);
    }
    return NULL;
}

void sched_call_back(void (*fn)(void *), void *arg) {
    struct call *call = malloc(sizeof *call);

    if (!call) return;
    *call = (struct call){NULL, fn, arg};
    pthread_mutex_lock(&threads.call_lock);
    if (!threads.caller_started) threads.caller_started = thread_start(caller_main, NULL) == 0;
    *threads.call_tail = call;
    threads.call_tail = &call->next;
    pthread_cond_signal(&threads.call_wake);
    pthread_mutex_unlock(&threads.call_lock);
}

struct event_call {
    cl_event ev;
    cl_int status;
    void(CL_CALLBACK *fn)(cl_event, cl_int, void *);
    void *user_data;
};

static void event_call_run(void *arg) {
    struct event_call *c = arg;

    c->fn(c->ev, c->status, c->user_data);
    obj_put(c->ev);
    free(c);
}

void sched_queue_callbacks_locked(cl_event ev, cl_int reached) {
    /* A status below the one that was asked for has passed it: QUEUED 3 ... COMPLETE 0, errors
     * negative. The deeper ones first, as they happen. */
    for (cl_int level = CL_SUBMITTED; level >= CL_COMPLETE && level >= reached; level--) {
        for (struct event_callback **p = &ev->callbacks; *p;) {
            struct event_callback *cb = *p;
            if (cb->status != level) {
                p = &cb->next;
                continue;
            }
            *p = cb->next;
            struct event_call *c = malloc(sizeof *c);
            if (c) {
                cl_int shown = reached < 0 ? reached : level;
                *c = (struct event_call){obj_get(ev), shown, cb->fn, cb->user_data};
                sched_call_back(event_call_run, c);
            }
            free(cb);
        }
    }
}

void threads_after_fork_child(void) {
    threads.work_head = threads.work_tail = NULL;
    threads.workers = threads.workers_idle = 0;
    threads.caller_started = false;
    pthread_mutex_init(&threads.call_lock, NULL);
    pthread_cond_init(&threads.call_wake, NULL);
    threads.call_head = NULL;
    threads.call_tail = &threads.call_head;
}
