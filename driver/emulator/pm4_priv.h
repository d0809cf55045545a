/* SPDX-License-Identifier: MIT */
/* pm4_priv.h - one packet in execution: what pm4_exec.c (streams), pm4_sync.c (waits, caches,
 * events) and pm4_data.c (registers, memory) share. */
#ifndef RAWCL_EMULATOR_PM4_PRIV_H
#define RAWCL_EMULATOR_PM4_PRIV_H

#include <errno.h>

#include "driver/emulator/cp_priv.h"

struct pm4 {
    struct cp_queue *q;
    struct gpu *g;
    const uint32_t *p; /* header at p[0] */
    unsigned n;        /* payload dwords */
    unsigned skip;     /* dwords that COND_EXEC asked to skip after this packet */
    unsigned depth;    /* 0: ring, 1 and 2: indirect buffers */
    uint64_t chain_va; /* INDIRECT_BUFFER with chain: continue there */
    uint32_t chain_dw;
};

/* Ends of a handler beside 0: -EFAULT memory fault, -EINTR asked to leave, -EBADMSG the packet is
 * wrong (already reported as guest error). */

static inline uint32_t pm4_field(const struct pm4 *x, enum hw_pm4_field f) {
    return hw_pkt_get(x->p, hw_pm4_fields[gpu_gen(x->g)][f]);
}

/* A 64-bit address from its low field (whose position keeps the alignment bits out) and high. */
static inline uint64_t pm4_addr(const struct pm4 *x, enum hw_pm4_field lo, enum hw_pm4_field hi) {
    struct hw_pkt_bits b = hw_pm4_fields[gpu_gen(x->g)][lo];
    uint64_t low = b.dword < 0 ? 0 : x->p[b.dword] & hw_mask(b.lo, b.hi);
    return low | (uint64_t)pm4_field(x, hi) << 32;
}

/* Reports a packet that silicon would refuse; returns -EBADMSG. */
int pm4_bad(struct pm4 *x, const char *what);

/* Memory or a register changed: engines that wait look again. */
void pm4_kick(struct pm4 *x);

static inline bool pm4_leaving(const struct cp_queue *q) {
    return q->stop || q->drain || q->cp->closing;
}
/* Registers as the queue sees them: its own COMPUTE_* bank, else the chip's. dw: absolute dword. */
void pm4_reg_write(struct pm4 *x, uint32_t dw, uint32_t v);
uint32_t pm4_reg_read(struct pm4 *x, uint32_t dw);

int pm4_op_set_sh_reg(struct pm4 *x);
int pm4_op_set_uconfig_reg(struct pm4 *x);
int pm4_op_set_config_reg(struct pm4 *x);
int pm4_op_set_sh_pairs(struct pm4 *x);
int pm4_op_wait_reg_mem(struct pm4 *x);
int pm4_op_wait_reg_mem64(struct pm4 *x);
int pm4_op_acquire_mem(struct pm4 *x);
int pm4_op_release_mem(struct pm4 *x);
int pm4_op_event_write(struct pm4 *x);
int pm4_op_hdp_flush(struct pm4 *x);
int pm4_op_invalidate_tlbs(struct pm4 *x);
int pm4_op_write_data(struct pm4 *x);
int pm4_op_copy_data(struct pm4 *x);
int pm4_op_atomic_mem(struct pm4 *x);
int pm4_op_dma_data(struct pm4 *x);
int pm4_op_timestamp(struct pm4 *x);

#endif
