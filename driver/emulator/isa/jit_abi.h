/* SPDX-License-Identifier: MIT */
/* jit_abi.h - the seam between compiled code and the interpreter: what a shared object that the
 * lifter (lift.h) made exports, and what the interpreter (jit_run.c) gives it.
 *
 * The object has no undefined symbols and one exported one, `rawcl_jit`, a struct jit_object. Its
 * code is position independent in two ways: on the host, and in the GPU's address space, which it
 * learns at run time (`base`). It was made for one arch, wave size, VGPR limit, host level, MODE
 * and pair of apertures; jit_object repeats them, and the interpreter runs it only where they hold.
 */
#ifndef RAWCL_ISA_JIT_ABI_H
#define RAWCL_ISA_JIT_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "driver/emulator/isa/wave.h"

#define JIT_SYMBOL "rawcl_jit"
enum { JIT_MAGIC = 0x4a434c52, JIT_VERSION = 2 };

/* Bits of MODE that code is specialised on: rounding, denormals, DX10_CLAMP, IEEE. */
enum { JIT_MODE_BITS = 0x3ff };

enum jit_host { JIT_HOST_BASE, JIT_HOST_V3, JIT_HOST_V4 }; /* x86-64 levels, as isa_variant names */

/* Services of the interpreter, for what compiled code does not do itself. */
struct jit_helpers {
    /* Runs the instruction at `va` on the registers in w (the caller has stored those that it reads
     * and loads those that it writes). 0: done. Else the wave stops or goes elsewhere: the caller
     * stores what it keeps in host registers and returns JIT_LEFT. */
    uint32_t (*step)(struct wave *w, uint64_t va);
};

/* What a jit_fn returns instead of an address: w->exit and w->pc say how to go on. */
#define JIT_LEFT UINT64_C(1)
/* The same: the wave has reached s_endpgm; its registers in memory are as they were at the call
 * unless w->g->touched. */
#define JIT_ENDED UINT64_C(2)

/* Runs w from entry `number` on; base: GPU address of the code's byte 0. Returns the address of the
 * instruction that the interpreter is to run next, JIT_LEFT or JIT_ENDED. */
typedef uint64_t jit_fn(struct wave *w, const struct jit_helpers *h, uint64_t base,
                        uint32_t number);

/* A place where control may enter compiled code. */
struct jit_entry {
    jit_fn *fn;
    uint32_t offset; /* byte offset of its first instruction in the code */
    uint32_t number; /* what to pass to fn */
};

struct jit_object {
    uint32_t magic, version; /* JIT_MAGIC, JIT_VERSION */
    uint64_t layout;         /* jit_layout() of the maker */
    uint32_t arch;           /* enum isa_arch */
    uint32_t wave_size, host, mode, vgpr_limit;
    uint32_t entry_count;
    uint64_t shared_aperture, private_aperture;
    uint64_t code_size;              /* bytes of GPU code that it was made from */
    const struct jit_entry *entries; /* sorted by offset */
};

/* Compiled code touches these structures at fixed offsets: the number changes when they move. */
static inline uint64_t jit_layout(void) {
    const uint64_t at[] = {sizeof(struct wave),
                           offsetof(struct wave, g),
                           offsetof(struct wave, v),
                           offsetof(struct wave, budget),
                           offsetof(struct wave, scc),
                           offsetof(struct wave, s),
                           offsetof(struct wave, scratch_base),
                           offsetof(struct isa_group, lds),
                           offsetof(struct isa_group, lds_bytes),
                           offsetof(struct isa_group, segments),
                           sizeof(struct segment_cache),
                           sizeof(struct isa_segment),
                           offsetof(struct isa_segment, va),
                           offsetof(struct isa_segment, size),
                           offsetof(struct isa_segment, host),
                           offsetof(struct isa_segment, access),
                           ISA_VGPRS,
                           ISA_LDS_PAD};
    uint64_t h = JIT_VERSION;
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
        h = (h ^ at[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return h;
}

#endif
