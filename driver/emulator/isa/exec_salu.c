/* SPDX-License-Identifier: MIT */
/* exec_salu.c - runs scalar ALU instructions: operands and SCC here, values in sem_salu.h; scalar
 * float instructions borrow the vector semantics. */
#include <stdio.h>
#include <stdlib.h>

#include "driver/emulator/isa/exec.h"
#include "driver/emulator/isa/sem_salu.h"

static inline uint64_t source(const struct wave *w, const struct xinst *x, unsigned i,
                              unsigned bits) {
    if (bits == 0) return 0;
    return bits == 64 ? exec_s64(w, x, i) : exec_s32(w, x, i);
}

static inline void write_dst(struct wave *w, const struct xinst *x, unsigned bits, uint64_t r) {
    if (bits == 0) return;
    w->s[x->dst] = (uint32_t)r;
    if (bits == 64) w->s[x->dst + 1] = (uint32_t)(r >> 32);
}

/* d, a, b: operand widths in bits; fn and they are constants, so that everything folds. */
static inline __attribute__((always_inline)) const struct xinst *
salu(struct wave *w, const struct xinst *x, uint64_t (*fn)(uint64_t, uint64_t, struct sem_senv *),
     unsigned d, unsigned a, unsigned b, unsigned flags) {
    struct sem_senv e = {.scc = w->scc};
    if (flags & SEM_S_READS_DST) e.dst = d == 64 ? exec_sgpr64(w, x->dst) : w->s[x->dst];
    if (flags & SEM_S_EXEC)
        e.exec = d == 64 ? exec_sgpr64(w, ISA_SRC_EXEC_LO) : w->s[ISA_SRC_EXEC_LO];
    uint64_t r = fn(source(w, x, 0, a), source(w, x, 1, b), &e);
    w->scc = e.scc;
    if (flags & SEM_S_EXEC) {
        w->s[ISA_SRC_EXEC_LO] = (uint32_t)e.exec;
        if (d == 64) w->s[ISA_SRC_EXEC_HI] = (uint32_t)(e.exec >> 32);
    }
    if (!e.no_write) write_dst(w, x, d, r);
    return x + x->len;
}

#define SROW(name, fn, d, a, b, flags)                                                             \
    static EXEC(run_##name) {                                                                      \
        x = salu(w, x, fn, d, a, b, flags);                                                        \
        GO(w, x);                                                                                  \
    }
#include "driver/emulator/isa/sem_salu_rows.h"
#undef SROW

static const struct salu_row {
    const char *name;
    xfn *fn;
    uint8_t src0, src1, flags;
} salu_rows[] = {
#define SROW(name, fn, d, a, b, flags) {#name, run_##name, a, b, flags},
#include "driver/emulator/isa/sem_salu_rows.h"
#undef SROW
};

static EXEC(movrels_32) {
    w->s[x->dst] = w->s[(x->s[0] + w->s[ISA_SRC_M0]) & 127];
    NEXT(w, x);
}

static EXEC(movrels_64) {
    uint64_t v = exec_sgpr64(w, (x->s[0] + w->s[ISA_SRC_M0]) & 126);
    write_dst(w, x, 64, v);
    NEXT(w, x);
}

static EXEC(movreld_32) {
    w->s[exec_sdst((x->dst + w->s[ISA_SRC_M0]) & 127)] = exec_s32(w, x, 0);
    NEXT(w, x);
}

static EXEC(movreld_64) {
    uint64_t v = exec_s64(w, x, 0);
    unsigned d = exec_sdst((x->dst + w->s[ISA_SRC_M0]) & 126);
    w->s[d] = (uint32_t)v;
    w->s[d + 1] = (uint32_t)(v >> 32);
    NEXT(w, x);
}

static EXEC(movrelsd_2) {
    uint32_t m0 = w->s[ISA_SRC_M0];
    uint32_t v = w->s[(x->s[0] + (m0 & 0x3ff)) & 127];
    w->s[exec_sdst((x->dst + (m0 >> 16 & 0x3ff)) & 127)] = v;
    NEXT(w, x);
}

static const struct {
    const char *name;
    xfn *fn;
} moverel_rows[] = {
    {"S_MOVRELS_B32", movrels_32}, {"S_MOVRELS_B64", movrels_64},    {"S_MOVRELD_B32", movreld_32},
    {"S_MOVRELD_B64", movreld_64}, {"S_MOVRELSD_2_B32", movrelsd_2},
};

/* Scalar float: one lane of the vector function. sub: destination bits, size: 1 = reads dst. */
static EXEC(salu_float) {
    vu32 src[3], d = {0};
    for (unsigned i = 0; i < 3; i++)
        src[i] = vec_splat(x->ns > i ? exec_s32(w, x, i) : 0);
    if (x->size) src[2] = vec_splat(w->s[x->dst]);
    struct sem_env *e = &w->env[0];
    e->exec = 1;
    e->cmod = 0;
    e->op_sel = e->op_sel_hi = e->neg = e->neg_hi = 0;
    x->vfn(&d, &src[0], &src[1], &src[2], e);
    if (x->sub == 0)
        w->scc = e->mask_out & 1;
    else
        w->s[x->dst] = x->sub == 16 ? d[0] & 0xffff : d[0];
    NEXT(w, x);
}

/* The source of s_cvt_hi_f32_f16 is the upper half. */
static EXEC(salu_float_hi) {
    vu32 src = vec_splat(exec_s32(w, x, 0) >> 16), d = {0};
    w->env[0].exec = 1;
    x->vfn(&d, &src, NULL, NULL, &w->env[0]);
    w->s[x->dst] = d[0];
    NEXT(w, x);
}

static bool bind_float(struct binding *b) {
    struct xinst *x = b->x;
    const char *name = b->in->op->name;
    bool hi = !strcmp(name, "S_CVT_HI_F32_F16");
    char vname[40];
    snprintf(vname, sizeof vname, "V_%s", hi ? "CVT_F32_F16" : name + 2);
    const struct sem_vrow *row = SEM_SYM(sem_find_valu)(vname);
    if (!row) return false;
    unsigned ssrc[3] = {b->in->f[ISA_F_ssrc0], b->in->f[ISA_F_ssrc1], ISA_SRC_LITERAL};
    if (strstr(name, "FMAMK")) ssrc[2] = ssrc[1], ssrc[1] = ISA_SRC_LITERAL;
    const uint8_t types[3] = {row->src0, row->src1, row->src2};
    bool reads_dst = row->flags & SEM_READS_DST;
    for (unsigned i = 0; i < 3; i++) {
        if (types[i] == SEM_NONE || (reads_dst && i == 2)) break;
        if (!SEM_SYM(exec_bind_source)(b, i, ssrc[i], types[i])) return false;
        if (x->k[i] == SRC_VGPR) return SEM_SYM(exec_refuse)(b, "VGPR source");
        x->ns = (uint8_t)(i + 1);
    }
    x->vfn = row->fn;
    x->size = reads_dst;
    x->dst = exec_sdst(b->in->f[ISA_F_sdst]);
    bool half = row->dst == SEM_F16 || row->dst == SEM_B16;
    x->sub = row->flags & SEM_COMPARE ? 0 : half ? 16 : 32;
    x->fn = hi ? salu_float_hi : salu_float;
    return true;
}

static int compare_row(const void *key, const void *row) {
    return strcmp(key, ((const struct salu_row *)row)->name);
}

static enum sem_type source_type(unsigned bits, unsigned flags) {
    if (bits != 64) return SEM_U32;
    return flags & SEM_S_SEXT64 ? SEM_I64 : SEM_U64;
}

static bool bind_sources(struct binding *b, const struct salu_row *row) {
    struct xinst *x = b->x;
    uint32_t simm = b->in->f[ISA_F_simm16];
    if (row->src0) {
        unsigned code = row->flags & SEM_S_DST_SRC ? b->in->f[ISA_F_sdst] : b->in->f[ISA_F_ssrc0];
        if (!SEM_SYM(exec_bind_source)(b, 0, code, source_type(row->src0, row->flags)))
            return false;
    }
    if (row->flags & (SEM_S_SIMM | SEM_S_UIMM)) {
        x->k[1] = SRC_IMM;
        x->s[1] = row->flags & SEM_S_SIMM ? (uint32_t)(int16_t)simm : simm;
    } else if (row->src1) {
        enum sem_type t = source_type(row->src1, row->flags);
        if (!SEM_SYM(exec_bind_source)(b, 1, b->in->f[ISA_F_ssrc1], t)) return false;
    }
    return true;
}

bool SEM_SYM(exec_bind_salu)(struct binding *b) {
    struct xinst *x = b->x;
    const char *name = b->in->op->name;
    x->dst = exec_sdst(b->in->f[ISA_F_sdst]);
    for (unsigned i = 0; i < sizeof moverel_rows / sizeof *moverel_rows; i++) {
        if (strcmp(name, moverel_rows[i].name)) continue;
        x->fn = moverel_rows[i].fn;
        return SEM_SYM(exec_bind_source)(b, 0, b->in->f[ISA_F_ssrc0], SEM_U32);
    }
    const struct salu_row *row = bsearch(name, salu_rows, sizeof salu_rows / sizeof *salu_rows,
                                         sizeof *salu_rows, compare_row);
    if (!row) return bind_float(b);
    x->fn = row->fn;
    return bind_sources(b, row);
}
