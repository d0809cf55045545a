/* SPDX-License-Identifier: MIT */
/* scratch.c - the memory behind private variables: one buffer, cut into equal slots by the
 * hardware, one for each wave that may run. */
#include <errno.h>

#include "driver/queues.h"

#define GRANULE     256u /* of COMPUTE_TMPRING_SIZE.WAVESIZE */
#define MAX_GROUP   32u  /* waves of a work-group of 1024 items in wave32 */
#define CUS_PER_WGP 2u

/* Waves that an engine may have at once, all of its possible CUs counted: slots are numbered by
 * place, so that harvested units leave holes. */
static uint32_t waves_per_se(struct am_device *d) {
    const struct am_gc_info *gc = &d->gc;
    uint32_t cus = gc->sa_per_se * gc->wgp_per_sa * CUS_PER_WGP;
    return cus * (gc->max_scratch_slots_per_cu ? gc->max_scratch_slots_per_cu : 32);
}

/* The buffer takes an eighth of VRAM at most: past that, fewer waves with scratch run at once. */
static int plan(struct am_device *d, uint64_t wave_bytes, uint32_t *waves) {
    struct am_queues *q = d->queues;
    uint32_t max_waves = hw_field_get(q->pm4.gc, F_COMPUTE_TMPRING_SIZE__WAVES, ~0u);
    uint32_t max_wave = hw_field_get(q->pm4.gc, F_COMPUTE_TMPRING_SIZE__WAVESIZE, ~0u);
    if (wave_bytes / GRANULE > max_wave) return -EINVAL;
    uint32_t n = waves_per_se(d);
    if (n > max_waves) n = max_waves;
    uint32_t engines = d->gc.num_se ? d->gc.num_se : 1;
    uint64_t limit = d->vram_bytes / 8;
    while (n > MAX_GROUP && wave_bytes * n * engines > limit)
        n /= 2;
    *waves = n < MAX_GROUP ? MAX_GROUP : n;
    return 0;
}

int scratch_ensure(struct am_device *d, uint64_t wave_bytes) {
    struct am_queues *q = d->queues;
    if (wave_bytes <= q->scratch_wave_bytes) return 0;
    wave_bytes = (wave_bytes + GRANULE - 1) & ~(uint64_t)(GRANULE - 1);
    uint32_t waves;
    int rc = plan(d, wave_bytes, &waves);
    if (rc) {
        am_log(d, AM_LOG_ERROR, "submit", "%llu bytes of scratch in a wave are too many",
               (unsigned long long)wave_bytes);
        return rc;
    }
    /* The slot size is one for all waves that run: nobody may be running when it changes. */
    struct ring *r = &q->ring[AM_RING_COMPUTE];
    rc = wait_value(d, r, submit_next_value(d, r) - 1, UINT64_MAX);
    if (rc) return rc;
    struct am_mem *old = q->scratch, *mem;
    uint32_t engines = d->gc.num_se ? d->gc.num_se : 1;
    rc = am_alloc(d, wave_bytes * waves * engines, 64 << 10, AM_MEM_VRAM, "scratch", &mem);
    if (rc) return rc;
    q->scratch = mem;
    q->scratch_wave_bytes = (uint32_t)wave_bytes;
    q->scratch_waves_per_se = waves;
    am_free(d, old);
    am_log(d, AM_LOG_DEBUG, "submit", "scratch: %u waves an engine of %u bytes", waves,
           q->scratch_wave_bytes);
    return 0;
}
