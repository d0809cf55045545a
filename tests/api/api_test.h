/* SPDX-License-Identifier: MIT */
/* api_test.h - what the API tests share: a context and queues on the first RawCL device, through
 * the ICD loader.
 */
#ifndef RAWCL_TESTS_API_TEST_H
#define RAWCL_TESTS_API_TEST_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_ok(expr)       assert_int_equal((expr), CL_SUCCESS)
#define assert_err(expr, err) assert_int_equal((expr), (err))

struct env {
    cl_platform_id platform;
    cl_device_id device;
    cl_uint device_count;
    cl_device_id devices[4];
    cl_context ctx;
    cl_command_queue queue; /* in order, profiling */
    cl_command_queue ooo;   /* out of order, profiling */
};

extern struct env env;

/* Group setup and teardown of every test program. */
int env_setup(void **state);
int env_teardown(void **state);

/* The same sources run on the real stack and, as far as fake_kernels.c knows them, on the fake. */
extern const char *const kernels_source;

cl_program build_source(const char *source, const char *options);
cl_kernel make_kernel(cl_program program, const char *name);
cl_mem make_buffer(cl_mem_flags flags, size_t size, void *ptr);
cl_int event_status(cl_event ev);
bool is_fake(void);

#endif
