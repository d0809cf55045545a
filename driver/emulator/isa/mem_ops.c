/* SPDX-License-Identifier: MIT */
/* mem_ops.c - see mem_ops.h. Operations as in the RDNA3 and RDNA4 ISA guides, chapters FLAT and DS.
 */
#include <string.h>

#include "driver/emulator/isa/mem_ops.h"

#define LOAD(name, size, ext)                                                                      \
    { name, MEM_LOAD, size, ext, 0, 0 }
#define STORE(name, size, ext)                                                                     \
    { name, MEM_STORE, size, ext, 0, 1 }
#define AT(name, size, op)                                                                         \
    { name, MEM_ATOMIC, size, 0, op, 1 }
#define AT2(name, size, op)                                                                        \
    { name, MEM_ATOMIC, size, 0, op, 2 }

static const struct mem_op ops[] = {
    LOAD("LOAD_U8", 1, MEM_U8),
    LOAD("LOAD_I8", 1, MEM_I8),
    LOAD("LOAD_U16", 2, MEM_U16),
    LOAD("LOAD_I16", 2, MEM_I16),
    LOAD("LOAD_B32", 4, MEM_PLAIN),
    LOAD("LOAD_B64", 8, MEM_PLAIN),
    LOAD("LOAD_B96", 12, MEM_PLAIN),
    LOAD("LOAD_B128", 16, MEM_PLAIN),
    LOAD("LOAD_D16_U8", 1, MEM_D16_U8),
    LOAD("LOAD_D16_I8", 1, MEM_D16_I8),
    LOAD("LOAD_D16_B16", 2, MEM_D16_B16),
    LOAD("LOAD_D16_HI_U8", 1, MEM_D16_HI_U8),
    LOAD("LOAD_D16_HI_I8", 1, MEM_D16_HI_I8),
    LOAD("LOAD_D16_HI_B16", 2, MEM_D16_HI_B16),
    /* DS spells its D16 loads the other way round. */
    LOAD("LOAD_U8_D16", 1, MEM_D16_U8),
    LOAD("LOAD_I8_D16", 1, MEM_D16_I8),
    LOAD("LOAD_U16_D16", 2, MEM_D16_B16),
    LOAD("LOAD_U8_D16_HI", 1, MEM_D16_HI_U8),
    LOAD("LOAD_I8_D16_HI", 1, MEM_D16_HI_I8),
    LOAD("LOAD_U16_D16_HI", 2, MEM_D16_HI_B16),
    STORE("STORE_B8", 1, MEM_PLAIN),
    STORE("STORE_B16", 2, MEM_PLAIN),
    STORE("STORE_B32", 4, MEM_PLAIN),
    STORE("STORE_B64", 8, MEM_PLAIN),
    STORE("STORE_B96", 12, MEM_PLAIN),
    STORE("STORE_B128", 16, MEM_PLAIN),
    STORE("STORE_D16_HI_B8", 1, MEM_D16_HI_B16),
    STORE("STORE_D16_HI_B16", 2, MEM_D16_HI_B16),
    STORE("STORE_B8_D16_HI", 1, MEM_D16_HI_B16),
    STORE("STORE_B16_D16_HI", 2, MEM_D16_HI_B16),
    AT("ATOMIC_SWAP_B32", 4, ATOMIC_SWAP),
    AT2("ATOMIC_CMPSWAP_B32", 4, ATOMIC_CMPSWAP),
    AT2("ATOMIC_CMPSWAP_F32", 4, ATOMIC_CMPSWAP_F),
    AT("ATOMIC_ADD_U32", 4, ATOMIC_ADD),
    AT("ATOMIC_SUB_U32", 4, ATOMIC_SUB),
    AT("ATOMIC_CSUB_U32", 4, ATOMIC_SUB_CLAMP),
    AT("ATOMIC_SUB_CLAMP_U32", 4, ATOMIC_SUB_CLAMP),
    AT("ATOMIC_COND_SUB_U32", 4, ATOMIC_COND_SUB),
    AT("ATOMIC_MIN_I32", 4, ATOMIC_MIN_I),
    AT("ATOMIC_MIN_U32", 4, ATOMIC_MIN_U),
    AT("ATOMIC_MAX_I32", 4, ATOMIC_MAX_I),
    AT("ATOMIC_MAX_U32", 4, ATOMIC_MAX_U),
    AT("ATOMIC_AND_B32", 4, ATOMIC_AND),
    AT("ATOMIC_OR_B32", 4, ATOMIC_OR),
    AT("ATOMIC_XOR_B32", 4, ATOMIC_XOR),
    AT("ATOMIC_INC_U32", 4, ATOMIC_INC),
    AT("ATOMIC_DEC_U32", 4, ATOMIC_DEC),
    AT("ATOMIC_SWAP_B64", 8, ATOMIC_SWAP),
    AT2("ATOMIC_CMPSWAP_B64", 8, ATOMIC_CMPSWAP),
    AT("ATOMIC_ADD_U64", 8, ATOMIC_ADD),
    AT("ATOMIC_SUB_U64", 8, ATOMIC_SUB),
    AT("ATOMIC_MIN_I64", 8, ATOMIC_MIN_I),
    AT("ATOMIC_MIN_U64", 8, ATOMIC_MIN_U),
    AT("ATOMIC_MAX_I64", 8, ATOMIC_MAX_I),
    AT("ATOMIC_MAX_U64", 8, ATOMIC_MAX_U),
    AT("ATOMIC_AND_B64", 8, ATOMIC_AND),
    AT("ATOMIC_OR_B64", 8, ATOMIC_OR),
    AT("ATOMIC_XOR_B64", 8, ATOMIC_XOR),
    AT("ATOMIC_INC_U64", 8, ATOMIC_INC),
    AT("ATOMIC_DEC_U64", 8, ATOMIC_DEC),
    AT("ATOMIC_MIN_F32", 4, ATOMIC_MIN_F),
    AT("ATOMIC_MAX_F32", 4, ATOMIC_MAX_F),
    AT("ATOMIC_MIN_NUM_F32", 4, ATOMIC_MIN_NUM_F),
    AT("ATOMIC_MAX_NUM_F32", 4, ATOMIC_MAX_NUM_F),
    AT("ATOMIC_ADD_F32", 4, ATOMIC_ADD_F),
    AT("ATOMIC_PK_ADD_F16", 4, ATOMIC_PK_ADD_F16),
    AT("ATOMIC_PK_ADD_BF16", 4, ATOMIC_PK_ADD_BF16),
};

static const struct mem_op lds_ops[] = {
    AT("ADD_U32", 4, ATOMIC_ADD),
    AT("SUB_U32", 4, ATOMIC_SUB),
    AT("RSUB_U32", 4, ATOMIC_RSUB),
    AT("INC_U32", 4, ATOMIC_INC),
    AT("DEC_U32", 4, ATOMIC_DEC),
    AT("MIN_I32", 4, ATOMIC_MIN_I),
    AT("MAX_I32", 4, ATOMIC_MAX_I),
    AT("MIN_U32", 4, ATOMIC_MIN_U),
    AT("MAX_U32", 4, ATOMIC_MAX_U),
    AT("AND_B32", 4, ATOMIC_AND),
    AT("OR_B32", 4, ATOMIC_OR),
    AT("XOR_B32", 4, ATOMIC_XOR),
    AT2("MSKOR_B32", 4, ATOMIC_MSKOR),
    AT2("CMPSTORE_B32", 4, ATOMIC_CMPSWAP),
    AT2("CMPSTORE_F32", 4, ATOMIC_CMPSWAP_F),
    AT("MIN_F32", 4, ATOMIC_MIN_F),
    AT("MAX_F32", 4, ATOMIC_MAX_F),
    AT("MIN_NUM_F32", 4, ATOMIC_MIN_NUM_F),
    AT("MAX_NUM_F32", 4, ATOMIC_MAX_NUM_F),
    AT("ADD_F32", 4, ATOMIC_ADD_F),
    AT("STOREXCHG_B32", 4, ATOMIC_SWAP),
    AT2("WRAP_B32", 4, ATOMIC_WRAP),
    AT("COND_SUB_U32", 4, ATOMIC_COND_SUB),
    AT("SUB_CLAMP_U32", 4, ATOMIC_SUB_CLAMP),
    AT("PK_ADD_F16", 4, ATOMIC_PK_ADD_F16),
    AT("PK_ADD_BF16", 4, ATOMIC_PK_ADD_BF16),
    AT("ADD_U64", 8, ATOMIC_ADD),
    AT("SUB_U64", 8, ATOMIC_SUB),
    AT("RSUB_U64", 8, ATOMIC_RSUB),
    AT("INC_U64", 8, ATOMIC_INC),
    AT("DEC_U64", 8, ATOMIC_DEC),
    AT("MIN_I64", 8, ATOMIC_MIN_I),
    AT("MAX_I64", 8, ATOMIC_MAX_I),
    AT("MIN_U64", 8, ATOMIC_MIN_U),
    AT("MAX_U64", 8, ATOMIC_MAX_U),
    AT("AND_B64", 8, ATOMIC_AND),
    AT("OR_B64", 8, ATOMIC_OR),
    AT("XOR_B64", 8, ATOMIC_XOR),
    AT2("MSKOR_B64", 8, ATOMIC_MSKOR),
    AT2("CMPSTORE_B64", 8, ATOMIC_CMPSWAP),
    AT2("CMPSTORE_F64", 8, ATOMIC_CMPSWAP_F),
    AT("MIN_F64", 8, ATOMIC_MIN_F),
    AT("MAX_F64", 8, ATOMIC_MAX_F),
    AT("MIN_NUM_F64", 8, ATOMIC_MIN_NUM_F),
    AT("MAX_NUM_F64", 8, ATOMIC_MAX_NUM_F),
    AT("STOREXCHG_B64", 8, ATOMIC_SWAP),
};

static const struct mem_op *find(const struct mem_op *table, unsigned n, const char *name) {
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(table[i].name, name)) return &table[i];
    return NULL;
}

const struct mem_op *mem_op_find(const char *name) {
    return find(ops, sizeof ops / sizeof *ops, name);
}

const struct mem_op *mem_op_find_lds(const char *name) {
    return find(lds_ops, sizeof lds_ops / sizeof *lds_ops, name);
}

/* --- small floats --- */

static float half_to_float(uint32_t h) {
    uint32_t e = h >> 10 & 31, f = h & 0x3ff, bits;
    if (e == 31) {
        bits = 0x7f800000 | f << 13;
    } else if (e) {
        bits = (e + 112) << 23 | f << 13;
    } else {
        float v = (float)f * 0x1p-24f;
        memcpy(&bits, &v, 4);
    }
    bits |= (h & 0x8000) << 16;
    float r;
    memcpy(&r, &bits, 4);
    return r;
}

/* Nearest even; a sum of two halves is exact in float, so this rounds once. */
static uint32_t float_to_half(float v) {
    uint32_t bits;
    memcpy(&bits, &v, 4);
    uint32_t sign = bits >> 16 & 0x8000, a = bits & 0x7fffffff;
    if (a > 0x7f800000) return sign | 0x7e00 | (a >> 13 & 0x3ff);
    if (a >= 0x47800000) return sign | 0x7c00;
    if (a < 0x38800000) {
        float scaled;
        memcpy(&scaled, &a, 4);
        return sign | (uint32_t)__builtin_rintf(scaled * 0x1p24f);
    }
    a += 0xfff + (a >> 13 & 1);
    return sign | ((a - 0x38000000) >> 13);
}

static float bf16_to_float(uint32_t h) {
    uint32_t bits = h << 16;
    float r;
    memcpy(&r, &bits, 4);
    return r;
}

static uint32_t float_to_bf16(float v) {
    uint32_t bits;
    memcpy(&bits, &v, 4);
    if ((bits & 0x7fffffff) > 0x7f800000) return bits >> 16 | 0x40;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t pk_add(uint32_t x, uint32_t y, float (*to)(uint32_t), uint32_t (*from)(float)) {
    return from(to(x & 0xffff) + to(y & 0xffff)) | from(to(x >> 16) + to(y >> 16)) << 16;
}

/* --- operations --- */

static double to_float(unsigned size, uint64_t bits) {
    if (size == 8) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static bool is_nan(unsigned size, uint64_t v) {
    return size == 8 ? (v & INT64_MAX) > 0x7ff0000000000000 : (v & 0x7fffffff) > 0x7f800000;
}

static uint64_t float_value(enum mem_atomic op, unsigned size, uint64_t old, uint64_t a,
                            uint64_t b) {
    double x = to_float(size, old), y = to_float(size, a);
    switch (op) {
    case ATOMIC_CMPSWAP_F:
        return x == to_float(size, b) ? a : old;
    case ATOMIC_MIN_F:
        return y < x ? a : old;
    case ATOMIC_MAX_F:
        return y > x ? a : old;
    case ATOMIC_MIN_NUM_F: /* a number wins over NaN */
        return is_nan(size, old) || y < x ? a : old;
    case ATOMIC_MAX_NUM_F:
        return is_nan(size, old) || y > x ? a : old;
    default: { /* ATOMIC_ADD_F, 32 bits */
        float fx = (float)x, fy = (float)y, sum = fx + fy;
        uint32_t bits;
        memcpy(&bits, &sum, 4);
        return bits;
    }
    }
}

static int64_t to_signed(unsigned size, uint64_t v) {
    return size == 4 ? (int32_t)v : (int64_t)v;
}

uint64_t mem_atomic_value(enum mem_atomic op, unsigned size, uint64_t old, uint64_t a, uint64_t b) {
    switch (op) {
    case ATOMIC_SWAP:
        return a;
    case ATOMIC_CMPSWAP:
        return old == b ? a : old;
    case ATOMIC_ADD:
        return old + a;
    case ATOMIC_SUB:
        return old - a;
    case ATOMIC_RSUB:
        return a - old;
    case ATOMIC_SUB_CLAMP:
        return old < a ? 0 : old - a;
    case ATOMIC_COND_SUB:
        return old >= a ? old - a : old;
    case ATOMIC_MIN_I:
        return to_signed(size, a) < to_signed(size, old) ? a : old;
    case ATOMIC_MIN_U:
        return a < old ? a : old;
    case ATOMIC_MAX_I:
        return to_signed(size, a) > to_signed(size, old) ? a : old;
    case ATOMIC_MAX_U:
        return a > old ? a : old;
    case ATOMIC_AND:
        return old & a;
    case ATOMIC_OR:
        return old | a;
    case ATOMIC_XOR:
        return old ^ a;
    case ATOMIC_INC:
        return old >= a ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > a ? a : old - 1;
    case ATOMIC_MSKOR:
        return (old & ~a) | b;
    case ATOMIC_WRAP:
        return old >= a ? old - a : old + b;
    case ATOMIC_PK_ADD_F16:
        return pk_add((uint32_t)old, (uint32_t)a, half_to_float, float_to_half);
    case ATOMIC_PK_ADD_BF16:
        return pk_add((uint32_t)old, (uint32_t)a, bf16_to_float, float_to_bf16);
    default:
        return float_value(op, size, old, a, b);
    }
}

static uint32_t host32(enum mem_atomic op, uint32_t *p, uint32_t a, uint32_t b) {
    switch (op) {
    case ATOMIC_SWAP:
        return __atomic_exchange_n(p, a, __ATOMIC_SEQ_CST);
    case ATOMIC_ADD:
        return __atomic_fetch_add(p, a, __ATOMIC_SEQ_CST);
    case ATOMIC_SUB:
        return __atomic_fetch_sub(p, a, __ATOMIC_SEQ_CST);
    case ATOMIC_AND:
        return __atomic_fetch_and(p, a, __ATOMIC_SEQ_CST);
    case ATOMIC_OR:
        return __atomic_fetch_or(p, a, __ATOMIC_SEQ_CST);
    case ATOMIC_XOR:
        return __atomic_fetch_xor(p, a, __ATOMIC_SEQ_CST);
    default:
        break;
    }
    uint32_t old = __atomic_load_n(p, __ATOMIC_SEQ_CST), v;
    do
        v = (uint32_t)mem_atomic_value(op, 4, old, a, b);
    while (!__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}

uint64_t mem_atomic_host(enum mem_atomic op, unsigned size, void *p, uint64_t a, uint64_t b) {
    if (size == 4) return host32(op, p, (uint32_t)a, (uint32_t)b);
    uint64_t *q = p, old = __atomic_load_n(q, __ATOMIC_SEQ_CST), v;
    do
        v = mem_atomic_value(op, 8, old, a, b);
    while (!__atomic_compare_exchange_n(q, &old, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}
