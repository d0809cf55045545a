/* SPDX-License-Identifier: MIT */
/* sem_valu_int.c - 32-bit integer, logic, bit and byte instructions of the vector ALU.
 * Source: AMD RDNA3 and RDNA4 ISA guides, chapter "Instructions", VOP1, VOP2, VOP3. */
#include "driver/emulator/isa/sem_math.h"

#define VFN1(name, expr)                                                                           \
    VFN(name) {                                                                                    \
        const vu32 x = a[0];                                                                       \
        d[0] = (expr);                                                                             \
    }
#define VFN2(name, expr)                                                                           \
    VFN(name) {                                                                                    \
        const vu32 x = a[0], y = b[0];                                                             \
        d[0] = (expr);                                                                             \
    }
#define VFN3(name, expr)                                                                           \
    VFN(name) {                                                                                    \
        const vu32 x = a[0], y = b[0], z = c[0];                                                   \
        d[0] = (expr);                                                                             \
    }

/* --- moves, logic --- */

VFN(v_nop) {}
VFN1(v_mov_b32, x)
VFN1(v_mov_b16, zext16(x))
VFN1(v_not_b32, ~x)
VFN1(v_not_b16, zext16(~x))
VFN2(v_and_b32, x &y)
VFN2(v_or_b32, x | y)
VFN2(v_xor_b32, x ^ y)
VFN2(v_xnor_b32, ~(x ^ y))
VFN2(v_and_b16, zext16(x &y))
VFN2(v_or_b16, zext16(x | y))
VFN2(v_xor_b16, zext16(x ^ y))
VFN3(v_or3_b32, x | y | z)
VFN3(v_xor3_b32, x ^ y ^ z)
VFN3(v_and_or_b32, (x & y) | z)
VFN3(v_lshl_or_b32, (x << (y & 31)) | z)
VFN2(v_cndmask_b32, sel(lanes_of_mask(e->mask_in), y, x))
VFN2(v_cndmask_b16, zext16(sel(lanes_of_mask(e->mask_in), y, x)))

/* --- shifts, bit fields --- */

VFN2(v_lshlrev_b32, y << (x & 31))
VFN2(v_lshrrev_b32, y >> (x & 31))
VFN2(v_ashrrev_i32, (vu32)((vi32)y >> (vi32)(x & 31)))
VFN3(v_lshl_add_u32, (x << (y & 31)) + z)
VFN3(v_add_lshl_u32, (x + y) << (z & 31))
VFN3(v_xad_u32, (x ^ y) + z)
VFN3(v_add3_u32, x + y + z)
VFN3(v_bfi_b32, (x & y) | (~x & z))
VFN2(v_bfm_b32, ((1u << (x & 31)) - 1u) << (y & 31))
VFN3(v_bfe_u32, (x >> (y & 31)) & ((1u << (z & 31)) - 1u))

/* Width 0 gives 0. A field that reaches past bit 31 is filled by the arithmetic shift first. */
VFN(v_bfe_i32) {
    const vu32 width = c[0] & 31;
    const vu32 field = (vu32)((vi32)a[0] >> (vi32)(b[0] & 31));
    const vu32 up = (32 - width) & 31;
    d[0] = (vu32)((vi32)(field << up) >> (vi32)up) & (vu32)non_zero(width);
}

VFN(v_alignbit_b32) {
    const vu32 s = c[0] & 31;
    d[0] = (b[0] >> s) | ((a[0] << 1) << (31 - s));
}

VFN(v_alignbyte_b32) {
    const vu32 s = (c[0] & 3) * 8;
    d[0] = (b[0] >> s) | ((a[0] << 1) << (31 - s));
}

VFN(v_bfrev_b32) {
    vu32 x = a[0];
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    d[0] = x >> 16 | x << 16;
}

VFN2(v_bcnt_u32_b32, popcount32(x) + y)
VFN1(v_clz_i32_u32, clz32(x) | (vu32)is_zero(x))
VFN1(v_ctz_i32_b32, popcount32(~x &(x - 1)) | (vu32)is_zero(x))

VFN(v_cls_i32) {
    const vu32 x = a[0] ^ (vu32)((vi32)a[0] >> 31);
    d[0] = clz32(x) | (vu32)is_zero(x);
}

/* --- addition --- */

VFN(v_add_nc_u32) {
    const vu32 r = a[0] + b[0];
    d[0] = SEM_CLAMP(e) ? r | (vu32)u_lt(r, a[0]) : r;
}

VFN(v_sub_nc_u32) {
    const vu32 r = a[0] - b[0];
    d[0] = SEM_CLAMP(e) ? r & (vu32)u_le(b[0], a[0]) : r;
}

VFN(v_subrev_nc_u32) {
    const vu32 r = b[0] - a[0];
    d[0] = SEM_CLAMP(e) ? r & (vu32)u_le(a[0], b[0]) : r;
}

/* Saturates a signed sum or difference r: overflow tells where, sign_source gives the direction. */
static vu32 saturate_i32(vu32 r, vu32 overflow, vu32 sign_source) {
    const vu32 limit = (vu32)((vi32)sign_source >> 31) ^ 0x7fffffffu;
    return sel((vi32)overflow >> 31, limit, r);
}

VFN(v_add_nc_i32) {
    const vu32 x = a[0], y = b[0], r = x + y;
    d[0] = SEM_CLAMP(e) ? saturate_i32(r, ~(x ^ y) & (x ^ r), x) : r;
}

VFN(v_sub_nc_i32) {
    const vu32 x = a[0], y = b[0], r = x - y;
    d[0] = SEM_CLAMP(e) ? saturate_i32(r, (x ^ y) & (x ^ r), x) : r;
}

VFN(v_add_co_u32) {
    const vu32 r = a[0] + b[0];
    const vi32 carry = u_lt(r, a[0]);
    e->mask_out = mask_of_lanes(carry);
    d[0] = SEM_CLAMP(e) ? r | (vu32)carry : r;
}

static void subtract_co(vu32 *d, vu32 x, vu32 y, struct sem_env *e) {
    const vi32 borrow = u_lt(x, y);
    e->mask_out = mask_of_lanes(borrow);
    d[0] = SEM_CLAMP(e) ? (x - y) & ~(vu32)borrow : x - y;
}

VFN(v_sub_co_u32) {
    subtract_co(d, a[0], b[0], e);
}
VFN(v_subrev_co_u32) {
    subtract_co(d, b[0], a[0], e);
}

VFN(v_add_co_ci_u32) {
    const vu32 s = a[0] + b[0], ci = (vu32)lanes_of_mask(e->mask_in);
    const vu32 r = s - ci;
    const vu32 carry = (vu32)u_lt(s, a[0]) | (vu32)u_lt(r, s);
    e->mask_out = mask_of_lanes((vi32)carry);
    d[0] = SEM_CLAMP(e) ? r | carry : r;
}

static void subtract_co_ci(vu32 *d, vu32 x, vu32 y, struct sem_env *e) {
    const vu32 ci = (vu32)lanes_of_mask(e->mask_in);
    const vu32 r = x - y + ci;
    const vu32 borrow = (vu32)u_lt(x, y) | ((vu32)eq(x, y) & ci);
    e->mask_out = mask_of_lanes((vi32)borrow);
    d[0] = SEM_CLAMP(e) ? r & ~borrow : r;
}

VFN(v_sub_co_ci_u32) {
    subtract_co_ci(d, a[0], b[0], e);
}
VFN(v_subrev_co_ci_u32) {
    subtract_co_ci(d, b[0], a[0], e);
}

/* --- minimum, maximum --- */

static vu32 umed3(vu32 x, vu32 y, vu32 z) {
    return umax32(umin32(x, y), umin32(umax32(x, y), z));
}
static vu32 imed3(vu32 x, vu32 y, vu32 z) {
    return imax32(imin32(x, y), imin32(imax32(x, y), z));
}

VFN2(v_min_u32, umin32(x, y))
VFN2(v_max_u32, umax32(x, y))
VFN2(v_min_i32, imin32(x, y))
VFN2(v_max_i32, imax32(x, y))
VFN3(v_min3_u32, umin32(umin32(x, y), z))
VFN3(v_max3_u32, umax32(umax32(x, y), z))
VFN3(v_min3_i32, imin32(imin32(x, y), z))
VFN3(v_max3_i32, imax32(imax32(x, y), z))
VFN3(v_med3_u32, umed3(x, y, z))
VFN3(v_med3_i32, imed3(x, y, z))
VFN3(v_maxmin_u32, umin32(umax32(x, y), z))
VFN3(v_minmax_u32, umax32(umin32(x, y), z))
VFN3(v_maxmin_i32, imin32(imax32(x, y), z))
VFN3(v_minmax_i32, imax32(imin32(x, y), z))

/* --- multiplication --- */

#define U24(x) ((x)&0xffffffu)
#define I24(x) ((vu32)((vi32)((x) << 8) >> 8))

VFN2(v_mul_lo_u32, x *y)
VFN2(v_mul_hi_u32, mulhi_u32(x, y))
VFN2(v_mul_hi_i32, mulhi_i32(x, y))
VFN2(v_mul_u32_u24, U24(x) * U24(y))
VFN2(v_mul_hi_u32_u24, mulhi_u32(U24(x), U24(y)))
VFN2(v_mul_i32_i24, I24(x) * I24(y))
VFN2(v_mul_hi_i32_i24, mulhi_i32(I24(x), I24(y)))

/* hi:lo + z, as the multiply-adds to 32 bits do: saturating when the clamp bit is set. */
static vu32 add_product_u32(vu32 lo, vu32 hi, vu32 z, const struct sem_env *e) {
    const vu32 r = lo + z;
    return SEM_CLAMP(e) ? r | (vu32)u_lt(r, lo) | (vu32)non_zero(hi) : r;
}

static vu32 add_product_i32(vu32 lo, vu32 hi, vu32 z, const struct sem_env *e) {
    const vu32 r = lo + z;
    if (!SEM_CLAMP(e)) return r;
    const vu32 top = hi + (vu32)((vi32)z >> 31) - (vu32)u_lt(r, lo);
    return saturate_i32(r, (vu32)ne(top, (vu32)((vi32)r >> 31)), top);
}

VFN(v_mad_u32_u24) {
    const vu32 x = U24(a[0]), y = U24(b[0]);
    d[0] = SEM_CLAMP(e) ? add_product_u32(x * y, mulhi_u32(x, y), c[0], e) : x * y + c[0];
}

VFN(v_mad_i32_i24) {
    const vu32 x = I24(a[0]), y = I24(b[0]);
    d[0] = SEM_CLAMP(e) ? add_product_i32(x * y, mulhi_i32(x, y), c[0], e) : x * y + c[0];
}

VFN(v_mad_u32_u16) {
    d[0] = add_product_u32(zext16(a[0]) * zext16(b[0]), splat(0), c[0], e);
}

VFN(v_mad_i32_i16) {
    const vu32 p = sext16(a[0]) * sext16(b[0]);
    d[0] = add_product_i32(p, (vu32)((vi32)p >> 31), c[0], e);
}

/* 65-bit sum; bit 64 is the mask result. */
VFN(v_mad_u64_u32) {
    const vu32 p0 = a[0] * b[0], p1 = mulhi_u32(a[0], b[0]), z1 = c[1];
    const vu32 r0 = p0 + c[0];
    const vu32 t1 = p1 + z1;
    const vu32 r1 = t1 - (vu32)u_lt(r0, p0);
    const vu32 carry = (vu32)u_lt(t1, p1) | (vu32)u_lt(r1, t1);
    e->mask_out = mask_of_lanes((vi32)carry);
    d[0] = SEM_CLAMP(e) ? r0 | carry : r0;
    d[1] = SEM_CLAMP(e) ? r1 | carry : r1;
}

VFN(v_mad_i64_i32) {
    const vu32 p0 = a[0] * b[0], p1 = mulhi_i32(a[0], b[0]), z1 = c[1];
    const vu32 r0 = p0 + c[0];
    const vu32 t1 = p1 + z1;
    const vu32 r1 = t1 - (vu32)u_lt(r0, p0);
    const vu32 carry = (vu32)u_lt(t1, p1) | (vu32)u_lt(r1, t1);
    const vu32 top = carry ^ (vu32)((vi32)p1 >> 31) ^ (vu32)((vi32)z1 >> 31);
    const vi32 overflow = (vi32)(top ^ r1) >> 31;
    e->mask_out = mask_of_lanes((vi32)top);
    d[0] = SEM_CLAMP(e) ? sel(overflow, ~top, r0) : r0;
    d[1] = SEM_CLAMP(e) ? sel(overflow, top ^ 0x7fffffffu, r1) : r1;
}

/* --- 64-bit shifts, on halves --- */

VFN(v_lshlrev_b64) {
    const vu32 s = a[0] & 31, lo = b[0], hi = b[1];
    const vi32 far = non_zero(a[0] & 32);
    const vu32 h = (hi << s) | ((lo >> 1) >> (31 - s)), l = lo << s;
    d[0] = l & ~(vu32)far;
    d[1] = sel(far, l, h);
}

VFN(v_lshrrev_b64) {
    const vu32 s = a[0] & 31, lo = b[0], hi = b[1];
    const vi32 far = non_zero(a[0] & 32);
    const vu32 l = (lo >> s) | ((hi << 1) << (31 - s)), h = hi >> s;
    d[0] = sel(far, h, l);
    d[1] = h & ~(vu32)far;
}

VFN(v_ashrrev_i64) {
    const vu32 s = a[0] & 31, lo = b[0], hi = b[1];
    const vi32 far = non_zero(a[0] & 32);
    const vu32 l = (lo >> s) | ((hi << 1) << (31 - s)), h = (vu32)((vi32)hi >> (vi32)s);
    d[0] = sel(far, h, l);
    d[1] = sel(far, (vu32)((vi32)hi >> 31), h);
}

/* --- bytes --- */

#define BYTE(x, i) ((x) >> 8 * (i)&0xffu)

static vu32 absdiff(vu32 x, vu32 y) {
    return umax32(x, y) - umin32(x, y);
}

/* Sum of absolute differences of four bytes; masked: bytes of y that are zero do not count. */
static vu32 sad4(vu32 x, vu32 y, bool masked) {
    vu32 r = splat(0);
    SEM_UNROLL
    for (unsigned i = 0; i < 4; i++) {
        const vu32 p = BYTE(x, i), q = BYTE(y, i);
        const vu32 t = absdiff(p, q);
        r += masked ? t & (vu32)non_zero(q) : t;
    }
    return r;
}

static vu32 add_sat(vu32 x, vu32 y, const struct sem_env *e) {
    const vu32 r = x + y;
    return SEM_CLAMP(e) ? r | (vu32)u_lt(r, x) : r;
}

VFN3(v_sad_u8, add_sat(sad4(x, y, false), z, e))
VFN3(v_sad_hi_u8, add_sat(sad4(x, y, false) << 16, z, e))
VFN3(v_msad_u8, add_sat(sad4(x, y, true), z, e))
VFN3(v_sad_u32, add_sat(absdiff(x, y), z, e))
VFN3(v_sad_u16, add_sat(absdiff(x & 0xffffu, y & 0xffffu) + absdiff(x >> 16, y >> 16), z, e))

/* Bytes i..i+3 of the 64-bit reference. */
static vu32 window(const vu32 *s, unsigned i) {
    return i ? s[0] >> 8 * i | s[1] << (32 - 8 * i) : s[0];
}

static void qsad_u16(vu32 *d, const vu32 *a, vu32 y, const vu32 *c, bool masked,
                     const struct sem_env *e) {
    vu32 r[4];
    SEM_UNROLL
    for (unsigned i = 0; i < 4; i++) {
        r[i] = sad4(window(a, i), y, masked) + (c[i / 2] >> 16 * (i & 1) & 0xffffu);
        if (SEM_CLAMP(e)) r[i] = umin32(r[i], splat(0xffffu));
    }
    d[0] = pack16(r[0], r[1]);
    d[1] = pack16(r[2], r[3]);
}

VFN(v_qsad_pk_u16_u8) {
    qsad_u16(d, a, b[0], c, false, e);
}
VFN(v_mqsad_pk_u16_u8) {
    qsad_u16(d, a, b[0], c, true, e);
}

VFN(v_mqsad_u32_u8) {
    vu32 r[4];
    SEM_UNROLL
    for (unsigned i = 0; i < 4; i++)
        r[i] = add_sat(sad4(window(a, i), b[0], true), c[i], e);
    SEM_UNROLL
    for (unsigned i = 0; i < 4; i++)
        d[i] = r[i];
}

/* Per byte (x + y + (z & 1)) >> 1. */
VFN(v_lerp_u8) {
    vu32 r = splat(0);
    SEM_UNROLL
    for (unsigned i = 0; i < 4; i++)
        r |= (BYTE(a[0], i) + BYTE(b[0], i) + (BYTE(c[0], i) & 1)) >> 1 << 8 * i;
    d[0] = r;
}

/* Selector 0-3: bytes of src1, 4-7: of src0, 8-11: sign of byte 1, 3, 5, 7, 12: 0, above: 0xff. */
static vu32 perm_byte(vu32 s0, vu32 s1, vu32 k) {
    const vi32 sign = u_lt(k - 8, splat(4));
    const vu32 pick = sel(sign, (k - 8) * 2 + 1, k & 7);
    const vu32 word = sel(non_zero(pick & 4), s0, s1);
    const vu32 byte = word >> (pick & 3) * 8 & 0xffu;
    vu32 r = sel(sign, 0u - (byte >> 7), byte);
    r = sel(eq(k, splat(12)), splat(0), r);
    return sel(u_lt(splat(12), k), splat(0xffu), r) & 0xffu;
}

VFN(v_perm_b32) {
    vu32 r = splat(0);
    SEM_UNROLL
    for (unsigned i = 0; i < 4; i++)
        r |= perm_byte(a[0], b[0], BYTE(c[0], i)) << 8 * i;
    d[0] = r;
}

VFN(v_sat_pk_u8_i16) {
    const vu32 lo = clamp_i32(sext16(a[0]), 0, 255);
    const vu32 hi = clamp_i32((vu32)((vi32)a[0] >> 16), 0, 255);
    d[0] = lo | hi << 8;
}
