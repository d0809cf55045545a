/* SPDX-License-Identifier: MIT */
/* submit_common.h - what the submission tests share: a device, kernels on it, memory. */
#ifndef RAWCL_TESTS_SUBMIT_COMMON_H
#define RAWCL_TESTS_SUBMIT_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/am.h"

/* One device with the test kernels loaded. */
struct rig {
    struct am_device *dev;
    const char *target;
    struct am_mem *code;
    int errors;    /* lines logged as errors */
    int coherency; /* lines of the emulated GPU about a flush that is missing */
    char last_coherency[256];
    char coherency_log[4096]; /* all of them, as far as there is room */
};

/* TEST_TARGET in the environment, else gfx1100; TEST_DEVICE, else emulated in this process. */
int rig_setup(void **state);
int rig_teardown(void **state);

struct am_mem *rig_alloc(struct rig *g, uint64_t size, enum am_mem_kind kind, const char *label);
/* A dispatch of a test kernel: groups x 1 x 1 of 64, its arguments at args. */
struct am_dispatch rig_kernel(struct rig *g, const char *name, uint32_t groups, const void *args,
                              uint32_t args_bytes);
/* Submits, waits for at most 20 s, and expects success. */
void rig_run(struct rig *g, const struct am_dispatch *d);
void rig_copy(struct rig *g, uint64_t dst, uint64_t src, uint64_t size);
void rig_wait(struct rig *g, struct am_fence f);
#define SECONDS(n) ((int64_t)(n)*1000000000)

uint64_t rig_random(void);

#endif
