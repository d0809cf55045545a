/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/info.h"
#include "runtime/kernel.h"

CL_API_ENTRY cl_int CL_API_CALL api_clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name,
                                                    size_t param_value_size, void *param_value,
                                                    size_t *param_value_size_ret) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    const struct co_kernel *info = kernel->info;
    switch (param_name) {
    case CL_KERNEL_FUNCTION_NAME:
        INFO_STRING(info->name);
    case CL_KERNEL_NUM_ARGS:
        INFO_VALUE(cl_uint, info->explicit_arg_count);
    case CL_KERNEL_REFERENCE_COUNT:
        INFO_VALUE(cl_uint, obj_user_count(kernel));
    case CL_KERNEL_CONTEXT:
        INFO_VALUE(cl_context, kernel->ctx);
    case CL_KERNEL_PROGRAM:
        INFO_VALUE(cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        INFO_STRING(info->attributes ? info->attributes : "");
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

static cl_uint address_qualifier(const struct co_arg *a) {
    if (a->address_space) return a->address_space;
    switch (a->kind) {
    case CO_ARG_GLOBAL_BUFFER:
    case CO_ARG_IMAGE:
    case CO_ARG_PIPE:
        return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case CO_ARG_DYNAMIC_SHARED_POINTER:
        return CL_KERNEL_ARG_ADDRESS_LOCAL;
    default:
        return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index,
                                                       cl_kernel_arg_info param_name,
                                                       size_t param_value_size, void *param_value,
                                                       size_t *param_value_size_ret) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    if (arg_index >= kernel->info->explicit_arg_count)
        REFUSE(CL_INVALID_ARG_INDEX, "%s has no argument %u", kernel->info->name, arg_index);
    const struct co_arg *a = &kernel->info->args[arg_index];
    if (param_name < CL_KERNEL_ARG_ADDRESS_QUALIFIER || param_name > CL_KERNEL_ARG_NAME)
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    /* Names are recorded with -cl-kernel-arg-info only; so is the rest, to be the same for all. */
    if (!a->name || !a->type_name)
        REFUSE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "not built with -cl-kernel-arg-info");
    switch (param_name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        INFO_VALUE(cl_kernel_arg_address_qualifier, address_qualifier(a));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        INFO_VALUE(cl_kernel_arg_access_qualifier,
                   a->access ? a->access : CL_KERNEL_ARG_ACCESS_NONE);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        INFO_VALUE(cl_kernel_arg_type_qualifier, a->type_qualifier);
    case CL_KERNEL_ARG_TYPE_NAME:
        INFO_STRING(a->type_name);
    default:
        INFO_STRING(a->name);
    }
}

/* The device that a query is about: the given one, or the only one. */
static const struct co_kernel *query_device(cl_kernel kernel, cl_device_id *device) {
    if (!*device && kernel->device_count == 1) *device = kernel->program->devices[0];
    if (!obj_ok(*device, &obj_type_device)) return NULL;
    return kernel_on_device(kernel, *device, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                             cl_kernel_work_group_info param_name,
                                                             size_t param_value_size,
                                                             void *param_value,
                                                             size_t *param_value_size_ret) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    const struct co_kernel *info = query_device(kernel, &device);
    if (!info) REFUSE(CL_INVALID_DEVICE, "the kernel is not built for that device");
    switch (param_name) {
    case CL_KERNEL_WORK_GROUP_SIZE: {
        size_t max = info->max_flat_workgroup_size;
        INFO_VALUE(size_t, max && max < DEVICE_MAX_WORK_GROUP ? max : DEVICE_MAX_WORK_GROUP);
    }
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
        size_t reqd[3];
        for (int i = 0; i < 3; i++)
            reqd[i] = info->reqd_workgroup_size[i];
        INFO_BYTES(reqd, sizeof reqd);
    }
    case CL_KERNEL_LOCAL_MEM_SIZE:
        INFO_VALUE(cl_ulong, kernel_local_bytes(kernel, info));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        INFO_VALUE(size_t, info->wavefront_size ? info->wavefront_size : DEVICE_WAVEFRONT);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        INFO_VALUE(cl_ulong, info->private_segment_fixed);
    case CL_KERNEL_GLOBAL_WORK_SIZE:
        REFUSE(CL_INVALID_VALUE, "neither a custom device nor a built-in kernel");
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

/* The local size given as input: one to three size_t. Returns the number of work-items, 0 when it
 * is not one that the kernel can be launched with. */
static size_t sub_group_items(const struct co_kernel *info, size_t input_size, const void *input) {
    size_t dims = input_size / sizeof(size_t), total = 1, max = info->max_flat_workgroup_size;
    const size_t *local = input;

    if (!max || max > DEVICE_MAX_WORK_GROUP) max = DEVICE_MAX_WORK_GROUP;
    for (size_t i = 0; i < dims; i++) {
        if (!local[i] || local[i] > max / total) return 0;
        total *= local[i];
    }
    return total;
}

/* The local size for a number of sub-groups: one-dimensional, all of them full; zeros when the
 * kernel cannot be launched so. */
static void sub_group_local_size(const struct co_kernel *info, size_t groups, size_t *local,
                                 size_t dims) {
    size_t wave = info->wavefront_size ? info->wavefront_size : DEVICE_WAVEFRONT;
    size_t max = info->max_flat_workgroup_size;
    const uint32_t *reqd = info->reqd_workgroup_size;
    size_t total = (size_t)reqd[0] * reqd[1] * reqd[2];
    bool fits;

    if (!max || max > DEVICE_MAX_WORK_GROUP) max = DEVICE_MAX_WORK_GROUP;
    fits = groups && groups <= max / wave && (!total || total == groups * wave);
    for (size_t i = 0; i < dims; i++) {
        local[i] = fits;
        if (fits && total) local[i] = reqd[i];
        if (fits && !total && i == 0) local[i] = groups * wave;
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetKernelSubGroupInfo(
    cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name, size_t input_size,
    const void *input, size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    const struct co_kernel *info = query_device(kernel, &device);
    if (!info) REFUSE(CL_INVALID_DEVICE, "the kernel is not built for that device");
    const size_t wave = info->wavefront_size ? info->wavefront_size : DEVICE_WAVEFRONT;
    switch (param_name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: {
        if (!input || !input_size || input_size % sizeof(size_t) || input_size / sizeof(size_t) > 3)
            REFUSE(CL_INVALID_VALUE, "a local size of one to three size_t is wanted as input");
        size_t items = sub_group_items(info, input_size, input);
        if (!items) REFUSE(CL_INVALID_VALUE, "%s cannot have that local size", info->name);
        if (param_name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE) INFO_VALUE(size_t, wave);
        INFO_VALUE(size_t, (items + wave - 1) / wave);
    }
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
        size_t local[3], groups, dims = param_value_size / sizeof(size_t);
        if (!input || input_size != sizeof(size_t))
            REFUSE(CL_INVALID_VALUE, "a number of sub-groups, a size_t, is wanted as input");
        if (param_value && (!dims || dims > 3 || param_value_size % sizeof(size_t)))
            REFUSE(CL_INVALID_VALUE, "the answer is one to three size_t");
        if (!param_value) dims = 3;
        memcpy(&groups, input, sizeof groups);
        sub_group_local_size(info, groups, local, dims);
        INFO_BYTES(local, dims * sizeof local[0]);
    }
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: {
        size_t max = info->max_flat_workgroup_size;
        if (!max || max > DEVICE_MAX_WORK_GROUP) max = DEVICE_MAX_WORK_GROUP;
        INFO_VALUE(size_t, (max + wave - 1) / wave);
    }
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        INFO_VALUE(size_t, 0); /* OpenCL C has no way to ask for a number */
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetKernelSubGroupInfoKHR(
    cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name, size_t input_size,
    const void *input, size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
    return api_clGetKernelSubGroupInfo(kernel, device, param_name, input_size, input,
                                       param_value_size, param_value, param_value_size_ret);
}
