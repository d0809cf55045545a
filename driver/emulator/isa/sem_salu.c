/* SPDX-License-Identifier: MIT */
/* sem_salu.c - integer and bit instructions of the scalar ALU (AMD RDNA3 and RDNA4 ISA guides,
 * chapters SOP1, SOP2, SOPC, SOPK). 32-bit sources come zero-extended; the caller keeps as many
 * bits of the result as the destination has. */
#include "driver/emulator/isa/sem_scalar.h"

static uint64_t set_scc(struct sem_senv *e, uint64_t v) {
    e->scc = v != 0;
    return v;
}

static uint64_t reverse64(uint64_t v) {
    v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
    v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(v);
}

static uint64_t any_in_quad(uint64_t v) {
    v |= v >> 1;
    v |= v >> 2;
    return v & 0x1111111111111111;
}

static uint64_t quadmask(uint64_t v) {
    uint64_t q = any_in_quad(v), r = 0;
    for (unsigned i = 0; i < 16; i++)
        r |= (q >> 4 * i & 1) << i;
    return r;
}

static uint64_t whole_quads(uint64_t v) {
    return any_in_quad(v) * 0xf;
}

static uint64_t save_exec(struct sem_senv *e, uint64_t exec) {
    uint64_t saved = e->exec;
    e->exec = exec;
    e->scc = exec != 0;
    return saved;
}

static uint64_t field_u64(uint64_t v, unsigned offset, unsigned width) {
    if (!width) return 0;
    v >>= offset;
    return width >= 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static uint64_t field_i64(uint64_t v, unsigned offset, unsigned width) {
    if (!width) return 0;
    v = (uint64_t)((int64_t)v >> offset);
    if (width >= 64) return v;
    return (uint64_t)((int64_t)(v << (64 - width)) >> (64 - width));
}

static uint64_t s_mov_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return a;
}

static uint64_t s_mov_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return a;
}

static uint64_t s_cmov_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    e->no_write = !e->scc;
    return a;
}

static uint64_t s_cmov_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    e->no_write = !e->scc;
    return a;
}

static uint64_t s_brev_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return reverse64(a) >> 32;
}

static uint64_t s_brev_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return reverse64(a);
}

static uint64_t s_ctz_i32_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return (uint32_t)a ? (uint32_t)__builtin_ctz((uint32_t)a) : UINT32_MAX;
}

static uint64_t s_ctz_i32_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return a ? (uint32_t)__builtin_ctzll(a) : UINT32_MAX;
}

static uint64_t s_clz_i32_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return (uint32_t)a ? (uint32_t)__builtin_clz((uint32_t)a) : UINT32_MAX;
}

static uint64_t s_clz_i32_u64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return a ? (uint32_t)__builtin_clzll(a) : UINT32_MAX;
}

static uint64_t s_cls_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    uint32_t v = (uint32_t)a;
    if (v >> 31) v = ~v;
    return v ? (uint32_t)__builtin_clz(v) : UINT32_MAX;
}

static uint64_t s_cls_i32_i64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    uint64_t v = a >> 63 ? ~a : a;
    return v ? (uint32_t)__builtin_clzll(v) : UINT32_MAX;
}

static uint64_t s_sext_i32_i8(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return (uint32_t)(int8_t)a;
}

static uint64_t s_sext_i32_i16(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    return (uint32_t)(int16_t)a;
}

static uint64_t s_bitset0_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return e->dst & ~(UINT64_C(1) << (a & 31));
}

static uint64_t s_bitset0_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return e->dst & ~(UINT64_C(1) << (a & 63));
}

static uint64_t s_bitset1_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return e->dst | UINT64_C(1) << (a & 31);
}

static uint64_t s_bitset1_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return e->dst | UINT64_C(1) << (a & 63);
}

static uint64_t s_bitreplicate_b64_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    (void)e;
    uint64_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (a >> i & 1) * 3 << 2 * i;
    return r;
}

static uint64_t s_abs_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    uint32_t v = (uint32_t)a;
    if (v >> 31) v = -v;
    return set_scc(e, v);
}

static uint64_t s_bcnt0_i32_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, 32 - (uint32_t)__builtin_popcount((uint32_t)a));
}

static uint64_t s_bcnt0_i32_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, 64 - (uint32_t)__builtin_popcountll(a));
}

static uint64_t s_bcnt1_i32_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, (uint32_t)__builtin_popcount((uint32_t)a));
}

static uint64_t s_bcnt1_i32_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, (uint32_t)__builtin_popcountll(a));
}

static uint64_t s_quadmask_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, quadmask(a & UINT32_MAX));
}

static uint64_t s_quadmask_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, quadmask(a));
}

static uint64_t s_wqm_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, whole_quads(a) & UINT32_MAX);
}

static uint64_t s_wqm_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, whole_quads(a));
}

static uint64_t s_not_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, ~a & UINT32_MAX);
}

static uint64_t s_not_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return set_scc(e, ~a);
}

static uint64_t s_and_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (a & e->exec) & UINT32_MAX);
}

static uint64_t s_and_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, a & e->exec);
}

static uint64_t s_or_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (a | e->exec) & UINT32_MAX);
}

static uint64_t s_or_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, a | e->exec);
}

static uint64_t s_xor_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (a ^ e->exec) & UINT32_MAX);
}

static uint64_t s_xor_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, a ^ e->exec);
}

static uint64_t s_nand_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (~(a & e->exec)) & UINT32_MAX);
}

static uint64_t s_nand_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, ~(a & e->exec));
}

static uint64_t s_nor_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (~(a | e->exec)) & UINT32_MAX);
}

static uint64_t s_nor_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, ~(a | e->exec));
}

static uint64_t s_xnor_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (~(a ^ e->exec)) & UINT32_MAX);
}

static uint64_t s_xnor_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, ~(a ^ e->exec));
}

static uint64_t s_and_not0_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (~a & e->exec) & UINT32_MAX);
}

static uint64_t s_and_not0_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, ~a & e->exec);
}

static uint64_t s_or_not0_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (~a | e->exec) & UINT32_MAX);
}

static uint64_t s_or_not0_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, ~a | e->exec);
}

static uint64_t s_and_not1_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (a & ~e->exec) & UINT32_MAX);
}

static uint64_t s_and_not1_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, a & ~e->exec);
}

static uint64_t s_or_not1_saveexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, (a | ~e->exec) & UINT32_MAX);
}

static uint64_t s_or_not1_saveexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    return save_exec(e, a | ~e->exec);
}

static uint64_t s_and_not0_wrexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    e->exec = ~a & e->exec & UINT32_MAX;
    return set_scc(e, e->exec);
}

static uint64_t s_and_not0_wrexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    e->exec = ~a & e->exec;
    return set_scc(e, e->exec);
}

static uint64_t s_and_not1_wrexec_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    e->exec = a & ~e->exec & UINT32_MAX;
    return set_scc(e, e->exec);
}

static uint64_t s_and_not1_wrexec_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)b;
    e->exec = a & ~e->exec;
    return set_scc(e, e->exec);
}

static uint64_t s_add_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (a + b) >> 32 & 1;
    return a + b;
}

static uint64_t s_sub_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = b > a;
    return a - b;
}

static uint64_t s_add_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    int32_t r;
    e->scc = __builtin_add_overflow((int32_t)a, (int32_t)b, &r);
    return (uint32_t)r;
}

static uint64_t s_sub_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    int32_t r;
    e->scc = __builtin_sub_overflow((int32_t)a, (int32_t)b, &r);
    return (uint32_t)r;
}

static uint64_t s_addc_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    uint64_t r = a + b + e->scc;
    e->scc = r >> 32 & 1;
    return r;
}

static uint64_t s_subb_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    uint64_t r = a - b - e->scc;
    e->scc = r >> 32 & 1;
    return r;
}

static uint64_t s_absdiff_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    uint32_t d = (uint32_t)a - (uint32_t)b;
    if (d >> 31) d = -d;
    return set_scc(e, d);
}

static uint64_t s_lshl_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a << (b & 31) & UINT32_MAX);
}

static uint64_t s_lshl_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a << (b & 63));
}

static uint64_t s_lshr_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a >> (b & 31));
}

static uint64_t s_lshr_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a >> (b & 63));
}

static uint64_t s_ashr_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (uint32_t)((int32_t)a >> (b & 31)));
}

static uint64_t s_ashr_i64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (uint64_t)((int64_t)a >> (b & 63)));
}

static uint64_t s_lshl1_add_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    uint64_t r = (a << 1) + b;
    e->scc = r >> 32 != 0;
    return r;
}

static uint64_t s_lshl2_add_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    uint64_t r = (a << 2) + b;
    e->scc = r >> 32 != 0;
    return r;
}

static uint64_t s_lshl3_add_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    uint64_t r = (a << 3) + b;
    e->scc = r >> 32 != 0;
    return r;
}

static uint64_t s_lshl4_add_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    uint64_t r = (a << 4) + b;
    e->scc = r >> 32 != 0;
    return r;
}

static uint64_t s_min_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (int32_t)a < (int32_t)b;
    return e->scc ? a : b;
}

static uint64_t s_min_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = a < b;
    return e->scc ? a : b;
}

static uint64_t s_max_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (int32_t)a >= (int32_t)b;
    return e->scc ? a : b;
}

static uint64_t s_max_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = a >= b;
    return e->scc ? a : b;
}

static uint64_t s_and_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (a & b) & UINT32_MAX);
}

static uint64_t s_and_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a & b);
}

static uint64_t s_or_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (a | b) & UINT32_MAX);
}

static uint64_t s_or_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a | b);
}

static uint64_t s_xor_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (a ^ b) & UINT32_MAX);
}

static uint64_t s_xor_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a ^ b);
}

static uint64_t s_nand_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (~(a & b)) & UINT32_MAX);
}

static uint64_t s_nand_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, ~(a & b));
}

static uint64_t s_nor_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (~(a | b)) & UINT32_MAX);
}

static uint64_t s_nor_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, ~(a | b));
}

static uint64_t s_xnor_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (~(a ^ b)) & UINT32_MAX);
}

static uint64_t s_xnor_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, ~(a ^ b));
}

static uint64_t s_and_not1_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (a & ~b) & UINT32_MAX);
}

static uint64_t s_and_not1_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a & ~b);
}

static uint64_t s_or_not1_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (a | ~b) & UINT32_MAX);
}

static uint64_t s_or_not1_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, a | ~b);
}

static uint64_t s_bfe_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, field_u64(a, b & 31, b >> 16 & 0x7f));
}

static uint64_t s_bfe_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, (uint32_t)field_i64((uint64_t)(int64_t)(int32_t)a, b & 31, b >> 16 & 0x7f));
}

static uint64_t s_bfe_u64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, field_u64(a, b & 63, b >> 16 & 0x7f));
}

static uint64_t s_bfe_i64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return set_scc(e, field_i64(a, b & 63, b >> 16 & 0x7f));
}

static uint64_t s_bfm_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return ((UINT64_C(1) << (a & 31)) - 1) << (b & 31);
}

static uint64_t s_bfm_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return ((UINT64_C(1) << (a & 63)) - 1) << (b & 63);
}

static uint64_t s_mul_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return (uint32_t)a * (uint32_t)b;
}

static uint64_t s_mul_hi_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return a * b >> 32;
}

static uint64_t s_mul_hi_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return (uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32;
}

static uint64_t s_cselect_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    return e->scc ? a : b;
}

static uint64_t s_cselect_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    return e->scc ? a : b;
}

static uint64_t s_pack_ll_b32_b16(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return (a & 0xffff) | (b & 0xffff) << 16;
}

static uint64_t s_pack_lh_b32_b16(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return (a & 0xffff) | (b & 0xffff0000);
}

static uint64_t s_pack_hh_b32_b16(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return a >> 16 | (b & 0xffff0000);
}

static uint64_t s_pack_hl_b32_b16(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return a >> 16 | (b & 0xffff) << 16;
}

static uint64_t s_add_nc_u64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return a + b;
}

static uint64_t s_sub_nc_u64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return a - b;
}

static uint64_t s_mul_u64(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)e;
    return a * b;
}

static uint64_t s_cmp_eq_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (int32_t)a == (int32_t)b;
    return 0;
}

static uint64_t s_cmp_eq_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (uint32_t)a == (uint32_t)b;
    return 0;
}

static uint64_t s_cmp_lg_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (int32_t)a != (int32_t)b;
    return 0;
}

static uint64_t s_cmp_lg_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (uint32_t)a != (uint32_t)b;
    return 0;
}

static uint64_t s_cmp_gt_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (int32_t)a > (int32_t)b;
    return 0;
}

static uint64_t s_cmp_gt_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (uint32_t)a > (uint32_t)b;
    return 0;
}

static uint64_t s_cmp_ge_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (int32_t)a >= (int32_t)b;
    return 0;
}

static uint64_t s_cmp_ge_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (uint32_t)a >= (uint32_t)b;
    return 0;
}

static uint64_t s_cmp_lt_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (int32_t)a < (int32_t)b;
    return 0;
}

static uint64_t s_cmp_lt_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (uint32_t)a < (uint32_t)b;
    return 0;
}

static uint64_t s_cmp_le_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (int32_t)a <= (int32_t)b;
    return 0;
}

static uint64_t s_cmp_le_u32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = (uint32_t)a <= (uint32_t)b;
    return 0;
}

static uint64_t s_cmp_eq_u64(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = a == b;
    return 0;
}

static uint64_t s_cmp_lg_u64(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = a != b;
    return 0;
}

static uint64_t s_bitcmp0_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = !(a >> (b & 31) & 1);
    return 0;
}

static uint64_t s_bitcmp1_b32(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = a >> (b & 31) & 1;
    return 0;
}

static uint64_t s_bitcmp0_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = !(a >> (b & 63) & 1);
    return 0;
}

static uint64_t s_bitcmp1_b64(uint64_t a, uint64_t b, struct sem_senv *e) {
    e->scc = a >> (b & 63) & 1;
    return 0;
}

static uint64_t s_movk_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)a;
    (void)e;
    return b;
}

static uint64_t s_cmovk_i32(uint64_t a, uint64_t b, struct sem_senv *e) {
    (void)a;
    e->no_write = !e->scc;
    return b;
}

const struct sem_srow sem_salu_rows[] = {
    {"S_ABSDIFF_I32", s_absdiff_i32, 32, 32, 32, 0},
    {"S_ABS_I32", s_abs_i32, 32, 32, 0, 0},
    {"S_ADDC_U32", s_addc_u32, 32, 32, 32, 0},
    {"S_ADDK_CO_I32", s_add_i32, 32, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_ADDK_I32", s_add_i32, 32, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_ADD_CO_CI_U32", s_addc_u32, 32, 32, 32, 0},
    {"S_ADD_CO_I32", s_add_i32, 32, 32, 32, 0},
    {"S_ADD_CO_U32", s_add_u32, 32, 32, 32, 0},
    {"S_ADD_I32", s_add_i32, 32, 32, 32, 0},
    {"S_ADD_NC_U64", s_add_nc_u64, 64, 64, 64, 0},
    {"S_ADD_U32", s_add_u32, 32, 32, 32, 0},
    {"S_AND_B32", s_and_b32, 32, 32, 32, 0},
    {"S_AND_B64", s_and_b64, 64, 64, 64, 0},
    {"S_AND_NOT0_SAVEEXEC_B32", s_and_not0_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_AND_NOT0_SAVEEXEC_B64", s_and_not0_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_AND_NOT0_WREXEC_B32", s_and_not0_wrexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_AND_NOT0_WREXEC_B64", s_and_not0_wrexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_AND_NOT1_B32", s_and_not1_b32, 32, 32, 32, 0},
    {"S_AND_NOT1_B64", s_and_not1_b64, 64, 64, 64, 0},
    {"S_AND_NOT1_SAVEEXEC_B32", s_and_not1_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_AND_NOT1_SAVEEXEC_B64", s_and_not1_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_AND_NOT1_WREXEC_B32", s_and_not1_wrexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_AND_NOT1_WREXEC_B64", s_and_not1_wrexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_AND_SAVEEXEC_B32", s_and_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_AND_SAVEEXEC_B64", s_and_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_ASHR_I32", s_ashr_i32, 32, 32, 32, 0},
    {"S_ASHR_I64", s_ashr_i64, 64, 64, 32, SEM_S_SEXT64},
    {"S_BCNT0_I32_B32", s_bcnt0_i32_b32, 32, 32, 0, 0},
    {"S_BCNT0_I32_B64", s_bcnt0_i32_b64, 32, 64, 0, 0},
    {"S_BCNT1_I32_B32", s_bcnt1_i32_b32, 32, 32, 0, 0},
    {"S_BCNT1_I32_B64", s_bcnt1_i32_b64, 32, 64, 0, 0},
    {"S_BFE_I32", s_bfe_i32, 32, 32, 32, 0},
    {"S_BFE_I64", s_bfe_i64, 64, 64, 32, SEM_S_SEXT64},
    {"S_BFE_U32", s_bfe_u32, 32, 32, 32, 0},
    {"S_BFE_U64", s_bfe_u64, 64, 64, 32, 0},
    {"S_BFM_B32", s_bfm_b32, 32, 32, 32, 0},
    {"S_BFM_B64", s_bfm_b64, 64, 32, 32, 0},
    {"S_BITCMP0_B32", s_bitcmp0_b32, 0, 32, 32, 0},
    {"S_BITCMP0_B64", s_bitcmp0_b64, 0, 64, 32, 0},
    {"S_BITCMP1_B32", s_bitcmp1_b32, 0, 32, 32, 0},
    {"S_BITCMP1_B64", s_bitcmp1_b64, 0, 64, 32, 0},
    {"S_BITREPLICATE_B64_B32", s_bitreplicate_b64_b32, 64, 32, 0, 0},
    {"S_BITSET0_B32", s_bitset0_b32, 32, 32, 0, SEM_S_READS_DST},
    {"S_BITSET0_B64", s_bitset0_b64, 64, 32, 0, SEM_S_READS_DST},
    {"S_BITSET1_B32", s_bitset1_b32, 32, 32, 0, SEM_S_READS_DST},
    {"S_BITSET1_B64", s_bitset1_b64, 64, 32, 0, SEM_S_READS_DST},
    {"S_BREV_B32", s_brev_b32, 32, 32, 0, 0},
    {"S_BREV_B64", s_brev_b64, 64, 64, 0, 0},
    {"S_CLS_I32", s_cls_i32, 32, 32, 0, 0},
    {"S_CLS_I32_I64", s_cls_i32_i64, 32, 64, 0, 0},
    {"S_CLZ_I32_U32", s_clz_i32_u32, 32, 32, 0, 0},
    {"S_CLZ_I32_U64", s_clz_i32_u64, 32, 64, 0, 0},
    {"S_CMOVK_I32", s_cmovk_i32, 32, 0, 32, SEM_S_SIMM},
    {"S_CMOV_B32", s_cmov_b32, 32, 32, 0, 0},
    {"S_CMOV_B64", s_cmov_b64, 64, 64, 0, 0},
    {"S_CMPK_EQ_I32", s_cmp_eq_i32, 0, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_CMPK_EQ_U32", s_cmp_eq_u32, 0, 32, 32, SEM_S_UIMM | SEM_S_DST_SRC},
    {"S_CMPK_GE_I32", s_cmp_ge_i32, 0, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_CMPK_GE_U32", s_cmp_ge_u32, 0, 32, 32, SEM_S_UIMM | SEM_S_DST_SRC},
    {"S_CMPK_GT_I32", s_cmp_gt_i32, 0, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_CMPK_GT_U32", s_cmp_gt_u32, 0, 32, 32, SEM_S_UIMM | SEM_S_DST_SRC},
    {"S_CMPK_LE_I32", s_cmp_le_i32, 0, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_CMPK_LE_U32", s_cmp_le_u32, 0, 32, 32, SEM_S_UIMM | SEM_S_DST_SRC},
    {"S_CMPK_LG_I32", s_cmp_lg_i32, 0, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_CMPK_LG_U32", s_cmp_lg_u32, 0, 32, 32, SEM_S_UIMM | SEM_S_DST_SRC},
    {"S_CMPK_LT_I32", s_cmp_lt_i32, 0, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_CMPK_LT_U32", s_cmp_lt_u32, 0, 32, 32, SEM_S_UIMM | SEM_S_DST_SRC},
    {"S_CMP_EQ_I32", s_cmp_eq_i32, 0, 32, 32, 0},
    {"S_CMP_EQ_U32", s_cmp_eq_u32, 0, 32, 32, 0},
    {"S_CMP_EQ_U64", s_cmp_eq_u64, 0, 64, 64, 0},
    {"S_CMP_GE_I32", s_cmp_ge_i32, 0, 32, 32, 0},
    {"S_CMP_GE_U32", s_cmp_ge_u32, 0, 32, 32, 0},
    {"S_CMP_GT_I32", s_cmp_gt_i32, 0, 32, 32, 0},
    {"S_CMP_GT_U32", s_cmp_gt_u32, 0, 32, 32, 0},
    {"S_CMP_LE_I32", s_cmp_le_i32, 0, 32, 32, 0},
    {"S_CMP_LE_U32", s_cmp_le_u32, 0, 32, 32, 0},
    {"S_CMP_LG_I32", s_cmp_lg_i32, 0, 32, 32, 0},
    {"S_CMP_LG_U32", s_cmp_lg_u32, 0, 32, 32, 0},
    {"S_CMP_LG_U64", s_cmp_lg_u64, 0, 64, 64, 0},
    {"S_CMP_LT_I32", s_cmp_lt_i32, 0, 32, 32, 0},
    {"S_CMP_LT_U32", s_cmp_lt_u32, 0, 32, 32, 0},
    {"S_CSELECT_B32", s_cselect_b32, 32, 32, 32, 0},
    {"S_CSELECT_B64", s_cselect_b64, 64, 64, 64, 0},
    {"S_CTZ_I32_B32", s_ctz_i32_b32, 32, 32, 0, 0},
    {"S_CTZ_I32_B64", s_ctz_i32_b64, 32, 64, 0, 0},
    {"S_LSHL1_ADD_U32", s_lshl1_add_u32, 32, 32, 32, 0},
    {"S_LSHL2_ADD_U32", s_lshl2_add_u32, 32, 32, 32, 0},
    {"S_LSHL3_ADD_U32", s_lshl3_add_u32, 32, 32, 32, 0},
    {"S_LSHL4_ADD_U32", s_lshl4_add_u32, 32, 32, 32, 0},
    {"S_LSHL_B32", s_lshl_b32, 32, 32, 32, 0},
    {"S_LSHL_B64", s_lshl_b64, 64, 64, 32, 0},
    {"S_LSHR_B32", s_lshr_b32, 32, 32, 32, 0},
    {"S_LSHR_B64", s_lshr_b64, 64, 64, 32, 0},
    {"S_MAX_I32", s_max_i32, 32, 32, 32, 0},
    {"S_MAX_U32", s_max_u32, 32, 32, 32, 0},
    {"S_MIN_I32", s_min_i32, 32, 32, 32, 0},
    {"S_MIN_U32", s_min_u32, 32, 32, 32, 0},
    {"S_MOVK_I32", s_movk_i32, 32, 0, 32, SEM_S_SIMM},
    {"S_MOV_B32", s_mov_b32, 32, 32, 0, 0},
    {"S_MOV_B64", s_mov_b64, 64, 64, 0, 0},
    {"S_MULK_I32", s_mul_i32, 32, 32, 32, SEM_S_SIMM | SEM_S_DST_SRC},
    {"S_MUL_HI_I32", s_mul_hi_i32, 32, 32, 32, 0},
    {"S_MUL_HI_U32", s_mul_hi_u32, 32, 32, 32, 0},
    {"S_MUL_I32", s_mul_i32, 32, 32, 32, 0},
    {"S_MUL_U64", s_mul_u64, 64, 64, 64, 0},
    {"S_NAND_B32", s_nand_b32, 32, 32, 32, 0},
    {"S_NAND_B64", s_nand_b64, 64, 64, 64, 0},
    {"S_NAND_SAVEEXEC_B32", s_nand_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_NAND_SAVEEXEC_B64", s_nand_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_NOR_B32", s_nor_b32, 32, 32, 32, 0},
    {"S_NOR_B64", s_nor_b64, 64, 64, 64, 0},
    {"S_NOR_SAVEEXEC_B32", s_nor_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_NOR_SAVEEXEC_B64", s_nor_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_NOT_B32", s_not_b32, 32, 32, 0, 0},
    {"S_NOT_B64", s_not_b64, 64, 64, 0, 0},
    {"S_OR_B32", s_or_b32, 32, 32, 32, 0},
    {"S_OR_B64", s_or_b64, 64, 64, 64, 0},
    {"S_OR_NOT0_SAVEEXEC_B32", s_or_not0_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_OR_NOT0_SAVEEXEC_B64", s_or_not0_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_OR_NOT1_B32", s_or_not1_b32, 32, 32, 32, 0},
    {"S_OR_NOT1_B64", s_or_not1_b64, 64, 64, 64, 0},
    {"S_OR_NOT1_SAVEEXEC_B32", s_or_not1_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_OR_NOT1_SAVEEXEC_B64", s_or_not1_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_OR_SAVEEXEC_B32", s_or_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_OR_SAVEEXEC_B64", s_or_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_PACK_HH_B32_B16", s_pack_hh_b32_b16, 32, 32, 32, 0},
    {"S_PACK_HL_B32_B16", s_pack_hl_b32_b16, 32, 32, 32, 0},
    {"S_PACK_LH_B32_B16", s_pack_lh_b32_b16, 32, 32, 32, 0},
    {"S_PACK_LL_B32_B16", s_pack_ll_b32_b16, 32, 32, 32, 0},
    {"S_QUADMASK_B32", s_quadmask_b32, 32, 32, 0, 0},
    {"S_QUADMASK_B64", s_quadmask_b64, 64, 64, 0, 0},
    {"S_SEXT_I32_I16", s_sext_i32_i16, 32, 32, 0, 0},
    {"S_SEXT_I32_I8", s_sext_i32_i8, 32, 32, 0, 0},
    {"S_SUBB_U32", s_subb_u32, 32, 32, 32, 0},
    {"S_SUB_CO_CI_U32", s_subb_u32, 32, 32, 32, 0},
    {"S_SUB_CO_I32", s_sub_i32, 32, 32, 32, 0},
    {"S_SUB_CO_U32", s_sub_u32, 32, 32, 32, 0},
    {"S_SUB_I32", s_sub_i32, 32, 32, 32, 0},
    {"S_SUB_NC_U64", s_sub_nc_u64, 64, 64, 64, 0},
    {"S_SUB_U32", s_sub_u32, 32, 32, 32, 0},
    {"S_WQM_B32", s_wqm_b32, 32, 32, 0, 0},
    {"S_WQM_B64", s_wqm_b64, 64, 64, 0, 0},
    {"S_XNOR_B32", s_xnor_b32, 32, 32, 32, 0},
    {"S_XNOR_B64", s_xnor_b64, 64, 64, 64, 0},
    {"S_XNOR_SAVEEXEC_B32", s_xnor_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_XNOR_SAVEEXEC_B64", s_xnor_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
    {"S_XOR_B32", s_xor_b32, 32, 32, 32, 0},
    {"S_XOR_B64", s_xor_b64, 64, 64, 64, 0},
    {"S_XOR_SAVEEXEC_B32", s_xor_saveexec_b32, 32, 32, 0, SEM_S_EXEC},
    {"S_XOR_SAVEEXEC_B64", s_xor_saveexec_b64, 64, 64, 0, SEM_S_EXEC},
};
const unsigned sem_salu_row_count = sizeof sem_salu_rows / sizeof *sem_salu_rows;
