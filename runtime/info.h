/* SPDX-License-Identifier: MIT */
/* info.h - the size protocol of every clGet*Info, once.
 *
 * The macros expect the parameters of a query under the names that the specification gives them:
 * param_value_size, param_value, param_value_size_ret.
 */
#ifndef RAWCL_RUNTIME_INFO_H
#define RAWCL_RUNTIME_INFO_H

#include <string.h>

#include "runtime/api.h"

/* Copies size bytes of the answer when there is a place for it. CL_INVALID_VALUE: the place is too
 * small. */
cl_int info_copy(size_t param_value_size, void *param_value, size_t *param_value_size_ret,
                 const void *answer, size_t size);

#define INFO_BYTES(answer, size)                                                                   \
    return info_copy(param_value_size, param_value, param_value_size_ret, answer, size)
#define INFO_VALUE(type, expr)                                                                     \
    do {                                                                                           \
        type info_value = (expr);                                                                  \
        INFO_BYTES(&info_value, sizeof info_value);                                                \
    } while (0)
#define INFO_STRING(expr)                                                                          \
    do {                                                                                           \
        const char *info_string = (expr);                                                          \
        INFO_BYTES(info_string, strlen(info_string) + 1);                                          \
    } while (0)

#endif
