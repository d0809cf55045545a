/* SPDX-License-Identifier: MIT */
/* mem_ops.h - what vector memory and LDS instructions do to memory, by the part of their name that
 * all address spaces share ("LOAD_U8", "ATOMIC_ADD_U32"). */
#ifndef RAWCL_ISA_MEM_OPS_H
#define RAWCL_ISA_MEM_OPS_H

#include <stdbool.h>
#include <stdint.h>

enum mem_kind { MEM_LOAD, MEM_STORE, MEM_ATOMIC };

/* How a loaded value meets its register, a stored one leaves it. */
enum mem_ext {
    MEM_PLAIN,
    MEM_U8,
    MEM_I8,
    MEM_U16,
    MEM_I16,
    MEM_D16_U8, /* into the low half, the high one stays */
    MEM_D16_I8,
    MEM_D16_B16,
    MEM_D16_HI_U8,
    MEM_D16_HI_I8,
    MEM_D16_HI_B16 /* store: from the high half */
};

enum mem_atomic {
    ATOMIC_SWAP,
    ATOMIC_CMPSWAP,
    ATOMIC_CMPSWAP_F,
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_RSUB,
    ATOMIC_SUB_CLAMP,
    ATOMIC_COND_SUB,
    ATOMIC_MIN_I,
    ATOMIC_MIN_U,
    ATOMIC_MAX_I,
    ATOMIC_MAX_U,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_MSKOR,
    ATOMIC_WRAP,
    ATOMIC_MIN_F,
    ATOMIC_MAX_F,
    ATOMIC_MIN_NUM_F,
    ATOMIC_MAX_NUM_F,
    ATOMIC_ADD_F,
    ATOMIC_PK_ADD_F16,
    ATOMIC_PK_ADD_BF16
};

struct mem_op {
    const char *name;
    uint8_t kind, size, ext;
    uint8_t atomic;
    uint8_t operands; /* data values of `size` bytes that it takes: 1, 2 for compare and swap */
};

/* Loads, stores and "ATOMIC_x" of FLAT, GLOBAL, SCRATCH and buffers; NULL: not one of them. */
const struct mem_op *mem_op_find(const char *name);
/* Atomics of DS by name without "DS_" and "RTN_" ("ADD_U32", "CMPSTORE_B64"). */
const struct mem_op *mem_op_find_lds(const char *name);

/* New memory value: old is what memory holds, a the first operand, b the second. */
uint64_t mem_atomic_value(enum mem_atomic op, unsigned size, uint64_t old, uint64_t a, uint64_t b);
/* Does it on host memory, atomically; returns the old value. p is aligned to size. */
uint64_t mem_atomic_host(enum mem_atomic op, unsigned size, void *p, uint64_t a, uint64_t b);

#endif
