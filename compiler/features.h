/* SPDX-License-Identifier: MIT */
/* features.h - the language extensions and optional features of OpenCL C that compiler, libraries
 * and runtime all support: the compiler turns on these and no others, the device queries report
 * them. Versions are CL_MAKE_VERSION values (major << 22 | minor << 12 | patch). Extensions that
 * concern the API only are the runtime's own business.
 */
#ifndef RAWCL_COMPILER_FEATURES_H
#define RAWCL_COMPILER_FEATURES_H

#include <stdint.h>

struct compiler_feature {
    const char *name;
    uint32_t version;
};

#define RAWCL_VERSION_1_0 (1u << 22)
#define RAWCL_VERSION_2_0 (2u << 22)
#define RAWCL_VERSION_3_0 (3u << 22)

/* CL_DEVICE_EXTENSIONS: those with a meaning in the language. */
static const struct compiler_feature compiler_extensions[] = {
    {"cl_khr_byte_addressable_store", RAWCL_VERSION_1_0},
    {"cl_khr_global_int32_base_atomics", RAWCL_VERSION_1_0},
    {"cl_khr_global_int32_extended_atomics", RAWCL_VERSION_1_0},
    {"cl_khr_local_int32_base_atomics", RAWCL_VERSION_1_0},
    {"cl_khr_local_int32_extended_atomics", RAWCL_VERSION_1_0},
    {"cl_khr_int64_base_atomics", RAWCL_VERSION_1_0},
    {"cl_khr_int64_extended_atomics", RAWCL_VERSION_1_0},
    {"cl_khr_fp64", RAWCL_VERSION_1_0},
    {"cl_khr_fp16", RAWCL_VERSION_1_0},
    {"cl_khr_extended_bit_ops", RAWCL_VERSION_1_0},
    {"cl_khr_integer_dot_product", RAWCL_VERSION_2_0},
    {"cl_khr_kernel_clock", RAWCL_VERSION_1_0},
    {"cl_khr_subgroups", RAWCL_VERSION_1_0},
    {"cl_khr_subgroup_ballot", RAWCL_VERSION_1_0},
    {"cl_khr_subgroup_clustered_reduce", RAWCL_VERSION_1_0},
    {"cl_khr_subgroup_extended_types", RAWCL_VERSION_1_0},
    {"cl_khr_subgroup_non_uniform_arithmetic", RAWCL_VERSION_1_0},
    {"cl_khr_subgroup_non_uniform_vote", RAWCL_VERSION_1_0},
    {"cl_khr_subgroup_rotate", RAWCL_VERSION_1_0},
    {"cl_khr_subgroup_shuffle", RAWCL_VERSION_1_0},
    {"cl_khr_subgroup_shuffle_relative", RAWCL_VERSION_1_0},
};

/* CL_DEVICE_OPENCL_C_FEATURES, for OpenCL C 3.0. */
static const struct compiler_feature compiler_c_features[] = {
    {"__opencl_c_atomic_order_acq_rel", RAWCL_VERSION_3_0},
    {"__opencl_c_atomic_order_seq_cst", RAWCL_VERSION_3_0},
    {"__opencl_c_atomic_scope_device", RAWCL_VERSION_3_0},
    {"__opencl_c_atomic_scope_all_devices", RAWCL_VERSION_3_0},
    {"__opencl_c_fp64", RAWCL_VERSION_3_0},
    {"__opencl_c_generic_address_space", RAWCL_VERSION_3_0},
    {"__opencl_c_int64", RAWCL_VERSION_3_0},
    {"__opencl_c_integer_dot_product_input_4x8bit", RAWCL_VERSION_3_0},
    {"__opencl_c_integer_dot_product_input_4x8bit_packed", RAWCL_VERSION_3_0},
    {"__opencl_c_kernel_clock_scope_device", RAWCL_VERSION_3_0},
    {"__opencl_c_kernel_clock_scope_work_group", RAWCL_VERSION_3_0},
    {"__opencl_c_kernel_clock_scope_sub_group", RAWCL_VERSION_3_0},
    {"__opencl_c_pipes", RAWCL_VERSION_3_0},
    {"__opencl_c_program_scope_global_variables", RAWCL_VERSION_3_0},
    {"__opencl_c_subgroups", RAWCL_VERSION_3_0},
    {"__opencl_c_work_group_collective_functions", RAWCL_VERSION_3_0},
};

#define COMPILER_EXTENSION_COUNT (sizeof compiler_extensions / sizeof compiler_extensions[0])
#define COMPILER_C_FEATURE_COUNT (sizeof compiler_c_features / sizeof compiler_c_features[0])

#endif
