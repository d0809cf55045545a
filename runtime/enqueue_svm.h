/* SPDX-License-Identifier: MIT */
/* enqueue_svm.h - copies and fills of shared memory, checked; the entry points of SVM and of
 * unified shared memory differ in the command type and the name in messages. */
#ifndef RAWCL_RUNTIME_ENQUEUE_SVM_H
#define RAWCL_RUNTIME_ENQUEUE_SVM_H

#include "runtime/api.h"

cl_int enqueue_svm_copy(cl_command_queue queue, cl_command_type type, cl_bool blocking, void *dst,
                        const void *src, size_t size, const char *function, cl_uint num_events,
                        const cl_event *wait_list, cl_event *event);
cl_int enqueue_svm_fill(cl_command_queue queue, cl_command_type type, void *ptr,
                        const void *pattern, size_t pattern_size, size_t size, const char *function,
                        cl_uint num_events, const cl_event *wait_list, cl_event *event);

#endif
