/* SPDX-License-Identifier: MIT */
/* Images and samplers: creation, queries, transfers in all directions, kernels. */
#include "tests/api/api_test.h"

static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8};

static cl_mem image(const cl_image_format *f, cl_image_desc d, cl_mem_flags flags, void *ptr) {
    cl_int err;
    cl_mem m = clCreateImage(env.ctx, flags, f, &d, ptr, &err);

    assert_ok(err);
    return m;
}

static cl_image_desc desc(cl_mem_object_type type, size_t w, size_t h, size_t n) {
    cl_image_desc d = {.image_type = type, .image_width = w};

    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
        d.image_array_size = h;
        return d;
    }
    d.image_height = h;
    if (type == CL_MEM_OBJECT_IMAGE3D) d.image_depth = n;
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY) d.image_array_size = n;
    return d;
}

static const struct kind {
    cl_mem_object_type type;
    size_t size[3];
} kinds[] = {
    {CL_MEM_OBJECT_IMAGE1D, {37, 1, 1}}, {CL_MEM_OBJECT_IMAGE1D_ARRAY, {37, 5, 1}},
    {CL_MEM_OBJECT_IMAGE2D, {37, 5, 1}}, {CL_MEM_OBJECT_IMAGE2D_ARRAY, {37, 5, 3}},
    {CL_MEM_OBJECT_IMAGE3D, {37, 5, 3}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], BIG = 37 * 5 * 3 };

/* Written with odd pitches, a part overwritten, read back tight: every byte where it belongs. */
static void read_write_every_kind(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        const size_t *n = kinds[k].size, zero[3] = {0};
        bool rows = kinds[k].type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        size_t count = n[0] * n[1] * n[2], row = 40 * 4, slice = rows ? row : row * (n[1] + 1);
        bool slices = rows || n[2] > 1;
        cl_mem m = image(&rgba8, desc(kinds[k].type, n[0], n[1], n[2]), 0, NULL);
        uint32_t *in = calloc(40 * 6 * 3, 4), out[BIG];
        for (size_t z = 0; z < n[2]; z++)
            for (size_t y = 0; y < n[1]; y++)
                for (size_t x = 0; x < n[0]; x++)
                    in[z * slice / 4 + y * row / 4 + x] = (uint32_t)(x | y << 8 | z << 16);
        assert_ok(clEnqueueWriteImage(env.queue, m, CL_FALSE, zero, n, row, slices ? slice : 0, in,
                                      0, NULL, NULL));
        size_t origin[3] = {3, n[1] > 1 ? 2 : 0, n[2] > 1 ? 1 : 0},
               region[3] = {5, n[1] > 1 ? 2 : 1, n[2] > 1 ? 2 : 1};
        const uint32_t patch[20] = {[0] = 0xaaaa, [19] = 0xbbbb};
        assert_ok(clEnqueueWriteImage(env.queue, m, CL_FALSE, origin, region, 0, 0, patch, 0, NULL,
                                      NULL));
        assert_ok(clEnqueueReadImage(env.queue, m, CL_TRUE, zero, n, 0, 0, out, 0, NULL, NULL));
        for (size_t i = 0; i < count; i++) {
            size_t x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1];
            uint32_t want = (uint32_t)(x | y << 8 | z << 16);
            size_t dx = x - origin[0], dy = y - origin[1], dz = z - origin[2];
            if (dx < region[0] && dy < region[1] && dz < region[2])
                want = patch[dx + region[0] * (dy + region[1] * dz)];
            assert_int_equal(out[i], want);
        }
        clReleaseMemObject(m);
        free(in);
    }
}

static void fill_copy_and_buffers(void **state) {
    const size_t *n = kinds[4].size, zero[3] = {0}, part[3] = {2, 3, 2}, at[3] = {30, 1, 1};
    const cl_uint color[4] = {1, 2, 300, 4}; /* 300 saturates */
    uint32_t out[BIG], in[BIG];

    (void)state;
    cl_mem a = image(&rgba8, desc(CL_MEM_OBJECT_IMAGE3D, 37, 5, 3), 0, NULL);
    cl_mem b = image(&rgba8, desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, 37, 5, 3), 0, NULL);
    cl_mem buf = make_buffer(0, 4 * BIG + 8, NULL);
    for (uint32_t i = 0; i < BIG; i++)
        in[i] = i;
    assert_ok(clEnqueueWriteImage(env.queue, a, CL_FALSE, zero, n, 0, 0, in, 0, NULL, NULL));
    assert_ok(clEnqueueFillImage(env.queue, a, color, at, part, 0, NULL, NULL));
    assert_ok(clEnqueueCopyImage(env.queue, a, b, zero, zero, n, 0, NULL, NULL));
    assert_ok(clEnqueueCopyImageToBuffer(env.queue, b, buf, zero, n, 8, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, buf, CL_TRUE, 8, sizeof out, out, 0, NULL, NULL));
    for (uint32_t i = 0; i < BIG; i++) {
        uint32_t x = i % 37, y = i / 37 % 5, z = i / 185;
        bool in_part = x - 30 < 2 && y - 1 < 3 && z - 1 < 2;
        assert_int_equal(out[i], in_part ? 0x04ff0201 : i);
    }
    assert_ok(clEnqueueCopyBufferToImage(env.queue, buf, a, 12, at, part, 0, NULL, NULL));
    assert_ok(clEnqueueReadImage(env.queue, a, CL_TRUE, at, part, 0, 0, out, 0, NULL, NULL));
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(out[i], i + 1);
    const size_t beside[3] = {2, 0, 0}; /* they touch, they do not overlap */
    assert_ok(clEnqueueCopyImage(env.queue, a, a, zero, beside, part, 0, NULL, NULL));
    assert_err(clEnqueueCopyImage(env.queue, a, a, zero, zero, part, 0, NULL, NULL),
               CL_MEM_COPY_OVERLAP);
    assert_err(clEnqueueCopyImageToBuffer(env.queue, b, buf, zero, n, 12, 0, NULL, NULL),
               CL_INVALID_VALUE);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(buf);
}

static void maps(void **state) {
    const size_t zero[3] = {0}, n[3] = {37, 5, 1}, at[3] = {4, 2, 0}, part[3] = {8, 2, 1};
    size_t row = 0, slice = 1;
    cl_int err;
    uint32_t host[64 * 5], out[37 * 5];

    (void)state;
    for (int own = 0; own < 2; own++) {
        cl_image_desc d = desc(CL_MEM_OBJECT_IMAGE2D, 37, 5, 1);
        if (own) d.image_row_pitch = 256;
        for (uint32_t i = 0; i < 64 * 5; i++)
            host[i] = i;
        cl_mem m = image(&rgba8, d, own ? CL_MEM_USE_HOST_PTR : 0, own ? host : NULL);
        if (!own)
            assert_ok(
                clEnqueueWriteImage(env.queue, m, CL_TRUE, zero, n, 256, 0, host, 0, NULL, NULL));
        uint8_t *p = clEnqueueMapImage(env.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, part,
                                       &row, &slice, 0, NULL, NULL, &err);
        assert_ok(err);
        assert_int_equal(slice, 0);
        if (own) assert_ptr_equal(p, host + 2 * 64 + 4);
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 8; x++) {
                uint32_t *texel = (uint32_t *)(p + y * row) + x;
                assert_int_equal(*texel, (y + 2) * 64 + x + 4);
                *texel = 0x1000 + x;
            }
        assert_ok(clEnqueueUnmapMemObject(env.queue, m, p, 0, NULL, NULL));
        assert_ok(clEnqueueReadImage(env.queue, m, CL_TRUE, zero, n, 0, 0, out, 0, NULL, NULL));
        assert_int_equal(out[2 * 37 + 3], 2 * 64 + 3);
        assert_int_equal(out[3 * 37 + 11], 0x1007);
        assert_int_equal(out[3 * 37 + 12], 3 * 64 + 12);
        clReleaseMemObject(m);
    }
}

static void over_buffers(void **state) {
    const size_t zero[3] = {0}, n[3] = {64, 4, 1};
    cl_uint align = 0;
    cl_mem back = NULL;
    uint32_t out[256], in[256];
    cl_int err;

    (void)state;
    assert_ok(
        clGetDeviceInfo(env.device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof align, &align, NULL));
    assert_true(align && align <= 256);
    for (uint32_t i = 0; i < 256; i++)
        in[i] = i;
    cl_mem buf = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof in, in);
    cl_image_desc d = desc(CL_MEM_OBJECT_IMAGE2D, 64, 4, 1);
    d.image_row_pitch = 256;
    d.mem_object = buf;
    cl_mem m = image(&rgba8, d, 0, NULL);
    clReleaseMemObject(buf); /* the image keeps it */
    assert_ok(clGetImageInfo(m, CL_IMAGE_BUFFER, sizeof back, &back, NULL));
    assert_ptr_equal(back, buf);
    assert_ok(clEnqueueReadImage(env.queue, m, CL_TRUE, zero, n, 0, 0, out, 0, NULL, NULL));
    assert_memory_equal(out, in, sizeof in);
    clReleaseMemObject(m);

    buf = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof in, in);
    d = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 256};
    d.mem_object = buf;
    m = image(&rgba8, d, 0, NULL);
    const size_t line[3] = {256, 1, 1};
    assert_ok(clEnqueueReadImage(env.queue, m, CL_TRUE, zero, line, 0, 0, out, 0, NULL, NULL));
    assert_memory_equal(out, in, sizeof in);
    clReleaseMemObject(m);
    d.image_width = 257;
    assert_null(clCreateImage(env.ctx, 0, &rgba8, &d, NULL, &err));
    assert_err(err, CL_INVALID_IMAGE_SIZE);
    d = desc(CL_MEM_OBJECT_IMAGE2D, 10, 4, 1);
    d.mem_object = buf;
    d.image_row_pitch = 44; /* no multiple of the alignment */
    assert_null(clCreateImage(env.ctx, 0, &rgba8, &d, NULL, &err));
    assert_err(err, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    clReleaseMemObject(buf);
}

static void wrong_arguments(void **state) {
    const cl_image_format odd = {CL_RGB, CL_FLOAT}, srgb = {CL_sRGBA, CL_UNORM_INT8};
    cl_image_desc d = desc(CL_MEM_OBJECT_IMAGE2D, 8, 8, 1);
    const size_t zero[3] = {0}, n[3] = {8, 8, 1}, wide[3] = {9, 8, 1};
    char bytes[8 * 8 * 4];
    cl_int err;
    size_t size;

    (void)state;
    assert_null(clCreateImage(env.ctx, 0, NULL, &d, NULL, &err));
    assert_err(err, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_null(clCreateImage(env.ctx, 0, &odd, &d, NULL, &err));
    assert_err(err, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_null(clCreateImage(env.ctx, 0, &srgb, &d, NULL, &err));
    assert_err(err, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_null(clCreateImage(env.ctx, 0, &rgba8, NULL, NULL, &err));
    assert_err(err, CL_INVALID_IMAGE_DESCRIPTOR);
    d.image_row_pitch = 64;
    assert_null(clCreateImage(env.ctx, 0, &rgba8, &d, NULL, &err));
    assert_err(err, CL_INVALID_IMAGE_DESCRIPTOR);
    d.image_row_pitch = 0;
    assert_null(clCreateImage(env.ctx, CL_MEM_COPY_HOST_PTR, &rgba8, &d, NULL, &err));
    assert_err(err, CL_INVALID_HOST_PTR);
    d.image_width = 1 << 20;
    assert_null(clCreateImage(env.ctx, 0, &rgba8, &d, NULL, &err));
    assert_err(err, CL_INVALID_IMAGE_SIZE);
    d.image_width = 8;
    cl_mem m = image(&rgba8, d, CL_MEM_HOST_WRITE_ONLY, NULL), b = make_buffer(0, 64, NULL);
    assert_err(clEnqueueReadImage(env.queue, m, CL_TRUE, zero, n, 0, 0, bytes, 0, NULL, NULL),
               CL_INVALID_OPERATION);
    assert_err(clEnqueueWriteImage(env.queue, m, CL_TRUE, zero, wide, 0, 0, bytes, 0, NULL, NULL),
               CL_INVALID_VALUE);
    assert_err(clEnqueueWriteImage(env.queue, m, CL_TRUE, zero, n, 31, 0, bytes, 0, NULL, NULL),
               CL_INVALID_VALUE);
    assert_err(clEnqueueWriteImage(env.queue, b, CL_TRUE, zero, n, 0, 0, bytes, 0, NULL, NULL),
               CL_INVALID_MEM_OBJECT);
    assert_err(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4, bytes, 0, NULL, NULL),
               CL_INVALID_MEM_OBJECT);
    assert_err(clGetImageInfo(b, CL_IMAGE_WIDTH, sizeof size, &size, NULL), CL_INVALID_MEM_OBJECT);
    assert_ok(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof size, &size, NULL));
    assert_int_equal(size, 32);
    clReleaseMemObject(m);
    clReleaseMemObject(b);
}

static void formats_and_samplers(void **state) {
    cl_image_format list[256];
    cl_uint n = 0, found = 0;
    cl_int err;
    const cl_sampler_properties props[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT,
                                           CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_filter_mode filter;

    (void)state;
    assert_ok(clGetSupportedImageFormats(env.ctx, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 256,
                                         list, &n));
    assert_in_range(n, 30, 256);
    for (cl_uint i = 0; i < n; i++)
        found += list[i].image_channel_order == CL_BGRA &&
                 list[i].image_channel_data_type == CL_UNORM_INT8;
    assert_int_equal(found, 1);
    assert_err(clGetSupportedImageFormats(env.ctx, 0, CL_MEM_OBJECT_BUFFER, 256, list, &n),
               CL_INVALID_VALUE);
    cl_sampler s = clCreateSamplerWithProperties(env.ctx, props, &err);
    assert_ok(err);
    assert_ok(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL));
    assert_int_equal(filter, CL_FILTER_LINEAR);
    assert_ok(clRetainSampler(s));
    assert_ok(clReleaseSampler(s));
    assert_ok(clReleaseSampler(s));
    assert_err(clRetainSampler((cl_sampler)env.ctx), CL_INVALID_SAMPLER);
    assert_null(clCreateSampler(env.ctx, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err));
    assert_err(err, CL_INVALID_VALUE);
    assert_null(clCreateSampler(env.ctx, CL_TRUE, 77, CL_FILTER_LINEAR, &err));
    assert_err(err, CL_INVALID_VALUE);
}

/* A kernel that reads through a sampler and through nothing, writes, and asks for sizes; the same
 * filter over a buffer must give the same bytes. */
static void kernels(void **state) {
    const char *src =
        "kernel void f(read_only image2d_t a, sampler_t s, write_only image2d_t b,\n"
        "              global uint *c) {\n"
        "    int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
        "    uint4 v = read_imageui(a, s, (float2)(p.x - 1 + 0.5f, p.y + 0.5f));\n"
        "    uint4 w = read_imageui(a, p);\n"
        "    write_imageui(b, p, v + w);\n"
        "    if (p.x + p.y == 0) {\n"
        "        c[0] = get_image_width(a); c[1] = get_image_height(a);\n"
        "        c[2] = get_image_channel_order(a); c[3] = get_image_channel_data_type(a);\n"
        "    }\n"
        "}\n";
    const size_t zero[3] = {0}, n[3] = {37, 5, 1};
    uint32_t in[37 * 5], out[37 * 5];
    cl_uint c[4];
    cl_int err;

    (void)state;
    if (is_fake()) skip();
    for (uint32_t i = 0; i < 37 * 5; i++)
        in[i] = i & 127; /* sums of two stay below 256: stores saturate */
    cl_program p = build_source(src, "-cl-std=CL2.0");
    cl_kernel k = make_kernel(p, "f");
    cl_image_desc d = desc(CL_MEM_OBJECT_IMAGE2D, 37, 5, 1);
    cl_mem a = image(&rgba8, d, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, in);
    cl_mem b = image(&rgba8, d, CL_MEM_WRITE_ONLY, NULL), buf = make_buffer(0, sizeof c, NULL);
    cl_sampler s = clCreateSampler(env.ctx, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    assert_ok(err);
    assert_err(clSetKernelArg(k, 0, sizeof buf, &buf), CL_INVALID_MEM_OBJECT);
    assert_err(clSetKernelArg(k, 1, sizeof a, &a), CL_INVALID_SAMPLER);
    assert_err(clSetKernelArg(k, 1, 4, &s), CL_INVALID_ARG_SIZE);
    assert_ok(clSetKernelArg(k, 0, sizeof a, &a));
    assert_ok(clSetKernelArg(k, 1, sizeof s, &s));
    assert_ok(clSetKernelArg(k, 2, sizeof b, &b));
    assert_ok(clSetKernelArg(k, 3, sizeof buf, &buf));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 2, NULL, n, NULL, 0, NULL, NULL));
    clReleaseSampler(s);
    assert_ok(clEnqueueReadImage(env.queue, b, CL_TRUE, zero, n, 0, 0, out, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, buf, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (uint32_t y = 0; y < 5; y++)
        for (uint32_t x = 0; x < 37; x++)
            assert_int_equal(out[y * 37 + x], in[y * 37 + x] + (x ? in[y * 37 + x - 1] : 0));
    assert_int_equal(c[0], 37);
    assert_int_equal(c[1], 5);
    assert_int_equal(c[2], CL_RGBA);
    assert_int_equal(c[3], CL_UNSIGNED_INT8);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(buf);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

static void not_offered(void **state) {
    cl_int err;
    cl_image_desc d = desc(CL_MEM_OBJECT_IMAGE2D, 8, 8, 1);

    (void)state;
    assert_null(clCreateImage(env.ctx, 0, &rgba8, &d, NULL, &err));
    assert_err(err, CL_INVALID_OPERATION);
    assert_null(clCreateSampler(env.ctx, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err));
    assert_err(err, CL_INVALID_OPERATION);
}

int main(void) {
    const struct CMUnitTest refusals[] = {cmocka_unit_test(not_offered)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_write_every_kind),
        cmocka_unit_test(fill_copy_and_buffers),
        cmocka_unit_test(maps),
        cmocka_unit_test(over_buffers),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(formats_and_samplers),
        cmocka_unit_test(kernels),
    };
    cl_bool images = CL_FALSE;
    void *state = NULL;

    if (env_setup(&state)) return 1;
    clGetDeviceInfo(env.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
    env_teardown(&state);
    return images ? cmocka_run_group_tests(tests, env_setup, env_teardown)
                  : cmocka_run_group_tests(refusals, env_setup, env_teardown);
}
