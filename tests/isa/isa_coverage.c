/* SPDX-License-Identifier: MIT */
/* isa-coverage [-v | --check]: how many opcodes of each format the executor can run, per
 * architecture; -v lists those it cannot and why; --check fails when one is unaccounted for. */
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
        if (f->field == ISA_F_format) v = 20; /* a typed buffer of 32_UINT */
        if (f->field == ISA_F_opx) v = 8;     /* v_dual_mov_b32 beside the Y operation */
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

/* What a compute wave cannot reach, and why. A name ends in * when it is a prefix. */
static const struct {
    const char *name, *why;
} unreachable[] = {
    {"EXP", "exports belong to pixel and vertex shaders"},
    {"EXPORT", "exports belong to pixel and vertex shaders"},
    {"S_ENDPGM_ORDERED_PS_DONE", "pixel shaders"},
    {"LDS_PARAM_LOAD", "interpolation in pixel shaders"},
    {"LDS_DIRECT_LOAD", "interpolation in pixel shaders"},
    {"DS_PARAM_LOAD", "interpolation in pixel shaders"},
    {"DS_DIRECT_LOAD", "interpolation in pixel shaders"},
    {"IMAGE_BVH*", "ray tracing"},
    {"DS_BVH_STACK_*", "ray tracing"},
    {"IMAGE_MSAA_LOAD", "multisampled images: OpenCL has them only shared with OpenGL"},
    {"DS_GWS_*", "global wave sync: the driver gives kernels none"},
    {"DS_ORDERED_COUNT", "ordered append of the graphics pipeline"},
    {"DS_ADD_GS_REG_RTN", "stream-out of geometry shaders"},
    {"DS_SUB_GS_REG_RTN", "stream-out of geometry shaders"},
    {"GLOBAL_LOAD_LDS_*", "LLVM 22 does not assemble it for these chips"},
    {"SCRATCH_LOAD_LDS_*", "LLVM 22 does not assemble it for these chips"},
    {"BUFFER_LOAD_LDS_*", "LLVM 22 does not assemble it for these chips"},
};

/* Reachable, and not implemented: they end a kernel as illegal, by name. */
static const char *const missing_ones[] = {
    "GLOBAL_ATOMIC_ORDERED_ADD_B64",
    "GLOBAL_LOAD_BLOCK",
    "GLOBAL_LOAD_TR_B128",
    "GLOBAL_LOAD_TR_B64",
    "GLOBAL_STORE_BLOCK",
    "SCRATCH_LOAD_BLOCK",
    "SCRATCH_STORE_BLOCK",
    "S_ALLOC_VGPR",
    "S_BARRIER_INIT",
    "S_BARRIER_JOIN",
    "S_BARRIER_LEAVE",
    "S_SUBVECTOR_LOOP_BEGIN",
    "S_SUBVECTOR_LOOP_END",
};

static const char *why_unreachable(const struct isa_op *op) {
    for (unsigned i = 0; i < sizeof unreachable / sizeof *unreachable; i++) {
        size_t n = strlen(unreachable[i].name);
        bool prefix = unreachable[i].name[n - 1] == '*';
        if (prefix ? !strncmp(op->name, unreachable[i].name, n - 1)
                   : !strcmp(op->name, unreachable[i].name))
            return unreachable[i].why;
    }
    /* The tables list these for the flat segment too, where only the global one means anything. */
    if ((op->format == ISA_FMT_FLAT || op->format == ISA_FMT_VFLAT) && strstr(op->name, "ADDTID"))
        return "a global instruction in the encoding of flat ones";
    return NULL;
}

static bool known_missing(const struct isa_op *op) {
    for (unsigned i = 0; i < sizeof missing_ones / sizeof *missing_ones; i++)
        if (!strcmp(op->name, missing_ones[i])) return true;
    return false;
}

struct tally {
    unsigned done, unreachable, missing, total;
};

/* Returns how many are unaccounted for: neither implemented nor in one of the tables, or in one of
 * them although implemented. */
static unsigned account(const struct isa_op *op, bool ok, bool verbose, struct tally *t) {
    const char *why = why_unreachable(op);
    bool missing = known_missing(op);
    t->total++;
    t->done += ok;
    t->unreachable += !ok && why;
    t->missing += !ok && !why;
    bool wrong = ok ? why || missing : !why && !missing;
    if (wrong || (verbose && !ok))
        printf("  %s %s: %s%s\n", format_names[op->format], op->name,
               ok    ? "implemented"
               : why ? why
                     : "not implemented",
               wrong ? " (unaccounted for)" : "");
    return wrong;
}

static unsigned count(enum isa_arch arch, const char *chips, bool verbose) {
    struct fake_gpu f;
    fake_gpu_init(&f);
    struct isa_dispatch d = {.arch = arch,
                             .host = &f.host,
                             .wave_size = 32,
                             .pgm_rsrc1 = 0x3f,
                             .group_size = {32, 1, 1}};
    struct isa_group *g = isa_group_create(&d);
    const struct isa_tables *t = isa_tables_of(arch);
    struct tally by[ISA_FMT_COUNT] = {0}, all = {0};
    unsigned wrong = 0;
    for (unsigned i = 0; g && i < t->op_count; i++) {
        const struct isa_op *op = &t->ops[i];
        uint32_t dw[5];
        struct isa_inst inst;
        encode(row_of(t, op->format), op, dw);
        if (isa_decode(arch, dw, 5, &inst) < 0) continue; /* of another architecture */
        wrong += account(op, implemented(g, &inst), verbose, &by[op->format]);
    }
    printf("%s: implemented / not reachable by compute / not implemented / total\n", chips);
    for (unsigned i = 0; i < ISA_FMT_COUNT; i++) {
        if (!by[i].total) continue;
        printf("  %-9s %4u %4u %4u %4u\n", format_names[i], by[i].done, by[i].unreachable,
               by[i].missing, by[i].total);
        all.done += by[i].done, all.unreachable += by[i].unreachable;
        all.missing += by[i].missing, all.total += by[i].total;
    }
    printf("  %-9s %4u %4u %4u %4u\n", "all", all.done, all.unreachable, all.missing, all.total);
    isa_group_destroy(g);
    fake_gpu_fini(&f);
    return all.total ? wrong : 1;
}

int main(int argc, char **argv) {
    bool verbose = argc > 1 && !strcmp(argv[1], "-v");
    unsigned wrong = count(ISA_GFX11, "gfx1100", verbose);
    wrong += count(ISA_GFX11_5, "gfx1150, gfx1151", verbose);
    wrong += count(ISA_GFX12, "gfx1200, gfx1201", verbose);
    return argc > 1 && !strcmp(argv[1], "--check") && wrong ? 1 : 0;
}
