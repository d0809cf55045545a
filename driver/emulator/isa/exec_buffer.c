/* SPDX-License-Identifier: MIT */
/* exec_buffer.c - buffer loads, stores and atomics, with and without format conversion (MUBUF,
 * MTBUF, VBUFFER).
 *
 * xinst: s[0] address VGPR, s[1]/k[1] soffset, s[2] data VGPR, sdst = first SGPR of the V#. Typed:
 * aux = BUF_FMT or 0 for the V#'s, ns = components, sub = TYPED_*. */
#include "driver/emulator/isa/exec_mem.h"
#include "driver/emulator/isa/image.h"

/* The V# as far as it matters here (descriptor layout: SQ_BUF_RSRC, gfx11 and gfx12). */
struct resource {
    uint64_t base;
    uint32_t stride, records, soffset;
    uint32_t index_stride, element; /* swizzled: records and bytes that lie together */
    uint8_t out_of_bounds;          /* SQ_OOB_SELECT */
    bool raw, swizzled, add_tid;
    uint8_t format, sel[4];
};

enum { OOB_INDEX_AND_OFFSET, OOB_INDEX_ONLY, OOB_NUM_RECORDS_0, OOB_COMPLETE };
enum { TYPED_D16 = 1, TYPED_HI = 2 };

static struct resource resource_of(const struct wave *w, const struct xinst *x) {
    const uint32_t *r = &w->s[x->sdst];
    struct resource v = {
        .base = (r[0] | (uint64_t)r[1] << 32) & 0xffffffffffff,
        .stride = r[1] >> 16 & 0x3fff,
        .records = r[2],
        .swizzled = r[1] >> 30 != 0,
        .index_stride = 8u << (r[3] >> 21 & 3),
        .element = 2u << (r[1] >> 30),
        .out_of_bounds = r[3] >> 28 & 3,
        .add_tid = r[3] >> 23 & 1,
        .format = r[3] >> 12 & 63,
        .soffset = exec_s32(w, x, 1),
    };
    static const uint8_t scale[] = {1, 4, 8, 32}; /* gfx12's STRIDE_SCALE */
    if (w->g->d.arch == ISA_GFX12) v.stride *= scale[r[3] >> 18 & 3];
    for (unsigned i = 0; i < 4; i++)
        v.sel[i] = r[3] >> 3 * i & 7;
    v.raw = v.stride == 0 || v.out_of_bounds == OOB_COMPLETE;
    return v;
}

/* Address of a lane's value of `size` bytes; false: out of range (reads 0, writes nothing). */
static bool lane_address(const struct wave *w, const struct xinst *x, const struct resource *r,
                         unsigned half, unsigned i, unsigned size, uint64_t *va) {
    unsigned reg = (unsigned)x->s[0];
    uint64_t index = 0, offset = (uint32_t)x->imm;
    if (x->flags & X_IDXEN) index = *mem_lane(exec_vgpr(w, half, reg++), i);
    if (x->flags & X_OFFEN) offset += *mem_lane(exec_vgpr(w, half, reg), i);
    if (r->add_tid) index += half * 32 + i;
    uint64_t at = index * r->stride + offset;
    if (r->swizzled && r->stride)
        at = (index / r->index_stride * r->stride + offset / r->element * r->element) *
                 r->index_stride +
             index % r->index_stride * r->element + offset % r->element;
    *va = r->base + r->soffset + at;
    if (r->out_of_bounds == OOB_NUM_RECORDS_0) return r->records != 0;
    if (r->raw) return index * r->stride + offset + r->soffset + size <= r->records;
    if (r->out_of_bounds == OOB_INDEX_AND_OFFSET && offset + size > r->stride) return false;
    return index < r->records;
}

static const struct xinst *fault(struct wave *w, const struct xinst *x, unsigned half, unsigned i,
                                 uint64_t va, const char *what) {
    return isa_stop_fault(w, x, half * 32 + i, va, what);
}

static EXEC(buffer_load) {
    struct resource r = resource_of(w, x);
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *d = exec_vgpr(w, h, x->dst), tmp[4];
        memcpy(tmp, d, mem_dwords(x->size) * sizeof *d);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint8_t buf[16] = {0};
            uint64_t va;
            if (lane_address(w, x, &r, h, i, x->size, &va) &&
                !isa_mem_read(w->g, ISA_CLIENT_VECTOR, ISA_READ, va, buf, x->size))
                return fault(w, x, h, i, va, "read");
            mem_put_lane(tmp, i, buf, x->size, x->sub);
        }
        memcpy(d, tmp, mem_dwords(x->size) * sizeof *d);
    }
    NEXT(w, x);
}

static EXEC(buffer_store) {
    struct resource r = resource_of(w, x);
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *v = exec_vgpr(w, h, (unsigned)x->s[2]);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint8_t buf[16];
            uint64_t va;
            mem_get_lane(v, i, buf, x->size, x->sub);
            if (lane_address(w, x, &r, h, i, x->size, &va) &&
                !isa_mem_write(w->g, va, buf, x->size))
                return fault(w, x, h, i, va, "write");
        }
    }
    NEXT(w, x);
}

static EXEC(buffer_atomic) {
    struct resource r = resource_of(w, x);
    unsigned n = x->size / 4u;
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *v = exec_vgpr(w, h, (unsigned)x->s[2]);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint64_t va, old = 0, a = mem_lane_value(v, i, x->size);
            uint64_t b = x->ns == 2 ? mem_lane_value(v + n, i, x->size) : 0;
            if (lane_address(w, x, &r, h, i, x->size, &va)) {
                if (va & (x->size - 1u)) return fault(w, x, h, i, va, "misaligned atomic");
                uint8_t *p = isa_mem(w->g, ISA_CLIENT_VECTOR, ISA_ATOMIC, va, x->size);
                if (!p) return fault(w, x, h, i, va, "atomic");
                old = mem_atomic_host(x->sub, x->size, p, a, b);
            }
            if (x->flags & X_RETURN) mem_set_lane_value(v, i, x->size, old);
        }
    }
    NEXT(w, x);
}

/* --- with format conversion --- */

static const struct image_format *typed_format(struct wave *w, const struct xinst *x,
                                               const struct resource *r) {
    const struct image_format *f = image_format_by_value(x->aux ? (unsigned)x->aux : r->format);
    if (!f) isa_stop_illegal(w, x, false, "buffer format that means nothing");
    return f;
}

static void typed_put(const struct wave *w, const struct xinst *x, unsigned half, unsigned lane,
                      const struct image_texel *t, bool integer) {
    vu32 *d = exec_vgpr(w, half, x->dst);
    for (unsigned n = 0; n < x->ns; n++) {
        uint32_t v = t->c[n];
        if (!(x->sub & TYPED_D16)) {
            *mem_lane(&d[n], lane) = v;
            continue;
        }
        v = integer ? v & 0xffff : image_to_half(v);
        uint32_t *r = mem_lane(&d[n / 2], lane);
        *r = (n & 1) || (x->sub & TYPED_HI) ? (*r & 0xffff) | v << 16 : (*r & 0xffff0000) | v;
    }
}

static struct image_texel typed_get(const struct wave *w, const struct xinst *x, unsigned half,
                                    unsigned lane, const struct image_format *f) {
    vu32 *d = exec_vgpr(w, half, (unsigned)x->s[2]);
    struct image_texel t = {{0}};
    for (unsigned n = 0; n < x->ns; n++) {
        uint32_t v = *mem_lane(&d[x->sub & TYPED_D16 ? n / 2 : n], lane);
        if (x->sub & TYPED_D16) {
            v = (n & 1) || (x->sub & TYPED_HI) ? v >> 16 : v & 0xffff;
            if (f->number == IMAGE_SINT)
                v = (uint32_t)(int16_t)v;
            else if (f->number != IMAGE_UINT)
                v = image_from_half(v);
        }
        t.c[n] = v;
    }
    return t;
}

static EXEC(typed_load) {
    struct resource r = resource_of(w, x);
    const struct image_format *f = typed_format(w, x, &r);
    if (!f) return NULL;
    for (unsigned h = 0; h < w->g->halves; h++) {
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            struct image_texel t = {{0}};
            uint8_t buf[16];
            uint64_t va;
            if (lane_address(w, x, &r, h, i, f->bytes, &va)) {
                if (!isa_mem_read(w->g, ISA_CLIENT_VECTOR, ISA_READ, va, buf, f->bytes))
                    return fault(w, x, h, i, va, "read");
                t = image_decode(f, buf);
                t = image_select(f, r.sel, &t);
            }
            typed_put(w, x, h, i, &t, image_format_integer(f));
        }
    }
    NEXT(w, x);
}

static EXEC(typed_store) {
    struct resource r = resource_of(w, x);
    const struct image_format *f = typed_format(w, x, &r);
    if (!f) return NULL;
    for (unsigned h = 0; h < w->g->halves; h++) {
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint8_t buf[16];
            uint64_t va;
            if (!lane_address(w, x, &r, h, i, f->bytes, &va)) continue;
            struct image_texel t = typed_get(w, x, h, i, f);
            t = image_unselect(r.sel, &t);
            image_encode(f, &t, buf);
            if (!isa_mem_write(w->g, va, buf, f->bytes)) return fault(w, x, h, i, va, "write");
        }
    }
    NEXT(w, x);
}

static EXEC(cache_control) {
    NEXT(w, x);
}

static bool bind_fields(struct binding *b) {
    const struct isa_inst *in = b->in;
    struct xinst *x = b->x;
    bool gfx12 = b->g->d.arch == ISA_GFX12;
    if (in->f[ISA_F_tfe]) return SEM_SYM(exec_refuse_unimplemented)(b, "TFE is not implemented");
    x->s[0] = in->f[ISA_F_vaddr];
    x->s[2] = in->f[ISA_F_vdata];
    x->dst = (uint16_t)in->f[ISA_F_vdata];
    x->sdst = (uint16_t)(gfx12 ? in->f[ISA_F_rsrc] : in->f[ISA_F_srsrc] * 4);
    x->imm = (int32_t)(gfx12 ? in->f[ISA_F_ioffset] : in->f[ISA_F_offset]);
    if (in->f[ISA_F_offen]) x->flags |= X_OFFEN;
    if (in->f[ISA_F_idxen]) x->flags |= X_IDXEN;
    if (gfx12 ? in->f[ISA_F_th] & 1 : in->f[ISA_F_glc]) x->flags |= X_RETURN;
    if (x->sdst + 4 > 128) return SEM_SYM(exec_refuse)(b, "buffer resource outside the SGPRs");
    return SEM_SYM(exec_bind_source)(b, 1, in->f[ISA_F_soffset], SEM_U32);
}

/* [T]BUFFER_{LOAD,STORE}[_D16[_HI]]_FORMAT_X[Y[Z[W]]] */
static bool bind_typed(struct binding *b, const char *components) {
    struct xinst *x = b->x;
    const char *name = b->in->op->name;
    x->ns = (uint8_t)strlen(components);
    x->sub = (strstr(name, "_D16") ? TYPED_D16 : 0) | (strstr(name, "_HI_") ? TYPED_HI : 0);
    x->fn = strstr(name, "STORE") ? typed_store : typed_load;
    if (!bind_fields(b)) return false;
    x->aux = name[0] == 'T' ? b->in->f[ISA_F_format] : 0;
    if (name[0] == 'T' && !image_format_by_value((unsigned)x->aux))
        return SEM_SYM(exec_refuse)(b, "buffer format that means nothing");
    unsigned addr = !!(x->flags & X_OFFEN) + !!(x->flags & X_IDXEN);
    return SEM_SYM(exec_bind_vgprs)(b, addr ? (unsigned)x->s[0] : 0, addr) &&
           SEM_SYM(exec_bind_vgprs)(b, x->dst, x->sub & TYPED_D16 ? (x->ns + 1u) / 2 : x->ns);
}

bool SEM_SYM(exec_bind_buffer)(struct binding *b) {
    static xfn *const by_kind[] = {buffer_load, buffer_store, buffer_atomic};
    struct xinst *x = b->x;
    const char *name = b->in->op->name;
    if (strstr(name, "GL0_INV") || strstr(name, "GL1_INV")) {
        x->fn = cache_control;
        return true;
    }
    const char *typed = strstr(name, "_FORMAT_");
    if (typed && !strstr(name, "LDS")) return bind_typed(b, typed + 8);
    const struct mem_op *op = strncmp(name, "BUFFER_", 7) ? NULL : mem_op_find(name + 7);
    if (!op) return false;
    x->size = op->size;
    x->sub = op->kind == MEM_ATOMIC ? op->atomic : op->ext;
    x->ns = op->operands;
    x->fn = by_kind[op->kind];
    if (!bind_fields(b)) return false;
    unsigned addr = !!(x->flags & X_OFFEN) + !!(x->flags & X_IDXEN), n = mem_dwords(op->size);
    if (op->operands == 2) n *= 2;
    return SEM_SYM(exec_bind_vgprs)(b, addr ? (unsigned)x->s[0] : 0, addr) &&
           SEM_SYM(exec_bind_vgprs)(b, x->dst, n);
}
