/* SPDX-License-Identifier: MIT */
/* subgroup.cl - sub-group functions that AMD's libraries lack: OpenCL Extension Specification,
 * cl_khr_subgroup_*. "Active" work-items are those that meet in a call.
 */
#include "lane.h"

/* ---- ballot ---- */

INLINE ulong low(uint4 mask) { /* the bits that stand for work-items */
    return ((ulong)mask.y << 32 | mask.x) & (__oclc_wavefrontsize64 ? ~0ul : 0xfffffffful);
}

INLINE uint4 wide(ulong mask) {
    mask &= __oclc_wavefrontsize64 ? ~0ul : 0xfffffffful;
    return (uint4)((uint)mask, (uint)(mask >> 32), 0, 0);
}

OVERLOAD uint4 sub_group_ballot(int p) {
    return wide(lane_ballot(p != 0));
}
OVERLOAD int sub_group_inverse_ballot(uint4 mask) {
    return (int)(low(mask) >> lane_id() & 1);
}
OVERLOAD int sub_group_ballot_bit_extract(uint4 mask, uint index) {
    return (int)(low(mask) >> (index & 63) & 1);
}
OVERLOAD uint sub_group_ballot_bit_count(uint4 mask) {
    return (uint)__builtin_popcountl(low(mask));
}
OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 mask) {
    return (uint)__builtin_popcountl(low(mask) & (lane_below() << 1 | 1));
}
OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 mask) {
    return (uint)__builtin_popcountl(low(mask) & lane_below());
}
OVERLOAD uint sub_group_ballot_find_lsb(uint4 mask) {
    return lane_lowest(low(mask));
}
OVERLOAD uint sub_group_ballot_find_msb(uint4 mask) {
    return lane_highest(low(mask));
}
OVERLOAD uint4 get_sub_group_eq_mask(void) {
    return wide(1ul << lane_id());
}
OVERLOAD uint4 get_sub_group_ge_mask(void) {
    return wide(~lane_below());
}
OVERLOAD uint4 get_sub_group_gt_mask(void) {
    return wide(~(lane_below() << 1 | 1));
}
OVERLOAD uint4 get_sub_group_le_mask(void) {
    return wide(lane_below() << 1 | 1);
}
OVERLOAD uint4 get_sub_group_lt_mask(void) {
    return wide(lane_below());
}

/* ---- vote ---- */

OVERLOAD int sub_group_elect(void) {
    return lane_id() == lane_lowest(lane_ballot(true));
}
OVERLOAD int sub_group_non_uniform_all(int p) {
    return lane_ballot(p == 0) == 0;
}
OVERLOAD int sub_group_non_uniform_any(int p) {
    return lane_ballot(p != 0) != 0;
}

/* ---- values of other work-items ---- */

#define EXCHANGE(T)                                                                                \
    OVERLOAD int sub_group_non_uniform_all_equal(T v) {                                            \
        return lane_ballot(!(v == read(v, lane_lowest(lane_ballot(true))))) == 0;                  \
    }                                                                                              \
    OVERLOAD T sub_group_broadcast_first(T v) {                                                    \
        return read(v, lane_lowest(lane_ballot(true)));                                            \
    }                                                                                              \
    OVERLOAD T sub_group_non_uniform_broadcast(T v, uint lane) {                                   \
        return read(v, lane);                                                                      \
    }                                                                                              \
    OVERLOAD T sub_group_shuffle(T v, uint lane) {                                                 \
        return get(v, lane);                                                                       \
    }                                                                                              \
    OVERLOAD T sub_group_shuffle_xor(T v, uint mask) {                                             \
        return get(v, lane_id() ^ mask);                                                           \
    }                                                                                              \
    OVERLOAD T sub_group_shuffle_up(T v, uint delta) {                                             \
        return get(v, lane_id() - delta);                                                          \
    }                                                                                              \
    OVERLOAD T sub_group_shuffle_down(T v, uint delta) {                                           \
        return get(v, lane_id() + delta);                                                          \
    }                                                                                              \
    OVERLOAD T sub_group_rotate(T v, int delta) {                                                  \
        return get(v, (lane_id() + (uint)delta) & (lane_count() - 1));                             \
    }                                                                                              \
    OVERLOAD T sub_group_clustered_rotate(T v, int delta, uint size) {                             \
        uint id = lane_id();                                                                       \
        return get(v, (id & ~(size - 1)) | ((id + (uint)delta) & (size - 1)));                     \
    }
SCALARS(EXCHANGE)

#define SPREAD2(name, T)                                                                           \
    OVERLOAD T##2 name(T##2 v, uint lane) {                                                        \
        return (T##2)(read(v.x, lane), read(v.y, lane));                                           \
    }                                                                                              \
    OVERLOAD T##3 name(T##3 v, uint lane) {                                                        \
        return (T##3)(read(v.x, lane), read(v.y, lane), read(v.z, lane));                          \
    }                                                                                              \
    OVERLOAD T##4 name(T##4 v, uint lane) {                                                        \
        return (T##4)(name(v.lo, lane), name(v.hi, lane));                                         \
    }                                                                                              \
    OVERLOAD T##8 name(T##8 v, uint lane) {                                                        \
        return (T##8)(name(v.lo, lane), name(v.hi, lane));                                         \
    }                                                                                              \
    OVERLOAD T##16 name(T##16 v, uint lane) {                                                      \
        return (T##16)(name(v.lo, lane), name(v.hi, lane));                                        \
    }
#define SPREAD(T) SPREAD2(sub_group_broadcast, T) SPREAD2(sub_group_non_uniform_broadcast, T)
SCALARS(SPREAD)

#define SMALL(X) X(char) X(uchar) X(short) X(ushort)
#define BROADCAST(T)                                                                               \
    OVERLOAD T sub_group_broadcast(T v, uint lane) {                                               \
        return read(v, lane);                                                                      \
    }
SMALL(BROADCAST)

/* ---- arithmetic ----
 * An inclusive scan over the lanes of a mask by pointer doubling: each lane knows the lane before
 * it, then the one 2 before, 4 before ... */

#define ADD(a, b)  ((a) + (b))
#define MUL(a, b)  ((a) * (b))
#define MIN(a, b)  ((b) < (a) ? (b) : (a))
#define MAX(a, b)  ((a) < (b) ? (b) : (a))
#define AND(a, b)  ((a) & (b))
#define OR(a, b)   ((a) | (b))
#define XOR(a, b)  ((a) ^ (b))
#define LAND(a, b) ((a) && (b))
#define LOR(a, b)  ((a) || (b))
#define LXOR(a, b) (!(a) != !(b))
#define SAME(a)    (a)
#define TRUTH(a)   ((a) != 0)

INLINE int lane_before(ulong mask) { /* -1: none */
    ulong before = mask & lane_below();
    return before ? (int)lane_highest(before) : -1;
}

INLINE ulong lane_cluster(uint size) { /* the active lanes of this one's cluster */
    ulong ones = size >= 64 ? ~0ul : (1ul << size) - 1;
    return lane_ballot(true) & ones << (lane_id() & ~(size - 1));
}

#define SCANS(T, op, OP, NORMAL, identity)                                                         \
    INLINE T scan_##op(T v, ulong mask) {                                                          \
        int before = lane_before(mask);                                                            \
        v = (T)NORMAL(v);                                                                          \
        for (uint n = 1; n < lane_count(); n *= 2) {                                               \
            uint from = before < 0 ? lane_id() : (uint)before;                                     \
            T left = get(v, from);                                                                 \
            int further = get(before, from);                                                       \
            v = before < 0 ? v : (T)OP(left, v);                                                   \
            before = before < 0 ? before : further;                                                \
        }                                                                                          \
        return v;                                                                                  \
    }                                                                                              \
    INLINE T reduce_##op(T v, ulong mask) {                                                        \
        return get(scan_##op(v, mask), lane_highest(mask));                                        \
    }                                                                                              \
    INLINE T scan_exclusive_##op(T v, ulong mask) {                                                \
        int before = lane_before(mask);                                                            \
        T left = get(scan_##op(v, mask), before < 0 ? lane_id() : (uint)before);                   \
        return before < 0 ? (T)(identity) : left;                                                  \
    }                                                                                              \
    OVERLOAD T sub_group_non_uniform_reduce_##op(T v) {                                            \
        return reduce_##op(v, lane_ballot(true));                                                  \
    }                                                                                              \
    OVERLOAD T sub_group_non_uniform_scan_inclusive_##op(T v) {                                    \
        return scan_##op(v, lane_ballot(true));                                                    \
    }                                                                                              \
    OVERLOAD T sub_group_non_uniform_scan_exclusive_##op(T v) {                                    \
        return scan_exclusive_##op(v, lane_ballot(true));                                          \
    }                                                                                              \
    OVERLOAD T sub_group_clustered_reduce_##op(T v, uint size) {                                   \
        return reduce_##op(v, lane_cluster(size));                                                 \
    }

#define UNIFORM(T, op)                                                                             \
    OVERLOAD T sub_group_reduce_##op(T v) {                                                        \
        return reduce_##op(v, lane_ballot(true));                                                  \
    }                                                                                              \
    OVERLOAD T sub_group_scan_inclusive_##op(T v) {                                                \
        return scan_##op(v, lane_ballot(true));                                                    \
    }                                                                                              \
    OVERLOAD T sub_group_scan_exclusive_##op(T v) {                                                \
        return scan_exclusive_##op(v, lane_ballot(true));                                          \
    }

#define NUMBERS(T, least, greatest)                                                                \
    SCANS(T, add, ADD, SAME, 0)                                                                    \
    SCANS(T, mul, MUL, SAME, 1)                                                                    \
    SCANS(T, min, MIN, SAME, greatest)                                                             \
    SCANS(T, max, MAX, SAME, least)
NUMBERS(char, -128, 127)
NUMBERS(uchar, 0, 255)
NUMBERS(short, -32768, 32767)
NUMBERS(ushort, 0, 65535)
NUMBERS(int, -0x7fffffff - 1, 0x7fffffff)
NUMBERS(uint, 0, 0xffffffffu)
NUMBERS(long, -0x7fffffffffffffffl - 1, 0x7fffffffffffffffl)
NUMBERS(ulong, 0, ~0ul)
NUMBERS(half, -__builtin_inff(), __builtin_inff())
NUMBERS(float, -__builtin_inff(), __builtin_inff())
NUMBERS(double, -__builtin_inf(), __builtin_inf())

#define LOGIC(T)                                                                                   \
    SCANS(T, and, AND, SAME, ~(T)0)                                                                \
    SCANS(T, or, OR, SAME, 0)                                                                      \
    SCANS(T, xor, XOR, SAME, 0)
INTEGERS(LOGIC)
SCANS(int, logical_and, LAND, TRUTH, 1)
SCANS(int, logical_or, LOR, TRUTH, 0)
SCANS(int, logical_xor, LXOR, TRUTH, 0)

#define EXTENDED(T) UNIFORM(T, add) UNIFORM(T, min) UNIFORM(T, max)
SMALL(EXTENDED)
