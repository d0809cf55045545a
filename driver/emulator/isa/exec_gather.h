/* SPDX-License-Identifier: MIT */
/* exec_gather.h - one dword a lane from scattered places. Lanes that lie close together, as equal,
 * consecutive or tiled indices do, come from one vector load and a permute: hosts' gathers are
 * slow. */
#ifndef RAWCL_ISA_EXEC_GATHER_H
#define RAWCL_ISA_EXEC_GATHER_H

#include "driver/emulator/isa/vec.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Reads base + off[i] (4 bytes) for the lanes of exec; other lanes hold anything. `readable` bytes
 * from base on may be touched; every active off + 4 is within it and below 2^31. */
#if defined(__AVX512F__)
static inline __m512i gather_16(const uint8_t *base, uint64_t readable, __m512i off,
                                __mmask16 exec) {
    if (!exec) return off;
    uint32_t lanes[16];
    memcpy(lanes, &off, sizeof lanes);
    const uint32_t first = lanes[__builtin_ctz(exec)];
    __m512i d = _mm512_sub_epi32(off, _mm512_set1_epi32((int)first));
    __mmask16 far = _mm512_mask_test_epi32_mask(exec, d, _mm512_set1_epi32(~0x3c));
    if (!far && first + UINT64_C(64) <= readable)
        return _mm512_permutexvar_epi32(_mm512_srli_epi32(d, 2), _mm512_loadu_si512(base + first));
    return _mm512_mask_i32gather_epi32(off, exec, off, base, 1);
}

static inline vu32 gather_dwords(const uint8_t *base, uint64_t readable, vu32 off, uint32_t exec) {
    __m512i o[2], r[2];
    memcpy(o, &off, sizeof o);
    r[0] = gather_16(base, readable, o[0], (__mmask16)exec);
    r[1] = gather_16(base, readable, o[1], (__mmask16)(exec >> 16));
    memcpy(&off, r, sizeof r);
    return off;
}
#elif defined(__AVX2__)
static inline __m256i gather_8(const uint8_t *base, uint64_t readable, __m256i off, uint32_t exec) {
    if (!exec) return off;
    uint32_t lanes[8];
    memcpy(lanes, &off, sizeof lanes);
    const uint32_t first = lanes[__builtin_ctz(exec)];
    __m256i d = _mm256_sub_epi32(off, _mm256_set1_epi32((int)first));
    __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i on = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)exec), bits), bits);
    __m256i far = _mm256_and_si256(_mm256_and_si256(d, on), _mm256_set1_epi32(~0x1c));
    if (_mm256_testz_si256(far, far) && first + UINT64_C(32) <= readable)
        return _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(base + first)),
                                           _mm256_srli_epi32(d, 2));
    return _mm256_mask_i32gather_epi32(off, (const int *)base, off, on, 1);
}

static inline vu32 gather_dwords(const uint8_t *base, uint64_t readable, vu32 off, uint32_t exec) {
    __m256i o[4], r[4];
    memcpy(o, &off, sizeof o);
    for (unsigned i = 0; i < 4; i++)
        r[i] = gather_8(base, readable, o[i], exec >> 8 * i & 0xff);
    memcpy(&off, r, sizeof r);
    return off;
}
#else
static inline vu32 gather_dwords(const uint8_t *base, uint64_t readable, vu32 off, uint32_t exec) {
    (void)readable;
    for (uint32_t m = exec; m; m &= m - 1) {
        uint32_t *o = (uint32_t *)&off + __builtin_ctz(m);
        memcpy(o, base + *o, 4);
    }
    return off;
}
#endif

#endif
