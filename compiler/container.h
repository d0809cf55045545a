/* SPDX-License-Identifier: MIT */
/* container.h - what COMPILE makes and LINK reads: a header and LLVM bitcode. Untrusted when read:
 * applications store these with clGetProgramInfo and hand them back.
 */
#ifndef RAWCL_COMPILER_CONTAINER_H
#define RAWCL_COMPILER_CONTAINER_H

#include "compiler/code_object.h"

/* A symbol of code objects that have variables in global memory: 64 bits, their size in bytes. */
#define CO_GLOBAL_VARIABLE_SIZE_SYMBOL "__rawcl_global_variable_size"

/* How the sources were compiled, as far as linking must know. */
enum {
    CONTAINER_WAVE64 = 1,
    CONTAINER_OPT_DISABLE = 2,
    CONTAINER_DENORMS_ARE_ZERO = 4,
    CONTAINER_CORRECTLY_ROUNDED = 8,
    CONTAINER_UNSAFE_MATH = 16,
    CONTAINER_FINITE_MATH = 32,
};

struct container_header {
    char magic[8];
    uint32_t version, kind; /* enum co_kind */
    char target[16];        /* NUL padded */
    uint32_t flags, reserved;
    uint64_t size;    /* of the bitcode that follows, bytes */
    uint64_t hash[2]; /* XXH3, 128 bits: header with this field zero, then bitcode */
};

void container_fill(struct container_header *out, enum co_kind kind, const char *target,
                    uint32_t flags, const void *bitcode, size_t size);
/* Checks everything. Returns 0 and the header and the bitcode inside data, or -EINVAL and why. */
int container_open(const void *data, size_t size, struct container_header *header,
                   const void **bitcode, size_t *bitcode_size, const char **why);
/* Header only, for identification: CO_OBJECT, CO_LIBRARY or CO_INVALID. */
enum co_kind container_identify(const void *data, size_t size, char target[16]);

#endif
