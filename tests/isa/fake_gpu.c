/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/isa/fake_gpu.h"

static int translate(struct isa_host *h, enum isa_client client, enum isa_access access,
                     uint64_t va, struct isa_segment *out) {
    struct fake_gpu *f = (struct fake_gpu *)h;
    (void)client;
    for (unsigned i = 0; i < f->count; i++) {
        const struct isa_segment *s = &f->maps[i];
        if (va - s->va >= s->size || !(s->access & 1u << access)) continue;
        *out = *s;
        return 0;
    }
    f->fault_va = va;
    f->faults++;
    return -EFAULT;
}

static uint64_t realtime(struct isa_host *h) {
    return ++((struct fake_gpu *)h)->clock;
}

static void interrupt(struct isa_host *h, uint32_t m0) {
    struct fake_gpu *f = (struct fake_gpu *)h;
    f->interrupts++;
    f->last_m0 = m0;
}

void fake_gpu_init(struct fake_gpu *f) {
    memset(f, 0, sizeof *f);
    f->host = (struct isa_host){
        .translate = translate, .realtime = realtime, .interrupt = interrupt, .stop = &f->stop};
}

void fake_gpu_fini(struct fake_gpu *f) {
    for (unsigned i = 0; i < f->count; i++)
        free(f->maps[i].host);
    f->count = 0;
}

uint8_t *fake_gpu_map(struct fake_gpu *f, uint64_t va, uint64_t size) {
    if (f->count == FAKE_GPU_MAPS) return NULL;
    uint8_t *p = aligned_alloc(4096, (size + 4095) & ~UINT64_C(4095));
    if (!p) return NULL;
    memset(p, 0, size);
    f->maps[f->count++] = (struct isa_segment){
        .va = va,
        .size = size,
        .host = p,
        .access = 1u << ISA_READ | 1u << ISA_WRITE | 1u << ISA_ATOMIC | 1u << ISA_EXEC,
    };
    return p;
}
