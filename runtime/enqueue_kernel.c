/* SPDX-License-Identifier: MIT */
/* enqueue_kernel.c - checks of clEnqueueNDRangeKernel and its relatives. */
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/enqueue.h"
#include "runtime/error.h"
#include "runtime/image.h"
#include "runtime/launch.h"
#include "runtime/mem.h"
#include "runtime/queue.h"
#include "runtime/sampler.h"
#include "runtime/scheduler.h"

static cl_int check_args(cl_command_queue queue, cl_kernel kernel, cl_uint *buffers) {
    cl_uint samplers = 0;

    *buffers = 0;
    for (uint32_t i = 0; i < kernel->info->explicit_arg_count; i++) {
        const struct kernel_arg *arg = &kernel->args[i];
        if (!arg->set) return CL_INVALID_KERNEL_ARGS;
        if (arg->sampler) {
            if (++samplers > DEVICE_MAX_SAMPLERS) return CL_OUT_OF_RESOURCES;
            if (!sampler_descriptor_va(arg->sampler, queue->device_index))
                return CL_OUT_OF_RESOURCES;
        }
        if (!arg->mem) continue;
        ++*buffers;
        if (!mem_try_get(arg->mem)) return CL_INVALID_KERNEL_ARGS; /* released since it was set */
        int rc = mem_allocate(arg->mem, queue->device_index);
        bool bad_image =
            !rc && arg->mem->image && !image_descriptor_va(arg->mem, queue->device_index);
        obj_put(arg->mem);
        if (rc) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        if (bad_image) return CL_INVALID_IMAGE_SIZE; /* the device cannot address it */
    }
    return CL_SUCCESS;
}

/* global and offset; *empty: there is nothing to run. */
static cl_int check_global(cl_uint dims, const size_t *offset, const size_t *global,
                           struct ndrange *nd, bool *empty) {
    if (dims < 1 || dims > 3) return CL_INVALID_WORK_DIMENSION;
    *nd = (struct ndrange){.dims = dims, .global = {1, 1, 1}, .local = {1, 1, 1}};
    *empty = !global;
    for (cl_uint i = 0; i < dims; i++) {
        size_t n = global ? global[i] : 0;
        if (n == 0) *empty = true;
        if (n > UINT32_MAX) return CL_INVALID_GLOBAL_WORK_SIZE;
        nd->global[i] = (uint32_t)n;
        nd->offset[i] = offset ? offset[i] : 0;
        if (nd->offset[i] > SIZE_MAX - n) return CL_INVALID_GLOBAL_OFFSET;
    }
    return CL_SUCCESS;
}

static cl_int check_local(const struct co_kernel *info, const size_t *local, struct ndrange *nd) {
    uint32_t max = info->max_flat_workgroup_size;
    uint64_t total = 1;

    if (!max || max > DEVICE_MAX_WORK_GROUP) max = DEVICE_MAX_WORK_GROUP;
    bool reqd = info->reqd_workgroup_size[0] != 0;
    for (cl_uint i = 0; i < 3; i++) {
        size_t n = i >= nd->dims ? 1 : local ? local[i] : reqd ? info->reqd_workgroup_size[i] : 1;
        if (n > DEVICE_MAX_WORK_GROUP) return CL_INVALID_WORK_ITEM_SIZE;
        if (n == 0) return CL_INVALID_WORK_GROUP_SIZE;
        if (reqd && n != info->reqd_workgroup_size[i]) return CL_INVALID_WORK_GROUP_SIZE;
        nd->local[i] = (uint32_t)n;
        total *= n;
    }
    if (total > max) return CL_INVALID_WORK_GROUP_SIZE;
    if (!local && !reqd)
        launch_choose_local(nd->global, nd->dims, max,
                            info->wavefront_size ? info->wavefront_size : DEVICE_WAVEFRONT,
                            info->uniform_workgroup_size, nd->local);
    for (cl_uint i = 0; i < nd->dims; i++)
        if (info->uniform_workgroup_size && nd->global[i] % nd->local[i])
            return CL_INVALID_WORK_GROUP_SIZE;
    return CL_SUCCESS;
}

static cl_int enqueue_launch(cl_command_queue queue, cl_command_type type, cl_kernel kernel,
                             struct code *code, const struct co_kernel *info,
                             const struct ndrange *nd, cl_uint buffers, cl_uint num_events,
                             const cl_event *wait_list, cl_event *event) {
    int rc = code_load(code);

    if (rc) return err_to_cl(rc, CL_OUT_OF_RESOURCES);
    cl_event ev = event_create(queue, type, &launch_ops, buffers);
    if (!ev) return CL_OUT_OF_HOST_MEMORY;
    rc = launch_capture(ev, kernel, code, info, nd);
    if (rc) {
        event_discard(ev);
        return err_to_cl(rc, CL_OUT_OF_RESOURCES);
    }
    return enqueue_run(ev, CL_FALSE, num_events, wait_list, event);
}

static cl_int enqueue_ndrange(cl_command_queue queue, cl_command_type type, cl_kernel kernel,
                              cl_uint dims, const size_t *offset, const size_t *global,
                              const size_t *local, cl_uint num_events, const cl_event *wait_list,
                              cl_event *event) {
    struct code *code = NULL;
    struct ndrange nd;
    bool empty;
    cl_uint buffers;
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) return err;
    if (!obj_ok(kernel, &obj_type_kernel)) return CL_INVALID_KERNEL;
    if (kernel->ctx != queue->ctx) return CL_INVALID_CONTEXT;
    const struct co_kernel *info = kernel_on_device(kernel, queue->device, &code);
    if (!info) return CL_INVALID_PROGRAM_EXECUTABLE;
    err = check_global(dims, offset, global, &nd, &empty);
    if (!err) err = check_args(queue, kernel, &buffers);
    if (err) return err;
    if (empty) return enqueue_marker(queue, type, 0, num_events, wait_list, event);
    err = check_local(info, local, &nd);
    if (err) return err;
    if (kernel_local_bytes(kernel, info) > DEVICE_LDS_BYTES) return CL_OUT_OF_RESOURCES;
    return enqueue_launch(queue, type, kernel, code, info, &nd, buffers, num_events, wait_list,
                          event);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueNDRangeKernel(
    cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
    const size_t *global_work_size, const size_t *local_work_size, cl_uint num_events,
    const cl_event *wait_list, cl_event *event) {
    cl_int err =
        enqueue_ndrange(queue, CL_COMMAND_NDRANGE_KERNEL, kernel, work_dim, global_work_offset,
                        global_work_size, local_work_size, num_events, wait_list, event);

    if (err) REFUSE(err, "%s", obj_ok(kernel, &obj_type_kernel) ? kernel->info->name : "-");
    return CL_SUCCESS;
}

/* cl_khr_suggested_local_work_size: what a NULL local size becomes. */
CL_API_ENTRY cl_int CL_API_CALL api_clGetKernelSuggestedLocalWorkSizeKHR(
    cl_command_queue queue, cl_kernel kernel, cl_uint work_dim, const size_t *global_work_offset,
    const size_t *global_work_size, size_t *suggested) {
    struct ndrange nd;
    bool empty;
    cl_uint buffers;
    cl_int err = enqueue_check(queue, 0, NULL);

    if (err) REFUSE(err, "queue");
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    if (kernel->ctx != queue->ctx) REFUSE(CL_INVALID_CONTEXT, "queue and kernel");
    const struct co_kernel *info = kernel_on_device(kernel, queue->device, NULL);
    if (!info) REFUSE(CL_INVALID_PROGRAM_EXECUTABLE, "not built for the device of the queue");
    err = check_global(work_dim, global_work_offset, global_work_size, &nd, &empty);
    if (!err && empty) err = CL_INVALID_GLOBAL_WORK_SIZE;
    if (!err && !suggested) err = CL_INVALID_VALUE;
    if (!err) err = check_args(queue, kernel, &buffers);
    if (!err) err = check_local(info, NULL, &nd);
    if (err) REFUSE(err, "%s", info->name);
    for (cl_uint i = 0; i < work_dim; i++)
        suggested[i] = nd.local[i];
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
                                                  cl_uint num_events, const cl_event *wait_list,
                                                  cl_event *event) {
    const size_t one = 1;
    cl_int err = enqueue_ndrange(queue, CL_COMMAND_TASK, kernel, 1, NULL, &one, &one, num_events,
                                 wait_list, event);

    if (err) REFUSE(err, "%s", obj_ok(kernel, &obj_type_kernel) ? kernel->info->name : "-");
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueNativeKernel(
    cl_command_queue queue, void(CL_CALLBACK *user_func)(void *), void *args, size_t cb_args,
    cl_uint num_mems, const cl_mem *mems, const void **args_mem_loc, cl_uint num_events,
    const cl_event *wait_list, cl_event *event) {
    (void)args, (void)cb_args, (void)num_mems, (void)mems, (void)args_mem_loc, (void)event;
    cl_int err = enqueue_check(queue, num_events, wait_list);

    if (err) REFUSE(err, "queue or wait list");
    if (!user_func) REFUSE(CL_INVALID_VALUE, "user_func is NULL");
    REFUSE(CL_INVALID_OPERATION, "native kernels are not supported");
}
