/* SPDX-License-Identifier: MIT */
/* enqueue_image.c - reads, writes, copies, fills and maps of images: checking, and the commands.
 * All move rows of bytes, as the rectangle commands of buffers do.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/device.h"
#include "runtime/enqueue.h"
#include "runtime/error.h"
#include "runtime/image.h"
#include "runtime/mem.h"
#include "runtime/queue.h"
#include "runtime/rect.h"
#include "runtime/scheduler.h"
#include "runtime/transfer.h"

#define WAIT_ARGS cl_uint num_events, const cl_event *wait_list, cl_event *event

static cl_int check_image(cl_command_queue queue, cl_mem image, cl_uint num_events,
                          const cl_event *wait_list) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) return err;
    if (!obj_ok(image, &obj_type_mem) || !image->image) return CL_INVALID_MEM_OBJECT;
    return enqueue_check_mem(queue, image);
}

static struct rect image_rect(const struct image *im, const size_t *origin) {
    return (struct rect){image_offset(im, im->step, origin), im->step[0], im->step[1]};
}

static void region_bytes(const struct image *im, const size_t *region, uint64_t out[3]) {
    out[0] = region[0] * im->info.bytes;
    out[1] = region[1];
    out[2] = region[2];
}

/* ---- reads and writes ---- */

/* Pitches of application memory, 0: tight. */
static cl_int host_steps(const struct image *im, const size_t *region, size_t row, size_t slice,
                         uint64_t step[2]) {
    bool rows = im->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool slices = rows || im->desc.image_slice_pitch;
    uint64_t tight = region[0] * im->info.bytes;

    if (row && row < tight) return CL_INVALID_VALUE;
    if (!row) row = tight;
    uint64_t least = rows ? row : row * region[1];
    if (slice && (!slices || slice < least)) return CL_INVALID_VALUE;
    if (!slice) slice = least;
    step[0] = rows ? slice : row;
    step[1] = slice;
    return CL_SUCCESS;
}

static cl_int move_image(cl_command_queue queue, cl_mem image, cl_bool blocking,
                         const size_t *origin, const size_t *region, size_t row_pitch,
                         size_t slice_pitch, void *ptr, bool to_device, const char *function,
                         WAIT_ARGS) {
    cl_int err = check_image(queue, image, num_events, wait_list);

    if (err) return err_refuse(err, function, "queue, wait list or image");
    const struct image *im = image->image;
    uint64_t step[2];
    if (!ptr || image_check_region(im, origin, region))
        return err_refuse(CL_INVALID_VALUE, function,
                          "ptr is NULL, or the region leaves the image");
    if (host_steps(im, region, row_pitch, slice_pitch, step))
        return err_refuse(CL_INVALID_VALUE, function, "pitches %zu, %zu", row_pitch, slice_pitch);
    cl_mem_flags no = CL_MEM_HOST_NO_ACCESS;
    no |= to_device ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY;
    if (image->flags & no) return err_refuse(CL_INVALID_OPERATION, function, "flags of the image");
    cl_command_type type = to_device ? CL_COMMAND_WRITE_IMAGE : CL_COMMAND_READ_IMAGE;
    cl_event ev = event_create(queue, type, &transfer_ops, 1);
    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    event_use_mem(ev, 0, image);
    ev->u.transfer = (struct cmd_transfer){.host = ptr,
                                           .host_rect = {0, step[0], step[1]},
                                           .buffer_rect = image_rect(im, origin),
                                           .to_device = to_device};
    region_bytes(im, region, ev->u.transfer.region);
    transfer_plan(ev);
    return enqueue_run(ev, blocking, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueReadImage(cl_command_queue queue, cl_mem image,
                                                       cl_bool blocking, const size_t *origin,
                                                       const size_t *region, size_t row_pitch,
                                                       size_t slice_pitch, void *ptr, WAIT_ARGS) {
    return move_image(queue, image, blocking, origin, region, row_pitch, slice_pitch, ptr, false,
                      __func__, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueWriteImage(cl_command_queue queue, cl_mem image,
                                                        cl_bool blocking, const size_t *origin,
                                                        const size_t *region, size_t row_pitch,
                                                        size_t slice_pitch, const void *ptr,
                                                        WAIT_ARGS) {
    return move_image(queue, image, blocking, origin, region, row_pitch, slice_pitch,
                      (void *)(uintptr_t)ptr, true, __func__, num_events, wait_list, event);
}

/* ---- copies ---- */

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

static const struct cmd_ops copy_ops = {.name = "an image copy", .submit = copy_submit};

static cl_int enqueue_copy(cl_command_queue queue, cl_command_type type, cl_mem src, cl_mem dst,
                           const struct cmd_copy *c, WAIT_ARGS) {
    cl_event ev = event_create(queue, type, &copy_ops, 2);

    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    event_use_mem(ev, 0, src);
    event_use_mem(ev, 1, dst);
    ev->u.copy = *c;
    return enqueue_run(ev, CL_FALSE, num_events, wait_list, event);
}

static bool ranges_overlap(size_t a, size_t b, size_t n) {
    return a < b + n && b < a + n;
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueCopyImage(cl_command_queue queue, cl_mem src,
                                                       cl_mem dst, const size_t *src_origin,
                                                       const size_t *dst_origin,
                                                       const size_t *region, WAIT_ARGS) {
    cl_int err = check_image(queue, src, num_events, wait_list);

    if (!err) err = check_image(queue, dst, 0, NULL);
    if (err) REFUSE(err, "queue, wait list or images");
    const struct image *s = src->image, *d = dst->image;
    if (memcmp(&s->format, &d->format, sizeof s->format))
        REFUSE(CL_IMAGE_FORMAT_MISMATCH, "the formats differ");
    if (image_check_region(s, src_origin, region) || image_check_region(d, dst_origin, region))
        REFUSE(CL_INVALID_VALUE, "the region leaves an image");
    if (src == dst && ranges_overlap(src_origin[0], dst_origin[0], region[0]) &&
        ranges_overlap(src_origin[1], dst_origin[1], region[1]) &&
        ranges_overlap(src_origin[2], dst_origin[2], region[2]))
        REFUSE(CL_MEM_COPY_OVERLAP, "the regions overlap");
    struct cmd_copy c = {.dst = image_rect(d, dst_origin), .src = image_rect(s, src_origin)};
    region_bytes(s, region, c.region);
    return enqueue_copy(queue, CL_COMMAND_COPY_IMAGE, src, dst, &c, num_events, wait_list, event);
}

/* Between an image and a packed region in a buffer. */
static cl_int copy_with_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                               const size_t *origin, const size_t *region, size_t offset,
                               bool to_buffer, const char *function, WAIT_ARGS) {
    cl_int err = check_image(queue, image, num_events, wait_list);

    if (!err) err = enqueue_check_buffer(queue, buffer);
    if (err) return err_refuse(err, function, "queue, wait list, image or buffer");
    const struct image *im = image->image;
    if (image_check_region(im, origin, region))
        return err_refuse(CL_INVALID_VALUE, function, "the region leaves the image");
    uint64_t bytes[3];
    region_bytes(im, region, bytes);
    uint64_t total = bytes[0] * bytes[1] * bytes[2];
    if (offset > buffer->size || total > buffer->size - offset)
        return err_refuse(CL_INVALID_VALUE, function, "the region leaves the buffer");
    struct rect packed = {offset, bytes[0], bytes[0] * bytes[1]}, rect = image_rect(im, origin);
    struct cmd_copy c = {.dst = to_buffer ? packed : rect, .src = to_buffer ? rect : packed};
    memcpy(c.region, bytes, sizeof bytes);
    cl_command_type type =
        to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE;
    return enqueue_copy(queue, type, to_buffer ? image : buffer, to_buffer ? buffer : image, &c,
                        num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem src,
                                                               cl_mem dst, const size_t *origin,
                                                               const size_t *region, size_t offset,
                                                               WAIT_ARGS) {
    return copy_with_buffer(queue, src, dst, origin, region, offset, true, __func__, num_events,
                            wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem src,
                                                               cl_mem dst, size_t offset,
                                                               const size_t *origin,
                                                               const size_t *region, WAIT_ARGS) {
    return copy_with_buffer(queue, dst, src, origin, region, offset, false, __func__, num_events,
                            wait_list, event);
}

/* ---- fill: a write whose source is one row, over and over ---- */

static int fill_submit(cl_event cmd, const struct am_fence *waits, size_t nwaits,
                       struct am_fence *out) {
    return transfer_ops.submit(cmd, waits, nwaits, out);
}

static int fill_run(cl_event cmd) {
    return transfer_ops.run(cmd);
}

static void fill_release(cl_event cmd) {
    free(cmd->u.transfer.host);
    transfer_ops.release(cmd);
}

static const struct cmd_ops fill_ops = {
    .name = "an image fill", .submit = fill_submit, .run = fill_run, .release = fill_release};

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueFillImage(cl_command_queue queue, cl_mem image,
                                                       const void *color, const size_t *origin,
                                                       const size_t *region, WAIT_ARGS) {
    cl_int err = check_image(queue, image, num_events, wait_list);

    if (err) REFUSE(err, "queue, wait list or image");
    const struct image *im = image->image;
    if (!color || image_check_region(im, origin, region))
        REFUSE(CL_INVALID_VALUE, "fill_color is NULL, or the region leaves the image");
    uint8_t *row = malloc(region[0] * im->info.bytes);
    cl_event ev = event_create(queue, CL_COMMAND_FILL_IMAGE, &fill_ops, 1);
    if (!row || !ev) {
        free(row);
        if (ev) ev->mem_count = 0;
        obj_put(ev);
        return CL_OUT_OF_HOST_MEMORY;
    }
    image_format_pack(&im->format, &im->info, color, row);
    for (size_t x = 1; x < region[0]; x++)
        memcpy(row + x * im->info.bytes, row, im->info.bytes);
    event_use_mem(ev, 0, image);
    ev->u.transfer = (struct cmd_transfer){
        .host = row, .buffer_rect = image_rect(im, origin), .to_device = true};
    region_bytes(im, region, ev->u.transfer.region);
    transfer_plan(ev);
    return enqueue_run(ev, CL_FALSE, num_events, wait_list, event);
}

/* ---- maps ---- */

/* Where maps of an image point, and with which pitches. */
static uint8_t *host_area(cl_mem image, const uint64_t **step) {
    const struct image *im = image->image;
    bool own = image->host_ptr != NULL && !im->desc.buffer;

    *step = own ? im->host_step : im->step;
    if (own) return image->host_ptr;
    return mem_need_host(image) ? NULL : image->backing->host + image->origin;
}

cl_int enqueue_image_sync(cl_command_queue queue, cl_command_type type, cl_mem image,
                          const struct mem_map *map, bool move, bool to_device, unsigned flags,
                          WAIT_ARGS) {
    const struct image *im = image->image;
    const uint64_t *step;
    uint8_t *host = host_area(image, &step);

    if (!host) return CL_MAP_FAILURE;
    if (!move || image->backing->kind == AM_MEM_SYSTEM)
        return enqueue_marker(queue, type, flags, num_events, wait_list, event);
    cl_event ev = event_create(queue, type, &transfer_ops, 1);
    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    event_use_mem(ev, 0, image);
    ev->u.transfer =
        (struct cmd_transfer){.host = host,
                              .host_rect = {image_offset(im, step, map->origin), step[0], step[1]},
                              .buffer_rect = image_rect(im, map->origin),
                              .to_device = to_device};
    region_bytes(im, map->region, ev->u.transfer.region);
    transfer_plan(ev);
    return sched_enqueue(ev, num_events, wait_list, flags, event);
}

CL_API_ENTRY void *CL_API_CALL api_clEnqueueMapImage(cl_command_queue queue, cl_mem image,
                                                     cl_bool blocking, cl_map_flags flags,
                                                     const size_t *origin, const size_t *region,
                                                     size_t *row_pitch, size_t *slice_pitch,
                                                     cl_uint num_events, const cl_event *wait_list,
                                                     cl_event *event, cl_int *errcode_ret) {
    cl_int err = check_image(queue, image, num_events, wait_list);

    if (err) REFUSE_NULL(err, "queue, wait list or image");
    const struct image *im = image->image;
    bool slices = im->desc.image_slice_pitch != 0;
    if (image_check_region(im, origin, region) || !row_pitch || (slices && !slice_pitch))
        REFUSE_NULL(CL_INVALID_VALUE, "the region leaves the image, or no place for a pitch");
    err = map_check_flags(image, flags);
    if (err) REFUSE_NULL(err, "flags 0x%llx", (unsigned long long)flags);
    struct mem_map *map = calloc(1, sizeof *map);
    const uint64_t *step;
    uint8_t *host = map ? host_area(image, &step) : NULL;
    if (!host) {
        free(map);
        REFUSE_NULL(CL_MAP_FAILURE, "no host memory for %zu bytes", image->size);
    }
    map->flags = flags;
    memcpy(map->origin, origin, sizeof map->origin);
    memcpy(map->region, region, sizeof map->region);
    uint8_t *ptr = map->ptr = host + image_offset(im, step, origin);
    map_add(image, map);
    bool read = !(flags & CL_MAP_WRITE_INVALIDATE_REGION);
    err = enqueue_image_sync(queue, CL_COMMAND_MAP_IMAGE, image, map, read, false,
                             blocking ? SCHED_BLOCKING : 0, num_events, wait_list, event);
    if (err) {
        free(map_take(image, ptr));
        REFUSE_NULL(err, "the map failed");
    }
    /* The rows of a 1D array are its slices. */
    bool rows = im->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    *row_pitch = step[0];
    if (slice_pitch) *slice_pitch = slices ? (rows ? step[0] : step[1]) : 0;
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return ptr;
}
