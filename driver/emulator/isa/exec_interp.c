/* SPDX-License-Identifier: MIT */
/* exec_interp.c - V_INTERP_*: a fused multiply-add whose first and third operand come from one lane
 * of each quad. Graphics uses them on parameters; nothing stops a compute wave.
 *
 * xinst: s[0..2] sources, sub: lane of the quad for src0 (P10: 1, P2: 2), flags by INTERP_*. */
#include "driver/emulator/isa/exec_mem.h"

enum { INTERP_F16_SRC = 1, INTERP_F16_DST = 2, INTERP_RTZ = 4 };

struct interp {
    sem_vfn *fma, *from_half, *to_half;
    uint8_t neg, op_sel, clamp;
};

static vu32 quad_lane(const vu32 *v, unsigned lane) {
    vu32 r;
    for (unsigned i = 0; i < VEC_LANES; i++)
        ((uint32_t *)&r)[i] = ((const uint32_t *)v)[(i & ~3u) | lane];
    return r;
}

/* Operand n: its half, as f32, with its sign. */
static vu32 operand(const struct interp *p, unsigned n, vu32 v, bool half, struct sem_env *e) {
    if (half) {
        vu32 h = p->op_sel >> n & 1 ? v >> 16 : v & 0xffffu;
        p->from_half(&v, &h, NULL, NULL, e);
    }
    return p->neg >> n & 1 ? v ^ 0x80000000u : v;
}

static vu32 source(const struct wave *w, const struct xinst *x, unsigned n, unsigned half) {
    if (x->k[n] == SRC_VGPR) return *exec_vgpr(w, half, (unsigned)x->s[n]);
    return vec_splat(exec_s32(w, x, n));
}

static EXEC(interp) {
    const struct interp *p = (const void *)x->mods;
    for (unsigned h = 0; h < w->g->halves; h++) {
        struct sem_env e = w->env[h];
        e.exec = w->s[ISA_SRC_EXEC_LO + h];
        bool half = x->flags & INTERP_F16_SRC, half_dst = x->flags & INTERP_F16_DST;
        if (x->flags & INTERP_RTZ) e.mode.round32 = e.mode.round64_16 = 3;
        vu32 s0 = source(w, x, 0, h), s2 = source(w, x, 2, h), d, r;
        s0 = quad_lane(&s0, x->sub);
        if (x->sub == 1) s2 = quad_lane(&s2, 0);
        vu32 a = operand(p, 0, s0, half, &e);
        vu32 b = operand(p, 1, source(w, x, 1, h), false, &e);
        vu32 c = operand(p, 2, s2, half && x->sub == 1, &e);
        p->fma(&d, &a, &b, &c, &e);
        if (p->clamp) {
            const vf32 v = (vf32)d;
            const vu32 above = (vu32)(v > (vf32){0} + 1.0f);
            d = (((vu32)(v > (vf32){0}) & d) & ~above) | (above & 0x3f800000u);
        }
        vu32 *dst = exec_vgpr(w, h, x->dst);
        if (half_dst) {
            p->to_half(&r, &d, NULL, NULL, &e);
            d = p->op_sel & 8 ? (*dst & 0xffffu) | r << 16 : (*dst & 0xffff0000u) | (r & 0xffffu);
        }
        exec_write_lanes(dst, &d, e.exec);
    }
    NEXT(w, x);
}

static sem_vfn *function(const char *name) {
    const struct sem_vrow *row = SEM_SYM(sem_find_valu)(name);
    return row ? row->fn : NULL;
}

bool SEM_SYM(exec_bind_interp)(struct binding *b) {
    struct xinst *x = b->x;
    const struct isa_inst *in = b->in;
    const char *name = in->op->name;
    static const enum isa_field fields[3] = {ISA_F_src0, ISA_F_src1, ISA_F_src2};
    struct interp *p = isa_code_alloc(b->page, sizeof *p);
    if (!p) return SEM_SYM(exec_refuse_unimplemented)(b, "no host memory for decoded code");
    *p = (struct interp){function("V_FMA_F32"),       function("V_CVT_F32_F16"),
                         function("V_CVT_F16_F32"),   (uint8_t)in->f[ISA_F_neg],
                         (uint8_t)in->f[ISA_F_opsel], (uint8_t)in->f[ISA_F_clmp]};
    if (!p->fma || !p->from_half || !p->to_half) return false;
    for (unsigned i = 0; i < 3; i++) {
        if (!SEM_SYM(exec_bind_source)(b, i, in->f[fields[i]], SEM_F32)) return false;
        if (x->k[i] == SRC_VGPR && !SEM_SYM(exec_bind_vgprs)(b, (unsigned)x->s[i], 1)) return false;
    }
    x->dst = (uint16_t)in->f[ISA_F_vdst];
    x->sub = strstr(name, "P10") ? 1 : 2;
    if (strstr(name, "F16")) x->flags |= INTERP_F16_SRC | (x->sub == 2 ? INTERP_F16_DST : 0);
    if (strstr(name, "RTZ")) x->flags |= INTERP_RTZ;
    x->mods = (const void *)p;
    x->fn = interp;
    return SEM_SYM(exec_bind_vgprs)(b, x->dst, 1);
}
