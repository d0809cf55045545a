/* SPDX-License-Identifier: MIT */
/* lift_nodes.c - nodes, how control passes between them, the functions that they make up and the
 * table of entries. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/lift_internal.h"

/* --- nodes --- */

static struct lift_node *find_node(struct lift *l, uint32_t off, bool full) {
    if (off >= l->rq->size || l->node_at[full][off / 4] < 0) return NULL;
    struct lift_node *n = &l->nodes[l->node_at[full][off / 4]];
    return n->chunk == l->node->chunk ? n : NULL;
}

/* A block that goes on at off with EXEC full or not: the node's, or a new one that leaves. */
static LLVMBasicBlockRef go_to(struct lift *l, uint32_t off, bool full) {
    struct lift_node *n = find_node(l, off, full);
    if (n) return n->bb;
    struct regset all;
    memset(&all, 0xff, sizeof all);
    if (off < l->rq->size && l->node_at[full][off / 4] >= 0)
        all = l->nodes[l->node_at[full][off / 4]].live_in;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), bb = lift_block(l, "out");
    LLVMPositionBuilderAtEnd(l->b, bb);
    lift_leave_at(l, off, &all);
    LLVMPositionBuilderAtEnd(l->b, here);
    return bb;
}

/* A branch back: takes its length off the budget; the wave yields when that is spent. */
static LLVMBasicBlockRef go_back(struct lift *l, uint32_t off, uint32_t from) {
    LLVMBasicBlockRef to = go_to(l, off, l->node->full);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), bb = lift_block(l, "back"),
                      yield = lift_block(l, "yield");
    LLVMPositionBuilderAtEnd(l->b, bb);
    LLVMValueRef v = LLVMBuildLoad2(l->b, l->i64, l->budget, "");
    v = LLVMBuildSub(l->b, v, lift_i64(l, (from - off) / 4 + 1), "");
    LLVMBuildStore(l->b, v, l->budget);
    LLVMValueRef left = LLVMBuildICmp(l->b, LLVMIntSGE, v, lift_i64(l, 0), "");
    lift_likely(l, left, to, yield);
    LLVMPositionBuilderAtEnd(l->b, yield);
    struct regset live;
    memset(&live, 0xff, sizeof live);
    if (l->node_at[l->node->full][off / 4] >= 0)
        live = l->nodes[l->node_at[l->node->full][off / 4]].live_in;
    struct regset s = lift_to_store(l, &live);
    lift_spill(l, &s);
    lift_store_budget(l);
    LLVMBuildStore(l->b, lift_i32(l, EXIT_YIELD), lift_at(l, l->w, offsetof(struct wave, exit)));
    LLVMBuildStore(l->b, lift_address_of(l, off), lift_at(l, l->w, offsetof(struct wave, pc)));
    LLVMBuildRet(l->b, lift_i64(l, JIT_LEFT));
    LLVMPositionBuilderAtEnd(l->b, here);
    return bb;
}

static LLVMValueRef mask64(struct lift *l, unsigned r) {
    return l->halves == 2 ? lift_sgpr64(l, r) : LLVMBuildZExt(l->b, lift_sgpr(l, r), l->i64, "");
}

/* i1: the branch is taken; NULL: always. */
static LLVMValueRef condition(struct lift *l, const char *name) {
    LLVMValueRef v;
    bool zero;
    if (!strcmp(name, "S_BRANCH")) return NULL;
    if (strstr(name, "SCC")) {
        v = lift_read_reg(l, &l->scc, l->i32);
        zero = strstr(name, "SCC0") != NULL;
    } else {
        v = mask64(l, strstr(name, "VCC") ? ISA_SRC_VCC_LO : ISA_SRC_EXEC_LO);
        zero = name[strlen(name) - 2] != 'N';
    }
    LLVMValueRef null = LLVMConstNull(LLVMTypeOf(v));
    return LLVMBuildICmp(l->b, zero ? LLVMIntEQ : LLVMIntNE, v, null, "");
}

static void end_branch(struct lift *l) {
    const struct lift_node *n = l->node;
    const struct lift_inst *i = l->inst;
    LLVMValueRef cond = condition(l, i->in.op->name);
    lift_flush(l);
    bool back = (int32_t)n->target <= (int32_t)i->off && n->target < l->rq->size;
    LLVMBasicBlockRef taken = back ? go_back(l, n->target, i->off) : go_to(l, n->target, n->full);
    if (!cond) {
        LLVMBuildBr(l->b, taken);
        return;
    }
    LLVMBasicBlockRef next = go_to(l, n->next, n->full);
    LLVMBuildCondBr(l->b, cond, taken, next);
}

/* All lanes on? A constant where that is known. */
static LLVMValueRef exec_is_full(struct lift *l) {
    LLVMValueRef v = LLVMBuildICmp(l->b, LLVMIntEQ, lift_exec(l, 0), lift_i32(l, UINT32_MAX), "");
    if (l->halves == 1) return v;
    LLVMValueRef hi = LLVMBuildICmp(l->b, LLVMIntEQ, lift_exec(l, 1), lift_i32(l, UINT32_MAX), "");
    return LLVMBuildAnd(l->b, v, hi, "");
}

static void end_exec(struct lift *l) {
    LLVMValueRef full = exec_is_full(l);
    lift_flush(l);
    LLVMBasicBlockRef yes = go_to(l, l->node->target, true), no = go_to(l, l->node->target, false);
    LLVMBuildCondBr(l->b, full, yes, no);
}

static void emit_inst(struct lift *l) {
    static void (*const emit[])(struct lift *) = {
        [L_VALU] = lift_valu,       [L_VOPD] = lift_vopd,     [L_LANE] = lift_lane,
        [L_SALU] = lift_salu,       [L_SFLOAT] = lift_sfloat, [L_SMEM] = lift_smem,
        [L_LDS] = lift_lds,         [L_GLOBAL] = lift_global, [L_SCRATCH] = lift_scratch,
        [L_PERMUTE] = lift_permute, [L_GETPC] = lift_getpc,   [L_STEP] = lift_step,
    };
    unsigned kind = l->inst->kind;
    if (kind < sizeof emit / sizeof *emit && emit[kind]) emit[kind](l);
    l->out->instructions++;
}

static void emit_node(struct lift *l, struct lift_node *n) {
    l->node = n;
    l->dirty = n->dirty_in;
    LLVMPositionBuilderAtEnd(l->b, n->bb);
    if (n->full)
        for (unsigned h = 0; h < l->halves; h++)
            l->s[ISA_SRC_EXEC_LO + h].val = lift_i32(l, UINT32_MAX);
    uint32_t off = n->off;
    for (uint32_t k = 0; k < n->count; k++) {
        l->inst = &l->insts[l->at[off / 4]];
        off += 4u * l->inst->len;
        emit_inst(l);
    }
    if (n->end == END_BRANCH) {
        end_branch(l);
    } else if (n->end == END_EXEC) {
        end_exec(l);
    } else if (n->end == END_FALL) {
        lift_flush(l);
        LLVMBuildBr(l->b, go_to(l, n->target, n->full));
    } else {
        struct regset live = n->live_out;
        int32_t at = n->target < l->rq->size ? l->at[n->target / 4] : -1;
        if (at >= 0 && l->insts[at].kind == L_END && !l->rq->keep_all) {
            LLVMBuildRet(l->b, lift_i64(l, JIT_ENDED));
            lift_forget(l);
            return;
        }
        for (unsigned w = 0; w < LREG_WORDS; w++)
            live.w[w] |= at >= 0 && !l->rq->keep_all ? l->insts[at].reads.w[w] : UINT64_MAX;
        regset_add(&live, LREG_SGPR0 + ISA_SRC_EXEC_LO, 2);
        lift_leave_at(l, n->target, &live);
        lift_forget(l);
    }
}

/* --- functions --- */

static void load_live(struct lift *l, const struct lift_node *n) {
    for (unsigned r = 0; r < ISA_VGPRS; r++)
        for (unsigned h = 0; h < l->halves; h++)
            if (regset_has(&n->live_in, r) && l->v[h][r].slot)
                LLVMBuildStore(l->b, lift_reload_vgpr(l, h, r), l->v[h][r].slot);
    for (unsigned r = 0; r < 128; r++)
        if ((regset_has(&n->live_in, LREG_SGPR0 + r) || r >= ISA_SRC_EXEC_LO) && l->s[r].slot)
            LLVMBuildStore(l->b, LLVMBuildLoad2(l->b, l->i32, lift_sgpr_address(l, r), ""),
                           l->s[r].slot);
    LLVMBuildStore(l->b, lift_reload_scc(l), l->scc.slot);
    LLVMBuildBr(l->b, n->bb);
}

static LLVMValueRef load_ptr(struct lift *l, LLVMValueRef p, uint64_t off) {
    return LLVMBuildLoad2(l->b, l->ptr, lift_at(l, p, off), "");
}

/* Exits store registers that other nodes, written later, may change: so all have slots. */
static void make_slots(struct lift *l) {
    struct regset used = {{0}};
    regset_add(&used, LREG_SGPR0 + ISA_SRC_EXEC_LO, 2);
    for (uint32_t k = 0; k < l->inst_count; k++)
        for (unsigned w = 0; w < LREG_WORDS; w++) {
            const struct lift_inst *i = &l->insts[k];
            used.w[w] |= i->writes.w[w] | (i->kind == L_LEFT ? 0 : i->reads.w[w]);
        }
    for (unsigned r = 0; r < LREG_COUNT; r++) {
        if (!regset_has(&used, r)) continue;
        if (r >= LREG_SGPR0) {
            l->s[r - LREG_SGPR0].slot = lift_alloca(l, l->i32);
            continue;
        }
        for (unsigned h = 0; h < l->halves; h++)
            l->v[h][r].slot = lift_alloca(l, l->v32);
    }
}

static void begin_function(struct lift *l, unsigned chunk) {
    char name[32];
    snprintf(name, sizeof name, "code_%u", chunk);
    l->fn = LLVMAddFunction(l->mod, name, l->fn_type);
    LLVMSetLinkage(l->fn, LLVMInternalLinkage);
    static const char *const attrs[][2] = {{"prefer-vector-width", "512"},
                                           {"min-legal-vector-width", "512"}};
    if (l->rq->host == JIT_HOST_V4)
        for (unsigned i = 0; i < 2; i++)
            LLVMAddAttributeAtIndex(
                l->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                LLVMCreateStringAttribute(l->cx, attrs[i][0], (unsigned)strlen(attrs[i][0]),
                                          attrs[i][1], (unsigned)strlen(attrs[i][1])));
    l->alloca_bb = lift_block(l, "slots");
    l->w = LLVMGetParam(l->fn, 0);
    l->h = LLVMGetParam(l->fn, 1);
    l->base = LLVMGetParam(l->fn, 2);
    memset(l->v, 0, sizeof l->v);
    memset(l->s, 0, sizeof l->s);
    memset(&l->scc, 0, sizeof l->scc);
    LLVMPositionBuilderAtEnd(l->b, l->alloca_bb);
    l->scc.slot = lift_alloca(l, l->i32);
    l->budget = lift_alloca(l, l->i64);
    make_slots(l);
}

/* What every entry needs, in the block that dispatches on the entry number. */
static void load_common(struct lift *l) {
    l->vbase = load_ptr(l, l->w, offsetof(struct wave, v));
    LLVMValueRef g = load_ptr(l, l->w, offsetof(struct wave, g));
    l->lds = load_ptr(l, g, offsetof(struct isa_group, lds));
    l->lds_bytes =
        LLVMBuildLoad2(l->b, l->i32, lift_at(l, g, offsetof(struct isa_group, lds_bytes)), "");
    uint64_t seg = offsetof(struct isa_group, segments), size = sizeof(struct segment_cache);
    l->vseg = lift_at(l, g, seg + ISA_CLIENT_VECTOR * size);
    l->sseg = lift_at(l, g, seg + ISA_CLIENT_SCALAR * size);
}

/* Not where the first instruction is left to the interpreter. */
static bool enters(const struct lift_node *n) {
    return n->is_entry && (n->count || n->end != END_LEFT);
}

static void emit_entries(struct lift *l, unsigned chunk, LLVMBasicBlockRef enter) {
    LLVMBasicBlockRef bad = lift_block(l, "unreachable");
    LLVMPositionBuilderAtEnd(l->b, bad);
    LLVMBuildUnreachable(l->b);
    LLVMPositionBuilderAtEnd(l->b, enter);
    LLVMValueRef sw = LLVMBuildSwitch(l->b, LLVMGetParam(l->fn, 3), bad, 8);
    for (uint32_t k = 0; k < l->node_count; k++) {
        struct lift_node *n = &l->nodes[k];
        if (!enters(n) || n->chunk != chunk || n->full) continue;
        struct lift_node *f = &l->nodes[l->node_at[1][n->off / 4]];
        LLVMBasicBlockRef bb = lift_block(l, "entry"), full = lift_block(l, "entry_full"),
                          part = lift_block(l, "entry_part");
        LLVMAddCase(sw, lift_i32(l, n->off / 4), bb);
        LLVMPositionBuilderAtEnd(l->b, bb);
        LLVMValueRef cond = NULL;
        for (unsigned h = 0; h < l->halves; h++) {
            LLVMValueRef v =
                LLVMBuildLoad2(l->b, l->i32, lift_sgpr_address(l, ISA_SRC_EXEC_LO + h), "");
            v = LLVMBuildICmp(l->b, LLVMIntEQ, v, lift_i32(l, UINT32_MAX), "");
            cond = cond ? LLVMBuildAnd(l->b, cond, v, "") : v;
        }
        lift_likely(l, cond, full, part);
        LLVMPositionBuilderAtEnd(l->b, full);
        load_live(l, f);
        LLVMPositionBuilderAtEnd(l->b, part);
        load_live(l, n);
    }
}

static void emit_function(struct lift *l, unsigned chunk) {
    begin_function(l, chunk);
    LLVMBasicBlockRef enter = lift_block(l, "enter");
    LLVMPositionBuilderAtEnd(l->b, enter);
    load_common(l);
    LLVMValueRef budget =
        LLVMBuildLoad2(l->b, l->i64, lift_at(l, l->w, offsetof(struct wave, budget)), "");
    LLVMBuildStore(l->b, budget, l->budget);
    for (uint32_t k = 0; k < l->node_count; k++)
        if (l->nodes[k].chunk == chunk) l->nodes[k].bb = lift_block(l, "node");
    for (uint32_t k = 0; k < l->node_count; k++)
        if (l->nodes[k].chunk == chunk) emit_node(l, &l->nodes[k]);
    emit_entries(l, chunk, enter);
    LLVMPositionBuilderAtEnd(l->b, l->alloca_bb);
    LLVMBuildBr(l->b, enter);
}

/* --- the table --- */

static LLVMValueRef function_of(struct lift *l, unsigned chunk) {
    char name[32];
    snprintf(name, sizeof name, "code_%u", chunk);
    return LLVMGetNamedFunction(l->mod, name);
}

static int emit_table(struct lift *l) {
    unsigned count = 0;
    LLVMTypeRef types[] = {l->ptr, l->i32, l->i32};
    LLVMTypeRef entry_type = LLVMStructTypeInContext(l->cx, types, 3, false);
    LLVMValueRef *entries = NULL;
    for (unsigned pass = 0; pass < 2; pass++) {
        unsigned n = 0;
        for (size_t d = 0; d < l->rq->size / 4; d++) {
            int32_t k = l->node_at[0][d];
            if (k < 0 || !enters(&l->nodes[k])) continue;
            if (pass) {
                LLVMValueRef f[] = {function_of(l, l->nodes[k].chunk), lift_i32(l, (uint32_t)d * 4),
                                    lift_i32(l, (uint32_t)d)};
                entries[n] = LLVMConstStructInContext(l->cx, f, 3, false);
            }
            n++;
        }
        if (!pass) entries = calloc(n + 1, sizeof *entries);
        if (!entries) return lift_fail(l, -ENOMEM, "no memory");
        count = n;
    }
    LLVMTypeRef array = LLVMArrayType2(entry_type, count);
    LLVMValueRef table = LLVMAddGlobal(l->mod, array, "entries");
    LLVMSetInitializer(table, LLVMConstArray2(entry_type, entries, count));
    LLVMSetLinkage(table, LLVMInternalLinkage);
    free(entries);
    const struct lift_request *rq = l->rq;
    LLVMValueRef f[] = {lift_i32(l, JIT_MAGIC),
                        lift_i32(l, JIT_VERSION),
                        lift_i64(l, jit_layout()),
                        lift_i32(l, rq->arch),
                        lift_i32(l, rq->wave_size),
                        lift_i32(l, rq->host),
                        lift_i32(l, rq->mode & JIT_MODE_BITS),
                        lift_i32(l, rq->vgpr_limit),
                        lift_i32(l, count),
                        lift_i64(l, rq->shared_aperture),
                        lift_i64(l, rq->private_aperture),
                        lift_i64(l, rq->size),
                        table};
    LLVMValueRef object = LLVMConstStructInContext(l->cx, f, sizeof f / sizeof *f, false);
    LLVMValueRef global = LLVMAddGlobal(l->mod, LLVMTypeOf(object), JIT_SYMBOL);
    LLVMSetInitializer(global, object);
    return 0;
}

int lift_emit(struct lift *l) {
    for (unsigned c = 0; c < l->chunks; c++)
        emit_function(l, c);
    return emit_table(l);
}
