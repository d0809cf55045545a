/* SPDX-License-Identifier: MIT */
/* sem_fp8.h - the 8-bit floats of gfx12 (OCP: FP8 = E4M3 without infinity, BF8 = E5M2) and
 * bfloat16, a vector of lanes at a time. Source: OCP 8-bit Floating Point Specification 1.0, RDNA4
 * ISA guide. */
#ifndef RAWCL_SEM_FP8_H
#define RAWCL_SEM_FP8_H

#include "driver/emulator/isa/sem_float.h"

/* E5M2 is the upper byte of a binary16. */
static inline vu32 widen_bf8(vu32 x) {
    const vu32 r = widen_f16((x & 0xffu) << 8);
    return sel(isnan32(r), quiet32(r), r);
}

static inline vu32 widen_fp8(vu32 x) {
    const vu32 sign = (x & 0x80u) << 24, mag = x & 0x7fu;
    const vu32 tiny = (vu32)(__builtin_convertvector((vi32)mag, vf32) * 0x1p-9f);
    vu32 r = sel(u_lt(mag, splat(8)), tiny, (mag << 20) + (120u << 23));
    r = sel(eq(mag, splat(0x7fu)), splat(0x7fc00000u), r);
    return sign | r;
}

/* Magnitude to a format with `m` stored bits and bias `bias`, nearest even; overflow not yet seen.
 */
static inline vu32 round_small(vu32 mag, unsigned m, unsigned bias) {
    const unsigned drop = 23 - m;
    const vu32 odd = mag >> drop & 1;
    const vu32 r = (mag - ((127 - bias) << 23) + ((1u << (drop - 1)) - 1) + odd) >> drop;
    /* Below the smallest normal 2^(1 - bias): adding 2^(23 - (m + bias - 1)) aligns the last bit.
     */
    const vu32 magic = splat((127 + 23 + 1 - bias - m) << 23);
    const vu32 small = (vu32)((vf32)mag + (vf32)magic) - magic;
    return sel(u_lt(mag, splat((128 - bias) << 23)), small, r);
}

/* Overflow and infinity become NaN (E4M3 has no infinity). */
static inline vu32 narrow_fp8(vu32 x) {
    const vu32 sign = x >> 24 & 0x80u, mag = x & 0x7fffffffu;
    const vu32 r = round_small(umin32(mag, splat(0x44000000u)), 3, 7);
    return sign | umin32(r, splat(0x7fu));
}

static inline vu32 narrow_bf8(vu32 x) {
    const vu32 sign = x >> 24 & 0x80u, mag = x & 0x7fffffffu;
    vu32 r = umin32(round_small(umin32(mag, splat(0x48000000u)), 2, 15), splat(0x7cu));
    r = sel(isnan32(x), 0x7eu | (mag >> 21 & 1), r);
    return sign | r;
}

/* bfloat16 is the upper half of a binary32. */
static inline vu32 widen_bf16(vu32 x) {
    return x << 16;
}
static inline vu32 narrow_bf16(vu32 x) {
    const vu32 r = (x + 0x7fffu + (x >> 16 & 1)) >> 16;
    return sel(isnan32(x), (x >> 16) | 0x40u, r) & 0xffffu;
}

#endif
