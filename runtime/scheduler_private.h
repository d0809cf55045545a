/* SPDX-License-Identifier: MIT */
/* scheduler_private.h - between scheduler.c (the graph and the rings) and threads.c. */
#ifndef RAWCL_RUNTIME_SCHEDULER_PRIVATE_H
#define RAWCL_RUNTIME_SCHEDULER_PRIVATE_H

#include "runtime/event.h"
#include "runtime/scheduler.h"

struct sched {
    pthread_mutex_t lock;
    pthread_cond_t done; /* an event ended, a list grew */
    unsigned waiters;
    unsigned in_driver; /* threads that may be inside the driver without the lock */
    uint64_t sequence;
    cl_event dead; /* ended; the scheduler's reference goes when the lock is free */
};

extern struct sched sched;

void sched_lock(void);
/* Also lets go of what ended while the lock was held. */
void sched_unlock(void);
/* Waits on cond at most ms milliseconds. */
void sched_cond_wait(pthread_cond_t *cond, unsigned ms);
/* Ends everything that the rings have reached, in graph order. May drop the lock for a while. */
void sched_reap_locked(cl_device_id dev);
/* Waits until all predecessors of ev are done. */
void sched_wait_predecessors_locked(cl_event ev);
/* Runs a host command to its end: lock not held. */
void sched_run_host(cl_event ev);
/* An event callback or pfn_notify is due. */
void sched_queue_callbacks_locked(cl_event ev, cl_int reached);

/* threads.c */
/* Wakes the completion thread of dev if it has to know, starting it the first time. */
void thread_kick_locked(cl_device_id dev, bool attention);
/* Hands ev to the worker. false: no thread could be started. */
bool thread_work_locked(cl_event ev);
void threads_after_fork_child(void);
void threads_init(void);

/* A pthread with all signals blocked, detached. */
int thread_start(void *(*fn)(void *), void *arg);

#endif
