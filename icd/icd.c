/* SPDX-License-Identifier: MIT */
/* icd.c - what the library exports (icd.map): the doors that a loader knocks at (cl_khr_icd). */
#include <string.h>

#include "runtime/api.h"
#include "runtime/platform.h"

/* Functions of extensions that we offer, by the names that the extensions give them. */
static const struct {
    const char *name;
    void *function;
} extension_functions[] = {
    {"clIcdGetPlatformIDsKHR", (void *)api_clIcdGetPlatformIDsKHR},
    {"clGetPlatformInfo", (void *)api_clGetPlatformInfo},
    {"clCreateCommandQueueWithPropertiesKHR", (void *)api_clCreateCommandQueueWithProperties},
#define BY_NAME(name) {#name, (void *)api_##name},
    API_BY_NAME(BY_NAME)
#undef BY_NAME
};

CL_API_ENTRY void *CL_API_CALL api_clGetExtensionFunctionAddress(const char *name) {
    size_t n = sizeof extension_functions / sizeof extension_functions[0];

    for (size_t i = 0; name && i < n; i++)
        if (!strcmp(name, extension_functions[i].name)) return extension_functions[i].function;
    return NULL;
}

CL_API_ENTRY void *CL_API_CALL api_clGetExtensionFunctionAddressForPlatform(cl_platform_id p,
                                                                            const char *name) {
    return p == platform_get() ? api_clGetExtensionFunctionAddress(name) : NULL;
}

/* ---- exports ---- */

#define EXPORT __attribute__((visibility("default")))

EXPORT CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                              cl_platform_id *platforms,
                                                              cl_uint *num_platforms) {
    return api_clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

EXPORT CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
    return api_clGetExtensionFunctionAddress(name);
}

EXPORT CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id p,
                                                                               const char *name) {
    return api_clGetExtensionFunctionAddressForPlatform(p, name);
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p,
                                                         cl_platform_info param_name, size_t size,
                                                         void *value, size_t *size_ret) {
    return api_clGetPlatformInfo(p, param_name, size, value, size_ret);
}
