/* SPDX-License-Identifier: MIT */
/* lift_code.c - finds the instructions that can be reached and what each reads and writes. They are
 * bound as the interpreter binds them, so that operands mean the same to both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/lift_internal.h"

extern const struct sem_vrow sem_valu_rows_base[];
extern const unsigned sem_valu_row_count_base;
const struct sem_vrow *sem_find_valu_base(const char *name);

unsigned lift_type_dwords(enum sem_type t) {
    switch (t) {
    case SEM_NONE:
    case SEM_MASK:
        return 0;
    case SEM_B64:
    case SEM_U64:
    case SEM_I64:
    case SEM_F64:
    case SEM_PKF32:
        return 2;
    case SEM_B96:
        return 3;
    case SEM_B128:
        return 4;
    case SEM_B256:
        return 8;
    default:
        return 1;
    }
}

static bool has_prefix(const char *s, const char *prefix) {
    return !strncmp(s, prefix, strlen(prefix));
}

static void read_sgprs(struct lift_inst *i, unsigned r, unsigned n) {
    if (r < 128) regset_add(&i->reads, LREG_SGPR0 + r, n);
}

static void write_sgprs(struct lift_inst *i, unsigned r, unsigned n) {
    if (r >= 128) return; /* NULL */
    regset_add(&i->writes, LREG_SGPR0 + r, n);
    if (r <= ISA_SRC_EXEC_HI && r + n > ISA_SRC_EXEC_LO) i->writes_exec = true;
}

static void read_source(struct lift_inst *i, const struct xinst *x, unsigned n_src, unsigned n) {
    if (x->k[n_src] == SRC_VGPR) regset_add(&i->reads, (unsigned)x->s[n_src], n);
    if (x->k[n_src] == SRC_SGPR) read_sgprs(i, (unsigned)x->s[n_src], n);
}

static void read_all(struct lift_inst *i) {
    memset(&i->reads, 0xff, sizeof i->reads);
}

/* --- vector ALU --- */

static const struct sem_vrow *row_of(const struct xinst *x) {
    for (unsigned i = 0; i < sem_valu_row_count_base; i++)
        if (sem_valu_rows_base[i].fn == x->vfn) return &sem_valu_rows_base[i];
    return NULL;
}

static void valu_registers(struct lift *l, struct lift_inst *i, const struct xinst *x,
                           const struct sem_vrow *row) {
    for (unsigned n = 0; n < x->ns; n++)
        if (lift_type_dwords(x->types[1 + n]))
            read_source(i, x, n, lift_type_dwords(x->types[1 + n]));
    if (row->flags & SEM_CARRY_IN) read_sgprs(i, x->smask, l->halves);
    if (x->sub || row->flags & SEM_DST_IN_D) regset_add(&i->reads, x->dst, x->size);
    if (x->mods && x->mods->dpp) regset_add(&i->reads, x->dst, x->size); /* may keep lanes */
    if (x->flags & X_SCALAR_DST)
        write_sgprs(i, x->dst, 1);
    else
        regset_add(&i->writes, x->dst, x->size);
    if (x->flags & X_CMPX)
        write_sgprs(i, ISA_SRC_EXEC_LO, l->halves);
    else if (x->flags & X_MASK_OUT)
        write_sgprs(i, x->sdst, l->halves);
}

static void classify_valu(struct lift *l, struct lift_inst *i) {
    i->row = row_of(&i->x);
    if (i->in.op->format == ISA_FMT_VOPD && i->x.pair) {
        i->y = *i->x.pair;
        i->row_y = row_of(&i->y);
        if (i->row && i->row_y) {
            valu_registers(l, i, &i->x, i->row);
            valu_registers(l, i, &i->y, i->row_y);
            i->kind = L_VOPD;
        }
        return;
    }
    if (!i->row) return;
    valu_registers(l, i, &i->x, i->row);
    i->kind = L_VALU;
}

/* V_READLANE and the like; false: not one of them. */
static bool classify_lane(struct lift_inst *i) {
    const struct xinst *x = &i->x;
    static const struct {
        const char *name;
        uint8_t sources, scalar, lane;
    } rows[] = {
        {"V_READFIRSTLANE_B32", 1, 1, 1},
        {"V_READLANE_B32", 2, 1, 1},
        {"V_WRITELANE_B32", 2, 0, 1},
        {"V_PERMLANE16_B32", 3, 0, 0},
        {"V_PERMLANEX16_B32", 3, 0, 0},
        {"V_PERMLANE16_VAR_B32", 2, 0, 0},
        {"V_PERMLANEX16_VAR_B32", 2, 0, 0},
        {"V_PERMLANE64_B32", 1, 0, 0},
        {"V_SWAP_B32", 1, 0, 1},
        {"V_MBCNT_LO_U32_B32", 2, 0, 1},
        {"V_MBCNT_HI_U32_B32", 2, 0, 1},
    };
    const char *name = i->in.op->name;
    if (!strcmp(name, "V_NOP") || !strcmp(name, "V_PIPEFLUSH")) {
        i->kind = L_SKIP;
        return true;
    }
    for (unsigned n = 0; n < sizeof rows / sizeof *rows; n++) {
        if (strcmp(name, rows[n].name)) continue;
        for (unsigned s = 0; s < rows[n].sources; s++)
            read_source(i, x, s, 1);
        if (rows[n].scalar) {
            write_sgprs(i, x->dst, 1);
        } else {
            regset_add(&i->writes, x->dst, 1);
            regset_add(&i->reads, x->dst, 1);
        }
        if (!strcmp(name, "V_SWAP_B32")) regset_add(&i->writes, (unsigned)x->s[0], 1);
        i->kind = rows[n].lane ? L_LANE : L_STEP;
        return true;
    }
    return has_prefix(name, "V_MOVREL") || has_prefix(name, "V_SWAP");
}

/* --- memory --- */

static unsigned dwords_of(unsigned bytes) {
    return (bytes + 3) / 4;
}

static bool merges(enum mem_ext ext) {
    return ext >= MEM_D16_U8;
}

static void classify_lds(struct lift_inst *i) {
    const struct xinst *x = &i->x;
    const char *name = i->in.op->name + 3;
    unsigned n = dwords_of(x->size);
    i->kind = L_STEP;
    if (!strcmp(name, "NOP")) {
        i->kind = L_SKIP;
        return;
    }
    regset_add(&i->reads, LREG_SGPR0 + ISA_SRC_M0, 1);
    if (has_prefix(name, "APPEND") || has_prefix(name, "CONSUME") ||
        has_prefix(name, "LOAD_ADDTID")) {
        regset_add(&i->writes, x->dst, 1);
        return;
    }
    if (!strcmp(name, "STORE_ADDTID_B32")) {
        regset_add(&i->reads, (unsigned)x->s[1], 1);
        return;
    }
    regset_add(&i->reads, (unsigned)x->s[0], 1);
    bool two = strstr(name, "2ADDR") != NULL;
    i->mem = two ? NULL : mem_op_find(name);
    if (i->mem && i->mem->kind == MEM_ATOMIC) i->mem = NULL;
    if (!strcmp(name, "SWIZZLE_B32")) {
        regset_add(&i->writes, x->dst, 1);
    } else if (strstr(name, "PERMUTE")) {
        regset_add(&i->reads, (unsigned)x->s[1], 1);
        regset_add(&i->writes, x->dst, 1);
        if (name[0] == 'B') i->kind = L_PERMUTE;
    } else if (two) {
        bool load = has_prefix(name, "LOAD"), exchange = has_prefix(name, "STOREXCHG");
        if (!load) regset_add(&i->reads, (unsigned)x->s[1], n);
        if (!load) regset_add(&i->reads, (unsigned)x->s[2], n);
        if (load || exchange) regset_add(&i->writes, x->dst, 2 * n);
        if (!exchange) i->kind = L_LDS;
    } else if (i->mem) {
        if (i->mem->kind == MEM_STORE) regset_add(&i->reads, (unsigned)x->s[1], n);
        if (i->mem->kind == MEM_LOAD) regset_add(&i->writes, x->dst, n);
        if (i->mem->kind == MEM_LOAD && merges(i->mem->ext)) regset_add(&i->reads, x->dst, 1);
        i->kind = L_LDS;
    } else { /* atomics */
        regset_add(&i->reads, (unsigned)x->s[1], n);
        if (x->ns == 2) regset_add(&i->reads, (unsigned)x->s[2], n);
        if (x->flags & X_RETURN || !strncmp(name, "CONDXCHG", 8)) regset_add(&i->writes, x->dst, n);
        if (x->ns == 1) i->kind = L_LDS;
    }
}

static void classify_flat(struct lift_inst *i) {
    const struct xinst *x = &i->x;
    enum isa_format fmt = i->in.op->format;
    bool scratch = fmt == ISA_FMT_SCRATCH || fmt == ISA_FMT_VSCRATCH;
    const char *rest = strchr(i->in.op->name, '_') + 1;
    if (!strcmp(rest, "INV") || !strcmp(rest, "WB") || !strcmp(rest, "WBINV")) {
        i->kind = L_SKIP;
        return;
    }
    i->mem = mem_op_find(rest);
    if (!i->mem) return; /* ADDTID, loads to LDS: left */
    unsigned n = dwords_of(i->mem->size);
    if (!scratch || x->flags & X_SVE)
        regset_add(&i->reads, (unsigned)x->s[0], scratch || x->flags & X_SADDR ? 1 : 2);
    if (x->flags & X_SADDR) read_sgprs(i, (unsigned)x->s[1], scratch ? 1 : 2);
    if (i->mem->kind != MEM_LOAD) regset_add(&i->reads, (unsigned)x->s[2], n * i->mem->operands);
    if (i->mem->kind == MEM_LOAD || (i->mem->kind == MEM_ATOMIC && x->flags & X_RETURN))
        regset_add(&i->writes, x->dst, n);
    if (i->mem->kind == MEM_LOAD && merges(i->mem->ext)) regset_add(&i->reads, x->dst, 1);
    i->kind = i->mem->kind == MEM_ATOMIC ? L_STEP : scratch ? L_SCRATCH : L_GLOBAL;
}

static void classify_smem(struct lift_inst *i) {
    const struct xinst *x = &i->x;
    if (!x->size) {
        i->kind = L_SKIP; /* cache maintenance, prefetch */
        return;
    }
    bool buffer = has_prefix(i->in.op->name, "S_BUFFER");
    read_sgprs(i, (unsigned)x->s[0], buffer ? 4 : 2);
    if (x->k[1] == SRC_SGPR) read_sgprs(i, (unsigned)x->s[1], 1);
    write_sgprs(i, x->dst, dwords_of(x->size));
    i->kind = buffer ? L_STEP : L_SMEM;
    if (x->dst < 128 && x->dst + dwords_of(x->size) > 128) {
        read_all(i);
        i->kind = L_LEFT;
    }
}

/* --- scalar --- */

static bool is_hint(const struct lift_inst *i) {
    static const char *const names[] = {"S_NOP",
                                        "S_VERSION",
                                        "S_CLAUSE",
                                        "S_DELAY_ALU",
                                        "S_SETPRIO",
                                        "S_WAKEUP",
                                        "S_SETKILL",
                                        "S_INCPERFLEVEL",
                                        "S_DECPERFLEVEL",
                                        "S_TTRACEDATA",
                                        "S_ICACHE_INV",
                                        "S_TTRACEDATA_IMM",
                                        "S_SET_INST_PREFETCH_DISTANCE"};
    const char *name = i->in.op->name;
    if (has_prefix(name, "S_WAIT") || has_prefix(name, "S_CBRANCH_CDBG")) return true;
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (!strcmp(name, names[n])) return true;
    return !strcmp(name, "S_SENDMSG") && (i->x.imm & 0xff) == 3; /* DEALLOC_VGPRS */
}

/* Program flow; false: not one of these instructions. */
static bool classify_flow(struct lift_inst *i) {
    const char *name = i->in.op->name;
    const struct xinst *x = &i->x;
    if (is_hint(i)) {
        i->kind = L_SKIP;
        return true;
    }
    if (has_prefix(name, "S_CBRANCH") || !strcmp(name, "S_BRANCH")) {
        i->kind = L_BRANCH;
        i->no_next = name[2] == 'B';
        if (strstr(name, "VCC")) read_sgprs(i, ISA_SRC_VCC_LO, 2);
        return true;
    }
    if (has_prefix(name, "S_ENDPGM")) {
        i->kind = L_END;
        i->no_next = true;
        return true;
    }
    if (!strcmp(name, "S_GETPC_B64")) {
        i->kind = L_GETPC;
        write_sgprs(i, x->dst, 2);
        return true;
    }
    if (!strcmp(name, "S_GETREG_B32")) {
        i->kind = L_STEP;
        read_sgprs(i, ISA_SRC_VCC_LO, 2);
        write_sgprs(i, x->dst, 1);
        return true;
    }
    i->kind = L_LEFT;
    if (has_prefix(name, "S_BARRIER") || has_prefix(name, "S_SLEEP")) {
        read_source(i, x, 0, 1);
        return true;
    }
    if (has_prefix(name, "S_SENDMSG_RTN")) {
        i->kind = L_STEP;
        write_sgprs(i, x->dst, x->sub == 64 ? 2 : 1);
        return true;
    }
    static const char *const rest[] = {
        "S_SETPC",  "S_SWAPPC",     "S_CALL",        "S_RFE",     "S_TRAP",        "S_SETHALT",
        "S_SETREG", "S_ROUND_MODE", "S_DENORM_MODE", "S_SENDMSG", "S_GET_BARRIER", "S_CODE_END"};
    for (unsigned n = 0; n < sizeof rest / sizeof *rest; n++) {
        if (!has_prefix(name, rest[n])) continue;
        read_all(i);
        i->no_next = n == 0 || n == 3 || !strcmp(name, "S_CODE_END");
        return true;
    }
    i->kind = L_SKIP;
    return false;
}

static void classify_salu(struct lift_inst *i) {
    const struct xinst *x = &i->x;
    const char *name = i->in.op->name;
    i->salu = lift_salu_row(name);
    if (i->salu) {
        const struct lift_salu_row *r = &lift_salu_rows[i->salu - 1];
        if (r->a) read_source(i, x, 0, r->a / 32);
        if (r->b) read_source(i, x, 1, r->b / 32);
        if (r->flags & SEM_S_READS_DST || !strncmp(name, "S_CMOV", 6))
            read_sgprs(i, x->dst, r->d / 32);
        if (r->d) write_sgprs(i, x->dst, r->d / 32);
        if (r->flags & SEM_S_EXEC) write_sgprs(i, ISA_SRC_EXEC_LO, r->d / 32);
        i->kind = L_SALU;
    } else if (!has_prefix(name, "S_MOVREL")) {
        i->row = row_of(x);
        if (!i->row) return;
        for (unsigned n = 0; n < x->ns; n++)
            read_source(i, x, n, 1);
        if (x->size) read_sgprs(i, x->dst, 1);
        if (!(i->row->flags & SEM_COMPARE)) write_sgprs(i, x->dst, 1);
        i->kind = L_SFLOAT;
    }
}

/* --- all --- */

static void classify(struct lift *l, struct lift_inst *i) {
    i->kind = L_LEFT;
    if (i->x.fn == isa_variant_base.illegal) {
        i->no_next = true;
        read_all(i);
        return;
    }
    switch ((enum isa_format)i->in.op->format) {
    case ISA_FMT_SOP1:
    case ISA_FMT_SOP2:
    case ISA_FMT_SOPC:
    case ISA_FMT_SOPK:
    case ISA_FMT_SOPP:
        if (classify_flow(i)) return;
        i->kind = L_LEFT;
        classify_salu(i);
        break;
    case ISA_FMT_SMEM:
        classify_smem(i);
        break;
    case ISA_FMT_VOP1:
    case ISA_FMT_VOP2:
    case ISA_FMT_VOPC:
    case ISA_FMT_VOP3:
    case ISA_FMT_VOP3P:
    case ISA_FMT_VOP3SD:
    case ISA_FMT_VOPD:
        if (i->in.op_y || i->in.dpp || !classify_lane(i)) classify_valu(l, i);
        break;
    case ISA_FMT_DS:
        classify_lds(i);
        break;
    case ISA_FMT_FLAT:
    case ISA_FMT_GLOBAL:
    case ISA_FMT_SCRATCH:
    case ISA_FMT_VFLAT:
    case ISA_FMT_VGLOBAL:
    case ISA_FMT_VSCRATCH:
        classify_flat(i);
        break;
    default:
        if (strstr(i->in.op->name, "GL0_INV") || strstr(i->in.op->name, "GL1_INV"))
            i->kind = L_SKIP;
        break;
    }
    if (i->kind == L_LEFT) read_all(i);
}

void lift_count_missing(struct lift *l, const char *name) {
    unsigned n = 0;
    while (n < l->missing_count && strcmp(l->missing[n].name, name))
        n++;
    if (n == sizeof l->missing / sizeof *l->missing) return;
    if (n == l->missing_count) l->missing[l->missing_count++].name = name;
    l->missing[n].count++;
}

/* What cloning and the inline memory functions cannot do is done by the interpreter. */
static void demote(struct lift *l, struct lift_inst *i) {
    bool can = true;
    switch (i->kind) {
    case L_VALU:
    case L_VOPD:
    case L_SALU:
    case L_SFLOAT:
        can = lift_valu_can(l, i);
        break;
    case L_LANE:
        can = lift_lane_can(l, i);
        break;
    case L_SMEM:
    case L_LDS:
    case L_GLOBAL:
    case L_SCRATCH:
    case L_PERMUTE:
        can = lift_mem_can(l, i);
        break;
    default:
        break;
    }
    if (!can) i->kind = L_STEP;
    if (i->kind == L_STEP) l->out->stepped++;
    if (i->kind == L_LEFT) l->out->left++;
    if (i->kind == L_STEP || i->kind == L_LEFT) lift_count_missing(l, i->in.op->name);
    /* The interpreter leaves lanes that are off alone, so it must find the old values. */
    if (i->kind == L_STEP)
        for (unsigned n = 0; n < LREG_SGPR0 / 64; n++)
            i->reads.w[n] |= i->writes.w[n];
}

/* Decodes the instruction at off; false: none there that could be executed. */
static bool decode_one(struct lift *l, uint32_t off) {
    uint32_t dw[CODE_MAX_INST_DWORDS], n = (uint32_t)(l->rq->size - off) / 4;
    if (n > CODE_MAX_INST_DWORDS) n = CODE_MAX_INST_DWORDS;
    memcpy(dw, (const uint8_t *)l->rq->code + off, n * 4);
    struct lift_inst *i = &l->insts[l->inst_count];
    memset(i, 0, sizeof *i);
    int len = isa_decode(l->rq->arch, dw, n, &i->in);
    if (len <= 0) return false;
    i->off = off;
    i->len = (uint8_t)len;
    i->x.len = (uint8_t)len;
    isa_variant_base.bind(l->g, l->page, &i->in, &i->x, off);
    classify(l, i);
    demote(l, i);
    l->at[off / 4] = (int32_t)l->inst_count++;
    return true;
}

static bool grow(struct lift *l) {
    if (l->inst_count < l->inst_room) return true;
    uint32_t room = l->inst_room ? l->inst_room * 2 : 256;
    struct lift_inst *p = realloc(l->insts, room * sizeof *p);
    if (!p) return false;
    l->insts = p;
    l->inst_room = room;
    return true;
}

/* Marks a place where a node begins; pushes it if it has not been decoded. */
static void mark(struct lift *l, uint64_t off, uint8_t how, uint32_t *todo, uint32_t *count) {
    if (off >= l->rq->size) return;
    if (!l->leader[off / 4]) todo[(*count)++] = (uint32_t)off;
    l->leader[off / 4] |= how;
}

/* The first instruction from off on that is no hint: where the interpreter, which skips hints with
 * the instruction before, comes back. */
static uint32_t behind_hints(struct lift *l, uint32_t off) {
    uint32_t dw[CODE_MAX_INST_DWORDS];
    while (off < l->rq->size) {
        struct lift_inst i = {.off = off};
        uint32_t n = (uint32_t)(l->rq->size - off) / 4;
        if (n > CODE_MAX_INST_DWORDS) n = CODE_MAX_INST_DWORDS;
        memcpy(dw, (const uint8_t *)l->rq->code + off, n * 4);
        int len = isa_decode(l->rq->arch, dw, n, &i.in);
        bool sopp = len > 0 && i.in.op->format == ISA_FMT_SOPP;
        if (!sopp || !is_hint(&i)) break;
        off += 4 * (uint32_t)len;
    }
    return off;
}

static int walk(struct lift *l, uint32_t off, uint32_t *todo, uint32_t *count) {
    while (off < l->rq->size) {
        if (l->at[off / 4] >= 0) { /* run into code that is known */
            l->leader[off / 4] |= LEADER_NODE;
            return 0;
        }
        if (!grow(l)) return -1;
        if (!decode_one(l, off)) return 0;
        const struct lift_inst *i = &l->insts[l->inst_count - 1];
        uint32_t next = off + 4u * i->len;
        if (i->kind == L_BRANCH) {
            int64_t target = (int64_t)off + 4 * (int64_t)i->x.imm;
            if (target >= 0)
                mark(l, (uint64_t)target, target <= off ? LEADER_NODE | LEADER_ENTRY : LEADER_NODE,
                     todo, count);
            if (!i->no_next) mark(l, next, LEADER_NODE, todo, count);
            return 0;
        }
        if (i->kind == L_LEFT || i->kind == L_END) {
            l->leader[off / 4] |= LEADER_NODE;
            if (!i->no_next)
                mark(l, behind_hints(l, next), LEADER_NODE | LEADER_ENTRY, todo, count);
            return 0;
        }
        if (i->writes_exec) {
            mark(l, next, LEADER_NODE, todo, count);
            return 0;
        }
        off = next;
    }
    return 0;
}

static bool prepare(struct lift *l) {
    const struct lift_request *rq = l->rq;
    size_t dwords = rq->size / 4;
    l->g = calloc(1, sizeof *l->g);
    l->page = calloc(1, sizeof *l->page);
    l->at = malloc(dwords * sizeof *l->at);
    l->leader = calloc(dwords, 1);
    if (!l->g || !l->page || !l->at || !l->leader) return false;
    memset(l->at, 0xff, dwords * sizeof *l->at);
    l->g->code[0] = l->page;
    l->g->d.arch = rq->arch;
    l->g->d.wave_size = rq->wave_size;
    l->g->d.shared_aperture = rq->shared_aperture;
    l->g->d.private_aperture = rq->private_aperture;
    l->g->variant = &isa_variant_base;
    l->g->halves = l->halves;
    l->g->vgpr_limit = rq->vgpr_limit;
    return true;
}

int lift_decode(struct lift *l) {
    if (!prepare(l)) return lift_fail(l, -12, "no memory");
    uint32_t *todo = malloc((l->rq->size / 4 + 1) * sizeof *todo), count = 0;
    if (!todo) return lift_fail(l, -12, "no memory");
    for (unsigned n = 0; n < l->rq->entry_count; n++)
        mark(l, l->rq->entries[n], LEADER_NODE | LEADER_ENTRY, todo, &count);
    int err = 0;
    while (count && !err)
        err = walk(l, todo[--count], todo, &count);
    free(todo);
    return err ? lift_fail(l, -12, "no memory") : 0;
}

void lift_code_free(struct lift *l) {
    if (l->g && l->g->code[0])
        isa_code_drop(l->g); /* with the page */
    else
        free(l->page);
    free(l->g);
    free(l->insts);
    free(l->at);
    free(l->leader);
    free(l->nodes);
    free(l->node_at[0]);
    free(l->node_at[1]);
}
