/* SPDX-License-Identifier: MIT */
#include "runtime/event.h"

#include <stdlib.h>

#include "runtime/context.h"
#include "runtime/error.h"
#include "runtime/info.h"
#include "runtime/mem.h"
#include "runtime/platform.h"
#include "runtime/queue.h"
#include "runtime/scheduler.h"

static void event_destroy(void *object) {
    cl_event ev = object;

    if (ev->ops && ev->ops->release) ev->ops->release(ev);
    for (cl_uint i = 0; i < ev->mem_count; i++)
        obj_put(ev->mems[i]);
    if (ev->mems != ev->mem_inline) free(ev->mems);
    if (ev->in_edges != ev->edges_inline) free(ev->in_edges);
    for (struct event_callback *cb = ev->callbacks, *next; cb; cb = next) {
        next = cb->next;
        free(cb);
    }
    cl_context ctx = ev->ctx;
    cl_command_queue queue = ev->queue;
    ev->obj.type = NULL;
    free(ev);
    obj_put(queue);
    obj_put(ctx);
}

const struct obj_type obj_type_event = {"event", event_destroy};

static cl_event event_alloc(cl_context ctx, cl_command_type type) {
    cl_event ev = calloc(1, sizeof *ev);

    if (!ev) return NULL;
    obj_init(&ev->obj, &obj_type_event);
    ev->ctx = obj_get(ctx);
    ev->type = type;
    ev->mems = ev->mem_inline;
    ev->in_edges = ev->edges_inline;
    return ev;
}

cl_event event_create(cl_command_queue queue, cl_command_type type, const struct cmd_ops *ops,
                      cl_uint mem_count) {
    cl_event ev = event_alloc(queue->ctx, type);

    if (!ev) return NULL;
    if (mem_count > sizeof ev->mem_inline / sizeof ev->mem_inline[0]) {
        ev->mems = calloc(mem_count, sizeof *ev->mems);
        if (!ev->mems) {
            ev->mems = ev->mem_inline;
            obj_put(ev);
            return NULL;
        }
    }
    ev->mem_count = mem_count;
    ev->queue = obj_get(queue);
    ev->ops = ops;
    ev->node.device = queue->device;
    ev->node.marker = ops->submit == NULL && ops->run == NULL;
    atomic_init(&ev->status, CL_QUEUED);
    return ev;
}

void event_use_mem(cl_event ev, cl_uint i, cl_mem mem) {
    ev->mems[i] = obj_get(mem);
}

void event_discard(cl_event ev) {
    obj_put(ev);
}

cl_int event_check_wait_list(cl_context ctx, cl_uint count, const cl_event *list) {
    if (!list != !count) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++) {
        if (!obj_ok(list[i], &obj_type_event)) return CL_INVALID_EVENT_WAIT_LIST;
        if (list[i]->ctx != ctx) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_event CL_API_CALL api_clCreateUserEvent(cl_context context, cl_int *errcode_ret) {
    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (platform_is_orphan()) REFUSE_NULL(CL_OUT_OF_RESOURCES, "forked child");
    cl_event ev = event_alloc(context, CL_COMMAND_USER);
    if (!ev) REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "object");
    atomic_init(&ev->status, CL_SUBMITTED);
    obj_get(ev); /* until its status is set: commands may hang on it */
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return ev;
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetUserEventStatus(cl_event event, cl_int status) {
    if (!obj_ok(event, &obj_type_event) || event->queue)
        REFUSE(CL_INVALID_EVENT, "not a user event");
    if (status > CL_COMPLETE) REFUSE(CL_INVALID_VALUE, "status %d", status);
    if (platform_is_orphan()) REFUSE(CL_OUT_OF_RESOURCES, "forked child");
    return sched_set_user_status(event, status);
}

CL_API_ENTRY cl_int CL_API_CALL api_clWaitForEvents(cl_uint num_events, const cl_event *list) {
    cl_int result = CL_SUCCESS;

    if (!num_events || !list) REFUSE(CL_INVALID_VALUE, "no events");
    for (cl_uint i = 0; i < num_events; i++) {
        if (!obj_ok(list[i], &obj_type_event)) REFUSE(CL_INVALID_EVENT, "event %u", i);
        if (list[i]->ctx != list[0]->ctx) REFUSE(CL_INVALID_CONTEXT, "event %u", i);
    }
    if (platform_is_orphan()) REFUSE(CL_OUT_OF_RESOURCES, "forked child");
    for (cl_uint i = 0; i < num_events; i++)
        if (sched_wait(list[i]) < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return result;
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainEvent(cl_event event) {
    if (!obj_ok(event, &obj_type_event)) REFUSE(CL_INVALID_EVENT, "not an event");
    obj_user_retain(event);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseEvent(cl_event event) {
    if (!obj_ok(event, &obj_type_event)) REFUSE(CL_INVALID_EVENT, "not an event");
    /* A user event that nobody can set any more: what waits for it would wait for ever. */
    if (!event->queue && obj_user_count(event) == 1 && !platform_is_orphan())
        sched_set_user_status(event, CL_INVALID_EVENT);
    obj_user_release(event);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
api_clSetEventCallback(cl_event event, cl_int callback_type,
                       void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *), void *user_data) {
    if (!obj_ok(event, &obj_type_event)) REFUSE(CL_INVALID_EVENT, "not an event");
    if (!pfn_notify) REFUSE(CL_INVALID_VALUE, "pfn_notify is NULL");
    if (callback_type != CL_SUBMITTED && callback_type != CL_RUNNING &&
        callback_type != CL_COMPLETE)
        REFUSE(CL_INVALID_VALUE, "callback type %d", callback_type);
    if (platform_is_orphan()) REFUSE(CL_OUT_OF_RESOURCES, "forked child");
    return sched_add_callback(event, callback_type, pfn_notify, user_data);
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetEventInfo(cl_event event, cl_event_info param_name,
                                                   size_t param_value_size, void *param_value,
                                                   size_t *param_value_size_ret) {
    if (!obj_ok(event, &obj_type_event)) REFUSE(CL_INVALID_EVENT, "not an event");
    switch (param_name) {
    case CL_EVENT_COMMAND_QUEUE:
        INFO_VALUE(cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT:
        INFO_VALUE(cl_context, event->ctx);
    case CL_EVENT_COMMAND_TYPE:
        INFO_VALUE(cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        INFO_VALUE(cl_int, sched_poll(event));
    case CL_EVENT_REFERENCE_COUNT:
        INFO_VALUE(cl_uint, obj_user_count(event));
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetEventProfilingInfo(cl_event event,
                                                            cl_profiling_info param_name,
                                                            size_t param_value_size,
                                                            void *param_value,
                                                            size_t *param_value_size_ret) {
    if (!obj_ok(event, &obj_type_event)) REFUSE(CL_INVALID_EVENT, "not an event");
    if (param_name < CL_PROFILING_COMMAND_QUEUED || param_name > CL_PROFILING_COMMAND_COMPLETE)
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE))
        REFUSE(CL_PROFILING_INFO_NOT_AVAILABLE, "a user event, or a queue without profiling");
    if (sched_poll(event) != CL_COMPLETE)
        REFUSE(CL_PROFILING_INFO_NOT_AVAILABLE, "the command is not complete");
    switch (param_name) {
    case CL_PROFILING_COMMAND_QUEUED:
        INFO_VALUE(cl_ulong, event->queued_ns);
    case CL_PROFILING_COMMAND_SUBMIT:
        INFO_VALUE(cl_ulong, event->submit_ns);
    case CL_PROFILING_COMMAND_START:
        INFO_VALUE(cl_ulong, event->start_ns);
    default:
        INFO_VALUE(cl_ulong, event->end_ns); /* END, and COMPLETE: no child kernels */
    }
}
