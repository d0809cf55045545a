/* SPDX-License-Identifier: MIT */
/* error.h - from internal errors (0, -errno) to OpenCL's, and the trail of refused calls. */
#ifndef RAWCL_RUNTIME_ERROR_H
#define RAWCL_RUNTIME_ERROR_H

#include "runtime/api.h"

/* What an errno of the driver means at the API: -ENOMEM host memory, -ENOSPC object allocation,
 * -EIO, -ETIMEDOUT, -ENODEV out of resources; anything else: fallback. */
cl_int err_to_cl(int rc, cl_int fallback);
/* The name of an OpenCL error code. */
const char *err_name(cl_int err);
/* Logs a refused call (topic api, level debug) and returns err. */
cl_int err_refuse(cl_int err, const char *function, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* In an entry point that returns a code. */
#define REFUSE(err, ...) return err_refuse(err, __func__, __VA_ARGS__)
/* In an entry point that returns a handle and has errcode_ret. */
#define REFUSE_NULL(err, ...)                                                                      \
    do {                                                                                           \
        cl_int refuse_err = err_refuse(err, __func__, __VA_ARGS__);                                \
        if (errcode_ret) *errcode_ret = refuse_err;                                                \
        return NULL;                                                                               \
    } while (0)

#endif
