/* SPDX-License-Identifier: MIT */
/* features.h - what the platform and its devices offer beyond the core, in one place. */
#ifndef RAWCL_RUNTIME_FEATURES_H
#define RAWCL_RUNTIME_FEATURES_H

#include <stddef.h>

#include "runtime/api.h"

/* Extension names separated by spaces; the same for the platform and for every device. */
const char *features_extensions(void);
const cl_name_version *features_extension_versions(size_t *count);
/* CL_DEVICE_OPENCL_C_ALL_VERSIONS and CL_DEVICE_OPENCL_C_FEATURES. */
const cl_name_version *features_c_versions(size_t *count);
const cl_name_version *features_c_features(size_t *count);

#endif
