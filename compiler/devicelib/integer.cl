/* SPDX-License-Identifier: MIT */
/* integer.cl - cl_khr_integer_dot_product, cl_khr_extended_bit_ops, cl_khr_kernel_clock. */
#include "lane.h"

/* ---- dot products: V_DOT4_U32_U8, V_DOT4_I32_IU8 (a signedness for each operand) ---- */

#define DOT_SIGNED(kind, A, B, sign_a, sign_b)                                                     \
    OVERLOAD int dot(A##4 a, B##4 b) {                                                             \
        return __builtin_amdgcn_sudot4(sign_a, BITS(int, a), sign_b, BITS(int, b), 0, false);      \
    }                                                                                              \
    OVERLOAD int dot_acc_sat(A##4 a, B##4 b, int acc) {                                            \
        return __builtin_amdgcn_sudot4(sign_a, BITS(int, a), sign_b, BITS(int, b), acc, true);     \
    }                                                                                              \
    OVERLOAD int dot_4x8packed_##kind##_int(uint a, uint b) {                                      \
        return __builtin_amdgcn_sudot4(sign_a, (int)a, sign_b, (int)b, 0, false);                  \
    }                                                                                              \
    OVERLOAD int dot_acc_sat_4x8packed_##kind##_int(uint a, uint b, int acc) {                     \
        return __builtin_amdgcn_sudot4(sign_a, (int)a, sign_b, (int)b, acc, true);                 \
    }
DOT_SIGNED(ss, char, char, true, true)
DOT_SIGNED(us, uchar, char, false, true)
DOT_SIGNED(su, char, uchar, true, false)

OVERLOAD uint dot(uchar4 a, uchar4 b) {
    return __builtin_amdgcn_udot4(BITS(uint, a), BITS(uint, b), 0, false);
}
OVERLOAD uint dot_acc_sat(uchar4 a, uchar4 b, uint acc) {
    return __builtin_amdgcn_udot4(BITS(uint, a), BITS(uint, b), acc, true);
}
OVERLOAD uint dot_4x8packed_uu_uint(uint a, uint b) {
    return __builtin_amdgcn_udot4(a, b, 0, false);
}
OVERLOAD uint dot_acc_sat_4x8packed_uu_uint(uint a, uint b, uint acc) {
    return __builtin_amdgcn_udot4(a, b, acc, true);
}

/* ---- bit fields; offset + count is at most the number of bits ---- */

#define FIELDS(T, S, U, bits, E)                                                                   \
    OVERLOAD T bitfield_insert(T base, T insert, uint offset, uint count) {                        \
        U mask = (U)(E)(count == 0 ? (E)0 : (E)(E)~0 >> (bits - count));                           \
        if (offset < bits) mask = mask << (U)(E)offset;                                            \
        U field = offset < bits ? BITS(U, insert) << (U)(E)offset : (U)(E)0;                       \
        return BITS(T, (U)((BITS(U, base) & ~mask) | (field & mask)));                             \
    }                                                                                              \
    OVERLOAD S bitfield_extract_signed(T base, uint offset, uint count) {                          \
        if (count == 0) return BITS(S, (U)(E)0);                                                   \
        return BITS(S, (U)(BITS(U, base) << (U)(E)(bits - offset - count))) >>                     \
               BITS(S, (U)(E)(bits - count));                                                      \
    }                                                                                              \
    OVERLOAD U bitfield_extract_unsigned(T base, uint offset, uint count) {                        \
        if (count == 0) return (U)(E)0;                                                            \
        return (U)(BITS(U, base) << (U)(E)(bits - offset - count)) >> (U)(E)(bits - count);        \
    }                                                                                              \
    OVERLOAD T bit_reverse(T v) {                                                                  \
        return __builtin_elementwise_bitreverse(v);                                                \
    }
#define FIELDS_OF(T, S, U, bits)                                                                   \
    FIELDS(T, S, U, bits, U)                                                                       \
    FIELDS(T##2, S##2, U##2, bits, U)                                                              \
    FIELDS(T##3, S##3, U##3, bits, U)                                                              \
    FIELDS(T##4, S##4, U##4, bits, U)                                                              \
    FIELDS(T##8, S##8, U##8, bits, U)                                                              \
    FIELDS(T##16, S##16, U##16, bits, U)
FIELDS_OF(char, char, uchar, 8)
FIELDS_OF(uchar, char, uchar, 8)
FIELDS_OF(short, short, ushort, 16)
FIELDS_OF(ushort, short, ushort, 16)
FIELDS_OF(int, int, uint, 32)
FIELDS_OF(uint, int, uint, 32)
FIELDS_OF(long, long, ulong, 64)
FIELDS_OF(ulong, long, ulong, 64)

/* ---- clock: the constant-rate counter, one for the device; right for every scope ---- */

#define CLOCK(scope)                                                                               \
    OVERLOAD ulong clock_read_##scope(void) {                                                      \
        return __builtin_readsteadycounter();                                                      \
    }                                                                                              \
    OVERLOAD uint2 clock_read_hilo_##scope(void) {                                                 \
        return BITS(uint2, clock_read_##scope());                                                  \
    }
CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)
