/* SPDX-License-Identifier: MIT */
#ifndef RAWCL_RUNTIME_CONTEXT_H
#define RAWCL_RUNTIME_CONTEXT_H

#include <pthread.h>

#include "runtime/object.h"

struct context_callback {
    void(CL_CALLBACK *fn)(cl_context, void *);
    void *user_data;
    struct context_callback *next;
};

struct _cl_context {
    struct obj obj;
    cl_context_properties *properties; /* copy, 0-terminated; NULL if none */
    size_t property_count;             /* entries with the terminator */
    cl_uint device_count;
    cl_device_id *devices;
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_data;
    cl_uint pending;                      /* commands not done; the scheduler's lock */
    pthread_mutex_t lock;                 /* the destructor list */
    struct context_callback *destructors; /* newest first */
};

/* Index of a device in a context, -1 if it has no part in it. */
int context_device_index(cl_context ctx, cl_device_id dev);
/* Gives a message to pfn_notify, from the callback thread. Takes a copy. */
void context_notify(cl_context ctx, const char *message);

#endif
