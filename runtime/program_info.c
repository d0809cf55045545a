/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "runtime/error.h"
#include "runtime/info.h"
#include "runtime/program.h"

#define PARAMS                                                                                     \
    cl_program program, cl_program_info param_name, size_t param_value_size, void *param_value,    \
        size_t *param_value_size_ret

/* CL_PROGRAM_BINARIES: the value is an array of pointers to fill in; NULL ones are skipped. */
static cl_int copy_binaries_locked(PARAMS) {
    size_t size = program->device_count * sizeof(unsigned char *);

    (void)param_name;
    if (param_value_size_ret) *param_value_size_ret = size;
    if (!param_value) return CL_SUCCESS;
    if (param_value_size < size) return CL_INVALID_VALUE;
    unsigned char **places = param_value;
    for (cl_uint i = 0; i < program->device_count; i++)
        if (places[i] && program->builds[i].binary)
            memcpy(places[i], program->builds[i].binary, program->builds[i].binary_size);
    return CL_SUCCESS;
}

static cl_int copy_binary_sizes_locked(PARAMS) {
    size_t n = program->device_count;

    (void)param_name;
    if (param_value && param_value_size < n * sizeof(size_t)) return CL_INVALID_VALUE;
    for (size_t i = 0; param_value && i < n; i++)
        ((size_t *)param_value)[i] = program->builds[i].binary_size;
    if (param_value_size_ret) *param_value_size_ret = n * sizeof(size_t);
    return CL_SUCCESS;
}

static cl_int copy_kernel_names(const struct code_object *co, size_t param_value_size,
                                void *param_value, size_t *param_value_size_ret) {
    size_t size = 1;

    for (size_t i = 0; i < co->kernel_count; i++)
        size += strlen(co->kernels[i].name) + 1;
    char *text = calloc(1, size);
    if (!text) return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0, at = 0; i < co->kernel_count; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ";" : "", co->kernels[i].name);
    cl_int err =
        info_copy(param_value_size, param_value, param_value_size_ret, text, strlen(text) + 1);
    free(text);
    return err;
}

static cl_int info_locked(PARAMS) {
    const struct code_object *co = program_any_code_locked(program);

    switch (param_name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        INFO_VALUE(cl_uint, obj_user_count(program));
    case CL_PROGRAM_CONTEXT:
        INFO_VALUE(cl_context, program->ctx);
    case CL_PROGRAM_NUM_DEVICES:
        INFO_VALUE(cl_uint, program->device_count);
    case CL_PROGRAM_DEVICES:
        INFO_BYTES(program->devices, program->device_count * sizeof(cl_device_id));
    case CL_PROGRAM_SOURCE:
        INFO_STRING(program->source ? program->source : "");
    case CL_PROGRAM_BINARY_SIZES:
        return copy_binary_sizes_locked(program, param_name, param_value_size, param_value,
                                        param_value_size_ret);
    case CL_PROGRAM_BINARIES:
        return copy_binaries_locked(program, param_name, param_value_size, param_value,
                                    param_value_size_ret);
    case CL_PROGRAM_NUM_KERNELS:
        if (!co) REFUSE(CL_INVALID_PROGRAM_EXECUTABLE, "not built");
        INFO_VALUE(size_t, co->kernel_count);
    case CL_PROGRAM_KERNEL_NAMES:
        if (!co) REFUSE(CL_INVALID_PROGRAM_EXECUTABLE, "not built");
        return copy_kernel_names(co, param_value_size, param_value, param_value_size_ret);
    case CL_PROGRAM_IL:
        INFO_BYTES(NULL, 0);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        INFO_VALUE(cl_bool, CL_FALSE);
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetProgramInfo(PARAMS) {
    if (!obj_ok(program, &obj_type_program)) REFUSE(CL_INVALID_PROGRAM, "not a program");
    pthread_mutex_lock(&program->lock);
    cl_int err =
        info_locked(program, param_name, param_value_size, param_value, param_value_size_ret);
    pthread_mutex_unlock(&program->lock);
    return err;
}

static cl_int build_info_locked(const struct build *b, cl_program_build_info param_name,
                                size_t param_value_size, void *param_value,
                                size_t *param_value_size_ret) {
    switch (param_name) {
    case CL_PROGRAM_BUILD_STATUS:
        INFO_VALUE(cl_build_status, b->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        INFO_STRING(b->options ? b->options : "");
    case CL_PROGRAM_BUILD_LOG:
        INFO_STRING(b->log ? b->log : "");
    case CL_PROGRAM_BINARY_TYPE:
        INFO_VALUE(cl_program_binary_type, b->type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        INFO_VALUE(size_t, b->code ? b->code->co->global_variable_size : 0);
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                          cl_program_build_info param_name,
                                                          size_t param_value_size,
                                                          void *param_value,
                                                          size_t *param_value_size_ret) {
    if (!obj_ok(program, &obj_type_program)) REFUSE(CL_INVALID_PROGRAM, "not a program");
    int i = obj_ok(device, &obj_type_device) ? program_device_index(program, device) : -1;
    if (i < 0) REFUSE(CL_INVALID_DEVICE, "not a device of the program");
    pthread_mutex_lock(&program->lock);
    cl_int err = build_info_locked(&program->builds[i], param_name, param_value_size, param_value,
                                   param_value_size_ret);
    pthread_mutex_unlock(&program->lock);
    return err;
}
