/* SPDX-License-Identifier: MIT */
/* jit_request.h - what travels between the model's compile thread (../jit.c) and the process with
 * the lifter in it. Nobody on the way looks inside. Both ends run on one machine: host byte order.
 */
#ifndef RAWCL_ISA_JIT_REQUEST_H
#define RAWCL_ISA_JIT_REQUEST_H

#include <stdint.h>

enum { JIT_REQUEST_MAGIC = 0x714a4352, JIT_REPLY_MAGIC = 0x614a4352 };
enum { JIT_ENTRIES_MAX = 4096, JIT_CODE_BYTES_MAX = 1 << 20 };

/* Equal bytes ask for equal code: this is also the key of the cache. */
struct jit_request {
    uint32_t magic, version; /* JIT_REQUEST_MAGIC, JIT_VERSION */
    uint64_t layout;         /* jit_layout() of the model */
    uint32_t arch;           /* enum isa_arch */
    uint32_t wave_size, vgpr_limit, mode;
    uint32_t host; /* enum jit_host */
    uint32_t entry_count;
    uint64_t shared_aperture, private_aperture;
    uint64_t size; /* of the code, bytes */
    /* uint32_t entries[entry_count]: byte offsets in the code; then the code */
};

struct jit_reply {
    uint32_t magic;                               /* JIT_REPLY_MAGIC */
    uint32_t instructions, blocks, stepped, left; /* see lift.h */
    uint32_t lift_us;                             /* processor time that it took */
    uint64_t object_size;                         /* 0: this code is left to the interpreter */
    char unlifted[512];                           /* "NAME:3 NAME:1" */
    char text[256];                               /* why it is left, "" */
    /* then the shared object, which exports JIT_SYMBOL */
};

#endif
