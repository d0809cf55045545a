/* SPDX-License-Identifier: MIT */
#include "runtime/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/mem.h"
#include "runtime/platform.h"
#include "runtime/transfer.h"

#define ACCESS_FLAGS      (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_ACCESS_FLAGS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define HOST_PTR_FLAGS    (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

/* ---- descriptor slots ---- */

struct descriptor_slot *descriptor_take(cl_device_id dev) {
    enum { BYTES = 65536, COUNT = BYTES / (4 * DESCRIPTOR_DW) };

    pthread_mutex_lock(&dev->descriptor_lock);
    if (!dev->descriptors) {
        struct am_mem *mem = NULL;
        struct descriptor_slot *slots = calloc(COUNT, sizeof *slots);
        if (!slots || am_alloc(dev->am, BYTES, 0, AM_MEM_SYSTEM, "descriptors", &mem))
            free(slots); /* for good otherwise: the device keeps its pool */
        for (int i = 0; mem && i < COUNT; i++) {
            slots[i].va = mem->va + 4ull * DESCRIPTOR_DW * (unsigned)i;
            slots[i].cpu = (uint32_t *)mem->cpu + DESCRIPTOR_DW * (unsigned)i;
            slots[i].next = dev->descriptors;
            dev->descriptors = &slots[i];
        }
    }
    struct descriptor_slot *slot = dev->descriptors;
    if (slot) dev->descriptors = slot->next;
    pthread_mutex_unlock(&dev->descriptor_lock);
    return slot;
}

void descriptor_give(cl_device_id dev, struct descriptor_slot *slot) {
    if (!slot) return;
    pthread_mutex_lock(&dev->descriptor_lock);
    slot->next = dev->descriptors;
    dev->descriptors = slot;
    pthread_mutex_unlock(&dev->descriptor_lock);
}

static enum am_image_type am_type(cl_mem_object_type type) {
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
        return AM_IMAGE_1D;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return AM_IMAGE_1D_ARRAY;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return AM_IMAGE_2D_ARRAY;
    case CL_MEM_OBJECT_IMAGE3D:
        return AM_IMAGE_3D;
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return AM_IMAGE_BUFFER;
    default:
        return AM_IMAGE_2D;
    }
}

static bool is_array_of_rows(const struct image *im) {
    return im->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
}

static int describe(cl_mem mem, int device_index, uint32_t *out) {
    const struct image *im = mem->image;
    bool rows = is_array_of_rows(im);
    struct am_image a = {.type = am_type(im->desc.image_type),
                         .texel = im->info.texel,
                         .number = im->info.number,
                         .va = mem_va(mem, device_index),
                         .width = im->size[0],
                         .height = rows ? 1 : im->size[1],
                         .slices = rows ? im->size[1] : im->size[2],
                         .row_pitch = (uint32_t)im->step[0]};

    memcpy(a.select, im->info.select, sizeof a.select);
    return am_image_descriptor(mem->ctx->devices[device_index]->cand.target, &a, out);
}

uint64_t image_descriptor_va(cl_mem mem, int device_index) {
    struct image *im = mem->image;
    uint32_t words[DESCRIPTOR_DW] = {0};

    pthread_mutex_lock(&mem->lock);
    struct descriptor_slot *slot = im->slots[device_index];
    if (!slot && !describe(mem, device_index, words)) {
        slot = descriptor_take(mem->ctx->devices[device_index]);
        words[8] = im->info.hsa_type;
        words[9] = im->info.hsa_order;
        words[10] = im->size[0];
        if (slot) memcpy(slot->cpu, words, sizeof words);
        im->slots[device_index] = slot;
    }
    pthread_mutex_unlock(&mem->lock);
    return slot ? slot->va : 0;
}

void image_release(cl_mem mem) {
    struct image *im = mem->image;

    if (!im) return;
    for (cl_uint i = 0; im->slots && i < mem->ctx->device_count; i++)
        descriptor_give(mem->ctx->devices[i], im->slots[i]);
    free(im->slots);
    free(im);
    mem->image = NULL;
}

/* ---- coordinates ---- */

uint64_t image_offset(const struct image *im, const uint64_t step[2], const size_t origin[3]) {
    return origin[0] * im->info.bytes + origin[1] * step[0] + origin[2] * step[1];
}

cl_int image_check_region(const struct image *im, const size_t *origin, const size_t *region) {
    if (!origin || !region) return CL_INVALID_VALUE;
    for (int i = 0; i < 3; i++) {
        if (!region[i] || origin[i] > im->size[i] || region[i] > im->size[i] - origin[i])
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

/* ---- creation ---- */

static int dimensions(cl_mem_object_type type) {
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return 1;
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return 2;
    case CL_MEM_OBJECT_IMAGE3D:
        return 3;
    default:
        return 0;
    }
}

static bool is_array(cl_mem_object_type type) {
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

/* The smallest limits of the context's devices, the largest alignments. */
static cl_int limits_of(cl_context ctx, struct am_image_limits *out) {
    for (cl_uint i = 0; i < ctx->device_count; i++) {
        struct am_image_limits l;
        if (!device_has_images(ctx->devices[i]) ||
            am_image_limits(ctx->devices[i]->cand.target, &l))
            return CL_INVALID_OPERATION;
        if (i == 0) *out = l;
        if (l.pitch_align > out->pitch_align) out->pitch_align = l.pitch_align;
        if (l.width < out->width) out->width = l.width;
        if (l.height < out->height) out->height = l.height;
        if (l.depth < out->depth) out->depth = l.depth;
        if (l.layers < out->layers) out->layers = l.layers;
        if (l.buffer_texels < out->buffer_texels) out->buffer_texels = l.buffer_texels;
    }
    return CL_SUCCESS;
}

static cl_int fill_size(struct image *im, const cl_image_desc *d,
                        const struct am_image_limits *max) {
    int dims = dimensions(d->image_type);
    bool array = is_array(d->image_type);
    uint64_t width =
        d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? max->buffer_texels : max->width;

    if (!dims) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!d->image_width || (dims >= 2 && !d->image_height) || (dims == 3 && !d->image_depth) ||
        (array && !d->image_array_size))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (d->image_width > width || (dims >= 2 && d->image_height > max->height) ||
        (dims == 3 && d->image_depth > max->depth) || (array && d->image_array_size > max->layers))
        return CL_INVALID_IMAGE_SIZE;
    if (d->num_mip_levels || d->num_samples) return CL_INVALID_IMAGE_DESCRIPTOR;
    im->desc = (cl_image_desc){.image_type = d->image_type, .image_width = d->image_width};
    if (dims >= 2) im->desc.image_height = d->image_height;
    if (dims == 3) im->desc.image_depth = d->image_depth;
    if (array) im->desc.image_array_size = d->image_array_size;
    im->size[0] = (uint32_t)d->image_width;
    im->size[1] = (uint32_t)(dims >= 2 ? d->image_height : array ? d->image_array_size : 1);
    im->size[2] = (uint32_t)(dims == 3            ? d->image_depth
                             : dims == 2 && array ? d->image_array_size
                                                  : 1);
    return CL_SUCCESS;
}

/* Pitches at host_ptr: given, or tight. */
static cl_int fill_host_pitches(struct image *im, const cl_image_desc *d, const void *host_ptr) {
    uint64_t row = (uint64_t)im->size[0] * im->info.bytes, bytes = im->info.bytes;
    bool slices = im->size[2] > 1 || is_array(d->image_type) || dimensions(d->image_type) == 3;

    if (!host_ptr && !d->mem_object && (d->image_row_pitch || d->image_slice_pitch))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (d->image_row_pitch && (d->image_row_pitch < row || d->image_row_pitch % bytes))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (d->image_row_pitch) row = d->image_row_pitch;
    uint64_t slice = is_array_of_rows(im) ? row : row * im->size[1];
    if (slices && d->image_slice_pitch &&
        (d->image_slice_pitch < slice || d->image_slice_pitch % row))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (slices && d->image_slice_pitch) slice = d->image_slice_pitch;
    im->desc.image_row_pitch = row;
    im->desc.image_slice_pitch = slices ? slice : 0;
    im->host_step[0] = is_array_of_rows(im) ? slice : row;
    im->host_step[1] = slice;
    return CL_SUCCESS;
}

/* Linear, each row a multiple of the hardware's pitch, slices without gaps. */
static uint64_t fill_steps(struct image *im, uint32_t pitch_align) {
    uint64_t row = (uint64_t)im->size[0] * im->info.bytes;

    im->step[0] = (row + pitch_align - 1) / pitch_align * pitch_align;
    im->step[1] = im->step[0] * im->size[1];
    return im->step[1] * im->size[2];
}

struct request {
    cl_context ctx;
    cl_mem_flags flags;
    const cl_image_format *format;
    const cl_image_desc *desc;
    void *host_ptr;
    struct am_image_limits max;
};

static cl_int check_flags(const struct request *r) {
    cl_mem_flags allowed =
        ACCESS_FLAGS | HOST_ACCESS_FLAGS | HOST_PTR_FLAGS | CL_MEM_KERNEL_READ_AND_WRITE;
    cl_mem_flags access = r->flags & ACCESS_FLAGS, host = r->flags & HOST_ACCESS_FLAGS;

    if (r->flags & ~allowed || access & (access - 1) || host & (host - 1)) return CL_INVALID_VALUE;
    if (r->flags & CL_MEM_USE_HOST_PTR && r->flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        return CL_INVALID_VALUE;
    if (r->desc->mem_object && r->flags & HOST_PTR_FLAGS) return CL_INVALID_VALUE;
    bool wants = r->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return wants == (r->host_ptr != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

/* An image over the memory of a buffer (1D buffer, 2D) or of a 2D image (another reading of its
 * channels). */
static cl_int over_object(const struct request *r, cl_mem mem) {
    struct image *im = mem->image;
    cl_mem of = r->desc->mem_object;
    bool rows = im->desc.image_type == CL_MEM_OBJECT_IMAGE2D;

    if (!obj_ok(of, &obj_type_mem) || of->ctx != r->ctx) return CL_INVALID_MEM_OBJECT;
    uint64_t offset = of->origin;
    if (of->image) {
        const struct image *base = of->image;
        if (!rows || base->desc.image_type != CL_MEM_OBJECT_IMAGE2D ||
            base->size[0] != im->size[0] || base->size[1] != im->size[1] ||
            base->info.bytes != im->info.bytes || base->info.channels != im->info.channels)
            return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
        im->step[0] = base->step[0];
        im->step[1] = base->step[1];
    } else if (of->type != CL_MEM_OBJECT_BUFFER) {
        return CL_INVALID_MEM_OBJECT;
    } else if (rows) {
        im->step[0] = im->desc.image_row_pitch;
        im->step[1] = im->step[0] * im->size[1];
        if (im->step[0] % r->max.pitch_align || offset % r->max.base_align)
            return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
        if (im->step[1] > of->size) return CL_INVALID_IMAGE_SIZE;
    } else if (im->desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        im->step[0] = im->step[1] = (uint64_t)im->size[0] * im->info.bytes;
        if (im->step[0] > of->size) return CL_INVALID_IMAGE_SIZE;
    } else {
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    im->host_step[0] = im->step[0];
    im->host_step[1] = im->step[1];
    im->desc.buffer = of;
    mem_attach(mem, of);
    mem->size = im->step[1] ? im->step[1] : im->step[0];
    return CL_SUCCESS;
}

static cl_int with_memory(const struct request *r, cl_mem mem) {
    struct image *im = mem->image;
    uint64_t bytes = fill_steps(im, r->max.pitch_align);

    if (im->desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) return CL_INVALID_IMAGE_DESCRIPTOR;
    for (cl_uint i = 0; i < r->ctx->device_count; i++)
        if (bytes > device_max_alloc(r->ctx->devices[i])) return CL_INVALID_IMAGE_SIZE;
    mem->size = im->desc.image_slice_pitch ? im->desc.image_slice_pitch *
                                                 (is_array_of_rows(im) ? im->size[1] : im->size[2])
                                           : im->desc.image_row_pitch * im->size[1];
    cl_int err = mem_back(mem, bytes);
    if (err || !r->host_ptr) return err;
    struct cmd_transfer t = {
        .host = r->host_ptr,
        .host_rect = {0, im->host_step[0], im->host_step[1]},
        .buffer_rect = {0, im->step[0], im->step[1]},
        .region = {(uint64_t)im->size[0] * im->info.bytes, im->size[1], im->size[2]},
        .to_device = true};
    if (transfer_run(r->ctx->devices[0], mem_va(mem, 0), &t)) return CL_OUT_OF_RESOURCES;
    mem->backing->valid = 1;
    return CL_SUCCESS;
}

static cl_int build(const struct request *r, cl_mem mem) {
    struct image *im = mem->image;
    cl_int err = fill_size(im, r->desc, &r->max);

    im->format = *r->format;
    if (!err && !image_format_find(r->format, r->desc->image_type, mem->flags, &im->info))
        err = CL_IMAGE_FORMAT_NOT_SUPPORTED;
    if (!err) err = fill_host_pitches(im, r->desc, r->host_ptr);
    if (err) return err;
    im->slots = calloc(r->ctx->device_count, sizeof *im->slots);
    if (!im->slots) return CL_OUT_OF_HOST_MEMORY;
    return r->desc->mem_object ? over_object(r, mem) : with_memory(r, mem);
}

static cl_mem_flags inherited_flags(const struct request *r) {
    cl_mem_flags flags = r->flags;
    cl_mem of = r->desc->mem_object;

    if (of && obj_ok(of, &obj_type_mem)) {
        if (!(flags & ACCESS_FLAGS)) flags |= of->flags & ACCESS_FLAGS;
        if (!(flags & HOST_ACCESS_FLAGS)) flags |= of->flags & HOST_ACCESS_FLAGS;
        flags |= of->flags & HOST_PTR_FLAGS;
    }
    return flags & (ACCESS_FLAGS | CL_MEM_KERNEL_READ_AND_WRITE) ? flags
                                                                 : flags | CL_MEM_READ_WRITE;
}

static cl_mem create(const struct request *in, const cl_mem_properties *properties, cl_int *err) {
    struct request r = *in;

    *err = limits_of(r.ctx, &r.max);
    if (*err) return NULL;
    *err = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!r.format || !image_format_known(r.format)) return NULL;
    *err = CL_INVALID_IMAGE_DESCRIPTOR;
    if (!r.desc) return NULL;
    *err = check_flags(&r);
    if (*err) return NULL;
    cl_mem mem = mem_create_bare(r.ctx, r.desc->image_type, inherited_flags(&r));
    *err = CL_OUT_OF_HOST_MEMORY;
    if (mem) mem->image = calloc(1, sizeof *mem->image);
    if (mem && mem->image) *err = build(&r, mem);
    if (!*err && properties) {
        mem->properties = calloc(1, sizeof *properties);
        mem->property_count = 1;
        if (!mem->properties) *err = CL_OUT_OF_HOST_MEMORY;
    }
    if (!*err) {
        if (r.flags & CL_MEM_USE_HOST_PTR) mem->host_ptr = r.host_ptr;
        return mem;
    }
    obj_put(mem);
    return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateImageWithProperties(
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret) {
    cl_int err;

    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (platform_is_orphan()) REFUSE_NULL(CL_OUT_OF_RESOURCES, "forked child");
    if (properties && properties[0])
        REFUSE_NULL(CL_INVALID_PROPERTY, "property 0x%llx", (unsigned long long)properties[0]);
    const struct request r = {context, flags, format, desc, host_ptr, {0}};
    cl_mem mem = create(&r, properties, &err);
    if (!mem)
        REFUSE_NULL(err, "format 0x%x 0x%x, type 0x%x", format ? format->image_channel_order : 0,
                    format ? format->image_channel_data_type : 0, desc ? desc->image_type : 0);
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateImage(cl_context context, cl_mem_flags flags,
                                                  const cl_image_format *format,
                                                  const cl_image_desc *desc, void *host_ptr,
                                                  cl_int *errcode_ret) {
    return api_clCreateImageWithProperties(context, NULL, flags, format, desc, host_ptr,
                                           errcode_ret);
}

/* The functions of OpenCL 1.1 know one error for all sizes and pitches. */
static cl_mem create_old(cl_context ctx, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret) {
    cl_int err;
    cl_mem mem = api_clCreateImage(ctx, flags, format, desc, host_ptr, &err);

    if (err == CL_INVALID_IMAGE_DESCRIPTOR) err = CL_INVALID_IMAGE_SIZE;
    if (errcode_ret) *errcode_ret = err;
    return mem;
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateImage2D(cl_context context, cl_mem_flags flags,
                                                    const cl_image_format *format, size_t width,
                                                    size_t height, size_t row_pitch, void *host_ptr,
                                                    cl_int *errcode_ret) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row_pitch};

    return create_old(context, flags, format, &desc, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateImage3D(cl_context context, cl_mem_flags flags,
                                                    const cl_image_format *format, size_t width,
                                                    size_t height, size_t depth, size_t row_pitch,
                                                    size_t slice_pitch, void *host_ptr,
                                                    cl_int *errcode_ret) {
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row_pitch,
                                .image_slice_pitch = slice_pitch};

    return create_old(context, flags, format, &desc, host_ptr, errcode_ret);
}
