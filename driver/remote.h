/* SPDX-License-Identifier: MIT */
/* remote.h - the client of the remote PCI protocol: connection (remote_link.c), system memory
 * (remote_memory.c), the bus on top (bus_remote.c). Private to these. */
#ifndef RAWCL_DRIVER_REMOTE_H
#define RAWCL_DRIVER_REMOTE_H

#include <pthread.h>
#include <stdbool.h>

#include "driver/bus.h"
#include "driver/remote_wire.h"

enum { REMOTE_OUT_BYTES = 128 << 10, REMOTE_TEXT_BYTES = 256 };

/* One socket. All calls with the lock of its owner held. The first failure of the transport is
 * kept: every later call gives it again. */
struct remote_link {
    int fd;
    int dead;        /* 0, or why the connection is of no use any more */
    int patience_ms; /* longest wait for an answer */
    uint32_t dev;
    char text[REMOTE_TEXT_BYTES];  /* the server's last refusal, or what broke */
    uint8_t out[REMOTE_OUT_BYTES]; /* posted writes not sent yet */
    size_t out_bytes;
};

struct remote_request {
    enum remote_cmd cmd;
    uint32_t bar;
    uint64_t arg[3];
};

/* Connects to HOST:PORT, [HOST]:PORT or a path with a '/'. 0 with *fd, or -errno with err. */
int remote_connect(const char *address, int *fd, char *err, size_t err_size);

/* Sends what is pending, then the request with its payload. */
int remote_send(struct remote_link *l, const struct remote_request *r, const void *payload,
                size_t len);
/* Queues a posted write; sent by the next remote_send or remote_flush. */
int remote_post(struct remote_link *l, const struct remote_request *r, const void *payload,
                size_t len);
int remote_flush(struct remote_link *l);
/* The response's header; its data is the caller's to receive. -EREMOTEIO: the server refused, its
 * reason is in l->text. file: NULL, or receives a descriptor that came along, -1 if none did. */
int remote_response(struct remote_link *l, uint64_t *r0, uint64_t *r1, int *file);
int remote_receive(struct remote_link *l, void *dst, size_t len);
/* Request and response without data. */
int remote_call(struct remote_link *l, const struct remote_request *r, uint64_t *r0, uint64_t *r1);
/* A request whose response is exactly len bytes of data. */
int remote_read(struct remote_link *l, const struct remote_request *r, void *dst, size_t len);
/* Ends the use of the connection: the peer broke the protocol. Returns -EPROTO. */
int remote_broken(struct remote_link *l, const char *what);

/* ---- system memory ---- */

/* Memory on the server's machine. Shared: the very pages. Else a mirror: `va` is ours, `twin` is
 * what both sides last agreed on; what differs from it was written on that side since. */
struct remote_mem {
    bool used, shared, owned;
    uint32_t handle;
    uint8_t *va, *twin;
    size_t size, npages;
    uint64_t *pages;
};

struct remote_memory {
    struct remote_mem **mem; /* in the order of their making */
    unsigned count, cap;
    unsigned mirrors; /* in use */
    uint8_t *scratch; /* for what comes from the server */
};

enum { REMOTE_SMALL_BYTES = 256 << 10 };

int remote_map(struct remote_link *l, struct remote_memory *m, uint64_t features, void *va,
               void *hint, size_t size, struct bus_dma *out);
void remote_unmap(struct remote_link *l, struct remote_memory *m, uint64_t features,
                  struct bus_dma *d);
/* Sends what the CPU wrote to mirrors; all, or those of at most REMOTE_SMALL_BYTES. */
int remote_push(struct remote_link *l, struct remote_memory *m, bool all);
/* Looks whether the device has announced anything and, if so, brings what it wrote. 1: something
 * changed; 0: nothing. */
int remote_pull(struct remote_link *l, struct remote_memory *m);
void remote_memory_free(struct remote_memory *m);

/* ---- the bus ---- */

/* Takes over a connected socket, also on failure. */
int bus_remote_attach(int fd, unsigned device, struct bus **out, char *err, size_t err_size);
uint64_t bus_remote_features(struct bus *b);

#endif
