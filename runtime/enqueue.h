/* SPDX-License-Identifier: MIT */
/* enqueue.h - checks that all clEnqueue* functions share. */
#ifndef RAWCL_RUNTIME_ENQUEUE_H
#define RAWCL_RUNTIME_ENQUEUE_H

#include "runtime/event.h"

/* Queue, wait list and process: the error of the first that is wrong. */
cl_int enqueue_check(cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list);
/* A buffer of the queue's context. Makes sure that it has memory on the queue's device. */
cl_int enqueue_check_buffer(cl_command_queue queue, cl_mem buffer);
/* Waits or goes on, with the error that a blocking call returns. */
cl_int enqueue_run(cl_event ev, cl_bool blocking, cl_uint wait_count, const cl_event *wait_list,
                   cl_event *event_out);
/* A command without work of its own: markers, barriers, empty launches. */
cl_int enqueue_marker(cl_command_queue queue, cl_command_type type, unsigned flags,
                      cl_uint wait_count, const cl_event *wait_list, cl_event *event_out);

#endif
