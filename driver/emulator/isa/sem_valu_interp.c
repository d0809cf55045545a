/* SPDX-License-Identifier: MIT */
/* sem_valu_interp.c - v_interp_*: multiply-adds whose parameters come from fixed lanes of each
 * quad. Graphics code uses them, but nothing about them needs graphics state. Source: AMD RDNA3 and
 * RDNA4 ISA guides, VINTERP. */
#include "driver/emulator/isa/sem_float.h"

/* Lane n of every group of four, in all four. */
static inline vu32 quad_lane(vu32 x, unsigned n) {
    vu32 r;
    SEM_UNROLL
    for (unsigned i = 0; i < 32; i++)
        r[i] = x[(i & ~3u) + n];
    return r;
}

static inline vu32 half_lane(vu32 x, unsigned n, const struct sem_env *e) {
    return widen_f16(in16(quad_lane(x, n), e));
}

VFN(v_interp_p10_f32) {
    const vu32 x = in32(quad_lane(a[0], 1), e), z = in32(quad_lane(c[0], 0), e);
    d[0] = fma32(x, in32(b[0], e), z, e);
}
VFN(v_interp_p2_f32) {
    d[0] = fma32(in32(quad_lane(a[0], 2), e), in32(b[0], e), in32(c[0], e), e);
}
VFN(v_interp_p10_f16_f32) {
    d[0] = fma32(half_lane(a[0], 1, e), in32(b[0], e), half_lane(c[0], 0, e), e);
}
VFN(v_interp_p2_f16_f32) {
    const vu32 r = fma32(half_lane(a[0], 2, e), in32(b[0], e), in32(c[0], e), e);
    d[0] = out16(narrow_f16(r, SEM_ROUND64_16(e)), e);
}
VFN(v_interp_p2_rtz_f16_f32) {
    const vu32 r = fma32(half_lane(a[0], 2, e), in32(b[0], e), in32(c[0], e), e);
    d[0] = out16(narrow_f16(r, RZERO), e);
}
