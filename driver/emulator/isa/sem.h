/* sem.h - what an instruction computes: small C functions, lanes in, lanes out, written once.
 *
 * A vector function sees one dword of each of 32 lanes as a vu32 (a wave64 is run as two halves).
 * An operand of n dwords is n consecutive vu32. Everything that belongs to a format, not to an
 * instruction, is done by the caller before and after: source fetch, literals, neg/abs, op_sel and
 * true16 halves, SDWA-free DPP permutes, clamp, omod, EXEC masking of the result, VOPD pairing.
 * The functions have no loop over a variable, no variable index and no memory access, so that the
 * same bodies can be cloned by the lifter.
 */
#ifndef RAWCL_SEM_H
#define RAWCL_SEM_H

#include <stdbool.h>
#include <stdint.h>

/* The sem_valu_*.c files are compiled once per host level; SEM_SUFFIX (for example _avx2) keeps the
 * copies apart. Undefined: no suffix. */
#define SEM_CAT2(x, y) x##y
#define SEM_CAT(x, y)  SEM_CAT2(x, y)
#ifdef SEM_SUFFIX
#define SEM_SYM(x) SEM_CAT(x, SEM_SUFFIX)
#else
#define SEM_SYM(x) x
#endif

typedef uint32_t vu32 __attribute__((vector_size(128)));
typedef int32_t vi32 __attribute__((vector_size(128)));
typedef float vf32 __attribute__((vector_size(128)));

/* MODE as it matters to arithmetic (hwreg MODE: round 3:0, denorm 7:4, DX10_CLAMP 8, IEEE 9). */
struct sem_mode {
    uint8_t round32, round64_16;   /* 0 nearest even, 1 +inf, 2 -inf, 3 zero */
    uint8_t denorm32, denorm64_16; /* bit 0: keep input denormals, bit 1: keep output denormals */
    bool dx10_clamp, ieee;
};

/* Per-call environment of a vector function. */
struct sem_env {
    struct sem_mode mode;
    uint32_t exec;     /* lanes of this half that are on */
    uint32_t mask_in;  /* carry-in or select mask: one bit a lane (VCC or the SGPR source) */
    uint32_t mask_out; /* carry-out or compare result, one bit a lane; set by the function */
    uint32_t mods;     /* SEM_NEG/ABS bits that the caller could not apply: packed (VOP3P) ones */
    uint8_t op_sel, op_sel_hi, neg, neg_hi; /* VOP3P; and op_sel of VOP3 for 16-bit dst */
    uint8_t wave64_half;                    /* 0 or 1 */
    uint8_t cmod; /* clamp bit, for integer saturation inside the function */
};

/* d: result dwords; a, b, c: sources (unused ones may be NULL). For instructions that read their
 * destination (v_fmac, v_dot2c, v_mov_b16 halves) c holds it. */
typedef void sem_vfn(vu32 *d, const vu32 *a, const vu32 *b, const vu32 *c, struct sem_env *e);

/* How the caller treats an operand: what neg/abs/clamp/omod/inline constants mean. */
enum sem_type {
    SEM_NONE,
    SEM_B32,
    SEM_U32,
    SEM_I32,
    SEM_F32,
    SEM_B16,
    SEM_U16,
    SEM_I16,
    SEM_F16,
    SEM_BF16,
    SEM_B64,
    SEM_U64,
    SEM_I64,
    SEM_F64,
    SEM_PK16 /* VOP3P halves: u16/i16 */,
    SEM_PKF16,
    SEM_PKF32,
    SEM_B8X4,
    SEM_B96,
    SEM_B128,
    SEM_B256,
    SEM_MASK
};

enum {
    SEM_READS_DST = 1,
    SEM_CARRY_IN = 2,
    SEM_CARRY_OUT = 4,
    SEM_COMPARE = 8, /* writes a mask */
    SEM_CMPX = 16 /* writes EXEC */,
    SEM_CLAMP_INT = 32 /* honours e->cmod itself */,
    SEM_SCALAR_DST = 64 /* v_readlane, v_readfirstlane: d[0][0] goes to an SGPR */,
    SEM_OPSEL_SELF = 128,  /* the function reads op_sel itself */
    SEM_DST_HI16 = 256,    /* the 16-bit result goes to the upper half (v_fma_mixhi_f16) */
    SEM_DST_IN_D = 512,    /* d holds the old destination on entry (v_swmmac: c is the index) */
    SEM_WAVE32_ONLY = 1024 /* v_wmma, v_swmmac: defined here for wave32 */
};

/* One row per instruction; the mnemonic is AMD's, as in the decode tables without _E32/_E64
 * ("V_ADD_F32"). The same row serves VOP2, VOP3, VOPD ("V_DUAL_x" is "V_x"), DPP forms. Rows are
 * sorted by name (strcmp).
 *
 * Conventions:
 * - Sources come in assembly order: V_FMAMK: a = src0, b = the literal, c = vsrc1; V_FMAAK: a, b,
 * then the literal. VOP3P packed rows (SEM_PK16, SEM_PKF16 sources without SEM_OPSEL_SELF): the
 * caller applies op_sel, op_sel_hi and, for SEM_PKF16, neg and neg_hi. With SEM_OPSEL_SELF
 * (v_fma_mix*, v_dot*iu*, v_wmma*, fp8 conversions) the function reads e->op_sel, op_sel_hi, neg,
 * neg_hi.
 * - 16-bit results are in the low half, the upper half is zero; the upper halves of 16-bit sources
 *   are ignored. The caller merges.
 * - SEM_CARRY_IN: e->mask_in is VCC or the SGPR source (v_cndmask, v_div_fmas, v_add_co_ci ...).
 * - Where gfx12 gives a mnemonic another register layout (v_wmma*, v_swmmac*), its row is named
 *   "<mnemonic>_GFX12"; look that up first on gfx12. */
struct sem_vrow {
    const char *name;
    sem_vfn *fn;
    uint8_t dst, src0, src1, src2; /* enum sem_type */
    uint16_t flags;
};
extern const struct sem_vrow SEM_SYM(sem_valu_rows)[];
extern const unsigned SEM_SYM(sem_valu_row_count);
const struct sem_vrow *SEM_SYM(sem_find_valu)(const char *name); /* NULL: none */

#endif
