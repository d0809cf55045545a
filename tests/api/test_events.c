/* SPDX-License-Identifier: MIT */
/* Events, wait lists, user events, callbacks, profiling, queues of both orders. */
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <stdatomic.h>

#include "tests/api/api_test.h"

static void sleep_ms(long ms) {
    struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&ts, NULL);
}

static cl_event user_event(void) {
    cl_int err;
    cl_event ev = clCreateUserEvent(env.ctx, &err);

    assert_ok(err);
    return ev;
}

/* Waits up to two seconds for an event to end by polling. */
static cl_int poll_end(cl_event ev) {
    for (int i = 0; i < 2000; i++) {
        cl_int s = event_status(ev);
        if (s <= 0) return s;
        sleep_ms(1);
    }
    return event_status(ev);
}

static void user_event_gates_a_write(void **state) {
    int v = 41, out = 0;
    cl_event gate = user_event(), wrote, read;

    (void)state;
    cl_mem m = make_buffer(0, 4, NULL);
    assert_ok(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 1, &gate, &wrote));
    assert_ok(clEnqueueReadBuffer(env.queue, m, CL_FALSE, 0, 4, &out, 0, NULL, &read));
    assert_int_equal(event_status(wrote), CL_QUEUED);
    assert_int_equal(event_status(read), CL_QUEUED);
    sleep_ms(10);
    assert_int_equal(out, 0);
    v = 42; /* read only when the write may start */
    assert_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_ok(clWaitForEvents(1, &read));
    assert_int_equal(out, 42);
    assert_int_equal(event_status(wrote), CL_COMPLETE);
    assert_err(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    clReleaseEvent(gate);
    clReleaseEvent(wrote);
    clReleaseEvent(read);
    clReleaseMemObject(m);
}

/* A negative user event fails what waits for it and nothing else. */
static void negative_user_event(void **state) {
    int v = 1, out = 0;
    cl_event gate = user_event(), wrote, second;

    (void)state;
    cl_mem m = make_buffer(CL_MEM_COPY_HOST_PTR, 4, &v);
    assert_ok(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &out, 1, &gate, &wrote));
    assert_ok(clEnqueueFillBuffer(env.queue, m, &v, 4, 0, 4, 1, &wrote, &second));
    assert_ok(clSetUserEventStatus(gate, -5));
    assert_err(clWaitForEvents(1, &wrote), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(event_status(wrote), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(poll_end(second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(event_status(gate), -5);
    assert_ok(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL));
    assert_int_equal(out, 1);
    assert_ok(clFinish(env.queue));
    clReleaseEvent(gate);
    clReleaseEvent(wrote);
    clReleaseEvent(second);
    clReleaseMemObject(m);
}

struct seen {
    atomic_int count;
    atomic_int status[8];
};

static void CL_CALLBACK record(cl_event ev, cl_int status, void *arg) {
    struct seen *s = arg;

    (void)ev;
    int i = atomic_fetch_add(&s->count, 1);
    if (i < 8) atomic_store(&s->status[i], status);
}

static bool wait_count(struct seen *s, int n) {
    for (int i = 0; i < 2000 && atomic_load(&s->count) < n; i++)
        sleep_ms(1);
    return atomic_load(&s->count) == n;
}

static void callbacks(void **state) {
    struct seen s = {0}, late = {0}, bad = {0};
    int v = 1;
    cl_event gate = user_event(), wrote;

    (void)state;
    cl_mem m = make_buffer(0, 4, NULL);
    assert_ok(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 1, &gate, &wrote));
    assert_ok(clSetEventCallback(wrote, CL_COMPLETE, record, &s));
    assert_ok(clSetEventCallback(wrote, CL_SUBMITTED, record, &s));
    assert_ok(clSetEventCallback(wrote, CL_RUNNING, record, &s));
    assert_int_equal(atomic_load(&s.count), 0);
    assert_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_true(wait_count(&s, 3)); /* although nobody waits for the command */
    assert_int_equal(s.status[0], CL_SUBMITTED);
    assert_int_equal(s.status[1], CL_RUNNING);
    assert_int_equal(s.status[2], CL_COMPLETE);
    assert_ok(clSetEventCallback(wrote, CL_COMPLETE, record, &late));
    assert_true(wait_count(&late, 1));
    /* A failed command calls back with its error. */
    cl_event gate2 = user_event(), failed;
    assert_ok(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 1, &gate2, &failed));
    assert_ok(clSetEventCallback(failed, CL_COMPLETE, record, &bad));
    assert_ok(clSetUserEventStatus(gate2, -7));
    assert_true(wait_count(&bad, 1));
    assert_int_equal(bad.status[0], CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_err(clSetEventCallback(wrote, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    assert_err(clSetEventCallback(wrote, 17, record, NULL), CL_INVALID_VALUE);
    clReleaseEvent(gate);
    clReleaseEvent(gate2);
    clReleaseEvent(wrote);
    clReleaseEvent(failed);
    clReleaseMemObject(m);
}

static void CL_CALLBACK open_gate(cl_event ev, cl_int status, void *arg) {
    (void)ev, (void)status;
    clSetUserEventStatus((cl_event)arg, CL_COMPLETE);
}

/* A callback that completes a user event which gates another queue: no deadlock. */
static void callback_opens_gate(void **state) {
    int v = 9, out = 0;
    cl_event gate = user_event(), wrote, read;

    (void)state;
    cl_mem m = make_buffer(0, 4, NULL);
    assert_ok(clEnqueueReadBuffer(env.ooo, m, CL_FALSE, 0, 4, &out, 1, &gate, &read));
    assert_ok(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 0, NULL, &wrote));
    assert_ok(clSetEventCallback(wrote, CL_COMPLETE, open_gate, gate));
    assert_ok(clWaitForEvents(1, &read));
    assert_int_equal(out, 9);
    clReleaseEvent(gate);
    clReleaseEvent(wrote);
    clReleaseEvent(read);
    clReleaseMemObject(m);
}

/* Out of order: a command that waits for nothing runs past one that waits for the host. */
static void independent_overtakes(void **state) {
    const int v = 3;
    cl_event gate = user_event(), blocked, free_one;

    (void)state;
    cl_mem m = make_buffer(0, 4096, NULL);
    assert_ok(clEnqueueFillBuffer(env.ooo, m, &v, 4, 0, 64, 1, &gate, &blocked));
    assert_ok(clEnqueueFillBuffer(env.ooo, m, &v, 4, 64, 64, 0, NULL, &free_one));
    assert_int_equal(poll_end(free_one), CL_COMPLETE);
    assert_int_equal(event_status(blocked), CL_QUEUED);
    assert_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_ok(clFinish(env.ooo));
    assert_int_equal(event_status(blocked), CL_COMPLETE);
    clReleaseEvent(gate);
    clReleaseEvent(blocked);
    clReleaseEvent(free_one);
    clReleaseMemObject(m);
}

static void barriers_and_markers(void **state) {
    const int v = 3;
    cl_event gate = user_event(), first, barrier, after, marker;

    (void)state;
    cl_mem m = make_buffer(0, 4096, NULL);
    assert_ok(clEnqueueFillBuffer(env.ooo, m, &v, 4, 0, 64, 1, &gate, &first));
    assert_ok(clEnqueueMarkerWithWaitList(env.ooo, 0, NULL, &marker));
    assert_ok(clEnqueueBarrierWithWaitList(env.ooo, 0, NULL, &barrier));
    assert_ok(clEnqueueFillBuffer(env.ooo, m, &v, 4, 64, 64, 0, NULL, &after));
    sleep_ms(20);
    assert_int_equal(event_status(barrier), CL_QUEUED);
    assert_int_equal(event_status(marker), CL_QUEUED);
    assert_int_equal(event_status(after), CL_QUEUED);
    assert_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_ok(clWaitForEvents(1, &after));
    assert_int_equal(event_status(first), CL_COMPLETE);
    assert_int_equal(event_status(barrier), CL_COMPLETE);
    cl_ulong first_end = 0, marker_end = 0;
    assert_ok(clWaitForEvents(1, &marker));
    assert_ok(clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_END, 8, &first_end, NULL));
    assert_ok(clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, 8, &marker_end, NULL));
    assert_true(marker_end >= first_end);
    cl_event list[] = {gate, first, barrier, after, marker};
    for (int i = 0; i < 5; i++)
        clReleaseEvent(list[i]);
    clReleaseMemObject(m);
}

static void profiling(void **state) {
    static char data[1 << 20];
    const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                       CL_PROFILING_COMMAND_COMPLETE};
    cl_event evs[4];
    cl_int err;

    (void)state;
    cl_mem m = make_buffer(0, sizeof data, NULL);
    assert_ok(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 1000, data, 0, NULL, &evs[0]));
    assert_ok(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, sizeof data, data, 0, NULL, &evs[1]));
    assert_ok(clEnqueueCopyBuffer(env.queue, m, m, 0, 512, 512, 0, NULL, &evs[2]));
    assert_ok(clEnqueueReadBuffer(env.queue, m, CL_TRUE, 0, 1000, data, 0, NULL, &evs[3]));
    cl_ulong last_end = 0;
    for (int i = 0; i < 4; i++) {
        cl_ulong t[5];
        for (int j = 0; j < 5; j++) {
            assert_ok(clGetEventProfilingInfo(evs[i], names[j], sizeof t[j], &t[j], NULL));
            if (j) assert_true(t[j] >= t[j - 1]);
        }
        assert_true(t[0] > 0);
        assert_true(t[3] >= last_end);
        last_end = t[3];
        clReleaseEvent(evs[i]);
    }
    cl_command_queue plain = clCreateCommandQueue(env.ctx, env.device, 0, &err);
    assert_ok(err);
    cl_ulong t;
    cl_event ev;
    assert_ok(clEnqueueMarkerWithWaitList(plain, 0, NULL, &ev));
    assert_ok(clWaitForEvents(1, &ev));
    assert_err(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL),
               CL_PROFILING_INFO_NOT_AVAILABLE);
    clReleaseEvent(ev);
    clReleaseCommandQueue(plain);
    clReleaseMemObject(m);
}

/* A chain over two queues by events, with host memory in the middle. */
static void chain_over_queues(void **state) {
    enum { N = 1000, ROUNDS = 50 };
    static int data[N];
    size_t global = N;
    int one = 1;
    cl_event prev = NULL;

    (void)state;
    memset(data, 0, sizeof data);
    cl_program p = build_source(kernels_source, NULL);
    cl_kernel k = make_kernel(p, "add_to");
    cl_mem m = make_buffer(0, sizeof data, NULL);
    assert_ok(clSetKernelArg(k, 0, sizeof m, &m));
    assert_ok(clSetKernelArg(k, 1, sizeof one, &one));
    for (int i = 0; i < ROUNDS; i++) {
        cl_event w, r, x;
        cl_command_queue a = i % 2 ? env.queue : env.ooo, b = i % 3 ? env.queue : env.ooo;
        assert_ok(clEnqueueWriteBuffer(a, m, CL_FALSE, 0, sizeof data, data, prev ? 1 : 0,
                                       prev ? &prev : NULL, &w));
        assert_ok(clEnqueueNDRangeKernel(b, k, 1, NULL, &global, NULL, 1, &w, &x));
        assert_ok(clEnqueueReadBuffer(a, m, CL_FALSE, 0, sizeof data, data, 1, &x, &r));
        if (prev) clReleaseEvent(prev);
        clReleaseEvent(w);
        clReleaseEvent(x);
        prev = r;
    }
    assert_ok(clWaitForEvents(1, &prev));
    for (int i = 0; i < N; i++)
        assert_int_equal(data[i], ROUNDS);
    clReleaseEvent(prev);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseProgram(p);
}

static void *hammer(void *arg) {
    cl_kernel k = arg;
    cl_int err;
    size_t global = 64;
    int zero = 0, out[64];
    intptr_t bad = 0;
    cl_mem m = clCreateBuffer(env.ctx, 0, 256, NULL, &err);
    cl_command_queue q = clCreateCommandQueue(env.ctx, env.device, 0, &err);

    (void)k;
    for (int round = 0; round < 40; round++) {
        bad |= clEnqueueFillBuffer(q, m, &round, 4, 0, 256, 0, NULL, NULL);
        bad |= clEnqueueReadBuffer(q, m, CL_FALSE, 0, 256, out, 0, NULL, NULL);
        bad |= clEnqueueFillBuffer(q, m, &zero, 4, 0, 256, 0, NULL, NULL);
        bad |= clFinish(q);
        for (int i = 0; i < 64; i++)
            bad |= out[i] != round;
    }
    (void)global;
    clReleaseMemObject(m);
    clReleaseCommandQueue(q);
    return (void *)bad;
}

static void threads(void **state) {
    pthread_t t[8];

    (void)state;
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&t[i], NULL, hammer, NULL), 0);
    for (int i = 0; i < 8; i++) {
        void *bad;
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
}

/* An idle process uses no processor time, with profiling queues around. */
static void idle_is_idle(void **state) {
    struct rusage a, b;

    (void)state;
    assert_ok(clFinish(env.queue));
    sleep_ms(1500);
    getrusage(RUSAGE_SELF, &a);
    sleep_ms(1000);
    getrusage(RUSAGE_SELF, &b);
    long us =
        (b.ru_utime.tv_sec - a.ru_utime.tv_sec + b.ru_stime.tv_sec - a.ru_stime.tv_sec) * 1000000 +
        b.ru_utime.tv_usec - a.ru_utime.tv_usec + b.ru_stime.tv_usec - a.ru_stime.tv_usec;
    assert_true(us < 50000);
}

static void refused(void **state) {
    cl_event gate = user_event(), none = NULL;
    cl_int err, v = 0;

    (void)state;
    cl_mem m = make_buffer(0, 4, NULL);
    assert_err(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 1, NULL, NULL),
               CL_INVALID_EVENT_WAIT_LIST);
    assert_err(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 0, &gate, NULL),
               CL_INVALID_EVENT_WAIT_LIST);
    assert_err(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 1, &none, NULL),
               CL_INVALID_EVENT_WAIT_LIST);
    cl_context other = clCreateContext(NULL, 1, &env.device, NULL, NULL, &err);
    assert_ok(err);
    cl_event foreign = clCreateUserEvent(other, &err);
    assert_err(clEnqueueWriteBuffer(env.queue, m, CL_FALSE, 0, 4, &v, 1, &foreign, NULL),
               CL_INVALID_CONTEXT);
    assert_err(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    assert_err(clSetUserEventStatus(gate, 1), CL_INVALID_VALUE);
    cl_uint refs;
    assert_ok(clGetEventInfo(gate, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    assert_int_equal(refs, 1);
    clReleaseEvent(gate);
    clReleaseEvent(foreign);
    clReleaseContext(other);
    clReleaseMemObject(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(user_event_gates_a_write),
        cmocka_unit_test(negative_user_event),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(callback_opens_gate),
        cmocka_unit_test(independent_overtakes),
        cmocka_unit_test(barriers_and_markers),
        cmocka_unit_test(profiling),
        cmocka_unit_test(chain_over_queues),
        cmocka_unit_test(threads),
        cmocka_unit_test(idle_is_idle),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, env_setup, env_teardown);
}
