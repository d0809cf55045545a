/* SPDX-License-Identifier: MIT */
/* library.h - the prepared device library, one file: many small bitcode modules (shards) and an
 * index from every name to the shard that defines it. prepare.c writes it, library.c reads it.
 * A build loads the few shards that it needs; the whole as one module takes 30 ms for each build.
 *
 * Layout, little-endian: header; names sorted by strcmp; shards; texts and bitcode.
 */
#ifndef RAWCL_COMPILER_LIBRARY_H
#define RAWCL_COMPILER_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#define LIBRARY_MAGIC 0x314c4352u /* "RCL1" */

struct library_header {
    uint32_t magic, name_count, shard_count, reserved;
};

struct library_name {
    uint32_t text; /* offset in the file of a NUL-terminated text */
    uint32_t shard;
};

struct library_shard {
    uint32_t offset, size; /* bitcode, in the file; the offset is a multiple of 4 */
};

struct library {
    const uint8_t *data; /* mapped */
    size_t size;
    const struct library_header *header;
    const struct library_name *names;
    const struct library_shard *shards;
};

/* Maps and checks a file. Returns 0 or -errno. It stays mapped while the process lives. */
int library_open(const char *path, struct library *out);
/* The shard that defines name, or -1. */
int library_find(const struct library *library, const char *name);

#endif
