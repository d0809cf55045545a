/* SPDX-License-Identifier: MIT */
/* ring.c - a ring buffer in system memory, its write pointer and its doorbell. */
#include <errno.h>
#include <stdlib.h>

#include "driver/queues.h"

/* The control page is laid out as the amd_queue image that kernels may be handed, in which the
 * write and read pointers have their places (as in the reference). */
#define WPTR_OFFSET OFF_amd_queue__write_dispatch_id
#define RPTR_OFFSET OFF_amd_queue__read_dispatch_id
#define EOP_BYTES   4096u
#define MAX_NOP_DW  0x3ff8u /* what a NOP's count field holds, in whole streams */

int ring_create(struct am_device *d, struct ring *r, enum am_ring id) {
    static const char *const labels[] = {"compute ring", "SDMA ring"};
    r->id = id;
    r->size_dw = RING_BYTES / 4;
    int rc = am_alloc(d, RING_BYTES, 0, AM_MEM_SYSTEM, labels[id], &r->mem);
    if (!rc) rc = am_alloc(d, 4096, 0, AM_MEM_SYSTEM, "ring control", &r->control);
    if (rc) return rc;
    r->dw = r->mem->cpu;
    r->buf.cap = r->size_dw / 4;
    r->buf.dw = malloc(4ull * r->buf.cap);
    return r->buf.dw ? 0 : -ENOMEM;
}

void ring_destroy(struct am_device *d, struct ring *r) {
    while (r->errors) {
        struct cmd_error *e = r->errors;
        r->errors = e->next;
        free(e);
    }
    free(r->buf.dw);
    am_free(d, r->control);
    am_free(d, r->mem);
}

static volatile uint64_t *control(struct ring *r, unsigned offset) {
    return (volatile uint64_t *)((uint8_t *)r->control->cpu + offset);
}

int ring_bind(struct am_device *d, struct ring *r) {
    r->wptr = r->tail = 0;
    *control(r, WPTR_OFFSET) = 0;
    *control(r, RPTR_OFFSET) = 0;
    atomic_thread_fence(memory_order_seq_cst);
    struct am_ring_desc desc = {.ring_va = r->mem->va,
                                .ring_bytes = RING_BYTES,
                                .rptr_va = r->control->va + RPTR_OFFSET,
                                .wptr_va = r->control->va + WPTR_OFFSET};
    r->bound = true;
    if (r->id == AM_RING_SDMA) return sdma_bind_queue(d, &desc);
    desc.eop_va = d->queues->eop->va;
    desc.eop_bytes = EOP_BYTES;
    if (d->queues->hang_ns) progress_start(d);
    if (d->queues->trap) trap_program(d); /* a reset may have come before */
    return gfx_bind_queue(d, &desc);
}

void ring_retire(struct am_queues *q, struct ring *r) {
    uint64_t done = ring_done(r);
    if (done <= r->retired) return;
    const struct cmd_record *c = ring_record(r, done);
    r->tail = c->ring_at + c->ring_dw;
    if (r->id == AM_RING_COMPUTE) q->kernarg_tail = c->kernarg_end;
    r->retired = done;
}

/* Dwords left before the ring wraps: a stream never straddles the end. */
static uint32_t skip_for(const struct ring *r, uint32_t n) {
    uint32_t at = (uint32_t)(r->wptr & (r->size_dw - 1));
    return at + n > r->size_dw ? r->size_dw - at : 0;
}

bool ring_fits(const struct ring *r, uint32_t n) {
    /* A full ring would look like an empty one. */
    return r->wptr - r->tail + skip_for(r, n) + n < r->size_dw;
}

static void put_nops(struct am_queues *q, struct ring *r, uint32_t n) {
    struct cmdbuf c = {.dw = r->dw + (r->wptr & (r->size_dw - 1)), .cap = n};
    while (c.n < n) {
        uint32_t part = n - c.n < MAX_NOP_DW ? n - c.n : MAX_NOP_DW;
        if (r->id == AM_RING_SDMA)
            sdma_nop(q->pm4.gen, &c, part);
        else
            pm4_nop(&c, part);
    }
    r->wptr += n;
}

uint64_t ring_put(struct am_queues *q, struct ring *r, const uint32_t *dw, uint32_t n) {
    uint32_t skip = skip_for(r, n);
    if (skip) put_nops(q, r, skip);
    uint64_t at = r->wptr;
    memcpy(r->dw + (at & (r->size_dw - 1)), dw, 4ull * n);
    r->wptr += n;
    return at;
}

int ring_kick(struct am_device *d, struct ring *r) {
    /* The MEC counts dwords, SDMA bytes. */
    uint64_t wptr = r->id == AM_RING_SDMA ? r->wptr * 4 : r->wptr;
    uint64_t doorbell = r->id == AM_RING_SDMA ? AM_DOORBELL_SDMA : AM_DOORBELL_COMPUTE;
    atomic_thread_fence(memory_order_seq_cst); /* the stream before the pointer */
    *control(r, WPTR_OFFSET) = wptr;
    atomic_thread_fence(memory_order_seq_cst); /* the pointer before the doorbell */
    if (d->doorbell_bar.ptr) {
        *(volatile uint64_t *)((volatile uint8_t *)d->doorbell_bar.ptr + doorbell) = wptr;
        return 0;
    }
    return bus_wr64(d->bus, BUS_BAR_DOORBELL, doorbell, wptr);
}
