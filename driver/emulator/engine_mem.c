/* SPDX-License-Identifier: MIT */
#include "driver/emulator/engine_mem.h"

#include <errno.h>
#include <string.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"

void engine_mem_init(struct engine_mem *m, struct gpu *g, enum gpu_agent who) {
    m->g = g;
    m->who = who;
    m->epoch = gpu_tlb_epoch(g, HUB_GC);
}

const struct gpu_xlat *engine_xlat(struct engine_mem *m, uint64_t va, bool write) {
    uint64_t epoch = gpu_tlb_epoch(m->g, HUB_GC);
    if (epoch != m->epoch) {
        memset(m->x, 0, sizeof m->x);
        m->epoch = epoch;
    }
    for (unsigned i = 0; i < ENGINE_MEM_SLOTS; i++) {
        struct gpu_xlat *x = &m->x[i];
        if (va - x->va < x->size && (write ? x->write : x->read)) return x;
    }
    struct gpu_xlat *x = &m->x[m->next];
    m->next = (m->next + 1) % ENGINE_MEM_SLOTS;
    if (gpu_translate(m->g, HUB_GC, m->who, write ? GPU_WRITE : GPU_READ, va, x)) {
        memset(x, 0, sizeof *x);
        return NULL;
    }
    return x;
}

/* Host address of va and the contiguous bytes behind it (*len, at most what was asked); counts as
 * an access of that many bytes. NULL after a fault. Only under the guard. */
static void *engine_ptr(struct engine_mem *m, uint64_t va, bool write, uint64_t *len) {
    const struct gpu_xlat *x = engine_xlat(m, va, write);
    if (!x) return NULL;
    uint64_t off = va - x->va;
    if (*len > x->size - off) *len = x->size - off;
    if (write) {
        if (!x->system) hdp_chip_writes(m->g, x->pa + off, *len);
        cache_write(m->g, m->who, x, va, *len);
    } else {
        if (!x->system) hdp_check_read(m->g, m->who, x->pa + off, *len);
        cache_read(m->g, m->who, x, va, *len);
    }
    return x->host + off;
}

static int do_read(struct engine_mem *m, uint64_t va, void *buf, uint64_t len) {
    uint8_t *d = buf;
    while (len) {
        uint64_t n = len;
        const void *p = engine_ptr(m, va, false, &n);
        if (!p) return -EFAULT;
        memcpy(d, p, n);
        d += n, va += n, len -= n;
    }
    return 0;
}

static int do_write(struct engine_mem *m, uint64_t va, const void *buf, uint64_t len) {
    const uint8_t *s = buf;
    while (len) {
        uint64_t n = len;
        void *p = engine_ptr(m, va, true, &n);
        if (!p) return -EFAULT;
        memcpy(p, s, n);
        s += n, va += n, len -= n;
    }
    return 0;
}

static int do_read32(struct engine_mem *m, uint64_t va, uint32_t *v) {
    uint64_t n = 4;
    const uint32_t *p = engine_ptr(m, va & ~3ull, false, &n);
    if (!p) return -EFAULT;
    *v = __atomic_load_n(p, __ATOMIC_ACQUIRE);
    return 0;
}

static int do_read64(struct engine_mem *m, uint64_t va, uint64_t *v) {
    uint64_t n = 8;
    const uint64_t *p = engine_ptr(m, va & ~7ull, false, &n);
    if (!p) return -EFAULT;
    *v = __atomic_load_n(p, __ATOMIC_ACQUIRE);
    return 0;
}

static int do_write32(struct engine_mem *m, uint64_t va, uint32_t v) {
    uint64_t n = 4;
    uint32_t *p = engine_ptr(m, va & ~3ull, true, &n);
    if (!p) return -EFAULT;
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
    return 0;
}

static int do_write64(struct engine_mem *m, uint64_t va, uint64_t v) {
    uint64_t n = 8;
    uint64_t *p = engine_ptr(m, va & ~7ull, true, &n);
    if (!p) return -EFAULT;
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
    return 0;
}

static int do_copy(struct engine_mem *m, uint64_t dst, uint64_t src, uint64_t len) {
    while (len) {
        uint64_t n = len;
        const void *s = engine_ptr(m, src, false, &n);
        if (!s) return -EFAULT;
        uint64_t left = n, from = 0;
        while (left) {
            uint64_t k = left;
            void *d = engine_ptr(m, dst + from, true, &k);
            if (!d) return -EFAULT;
            memmove(d, (const uint8_t *)s + from, k);
            from += k, left -= k;
        }
        src += n, dst += n, len -= n;
    }
    return 0;
}

static int do_fill(struct engine_mem *m, uint64_t dst, uint32_t pattern, unsigned unit,
                   uint64_t len) {
    uint32_t word = pattern;
    if (unit == 1) word = (pattern & 0xff) * 0x01010101u;
    if (unit == 2) word = (pattern & 0xffff) * 0x00010001u;
    uint64_t done = 0;
    while (len) {
        uint64_t n = len;
        uint8_t *d = engine_ptr(m, dst, true, &n);
        if (!d) return -EFAULT;
        uint64_t i = 0;
        for (; i < n && (done + i) & 3; i++)
            d[i] = (uint8_t)(word >> 8 * ((done + i) & 3));
        for (; i + 4 <= n; i += 4)
            memcpy(d + i, &word, 4);
        for (; i < n; i++)
            d[i] = (uint8_t)(word >> 8 * ((done + i) & 3));
        done += n, dst += n, len -= n;
    }
    return 0;
}

/* The low five bits of an atomic code name the operation, bit 5 the width, bit 6 "no return". */
enum {
    OP_SWAP = 7,
    OP_CMPSWAP,
    OP_ADD = 15,
    OP_SUB,
    OP_SMIN,
    OP_UMIN,
    OP_SMAX,
    OP_UMAX,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_INC,
    OP_DEC
};

static bool atomic_known(unsigned op) {
    return op == OP_SWAP || op == OP_CMPSWAP || (op >= OP_ADD && op <= OP_DEC);
}

static uint64_t atomic_value(unsigned op, bool wide, uint64_t old, uint64_t src, uint64_t cmp) {
    int64_t so = wide ? (int64_t)old : (int32_t)old, ss = wide ? (int64_t)src : (int32_t)src;
    switch (op) {
    case OP_SWAP:
        return src;
    case OP_CMPSWAP:
        return old == cmp ? src : old;
    case OP_ADD:
        return old + src;
    case OP_SUB:
        return old - src;
    case OP_SMIN:
        return so < ss ? old : src;
    case OP_UMIN:
        return old < src ? old : src;
    case OP_SMAX:
        return so > ss ? old : src;
    case OP_UMAX:
        return old > src ? old : src;
    case OP_AND:
        return old & src;
    case OP_OR:
        return old | src;
    case OP_XOR:
        return old ^ src;
    case OP_INC:
        return old >= src ? 0 : old + 1;
    default:
        return old == 0 || old > src ? src : old - 1;
    }
}

static int do_atomic(struct engine_mem *m, unsigned op, uint64_t va, uint64_t src, uint64_t cmp,
                     uint64_t *old) {
    bool wide = op & 32;
    op &= 31;
    if (!atomic_known(op)) return -EINVAL;
    uint64_t n = wide ? 8 : 4;
    if (va & (n - 1)) return -EINVAL;
    void *p = engine_ptr(m, va, true, &n);
    if (!p) return -EFAULT;
    if (wide) {
        uint64_t o = __atomic_load_n((uint64_t *)p, __ATOMIC_RELAXED), v;
        do
            v = atomic_value(op, true, o, src, cmp);
        while (!__atomic_compare_exchange_n((uint64_t *)p, &o, v, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED));
        *old = o;
        return 0;
    }
    uint32_t o = __atomic_load_n((uint32_t *)p, __ATOMIC_RELAXED), v;
    do
        v = (uint32_t)atomic_value(op, false, o, (uint32_t)src, (uint32_t)cmp);
    while (!__atomic_compare_exchange_n((uint32_t *)p, &o, v, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    *old = o;
    return 0;
}

/* ---- the same under the guard ---- */

#define GUARDED(call)                                                                              \
    mem_guard_enter(&m->guard);                                                                    \
    int err = call;                                                                                \
    mem_guard_leave(&m->guard);                                                                    \
    return err

int engine_read(struct engine_mem *m, uint64_t va, void *buf, uint64_t len) {
    GUARDED(do_read(m, va, buf, len));
}

int engine_write(struct engine_mem *m, uint64_t va, const void *buf, uint64_t len) {
    GUARDED(do_write(m, va, buf, len));
}

int engine_read32(struct engine_mem *m, uint64_t va, uint32_t *v) {
    GUARDED(do_read32(m, va, v));
}

int engine_read64(struct engine_mem *m, uint64_t va, uint64_t *v) {
    GUARDED(do_read64(m, va, v));
}

int engine_write32(struct engine_mem *m, uint64_t va, uint32_t v) {
    GUARDED(do_write32(m, va, v));
}

int engine_write64(struct engine_mem *m, uint64_t va, uint64_t v) {
    GUARDED(do_write64(m, va, v));
}

int engine_fence(struct engine_mem *m, uint64_t va, uint32_t v) {
    const struct gpu_xlat *x = engine_xlat(m, va, true);
    if (!x) return -EFAULT;
    cache_fence(m->g, m->who, x, va, v);
    return engine_write32(m, va, v);
}

void engine_waited(struct engine_mem *m, uint64_t va, uint32_t v) {
    const struct gpu_xlat *x = engine_xlat(m, va, false);
    if (x) cache_waited(m->g, m->who, x, va, v);
}

int engine_copy(struct engine_mem *m, uint64_t dst, uint64_t src, uint64_t len) {
    GUARDED(do_copy(m, dst, src, len));
}

int engine_fill(struct engine_mem *m, uint64_t dst, uint32_t pattern, unsigned unit, uint64_t len) {
    GUARDED(do_fill(m, dst, pattern, unit, len));
}

int engine_atomic(struct engine_mem *m, unsigned op, uint64_t va, uint64_t src, uint64_t cmp,
                  uint64_t *old) {
    GUARDED(do_atomic(m, op, va, src, cmp, old));
}
