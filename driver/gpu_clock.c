/* SPDX-License-Identifier: MIT */
/* gpu_clock.c - the GPU's 100 MHz counter on the host's CLOCK_MONOTONIC. */
#include <errno.h>

#include "driver/queues.h"

#define TICK_NS       10u
#define SYNC_EVERY_NS 1000000u /* crystals drift, and a model's clock leaps over delays */
#define SAMPLES       2

/* Capture, then read both halves (linux gfx_v10_0_get_gpu_clock_counter). */
static uint64_t read_ticks(struct am_device *d) {
    reg_wr(d, R_RLC_CAPTURE_GPU_CLOCK_COUNT, 1);
    uint64_t lo = reg_rd(d, R_RLC_GPU_CLOCK_COUNT_LSB);
    uint64_t hi = reg_rd(d, R_RLC_GPU_CLOCK_COUNT_MSB);
    return hi << 32 | lo;
}

void gpu_clock_sync(struct am_device *d) {
    struct am_queues *q = d->queues;
    if (q->clock_known && clock_now_ns() - q->clock_host_ns < SYNC_EVERY_NS) return;
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t before = clock_now_ns();
        uint64_t ticks = read_ticks(d);
        uint64_t took = clock_now_ns() - before;
        if (took >= best) continue;
        best = took; /* the quickest reading is the surest */
        q->clock_gpu = ticks;
        q->clock_host_ns = before + took / 2;
    }
    q->clock_known = true;
}

uint64_t gpu_clock_to_ns(const struct am_queues *q, uint64_t ticks) {
    return q->clock_host_ns + (ticks - q->clock_gpu) * TICK_NS; /* wraps both ways */
}

int am_gpu_clock(struct am_device *d, uint64_t *ns) {
    *ns = 0;
    if (atomic_load(&d->lost) || atomic_load(&d->abandoned)) return -ENODEV;
    struct am_queues *q = d->queues;
    pthread_mutex_lock(&q->lock);
    gpu_clock_sync(d);
    *ns = gpu_clock_to_ns(q, read_ticks(d));
    pthread_mutex_unlock(&q->lock);
    return atomic_load(&d->lost) ? -ENODEV : 0;
}
