/* SPDX-License-Identifier: MIT */
/* fake_am.c - driver/am.h in host memory, for tests of the runtime alone: two threads a device play
 * the rings, a GPU address is a host pointer, and kernels are host functions (fake_kernels.c). It
 * can be told to misbehave:
 *   FAKE_AM=devices=2,vram=256M,nodevice,openfail
 */
#include "driver/am.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/api/fake_kernels.h"

enum { MAX_WAITS = 16 };

struct cmd {
    struct cmd *next;
    struct am_fence waits[MAX_WAITS];
    size_t nwaits;
    uint64_t value;
    enum { CMD_DISPATCH, CMD_COPY, CMD_FILL } kind;
    struct am_dispatch dispatch;
    char name[64];
    struct am_rect dst, src;
    uint64_t region[3];
    uint8_t pattern[128];
    size_t pattern_bytes;
    uint8_t kernargs[];
};

struct done {
    uint64_t start, end;
    int rc;
};

enum { HISTORY = 4096 };

struct ring {
    struct am_device *dev;
    enum am_ring id;
    struct cmd *head, **tail;
    uint64_t submitted, reached;
    struct done history[HISTORY];
};

struct am_device {
    pthread_mutex_t lock;
    pthread_cond_t work, progress;
    struct ring rings[AM_RING_COUNT];
    uint64_t vram_free;
    bool abandoned;
};

static uint64_t now_ns(void) {
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static bool option(const char *name) {
    const char *env = getenv("FAKE_AM");

    return env && strstr(env, name);
}

int am_enumerate(const char *spec, struct am_candidate **out, size_t *count) {
    (void)spec;
    *count = option("devices=2") ? 2 : 1;
    *out = calloc(*count, sizeof **out);
    if (!*out) return -ENOMEM;
    for (size_t i = 0; i < *count; i++) {
        struct am_candidate *c = &(*out)[i];
        snprintf(c->id, sizeof c->id, "emu:fake%zu", i);
        snprintf(c->target, sizeof c->target, "gfx1100");
        snprintf(c->name, sizeof c->name, "Fake GPU %zu (emulated)", i);
        if (option("nodevice")) snprintf(c->error, sizeof c->error, "told not to be there");
        c->emulated = true;
        c->vram_bytes = option("vram=256M") ? 256u << 20 : 1u << 30;
        c->compute_units = 4;
        c->max_clock_mhz = 1000;
        c->l2_bytes = 1u << 20;
    }
    return 0;
}

/* ---- the rings ---- */

static void run_copy(const struct cmd *c) {
    for (uint64_t z = 0; z < c->region[2]; z++)
        for (uint64_t y = 0; y < c->region[1]; y++)
            memcpy((void *)(c->dst.base + z * c->dst.slice_pitch + y * c->dst.row_pitch),
                   (void *)(c->src.base + z * c->src.slice_pitch + y * c->src.row_pitch),
                   c->region[0]);
}

static int run(struct cmd *c) {
    switch (c->kind) {
    case CMD_COPY:
        run_copy(c);
        return 0;
    case CMD_FILL:
        for (uint64_t i = 0; i < c->region[0]; i += c->pattern_bytes)
            memcpy((void *)(c->dst.base + i), c->pattern, c->pattern_bytes);
        return 0;
    default:
        return fake_kernel_run(&c->dispatch, c->kernargs);
    }
}

static bool waits_reached(const struct am_device *dev, const struct cmd *c) {
    for (size_t i = 0; i < c->nwaits; i++)
        if (dev->rings[c->waits[i].ring].reached < c->waits[i].value) return false;
    return true;
}

static void *ring_main(void *arg) {
    struct ring *r = arg;
    struct am_device *dev = r->dev;

    pthread_mutex_lock(&dev->lock);
    for (;;) {
        struct cmd *c = r->head;
        if (!c || !waits_reached(dev, c)) {
            pthread_cond_wait(c ? &dev->progress : &dev->work, &dev->lock);
            continue;
        }
        pthread_mutex_unlock(&dev->lock);
        struct done d = {.start = now_ns()};
        d.rc = run(c);
        d.end = now_ns();
        pthread_mutex_lock(&dev->lock);
        r->history[c->value % HISTORY] = d;
        r->reached = c->value;
        r->head = c->next;
        if (!r->head) r->tail = &r->head;
        free(c);
        pthread_cond_broadcast(&dev->progress);
    }
    return NULL;
}

int am_open(const char *id, const struct am_options *opt, struct am_device **out, char *err,
            size_t err_size) {
    (void)id, (void)opt;
    if (option("openfail")) {
        snprintf(err, err_size, "told not to open");
        return -ENODEV;
    }
    struct am_device *dev = calloc(1, sizeof *dev);
    if (!dev) return -ENOMEM;
    pthread_mutex_init(&dev->lock, NULL);
    pthread_cond_init(&dev->work, NULL);
    pthread_cond_init(&dev->progress, NULL);
    dev->vram_free = option("vram=256M") ? 256u << 20 : 1u << 30;
    for (int i = 0; i < AM_RING_COUNT; i++) {
        struct ring *r = &dev->rings[i];
        pthread_t t;
        r->dev = dev;
        r->id = (enum am_ring)i;
        r->tail = &r->head;
        if (pthread_create(&t, NULL, ring_main, r)) return -EAGAIN;
        pthread_detach(t);
    }
    *out = dev;
    return 0;
}

void am_close(struct am_device *dev) {
    (void)dev;
}

void am_abandon(struct am_device *dev) {
    dev->abandoned = true;
}

/* ---- memory ---- */

int am_alloc(struct am_device *dev, uint64_t size, uint64_t align, enum am_mem_kind kind,
             const char *label, struct am_mem **out) {
    (void)align, (void)label;
    if (dev->abandoned) return -ENODEV;
    size = (size + 4095) & ~(uint64_t)4095;
    pthread_mutex_lock(&dev->lock);
    bool fits = kind == AM_MEM_SYSTEM || size <= dev->vram_free;
    if (fits && kind == AM_MEM_VRAM) dev->vram_free -= size;
    pthread_mutex_unlock(&dev->lock);
    if (!fits) return -ENOSPC;
    struct am_mem *m = calloc(1, sizeof *m);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!m || p == MAP_FAILED) return -ENOMEM;
    *m = (struct am_mem){(uint64_t)p, size, kind == AM_MEM_SYSTEM ? p : NULL, kind, NULL};
    *out = m;
    return 0;
}

void am_free(struct am_device *dev, struct am_mem *mem) {
    pthread_mutex_lock(&dev->lock);
    if (mem->kind == AM_MEM_VRAM) dev->vram_free += mem->size;
    pthread_mutex_unlock(&dev->lock);
    if (!mem->priv) munmap((void *)mem->va, mem->size);
    free(mem);
}

int am_share(struct am_device *dev, const struct am_mem *mem, struct am_mem **out) {
    (void)dev;
    *out = calloc(1, sizeof **out);
    if (!*out) return -ENOMEM;
    **out = *mem;
    (*out)->priv = dev; /* not the owner */
    return 0;
}

bool am_addresses_shared(void) {
    return !option("nosvm");
}

uint64_t am_vram_free_bytes(struct am_device *dev) {
    return dev->vram_free;
}

/* ---- commands ---- */

static struct cmd *cmd_new(const struct am_fence *waits, size_t nwaits, size_t extra) {
    struct cmd *c = calloc(1, sizeof *c + extra);

    if (!c || nwaits > MAX_WAITS) abort();
    for (size_t i = 0; i < nwaits; i++)
        c->waits[i] = waits[i];
    c->nwaits = nwaits;
    return c;
}

static int submit(struct am_device *dev, enum am_ring ring, struct cmd *c, struct am_fence *out) {
    struct ring *r = &dev->rings[ring];

    if (dev->abandoned) {
        free(c);
        return -ENODEV;
    }
    pthread_mutex_lock(&dev->lock);
    c->value = ++r->submitted;
    *out = (struct am_fence){ring, c->value};
    *r->tail = c;
    r->tail = &c->next;
    pthread_cond_broadcast(&dev->work);
    pthread_mutex_unlock(&dev->lock);
    return 0;
}

int am_submit_dispatch(struct am_device *dev, const struct am_fence *waits, size_t nwaits,
                       const struct am_dispatch *d, struct am_fence *out) {
    struct cmd *c = cmd_new(waits, nwaits, d->kernargs_bytes);

    c->kind = CMD_DISPATCH;
    c->dispatch = *d;
    snprintf(c->name, sizeof c->name, "%s", d->kernel_name);
    c->dispatch.kernel_name = c->name;
    memcpy(c->kernargs, d->kernargs, d->kernargs_bytes);
    return submit(dev, AM_RING_COMPUTE, c, out);
}

int am_submit_copy(struct am_device *dev, const struct am_fence *waits, size_t nwaits, uint64_t dst,
                   uint64_t src, uint64_t size, struct am_fence *out) {
    struct am_rect d = {dst, size, size}, s = {src, size, size};
    const uint64_t region[3] = {size, 1, 1};

    return am_submit_copy_rect(dev, waits, nwaits, &d, &s, region, out);
}

int am_submit_copy_rect(struct am_device *dev, const struct am_fence *waits, size_t nwaits,
                        const struct am_rect *dst, const struct am_rect *src,
                        const uint64_t region[3], struct am_fence *out) {
    struct cmd *c = cmd_new(waits, nwaits, 0);

    c->kind = CMD_COPY;
    c->dst = *dst;
    c->src = *src;
    memcpy(c->region, region, sizeof c->region);
    return submit(dev, AM_RING_SDMA, c, out);
}

int am_submit_fill(struct am_device *dev, const struct am_fence *waits, size_t nwaits, uint64_t dst,
                   const void *pattern, size_t pattern_bytes, uint64_t size, struct am_fence *out) {
    struct cmd *c = cmd_new(waits, nwaits, 0);

    c->kind = CMD_FILL;
    c->dst.base = dst;
    c->region[0] = size;
    memcpy(c->pattern, pattern, pattern_bytes);
    c->pattern_bytes = pattern_bytes;
    return submit(dev, AM_RING_SDMA, c, out);
}

/* ---- completion ---- */

int am_poll(struct am_device *dev, struct am_fence f) {
    if (dev->abandoned) return -ENODEV;
    pthread_mutex_lock(&dev->lock);
    int r = dev->rings[f.ring].reached >= f.value;
    pthread_mutex_unlock(&dev->lock);
    return r;
}

int am_wait(struct am_device *dev, struct am_fence f, int64_t timeout_ns) {
    struct timespec until;
    int rc = 0;

    if (dev->abandoned) return -ENODEV;
    clock_gettime(CLOCK_REALTIME, &until);
    if (timeout_ns < 0) timeout_ns = 3600ll * 1000000000;
    until.tv_sec += timeout_ns / 1000000000;
    until.tv_nsec += timeout_ns % 1000000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&dev->lock);
    while (!rc && dev->rings[f.ring].reached < f.value)
        rc = pthread_cond_timedwait(&dev->progress, &dev->lock, &until);
    if (!rc) rc = -dev->rings[f.ring].history[f.value % HISTORY].rc;
    pthread_mutex_unlock(&dev->lock);
    return -rc;
}

int am_fence_error(struct am_device *dev, struct am_fence f, char *text, size_t size) {
    pthread_mutex_lock(&dev->lock);
    int rc = dev->rings[f.ring].history[f.value % HISTORY].rc;
    pthread_mutex_unlock(&dev->lock);
    if (rc && text) snprintf(text, size, "the fake kernel faulted");
    return rc;
}

int am_fence_times(struct am_device *dev, struct am_fence f, uint64_t *start_ns, uint64_t *end_ns) {
    pthread_mutex_lock(&dev->lock);
    *start_ns = dev->rings[f.ring].history[f.value % HISTORY].start;
    *end_ns = dev->rings[f.ring].history[f.value % HISTORY].end;
    pthread_mutex_unlock(&dev->lock);
    return 0;
}

int am_gpu_clock(struct am_device *dev, uint64_t *ns) {
    (void)dev;
    *ns = now_ns();
    return 0;
}

/* ---- images: no fake kernel reads any ---- */

int am_image_limits(const char *target, struct am_image_limits *out) {
    (void)target;
    *out = (struct am_image_limits){256, 256, 16384, 16384, 8192, 8192, 1u << 27};
    return 0;
}

int am_image_descriptor(const char *target, const struct am_image *image,
                        uint32_t out[AM_IMAGE_DESCRIPTOR_DW]) {
    (void)target;
    memset(out, 0, AM_IMAGE_DESCRIPTOR_DW * sizeof *out);
    out[0] = (uint32_t)image->va;
    return 0;
}

int am_sampler_descriptor(const char *target, const struct am_sampler *sampler,
                          uint32_t out[AM_SAMPLER_DESCRIPTOR_DW]) {
    (void)target;
    memset(out, 0, AM_SAMPLER_DESCRIPTOR_DW * sizeof *out);
    out[0] = sampler->linear;
    return 0;
}
