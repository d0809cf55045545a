/* SPDX-License-Identifier: MIT */
/* image.c - the descriptors through which kernels reach images: T# (SQ_IMG_RSRC), V# (SQ_BUF_RSRC)
 * and S# (SQ_IMG_SAMP). Fields: driver/hw/packets/descriptors.csv. How an OpenCL image fills them:
 * ROCR-Runtime, image/image_manager_gfx11.cpp and _gfx12.cpp.
 */
#include <errno.h>
#include <string.h>

#include "driver/am.h"
#include "driver/blocks.h"

static const struct chip *chip_of(const char *target) {
    static const struct chip *const chips[] = {&chip_gfx11, &chip_gfx12};

    for (unsigned i = 0; i < 2; i++)
        if (!strncmp(target, chips[i]->name, strlen(chips[i]->name))) return chips[i];
    return NULL;
}

int am_image_limits(const char *target, struct am_image_limits *out) {
    const struct chip *chip = chip_of(target);
    if (!chip) return -ENOTSUP;
    *out = (struct am_image_limits){.base_align = 256,
                                    .pitch_align = chip->image_pitch_align,
                                    .width = 16384,
                                    .height = 16384,
                                    .depth = 8192,
                                    .layers = 8192,
                                    .buffer_texels = 1u << 27};
    return 0;
}

static const uint8_t texel_bytes[AM_TEXEL_COUNT] = {
    [AM_TEXEL_8] = 1,     [AM_TEXEL_8_8] = 2,     [AM_TEXEL_8_8_8_8] = 4,
    [AM_TEXEL_16] = 2,    [AM_TEXEL_16_16] = 4,   [AM_TEXEL_16_16_16_16] = 8,
    [AM_TEXEL_32] = 4,    [AM_TEXEL_32_32] = 8,   [AM_TEXEL_32_32_32_32] = 16,
    [AM_TEXEL_5_6_5] = 2, [AM_TEXEL_5_5_5_1] = 2, [AM_TEXEL_10_10_10_2] = 4,
};

/* 0 (INVALID): the hardware has no such combination, or OpenCL has no use for it. */
static const uint8_t formats[AM_TEXEL_COUNT][AM_NUMBER_COUNT] = {
    [AM_TEXEL_8] = {IMG_FMT_8_UNORM, IMG_FMT_8_SNORM, IMG_FMT_8_UINT, IMG_FMT_8_SINT},
    [AM_TEXEL_8_8] = {IMG_FMT_8_8_UNORM, IMG_FMT_8_8_SNORM, IMG_FMT_8_8_UINT, IMG_FMT_8_8_SINT},
    [AM_TEXEL_8_8_8_8] = {IMG_FMT_8_8_8_8_UNORM, IMG_FMT_8_8_8_8_SNORM, IMG_FMT_8_8_8_8_UINT,
                          IMG_FMT_8_8_8_8_SINT, 0, IMG_FMT_8_8_8_8_SRGB},
    [AM_TEXEL_16] = {IMG_FMT_16_UNORM, IMG_FMT_16_SNORM, IMG_FMT_16_UINT, IMG_FMT_16_SINT,
                     IMG_FMT_16_FLOAT},
    [AM_TEXEL_16_16] = {IMG_FMT_16_16_UNORM, IMG_FMT_16_16_SNORM, IMG_FMT_16_16_UINT,
                        IMG_FMT_16_16_SINT, IMG_FMT_16_16_FLOAT},
    [AM_TEXEL_16_16_16_16] = {IMG_FMT_16_16_16_16_UNORM, IMG_FMT_16_16_16_16_SNORM,
                              IMG_FMT_16_16_16_16_UINT, IMG_FMT_16_16_16_16_SINT,
                              IMG_FMT_16_16_16_16_FLOAT},
    [AM_TEXEL_32] = {0, 0, IMG_FMT_32_UINT, IMG_FMT_32_SINT, IMG_FMT_32_FLOAT},
    [AM_TEXEL_32_32] = {0, 0, IMG_FMT_32_32_UINT, IMG_FMT_32_32_SINT, IMG_FMT_32_32_FLOAT},
    [AM_TEXEL_32_32_32_32] = {0, 0, IMG_FMT_32_32_32_32_UINT, IMG_FMT_32_32_32_32_SINT,
                              IMG_FMT_32_32_32_32_FLOAT},
    [AM_TEXEL_5_6_5] = {IMG_FMT_5_6_5_UNORM},
    [AM_TEXEL_5_5_5_1] = {IMG_FMT_1_5_5_5_UNORM},
    [AM_TEXEL_10_10_10_2] = {IMG_FMT_2_10_10_10_UNORM},
};

static const uint8_t selects[] = {
    [AM_SELECT_0] = SQ_SEL_0, [AM_SELECT_1] = SQ_SEL_1, [AM_SELECT_X] = SQ_SEL_X,
    [AM_SELECT_Y] = SQ_SEL_Y, [AM_SELECT_Z] = SQ_SEL_Z, [AM_SELECT_W] = SQ_SEL_W,
};

#define PUT(field, value) hw_pkt_put(out, hw_desc_fields[gen][DESC_##field], (uint32_t)(value))

/* Texels in a buffer: bounds are checked by index (OOB_SELECT 0, NUM_RECORDS in strides; RDNA3 ISA
 * guide, "Buffer resource descriptor"). */
static int buffer_descriptor(enum hw_gen gen, const struct am_image *m, uint32_t *out) {
    uint32_t bytes = texel_bytes[m->texel];

    if (m->va % bytes || m->number == AM_SRGB || m->texel >= AM_TEXEL_5_6_5) return -EINVAL;
    PUT(SQ_BUF_RSRC__BASE_ADDRESS, m->va);
    PUT(SQ_BUF_RSRC__BASE_ADDRESS_HI, m->va >> 32);
    PUT(SQ_BUF_RSRC__STRIDE, bytes);
    PUT(SQ_BUF_RSRC__NUM_RECORDS, m->width);
    PUT(SQ_BUF_RSRC__DST_SEL_X, selects[m->select[0]]);
    PUT(SQ_BUF_RSRC__DST_SEL_Y, selects[m->select[1]]);
    PUT(SQ_BUF_RSRC__DST_SEL_Z, selects[m->select[2]]);
    PUT(SQ_BUF_RSRC__DST_SEL_W, selects[m->select[3]]);
    PUT(SQ_BUF_RSRC__FORMAT, formats[m->texel][m->number]);
    return 0;
}

static uint32_t field_width(enum hw_gen gen, enum hw_desc_field f) {
    struct hw_pkt_bits b = hw_desc_fields[gen][f];

    return b.dword < 0 ? 0 : (uint32_t)(b.hi - b.lo + 1);
}

/* Arrays and 3D: the hardware derives the pitch from the width, and DEPTH is the last slice. Else
 * DEPTH and its extension hold the pitch in texels, less one. */
static int put_depth(const struct chip *chip, const struct am_image *m, uint32_t *out) {
    enum hw_gen gen = chip->gen;
    uint32_t bytes = texel_bytes[m->texel], align = chip->image_pitch_align;
    uint32_t least = (m->width * bytes + align - 1) / align * align;
    bool slices =
        m->type == AM_IMAGE_1D_ARRAY || m->type == AM_IMAGE_2D_ARRAY || m->type == AM_IMAGE_3D;

    if (m->row_pitch % align || m->row_pitch < least) return -EINVAL;
    if (slices && m->row_pitch != least) return -EINVAL;
    if (slices) {
        PUT(SQ_IMG_RSRC__DEPTH, m->slices - 1);
        return 0;
    }
    uint32_t pitch = m->row_pitch / bytes - 1;
    uint32_t low_bits = field_width(gen, DESC_SQ_IMG_RSRC__DEPTH);
    uint32_t all_bits = low_bits + field_width(gen, DESC_SQ_IMG_RSRC__PITCH_13) +
                        field_width(gen, DESC_SQ_IMG_RSRC__PITCH_MSB);
    if (pitch >> all_bits) return -EINVAL;
    PUT(SQ_IMG_RSRC__DEPTH, pitch);
    PUT(SQ_IMG_RSRC__PITCH_13, pitch >> low_bits);  /* gfx11 */
    PUT(SQ_IMG_RSRC__PITCH_MSB, pitch >> low_bits); /* gfx12 */
    return 0;
}

static int image_descriptor(const struct chip *chip, const struct am_image *m, uint32_t *out) {
    static const uint8_t types[] = {
        [AM_IMAGE_1D] = SQ_RSRC_IMG_1D, [AM_IMAGE_1D_ARRAY] = SQ_RSRC_IMG_1D_ARRAY,
        [AM_IMAGE_2D] = SQ_RSRC_IMG_2D, [AM_IMAGE_2D_ARRAY] = SQ_RSRC_IMG_2D_ARRAY,
        [AM_IMAGE_3D] = SQ_RSRC_IMG_3D,
    };
    enum hw_gen gen = chip->gen;

    if (m->va & 255) return -EINVAL;
    PUT(SQ_IMG_RSRC__BASE_ADDRESS, m->va >> 8);
    PUT(SQ_IMG_RSRC__BASE_ADDRESS_HI, m->va >> 40);
    PUT(SQ_IMG_RSRC__FORMAT, formats[m->texel][m->number]);
    PUT(SQ_IMG_RSRC__WIDTH, (m->width - 1) & 3);
    PUT(SQ_IMG_RSRC__WIDTH_HI, (m->width - 1) >> 2);
    PUT(SQ_IMG_RSRC__HEIGHT, m->height - 1);
    PUT(SQ_IMG_RSRC__DST_SEL_X, selects[m->select[0]]);
    PUT(SQ_IMG_RSRC__DST_SEL_Y, selects[m->select[1]]);
    PUT(SQ_IMG_RSRC__DST_SEL_Z, selects[m->select[2]]);
    PUT(SQ_IMG_RSRC__DST_SEL_W, selects[m->select[3]]);
    PUT(SQ_IMG_RSRC__TYPE, types[m->type]); /* SW_MODE 0: linear */
    return put_depth(chip, m, out);
}

int am_image_descriptor(const char *target, const struct am_image *m,
                        uint32_t out[AM_IMAGE_DESCRIPTOR_DW]) {
    const struct chip *chip = chip_of(target);
    struct am_image_limits max;

    memset(out, 0, AM_IMAGE_DESCRIPTOR_DW * sizeof(*out));
    if (am_image_limits(target, &max)) return -ENOTSUP;
    if (m->texel >= AM_TEXEL_COUNT || m->number >= AM_NUMBER_COUNT) return -EINVAL;
    if (!formats[m->texel][m->number]) return -EINVAL;
    if (!m->width || !m->height || !m->slices) return -EINVAL;
    for (int i = 0; i < 4; i++)
        if (m->select[i] > AM_SELECT_W) return -EINVAL;
    if (m->type == AM_IMAGE_BUFFER)
        return m->width > max.buffer_texels ? -EINVAL : buffer_descriptor(chip->gen, m, out);
    if (m->type > AM_IMAGE_3D) return -EINVAL;
    if (m->width > max.width || m->height > max.height || m->slices > max.layers) return -EINVAL;
    return image_descriptor(chip, m, out);
}

int am_sampler_descriptor(const char *target, const struct am_sampler *s,
                          uint32_t out[AM_SAMPLER_DESCRIPTOR_DW]) {
    static const uint8_t clamps[] = {
        [AM_ADDRESS_CLAMP_TO_EDGE] = SQ_TEX_CLAMP_LAST_TEXEL,
        [AM_ADDRESS_CLAMP_TO_BORDER] = SQ_TEX_CLAMP_BORDER,
        [AM_ADDRESS_REPEAT] = SQ_TEX_WRAP,
        [AM_ADDRESS_MIRRORED_REPEAT] = SQ_TEX_MIRROR,
    };
    const struct chip *chip = chip_of(target);

    memset(out, 0, AM_SAMPLER_DESCRIPTOR_DW * sizeof(*out));
    if (!chip) return -ENOTSUP;
    if (s->address > AM_ADDRESS_MIRRORED_REPEAT) return -EINVAL;
    enum hw_gen gen = chip->gen;
    uint32_t xy = s->linear ? SQ_TEX_XY_FILTER_BILINEAR : SQ_TEX_XY_FILTER_POINT;
    PUT(SQ_IMG_SAMP__CLAMP_X, clamps[s->address]);
    PUT(SQ_IMG_SAMP__CLAMP_Y, clamps[s->address]);
    PUT(SQ_IMG_SAMP__CLAMP_Z, clamps[s->address]);
    PUT(SQ_IMG_SAMP__FORCE_UNNORMALIZED, !s->normalized);
    PUT(SQ_IMG_SAMP__DISABLE_CUBE_WRAP, 1);
    PUT(SQ_IMG_SAMP__MAX_LOD, 0xfff);
    PUT(SQ_IMG_SAMP__XY_MAG_FILTER, xy);
    PUT(SQ_IMG_SAMP__XY_MIN_FILTER, xy);
    PUT(SQ_IMG_SAMP__Z_FILTER, SQ_TEX_Z_FILTER_NONE); /* as xy */
    PUT(SQ_IMG_SAMP__BORDER_COLOR_TYPE, SQ_TEX_BORDER_COLOR_TRANS_BLACK);
    return 0;
}
