/* SPDX-License-Identifier: MIT */
/* queues.h - the two rings, their timelines and what is in flight. Private to ring.c, timeline.c,
 * submit*.c, wait.c, recover.c, scratch.c and gpu_clock.c.
 *
 * A command gets the next value of its ring's timeline; a long one is cut into pieces with a value
 * each, its fence being the last. The GPU writes the value, less the ring's base, to the signal in
 * system memory when the command has ended. A ring works in order, so value v ended means all
 * before it ended.
 *
 * Locks: am_queues.lock guards everything here but what is marked atomic. One for both rings: two
 * threads that feed a ring each need 4.4 us a pair, one thread 6.6, so that it is no bottleneck. A
 * thread that is building a command holds the ring by `reserved`, not by the lock, and so may wait
 * for space. */
#ifndef RAWCL_DRIVER_QUEUES_H
#define RAWCL_DRIVER_QUEUES_H

#include "driver/cmdbuf.h"
#include "driver/dev.h"
#include "driver/pm4.h"
#include "driver/sdma_packets.h"

enum {
    RECORDS = 4096,          /* commands remembered for each ring, and the most in flight */
    RING_BYTES = 1 << 20,    /* of each ring; a piece takes a quarter at most */
    KERNARG_BYTES = 4 << 20, /* kernel arguments and AQL images in flight */
    STAGING_BYTES = 64 << 10,
    STREAM_ALIGN_DW = 8,       /* every stream is padded to this */
    FILL_STEP_OFFSET = 1024,   /* in the signals: orders the copies of one fill */
    TRAP_MEMORY_OFFSET = 1536, /* in the signals: what the trap handler writes (trap.c) */
};

/* One command, or one piece of a long one. */
struct cmd_record {
    uint64_t value;   /* 0: slot never used */
    uint64_t first;   /* value of the command's first piece */
    uint64_t ring_at; /* where its stream begins, dwords since the queue was bound */
    uint32_t ring_dw;
    uint64_t kernarg_end; /* compute: kernarg memory up to here is free when it has ended */
    uint64_t submit_ns;
    const char *what;   /* "copy", "fill" ...; NULL: the kernel `name` */
    uint64_t arg[3];    /* SDMA: destination, source (0: none), bytes */
    uint64_t extent[2]; /* SDMA: first to last byte of destination and source */
    uint64_t entry;     /* kernel: its first instruction */
    uint16_t group[3];  /* kernel: work-items of a work-group */
    uint8_t lanes;      /* kernel: of a wave */
    char name[64];
};

/* A command that ended badly. Kept as long as the device: faults are few. */
struct cmd_error {
    uint64_t first, last; /* its pieces submitted so far */
    struct cmd_error *next;
    char text[512];
};

struct ring {
    enum am_ring id;
    struct am_mem *mem, *control;
    uint32_t *dw;      /* the ring buffer */
    uint32_t size_dw;  /* power of two */
    uint64_t wptr;     /* dwords since the queue was bound */
    uint64_t tail;     /* first dword still needed */
    uint64_t retired;  /* last value whose space is free again */
    uint64_t last;     /* last value submitted */
    bool reserved;     /* somebody builds a command */
    bool bound;        /* the hardware reads the ring */
    struct cmdbuf buf; /* the builder's */
    volatile uint32_t *signal;
    gpu_va_t signal_va;
    _Atomic uint64_t base;          /* timeline value of signal 0 */
    _Atomic uint64_t done;          /* largest value seen to have ended */
    volatile uint64_t (*stamps)[2]; /* by value % RECORDS: GPU clock at start and end; 0: not yet */
    gpu_va_t stamps_va;
    /* watchdog: the last progress that it saw */
    uint64_t watch_done, watch_sign, watch_since_ns;
    struct cmd_error *errors;
    struct cmd_record rec[RECORDS];
};

struct am_queues {
    pthread_mutex_t lock;
    pthread_cond_t cond; /* CLOCK_MONOTONIC; anything a waiter may wait for has changed */
    struct ring ring[AM_RING_COUNT];
    struct pm4 pm4;
    struct am_mem *signals; /* signals and time stamps */
    struct am_mem *eop;
    struct am_mem *trap; /* the trap handler's code */
    struct trap_record traps[TRAP_RECORDS];
    _Atomic unsigned trap_count;
    struct am_mem *kernarg;
    uint64_t kernarg_head, kernarg_tail; /* monotonic bytes */
    struct am_mem *staging;              /* fill patterns; guarded by the SDMA reservation */
    uint64_t staging_value;              /* SDMA value until which it is in use */
    uint32_t fill_step;                  /* last value fenced at FILL_STEP_OFFSET */
    bool omit_fill_wait; /* tests of the coherency table: copies of a fill do not wait */
    struct am_mem *scratch;
    uint32_t scratch_wave_bytes, scratch_waves_per_se;
    uint64_t sdma_seen;         /* SDMA value whose writes a compute acquire has made visible */
    bool irq_waiter;            /* a thread is in the bus's irq_wait */
    uint64_t hang_ns;           /* AM_TIMEOUT: a command hangs that shows no progress for this long;
                                   0: never */
    uint64_t watch_next_ns;     /* when the watchdog looks next */
    _Atomic uint64_t events_ns; /* when am_poll last looked for events */
    /* GPU clock: ticks of 10 ns; clock_gpu was read at clock_host_ns */
    uint64_t clock_gpu, clock_host_ns;
    bool clock_known;
};

/* ---- timeline.c ---- */
uint64_t clock_now_ns(void); /* CLOCK_MONOTONIC */
/* Largest value that has ended. No lock needed. */
uint64_t ring_done(struct ring *r);
static inline struct cmd_record *ring_record(struct ring *r, uint64_t value) {
    return &r->rec[value % RECORDS];
}
/* What must be in the signal when value has ended. */
static inline uint32_t ring_signal_value(struct ring *r, uint64_t value) {
    return (uint32_t)(value - atomic_load(&r->base));
}
/* How a command that has ended ended: NULL well. Lock held. */
struct cmd_error *ring_error(struct ring *r, uint64_t value);
static inline gpu_va_t ring_stamp_va(struct ring *r, uint64_t value, unsigned which) {
    return r->stamps_va + (value % RECORDS) * 16 + which * 8u;
}

/* ---- ring.c ---- */
int ring_create(struct am_device *d, struct ring *r, enum am_ring id);
void ring_destroy(struct am_device *d, struct ring *r);
/* Binds the hardware queue to the (empty) ring. */
int ring_bind(struct am_device *d, struct ring *r);
/* Takes back the space of commands that have ended. Lock held. */
void ring_retire(struct am_queues *q, struct ring *r);
/* Does a stream of n dwords fit now? Lock held. */
bool ring_fits(const struct ring *r, uint32_t n);
/* Copies a stream to the ring (it fits) without telling the GPU; returns where. Lock held. */
uint64_t ring_put(struct am_queues *q, struct ring *r, const uint32_t *dw, uint32_t n);
/* Tells the GPU of everything put so far. Lock held. */
int ring_kick(struct am_device *d, struct ring *r);

/* ---- submit.c ---- */
/* Waits until the caller may build on the ring. 0 or -ENODEV; after 0 submit_end is due. */
int submit_begin(struct am_device *d, struct ring *r);
void submit_end(struct am_device *d, struct ring *r);
/* Emits waits for fences, dropping those that have ended. *sdma_value: SDMA's writes up to there
 * have ended when the stream passes. -EINVAL: a fence of no submitted command. */
int submit_waits(struct am_device *d, struct ring *r, const struct am_fence *waits, size_t n,
                 uint64_t *sdma_value);
/* The value that the next commit will get. Stable while the ring is reserved. */
uint64_t submit_next_value(struct am_device *d, struct ring *r);
/* Submits r->buf as the next value, described by *info (value, ring place and time are filled in),
 * waiting for space; empties the buffer. */
int submit_commit(struct am_device *d, struct ring *r, const struct cmd_record *info);

/* ---- wait.c ---- */
/* Waits until value has ended on the ring; deadline_ns absolute, UINT64_MAX never. No lock held.
 * 0, -ETIMEDOUT, -ENODEV. */
int wait_value(struct am_device *d, struct ring *r, uint64_t value, uint64_t deadline_ns);
/* Reads interrupts, handles faults. No lock held. */
void wait_poll_events(struct am_device *d);

/* ---- progress.c ---- */
/* Sets the counters going that the compute ring's signs of life come from. Lock held, or before the
 * rings are in use. */
void progress_start(struct am_device *d);
/* A number that changes while the ring's engine gets on. Lock held. */
uint64_t progress_sign(struct am_device *d, enum am_ring ring);

/* ---- recover.c ---- */
/* Finds the command that a fault belongs to, ends it with an error, restarts its ring. No lock
 * held. */
void recover(struct am_device *d, const struct am_fault *f);

/* Which ring a fault belongs to: what it says, else by its address. A guess needs no lock. */
enum am_ring recover_ring(struct am_device *d, const struct am_fault *f);
/* The earliest record of the trap handler that no fault has claimed. No lock held. */
bool recover_next_trap(struct am_device *d, struct trap_record *out);

/* ---- scratch.c ---- */
/* Makes the scratch buffer large enough for waves of this many bytes; the compute ring is
 * reserved. */
int scratch_ensure(struct am_device *d, uint64_t wave_bytes);

/* ---- gpu_clock.c ---- */
/* Where the GPU clock lies on CLOCK_MONOTONIC, read again when clock_known is false or the last
 * reading is old. Lock held. */
void gpu_clock_sync(struct am_device *d);
uint64_t gpu_clock_to_ns(const struct am_queues *q, uint64_t ticks);

#endif
