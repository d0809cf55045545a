/* SPDX-License-Identifier: MIT */
/* order.h - which queue has waited for which: the compute queue and the copy queue run beside one
 * another, and the copies of one queue overlap too, unless a packet waits (linux
 * sdma_v6_0_ring_emit_pipeline_sync polls the queue's own fence between dependent copies).
 *
 * Each queue knows how far every queue, itself included, had come when it last waited: for a place
 * in memory that a fence of the other wrote, or because the host rang its doorbell, having seen
 * whatever there was to see. Where the model cannot tell what a wait was for it takes it for a wait
 * for everything. So what is reported is out of order; some of what is may be missed.
 *
 * Pure state, kept by cache.c under its lock. Stamps are those of cache.c.
 */
#ifndef RAWCL_EMULATOR_ORDER_H
#define RAWCL_EMULATOR_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum order_queue { ORDER_COMPUTE, ORDER_COPY, ORDER_QUEUES };

/* Bytes that a copy packet read or wrote. */
struct order_range {
    uint64_t pa, len, stamp, packet;
    bool system, write;
    bool told; /* reported: once is enough */
};
/* Where a fence was written, and what had happened before it. */
struct order_place {
    uint64_t key; /* physical address | system << 63 */
    uint64_t clock[ORDER_QUEUES];
    uint32_t value;
};

enum { ORDER_RANGES = 64, ORDER_PLACES = 64 };

struct order {
    uint64_t known[ORDER_QUEUES][ORDER_QUEUES];
    uint64_t seen[ORDER_QUEUES]; /* what the host may know of each queue */
    uint64_t packet;             /* the copy queue's current one, counted */
    bool data;                   /* it is one that copies, fills or writes */
    uint64_t newest;             /* stamp of any range */
    unsigned next;
    struct order_range range[ORDER_RANGES];
    struct order_place place[ORDER_PLACES];
};

/* A fence about to be written by q at the moment `now`: all before it is complete. */
void order_fence(struct order *o, enum order_queue q, uint64_t key, uint32_t value, uint64_t now);
/* q's wait for memory ended when it saw value (its low dword) at key. */
void order_waited(struct order *o, enum order_queue q, uint64_t key, uint32_t value, uint64_t now);
/* The host gives q work: its write pointer moves. */
void order_doorbell(struct order *o, enum order_queue q);
/* A queue was taken off its engine: whoever did that knows what became of its work. */
void order_gone(struct order *o, uint64_t now);
/* A copy packet accesses [pa, pa + len). */
void order_copy(struct order *o, bool write, bool system, uint64_t pa, uint64_t len,
                uint64_t stamp);
/* The current copy packet reads what an earlier one wrote and was not waited for. */
bool order_copy_hazard(struct order *o, bool system, uint64_t pa, uint64_t len);
/* A shader accesses the dword at pa: a copy packet accesses it too, one of the two writes, and the
 * compute queue has not waited for the copy. */
bool order_shader_hazard(struct order *o, bool write, bool system, uint64_t pa);

#endif
