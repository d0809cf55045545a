/* SPDX-License-Identifier: MIT */
#ifndef RAWCL_RUNTIME_QUEUE_H
#define RAWCL_RUNTIME_QUEUE_H

#include "runtime/object.h"

struct _cl_command_queue {
    struct obj obj;
    cl_context ctx;
    cl_device_id device;
    int device_index; /* in the context */
    cl_command_queue_properties properties;
    cl_queue_properties *property_list; /* as given, 0-terminated; NULL if none */
    size_t property_list_count;
    /* Under the scheduler's lock: */
    cl_event head, tail; /* commands that are not done, oldest first */
    cl_event barrier;    /* out of order: the last barrier while it is not done */
    cl_uint depth;       /* commands in the list */
};

static inline bool queue_in_order(cl_command_queue q) {
    return !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

#endif
