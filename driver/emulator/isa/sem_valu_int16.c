/* SPDX-License-Identifier: MIT */
/* sem_valu_int16.c - 16-bit integer instructions of the vector ALU, single and packed.
 * Source: AMD RDNA3 and RDNA4 ISA guides, VOP3 (16-bit) and VOP3P. The caller has applied op_sel.
 */
#include "driver/emulator/isa/sem_math.h"

static vu32 sat_u16(vu32 r, const struct sem_env *e) {
    return SEM_CLAMP(e) ? clamp_i32(r, 0, 0xffff) : r;
}

static vu32 sat_i16(vu32 r, const struct sem_env *e) {
    return SEM_CLAMP(e) ? clamp_i32(r, -0x8000, 0x7fff) : r;
}

/* Operations on one half. Operands are extended to 32 bits (U: zero, S: sign). */
#define SHIFT_COUNT(x) ((x)&15)
static vu32 op_add_u16(vu32 x, vu32 y, const struct sem_env *e) {
    return sat_u16(x + y, e);
}
static vu32 op_sub_u16(vu32 x, vu32 y, const struct sem_env *e) {
    return sat_u16(x - y, e);
}
static vu32 op_add_i16(vu32 x, vu32 y, const struct sem_env *e) {
    return sat_i16(x + y, e);
}
static vu32 op_sub_i16(vu32 x, vu32 y, const struct sem_env *e) {
    return sat_i16(x - y, e);
}
static vu32 op_mul_u16(vu32 x, vu32 y, SEM_UNUSED const struct sem_env *e) {
    return x * y;
}
static vu32 op_min_u16(vu32 x, vu32 y, SEM_UNUSED const struct sem_env *e) {
    return umin32(x, y);
}
static vu32 op_max_u16(vu32 x, vu32 y, SEM_UNUSED const struct sem_env *e) {
    return umax32(x, y);
}
static vu32 op_min_i16(vu32 x, vu32 y, SEM_UNUSED const struct sem_env *e) {
    return imin32(x, y);
}
static vu32 op_max_i16(vu32 x, vu32 y, SEM_UNUSED const struct sem_env *e) {
    return imax32(x, y);
}
static vu32 op_shl_u16(vu32 x, vu32 y, SEM_UNUSED const struct sem_env *e) {
    return y << SHIFT_COUNT(x);
}
static vu32 op_shr_u16(vu32 x, vu32 y, SEM_UNUSED const struct sem_env *e) {
    return y >> SHIFT_COUNT(x);
}
static vu32 op_sar_i16(vu32 x, vu32 y, SEM_UNUSED const struct sem_env *e) {
    return (vu32)((vi32)y >> (vi32)SHIFT_COUNT(x));
}

/* The products of 16-bit values fit 32 bits; the sum may wrap there, so saturation looks at the
 * product's range first: unsigned 0xfffe0001 + 0xffff still fits, and so do the signed extremes. */
static vu32 op_mad_u16(vu32 x, vu32 y, vu32 z, const struct sem_env *e) {
    const vu32 r = x * y + z;
    return SEM_CLAMP(e) ? umin32(r, splat(0xffffu)) : r;
}
static vu32 op_mad_i16(vu32 x, vu32 y, vu32 z, const struct sem_env *e) {
    return sat_i16(x * y + z, e);
}

#define LO_U(s) zext16((s)[0])
#define HI_U(s) ((s)[0] >> 16)
#define LO_S(s) sext16((s)[0])
#define HI_S(s) ((vu32)((vi32)(s)[0] >> 16))

#define ONE2(name, op, ext)                                                                        \
    VFN(name) {                                                                                    \
        d[0] = zext16(op(LO_##ext(a), LO_##ext(b), e));                                            \
    }
#define PK2(name, op, ext)                                                                         \
    VFN(name) {                                                                                    \
        d[0] = pack16(op(LO_##ext(a), LO_##ext(b), e), op(HI_##ext(a), HI_##ext(b), e));           \
    }

ONE2(v_add_nc_u16, op_add_u16, U)
ONE2(v_sub_nc_u16, op_sub_u16, U)
ONE2(v_add_nc_i16, op_add_i16, S)
ONE2(v_sub_nc_i16, op_sub_i16, S)
ONE2(v_mul_lo_u16, op_mul_u16, U)
ONE2(v_min_u16, op_min_u16, U)
ONE2(v_max_u16, op_max_u16, U)
ONE2(v_min_i16, op_min_i16, S)
ONE2(v_max_i16, op_max_i16, S)
ONE2(v_lshlrev_b16, op_shl_u16, U)
ONE2(v_lshrrev_b16, op_shr_u16, U)
ONE2(v_ashrrev_i16, op_sar_i16, S)

PK2(v_pk_add_u16, op_add_u16, U)
PK2(v_pk_sub_u16, op_sub_u16, U)
PK2(v_pk_add_i16, op_add_i16, S)
PK2(v_pk_sub_i16, op_sub_i16, S)
PK2(v_pk_mul_lo_u16, op_mul_u16, U)
PK2(v_pk_min_u16, op_min_u16, U)
PK2(v_pk_max_u16, op_max_u16, U)
PK2(v_pk_min_i16, op_min_i16, S)
PK2(v_pk_max_i16, op_max_i16, S)
PK2(v_pk_lshlrev_b16, op_shl_u16, U)
PK2(v_pk_lshrrev_b16, op_shr_u16, U)
PK2(v_pk_ashrrev_i16, op_sar_i16, S)

VFN(v_mad_u16) {
    d[0] = zext16(op_mad_u16(LO_U(a), LO_U(b), LO_U(c), e));
}
VFN(v_mad_i16) {
    d[0] = zext16(op_mad_i16(LO_S(a), LO_S(b), LO_S(c), e));
}
VFN(v_pk_mad_u16) {
    d[0] =
        pack16(op_mad_u16(LO_U(a), LO_U(b), LO_U(c), e), op_mad_u16(HI_U(a), HI_U(b), HI_U(c), e));
}
VFN(v_pk_mad_i16) {
    d[0] =
        pack16(op_mad_i16(LO_S(a), LO_S(b), LO_S(c), e), op_mad_i16(HI_S(a), HI_S(b), HI_S(c), e));
}

#define ONE3(name, expr, ext)                                                                      \
    VFN(name) {                                                                                    \
        const vu32 x = LO_##ext(a), y = LO_##ext(b), z = LO_##ext(c);                              \
        d[0] = zext16(expr);                                                                       \
    }
ONE3(v_min3_u16, umin32(umin32(x, y), z), U)
ONE3(v_max3_u16, umax32(umax32(x, y), z), U)
ONE3(v_med3_u16, umax32(umin32(x, y), umin32(umax32(x, y), z)), U)
ONE3(v_min3_i16, imin32(imin32(x, y), z), S)
ONE3(v_max3_i16, imax32(imax32(x, y), z), S)
ONE3(v_med3_i16, imax32(imin32(x, y), imin32(imax32(x, y), z)), S)

VFN(v_pack_b32_f16) {
    d[0] = pack16(a[0], b[0]);
}
VFN(v_cvt_i32_i16) {
    d[0] = sext16(a[0]);
}
VFN(v_cvt_u32_u16) {
    d[0] = zext16(a[0]);
}

VFN(v_cvt_pk_u16_u32) {
    d[0] = pack16(umin32(a[0], splat(0xffffu)), umin32(b[0], splat(0xffffu)));
}
VFN(v_cvt_pk_i16_i32) {
    d[0] = pack16(clamp_i32(a[0], -0x8000, 0x7fff), clamp_i32(b[0], -0x8000, 0x7fff));
}
