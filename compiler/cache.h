/* SPDX-License-Identifier: MIT */
/* cache.h - results of builds on disk. Entries live in <base>/kernels and <base>/jit, directories
 * of the user's own (0700, owner verified); base is $RAWCL_CACHE_DIR, else $XDG_CACHE_HOME/rawcl,
 * else
 * ~/.cache/rawcl. RAWCL_CACHE_DIR set to "" or "off" means no cache. Safe with any number of
 * threads and processes: entries are written aside and renamed, checksummed, and verified.
 */
#ifndef RAWCL_COMPILER_CACHE_H
#define RAWCL_COMPILER_CACHE_H

#include "compiler/wire.h"

#define CACHE_SIZE_MAX (1ull << 30) /* bytes a part; beyond it the entries longest unused go */

/* Each part has a directory and a limit of its own. */
enum cache_part { CACHE_KERNELS, CACHE_JIT };

struct cache_key {
    uint64_t hash[2];
};

/* A hash of everything that decides the output, text of included files apart: the entry lists
 * those with their hashes, and a hit is one only while they are unchanged. */
struct cache_key cache_make_key(const void *data, size_t size);

/* Fills out and returns true on a hit; the caller frees it with wire_result_free. */
bool cache_lookup(enum cache_part part, const struct cache_key *key, struct wire_result *out);
/* Failures are silent: the next build does the work again. */
void cache_store(enum cache_part part, const struct cache_key *key,
                 const struct wire_result *result);
/* Removes the entries longest unused until the rest fits; cache_store calls it now and then. */
void cache_trim(enum cache_part part, uint64_t size_max);

#endif
