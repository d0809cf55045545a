/* SPDX-License-Identifier: MIT */
/* exec_buffer.c - buffer loads, stores and atomics without format conversion (MUBUF, VBUFFER).
 *
 * xinst: s[0] address VGPR, s[1]/k[1] soffset, s[2] data VGPR, sdst = first SGPR of the V#. */
#include "driver/emulator/isa/exec_mem.h"

/* The V# as far as it matters here (descriptor layout: SQ_BUF_RSRC, gfx11 and gfx12). */
struct resource {
    uint64_t base;
    uint32_t stride, records, soffset;
    bool raw, swizzled;
};

static struct resource resource_of(const struct wave *w, const struct xinst *x) {
    const uint32_t *r = &w->s[x->sdst];
    struct resource v = {
        .base = (r[0] | (uint64_t)r[1] << 32) & 0xffffffffffff,
        .stride = r[1] >> 16 & 0x3fff,
        .records = r[2],
        .swizzled = r[1] >> 30 != 0,
        .soffset = exec_s32(w, x, 1),
    };
    v.raw = v.stride == 0 || (r[3] >> 28 & 3) == 3; /* OOB_SELECT */
    return v;
}

/* Address of a lane's value; false: out of range (reads 0, writes nothing). */
static bool lane_address(const struct wave *w, const struct xinst *x, const struct resource *r,
                         unsigned half, unsigned i, uint64_t *va) {
    unsigned reg = (unsigned)x->s[0];
    uint64_t index = 0, offset = (uint32_t)x->imm;
    if (x->flags & X_IDXEN) index = *mem_lane(exec_vgpr(w, half, reg++), i);
    if (x->flags & X_OFFEN) offset += *mem_lane(exec_vgpr(w, half, reg), i);
    *va = r->base + r->soffset + index * r->stride + offset;
    if (!r->raw) return index < r->records;
    uint64_t end = index * r->stride + offset + r->soffset + x->size;
    return end <= r->records;
}

static const struct xinst *fault(struct wave *w, const struct xinst *x, unsigned half, unsigned i,
                                 uint64_t va, const char *what) {
    return isa_stop_fault(w, x, half * 32 + i, va, what);
}

static bool refuse_swizzle(struct wave *w, const struct xinst *x, const struct resource *r) {
    if (!r->swizzled) return false;
    isa_stop_illegal(w, x, true, "swizzled buffers are not implemented");
    return true;
}

static EXEC(buffer_load) {
    struct resource r = resource_of(w, x);
    if (refuse_swizzle(w, x, &r)) return NULL;
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *d = exec_vgpr(w, h, x->dst), tmp[4];
        memcpy(tmp, d, mem_dwords(x->size) * sizeof *d);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint8_t buf[16] = {0};
            uint64_t va;
            if (lane_address(w, x, &r, h, i, &va) &&
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
    if (refuse_swizzle(w, x, &r)) return NULL;
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *v = exec_vgpr(w, h, (unsigned)x->s[2]);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint8_t buf[16];
            uint64_t va;
            mem_get_lane(v, i, buf, x->size, x->sub);
            if (lane_address(w, x, &r, h, i, &va) && !isa_mem_write(w->g, va, buf, x->size))
                return fault(w, x, h, i, va, "write");
        }
    }
    NEXT(w, x);
}

static EXEC(buffer_atomic) {
    struct resource r = resource_of(w, x);
    if (refuse_swizzle(w, x, &r)) return NULL;
    unsigned n = x->size / 4u;
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *v = exec_vgpr(w, h, (unsigned)x->s[2]);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint64_t va, old = 0, a = mem_lane_value(v, i, x->size);
            uint64_t b = x->ns == 2 ? mem_lane_value(v + n, i, x->size) : 0;
            if (lane_address(w, x, &r, h, i, &va)) {
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

bool SEM_SYM(exec_bind_buffer)(struct binding *b) {
    static xfn *const by_kind[] = {buffer_load, buffer_store, buffer_atomic};
    struct xinst *x = b->x;
    const char *name = b->in->op->name;
    if (strstr(name, "GL0_INV") || strstr(name, "GL1_INV")) {
        x->fn = cache_control;
        return true;
    }
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
