/* SPDX-License-Identifier: MIT */
/* bus_remote.c - a PCI device behind a socket. What goes over it: remote_wire.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver/enumerate.h"
#include "driver/remote.h"

enum {
    PART = 1 << 20,      /* one read or write */
    MAX_PROBE = 1 << 16, /* text of a probe */
    HELLO_MS = 5000,     /* a server that serves somebody else does not answer */
    ANSWER_MS = 20000,   /* of a server that does */
    POLL_US = 100,       /* between looks at memory that is not shared */
    IRQ_SLICE_US = 5000, /* longest wait for news that come without an interrupt */
};

struct bus_remote {
    struct bus base;
    pthread_mutex_t lock; /* everything below */
    struct remote_link link;
    struct remote_memory memory;
    uint64_t features;
    bool bar_known[6];
    bool posted; /* writes that the server may not have done yet */
    bool told;   /* the device may be at work: a doorbell was rung */
    uint64_t looked_us;
};

static struct bus_remote *self(struct bus *b) {
    return (struct bus_remote *)b;
}

static uint64_t now_us(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

/* What a refusal of the server means to the driver. */
static int result(int rc, int refused) {
    return rc == -EREMOTEIO ? refused : rc;
}

static void op_close(struct bus *b) {
    struct bus_remote *r = self(b);
    if (!r->link.dead) remote_flush(&r->link);
    close(r->link.fd);
    remote_memory_free(&r->memory);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static int cfg(struct bus *b, enum remote_cmd cmd, uint32_t off, uint32_t len, uint32_t in,
               uint32_t *out) {
    struct bus_remote *r = self(b);
    if ((len != 1 && len != 2 && len != 4) || off % len || off > 4096 - len) return -EINVAL;
    uint64_t v = 0;
    pthread_mutex_lock(&r->lock);
    int rc = remote_call(&r->link, &(struct remote_request){cmd, 0, {off, len, in}}, &v, NULL);
    pthread_mutex_unlock(&r->lock);
    if (out) *out = rc ? 0 : (uint32_t)v;
    return result(rc, -EIO);
}

static int op_cfg_read(struct bus *b, uint32_t off, uint32_t len, uint32_t *val) {
    return cfg(b, REMOTE_CFG_READ, off, len, 0, val);
}

static int op_cfg_write(struct bus *b, uint32_t off, uint32_t len, uint32_t val) {
    return cfg(b, REMOTE_CFG_WRITE, off, len, val, NULL);
}

static int map_bar_locked(struct bus_remote *r, int bar, struct bus_bar *out) {
    int rc = remote_call(&r->link, &(struct remote_request){REMOTE_MAP_BAR, (uint32_t)bar, {0}},
                         &out->bus_addr, &out->size);
    out->ptr = NULL;
    if (!rc) r->bar_known[bar] = true;
    return result(rc, -ENOENT);
}

static int op_bar_map(struct bus *b, int bar, struct bus_bar *out) {
    struct bus_remote *r = self(b);
    if (bar < 0 || bar > 5) return -ENOENT;
    pthread_mutex_lock(&r->lock);
    int rc = map_bar_locked(r, bar, out);
    pthread_mutex_unlock(&r->lock);
    return rc;
}

/* The server answers for BARs only that it was told of. */
static int know_bar_locked(struct bus_remote *r, int bar) {
    struct bus_bar ignored;
    if (bar < 0 || bar > 5) return -EINVAL;
    return r->bar_known[bar] ? 0 : map_bar_locked(r, bar, &ignored);
}

/* Without an interrupt and shared memory, news is what the signals' page shows. The driver reads a
 * register now and then while it waits. */
static int look_locked(struct bus_remote *r) {
    if (!r->told || !r->memory.mirrors) return 0;
    uint64_t now = now_us();
    if (now - r->looked_us < POLL_US) return 0;
    int rc = remote_pull(&r->link, &r->memory);
    r->looked_us = now_us();
    return rc;
}

static int op_bar_read(struct bus *b, int bar, uint64_t off, void *buf, size_t len) {
    struct bus_remote *r = self(b);
    pthread_mutex_lock(&r->lock);
    int rc = know_bar_locked(r, bar);
    if (!rc && bar == BUS_BAR_MMIO) rc = look_locked(r);
    for (size_t at = 0; at < len && rc >= 0;) {
        size_t n = len - at < PART ? len - at : PART;
        struct remote_request q = {REMOTE_MMIO_READ, (uint32_t)bar, {off + at, n, 0}};
        rc = remote_read(&r->link, &q, (uint8_t *)buf + at, n);
        at += n;
    }
    r->posted = false;
    pthread_mutex_unlock(&r->lock);
    return rc > 0 ? 0 : result(rc, -EIO);
}

/* Writes are posted. Those to VRAM may wait here for company: what makes them count is a register
 * or a doorbell. */
static int op_bar_write(struct bus *b, int bar, uint64_t off, const void *buf, size_t len) {
    struct bus_remote *r = self(b);
    pthread_mutex_lock(&r->lock);
    int rc = know_bar_locked(r, bar);
    if (!rc && bar != BUS_BAR_VRAM) rc = remote_push(&r->link, &r->memory, bar == BUS_BAR_DOORBELL);
    for (size_t at = 0; at < len && !rc;) {
        size_t n = len - at < PART ? len - at : PART;
        struct remote_request q = {REMOTE_MMIO_WRITE, (uint32_t)bar, {off + at, n, 0}};
        rc = remote_post(&r->link, &q, (const uint8_t *)buf + at, n);
        at += n;
    }
    r->posted = true;
    if (!rc && bar != BUS_BAR_VRAM) rc = remote_flush(&r->link);
    if (bar == BUS_BAR_DOORBELL) r->told = true;
    pthread_mutex_unlock(&r->lock);
    return result(rc, -EIO);
}

static int op_bar_resize(struct bus *b, int bar) {
    struct bus_remote *r = self(b);
    struct bus_bar ignored;
    if (bar < 0 || bar > 5) return -EINVAL;
    pthread_mutex_lock(&r->lock);
    int rc = remote_call(&r->link, &(struct remote_request){REMOTE_RESIZE_BAR, (uint32_t)bar, {0}},
                         NULL, NULL);
    /* the server checks accesses against the size that it last told */
    if (!rc && r->bar_known[bar]) rc = map_bar_locked(r, bar, &ignored);
    pthread_mutex_unlock(&r->lock);
    return result(rc, -ENOTSUP);
}

static int op_dma_map(struct bus *b, void *va, void *hint, size_t size, struct bus_dma *out) {
    struct bus_remote *r = self(b);
    pthread_mutex_lock(&r->lock);
    int rc = remote_map(&r->link, &r->memory, r->features, va, hint, size, out);
    pthread_mutex_unlock(&r->lock);
    return result(rc, -ENOMEM);
}

static void op_dma_unmap(struct bus *b, struct bus_dma *m) {
    struct bus_remote *r = self(b);
    pthread_mutex_lock(&r->lock);
    remote_unmap(&r->link, &r->memory, r->features, m);
    pthread_mutex_unlock(&r->lock);
}

static void sleep_us(uint64_t us) {
    struct timespec ts = {(time_t)(us / 1000000u), (long)(us % 1000000u * 1000u)};
    while (nanosleep(&ts, &ts) && errno == EINTR)
        ;
}

static int op_irq_wait(struct bus *b, int64_t timeout_us) {
    struct bus_remote *r = self(b);
    int64_t left = timeout_us < IRQ_SLICE_US ? timeout_us : IRQ_SLICE_US;
    uint64_t until = now_us() + (uint64_t)(left > 0 ? left : 0);
    for (;;) {
        pthread_mutex_lock(&r->lock);
        bool mirrors = r->memory.mirrors;
        int rc = mirrors ? look_locked(r) : -ENOTSUP;
        pthread_mutex_unlock(&r->lock);
        if (rc) return result(rc, -EIO);
        if (now_us() >= until) return 0;
        sleep_us(POLL_US);
    }
}

static int op_reset(struct bus *b) {
    struct bus_remote *r = self(b);
    pthread_mutex_lock(&r->lock);
    int rc = remote_call(&r->link, &(struct remote_request){REMOTE_RESET, 0, {0}}, NULL, NULL);
    pthread_mutex_unlock(&r->lock);
    return result(rc, -EIO);
}

static void op_delay(struct bus *b, uint64_t us) {
    struct bus_remote *r = self(b);
    pthread_mutex_lock(&r->lock);
    /* The wait begins when the device has what was written, not when it was sent. */
    if (r->posted)
        remote_call(&r->link, &(struct remote_request){REMOTE_CFG_READ, 0, {0, 4, 0}}, NULL, NULL);
    r->posted = false;
    pthread_mutex_unlock(&r->lock);
    sleep_us(us);
}

static const struct bus_ops remote_ops = {
    .name = "remote",
    .close = op_close,
    .cfg_read = op_cfg_read,
    .cfg_write = op_cfg_write,
    .bar_map = op_bar_map,
    .bar_read = op_bar_read,
    .bar_write = op_bar_write,
    .bar_resize = op_bar_resize,
    .dma_map = op_dma_map,
    .dma_unmap = op_dma_unmap,
    .irq_wait = op_irq_wait,
    .reset = op_reset,
    .delay = op_delay,
};

/* The number behind the last ':' of the n-th line. */
static int pick_device(const char *text, unsigned n, uint32_t *dev) {
    for (; n && text; n--) {
        text = strchr(text, '\n');
        if (text) text++;
    }
    if (!text || !*text) return -ENOENT;
    size_t len = strcspn(text, "\n");
    const char *colon = memrchr(text, ':', len);
    const char *digits = colon ? colon + 1 : text;
    char *end;
    errno = 0;
    unsigned long v = strtoul(digits, &end, 10);
    if (errno || end == digits || v > UINT32_MAX || (*end && *end != '\n')) return -EPROTO;
    *dev = (uint32_t)v;
    return 0;
}

/* Which devices the server has: any display controller of AMD's; what it is, its own tables say. */
static int probe(struct bus_remote *r, unsigned device) {
    enum { CLASS_DISPLAY = 3, VENDOR_AMD = 0x1002 };
    uint8_t any[8] = {0}; /* mask and device id */
    struct remote_request q = {REMOTE_PROBE, 0, {CLASS_DISPLAY, sizeof any, VENDOR_AMD}};
    uint64_t len = 0, count = 0;
    int rc = remote_send(&r->link, &q, any, sizeof any);
    if (!rc) rc = remote_response(&r->link, &len, &count, NULL);
    if (rc) return rc;
    if (len > MAX_PROBE) return remote_broken(&r->link, "a list of devices without end");
    char *text = calloc(1, (size_t)len + 1);
    if (!text) return -ENOMEM;
    rc = remote_receive(&r->link, text, (size_t)len);
    if (!rc) rc = pick_device(text, device, &r->link.dev);
    if (rc == -EPROTO) remote_broken(&r->link, "a list of devices without numbers");
    if (rc == -ENOENT)
        snprintf(r->link.text, sizeof r->link.text, "the server has no device %u", device);
    free(text);
    return rc;
}

int bus_remote_attach(int fd, unsigned device, struct bus **out, char *err, size_t err_size) {
    struct bus_remote *r = calloc(1, sizeof *r);
    if (!r) {
        close(fd);
        snprintf(err, err_size, "out of memory");
        return -ENOMEM;
    }
    r->base.ops = &remote_ops;
    r->link.fd = fd;
    r->link.patience_ms = HELLO_MS;
    pthread_mutex_init(&r->lock, NULL);
    uint64_t hello = 0, features = 0;
    int rc = remote_call(&r->link, &(struct remote_request){REMOTE_PING, 0, {REMOTE_HELLO, 0, 0}},
                         &hello, &features);
    if (rc == -EREMOTEIO) rc = 0; /* a server that knows no ping */
    if (!rc && hello == REMOTE_HELLO) r->features = features;
    if (!rc) rc = probe(r, device);
    if (rc) {
        bool busy = rc == -ETIMEDOUT && !hello;
        snprintf(err, err_size, "%s%s", r->link.text[0] ? r->link.text : strerror(-rc),
                 busy ? " (it serves one client at a time: another one may be using it)" : "");
        op_close(&r->base);
        return rc == -EREMOTEIO ? -ENODEV : rc;
    }
    r->link.patience_ms = ANSWER_MS;
    *out = &r->base;
    return 0;
}

uint64_t bus_remote_features(struct bus *b) {
    return b->ops == &remote_ops ? self(b)->features : 0;
}

int bus_remote_open(struct device_spec *s, struct bus **out, char *err, size_t err_size) {
    int fd = -1;
    char why[256] = "";
    int rc = remote_connect(s->address, &fd, why, sizeof why);
    if (!rc) rc = bus_remote_attach(fd, s->index, out, why, sizeof why);
    if (rc) {
        snprintf(err, err_size, "%s: %s", s->id, why);
        return rc;
    }
    s->emulated = bus_remote_features(*out) & REMOTE_FEATURE_EMULATED;
    return 0;
}
