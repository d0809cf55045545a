/* SPDX-License-Identifier: MIT */
/* The life of the process: fork, exit without releasing anything, another vendor beside us. Each
 * case runs in a child that was started before this process touched OpenCL.
 */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/api/api_test.h"

/* Runs fn in a child; its exit status, or -signal. */
static int in_child(int (*fn)(void)) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        exit(fn());
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "line %d: %s\n", __LINE__, #cond);                                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* In the child of a process with an open device: every call gives an error, none hangs. */
static int grandchild(cl_mem m, cl_kernel k, cl_event done) {
    cl_int err, v = 0;
    size_t one = 1;
    alarm(20);
    CHECK(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4, &v, 0, NULL, NULL) < 0);
    CHECK(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 0, NULL, NULL) < 0);
    CHECK(clEnqueueNDRangeKernel(env.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL) < 0);
    CHECK(clFinish(env.queue) < 0);
    CHECK(!clCreateBuffer(env.ctx, 0, 64, NULL, &err) && err < 0);
    CHECK(!clCreateCommandQueue(env.ctx, env.device, 0, &err) && err < 0);
    CHECK(!clCreateContext(NULL, 1, &env.device, NULL, NULL, &err));
    CHECK(err == CL_DEVICE_NOT_AVAILABLE);
    CHECK(clWaitForEvents(1, &done) < 0 || event_status(done) == CL_COMPLETE);
    /* Queries and releases still work. */
    size_t size = 0;
    CHECK(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL) == CL_SUCCESS && size == 64);
    CHECK(clReleaseKernel(k) == CL_SUCCESS);
    CHECK(clReleaseEvent(done) == CL_SUCCESS);
    CHECK(clReleaseMemObject(m) == CL_SUCCESS);
    return 0;
}

static int fork_with_open_device(void) {
    const int v = 5;
    int out = 0, status = 0;
    cl_event done;
    void *none = NULL;
    CHECK(env_setup(&none) == 0);
    cl_program p = build_source(kernels_source, NULL);
    cl_kernel k = make_kernel(p, "empty");
    cl_mem m = make_buffer(0, 64, NULL);
    CHECK(clEnqueueFillBuffer(env.queue, m, &v, 4, 0, 64, 0, NULL, &done) == CL_SUCCESS);
    pid_t pid = fork(); /* with a command in flight */
    if (pid == 0) _exit(grandchild(m, k, done));
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    /* The parent is none the worse. */
    CHECK(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(out == 5);
    return 0;
}

/* A child forked before the first context is a process like any other. */
static int fork_before_open(void) {
    cl_uint n = 0;
    int status = 0;
    clGetPlatformIDs(0, NULL, &n);
    pid_t pid = fork();
    if (pid == 0) {
        void *none = NULL;
        int out = 0;
        const int v = 6;
        if (env_setup(&none)) _exit(1);
        cl_mem m = make_buffer(0, 64, NULL);
        clEnqueueFillBuffer(env.queue, m, &v, 4, 0, 64, 0, NULL, NULL);
        clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL);
        _exit(out == 6 ? 0 : 2);
    }
    waitpid(pid, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}

static double seconds(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Leaves with everything alive and commands in flight, one of them waiting for ever. */
static int leave_all(void) {
    cl_int err;
    const int v = 5;
    void *none = NULL;
    static char data[4 << 20];
    CHECK(env_setup(&none) == 0);
    cl_program p = build_source(kernels_source, NULL);
    CHECK(make_kernel(p, "vadd") != NULL);
    cl_mem m = make_buffer(0, sizeof data, NULL);
    cl_event gate = clCreateUserEvent(env.ctx, &err);
    CHECK(clEnqueueFillBuffer(env.ooo, m, &v, 4, 0, 64, 1, &gate, NULL) == CL_SUCCESS);
    CHECK(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, sizeof data, data, 0, NULL, NULL) ==
          CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(env.queue, m, CL_FALSE, 0, 64, data, 0, NULL, NULL) == CL_SUCCESS);
    return 7;
}

static void fork_open(void **state) {
    (void)state;
    assert_int_equal(in_child(fork_with_open_device), 0);
}

static void fork_early(void **state) {
    (void)state;
    assert_int_equal(in_child(fork_before_open), 0);
}

static void exit_without_release(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(in_child(leave_all), 7);
}

static int just_exit(void) {
    void *none = NULL;
    CHECK(env_setup(&none) == 0);
    double t = seconds();
    FILE *f = fopen(getenv("LIFE_FILE"), "w");
    CHECK(f);
    fprintf(f, "%.6f", t);
    fclose(f);
    return 0;
}

static void exit_is_quick(void **state) {
    char path[] = "/tmp/rawcl-life-XXXXXX";
    double t = 0;

    (void)state;
    close(mkstemp(path));
    setenv("LIFE_FILE", path, 1);
    assert_int_equal(in_child(just_exit), 0);
    double now = seconds();
    FILE *f = fopen(path, "r");
    assert_int_equal(fscanf(f, "%lf", &t), 1);
    fclose(f);
    unlink(path);
    assert_true(now - t < 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fork_open),
        cmocka_unit_test(fork_early),
        cmocka_unit_test(exit_without_release),
        cmocka_unit_test(exit_is_quick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
