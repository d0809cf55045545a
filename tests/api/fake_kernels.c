/* SPDX-License-Identifier: MIT */
#include "tests/api/fake_kernels.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static void *pointer_arg(const uint8_t *kernargs, unsigned offset) {
    void *p;

    memcpy(&p, kernargs + offset, sizeof p);
    return p;
}

static int int_arg(const uint8_t *kernargs, unsigned offset) {
    int v;

    memcpy(&v, kernargs + offset, sizeof v);
    return v;
}

/* kernel void vadd(global const int *a, global const int *b, global int *c) */
static int vadd(const struct am_dispatch *d, const uint8_t *k) {
    const int *a = pointer_arg(k, 0), *b = pointer_arg(k, 8);
    int *c = pointer_arg(k, 16);

    for (uint32_t i = 0; i < d->grid[0]; i++)
        c[i] = a[i] + b[i];
    return 0;
}

/* kernel void add_to(global int *p, int v): p[i] += v */
static int add_to(const struct am_dispatch *d, const uint8_t *k) {
    int *p = pointer_arg(k, 0), v = int_arg(k, 8);

    for (uint32_t i = 0; i < d->grid[0]; i++)
        p[i] += v;
    return 0;
}

static int empty(const struct am_dispatch *d, const uint8_t *k) {
    (void)d, (void)k;
    return 0;
}

/* kernel void slow(global int *p): takes a while, then p[i] *= 2 */
static int slow(const struct am_dispatch *d, const uint8_t *k) {
    struct timespec ts = {0, 100000000};
    int *p = pointer_arg(k, 0);

    nanosleep(&ts, NULL);
    for (uint32_t i = 0; i < d->grid[0]; i++)
        p[i] *= 2;
    return 0;
}

static int fault(const struct am_dispatch *d, const uint8_t *k) {
    (void)d, (void)k;
    return -EIO;
}

/* kernel void shape(global uint *out): local sizes and offset as the hidden arguments say. Fake
 * code objects put them behind the explicit ones: group sizes u16 at 64, offsets u64 at 72. */
static int shape(const struct am_dispatch *d, const uint8_t *k) {
    uint32_t *out = pointer_arg(k, 0);

    for (int i = 0; i < 3; i++) {
        uint16_t size;
        uint64_t offset;
        memcpy(&size, k + 64 + 2 * i, 2);
        memcpy(&offset, k + 72 + 8 * i, 8);
        out[i] = size;
        out[3 + i] = d->grid[i];
        out[6 + i] = (uint32_t)offset;
    }
    return 0;
}

int fake_kernel_run(const struct am_dispatch *d, const uint8_t *kernargs) {
    static const struct {
        const char *name;
        int (*run)(const struct am_dispatch *, const uint8_t *);
    } kernels[] = {{"vadd", vadd}, {"add_to", add_to}, {"empty", empty},
                   {"slow", slow}, {"fault", fault},   {"shape", shape}};

    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (!strcmp(kernels[i].name, d->kernel_name)) return kernels[i].run(d, kernargs);
    return -EIO;
}
