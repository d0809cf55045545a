/* SPDX-License-Identifier: MIT */
#include "runtime/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/device.h"
#include "runtime/log.h"
#include "runtime/platform.h"
#include "runtime/transfer.h"

/* Behind the image: instruction fetch runs ahead of the last instruction (it must find mapped
 * memory), by less than this. */
#define PREFETCH_PAD 4096

struct code *code_create(cl_device_id dev, struct code_object *co) {
    struct code *code = calloc(1, sizeof *code);

    if (!code) return NULL;
    atomic_init(&code->refs, 1);
    code->dev = dev;
    code->co = co;
    pthread_mutex_init(&code->lock, NULL);
    return code;
}

struct code *code_get(struct code *code) {
    atomic_fetch_add_explicit(&code->refs, 1, memory_order_relaxed);
    return code;
}

void code_put(struct code *code) {
    if (!code || atomic_fetch_sub_explicit(&code->refs, 1, memory_order_acq_rel) != 1) return;
    if (code->mem && !platform_is_orphan()) am_free(code->dev->am, code->mem);
    co_free(code->co);
    pthread_mutex_destroy(&code->lock);
    free(code);
}

static int load_locked(struct code *code) {
    const struct code_object *co = code->co;
    uint64_t size = co->image_size + PREFETCH_PAD;
    struct am_mem *mem;
    uint8_t *image = calloc(1, size);

    if (!image) return -ENOMEM;
    int rc = am_alloc(code->dev->am, size, 0, AM_MEM_VRAM, "code", &mem);
    if (!rc) {
        co_relocate(co, mem->va, image);
        rc = transfer_bytes(code->dev, mem->va, image, size, true);
        if (rc)
            am_free(code->dev->am, mem);
        else
            code->mem = mem;
    }
    free(image);
    if (rc) log_err("build", "the code of a program cannot be loaded: %s", strerror(-rc));
    return rc;
}

int code_load(struct code *code) {
    pthread_mutex_lock(&code->lock);
    int rc = code->mem ? 0 : load_locked(code);
    pthread_mutex_unlock(&code->lock);
    return rc;
}
