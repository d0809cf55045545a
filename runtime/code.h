/* SPDX-License-Identifier: MIT */
/* code.h - an executable on one device: the parsed code object, and its image in device memory
 * from the first launch on. Shared by the program, its kernels and commands in flight.
 */
#ifndef RAWCL_RUNTIME_CODE_H
#define RAWCL_RUNTIME_CODE_H

#include <pthread.h>
#include <stdatomic.h>

#include "compiler/code_object.h"
#include "driver/am.h"
#include "runtime/api.h"

struct code {
    atomic_uint refs;
    cl_device_id dev;
    struct code_object *co;
    pthread_mutex_t lock;
    struct am_mem *mem; /* the image on the device; NULL until loaded */
};

/* Takes over co. NULL: out of memory (co stays the caller's). */
struct code *code_create(cl_device_id dev, struct code_object *co);
struct code *code_get(struct code *code);
void code_put(struct code *code);
/* Relocates and uploads the image if that has not happened. 0 or -errno. */
int code_load(struct code *code);

#endif
