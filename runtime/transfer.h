/* SPDX-License-Identifier: MIT */
/* transfer.h - moving bytes between application memory and the device through staging. */
#ifndef RAWCL_RUNTIME_TRANSFER_H
#define RAWCL_RUNTIME_TRANSFER_H

#include "runtime/event.h"

/* Moves t between host memory and device memory at va, blocking: chunks are copied by the CPU while
 * the engine moves the previous ones. 0 or -errno. */
int transfer_run(cl_device_id dev, uint64_t va, const struct cmd_transfer *t);
/* The same for plain bytes. */
int transfer_bytes(cl_device_id dev, uint64_t va, void *host, uint64_t size, bool to_device);
/* Read and write commands (payload u.transfer, memory object 0). */
extern const struct cmd_ops transfer_ops;
/* Chooses between a slot and a pipelined transfer; call before sched_enqueue. */
void transfer_plan(cl_event ev);
/* Submits a copy of rows: linear if it is one. */
int transfer_submit_rect(struct am_device *am, const struct am_fence *waits, size_t nwaits,
                         const struct am_rect *dst, const struct am_rect *src,
                         const uint64_t region[3], struct am_fence *out);

#endif
