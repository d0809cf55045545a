/* SPDX-License-Identifier: MIT */
/* recover.c - after a fault: which command it was, what to tell, and the ring set going again. Only
 * the command that faulted is lost, and those that ran beside it; what waited behind is run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/queues.h"

static const char *kind_text(const struct am_fault *f) {
    switch (f->kind) {
    case AM_FAULT_PAGE:
        return f->write ? "page fault on a write" : "page fault on a read";
    case AM_FAULT_ILLEGAL:
        return "illegal instruction";
    case AM_FAULT_MEMVIOL:
        return "memory violation";
    case AM_FAULT_TRAP:
        return "trap";
    case AM_FAULT_HANG:
        return "hang: no progress";
    default:
        return "fault";
    }
}

static void command_text(const struct cmd_record *c, char *buf, size_t size) {
    if (!c->what)
        snprintf(buf, size, "kernel \"%s\"", c->name);
    else if (c->arg[1])
        snprintf(buf, size, "%s of %" PRIu64 " bytes from 0x%" PRIx64 " to 0x%" PRIx64, c->what,
                 c->arg[2], c->arg[1], c->arg[0]);
    else
        snprintf(buf, size, "%s of %" PRIu64 " bytes at 0x%" PRIx64, c->what, c->arg[2], c->arg[0]);
}

static void error_text(struct am_device *d, const struct cmd_record *c, const struct am_fault *f,
                       char *buf, size_t size) {
    char who[192], where[256] = "";
    command_text(c, who, sizeof(who));
    if (f->kind == AM_FAULT_PAGE) {
        char near[200];
        memory_describe(d, f->address, near, sizeof(near));
        snprintf(where, sizeof(where), " at 0x%" PRIx64 ", %s", f->address, near);
    }
    snprintf(buf, size, "%s: %s%s%s%s%s", who, kind_text(f), where, f->detail[0] ? " (" : "",
             f->detail, f->detail[0] ? ")" : "");
}

/* Ends the command at value badly. */
static void fail(struct am_device *d, struct ring *r, uint64_t value, const char *text) {
    struct cmd_record *c = ring_record(r, value);
    struct cmd_error *e = calloc(1, sizeof(*e));
    if (!e) {
        /* The error cannot be kept, so the device cannot be trusted to report it. */
        atomic_store(&d->lost, true);
        return;
    }
    e->first = c->first;
    e->last = value;
    while (e->last < r->last && ring_record(r, e->last + 1)->first == e->first)
        e->last++;
    snprintf(e->text, sizeof(e->text), "%s", text);
    e->next = r->errors;
    r->errors = e;
    am_log(d, AM_LOG_ERROR, "fault", "%s", text);
    volatile uint64_t *stamp = r->stamps[value % RECORDS];
    if (stamp[1] < stamp[0]) stamp[1] = stamp[0];
}

/* Copies the streams of (done, last] out of the ring and puts them back at its start. */
static int requeue(struct am_queues *q, struct ring *r, uint64_t done) {
    uint64_t total = 0;
    for (uint64_t v = done + 1; v <= r->last; v++)
        total += ring_record(r, v)->ring_dw;
    uint32_t *copy = malloc(4 * total + 4);
    if (!copy) return -ENOMEM;
    uint32_t *p = copy;
    for (uint64_t v = done + 1; v <= r->last; v++) {
        const struct cmd_record *c = ring_record(r, v);
        memcpy(p, r->dw + (c->ring_at & (r->size_dw - 1)), 4ull * c->ring_dw);
        p += c->ring_dw;
    }
    r->wptr = r->tail = 0;
    p = copy;
    for (uint64_t v = done + 1; v <= r->last; v++) {
        struct cmd_record *c = ring_record(r, v);
        c->ring_at = ring_put(q, r, p, c->ring_dw);
        p += c->ring_dw;
    }
    free(copy);
    return 0;
}

static int restart(struct am_device *d, struct ring *r, uint64_t done) {
    struct am_queues *q = d->queues;
    /* What ended keeps its kernel arguments no longer; its ring space is gone with the ring. */
    if (done > r->retired) {
        if (r->id == AM_RING_COMPUTE) q->kernarg_tail = ring_record(r, done)->kernarg_end;
        r->retired = done;
    }
    int rc = requeue(q, r, done);
    if (rc) return rc;
    uint64_t wptr = r->wptr;
    rc = ring_bind(d, r);
    if (rc) return rc;
    r->wptr = wptr;
    return wptr ? ring_kick(d, r) : 0;
}

static bool near_page(uint64_t address, uint64_t at, uint64_t bytes) {
    return address + 4096 > at && address < at + bytes;
}

/* The chip keeps the client of one fault only. Of others the address tells: what SDMA is at is
 * known, a kernel may touch anything. */
static enum am_ring ring_of(struct am_device *d, const struct am_fault *f) {
    if ((unsigned)f->ring < AM_RING_COUNT) return f->ring;
    struct ring *r = &d->queues->ring[AM_RING_SDMA];
    uint64_t v = ring_done(r) + 1;
    if (v > r->last) return AM_RING_COMPUTE;
    const struct cmd_record *c = ring_record(r, v);
    bool ours = near_page(f->address, c->arg[0], c->extent[0]) ||
                (c->arg[1] && near_page(f->address, c->arg[1], c->extent[1]));
    return ours ? AM_RING_SDMA : AM_RING_COMPUTE;
}

/* One command may fault many times before it is stopped. What it left behind must not be blamed on
 * the next one; a fault of the other ring is kept. */
static void drop_echoes(struct am_device *d, enum am_ring ring) {
    struct am_fault f, other = {0};
    ih_drain(d);
    while (fault_take(d, &f)) {
        f.ring = ring_of(d, &f);
        if (f.ring != ring && other.kind == AM_FAULT_NONE) other = f;
    }
    if (other.kind != AM_FAULT_NONE) fault_record(d, &other);
}

static void recover_locked(struct am_device *d, const struct am_fault *f) {
    struct am_queues *q = d->queues;
    struct ring *r = &q->ring[f->ring];
    char text[512];
    uint64_t done = ring_done(r), victim = done + 1;
    if (victim > r->last) {
        /* The kernel ran past its fault to the end. */
        if (!r->last) return;
        error_text(d, ring_record(r, r->last), f, text, sizeof(text));
        fail(d, r, r->last, text);
        return;
    }
    error_text(d, ring_record(r, victim), f, text, sizeof(text));
    int rc = f->ring == AM_RING_COMPUTE ? gfx_recover(d) : sdma_recover(d);
    drop_echoes(d, f->ring);
    uint64_t ended = ring_done(r); /* more may have ended before the reset took hold */
    fail(d, r, victim, text);
    if (ended < victim) ended = victim;
    /* Kernels that had been started were killed half-way; they cannot be run twice. */
    for (uint64_t v = ended + 1; v <= r->last && r->stamps[v % RECORDS][0]; v++) {
        char who[192];
        command_text(ring_record(r, v), who, sizeof(who));
        snprintf(text, sizeof(text), "%s: stopped, it ran beside a command that faulted", who);
        fail(d, r, v, text);
        ended = v;
    }
    *r->signal = ring_signal_value(r, ended);
    atomic_thread_fence(memory_order_seq_cst);
    if (!rc) rc = restart(d, r, ended);
    q->clock_known = false; /* a reset may have moved it */
    if (rc) {
        am_log(d, AM_LOG_ERROR, "fault", "the %s ring does not come back (%d): the device is lost",
               f->ring == AM_RING_COMPUTE ? "compute" : "SDMA", rc);
        atomic_store(&d->lost, true);
    }
}

void recover(struct am_device *d, const struct am_fault *f) {
    struct am_queues *q = d->queues;
    if (!q) return;
    struct am_fault known = *f;
    pthread_mutex_lock(&q->lock);
    known.ring = ring_of(d, f);
    recover_locked(d, &known);
    pthread_cond_broadcast(&q->cond);
    pthread_mutex_unlock(&q->lock);
}
