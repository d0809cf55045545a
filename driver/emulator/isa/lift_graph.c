/* SPDX-License-Identifier: MIT */
/* lift_graph.c - nodes and what flows between them: which registers are live, which differ from the
 * wave's memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/lift_internal.h"

enum { CHUNK_INSTRUCTIONS = 2500 }; /* one function of the host at most */

static int node_of(struct lift *l, uint32_t off, bool full) {
    if (off >= l->rq->size || l->at[off / 4] < 0) return -1;
    int32_t *slot = &l->node_at[full][off / 4];
    if (*slot >= 0) return *slot;
    if (l->node_count == l->node_room) {
        uint32_t room = l->node_room ? l->node_room * 2 : 64;
        struct lift_node *p = realloc(l->nodes, room * sizeof *p);
        if (!p) return -2;
        l->nodes = p;
        l->node_room = room;
    }
    l->nodes[l->node_count] = (struct lift_node){.off = off, .full = full};
    return *slot = (int32_t)l->node_count++;
}

static void add_succ(struct lift *l, uint32_t n, uint32_t off, bool full) {
    int s = node_of(l, off, full);
    if (s >= 0) l->nodes[n].succ[l->nodes[n].succ_count++] = s;
}

static void add_both(struct lift *l, uint32_t n, uint32_t off) {
    add_succ(l, n, off, false);
    add_succ(l, n, off, true);
}

/* Fills in a node: its instructions and its ends. */
static void shape(struct lift *l, uint32_t n) {
    struct lift_node *node = &l->nodes[n];
    uint32_t off = node->off;
    node->first = (uint32_t)l->at[off / 4];
    node->is_entry = l->leader[off / 4] & LEADER_ENTRY;
    for (;;) {
        int32_t at = off < l->rq->size ? l->at[off / 4] : -1;
        if (at < 0) { /* beyond the code, or not an instruction */
            node->end = END_LEFT;
            node->target = off;
            return;
        }
        if (off != node->off && l->leader[off / 4]) {
            node->end = END_FALL;
            node->target = off;
            add_succ(l, n, off, node->full);
            return;
        }
        const struct lift_inst *i = &l->insts[at];
        uint32_t next = off + 4u * i->len;
        if (i->kind == L_LEFT || i->kind == L_END) {
            node->end = END_LEFT;
            node->target = off;
            if (i->no_next) return;
            /* for the data flow only: the interpreter comes back there */
            while (next < l->rq->size && l->at[next / 4] < 0)
                next += 4;
            add_both(l, n, next);
            return;
        }
        node->count++;
        if (i->kind == L_BRANCH) {
            node->end = END_BRANCH;
            node->target = off + 4 * (uint32_t)i->x.imm;
            node->next = next;
            add_succ(l, n, node->target, node->full);
            if (!i->no_next) add_succ(l, n, next, l->nodes[n].full);
            return;
        }
        if (i->writes_exec) {
            node->end = END_EXEC;
            node->target = next;
            add_both(l, n, next);
            return;
        }
        off = next;
    }
}

static bool merge(struct regset *into, const struct regset *from) {
    uint64_t changed = 0;
    for (unsigned k = 0; k < LREG_WORDS; k++) {
        changed |= from->w[k] & ~into->w[k];
        into->w[k] |= from->w[k];
    }
    return changed;
}

/* An instruction of a node, for the data flow; the last may be the one that is left. */
static const struct lift_inst *inst_at(const struct lift *l, uint32_t *off) {
    int32_t at = *off < l->rq->size ? l->at[*off / 4] : -1;
    if (at < 0) return NULL;
    *off += 4u * l->insts[at].len;
    return &l->insts[at];
}

/* use: read before any write; kill: written in all lanes. */
static void summary(const struct lift *l, const struct lift_node *n, struct regset *use,
                    struct regset *kill, struct regset *writes) {
    memset(use, l->rq->keep_all ? 0xff : 0, sizeof *use);
    memset(kill, 0, sizeof *kill);
    memset(writes, 0, sizeof *writes);
    uint32_t off = n->off, count = n->count + (n->end == END_LEFT);
    for (uint32_t k = 0; k < count; k++) {
        const struct lift_inst *i = inst_at(l, &off);
        if (!i) { /* the interpreter goes on where nothing is known */
            for (unsigned w = 0; w < LREG_WORDS; w++)
                use->w[w] |= ~kill->w[w];
            return;
        }
        for (unsigned w = 0; w < LREG_WORDS; w++) {
            use->w[w] |= i->reads.w[w] & ~kill->w[w];
            bool all = w >= LREG_SGPR0 / 64 || n->full;
            if (all && i->kind != L_LEFT) kill->w[w] |= i->writes.w[w];
            if (i->kind != L_LEFT) writes->w[w] |= i->writes.w[w];
        }
    }
}

static void liveness(struct lift *l, struct regset *use, struct regset *kill) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = l->node_count; n--;) {
            struct lift_node *node = &l->nodes[n];
            for (unsigned s = 0; s < node->succ_count; s++)
                changed |= merge(&node->live_out, &l->nodes[node->succ[s]].live_in);
            struct regset in;
            for (unsigned w = 0; w < LREG_WORDS; w++)
                in.w[w] = use[n].w[w] | (node->live_out.w[w] & ~kill[n].w[w]);
            changed |= merge(&node->live_in, &in);
        }
    }
}

static void dirtiness(struct lift *l, struct regset *writes) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < l->node_count; n++) {
            struct lift_node *node = &l->nodes[n];
            node->dirty_out = node->dirty_in;
            merge(&node->dirty_out, &writes[n]);
            if (node->end == END_LEFT) continue; /* what comes after starts clean */
            for (unsigned s = 0; s < node->succ_count; s++)
                changed |= merge(&l->nodes[node->succ[s]].dirty_in, &node->dirty_out);
        }
    }
}

/* Cuts the code, in order of address, into functions of bounded size. */
static void cut(struct lift *l) {
    unsigned chunk = 0, size = 0;
    for (size_t d = 0; d < l->rq->size / 4; d++) {
        unsigned here = 0;
        for (unsigned full = 0; full < 2; full++) {
            int32_t n = l->node_at[full][d];
            if (n >= 0) here += l->nodes[n].count;
        }
        if (!here) continue;
        if (size && size + here > 2 * CHUNK_INSTRUCTIONS) {
            chunk++;
            size = 0;
        }
        size += here;
        for (unsigned full = 0; full < 2; full++)
            if (l->node_at[full][d] >= 0) l->nodes[l->node_at[full][d]].chunk = chunk;
    }
    l->chunks = chunk + 1;
    /* Control crosses by way of the interpreter, at an entry. */
    for (uint32_t n = 0; n < l->node_count; n++) {
        const struct lift_node *node = &l->nodes[n];
        for (unsigned s = 0; s < node->succ_count; s++) {
            struct lift_node *to = &l->nodes[node->succ[s]];
            if (to->chunk == node->chunk) continue;
            l->leader[to->off / 4] |= LEADER_ENTRY;
            to->is_entry = true;
            if (l->node_at[!to->full][to->off / 4] >= 0)
                l->nodes[l->node_at[!to->full][to->off / 4]].is_entry = true;
        }
    }
}

int lift_graph(struct lift *l) {
    size_t dwords = l->rq->size / 4;
    for (unsigned full = 0; full < 2; full++) {
        l->node_at[full] = malloc(dwords * sizeof(int32_t));
        if (!l->node_at[full]) return lift_fail(l, -ENOMEM, "no memory");
        memset(l->node_at[full], 0xff, dwords * sizeof(int32_t));
    }
    for (size_t d = 0; d < dwords; d++)
        if (l->leader[d] & LEADER_ENTRY) {
            node_of(l, (uint32_t)d * 4, false);
            node_of(l, (uint32_t)d * 4, true);
        }
    for (uint32_t n = 0; n < l->node_count; n++)
        shape(l, n);
    struct regset *flow = calloc(3u * l->node_count + 1, sizeof *flow);
    if (!flow) return lift_fail(l, -ENOMEM, "no memory");
    struct regset *use = flow, *kill = flow + l->node_count, *writes = kill + l->node_count;
    for (uint32_t n = 0; n < l->node_count; n++)
        summary(l, &l->nodes[n], &use[n], &kill[n], &writes[n]);
    liveness(l, use, kill);
    dirtiness(l, writes);
    free(flow);
    cut(l);
    l->out->blocks = l->node_count;
    return 0;
}
