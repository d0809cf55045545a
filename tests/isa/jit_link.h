/* SPDX-License-Identifier: MIT */
/* jit_link.h - lifts, links and maps code in the process of a test. */
#ifndef RAWCL_TESTS_ISA_JIT_LINK_H
#define RAWCL_TESTS_ISA_JIT_LINK_H

#include "driver/emulator/isa/lift.h"

/* The level that the interpreter picked. */
enum jit_host jit_link_host(void);
/* Compiles and maps; the object stays mapped until the process ends. NULL: *r holds the error. */
const struct jit_object *jit_link(const struct lift_request *rq, struct lift_result *r);

#endif
