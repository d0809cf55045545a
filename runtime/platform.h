/* SPDX-License-Identifier: MIT */
/* platform.h - the one platform, its devices, and the life of the process: fork and exit. */
#ifndef RAWCL_RUNTIME_PLATFORM_H
#define RAWCL_RUNTIME_PLATFORM_H

#include "runtime/object.h"

struct _cl_platform_id {
    struct obj obj;
    size_t device_count;
    struct _cl_device_id *devices; /* offered devices only */
};

/* The platform; enumerates devices the first time. Thread-safe. */
cl_platform_id platform_get(void);
/* True in a child that was forked after a device had been opened, and when devices were closed at
 * exit: objects only give errors then. */
bool platform_is_orphan(void);

/* clGetExtensionFunctionAddress and the FOR_PLATFORM version; defined in icd/. */
void *platform_extension_address(const char *name);

#define PLATFORM_VERSION    "OpenCL 3.0 RawCL " RAWCL_VERSION
#define PLATFORM_ICD_SUFFIX "RAWCL"

#endif
