/* SPDX-License-Identifier: MIT */
/* The coherency rules of cache.h: the reference's own stream passes, and each flush that is left
 * out is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"
#include "tests/emulator/engine_rig.h"

static const char *target;

enum { CODE = 0x10000, OUT = 0x200000, ARGS = 0x300000 };

/* ACQUIRE_MEM actions, named one by one so that a test can leave one out. */
enum { GLI = 1, GLK = 1 << 7, GLV = 1 << 8, GL1 = 1 << 9, GL2I = 1 << 14, GL2W = 1 << 15 };
enum { ALL = 0xc3f1 };

static void put_code(struct rig *r, uint32_t at) {
    memcpy(r->vram + at, r->gfx12 ? rig_store_gfx12 : rig_store_gfx11,
           r->gfx12 ? rig_store_gfx12_bytes : rig_store_gfx11_bytes);
}

/* Kernel arguments for the store kernel, wherever they lie in system memory. */
static void put_args(struct rig *r, uint64_t out, uint32_t value) {
    memcpy(r->sys + RIG_DATA, &out, 8);
    memcpy(r->sys + RIG_DATA + 8, &value, 4);
}

static uint32_t signal_value;

static void dispatch_and_wait(struct rig *r, uint32_t gcr, uint32_t release) {
    if (gcr) rig_acquire(r, gcr);
    rig_program(r, RIG_VRAM_VA + CODE, RIG_SYS_VA + RIG_DATA, 0);
    rig_dispatch(r, 2, 64);
    rig_release(r, release, RIG_SIGNAL, ++signal_value);
    rig_ring(r);
    assert_true(rig_wait(r, RIG_SIGNAL, signal_value, 5000));
}

static void sdma_copy(struct rig *r, uint64_t dst, uint64_t src, uint32_t bytes) {
    uint64_t s = RIG_SYS_VA + RIG_SIGNAL;
    RIG_SDMA(r, 1, bytes - 1, 0, (uint32_t)src, (uint32_t)(src >> 32), (uint32_t)dst,
             (uint32_t)(dst >> 32));
    RIG_SDMA(r, 0x00030005, (uint32_t)s, (uint32_t)(s >> 32), ++signal_value);
    rig_sdma_ring(r);
    assert_true(rig_wait(r, RIG_SIGNAL, signal_value, 5000));
}

static void expect(struct rig *r, const char *a, const char *b) {
    assert_true(rig_logged(r, a));
    assert_true(rig_logged(r, b));
}

static void the_reference_stream_passes(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_code(&r, CODE);
    for (uint32_t i = 0; i < 20; i++) {
        put_args(&r, RIG_VRAM_VA + OUT, i);
        rig_acquire(&r, ALL);
        dispatch_and_wait(&r, 0x3f0, 0x70f514);
        sdma_copy(&r, RIG_SYS_VA + RIG_DATA + 0x10000, RIG_VRAM_VA + OUT, 512);
        assert_int_equal(rig_sys32(&r, RIG_DATA + 0x10000 + 4 * 100), 100 + i);
    }
    rig_close(&r, 0, 0);
}

/* New arguments at the same place, and the scalar cache still holds the old ones. */
static void scalar_cache_and_the_cpu(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_code(&r, CODE);
    put_args(&r, RIG_VRAM_VA + OUT, 1);
    dispatch_and_wait(&r, ALL, 0x70f514);
    put_args(&r, RIG_VRAM_VA + OUT, 2);
    dispatch_and_wait(&r, ALL & ~GLK, 0x70f514);
    expect(&r, "scalar cache", "the CPU wrote it");
    rig_close(&r, 1, 0);
}

/* New code by SDMA at the same place without an instruction cache invalidation. */
static void instruction_cache_and_sdma(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_code(&r, CODE);
    put_code(&r, CODE + 0x40000);
    put_args(&r, RIG_VRAM_VA + OUT, 1);
    dispatch_and_wait(&r, ALL, 0x70f514);
    sdma_copy(&r, RIG_VRAM_VA + CODE, RIG_VRAM_VA + CODE + 0x40000, 256);
    dispatch_and_wait(&r, ALL & ~GLI, 0x70f514);
    expect(&r, "instruction cache", "SDMA wrote it");
    rig_close(&r, 1, 0);
}

/* A kernel that loads through the vector cache: out[i] = in[i], 64 work-items; kernarg: both. */
static void put_copy_code(struct rig *r) {
    /* v_and_b32 v0, 0x3ff, v0; v_lshlrev v2, 2, v0; s_load_b128 s[4:7], s[0:1], 0; wait;
     * global_load_b32 v1, v2, s[4:5]; wait; global_store_b32 v2, v1, s[6:7]; end */
    static const uint32_t copy11[] = {0x360000ff, 0x3ff,      0x30040082, 0xf4080100,
                                      0xf8000000, 0xbf89fc07, 0xdc520000, 0x01040002,
                                      0xbf8903f7, 0xdc6a0000, 0x00060102, 0xbfb00000};
    static const uint32_t copy12[] = {0x360000ff, 0x3ff,      0x30040082, 0xf4004100, 0xf8000000,
                                      0xbfc70000, 0xee050004, 0x00000001, 0x00000002, 0xbfc00000,
                                      0xee068006, 0x00800000, 0x00000002, 0xbfb00000};
    memcpy(r->vram + CODE, r->gfx12 ? copy12 : copy11, r->gfx12 ? sizeof copy12 : sizeof copy11);
}

static void put_copy_args(struct rig *r, uint64_t in, uint64_t out) {
    memcpy(r->sys + RIG_DATA, &in, 8);
    memcpy(r->sys + RIG_DATA + 8, &out, 8);
}

/* It ran, and SDMA rewrote its input. */
static void vector_cache(struct rig *r, uint32_t gcr) {
    put_copy_code(r);
    put_copy_args(r, RIG_VRAM_VA + OUT, RIG_VRAM_VA + OUT + 0x10000);
    dispatch_and_wait(r, ALL, 0x70f514);
    sdma_copy(r, RIG_VRAM_VA + OUT, RIG_SYS_VA + RIG_DATA, 256);
    /* The release must not invalidate either: leave out its glv_inv and gl1_inv. */
    dispatch_and_wait(r, gcr, 0x703514);
}

static void vector_cache_and_sdma(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    vector_cache(&r, ALL);
    assert_string_equal(r.log, "");
    rig_close(&r, 0, 0);
    rig_open(&r, target, NULL);
    vector_cache(&r, ALL);
    sdma_copy(&r, RIG_VRAM_VA + OUT, RIG_SYS_VA + RIG_DATA, 256);
    dispatch_and_wait(&r, ALL & ~GLV, 0x70f514);
    expect(&r, "vector cache", "SDMA wrote it");
    rig_close(&r, 1, 0);
    if (strcmp(target, "gfx1100")) return;
    rig_open(&r, target, NULL); /* gfx11 has GL1 in between */
    vector_cache(&r, ALL);
    sdma_copy(&r, RIG_VRAM_VA + OUT, RIG_SYS_VA + RIG_DATA, 256);
    dispatch_and_wait(&r, ALL & ~GL1, 0x70f514);
    expect(&r, "vector cache", "gl1_inv");
    rig_close(&r, 1, 0);
}

/* What BAR0 and SDMA write passes behind GL2. */
static void behind_gl2(void **state) {
    (void)state;
    for (int sdma = 0; sdma < 2; sdma++) {
        struct rig r;
        rig_open(&r, target, NULL);
        vector_cache(&r, ALL);
        dispatch_and_wait(&r, ALL, 0x60f514); /* no gl2_inv: GL2 stays filled */
        for (int good = 0; good < 2; good++) {
            if (sdma)
                sdma_copy(&r, RIG_VRAM_VA + OUT, RIG_SYS_VA + RIG_DATA, 256);
            else
                cache_bar0_write(r.g, RIG_VRAM_OFF + OUT, 64);
            dispatch_and_wait(&r, good ? ALL : ALL & ~GL2I, 0x60f514);
            expect(&r, "through the GL2", sdma ? "SDMA wrote it" : "BAR0 wrote it");
            expect(&r, "gl2_inv", "");
        }
        rig_close(&r, 1, 0);
    }
}

/* A shader's results are in GL2 until they are written back; SDMA reads memory. */
static void sdma_reads_what_is_still_in_gl2(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_code(&r, CODE);
    put_args(&r, RIG_VRAM_VA + OUT, 1);
    dispatch_and_wait(&r, ALL, 0x514);
    sdma_copy(&r, RIG_SYS_VA + RIG_DATA + 0x10000, RIG_VRAM_VA + OUT + 2048, 512); /* not these */
    assert_string_equal(r.log, "");
    sdma_copy(&r, RIG_SYS_VA + RIG_DATA + 0x10000, RIG_VRAM_VA + OUT, 512);
    expect(&r, "SDMA reads", "RELEASE_MEM gl2_wb");
    dispatch_and_wait(&r, ALL, 0x70f514);
    sdma_copy(&r, RIG_SYS_VA + RIG_DATA + 0x10000, RIG_VRAM_VA + OUT, 512);
    rig_close(&r, 1, 0);
}

static void an_invalidation_that_drops_results(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_code(&r, CODE);
    put_args(&r, RIG_VRAM_VA + OUT, 1);
    dispatch_and_wait(&r, ALL, 0x514);
    dispatch_and_wait(&r, ALL & ~GL2W, 0x70f514);
    expect(&r, "gl2_inv without gl2_wb", "");
    dispatch_and_wait(&r, ALL & ~GL2W, 0x70f514); /* all written back: nothing to lose */
    rig_close(&r, 1, 0);
}

/* The CPU rewrote what the kernel loads through the vector cache. */
static void vector_cache_and_the_cpu(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_copy_code(&r);
    put_copy_args(&r, RIG_SYS_VA + RIG_DATA + 0x20000, RIG_VRAM_VA + OUT);
    dispatch_and_wait(&r, ALL, 0x703514); /* no glv_inv, gl1_inv in the release */
    dispatch_and_wait(&r, ALL & ~GLV, 0x703514);
    assert_string_equal(r.log, ""); /* nothing changed */
    rig_put32(&r, RIG_DATA + 0x20000, 77);
    dispatch_and_wait(&r, ALL & ~GLV, 0x703514);
    expect(&r, "vector cache", "the CPU wrote it");
    rig_put32(&r, RIG_DATA + 0x20000, 78);
    dispatch_and_wait(&r, ALL, 0x703514);
    rig_close(&r, 1, 0);
}

/* Copies that depend on one another, in one go. */
static void copies_without_order(void **state) {
    (void)state;
    for (int poll = 0; poll < 2; poll++) {
        struct rig r;
        rig_open(&r, target, NULL);
        uint64_t a = RIG_SYS_VA + RIG_DATA, b = RIG_VRAM_VA + OUT;
        RIG_SDMA(&r, 1, 4095, 0, (uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b,
                 (uint32_t)(b >> 32));
        rig_sdma_fence(&r, RIG_SIGNAL, ++signal_value);
        if (poll) rig_sdma_poll(&r, RIG_SIGNAL, signal_value);
        sdma_copy(&r, RIG_SYS_VA + RIG_DATA + 0x10000, RIG_VRAM_VA + OUT + 4092, 256);
        if (!poll) assert_true(rig_logged(&r, "FENCE and POLL_REGMEM"));
        sdma_copy(&r, RIG_SYS_VA + RIG_DATA + 0x10000, RIG_VRAM_VA + OUT, 256); /* host knows */
        rig_close(&r, poll ? 0 : 1, 0);
    }
}

/* The copy of a kernel's result, queued beside it: SDMA waits for a signal before the kernel (too
 * early) or after it. */
static void copy_beside_a_dispatch(void **state) {
    (void)state;
    for (int good = 0; good < 2; good++) {
        struct rig r;
        rig_open(&r, target, NULL);
        put_code(&r, CODE);
        put_args(&r, RIG_VRAM_VA + OUT, 1);
        uint64_t to = RIG_SYS_VA + RIG_DATA + 0x10000, out = RIG_VRAM_VA + OUT;
        rig_sdma_poll(&r, good ? RIG_SIGNAL + 24 : RIG_SIGNAL + 8, 1);
        RIG_SDMA(&r, 1, 255, 0, (uint32_t)out, (uint32_t)(out >> 32), (uint32_t)to,
                 (uint32_t)(to >> 32));
        rig_sdma_fence(&r, RIG_SIGNAL + 16, 1);
        rig_sdma_ring(&r);
        rig_release(&r, 0x70f514, RIG_SIGNAL + 8, 1);
        rig_acquire(&r, ALL);
        rig_program(&r, RIG_VRAM_VA + CODE, RIG_SYS_VA + RIG_DATA, 0);
        rig_dispatch(&r, 2, 64);
        rig_release(&r, 0x70f514, RIG_SIGNAL + 24, 1);
        rig_ring(&r);
        assert_true(rig_wait(&r, RIG_SIGNAL + 16, 1, 5000));
        assert_true(rig_wait(&r, RIG_SIGNAL + 24, 1, 5000));
        if (good) assert_int_equal(rig_sys32(&r, RIG_DATA + 0x10000 + 40), 11);
        if (!good) assert_true(rig_logged(&r, "orders them: they may overlap"));
        rig_close(&r, good ? 0 : 1, 0);
    }
}

/* A kernel queued beside the copy that brings its input: it waits for a fence before the copy (too
 * early) or after it. */
static void dispatch_beside_a_copy(void **state) {
    (void)state;
    for (int good = 0; good < 2; good++) {
        struct rig r;
        rig_open(&r, target, NULL);
        put_copy_code(&r);
        put_copy_args(&r, RIG_VRAM_VA + OUT, RIG_VRAM_VA + OUT + 0x10000);
        uint64_t in = RIG_SYS_VA + RIG_DATA + 0x10000, out = RIG_VRAM_VA + OUT;
        uint32_t at = (uint32_t)RIG_SYS_VA + RIG_SIGNAL + (good ? 16 : 8);
        RIG_EMIT(&r, 0xc0053c00, 0x13, at, (uint32_t)(RIG_SYS_VA >> 32), 1, ~0u, 4);
        rig_acquire(&r, ALL);
        rig_program(&r, RIG_VRAM_VA + CODE, RIG_SYS_VA + RIG_DATA, 0);
        rig_dispatch(&r, 1, 64);
        rig_release(&r, 0x70f514, RIG_SIGNAL + 24, 1);
        rig_ring(&r);
        rig_sdma_fence(&r, RIG_SIGNAL + 8, 1);
        RIG_SDMA(&r, 1, 255, 0, (uint32_t)in, (uint32_t)(in >> 32), (uint32_t)out,
                 (uint32_t)(out >> 32));
        rig_sdma_fence(&r, RIG_SIGNAL + 16, 1);
        rig_sdma_ring(&r);
        assert_true(rig_wait(&r, RIG_SIGNAL + 16, 1, 5000));
        assert_true(rig_wait(&r, RIG_SIGNAL + 24, 1, 5000));
        if (!good) assert_true(rig_logged(&r, "orders them: they may overlap"));
        rig_close(&r, good ? 0 : 1, 0);
    }
}

static void bar0_reads_what_is_still_in_gl2(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_code(&r, CODE);
    put_args(&r, RIG_VRAM_VA + OUT, 1);
    dispatch_and_wait(&r, ALL, 0x70f514);
    cache_bar0_read(r.g, RIG_VRAM_OFF + OUT, 64);
    assert_string_equal(r.log, "");
    dispatch_and_wait(&r, ALL, 0x514);
    cache_bar0_read(r.g, RIG_VRAM_OFF + OUT, 64);
    expect(&r, "BAR0 reads", "gl2_wb");
    rig_close(&r, 1, 0);
}

/* Results in system memory that GL2 caches, signalled without a writeback. */
static void a_fence_without_writeback(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, target, NULL);
    put_code(&r, CODE);
    put_args(&r, RIG_NC_VA + RIG_DATA + 0x20000, 1);
    dispatch_and_wait(&r, ALL, 0x70f514);
    assert_string_equal(r.log, "");
    dispatch_and_wait(&r, ALL, 0x514);
    expect(&r, "RELEASE_MEM signals the host", "gl2_wb");
    put_args(&r, RIG_SYS_VA + RIG_DATA + 0x20000, 1); /* uncached: nothing to write back */
    dispatch_and_wait(&r, ALL, 0x514);
    rig_close(&r, 1, 0);
}

/* Two dispatches in a row, the second reads what the first wrote. */
static void dispatches_without_order(void **state) {
    (void)state;
    for (int flush = 0; flush < 2; flush++) {
        struct rig r;
        rig_open(&r, target, NULL);
        put_code(&r, CODE);
        put_args(&r, RIG_VRAM_VA + OUT + 1024 + 64, 1);
        rig_acquire(&r, ALL);
        rig_program(&r, RIG_VRAM_VA + CODE, RIG_SYS_VA + RIG_DATA, 0);
        RIG_EMIT(&r, 0xc0087600, 0x204, 0, 0, 0, 64, 1, 1, 0, 0);
        RIG_EMIT(&r, 0xc0031500, 1, 1, 1, 0x8005);
        if (flush) RIG_EMIT(&r, 0xc0004600, 0x407);
        rig_acquire(&r, ALL);
        /* The second takes its arguments from the line that the first writes. */
        rig_program(&r, RIG_VRAM_VA + CODE, RIG_VRAM_VA + OUT + 1024, 0);
        uint64_t out = RIG_VRAM_VA + OUT + 0x10000;
        memcpy(r.vram + OUT + 1024, &out, 8);
        rig_dispatch(&r, 1, 64);
        rig_release(&r, 0x70f514, RIG_SIGNAL, ++signal_value);
        rig_ring(&r);
        assert_true(rig_wait(&r, RIG_SIGNAL, signal_value, 5000));
        if (!flush) assert_true(rig_logged(&r, "CS_PARTIAL_FLUSH"));
        rig_close(&r, flush ? 0 : 1, 0);
    }
}

int main(int argc, char **argv) {
    target = argc > 1 ? argv[1] : "gfx1100";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_stream_passes),
        cmocka_unit_test(scalar_cache_and_the_cpu),
        cmocka_unit_test(instruction_cache_and_sdma),
        cmocka_unit_test(vector_cache_and_sdma),
        cmocka_unit_test(behind_gl2),
        cmocka_unit_test(sdma_reads_what_is_still_in_gl2),
        cmocka_unit_test(an_invalidation_that_drops_results),
        cmocka_unit_test(vector_cache_and_the_cpu),
        cmocka_unit_test(copies_without_order),
        cmocka_unit_test(copy_beside_a_dispatch),
        cmocka_unit_test(dispatch_beside_a_copy),
        cmocka_unit_test(bar0_reads_what_is_still_in_gl2),
        cmocka_unit_test(a_fence_without_writeback),
        cmocka_unit_test(dispatches_without_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
