/* SPDX-License-Identifier: MIT */
/* worker_printf.h - what printf calls need before the back end binds them to the buffer. */
#ifndef RAWCL_COMPILER_WORKER_PRINTF_H
#define RAWCL_COMPILER_WORKER_PRINTF_H

#include <llvm-c/Types.h>

/* Puts constant strings that are printed with %s into the format text. OpenCL C 6.15.14 allows only
 * literals there. LLVM 22's AMDGPUPrintfRuntimeBinding records one size for a string whose length
 * is a multiple of four and stores another, so that every later argument would be read from the
 * wrong place; folded, nothing is stored at all. Calls that are not understood are left alone. */
void worker_printf_fold_strings(LLVMContextRef ctx, LLVMModuleRef module);

#endif
