/* SPDX-License-Identifier: MIT */
/* unsupported.c - entry points of features that are not offered: each checks its handle, says in
 * the log what is missing, and returns the error that the specification has for it.
 */
#include "runtime/api.h"
#include "runtime/error.h"
#include "runtime/object.h"

#define NO_IMAGES "images are not supported (CL_DEVICE_IMAGE_SUPPORT is false)"

#define CHECK_CONTEXT()                                                                            \
    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context")
#define CHECK_QUEUE()                                                                              \
    if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue")

/* ---- images ---- */

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateImage(cl_context context, cl_mem_flags flags,
                                                  const cl_image_format *format,
                                                  const cl_image_desc *desc, void *host_ptr,
                                                  cl_int *errcode_ret) {
    (void)flags, (void)format, (void)desc, (void)host_ptr;
    CHECK_CONTEXT();
    REFUSE_NULL(CL_INVALID_OPERATION, NO_IMAGES);
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateImageWithProperties(
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret) {
    (void)properties;
    return api_clCreateImage(context, flags, format, desc, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateImage2D(cl_context context, cl_mem_flags flags,
                                                    const cl_image_format *format, size_t width,
                                                    size_t height, size_t row_pitch, void *host_ptr,
                                                    cl_int *errcode_ret) {
    (void)width, (void)height, (void)row_pitch;
    return api_clCreateImage(context, flags, format, NULL, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateImage3D(cl_context context, cl_mem_flags flags,
                                                    const cl_image_format *format, size_t width,
                                                    size_t height, size_t depth, size_t row_pitch,
                                                    size_t slice_pitch, void *host_ptr,
                                                    cl_int *errcode_ret) {
    (void)width, (void)height, (void)depth, (void)row_pitch, (void)slice_pitch;
    return api_clCreateImage(context, flags, format, NULL, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetSupportedImageFormats(
    cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint num_entries,
    cl_image_format *formats, cl_uint *num_formats) {
    (void)flags, (void)type;
    if (!obj_ok(context, &obj_type_context)) REFUSE(CL_INVALID_CONTEXT, "not a context");
    if (formats && !num_entries) REFUSE(CL_INVALID_VALUE, "num_entries is 0");
    if (num_formats) *num_formats = 0;
    return CL_SUCCESS;
}

/* No image can exist, so every memory object given here is of another kind. */
CL_API_ENTRY cl_int CL_API_CALL api_clGetImageInfo(cl_mem image, cl_image_info param_name,
                                                   size_t size, void *value, size_t *size_ret) {
    (void)image, (void)param_name, (void)size, (void)value, (void)size_ret;
    REFUSE(CL_INVALID_MEM_OBJECT, NO_IMAGES);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueReadImage(cl_command_queue queue, cl_mem image,
                                                       cl_bool blocking, const size_t *origin,
                                                       const size_t *region, size_t row_pitch,
                                                       size_t slice_pitch, void *ptr,
                                                       cl_uint num_events,
                                                       const cl_event *wait_list, cl_event *event) {
    (void)image, (void)blocking, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch;
    (void)ptr, (void)num_events, (void)wait_list, (void)event;
    CHECK_QUEUE();
    REFUSE(CL_INVALID_OPERATION, NO_IMAGES);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueWriteImage(
    cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
    const size_t *region, size_t row_pitch, size_t slice_pitch, const void *ptr, cl_uint num_events,
    const cl_event *wait_list, cl_event *event) {
    (void)image, (void)blocking, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch;
    (void)ptr, (void)num_events, (void)wait_list, (void)event;
    CHECK_QUEUE();
    REFUSE(CL_INVALID_OPERATION, NO_IMAGES);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueCopyImage(cl_command_queue queue, cl_mem src,
                                                       cl_mem dst, const size_t *src_origin,
                                                       const size_t *dst_origin,
                                                       const size_t *region, cl_uint num_events,
                                                       const cl_event *wait_list, cl_event *event) {
    (void)src, (void)dst, (void)src_origin, (void)dst_origin, (void)region;
    (void)num_events, (void)wait_list, (void)event;
    CHECK_QUEUE();
    REFUSE(CL_INVALID_OPERATION, NO_IMAGES);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueCopyImageToBuffer(
    cl_command_queue queue, cl_mem src, cl_mem dst, const size_t *origin, const size_t *region,
    size_t offset, cl_uint num_events, const cl_event *wait_list, cl_event *event) {
    (void)src, (void)dst, (void)origin, (void)region, (void)offset;
    (void)num_events, (void)wait_list, (void)event;
    CHECK_QUEUE();
    REFUSE(CL_INVALID_OPERATION, NO_IMAGES);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueCopyBufferToImage(
    cl_command_queue queue, cl_mem src, cl_mem dst, size_t offset, const size_t *origin,
    const size_t *region, cl_uint num_events, const cl_event *wait_list, cl_event *event) {
    (void)src, (void)dst, (void)origin, (void)region, (void)offset;
    (void)num_events, (void)wait_list, (void)event;
    CHECK_QUEUE();
    REFUSE(CL_INVALID_OPERATION, NO_IMAGES);
}

CL_API_ENTRY void *CL_API_CALL api_clEnqueueMapImage(cl_command_queue queue, cl_mem image,
                                                     cl_bool blocking, cl_map_flags flags,
                                                     const size_t *origin, const size_t *region,
                                                     size_t *row_pitch, size_t *slice_pitch,
                                                     cl_uint num_events, const cl_event *wait_list,
                                                     cl_event *event, cl_int *errcode_ret) {
    (void)image, (void)blocking, (void)flags, (void)origin, (void)region, (void)row_pitch;
    (void)slice_pitch, (void)num_events, (void)wait_list, (void)event;
    if (!obj_ok(queue, &obj_type_queue)) REFUSE_NULL(CL_INVALID_COMMAND_QUEUE, "not a queue");
    REFUSE_NULL(CL_INVALID_OPERATION, NO_IMAGES);
}

CL_API_ENTRY cl_int CL_API_CALL api_clEnqueueFillImage(cl_command_queue queue, cl_mem image,
                                                       const void *color, const size_t *origin,
                                                       const size_t *region, cl_uint num_events,
                                                       const cl_event *wait_list, cl_event *event) {
    (void)image, (void)color, (void)origin, (void)region;
    (void)num_events, (void)wait_list, (void)event;
    CHECK_QUEUE();
    REFUSE(CL_INVALID_OPERATION, NO_IMAGES);
}
