/* SPDX-License-Identifier: MIT */
#ifndef RAWCL_RUNTIME_SAMPLER_H
#define RAWCL_RUNTIME_SAMPLER_H

#include <pthread.h>

#include "runtime/image.h"
#include "runtime/object.h"

struct _cl_sampler {
    struct obj obj;
    cl_context ctx;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties properties[7]; /* as given, 0-terminated */
    size_t property_count;
    pthread_mutex_t lock;
    struct descriptor_slot **slots; /* by device of the context */
};

/* Where the descriptor lies for a device; 0: no memory. */
uint64_t sampler_descriptor_va(cl_sampler s, int device_index);

#endif
