/* SPDX-License-Identifier: MIT */
/* usm.c - cl_intel_unified_shared_memory 1.0: host and shared allocations are shared memory as
 * clSVMAlloc's (they stay in system memory: nothing migrates), device allocations are device
 * memory.
 */
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/enqueue.h"
#include "runtime/enqueue_svm.h"
#include "runtime/error.h"
#include "runtime/info.h"
#include "runtime/platform.h"
#include "runtime/queue.h"
#include "runtime/svm.h"

#define ALLOC_FLAGS                                                                                \
    (CL_MEM_ALLOC_WRITE_COMBINED_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL |             \
     CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL)

static cl_int parse_properties(const cl_mem_properties_intel *list, cl_bitfield *flags) {
    const cl_bitfield placement =
        CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;

    *flags = 0;
    for (; list && list[0]; list += 2) {
        if (list[0] != CL_MEM_ALLOC_FLAGS_INTEL || list[1] & ~(cl_bitfield)ALLOC_FLAGS)
            return CL_INVALID_PROPERTY;
        *flags = list[1];
    }
    return (*flags & placement) == placement ? CL_INVALID_PROPERTY : CL_SUCCESS;
}

static cl_int check_alloc(cl_context ctx, cl_device_id dev, size_t size, cl_uint align) {
    if (!obj_ok(ctx, &obj_type_context)) return CL_INVALID_CONTEXT;
    if (dev && (!obj_ok(dev, &obj_type_device) || context_device_index(ctx, dev) < 0))
        return CL_INVALID_DEVICE;
    if (platform_is_orphan()) return CL_OUT_OF_RESOURCES;
    if (!size) return CL_INVALID_BUFFER_SIZE;
    for (cl_uint i = 0; i < ctx->device_count; i++)
        if ((!dev || dev == ctx->devices[i]) && size > device_max_alloc(ctx->devices[i]))
            return CL_INVALID_BUFFER_SIZE;
    if (align & (align - 1) || align > 65536) return CL_INVALID_VALUE;
    return am_addresses_shared() ? CL_SUCCESS : CL_INVALID_OPERATION;
}

static void *usm_alloc(cl_context ctx, cl_device_id dev, cl_uint type,
                       const cl_mem_properties_intel *properties, size_t size, cl_uint align,
                       cl_int *errcode_ret, const char *function) {
    cl_bitfield flags = 0;
    cl_int err = check_alloc(ctx, dev, size, align);

    if (!err) err = parse_properties(properties, &flags);
    struct svm_region *r = NULL;
    if (!err) {
        enum am_mem_kind kind = type == CL_MEM_TYPE_DEVICE_INTEL ? AM_MEM_VRAM : AM_MEM_SYSTEM;
        r = svm_create(ctx, size, align, kind, dev ? context_device_index(ctx, dev) : 0);
        if (!r) err = CL_OUT_OF_RESOURCES;
    }
    if (err) err_refuse(err, function, "%zu bytes, alignment %u", size, align);
    if (errcode_ret) *errcode_ret = err;
    if (!r) return NULL;
    r->usm_type = type;
    r->usm_flags = flags;
    return (void *)(uintptr_t)r->base;
}

CL_API_ENTRY void *CL_API_CALL api_clHostMemAllocINTEL(cl_context context,
                                                       const cl_mem_properties_intel *properties,
                                                       size_t size, cl_uint alignment,
                                                       cl_int *errcode_ret) {
    return usm_alloc(context, NULL, CL_MEM_TYPE_HOST_INTEL, properties, size, alignment,
                     errcode_ret, __func__);
}

CL_API_ENTRY void *CL_API_CALL api_clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                                                         const cl_mem_properties_intel *properties,
                                                         size_t size, cl_uint alignment,
                                                         cl_int *errcode_ret) {
    if (!obj_ok(device, &obj_type_device)) REFUSE_NULL(CL_INVALID_DEVICE, "not a device");
    return usm_alloc(context, device, CL_MEM_TYPE_DEVICE_INTEL, properties, size, alignment,
                     errcode_ret, __func__);
}

CL_API_ENTRY void *CL_API_CALL api_clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                                                         const cl_mem_properties_intel *properties,
                                                         size_t size, cl_uint alignment,
                                                         cl_int *errcode_ret) {
    if (device && !obj_ok(device, &obj_type_device)) REFUSE_NULL(CL_INVALID_DEVICE, "not a device");
    return usm_alloc(context, device, CL_MEM_TYPE_SHARED_INTEL, properties, size, alignment,
                     errcode_ret, __func__);
}

CL_API_ENTRY cl_int CL_API_CALL api_clMemFreeINTEL(cl_context context, void *ptr) {
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    if (ptr && !svm_drop(context, ptr)) REFUSE(CL_INVALID_VALUE, "%p is no allocation", ptr);
    return CL_SUCCESS;
}

/* Which commands use an allocation is not known (kernels may follow pointers): waits for all. */
CL_API_ENTRY cl_int CL_API_CALL api_clMemBlockingFreeINTEL(cl_context context, void *ptr) {
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    if (ptr && !svm_is_shared(context, ptr, 0)) REFUSE(CL_INVALID_VALUE, "%p", ptr);
    sched_finish_context(context);
    return api_clMemFreeINTEL(context, ptr);
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetMemAllocInfoINTEL(cl_context context, const void *ptr,
                                                           cl_mem_info_intel param_name,
                                                           size_t param_value_size,
                                                           void *param_value,
                                                           size_t *param_value_size_ret) {
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    struct svm_region *r = svm_is_shared(context, ptr, 0) ? svm_get(ptr, 0) : NULL;
    struct {
        cl_unified_shared_memory_type_intel type;
        cl_device_id device;
        uint64_t base, size;
        cl_bitfield flags;
    } a = {.type = CL_MEM_TYPE_UNKNOWN_INTEL};
    if (r && r->usm_type) {
        a.type = r->usm_type;
        a.device = r->usm_type == CL_MEM_TYPE_HOST_INTEL ? NULL : r->usm_device;
        a.base = r->base;
        a.size = r->size;
        a.flags = r->usm_flags;
    }
    svm_put(r);
    switch (param_name) {
    case CL_MEM_ALLOC_TYPE_INTEL:
        INFO_VALUE(cl_unified_shared_memory_type_intel, a.type);
    case CL_MEM_ALLOC_BASE_PTR_INTEL:
        INFO_VALUE(void *, (void *)(uintptr_t)a.base);
    case CL_MEM_ALLOC_SIZE_INTEL:
        INFO_VALUE(size_t, a.size);
    case CL_MEM_ALLOC_DEVICE_INTEL:
        INFO_VALUE(cl_device_id, a.device);
    case CL_MEM_ALLOC_FLAGS_INTEL:
        INFO_VALUE(cl_mem_alloc_flags_intel, a.flags);
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetKernelArgMemPointerINTEL(cl_kernel kernel,
                                                                  cl_uint arg_index,
                                                                  const void *arg_value) {
    return api_clSetKernelArgSVMPointer(kernel, arg_index, arg_value);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueMemFillINTEL(cl_command_queue queue, void *dst,
                                                          const void *pattern, size_t pattern_size,
                                                          size_t size, cl_uint num_events,
                                                          const cl_event *wait_list,
                                                          cl_event *event) {
    return enqueue_svm_fill(queue, CL_COMMAND_MEMFILL_INTEL, dst, pattern, pattern_size, size,
                            __func__, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking,
                                                         void *dst, const void *src, size_t size,
                                                         cl_uint num_events,
                                                         const cl_event *wait_list,
                                                         cl_event *event) {
    return enqueue_svm_copy(queue, CL_COMMAND_MEMCPY_INTEL, blocking, dst, src, size, __func__,
                            num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueMigrateMemINTEL(
    cl_command_queue queue, const void *ptr, size_t size, cl_mem_migration_flags flags,
    cl_uint num_events, const cl_event *wait_list, cl_event *event) {
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    if (flags & ~known) REFUSE(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
    if (!svm_is_shared(queue->ctx, ptr, size)) REFUSE(CL_INVALID_VALUE, "%p + %zu", ptr, size);
    return enqueue_marker(queue, CL_COMMAND_MIGRATEMEM_INTEL, 0, num_events, wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *ptr,
                                                            size_t size, cl_mem_advice_intel advice,
                                                            cl_uint num_events,
                                                            const cl_event *wait_list,
                                                            cl_event *event) {
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    if (advice) REFUSE(CL_INVALID_VALUE, "advice 0x%x: none is defined", advice);
    if (!svm_is_shared(queue->ctx, ptr, size)) REFUSE(CL_INVALID_VALUE, "%p + %zu", ptr, size);
    return enqueue_marker(queue, CL_COMMAND_MEMADVISE_INTEL, 0, num_events, wait_list, event);
}
