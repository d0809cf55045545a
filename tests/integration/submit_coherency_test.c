/* SPDX-License-Identifier: MIT */
/* Rows of driver/README.md's coherency table: with the packets in place the consumer sees what the
 * producer wrote; with one left out the emulated GPU says so, by name, where it watches the row.
 * Streams are built here from the driver's own packets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/queues.h"
#include "tests/integration/submit_common.h"

enum { N = 640 };

enum omit {
    OMIT_NOTHING,
    OMIT_ACQUIRE_SHADER, /* no ACQUIRE_MEM: scalar, vector and instruction caches stay */
};

/* A dispatch as submit.c builds it, less what is to be left out, with its arguments in memory of
 * the caller's. */
static void dispatch(struct rig *g, const struct am_dispatch *d, uint64_t kernarg_va,
                     enum omit omit) {
    struct am_queues *q = g->dev->queues;
    struct ring *r = &q->ring[AM_RING_COMPUTE];
    assert_int_equal(submit_begin(g->dev, r), 0);
    uint64_t value = submit_next_value(g->dev, r);
    struct pm4_dispatch_args a = {
        .kernarg_va = kernarg_va, .aql_va = kernarg_va, .queue_va = r->control->va};
    if (omit != OMIT_ACQUIRE_SHADER) pm4_acquire(&q->pm4, &r->buf, true);
    assert_int_equal(pm4_dispatch(&q->pm4, &r->buf, d, &a, NULL, 0), 0);
    pm4_release_signal(&q->pm4, &r->buf, r->signal_va, ring_signal_value(r, value), true);
    pm4_pad(&r->buf, STREAM_ALIGN_DW);
    struct cmd_record info = {.name = "coherency", .kernarg_end = q->kernarg_head};
    assert_int_equal(submit_commit(g->dev, r, &info), 0);
    submit_end(g->dev, r);
    rig_wait(g, (struct am_fence){AM_RING_COMPUTE, value});
}

struct bench {
    struct am_mem *host, *in, *out, *args;
};

struct muladd_args {
    uint64_t in, out;
    uint32_t mul, n;
};

static struct bench make(struct rig *g) {
    return (struct bench){
        rig_alloc(g, 8 * N, AM_MEM_SYSTEM, "host"), rig_alloc(g, 4 * N, AM_MEM_VRAM, "in"),
        rig_alloc(g, 4 * N, AM_MEM_VRAM, "out"), rig_alloc(g, 4096, AM_MEM_SYSTEM, "args")};
}

static void drop(struct rig *g, struct bench *b) {
    am_free(g->dev, b->host);
    am_free(g->dev, b->in);
    am_free(g->dev, b->out);
    am_free(g->dev, b->args);
}

/* SDMA: seed to in. */
static void send(struct rig *g, struct bench *b, uint32_t seed) {
    uint32_t *p = b->host->cpu;
    for (uint32_t i = 0; i < N; i++)
        p[i] = seed + i;
    rig_copy(g, b->in->va, b->host->va, 4 * N);
}

static void args(struct bench *b, uint32_t mul) {
    *(struct muladd_args *)b->args->cpu = (struct muladd_args){b->in->va, b->out->va, mul, N};
}

/* SDMA: out to the host; how many of N are what seed and mul give. */
static unsigned right(struct rig *g, struct bench *b, uint32_t seed, uint32_t mul) {
    uint32_t *p = (uint32_t *)b->host->cpu + N;
    unsigned n = 0;
    memset(p, 0x5a, 4 * N);
    rig_copy(g, b->host->va + 4 * N, b->out->va, 4 * N);
    for (uint32_t i = 0; i < N; i++)
        n += p[i] == (seed + i) * mul + i;
    return n;
}

static void run(struct rig *g, struct bench *b, enum omit omit) {
    struct am_dispatch d = rig_kernel(g, "muladd", N / 64, NULL, 0);
    dispatch(g, &d, b->args->va, omit);
}

/* Everything in place: always right. */
static void all_flushes(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    for (uint32_t i = 1; i < 5; i++) {
        send(g, &b, 1000 * i);
        args(&b, i);
        run(g, &b, OMIT_NOTHING);
        assert_int_equal(right(g, &b, 1000 * i, i), N);
    }
    drop(g, &b);
}

/* The emulated GPU has named the missing flush, once or more. */
static void expect_named(struct rig *g, const char *flush) {
    assert_true(g->coherency > 0);
    if (!strstr(g->last_coherency, flush)) fail_msg("%s is not in: %s", flush, g->last_coherency);
    g->coherency = 0;
}

/* Row "CPU, shader, system": arguments at a place that the scalar cache has seen before. */
static void cpu_to_shader(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    args(&b, 3);
    send(g, &b, 9);
    run(g, &b, OMIT_NOTHING);
    assert_int_equal(g->coherency, 0);
    args(&b, 4);
    run(g, &b, OMIT_ACQUIRE_SHADER);
    expect_named(g, "glk_inv");
    run(g, &b, OMIT_NOTHING);
    assert_int_equal(right(g, &b, 9, 4), N);
    assert_int_equal(g->coherency, 0);
    drop(g, &b);
}

/* Other code at the same address, by SDMA: the new code runs. */
static void new_code(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    struct am_mem *code = rig_alloc(g, 8192, AM_MEM_VRAM, "code twice");
    struct am_dispatch mul = rig_kernel(g, "muladd", N / 64, NULL, 0);
    struct am_dispatch nop = rig_kernel(g, "empty", N / 64, NULL, 0);
    uint64_t entry = hw_get64(mul.kernel_descriptor,
                              OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset);
    uint64_t nop_entry = hw_get64(nop.kernel_descriptor,
                                  OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset);
    uint64_t mul_va = mul.kernel_descriptor_va + entry;
    uint64_t nop_va = nop.kernel_descriptor_va + nop_entry;
    mul.kernel_descriptor_va = code->va - entry; /* the same descriptor, the copied code */
    for (uint32_t i = 1; i < 4; i++) {
        uint8_t back = 0x11;
        struct am_fence f;
        send(g, &b, i);
        args(&b, i);
        assert_int_equal(am_submit_fill(g->dev, NULL, 0, b.out->va, &back, 1, 4 * N, &f), 0);
        rig_wait(g, f);
        rig_copy(g, code->va, nop_va, 256);
        dispatch(g, &mul, b.args->va, OMIT_NOTHING);
        assert_int_equal(right(g, &b, i, i), 0);
        rig_copy(g, code->va, mul_va, 256);
        dispatch(g, &mul, b.args->va, OMIT_NOTHING);
        assert_int_equal(right(g, &b, i, i), N);
    }
    am_free(g->dev, code);
    drop(g, &b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_flushes),
        cmocka_unit_test(cpu_to_shader),
        cmocka_unit_test(new_code),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
