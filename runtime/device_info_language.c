/* SPDX-License-Identifier: MIT */
/* device_info_language.c - device queries about extensions of OpenCL C: cl_khr_integer_dot_product,
 * cl_khr_kernel_clock.
 */
#include "runtime/device.h"
#include "runtime/device_info.h"
#include "runtime/info.h"

#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR /* newer than Debian's headers */
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR     0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR     (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR  (1 << 2)
#endif

cl_int device_info_language(cl_device_id dev, cl_device_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret) {
    (void)dev;
    switch (param_name) {
    case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
        INFO_VALUE(cl_bitfield, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
                                    CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR);
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: {
        /* V_DOT4_I32_IU8, V_DOT4_U32_U8: any signedness, the sum saturates in the instruction */
        cl_device_integer_dot_product_acceleration_properties_khr all = {CL_TRUE, CL_TRUE, CL_TRUE,
                                                                         CL_TRUE, CL_TRUE, CL_TRUE};
        INFO_BYTES(&all, sizeof all);
    }
    case CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR:
        INFO_VALUE(cl_bitfield, CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR |
                                    CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR |
                                    CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR);
    default:
        return CL_INVALID_VALUE;
    }
}
