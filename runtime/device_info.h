/* SPDX-License-Identifier: MIT */
/* device_info.h - groups of device queries; CL_INVALID_VALUE and no size for what a group does not
 * know. */
#ifndef RAWCL_RUNTIME_DEVICE_INFO_H
#define RAWCL_RUNTIME_DEVICE_INFO_H

#include "runtime/api.h"

cl_int device_info_amd(cl_device_id dev, cl_device_info param_name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret);
cl_int device_info_usm(cl_device_id dev, cl_device_info param_name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret);
cl_int device_info_image(cl_device_id dev, cl_device_info param_name, size_t param_value_size,
                         void *param_value, size_t *param_value_size_ret);
cl_int device_info_language(cl_device_id dev, cl_device_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret);

#endif
