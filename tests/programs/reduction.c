/* SPDX-License-Identifier: MIT */
/* Sum and maximum of integers: a tree in local memory, then atomics in global memory. */
#include "tests/programs/util.h"

static const char source[] =
    "kernel void reduce(global const uint *in, uint n, global uint *sum, global uint *top)\n"
    "{\n"
    "    local uint part[256];\n"
    "    local uint lmax;\n"
    "    uint l = get_local_id(0), acc = 0, m = 0;\n"
    "    if (l == 0) lmax = 0;\n"
    "    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
    "        acc += in[i];\n"
    "        m = max(m, in[i]);\n"
    "    }\n"
    "    part[l] = acc;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_max(&lmax, m);\n"
    "    for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {\n"
    "        if (l < s) part[l] += part[l + s];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (l == 0) {\n"
    "        atomic_add(sum, part[0]);\n"
    "        atomic_max(top, lmax);\n"
    "    }\n"
    "}\n";

enum { N = 1 << 20 };

int main(void) {
    static cl_uint in[N];
    unsigned long long seed = 3;
    cl_uint want_sum = 0, want_top = 0;
    for (int i = 0; i < N; i++) {
        in[i] = (cl_uint)(next_random(&seed) >> 33);
        want_sum += in[i];
        if (in[i] > want_top) want_top = in[i];
    }
    struct cl cl;
    cl_start(&cl);
    cl_build(&cl, source, NULL);
    cl_kernel k = cl_kernel_named(&cl, "reduce");
    cl_uint out[2] = {0, 0}, n = N;
    cl_mem min = cl_buffer(&cl, CL_MEM_READ_ONLY, sizeof in, in);
    cl_mem sum = cl_buffer(&cl, CL_MEM_READ_WRITE, 4, &out[0]);
    cl_mem top = cl_buffer(&cl, CL_MEM_READ_WRITE, 4, &out[1]);
    CHECK(clSetKernelArg(k, 0, sizeof min, &min));
    CHECK(clSetKernelArg(k, 1, sizeof n, &n));
    CHECK(clSetKernelArg(k, 2, sizeof sum, &sum));
    CHECK(clSetKernelArg(k, 3, sizeof top, &top));
    size_t local = 256, global = 256 * 64;
    cl_ulong ns = cl_run(&cl, k, 1, &global, &local);
    cl_read(&cl, sum, 4, &out[0]);
    cl_read(&cl, top, 4, &out[1]);
    CHECK(clReleaseMemObject(min));
    CHECK(clReleaseMemObject(sum));
    CHECK(clReleaseMemObject(top));
    CHECK(clReleaseKernel(k));
    cl_stop(&cl);
    return report("reduction", out[0] == want_sum && out[1] == want_top,
                  "sum %u want %u, max %u want %u, %.2f ms", out[0], want_sum, out[1], want_top,
                  ns / 1e6);
}
