/* SPDX-License-Identifier: MIT */
/* sem_valu_dot.c - dot products and mixed precision multiply-adds.
 * Source: AMD RDNA3 and RDNA4 ISA guides, VOP3P. The guides add the products one after another to
 * the third operand; each step here is one rounding (the products of two narrow floats are exact,
 * or fused). Hardware may keep more bits between the steps: the last place can differ. */
#include "driver/emulator/isa/sem_fp8.h"

/* --- float --- */

VFN(v_dot2_f32_f16) {
    const vu32 x = a[0], y = b[0];
    const vu32 r = fma32(widen_f16(in16(x, e)), widen_f16(in16(y, e)), in32(c[0], e), e);
    d[0] = fma32(widen_f16(in16(x >> 16, e)), widen_f16(in16(y >> 16, e)), r, e);
}

VFN(v_dot2_f16_f16) {
    const vu32 x = a[0], y = b[0];
    const vu32 r = fma16(in16(x, e), in16(y, e), in16(c[0], e), e);
    d[0] = fma16(in16(x >> 16, e), in16(y >> 16, e), r, e);
}

static inline vu32 dot2_bf16(vu32 x, vu32 y, vu32 z, const struct sem_env *e) {
    const vu32 x0 = in32(widen_bf16(x), e), x1 = in32(x & 0xffff0000u, e);
    const vu32 y0 = in32(widen_bf16(y), e), y1 = in32(y & 0xffff0000u, e);
    return fma32(x1, y1, fma32(x0, y0, z, e), e);
}

VFN(v_dot2_f32_bf16) {
    d[0] = dot2_bf16(a[0], b[0], in32(c[0], e), e);
}
VFN(v_dot2_bf16_bf16) {
    d[0] = narrow_bf16(dot2_bf16(a[0], b[0], in32(widen_bf16(c[0]), e), e));
}

#define DOT4_F8(name, WX, WY)                                                                      \
    VFN(name) {                                                                                    \
        const vu32 x = a[0], y = b[0];                                                             \
        vu32 r = in32(c[0], e);                                                                    \
        SEM_UNROLL                                                                                 \
        for (unsigned i = 0; i < 4; i++)                                                           \
            r = fma32(WX(x >> 8 * i & 0xffu), WY(y >> 8 * i & 0xffu), r, e);                       \
        d[0] = r;                                                                                  \
    }
DOT4_F8(v_dot4_f32_fp8_fp8, widen_fp8, widen_fp8)
DOT4_F8(v_dot4_f32_fp8_bf8, widen_fp8, widen_bf8)
DOT4_F8(v_dot4_f32_bf8_fp8, widen_bf8, widen_fp8)
DOT4_F8(v_dot4_f32_bf8_bf8, widen_bf8, widen_bf8)

/* --- integer; the clamp bit saturates the final sum --- */

/* Field i of `width` bits, extended by its sign where `is_signed`. */
static inline vu32 field(vu32 x, unsigned i, unsigned width, bool is_signed) {
    const vu32 top = x << (32 - width * (i + 1));
    return is_signed ? (vu32)((vi32)top >> (int)(32 - width)) : top >> (32 - width);
}

static inline vu32 dot_sum(vu32 x, vu32 y, unsigned width, bool sx, bool sy) {
    vu32 r = splat(0);
    SEM_UNROLL
    for (unsigned i = 0; i < 32 / width; i++)
        r += field(x, i, width, sx) * field(y, i, width, sy);
    return r;
}

/* Bit n of neg: operand n is signed. */
static inline void dot_iu(vu32 *d, vu32 x, vu32 y, vu32 z, unsigned width,
                          const struct sem_env *e) {
    const vu32 s = dot_sum(x, y, width, e->neg & 1, e->neg & 2);
    const vu32 r = s + z;
    const vi32 overflow = (vi32)(~(s ^ z) & (s ^ r)) >> 31;
    d[0] = SEM_CLAMP(e) ? sel(overflow, (vu32)((vi32)z >> 31) ^ 0x7fffffffu, r) : r;
}
VFN(v_dot4_i32_iu8) {
    dot_iu(d, a[0], b[0], c[0], 8, e);
}
VFN(v_dot8_i32_iu4) {
    dot_iu(d, a[0], b[0], c[0], 4, e);
}

static inline void dot_u(vu32 *d, vu32 x, vu32 y, vu32 z, unsigned width, const struct sem_env *e) {
    const vu32 r = dot_sum(x, y, width, false, false) + z;
    d[0] = SEM_CLAMP(e) ? r | (vu32)u_lt(r, z) : r;
}
VFN(v_dot4_u32_u8) {
    dot_u(d, a[0], b[0], c[0], 8, e);
}
VFN(v_dot8_u32_u4) {
    dot_u(d, a[0], b[0], c[0], 4, e);
}

/* --- v_fma_mix --- */

/* Operand i: binary32, or a half where op_sel_hi says so (op_sel: the upper one). neg_hi is the
 * absolute value here. */
static inline vu32 mix_source(const vu32 *s, unsigned i, const struct sem_env *e) {
    const vu32 half = in16(pick(e->op_sel >> i & 1, s[0] >> 16, s[0]), e);
    const vu32 x = pick(e->op_sel_hi >> i & 1, widen_f16(half), in32(s[0], e));
    const uint32_t keep = e->neg_hi >> i & 1 ? 0x7fffffffu : 0xffffffffu;
    return (x & keep) ^ ((uint32_t)(e->neg >> i & 1) << 31);
}
static inline vu32 mix(const vu32 *a, const vu32 *b, const vu32 *c, const struct sem_env *e) {
    const vu32 x = mix_source(a, 0, e), y = mix_source(b, 1, e), z = mix_source(c, 2, e);
    const vu32 r = fma32(x, y, z, e);
#ifdef SEM_LIFT /* LLVM takes a negation of z into the product and loses it where z is NaN */
    return sel(isnan32(z) & ~isnan32(x) & ~isnan32(y), quiet32(z), r);
#else
    return r;
#endif
}

VFN(v_fma_mix_f32) {
    d[0] = mix(a, b, c, e);
}
/* v_fma_mixlo_f16 and v_fma_mixhi_f16: the caller writes the half. */
VFN(v_fma_mixlo_f16) {
    d[0] = out16(narrow_f16(mix(a, b, c, e), SEM_ROUND64_16(e)), e);
}
