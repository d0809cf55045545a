/* SPDX-License-Identifier: MIT */
/* image_resource.c - T# and S#, and where texels of linear images lie. */
#include <string.h>

#include "driver/emulator/isa/image.h"
#include "driver/hw/hw.h"

static enum hw_gen generation(enum isa_arch arch) {
    return arch == ISA_GFX12 ? HW_GFX12 : HW_GFX11;
}

#define IMG(f)  hw_pkt_get(d, hw_desc_fields[gen][DESC_SQ_IMG_RSRC__##f])
#define SAMP(f) hw_pkt_get(d, hw_desc_fields[gen][DESC_SQ_IMG_SAMP__##f])

static uint32_t smaller(uint32_t v, unsigned level) {
    return v >> level ? v >> level : 1;
}

static bool dimension_of(unsigned type, uint8_t *dim) {
    static const uint8_t dims[] = {IMAGE_1D,   IMAGE_2D,       IMAGE_3D,
                                   IMAGE_CUBE, IMAGE_1D_ARRAY, IMAGE_2D_ARRAY};
    if (type < SQ_RSRC_IMG_1D || type - SQ_RSRC_IMG_1D >= sizeof dims) return false;
    *dim = dims[type - SQ_RSRC_IMG_1D];
    return true;
}

static void resource_size(enum hw_gen gen, const uint32_t *d, struct image *im) {
    uint32_t depth = IMG(DEPTH);
    im->width = (IMG(WIDTH) | IMG(WIDTH_HI) << 2) + 1;
    im->height = IMG(HEIGHT) + 1;
    im->base_array = IMG(BASE_ARRAY) | IMG(BASE_ARRAY_MSB) << 13;
    im->depth = 1;
    switch (im->dim) {
    case IMAGE_1D:
    case IMAGE_2D: /* the field holds the pitch */
        im->pitch = (depth | IMG(PITCH_13) << 13 | IMG(PITCH_MSB) << 14) + 1;
        break;
    case IMAGE_3D:
        im->depth = depth + 1;
        im->base_array = 0;
        break;
    default: /* the last layer */
        im->depth = depth >= im->base_array ? depth - im->base_array + 1 : 0;
        break;
    }
    if (im->dim == IMAGE_1D || im->dim == IMAGE_1D_ARRAY) im->height = 1;
}

bool image_resource(enum isa_arch arch, const uint32_t *d, struct image *out, const char **why) {
    enum hw_gen gen = generation(arch);
    struct image im = {.base = (IMG(BASE_ADDRESS) | (uint64_t)IMG(BASE_ADDRESS_HI) << 32) << 8,
                       .pitch_bytes = gen == HW_GFX12 ? 128 : 256,
                       .base_level = (uint8_t)IMG(BASE_LEVEL),
                       .last_level = (uint8_t)IMG(LAST_LEVEL),
                       .levels = (uint8_t)(IMG(MAX_MIP) + 1),
                       .sel = {(uint8_t)IMG(DST_SEL_X), (uint8_t)IMG(DST_SEL_Y),
                               (uint8_t)IMG(DST_SEL_Z), (uint8_t)IMG(DST_SEL_W)}};
    unsigned type = IMG(TYPE);
    *out = im;
    if (type == 0) return true;
    *why = "image descriptor of an unsupported type (buffer or multisampled)";
    if (!dimension_of(type, &im.dim)) return false;
    im.format = image_format_by_value(IMG(FORMAT));
    *why = "image format that the compute unit does not know";
    if (!im.format) return false;
    *why = "tiled images are not supported: SW_MODE must be linear";
    if (IMG(SW_MODE)) return false;
    *why = "compressed images are not supported";
    if (IMG(COMPRESSION_ENABLE) || IMG(WRITE_COMPRESS_ENABLE)) return false;
    if (im.last_level >= im.levels) im.last_level = (uint8_t)(im.levels - 1);
    unsigned fraction = 8;
    uint32_t lod = gen == HW_GFX12 ? IMG(MIN_LOD_LO) | IMG(MIN_LOD_HI) << 6
                                   : IMG(MIN_LOD_LO) | IMG(MIN_LOD_HI) << 5;
    im.min_lod = (float)lod / (float)(1u << fraction);
    resource_size(gen, d, &im);
    *out = im;
    return true;
}

void image_level_size(const struct image *im, unsigned level, uint32_t size[3]) {
    size[0] = smaller(im->width, level);
    size[1] = smaller(im->height, level);
    size[2] = im->dim == IMAGE_3D ? smaller(im->depth, level) : im->depth;
}

/* Texels of a row. */
static uint64_t row_pitch(const struct image *im, unsigned level) {
    uint32_t bytes = im->format->bytes;
    uint64_t row = (uint64_t)smaller(im->width, level) * bytes;
    if (bytes % 3 == 0) return smaller(im->width, level);
    row = (row + im->pitch_bytes - 1) / im->pitch_bytes * im->pitch_bytes / bytes;
    if (level == 0 && im->levels == 1 && im->pitch > smaller(im->width, 0)) row = im->pitch;
    return row;
}

/* Levels of a linear image lie with the smallest first in each layer (AMD's addrlib, gfx10). Slices
 * follow each other without gaps. */
uint64_t image_address(const struct image *im, unsigned level, uint32_t x, uint32_t y, uint32_t z) {
    uint64_t before = 0, layer = 0, pitch = row_pitch(im, level);
    if (im->dim == IMAGE_3D) {
        for (unsigned i = level + 1; i < im->levels; i++)
            before += row_pitch(im, i) * smaller(im->height, i) * smaller(im->depth, i);
        before += pitch * smaller(im->height, level) * z;
    } else {
        for (unsigned i = im->levels; i-- > 0;) {
            uint64_t texels = row_pitch(im, i) * smaller(im->height, i);
            layer += texels;
            if (i > level) before += texels;
        }
        before += layer * (im->base_array + (uint64_t)z);
    }
    return im->base + (before + pitch * y + x) * im->format->bytes;
}

bool image_coordinate(const struct image *im, unsigned level, const uint32_t in[3],
                      uint32_t out[3]) {
    uint32_t size[3];
    if (level > im->last_level) return false;
    image_level_size(im, level, size);
    out[0] = in[0], out[1] = in[1], out[2] = in[2];
    if (im->dim == IMAGE_1D || im->dim == IMAGE_1D_ARRAY) out[1] = 0;
    if (im->dim == IMAGE_1D || im->dim == IMAGE_2D) out[2] = 0;
    if (im->dim == IMAGE_1D_ARRAY) out[2] = in[1];
    return out[0] < size[0] && out[1] < size[1] && out[2] < size[2];
}

/* Signed fixed point with 8 bits of fraction. */
static float fixed8(uint32_t v, unsigned bits) {
    return (float)((int32_t)(v << (32 - bits)) >> (32 - bits)) / 256;
}

bool image_sampler(enum isa_arch arch, const uint32_t *d, struct image_sampler *out,
                   const char **why) {
    enum hw_gen gen = generation(arch);
    *out = (struct image_sampler){
        .clamp = {(uint8_t)SAMP(CLAMP_X), (uint8_t)SAMP(CLAMP_Y), (uint8_t)SAMP(CLAMP_Z)},
        .mag = (uint8_t)SAMP(XY_MAG_FILTER),
        .min = (uint8_t)SAMP(XY_MIN_FILTER),
        .z_filter = (uint8_t)SAMP(Z_FILTER),
        .mip = (uint8_t)SAMP(MIP_FILTER),
        .compare = (uint8_t)SAMP(DEPTH_COMPARE_FUNC),
        .border = (uint8_t)SAMP(BORDER_COLOR_TYPE),
        .unnormalized = SAMP(FORCE_UNNORMALIZED),
        .min_lod = (float)SAMP(MIN_LOD) / 256,
        .max_lod = (float)SAMP(MAX_LOD) / 256,
    };
    /* gfx11 has the bias where it has the palette pointer of linked resources: same 14 bits. */
    out->bias = fixed8(gen == HW_GFX12 ? SAMP(LOD_BIAS) : d[2] & 0x3fff, 14);
    *why = "anisotropic filters are not supported";
    if (out->mag > 1 || out->min > 1) return false;
    *why = "border colours of the border colour table are not supported";
    if (out->border == 3) return false;
    *why = "FILTER_MODE other than blend is not supported";
    return SAMP(FILTER_MODE) == 0;
}
