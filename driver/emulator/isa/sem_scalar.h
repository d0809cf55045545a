/* SPDX-License-Identifier: MIT */
/* sem_scalar.h - what a scalar ALU instruction computes. Values in, value out; operand widths and
 * the destination are the caller's business. */
#ifndef RAWCL_SEM_SCALAR_H
#define RAWCL_SEM_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

struct sem_senv {
    uint32_t scc;  /* in and out */
    bool no_write; /* out: leave the destination as it is (s_cmov) */
    uint64_t dst;  /* old destination, for SEM_S_READS_DST */
    uint64_t exec; /* in and out, for SEM_S_EXEC; as wide as the instruction */
};

enum {
    SEM_S_READS_DST = 1,
    SEM_S_EXEC = 2,
    SEM_S_SEXT64 = 4, /* a 32-bit literal is sign-extended to 64 bits (signed operands) */
    SEM_S_SIMM = 8 /* src1 is simm16, sign-extended (SOPK) */,
    SEM_S_UIMM = 16 /* src1 is simm16, zero-extended */,
    SEM_S_DST_SRC = 32 /* src0 is the destination register (SOPK compares, s_addk) */
};

#endif
