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

CL_API_ENTRY cl_int CL_API_CALL api_clGetKernelSubGroupInfo(
    cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name, size_t input_size,
    const void *input, size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
    (void)param_name, (void)input_size, (void)input;
    (void)param_value_size, (void)param_value, (void)param_value_size_ret;
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    if (!query_device(kernel, &device))
        REFUSE(CL_INVALID_DEVICE, "the kernel is not built for that device");
    REFUSE(CL_INVALID_OPERATION, "sub-groups are not supported");
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetKernelSubGroupInfoKHR(
    cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name, size_t input_size,
    const void *input, size_t param_value_size, void *param_value, size_t *param_value_size_ret) {
    return api_clGetKernelSubGroupInfo(kernel, device, param_name, input_size, input,
                                       param_value_size, param_value, param_value_size_ret);
}
