/* SPDX-License-Identifier: MIT */
/* recover.c - after a fault: which command it was, what to tell, and the ring set going again. Only
 * the command that faulted is lost, and those that ran beside it; what waited behind is run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "driver/blocks.h"
#include "driver/queues.h"

#define ENDS_SOON_MS 20
#define TRAP_WAIT_MS 10 /* for a wave to get to the trap handler */

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
    char who[192], where[256] = "", wave[256] = "";
    command_text(c, who, sizeof(who));
    if (f->trap.valid && !c->what) trap_describe(&f->trap, c, wave, sizeof(wave));
    if (f->kind == AM_FAULT_PAGE) {
        char near[200];
        memory_describe(d, f->address, near, sizeof(near));
        snprintf(where, sizeof(where), " at 0x%" PRIx64 ", %s", f->address, near);
    }
    snprintf(buf, size, "%s: %s%s%s%s%s%s%s", who, kind_text(f), where, wave[0] ? ": " : "", wave,
             f->detail[0] ? " (" : "", f->detail, f->detail[0] ? ")" : "");
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
enum am_ring recover_ring(struct am_device *d, const struct am_fault *f) {
    if ((unsigned)f->ring < AM_RING_COUNT) return f->ring;
    struct ring *r = &d->queues->ring[AM_RING_SDMA];
    uint64_t v = ring_done(r) + 1;
    if (v > r->last) return AM_RING_COMPUTE;
    const struct cmd_record *c = ring_record(r, v);
    bool ours = near_page(f->address, c->arg[0], c->extent[0]) ||
                (c->arg[1] && near_page(f->address, c->arg[1], c->extent[1]));
    return ours ? AM_RING_SDMA : AM_RING_COMPUTE;
}

/* A copy may fault many times before it is stopped: what it left behind must not be blamed on the
 * next one. Kernels' faults know their command. */
static void drop_echoes(struct am_device *d, enum am_ring ring) {
    struct am_fault f, kept[FAULT_QUEUE];
    unsigned n = 0;
    int more;
    do {
        more = ih_drain(d);
        while (ring == AM_RING_SDMA && n < FAULT_QUEUE && fault_take(d, &f))
            if (f.ring != ring) kept[n++] = f;
    } while (ring == AM_RING_SDMA && more == -EAGAIN && n < FAULT_QUEUE);
    for (unsigned i = 0; i < n; i++)
        fault_record(d, &kept[i]);
}

/* The kernel that ran when its wave came to the trap handler, whether it has ended since or not. Of
 * several that overlapped, the one whose entry lies closest before the wave's PC. 0: none. */
static uint64_t trapped(struct ring *r, const struct trap_record *t) {
    enum { LOOK_BACK = RECORDS / 2 };
    uint64_t done = ring_done(r), oldest = done > LOOK_BACK ? done - LOOK_BACK : 0, best = 0;
    for (uint64_t v = r->last; v > oldest; v--) {
        const struct cmd_record *c = ring_record(r, v);
        uint64_t start = r->stamps[v % RECORDS][0], end = r->stamps[v % RECORDS][1];
        if (c->value != v || c->what || !start || start > t->ticks) continue;
        if (v <= done && end < t->ticks) break;
        if (!best || (c->entry <= t->pc && (ring_record(r, best)->entry > t->pc ||
                                            c->entry >= ring_record(r, best)->entry)))
            best = v;
    }
    return best;
}

/* The last command that has been started. */
static uint64_t last_started(struct ring *r, uint64_t done) {
    uint64_t v = done;
    while (v < r->last && r->stamps[(v + 1) % RECORDS][0])
        v++;
    return v;
}

/* Kernels that had been started with the one that failed were killed half-way; they cannot be run
 * twice. */
static void fail_beside(struct am_device *d, struct ring *r, uint64_t v) {
    char who[192], text[256];
    command_text(ring_record(r, v), who, sizeof(who));
    snprintf(text, sizeof(text), "%s: stopped, it ran beside a command that faulted", who);
    fail(d, r, v, text);
}

/* The trap handler ends the waves that come to it: with luck the command is over without a reset,
 * which others would suffer from. */
static bool ends_soon(struct ring *r, uint64_t value) {
    for (unsigned i = 0; i < 10 * ENDS_SOON_MS; i++) {
        if (ring_done(r) >= value) return true;
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return false;
}

static struct trap_record take_trap(struct am_queues *q, unsigned i) {
    struct trap_record t = q->traps[i];
    q->trap_count--;
    memmove(q->traps + i, q->traps + i + 1, (q->trap_count - i) * sizeof(t));
    return t;
}

bool recover_next_trap(struct am_device *d, struct trap_record *out) {
    struct am_queues *q = d->queues;
    pthread_mutex_lock(&q->lock);
    trap_collect(d);
    bool any = q->trap_count;
    if (any) *out = take_trap(q, 0);
    pthread_mutex_unlock(&q->lock);
    return any;
}

/* What the trap handler wrote of a wave of command v: it comes a moment after the fault's
 * interrupt.
 */
static void find_trap(struct am_device *d, struct ring *r, uint64_t v, struct trap_record *out,
                      unsigned ms) {
    struct am_queues *q = d->queues;
    for (unsigned tries = 0;; tries++) {
        trap_collect(d);
        for (unsigned i = 0; i < q->trap_count; i++) {
            if (trapped(r, &q->traps[i]) != v) continue;
            *out = take_trap(q, i);
            return;
        }
        if (!q->trap || tries >= 10 * ms) return;
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
}

/* Whose fault it is; 0: nobody's that is still remembered, or a kernel's that was stopped before.
 * By the order of interrupts it is the command after the last whose end was told before the fault.
 */
static uint64_t kernel_of(struct am_device *d, struct ring *r, struct am_fault *f) {
    uint64_t done = ring_done(r), v = done + 1;
    if (f->trap.valid)
        v = trapped(r, &f->trap);
    else if (f->ordered)
        v = atomic_load(&r->base) + f->after + 1;
    if (!v || v > r->last || (v <= done && ring_error(r, v))) return 0; /* one fault of many */
    if (!f->trap.valid && f->kind != AM_FAULT_HANG && f->kind != AM_FAULT_OTHER)
        find_trap(d, r, v, &f->trap, f->kind == AM_FAULT_TRAP ? 0 : TRAP_WAIT_MS);
    if (f->kind == AM_FAULT_TRAP && f->trap.cause == TRAP_ILLEGAL) f->kind = AM_FAULT_ILLEGAL;
    if (f->kind == AM_FAULT_TRAP && f->trap.cause == TRAP_MEMVIOL) f->kind = AM_FAULT_MEMVIOL;
    return v;
}

static void recover_locked(struct am_device *d, struct am_fault *f) {
    struct am_queues *q = d->queues;
    struct ring *r = &q->ring[f->ring];
    char text[512];
    uint64_t done = ring_done(r), victim = done + 1, started = last_started(r, done);
    if (f->ring == AM_RING_COMPUTE) victim = kernel_of(d, r, f);
    if (!victim || victim > r->last) return;
    if (f->kind == AM_FAULT_HANG && f->ring == AM_RING_COMPUTE) {
        trap_running_waves(d);
        find_trap(d, r, victim, &f->trap, 5 * TRAP_WAIT_MS);
    }
    error_text(d, ring_record(r, victim), f, text, sizeof(text));
    bool hang = f->kind == AM_FAULT_HANG;
    bool ends = q->trap && f->ring == AM_RING_COMPUTE;
    if (victim > done && ends && ends_soon(r, hang ? started : victim)) done = ring_done(r);
    if (victim <= done && (!hang || started <= done)) {
        fail(d, r, victim, text);
        for (uint64_t v = victim + 1; hang && v <= started; v++)
            fail_beside(d, r, v);
        return;
    }
    int rc = f->ring == AM_RING_COMPUTE ? gfx_recover(d) : sdma_recover(d);
    drop_echoes(d, f->ring);
    uint64_t ended = ring_done(r); /* more may have ended before the reset took hold */
    fail(d, r, victim, text);
    if (ended < victim) ended = victim;
    uint64_t last = last_started(r, ended) > started ? last_started(r, ended) : started;
    for (uint64_t v = done + 1; v <= last; v++) {
        if (v == victim || (v <= ended && v > started)) continue;
        fail_beside(d, r, v);
        if (ended < v) ended = v;
    }
    *r->signal = ring_signal_value(r, ended);
    if (f->ring == AM_RING_COMPUTE) fault_ended(d, ring_signal_value(r, ended));
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
    known.ring = recover_ring(d, f);
    recover_locked(d, &known);
    pthread_cond_broadcast(&q->cond);
    pthread_mutex_unlock(&q->lock);
}
