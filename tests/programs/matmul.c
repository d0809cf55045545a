/* SPDX-License-Identifier: MIT */
/* Tiled matrix product: local memory, barriers, two dimensions. */
#include "tests/programs/util.h"

#include <math.h>

static const char source[] =
    "#define T 16\n"
    "kernel __attribute__((reqd_work_group_size(T, T, 1)))\n"
    "void matmul(global const float *a, global const float *b, global float *c, int n)\n"
    "{\n"
    "    local float ta[T][T], tb[T][T];\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    int lx = get_local_id(0), ly = get_local_id(1);\n"
    "    float sum = 0;\n"
    "    for (int t = 0; t < n; t += T) {\n"
    "        ta[ly][lx] = a[y * n + t + lx];\n"
    "        tb[ly][lx] = b[(t + ly) * n + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < T; k++) sum += ta[ly][k] * tb[k][lx];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[y * n + x] = sum;\n"
    "}\n";

enum { N = 192 };

int main(void) {
    static float a[N * N], b[N * N], c[N * N];
    unsigned long long seed = 2;
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(next_random(&seed) >> 40) / (1 << 24) - 0.5f;
        b[i] = (float)(next_random(&seed) >> 40) / (1 << 24) - 0.5f;
    }
    struct cl cl;
    cl_start(&cl);
    cl_build(&cl, source, NULL);
    cl_kernel k = cl_kernel_named(&cl, "matmul");
    cl_mem ma = cl_buffer(&cl, CL_MEM_READ_ONLY, sizeof a, a);
    cl_mem mb = cl_buffer(&cl, CL_MEM_READ_ONLY, sizeof b, b);
    cl_mem mc = cl_buffer(&cl, CL_MEM_WRITE_ONLY, sizeof c, NULL);
    int n = N;
    CHECK(clSetKernelArg(k, 0, sizeof ma, &ma));
    CHECK(clSetKernelArg(k, 1, sizeof mb, &mb));
    CHECK(clSetKernelArg(k, 2, sizeof mc, &mc));
    CHECK(clSetKernelArg(k, 3, sizeof n, &n));
    size_t global[2] = {N, N}, local[2] = {16, 16};
    cl_ulong ns = cl_run(&cl, k, 2, global, local);
    cl_read(&cl, mc, sizeof c, c);
    double worst = 0; /* against the sum of |products|: the bound of a length-N float sum */
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            double want = 0, mag = 0;
            for (int i = 0; i < N; i++) {
                double p = (double)a[y * N + i] * b[i * N + x];
                want += p;
                mag += fabs(p);
            }
            double err = fabs(c[y * N + x] - want) / mag;
            if (!(err <= worst)) worst = err;
        }
    CHECK(clReleaseMemObject(ma));
    CHECK(clReleaseMemObject(mb));
    CHECK(clReleaseMemObject(mc));
    CHECK(clReleaseKernel(k));
    cl_stop(&cl);
    return report("matmul", worst < N * 0x1p-24, "%dx%d, relative error %.2g, %.2f ms", N, N, worst,
                  ns / 1e6);
}
