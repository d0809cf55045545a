/* SPDX-License-Identifier: MIT */
#include "runtime/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/info.h"

static void sampler_destroy(void *object) {
    cl_sampler s = object;
    cl_context ctx = s->ctx;

    for (cl_uint i = 0; s->slots && i < ctx->device_count; i++)
        descriptor_give(ctx->devices[i], s->slots[i]);
    free(s->slots);
    pthread_mutex_destroy(&s->lock);
    s->obj.type = NULL;
    free(s);
    obj_put(ctx);
}

const struct obj_type obj_type_sampler = {"sampler", sampler_destroy};

uint64_t sampler_descriptor_va(cl_sampler s, int device_index) {
    cl_device_id dev = s->ctx->devices[device_index];
    /* CL_ADDRESS_NONE: the kernel promises to stay inside; the border is as good as any. */
    struct am_sampler a = {
        .normalized = s->normalized,
        .linear = s->filter == CL_FILTER_LINEAR,
        .address = s->addressing == CL_ADDRESS_CLAMP_TO_EDGE     ? AM_ADDRESS_CLAMP_TO_EDGE
                   : s->addressing == CL_ADDRESS_REPEAT          ? AM_ADDRESS_REPEAT
                   : s->addressing == CL_ADDRESS_MIRRORED_REPEAT ? AM_ADDRESS_MIRRORED_REPEAT
                                                                 : AM_ADDRESS_CLAMP_TO_BORDER};
    uint32_t words[DESCRIPTOR_DW] = {0};

    pthread_mutex_lock(&s->lock);
    struct descriptor_slot *slot = s->slots[device_index];
    if (!slot && !am_sampler_descriptor(dev->cand.target, &a, words)) {
        slot = descriptor_take(dev);
        if (slot) memcpy(slot->cpu, words, sizeof words);
        s->slots[device_index] = slot;
    }
    pthread_mutex_unlock(&s->lock);
    return slot ? slot->va : 0;
}

static cl_sampler create(cl_context ctx, cl_bool normalized, cl_addressing_mode addressing,
                         cl_filter_mode filter, cl_int *err) {
    *err = CL_INVALID_VALUE;
    if (normalized != CL_TRUE && normalized != CL_FALSE) return NULL;
    if (addressing < CL_ADDRESS_NONE || addressing > CL_ADDRESS_MIRRORED_REPEAT) return NULL;
    if (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) return NULL;
    /* Repeating is defined for normalised coordinates only. */
    if (!normalized &&
        (addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT))
        return NULL;
    *err = CL_OUT_OF_HOST_MEMORY;
    cl_sampler s = calloc(1, sizeof *s);
    if (!s) return NULL;
    obj_init(&s->obj, &obj_type_sampler);
    pthread_mutex_init(&s->lock, NULL);
    s->ctx = obj_get(ctx);
    s->normalized = normalized;
    s->addressing = addressing;
    s->filter = filter;
    s->slots = calloc(ctx->device_count, sizeof *s->slots);
    *err = s->slots ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (s->slots) return s;
    obj_put(s);
    return NULL;
}

static bool images_on_all(cl_context ctx) {
    for (cl_uint i = 0; i < ctx->device_count; i++)
        if (!device_has_images(ctx->devices[i])) return false;
    return true;
}

CL_API_ENTRY cl_sampler CL_API_CALL api_clCreateSampler(cl_context context, cl_bool normalized,
                                                        cl_addressing_mode addressing,
                                                        cl_filter_mode filter,
                                                        cl_int *errcode_ret) {
    cl_int err;

    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (!images_on_all(context)) REFUSE_NULL(CL_INVALID_OPERATION, "a device has no images");
    cl_sampler s = create(context, normalized, addressing, filter, &err);
    if (!s) REFUSE_NULL(err, "addressing 0x%x, filter 0x%x", addressing, filter);
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return s;
}

CL_API_ENTRY cl_sampler CL_API_CALL api_clCreateSamplerWithProperties(
    cl_context context, const cl_sampler_properties *properties, cl_int *errcode_ret) {
    cl_sampler_properties v[3] = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
    bool seen[3] = {false};
    size_t n = 0;
    cl_int err;

    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (!images_on_all(context)) REFUSE_NULL(CL_INVALID_OPERATION, "a device has no images");
    for (; properties && properties[n]; n += 2) {
        cl_sampler_properties which = properties[n] - CL_SAMPLER_NORMALIZED_COORDS;
        if (which > 2 || seen[which])
            REFUSE_NULL(CL_INVALID_VALUE, "property 0x%llx", (unsigned long long)properties[n]);
        seen[which] = true;
        v[which] = properties[n + 1];
    }
    cl_sampler s =
        create(context, (cl_bool)v[0], (cl_addressing_mode)v[1], (cl_filter_mode)v[2], &err);
    if (!s) REFUSE_NULL(err, "a property has no such value");
    if (properties) {
        s->property_count = n + 1;
        memcpy(s->properties, properties, (n + 1) * sizeof *properties);
    }
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return s;
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainSampler(cl_sampler sampler) {
    if (!obj_ok(sampler, &obj_type_sampler)) REFUSE(CL_INVALID_SAMPLER, "not a sampler");
    obj_user_retain(sampler);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseSampler(cl_sampler sampler) {
    if (!obj_ok(sampler, &obj_type_sampler)) REFUSE(CL_INVALID_SAMPLER, "not a sampler");
    obj_user_release(sampler);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
                                                     size_t param_value_size, void *param_value,
                                                     size_t *param_value_size_ret) {
    if (!obj_ok(sampler, &obj_type_sampler)) REFUSE(CL_INVALID_SAMPLER, "not a sampler");
    switch (param_name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        INFO_VALUE(cl_uint, obj_user_count(sampler));
    case CL_SAMPLER_CONTEXT:
        INFO_VALUE(cl_context, sampler->ctx);
    case CL_SAMPLER_NORMALIZED_COORDS:
        INFO_VALUE(cl_bool, sampler->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        INFO_VALUE(cl_addressing_mode, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE:
        INFO_VALUE(cl_filter_mode, sampler->filter);
    case CL_SAMPLER_PROPERTIES:
        INFO_BYTES(sampler->properties, sampler->property_count * sizeof(cl_sampler_properties));
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}
