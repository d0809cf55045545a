/* SPDX-License-Identifier: MIT */
/* enqueue_map.c - mapping buffers. A map points into the host area of the backing: the
 * application's own memory (USE_HOST_PTR), the buffer itself (ALLOC_HOST_PTR), or a shadow that
 * the device can reach too, which the engine fills and reads.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/device.h"
#include "runtime/enqueue.h"
#include "runtime/error.h"
#include "runtime/mem.h"
#include "runtime/queue.h"
#include "runtime/scheduler.h"
#include "runtime/transfer.h"

static int shadow_submit(cl_event cmd, const struct am_fence *waits, size_t nwaits,
                         struct am_fence *out) {
    const struct cmd_map *m = &cmd->u.map;
    const struct backing *b = cmd->mems[0]->backing;
    uint64_t host = b->shadow->va + m->offset;
    uint64_t buffer = b->dev[cmd->queue->device_index]->va + m->offset;

    return am_submit_copy(cmd->queue->device->am, waits, nwaits, m->to_device ? buffer : host,
                          m->to_device ? host : buffer, m->size, out);
}

static const struct cmd_ops shadow_ops = {.name = "a map or unmap", .submit = shadow_submit};

/* The command that makes host area and buffer agree on a range of the backing. */
static cl_int enqueue_sync_range(cl_command_queue queue, cl_command_type type, cl_mem mem,
                                 uint64_t offset, uint64_t size, bool to_device, unsigned flags,
                                 cl_uint num_events, const cl_event *wait_list, cl_event *event) {
    struct backing *b = mem->backing;

    if (size == 0 || b->kind == AM_MEM_SYSTEM)
        return enqueue_marker(queue, type, flags, num_events, wait_list, event);
    cl_event ev = event_create(queue, type, b->shadow ? &shadow_ops : &transfer_ops, 1);
    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    event_use_mem(ev, 0, mem);
    if (b->shadow) {
        ev->u.map = (struct cmd_map){offset, size, to_device};
    } else {
        struct cmd_transfer *t = &ev->u.transfer;
        *t = (struct cmd_transfer){
            .host = b->host + offset, .to_device = to_device, .region = {size, 1, 1}};
        t->buffer_rect.offset = offset - mem->origin;
        transfer_plan(ev);
    }
    return sched_enqueue(ev, num_events, wait_list, flags, event);
}

cl_int map_check_flags(cl_mem buffer, cl_map_flags flags) {
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

    if (flags & ~known) return CL_INVALID_VALUE;
    if (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE))
        return CL_INVALID_VALUE;
    if (flags & CL_MAP_READ && buffer->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))
        return CL_INVALID_OPERATION;
    if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) &&
        buffer->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

void map_add(cl_mem mem, struct mem_map *map) {
    pthread_mutex_lock(&mem->lock);
    map->next = mem->maps;
    mem->maps = map;
    mem->map_count++;
    pthread_mutex_unlock(&mem->lock);
}

/* Takes out the map with that pointer, the oldest first; NULL: none. */
struct mem_map *map_take(cl_mem mem, const void *ptr) {
    struct mem_map **found = NULL;

    pthread_mutex_lock(&mem->lock);
    for (struct mem_map **p = &mem->maps; *p; p = &(*p)->next)
        if ((*p)->ptr == ptr) found = p;
    struct mem_map *map = found ? *found : NULL;
    if (map) {
        *found = map->next;
        mem->map_count--;
    }
    pthread_mutex_unlock(&mem->lock);
    return map;
}

CL_API_ENTRY void *CL_API_CALL api_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                      cl_bool blocking, cl_map_flags map_flags,
                                                      size_t offset, size_t size,
                                                      cl_uint num_events, const cl_event *wait_list,
                                                      cl_event *event, cl_int *errcode_ret) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (!err) err = enqueue_check_buffer(queue, buffer);
    if (err) REFUSE_NULL(err, "queue, wait list or buffer");
    bool inside = size && offset <= buffer->size && size <= buffer->size - offset;
    err = inside ? map_check_flags(buffer, map_flags) : CL_INVALID_VALUE;
    if (err)
        REFUSE_NULL(err, "flags 0x%llx, %zu bytes at %zu", (unsigned long long)map_flags, size,
                    offset);
    struct mem_map *map = calloc(1, sizeof *map);
    if (!map || mem_need_host(buffer)) {
        free(map);
        REFUSE_NULL(CL_MAP_FAILURE, "no host memory for %zu bytes", buffer->backing->size);
    }
    map->offset = buffer->origin + offset;
    map->size = size;
    map->flags = map_flags;
    map->ptr = buffer->backing->host + map->offset;
    uint8_t *ptr = map->ptr;
    map_add(buffer, map);
    /* What is written only in part must be there in full before it goes back. */
    bool read = !(map_flags & CL_MAP_WRITE_INVALIDATE_REGION);
    err = enqueue_sync_range(queue, CL_COMMAND_MAP_BUFFER, buffer, map->offset, read ? size : 0,
                             false, blocking ? SCHED_BLOCKING : 0, num_events, wait_list, event);
    if (err) {
        free(map_take(buffer, ptr));
        REFUSE_NULL(err, "the map failed");
    }
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return ptr;
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memobj,
                                                            void *mapped_ptr, cl_uint num_events,
                                                            const cl_event *wait_list,
                                                            cl_event *event) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (!err) err = enqueue_check_mem(queue, memobj);
    if (err) REFUSE(err, "queue, wait list or memory object");
    struct mem_map *map = mapped_ptr ? map_take(memobj, mapped_ptr) : NULL;
    if (!map) REFUSE(CL_INVALID_VALUE, "%p is not mapped", mapped_ptr);
    bool wrote = map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    const cl_command_type type = CL_COMMAND_UNMAP_MEM_OBJECT;
    err = memobj->image
              ? enqueue_image_sync(queue, type, memobj, map, wrote, true, 0, num_events, wait_list,
                                   event)
              : enqueue_sync_range(queue, type, memobj, map->offset, wrote ? map->size : 0, true, 0,
                                   num_events, wait_list, event);
    if (err)
        map_add(memobj, map);
    else
        free(map);
    return err;
}
