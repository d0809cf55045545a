/* SPDX-License-Identifier: MIT */
/* jit-bench ARCH IMAGE [KERNEL [RUNS]]: the ten kernels of tests/bench (IMAGE: made by rawclc from
 * tests/bench/kernels.cl.h) on one host thread, interpreted and compiled; compares what they leave
 * in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/emulator/isa/jit_run.h"
#include "tests/isa/jit_link.h"
#include "tests/isa/kernel_image.h"

#define IMAGE_VA   UINT64_C(0x200000000000)
#define KERNARG_VA UINT64_C(0x200000100000)
#define IN_VA      UINT64_C(0x200010000000)
#define OUT_VA     UINT64_C(0x200020000000)
enum { BUFFER_BYTES = 16 << 20, M = 1 << 20 };

static const struct bench {
    const char *name;
    uint32_t global[2], local[2];
    uint32_t third;
} benches[] = {
    {"saxpy", {M, 1}, {256, 1}, 0x3fc00000},   {"sgemm", {256, 256}, {16, 16}, 256},
    {"nbody", {2048, 1}, {256, 1}, 2048},      {"mandelbrot", {256, 256}, {16, 16}, 256},
    {"reduction", {256 * 64, 1}, {256, 1}, M}, {"histogram", {256 * 64, 1}, {256, 1}, M},
    {"stencil64", {512, 512}, {64, 4}, 514},   {"hash64", {32768, 1}, {256, 1}, 100},
    {"math", {65536, 1}, {256, 1}, 8},         {"divergent", {65536, 1}, {256, 1}, 64},
};

struct bed {
    struct fake_gpu gpu;
    struct kernel_image image;
    enum isa_arch arch;
    uint8_t *kernarg, *in, *out;
    int runs;
};

static double now_ms(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Explicit arguments (buffers, a dword), then the implicit block of code object version 5. */
static void fill_kernarg(struct bed *t, const struct bench *b) {
    uint64_t args[] = {IN_VA, OUT_VA, b->third};
    uint8_t *p = t->kernarg + sizeof args;
    memset(t->kernarg, 0, 4096);
    memcpy(t->kernarg, args, sizeof args);
    for (unsigned i = 0; i < 3; i++) {
        uint16_t size = i < 2 ? (uint16_t)b->local[i] : 1;
        uint32_t count = i < 2 ? b->global[i] / b->local[i] : 1;
        memcpy(p + 4 * i, &count, 4);
        memcpy(p + 12 + 2 * i, &size, 2);
    }
    p[64] = b->global[1] > 1 ? 2 : 1;
}

static void fill_buffers(struct bed *t) {
    uint64_t seed = 7;
    for (unsigned i = 0; i < BUFFER_BYTES / 4; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        float f = (float)(seed >> 40) / (1 << 24);
        memcpy(t->in + 4 * i, &f, 4);
    }
    memset(t->out, 0, BUFFER_BYTES);
}

static bool run_groups(struct isa_group *g, const struct bench *b) {
    for (uint32_t y = 0; y < b->global[1] / b->local[1]; y++)
        for (uint32_t x = 0; x < b->global[0] / b->local[0]; x++) {
            struct isa_group_start s = {.id = {x, y, 0}, .size = {b->local[0], b->local[1], 1}};
            isa_group_start(g, &s);
            if (isa_group_run(g, 0) == ISA_DONE) continue;
            struct isa_report r;
            isa_group_report(g, &r);
            printf("%s\n", r.text);
            return false;
        }
    return true;
}

/* Milliseconds of one run, after a run that fills `result` with the output; negative: failed. */
static double measure(struct bed *t, const struct bench *b, struct isa_dispatch *d,
                      uint8_t *result) {
    struct isa_group *g = isa_group_create(d);
    if (!g) return -1;
    double best = 1e9;
    int runs = d->jit || t->runs < 3 ? t->runs : 3;
    for (int n = 0; n <= runs && best >= 0; n++) {
        if (n <= 1) fill_buffers(t);
        double start = now_ms(CLOCK_THREAD_CPUTIME_ID);
        bool ok = run_groups(g, b);
        double ms = now_ms(CLOCK_THREAD_CPUTIME_ID) - start;
        if (!n) memcpy(result, t->out, BUFFER_BYTES);
        if (!ok) best = -1;
        if (n && ms < best) best = ms;
    }
    isa_group_destroy(g);
    return best;
}

static const struct jit_object *compile(struct bed *t, const struct isa_dispatch *d,
                                        struct isa_jit *jit) {
    uint64_t va, size;
    struct lift_result r;
    const uint8_t *code = kernel_image_text(&t->image, &t->gpu, &va, &size);
    uint32_t entry = (uint32_t)(d->entry_va - va);
    uint32_t mode = d->pgm_rsrc1 >> 12 & 0xff;
    if (t->arch != ISA_GFX12) mode |= (d->pgm_rsrc1 >> 21 & 1) << 8 | (d->pgm_rsrc1 >> 23 & 1) << 9;
    unsigned vgprs = ((d->pgm_rsrc1 & 63) + 1) * (d->wave_size == 64 ? 4 : 8);
    struct lift_request rq = {.arch = t->arch,
                              .wave_size = d->wave_size,
                              .vgpr_limit = vgprs < 256 ? vgprs : 256,
                              .mode = mode,
                              .host = jit_link_host(),
                              .shared_aperture = d->shared_aperture,
                              .private_aperture = d->private_aperture,
                              .code = code,
                              .size = size,
                              .entries = &entry,
                              .entry_count = 1};
    double start = now_ms(CLOCK_MONOTONIC);
    const struct jit_object *o = jit_link(&rq, &r);
    printf("%7.0f ms %5u insts %4u blocks %5zu KiB  ", now_ms(CLOCK_MONOTONIC) - start,
           r.instructions, r.blocks, r.object_size / 1024);
    if (!o) printf("%s ", r.error);
    if (r.unlifted[0]) printf("[%s] ", r.unlifted);
    lift_result_free(&r);
    if (o && isa_jit_publish(jit, va, code, o)) printf("not published ");
    return o;
}

static bool bench(struct bed *t, const struct bench *b) {
    struct isa_dispatch d = {.arch = t->arch,
                             .host = &t->gpu.host,
                             .lds_bytes = 4096,
                             .shared_aperture = UINT64_C(0x1000) << 48,
                             .private_aperture = UINT64_C(0x2000) << 48};
    if (!kernel_image_dispatch(&t->image, &t->gpu, b->name, KERNARG_VA, &d)) return false;
    d.group_size[0] = b->local[0];
    d.group_size[1] = b->local[1];
    d.group_size[2] = 1;
    fill_kernarg(t, b);
    uint8_t *want = malloc(BUFFER_BYTES), *got = malloc(BUFFER_BYTES);
    struct isa_jit *jit = isa_jit_create();
    printf("%-11s", b->name);
    double interpreted = measure(t, b, &d, want);
    bool ok = interpreted >= 0 && compile(t, &d, jit);
    if (ok) {
        d.jit = jit;
        double compiled = measure(t, b, &d, got);
        ok = !memcmp(want, got, BUFFER_BYTES) && compiled >= 0;
        printf("interpreter %8.2f ms, compiled %8.2f ms, %5.2f times%s", interpreted, compiled,
               interpreted / compiled, ok ? "" : "  WRONG");
    }
    printf("\n");
    fflush(stdout);
    isa_jit_destroy(jit);
    free(want);
    free(got);
    return ok;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: jit-bench gfx11|gfx12 IMAGE [KERNEL [RUNS]]\n");
        return 2;
    }
    struct bed t = {.arch = !strcmp(argv[1], "gfx12") ? ISA_GFX12 : ISA_GFX11,
                    .runs = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 3};
    fake_gpu_init(&t.gpu);
    bool ok = kernel_image_load(&t.image, &t.gpu, argv[2], IMAGE_VA);
    t.kernarg = fake_gpu_map(&t.gpu, KERNARG_VA, 4096);
    t.in = fake_gpu_map(&t.gpu, IN_VA, BUFFER_BYTES);
    t.out = fake_gpu_map(&t.gpu, OUT_VA, BUFFER_BYTES);
    ok = ok && t.kernarg && t.in && t.out;
    for (unsigned i = 0; ok && i < sizeof benches / sizeof *benches; i++)
        if (argc < 4 || !strcmp(argv[3], "all") || !strcmp(argv[3], benches[i].name))
            ok &= bench(&t, &benches[i]);
    kernel_image_free(&t.image);
    fake_gpu_fini(&t.gpu);
    return ok ? 0 : 1;
}
