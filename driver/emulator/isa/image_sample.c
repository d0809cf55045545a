/* SPDX-License-Identifier: MIT */
/* image_sample.c - addressing and filtering. Coordinates and weights are computed in binary32 as
 * the OpenCL specification writes them (section "Image addressing and filtering"); hardware keeps
 * eight bits of the weights. */
#include <math.h>
#include <string.h>

#include "driver/emulator/isa/image.h"

enum { BORDER = -1 };

/* Two neighbouring texels of an axis, or BORDER, and the weight of the second. */
struct tap {
    int64_t i[2];
    float weight;
};

struct sampling {
    struct isa_group *g;
    const struct image *im;
    const struct image_sampler *s;
    const struct image_query *q;
    uint64_t *fault_va;
};

static float float_of(uint32_t b) {
    float v;
    memcpy(&v, &b, 4);
    return v;
}

static uint32_t bits_of(float v) {
    uint32_t b;
    memcpy(&b, &v, 4);
    return b;
}

static float clamp_finite(float v) {
    if (v != v) return 0;
    return v > 0x1p30f ? 0x1p30f : v < -0x1p30f ? -0x1p30f : v;
}

static int64_t wrap(int64_t i, int64_t n) {
    i %= n;
    return i < 0 ? i + n : i;
}

/* SQ_TEX_CLAMP codes. */
enum { WRAP, MIRROR, LAST, MIRROR_LAST, HALF, MIRROR_HALF, EDGE, MIRROR_EDGE };

static int64_t address_texel(unsigned mode, int64_t i, int64_t n) {
    switch (mode) {
    case WRAP:
        return wrap(i, n);
    case MIRROR:
        i = wrap(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case LAST:
    case MIRROR_LAST:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    default:
        return i < 0 || i >= n ? BORDER : i;
    }
}

static struct tap make_tap(unsigned mode, float c, bool normalized, int offset, uint32_t size,
                           bool linear) {
    float n = (float)size, u;
    c = clamp_finite(c);
    if (normalized && mode == WRAP) c -= floorf(c);
    if (normalized && mode == MIRROR) c = fabsf(c - 2 * rintf(0.5f * c));
    u = normalized ? c * n : c;
    if (mode == MIRROR_LAST || mode == MIRROR_HALF || mode == MIRROR_EDGE) u = fabsf(u);
    if (mode == HALF || mode == MIRROR_HALF) u = u < 0 ? 0 : u > n ? n : u;
    struct tap t = {.weight = 0};
    if (!linear) {
        int64_t i = (int64_t)floorf(u);
        /* Rounding of c * n must not leave the image. */
        if (normalized && mode <= MIRROR && i >= (int64_t)size) i = mode == WRAP ? 0 : size - 1;
        t.i[0] = t.i[1] = address_texel(mode, i + offset, size);
        return t;
    }
    float low = floorf(u - 0.5f);
    t.weight = u - 0.5f - low;
    t.i[0] = address_texel(mode, (int64_t)low + offset, size);
    t.i[1] = address_texel(mode, (int64_t)low + 1 + offset, size);
    return t;
}

static struct image_texel border_texel(const struct sampling *p) {
    uint32_t one = image_format_integer(p->im->format) ? 1 : 0x3f800000;
    uint32_t rgb = p->s->border == 2 ? one : 0;
    return (struct image_texel){{rgb, rgb, rgb, p->s->border ? one : 0}};
}

static bool passes(unsigned function, float ref, float texel) {
    switch (function) {
    case 1:
        return ref < texel;
    case 2:
        return ref == texel;
    case 3:
        return ref <= texel;
    case 4:
        return ref > texel;
    case 5:
        return ref != texel;
    case 6:
        return ref >= texel;
    default:
        return function == 7;
    }
}

static bool fetch(const struct sampling *p, unsigned level, int64_t x, int64_t y, int64_t z,
                  struct image_texel *out) {
    *out = border_texel(p);
    if (x != BORDER && y != BORDER && z != BORDER) {
        uint8_t buf[16];
        uint64_t va = image_address(p->im, level, (uint32_t)x, (uint32_t)y, (uint32_t)z);
        if (!isa_mem_read(p->g, ISA_CLIENT_VECTOR, ISA_READ, va, buf, p->im->format->bytes)) {
            *p->fault_va = va;
            return false;
        }
        *out = image_decode(p->im->format, buf);
    }
    if (p->q->has_compare) {
        bool pass = passes(p->s->compare, float_of(p->q->compare), float_of(out->c[0]));
        out->c[0] = bits_of(pass ? 1.0f : 0.0f);
    }
    return true;
}

/* Where a query touches a level. */
struct footprint {
    struct tap x, y, z;
};

static unsigned axes_of(const struct image *im) {
    return im->dim == IMAGE_3D ? 3 : im->dim == IMAGE_1D || im->dim == IMAGE_1D_ARRAY ? 1 : 2;
}

static int64_t layer_of(const struct sampling *p) {
    float l = 0;
    if (p->im->dim == IMAGE_1D_ARRAY) l = p->q->coord[1];
    if (p->im->dim == IMAGE_2D_ARRAY || p->im->dim == IMAGE_CUBE) l = p->q->coord[2];
    int64_t i = (int64_t)rintf(clamp_finite(l)), last = (int64_t)p->im->depth - 1;
    return i < 0 ? 0 : i > last ? last : i;
}

static struct footprint footprint_of(const struct sampling *p, unsigned level, bool linear) {
    uint32_t size[3];
    image_level_size(p->im, level, size);
    bool normalized = !p->s->unnormalized;
    const float *c = p->q->coord;
    const int *o = p->q->offset;
    unsigned axes = axes_of(p->im);
    struct footprint f = {.x = make_tap(p->s->clamp[0], c[0], normalized, o[0], size[0], linear)};
    if (axes > 1) f.y = make_tap(p->s->clamp[1], c[1], normalized, o[1], size[1], linear);
    if (axes > 2)
        f.z = make_tap(p->s->clamp[2], c[2], normalized, o[2], size[2],
                       p->s->z_filter == 2 || (p->s->z_filter == 0 && linear));
    else
        f.z.i[0] = f.z.i[1] = layer_of(p);
    return f;
}

/* The weighted sum of the texels; the exact texel when only one counts. */
static bool filter_level(const struct sampling *p, unsigned level, bool linear,
                         struct image_texel *out) {
    if (image_format_integer(p->im->format)) linear = false;
    struct footprint f = footprint_of(p, level, linear);
    float sum[4] = {0};
    for (unsigned k = 0; k < 8; k++) {
        unsigned a = k & 1, b = k >> 1 & 1, c = k >> 2;
        float w = (a ? f.x.weight : 1 - f.x.weight) * (b ? f.y.weight : 1 - f.y.weight) *
                  (c ? f.z.weight : 1 - f.z.weight);
        if (w == 0) continue;
        struct image_texel t;
        if (!fetch(p, level, f.x.i[a], f.y.i[b], f.z.i[c], &t)) return false;
        if (w == 1) {
            *out = t;
            return true;
        }
        for (unsigned i = 0; i < 4; i++)
            sum[i] += w * float_of(t.c[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        out->c[i] = bits_of(sum[i]);
    return true;
}

static bool gather(const struct sampling *p, unsigned level, struct image_texel *out) {
    struct footprint f = footprint_of(p, level, true);
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    uint32_t size[3];
    image_level_size(p->im, level, size);
    for (unsigned i = 0; i < 4; i++) {
        struct image_texel t;
        int64_t x = f.x.i[order[i][0]], y = f.y.i[order[i][1]];
        if (p->q->horizontal) {
            float u = clamp_finite(p->q->coord[0]) * (p->s->unnormalized ? 1 : (float)size[0]);
            x = address_texel(p->s->clamp[0], (int64_t)floorf(u - 0.5f) + (int)i, size[0]);
            y = f.y.i[0];
        }
        if (!fetch(p, level, x, y, f.z.i[0], &t)) return false;
        out->c[i] = image_select(p->im->format, p->im->sel, &t).c[p->q->gather & 3];
    }
    return true;
}

static unsigned level_at(const struct image *im, float lod) {
    unsigned level = im->base_level + (lod > 0 ? (unsigned)lod : 0);
    return level > im->last_level ? im->last_level : level;
}

bool image_sample(struct isa_group *g, const struct image *im, const struct image_sampler *s,
                  const struct image_query *q, struct image_texel *out, uint64_t *fault_va) {
    struct sampling p = {g, im, s, q, fault_va};
    if (!im->format || !im->depth) {
        *out = (struct image_texel){{0}};
        return true;
    }
    float lod = image_clamp_lod(im, s, q->lod, q->lod_clamp);
    bool linear = (lod > 0 ? s->min : s->mag) & 1;
    if (s->mip == 1) lod = rintf(lod);
    if (s->mip == 0) lod = 0;
    if (q->gather >= 0) return gather(&p, level_at(im, lod), out);
    struct image_texel a;
    unsigned level = level_at(im, lod), next = level_at(im, lod + 1);
    float w = lod > 0 ? lod - floorf(lod) : 0;
    if (!filter_level(&p, level, linear, &a)) return false;
    if (s->mip == 2 && w > 0 && next != level && !image_format_integer(im->format)) {
        struct image_texel b;
        if (!filter_level(&p, next, linear, &b)) return false;
        for (unsigned i = 0; i < 4; i++)
            a.c[i] = bits_of((1 - w) * float_of(a.c[i]) + w * float_of(b.c[i]));
    }
    *out = image_select(im->format, im->sel, &a);
    return true;
}

float image_lod(const struct image *im, const struct image_sampler *s, const float dx[3],
                const float dy[3]) {
    uint32_t size[3];
    float x = 0, y = 0;
    image_level_size(im, im->base_level, size);
    for (unsigned i = 0; i < axes_of(im); i++) {
        float n = s->unnormalized ? 1 : (float)size[i];
        x += dx[i] * n * dx[i] * n;
        y += dy[i] * n * dy[i] * n;
    }
    return 0.5f * log2f(x > y ? x : y);
}

float image_clamp_lod(const struct image *im, const struct image_sampler *s, float lod,
                      float lod_clamp) {
    float low = s->min_lod > im->min_lod ? s->min_lod : im->min_lod;
    if (lod_clamp > low) low = lod_clamp;
    if (!(lod > low)) lod = low; /* NaN too */
    return lod > s->max_lod ? s->max_lod : lod;
}
