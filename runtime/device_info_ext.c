/* SPDX-License-Identifier: MIT */
/* device_info_ext.c - device queries of extensions: cl_amd_device_attribute_query,
 * cl_intel_unified_shared_memory.
 */
#include <stdlib.h>

#include "runtime/device.h"
#include "runtime/device_info.h"
#include "runtime/info.h"
#include "runtime/scheduler.h"
#include "runtime/svm.h"

#define PARAMS                                                                                     \
    cl_device_id dev, cl_device_info param_name, size_t param_value_size, void *param_value,       \
        size_t *param_value_size_ret

/* Shapes that gfx11 and gfx12 share: a compute unit has two SIMDs of 32 lanes; a work-group
 * processor's LDS (128 KiB) serves two of them ("RDNA3 Instruction Set Architecture", chapter 1).
 */
#define SIMDS_PER_CU 2u
#define SIMD_LANES   32u
#define LDS_BANKS    32u

/* "gfx1100": major 11, minor 0, stepping 0; the last two are hexadecimal digits. */
static cl_uint gfxip(cl_device_id dev, bool major) {
    unsigned long v = strtoul(dev->cand.target + 3, NULL, 16);

    return (cl_uint)(major ? (v >> 12 & 15) * 10 + (v >> 8 & 15) : v >> 4 & 15);
}

cl_int device_info_amd(PARAMS) {
    const struct am_candidate *c = &dev->cand;

    switch (param_name) {
    case CL_DEVICE_PROFILING_TIMER_OFFSET_AMD:
        INFO_VALUE(cl_ulong, 0); /* device time is CLOCK_MONOTONIC */
    case CL_DEVICE_TOPOLOGY_AMD: {
        cl_device_topology_amd t = {.raw = {0}};
        t.pcie.type = CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD;
        t.pcie.bus = (cl_char)c->pci_bus;
        t.pcie.device = (cl_char)c->pci_dev;
        t.pcie.function = (cl_char)c->pci_func;
        INFO_BYTES(&t, sizeof t);
    }
    case CL_DEVICE_BOARD_NAME_AMD:
        INFO_STRING(c->name);
    case CL_DEVICE_GLOBAL_FREE_MEMORY_AMD: { /* KiB: free, largest block */
        size_t kib = (size_t)((dev->am ? am_vram_free_bytes(dev->am) : c->vram_bytes) >> 10);
        size_t answer[2] = {kib, kib};
        INFO_BYTES(answer, sizeof answer);
    }
    case CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD:
        INFO_VALUE(cl_uint, SIMDS_PER_CU);
    case CL_DEVICE_SIMD_WIDTH_AMD:
        INFO_VALUE(cl_uint, SIMD_LANES);
    case CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD:
        INFO_VALUE(cl_uint, 1);
    case CL_DEVICE_WAVEFRONT_WIDTH_AMD:
        INFO_VALUE(cl_uint, device_wave_size());
    case CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD:
        INFO_VALUE(cl_uint, DEVICE_LDS_BYTES);
    case CL_DEVICE_LOCAL_MEM_BANKS_AMD:
        INFO_VALUE(cl_uint, LDS_BANKS);
    case CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD:
        INFO_VALUE(cl_bool, CL_FALSE);
    case CL_DEVICE_GFXIP_MAJOR_AMD:
        INFO_VALUE(cl_uint, gfxip(dev, true));
    case CL_DEVICE_GFXIP_MINOR_AMD:
        INFO_VALUE(cl_uint, gfxip(dev, false));
    case CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD:
        INFO_VALUE(cl_uint, 1);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD:
        INFO_VALUE(size_t, 256);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD:
        INFO_VALUE(size_t, DEVICE_MAX_WORK_GROUP);
    case CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD:
        INFO_VALUE(cl_ulong, 16384);
    case CL_DEVICE_PCIE_ID_AMD:
        INFO_VALUE(cl_uint, c->pci_device);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int device_info_usm(PARAMS) {
    cl_device_svm_capabilities svm = svm_capabilities(dev);
    cl_device_unified_shared_memory_capabilities_intel plain = 0, host = 0;

    if (svm) plain = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
    if (svm) host = plain | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
    if (svm & CL_DEVICE_SVM_ATOMICS)
        host |= CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
                CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
    switch (param_name) {
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
        INFO_VALUE(cl_device_unified_shared_memory_capabilities_intel, host);
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
        INFO_VALUE(cl_device_unified_shared_memory_capabilities_intel,
                   svm ? plain | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL : 0);
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
        INFO_VALUE(cl_device_unified_shared_memory_capabilities_intel, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Limits of images; all 0 where there are none, as the specification asks for. */
cl_int device_info_image(PARAMS) {
    struct am_image_limits l = {0};
    bool on = device_has_images(dev) && am_image_limits(dev->cand.target, &l) == 0;

    switch (param_name) {
    case CL_DEVICE_IMAGE_SUPPORT:
        INFO_VALUE(cl_bool, on);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
        INFO_VALUE(cl_uint, on ? 128 : 0);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
        INFO_VALUE(cl_uint, on ? 64 : 0);
    case CL_DEVICE_MAX_SAMPLERS:
        INFO_VALUE(cl_uint, on ? DEVICE_MAX_SAMPLERS : 0);
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT: /* in texels; of one byte at the worst */
        INFO_VALUE(cl_uint, l.pitch_align);
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
        INFO_VALUE(cl_uint, l.base_align);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
        INFO_VALUE(size_t, l.width);
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
        INFO_VALUE(size_t, l.height);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
        INFO_VALUE(size_t, l.width);
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
        INFO_VALUE(size_t, l.height);
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
        INFO_VALUE(size_t, l.depth);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
        INFO_VALUE(size_t, l.buffer_texels);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
        INFO_VALUE(size_t, l.layers);
    default:
        return CL_INVALID_VALUE;
    }
}
