/* SPDX-License-Identifier: MIT */
/* decode.c - table-driven instruction decoding. */
#include <stdio.h>
#include <string.h>

#include "driver/emulator/isa/decode.h"

enum { MAX_DWORDS = 5 };

const struct isa_tables *isa_tables_of(enum isa_arch arch) {
    return arch == ISA_GFX12 ? &isa_tables_rdna4 : &isa_tables_rdna3;
}

static uint32_t get_bits(const uint32_t *dw, unsigned lo, unsigned width) {
    unsigned word = lo / 32, shift = lo % 32;
    uint64_t v = dw[word];
    if (shift + width > 32) v |= (uint64_t)dw[word + 1] << 32;
    return (uint32_t)(v >> shift & ((UINT64_C(1) << width) - 1));
}

static bool arch_has(enum isa_arch arch, const struct isa_op *op) {
    return !(op->flags & ISA_OP_GFX11_5) || arch == ISA_GFX11_5;
}

static const struct isa_op *find_op(const struct isa_tables *t, enum isa_arch arch,
                                    const struct isa_format_row *row, uint32_t opcode) {
    if (opcode >> row->op_width) return NULL;
    int i = row->index[opcode];
    if (i < 0 || !arch_has(arch, &t->ops[i])) return NULL;
    return &t->ops[i];
}

/* VOP3 and VOP3SD share an encoding; the opcode tells them apart. So every row that matches is
 * tried, longest prefix first. */
static const struct isa_format_row *match(const struct isa_tables *t, enum isa_arch arch,
                                          uint32_t dw0, const struct isa_op **op) {
    for (unsigned i = 0; i < t->format_count; i++) {
        const struct isa_format_row *row = &t->formats[i];
        if ((dw0 & row->mask) != row->value) continue;
        *op = find_op(t, arch, row, dw0 >> row->op_lo & ((1u << row->op_width) - 1));
        if (*op) return row;
    }
    return NULL;
}

static const struct isa_format_row *row_of(const struct isa_tables *t, enum isa_format format) {
    for (unsigned i = 0; i < t->format_count; i++)
        if (t->formats[i].format == format) return &t->formats[i];
    return NULL;
}

static bool is_source_field(enum isa_field f) {
    switch (f) {
    case ISA_F_src0:
    case ISA_F_src1:
    case ISA_F_src2:
    case ISA_F_ssrc0:
    case ISA_F_ssrc1:
    case ISA_F_srcx0:
    case ISA_F_srcy0:
        return true;
    default:
        return false;
    }
}

/* Whether one of the operands in use asks for a literal. */
static bool wants_literal(const struct isa_inst *in, const struct isa_op *op) {
    const struct isa_operand *o = &in->tables->operands[op->first_operand];
    for (unsigned i = 0; i < op->operand_count; i++) {
        /* The rows of VOPD name the Y operands only. */
        enum isa_field f = o[i].field;
        if (is_source_field(f) && in->f[f] == ISA_SRC_LITERAL) return true;
    }
    return false;
}

static bool vopd_wants_literal(const struct isa_inst *in) {
    return in->f[ISA_F_srcx0] == ISA_SRC_LITERAL || in->f[ISA_F_srcy0] == ISA_SRC_LITERAL ||
           strstr(in->op->name, "FMAAK") || strstr(in->op->name, "FMAMK") ||
           strstr(in->op_y->name, "FMAAK") || strstr(in->op_y->name, "FMAMK");
}

static void decode_dpp(struct isa_inst *in, uint32_t dpp_dw, bool dpp16, bool vop3) {
    in->f[ISA_F_src0] = ISA_SRC_VGPR0 + (dpp_dw & 0xff);
    if (!dpp16) {
        in->dpp = 8;
        in->dpp8_sel = dpp_dw >> 8;
        return;
    }
    in->dpp = 16;
    in->dpp_ctrl = dpp_dw >> 8 & 0x1ff;
    in->dpp_fi = dpp_dw >> 18 & 1;
    in->dpp_bound_ctrl = dpp_dw >> 19 & 1;
    in->dpp_bank_mask = dpp_dw >> 24 & 0xf;
    in->dpp_row_mask = dpp_dw >> 28;
    if (!vop3) {
        in->dpp_neg = (uint8_t)((dpp_dw >> 20 & 1) | (dpp_dw >> 22 & 1) << 1);
        in->dpp_abs = (uint8_t)((dpp_dw >> 21 & 1) | (dpp_dw >> 23 & 1) << 1);
    }
}

static bool is_vector_alu(enum isa_format f) {
    return f == ISA_FMT_VOP1 || f == ISA_FMT_VOP2 || f == ISA_FMT_VOPC || f == ISA_FMT_VOP3 ||
           f == ISA_FMT_VOP3P || f == ISA_FMT_VOP3SD;
}

/* A literal or a DPP dword after the base encoding. */
static int decode_tail(struct isa_inst *in, const uint32_t *dw, unsigned avail) {
    enum isa_format fmt = in->op->format;
    bool vop3 = fmt == ISA_FMT_VOP3 || fmt == ISA_FMT_VOP3P || fmt == ISA_FMT_VOP3SD;
    uint32_t src0 = in->f[ISA_F_src0];
    bool reads_src0 = isa_inst_operand(in, ISA_F_src0) != NULL;
    bool dpp8 = src0 == ISA_SRC_DPP8 || src0 == ISA_SRC_DPP8FI, dpp16 = src0 == ISA_SRC_DPP16;
    if (is_vector_alu(fmt) && reads_src0 && (dpp8 || dpp16)) {
        if (!(in->op->flags & (dpp8 ? ISA_OP_DPP8 : ISA_OP_DPP16))) return -ISA_DECODE_BAD_FORM;
        if (in->dwords >= avail) return -ISA_DECODE_TRUNCATED;
        in->dpp_fi = src0 == ISA_SRC_DPP8FI;
        decode_dpp(in, dw[in->dwords], dpp16, vop3);
        in->dwords++;
        return wants_literal(in, in->op) ? -ISA_DECODE_BAD_FORM : 0;
    }
    bool literal = in->op->flags & ISA_OP_ONLY_LIT;
    if (fmt == ISA_FMT_VOPD)
        literal = vopd_wants_literal(in);
    else if (in->op->flags & ISA_OP_LIT && fmt != ISA_FMT_SOPK)
        literal |= wants_literal(in, in->op);
    if (!literal) return 0;
    if (in->dwords >= avail) return -ISA_DECODE_TRUNCATED;
    in->has_literal = true;
    in->literal = dw[in->dwords++];
    return 0;
}

int isa_decode(enum isa_arch arch, const uint32_t *dw, unsigned avail_dw, struct isa_inst *out) {
    if (avail_dw < 1) return -ISA_DECODE_TRUNCATED;
    const struct isa_tables *t = isa_tables_of(arch);
    memset(out, 0, sizeof *out);
    out->tables = t;
    const struct isa_format_row *row = match(t, arch, dw[0], &out->op);
    if (!row) return -ISA_DECODE_UNKNOWN;
    if (row->dwords > avail_dw) return -ISA_DECODE_TRUNCATED;
    out->dwords = row->dwords;
    uint32_t w[MAX_DWORDS + 1] = {0};
    memcpy(w, dw, row->dwords * sizeof *dw);
    for (unsigned i = 0; i < row->field_count; i++)
        out->f[row->fields[i].field] = get_bits(w, row->fields[i].lo, row->fields[i].width);
    if (row->format == ISA_FMT_VOPD) {
        /* The row was found by opy. */
        out->op_y = out->op;
        out->op = find_op(t, arch, row_of(t, ISA_FMT_VOPD), out->f[ISA_F_opx]);
        if (!out->op) return -ISA_DECODE_UNKNOWN;
    }
    if (row->format == ISA_FMT_MIMG && out->f[ISA_F_nsa]) {
        if (++out->dwords > avail_dw) return -ISA_DECODE_TRUNCATED;
        out->literal = dw[2]; /* address registers 1 to 4 */
    }
    int err = decode_tail(out, dw, avail_dw);
    return err ? err : out->dwords;
}

const struct isa_operand *isa_inst_operand(const struct isa_inst *inst, enum isa_field field) {
    const struct isa_operand *o = &inst->tables->operands[inst->op->first_operand];
    for (unsigned i = 0; i < inst->op->operand_count; i++)
        if (o[i].field == field) return &o[i];
    return NULL;
}

void isa_inst_name(const struct isa_inst *inst, char *buf, unsigned size) {
    if (inst->op_y)
        snprintf(buf, size, "%s :: %s", inst->op->name, inst->op_y->name);
    else
        snprintf(buf, size, "%s", inst->op->name);
}
