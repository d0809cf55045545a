/* SPDX-License-Identifier: MIT */
/* submit_sdma.c - copies and fills on the SDMA ring, cut into pieces that the ring can hold. */
#include <errno.h>
#include <string.h>
#include <string.h>

#include "driver/queues.h"

/* Dwords that end a piece, and those that begin one. */
#define TAIL_DW  (SDMA_TIMESTAMP_DW + SDMA_FENCE_DW + SDMA_TRAP_DW + STREAM_ALIGN_DW)
#define HEAD_DW  (AM_RING_COUNT * SDMA_POLL_DW + SDMA_TIMESTAMP_DW)
#define PIECE_DW 16384u /* enough to keep the engine busy, little enough to report progress */

/* A command being built. */
struct job {
    struct am_device *d;
    struct ring *r;
    struct cmd_record info; /* what every piece's record says */
    uint64_t value;         /* of the piece being built */
};

static enum hw_gen gen(const struct job *j) {
    return j->d->queues->pm4.gen;
}

static void piece_open(struct job *j) {
    j->value = submit_next_value(j->d, j->r);
    if (!j->info.first) j->info.first = j->value;
}

static int piece_close(struct job *j) {
    struct cmdbuf *c = &j->r->buf;
    sdma_timestamp(gen(j), c, ring_stamp_va(j->r, j->value, 1));
    sdma_fence(gen(j), c, j->r->signal_va, ring_signal_value(j->r, j->value));
    sdma_trap(gen(j), c);
    sdma_pad(gen(j), c, STREAM_ALIGN_DW);
    return submit_commit(j->d, j->r, &j->info);
}

/* Makes sure that n more dwords fit in the piece, beginning another where they do not. */
static int room(struct job *j, uint32_t n) {
    if (j->r->buf.n + n + TAIL_DW <= PIECE_DW) return 0;
    int rc = piece_close(j);
    if (rc) return rc;
    piece_open(j);
    sdma_timestamp(gen(j), &j->r->buf, ring_stamp_va(j->r, j->value, 0));
    return 0;
}

static int begin(struct job *j, struct am_device *d, const struct am_fence *waits, size_t n) {
    if (atomic_load(&d->lost) || atomic_load(&d->abandoned)) return -ENODEV;
    j->d = d;
    j->r = &d->queues->ring[AM_RING_SDMA];
    int rc = submit_begin(d, j->r);
    if (rc) return rc;
    piece_open(j);
    uint64_t unused = 0;
    rc = submit_waits(d, j->r, waits, n, &unused);
    if (rc) {
        submit_end(d, j->r);
        return rc;
    }
    sdma_timestamp(gen(j), &j->r->buf, ring_stamp_va(j->r, j->value, 0));
    return 0;
}

/* Closes the last piece when all went well (rc 0) and lets the ring go. */
static int finish(struct job *j, int rc, struct am_fence *out) {
    if (!rc) rc = piece_close(j);
    submit_end(j->d, j->r);
    if (!rc) *out = (struct am_fence){.ring = AM_RING_SDMA, .value = j->value};
    return rc;
}

static int copy(struct job *j, uint64_t dst, uint64_t src, uint64_t size) {
    while (size) {
        uint64_t n = size < SDMA_MAX_BYTES ? size : SDMA_MAX_BYTES;
        int rc = room(j, SDMA_COPY_DW);
        if (rc) return rc;
        sdma_copy(gen(j), &j->r->buf, dst, src, n);
        dst += n;
        src += n;
        size -= n;
    }
    return 0;
}

static int fill_dwords(struct job *j, uint64_t dst, uint32_t value, uint64_t size) {
    while (size) {
        uint64_t n = size < SDMA_MAX_BYTES ? size : SDMA_MAX_BYTES;
        int rc = room(j, SDMA_FILL_DW);
        if (rc) return rc;
        sdma_fill(gen(j), &j->r->buf, dst, value, n);
        dst += n;
        size -= n;
    }
    return 0;
}

int am_submit_copy(struct am_device *d, const struct am_fence *waits, size_t nwaits, uint64_t dst,
                   uint64_t src, uint64_t size, struct am_fence *out) {
    if (dst + size < dst || src + size < src) return -EINVAL;
    struct job j = {.info = {.what = "copy", .arg = {dst, src, size}, .extent = {size, size}}};
    int rc = begin(&j, d, waits, nwaits);
    return rc ? rc : finish(&j, copy(&j, dst, src, size), out);
}

/* ---- rectangles ---- */

/* Bytes from the first to the last; false when they run over the end of the address space. */
static bool rect_extent(const struct am_rect *a, const uint64_t region[3], uint64_t *bytes) {
    uint64_t rows, slices, end;
    return !__builtin_mul_overflow(a->row_pitch, region[1] - 1, &rows) &&
           !__builtin_mul_overflow(a->slice_pitch, region[2] - 1, &slices) &&
           !__builtin_add_overflow(rows, slices, &end) &&
           !__builtin_add_overflow(end, region[0], bytes) &&
           !__builtin_add_overflow(*bytes, a->base, &end);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* In boxes as large as a packet holds. */
static int copy_window(struct job *j, const struct sdma_window *w) {
    uint64_t limit[3];
    sdma_window_limit(gen(j), w, limit);
    for (uint64_t z = 0; z < w->slices; z += limit[2])
        for (uint64_t y = 0; y < w->rows; y += limit[1])
            for (uint64_t x = 0; x < w->width; x += limit[0]) {
                struct sdma_window part = *w;
                part.dst += x + y * w->dst_pitch + z * w->dst_slice;
                part.src += x + y * w->src_pitch + z * w->src_slice;
                part.width = least(limit[0], w->width - x);
                part.rows = least(limit[1], w->rows - y);
                part.slices = least(limit[2], w->slices - z);
                int rc = room(j, SDMA_WINDOW_DW);
                if (rc) return rc;
                sdma_copy_window(gen(j), &j->r->buf, &part);
            }
    return 0;
}

static int copy_rows(struct job *j, const struct sdma_window *w) {
    int rc = 0;
    for (uint64_t z = 0; z < w->slices && !rc; z++)
        for (uint64_t y = 0; y < w->rows && !rc; y++)
            rc = copy(j, w->dst + y * w->dst_pitch + z * w->dst_slice,
                      w->src + y * w->src_pitch + z * w->src_slice, w->width);
    return rc;
}

int am_submit_copy_rect(struct am_device *d, const struct am_fence *waits, size_t nwaits,
                        const struct am_rect *dst, const struct am_rect *src,
                        const uint64_t region[3], struct am_fence *out) {
    uint64_t n[3] = {region[0], region[1], region[2]};
    if (!n[0] || !n[1] || !n[2]) return -EINVAL;
    uint64_t extent[2];
    if (!rect_extent(dst, n, &extent[0]) || !rect_extent(src, n, &extent[1])) return -EINVAL;
    /* Rows that follow one another in both places are one longer row, and so for slices. */
    uint64_t dst_step[2] = {dst->row_pitch, dst->slice_pitch};
    uint64_t src_step[2] = {src->row_pitch, src->slice_pitch};
    uint64_t bytes = n[0] * n[1] * n[2];
    if (dst_step[0] == n[0] && src_step[0] == n[0]) {
        n[0] *= n[1];
        n[1] = 1;
    }
    if (n[1] == 1 && dst_step[1] == n[0] && src_step[1] == n[0]) {
        n[0] *= n[2];
        n[2] = 1;
    }
    struct job j = {.info = {.what = "rectangle copy",
                             .arg = {dst->base, src->base, bytes},
                             .extent = {extent[0], extent[1]}}};
    int rc = begin(&j, d, waits, nwaits);
    if (rc) return rc;
    struct sdma_window w = {dst->base,   dst_step[0], dst_step[1], src->base, src_step[0],
                            src_step[1], n[0],        n[1],        n[2]};
    bool one_row = n[1] == 1 && n[2] == 1;
    rc = !one_row && sdma_window_fits(gen(&j), &w) ? copy_window(&j, &w) : copy_rows(&j, &w);
    return finish(&j, rc, out);
}

/* ---- fills ---- */

/* Lets what follows wait until all before it has been written: SDMA may overlap copies. */
static int step(struct job *j, uint32_t more_dw) {
    struct am_queues *q = j->d->queues;
    gpu_va_t step_va = q->signals->va + FILL_STEP_OFFSET;
    int rc = room(j, SDMA_FENCE_DW + SDMA_POLL_DW + more_dw);
    if (rc) return rc;
    uint32_t value = ++q->fill_step ? q->fill_step : ++q->fill_step;
    sdma_fence(gen(j), &j->r->buf, step_va, value);
    if (!q->omit_fill_wait) sdma_poll_mem_eq(gen(j), &j->r->buf, step_va, value);
    return 0;
}

/* Copies what is at dst, `have` bytes of it, over and over until `size` are there, doubling each
 * time. Every copy reads what the one before wrote. */
static int replicate(struct job *j, uint64_t dst, uint64_t have, uint64_t size) {
    while (have < size) {
        uint64_t n = have < size - have ? have : size - have;
        int rc = step(j, SDMA_COPY_DW);
        if (!rc) rc = copy(j, dst + have, dst, n);
        if (rc) return rc;
        have += n;
    }
    return 0;
}

/* A pattern of at most 4 bytes where 8 aligned bytes fit: the engine fills the dwords; the bytes
 * around them are those 4 further on or back. */
static int fill_small(struct job *j, uint64_t dst, const uint8_t *pattern, size_t n,
                      uint64_t size) {
    uint64_t from = (dst + 3) & ~3ull, end = dst + size, to = end & ~3ull;
    uint8_t bytes[4];
    uint32_t v;
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = pattern[(from - dst + i) % n];
    memcpy(&v, bytes, 4);
    int rc = fill_dwords(j, from, v, to - from);
    if (!rc && (from != dst || to != end)) rc = step(j, 2 * SDMA_COPY_DW);
    if (!rc && from != dst) rc = copy(j, dst, dst + 4, from - dst);
    if (!rc && to != end) rc = copy(j, to, to - 4, end - to);
    return rc;
}

/* Any pattern at any place: the pattern, repeated, in staging memory, copied, then replicated. */
static int fill_pattern(struct job *j, uint64_t dst, const uint8_t *pattern, size_t n,
                        uint64_t size) {
    struct am_queues *q = j->d->queues;
    uint64_t block = STAGING_BYTES - STAGING_BYTES % n;
    if (block > size) block = size;
    /* The staging memory serves one fill at a time. */
    int rc = wait_value(j->d, j->r, q->staging_value, UINT64_MAX);
    if (rc) return rc;
    uint8_t *p = q->staging->cpu;
    for (uint64_t i = 0; i < block; i += n)
        memcpy(p + i, pattern, n < block - i ? n : block - i);
    rc = copy(j, dst, q->staging->va, block);
    q->staging_value = j->value;
    return rc ? rc : replicate(j, dst, block, size);
}

int am_submit_fill(struct am_device *d, const struct am_fence *waits, size_t nwaits, uint64_t dst,
                   const void *pattern, size_t pattern_bytes, uint64_t size, struct am_fence *out) {
    if (!pattern_bytes || pattern_bytes > 128 || (pattern_bytes & (pattern_bytes - 1)))
        return -EINVAL;
    if (dst + size < dst) return -EINVAL;
    struct job j = {.info = {.what = "fill", .arg = {dst, 0, size}, .extent = {size, 0}}};
    int rc = begin(&j, d, waits, nwaits);
    if (rc) return rc;
    if (pattern_bytes <= 4 && (size >= 16 || (!(dst & 3) && !(size & 3)))) {
        rc = fill_small(&j, dst, pattern, pattern_bytes, size);
    } else if (size) {
        rc = fill_pattern(&j, dst, pattern, pattern_bytes, size);
    }
    return finish(&j, rc, out);
}
