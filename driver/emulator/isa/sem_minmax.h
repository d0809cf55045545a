/* SPDX-License-Identifier: MIT */
/* sem_minmax.h - the minimum and maximum families of gfx11 and gfx12 for one binary format.
 * Source: AMD RDNA3 and RDNA4 ISA guides (V_MIN_F32, V_MIN_NUM_F32, V_MINIMUM_F32, V_MED3_F32). */
#ifndef RAWCL_SEM_MINMAX_H
#define RAWCL_SEM_MINMAX_H

#include "driver/emulator/isa/sem_float.h"

/* W: 16, 32 or 64; V: the vector type; S: its select; LT: comparison of order##W keys. Operands
 * have gone through in##W. -0 is less than +0 in all of them. min, max: gfx11. IEEE mode returns a
 * signalling NaN, quieted; a quiet NaN yields the other one. min_num, max_num: gfx12 minimumNumber
 * and maximumNumber, a NaN only if both are. minimum, maximum: gfx12, any NaN wins, signalling ones
 * first. med3: the larger of the two operands that are not the maximum; equality is numeric. */
#define SEM_MINMAX_FAMILY(W, V, S, LT)                                                             \
    static inline V lesser##W(V x, V y) {                                                          \
        return S(LT(order##W(x), order##W(y)), x, y);                                              \
    }                                                                                              \
    static inline V greater##W(V x, V y) {                                                         \
        return S(LT(order##W(y), order##W(x)), x, y);                                              \
    }                                                                                              \
    static inline V pick_ieee##W(V r, V x, V y, const struct sem_env *e) {                         \
        r = S(isnan##W(x), y, r);                                                                  \
        r = S(isnan##W(y), x, r);                                                                  \
        if (SEM_IEEE(e)) {                                                                         \
            r = S(issnan##W(y), quiet##W(y), r);                                                   \
            r = S(issnan##W(x), quiet##W(x), r);                                                   \
        }                                                                                          \
        return out##W(r, e);                                                                       \
    }                                                                                              \
    static inline V pick_num##W(V r, V x, V y, const struct sem_env *e) {                          \
        r = S(isnan##W(y), x, r);                                                                  \
        r = S(isnan##W(x), y, r);                                                                  \
        return out##W(S(isnan##W(x) & isnan##W(y), quiet##W(x), r), e);                            \
    }                                                                                              \
    static inline V pick_nan##W(V r, V x, V y, const struct sem_env *e) {                          \
        r = S(isnan##W(y), quiet##W(y), r);                                                        \
        r = S(isnan##W(x), quiet##W(x), r);                                                        \
        return out##W(S(issnan##W(y) & ~issnan##W(x), quiet##W(y), r), e);                         \
    }                                                                                              \
    static inline V min##W(V x, V y, const struct sem_env *e) {                                    \
        return pick_ieee##W(lesser##W(x, y), x, y, e);                                             \
    }                                                                                              \
    static inline V max##W(V x, V y, const struct sem_env *e) {                                    \
        return pick_ieee##W(greater##W(x, y), x, y, e);                                            \
    }                                                                                              \
    static inline V min_num##W(V x, V y, const struct sem_env *e) {                                \
        return pick_num##W(lesser##W(x, y), x, y, e);                                              \
    }                                                                                              \
    static inline V max_num##W(V x, V y, const struct sem_env *e) {                                \
        return pick_num##W(greater##W(x, y), x, y, e);                                             \
    }                                                                                              \
    static inline V minimum##W(V x, V y, const struct sem_env *e) {                                \
        return pick_nan##W(lesser##W(x, y), x, y, e);                                              \
    }                                                                                              \
    static inline V maximum##W(V x, V y, const struct sem_env *e) {                                \
        return pick_nan##W(greater##W(x, y), x, y, e);                                             \
    }

#define SEM_MED3(W, V, S, MIN, MAX)                                                                \
    static inline V med3_##MAX(V x, V y, V z, const struct sem_env *e) {                           \
        const V xy = MAX(x, y, e), m = MAX(xy, z, e);                                              \
        V r = S(numeq##W(m, y), MAX(x, z, e), xy);                                                 \
        r = S(numeq##W(m, x), MAX(y, z, e), r);                                                    \
        return S(isnan##W(x) | isnan##W(y) | isnan##W(z), MIN(MIN(x, y, e), z, e), r);             \
    }

/* The instructions of a family for one format; VF2 and VF3 bind x, y, z. */
#define SEM_MINMAX_ROWS(W, F)                                                                      \
    VF2(v_min_##F, min##W(x, y, e))                                                                \
    VF2(v_max_##F, max##W(x, y, e))                                                                \
    VF2(v_min_num_##F, min_num##W(x, y, e))                                                        \
    VF2(v_max_num_##F, max_num##W(x, y, e))                                                        \
    VF2(v_minimum_##F, minimum##W(x, y, e))                                                        \
    VF2(v_maximum_##F, maximum##W(x, y, e))

#define SEM_MINMAX3_ROWS(W, F)                                                                     \
    VF3(v_min3_##F, min##W(min##W(x, y, e), z, e))                                                 \
    VF3(v_max3_##F, max##W(max##W(x, y, e), z, e))                                                 \
    VF3(v_maxmin_##F, min##W(max##W(x, y, e), z, e))                                               \
    VF3(v_minmax_##F, max##W(min##W(x, y, e), z, e))                                               \
    VF3(v_min3_num_##F, min_num##W(min_num##W(x, y, e), z, e))                                     \
    VF3(v_max3_num_##F, max_num##W(max_num##W(x, y, e), z, e))                                     \
    VF3(v_maxmin_num_##F, min_num##W(max_num##W(x, y, e), z, e))                                   \
    VF3(v_minmax_num_##F, max_num##W(min_num##W(x, y, e), z, e))                                   \
    VF3(v_minimum3_##F, minimum##W(minimum##W(x, y, e), z, e))                                     \
    VF3(v_maximum3_##F, maximum##W(maximum##W(x, y, e), z, e))                                     \
    VF3(v_maximumminimum_##F, minimum##W(maximum##W(x, y, e), z, e))                               \
    VF3(v_minimummaximum_##F, maximum##W(minimum##W(x, y, e), z, e))                               \
    VF3(v_med3_##F, med3_max##W(x, y, z, e))                                                       \
    VF3(v_med3_num_##F, med3_max_num##W(x, y, z, e))

#endif
