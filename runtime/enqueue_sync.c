/* SPDX-License-Identifier: MIT */
#include "runtime/context.h"
#include "runtime/enqueue.h"
#include "runtime/error.h"
#include "runtime/mem.h"
#include "runtime/platform.h"
#include "runtime/queue.h"
#include "runtime/scheduler.h"

cl_int enqueue_check(cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list) {
    if (!obj_ok(queue, &obj_type_queue)) return CL_INVALID_COMMAND_QUEUE;
    if (platform_is_orphan()) return CL_OUT_OF_RESOURCES;
    return event_check_wait_list(queue->ctx, wait_count, wait_list);
}

cl_int enqueue_check_mem(cl_command_queue queue, cl_mem mem) {
    if (!obj_ok(mem, &obj_type_mem)) return CL_INVALID_MEM_OBJECT;
    if (mem->ctx != queue->ctx) return CL_INVALID_CONTEXT;
    return err_to_cl(mem_allocate(mem, queue->device_index), CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

cl_int enqueue_check_buffer(cl_command_queue queue, cl_mem buffer) {
    if (!obj_ok(buffer, &obj_type_mem) || buffer->type != CL_MEM_OBJECT_BUFFER)
        return CL_INVALID_MEM_OBJECT;
    return enqueue_check_mem(queue, buffer);
}

cl_int enqueue_run(cl_event ev, cl_bool blocking, cl_uint wait_count, const cl_event *wait_list,
                   cl_event *event_out) {
    cl_int status =
        sched_enqueue(ev, wait_count, wait_list, blocking ? SCHED_BLOCKING : 0, event_out);

    /* A blocking command that failed because of its wait list says so with one code, whatever
     * became of the predecessors. */
    return status;
}

static const struct cmd_ops marker_ops = {.name = "a marker"};

cl_int enqueue_marker(cl_command_queue queue, cl_command_type type, unsigned flags,
                      cl_uint wait_count, const cl_event *wait_list, cl_event *event_out) {
    cl_event ev = event_create(queue, type, &marker_ops, 0);

    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    return sched_enqueue(ev, wait_count, wait_list, flags, event_out);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueMarkerWithWaitList(cl_command_queue queue,
                                                                cl_uint num_events,
                                                                const cl_event *wait_list,
                                                                cl_event *event) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    return enqueue_marker(queue, CL_COMMAND_MARKER, SCHED_MARKER, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueBarrierWithWaitList(cl_command_queue queue,
                                                                 cl_uint num_events,
                                                                 const cl_event *wait_list,
                                                                 cl_event *event) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    return enqueue_marker(queue, CL_COMMAND_BARRIER, SCHED_BARRIER, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueMarker(cl_command_queue queue, cl_event *event) {
    cl_int err = enqueue_check(queue, 0, NULL);

    if (err) REFUSE(err, "queue");
    if (!event) REFUSE(CL_INVALID_VALUE, "event is NULL");
    return enqueue_marker(queue, CL_COMMAND_MARKER, SCHED_MARKER, 0, NULL, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueBarrier(cl_command_queue queue) {
    cl_int err = enqueue_check(queue, 0, NULL);

    if (err) REFUSE(err, "queue");
    return enqueue_marker(queue, CL_COMMAND_BARRIER, SCHED_BARRIER, 0, NULL, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueWaitForEvents(cl_command_queue queue,
                                                           cl_uint num_events,
                                                           const cl_event *list) {
    if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue");
    if (!num_events || !list) REFUSE(CL_INVALID_VALUE, "no events");
    cl_int err = enqueue_check(queue, num_events, list);
    if (err == CL_INVALID_EVENT_WAIT_LIST) err = CL_INVALID_EVENT;
    if (err) REFUSE(err, "event list");
    return enqueue_marker(queue, CL_COMMAND_BARRIER, SCHED_BARRIER, num_events, list, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueMigrateMemObjects(
    cl_command_queue queue, cl_uint num_mems, const cl_mem *mems, cl_mem_migration_flags flags,
    cl_uint num_events, const cl_event *wait_list, cl_event *event) {
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    if (!num_mems || !mems) REFUSE(CL_INVALID_VALUE, "no memory objects");
    if (flags & ~known) REFUSE(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
    for (cl_uint i = 0; i < num_mems; i++) {
        err = enqueue_check_mem(queue, mems[i]);
        if (err) REFUSE(err, "memory object %u", i);
    }
    /* Contents move to a device when a command there uses them; the order is kept. */
    return enqueue_marker(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, 0, num_events, wait_list, event);
}
