/* SPDX-License-Identifier: MIT */
/* pipe.c - pipes. The language's part is AMD's device library; a pipe is a buffer laid out as it
 * expects it (ROCm-Device-Libs, opencl/src/pipes/pipes.h): three counters in the first 128 bytes,
 * then the packets.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/info.h"
#include "runtime/mem.h"
#include "runtime/platform.h"
#include "runtime/transfer.h"

#define HEADER_BYTES 128u

struct pipe_header {
    uint64_t read_index, write_index, packets;
};

CL_API_ENTRY cl_mem CL_API_CALL api_clCreatePipe(cl_context context, cl_mem_flags flags,
                                                 cl_uint packet_size, cl_uint max_packets,
                                                 const cl_pipe_properties *properties,
                                                 cl_int *errcode_ret) {
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;

    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (platform_is_orphan()) REFUSE_NULL(CL_OUT_OF_RESOURCES, "forked child");
    if (flags & ~known) REFUSE_NULL(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
    if (properties) REFUSE_NULL(CL_INVALID_VALUE, "properties must be NULL");
    uint64_t bytes = HEADER_BYTES + (uint64_t)packet_size * max_packets;
    if (!packet_size || !max_packets || packet_size > DEVICE_PIPE_MAX_PACKET)
        REFUSE_NULL(CL_INVALID_PIPE_SIZE, "%u packets of %u bytes", max_packets, packet_size);
    for (cl_uint i = 0; i < context->device_count; i++)
        if (bytes > device_max_alloc(context->devices[i]))
            REFUSE_NULL(CL_INVALID_PIPE_SIZE, "%u packets of %u bytes", max_packets, packet_size);
    cl_int err;
    cl_mem mem = mem_create_backed(context, CL_MEM_OBJECT_PIPE,
                                   CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, bytes, &err);
    if (!mem) REFUSE_NULL(err, "%llu bytes", (unsigned long long)bytes);
    struct pipe_header h = {.packets = max_packets};
    mem->pipe_packet_size = packet_size;
    mem->pipe_max_packets = max_packets;
    if (transfer_bytes(context->devices[0], mem_va(mem, 0), &h, sizeof h, true)) {
        obj_put(mem);
        REFUSE_NULL(CL_OUT_OF_RESOURCES, "the pipe could not be set up");
    }
    mem->backing->valid = 1;
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return mem;
}

CL_API_ENTRY cl_int CL_API_CALL api_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name,
                                                  size_t param_value_size, void *param_value,
                                                  size_t *param_value_size_ret) {
    if (!obj_ok(pipe, &obj_type_mem) || pipe->type != CL_MEM_OBJECT_PIPE)
        REFUSE(CL_INVALID_MEM_OBJECT, "not a pipe");
    switch (param_name) {
    case CL_PIPE_PACKET_SIZE:
        INFO_VALUE(cl_uint, pipe->pipe_packet_size);
    case CL_PIPE_MAX_PACKETS:
        INFO_VALUE(cl_uint, pipe->pipe_max_packets);
    case CL_PIPE_PROPERTIES:
        INFO_BYTES(NULL, 0);
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}
