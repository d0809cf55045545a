/* SPDX-License-Identifier: MIT */
#ifndef RAWCL_RUNTIME_PROGRAM_H
#define RAWCL_RUNTIME_PROGRAM_H

#include <pthread.h>

#include "runtime/code.h"
#include "runtime/object.h"

/* What became of the program on one device. */
struct build {
    cl_build_status status;
    cl_program_binary_type type;
    char *options, *log; /* NULL: "" */
    void *binary;
    size_t binary_size;
    struct code *code; /* executables that were built */
};

struct _cl_program {
    struct obj obj;
    cl_context ctx;
    char *source; /* concatenated; NULL: not from source */
    size_t source_size;
    cl_uint device_count;
    cl_device_id *devices;
    pthread_mutex_t lock; /* everything below */
    struct build *builds; /* by device */
    bool building;
    atomic_uint kernels; /* attached kernel objects */
};

int program_device_index(cl_program program, cl_device_id dev);
/* A program without source for those devices, or NULL. */
cl_program program_create(cl_context ctx, cl_uint device_count, const cl_device_id *devices);
/* The first executable among the devices, NULL if none; for queries about kernels. Lock held. */
const struct code_object *program_any_code_locked(cl_program program);
void build_reset(struct build *b);
/* Parses b->binary, an executable for dev. 0 or -errno with a sentence in err. */
int build_adopt_executable(struct build *b, cl_device_id dev, char *err, size_t err_size);
cl_program_binary_type build_binary_type(const void *binary, size_t size);

#endif
