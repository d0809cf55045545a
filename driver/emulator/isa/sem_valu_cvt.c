/* SPDX-License-Identifier: MIT */
/* sem_valu_cvt.c - conversions between number formats.
 * Source: AMD RDNA3 and RDNA4 ISA guides. Conversions to integers truncate and saturate, NaN gives
 * 0. Conversions to a float round by MODE: binary16 and from binary64 by the 64/16 field. */
#include "driver/emulator/isa/sem_float.h"

static inline vu32 quiet_nan16(vu32 r, vu32 x) {
    return sel(isnan16(x), quiet16(x), r);
}

/* --- float to integer --- */

static inline vu32 f32_to_i32(vu32 x) {
    const vf32 f = (vf32)x, lim = (vf32)splat(0x4f000000u) /* 2^31 */;
    const vi32 low = f_lt(f, -lim), high = f_le(lim, f);
    const vu32 fits = x & ~(vu32)(low | high | isnan32(x));
    vu32 r = (vu32) __builtin_convertvector((vf32)fits, vi32);
    r = sel(low, splat(0x80000000u), r);
    return sel(high, splat(0x7fffffffu), r);
}

static inline vu32 f32_to_u32(vu32 x) {
    const vf32 f = (vf32)x, lim = (vf32)splat(0x4f000000u);
    const vi32 upper = f_le(lim, f), high = f_le(lim * 2, f);
    const vu32 in = sel(upper, (vu32)(f - lim), x);
    const vu32 fits = in & ~(vu32)(high | isnan32(x)) & ~(vu32)((vi32)x >> 31);
    const vu32 r = (vu32) __builtin_convertvector((vf32)fits, vi32) + ((vu32)upper & 0x80000000u);
    return r | (vu32)high;
}

VFN(v_cvt_i32_f32) {
    d[0] = f32_to_i32(in32(a[0], e));
}
VFN(v_cvt_u32_f32) {
    d[0] = f32_to_u32(in32(a[0], e));
}
VFN(v_cvt_i16_f16) {
    d[0] = zext16(clamp_i32(f32_to_i32(widen_f16(in16(a[0], e))), -0x8000, 0x7fff));
}
VFN(v_cvt_u16_f16) {
    d[0] = clamp_i32(f32_to_i32(widen_f16(in16(a[0], e))), 0, 0xffff);
}

static inline vu32 floor_f32(vu32 x) {
    return (vu32)host_floor32((vf32)x);
}

VFN(v_cvt_floor_i32_f32) {
    d[0] = f32_to_i32(floor_f32(in32(a[0], e)));
}

/* floor(x + 0.5), the sum taken exactly. */
VFN(v_cvt_nearest_i32_f32) {
    const vu32 x = in32(a[0], e), f = floor_f32(x);
    const vi32 up = f_le((vf32)splat(0x3f000000u), (vf32)x - (vf32)f);
    d[0] = f32_to_i32((vu32)((vf32)f + (vf32)((vu32)up & 0x3f800000u)));
}

VFN(v_cvt_i32_f64) {
    const struct sem_v64 p = load64(a);
    const vf64 min = (vf64)splat64(0xc1e0000000000000ull);
    const vf64 max = (vf64)splat64(0x41dfffffffc00000ull);
    struct sem_d64 r;
    for (unsigned i = 0; i < 2; i++) {
        const vf64 f = (vf64)in64(p.h[i], e);
        vu64 v = sel64(d_lt(f, min), (vu64)min, (vu64)f);
        v = sel64(d_lt(max, f), (vu64)max, v);
        r.h[i] = (vf64)(v & ~(vu64)isnan64((vu64)f));
    }
    d[0] = double_to_int(r);
}

/* Moved into the signed range and back. */
VFN(v_cvt_u32_f64) {
    const struct sem_v64 p = load64(a);
    const vf64 max = (vf64)splat64(0x41efffffffe00000ull);
    struct sem_d64 r;
    for (unsigned i = 0; i < 2; i++) {
        const vf64 f = (vf64)in64(p.h[i], e);
        vu64 v = (vu64)f & ~(vu64)(d_lt(f, (vf64){0}) | isnan64((vu64)f));
        v = sel64(d_lt(max, f), (vu64)max, v);
        r.h[i] = host_trunc64((vf64)v) - 0x1p31;
    }
    d[0] = double_to_int(r) + 0x80000000u;
}

/* --- integer to float --- */

static inline struct sem_d64 u32_to_f64(vu32 x) {
    struct sem_d64 r = widen_int(x ^ 0x80000000u);
    r.h[0] += 0x1p31;
    r.h[1] += 0x1p31;
    return r;
}

VFN(v_cvt_f32_i32) {
    if (SEM_ROUND32(e)) {
        d[0] = round_f32(widen_int(a[0]), SEM_ROUND32(e));
        return;
    }
    d[0] = (vu32) __builtin_convertvector((vi32)a[0], vf32);
}

VFN(v_cvt_f32_u32) {
    if (SEM_ROUND32(e)) {
        d[0] = round_f32(u32_to_f64(a[0]), SEM_ROUND32(e));
        return;
    }
#ifdef __clang__
    d[0] = (vu32) __builtin_convertvector(a[0], vf32);
#else
    const vu32 x = a[0];
    vf32 r;
    for (unsigned i = 0; i < 32; i++)
        r[i] = (float)x[i];
    d[0] = (vu32)r;
#endif
}

static inline void store_d64(vu32 *d, struct sem_d64 v) {
    const struct sem_v64 r = {{(vu64)v.h[0], (vu64)v.h[1]}};
    store64(d, r);
}
VFN(v_cvt_f64_i32) {
    store_d64(d, widen_int(a[0]));
}
VFN(v_cvt_f64_u32) {
    store_d64(d, u32_to_f64(a[0]));
}

static inline vu32 small_to_f32(vu32 x) {
    return (vu32) __builtin_convertvector((vi32)x, vf32);
}
VFN(v_cvt_f32_ubyte0) {
    d[0] = small_to_f32(a[0] & 0xffu);
}
VFN(v_cvt_f32_ubyte1) {
    d[0] = small_to_f32(a[0] >> 8 & 0xffu);
}
VFN(v_cvt_f32_ubyte2) {
    d[0] = small_to_f32(a[0] >> 16 & 0xffu);
}
VFN(v_cvt_f32_ubyte3) {
    d[0] = small_to_f32(a[0] >> 24);
}
VFN(v_cvt_f16_u16) {
    d[0] = narrow_f16(small_to_f32(zext16(a[0])), SEM_ROUND64_16(e));
}
VFN(v_cvt_f16_i16) {
    d[0] = narrow_f16(small_to_f32(sext16(a[0])), SEM_ROUND64_16(e));
}

/* Signed 4-bit sixteenths, for barycentric offsets: -0.5 .. 0.4375. */
VFN(v_cvt_off_f32_i4) {
    const vi32 n = (vi32)(a[0] << 28) >> 28;
    d[0] = (vu32)(__builtin_convertvector(n, vf32) * 0.0625f);
}

/* --- float to float --- */

VFN(v_cvt_f16_f32) {
    d[0] = out16(narrow_f16(in32(a[0], e), SEM_ROUND64_16(e)), e);
}
VFN(v_cvt_f32_f16) {
    const vu32 x = in16(a[0], e);
    d[0] = widen_f16(quiet_nan16(x, x));
}

VFN(v_cvt_f64_f32) {
    const vu32 x = in32(a[0], e);
    store_d64(d, widen_f32(x));
}

VFN(v_cvt_f32_f64) {
    const struct sem_v64 p = load64(a);
    const struct sem_d64 v = {{(vf64)in64(p.h[0], e), (vf64)in64(p.h[1], e)}};
    d[0] = out32(round_f32(v, SEM_ROUND64_16(e)), e);
}

VFN(v_cvt_pk_rtz_f16_f32) {
    d[0] = pack16(out16(narrow_f16(in32(a[0], e), RZERO), e),
                  out16(narrow_f16(in32(b[0], e), RZERO), e));
}

/* --- packed integers --- */

static inline vu32 f32_to_i16(vu32 x) {
    return clamp_i32(f32_to_i32(x), -0x8000, 0x7fff);
}
static inline vu32 f32_to_u16(vu32 x) {
    return clamp_i32(f32_to_i32(x), 0, 0xffff);
}
VFN(v_cvt_pk_i16_f32) {
    d[0] = pack16(f32_to_i16(in32(a[0], e)), f32_to_i16(in32(b[0], e)));
}
VFN(v_cvt_pk_u16_f32) {
    d[0] = pack16(f32_to_u16(in32(a[0], e)), f32_to_u16(in32(b[0], e)));
}

VFN(v_cvt_pk_u8_f32) {
    const vu32 byte = clamp_i32(f32_to_i32(in32(a[0], e)), 0, 255), at = (b[0] & 3) * 8;
    d[0] = (c[0] & ~(0xffu << at)) | byte << at;
}

/* Clamps to [low, 1], NaN to 0, and rounds the scaled value to nearest even. */
static inline vu32 normalised(vu32 x, float low, float scale) {
    const vf32 one = (vf32)splat(0x3f800000u), f = (vf32)(x & ~(vu32)isnan32(x));
    vu32 r = sel(f_lt(one, f), (vu32)one, (vu32)f);
    r = sel(f_lt(f, low - (vf32){0}), (vu32)(low - (vf32){0}), r);
    /* 1.5 * 2^23: the sum's low bits are the integer, rounded once; |value| is below 2^16. */
    const vu32 k = (vu32)(scale - (vf32){0});
    return host_fma32(r, k, splat(0x4b400000u)) - 0x4b400000u;
}
static inline vu32 snorm(vu32 x) {
    return normalised(x, -1.0f, 32767.0f);
}
static inline vu32 unorm(vu32 x) {
    return normalised(x, 0.0f, 65535.0f);
}

VFN(v_cvt_norm_i16_f16) {
    d[0] = zext16(snorm(widen_f16(in16(a[0], e))));
}
VFN(v_cvt_norm_u16_f16) {
    d[0] = zext16(unorm(widen_f16(in16(a[0], e))));
}
VFN(v_cvt_pk_norm_i16_f32) {
    d[0] = pack16(snorm(in32(a[0], e)), snorm(in32(b[0], e)));
}
VFN(v_cvt_pk_norm_u16_f32) {
    d[0] = pack16(unorm(in32(a[0], e)), unorm(in32(b[0], e)));
}
VFN(v_cvt_pk_norm_i16_f16) {
    d[0] = pack16(snorm(widen_f16(in16(a[0], e))), snorm(widen_f16(in16(b[0], e))));
}
VFN(v_cvt_pk_norm_u16_f16) {
    d[0] = pack16(unorm(widen_f16(in16(a[0], e))), unorm(widen_f16(in16(b[0], e))));
}
