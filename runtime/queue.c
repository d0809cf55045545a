/* SPDX-License-Identifier: MIT */
#include "runtime/queue.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/info.h"
#include "runtime/platform.h"
#include "runtime/scheduler.h"

static void queue_destroy(void *object) {
    cl_command_queue q = object;
    cl_context ctx = q->ctx;

    free(q->property_list);
    q->obj.type = NULL;
    free(q);
    obj_put(ctx);
}

const struct obj_type obj_type_queue = {"command queue", queue_destroy};

static cl_command_queue queue_create(cl_context ctx, cl_device_id device,
                                     cl_command_queue_properties properties) {
    cl_command_queue q = calloc(1, sizeof *q);

    if (!q) return NULL;
    obj_init(&q->obj, &obj_type_queue);
    q->ctx = obj_get(ctx);
    q->device = device;
    q->device_index = context_device_index(ctx, device);
    q->properties = properties;
    return q;
}

#define HOST_PROPERTIES (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
#define ALL_PROPERTIES  (HOST_PROPERTIES | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)

static cl_int check_queue(cl_context ctx, cl_device_id device,
                          cl_command_queue_properties properties) {
    if (!obj_ok(ctx, &obj_type_context)) return CL_INVALID_CONTEXT;
    if (!obj_ok(device, &obj_type_device)) return CL_INVALID_DEVICE;
    if (context_device_index(ctx, device) < 0) return CL_INVALID_DEVICE;
    if (properties & ~(cl_command_queue_properties)ALL_PROPERTIES) return CL_INVALID_VALUE;
    if (properties & ~(cl_command_queue_properties)HOST_PROPERTIES)
        return CL_INVALID_QUEUE_PROPERTIES; /* there are no on-device queues */
    if (platform_is_orphan()) return CL_OUT_OF_RESOURCES;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_command_queue CL_API_CALL
api_clCreateCommandQueue(cl_context context, cl_device_id device,
                         cl_command_queue_properties properties, cl_int *errcode_ret) {
    cl_int err = check_queue(context, device, properties);

    if (err) REFUSE_NULL(err, "properties 0x%llx", (unsigned long long)properties);
    cl_command_queue q = queue_create(context, device, properties);
    if (!q) REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "object");
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return q;
}

static int property_index(cl_queue_properties name) {
    static const cl_queue_properties known[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE,
                                                CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR};

    for (int i = 0; i < 4; i++)
        if (known[i] == name) return i;
    return -1;
}

CL_API_ENTRY cl_command_queue CL_API_CALL api_clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *list, cl_int *errcode_ret) {
    cl_command_queue_properties properties = 0;
    size_t n = 0;
    bool seen[4] = {false};

    for (; list && list[n]; n += 2) {
        int which = property_index(list[n]);
        if (which < 0 || seen[which])
            REFUSE_NULL(CL_INVALID_VALUE, "property 0x%llx", (unsigned long long)list[n]);
        seen[which] = true;
        if (which == 0) properties = list[n + 1];
        /* Hints of cl_khr_priority_hints and cl_khr_throttle_hints: one of three bits. All queues
         * share a ring that serves commands in order, so they change nothing. */
        if (which >= 2 && list[n + 1] != 1 && list[n + 1] != 2 && list[n + 1] != 4)
            REFUSE_NULL(CL_INVALID_VALUE, "hint 0x%llx", (unsigned long long)list[n + 1]);
    }
    cl_int err = check_queue(context, device, properties);
    if (err) REFUSE_NULL(err, "properties 0x%llx", (unsigned long long)properties);
    /* A size belongs to on-device queues. */
    if (seen[1]) REFUSE_NULL(CL_INVALID_VALUE, "CL_QUEUE_SIZE for a queue on the host");
    cl_command_queue q = queue_create(context, device, properties);
    if (q && list) {
        q->property_list_count = n + 1;
        q->property_list = calloc(n + 1, sizeof *list);
        if (q->property_list) memcpy(q->property_list, list, (n + 1) * sizeof *list);
    }
    if (!q || (list && !q->property_list)) {
        obj_put(q);
        REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "object");
    }
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return q;
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainCommandQueue(cl_command_queue queue) {
    if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue");
    obj_user_retain(queue);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseCommandQueue(cl_command_queue queue) {
    if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue");
    /* What is in flight shall end although nobody can wait for the queue any more. */
    if (obj_user_count(queue) == 1) sched_attend(queue->device);
    obj_user_release(queue);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetCommandQueueInfo(cl_command_queue queue,
                                                          cl_command_queue_info param_name,
                                                          size_t param_value_size,
                                                          void *param_value,
                                                          size_t *param_value_size_ret) {
    if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue");
    switch (param_name) {
    case CL_QUEUE_CONTEXT:
        INFO_VALUE(cl_context, queue->ctx);
    case CL_QUEUE_DEVICE:
        INFO_VALUE(cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        INFO_VALUE(cl_uint, obj_user_count(queue));
    case CL_QUEUE_PROPERTIES:
        INFO_VALUE(cl_command_queue_properties, queue->properties);
    case CL_QUEUE_PROPERTIES_ARRAY:
        INFO_BYTES(queue->property_list, queue->property_list_count * sizeof(cl_queue_properties));
    case CL_QUEUE_SIZE:
        REFUSE(CL_INVALID_COMMAND_QUEUE, "not an on-device queue");
    case CL_QUEUE_DEVICE_DEFAULT:
        INFO_VALUE(cl_command_queue, NULL);
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

/* Deprecated since 1.1; devices of 1.1 and later need not implement it. */
CL_API_ENTRY cl_int CL_API_CALL api_clSetCommandQueueProperty(cl_command_queue queue,
                                                              cl_command_queue_properties props,
                                                              cl_bool enable,
                                                              cl_command_queue_properties *old) {
    (void)props, (void)enable, (void)old;
    if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue");
    REFUSE(CL_INVALID_OPERATION, "properties of a queue cannot be changed");
}

CL_API_ENTRY cl_int CL_API_CALL api_clFlush(cl_command_queue queue) {
    if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue");
    if (platform_is_orphan()) REFUSE(CL_OUT_OF_RESOURCES, "forked child");
    return CL_SUCCESS; /* what can go to the device is there already */
}

CL_API_ENTRY cl_int CL_API_CALL api_clFinish(cl_command_queue queue) {
    if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue");
    if (platform_is_orphan()) REFUSE(CL_OUT_OF_RESOURCES, "forked child");
    return sched_finish(queue);
}
