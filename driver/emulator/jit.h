/* SPDX-License-Identifier: MIT */
/* jit.h - which kernels are worth compiling, and when: between the dispatcher, the table of
 * compiled code (isa/jit_run.h) and the compiler, which is somebody else's
 * (emu_config.jit_compile).
 *
 * A kernel starts in the interpreter. When that has worked on it for 0.2 ms, the code that its
 * entry reaches by branching (functions that it calls are pieces of their own) is read and looked
 * up among what was compiled before; after 2 ms it is compiled, on a thread of this file's that
 * nobody waits for, also not a close. The answer is a shared object, mapped from a sealed anonymous
 * file; waves change over at their next slice. After an invalidation of instruction caches that may
 * matter, memory is compared with what was compiled. Equal code is compiled once, wherever it lies.
 * A compiler that fails is reported once; that code stays with the interpreter, and after three
 * failures in a row all of it.
 *
 * RAWCL_EMU_JIT=0: never; =sync: each kernel is compiled before its first wave, for tests.
 */
#ifndef RAWCL_EMULATOR_JIT_H
#define RAWCL_EMULATOR_JIT_H

#include "driver/emulator/engine_mem.h"
#include "driver/emulator/gpu.h"
#include "driver/emulator/isa/isa.h"

struct jit_kernel;

/* Nothing happens, and jit_begin returns NULL, without a compiler or when it is turned off. */
void jit_init(struct gpu *g);
/* Nobody waits for the compiler any more. */
void jit_quit(struct gpu *g);
/* No group exists any more. Returns at once also while something is being compiled. */
void jit_fini(struct gpu *g);

/* A dispatch begins: sets d->jit. Returns what to tell of its run, NULL when there is nothing to
 * learn from it. guard: the calling thread's, for the time in which code is read. */
struct jit_kernel *jit_begin(struct gpu *g, struct isa_dispatch *d, mem_guard *guard);
/* It ran for so many nanoseconds more. False: there is nothing more to learn from this dispatch. */
bool jit_ran(struct gpu *g, struct jit_kernel *k, const struct isa_dispatch *d, mem_guard *guard,
             uint64_t ns);

/* Instruction caches were invalidated after memory that may be code was written: what memory holds
 * is compared before compiled code is used again. Any thread. */
void jit_code_changed(struct gpu *g);

#endif
