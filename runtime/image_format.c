/* SPDX-License-Identifier: MIT */
#include "runtime/image_format.h"

#include <math.h>
#include <string.h>

/* ---- tables ---- */

static const struct order {
    cl_channel_order order;
    uint32_t hsa;
    unsigned channels;
    enum am_select select[4];
} orders[] = {
#define S(r, g, b, a)                                                                              \
    { AM_SELECT_##r, AM_SELECT_##g, AM_SELECT_##b, AM_SELECT_##a }
    {CL_A, 0, 1, S(0, 0, 0, X)},          {CL_R, 1, 1, S(X, 0, 0, 1)},
    {CL_RG, 3, 2, S(X, Y, 0, 1)},         {CL_RA, 5, 2, S(X, 0, 0, Y)},
    {CL_RGB, 6, 3, S(Z, Y, X, 1)},        {CL_RGBA, 8, 4, S(X, Y, Z, W)},
    {CL_BGRA, 9, 4, S(Z, Y, X, W)},       {CL_ARGB, 10, 4, S(Y, Z, W, X)},
    {CL_sRGBA, 14, 4, S(X, Y, Z, W)},     {CL_sBGRA, 15, 4, S(Z, Y, X, W)},
    {CL_INTENSITY, 16, 1, S(X, X, X, X)}, {CL_LUMINANCE, 17, 1, S(X, X, X, 1)},
    {CL_DEPTH, 18, 1, S(X, 0, 0, 1)},
#undef S
};

static const struct type {
    cl_channel_type type;
    uint32_t hsa;
    unsigned bits; /* of a channel; 0: packed */
    enum am_number number;
} types[] = {
    {CL_SNORM_INT8, 0, 8, AM_SNORM},       {CL_SNORM_INT16, 1, 16, AM_SNORM},
    {CL_UNORM_INT8, 2, 8, AM_UNORM},       {CL_UNORM_INT16, 3, 16, AM_UNORM},
    {CL_UNORM_SHORT_555, 5, 0, AM_UNORM},  {CL_UNORM_SHORT_565, 6, 0, AM_UNORM},
    {CL_UNORM_INT_101010, 7, 0, AM_UNORM}, {CL_SIGNED_INT8, 8, 8, AM_SINT},
    {CL_SIGNED_INT16, 9, 16, AM_SINT},     {CL_SIGNED_INT32, 10, 32, AM_SINT},
    {CL_UNSIGNED_INT8, 11, 8, AM_UINT},    {CL_UNSIGNED_INT16, 12, 16, AM_UINT},
    {CL_UNSIGNED_INT32, 13, 32, AM_UINT},  {CL_HALF_FLOAT, 14, 16, AM_FLOAT},
    {CL_FLOAT, 15, 32, AM_FLOAT},
};

#define ORDERS (sizeof orders / sizeof orders[0])
#define TYPES  (sizeof types / sizeof types[0])

static const struct order *find_order(cl_channel_order o) {
    for (size_t i = 0; i < ORDERS; i++)
        if (orders[i].order == o) return &orders[i];
    return NULL;
}

static const struct type *find_type(cl_channel_type t) {
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].type == t) return &types[i];
    return NULL;
}

/* The specification's table of which types go with which order (clCreateImage, "Image Format
 * Descriptor"). */
static bool combination(const struct order *o, const struct type *t) {
    bool real = t->number == AM_UNORM || t->number == AM_SNORM || t->number == AM_FLOAT;

    switch (o->order) {
    case CL_RGB:
        return t->bits == 0;
    case CL_BGRA:
    case CL_ARGB:
        return t->bits == 8 && t->number != AM_FLOAT;
    case CL_sRGBA:
    case CL_sBGRA:
        return t->type == CL_UNORM_INT8;
    case CL_INTENSITY:
    case CL_LUMINANCE:
        return t->bits && real;
    case CL_DEPTH:
        return t->type == CL_UNORM_INT16 || t->type == CL_FLOAT;
    default:
        return t->bits != 0;
    }
}

bool image_format_enumerate(unsigned i, cl_image_format *f) {
    for (size_t o = 0; o < ORDERS; o++)
        for (size_t t = 0; t < TYPES; t++)
            if (combination(&orders[o], &types[t]) && i-- == 0) {
                *f = (cl_image_format){orders[o].order, types[t].type};
                return true;
            }
    return false;
}

bool image_format_known(const cl_image_format *f) {
    const struct order *o = find_order(f->image_channel_order);
    const struct type *t = find_type(f->image_channel_data_type);

    return o && t && combination(o, t);
}

static enum am_texel texel_of(const struct order *o, const struct type *t) {
    static const enum am_texel plain[3][3] = {{AM_TEXEL_8, AM_TEXEL_8_8, AM_TEXEL_8_8_8_8},
                                              {AM_TEXEL_16, AM_TEXEL_16_16, AM_TEXEL_16_16_16_16},
                                              {AM_TEXEL_32, AM_TEXEL_32_32, AM_TEXEL_32_32_32_32}};

    if (t->type == CL_UNORM_SHORT_565) return AM_TEXEL_5_6_5;
    if (t->type == CL_UNORM_SHORT_555) return AM_TEXEL_5_5_5_1;
    if (t->type == CL_UNORM_INT_101010) return AM_TEXEL_10_10_10_2;
    return plain[t->bits / 16][o->channels / 2];
}

bool image_format_find(const cl_image_format *f, cl_mem_object_type type, cl_mem_flags flags,
                       struct image_format *out) {
    const struct order *o = find_order(f->image_channel_order);
    const struct type *t = find_type(f->image_channel_data_type);
    const cl_mem_flags writes =
        CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE | CL_MEM_KERNEL_READ_AND_WRITE;

    if (!o || !t || !combination(o, t)) return false;
    bool srgb = o->order == CL_sRGBA || o->order == CL_sBGRA, packed = t->bits == 0;
    bool depth = o->order == CL_DEPTH;
    /* The hardware converts to sRGB when it reads only. A buffer has no packed or sRGB format. */
    if (srgb && flags & writes) return false;
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER && (srgb || packed || depth)) return false;
    if (depth && type != CL_MEM_OBJECT_IMAGE2D && type != CL_MEM_OBJECT_IMAGE2D_ARRAY) return false;
    if (!out) return true;
    unsigned bytes = t->type == CL_UNORM_INT_101010 ? 4 : packed ? 2 : t->bits / 8 * o->channels;
    *out = (struct image_format){.texel = texel_of(o, t),
                                 .number = srgb ? AM_SRGB : t->number,
                                 .bytes = bytes,
                                 .channels = o->channels,
                                 .hsa_order = o->hsa,
                                 .hsa_type = t->hsa};
    memcpy(out->select, o->select, sizeof out->select);
    return true;
}

/* ---- packing ---- */

static uint16_t half_of(float f) {
    uint32_t u;

    memcpy(&u, &f, sizeof u);
    uint32_t sign = u >> 16 & 0x8000, mag = u & 0x7fffffff;
    if (mag > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (mag >= 0x47800000) return (uint16_t)(sign | 0x7c00); /* 65536 and above */
    if (mag < 0x38800000) {                                  /* subnormal: units of 2^-24 */
        float units = fabsf(f) * 16777216.0f;
        return (uint16_t)(sign | (uint32_t)rintf(units));
    }
    uint32_t rounded = mag + 0xfff + (mag >> 13 & 1); /* to nearest even */
    return (uint16_t)(sign | ((rounded - 0x38000000) >> 13));
}

static float to_srgb(float c) {
    if (!(c > 0.0f)) return 0.0f;
    if (c >= 1.0f) return 1.0f;
    return c < 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f;
}

static uint32_t normalized(float c, unsigned bits, bool is_signed) {
    float max = (float)((1u << (is_signed ? bits - 1 : bits)) - 1), v = c * max;

    if (v != v) v = 0;
    if (v > max) v = max;
    if (v < (is_signed ? -max : 0)) v = is_signed ? -max : 0;
    return (uint32_t)(int32_t)rintf(v);
}

static uint32_t saturated(const void *color, unsigned i, unsigned bits, bool is_signed) {
    uint32_t u;

    memcpy(&u, (const uint8_t *)color + 4 * i, sizeof u);
    if (bits == 32) return u;
    if (!is_signed) return u > (1u << bits) - 1 ? (1u << bits) - 1 : u;
    int32_t s = (int32_t)u, max = (1 << (bits - 1)) - 1;
    return (uint32_t)(s > max ? max : s < -max - 1 ? -max - 1 : s);
}

static uint32_t channel(enum am_number number, unsigned bits, const void *color, unsigned i) {
    float c;

    memcpy(&c, (const uint8_t *)color + 4 * i, sizeof c);
    switch (number) {
    case AM_SRGB:
        return normalized(i < 3 ? to_srgb(c) : c, bits, false);
    case AM_UNORM:
        return normalized(c, bits, false);
    case AM_SNORM:
        return normalized(c, bits, true);
    case AM_FLOAT:
        return bits == 16 ? half_of(c) : saturated(color, i, 32, false);
    default:
        return saturated(color, i, bits, number == AM_SINT);
    }
}

/* The colour component that ends up in stored channel k: the inverse of select. */
static unsigned source_of(const struct image_format *info, unsigned k) {
    for (unsigned i = 0; i < 4; i++)
        if (info->select[i] == AM_SELECT_X + k) return i;
    return k;
}

void image_format_pack(const cl_image_format *f, const struct image_format *info, const void *color,
                       uint8_t *out) {
    static const uint8_t packed_bits[AM_TEXEL_COUNT][3] = {[AM_TEXEL_5_6_5] = {5, 6, 5},
                                                           [AM_TEXEL_5_5_5_1] = {5, 5, 5},
                                                           [AM_TEXEL_10_10_10_2] = {10, 10, 10}};
    const uint8_t *bits = packed_bits[info->texel];
    uint32_t value = 0;

    (void)f;
    if (bits[0]) {
        for (unsigned k = 0, at = 0; k < 3; at += bits[k++])
            value |= channel(AM_UNORM, bits[k], color, source_of(info, k)) << at;
        memcpy(out, &value, info->bytes);
        return;
    }
    unsigned size = info->bytes / info->channels;
    for (unsigned k = 0; k < info->channels; k++) {
        value = channel(info->number, size * 8, color, source_of(info, k));
        memcpy(out + k * size, &value, size);
    }
}
