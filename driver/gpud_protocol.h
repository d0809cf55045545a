/* SPDX-License-Identifier: MIT */
/* gpud_protocol.h - one client of the remote PCI protocol, served from a bus.
 *
 * remote_wire.h says what goes over the wire.
 */
#ifndef RAWCL_DRIVER_GPUD_PROTOCOL_H
#define RAWCL_DRIVER_GPUD_PROTOCOL_H

#include "driver/bus.h"

/* Memory that clients mapped. Bus addresses stay valid when a client goes, since the device may
 * still use them; the pages behind them are given back when another one has put the device to work.
 */
struct gpud_memory {
    struct bus_dma *map;
    unsigned count, cap;
    unsigned first;    /* index of the current client's first mapping */
    unsigned live;     /* of the last client that rang a doorbell: its first mapping */
    unsigned released; /* mappings before this one have given their pages back */
    unsigned holes;    /* entries of the current client that it gave back */
    uint64_t bytes;    /* mapped by the current client */
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
