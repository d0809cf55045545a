/* SPDX-License-Identifier: MIT */
#include "tests/integration/submit_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_kernels.h"

static void log_line(void *ctx, enum am_log_level level, const char *topic, const char *line) {
    struct rig *g = ctx;
    if (level == AM_LOG_ERROR) __atomic_add_fetch(&g->errors, 1, __ATOMIC_RELAXED);
    if (strcmp(topic, "emulator") == 0 && strncmp(line, "coherency", 9) == 0) {
        __atomic_add_fetch(&g->coherency, 1, __ATOMIC_RELAXED);
        snprintf(g->last_coherency, sizeof(g->last_coherency), "%s", line);
        size_t n = strlen(g->coherency_log);
        snprintf(g->coherency_log + n, sizeof(g->coherency_log) - n, "%s\n", line);
    } else if (level <= AM_LOG_WARN || getenv("TEST_VERBOSE"))
        fprintf(stderr, "[%s] %s\n", topic, line);
}

static const struct test_image *image_of(const char *target) {
    for (size_t i = 0; i < sizeof(test_images) / sizeof(test_images[0]); i++)
        if (strcmp(test_images[i].target, target) == 0) return &test_images[i];
    return NULL;
}

static void upload(struct rig *g) {
    const struct test_image *im = image_of(g->target);
    assert_non_null(im);
    struct am_mem *staging = rig_alloc(g, im->bytes, AM_MEM_SYSTEM, "code staging");
    g->code = rig_alloc(g, im->bytes + 4096, AM_MEM_VRAM, "code");
    memcpy(staging->cpu, im->image, im->bytes);
    rig_copy(g, g->code->va, staging->va, im->bytes);
    am_free(g->dev, staging);
}

int rig_setup(void **state) {
    struct rig *g = calloc(1, sizeof(*g));
    char id[96], err[512] = "";
    const char *target = getenv("TEST_TARGET");
    g->target = target ? target : "gfx1100";
    const char *device = getenv("TEST_DEVICE");
    if (device)
        snprintf(id, sizeof(id), "%s", device);
    else
        snprintf(id, sizeof(id), "emu:%s", g->target);
    struct am_options opt = {.log = log_line, .log_ctx = g};
    int rc = am_open(id, &opt, &g->dev, err, sizeof(err));
    if (rc) fprintf(stderr, "am_open: %d: %s\n", rc, err);
    if (rc) {
        free(g);
        return -1;
    }
    upload(g);
    *state = g;
    return 0;
}

int rig_teardown(void **state) {
    struct rig *g = *state;
    if (!g) return -1;
    am_free(g->dev, g->code);
    am_close(g->dev);
    int missing = g->coherency;
    if (missing) fprintf(stderr, "%s\n", g->last_coherency);
    free(g);
    return missing ? -1 : 0;
}

struct am_mem *rig_alloc(struct rig *g, uint64_t size, enum am_mem_kind kind, const char *label) {
    struct am_mem *m;
    assert_int_equal(am_alloc(g->dev, size, 0, kind, label, &m), 0);
    return m;
}

struct am_dispatch rig_kernel(struct rig *g, const char *name, uint32_t groups, const void *args,
                              uint32_t args_bytes) {
    const struct test_image *im = image_of(g->target);
    for (uint32_t i = 0; i < im->count; i++) {
        const struct test_kernel *k = &im->kernels[i];
        if (strcmp(k->name, name) != 0) continue;
        return (struct am_dispatch){
            .kernel_descriptor = im->image + k->descriptor,
            .kernel_descriptor_va = g->code->va + k->descriptor,
            .kernel_name = name,
            .dims = 1,
            .grid = {groups * 64, 1, 1},
            .group = {64, 1, 1},
            .group_segment_bytes = k->lds,
            .private_segment_bytes = k->scratch,
            .kernargs = args,
            .kernargs_bytes = args_bytes,
        };
    }
    fail_msg("no kernel %s", name);
    return (struct am_dispatch){0};
}

void rig_wait(struct rig *g, struct am_fence f) {
    int rc = am_wait(g->dev, f, SECONDS(20));
    if (rc) {
        char text[512];
        am_fence_error(g->dev, f, text, sizeof(text));
        fail_msg("waiting gives %d: %s", rc, text);
    }
}

void rig_run(struct rig *g, const struct am_dispatch *d) {
    struct am_fence f;
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, d, &f), 0);
    rig_wait(g, f);
}

void rig_copy(struct rig *g, uint64_t dst, uint64_t src, uint64_t size) {
    struct am_fence f;
    assert_int_equal(am_submit_copy(g->dev, NULL, 0, dst, src, size, &f), 0);
    rig_wait(g, f);
}

uint64_t rig_random(void) {
    static uint64_t s = 0x2545f4914f6cdd1dull;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}
