/* SPDX-License-Identifier: MIT */
/* trap.h - the trap handler of waves. */
#ifndef RAWCL_DRIVER_TRAP_H
#define RAWCL_DRIVER_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/hw/hw.h"

struct am_device;
struct cmd_record;

enum {
    TRAP_CODE_BYTES = 4096,
    TRAP_MEMORY_BYTES = 2112,
    TRAP_MESSAGE = 0x545250, /* of the handler's interrupt */
    TRAP_RECORDS = 64,       /* kept until their faults come */
};

enum trap_cause {
    TRAP_CALLED, /* s_trap */
    TRAP_ILLEGAL,
    TRAP_MEMVIOL,
    TRAP_HOST, /* trap_running_waves */
};

/* What the handler wrote about one wave. */
struct trap_record {
    bool valid; /* there is one */
    enum trap_cause cause;
    unsigned id;       /* of s_trap */
    uint64_t pc, exec; /* address of the instruction, or of the next; active lanes */
    uint64_t ticks;    /* GPU clock */
    uint32_t group[3]; /* work-group id */
    uint32_t wave;     /* in the work-group */
    uint32_t hw_id;    /* HW_ID1 */
};

/* The handler's words. */
const uint32_t *trap_code(enum hw_gen gen, size_t *bytes);

/* Uploads the handler and tells the shaders of it; both rings are bound. */
int trap_install(struct am_device *d);
/* Takes it away: no wave runs any more. Nothing to do if it was not installed. */
void trap_remove(struct am_device *d);
/* Writes the registers that name the handler; after a reset again. */
void trap_program(struct am_device *d);

/* Has a wave come to the handler that nobody has looked at yet? A look at memory: cheap. */
bool trap_pending(struct am_device *d);
/* Moves what the handler wrote to am_queues.traps, in order of time. A record that another wave
 * overwrote is lost; its interrupt is not. am_queues.lock held. */
void trap_collect(struct am_device *d);
/* Sends all running waves to the handler, which ends them. */
void trap_running_waves(struct am_device *d);

/* "s_trap 2 at pc ..., work-group ..., work-item ...": of a wave of command c; the work-item is the
 * first active one. */
void trap_describe(const struct trap_record *t, const struct cmd_record *c, char *buf, size_t size);

#endif
