/* SPDX-License-Identifier: MIT */
/* worker_lift.h - the emulated GPU's code to host code, inside the worker. */
#ifndef RAWCL_COMPILER_WORKER_LIFT_H
#define RAWCL_COMPILER_WORKER_LIFT_H

#include "compiler/wire.h"

/* request: a struct jit_request (driver/emulator/isa/jit_request.h) and what follows it. On
 * COMPILER_OK the binary is a struct jit_reply and its object. */
void worker_lift_run(const void *request, size_t size, struct wire_result *result);

#endif
