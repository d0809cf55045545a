/* SPDX-License-Identifier: MIT */
/* sem_valu_trans.c - reciprocal, roots, exponential, logarithm, sine and cosine in binary32 and
 * binary16. Source: AMD RDNA3 and RDNA4 ISA guides, which promise 1 ULP; here the value is computed
 * in binary64 (or correctly rounded by the host) and rounded once.
 *
 * The binary32 forms do not process denormals whatever MODE says: inputs and results are flushed
 * (compilers scale around it, see LLVM's AMDGPU lowering of log2, exp2, sqrt and 1/x). The binary16
 * forms follow MODE. */
#include "driver/emulator/isa/sem_float.h"

#define HALVES(i)                                                                                  \
    SEM_UNROLL                                                                                     \
    for (unsigned i = 0; i < 2; i++)

/* --- polynomials, binary64, 16 lanes --- */

static inline vf64 fused(vf64 x, vf64 y, vf64 z) {
#if defined(__FMA__) || defined(__clang__)
    return (vf64)host_fma64((vu64)x, (vu64)y, (vu64)z);
#else
    return x * y + z; /* precision to spare: no need for a library call per lane */
#endif
}
static inline vf64 konst(double x) {
    return x - (vf64){0};
}

static inline __attribute__((always_inline)) vf64 poly(vf64 x, const double *k, unsigned n) {
    vf64 r = konst(k[n - 1]);
    for (unsigned i = n - 1; i-- > 0;)
        r = fused(r, x, konst(k[i]));
    return r;
}

static inline vf64 round_even(vf64 x) {
    return (x + 0x1.8p52) - 0x1.8p52;
}

/* 2^x; |x| < 1100. Taylor terms of 2^r, |r| <= 1/2, to r^11: error below 2^-44. */
static inline vf64 exp2_core(vf64 x) {
    static const double k[] = {0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,
                               0x1.c6b08d704a0c0p-5,  0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6731p-10,
                               0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20,
                               0x1.b5253d395e7c4p-24, 0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32};
    const vf64 n = round_even(x);
    const vu64 bits = (vu64)(n + 0x1.8p52) << 52; /* the integer, in the exponent's place */
    const vf64 p = poly(x - n, k, sizeof k / sizeof k[0]);
    return (vf64)((vu64)p + bits);
}

/* log2 of a positive normal number: x = 2^n m, m in [sqrt(1/2), sqrt 2), by the odd series of
 * (m - 1) / (m + 1). */
static inline vf64 log2_core(vf64 x) {
    static const double k[] = {0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1,
                               0x1.a61762a7aded9p-2, 0x1.484b13d7c02a9p-2, 0x1.0c9a84994022dp-2,
                               0x1.c68f568d31760p-3, 0x1.89f3b1694cffep-3, 0x1.5b9ac9b743f0dp-3};
    const vu64 u = (vu64)x - 0x3fe6a09e667f3bcdull; /* sqrt(1/2) starts a binade */
    const vi64 n = (vi64)u >> 52;
    const vf64 m = (vf64)((vu64)x - ((vu64)n << 52));
    const vf64 t = (m - 1.0) / (m + 1.0);
    /* n as a double: small, so by the magic sum. */
    const vf64 whole = (vf64)((vu64)n + 0x4338000000000000ull) - 0x1.8p52;
    return fused(t, poly(t * t, k, sizeof k / sizeof k[0]), whole);
}

/* sin or cos of 2 pi x: x reduced exactly to y = x - q/4 in [-1/8, 1/8], then Taylor in y. */
static inline vf64 sin_core(vf64 x, unsigned quarter) {
    static const double ks[] = {0x1.921fb54442d18p+2,  -0x1.4abbce625be53p+5, 0x1.466bc6775aae2p+6,
                                -0x1.32d2cce62bd86p+6, 0x1.50783487ee782p+5,  -0x1.e3074fde8871fp+3,
                                0x1.e8f434d018d63p+1,  -0x1.6fadb9f155744p-1};
    static const double kc[] = {0x1.0000000000000p+0,  -0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5ac4p+6,
                                -0x1.55d3c7e3cbffap+6, 0x1.e1f506891babbp+5,  -0x1.a6d1f2a204a8cp+4,
                                0x1.f9d38a3763cc3p+2,  -0x1.b6e24f44b128fp+0, 0x1.20c62c2f2d7f5p-2};
    const vf64 whole = x - round_even(x);
    const vf64 q = round_even(whole * 4.0);
    const vf64 y = whole - q * 0.25, y2 = y * y;
    const vu64 n = (vu64)(q + 0x1.8p52) + quarter;
    const vf64 s = y * poly(y2, ks, sizeof ks / sizeof ks[0]);
    const vf64 c = poly(y2, kc, sizeof kc / sizeof kc[0]);
    const vi64 odd = (vi64)(n << 63) >> 63;
    return (vf64)(sel64(odd, (vu64)c, (vu64)s) ^ (n >> 1) << 63);
}

/* --- binary32 to binary32, on finite arguments; special values by selection --- */

static inline vu32 pos_inf(void) {
    return splat(0x7f800000u);
}
static inline vu32 neg_inf(void) {
    return splat(0xff800000u);
}

static inline vu32 exp2_f32(vu32 x) {
    const vf32 f = (vf32)x;
    const vi32 high = f_le((vf32)splat(0x43800000u), f), low = f_lt(f, (vf32)splat(0xc3480000u));
    struct sem_d64 v = widen_f32(x & ~(vu32)(high | low | isnan32(x)));
    HALVES(i) v.h[i] = exp2_core(v.h[i]);
    vu32 r = narrow_f32(v);
    r = sel(high, pos_inf(), r) & ~(vu32)low;
    return sel(isnan32(x), quiet32(x), r);
}

static inline vu32 log2_f32(vu32 x) {
    const vi32 normal = u_lt(x - 1u, splat(0x7f7fffffu)); /* positive and finite */
    struct sem_d64 v = widen_f32(sel(normal, x, splat(0x3f800000u)));
    HALVES(i) v.h[i] = log2_core(v.h[i]);
    vu32 r = narrow_f32(v);
    r = sel(normal, r, splat(NAN_F32));
    r = sel(eq(x, pos_inf()), x, r);
    r = sel(is_zero(x << 1), neg_inf(), r);
    return sel(isnan32(x), quiet32(x), r);
}

static inline vu32 sin_f32(vu32 x, unsigned quarter) {
    const vi32 finite = u_lt(x & 0x7fffffffu, pos_inf());
    struct sem_d64 v = widen_f32(x & (vu32)finite);
    HALVES(i) v.h[i] = sin_core(v.h[i], quarter);
    const vu32 r = sel(finite, narrow_f32(v), splat(NAN_F32));
    return sel(isnan32(x), quiet32(x), r);
}

static inline vu32 rcp_f32(vu32 x) {
    return nan1_32((vu32)(1.0f / (vf32)x), x);
}

static inline vu32 sqrt_f32(vu32 x) {
    return nan1_32((vu32)host_sqrt32((vf32)x), x);
}

static inline vu32 rsq_f32(vu32 x) {
    struct sem_d64 v = widen_f32(x);
    HALVES(i) v.h[i] = 1.0 / host_sqrt64(v.h[i]);
    return nan1_32(narrow_f32(v), x);
}

VFN(v_exp_f32) {
    d[0] = ftz32(exp2_f32(ftz32(a[0])));
}
VFN(v_log_f32) {
    d[0] = ftz32(log2_f32(ftz32(a[0])));
}
VFN(v_sin_f32) {
    d[0] = ftz32(sin_f32(ftz32(a[0]), 0));
}
VFN(v_cos_f32) {
    d[0] = ftz32(sin_f32(ftz32(a[0]), 1));
}
VFN(v_rcp_f32) {
    d[0] = ftz32(rcp_f32(ftz32(a[0])));
}
VFN(v_sqrt_f32) {
    d[0] = ftz32(sqrt_f32(ftz32(a[0])));
}
VFN(v_rsq_f32) {
    d[0] = ftz32(rsq_f32(ftz32(a[0])));
}

/* --- binary16: through binary32, whose error is far below half a unit of the result --- */

#define HALF(name, fn)                                                                             \
    VFN(name) {                                                                                    \
        const vu32 x = in16(a[0], e), r = narrow_f16(fn, RNE);                                     \
        d[0] = out16(sel(isnan16(x), quiet16(x), r), e);                                           \
    }
HALF(v_exp_f16, exp2_f32(widen_f16(x)))
HALF(v_log_f16, log2_f32(widen_f16(x)))
HALF(v_sin_f16, sin_f32(widen_f16(x), 0))
HALF(v_cos_f16, sin_f32(widen_f16(x), 1))
HALF(v_rcp_f16, rcp_f32(widen_f16(x)))
HALF(v_sqrt_f16, sqrt_f32(widen_f16(x)))
HALF(v_rsq_f16, rsq_f32(widen_f16(x)))
