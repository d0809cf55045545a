/* SPDX-License-Identifier: MIT */
/* fake_gpu.h - memory and clock for work-groups that run without a GPU model. */
#ifndef RAWCL_TESTS_ISA_FAKE_GPU_H
#define RAWCL_TESTS_ISA_FAKE_GPU_H

#include "driver/emulator/isa/isa.h"

enum { FAKE_GPU_MAPS = 16 };

struct fake_gpu {
    struct isa_host host; /* first: the callbacks cast */
    struct isa_segment maps[FAKE_GPU_MAPS];
    unsigned count;
    uint64_t fault_va; /* last one reported */
    unsigned faults, interrupts;
    uint32_t last_m0; /* of the last interrupt */
    uint64_t clock;
    volatile int stop;
};

void fake_gpu_init(struct fake_gpu *f);
void fake_gpu_fini(struct fake_gpu *f);
/* Zeroed memory at va, which every client may use in every way; NULL when there is no room. */
uint8_t *fake_gpu_map(struct fake_gpu *f, uint64_t va, uint64_t size);

#endif
