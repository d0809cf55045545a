/* SPDX-License-Identifier: MIT */
/* object.h - what every OpenCL handle starts with.
 *
 * Two counts: `user` is what clRetain and clRelease move and what CL_*_REFERENCE_COUNT shows;
 * `refs` is what keeps the memory alive: one for all users together, one for every internal edge
 * (event -> queue, kernel -> program, command -> buffer).
 */
#ifndef RAWCL_RUNTIME_OBJECT_H
#define RAWCL_RUNTIME_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/api.h"

struct obj_type {
    const char *name;
    void (*destroy)(void *object); /* the last reference is gone; frees the object */
};

struct obj {
    const struct _cl_icd_dispatch *dispatch; /* must be first: the ICD loader reads it */
    const struct obj_type *type;             /* checked at every entry */
    atomic_uint user;
    atomic_uint refs;
};

extern const struct obj_type obj_type_platform, obj_type_device, obj_type_context, obj_type_queue,
    obj_type_event, obj_type_mem, obj_type_sampler, obj_type_program, obj_type_kernel;

/* One user, one reference (the user's). */
void obj_init(struct obj *o, const struct obj_type *type);
/* Is this handle an object of that type, still held by its user? */
bool obj_ok(const void *handle, const struct obj_type *type);
/* An internal reference. Returns its argument. */
void *obj_get(void *object);
/* Drops a reference; the last one destroys. NULL is allowed. */
void obj_put(void *object);
/* clRetain and clRelease. */
void obj_user_retain(void *object);
void obj_user_release(void *object);
cl_uint obj_user_count(const void *object);

#endif
