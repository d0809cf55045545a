/* SPDX-License-Identifier: MIT */
/* Faults in the order in which they came, until they are taken. A burst keeps its beginning. */
#include <string.h>

#include "driver/blocks.h"
#include "driver/queues.h"

static const char *const kind_names[] = {
    [AM_FAULT_NONE] = "no fault",
    [AM_FAULT_PAGE] = "page fault",
    [AM_FAULT_ILLEGAL] = "illegal instruction",
    [AM_FAULT_MEMVIOL] = "memory violation",
    [AM_FAULT_TRAP] = "trap",
    [AM_FAULT_HANG] = "hang",
    [AM_FAULT_OTHER] = "fault",
};

/* Every wave of a kernel may fault, many times: a few tell enough of it, and what comes from others
 * must find room. */
static bool more_of_the_same(const struct am_blocks *b, const struct am_fault *f) {
    enum { ENOUGH = 2 };
    unsigned n = 0;
    for (unsigned i = 0; i < b->fault_count; i++) {
        const struct am_fault *g = &b->faults[i];
        n += g->kind == f->kind && g->ring == f->ring && g->after == f->after;
    }
    return f->ring == AM_RING_COMPUTE && n >= ENOUGH;
}

void fault_record(struct am_device *d, const struct am_fault *f) {
    struct am_blocks *b = blocks(d);
    struct am_fault new = *f;
    if (!new.ordered) new.after = b->eop_seen;
    new.ordered = true;
    if (d->queues) new.ring = recover_ring(d, f);
    pthread_mutex_lock(&b->fault_lock);
    bool dropped = b->fault_count == FAULT_QUEUE || more_of_the_same(b, &new);
    if (!dropped) b->faults[b->fault_count++] = new;
    pthread_mutex_unlock(&b->fault_lock);
    if (dropped) return;
    am_log(d, AM_LOG_INFO, "fault", "%s%s0x%llx: %s", kind_names[f->kind],
           f->kind == AM_FAULT_PAGE ? (f->write ? " writing " : " reading ") : " ",
           (unsigned long long)f->address, f->detail);
}

bool fault_take(struct am_device *d, struct am_fault *out) {
    struct am_blocks *b = blocks(d);
    pthread_mutex_lock(&b->fault_lock);
    memset(out, 0, sizeof *out);
    if (b->fault_count) {
        *out = b->faults[0];
        memmove(b->faults, b->faults + 1, --b->fault_count * sizeof *b->faults);
    }
    pthread_mutex_unlock(&b->fault_lock);
    return out->kind != AM_FAULT_NONE;
}

void fault_ended(struct am_device *d, uint32_t value) {
    struct am_blocks *b = blocks(d);
    pthread_mutex_lock(&b->ih_lock);
    b->eop_seen = value;
    pthread_mutex_unlock(&b->ih_lock);
}

bool fault_room(struct am_device *d) {
    enum { OF_ONE_INTERRUPT = 4 };
    struct am_blocks *b = blocks(d);
    pthread_mutex_lock(&b->fault_lock);
    bool room = b->fault_count + OF_ONE_INTERRUPT <= FAULT_QUEUE;
    pthread_mutex_unlock(&b->fault_lock);
    return room;
}
