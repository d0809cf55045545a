/* SPDX-License-Identifier: MIT */
/* sdma_exec.c - SDMA0 queue 0: when it runs, and its thread. Packets: sdma_packets.c. */
#include "driver/emulator/sdma_exec.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/cp.h"
#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/sdma_priv.h"

enum { QUIESCE_MS = 2000, SPIN_US = 60 };

static struct sdma *sdma_of(struct gpu *g) {
    return *gpu_slot(g, GPU_SLOT_SDMA);
}

static uint64_t reg_pair(struct gpu *g, enum hw_reg lo, enum hw_reg hi) {
    return gpu_reg_get(g, lo) | (uint64_t)gpu_reg_get(g, hi) << 32;
}

/* ---- when it runs ---- */

static const char *check_queue(struct gpu *g) {
    unsigned size = gpu_field_get(g, F_SDMA0_QUEUE0_RB_CNTL__RB_SIZE);
    if (!gpu_fw_ready(g, GPU_FW_SDMA)) return "the SDMA firmware is not loaded";
    if (!gpu_sdma_ready(g, 0)) return "the engine is halted or in reset";
    if (gpu_field_get(g, F_SDMA0_QUEUE0_RB_CNTL__RB_VMID)) return "RB_VMID is not 0";
    if (size < 6 || size > 24) return "RB_SIZE is out of range";
    if (!reg_pair(g, R_SDMA0_QUEUE0_RB_BASE, R_SDMA0_QUEUE0_RB_BASE_HI)) return "RB_BASE is 0";
    if (gpu_field_get(g, F_SDMA0_QUEUE0_RB_CNTL__RB_SWAP_ENABLE)) return "RB_SWAP_ENABLE is set";
    if (gpu_field_get(g, F_SDMA0_QUEUE0_RB_CNTL__RPTR_WRITEBACK_ENABLE) &&
        !reg_pair(g, R_SDMA0_QUEUE0_RB_RPTR_ADDR_LO, R_SDMA0_QUEUE0_RB_RPTR_ADDR_HI))
        return "RPTR_WRITEBACK_ENABLE without RB_RPTR_ADDR";
    if (gpu_field_get(g, F_SDMA0_QUEUE0_MINOR_PTR_UPDATE__ENABLE))
        return "MINOR_PTR_UPDATE is still enabled";
    return NULL;
}

static void *sdma_thread(void *arg);

static void enable(struct sdma *s) {
    struct gpu *g = s->g;
    const char *why = check_queue(g);
    if (why) {
        gpu_guest_error(g, "SDMA0_QUEUE0_RB_CNTL.RB_ENABLE set, but %s: the queue does not run",
                        why);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->ring_va = reg_pair(g, R_SDMA0_QUEUE0_RB_BASE, R_SDMA0_QUEUE0_RB_BASE_HI) << 8;
    s->ring_bytes = 4ull << gpu_field_get(g, F_SDMA0_QUEUE0_RB_CNTL__RB_SIZE);
    s->rptr = reg_pair(g, R_SDMA0_QUEUE0_RB_RPTR, R_SDMA0_QUEUE0_RB_RPTR_HI);
    s->wptr = reg_pair(g, R_SDMA0_QUEUE0_RB_WPTR, R_SDMA0_QUEUE0_RB_WPTR_HI);
    s->starved = ~0ull;
    s->stuck = false;
    s->stop = false;
    s->enabled = !s->closing;
    if (!s->thread_up && !s->closing) {
        sigset_t all, old;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        s->thread_up = pthread_create(&s->thread, NULL, sdma_thread, s) == 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        if (!s->thread_up) s->enabled = false;
    }
    bool failed = !s->thread_up;
    pthread_cond_broadcast(&s->cond);
    pthread_mutex_unlock(&s->lock);
    if (failed) gpu_unimplemented(g, "SDMA: the host has no thread for the queue");
}

/* Stops the thread between packets (or in a wait) and waits for it, bounded. */
static void disable(struct sdma *s) {
    pthread_mutex_lock(&s->lock);
    s->enabled = false;
    s->stop = true;
    engine_wait_kick(&s->wait);
    pthread_cond_broadcast(&s->cond);
    bool self = s->thread_up && pthread_equal(pthread_self(), s->thread);
    uint64_t end = monotonic_ns() + QUIESCE_MS * 1000000ull;
    while (s->busy && !self && monotonic_ns() < end)
        cond_wait_us(&s->cond, &s->lock, 1000);
    pthread_mutex_unlock(&s->lock);
    cache_queue_gone(s->g);
}

static void set_wptr(struct sdma *s, uint64_t wptr) {
    struct gpu *g = s->g;
    const char *why = NULL;
    if (wptr & 3) why = "it is not dword aligned";
    if (wptr < s->rptr) why = "it moved backwards";
    if (wptr >= s->rptr && wptr - s->rptr > s->ring_bytes) why = "more than the ring holds";
    if (why) {
        gpu_guest_error(g, "SDMA: write pointer 0x%llx (read pointer 0x%llx): %s",
                        (unsigned long long)wptr, (unsigned long long)s->rptr, why);
        return;
    }
    cache_doorbell(g, AGENT_SDMA);
    s->wptr = wptr;
    gpu_reg_set(g, R_SDMA0_QUEUE0_RB_WPTR, (uint32_t)wptr);
    gpu_reg_set(g, R_SDMA0_QUEUE0_RB_WPTR_HI, (uint32_t)(wptr >> 32));
    if (!s->sleeping) return; /* it says so before it looks at wptr for the last time */
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->cond);
    pthread_mutex_unlock(&s->lock);
}

void sdma_doorbell(struct gpu *g, uint32_t byte_off, uint64_t value) {
    struct sdma *s = sdma_of(g);
    if (!s) return;
    uint32_t at = gpu_field_get(g, F_SDMA0_QUEUE0_DOORBELL_OFFSET__OFFSET) * 4;
    if (!gpu_field_get(g, F_SDMA0_QUEUE0_DOORBELL__ENABLE) || at != byte_off) {
        gpu_guest_error(g, "SDMA: doorbell at BAR2+0x%x, but the queue's is %s at 0x%x", byte_off,
                        gpu_field_get(g, F_SDMA0_QUEUE0_DOORBELL__ENABLE) ? "enabled" : "disabled",
                        at);
        return;
    }
    if (!s->enabled) {
        gpu_guest_error(g, "SDMA: doorbell for a queue that is not enabled");
        return;
    }
    set_wptr(s, value);
}

void sdma_queue_write(struct gpu *g, enum hw_reg r, uint32_t v) {
    struct sdma *s = sdma_of(g);
    if (!s) return;
    bool on = v & 1;
    switch (r) {
    case R_SDMA0_QUEUE0_RB_CNTL:
        if (on && !s->enabled) enable(s);
        if (!on && s->enabled) disable(s);
        return;
    case R_SDMA0_QUEUE0_RB_WPTR:
    case R_SDMA0_QUEUE0_RB_WPTR_HI:
        /* The high half is written first or both are below 4 GiB; either write is a look. */
        if (s->enabled) set_wptr(s, reg_pair(g, R_SDMA0_QUEUE0_RB_WPTR, R_SDMA0_QUEUE0_RB_WPTR_HI));
        return;
    case R_SDMA0_QUEUE0_RB_BASE:
    case R_SDMA0_QUEUE0_RB_BASE_HI:
    case R_SDMA0_QUEUE0_RB_RPTR:
    case R_SDMA0_QUEUE0_RB_RPTR_HI:
    case R_SDMA0_QUEUE0_RB_RPTR_ADDR_LO:
    case R_SDMA0_QUEUE0_RB_RPTR_ADDR_HI:
        if (s->enabled)
            gpu_guest_error(g, "%s written while the SDMA queue is enabled", hw_regs[r].name);
        return;
    default:
        return;
    }
}

void sdma_engine_write(struct gpu *g, enum hw_reg r, uint32_t v) {
    (void)r;
    (void)v;
    struct sdma *s = sdma_of(g);
    if (!s) return;
    engine_wait_kick(&s->wait);
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->cond);
    pthread_mutex_unlock(&s->lock);
}

/* ---- its thread ---- */

static bool has_work(struct sdma *s) {
    return s->enabled && !s->stuck && s->wptr != s->rptr && s->wptr != s->starved;
}

void sdma_report_rptr(struct sdma *s) {
    struct gpu *g = s->g;
    gpu_reg_set(g, R_SDMA0_QUEUE0_RB_RPTR, (uint32_t)s->rptr);
    gpu_reg_set(g, R_SDMA0_QUEUE0_RB_RPTR_HI, (uint32_t)(s->rptr >> 32));
    if (!gpu_field_get(g, F_SDMA0_QUEUE0_RB_CNTL__RPTR_WRITEBACK_ENABLE)) return;
    uint64_t va = reg_pair(g, R_SDMA0_QUEUE0_RB_RPTR_ADDR_LO, R_SDMA0_QUEUE0_RB_RPTR_ADDR_HI);
    if (engine_write64(&s->mem, va & ~3ull, s->rptr)) s->stuck = true;
}

/* Looks for new work for a moment before sleeping: copies come in bursts. */
static void spin_for_work(struct sdma *s) {
    if (!s->spin) return;
    uint64_t end = monotonic_ns() + SPIN_US * 1000ull;
    while (s->enabled && !s->stop && !has_work(s) && monotonic_ns() < end) {
        for (int i = 0; i < 50; i++)
            __builtin_ia32_pause();
        sched_yield(); /* who would bring the work may need this very CPU */
    }
}

static void *sdma_thread(void *arg) {
    struct sdma *s = arg;
    engine_mem_init(&s->mem, s->g, AGENT_SDMA);
    pthread_mutex_lock(&s->lock);
    while (!s->closing) {
        if (!has_work(s) || !gpu_sdma_ready(s->g, 0)) {
            s->sleeping = true;
            if (!has_work(s)) {
                pthread_cond_wait(&s->cond, &s->lock);
            } else if (!gpu_sdma_ready(s->g, 0)) {
                cond_wait_us(&s->cond, &s->lock, 1000); /* halted: look again */
            }
            s->sleeping = false;
            continue;
        }
        s->busy = true;
        pthread_mutex_unlock(&s->lock);
        if (sdma_run(s)) s->stuck = !s->stop;
        if (!s->stuck && !s->stop) sdma_report_rptr(s);
        pthread_mutex_lock(&s->lock);
        s->busy = false;
        pthread_cond_broadcast(&s->cond);
        pthread_mutex_unlock(&s->lock);
        spin_for_work(s);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- life ---- */

void sdma_kick(struct gpu *g) {
    struct sdma *s = sdma_of(g);
    if (s) engine_wait_kick(&s->wait);
}

bool sdma_idle(struct gpu *g) {
    struct sdma *s = sdma_of(g);
    return !s || (!s->busy && !has_work(s) && !s->stuck);
}

/* The pointer runs ahead of what was reported. */
static uint32_t rptr_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    struct sdma *s = sdma_of(g);
    if (!s || !s->enabled) return stored;
    uint64_t rptr = s->rptr;
    return (uint32_t)(r == R_SDMA0_QUEUE0_RB_RPTR ? rptr : rptr >> 32);
}

void sdma_init(struct gpu *g) {
    struct sdma *s = calloc(1, sizeof *s);
    if (!s) return;
    s->g = g;
    pthread_mutex_init(&s->lock, NULL);
    cond_init_monotonic(&s->cond);
    s->spin = host_has_spare_cpu();
    engine_wait_init(&s->wait);
    *gpu_slot(g, GPU_SLOT_SDMA) = s;
    gpu_reg_hook(g, R_SDMA0_QUEUE0_RB_RPTR, rptr_read, NULL);
    gpu_reg_hook(g, R_SDMA0_QUEUE0_RB_RPTR_HI, rptr_read, NULL);
}

void sdma_reset(struct gpu *g) {
    struct sdma *s = sdma_of(g);
    if (s) disable(s);
}

struct engine_mem *sdma_mem(struct gpu *g) {
    struct sdma *s = sdma_of(g);
    return s ? &s->mem : NULL;
}

void sdma_quit(struct gpu *g) {
    struct sdma *s = sdma_of(g);
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    s->stop = true;
    s->enabled = false;
    pthread_cond_broadcast(&s->cond);
    pthread_mutex_unlock(&s->lock);
    engine_wait_kick(&s->wait);
    if (s->thread_up) pthread_join(s->thread, NULL);
    s->thread_up = false;
}

void sdma_fini(struct gpu *g) {
    struct sdma *s = sdma_of(g);
    if (!s) return;
    cp_quit(g);
    sdma_quit(g);
    *gpu_slot(g, GPU_SLOT_SDMA) = NULL;
    pthread_cond_destroy(&s->cond);
    pthread_mutex_destroy(&s->lock);
    engine_wait_fini(&s->wait);
    free(s);
}
