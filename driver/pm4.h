/* SPDX-License-Identifier: MIT */
/* pm4.h - builds PM4 packets for the compute queue (MEC). Pure: no device, no memory but the
 * stream. Layouts come from driver/hw (GPUOpen PAL), register places from the GC table. Which
 * caches a packet flushes or invalidates follows the coherency table in driver/README.md. */
#ifndef RAWCL_DRIVER_PM4_H
#define RAWCL_DRIVER_PM4_H

#include "driver/am.h"
#include "driver/cmdbuf.h"
#include "driver/hw/hw.h"

/* What the packets of one device depend on. */
struct pm4 {
    enum hw_gen gen;
    const struct hw_ip_table *gc;
    const uint32_t *gc_base; /* dword base of each GC segment */
    /* gcr_cntl bits that tests of the coherency table leave out; 0 otherwise. */
    uint32_t omit_acquire, omit_release;
};

/* Longest stream that pm4_dispatch and the packets around it need, in dwords. */
enum { PM4_DISPATCH_MAX_DW = 256 };

/* Waits until the 32-bit value at va (4-byte aligned) is >= reference, unsigned. */
void pm4_wait_mem_ge(const struct pm4 *p, struct cmdbuf *c, uint64_t va, uint32_t reference);

/* Before a kernel: makes what earlier producers wrote visible to the shaders. Scalar, vector and
 * instruction caches always; l2: also what was written behind L2's back (by SDMA). */
void pm4_acquire(const struct pm4 *p, struct cmdbuf *c, bool l2);

/* The GPU clock to va (8-byte aligned) when the command processor gets here. */
void pm4_timestamp(const struct pm4 *p, struct cmdbuf *c, uint64_t va);

/* After everything before it has left the pipe: the GPU clock to va (8-byte aligned). */
void pm4_release_timestamp(const struct pm4 *p, struct cmdbuf *c, uint64_t va);

/* After everything before it has left the pipe: writes L2 back to memory, then the 32-bit value to
 * va, then, with irq, sends an interrupt that carries the value. */
void pm4_release_signal(const struct pm4 *p, struct cmdbuf *c, uint64_t va, uint32_t value,
                        bool irq);

/* Does nothing for 2 <= n <= 0x4000 dwords. */
void pm4_nop(struct cmdbuf *c, uint32_t n);
/* Fills up to a multiple of `multiple` dwords. */
void pm4_pad(struct cmdbuf *c, uint32_t multiple);

/* Where a dispatch finds what the driver prepared for it. */
struct pm4_dispatch_args {
    uint64_t kernarg_va, aql_va, queue_va, dispatch_id;
    uint64_t scratch_va;           /* 256-byte aligned; 0: none */
    uint32_t scratch_wave_bytes;   /* per wave, a multiple of 256 */
    uint32_t scratch_waves_per_se; /* 0: none */
    bool trap_handler;             /* there is one (trap.c) */
    bool count_waves;              /* by SPI's performance counters (progress.c) */
};

/* Registers and DISPATCH_DIRECT for one kernel. -EINVAL: sizes or descriptor out of range;
 * -ENOTSUP: the descriptor asks for something these chips do not have. err (may be NULL) says
 * what. The stream is left as it was on failure. */
int pm4_dispatch(const struct pm4 *p, struct cmdbuf *c, const struct am_dispatch *d,
                 const struct pm4_dispatch_args *a, char *err, size_t err_size);

/* Address of the kernel's first instruction. */
uint64_t pm4_entry(const struct am_dispatch *d);
/* Does the descriptor ask for wave32? */
bool pm4_is_wave32(const uint8_t *kernel_descriptor);

#endif
