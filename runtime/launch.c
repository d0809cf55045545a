/* SPDX-License-Identifier: MIT */
#include "runtime/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/device.h"
#include "runtime/image.h"
#include "runtime/mem.h"
#include "runtime/printf.h"
#include "runtime/queue.h"
#include "runtime/sampler.h"

/* ---- work-group shape ---- */

/* The largest divisor of n that is at most limit. */
static uint32_t divisor(uint32_t n, uint32_t limit) {
    if (limit >= n) return n;
    for (uint32_t d = limit; d > 1; d--)
        if (n % d == 0) return d;
    return 1;
}

void launch_choose_local(const uint32_t global[3], cl_uint dims, uint32_t max, uint32_t wave,
                         bool uniform, uint32_t local[3]) {
    /* Enough waves to hide latency, few enough to spread over the compute units. */
    uint32_t budget = max < 256 ? max : 256;

    for (int i = 0; i < 3; i++)
        local[i] = 1;
    for (cl_uint i = 0; i < dims; i++) {
        uint32_t limit = budget;
        if (dims > 1 && i == 0 && limit > 64 && global[1] > 1) limit = 64; /* squarer tiles */
        uint32_t d = divisor(global[i], limit);
        /* A size with no good divisor: groups at the edge are partial, where that is allowed. */
        if (!uniform && d < limit / 4 && global[i] > limit && d < wave) d = limit;
        local[i] = d;
        budget /= d;
        if (budget == 0) budget = 1;
    }
}

/* ---- arguments ---- */

static void put(uint8_t *kernargs, const struct co_arg *a, uint64_t value) {
    memcpy(kernargs + a->offset, &value, a->size < 8 ? a->size : 8);
}

static uint64_t hidden_value(enum co_arg_kind kind, const struct ndrange *nd, uint32_t dynamic_lds,
                             uint64_t printf_va) {
    switch (kind) {
    case CO_ARG_HIDDEN_GLOBAL_OFFSET_X:
    case CO_ARG_HIDDEN_GLOBAL_OFFSET_Y:
    case CO_ARG_HIDDEN_GLOBAL_OFFSET_Z:
        return nd->offset[kind - CO_ARG_HIDDEN_GLOBAL_OFFSET_X];
    case CO_ARG_HIDDEN_BLOCK_COUNT_X:
    case CO_ARG_HIDDEN_BLOCK_COUNT_Y:
    case CO_ARG_HIDDEN_BLOCK_COUNT_Z: {
        int i = kind - CO_ARG_HIDDEN_BLOCK_COUNT_X; /* complete work-groups only */
        return nd->global[i] / nd->local[i];
    }
    case CO_ARG_HIDDEN_GROUP_SIZE_X:
    case CO_ARG_HIDDEN_GROUP_SIZE_Y:
    case CO_ARG_HIDDEN_GROUP_SIZE_Z:
        return nd->local[kind - CO_ARG_HIDDEN_GROUP_SIZE_X];
    case CO_ARG_HIDDEN_REMAINDER_X:
    case CO_ARG_HIDDEN_REMAINDER_Y:
    case CO_ARG_HIDDEN_REMAINDER_Z: {
        int i = kind - CO_ARG_HIDDEN_REMAINDER_X;
        return nd->global[i] % nd->local[i];
    }
    case CO_ARG_HIDDEN_GRID_DIMS:
        return nd->dims;
    case CO_ARG_HIDDEN_PRINTF_BUFFER:
        return printf_va;
    case CO_ARG_HIDDEN_DYNAMIC_LDS_SIZE:
        return dynamic_lds;
    default:
        return 0; /* services that do not exist here: null pointers */
    }
}

void launch_fill_hidden(const struct co_kernel *info, const struct ndrange *nd,
                        uint32_t dynamic_lds, uint64_t printf_va, uint8_t *kernargs) {
    for (uint32_t i = info->explicit_arg_count; i < info->arg_count; i++) {
        const struct co_arg *a = &info->args[i];
        if (a->kind == CO_ARG_HIDDEN_NONE) continue;
        put(kernargs, a, hidden_value(a->kind, nd, dynamic_lds, printf_va));
    }
}

/* What a kernel gets: the address, of an image the address of its descriptor. */
static uint64_t mem_argument(cl_mem mem, int device_index) {
    return mem->image ? image_descriptor_va(mem, device_index) : mem_va(mem, device_index);
}

/* Explicit arguments; returns the local memory of a group in bytes. */
static uint32_t fill_explicit(cl_event ev, cl_kernel kernel, const struct co_kernel *info,
                              uint8_t *kernargs) {
    uint64_t lds = info->group_segment_fixed;
    cl_uint used = 0;

    for (uint32_t i = 0; i < info->explicit_arg_count; i++) {
        const struct co_arg *a = &info->args[i];
        const struct kernel_arg *arg = &kernel->args[i];
        if (a->kind == CO_ARG_BY_VALUE) {
            memcpy(kernargs + a->offset, arg->value, a->size);
        } else if (a->kind == CO_ARG_DYNAMIC_SHARED_POINTER) {
            uint64_t align = a->pointee_align ? a->pointee_align : 16;
            lds = (lds + align - 1) / align * align;
            put(kernargs, a, lds);
            lds += arg->local_size;
        } else if (arg->mem) {
            put(kernargs, a, mem_argument(arg->mem, ev->queue->device_index));
            event_use_mem(ev, used++, arg->mem);
        } else if (arg->sampler) {
            put(kernargs, a, sampler_descriptor_va(arg->sampler, ev->queue->device_index));
            ev->u.launch->samplers[ev->u.launch->sampler_count++] = obj_get(arg->sampler);
        } else {
            put(kernargs, a, arg->pointer);
        }
    }
    ev->mem_count = used;
    return (uint32_t)lds;
}

static bool wants_printf(const struct launch *l) {
    if (!l->code->co->printf_count) return false;
    for (uint32_t i = l->info->explicit_arg_count; i < l->info->arg_count; i++)
        if (l->info->args[i].kind == CO_ARG_HIDDEN_PRINTF_BUFFER) return true;
    return false;
}

/* Scratch of kernels whose depth the compiler does not know (recursion, calls through pointers). */
#define DYNAMIC_STACK_BYTES 16384u

int launch_capture(cl_event ev, cl_kernel kernel, struct code *code, const struct co_kernel *info,
                   const struct ndrange *nd) {
    struct launch *l = calloc(1, sizeof *l + info->kernarg_size + 8);

    if (!l) return -ENOMEM;
    ev->u.launch = l;
    l->code = code_get(code);
    l->info = info;
    if (wants_printf(l)) {
        l->printf_buffer = printf_take_buffer(ev->queue->device);
        if (!l->printf_buffer) return -ENOMEM;
        ev->node.host_step = true;
    }
    uint32_t lds = fill_explicit(ev, kernel, info, l->kernargs);
    launch_fill_hidden(info, nd, lds - info->group_segment_fixed,
                       l->printf_buffer ? l->printf_buffer->va : 0, l->kernargs);
    uint32_t scratch = info->private_segment_fixed;
    if (info->dynamic_stack && scratch < DYNAMIC_STACK_BYTES) scratch = DYNAMIC_STACK_BYTES;
    l->dispatch = (struct am_dispatch){
        .kernel_descriptor = code->co->image + info->descriptor_vaddr,
        .kernel_descriptor_va = code->mem->va + info->descriptor_vaddr,
        .kernel_name = info->name,
        .dims = nd->dims,
        .group_segment_bytes = lds,
        .private_segment_bytes = scratch,
        .kernargs = l->kernargs,
        .kernargs_bytes = info->kernarg_size,
    };
    for (int i = 0; i < 3; i++) {
        l->dispatch.grid[i] = nd->global[i];
        l->dispatch.group[i] = (uint16_t)nd->local[i];
    }
    return 0;
}

/* ---- the command ---- */

static int launch_submit(cl_event cmd, const struct am_fence *waits, size_t nwaits,
                         struct am_fence *out) {
    return am_submit_dispatch(cmd->queue->device->am, waits, nwaits, &cmd->u.launch->dispatch, out);
}

static int launch_finish(cl_event cmd, int rc) {
    struct launch *l = cmd->u.launch;

    /* Also after a fault: what was printed until then helps to find it. */
    if (l->printf_buffer) printf_flush(l->code->co, l->printf_buffer->cpu);
    return rc;
}

static void launch_release(cl_event cmd) {
    struct launch *l = cmd->u.launch;

    if (!l) return;
    if (l->printf_buffer) printf_give_buffer(cmd->queue->device, l->printf_buffer);
    for (cl_uint i = 0; i < l->sampler_count; i++)
        obj_put(l->samplers[i]);
    code_put(l->code);
    free(l);
}

const struct cmd_ops launch_ops = {.name = "a kernel",
                                   .submit = launch_submit,
                                   .finish = launch_finish,
                                   .release = launch_release};
