/* SPDX-License-Identifier: MIT */
/* cp.c - hardware queue descriptors of MEC1 and the threads that serve them. */
#include "driver/emulator/cp.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/cp_priv.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/isa/isa.h"
#include "driver/emulator/sdma_exec.h"

enum {
    SH_BASE_DW = 0x2e00,         /* COMPUTE_DISPATCH_INITIATOR: first dword of the SH bank */
    MQD_HQD_DW = 0x80,           /* MQD dword of CP_MQD_BASE_ADDR (v11_compute_mqd) */
    MQD_BYTES = 0x800,           /* linux AMDGPU_MQD_SIZE rounding of the reference */
    MQD_HEADER = (int)0xc0310800 /* linux gfx_v11_0_compute_mqd_init */
};
enum { SPIN_US = 60, QUIESCE_MS = 2000 };

static struct cp *cp_of(struct gpu *g) {
    return *gpu_slot(g, GPU_SLOT_CP);
}

/* ---- banks ---- */

int cp_hqd_index(struct gpu *g, uint32_t dw) {
    uint32_t base = gpu_reg_dw(g, R_CP_MQD_BASE_ADDR);
    return dw - base < CP_HQD_DWORDS ? (int)(dw - base) : -1;
}

int cp_sh_index(struct gpu *g, uint32_t dw) {
    (void)g;
    return dw - SH_BASE_DW < CP_SH_DWORDS ? (int)(dw - SH_BASE_DW) : -1;
}

static unsigned hqd_index(struct gpu *g, enum hw_reg r) {
    return gpu_reg_dw(g, r) - gpu_reg_dw(g, R_CP_MQD_BASE_ADDR);
}

uint32_t cp_reg(struct cp_queue *q, enum hw_reg r) {
    uint32_t dw = gpu_reg_dw(q->g, r);
    int i = cp_hqd_index(q->g, dw);
    if (i >= 0) return q->hqd[i];
    i = cp_sh_index(q->g, dw);
    return i >= 0 ? q->sh[i] : 0;
}

static void reg_put(struct cp_queue *q, enum hw_reg r, uint32_t v) {
    unsigned i = hqd_index(q->g, r);
    if (i < CP_HQD_DWORDS) q->hqd[i] = v;
}

uint32_t cp_field(struct cp_queue *q, enum hw_field f) {
    return hw_field_get(gpu_ip(q->g, HW_GC), f, cp_reg(q, hw_fields[f].reg));
}

static uint64_t reg_pair(struct cp_queue *q, enum hw_reg lo, enum hw_reg hi) {
    return cp_reg(q, lo) | (uint64_t)cp_reg(q, hi) << 32;
}

void cp_irq(struct cp_queue *q, enum hw_field enable, unsigned source, uint32_t ctxid) {
    uint32_t cntl = mmio_get_pipe(q->g, R_CP_ME1_PIPE0_INT_CNTL, 1, q->pipe);
    if (!hw_field_get(gpu_ip(q->g, HW_GC), enable, cntl)) return;
    /* ring_id: pipe 0-1, me 2-3, queue 4-6 (linux gfx_v11_0_eop_irq). */
    const uint32_t data[4] = {ctxid, 0, 0, 0};
    gpu_irq(q->g, SOC21_IH_CLIENTID_GRBM_CP, source, q->pipe | 1u << 2 | q->queue << 4, 0, data);
}

/* ---- activation ---- */

static bool in_doorbell_range(struct gpu *g, uint32_t byte) {
    return byte >= gpu_reg_get(g, R_CP_MEC_DOORBELL_RANGE_LOWER) &&
           byte <= gpu_reg_get(g, R_CP_MEC_DOORBELL_RANGE_UPPER) + 7;
}

static uint32_t doorbell_byte(struct cp_queue *q) {
    return cp_field(q, F_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET) * 4;
}

/* What the registers must say before the micro-engine accepts a queue. NULL, or what is wrong. */
static const char *check_hqd(struct cp_queue *q) {
    struct gpu *g = q->g;
    unsigned size = cp_field(q, F_CP_HQD_PQ_CONTROL__QUEUE_SIZE);
    if (!gpu_fw_ready(g, GPU_FW_MEC)) return "the MEC firmware is not loaded";
    if (!gpu_mec_ready(g, q->pipe))
        return "the MEC pipe is not active (program counter, reset pulse, MEC_PIPEn_ACTIVE)";
    if (!reg_pair(q, R_CP_MQD_BASE_ADDR, R_CP_MQD_BASE_ADDR_HI)) return "CP_MQD_BASE_ADDR is 0";
    if (cp_reg(q, R_CP_MQD_BASE_ADDR) & 0xff) return "CP_MQD_BASE_ADDR is not 256-byte aligned";
    if (cp_field(q, F_CP_HQD_VMID__VMID)) return "CP_HQD_VMID is not 0 (no such page tables)";
    if (!reg_pair(q, R_CP_HQD_PQ_BASE, R_CP_HQD_PQ_BASE_HI)) return "CP_HQD_PQ_BASE is 0";
    if (size < 5 || size > 0x1d) return "CP_HQD_PQ_CONTROL.QUEUE_SIZE is out of range";
    if (cp_field(q, F_CP_HQD_PQ_CONTROL__RPTR_BLOCK_SIZE) > size)
        return "CP_HQD_PQ_CONTROL.RPTR_BLOCK_SIZE exceeds QUEUE_SIZE";
    if (cp_field(q, F_CP_HQD_PQ_CONTROL__EXE_DISABLE))
        return "CP_HQD_PQ_CONTROL.EXE_DISABLE is set";
    if (!cp_field(q, F_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN)) return "DOORBELL_EN is not set";
    if (!in_doorbell_range(g, doorbell_byte(q)))
        return "the doorbell is outside CP_MEC_DOORBELL_RANGE";
    if (!reg_pair(q, R_CP_HQD_EOP_BASE_ADDR, R_CP_HQD_EOP_BASE_ADDR_HI))
        return "CP_HQD_EOP_BASE_ADDR is 0";
    if (cp_field(q, F_CP_HQD_EOP_CONTROL__EOP_SIZE) < 5)
        return "CP_HQD_EOP_CONTROL.EOP_SIZE is too small";
    if (!reg_pair(q, R_CP_HQD_PQ_RPTR_REPORT_ADDR, R_CP_HQD_PQ_RPTR_REPORT_ADDR_HI))
        return "CP_HQD_PQ_RPTR_REPORT_ADDR is 0";
    return NULL;
}

/* The registers that gfx_v11_0_kiq_init_register writes from the MQD, which must agree with it. */
static const enum hw_reg mqd_regs[] = {
    R_CP_MQD_BASE_ADDR,
    R_CP_MQD_BASE_ADDR_HI,
    R_CP_HQD_VMID,
    R_CP_HQD_PERSISTENT_STATE,
    R_CP_HQD_PQ_BASE,
    R_CP_HQD_PQ_BASE_HI,
    R_CP_HQD_PQ_RPTR_REPORT_ADDR,
    R_CP_HQD_PQ_RPTR_REPORT_ADDR_HI,
    R_CP_HQD_PQ_WPTR_POLL_ADDR,
    R_CP_HQD_PQ_WPTR_POLL_ADDR_HI,
    R_CP_HQD_PQ_DOORBELL_CONTROL,
    R_CP_HQD_PQ_CONTROL,
    R_CP_MQD_CONTROL,
    R_CP_HQD_EOP_BASE_ADDR,
    R_CP_HQD_EOP_BASE_ADDR_HI,
    R_CP_HQD_EOP_CONTROL,
};

/* The queue's first use: the micro-engine reads the MQD and loads the compute state from it. */
static bool connect(struct cp_queue *q) {
    struct gpu *g = q->g;
    uint64_t mc = reg_pair(q, R_CP_MQD_BASE_ADDR, R_CP_MQD_BASE_ADDR_HI);
    const uint32_t *mqd = gpu_mc_ptr(g, mc, MQD_BYTES);
    uint32_t copy[MQD_BYTES / 4];
    if (mqd) {
        hdp_check_read(g, AGENT_CP, mc - g->mc_base, MQD_BYTES);
        memcpy(copy, mqd, sizeof copy);
    } else if (engine_read(&q->mem, mc, copy, sizeof copy)) {
        return false;
    }
    if (copy[0] != (uint32_t)MQD_HEADER) {
        gpu_guest_error(g,
                        "CP: MQD at 0x%llx has header 0x%08x, not 0x%08x: the queue does not run",
                        (unsigned long long)mc, copy[0], (uint32_t)MQD_HEADER);
        return false;
    }
    for (unsigned i = 0; i < sizeof mqd_regs / sizeof *mqd_regs; i++) {
        unsigned k = hqd_index(g, mqd_regs[i]);
        uint32_t ignore = mqd_regs[i] == R_CP_HQD_PQ_DOORBELL_CONTROL ? 1u << 31 : 0;
        if (k >= CP_HQD_DWORDS || !((copy[MQD_HQD_DW + k] ^ q->hqd[k]) & ~ignore)) continue;
        gpu_guest_error(g, "CP: %s is 0x%08x but the MQD says 0x%08x: the queue does not run",
                        hw_regs[mqd_regs[i]].name, q->hqd[k], copy[MQD_HQD_DW + k]);
        return false;
    }
    if (cp_field(q, F_CP_HQD_PERSISTENT_STATE__PRELOAD_REQ)) {
        /* MQD dword 1 is COMPUTE_DISPATCH_INITIATOR; the rest follows register order. */
        for (unsigned i = 1; i < 0x51; i++)
            q->sh[i - 1] = copy[i];
    }
    if (cp_field(q, F_CP_HQD_AQL_CONTROL__CONTROL0)) {
        gpu_unimplemented(g, "CP: AQL queue (CP_HQD_AQL_CONTROL.CONTROL0)");
        return false;
    }
    uint64_t eop = reg_pair(q, R_CP_HQD_EOP_BASE_ADDR, R_CP_HQD_EOP_BASE_ADDR_HI) << 8;
    return engine_xlat(&q->mem, eop, true) != NULL;
}

static void *queue_thread(void *arg);

static void activate(struct cp_queue *q) {
    struct cp *cp = q->cp;
    const char *why = check_hqd(q);
    if (why) {
        gpu_guest_error(q->g, "CP_HQD_ACTIVE set for me 1 pipe %u queue %u, but %s", q->pipe,
                        q->queue, why);
        return;
    }
    pthread_mutex_lock(&cp->lock);
    if (!q->active && !cp->closing) {
        q->ring_va = reg_pair(q, R_CP_HQD_PQ_BASE, R_CP_HQD_PQ_BASE_HI) << 8;
        q->ring_dwords = 2u << cp_field(q, F_CP_HQD_PQ_CONTROL__QUEUE_SIZE);
        q->rptr = cp_field(q, F_CP_HQD_PQ_RPTR__CONSUMED_OFFSET);
        q->wptr = reg_pair(q, R_CP_HQD_PQ_WPTR_LO, R_CP_HQD_PQ_WPTR_HI);
        q->starved = ~0ull;
        q->stop = 0;
        q->connected = false;
        q->stuck = false;
        q->drain = false;
        q->active = true;
        if (!q->thread_up) {
            sigset_t all, old;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &old);
            q->thread_up = pthread_create(&q->thread, NULL, queue_thread, q) == 0;
            pthread_sigmask(SIG_SETMASK, &old, NULL);
        }
        if (!q->thread_up) q->active = false;
        pthread_cond_broadcast(&cp->cond);
    }
    bool failed = !q->active && !cp->closing;
    pthread_mutex_unlock(&cp->lock);
    if (failed) gpu_unimplemented(q->g, "CP: the host has no thread for a queue");
}

/* Asks the queue's thread to leave and waits until it did (bounded), then unmaps the queue. */
static void deactivate_locked(struct cp_queue *q, bool reset_waves) {
    struct cp *cp = q->cp;
    if (reset_waves) q->stop = 1;
    q->drain = true;
    engine_wait_kick(&cp->wait);
    bool self = q->thread_up && pthread_equal(pthread_self(), q->thread);
    uint64_t end = monotonic_ns() + QUIESCE_MS * 1000000ull;
    while (q->busy && reset_waves && !self && monotonic_ns() < end)
        cond_wait_us(&cp->cond, &cp->lock, 1000);
    if (q->busy) return; /* the thread itself finishes it */
    cache_queue_gone(q->g);
    q->active = false;
    q->connected = false;
    q->drain = false;
    reg_put(q, R_CP_HQD_DEQUEUE_REQUEST, 0);
    reg_put(q, R_CP_HQD_PQ_RPTR, (uint32_t)q->rptr & (q->ring_dwords - 1));
}

static void dequeue(struct cp_queue *q, uint32_t request) {
    struct cp *cp = q->cp;
    if (!request) return;
    if (request > 2) {
        gpu_unimplemented(q->g, "CP_HQD_DEQUEUE_REQUEST %u (context save)", request);
        return;
    }
    pthread_mutex_lock(&cp->lock);
    if (q->active) deactivate_locked(q, request == 2);
    pthread_mutex_unlock(&cp->lock);
}

/* ---- the queue's thread ---- */

static bool has_work(struct cp_queue *q) {
    return q->active && !q->stuck && !q->stop && !q->drain && q->wptr != q->rptr &&
           q->wptr != q->starved;
}

/* Looks for new work for a moment before sleeping: most packets come in bursts. */
static void spin_for_work(struct cp_queue *q) {
    if (!q->cp->spin) return;
    uint64_t end = monotonic_ns() + SPIN_US * 1000ull;
    while (!q->stop && (q->wptr == q->rptr || q->wptr == q->starved)) {
        for (int i = 0; i < 50; i++)
            __builtin_ia32_pause();
        if (monotonic_ns() >= end) return;
        sched_yield(); /* who would bring the work may need this very CPU */
    }
}

/* Reports the read pointer to memory as the queue asks. */
static void report_rptr(struct cp_queue *q) {
    uint32_t rptr = (uint32_t)q->rptr & (q->ring_dwords - 1);
    reg_put(q, R_CP_HQD_PQ_RPTR, rptr);
    if (cp_field(q, F_CP_HQD_PQ_CONTROL__NO_UPDATE_RPTR)) return;
    uint64_t va = reg_pair(q, R_CP_HQD_PQ_RPTR_REPORT_ADDR, R_CP_HQD_PQ_RPTR_REPORT_ADDR_HI);
    if (engine_write32(&q->mem, va, rptr)) q->stuck = true;
}

static void run_queue(struct cp_queue *q) {
    struct cp *cp = q->cp;
    bool ok = q->connected || connect(q);
    enum pm4_status s = ok ? pm4_run(q) : PM4_STUCK;
    if (ok && s == PM4_DONE) report_rptr(q);
    pthread_mutex_lock(&cp->lock);
    q->connected = ok;
    if (s == PM4_STUCK) q->stuck = true;
    q->busy = false;
    if (q->drain) deactivate_locked(q, false);
    pthread_cond_broadcast(&cp->cond);
    pthread_mutex_unlock(&cp->lock);
}

static void *queue_thread(void *arg) {
    struct cp_queue *q = arg;
    struct cp *cp = q->cp;
    engine_mem_init(&q->mem, q->g, AGENT_CP);
    pthread_mutex_lock(&cp->lock);
    while (!cp->closing) {
        if (!has_work(q) || !gpu_mec_ready(q->g, q->pipe)) {
            atomic_fetch_add(&cp->sleepers, 1);
            if (!has_work(q)) {
                pthread_cond_wait(&cp->cond, &cp->lock);
            } else if (!gpu_mec_ready(q->g, q->pipe)) {
                cond_wait_us(&cp->cond, &cp->lock, 1000);
            }
            atomic_fetch_sub(&cp->sleepers, 1);
            continue;
        }
        q->busy = true;
        pthread_mutex_unlock(&cp->lock);
        run_queue(q);
        spin_for_work(q);
        pthread_mutex_lock(&cp->lock);
    }
    pthread_mutex_unlock(&cp->lock);
    return NULL;
}

/* ---- doorbells ---- */

static void set_wptr(struct cp_queue *q, uint64_t wptr) {
    struct cp *cp = q->cp;
    if (wptr < q->rptr || wptr - q->rptr > q->ring_dwords) {
        gpu_guest_error(q->g,
                        "CP: write pointer 0x%llx of pipe %u queue %u: %s (read pointer 0x%llx)",
                        (unsigned long long)wptr, q->pipe, q->queue,
                        wptr < q->rptr ? "it moved backwards" : "more than the ring holds",
                        (unsigned long long)q->rptr);
        return;
    }
    cache_doorbell(q->g, AGENT_CP);
    q->wptr = wptr;
    reg_put(q, R_CP_HQD_PQ_WPTR_LO, (uint32_t)wptr);
    reg_put(q, R_CP_HQD_PQ_WPTR_HI, (uint32_t)(wptr >> 32));
    /* A thread counts itself as a sleeper before it looks at wptr for the last time. */
    if (!cp->sleepers) return;
    pthread_mutex_lock(&cp->lock);
    pthread_cond_broadcast(&cp->cond);
    pthread_mutex_unlock(&cp->lock);
}

void cp_doorbell(struct gpu *g, uint32_t byte_off, uint64_t value) {
    struct cp *cp = cp_of(g);
    if (!cp) return;
    if (!in_doorbell_range(g, byte_off)) {
        gpu_guest_error(g, "CP: doorbell at BAR2+0x%x is outside CP_MEC_DOORBELL_RANGE", byte_off);
        return;
    }
    for (unsigned p = 0; p < CP_PIPES; p++) {
        for (unsigned i = 0; i < CP_QUEUES; i++) {
            struct cp_queue *q = &cp->q[p][i];
            if (!q->active || doorbell_byte(q) != byte_off) continue;
            if (!cp_field(q, F_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN)) continue;
            set_wptr(q, value);
            return;
        }
    }
    gpu_guest_error(g, "CP: doorbell at BAR2+0x%x rings no active queue", byte_off);
}

/* ---- register accesses ---- */

static struct cp_queue *select_queue(struct gpu *g, unsigned me, unsigned pipe, unsigned queue,
                                     const char *what) {
    struct cp *cp = cp_of(g);
    if (!cp) return NULL;
    if (me != 1 || pipe >= CP_PIPES || queue >= CP_QUEUES) {
        gpu_guest_error(g, "%s accessed with GRBM_GFX_CNTL me %u pipe %u queue %u: no such queue",
                        what, me, pipe, queue);
        return NULL;
    }
    return &cp->q[pipe][queue];
}

uint32_t cp_hqd_read(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, unsigned index) {
    struct cp_queue *q = select_queue(g, me, pipe, queue, "CP_HQD register");
    if (!q || index >= CP_HQD_DWORDS) return 0;
    if (index == hqd_index(g, R_CP_HQD_ACTIVE)) return q->active;
    if (index == hqd_index(g, R_CP_HQD_PQ_RPTR) && q->active)
        return (uint32_t)q->rptr & (q->ring_dwords - 1);
    return q->hqd[index];
}

/* Registers that may change under a running queue. */
static bool writable_while_active(struct gpu *g, unsigned index) {
    static const enum hw_reg ok[] = {
        R_CP_HQD_DEQUEUE_REQUEST, R_CP_HQD_PQ_WPTR_LO,     R_CP_HQD_PQ_WPTR_HI,
        R_CP_HQD_PIPE_PRIORITY,   R_CP_HQD_QUEUE_PRIORITY, R_CP_HQD_QUANTUM,
        R_CP_HQD_MSG_TYPE,        R_CP_HQD_ERROR,          R_CP_HQD_PQ_DOORBELL_CONTROL,
    };
    for (unsigned i = 0; i < sizeof ok / sizeof *ok; i++)
        if (index == hqd_index(g, ok[i])) return true;
    return false;
}

static void write_active(struct cp_queue *q, uint32_t v) {
    struct cp *cp = q->cp;
    if (v & 1) {
        if (q->active) return;
        activate(q);
        return;
    }
    if (!q->active) return;
    gpu_guest_error(q->g, "CP_HQD_ACTIVE cleared on a running queue without a dequeue request");
    pthread_mutex_lock(&cp->lock);
    if (q->active) deactivate_locked(q, true);
    pthread_mutex_unlock(&cp->lock);
}

void cp_hqd_write(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, unsigned index,
                  uint32_t v) {
    struct cp_queue *q = select_queue(g, me, pipe, queue, "CP_HQD register");
    if (!q || index >= CP_HQD_DWORDS) return;
    if (index == hqd_index(g, R_CP_HQD_ACTIVE)) {
        write_active(q, v);
        return;
    }
    if (q->active && !writable_while_active(g, index)) {
        gpu_guest_error(g, "CP: HQD dword 0x%x written while the queue is active", index);
        return;
    }
    q->hqd[index] = v;
    if (index == hqd_index(g, R_CP_HQD_DEQUEUE_REQUEST))
        dequeue(q, cp_field(q, F_CP_HQD_DEQUEUE_REQUEST__DEQUEUE_REQ));
    if (index == hqd_index(g, R_CP_HQD_PQ_WPTR_LO) && q->active)
        set_wptr(q, reg_pair(q, R_CP_HQD_PQ_WPTR_LO, R_CP_HQD_PQ_WPTR_HI));
}

uint32_t cp_sh_read(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, unsigned index) {
    struct cp_queue *q = select_queue(g, me, pipe, queue, "COMPUTE register");
    return q && index < CP_SH_DWORDS ? q->sh[index] : 0;
}

void cp_sh_write(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, unsigned index,
                 uint32_t v) {
    struct cp_queue *q = select_queue(g, me, pipe, queue, "COMPUTE register");
    if (!q || index >= CP_SH_DWORDS) return;
    q->sh[index] = v;
    if (index == 0 && v & 1)
        gpu_unimplemented(g, "launch by a register write of COMPUTE_DISPATCH_INITIATOR");
}

/* ---- resets ---- */

void cp_spi_queue_reset(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, uint32_t v) {
    if (!(v & 1)) return;
    struct cp_queue *q = select_queue(g, me, pipe, queue, "SPI_COMPUTE_QUEUE_RESET");
    if (!q) return;
    pthread_mutex_lock(&q->cp->lock);
    if (q->active && q->drain) {
        deactivate_locked(q, true);
    } else if (q->busy) {
        q->stop = 1; /* waves die; the packet that launched them never completes */
        q->stuck = true;
    }
    pthread_mutex_unlock(&q->cp->lock);
}

static void reset_pipe(struct cp *cp, unsigned pipe, bool forget) {
    pthread_mutex_lock(&cp->lock);
    for (unsigned i = 0; i < CP_QUEUES; i++) {
        struct cp_queue *q = &cp->q[pipe][i];
        if (q->active) deactivate_locked(q, true);
        if (!forget) continue;
        for (unsigned k = 0; k < CP_HQD_DWORDS; k++)
            q->hqd[k] = 0;
        for (unsigned k = 0; k < CP_SH_DWORDS; k++)
            q->sh[k] = 0;
        const struct hw_ip_table *t = gpu_ip(cp->g, HW_GC);
        for (int r = R_COMPUTE_DDID_INDEX; r <= R_COMPUTE_WAVE_RESTORE_ADDR_LO; r++) {
            int at = cp_sh_index(cp->g, gpu_reg_dw(cp->g, (enum hw_reg)r));
            if (at >= 0) q->sh[at] = hw_reg_loc(t, (enum hw_reg)r)->reset;
        }
        int err = cp_hqd_index(cp->g, gpu_reg_dw(cp->g, R_CP_HQD_EOP_WPTR));
        if (err >= 0) q->hqd[err] = hw_reg_loc(t, R_CP_HQD_EOP_WPTR)->reset;
    }
    pthread_mutex_unlock(&cp->lock);
}

void cp_reset(struct gpu *g) {
    struct cp *cp = cp_of(g);
    if (!cp) return;
    for (unsigned p = 0; p < CP_PIPES; p++)
        reset_pipe(cp, p, true);
    cp->counting = false;
    cp->waves_launched = 0;
}

void cp_mec_cntl(struct gpu *g) {
    static const enum hw_field reset[CP_PIPES] = {
        F_CP_MEC_RS64_CNTL__MEC_PIPE0_RESET, F_CP_MEC_RS64_CNTL__MEC_PIPE1_RESET,
        F_CP_MEC_RS64_CNTL__MEC_PIPE2_RESET, F_CP_MEC_RS64_CNTL__MEC_PIPE3_RESET};
    struct cp *cp = cp_of(g);
    if (!cp) return;
    for (unsigned p = 0; p < CP_PIPES; p++)
        if (gpu_field_get(g, reset[p])) reset_pipe(cp, p, false);
    pthread_mutex_lock(&cp->lock);
    pthread_cond_broadcast(&cp->cond); /* a halt that ended lets queues go on */
    pthread_mutex_unlock(&cp->lock);
}

/* ---- waiting packets ---- */

void cp_kick(struct gpu *g) {
    struct cp *cp = cp_of(g);
    if (cp) engine_wait_kick(&cp->wait);
}

bool cp_idle(struct gpu *g) {
    struct cp *cp = cp_of(g);
    if (!cp) return true;
    bool idle = true;
    pthread_mutex_lock(&cp->lock);
    for (unsigned p = 0; p < CP_PIPES; p++)
        for (unsigned i = 0; i < CP_QUEUES; i++)
            if (cp->q[p][i].busy || cp->q[p][i].stuck) idle = false;
    pthread_mutex_unlock(&cp->lock);
    return idle;
}

/* ---- life ---- */

void cp_init(struct gpu *g) {
    struct cp *cp = calloc(1, sizeof *cp);
    if (!cp) return;
    cp->g = g;
    pthread_mutex_init(&cp->lock, NULL);
    engine_wait_init(&cp->wait);
    cond_init_monotonic(&cp->cond);
    cp->spin = host_has_spare_cpu();
    cp->pool = pool_create(g);
    pthread_mutex_init(&cp->spare_lock, NULL);
    for (unsigned p = 0; p < CP_PIPES; p++) {
        for (unsigned i = 0; i < CP_QUEUES; i++) {
            struct cp_queue *q = &cp->q[p][i];
            q->cp = cp;
            q->g = g;
            q->pipe = p;
            q->queue = i;
        }
    }
    *gpu_slot(g, GPU_SLOT_CP) = cp;
    cp_reset(g);
}

/* Waits until the guard's thread is past where it is now; bounded. */
static bool guard_passed(mem_guard *m) {
    uint64_t seen = *m, end = monotonic_ns() + QUIESCE_MS * 1000000ull;
    while (seen & 1 && *m == seen && monotonic_ns() < end)
        nanosleep(&(struct timespec){0, 20000}, NULL);
    return !(seen & 1) || *m != seen;
}

void cp_release_memory(struct gpu *g) {
    struct cp *cp = cp_of(g);
    if (!cp) return;
    isa_invalidate_translations();
    atomic_thread_fence(memory_order_seq_cst);
    bool ok = true;
    for (unsigned p = 0; p < CP_PIPES; p++)
        for (unsigned i = 0; i < CP_QUEUES; i++)
            ok &= guard_passed(&cp->q[p][i].mem.guard) && guard_passed(&cp->q[p][i].guard);
    for (unsigned i = 0; i < POOL_WIDTH_MAX; i++)
        ok &= guard_passed(&cp->helper_guard[i]);
    struct engine_mem *sdma = sdma_mem(g);
    if (sdma) ok &= guard_passed(&sdma->guard);
    if (!ok) gpu_unimplemented(g, "memory unmapped while an engine would not let go of it");
}

void cp_quit(struct gpu *g) {
    struct cp *cp = cp_of(g);
    if (!cp) return;
    pthread_mutex_lock(&cp->lock);
    cp->closing = true;
    for (unsigned p = 0; p < CP_PIPES; p++)
        for (unsigned i = 0; i < CP_QUEUES; i++)
            cp->q[p][i].stop = 1;
    pthread_cond_broadcast(&cp->cond);
    pthread_mutex_unlock(&cp->lock);
    engine_wait_kick(&cp->wait);
    for (unsigned p = 0; p < CP_PIPES; p++) {
        for (unsigned i = 0; i < CP_QUEUES; i++) {
            if (cp->q[p][i].thread_up) pthread_join(cp->q[p][i].thread, NULL);
            cp->q[p][i].thread_up = false;
        }
    }
}

void cp_fini(struct gpu *g) {
    struct cp *cp = cp_of(g);
    if (!cp) return;
    cp_quit(g);
    sdma_quit(g);
    pool_destroy(cp->pool);
    dispatch_fini(cp);
    *gpu_slot(g, GPU_SLOT_CP) = NULL;
    pthread_mutex_destroy(&cp->spare_lock);
    pthread_cond_destroy(&cp->cond);
    pthread_mutex_destroy(&cp->lock);
    engine_wait_fini(&cp->wait);
    free(cp);
}
