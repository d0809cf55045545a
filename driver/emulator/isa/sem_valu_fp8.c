/* SPDX-License-Identifier: MIT */
/* sem_valu_fp8.c - conversions of gfx12 between binary32 and the 8-bit floats.
 * Source: AMD RDNA4 ISA guide, V_CVT_*_FP8 and V_CVT_*_BF8. They select bytes by op_sel. */
#include "driver/emulator/isa/sem_fp8.h"

/* The byte select bits of a source are reversed: op_sel 1 is byte 2. */
static inline vu32 selected_byte(vu32 x, const struct sem_env *e) {
    const unsigned byte = (e->op_sel & 1) << 1 | (e->op_sel >> 1 & 1);
    return x >> 8 * byte & 0xffu;
}

VFN(v_cvt_f32_fp8) {
    d[0] = widen_fp8(selected_byte(a[0], e));
}
VFN(v_cvt_f32_bf8) {
    d[0] = widen_bf8(selected_byte(a[0], e));
}

VFN(v_cvt_pk_f32_fp8) {
    const vu32 x = e->op_sel & 1 ? a[0] >> 16 : a[0];
    d[0] = widen_fp8(x & 0xffu);
    d[1] = widen_fp8(x >> 8 & 0xffu);
}
VFN(v_cvt_pk_f32_bf8) {
    const vu32 x = e->op_sel & 1 ? a[0] >> 16 : a[0];
    d[0] = widen_bf8(x & 0xffu);
    d[1] = widen_bf8(x >> 8 & 0xffu);
}

/* op_sel[3] chooses the half of the destination; the other one is kept. neg and abs of these rows
 * are the function's to apply, as for every row with SEM_OPSEL_SELF. */
static inline vu32 with_sign(vu32 x, const struct sem_env *e, unsigned i) {
    const uint32_t keep = e->neg_hi >> i & 1 ? 0x7fffffffu : 0xffffffffu;
    return (x & keep) ^ ((uint32_t)(e->neg >> i & 1) << 31);
}
static inline vu32 put_half(vu32 old, vu32 pair, const struct sem_env *e) {
    const unsigned at = e->op_sel & 8 ? 16 : 0;
    return (old & ~(0xffffu << at)) | pair << at;
}
VFN(v_cvt_pk_fp8_f32) {
    const vu32 x = with_sign(in32(a[0], e), e, 0), y = with_sign(in32(b[0], e), e, 1);
    d[0] = put_half(c[0], narrow_fp8(x) | narrow_fp8(y) << 8, e);
}
VFN(v_cvt_pk_bf8_f32) {
    const vu32 x = with_sign(in32(a[0], e), e, 0), y = with_sign(in32(b[0], e), e, 1);
    d[0] = put_half(c[0], narrow_bf8(x) | narrow_bf8(y) << 8, e);
}

/* Stochastic: random bits are added below the kept mantissa, without a carry into the exponent. */
static inline vu32 dither(vu32 x, vu32 random, unsigned shift) {
    return (x & 0xff800000u) | ((x + (random >> shift)) & 0x7fffffu);
}
static inline vu32 put_byte(vu32 old, vu32 byte, const struct sem_env *e) {
    const unsigned at = 8 * (e->op_sel >> 2 & 3);
    return (old & ~(0xffu << at)) | byte << at;
}
VFN(v_cvt_sr_fp8_f32) {
    const vu32 x = with_sign(in32(a[0], e), e, 0);
    d[0] = put_byte(c[0], narrow_fp8(sel(isnan32(x), x, dither(x, b[0], 12))), e);
}
VFN(v_cvt_sr_bf8_f32) {
    const vu32 x = with_sign(in32(a[0], e), e, 0);
    d[0] = put_byte(c[0], narrow_bf8(sel(isnan32(x), x, dither(x, b[0], 11))), e);
}
