/* SPDX-License-Identifier: MIT */
#include "runtime/transfer.h"

#include <errno.h>
#include <string.h>

#include "runtime/device.h"
#include "runtime/mem.h"
#include "runtime/queue.h"

int transfer_submit_rect(struct am_device *am, const struct am_fence *waits, size_t nwaits,
                         const struct am_rect *dst, const struct am_rect *src,
                         const uint64_t region[3], struct am_fence *out) {
    uint64_t row = region[0], rows = region[1], slices = region[2];

    bool packed =
        (rows == 1 || (dst->row_pitch == row && src->row_pitch == row)) &&
        (slices == 1 || (dst->slice_pitch == row * rows && src->slice_pitch == row * rows));
    if (packed)
        return am_submit_copy(am, waits, nwaits, dst->base, src->base, row * rows * slices, out);
    return am_submit_copy_rect(am, waits, nwaits, dst, src, region, out);
}

/* Folds dimensions that are contiguous on both sides, so that plain transfers are one row. */
static void fold(struct cmd_transfer *t) {
    uint64_t *n = t->region;

    if (n[1] == 1 && n[2] > 1) { /* slices of one row are rows */
        t->host_rect.row_pitch = t->host_rect.slice_pitch;
        t->buffer_rect.row_pitch = t->buffer_rect.slice_pitch;
        n[1] = n[2];
        n[2] = 1;
    }
    if (n[2] > 1 && t->host_rect.slice_pitch == t->host_rect.row_pitch * n[1] &&
        t->buffer_rect.slice_pitch == t->buffer_rect.row_pitch * n[1]) {
        n[1] *= n[2];
        n[2] = 1;
    }
    if (n[2] == 1 && n[1] > 1 && t->host_rect.row_pitch == n[0] &&
        t->buffer_rect.row_pitch == n[0]) {
        n[0] *= n[1];
        n[1] = 1;
    }
}

/* Rows of one slice, or a part of one row, that fit into a chunk. */
struct piece {
    uint8_t *host;
    uint64_t host_pitch;
    uint64_t buffer, buffer_pitch; /* offset from the buffer's start */
    uint64_t row, rows;
};

struct pieces {
    const struct cmd_transfer *t;
    uint64_t limit;   /* bytes in a piece */
    uint64_t x, y, z; /* where the next piece starts */
};

static bool pieces_next(struct pieces *it, struct piece *p) {
    const struct cmd_transfer *t = it->t;

    if (it->z == t->region[2]) return false;
    p->host = t->host + t->host_rect.offset + it->z * t->host_rect.slice_pitch +
              it->y * t->host_rect.row_pitch + it->x;
    p->buffer = t->buffer_rect.offset + it->z * t->buffer_rect.slice_pitch +
                it->y * t->buffer_rect.row_pitch + it->x;
    p->host_pitch = t->host_rect.row_pitch;
    p->buffer_pitch = t->buffer_rect.row_pitch;
    if (t->region[0] > it->limit) {
        uint64_t left = t->region[0] - it->x;
        p->row = left < it->limit ? left : it->limit;
        p->rows = 1;
        it->x += p->row;
        if (it->x < t->region[0]) return true;
        it->x = 0;
        it->y++;
    } else {
        uint64_t fit = it->limit / t->region[0], left = t->region[1] - it->y;
        p->row = t->region[0];
        p->rows = left < fit ? left : fit;
        it->y += p->rows;
    }
    if (it->y == t->region[1]) {
        it->y = 0;
        it->z++;
    }
    return true;
}

/* Between the application's rows and packed staging. */
static void copy_rows(const struct piece *p, uint8_t *packed, bool to_device) {
    for (uint64_t y = 0; y < p->rows; y++) {
        uint8_t *host = p->host + y * p->host_pitch, *staged = packed + y * p->row;
        memcpy(to_device ? staged : host, to_device ? host : staged, p->row);
    }
}

static int submit_piece(struct am_device *am, const struct piece *p, uint64_t va, uint64_t staged,
                        bool to_device, const struct am_fence *waits, size_t nwaits,
                        struct am_fence *out) {
    struct am_rect packed = {staged, p->row, p->row * p->rows};
    struct am_rect buffer = {va + p->buffer, p->buffer_pitch, p->buffer_pitch * p->rows};
    uint64_t region[3] = {p->row, p->rows, 1};

    return transfer_submit_rect(am, waits, nwaits, to_device ? &buffer : &packed,
                                to_device ? &packed : &buffer, region, out);
}

struct flight { /* a chunk of the pipe in use */
    struct piece piece;
    struct am_fence fence;
    bool busy;
};

static int land(struct am_device *am, struct flight *f, uint8_t *staged, bool to_device) {
    if (!f->busy) return 0;
    f->busy = false;
    int rc = am_wait(am, f->fence, -1);
    if (!rc && !to_device) copy_rows(&f->piece, staged, false);
    return rc;
}

int transfer_run(cl_device_id dev, uint64_t va, const struct cmd_transfer *transfer) {
    struct cmd_transfer t = *transfer;
    struct am_device *am = dev->am;
    struct flight flights[STAGING_CHUNKS] = {0};
    struct am_mem *pipe = staging_take_pipe(&dev->staging, am);

    if (!pipe) return -ENOMEM;
    fold(&t);
    struct pieces it = {.t = &t, .limit = STAGING_CHUNK_BYTES};
    struct piece piece;
    unsigned i = 0;
    int rc = 0;
    while (!rc && pieces_next(&it, &piece)) {
        struct flight *f = &flights[i % STAGING_CHUNKS];
        uint64_t offset = (uint64_t)(i % STAGING_CHUNKS) * STAGING_CHUNK_BYTES;
        uint8_t *staged = (uint8_t *)pipe->cpu + offset;
        i++;
        rc = land(am, f, staged, t.to_device);
        if (rc) break;
        f->piece = piece;
        if (t.to_device) copy_rows(&piece, staged, true);
        rc = submit_piece(am, &piece, va, pipe->va + offset, t.to_device, NULL, 0, &f->fence);
        f->busy = rc == 0;
    }
    for (unsigned k = 0; k < STAGING_CHUNKS; k++, i++) {
        unsigned c = i % STAGING_CHUNKS;
        uint8_t *staged = (uint8_t *)pipe->cpu + (uint64_t)c * STAGING_CHUNK_BYTES;
        int end = land(am, &flights[c], staged, t.to_device);
        if (!rc) rc = end;
    }
    staging_give_pipe(&dev->staging, am, pipe);
    return rc;
}

int transfer_bytes(cl_device_id dev, uint64_t va, void *host, uint64_t size, bool to_device) {
    struct cmd_transfer t = {.host = host, .to_device = to_device, .region = {size, 1, 1}};

    return transfer_run(dev, va, &t);
}

/* ---- the command ---- */

static struct piece whole_piece(const struct cmd_transfer *t) {
    struct piece p = {.host = t->host + t->host_rect.offset,
                      .host_pitch = t->host_rect.row_pitch,
                      .buffer = t->buffer_rect.offset,
                      .buffer_pitch = t->buffer_rect.row_pitch,
                      .row = t->region[0],
                      .rows = t->region[1]};
    return p;
}

/* All slices, one after the other, through one slot. */
static void copy_slices(const struct cmd_transfer *t) {
    struct piece p = whole_piece(t);

    for (uint64_t z = 0; z < t->region[2]; z++) {
        copy_rows(&p, t->slot->cpu + z * p.row * p.rows, t->to_device);
        p.host += t->host_rect.slice_pitch;
    }
}

static uint64_t device_va(cl_event cmd) {
    return cmd->u.transfer.va ? cmd->u.transfer.va : mem_va(cmd->mems[0], cmd->queue->device_index);
}

static int transfer_submit(cl_event cmd, const struct am_fence *waits, size_t nwaits,
                           struct am_fence *out) {
    struct cmd_transfer *t = &cmd->u.transfer;
    cl_device_id dev = cmd->queue->device;
    uint64_t va = device_va(cmd);

    t->slot = staging_take(&dev->staging, dev->am);
    if (!t->slot) return -EAGAIN;
    if (t->to_device) copy_slices(t);
    struct am_rect packed = {t->slot->va, t->region[0], t->region[0] * t->region[1]};
    struct am_rect buffer = {va + t->buffer_rect.offset, t->buffer_rect.row_pitch,
                             t->buffer_rect.slice_pitch};
    return transfer_submit_rect(dev->am, waits, nwaits, t->to_device ? &buffer : &packed,
                                t->to_device ? &packed : &buffer, t->region, out);
}

static int transfer_finish(cl_event cmd, int rc) {
    struct cmd_transfer *t = &cmd->u.transfer;

    if (!rc && t->slot && !t->to_device) copy_slices(t);
    return rc;
}

static int transfer_run_cmd(cl_event cmd) {
    return transfer_run(cmd->queue->device, device_va(cmd), &cmd->u.transfer);
}

static void transfer_release(cl_event cmd) {
    if (cmd->u.transfer.slot) staging_give(&cmd->queue->device->staging, cmd->u.transfer.slot);
}

const struct cmd_ops transfer_ops = {.name = "a buffer transfer",
                                     .submit = transfer_submit,
                                     .finish = transfer_finish,
                                     .run = transfer_run_cmd,
                                     .release = transfer_release};

void transfer_plan(cl_event ev) {
    struct cmd_transfer *t = &ev->u.transfer;

    fold(t);
    uint64_t bytes = t->region[0] * t->region[1] * t->region[2];
    if (bytes > STAGING_SLOT_BYTES) ev->host_op = true;
    ev->node.host_step = !t->to_device;
    ev->node.reads_host = t->to_device;
}
