/* SPDX-License-Identifier: MIT */
/* worker_header.c - the headers of OpenCL C inside the worker, so that no installed clang is needed
 * at run time. The macros are their paths at build time. */
#define EMBED(name, path)                                                                          \
    __asm__(".section .rodata\n"                                                                   \
            ".global " name "\n"                                                                   \
            ".global " name "_end\n" name ":\n"                                                    \
            ".incbin \"" path "\"\n" name "_end:\n"                                                \
            ".byte 0\n"                                                                            \
            ".previous\n")

EMBED("worker_clang_header", RAWCL_CLANG_HEADER); /* clang's opencl-c-base.h */
EMBED("worker_own_header", RAWCL_OWN_HEADER);     /* devicelib/rawcl.h */
