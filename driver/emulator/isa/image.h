/* SPDX-License-Identifier: MIT */
/* image.h - images and typed buffers: texel formats, resource and sampler descriptors, addressing
 * and filtering. Compiled once; exec_image.c and exec_buffer.c call it lane by lane. */
#ifndef RAWCL_ISA_IMAGE_H
#define RAWCL_ISA_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/emulator/isa/wave.h"

/* --- formats (image_format.c) --- */

enum image_number {
    IMAGE_UNORM,
    IMAGE_SNORM,
    IMAGE_USCALED,
    IMAGE_SSCALED,
    IMAGE_UINT,
    IMAGE_SINT,
    IMAGE_FLOAT,
    IMAGE_SRGB,
    IMAGE_SHARED_EXPONENT
};

/* One BUF_FMT or IMG_FMT (one numbering; buffers reach 0..63). Component 0 is X, in the low bits.
 */
struct image_format {
    uint8_t components, bytes; /* of a texel; bytes 0: no such format */
    uint8_t number;            /* enum image_number */
    uint8_t bits[4];
};

/* NULL: reserved, or one that this model does not know (video, block compressed). */
const struct image_format *image_format_by_value(unsigned value);

/* A texel as the shader sees it: binary32 bits or integers; absent components are 0, 0, 0, 1. */
struct image_texel {
    uint32_t c[4];
};

static inline bool image_format_integer(const struct image_format *f) {
    return f->number == IMAGE_UINT || f->number == IMAGE_SINT;
}
struct image_texel image_decode(const struct image_format *f, const uint8_t *p);
/* Rounds to nearest even, clamps to the format's range. Writes f->bytes. */
void image_encode(const struct image_format *f, const struct image_texel *t, uint8_t *p);
/* Applies DST_SEL codes (SQ_SEL_*): out[i] = selected. */
struct image_texel image_select(const struct image_format *f, const uint8_t sel[4],
                                const struct image_texel *t);
/* The inverse, for stores: component of the shader's value that each memory component takes. */
struct image_texel image_unselect(const uint8_t sel[4], const struct image_texel *t);
uint32_t image_to_half(uint32_t binary32);
uint32_t image_from_half(uint32_t half);

/* --- resources --- */

/* Dimension code of an instruction; IMAGE_DIM_MSAA and beyond are multisampled. */
enum image_dim {
    IMAGE_1D,
    IMAGE_2D,
    IMAGE_3D,
    IMAGE_CUBE,
    IMAGE_1D_ARRAY,
    IMAGE_2D_ARRAY,
    IMAGE_2D_MSAA,
    IMAGE_2D_MSAA_ARRAY
};

/* A T#: SQ_IMG_RSRC. */
struct image {
    const struct image_format *format;
    uint64_t base;
    uint32_t width, height, depth; /* of level 0 of the whole resource; depth: layers of arrays */
    uint32_t pitch;                /* texels of a row of level 0, if the descriptor has one */
    uint32_t pitch_bytes;          /* rows are multiples of that */
    uint32_t base_array;
    uint8_t dim; /* enum image_dim */
    uint8_t levels, base_level, last_level;
    uint8_t sel[4];
    float min_lod;
};

/* False: *why says what is not supported. d: 8 dwords. An all-zero descriptor (type 0) is a null
 * image: format NULL, true. */
bool image_resource(enum isa_arch arch, const uint32_t *d, struct image *out, const char **why);

/* Size of a level: width, height, depth (layers stay). */
void image_level_size(const struct image *im, unsigned level, uint32_t size[3]);
/* Address of a texel, which must be inside the level. */
uint64_t image_address(const struct image *im, unsigned level, uint32_t x, uint32_t y, uint32_t z);
/* x, y, z as an instruction of dimension im->dim gives them: inside? Reorders to x, y, slice. */
bool image_coordinate(const struct image *im, unsigned level, const uint32_t in[3],
                      uint32_t out[3]);

/* --- sampling (image_sample.c) --- */

/* An S#: SQ_IMG_SAMP. */
struct image_sampler {
    uint8_t clamp[3];
    uint8_t mag, min, z_filter, mip;
    uint8_t compare;
    uint8_t border; /* SQ_TEX_BORDER_COLOR_* */
    bool unnormalized;
    float min_lod, max_lod, bias;
};
bool image_sampler(enum isa_arch arch, const uint32_t *d, struct image_sampler *out,
                   const char **why);

/* One sample operation of a lane. */
struct image_query {
    float coord[3];
    int offset[3];
    float lod; /* before clamping */
    float lod_clamp;
    uint32_t compare; /* reference, binary32 */
    bool has_compare;
    int8_t gather;   /* component that gather4 takes, or -1 */
    bool horizontal; /* gather4h */
};

/* Reads memory: false on a fault, *fault_va set. */
bool image_sample(struct isa_group *g, const struct image *im, const struct image_sampler *s,
                  const struct image_query *q, struct image_texel *out, uint64_t *fault_va);
/* LOD of the given change of normalized coordinates per pixel in x and y. */
float image_lod(const struct image *im, const struct image_sampler *s, const float dx[3],
                const float dy[3]);
float image_clamp_lod(const struct image *im, const struct image_sampler *s, float lod,
                      float lod_clamp);

#endif
