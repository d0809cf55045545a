/* SPDX-License-Identifier: MIT */
/* lane.h - what the device library's own functions build on: types, and moving values between the
 * lanes of a wave. Compiled without clang's OpenCL header, for wave32 and wave64 at once: the
 * worker makes __oclc_wavefrontsize64 a constant. Instructions: "RDNA3 Instruction Set
 * Architecture", DS_BPERMUTE_B32, V_PERMLANE64_B32, V_READLANE_B32.
 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define VECTORS(T)                                                                                 \
    typedef T T##2 __attribute__((ext_vector_type(2)));                                            \
    typedef T T##3 __attribute__((ext_vector_type(3)));                                            \
    typedef T T##4 __attribute__((ext_vector_type(4)));                                            \
    typedef T T##8 __attribute__((ext_vector_type(8)));                                            \
    typedef T T##16 __attribute__((ext_vector_type(16)));
#define INTEGERS(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
#define FLOATS(X)   X(half) X(float) X(double)
#define SCALARS(X)  INTEGERS(X) FLOATS(X)
SCALARS(VECTORS)

#define OVERLOAD __attribute__((overloadable))
#define INLINE   static __attribute__((overloadable, always_inline, unused))

extern const __constant uchar __oclc_wavefrontsize64;

INLINE uint lane_count(void) {
    return __oclc_wavefrontsize64 ? 64 : 32;
}

INLINE uint lane_id(void) {
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}

/* A bit for each active lane where p is true. */
INLINE ulong lane_ballot(bool p) {
    return __builtin_amdgcn_ballot_w64(p);
}

INLINE ulong lane_below(void) { /* a bit for each lane below this one */
    return (1ul << lane_id()) - 1;
}

INLINE uint lane_lowest(ulong mask) {
    return (uint)__builtin_ctzl(mask);
}

INLINE uint lane_highest(ulong mask) {
    return 63u - (uint)__builtin_clzl(mask);
}

/* The value of another lane, which must be active. DS_BPERMUTE_B32 sees the 32 lanes of a half; the
 * other half's values come over by V_PERMLANE64_B32, which wants every lane active. Else the lanes
 * are served one target after the other. */
INLINE uint lane_get(uint v, uint lane) {
    uint own = 0, id = lane_id();
    if (!__oclc_wavefrontsize64)
        return (uint)__builtin_amdgcn_ds_bpermute((int)(lane << 2), (int)v);
    if (lane_ballot(true) == ~0ul) {
        int from = (int)((lane & 31) | (id & 32)) << 2;
        own = (uint)__builtin_amdgcn_ds_bpermute(from, (int)v);
        uint other = (uint)__builtin_amdgcn_ds_bpermute(from, (int)__builtin_amdgcn_permlane64(v));
        return (lane ^ id) & 32 ? other : own;
    }
    for (ulong left = lane_ballot(true); left;) {
        uint target = (uint)__builtin_amdgcn_readlane((int)lane, (int)lane_lowest(left));
        uint value = (uint)__builtin_amdgcn_readlane((int)v, (int)(target & 63));
        own = lane == target ? value : own;
        left &= ~lane_ballot(lane == target);
    }
    return own;
}

INLINE uint lane_read(uint v, uint lane) { /* lane is the same in all */
    uint uniform = (uint)__builtin_amdgcn_readfirstlane((int)lane);
    return (uint)__builtin_amdgcn_readlane((int)v, (int)(uniform & (lane_count() - 1)));
}

#define BITS(to, v) __builtin_astype(v, to)

/* get, read: the two above for every type. */
#define MOVE(name, by)                                                                             \
    INLINE ulong name(ulong v, uint lane) {                                                        \
        uint lo = by((uint)v, lane), hi = by((uint)(v >> 32), lane);                               \
        return (ulong)hi << 32 | lo;                                                               \
    }                                                                                              \
    INLINE long name(long v, uint lane) {                                                          \
        return (long)name((ulong)v, lane);                                                         \
    }                                                                                              \
    INLINE double name(double v, uint lane) {                                                      \
        return BITS(double, name(BITS(ulong, v), lane));                                           \
    }                                                                                              \
    INLINE uint name(uint v, uint lane) {                                                          \
        return by(v, lane);                                                                        \
    }                                                                                              \
    INLINE int name(int v, uint lane) {                                                            \
        return (int)by((uint)v, lane);                                                             \
    }                                                                                              \
    INLINE float name(float v, uint lane) {                                                        \
        return BITS(float, by(BITS(uint, v), lane));                                               \
    }                                                                                              \
    INLINE ushort name(ushort v, uint lane) {                                                      \
        return (ushort)by(v, lane);                                                                \
    }                                                                                              \
    INLINE short name(short v, uint lane) {                                                        \
        return (short)by((uint)v, lane);                                                           \
    }                                                                                              \
    INLINE half name(half v, uint lane) {                                                          \
        return BITS(half, (ushort)by(BITS(ushort, v), lane));                                      \
    }                                                                                              \
    INLINE uchar name(uchar v, uint lane) {                                                        \
        return (uchar)by(v, lane);                                                                 \
    }                                                                                              \
    INLINE char name(char v, uint lane) {                                                          \
        return (char)by((uint)v, lane);                                                            \
    }
MOVE(get, lane_get)
MOVE(read, lane_read)
