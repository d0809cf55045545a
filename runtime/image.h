/* SPDX-License-Identifier: MIT */
/* image.h - image objects: linear memory with the pitch that the hardware wants, and the
 * descriptors through which kernels reach it. runtime/README.md has the layout.
 */
#ifndef RAWCL_RUNTIME_IMAGE_H
#define RAWCL_RUNTIME_IMAGE_H

#include "runtime/event.h"
#include "runtime/image_format.h"

/* A place for a descriptor and what the device library wants behind it, in memory that the device
 * reads. */
struct descriptor_slot {
    struct descriptor_slot *next;
    uint64_t va;
    uint32_t *cpu; /* DESCRIPTOR_DW dwords */
};
#define DESCRIPTOR_DW 16u

struct image {
    cl_image_format format;
    cl_image_desc desc; /* as given; dimensions that the type lacks are 0 */
    struct image_format info;
    uint32_t size[3];               /* in coordinates: 1 where there is none; layers come last */
    uint64_t step[2];               /* bytes from one coordinate 1 (2) to the next */
    uint64_t host_step[2];          /* the same at host_ptr */
    struct descriptor_slot **slots; /* by device of the context; NULL until a kernel needs it */
};

/* Where the descriptor lies for a device; 0: no memory, or not possible. */
uint64_t image_descriptor_va(cl_mem image, int device_index);
/* Gives the slots back. */
void image_release(cl_mem mem);
/* Bytes from the start to a texel; step is step or host_step. */
uint64_t image_offset(const struct image *im, const uint64_t step[2], const size_t origin[3]);
/* CL_INVALID_VALUE if the region leaves the image or is ill-formed for its type. */
cl_int image_check_region(const struct image *im, const size_t *origin, const size_t *region);

/* A slot on a device, NULL: no memory. */
struct descriptor_slot *descriptor_take(cl_device_id dev);
void descriptor_give(cl_device_id dev, struct descriptor_slot *slot);

#endif
