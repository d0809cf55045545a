/* SPDX-License-Identifier: MIT */
/* Kernels on a booted device: results, order, times, many of them, from many threads. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/queues.h"
#include "tests/integration/submit_common.h"

struct muladd_args {
    uint64_t in, out;
    uint32_t mul, n;
};

static uint64_t now_ns(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void muladd(void **state) {
    struct rig *g = *state;
    enum { N = 10000 };
    struct am_mem *in = rig_alloc(g, 4 * N, AM_MEM_SYSTEM, "in");
    struct am_mem *out = rig_alloc(g, 4 * N, AM_MEM_SYSTEM, "out");
    struct am_mem *vin = rig_alloc(g, 4 * N, AM_MEM_VRAM, "vin");
    struct am_mem *vout = rig_alloc(g, 4 * N, AM_MEM_VRAM, "vout");
    uint32_t *i32 = in->cpu, *o32 = out->cpu;
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < N; i++)
            i32[i] = (uint32_t)rig_random();
        memset(o32, 0, 4 * N);
        struct muladd_args a = {vin->va, vout->va, 3 + round, N};
        struct am_dispatch d = rig_kernel(g, "muladd", (N + 63) / 64, &a, sizeof(a));
        struct am_fence f[3];
        assert_int_equal(am_submit_copy(g->dev, NULL, 0, vin->va, in->va, 4 * N, &f[0]), 0);
        assert_int_equal(am_submit_dispatch(g->dev, &f[0], 1, &d, &f[1]), 0);
        assert_int_equal(am_submit_copy(g->dev, &f[1], 1, out->va, vout->va, 4 * N, &f[2]), 0);
        rig_wait(g, f[2]);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(o32[i], i32[i] * (3 + round) + i);
        assert_int_equal(am_poll(g->dev, f[1]), 1);
        assert_int_equal(am_fence_error(g->dev, f[1], NULL, 0), 0);
    }
    am_free(g->dev, in);
    am_free(g->dev, out);
    am_free(g->dev, vin);
    am_free(g->dev, vout);
}

/* A grid that its groups do not divide, in three dimensions. */
static void partial_groups(void **state) {
    struct rig *g = *state;
    struct am_mem *out = rig_alloc(g, 32 * 16 * 8 * 4, AM_MEM_SYSTEM, "out");
    struct {
        uint64_t out;
        uint32_t width, height;
    } a = {out->va, 32, 16};
    struct am_dispatch d = rig_kernel(g, "count3", 1, &a, sizeof(a));
    d.dims = 3;
    memcpy(d.grid, (uint32_t[]){21, 13, 5}, sizeof(d.grid));
    memcpy(d.group, (uint16_t[]){8, 4, 2}, sizeof(d.group));
    rig_run(g, &d);
    const uint32_t *o = out->cpu;
    for (unsigned z = 0; z < 8; z++)
        for (unsigned y = 0; y < 16; y++)
            for (unsigned x = 0; x < 32; x++)
                assert_int_equal(o[(z * 16 + y) * 32 + x], x < 21 && y < 13 && z < 5);
    am_free(g->dev, out);
}

static void local_memory(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 64 * 40 * 4, AM_MEM_SYSTEM, "m");
    uint32_t *p = m->cpu;
    for (unsigned i = 0; i < 64 * 40; i++)
        p[i] = i;
    uint64_t a = m->va;
    struct am_dispatch d = rig_kernel(g, "reverse", 40, &a, sizeof(a));
    rig_run(g, &d);
    for (unsigned i = 0; i < 64 * 40; i++)
        assert_int_equal(p[i], i / 64 * 64 + 63 - i % 64);
    am_free(g->dev, m);
}

static void private_memory(void **state) {
    struct rig *g = *state;
    enum { GROUPS = 50 };
    struct am_mem *m = rig_alloc(g, 64 * GROUPS * 4, AM_MEM_SYSTEM, "m");
    struct {
        uint64_t out;
        uint32_t seed;
    } a = {m->va, 77};
    struct am_dispatch d = rig_kernel(g, "scratch", GROUPS, &a, sizeof(a));
    for (unsigned round = 0; round < 3; round++) {
        /* the second and third time the driver's buffer has to grow */
        d.private_segment_bytes += round * 1000;
        a.seed += round;
        rig_run(g, &d);
        for (unsigned i = 0; i < 64 * GROUPS; i++) {
            uint32_t sum = 0;
            for (unsigned k = 0; k < 64; k++)
                sum += (a.seed + i * 64 + ((k * 7 + i) & 63)) * (k + 1);
            assert_int_equal(((uint32_t *)m->cpu)[i], sum);
        }
    }
    d.private_segment_bytes = 1u << 30;
    struct am_fence f;
    assert_int_not_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), 0);
    am_free(g->dev, m);
}

/* A kernel that waits for the host holds back what waits for it, and nothing else. */
static void order(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "m");
    volatile uint32_t *p = m->cpu;
    struct {
        uint64_t flag, out;
        uint32_t value;
    } s = {m->va, m->va + 8, 1};
    struct {
        uint64_t where;
        uint32_t value;
    } k = {m->va + 8, 2};
    struct am_dispatch spin = rig_kernel(g, "spin", 1, &s, sizeof(s));
    struct am_dispatch poke = rig_kernel(g, "poke", 1, &k, sizeof(k));
    struct am_fence f[4];
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &spin, &f[0]), 0);
    assert_int_equal(am_submit_dispatch(g->dev, &f[0], 1, &poke, &f[1]), 0);
    assert_int_equal(am_submit_copy(g->dev, &f[1], 1, m->va + 16, m->va + 8, 4, &f[2]), 0);
    struct timespec ms = {0, 20000000};
    nanosleep(&ms, NULL);
    assert_int_equal(am_poll(g->dev, f[0]), 0);
    assert_int_equal(am_wait(g->dev, f[1], 1000000), -ETIMEDOUT);
    assert_int_equal(am_fence_error(g->dev, f[1], NULL, 0), -EAGAIN);
    assert_int_equal(p[2], 0);
    p[0] = 1;
    rig_wait(g, f[2]);
    assert_int_equal(p[2], 2);
    assert_int_equal(p[4], 2);
    am_free(g->dev, m);
}

/* A kernel beside one that still runs may end first; its fence does not: a timeline is in order. */
static void in_order_fences(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "m");
    volatile uint32_t *p = m->cpu;
    struct {
        uint64_t flag, out;
        uint32_t value;
    } s = {m->va, m->va + 8, 1};
    struct {
        uint64_t where;
        uint32_t value;
    } k = {m->va + 16, 2};
    struct am_dispatch spin = rig_kernel(g, "spin", 1, &s, sizeof(s));
    struct am_dispatch poke = rig_kernel(g, "poke", 1, &k, sizeof(k));
    struct am_fence f[2];
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &spin, &f[0]), 0);
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &poke, &f[1]), 0);
    struct timespec ms = {0, 20000000};
    for (unsigned i = 0; i < 5 && p[4] != 2; i++)
        nanosleep(&ms, NULL);
    assert_int_equal(am_poll(g->dev, f[1]), 0);
    assert_int_equal(am_poll(g->dev, f[0]), 0);
    p[0] = 1;
    rig_wait(g, f[1]);
    assert_int_equal(p[2], 1);
    am_free(g->dev, m);
}

static void times(void **state) {
    struct rig *g = *state;
    struct am_dispatch d = rig_kernel(g, "empty", 1, NULL, 0);
    uint64_t last = 0;
    for (unsigned i = 0; i < 50; i++) {
        struct am_fence f;
        uint64_t before = now_ns(), start, end, gpu;
        assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), 0);
        rig_wait(g, f);
        uint64_t after = now_ns();
        assert_int_equal(am_fence_times(g->dev, f, &start, &end), 0);
        assert_true(before <= start && start <= end && end <= after);
        assert_true(start + 1000 >= last);
        last = end;
        assert_int_equal(am_gpu_clock(g->dev, &gpu), 0);
        assert_true(gpu + 1000000 > after && gpu < now_ns() + 1000000);
    }
    uint64_t s, e;
    assert_int_equal(am_fence_times(g->dev, (struct am_fence){AM_RING_COMPUTE, UINT64_MAX}, &s, &e),
                     -EINVAL);
}

/* Many times around both rings, with and without waits. */
static void many(void **state) {
    struct rig *g = *state;
    enum { N = 10000 };
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "m");
    struct am_fence last[2] = {{0}, {0}};
    volatile uint32_t *p = m->cpu;
    for (unsigned i = 0; i < N; i++) {
        struct {
            uint64_t where;
            uint32_t value;
        } k = {m->va + 4 * (i % 16), i};
        struct am_dispatch d = rig_kernel(g, "poke", 1, &k, sizeof(k));
        struct am_fence f;
        assert_int_equal(am_submit_dispatch(g->dev, last, 2, &d, &f), 0);
        last[0] = f;
        if (i % 4 == 0) {
            assert_int_equal(am_submit_copy(g->dev, last, 2, m->va + 128 + 4 * (i % 16),
                                            m->va + 4 * (i % 16), 4, &f),
                             0);
            last[1] = f;
        }
    }
    rig_wait(g, last[0]);
    rig_wait(g, last[1]);
    for (unsigned i = N - 16; i < N; i++) {
        assert_int_equal(p[i % 16], i);
        if (i % 4 == 0) assert_int_equal(p[32 + i % 16], i);
    }
    uint64_t s, e;
    assert_int_equal(
        am_fence_times(g->dev, (struct am_fence){AM_RING_COMPUTE, last[0].value - N + 1}, &s, &e),
        -ENOENT);
    am_free(g->dev, m);
}

/* The 32-bit signals end; the timelines do not. */
static void signal_wrap(void **state) {
    struct rig *g = *state;
    struct am_mem *m = rig_alloc(g, 4096, AM_MEM_SYSTEM, "m");
    struct am_queues *q = g->dev->queues;
    for (unsigned i = 0; i < 2; i++) {
        struct ring *r = &q->ring[i];
        uint64_t to = 0xf0000000ull - 5 - r->last % 3;
        pthread_mutex_lock(&q->lock);
        assert_int_equal(ring_done(r), r->last);
        ring_retire(q, r);
        r->last = r->retired = to;
        *r->signal = (uint32_t)(to - r->base);
        pthread_mutex_unlock(&q->lock);
    }
    struct am_fence f = {0};
    for (uint32_t i = 1; i <= 20; i++) {
        struct {
            uint64_t where;
            uint32_t value;
        } k = {m->va, i};
        struct am_dispatch d = rig_kernel(g, "poke", 1, &k, sizeof(k));
        assert_int_equal(am_submit_dispatch(g->dev, &f, 1, &d, &f), 0);
        assert_int_equal(am_submit_copy(g->dev, &f, 1, m->va + 4, m->va, 4, &f), 0);
        if (i % 3 == 0) rig_wait(g, f);
    }
    rig_wait(g, f);
    assert_int_equal(((uint32_t *)m->cpu)[1], 20);
    assert_true(q->ring[0].base > 0 && f.value > 0xf0000000ull);
    am_free(g->dev, m);
}

static void bad_arguments(void **state) {
    struct rig *g = *state;
    struct am_dispatch d = rig_kernel(g, "empty", 1, NULL, 0);
    struct am_fence f, future = {AM_RING_COMPUTE, UINT64_MAX / 2}, odd = {(enum am_ring)7, 1};
    assert_int_equal(am_submit_dispatch(g->dev, &future, 1, &d, &f), -EINVAL);
    assert_int_equal(am_submit_dispatch(g->dev, &odd, 1, &d, &f), -EINVAL);
    assert_int_equal(am_submit_copy(g->dev, &future, 1, 0, 0, 1, &f), -EINVAL);
    assert_int_equal(am_wait(g->dev, future, 0), -EINVAL);
    d.group[0] = 0;
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), -EINVAL);
    d.group[0] = 64;
    d.kernargs = &d;
    d.kernargs_bytes = 1u << 31;
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), -EINVAL);
    d = rig_kernel(g, "empty", 1, NULL, 0);
    rig_run(g, &d); /* nothing of that has hurt the ring */
}

struct worker {
    struct rig *g;
    unsigned id;
    int bad;
};

static void *work(void *arg) {
    struct worker *w = arg;
    struct am_device *dev = w->g->dev;
    struct am_mem *m, *v;
    if (am_alloc(dev, 64 << 10, 0, AM_MEM_SYSTEM, "m", &m)) return w->bad = 1, NULL;
    if (am_alloc(dev, 64 << 10, 0, AM_MEM_VRAM, "v", &v)) return w->bad = 2, NULL;
    for (uint32_t i = 0; i < 150 && !w->bad; i++) {
        struct muladd_args a = {m->va, v->va, w->id + i, 640};
        struct am_dispatch d = rig_kernel(w->g, "muladd", 10, &a, sizeof(a));
        struct am_fence f;
        for (uint32_t k = 0; k < 640; k++)
            ((uint32_t *)m->cpu)[k] = k * w->id + i;
        if (am_submit_dispatch(dev, NULL, 0, &d, &f) ||
            am_submit_copy(dev, &f, 1, m->va + 8192, v->va, 2560, &f) ||
            am_wait(dev, f, SECONDS(60)))
            w->bad = 3;
        for (uint32_t k = 0; k < 640 && !w->bad; k++)
            if (((uint32_t *)m->cpu)[2048 + k] != (k * w->id + i) * (w->id + i) + k) w->bad = 4;
    }
    am_free(dev, m);
    am_free(dev, v);
    return NULL;
}

static void threads(void **state) {
    pthread_t t[6];
    struct worker w[6];
    for (unsigned i = 0; i < 6; i++) {
        w[i] = (struct worker){*state, i + 1, 0};
        assert_int_equal(pthread_create(&t[i], NULL, work, &w[i]), 0);
    }
    for (unsigned i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(w[i].bad, 0);
}

static void latency(void **state) {
    struct rig *g = *state;
    struct am_dispatch d = rig_kernel(g, "empty", 1, NULL, 0);
    enum { N = 1000 };
    uint64_t best = UINT64_MAX, sum = 0;
    for (unsigned i = 0; i < N; i++) {
        struct am_fence f;
        uint64_t t = now_ns();
        assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), 0);
        assert_int_equal(am_wait(g->dev, f, -1), 0);
        t = now_ns() - t;
        sum += t;
        if (t < best) best = t;
    }
    print_message("empty kernel, submit to wait: best %llu ns, mean %llu ns\n",
                  (unsigned long long)best, (unsigned long long)sum / N);
    assert_true(best < 100000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muladd),        cmocka_unit_test(partial_groups),
        cmocka_unit_test(local_memory),  cmocka_unit_test(private_memory),
        cmocka_unit_test(order),         cmocka_unit_test(in_order_fences),
        cmocka_unit_test(times),         cmocka_unit_test(many),
        cmocka_unit_test(bad_arguments), cmocka_unit_test(threads),
        cmocka_unit_test(latency),       cmocka_unit_test(signal_wrap),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
