/* SPDX-License-Identifier: MIT */
/* kernel_image.h - loads a code object that the build made with clang and lld, and prepares a
 * dispatch of one of its kernels. Tests only: trusts the file. */
#ifndef RAWCL_TESTS_ISA_KERNEL_IMAGE_H
#define RAWCL_TESTS_ISA_KERNEL_IMAGE_H

#include "tests/isa/fake_gpu.h"

struct kernel_image {
    uint8_t *file;
    size_t file_size;
    uint64_t va; /* load address */
};

/* Maps the loadable segments at va. False: the file cannot be read. */
bool kernel_image_load(struct kernel_image *k, struct fake_gpu *f, const char *path, uint64_t va);
void kernel_image_free(struct kernel_image *k);
/* Fills arch-independent fields of d from the kernel descriptor of `name`: entry, RSRC words, user
 * data (dispatch pointer etc. zero, kernarg pointer set). False: no such kernel. */
bool kernel_image_dispatch(const struct kernel_image *k, const struct fake_gpu *f, const char *name,
                           uint64_t kernarg_va, struct isa_dispatch *d);
/* The executable segment: its bytes, address and size. */
const uint8_t *kernel_image_text(const struct kernel_image *k, const struct fake_gpu *f,
                                 uint64_t *va, uint64_t *size);

#endif
