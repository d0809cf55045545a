/* SPDX-License-Identifier: MIT */
#include "runtime/object.h"

#include <stddef.h>
#include <stdint.h>

void obj_init(struct obj *o, const struct obj_type *type) {
    o->dispatch = &rawcl_dispatch;
    o->type = type;
    atomic_init(&o->user, 1);
    atomic_init(&o->refs, 1);
}

bool obj_ok(const void *handle, const struct obj_type *type) {
    const struct obj *o = handle;

    if (!o || (uintptr_t)o % _Alignof(struct obj)) return false;
    return o->type == type && atomic_load_explicit(&o->user, memory_order_relaxed) > 0;
}

void *obj_get(void *object) {
    struct obj *o = object;

    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    return object;
}

void obj_put(void *object) {
    struct obj *o = object;

    if (!o) return;
    if (atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1) return;
    const struct obj_type *type = o->type;
    type->destroy(object);
}

void obj_user_retain(void *object) {
    struct obj *o = object;

    atomic_fetch_add_explicit(&o->user, 1, memory_order_relaxed);
}

void obj_user_release(void *object) {
    struct obj *o = object;

    if (atomic_fetch_sub_explicit(&o->user, 1, memory_order_acq_rel) == 1) obj_put(o);
}

cl_uint obj_user_count(const void *object) {
    const struct obj *o = object;

    return atomic_load_explicit(&o->user, memory_order_relaxed);
}
