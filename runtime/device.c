/* SPDX-License-Identifier: MIT */
#include "runtime/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compiler.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "runtime/platform.h"

const struct obj_type obj_type_device = {"device", NULL};

static void am_log_line(void *ctx, enum am_log_level level, const char *topic, const char *line) {
    (void)ctx;
    log_line(topic, (enum log_level)level, "%s", line);
}

cl_int device_open(cl_device_id dev, char *reason, size_t reason_size) {
    char why[512] = "";
    struct am_options opt = {.log = am_log_line, .jit_compile = compiler_lift};
    struct am_device *am = NULL;

    if (platform_is_orphan()) {
        snprintf(why, sizeof why, "the process was forked after the device had been opened");
    } else if (!dev->am) {
        pthread_mutex_lock(&dev->open_lock);
        if (!dev->am) {
            int rc = am_open(dev->cand.id, &opt, &am, why, sizeof why);
            if (!rc) {
                dev->am = am;
                compiler_warm_up(dev->cand.target);
            } else if (!why[0]) {
                snprintf(why, sizeof why, "%s", strerror(-rc));
            }
        }
        pthread_mutex_unlock(&dev->open_lock);
    }
    if (dev->am && !platform_is_orphan()) return CL_SUCCESS;
    log_err("device", "%s cannot be opened: %s", dev->cand.id, why);
    if (reason) snprintf(reason, reason_size, "%s cannot be opened: %s", dev->cand.id, why);
    return CL_DEVICE_NOT_AVAILABLE;
}

cl_ulong device_max_alloc(cl_device_id dev) {
    cl_ulong quarter = dev->cand.vram_bytes / 4, floor = 128u << 20;

    if (quarter < floor) quarter = dev->cand.vram_bytes < floor ? dev->cand.vram_bytes : floor;
    return quarter & ~(cl_ulong)4095;
}

bool device_has_images(cl_device_id dev) {
    struct am_image_limits limits;

    return RAWCL_IMAGES && am_image_limits(dev->cand.target, &limits) == 0;
}

unsigned device_wave_size(void) {
    const char *w = getenv("RAWCL_WAVE64");

    return w && !strcmp(w, "1") ? 64 : DEVICE_WAVEFRONT;
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainDevice(cl_device_id device) {
    if (!obj_ok(device, &obj_type_device)) REFUSE(CL_INVALID_DEVICE, "not a device");
    return CL_SUCCESS; /* a root device */
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseDevice(cl_device_id device) {
    if (!obj_ok(device, &obj_type_device)) REFUSE(CL_INVALID_DEVICE, "not a device");
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clCreateSubDevices(cl_device_id in_device,
                                                       const cl_device_partition_property *props,
                                                       cl_uint num_devices,
                                                       cl_device_id *out_devices,
                                                       cl_uint *num_devices_ret) {
    (void)num_devices, (void)out_devices, (void)num_devices_ret;
    if (!obj_ok(in_device, &obj_type_device)) REFUSE(CL_INVALID_DEVICE, "not a device");
    REFUSE(CL_INVALID_VALUE, "devices cannot be partitioned (property 0x%llx)",
           props ? (unsigned long long)props[0] : 0ull);
}

/* Device time is CLOCK_MONOTONIC as the driver relates it to the GPU clock; before the device is
 * open there is no GPU clock, and both times are the host's. */
CL_API_ENTRY cl_int CL_API_CALL api_clGetDeviceAndHostTimer(cl_device_id device,
                                                            cl_ulong *device_timestamp,
                                                            cl_ulong *host_timestamp) {
    if (!obj_ok(device, &obj_type_device)) REFUSE(CL_INVALID_DEVICE, "not a device");
    if (!device_timestamp || !host_timestamp) REFUSE(CL_INVALID_VALUE, "a result is NULL");
    uint64_t gpu = 0;
    *host_timestamp = sched_now_ns();
    if (device->am && am_gpu_clock(device->am, &gpu)) return CL_OUT_OF_RESOURCES;
    *device_timestamp = device->am ? gpu : *host_timestamp;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp) {
    if (!obj_ok(device, &obj_type_device)) REFUSE(CL_INVALID_DEVICE, "not a device");
    if (!host_timestamp) REFUSE(CL_INVALID_VALUE, "host_timestamp is NULL");
    *host_timestamp = sched_now_ns();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetDefaultDeviceCommandQueue(cl_context context,
                                                                   cl_device_id device,
                                                                   cl_command_queue queue) {
    (void)queue;
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    if (!obj_ok(device, &obj_type_device)) REFUSE(CL_INVALID_DEVICE, "not a device");
    REFUSE(CL_INVALID_OPERATION, "there are no on-device queues");
}
