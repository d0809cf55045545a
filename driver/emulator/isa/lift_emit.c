/* SPDX-License-Identifier: MIT */
/* lift_emit.c - functions, nodes and how values live in them. A register has a slot (alloca, which
 * SROA turns into SSA) and, inside a block, the value last read or written. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/lift_internal.h"

/* --- small things --- */

LLVMValueRef lift_i32(struct lift *l, uint32_t v) {
    return LLVMConstInt(l->i32, v, false);
}

LLVMValueRef lift_i64(struct lift *l, uint64_t v) {
    return LLVMConstInt(l->i64, v, false);
}

LLVMValueRef lift_cast(struct lift *l, LLVMValueRef v, LLVMTypeRef t) {
    if (LLVMTypeOf(v) == t) return v;
    if (LLVMIsABitCastInst(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == t) return LLVMGetOperand(v, 0);
    return LLVMBuildBitCast(l->b, v, t, "");
}

LLVMValueRef lift_alloca(struct lift *l, LLVMTypeRef t) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    LLVMPositionBuilderAtEnd(l->b, l->alloca_bb);
    LLVMValueRef a = LLVMBuildAlloca(l->b, t, "");
    LLVMPositionBuilderAtEnd(l->b, here);
    return a;
}

LLVMBasicBlockRef lift_block(struct lift *l, const char *name) {
    return LLVMAppendBasicBlockInContext(l->cx, l->fn, name);
}

LLVMValueRef lift_const_lanes(struct lift *l, const uint32_t *lanes) {
    LLVMValueRef v[32];
    for (unsigned i = 0; i < 32; i++)
        v[i] = lift_i32(l, lanes[i]);
    return LLVMConstVector(v, 32);
}

LLVMValueRef lift_splat(struct lift *l, LLVMValueRef v) {
    if (LLVMIsAConstantInt(v)) {
        LLVMValueRef same[32];
        for (unsigned i = 0; i < 32; i++)
            same[i] = v;
        return LLVMConstVector(same, 32);
    }
    LLVMValueRef u = LLVMGetUndef(l->v32);
    v = LLVMBuildInsertElement(l->b, u, v, lift_i32(l, 0), "");
    return LLVMBuildShuffleVector(l->b, v, u, LLVMConstNull(l->v32), "");
}

LLVMValueRef lift_lanes_of(struct lift *l, LLVMValueRef v) {
    return lift_cast(l, v, l->v1);
}

LLVMValueRef lift_mask_of(struct lift *l, LLVMValueRef v) {
    return lift_cast(l, v, l->i32);
}

/* A branch that nearly always takes its first way. */
static void likely(struct lift *l, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    LLVMValueRef br = LLVMBuildCondBr(l->b, cond, yes, no);
    LLVMMetadataRef node[3] = {
        LLVMMDStringInContext2(l->cx, "branch_weights", 14),
        LLVMValueAsMetadata(lift_i32(l, 100000)),
        LLVMValueAsMetadata(lift_i32(l, 1)),
    };
    LLVMMetadataRef md = LLVMMDNodeInContext2(l->cx, node, 3);
    LLVMSetMetadata(br, LLVMGetMDKindIDInContext(l->cx, "prof", 4), LLVMMetadataAsValue(l->cx, md));
}

/* --- registers --- */

static LLVMValueRef read_reg(struct lift *l, struct lift_reg *r, LLVMTypeRef t) {
    if (!r->slot) r->slot = lift_alloca(l, t);
    if (!r->val) r->val = LLVMBuildLoad2(l->b, t, r->slot, "");
    return r->val;
}

static void write_reg(struct lift *l, struct lift_reg *r, LLVMTypeRef t, LLVMValueRef v) {
    if (!r->slot) r->slot = lift_alloca(l, t);
    r->val = v;
    r->dirty = true;
}

LLVMValueRef lift_sgpr(struct lift *l, unsigned r) {
    if (r >= 128) return lift_i32(l, 0);
    return read_reg(l, &l->s[r], l->i32);
}

LLVMValueRef lift_sgpr64(struct lift *l, unsigned r) {
    LLVMValueRef lo = LLVMBuildZExt(l->b, lift_sgpr(l, r), l->i64, "");
    LLVMValueRef hi = LLVMBuildZExt(l->b, lift_sgpr(l, r + 1), l->i64, "");
    return LLVMBuildOr(l->b, lo, LLVMBuildShl(l->b, hi, lift_i64(l, 32), ""), "");
}

void lift_set_sgpr(struct lift *l, unsigned r, LLVMValueRef v) {
    if (r >= 128) return;
    write_reg(l, &l->s[r], l->i32, v);
    regset_add(&l->dirty, LREG_SGPR0 + r, 1);
    if (r == ISA_SRC_EXEC_LO || r == ISA_SRC_EXEC_HI) l->mask[r - ISA_SRC_EXEC_LO] = NULL;
}

LLVMValueRef lift_scc(struct lift *l) {
    return read_reg(l, &l->scc, l->i32);
}

void lift_set_scc(struct lift *l, LLVMValueRef v) {
    write_reg(l, &l->scc, l->i32, v);
}

LLVMValueRef lift_vgpr(struct lift *l, unsigned half, unsigned r) {
    return lift_cast(l, read_reg(l, &l->v[half][r], l->v32), l->v32);
}

void lift_set_vgpr(struct lift *l, unsigned half, unsigned r, LLVMValueRef v) {
    write_reg(l, &l->v[half][r], l->v32, v);
    regset_add(&l->dirty, r, 1);
}

LLVMValueRef lift_exec(struct lift *l, unsigned half) {
    return lift_sgpr(l, ISA_SRC_EXEC_LO + half);
}

LLVMValueRef lift_exec_mask(struct lift *l, unsigned half) {
    if (!l->mask[half]) l->mask[half] = lift_lanes_of(l, lift_exec(l, half));
    return l->mask[half];
}

/* Selects in the type that the value was computed in: an integer select around a float operation
 * would hide a masked instruction. */
void lift_write_vgpr(struct lift *l, unsigned half, unsigned r, LLVMValueRef v, LLVMValueRef mask) {
    if (!mask && l->node->full) {
        lift_set_vgpr(l, half, r, v);
        return;
    }
    if (!mask) mask = lift_exec_mask(l, half);
    LLVMTypeRef t = LLVMTypeOf(v);
    if (t != l->v32f) {
        v = lift_cast(l, v, l->v32);
        t = l->v32;
    }
    read_reg(l, &l->v[half][r], l->v32);
    LLVMValueRef old = lift_cast(l, l->v[half][r].val, t);
    lift_set_vgpr(l, half, r, LLVMBuildSelect(l->b, mask, v, old, ""));
}

/* Puts values into their slots and forgets them: the block ends. */
static void flush_reg(struct lift *l, struct lift_reg *r, LLVMTypeRef t) {
    if (r->dirty) LLVMBuildStore(l->b, lift_cast(l, r->val, t), r->slot);
    r->dirty = false;
    r->val = NULL;
}

/* The block has its terminator: nothing of it is known in the next. */
static void forget(struct lift *l) {
    for (unsigned h = 0; h < l->halves; h++)
        for (unsigned r = 0; r < ISA_VGPRS; r++)
            l->v[h][r].val = NULL, l->v[h][r].dirty = false;
    for (unsigned r = 0; r < 128; r++)
        l->s[r].val = NULL, l->s[r].dirty = false;
    l->scc.val = NULL;
    l->scc.dirty = false;
    l->mask[0] = l->mask[1] = NULL;
}

static void flush(struct lift *l) {
    for (unsigned h = 0; h < l->halves; h++)
        for (unsigned r = 0; r < ISA_VGPRS; r++)
            if (l->v[h][r].val) flush_reg(l, &l->v[h][r], l->v32);
    for (unsigned r = 0; r < 128; r++)
        if (l->s[r].val) flush_reg(l, &l->s[r], l->i32);
    if (l->scc.val) flush_reg(l, &l->scc, l->i32);
    l->mask[0] = l->mask[1] = NULL;
}

/* --- the wave's memory --- */

static LLVMValueRef at_offset(struct lift *l, LLVMValueRef p, uint64_t off) {
    LLVMValueRef index = lift_i64(l, off);
    return LLVMBuildInBoundsGEP2(l->b, l->i8, p, &index, 1, "");
}

static LLVMValueRef sgpr_address(struct lift *l, unsigned r) {
    return at_offset(l, l->w, offsetof(struct wave, s) + 4 * r);
}

static LLVMValueRef vgpr_address(struct lift *l, unsigned half, unsigned r) {
    return at_offset(l, l->vbase, (uint64_t)(half * ISA_VGPRS + r) * sizeof(vu32));
}

static void store_vector(struct lift *l, LLVMValueRef v, LLVMValueRef p) {
    LLVMSetAlignment(LLVMBuildStore(l->b, lift_cast(l, v, l->v32), p), 64);
}

/* Stores the registers of the set into the wave; values stay as they are. */
static void spill(struct lift *l, const struct regset *set) {
    for (unsigned r = 0; r < ISA_VGPRS; r++)
        for (unsigned h = 0; h < l->halves; h++)
            if (regset_has(set, r)) {
                struct lift_reg *g = &l->v[h][r];
                if (!g->slot) continue; /* neither loaded nor written here: memory has it */
                LLVMValueRef v = g->val ? g->val : LLVMBuildLoad2(l->b, l->v32, g->slot, "");
                store_vector(l, v, vgpr_address(l, h, r));
            }
    for (unsigned r = 0; r < 128; r++)
        if (regset_has(set, LREG_SGPR0 + r)) {
            struct lift_reg *g = &l->s[r];
            if (!g->slot) continue;
            LLVMValueRef v = g->val ? g->val : LLVMBuildLoad2(l->b, l->i32, g->slot, "");
            LLVMBuildStore(l->b, v, sgpr_address(l, r));
        }
    LLVMValueRef scc = l->scc.val ? l->scc.val : LLVMBuildLoad2(l->b, l->i32, l->scc.slot, "");
    LLVMBuildStore(l->b, scc, at_offset(l, l->w, offsetof(struct wave, scc)));
}

static void store_budget(struct lift *l) {
    LLVMValueRef v = LLVMBuildLoad2(l->b, l->i64, l->budget, "");
    LLVMBuildStore(l->b, v, at_offset(l, l->w, offsetof(struct wave, budget)));
}

/* Registers that must be in memory when control leaves for `live`. */
static struct regset to_store(const struct lift *l, const struct regset *live) {
    struct regset s;
    for (unsigned w = 0; w < LREG_WORDS; w++)
        s.w[w] = l->dirty.w[w] & live->w[w];
    return s;
}

static LLVMValueRef address_of(struct lift *l, uint32_t off) {
    return LLVMBuildAdd(l->b, l->base, lift_i64(l, (uint64_t)(int64_t)(int32_t)off), "");
}

/* Ends the block: the interpreter goes on at off. */
static void leave_at(struct lift *l, uint32_t off, const struct regset *live) {
    struct regset s = to_store(l, live);
    spill(l, &s);
    store_budget(l);
    LLVMBuildRet(l->b, address_of(l, off));
}

/* --- asking the interpreter --- */

static LLVMValueRef call_step(struct lift *l) {
    const struct lift_inst *i = l->inst;
    struct regset s = i->reads;
    regset_add(&s, LREG_SGPR0 + ISA_SRC_EXEC_LO, 2);
    for (unsigned w = 0; w < LREG_WORDS; w++)
        s.w[w] = (s.w[w] | i->writes.w[w]) & l->dirty.w[w];
    spill(l, &s);
    LLVMValueRef f =
        LLVMBuildLoad2(l->b, l->ptr, at_offset(l, l->h, offsetof(struct jit_helpers, step)), "");
    LLVMValueRef args[] = {l->w, address_of(l, i->off)};
    return LLVMBuildCall2(l->b, l->step_type, f, args, 2, "");
}

/* After a call that answered r: if the wave stops, everything that may matter goes to memory. */
static void check_left(struct lift *l, LLVMValueRef r) {
    LLVMBasicBlockRef stop = lift_block(l, "stop"), go = lift_block(l, "stepped");
    LLVMValueRef ok = LLVMBuildICmp(l->b, LLVMIntEQ, r, lift_i32(l, 0), "");
    likely(l, ok, go, stop);
    LLVMPositionBuilderAtEnd(l->b, stop);
    struct regset live = l->node->live_in;
    for (unsigned w = 0; w < LREG_WORDS; w++)
        live.w[w] = (live.w[w] | l->node->live_out.w[w] | l->inst->reads.w[w]) & l->dirty.w[w] &
                    ~l->inst->writes.w[w];
    spill(l, &live);
    store_budget(l);
    LLVMBuildRet(l->b, lift_i64(l, JIT_LEFT));
    LLVMPositionBuilderAtEnd(l->b, go);
}

static LLVMValueRef reload_vgpr(struct lift *l, unsigned h, unsigned r) {
    LLVMValueRef v = LLVMBuildLoad2(l->b, l->v32, vgpr_address(l, h, r), "");
    LLVMSetAlignment(v, 64);
    return v;
}

static LLVMValueRef reload_scc(struct lift *l) {
    return LLVMBuildLoad2(l->b, l->i32, at_offset(l, l->w, offsetof(struct wave, scc)), "");
}

void lift_step(struct lift *l) {
    check_left(l, call_step(l));
    const struct regset *writes = &l->inst->writes;
    for (unsigned r = 0; r < ISA_VGPRS; r++)
        for (unsigned h = 0; h < l->halves; h++)
            if (regset_has(writes, r)) lift_set_vgpr(l, h, r, reload_vgpr(l, h, r));
    for (unsigned r = 0; r < 128; r++)
        if (regset_has(writes, LREG_SGPR0 + r))
            lift_set_sgpr(l, r, LLVMBuildLoad2(l->b, l->i32, sgpr_address(l, r), ""));
    write_reg(l, &l->scc, l->i32, reload_scc(l));
}

static LLVMValueRef phi2(struct lift *l, LLVMTypeRef t, LLVMValueRef a, LLVMBasicBlockRef from_a,
                         LLVMValueRef b, LLVMBasicBlockRef from_b) {
    LLVMValueRef phi = LLVMBuildPhi(l->b, t, "");
    LLVMAddIncoming(phi, &a, &from_a, 1);
    LLVMAddIncoming(phi, &b, &from_b, 1);
    return phi;
}

/* The registers that the instruction writes hold their new values already, for the case that ok is
 * true; `before` is what they held: VGPRs of both halves in order of number, then SGPRs. */
void lift_step_unless(struct lift *l, LLVMValueRef ok, const struct lift_reg *before) {
    struct lift_reg after[64];
    unsigned n = 0;
    const struct regset *writes = &l->inst->writes;
    LLVMBasicBlockRef fast = LLVMGetInsertBlock(l->b), slow = lift_block(l, "slow"),
                      join = lift_block(l, "join");
    likely(l, ok, join, slow);
    LLVMPositionBuilderAtEnd(l->b, slow);
    struct regset dirty = l->dirty;
    for (unsigned r = 0; r < LREG_COUNT; r++)
        for (unsigned h = 0; h < (r < ISA_VGPRS ? l->halves : 1); h++) {
            if (!regset_has(writes, r) || n == 64) continue;
            struct lift_reg *g = r < ISA_VGPRS ? &l->v[h][r] : &l->s[r - LREG_SGPR0];
            after[n] = *g;
            *g = before[n++];
        }
    check_left(l, call_step(l));
    l->dirty = dirty;
    LLVMValueRef slow_val[64];
    n = 0;
    for (unsigned r = 0; r < LREG_COUNT; r++)
        for (unsigned h = 0; h < (r < ISA_VGPRS ? l->halves : 1); h++) {
            if (!regset_has(writes, r) || n == 64) continue;
            slow_val[n++] = r < ISA_VGPRS
                                ? reload_vgpr(l, h, r)
                                : LLVMBuildLoad2(l->b, l->i32, sgpr_address(l, r - LREG_SGPR0), "");
        }
    LLVMBasicBlockRef slow_end = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, join);
    n = 0;
    for (unsigned r = 0; r < LREG_COUNT; r++)
        for (unsigned h = 0; h < (r < ISA_VGPRS ? l->halves : 1); h++) {
            if (!regset_has(writes, r) || n == 64) continue;
            LLVMTypeRef t = r < ISA_VGPRS ? l->v32 : l->i32;
            struct lift_reg *g = r < ISA_VGPRS ? &l->v[h][r] : &l->s[r - LREG_SGPR0];
            LLVMValueRef phi = phi2(l, t, after[n].val, fast, slow_val[n], slow_end);
            *g = after[n++];
            g->val = phi;
            g->dirty = true;
        }
}

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
    leave_at(l, off, &all);
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
    likely(l, left, to, yield);
    LLVMPositionBuilderAtEnd(l->b, yield);
    struct regset live;
    memset(&live, 0xff, sizeof live);
    if (l->node_at[l->node->full][off / 4] >= 0)
        live = l->nodes[l->node_at[l->node->full][off / 4]].live_in;
    struct regset s = to_store(l, &live);
    spill(l, &s);
    store_budget(l);
    LLVMBuildStore(l->b, lift_i32(l, EXIT_YIELD), at_offset(l, l->w, offsetof(struct wave, exit)));
    LLVMBuildStore(l->b, address_of(l, off), at_offset(l, l->w, offsetof(struct wave, pc)));
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
        v = read_reg(l, &l->scc, l->i32);
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
    flush(l);
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
    flush(l);
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
        flush(l);
        LLVMBuildBr(l->b, go_to(l, n->target, n->full));
    } else {
        struct regset live = n->live_out;
        int32_t at = n->target < l->rq->size ? l->at[n->target / 4] : -1;
        if (at >= 0 && l->insts[at].kind == L_END && !l->rq->keep_all) {
            LLVMBuildRet(l->b, lift_i64(l, JIT_ENDED));
            forget(l);
            return;
        }
        for (unsigned w = 0; w < LREG_WORDS; w++)
            live.w[w] |= at >= 0 && !l->rq->keep_all ? l->insts[at].reads.w[w] : UINT64_MAX;
        regset_add(&live, LREG_SGPR0 + ISA_SRC_EXEC_LO, 2);
        leave_at(l, n->target, &live);
        forget(l);
    }
}

/* --- functions --- */

static void load_live(struct lift *l, const struct lift_node *n) {
    for (unsigned r = 0; r < ISA_VGPRS; r++)
        for (unsigned h = 0; h < l->halves; h++)
            if (regset_has(&n->live_in, r) && l->v[h][r].slot)
                LLVMBuildStore(l->b, reload_vgpr(l, h, r), l->v[h][r].slot);
    for (unsigned r = 0; r < 128; r++)
        if ((regset_has(&n->live_in, LREG_SGPR0 + r) || r >= ISA_SRC_EXEC_LO) && l->s[r].slot)
            LLVMBuildStore(l->b, LLVMBuildLoad2(l->b, l->i32, sgpr_address(l, r), ""),
                           l->s[r].slot);
    LLVMBuildStore(l->b, reload_scc(l), l->scc.slot);
    LLVMBuildBr(l->b, n->bb);
}

static LLVMValueRef load_ptr(struct lift *l, LLVMValueRef p, uint64_t off) {
    return LLVMBuildLoad2(l->b, l->ptr, at_offset(l, p, off), "");
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
        LLVMBuildLoad2(l->b, l->i32, at_offset(l, g, offsetof(struct isa_group, lds_bytes)), "");
    uint64_t seg = offsetof(struct isa_group, segments), size = sizeof(struct segment_cache);
    l->vseg = at_offset(l, g, seg + ISA_CLIENT_VECTOR * size);
    l->sseg = at_offset(l, g, seg + ISA_CLIENT_SCALAR * size);
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
            LLVMValueRef v = LLVMBuildLoad2(l->b, l->i32, sgpr_address(l, ISA_SRC_EXEC_LO + h), "");
            v = LLVMBuildICmp(l->b, LLVMIntEQ, v, lift_i32(l, UINT32_MAX), "");
            cond = cond ? LLVMBuildAnd(l->b, cond, v, "") : v;
        }
        likely(l, cond, full, part);
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
        LLVMBuildLoad2(l->b, l->i64, at_offset(l, l->w, offsetof(struct wave, budget)), "");
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
