/* SPDX-License-Identifier: MIT */
#include "driver/gpud_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/remote_wire.h"

#define CHUNK        (256u << 10)
#define MAX_SYSMEM   (16ull << 30) /* one mapping */
#define MAX_CLIENT   (64ull << 30) /* all mappings of one client */
#define MAX_MAPPINGS 65536u        /* of one client */
#define MAX_PROBE    4096u

struct conn {
    struct gpud *d;
    int fd;
    uint8_t in[CHUNK];
    size_t at, end;
    uint8_t buf[CHUNK];
    bool bar_mapped[6];
    uint64_t bar_size[6];
    bool local; /* descriptors can be passed */
    char *why;
    size_t why_size;
};

struct request {
    uint8_t cmd;
    uint32_t dev, bar;
    uint64_t arg[3];
};

static int fail(struct conn *c, int rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int fail(struct conn *c, int rc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->why, c->why_size, fmt, ap);
    va_end(ap);
    return rc;
}

/* ---- bytes ---- */

/* Fills the input buffer with whatever is there. 0 at end of file. */
static ssize_t refill(struct conn *c) {
    for (;;) {
        if (*c->d->stop) return -EINTR;
        ssize_t n = recv(c->fd, c->in, sizeof c->in, 0);
        if (n >= 0) {
            c->at = 0;
            c->end = (size_t)n;
            return n;
        }
        if (errno != EINTR) return -errno;
    }
}

/* len bytes, or -ENODATA at a clean end before the first. */
static int get(struct conn *c, void *dst, size_t len) {
    uint8_t *p = dst;
    bool first = true;
    while (len) {
        if (c->at == c->end) {
            ssize_t n = refill(c);
            if (n == 0) return first ? -ENODATA : -ECONNRESET;
            if (n < 0) return (int)n;
        }
        size_t n = c->end - c->at < len ? c->end - c->at : len;
        memcpy(p, c->in + c->at, n);
        c->at += n;
        p += n;
        len -= n;
        first = false;
    }
    return 0;
}

static int put(struct conn *c, const void *src, size_t len) {
    const uint8_t *p = src;
    while (len) {
        if (*c->d->stop) return -EINTR;
        ssize_t n = send(c->fd, p, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -errno;
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

static int respond(struct conn *c, uint64_t r0, uint64_t r1, const void *data, size_t len) {
    uint8_t h[REMOTE_RESPONSE_BYTES + 64];
    h[0] = 0;
    remote_put_le(h + 1, r0, 8);
    remote_put_le(h + 9, r1, 8);
    if (len <= 64) { /* one segment for the common small answers */
        if (len) memcpy(h + REMOTE_RESPONSE_BYTES, data, len);
        return put(c, h, REMOTE_RESPONSE_BYTES + len);
    }
    int rc = put(c, h, REMOTE_RESPONSE_BYTES);
    return rc ? rc : put(c, data, len);
}

/* An error answer; the connection goes on. */
static int refuse(struct conn *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct conn *c, const char *fmt, ...) {
    char text[200];
    uint8_t h[REMOTE_RESPONSE_BYTES] = {1};
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    remote_put_le(h + 1, len, 8);
    int rc = put(c, h, sizeof h);
    return rc ? rc : put(c, text, len);
}

/* ---- commands ---- */

/* arg0: base class or 0, arg1: payload bytes, arg2: vendor; payload: pairs {mask, device}. */
static int probe(struct conn *c, const struct request *r) {
    uint8_t pairs[MAX_PROBE];
    if (r->arg[1] > sizeof pairs || r->arg[1] % 8)
        return fail(c, -EPROTO, "PROBE with %" PRIu64 " bytes of payload", r->arg[1]);
    int rc = get(c, pairs, (size_t)r->arg[1]);
    if (rc) return rc;
    uint32_t id = 0, class_code = 0;
    const struct bus_ops *o = c->d->bus->ops;
    rc = o->cfg_read(c->d->bus, 0, 4, &id);
    if (!rc) rc = o->cfg_read(c->d->bus, 8, 4, &class_code);
    if (rc) return refuse(c, "configuration space: %s", strerror(-rc));
    bool match = (!r->arg[0] || r->arg[0] == class_code >> 24) && (id & 0xffff) == r->arg[2];
    bool device = !r->arg[1];
    for (size_t i = 0; i < r->arg[1]; i += 8) {
        uint32_t mask = (uint32_t)remote_le(pairs + i, 4),
                 want = (uint32_t)remote_le(pairs + i + 4, 4);
        if (((id >> 16) & mask) == (want & mask)) device = true;
    }
    if (!match || !device)
        return refuse(c, "no device matches: here is %04x:%04x", id & 0xffff, id >> 16);
    char text[80];
    int n = snprintf(text, sizeof text, "%s:0", c->d->name);
    size_t len = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    return respond(c, len, 1, text, len);
}

static int map_bar(struct conn *c, const struct request *r) {
    struct bus_bar bar;
    if (r->bar > 5) return refuse(c, "no BAR %u", r->bar);
    int rc = c->d->bus->ops->bar_map(c->d->bus, (int)r->bar, &bar);
    if (rc) return refuse(c, "BAR %u: %s", r->bar, strerror(-rc));
    c->bar_mapped[r->bar] = true;
    c->bar_size[r->bar] = bar.size;
    return respond(c, bar.bus_addr, bar.size, NULL, 0);
}

/* NULL, or why an access to a BAR is not possible. */
static const char *bar_bad(const struct conn *c, const struct request *r) {
    if (r->bar > 5 || !c->bar_mapped[r->bar]) return "the BAR is not mapped";
    uint64_t size = c->bar_size[r->bar];
    if (r->arg[1] > size || r->arg[0] > size - r->arg[1]) return "outside the BAR";
    return NULL;
}

static int mmio_read(struct conn *c, const struct request *r) {
    const char *bad = bar_bad(c, r);
    if (bad)
        return refuse(c, "read of %" PRIu64 " bytes at BAR %u + 0x%" PRIx64 ": %s", r->arg[1],
                      r->bar, r->arg[0], bad);
    uint64_t off = r->arg[0], left = r->arg[1];
    bool header = false;
    do {
        size_t n = left < CHUNK ? (size_t)left : CHUNK;
        int rc = n ? c->d->bus->ops->bar_read(c->d->bus, (int)r->bar, off, c->buf, n) : 0;
        if (rc && !header)
            return refuse(c, "BAR %u + 0x%" PRIx64 ": %s", r->bar, off, strerror(-rc));
        if (rc) return fail(c, rc, "BAR %u + 0x%" PRIx64 " failed in the middle", r->bar, off);
        rc = header ? put(c, c->buf, n) : respond(c, r->arg[1], 0, c->buf, n);
        if (rc) return rc;
        header = true;
        off += n;
        left -= n;
    } while (left);
    return 0;
}

static int mmio_write(struct conn *c, const struct request *r) {
    const char *bad = bar_bad(c, r);
    if (bad)
        return fail(c, -EPROTO, "write of %" PRIu64 " bytes at BAR %u + 0x%" PRIx64 ": %s",
                    r->arg[1], r->bar, r->arg[0], bad);
    uint64_t off = r->arg[0], left = r->arg[1];
    if (r->bar == BUS_BAR_DOORBELL) c->d->mem.live = c->d->mem.first;
    while (left) {
        size_t n = left < CHUNK ? (size_t)left : CHUNK;
        int rc = get(c, c->buf, n);
        if (rc) return rc == -ENODATA ? -ECONNRESET : rc;
        rc = c->d->bus->ops->bar_write(c->d->bus, (int)r->bar, off, c->buf, n);
        if (rc)
            return fail(c, rc, "write at BAR %u + 0x%" PRIx64 ": %s", r->bar, off, strerror(-rc));
        off += n;
        left -= n;
    }
    return 0;
}

static int cfg(struct conn *c, const struct request *r) {
    bool write = r->cmd == REMOTE_CFG_WRITE;
    uint32_t v = (uint32_t)r->arg[2];
    int rc = -EINVAL;
    if (r->arg[0] < 4096 && r->arg[1] <= 4) {
        uint32_t off = (uint32_t)r->arg[0], len = (uint32_t)r->arg[1];
        rc = write ? c->d->bus->ops->cfg_write(c->d->bus, off, len, v)
                   : c->d->bus->ops->cfg_read(c->d->bus, off, len, &v);
    }
    if (rc)
        return refuse(c, "configuration space 0x%" PRIx64 ", %" PRIu64 " bytes: %s", r->arg[0],
                      r->arg[1], strerror(-rc));
    return respond(c, write ? 0 : v, 0, NULL, 0);
}

/* A place in the table, NULL: no memory. Handles of memory that was given back serve again. */
static struct bus_dma *new_slot(struct gpud_memory *m) {
    for (unsigned i = m->first; m->holes && i < m->count; i++) {
        if (m->map[i].pages) continue;
        m->holes--;
        return &m->map[i];
    }
    if (m->count == m->cap) {
        unsigned cap = m->cap ? m->cap * 2 : 64;
        void *p = realloc(m->map, cap * sizeof *m->map);
        if (!p) return NULL;
        m->map = p;
        m->cap = cap;
    }
    m->map[m->count] = (struct bus_dma){0};
    return &m->map[m->count++];
}

/* Memory that is a file as well, in this process and on the bus. Its size is sealed: a client that
 * truncated it would take this process down. */
static int map_file(struct conn *c, size_t size, struct bus_dma *d, int *file) {
    size = (size + BUS_PAGE_SIZE - 1) & ~(size_t)(BUS_PAGE_SIZE - 1);
    int fd = memfd_create("rawcl system memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -errno;
    void *va = MAP_FAILED;
    if (!ftruncate(fd, (off_t)size) &&
        !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        va = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    int rc = va == MAP_FAILED ? -errno : 0;
    if (!rc) rc = c->d->bus->ops->dma_map(c->d->bus, va, NULL, size, d);
    if (rc) {
        if (va != MAP_FAILED) munmap(va, size);
        close(fd);
        return rc;
    }
    *file = fd;
    return 0;
}

static void unmap(struct bus *bus, struct bus_dma *d) {
    void *va = d->va;
    size_t size = d->size;
    bool file = !d->owned;
    if (!d->pages) return;
    bus->ops->dma_unmap(bus, d);
    if (file) munmap(va, size);
    *d = (struct bus_dma){0};
}

/* The header of a response with a descriptor beside it. */
static int respond_with_file(struct conn *c, uint64_t r0, uint64_t r1, int file) {
    uint8_t h[REMOTE_RESPONSE_BYTES] = {0};
    remote_put_le(h + 1, r0, 8);
    remote_put_le(h + 9, r1, 8);
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec iov = {h, sizeof h};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof control.bytes};
    struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);
    cm->cmsg_level = SOL_SOCKET;
    cm->cmsg_type = SCM_RIGHTS;
    cm->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(cm), &file, sizeof file);
    ssize_t n;
    do
        n = sendmsg(c->fd, &msg, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR && !*c->d->stop);
    if (n < 0) return -errno;
    return put(c, h + n, sizeof h - (size_t)n);
}

static int map_sysmem(struct conn *c, const struct request *r, bool shared) {
    struct gpud_memory *m = &c->d->mem;
    uint64_t size = r->arg[0];
    if (shared && !c->local) return refuse(c, "memory is shared through local sockets only");
    if (!size || size > MAX_SYSMEM || m->bytes + size > MAX_CLIENT ||
        m->count - m->first >= MAX_MAPPINGS)
        return refuse(c, "%" PRIu64 " bytes of system memory: more than one client may have", size);
    struct bus_dma *d = new_slot(m);
    if (!d) return refuse(c, "out of memory");
    int file = -1;
    int rc = shared ? map_file(c, (size_t)size, d, &file)
                    : c->d->bus->ops->dma_map(c->d->bus, NULL, NULL, (size_t)size, d);
    if (rc) {
        *d = (struct bus_dma){0};
        m->holes++;
        return refuse(c, "%" PRIu64 " bytes of system memory: %s", size, strerror(-rc));
    }
    m->bytes += d->size;
    uint64_t handle = (uint64_t)(d - m->map) - m->first;
    /* The host is little endian wherever this builds (BAR contents are passed through as they are).
     */
    if (!shared) return respond(c, 8 * (uint64_t)d->npages, handle, d->pages, 8 * d->npages);
    rc = respond_with_file(c, 8 * (uint64_t)d->npages, handle, file);
    close(file);
    return rc ? rc : put(c, d->pages, 8 * d->npages);
}

static int unmap_sysmem(struct conn *c, const struct request *r) {
    struct gpud_memory *m = &c->d->mem;
    if (r->bar >= m->count - m->first || !m->map[m->first + r->bar].pages)
        return refuse(c, "no system memory %u", r->bar);
    struct bus_dma *d = &m->map[m->first + r->bar];
    m->bytes -= d->size;
    m->holes++;
    unmap(c->d->bus, d);
    return respond(c, 0, 0, NULL, 0);
}

/* What our own clients may ask for; others get what they always got. */
static int ping(struct conn *c, const struct request *r) {
    if (r->arg[0] != REMOTE_HELLO) return respond(c, 0, 0, NULL, 0);
    uint64_t features = REMOTE_FEATURE_UNMAP | REMOTE_FEATURE_EMULATED;
    if (c->local) features |= REMOTE_FEATURE_SHARED;
    return respond(c, REMOTE_HELLO, features, NULL, 0);
}

static uint8_t *sysmem(struct conn *c, const struct request *r) {
    struct gpud_memory *m = &c->d->mem;
    if (r->bar >= m->count - m->first) return NULL;
    struct bus_dma *d = &m->map[m->first + r->bar];
    if (!d->pages || r->arg[1] > d->size || r->arg[0] > d->size - r->arg[1]) return NULL;
    return (uint8_t *)d->va + r->arg[0];
}

/* Signals and pointers are shared with the device's threads: whole words. */
static void copy_shared(void *dst, const void *src, size_t n) {
    if (n == 8 && !(((uintptr_t)dst | (uintptr_t)src) & 7))
        __atomic_store_n((uint64_t *)dst, __atomic_load_n((const uint64_t *)src, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELEASE);
    else if (n == 4 && !(((uintptr_t)dst | (uintptr_t)src) & 3))
        __atomic_store_n((uint32_t *)dst, __atomic_load_n((const uint32_t *)src, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELEASE);
    else
        memcpy(dst, src, n);
}

static int sysmem_read(struct conn *c, const struct request *r) {
    const uint8_t *p = sysmem(c, r);
    if (!p)
        return refuse(c, "system memory %u + 0x%" PRIx64 ", %" PRIu64 " bytes: outside", r->bar,
                      r->arg[0], r->arg[1]);
    if (r->arg[1] > CHUNK) return respond(c, r->arg[1], 0, p, (size_t)r->arg[1]);
    copy_shared(c->buf, p, (size_t)r->arg[1]);
    return respond(c, r->arg[1], 0, c->buf, (size_t)r->arg[1]);
}

static int sysmem_write(struct conn *c, const struct request *r) {
    uint8_t *p = sysmem(c, r);
    if (!p)
        return fail(c, -EPROTO,
                    "write to system memory %u + 0x%" PRIx64 ", %" PRIu64 " bytes: outside", r->bar,
                    r->arg[0], r->arg[1]);
    uint64_t left = r->arg[1];
    while (left) {
        size_t n = left < CHUNK ? (size_t)left : CHUNK;
        int rc = get(c, c->buf, n);
        if (rc) return rc == -ENODATA ? -ECONNRESET : rc;
        copy_shared(p, c->buf, n);
        p += n;
        left -= n;
    }
    return 0;
}

static int simple(struct conn *c, int rc, const char *what) {
    return rc ? refuse(c, "%s: %s", what, strerror(-rc)) : respond(c, 0, 0, NULL, 0);
}

static int handle(struct conn *c, const struct request *r) {
    struct bus *b = c->d->bus;
    if (r->cmd != REMOTE_PROBE && r->cmd != REMOTE_PING && r->dev)
        return fail(c, -EPROTO, "no device %u", r->dev);
    switch (r->cmd) {
    case REMOTE_PROBE:
        return probe(c, r);
    case REMOTE_MAP_BAR:
        return map_bar(c, r);
    case REMOTE_MAP_SYSMEM_FD:
        return refuse(c, "memory by descriptor is not offered here");
    case REMOTE_CFG_READ:
    case REMOTE_CFG_WRITE:
        return cfg(c, r);
    case REMOTE_RESET:
        return simple(c, b->ops->reset(b), "reset");
    case REMOTE_MMIO_READ:
        return mmio_read(c, r);
    case REMOTE_MMIO_WRITE:
        return mmio_write(c, r);
    case REMOTE_MAP_SYSMEM:
        return map_sysmem(c, r, false);
    case REMOTE_MAP_SHARED:
        return map_sysmem(c, r, true);
    case REMOTE_UNMAP_SYSMEM:
        return unmap_sysmem(c, r);
    case REMOTE_SYSMEM_READ:
        return sysmem_read(c, r);
    case REMOTE_SYSMEM_WRITE:
        return sysmem_write(c, r);
    case REMOTE_RESIZE_BAR:
        return simple(c, r->bar > 5 ? -EINVAL : b->ops->bar_resize(b, (int)r->bar), "resize");
    case REMOTE_PING:
        return ping(c, r);
    default:
        return fail(c, -EPROTO, "unknown command %u", r->cmd);
    }
}

/* Gives back the pages of clients that left. The device works on with the memory of the last one
 * that rang a doorbell, even if that one was killed, until another's queues take its place. */
static void release_old(struct gpud_memory *m) {
    for (unsigned i = m->released; i < m->live; i++) {
        struct bus_dma *d = &m->map[i];
        if (!d->pages) continue;
        madvise(d->va, d->size, MADV_REMOVE); /* on failure they stay, which costs memory only */
    }
    if (m->live > m->released) m->released = m->live;
    m->first = m->count;
    m->bytes = 0;
    m->holes = 0;
}

int gpud_serve(struct gpud *d, int fd, char *why, size_t why_size) {
    struct conn *c = calloc(1, sizeof *c);
    why[0] = 0;
    if (!c) return -ENOMEM;
    c->d = d;
    c->fd = fd;
    c->why = why;
    c->why_size = why_size;
    struct sockaddr_storage name = {0};
    socklen_t len = sizeof name;
    c->local = !getsockname(fd, (struct sockaddr *)&name, &len) && name.ss_family == AF_UNIX;
    release_old(&d->mem);
    int rc = 0;
    while (!rc) {
        uint8_t h[REMOTE_REQUEST_BYTES];
        rc = get(c, h, sizeof h);
        if (rc) break;
        const struct request r = {
            h[0],
            (uint32_t)remote_le(h + 1, 4),
            (uint32_t)remote_le(h + 5, 4),
            {remote_le(h + 9, 8), remote_le(h + 17, 8), remote_le(h + 25, 8)}};
        rc = handle(c, &r);
    }
    free(c);
    if (rc == -ENODATA) return 0;
    if (!why[0]) snprintf(why, why_size, "%s", strerror(-rc));
    return rc;
}

void gpud_free(struct gpud *d) {
    for (unsigned i = 0; i < d->mem.count; i++)
        unmap(d->bus, &d->mem.map[i]);
    free(d->mem.map);
    d->mem = (struct gpud_memory){0};
}
