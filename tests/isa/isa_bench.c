/* SPDX-License-Identifier: MIT */
/* isa-bench ARCH IMAGE [KERNEL]: run time of six kernels on one host thread, with the sizes of the
 * design notes. Prints a table; not a test. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "driver/emulator/isa/wave.h"
#include "tests/isa/kernel_image.h"

#define IMAGE_VA   UINT64_C(0x200000000000)
#define KERNARG_VA UINT64_C(0x200000100000)
#define A_VA       UINT64_C(0x200010000000)
#define B_VA       UINT64_C(0x200020000000)
#define C_VA       UINT64_C(0x200030000000)
enum { BUFFER_BYTES = 32 << 20 };

static const struct bench {
    const char *name;
    uint32_t size[3], groups[2];
    uint64_t args[5];
} benches[] = {
    {"saxpy", {256, 1, 1}, {4 * 1024 * 1024 / 256, 1}, {A_VA, B_VA, 0x40000000}},
    {"mandelbrot", {256, 1, 1}, {512 * 512 / 256, 1}, {A_VA}},
    {"sgemm", {16, 16, 1}, {32, 32}, {A_VA, B_VA, C_VA, 512}},
    {"nbody", {256, 1, 1}, {16, 1}, {A_VA, B_VA, 4096}},
    {"xorshift", {256, 1, 1}, {256, 1}, {A_VA}},
    {"reduce", {256, 1, 1}, {4 * 1024 * 1024 / 256, 1}, {A_VA, B_VA}},
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int run(const struct kernel_image *image, struct fake_gpu *f, enum isa_arch arch,
               const struct bench *b, uint8_t *kernarg) {
    struct isa_dispatch d = {.arch = arch, .host = &f->host, .lds_bytes = 4096};
    if (!kernel_image_dispatch(image, f, b->name, KERNARG_VA, &d)) return -1;
    memcpy(d.group_size, b->size, sizeof d.group_size);
    memcpy(kernarg, b->args, sizeof b->args);
    struct isa_group *g = isa_group_create(&d);
    if (!g) return -1;
    double best = 1e9;
    for (unsigned n = 0; n < 3; n++) {
        double start = now_ms();
        for (uint32_t y = 0; y < b->groups[1]; y++)
            for (uint32_t x = 0; x < b->groups[0]; x++) {
                struct isa_group_start s = {.id = {x, y, 0}};
                memcpy(s.size, b->size, sizeof s.size);
                isa_group_start(g, &s);
                if (isa_group_run(g, 0) != ISA_DONE) {
                    struct isa_report r;
                    isa_group_report(g, &r);
                    printf("%s\n", r.text);
                    isa_group_destroy(g);
                    return -1;
                }
            }
        double ms = now_ms() - start;
        if (ms < best) best = ms;
    }
    printf("%-12s %8.1f ms\n", b->name, best);
    isa_group_destroy(g);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: isa-bench gfx11|gfx12 IMAGE [KERNEL]\n");
        return 2;
    }
    enum isa_arch arch = !strcmp(argv[1], "gfx12") ? ISA_GFX12 : ISA_GFX11;
    struct fake_gpu f;
    struct kernel_image image;
    fake_gpu_init(&f);
    bool ok = kernel_image_load(&image, &f, argv[2], IMAGE_VA);
    uint8_t *kernarg = fake_gpu_map(&f, KERNARG_VA, 4096);
    uint8_t *a = fake_gpu_map(&f, A_VA, BUFFER_BYTES);
    ok = ok && kernarg && a && fake_gpu_map(&f, B_VA, BUFFER_BYTES) &&
         fake_gpu_map(&f, C_VA, BUFFER_BYTES);
    if (!ok) return 1;
    for (unsigned i = 0; i < 16384; i++)
        ((float *)a)[i] = 1.0f + (float)(i * 7919 % 1000) / 1000;
    printf("host level: %s\n", isa_pick_variant()->name);
    int err = 0;
    for (unsigned i = 0; i < sizeof benches / sizeof *benches; i++)
        if (argc < 4 || !strcmp(argv[3], benches[i].name))
            err |= run(&image, &f, arch, &benches[i], kernarg);
    kernel_image_free(&image);
    fake_gpu_fini(&f);
    return err ? 1 : 0;
}
