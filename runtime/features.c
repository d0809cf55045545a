/* SPDX-License-Identifier: MIT */
#include "runtime/features.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "compiler/features.h"

/* Extensions that concern the API only, version 1.0.0 each; those of the language come from
 * compiler/features.h. */
static const char *const api_extensions[] = {
    "cl_khr_create_command_queue",
    "cl_khr_device_uuid",
    "cl_khr_extended_versioning",
    "cl_khr_icd",
    "cl_khr_pci_bus_info",
    "cl_khr_priority_hints",
    "cl_khr_suggested_local_work_size",
    "cl_khr_throttle_hints",
    "cl_amd_device_attribute_query",
    "cl_ext_buffer_device_address",
    "cl_intel_unified_shared_memory",
};

#define API_COUNT (sizeof api_extensions / sizeof api_extensions[0])
#define COUNT     (API_COUNT + COMPILER_EXTENSION_COUNT)

static struct {
    cl_name_version extensions[COUNT];
    cl_name_version features[COMPILER_C_FEATURE_COUNT];
    char text[COUNT * (CL_NAME_VERSION_MAX_NAME_SIZE + 1)];
} tables;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static cl_name_version row(const char *name, cl_version version) {
    cl_name_version r = {.version = version};

    strncpy(r.name, name, sizeof r.name - 1);
    return r;
}

static void tables_init(void) {
    size_t n = 0;

    for (size_t i = 0; i < API_COUNT; i++)
        tables.extensions[n++] = row(api_extensions[i], CL_MAKE_VERSION(1, 0, 0));
    for (size_t i = 0; i < COMPILER_EXTENSION_COUNT; i++)
        tables.extensions[n++] = row(compiler_extensions[i].name, compiler_extensions[i].version);
    for (size_t i = 0, at = 0; i < n; i++)
        at += (size_t)snprintf(tables.text + at, sizeof tables.text - at, "%s%s", i ? " " : "",
                               tables.extensions[i].name);
    for (size_t i = 0; i < COMPILER_C_FEATURE_COUNT; i++)
        tables.features[i] = row(compiler_c_features[i].name, compiler_c_features[i].version);
}

const char *features_extensions(void) {
    pthread_once(&tables_once, tables_init);
    return tables.text;
}

const cl_name_version *features_extension_versions(size_t *count) {
    pthread_once(&tables_once, tables_init);
    *count = COUNT;
    return tables.extensions;
}

const cl_name_version *features_c_features(size_t *count) {
    pthread_once(&tables_once, tables_init);
    *count = COMPILER_C_FEATURE_COUNT;
    return tables.features;
}

/* OpenCL C 2.0 is accepted by the compiler but not claimed: it demands images, pipes and device
 * queues. */
const cl_name_version *features_c_versions(size_t *count) {
    static const cl_name_version list[] = {{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                           {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                           {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
                                           {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"}};

    *count = sizeof list / sizeof list[0];
    return list;
}
