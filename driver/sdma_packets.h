/* SPDX-License-Identifier: MIT */
/* sdma_packets.h - builds packets for the SDMA ring. Pure. Layouts come from driver/hw (linux
 * sdma_v6_0_0_pkt_open.h, GPUOpen PAL for v7). */
#ifndef RAWCL_DRIVER_SDMA_PACKETS_H
#define RAWCL_DRIVER_SDMA_PACKETS_H

#include "driver/cmdbuf.h"
#include "driver/hw/hw.h"

enum {
    SDMA_COPY_DW = 8, /* the longest of each packet, in dwords */
    SDMA_WINDOW_DW = 13,
    SDMA_FILL_DW = 5,
    SDMA_FENCE_DW = 4,
    SDMA_POLL_DW = 7,
    SDMA_TIMESTAMP_DW = 3,
    SDMA_TRAP_DW = 2,
};
/* Bytes that one COPY_LINEAR or CONSTANT_FILL moves at most (30-bit count of bytes - 1). */
#define SDMA_MAX_BYTES (1ull << 30)

/* Waits until the 32-bit value at va (4-byte aligned) is >= reference, unsigned. */
void sdma_poll_mem_ge(enum hw_gen gen, struct cmdbuf *c, uint64_t va, uint32_t reference);
/* The same for == reference. */
void sdma_poll_mem_eq(enum hw_gen gen, struct cmdbuf *c, uint64_t va, uint32_t reference);
/* 1 <= bytes <= SDMA_MAX_BYTES; any alignment; the ranges do not overlap. */
void sdma_copy(enum hw_gen gen, struct cmdbuf *c, uint64_t dst, uint64_t src, uint64_t bytes);
/* A box of bytes, rows and slices. Pitches of a single row or slice do not matter. */
struct sdma_window {
    uint64_t dst, dst_pitch, dst_slice;
    uint64_t src, src_pitch, src_slice;
    uint64_t width, rows, slices;
};
/* Can one COPY_LINEAR_SUBWIN do it, or the boxes that sdma_window_limit allows? Pitches must be
 * multiples of 4 and, in elements, fit their fields. */
bool sdma_window_fits(enum hw_gen gen, const struct sdma_window *w);
/* The largest box, in bytes, rows and slices, that a packet of this window can hold. */
void sdma_window_limit(enum hw_gen gen, const struct sdma_window *w, uint64_t limit[3]);
/* Copies the window: it fits, and is no larger than the limit. */
void sdma_copy_window(enum hw_gen gen, struct cmdbuf *c, const struct sdma_window *w);
/* Fills with a dword; dst and bytes multiples of 4, bytes <= SDMA_MAX_BYTES. */
void sdma_fill(enum hw_gen gen, struct cmdbuf *c, uint64_t dst, uint32_t value, uint64_t bytes);
/* After all earlier packets' writes: value to va (4-byte aligned). */
void sdma_fence(enum hw_gen gen, struct cmdbuf *c, uint64_t va, uint32_t value);
/* The GPU clock to va (8-byte aligned). */
void sdma_timestamp(enum hw_gen gen, struct cmdbuf *c, uint64_t va);
/* Sends an interrupt. */
void sdma_trap(enum hw_gen gen, struct cmdbuf *c);
/* Does nothing for 1 <= n <= 0x4000 dwords. */
void sdma_nop(enum hw_gen gen, struct cmdbuf *c, uint32_t n);
/* Fills up to a multiple of `multiple` dwords. */
void sdma_pad(enum hw_gen gen, struct cmdbuf *c, uint32_t multiple);

#endif
