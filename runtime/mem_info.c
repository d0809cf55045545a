/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "runtime/context.h"
#include "runtime/error.h"
#include "runtime/info.h"
#include "runtime/mem.h"

CL_API_ENTRY cl_int CL_API_CALL api_clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name,
                                                       size_t param_value_size, void *param_value,
                                                       size_t *param_value_size_ret) {
    if (!obj_ok(memobj, &obj_type_mem)) REFUSE(CL_INVALID_MEM_OBJECT, "not a memory object");
    switch (param_name) {
    case CL_MEM_TYPE:
        INFO_VALUE(cl_mem_object_type, memobj->type);
    case CL_MEM_FLAGS:
        INFO_VALUE(cl_mem_flags, memobj->flags);
    case CL_MEM_SIZE:
        INFO_VALUE(size_t, memobj->size);
    case CL_MEM_HOST_PTR:
        INFO_VALUE(void *, memobj->host_ptr);
    case CL_MEM_MAP_COUNT: {
        pthread_mutex_lock(&memobj->lock);
        cl_uint count = memobj->map_count;
        pthread_mutex_unlock(&memobj->lock);
        INFO_VALUE(cl_uint, count);
    }
    case CL_MEM_REFERENCE_COUNT:
        INFO_VALUE(cl_uint, obj_user_count(memobj));
    case CL_MEM_CONTEXT:
        INFO_VALUE(cl_context, memobj->ctx);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        INFO_VALUE(cl_mem, memobj->parent);
    case CL_MEM_OFFSET:
        INFO_VALUE(size_t, memobj->origin);
    case CL_MEM_USES_SVM_POINTER:
        INFO_VALUE(cl_bool, memobj->backing->svm != NULL);
    case CL_MEM_PROPERTIES:
        INFO_BYTES(memobj->properties, memobj->property_count * sizeof *memobj->properties);
    case CL_MEM_DEVICE_ADDRESS_EXT: {
        cl_mem_device_address_ext addresses[32];
        cl_uint n = memobj->ctx->device_count;
        if (!memobj->has_address) REFUSE(CL_INVALID_OPERATION, "not made for it");
        for (cl_uint i = 0; i < n; i++) {
            if (mem_allocate(memobj, (int)i)) return CL_OUT_OF_RESOURCES;
            addresses[i] = mem_va(memobj, (int)i);
        }
        INFO_BYTES(addresses, n * sizeof addresses[0]);
    }
    default:
        REFUSE(CL_INVALID_VALUE, "param_name 0x%x", param_name);
    }
}
