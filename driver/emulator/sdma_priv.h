/* SPDX-License-Identifier: MIT */
/* sdma_priv.h - what sdma_exec.c (queue) and sdma_packets.c (packets) share. */
#ifndef RAWCL_EMULATOR_SDMA_PRIV_H
#define RAWCL_EMULATOR_SDMA_PRIV_H

#include <stdatomic.h>

#include "driver/emulator/engine_mem.h"
#include "driver/emulator/engine_wait.h"

enum { SDMA_FETCH_DWORDS = 1024 };

struct sdma {
    struct gpu *g;
    pthread_mutex_t lock;
    pthread_cond_t cond;
    pthread_t thread;
    bool thread_up, closing; /* under lock */
    _Atomic bool sleeping;
    bool spin; /* more than one host processor: a short spin beats a sleep */
    _Atomic bool enabled;
    _Atomic bool busy;
    _Atomic bool stuck;          /* fault or bad packet: nothing runs until it is enabled anew */
    _Atomic bool stop;           /* leave the current packet */
    _Atomic uint64_t wptr, rptr; /* bytes, not wrapped */
    _Atomic uint64_t starved;    /* wptr at which the last packet was incomplete, or ~0 */
    uint64_t ring_va, ring_bytes;
    struct engine_wait wait;
    /* Of the thread. */
    struct engine_mem mem;
    uint32_t fetch[SDMA_FETCH_DWORDS];
};

/* Executes packets up to the write pointer. 0, or negative when it must not go on: a fault, a bad
 * packet (both reported), or asked to stop. */
int sdma_run(struct sdma *s);
void sdma_report_rptr(struct sdma *s);

#endif
