/* SPDX-License-Identifier: MIT */
/* sem_valu_rows.c - the table of vector ALU instructions: mnemonic, function, operand types, flags.
 * Mnemonics and operand types: AMD's machine-readable ISA descriptions of RDNA3 and RDNA4. */
#include <string.h>

#include "driver/emulator/isa/sem_math.h"

/* clang-format off */
sem_vfn SEM_SYM(sem_v_add3_u32);
sem_vfn SEM_SYM(sem_v_add_co_ci_u32);
sem_vfn SEM_SYM(sem_v_add_co_u32);
sem_vfn SEM_SYM(sem_v_add_f16);
sem_vfn SEM_SYM(sem_v_add_f32);
sem_vfn SEM_SYM(sem_v_add_f64);
sem_vfn SEM_SYM(sem_v_add_lshl_u32);
sem_vfn SEM_SYM(sem_v_add_nc_i16);
sem_vfn SEM_SYM(sem_v_add_nc_i32);
sem_vfn SEM_SYM(sem_v_add_nc_u16);
sem_vfn SEM_SYM(sem_v_add_nc_u32);
sem_vfn SEM_SYM(sem_v_alignbit_b32);
sem_vfn SEM_SYM(sem_v_alignbyte_b32);
sem_vfn SEM_SYM(sem_v_and_b16);
sem_vfn SEM_SYM(sem_v_and_b32);
sem_vfn SEM_SYM(sem_v_and_or_b32);
sem_vfn SEM_SYM(sem_v_ashrrev_i16);
sem_vfn SEM_SYM(sem_v_ashrrev_i32);
sem_vfn SEM_SYM(sem_v_ashrrev_i64);
sem_vfn SEM_SYM(sem_v_bcnt_u32_b32);
sem_vfn SEM_SYM(sem_v_bfe_i32);
sem_vfn SEM_SYM(sem_v_bfe_u32);
sem_vfn SEM_SYM(sem_v_bfi_b32);
sem_vfn SEM_SYM(sem_v_bfm_b32);
sem_vfn SEM_SYM(sem_v_bfrev_b32);
sem_vfn SEM_SYM(sem_v_ceil_f16);
sem_vfn SEM_SYM(sem_v_ceil_f32);
sem_vfn SEM_SYM(sem_v_ceil_f64);
sem_vfn SEM_SYM(sem_v_cls_i32);
sem_vfn SEM_SYM(sem_v_clz_i32_u32);
sem_vfn SEM_SYM(sem_v_cmp_class_f16);
sem_vfn SEM_SYM(sem_v_cmp_class_f32);
sem_vfn SEM_SYM(sem_v_cmp_class_f64);
sem_vfn SEM_SYM(sem_v_cmp_eq_f16);
sem_vfn SEM_SYM(sem_v_cmp_eq_f32);
sem_vfn SEM_SYM(sem_v_cmp_eq_f64);
sem_vfn SEM_SYM(sem_v_cmp_eq_i16);
sem_vfn SEM_SYM(sem_v_cmp_eq_i32);
sem_vfn SEM_SYM(sem_v_cmp_eq_i64);
sem_vfn SEM_SYM(sem_v_cmp_eq_u16);
sem_vfn SEM_SYM(sem_v_cmp_eq_u32);
sem_vfn SEM_SYM(sem_v_cmp_eq_u64);
sem_vfn SEM_SYM(sem_v_cmp_f);
sem_vfn SEM_SYM(sem_v_cmp_ge_f16);
sem_vfn SEM_SYM(sem_v_cmp_ge_f32);
sem_vfn SEM_SYM(sem_v_cmp_ge_f64);
sem_vfn SEM_SYM(sem_v_cmp_ge_i16);
sem_vfn SEM_SYM(sem_v_cmp_ge_i32);
sem_vfn SEM_SYM(sem_v_cmp_ge_i64);
sem_vfn SEM_SYM(sem_v_cmp_ge_u16);
sem_vfn SEM_SYM(sem_v_cmp_ge_u32);
sem_vfn SEM_SYM(sem_v_cmp_ge_u64);
sem_vfn SEM_SYM(sem_v_cmp_gt_f16);
sem_vfn SEM_SYM(sem_v_cmp_gt_f32);
sem_vfn SEM_SYM(sem_v_cmp_gt_f64);
sem_vfn SEM_SYM(sem_v_cmp_gt_i16);
sem_vfn SEM_SYM(sem_v_cmp_gt_i32);
sem_vfn SEM_SYM(sem_v_cmp_gt_i64);
sem_vfn SEM_SYM(sem_v_cmp_gt_u16);
sem_vfn SEM_SYM(sem_v_cmp_gt_u32);
sem_vfn SEM_SYM(sem_v_cmp_gt_u64);
sem_vfn SEM_SYM(sem_v_cmp_le_f16);
sem_vfn SEM_SYM(sem_v_cmp_le_f32);
sem_vfn SEM_SYM(sem_v_cmp_le_f64);
sem_vfn SEM_SYM(sem_v_cmp_le_i16);
sem_vfn SEM_SYM(sem_v_cmp_le_i32);
sem_vfn SEM_SYM(sem_v_cmp_le_i64);
sem_vfn SEM_SYM(sem_v_cmp_le_u16);
sem_vfn SEM_SYM(sem_v_cmp_le_u32);
sem_vfn SEM_SYM(sem_v_cmp_le_u64);
sem_vfn SEM_SYM(sem_v_cmp_lg_f16);
sem_vfn SEM_SYM(sem_v_cmp_lg_f32);
sem_vfn SEM_SYM(sem_v_cmp_lg_f64);
sem_vfn SEM_SYM(sem_v_cmp_lt_f16);
sem_vfn SEM_SYM(sem_v_cmp_lt_f32);
sem_vfn SEM_SYM(sem_v_cmp_lt_f64);
sem_vfn SEM_SYM(sem_v_cmp_lt_i16);
sem_vfn SEM_SYM(sem_v_cmp_lt_i32);
sem_vfn SEM_SYM(sem_v_cmp_lt_i64);
sem_vfn SEM_SYM(sem_v_cmp_lt_u16);
sem_vfn SEM_SYM(sem_v_cmp_lt_u32);
sem_vfn SEM_SYM(sem_v_cmp_lt_u64);
sem_vfn SEM_SYM(sem_v_cmp_ne_i16);
sem_vfn SEM_SYM(sem_v_cmp_ne_i32);
sem_vfn SEM_SYM(sem_v_cmp_ne_i64);
sem_vfn SEM_SYM(sem_v_cmp_ne_u16);
sem_vfn SEM_SYM(sem_v_cmp_ne_u32);
sem_vfn SEM_SYM(sem_v_cmp_ne_u64);
sem_vfn SEM_SYM(sem_v_cmp_neq_f16);
sem_vfn SEM_SYM(sem_v_cmp_neq_f32);
sem_vfn SEM_SYM(sem_v_cmp_neq_f64);
sem_vfn SEM_SYM(sem_v_cmp_nge_f16);
sem_vfn SEM_SYM(sem_v_cmp_nge_f32);
sem_vfn SEM_SYM(sem_v_cmp_nge_f64);
sem_vfn SEM_SYM(sem_v_cmp_ngt_f16);
sem_vfn SEM_SYM(sem_v_cmp_ngt_f32);
sem_vfn SEM_SYM(sem_v_cmp_ngt_f64);
sem_vfn SEM_SYM(sem_v_cmp_nle_f16);
sem_vfn SEM_SYM(sem_v_cmp_nle_f32);
sem_vfn SEM_SYM(sem_v_cmp_nle_f64);
sem_vfn SEM_SYM(sem_v_cmp_nlg_f16);
sem_vfn SEM_SYM(sem_v_cmp_nlg_f32);
sem_vfn SEM_SYM(sem_v_cmp_nlg_f64);
sem_vfn SEM_SYM(sem_v_cmp_nlt_f16);
sem_vfn SEM_SYM(sem_v_cmp_nlt_f32);
sem_vfn SEM_SYM(sem_v_cmp_nlt_f64);
sem_vfn SEM_SYM(sem_v_cmp_o_f16);
sem_vfn SEM_SYM(sem_v_cmp_o_f32);
sem_vfn SEM_SYM(sem_v_cmp_o_f64);
sem_vfn SEM_SYM(sem_v_cmp_t);
sem_vfn SEM_SYM(sem_v_cmp_u_f16);
sem_vfn SEM_SYM(sem_v_cmp_u_f32);
sem_vfn SEM_SYM(sem_v_cmp_u_f64);
sem_vfn SEM_SYM(sem_v_cndmask_b16);
sem_vfn SEM_SYM(sem_v_cndmask_b32);
sem_vfn SEM_SYM(sem_v_cos_f16);
sem_vfn SEM_SYM(sem_v_cos_f32);
sem_vfn SEM_SYM(sem_v_ctz_i32_b32);
sem_vfn SEM_SYM(sem_v_cubeid_f32);
sem_vfn SEM_SYM(sem_v_cubema_f32);
sem_vfn SEM_SYM(sem_v_cubesc_f32);
sem_vfn SEM_SYM(sem_v_cubetc_f32);
sem_vfn SEM_SYM(sem_v_cvt_f16_f32);
sem_vfn SEM_SYM(sem_v_cvt_f16_i16);
sem_vfn SEM_SYM(sem_v_cvt_f16_u16);
sem_vfn SEM_SYM(sem_v_cvt_f32_bf8);
sem_vfn SEM_SYM(sem_v_cvt_f32_f16);
sem_vfn SEM_SYM(sem_v_cvt_f32_f64);
sem_vfn SEM_SYM(sem_v_cvt_f32_fp8);
sem_vfn SEM_SYM(sem_v_cvt_f32_i32);
sem_vfn SEM_SYM(sem_v_cvt_f32_u32);
sem_vfn SEM_SYM(sem_v_cvt_f32_ubyte0);
sem_vfn SEM_SYM(sem_v_cvt_f32_ubyte1);
sem_vfn SEM_SYM(sem_v_cvt_f32_ubyte2);
sem_vfn SEM_SYM(sem_v_cvt_f32_ubyte3);
sem_vfn SEM_SYM(sem_v_cvt_f64_f32);
sem_vfn SEM_SYM(sem_v_cvt_f64_i32);
sem_vfn SEM_SYM(sem_v_cvt_f64_u32);
sem_vfn SEM_SYM(sem_v_cvt_floor_i32_f32);
sem_vfn SEM_SYM(sem_v_cvt_i16_f16);
sem_vfn SEM_SYM(sem_v_cvt_i32_f32);
sem_vfn SEM_SYM(sem_v_cvt_i32_f64);
sem_vfn SEM_SYM(sem_v_cvt_i32_i16);
sem_vfn SEM_SYM(sem_v_cvt_nearest_i32_f32);
sem_vfn SEM_SYM(sem_v_cvt_norm_i16_f16);
sem_vfn SEM_SYM(sem_v_cvt_norm_u16_f16);
sem_vfn SEM_SYM(sem_v_cvt_off_f32_i4);
sem_vfn SEM_SYM(sem_v_cvt_pk_bf8_f32);
sem_vfn SEM_SYM(sem_v_cvt_pk_f32_bf8);
sem_vfn SEM_SYM(sem_v_cvt_pk_f32_fp8);
sem_vfn SEM_SYM(sem_v_cvt_pk_fp8_f32);
sem_vfn SEM_SYM(sem_v_cvt_pk_i16_f32);
sem_vfn SEM_SYM(sem_v_cvt_pk_i16_i32);
sem_vfn SEM_SYM(sem_v_cvt_pk_norm_i16_f16);
sem_vfn SEM_SYM(sem_v_cvt_pk_norm_i16_f32);
sem_vfn SEM_SYM(sem_v_cvt_pk_norm_u16_f16);
sem_vfn SEM_SYM(sem_v_cvt_pk_norm_u16_f32);
sem_vfn SEM_SYM(sem_v_cvt_pk_rtz_f16_f32);
sem_vfn SEM_SYM(sem_v_cvt_pk_u16_f32);
sem_vfn SEM_SYM(sem_v_cvt_pk_u16_u32);
sem_vfn SEM_SYM(sem_v_cvt_pk_u8_f32);
sem_vfn SEM_SYM(sem_v_cvt_sr_bf8_f32);
sem_vfn SEM_SYM(sem_v_cvt_sr_fp8_f32);
sem_vfn SEM_SYM(sem_v_cvt_u16_f16);
sem_vfn SEM_SYM(sem_v_cvt_u32_f32);
sem_vfn SEM_SYM(sem_v_cvt_u32_f64);
sem_vfn SEM_SYM(sem_v_cvt_u32_u16);
sem_vfn SEM_SYM(sem_v_div_fixup_f16);
sem_vfn SEM_SYM(sem_v_div_fixup_f32);
sem_vfn SEM_SYM(sem_v_div_fixup_f64);
sem_vfn SEM_SYM(sem_v_div_fmas_f32);
sem_vfn SEM_SYM(sem_v_div_fmas_f64);
sem_vfn SEM_SYM(sem_v_div_scale_f32);
sem_vfn SEM_SYM(sem_v_div_scale_f64);
sem_vfn SEM_SYM(sem_v_dot2_bf16_bf16);
sem_vfn SEM_SYM(sem_v_dot2_f16_f16);
sem_vfn SEM_SYM(sem_v_dot2_f32_bf16);
sem_vfn SEM_SYM(sem_v_dot2_f32_f16);
sem_vfn SEM_SYM(sem_v_dot4_f32_bf8_bf8);
sem_vfn SEM_SYM(sem_v_dot4_f32_bf8_fp8);
sem_vfn SEM_SYM(sem_v_dot4_f32_fp8_bf8);
sem_vfn SEM_SYM(sem_v_dot4_f32_fp8_fp8);
sem_vfn SEM_SYM(sem_v_dot4_i32_iu8);
sem_vfn SEM_SYM(sem_v_dot4_u32_u8);
sem_vfn SEM_SYM(sem_v_dot8_i32_iu4);
sem_vfn SEM_SYM(sem_v_dot8_u32_u4);
sem_vfn SEM_SYM(sem_v_exp_f16);
sem_vfn SEM_SYM(sem_v_exp_f32);
sem_vfn SEM_SYM(sem_v_floor_f16);
sem_vfn SEM_SYM(sem_v_floor_f32);
sem_vfn SEM_SYM(sem_v_floor_f64);
sem_vfn SEM_SYM(sem_v_fma_dx9_zero_f32);
sem_vfn SEM_SYM(sem_v_fma_f16);
sem_vfn SEM_SYM(sem_v_fma_f32);
sem_vfn SEM_SYM(sem_v_fma_f64);
sem_vfn SEM_SYM(sem_v_fma_mix_f32);
sem_vfn SEM_SYM(sem_v_fma_mixlo_f16);
sem_vfn SEM_SYM(sem_v_fract_f16);
sem_vfn SEM_SYM(sem_v_fract_f32);
sem_vfn SEM_SYM(sem_v_fract_f64);
sem_vfn SEM_SYM(sem_v_frexp_exp_i16_f16);
sem_vfn SEM_SYM(sem_v_frexp_exp_i32_f32);
sem_vfn SEM_SYM(sem_v_frexp_exp_i32_f64);
sem_vfn SEM_SYM(sem_v_frexp_mant_f16);
sem_vfn SEM_SYM(sem_v_frexp_mant_f32);
sem_vfn SEM_SYM(sem_v_frexp_mant_f64);
sem_vfn SEM_SYM(sem_v_ldexp_f16);
sem_vfn SEM_SYM(sem_v_ldexp_f32);
sem_vfn SEM_SYM(sem_v_ldexp_f64);
sem_vfn SEM_SYM(sem_v_lerp_u8);
sem_vfn SEM_SYM(sem_v_log_f16);
sem_vfn SEM_SYM(sem_v_log_f32);
sem_vfn SEM_SYM(sem_v_lshl_add_u32);
sem_vfn SEM_SYM(sem_v_lshl_or_b32);
sem_vfn SEM_SYM(sem_v_lshlrev_b16);
sem_vfn SEM_SYM(sem_v_lshlrev_b32);
sem_vfn SEM_SYM(sem_v_lshlrev_b64);
sem_vfn SEM_SYM(sem_v_lshrrev_b16);
sem_vfn SEM_SYM(sem_v_lshrrev_b32);
sem_vfn SEM_SYM(sem_v_lshrrev_b64);
sem_vfn SEM_SYM(sem_v_mad_i16);
sem_vfn SEM_SYM(sem_v_mad_i32_i16);
sem_vfn SEM_SYM(sem_v_mad_i32_i24);
sem_vfn SEM_SYM(sem_v_mad_i64_i32);
sem_vfn SEM_SYM(sem_v_mad_u16);
sem_vfn SEM_SYM(sem_v_mad_u32_u16);
sem_vfn SEM_SYM(sem_v_mad_u32_u24);
sem_vfn SEM_SYM(sem_v_mad_u64_u32);
sem_vfn SEM_SYM(sem_v_max3_f16);
sem_vfn SEM_SYM(sem_v_max3_f32);
sem_vfn SEM_SYM(sem_v_max3_i16);
sem_vfn SEM_SYM(sem_v_max3_i32);
sem_vfn SEM_SYM(sem_v_max3_num_f16);
sem_vfn SEM_SYM(sem_v_max3_num_f32);
sem_vfn SEM_SYM(sem_v_max3_u16);
sem_vfn SEM_SYM(sem_v_max3_u32);
sem_vfn SEM_SYM(sem_v_max_f16);
sem_vfn SEM_SYM(sem_v_max_f32);
sem_vfn SEM_SYM(sem_v_max_f64);
sem_vfn SEM_SYM(sem_v_max_i16);
sem_vfn SEM_SYM(sem_v_max_i32);
sem_vfn SEM_SYM(sem_v_max_num_f16);
sem_vfn SEM_SYM(sem_v_max_num_f32);
sem_vfn SEM_SYM(sem_v_max_num_f64);
sem_vfn SEM_SYM(sem_v_max_u16);
sem_vfn SEM_SYM(sem_v_max_u32);
sem_vfn SEM_SYM(sem_v_maximum3_f16);
sem_vfn SEM_SYM(sem_v_maximum3_f32);
sem_vfn SEM_SYM(sem_v_maximum_f16);
sem_vfn SEM_SYM(sem_v_maximum_f32);
sem_vfn SEM_SYM(sem_v_maximum_f64);
sem_vfn SEM_SYM(sem_v_maximumminimum_f16);
sem_vfn SEM_SYM(sem_v_maximumminimum_f32);
sem_vfn SEM_SYM(sem_v_maxmin_f16);
sem_vfn SEM_SYM(sem_v_maxmin_f32);
sem_vfn SEM_SYM(sem_v_maxmin_i32);
sem_vfn SEM_SYM(sem_v_maxmin_num_f16);
sem_vfn SEM_SYM(sem_v_maxmin_num_f32);
sem_vfn SEM_SYM(sem_v_maxmin_u32);
sem_vfn SEM_SYM(sem_v_med3_f16);
sem_vfn SEM_SYM(sem_v_med3_f32);
sem_vfn SEM_SYM(sem_v_med3_i16);
sem_vfn SEM_SYM(sem_v_med3_i32);
sem_vfn SEM_SYM(sem_v_med3_num_f16);
sem_vfn SEM_SYM(sem_v_med3_num_f32);
sem_vfn SEM_SYM(sem_v_med3_u16);
sem_vfn SEM_SYM(sem_v_med3_u32);
sem_vfn SEM_SYM(sem_v_min3_f16);
sem_vfn SEM_SYM(sem_v_min3_f32);
sem_vfn SEM_SYM(sem_v_min3_i16);
sem_vfn SEM_SYM(sem_v_min3_i32);
sem_vfn SEM_SYM(sem_v_min3_num_f16);
sem_vfn SEM_SYM(sem_v_min3_num_f32);
sem_vfn SEM_SYM(sem_v_min3_u16);
sem_vfn SEM_SYM(sem_v_min3_u32);
sem_vfn SEM_SYM(sem_v_min_f16);
sem_vfn SEM_SYM(sem_v_min_f32);
sem_vfn SEM_SYM(sem_v_min_f64);
sem_vfn SEM_SYM(sem_v_min_i16);
sem_vfn SEM_SYM(sem_v_min_i32);
sem_vfn SEM_SYM(sem_v_min_num_f16);
sem_vfn SEM_SYM(sem_v_min_num_f32);
sem_vfn SEM_SYM(sem_v_min_num_f64);
sem_vfn SEM_SYM(sem_v_min_u16);
sem_vfn SEM_SYM(sem_v_min_u32);
sem_vfn SEM_SYM(sem_v_minimum3_f16);
sem_vfn SEM_SYM(sem_v_minimum3_f32);
sem_vfn SEM_SYM(sem_v_minimum_f16);
sem_vfn SEM_SYM(sem_v_minimum_f32);
sem_vfn SEM_SYM(sem_v_minimum_f64);
sem_vfn SEM_SYM(sem_v_minimummaximum_f16);
sem_vfn SEM_SYM(sem_v_minimummaximum_f32);
sem_vfn SEM_SYM(sem_v_minmax_f16);
sem_vfn SEM_SYM(sem_v_minmax_f32);
sem_vfn SEM_SYM(sem_v_minmax_i32);
sem_vfn SEM_SYM(sem_v_minmax_num_f16);
sem_vfn SEM_SYM(sem_v_minmax_num_f32);
sem_vfn SEM_SYM(sem_v_minmax_u32);
sem_vfn SEM_SYM(sem_v_mov_b16);
sem_vfn SEM_SYM(sem_v_mov_b32);
sem_vfn SEM_SYM(sem_v_mqsad_pk_u16_u8);
sem_vfn SEM_SYM(sem_v_mqsad_u32_u8);
sem_vfn SEM_SYM(sem_v_msad_u8);
sem_vfn SEM_SYM(sem_v_mul_dx9_zero_f32);
sem_vfn SEM_SYM(sem_v_mul_f16);
sem_vfn SEM_SYM(sem_v_mul_f32);
sem_vfn SEM_SYM(sem_v_mul_f64);
sem_vfn SEM_SYM(sem_v_mul_hi_i32);
sem_vfn SEM_SYM(sem_v_mul_hi_i32_i24);
sem_vfn SEM_SYM(sem_v_mul_hi_u32);
sem_vfn SEM_SYM(sem_v_mul_hi_u32_u24);
sem_vfn SEM_SYM(sem_v_mul_i32_i24);
sem_vfn SEM_SYM(sem_v_mul_lo_u16);
sem_vfn SEM_SYM(sem_v_mul_lo_u32);
sem_vfn SEM_SYM(sem_v_mul_u32_u24);
sem_vfn SEM_SYM(sem_v_mullit_f32);
sem_vfn SEM_SYM(sem_v_nop);
sem_vfn SEM_SYM(sem_v_not_b16);
sem_vfn SEM_SYM(sem_v_not_b32);
sem_vfn SEM_SYM(sem_v_or3_b32);
sem_vfn SEM_SYM(sem_v_or_b16);
sem_vfn SEM_SYM(sem_v_or_b32);
sem_vfn SEM_SYM(sem_v_pack_b32_f16);
sem_vfn SEM_SYM(sem_v_perm_b32);
sem_vfn SEM_SYM(sem_v_pk_add_f16);
sem_vfn SEM_SYM(sem_v_pk_add_i16);
sem_vfn SEM_SYM(sem_v_pk_add_u16);
sem_vfn SEM_SYM(sem_v_pk_ashrrev_i16);
sem_vfn SEM_SYM(sem_v_pk_fma_f16);
sem_vfn SEM_SYM(sem_v_pk_lshlrev_b16);
sem_vfn SEM_SYM(sem_v_pk_lshrrev_b16);
sem_vfn SEM_SYM(sem_v_pk_mad_i16);
sem_vfn SEM_SYM(sem_v_pk_mad_u16);
sem_vfn SEM_SYM(sem_v_pk_max_f16);
sem_vfn SEM_SYM(sem_v_pk_max_i16);
sem_vfn SEM_SYM(sem_v_pk_max_num_f16);
sem_vfn SEM_SYM(sem_v_pk_max_u16);
sem_vfn SEM_SYM(sem_v_pk_maximum_f16);
sem_vfn SEM_SYM(sem_v_pk_min_f16);
sem_vfn SEM_SYM(sem_v_pk_min_i16);
sem_vfn SEM_SYM(sem_v_pk_min_num_f16);
sem_vfn SEM_SYM(sem_v_pk_min_u16);
sem_vfn SEM_SYM(sem_v_pk_minimum_f16);
sem_vfn SEM_SYM(sem_v_pk_mul_f16);
sem_vfn SEM_SYM(sem_v_pk_mul_lo_u16);
sem_vfn SEM_SYM(sem_v_pk_sub_i16);
sem_vfn SEM_SYM(sem_v_pk_sub_u16);
sem_vfn SEM_SYM(sem_v_qsad_pk_u16_u8);
sem_vfn SEM_SYM(sem_v_rcp_f16);
sem_vfn SEM_SYM(sem_v_rcp_f32);
sem_vfn SEM_SYM(sem_v_rcp_f64);
sem_vfn SEM_SYM(sem_v_rndne_f16);
sem_vfn SEM_SYM(sem_v_rndne_f32);
sem_vfn SEM_SYM(sem_v_rndne_f64);
sem_vfn SEM_SYM(sem_v_rsq_f16);
sem_vfn SEM_SYM(sem_v_rsq_f32);
sem_vfn SEM_SYM(sem_v_rsq_f64);
sem_vfn SEM_SYM(sem_v_sad_hi_u8);
sem_vfn SEM_SYM(sem_v_sad_u16);
sem_vfn SEM_SYM(sem_v_sad_u32);
sem_vfn SEM_SYM(sem_v_sad_u8);
sem_vfn SEM_SYM(sem_v_sat_pk_u8_i16);
sem_vfn SEM_SYM(sem_v_sin_f16);
sem_vfn SEM_SYM(sem_v_sin_f32);
sem_vfn SEM_SYM(sem_v_sqrt_f16);
sem_vfn SEM_SYM(sem_v_sqrt_f32);
sem_vfn SEM_SYM(sem_v_sqrt_f64);
sem_vfn SEM_SYM(sem_v_sub_co_ci_u32);
sem_vfn SEM_SYM(sem_v_sub_co_u32);
sem_vfn SEM_SYM(sem_v_sub_f16);
sem_vfn SEM_SYM(sem_v_sub_f32);
sem_vfn SEM_SYM(sem_v_sub_nc_i16);
sem_vfn SEM_SYM(sem_v_sub_nc_i32);
sem_vfn SEM_SYM(sem_v_sub_nc_u16);
sem_vfn SEM_SYM(sem_v_sub_nc_u32);
sem_vfn SEM_SYM(sem_v_subrev_co_ci_u32);
sem_vfn SEM_SYM(sem_v_subrev_co_u32);
sem_vfn SEM_SYM(sem_v_subrev_f16);
sem_vfn SEM_SYM(sem_v_subrev_f32);
sem_vfn SEM_SYM(sem_v_subrev_nc_u32);
sem_vfn SEM_SYM(sem_v_swmmac_bf16_16x16x32_bf16_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_f16_16x16x32_f16_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_f32_16x16x32_bf16_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_f32_16x16x32_bf8_bf8_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_f32_16x16x32_bf8_fp8_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_f32_16x16x32_f16_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_f32_16x16x32_fp8_bf8_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_f32_16x16x32_fp8_fp8_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_i32_16x16x32_iu4_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_i32_16x16x32_iu8_gfx12);
sem_vfn SEM_SYM(sem_v_swmmac_i32_16x16x64_iu4_gfx12);
sem_vfn SEM_SYM(sem_v_trig_preop_f64);
sem_vfn SEM_SYM(sem_v_trunc_f16);
sem_vfn SEM_SYM(sem_v_trunc_f32);
sem_vfn SEM_SYM(sem_v_trunc_f64);
sem_vfn SEM_SYM(sem_v_wmma_bf16_16x16x16_bf16);
sem_vfn SEM_SYM(sem_v_wmma_bf16_16x16x16_bf16_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_f16_16x16x16_f16);
sem_vfn SEM_SYM(sem_v_wmma_f16_16x16x16_f16_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_f32_16x16x16_bf16);
sem_vfn SEM_SYM(sem_v_wmma_f32_16x16x16_bf16_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_f32_16x16x16_bf8_bf8_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_f32_16x16x16_bf8_fp8_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_f32_16x16x16_f16);
sem_vfn SEM_SYM(sem_v_wmma_f32_16x16x16_f16_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_f32_16x16x16_fp8_bf8_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_f32_16x16x16_fp8_fp8_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_i32_16x16x16_iu4);
sem_vfn SEM_SYM(sem_v_wmma_i32_16x16x16_iu4_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_i32_16x16x16_iu8);
sem_vfn SEM_SYM(sem_v_wmma_i32_16x16x16_iu8_gfx12);
sem_vfn SEM_SYM(sem_v_wmma_i32_16x16x32_iu4_gfx12);
sem_vfn SEM_SYM(sem_v_xad_u32);
sem_vfn SEM_SYM(sem_v_xnor_b32);
sem_vfn SEM_SYM(sem_v_xor3_b32);
sem_vfn SEM_SYM(sem_v_xor_b16);
sem_vfn SEM_SYM(sem_v_xor_b32);

const struct sem_vrow SEM_SYM(sem_valu_rows)[] = {
    {"V_ADD3_U32", SEM_SYM(sem_v_add3_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_ADD_CO_CI_U32", SEM_SYM(sem_v_add_co_ci_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CARRY_IN | SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_ADD_CO_U32", SEM_SYM(sem_v_add_co_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_ADD_F16", SEM_SYM(sem_v_add_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_ADD_F32", SEM_SYM(sem_v_add_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_ADD_F64", SEM_SYM(sem_v_add_f64), SEM_F64, SEM_F64, SEM_F64, SEM_NONE, 0},
    {"V_ADD_LSHL_U32", SEM_SYM(sem_v_add_lshl_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_ADD_NC_I16", SEM_SYM(sem_v_add_nc_i16), SEM_I16, SEM_I16, SEM_I16, SEM_NONE, SEM_CLAMP_INT},
    {"V_ADD_NC_I32", SEM_SYM(sem_v_add_nc_i32), SEM_I32, SEM_I32, SEM_I32, SEM_NONE, SEM_CLAMP_INT},
    {"V_ADD_NC_U16", SEM_SYM(sem_v_add_nc_u16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, SEM_CLAMP_INT},
    {"V_ADD_NC_U32", SEM_SYM(sem_v_add_nc_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CLAMP_INT},
    {"V_ALIGNBIT_B32", SEM_SYM(sem_v_alignbit_b32), SEM_U32, SEM_U32, SEM_U32, SEM_U16, 0},
    {"V_ALIGNBYTE_B32", SEM_SYM(sem_v_alignbyte_b32), SEM_U32, SEM_U32, SEM_U32, SEM_U16, 0},
    {"V_AND_B16", SEM_SYM(sem_v_and_b16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, 0},
    {"V_AND_B32", SEM_SYM(sem_v_and_b32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_AND_OR_B32", SEM_SYM(sem_v_and_or_b32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_ASHRREV_I16", SEM_SYM(sem_v_ashrrev_i16), SEM_I16, SEM_U16, SEM_I16, SEM_NONE, 0},
    {"V_ASHRREV_I32", SEM_SYM(sem_v_ashrrev_i32), SEM_I32, SEM_U32, SEM_I32, SEM_NONE, 0},
    {"V_ASHRREV_I64", SEM_SYM(sem_v_ashrrev_i64), SEM_I64, SEM_U32, SEM_I64, SEM_NONE, 0},
    {"V_BCNT_U32_B32", SEM_SYM(sem_v_bcnt_u32_b32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_BFE_I32", SEM_SYM(sem_v_bfe_i32), SEM_I32, SEM_I32, SEM_U32, SEM_U32, 0},
    {"V_BFE_U32", SEM_SYM(sem_v_bfe_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_BFI_B32", SEM_SYM(sem_v_bfi_b32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_BFM_B32", SEM_SYM(sem_v_bfm_b32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_BFREV_B32", SEM_SYM(sem_v_bfrev_b32), SEM_B32, SEM_B32, SEM_NONE, SEM_NONE, 0},
    {"V_CEIL_F16", SEM_SYM(sem_v_ceil_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_CEIL_F32", SEM_SYM(sem_v_ceil_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_CEIL_F64", SEM_SYM(sem_v_ceil_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_CLS_I32", SEM_SYM(sem_v_cls_i32), SEM_I32, SEM_I32, SEM_NONE, SEM_NONE, 0},
    {"V_CLZ_I32_U32", SEM_SYM(sem_v_clz_i32_u32), SEM_I32, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_CMPX_CLASS_F16", SEM_SYM(sem_v_cmp_class_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_CLASS_F32", SEM_SYM(sem_v_cmp_class_f32), SEM_MASK, SEM_F32, SEM_B32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_CLASS_F64", SEM_SYM(sem_v_cmp_class_f64), SEM_MASK, SEM_F64, SEM_B32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_F16", SEM_SYM(sem_v_cmp_eq_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_F32", SEM_SYM(sem_v_cmp_eq_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_F64", SEM_SYM(sem_v_cmp_eq_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_I16", SEM_SYM(sem_v_cmp_eq_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_I32", SEM_SYM(sem_v_cmp_eq_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_I64", SEM_SYM(sem_v_cmp_eq_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_U16", SEM_SYM(sem_v_cmp_eq_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_U32", SEM_SYM(sem_v_cmp_eq_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_EQ_U64", SEM_SYM(sem_v_cmp_eq_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_F_F16", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_F_F32", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_F_F64", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_F_I32", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_F_I64", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_F_U32", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_F_U64", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_F16", SEM_SYM(sem_v_cmp_ge_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_F32", SEM_SYM(sem_v_cmp_ge_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_F64", SEM_SYM(sem_v_cmp_ge_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_I16", SEM_SYM(sem_v_cmp_ge_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_I32", SEM_SYM(sem_v_cmp_ge_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_I64", SEM_SYM(sem_v_cmp_ge_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_U16", SEM_SYM(sem_v_cmp_ge_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_U32", SEM_SYM(sem_v_cmp_ge_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GE_U64", SEM_SYM(sem_v_cmp_ge_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_F16", SEM_SYM(sem_v_cmp_gt_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_F32", SEM_SYM(sem_v_cmp_gt_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_F64", SEM_SYM(sem_v_cmp_gt_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_I16", SEM_SYM(sem_v_cmp_gt_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_I32", SEM_SYM(sem_v_cmp_gt_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_I64", SEM_SYM(sem_v_cmp_gt_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_U16", SEM_SYM(sem_v_cmp_gt_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_U32", SEM_SYM(sem_v_cmp_gt_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_GT_U64", SEM_SYM(sem_v_cmp_gt_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_F16", SEM_SYM(sem_v_cmp_le_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_F32", SEM_SYM(sem_v_cmp_le_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_F64", SEM_SYM(sem_v_cmp_le_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_I16", SEM_SYM(sem_v_cmp_le_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_I32", SEM_SYM(sem_v_cmp_le_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_I64", SEM_SYM(sem_v_cmp_le_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_U16", SEM_SYM(sem_v_cmp_le_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_U32", SEM_SYM(sem_v_cmp_le_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LE_U64", SEM_SYM(sem_v_cmp_le_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LG_F16", SEM_SYM(sem_v_cmp_lg_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LG_F32", SEM_SYM(sem_v_cmp_lg_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LG_F64", SEM_SYM(sem_v_cmp_lg_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_F16", SEM_SYM(sem_v_cmp_lt_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_F32", SEM_SYM(sem_v_cmp_lt_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_F64", SEM_SYM(sem_v_cmp_lt_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_I16", SEM_SYM(sem_v_cmp_lt_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_I32", SEM_SYM(sem_v_cmp_lt_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_I64", SEM_SYM(sem_v_cmp_lt_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_U16", SEM_SYM(sem_v_cmp_lt_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_U32", SEM_SYM(sem_v_cmp_lt_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_LT_U64", SEM_SYM(sem_v_cmp_lt_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NEQ_F16", SEM_SYM(sem_v_cmp_neq_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NEQ_F32", SEM_SYM(sem_v_cmp_neq_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NEQ_F64", SEM_SYM(sem_v_cmp_neq_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NE_I16", SEM_SYM(sem_v_cmp_ne_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NE_I32", SEM_SYM(sem_v_cmp_ne_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NE_I64", SEM_SYM(sem_v_cmp_ne_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NE_U16", SEM_SYM(sem_v_cmp_ne_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NE_U32", SEM_SYM(sem_v_cmp_ne_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NE_U64", SEM_SYM(sem_v_cmp_ne_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NGE_F16", SEM_SYM(sem_v_cmp_nge_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NGE_F32", SEM_SYM(sem_v_cmp_nge_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NGE_F64", SEM_SYM(sem_v_cmp_nge_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NGT_F16", SEM_SYM(sem_v_cmp_ngt_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NGT_F32", SEM_SYM(sem_v_cmp_ngt_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NGT_F64", SEM_SYM(sem_v_cmp_ngt_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLE_F16", SEM_SYM(sem_v_cmp_nle_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLE_F32", SEM_SYM(sem_v_cmp_nle_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLE_F64", SEM_SYM(sem_v_cmp_nle_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLG_F16", SEM_SYM(sem_v_cmp_nlg_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLG_F32", SEM_SYM(sem_v_cmp_nlg_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLG_F64", SEM_SYM(sem_v_cmp_nlg_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLT_F16", SEM_SYM(sem_v_cmp_nlt_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLT_F32", SEM_SYM(sem_v_cmp_nlt_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_NLT_F64", SEM_SYM(sem_v_cmp_nlt_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_O_F16", SEM_SYM(sem_v_cmp_o_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_O_F32", SEM_SYM(sem_v_cmp_o_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_O_F64", SEM_SYM(sem_v_cmp_o_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_T_F16", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_T_F32", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_T_F64", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_T_I32", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_T_I64", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_T_U32", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_T_U64", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_CMPX},
    {"V_CMPX_U_F16", SEM_SYM(sem_v_cmp_u_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_CMPX},
    {"V_CMPX_U_F32", SEM_SYM(sem_v_cmp_u_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_CMPX},
    {"V_CMPX_U_F64", SEM_SYM(sem_v_cmp_u_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_CMPX},
    {"V_CMP_CLASS_F16", SEM_SYM(sem_v_cmp_class_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_CLASS_F32", SEM_SYM(sem_v_cmp_class_f32), SEM_MASK, SEM_F32, SEM_B32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_CLASS_F64", SEM_SYM(sem_v_cmp_class_f64), SEM_MASK, SEM_F64, SEM_B32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_F16", SEM_SYM(sem_v_cmp_eq_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_F32", SEM_SYM(sem_v_cmp_eq_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_F64", SEM_SYM(sem_v_cmp_eq_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_I16", SEM_SYM(sem_v_cmp_eq_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_I32", SEM_SYM(sem_v_cmp_eq_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_I64", SEM_SYM(sem_v_cmp_eq_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_U16", SEM_SYM(sem_v_cmp_eq_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_U32", SEM_SYM(sem_v_cmp_eq_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_EQ_U64", SEM_SYM(sem_v_cmp_eq_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_F_F16", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_F_F32", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_F_F64", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_F_I32", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_F_I64", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_F_U32", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_F_U64", SEM_SYM(sem_v_cmp_f), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_F16", SEM_SYM(sem_v_cmp_ge_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_F32", SEM_SYM(sem_v_cmp_ge_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_F64", SEM_SYM(sem_v_cmp_ge_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_I16", SEM_SYM(sem_v_cmp_ge_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_I32", SEM_SYM(sem_v_cmp_ge_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_I64", SEM_SYM(sem_v_cmp_ge_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_U16", SEM_SYM(sem_v_cmp_ge_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_U32", SEM_SYM(sem_v_cmp_ge_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GE_U64", SEM_SYM(sem_v_cmp_ge_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_F16", SEM_SYM(sem_v_cmp_gt_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_F32", SEM_SYM(sem_v_cmp_gt_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_F64", SEM_SYM(sem_v_cmp_gt_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_I16", SEM_SYM(sem_v_cmp_gt_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_I32", SEM_SYM(sem_v_cmp_gt_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_I64", SEM_SYM(sem_v_cmp_gt_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_U16", SEM_SYM(sem_v_cmp_gt_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_U32", SEM_SYM(sem_v_cmp_gt_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_GT_U64", SEM_SYM(sem_v_cmp_gt_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_F16", SEM_SYM(sem_v_cmp_le_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_F32", SEM_SYM(sem_v_cmp_le_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_F64", SEM_SYM(sem_v_cmp_le_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_I16", SEM_SYM(sem_v_cmp_le_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_I32", SEM_SYM(sem_v_cmp_le_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_I64", SEM_SYM(sem_v_cmp_le_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_U16", SEM_SYM(sem_v_cmp_le_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_U32", SEM_SYM(sem_v_cmp_le_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LE_U64", SEM_SYM(sem_v_cmp_le_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LG_F16", SEM_SYM(sem_v_cmp_lg_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LG_F32", SEM_SYM(sem_v_cmp_lg_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LG_F64", SEM_SYM(sem_v_cmp_lg_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_F16", SEM_SYM(sem_v_cmp_lt_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_F32", SEM_SYM(sem_v_cmp_lt_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_F64", SEM_SYM(sem_v_cmp_lt_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_I16", SEM_SYM(sem_v_cmp_lt_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_I32", SEM_SYM(sem_v_cmp_lt_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_I64", SEM_SYM(sem_v_cmp_lt_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_U16", SEM_SYM(sem_v_cmp_lt_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_U32", SEM_SYM(sem_v_cmp_lt_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_LT_U64", SEM_SYM(sem_v_cmp_lt_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NEQ_F16", SEM_SYM(sem_v_cmp_neq_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NEQ_F32", SEM_SYM(sem_v_cmp_neq_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NEQ_F64", SEM_SYM(sem_v_cmp_neq_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NE_I16", SEM_SYM(sem_v_cmp_ne_i16), SEM_MASK, SEM_I16, SEM_I16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NE_I32", SEM_SYM(sem_v_cmp_ne_i32), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NE_I64", SEM_SYM(sem_v_cmp_ne_i64), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NE_U16", SEM_SYM(sem_v_cmp_ne_u16), SEM_MASK, SEM_U16, SEM_U16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NE_U32", SEM_SYM(sem_v_cmp_ne_u32), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NE_U64", SEM_SYM(sem_v_cmp_ne_u64), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NGE_F16", SEM_SYM(sem_v_cmp_nge_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NGE_F32", SEM_SYM(sem_v_cmp_nge_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NGE_F64", SEM_SYM(sem_v_cmp_nge_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NGT_F16", SEM_SYM(sem_v_cmp_ngt_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NGT_F32", SEM_SYM(sem_v_cmp_ngt_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NGT_F64", SEM_SYM(sem_v_cmp_ngt_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLE_F16", SEM_SYM(sem_v_cmp_nle_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLE_F32", SEM_SYM(sem_v_cmp_nle_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLE_F64", SEM_SYM(sem_v_cmp_nle_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLG_F16", SEM_SYM(sem_v_cmp_nlg_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLG_F32", SEM_SYM(sem_v_cmp_nlg_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLG_F64", SEM_SYM(sem_v_cmp_nlg_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLT_F16", SEM_SYM(sem_v_cmp_nlt_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLT_F32", SEM_SYM(sem_v_cmp_nlt_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_NLT_F64", SEM_SYM(sem_v_cmp_nlt_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_O_F16", SEM_SYM(sem_v_cmp_o_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_O_F32", SEM_SYM(sem_v_cmp_o_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_O_F64", SEM_SYM(sem_v_cmp_o_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_T_F16", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_T_F32", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_T_F64", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_T_I32", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_I32, SEM_I32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_T_I64", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_I64, SEM_I64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_T_U32", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_U32, SEM_U32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_T_U64", SEM_SYM(sem_v_cmp_t), SEM_MASK, SEM_U64, SEM_U64, SEM_NONE, SEM_COMPARE},
    {"V_CMP_U_F16", SEM_SYM(sem_v_cmp_u_f16), SEM_MASK, SEM_F16, SEM_F16, SEM_NONE, SEM_COMPARE},
    {"V_CMP_U_F32", SEM_SYM(sem_v_cmp_u_f32), SEM_MASK, SEM_F32, SEM_F32, SEM_NONE, SEM_COMPARE},
    {"V_CMP_U_F64", SEM_SYM(sem_v_cmp_u_f64), SEM_MASK, SEM_F64, SEM_F64, SEM_NONE, SEM_COMPARE},
    {"V_CNDMASK_B16", SEM_SYM(sem_v_cndmask_b16), SEM_B16, SEM_B16, SEM_B16, SEM_NONE, SEM_CARRY_IN},
    {"V_CNDMASK_B32", SEM_SYM(sem_v_cndmask_b32), SEM_B32, SEM_B32, SEM_B32, SEM_NONE, SEM_CARRY_IN},
    {"V_COS_F16", SEM_SYM(sem_v_cos_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_COS_F32", SEM_SYM(sem_v_cos_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_CTZ_I32_B32", SEM_SYM(sem_v_ctz_i32_b32), SEM_I32, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_CUBEID_F32", SEM_SYM(sem_v_cubeid_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_CUBEMA_F32", SEM_SYM(sem_v_cubema_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_CUBESC_F32", SEM_SYM(sem_v_cubesc_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_CUBETC_F32", SEM_SYM(sem_v_cubetc_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_CVT_F16_F32", SEM_SYM(sem_v_cvt_f16_f32), SEM_F16, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F16_I16", SEM_SYM(sem_v_cvt_f16_i16), SEM_F16, SEM_I16, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F16_U16", SEM_SYM(sem_v_cvt_f16_u16), SEM_F16, SEM_U16, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F32_BF8", SEM_SYM(sem_v_cvt_f32_bf8), SEM_F32, SEM_B32, SEM_NONE, SEM_NONE, SEM_OPSEL_SELF},
    {"V_CVT_F32_F16", SEM_SYM(sem_v_cvt_f32_f16), SEM_F32, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F32_F64", SEM_SYM(sem_v_cvt_f32_f64), SEM_F32, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F32_FP8", SEM_SYM(sem_v_cvt_f32_fp8), SEM_F32, SEM_B32, SEM_NONE, SEM_NONE, SEM_OPSEL_SELF},
    {"V_CVT_F32_I32", SEM_SYM(sem_v_cvt_f32_i32), SEM_F32, SEM_I32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F32_U32", SEM_SYM(sem_v_cvt_f32_u32), SEM_F32, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F32_UBYTE0", SEM_SYM(sem_v_cvt_f32_ubyte0), SEM_F32, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F32_UBYTE1", SEM_SYM(sem_v_cvt_f32_ubyte1), SEM_F32, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F32_UBYTE2", SEM_SYM(sem_v_cvt_f32_ubyte2), SEM_F32, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F32_UBYTE3", SEM_SYM(sem_v_cvt_f32_ubyte3), SEM_F32, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F64_F32", SEM_SYM(sem_v_cvt_f64_f32), SEM_F64, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F64_I32", SEM_SYM(sem_v_cvt_f64_i32), SEM_F64, SEM_I32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_F64_U32", SEM_SYM(sem_v_cvt_f64_u32), SEM_F64, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_FLOOR_I32_F32", SEM_SYM(sem_v_cvt_floor_i32_f32), SEM_I32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_I16_F16", SEM_SYM(sem_v_cvt_i16_f16), SEM_I16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_I32_F32", SEM_SYM(sem_v_cvt_i32_f32), SEM_I32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_I32_F64", SEM_SYM(sem_v_cvt_i32_f64), SEM_I32, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_I32_I16", SEM_SYM(sem_v_cvt_i32_i16), SEM_I32, SEM_I16, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_NEAREST_I32_F32", SEM_SYM(sem_v_cvt_nearest_i32_f32), SEM_I32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_NORM_I16_F16", SEM_SYM(sem_v_cvt_norm_i16_f16), SEM_I16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_NORM_U16_F16", SEM_SYM(sem_v_cvt_norm_u16_f16), SEM_U16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_OFF_F32_I4", SEM_SYM(sem_v_cvt_off_f32_i4), SEM_F32, SEM_I32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_PK_BF8_F32", SEM_SYM(sem_v_cvt_pk_bf8_f32), SEM_B32, SEM_F32, SEM_F32, SEM_NONE, SEM_READS_DST | SEM_OPSEL_SELF},
    {"V_CVT_PK_F32_BF8", SEM_SYM(sem_v_cvt_pk_f32_bf8), SEM_B64, SEM_B32, SEM_NONE, SEM_NONE, SEM_OPSEL_SELF},
    {"V_CVT_PK_F32_FP8", SEM_SYM(sem_v_cvt_pk_f32_fp8), SEM_B64, SEM_B32, SEM_NONE, SEM_NONE, SEM_OPSEL_SELF},
    {"V_CVT_PK_FP8_F32", SEM_SYM(sem_v_cvt_pk_fp8_f32), SEM_B32, SEM_F32, SEM_F32, SEM_NONE, SEM_READS_DST | SEM_OPSEL_SELF},
    {"V_CVT_PK_I16_F32", SEM_SYM(sem_v_cvt_pk_i16_f32), SEM_B32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_CVT_PK_I16_I32", SEM_SYM(sem_v_cvt_pk_i16_i32), SEM_B32, SEM_I32, SEM_I32, SEM_NONE, 0},
    {"V_CVT_PK_NORM_I16_F16", SEM_SYM(sem_v_cvt_pk_norm_i16_f16), SEM_B32, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_CVT_PK_NORM_I16_F32", SEM_SYM(sem_v_cvt_pk_norm_i16_f32), SEM_B32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_CVT_PK_NORM_U16_F16", SEM_SYM(sem_v_cvt_pk_norm_u16_f16), SEM_B32, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_CVT_PK_NORM_U16_F32", SEM_SYM(sem_v_cvt_pk_norm_u16_f32), SEM_B32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_CVT_PK_RTZ_F16_F32", SEM_SYM(sem_v_cvt_pk_rtz_f16_f32), SEM_PKF16, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_CVT_PK_U16_F32", SEM_SYM(sem_v_cvt_pk_u16_f32), SEM_B32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_CVT_PK_U16_U32", SEM_SYM(sem_v_cvt_pk_u16_u32), SEM_B32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_CVT_PK_U8_F32", SEM_SYM(sem_v_cvt_pk_u8_f32), SEM_B32, SEM_F32, SEM_B32, SEM_B32, 0},
    {"V_CVT_SR_BF8_F32", SEM_SYM(sem_v_cvt_sr_bf8_f32), SEM_B32, SEM_F32, SEM_U32, SEM_NONE, SEM_READS_DST | SEM_OPSEL_SELF},
    {"V_CVT_SR_FP8_F32", SEM_SYM(sem_v_cvt_sr_fp8_f32), SEM_B32, SEM_F32, SEM_U32, SEM_NONE, SEM_READS_DST | SEM_OPSEL_SELF},
    {"V_CVT_U16_F16", SEM_SYM(sem_v_cvt_u16_f16), SEM_U16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_U32_F32", SEM_SYM(sem_v_cvt_u32_f32), SEM_U32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_U32_F64", SEM_SYM(sem_v_cvt_u32_f64), SEM_U32, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_CVT_U32_U16", SEM_SYM(sem_v_cvt_u32_u16), SEM_U32, SEM_U16, SEM_NONE, SEM_NONE, 0},
    {"V_DIV_FIXUP_F16", SEM_SYM(sem_v_div_fixup_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_DIV_FIXUP_F32", SEM_SYM(sem_v_div_fixup_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_DIV_FIXUP_F64", SEM_SYM(sem_v_div_fixup_f64), SEM_F64, SEM_F64, SEM_F64, SEM_F64, 0},
    {"V_DIV_FMAS_F32", SEM_SYM(sem_v_div_fmas_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, SEM_CARRY_IN},
    {"V_DIV_FMAS_F64", SEM_SYM(sem_v_div_fmas_f64), SEM_F64, SEM_F64, SEM_F64, SEM_F64, SEM_CARRY_IN},
    {"V_DIV_SCALE_F32", SEM_SYM(sem_v_div_scale_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, SEM_CARRY_OUT},
    {"V_DIV_SCALE_F64", SEM_SYM(sem_v_div_scale_f64), SEM_F64, SEM_F64, SEM_F64, SEM_F64, SEM_CARRY_OUT},
    {"V_DOT2ACC_F32_BF16", SEM_SYM(sem_v_dot2_f32_bf16), SEM_F32, SEM_PKF16, SEM_PKF16, SEM_NONE, SEM_READS_DST},
    {"V_DOT2ACC_F32_F16", SEM_SYM(sem_v_dot2_f32_f16), SEM_F32, SEM_PKF16, SEM_PKF16, SEM_NONE, SEM_READS_DST},
    {"V_DOT2_BF16_BF16", SEM_SYM(sem_v_dot2_bf16_bf16), SEM_BF16, SEM_PKF16, SEM_PKF16, SEM_BF16, 0},
    {"V_DOT2_F16_F16", SEM_SYM(sem_v_dot2_f16_f16), SEM_F16, SEM_PKF16, SEM_PKF16, SEM_F16, 0},
    {"V_DOT2_F32_BF16", SEM_SYM(sem_v_dot2_f32_bf16), SEM_F32, SEM_PKF16, SEM_PKF16, SEM_F32, 0},
    {"V_DOT2_F32_F16", SEM_SYM(sem_v_dot2_f32_f16), SEM_F32, SEM_PKF16, SEM_PKF16, SEM_F32, 0},
    {"V_DOT4_F32_BF8_BF8", SEM_SYM(sem_v_dot4_f32_bf8_bf8), SEM_F32, SEM_B32, SEM_B32, SEM_F32, 0},
    {"V_DOT4_F32_BF8_FP8", SEM_SYM(sem_v_dot4_f32_bf8_fp8), SEM_F32, SEM_B32, SEM_B32, SEM_F32, 0},
    {"V_DOT4_F32_FP8_BF8", SEM_SYM(sem_v_dot4_f32_fp8_bf8), SEM_F32, SEM_B32, SEM_B32, SEM_F32, 0},
    {"V_DOT4_F32_FP8_FP8", SEM_SYM(sem_v_dot4_f32_fp8_fp8), SEM_F32, SEM_B32, SEM_B32, SEM_F32, 0},
    {"V_DOT4_I32_IU8", SEM_SYM(sem_v_dot4_i32_iu8), SEM_I32, SEM_B32, SEM_B32, SEM_I32, SEM_CLAMP_INT | SEM_OPSEL_SELF},
    {"V_DOT4_U32_U8", SEM_SYM(sem_v_dot4_u32_u8), SEM_U32, SEM_B32, SEM_B32, SEM_U32, SEM_CLAMP_INT},
    {"V_DOT8_I32_IU4", SEM_SYM(sem_v_dot8_i32_iu4), SEM_I32, SEM_B32, SEM_B32, SEM_I32, SEM_CLAMP_INT | SEM_OPSEL_SELF},
    {"V_DOT8_U32_U4", SEM_SYM(sem_v_dot8_u32_u4), SEM_U32, SEM_B32, SEM_B32, SEM_U32, SEM_CLAMP_INT},
    {"V_EXP_F16", SEM_SYM(sem_v_exp_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_EXP_F32", SEM_SYM(sem_v_exp_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_FLOOR_F16", SEM_SYM(sem_v_floor_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_FLOOR_F32", SEM_SYM(sem_v_floor_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_FLOOR_F64", SEM_SYM(sem_v_floor_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_FMAAK_F16", SEM_SYM(sem_v_fma_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_FMAAK_F32", SEM_SYM(sem_v_fma_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_FMAC_DX9_ZERO_F32", SEM_SYM(sem_v_fma_dx9_zero_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, SEM_READS_DST},
    {"V_FMAC_F16", SEM_SYM(sem_v_fma_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, SEM_READS_DST},
    {"V_FMAC_F32", SEM_SYM(sem_v_fma_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, SEM_READS_DST},
    {"V_FMAMK_F16", SEM_SYM(sem_v_fma_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_FMAMK_F32", SEM_SYM(sem_v_fma_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_FMA_DX9_ZERO_F32", SEM_SYM(sem_v_fma_dx9_zero_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_FMA_F16", SEM_SYM(sem_v_fma_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_FMA_F32", SEM_SYM(sem_v_fma_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_FMA_F64", SEM_SYM(sem_v_fma_f64), SEM_F64, SEM_F64, SEM_F64, SEM_F64, 0},
    {"V_FMA_MIXHI_F16", SEM_SYM(sem_v_fma_mixlo_f16), SEM_F16, SEM_B32, SEM_B32, SEM_B32, SEM_OPSEL_SELF | SEM_DST_HI16},
    {"V_FMA_MIXLO_F16", SEM_SYM(sem_v_fma_mixlo_f16), SEM_F16, SEM_B32, SEM_B32, SEM_B32, SEM_OPSEL_SELF},
    {"V_FMA_MIX_F32", SEM_SYM(sem_v_fma_mix_f32), SEM_F32, SEM_B32, SEM_B32, SEM_B32, SEM_OPSEL_SELF},
    {"V_FRACT_F16", SEM_SYM(sem_v_fract_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_FRACT_F32", SEM_SYM(sem_v_fract_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_FRACT_F64", SEM_SYM(sem_v_fract_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_FREXP_EXP_I16_F16", SEM_SYM(sem_v_frexp_exp_i16_f16), SEM_I16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_FREXP_EXP_I32_F32", SEM_SYM(sem_v_frexp_exp_i32_f32), SEM_I32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_FREXP_EXP_I32_F64", SEM_SYM(sem_v_frexp_exp_i32_f64), SEM_I32, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_FREXP_MANT_F16", SEM_SYM(sem_v_frexp_mant_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_FREXP_MANT_F32", SEM_SYM(sem_v_frexp_mant_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_FREXP_MANT_F64", SEM_SYM(sem_v_frexp_mant_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_LDEXP_F16", SEM_SYM(sem_v_ldexp_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_LDEXP_F32", SEM_SYM(sem_v_ldexp_f32), SEM_F32, SEM_F32, SEM_I32, SEM_NONE, 0},
    {"V_LDEXP_F64", SEM_SYM(sem_v_ldexp_f64), SEM_F64, SEM_F64, SEM_I32, SEM_NONE, 0},
    {"V_LERP_U8", SEM_SYM(sem_v_lerp_u8), SEM_U32, SEM_B32, SEM_B32, SEM_B32, 0},
    {"V_LOG_F16", SEM_SYM(sem_v_log_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_LOG_F32", SEM_SYM(sem_v_log_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_LSHLREV_B16", SEM_SYM(sem_v_lshlrev_b16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, 0},
    {"V_LSHLREV_B32", SEM_SYM(sem_v_lshlrev_b32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_LSHLREV_B64", SEM_SYM(sem_v_lshlrev_b64), SEM_U64, SEM_U32, SEM_U64, SEM_NONE, 0},
    {"V_LSHL_ADD_U32", SEM_SYM(sem_v_lshl_add_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_LSHL_OR_B32", SEM_SYM(sem_v_lshl_or_b32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_LSHRREV_B16", SEM_SYM(sem_v_lshrrev_b16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, 0},
    {"V_LSHRREV_B32", SEM_SYM(sem_v_lshrrev_b32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_LSHRREV_B64", SEM_SYM(sem_v_lshrrev_b64), SEM_U64, SEM_U32, SEM_U64, SEM_NONE, 0},
    {"V_MAD_CO_I64_I32", SEM_SYM(sem_v_mad_i64_i32), SEM_I64, SEM_I32, SEM_I32, SEM_I64, SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_MAD_CO_U64_U32", SEM_SYM(sem_v_mad_u64_u32), SEM_U64, SEM_U32, SEM_U32, SEM_U64, SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_MAD_I16", SEM_SYM(sem_v_mad_i16), SEM_I16, SEM_I16, SEM_I16, SEM_I16, SEM_CLAMP_INT},
    {"V_MAD_I32_I16", SEM_SYM(sem_v_mad_i32_i16), SEM_I32, SEM_I16, SEM_I16, SEM_I32, SEM_CLAMP_INT},
    {"V_MAD_I32_I24", SEM_SYM(sem_v_mad_i32_i24), SEM_I32, SEM_I32, SEM_I32, SEM_I32, SEM_CLAMP_INT},
    {"V_MAD_I64_I32", SEM_SYM(sem_v_mad_i64_i32), SEM_I64, SEM_I32, SEM_I32, SEM_I64, SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_MAD_U16", SEM_SYM(sem_v_mad_u16), SEM_U16, SEM_U16, SEM_U16, SEM_U16, SEM_CLAMP_INT},
    {"V_MAD_U32_U16", SEM_SYM(sem_v_mad_u32_u16), SEM_U32, SEM_U16, SEM_U16, SEM_U32, SEM_CLAMP_INT},
    {"V_MAD_U32_U24", SEM_SYM(sem_v_mad_u32_u24), SEM_U32, SEM_U32, SEM_U32, SEM_U32, SEM_CLAMP_INT},
    {"V_MAD_U64_U32", SEM_SYM(sem_v_mad_u64_u32), SEM_U64, SEM_U32, SEM_U32, SEM_U64, SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_MAX3_F16", SEM_SYM(sem_v_max3_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MAX3_F32", SEM_SYM(sem_v_max3_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MAX3_I16", SEM_SYM(sem_v_max3_i16), SEM_I16, SEM_I16, SEM_I16, SEM_I16, 0},
    {"V_MAX3_I32", SEM_SYM(sem_v_max3_i32), SEM_I32, SEM_I32, SEM_I32, SEM_I32, 0},
    {"V_MAX3_NUM_F16", SEM_SYM(sem_v_max3_num_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MAX3_NUM_F32", SEM_SYM(sem_v_max3_num_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MAX3_U16", SEM_SYM(sem_v_max3_u16), SEM_U16, SEM_U16, SEM_U16, SEM_U16, 0},
    {"V_MAX3_U32", SEM_SYM(sem_v_max3_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_MAXIMUM3_F16", SEM_SYM(sem_v_maximum3_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MAXIMUM3_F32", SEM_SYM(sem_v_maximum3_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MAXIMUMMINIMUM_F16", SEM_SYM(sem_v_maximumminimum_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MAXIMUMMINIMUM_F32", SEM_SYM(sem_v_maximumminimum_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MAXIMUM_F16", SEM_SYM(sem_v_maximum_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_MAXIMUM_F32", SEM_SYM(sem_v_maximum_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_MAXIMUM_F64", SEM_SYM(sem_v_maximum_f64), SEM_F64, SEM_F64, SEM_F64, SEM_NONE, 0},
    {"V_MAXMIN_F16", SEM_SYM(sem_v_maxmin_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MAXMIN_F32", SEM_SYM(sem_v_maxmin_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MAXMIN_I32", SEM_SYM(sem_v_maxmin_i32), SEM_I32, SEM_I32, SEM_I32, SEM_I32, 0},
    {"V_MAXMIN_NUM_F16", SEM_SYM(sem_v_maxmin_num_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MAXMIN_NUM_F32", SEM_SYM(sem_v_maxmin_num_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MAXMIN_U32", SEM_SYM(sem_v_maxmin_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_MAX_F16", SEM_SYM(sem_v_max_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_MAX_F32", SEM_SYM(sem_v_max_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_MAX_F64", SEM_SYM(sem_v_max_f64), SEM_F64, SEM_F64, SEM_F64, SEM_NONE, 0},
    {"V_MAX_I16", SEM_SYM(sem_v_max_i16), SEM_I16, SEM_I16, SEM_I16, SEM_NONE, 0},
    {"V_MAX_I32", SEM_SYM(sem_v_max_i32), SEM_I32, SEM_I32, SEM_I32, SEM_NONE, 0},
    {"V_MAX_NUM_F16", SEM_SYM(sem_v_max_num_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_MAX_NUM_F32", SEM_SYM(sem_v_max_num_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_MAX_NUM_F64", SEM_SYM(sem_v_max_num_f64), SEM_F64, SEM_F64, SEM_F64, SEM_NONE, 0},
    {"V_MAX_U16", SEM_SYM(sem_v_max_u16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, 0},
    {"V_MAX_U32", SEM_SYM(sem_v_max_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_MED3_F16", SEM_SYM(sem_v_med3_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MED3_F32", SEM_SYM(sem_v_med3_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MED3_I16", SEM_SYM(sem_v_med3_i16), SEM_I16, SEM_I16, SEM_I16, SEM_I16, 0},
    {"V_MED3_I32", SEM_SYM(sem_v_med3_i32), SEM_I32, SEM_I32, SEM_I32, SEM_I32, 0},
    {"V_MED3_NUM_F16", SEM_SYM(sem_v_med3_num_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MED3_NUM_F32", SEM_SYM(sem_v_med3_num_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MED3_U16", SEM_SYM(sem_v_med3_u16), SEM_U16, SEM_U16, SEM_U16, SEM_U16, 0},
    {"V_MED3_U32", SEM_SYM(sem_v_med3_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_MIN3_F16", SEM_SYM(sem_v_min3_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MIN3_F32", SEM_SYM(sem_v_min3_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MIN3_I16", SEM_SYM(sem_v_min3_i16), SEM_I16, SEM_I16, SEM_I16, SEM_I16, 0},
    {"V_MIN3_I32", SEM_SYM(sem_v_min3_i32), SEM_I32, SEM_I32, SEM_I32, SEM_I32, 0},
    {"V_MIN3_NUM_F16", SEM_SYM(sem_v_min3_num_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MIN3_NUM_F32", SEM_SYM(sem_v_min3_num_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MIN3_U16", SEM_SYM(sem_v_min3_u16), SEM_U16, SEM_U16, SEM_U16, SEM_U16, 0},
    {"V_MIN3_U32", SEM_SYM(sem_v_min3_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_MINIMUM3_F16", SEM_SYM(sem_v_minimum3_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MINIMUM3_F32", SEM_SYM(sem_v_minimum3_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MINIMUMMAXIMUM_F16", SEM_SYM(sem_v_minimummaximum_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MINIMUMMAXIMUM_F32", SEM_SYM(sem_v_minimummaximum_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MINIMUM_F16", SEM_SYM(sem_v_minimum_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_MINIMUM_F32", SEM_SYM(sem_v_minimum_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_MINIMUM_F64", SEM_SYM(sem_v_minimum_f64), SEM_F64, SEM_F64, SEM_F64, SEM_NONE, 0},
    {"V_MINMAX_F16", SEM_SYM(sem_v_minmax_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MINMAX_F32", SEM_SYM(sem_v_minmax_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MINMAX_I32", SEM_SYM(sem_v_minmax_i32), SEM_I32, SEM_I32, SEM_I32, SEM_I32, 0},
    {"V_MINMAX_NUM_F16", SEM_SYM(sem_v_minmax_num_f16), SEM_F16, SEM_F16, SEM_F16, SEM_F16, 0},
    {"V_MINMAX_NUM_F32", SEM_SYM(sem_v_minmax_num_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MINMAX_U32", SEM_SYM(sem_v_minmax_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_MIN_F16", SEM_SYM(sem_v_min_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_MIN_F32", SEM_SYM(sem_v_min_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_MIN_F64", SEM_SYM(sem_v_min_f64), SEM_F64, SEM_F64, SEM_F64, SEM_NONE, 0},
    {"V_MIN_I16", SEM_SYM(sem_v_min_i16), SEM_I16, SEM_I16, SEM_I16, SEM_NONE, 0},
    {"V_MIN_I32", SEM_SYM(sem_v_min_i32), SEM_I32, SEM_I32, SEM_I32, SEM_NONE, 0},
    {"V_MIN_NUM_F16", SEM_SYM(sem_v_min_num_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_MIN_NUM_F32", SEM_SYM(sem_v_min_num_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_MIN_NUM_F64", SEM_SYM(sem_v_min_num_f64), SEM_F64, SEM_F64, SEM_F64, SEM_NONE, 0},
    {"V_MIN_U16", SEM_SYM(sem_v_min_u16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, 0},
    {"V_MIN_U32", SEM_SYM(sem_v_min_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_MOV_B16", SEM_SYM(sem_v_mov_b16), SEM_B16, SEM_B16, SEM_NONE, SEM_NONE, 0},
    {"V_MOV_B32", SEM_SYM(sem_v_mov_b32), SEM_B32, SEM_B32, SEM_NONE, SEM_NONE, 0},
    {"V_MQSAD_PK_U16_U8", SEM_SYM(sem_v_mqsad_pk_u16_u8), SEM_B64, SEM_B64, SEM_B32, SEM_B64, SEM_CLAMP_INT},
    {"V_MQSAD_U32_U8", SEM_SYM(sem_v_mqsad_u32_u8), SEM_B128, SEM_B64, SEM_B32, SEM_B128, SEM_CLAMP_INT},
    {"V_MSAD_U8", SEM_SYM(sem_v_msad_u8), SEM_U32, SEM_B32, SEM_B32, SEM_B32, SEM_CLAMP_INT},
    {"V_MULLIT_F32", SEM_SYM(sem_v_mullit_f32), SEM_F32, SEM_F32, SEM_F32, SEM_F32, 0},
    {"V_MUL_DX9_ZERO_F32", SEM_SYM(sem_v_mul_dx9_zero_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_MUL_F16", SEM_SYM(sem_v_mul_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_MUL_F32", SEM_SYM(sem_v_mul_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_MUL_F64", SEM_SYM(sem_v_mul_f64), SEM_F64, SEM_F64, SEM_F64, SEM_NONE, 0},
    {"V_MUL_HI_I32", SEM_SYM(sem_v_mul_hi_i32), SEM_I32, SEM_I32, SEM_I32, SEM_NONE, 0},
    {"V_MUL_HI_I32_I24", SEM_SYM(sem_v_mul_hi_i32_i24), SEM_I32, SEM_I32, SEM_I32, SEM_NONE, 0},
    {"V_MUL_HI_U32", SEM_SYM(sem_v_mul_hi_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_MUL_HI_U32_U24", SEM_SYM(sem_v_mul_hi_u32_u24), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_MUL_I32_I24", SEM_SYM(sem_v_mul_i32_i24), SEM_I32, SEM_I32, SEM_I32, SEM_NONE, 0},
    {"V_MUL_LO_U16", SEM_SYM(sem_v_mul_lo_u16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, 0},
    {"V_MUL_LO_U32", SEM_SYM(sem_v_mul_lo_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_MUL_U32_U24", SEM_SYM(sem_v_mul_u32_u24), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_NOP", SEM_SYM(sem_v_nop), SEM_NONE, SEM_NONE, SEM_NONE, SEM_NONE, 0},
    {"V_NOT_B16", SEM_SYM(sem_v_not_b16), SEM_U16, SEM_U16, SEM_NONE, SEM_NONE, 0},
    {"V_NOT_B32", SEM_SYM(sem_v_not_b32), SEM_U32, SEM_U32, SEM_NONE, SEM_NONE, 0},
    {"V_OR3_B32", SEM_SYM(sem_v_or3_b32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_OR_B16", SEM_SYM(sem_v_or_b16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, 0},
    {"V_OR_B32", SEM_SYM(sem_v_or_b32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_PACK_B32_F16", SEM_SYM(sem_v_pack_b32_f16), SEM_B32, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_PERM_B32", SEM_SYM(sem_v_perm_b32), SEM_B32, SEM_B32, SEM_B32, SEM_B32, 0},
    {"V_PIPEFLUSH", SEM_SYM(sem_v_nop), SEM_NONE, SEM_NONE, SEM_NONE, SEM_NONE, 0},
    {"V_PK_ADD_F16", SEM_SYM(sem_v_pk_add_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, 0},
    {"V_PK_ADD_I16", SEM_SYM(sem_v_pk_add_i16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, SEM_CLAMP_INT},
    {"V_PK_ADD_U16", SEM_SYM(sem_v_pk_add_u16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, SEM_CLAMP_INT},
    {"V_PK_ASHRREV_I16", SEM_SYM(sem_v_pk_ashrrev_i16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, 0},
    {"V_PK_FMAC_F16", SEM_SYM(sem_v_pk_fma_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, SEM_READS_DST},
    {"V_PK_FMA_F16", SEM_SYM(sem_v_pk_fma_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_PKF16, 0},
    {"V_PK_LSHLREV_B16", SEM_SYM(sem_v_pk_lshlrev_b16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, 0},
    {"V_PK_LSHRREV_B16", SEM_SYM(sem_v_pk_lshrrev_b16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, 0},
    {"V_PK_MAD_I16", SEM_SYM(sem_v_pk_mad_i16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_PK16, SEM_CLAMP_INT},
    {"V_PK_MAD_U16", SEM_SYM(sem_v_pk_mad_u16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_PK16, SEM_CLAMP_INT},
    {"V_PK_MAXIMUM_F16", SEM_SYM(sem_v_pk_maximum_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, 0},
    {"V_PK_MAX_F16", SEM_SYM(sem_v_pk_max_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, 0},
    {"V_PK_MAX_I16", SEM_SYM(sem_v_pk_max_i16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, 0},
    {"V_PK_MAX_NUM_F16", SEM_SYM(sem_v_pk_max_num_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, 0},
    {"V_PK_MAX_U16", SEM_SYM(sem_v_pk_max_u16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, 0},
    {"V_PK_MINIMUM_F16", SEM_SYM(sem_v_pk_minimum_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, 0},
    {"V_PK_MIN_F16", SEM_SYM(sem_v_pk_min_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, 0},
    {"V_PK_MIN_I16", SEM_SYM(sem_v_pk_min_i16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, 0},
    {"V_PK_MIN_NUM_F16", SEM_SYM(sem_v_pk_min_num_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, 0},
    {"V_PK_MIN_U16", SEM_SYM(sem_v_pk_min_u16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, 0},
    {"V_PK_MUL_F16", SEM_SYM(sem_v_pk_mul_f16), SEM_PKF16, SEM_PKF16, SEM_PKF16, SEM_NONE, 0},
    {"V_PK_MUL_LO_U16", SEM_SYM(sem_v_pk_mul_lo_u16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, 0},
    {"V_PK_SUB_I16", SEM_SYM(sem_v_pk_sub_i16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, SEM_CLAMP_INT},
    {"V_PK_SUB_U16", SEM_SYM(sem_v_pk_sub_u16), SEM_PK16, SEM_PK16, SEM_PK16, SEM_NONE, SEM_CLAMP_INT},
    {"V_QSAD_PK_U16_U8", SEM_SYM(sem_v_qsad_pk_u16_u8), SEM_B64, SEM_B64, SEM_B32, SEM_B64, SEM_CLAMP_INT},
    {"V_RCP_F16", SEM_SYM(sem_v_rcp_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_RCP_F32", SEM_SYM(sem_v_rcp_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_RCP_F64", SEM_SYM(sem_v_rcp_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_RCP_IFLAG_F32", SEM_SYM(sem_v_rcp_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_RNDNE_F16", SEM_SYM(sem_v_rndne_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_RNDNE_F32", SEM_SYM(sem_v_rndne_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_RNDNE_F64", SEM_SYM(sem_v_rndne_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_RSQ_F16", SEM_SYM(sem_v_rsq_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_RSQ_F32", SEM_SYM(sem_v_rsq_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_RSQ_F64", SEM_SYM(sem_v_rsq_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_SAD_HI_U8", SEM_SYM(sem_v_sad_hi_u8), SEM_U32, SEM_B32, SEM_B32, SEM_U32, SEM_CLAMP_INT},
    {"V_SAD_U16", SEM_SYM(sem_v_sad_u16), SEM_U32, SEM_B32, SEM_B32, SEM_U32, SEM_CLAMP_INT},
    {"V_SAD_U32", SEM_SYM(sem_v_sad_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, SEM_CLAMP_INT},
    {"V_SAD_U8", SEM_SYM(sem_v_sad_u8), SEM_U32, SEM_B32, SEM_B32, SEM_U32, SEM_CLAMP_INT},
    {"V_SAT_PK_U8_I16", SEM_SYM(sem_v_sat_pk_u8_i16), SEM_U16, SEM_B32, SEM_NONE, SEM_NONE, 0},
    {"V_SIN_F16", SEM_SYM(sem_v_sin_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_SIN_F32", SEM_SYM(sem_v_sin_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_SQRT_F16", SEM_SYM(sem_v_sqrt_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_SQRT_F32", SEM_SYM(sem_v_sqrt_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_SQRT_F64", SEM_SYM(sem_v_sqrt_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_SUBREV_CO_CI_U32", SEM_SYM(sem_v_subrev_co_ci_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CARRY_IN | SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_SUBREV_CO_U32", SEM_SYM(sem_v_subrev_co_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_SUBREV_F16", SEM_SYM(sem_v_subrev_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_SUBREV_F32", SEM_SYM(sem_v_subrev_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_SUBREV_NC_U32", SEM_SYM(sem_v_subrev_nc_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CLAMP_INT},
    {"V_SUB_CO_CI_U32", SEM_SYM(sem_v_sub_co_ci_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CARRY_IN | SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_SUB_CO_U32", SEM_SYM(sem_v_sub_co_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CARRY_OUT | SEM_CLAMP_INT},
    {"V_SUB_F16", SEM_SYM(sem_v_sub_f16), SEM_F16, SEM_F16, SEM_F16, SEM_NONE, 0},
    {"V_SUB_F32", SEM_SYM(sem_v_sub_f32), SEM_F32, SEM_F32, SEM_F32, SEM_NONE, 0},
    {"V_SUB_NC_I16", SEM_SYM(sem_v_sub_nc_i16), SEM_I16, SEM_I16, SEM_I16, SEM_NONE, SEM_CLAMP_INT},
    {"V_SUB_NC_I32", SEM_SYM(sem_v_sub_nc_i32), SEM_I32, SEM_I32, SEM_I32, SEM_NONE, SEM_CLAMP_INT},
    {"V_SUB_NC_U16", SEM_SYM(sem_v_sub_nc_u16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, SEM_CLAMP_INT},
    {"V_SUB_NC_U32", SEM_SYM(sem_v_sub_nc_u32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, SEM_CLAMP_INT},
    {"V_SWMMAC_BF16_16X16X32_BF16_GFX12", SEM_SYM(sem_v_swmmac_bf16_16x16x32_bf16_gfx12), SEM_B128, SEM_B128, SEM_B256, SEM_B32, SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_F16_16X16X32_F16_GFX12", SEM_SYM(sem_v_swmmac_f16_16x16x32_f16_gfx12), SEM_B128, SEM_B128, SEM_B256, SEM_B32, SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_F32_16X16X32_BF16_GFX12", SEM_SYM(sem_v_swmmac_f32_16x16x32_bf16_gfx12), SEM_B256, SEM_B128, SEM_B256, SEM_B32, SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_F32_16X16X32_BF8_BF8_GFX12", SEM_SYM(sem_v_swmmac_f32_16x16x32_bf8_bf8_gfx12), SEM_B256, SEM_B64, SEM_B128, SEM_B32, SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_F32_16X16X32_BF8_FP8_GFX12", SEM_SYM(sem_v_swmmac_f32_16x16x32_bf8_fp8_gfx12), SEM_B256, SEM_B64, SEM_B128, SEM_B32, SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_F32_16X16X32_F16_GFX12", SEM_SYM(sem_v_swmmac_f32_16x16x32_f16_gfx12), SEM_B256, SEM_B128, SEM_B256, SEM_B32, SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_F32_16X16X32_FP8_BF8_GFX12", SEM_SYM(sem_v_swmmac_f32_16x16x32_fp8_bf8_gfx12), SEM_B256, SEM_B64, SEM_B128, SEM_B32, SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_F32_16X16X32_FP8_FP8_GFX12", SEM_SYM(sem_v_swmmac_f32_16x16x32_fp8_fp8_gfx12), SEM_B256, SEM_B64, SEM_B128, SEM_B32, SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_I32_16X16X32_IU4_GFX12", SEM_SYM(sem_v_swmmac_i32_16x16x32_iu4_gfx12), SEM_B256, SEM_B32, SEM_B64, SEM_B32, SEM_CLAMP_INT | SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_I32_16X16X32_IU8_GFX12", SEM_SYM(sem_v_swmmac_i32_16x16x32_iu8_gfx12), SEM_B256, SEM_B64, SEM_B128, SEM_B32, SEM_CLAMP_INT | SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_SWMMAC_I32_16X16X64_IU4_GFX12", SEM_SYM(sem_v_swmmac_i32_16x16x64_iu4_gfx12), SEM_B256, SEM_B64, SEM_B128, SEM_B32, SEM_CLAMP_INT | SEM_OPSEL_SELF | SEM_DST_IN_D | SEM_WAVE32_ONLY},
    {"V_S_EXP_F16", SEM_SYM(sem_v_exp_f16), SEM_B32, SEM_F16, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_EXP_F32", SEM_SYM(sem_v_exp_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_LOG_F16", SEM_SYM(sem_v_log_f16), SEM_B32, SEM_F16, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_LOG_F32", SEM_SYM(sem_v_log_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_RCP_F16", SEM_SYM(sem_v_rcp_f16), SEM_B32, SEM_F16, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_RCP_F32", SEM_SYM(sem_v_rcp_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_RSQ_F16", SEM_SYM(sem_v_rsq_f16), SEM_B32, SEM_F16, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_RSQ_F32", SEM_SYM(sem_v_rsq_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_SQRT_F16", SEM_SYM(sem_v_sqrt_f16), SEM_B32, SEM_F16, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_S_SQRT_F32", SEM_SYM(sem_v_sqrt_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, SEM_SCALAR_DST},
    {"V_TRIG_PREOP_F64", SEM_SYM(sem_v_trig_preop_f64), SEM_F64, SEM_F64, SEM_B32, SEM_NONE, 0},
    {"V_TRUNC_F16", SEM_SYM(sem_v_trunc_f16), SEM_F16, SEM_F16, SEM_NONE, SEM_NONE, 0},
    {"V_TRUNC_F32", SEM_SYM(sem_v_trunc_f32), SEM_F32, SEM_F32, SEM_NONE, SEM_NONE, 0},
    {"V_TRUNC_F64", SEM_SYM(sem_v_trunc_f64), SEM_F64, SEM_F64, SEM_NONE, SEM_NONE, 0},
    {"V_WMMA_BF16_16X16X16_BF16", SEM_SYM(sem_v_wmma_bf16_16x16x16_bf16), SEM_B256, SEM_B256, SEM_B256, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_BF16_16X16X16_BF16_GFX12", SEM_SYM(sem_v_wmma_bf16_16x16x16_bf16_gfx12), SEM_B128, SEM_B128, SEM_B128, SEM_B128, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F16_16X16X16_F16", SEM_SYM(sem_v_wmma_f16_16x16x16_f16), SEM_B256, SEM_B256, SEM_B256, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F16_16X16X16_F16_GFX12", SEM_SYM(sem_v_wmma_f16_16x16x16_f16_gfx12), SEM_B128, SEM_B128, SEM_B128, SEM_B128, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F32_16X16X16_BF16", SEM_SYM(sem_v_wmma_f32_16x16x16_bf16), SEM_B256, SEM_B256, SEM_B256, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F32_16X16X16_BF16_GFX12", SEM_SYM(sem_v_wmma_f32_16x16x16_bf16_gfx12), SEM_B256, SEM_B128, SEM_B128, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F32_16X16X16_BF8_BF8_GFX12", SEM_SYM(sem_v_wmma_f32_16x16x16_bf8_bf8_gfx12), SEM_B256, SEM_B64, SEM_B64, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F32_16X16X16_BF8_FP8_GFX12", SEM_SYM(sem_v_wmma_f32_16x16x16_bf8_fp8_gfx12), SEM_B256, SEM_B64, SEM_B64, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F32_16X16X16_F16", SEM_SYM(sem_v_wmma_f32_16x16x16_f16), SEM_B256, SEM_B256, SEM_B256, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F32_16X16X16_F16_GFX12", SEM_SYM(sem_v_wmma_f32_16x16x16_f16_gfx12), SEM_B256, SEM_B128, SEM_B128, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F32_16X16X16_FP8_BF8_GFX12", SEM_SYM(sem_v_wmma_f32_16x16x16_fp8_bf8_gfx12), SEM_B256, SEM_B64, SEM_B64, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_F32_16X16X16_FP8_FP8_GFX12", SEM_SYM(sem_v_wmma_f32_16x16x16_fp8_fp8_gfx12), SEM_B256, SEM_B64, SEM_B64, SEM_B256, SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_I32_16X16X16_IU4", SEM_SYM(sem_v_wmma_i32_16x16x16_iu4), SEM_B256, SEM_B64, SEM_B64, SEM_B256, SEM_CLAMP_INT | SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_I32_16X16X16_IU4_GFX12", SEM_SYM(sem_v_wmma_i32_16x16x16_iu4_gfx12), SEM_B256, SEM_B32, SEM_B32, SEM_B256, SEM_CLAMP_INT | SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_I32_16X16X16_IU8", SEM_SYM(sem_v_wmma_i32_16x16x16_iu8), SEM_B256, SEM_B128, SEM_B128, SEM_B256, SEM_CLAMP_INT | SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_I32_16X16X16_IU8_GFX12", SEM_SYM(sem_v_wmma_i32_16x16x16_iu8_gfx12), SEM_B256, SEM_B64, SEM_B64, SEM_B256, SEM_CLAMP_INT | SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_WMMA_I32_16X16X32_IU4_GFX12", SEM_SYM(sem_v_wmma_i32_16x16x32_iu4_gfx12), SEM_B256, SEM_B64, SEM_B64, SEM_B256, SEM_CLAMP_INT | SEM_OPSEL_SELF | SEM_WAVE32_ONLY},
    {"V_XAD_U32", SEM_SYM(sem_v_xad_u32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_XNOR_B32", SEM_SYM(sem_v_xnor_b32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
    {"V_XOR3_B32", SEM_SYM(sem_v_xor3_b32), SEM_U32, SEM_U32, SEM_U32, SEM_U32, 0},
    {"V_XOR_B16", SEM_SYM(sem_v_xor_b16), SEM_U16, SEM_U16, SEM_U16, SEM_NONE, 0},
    {"V_XOR_B32", SEM_SYM(sem_v_xor_b32), SEM_U32, SEM_U32, SEM_U32, SEM_NONE, 0},
};
/* clang-format on */

const unsigned SEM_SYM(sem_valu_row_count) = sizeof SEM_SYM(sem_valu_rows) /
                                             sizeof SEM_SYM(sem_valu_rows)[0];

const struct sem_vrow *SEM_SYM(sem_find_valu)(const char *name) {
    unsigned low = 0, high = SEM_SYM(sem_valu_row_count);
    while (low < high) {
        const unsigned mid = low + (high - low) / 2;
        const int order = strcmp(name, SEM_SYM(sem_valu_rows)[mid].name);
        if (order == 0) return &SEM_SYM(sem_valu_rows)[mid];
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}
