/* SPDX-License-Identifier: MIT */
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/image.h"
#include "runtime/info.h"
#include "runtime/mem.h"

CL_API_ENTRY cl_int CL_API_CALL api_clGetSupportedImageFormats(
    cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint num_entries,
    cl_image_format *formats, cl_uint *num_formats) {
    const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    cl_uint count = 0;
    cl_image_format f;

    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    if (formats && !num_entries) REFUSE(CL_INVALID_VALUE, "num_entries is 0");
    cl_mem_flags a = flags & access;
    if (a & (a - 1)) REFUSE(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
        REFUSE(CL_INVALID_VALUE, "type 0x%x", type);
    if (!(flags & (access | CL_MEM_KERNEL_READ_AND_WRITE))) flags |= CL_MEM_READ_WRITE;
    bool supported = device_has_images(context->devices[0]);
    for (unsigned i = 0; supported && image_format_enumerate(i, &f); i++) {
        if (!image_format_find(&f, type, flags, NULL)) continue;
        if (formats && count < num_entries) formats[count] = f;
        count++;
    }
    if (num_formats) *num_formats = count;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetImageInfo(cl_mem image, cl_image_info param_name,
                                                   size_t param_value_size, void *param_value,
                                                   size_t *param_value_size_ret) {
    if (!obj_ok(image, &obj_type_mem) || !image->image)
        REFUSE(CL_INVALID_MEM_OBJECT, "not an image");
    const struct image *im = image->image;
    switch (param_name) {
    case CL_IMAGE_FORMAT:
        INFO_VALUE(cl_image_format, im->format);
    case CL_IMAGE_ELEMENT_SIZE:
        INFO_VALUE(size_t, im->info.bytes);
    case CL_IMAGE_ROW_PITCH:
        INFO_VALUE(size_t, im->desc.image_row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        INFO_VALUE(size_t, im->desc.image_slice_pitch);
    case CL_IMAGE_WIDTH:
        INFO_VALUE(size_t, im->desc.image_width);
    case CL_IMAGE_HEIGHT:
        INFO_VALUE(size_t, im->desc.image_height);
    case CL_IMAGE_DEPTH:
        INFO_VALUE(size_t, im->desc.image_depth);
    case CL_IMAGE_ARRAY_SIZE:
        INFO_VALUE(size_t, im->desc.image_array_size);
    case CL_IMAGE_BUFFER:
        INFO_VALUE(cl_mem, im->desc.buffer && !im->desc.buffer->image ? im->desc.buffer : NULL);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        INFO_VALUE(cl_uint, 0);
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}
