/* SPDX-License-Identifier: MIT */
/* jit_code.h - which bytes of memory are the code that a piece of it reaches by branching. Pure. */
#ifndef RAWCL_EMULATOR_JIT_CODE_H
#define RAWCL_EMULATOR_JIT_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "driver/emulator/isa/isa.h"

enum { JIT_CALLS_MAX = 64 };

/* What begins at one entry and stays in one function: branches are followed, calls are not. */
struct jit_extent {
    size_t lo, hi; /* bytes in the window: [lo, hi) holds every instruction found */
    unsigned instructions;
    unsigned calls;             /* at most JIT_CALLS_MAX are listed */
    size_t call[JIT_CALLS_MAX]; /* where functions that it calls, or far branches, begin */
};

/* window: the memory around, size bytes (a multiple of 4); entry: an offset in it. What lies
 * outside of the window, or does not decode, is left out: the interpreter says what is wrong with
 * it when it gets there. 0; -ENOEXEC: not one instruction; -ENOMEM. */
int jit_code_extent(enum isa_arch arch, const uint8_t *window, size_t size, size_t entry,
                    struct jit_extent *out);

#endif
