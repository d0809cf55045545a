/* SPDX-License-Identifier: MIT */
/* Faults in the order in which they came, until they are taken. A burst keeps its beginning. */
#include <string.h>

#include "driver/blocks.h"

static const char *const kind_names[] = {
    [AM_FAULT_NONE] = "no fault",
    [AM_FAULT_PAGE] = "page fault",
    [AM_FAULT_ILLEGAL] = "illegal instruction",
    [AM_FAULT_MEMVIOL] = "memory violation",
    [AM_FAULT_TRAP] = "trap",
    [AM_FAULT_HANG] = "hang",
    [AM_FAULT_OTHER] = "fault",
};

void fault_record(struct am_device *d, const struct am_fault *f) {
    struct am_blocks *b = blocks(d);
    am_log(d, AM_LOG_INFO, "fault", "%s%s0x%llx: %s", kind_names[f->kind],
           f->kind == AM_FAULT_PAGE ? (f->write ? " writing " : " reading ") : " ",
           (unsigned long long)f->address, f->detail);
    pthread_mutex_lock(&b->fault_lock);
    if (b->fault_count < FAULT_QUEUE) {
        struct am_fault *at = &b->faults[b->fault_count++];
        *at = *f;
        if (!at->ordered) at->after = b->eop_seen;
        at->ordered = true;
    }
    pthread_mutex_unlock(&b->fault_lock);
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
