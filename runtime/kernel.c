/* SPDX-License-Identifier: MIT */
#include "runtime/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/mem.h"
#include "runtime/platform.h"
#include "runtime/sampler.h"
#include "runtime/svm.h"

static void kernel_destroy(void *object) {
    cl_kernel k = object;

    for (cl_uint i = 0; k->args && i < k->info->explicit_arg_count; i++) {
        mem_drop_shell(k->args[i].mem);
        obj_put(k->args[i].sampler);
    }
    for (cl_uint i = 0; k->codes && i < k->device_count; i++)
        code_put(k->codes[i]);
    cl_program p = k->program;
    free(k->args);
    free(k->blob);
    free(k->codes);
    free(k->infos);
    k->obj.type = NULL;
    free(k);
    atomic_fetch_sub(&p->kernels, 1);
    obj_put(p);
}

const struct obj_type obj_type_kernel = {"kernel", kernel_destroy};

/* The kernel in every executable of the program, which is locked. */
static bool bind_locked(cl_kernel k, const char *name) {
    cl_program p = k->program;

    for (cl_uint i = 0; i < p->device_count; i++) {
        struct code *code = p->builds[i].code;
        const struct co_kernel *info = code ? co_find_kernel(code->co, name) : NULL;
        if (!info) continue;
        k->codes[i] = code_get(code);
        k->infos[i] = info;
        if (!k->info) k->info = info;
    }
    return k->info != NULL;
}

static bool same_signature(const struct co_kernel *a, const struct co_kernel *b) {
    if (a->explicit_arg_count != b->explicit_arg_count) return false;
    for (uint32_t i = 0; i < a->explicit_arg_count; i++)
        if (a->args[i].kind != b->args[i].kind || a->args[i].size != b->args[i].size) return false;
    return true;
}

static bool make_args(cl_kernel k) {
    uint32_t n = k->info->explicit_arg_count;
    size_t bytes = 0;

    k->args = calloc(n ? n : 1, sizeof *k->args);
    for (uint32_t i = 0; i < n; i++)
        bytes += k->info->args[i].size;
    k->blob = calloc(1, bytes ? bytes : 1);
    if (!k->args || !k->blob) return false;
    bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        k->args[i].value = k->blob + bytes;
        bytes += k->info->args[i].size;
    }
    return true;
}

static cl_kernel kernel_create_locked(cl_program p, const char *name, cl_int *err) {
    cl_kernel k = calloc(1, sizeof *k);

    *err = CL_OUT_OF_HOST_MEMORY;
    if (!k) return NULL;
    obj_init(&k->obj, &obj_type_kernel);
    k->program = obj_get(p);
    atomic_fetch_add(&p->kernels, 1);
    k->ctx = p->ctx;
    k->device_count = p->device_count;
    k->codes = calloc(p->device_count, sizeof *k->codes);
    k->infos = calloc(p->device_count, sizeof *k->infos);
    bool ok = k->codes && k->infos;
    if (ok && !bind_locked(k, name)) {
        *err = CL_INVALID_KERNEL_NAME;
        ok = false;
    }
    for (cl_uint i = 0; ok && i < k->device_count; i++)
        if (k->infos[i] && !same_signature(k->info, k->infos[i])) {
            *err = CL_INVALID_KERNEL_DEFINITION;
            ok = false;
        }
    if (ok && make_args(k)) {
        *err = CL_SUCCESS;
        return k;
    }
    obj_put(k);
    return NULL;
}

CL_API_ENTRY cl_kernel CL_API_CALL api_clCreateKernel(cl_program program, const char *kernel_name,
                                                      cl_int *errcode_ret) {
    cl_kernel k = NULL;
    cl_int err = CL_INVALID_PROGRAM_EXECUTABLE;

    if (!obj_ok(program, &obj_type_program)) REFUSE_NULL(CL_INVALID_PROGRAM, "not a program");
    if (!kernel_name) REFUSE_NULL(CL_INVALID_VALUE, "kernel_name is NULL");
    pthread_mutex_lock(&program->lock);
    if (!program->building && program_any_code_locked(program))
        k = kernel_create_locked(program, kernel_name, &err);
    pthread_mutex_unlock(&program->lock);
    if (!k) REFUSE_NULL(err, "kernel \"%s\"", kernel_name);
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return k;
}

CL_API_ENTRY cl_int CL_API_CALL api_clCreateKernelsInProgram(cl_program program,
                                                             cl_uint num_kernels,
                                                             cl_kernel *kernels,
                                                             cl_uint *num_kernels_ret) {
    cl_int err = CL_INVALID_PROGRAM_EXECUTABLE;
    cl_uint made = 0;

    if (!obj_ok(program, &obj_type_program)) REFUSE(CL_INVALID_PROGRAM, "not a program");
    pthread_mutex_lock(&program->lock);
    const struct code_object *co = program->building ? NULL : program_any_code_locked(program);
    if (co) {
        err = kernels && num_kernels < co->kernel_count ? CL_INVALID_VALUE : CL_SUCCESS;
        for (; !err && kernels && made < co->kernel_count; made++) {
            kernels[made] = kernel_create_locked(program, co->kernels[made].name, &err);
            if (!kernels[made]) break;
        }
        if (!err && num_kernels_ret) *num_kernels_ret = (cl_uint)co->kernel_count;
    }
    pthread_mutex_unlock(&program->lock);
    if (!err) return CL_SUCCESS;
    for (cl_uint i = 0; i < made; i++)
        obj_put(kernels[i]);
    REFUSE(err, "not built, or too few places");
}

CL_API_ENTRY cl_kernel CL_API_CALL api_clCloneKernel(cl_kernel source, cl_int *errcode_ret) {
    cl_int err;

    if (!obj_ok(source, &obj_type_kernel)) REFUSE_NULL(CL_INVALID_KERNEL, "not a kernel");
    pthread_mutex_lock(&source->program->lock);
    cl_kernel k = kernel_create_locked(source->program, source->info->name, &err);
    pthread_mutex_unlock(&source->program->lock);
    if (!k) REFUSE_NULL(err, "kernel \"%s\"", source->info->name);
    for (uint32_t i = 0; i < k->info->explicit_arg_count; i++) {
        uint8_t *value = k->args[i].value;
        memcpy(value, source->args[i].value, k->info->args[i].size);
        k->args[i] = source->args[i];
        k->args[i].value = value;
        if (k->args[i].mem) mem_hold_shell(k->args[i].mem);
        if (k->args[i].sampler) obj_get(k->args[i].sampler);
    }
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return k;
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainKernel(cl_kernel kernel) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    obj_user_retain(kernel);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseKernel(cl_kernel kernel) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    obj_user_release(kernel);
    return CL_SUCCESS;
}

const struct co_kernel *kernel_on_device(cl_kernel kernel, cl_device_id dev, struct code **code) {
    int i = program_device_index(kernel->program, dev);

    if (i < 0 || !kernel->infos[i]) return NULL;
    if (code) *code = kernel->codes[i];
    return kernel->infos[i];
}

static uint64_t align_up(uint64_t v, uint64_t a) {
    return (v + a - 1) / a * a;
}

uint64_t kernel_local_bytes(cl_kernel kernel, const struct co_kernel *info) {
    uint64_t at = info->group_segment_fixed;

    for (uint32_t i = 0; i < info->explicit_arg_count; i++) {
        const struct co_arg *a = &info->args[i];
        if (a->kind != CO_ARG_DYNAMIC_SHARED_POINTER) continue;
        at = align_up(at, a->pointee_align ? a->pointee_align : 16) + kernel->args[i].local_size;
    }
    return at;
}

/* ---- arguments ---- */

/* A memory object of that type; NULL is a null pointer where the type is a buffer. */
static cl_int set_buffer(cl_kernel kernel, struct kernel_arg *arg, cl_mem_object_type type,
                         size_t size, const void *value) {
    cl_mem mem = NULL;

    if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
    if (value) memcpy(&mem, value, sizeof mem);
    if (mem && (!obj_ok(mem, &obj_type_mem) || mem->ctx != kernel->ctx))
        return CL_INVALID_MEM_OBJECT;
    if (mem ? mem->type != type : type != CL_MEM_OBJECT_BUFFER) return CL_INVALID_MEM_OBJECT;
    if (mem) mem_hold_shell(mem);
    mem_drop_shell(arg->mem);
    arg->mem = mem;
    arg->pointer = 0;
    return CL_SUCCESS;
}

static cl_int set_image(cl_kernel kernel, const struct co_arg *a, struct kernel_arg *arg,
                        size_t size, const void *value) {
    cl_mem mem = NULL;

    if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
    if (value) memcpy(&mem, value, sizeof mem);
    if (!mem || !obj_ok(mem, &obj_type_mem) || !mem->image) return CL_INVALID_MEM_OBJECT;
    if (mem->ctx != kernel->ctx) return CL_INVALID_MEM_OBJECT;
    /* What the kernel does must be what the image is for. */
    if ((a->access == CL_KERNEL_ARG_ACCESS_READ_ONLY && mem->flags & CL_MEM_WRITE_ONLY) ||
        (a->access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY && mem->flags & CL_MEM_READ_ONLY) ||
        (a->access == CL_KERNEL_ARG_ACCESS_READ_WRITE &&
         mem->flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)))
        return CL_INVALID_ARG_VALUE;
    return set_buffer(kernel, arg, mem->type, size, value);
}

static cl_int set_sampler(cl_kernel kernel, struct kernel_arg *arg, size_t size,
                          const void *value) {
    cl_sampler s = NULL;

    if (size != sizeof s) return CL_INVALID_ARG_SIZE;
    if (value) memcpy(&s, value, sizeof s);
    if (!s || !obj_ok(s, &obj_type_sampler) || s->ctx != kernel->ctx) return CL_INVALID_SAMPLER;
    obj_get(s);
    obj_put(arg->sampler);
    arg->sampler = s;
    return CL_SUCCESS;
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    const struct co_arg *a = &kernel->info->args[index];
    struct kernel_arg *arg = &kernel->args[index];
    cl_int err = CL_SUCCESS;

    switch (a->kind) {
    case CO_ARG_BY_VALUE:
        if (!value) return CL_INVALID_ARG_VALUE;
        if (size != a->size) return CL_INVALID_ARG_SIZE;
        memcpy(arg->value, value, size);
        break;
    case CO_ARG_GLOBAL_BUFFER:
        err = set_buffer(kernel, arg, CL_MEM_OBJECT_BUFFER, size, value);
        break;
    case CO_ARG_PIPE:
        err = set_buffer(kernel, arg, CL_MEM_OBJECT_PIPE, size, value);
        break;
    case CO_ARG_DYNAMIC_SHARED_POINTER:
        if (value) return CL_INVALID_ARG_VALUE;
        if (!size || size > DEVICE_LDS_BYTES)
            return size ? CL_OUT_OF_RESOURCES : CL_INVALID_ARG_SIZE;
        arg->local_size = size;
        break;
    case CO_ARG_SAMPLER:
        err = set_sampler(kernel, arg, size, value);
        break;
    case CO_ARG_IMAGE:
        err = set_image(kernel, a, arg, size, value);
        break;
    case CO_ARG_QUEUE:
        return CL_INVALID_DEVICE_QUEUE;
    default:
        return CL_INVALID_ARG_VALUE;
    }
    if (!err) arg->set = true;
    return err;
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetKernelArg(cl_kernel kernel, cl_uint arg_index,
                                                   size_t arg_size, const void *arg_value) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    if (arg_index >= kernel->info->explicit_arg_count)
        REFUSE(CL_INVALID_ARG_INDEX, "%s has %u arguments, this is number %u", kernel->info->name,
               kernel->info->explicit_arg_count, arg_index);
    cl_int err = set_arg(kernel, arg_index, arg_size, arg_value);
    if (err)
        REFUSE(err, "argument %u of %s: %zu bytes for %u", arg_index, kernel->info->name, arg_size,
               kernel->info->args[arg_index].size);
    return CL_SUCCESS;
}

/* ---- shared memory ---- */

static cl_int set_pointer(cl_kernel kernel, cl_uint index, const void *value) {
    struct kernel_arg *arg = &kernel->args[index];

    if (kernel->info->args[index].kind != CO_ARG_GLOBAL_BUFFER) return CL_INVALID_ARG_VALUE;
    if (value && !svm_is_shared(kernel->ctx, value, 0)) return CL_INVALID_ARG_VALUE;
    mem_drop_shell(arg->mem);
    arg->mem = NULL;
    arg->pointer = (uint64_t)(uintptr_t)value;
    arg->set = true;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index,
                                                             const void *arg_value) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    if (arg_index >= kernel->info->explicit_arg_count)
        REFUSE(CL_INVALID_ARG_INDEX, "%s has no argument %u", kernel->info->name, arg_index);
    cl_int err = set_pointer(kernel, arg_index, arg_value);
    if (err) REFUSE(err, "argument %u of %s: %p", arg_index, kernel->info->name, arg_value);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetKernelArgDevicePointerEXT(
    cl_kernel kernel, cl_uint arg_index, cl_mem_device_address_ext value) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    if (arg_index >= kernel->info->explicit_arg_count ||
        kernel->info->args[arg_index].kind != CO_ARG_GLOBAL_BUFFER)
        REFUSE(CL_INVALID_ARG_INDEX, "argument %u of %s is no pointer to global memory", arg_index,
               kernel->info->name);
    struct kernel_arg *arg = &kernel->args[arg_index];
    mem_drop_shell(arg->mem);
    arg->mem = NULL;
    arg->pointer = value;
    arg->set = true;
    return CL_SUCCESS;
}

/* Every allocation stays mapped on every device of its context, so that there is nothing to
 * remember: only what is asked for is checked. */
CL_API_ENTRY cl_int CL_API_CALL api_clSetKernelExecInfo(cl_kernel kernel,
                                                        cl_kernel_exec_info param_name,
                                                        size_t param_value_size,
                                                        const void *param_value) {
    if (!obj_ok(kernel, &obj_type_kernel)) REFUSE(CL_INVALID_KERNEL, "not a kernel");
    bool no_pointers = param_value_size == 0 && (param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS ||
                                                 param_name == CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL);
    if (no_pointers) return CL_SUCCESS; /* takes back what was said */
    if (!param_value) REFUSE(CL_INVALID_VALUE, "param_value is NULL");
    const void *const *pointers = param_value;
    cl_bool on = CL_FALSE;
    switch (param_name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
        if (!param_value_size || param_value_size % sizeof(void *))
            REFUSE(CL_INVALID_VALUE, "%zu bytes of pointers", param_value_size);
        for (size_t i = 0; i < param_value_size / sizeof(void *); i++)
            if (!svm_is_shared(kernel->ctx, pointers[i], 0))
                REFUSE(CL_INVALID_VALUE, "pointer %zu (%p) is no shared memory", i, pointers[i]);
        return CL_SUCCESS;
    case CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
        if (param_value_size % sizeof(cl_mem_device_address_ext))
            REFUSE(CL_INVALID_VALUE, "%zu bytes of addresses", param_value_size);
        return CL_SUCCESS;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
        if (param_value_size != sizeof on) REFUSE(CL_INVALID_VALUE, "not a cl_bool");
        memcpy(&on, param_value, sizeof on);
        if (on && param_name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM)
            REFUSE(CL_INVALID_OPERATION, "no device shares all of the host's memory");
        return CL_SUCCESS;
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}
