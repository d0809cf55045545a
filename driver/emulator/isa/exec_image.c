/* SPDX-License-Identifier: MIT */
/* exec_image.c - image instructions: MIMG of gfx11, VIMAGE and VSAMPLE of gfx12. What they do with
 * a texel is in image.h.
 *
 * xinst: aux points to a struct image_inst. Order of address components (RDNA3 ISA guide, "Image
 * addressing"): offset, bias, reference, derivatives, coordinates, LOD or LOD clamp. */
#include <stdlib.h>

#include "driver/emulator/isa/exec_mem.h"
#include "driver/emulator/isa/image.h"

enum { MAX_ADDRESS = 13 };

struct image_inst {
    uint16_t vaddr[MAX_ADDRESS]; /* VGPR of each address dword */
    uint16_t vdata, rsrc, samp;
    uint8_t address_dwords, dim, dmask;
    uint8_t operation, size; /* atomic */
    bool d16, a16, g16, tfe, unnormalized, r128, mip, packed, sign, returns;
    bool offset, bias, compare, derivatives, lod, zero_lod, clamp, gather, horizontal, get_lod;
};

static unsigned coordinates_of(unsigned dim) {
    static const uint8_t n[] = {1, 2, 3, 3, 2, 3, 3, 3}; /* with layer, face or sample */
    return n[dim & 7];
}

/* Components that have a derivative. */
static unsigned gradients_of(unsigned dim) {
    static const uint8_t n[] = {1, 2, 3, 2, 1, 2, 2, 2};
    return n[dim & 7];
}

static const struct image_inst *inst_of(const struct xinst *x) {
    return (const struct image_inst *)(uintptr_t)x->aux;
}

static bool resource(struct wave *w, const struct xinst *x, struct image *im) {
    const struct image_inst *in = inst_of(x);
    uint32_t d[8] = {0};
    const char *why;
    memcpy(d, &w->s[in->rsrc], in->r128 ? 16 : 32);
    if (image_resource(w->g->d.arch, d, im, &why)) return true;
    isa_stop_illegal(w, x, true, why);
    return false;
}

static uint32_t address_dword(const struct wave *w, const struct image_inst *in, unsigned half,
                              unsigned lane, unsigned i) {
    return *mem_lane(exec_vgpr(w, half, in->vaddr[i]), lane);
}

/* Component i of a run of them that begins at dword `at`; narrow: two to a dword. */
static uint32_t component(const struct wave *w, const struct image_inst *in, unsigned half,
                          unsigned lane, unsigned at, unsigned i, bool narrow) {
    if (!narrow) return address_dword(w, in, half, lane, at + i);
    return address_dword(w, in, half, lane, at + i / 2) >> (i & 1 ? 16 : 0) & 0xffff;
}

static float float_component(const struct wave *w, const struct image_inst *in, unsigned half,
                             unsigned lane, unsigned at, unsigned i, bool narrow) {
    uint32_t v = component(w, in, half, lane, at, i, narrow);
    if (narrow) v = image_from_half(v);
    float f;
    memcpy(&f, &v, 4);
    return f;
}

/* Integer coordinates, and the level. False: out of range. */
static bool texel_position(const struct wave *w, const struct image_inst *in,
                           const struct image *im, unsigned half, unsigned lane, unsigned *level,
                           uint32_t at[3]) {
    uint32_t c[3] = {0}, mip = 0;
    unsigned n = coordinates_of(in->dim);
    if (!im->format) return false;
    for (unsigned i = 0; i < n; i++)
        c[i] = component(w, in, half, lane, 0, i, in->a16);
    if (in->mip) mip = component(w, in, half, lane, 0, n, in->a16);
    if (mip > 15) return false;
    *level = im->base_level + mip;
    return image_coordinate(im, *level, c, at);
}

/* Registers that dmask's components take, without the status of TFE. */
static unsigned data_dwords(const struct image_inst *in) {
    unsigned n = in->gather ? 4 : (unsigned)__builtin_popcount(in->dmask);
    return in->d16 ? (n + 1) / 2 : n;
}

static void put_texel(const struct wave *w, const struct image_inst *in, unsigned half,
                      unsigned lane, const struct image_texel *t, bool integer) {
    vu32 *d = exec_vgpr(w, half, in->vdata);
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (!in->gather && !(in->dmask >> i & 1)) continue;
        uint32_t v = t->c[i];
        if (!in->d16) {
            *mem_lane(&d[n++], lane) = v;
            continue;
        }
        v = integer ? v & 0xffff : image_to_half(v);
        uint32_t *r = mem_lane(&d[n / 2], lane);
        *r = n & 1 ? (*r & 0xffff) | v << 16 : (*r & 0xffff0000) | v;
        n++;
    }
    if (in->tfe) *mem_lane(&d[data_dwords(in)], lane) = 0; /* resident */
}

/* Components that dmask lacks: zero. */
static struct image_texel get_texel(const struct wave *w, const struct image_inst *in,
                                    unsigned half, unsigned lane, const struct image_format *f) {
    vu32 *d = exec_vgpr(w, half, in->vdata);
    struct image_texel t = {{0}};
    for (unsigned i = 0, n = 0; i < 4; i++) {
        if (!(in->dmask >> i & 1)) continue;
        uint32_t v = *mem_lane(&d[in->d16 ? n / 2 : n], lane);
        if (in->d16) {
            v = n & 1 ? v >> 16 : v & 0xffff;
            if (f->number == IMAGE_SINT)
                v = (uint32_t)(int16_t)v;
            else if (f->number != IMAGE_UINT)
                v = image_from_half(v);
        }
        t.c[i] = v;
        n++;
    }
    return t;
}

static const struct xinst *fault(struct wave *w, const struct xinst *x, unsigned half, unsigned i,
                                 uint64_t va, const char *what) {
    return isa_stop_fault(w, x, half * 32 + i, va, what);
}

/* The texel's bits, a dword at a time. */
static struct image_texel raw_texel(const struct image_inst *in, const struct image_format *f,
                                    const uint8_t *buf) {
    struct image_texel t = {{0}};
    memcpy(t.c, buf, f->bytes);
    if (in->sign && f->bytes < 4) {
        unsigned shift = 32 - 8 * f->bytes;
        t.c[0] = (uint32_t)((int32_t)(t.c[0] << shift) >> shift);
    }
    return t;
}

static EXEC(image_load) {
    const struct image_inst *in = inst_of(x);
    struct image im;
    if (!resource(w, x, &im)) return NULL;
    for (unsigned h = 0; h < w->g->halves; h++) {
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m), level;
            struct image_texel t = {{0}};
            uint32_t at[3];
            if (texel_position(w, in, &im, h, i, &level, at)) {
                uint8_t buf[16];
                uint64_t va = image_address(&im, level, at[0], at[1], at[2]);
                if (!isa_mem_read(w->g, ISA_CLIENT_VECTOR, ISA_READ, va, buf, im.format->bytes))
                    return fault(w, x, h, i, va, "read");
                t = in->packed ? raw_texel(in, im.format, buf) : image_decode(im.format, buf);
                if (!in->packed) t = image_select(im.format, im.sel, &t);
            }
            put_texel(w, in, h, i, &t,
                      in->packed || (im.format && image_format_integer(im.format)));
        }
    }
    NEXT(w, x);
}

static EXEC(image_store) {
    const struct image_inst *in = inst_of(x);
    struct image im;
    if (!resource(w, x, &im)) return NULL;
    for (unsigned h = 0; h < w->g->halves; h++) {
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m), level;
            uint32_t at[3];
            uint8_t buf[16];
            if (!texel_position(w, in, &im, h, i, &level, at)) continue;
            struct image_texel t = get_texel(w, in, h, i, im.format);
            if (in->packed) {
                memcpy(buf, t.c, sizeof buf);
            } else {
                t = image_unselect(im.sel, &t);
                image_encode(im.format, &t, buf);
            }
            uint64_t va = image_address(&im, level, at[0], at[1], at[2]);
            if (!isa_mem_write(w->g, va, buf, im.format->bytes))
                return fault(w, x, h, i, va, "write");
        }
    }
    NEXT(w, x);
}

static EXEC(image_atomic) {
    const struct image_inst *in = inst_of(x);
    struct image im;
    if (!resource(w, x, &im)) return NULL;
    unsigned n = in->size / 4u;
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *v = exec_vgpr(w, h, in->vdata);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m), level;
            uint64_t old = 0, a = mem_lane_value(v, i, in->size);
            uint64_t b = x->ns == 2 ? mem_lane_value(v + n, i, in->size) : 0;
            uint32_t at[3];
            if (texel_position(w, in, &im, h, i, &level, at)) {
                if (im.format->bytes != in->size)
                    return isa_stop_illegal(w, x, false, "atomic on texels of another size");
                uint64_t va = image_address(&im, level, at[0], at[1], at[2]);
                uint8_t *p = isa_mem(w->g, ISA_CLIENT_VECTOR, ISA_ATOMIC, va, in->size);
                if (!p) return fault(w, x, h, i, va, "atomic");
                old = mem_atomic_host(in->operation, in->size, p, a, b);
            }
            if (in->returns) mem_set_lane_value(v, i, in->size, old);
        }
    }
    NEXT(w, x);
}

static EXEC(image_resinfo) {
    const struct image_inst *in = inst_of(x);
    struct image im;
    if (!resource(w, x, &im)) return NULL;
    for (unsigned h = 0; h < w->g->halves; h++) {
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint32_t mip = component(w, in, h, i, 0, 0, in->a16), size[3] = {0};
            struct image_texel t = {{0}};
            if (im.format && mip <= 15 && im.base_level + mip <= im.last_level) {
                image_level_size(&im, im.base_level + mip, size);
                bool line = im.dim == IMAGE_1D_ARRAY;
                t.c[0] = size[0], t.c[1] = line ? size[2] : size[1], t.c[2] = line ? 1 : size[2];
            }
            if (im.format) t.c[3] = (uint32_t)im.last_level - im.base_level + 1;
            put_texel(w, in, h, i, &t, true);
        }
    }
    NEXT(w, x);
}

/* --- sampling --- */

/* Where the runs of address components begin, in dwords. */
struct layout {
    unsigned offset, bias, compare, dx, dy, coords, after; /* after: component behind coordinates */
    unsigned total;
};

static struct layout layout_of(const struct image_inst *in) {
    struct layout l = {0};
    unsigned n = 0, g = gradients_of(in->dim), c = coordinates_of(in->dim);
    if (in->offset) l.offset = n++;
    if (in->bias) l.bias = n++;
    if (in->compare) l.compare = n++;
    if (in->derivatives) {
        unsigned each = in->g16 ? (g + 1) / 2 : g;
        l.dx = n, l.dy = n + each;
        n += 2 * each;
    }
    l.coords = n;
    l.after = c;
    c += in->lod || in->clamp;
    l.total = n + (in->a16 ? (c + 1) / 2 : c);
    return l;
}

static void coordinates(const struct wave *w, const struct image_inst *in, const struct layout *l,
                        unsigned half, unsigned lane, float c[3]) {
    c[0] = c[1] = c[2] = 0;
    for (unsigned i = 0; i < coordinates_of(in->dim); i++)
        c[i] = float_component(w, in, half, lane, l->coords, i, in->a16);
    if (in->dim == IMAGE_CUBE) c[0] -= 1, c[1] -= 1; /* 1..2 on a face */
}

/* LOD from derivatives: given, or between the lanes of a quad. */
static float gradient_lod(const struct wave *w, const struct image_inst *in, const struct layout *l,
                          const struct image *im, const struct image_sampler *s, unsigned half,
                          unsigned lane) {
    float dx[3] = {0}, dy[3] = {0}, a[3], b[3], c[3];
    unsigned n = gradients_of(in->dim);
    if (in->derivatives) {
        for (unsigned i = 0; i < n; i++) {
            dx[i] = float_component(w, in, half, lane, l->dx, i, in->g16);
            dy[i] = float_component(w, in, half, lane, l->dy, i, in->g16);
        }
        return image_lod(im, s, dx, dy);
    }
    coordinates(w, in, l, half, lane & ~3u, a);
    coordinates(w, in, l, half, (lane & ~3u) + 1, b);
    coordinates(w, in, l, half, (lane & ~3u) + 2, c);
    for (unsigned i = 0; i < n; i++)
        dx[i] = b[i] - a[i], dy[i] = c[i] - a[i];
    return image_lod(im, s, dx, dy);
}

static struct image_query query_of(const struct wave *w, const struct image_inst *in,
                                   const struct layout *l, const struct image *im,
                                   const struct image_sampler *s, unsigned half, unsigned lane) {
    struct image_query q = {.gather = -1, .horizontal = in->horizontal};
    coordinates(w, in, l, half, lane, q.coord);
    if (in->gather) q.gather = in->dmask ? (int8_t)__builtin_ctz(in->dmask) : 0;
    if (in->offset) { /* three signed numbers of 6 bits */
        uint32_t o = address_dword(w, in, half, lane, l->offset);
        for (unsigned i = 0; i < 3; i++)
            q.offset[i] = (int32_t)(o << (26 - 8 * i)) >> 26;
    }
    q.has_compare = in->compare;
    if (in->compare) q.compare = address_dword(w, in, half, lane, l->compare);
    float after = 0;
    if (in->lod || in->clamp)
        after = float_component(w, in, half, lane, l->coords, l->after, in->a16);
    if (in->clamp) q.lod_clamp = after;
    if (in->lod)
        q.lod = after;
    else if (!in->zero_lod)
        q.lod = gradient_lod(w, in, l, im, s, half, lane);
    if (in->bias) q.lod += float_component(w, in, half, lane, l->bias, 0, in->a16);
    if (!in->zero_lod) q.lod += s->bias;
    return q;
}

static EXEC(image_sampling) {
    const struct image_inst *in = inst_of(x);
    const struct layout l = layout_of(in);
    struct image im;
    struct image_sampler s;
    const char *why;
    if (!resource(w, x, &im)) return NULL;
    if (!image_sampler(w->g->d.arch, &w->s[in->samp], &s, &why))
        return isa_stop_illegal(w, x, true, why);
    s.unnormalized |= in->unnormalized;
    for (unsigned h = 0; h < w->g->halves; h++) {
        struct image_texel t[32];
        uint32_t exec = w->s[ISA_SRC_EXEC_LO + h];
        /* All lanes first: coordinates of neighbours may lie where results go. */
        for (uint32_t m = exec; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            struct image_query q = query_of(w, in, &l, &im, &s, h, i);
            uint64_t va = 0;
            if (in->get_lod) {
                float clamped = image_clamp_lod(&im, &s, q.lod, 0), last = im.last_level;
                if (clamped > last) clamped = last;
                t[i] = (struct image_texel){{0}};
                memcpy(&t[i].c[0], &clamped, 4);
                memcpy(&t[i].c[1], &q.lod, 4);
            } else if (!image_sample(w->g, &im, &s, &q, &t[i], &va)) {
                return fault(w, x, h, i, va, "read");
            }
        }
        bool integer = im.format && image_format_integer(im.format) && !in->get_lod;
        for (uint32_t m = exec; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            put_texel(w, in, h, i, &t[i], integer);
        }
    }
    NEXT(w, x);
}

/* --- binding --- */

/* Registers of the address dwords. Where there are more than the encoding names, the last one
 * begins a run. */
static void bind_address(const struct isa_inst *in, struct image_inst *im) {
    uint32_t named[5] = {0};
    unsigned n;
    if (in->op->format == ISA_FMT_MIMG) {
        named[0] = in->f[ISA_F_vaddr];
        n = in->f[ISA_F_nsa] ? 5 : 1;
        for (unsigned i = 1; i < n; i++)
            named[i] = in->literal >> 8 * (i - 1) & 0xff;
    } else {
        named[0] = in->f[ISA_F_vaddr0], named[1] = in->f[ISA_F_vaddr1];
        named[2] = in->f[ISA_F_vaddr2], named[3] = in->f[ISA_F_vaddr3];
        named[4] = in->f[ISA_F_vaddr4];
        n = in->op->format == ISA_FMT_VIMAGE ? 5 : 4;
    }
    for (unsigned i = 0; i < MAX_ADDRESS; i++)
        im->vaddr[i] = (uint16_t)(i < n ? named[i] : named[n - 1] + (i - n + 1));
}

static bool has_part(const char *name, const char *part) {
    size_t n = strlen(part);
    for (const char *p = name; (p = strstr(p, part)); p += n)
        if (p[-1] == '_' && (p[n] == '_' || !p[n])) return true;
    return false;
}

static bool bind_sample(const char *name, struct image_inst *im) {
    im->get_lod = !strcmp(name, "IMAGE_GET_LOD");
    im->gather = strstr(name, "GATHER4");
    im->horizontal = strstr(name, "GATHER4H");
    if (!im->get_lod && !im->gather && strncmp(name, "IMAGE_SAMPLE", 12)) return false;
    im->offset = has_part(name, "O");
    im->bias = has_part(name, "B");
    im->compare = has_part(name, "C");
    im->derivatives = has_part(name, "D");
    im->g16 = has_part(name, "G16");
    im->lod = has_part(name, "L");
    im->zero_lod = has_part(name, "LZ");
    im->clamp = has_part(name, "CL");
    im->address_dwords = (uint8_t)layout_of(im).total;
    return true;
}

static const struct {
    const char *name;
    enum mem_atomic op;
} atomics[] = {
    {"SWAP", ATOMIC_SWAP},
    {"CMPSWAP", ATOMIC_CMPSWAP},
    {"ADD", ATOMIC_ADD},
    {"ADD_UINT", ATOMIC_ADD},
    {"SUB", ATOMIC_SUB},
    {"SUB_UINT", ATOMIC_SUB},
    {"SMIN", ATOMIC_MIN_I},
    {"MIN_INT", ATOMIC_MIN_I},
    {"UMIN", ATOMIC_MIN_U},
    {"MIN_UINT", ATOMIC_MIN_U},
    {"SMAX", ATOMIC_MAX_I},
    {"MAX_INT", ATOMIC_MAX_I},
    {"UMAX", ATOMIC_MAX_U},
    {"MAX_UINT", ATOMIC_MAX_U},
    {"AND", ATOMIC_AND},
    {"OR", ATOMIC_OR},
    {"XOR", ATOMIC_XOR},
    {"INC", ATOMIC_INC},
    {"INC_UINT", ATOMIC_INC},
    {"DEC", ATOMIC_DEC},
    {"DEC_UINT", ATOMIC_DEC},
    {"ADD_FLT", ATOMIC_ADD_F},
    {"MIN_FLT", ATOMIC_MIN_NUM_F},
    {"MAX_FLT", ATOMIC_MAX_NUM_F},
    {"PK_ADD_F16", ATOMIC_PK_ADD_F16},
    {"PK_ADD_BF16", ATOMIC_PK_ADD_BF16},
};

static bool bind_atomic(struct binding *b, const char *name, struct image_inst *im) {
    for (unsigned i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        if (strcmp(name, atomics[i].name)) continue;
        im->operation = (uint8_t)atomics[i].op;
        b->x->ns = im->operation == ATOMIC_CMPSWAP ? 2 : 1;
        /* dmask names the data registers: one or two for each operand. */
        unsigned n = (unsigned)__builtin_popcount(im->dmask) / b->x->ns;
        im->size = n == 2 ? 8 : 4;
        return true;
    }
    return false;
}

/* Loads, stores, atomics, queries. */
static bool bind_texel(struct binding *b, const char *name, struct image_inst *im) {
    struct xinst *x = b->x;
    im->packed = strstr(name, "_PCK");
    im->sign = strstr(name, "_SGN");
    im->mip = strstr(name, "_MIP");
    unsigned n = coordinates_of(im->dim) + im->mip;
    im->address_dwords = (uint8_t)(im->a16 ? (n + 1) / 2 : n);
    if (!strcmp(name, "IMAGE_GET_RESINFO")) {
        im->address_dwords = 1;
        x->fn = image_resinfo;
        return true;
    }
    if (!strncmp(name, "IMAGE_ATOMIC_", 13)) {
        x->fn = image_atomic;
        return bind_atomic(b, name + 13, im);
    }
    bool store = !strncmp(name, "IMAGE_STORE", 11);
    x->fn = store ? image_store : image_load;
    return store || !strncmp(name, "IMAGE_LOAD", 10);
}

static void bind_fields(const struct isa_inst *in, struct image_inst *im) {
    bool mimg = in->op->format == ISA_FMT_MIMG;
    im->vdata = (uint16_t)in->f[ISA_F_vdata];
    im->rsrc = (uint16_t)(mimg ? in->f[ISA_F_srsrc] * 4 : in->f[ISA_F_rsrc]);
    im->samp = (uint16_t)(mimg ? in->f[ISA_F_ssamp] * 4 : in->f[ISA_F_samp]);
    im->dim = (uint8_t)in->f[ISA_F_dim];
    im->dmask = (uint8_t)in->f[ISA_F_dmask];
    im->d16 = in->f[ISA_F_d16], im->a16 = in->f[ISA_F_a16];
    im->tfe = in->f[ISA_F_tfe] || in->f[ISA_F_lwe];
    im->unnormalized = in->f[ISA_F_unrm], im->r128 = in->f[ISA_F_r128];
    im->returns = mimg ? in->f[ISA_F_glc] : in->f[ISA_F_th] & 1;
    bind_address(in, im);
}

bool SEM_SYM(exec_bind_image)(struct binding *b) {
    const char *name = b->in->op->name;
    if (strstr(name, "BVH")) return SEM_SYM(exec_refuse)(b, "ray tracing in a compute wave");
    if (strstr(name, "MSAA"))
        return SEM_SYM(exec_refuse_unimplemented)(b, "multisampled images are not supported");
    struct image_inst *im = isa_code_alloc(b->page, sizeof *im);
    if (!im) return SEM_SYM(exec_refuse)(b, "no memory");
    memset(im, 0, sizeof *im);
    bind_fields(b->in, im);
    if (im->dim >= IMAGE_2D_MSAA)
        return SEM_SYM(exec_refuse_unimplemented)(b, "multisampled images are not supported");
    bool sample = bind_sample(name, im);
    if (sample)
        b->x->fn = image_sampling;
    else if (!bind_texel(b, name, im))
        return false;
    b->x->aux = (uintptr_t)im;
    if (im->rsrc + (im->r128 ? 4 : 8) > 128 || (sample && im->samp + 4 > 128))
        return SEM_SYM(exec_refuse)(b, "image resource outside the SGPRs");
    for (unsigned i = 0; i < im->address_dwords; i++)
        if (!SEM_SYM(exec_bind_vgprs)(b, im->vaddr[i], 1)) return false;
    unsigned n = b->x->fn == image_atomic ? b->x->ns * im->size / 4u : data_dwords(im) + im->tfe;
    return SEM_SYM(exec_bind_vgprs)(b, im->vdata, n);
}
