/* SPDX-License-Identifier: MIT */
/* lift.c - see lift.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/lift_internal.h"

enum { MAX_CODE_BYTES = 16 << 20 };

static int check(struct lift *l) {
    const struct lift_request *rq = l->rq;
    if (!rq->code || !rq->size || rq->size % 4 || rq->size > MAX_CODE_BYTES)
        return lift_fail(l, -EINVAL, "code of an impossible size");
    if (rq->arch >= ISA_ARCH_COUNT || (rq->wave_size != 32 && rq->wave_size != 64) ||
        rq->host > JIT_HOST_V4 || !rq->vgpr_limit || rq->vgpr_limit > ISA_VGPRS)
        return lift_fail(l, -EINVAL, "unknown architecture, wave size, host level or VGPR limit");
    if (!rq->entry_count || !rq->entries) return lift_fail(l, -EINVAL, "no entries");
    for (unsigned i = 0; i < rq->entry_count; i++)
        if (rq->entries[i] % 4 || rq->entries[i] >= rq->size)
            return lift_fail(l, -EINVAL, "an entry outside the code");
    return 0;
}

/* "NAME:count NAME:count", as many as fit. */
static void list_missing(struct lift *l) {
    size_t at = 0;
    for (unsigned i = 0; i < l->missing_count; i++) {
        int n = snprintf(l->out->unlifted + at, sizeof l->out->unlifted - at, "%s%s:%u",
                         at ? " " : "", l->missing[i].name, l->missing[i].count);
        if (n < 0 || (size_t)n >= sizeof l->out->unlifted - at) {
            l->out->unlifted[at] = 0;
            return;
        }
        at += (size_t)n;
    }
}

int lift_code(const struct lift_request *rq, struct lift_result *out) {
    memset(out, 0, sizeof *out);
    struct lift *l = calloc(1, sizeof *l);
    if (!l) return -ENOMEM;
    l->rq = rq;
    l->out = out;
    l->halves = rq->wave_size / 32;
    l->gfx12 = rq->arch == ISA_GFX12;
    int err = check(l);
    if (!err) err = lift_llvm_open(l);
    if (!err) err = lift_decode(l);
    if (!err) err = lift_graph(l);
    if (!err) err = lift_emit(l);
    if (!err) err = lift_llvm_finish(l);
    list_missing(l);
    lift_llvm_close(l);
    lift_code_free(l);
    free(l);
    if (err) lift_result_free(out);
    return err;
}

void lift_result_free(struct lift_result *r) {
    free(r->object);
    r->object = NULL;
    r->object_size = 0;
}
