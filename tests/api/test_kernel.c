/* SPDX-License-Identifier: MIT */
/* Kernels and launches: arguments, shapes, queries, local memory, printf, program-scope data. On
 * the real stack only.
 */
#include <unistd.h>

#include "tests/api/api_test.h"

static const char source[] =
    "typedef struct { char a; int b; long c; } s_t;\n"
    "kernel void args(global ulong *out, char c, short2 s, float3 f, s_t st, double d,\n"
    "                 constant int *tab) {\n"
    "    out[0] = c; out[1] = s.y; out[2] = (ulong)f.z; out[3] = st.b; out[4] = st.c;\n"
    "    out[5] = (ulong)d; out[6] = tab[2];\n"
    "}\n"
    "kernel void null_ptr(global int *p, global int *out) { *out = p == 0 ? 77 : 1; }\n"
    "kernel void shape(global uint *out) {\n"
    "    size_t i = get_global_linear_id();\n"
    "    atomic_inc(out + 15);\n"
    "    if (get_global_id(0) == get_global_offset(0) + get_global_size(0) - 1 &&\n"
    "        get_global_id(1) == get_global_offset(1) + get_global_size(1) - 1 &&\n"
    "        get_global_id(2) == get_global_offset(2) + get_global_size(2) - 1) {\n"
    "        for (uint d = 0; d < 3; d++) {\n"
    "            out[d] = get_local_size(d); out[3 + d] = get_enqueued_local_size(d);\n"
    "            out[6 + d] = get_num_groups(d); out[9 + d] = get_global_offset(d);\n"
    "        }\n"
    "        out[12] = get_work_dim(); out[13] = (uint)i; out[14] = get_local_size(7);\n"
    "    }\n"
    "}\n"
    "kernel void locals(global int *out, local int *a, local char *b, local double *c) {\n"
    "    local int fixed[4];\n"
    "    int i = get_local_id(0);\n"
    "    if (i < 4) fixed[i] = i;\n"
    "    a[i] = i * 10; b[i] = (char)i; c[i] = i * 0.5;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    int j = get_local_size(0) - 1 - i;\n"
    "    out[i] = a[j] + b[j] + (int)(c[j] * 4) + fixed[j & 3];\n"
    "}\n"
    "global int counter = 100;\n"
    "constant int table[4] = {1, 2, 3, 4};\n"
    "global int *global pointer = &counter;\n"
    "kernel void scope(global int *out) { *out = atomic_inc(pointer) + table[2]; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void reqd(global int *out) {\n"
    "    if (get_global_id(0) == 0 && get_global_id(1) == 0)\n"
    "        out[0] = get_local_size(0) * 100 + get_local_size(1);\n"
    "}\n"
    "kernel void fault(global int *p) { p[1ul << 40] = 1; }\n";

static cl_program program;

static int setup(void **state) {
    if (env_setup(state)) return -1;
    program = build_source(source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    return 0;
}

static int teardown(void **state) {
    clReleaseProgram(program);
    return env_teardown(state);
}

static void run(cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                const size_t *local) {
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, dims, offset, global, local, 0, NULL, NULL));
}

static void read_back(cl_mem m, void *out, size_t size) {
    assert_ok(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, size, out, 0, NULL, NULL));
}

static void arguments(void **state) {
    struct {
        char a;
        int b;
        int64_t c;
    } st = {1, -2, 1ll << 40};
    cl_short2 s = {{3, 4}};
    cl_float3 f = {{1, 2, 3}};
    cl_char c = -5;
    double d = 1e9;
    int tab[3] = {7, 8, 9};
    uint64_t out[7];
    size_t one = 1;

    (void)state;
    cl_kernel k = make_kernel(program, "args");
    cl_mem m = make_buffer(0, sizeof out, NULL);
    cl_mem t = make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof tab, tab);
    assert_err(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL),
               CL_INVALID_KERNEL_ARGS);
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    assert_err(clSetKernelArg(k, 1, 2, &c), CL_INVALID_ARG_SIZE);
    assert_err(clSetKernelArg(k, 1, 1, NULL), CL_INVALID_ARG_VALUE);
    assert_err(clSetKernelArg(k, 9, 1, &c), CL_INVALID_ARG_INDEX);
    assert_err(clSetKernelArg(k, 0, 4, &m), CL_INVALID_ARG_SIZE);
    assert_err(clSetKernelArg(k, 0, sizeof k, &k), CL_INVALID_MEM_OBJECT);
    assert_ok(clSetKernelArg(k, 1, sizeof c, &c));
    assert_ok(clSetKernelArg(k, 2, sizeof s, &s));
    assert_ok(clSetKernelArg(k, 3, 16, &f));
    assert_ok(clSetKernelArg(k, 4, sizeof st, &st));
    assert_ok(clSetKernelArg(k, 5, sizeof d, &d));
    assert_ok(clSetKernelArg(k, 6, sizeof t, &t));
    run(k, 1, NULL, &one, NULL);
    c = 99; /* captured at the enqueue */
    assert_ok(clSetKernelArg(k, 1, sizeof c, &c));
    read_back(m, out, sizeof out);
    const uint64_t want[7] = {(uint64_t)-5, 4, 3, (uint64_t)-2, 1ull << 40, 1000000000, 9};
    assert_memory_equal(out, want, sizeof want);
    /* A clone has the arguments and its own later ones. */
    cl_int err;
    cl_kernel clone = clCloneKernel(k, &err);
    assert_ok(err);
    c = 1;
    assert_ok(clSetKernelArg(k, 1, sizeof c, &c));
    run(clone, 1, NULL, &one, NULL);
    read_back(m, out, sizeof out);
    assert_int_equal(out[0], 99);
    clReleaseKernel(clone);
    clReleaseKernel(k);
    clReleaseMemObject(m);
    clReleaseMemObject(t);
}

static void null_buffer(void **state) {
    int out = 0;
    cl_mem none = NULL;
    size_t one = 1;

    (void)state;
    cl_kernel k = make_kernel(program, "null_ptr");
    cl_mem m = make_buffer(0, 4, NULL);
    assert_ok(clSetKernelArg(k, 0, sizeof none, &none));
    assert_ok(clSetKernelArg(k, 1, sizeof m, &m));
    run(k, 1, NULL, &one, NULL);
    read_back(m, &out, 4);
    assert_int_equal(out, 77);
    clReleaseKernel(k);
    clReleaseMemObject(m);
}

static void check_shape(cl_kernel k, cl_mem m, cl_uint dims, const size_t *offset,
                        const size_t *global, const size_t *local) {
    uint32_t out[16];
    const uint32_t zero = 0;
    size_t items = 1;

    assert_ok(clEnqueueFillBuffer(env.queue, m, &zero, 4, 0, sizeof out, 0, NULL, NULL));
    run(k, dims, offset, global, local);
    read_back(m, out, sizeof out);
    for (cl_uint d = 0; d < 3; d++) {
        size_t g = d < dims ? global[d] : 1, l = d < dims && local ? local[d] : out[3 + d];
        size_t last = g % l ? g % l : l;
        items *= g;
        assert_int_equal(out[d], last);
        assert_int_equal(out[3 + d], l);
        assert_int_equal(out[6 + d], (g + l - 1) / l);
        assert_int_equal(out[9 + d], d < dims && offset ? offset[d] : 0);
    }
    assert_int_equal(out[12], dims);
    assert_int_equal(out[13], items - 1);
    assert_int_equal(out[14], 1);
    assert_int_equal(out[15], items);
}

static void shapes(void **state) {
    (void)state;
    cl_kernel k = make_kernel(program, "shape");
    cl_mem m = make_buffer(0, 64, NULL);
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    check_shape(k, m, 1, NULL, (size_t[]){1}, NULL);
    check_shape(k, m, 1, NULL, (size_t[]){1024}, (size_t[]){1024});
    check_shape(k, m, 1, (size_t[]){17}, (size_t[]){1000}, (size_t[]){64});
    check_shape(k, m, 1, NULL, (size_t[]){997}, NULL);
    check_shape(k, m, 2, (size_t[]){3, 4}, (size_t[]){33, 17}, (size_t[]){8, 8});
    check_shape(k, m, 3, (size_t[]){1, 2, 3}, (size_t[]){10, 11, 12}, (size_t[]){4, 3, 5});
    check_shape(k, m, 3, NULL, (size_t[]){64, 2, 2}, NULL);
    check_shape(k, m, 3, NULL, (size_t[]){1, 1, 70}, (size_t[]){1, 1, 64});
    clReleaseKernel(k);
    clReleaseMemObject(m);
}

static void wrong_shapes(void **state) {
    static const struct {
        cl_uint dims;
        size_t global[3], local[3];
        cl_int err;
    } cases[] = {
        {0, {1}, {1}, CL_INVALID_WORK_DIMENSION},
        {4, {1, 1, 1}, {1, 1, 1}, CL_INVALID_WORK_DIMENSION},
        {1, {64}, {2048}, CL_INVALID_WORK_ITEM_SIZE},
        {2, {64, 64}, {64, 32}, CL_INVALID_WORK_GROUP_SIZE},
        {2, {64, 64}, {0, 1}, CL_INVALID_WORK_GROUP_SIZE},
        {2, {64, 64}, {31, 0}, CL_INVALID_WORK_GROUP_SIZE},
        {1, {(size_t)1 << 33}, {1}, CL_INVALID_GLOBAL_WORK_SIZE},
    };
    cl_event ev;
    cl_command_type type;

    (void)state;
    cl_kernel k = make_kernel(program, "shape");
    cl_mem m = make_buffer(0, 64, NULL);
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_err(clEnqueueNDRangeKernel(env.queue, k, cases[i].dims, NULL, cases[i].global,
                                          cases[i].local, 0, NULL, NULL),
                   cases[i].err);
    /* Nothing to do is a command all the same. */
    size_t zero = 0;
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &zero, NULL, 0, NULL, &ev));
    assert_ok(clWaitForEvents(1, &ev));
    assert_ok(clGetEventInfo(ev, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_NDRANGE_KERNEL);
    clReleaseEvent(ev);
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, NULL, NULL, 0, NULL, NULL));
    clReleaseKernel(k);
    clReleaseMemObject(m);
}

static void required_size(void **state) {
    int out = 0;
    size_t global[2] = {16, 8}, wrong[2] = {4, 8}, info[3];

    (void)state;
    cl_kernel k = make_kernel(program, "reqd");
    cl_mem m = make_buffer(0, 4, NULL);
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    run(k, 2, NULL, global, NULL);
    read_back(m, &out, 4);
    assert_int_equal(out, 804);
    assert_err(clEnqueueNDRangeKernel(env.queue, k, 2, NULL, global, wrong, 0, NULL, NULL),
               CL_INVALID_WORK_GROUP_SIZE);
    assert_ok(clGetKernelWorkGroupInfo(k, env.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                       sizeof info, info, NULL));
    assert_int_equal(info[0], 8);
    assert_int_equal(info[1], 4);
    clReleaseKernel(k);
    clReleaseMemObject(m);
}

static void local_memory(void **state) {
    int out[64];
    size_t n = 64;
    cl_ulong bytes = 0;

    (void)state;
    cl_kernel k = make_kernel(program, "locals");
    cl_mem m = make_buffer(0, sizeof out, NULL);
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    assert_err(clSetKernelArg(k, 1, 0, NULL), CL_INVALID_ARG_SIZE);
    assert_err(clSetKernelArg(k, 1, 4, out), CL_INVALID_ARG_VALUE);
    assert_ok(clSetKernelArg(k, 1, 64 * 4, NULL));
    assert_ok(clSetKernelArg(k, 2, 65, NULL));
    assert_ok(clSetKernelArg(k, 3, 64 * 8, NULL));
    run(k, 1, NULL, &n, &n);
    read_back(m, out, sizeof out);
    for (int i = 0; i < 64; i++) {
        int j = 63 - i;
        assert_int_equal(out[i], j * 10 + j + j * 2 + (j & 3));
    }
    assert_ok(clGetKernelWorkGroupInfo(k, env.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes,
                                       &bytes, NULL));
    assert_true(bytes >= 16 + 256 + 65 + 512 && bytes < 1024);
    assert_ok(clSetKernelArg(k, 1, 65536, NULL));
    assert_err(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &n, &n, 0, NULL, NULL),
               CL_OUT_OF_RESOURCES);
    clReleaseKernel(k);
    clReleaseMemObject(m);
}

/* Variables of the program live as long as the program, per program object. */
static void program_scope(void **state) {
    int out = 0;
    size_t one = 1;

    (void)state;
    cl_program other = build_source(source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    cl_mem m = make_buffer(0, 4, NULL);
    cl_program programs[2] = {program, other};
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 3; i++) {
            cl_kernel k = make_kernel(programs[p], "scope");
            assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
            run(k, 1, NULL, &one, NULL);
            read_back(m, &out, 4);
            assert_int_equal(out, 100 + i + 3);
            clReleaseKernel(k);
        }
    clReleaseMemObject(m);
    clReleaseProgram(other);
}

static void queries(void **state) {
    char text[64];
    size_t size;
    cl_uint n;
    cl_kernel_arg_address_qualifier space;

    (void)state;
    cl_kernel k = make_kernel(program, "args");
    assert_ok(clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof text, text, &size));
    assert_string_equal(text, "args");
    assert_int_equal(size, 5);
    assert_ok(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
    assert_int_equal(n, 7);
    assert_err(clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, 2, text, NULL), CL_INVALID_VALUE);
    assert_ok(clGetKernelArgInfo(k, 3, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "f");
    assert_ok(clGetKernelArgInfo(k, 3, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    assert_string_equal(text, "float3");
    assert_ok(
        clGetKernelArgInfo(k, 6, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    assert_int_equal(space, CL_KERNEL_ARG_ADDRESS_CONSTANT);
    assert_ok(
        clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    assert_int_equal(space, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    assert_ok(
        clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    assert_int_equal(space, CL_KERNEL_ARG_ADDRESS_PRIVATE);
    assert_ok(clGetKernelWorkGroupInfo(k, env.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                       NULL));
    assert_int_equal(size, 1024);
    clReleaseKernel(k);
    assert_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL));
    assert_int_equal(size, 7);
    cl_int err;
    clCreateKernel(program, "missing", &err);
    assert_int_equal(err, CL_INVALID_KERNEL_NAME);
}

static char notified[1024];

static void CL_CALLBACK notify(const char *message, const void *info, size_t size, void *data) {
    (void)info, (void)size, (void)data;
    snprintf(notified, sizeof notified, "%s", message);
}

/* A wild store: the event and what is behind it in the queue fail, the message names the kernel,
 * and a new queue works. */
static void fault(void **state) {
    cl_int err;
    cl_event ev, behind;
    size_t one = 1;
    const int v = 4;
    int out = 0;

    (void)state;
    cl_context ctx = clCreateContext(NULL, 1, &env.device, notify, NULL, &err);
    assert_ok(err);
    cl_command_queue q = clCreateCommandQueue(ctx, env.device, 0, &err);
    const char *text = source;
    cl_program p = clCreateProgramWithSource(ctx, 1, &text, NULL, &err);
    assert_ok(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "fault", &err);
    cl_mem m = clCreateBuffer(ctx, 0, 64, NULL, &err);
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    assert_ok(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, &ev));
    assert_ok(clEnqueueFillBuffer(q, m, &v, 4, 0, 64, 0, NULL, &behind));
    assert_err(clWaitForEvents(1, &ev), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(event_status(ev), CL_OUT_OF_RESOURCES);
    clWaitForEvents(1, &behind);
    assert_int_equal(event_status(behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_command_queue fresh = clCreateCommandQueue(ctx, env.device, 0, &err);
    assert_ok(err);
    assert_ok(clEnqueueFillBuffer(fresh, m, &v, 4, 0, 64, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(fresh, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL));
    assert_int_equal(out, 4);
    for (int i = 0; i < 1000 && !notified[0]; i++)
        usleep(1000);
    assert_non_null(strstr(notified, "fault"));
    clReleaseEvent(ev);
    clReleaseEvent(behind);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(p);
    clReleaseCommandQueue(q);
    clReleaseCommandQueue(fresh);
    clReleaseContext(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),     cmocka_unit_test(null_buffer),
        cmocka_unit_test(shapes),        cmocka_unit_test(wrong_shapes),
        cmocka_unit_test(required_size), cmocka_unit_test(local_memory),
        cmocka_unit_test(program_scope), cmocka_unit_test(queries),
        cmocka_unit_test(fault),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
