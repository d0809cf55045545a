/* SPDX-License-Identifier: MIT */
/* lift_bitcode.h - bitcode that the build made and the lifter carries. */
#ifndef RAWCL_ISA_LIFT_BITCODE_H
#define RAWCL_ISA_LIFT_BITCODE_H

struct lift_bitcode {
    const unsigned char *begin, *end;
};
/* sem_valu_*.c by binary32 denormals (0 flushed, 1 kept) and MODE.IEEE. */
extern const struct lift_bitcode lift_bitcode_sem[2][2];
/* jit_inline.c by enum jit_host. */
extern const struct lift_bitcode lift_bitcode_inline[3];

void lift_llvm_init(void);

#endif
