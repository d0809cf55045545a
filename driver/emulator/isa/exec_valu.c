/* SPDX-License-Identifier: MIT */
/* exec_valu.c - runs vector ALU instructions around the functions of sem_valu_*.c. */
#include <stdio.h>

#include "driver/emulator/isa/exec_valu.h"

/* --- the fast path: wave32, no modifiers --- */

/* Source i as vector dwords; tmp holds what is not in VGPRs. vgpr is a constant at each call. */
static inline const vu32 *fast_source(const struct wave *w, const struct xinst *x, unsigned i,
                                      bool vgpr, vu32 *tmp) {
    if (vgpr) return w->v + x->s[i];
    if (x->k[i] == SRC_SGPR) {
        tmp[0] = vec_splat(w->s[x->s[i]]);
        tmp[1] = vec_splat(w->s[x->s[i] + 1]);
    } else {
        uint64_t v = x->k[i] == SRC_SCC ? w->scc : x->s[i];
        tmp[0] = vec_splat((uint32_t)v);
        tmp[1] = vec_splat((uint32_t)(v >> 32));
    }
    return tmp;
}

static inline void write_mask32(struct wave *w, const struct xinst *x, uint32_t mask,
                                uint32_t exec) {
    mask &= exec;
    w->s[x->flags & X_CMPX ? ISA_SRC_EXEC_LO : x->sdst] = mask;
}

/* A 16-bit result leaves the other half of the register alone. */
static void merge16(struct wave *w, const struct xinst *x, unsigned half, vu32 *d) {
    const vu32 old = *exec_vgpr(w, half, x->dst);
    if (x->sub == VALU_DST_LO16)
        *d = (old & 0xffff0000u) | (*d & 0xffffu);
    else
        *d = (old & 0xffffu) | *d << 16;
}

/* ns sources, those with a bit in vgprs are VGPRs; masks: reads or writes lane masks. */
static inline __attribute__((always_inline)) const struct xinst *
fast(struct wave *w, const struct xinst *x, unsigned ns, unsigned vgprs, bool masks) {
    vu32 t0[2], t1[2], t2[2], out[2];
    const vu32 *a = ns > 0 ? fast_source(w, x, 0, vgprs & 1, t0) : NULL;
    const vu32 *b = ns > 1 ? fast_source(w, x, 1, vgprs & 2, t1) : NULL;
    const vu32 *c = ns > 2 ? fast_source(w, x, 2, vgprs & 4, t2) : NULL;
    uint32_t exec = w->s[ISA_SRC_EXEC_LO];
    struct sem_env *e = &w->env[0];
    e->exec = exec;
    if (masks) e->mask_in = w->s[x->smask];
    if (exec == UINT32_MAX && !(x->flags & X_OVERLAP)) {
        x->vfn(w->v + x->dst, a, b, c, e);
    } else {
        x->vfn(out, a, b, c, e);
        if (x->sub) merge16(w, x, 0, out);
        for (unsigned i = 0; i < x->size; i++)
            exec_write_lanes(w->v + x->dst + i, &out[i], exec);
    }
    if (masks && x->flags & (X_MASK_OUT | X_CMPX)) write_mask32(w, x, e->mask_out, exec);
    return x + x->len;
}

#define FAST(name, ns, vgprs, masks)                                                               \
    static EXEC(name) {                                                                            \
        x = fast(w, x, ns, vgprs, masks);                                                          \
        GO(w, x);                                                                                  \
    }
FAST(fast_0, 0, 0, false)
FAST(fast_1s, 1, 0, false)
FAST(fast_1v, 1, 1, false)
FAST(fast_2ss, 2, 0, false)
FAST(fast_2vs, 2, 1, false)
FAST(fast_2sv, 2, 2, false)
FAST(fast_2vv, 2, 3, false)
FAST(fast_3sss, 3, 0, false)
FAST(fast_3vss, 3, 1, false)
FAST(fast_3svs, 3, 2, false)
FAST(fast_3vvs, 3, 3, false)
FAST(fast_3ssv, 3, 4, false)
FAST(fast_3vsv, 3, 5, false)
FAST(fast_3svv, 3, 6, false)
FAST(fast_3vvv, 3, 7, false)
FAST(fast_m2ss, 2, 0, true)
FAST(fast_m2vs, 2, 1, true)
FAST(fast_m2sv, 2, 2, true)
FAST(fast_m2vv, 2, 3, true)
FAST(fast_m3sss, 3, 0, true)
FAST(fast_m3vss, 3, 1, true)
FAST(fast_m3svs, 3, 2, true)
FAST(fast_m3vvs, 3, 3, true)
FAST(fast_m3ssv, 3, 4, true)
FAST(fast_m3vsv, 3, 5, true)
FAST(fast_m3svv, 3, 6, true)
FAST(fast_m3vvv, 3, 7, true)

static xfn *const fast_table[2][4][8] = {
    {{fast_0},
     {fast_1s, fast_1v},
     {fast_2ss, fast_2vs, fast_2sv, fast_2vv},
     {fast_3sss, fast_3vss, fast_3svs, fast_3vvs, fast_3ssv, fast_3vsv, fast_3svv, fast_3vvv}},
    {{NULL},
     {NULL},
     {fast_m2ss, fast_m2vs, fast_m2sv, fast_m2vv},
     {fast_m3sss, fast_m3vss, fast_m3svs, fast_m3vvs, fast_m3ssv, fast_m3vsv, fast_m3svv,
      fast_m3vvv}}};

/* neg and abs only. */
static EXEC(fast_signs) {
    const struct valu_mods *m = x->mods;
    vu32 t[3][2], out[2];
    const vu32 *s[3] = {NULL, NULL, NULL};
    uint32_t exec = w->s[ISA_SRC_EXEC_LO];
    for (unsigned i = 0; i < x->ns; i++) {
        s[i] = fast_source(w, x, i, x->k[i] == SRC_VGPR, t[i]);
        if (m->keep[i] == UINT32_MAX && !m->flip[i]) continue;
        unsigned top = SEM_SYM(exec_type_dwords)(x->types[1 + i]) - 1;
        if (top) t[i][0] = s[i][0];
        t[i][top] = (s[i][top] & m->keep[i]) ^ m->flip[i];
        s[i] = t[i];
    }
    struct sem_env *e = &w->env[0];
    e->exec = exec;
    e->mask_in = w->s[x->smask];
    x->vfn(out, s[0], s[1], s[2], e);
    if (x->sub) merge16(w, x, 0, out);
    for (unsigned i = 0; i < x->size; i++)
        exec_write_lanes(w->v + x->dst + i, &out[i], exec);
    if (x->flags & (X_MASK_OUT | X_CMPX)) write_mask32(w, x, e->mask_out, exec);
    NEXT(w, x);
}

/* VOPD: both halves read before either writes. */
static EXEC(fast_vopd) {
    const struct xinst *y = x->pair;
    vu32 t[3][2], outx[2], outy[2];
    const vu32 *s[3];
    uint32_t exec = w->s[ISA_SRC_EXEC_LO];
    struct sem_env *e = &w->env[0];
    e->exec = exec;
    e->mask_in = w->s[ISA_SRC_VCC_LO];
    for (unsigned i = 0; i < 3; i++)
        s[i] = i < x->ns ? fast_source(w, x, i, x->k[i] == SRC_VGPR, t[i]) : NULL;
    x->vfn(outx, s[0], s[1], s[2], e);
    for (unsigned i = 0; i < 3; i++)
        s[i] = i < y->ns ? fast_source(w, y, i, y->k[i] == SRC_VGPR, t[i]) : NULL;
    y->vfn(outy, s[0], s[1], s[2], e);
    exec_write_lanes(w->v + x->dst, outx, exec);
    exec_write_lanes(w->v + y->dst, outy, exec);
    NEXT(w, x);
}

/* --- the general path --- */

static const vu32 *general_source(const struct wave *w, const struct xinst *x, unsigned i,
                                  unsigned half, unsigned n, vu32 *tmp) {
    if (x->k[i] == SRC_VGPR) return exec_vgpr(w, half, (unsigned)x->s[i]);
    for (unsigned j = 0; j < n; j++) {
        uint32_t v = (uint32_t)(n == 2 ? x->s[i] >> 32 * j : x->s[i]);
        if (x->k[i] == SRC_SGPR)
            v = w->s[x->s[i] + j];
        else if (x->k[i] == SRC_SCC)
            v = j ? 0 : w->scc;
        tmp[j] = vec_splat(v);
    }
    return tmp;
}

static void set_env(struct sem_env *e, const struct valu_mods *m, uint32_t exec, uint32_t mask_in) {
    e->exec = exec;
    e->mask_in = mask_in;
    e->mask_out = 0;
    e->cmod = m ? m->clamp : 0;
    e->op_sel = m ? m->op_sel : 0;
    e->op_sel_hi = m ? m->op_sel_hi : 0;
    e->neg = m ? m->neg : 0;
    e->neg_hi = m ? m->neg_hi : 0;
}

/* Computes one half into out; returns the lanes to write. */
static uint32_t general_half(struct wave *w, const struct xinst *x, unsigned half, vu32 *out) {
    vu32 tmp[3][VALU_MAX_DWORDS], mod[3][VALU_MAX_DWORDS];
    const vu32 *s[3] = {NULL, NULL, NULL};
    uint32_t exec = w->s[ISA_SRC_EXEC_LO + half], write = exec;
    for (unsigned i = 0; i < x->ns; i++) {
        unsigned n = SEM_SYM(exec_type_dwords)(x->types[1 + i]);
        if (!n) continue;
        s[i] = general_source(w, x, i, half, n, tmp[i]);
        if (!x->mods) continue;
        SEM_SYM(exec_apply_source_mods)(x, i, s[i], mod[i], n, exec, &write);
        s[i] = mod[i];
    }
    struct sem_env *e = &w->env[half];
    set_env(e, x->mods, exec, w->s[x->smask + half]);
    if (x->mods && x->imm & SEM_DST_IN_D)
        memcpy(out, exec_vgpr(w, half, x->dst), x->size * sizeof *out);
    x->vfn(out, s[0], s[1], s[2], e);
    if (x->mods) {
        SEM_SYM(exec_apply_result_mods)(x, &e->mode, out);
        write &= x->mods->write_lanes;
        e->cmod = e->op_sel = e->op_sel_hi = e->neg = e->neg_hi = 0;
    }
    if (x->sub) merge16(w, x, half, out);
    return write;
}

static EXEC(general) {
    vu32 out[2][VALU_MAX_DWORDS];
    uint32_t write[2], masks[2];
    unsigned halves = w->g->halves;
    for (unsigned h = 0; h < halves; h++) {
        write[h] = general_half(w, x, h, out[h]);
        masks[h] = w->env[h].mask_out & write[h];
    }
    for (unsigned h = 0; h < halves; h++) {
        for (unsigned i = 0; i < x->size; i++)
            exec_write_lanes(exec_vgpr(w, h, x->dst + i), &out[h][i], write[h]);
        if (x->flags & X_CMPX)
            w->s[ISA_SRC_EXEC_LO + h] = masks[h];
        else if (x->flags & X_MASK_OUT)
            w->s[x->sdst + h] = masks[h];
    }
    if (x->flags & X_SCALAR_DST) w->s[x->dst] = out[0][0][0];
    NEXT(w, x);
}

/* --- binding --- */

/* One instruction or one half of a VOPD: what to run and its operand codes. */
struct form {
    const struct sem_vrow *row;
    unsigned src[3]; /* operand codes; ISA_SRC_LITERAL for FMAMK/FMAAK */
    unsigned vdst;
    bool true16_codes; /* VOP1/VOP2/VOPC: bit 7 of a VGPR number picks the high half */
};

static const struct sem_vrow *find_row(const struct binding *b, const char *name) {
    char buf[64];
    if (!strncmp(name, "V_DUAL_", 7)) {
        snprintf(buf, sizeof buf, "V_%s", name + 7);
        name = buf;
    }
    if (b->g->d.arch == ISA_GFX12) {
        char own[72];
        snprintf(own, sizeof own, "%s_GFX12", name);
        const struct sem_vrow *row = SEM_SYM(sem_find_valu)(own);
        if (row) return row;
    }
    return SEM_SYM(sem_find_valu)(name);
}

static bool is_16_bit(enum sem_type t) {
    return t == SEM_B16 || t == SEM_U16 || t == SEM_I16 || t == SEM_F16 || t == SEM_BF16;
}

static bool bind_operands(struct binding *b, const struct form *f) {
    struct xinst *x = b->x;
    const struct sem_vrow *row = f->row;
    const uint8_t types[3] = {row->src0, row->src1, row->src2};
    x->types[0] = row->dst;
    for (unsigned i = 0; i < 3; i++) {
        bool old_dst = i == 2 && row->flags & SEM_READS_DST;
        enum sem_type t = types[i];
        if (old_dst && t == SEM_NONE) t = row->dst;
        x->types[1 + i] = t;
        unsigned n = SEM_SYM(exec_type_dwords)(t);
        if (!n) continue;
        if (!SEM_SYM(exec_bind_source)(b, i, old_dst ? ISA_SRC_VGPR0 + f->vdst : f->src[i], t))
            return false;
        x->ns = (uint8_t)(i + 1);
        if (x->k[i] != SRC_VGPR) continue;
        if (f->true16_codes && is_16_bit(t)) x->s[i] &= 127; /* the half: exec_bind_mods */
        if (!SEM_SYM(exec_bind_vgprs)(b, (unsigned)x->s[i], n)) return false;
    }
    return true;
}

static bool overlaps(const struct xinst *x) {
    for (unsigned i = 0; i < x->ns; i++) {
        unsigned n = SEM_SYM(exec_type_dwords)(x->types[1 + i]);
        if (x->k[i] == SRC_VGPR && x->s[i] < x->dst + x->size && x->dst < x->s[i] + n) return true;
    }
    return false;
}

static bool bind_dst(struct binding *b, const struct form *f) {
    struct xinst *x = b->x;
    x->dst = (uint16_t)f->vdst;
    if (f->row->flags & SEM_SCALAR_DST) {
        x->dst = exec_sdst(f->vdst);
        x->flags |= X_SCALAR_DST;
        if (x->dst < 128 || x->dst == ISA_SREG_SCRAP) return true;
        return SEM_SYM(exec_refuse)(b, "destination is not an SGPR");
    }
    x->size = (uint8_t)SEM_SYM(exec_type_dwords)(f->row->dst);
    if (!x->size) return true;
    if (is_16_bit(f->row->dst)) {
        x->sub = VALU_DST_LO16;
        if (f->true16_codes && x->dst & 128) x->sub = VALU_DST_HI16;
        if (f->true16_codes) x->dst &= 127;
        if (f->row->flags & SEM_DST_HI16) x->sub = VALU_DST_HI16;
    }
    if (!SEM_SYM(exec_bind_vgprs)(b, x->dst, x->size)) return false;
    if (x->sub || overlaps(x)) x->flags |= X_OVERLAP;
    return true;
}

static bool src2_is_mask(const struct isa_inst *in) {
    const struct isa_operand *o = isa_inst_operand(in, ISA_F_src2);
    return o && o->data == ISA_D_NUM_M64;
}

static bool bind_masks(struct binding *b, const struct form *f) {
    struct xinst *x = b->x;
    const struct isa_inst *in = b->in;
    enum isa_format fmt = in->op->format;
    bool vop3 = fmt == ISA_FMT_VOP3 || fmt == ISA_FMT_VOP3SD;
    x->smask = ISA_SRC_VCC_LO;
    if (f->row->flags & SEM_CARRY_IN && vop3 && src2_is_mask(in)) {
        unsigned code = in->f[ISA_F_src2];
        if (code >= ISA_SRC_INT0 && code != ISA_SRC_INT0)
            return SEM_SYM(exec_refuse)(b, "lane mask operand is not an SGPR");
        /* NULL and 0 read as no lanes: the scrap slots are not readable, so use a zero pair. */
        x->smask =
            code == ISA_SRC_NULL || code == ISA_SRC_INT0 ? ISA_SREG_SLOTS - 2 : (uint16_t)code;
    }
    if (f->row->flags & SEM_CMPX) {
        x->flags |= X_CMPX;
    } else if (f->row->flags & SEM_COMPARE) {
        x->flags |= X_MASK_OUT;
        x->sdst = vop3 ? exec_sdst(in->f[ISA_F_vdst]) : ISA_SRC_VCC_LO;
    } else if (f->row->flags & SEM_CARRY_OUT) {
        x->flags |= X_MASK_OUT;
        x->sdst = vop3 ? exec_sdst(in->f[ISA_F_sdst]) : ISA_SRC_VCC_LO;
    }
    if (x->sdst >= ISA_SRC_INT0 && x->sdst != ISA_SREG_SCRAP)
        return SEM_SYM(exec_refuse)(b, "lane mask destination is not an SGPR");
    return true;
}

static void pick_executor(struct binding *b, const struct form *f) {
    struct xinst *x = b->x;
    unsigned vgprs = 0;
    bool masks = f->row->flags & (SEM_CARRY_IN | SEM_CARRY_OUT | SEM_COMPARE | SEM_CMPX);
    bool plain = b->g->halves == 1 && (!x->mods || x->mods->signs_only) && x->size <= 2 &&
                 !(x->flags & X_SCALAR_DST);
    for (unsigned i = 0; i < x->ns; i++) {
        if (SEM_SYM(exec_type_dwords)(x->types[1 + i]) > 2) plain = false;
        if (x->k[i] == SRC_VGPR) vgprs |= 1u << i;
        if (!x->types[1 + i]) plain = false; /* a hole, as in a row that only reads its dst */
    }
    x->fn = !plain ? NULL : x->mods ? fast_signs : fast_table[masks][x->ns][vgprs];
    if (!x->fn) x->fn = general;
}

static bool bind_form(struct binding *b, const struct form *f) {
    b->x->vfn = f->row->fn;
    return bind_operands(b, f) && bind_masks(b, f) && bind_dst(b, f);
}

/* V_FMAMK d = a * K + b, V_FMAAK d = a * b + K: sources in assembly order. */
static void place_literal(const char *name, unsigned *src) {
    if (strstr(name, "FMAMK")) {
        src[2] = src[1];
        src[1] = ISA_SRC_LITERAL;
    } else if (strstr(name, "FMAAK")) {
        src[2] = ISA_SRC_LITERAL;
    }
}

static bool bind_vopd(struct binding *b) {
    const struct isa_inst *in = b->in;
    if (b->g->halves != 1) return SEM_SYM(exec_refuse)(b, "VOPD in a wave64");
    unsigned dstx = in->f[ISA_F_vdstx], dsty = in->f[ISA_F_vdsty] << 1 | (~dstx & 1);
    struct form fx = {.row = find_row(b, in->op->name), .vdst = dstx},
                fy = {.row = find_row(b, in->op_y->name), .vdst = dsty};
    if (!fx.row || !fy.row) return false;
    fx.src[0] = in->f[ISA_F_srcx0];
    fx.src[1] = ISA_SRC_VGPR0 + in->f[ISA_F_vsrcx1];
    fy.src[0] = in->f[ISA_F_srcy0];
    fy.src[1] = ISA_SRC_VGPR0 + in->f[ISA_F_vsrcy1];
    place_literal(in->op->name, fx.src);
    place_literal(in->op_y->name, fy.src);
    struct xinst *x = b->x, *y = isa_code_alloc(b->page, sizeof *y);
    if (!y) return SEM_SYM(exec_refuse_unimplemented)(b, "no host memory for decoded code");
    if (!bind_form(b, &fx)) return false;
    b->x = y;
    bool ok = bind_form(b, &fy);
    b->x = x;
    x->pair = y;
    x->fn = fast_vopd;
    return ok;
}

bool SEM_SYM(exec_bind_valu)(struct binding *b) {
    const struct isa_inst *in = b->in;
    enum isa_format fmt = in->op->format;
    if (fmt == ISA_FMT_VOPD) return bind_vopd(b);
    struct form f = {.row = find_row(b, in->op->name), .vdst = in->f[ISA_F_vdst]};
    if (!f.row) return false;
    if (f.row->flags & SEM_WAVE32_ONLY && b->g->halves != 1)
        return SEM_SYM(exec_refuse_unimplemented)(b, "matrix instruction in a wave64");
    f.src[0] = in->f[ISA_F_src0];
    if (fmt == ISA_FMT_VOP1 || fmt == ISA_FMT_VOP2 || fmt == ISA_FMT_VOPC) {
        f.true16_codes = true;
        f.src[1] = ISA_SRC_VGPR0 + in->f[ISA_F_vsrc1];
        place_literal(in->op->name, f.src);
    } else {
        f.src[1] = in->f[ISA_F_src1];
        f.src[2] = in->f[ISA_F_src2];
    }
    if (!bind_form(b, &f) || !SEM_SYM(exec_bind_mods)(b, f.row)) return false;
    pick_executor(b, &f);
    return true;
}
