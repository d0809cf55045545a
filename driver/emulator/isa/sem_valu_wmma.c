/* SPDX-License-Identifier: MIT */
/* sem_valu_wmma.c - matrix multiply-accumulate D = A * B + C on 16x16 tiles, wave32.
 * Source: AMD RDNA3 ISA guide and RDNA4 ISA guide, "Wave Matrix Multiply Accumulate".
 *
 * These cross lanes and read all of them, whatever EXEC says. Order of accumulation: for each
 * element, from C, k = 0, 1, 2 ...; one rounding to nearest even in binary32 per step (the product
 * of two narrow floats is exact), one more at the end where D is narrower. Hardware does not
 * document its order; integer results do not depend on it.
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
    unsigned k; /* depth of the product */
    bool gfx12;
    bool sparse; /* A holds half of the k range, two of every four */
};

/* Float bits or integers; B by k. */
struct matrices {
    uint32_t a[TILE][MAX_K], b[MAX_K][TILE], c[TILE][TILE];
};

static unsigned bits_of(enum element t) {
    static const uint8_t bits[] = {16, 16, 8, 8, 8, 4, 32, 32};
    return bits[t];
}

static bool is_integer(enum element t) {
    return t == EL_IU8 || t == EL_IU4;
}

/* Element i of every lane, raw. */
static vu32 elements(const vu32 *s, unsigned i, unsigned bits) {
    const unsigned per = 32 / bits;
    const vu32 dword = s[i / per];
    return bits == 32 ? dword : dword >> bits * (i % per) & ((1u << bits) - 1);
}

static vu32 to_floats(vu32 x, enum element t) {
    switch (t) {
    case EL_F16:
        return widen_f16(x);
    case EL_BF16:
        return widen_bf16(x);
    case EL_FP8:
        return widen_fp8(x);
    case EL_BF8:
        return widen_bf8(x);
    default:
        return x;
    }
}

static vu32 to_ints(vu32 x, unsigned bits, bool is_signed) {
    const vu32 top = x << (32 - bits);
    return is_signed ? (vu32)((vi32)top >> (int)(32 - bits)) : top >> (32 - bits);
}

/* Element i of every lane of A or B as float bits or integers. neg: even elements, neg_hi: odd ones
 * (16-bit types); for integers neg marks a signed operand. */
static vu32 ab_elements(const vu32 *s, unsigned i, bool is_b, enum element t,
                        const struct sem_env *e) {
    const vu32 x = elements(s, i, bits_of(t));
    if (is_integer(t)) return to_ints(x, bits_of(t), e->neg >> is_b & 1);
    const vu32 v = to_floats(x, t);
    const bool negate = bits_of(t) == 16 && (i & 1 ? e->neg_hi : e->neg) >> is_b & 1;
    return negate ? v ^ 0x80000000u : v;
}

/* Loads A (by row) or B (by k). */
static void load_ab(struct matrices *m, const vu32 *s, bool is_b, enum element t,
                    const struct wmma_form *f, const struct sem_env *e) {
    const unsigned groups = f->gfx12 ? 2 : 1, per_lane = f->k / groups;
    for (unsigned i = 0; i < per_lane; i++) {
        const vu32 v = ab_elements(s, i, is_b, t, e);
        for (unsigned lane = 0; lane < TILE * groups; lane++) {
            const unsigned k = lane / TILE * per_lane + i;
            *(is_b ? &m->b[k][lane % TILE] : &m->a[lane % TILE][k]) = v[lane];
        }
    }
}

/* Sparse A: the n-th stored pair of a lane lies in the n-th group of four; the index operand gives
 * two bits for each stored element. op_sel picks the part of the index dword. */
static void load_sparse(struct matrices *m, const vu32 *s, const vu32 *index,
                        const struct wmma_form *f, const struct sem_env *e) {
    const unsigned per_lane = f->k / 4;
    const unsigned key = per_lane == 8 ? 16 * (e->op_sel & 1) : 0;
    for (unsigned i = 0; i < per_lane; i++) {
        const vu32 v = ab_elements(s, i, false, f->a, e);
        for (unsigned lane = 0; lane < 32; lane++) {
            const unsigned at = index[0][lane] >> (key + 2 * i) & 3;
            m->a[lane % TILE][lane / TILE * (f->k / 2) + 4 * (i / 2) + at] = v[lane];
        }
    }
}

static float as_float(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* A row of D: 16 columns side by side. */
static void accumulate_float(struct matrices *m, const struct wmma_form *f, unsigned row) {
    float r[TILE];
    memcpy(r, m->c[row], sizeof r);
    for (unsigned k = 0; k < f->k; k++) {
        const float x = as_float(m->a[row][k]);
        float y[TILE];
        memcpy(y, m->b[k], sizeof y);
        for (unsigned col = 0; col < TILE; col++)
            r[col] = __builtin_fmaf(x, y[col], r[col]);
    }
    memcpy(m->c[row], r, sizeof r);
}

/* The clamp bit saturates the final sum. The sums of products alone fit 32 bits. */
static void accumulate_int(struct matrices *m, const struct wmma_form *f, unsigned row,
                           bool clamp) {
    int32_t p[TILE] = {0};
    for (unsigned k = 0; k < f->k; k++) {
        const int32_t x = (int32_t)m->a[row][k];
        for (unsigned col = 0; col < TILE; col++)
            p[col] += x * (int32_t)m->b[k][col];
    }
    for (unsigned col = 0; col < TILE; col++) {
        int64_t r = (int64_t)p[col] + (int32_t)m->c[row][col];
        if (clamp && r > INT32_MAX) r = INT32_MAX;
        if (clamp && r < INT32_MIN) r = INT32_MIN;
        m->c[row][col] = (uint32_t)r;
    }
}

/* Reads C, or writes D, element by element: i counts elements of the format in a lane. */
static void move_cd(struct matrices *m, vu32 *s, const struct wmma_form *f, unsigned half,
                    bool write, const struct sem_env *e) {
    const unsigned bits = bits_of(f->cd), step = bits == 16 && !f->gfx12 ? 2 : 1;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned at = i * step + (step == 2 ? half : 0), shift = 16 * (at & 1);
        vu32 v = bits == 32 ? s[at] : elements(s, at, 16);
        if (!write && !is_integer(f->a)) {
            v = to_floats(v, f->cd);
            if (!f->sparse && e->neg_hi & 4) v &= 0x7fffffffu;
            if (!f->sparse && e->neg & 4) v ^= 0x80000000u;
        }
        for (unsigned lane = 0; lane < 32; lane++) {
            const unsigned row = f->gfx12 ? lane / TILE * 8 + i : 2 * i + lane / TILE;
            uint32_t *const c = &m->c[row][lane % TILE];
            if (write)
                v[lane] = *c;
            else
                *c = v[lane];
        }
        if (!write) continue;
        if (f->cd == EL_F16) v = narrow_f16(v, RNE);
        if (f->cd == EL_BF16) v = narrow_bf16(v);
        if (bits == 32)
            s[at] = v;
        else
            s[at / 2] = (s[at / 2] & ~(0xffffu << shift)) | v << shift;
    }
}

static void wmma(vu32 *d, const vu32 *a, const vu32 *b, const vu32 *c, const struct wmma_form *f,
                 const struct sem_env *e) {
    struct matrices m;
    memset(&m, 0, sizeof m);
    /* Dense forms add to c; sparse ones to the old destination, c is their index. The halves of
     * dwords that a gfx11 16-bit result does not use stay as they are in C (the same registers). */
    vu32 out[8];
    const unsigned dwords = bits_of(f->cd) == 32 || !f->gfx12 ? 8 : 4;
    for (unsigned i = 0; i < dwords; i++)
        out[i] = f->sparse ? d[i] : c[i];
    const unsigned half = e->op_sel >> 2 & 1;
    if (f->sparse)
        load_sparse(&m, a, c, f, e);
    else
        load_ab(&m, a, false, f->a, f, e);
    load_ab(&m, b, true, f->b, f, e);
    move_cd(&m, out, f, half, false, e);
    for (unsigned row = 0; row < TILE; row++) {
        if (f->cd == EL_I32)
            accumulate_int(&m, f, row, SEM_CLAMP(e));
        else
            accumulate_float(&m, f, row);
    }
    move_cd(&m, out, f, half, true, e);
    for (unsigned i = 0; i < dwords; i++)
        d[i] = out[i];
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
