/* SPDX-License-Identifier: MIT */
#include "runtime/info.h"

#include <string.h>

#include "runtime/error.h"

cl_int info_copy(size_t param_value_size, void *param_value, size_t *param_value_size_ret,
                 const void *answer, size_t size) {
    if (param_value && param_value_size < size)
        REFUSE(CL_INVALID_VALUE, "the answer takes %zu bytes, param_value_size is %zu", size,
               param_value_size);
    if (param_value && size) memcpy(param_value, answer, size);
    if (param_value_size_ret) *param_value_size_ret = size;
    return CL_SUCCESS;
}
