// SPDX-License-Identifier: MIT
// The trap handler of gfx11. trap.c carries its words; tests/unit/trap_test.c assembles this file
// and compares.
//
// A wave comes here from s_trap, an exception or a host trap; {ttmp1, ttmp0} hold its PC, with the
// trap id in ttmp1[23:16] and the host trap bit in ttmp1[24]. It writes one record of 64 bytes, in
// a single store, to slot WAVE_ID of the trap memory, raises the memory's flag, interrupts the host
// and ends. What it clobbers nobody needs any more. s_trap 3 (llvm.debugtrap) returns, as LLVM
// AMDGPUUsage has it where no debugger is attached.
//
// Sources: linux amdkfd cwsr_trap_handler_gfx10.asm (TMA is shifted by 8, which TTMPs SPI fills),
// ROCR-Runtime trap_handler.s (bits of ttmp1), RDNA3 ISA guide.

    s_getreg_b32 ttmp3, hwreg(HW_REG_STATUS)
    s_bfe_u32 ttmp2, ttmp1, 0x80010                          // the trap id
    s_cmp_lg_u32 ttmp2, 3
    s_cbranch_scc1 record
    s_add_u32 ttmp0, ttmp0, 4                               // llvm.debugtrap: nobody debugs, go on
    s_addc_u32 ttmp1, ttmp1, 0
    s_and_b32 ttmp1, ttmp1, 0xffff
    s_bitcmp1_b32 ttmp3, 0                                  // SCC as it was
    s_rfe_b64 ttmp[0:1]
record:
    s_waitcnt 0                                             // loads must not land in v0, v1 later
    s_waitcnt_vscnt null, 0
    s_sendmsg_rtn_b64 ttmp[2:3], sendmsg(MSG_RTN_GET_TMA)
    s_sendmsg_rtn_b64 ttmp[4:5], sendmsg(MSG_RTN_GET_REALTIME)
    s_waitcnt lgkmcnt(0)
    s_lshl_b64 s[0:1], ttmp[2:3], 8
    s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
    s_getreg_b32 ttmp3, hwreg(HW_REG_STATUS)
    s_getreg_b32 ttmp12, hwreg(HW_REG_HW_ID1)
    v_mov_b32 v1, 0
    v_writelane_b32 v1, ttmp12, 1
    v_writelane_b32 v1, ttmp0, 2
    v_writelane_b32 v1, ttmp1, 3
    v_writelane_b32 v1, exec_lo, 4
    v_writelane_b32 v1, exec_hi, 5
    v_writelane_b32 v1, ttmp2, 6
    v_writelane_b32 v1, ttmp3, 7
    v_writelane_b32 v1, ttmp4, 8
    v_writelane_b32 v1, ttmp5, 9
    v_writelane_b32 v1, ttmp7, 10
    v_writelane_b32 v1, ttmp8, 11
    v_writelane_b32 v1, ttmp9, 12
    v_writelane_b32 v1, ttmp10, 13
    v_writelane_b32 v1, ttmp11, 14
    s_mov_b32 ttmp13, 0x50415254                            // "TRAP": the record is whole
    v_writelane_b32 v1, ttmp13, 15
    s_mov_b32 exec_lo, 0xffff
    s_mov_b32 exec_hi, 0
    s_and_b32 ttmp14, ttmp12, 31
    s_lshl_b32 ttmp14, ttmp14, 6
    v_mbcnt_lo_u32_b32 v0, -1, 0
    v_lshlrev_b32 v0, 2, v0
    v_add_nc_u32 v0, ttmp14, v0
    global_store_b32 v0, v1, s[0:1] offset:64 glc slc dlc
    s_waitcnt_vscnt null, 0
    s_mov_b32 exec_lo, 1
    v_mov_b32 v0, 0
    v_mov_b32 v1, 1
    global_store_b32 v0, v1, s[0:1] glc slc dlc
    s_waitcnt_vscnt null, 0
    s_mov_b32 m0, 0x545250                                  // "TRP": TRAP_MESSAGE of trap.h
    s_nop 0
    s_sendmsg sendmsg(MSG_INTERRUPT)
    s_endpgm
