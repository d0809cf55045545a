/* SPDX-License-Identifier: MIT */
/* gpud_protocol.h - one client of the remote PCI protocol, served from a bus.
 *
 * The protocol is the one of tinygrad's remote client (public project), as observed at the wire:
 * requests of 33 bytes {u8 cmd, u32 dev, u32 bar, u64 arg0, u64 arg1, u64 arg2} little endian,
 * packed, then a payload; responses of 17 bytes {u8 status, u64 r0, u64 r1}, then data. Writes are
 * posted: no response, and a failed one ends the connection.
 */
#ifndef RAWCL_DRIVER_GPUD_PROTOCOL_H
#define RAWCL_DRIVER_GPUD_PROTOCOL_H

#include "driver/bus.h"

/* Memory that clients mapped. Bus addresses stay valid when a client goes, since the device may
 * still use them; the pages behind them are given back when the next one comes. */
struct gpud_memory {
    struct bus_dma *map;
    unsigned count, cap;
    unsigned first; /* index of the current client's first mapping */
    uint64_t bytes; /* mapped by the current client */
};

struct gpud {
    struct bus *bus;
    const char *name; /* what PROBE answers: "name:0" */
    struct gpud_memory mem;
    const volatile int
        *stop; /* nonzero: leave as soon as possible; a signal must interrupt reads */
};

/* Serves one connected socket until the client closes it, breaks the protocol, or *stop. 0 when the
 * client closed between requests, -errno otherwise; why receives a sentence. Closes nothing. */
int gpud_serve(struct gpud *d, int fd, char *why, size_t why_size);
void gpud_free(struct gpud *d);

#endif
