/* SPDX-License-Identifier: MIT */
/* exec_bind.c - picks the executor of a decoded instruction; operands common to all formats. */
#include "driver/emulator/isa/exec.h"
#include "driver/emulator/isa/jit_abi.h"

static EXEC(illegal) {
    return isa_stop_illegal(w, x, x->sub, (const char *)(uintptr_t)x->aux);
}

bool SEM_SYM(exec_refuse)(struct binding *b, const char *why) {
    b->why = why;
    b->unimplemented = false;
    return false;
}

bool SEM_SYM(exec_refuse_unimplemented)(struct binding *b, const char *why) {
    b->why = why;
    b->unimplemented = true;
    return false;
}

unsigned SEM_SYM(exec_type_dwords)(enum sem_type type) {
    switch (type) {
    case SEM_NONE:
    case SEM_MASK:
        return 0;
    case SEM_B64:
    case SEM_U64:
    case SEM_I64:
    case SEM_F64:
    case SEM_PKF32:
        return 2;
    case SEM_B96:
        return 3;
    case SEM_B128:
        return 4;
    case SEM_B256:
        return 8;
    default:
        return 1;
    }
}

/* Inline float constants, codes 240..248: 0.5 -0.5 1 -1 2 -2 4 -4 1/(2 pi). Integer operands of 16
 * and 2x16 bits get the 32-bit pattern, as 32-bit ones do. */
static uint64_t inline_float(unsigned i, enum sem_type type) {
    static const uint16_t f16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                   0xc000, 0x4400, 0xc400, 0x3118};
    static const uint32_t f32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                   0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    static const uint64_t f64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                   0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                   0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
    switch (type) {
    case SEM_F16:
    case SEM_B16:
    case SEM_PKF16: /* the low half; the high one is 0 */
        return f16[i];
    case SEM_BF16:
        return f32[i] >> 16;
    case SEM_B64:
    case SEM_U64:
    case SEM_I64:
    case SEM_F64:
        return f64[i];
    default:
        return f32[i];
    }
}

static uint64_t literal_value(uint32_t literal, enum sem_type type) {
    if (type == SEM_F64) return (uint64_t)literal << 32;
    if (type == SEM_I64) return (uint64_t)(int64_t)(int32_t)literal;
    return literal;
}

static bool is_64_bit(enum sem_type type) {
    return SEM_SYM(exec_type_dwords)(type) == 2;
}

bool SEM_SYM(exec_bind_vgprs)(struct binding *b, unsigned reg, unsigned n) {
    if (reg + n <= b->g->vgpr_limit) return true;
    return SEM_SYM(exec_refuse)(b, "VGPR beyond the number allocated by COMPUTE_PGM_RSRC1");
}

bool SEM_SYM(exec_bind_source)(struct binding *b, unsigned i, unsigned code, enum sem_type type) {
    struct xinst *x = b->x;
    const struct isa_dispatch *d = &b->g->d;
    if (code >= ISA_SRC_VGPR0) {
        x->k[i] = SRC_VGPR;
        x->s[i] = code - ISA_SRC_VGPR0;
        return true; /* the caller checks the range: true16 halves come first */
    }
    x->k[i] = SRC_IMM;
    if (code == ISA_SRC_NULL)
        x->s[i] = 0;
    else if (code < ISA_SRC_INT0)
        x->k[i] = SRC_SGPR, x->s[i] = code;
    else if (code <= 192)
        x->s[i] = code - 128;
    else if (code <= 208)
        x->s[i] = (uint64_t)(int64_t)(192 - (int)code);
    else if (code == ISA_SRC_SHARED_BASE)
        x->s[i] = d->shared_aperture;
    else if (code == ISA_SRC_SHARED_LIMIT)
        x->s[i] = d->shared_aperture | UINT32_MAX;
    else if (code == ISA_SRC_PRIVATE_BASE)
        x->s[i] = d->private_aperture;
    else if (code == ISA_SRC_PRIVATE_LIMIT)
        x->s[i] = d->private_aperture | UINT32_MAX;
    else if (code >= ISA_SRC_FLOAT0 && code <= 248)
        x->s[i] = inline_float(code - ISA_SRC_FLOAT0, type);
    else if (code == ISA_SRC_SCC)
        x->k[i] = SRC_SCC;
    else if (code == ISA_SRC_LITERAL && b->in->has_literal)
        x->s[i] = literal_value(b->in->literal, type);
    else
        return SEM_SYM(exec_refuse)(b, "source operand code that means nothing here");
    /* A read of a 32-bit half of an aperture gives its upper half: the low one is zero. */
    if (code >= ISA_SRC_SHARED_BASE && code <= ISA_SRC_PRIVATE_LIMIT && !is_64_bit(type))
        x->s[i] >>= 32;
    return true;
}

static bool bind_format(struct binding *b) {
    switch ((enum isa_format)b->in->op->format) {
    case ISA_FMT_SOP1:
    case ISA_FMT_SOP2:
    case ISA_FMT_SOPC:
    case ISA_FMT_SOPK:
    case ISA_FMT_SOPP:
        return SEM_SYM(exec_bind_flow)(b) || (!b->why && SEM_SYM(exec_bind_salu)(b));
    case ISA_FMT_SMEM:
        return SEM_SYM(exec_bind_smem)(b);
    case ISA_FMT_VOP1:
    case ISA_FMT_VOP2:
    case ISA_FMT_VOPC:
    case ISA_FMT_VOP3:
    case ISA_FMT_VOP3P:
    case ISA_FMT_VOP3SD:
    case ISA_FMT_VOPD:
        return SEM_SYM(exec_bind_lane)(b) || (!b->why && SEM_SYM(exec_bind_valu)(b));
    case ISA_FMT_DS:
        return SEM_SYM(exec_bind_lds)(b);
    case ISA_FMT_FLAT:
    case ISA_FMT_GLOBAL:
    case ISA_FMT_SCRATCH:
    case ISA_FMT_VFLAT:
    case ISA_FMT_VGLOBAL:
    case ISA_FMT_VSCRATCH:
        return SEM_SYM(exec_bind_flat)(b);
    case ISA_FMT_MUBUF:
    case ISA_FMT_MTBUF:
    case ISA_FMT_VBUFFER:
        return SEM_SYM(exec_bind_buffer)(b);
    case ISA_FMT_VINTERP:
        return SEM_SYM(exec_bind_interp)(b);
    case ISA_FMT_MIMG:
    case ISA_FMT_VIMAGE:
    case ISA_FMT_VSAMPLE:
        return SEM_SYM(exec_bind_image)(b);
    default:
        return SEM_SYM(exec_refuse)(b, "graphics instruction in a compute wave");
    }
}

static void bind(struct isa_group *g, struct code_page *page, const struct isa_inst *inst,
                 struct xinst *x, uint64_t va) {
    struct binding b = {.g = g, .page = page, .in = inst, .x = x, .va = va};
    uint8_t len = x->len;
    if (bind_format(&b)) return;
    if (!b.why) SEM_SYM(exec_refuse_unimplemented)(&b, "not implemented yet");
    *x = (struct xinst){.fn = illegal, .len = len, .sub = b.unimplemented};
    x->aux = (uintptr_t)b.why;
}

static EXEC(decode_here) {
    /* The page belongs to this group, and only its thread runs it. */
    if (!isa_code_decode(w, (struct xinst *)x)) return NULL;
    GO(w, x);
}

static EXEC(cross_page) {
    x = isa_code_at(w, isa_code_pc(w, x));
    if (!x) return NULL;
    GO(w, x);
}

/* Where compiled code begins. Code for another MODE stays unused until the page is decoded anew. */
static EXEC(jit_enter) {
    if ((w->mode & JIT_MODE_BITS) != x->s[2]) {
        ((struct xinst *)x)->fn = decode_here;
        GO(w, x);
    }
    static const struct jit_helpers helpers = {.step = isa_step};
    jit_fn *fn = (jit_fn *)(uintptr_t)x->s[0];
    uint64_t next = fn(w, &helpers, x->s[1], (uint32_t)x->imm);
    if (next == JIT_LEFT) return NULL;
    if (next == JIT_ENDED) {
        if (isa_code_pc(w, x) == w->g->d.entry_va) w->g->direct_ends++;
        isa_wave_end(w);
        return isa_pause(w, x, EXIT_END);
    }
    x = isa_code_at(w, next);
    if (!x) return NULL;
    GO(w, x);
}

static EXEC(step_end) {
    (void)w, (void)x;
    return NULL;
}

static void run(struct wave *w) {
    const struct xinst *x = isa_code_at(w, w->pc);
    while (x)
        x = x->fn(w, x);
}

#define VARIANT_NAME2(s) #s
#define VARIANT_NAME(s)  VARIANT_NAME2(s)
const struct isa_variant SEM_SYM(isa_variant) = {
    .name = VARIANT_NAME(SEM_SUFFIX),
    .bind = bind,
    .decode_here = decode_here,
    .cross_page = cross_page,
    .illegal = illegal,
    .jit_enter = jit_enter,
    .step_end = step_end,
    .run = run,
};
