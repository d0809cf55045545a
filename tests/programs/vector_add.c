/* SPDX-License-Identifier: MIT */
/* c = a + b on a million integers. */
#include "tests/programs/util.h"

static const char source[] = "kernel void add(global const int *a, global const int *b,\n"
                             "                global int *c, int n)\n"
                             "{\n"
                             "    int i = get_global_id(0);\n"
                             "    if (i < n) c[i] = a[i] + b[i];\n"
                             "}\n";

enum { N = 1000003 }; /* not a multiple of anything: the tail must be right too */

int main(void) {
    static int a[N], b[N], c[N];
    unsigned long long seed = 1;
    for (int i = 0; i < N; i++) {
        a[i] = (int)(next_random(&seed) >> 34);
        b[i] = (int)(next_random(&seed) >> 34);
    }
    struct cl cl;
    cl_start(&cl);
    cl_build(&cl, source, NULL);
    cl_kernel k = cl_kernel_named(&cl, "add");
    cl_mem ma = cl_buffer(&cl, CL_MEM_READ_ONLY, sizeof a, a);
    cl_mem mb = cl_buffer(&cl, CL_MEM_READ_ONLY, sizeof b, b);
    cl_mem mc = cl_buffer(&cl, CL_MEM_WRITE_ONLY, sizeof c, NULL);
    int n = N;
    CHECK(clSetKernelArg(k, 0, sizeof ma, &ma));
    CHECK(clSetKernelArg(k, 1, sizeof mb, &mb));
    CHECK(clSetKernelArg(k, 2, sizeof mc, &mc));
    CHECK(clSetKernelArg(k, 3, sizeof n, &n));
    size_t local = 256, global = (N + local - 1) / local * local;
    cl_ulong ns = cl_run(&cl, k, 1, &global, &local);
    cl_read(&cl, mc, sizeof c, c);
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];
    CHECK(clReleaseMemObject(ma));
    CHECK(clReleaseMemObject(mb));
    CHECK(clReleaseMemObject(mc));
    CHECK(clReleaseKernel(k));
    cl_stop(&cl);
    return report("vector_add", wrong == 0, "%d elements, %d wrong, %.2f ms", N, wrong, ns / 1e6);
}
