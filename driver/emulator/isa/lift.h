/* SPDX-License-Identifier: MIT */
/* lift.h - from GPU machine code to host machine code. For the compiler's worker process: this and
 * lift*.c are the only part of the emulator that knows LLVM. */
#ifndef RAWCL_ISA_LIFT_H
#define RAWCL_ISA_LIFT_H

#include <stddef.h>
#include <stdint.h>

#include "driver/emulator/isa/jit_abi.h"

/* What to compile, and the facts that the result is made for. */
struct lift_request {
    enum isa_arch arch;
    unsigned wave_size;  /* 32 or 64 */
    unsigned vgpr_limit; /* VGPRs allocated per work-item */
    uint32_t mode;       /* MODE of the waves; only JIT_MODE_BITS count */
    enum jit_host host;  /* the emulator's level, from isa_pick_variant()->name */
    uint64_t shared_aperture, private_aperture;
    const void *code;        /* GPU code; entries and branches stay inside */
    size_t size;             /* bytes, multiple of 4 */
    const uint32_t *entries; /* byte offsets where execution may begin; at least one */
    unsigned entry_count;
    bool keep_all;    /* tests: store each register that changed, read again or not */
    const char *dump; /* tests: file for the IR, or NULL */
};

struct lift_result {
    void *object; /* relocatable ELF object, malloc; link it with `ld.lld -shared`, nothing else */
    size_t object_size;
    unsigned instructions; /* lifted */
    unsigned blocks;       /* basic blocks reached */
    unsigned stepped;      /* instructions that compiled code asks the interpreter to run */
    unsigned left;         /* instructions that end compiled code */
    char unlifted[512];    /* mnemonics of the last two with counts, "NAME:3 NAME:1" */
    char error[256];
};

/* 0; -EINVAL: the request makes no sense, -ENOTSUP: this MODE or code is left to the interpreter,
 * -ENOMEM, -EIO: LLVM failed. `error` says why. Several threads may lift at once. */
int lift_code(const struct lift_request *rq, struct lift_result *out);
void lift_result_free(struct lift_result *r);

#endif
