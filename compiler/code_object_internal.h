/* SPDX-License-Identifier: MIT */
/* code_object_internal.h - between code_object.c (ELF) and code_object_metadata.c (MessagePack). */
#ifndef RAWCL_COMPILER_CODE_OBJECT_INTERNAL_H
#define RAWCL_COMPILER_CODE_OBJECT_INTERNAL_H

#include "compiler/code_object.h"

/* Zeroed memory that lives as long as the code object. NULL when out of memory or count * size is
 * unreasonable. */
void *co_alloc(struct code_object *co, size_t count, size_t size);
char *co_copy_text(struct code_object *co, const char *text, size_t size);

/* Fills kernels (descriptor_vaddr excepted) and printfs. Returns 0 or -EINVAL/-ENOMEM and why. */
int co_parse_metadata(struct code_object *co, const void *data, size_t size, char *err,
                      size_t err_size);

#endif
