/* SPDX-License-Identifier: MIT */
/* sharing.c - slots of extensions that share objects with OpenGL, EGL, Direct3D and DX9: none is
 * offered. cl_khr_gl_sharing, cl_khr_egl_image, cl_ext_device_fission.
 */
#include "runtime/error.h"
#include "runtime/object.h"

#define NO_SHARING "sharing with other APIs is not supported"

#define QUEUE_CALL(name)                                                                           \
    CL_API_ENTRY cl_int CL_API_CALL api_##name(cl_command_queue queue, cl_uint num_objects,        \
                                               const cl_mem *objects, cl_uint num_events,          \
                                               const cl_event *wait_list, cl_event *event) {       \
        (void)num_objects, (void)objects, (void)num_events, (void)wait_list, (void)event;          \
        if (!obj_ok(queue, &obj_type_queue)) REFUSE(CL_INVALID_COMMAND_QUEUE, "not a queue");      \
        REFUSE(CL_INVALID_OPERATION, NO_SHARING);                                                  \
    }

QUEUE_CALL(clEnqueueAcquireGLObjects)
QUEUE_CALL(clEnqueueReleaseGLObjects)
QUEUE_CALL(clEnqueueAcquireEGLObjectsKHR)
QUEUE_CALL(clEnqueueReleaseEGLObjectsKHR)

static cl_int refuse_in(cl_context context, const char *function) {
    if (!obj_ok(context, &obj_type_context))
        return err_refuse(CL_INVALID_CONTEXT, function, "not a context");
    return err_refuse(CL_INVALID_OPERATION, function, NO_SHARING);
}

#define REFUSE_IN_CONTEXT()                                                                        \
    do {                                                                                           \
        cl_int sharing_err = refuse_in(context, __func__);                                         \
        if (errcode_ret) *errcode_ret = sharing_err;                                               \
        return NULL;                                                                               \
    } while (0)

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateFromGLBuffer(cl_context context, cl_mem_flags flags,
                                                         cl_GLuint bufobj, int *errcode_ret) {
    (void)flags, (void)bufobj;
    REFUSE_IN_CONTEXT();
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateFromGLTexture(cl_context context, cl_mem_flags flags,
                                                          cl_GLenum target, cl_GLint miplevel,
                                                          cl_GLuint texture, cl_int *errcode_ret) {
    (void)flags, (void)target, (void)miplevel, (void)texture;
    REFUSE_IN_CONTEXT();
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags,
                                                            cl_GLenum target, cl_GLint miplevel,
                                                            cl_GLuint texture,
                                                            cl_int *errcode_ret) {
    (void)flags, (void)target, (void)miplevel, (void)texture;
    REFUSE_IN_CONTEXT();
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags,
                                                            cl_GLenum target, cl_GLint miplevel,
                                                            cl_GLuint texture,
                                                            cl_int *errcode_ret) {
    (void)flags, (void)target, (void)miplevel, (void)texture;
    REFUSE_IN_CONTEXT();
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateFromGLRenderbuffer(cl_context context,
                                                               cl_mem_flags flags,
                                                               cl_GLuint renderbuffer,
                                                               cl_int *errcode_ret) {
    (void)flags, (void)renderbuffer;
    REFUSE_IN_CONTEXT();
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *type,
                                                      cl_GLuint *name) {
    (void)type, (void)name;
    if (!obj_ok(memobj, &obj_type_mem)) REFUSE(CL_INVALID_MEM_OBJECT, "not a memory object");
    REFUSE(CL_INVALID_GL_OBJECT, "not made from a GL object");
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name,
                                                       size_t size, void *value, size_t *size_ret) {
    (void)param_name, (void)size, (void)value, (void)size_ret;
    if (!obj_ok(memobj, &obj_type_mem)) REFUSE(CL_INVALID_MEM_OBJECT, "not a memory object");
    REFUSE(CL_INVALID_GL_OBJECT, "not made from a GL object");
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetGLContextInfoKHR(const cl_context_properties *properties,
                                                          cl_gl_context_info param_name,
                                                          size_t size, void *value,
                                                          size_t *size_ret) {
    (void)properties, (void)param_name, (void)size, (void)value, (void)size_ret;
    REFUSE(CL_INVALID_OPERATION, NO_SHARING);
}

CL_API_ENTRY cl_event CL_API_CALL api_clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync,
                                                                 cl_int *errcode_ret) {
    (void)sync;
    REFUSE_IN_CONTEXT();
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateFromEGLImageKHR(
    cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
    const cl_egl_image_properties_khr *properties, cl_int *errcode_ret) {
    (void)display, (void)image, (void)flags, (void)properties;
    REFUSE_IN_CONTEXT();
}

CL_API_ENTRY cl_event CL_API_CALL api_clCreateEventFromEGLSyncKHR(cl_context context,
                                                                  CLeglSyncKHR sync,
                                                                  CLeglDisplayKHR display,
                                                                  cl_int *errcode_ret) {
    (void)sync, (void)display;
    REFUSE_IN_CONTEXT();
}

/* ---- Direct3D and DX9: their types exist on Windows only, their slots everywhere ---- */

cl_int api_d3d_unsupported(void) {
    REFUSE(CL_INVALID_OPERATION, NO_SHARING);
}

cl_mem api_d3d10_create_buffer(cl_context context, cl_mem_flags flags, void *resource,
                               cl_int *errcode_ret) {
    (void)flags, (void)resource;
    REFUSE_IN_CONTEXT();
}

cl_mem api_d3d_create_texture(cl_context context, cl_mem_flags flags, void *resource,
                              cl_uint subresource, cl_int *errcode_ret) {
    (void)flags, (void)resource, (void)subresource;
    REFUSE_IN_CONTEXT();
}

cl_mem api_dx9_create_surface(cl_context context, cl_mem_flags flags, cl_uint adapter_type,
                              void *surface_info, cl_uint plane, cl_int *errcode_ret) {
    (void)flags, (void)adapter_type, (void)surface_info, (void)plane;
    REFUSE_IN_CONTEXT();
}

/* ---- cl_ext_device_fission ---- */

CL_API_ENTRY cl_int CL_API_CALL api_clCreateSubDevicesEXT(
    cl_device_id in_device, const cl_device_partition_property_ext *properties, cl_uint num_entries,
    cl_device_id *out_devices, cl_uint *num_devices) {
    (void)properties, (void)num_entries, (void)out_devices, (void)num_devices;
    if (!obj_ok(in_device, &obj_type_device)) REFUSE(CL_INVALID_DEVICE, "not a device");
    REFUSE(CL_INVALID_VALUE, "devices cannot be partitioned");
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainDeviceEXT(cl_device_id device) {
    return api_clRetainDevice(device);
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseDeviceEXT(cl_device_id device) {
    return api_clReleaseDevice(device);
}
