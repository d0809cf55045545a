/* SPDX-License-Identifier: MIT */
/* GFX: the compute micro engine (MEC), its queue, and what waves need from the graphics core.
 * Set-up: linux gfx_v11_0.c, gfx_v12_0.c; values of the reference. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver/blocks.h"

enum {
    MEC_ME = 1,           /* GRBM's number of MEC 1 */
    MEC_START_US = 50000, /* after enabling the pipe */
    AUTOLOAD_TIMEOUT_US = 5000000,
    DEQUEUE_TIMEOUT_US = 10000000,
    TCP_CNTL_LINUX =
        0x20000000, /* linux gfx_v11_0_constants_init ors this; the field has no name */
    RLC_SPM_VMID = 0xf,
    DOORBELL_RANGE_UPPER = 0xf8,
};

void gfx_select(struct am_device *d, uint32_t me, uint32_t pipe, uint32_t queue, uint32_t vmid) {
    reg_wr(d, R_GRBM_GFX_CNTL,
           reg_fv(d, F_GRBM_GFX_CNTL__MEID, me) | reg_fv(d, F_GRBM_GFX_CNTL__PIPEID, pipe) |
               reg_fv(d, F_GRBM_GFX_CNTL__QUEUEID, queue) | reg_fv(d, F_GRBM_GFX_CNTL__VMID, vmid));
}

void gfx_start_address(struct am_device *d, enum hw_reg lo, enum hw_reg hi, uint64_t address) {
    reg_wr(d, lo, (uint32_t)(address >> 2)); /* in dwords */
    reg_wr(d, hi, (uint32_t)(address >> 34));
}

static int init_sw(struct am_device *d) {
    blocks(d)->mqd = boot_alloc(d, MQD_BYTES, 4096);
    return blocks(d)->mqd ? 0 : -ENOSPC;
}

/* The RLC has loaded the microcode of GC's engines and the command processor is idle. */
int gfx_wait_autoload(struct am_device *d) {
    int rc = reg_wait(d, R_CP_STAT, ~0u, 0, AUTOLOAD_TIMEOUT_US);
    if (rc) return rc;
    uint32_t done = reg_fv(d, F_RLC_RLCS_BOOTLOAD_STATUS__BOOTLOAD_COMPLETE, 1);
    return reg_wait(d, R_RLC_RLCS_BOOTLOAD_STATUS, done, done, AUTOLOAD_TIMEOUT_US);
}

static void config_mec(struct am_device *d) {
    d->chip->front_end_config(d);
    gfx_select(d, MEC_ME, 0, 0, 0);
    gfx_start_address(d, R_CP_MEC_RS64_PRGRM_CNTR_START, R_CP_MEC_RS64_PRGRM_CNTR_START_HI,
                      blocks(d)->start_mec);
    gfx_select(d, 0, 0, 0, 0);
    reg_upd(d, F_CP_MEC_RS64_CNTL__MEC_PIPE0_RESET, 1);
    reg_upd(d, F_CP_MEC_RS64_CNTL__MEC_PIPE0_RESET, 0);
}

static void enable_mec(struct am_device *d) {
    uint32_t v = reg_rd(d, R_CP_MEC_RS64_CNTL);
    v = reg_fput(d, F_CP_MEC_RS64_CNTL__MEC_PIPE0_RESET, v, 0);
    v = reg_fput(d, F_CP_MEC_RS64_CNTL__MEC_PIPE0_ACTIVE, v, 1);
    v = reg_fput(d, F_CP_MEC_RS64_CNTL__MEC_HALT, v, 0);
    reg_wr(d, R_CP_MEC_RS64_CNTL, v);
    d->bus->ops->delay(d->bus, MEC_START_US);
}

/* Apertures that flat instructions recognise: private at 2 << 48, shared (LDS) at 1 << 48. */
static void sh_mem(struct am_device *d) {
    enum { UNALIGNED = 3, PREFETCH = 3, PRIVATE_BASE = 2, SHARED_BASE = 1 };
    uint32_t config = reg_fv(d, F_SH_MEM_CONFIG__ALIGNMENT_MODE, UNALIGNED) |
                      reg_fv(d, F_SH_MEM_CONFIG__INITIAL_INST_PREFETCH, PREFETCH);
    uint32_t bases = reg_fv(d, F_SH_MEM_BASES__PRIVATE_BASE, PRIVATE_BASE) |
                     reg_fv(d, F_SH_MEM_BASES__SHARED_BASE, SHARED_BASE);
    for (uint32_t vmid = 0; vmid < 16; vmid++) {
        gfx_select(d, 0, 0, 0, vmid);
        reg_wr(d, R_SH_MEM_CONFIG, config);
        reg_wr(d, R_SH_MEM_BASES, bases);
    }
    gfx_select(d, 0, 0, 0, 0);
}

/* Work-group processors that are fused off or disabled, array by array. */
static void count_units(struct am_device *d) {
    struct am_gc_info *g = &d->gc;
    uint32_t all = reg_fv(d, F_GRBM_GFX_INDEX__SE_BROADCAST_WRITES, 1) |
                   reg_fv(d, F_GRBM_GFX_INDEX__SA_BROADCAST_WRITES, 1) |
                   reg_fv(d, F_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES, 1);
    unsigned wgps = 0;
    for (unsigned se = 0; se < g->num_se; se++)
        for (unsigned sa = 0; sa < g->sa_per_se; sa++) {
            reg_wr(d, R_GRBM_GFX_INDEX,
                   reg_fv(d, F_GRBM_GFX_INDEX__SE_INDEX, se) |
                       reg_fv(d, F_GRBM_GFX_INDEX__SA_INDEX, sa) |
                       reg_fv(d, F_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES, 1));
            uint32_t off = reg_fget(d, F_CC_GC_SHADER_ARRAY_CONFIG__INACTIVE_WGPS,
                                    reg_rd(d, R_CC_GC_SHADER_ARRAY_CONFIG)) |
                           reg_fget(d, F_GC_USER_SHADER_ARRAY_CONFIG__INACTIVE_WGPS,
                                    reg_rd(d, R_GC_USER_SHADER_ARRAY_CONFIG));
            for (unsigned w = 0; w < g->wgp_per_sa; w++)
                wgps += !(off >> w & 1);
        }
    reg_wr(d, R_GRBM_GFX_INDEX, all);
    if (wgps == 0) {
        am_log(d, AM_LOG_WARN, "gfx", "every work-group processor is marked inactive");
        return;
    }
    g->active_cus = 2 * wgps;
}

/* What the MEC's first pipe reports to the interrupt ring: end of pipe, and what it refuses (linux
 * gfx_v11_0_set_compute_eop_interrupt_state, gfx_v11_0_set_priv_reg_fault_state and _bad_op_). */
static void enable_interrupts(struct am_device *d) {
    static const enum hw_field fields[] = {
        F_CP_ME1_PIPE0_INT_CNTL__TIME_STAMP_INT_ENABLE,
        F_CP_ME1_PIPE0_INT_CNTL__PRIV_REG_INT_ENABLE,
        F_CP_ME1_PIPE0_INT_CNTL__OPCODE_ERROR_INT_ENABLE,
        F_CP_ME1_PIPE0_INT_CNTL__RESERVED_BIT_ERROR_INT_ENABLE,
        F_CP_ME1_PIPE0_INT_CNTL__GPF_INT_ENABLE,
    };
    uint32_t v = reg_rd(d, R_CP_ME1_PIPE0_INT_CNTL);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        v = reg_fput(d, fields[i], v, 1);
    reg_wr(d, R_CP_ME1_PIPE0_INT_CNTL, v);
}

static int init_hw(struct am_device *d) {
    int rc = gfx_wait_autoload(d);
    if (!rc) rc = gmc_init_hub(d, AM_HUB_GC);
    if (!rc && d->partial_boot) {
        /* the MEC has been running: whatever is still bound to it goes */
        rc = gfx_unbind_queue(d);
        if (!rc) rc = d->chip->mec_soft_reset(d);
    }
    if (rc) return rc;
    config_mec(d);
    reg_wr(d, R_TCP_CNTL, reg_rd(d, R_TCP_CNTL) | TCP_CNTL_LINUX);
    reg_wr(d, R_RLC_CNTL, reg_fv(d, F_RLC_CNTL__RLC_ENABLE_F32, 1));
    uint32_t v = reg_rd(d, R_RLC_SRM_CNTL);
    v = reg_fput(d, F_RLC_SRM_CNTL__SRM_ENABLE, v, 1);
    v = reg_fput(d, F_RLC_SRM_CNTL__AUTO_INCR_ADDR, v, 1);
    reg_wr(d, R_RLC_SRM_CNTL, v);
    reg_wr(d, R_RLC_SPM_MC_CNTL, reg_fv(d, F_RLC_SPM_MC_CNTL__RLC_SPM_VMID, RLC_SPM_VMID));
    /* ports 0 and 3 feed the command processor */
    soc_doorbell_enable(d, 0, 3, 3, 0, 0);
    soc_doorbell_enable(d, 3, 6, 3, 0, 0);
    reg_upd(d, F_GRBM_CNTL__READ_TIMEOUT, 0xff);
    sh_mem(d);
    reg_wr(d, R_CP_MEC_DOORBELL_RANGE_LOWER, 0);
    reg_wr(d, R_CP_MEC_DOORBELL_RANGE_UPPER, DOORBELL_RANGE_UPPER);
    count_units(d);
    enable_interrupts(d);
    enable_mec(d);
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

void gfx_clock_gating(struct am_device *d) {
    enum { SAFE_ENTER = 1, CG_IDLE_THRESHOLD = 0x36, CGLS_REP_DELAY = 0xf };
    if (reg_has(d, R_MM_ATC_L2_MISC_CG))
        reg_wr(d, R_MM_ATC_L2_MISC_CG,
               reg_fv(d, F_MM_ATC_L2_MISC_CG__ENABLE, 1) |
                   reg_fv(d, F_MM_ATC_L2_MISC_CG__MEM_LS_ENABLE, 1));
    uint32_t cmd = reg_fv(d, F_RLC_SAFE_MODE__CMD, 1);
    reg_wr(d, R_RLC_SAFE_MODE, cmd | reg_fv(d, F_RLC_SAFE_MODE__MESSAGE, SAFE_ENTER));
    reg_wait(d, R_RLC_SAFE_MODE, cmd, 0, 100000);

    uint32_t v = reg_rd(d, R_RLC_CGCG_CGLS_CTRL);
    v = reg_fput(d, F_RLC_CGCG_CGLS_CTRL__CGCG_GFX_IDLE_THRESHOLD, v, CG_IDLE_THRESHOLD);
    v = reg_fput(d, F_RLC_CGCG_CGLS_CTRL__CGCG_EN, v, 1);
    v = reg_fput(d, F_RLC_CGCG_CGLS_CTRL__CGLS_REP_COMPANSAT_DELAY, v, CGLS_REP_DELAY);
    v = reg_fput(d, F_RLC_CGCG_CGLS_CTRL__CGLS_EN, v, 1);
    reg_wr(d, R_RLC_CGCG_CGLS_CTRL, v);
    v = reg_rd(d, R_CP_RB_WPTR_POLL_CNTL);
    v = reg_fput(d, F_CP_RB_WPTR_POLL_CNTL__POLL_FREQUENCY, v, 0x100);
    v = reg_fput(d, F_CP_RB_WPTR_POLL_CNTL__IDLE_POLL_COUNT, v, 0x90);
    reg_wr(d, R_CP_RB_WPTR_POLL_CNTL, v);
    v = reg_rd(d, R_CP_INT_CNTL);
    v = reg_fput(d, F_CP_INT_CNTL__CNTX_BUSY_INT_ENABLE, v, 1);
    v = reg_fput(d, F_CP_INT_CNTL__CNTX_EMPTY_INT_ENABLE, v, 1);
    v = reg_fput(d, F_CP_INT_CNTL__CMP_BUSY_INT_ENABLE, v, 1);
    reg_wr(d, R_CP_INT_CNTL, v);
    reg_upd(d, F_SDMA0_RLC_CGCG_CTRL__CGCG_INT_ENABLE, 1);
    reg_upd(d, F_SDMA1_RLC_CGCG_CTRL__CGCG_INT_ENABLE, 1);

    v = reg_rd(d, R_RLC_CGTT_MGCG_OVERRIDE);
    static const enum hw_field gated[] = {
        F_RLC_CGTT_MGCG_OVERRIDE__RLC_CGTT_SCLK_OVERRIDE,
        F_RLC_CGTT_MGCG_OVERRIDE__GRBM_CGTT_SCLK_OVERRIDE,
        F_RLC_CGTT_MGCG_OVERRIDE__GFXIP_MGCG_OVERRIDE,
        F_RLC_CGTT_MGCG_OVERRIDE__GFXIP_CGCG_OVERRIDE,
        F_RLC_CGTT_MGCG_OVERRIDE__GFXIP_CGLS_OVERRIDE,
        F_RLC_CGTT_MGCG_OVERRIDE__GFXIP_FGCG_OVERRIDE,
        F_RLC_CGTT_MGCG_OVERRIDE__GFXIP_REPEATER_FGCG_OVERRIDE,
    };
    for (size_t i = 0; i < sizeof gated / sizeof *gated; i++)
        v = reg_fput(d, gated[i], v, 0);
    v = reg_fput(d, F_RLC_CGTT_MGCG_OVERRIDE__PERFMON_CLOCK_STATE, v, 1);
    reg_wr(d, R_RLC_CGTT_MGCG_OVERRIDE, v);
    reg_wr(d, R_RLC_SAFE_MODE, cmd);
}

/* ---- the compute queue ---- */

/* Registers of a hardware queue descriptor and where the memory queue descriptor keeps their
 * values; the MQD repeats the registers from CP_MQD_BASE_ADDR on, dword by dword. */
#define MQD(member) OFF_v11_compute_mqd__##member
#define SAME_MQD(member)                                                                           \
    _Static_assert((int)OFF_v11_compute_mqd__##member == (int)OFF_v12_compute_mqd__##member,       \
                   "MQDs differ: " #member)
SAME_MQD(header);
SAME_MQD(compute_static_thread_mgmt_se0);
SAME_MQD(compute_static_thread_mgmt_se4);
SAME_MQD(cp_mqd_base_addr_lo);
SAME_MQD(cp_hqd_persistent_state);
SAME_MQD(cp_hqd_pq_base_lo);
SAME_MQD(cp_hqd_pq_doorbell_control);
SAME_MQD(cp_hqd_pq_control);
SAME_MQD(cp_hqd_ib_control);
SAME_MQD(cp_mqd_control);
SAME_MQD(cp_hqd_eop_base_addr_lo);
SAME_MQD(cp_hqd_pq_wptr_hi);

static const enum hw_reg hqd_regs[] = {
    R_CP_MQD_BASE_ADDR,
    R_CP_MQD_BASE_ADDR_HI,
    R_CP_HQD_ACTIVE,
    R_CP_HQD_VMID,
    R_CP_HQD_PERSISTENT_STATE,
    R_CP_HQD_PIPE_PRIORITY,
    R_CP_HQD_QUEUE_PRIORITY,
    R_CP_HQD_QUANTUM,
    R_CP_HQD_PQ_BASE,
    R_CP_HQD_PQ_BASE_HI,
    R_CP_HQD_PQ_RPTR,
    R_CP_HQD_PQ_RPTR_REPORT_ADDR,
    R_CP_HQD_PQ_RPTR_REPORT_ADDR_HI,
    R_CP_HQD_PQ_WPTR_POLL_ADDR,
    R_CP_HQD_PQ_WPTR_POLL_ADDR_HI,
    R_CP_HQD_PQ_DOORBELL_CONTROL,
    R_CP_HQD_PQ_CONTROL,
    R_CP_HQD_IB_BASE_ADDR,
    R_CP_HQD_IB_BASE_ADDR_HI,
    R_CP_HQD_IB_RPTR,
    R_CP_HQD_IB_CONTROL,
    R_CP_HQD_IQ_TIMER,
    R_CP_HQD_IQ_RPTR,
    R_CP_HQD_DEQUEUE_REQUEST,
    R_CP_HQD_DMA_OFFLOAD,
    R_CP_HQD_SEMA_CMD,
    R_CP_HQD_MSG_TYPE,
    R_CP_HQD_ATOMIC0_PREOP_LO,
    R_CP_HQD_ATOMIC0_PREOP_HI,
    R_CP_HQD_ATOMIC1_PREOP_LO,
    R_CP_HQD_ATOMIC1_PREOP_HI,
    R_CP_HQD_HQ_SCHEDULER0,
    R_CP_HQD_HQ_CONTROL0,
    R_CP_MQD_CONTROL,
    R_CP_HQD_HQ_STATUS1,
    R_CP_HQD_HQ_CONTROL1,
    R_CP_HQD_EOP_BASE_ADDR,
    R_CP_HQD_EOP_BASE_ADDR_HI,
    R_CP_HQD_EOP_CONTROL,
    R_CP_HQD_EOP_RPTR,
    R_CP_HQD_EOP_WPTR,
    R_CP_HQD_EOP_EVENTS,
    R_CP_HQD_CTX_SAVE_BASE_ADDR_LO,
    R_CP_HQD_CTX_SAVE_BASE_ADDR_HI,
    R_CP_HQD_CTX_SAVE_CONTROL,
    R_CP_HQD_CNTL_STACK_OFFSET,
    R_CP_HQD_CNTL_STACK_SIZE,
    R_CP_HQD_WG_STATE_OFFSET,
    R_CP_HQD_CTX_SAVE_SIZE,
    R_CP_HQD_GDS_RESOURCE_STATE,
    R_CP_HQD_ERROR,
    R_CP_HQD_EOP_WPTR_MEM,
    R_CP_HQD_AQL_CONTROL,
    R_CP_HQD_PQ_WPTR_LO,
    R_CP_HQD_PQ_WPTR_HI,
};

static unsigned log2_of(uint32_t v) {
    return v ? 31u - (unsigned)__builtin_clz(v) : 0;
}

static void put64(uint8_t *mqd, size_t off, uint64_t v) {
    hw_put32(mqd, off, (uint32_t)v);
    hw_put32(mqd, off + 4, (uint32_t)(v >> 32));
}

static void fill_mqd(struct am_device *d, const struct am_ring_desc *r, uint8_t mqd[MQD_BYTES]) {
    enum { MQD_HEADER = 0xc0310800, HQ_SCHEDULER0 = 0x20004000 }; /* linux v11/v12 mqd_init */
    static const size_t thread_mgmt[] = {
        MQD(compute_static_thread_mgmt_se0), MQD(compute_static_thread_mgmt_se1),
        MQD(compute_static_thread_mgmt_se2), MQD(compute_static_thread_mgmt_se3),
        MQD(compute_static_thread_mgmt_se4), MQD(compute_static_thread_mgmt_se5),
        MQD(compute_static_thread_mgmt_se6), MQD(compute_static_thread_mgmt_se7)};
    memset(mqd, 0, MQD_BYTES);
    hw_put32(mqd, MQD(header), MQD_HEADER);
    for (size_t i = 0; i < sizeof thread_mgmt / sizeof *thread_mgmt; i++)
        hw_put32(mqd, thread_mgmt[i], ~0u);
    put64(mqd, MQD(cp_mqd_base_addr_lo), d->mc_base + blocks(d)->mqd);
    hw_put32(mqd, MQD(cp_hqd_persistent_state),
             reg_fv(d, F_CP_HQD_PERSISTENT_STATE__PRELOAD_SIZE, 0x55) |
                 reg_fv(d, F_CP_HQD_PERSISTENT_STATE__PRELOAD_REQ, 1));
    hw_put32(mqd, MQD(cp_hqd_pipe_priority), 2);
    hw_put32(mqd, MQD(cp_hqd_queue_priority), 0xf);
    hw_put32(mqd, MQD(cp_hqd_quantum),
             reg_fv(d, F_CP_HQD_QUANTUM__QUANTUM_EN, 1) |
                 reg_fv(d, F_CP_HQD_QUANTUM__QUANTUM_SCALE, 1) |
                 reg_fv(d, F_CP_HQD_QUANTUM__QUANTUM_DURATION, 1));
    put64(mqd, MQD(cp_hqd_pq_base_lo), r->ring_va >> 8);
    put64(mqd, MQD(cp_hqd_pq_rptr_report_addr_lo), r->rptr_va);
    put64(mqd, MQD(cp_hqd_pq_wptr_poll_addr_lo), r->wptr_va);
    hw_put32(mqd, MQD(cp_hqd_pq_doorbell_control),
             reg_fv(d, F_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET, AM_DOORBELL_COMPUTE / 4) |
                 reg_fv(d, F_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN, 1));
    /* sizes are log2 of dwords, less one */
    hw_put32(mqd, MQD(cp_hqd_pq_control),
             reg_fv(d, F_CP_HQD_PQ_CONTROL__QUEUE_SIZE, log2_of(r->ring_bytes / 4) - 1) |
                 reg_fv(d, F_CP_HQD_PQ_CONTROL__RPTR_BLOCK_SIZE, 5));
    hw_put32(mqd, MQD(cp_hqd_ib_control), reg_fv(d, F_CP_HQD_IB_CONTROL__MIN_IB_AVAIL_SIZE, 3));
    hw_put32(mqd, MQD(cp_hqd_hq_status0), HQ_SCHEDULER0);
    hw_put32(mqd, MQD(cp_mqd_control), reg_fv(d, F_CP_MQD_CONTROL__PRIV_STATE, 1));
    put64(mqd, MQD(cp_hqd_eop_base_addr_lo), r->eop_va >> 8);
    hw_put32(mqd, MQD(cp_hqd_eop_control),
             reg_fv(d, F_CP_HQD_EOP_CONTROL__EOP_SIZE, log2_of(r->eop_bytes / 4) - 1));
}

int gfx_bind_queue(struct am_device *d, const struct am_ring_desc *r) {
    if (r->ring_bytes < 4096 || (r->ring_bytes & (r->ring_bytes - 1)) || (r->ring_va & 0xff) ||
        r->eop_bytes < 64 || (r->eop_bytes & (r->eop_bytes - 1)) || (r->eop_va & 0xff))
        return -EINVAL;
    uint8_t mqd[MQD_BYTES];
    fill_mqd(d, r, mqd);
    int rc = vram_write(d, blocks(d)->mqd, mqd, sizeof mqd);
    if (rc) return rc;
    gmc_hdp_flush(d);
    gfx_select(d, MEC_ME, 0, 0, 0);
    uint32_t first = reg_addr(d, R_CP_MQD_BASE_ADDR);
    for (size_t i = 0; i < sizeof hqd_regs / sizeof *hqd_regs; i++) {
        if (!reg_has(d, hqd_regs[i])) continue;
        size_t off = MQD(cp_mqd_base_addr_lo) + (size_t)(reg_addr(d, hqd_regs[i]) - first) * 4;
        reg_wr(d, hqd_regs[i], hw_get32(mqd, off));
    }
    reg_wr(d, R_CP_HQD_ACTIVE, reg_fv(d, F_CP_HQD_ACTIVE__ACTIVE, 1));
    gfx_select(d, 0, 0, 0, 0);
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

/* Takes a queue off the MEC; waves that do not end are reset with it. */
static int dequeue(struct am_device *d, uint32_t queue) {
    enum { DEQUEUE_RESET = 2 };
    int rc = 0;
    gfx_select(d, MEC_ME, 0, queue, 0);
    uint32_t active = reg_fv(d, F_CP_HQD_ACTIVE__ACTIVE, 1);
    if (reg_rd(d, R_CP_HQD_ACTIVE) & active) {
        reg_wr(d, R_CP_HQD_DEQUEUE_REQUEST,
               reg_fv(d, F_CP_HQD_DEQUEUE_REQUEST__DEQUEUE_REQ, DEQUEUE_RESET));
        reg_wr(d, R_SPI_COMPUTE_QUEUE_RESET, 1);
        rc = reg_wait(d, R_CP_HQD_ACTIVE, active, 0, DEQUEUE_TIMEOUT_US);
    }
    return rc;
}

int gfx_unbind_queue(struct am_device *d) {
    int rc = 0;
    /* queue 1 is where other drivers of this kind put an AQL queue */
    for (uint32_t q = 0; q < 2 && !rc; q++)
        rc = dequeue(d, q);
    gfx_select(d, 0, 0, 0, 0);
    return rc;
}

int gfx_recover(struct am_device *d) {
    ih_drain(d);
    int rc = gfx_unbind_queue(d);
    if (rc == -ENODEV) return rc;
    /* a MEC that does not answer is reset all the same */
    rc = d->chip->mec_soft_reset(d);
    if (rc) return rc;
    config_mec(d);
    enable_mec(d);
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

static int fini_hw(struct am_device *d) {
    return gfx_unbind_queue(d);
}

#define IH_GET(entry, field)                                                                       \
    ((entry)[IH_ENTRY__##field##_DW] >> IH_ENTRY__##field##_LO &                                   \
     hw_mask(0, IH_ENTRY__##field##_HI - IH_ENTRY__##field##_LO))

/* SQ interrupts: linux amdkfd kfd_int_process_v11.c. */
static void sq_interrupt(struct am_device *d, const uint32_t e[8], struct am_fault *f) {
    enum { ENCODING_WAVE = 1, ENCODING_ERROR = 2 };
    enum { ERROR_ILLEGAL_INST = 1, ERROR_MEMVIOL = 2 };
    static const char *const types[] = {"uncorrectable memory error", "illegal instruction",
                                        "memory violation", "poisoned data"};
    uint32_t c0 = e[IH_ENTRY__CONTEXT_ID0_DW], c1 = e[IH_ENTRY__CONTEXT_ID1_DW];
    uint32_t encoding = IH_GET(e, SQ_ENCODING), type = IH_GET(e, SQ_ERROR_TYPE);
    char where[96];
    snprintf(where, sizeof where, "wave %u of SIMD %u, WGP %u, array %u", IH_GET(e, SQ_WAVE_ID),
             c1 & 3, c1 >> 2 & 0xf, c0 >> 25 & 1);
    if (encoding == ENCODING_ERROR) {
        f->kind = type == ERROR_ILLEGAL_INST ? AM_FAULT_ILLEGAL
                  : type == ERROR_MEMVIOL    ? AM_FAULT_MEMVIOL
                                             : AM_FAULT_OTHER;
        snprintf(f->detail, sizeof f->detail, "%s, detail 0x%x, %s",
                 type < 4 ? types[type] : "unknown shader error", IH_GET(e, SQ_ERROR_DETAIL),
                 where);
    } else if (encoding == ENCODING_WAVE) {
        /* A kernel may send messages too: none of ours does. */
        if ((c0 & 0xffffff) == TRAP_MESSAGE) f->kind = AM_FAULT_TRAP;
        am_log(d, AM_LOG_DEBUG, "gfx", "message 0x%x of %s", c0 & 0xffffff, where);
    }
}

static void irq(struct am_device *d, const uint32_t e[8]) {
    struct am_fault f = {.ring = AM_RING_COMPUTE};
    uint32_t source = e[0] >> 8 & 0xff;
    switch (source) {
    case GFX_11_0_0__SRCID__CP_EOP_INTERRUPT:
        blocks(d)->eop_seen = e[IH_ENTRY__CONTEXT_ID0_DW];
        return;
    case GFX_11_0_0__SRCID__CP_BAD_OPCODE_ERROR:
        f.kind = AM_FAULT_OTHER;
        snprintf(f.detail, sizeof f.detail,
                 "the command processor met a packet that it does not know");
        break;
    case GFX_11_0_0__SRCID__CP_PM4_PKT_RSVD_BIT_ERROR:
        f.kind = AM_FAULT_OTHER;
        snprintf(f.detail, sizeof f.detail, "reserved bits set in a packet");
        break;
    case GFX_11_0_0__SRCID__CP_PRIV_REG_FAULT:
        f.kind = AM_FAULT_OTHER;
        snprintf(f.detail, sizeof f.detail, "a packet named a privileged register");
        break;
    case GFX_11_0_0__SRCID__CP_PRIV_INSTR_FAULT:
        f.kind = AM_FAULT_ILLEGAL;
        snprintf(f.detail, sizeof f.detail, "illegal or privileged instruction");
        break;
    case GFX_11_0_0__SRCID__CP_GPF:
    case GFX_11_0_0__SRCID__GRBM_RD_TIMEOUT_ERROR:
        f.kind = AM_FAULT_OTHER;
        snprintf(f.detail, sizeof f.detail, "command processor fault, source %u context 0x%x",
                 source, e[4]);
        break;
    case GFX_11_0_0__SRCID__SQ_INTERRUPT_ID:
        sq_interrupt(d, e, &f);
        break;
    default:
        return; /* context busy and empty: nothing to tell */
    }
    if (f.kind != AM_FAULT_NONE) fault_record(d, &f);
}

const struct ip_ops gfx_ops = {"GFX", init_sw, init_hw, fini_hw, irq};
