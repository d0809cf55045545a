/* SPDX-License-Identifier: MIT */
/* device.h - OpenCL devices: one per candidate that the driver offers, for the whole process. The
 * driver's device behind it is opened (booted) by the first context and kept.
 */
#ifndef RAWCL_RUNTIME_DEVICE_H
#define RAWCL_RUNTIME_DEVICE_H

#include <pthread.h>

#include "driver/am.h"
#include "runtime/object.h"
#include "runtime/scheduler.h"
#include "runtime/staging.h"

struct descriptor_slot;

struct _cl_device_id {
    struct obj obj; /* never destroyed: root devices ignore retain and release */
    struct am_candidate cand;
    pthread_mutex_t open_lock;
    struct am_device *_Atomic am; /* NULL until a context was created */
    struct sched_device sched;
    struct staging staging;
    pthread_mutex_t descriptor_lock;
    struct descriptor_slot *descriptors; /* free ones (image.h) */
};

/* Boots the device if nobody has. CL_SUCCESS or CL_DEVICE_NOT_AVAILABLE with the reason logged and
 * in reason (may be NULL). */
cl_int device_open(cl_device_id dev, char *reason, size_t reason_size);

/* Limits that checks and queries share. */
#define DEVICE_MAX_WORK_GROUP  1024u
#define DEVICE_WAVEFRONT       32u
#define DEVICE_LDS_BYTES       65536u
#define DEVICE_MAX_PARAM_BYTES 4096u
#define DEVICE_BASE_ALIGN      256u /* CL_DEVICE_MEM_BASE_ADDR_ALIGN / 8 */
#define DEVICE_MIN_ALIGN       128u
#define DEVICE_MAX_SAMPLERS    16u
#define DEVICE_PIPE_MAX_PACKET 65536u

/* CL_DEVICE_IMAGE_SUPPORT. */
bool device_has_images(cl_device_id dev);
cl_ulong device_max_alloc(cl_device_id dev);
/* Threads in one wave for kernels that we compile: 32, or 64 with RAWCL_WAVE64=1. */
unsigned device_wave_size(void);

#endif
