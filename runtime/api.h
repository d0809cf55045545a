/* SPDX-License-Identifier: MIT */
/* api.h - the entry points. Each is api_<OpenCL name>, with the signature that the OpenCL headers
 * declare; the list is also what fills the dispatch table (icd/dispatch.c), so that a slot cannot
 * be forgotten.
 */
#ifndef RAWCL_RUNTIME_API_H
#define RAWCL_RUNTIME_API_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <CL/cl_egl.h>
#include <CL/cl_icd.h>

/* cl_ext_buffer_device_address, which older headers lack. */
#ifndef CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT   0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT           0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002
typedef cl_ulong cl_mem_device_address_ext;
CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index,
                                                               cl_mem_device_address_ext value);
#endif

/* Functions of the OpenCL core, in the order of the dispatch table. */
#define API_CORE(X)                                                                                \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clCreateContextFromType)                                                                     \
    X(clRetainContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clGetContextInfo)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clRetainCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clGetCommandQueueInfo)                                                                       \
    X(clSetCommandQueueProperty)                                                                   \
    X(clCreateBuffer)                                                                              \
    X(clCreateImage2D)                                                                             \
    X(clCreateImage3D)                                                                             \
    X(clRetainMemObject)                                                                           \
    X(clReleaseMemObject)                                                                          \
    X(clGetSupportedImageFormats)                                                                  \
    X(clGetMemObjectInfo)                                                                          \
    X(clGetImageInfo)                                                                              \
    X(clCreateSampler)                                                                             \
    X(clRetainSampler)                                                                             \
    X(clReleaseSampler)                                                                            \
    X(clGetSamplerInfo)                                                                            \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clRetainProgram)                                                                             \
    X(clReleaseProgram)                                                                            \
    X(clBuildProgram)                                                                              \
    X(clUnloadCompiler)                                                                            \
    X(clGetProgramInfo)                                                                            \
    X(clGetProgramBuildInfo)                                                                       \
    X(clCreateKernel)                                                                              \
    X(clCreateKernelsInProgram)                                                                    \
    X(clRetainKernel)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clGetKernelInfo)                                                                             \
    X(clGetKernelWorkGroupInfo)                                                                    \
    X(clWaitForEvents)                                                                             \
    X(clGetEventInfo)                                                                              \
    X(clRetainEvent)                                                                               \
    X(clReleaseEvent)                                                                              \
    X(clGetEventProfilingInfo)                                                                     \
    X(clFlush)                                                                                     \
    X(clFinish)                                                                                    \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueReadImage)                                                                          \
    X(clEnqueueWriteImage)                                                                         \
    X(clEnqueueCopyImage)                                                                          \
    X(clEnqueueCopyImageToBuffer)                                                                  \
    X(clEnqueueCopyBufferToImage)                                                                  \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueMapImage)                                                                           \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueTask)                                                                               \
    X(clEnqueueNativeKernel)                                                                       \
    X(clEnqueueMarker)                                                                             \
    X(clEnqueueWaitForEvents)                                                                      \
    X(clEnqueueBarrier)                                                                            \
    X(clGetExtensionFunctionAddress)                                                               \
    X(clSetEventCallback)                                                                          \
    X(clCreateSubBuffer)                                                                           \
    X(clSetMemObjectDestructorCallback)                                                            \
    X(clCreateUserEvent)                                                                           \
    X(clSetUserEventStatus)                                                                        \
    X(clEnqueueReadBufferRect)                                                                     \
    X(clEnqueueWriteBufferRect)                                                                    \
    X(clEnqueueCopyBufferRect)                                                                     \
    X(clCreateSubDevices)                                                                          \
    X(clRetainDevice)                                                                              \
    X(clReleaseDevice)                                                                             \
    X(clCreateImage)                                                                               \
    X(clCreateProgramWithBuiltInKernels)                                                           \
    X(clCompileProgram)                                                                            \
    X(clLinkProgram)                                                                               \
    X(clUnloadPlatformCompiler)                                                                    \
    X(clGetKernelArgInfo)                                                                          \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueFillImage)                                                                          \
    X(clEnqueueMigrateMemObjects)                                                                  \
    X(clEnqueueMarkerWithWaitList)                                                                 \
    X(clEnqueueBarrierWithWaitList)                                                                \
    X(clGetExtensionFunctionAddressForPlatform)                                                    \
    X(clCreateCommandQueueWithProperties)                                                          \
    X(clCreatePipe)                                                                                \
    X(clGetPipeInfo)                                                                               \
    X(clSVMAlloc)                                                                                  \
    X(clSVMFree)                                                                                   \
    X(clEnqueueSVMFree)                                                                            \
    X(clEnqueueSVMMemcpy)                                                                          \
    X(clEnqueueSVMMemFill)                                                                         \
    X(clEnqueueSVMMap)                                                                             \
    X(clEnqueueSVMUnmap)                                                                           \
    X(clCreateSamplerWithProperties)                                                               \
    X(clSetKernelArgSVMPointer)                                                                    \
    X(clSetKernelExecInfo)                                                                         \
    X(clCloneKernel)                                                                               \
    X(clCreateProgramWithIL)                                                                       \
    X(clEnqueueSVMMigrateMem)                                                                      \
    X(clGetDeviceAndHostTimer)                                                                     \
    X(clGetHostTimer)                                                                              \
    X(clGetKernelSubGroupInfo)                                                                     \
    X(clSetDefaultDeviceCommandQueue)                                                              \
    X(clSetProgramReleaseCallback)                                                                 \
    X(clSetProgramSpecializationConstant)                                                          \
    X(clCreateBufferWithProperties)                                                                \
    X(clCreateImageWithProperties)                                                                 \
    X(clSetContextDestructorCallback)

/* Functions of extensions that have a slot in the table and a declaration on this platform. */
#define API_EXTENSIONS(X)                                                                          \
    X(clCreateFromGLBuffer)                                                                        \
    X(clCreateFromGLTexture)                                                                       \
    X(clCreateFromGLTexture2D)                                                                     \
    X(clCreateFromGLTexture3D)                                                                     \
    X(clCreateFromGLRenderbuffer)                                                                  \
    X(clGetGLObjectInfo)                                                                           \
    X(clGetGLTextureInfo)                                                                          \
    X(clEnqueueAcquireGLObjects)                                                                   \
    X(clEnqueueReleaseGLObjects)                                                                   \
    X(clGetGLContextInfoKHR)                                                                       \
    X(clCreateSubDevicesEXT)                                                                       \
    X(clRetainDeviceEXT)                                                                           \
    X(clReleaseDeviceEXT)                                                                          \
    X(clCreateEventFromGLsyncKHR)                                                                  \
    X(clCreateFromEGLImageKHR)                                                                     \
    X(clEnqueueAcquireEGLObjectsKHR)                                                               \
    X(clEnqueueReleaseEGLObjectsKHR)                                                               \
    X(clCreateEventFromEGLSyncKHR)                                                                 \
    X(clGetKernelSubGroupInfoKHR)

#define API_DECLARE(name) extern __typeof__(*(cl_api_##name)0) api_##name;
API_CORE(API_DECLARE)
API_EXTENSIONS(API_DECLARE)

/* Of cl_khr_icd; not in the table. */
cl_int api_clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                  cl_uint *num_platforms);

/* Functions of extensions without a slot: found by name (icd/icd.c). */
#define API_BY_NAME(X)                                                                             \
    X(clGetKernelSuggestedLocalWorkSizeKHR)                                                        \
    X(clSetKernelArgDevicePointerEXT)                                                              \
    X(clHostMemAllocINTEL)                                                                         \
    X(clDeviceMemAllocINTEL)                                                                       \
    X(clSharedMemAllocINTEL)                                                                       \
    X(clMemFreeINTEL)                                                                              \
    X(clMemBlockingFreeINTEL)                                                                      \
    X(clGetMemAllocInfoINTEL)                                                                      \
    X(clSetKernelArgMemPointerINTEL)                                                               \
    X(clEnqueueMemFillINTEL)                                                                       \
    X(clEnqueueMemcpyINTEL)                                                                        \
    X(clEnqueueMigrateMemINTEL)                                                                    \
    X(clEnqueueMemAdviseINTEL)
#define API_DECLARE_BY_NAME(name) extern __typeof__(name) api_##name;
API_BY_NAME(API_DECLARE_BY_NAME)

/* Slots whose types exist on Windows only: Direct3D and DX9 sharing. A function that creates a
 * memory object has errcode_ret in a place of its own; the rest return a code. */
cl_int api_d3d_unsupported(void);
cl_mem api_d3d10_create_buffer(cl_context, cl_mem_flags, void *, cl_int *);
cl_mem api_d3d_create_texture(cl_context, cl_mem_flags, void *, cl_uint, cl_int *);
cl_mem api_dx9_create_surface(cl_context, cl_mem_flags, cl_uint, void *, cl_uint, cl_int *);

/* Every object points to this table first (cl_khr_icd). */
extern const struct _cl_icd_dispatch rawcl_dispatch;

#endif
