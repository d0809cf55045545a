/* SPDX-License-Identifier: MIT */
/* cmdbuf.h - dwords of a command stream being built. Overrun is sticky: nothing more is written,
 * and whoever submits the stream checks `overrun`. */
#ifndef RAWCL_DRIVER_CMDBUF_H
#define RAWCL_DRIVER_CMDBUF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cmdbuf {
    uint32_t *dw;
    uint32_t n, cap;
    bool overrun;
};

/* Room for a packet of n zeroed dwords, NULL when it does not fit. */
static inline uint32_t *cmdbuf_packet(struct cmdbuf *c, uint32_t n) {
    if (n > c->cap - c->n) {
        c->overrun = true;
        return NULL;
    }
    uint32_t *p = c->dw + c->n;
    memset(p, 0, n * sizeof(*p));
    c->n += n;
    return p;
}

#endif
