/* SPDX-License-Identifier: MIT */
#include "tests/programs/util.h"

#include <stdarg.h>
#include <string.h>

void cl_check(cl_int err, const char *what) {
    if (err == CL_SUCCESS) return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, err);
    exit(2);
}

static cl_platform_id find_platform(void) {
    const char *want = getenv("PROGRAMS_PLATFORM");
    cl_platform_id ids[16];
    cl_uint n = 0;
    CHECK(clGetPlatformIDs(16, ids, &n));
    for (cl_uint i = 0; i < n && i < 16; i++) {
        char name[256] = "";
        CHECK(clGetPlatformInfo(ids[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (!want || strstr(name, want)) return ids[i];
    }
    fprintf(stderr, "no OpenCL platform%s%s\n", want ? " named " : "", want ? want : "");
    exit(2);
}

void cl_start(struct cl *cl) {
    memset(cl, 0, sizeof *cl);
    cl_int err;
    CHECK(clGetDeviceIDs(find_platform(), CL_DEVICE_TYPE_ALL, 1, &cl->device, NULL));
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &err);
    cl_check(err, "clCreateContext");
    const cl_queue_properties props[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl->queue = clCreateCommandQueueWithProperties(cl->context, cl->device, props, &err);
    cl_check(err, "clCreateCommandQueueWithProperties");
}

void cl_build(struct cl *cl, const char *source, const char *options) {
    cl_int err;
    cl->program = clCreateProgramWithSource(cl->context, 1, &source, NULL, &err);
    cl_check(err, "clCreateProgramWithSource");
    err = clBuildProgram(cl->program, 1, &cl->device, options, NULL, NULL);
    if (err == CL_SUCCESS) return;
    static char log[65536];
    clGetProgramBuildInfo(cl->program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
    cl_check(err, "clBuildProgram");
}

cl_kernel cl_kernel_named(struct cl *cl, const char *name) {
    cl_int err;
    cl_kernel k = clCreateKernel(cl->program, name, &err);
    cl_check(err, name);
    return k;
}

cl_mem cl_buffer(struct cl *cl, cl_mem_flags flags, size_t bytes, void *host) {
    cl_int err;
    cl_mem m =
        clCreateBuffer(cl->context, flags | (host ? CL_MEM_COPY_HOST_PTR : 0), bytes, host, &err);
    cl_check(err, "clCreateBuffer");
    return m;
}

cl_ulong cl_run(struct cl *cl, cl_kernel k, cl_uint dims, const size_t *global,
                const size_t *local) {
    cl_event ev;
    CHECK(clEnqueueNDRangeKernel(cl->queue, k, dims, NULL, global, local, 0, NULL, &ev));
    CHECK(clFinish(cl->queue));
    cl_int status = 0;
    CHECK(clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    cl_check(status, "kernel execution");
    cl_ulong start = 0, end = 0;
    CHECK(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CHECK(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECK(clReleaseEvent(ev));
    return end - start;
}

void cl_read(struct cl *cl, cl_mem m, size_t bytes, void *host) {
    CHECK(clEnqueueReadBuffer(cl->queue, m, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
}

void cl_stop(struct cl *cl) {
    if (cl->program) CHECK(clReleaseProgram(cl->program));
    CHECK(clReleaseCommandQueue(cl->queue));
    CHECK(clReleaseContext(cl->context));
}

int report(const char *name, bool ok, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    printf("%s %-16s (", ok ? "PASS" : "FAIL", name);
    vprintf(fmt, ap);
    printf(")\n");
    va_end(ap);
    return ok ? 0 : 1;
}

unsigned long long next_random(unsigned long long *state) {
    unsigned long long x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DULL;
}
