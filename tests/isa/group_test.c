/* SPDX-License-Identifier: MIT */
/* group_test.c - compiled kernels through isa_group on fake memory.
 * Arguments: ARCH IMAGE, ARCH one of gfx11 gfx11.5 gfx12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/isa/kernel_image.h"

#define IMAGE_VA   UINT64_C(0x200000000000)
#define KERNARG_VA UINT64_C(0x200000100000)
#define A_VA       UINT64_C(0x200000200000)
#define B_VA       UINT64_C(0x200000300000)
#define C_VA       UINT64_C(0x200000400000)
#define SCRATCH_VA UINT64_C(0x200000500000)
enum { BUFFER_BYTES = 65536 };

static const char *image_path;
static enum isa_arch arch;
static unsigned wave_size; /* that the image was compiled for */

struct fixture {
    struct fake_gpu gpu;
    struct kernel_image image;
    struct isa_dispatch d;
    struct isa_group *group;
    uint8_t *kernarg, *a, *b, *c;
    struct isa_report report;
};

static void set_up(struct fixture *f, const char *kernel, uint32_t x, uint32_t y, uint32_t z) {
    memset(f, 0, sizeof *f);
    fake_gpu_init(&f->gpu);
    assert_true(kernel_image_load(&f->image, &f->gpu, image_path, IMAGE_VA));
    f->kernarg = fake_gpu_map(&f->gpu, KERNARG_VA, 4096);
    f->a = fake_gpu_map(&f->gpu, A_VA, BUFFER_BYTES);
    f->b = fake_gpu_map(&f->gpu, B_VA, BUFFER_BYTES);
    f->c = fake_gpu_map(&f->gpu, C_VA, BUFFER_BYTES);
    assert_non_null(fake_gpu_map(&f->gpu, SCRATCH_VA, 1 << 20));
    f->d.arch = arch;
    f->d.host = &f->gpu.host;
    assert_true(kernel_image_dispatch(&f->image, &f->gpu, kernel, KERNARG_VA, &f->d));
    assert_int_equal(f->d.wave_size, wave_size);
    f->d.group_size[0] = x, f->d.group_size[1] = y, f->d.group_size[2] = z;
    f->d.lds_bytes = 4096;
    f->d.scratch_base_va = SCRATCH_VA;
    f->d.shared_aperture = UINT64_C(1) << 48;
    f->d.private_aperture = UINT64_C(2) << 48;
    f->group = isa_group_create(&f->d);
    assert_non_null(f->group);
}

static void tear_down(struct fixture *f) {
    isa_group_destroy(f->group);
    kernel_image_free(&f->image);
    fake_gpu_fini(&f->gpu);
}

static void set_args(struct fixture *f, const uint64_t *args, unsigned n) {
    memcpy(f->kernarg, args, n * sizeof *args);
}

static enum isa_end run_part(struct fixture *f, uint32_t group, uint32_t items, uint64_t budget) {
    struct isa_group_start s = {.id = {group, 0, 0}};
    memcpy(s.size, f->d.group_size, sizeof s.size);
    s.size[0] = items;
    isa_group_start(f->group, &s);
    enum isa_end end = isa_group_run(f->group, budget);
    isa_group_report(f->group, &f->report);
    if (end != ISA_DONE && end != ISA_YIELD) print_message("%s\n", f->report.text);
    return end;
}

static enum isa_end run_group(struct fixture *f, uint32_t group, uint64_t budget) {
    return run_part(f, group, f->d.group_size[0], budget);
}

static void test_vadd(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "vadd", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA, B_VA, C_VA, 200}, 4);
    float *a = (float *)f.a, *b = (float *)f.b, *c = (float *)f.c;
    for (int i = 0; i < 256; i++)
        a[i] = 0.5f * i, b[i] = 100.0f - i;
    for (uint32_t g = 0; g < 4; g++)
        assert_int_equal(run_group(&f, g, 0), ISA_DONE);
    for (int i = 0; i < 256; i++)
        assert_true(c[i] == (i < 200 ? a[i] + b[i] : 0));
    tear_down(&f);
}

/* The last work-group of a grid may be smaller; its missing lanes must not run. */
static void test_partial_group(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "vadd", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA, B_VA, C_VA, 64}, 4);
    float *a = (float *)f.a, *c = (float *)f.c;
    for (int i = 0; i < 64; i++)
        a[i] = 1;
    assert_int_equal(run_part(&f, 0, 41, 0), ISA_DONE);
    for (int i = 0; i < 64; i++)
        assert_true(c[i] == (i < 41 ? 1 : 0));
    tear_down(&f);
}

static void test_reduce(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "reduce", 256, 1, 1);
    set_args(&f, (uint64_t[]){A_VA, C_VA, 0}, 3);
    uint32_t *a = (uint32_t *)f.a, sum = 0;
    for (uint32_t i = 0; i < 1024; i++)
        sum += a[i] = i * 2654435761u;
    for (uint32_t g = 0; g < 4; g++)
        assert_int_equal(run_group(&f, g, 0), ISA_DONE);
    assert_int_equal(*(uint32_t *)f.c, sum);
    tear_down(&f);
}

static void test_divergence(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "collatz", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA, C_VA}, 2);
    uint32_t *a = (uint32_t *)f.a, *c = (uint32_t *)f.c;
    for (uint32_t i = 0; i < 64; i++)
        a[i] = i * 97 + 1;
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t n = a[i], steps = 0;
        for (; n != 1; steps++)
            n = n & 1 ? 3 * n + 1 : n / 2;
        assert_int_equal(c[i], steps);
    }
    tear_down(&f);
}

static void test_scratch(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "scratch", 64, 1, 1);
    assert_true(f.d.scratch_wave_bytes >= 32 * 4 * f.d.wave_size);
    set_args(&f, (uint64_t[]){A_VA, C_VA}, 2);
    uint32_t *a = (uint32_t *)f.a, *c = (uint32_t *)f.c;
    for (uint32_t i = 0; i < 64; i++)
        a[i] = i * 31 + 5;
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 32; k++)
            sum += a[i] * ((k * 7 + a[i]) & 31) ^ k;
        assert_int_equal(c[i], sum);
    }
    tear_down(&f);
}

static void test_flat(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "flat", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA, C_VA, 0}, 3);
    uint32_t *a = (uint32_t *)f.a, *c = (uint32_t *)f.c;
    for (uint32_t i = 0; i < 256; i++)
        a[i] = 1000 + i;
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t p[4];
        for (uint32_t k = 0; k < 4; k++)
            p[k] = i % 3 == 0 ? i + k : i % 3 == 1 ? i * k : 1000 + 4 * i + k;
        p[i & 3] += i;
        assert_int_equal(c[i], p[0] + 3 * p[1] + 5 * p[2] + 7 * p[3]);
    }
    tear_down(&f);
}

static void test_fault(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "wild", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA}, 1);
    assert_int_equal(run_group(&f, 3, 0), ISA_FAULT);
    assert_int_equal(f.report.address, A_VA + (UINT64_C(4) << 28));
    assert_int_equal(f.gpu.fault_va, f.report.address);
    assert_int_equal(f.report.local_id[0], 37);
    assert_non_null(strstr(f.report.text, "GLOBAL_STORE_B32"));
    assert_non_null(strstr(f.report.text, "wild"));
    assert_non_null(strstr(f.report.text, "work-group (3,0,0)"));
    assert_non_null(strstr(f.report.text, "work-item (37,0,0)"));
    /* The group can be used again. */
    set_args(&f, (uint64_t[]){A_VA - (UINT64_C(4) << 28)}, 1);
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    assert_int_equal(*(uint32_t *)f.a, 1);
    tear_down(&f);
}

static void test_endless_loop(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "forever", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA}, 1);
    uint32_t *a = (uint32_t *)f.a;
    assert_int_equal(run_group(&f, 0, 1000), ISA_YIELD);
    assert_int_equal(isa_group_run(f.group, 100000), ISA_YIELD);
    /* Somebody writes what it waits for: it ends. */
    a[0] = 1;
    assert_int_equal(isa_group_run(f.group, 1000), ISA_DONE);
    assert_int_equal(a[1], 1);
    /* The stop flag ends it even without a budget. */
    a[0] = 0;
    assert_int_equal(run_group(&f, 0, 1000), ISA_YIELD);
    f.gpu.stop = 1;
    assert_int_equal(isa_group_run(f.group, 0), ISA_STOPPED);
    tear_down(&f);
}

static void test_trap(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "trap", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA}, 1);
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    assert_int_equal(((uint32_t *)f.a)[1], 1);
    *(uint32_t *)f.a = 1;
    assert_int_equal(run_group(&f, 0, 0), ISA_TRAP);
    assert_non_null(strstr(f.report.text, "trap"));
    tear_down(&f);
}

/* With a trap handler (TBA) s_trap goes there; the handler may return or end the wave. */
static void test_trap_handler(void **state) {
    (void)state;
    if (strstr(image_path, "_O0"))
        skip(); /* unoptimised kernels have a prologue, handlers must not */
    struct fixture f;
    set_up(&f, "trap_three", 64, 1, 1);
    struct isa_dispatch resume = {0}, ends = {0}, with = f.d;
    assert_true(kernel_image_dispatch(&f.image, &f.gpu, "handler_resume", 0, &resume));
    assert_true(kernel_image_dispatch(&f.image, &f.gpu, "handler_end", 0, &ends));
    set_args(&f, (uint64_t[]){A_VA}, 1);
    uint32_t *a = (uint32_t *)f.a;
    with.tba_va = resume.entry_va;
    assert_true(isa_group_rebind(f.group, &with));
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    assert_int_equal(a[0], 1);
    assert_int_equal(a[1], 2);
    assert_int_equal(f.gpu.interrupts, 64 / f.d.wave_size);
    assert_int_equal(f.gpu.last_m0, arch == ISA_GFX12 ? 3 << 12 : 3);
    a[0] = a[1] = 0;
    with.tba_va = ends.entry_va; /* a wave that its handler ends has ended: no more than that */
    assert_true(isa_group_rebind(f.group, &with));
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    assert_int_equal(a[0], 1);
    assert_int_equal(a[1], 0);
    tear_down(&f);
}

static void test_wide(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "wide", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA, C_VA}, 2);
    uint64_t *u = (uint64_t *)f.a, before[64];
    double *d = (double *)f.c;
    for (int i = 0; i < 64; i++)
        before[i] = u[i] = 88172645463325252u + (uint64_t)i, d[i] = i / 7.0;
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    for (int i = 0; i < 64; i++) {
        uint64_t x = before[i];
        for (uint32_t k = 0; k < 10; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x = x * UINT64_C(0x9e3779b97f4a7c15) + k;
        }
        assert_true(u[i] == x);
        assert_true(d[i] == __builtin_fma(i / 7.0, 3.0, i) || d[i] == i / 7.0 * 3.0 + i);
    }
    tear_down(&f);
}

static void test_ids(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "ids", 4, 8, 2);
    set_args(&f, (uint64_t[]){A_VA}, 1);
    struct isa_group_start s = {.id = {3, 4, 5}, .size = {4, 8, 2}};
    isa_group_start(f.group, &s);
    assert_int_equal(isa_group_run(f.group, 0), ISA_DONE);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(((uint32_t *)f.a)[i],
                         (i & 3) | (i >> 2 & 7) << 8 | i >> 5 << 16 | 543u << 20);
    tear_down(&f);
}

/* Decoded code stays until it is invalidated, as in an instruction cache. */
static void test_code_invalidation(void **state) {
    (void)state;
    struct fixture f;
    set_up(&f, "vadd", 64, 1, 1);
    set_args(&f, (uint64_t[]){A_VA, B_VA, C_VA, 64}, 4);
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    uint32_t *code = (uint32_t *)(f.gpu.maps[0].host + (f.d.entry_va - IMAGE_VA));
    code[0] = 0; /* v_cndmask_b32 v0, s0, v0: legal; the load of the arguments is gone */
    code[1] = 0;
    memset(f.c, 0, 64 * 4);
    *(float *)f.a = 1;
    assert_int_equal(run_group(&f, 0, 0), ISA_DONE);
    assert_true(*(float *)f.c == 1);
    code[0] = 0xffffffff; /* no instruction */
    isa_invalidate_code();
    assert_int_equal(run_group(&f, 0, 0), ISA_ILLEGAL);
    assert_false(f.report.unimplemented);
    tear_down(&f);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    wave_size = strstr(argv[2], "wave64") ? 64 : 32;
    arch = !strcmp(argv[1], "gfx12")     ? ISA_GFX12
           : !strcmp(argv[1], "gfx11.5") ? ISA_GFX11_5
                                         : ISA_GFX11;
    image_path = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vadd),
        cmocka_unit_test(test_partial_group),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_endless_loop),
        cmocka_unit_test(test_trap),
        cmocka_unit_test(test_trap_handler),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_code_invalidation),
    };
    return cmocka_run_group_tests_name(argv[2], tests, NULL, NULL);
}
