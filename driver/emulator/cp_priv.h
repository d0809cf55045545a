/* SPDX-License-Identifier: MIT */
/* cp_priv.h - what the files of the compute micro-engine share: cp.c (queues), pm4_exec.c
 * (packets), dispatch.c (work-groups). */
#ifndef RAWCL_EMULATOR_CP_PRIV_H
#define RAWCL_EMULATOR_CP_PRIV_H

#include <stdatomic.h>

#include "driver/emulator/cp.h"
#include "driver/emulator/engine_mem.h"
#include "driver/emulator/engine_wait.h"

#include "driver/emulator/pool.h"

enum { CP_FETCH_DWORDS = 1024, CP_SPARES = 16 };

struct cp_spare {
    struct isa_group *group;
    uint64_t entry_va; /* the kernel it ran last */
};

struct cp_queue {
    struct cp *cp;
    struct gpu *g;
    unsigned pipe, queue;
    _Atomic uint32_t hqd[CP_HQD_DWORDS];
    _Atomic uint32_t sh[CP_SH_DWORDS];
    pthread_t thread;
    bool thread_up;

    /* Under cp->lock. */
    _Atomic bool active;    /* CP_HQD_ACTIVE reads 1 */
    _Atomic bool connected; /* the MQD was read and found to agree */
    _Atomic bool busy;      /* its thread executes packets */
    _Atomic bool stuck; /* fault or bad packet: nothing more runs until it is dequeued or reset */
    _Atomic bool drain; /* DEQUEUE_REQUEST 1: no further packet */

    _Atomic int stop;            /* seen by waves and by waiting packets: leave now */
    _Atomic uint64_t wptr, rptr; /* dwords, not wrapped */
    _Atomic uint64_t starved;    /* wptr at which the last packet was still incomplete, or ~0 */
    _Atomic uint64_t waves_active;
    uint32_t ring_dwords;
    uint64_t ring_va;

    /* Of the queue's thread. */
    struct engine_mem mem;
    uint32_t fetch[CP_FETCH_DWORDS];
    mem_guard guard;        /* of the waves that this thread runs */
    uint64_t ordered;       /* cache_now of the last packet that waited for dispatches */
    uint64_t atomic_return; /* of the last ATOMIC_MEM, for COPY_DATA */
};

struct cp {
    struct gpu *g;
    pthread_mutex_t lock;
    pthread_cond_t cond;       /* any change of a queue's state, doorbells */
    _Atomic unsigned sleepers; /* queue threads that sleep on cond */
    struct engine_wait wait;   /* queues blocked in a wait packet */
    _Atomic bool closing;
    bool spin;                       /* more than one host processor: a short spin beats a sleep */
    _Atomic unsigned host_traps;     /* SQ_CMD TRAP so far */
    _Atomic bool counting;           /* SPI's performance counter 0 counts launched waves */
    _Atomic uint64_t waves_launched; /* what it shows, all engines together */
    struct pool *pool;
    pthread_mutex_t spare_lock;
    struct cp_spare spare[CP_SPARES]; /* work-groups that ended, newest last */
    unsigned spares;
    mem_guard helper_guard[POOL_WIDTH_MAX]; /* by participant number */
    struct cp_queue q[CP_PIPES][CP_QUEUES];
};

/* A field of a banked register of q (storage in hqd or sh). */
uint32_t cp_field(struct cp_queue *q, enum hw_field f);
uint32_t cp_reg(struct cp_queue *q, enum hw_reg r);
/* CP interrupt sources of the queue's pipe, sent if CP_ME1_PIPEn_INT_CNTL enables them. */
void cp_irq(struct cp_queue *q, enum hw_field enable, unsigned source, uint32_t ctxid);

enum pm4_status {
    PM4_DONE,  /* caught up with the write pointer */
    PM4_LEFT,  /* asked to leave (stop, drain) */
    PM4_STUCK, /* fault or bad packet, reported */
};
/* Executes packets from rptr to wptr. */
enum pm4_status pm4_run(struct cp_queue *q);

/* dispatch.c: launches dim[] work-groups (or work-items) and waits for them. 0, -EINTR when asked
 * to leave, -EFAULT after a reported fault (the queue is stuck). */
int dispatch_run(struct cp_queue *q, const uint32_t dim[3], uint32_t initiator);
void dispatch_fini(struct cp *cp);

#endif
