/* SPDX-License-Identifier: MIT */
/* exec_lds.c - DS instructions: loads, stores and atomics on LDS, and the lane permutes that go
 * through it.
 *
 * xinst: s[0] address VGPR, s[1] data0 VGPR, s[2] data1 VGPR, dst, imm = offset (for
 * 2ADDR: aux = both byte offsets, lo and hi 32 bits), size, sub = enum mem_ext or mem_atomic. */
#include <stdio.h>

#include "driver/emulator/isa/exec_gather.h"
#include "driver/emulator/isa/exec_mem.h"

static inline bool lds_inside(const struct isa_group *g, uint32_t at, unsigned size) {
    return at < g->lds_bytes && g->lds_bytes - at >= size;
}

/* Offsets of all lanes; true if every active lane's value is inside the allocation. */
static inline bool offsets(const struct wave *w, const struct xinst *x, unsigned half, uint32_t imm,
                           unsigned size, vu32 *at) {
    *at = *exec_vgpr(w, half, (unsigned)x->s[0]) + imm;
    if (w->g->lds_bytes < size) return false;
    vi32 ok = *at <= vec_splat(w->g->lds_bytes - size);
    return !(~vec_mask(ok) & w->s[ISA_SRC_EXEC_LO + half]);
}

static inline bool is_run(const vu32 *at, unsigned size, uint32_t exec) {
    vu32 want = vec_splat(*(const uint32_t *)at) + vec_lane_ids() * size;
    return exec == UINT32_MAX && vec_mask(want == *at) == UINT32_MAX;
}

/* Loads `size` bytes a lane into d[0..]. */
static inline __attribute__((always_inline)) void load_lanes(struct wave *w, const struct xinst *x,
                                                             unsigned half, uint32_t imm,
                                                             unsigned size, vu32 *d) {
    const struct isa_group *g = w->g;
    uint32_t exec = w->s[ISA_SRC_EXEC_LO + half];
    const uint8_t zero[16] = {0};
    vu32 at;
    bool safe = offsets(w, x, half, imm, size, &at);
    const uint32_t *o = (const uint32_t *)&at;
    if (safe && size == 4 && is_run(&at, 4, exec)) {
        memcpy(d, g->lds + o[0], sizeof *d);
        return;
    }
    if (safe && size >= 4) {
        for (unsigned j = 0; j < size / 4; j++) {
            vu32 v = gather_dwords(g->lds, g->lds_bytes + ISA_LDS_PAD, at + 4 * j, exec);
            exec_write_lanes(&d[j], &v, exec);
        }
        return;
    }
    for (uint32_t m = exec; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        bool ok = safe || lds_inside(g, o[i], size);
        mem_put_lane(d, i, ok ? g->lds + o[i] : zero, size, x->sub);
    }
}

static inline __attribute__((always_inline)) void store_lanes(struct wave *w, const struct xinst *x,
                                                              unsigned half, uint32_t imm,
                                                              unsigned size, vu32 *v) {
    struct isa_group *g = w->g;
    uint32_t exec = w->s[ISA_SRC_EXEC_LO + half];
    vu32 at;
    bool safe = offsets(w, x, half, imm, size, &at);
    const uint32_t *o = (const uint32_t *)&at;
    if (safe && size == 4 && is_run(&at, 4, exec)) {
        memcpy(g->lds + o[0], v, sizeof *v);
        return;
    }
    for (uint32_t m = exec; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (safe || lds_inside(g, o[i], size)) mem_get_lane(v, i, g->lds + o[i], size, x->sub);
    }
}

/* A load may overwrite its own address: into a temporary, then by EXEC. */
#define LDS_LOAD(name, size)                                                                       \
    static EXEC(name) {                                                                            \
        for (unsigned h = 0; h < w->g->halves; h++) {                                              \
            vu32 *d = exec_vgpr(w, h, x->dst), tmp[4];                                             \
            for (unsigned j = 0; j < mem_dwords(size); j++)                                        \
                tmp[j] = d[j];                                                                     \
            load_lanes(w, x, h, (uint32_t)x->imm, size, tmp);                                      \
            for (unsigned j = 0; j < mem_dwords(size); j++)                                        \
                d[j] = tmp[j];                                                                     \
        }                                                                                          \
        NEXT(w, x);                                                                                \
    }
#define LDS_STORE(name, size)                                                                      \
    static EXEC(name) {                                                                            \
        for (unsigned h = 0; h < w->g->halves; h++)                                                \
            store_lanes(w, x, h, (uint32_t)x->imm, size, exec_vgpr(w, h, (unsigned)x->s[1]));      \
        NEXT(w, x);                                                                                \
    }
LDS_LOAD(lds_load_1, 1)
LDS_LOAD(lds_load_2, 2)
LDS_LOAD(lds_load_4, 4)
LDS_LOAD(lds_load_8, 8)
LDS_LOAD(lds_load_12, 12)
LDS_LOAD(lds_load_16, 16)
LDS_STORE(lds_store_1, 1)
LDS_STORE(lds_store_2, 2)
LDS_STORE(lds_store_4, 4)
LDS_STORE(lds_store_8, 8)
LDS_STORE(lds_store_12, 12)
LDS_STORE(lds_store_16, 16)

static inline uint32_t offset_0(const struct xinst *x) {
    return (uint32_t)x->aux;
}

static inline uint32_t offset_1(const struct xinst *x) {
    return (uint32_t)(x->aux >> 32);
}

static EXEC(lds_load_2addr) {
    unsigned n = x->size / 4u;
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *d = exec_vgpr(w, h, x->dst), tmp[4];
        memcpy(tmp, d, 2 * n * sizeof *d);
        if (n == 1) {
            load_lanes(w, x, h, offset_0(x), 4, tmp);
            load_lanes(w, x, h, offset_1(x), 4, tmp + 1);
        } else {
            load_lanes(w, x, h, offset_0(x), 8, tmp);
            load_lanes(w, x, h, offset_1(x), 8, tmp + 2);
        }
        memcpy(d, tmp, 2 * n * sizeof *d);
    }
    NEXT(w, x);
}

static EXEC(lds_store_2addr) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *d0 = exec_vgpr(w, h, (unsigned)x->s[1]), *d1 = exec_vgpr(w, h, (unsigned)x->s[2]);
        if (x->size == 4) {
            store_lanes(w, x, h, offset_0(x), 4, d0);
            store_lanes(w, x, h, offset_1(x), 4, d1);
        } else {
            store_lanes(w, x, h, offset_0(x), 8, d0);
            store_lanes(w, x, h, offset_1(x), 8, d1);
        }
    }
    NEXT(w, x);
}

/* One atomic of one lane at byte offset `at`; outside the allocation it reads 0 and does nothing.
 */
static uint64_t atomic_at(struct isa_group *g, const struct xinst *x, uint32_t at, uint64_t a,
                          uint64_t b) {
    uint64_t old = 0, v;
    if (!lds_inside(g, at, x->size)) return 0;
    memcpy(&old, g->lds + at, x->size);
    v = mem_atomic_value(x->sub, x->size, old, a, b);
    memcpy(g->lds + at, &v, x->size);
    return old;
}

static EXEC(lds_atomic) {
    unsigned n = x->size / 4u;
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *d = exec_vgpr(w, h, x->dst), old[2], at;
        vu32 *a = exec_vgpr(w, h, (unsigned)x->s[1]), *b = exec_vgpr(w, h, (unsigned)x->s[2]);
        offsets(w, x, h, (uint32_t)x->imm, x->size, &at);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint64_t vb = x->ns == 2 ? mem_lane_value(b, i, x->size) : 0;
            uint64_t r = atomic_at(w->g, x, *mem_lane(&at, i), mem_lane_value(a, i, x->size), vb);
            mem_set_lane_value(old, i, x->size, r);
        }
        if (!(x->flags & X_RETURN)) continue;
        for (unsigned j = 0; j < n; j++)
            exec_write_lanes(&d[j], &old[j], w->s[ISA_SRC_EXEC_LO + h]);
    }
    NEXT(w, x);
}

/* ds_storexchg_2addr: two exchanges, both old values returned. */
static EXEC(lds_exchange_2addr) {
    unsigned n = x->size / 4u;
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *d = exec_vgpr(w, h, x->dst), old[4];
        vu32 addr = *exec_vgpr(w, h, (unsigned)x->s[0]);
        vu32 *a = exec_vgpr(w, h, (unsigned)x->s[1]), *b = exec_vgpr(w, h, (unsigned)x->s[2]);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint32_t at = *mem_lane(&addr, i);
            uint64_t r0 = atomic_at(w->g, x, at + offset_0(x), mem_lane_value(a, i, x->size), 0);
            uint64_t r1 = atomic_at(w->g, x, at + offset_1(x), mem_lane_value(b, i, x->size), 0);
            mem_set_lane_value(old, i, x->size, r0);
            mem_set_lane_value(old + n, i, x->size, r1);
        }
        for (unsigned j = 0; j < 2 * n; j++)
            exec_write_lanes(&d[j], &old[j], w->s[ISA_SRC_EXEC_LO + h]);
    }
    NEXT(w, x);
}

/* ds_condxchg32_rtn_b64: each dword with bit 31 of the data set is exchanged (bit 31 cleared). */
static EXEC(lds_condxchg) {
    for (unsigned h = 0; h < w->g->halves; h++) {
        vu32 *d = exec_vgpr(w, h, x->dst), old[2] = {{0}}, at;
        vu32 *a = exec_vgpr(w, h, (unsigned)x->s[1]);
        offsets(w, x, h, (uint32_t)x->imm, 8, &at);
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            for (unsigned j = 0; j < 2; j++) {
                uint32_t o = *mem_lane(&at, i) + 4 * j, v = *mem_lane(&a[j], i);
                if (!lds_inside(w->g, o, 4)) continue;
                memcpy(mem_lane(&old[j], i), w->g->lds + o, 4);
                if (!(v >> 31)) continue;
                v &= INT32_MAX;
                memcpy(w->g->lds + o, &v, 4);
            }
        }
        for (unsigned j = 0; j < 2; j++)
            exec_write_lanes(&d[j], &old[j], w->s[ISA_SRC_EXEC_LO + h]);
    }
    NEXT(w, x);
}

/* ds_append, ds_consume: one counter at M0[31:16] + offset, by the number of active lanes. */
static EXEC(lds_append) {
    struct isa_group *g = w->g;
    uint32_t at = (w->s[ISA_SRC_M0] >> 16) + (uint32_t)x->imm, old = 0;
    uint32_t n = (uint32_t)__builtin_popcountll(exec_mask64(w, ISA_SRC_EXEC_LO));
    if (lds_inside(g, at, 4)) {
        memcpy(&old, g->lds + at, 4);
        uint32_t v = x->sub ? old + n : old - n;
        memcpy(g->lds + at, &v, 4);
    }
    for (unsigned h = 0; h < g->halves; h++) {
        vu32 v = vec_splat(old);
        exec_write_lanes(exec_vgpr(w, h, x->dst), &v, w->s[ISA_SRC_EXEC_LO + h]);
    }
    NEXT(w, x);
}

/* Address = offset + M0[15:0] + lane * 4. sub: store. */
static EXEC(lds_addtid) {
    struct isa_group *g = w->g;
    for (unsigned h = 0; h < g->halves; h++) {
        for (uint32_t m = w->s[ISA_SRC_EXEC_LO + h]; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint32_t at = (uint32_t)x->imm + (w->s[ISA_SRC_M0] & 0xffff) + (h * 32 + i) * 4;
            bool ok = lds_inside(g, at, 4);
            if (x->sub && ok)
                memcpy(g->lds + at, mem_lane(exec_vgpr(w, h, (unsigned)x->s[1]), i), 4);
            if (x->sub) continue;
            uint32_t v = 0;
            if (ok) memcpy(&v, g->lds + at, 4);
            *mem_lane(exec_vgpr(w, h, x->dst), i) = v;
        }
    }
    NEXT(w, x);
}

/* --- permutes: no memory. Addresses are lane numbers times 4. --- */

static uint32_t *wave_lane(const struct wave *w, unsigned reg, unsigned lane) {
    return mem_lane(exec_vgpr(w, lane / 32, reg), lane % 32);
}

static bool lane_on(const struct wave *w, unsigned lane) {
    return w->s[ISA_SRC_EXEC_LO + lane / 32] >> lane % 32 & 1;
}

static void write_all(struct wave *w, unsigned reg, const vu32 *v) {
    for (unsigned h = 0; h < w->g->halves; h++)
        exec_write_lanes(exec_vgpr(w, h, reg), &v[h], w->s[ISA_SRC_EXEC_LO + h]);
}

/* Each lane fetches; sub: also from inactive lanes (fi). */
static EXEC(lds_bpermute) {
    unsigned n = w->g->d.wave_size;
    vu32 r[2] = {{0}};
    for (unsigned i = 0; i < n; i++) {
        uint32_t from = (*wave_lane(w, (unsigned)x->s[0], i) + (uint32_t)x->imm) / 4 % n;
        bool on = x->sub || lane_on(w, from);
        *mem_lane(&r[i / 32], i % 32) = on ? *wave_lane(w, (unsigned)x->s[1], from) : 0;
    }
    write_all(w, x->dst, r);
    NEXT(w, x);
}

/* Each lane sends; the highest sender wins, lanes nobody sends to get 0. */
static EXEC(lds_permute) {
    unsigned n = w->g->d.wave_size;
    vu32 r[2] = {{0}};
    for (unsigned i = 0; i < n; i++) {
        if (!lane_on(w, i)) continue;
        uint32_t to = (*wave_lane(w, (unsigned)x->s[0], i) + (uint32_t)x->imm) / 4 % n;
        *mem_lane(&r[to / 32], to % 32) = *wave_lane(w, (unsigned)x->s[1], i);
    }
    write_all(w, x->dst, r);
    NEXT(w, x);
}

/* Source lane of ds_swizzle_b32 within its group of 32; offset as in the ISA guide. */
static unsigned swizzle_from(uint32_t offset, unsigned i) {
    if (offset >= 0xe000) { /* FFT: bit-reversed lanes */
        unsigned mask = offset & 31, r = 0;
        for (unsigned k = 0; k < 5; k++)
            r |= (i >> k & 1) << (4 - k);
        unsigned stages = 0;
        for (unsigned k = 0; k < 5; k++)
            if (!(mask >> k & 1)) stages++;
        return (i & mask) | (r >> (5 - stages) & ~mask & 31);
    }
    if (offset >= 0xc000) { /* rotate by bits 9:5, direction bit 10, within bits of the mask */
        unsigned mask = offset & 31, by = offset >> 5 & 31;
        unsigned to = offset >> 10 & 1 ? i - by : i + by;
        return (i & mask) | (to & ~mask & 31);
    }
    if (offset & 0x8000) return (i & ~3u) | (offset >> 2 * (i & 3) & 3); /* quad permute */
    unsigned and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
    return ((i & and_mask) | or_mask) ^ xor_mask;
}

static EXEC(lds_swizzle) {
    vu32 r[2] = {{0}};
    for (unsigned i = 0; i < w->g->d.wave_size; i++) {
        unsigned from = (i & 32) | swizzle_from((uint32_t)x->imm, i & 31);
        if (lane_on(w, from))
            *mem_lane(&r[i / 32], i % 32) = *wave_lane(w, (unsigned)x->s[0], from);
    }
    write_all(w, x->dst, r);
    NEXT(w, x);
}

static EXEC(lds_nop) {
    NEXT(w, x);
}

/* --- binding --- */

static xfn *const loads[6] = {lds_load_1, lds_load_2,  lds_load_4,
                              lds_load_8, lds_load_12, lds_load_16};
static xfn *const stores[6] = {lds_store_1, lds_store_2,  lds_store_4,
                               lds_store_8, lds_store_12, lds_store_16};

/* Registers: dwords of the address, of each data operand, of the result. */
struct shape {
    uint8_t addr, data0, data1, dst;
};

static bool check_shape(struct binding *b, struct shape s) {
    const struct xinst *x = b->x;
    return SEM_SYM(exec_bind_vgprs)(b, s.addr ? (unsigned)x->s[0] : 0, s.addr) &&
           SEM_SYM(exec_bind_vgprs)(b, s.data0 ? (unsigned)x->s[1] : 0, s.data0) &&
           SEM_SYM(exec_bind_vgprs)(b, s.data1 ? (unsigned)x->s[2] : 0, s.data1) &&
           SEM_SYM(exec_bind_vgprs)(b, s.dst ? x->dst : 0, s.dst);
}

static const struct special_row {
    const char *name;
    xfn *fn;
    uint8_t size, sub;
    struct shape shape;
} specials[] = {
    {"SWIZZLE_B32", lds_swizzle, 4, 0, {1, 0, 0, 1}},
    {"PERMUTE_B32", lds_permute, 4, 0, {1, 1, 0, 1}},
    {"BPERMUTE_B32", lds_bpermute, 4, 0, {1, 1, 0, 1}},
    {"BPERMUTE_FI_B32", lds_bpermute, 4, 1, {1, 1, 0, 1}},
    {"APPEND", lds_append, 4, 1, {0, 0, 0, 1}},
    {"CONSUME", lds_append, 4, 0, {0, 0, 0, 1}},
    {"STORE_ADDTID_B32", lds_addtid, 4, 1, {0, 1, 0, 0}},
    {"LOAD_ADDTID_B32", lds_addtid, 4, 0, {0, 0, 0, 1}},
    {"CONDXCHG32_RTN_B64", lds_condxchg, 8, 0, {1, 2, 0, 2}},
    {"NOP", lds_nop, 0, 0, {0, 0, 0, 0}},
};

static bool bind_2addr(struct binding *b, const char *name) {
    struct xinst *x = b->x;
    bool wide = strstr(name, "B64") != NULL;
    unsigned n = wide ? 2 : 1, unit = n * 4 * (strstr(name, "STRIDE64") ? 64 : 1);
    x->size = (uint8_t)(n * 4);
    x->sub = MEM_PLAIN;
    x->aux = b->in->f[ISA_F_offset0] * unit | (uint64_t)(b->in->f[ISA_F_offset1] * unit) << 32;
    struct shape s = {1, (uint8_t)n, (uint8_t)n, (uint8_t)(2 * n)};
    if (!strncmp(name, "LOAD", 4)) {
        x->fn = lds_load_2addr;
        s.data0 = s.data1 = 0;
    } else if (!strncmp(name, "STOREXCHG", 9)) {
        x->fn = lds_exchange_2addr;
        x->sub = ATOMIC_SWAP;
    } else {
        x->fn = lds_store_2addr;
        s.dst = 0;
    }
    return check_shape(b, s);
}

/* "ADD_RTN_U32" -> "ADD_U32"; true if it had the infix. */
static bool strip_return(const char *name, char *buf, size_t size) {
    const char *rtn = strstr(name, "_RTN_");
    if (!rtn)
        snprintf(buf, size, "%s", name);
    else
        snprintf(buf, size, "%.*s%s", (int)(rtn - name), name, rtn + 4);
    return rtn != NULL;
}

static bool bind_atomic(struct binding *b, const char *name) {
    struct xinst *x = b->x;
    char plain[48];
    bool returns = strip_return(name, plain, sizeof plain);
    const struct mem_op *op = mem_op_find_lds(plain);
    if (!op) return false;
    unsigned n = op->size / 4u;
    x->fn = lds_atomic;
    x->size = op->size;
    x->sub = op->atomic;
    x->ns = op->operands;
    if (returns) x->flags |= X_RETURN;
    struct shape s = {1, (uint8_t)n, (uint8_t)(op->operands == 2 ? n : 0),
                      (uint8_t)(returns ? n : 0)};
    return check_shape(b, s);
}

bool SEM_SYM(exec_bind_lds)(struct binding *b) {
    struct xinst *x = b->x;
    const struct isa_inst *in = b->in;
    const char *name = in->op->name + 3; /* after "DS_" */
    if (in->f[ISA_F_gds]) return SEM_SYM(exec_refuse_unimplemented)(b, "GDS is not implemented");
    x->s[0] = in->f[ISA_F_addr];
    x->s[1] = in->f[ISA_F_data0];
    x->s[2] = in->f[ISA_F_data1];
    x->dst = (uint16_t)in->f[ISA_F_vdst];
    x->imm = (int32_t)(in->f[ISA_F_offset0] | in->f[ISA_F_offset1] << 8);
    for (unsigned i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (strcmp(name, specials[i].name)) continue;
        x->fn = specials[i].fn;
        x->size = specials[i].size;
        x->sub = specials[i].sub;
        return check_shape(b, specials[i].shape);
    }
    if (strstr(name, "2ADDR")) return bind_2addr(b, name);
    const struct mem_op *op = mem_op_find(name);
    if (!op || op->kind == MEM_ATOMIC) return bind_atomic(b, name);
    bool load = op->kind == MEM_LOAD;
    unsigned n = mem_dwords(op->size);
    x->size = op->size;
    x->sub = op->ext;
    x->fn = (load ? loads : stores)[op->size == 1 ? 0 : op->size == 2 ? 1 : op->size / 4 + 1];
    struct shape s = {1, (uint8_t)(load ? 0 : n), 0, (uint8_t)(load ? n : 0)};
    return check_shape(b, s);
}
