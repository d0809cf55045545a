/* SPDX-License-Identifier: MIT */
/* lift_valu.c - vector ALU instructions: operands and modifiers as exec_valu.c and exec_valu_mods.c
 * treat them, values by cloning; and the instructions that look across lanes. */
#include <string.h>

#include "driver/emulator/isa/exec_valu.h"
#include "driver/emulator/isa/lift_internal.h"

extern const struct sem_vrow sem_valu_rows_base[];

static LLVMValueRef function_of(struct lift *l, const struct sem_vrow *row) {
    return l->sem_fn[row - sem_valu_rows_base];
}

static bool is_16_bit(enum sem_type t) {
    return t == SEM_B16 || t == SEM_U16 || t == SEM_I16 || t == SEM_F16 || t == SEM_BF16;
}

static bool is_packed(enum sem_type t) {
    return t == SEM_PK16 || t == SEM_PKF16;
}

static unsigned denorm_of(const struct lift *l, enum sem_type t) {
    return l->rq->mode >> (t == SEM_F32 ? 4 : 6) & 3;
}

static bool mods_can(struct lift *l, const struct lift_inst *i) {
    const struct valu_mods *m = i->x.mods;
    enum sem_type t = i->x.types[0];
    if (!m) return true;
    if (m->omod && !(denorm_of(l, t) & 2) && t != SEM_F32) return false;
    if (m->clamp && i->x.imm & SEM_CLAMP_INT) return false;
    if (m->clamp && t != SEM_F32 && (t == SEM_F16 || t == SEM_PKF16 || t == SEM_F64)) return false;
    return true;
}

bool lift_valu_can(struct lift *l, struct lift_inst *i) {
    if (i->kind == L_SALU) {
        char name[64] = "salu_";
        strncat(name, lift_salu_rows[i->salu - 1].name, sizeof name - 6);
        return lift_clone_possible(l, lift_llvm_function(l, name), true);
    }
    if (!lift_clone_possible(l, function_of(l, i->row), false)) return false;
    if (i->kind == L_SFLOAT) return strcmp(i->in.op->name, "S_CVT_HI_F32_F16") != 0;
    if (i->kind == L_VOPD) return lift_clone_possible(l, function_of(l, i->row_y), false);
    if (i->x.flags & X_SCALAR_DST) return false;
    /* |x| of what is flushed to -0: LLVM's float algebra and ours differ. */
    if (strstr(i->in.op->name, "CVT_SR_")) return false;
    return mods_can(l, i);
}

/* --- sources --- */

static LLVMValueRef scalar_dword(struct lift *l, const struct xinst *x, unsigned i, unsigned j,
                                 unsigned n) {
    if (x->k[i] == SRC_SGPR) return lift_sgpr(l, (unsigned)x->s[i] + j);
    if (x->k[i] == SRC_SCC) return j ? lift_i32(l, 0) : lift_scc(l);
    return lift_i32(l, (uint32_t)(n == 2 ? x->s[i] >> 32 * j : x->s[i]));
}

static LLVMValueRef and_c(struct lift *l, LLVMValueRef v, uint32_t c) {
    return LLVMBuildAnd(l->b, v, lift_splat(l, lift_i32(l, c)), "");
}

static LLVMValueRef shift_c(struct lift *l, LLVMValueRef v, int left) {
    LLVMValueRef n = lift_splat(l, lift_i32(l, (uint32_t)(left < 0 ? -left : left)));
    return left < 0 ? LLVMBuildLShr(l->b, v, n, "") : LLVMBuildShl(l->b, v, n, "");
}

static LLVMValueRef select_halves(struct lift *l, LLVMValueRef v, bool lo_high, bool hi_high) {
    if (!lo_high && hi_high) return v;
    LLVMValueRef lo = lo_high ? shift_c(l, v, -16) : and_c(l, v, 0xffff);
    LLVMValueRef hi = hi_high ? and_c(l, v, 0xffff0000u) : shift_c(l, v, 16);
    return LLVMBuildOr(l->b, lo, hi, "");
}

/* DPP: lanes from elsewhere; *write (i1 lanes) loses those without a source. */
static LLVMValueRef permute(struct lift *l, const struct valu_mods *m, unsigned half,
                            LLVMValueRef v, LLVMValueRef *write) {
    uint32_t from[32];
    LLVMValueRef lanes[32], u = LLVMGetUndef(l->v32);
    for (unsigned i = 0; i < 32; i++) {
        from[i] = m->from[i];
        lanes[i] = lift_i32(l, from[i]);
    }
    LLVMValueRef idx = LLVMConstVector(lanes, 32);
    LLVMValueRef r = LLVMBuildShuffleVector(l->b, v, u, idx, "");
    LLVMValueRef valid = lift_lanes_of(l, lift_i32(l, m->source_valid));
    if (!m->fi && !l->node->full) {
        LLVMValueRef on =
            LLVMBuildShuffleVector(l->b, lift_exec_mask(l, half), LLVMGetUndef(l->v1), idx, "");
        valid = LLVMBuildAnd(l->b, valid, on, "");
    } else if (m->source_valid == UINT32_MAX) {
        return r;
    }
    if (!m->bound_ctrl) *write = *write ? LLVMBuildAnd(l->b, *write, valid, "") : valid;
    return LLVMBuildSelect(l->b, valid, r, LLVMConstNull(l->v32), "");
}

static LLVMValueRef intrinsic(struct lift *l, const char *name, LLVMTypeRef t, LLVMValueRef *args,
                              unsigned n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->mod, id, &t, 1);
    return LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->cx, id, &t, 1), f, args, n, "");
}

/* LLVM folds a negation into the operation after it, which is wrong for the sign of a NaN. */
static LLVMValueRef fence(struct lift *l, LLVMValueRef v) {
    LLVMTypeRef t = l->v32f;
    v = lift_cast(l, v, t);
    return lift_cast(l, intrinsic(l, "llvm.arithmetic.fence", t, &v, 1), l->v32);
}

static LLVMValueRef signs(struct lift *l, const struct valu_mods *m, unsigned i, LLVMValueRef v) {
    if (m->keep[i] != UINT32_MAX) v = and_c(l, v, m->keep[i]);
    if (m->flip[i]) v = LLVMBuildXor(l->b, v, lift_splat(l, lift_i32(l, m->flip[i])), "");
    if (m->flip[i] >> 31) v = fence(l, v);
    return v;
}

static void source_mods(struct lift *l, const struct xinst *x, unsigned i, unsigned half,
                        LLVMValueRef *v, unsigned n, LLVMValueRef *write) {
    const struct valu_mods *m = x->mods;
    enum sem_type t = x->types[1 + i];
    if (m->dpp && i == 0)
        for (unsigned j = 0; j < n; j++)
            v[j] = permute(l, m, half, v[j], write);
    if (x->imm & SEM_OPSEL_SELF) return;
    if (is_packed(t) && m->vop3p) {
        v[0] = select_halves(l, v[0], m->op_sel >> i & 1, m->op_sel_hi >> i & 1);
        uint32_t flip = t != SEM_PKF16 ? 0
                                       : (m->neg >> i & 1 ? 0x8000u : 0) |
                                             (m->neg_hi >> i & 1 ? 0x80000000u : 0);
        if (flip) v[0] = LLVMBuildXor(l->b, v[0], lift_splat(l, lift_i32(l, flip)), "");
        return;
    }
    if (is_16_bit(t)) {
        bool high = m->op_sel >> i & 1 && x->k[i] != SRC_IMM;
        v[0] = high ? shift_c(l, v[0], -16) : and_c(l, v[0], 0xffff);
    }
    v[n - 1] = signs(l, m, i, v[n - 1]);
}

static void sources(struct lift *l, const struct xinst *x, unsigned half, struct clone *c,
                    LLVMValueRef *write) {
    for (unsigned i = 0; i < x->ns; i++) {
        unsigned n = lift_type_dwords(x->types[1 + i]);
        for (unsigned j = 0; j < n; j++)
            c->a[i][j] = x->k[i] == SRC_VGPR ? lift_vgpr(l, half, (unsigned)x->s[i] + j)
                                             : lift_splat(l, scalar_dword(l, x, i, j, n));
        if (n && x->mods) source_mods(l, x, i, half, c->a[i], n, write);
    }
}

/* --- results --- */

static LLVMValueRef clamp_f32(struct lift *l, LLVMValueRef d) {
    bool dx10 = l->rq->mode >> 8 & 1 || l->gfx12;
    LLVMValueRef f = lift_cast(l, d, l->v32f), v = lift_cast(l, d, l->v32);
    LLVMValueRef one = lift_cast(l, lift_splat(l, lift_i32(l, 0x3f800000)), l->v32f);
    LLVMValueRef zero = LLVMConstNull(l->v32f);
    LLVMValueRef pos = LLVMBuildFCmp(l->b, LLVMRealOGT, f, zero, "");
    LLVMValueRef above = LLVMBuildFCmp(l->b, LLVMRealOGT, f, one, "");
    LLVMValueRef r = LLVMBuildSelect(l->b, pos, v, LLVMConstNull(l->v32), "");
    r = LLVMBuildSelect(l->b, above, lift_cast(l, one, l->v32), r, "");
    if (dx10) return r;
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, f, f, "");
    return LLVMBuildSelect(l->b, nan, v, r, "");
}

static LLVMValueRef result_mods(struct lift *l, const struct xinst *x, LLVMValueRef d) {
    static const uint32_t factors[] = {0x3f800000, 0x40000000, 0x40800000, 0x3f000000};
    const struct valu_mods *m = x->mods;
    if (x->types[0] != SEM_F32) return d;
    if (m->omod && !(denorm_of(l, SEM_F32) & 2)) {
        LLVMValueRef k = lift_splat(l, lift_i32(l, factors[m->omod]));
        d = LLVMBuildFMul(l->b, lift_cast(l, d, l->v32f), lift_cast(l, k, l->v32f), "");
    }
    return m->clamp ? clamp_f32(l, d) : d;
}

static LLVMValueRef merge16(struct lift *l, const struct xinst *x, unsigned half, LLVMValueRef d) {
    LLVMValueRef old = lift_vgpr(l, half, x->dst);
    d = lift_cast(l, d, l->v32);
    if (x->sub == VALU_DST_LO16)
        return LLVMBuildOr(l->b, and_c(l, old, 0xffff0000u), and_c(l, d, 0xffff), "");
    return LLVMBuildOr(l->b, and_c(l, old, 0xffff), shift_c(l, d, 16), "");
}

static LLVMValueRef mask_of_src(struct lift *l, unsigned r) {
    return r >= 128 ? lift_i32(l, 0) : lift_sgpr(l, r);
}

struct half_result {
    LLVMValueRef d[8], mask, write; /* write NULL: EXEC */
};

static void compute(struct lift *l, const struct xinst *x, const struct sem_vrow *row,
                    unsigned half, struct half_result *r) {
    const struct valu_mods *m = x->mods;
    struct clone c = {.half = (uint8_t)half};
    r->write = NULL;
    LLVMValueRef lost = NULL;
    sources(l, x, half, &c, &lost);
    c.exec = lift_exec(l, half);
    c.mask_in = row->flags & SEM_CARRY_IN ? mask_of_src(l, x->smask + half) : lift_i32(l, 0);
    if (m) {
        c.op_sel = m->op_sel;
        c.op_sel_hi = m->op_sel_hi;
        c.neg = m->neg;
        c.neg_hi = m->neg_hi;
        if (x->imm & SEM_DST_IN_D)
            for (unsigned i = 0; i < x->size; i++)
                c.d[i] = lift_vgpr(l, half, x->dst + i);
    }
    lift_clone(l, function_of(l, row), false, &c);
    for (unsigned i = 0; i < x->size; i++)
        r->d[i] = c.d[i] ? c.d[i] : LLVMGetUndef(l->v32);
    if (m && x->size) r->d[0] = result_mods(l, x, r->d[0]);
    if (x->sub) r->d[0] = merge16(l, x, half, r->d[0]);
    if (lost || (m && m->write_lanes != UINT32_MAX)) {
        LLVMValueRef w = lift_exec_mask(l, half);
        if (lost) w = LLVMBuildAnd(l->b, w, lost, "");
        if (m->write_lanes != UINT32_MAX)
            w = LLVMBuildAnd(l->b, w, lift_lanes_of(l, lift_i32(l, m->write_lanes)), "");
        r->write = w;
    }
    r->mask = NULL;
    if (x->flags & (X_MASK_OUT | X_CMPX)) {
        r->mask = c.mask_out ? lift_mask_of(l, c.mask_out) : lift_i32(l, 0);
        LLVMValueRef on = r->write ? lift_mask_of(l, r->write) : lift_exec(l, half);
        if (r->write || !l->node->full) r->mask = LLVMBuildAnd(l->b, r->mask, on, "");
    }
}

static void write_result(struct lift *l, const struct xinst *x, unsigned half,
                         const struct half_result *r) {
    for (unsigned i = 0; i < x->size; i++)
        lift_write_vgpr(l, half, x->dst + i, r->d[i], r->write);
    if (!r->mask) return;
    lift_set_sgpr(l, (x->flags & X_CMPX ? ISA_SRC_EXEC_LO : x->sdst) + half, r->mask);
}

void lift_valu(struct lift *l) {
    const struct xinst *x = &l->inst->x;
    struct half_result r[2];
    for (unsigned h = 0; h < l->halves; h++)
        compute(l, x, l->inst->row, h, &r[h]);
    for (unsigned h = 0; h < l->halves; h++)
        write_result(l, x, h, &r[h]);
}

/* Both halves read before either writes. */
void lift_vopd(struct lift *l) {
    struct half_result x, y;
    compute(l, &l->inst->x, l->inst->row, 0, &x);
    compute(l, &l->inst->y, l->inst->row_y, 0, &y);
    write_result(l, &l->inst->x, 0, &x);
    write_result(l, &l->inst->y, 0, &y);
}

/* One lane of the vector function. */
void lift_sfloat(struct lift *l) {
    const struct xinst *x = &l->inst->x;
    struct clone c = {.exec = lift_i32(l, 1), .mask_in = lift_i32(l, 0)};
    for (unsigned i = 0; i < 3; i++)
        c.a[i][0] = lift_splat(l, i < x->ns ? scalar_dword(l, x, i, 0, 1) : lift_i32(l, 0));
    if (x->size) c.a[2][0] = lift_splat(l, lift_sgpr(l, x->dst));
    lift_clone(l, function_of(l, l->inst->row), false, &c);
    if (x->sub == 0) {
        LLVMValueRef m = c.mask_out ? lift_mask_of(l, c.mask_out) : lift_i32(l, 0);
        lift_set_scc(l, LLVMBuildAnd(l->b, m, lift_i32(l, 1), ""));
        return;
    }
    LLVMValueRef d = c.d[0] ? lift_cast(l, c.d[0], l->v32) : LLVMConstNull(l->v32);
    d = LLVMBuildExtractElement(l->b, d, lift_i32(l, 0), "");
    lift_set_sgpr(l, x->dst, x->sub == 16 ? LLVMBuildAnd(l->b, d, lift_i32(l, 0xffff), "") : d);
}

/* --- across lanes --- */

bool lift_lane_can(struct lift *l, struct lift_inst *i) {
    const char *name = i->in.op->name;
    return l->halves == 1 || !strncmp(name, "V_MBCNT", 7) || !strcmp(name, "V_SWAP_B32");
}

/* The first active lane, 0 if there is none. */
static LLVMValueRef first_lane(struct lift *l) {
    if (l->node->full) return lift_i32(l, 0);
    LLVMValueRef args[] = {lift_exec(l, 0), LLVMConstInt(l->i1, 0, false)};
    LLVMValueRef n = intrinsic(l, "llvm.cttz", l->i32, args, 2);
    return LLVMBuildAnd(l->b, n, lift_i32(l, 31), "");
}

static LLVMValueRef vector_of(struct lift *l, const struct xinst *x, unsigned i, unsigned half) {
    if (x->k[i] == SRC_VGPR) return lift_vgpr(l, half, (unsigned)x->s[i]);
    return lift_splat(l, scalar_dword(l, x, i, 0, 1));
}

static void mbcnt(struct lift *l, const struct xinst *x) {
    for (unsigned h = 0; h < l->halves; h++) {
        uint32_t below[32];
        for (unsigned i = 0; i < 32; i++)
            below[i] = h == x->sub ? (1u << i) - 1 : h > x->sub ? UINT32_MAX : 0;
        LLVMValueRef m = LLVMBuildAnd(l->b, vector_of(l, x, 0, h), lift_const_lanes(l, below), "");
        LLVMValueRef n = intrinsic(l, "llvm.ctpop", l->v32, &m, 1);
        lift_write_vgpr(l, h, x->dst, LLVMBuildAdd(l->b, n, vector_of(l, x, 1, h), ""), NULL);
    }
}

void lift_lane(struct lift *l) {
    const struct xinst *x = &l->inst->x;
    const char *name = l->inst->in.op->name;
    if (!strncmp(name, "V_MBCNT", 7)) {
        mbcnt(l, x);
        return;
    }
    if (!strcmp(name, "V_SWAP_B32")) {
        for (unsigned h = 0; h < l->halves; h++) {
            LLVMValueRef a = lift_vgpr(l, h, x->dst), b = lift_vgpr(l, h, (unsigned)x->s[0]);
            lift_write_vgpr(l, h, x->dst, b, NULL);
            lift_write_vgpr(l, h, (unsigned)x->s[0], a, NULL);
        }
        return;
    }
    bool first = !strcmp(name, "V_READFIRSTLANE_B32");
    LLVMValueRef lane = first
                            ? first_lane(l)
                            : LLVMBuildAnd(l->b, scalar_dword(l, x, 1, 0, 1), lift_i32(l, 31), "");
    if (!strcmp(name, "V_WRITELANE_B32")) {
        LLVMValueRef v = lift_vgpr(l, 0, x->dst);
        v = LLVMBuildInsertElement(l->b, v, scalar_dword(l, x, 0, 0, 1), lane, "");
        lift_set_vgpr(l, 0, x->dst, v);
        return;
    }
    LLVMValueRef v =
        x->k[0] == SRC_VGPR
            ? LLVMBuildExtractElement(l->b, lift_vgpr(l, 0, (unsigned)x->s[0]), lane, "")
            : scalar_dword(l, x, 0, 0, 1);
    lift_set_sgpr(l, x->dst, v);
}
