/* SPDX-License-Identifier: MIT */
/* enqueue_svm.c - commands on shared virtual memory, and those of cl_intel_unified_shared_memory
 * that are the same under other names.
 */
#include "runtime/enqueue_svm.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/enqueue.h"
#include "runtime/error.h"
#include "runtime/queue.h"
#include "runtime/scheduler.h"
#include "runtime/svm.h"
#include "runtime/transfer.h"

#define WAIT_ARGS cl_uint num_events, const cl_event *wait_list, cl_event *event

static uint64_t va_of(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

/* ---- copies ---- */

static int engine_copy_submit(cl_event cmd, const struct am_fence *waits, size_t nwaits,
                              struct am_fence *out) {
    const struct cmd_copy *c = &cmd->u.copy;

    return am_submit_copy(cmd->queue->device->am, waits, nwaits, c->dst.offset, c->src.offset,
                          c->region[0], out);
}

static int host_copy_run(cl_event cmd) {
    const struct cmd_copy *c = &cmd->u.copy;

    memcpy((void *)(uintptr_t)c->dst.offset, (void *)(uintptr_t)c->src.offset, c->region[0]);
    return 0;
}

static const struct cmd_ops engine_copy_ops = {.name = "a copy of shared memory",
                                               .submit = engine_copy_submit};
static const struct cmd_ops host_copy_ops = {.name = "a copy of host memory", .run = host_copy_run};

/* By the engine where the device sees both sides, by the CPU where it sees both, else through
 * staging. */
static cl_int copy(cl_command_queue queue, cl_command_type type, cl_bool blocking, void *dst,
                   const void *src, size_t size, WAIT_ARGS) {
    bool dst_shared = svm_is_shared(queue->ctx, dst, size);
    bool src_shared = svm_is_shared(queue->ctx, src, size);
    bool engine = dst_shared && src_shared;
    bool host = !engine && svm_host_visible(dst) && svm_host_visible(src);
    const struct cmd_ops *ops = engine ? &engine_copy_ops : host ? &host_copy_ops : &transfer_ops;
    cl_event ev = event_create(queue, type, ops, 0);

    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    if (engine || host) {
        ev->u.copy =
            (struct cmd_copy){{va_of(dst), size, size}, {va_of(src), size, size}, {size, 1, 1}};
        ev->host_op = host;
    } else {
        ev->u.transfer =
            (struct cmd_transfer){.host = dst_shared ? (uint8_t *)(uintptr_t)va_of(src) : dst,
                                  .va = dst_shared ? va_of(dst) : va_of(src),
                                  .to_device = dst_shared,
                                  .region = {size, 1, 1}};
        transfer_plan(ev);
    }
    return enqueue_run(ev, blocking, num_events, wait_list, event);
}

static bool overlap(const void *a, const void *b, size_t size) {
    return va_of(a) < va_of(b) + size && va_of(b) < va_of(a) + size;
}

cl_int enqueue_svm_copy(cl_command_queue queue, cl_command_type type, cl_bool blocking, void *dst,
                        const void *src, size_t size, const char *function, WAIT_ARGS) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) return err_refuse(err, function, "queue or wait list");
    if ((!dst || !src) && size) return err_refuse(CL_INVALID_VALUE, function, "a pointer is NULL");
    if (size == 0)
        return enqueue_marker(queue, type, blocking ? SCHED_BLOCKING : 0, num_events, wait_list,
                              event);
    if (overlap(dst, src, size))
        return err_refuse(CL_MEM_COPY_OVERLAP, function, "the ranges overlap");
    return copy(queue, type, blocking, dst, src, size, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking,
                                                       void *dst, const void *src, size_t size,
                                                       WAIT_ARGS) {
    return enqueue_svm_copy(queue, CL_COMMAND_SVM_MEMCPY, blocking, dst, src, size, __func__,
                            num_events, wait_list, event);
}

/* ---- fill ---- */

static int fill_submit(cl_event cmd, const struct am_fence *waits, size_t nwaits,
                       struct am_fence *out) {
    const struct cmd_fill *f = &cmd->u.fill;

    return am_submit_fill(cmd->queue->device->am, waits, nwaits, f->offset, f->pattern,
                          f->pattern_size, f->size, out);
}

static const struct cmd_ops fill_ops = {.name = "a fill of shared memory", .submit = fill_submit};

cl_int enqueue_svm_fill(cl_command_queue queue, cl_command_type type, void *ptr,
                        const void *pattern, size_t pattern_size, size_t size, const char *function,
                        WAIT_ARGS) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) return err_refuse(err, function, "queue or wait list");
    if (!ptr) return err_refuse(CL_INVALID_VALUE, function, "the pointer is NULL");
    if (!pattern || !pattern_size || pattern_size > 128 || pattern_size & (pattern_size - 1))
        return err_refuse(CL_INVALID_VALUE, function, "pattern of %zu bytes", pattern_size);
    if (va_of(ptr) % pattern_size || size % pattern_size)
        return err_refuse(CL_INVALID_VALUE, function, "pointer or size no multiple of %zu",
                          pattern_size);
    if (size == 0) return enqueue_marker(queue, type, 0, num_events, wait_list, event);
    if (!svm_is_shared(queue->ctx, ptr, size))
        return err_refuse(CL_INVALID_VALUE, function, "%p + %zu is no shared memory", ptr, size);
    cl_event ev = event_create(queue, type, &fill_ops, 0);
    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    ev->u.fill = (struct cmd_fill){va_of(ptr), size, {0}, pattern_size};
    memcpy(ev->u.fill.pattern, pattern, pattern_size);
    return enqueue_run(ev, CL_FALSE, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueSVMMemFill(cl_command_queue queue, void *ptr,
                                                        const void *pattern, size_t pattern_size,
                                                        size_t size, WAIT_ARGS) {
    return enqueue_svm_fill(queue, CL_COMMAND_SVM_MEMFILL, ptr, pattern, pattern_size, size,
                            __func__, num_events, wait_list, event);
}

/* ---- map, unmap, migrate: the memory is where everybody sees it ---- */

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking,
                                                    cl_map_flags flags, void *ptr, size_t size,
                                                    WAIT_ARGS) {
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    if (!ptr || !size) REFUSE(CL_INVALID_VALUE, "%zu bytes at %p", size, ptr);
    if (flags & ~known ||
        (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)))
        REFUSE(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
    if (!svm_is_shared(queue->ctx, ptr, size))
        REFUSE(CL_INVALID_VALUE, "%p + %zu is no shared memory", ptr, size);
    return enqueue_marker(queue, CL_COMMAND_SVM_MAP, blocking ? SCHED_BLOCKING : 0, num_events,
                          wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueSVMUnmap(cl_command_queue queue, void *ptr,
                                                      WAIT_ARGS) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    if (!ptr || !svm_is_shared(queue->ctx, ptr, 0))
        REFUSE(CL_INVALID_VALUE, "%p is no shared memory", ptr);
    return enqueue_marker(queue, CL_COMMAND_SVM_UNMAP, 0, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count,
                                                           const void **pointers,
                                                           const size_t *sizes,
                                                           cl_mem_migration_flags flags,
                                                           WAIT_ARGS) {
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    if (!count || !pointers) REFUSE(CL_INVALID_VALUE, "no pointers");
    if (flags & ~known) REFUSE(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
    for (cl_uint i = 0; i < count; i++)
        if (!svm_is_shared(queue->ctx, pointers[i], sizes ? sizes[i] : 0))
            REFUSE(CL_INVALID_VALUE, "pointer %u or its size", i);
    return enqueue_marker(queue, CL_COMMAND_SVM_MIGRATE_MEM, 0, num_events, wait_list, event);
}

/* ---- free ---- */

struct svm_free {
    cl_uint count;
    void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void *[], void *);
    void *user_data;
    void *pointers[];
};

static int free_run(cl_event cmd) {
    struct svm_free *f = cmd->u.svm_free;

    if (f->fn) {
        f->fn(cmd->queue, f->count, f->pointers, f->user_data);
        return 0;
    }
    for (cl_uint i = 0; i < f->count; i++)
        api_clSVMFree(cmd->ctx, f->pointers[i]);
    return 0;
}

static void free_release(cl_event cmd) {
    free(cmd->u.svm_free);
}

static const struct cmd_ops free_ops = {
    .name = "the end of shared memory", .run = free_run, .release = free_release};

CL_API_ENTRY cl_int CL_API_CALL
api_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void *pointers[],
                     void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void *[], void *),
                     void *user_data, WAIT_ARGS) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    if (!count != !pointers) REFUSE(CL_INVALID_VALUE, "count and pointers");
    for (cl_uint i = 0; i < count; i++)
        if (!pointers[i]) REFUSE(CL_INVALID_VALUE, "pointer %u is NULL", i);
    cl_event ev = event_create(queue, CL_COMMAND_SVM_FREE, &free_ops, 0);
    struct svm_free *f = malloc(sizeof *f + count * sizeof(void *));
    if (!ev || !f) {
        free(f);
        obj_put(ev);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *f = (struct svm_free){count, fn, user_data};
    if (count) memcpy(f->pointers, pointers, count * sizeof(void *));
    ev->u.svm_free = f;
    ev->host_op = true;
    return enqueue_run(ev, CL_FALSE, num_events, wait_list, event);
}
