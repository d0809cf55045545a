/* SPDX-License-Identifier: MIT */
/* isa-coverage [-v]: how many opcodes of each format the executor can run, per architecture; -v
 * lists those it cannot. */
#include <stdio.h>
#include <string.h>

#include "driver/emulator/isa/wave.h"
#include "tests/isa/fake_gpu.h"

static const char *const format_names[ISA_FMT_COUNT] = {[ISA_FMT_DS] = "DS",
                                                        [ISA_FMT_EXP] = "EXP",
                                                        [ISA_FMT_FLAT] = "FLAT",
                                                        [ISA_FMT_GLOBAL] = "GLOBAL",
                                                        [ISA_FMT_LDSDIR] = "LDSDIR",
                                                        [ISA_FMT_MIMG] = "MIMG",
                                                        [ISA_FMT_MTBUF] = "MTBUF",
                                                        [ISA_FMT_MUBUF] = "MUBUF",
                                                        [ISA_FMT_SCRATCH] = "SCRATCH",
                                                        [ISA_FMT_SMEM] = "SMEM",
                                                        [ISA_FMT_SOP1] = "SOP1",
                                                        [ISA_FMT_SOP2] = "SOP2",
                                                        [ISA_FMT_SOPC] = "SOPC",
                                                        [ISA_FMT_SOPK] = "SOPK",
                                                        [ISA_FMT_SOPP] = "SOPP",
                                                        [ISA_FMT_VBUFFER] = "VBUFFER",
                                                        [ISA_FMT_VDSDIR] = "VDSDIR",
                                                        [ISA_FMT_VEXPORT] = "VEXPORT",
                                                        [ISA_FMT_VFLAT] = "VFLAT",
                                                        [ISA_FMT_VGLOBAL] = "VGLOBAL",
                                                        [ISA_FMT_VIMAGE] = "VIMAGE",
                                                        [ISA_FMT_VINTERP] = "VINTERP",
                                                        [ISA_FMT_VOP1] = "VOP1",
                                                        [ISA_FMT_VOP2] = "VOP2",
                                                        [ISA_FMT_VOP3] = "VOP3",
                                                        [ISA_FMT_VOP3P] = "VOP3P",
                                                        [ISA_FMT_VOP3SD] = "VOP3SD",
                                                        [ISA_FMT_VOPC] = "VOPC",
                                                        [ISA_FMT_VOPD] = "VOPD",
                                                        [ISA_FMT_VSAMPLE] = "VSAMPLE",
                                                        [ISA_FMT_VSCRATCH] = "VSCRATCH"};

static const struct isa_format_row *row_of(const struct isa_tables *t, unsigned format) {
    for (unsigned i = 0; i < t->format_count; i++)
        if (t->formats[i].format == format) return &t->formats[i];
    return NULL;
}

/* A word of that opcode whose operands are plain registers: s0, v0, v2... */
static void encode(const struct isa_format_row *row, const struct isa_op *op, uint32_t dw[5]) {
    memset(dw, 0, 5 * sizeof *dw);
    dw[0] = row->value | (uint32_t)op->opcode << row->op_lo;
    bool vector = op->format >= ISA_FMT_VINTERP && op->format <= ISA_FMT_VOPD;
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct isa_field_pos *f = &row->fields[i];
        uint32_t v = 0;
        if (vector && f->width == 9 &&
            (f->field == ISA_F_src0 || f->field == ISA_F_src1 || f->field == ISA_F_srcx0 ||
             f->field == ISA_F_srcy0))
            v = 256;
        if (f->field == ISA_F_src2)
            v = strstr(op->name, "CNDMASK") || strstr(op->name, "CO_CI") ? 106 : 256;
        if (f->field == ISA_F_opx) v = 8; /* v_dual_mov_b32 beside the Y operation */
        if (f->field == ISA_F_saddr || f->field == ISA_F_soffset) v = ISA_SRC_NULL;
        dw[f->lo / 32] |= v << f->lo % 32;
    }
    if (!strcmp(op->name, "V_WRITELANE_B32")) dw[1] &= ~0x1ffu; /* a scalar */
    if (!strcmp(op->name, "V_READLANE_B32") || !strcmp(op->name, "V_WRITELANE_B32"))
        dw[1] &= ~(0x1ffu << 9);
    if (!strncmp(op->name, "V_PERMLANE", 10) && !strstr(op->name, "VAR")) dw[1] &= 0x1ff;
}

/* Binds and says whether the executor is a refusal as unimplemented. */
static bool implemented(struct isa_group *g, const struct isa_inst *inst) {
    static struct code_page page;
    struct xinst x = {.len = inst->dwords};
    g->variant->bind(g, &page, inst, &x, 0);
    struct xinst probe = {.len = 1};
    struct isa_inst none = *inst;
    struct isa_op unknown = *inst->op;
    unknown.format = ISA_FMT_EXP; /* refused in a compute wave */
    none.op = &unknown;
    g->variant->bind(g, &page, &none, &probe, 0);
    return x.fn != probe.fn;
}

/* Instructions that must run, and the few of their formats that do not yet. */
static bool required(const struct isa_op *op) {
    static const char *const absent[] = {"S_ALLOC_VGPR", "S_BARRIER_INIT", "S_BARRIER_JOIN"};
    for (unsigned i = 0; i < sizeof absent / sizeof *absent; i++)
        if (!strcmp(op->name, absent[i])) return false;
    return (op->format >= ISA_FMT_SMEM && op->format <= ISA_FMT_SOPC) ||
           (op->format >= ISA_FMT_VINTERP && op->format <= ISA_FMT_VOPD);
}

/* Returns how many required ones are missing. */
static unsigned count(enum isa_arch arch, const char *title, bool verbose) {
    struct fake_gpu f;
    fake_gpu_init(&f);
    struct isa_dispatch d = {.arch = arch,
                             .host = &f.host,
                             .wave_size = 32,
                             .pgm_rsrc1 = 0x3f,
                             .group_size = {32, 1, 1}};
    struct isa_group *g = isa_group_create(&d);
    const struct isa_tables *t = isa_tables_of(arch);
    unsigned total[ISA_FMT_COUNT] = {0}, done[ISA_FMT_COUNT] = {0}, all = 0, all_done = 0,
             missing = 0;
    for (unsigned i = 0; g && i < t->op_count; i++) {
        const struct isa_op *op = &t->ops[i];
        uint32_t dw[5];
        struct isa_inst inst;
        encode(row_of(t, op->format), op, dw);
        if (isa_decode(arch, dw, 5, &inst) < 0) continue; /* of another architecture */
        bool ok = implemented(g, &inst);
        total[op->format]++, all++;
        done[op->format] += ok, all_done += ok;
        if (!ok && required(op)) missing++;
        if (!ok && (verbose || required(op)))
            printf("  %s %s\n", format_names[op->format], op->name);
    }
    printf("%s:", title);
    for (unsigned i = 0; i < ISA_FMT_COUNT; i++)
        if (total[i]) printf(" %s %u/%u", format_names[i], done[i], total[i]);
    printf("; all %u/%u\n", all_done, all);
    isa_group_destroy(g);
    fake_gpu_fini(&f);
    return all ? missing : 1;
}

int main(int argc, char **argv) {
    bool verbose = argc > 1 && !strcmp(argv[1], "-v");
    unsigned missing = count(ISA_GFX11, "gfx11", verbose);
    missing += count(ISA_GFX11_5, "gfx11.5", verbose);
    missing += count(ISA_GFX12, "gfx12", verbose);
    return argc > 1 && !strcmp(argv[1], "--check") && missing ? 1 : 0;
}
