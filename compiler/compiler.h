/* SPDX-License-Identifier: MIT */
/* compiler.h - the client side of the compiler: plain C, no LLVM. runtime/ includes this header.
 *
 * The work is done in a worker process (rawcl-compiler), started at the first build and kept. A
 * crash there is a failed build with a log, never a crash of the application.
 */
#ifndef RAWCL_COMPILER_H
#define RAWCL_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum compiler_action {
    COMPILER_BUILD,   /* source -> code object */
    COMPILER_COMPILE, /* source -> object (LLVM bitcode in our container) */
    COMPILER_LINK,    /* objects and libraries -> code object, or library with -create-library */
};

struct compiler_blob {
    const char
        *name; /* header name for COMPILE/BUILD (as in clCompileProgram), else for messages */
    const void *data;
    size_t size;
};

struct compiler_job {
    enum compiler_action action;
    const char *target;  /* "gfx1100" */
    bool wave64;         /* compile for wave64 */
    const char *options; /* OpenCL build options as the user gave them; may be NULL */
    const char *source;  /* BUILD, COMPILE */
    size_t source_size;
    const struct compiler_blob *headers; /* COMPILE: embedded headers */
    size_t header_count;
    const struct compiler_blob *inputs; /* LINK: objects and libraries */
    size_t input_count;
};

enum compiler_status {
    COMPILER_OK,
    COMPILER_BUILD_FAILED,    /* the program is wrong: log says how */
    COMPILER_INVALID_OPTIONS, /* the option string is wrong: log says where */
    COMPILER_CRASHED,         /* the worker died; log says so; the next job gets a new worker */
    COMPILER_UNAVAILABLE,     /* no worker can be started; log says why */
};

struct compiler_result {
    enum compiler_status status;
    void *binary; /* code object (ELF) or object; malloc'ed; NULL on failure */
    size_t binary_size;
    char *log; /* warnings and errors with the user's line numbers; malloc'ed, never NULL */
    bool from_cache;
};

/* Runs a job; blocking; thread-safe. Free the result with compiler_result_free. */
void compiler_run(const struct compiler_job *job, struct compiler_result *out);
void compiler_result_free(struct compiler_result *r);

/* Checks an option string without compiling: COMPILER_OK or COMPILER_INVALID_OPTIONS and a log. */
enum compiler_status compiler_check_options(const char *options, enum compiler_action action,
                                            char *log, size_t log_size);

/* Starts the worker ahead of the first job, without waiting, and has it practise for target. Only
 * the first call does anything. */
void compiler_warm_up(const char *target);
/* Has GPU code lifted to host code for the emulated GPU: am_options.jit_compile (driver/am.h says
 * what goes in and out). In a worker of its own, which a build never waits for; results are kept in
 * the cache. Blocking; thread-safe, one at a time. unused: anything. */
int compiler_lift(void *unused, const void *request, size_t size, bool only_cached, void **reply,
                  size_t *reply_size, char *why, size_t why_size);
/* In a forked child: forgets the workers (they are the parent's). */
void compiler_after_fork_child(void);

#endif
