/* SPDX-License-Identifier: MIT */
#include "compiler/worker_lift.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/worker_link.h"
#include "driver/emulator/isa/jit_request.h"
#include "driver/emulator/isa/lift.h"

static void lift_log(void *user, const char *text, size_t size) {
    bytes_put(user, text, size);
}

static const char *lift_read(const char *data, size_t size, struct jit_request *rq,
                             struct lift_request *lift) {
    if (size < sizeof *rq) return "cut short";
    memcpy(rq, data, sizeof *rq);
    if (rq->magic != JIT_REQUEST_MAGIC) return "not a request";
    if (rq->version != JIT_VERSION || rq->layout != jit_layout())
        return "it comes from another version of the library";
    uint64_t entries = (uint64_t)rq->entry_count * sizeof(uint32_t);
    if (rq->entry_count > JIT_ENTRIES_MAX || rq->size > JIT_CODE_BYTES_MAX ||
        size != sizeof *rq + entries + rq->size)
        return "sizes that do not fit";
    uint32_t *copy = malloc(entries + rq->size + 1);
    if (!copy) return "no memory";
    memcpy(copy, data + sizeof *rq, entries + rq->size);
    *lift = (struct lift_request){.arch = (enum isa_arch)rq->arch,
                                  .wave_size = rq->wave_size,
                                  .vgpr_limit = rq->vgpr_limit,
                                  .mode = rq->mode,
                                  .host = (enum jit_host)rq->host,
                                  .shared_aperture = rq->shared_aperture,
                                  .private_aperture = rq->private_aperture,
                                  .code = copy + rq->entry_count,
                                  .size = rq->size,
                                  .entries = copy,
                                  .entry_count = rq->entry_count};
    return NULL;
}

static uint64_t lift_clock_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void lift_answer(const struct jit_reply *reply, const struct worker_linked *linked,
                        struct wire_result *result) {
    result->binary = malloc(sizeof *reply + linked->size + 1);
    if (!result->binary) return;
    memcpy(result->binary, reply, sizeof *reply);
    if (linked->data) memcpy(result->binary + sizeof *reply, linked->data, linked->size);
    result->binary_size = sizeof *reply + linked->size;
    result->status = COMPILER_OK;
}

void worker_lift_run(const void *request, size_t size, struct wire_result *result) {
    struct jit_request rq;
    struct lift_request lift = {0};
    struct lift_result lifted = {0};
    struct worker_linked linked = {.again = true};
    struct bytes log = {0};
    *result = (struct wire_result){.status = COMPILER_BUILD_FAILED};
    const char *why = lift_read(request, size, &rq, &lift);
    if (why) {
        bytes_printf(&log, "the request cannot be read: %s", why);
    } else {
        uint64_t start = lift_clock_us();
        int err = lift_code(&lift, &lifted);
        if (!err) worker_link(lifted.object, lifted.object_size, lift_log, &log, &linked);
        struct jit_reply reply = {.magic = JIT_REPLY_MAGIC,
                                  .instructions = lifted.instructions,
                                  .blocks = lifted.blocks,
                                  .stepped = lifted.stepped,
                                  .left = lifted.left,
                                  .lift_us = (uint32_t)(lift_clock_us() - start),
                                  .object_size = linked.size};
        memcpy(reply.unlifted, lifted.unlifted, sizeof reply.unlifted);
        if (err) memcpy(reply.text, lifted.error, sizeof reply.text);
        /* That the lifter has no way to do it is an answer too, and kept. */
        if (err == -ENOTSUP || linked.data)
            lift_answer(&reply, &linked, result);
        else if (err)
            bytes_printf(&log, "%s", lifted.error);
    }
    if (!linked.again) result->ending = true;
    worker_linked_free(&linked);
    lift_result_free(&lifted);
    free((void *)lift.entries);
    result->log = bytes_take_text(&log);
}
