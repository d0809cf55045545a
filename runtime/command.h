/* SPDX-License-Identifier: MIT */
/* command.h - the dependency graph of commands: pure bookkeeping, no locks, no device, no OpenCL.
 * The caller holds the scheduler's lock around every function.
 *
 * A node moves WAITING -> SUBMITTED or RUNNING -> DONE. It may be submitted when every predecessor
 * is done, or is on a ring of the same device so that the GPU can wait for it. It is done when its
 * work is done and every predecessor is done: nodes complete in the order of the graph.
 */
#ifndef RAWCL_RUNTIME_COMMAND_H
#define RAWCL_RUNTIME_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/am.h"

/* The latest point to wait for on each ring of one device; 0: nothing. Waiting for it waits for
 * every earlier command of the ring, which is submitted in order anyway. */
struct fence_set {
    uint64_t value[AM_RING_COUNT];
};

void fence_set_add(struct fence_set *set, struct am_fence f);
void fence_set_merge(struct fence_set *set, const struct fence_set *other);
/* Writes the fences out (room for AM_RING_COUNT) and returns how many there are. */
size_t fence_set_list(const struct fence_set *set, struct am_fence out[AM_RING_COUNT]);

enum node_state {
    NODE_WAITING,
    NODE_RUNNING,   /* on the host: only its end releases successors */
    NODE_SUBMITTED, /* on a ring, or a marker all of whose predecessors are */
    NODE_DONE,
};

struct node;

struct node_edge {
    struct node *to;
    struct node_edge *next;
    bool in_order; /* stands for queue order, not for a wait list */
    bool on_ring;  /* the successor leaves this wait to the GPU */
};

struct node {
    enum node_state state;
    const void *device;      /* whose rings it uses; NULL: none (user events) */
    uint32_t unsubmitted;    /* edges to it that still hold back its submission */
    uint32_t unfinished;     /* predecessors that are not done */
    struct node_edge *edges; /* out-edges, newest first */
    struct node *ready_next; /* for lists of ready nodes */
    struct fence_set waits;  /* what the GPU has to wait for before it */
    struct fence_set fences; /* SUBMITTED: when its device work is done */
    uint64_t after_ns;       /* the latest end of a done predecessor */
    int32_t inherited;       /* error of a predecessor (OpenCL code), 0 none */
    int32_t error;           /* DONE: how it ended, 0 well */
    bool fault;              /* the error started with a fault on the device */
    bool marker;             /* no work of its own: done with its predecessors */
    bool needs_host;         /* wants its predecessors done, not only on a ring */
    bool reads_host;         /* reads memory of the application when submitted */
    bool host_step;          /* has work left for the host after its fence */
    bool host_dirty;         /* its completion includes host steps, own or predecessors' */
};

struct node_list {
    struct node *head, **tail;
};
void node_list_init(struct node_list *l);
struct node *node_list_pop(struct node_list *l);

/* The error of a command that was not run because of a predecessor:
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. */
#define NODE_ERROR_INHERITED (-14)

/* succ starts after pred, using e (owned by succ, alive as long as pred is not done). in_order: an
 * edge of queue order; it passes on errors that a fault caused, no others. A node is linked to all
 * of its predecessors before node_ready is asked. */
void node_link(struct node_edge *e, struct node *pred, struct node *succ, bool in_order);
/* Can it be submitted (or, with an inherited error, be ended)? */
bool node_ready(const struct node *n);
/* Does a successor wait for the host to see this node done? */
bool node_holds_back(const struct node *n);
/* n is on its rings; fences say when it is done. Successors that became ready are appended. */
void node_submitted(struct node *n, const struct fence_set *fences, struct node_list *ready);
/* n is done. Successors that became ready are appended, and submitted markers that wait for nobody
 * any more: they are done too. */
void node_done(struct node *n, int32_t error, bool fault, uint64_t end_ns, struct node_list *ready);

#endif
