/* SPDX-License-Identifier: MIT */
/* prepare_split.h - takes a module apart; moving functions between modules has no C interface. */
#ifndef RAWCL_COMPILER_PREPARE_SPLIT_H
#define RAWCL_COMPILER_PREPARE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called once for each shard, with the names that it defines. */
typedef void (*prepare_shard_fn)(void *user, const char *bitcode, size_t size,
                                 const char *const *names, size_t count);

/* Empties module. All overloads of a function share a shard; what was private to the module gets
 * a name of its own and weak linkage. Returns false if a shard is not valid IR. */
bool prepare_split(LLVMModuleRef module, prepare_shard_fn shard, void *user);

#ifdef __cplusplus
}
#endif
#endif
