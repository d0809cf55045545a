/* SPDX-License-Identifier: MIT */
/* lift_bitcode.c - includes the bitcode files; LIFT_BITCODE is the directory they are in. */
#include "driver/emulator/isa/lift_bitcode.h"

#define BITCODE(name)                                                                              \
    __asm__(".section .rodata\n"                                                                   \
            ".balign 16\n"                                                                         \
            "lift_bc_" #name ":\n"                                                                 \
            ".incbin \"" LIFT_BITCODE "/" #name ".bc\"\n"                                          \
            "lift_bc_" #name "_end:\n"                                                             \
            ".previous\n");                                                                        \
    extern const unsigned char lift_bc_##name[] __attribute__((visibility("hidden")));             \
    extern const unsigned char lift_bc_##name##_end[] __attribute__((visibility("hidden")));

BITCODE(sem_00)
BITCODE(sem_01)
BITCODE(sem_30)
BITCODE(sem_31)
BITCODE(inline_base)
BITCODE(inline_v3)
BITCODE(inline_v4)

const struct lift_bitcode lift_bitcode_sem[2][2] = {
    {{lift_bc_sem_00, lift_bc_sem_00_end}, {lift_bc_sem_01, lift_bc_sem_01_end}},
    {{lift_bc_sem_30, lift_bc_sem_30_end}, {lift_bc_sem_31, lift_bc_sem_31_end}},
};
const struct lift_bitcode lift_bitcode_inline[3] = {
    {lift_bc_inline_base, lift_bc_inline_base_end},
    {lift_bc_inline_v3, lift_bc_inline_v3_end},
    {lift_bc_inline_v4, lift_bc_inline_v4_end},
};
