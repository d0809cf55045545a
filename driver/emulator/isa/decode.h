/* SPDX-License-Identifier: MIT */
/* decode.h - from instruction words to named fields, for all three architectures. */
#ifndef RAWCL_ISA_DECODE_H
#define RAWCL_ISA_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/emulator/isa/isa.h"
#include "driver/emulator/isa/decode_gen.h" /* enum isa_format, isa_field, isa_data, isa_kind */

/* Flags of an opcode: which variants of its encoding exist. */
enum {
    ISA_OP_LIT = 1,       /* a 32-bit literal may follow */
    ISA_OP_DPP16 = 2,     /* src0 = 250: a DPP16 dword follows */
    ISA_OP_DPP8 = 4,      /* src0 = 233 or 234: a DPP8 dword follows */
    ISA_OP_SDST = 8,      /* the VGPR destination field names an SGPR */
    ISA_OP_ONLY_LIT = 16, /* a literal always follows (v_fmaak, s_setreg_imm32) */
    ISA_OP_GFX11_5 = 32   /* absent from gfx11.0 */
};

/* Source operand codes (AMD RDNA3/RDNA4 ISA guides, "Scalar operands"). */
enum {
    ISA_SRC_VCC_LO = 106,
    ISA_SRC_TTMP0 = 108,
    ISA_SRC_NULL = 124,
    ISA_SRC_M0 = 125,
    ISA_SRC_EXEC_LO = 126,
    ISA_SRC_EXEC_HI = 127,
    ISA_SRC_INT0 = 128,
    ISA_SRC_DPP8 = 233,
    ISA_SRC_DPP8FI = 234,
    ISA_SRC_SHARED_BASE = 235,
    ISA_SRC_SHARED_LIMIT = 236,
    ISA_SRC_PRIVATE_BASE = 237,
    ISA_SRC_PRIVATE_LIMIT = 238,
    ISA_SRC_FLOAT0 = 240,
    ISA_SRC_DPP16 = 250,
    ISA_SRC_SCC = 253,
    ISA_SRC_LITERAL = 255,
    ISA_SRC_VGPR0 = 256
};

struct isa_operand {
    uint8_t field; /* enum isa_field */
    uint8_t data;  /* enum isa_data */
    uint8_t kind;  /* enum isa_kind */
    uint16_t bits; /* width */
};

struct isa_op {
    const char *name; /* AMD's mnemonic without _E32/_E64 */
    uint8_t format;   /* enum isa_format */
    uint16_t opcode;
    uint8_t flags;
    uint8_t operand_count;
    uint16_t first_operand; /* into isa_tables.operands */
};

struct isa_field_pos {
    uint8_t field, lo, width;
};

struct isa_format_row {
    uint8_t format, dwords;
    uint32_t mask, value; /* fixed bits of the first dword */
    uint8_t op_lo, op_width, field_count;
    const struct isa_field_pos *fields;
    const int16_t *index; /* opcode -> isa_tables.ops, -1: none */
};

struct isa_tables {
    const struct isa_format_row *formats; /* longest fixed prefix first */
    unsigned format_count;
    const struct isa_op *ops; /* sorted by format name, opcode */
    unsigned op_count;
    const struct isa_operand *operands;
};

extern const struct isa_tables isa_tables_rdna3, isa_tables_rdna4;
const struct isa_tables *isa_tables_of(enum isa_arch arch);

enum isa_decode_error {
    ISA_DECODE_OK,
    ISA_DECODE_UNKNOWN,   /* no encoding or no opcode matches */
    ISA_DECODE_TRUNCATED, /* more dwords are needed than are there */
    ISA_DECODE_BAD_FORM   /* a variant that this opcode does not have */
};

struct isa_inst {
    const struct isa_tables *tables;
    const struct isa_op *op;   /* the X half of a VOPD */
    const struct isa_op *op_y; /* VOPD only, else NULL */
    uint8_t dwords;            /* length of the whole instruction, at most 5 */
    uint8_t dpp;               /* 0, 8 or 16 */
    bool dpp_fi;               /* DPP: fetch from inactive lanes too */
    bool has_literal;
    uint32_t literal;  /* MIMG with NSA: its third dword */
    uint32_t dpp8_sel; /* eight 3-bit lane selectors */
    uint16_t dpp_ctrl; /* DPP16 control, 9 bits */
    bool dpp_bound_ctrl;
    uint8_t dpp_row_mask, dpp_bank_mask;
    uint8_t dpp_neg, dpp_abs; /* modifiers held in a DPP16 dword of VOP1/VOP2/VOPC, bit n = src n */
    uint32_t f[ISA_F_COUNT];  /* fields by name; absent ones are 0 */
};

/* Decodes the instruction at dw, of which avail_dw dwords may be read. Returns its length in dwords
 * (1..5) and fills *out, or the negative of an enum isa_decode_error. */
int isa_decode(enum isa_arch arch, const uint32_t *dw, unsigned avail_dw, struct isa_inst *out);

/* "V_ADD_F32", "V_DUAL_MUL_F32 :: V_DUAL_MOV_B32": what messages call the instruction. */
void isa_inst_name(const struct isa_inst *inst, char *buf, unsigned size);

/* Operand of that field, or NULL. */
const struct isa_operand *isa_inst_operand(const struct isa_inst *inst, enum isa_field field);

#endif
