/* SPDX-License-Identifier: MIT */
/* options.h - OpenCL build options, parsed. Pure functions, used by client and worker.
 * Source: OpenCL 3.0 API specification, sections 5.8.6 (compiler options), 5.8.7 (linker options).
 */
#ifndef RAWCL_COMPILER_OPTIONS_H
#define RAWCL_COMPILER_OPTIONS_H

#include "compiler/compiler.h"

struct compiler_options {
    bool single_precision_constant, denorms_are_zero, correctly_rounded, opt_disable, mad_enable;
    bool no_signed_zeros, unsafe_math, finite_math, fast_relaxed_math, uniform_work_group_size;
    bool no_subgroup_ifp, no_warnings, warnings_are_errors, kernel_arg_info, debug;
    bool create_library, enable_link_options, strict_aliasing;
    const char *standard; /* "CL1.2": as given, or the default */
    const char **defines; /* "NAME" or "NAME=text", in order */
    size_t define_count;
    const char **includes; /* directories, in order */
    size_t include_count;
    char *storage; /* owns all strings */
};

/* Returns 0, -EINVAL with a sentence naming the option in err, or -ENOMEM. options may be NULL.
 * Free with compiler_options_free, also after a failure. */
int compiler_options_parse(const char *options, enum compiler_action action,
                           struct compiler_options *out, char *err, size_t err_size);
void compiler_options_free(struct compiler_options *o);

#endif
