/* SPDX-License-Identifier: MIT */
/* Unified shared memory, pipes, and the small extensions of queues and devices. */
#include "tests/api/api_test.h"

enum { N = 1024 };

static cl_program program;

static int setup(void **state) {
    if (env_setup(state)) return -1;
    program = build_source(kernels_source, "");
    return 0;
}

static int teardown(void **state) {
    clReleaseProgram(program);
    return env_teardown(state);
}

#define FUNCTION(name)                                                                             \
    name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(env.platform, #name);     \
    assert_non_null(name)

static void usm_moves_between_kinds(void **state) {
    FUNCTION(clHostMemAllocINTEL);
    FUNCTION(clDeviceMemAllocINTEL);
    FUNCTION(clSharedMemAllocINTEL);
    FUNCTION(clMemBlockingFreeINTEL);
    FUNCTION(clMemFreeINTEL);
    FUNCTION(clSetKernelArgMemPointerINTEL);
    FUNCTION(clEnqueueMemcpyINTEL);
    FUNCTION(clEnqueueMemFillINTEL);
    const size_t bytes = N * sizeof(int), n = N;
    cl_int err, v = 3, one = 1;
    int plain[N];
    cl_kernel k = make_kernel(program, "add_to");

    (void)state;
    int *host = clHostMemAllocINTEL(env.ctx, NULL, bytes, 0, &err);
    assert_ok(err);
    int *dev = clDeviceMemAllocINTEL(env.ctx, env.device, NULL, bytes, 64, &err);
    assert_ok(err);
    int *shared = clSharedMemAllocINTEL(env.ctx, env.device, NULL, bytes, 0, &err);
    assert_ok(err);
    for (int i = 0; i < N; i++)
        host[i] = i;
    assert_ok(clEnqueueMemcpyINTEL(env.queue, CL_FALSE, dev, host, bytes, 0, NULL, NULL));
    assert_ok(clSetKernelArgMemPointerINTEL(k, 0, dev));
    assert_ok(clSetKernelArg(k, 1, sizeof v, &v));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    assert_ok(clEnqueueMemcpyINTEL(env.queue, CL_FALSE, shared, dev, bytes, 0, NULL, NULL));
    assert_ok(clEnqueueMemcpyINTEL(env.queue, CL_TRUE, plain, dev, bytes, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        assert_int_equal(shared[i], i + 3);
        assert_int_equal(plain[i], i + 3);
    }
    plain[7] = -7;
    assert_ok(clEnqueueMemcpyINTEL(env.queue, CL_FALSE, dev, plain, bytes, 0, NULL, NULL));
    assert_ok(clEnqueueMemFillINTEL(env.queue, dev + 8, &one, 4, 8, 0, NULL, NULL));
    assert_ok(clEnqueueMemcpyINTEL(env.queue, CL_TRUE, host, dev, bytes, 0, NULL, NULL));
    assert_int_equal(host[7], -7);
    assert_int_equal(host[8], 1);
    assert_int_equal(host[9], 1);
    assert_int_equal(host[10], 13);
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    assert_ok(clMemBlockingFreeINTEL(env.ctx, dev)); /* after the kernel */
    assert_ok(clMemFreeINTEL(env.ctx, host));
    assert_ok(clMemFreeINTEL(env.ctx, shared));
    assert_err(clMemFreeINTEL(env.ctx, plain), CL_INVALID_VALUE);
    clReleaseKernel(k);
}

static void usm_queries_and_errors(void **state) {
    FUNCTION(clDeviceMemAllocINTEL);
    FUNCTION(clHostMemAllocINTEL);
    FUNCTION(clGetMemAllocInfoINTEL);
    FUNCTION(clMemFreeINTEL);
    const cl_mem_properties_intel good[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                            CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0};
    const cl_mem_properties_intel bad[] = {0x1234, 0, 0};
    cl_int err;
    char *p = clDeviceMemAllocINTEL(env.ctx, env.device, good, 1000, 0, &err);
    cl_unified_shared_memory_type_intel type;
    void *base;
    size_t size;
    cl_device_id dev;
    cl_mem_alloc_flags_intel flags;
    cl_device_unified_shared_memory_capabilities_intel caps;

    (void)state;
    assert_ok(err);
    assert_ok(clGetMemAllocInfoINTEL(env.ctx, p + 999, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type,
                                     NULL));
    assert_int_equal(type, CL_MEM_TYPE_DEVICE_INTEL);
    assert_ok(clGetMemAllocInfoINTEL(env.ctx, p + 9, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base,
                                     &base, NULL));
    assert_ptr_equal(base, p);
    assert_ok(
        clGetMemAllocInfoINTEL(env.ctx, p, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
    assert_int_equal(size, 1000);
    assert_ok(
        clGetMemAllocInfoINTEL(env.ctx, p, CL_MEM_ALLOC_DEVICE_INTEL, sizeof dev, &dev, NULL));
    assert_ptr_equal(dev, env.device);
    assert_ok(
        clGetMemAllocInfoINTEL(env.ctx, p, CL_MEM_ALLOC_FLAGS_INTEL, sizeof flags, &flags, NULL));
    assert_int_equal(flags, CL_MEM_ALLOC_WRITE_COMBINED_INTEL);
    assert_ok(clMemFreeINTEL(env.ctx, p));
    assert_ok(
        clGetMemAllocInfoINTEL(env.ctx, p, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    assert_int_equal(type, CL_MEM_TYPE_UNKNOWN_INTEL);
    assert_null(clHostMemAllocINTEL(env.ctx, bad, 64, 0, &err));
    assert_err(err, CL_INVALID_PROPERTY);
    assert_null(clHostMemAllocINTEL(env.ctx, NULL, 0, 0, &err));
    assert_err(err, CL_INVALID_BUFFER_SIZE);
    assert_null(clHostMemAllocINTEL(env.ctx, NULL, 64, 3, &err));
    assert_err(err, CL_INVALID_VALUE);
    assert_ok(clGetDeviceInfo(env.device, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, sizeof caps,
                              &caps, NULL));
    assert_true(caps & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL);
}

static void pipe_objects(void **state) {
    cl_int err;
    cl_uint v;
    cl_mem p = clCreatePipe(env.ctx, 0, 16, 100, NULL, &err);
    int x;

    (void)state;
    assert_ok(err);
    assert_ok(clGetPipeInfo(p, CL_PIPE_PACKET_SIZE, sizeof v, &v, NULL));
    assert_int_equal(v, 16);
    assert_ok(clGetPipeInfo(p, CL_PIPE_MAX_PACKETS, sizeof v, &v, NULL));
    assert_int_equal(v, 100);
    assert_ok(clGetMemObjectInfo(p, CL_MEM_TYPE, sizeof v, &v, NULL));
    assert_int_equal(v, CL_MEM_OBJECT_PIPE);
    assert_err(clEnqueueReadBuffer(env.queue, p, CL_TRUE, 0, 4, &x, 0, NULL, NULL),
               CL_INVALID_MEM_OBJECT);
    cl_mem b = make_buffer(0, 64, NULL);
    assert_err(clGetPipeInfo(b, CL_PIPE_PACKET_SIZE, sizeof v, &v, NULL), CL_INVALID_MEM_OBJECT);
    cl_kernel k = make_kernel(program, "add_to");
    assert_err(clSetKernelArg(k, 0, sizeof p, &p), CL_INVALID_MEM_OBJECT);
    clReleaseKernel(k);
    clReleaseMemObject(b);
    clReleaseMemObject(p);
    assert_null(clCreatePipe(env.ctx, 0, 0, 100, NULL, &err));
    assert_err(err, CL_INVALID_PIPE_SIZE);
    assert_null(clCreatePipe(env.ctx, CL_MEM_COPY_HOST_PTR, 4, 100, NULL, &err));
    assert_err(err, CL_INVALID_VALUE);
}

static void pipe_carries_packets(void **state) {
    const char *src = "kernel void put(write_only pipe int p) {\n"
                      "    int v = (int)get_global_id(0) * 3;\n"
                      "    write_pipe(p, &v);\n"
                      "}\n"
                      "kernel void take(read_only pipe int p, global int *out) {\n"
                      "    int v = -1;\n"
                      "    read_pipe(p, &v);\n"
                      "    out[get_global_id(0)] = v;\n"
                      "}\n"
                      "kernel void left(read_only pipe int p, global uint *n) {\n"
                      "    n[0] = get_pipe_num_packets(p); n[1] = get_pipe_max_packets(p);\n"
                      "}\n";
    size_t n = N, one = 1;
    cl_int err, out[N];
    cl_uint left[2];
    long sum = 0;

    (void)state;
    if (is_fake()) skip();
    cl_program prog = build_source(src, "-cl-std=CL2.0");
    cl_mem pipe = clCreatePipe(env.ctx, 0, sizeof(int), 2 * N, NULL, &err);
    assert_ok(err);
    cl_mem b = make_buffer(0, sizeof out, NULL);
    cl_kernel put = make_kernel(prog, "put"), take = make_kernel(prog, "take"),
              count = make_kernel(prog, "left");
    assert_err(clSetKernelArg(put, 0, sizeof b, &b), CL_INVALID_MEM_OBJECT);
    assert_ok(clSetKernelArg(put, 0, sizeof pipe, &pipe));
    assert_ok(clSetKernelArg(take, 0, sizeof pipe, &pipe));
    assert_ok(clSetKernelArg(take, 1, sizeof b, &b));
    assert_ok(clSetKernelArg(count, 0, sizeof pipe, &pipe));
    assert_ok(clSetKernelArg(count, 1, sizeof b, &b));
    assert_ok(clEnqueueNDRangeKernel(env.queue, put, 1, NULL, &n, NULL, 0, NULL, NULL));
    assert_ok(clEnqueueNDRangeKernel(env.queue, count, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, b, CL_TRUE, 0, sizeof left, left, 0, NULL, NULL));
    assert_int_equal(left[0], N);
    assert_int_equal(left[1], 2 * N);
    assert_ok(clEnqueueNDRangeKernel(env.queue, take, 1, NULL, &n, NULL, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        assert_int_equal(out[i] % 3, 0);
        sum += out[i];
    }
    assert_int_equal(sum, 3l * N * (N - 1) / 2);
    clReleaseKernel(put);
    clReleaseKernel(take);
    clReleaseKernel(count);
    clReleaseMemObject(b);
    clReleaseMemObject(pipe);
    clReleaseProgram(prog);
}

static void device_addresses(void **state) {
    typedef cl_int(CL_API_CALL * set_fn)(cl_kernel, cl_uint, cl_ulong);
    set_fn set = (set_fn)clGetExtensionFunctionAddressForPlatform(env.platform,
                                                                  "clSetKernelArgDevicePointerEXT");
    const cl_mem_properties props[] = {0x5000, CL_TRUE, 0};
    int in[N], out[N];
    cl_int err, v = 5;
    cl_ulong address[4] = {0};
    size_t size = 0, n = N - 2;

    (void)state;
    assert_non_null(set);
    for (int i = 0; i < N; i++)
        in[i] = i;
    cl_mem b =
        clCreateBufferWithProperties(env.ctx, props, CL_MEM_COPY_HOST_PTR, sizeof in, in, &err);
    assert_ok(err);
    assert_ok(clGetMemObjectInfo(b, 0x5001, sizeof address, address, &size));
    assert_int_equal(size, env.device_count * sizeof address[0]);
    cl_kernel k = make_kernel(program, "add_to");
    assert_ok(set(k, 0, address[0] + 8));
    assert_err(set(k, 1, address[0]), CL_INVALID_ARG_INDEX);
    assert_err(set(k, 2, address[0]), CL_INVALID_ARG_INDEX);
    assert_err(set(NULL, 0, address[0]), CL_INVALID_KERNEL);
    assert_ok(clSetKernelArg(k, 1, sizeof v, &v));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], i + (i < 2 ? 0 : 5));
    clReleaseMemObject(b);
    b = make_buffer(0, 64, NULL);
    assert_err(clGetMemObjectInfo(b, 0x5001, sizeof address, address, &size), CL_INVALID_OPERATION);
    clReleaseMemObject(b);
    clReleaseKernel(k);
}

static void hints(void **state) {
    cl_int err;
    cl_queue_properties list[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR,
                                  CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, 0};
    cl_queue_properties back[5];
    cl_command_queue q = clCreateCommandQueueWithProperties(env.ctx, env.device, list, &err);

    (void)state;
    assert_ok(err);
    assert_ok(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof back, back, NULL));
    assert_memory_equal(back, list, sizeof back);
    clReleaseCommandQueue(q);
    list[1] = 3;
    assert_null(clCreateCommandQueueWithProperties(env.ctx, env.device, list, &err));
    assert_err(err, CL_INVALID_VALUE);
}

static void amd_attributes(void **state) {
    cl_uint v;
    cl_device_topology_amd t;

    (void)state;
    assert_ok(clGetDeviceInfo(env.device, CL_DEVICE_WAVEFRONT_WIDTH_AMD, sizeof v, &v, NULL));
    assert_true(v == 32 || v == 64);
    assert_ok(clGetDeviceInfo(env.device, CL_DEVICE_GFXIP_MAJOR_AMD, sizeof v, &v, NULL));
    assert_in_range(v, 11, 12);
    assert_ok(clGetDeviceInfo(env.device, CL_DEVICE_TOPOLOGY_AMD, sizeof t, &t, NULL));
    assert_int_equal(t.pcie.type, CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usm_moves_between_kinds),
        cmocka_unit_test(usm_queries_and_errors),
        cmocka_unit_test(pipe_objects),
        cmocka_unit_test(pipe_carries_packets),
        cmocka_unit_test(device_addresses),
        cmocka_unit_test(hints),
        cmocka_unit_test(amd_attributes),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
