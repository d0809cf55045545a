/* SPDX-License-Identifier: MIT */
/* worker_header.c - clang's OpenCL header inside the worker, so that no installed clang is needed
 * at run time. RAWCL_BASE_HEADER is its path at build time. */
#include <stddef.h>

extern const char worker_base_header[], worker_base_header_end[];

__asm__(".section .rodata\n"
        ".global worker_base_header\n"
        ".global worker_base_header_end\n"
        "worker_base_header:\n"
        ".incbin \"" RAWCL_BASE_HEADER "\"\n"
        "worker_base_header_end:\n"
        ".byte 0\n"
        ".previous\n");
