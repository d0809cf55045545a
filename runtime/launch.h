/* SPDX-License-Identifier: MIT */
/* launch.h - from a checked NDRange to a dispatch: work-group shape, kernel arguments, local
 * memory, printf buffer.
 */
#ifndef RAWCL_RUNTIME_LAUNCH_H
#define RAWCL_RUNTIME_LAUNCH_H

#include "runtime/device.h"
#include "runtime/event.h"
#include "runtime/kernel.h"

struct ndrange {
    cl_uint dims;
    uint64_t offset[3];
    uint32_t global[3], local[3]; /* 1 beyond dims */
};

struct launch {
    struct code *code; /* referenced */
    const struct co_kernel *info;
    cl_sampler samplers[DEVICE_MAX_SAMPLERS]; /* referenced */
    cl_uint sampler_count;
    struct am_mem *printf_buffer; /* NULL: the kernel prints nothing */
    struct am_dispatch dispatch;
    _Alignas(16) uint8_t kernargs[]; /* info->kernarg_size bytes */
};

/* Chooses a local size for global (both 3 wide): a multiple of the wave where possible; with
 * uniform it divides global in every dimension. */
void launch_choose_local(const uint32_t global[3], cl_uint dims, uint32_t max, uint32_t wave,
                         bool uniform, uint32_t local[3]);
/* Places the hidden arguments of a kernel into kernargs. printf_va: 0 if there is no buffer. */
void launch_fill_hidden(const struct co_kernel *info, const struct ndrange *nd,
                        uint32_t dynamic_lds, uint64_t printf_va, uint8_t *kernargs);

/* Captures kernel, arguments and shape into the command ev (memory objects included). 0 or
 * -errno. */
int launch_capture(cl_event ev, cl_kernel kernel, struct code *code, const struct co_kernel *info,
                   const struct ndrange *nd);
extern const struct cmd_ops launch_ops;

#endif
