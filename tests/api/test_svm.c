/* SPDX-License-Identifier: MIT */
/* Shared virtual memory: allocation, arguments, commands, buffers over it. */
#include <pthread.h>

#include "tests/api/api_test.h"

enum { N = 4096 };

static cl_program program;

static int setup(void **state) {
    if (env_setup(state)) return -1;
    program = build_source(kernels_source, "");
    return 0;
}

static int teardown(void **state) {
    clReleaseProgram(program);
    return env_teardown(state);
}

static cl_device_svm_capabilities caps(void) {
    cl_device_svm_capabilities c = 0;

    assert_ok(clGetDeviceInfo(env.device, CL_DEVICE_SVM_CAPABILITIES, sizeof c, &c, NULL));
    return c;
}

static int *ints(size_t n) {
    int *p = clSVMAlloc(env.ctx, CL_MEM_READ_WRITE, n * sizeof *p, 0);

    assert_non_null(p);
    return p;
}

static void add(cl_kernel k, const void *p, int v, size_t n) {
    assert_ok(clSetKernelArgSVMPointer(k, 0, p));
    assert_ok(clSetKernelArg(k, 1, sizeof v, &v));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
}

static void reported(void **state) {
    (void)state;
    assert_true(caps() & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    assert_true(caps() & CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
    assert_false(caps() & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
}

static void alloc_errors(void **state) {
    cl_ulong max;

    (void)state;
    assert_ok(clGetDeviceInfo(env.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL));
    assert_null(clSVMAlloc(env.ctx, CL_MEM_READ_WRITE, 0, 0));
    assert_null(clSVMAlloc(env.ctx, CL_MEM_READ_WRITE, max + 1, 0));
    assert_null(clSVMAlloc(env.ctx, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0));
    assert_null(clSVMAlloc(env.ctx, CL_MEM_SVM_ATOMICS, 64, 0));
    assert_null(clSVMAlloc(env.ctx, CL_MEM_COPY_HOST_PTR, 64, 0));
    assert_null(clSVMAlloc(env.ctx, CL_MEM_READ_WRITE, 64, 3));
    assert_null(clSVMAlloc(env.ctx, CL_MEM_READ_WRITE, 64, 256));
    clSVMFree(env.ctx, NULL);
    clSVMFree(env.ctx, &max); /* refused, not obeyed */
    void *p = clSVMAlloc(env.ctx, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 100, 128);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 128, 0);
    clSVMFree(env.ctx, p);
}

static void kernel_sees_host_and_back(void **state) {
    cl_kernel k = make_kernel(program, "add_to");
    int *p = ints(N);
    int local = 0;

    (void)state;
    assert_ok(clEnqueueSVMMap(env.queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, p, N * sizeof *p,
                              0, NULL, NULL));
    for (int i = 0; i < N; i++)
        p[i] = i;
    assert_ok(clEnqueueSVMUnmap(env.queue, p, 0, NULL, NULL));
    add(k, p, 5, N);
    add(k, p + N / 2, 100, N / 2); /* a pointer into it */
    assert_ok(clEnqueueSVMMap(env.queue, CL_TRUE, CL_MAP_READ, p, N * sizeof *p, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(p[i], i + 5 + (i < N / 2 ? 0 : 100));
    assert_ok(clEnqueueSVMUnmap(env.queue, p, 0, NULL, NULL));

    assert_err(clSetKernelArgSVMPointer(k, 0, &local), CL_INVALID_ARG_VALUE);
    assert_err(clSetKernelArgSVMPointer(k, 1, p), CL_INVALID_ARG_VALUE);
    assert_err(clSetKernelArgSVMPointer(k, 2, p), CL_INVALID_ARG_INDEX);
    assert_ok(clSetKernelArgSVMPointer(k, 0, NULL));
    assert_ok(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof p, &p));
    assert_err(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &p), CL_INVALID_VALUE);
    assert_err(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL), CL_INVALID_VALUE);
    cl_bool on = CL_TRUE;
    assert_err(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof on, &on),
               CL_INVALID_OPERATION);
    assert_ok(clFinish(env.queue));
    clSVMFree(env.ctx, p);
    clReleaseKernel(k);
}

/* The clone keeps the pointer; setting a buffer afterwards replaces it. */
static void pointer_argument_is_replaced(void **state) {
    cl_kernel k = make_kernel(program, "add_to");
    int *p = ints(1), v = 3, out = 0;
    size_t one = 1;
    cl_int err;

    (void)state;
    *p = 1;
    add(k, p, v, 1);
    cl_kernel clone = clCloneKernel(k, &err);
    assert_ok(err);
    assert_ok(clEnqueueNDRangeKernel(env.queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL));
    int zero = 0;
    cl_mem m = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof zero, &zero);
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_ok(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
    assert_int_equal(*p, 7);
    assert_int_equal(out, 3);
    clReleaseMemObject(m);
    clReleaseKernel(clone);
    clReleaseKernel(k);
    clSVMFree(env.ctx, p);
}

static void copies(void **state) {
    int *a = ints(N), *b = ints(N), host[N], back[N];
    const cl_int pattern[2] = {7, 8};
    cl_event ev;
    cl_command_type type;

    (void)state;
    for (int i = 0; i < N; i++)
        host[i] = 3 * i;
    assert_ok(clEnqueueSVMMemcpy(env.queue, CL_FALSE, a, host, sizeof host, 0, NULL, NULL));
    assert_ok(clEnqueueSVMMemcpy(env.queue, CL_FALSE, b, a, sizeof host, 0, NULL, &ev));
    assert_ok(clEnqueueSVMMemcpy(env.queue, CL_TRUE, back, b, sizeof host, 0, NULL, NULL));
    assert_memory_equal(back, host, sizeof host);
    assert_ok(clGetEventInfo(ev, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_SVM_MEMCPY);
    clReleaseEvent(ev);
    memset(back, 0, sizeof back);
    assert_ok(clEnqueueSVMMemcpy(env.queue, CL_TRUE, back, host, sizeof host, 0, NULL, NULL));
    assert_memory_equal(back, host, sizeof host);

    assert_ok(clEnqueueSVMMemFill(env.queue, a + 2, pattern, 8, 80, 0, NULL, NULL));
    assert_ok(clEnqueueSVMMap(env.queue, CL_TRUE, CL_MAP_READ, a, 96, 0, NULL, NULL));
    assert_int_equal(a[1], 3);
    for (int i = 2; i < 22; i++)
        assert_int_equal(a[i], pattern[i & 1]);
    assert_int_equal(a[22], 66);

    assert_err(clEnqueueSVMMemcpy(env.queue, CL_TRUE, NULL, a, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_err(clEnqueueSVMMemcpy(env.queue, CL_TRUE, a, a + 1, 8, 0, NULL, NULL),
               CL_MEM_COPY_OVERLAP);
    assert_ok(clEnqueueSVMMemcpy(env.queue, CL_TRUE, a, b, 0, 0, NULL, NULL));
    assert_err(clEnqueueSVMMemFill(env.queue, NULL, pattern, 4, 4, 0, NULL, NULL),
               CL_INVALID_VALUE);
    assert_err(clEnqueueSVMMemFill(env.queue, a, pattern, 3, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_err(clEnqueueSVMMemFill(env.queue, a + 1, pattern, 8, 8, 0, NULL, NULL),
               CL_INVALID_VALUE);
    assert_err(clEnqueueSVMMemFill(env.queue, host, pattern, 4, 4, 0, NULL, NULL),
               CL_INVALID_VALUE);
    assert_err(clEnqueueSVMMap(env.queue, CL_TRUE, CL_MAP_READ, a, 0, 0, NULL, NULL),
               CL_INVALID_VALUE);
    assert_err(clEnqueueSVMMap(env.queue, CL_TRUE, CL_MAP_READ, host, 4, 0, NULL, NULL),
               CL_INVALID_VALUE);
    assert_err(clEnqueueSVMUnmap(env.queue, host, 0, NULL, NULL), CL_INVALID_VALUE);
    const void *list[2] = {a, host};
    assert_ok(clEnqueueSVMMigrateMem(env.queue, 1, list, NULL, 0, 0, NULL, NULL));
    assert_err(clEnqueueSVMMigrateMem(env.queue, 2, list, NULL, 0, 0, NULL, NULL),
               CL_INVALID_VALUE);
    clSVMFree(env.ctx, a);
    clSVMFree(env.ctx, b);
}

/* An order that the host decides: the copy waits for a user event, and the data that counts is
 * the data then. */
static void copy_waits_for_its_events(void **state) {
    int *a = ints(4), host[4] = {1, 2, 3, 4};
    cl_int err;
    cl_event gate = clCreateUserEvent(env.ctx, &err);

    (void)state;
    assert_ok(clEnqueueSVMMemcpy(env.ooo, CL_FALSE, a, host, sizeof host, 1, &gate, NULL));
    host[3] = 44;
    assert_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_ok(clFinish(env.ooo));
    assert_int_equal(a[3], 44);
    clReleaseEvent(gate);
    clSVMFree(env.ctx, a);
}

static void CL_CALLBACK give_back(cl_command_queue queue, cl_uint count, void *pointers[],
                                  void *user) {
    (void)queue;
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(env.ctx, pointers[i]);
    *(int *)user += (int)count;
}

static void enqueued_free(void **state) {
    cl_kernel k = make_kernel(program, "add_to");
    int *p = ints(N), freed = 0;
    void *list[2] = {ints(1), ints(1)}, *one[1] = {p};

    (void)state;
    add(k, p, 1, N);
    assert_ok(clEnqueueSVMFree(env.queue, 1, one, NULL, NULL, 0, NULL, NULL));
    one[0] = NULL; /* the list was copied */
    assert_ok(clEnqueueSVMFree(env.queue, 2, list, give_back, &freed, 0, NULL, NULL));
    assert_ok(clFinish(env.queue));
    assert_int_equal(freed, 2);
    assert_err(clSetKernelArgSVMPointer(k, 0, p), CL_INVALID_ARG_VALUE); /* gone */
    assert_err(clEnqueueSVMFree(env.queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_err(clEnqueueSVMFree(env.queue, 1, one, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    clReleaseKernel(k);
}

/* A buffer over shared memory is that memory: no copies, and the same pointer from maps. */
static void buffer_over_shared_memory(void **state) {
    cl_kernel k = make_kernel(program, "add_to");
    int *p = ints(N), v = 2;
    size_t n = 64;
    cl_int err;
    cl_bool uses = CL_FALSE;

    (void)state;
    memset(p, 0, N * sizeof *p);
    cl_mem m = make_buffer(CL_MEM_USE_HOST_PTR, 1024, p + 64);
    assert_ok(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    assert_true(uses);
    p[64] = 40; /* after the buffer was made */
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    assert_ok(clSetKernelArg(k, 1, sizeof v, &v));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    int *mapped = clEnqueueMapBuffer(env.queue, m, CL_TRUE, CL_MAP_READ, 4, 8, 0, NULL, NULL, &err);
    assert_ok(err);
    assert_ptr_equal(mapped, p + 65);
    assert_int_equal(p[64], 42);
    assert_int_equal(p[127], 2);
    assert_int_equal(p[128], 0);
    assert_ok(clEnqueueUnmapMemObject(env.queue, m, mapped, 0, NULL, NULL));
    int back = 0;
    assert_ok(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    assert_int_equal(back, 42);
    clSVMFree(env.ctx, p); /* the buffer keeps the memory */
    assert_ok(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    clReleaseMemObject(m);
    p = ints(16);
    assert_null(clCreateBuffer(env.ctx, CL_MEM_USE_HOST_PTR, 2 * N * sizeof *p, p, &err));
    assert_err(err, CL_INVALID_BUFFER_SIZE);
    clSVMFree(env.ctx, p);
    clReleaseKernel(k);
}

/* Host and device count in one word at the same time. */
static void atomics_with_the_host(void **state) {
    enum { ITEMS = 4096, HOST = 20000 };
    const char *src =
        "kernel void count(global atomic_int *c, global int *go) {\n"
        "    atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_all_svm_devices);\n"
        "    if (get_global_id(0) == 0) atomic_store_explicit((global atomic_int *)go, 1,\n"
        "        memory_order_release, memory_scope_all_svm_devices);\n"
        "}\n";
    size_t n = ITEMS;

    (void)state;
    if (is_fake() || !(caps() & CL_DEVICE_SVM_ATOMICS)) skip();
    cl_program p = build_source(src, "-cl-std=CL3.0");
    cl_kernel k = make_kernel(p, "count");
    int *c = clSVMAlloc(env.ctx, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 256, 0);
    assert_non_null(c);
    c[0] = c[32] = 0;
    assert_ok(clSetKernelArgSVMPointer(k, 0, c));
    assert_ok(clSetKernelArgSVMPointer(k, 1, c + 32));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    assert_ok(clFlush(env.queue));
    for (int i = 0; i < HOST; i++)
        __atomic_fetch_add(c, 1, __ATOMIC_RELAXED);
    assert_ok(clFinish(env.queue));
    assert_int_equal(c[0], ITEMS + HOST);
    assert_int_equal(c[32], 1);
    clSVMFree(env.ctx, c);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

/* A list that the host linked is walked by a kernel that knows its head only. */
static void linked_list(void **state) {
    const char *src = "typedef struct node { int v; global struct node *next; } node;\n"
                      "kernel void walk(global node *n, global int *out) {\n"
                      "    int sum = 0;\n"
                      "    for (; n; n = n->next) { sum += n->v; n->v = -n->v; }\n"
                      "    *out = sum;\n"
                      "}\n";
    struct node {
        int v;
        struct node *next;
    } * nodes[10], *next = NULL;
    size_t one = 1;

    (void)state;
    if (is_fake()) skip();
    cl_program p = build_source(src, "-cl-std=CL2.0");
    cl_kernel k = make_kernel(p, "walk");
    for (int i = 0; i < 10; i++) {
        nodes[i] = clSVMAlloc(env.ctx, CL_MEM_READ_WRITE, sizeof *next, 0);
        *nodes[i] = (struct node){i + 1, next};
        next = nodes[i];
    }
    int *out = ints(1);
    assert_ok(clSetKernelArgSVMPointer(k, 0, next));
    assert_ok(clSetKernelArgSVMPointer(k, 1, out));
    assert_ok(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, nodes));
    assert_ok(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_ok(clFinish(env.queue));
    assert_int_equal(*out, 55);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(nodes[i]->v, -(i + 1));
        clSVMFree(env.ctx, nodes[i]);
    }
    clSVMFree(env.ctx, out);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

static void *churn(void *arg) {
    int *mine[8] = {0};

    for (unsigned i = 0; i < 200; i++) {
        unsigned slot = (i * 7 + (unsigned)(uintptr_t)arg) % 8;
        if (mine[slot]) clSVMFree(env.ctx, mine[slot]);
        mine[slot] = clSVMAlloc(env.ctx, CL_MEM_READ_WRITE, 64 + i * 16, 0);
        if (!mine[slot]) return "no memory";
        mine[slot][0] = (int)i;
        int copy = -1;
        if (clEnqueueSVMMemcpy(env.queue, CL_TRUE, &copy, mine[slot], 4, 0, NULL, NULL) ||
            copy != (int)i)
            return "wrong copy";
    }
    for (int i = 0; i < 8; i++)
        clSVMFree(env.ctx, mine[i]);
    return NULL;
}

static void many_threads(void **state) {
    pthread_t t[4];

    (void)state;
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, churn, (void *)i), 0);
    for (int i = 0; i < 4; i++) {
        void *what;
        pthread_join(t[i], &what);
        assert_null(what);
    }
}

/* A process whose address space has no room (FAKE_AM=nosvm): nothing is claimed, all is refused. */
static void unavailable(void **state) {
    int x = 0;
    const int *p = &x;

    (void)state;
    assert_int_equal(caps(), 0);
    assert_null(clSVMAlloc(env.ctx, CL_MEM_READ_WRITE, 64, 0));
    assert_err(clEnqueueSVMUnmap(env.queue, &x, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_err(clEnqueueSVMMemFill(env.queue, &x, p, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
}

int main(void) {
    const char *fake = getenv("FAKE_AM");
    const struct CMUnitTest refusals[] = {cmocka_unit_test(unavailable)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reported),
        cmocka_unit_test(alloc_errors),
        cmocka_unit_test(kernel_sees_host_and_back),
        cmocka_unit_test(pointer_argument_is_replaced),
        cmocka_unit_test(copies),
        cmocka_unit_test(copy_waits_for_its_events),
        cmocka_unit_test(enqueued_free),
        cmocka_unit_test(buffer_over_shared_memory),
        cmocka_unit_test(atomics_with_the_host),
        cmocka_unit_test(linked_list),
        cmocka_unit_test(many_threads),
    };

    if (fake && strstr(fake, "nosvm")) return cmocka_run_group_tests(refusals, setup, teardown);
    return cmocka_run_group_tests(tests, setup, teardown);
}
