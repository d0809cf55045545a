/* SPDX-License-Identifier: MIT */
/* enqueue.h - checks that all clEnqueue* functions share. */
#ifndef RAWCL_RUNTIME_ENQUEUE_H
#define RAWCL_RUNTIME_ENQUEUE_H

#include "runtime/event.h"

/* Queue, wait list and process: the error of the first that is wrong. */
cl_int enqueue_check(cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list);
/* A buffer of the queue's context. Makes sure that it has memory on the queue's device. */
cl_int enqueue_check_buffer(cl_command_queue queue, cl_mem buffer);
/* Any memory object; enqueue_check_buffer without the type. */
cl_int enqueue_check_mem(cl_command_queue queue, cl_mem mem);
/* Maps (enqueue_map.c): flags against those of the object; the list of a memory object. map_take:
 * the oldest with that pointer, NULL: none. */
cl_int map_check_flags(cl_mem mem, cl_map_flags flags);
struct mem_map;
void map_add(cl_mem mem, struct mem_map *map);
struct mem_map *map_take(cl_mem mem, const void *ptr);
/* Makes the host area of an image and its memory agree on what map covers (enqueue_image.c). */
cl_int enqueue_image_sync(cl_command_queue queue, cl_command_type type, cl_mem image,
                          const struct mem_map *map, bool move, bool to_device, unsigned flags,
                          cl_uint num_events, const cl_event *wait_list, cl_event *event);
/* Waits or goes on, with the error that a blocking call returns. */
cl_int enqueue_run(cl_event ev, cl_bool blocking, cl_uint wait_count, const cl_event *wait_list,
                   cl_event *event_out);
/* A command without work of its own: markers, barriers, empty launches. */
cl_int enqueue_marker(cl_command_queue queue, cl_command_type type, unsigned flags,
                      cl_uint wait_count, const cl_event *wait_list, cl_event *event_out);

#endif
