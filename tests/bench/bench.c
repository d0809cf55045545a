/* SPDX-License-Identifier: MIT */
/* bench: measures one OpenCL platform and prints "name<TAB>value<TAB>unit" lines. bench.py runs it
 * for RawCL and PoCL in turn and prints the ratios. Times are medians; smaller sizes than a real
 * card would want, so that an interpreter finishes. */
#include "tests/programs/util.h"
#include "tests/bench/kernels.cl.h"

#include <string.h>
#include <time.h>

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n) {
    qsort(v, n, sizeof *v, by_value);
    return v[n / 2];
}

static void emit(const char *name, double value, const char *unit) {
    printf("%s\t%.4g\t%s\n", name, value, unit);
    fflush(stdout);
}

/* A source that no cache has seen: the salt is in it. */
static double build_us(struct cl *cl, unsigned long long salt) {
    char source[512];
    snprintf(source, sizeof source,
             "kernel void k(global float *x, float a) { size_t i = get_global_id(0); "
             "x[i] = x[i] * a + %llu; }\n",
             salt);
    double t = now_us();
    cl_build(cl, source, NULL);
    t = now_us() - t;
    CHECK(clReleaseProgram(cl->program));
    cl->program = NULL;
    return t;
}

static void bench_builds(struct cl *cl) {
    unsigned long long salt = (unsigned long long)now_us() * 64;
    emit("build, cold", build_us(cl, salt) / 1e3, "ms");
    double v[5];
    for (int i = 0; i < 5; i++)
        v[i] = build_us(cl, salt + 1 + i) / 1e3;
    emit("build, warm", median(v, 5), "ms");
    for (int i = 0; i < 5; i++)
        v[i] = build_us(cl, salt) / 1e3;
    emit("build, cached", median(v, 5), "ms");
}

static void bench_launch(struct cl *cl) {
    cl_kernel k = cl_kernel_named(cl, "empty");
    size_t one = 1;
    double v[300];
    for (int i = 0; i < 320; i++) {
        double t = now_us();
        CHECK(clEnqueueNDRangeKernel(cl->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clFinish(cl->queue));
        if (i >= 20) v[i - 20] = now_us() - t;
    }
    emit("empty kernel, enqueue to finish", median(v, 300), "us");
    enum { N = 3000 };
    double t = now_us();
    for (int i = 0; i < N; i++)
        CHECK(clEnqueueNDRangeKernel(cl->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clFinish(cl->queue));
    emit("empty kernels, one finish", N / (now_us() - t) * 1e3, "1000/s");
    CHECK(clReleaseKernel(k));
}

static void bench_copies(struct cl *cl) {
    enum { BYTES = 32 << 20 };
    char *host = calloc(1, BYTES);
    cl_mem a = cl_buffer(cl, CL_MEM_READ_WRITE, BYTES, NULL);
    cl_mem b = cl_buffer(cl, CL_MEM_READ_WRITE, BYTES, NULL);
    double w[5], r[5], c[5];
    for (int i = 0; i < 5; i++) {
        double t = now_us();
        CHECK(clEnqueueWriteBuffer(cl->queue, a, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
        w[i] = BYTES / (now_us() - t) / 1e3;
        t = now_us();
        CHECK(clEnqueueCopyBuffer(cl->queue, a, b, 0, 0, BYTES, 0, NULL, NULL));
        CHECK(clFinish(cl->queue));
        c[i] = BYTES / (now_us() - t) / 1e3;
        t = now_us();
        CHECK(clEnqueueReadBuffer(cl->queue, b, CL_TRUE, 0, BYTES, host, 0, NULL, NULL));
        r[i] = BYTES / (now_us() - t) / 1e3;
    }
    emit("write 32 MiB", median(w, 5), "GB/s");
    emit("copy 32 MiB", median(c, 5), "GB/s");
    emit("read 32 MiB", median(r, 5), "GB/s");
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    free(host);
}

struct kernel_case {
    const char *name;
    size_t in_bytes, out_bytes;
    cl_uint dims;
    size_t global[2], local[2];
    bool is_float; /* third argument: float a = 1.5 instead of int */
    int third;
};

static void bench_kernel(struct cl *cl, const struct kernel_case *c, int runs) {
    unsigned long long seed = 7;
    unsigned *in = malloc(c->in_bytes);
    for (size_t i = 0; i < c->in_bytes / 4; i++) {
        float f = (float)(next_random(&seed) >> 40) / (1 << 24);
        memcpy(&in[i], &f, 4);
    }
    cl_mem mi = cl_buffer(cl, CL_MEM_READ_WRITE, c->in_bytes, in);
    cl_mem mo = cl_buffer(cl, CL_MEM_READ_WRITE, c->out_bytes, NULL);
    cl_kernel k = cl_kernel_named(cl, c->name);
    float a = 1.5f;
    CHECK(clSetKernelArg(k, 0, sizeof mi, &mi));
    CHECK(clSetKernelArg(k, 1, sizeof mo, &mo));
    if (c->is_float)
        CHECK(clSetKernelArg(k, 2, sizeof a, &a));
    else
        CHECK(clSetKernelArg(k, 2, sizeof c->third, &c->third));
    double v[16];
    for (int i = 0; i < runs + 1; i++) {
        double t = now_us();
        CHECK(clEnqueueNDRangeKernel(cl->queue, k, c->dims, NULL, c->global,
                                     c->local[0] ? c->local : NULL, 0, NULL, NULL));
        CHECK(clFinish(cl->queue));
        if (i) v[i - 1] = (now_us() - t) / 1e3;
    }
    char name[64];
    snprintf(name, sizeof name, "kernel %s", c->name);
    emit(name, median(v, runs), "ms");
    CHECK(clReleaseKernel(k));
    CHECK(clReleaseMemObject(mi));
    CHECK(clReleaseMemObject(mo));
    free(in);
}

int main(int argc, char **argv) {
    int runs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
    if (runs < 1 || runs > 16) runs = 5;
    struct cl cl;
    double t = now_us();
    cl_start(&cl);
    emit("boot (context and queue)", (now_us() - t) / 1e3, "ms");
    bench_builds(&cl);
    t = now_us();
    cl_build(&cl, bench_source, NULL);
    emit("build, eleven kernels", (now_us() - t) / 1e3, "ms");
    bench_launch(&cl);
    bench_copies(&cl);
    enum { M = 1 << 20 };
    static const struct kernel_case cases[] = {
        {"saxpy", 4 * M, 4 * M, 1, {M}, {256}, true, 0},
        {"sgemm", 4 * 256 * 256, 4 * 256 * 256, 2, {256, 256}, {16, 16}, false, 256},
        {"nbody", 16 * 2048, 16 * 2048, 1, {2048}, {256}, false, 2048},
        {"mandelbrot", 4096, 4 * 256 * 256, 2, {256, 256}, {16, 16}, false, 256},
        {"reduction", 4 * M, 4, 1, {256 * 64}, {256}, false, M},
        {"histogram", 4 * M, 4 * 256, 1, {256 * 64}, {256}, false, M},
        {"stencil64", 8 * 514 * 514, 8 * 514 * 514, 2, {512, 512}, {64, 4}, false, 514},
        {"hash64", 4096, 8 * 32768, 1, {32768}, {256}, false, 100},
        {"math", 4 * 65536, 4 * 65536, 1, {65536}, {256}, false, 8},
        {"divergent", 4 * 65536, 4 * 65536, 1, {65536}, {256}, false, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        bench_kernel(&cl, &cases[i], runs);
    cl_stop(&cl);
    return 0;
}
