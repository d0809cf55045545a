/* SPDX-License-Identifier: MIT */
/* enqueue_buffer.c - reads, writes, copies and fills of buffers: checking, and the commands. */
#include <string.h>

#include "runtime/device.h"
#include "runtime/enqueue.h"
#include "runtime/error.h"
#include "runtime/mem.h"
#include "runtime/queue.h"
#include "runtime/rect.h"
#include "runtime/scheduler.h"
#include "runtime/transfer.h"

#define WAIT_ARGS cl_uint num_events, const cl_event *wait_list, cl_event *event

static bool inside(const struct _cl_mem *mem, size_t offset, size_t size) {
    return offset <= mem->size && size <= mem->size - offset;
}

static cl_int check_host_access(cl_mem mem, bool read) {
    cl_mem_flags no = CL_MEM_HOST_NO_ACCESS;

    no |= read ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY;
    return mem->flags & no ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static cl_int enqueue_transfer(cl_command_queue queue, cl_command_type type, cl_mem mem,
                               cl_bool blocking, const struct cmd_transfer *t, WAIT_ARGS) {
    cl_event ev = event_create(queue, type, &transfer_ops, 1);

    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    event_use_mem(ev, 0, mem);
    ev->u.transfer = *t;
    transfer_plan(ev);
    return enqueue_run(ev, blocking, num_events, wait_list, event);
}

static cl_int linear_transfer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                              size_t offset, size_t size, void *ptr, bool to_device,
                              const char *function, WAIT_ARGS) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (!err) err = enqueue_check_buffer(queue, buffer);
    if (err) return err_refuse(err, function, "queue, wait list or buffer");
    if (!ptr || !inside(buffer, offset, size))
        return err_refuse(CL_INVALID_VALUE, function, "ptr is NULL, or %zu + %zu leaves the buffer",
                          offset, size);
    err = check_host_access(buffer, !to_device);
    if (err) return err_refuse(err, function, "flags of the buffer");
    cl_command_type type = to_device ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER;
    if (size == 0)
        return enqueue_marker(queue, type, blocking ? SCHED_BLOCKING : 0, num_events, wait_list,
                              event);
    struct cmd_transfer t = {.host = ptr, .to_device = to_device, .region = {size, 1, 1}};
    t.buffer_rect.offset = offset;
    return enqueue_transfer(queue, type, buffer, blocking, &t, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
                                                        cl_bool blocking, size_t offset,
                                                        size_t size, void *ptr, WAIT_ARGS) {
    return linear_transfer(queue, buffer, blocking, offset, size, ptr, false, __func__, num_events,
                           wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
                                                         cl_bool blocking, size_t offset,
                                                         size_t size, const void *ptr, WAIT_ARGS) {
    return linear_transfer(queue, buffer, blocking, offset, size, (void *)(uintptr_t)ptr, true,
                           __func__, num_events, wait_list, event);
}

/* ---- rectangles between host and buffer ---- */

static cl_int rect_transfer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                            const size_t *buffer_origin, const size_t *host_origin,
                            const size_t *region, const size_t pitches[4], void *ptr,
                            bool to_device, const char *function, WAIT_ARGS) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (!err) err = enqueue_check_buffer(queue, buffer);
    if (err) return err_refuse(err, function, "queue, wait list or buffer");
    if (!ptr) return err_refuse(CL_INVALID_VALUE, function, "ptr is NULL");
    struct cmd_transfer t = {.host = ptr, .to_device = to_device};
    uint64_t end;
    if (rect_make(&t.buffer_rect, buffer_origin, region, pitches[0], pitches[1], &end) ||
        end > buffer->size ||
        rect_make(&t.host_rect, host_origin, region, pitches[2], pitches[3], &end))
        return err_refuse(CL_INVALID_VALUE, function, "the rectangle is ill-formed or too big");
    err = check_host_access(buffer, !to_device);
    if (err) return err_refuse(err, function, "flags of the buffer");
    for (int i = 0; i < 3; i++)
        t.region[i] = region[i];
    cl_command_type type = to_device ? CL_COMMAND_WRITE_BUFFER_RECT : CL_COMMAND_READ_BUFFER_RECT;
    return enqueue_transfer(queue, type, buffer, blocking, &t, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueReadBufferRect(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
    size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
    WAIT_ARGS) {
    const size_t pitches[4] = {buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                               host_slice_pitch};

    return rect_transfer(queue, buffer, blocking, buffer_origin, host_origin, region, pitches, ptr,
                         false, __func__, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueWriteBufferRect(
    cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
    const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
    size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, const void *ptr,
    WAIT_ARGS) {
    const size_t pitches[4] = {buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                               host_slice_pitch};

    return rect_transfer(queue, buffer, blocking, buffer_origin, host_origin, region, pitches,
                         (void *)(uintptr_t)ptr, true, __func__, num_events, wait_list, event);
}

/* ---- buffer to buffer ---- */

static int copy_submit(cl_event cmd, const struct am_fence *waits, size_t nwaits,
                       struct am_fence *out) {
    const struct cmd_copy *c = &cmd->u.copy;
    int i = cmd->queue->device_index;
    struct am_rect src = {mem_va(cmd->mems[0], i) + c->src.offset, c->src.row_pitch,
                          c->src.slice_pitch};
    struct am_rect dst = {mem_va(cmd->mems[1], i) + c->dst.offset, c->dst.row_pitch,
                          c->dst.slice_pitch};

    return transfer_submit_rect(cmd->queue->device->am, waits, nwaits, &dst, &src, c->region, out);
}

static const struct cmd_ops copy_ops = {.name = "a buffer copy", .submit = copy_submit};

static cl_int enqueue_copy(cl_command_queue queue, cl_command_type type, cl_mem src, cl_mem dst,
                           const struct cmd_copy *c, WAIT_ARGS) {
    cl_event ev = event_create(queue, type, &copy_ops, 2);

    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    event_use_mem(ev, 0, src);
    event_use_mem(ev, 1, dst);
    ev->u.copy = *c;
    return enqueue_run(ev, CL_FALSE, num_events, wait_list, event);
}

static cl_int check_two_buffers(cl_command_queue queue, cl_mem src, cl_mem dst, cl_uint num_events,
                                const cl_event *wait_list) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (!err) err = enqueue_check_buffer(queue, src);
    if (!err) err = enqueue_check_buffer(queue, dst);
    return err;
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem src,
                                                        cl_mem dst, size_t src_offset,
                                                        size_t dst_offset, size_t size, WAIT_ARGS) {
    cl_int err = check_two_buffers(queue, src, dst, num_events, wait_list);

    if (err) REFUSE(err, "queue, wait list or buffers");
    if (!inside(src, src_offset, size) || !inside(dst, dst_offset, size))
        REFUSE(CL_INVALID_VALUE, "the range leaves a buffer");
    if (src->backing == dst->backing) {
        size_t s = src->origin + src_offset, d = dst->origin + dst_offset;
        if (s < d + size && d < s + size) REFUSE(CL_MEM_COPY_OVERLAP, "the ranges overlap");
    }
    if (size == 0)
        return enqueue_marker(queue, CL_COMMAND_COPY_BUFFER, 0, num_events, wait_list, event);
    struct cmd_copy c = {{dst_offset, size, size}, {src_offset, size, size}, {size, 1, 1}};
    return enqueue_copy(queue, CL_COMMAND_COPY_BUFFER, src, dst, &c, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueCopyBufferRect(
    cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *src_origin,
    const size_t *dst_origin, const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
    size_t dst_row_pitch, size_t dst_slice_pitch, WAIT_ARGS) {
    cl_int err = check_two_buffers(queue, src, dst, num_events, wait_list);

    if (err) REFUSE(err, "queue, wait list or buffers");
    struct cmd_copy c;
    uint64_t src_end, dst_end;
    if (rect_make(&c.src, src_origin, region, src_row_pitch, src_slice_pitch, &src_end) ||
        rect_make(&c.dst, dst_origin, region, dst_row_pitch, dst_slice_pitch, &dst_end) ||
        src_end > src->size || dst_end > dst->size)
        REFUSE(CL_INVALID_VALUE, "a rectangle is ill-formed or leaves its buffer");
    for (int i = 0; i < 3; i++)
        c.region[i] = region[i];
    if (src == dst &&
        (c.src.row_pitch != c.dst.row_pitch || c.src.slice_pitch != c.dst.slice_pitch))
        REFUSE(CL_INVALID_VALUE, "one buffer with two pitches");
    if (src->backing == dst->backing) {
        struct rect s = c.src, d = c.dst;
        s.offset += src->origin;
        d.offset += dst->origin;
        if (rect_overlap(&s, &d, c.region)) REFUSE(CL_MEM_COPY_OVERLAP, "the rectangles overlap");
    }
    return enqueue_copy(queue, CL_COMMAND_COPY_BUFFER_RECT, src, dst, &c, num_events, wait_list,
                        event);
}

/* ---- fill ---- */

static int fill_submit(cl_event cmd, const struct am_fence *waits, size_t nwaits,
                       struct am_fence *out) {
    const struct cmd_fill *f = &cmd->u.fill;
    uint64_t va = mem_va(cmd->mems[0], cmd->queue->device_index) + f->offset;

    return am_submit_fill(cmd->queue->device->am, waits, nwaits, va, f->pattern, f->pattern_size,
                          f->size, out);
}

static const struct cmd_ops fill_ops = {.name = "a buffer fill", .submit = fill_submit};

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                                        const void *pattern, size_t pattern_size,
                                                        size_t offset, size_t size, WAIT_ARGS) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (!err) err = enqueue_check_buffer(queue, buffer);
    if (err) REFUSE(err, "queue, wait list or buffer");
    if (!inside(buffer, offset, size)) REFUSE(CL_INVALID_VALUE, "the range leaves the buffer");
    if (!pattern || !pattern_size || pattern_size > 128 || (pattern_size & (pattern_size - 1)))
        REFUSE(CL_INVALID_VALUE, "pattern of %zu bytes", pattern_size);
    if (offset % pattern_size || size % pattern_size)
        REFUSE(CL_INVALID_VALUE, "offset or size is not a multiple of %zu", pattern_size);
    if (size == 0)
        return enqueue_marker(queue, CL_COMMAND_FILL_BUFFER, 0, num_events, wait_list, event);
    cl_event ev = event_create(queue, CL_COMMAND_FILL_BUFFER, &fill_ops, 1);
    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    event_use_mem(ev, 0, buffer);
    ev->u.fill = (struct cmd_fill){.offset = offset, .size = size, .pattern_size = pattern_size};
    memcpy(ev->u.fill.pattern, pattern, pattern_size);
    return enqueue_run(ev, CL_FALSE, num_events, wait_list, event);
}
