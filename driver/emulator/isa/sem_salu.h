/* SPDX-License-Identifier: MIT */
/* sem_salu.h - integer and bit instructions of the scalar ALU (AMD RDNA3 and RDNA4 ISA guides,
 * chapters SOP1, SOP2, SOPC, SOPK): values in, value out. 32-bit sources come zero-extended; the
 * caller keeps as many bits of the result as the destination has. Included once per executor, so
 * that each instruction becomes one function there. */
#ifndef RAWCL_SEM_SALU_H
#define RAWCL_SEM_SALU_H

#include "driver/emulator/isa/sem_scalar.h"

#define SALU(name)                                                                                 \
    static inline uint64_t name(__attribute__((unused)) uint64_t a,                                \
                                __attribute__((unused)) uint64_t b,                                \
                                __attribute__((unused)) struct sem_senv *e)

static inline uint64_t set_scc(struct sem_senv *e, uint64_t v) {
    e->scc = v != 0;
    return v;
}

static inline uint64_t reverse64(uint64_t v) {
    v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
    v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(v);
}

static inline uint64_t any_in_quad(uint64_t v) {
    v |= v >> 1;
    v |= v >> 2;
    return v & 0x1111111111111111;
}

static inline uint64_t quadmask(uint64_t v) {
    uint64_t q = any_in_quad(v), r = 0;
    for (unsigned i = 0; i < 16; i++)
        r |= (q >> 4 * i & 1) << i;
    return r;
}

static inline uint64_t whole_quads(uint64_t v) {
    return any_in_quad(v) * 0xf;
}

static inline uint64_t save_exec(struct sem_senv *e, uint64_t exec) {
    uint64_t saved = e->exec;
    e->exec = exec;
    e->scc = exec != 0;
    return saved;
}

static inline uint64_t field_u64(uint64_t v, unsigned offset, unsigned width) {
    if (!width) return 0;
    v >>= offset;
    return width >= 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static inline uint64_t field_i64(uint64_t v, unsigned offset, unsigned width) {
    if (!width) return 0;
    v = (uint64_t)((int64_t)v >> offset);
    if (width >= 64) return v;
    return (uint64_t)((int64_t)(v << (64 - width)) >> (64 - width));
}

SALU(s_mov_b32) {
    return a;
}

SALU(s_mov_b64) {
    return a;
}

SALU(s_cmov_b32) {
    e->no_write = !e->scc;
    return a;
}

SALU(s_cmov_b64) {
    e->no_write = !e->scc;
    return a;
}

SALU(s_brev_b32) {
    return reverse64(a) >> 32;
}

SALU(s_brev_b64) {
    return reverse64(a);
}

SALU(s_ctz_i32_b32) {
    return (uint32_t)a ? (uint32_t)__builtin_ctz((uint32_t)a) : UINT32_MAX;
}

SALU(s_ctz_i32_b64) {
    return a ? (uint32_t)__builtin_ctzll(a) : UINT32_MAX;
}

SALU(s_clz_i32_u32) {
    return (uint32_t)a ? (uint32_t)__builtin_clz((uint32_t)a) : UINT32_MAX;
}

SALU(s_clz_i32_u64) {
    return a ? (uint32_t)__builtin_clzll(a) : UINT32_MAX;
}

SALU(s_cls_i32) {
    uint32_t v = (uint32_t)a;
    if (v >> 31) v = ~v;
    return v ? (uint32_t)__builtin_clz(v) : UINT32_MAX;
}

SALU(s_cls_i32_i64) {
    uint64_t v = a >> 63 ? ~a : a;
    return v ? (uint32_t)__builtin_clzll(v) : UINT32_MAX;
}

SALU(s_sext_i32_i8) {
    return (uint32_t)(int8_t)a;
}

SALU(s_sext_i32_i16) {
    return (uint32_t)(int16_t)a;
}

SALU(s_bitset0_b32) {
    return e->dst & ~(UINT64_C(1) << (a & 31));
}

SALU(s_bitset0_b64) {
    return e->dst & ~(UINT64_C(1) << (a & 63));
}

SALU(s_bitset1_b32) {
    return e->dst | UINT64_C(1) << (a & 31);
}

SALU(s_bitset1_b64) {
    return e->dst | UINT64_C(1) << (a & 63);
}

SALU(s_bitreplicate_b64_b32) {
    uint64_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (a >> i & 1) * 3 << 2 * i;
    return r;
}

SALU(s_abs_i32) {
    uint32_t v = (uint32_t)a;
    if (v >> 31) v = -v;
    return set_scc(e, v);
}

SALU(s_bcnt0_i32_b32) {
    return set_scc(e, 32 - (uint32_t)__builtin_popcount((uint32_t)a));
}

SALU(s_bcnt0_i32_b64) {
    return set_scc(e, 64 - (uint32_t)__builtin_popcountll(a));
}

SALU(s_bcnt1_i32_b32) {
    return set_scc(e, (uint32_t)__builtin_popcount((uint32_t)a));
}

SALU(s_bcnt1_i32_b64) {
    return set_scc(e, (uint32_t)__builtin_popcountll(a));
}

SALU(s_quadmask_b32) {
    return set_scc(e, quadmask(a & UINT32_MAX));
}

SALU(s_quadmask_b64) {
    return set_scc(e, quadmask(a));
}

SALU(s_wqm_b32) {
    return set_scc(e, whole_quads(a) & UINT32_MAX);
}

SALU(s_wqm_b64) {
    return set_scc(e, whole_quads(a));
}

SALU(s_not_b32) {
    return set_scc(e, ~a & UINT32_MAX);
}

SALU(s_not_b64) {
    return set_scc(e, ~a);
}

SALU(s_and_saveexec_b32) {
    return save_exec(e, (a & e->exec) & UINT32_MAX);
}

SALU(s_and_saveexec_b64) {
    return save_exec(e, a & e->exec);
}

SALU(s_or_saveexec_b32) {
    return save_exec(e, (a | e->exec) & UINT32_MAX);
}

SALU(s_or_saveexec_b64) {
    return save_exec(e, a | e->exec);
}

SALU(s_xor_saveexec_b32) {
    return save_exec(e, (a ^ e->exec) & UINT32_MAX);
}

SALU(s_xor_saveexec_b64) {
    return save_exec(e, a ^ e->exec);
}

SALU(s_nand_saveexec_b32) {
    return save_exec(e, (~(a & e->exec)) & UINT32_MAX);
}

SALU(s_nand_saveexec_b64) {
    return save_exec(e, ~(a & e->exec));
}

SALU(s_nor_saveexec_b32) {
    return save_exec(e, (~(a | e->exec)) & UINT32_MAX);
}

SALU(s_nor_saveexec_b64) {
    return save_exec(e, ~(a | e->exec));
}

SALU(s_xnor_saveexec_b32) {
    return save_exec(e, (~(a ^ e->exec)) & UINT32_MAX);
}

SALU(s_xnor_saveexec_b64) {
    return save_exec(e, ~(a ^ e->exec));
}

SALU(s_and_not0_saveexec_b32) {
    return save_exec(e, (~a & e->exec) & UINT32_MAX);
}

SALU(s_and_not0_saveexec_b64) {
    return save_exec(e, ~a & e->exec);
}

SALU(s_or_not0_saveexec_b32) {
    return save_exec(e, (~a | e->exec) & UINT32_MAX);
}

SALU(s_or_not0_saveexec_b64) {
    return save_exec(e, ~a | e->exec);
}

SALU(s_and_not1_saveexec_b32) {
    return save_exec(e, (a & ~e->exec) & UINT32_MAX);
}

SALU(s_and_not1_saveexec_b64) {
    return save_exec(e, a & ~e->exec);
}

SALU(s_or_not1_saveexec_b32) {
    return save_exec(e, (a | ~e->exec) & UINT32_MAX);
}

SALU(s_or_not1_saveexec_b64) {
    return save_exec(e, a | ~e->exec);
}

SALU(s_and_not0_wrexec_b32) {
    e->exec = ~a & e->exec & UINT32_MAX;
    return set_scc(e, e->exec);
}

SALU(s_and_not0_wrexec_b64) {
    e->exec = ~a & e->exec;
    return set_scc(e, e->exec);
}

SALU(s_and_not1_wrexec_b32) {
    e->exec = a & ~e->exec & UINT32_MAX;
    return set_scc(e, e->exec);
}

SALU(s_and_not1_wrexec_b64) {
    e->exec = a & ~e->exec;
    return set_scc(e, e->exec);
}

SALU(s_add_u32) {
    e->scc = (a + b) >> 32 & 1;
    return a + b;
}

SALU(s_sub_u32) {
    e->scc = b > a;
    return a - b;
}

SALU(s_add_i32) {
    int32_t r;
    e->scc = __builtin_add_overflow((int32_t)a, (int32_t)b, &r);
    return (uint32_t)r;
}

SALU(s_sub_i32) {
    int32_t r;
    e->scc = __builtin_sub_overflow((int32_t)a, (int32_t)b, &r);
    return (uint32_t)r;
}

SALU(s_addc_u32) {
    uint64_t r = a + b + e->scc;
    e->scc = r >> 32 & 1;
    return r;
}

SALU(s_subb_u32) {
    uint64_t r = a - b - e->scc;
    e->scc = r >> 32 & 1;
    return r;
}

SALU(s_absdiff_i32) {
    uint32_t d = (uint32_t)a - (uint32_t)b;
    if (d >> 31) d = -d;
    return set_scc(e, d);
}

SALU(s_lshl_b32) {
    return set_scc(e, a << (b & 31) & UINT32_MAX);
}

SALU(s_lshl_b64) {
    return set_scc(e, a << (b & 63));
}

SALU(s_lshr_b32) {
    return set_scc(e, a >> (b & 31));
}

SALU(s_lshr_b64) {
    return set_scc(e, a >> (b & 63));
}

SALU(s_ashr_i32) {
    return set_scc(e, (uint32_t)((int32_t)a >> (b & 31)));
}

SALU(s_ashr_i64) {
    return set_scc(e, (uint64_t)((int64_t)a >> (b & 63)));
}

SALU(s_lshl1_add_u32) {
    uint64_t r = (a << 1) + b;
    e->scc = r >> 32 != 0;
    return r;
}

SALU(s_lshl2_add_u32) {
    uint64_t r = (a << 2) + b;
    e->scc = r >> 32 != 0;
    return r;
}

SALU(s_lshl3_add_u32) {
    uint64_t r = (a << 3) + b;
    e->scc = r >> 32 != 0;
    return r;
}

SALU(s_lshl4_add_u32) {
    uint64_t r = (a << 4) + b;
    e->scc = r >> 32 != 0;
    return r;
}

SALU(s_min_i32) {
    e->scc = (int32_t)a < (int32_t)b;
    return e->scc ? a : b;
}

SALU(s_min_u32) {
    e->scc = a < b;
    return e->scc ? a : b;
}

SALU(s_max_i32) {
    e->scc = (int32_t)a >= (int32_t)b;
    return e->scc ? a : b;
}

SALU(s_max_u32) {
    e->scc = a >= b;
    return e->scc ? a : b;
}

SALU(s_and_b32) {
    return set_scc(e, (a & b) & UINT32_MAX);
}

SALU(s_and_b64) {
    return set_scc(e, a & b);
}

SALU(s_or_b32) {
    return set_scc(e, (a | b) & UINT32_MAX);
}

SALU(s_or_b64) {
    return set_scc(e, a | b);
}

SALU(s_xor_b32) {
    return set_scc(e, (a ^ b) & UINT32_MAX);
}

SALU(s_xor_b64) {
    return set_scc(e, a ^ b);
}

SALU(s_nand_b32) {
    return set_scc(e, (~(a & b)) & UINT32_MAX);
}

SALU(s_nand_b64) {
    return set_scc(e, ~(a & b));
}

SALU(s_nor_b32) {
    return set_scc(e, (~(a | b)) & UINT32_MAX);
}

SALU(s_nor_b64) {
    return set_scc(e, ~(a | b));
}

SALU(s_xnor_b32) {
    return set_scc(e, (~(a ^ b)) & UINT32_MAX);
}

SALU(s_xnor_b64) {
    return set_scc(e, ~(a ^ b));
}

SALU(s_and_not1_b32) {
    return set_scc(e, (a & ~b) & UINT32_MAX);
}

SALU(s_and_not1_b64) {
    return set_scc(e, a & ~b);
}

SALU(s_or_not1_b32) {
    return set_scc(e, (a | ~b) & UINT32_MAX);
}

SALU(s_or_not1_b64) {
    return set_scc(e, a | ~b);
}

SALU(s_bfe_u32) {
    return set_scc(e, field_u64(a, b & 31, b >> 16 & 0x7f));
}

SALU(s_bfe_i32) {
    return set_scc(e, (uint32_t)field_i64((uint64_t)(int64_t)(int32_t)a, b & 31, b >> 16 & 0x7f));
}

SALU(s_bfe_u64) {
    return set_scc(e, field_u64(a, b & 63, b >> 16 & 0x7f));
}

SALU(s_bfe_i64) {
    return set_scc(e, field_i64(a, b & 63, b >> 16 & 0x7f));
}

SALU(s_bfm_b32) {
    return ((UINT64_C(1) << (a & 31)) - 1) << (b & 31);
}

SALU(s_bfm_b64) {
    return ((UINT64_C(1) << (a & 63)) - 1) << (b & 63);
}

SALU(s_mul_i32) {
    return (uint32_t)a * (uint32_t)b;
}

SALU(s_mul_hi_u32) {
    return a * b >> 32;
}

SALU(s_mul_hi_i32) {
    return (uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32;
}

SALU(s_cselect_b32) {
    return e->scc ? a : b;
}

SALU(s_cselect_b64) {
    return e->scc ? a : b;
}

SALU(s_pack_ll_b32_b16) {
    return (a & 0xffff) | (b & 0xffff) << 16;
}

SALU(s_pack_lh_b32_b16) {
    return (a & 0xffff) | (b & 0xffff0000);
}

SALU(s_pack_hh_b32_b16) {
    return a >> 16 | (b & 0xffff0000);
}

SALU(s_pack_hl_b32_b16) {
    return a >> 16 | (b & 0xffff) << 16;
}

SALU(s_add_nc_u64) {
    return a + b;
}

SALU(s_sub_nc_u64) {
    return a - b;
}

SALU(s_mul_u64) {
    return a * b;
}

SALU(s_cmp_eq_i32) {
    e->scc = (int32_t)a == (int32_t)b;
    return 0;
}

SALU(s_cmp_eq_u32) {
    e->scc = (uint32_t)a == (uint32_t)b;
    return 0;
}

SALU(s_cmp_lg_i32) {
    e->scc = (int32_t)a != (int32_t)b;
    return 0;
}

SALU(s_cmp_lg_u32) {
    e->scc = (uint32_t)a != (uint32_t)b;
    return 0;
}

SALU(s_cmp_gt_i32) {
    e->scc = (int32_t)a > (int32_t)b;
    return 0;
}

SALU(s_cmp_gt_u32) {
    e->scc = (uint32_t)a > (uint32_t)b;
    return 0;
}

SALU(s_cmp_ge_i32) {
    e->scc = (int32_t)a >= (int32_t)b;
    return 0;
}

SALU(s_cmp_ge_u32) {
    e->scc = (uint32_t)a >= (uint32_t)b;
    return 0;
}

SALU(s_cmp_lt_i32) {
    e->scc = (int32_t)a < (int32_t)b;
    return 0;
}

SALU(s_cmp_lt_u32) {
    e->scc = (uint32_t)a < (uint32_t)b;
    return 0;
}

SALU(s_cmp_le_i32) {
    e->scc = (int32_t)a <= (int32_t)b;
    return 0;
}

SALU(s_cmp_le_u32) {
    e->scc = (uint32_t)a <= (uint32_t)b;
    return 0;
}

SALU(s_cmp_eq_u64) {
    e->scc = a == b;
    return 0;
}

SALU(s_cmp_lg_u64) {
    e->scc = a != b;
    return 0;
}

SALU(s_bitcmp0_b32) {
    e->scc = !(a >> (b & 31) & 1);
    return 0;
}

SALU(s_bitcmp1_b32) {
    e->scc = a >> (b & 31) & 1;
    return 0;
}

SALU(s_bitcmp0_b64) {
    e->scc = !(a >> (b & 63) & 1);
    return 0;
}

SALU(s_bitcmp1_b64) {
    e->scc = a >> (b & 63) & 1;
    return 0;
}

SALU(s_movk_i32) {
    return b;
}

SALU(s_cmovk_i32) {
    e->no_write = !e->scc;
    return b;
}

#endif
