/* SPDX-License-Identifier: MIT */
/* Programs: build, compile, link, binaries, logs, options, callbacks, and the life of kernels. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/api/api_test.h"

static cl_program from_source(const char *text) {
    cl_int err;
    cl_program p = clCreateProgramWithSource(env.ctx, 1, &text, NULL, &err);

    assert_ok(err);
    return p;
}

static cl_int status_of(cl_program p) {
    cl_build_status s = -100;

    assert_ok(clGetProgramBuildInfo(p, env.device, CL_PROGRAM_BUILD_STATUS, sizeof s, &s, NULL));
    return s;
}

static cl_program_binary_type type_of(cl_program p) {
    cl_program_binary_type t = 99;

    assert_ok(clGetProgramBuildInfo(p, env.device, CL_PROGRAM_BINARY_TYPE, sizeof t, &t, NULL));
    return t;
}

/* Runs vadd of a program on three elements. */
static void check_runs(cl_program p) {
    int a[3] = {1, 2, 3}, b[3] = {10, 20, 30}, c[3] = {0};
    size_t n = 3;
    cl_kernel k = make_kernel(p, "vadd");
    cl_mem m[3] = {make_buffer(CL_MEM_COPY_HOST_PTR, sizeof a, a),
                   make_buffer(CL_MEM_COPY_HOST_PTR, sizeof b, b), make_buffer(0, sizeof c, NULL)};

    for (cl_uint i = 0; i < 3; i++)
        assert_ok(clSetKernelArg(k, i, sizeof m[i], &m[i]));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, m[2], CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        assert_int_equal(c[i], a[i] + b[i]);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(m[i]);
    clReleaseKernel(k);
}

static void life(void **state) {
    cl_int err;
    cl_uint refs;
    size_t count;
    char names[256];
    cl_kernel ks[8];
    cl_uint n = 0;

    (void)state;
    cl_program p = from_source(kernels_source);
    assert_int_equal(status_of(p), CL_BUILD_NONE);
    assert_int_equal(type_of(p), CL_PROGRAM_BINARY_TYPE_NONE);
    clCreateKernel(p, "vadd", &err);
    assert_int_equal(err, CL_INVALID_PROGRAM_EXECUTABLE);
    assert_err(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL),
               CL_INVALID_PROGRAM_EXECUTABLE);
    assert_ok(clBuildProgram(p, 1, &env.device, "", NULL, NULL));
    assert_int_equal(status_of(p), CL_BUILD_SUCCESS);
    assert_int_equal(type_of(p), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_ok(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    assert_int_equal(count, 4);
    assert_ok(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    assert_non_null(strstr(names, "vadd"));
    assert_non_null(strstr(names, ";"));
    assert_ok(clCreateKernelsInProgram(p, 0, NULL, &n));
    assert_int_equal(n, 4);
    assert_err(clCreateKernelsInProgram(p, 3, ks, &n), CL_INVALID_VALUE);
    assert_ok(clCreateKernelsInProgram(p, 8, ks, &n));
    assert_int_equal(n, 4);
    assert_err(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    for (cl_uint i = 0; i < n; i++)
        clReleaseKernel(ks[i]);
    assert_ok(clBuildProgram(p, 0, NULL, "-DX=1", NULL, NULL));
    check_runs(p);
    assert_ok(clGetProgramInfo(p, CL_PROGRAM_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    assert_int_equal(refs, 1);
    char source[4096];
    assert_ok(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof source, source, NULL));
    assert_string_equal(source, kernels_source);
    char options[64];
    assert_ok(clGetProgramBuildInfo(p, env.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options,
                                    options, NULL));
    assert_string_equal(options, "-DX=1");
    clReleaseProgram(p);
}

static void failures(void **state) {
    char log[4096] = "";

    (void)state;
    cl_program p = from_source("kernel void k() {\n}\n#error no such luck\n");
    assert_err(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(status_of(p), CL_BUILD_ERROR);
    assert_ok(clGetProgramBuildInfo(p, env.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_non_null(strstr(log, "error"));
    assert_err(clBuildProgram(p, 0, NULL, "-nonsense", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    assert_err(clBuildProgram(p, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    assert_err(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    assert_err(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
               CL_COMPILE_PROGRAM_FAILURE);
    clReleaseProgram(p);
}

static void binaries(void **state) {
    cl_int err, status = 1;
    size_t sizes[4] = {0};
    unsigned char *bins[4] = {NULL};

    (void)state;
    cl_program p = build_source(kernels_source, NULL);
    assert_ok(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    assert_true(sizes[0] > 0);
    for (cl_uint i = 0; i < env.device_count; i++)
        bins[i] = malloc(sizes[i]);
    assert_ok(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bins, bins, NULL));
    const unsigned char *bin = bins[0];
    cl_program q =
        clCreateProgramWithBinary(env.ctx, 1, &env.device, &sizes[0], &bin, &status, &err);
    assert_ok(err);
    assert_ok(status);
    clCreateKernel(q, "vadd", &err);
    assert_int_equal(err, CL_INVALID_PROGRAM_EXECUTABLE);
    assert_ok(clBuildProgram(q, 0, NULL, NULL, NULL, NULL));
    check_runs(q);
    assert_ok(clBuildProgram(q, 0, NULL, NULL, NULL, NULL)); /* again */
    check_runs(q);
    clReleaseProgram(q);
    /* Cut short, at every length of the header and some others; and garbage. */
    for (size_t n = 1; n < sizes[0]; n += n < 64 ? 1 : sizes[0] / 23 + 1) {
        if (is_fake() && n >= 16) break; /* a fake binary is its source: any length goes */
        q = clCreateProgramWithBinary(env.ctx, 1, &env.device, &n, &bin, &status, &err);
        assert_null(q);
        assert_int_equal(err, CL_INVALID_BINARY);
        assert_int_equal(status, CL_INVALID_BINARY);
    }
    const unsigned char *none = NULL;
    clCreateProgramWithBinary(env.ctx, 1, &env.device, &sizes[0], &none, &status, &err);
    assert_int_equal(err, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < env.device_count; i++)
        free(bins[i]);
    clReleaseProgram(p);
}

static void compile_and_link(void **state) {
    cl_int err;

    (void)state;
    cl_program header = from_source("#define ANSWER 42\n");
    cl_program a = from_source("#include \"dir/answer.h\"\nint one(void) { return 1; }\n"
                               "kernel void unused_a(global int *p) { p[0] = ANSWER; }\n");
    cl_program b = from_source(kernels_source);
    const char *name = "dir/answer.h";
    assert_ok(clCompileProgram(a, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
    assert_ok(clCompileProgram(b, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(type_of(a), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program parts[2] = {a, b};
    cl_program linked = clLinkProgram(env.ctx, 0, NULL, "", 2, parts, NULL, NULL, &err);
    assert_ok(err);
    assert_int_equal(type_of(linked), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    check_runs(linked);
    cl_program lib = clLinkProgram(env.ctx, 0, NULL, "-create-library", 2, parts, NULL, NULL, &err);
    assert_ok(err);
    assert_int_equal(type_of(lib), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    clCreateKernel(lib, "vadd", &err);
    assert_int_equal(err, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_program again = clLinkProgram(env.ctx, 0, NULL, NULL, 1, &lib, NULL, NULL, &err);
    assert_ok(err);
    check_runs(again);
    clLinkProgram(env.ctx, 0, NULL, NULL, 1, &linked, NULL, NULL, &err);
    assert_int_equal(err, CL_INVALID_OPERATION); /* an executable is no input */
    clLinkProgram(env.ctx, 0, NULL, NULL, 0, NULL, NULL, NULL, &err);
    assert_int_equal(err, CL_INVALID_VALUE);
    assert_err(clCompileProgram(a, 0, NULL, NULL, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_program all[] = {header, a, b, linked, lib, again};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        clReleaseProgram(all[i]);
}

static void CL_CALLBACK built(cl_program p, void *arg) {
    (void)p;
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void wait_for(atomic_int *n, int want) {
    struct timespec ts = {0, 1000000};

    for (int i = 0; i < 20000 && atomic_load(n) < want; i++)
        nanosleep(&ts, NULL);
    assert_int_equal(atomic_load(n), want);
}

static void asynchronous(void **state) {
    atomic_int done = 0;
    cl_int err;

    (void)state;
    cl_program p = from_source(kernels_source), bad = from_source("#error\n");
    assert_ok(clBuildProgram(p, 0, NULL, "-DASYNC", built, &done));
    clReleaseProgram(bad);
    wait_for(&done, 1);
    assert_int_equal(status_of(p), CL_BUILD_SUCCESS);
    check_runs(p);
    assert_err(clBuildProgram(p, 0, NULL, NULL, NULL, &done), CL_INVALID_VALUE);
    assert_ok(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, built, &done));
    wait_for(&done, 2);
    cl_program l = clLinkProgram(env.ctx, 0, NULL, NULL, 1, &p, built, &done, &err);
    assert_ok(err);
    wait_for(&done, 3);
    check_runs(l);
    clReleaseProgram(l);
    clReleaseProgram(p);
}

static void *build_many(void *arg) {
    intptr_t bad = 0;

    for (int i = 0; i < 5; i++) {
        cl_int err;
        char text[256];
        snprintf(text, sizeof text, "kernel void k%d(global int *p, int v) { p[0] = v + %d; }\n", i,
                 (int)(intptr_t)arg);
        const char *s = text;
        cl_program p = clCreateProgramWithSource(env.ctx, 1, &s, NULL, &err);
        bad |= clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
        snprintf(text, sizeof text, "k%d", i);
        cl_kernel k = clCreateKernel(p, text, &err);
        bad |= err;
        clReleaseKernel(k);
        clReleaseProgram(p);
    }
    return (void *)bad;
}

static void threads(void **state) {
    pthread_t t[4];

    (void)state;
    for (intptr_t i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, build_many, (void *)i);
    for (int i = 0; i < 4; i++) {
        void *bad;
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
}

static void not_offered(void **state) {
    cl_int err;

    (void)state;
    clCreateProgramWithBuiltInKernels(env.ctx, 1, &env.device, "x", &err);
    assert_int_equal(err, CL_INVALID_VALUE);
    clCreateProgramWithIL(env.ctx, "x", 1, &err);
    assert_int_equal(err, CL_INVALID_OPERATION);
    assert_ok(clUnloadPlatformCompiler(env.platform));
    cl_program p = build_source(kernels_source, NULL);
    check_runs(p);
    clReleaseProgram(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(life),         cmocka_unit_test(failures),
        cmocka_unit_test(binaries),     cmocka_unit_test(compile_and_link),
        cmocka_unit_test(asynchronous), cmocka_unit_test(threads),
        cmocka_unit_test(not_offered),
    };

    return cmocka_run_group_tests(tests, env_setup, env_teardown);
}
