/* SPDX-License-Identifier: MIT */
/* The dependency graph alone: runtime/command.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/command.h"

static int device_a, device_b;

static struct node node_on(const void *device) {
    return (struct node){.device = device};
}

static void submit(struct node *n, enum am_ring ring, uint64_t value, struct node_list *ready) {
    struct fence_set f = {{0}};

    fence_set_add(&f, (struct am_fence){ring, value});
    node_submitted(n, &f, ready);
}

static void fences(void **state) {
    struct fence_set a = {{0}}, b = {{0}};
    struct am_fence out[AM_RING_COUNT];

    (void)state;
    assert_int_equal(fence_set_list(&a, out), 0);
    fence_set_add(&a, (struct am_fence){AM_RING_SDMA, 7});
    fence_set_add(&a, (struct am_fence){AM_RING_SDMA, 5});
    fence_set_add(&b, (struct am_fence){AM_RING_COMPUTE, 2});
    fence_set_merge(&a, &b);
    assert_int_equal(fence_set_list(&a, out), 2);
    assert_int_equal(out[0].ring, AM_RING_COMPUTE);
    assert_int_equal(out[0].value, 2);
    assert_int_equal(out[1].value, 7);
}

/* A command behind one on a ring is left to the GPU; it is done after it all the same. */
static void gpu_waits(void **state) {
    struct node a = node_on(&device_a), b = node_on(&device_a);
    struct node_edge e;
    struct node_list ready;

    (void)state;
    node_list_init(&ready);
    assert_true(node_ready(&a));
    submit(&a, AM_RING_COMPUTE, 3, &ready);
    node_link(&e, &a, &b, true);
    assert_true(node_ready(&b));
    assert_int_equal(b.waits.value[AM_RING_COMPUTE], 3);
    assert_int_equal(b.unfinished, 1);
    assert_false(node_holds_back(&a));
    submit(&b, AM_RING_SDMA, 1, &ready);
    node_done(&a, 0, false, 10, &ready);
    assert_null(node_list_pop(&ready));
    assert_int_equal(b.unfinished, 0);
}

static void host_holds_back(void **state) {
    struct node user = node_on(NULL), a = node_on(&device_a), b = node_on(&device_a);
    struct node_edge e1, e2;
    struct node_list ready;

    (void)state;
    node_list_init(&ready);
    node_link(&e1, &user, &a, false);
    node_link(&e2, &a, &b, true);
    assert_false(node_ready(&a));
    assert_false(node_ready(&b));
    node_done(&user, 0, false, 0, &ready);
    assert_ptr_equal(node_list_pop(&ready), &a);
    assert_null(node_list_pop(&ready));
    submit(&a, AM_RING_COMPUTE, 1, &ready);
    assert_ptr_equal(node_list_pop(&ready), &b);
    assert_int_equal(b.waits.value[AM_RING_COMPUTE], 1);
}

static void other_device_waits_for_the_end(void **state) {
    struct node a = node_on(&device_a), b = node_on(&device_b);
    struct node_edge e;
    struct node_list ready;

    (void)state;
    node_list_init(&ready);
    submit(&a, AM_RING_COMPUTE, 1, &ready);
    node_link(&e, &a, &b, false);
    assert_false(node_ready(&b));
    assert_true(node_holds_back(&a));
    node_done(&a, 0, false, 0, &ready);
    assert_ptr_equal(node_list_pop(&ready), &b);
    assert_int_equal(b.waits.value[AM_RING_COMPUTE], 0);
}

/* A write that reads application memory must not pass a read that still has to fill it, not even
 * with a kernel between them. */
static void host_memory_order(void **state) {
    struct node rd = node_on(&device_a), k = node_on(&device_a), wr = node_on(&device_a);
    struct node_edge e1, e2;
    struct node_list ready;

    (void)state;
    node_list_init(&ready);
    rd.host_step = true;
    wr.reads_host = true;
    submit(&rd, AM_RING_SDMA, 1, &ready);
    node_link(&e1, &rd, &k, true);
    assert_true(node_ready(&k));
    submit(&k, AM_RING_COMPUTE, 1, &ready);
    node_link(&e2, &k, &wr, true);
    assert_false(node_ready(&wr));
    node_done(&rd, 0, false, 0, &ready);
    assert_null(node_list_pop(&ready));
    node_done(&k, 0, false, 0, &ready);
    assert_ptr_equal(node_list_pop(&ready), &wr);
}

static void errors(void **state) {
    struct node user = node_on(NULL), a = node_on(&device_a), next = node_on(&device_a);
    struct node f = node_on(&device_a), behind = node_on(&device_a), late = node_on(&device_a);
    struct node_edge e[4];
    struct node_list ready;

    (void)state;
    node_list_init(&ready);
    node_link(&e[0], &user, &a, false);
    node_link(&e[1], &a, &next, true);
    node_done(&user, -5, false, 0, &ready);
    assert_ptr_equal(node_list_pop(&ready), &a);
    assert_int_equal(a.inherited, NODE_ERROR_INHERITED);
    node_done(&a, a.inherited, a.fault, 0, &ready);
    assert_ptr_equal(node_list_pop(&ready), &next);
    assert_int_equal(next.inherited, 0); /* queue order alone passes no such error on */
    submit(&f, AM_RING_COMPUTE, 1, &ready);
    node_link(&e[2], &f, &behind, true);
    node_done(&f, -5, true, 0, &ready);
    assert_int_equal(behind.inherited, NODE_ERROR_INHERITED); /* a fault does */
    assert_true(behind.fault);
    node_link(&e[3], &f, &late, true);
    assert_int_equal(late.inherited, 0); /* but not to what came after it was known */
    assert_true(node_ready(&late));
}

static void markers(void **state) {
    struct node a = node_on(&device_a), b = node_on(&device_a), m = node_on(&device_a);
    struct node_edge e1, e2;
    struct node_list ready;

    (void)state;
    node_list_init(&ready);
    m.marker = true;
    submit(&a, AM_RING_COMPUTE, 4, &ready);
    submit(&b, AM_RING_SDMA, 9, &ready);
    node_link(&e1, &a, &m, false);
    node_link(&e2, &b, &m, false);
    assert_true(node_ready(&m));
    node_submitted(&m, &m.waits, &ready);
    assert_int_equal(m.fences.value[AM_RING_SDMA], 9);
    node_done(&b, 0, false, 200, &ready);
    assert_null(node_list_pop(&ready));
    node_done(&a, 0, false, 100, &ready);
    assert_ptr_equal(node_list_pop(&ready), &m);
    assert_int_equal(m.after_ns, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fences),
        cmocka_unit_test(gpu_waits),
        cmocka_unit_test(host_holds_back),
        cmocka_unit_test(other_device_waits_for_the_end),
        cmocka_unit_test(host_memory_order),
        cmocka_unit_test(errors),
        cmocka_unit_test(markers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
