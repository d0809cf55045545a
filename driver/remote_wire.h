/* SPDX-License-Identifier: MIT */
/* remote_wire.h - the remote PCI protocol's numbers, for client (bus_remote.c) and server
 * (gpud_protocol.c).
 *
 * The protocol is the one of tinygrad's remote client (public project), as observed at the wire:
 * requests of 33 bytes {u8 cmd, u32 dev, u32 bar, u64 arg0, u64 arg1, u64 arg2} little endian,
 * packed, then a payload; responses of 17 bytes {u8 status, u64 r0, u64 r1}, then data. A status
 * other than 0: r0 bytes of text follow. Writes are posted: no response, and a failed one ends the
 * connection. Strictly in order, one client at a time.
 *
 * Ours on top of it: PING with REMOTE_HELLO in arg0 is answered with REMOTE_HELLO in r0 and
 * feature bits in r1. Other servers answer zeros, other clients never ask, and what the bits offer
 * is used by nobody who did not ask.
 */
#ifndef RAWCL_DRIVER_REMOTE_WIRE_H
#define RAWCL_DRIVER_REMOTE_WIRE_H

#include <stdint.h>

enum remote_cmd {
    REMOTE_PROBE,           /* arg0 base class or 0, arg1 payload bytes, arg2 vendor; payload: pairs
                               {u32 mask, u32 device}; text "name:index\n..." of r0 bytes */
    REMOTE_MAP_BAR,         /* bar; r0 bus address, r1 size; precedes accesses */
    REMOTE_MAP_SYSMEM_FD,   /* of other systems */
    REMOTE_CFG_READ,        /* arg0 offset, arg1 size; r0 value */
    REMOTE_CFG_WRITE,       /* arg0 offset, arg1 size, arg2 value */
    REMOTE_RESET,           /* function-level reset */
    REMOTE_MMIO_READ,       /* bar, arg0 offset, arg1 size; r0 size, then the bytes */
    REMOTE_MMIO_WRITE,      /* bar, arg0 offset, arg1 size, payload; posted */
    REMOTE_MAP_SYSMEM,      /* arg0 size; r0 = 8 * pages, r1 handle, u64 bus address of each page */
    REMOTE_SYSMEM_READ,     /* bar = handle, arg0 offset, arg1 size; r0 size, then the bytes */
    REMOTE_SYSMEM_WRITE,    /* bar = handle, arg0 offset, arg1 size, payload; posted */
    REMOTE_RESIZE_BAR,      /* bar */
    REMOTE_PING,            /* arg0 REMOTE_HELLO or 0 */
    REMOTE_MAP_SHARED = 64, /* REMOTE_FEATURE_SHARED: as MAP_SYSMEM, and the memory itself as a file
                               descriptor (SCM_RIGHTS) with the response */
    REMOTE_UNMAP_SYSMEM,    /* REMOTE_FEATURE_UNMAP: bar = handle */
};

#define REMOTE_REQUEST_BYTES  33u
#define REMOTE_RESPONSE_BYTES 17u
#define REMOTE_HELLO          0x31734c43776152ull /* "RawCLs1" */

enum {
    REMOTE_FEATURE_SHARED = 1,
    REMOTE_FEATURE_UNMAP = 2,
    REMOTE_FEATURE_EMULATED = 4, /* the GPU behind is a model: stand-in firmware will do */
};

static inline uint64_t remote_le(const uint8_t *p, unsigned n) {
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static inline void remote_put_le(uint8_t *p, uint64_t v, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

#endif
