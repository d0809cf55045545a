/* SPDX-License-Identifier: MIT */
/* lift_mem.c - memory instructions: calls of the functions of jit_inline.c (which the passes
 * inline), with the interpreter as the slow path. */
#include <stdio.h>
#include <string.h>

#include "driver/emulator/isa/lift_internal.h"

static LLVMValueRef service(struct lift *l, const char *name, LLVMValueRef *args, unsigned n) {
    LLVMValueRef f = lift_llvm_function(l, name);
    return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(f), f, args, n, "");
}

static LLVMValueRef memory_of(struct lift *l, LLVMValueRef v) {
    LLVMValueRef a = lift_alloca(l, l->v32);
    LLVMBuildStore(l->b, v, a);
    return a;
}

static LLVMTypeRef vectors(struct lift *l, unsigned n) {
    return LLVMArrayType2(l->v32, n);
}

static LLVMValueRef element(struct lift *l, LLVMValueRef p, unsigned i) {
    LLVMValueRef index = lift_i64(l, i * sizeof(vu32));
    return i ? LLVMBuildInBoundsGEP2(l->b, l->i8, p, &index, 1, "") : p;
}

/* n VGPRs from r on, in memory of the function. */
static LLVMValueRef vgprs_in_memory(struct lift *l, unsigned half, unsigned r, unsigned n) {
    LLVMValueRef a = lift_alloca(l, vectors(l, n));
    for (unsigned i = 0; i < n; i++)
        LLVMBuildStore(l->b, lift_vgpr(l, half, r + i), element(l, a, i));
    return a;
}

static unsigned dwords_of(unsigned bytes) {
    return (bytes + 3) / 4;
}

/* What the instruction writes, as it was before: for the slow path. */
struct before {
    struct lift_reg reg[64];
};

static void remember(struct lift *l, struct before *b) {
    unsigned n = 0;
    for (unsigned r = 0; r < LREG_COUNT; r++)
        for (unsigned h = 0; h < (r < ISA_VGPRS ? l->halves : 1); h++) {
            if (!regset_has(&l->inst->writes, r) || n == 64) continue;
            if (r < ISA_VGPRS && !l->node->full) lift_vgpr(l, h, r);
            b->reg[n++] = r < ISA_VGPRS ? l->v[h][r] : l->s[r - LREG_SGPR0];
        }
}

static LLVMValueRef and_ok(struct lift *l, LLVMValueRef a, LLVMValueRef b) {
    return a ? LLVMBuildAnd(l->b, a, b, "") : b;
}

/* --- scalar loads --- */

void lift_smem(struct lift *l) {
    const struct xinst *x = &l->inst->x;
    struct before before;
    remember(l, &before);
    LLVMValueRef va = LLVMBuildAdd(l->b, lift_sgpr64(l, (unsigned)x->s[0]),
                                   lift_i64(l, (uint64_t)(int64_t)x->imm), "");
    if (x->k[1] == SRC_SGPR) {
        LLVMValueRef o = LLVMBuildZExt(l->b, lift_sgpr(l, (unsigned)x->s[1]), l->i64, "");
        va = LLVMBuildAdd(l->b, va, o, "");
    }
    unsigned unit = x->size < 4 ? x->size : 4;
    va = LLVMBuildAnd(l->b, va, lift_i64(l, ~(uint64_t)(unit - 1)), "");
    /* Where the address is not known the wave itself is read, and the result not used. */
    LLVMValueRef host = lift_alloca(l, l->ptr);
    LLVMBuildStore(l->b, l->w, host);
    LLVMValueRef args[] = {l->sseg, va, lift_i32(l, x->size), lift_i32(l, ISA_READ), host};
    LLVMValueRef ok = service(l, "jit_scalar", args, 5);
    LLVMValueRef p = LLVMBuildLoad2(l->b, l->ptr, host, ""), v[16];
    unsigned n = dwords_of(x->size);
    LLVMTypeRef t = LLVMIntTypeInContext(l->cx, 8 * unit);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef index = lift_i64(l, 4 * i);
        LLVMValueRef q = LLVMBuildGEP2(l->b, l->i8, p, &index, 1, "");
        v[i] = LLVMBuildLoad2(l->b, t, q, "");
        LLVMSetAlignment(v[i], unit);
        if (unit < 4)
            v[i] = x->sub ? LLVMBuildSExt(l->b, v[i], l->i32, "")
                          : LLVMBuildZExt(l->b, v[i], l->i32, "");
    }
    for (unsigned i = 0; i < n; i++)
        lift_set_sgpr(l, x->dst + i, v[i]);
    if (x->dst < 128) lift_step_unless(l, ok, before.reg);
}

/* --- LDS --- */

static bool is_2addr(const struct lift_inst *i) {
    return strstr(i->in.op->name, "2ADDR") != NULL;
}

static bool is_atomic_inline(const struct lift_inst *i) {
    switch (i->x.sub) {
    case ATOMIC_SWAP:
    case ATOMIC_ADD:
    case ATOMIC_SUB:
    case ATOMIC_MIN_I:
    case ATOMIC_MIN_U:
    case ATOMIC_MAX_I:
    case ATOMIC_MAX_U:
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR:
        return i->x.size == 4 && i->x.ns == 1;
    default:
        return false;
    }
}

bool lift_mem_can(struct lift *l, struct lift_inst *i) {
    if (i->kind == L_PERMUTE) return l->halves == 1;
    if (i->kind == L_LDS && !i->mem && !is_2addr(i)) return l->halves == 1 && is_atomic_inline(i);
    return true;
}

/* One access at addr + imm: loads into out, stores v. Returns i1. */
static LLVMValueRef lds_access(struct lift *l, unsigned half, bool load, unsigned size,
                               uint32_t imm, unsigned ext, LLVMValueRef values) {
    char name[32];
    snprintf(name, sizeof name, "%s_lds_%s_%u", l->node->full ? "jit" : "far",
             load ? "load" : "store", size);
    LLVMValueRef addr = memory_of(l, lift_vgpr(l, half, (unsigned)l->inst->x.s[0]));
    LLVMValueRef args[] = {
        l->lds, l->lds_bytes, addr, lift_i32(l, imm), lift_exec(l, half), lift_i32(l, ext), values};
    return service(l, name, args, 7);
}

static LLVMValueRef lds_atomic(struct lift *l, unsigned half, LLVMValueRef out) {
    const struct xinst *x = &l->inst->x;
    LLVMValueRef addr = memory_of(l, lift_vgpr(l, half, (unsigned)x->s[0]));
    LLVMValueRef v = memory_of(l, lift_vgpr(l, half, (unsigned)x->s[1]));
    LLVMValueRef args[] = {l->lds,
                           l->lds_bytes,
                           addr,
                           lift_i32(l, (uint32_t)x->imm),
                           lift_exec(l, half),
                           lift_i32(l, x->sub),
                           v,
                           out};
    return service(l, "jit_lds_atomic", args, 8);
}

/* One half; out: memory for what is loaded. */
static LLVMValueRef lds_half(struct lift *l, unsigned half, LLVMValueRef out, bool load) {
    const struct xinst *x = &l->inst->x;
    if (!is_2addr(l->inst)) {
        if (!l->inst->mem) return lds_atomic(l, half, out);
        unsigned n = dwords_of(x->size);
        LLVMValueRef v = load ? out : vgprs_in_memory(l, half, (unsigned)x->s[1], n);
        return lds_access(l, half, load, x->size, (uint32_t)x->imm, x->sub, v);
    }
    LLVMValueRef ok = NULL;
    unsigned n = x->size / 4u;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t imm = (uint32_t)(x->aux >> 32 * k);
        LLVMValueRef v =
            load ? element(l, out, k * n) : vgprs_in_memory(l, half, (unsigned)x->s[1 + k], n);
        ok = and_ok(l, ok, lds_access(l, half, load, x->size, imm, MEM_PLAIN, v));
    }
    return ok;
}

/* Values in memory to VGPRs by EXEC. */
static void take(struct lift *l, unsigned half, unsigned dst, unsigned n, LLVMValueRef out) {
    LLVMValueRef v[8];
    for (unsigned i = 0; i < n; i++)
        v[i] = LLVMBuildLoad2(l->b, l->v32, element(l, out, i), "");
    for (unsigned i = 0; i < n; i++)
        lift_write_vgpr(l, half, dst + i, v[i], NULL);
}

/* Registers from dst on that the instruction writes. */
static unsigned written(const struct lift *l) {
    unsigned n = 0;
    while (l->inst->x.dst + n < ISA_VGPRS && regset_has(&l->inst->writes, l->inst->x.dst + n))
        n++;
    return n;
}

static LLVMValueRef room_for(struct lift *l, unsigned half, unsigned n) {
    bool keeps = l->inst->mem && l->inst->x.sub >= MEM_D16_U8;
    LLVMValueRef a = lift_alloca(l, vectors(l, n ? n : 1));
    if (keeps) LLVMBuildStore(l->b, lift_vgpr(l, half, l->inst->x.dst), a);
    return a;
}

void lift_lds(struct lift *l) {
    struct before before;
    unsigned n = written(l);
    bool load = strstr(l->inst->in.op->name, "LOAD") != NULL;
    LLVMValueRef ok = NULL, out[2];
    remember(l, &before);
    for (unsigned h = 0; h < l->halves; h++) {
        out[h] = room_for(l, h, n);
        ok = and_ok(l, ok, lds_half(l, h, out[h], load));
    }
    for (unsigned h = 0; h < l->halves; h++)
        take(l, h, l->inst->x.dst, n, out[h]);
    lift_step_unless(l, ok, before.reg);
}

/* --- global, flat --- */

static bool is_flat(const struct lift_inst *i) {
    return i->in.op->format == ISA_FMT_FLAT || i->in.op->format == ISA_FMT_VFLAT;
}

/* A lane in an aperture sends the whole instruction to the interpreter: with EXEC as 0 the function
 * does nothing. */
static LLVMValueRef outside_apertures(struct lift *l, unsigned half) {
    const struct xinst *x = &l->inst->x;
    LLVMValueRef args[] = {memory_of(l, lift_vgpr(l, half, (unsigned)x->s[0] + 1)),
                           lift_exec(l, half),
                           lift_i32(l, (uint32_t)(l->rq->shared_aperture >> 32)),
                           lift_i32(l, (uint32_t)(l->rq->private_aperture >> 32))};
    return service(l, "jit_no_aperture", args, 4);
}

static LLVMValueRef global_half(struct lift *l, unsigned half, LLVMValueRef values, bool load) {
    const struct lift_inst *i = l->inst;
    const struct xinst *x = &i->x;
    bool saddr = x->flags & X_SADDR;
    char name[40];
    snprintf(name, sizeof name, "%s_%s_%s_%u", l->node->full ? "jit" : "far",
             load ? "load" : "store", saddr ? "saddr" : "vaddr", x->size);
    LLVMValueRef base = lift_i64(l, (uint64_t)(int64_t)x->imm), args[7];
    unsigned n = 0;
    if (saddr) base = LLVMBuildAdd(l->b, lift_sgpr64(l, (unsigned)x->s[1]), base, "");
    args[n++] = l->vseg;
    args[n++] = base;
    args[n++] = memory_of(l, lift_vgpr(l, half, (unsigned)x->s[0]));
    if (!saddr) args[n++] = memory_of(l, lift_vgpr(l, half, (unsigned)x->s[0] + 1));
    LLVMValueRef exec = lift_exec(l, half), outside = NULL;
    if (is_flat(i)) {
        outside = outside_apertures(l, half);
        exec = LLVMBuildSelect(l->b, outside, exec, lift_i32(l, 0), "");
    }
    args[n++] = exec;
    args[n++] = lift_i32(l, x->sub);
    args[n++] = values;
    return and_ok(l, outside, service(l, name, args, n));
}

void lift_global(struct lift *l) {
    const struct xinst *x = &l->inst->x;
    struct before before;
    bool load = l->inst->mem->kind == MEM_LOAD;
    unsigned n = written(l);
    LLVMValueRef ok = NULL, out[2];
    remember(l, &before);
    for (unsigned h = 0; h < l->halves; h++) {
        out[h] =
            load ? room_for(l, h, n) : vgprs_in_memory(l, h, (unsigned)x->s[2], dwords_of(x->size));
        ok = and_ok(l, ok, global_half(l, h, out[h], load));
    }
    for (unsigned h = 0; load && h < l->halves; h++)
        take(l, h, x->dst, n, out[h]);
    lift_step_unless(l, ok, before.reg);
}

/* --- scratch --- */

static LLVMValueRef group_field(struct lift *l, uint64_t off, LLVMTypeRef t, LLVMValueRef from) {
    LLVMValueRef index = lift_i64(l, off);
    return LLVMBuildLoad2(l->b, t, LLVMBuildInBoundsGEP2(l->b, l->i8, from, &index, 1, ""), "");
}

static LLVMValueRef scratch_half(struct lift *l, unsigned half, LLVMValueRef values, bool load) {
    const struct xinst *x = &l->inst->x;
    LLVMValueRef o = lift_i32(l, (uint32_t)x->imm);
    if (x->flags & X_SADDR) o = LLVMBuildAdd(l->b, o, lift_sgpr(l, (unsigned)x->s[1]), "");
    o = lift_splat(l, o);
    if (x->flags & X_SVE) o = LLVMBuildAdd(l->b, o, lift_vgpr(l, half, (unsigned)x->s[0]), "");
    LLVMValueRef g = group_field(l, offsetof(struct wave, g), l->ptr, l->w);
    uint64_t bytes = offsetof(struct isa_group, d.scratch_wave_bytes);
    LLVMValueRef args[] = {
        l->vseg,
        group_field(l, offsetof(struct wave, scratch_base), l->i64, l->w),
        group_field(l, bytes, l->i32, g),
        lift_i32(l, l->rq->wave_size * 4),
        lift_i32(l, half),
        memory_of(l, o),
        lift_exec(l, half),
        lift_i32(l, x->size),
        lift_i32(l, x->sub),
        values,
    };
    return service(l, load ? "far_scratch_load" : "far_scratch_store", args, 10);
}

void lift_scratch(struct lift *l) {
    const struct xinst *x = &l->inst->x;
    struct before before;
    bool load = l->inst->mem->kind == MEM_LOAD;
    unsigned n = written(l);
    LLVMValueRef ok = NULL, out[2];
    remember(l, &before);
    for (unsigned h = 0; h < l->halves; h++) {
        out[h] =
            load ? room_for(l, h, n) : vgprs_in_memory(l, h, (unsigned)x->s[2], dwords_of(x->size));
        ok = and_ok(l, ok, scratch_half(l, h, out[h], load));
    }
    for (unsigned h = 0; load && h < l->halves; h++)
        take(l, h, x->dst, n, out[h]);
    lift_step_unless(l, ok, before.reg);
}

/* --- permutes of DS --- */

void lift_permute(struct lift *l) {
    const struct xinst *x = &l->inst->x;
    LLVMValueRef out = lift_alloca(l, l->v32);
    LLVMValueRef args[] = {memory_of(l, lift_vgpr(l, 0, (unsigned)x->s[0])),
                           lift_i32(l, (uint32_t)x->imm),
                           memory_of(l, lift_vgpr(l, 0, (unsigned)x->s[1])),
                           lift_exec(l, 0),
                           lift_i32(l, x->sub),
                           out};
    service(l, "far_bpermute", args, 6);
    lift_write_vgpr(l, 0, x->dst, LLVMBuildLoad2(l->b, l->v32, out, ""), NULL);
}
