/* SPDX-License-Identifier: MIT */
/* jit_inline.c - what the lifter puts into compiled code for memory instructions, and the scalar
 * ALU functions that it clones. Compiled to bitcode, once per host level; never part of the
 * library.
 *
 * A memory function answers true when it has done the whole instruction. False: nothing has been
 * stored, the interpreter does it. Loads leave anything in lanes that are off. */
#include <string.h>

#include "driver/emulator/isa/exec_gather.h"
#include "driver/emulator/isa/exec_mem.h"
#include "driver/emulator/isa/jit_runs.h"
#include "driver/emulator/isa/sem_salu.h"

#define SROW(name, fn, d, a, b, flags)                                                             \
    uint64_t salu_##name(uint64_t a_, uint64_t b_, struct sem_senv *e);                            \
    uint64_t salu_##name(uint64_t a_, uint64_t b_, struct sem_senv *e) {                           \
        return fn(a_, b_, e);                                                                      \
    }
#include "driver/emulator/isa/sem_salu_rows.h"
#undef SROW

/* A function that the lifter calls by name. */
#define SERVICE(ret, name, ...)                                                                    \
    __attribute__((always_inline)) ret name(__VA_ARGS__);                                          \
    __attribute__((always_inline)) ret name(__VA_ARGS__)

/* Not inlined: shared by all instructions that take the way which is not the usual one. */
#define FAR_SERVICE(ret, name, ...)                                                                \
    __attribute__((noinline)) ret name(__VA_ARGS__);                                               \
    __attribute__((noinline)) ret name(__VA_ARGS__)

INLINE bool holds(const struct isa_segment *s, uint64_t va, unsigned access) {
    return va - s->va < s->size && s->access >> access & 1;
}

/* Entries that are not in use have size 0. */
INLINE const struct isa_segment *find(const struct segment_cache *c, uint64_t va, unsigned access) {
    if (__builtin_expect(holds(&c->e[0], va, access), 1)) return &c->e[0];
#pragma clang loop unroll(disable)
    for (unsigned i = 1; i < SEGMENT_CACHE; i++)
        if (holds(&c->e[i], va, access)) return &c->e[i];
    return NULL;
}

/* True: *host is the address of [va, va + size). */
SERVICE(bool, jit_scalar, const struct segment_cache *c, uint64_t va, uint32_t size,
        uint32_t access, const uint8_t **host) {
    const struct isa_segment *s = find(c, va, access);
    if (!s || s->size - (va - s->va) < size) return false;
    *host = s->host + (va - s->va);
    return true;
}

/* --- lanes at 32-bit offsets from a host address --- */

struct lanes {
    uint8_t *host;     /* of offset 0 */
    uint64_t readable; /* bytes from there on */
    uint32_t lo, span; /* offsets in [lo, lo + span] are inside */
    vu32 off;
    vi32 bad; /* lanes that are elsewhere */
};

INLINE unsigned first_of(uint32_t exec) {
    return (unsigned)__builtin_ctz(exec);
}

/* Offsets are from `rel` bytes into the segment. */
INLINE bool set_range(struct lanes *l, const struct isa_segment *s, int64_t rel, unsigned size) {
    int64_t hi = (int64_t)(s->size - size) - rel, lo = rel < 0 ? -rel : 0;
    if (s->size < size || hi > (int64_t)s->size) hi = s->size < size ? -1 : hi;
    if (hi > INT32_MAX) hi = INT32_MAX;
    if (hi < lo) return false;
    l->lo = (uint32_t)lo;
    l->span = (uint32_t)(hi - lo);
    l->host = s->host + rel;
    l->readable = s->size - (uint64_t)rel;
    return true;
}

/* base + offset, zero-extended. */
INLINE bool locate_saddr(struct lanes *l, const struct segment_cache *c, uint64_t base,
                         const vu32 *off, uint32_t exec, unsigned size, unsigned access) {
    l->off = *off;
    l->bad = (vi32){0};
    uint64_t va = base + (*off)[first_of(exec)];
    const struct isa_segment *s = find(c, va, access);
    return s && set_range(l, s, (int64_t)(base - s->va), size);
}

/* 64-bit addresses plus a constant. */
INLINE bool locate_vaddr(struct lanes *l, const struct segment_cache *c, uint64_t base,
                         const vu32 *lo, const vu32 *hi, uint32_t exec, unsigned size,
                         unsigned access) {
    unsigned n = first_of(exec);
    uint64_t va = base + ((*lo)[n] | (uint64_t)(*hi)[n] << 32);
    const struct isa_segment *s = find(c, va, access);
    if (!s) return false;
    uint64_t from = s->va - base;
    l->off = *lo - (uint32_t)from;
    vu32 borrow = (vu32)(*lo < vec_splat((uint32_t)from)); /* -1 */
    l->bad = (*hi + borrow) != vec_splat((uint32_t)(from >> 32));
    return set_range(l, s, 0, size);
}

INLINE bool all_inside(const struct lanes *l, uint32_t exec) {
    vi32 bad = (l->off - l->lo > vec_splat(l->span)) | l->bad;
    return !(vec_mask(bad) & exec);
}

/* Offset of lane 0 if the active lanes hold consecutive values of `size` bytes, all 32 inside. */
INLINE bool is_run(const struct lanes *l, uint32_t exec, unsigned size, uint32_t *start) {
    unsigned n = first_of(exec);
    uint32_t at = l->off[n] - n * size;
    vi32 bad = (l->off != vec_splat(at) + vec_lane_ids() * size) | l->bad;
    *start = at;
    return !(vec_mask(bad) & exec) && at - l->lo <= l->span && l->span - (at - l->lo) >= 31 * size;
}

/* Lanes that are not consecutive. */
INLINE bool load_scattered(const struct lanes *l, uint32_t exec, unsigned size, enum mem_ext ext,
                           vu32 *out) {
    if (!all_inside(l, exec)) return false;
    if (size < 4) {
        struct lanes whole = *l; /* a dword may be read at each offset */
        if (whole.span < 4 - size) return false;
        whole.span -= 4 - size;
        if (!all_inside(&whole, exec)) return false;
        vu32 raw = gather_dwords(l->host, l->readable, l->off, exec);
        *out = mem_extend_lanes(ext, raw, *out);
        return true;
    }
    for (unsigned j = 0; j < size / 4; j++)
        out[j] = gather_dwords(l->host + 4 * j, l->readable - 4 * j, l->off, exec);
    return true;
}

INLINE bool load_lanes(const struct lanes *l, uint32_t exec, unsigned size, enum mem_ext ext,
                       vu32 *out) {
    uint32_t start;
    bool run = size != 12 && is_run(l, exec, size, &start);
    if (size >= 4 && run) {
        load_run(l->host + start, size / 4, out);
        return true;
    }
    if (size < 4 && run) {
        *out = mem_extend_lanes(ext, load_small_run(l->host + start, size), *out);
        return true;
    }
    return load_scattered(l, exec, size, ext, out);
}

/* Lane by lane, in their order. */
INLINE void store_each(uint8_t *host, vu32 off, uint32_t exec, unsigned size, unsigned shift,
                       const vu32 *v) {
    uint32_t o[32], x[4][32];
    memcpy(o, &off, sizeof o);
    memcpy(x, v, (size + 3) / 4 * sizeof *v);
#pragma clang loop unroll(disable)
    for (uint32_t m = exec; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint8_t *p = host + o[i];
        if (size < 4) {
            uint32_t r = x[0][i] >> shift;
            memcpy(p, &r, size);
            continue;
        }
        for (unsigned j = 0; j < size / 4; j++)
            memcpy(p + 4 * j, &x[j][i], 4);
    }
}

INLINE void store_scattered(uint8_t *host, vu32 off, uint32_t exec, unsigned size, unsigned shift,
                            const vu32 *v) {
#if defined(__AVX512F__)
    if (size == 4) { /* lanes in their order, as values that overlap need it */
        __m512i o[2], x[2];
        memcpy(o, &off, sizeof o);
        memcpy(x, v, sizeof x);
        for (unsigned h = 0; h < 2; h++)
            _mm512_mask_i32scatter_epi32(host, (__mmask16)(exec >> 16 * h), o[h], x[h], 1);
        return;
    }
#endif
    store_each(host, off, exec, size, shift, v);
}

#define STORE_FAR(size)                                                                            \
    FAR_SERVICE(bool, jit_scatter_##size, const struct lanes *l, uint32_t exec, uint32_t shift,    \
                const vu32 *v) {                                                                   \
        if (!all_inside(l, exec)) return false;                                                    \
        store_scattered(l->host, l->off, exec, size, shift, v);                                    \
        return true;                                                                               \
    }
STORE_FAR(1)
STORE_FAR(2)
STORE_FAR(4)
STORE_FAR(8)
STORE_FAR(12)
STORE_FAR(16)

INLINE bool store_far(const struct lanes *l, uint32_t exec, unsigned size, unsigned shift,
                      const vu32 *v) {
    struct lanes copy = *l;
    vu32 tmp[4];
    for (unsigned j = 0; j < (size + 3) / 4; j++)
        tmp[j] = v[j];
    return size == 1    ? jit_scatter_1(&copy, exec, shift, tmp)
           : size == 2  ? jit_scatter_2(&copy, exec, shift, tmp)
           : size == 4  ? jit_scatter_4(&copy, exec, shift, tmp)
           : size == 8  ? jit_scatter_8(&copy, exec, shift, tmp)
           : size == 12 ? jit_scatter_12(&copy, exec, shift, tmp)
                        : jit_scatter_16(&copy, exec, shift, tmp);
}

INLINE bool store_lanes(const struct lanes *l, uint32_t exec, unsigned size, enum mem_ext ext,
                        const vu32 *v) {
    uint32_t start;
    unsigned shift = ext == MEM_D16_HI_B16 ? 16 : 0;
    if (size == 12 || !is_run(l, exec, size, &start)) return store_far(l, exec, size, shift, v);
    uint8_t *p = l->host + start;
    if (exec != UINT32_MAX) {
#if defined(__AVX512F__)
        if (size == 4) {
            __m512i x[2];
            memcpy(x, v, sizeof x);
            _mm512_mask_storeu_epi32(p, (__mmask16)exec, x[0]);
            _mm512_mask_storeu_epi32(p + 64, (__mmask16)(exec >> 16), x[1]);
            return true;
        }
#endif
        return store_far(l, exec, size, shift, v);
    }
    store_whole_run(p, size, ext, v);
    return true;
}

/* --- global and flat memory --- */

/* Any lanes. */
#define GLOBAL_FAR(size)                                                                           \
    FAR_SERVICE(bool, far_load_saddr_##size, const struct segment_cache *c, uint64_t base,         \
                const vu32 *off, uint32_t exec, uint32_t ext, vu32 *out) {                         \
        struct lanes l;                                                                            \
        return !exec || (locate_saddr(&l, c, base, off, exec, size, ISA_READ) &&                   \
                         load_lanes(&l, exec, size, ext, out));                                    \
    }                                                                                              \
    FAR_SERVICE(bool, far_load_vaddr_##size, const struct segment_cache *c, uint64_t base,         \
                const vu32 *lo, const vu32 *hi, uint32_t exec, uint32_t ext, vu32 *out) {          \
        struct lanes l;                                                                            \
        return !exec || (locate_vaddr(&l, c, base, lo, hi, exec, size, ISA_READ) &&                \
                         load_lanes(&l, exec, size, ext, out));                                    \
    }                                                                                              \
    FAR_SERVICE(bool, far_store_saddr_##size, const struct segment_cache *c, uint64_t base,        \
                const vu32 *off, uint32_t exec, uint32_t ext, const vu32 *v) {                     \
        struct lanes l;                                                                            \
        return !exec || (locate_saddr(&l, c, base, off, exec, size, ISA_WRITE) &&                  \
                         store_lanes(&l, exec, size, ext, v));                                     \
    }                                                                                              \
    FAR_SERVICE(bool, far_store_vaddr_##size, const struct segment_cache *c, uint64_t base,        \
                const vu32 *lo, const vu32 *hi, uint32_t exec, uint32_t ext, const vu32 *v) {      \
        struct lanes l;                                                                            \
        return !exec || (locate_vaddr(&l, c, base, lo, hi, exec, size, ISA_WRITE) &&               \
                         store_lanes(&l, exec, size, ext, v));                                     \
    }

/* Every lane on and consecutive: host address of lane 0's value, or NULL. */
INLINE uint8_t *quick_run(const struct segment_cache *c, uint64_t base, const vu32 *lo,
                          const vu32 *hi, unsigned size, unsigned access) {
    uint32_t first = (*lo)[0];
    vi32 bad = *lo != vec_splat(first) + vec_lane_ids() * size;
    uint64_t va = base + first;
    if (hi) {
        bad |= *hi != vec_splat((*hi)[0]);
        va += (uint64_t)(*hi)[0] << 32;
    }
    if (vec_mask(bad) || first > UINT32_MAX - 32 * size) return NULL;
    const struct isa_segment *s = find(c, va, access);
    return s && s->size - (va - s->va) >= 32 * size ? s->host + (va - s->va) : NULL;
}

INLINE void quick_load(const uint8_t *p, unsigned size, enum mem_ext ext, vu32 *out) {
    if (size >= 4)
        load_run(p, size / 4, out);
    else
        *out = mem_extend_lanes(ext, load_small_run(p, size), *out);
}

/* The same for EXEC = all ones, to be inlined: consecutive lanes here, others by the functions
 * above, with copies of the operands so that these stay in registers. */
#define GLOBAL_QUICK(size)                                                                         \
    SERVICE(bool, jit_load_saddr_##size, const struct segment_cache *c, uint64_t base,             \
            const vu32 *off, uint32_t exec, uint32_t ext, vu32 *out) {                             \
        uint8_t *p = size == 12 ? NULL : quick_run(c, base, off, NULL, size, ISA_READ);            \
        if (__builtin_expect(p != NULL, 1)) {                                                      \
            quick_load(p, size, ext, out);                                                         \
            return true;                                                                           \
        }                                                                                          \
        vu32 o = *off, tmp[4] = {*out};                                                            \
        bool ok = far_load_saddr_##size(c, base, &o, exec, ext, tmp);                              \
        for (unsigned j = 0; j < (size + 3) / 4; j++)                                              \
            out[j] = tmp[j];                                                                       \
        return ok;                                                                                 \
    }                                                                                              \
    SERVICE(bool, jit_load_vaddr_##size, const struct segment_cache *c, uint64_t base,             \
            const vu32 *lo, const vu32 *hi, uint32_t exec, uint32_t ext, vu32 *out) {              \
        uint8_t *p = size == 12 ? NULL : quick_run(c, base, lo, hi, size, ISA_READ);               \
        if (__builtin_expect(p != NULL, 1)) {                                                      \
            quick_load(p, size, ext, out);                                                         \
            return true;                                                                           \
        }                                                                                          \
        vu32 o = *lo, h = *hi, tmp[4] = {*out};                                                    \
        bool ok = far_load_vaddr_##size(c, base, &o, &h, exec, ext, tmp);                          \
        for (unsigned j = 0; j < (size + 3) / 4; j++)                                              \
            out[j] = tmp[j];                                                                       \
        return ok;                                                                                 \
    }                                                                                              \
    SERVICE(bool, jit_store_saddr_##size, const struct segment_cache *c, uint64_t base,            \
            const vu32 *off, uint32_t exec, uint32_t ext, const vu32 *v) {                         \
        uint8_t *p = size == 12 ? NULL : quick_run(c, base, off, NULL, size, ISA_WRITE);           \
        if (__builtin_expect(p != NULL, 1)) {                                                      \
            store_whole_run(p, size, ext, v);                                                      \
            return true;                                                                           \
        }                                                                                          \
        vu32 o = *off, tmp[4];                                                                     \
        for (unsigned j = 0; j < (size + 3) / 4; j++)                                              \
            tmp[j] = v[j];                                                                         \
        return far_store_saddr_##size(c, base, &o, exec, ext, tmp);                                \
    }                                                                                              \
    SERVICE(bool, jit_store_vaddr_##size, const struct segment_cache *c, uint64_t base,            \
            const vu32 *lo, const vu32 *hi, uint32_t exec, uint32_t ext, const vu32 *v) {          \
        uint8_t *p = size == 12 ? NULL : quick_run(c, base, lo, hi, size, ISA_WRITE);              \
        if (__builtin_expect(p != NULL, 1)) {                                                      \
            store_whole_run(p, size, ext, v);                                                      \
            return true;                                                                           \
        }                                                                                          \
        vu32 o = *lo, h = *hi, tmp[4];                                                             \
        for (unsigned j = 0; j < (size + 3) / 4; j++)                                              \
            tmp[j] = v[j];                                                                         \
        return far_store_vaddr_##size(c, base, &o, &h, exec, ext, tmp);                            \
    }
#define GLOBAL(size) GLOBAL_FAR(size) GLOBAL_QUICK(size)
GLOBAL(1)
GLOBAL(2)
GLOBAL(4)
GLOBAL(8)
GLOBAL(12)
GLOBAL(16)

/* No active lane's address lies in either aperture: FLAT is global memory then. */
SERVICE(bool, jit_no_aperture, const vu32 *hi, uint32_t exec, uint32_t shared, uint32_t private_) {
    vi32 in = (*hi == vec_splat(shared)) | (*hi == vec_splat(private_));
    return !(vec_mask(in) & exec);
}

/* --- scratch: dword n of a lane lies at base + n * row + lane * 4 --- */

INLINE bool locate_scratch(struct lanes *l, const struct segment_cache *c, uint64_t base,
                           uint32_t bytes, uint32_t row, const vu32 *off, uint32_t exec,
                           unsigned size, unsigned access) {
    unsigned dwords = (size + 3) / 4;
    if (bytes < dwords * row ||
        (size > 1 && vec_mask((*off & (size < 4 ? size - 1 : 3)) != (vu32){0}) & exec))
        return false;
    const struct isa_segment *s = find(c, base, access);
    if (!s || s->size - (base - s->va) < bytes || bytes > INT32_MAX) return false;
    l->host = s->host + (base - s->va);
    l->readable = s->size - (base - s->va);
    l->lo = 0;
    l->span = bytes - (dwords - 1) * row - (size < 4 ? size : 4);
    l->bad = (*off >> 2) >= vec_splat(bytes / row); /* row * this would wrap */
    l->off = (*off >> 2) * row + (*off & 3);
    return true;
}

FAR_SERVICE(bool, far_scratch_load, const struct segment_cache *c, uint64_t base, uint32_t bytes,
            uint32_t row, uint32_t half, const vu32 *off, uint32_t exec, uint32_t size,
            uint32_t ext, vu32 *out) {
    struct lanes l;
    if (!exec) return true;
    if (!locate_scratch(&l, c, base, bytes, row, off, exec, size, ISA_READ)) return false;
    l.off += (vec_lane_ids() + 32 * half) * 4;
    if (size < 4)
        return size == 1 ? load_scattered(&l, exec, 1, ext, out)
                         : load_scattered(&l, exec, 2, ext, out);
    if (!all_inside(&l, exec)) return false;
    for (unsigned j = 0; j < size / 4; j++)
        out[j] = gather_dwords(l.host + j * row, l.readable - j * row, l.off, exec);
    return true;
}

FAR_SERVICE(bool, far_scratch_store, const struct segment_cache *c, uint64_t base, uint32_t bytes,
            uint32_t row, uint32_t half, const vu32 *off, uint32_t exec, uint32_t size,
            uint32_t ext, const vu32 *v) {
    struct lanes l;
    unsigned shift = ext == MEM_D16_HI_B16 ? 16 : 0;
    if (!exec) return true;
    if (!locate_scratch(&l, c, base, bytes, row, off, exec, size, ISA_WRITE)) return false;
    l.off += (vec_lane_ids() + 32 * half) * 4;
    if (!all_inside(&l, exec)) return false;
    if (size == 1) store_each(l.host, l.off, exec, 1, shift, v);
    if (size == 2) store_each(l.host, l.off, exec, 2, shift, v);
    for (unsigned j = 0; j < size / 4; j++)
        store_scattered(l.host + j * row, l.off, exec, 4, 0, &v[j]);
    return true;
}

/* --- lanes from elsewhere --- */

/* Lane i <- lane (addr[i] + imm) / 4 % 32 of v; 0 where that lane is off, unless all is true. */
FAR_SERVICE(void, far_bpermute, const vu32 *addr, uint32_t imm, const vu32 *v, uint32_t exec,
            uint32_t all, vu32 *out) {
    vu32 from = (*addr + imm) >> 2 & 31, src = *v;
    if (!all) src = vec_select(exec, src, (vu32){0});
#if defined(__AVX512F__)
    __m512i i[2], s[2], r[2];
    memcpy(i, &from, sizeof i);
    memcpy(s, &src, sizeof s);
    for (unsigned h = 0; h < 2; h++)
        r[h] = _mm512_permutex2var_epi32(s[0], i[h], s[1]);
    memcpy(out, r, sizeof r);
#else
    uint32_t i[32], s[32], r[32];
    memcpy(i, &from, sizeof i);
    memcpy(s, &src, sizeof s);
    for (unsigned k = 0; k < 32; k++)
        r[k] = s[i[k]];
    memcpy(out, r, sizeof r);
#endif
}

/* --- LDS --- */

INLINE bool lds_lanes(struct lanes *l, uint8_t *lds, uint32_t bytes, vu32 at, unsigned size) {
    l->host = lds;
    l->readable = (uint64_t)bytes + ISA_LDS_PAD;
    l->lo = 0;
    l->span = bytes - size;
    l->off = at;
    l->bad = (vi32){0};
    return bytes >= size;
}

#define LDS(size, KIND, name)                                                                      \
    KIND(bool, name##lds_load_##size, uint8_t *lds, uint32_t bytes, const vu32 *addr,              \
         uint32_t imm, uint32_t exec, uint32_t ext, vu32 *out) {                                   \
        struct lanes l;                                                                            \
        return !exec || (lds_lanes(&l, lds, bytes, *addr + imm, size) &&                           \
                         load_lanes(&l, exec, size, ext, out));                                    \
    }                                                                                              \
    KIND(bool, name##lds_store_##size, uint8_t *lds, uint32_t bytes, const vu32 *addr,             \
         uint32_t imm, uint32_t exec, uint32_t ext, const vu32 *v) {                               \
        struct lanes l;                                                                            \
        return !exec || (lds_lanes(&l, lds, bytes, *addr + imm, size) &&                           \
                         store_lanes(&l, exec, size, ext, v));                                     \
    }
/* Once to be inlined and, named far_, once to be called where some lanes are off. */
#define BOTH(make, size) make(size, SERVICE, jit_) make(size, FAR_SERVICE, far_)
BOTH(LDS, 1)
BOTH(LDS, 2)
BOTH(LDS, 4)
BOTH(LDS, 8)
BOTH(LDS, 12)
BOTH(LDS, 16)

INLINE uint32_t atomic_value(unsigned op, uint32_t old, uint32_t a) {
    switch (op) {
    case ATOMIC_SWAP:
        return a;
    case ATOMIC_ADD:
        return old + a;
    case ATOMIC_SUB:
        return old - a;
    case ATOMIC_MIN_I:
        return (int32_t)a < (int32_t)old ? a : old;
    case ATOMIC_MIN_U:
        return a < old ? a : old;
    case ATOMIC_MAX_I:
        return (int32_t)a > (int32_t)old ? a : old;
    case ATOMIC_MAX_U:
        return a > old ? a : old;
    case ATOMIC_AND:
        return old & a;
    case ATOMIC_OR:
        return old | a;
    default:
        return old ^ a; /* ATOMIC_XOR */
    }
}

/* One of the operations above on dwords of LDS; out gets the old values. */
SERVICE(bool, jit_lds_atomic, uint8_t *lds, uint32_t bytes, const vu32 *addr, uint32_t imm,
        uint32_t exec, uint32_t op, const vu32 *v, vu32 *out) {
    struct lanes l;
    if (!exec) return true;
    if (!lds_lanes(&l, lds, bytes, *addr + imm, 4) || !all_inside(&l, exec)) return false;
    uint32_t o[32], x[32], old[32] = {0};
    memcpy(o, &l.off, sizeof o);
    memcpy(x, v, sizeof x);
#pragma clang loop unroll(disable)
    for (uint32_t m = exec; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint32_t was;
        memcpy(&was, lds + o[i], 4);
        uint32_t now = atomic_value(op, was, x[i]);
        memcpy(lds + o[i], &now, 4);
        old[i] = was;
    }
    memcpy(out, old, sizeof old);
    return true;
}
