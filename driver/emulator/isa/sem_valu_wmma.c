/* SPDX-License-Identifier: MIT */
/* sem_valu_wmma.c - matrix multiply-accumulate D = A * B + C on 16x16 tiles, wave32.
 * Source: AMD RDNA3 ISA guide and RDNA4 ISA guide, "Wave Matrix Multiply Accumulate".
 *
 * These cross lanes and read all of them, whatever EXEC says. Order of accumulation: for each
 * element, from C, k = 0, 1, 2 ...; one rounding to nearest even in binary32 per step (the product of two
 * narrow floats is exact), one more at the end where D is narrower. Hardware does not document its
 * order; integer results do not depend on it.
 *
 * Layouts (lane l, dword v, element h inside the dword):
 *   gfx11 A, B: row (column) l % 16, lanes 16-31 repeat 0-15, k in order through the dwords.
 *   gfx11 C, D: column l % 16, row 2v + l / 16; a 16-bit element in the half given by op_sel[2].
 *   gfx12 A, B: row (column) l % 16, lanes 16-31 hold the upper half of the k range.
 *   gfx12 C, D: column l % 16, row 8 (l / 16) + v; 16-bit elements packed, row 8 (l / 16) + 2v + h.
 */
#include "driver/emulator/isa/sem_fp8.h"

enum element { EL_F16, EL_BF16, EL_FP8, EL_BF8, EL_IU8, EL_IU4, EL_F32, EL_I32 };

enum { TILE = 16, MAX_K = 64 };

struct wmma_form {
    enum element a, b, cd;
    unsigned k;   /* depth of the product */
    bool gfx12;
    bool sparse; /* A holds half of the k range, two of every four */
};

struct matrices {
    float a[TILE][MAX_K], b[TILE][MAX_K], c[TILE][TILE]; /* b by column */
    int32_t ia[TILE][MAX_K], ib[TILE][MAX_K], ic[TILE][TILE];
};

static unsigned bits_of(enum element t) {
    static const uint8_t bits[] = {16, 16, 8, 8, 8, 4, 32, 32};
    return bits[t];
}

static bool is_integer(enum element t) { return t == EL_IU8 || t == EL_IU4; }

static float bits_to_float(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static uint32_t float_to_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* Whole dword arrays of an operand, as 32 lanes of elements. */
static uint32_t element_at(const vu32 *s, unsigned lane, unsigned i, unsigned bits) {
    const unsigned per = 32 / bits;
    const uint32_t dword = s[i / per][lane];
    return bits == 32 ? dword : dword >> bits * (i % per) & ((1u << bits) - 1);
}

/* Conversion goes through the vector helpers, a lane at a time: matrices are not a hot path here. */
static float to_float(uint32_t x, enum element t) {
    const vu32 v = splat(x);
    switch (t) {
    case EL_F16: return bits_to_float(widen_f16(v)[0]);
    case EL_BF16: return bits_to_float(x << 16);
    case EL_FP8: return bits_to_float(widen_fp8(v)[0]);
    case EL_BF8: return bits_to_float(widen_bf8(v)[0]);
    default: return bits_to_float(x);
    }
}

static int32_t to_int(uint32_t x, unsigned bits, bool is_signed) {
    const uint32_t top = x << (32 - bits);
    return is_signed ? (int32_t)top >> (32 - bits) : (int32_t)(top >> (32 - bits));
}

/* neg: even elements, neg_hi: odd ones (16-bit types); for integers neg marks a signed operand. */
static void put(struct matrices *m, bool is_b, unsigned row, unsigned k, uint32_t x,
                enum element t, unsigned nth, const struct sem_env *e) {
    if (is_integer(t)) {
        const int32_t v = to_int(x, bits_of(t), e->neg >> is_b & 1);
        *(is_b ? &m->ib[row][k] : &m->ia[row][k]) = v;
        return;
    }
    float v = to_float(x, t);
    if (bits_of(t) == 16 && (nth & 1 ? e->neg_hi : e->neg) >> is_b & 1) v = -v;
    *(is_b ? &m->b[row][k] : &m->a[row][k]) = v;
}

/* Loads A or B; `stored` is the number of elements along k that the operand holds. */
static void load_ab(struct matrices *m, const vu32 *s, bool is_b, enum element t, unsigned stored,
                    bool gfx12, const struct sem_env *e) {
    const unsigned groups = gfx12 ? 2 : 1, per_lane = stored / groups;
    for (unsigned lane = 0; lane < TILE * groups; lane++)
        for (unsigned i = 0; i < per_lane; i++)
            put(m, is_b, lane % TILE, lane / TILE * per_lane + i,
                element_at(s, lane, i, bits_of(t)), t, i, e);
}

/* Sparse A: the n-th stored pair of a lane lies in the n-th group of four; the index operand gives
 * two bits for each stored element. op_sel picks the part of the index dword. */
static void load_sparse(struct matrices *m, const vu32 *s, const vu32 *index,
                        const struct wmma_form *f, const struct sem_env *e) {
    const unsigned per_lane = f->k / 4;
    const unsigned key = per_lane == 8 ? 16 * (e->op_sel & 1) : 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        const uint32_t places = index[0][lane] >> key;
        for (unsigned i = 0; i < per_lane; i++) {
            const unsigned at = places >> 2 * i & 3;
            put(m, false, lane % TILE, lane / TILE * (f->k / 2) + 4 * (i / 2) + at,
                element_at(s, lane, i, bits_of(f->a)), f->a, i, e);
        }
    }
}

/* Where element (row, column) of C and D lives: lane and index in units of the element's size. */
static unsigned cd_index(const struct wmma_form *f, unsigned row, unsigned col, unsigned half,
                         unsigned *lane) {
    if (f->gfx12) {
        *lane = col + row / 8 * TILE;
        return row % 8;
    }
    *lane = col + (row & 1) * TILE;
    return bits_of(f->cd) == 16 ? row / 2 * 2 + half : row / 2;
}

static float c_sign(float x, const struct sem_env *e) {
    if (e->neg_hi & 4) x = __builtin_fabsf(x);
    return e->neg & 4 ? -x : x;
}

static uint32_t accumulate_float(const struct matrices *m, const struct wmma_form *f, unsigned row,
                                 unsigned col) {
    float r = m->c[row][col];
    for (unsigned k = 0; k < f->k; k++) r = __builtin_fmaf(m->a[row][k], m->b[col][k], r);
    const vu32 v = splat(float_to_bits(r));
    if (f->cd == EL_F16) return narrow_f16(v, RNE)[0];
    if (f->cd == EL_BF16) return narrow_bf16(v)[0];
    return v[0];
}

/* The clamp bit saturates the final sum. */
static uint32_t accumulate_int(const struct matrices *m, const struct wmma_form *f, unsigned row,
                               unsigned col, bool clamp) {
    int64_t r = m->ic[row][col];
    for (unsigned k = 0; k < f->k; k++) r += (int64_t)m->ia[row][k] * m->ib[col][k];
    if (clamp && r > INT32_MAX) r = INT32_MAX;
    if (clamp && r < INT32_MIN) r = INT32_MIN;
    return (uint32_t)r;
}

static void wmma(vu32 *d, const vu32 *a, const vu32 *b, const vu32 *c, const struct wmma_form *f,
                 const struct sem_env *e) {
    struct matrices m;
    memset(&m, 0, sizeof m);
    /* c is the accumulator, or for sparse forms the old destination with the index in front. */
    const vu32 *index = c, *acc = c;
    if (f->sparse) acc = d;
    if (f->sparse)
        load_sparse(&m, a, index, f, e);
    else
        load_ab(&m, a, false, f->a, f->k, f->gfx12, e);
    load_ab(&m, b, true, f->b, f->k, f->gfx12, e);
    const unsigned bits = bits_of(f->cd), half = f->gfx12 ? 0 : e->op_sel >> 2 & 1;
    const unsigned dwords = bits == 32 || !f->gfx12 ? 8 : 4;
    vu32 out[8];
    for (unsigned i = 0; i < dwords; i++) out[i] = acc[i]; /* the unused halves of gfx11 stay */
    for (unsigned row = 0; row < TILE; row++)
        for (unsigned col = 0; col < TILE; col++) {
            unsigned lane;
            const unsigned i = cd_index(f, row, col, half, &lane);
            const uint32_t x = element_at(acc, lane, i, bits);
            if (f->cd == EL_I32)
                m.ic[row][col] = (int32_t)x;
            else
                m.c[row][col] = f->sparse ? to_float(x, f->cd) : c_sign(to_float(x, f->cd), e);
        }
    for (unsigned row = 0; row < TILE; row++)
        for (unsigned col = 0; col < TILE; col++) {
            unsigned lane;
            const unsigned i = cd_index(f, row, col, half, &lane);
            const uint32_t x = f->cd == EL_I32 ? accumulate_int(&m, f, row, col, e->cmod)
                                               : accumulate_float(&m, f, row, col);
            if (bits == 32) {
                out[i][lane] = x;
            } else {
                const unsigned at = 16 * (i & 1);
                out[i / 2][lane] = (out[i / 2][lane] & ~(0xffffu << at)) | x << at;
            }
        }
    for (unsigned i = 0; i < dwords; i++) d[i] = out[i];
}

#define WMMA(name, A, B, CD, K, GFX12, SPARSE)                                                     \
    VFN(name) {                                                                                    \
        static const struct wmma_form form = {EL_##A, EL_##B, EL_##CD, K, GFX12, SPARSE};          \
        wmma(d, a, b, c, &form, e);                                                                \
    }
WMMA(v_wmma_f32_16x16x16_f16, F16, F16, F32, 16, false, false)
WMMA(v_wmma_f32_16x16x16_bf16, BF16, BF16, F32, 16, false, false)
WMMA(v_wmma_f16_16x16x16_f16, F16, F16, F16, 16, false, false)
WMMA(v_wmma_bf16_16x16x16_bf16, BF16, BF16, BF16, 16, false, false)
WMMA(v_wmma_i32_16x16x16_iu8, IU8, IU8, I32, 16, false, false)
WMMA(v_wmma_i32_16x16x16_iu4, IU4, IU4, I32, 16, false, false)

WMMA(v_wmma_f32_16x16x16_f16_gfx12, F16, F16, F32, 16, true, false)
WMMA(v_wmma_f32_16x16x16_bf16_gfx12, BF16, BF16, F32, 16, true, false)
WMMA(v_wmma_f16_16x16x16_f16_gfx12, F16, F16, F16, 16, true, false)
WMMA(v_wmma_bf16_16x16x16_bf16_gfx12, BF16, BF16, BF16, 16, true, false)
WMMA(v_wmma_i32_16x16x16_iu8_gfx12, IU8, IU8, I32, 16, true, false)
WMMA(v_wmma_i32_16x16x16_iu4_gfx12, IU4, IU4, I32, 16, true, false)
WMMA(v_wmma_i32_16x16x32_iu4_gfx12, IU4, IU4, I32, 32, true, false)
WMMA(v_wmma_f32_16x16x16_fp8_fp8_gfx12, FP8, FP8, F32, 16, true, false)
WMMA(v_wmma_f32_16x16x16_fp8_bf8_gfx12, FP8, BF8, F32, 16, true, false)
WMMA(v_wmma_f32_16x16x16_bf8_fp8_gfx12, BF8, FP8, F32, 16, true, false)
WMMA(v_wmma_f32_16x16x16_bf8_bf8_gfx12, BF8, BF8, F32, 16, true, false)

WMMA(v_swmmac_f32_16x16x32_f16_gfx12, F16, F16, F32, 32, true, true)
WMMA(v_swmmac_f32_16x16x32_bf16_gfx12, BF16, BF16, F32, 32, true, true)
WMMA(v_swmmac_f16_16x16x32_f16_gfx12, F16, F16, F16, 32, true, true)
WMMA(v_swmmac_bf16_16x16x32_bf16_gfx12, BF16, BF16, BF16, 32, true, true)
WMMA(v_swmmac_i32_16x16x32_iu8_gfx12, IU8, IU8, I32, 32, true, true)
WMMA(v_swmmac_i32_16x16x32_iu4_gfx12, IU4, IU4, I32, 32, true, true)
WMMA(v_swmmac_i32_16x16x64_iu4_gfx12, IU4, IU4, I32, 64, true, true)
WMMA(v_swmmac_f32_16x16x32_fp8_fp8_gfx12, FP8, FP8, F32, 32, true, true)
WMMA(v_swmmac_f32_16x16x32_fp8_bf8_gfx12, FP8, BF8, F32, 32, true, true)
WMMA(v_swmmac_f32_16x16x32_bf8_fp8_gfx12, BF8, FP8, F32, 32, true, true)
WMMA(v_swmmac_f32_16x16x32_bf8_bf8_gfx12, BF8, BF8, F32, 32, true, true)
