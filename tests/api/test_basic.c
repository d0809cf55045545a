/* SPDX-License-Identifier: MIT */
/* The first things a program does: vector add, reads, writes, copies, fills, maps. */
#include "tests/api/api_test.h"

enum { N = 10000 };

static void vector_add(void **state) {
    static int a[N], b[N], c[N];
    size_t global = N;

    (void)state;
    for (int i = 0; i < N; i++)
        a[i] = i, b[i] = 3 * i + 1;
    cl_program p = build_source(kernels_source, NULL);
    cl_kernel k = make_kernel(p, "vadd");
    cl_mem ma = make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a);
    cl_mem mb = make_buffer(CL_MEM_READ_ONLY, sizeof b, NULL);
    cl_mem mc = make_buffer(CL_MEM_WRITE_ONLY, sizeof c, NULL);
    assert_ok(clEnqueueWriteBuffer(env.queue, mb, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL));
    assert_ok(clSetKernelArg(k, 0, sizeof ma, &ma));
    assert_ok(clSetKernelArg(k, 1, sizeof mb, &mb));
    assert_ok(clSetKernelArg(k, 2, sizeof mc, &mc));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, mc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(c[i], 4 * i + 1);
    clReleaseMemObject(ma);
    clReleaseMemObject(mb);
    clReleaseMemObject(mc);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

static void read_write_sizes(void **state) {
    static const size_t sizes[] = {1, 3, 4096, 65537, 262144, 262145, 5000003};
    uint8_t *out = malloc(6000000), *in = malloc(6000000);

    (void)state;
    cl_mem m = make_buffer(0, 6000000, NULL);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int blocking = 0; blocking < 2; blocking++) {
            size_t n = sizes[s], off = 13 * s;
            for (size_t i = 0; i < n; i++)
                out[i] = (uint8_t)(i * 7 + s + (size_t)blocking);
            memset(in, 0, n);
            assert_ok(clEnqueueWriteBuffer(env.queue, m, blocking, off, n, out, 0, NULL, NULL));
            assert_ok(clEnqueueReadBuffer(env.queue, m, blocking, off, n, in, 0, NULL, NULL));
            assert_ok(clFinish(env.queue));
            assert_memory_equal(in, out, n);
        }
    }
    clReleaseMemObject(m);
    free(out);
    free(in);
}

static void fill_and_copy(void **state) {
    uint32_t out[64], want[64];

    (void)state;
    cl_mem a = make_buffer(0, sizeof out, NULL), b = make_buffer(0, sizeof out, NULL);
    const uint8_t pattern1 = 0xa5;
    const uint64_t pattern8 = 0x1122334455667788;
    assert_ok(clEnqueueFillBuffer(env.queue, a, &pattern1, 1, 0, sizeof out, 0, NULL, NULL));
    assert_ok(clEnqueueFillBuffer(env.queue, a, &pattern8, 8, 64, 64, 0, NULL, NULL));
    assert_ok(clEnqueueCopyBuffer(env.queue, a, b, 0, 0, sizeof out, 0, NULL, NULL));
    assert_ok(clEnqueueCopyBuffer(env.queue, a, b, 64, 3, 9, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    memset(want, 0xa5, sizeof want);
    for (int i = 0; i < 8; i++)
        memcpy((char *)want + 64 + 8 * i, &pattern8, 8);
    uint8_t piece[9];
    memcpy(piece, (char *)want + 64, 9);
    memcpy((char *)want + 3, piece, 9);
    assert_memory_equal(out, want, sizeof out);
    assert_err(clEnqueueCopyBuffer(env.queue, a, a, 0, 8, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_err(clEnqueueFillBuffer(env.queue, a, &pattern8, 3, 0, 3, 0, NULL, NULL),
               CL_INVALID_VALUE);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

static void map_flags(cl_mem_flags flags, void *host) {
    cl_int err;
    cl_mem m = make_buffer(flags, 4096, host);
    const int seven = 7;
    assert_ok(clEnqueueFillBuffer(env.queue, m, &seven, 4, 0, 4096, 0, NULL, NULL));
    int *p = clEnqueueMapBuffer(env.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 256, 512, 0,
                                NULL, NULL, &err);
    assert_ok(err);
    if (flags & CL_MEM_USE_HOST_PTR) assert_ptr_equal(p, (char *)host + 256);
    for (int i = 0; i < 128; i++) {
        assert_int_equal(p[i], 7);
        p[i] = i;
    }
    cl_uint count = 0;
    assert_ok(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    assert_ok(clEnqueueUnmapMemObject(env.queue, m, p, 0, NULL, NULL));
    int out[1024];
    assert_ok(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4096, out, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++)
        assert_int_equal(out[i], i >= 64 && i < 192 ? i - 64 : 7);
    assert_err(clEnqueueUnmapMemObject(env.queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    clReleaseMemObject(m);
}

static void map(void **state) {
    static _Alignas(64) int host[1024];

    (void)state;
    map_flags(0, NULL);
    map_flags(CL_MEM_ALLOC_HOST_PTR, NULL);
    map_flags(CL_MEM_USE_HOST_PTR, host);
    map_flags(CL_MEM_COPY_HOST_PTR, host);
}

/* Two maps of one place: the data stay valid until the last is undone. */
static void map_twice(void **state) {
    cl_int err;
    const int five = 5;

    (void)state;
    cl_mem m = make_buffer(0, 4096, NULL);
    assert_ok(clEnqueueFillBuffer(env.queue, m, &five, 4, 0, 4096, 0, NULL, NULL));
    int *p = clEnqueueMapBuffer(env.queue, m, CL_TRUE, CL_MAP_READ, 0, 1024, 0, NULL, NULL, &err);
    assert_ok(err);
    int *q = clEnqueueMapBuffer(env.queue, m, CL_TRUE, CL_MAP_READ, 0, 2048, 0, NULL, NULL, &err);
    assert_ok(err);
    assert_ptr_equal(p, q);
    assert_ok(clEnqueueUnmapMemObject(env.queue, m, p, 0, NULL, NULL));
    assert_ok(clFinish(env.queue));
    for (int i = 0; i < 512; i++)
        assert_int_equal(q[i], 5);
    assert_ok(clEnqueueUnmapMemObject(env.queue, m, q, 0, NULL, NULL));
    assert_ok(clFinish(env.queue));
    clReleaseMemObject(m);
}

static void sub_buffers(void **state) {
    cl_int err;
    int out[256];
    const int one = 1, two = 2;

    (void)state;
    cl_mem m = make_buffer(0, 1024, NULL);
    cl_buffer_region r = {256, 512}, bad = {4, 512};
    cl_mem s = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
    assert_ok(err);
    clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &bad, &err);
    assert_int_equal(err, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    clCreateSubBuffer(s, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
    assert_int_equal(err, CL_INVALID_MEM_OBJECT);
    assert_ok(clEnqueueFillBuffer(env.queue, m, &one, 4, 0, 1024, 0, NULL, NULL));
    assert_ok(clEnqueueFillBuffer(env.queue, s, &two, 4, 0, 512, 0, NULL, NULL));
    clReleaseMemObject(m); /* the sub-buffer keeps the parent alive */
    cl_mem parent;
    assert_ok(clGetMemObjectInfo(s, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    assert_ptr_equal(parent, m);
    assert_ok(clEnqueueReadBuffer(env.queue, s, CL_TRUE, 0, 512, out, 0, NULL, NULL));
    for (int i = 0; i < 128; i++)
        assert_int_equal(out[i], 2);
    clReleaseMemObject(s);
}

static void rectangles(void **state) {
    enum { W = 40, H = 30, D = 5 };
    static uint8_t src[W * H * D], out[W * H * D], want[W * H * D];

    (void)state;
    for (size_t i = 0; i < sizeof src; i++)
        src[i] = (uint8_t)(i * 31 + i / 251);
    cl_mem a = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof src, src);
    cl_mem b = make_buffer(0, sizeof src, NULL);
    const uint8_t zero = 0;
    assert_ok(clEnqueueFillBuffer(env.queue, b, &zero, 1, 0, sizeof src, 0, NULL, NULL));
    const size_t so[3] = {3, 4, 1}, dof[3] = {7, 2, 0}, region[3] = {11, 9, 3};
    assert_ok(clEnqueueCopyBufferRect(env.queue, a, b, so, dof, region, W, W * H, W, W * H, 0, NULL,
                                      NULL));
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(want + ((z + dof[2]) * H + y + dof[1]) * W + dof[0],
                   src + ((z + so[2]) * H + y + so[1]) * W + so[0], region[0]);
    assert_ok(clEnqueueReadBuffer(env.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    assert_memory_equal(out, want, sizeof out);
    /* Host side with packed pitches of 0. */
    uint8_t packed[11 * 9 * 3];
    const size_t origin0[3] = {0, 0, 0};
    assert_ok(clEnqueueReadBufferRect(env.queue, b, CL_TRUE, dof, origin0, region, W, W * H, 0, 0,
                                      packed, 0, NULL, NULL));
    for (size_t z = 0; z < 3; z++)
        for (size_t y = 0; y < 9; y++)
            assert_memory_equal(packed + (z * 9 + y) * 11,
                                want + ((z + dof[2]) * H + y + dof[1]) * W + dof[0], 11);
    for (size_t i = 0; i < sizeof packed; i++)
        packed[i] = (uint8_t)~packed[i];
    assert_ok(clEnqueueWriteBufferRect(env.queue, b, CL_FALSE, dof, origin0, region, W, W * H, 0, 0,
                                       packed, 0, NULL, NULL));
    memset(out, 0, sizeof out);
    assert_ok(clEnqueueReadBuffer(env.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (size_t z = 0; z < 3; z++)
        for (size_t y = 0; y < 9; y++)
            for (size_t x = 0; x < 11; x++)
                want[((z + dof[2]) * H + y + dof[1]) * W + dof[0] + x] ^= 0xff;
    assert_memory_equal(out, want, sizeof out);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

static void CL_CALLBACK note(cl_mem m, void *arg) {
    (void)m;
    strcat((char *)arg, "b");
}

static void CL_CALLBACK note_first(cl_mem m, void *arg) {
    (void)m;
    strcat((char *)arg, "a");
}

static void destructors(void **state) {
    char order[8] = "";

    (void)state;
    cl_mem m = make_buffer(0, 64, NULL);
    assert_ok(clSetMemObjectDestructorCallback(m, note_first, order));
    assert_ok(clSetMemObjectDestructorCallback(m, note, order));
    assert_ok(clReleaseMemObject(m));
    assert_string_equal(order, "ba");
}

static void refused(void **state) {
    cl_int err;
    int x = 0;

    (void)state;
    clCreateBuffer(env.ctx, 0, 0, NULL, &err);
    assert_int_equal(err, CL_INVALID_BUFFER_SIZE);
    clCreateBuffer(env.ctx, CL_MEM_USE_HOST_PTR, 4, NULL, &err);
    assert_int_equal(err, CL_INVALID_HOST_PTR);
    clCreateBuffer(env.ctx, 0, 4, &x, &err);
    assert_int_equal(err, CL_INVALID_HOST_PTR);
    clCreateBuffer(env.ctx, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &err);
    assert_int_equal(err, CL_INVALID_VALUE);
    clCreateBuffer(env.ctx, 0, (size_t)1 << 60, NULL, &err);
    assert_int_equal(err, CL_INVALID_BUFFER_SIZE);
    cl_mem m = make_buffer(CL_MEM_HOST_NO_ACCESS, 64, NULL);
    assert_err(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4, &x, 0, NULL, NULL),
               CL_INVALID_OPERATION);
    assert_err(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 62, 4, &x, 0, NULL, NULL),
               CL_INVALID_VALUE);
    assert_err(clEnqueueReadBuffer(env.queue, NULL, CL_TRUE, 0, 4, &x, 0, NULL, NULL),
               CL_INVALID_MEM_OBJECT);
    clReleaseMemObject(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_add),    cmocka_unit_test(read_write_sizes),
        cmocka_unit_test(fill_and_copy), cmocka_unit_test(map),
        cmocka_unit_test(map_twice),     cmocka_unit_test(sub_buffers),
        cmocka_unit_test(rectangles),    cmocka_unit_test(destructors),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, env_setup, env_teardown);
}
