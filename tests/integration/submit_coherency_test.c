/* SPDX-License-Identifier: MIT */
/* Rows of driver/README.md's coherency table for kernels and copies: with everything in place the
 * consumer sees what the producer wrote and the emulated GPU has nothing to say; with one flush,
 * invalidation or wait left out it says what is stale, whose write is missing and which bit or
 * packet would have helped. What BAR0 writes and the TLBs: coherency_bus_test.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/queues.h"
#include "tests/integration/submit_common.h"

enum { N = 640 };
#define ACQUIRE(bit) (1u << GFX11_GCR_ACQUIRE_MEM__##bit) /* gfx12: the same places */
#define RELEASE(bit) (1u << GFX11_GCR_RELEASE_MEM__##bit)

_Static_assert((int)GFX11_GCR_ACQUIRE_MEM__GLI_INV == (int)GFX12_GCR_ACQUIRE_MEM__GLI_INV, "");
_Static_assert((int)GFX11_GCR_ACQUIRE_MEM__GLK_INV == (int)GFX12_GCR_ACQUIRE_MEM__GLK_INV, "");
_Static_assert((int)GFX11_GCR_ACQUIRE_MEM__GLV_INV == (int)GFX12_GCR_ACQUIRE_MEM__GLV_INV, "");
_Static_assert((int)GFX11_GCR_ACQUIRE_MEM__GL2_INV == (int)GFX12_GCR_ACQUIRE_MEM__GL2_INV, "");
_Static_assert((int)GFX11_GCR_RELEASE_MEM__GL2_WB == (int)GFX12_GCR_RELEASE_MEM__GL2_WB, "");

struct bench {
    struct am_mem *host, *in, *out, *sys, *flag;
};

struct muladd_args {
    uint64_t in, out;
    uint32_t mul, n;
};

struct spin_args {
    uint64_t flag, out;
    uint32_t value;
};

static struct bench make(struct rig *g) {
    struct bench b = {
        rig_alloc(g, 8 * N, AM_MEM_SYSTEM, "host"), rig_alloc(g, 4 * N, AM_MEM_VRAM, "in"),
        rig_alloc(g, 4 * N, AM_MEM_VRAM, "out"), rig_alloc(g, 4 * N, AM_MEM_SYSTEM, "system"),
        rig_alloc(g, 4096, AM_MEM_SYSTEM, "flag")};
    memset(b.flag->cpu, 0, 4096);
    return b;
}

static void drop(struct rig *g, struct bench *b) {
    assert_int_equal(g->coherency, 0); /* what was expected has been taken */
    am_free(g->dev, b->host);
    am_free(g->dev, b->in);
    am_free(g->dev, b->out);
    am_free(g->dev, b->sys);
    am_free(g->dev, b->flag);
}

static void seed_to(struct bench *b, uint32_t *p, uint32_t seed) {
    (void)b;
    for (uint32_t i = 0; i < N; i++)
        p[i] = seed + i;
}

/* SDMA: seed to in. */
static void send(struct rig *g, struct bench *b, uint32_t seed) {
    seed_to(b, b->host->cpu, seed);
    rig_copy(g, b->in->va, b->host->va, 4 * N);
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

static void muladd(struct rig *g, uint64_t in, uint64_t out, uint32_t mul) {
    struct muladd_args a = {in, out, mul, N};
    struct am_dispatch d = rig_kernel(g, "muladd", N / 64, &a, sizeof a);
    rig_run(g, &d);
}

static struct am_fence start(struct rig *g, const char *kernel, const void *args, uint32_t bytes,
                             const struct am_fence *wait) {
    struct am_dispatch d = rig_kernel(g, kernel, 1, args, bytes);
    struct am_fence f;
    assert_int_equal(am_submit_dispatch(g->dev, wait, wait ? 1 : 0, &d, &f), 0);
    return f;
}

/* A kernel that waits for the host to set word n of the flags, then writes there. */
static struct am_fence hold(struct rig *g, struct bench *b, unsigned n, uint64_t out) {
    struct spin_args a = {b->flag->va + 64 * n, out, 77};
    return start(g, "spin", &a, sizeof a, NULL);
}

static void let_go(struct bench *b, unsigned n) {
    __atomic_store_n((uint32_t *)b->flag->cpu + 16 * n, 1, __ATOMIC_RELEASE);
}

static void omit(struct rig *g, uint32_t acquire, uint32_t release) {
    g->dev->queues->pm4.omit_acquire = acquire;
    g->dev->queues->pm4.omit_release = release;
}

/* The emulated GPU has named what is missing, with all the words. Takes the message. */
static void expect_named(struct rig *g, const char *a, const char *b, const char *c) {
    omit(g, 0, 0);
    if (!g->coherency) fail_msg("nothing was said; expected: %s, %s, %s", a, b, c);
    const char *log = g->coherency_log;
    if (!strstr(log, a) || !strstr(log, b) || !strstr(log, c))
        fail_msg("%s, %s, %s are not all in: %s", a, b, c, log);
    if (getenv("TEST_VERBOSE")) fprintf(stderr, "%s", log);
    g->coherency = 0;
    g->coherency_log[0] = 0;
}

/* Everything in place: always right, and nothing to say. */
static void all_flushes(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    for (uint32_t i = 1; i < 5; i++) {
        send(g, &b, 1000 * i);
        muladd(g, b.in->va, b.out->va, i);
        assert_int_equal(right(g, &b, 1000 * i, i), N);
        seed_to(&b, b.sys->cpu, i);
        muladd(g, b.sys->va, b.out->va, 7);
        muladd(g, b.out->va, b.in->va, 1); /* what a shader wrote */
        assert_int_equal(right(g, &b, i, 7), N);
        muladd(g, b.in->va, b.sys->va, 1); /* results in system memory */
        for (uint32_t k = 0; k < N; k++)
            assert_int_equal(((uint32_t *)b.sys->cpu)[k], (i + k) * 7 + 3 * k);
    }
    drop(g, &b);
}

/* ---- ACQUIRE_MEM ---- */

/* CPU to shader, system memory: arguments in a page that the scalar cache has seen before. */
static void cpu_to_scalar(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    send(g, &b, 9);
    muladd(g, b.in->va, b.out->va, 3);
    omit(g, ACQUIRE(GLK_INV), 0);
    muladd(g, b.in->va, b.out->va, 4);
    expect_named(g, "scalar cache", "the CPU wrote it", "glk_inv");
    muladd(g, b.in->va, b.out->va, 4);
    assert_int_equal(right(g, &b, 9, 4), N);
    drop(g, &b);
}

/* CPU to shader, system memory: data that a vector load has brought in before. */
static void cpu_to_vector(void **state) {
    struct rig *g = *state;
    struct bench bench[2] = {make(g), make(g)}; /* the same message would not be logged twice */
    const uint32_t bits[2] = {ACQUIRE(GLV_INV), ACQUIRE(GL1_INV)};
    for (unsigned i = 0; i < (strcmp(g->target, "gfx1100") ? 1 : 2); i++) { /* gfx12: no GL1 */
        struct bench *b = &bench[i];
        seed_to(b, b->sys->cpu, 5);
        muladd(g, b->sys->va, b->out->va, 2);
        seed_to(b, b->sys->cpu, 6);
        omit(g, bits[i], 0);
        muladd(g, b->sys->va, b->out->va, 2);
        expect_named(g, "vector cache", "the CPU wrote it", i ? "gl1_inv" : "glv_inv");
    }
    drop(g, &bench[0]);
    drop(g, &bench[1]);
}

/* SDMA to shader, VRAM: the vector caches in front of L2. */
static void sdma_to_vector(void **state) {
    struct rig *g = *state;
    struct bench bench[2] = {make(g), make(g)}; /* the same message would not be logged twice */
    const uint32_t bits[2] = {ACQUIRE(GLV_INV), ACQUIRE(GL1_INV)};
    for (unsigned i = 0; i < (strcmp(g->target, "gfx1100") ? 1 : 2); i++) {
        struct bench *b = &bench[i];
        send(g, b, 1);
        muladd(g, b->in->va, b->out->va, 2);
        send(g, b, 2);
        omit(g, bits[i], 0);
        muladd(g, b->in->va, b->out->va, 2);
        expect_named(g, "vector cache", "SDMA wrote it", i ? "gl1_inv" : "glv_inv");
    }
    drop(g, &bench[0]);
    drop(g, &bench[1]);
}

/* SDMA to shader, VRAM: L2. */
static void sdma_to_l2(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    send(g, &b, 1);
    muladd(g, b.in->va, b.out->va, 2);
    send(g, &b, 2);
    omit(g, ACQUIRE(GL2_INV) | ACQUIRE(GL2_WB), 0);
    muladd(g, b.in->va, b.out->va, 2);
    expect_named(g, "through the GL2", "SDMA wrote it", "gl2_inv");
    drop(g, &b);
}

/* Shader to shader: the second kernel reads through vector caches what the first rewrote. */
static void shader_to_vector(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    send(g, &b, 1);
    muladd(g, b.in->va, b.out->va, 2);
    omit(g, ACQUIRE(GLV_INV), 0);
    muladd(g, b.sys->va, b.in->va, 2);
    muladd(g, b.in->va, b.out->va, 2);
    expect_named(g, "vector cache", "a shader wrote it", "glv_inv");
    drop(g, &b);
}

/* Shader to shader: arguments that a kernel wrote. */
static void shader_to_scalar(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    struct am_queues *q = g->dev->queues;
    /* the page that holds the arguments of the next dispatch but one */
    struct am_mem *ring = q->kernarg;
    send(g, &b, 1);
    muladd(g, b.in->va, b.out->va, 2);
    omit(g, ACQUIRE(GLK_INV), 0);
    struct spin_args poke = {ring->va + (q->kernarg_head % ring->size & ~4095ull) + 4092, 3, 0};
    start(g, "poke", &poke, sizeof poke, NULL);
    struct am_fence f = start(g, "empty", NULL, 0, NULL);
    rig_wait(g, f);
    muladd(g, b.in->va, b.out->va, 2);
    expect_named(g, "scalar cache", "wrote it", "glk_inv");
    drop(g, &b);
}

/* SDMA to shader, code: other code at the same address runs, and is named if the cache stays. */
static void sdma_to_code(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    struct am_mem *code = rig_alloc(g, 8192, AM_MEM_VRAM, "code twice");
    struct muladd_args a = {b.in->va, b.out->va, 0, N};
    struct am_dispatch mul = rig_kernel(g, "muladd", N / 64, &a, sizeof a);
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
        a.mul = i;
        assert_int_equal(am_submit_fill(g->dev, NULL, 0, b.out->va, &back, 1, 4 * N, &f), 0);
        rig_wait(g, f);
        rig_copy(g, code->va, nop_va, 256);
        rig_run(g, &mul);
        assert_int_equal(right(g, &b, i, i), 0);
        rig_copy(g, code->va, mul_va, 256);
        rig_run(g, &mul);
        assert_int_equal(right(g, &b, i, i), N);
    }
    rig_copy(g, code->va, nop_va, 256);
    omit(g, ACQUIRE(GLI_INV), 0);
    rig_run(g, &mul);
    expect_named(g, "instruction cache", "SDMA wrote it", "gli_inv");
    am_free(g->dev, code);
    drop(g, &b);
}

/* ---- RELEASE_MEM ---- */

/* Shader to SDMA, VRAM: results that are still in L2. */
static void l2_to_sdma(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    send(g, &b, 1);
    omit(g, 0, RELEASE(GL2_WB));
    muladd(g, b.in->va, b.out->va, 2);
    (void)right(g, &b, 1, 2);
    expect_named(g, "SDMA reads", "still in GL2", "RELEASE_MEM gl2_wb");
    muladd(g, b.in->va, b.out->va, 2);
    assert_int_equal(right(g, &b, 1, 2), N);
    drop(g, &b);
}

/* ---- waits ---- */

/* Shader to SDMA: the copy waits for the kernel before the one whose result it takes. */
static void sdma_without_poll(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    struct am_fence first = hold(g, &b, 0, b.flag->va + 1024), copied, second;
    assert_int_equal(am_submit_copy(g->dev, &first, 1, b.host->va, b.out->va, 4 * N, &copied), 0);
    second = hold(g, &b, 1, b.out->va);
    let_go(&b, 0);
    rig_wait(g, copied);
    let_go(&b, 1);
    rig_wait(g, second);
    expect_named(g, "SDMA and a dispatch access", "a shader writes it", "orders them");
    drop(g, &b);
}

/* SDMA to shader: the kernel does not wait for the copy that brings its input. */
static void dispatch_without_wait(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    *(uint32_t *)b.host->cpu = 1;
    struct am_fence first = hold(g, &b, 0, b.flag->va + 1024), copied, second;
    uint64_t input = b.flag->va + 64; /* the kernel's word, which the copy sets */
    assert_int_equal(am_submit_copy(g->dev, &first, 1, input, b.host->va, 4, &copied), 0);
    second = hold(g, &b, 1, b.flag->va + 2048);
    let_go(&b, 0);
    rig_wait(g, copied);
    rig_wait(g, second);
    expect_named(g, "SDMA and a dispatch access", "SDMA writes it", "orders them");
    drop(g, &b);
}

/* Shader to shader: nothing makes the second kernel wait for the first; with a wait all is well. */
static void dispatch_after_dispatch(void **state) {
    struct rig *g = *state;
    struct bench b = make(g);
    for (unsigned good = 0; good < 2; good++) {
        struct am_fence first = hold(g, &b, good, b.in->va), second;
        struct muladd_args a = {b.in->va, b.out->va, 1, 64};
        second = start(g, "muladd", &a, sizeof a, good ? &first : NULL);
        let_go(&b, good);
        rig_wait(g, second);
        if (!good) expect_named(g, "an earlier dispatch wrote", "nor a wait", "overlap");
    }
    drop(g, &b);
}

/* SDMA to SDMA: a pattern fill copies what it has just copied. */
static void fill_without_wait(void **state) {
    struct rig *g = *state;
    enum { BIG = 1 << 20 };
    struct am_mem *m = rig_alloc(g, BIG, AM_MEM_VRAM, "filled");
    static const uint8_t pattern[16] = "coherency table";
    struct am_fence f;
    for (int left_out = 1; left_out >= 0; left_out--) {
        g->dev->queues->omit_fill_wait = left_out;
        assert_int_equal(am_submit_fill(g->dev, NULL, 0, m->va, pattern, 16, BIG, &f), 0);
        rig_wait(g, f);
        if (left_out) expect_named(g, "SDMA reads", "an earlier SDMA packet wrote", "POLL_REGMEM");
    }
    assert_int_equal(g->coherency, 0);
    am_free(g->dev, m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_flushes),
        cmocka_unit_test(cpu_to_scalar),
        cmocka_unit_test(cpu_to_vector),
        cmocka_unit_test(sdma_to_vector),
        cmocka_unit_test(sdma_to_l2),
        cmocka_unit_test(shader_to_vector),
        cmocka_unit_test(shader_to_scalar),
        cmocka_unit_test(sdma_to_code),
        cmocka_unit_test(l2_to_sdma),
        cmocka_unit_test(sdma_without_poll),
        cmocka_unit_test(dispatch_without_wait),
        cmocka_unit_test(dispatch_after_dispatch),
        cmocka_unit_test(fill_without_wait),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
