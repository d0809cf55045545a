/* SPDX-License-Identifier: MIT */
/* dispatch.c - the table that every object points to, as ocl-icd's and Khronos' loaders know it
 * (CL/cl_icd.h). Every slot is filled. */
#include "runtime/api.h"

const struct _cl_icd_dispatch rawcl_dispatch = {
#define SLOT(name) .name = api_##name,
    API_CORE(SLOT) API_EXTENSIONS(SLOT)
#undef SLOT
        /* Untyped off Windows. */
        .clGetDeviceIDsFromD3D10KHR = (void *)api_d3d_unsupported,
    .clCreateFromD3D10BufferKHR = (void *)api_d3d10_create_buffer,
    .clCreateFromD3D10Texture2DKHR = (void *)api_d3d_create_texture,
    .clCreateFromD3D10Texture3DKHR = (void *)api_d3d_create_texture,
    .clEnqueueAcquireD3D10ObjectsKHR = (void *)api_d3d_unsupported,
    .clEnqueueReleaseD3D10ObjectsKHR = (void *)api_d3d_unsupported,
    .clGetDeviceIDsFromD3D11KHR = (void *)api_d3d_unsupported,
    .clCreateFromD3D11BufferKHR = (void *)api_d3d10_create_buffer,
    .clCreateFromD3D11Texture2DKHR = (void *)api_d3d_create_texture,
    .clCreateFromD3D11Texture3DKHR = (void *)api_d3d_create_texture,
    .clEnqueueAcquireD3D11ObjectsKHR = (void *)api_d3d_unsupported,
    .clEnqueueReleaseD3D11ObjectsKHR = (void *)api_d3d_unsupported,
    .clCreateFromDX9MediaSurfaceKHR = (void *)api_dx9_create_surface,
    .clEnqueueAcquireDX9MediaSurfacesKHR = (void *)api_d3d_unsupported,
    .clEnqueueReleaseDX9MediaSurfacesKHR = (void *)api_d3d_unsupported,
    .clGetDeviceIDsFromDX9MediaAdapterKHR = (void *)api_d3d_unsupported,
};
