/* SPDX-License-Identifier: MIT */
/* worker_llvm.h - the few things that have no C interface: clang's front end, linking only what is
 * needed, lld, demangling. Implemented in worker_llvm.cpp; no C++ type crosses this header.
 */
#ifndef RAWCL_COMPILER_WORKER_LLVM_H
#define RAWCL_COMPILER_WORKER_LLVM_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct llvm_file {
    const char *name; /* absolute, in the in-memory file system laid over the real one */
    const char *data; /* data[size] is 0 */
    size_t size;
};

struct llvm_frontend_job {
    const char *const *args; /* of clang -cc1 */
    size_t arg_count;
    const struct llvm_file *files;
    size_t file_count;
    void (*log)(void *user, const char *text, size_t size);
    void (*dependency)(void *user, const char *path); /* a real file was read */
    /* A kernel whose source bounds its work-group size (amdgpu_flat_work_group_size). */
    void (*bounded_kernel)(void *user, const char *name);
    void *user;
};

/* Runs the front end. Returns a module in ctx that the caller owns, NULL after an error. */
LLVMModuleRef llvm_frontend(LLVMContextRef ctx, const struct llvm_frontend_job *job);

/* Links into `into` what it needs of each library; they are consumed. Returns false on conflict;
 * the context's diagnostic handler has the message. */
bool llvm_link_needed(LLVMModuleRef into, LLVMModuleRef *libraries, size_t count);

/* Runs ld.lld. *again is false when lld must not be called again in this process. */
bool llvm_lld(const char *const *args, size_t count,
              void (*log)(void *user, const char *text, size_t size), void *user, bool *again);

/* "foo(int)" for "_Z3fooi"; malloc'ed. */
char *llvm_demangle(const char *name);

#ifdef __cplusplus
}
#endif
#endif
