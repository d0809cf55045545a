/* SPDX-License-Identifier: MIT */
/* scheduler.h - takes checked commands, brings them to the rings in dependency order, and ends
 * them. One lock for the graph of the whole process; it is never held while a command runs on the
 * host, while an object is destroyed or during a callback.
 *
 * Whoever waits for an event waits for the device's fence itself and then ends what was reached, so
 * that a round trip has no thread switch. A completion thread per device looks after commands that
 * nobody waits for; a worker runs commands that the host executes; a callback thread calls back.
 */
#ifndef RAWCL_RUNTIME_SCHEDULER_H
#define RAWCL_RUNTIME_SCHEDULER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/am.h"
#include "runtime/api.h"

/* A device as the scheduler sees it. */
struct sched_device {
    cl_event ring_head[AM_RING_COUNT], ring_tail[AM_RING_COUNT]; /* on a ring, in ring order */
    pthread_cond_t wake;
    bool thread_started, thread_sleeping;
};

void sched_device_init(struct sched_device *sd);

enum sched_flags {
    SCHED_BLOCKING = 1, /* return when the command is done */
    SCHED_BARRIER = 2,  /* waits for all before it, and all after it wait for it */
    SCHED_MARKER = 4,   /* with an empty wait list: waits for all before it */
};

/* Enqueues ev after the events of the wait list (checked already) and what its queue's order says.
 * Takes over the reference of the caller; if event_out is not NULL it becomes the application's,
 * otherwise the scheduler's. Blocking: the result is the command's, CL_SUCCESS or the error;
 * otherwise CL_SUCCESS or CL_OUT_OF_HOST_MEMORY (ev is gone then). */
cl_int sched_enqueue(cl_event ev, cl_uint wait_count, const cl_event *wait_list, unsigned flags,
                     cl_event *event_out);
/* Waits until ev is done; returns its status (CL_COMPLETE or negative). */
cl_int sched_wait(cl_event ev);
/* Waits until every command enqueued so far is done. */
cl_int sched_finish(cl_command_queue queue);
/* The same for every queue of a context. */
void sched_finish_context(cl_context ctx);
/* Ends a user event. CL_INVALID_OPERATION if it has a status already. */
cl_int sched_set_user_status(cl_event ev, cl_int status);
/* The status now, after a look at the device. */
cl_int sched_poll(cl_event ev);
cl_int sched_add_callback(cl_event ev, cl_int status,
                          void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user_data);
/* Asks the completion thread to end what is in flight: the application drops its handles. */
void sched_attend(cl_device_id dev);

/* Runs fn(arg) on the callback thread. */
void sched_call_back(void (*fn)(void *), void *arg);

/* At exit, once the process is an orphan: waits a bounded time for our threads to be out of the
 * driver. false: some are still there, and the devices must be left as they are. */
bool sched_quiesce(void);

/* Around fork(): no other thread of ours is inside a critical section. */
void sched_before_fork(void);
void sched_after_fork_parent(void);
void sched_after_fork_child(void);

/* CLOCK_MONOTONIC, nanoseconds. */
uint64_t sched_now_ns(void);

#endif
