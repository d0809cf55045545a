/* SPDX-License-Identifier: MIT */
#include "runtime/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "runtime/platform.h"

void build_reset(struct build *b) {
    free(b->options);
    free(b->log);
    free(b->binary);
    code_put(b->code);
    *b = (struct build){.status = CL_BUILD_NONE};
}

static void program_destroy(void *object) {
    cl_program p = object;
    cl_context ctx = p->ctx;

    for (cl_uint i = 0; i < p->device_count && p->builds; i++)
        build_reset(&p->builds[i]);
    free(p->builds);
    free(p->devices);
    free(p->source);
    pthread_mutex_destroy(&p->lock);
    p->obj.type = NULL;
    free(p);
    obj_put(ctx);
}

const struct obj_type obj_type_program = {"program", program_destroy};

cl_program program_create(cl_context ctx, cl_uint device_count, const cl_device_id *devices) {
    cl_program p = calloc(1, sizeof *p);

    if (!p) return NULL;
    obj_init(&p->obj, &obj_type_program);
    p->ctx = obj_get(ctx);
    pthread_mutex_init(&p->lock, NULL);
    p->devices = calloc(device_count, sizeof *p->devices);
    p->builds = calloc(device_count, sizeof *p->builds);
    if (!p->devices || !p->builds) {
        obj_put(p);
        return NULL;
    }
    p->device_count = device_count;
    memcpy(p->devices, devices, device_count * sizeof *devices);
    for (cl_uint i = 0; i < device_count; i++)
        p->builds[i].status = CL_BUILD_NONE;
    return p;
}

int program_device_index(cl_program p, cl_device_id dev) {
    for (cl_uint i = 0; i < p->device_count; i++)
        if (p->devices[i] == dev) return (int)i;
    return -1;
}

const struct code_object *program_any_code_locked(cl_program p) {
    for (cl_uint i = 0; i < p->device_count; i++)
        if (p->builds[i].code) return p->builds[i].code->co;
    return NULL;
}

cl_program_binary_type build_binary_type(const void *binary, size_t size) {
    switch (co_identify(binary, size)) {
    case CO_EXECUTABLE:
        return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    case CO_OBJECT:
        return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    case CO_LIBRARY:
        return CL_PROGRAM_BINARY_TYPE_LIBRARY;
    default:
        return CL_PROGRAM_BINARY_TYPE_NONE;
    }
}

int build_adopt_executable(struct build *b, cl_device_id dev, char *err, size_t err_size) {
    struct code_object *co;
    int rc = co_parse(b->binary, b->binary_size, &co, err, err_size);

    if (rc) return rc;
    b->code = code_create(dev, co);
    if (b->code) return 0;
    co_free(co);
    return -ENOMEM;
}

/* ---- source ---- */

static char *join_strings(cl_uint count, const char **strings, const size_t *lengths,
                          size_t *total) {
    size_t size = 0, at = 0;

    for (cl_uint i = 0; i < count; i++)
        size += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    char *text = malloc(size + 1);
    if (!text) return NULL;
    for (cl_uint i = 0; i < count; i++) {
        size_t n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(text + at, strings[i], n);
        at += n;
    }
    text[at] = 0;
    *total = size;
    return text;
}

CL_API_ENTRY cl_program CL_API_CALL api_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                                  const char **strings,
                                                                  const size_t *lengths,
                                                                  cl_int *errcode_ret) {
    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (!count || !strings) REFUSE_NULL(CL_INVALID_VALUE, "no strings");
    for (cl_uint i = 0; i < count; i++)
        if (!strings[i]) REFUSE_NULL(CL_INVALID_VALUE, "string %u is NULL", i);
    cl_program p = program_create(context, context->device_count, context->devices);
    if (p) p->source = join_strings(count, strings, lengths, &p->source_size);
    if (!p || !p->source) {
        obj_put(p);
        REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "source");
    }
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return p;
}

/* ---- binary ---- */

/* Is it something that we made, complete, and for that device? */
static cl_int check_binary(cl_device_id dev, const void *data, size_t size, struct build *b) {
    char target[16] = "", why[256] = "";

    b->type = build_binary_type(data, size);
    if (b->type == CL_PROGRAM_BINARY_TYPE_NONE) return CL_INVALID_BINARY;
    co_target(data, size, target);
    if (strcmp(target, dev->cand.target) != 0) {
        log_info("build", "binary for \"%s\" given for a %s", target, dev->cand.target);
        return CL_INVALID_BINARY;
    }
    b->binary = malloc(size);
    if (!b->binary) return CL_OUT_OF_HOST_MEMORY;
    memcpy(b->binary, data, size);
    b->binary_size = size;
    if (b->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) return CL_SUCCESS;
    /* Parsed now so that a damaged file is refused here, and again when it is built. */
    struct code_object *co;
    if (co_parse(data, size, &co, why, sizeof why)) {
        log_info("build", "binary refused: %s", why);
        return CL_INVALID_BINARY;
    }
    co_free(co);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL api_clCreateProgramWithBinary(
    cl_context context, cl_uint num_devices, const cl_device_id *devices, const size_t *lengths,
    const unsigned char **binaries, cl_int *binary_status, cl_int *errcode_ret) {
    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (!num_devices || !devices || !lengths || !binaries)
        REFUSE_NULL(CL_INVALID_VALUE, "an empty list");
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < num_devices; i++) {
        if (!obj_ok(devices[i], &obj_type_device) || context_device_index(context, devices[i]) < 0)
            REFUSE_NULL(CL_INVALID_DEVICE, "device %u is not in the context", i);
        bool missing = !lengths[i] || !binaries[i];
        if (binary_status) binary_status[i] = missing ? CL_INVALID_VALUE : CL_SUCCESS;
        if (missing) err = CL_INVALID_VALUE;
    }
    if (err) REFUSE_NULL(err, "a binary is missing");
    cl_program p = program_create(context, num_devices, devices);
    if (!p) REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "object");
    for (cl_uint i = 0; i < num_devices; i++) {
        cl_int status = check_binary(devices[i], binaries[i], lengths[i], &p->builds[i]);
        if (binary_status) binary_status[i] = status;
        if (status) err = status;
    }
    if (err) {
        obj_put(p);
        REFUSE_NULL(err, "a binary is damaged, unknown or for another device");
    }
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return p;
}

CL_API_ENTRY cl_program CL_API_CALL api_clCreateProgramWithBuiltInKernels(
    cl_context context, cl_uint num_devices, const cl_device_id *devices, const char *kernel_names,
    cl_int *errcode_ret) {
    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (!num_devices || !devices || !kernel_names) REFUSE_NULL(CL_INVALID_VALUE, "an empty list");
    for (cl_uint i = 0; i < num_devices; i++)
        if (!obj_ok(devices[i], &obj_type_device) || context_device_index(context, devices[i]) < 0)
            REFUSE_NULL(CL_INVALID_DEVICE, "device %u is not in the context", i);
    REFUSE_NULL(CL_INVALID_VALUE, "there are no built-in kernels (\"%s\")", kernel_names);
}

CL_API_ENTRY cl_program CL_API_CALL api_clCreateProgramWithIL(cl_context context, const void *il,
                                                              size_t length, cl_int *errcode_ret) {
    (void)il, (void)length;
    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    REFUSE_NULL(CL_INVALID_OPERATION, "no device takes an intermediate language");
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetProgramSpecializationConstant(cl_program program,
                                                                       cl_uint id, size_t size,
                                                                       const void *value) {
    (void)id, (void)size, (void)value;
    if (!obj_ok(program, &obj_type_program)) REFUSE(CL_INVALID_PROGRAM, "not a program");
    REFUSE(CL_INVALID_OPERATION, "no device takes an intermediate language");
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetProgramReleaseCallback(
    cl_program program, void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data) {
    (void)user_data;
    if (!obj_ok(program, &obj_type_program)) REFUSE(CL_INVALID_PROGRAM, "not a program");
    if (!pfn_notify) REFUSE(CL_INVALID_VALUE, "pfn_notify is NULL");
    REFUSE(CL_INVALID_OPERATION, "no program-scope destructors");
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainProgram(cl_program program) {
    if (!obj_ok(program, &obj_type_program)) REFUSE(CL_INVALID_PROGRAM, "not a program");
    obj_user_retain(program);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseProgram(cl_program program) {
    if (!obj_ok(program, &obj_type_program)) REFUSE(CL_INVALID_PROGRAM, "not a program");
    obj_user_release(program);
    return CL_SUCCESS;
}
