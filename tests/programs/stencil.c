/* SPDX-License-Identifier: MIT */
/* A double-precision five-point stencil, several steps, against the same operations on the host. */
#include "tests/programs/util.h"

#include <math.h>
#include <string.h>

static const char source[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "kernel void stencil_step(global const double *in, global double *out, int w, int h)\n"
    "{\n"
    "    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;\n"
    "    int i = y * w + x;\n"
    "    out[i] = in[i] * 0.5 + (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]) * 0.125;\n"
    "}\n";

enum { W = 130, H = 98, STEPS = 8 };

int main(void) {
    static double a[2][W * H], got[W * H];
    unsigned long long seed = 4;
    for (int i = 0; i < W * H; i++)
        a[0][i] = a[1][i] = (double)(next_random(&seed) >> 11) * 0x1p-53;
    struct cl cl;
    cl_start(&cl);
    cl_build(&cl, source, NULL);
    cl_kernel k = cl_kernel_named(&cl, "stencil_step");
    cl_mem m[2] = {cl_buffer(&cl, CL_MEM_READ_WRITE, sizeof got, a[0]),
                   cl_buffer(&cl, CL_MEM_READ_WRITE, sizeof got, a[0])};
    int w = W, h = H;
    size_t global[2] = {W - 2, H - 2};
    cl_ulong ns = 0;
    for (int s = 0; s < STEPS; s++) {
        CHECK(clSetKernelArg(k, 0, sizeof m[0], &m[s & 1]));
        CHECK(clSetKernelArg(k, 1, sizeof m[0], &m[~s & 1]));
        CHECK(clSetKernelArg(k, 2, sizeof w, &w));
        CHECK(clSetKernelArg(k, 3, sizeof h, &h));
        ns += cl_run(&cl, k, 2, global, NULL);
        const double *in = a[s & 1];
        double *out = a[~s & 1];
        for (int y = 1; y < H - 1; y++)
            for (int x = 1; x < W - 1; x++) {
                int i = y * W + x;
                out[i] = in[i] * 0.5 + (in[i - 1] + in[i + 1] + in[i - W] + in[i + W]) * 0.125;
            }
    }
    cl_read(&cl, m[STEPS & 1], sizeof got, got);
    bool ok = memcmp(got, a[STEPS & 1], sizeof got) == 0;
    CHECK(clReleaseMemObject(m[0]));
    CHECK(clReleaseMemObject(m[1]));
    CHECK(clReleaseKernel(k));
    cl_stop(&cl);
    return report("stencil", ok, "%dx%d doubles, %d steps, bit for bit, %.2f ms", W, H, STEPS,
                  ns / 1e6);
}
