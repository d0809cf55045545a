/* SPDX-License-Identifier: MIT */
#include "tests/api/api_test.h"

struct env env;

const char *const kernels_source =
    "kernel void vadd(global const int *a, global const int *b, global int *c) {\n"
    "    size_t i = get_global_id(0);\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n"
    "kernel void add_to(global int *p, int v) { p[get_global_id(0)] += v; }\n"
    "kernel void empty() {}\n"
    "kernel void slow(global int *p) {\n"
    "    size_t i = get_global_id(0);\n"
    "    int v = p[i];\n"
    "    for (int n = 0; n < 30000; n++) v = v * 1664525 + 1013904223;\n"
    "    p[i] = v == 12345 ? v : p[i] * 2;\n"
    "}\n";

static cl_platform_id find_platform(void) {
    cl_platform_id ids[8];
    cl_uint n = 0;

    if (clGetPlatformIDs(8, ids, &n)) return NULL;
    for (cl_uint i = 0; i < n && i < 8; i++) {
        char name[64] = "";
        clGetPlatformInfo(ids[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (!strcmp(name, "RawCL")) return ids[i];
    }
    return NULL;
}

int env_setup(void **state) {
    (void)state;
    env.platform = find_platform();
    if (!env.platform) return -1;
    if (clGetDeviceIDs(env.platform, CL_DEVICE_TYPE_ALL, 4, env.devices, &env.device_count))
        return -1;
    env.device = env.devices[0];
    cl_int err;
    env.ctx = clCreateContext(NULL, env.device_count > 4 ? 4 : env.device_count, env.devices, NULL,
                              NULL, &err);
    if (err) return -1;
    env.queue = clCreateCommandQueue(env.ctx, env.device, CL_QUEUE_PROFILING_ENABLE, &err);
    if (err) return -1;
    env.ooo = clCreateCommandQueue(
        env.ctx, env.device, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        &err);
    return err ? -1 : 0;
}

int env_teardown(void **state) {
    (void)state;
    clReleaseCommandQueue(env.queue);
    clReleaseCommandQueue(env.ooo);
    clReleaseContext(env.ctx);
    return 0;
}

cl_program build_source(const char *source, const char *options) {
    cl_int err;
    cl_program p = clCreateProgramWithSource(env.ctx, 1, &source, NULL, &err);

    assert_ok(err);
    err = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    if (err) {
        char log[4096] = "";
        clGetProgramBuildInfo(p, env.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        print_message("%s\n", log);
    }
    assert_ok(err);
    return p;
}

cl_kernel make_kernel(cl_program program, const char *name) {
    cl_int err;
    cl_kernel k = clCreateKernel(program, name, &err);

    assert_ok(err);
    return k;
}

cl_mem make_buffer(cl_mem_flags flags, size_t size, void *ptr) {
    cl_int err;
    cl_mem m = clCreateBuffer(env.ctx, flags, size, ptr, &err);

    assert_ok(err);
    return m;
}

cl_int event_status(cl_event ev) {
    cl_int status = -1000;

    assert_ok(clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

bool is_fake(void) {
    char name[128] = "";

    clGetDeviceInfo(env.device, CL_DEVICE_NAME, sizeof name, name, NULL);
    return strstr(name, "Fake") != NULL;
}
