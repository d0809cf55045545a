/* SPDX-License-Identifier: MIT */
/* image_format.h - the image formats that are offered, and what each means to the hardware and to
 * kernels. Pure tables.
 */
#ifndef RAWCL_RUNTIME_IMAGE_FORMAT_H
#define RAWCL_RUNTIME_IMAGE_FORMAT_H

#include <stdbool.h>

#include "driver/am.h"
#include "runtime/api.h"

struct image_format {
    enum am_texel texel;
    enum am_number number;
    enum am_select select[4];
    unsigned bytes;    /* of an element */
    unsigned channels; /* that are stored */
    /* What get_image_channel_order and _data_type find behind the descriptor: the numbers that
     * AMD's device library maps back to OpenCL's (hsa_ext_image_channel_order_t and _type_t). */
    uint32_t hsa_order, hsa_type;
};

/* false: an unknown order or type, or a combination that OpenCL does not have. */
bool image_format_known(const cl_image_format *f);
/* Is it offered for such an image, used so by kernels (CL_MEM_KERNEL_READ_AND_WRITE or an access
 * flag)? Fills in *out, which may be NULL. */
bool image_format_find(const cl_image_format *f, cl_mem_object_type type, cl_mem_flags flags,
                       struct image_format *out);
/* The i-th combination there is; false: no more. */
bool image_format_enumerate(unsigned i, cl_image_format *f);
/* Packs an element from four channel values as clEnqueueFillImage takes them: float[4], int[4] or
 * uint[4], a float for depth. */
void image_format_pack(const cl_image_format *f, const struct image_format *info, const void *color,
                       uint8_t *out);

#endif
