/* SPDX-License-Identifier: MIT */
/* sem_valu_f16.c - binary16 arithmetic of the vector ALU, single and packed.
 * Source: AMD RDNA3 and RDNA4 ISA guides. Computed in binary32 and rounded once (sem_float.h). */
#include "driver/emulator/isa/sem_minmax.h"

#define SIGN16 0x8000u
#define VF2(name, expr)                                                                            \
    VFN(name) {                                                                                    \
        const vu32 x = in16(a[0], e), y = in16(b[0], e);                                           \
        d[0] = (expr);                                                                             \
    }
#define VF3(name, expr)                                                                            \
    VFN(name) {                                                                                    \
        const vu32 x = in16(a[0], e), y = in16(b[0], e), z = in16(c[0], e);                        \
        d[0] = (expr);                                                                             \
    }
/* The same expression on both halves. */
#define PK2(name, expr)                                                                            \
    static inline vu32 half_##name(vu32 x, vu32 y, const struct sem_env *e) {                      \
        return (expr);                                                                             \
    }                                                                                              \
    VFN(name) {                                                                                    \
        const vu32 p = a[0], q = b[0];                                                             \
        d[0] = pack16(half_##name(in16(p, e), in16(q, e), e),                                      \
                      half_##name(in16(p >> 16, e), in16(q >> 16, e), e));                         \
    }

/* Subtraction negates the second operand, but a NaN passes through with its sign. */
static inline vu32 sub16(vu32 x, vu32 y, const struct sem_env *e) {
    return add16(x, sel(isnan16(y), y, y ^ SIGN16), e);
}

VF2(v_add_f16, add16(x, y, e))
VF2(v_sub_f16, sub16(x, y, e))
VF2(v_subrev_f16, sub16(y, x, e))
VF2(v_mul_f16, mul16(x, y, e))
VF3(v_fma_f16, fma16(x, y, z, e))

static inline vi32 numeq16(vu32 x, vu32 y) {
    return eq(x, y) | is_zero((x | y) & 0x7fffu);
}
SEM_MINMAX_FAMILY(16, vu32, sel, i_lt)
SEM_MED3(16, vu32, sel, min16, max16)
SEM_MED3(16, vu32, sel, min_num16, max_num16)
SEM_MINMAX_ROWS(16, f16)
SEM_MINMAX3_ROWS(16, f16)

PK2(v_pk_add_f16, add16(x, y, e))
PK2(v_pk_mul_f16, mul16(x, y, e))
PK2(v_pk_min_f16, min16(x, y, e))
PK2(v_pk_max_f16, max16(x, y, e))
PK2(v_pk_min_num_f16, min_num16(x, y, e))
PK2(v_pk_max_num_f16, max_num16(x, y, e))
PK2(v_pk_minimum_f16, minimum16(x, y, e))
PK2(v_pk_maximum_f16, maximum16(x, y, e))

VFN(v_pk_fma_f16) {
    const vu32 x = a[0], y = b[0], z = c[0];
    const vu32 lo = fma16(in16(x, e), in16(y, e), in16(z, e), e);
    const vu32 hi = fma16(in16(x >> 16, e), in16(y >> 16, e), in16(z >> 16, e), e);
    d[0] = pack16(lo, hi);
}

/* --- to an integral value --- */

#define ROUND_FN(name, host)                                                                       \
    static inline vu32 name(vu32 x) {                                                              \
        const vu32 r = narrow_f16((vu32)host((vf32)widen_f16(x)), RNE);                            \
        return sel(isnan16(x), quiet16(x), r);                                                     \
    }
ROUND_FN(floor16, host_floor32)
ROUND_FN(ceil16, host_ceil32)
ROUND_FN(trunc16, host_trunc32)
ROUND_FN(rndne16, host_rint32)

VFN(v_floor_f16) {
    d[0] = floor16(in16(a[0], e));
}
VFN(v_ceil_f16) {
    d[0] = ceil16(in16(a[0], e));
}
VFN(v_trunc_f16) {
    d[0] = trunc16(in16(a[0], e));
}
VFN(v_rndne_f16) {
    d[0] = rndne16(in16(a[0], e));
}

VFN(v_fract_f16) {
    const vu32 x = in16(a[0], e);
    const vu32 r = add16(x, floor16(x) ^ SIGN16, e);
    d[0] = sel(isnan16(x), quiet16(x), sel(eq(r, splat(0x3c00u)), splat(0x3bffu), r));
}

/* --- exponent and mantissa --- */

static inline vi32 not_finite16(vu32 x) {
    return u_lt(splat(0x7bffu), x & 0x7fffu);
}

VFN(v_frexp_exp_i16_f16) {
    const vu32 x = in16(a[0], e);
    const vu32 r = (widen_f16(x) >> 23 & 0xffu) - 126u;
    d[0] = zext16(r & ~(vu32)(not_finite16(x) | is_zero(x & 0x7fffu)));
}

VFN(v_frexp_mant_f16) {
    const vu32 x = in16(a[0], e);
    const vu32 r = (widen_f16(x) & 0x807fffffu) | 0x3f000000u;
    d[0] = sel(not_finite16(x) | is_zero(x & 0x7fffu), sel(isnan16(x), quiet16(x), x),
               narrow_f16(r, RNE));
}

/* The exponent is a 16-bit integer. A half times 2^n is exact in binary32 where it matters. */
VFN(v_ldexp_f16) {
    const vu32 x = in16(a[0], e), n = clamp_i32(sext16(b[0]), -60, 60);
    const vu32 r = (vu32)((vf32)widen_f16(x) * (vf32)((n + 127) << 23));
    d[0] = out16(sel(isnan16(x), quiet16(x), narrow_f16(r, SEM_ROUND64_16(e))), e);
}

VFN(v_div_fixup_f16) {
    const vu32 x = in16(a[0], e), y = in16(b[0], e), z = in16(c[0], e);
    const vu32 sign = (y ^ z) & SIGN16;
    const vu32 ym = y & 0x7fffu, zm = z & 0x7fffu;
    const vi32 y0 = is_zero(ym), z0 = is_zero(zm);
    const vi32 yi = eq(ym, splat(0x7c00u)), zi = eq(zm, splat(0x7c00u));
    vu32 r = sign | (x & 0x7fffu);
    r = sel(yi | z0, sign, r);
    r = sel(y0 | zi, sign | 0x7c00u, r);
    r = sel((y0 & z0) | (yi & zi), splat(NAN_F16), r);
    r = sel(isnan16(y), quiet16(y), r);
    d[0] = out16(sel(isnan16(z), quiet16(z), r), e);
}
