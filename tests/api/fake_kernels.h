/* SPDX-License-Identifier: MIT */
/* fake_kernels.h - kernels of the fake device: host functions with the names that the tests'
 * OpenCL sources use. */
#ifndef RAWCL_TESTS_API_FAKE_KERNELS_H
#define RAWCL_TESTS_API_FAKE_KERNELS_H

#include "driver/am.h"

/* 0, or -EIO for a kernel that faults or that nobody knows. */
int fake_kernel_run(const struct am_dispatch *d, const uint8_t *kernargs);

#endif
