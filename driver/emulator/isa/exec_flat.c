/* SPDX-License-Identifier: MIT */
/* exec_flat.c - FLAT, GLOBAL and SCRATCH instructions.
 *
 * xinst: s[0] address VGPR, s[1] address SGPR (X_SADDR), s[2] data VGPR, dst, imm offset, size, sub
 * = enum mem_ext or enum mem_atomic. */
#include "driver/emulator/isa/exec_gather.h"
#include "driver/emulator/isa/exec_mem.h"

/* Addresses of one half: 64-bit values as two vectors. */
struct lanes {
    vu32 lo, hi;
    uint32_t exec;
};

static inline uint64_t lane_va(const struct lanes *l, unsigned i) {
    return ((const uint32_t *)&l->lo)[i] | (uint64_t)((const uint32_t *)&l->hi)[i] << 32;
}

static inline void add64(struct lanes *l, uint64_t base) {
    vu32 lo = l->lo + (uint32_t)base;
    l->hi = l->hi + (uint32_t)(base >> 32) - (vu32)(lo < vec_splat((uint32_t)base));
    l->lo = lo;
}

static inline void global_addresses(const struct wave *w, const struct xinst *x, unsigned half,
                                    struct lanes *l) {
    const vu32 *v = exec_vgpr(w, half, (unsigned)x->s[0]);
    uint64_t base = (uint64_t)(int64_t)x->imm;
    l->exec = w->s[ISA_SRC_EXEC_LO + half];
    l->lo = v[0];
    if (x->flags & X_SADDR) {
        base += exec_sgpr64(w, (unsigned)x->s[1]);
        l->hi = (vu32){0};
    } else {
        l->hi = v[1];
    }
    add64(l, base);
}

/* Where lane 0 of a run of consecutive values would lie; false if the active lanes are not one. */
static inline bool consecutive(const struct lanes *l, unsigned size, uint64_t *va0) {
    unsigned first = (unsigned)__builtin_ctz(l->exec);
    uint64_t at = lane_va(l, first) - (uint64_t)first * size;
    vu32 lo = vec_splat((uint32_t)at) + vec_lane_ids() * size;
    vi32 same = (lo == l->lo) & (vec_splat((uint32_t)(at >> 32)) == l->hi);
    *va0 = at;
    return (uint32_t)at <= UINT32_MAX - 32 * size && !(~vec_mask(same) & l->exec);
}

static inline bool inside(const struct isa_segment *s, uint64_t va, uint64_t size) {
    return va - s->va < s->size && s->size - (va - s->va) >= size;
}

/* Host address of one lane's value. Values that straddle two segments are left to the caller. */
static inline uint8_t *lane_host(struct isa_group *g, enum isa_access access, uint64_t va,
                                 unsigned size) {
    const struct segment_cache *c = &g->segments[ISA_CLIENT_VECTOR];
    if (c->count && c->e[0].access & 1u << access && inside(&c->e[0], va, size))
        return c->e[0].host + (va - c->e[0].va);
    return isa_mem(g, ISA_CLIENT_VECTOR, access, va, size);
}

/* --- global --- */

static inline __attribute__((always_inline)) void load_run(vu32 *d, const uint8_t *p,
                                                           unsigned dwords, uint32_t exec) {
    if (dwords == 1) {
        vu32 v;
        memcpy(&v, p, sizeof v);
        exec_write_lanes(d, &v, exec);
        return;
    }
    for (unsigned j = 0; j < dwords; j++) {
        vu32 v;
        for (unsigned i = 0; i < VEC_LANES; i++)
            memcpy((uint32_t *)&v + i, p + 4 * (i * dwords + j), 4);
        exec_write_lanes(&d[j], &v, exec);
    }
}

/* Offsets from the start of the segment; true if every active lane's value lies inside, so low that
 * a signed 32-bit index reaches it, and `size` (at least 4) bytes may be read there. */
static inline bool segment_offsets(const struct isa_segment *s, const struct lanes *l,
                                   unsigned size, vu32 *off) {
    if (size < 4) size = 4;
    if (s->size < size) return false;
    uint64_t last = s->size - size < INT32_MAX ? s->size - size : INT32_MAX;
    vu32 base = vec_splat((uint32_t)s->va);
    vu32 hi = l->hi - (uint32_t)(s->va >> 32) + (vu32)(l->lo < base);
    *off = l->lo - base;
    vi32 ok = (hi == (vu32){0}) & (*off <= vec_splat((uint32_t)last));
    return !(~vec_mask(ok) & l->exec);
}

/* Loads into one half. Returns -1, or the lane that faulted. */
static inline __attribute__((always_inline)) int load_half(struct wave *w, const struct xinst *x,
                                                           unsigned half, const struct lanes *l,
                                                           unsigned size) {
    vu32 *d = exec_vgpr(w, half, x->dst), tmp[4], off = {0};
    uint64_t va0, va = lane_va(l, (unsigned)__builtin_ctz(l->exec));
    unsigned dwords = mem_dwords(size);
    const struct isa_segment *s = isa_mem_segment(w->g, ISA_CLIENT_VECTOR, ISA_READ, va);
    if (s && size >= 4 && consecutive(l, size, &va0) && inside(s, va0, 32 * size)) {
        load_run(d, s->host + (va0 - s->va), dwords, l->exec);
        return -1;
    }
    if (s && segment_offsets(s, l, size, &off)) {
        for (unsigned j = 0; j < dwords; j++) {
            vu32 v = gather_dwords(s->host + 4 * j, s->size - 4 * j, off, l->exec);
            if (size < 4) v = mem_extend_lanes(x->sub, v, d[j]);
            exec_write_lanes(&d[j], &v, l->exec);
        }
        return -1;
    }
    for (unsigned j = 0; j < dwords; j++)
        tmp[j] = d[j];
    for (uint32_t m = l->exec; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint8_t *p = lane_host(w->g, ISA_READ, lane_va(l, i), size), buf[16];
        if (!p && !isa_mem_read(w->g, ISA_CLIENT_VECTOR, ISA_READ, lane_va(l, i), buf, size))
            return (int)i;
        mem_put_lane(tmp, i, p ? p : buf, size, x->sub);
    }
    for (unsigned j = 0; j < dwords; j++)
        d[j] = tmp[j];
    return -1;
}

static inline __attribute__((always_inline)) int store_half(struct wave *w, const struct xinst *x,
                                                            unsigned half, const struct lanes *l,
                                                            unsigned size) {
    vu32 *v = exec_vgpr(w, half, (unsigned)x->s[2]);
    uint64_t va0;
    if (size >= 4 && l->exec == UINT32_MAX && consecutive(l, size, &va0)) {
        uint8_t *p = lane_host(w->g, ISA_WRITE, va0, 32 * size);
        if (p && size == 4) {
            memcpy(p, v, sizeof *v);
            return -1;
        }
        if (p) {
            for (unsigned i = 0; i < VEC_LANES; i++)
                mem_get_lane(v, i, p + i * size, size, MEM_PLAIN);
            return -1;
        }
    }
    const struct segment_cache *c = &w->g->segments[ISA_CLIENT_VECTOR];
    vu32 off = {0};
    if (c->count && c->e[0].access & 1u << ISA_WRITE && segment_offsets(&c->e[0], l, size, &off)) {
        for (uint32_t m = l->exec; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            mem_get_lane(v, i, c->e[0].host + ((const uint32_t *)&off)[i], size, x->sub);
        }
        return -1;
    }
    for (uint32_t m = l->exec; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint8_t *p = lane_host(w->g, ISA_WRITE, lane_va(l, i), size), buf[16];
        mem_get_lane(v, i, p ? p : buf, size, x->sub);
        if (!p && !isa_mem_write(w->g, lane_va(l, i), buf, size)) return (int)i;
    }
    return -1;
}

static const struct xinst *lane_fault(struct wave *w, const struct xinst *x, unsigned half, int i,
                                      const struct lanes *l, const char *what) {
    return isa_stop_fault(w, x, half * 32 + (unsigned)i, lane_va(l, (unsigned)i), what);
}

#define GLOBAL_ACCESS(name, fn, size, what)                                                        \
    static EXEC(name) {                                                                            \
        for (unsigned h = 0; h < w->g->halves; h++) {                                              \
            struct lanes l;                                                                        \
            global_addresses(w, x, h, &l);                                                         \
            int bad = l.exec ? fn(w, x, h, &l, size) : -1;                                         \
            if (bad >= 0) return lane_fault(w, x, h, bad, &l, what);                               \
        }                                                                                          \
        NEXT(w, x);                                                                                \
    }
GLOBAL_ACCESS(global_load_1, load_half, 1, "read")
GLOBAL_ACCESS(global_load_2, load_half, 2, "read")
GLOBAL_ACCESS(global_load_4, load_half, 4, "read")
GLOBAL_ACCESS(global_load_8, load_half, 8, "read")
GLOBAL_ACCESS(global_load_12, load_half, 12, "read")
GLOBAL_ACCESS(global_load_16, load_half, 16, "read")
GLOBAL_ACCESS(global_store_1, store_half, 1, "write")
GLOBAL_ACCESS(global_store_2, store_half, 2, "write")
GLOBAL_ACCESS(global_store_4, store_half, 4, "write")
GLOBAL_ACCESS(global_store_8, store_half, 8, "write")
GLOBAL_ACCESS(global_store_12, store_half, 12, "write")
GLOBAL_ACCESS(global_store_16, store_half, 16, "write")

/* One lane of an atomic on host memory. */
static void atomic_lane(const struct xinst *x, vu32 *data, vu32 *dst, unsigned lane, void *p,
                        bool shared) {
    unsigned size = x->size, dwords = size / 4;
    uint64_t a = mem_lane_value(data, lane, size), b = 0, old = 0;
    if (x->ns == 2) b = mem_lane_value(data + dwords, lane, size);
    if (shared) { /* LDS: only this thread sees it */
        memcpy(&old, p, size);
        uint64_t v = mem_atomic_value(x->sub, size, old, a, b);
        memcpy(p, &v, size);
    } else {
        old = mem_atomic_host(x->sub, size, p, a, b);
    }
    if (x->flags & X_RETURN) mem_set_lane_value(dst, lane, size, old);
}

static EXEC(global_atomic) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        struct lanes l;
        vu32 *data = exec_vgpr(w, h, (unsigned)x->s[2]), keep[4];
        global_addresses(w, x, h, &l);
        memcpy(keep, data, x->ns * (x->size / 4u) * sizeof *data);
        for (uint32_t m = l.exec; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint64_t va = lane_va(&l, i);
            if (va & (x->size - 1u)) return lane_fault(w, x, h, (int)i, &l, "misaligned atomic");
            uint8_t *p = lane_host(w->g, ISA_ATOMIC, va, x->size);
            if (!p) return lane_fault(w, x, h, (int)i, &l, "atomic");
            atomic_lane(x, keep, exec_vgpr(w, h, x->dst), i, p, false);
        }
    }
    NEXT(w, x);
}

static EXEC(global_addtid) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        struct lanes l = {.exec = w->s[ISA_SRC_EXEC_LO + h]};
        l.lo = (vec_lane_ids() + 32 * h) * 4;
        l.hi = (vu32){0};
        add64(&l, exec_sgpr64(w, (unsigned)x->s[1]) + (uint64_t)(int64_t)x->imm);
        if (!l.exec) continue;
        bool store = x->sub == MEM_STORE;
        struct xinst plain = *x;
        plain.sub = MEM_PLAIN;
        int bad = store ? store_half(w, &plain, h, &l, 4) : load_half(w, &plain, h, &l, 4);
        if (bad >= 0) return lane_fault(w, x, h, bad, &l, store ? "write" : "read");
    }
    NEXT(w, x);
}

/* --- scratch: dword n of a lane lies at base + (n * wave_size + lane) * 4 --- */

static uint8_t *scratch_dword(struct wave *w, enum isa_access access, uint32_t offset,
                              unsigned lane) {
    const struct isa_dispatch *d = &w->g->d;
    uint64_t at = ((uint64_t)(offset / 4) * d->wave_size + lane) * 4;
    if (at + 4 > d->scratch_wave_bytes) return NULL;
    uint8_t *p = lane_host(w->g, access, w->scratch_base + at, 4);
    return p ? p + offset % 4 : NULL;
}

/* Copies between a value in a buffer and a lane's scratch memory; false: outside. */
static bool scratch_copy(struct wave *w, bool store, uint32_t offset, unsigned lane, uint8_t *buf,
                         unsigned size) {
    while (size) {
        unsigned n = 4 - offset % 4;
        if (n > size) n = size;
        uint8_t *p = scratch_dword(w, store ? ISA_WRITE : ISA_READ, offset, lane);
        if (!p) return false;
        memcpy(store ? p : buf, store ? buf : p, n);
        buf += n;
        offset += n;
        size -= n;
    }
    return true;
}

static bool scratch_lane(struct wave *w, const struct xinst *x, unsigned half, unsigned i,
                         uint32_t offset, bool store) {
    uint8_t buf[16] = {0};
    if (store) mem_get_lane(exec_vgpr(w, half, (unsigned)x->s[2]), i, buf, x->size, x->sub);
    if (!scratch_copy(w, store, offset, half * 32 + i, buf, x->size)) return false;
    if (!store) mem_put_lane(exec_vgpr(w, half, x->dst), i, buf, x->size, x->sub);
    return true;
}

/* All lanes at one dword-aligned offset, every lane on: whole vectors. */
static bool scratch_row(struct wave *w, const struct xinst *x, unsigned half, uint32_t offset,
                        bool store) {
    const struct isa_dispatch *d = &w->g->d;
    unsigned row = d->wave_size * 4, n = x->size / 4;
    uint64_t at = (uint64_t)(offset / 4) * row + half * 128;
    if (at + (uint64_t)(n - 1) * row + 128 > d->scratch_wave_bytes) return false;
    uint8_t *p = lane_host(w->g, store ? ISA_WRITE : ISA_READ, w->scratch_base + at,
                           (uint64_t)(n - 1) * row + 128);
    if (!p) return false;
    for (unsigned j = 0; j < n; j++) {
        if (store)
            memcpy(p + j * row, exec_vgpr(w, half, (unsigned)x->s[2]) + j, 128);
        else
            memcpy(exec_vgpr(w, half, x->dst) + j, p + j * row, 128);
    }
    return true;
}

static const struct xinst *scratch_access(struct wave *w, const struct xinst *x, bool store) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        uint32_t exec = w->s[ISA_SRC_EXEC_LO + h];
        uint32_t base = (uint32_t)x->imm + (x->flags & X_SADDR ? w->s[x->s[1]] : 0);
        vu32 off = vec_splat(base);
        if (x->flags & X_SVE) off = off + *exec_vgpr(w, h, (unsigned)x->s[0]);
        uint32_t first = ((uint32_t *)&off)[0];
        if (exec == UINT32_MAX && x->size >= 4 && first % 4 == 0 &&
            vec_mask(off == vec_splat(first)) == UINT32_MAX && scratch_row(w, x, h, first, store))
            continue;
        for (uint32_t m = exec; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint32_t o = ((uint32_t *)&off)[i];
            if (!scratch_lane(w, x, h, i, o, store))
                return isa_stop_fault(w, x, h * 32 + i, o, "scratch (private memory) overflow,");
        }
    }
    return x + x->len;
}

static EXEC(scratch_load) {
    x = scratch_access(w, x, false);
    if (!x) return NULL;
    GO(w, x);
}

static EXEC(scratch_store) {
    x = scratch_access(w, x, true);
    if (!x) return NULL;
    GO(w, x);
}

/* --- flat: global but for the two apertures --- */

/* Lanes whose address lies in the shared (LDS) or private (scratch) aperture. */
static uint32_t aperture_lanes(const struct wave *w, const struct lanes *l) {
    const struct isa_dispatch *d = &w->g->d;
    vi32 in = (l->hi == vec_splat((uint32_t)(d->shared_aperture >> 32))) |
              (l->hi == vec_splat((uint32_t)(d->private_aperture >> 32)));
    return vec_mask(in) & l->exec;
}

static bool is_shared(const struct wave *w, uint64_t va) {
    return va >> 32 == w->g->d.shared_aperture >> 32;
}

/* LDS beyond the allocation reads 0 and drops writes. */
static uint8_t *lds_at(struct wave *w, uint64_t va, unsigned size) {
    uint32_t at = (uint32_t)va;
    return at < w->g->lds_bytes && w->g->lds_bytes - at >= size ? w->g->lds + at : NULL;
}

static bool aperture_lane(struct wave *w, const struct xinst *x, unsigned half, unsigned i,
                          uint64_t va, bool store) {
    if (!is_shared(w, va)) return scratch_lane(w, x, half, i, (uint32_t)va, store);
    uint8_t *p = lds_at(w, va, x->size), zero[16] = {0};
    if (store)
        mem_get_lane(exec_vgpr(w, half, (unsigned)x->s[2]), i, p ? p : zero, x->size, x->sub);
    else
        mem_put_lane(exec_vgpr(w, half, x->dst), i, p ? p : zero, x->size, x->sub);
    return true;
}

static int access_half(struct wave *w, const struct xinst *x, unsigned half, const struct lanes *l,
                       bool store) {
    switch (x->size) {
    case 1:
        return store ? store_half(w, x, half, l, 1) : load_half(w, x, half, l, 1);
    case 2:
        return store ? store_half(w, x, half, l, 2) : load_half(w, x, half, l, 2);
    case 4:
        return store ? store_half(w, x, half, l, 4) : load_half(w, x, half, l, 4);
    case 8:
        return store ? store_half(w, x, half, l, 8) : load_half(w, x, half, l, 8);
    case 12:
        return store ? store_half(w, x, half, l, 12) : load_half(w, x, half, l, 12);
    default:
        return store ? store_half(w, x, half, l, 16) : load_half(w, x, half, l, 16);
    }
}

static const struct xinst *flat_access(struct wave *w, const struct xinst *x, bool store) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        struct lanes l, all;
        global_addresses(w, x, h, &l);
        if (!l.exec) continue;
        uint32_t special = aperture_lanes(w, &l);
        all = l;
        l.exec &= ~special;
        /* The destination may be the address: both kinds of lanes use the copy in `all`. */
        int bad = l.exec ? access_half(w, x, h, &l, store) : -1;
        if (bad >= 0) return lane_fault(w, x, h, bad, &l, store ? "write" : "read");
        for (uint32_t m = special; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            if (!aperture_lane(w, x, h, i, lane_va(&all, i), store))
                return lane_fault(w, x, h, (int)i, &all, "scratch (private memory) overflow,");
        }
    }
    return x + x->len;
}

static EXEC(flat_load) {
    x = flat_access(w, x, false);
    if (!x) return NULL;
    GO(w, x);
}

static EXEC(flat_store) {
    x = flat_access(w, x, true);
    if (!x) return NULL;
    GO(w, x);
}

static EXEC(flat_atomic) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        struct lanes l;
        vu32 *data = exec_vgpr(w, h, (unsigned)x->s[2]), keep[4];
        global_addresses(w, x, h, &l);
        memcpy(keep, data, x->ns * (x->size / 4u) * sizeof *data);
        uint32_t special = aperture_lanes(w, &l);
        for (uint32_t m = l.exec; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint64_t va = lane_va(&l, i);
            bool shared = special >> i & 1;
            uint8_t *p;
            if (va & (x->size - 1u)) return lane_fault(w, x, h, (int)i, &l, "misaligned atomic");
            if (shared && !is_shared(w, va))
                return isa_stop_illegal(w, x, false, "atomic on private memory");
            p = shared ? lds_at(w, va, x->size) : lane_host(w->g, ISA_ATOMIC, va, x->size);
            if (!p && !shared) return lane_fault(w, x, h, (int)i, &l, "atomic");
            if (p) atomic_lane(x, keep, exec_vgpr(w, h, x->dst), i, p, shared);
        }
    }
    NEXT(w, x);
}

static EXEC(cache_control) {
    NEXT(w, x);
}

/* --- binding --- */

static xfn *sized(xfn *const table[6], unsigned size) {
    return table[size == 1 ? 0 : size == 2 ? 1 : size / 4 + 1];
}

static xfn *const global_loads[6] = {global_load_1, global_load_2,  global_load_4,
                                     global_load_8, global_load_12, global_load_16};
static xfn *const global_stores[6] = {global_store_1, global_store_2,  global_store_4,
                                      global_store_8, global_store_12, global_store_16};

enum space { GLOBAL, FLAT, SCRATCH };

static void bind_address(struct binding *b, enum space space) {
    const struct isa_inst *in = b->in;
    struct xinst *x = b->x;
    bool gfx12 = b->g->d.arch == ISA_GFX12;
    x->s[0] = gfx12 ? in->f[ISA_F_vaddr] : in->f[ISA_F_addr];
    x->s[2] = gfx12 ? in->f[ISA_F_vsrc] : in->f[ISA_F_data];
    x->s[1] = in->f[ISA_F_saddr];
    x->dst = (uint16_t)in->f[ISA_F_vdst];
    if (gfx12)
        x->imm = (int32_t)(in->f[ISA_F_ioffset] << 8) >> 8;
    else if (space == FLAT)
        x->imm = (int32_t)(in->f[ISA_F_offset] & 0xfff);
    else
        x->imm = (int32_t)(in->f[ISA_F_offset] << 19) >> 19;
    bool off = x->s[1] == ISA_SRC_NULL || x->s[1] == 127;
    if (!off && (space != FLAT || gfx12)) x->flags |= X_SADDR;
    if (in->f[ISA_F_sve]) x->flags |= X_SVE;
    if (gfx12 ? in->f[ISA_F_th] & 1 : in->f[ISA_F_glc]) x->flags |= X_RETURN;
}

static bool check_registers(struct binding *b, const struct mem_op *op, enum space space) {
    const struct xinst *x = b->x;
    unsigned n = mem_dwords(op->size);
    bool addr = space != SCRATCH || x->flags & X_SVE;
    unsigned addr_dwords = space == SCRATCH || x->flags & X_SADDR ? 1 : 2;
    if (addr && !SEM_SYM(exec_bind_vgprs)(b, (unsigned)x->s[0], addr_dwords)) return false;
    if (op->kind != MEM_LOAD && !SEM_SYM(exec_bind_vgprs)(b, (unsigned)x->s[2], n * op->operands))
        return false;
    bool writes = op->kind == MEM_LOAD || (op->kind == MEM_ATOMIC && x->flags & X_RETURN);
    return !writes || SEM_SYM(exec_bind_vgprs)(b, x->dst, n);
}

static xfn *pick(const struct mem_op *op, enum space space) {
    static xfn *const others[3][3] = {[GLOBAL] = {NULL, NULL, global_atomic},
                                      [FLAT] = {flat_load, flat_store, flat_atomic},
                                      [SCRATCH] = {scratch_load, scratch_store, NULL}};
    if (space == GLOBAL && op->kind == MEM_LOAD) return sized(global_loads, op->size);
    if (space == GLOBAL && op->kind == MEM_STORE) return sized(global_stores, op->size);
    return others[space][op->kind];
}

bool SEM_SYM(exec_bind_flat)(struct binding *b) {
    struct xinst *x = b->x;
    const char *name = b->in->op->name;
    enum isa_format fmt = b->in->op->format;
    enum space space = fmt == ISA_FMT_FLAT || fmt == ISA_FMT_VFLAT         ? FLAT
                       : fmt == ISA_FMT_SCRATCH || fmt == ISA_FMT_VSCRATCH ? SCRATCH
                                                                           : GLOBAL;
    const char *rest = strchr(name, '_') + 1;
    if (!strcmp(rest, "INV") || !strcmp(rest, "WB") || !strcmp(rest, "WBINV")) {
        x->fn = cache_control;
        return true;
    }
    bind_address(b, space);
    if (space == GLOBAL && strstr(rest, "ADDTID") && !strstr(rest, "LDS")) {
        x->size = 4;
        x->sub = rest[0] == 'S' ? MEM_STORE : MEM_LOAD;
        x->fn = global_addtid;
        return SEM_SYM(exec_bind_vgprs)(b, x->sub == MEM_STORE ? (unsigned)x->s[2] : x->dst, 1);
    }
    const struct mem_op *op = mem_op_find(rest);
    if (!op) return false;
    x->size = op->size;
    x->sub = op->kind == MEM_ATOMIC ? op->atomic : op->ext;
    x->ns = op->operands;
    x->fn = pick(op, space);
    return x->fn && check_registers(b, op, space);
}
