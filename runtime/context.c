/* SPDX-License-Identifier: MIT */
#include "runtime/context.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/info.h"
#include "runtime/platform.h"

static void context_destroy(void *object) {
    cl_context ctx = object;

    for (struct context_callback *cb = ctx->destructors, *next; cb; cb = next) {
        next = cb->next;
        cb->fn(ctx, cb->user_data);
        free(cb);
    }
    pthread_mutex_destroy(&ctx->lock);
    free(ctx->properties);
    free(ctx->devices);
    ctx->obj.type = NULL;
    free(ctx);
}

const struct obj_type obj_type_context = {"context", context_destroy};

int context_device_index(cl_context ctx, cl_device_id dev) {
    for (cl_uint i = 0; i < ctx->device_count; i++)
        if (ctx->devices[i] == dev) return (int)i;
    return -1;
}

struct notification {
    cl_context ctx;
    char text[];
};

static void notification_run(void *arg) {
    struct notification *n = arg;

    n->ctx->notify(n->text, NULL, 0, n->ctx->notify_data);
    obj_put(n->ctx);
    free(n);
}

void context_notify(cl_context ctx, const char *message) {
    if (!ctx->notify) return;
    size_t size = strlen(message) + 1;
    struct notification *n = malloc(sizeof *n + size);
    if (!n) return;
    n->ctx = obj_get(ctx);
    memcpy(n->text, message, size);
    sched_call_back(notification_run, n);
}

static cl_int check_properties(const cl_context_properties *props, size_t *count) {
    *count = 0;
    bool platform_seen = false, sync_seen = false;
    for (; props && props[*count]; *count += 2) {
        cl_context_properties name = props[*count], value = props[*count + 1];
        if (name == CL_CONTEXT_PLATFORM && !platform_seen) {
            if ((cl_platform_id)value != platform_get()) return CL_INVALID_PLATFORM;
            platform_seen = true;
        } else if (name == CL_CONTEXT_INTEROP_USER_SYNC && !sync_seen) {
            if (value != CL_TRUE && value != CL_FALSE) return CL_INVALID_PROPERTY;
            sync_seen = true;
        } else {
            return CL_INVALID_PROPERTY;
        }
    }
    if (props) ++*count;
    return CL_SUCCESS;
}

/* A list of devices without the ones named twice. */
static cl_int copy_devices(cl_context ctx, cl_uint n, const cl_device_id *devices) {
    ctx->devices = calloc(n, sizeof *ctx->devices);
    if (!ctx->devices) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < n; i++)
        if (context_device_index(ctx, devices[i]) < 0)
            ctx->devices[ctx->device_count++] = devices[i];
    return CL_SUCCESS;
}

static cl_int open_devices(cl_context ctx) {
    for (cl_uint i = 0; i < ctx->device_count; i++) {
        char reason[640];
        cl_int err = device_open(ctx->devices[i], reason, sizeof reason);
        if (err) {
            context_notify(ctx, reason);
            return err;
        }
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_context CL_API_CALL api_clCreateContext(
    const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
    void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *), void *user_data,
    cl_int *errcode_ret) {
    size_t property_count;
    cl_int err = check_properties(properties, &property_count);

    if (err) REFUSE_NULL(err, "properties");
    if (!devices || !num_devices) REFUSE_NULL(CL_INVALID_VALUE, "no devices");
    if (!pfn_notify && user_data) REFUSE_NULL(CL_INVALID_VALUE, "user_data without pfn_notify");
    for (cl_uint i = 0; i < num_devices; i++)
        if (!obj_ok(devices[i], &obj_type_device))
            REFUSE_NULL(CL_INVALID_DEVICE, "device %u of the list", i);

    cl_context ctx = calloc(1, sizeof *ctx);
    if (!ctx) REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "object");
    obj_init(&ctx->obj, &obj_type_context);
    pthread_mutex_init(&ctx->lock, NULL);
    ctx->notify = pfn_notify;
    ctx->notify_data = user_data;
    err = copy_devices(ctx, num_devices, devices);
    if (!err && ctx->device_count > 32) err = CL_INVALID_VALUE; /* backing.valid has 32 bits */
    if (!err && property_count) {
        ctx->properties = malloc(property_count * sizeof *properties);
        if (!ctx->properties) err = CL_OUT_OF_HOST_MEMORY;
    }
    if (!err && property_count) {
        memcpy(ctx->properties, properties, property_count * sizeof *properties);
        ctx->property_count = property_count;
    }
    if (!err) err = open_devices(ctx);
    if (err) {
        obj_put(ctx);
        REFUSE_NULL(err, "the context could not be made");
    }
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return ctx;
}

CL_API_ENTRY cl_context CL_API_CALL api_clCreateContextFromType(
    const cl_context_properties *properties, cl_device_type device_type,
    void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *), void *user_data,
    cl_int *errcode_ret) {
    size_t property_count;
    cl_int err = check_properties(properties, &property_count);

    if (err) REFUSE_NULL(err, "properties");
    cl_uint n = 0;
    err = api_clGetDeviceIDs(platform_get(), device_type, 0, NULL, &n);
    if (err) REFUSE_NULL(err, "no device of type 0x%llx", (unsigned long long)device_type);
    cl_device_id *devices = calloc(n, sizeof *devices);
    if (!devices) REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "device list");
    api_clGetDeviceIDs(platform_get(), device_type, n, devices, NULL);
    cl_context ctx =
        api_clCreateContext(properties, n, devices, pfn_notify, user_data, errcode_ret);
    free(devices);
    return ctx;
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainContext(cl_context context) {
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    obj_user_retain(context);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseContext(cl_context context) {
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    obj_user_release(context);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetContextDestructorCallback(
    cl_context context, void(CL_CALLBACK *pfn_notify)(cl_context, void *), void *user_data) {
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    if (!pfn_notify) REFUSE(CL_INVALID_VALUE, "pfn_notify is NULL");
    struct context_callback *cb = malloc(sizeof *cb);
    if (!cb) return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&context->lock);
    *cb = (struct context_callback){pfn_notify, user_data, context->destructors};
    context->destructors = cb;
    pthread_mutex_unlock(&context->lock);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetContextInfo(cl_context context, cl_context_info param_name,
                                                     size_t param_value_size, void *param_value,
                                                     size_t *param_value_size_ret) {
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        INFO_VALUE(cl_uint, obj_user_count(context));
    case CL_CONTEXT_NUM_DEVICES:
        INFO_VALUE(cl_uint, context->device_count);
    case CL_CONTEXT_DEVICES:
        INFO_BYTES(context->devices, context->device_count * sizeof(cl_device_id));
    case CL_CONTEXT_PROPERTIES:
        INFO_BYTES(context->properties, context->property_count * sizeof(cl_context_properties));
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}
