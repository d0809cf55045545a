/* SPDX-License-Identifier: MIT */
/* worker_args.h - from OpenCL's build options to clang's, and what is known of each target. */
#ifndef RAWCL_COMPILER_WORKER_ARGS_H
#define RAWCL_COMPILER_WORKER_ARGS_H

#include "compiler/options.h"

struct target_row {
    const char *name;
    uint32_t isa_version; /* __oclc_ISA_version */
};

/* NULL for a target that this compiler does not know. */
const struct target_row *worker_target(const char *name);

#define WORKER_TRIPLE      "amdgcn-amd-amdhsa"
#define WORKER_SOURCE      "<source>" /* the user's program in messages */
#define WORKER_INCLUDE     "/<rawcl>" /* clang's own OpenCL header, in memory */
#define WORKER_CODE_OBJECT "5"        /* code object version */
#define WORKER_ABI_VERSION 500

struct arg_list {
    const char **args;
    size_t count, capacity;
    struct arg_storage *storage; /* strings made here */
    bool failed;
};

/* The arguments of clang -cc1. directory: the application's, where relative paths start. */
void worker_args_make(struct arg_list *list, const char *target, bool wave64,
                      const struct compiler_options *options, const char *directory);
void worker_args_free(struct arg_list *list);

#endif
