/* SPDX-License-Identifier: MIT */
#ifndef RAWCL_RUNTIME_KERNEL_H
#define RAWCL_RUNTIME_KERNEL_H

#include "runtime/code.h"
#include "runtime/object.h"
#include "runtime/program.h"

struct kernel_arg {
    bool set;
    cl_mem mem;          /* buffers: its shell; NULL: a pointer */
    cl_sampler sampler;  /* referenced */
    uint64_t pointer;    /* without mem: shared memory, or 0 */
    uint64_t local_size; /* local memory: bytes */
    uint8_t *value;      /* by value: points into the kernel's blob */
};

struct _cl_kernel {
    struct obj obj;
    cl_program program; /* referenced */
    cl_context ctx;     /* the program's */
    cl_uint device_count;
    struct code **codes; /* by device of the program; NULL: not built there. Referenced */
    const struct co_kernel **infos;
    const struct co_kernel *info; /* the first: signatures are the same everywhere */
    struct kernel_arg *args;
    uint8_t *blob;
};

/* The kernel on a device; NULL if the program was not built for it. */
const struct co_kernel *kernel_on_device(cl_kernel kernel, cl_device_id dev, struct code **code);
/* Local memory of a work-group with the arguments as set: static and dynamic. */
uint64_t kernel_local_bytes(cl_kernel kernel, const struct co_kernel *info);

#endif
