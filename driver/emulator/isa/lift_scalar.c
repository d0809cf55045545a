/* SPDX-License-Identifier: MIT */
/* lift_scalar.c - scalar ALU instructions, by cloning sem_salu.h (compiled in jit_inline.c), scalar
 * loads, s_getpc. */
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/lift_internal.h"

const struct lift_salu_row lift_salu_rows[] = {
#define SROW(name, fn, d, a, b, flags) {#name, d, a, b, flags},
#include "driver/emulator/isa/sem_salu_rows.h"
#undef SROW
};

static int by_name(const void *key, const void *row) {
    return strcmp(key, ((const struct lift_salu_row *)row)->name);
}

unsigned lift_salu_row(const char *name) {
    const struct lift_salu_row *r =
        bsearch(name, lift_salu_rows, sizeof lift_salu_rows / sizeof *lift_salu_rows,
                sizeof *lift_salu_rows, by_name);
    return r ? (unsigned)(r - lift_salu_rows) + 1 : 0;
}

/* Source i as i64, as exec_salu.c reads it. */
static LLVMValueRef source(struct lift *l, const struct xinst *x, unsigned i, unsigned bits) {
    if (!bits) return lift_i64(l, 0);
    if (x->k[i] == SRC_SGPR && bits == 64) return lift_sgpr64(l, (unsigned)x->s[i]);
    if (x->k[i] == SRC_SGPR)
        return LLVMBuildZExt(l->b, lift_sgpr(l, (unsigned)x->s[i]), l->i64, "");
    if (x->k[i] == SRC_SCC) return LLVMBuildZExt(l->b, lift_scc(l), l->i64, "");
    return lift_i64(l, bits == 64 ? x->s[i] : (uint32_t)x->s[i]);
}

static LLVMValueRef dword(struct lift *l, LLVMValueRef v, unsigned high) {
    if (high) v = LLVMBuildLShr(l->b, v, lift_i64(l, 32), "");
    return LLVMBuildTrunc(l->b, v, l->i32, "");
}

static LLVMValueRef sgprs(struct lift *l, unsigned r, unsigned bits) {
    return bits == 64 ? lift_sgpr64(l, r) : LLVMBuildZExt(l->b, lift_sgpr(l, r), l->i64, "");
}

void lift_salu(struct lift *l) {
    const struct xinst *x = &l->inst->x;
    const struct lift_salu_row *r = &lift_salu_rows[l->inst->salu - 1];
    char name[64] = "salu_";
    strncat(name, r->name, sizeof name - 6);
    struct clone c = {.sa = {source(l, x, 0, r->a), source(l, x, 1, r->b)}};
    c.env[0] = lift_scc(l);
    c.env[1] = LLVMConstInt(l->i8, 0, false);
    c.env[2] = r->flags & SEM_S_READS_DST ? sgprs(l, x->dst, r->d) : lift_i64(l, 0);
    c.env[3] = r->flags & SEM_S_EXEC ? sgprs(l, ISA_SRC_EXEC_LO, r->d) : lift_i64(l, 0);
    lift_clone(l, lift_llvm_function(l, name), true, &c);
    lift_set_scc(l, c.env[0]);
    if (r->flags & SEM_S_EXEC)
        for (unsigned j = 0; j < r->d / 32u; j++)
            lift_set_sgpr(l, ISA_SRC_EXEC_LO + j, dword(l, c.env[3], j));
    LLVMValueRef keep =
        LLVMIsAConstantInt(c.env[1])
            ? NULL
            : LLVMBuildICmp(l->b, LLVMIntNE, c.env[1], LLVMConstInt(l->i8, 0, false), "");
    for (unsigned j = 0; j < r->d / 32u; j++) {
        LLVMValueRef v = dword(l, c.ret, j);
        if (keep) v = LLVMBuildSelect(l->b, keep, lift_sgpr(l, x->dst + j), v, "");
        lift_set_sgpr(l, x->dst + j, v);
    }
}

void lift_getpc(struct lift *l) {
    const struct lift_inst *i = l->inst;
    LLVMValueRef pc = LLVMBuildAdd(l->b, l->base, lift_i64(l, i->off + 4u * i->len), "");
    lift_set_sgpr(l, i->x.dst, dword(l, pc, 0));
    lift_set_sgpr(l, i->x.dst + 1, dword(l, pc, 1));
}
