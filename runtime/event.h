/* SPDX-License-Identifier: MIT */
/* event.h - a command and its event are one object: every enqueued command has an event, whether
 * the application asked for it or not.
 */
#ifndef RAWCL_RUNTIME_EVENT_H
#define RAWCL_RUNTIME_EVENT_H

#include "runtime/command.h"
#include "runtime/object.h"

struct launch;
struct svm_free;

/* What a kind of command does. All but ops->submit are called without locks. */
struct cmd_ops {
    const char *name;
    /* Device commands: put the work on a ring, after waits. The scheduler's lock is held, so it
     * must not wait for other commands. -EAGAIN: not now (no staging free): run it from the host.
     * NULL: marker. */
    int (*submit)(cl_event cmd, const struct am_fence *waits, size_t nwaits, struct am_fence *out);
    /* After the fence was reached well (rc 0) or badly; NULL if nothing is left to do. May turn
     * success into an error: returns 0 or -errno. */
    int (*finish)(cl_event cmd, int rc);
    /* Does the whole command, blocking, when all predecessors are done. NULL: submit, wait and
     * finish do. */
    int (*run)(cl_event cmd);
    /* Frees what the payload owns. May be NULL. */
    void (*release)(cl_event cmd);
};

struct event_callback {
    struct event_callback *next;
    cl_int status; /* CL_SUBMITTED, CL_RUNNING or CL_COMPLETE */
    void(CL_CALLBACK *fn)(cl_event, cl_int, void *);
    void *user_data;
};

/* A block of bytes in rows and slices. */
struct rect {
    uint64_t offset; /* of the first byte */
    uint64_t row_pitch, slice_pitch;
};

struct cmd_transfer { /* buffer <-> application memory */
    uint8_t *host;
    uint64_t va; /* 0: memory object 0; else shared memory */
    struct rect host_rect, buffer_rect;
    uint64_t region[3];
    bool to_device;
    struct staging_slot *slot;
};

struct cmd_copy {
    struct rect dst, src;
    uint64_t region[3];
};

struct cmd_fill {
    uint64_t offset, size;
    uint8_t pattern[128];
    size_t pattern_size;
};

struct cmd_map {
    uint64_t offset, size; /* in the backing; size 0: nothing to move */
    bool to_device;
};

struct _cl_event {
    struct obj obj;
    cl_context ctx;
    cl_command_queue queue; /* NULL: user event */
    cl_command_type type;
    const struct cmd_ops *ops;
    struct node node;
    struct node_edge *in_edges; /* storage of the edges from its predecessors */
    struct node_edge edges_inline[2];
    uint64_t sequence; /* order of enqueueing, process-wide */
    bool host_op;      /* runs on the worker */
    bool attention;    /* the completion thread must look after it */
    bool blocking;     /* the caller waits for it right away */
    atomic_int status; /* CL_QUEUED ... CL_COMPLETE or negative */
    struct am_fence fence;
    uint64_t queued_ns, submit_ns, start_ns, end_ns;
    struct event_callback *callbacks;          /* under the scheduler's lock */
    struct _cl_event *queue_prev, *queue_next; /* commands of the queue that are not done */
    struct _cl_event *ring_next;
    struct _cl_event *work_next; /* worker's list, list of the dead */
    cl_mem *mems;                /* memory objects in use, referenced */
    cl_uint mem_count;
    cl_mem mem_inline[2];
    union {
        struct cmd_transfer transfer;
        struct cmd_copy copy;
        struct cmd_fill fill;
        struct cmd_map map;
        struct launch *launch;
        struct svm_free *svm_free;
    } u;
};

/* A command of queue with room for mem_count memory objects, in state CL_QUEUED; NULL: no memory.
 * The caller fills in ops and payload and hands it to sched_enqueue. */
cl_event event_create(cl_command_queue queue, cl_command_type type, const struct cmd_ops *ops,
                      cl_uint mem_count);
/* Uses mem (takes a reference) as the i-th memory object. */
void event_use_mem(cl_event ev, cl_uint i, cl_mem mem);
/* CL_INVALID_EVENT_WAIT_LIST or CL_INVALID_CONTEXT if the list cannot be waited for. */
cl_int event_check_wait_list(cl_context ctx, cl_uint count, const cl_event *list);
/* Gives up a command that was never enqueued. */
void event_discard(cl_event ev);

#endif
