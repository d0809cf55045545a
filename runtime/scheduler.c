/* SPDX-License-Identifier: MIT */
#include "runtime/scheduler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "runtime/mem.h"
#include "runtime/platform.h"
#include "runtime/queue.h"
#include "runtime/scheduler_private.h"

#define WAIT_SLICE_NS 100000000 /* 0.1 s; then look again whether the process is ending */
#define REAP_EVERY    64        /* commands between two looks at the rings of a busy queue */

struct sched sched = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t sched_now_ns(void) {
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void sched_lock(void) {
    pthread_mutex_lock(&sched.lock);
}

void sched_unlock(void) {
    cl_event dead = sched.dead;

    sched.dead = NULL;
    pthread_mutex_unlock(&sched.lock);
    while (dead) {
        cl_event next = dead->work_next;
        obj_put(dead);
        dead = next;
    }
}

void sched_cond_wait(pthread_cond_t *cond, unsigned ms) {
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    ts.tv_nsec += (long)(ms % 1000) * 1000000;
    ts.tv_sec += ms / 1000 + ts.tv_nsec / 1000000000;
    ts.tv_nsec %= 1000000000;
    pthread_cond_timedwait(cond, &sched.lock, &ts);
}

static cl_event event_of(struct node *n) {
    return (cl_event)(void *)((char *)n - offsetof(struct _cl_event, node));
}

/* ---- ending ---- */

static void queue_append_locked(cl_event ev) {
    cl_command_queue q = ev->queue;

    ev->queue_prev = q->tail;
    *(q->tail ? &q->tail->queue_next : &q->head) = ev;
    q->tail = ev;
    q->depth++;
}

static void queue_remove_locked(cl_event ev) {
    cl_command_queue q = ev->queue;

    *(ev->queue_prev ? &ev->queue_prev->queue_next : &q->head) = ev->queue_next;
    *(ev->queue_next ? &ev->queue_next->queue_prev : &q->tail) = ev->queue_prev;
    if (q->barrier == ev) q->barrier = NULL;
    q->depth--;
}

static void order_times(cl_event ev) {
    uint64_t floor = ev->node.after_ns;

    if (ev->submit_ns < ev->queued_ns) ev->submit_ns = ev->queued_ns;
    if (ev->node.marker) ev->start_ns = ev->end_ns = floor;
    if (ev->start_ns < ev->submit_ns) ev->start_ns = ev->submit_ns;
    if (ev->end_ns < ev->start_ns) ev->end_ns = ev->start_ns;
}

static void end_locked(cl_event ev, cl_int status, bool fault, struct node_list *ready) {
    order_times(ev);
    atomic_store_explicit(&ev->status, status, memory_order_release);
    node_done(&ev->node, status, fault, ev->end_ns, ready);
    if (ev->queue) queue_remove_locked(ev);
    if (ev->queue) ev->ctx->pending--;
    if (ev->callbacks) sched_queue_callbacks_locked(ev, status);
    if (sched.waiters) pthread_cond_broadcast(&sched.done);
    ev->work_next = sched.dead;
    sched.dead = ev;
}

/* ---- submission ---- */

static void ring_append_locked(cl_event ev) {
    struct sched_device *sd = &ev->queue->device->sched;
    enum am_ring r = ev->fence.ring;

    ev->ring_next = NULL;
    *(sd->ring_tail[r] ? &sd->ring_tail[r]->ring_next : &sd->ring_head[r]) = ev;
    sd->ring_tail[r] = ev;
}

static void set_submitted_locked(cl_event ev) {
    ev->submit_ns = sched_now_ns();
    atomic_store_explicit(&ev->status, CL_SUBMITTED, memory_order_release);
    if (ev->callbacks) sched_queue_callbacks_locked(ev, CL_SUBMITTED);
}

static void give_to_worker_locked(cl_event ev, struct node_list *ready) {
    ev->node.state = NODE_RUNNING;
    set_submitted_locked(ev);
    if (!thread_work_locked(ev)) end_locked(ev, CL_OUT_OF_RESOURCES, false, ready);
}

static void submit_locked(cl_event ev, struct node_list *ready) {
    struct am_fence waits[AM_RING_COUNT];
    size_t nwaits = fence_set_list(&ev->node.waits, waits);
    struct fence_set fences = {{0}};

    int rc = ev->ops->submit(ev, waits, nwaits, &ev->fence);
    if (rc == -EAGAIN) {
        give_to_worker_locked(ev, ready);
        return;
    }
    set_submitted_locked(ev);
    if (rc) {
        log_err("sched", "%s could not be submitted: %s", ev->ops->name, strerror(-rc));
        end_locked(ev, err_to_cl(rc, CL_OUT_OF_RESOURCES), true, ready);
        return;
    }
    fence_set_add(&fences, ev->fence);
    ring_append_locked(ev);
    node_submitted(&ev->node, &fences, ready);
    if (node_holds_back(&ev->node) || ev->callbacks || (ev->node.host_step && !ev->blocking))
        ev->attention = true;
    thread_kick_locked(ev->queue->device, ev->attention);
}

static void start_locked(cl_event ev, struct node_list *ready) {
    if (ev->node.inherited) {
        set_submitted_locked(ev);
        end_locked(ev, ev->node.inherited, ev->node.fault, ready);
    } else if (ev->node.marker) {
        set_submitted_locked(ev);
        node_submitted(&ev->node, &ev->node.waits, ready);
        if (ev->node.unfinished == 0) end_locked(ev, CL_COMPLETE, false, ready);
    } else if (ev->host_op) {
        give_to_worker_locked(ev, ready);
    } else {
        submit_locked(ev, ready);
    }
}

/* Starts what became ready and ends markers that wait for nobody, until nothing moves. */
static void drain_locked(struct node_list *ready) {
    for (struct node *n; (n = node_list_pop(ready));) {
        if (n->state == NODE_WAITING)
            start_locked(event_of(n), ready);
        else if (n->state == NODE_SUBMITTED)
            end_locked(event_of(n), n->inherited, n->fault, ready);
    }
}

/* ---- completion ---- */

static bool reached(cl_device_id dev, cl_event ev) {
    return am_poll(dev->am, ev->fence) != 0;
}

/* Takes the first command off a ring that is reached and waits for nobody; NULL if none. */
static cl_event take_reached_locked(cl_device_id dev, bool *blocked) {
    for (int r = 0; r < AM_RING_COUNT; r++) {
        cl_event ev = dev->sched.ring_head[r];
        if (!ev || !reached(dev, ev)) continue;
        if (ev->node.unfinished) {
            *blocked = true;
            continue;
        }
        dev->sched.ring_head[r] = ev->ring_next;
        if (!ev->ring_next) dev->sched.ring_tail[r] = NULL;
        return ev;
    }
    return NULL;
}

static void report_fault(cl_event ev, const char *text) {
    char message[640];

    snprintf(message, sizeof message, "%s failed on the device: %s", ev->ops->name,
             text[0] ? text : "no details");
    log_info("sched", "%s", message); /* the driver has logged it as an error */
    context_notify(ev->ctx, message);
}

static void end_reached_locked(cl_device_id dev, cl_event ev, struct node_list *ready) {
    char text[512] = "";
    int rc = am_fence_error(dev->am, ev->fence, text, sizeof text);

    if (ev->queue->properties & CL_QUEUE_PROFILING_ENABLE)
        if (am_fence_times(dev->am, ev->fence, &ev->start_ns, &ev->end_ns))
            ev->end_ns = sched_now_ns();
    if (ev->node.host_step || rc) {
        pthread_mutex_unlock(&sched.lock);
        if (rc) report_fault(ev, text);
        if (ev->ops->finish) {
            int frc = ev->ops->finish(ev, rc);
            if (!rc) rc = frc;
        }
        pthread_mutex_lock(&sched.lock);
    }
    cl_int status = err_to_cl(rc, CL_OUT_OF_RESOURCES);
    if (!status) status = ev->node.inherited;
    end_locked(ev, status, rc != 0 || ev->node.fault, ready);
}

void sched_reap_locked(cl_device_id dev) {
    struct node_list ready;
    bool progress;

    if (!dev->am || platform_is_orphan()) return;
    do {
        bool blocked = false;
        progress = false;
        for (cl_event ev; (ev = take_reached_locked(dev, &blocked)); progress = true) {
            node_list_init(&ready);
            end_reached_locked(dev, ev, &ready);
            drain_locked(&ready);
        }
    } while (progress);
}

/* Moves multi-device contents here, then does the work on this thread. */
static int run_host_work(cl_event ev) {
    cl_command_queue q = ev->queue;

    for (cl_uint i = 0; i < ev->mem_count; i++) {
        int rc = mem_make_resident(ev->mems[i], q->device_index);
        if (rc) return rc;
    }
    if (ev->ops->run) return ev->ops->run(ev);
    int rc = ev->ops->submit(ev, NULL, 0, &ev->fence);
    if (!rc) {
        char text[512] = "";
        rc = am_wait(q->device->am, ev->fence, -1);
        if (rc && am_fence_error(q->device->am, ev->fence, text, sizeof text))
            report_fault(ev, text);
        am_fence_times(q->device->am, ev->fence, &ev->start_ns, &ev->end_ns);
    }
    return ev->ops->finish ? ev->ops->finish(ev, rc) : rc;
}

void sched_run_host(cl_event ev) {
    struct node_list ready;

    node_list_init(&ready);
    sched_lock();
    sched_wait_predecessors_locked(ev);
    cl_int status = ev->node.inherited;
    bool fault = ev->node.fault;
    if (!status) {
        atomic_store_explicit(&ev->status, CL_RUNNING, memory_order_release);
        if (ev->callbacks) sched_queue_callbacks_locked(ev, CL_RUNNING);
        sched.in_driver++;
        sched_unlock();
        uint64_t start = sched_now_ns();
        int rc = run_host_work(ev);
        status = err_to_cl(rc, CL_OUT_OF_RESOURCES);
        fault = rc != 0;
        sched_lock();
        sched.in_driver--;
        if (!ev->start_ns) ev->start_ns = start;
        if (!ev->end_ns) ev->end_ns = sched_now_ns();
    }
    end_locked(ev, status, fault, &ready);
    drain_locked(&ready);
    sched_unlock();
}

/* ---- waiting ---- */

/* A fence that ev still waits for. */
static bool open_fence_locked(cl_event ev, const struct fence_set *set, struct am_fence *out) {
    struct am_fence f[AM_RING_COUNT];
    size_t n = fence_set_list(set, f);

    for (size_t i = 0; i < n; i++)
        if (am_poll(ev->queue->device->am, f[i]) == 0) {
            *out = f[i];
            return true;
        }
    return false;
}

/* One step of waiting: for the device if the event hangs on it, else for other threads. */
static void wait_step_locked(cl_event ev, const struct fence_set *set, bool on_ring) {
    struct am_fence f;

    sched.waiters++;
    if (on_ring && open_fence_locked(ev, set, &f)) {
        struct am_device *am = ev->queue->device->am;
        sched.in_driver++;
        sched_unlock();
        am_wait(am, f, WAIT_SLICE_NS);
        sched_lock();
        sched.in_driver--;
        sched_reap_locked(ev->queue->device);
    } else if (on_ring) {
        sched_reap_locked(ev->queue->device);
        if (ev->node.unfinished || ev->node.state != NODE_DONE) sched_cond_wait(&sched.done, 1);
    } else {
        sched_cond_wait(&sched.done, 100);
    }
    sched.waiters--;
}

static cl_int wait_locked(cl_event ev) {
    for (;;) {
        cl_int status = atomic_load_explicit(&ev->status, memory_order_acquire);
        if (status <= CL_COMPLETE) return status;
        if (platform_is_orphan()) return CL_OUT_OF_RESOURCES;
        wait_step_locked(ev, &ev->node.fences, ev->node.state == NODE_SUBMITTED && ev->queue);
    }
}

void sched_wait_predecessors_locked(cl_event ev) {
    while (ev->node.unfinished && !platform_is_orphan())
        wait_step_locked(ev, &ev->node.waits, true);
}

cl_int sched_wait(cl_event ev) {
    cl_int status = atomic_load_explicit(&ev->status, memory_order_acquire);

    if (status <= CL_COMPLETE) return status;
    sched_lock();
    status = wait_locked(ev);
    sched_unlock();
    return status;
}

cl_int sched_finish(cl_command_queue q) {
    cl_int result = CL_SUCCESS;

    sched_lock();
    uint64_t until = sched.sequence;
    for (;;) {
        cl_event ev = queue_in_order(q) ? q->tail : q->head;
        if (!ev || (!queue_in_order(q) && ev->sequence > until)) break;
        obj_get(ev);
        cl_int status = wait_locked(ev);
        if (status < 0 && ev->node.fault) result = CL_OUT_OF_RESOURCES;
        sched_unlock();
        obj_put(ev);
        if (platform_is_orphan()) return CL_OUT_OF_RESOURCES;
        if (queue_in_order(q)) return result;
        sched_lock();
    }
    sched_unlock();
    return result;
}

void sched_finish_context(cl_context ctx) {
    sched_lock();
    sched.waiters++;
    while (ctx->pending && !platform_is_orphan()) {
        for (cl_uint i = 0; i < ctx->device_count; i++)
            sched_reap_locked(ctx->devices[i]);
        if (ctx->pending) sched_cond_wait(&sched.done, 1);
    }
    sched.waiters--;
    sched_unlock();
}

cl_int sched_poll(cl_event ev) {
    cl_int status = atomic_load_explicit(&ev->status, memory_order_acquire);

    if (status <= CL_COMPLETE || !ev->queue || platform_is_orphan()) return status;
    sched_lock();
    sched_reap_locked(ev->queue->device);
    sched_unlock();
    return atomic_load_explicit(&ev->status, memory_order_acquire);
}

void sched_attend(cl_device_id dev) {
    if (platform_is_orphan()) return;
    sched_lock();
    sched_reap_locked(dev);
    for (int r = 0; r < AM_RING_COUNT; r++) {
        cl_event ev = dev->sched.ring_tail[r];
        if (!ev) continue;
        ev->attention = true;
        thread_kick_locked(dev, true);
    }
    sched_unlock();
}

/* ---- enqueueing ---- */

/* Looks after a predecessor that holds ev back: its end must be noticed without a waiter. */
static void link_locked(cl_event ev, cl_uint *used, cl_event pred, bool in_order) {
    struct node_edge *e = &ev->in_edges[(*used)++];

    node_link(e, &pred->node, &ev->node, in_order);
    if (pred->node.state == NODE_SUBMITTED && !e->on_ring && pred->queue) {
        pred->attention = true;
        thread_kick_locked(pred->queue->device, true);
    }
}

static void link_all_locked(cl_event ev, cl_uint wait_count, const cl_event *list, unsigned flags) {
    cl_command_queue q = ev->queue;
    cl_uint used = 0;

    for (cl_uint i = 0; i < wait_count; i++)
        link_locked(ev, &used, list[i], false);
    bool all = flags & SCHED_BARRIER || (flags & SCHED_MARKER && wait_count == 0);
    if (queue_in_order(q)) {
        if (q->tail) link_locked(ev, &used, q->tail, true);
    } else if (all && !(flags & SCHED_BARRIER && wait_count)) {
        for (cl_event e = q->head; e; e = e->queue_next)
            link_locked(ev, &used, e, true);
    } else if (q->barrier) {
        link_locked(ev, &used, q->barrier, true);
    }
}

static bool make_edges_locked(cl_event ev, cl_uint wait_count) {
    size_t n = (size_t)wait_count + 1;

    if (!queue_in_order(ev->queue) && ev->node.marker) n += ev->queue->depth;
    ev->in_edges = ev->edges_inline;
    if (n > sizeof ev->edges_inline / sizeof ev->edges_inline[0])
        ev->in_edges = calloc(n, sizeof *ev->in_edges);
    return ev->in_edges != NULL;
}

/* With the lock held, ev linked: brings it as far as it goes. true: the caller shall run it. */
static bool launch_locked(cl_event ev, unsigned flags) {
    struct node_list ready;

    node_list_init(&ready);
    if (!node_ready(&ev->node)) return false;
    if (ev->host_op && !ev->node.inherited && flags & SCHED_BLOCKING) {
        ev->node.state = NODE_RUNNING;
        set_submitted_locked(ev);
        return true;
    }
    start_locked(ev, &ready);
    drain_locked(&ready);
    return false;
}

cl_int sched_enqueue(cl_event ev, cl_uint wait_count, const cl_event *wait_list, unsigned flags,
                     cl_event *event_out) {
    cl_command_queue q = ev->queue;

    ev->blocking = flags & SCHED_BLOCKING;
    if (q->ctx->device_count > 1 && !ev->node.marker) ev->host_op = true;
    if (ev->host_op) ev->node.needs_host = true;
    sched_lock();
    if (q->depth >= REAP_EVERY && q->depth % REAP_EVERY == 0) sched_reap_locked(q->device);
    if (!make_edges_locked(ev, wait_count)) {
        sched_unlock();
        event_discard(ev);
        return CL_OUT_OF_HOST_MEMORY;
    }
    ev->sequence = ++sched.sequence;
    ev->queued_ns = sched_now_ns();
    link_all_locked(ev, wait_count, wait_list, flags);
    queue_append_locked(ev);
    ev->ctx->pending++;
    if (flags & SCHED_BARRIER && !queue_in_order(q)) q->barrier = ev;
    if (event_out) *event_out = obj_get(ev);
    if (flags & SCHED_BLOCKING) obj_get(ev);
    bool run_here = launch_locked(ev, flags);
    sched_unlock();
    if (!(flags & SCHED_BLOCKING)) return CL_SUCCESS;
    if (run_here) sched_run_host(ev);
    cl_int status = sched_wait(ev);
    obj_put(ev);
    return status;
}

cl_int sched_set_user_status(cl_event ev, cl_int status) {
    struct node_list ready;
    cl_int result = CL_INVALID_OPERATION;

    node_list_init(&ready);
    sched_lock();
    if (ev->node.state != NODE_DONE) {
        end_locked(ev, status, false, &ready);
        drain_locked(&ready);
        result = CL_SUCCESS;
    }
    sched_unlock();
    return result;
}

cl_int sched_add_callback(cl_event ev, cl_int status,
                          void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user_data) {
    struct event_callback *cb = malloc(sizeof *cb);

    if (!cb) return CL_OUT_OF_HOST_MEMORY;
    *cb = (struct event_callback){NULL, status, fn, user_data};
    sched_lock();
    struct event_callback **end = &ev->callbacks;
    while (*end)
        end = &(*end)->next;
    *end = cb;
    cl_int now = atomic_load_explicit(&ev->status, memory_order_relaxed);
    sched_queue_callbacks_locked(ev, now);
    if (ev->node.state == NODE_SUBMITTED && ev->queue && !ev->node.marker) {
        ev->attention = true;
        thread_kick_locked(ev->queue->device, true);
    }
    sched_unlock();
    return CL_SUCCESS;
}

/* ---- life ---- */

static void conditions_init(void) {
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&sched.done, &attr);
    pthread_condattr_destroy(&attr);
    threads_init();
}

void sched_device_init(struct sched_device *sd) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_condattr_t attr;

    pthread_once(&once, conditions_init);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&sd->wake, &attr);
    pthread_condattr_destroy(&attr);
}

bool sched_quiesce(void) {
    bool quiet = false;

    for (int ms = 0; ms < 1000 && !quiet; ms++) {
        const struct timespec pause = {0, 1000000};
        sched_lock();
        quiet = sched.in_driver == 0;
        sched_unlock();
        if (!quiet) nanosleep(&pause, NULL);
    }
    return quiet;
}

void sched_before_fork(void) {
    pthread_mutex_lock(&sched.lock);
}

void sched_after_fork_parent(void) {
    pthread_mutex_unlock(&sched.lock);
}

void sched_after_fork_child(void) {
    pthread_mutex_init(&sched.lock, NULL);
    sched.dead = NULL;
    sched.waiters = sched.in_driver = 0;
    conditions_init();
    threads_after_fork_child();
}
