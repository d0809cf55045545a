/* SPDX-License-Identifier: MIT */
/* jit_priv.h - what jit.c (kernels) and jit_queue.c (code to be compiled) share. */
#ifndef RAWCL_EMULATOR_JIT_PRIV_H
#define RAWCL_EMULATOR_JIT_PRIV_H

#include <stdatomic.h>

#include "driver/emulator/isa/jit_request.h"
#include "driver/emulator/isa/jit_run.h"
#include "driver/emulator/jit.h"
#include "driver/emulator/jit_map.h"

enum code_state {
    CODE_NEW,         /* nobody has asked for it */
    CODE_ASKED,       /* in the queue, or with the compiler */
    CODE_MISSED,      /* not among what was compiled before */
    CODE_READY,       /* mapped */
    CODE_INTERPRETED, /* cannot be compiled: for good */
};

/* One distinct request, wherever in memory the code lies. Kept until the device closes. */
struct jit_code {
    struct jit_code *next;   /* all of them */
    struct jit_code *queued; /* the next in the queue */
    enum code_state state;
    bool only_cached;
    uint64_t hash;
    size_t size; /* of request, bytes */
    struct jit_request *request;
    struct jit_map map;
};

/* Code at a place, from one entry on. */
struct jit_piece {
    uint64_t va, entry_va;
    struct jit_code *code;
    uint64_t published; /* jit.withdrawals + 1 at that time, 0: it is not */
};

enum { JIT_PIECES_MAX = 64, JIT_BUCKETS = 64 };

struct jit_kernel {
    struct jit_kernel *next; /* in its bucket */
    uint64_t entry_va;
    uint32_t wave_size, vgpr_limit, mode;
    uint64_t shared_aperture, private_aperture;
    _Atomic uint64_t spent_ns;
    _Atomic int stage; /* enum stage in jit.c */
    uint64_t epoch;    /* jit.epoch when its pieces were last compared with memory */
    unsigned pieces;
    struct jit_piece *piece; /* JIT_PIECES_MAX, or NULL */
};

/* Two own it: the device, and the thread while it runs, which may be in the compiler when the
 * device goes. */
struct jit {
    pthread_mutex_t lock;
    pthread_cond_t work, settled;
    unsigned owners;
    bool quitting; /* nobody waits for the compiler any more */
    bool closing;  /* g and table are gone */
    bool thread_up;
    bool sync;
    _Atomic bool off; /* the compiler is of no use: nothing more is asked */
    struct gpu *g;
    emu_jit_fn *compile;
    void *compile_ctx;
    struct isa_jit *table;
    struct jit_code *codes, *queue, **queue_end;
    struct jit_kernel *bucket[JIT_BUCKETS];
    uint64_t withdrawals;   /* from the table, which takes what overlaps with it */
    _Atomic uint64_t epoch; /* counts jit_code_changed */
    unsigned failures;      /* of the compiler in a row */
    bool complained;
    pthread_mutex_t counter_lock; /* held for moments only */
    struct emu_jit_counters counters;
};

/* ---- jit_queue.c; all with j->lock held ---- */
/* The code that is asked for with these bytes (copied), known or new; NULL without memory. */
struct jit_code *jit_code_get(struct jit *j, const struct jit_request *request, size_t size);
/* Puts it into the queue unless it was there already. */
void jit_code_ask(struct jit *j, struct jit_code *c, bool only_cached);
/* Drops one owner; unlocks. The last frees all. */
void jit_release(struct jit *j);

/* ---- jit.c ---- */
/* Lets waves run this code wherever it lies. */
void jit_publish_code(struct jit *j, const struct jit_code *c);

#endif
