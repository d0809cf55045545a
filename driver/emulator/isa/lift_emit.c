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
void lift_likely(struct lift *l, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
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

LLVMValueRef lift_read_reg(struct lift *l, struct lift_reg *r, LLVMTypeRef t) {
    if (!r->slot) r->slot = lift_alloca(l, t);
    if (!r->val) r->val = LLVMBuildLoad2(l->b, t, r->slot, "");
    return r->val;
}

void lift_write_reg(struct lift *l, struct lift_reg *r, LLVMTypeRef t, LLVMValueRef v) {
    if (!r->slot) r->slot = lift_alloca(l, t);
    r->val = v;
    r->dirty = true;
}

LLVMValueRef lift_sgpr(struct lift *l, unsigned r) {
    if (r >= 128) return lift_i32(l, 0);
    return lift_read_reg(l, &l->s[r], l->i32);
}

LLVMValueRef lift_sgpr64(struct lift *l, unsigned r) {
    LLVMValueRef lo = LLVMBuildZExt(l->b, lift_sgpr(l, r), l->i64, "");
    LLVMValueRef hi = LLVMBuildZExt(l->b, lift_sgpr(l, r + 1), l->i64, "");
    return LLVMBuildOr(l->b, lo, LLVMBuildShl(l->b, hi, lift_i64(l, 32), ""), "");
}

void lift_set_sgpr(struct lift *l, unsigned r, LLVMValueRef v) {
    if (r >= 128) return;
    lift_write_reg(l, &l->s[r], l->i32, v);
    regset_add(&l->dirty, LREG_SGPR0 + r, 1);
    if (r == ISA_SRC_EXEC_LO || r == ISA_SRC_EXEC_HI) l->mask[r - ISA_SRC_EXEC_LO] = NULL;
}

LLVMValueRef lift_scc(struct lift *l) {
    return lift_read_reg(l, &l->scc, l->i32);
}

void lift_set_scc(struct lift *l, LLVMValueRef v) {
    lift_write_reg(l, &l->scc, l->i32, v);
}

LLVMValueRef lift_vgpr(struct lift *l, unsigned half, unsigned r) {
    return lift_cast(l, lift_read_reg(l, &l->v[half][r], l->v32), l->v32);
}

void lift_set_vgpr(struct lift *l, unsigned half, unsigned r, LLVMValueRef v) {
    lift_write_reg(l, &l->v[half][r], l->v32, v);
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
    lift_read_reg(l, &l->v[half][r], l->v32);
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
void lift_forget(struct lift *l) {
    for (unsigned h = 0; h < l->halves; h++)
        for (unsigned r = 0; r < ISA_VGPRS; r++)
            l->v[h][r].val = NULL, l->v[h][r].dirty = false;
    for (unsigned r = 0; r < 128; r++)
        l->s[r].val = NULL, l->s[r].dirty = false;
    l->scc.val = NULL;
    l->scc.dirty = false;
    l->mask[0] = l->mask[1] = NULL;
}

void lift_flush(struct lift *l) {
    for (unsigned h = 0; h < l->halves; h++)
        for (unsigned r = 0; r < ISA_VGPRS; r++)
            if (l->v[h][r].val) flush_reg(l, &l->v[h][r], l->v32);
    for (unsigned r = 0; r < 128; r++)
        if (l->s[r].val) flush_reg(l, &l->s[r], l->i32);
    if (l->scc.val) flush_reg(l, &l->scc, l->i32);
    l->mask[0] = l->mask[1] = NULL;
}

/* --- the wave's memory --- */

LLVMValueRef lift_at(struct lift *l, LLVMValueRef p, uint64_t off) {
    LLVMValueRef index = lift_i64(l, off);
    return LLVMBuildInBoundsGEP2(l->b, l->i8, p, &index, 1, "");
}

LLVMValueRef lift_sgpr_address(struct lift *l, unsigned r) {
    return lift_at(l, l->w, offsetof(struct wave, s) + 4 * r);
}

static LLVMValueRef vgpr_address(struct lift *l, unsigned half, unsigned r) {
    return lift_at(l, l->vbase, (uint64_t)(half * ISA_VGPRS + r) * sizeof(vu32));
}

static void store_vector(struct lift *l, LLVMValueRef v, LLVMValueRef p) {
    LLVMSetAlignment(LLVMBuildStore(l->b, lift_cast(l, v, l->v32), p), 64);
}

/* Stores the registers of the set into the wave; values stay as they are. */
void lift_spill(struct lift *l, const struct regset *set) {
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
            LLVMBuildStore(l->b, v, lift_sgpr_address(l, r));
        }
    LLVMValueRef scc = l->scc.val ? l->scc.val : LLVMBuildLoad2(l->b, l->i32, l->scc.slot, "");
    LLVMBuildStore(l->b, scc, lift_at(l, l->w, offsetof(struct wave, scc)));
}

void lift_store_budget(struct lift *l) {
    LLVMValueRef v = LLVMBuildLoad2(l->b, l->i64, l->budget, "");
    LLVMBuildStore(l->b, v, lift_at(l, l->w, offsetof(struct wave, budget)));
}

/* Registers that must be in memory when control leaves for `live`. */
struct regset lift_to_store(const struct lift *l, const struct regset *live) {
    struct regset s;
    for (unsigned w = 0; w < LREG_WORDS; w++)
        s.w[w] = l->dirty.w[w] & live->w[w];
    return s;
}

LLVMValueRef lift_address_of(struct lift *l, uint32_t off) {
    return LLVMBuildAdd(l->b, l->base, lift_i64(l, (uint64_t)(int64_t)(int32_t)off), "");
}

/* Ends the block: the interpreter goes on at off. */
void lift_leave_at(struct lift *l, uint32_t off, const struct regset *live) {
    struct regset s = lift_to_store(l, live);
    lift_spill(l, &s);
    lift_store_budget(l);
    LLVMBuildRet(l->b, lift_address_of(l, off));
}

/* --- asking the interpreter --- */

static LLVMValueRef call_step(struct lift *l) {
    const struct lift_inst *i = l->inst;
    struct regset s = i->reads;
    regset_add(&s, LREG_SGPR0 + ISA_SRC_EXEC_LO, 2);
    for (unsigned w = 0; w < LREG_WORDS; w++)
        s.w[w] = (s.w[w] | i->writes.w[w]) & l->dirty.w[w];
    lift_spill(l, &s);
    LLVMValueRef f =
        LLVMBuildLoad2(l->b, l->ptr, lift_at(l, l->h, offsetof(struct jit_helpers, step)), "");
    LLVMValueRef args[] = {l->w, lift_address_of(l, i->off)};
    return LLVMBuildCall2(l->b, l->step_type, f, args, 2, "");
}

/* After a call that answered r: if the wave stops, everything that may matter goes to memory. */
static void check_left(struct lift *l, LLVMValueRef r) {
    LLVMBasicBlockRef stop = lift_block(l, "stop"), go = lift_block(l, "stepped");
    LLVMValueRef ok = LLVMBuildICmp(l->b, LLVMIntEQ, r, lift_i32(l, 0), "");
    lift_likely(l, ok, go, stop);
    LLVMPositionBuilderAtEnd(l->b, stop);
    struct regset live = l->node->live_in;
    for (unsigned w = 0; w < LREG_WORDS; w++)
        live.w[w] = (live.w[w] | l->node->live_out.w[w] | l->inst->reads.w[w]) & l->dirty.w[w] &
                    ~l->inst->writes.w[w];
    lift_spill(l, &live);
    lift_store_budget(l);
    LLVMBuildRet(l->b, lift_i64(l, JIT_LEFT));
    LLVMPositionBuilderAtEnd(l->b, go);
}

LLVMValueRef lift_reload_vgpr(struct lift *l, unsigned h, unsigned r) {
    LLVMValueRef v = LLVMBuildLoad2(l->b, l->v32, vgpr_address(l, h, r), "");
    LLVMSetAlignment(v, 64);
    return v;
}

LLVMValueRef lift_reload_scc(struct lift *l) {
    return LLVMBuildLoad2(l->b, l->i32, lift_at(l, l->w, offsetof(struct wave, scc)), "");
}

void lift_step(struct lift *l) {
    check_left(l, call_step(l));
    const struct regset *writes = &l->inst->writes;
    for (unsigned r = 0; r < ISA_VGPRS; r++)
        for (unsigned h = 0; h < l->halves; h++)
            if (regset_has(writes, r)) lift_set_vgpr(l, h, r, lift_reload_vgpr(l, h, r));
    for (unsigned r = 0; r < 128; r++)
        if (regset_has(writes, LREG_SGPR0 + r))
            lift_set_sgpr(l, r, LLVMBuildLoad2(l->b, l->i32, lift_sgpr_address(l, r), ""));
    lift_write_reg(l, &l->scc, l->i32, lift_reload_scc(l));
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
    lift_likely(l, ok, join, slow);
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
            slow_val[n++] =
                r < ISA_VGPRS
                    ? lift_reload_vgpr(l, h, r)
                    : LLVMBuildLoad2(l->b, l->i32, lift_sgpr_address(l, r - LREG_SGPR0), "");
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
