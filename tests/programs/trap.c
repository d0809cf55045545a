/* SPDX-License-Identifier: MIT */
/* A kernel that gives up with __builtin_trap(), one that loops for ever and one that writes where
 * nothing is: each ends with an error, and the next queue works. Run with RAWCL_EMU_TIMEOUT=1. */
#include <string.h>

#include "tests/programs/util.h"

static const char source[] = "kernel void check(global const int *a, int limit)\n"
                             "{\n"
                             "    if (a[get_global_id(0)] > limit) __builtin_trap();\n"
                             "}\n"
                             "kernel void endless(global int *a)\n"
                             "{\n"
                             "    while (atomic_add(&a[0], 0) == 0) ;\n"
                             "}\n"
                             "kernel void wild(global int *a, ulong far)\n"
                             "{\n"
                             "    a[far + get_global_id(0)] = 1;\n"
                             "}\n"
                             "kernel void twice(global int *a)\n"
                             "{\n"
                             "    a[get_global_id(0)] *= 2;\n"
                             "}\n";

enum { N = 4096 };

/* The command's end: its status. */
static cl_int run(struct cl *cl, cl_command_queue q, cl_kernel k) {
    cl_event e;
    size_t global = N, local = 64;
    cl_int status = 0;
    (void)cl;
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &e));
    cl_int err = clWaitForEvents(1, &e);
    CHECK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(clReleaseEvent(e));
    return err ? status : status == CL_COMPLETE ? 0 : status;
}

int main(void) {
    static int a[N];
    for (int i = 0; i < N; i++)
        a[i] = i;
    struct cl cl;
    cl_start(&cl);
    cl_build(&cl, source, NULL);
    int limit = N - 2, failed = 0, wrong = 0;
    cl_ulong far = 1ull << 32;
    static const char *const names[] = {"check", "endless", "wild"};
    for (int round = 0; round < 6; round++) {
        const char *name = names[round % 3];
        cl_int err;
        cl_mem m = cl_buffer(&cl, CL_MEM_READ_WRITE, sizeof a, a);
        cl_command_queue q = clCreateCommandQueueWithProperties(cl.context, cl.device, NULL, &err);
        cl_check(err, "clCreateCommandQueueWithProperties");
        cl_kernel bad = cl_kernel_named(&cl, name), good = cl_kernel_named(&cl, "twice");
        CHECK(clSetKernelArg(bad, 0, sizeof m, &m));
        if (!strcmp(name, "check")) CHECK(clSetKernelArg(bad, 1, sizeof limit, &limit));
        if (!strcmp(name, "wild")) CHECK(clSetKernelArg(bad, 1, sizeof far, &far));
        CHECK(clSetKernelArg(good, 0, sizeof m, &m));
        failed += run(&cl, q, bad) < 0;
        CHECK(clReleaseCommandQueue(q));
        q = clCreateCommandQueueWithProperties(cl.context, cl.device, NULL, &err);
        cl_check(err, "clCreateCommandQueueWithProperties");
        static int back[N];
        if (run(&cl, q, good)) wrong++;
        CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            wrong += back[i] != 2 * a[i];
        CHECK(clReleaseCommandQueue(q));
        CHECK(clReleaseKernel(bad));
        CHECK(clReleaseKernel(good));
        CHECK(clReleaseMemObject(m));
    }
    cl_stop(&cl);
    return report("trap", failed == 6 && !wrong, "%d of 6 kernels ended badly, %d wrong results",
                  failed, wrong);
}
