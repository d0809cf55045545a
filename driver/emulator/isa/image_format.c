/* SPDX-License-Identifier: MIT */
/* image_format.c - texels of images and typed buffers. Numbers and names: BUF_FMT and IMG_FMT of
 * the RDNA3 and RDNA4 ISA guides; a name lists components from the high bits to the low ones. */
#include <math.h>
#include <string.h>

#include "driver/emulator/isa/image.h"

#define F(n, num, ...)                                                                             \
    {                                                                                              \
        .components = n, .number = IMAGE_##num, .bits = { __VA_ARGS__ }                            \
    }
/* The runs of number types in which the list is ordered. */
#define RUN6(at, n, ...)                                                                           \
    [at] = F(n, UNORM, __VA_ARGS__), [at + 1] = F(n, SNORM, __VA_ARGS__),                          \
    [at + 2] = F(n, USCALED, __VA_ARGS__), [at + 3] = F(n, SSCALED, __VA_ARGS__),                  \
    [at + 4] = F(n, UINT, __VA_ARGS__), [at + 5] = F(n, SINT, __VA_ARGS__)
#define RUN7(at, n, ...) RUN6(at, n, __VA_ARGS__), [at + 6] = F(n, FLOAT, __VA_ARGS__)
#define RUN3(at, n, ...)                                                                           \
    [at] = F(n, UINT, __VA_ARGS__), [at + 1] = F(n, SINT, __VA_ARGS__),                            \
    [at + 2] = F(n, FLOAT, __VA_ARGS__)

static const struct image_format formats[] = {
    RUN6(1, 1, 8),
    RUN7(7, 1, 16),
    RUN6(14, 2, 8, 8),
    RUN3(20, 1, 32),
    RUN7(23, 2, 16, 16),
    [30] = F(3, FLOAT, 11, 11, 10),
    [31] = F(3, FLOAT, 10, 11, 11),
    [32] = F(4, UNORM, 2, 10, 10, 10),
    [33] = F(4, SNORM, 2, 10, 10, 10),
    [34] = F(4, UINT, 2, 10, 10, 10),
    [35] = F(4, SINT, 2, 10, 10, 10),
    RUN6(36, 4, 10, 10, 10, 2),
    RUN6(42, 4, 8, 8, 8, 8),
    RUN3(48, 2, 32, 32),
    RUN7(51, 4, 16, 16, 16, 16),
    RUN3(58, 3, 32, 32, 32),
    RUN3(61, 4, 32, 32, 32, 32),
    [64] = F(1, SRGB, 8),
    [65] = F(2, SRGB, 8, 8),
    [66] = F(4, SRGB, 8, 8, 8, 8),
    [67] = F(3, SHARED_EXPONENT, 9, 9, 9, 5),
    [68] = F(3, UNORM, 5, 6, 5),
    [69] = F(4, UNORM, 5, 5, 5, 1),
    [70] = F(4, UNORM, 1, 5, 5, 5),
    [71] = F(4, UNORM, 4, 4, 4, 4),
    [72] = F(2, UNORM, 4, 4),
    [75] = F(1, FLOAT, 32),
    [76] = F(2, UNORM, 24, 8),
    [77] = F(2, UINT, 24, 8),
    [78] = F(2, UNORM, 8, 24),
    [79] = F(2, UINT, 8, 24),
};

enum { FORMATS = sizeof formats / sizeof *formats };

const struct image_format *image_format_by_value(unsigned value) {
    /* The sizes follow from the bits. */
    static struct image_format table[FORMATS];
    static _Atomic int ready;
    if (!ready) {
        struct image_format t[FORMATS];
        memcpy(t, formats, sizeof t);
        for (unsigned i = 0; i < FORMATS; i++)
            t[i].bytes = (uint8_t)((t[i].bits[0] + t[i].bits[1] + t[i].bits[2] + t[i].bits[3]) / 8);
        memcpy(table, t, sizeof t); /* the same bytes, whoever writes them */
        ready = 1;
    }
    return value < FORMATS && table[value].bytes ? &table[value] : NULL;
}

static uint32_t bits_of(float v) {
    uint32_t b;
    memcpy(&b, &v, 4);
    return b;
}

static float float_of(uint32_t b) {
    float v;
    memcpy(&v, &b, 4);
    return v;
}

/* --- small floats: exponent of 5 bits, `m` bits of fraction, sign or not --- */

static uint32_t small_to_float(uint32_t v, unsigned m) {
    uint32_t e = v >> m & 31, f = v & ((1u << m) - 1);
    if (e == 31) return 0x7f800000 | f << (23 - m);
    if (e) return (e + 112) << 23 | f << (23 - m);
    return bits_of(ldexpf((float)f, -14 - (int)m));
}

/* Magnitude of a positive or NaN binary32. Nearest even; overflow gives infinity. */
static uint32_t float_to_small(uint32_t a, unsigned m) {
    if (a > 0x7f800000) return 31u << m | 1u << (m - 1);
    if (a >= 0x47800000) return 31u << m;
    if (a < 0x38800000) return (uint32_t)rintf(ldexpf(float_of(a), 14 + (int)m));
    unsigned drop = 23 - m;
    a += (1u << (drop - 1)) - 1 + (a >> drop & 1);
    return (a - 0x38000000) >> drop;
}

uint32_t image_from_half(uint32_t h) {
    return (h & 0x8000) << 16 | small_to_float(h & 0x7fff, 10);
}

uint32_t image_to_half(uint32_t b) {
    return (b >> 16 & 0x8000) | float_to_small(b & 0x7fffffff, 10);
}

/* --- components --- */

static float srgb_to_linear(float v) {
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static float linear_to_srgb(float v) {
    if (!(v > 0)) return 0; /* NaN too */
    if (v > 1) return 1;
    return v < 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

static uint32_t decode_component(enum image_number number, unsigned bits, uint32_t v, bool alpha) {
    int32_t s = (int32_t)(v << (32 - bits)) >> (32 - bits);
    double max = (double)((UINT64_C(1) << bits) - 1);
    switch (number) {
    case IMAGE_UNORM:
        return bits_of((float)(v / max));
    case IMAGE_SNORM: {
        double r = s / (double)((1u << (bits - 1)) - 1);
        return bits_of(r < -1 ? -1.0f : (float)r);
    }
    case IMAGE_USCALED:
        return bits_of((float)v);
    case IMAGE_SSCALED:
        return bits_of((float)s);
    case IMAGE_SINT:
        return (uint32_t)s;
    case IMAGE_FLOAT:
        if (bits == 32) return v;
        return bits == 16 ? image_from_half(v) : small_to_float(v, bits - 5);
    case IMAGE_SRGB:
        return bits_of(alpha ? (float)(v / max) : srgb_to_linear((float)(v / max)));
    default:
        return v;
    }
}

static uint32_t clamp_round(float v, double lo, double hi, double scale) {
    if (v != v) return 0;
    double r = v < lo ? lo : v > hi ? hi : v;
    return (uint32_t)(int64_t)rint(r * scale);
}

static uint32_t encode_component(enum image_number number, unsigned bits, uint32_t c, bool alpha) {
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    int32_t smax = (int32_t)(mask >> 1), s = (int32_t)c;
    float v = float_of(c);
    switch (number) {
    case IMAGE_UNORM:
        return clamp_round(v, 0, 1, mask);
    case IMAGE_SNORM:
        return clamp_round(v, -1, 1, smax) & mask;
    case IMAGE_USCALED:
        return clamp_round(v, 0, mask, 1);
    case IMAGE_SSCALED:
        return clamp_round(v, -(double)smax - 1, smax, 1) & mask;
    case IMAGE_UINT:
        return c > mask ? mask : c;
    case IMAGE_SINT:
        return (uint32_t)(s > smax ? smax : s < -smax - 1 ? -smax - 1 : s) & mask;
    case IMAGE_FLOAT:
        if (bits == 32) return c;
        if (bits == 16) return image_to_half(c);
        /* No sign: negative numbers become 0, a NaN stays one. */
        if (c >> 31 && (c & 0x7fffffff) <= 0x7f800000) return 0;
        return float_to_small(c & 0x7fffffff, bits - 5);
    case IMAGE_SRGB:
        return clamp_round(alpha ? v : linear_to_srgb(v), 0, 1, mask);
    default:
        return c;
    }
}

static struct image_texel decode_shared(uint32_t v) {
    struct image_texel t;
    int e = (int)(v >> 27) - 24;
    for (unsigned i = 0; i < 3; i++)
        t.c[i] = bits_of(ldexpf((float)(v >> 9 * i & 511), e));
    t.c[3] = bits_of(1);
    return t;
}

static uint32_t encode_shared(const struct image_texel *t) {
    float c[3], top = 0;
    for (unsigned i = 0; i < 3; i++) {
        c[i] = float_of(t->c[i]);
        c[i] = c[i] > 0 ? (c[i] > 65408 ? 65408 : c[i]) : 0;
        if (c[i] > top) top = c[i];
    }
    int e = 0;
    frexpf(top, &e);
    if (top == 0 || e < -15) e = -15;
    if (rintf(ldexpf(top, 9 - e)) == 512) e++;
    uint32_t v = (uint32_t)(e + 15) << 27;
    for (unsigned i = 0; i < 3; i++)
        v |= (uint32_t)rintf(ldexpf(c[i], 9 - e)) << 9 * i;
    return v;
}

static uint32_t one_of(const struct image_format *f) {
    return image_format_integer(f) ? 1 : 0x3f800000;
}

struct image_texel image_decode(const struct image_format *f, const uint8_t *p) {
    uint32_t w[4] = {0};
    memcpy(w, p, f->bytes);
    if (f->number == IMAGE_SHARED_EXPONENT) return decode_shared(w[0]);
    struct image_texel t = {{0, 0, 0, one_of(f)}};
    for (unsigned i = 0, at = 0; i < f->components; at += f->bits[i++]) {
        uint64_t pair = w[at / 32] | (at < 96 ? (uint64_t)w[at / 32 + 1] << 32 : 0);
        uint32_t v = (uint32_t)(pair >> at % 32);
        if (f->bits[i] < 32) v &= (1u << f->bits[i]) - 1;
        t.c[i] = decode_component(f->number, f->bits[i], v, i == 3);
    }
    return t;
}

void image_encode(const struct image_format *f, const struct image_texel *t, uint8_t *p) {
    uint32_t w[5] = {0};
    if (f->number == IMAGE_SHARED_EXPONENT) {
        w[0] = encode_shared(t);
    } else {
        for (unsigned i = 0, at = 0; i < f->components; at += f->bits[i++]) {
            uint64_t v = encode_component(f->number, f->bits[i], t->c[i], i == 3);
            v <<= at % 32;
            w[at / 32] |= (uint32_t)v;
            w[at / 32 + 1] |= (uint32_t)(v >> 32);
        }
    }
    memcpy(p, w, f->bytes);
}

/* SQ_SEL: 0 zero, 1 one, 4..7 X..W. */
struct image_texel image_select(const struct image_format *f, const uint8_t sel[4],
                                const struct image_texel *t) {
    struct image_texel r;
    for (unsigned i = 0; i < 4; i++)
        r.c[i] = sel[i] >= 4 ? t->c[sel[i] & 3] : sel[i] == 1 ? one_of(f) : 0;
    return r;
}

struct image_texel image_unselect(const uint8_t sel[4], const struct image_texel *t) {
    struct image_texel r = {{0}};
    for (unsigned i = 4; i-- > 0;)
        if (sel[i] >= 4) r.c[sel[i] & 3] = t->c[i];
    return r;
}
