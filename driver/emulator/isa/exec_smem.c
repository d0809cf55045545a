/* SPDX-License-Identifier: MIT */
/* exec_smem.c - scalar memory loads (AMD RDNA3 and RDNA4 ISA guides, SMEM). */
#include "driver/emulator/isa/exec.h"

/* s[0]: base SGPR pair, s[1]/k[1]: offset register, imm: offset, size: bytes, sub: sign-extend. */
static inline uint64_t address(const struct wave *w, const struct xinst *x) {
    uint64_t va = exec_sgpr64(w, (unsigned)x->s[0]) + (uint64_t)(int64_t)x->imm;
    if (x->k[1] == SRC_SGPR) va += w->s[x->s[1]];
    return va;
}

static EXEC(smem_load) {
    uint64_t va = address(w, x) & ~UINT64_C(3);
    uint8_t *p = isa_mem(w->g, ISA_CLIENT_SCALAR, ISA_READ, va, x->size);
    if (p)
        memcpy(&w->s[x->dst], p, x->size);
    else if (!isa_mem_read(w->g, ISA_CLIENT_SCALAR, ISA_READ, va, &w->s[x->dst], x->size))
        return isa_stop_fault(w, x, 0, va, "scalar read");
    NEXT(w, x);
}

static uint32_t extend(uint32_t v, unsigned size, bool sign) {
    if (size == 1) return sign ? (uint32_t)(int8_t)v : v & 0xff;
    return sign ? (uint32_t)(int16_t)v : v & 0xffff;
}

static EXEC(smem_load_small) {
    uint64_t va = address(w, x) & ~(uint64_t)(x->size - 1);
    uint32_t v = 0;
    if (!isa_mem_read(w->g, ISA_CLIENT_SCALAR, ISA_READ, va, &v, x->size))
        return isa_stop_fault(w, x, 0, va, "scalar read");
    w->s[x->dst] = extend(v, x->size, x->sub);
    NEXT(w, x);
}

/* Scalar buffer: V# with base, stride and num_records; what lies outside reads 0. */
static EXEC(smem_buffer) {
    const uint32_t *r = &w->s[x->s[0]];
    uint64_t base = (r[0] | (uint64_t)r[1] << 32) & 0xffffffffffff;
    uint64_t stride = r[1] >> 16 & 0x3fff, limit = stride ? stride * r[2] : r[2];
    uint64_t off = (uint64_t)(int64_t)x->imm;
    if (x->k[1] == SRC_SGPR) off += w->s[x->s[1]];
    unsigned step = x->size < 4 ? x->size : 4;
    off &= ~(uint64_t)(step - 1);
    uint32_t out[16] = {0};
    for (unsigned i = 0; i < x->size; i += step) {
        if (off + i + step > limit) continue;
        if (!isa_mem_read(w->g, ISA_CLIENT_SCALAR, ISA_READ, base + off + i, &out[i / 4], step))
            return isa_stop_fault(w, x, 0, base + off + i, "scalar buffer read");
    }
    if (x->size < 4) out[0] = extend(out[0], x->size, x->sub);
    memcpy(&w->s[x->dst], out, x->size < 4 ? 4 : x->size);
    NEXT(w, x);
}

static EXEC(smem_nothing) {
    NEXT(w, x);
}

/* Loads by what follows the prefix in their name. */
static const struct {
    const char *suffix;
    uint8_t bytes, sign;
} widths[] = {{"B32", 4, 0},   {"B64", 8, 0}, {"B96", 12, 0}, {"B128", 16, 0}, {"B256", 32, 0},
              {"B512", 64, 0}, {"U8", 1, 0},  {"I8", 1, 1},   {"U16", 2, 0},   {"I16", 2, 1}};

bool SEM_SYM(exec_bind_smem)(struct binding *b) {
    struct xinst *x = b->x;
    const struct isa_inst *in = b->in;
    const char *name = in->op->name;
    static const char load[] = "S_LOAD_", buffer[] = "S_BUFFER_LOAD_";
    bool is_buffer = !strncmp(name, buffer, sizeof buffer - 1);
    if (!is_buffer && strncmp(name, load, sizeof load - 1)) {
        /* Cache maintenance and prefetch: host memory is coherent. */
        x->fn = smem_nothing;
        return strstr(name, "_INV") || strstr(name, "PREFETCH") || strstr(name, "ATC_PROBE");
    }
    const char *suffix = name + (is_buffer ? sizeof buffer : sizeof load) - 1;
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
        if (!strcmp(suffix, widths[i].suffix)) x->size = widths[i].bytes, x->sub = widths[i].sign;
    if (!x->size) return false;
    x->s[0] = in->f[ISA_F_sbase] * 2;
    x->dst = exec_sdst(in->f[ISA_F_sdata]);
    uint32_t soffset = in->f[ISA_F_soffset];
    x->k[1] = soffset == ISA_SRC_NULL ? SRC_NONE : SRC_SGPR;
    x->s[1] = soffset;
    if (b->g->d.arch == ISA_GFX12)
        x->imm = (int32_t)(in->f[ISA_F_ioffset] << 8) >> 8;
    else
        x->imm = (int32_t)(in->f[ISA_F_offset] << 11) >> 11;
    x->fn = is_buffer ? smem_buffer : x->size < 4 ? smem_load_small : smem_load;
    return true;
}
