/* SPDX-License-Identifier: MIT */
/* submit.c - commands enter the rings: reservation, waits, commit; kernel dispatch. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/chip.h"
#include "driver/queues.h"

/* Signals are 32 bits wide (SDMA's fence writes no more). Long before they would wrap, both rings
 * drain and their bases move on. */
#define REBASE_AT 0xf0000000u

#define SIGNAL_STRIDE 256u
#define STAMPS_OFFSET 4096u
#define SIGNALS_BYTES (STAMPS_OFFSET + AM_RING_COUNT * RECORDS * 16u)
#define EVENTS_EVERY  1024u
#define DRAIN_NS      5000000000u /* how long am_close waits */
#define AQL_BYTES     SIZE_hsa_kernel_dispatch_packet
#define KERNARG_ALIGN 64u

static int usable(struct am_device *d) {
    return atomic_load(&d->lost) || atomic_load(&d->abandoned) ? -ENODEV : 0;
}

/* ---- reservation ---- */

static int reserve_locked(struct am_device *d, struct ring *r) {
    struct am_queues *q = d->queues;
    while (r->reserved) {
        struct timespec ts;
        clock_gettime(CLOCK_MONOTONIC, &ts);
        ts.tv_sec++; /* to notice a device that was lost */
        pthread_cond_timedwait(&q->cond, &q->lock, &ts);
        if (usable(d)) return -ENODEV;
    }
    if (usable(d)) return -ENODEV;
    r->reserved = true;
    return 0;
}

static void unreserve_locked(struct am_queues *q, struct ring *r) {
    r->reserved = false;
    pthread_cond_broadcast(&q->cond);
}

/* Moves both timelines' bases to where they are. No ring is reserved by the caller. */
static int rebase(struct am_device *d) {
    struct am_queues *q = d->queues;
    pthread_mutex_lock(&q->lock);
    int n = 0, rc = 0;
    for (; n < AM_RING_COUNT && !rc; n++)
        rc = reserve_locked(d, &q->ring[n]);
    if (rc) n--;
    pthread_mutex_unlock(&q->lock);
    for (int i = 0; i < AM_RING_COUNT && !rc; i++)
        rc = wait_value(d, &q->ring[i], q->ring[i].last, UINT64_MAX);
    if (!rc) wait_poll_events(d); /* faults name their command by the old base */
    pthread_mutex_lock(&q->lock);
    for (int i = 0; i < AM_RING_COUNT && !rc; i++) {
        struct ring *r = &q->ring[i];
        atomic_store(&r->done, r->last);
        *r->signal = 0; /* before the base: see ring_done */
        if (i == AM_RING_COMPUTE) fault_ended(d, 0);
        atomic_store_explicit(&r->base, r->last, memory_order_release);
    }
    while (n-- > 0)
        unreserve_locked(q, &q->ring[n]);
    pthread_mutex_unlock(&q->lock);
    return rc;
}

int submit_begin(struct am_device *d, struct ring *r) {
    struct am_queues *q = d->queues;
    for (;;) {
        pthread_mutex_lock(&q->lock);
        int rc = reserve_locked(d, r);
        bool full = !rc && r->last - atomic_load(&r->base) >= REBASE_AT;
        if (full) unreserve_locked(q, r);
        pthread_mutex_unlock(&q->lock);
        if (full) rc = rebase(d);
        if (rc) return rc;
        if (!full) break;
    }
    r->buf.n = 0;
    r->buf.overrun = false;
    return 0;
}

void submit_end(struct am_device *d, struct ring *r) {
    pthread_mutex_lock(&d->queues->lock);
    unreserve_locked(d->queues, r);
    pthread_mutex_unlock(&d->queues->lock);
}

uint64_t submit_next_value(struct am_device *d, struct ring *r) {
    pthread_mutex_lock(&d->queues->lock);
    uint64_t v = r->last + 1;
    pthread_mutex_unlock(&d->queues->lock);
    return v;
}

int submit_waits(struct am_device *d, struct ring *r, const struct am_fence *waits, size_t n,
                 uint64_t *sdma_value) {
    struct am_queues *q = d->queues;
    uint64_t need[AM_RING_COUNT] = {0};
    for (size_t i = 0; i < n; i++) {
        if ((unsigned)waits[i].ring >= AM_RING_COUNT) return -EINVAL;
        if (waits[i].value > need[waits[i].ring]) need[waits[i].ring] = waits[i].value;
    }
    for (unsigned i = 0; i < AM_RING_COUNT; i++) {
        struct ring *w = &q->ring[i];
        bool known = !need[i];
        if (!known) {
            pthread_mutex_lock(&q->lock);
            known = need[i] <= w->last;
            pthread_mutex_unlock(&q->lock);
        }
        if (!known) return -EINVAL;
        uint64_t done = ring_done(w);
        if (i == AM_RING_SDMA) *sdma_value = need[i] > done ? need[i] : done;
        if (need[i] <= done) continue;
        if (r->id == AM_RING_SDMA)
            sdma_poll_mem_ge(q->pm4.gen, &r->buf, w->signal_va, ring_signal_value(w, need[i]));
        else
            pm4_wait_mem_ge(&q->pm4, &r->buf, w->signal_va, ring_signal_value(w, need[i]));
    }
    return 0;
}

int submit_commit(struct am_device *d, struct ring *r, const struct cmd_record *info) {
    struct am_queues *q = d->queues;
    if (r->buf.overrun) return -E2BIG;
    pthread_mutex_lock(&q->lock);
    int rc;
    for (;;) {
        rc = usable(d);
        ring_retire(q, r);
        if (rc || (ring_fits(r, r->buf.n) && r->last - r->retired < RECORDS - 1)) break;
        uint64_t oldest = r->retired + 1;
        pthread_mutex_unlock(&q->lock);
        wait_value(d, r, oldest, UINT64_MAX);
        pthread_mutex_lock(&q->lock);
    }
    if (!rc) {
        uint64_t v = r->last + 1;
        struct cmd_record *c = ring_record(r, v);
        *c = *info;
        c->value = v;
        if (!c->first) c->first = v;
        c->submit_ns = clock_now_ns();
        c->ring_dw = r->buf.n;
        r->stamps[v % RECORDS][0] = r->stamps[v % RECORDS][1] = 0;
        c->ring_at = ring_put(q, r, r->buf.dw, r->buf.n);
        r->last = v;
        for (struct cmd_error *e = r->errors; e && c->first != v; e = e->next)
            if (e->first == c->first) e->last = v;
        rc = ring_kick(d, r);
    }
    r->buf.n = 0;
    bool look = r->last % EVENTS_EVERY == 0;
    pthread_mutex_unlock(&q->lock);
    /* Every command ends with an interrupt; who never waits must not let their ring run over. */
    if (look) wait_poll_events(d);
    return rc;
}

/* ---- dispatch ---- */

/* Room for the arguments and the AQL image of one dispatch; the compute ring is reserved. */
static int kernarg_alloc(struct am_device *d, uint32_t bytes, uint64_t *at) {
    struct am_queues *q = d->queues;
    struct ring *r = &q->ring[AM_RING_COMPUTE];
    if (bytes > KERNARG_BYTES / 4) return -EINVAL;
    bytes = (bytes + KERNARG_ALIGN - 1) & ~(KERNARG_ALIGN - 1);
    for (;;) {
        int rc = usable(d);
        if (rc) return rc;
        pthread_mutex_lock(&q->lock);
        ring_retire(q, r);
        uint64_t head = q->kernarg_head;
        if (head % KERNARG_BYTES + bytes > KERNARG_BYTES)
            head += KERNARG_BYTES - head % KERNARG_BYTES;
        bool fits = head + bytes - q->kernarg_tail <= KERNARG_BYTES;
        if (fits) q->kernarg_head = head + bytes;
        uint64_t oldest = r->retired + 1;
        pthread_mutex_unlock(&q->lock);
        *at = head % KERNARG_BYTES;
        if (fits) return 0;
        wait_value(d, r, oldest, UINT64_MAX);
    }
}

/* The packet that hsa runtimes would have been given: kernels may read it (dispatch_ptr). */
static void aql_image(uint8_t *p, const struct am_dispatch *d, uint64_t kernarg_va) {
    memset(p, 0, AQL_BYTES);
    hw_put16(p, OFF_hsa_kernel_dispatch_packet__setup, (uint16_t)d->dims);
    static const unsigned size_at[3] = {OFF_hsa_kernel_dispatch_packet__workgroup_size_x,
                                        OFF_hsa_kernel_dispatch_packet__workgroup_size_y,
                                        OFF_hsa_kernel_dispatch_packet__workgroup_size_z};
    static const unsigned grid_at[3] = {OFF_hsa_kernel_dispatch_packet__grid_size_x,
                                        OFF_hsa_kernel_dispatch_packet__grid_size_y,
                                        OFF_hsa_kernel_dispatch_packet__grid_size_z};
    for (unsigned i = 0; i < 3; i++) {
        hw_put16(p, size_at[i], d->group[i]);
        hw_put32(p, grid_at[i], d->grid[i]);
    }
    hw_put32(p, OFF_hsa_kernel_dispatch_packet__private_segment_size, d->private_segment_bytes);
    hw_put32(p, OFF_hsa_kernel_dispatch_packet__group_segment_size, d->group_segment_bytes);
    hw_put64(p, OFF_hsa_kernel_dispatch_packet__kernel_object, d->kernel_descriptor_va);
    hw_put64(p, OFF_hsa_kernel_dispatch_packet__kernarg_address, kernarg_va);
}

/* Must the acquire drop L2? When SDMA may have written since the last one that did. */
static bool l2_stale(struct am_device *d, uint64_t sdma_value) {
    struct am_queues *q = d->queues;
    pthread_mutex_lock(&q->lock);
    bool stale = q->ring[AM_RING_SDMA].last > q->sdma_seen;
    if (sdma_value > q->sdma_seen) q->sdma_seen = sdma_value;
    pthread_mutex_unlock(&q->lock);
    return stale;
}

static int build_dispatch(struct am_device *d, struct ring *r, const struct am_dispatch *k,
                          uint64_t sdma_value, uint64_t value) {
    struct am_queues *q = d->queues;
    uint32_t lanes = pm4_is_wave32(k->kernel_descriptor) ? 32 : 64;
    int rc = scratch_ensure(d, (uint64_t)k->private_segment_bytes * lanes);
    uint64_t at = 0;
    uint32_t args_bytes = (k->kernargs_bytes + KERNARG_ALIGN - 1) & ~(KERNARG_ALIGN - 1);
    if (k->kernargs_bytes > KERNARG_BYTES) rc = -EINVAL;
    if (!rc) rc = kernarg_alloc(d, args_bytes + AQL_BYTES, &at);
    if (rc) return rc;
    uint8_t *cpu = (uint8_t *)q->kernarg->cpu + at;
    struct pm4_dispatch_args a = {
        .kernarg_va = q->kernarg->va + at,
        .aql_va = q->kernarg->va + at + args_bytes,
        .queue_va = r->control->va,
        .dispatch_id = value,
        .scratch_va = q->scratch ? q->scratch->va : 0,
        .scratch_wave_bytes = q->scratch_wave_bytes,
        .scratch_waves_per_se = q->scratch_waves_per_se,
        .count_waves = q->hang_ns != 0,
        .trap_handler = q->trap != NULL,
    };
    if (k->kernargs_bytes) memcpy(cpu, k->kernargs, k->kernargs_bytes);
    aql_image(cpu + args_bytes, k, a.kernarg_va);
    pm4_acquire(&q->pm4, &r->buf, l2_stale(d, sdma_value));
    pm4_timestamp(&q->pm4, &r->buf, ring_stamp_va(r, value, 0));
    char err[128];
    rc = pm4_dispatch(&q->pm4, &r->buf, k, &a, err, sizeof(err));
    if (rc) {
        am_log(d, AM_LOG_ERROR, "submit", "kernel \"%s\" cannot be dispatched: %s",
               k->kernel_name ? k->kernel_name : "?", err);
        return rc;
    }
    pm4_release_timestamp(&q->pm4, &r->buf, ring_stamp_va(r, value, 1));
    pm4_release_signal(&q->pm4, &r->buf, r->signal_va, ring_signal_value(r, value), true);
    pm4_pad(&r->buf, STREAM_ALIGN_DW);
    return 0;
}

int am_submit_dispatch(struct am_device *d, const struct am_fence *waits, size_t nwaits,
                       const struct am_dispatch *k, struct am_fence *out) {
    int rc = usable(d);
    if (rc) return rc;
    struct am_queues *q = d->queues;
    struct ring *r = &q->ring[AM_RING_COMPUTE];
    rc = submit_begin(d, r);
    if (rc) return rc;
    uint64_t value = submit_next_value(d, r), sdma_value = 0;
    rc = submit_waits(d, r, waits, nwaits, &sdma_value);
    if (!rc) rc = build_dispatch(d, r, k, sdma_value, value);
    if (!rc) {
        struct cmd_record info = {0};
        const char *name = k->kernel_name ? k->kernel_name : "?";
        memcpy(info.name, name, strnlen(name, sizeof(info.name) - 1));
        info.entry = pm4_entry(k);
        memcpy(info.group, k->group, sizeof(info.group));
        info.lanes = pm4_is_wave32(k->kernel_descriptor) ? 32 : 64;
        info.kernarg_end = q->kernarg_head;
        rc = submit_commit(d, r, &info);
    }
    submit_end(d, r);
    if (!rc) *out = (struct am_fence){.ring = AM_RING_COMPUTE, .value = value};
    return rc;
}

/* ---- life ---- */

static void signals_place(struct am_queues *q) {
    uint8_t *cpu = q->signals->cpu;
    for (unsigned i = 0; i < AM_RING_COUNT; i++) {
        struct ring *r = &q->ring[i];
        uint64_t stamps = STAMPS_OFFSET + i * RECORDS * 16ull;
        r->signal = (volatile uint32_t *)(cpu + i * SIGNAL_STRIDE);
        r->signal_va = q->signals->va + i * SIGNAL_STRIDE;
        r->stamps = (volatile uint64_t(*)[2])(cpu + stamps);
        r->stamps_va = q->signals->va + stamps;
    }
}

/* The queue as kernels that were given queue_ptr see it. */
static void queue_image(struct am_device *d, struct ring *r) {
    uint8_t *p = r->control->cpu;
    uint32_t bases = reg_rd(d, R_SH_MEM_BASES);
    hw_put64(p, OFF_amd_queue__hsa_queue__base_address, r->mem->va);
    hw_put32(p, OFF_amd_queue__hsa_queue__size, r->size_dw);
    hw_put32(p, OFF_amd_queue__group_segment_aperture_base_hi,
             reg_fget(d, F_SH_MEM_BASES__SHARED_BASE, bases) << 16);
    hw_put32(p, OFF_amd_queue__private_segment_aperture_base_hi,
             reg_fget(d, F_SH_MEM_BASES__PRIVATE_BASE, bases) << 16);
}

int queues_init(struct am_device *d) {
    struct am_queues *q = calloc(1, sizeof(*q));
    if (!q) return -ENOMEM;
    d->queues = q;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&q->cond, &attr);
    pthread_condattr_destroy(&attr);
    const char *timeout = getenv("AM_TIMEOUT");
    /* The same rule for both: the emulated GPU does not watch its kernels when a driver does. */
    if (!timeout && strncmp(d->id, "emu:", 4) == 0) timeout = getenv("RAWCL_EMU_TIMEOUT");
    double seconds = timeout ? strtod(timeout, NULL) : 0;
    if (seconds > 0 && seconds < 1e6) q->hang_ns = (uint64_t)(seconds * 1e9);
    q->pm4 =
        (struct pm4){.gen = d->chip->gen, .gc = d->ip[HW_GC].regs, .gc_base = d->ip[HW_GC].base};
    int rc = am_alloc(d, SIGNALS_BYTES, 0, AM_MEM_SYSTEM, "signals", &q->signals);
    if (!rc) rc = am_alloc(d, 4096, 0, AM_MEM_VRAM, "end-of-pipe buffer", &q->eop);
    if (!rc) rc = am_alloc(d, KERNARG_BYTES, 0, AM_MEM_SYSTEM, "kernel arguments", &q->kernarg);
    if (!rc) rc = am_alloc(d, STAGING_BYTES, 0, AM_MEM_SYSTEM, "fill patterns", &q->staging);
    for (int i = 0; i < AM_RING_COUNT && !rc; i++)
        rc = ring_create(d, &q->ring[i], i);
    if (rc) {
        queues_fini(d);
        return rc;
    }
    signals_place(q);
    queue_image(d, &q->ring[AM_RING_COMPUTE]);
    for (int i = 0; i < AM_RING_COUNT && !rc; i++)
        rc = ring_bind(d, &q->ring[i]);
    if (!rc) rc = trap_install(d);
    if (rc) {
        queues_fini(d);
        return rc;
    }
    return 0;
}

/* Lets the rings run dry, for a while, and takes them off the hardware: what follows frees the
 * memory that they live in. */
static void stop(struct am_device *d) {
    uint64_t deadline = clock_now_ns() + DRAIN_NS;
    for (int i = 0; i < AM_RING_COUNT; i++) {
        struct ring *r = &d->queues->ring[i];
        if (!r->bound) continue;
        if (wait_value(d, r, r->last, deadline))
            am_log(d, AM_LOG_WARN, "submit", "closed with commands unfinished on ring %d", i);
        if (usable(d)) return;
        int rc = i == AM_RING_COMPUTE ? gfx_unbind_queue(d) : sdma_ops.fini_hw(d);
        if (rc) am_log(d, AM_LOG_ERROR, "submit", "ring %d cannot be stopped (%d)", i, rc);
    }
}

void queues_fini(struct am_device *d) {
    struct am_queues *q = d->queues;
    if (!q) return;
    if (!usable(d)) stop(d);
    trap_remove(d);
    for (int i = 0; i < AM_RING_COUNT; i++)
        ring_destroy(d, &q->ring[i]);
    am_free(d, q->scratch);
    am_free(d, q->staging);
    am_free(d, q->kernarg);
    am_free(d, q->eop);
    am_free(d, q->signals);
    pthread_cond_destroy(&q->cond);
    pthread_mutex_destroy(&q->lock);
    free(q);
    d->queues = NULL;
}
