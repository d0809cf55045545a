/* SPDX-License-Identifier: MIT */
/* rawcl.h - the header that every program includes first: clang's own, and what it lacks. Served
 * by the worker from memory. */
#include "clang-opencl-c-base.h"

/* The aligned forms of one element are the same as the plain ones; the specification leaves them
 * out, programs use them (OpenCL-Docs issue 648). */
#define vloada_half      vload_half
#define vstorea_half     vstore_half
#define vstorea_half_rte vstore_half_rte
#define vstorea_half_rtz vstore_half_rtz
#define vstorea_half_rtp vstore_half_rtp
#define vstorea_half_rtn vstore_half_rtn
