/* SPDX-License-Identifier: MIT */
/* exec.h - shared by the executor files exec_*.c, which are compiled once per host level
 * (SEM_SUFFIX, see sem.h). Each binds the instructions of its formats: it picks an xfn and fills
 * the xinst. */
#ifndef RAWCL_ISA_EXEC_H
#define RAWCL_ISA_EXEC_H

#include <string.h>

#include "driver/emulator/isa/vec.h"
#include "driver/emulator/isa/wave.h"

/* Declares the executor of an instruction: runs x for w, returns the next instruction. */
#define EXEC(name) const struct xinst *name(struct wave *w, const struct xinst *x)

/* Goes on with instruction n. clang makes it a jump, so that every executor has its own indirect
 * branch; without musttail the loop in exec_run does it. */
#if defined(__clang__) && !defined(ISA_NO_TAIL_CALLS)
#define GO(w, n)                                                                                   \
    do {                                                                                           \
        const struct xinst *go_ = (n);                                                             \
        __attribute__((musttail)) return go_->fn((w), go_);                                        \
    } while (0)
#else
#define GO(w, n)                                                                                   \
    do {                                                                                           \
        (void)(w);                                                                                 \
        return (n);                                                                                \
    } while (0)
#endif
#define NEXT(w, x) GO(w, (x) + (x)->len)

/* What the bind functions work on. */
struct binding {
    struct isa_group *g;
    struct code_page *page;
    const struct isa_inst *in;
    struct xinst *x;
    uint64_t va;
    const char *why; /* set when refusing */
    bool unimplemented;
};

/* Refuse the instruction: when executed it stops the group with this text (a literal). */
bool SEM_SYM(exec_refuse)(struct binding *b, const char *why);
bool SEM_SYM(exec_refuse_unimplemented)(struct binding *b, const char *why);

/* True: bound. False: refused, or (why NULL) not an instruction of that file. */
bool SEM_SYM(exec_bind_salu)(struct binding *b);
bool SEM_SYM(exec_bind_flow)(struct binding *b);
bool SEM_SYM(exec_bind_smem)(struct binding *b);
bool SEM_SYM(exec_bind_valu)(struct binding *b);
bool SEM_SYM(exec_bind_lane)(struct binding *b);
bool SEM_SYM(exec_bind_lds)(struct binding *b);
bool SEM_SYM(exec_bind_flat)(struct binding *b);
bool SEM_SYM(exec_bind_buffer)(struct binding *b);
bool SEM_SYM(exec_bind_interp)(struct binding *b);
bool SEM_SYM(exec_bind_image)(struct binding *b);

/* Fills source i of b->x from an operand code; false: refused. `bits` is the operand's width. */
bool SEM_SYM(exec_bind_source)(struct binding *b, unsigned i, unsigned code, enum sem_type type);
/* A VGPR operand of n dwords starting at reg: within the allocation? */
bool SEM_SYM(exec_bind_vgprs)(struct binding *b, unsigned reg, unsigned n);
unsigned SEM_SYM(exec_type_dwords)(enum sem_type type);

/* SGPR destination: NULL goes to the scrap slots. */
static inline uint16_t exec_sdst(unsigned code) {
    return code == ISA_SRC_NULL ? ISA_SREG_SCRAP : (uint16_t)code;
}

static inline uint64_t exec_sgpr64(const struct wave *w, unsigned reg) {
    return w->s[reg] | (uint64_t)w->s[reg + 1] << 32;
}

/* Scalar value of source i. */
static inline uint32_t exec_s32(const struct wave *w, const struct xinst *x, unsigned i) {
    if (x->k[i] == SRC_SGPR) return w->s[x->s[i]];
    return x->k[i] == SRC_SCC ? w->scc : (uint32_t)x->s[i];
}

static inline uint64_t exec_s64(const struct wave *w, const struct xinst *x, unsigned i) {
    if (x->k[i] == SRC_SGPR) return exec_sgpr64(w, (unsigned)x->s[i]);
    return x->k[i] == SRC_SCC ? w->scc : x->s[i];
}

static inline uint64_t exec_mask64(const struct wave *w, unsigned reg) {
    return w->g->halves == 2 ? exec_sgpr64(w, reg) : w->s[reg];
}

static inline vu32 *exec_vgpr(const struct wave *w, unsigned half, unsigned reg) {
    return w->v + half * ISA_VGPRS + reg;
}

/* Writes the lanes of mask. */
static inline void exec_write_lanes(vu32 *dst, const vu32 *src, uint32_t mask) {
    *dst = vec_select(mask, *src, *dst);
}

#endif
