/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "runtime/device.h"
#include "runtime/device_info.h"
#include "runtime/error.h"
#include "runtime/features.h"
#include "runtime/info.h"
#include "runtime/platform.h"
#include "runtime/printf.h"
#include "runtime/svm.h"

#ifndef CL_DEVICE_PCI_BUS_INFO_KHR
#define CL_DEVICE_PCI_BUS_INFO_KHR 0x410F
#endif

#define FP_BASE                                                                                    \
    (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO |                 \
     CL_FP_ROUND_TO_INF | CL_FP_FMA)

#define PARAMS                                                                                     \
    cl_device_id dev, cl_device_info param_name, size_t param_value_size, void *param_value,       \
        size_t *param_value_size_ret
#define ARGS dev, param_name, param_value_size, param_value, param_value_size_ret

/* What no group of queries knows. */
#define NOT_MINE CL_INVALID_VALUE

/* A stable identity: what the candidate's id and target say. */
static cl_int info_uuid(PARAMS) {
    cl_uchar uuid[CL_UUID_SIZE_KHR] = {'R', 'a', 'w', 'C', 'L'};
    uint64_t hash = 1469598103934665603u; /* FNV-1a */

    (void)param_name;
    for (const char *p = dev->cand.id; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    memcpy(uuid + 8, &hash, sizeof hash);
    INFO_BYTES(uuid, sizeof uuid);
}

static cl_int info_driver_uuid(PARAMS) {
    static const cl_uchar uuid[CL_UUID_SIZE_KHR] = "RawCL " RAWCL_VERSION;

    (void)dev, (void)param_name;
    INFO_BYTES(uuid, sizeof uuid);
}

static cl_int info_identity(PARAMS) {
    const struct am_candidate *c = &dev->cand;

    switch (param_name) {
    case CL_DEVICE_TYPE:
        INFO_VALUE(cl_device_type, CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_VENDOR_ID:
        INFO_VALUE(cl_uint, c->pci_vendor ? c->pci_vendor : 0x1002);
    case CL_DEVICE_NAME:
        INFO_STRING(c->name);
    case CL_DEVICE_VENDOR:
        INFO_STRING("Advanced Micro Devices, Inc.");
    case CL_DRIVER_VERSION:
        INFO_STRING(RAWCL_VERSION);
    case CL_DEVICE_PROFILE:
        INFO_STRING("FULL_PROFILE");
    case CL_DEVICE_VERSION:
        INFO_STRING(PLATFORM_VERSION);
    case CL_DEVICE_NUMERIC_VERSION:
        INFO_VALUE(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
        INFO_VALUE(cl_version, CL_MAKE_VERSION(1, 2, 0));
    case CL_DEVICE_OPENCL_C_VERSION:
        INFO_STRING("OpenCL C 1.2 RawCL");
    case CL_DEVICE_EXTENSIONS:
        INFO_STRING(features_extensions());
    case CL_DEVICE_BUILT_IN_KERNELS:
        INFO_STRING("");
    case CL_DEVICE_IL_VERSION:
        INFO_STRING("");
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
        INFO_BYTES(NULL, 0);
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
        INFO_STRING("v0000-01-01-00");
    case CL_DEVICE_PLATFORM:
        INFO_VALUE(cl_platform_id, platform_get());
    case CL_DEVICE_PARENT_DEVICE:
        INFO_VALUE(cl_device_id, NULL);
    case CL_DEVICE_REFERENCE_COUNT:
        INFO_VALUE(cl_uint, 1);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
        INFO_VALUE(cl_bool, CL_TRUE);
    case CL_DEVICE_PCI_BUS_INFO_KHR: {
        cl_uint bus[4] = {c->pci_domain, c->pci_bus, c->pci_dev, c->pci_func};
        INFO_BYTES(bus, sizeof bus);
    }
    case CL_DEVICE_UUID_KHR:
        return info_uuid(ARGS);
    case CL_DRIVER_UUID_KHR:
        return info_driver_uuid(ARGS);
    case CL_DEVICE_LUID_VALID_KHR:
        INFO_VALUE(cl_bool, CL_FALSE);
    case CL_DEVICE_LUID_KHR: {
        static const cl_uchar none[CL_LUID_SIZE_KHR];
        INFO_BYTES(none, sizeof none);
    }
    case CL_DEVICE_NODE_MASK_KHR:
        INFO_VALUE(cl_uint, 0);
    default:
        return NOT_MINE;
    }
}

static cl_int info_lists(PARAMS) {
    size_t n;
    const cl_name_version *list;

    (void)dev;
    switch (param_name) {
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        list = features_extension_versions(&n);
        break;
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        list = features_c_versions(&n);
        break;
    case CL_DEVICE_OPENCL_C_FEATURES:
        list = features_c_features(&n);
        break;
    default:
        return NOT_MINE;
    }
    INFO_BYTES(list, n * sizeof *list);
}

static cl_int info_execution(PARAMS) {
    static const size_t items[3] = {DEVICE_MAX_WORK_GROUP, DEVICE_MAX_WORK_GROUP,
                                    DEVICE_MAX_WORK_GROUP};

    switch (param_name) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        INFO_VALUE(cl_uint, dev->cand.compute_units);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        INFO_VALUE(cl_uint, dev->cand.max_clock_mhz);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        INFO_VALUE(cl_uint, 3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        INFO_BYTES(items, sizeof items);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        INFO_VALUE(size_t, DEVICE_MAX_WORK_GROUP);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        INFO_VALUE(size_t, device_wave_size());
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
        INFO_VALUE(cl_uint, 4);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
        INFO_VALUE(cl_uint, 2);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
        INFO_VALUE(cl_uint, 1);
    case CL_DEVICE_EXECUTION_CAPABILITIES:
        INFO_VALUE(cl_device_exec_capabilities, CL_EXEC_KERNEL);
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        INFO_VALUE(cl_command_queue_properties,
                   CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
        INFO_VALUE(size_t, 10);
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
        INFO_VALUE(cl_bool, CL_TRUE);
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
        INFO_VALUE(size_t, printf_buffer_size());
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: /* the library counts them per work-item */
        INFO_VALUE(cl_uint, 16);
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
        INFO_VALUE(cl_uint, DEVICE_PIPE_MAX_PACKET);
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        INFO_VALUE(cl_uint, DEVICE_MAX_WORK_GROUP / device_wave_size());
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: /* waves are scheduled one by one */
    case CL_DEVICE_PIPE_SUPPORT:
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
        INFO_VALUE(cl_bool, CL_TRUE);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        INFO_VALUE(cl_uint, 0);
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE:
        INFO_VALUE(cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        INFO_VALUE(cl_device_affinity_domain, 0);
    default:
        return NOT_MINE;
    }
}

static cl_int info_memory(PARAMS) {
    switch (param_name) {
    case CL_DEVICE_ADDRESS_BITS:
        INFO_VALUE(cl_uint, 64);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        INFO_VALUE(cl_ulong, dev->cand.vram_bytes);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        INFO_VALUE(cl_ulong, device_max_alloc(dev));
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
        INFO_VALUE(cl_device_mem_cache_type, CL_READ_WRITE_CACHE);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        INFO_VALUE(cl_ulong, dev->cand.l2_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
        INFO_VALUE(cl_uint, 128);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        /* Constant memory is global memory: the limit is a recommendation (what caches can hold
         * many times over), as applications size tables by it. */
        INFO_VALUE(cl_ulong, 16u << 20);
    case CL_DEVICE_MAX_CONSTANT_ARGS:
        INFO_VALUE(cl_uint, 8);
    case CL_DEVICE_LOCAL_MEM_TYPE:
        INFO_VALUE(cl_device_local_mem_type, CL_LOCAL);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        INFO_VALUE(cl_ulong, DEVICE_LDS_BYTES);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        INFO_VALUE(size_t, DEVICE_MAX_PARAM_BYTES);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        INFO_VALUE(cl_uint, DEVICE_BASE_ALIGN * 8);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
        INFO_VALUE(cl_uint, DEVICE_MIN_ALIGN);
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        INFO_VALUE(cl_bool, CL_FALSE);
    case CL_DEVICE_ENDIAN_LITTLE:
        INFO_VALUE(cl_bool, CL_TRUE);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
        INFO_VALUE(size_t, 1u << 20);
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
        INFO_VALUE(size_t, 1u << 20);
    case CL_DEVICE_SVM_CAPABILITIES:
        INFO_VALUE(cl_device_svm_capabilities, svm_capabilities(dev));
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
        INFO_VALUE(cl_uint, 0);
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
        INFO_VALUE(cl_device_atomic_capabilities,
                   CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                       CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
                       CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
        INFO_VALUE(cl_device_atomic_capabilities,
                   CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                       CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
                       CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
                       CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
    default:
        return NOT_MINE;
    }
}

static cl_int info_floating_point(PARAMS) {
    (void)dev;
    switch (param_name) {
    case CL_DEVICE_SINGLE_FP_CONFIG:
        INFO_VALUE(cl_device_fp_config, FP_BASE | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
    case CL_DEVICE_HALF_FP_CONFIG:
        INFO_VALUE(cl_device_fp_config, FP_BASE);
    default:
        return NOT_MINE;
    }
}

/* Queries about features that are not offered: the values that the specification asks for then. */
static cl_int info_not_offered(PARAMS) {
    (void)dev;
    switch (param_name) {
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
        INFO_VALUE(cl_uint, 0);
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
        INFO_VALUE(cl_command_queue_properties, 0);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
        INFO_VALUE(cl_device_device_enqueue_capabilities, 0);
    default:
        return NOT_MINE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetDeviceInfo(PARAMS) {
    static cl_int (*const groups[])(PARAMS) = {
        device_info_amd,     device_info_usm, device_info_language, device_info_image,
        info_identity,       info_lists,      info_execution,       info_memory,
        info_floating_point, info_not_offered};

    if (!obj_ok(dev, &obj_type_device)) REFUSE(CL_INVALID_DEVICE, "not a device");
    /* A group answers with NOT_MINE and no size for what it does not know. */
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        size_t size = (size_t)-1;
        cl_int rc = groups[i](dev, param_name, param_value_size, param_value, &size);
        if (rc == NOT_MINE && size == (size_t)-1) {
            rc = groups[i](dev, param_name, 0, NULL, &size);
            if (rc == NOT_MINE) continue;
            return CL_INVALID_VALUE; /* known, but the place is too small */
        }
        if (param_value_size_ret) *param_value_size_ret = size;
        return rc;
    }
    REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
}
