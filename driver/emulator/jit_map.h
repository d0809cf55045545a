/* SPDX-License-Identifier: MIT */
/* jit_map.h - a shared object's bytes as code of this process. */
#ifndef RAWCL_EMULATOR_JIT_MAP_H
#define RAWCL_EMULATOR_JIT_MAP_H

#include <stddef.h>

struct jit_object;

struct jit_map {
    void *handle; /* of dlopen */
    const struct jit_object *object;
};

/* The bytes are copied into an anonymous file, sealed, before they are mapped: nobody can change
 * them in between. 0, or -errno with a sentence. Not to be called with a lock that somebody may
 * wait for inside a constructor of a library: dlopen waits for those. */
int jit_map_open(const void *data, size_t size, struct jit_map *out, char *why, size_t why_size);
void jit_map_close(struct jit_map *m);

#endif
