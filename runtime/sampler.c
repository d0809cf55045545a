/* SPDX-License-Identifier: MIT */
/* sampler.c - samplers belong to images, which no device offers: the specification has
 * CL_INVALID_OPERATION for that. */
#include "runtime/error.h"
#include "runtime/object.h"

CL_API_ENTRY cl_sampler CL_API_CALL api_clCreateSampler(cl_context context, cl_bool normalized,
                                                        cl_addressing_mode addressing,
                                                        cl_filter_mode filter,
                                                        cl_int *errcode_ret) {
    (void)normalized, (void)addressing, (void)filter;
    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    REFUSE_NULL(CL_INVALID_OPERATION, "images, and so samplers, are not supported");
}

CL_API_ENTRY cl_sampler CL_API_CALL api_clCreateSamplerWithProperties(
    cl_context context, const cl_sampler_properties *properties, cl_int *errcode_ret) {
    (void)properties;
    return api_clCreateSampler(context, CL_TRUE, 0, 0, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainSampler(cl_sampler sampler) {
    (void)sampler;
    REFUSE(CL_INVALID_SAMPLER, "not a sampler");
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseSampler(cl_sampler sampler) {
    (void)sampler;
    REFUSE(CL_INVALID_SAMPLER, "not a sampler");
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
                                                     size_t size, void *value, size_t *size_ret) {
    (void)sampler, (void)param_name, (void)size, (void)value, (void)size_ret;
    REFUSE(CL_INVALID_SAMPLER, "not a sampler");
}
