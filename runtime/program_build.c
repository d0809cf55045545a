/* SPDX-License-Identifier: MIT */
/* program_build.c - clBuildProgram, clCompileProgram, clLinkProgram: one job of the compiler for
 * each device, on the calling thread or, with a callback, on one of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compiler.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "runtime/platform.h"
#include "runtime/program.h"
#include "runtime/scheduler_private.h"

struct job {
    cl_program program; /* referenced while the job exists */
    enum compiler_action action;
    cl_int failure; /* what the API returns when a device fails */
    char *options;
    cl_uint device_count;
    int *devices; /* indices in the program */
    cl_uint part_count;
    cl_program *parts; /* headers or inputs: referenced */
    char **part_names; /* headers */
    void(CL_CALLBACK *notify)(cl_program, void *);
    void *user_data;
};

static void job_free(struct job *j) {
    for (cl_uint i = 0; i < j->part_count; i++) {
        if (j->parts) obj_put(j->parts[i]);
        if (j->part_names) free(j->part_names[i]);
    }
    free(j->parts);
    free(j->part_names);
    free(j->devices);
    free(j->options);
    obj_put(j->program);
    free(j);
}

/* The indices of the devices to build for: those of the list, or all. */
static cl_int job_set_devices(struct job *j, cl_uint n, const cl_device_id *devices) {
    cl_program p = j->program;

    j->device_count = n ? n : p->device_count;
    j->devices = calloc(j->device_count, sizeof *j->devices);
    if (!j->devices) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < j->device_count; i++) {
        j->devices[i] = n ? program_device_index(p, devices[i]) : (int)i;
        if (j->devices[i] < 0) return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

static cl_int job_create(cl_program program, enum compiler_action action, const char *options,
                         cl_uint num_devices, const cl_device_id *devices,
                         void(CL_CALLBACK *notify)(cl_program, void *), void *user_data,
                         struct job **out) {
    struct job *j = calloc(1, sizeof *j);

    if (!j) return CL_OUT_OF_HOST_MEMORY;
    j->program = obj_get(program);
    j->action = action;
    j->failure = action == COMPILER_BUILD     ? CL_BUILD_PROGRAM_FAILURE
                 : action == COMPILER_COMPILE ? CL_COMPILE_PROGRAM_FAILURE
                                              : CL_LINK_PROGRAM_FAILURE;
    j->options = strdup(options ? options : "");
    j->notify = notify;
    j->user_data = user_data;
    cl_int err = j->options ? job_set_devices(j, num_devices, devices) : CL_OUT_OF_HOST_MEMORY;
    if (err) {
        job_free(j);
        return err;
    }
    *out = j;
    return CL_SUCCESS;
}

static cl_int job_add_parts(struct job *j, cl_uint n, const cl_program *parts, const char **names) {
    if (!n) return CL_SUCCESS;
    j->parts = calloc(n, sizeof *j->parts);
    j->part_names = calloc(n, sizeof *j->part_names);
    if (!j->parts || !j->part_names) return CL_OUT_OF_HOST_MEMORY;
    for (; j->part_count < n; j->part_count++) {
        cl_uint i = j->part_count;
        if (names && !(j->part_names[i] = strdup(names[i]))) return CL_OUT_OF_HOST_MEMORY;
        j->parts[i] = obj_get(parts[i]);
    }
    return CL_SUCCESS;
}

/* ---- running ---- */

/* Headers, or the binaries of the inputs for one device. NULL: out of memory. */
static struct compiler_blob *make_blobs(const struct job *j, cl_device_id dev) {
    struct compiler_blob *blobs = calloc(j->part_count + 1, sizeof *blobs);

    for (cl_uint i = 0; blobs && i < j->part_count; i++) {
        cl_program part = j->parts[i];
        if (j->action == COMPILER_LINK) {
            const struct build *b = &part->builds[program_device_index(part, dev)];
            blobs[i] = (struct compiler_blob){"input", b->binary, b->binary_size};
        } else {
            blobs[i] = (struct compiler_blob){j->part_names[i], part->source, part->source_size};
        }
    }
    return blobs;
}

static void compile(const struct job *j, cl_device_id dev, struct compiler_result *r) {
    struct compiler_blob *blobs = make_blobs(j, dev);
    struct compiler_job cj = {.action = j->action,
                              .target = dev->cand.target,
                              .wave64 = device_wave_size() == 64,
                              .options = j->options,
                              .source = j->program->source,
                              .source_size = j->program->source_size};

    if (!blobs) {
        *r = (struct compiler_result){.status = COMPILER_UNAVAILABLE,
                                      .log = strdup("out of memory\n")};
        return;
    }
    if (j->action == COMPILER_LINK) {
        cj.inputs = blobs;
        cj.input_count = j->part_count;
    } else {
        cj.headers = blobs;
        cj.header_count = j->part_count;
    }
    compiler_run(&cj, r);
    free(blobs);
}

static char *append_text(char *text, const char *more) {
    size_t a = text ? strlen(text) : 0, size = a + strlen(more) + 2;
    char *joined = realloc(text, size);

    if (!joined) return text;
    snprintf(joined + a, size - a, "%s\n", more);
    return joined;
}

static cl_int adopt(struct build *b, cl_device_id dev) {
    char why[256] = "";

    b->type = build_binary_type(b->binary, b->binary_size);
    if (b->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) return CL_SUCCESS;
    if (!build_adopt_executable(b, dev, why, sizeof why)) return CL_SUCCESS;
    b->log = append_text(b->log, why);
    return CL_INVALID_BINARY;
}

/* One device. */
static cl_int job_run_device(struct job *j, int index) {
    cl_program p = j->program;
    cl_device_id dev = p->devices[index];
    struct build fresh = {.status = CL_BUILD_ERROR, .options = strdup(j->options)};
    struct compiler_result r = {0};
    cl_int err = CL_SUCCESS;

    if (j->action != COMPILER_LINK && !p->source) { /* a binary */
        pthread_mutex_lock(&p->lock);
        fresh.binary = p->builds[index].binary;
        fresh.binary_size = p->builds[index].binary_size;
        p->builds[index].binary = NULL;
        pthread_mutex_unlock(&p->lock);
    } else {
        compile(j, dev, &r);
        fresh.log = r.log;
        fresh.binary = r.binary;
        fresh.binary_size = r.binary_size;
        if (r.status == COMPILER_CRASHED || r.status == COMPILER_UNAVAILABLE)
            log_err("build", "%s", r.log ? r.log : "no compiler");
        if (r.status != COMPILER_OK) err = j->failure;
    }
    if (!err) err = adopt(&fresh, dev);
    fresh.status = err ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    if (err && log_wants("build", LOG_INFO))
        log_info("build", "build failed:\n%s", fresh.log ? fresh.log : "");
    pthread_mutex_lock(&p->lock);
    build_reset(&p->builds[index]);
    p->builds[index] = fresh;
    pthread_mutex_unlock(&p->lock);
    return err;
}

static cl_int job_run(struct job *j) {
    cl_int err = CL_SUCCESS;

    for (cl_uint i = 0; i < j->device_count; i++) {
        cl_int e = job_run_device(j, j->devices[i]);
        if (e) err = e;
    }
    pthread_mutex_lock(&j->program->lock);
    j->program->building = false;
    pthread_mutex_unlock(&j->program->lock);
    if (err && j->program->ctx->notify) context_notify(j->program->ctx, "a program did not build");
    return err;
}

static void *job_thread(void *arg) {
    struct job *j = arg;

    job_run(j);
    j->notify(j->program, j->user_data);
    job_free(j);
    return NULL;
}

/* Marks the program as being built. */
static cl_int job_begin(struct job *j) {
    cl_program p = j->program;
    cl_int err = CL_SUCCESS;

    pthread_mutex_lock(&p->lock);
    if (p->building || atomic_load(&p->kernels))
        err = CL_INVALID_OPERATION;
    else
        p->building = true;
    for (cl_uint i = 0; !err && i < j->device_count; i++)
        p->builds[j->devices[i]].status = CL_BUILD_IN_PROGRESS;
    pthread_mutex_unlock(&p->lock);
    return err;
}

/* Runs and frees j. */
static cl_int job_start(struct job *j) {
    cl_int err = job_begin(j);

    if (!err && j->notify) {
        if (!thread_start(job_thread, j)) return CL_SUCCESS;
        job_thread(j); /* no thread: now, then */
        return CL_SUCCESS;
    }
    if (!err) err = job_run(j);
    job_free(j);
    return err;
}

/* ---- checks ---- */

static cl_int check_program(cl_program program, cl_uint num_devices, const cl_device_id *devices,
                            void(CL_CALLBACK *notify)(cl_program, void *), void *user_data) {
    if (!obj_ok(program, &obj_type_program)) return CL_INVALID_PROGRAM;
    if (platform_is_orphan()) return CL_OUT_OF_RESOURCES;
    if (!devices != !num_devices || (!notify && user_data)) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_devices; i++)
        if (!obj_ok(devices[i], &obj_type_device) || program_device_index(program, devices[i]) < 0)
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

static cl_int check_options(const char *options, enum compiler_action action, cl_int err) {
    char why[512] = "";

    if (!options || compiler_check_options(options, action, why, sizeof why) == COMPILER_OK)
        return CL_SUCCESS;
    log_info("build", "options refused: %s", why);
    return err;
}

CL_API_ENTRY cl_int CL_API_CALL api_clBuildProgram(
    cl_program program, cl_uint num_devices, const cl_device_id *devices, const char *options,
    void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data) {
    struct job *j;
    cl_int err = check_program(program, num_devices, devices, pfn_notify, user_data);

    if (err) REFUSE(err, "program, devices or callback");
    err = check_options(options, COMPILER_BUILD, CL_INVALID_BUILD_OPTIONS);
    if (err) REFUSE(err, "options \"%s\"", options);
    err = job_create(program, COMPILER_BUILD, options, num_devices, devices, pfn_notify, user_data,
                     &j);
    if (err) REFUSE(err, "devices");
    for (cl_uint i = 0; !program->source && i < j->device_count; i++)
        if (program->builds[j->devices[i]].type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
            err = CL_INVALID_BINARY;
    if (err) {
        job_free(j);
        REFUSE(err, "the binary is not an executable");
    }
    return job_start(j);
}

CL_API_ENTRY cl_int CL_API_CALL api_clCompileProgram(
    cl_program program, cl_uint num_devices, const cl_device_id *devices, const char *options,
    cl_uint num_headers, const cl_program *headers, const char **names,
    void(CL_CALLBACK *pfn_notify)(cl_program, void *), void *user_data) {
    struct job *j;
    cl_int err = check_program(program, num_devices, devices, pfn_notify, user_data);

    if (err) REFUSE(err, "program, devices or callback");
    if (!num_headers != !headers || !num_headers != !names)
        REFUSE(CL_INVALID_VALUE, "headers and their names");
    for (cl_uint i = 0; i < num_headers; i++) {
        if (!names[i]) REFUSE(CL_INVALID_VALUE, "name %u is NULL", i);
        if (!obj_ok(headers[i], &obj_type_program) || !headers[i]->source)
            REFUSE(CL_INVALID_PROGRAM, "header %u is not a program from source", i);
    }
    if (!program->source) REFUSE(CL_INVALID_OPERATION, "the program has no source");
    err = check_options(options, COMPILER_COMPILE, CL_INVALID_COMPILER_OPTIONS);
    if (err) REFUSE(err, "options \"%s\"", options);
    err = job_create(program, COMPILER_COMPILE, options, num_devices, devices, pfn_notify,
                     user_data, &j);
    if (err) REFUSE(err, "devices");
    err = job_add_parts(j, num_headers, headers, names);
    if (err) {
        job_free(j);
        REFUSE(err, "headers");
    }
    return job_start(j);
}

/* ---- linking ---- */

static bool linkable(cl_program p, cl_device_id dev) {
    int i = program_device_index(p, dev);

    if (i < 0) return false;
    pthread_mutex_lock(&p->lock);
    cl_program_binary_type type = p->builds[i].type;
    bool ok =
        !p->building && p->builds[i].binary &&
        (type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    pthread_mutex_unlock(&p->lock);
    return ok;
}

/* The devices for which every input has something to link; a device for which only some have is
 * an error, as is none at all. */
static cl_int choose_devices(cl_uint n, const cl_device_id *devices, cl_uint inputs,
                             const cl_program *programs, cl_device_id *chosen, cl_uint *count) {
    *count = 0;
    for (cl_uint d = 0; d < n; d++) {
        cl_uint have = 0;
        for (cl_uint i = 0; i < inputs; i++)
            have += linkable(programs[i], devices[d]);
        if (have && have < inputs) return CL_INVALID_OPERATION;
        if (have) chosen[(*count)++] = devices[d];
    }
    return *count ? CL_SUCCESS : CL_INVALID_OPERATION;
}

static cl_int check_link(cl_context ctx, cl_uint num_devices, const cl_device_id *devices,
                         cl_uint inputs, const cl_program *programs) {
    if (!devices != !num_devices || !inputs || !programs) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_devices; i++)
        if (!obj_ok(devices[i], &obj_type_device) || context_device_index(ctx, devices[i]) < 0)
            return CL_INVALID_DEVICE;
    for (cl_uint i = 0; i < inputs; i++)
        if (!obj_ok(programs[i], &obj_type_program) || programs[i]->ctx != ctx)
            return CL_INVALID_PROGRAM;
    return CL_SUCCESS;
}

/* Makes the new program and its job. */
static cl_int link_prepare(cl_context ctx, cl_uint num_devices, const cl_device_id *devices,
                           const char *options, cl_uint inputs, const cl_program *programs,
                           void(CL_CALLBACK *notify)(cl_program, void *), void *user_data,
                           cl_program *out, struct job **job) {
    cl_uint n = num_devices ? num_devices : ctx->device_count;
    cl_device_id *chosen = calloc(n, sizeof *chosen);

    if (!chosen) return CL_OUT_OF_HOST_MEMORY;
    cl_int err =
        choose_devices(n, num_devices ? devices : ctx->devices, inputs, programs, chosen, &n);
    cl_program p = err ? NULL : program_create(ctx, n, chosen);
    free(chosen);
    if (err) return err;
    if (!p) return CL_OUT_OF_HOST_MEMORY;
    err = job_create(p, COMPILER_LINK, options, 0, NULL, notify, user_data, job);
    if (!err && (err = job_add_parts(*job, inputs, programs, NULL))) job_free(*job);
    if (err)
        obj_put(p);
    else
        *out = p;
    return err;
}

CL_API_ENTRY cl_program CL_API_CALL api_clLinkProgram(
    cl_context context, cl_uint num_devices, const cl_device_id *devices, const char *options,
    cl_uint num_inputs, const cl_program *inputs, void(CL_CALLBACK *pfn_notify)(cl_program, void *),
    void *user_data, cl_int *errcode_ret) {
    struct job *j;
    cl_program p = NULL;

    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (platform_is_orphan()) REFUSE_NULL(CL_OUT_OF_RESOURCES, "forked child");
    if (!pfn_notify && user_data) REFUSE_NULL(CL_INVALID_VALUE, "user_data without pfn_notify");
    cl_int err = check_link(context, num_devices, devices, num_inputs, inputs);
    if (err) REFUSE_NULL(err, "devices or inputs");
    err = check_options(options, COMPILER_LINK, CL_INVALID_LINKER_OPTIONS);
    if (err) REFUSE_NULL(err, "options \"%s\"", options);
    err = link_prepare(context, num_devices, devices, options, num_inputs, inputs, pfn_notify,
                       user_data, &p, &j);
    if (err) REFUSE_NULL(err, "inputs");
    /* The linking can begin: the program is returned even if it fails, for its log. */
    err = job_start(j);
    if (errcode_ret) *errcode_ret = err;
    return p;
}
