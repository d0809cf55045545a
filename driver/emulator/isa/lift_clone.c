/* SPDX-License-Identifier: MIT */
/* lift_clone.c - copies the one block of a semantic function into the function being written, with
 * its operands in registers: loads from its parameters become values, stores to them results. */
#include <string.h>

#include "driver/emulator/isa/lift_internal.h"

enum { MAP_SIZE = 2048, MAX_BODY = 700 };

/* A pointer inside a parameter. */
struct place {
    int param; /* -1: not one */
    uint64_t off;
};

struct map {
    LLVMValueRef key[MAP_SIZE], val[MAP_SIZE];
    struct place place[MAP_SIZE];
};

static unsigned slot_of(const struct map *m, LLVMValueRef v) {
    unsigned h = (unsigned)(((uintptr_t)v >> 4) * 0x9e3779b1u) % MAP_SIZE;
    while (m->key[h] && m->key[h] != v)
        h = (h + 1) % MAP_SIZE;
    return h;
}

static void put(struct map *m, LLVMValueRef key, LLVMValueRef val, struct place p) {
    unsigned h = slot_of(m, key);
    m->key[h] = key;
    m->val[h] = val;
    m->place[h] = p;
}

static unsigned bits_of(LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(t);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(t) * bits_of(LLVMGetElementType(t));
    default:
        return 0;
    }
}

static struct place place_of(const struct map *m, LLVMValueRef v) {
    unsigned h = slot_of(m, v);
    return m->key[h] ? m->place[h] : (struct place){.param = -1};
}

/* Constant offset of a getelementptr of bytes; false: something else. */
static bool gep_offset(LLVMValueRef i, uint64_t *off) {
    if (LLVMGetNumOperands(i) != 2) return false;
    LLVMValueRef index = LLVMGetOperand(i, 1);
    if (!LLVMIsAConstantInt(index)) return false;
    *off = LLVMConstIntGetZExtValue(index) * (bits_of(LLVMGetGEPSourceElementType(i)) / 8);
    return true;
}

static bool place_allowed(struct place p, unsigned bits, bool scalar, bool store) {
    int env = scalar ? 2 : 4;
    if (p.param == env) {
        if (scalar) return p.off == 0 || p.off == 4 || p.off == 8 || p.off == 16;
        if (store) return p.off == 16 && bits == 32;
        return p.off == 8 || p.off == 12 || (p.off >= 24 && p.off + bits / 8 <= 30);
    }
    if (scalar) return false;
    if (p.off >= 8 * 128 || (store && p.param != 0)) return false;
    return (bits == 1024 && p.off % 128 == 0) || (bits == 512 && p.off % 64 == 0);
}

static bool is_intrinsic(LLVMValueRef i) {
    LLVMValueRef f = LLVMGetCalledValue(i);
    return f && LLVMIsAFunction(f) && LLVMGetIntrinsicID(f);
}

/* Without SSE4.1 and FMA these become calls into the C library. */
static bool needs_library(struct lift *l, LLVMValueRef i) {
    if (l->rq->host != JIT_HOST_BASE) return false;
    size_t n;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &n);
    static const char *const names[] = {"llvm.fma",      "llvm.floor", "llvm.ceil",
                                        "llvm.trunc",    "llvm.rint",  "llvm.nearbyint",
                                        "llvm.roundeven"};
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (!strncmp(name, names[k], strlen(names[k]))) return true;
    return false;
}

static bool operands_known(LLVMValueRef i) {
    for (int n = 0; n < LLVMGetNumOperands(i); n++) {
        LLVMValueRef v = LLVMGetOperand(i, (unsigned)n);
        if (LLVMIsAGlobalVariable(v) || LLVMIsAConstantExpr(v) || LLVMIsABasicBlock(v))
            return false;
    }
    return true;
}

static bool possible(struct lift *l, struct map *m, LLVMValueRef i, bool scalar) {
    uint64_t off;
    struct place p;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMGetElementPtr:
        p = place_of(m, LLVMGetOperand(i, 0));
        if (p.param < 0 || !gep_offset(i, &off)) return false;
        p.off += off;
        put(m, i, NULL, p);
        return true;
    case LLVMLoad:
        p = place_of(m, LLVMGetOperand(i, 0));
        return p.param >= 0 && place_allowed(p, bits_of(LLVMTypeOf(i)), scalar, false);
    case LLVMStore:
        p = place_of(m, LLVMGetOperand(i, 1));
        return p.param >= 0 &&
               place_allowed(p, bits_of(LLVMTypeOf(LLVMGetOperand(i, 0))), scalar, true);
    case LLVMCall:
        return is_intrinsic(i) && !needs_library(l, i);
    case LLVMRet:
        return true;
    case LLVMBr:
    case LLVMSwitch:
    case LLVMAlloca:
    case LLVMPHI:
        return false;
    default:
        return operands_known(i);
    }
}

static void seed(struct map *m, LLVMValueRef fn) {
    memset(m->key, 0, sizeof m->key);
    for (unsigned n = 0; n < LLVMCountParams(fn); n++)
        put(m, LLVMGetParam(fn, n), NULL, (struct place){.param = (int)n});
}

bool lift_clone_possible(struct lift *l, LLVMValueRef fn, bool scalar) {
    struct map m;
    if (!fn || LLVMCountBasicBlocks(fn) != 1) return false;
    seed(&m, fn);
    unsigned count = 0;
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
    for (; i; i = LLVMGetNextInstruction(i))
        if (++count > MAX_BODY || !possible(l, &m, i, scalar)) return false;
    return true;
}

/* --- copying --- */

/* Sixteen lanes of 32 bits. */
static LLVMValueRef half_of(struct lift *l, LLVMValueRef v, unsigned high) {
    LLVMValueRef lanes[16];
    for (unsigned i = 0; i < 16; i++)
        lanes[i] = lift_i32(l, high * 16 + i);
    v = lift_cast(l, v, l->v32);
    return LLVMBuildShuffleVector(l->b, v, LLVMGetUndef(l->v32), LLVMConstVector(lanes, 16), "");
}

static LLVMValueRef joined(struct lift *l, LLVMValueRef lo, LLVMValueRef hi) {
    LLVMValueRef lanes[32];
    for (unsigned i = 0; i < 32; i++)
        lanes[i] = lift_i32(l, i);
    return LLVMBuildShuffleVector(l->b, lo, hi, LLVMConstVector(lanes, 32), "");
}

static LLVMValueRef env_value(struct lift *l, const struct clone *c, uint64_t off, LLVMTypeRef t) {
    if (off == 8) return lift_cast(l, c->exec, t);
    if (off == 12) return lift_cast(l, c->mask_in, t);
    const uint8_t bytes[8] = {c->op_sel, c->op_sel_hi, c->neg, c->neg_hi, c->half};
    uint64_t v = 0;
    for (unsigned i = 0; i < bits_of(t) / 8; i++)
        v |= (uint64_t)bytes[off - 24 + i] << 8 * i;
    return LLVMConstInt(t, v, false);
}

static LLVMValueRef loaded(struct lift *l, const struct clone *c, struct place p, LLVMTypeRef t,
                           bool scalar) {
    if (scalar) {
        LLVMValueRef v = c->env[p.off == 0 ? 0 : p.off == 4 ? 1 : p.off == 8 ? 2 : 3];
        unsigned have = bits_of(LLVMTypeOf(v)), want = bits_of(t);
        if (want < have) return LLVMBuildTrunc(l->b, v, t, "");
        return want > have ? LLVMBuildZExt(l->b, v, t, "") : v;
    }
    if (p.param == 4) return env_value(l, c, p.off, t);
    LLVMValueRef v = p.param ? c->a[p.param - 1][p.off / 128] : c->d[p.off / 128];
    if (!v) v = LLVMGetUndef(l->v32);
    if (bits_of(t) == 512) v = half_of(l, v, p.off % 128 != 0);
    return lift_cast(l, v, t);
}

static void stored(struct lift *l, struct clone *c, struct place p, LLVMValueRef v, bool scalar) {
    if (scalar) {
        unsigned n = p.off == 0 ? 0 : p.off == 4 ? 1 : p.off == 8 ? 2 : 3;
        LLVMTypeRef t = LLVMTypeOf(c->env[n]);
        unsigned have = bits_of(LLVMTypeOf(v)), want = bits_of(t);
        if (have < want) v = LLVMBuildZExt(l->b, v, t, "");
        if (have > want) v = LLVMBuildTrunc(l->b, v, t, "");
        c->env[n] = v;
        return;
    }
    if (p.param == 4) {
        c->mask_out = v;
        return;
    }
    LLVMValueRef *d = &c->d[p.off / 128];
    if (bits_of(LLVMTypeOf(v)) == 1024) {
        *d = v;
        return;
    }
    LLVMTypeRef half = LLVMVectorType(l->i32, 16);
    LLVMValueRef other = *d ? half_of(l, *d, p.off % 128 == 0) : LLVMGetUndef(half);
    v = lift_cast(l, v, half);
    *d = p.off % 128 ? joined(l, other, v) : joined(l, v, other);
}

static LLVMValueRef callee(struct lift *l, LLVMValueRef f) {
    size_t n;
    const char *name = LLVMGetValueName2(f, &n);
    LLVMValueRef own = LLVMGetNamedFunction(l->mod, name);
    return own ? own : LLVMAddFunction(l->mod, name, LLVMGlobalGetValueType(f));
}

static void copy(struct lift *l, struct map *m, LLVMValueRef i) {
    LLVMValueRef n = LLVMInstructionClone(i);
    LLVMInsertIntoBuilder(l->b, n);
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef op = LLVMGetOperand(i, (unsigned)k);
        unsigned h = slot_of(m, op);
        if (m->key[h])
            LLVMSetOperand(n, (unsigned)k, m->val[h]);
        else if (LLVMIsAFunction(op))
            LLVMSetOperand(n, (unsigned)k, callee(l, op));
    }
    put(m, i, n, (struct place){.param = -1});
}

void lift_clone(struct lift *l, LLVMValueRef fn, bool scalar, struct clone *c) {
    struct map m;
    seed(&m, fn);
    if (scalar)
        for (unsigned n = 0; n < 2; n++)
            put(&m, LLVMGetParam(fn, n), c->sa[n], (struct place){.param = -1});
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
    for (; i; i = LLVMGetNextInstruction(i)) {
        struct place p;
        uint64_t off = 0;
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMGetElementPtr:
            p = place_of(&m, LLVMGetOperand(i, 0));
            gep_offset(i, &off);
            p.off += off;
            put(&m, i, NULL, p);
            break;
        case LLVMLoad:
            p = place_of(&m, LLVMGetOperand(i, 0));
            put(&m, i, loaded(l, c, p, LLVMTypeOf(i), scalar), (struct place){.param = -1});
            break;
        case LLVMStore: {
            LLVMValueRef v = LLVMGetOperand(i, 0);
            unsigned h = slot_of(&m, v);
            p = place_of(&m, LLVMGetOperand(i, 1));
            stored(l, c, p, m.key[h] ? m.val[h] : v, scalar);
            break;
        }
        case LLVMRet:
            if (scalar) {
                LLVMValueRef v = LLVMGetOperand(i, 0);
                unsigned h = slot_of(&m, v);
                c->ret = m.key[h] ? m.val[h] : v;
            }
            break;
        default:
            copy(l, &m, i);
        }
    }
}
