/* SPDX-License-Identifier: MIT */
/* worker_build.h - one job inside the worker. Single-threaded. */
#ifndef RAWCL_COMPILER_WORKER_BUILD_H
#define RAWCL_COMPILER_WORKER_BUILD_H

#include "compiler/wire.h"

/* Once: registers the back end and maps the prepared device library. Returns 0, or -errno and a
 * sentence in err. */
int worker_build_setup(const char *library_path, char *err, size_t err_size);
/* Runs a job. Fills all of result; the caller frees it. */
void worker_build_run(const struct wire_job *job, struct wire_result *result);
/* Disassembles the text of a code object. */
void worker_build_disassemble(const char *target, const void *data, size_t size,
                              struct wire_result *result);

/* The log of the job that runs now, for the fatal error handler. Empty text when none runs. */
char *worker_build_take_log(void);

#endif
