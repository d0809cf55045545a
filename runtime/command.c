/* SPDX-License-Identifier: MIT */
#include "runtime/command.h"

void fence_set_add(struct fence_set *set, struct am_fence f) {
    if (f.value > set->value[f.ring]) set->value[f.ring] = f.value;
}

void fence_set_merge(struct fence_set *set, const struct fence_set *other) {
    for (int r = 0; r < AM_RING_COUNT; r++)
        if (other->value[r] > set->value[r]) set->value[r] = other->value[r];
}

size_t fence_set_list(const struct fence_set *set, struct am_fence out[AM_RING_COUNT]) {
    size_t n = 0;

    for (int r = 0; r < AM_RING_COUNT; r++)
        if (set->value[r]) out[n++] = (struct am_fence){(enum am_ring)r, set->value[r]};
    return n;
}

void node_list_init(struct node_list *l) {
    l->head = NULL;
    l->tail = &l->head;
}

static void node_list_append(struct node_list *l, struct node *n) {
    n->ready_next = NULL;
    *l->tail = n;
    l->tail = &n->ready_next;
}

struct node *node_list_pop(struct node_list *l) {
    struct node *n = l->head;

    if (!n) return NULL;
    l->head = n->ready_next;
    if (!l->head) l->tail = &l->head;
    return n;
}

/* May succ be submitted while pred, on a ring, is not done? */
static bool gpu_can_wait(const struct node *pred, const struct node *succ) {
    if (pred->state != NODE_SUBMITTED || pred->device != succ->device) return false;
    if (succ->needs_host) return false;
    return !(succ->reads_host && pred->host_dirty);
}

static void leave_to_gpu(struct node_edge *e, const struct node *pred) {
    struct node *succ = e->to;

    e->on_ring = true;
    fence_set_merge(&succ->waits, &pred->fences);
    if (pred->host_dirty) succ->host_dirty = true;
}

static void inherit(struct node *succ, const struct node *pred, bool in_order) {
    if (pred->after_ns > succ->after_ns) succ->after_ns = pred->after_ns;
    if (!pred->error || (in_order && !pred->fault)) return;
    succ->inherited = NODE_ERROR_INHERITED;
    if (pred->fault) succ->fault = true;
}

void node_link(struct node_edge *e, struct node *pred, struct node *succ, bool in_order) {
    if (pred->state == NODE_DONE) {
        /* A command that comes after a fault in queue order, but was enqueued when the fault was
         * known, is a new start. */
        if (!in_order) inherit(succ, pred, false);
        return;
    }
    *e = (struct node_edge){.to = succ, .next = pred->edges, .in_order = in_order};
    pred->edges = e;
    succ->unfinished++;
    if (gpu_can_wait(pred, succ))
        leave_to_gpu(e, pred);
    else
        succ->unsubmitted++;
}

bool node_ready(const struct node *n) {
    return n->state == NODE_WAITING && n->unsubmitted == 0;
}

bool node_holds_back(const struct node *n) {
    for (const struct node_edge *e = n->edges; e; e = e->next)
        if (!e->on_ring) return true;
    return false;
}

void node_submitted(struct node *n, const struct fence_set *fences, struct node_list *ready) {
    n->state = NODE_SUBMITTED;
    n->fences = *fences;
    if (n->host_step) n->host_dirty = true;
    for (struct node_edge *e = n->edges; e; e = e->next) {
        if (e->on_ring || !gpu_can_wait(n, e->to)) continue;
        leave_to_gpu(e, n);
        if (--e->to->unsubmitted == 0) node_list_append(ready, e->to);
    }
}

void node_done(struct node *n, int32_t error, bool fault, uint64_t end_ns,
               struct node_list *ready) {
    n->state = NODE_DONE;
    n->error = error;
    n->fault = error && (fault || n->fault);
    if (end_ns > n->after_ns) n->after_ns = end_ns;
    for (struct node_edge *e = n->edges, *next; e; e = next) {
        struct node *succ = e->to;
        next = e->next;
        inherit(succ, n, e->in_order);
        succ->unfinished--;
        if (!e->on_ring && --succ->unsubmitted == 0 && succ->state == NODE_WAITING)
            node_list_append(ready, succ);
        else if (succ->state == NODE_SUBMITTED && succ->unfinished == 0 && succ->marker)
            node_list_append(ready, succ);
    }
    n->edges = NULL;
}
