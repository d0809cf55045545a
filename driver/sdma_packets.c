/* SPDX-License-Identifier: MIT */
#include "driver/sdma_packets.h"

/* Comparison functions of POLL_REGMEM (linux sdma_v6_0.c). */
#define POLL_FUNC_EQ       3u
#define POLL_FUNC_GE       5u
#define POLL_INTERVAL      4u
#define POLL_RETRY_FOREVER 0xfffu
#define FILL_DWORDS        2u /* CONSTANT_FILL.fillsize */

static uint32_t lo32(uint64_t v) {
    return (uint32_t)v;
}

static uint32_t hi32(uint64_t v) {
    return (uint32_t)(v >> 32);
}

static void put(enum hw_gen gen, uint32_t *k, enum hw_sdma_field f, uint32_t v) {
    hw_pkt_put(k, hw_sdma_fields[gen][f], v);
}

/* The low part of an address: some generations name it without its two or three zero bits. */
static void put_address(enum hw_gen gen, uint32_t *k, enum hw_sdma_field whole,
                        enum hw_sdma_field shifted, uint32_t v) {
    struct hw_pkt_bits b = hw_sdma_fields[gen][whole];
    if (b.dword < 0) b = hw_sdma_fields[gen][shifted];
    if (b.dword >= 0) k[b.dword] = v;
}

static uint32_t *packet(struct cmdbuf *c, unsigned op, unsigned sub_op, unsigned dw) {
    uint32_t *k = cmdbuf_packet(c, dw);
    if (k) k[0] = op | sub_op << 8;
    return k;
}

/* One zero dword: a NOP of its own. Follows packets that public sources give different lengths on
 * v7: linux and the reference end POLL_REGMEM after 6 dwords, PAL after 7; the reference ends
 * COPY_LINEAR after 7, linux and PAL after 8. Zero means nothing in either reading. */
static void v7_tail(enum hw_gen gen, struct cmdbuf *c) {
    if (gen == HW_GFX12) cmdbuf_packet(c, 1);
}

static void poll(enum hw_gen gen, struct cmdbuf *c, uint32_t func, uint64_t va,
                 uint32_t reference) {
    uint32_t *k = packet(c, SDMA_OP_POLL_REGMEM, SDMA_SUBOP_POLL_REGMEM, 6);
    if (!k) return;
    put(gen, k, SDMA_POLL_REGMEM__FUNC, func);
    put(gen, k, SDMA_POLL_REGMEM__MEM_POLL, 1);
    put_address(gen, k, SDMA_POLL_REGMEM__ADDR_31_0, SDMA_POLL_REGMEM__ADDR_31_2, lo32(va));
    put(gen, k, SDMA_POLL_REGMEM__ADDR_63_32, hi32(va));
    put(gen, k, SDMA_POLL_REGMEM__VALUE, reference);
    put(gen, k, SDMA_POLL_REGMEM__MASK, ~0u);
    put(gen, k, SDMA_POLL_REGMEM__INTERVAL, POLL_INTERVAL);
    put(gen, k, SDMA_POLL_REGMEM__RETRY_COUNT, POLL_RETRY_FOREVER);
    v7_tail(gen, c);
}

void sdma_poll_mem_ge(enum hw_gen gen, struct cmdbuf *c, uint64_t va, uint32_t reference) {
    poll(gen, c, POLL_FUNC_GE, va, reference);
}

void sdma_poll_mem_eq(enum hw_gen gen, struct cmdbuf *c, uint64_t va, uint32_t reference) {
    poll(gen, c, POLL_FUNC_EQ, va, reference);
}

void sdma_copy(enum hw_gen gen, struct cmdbuf *c, uint64_t dst, uint64_t src, uint64_t bytes) {
    uint32_t *k = packet(c, SDMA_OP_COPY_LINEAR, SDMA_SUBOP_COPY_LINEAR, 7);
    if (!k) return;
    put(gen, k, SDMA_COPY_LINEAR__COUNT, (uint32_t)(bytes - 1));
    put(gen, k, SDMA_COPY_LINEAR__SRC_ADDR_31_0, lo32(src));
    put(gen, k, SDMA_COPY_LINEAR__SRC_ADDR_63_32, hi32(src));
    put(gen, k, SDMA_COPY_LINEAR__DST_ADDR_31_0, lo32(dst));
    put(gen, k, SDMA_COPY_LINEAR__DST_ADDR_63_32, hi32(dst));
    v7_tail(gen, c);
}

/* Log2 of the largest element, 16 bytes at most, that the window consists of. The base addresses in
 * the packet are dword aligned; what they lack is given as x, in elements too (ROCR-Runtime
 * amd_blit_sdma.cpp, which runs this packet on all generations). */
static unsigned element_log2(const struct sdma_window *w) {
    uint64_t all = w->width | (w->dst & 3) | (w->src & 3) | 16;
    if (w->rows > 1) all |= w->dst_pitch | w->src_pitch;
    if (w->slices > 1) all |= w->dst_slice | w->src_slice;
    return (unsigned)__builtin_ctzll(all);
}

/* Largest value of a field that holds a number less one. */
static uint64_t most(enum hw_gen gen, enum hw_sdma_field f) {
    struct hw_pkt_bits b = hw_sdma_fields[gen][f];
    return b.lo < 0 ? 0 : (uint64_t)hw_mask(0, b.hi - b.lo) + 1;
}

bool sdma_window_fits(enum hw_gen gen, const struct sdma_window *w) {
    unsigned e = element_log2(w);
    uint64_t pitch = most(gen, SDMA_COPY_LINEAR_SUBWIN__SRC_PITCH) << e;
    uint64_t slice = most(gen, SDMA_COPY_LINEAR_SUBWIN__SRC_SLICE_PITCH) << e;
    if (w->rows > 1 && ((w->src_pitch | w->dst_pitch) & 3 || !w->src_pitch || !w->dst_pitch ||
                        w->src_pitch > pitch || w->dst_pitch > pitch))
        return false;
    return w->slices <= 1 || (!((w->src_slice | w->dst_slice) & 3) && w->src_slice &&
                              w->dst_slice && w->src_slice <= slice && w->dst_slice <= slice);
}

void sdma_window_limit(enum hw_gen gen, const struct sdma_window *w, uint64_t limit[3]) {
    limit[0] = most(gen, SDMA_COPY_LINEAR_SUBWIN__RECT_X) << element_log2(w);
    limit[1] = most(gen, SDMA_COPY_LINEAR_SUBWIN__RECT_Y);
    limit[2] = most(gen, SDMA_COPY_LINEAR_SUBWIN__RECT_Z);
}

void sdma_copy_window(enum hw_gen gen, struct cmdbuf *c, const struct sdma_window *w) {
    uint32_t *k =
        packet(c, SDMA_OP_COPY_LINEAR_SUBWIN, SDMA_SUBOP_COPY_LINEAR_SUBWIN, SDMA_WINDOW_DW);
    if (!k) return;
    unsigned e = element_log2(w);
    /* Where they do not matter, values that are well-formed: four elements of any size. */
    uint64_t sp = w->rows > 1 ? w->src_pitch >> e : 4, dp = w->rows > 1 ? w->dst_pitch >> e : 4;
    uint64_t ss = w->slices > 1 ? w->src_slice >> e : 4, ds = w->slices > 1 ? w->dst_slice >> e : 4;
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__ELEMENTSIZE, e);
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__SRC_ADDR_31_0, lo32(w->src) & ~3u);
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__SRC_ADDR_63_32, hi32(w->src));
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__SRC_X, (lo32(w->src) & 3) >> e);
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__SRC_PITCH, (uint32_t)(sp - 1));
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__SRC_SLICE_PITCH, (uint32_t)(ss - 1));
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__DST_ADDR_31_0, lo32(w->dst) & ~3u);
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__DST_ADDR_63_32, hi32(w->dst));
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__DST_X, (lo32(w->dst) & 3) >> e);
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__DST_PITCH, (uint32_t)(dp - 1));
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__DST_SLICE_PITCH, (uint32_t)(ds - 1));
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__RECT_X, (uint32_t)((w->width >> e) - 1));
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__RECT_Y, (uint32_t)(w->rows - 1));
    put(gen, k, SDMA_COPY_LINEAR_SUBWIN__RECT_Z, (uint32_t)(w->slices - 1));
}

void sdma_fill(enum hw_gen gen, struct cmdbuf *c, uint64_t dst, uint32_t value, uint64_t bytes) {
    uint32_t *k = packet(c, SDMA_OP_CONSTANT_FILL, SDMA_SUBOP_CONSTANT_FILL, SDMA_FILL_DW);
    if (!k) return;
    put(gen, k, SDMA_CONSTANT_FILL__FILLSIZE, FILL_DWORDS);
    put_address(gen, k, SDMA_CONSTANT_FILL__DST_ADDR_31_0, SDMA_CONSTANT_FILL__DST_ADDR_31_0,
                lo32(dst));
    put(gen, k, SDMA_CONSTANT_FILL__DST_ADDR_63_32, hi32(dst));
    put(gen, k, SDMA_CONSTANT_FILL__SRC_DATA_31_0, value);
    /* Bytes - 1; with dword elements the hardware ignores the two low bits (PAL). */
    put(gen, k, SDMA_CONSTANT_FILL__COUNT, (uint32_t)(bytes - 1));
}

void sdma_fence(enum hw_gen gen, struct cmdbuf *c, uint64_t va, uint32_t value) {
    uint32_t *k = packet(c, SDMA_OP_FENCE, SDMA_SUBOP_FENCE, SDMA_FENCE_DW);
    if (!k) return;
    put(gen, k, SDMA_FENCE__MTYPE, MTYPE_UC);
    put_address(gen, k, SDMA_FENCE__ADDR_31_0, SDMA_FENCE__ADDR_31_2, lo32(va));
    put(gen, k, SDMA_FENCE__ADDR_63_32, hi32(va));
    put(gen, k, SDMA_FENCE__DATA, value);
}

void sdma_timestamp(enum hw_gen gen, struct cmdbuf *c, uint64_t va) {
    uint32_t *k =
        packet(c, SDMA_OP_TIMESTAMP_GET_GLOBAL, SDMA_SUBOP_TIMESTAMP_GET_GLOBAL, SDMA_TIMESTAMP_DW);
    if (!k) return;
    put_address(gen, k, SDMA_TIMESTAMP_GET_GLOBAL__WRITE_ADDR_31_3,
                SDMA_TIMESTAMP_GET_GLOBAL__WRITE_ADDR_31_3, lo32(va));
    put(gen, k, SDMA_TIMESTAMP_GET_GLOBAL__WRITE_ADDR_63_32, hi32(va));
}

void sdma_trap(enum hw_gen gen, struct cmdbuf *c) {
    (void)gen;
    packet(c, SDMA_OP_TRAP, SDMA_SUBOP_TRAP, SDMA_TRAP_DW);
}

void sdma_nop(enum hw_gen gen, struct cmdbuf *c, uint32_t n) {
    uint32_t *k = packet(c, SDMA_OP_NOP, SDMA_SUBOP_NOP, n);
    if (k) put(gen, k, SDMA_NOP__COUNT, n - 1);
}

void sdma_pad(enum hw_gen gen, struct cmdbuf *c, uint32_t multiple) {
    uint32_t n = (multiple - c->n % multiple) % multiple;
    if (n) sdma_nop(gen, c, n);
}
