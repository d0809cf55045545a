/* SPDX-License-Identifier: MIT */
#include "runtime/platform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compiler.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/features.h"
#include "runtime/info.h"
#include "runtime/log.h"
#include "runtime/scheduler.h"

static struct _cl_platform_id platform;
static pthread_once_t platform_once = PTHREAD_ONCE_INIT;
static atomic_bool orphan;

const struct obj_type obj_type_platform = {"platform", NULL};

bool platform_is_orphan(void) {
    return atomic_load_explicit(&orphan, memory_order_relaxed);
}

/* ---- fork and exit ---- */

static void before_fork(void) {
    sched_before_fork();
}

static void after_fork_parent(void) {
    sched_after_fork_parent();
}

static void after_fork_child(void) {
    sched_after_fork_child();
    compiler_after_fork_child();
    for (size_t i = 0; i < platform.device_count; i++) {
        cl_device_id dev = &platform.devices[i];
        pthread_mutex_init(&dev->open_lock, NULL);
        pthread_mutex_init(&dev->staging.lock, NULL);
        pthread_mutex_init(&dev->descriptor_lock, NULL);
        if (!dev->am) continue;
        am_abandon(dev->am);
        atomic_store(&orphan, true);
    }
}

/* A card is left in a clean state. The emulated GPU inside this process ends with it: closing it
 * would only cost time. */
static void close_devices(void) {
    bool any = false;

    for (size_t i = 0; i < platform.device_count; i++)
        any |= platform.devices[i].am && strncmp(platform.devices[i].cand.id, "emu:", 4) != 0;
    if (!any || platform_is_orphan()) return;
    atomic_store(&orphan, true); /* whoever still calls us gets errors */
    if (!sched_quiesce()) return;
    for (size_t i = 0; i < platform.device_count; i++) {
        cl_device_id dev = &platform.devices[i];
        if (dev->am && strncmp(dev->cand.id, "emu:", 4) != 0) am_close(dev->am);
    }
}

/* ---- enumeration ---- */

static void device_init(cl_device_id dev, const struct am_candidate *cand) {
    obj_init(&dev->obj, &obj_type_device);
    dev->cand = *cand;
    pthread_mutex_init(&dev->open_lock, NULL);
    pthread_mutex_init(&dev->descriptor_lock, NULL);
    atomic_init(&dev->am, NULL);
    sched_device_init(&dev->sched);
    staging_init(&dev->staging);
}

static void platform_init(void) {
    struct am_candidate *cands = NULL;
    size_t count = 0;

    obj_init(&platform.obj, &obj_type_platform);
    int rc = am_enumerate(NULL, &cands, &count);
    if (rc) {
        log_err("device", "devices cannot be enumerated: %s", strerror(-rc));
        count = 0;
    }
    platform.devices = count ? calloc(count, sizeof *platform.devices) : NULL;
    for (size_t i = 0; i < count && platform.devices; i++) {
        if (!cands[i].error[0]) device_init(&platform.devices[platform.device_count++], &cands[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (cands[i].error[0])
            log_line("device", platform.device_count ? LOG_WARN : LOG_ERROR,
                     "%s is not offered: %s", cands[i].id, cands[i].error);
    if (!platform.device_count) log_err("device", "no device can be offered");
    free(cands);
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
    atexit(close_devices);
}

cl_platform_id platform_get(void) {
    pthread_once(&platform_once, platform_init);
    return &platform;
}

/* ---- entry points ---- */

CL_API_ENTRY cl_int CL_API_CALL api_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
                                                     cl_uint *num_platforms) {
    if ((platforms && !num_entries) || (!platforms && !num_platforms))
        REFUSE(CL_INVALID_VALUE, "num_entries is 0, or nothing is asked for");
    if (platforms) platforms[0] = platform_get();
    if (num_platforms) *num_platforms = 1;
    return CL_SUCCESS;
}

cl_int api_clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                  cl_uint *num_platforms) {
    return api_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetPlatformInfo(cl_platform_id p, cl_platform_info param_name,
                                                      size_t param_value_size, void *param_value,
                                                      size_t *param_value_size_ret) {
    if (p != platform_get()) REFUSE(CL_INVALID_PLATFORM, "not our platform");
    switch (param_name) {
    case CL_PLATFORM_PROFILE:
        INFO_STRING("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        INFO_STRING(PLATFORM_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION:
        INFO_VALUE(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME:
        INFO_STRING("RawCL");
    case CL_PLATFORM_VENDOR:
        INFO_STRING("RawCL project");
    case CL_PLATFORM_EXTENSIONS:
        INFO_STRING(features_extensions());
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: {
        size_t n;
        const cl_name_version *list = features_extension_versions(&n);
        INFO_BYTES(list, n * sizeof *list);
    }
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        INFO_VALUE(cl_ulong, 1);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        INFO_STRING(PLATFORM_ICD_SUFFIX);
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetDeviceIDs(cl_platform_id p, cl_device_type device_type,
                                                   cl_uint num_entries, cl_device_id *devices,
                                                   cl_uint *num_devices) {
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;

    if (p && p != platform_get()) REFUSE(CL_INVALID_PLATFORM, "not our platform");
    if (device_type != CL_DEVICE_TYPE_ALL && (!device_type || device_type & ~known))
        REFUSE(CL_INVALID_DEVICE_TYPE, "type 0x%llx", (unsigned long long)device_type);
    if ((devices && !num_entries) || (!devices && !num_devices))
        REFUSE(CL_INVALID_VALUE, "num_entries is 0, or nothing is asked for");
    cl_platform_id mine = platform_get();
    size_t count =
        device_type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT) ? mine->device_count : 0;
    if (device_type == CL_DEVICE_TYPE_DEFAULT && count > 1) count = 1;
    if (num_devices) *num_devices = (cl_uint)count;
    if (!count)
        REFUSE(CL_DEVICE_NOT_FOUND, "no device of type 0x%llx", (unsigned long long)device_type);
    for (size_t i = 0; devices && i < count && i < num_entries; i++)
        devices[i] = &mine->devices[i];
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clUnloadPlatformCompiler(cl_platform_id p) {
    if (p != platform_get()) REFUSE(CL_INVALID_PLATFORM, "not our platform");
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clUnloadCompiler(void) {
    return CL_SUCCESS;
}
