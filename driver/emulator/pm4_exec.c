/* SPDX-License-Identifier: MIT */
/* pm4_exec.c - the packets of the compute micro-engine. Layouts from driver/hw/packets/pm4.csv;
 * behaviour from linux nvd.h and gfx_v11_0.c and from GPUOpen pal's packet builders. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/cp_priv.h"
#include "driver/emulator/sdma_exec.h"

/* Bases of the register spaces of SET_* packets, absolute dwords (linux nvd.h PACKET3_SET_*). */
enum { CONFIG_BASE = 0x2000, SH_BASE = 0x2c00, SH_END = 0x3000, UCONFIG_BASE = 0xc000 };
enum { UCONFIG_END = 0x10000, CONFIG_END = 0x2c00 };
enum { MAX_DW = 24, MAX_IB_DEPTH = 2 };
/* Event types, soc21_enum.h VGT_EVENT_TYPE. */
enum {
    EVENT_CACHE_FLUSH_TS = 4,
    EVENT_CACHE_FLUSH = 6,
    EVENT_CS_PARTIAL_FLUSH = 7,
    EVENT_FLUSH_AND_INV_TS = 20,
    EVENT_FLUSH_AND_INV = 22,
    EVENT_PERFCOUNTER_START = 23,
    EVENT_PERFCOUNTER_STOP = 24,
    EVENT_PERFCOUNTER_SAMPLE = 27,
    EVENT_BOTTOM_OF_PIPE_TS = 40,
    EVENT_CS_DONE = 47,
    EVENT_THREAD_TRACE_FIRST = 51,
    EVENT_THREAD_TRACE_LAST = 55,
};

/* One packet being executed, and where it came from. */
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

static uint32_t field(const struct pm4 *x, enum hw_pm4_field f) {
    return hw_pkt_get(x->p, hw_pm4_fields[gpu_gen(x->g)][f]);
}

/* A 64-bit address from its low field (whose position keeps the alignment bits out) and high. */
static uint64_t addr(const struct pm4 *x, enum hw_pm4_field lo, enum hw_pm4_field hi) {
    struct hw_pkt_bits b = hw_pm4_fields[gpu_gen(x->g)][lo];
    uint64_t low = b.dword < 0 ? 0 : x->p[b.dword] & hw_mask(b.lo, b.hi);
    return low | (uint64_t)field(x, hi) << 32;
}

static int bad(struct pm4 *x, const char *what) {
    gpu_guest_error(x->g, "PM4: opcode 0x%02x: %s", x->p[0] >> 8 & 0xff, what);
    return -EBADMSG;
}

static void kick_waiters(struct pm4 *x) {
    cp_kick(x->g);
    sdma_kick(x->g);
}

static bool leaving(const struct cp_queue *q) {
    return q->stop || q->drain || q->cp->closing;
}

/* ---- registers as the queue sees them ---- */

static void reg_write(struct pm4 *x, uint32_t dw, uint32_t v) {
    int i = cp_sh_index(x->g, dw);
    if (i < 0) {
        gpu_mmio_write(x->g, dw, v);
        kick_waiters(x);
        return;
    }
    if (gpu_reg_at(x->g, dw) < 0) {
        gpu_guest_error(x->g, "PM4: write of 0x%08x to dword 0x%x, where no COMPUTE register is", v,
                        dw);
        return;
    }
    x->q->sh[i] = v;
}

static uint32_t reg_read(struct pm4 *x, uint32_t dw) {
    int i = cp_sh_index(x->g, dw);
    return i < 0 ? gpu_mmio_read(x->g, dw) : x->q->sh[i];
}

static int set_regs(struct pm4 *x, uint32_t base, uint32_t end) {
    uint32_t at = base + (x->p[1] & 0xffff);
    if (at + x->n - 1 > end) return bad(x, "registers beyond the packet's space");
    for (unsigned i = 2; i <= x->n; i++)
        reg_write(x, at++, x->p[i]);
    return 0;
}

static int op_set_sh_reg(struct pm4 *x) {
    if (x->p[1] >> 28 & 1) return bad(x, "insert_vmid from a queue of VMID 0");
    return set_regs(x, SH_BASE, SH_END);
}

static int op_set_uconfig_reg(struct pm4 *x) {
    return set_regs(x, UCONFIG_BASE, UCONFIG_END);
}

static int op_set_config_reg(struct pm4 *x) {
    return set_regs(x, CONFIG_BASE, CONFIG_END);
}

static int op_set_sh_pairs(struct pm4 *x) {
    unsigned count = field(x, PM4_SET_SH_REG_PAIRS_PACKED__REG_WRITES_COUNT);
    if (count & 1 || x->n != 1 + count / 2 * 3) return bad(x, "register count disagrees with size");
    for (unsigned i = 0; i < count / 2; i++) {
        const uint32_t *t = &x->p[2 + 3 * i];
        reg_write(x, SH_BASE + (t[0] & 0xffff), t[1]);
        reg_write(x, SH_BASE + (t[0] >> 16), t[2]);
    }
    return 0;
}

/* ---- waiting ---- */

struct wait {
    bool mem, wide;
    unsigned func;
    uint64_t at, ref, mask; /* at: address or register dword */
};

static int poll_once(struct pm4 *x, const struct wait *w, bool *met) {
    uint64_t v = 0;
    if (!w->mem) {
        v = reg_read(x, (uint32_t)w->at);
        if (w->wide) v |= (uint64_t)reg_read(x, (uint32_t)w->at + 1) << 32;
    } else if (w->wide) {
        if (engine_read64(&x->q->mem, w->at, &v)) return -EFAULT;
    } else {
        uint32_t v32;
        if (engine_read32(&x->q->mem, w->at, &v32)) return -EFAULT;
        v = v32;
    }
    *met = engine_compare(w->func, v & w->mask, w->ref);
    return 0;
}

static int wait_until(struct pm4 *x, const struct wait *w) {
    struct cp *cp = x->q->cp;
    unsigned backoff = 20;
    for (unsigned spins = 0;; spins++) {
        uint64_t seen = engine_wait_seen(&cp->wait);
        bool met = false;
        if (leaving(x->q)) return -EINTR;
        int err = poll_once(x, w, &met);
        if (err || met) return err;
        if (spins < 64) {
            for (int i = 0; i < 20; i++)
                __builtin_ia32_pause();
        } else {
            engine_wait_sleep(&cp->wait, seen, &backoff);
        }
    }
}

static int op_wait_reg_mem(struct pm4 *x) {
    unsigned func = field(x, PM4_WAIT_REG_MEM__FUNCTION);
    unsigned op = field(x, PM4_WAIT_REG_MEM__OPERATION);
    bool mem = field(x, PM4_WAIT_REG_MEM__MEM_SPACE) == 1;
    if (func > 6) return bad(x, "reserved compare function");
    if (field(x, PM4_WAIT_REG_MEM__MEM_SPACE) > 1) return bad(x, "reserved memory space");
    if (op == 2) return bad(x, "reserved operation");
    struct wait w = {.mem = mem,
                     .func = func,
                     .ref = field(x, PM4_WAIT_REG_MEM__REFERENCE),
                     .mask = field(x, PM4_WAIT_REG_MEM__MASK)};
    if (op == 1) { /* write the reference to one register, wait on the other */
        if (mem) return bad(x, "wr_wait_wr_reg needs register space");
        reg_write(x, field(x, PM4_WAIT_REG_MEM__REG_WRITE_ADDR1), (uint32_t)w.ref);
        w.at = field(x, PM4_WAIT_REG_MEM__REG_WRITE_ADDR2);
    } else if (mem) {
        if (x->p[2] & 3) return bad(x, "address is not dword aligned");
        w.at = addr(x, PM4_WAIT_REG_MEM__MEM_POLL_ADDR_LO, PM4_WAIT_REG_MEM__MEM_POLL_ADDR_HI);
    } else {
        w.at = field(x, PM4_WAIT_REG_MEM__REG_POLL_ADDR);
    }
    return wait_until(x, &w);
}

static int op_wait_reg_mem64(struct pm4 *x) {
    unsigned func = field(x, PM4_WAIT_REG_MEM64__FUNCTION);
    bool mem = field(x, PM4_WAIT_REG_MEM64__MEM_SPACE) == 1;
    unsigned op = field(x, PM4_WAIT_REG_MEM64__OPERATION);
    if (func > 6) return bad(x, "reserved compare function");
    if (op != 0 && op != 3) return bad(x, "only waits are 64 bits wide");
    if (mem && x->p[2] & 7) return bad(x, "address is not qword aligned");
    struct wait w = {.mem = mem,
                     .wide = true,
                     .func = func,
                     .ref = field(x, PM4_WAIT_REG_MEM64__REFERENCE) |
                            (uint64_t)field(x, PM4_WAIT_REG_MEM64__REFERENCE_HI) << 32,
                     .mask = field(x, PM4_WAIT_REG_MEM64__MASK) |
                             (uint64_t)field(x, PM4_WAIT_REG_MEM64__MASK_HI) << 32};
    w.at = mem ? addr(x, PM4_WAIT_REG_MEM64__MEM_POLL_ADDR_LO, PM4_WAIT_REG_MEM64__MEM_POLL_ADDR_HI)
               : field(x, PM4_WAIT_REG_MEM64__REG_POLL_ADDR);
    return wait_until(x, &w);
}

/* ---- caches and events ---- */

static bool bit(uint32_t v, unsigned b) {
    return v >> b & 1;
}

static int op_acquire_mem(struct pm4 *x) {
    bool gfx12 = gpu_gen(x->g) == HW_GFX12;
    uint32_t c = field(x, PM4_ACQUIRE_MEM__GCR_CNTL);
    bool all = field(x, PM4_ACQUIRE_MEM__COHER_SIZE) == ~0u &&
               !field(x, PM4_ACQUIRE_MEM__COHER_BASE_LO) &&
               !field(x, PM4_ACQUIRE_MEM__COHER_BASE_HI);
    if (!all) {
        gpu_unimplemented(x->g, "ACQUIRE_MEM of a range");
        return 0;
    }
    struct cache_action a = {
        .inv_i = (c >> GFX11_GCR_ACQUIRE_MEM__GLI_INV & 3) == 1,
        .inv_k = bit(c, GFX11_GCR_ACQUIRE_MEM__GLK_INV),
        .inv_v = bit(c, GFX11_GCR_ACQUIRE_MEM__GLV_INV) &&
                 (gfx12 || bit(c, GFX11_GCR_ACQUIRE_MEM__GL1_INV)),
        .inv_gl2 = bit(c, GFX11_GCR_ACQUIRE_MEM__GL2_INV),
        .wb_gl2 = bit(c, GFX11_GCR_ACQUIRE_MEM__GL2_WB),
    };
    cache_act(x->g, &a);
    return 0;
}

static bool event_is_timestamp(unsigned e) {
    return e == EVENT_CACHE_FLUSH_TS || e == EVENT_FLUSH_AND_INV_TS ||
           e == EVENT_BOTTOM_OF_PIPE_TS || e == EVENT_CS_DONE;
}

static int release_data(struct pm4 *x, bool *host) {
    struct engine_mem *m = &x->q->mem;
    unsigned sel = field(x, PM4_RELEASE_MEM__DATA_SEL);
    uint64_t at32 = addr(x, PM4_RELEASE_MEM__ADDRESS_LO_32B, PM4_RELEASE_MEM__ADDRESS_HI);
    uint64_t at64 = addr(x, PM4_RELEASE_MEM__ADDRESS_LO_64B, PM4_RELEASE_MEM__ADDRESS_HI);
    uint64_t data =
        field(x, PM4_RELEASE_MEM__DATA_LO) | (uint64_t)field(x, PM4_RELEASE_MEM__DATA_HI) << 32;
    uint64_t old;
    *host = false;
    if (sel == 0) return 0;
    if (x->p[3] & (sel == 1 || sel == 7 ? 3 : 7)) return bad(x, "address is not aligned");
    if (field(x, PM4_RELEASE_MEM__DST_SEL) > 1) {
        gpu_unimplemented(x->g, "RELEASE_MEM to a queue's write pointer");
        return 0;
    }
    const struct gpu_xlat *t = engine_xlat(m, at32, true);
    if (!t) return -EFAULT;
    *host = t->system;
    if (*host) cache_host_fence(x->g, "RELEASE_MEM");
    switch (sel) {
    case 1:
        return engine_write32(m, at32, (uint32_t)data);
    case 2:
        return engine_write64(m, at64, data);
    case 3:
    case 4:
        return engine_write64(m, at64, gpu_clock(x->g));
    case 7:
        if (gpu_gen(x->g) == HW_GFX11) return engine_atomic(m, 79, at32, data, 0, &old);
        break;
    default:
        break;
    }
    return bad(x, "reserved or unsupported data_sel");
}

static int op_release_mem(struct pm4 *x) {
    bool gfx12 = gpu_gen(x->g) == HW_GFX12;
    unsigned event = field(x, PM4_RELEASE_MEM__EVENT_TYPE);
    unsigned index = field(x, PM4_RELEASE_MEM__EVENT_INDEX);
    unsigned int_sel = field(x, PM4_RELEASE_MEM__INT_SEL);
    uint32_t c = field(x, PM4_RELEASE_MEM__GCR_CNTL);
    if (!event_is_timestamp(event)) return bad(x, "event_type is no end-of-pipe event");
    if (index != 5 && index != 6)
        return bad(x, "event_index is neither end_of_pipe nor shader_done");
    if (int_sel > 4) {
        gpu_unimplemented(x->g, "RELEASE_MEM int_sel %u", int_sel);
        return 0;
    }
    struct cache_action a = {
        .inv_k = field(x, PM4_RELEASE_MEM__GLK_INV),
        .inv_v = bit(c, GFX11_GCR_RELEASE_MEM__GLV_INV) &&
                 (gfx12 || bit(c, GFX11_GCR_RELEASE_MEM__GL1_INV)),
        .inv_gl2 = bit(c, GFX11_GCR_RELEASE_MEM__GL2_INV),
        .wb_gl2 = bit(c, GFX11_GCR_RELEASE_MEM__GL2_WB),
    };
    cache_act(x->g, &a);
    bool host = false;
    int err = release_data(x, &host);
    if (err) return err;
    /* int_sel 3 confirms the write without an interrupt. */
    if (int_sel == 1 || int_sel == 2 || int_sel == 4)
        cp_irq(x->q, F_CP_ME1_PIPE0_INT_CNTL__TIME_STAMP_INT_ENABLE,
               GFX_11_0_0__SRCID__CP_EOP_INTERRUPT, field(x, PM4_RELEASE_MEM__INT_CTXID));
    kick_waiters(x);
    return 0;
}

static int op_event_write(struct pm4 *x) {
    unsigned event = field(x, PM4_EVENT_WRITE__EVENT_TYPE);
    unsigned index = field(x, PM4_EVENT_WRITE__EVENT_INDEX);
    if (event == EVENT_CS_PARTIAL_FLUSH) /* dispatches run in order here: nothing is in flight */
        return index == 4 ? 0 : bad(x, "CS_PARTIAL_FLUSH needs event_index 4");
    if (event == EVENT_CACHE_FLUSH || event == EVENT_FLUSH_AND_INV) return 0;
    bool trace = event >= EVENT_THREAD_TRACE_FIRST && event <= EVENT_THREAD_TRACE_LAST;
    if (trace || event == EVENT_PERFCOUNTER_START || event == EVENT_PERFCOUNTER_STOP ||
        event == EVENT_PERFCOUNTER_SAMPLE) {
        gpu_debug(x->g, "PM4: performance event %u has no effect in the model", event);
        return 0;
    }
    gpu_unimplemented(x->g, "EVENT_WRITE of event type %u, index %u", event, index);
    return 0;
}

static int op_hdp_flush(struct pm4 *x) {
    gpu_hdp_flush(x->g);
    return 0;
}

static int op_invalidate_tlbs(struct pm4 *x) {
    if (field(x, PM4_INVALIDATE_TLBS__INVALIDATE_SEL) == 1)
        return bad(x, "invalidation by PASID without a PASID");
    /* The micro-engine drives the hubs' own invalidation engines: all levels, VMID 0. */
    enum { ALL_LEVELS = 0x00f80001 };
    gpu_mmio_write(x->g, gpu_reg_dw(x->g, R_GCVM_INVALIDATE_ENG17_REQ),
                   ALL_LEVELS | field(x, PM4_INVALIDATE_TLBS__GFX_FLUSH_TYPE) << 16);
    if (field(x, PM4_INVALIDATE_TLBS__MMHUB_INVALIDATE_SEL))
        gpu_mmio_write(x->g, gpu_reg_dw(x->g, R_MMVM_INVALIDATE_ENG17_REQ), ALL_LEVELS);
    return 0;
}

/* ---- data ---- */

static int op_write_data(struct pm4 *x) {
    unsigned dst = field(x, PM4_WRITE_DATA__DST_SEL);
    bool fixed = field(x, PM4_WRITE_DATA__ADDR_INCR);
    unsigned count = x->n - 3;
    if (dst == 0) {
        uint32_t dw = x->p[2] & 0x3ffff;
        for (unsigned i = 0; i < count; i++)
            reg_write(x, fixed ? dw : dw + i, x->p[4 + i]);
        return 0;
    }
    if (dst != 2 && dst != 5) {
        gpu_unimplemented(x->g, "WRITE_DATA dst_sel %u", dst);
        return 0;
    }
    if (x->p[2] & 3) return bad(x, "address is not dword aligned");
    uint64_t at = x->p[2] | (uint64_t)x->p[3] << 32;
    for (unsigned i = 0; i < count; i++)
        if (engine_write32(&x->q->mem, fixed ? at : at + 4ull * i, x->p[4 + i])) return -EFAULT;
    kick_waiters(x);
    return 0;
}

static int copy_source(struct pm4 *x, bool wide, uint64_t *v) {
    unsigned sel = field(x, PM4_COPY_DATA__SRC_SEL);
    uint64_t at = x->p[2] | (uint64_t)x->p[3] << 32;
    uint32_t v32 = 0;
    switch (sel) {
    case 0:
    case 4:
        *v = reg_read(x, x->p[2] & 0x3ffff);
        if (wide) *v |= (uint64_t)reg_read(x, (x->p[2] & 0x3ffff) + 1) << 32;
        return 0;
    case 1:
    case 2:
        if (at & (wide ? 7 : 3)) return bad(x, "source address is not aligned");
        if (wide) return engine_read64(&x->q->mem, at, v);
        if (engine_read32(&x->q->mem, at, &v32)) return -EFAULT;
        *v = v32;
        return 0;
    case 5:
        *v = wide ? at : x->p[2];
        return 0;
    case 6:
        *v = x->q->atomic_return;
        return 0;
    case 9:
    case 10:
        *v = gpu_clock(x->g);
        return 0;
    default:
        gpu_unimplemented(x->g, "COPY_DATA src_sel %u", sel);
        return -EBADMSG;
    }
}

static int op_copy_data(struct pm4 *x) {
    bool wide = field(x, PM4_COPY_DATA__COUNT_SEL);
    unsigned sel = field(x, PM4_COPY_DATA__DST_SEL);
    uint64_t v, at = x->p[4] | (uint64_t)x->p[5] << 32;
    int err = copy_source(x, wide, &v);
    if (err) return err;
    if (sel == 0 || sel == 4 || sel == 6) {
        reg_write(x, x->p[4] & 0x3ffff, (uint32_t)v);
        if (wide) reg_write(x, (x->p[4] & 0x3ffff) + 1, (uint32_t)(v >> 32));
        return 0;
    }
    if (sel != 2 && sel != 5) {
        gpu_unimplemented(x->g, "COPY_DATA dst_sel %u", sel);
        return 0;
    }
    if (at & (wide ? 7 : 3)) return bad(x, "destination address is not aligned");
    err = wide ? engine_write64(&x->q->mem, at, v) : engine_write32(&x->q->mem, at, (uint32_t)v);
    kick_waiters(x);
    return err;
}

static int op_atomic_mem(struct pm4 *x) {
    unsigned op = field(x, PM4_ATOMIC_MEM__ATOMIC);
    unsigned command = field(x, PM4_ATOMIC_MEM__COMMAND);
    uint64_t at = x->p[2] | (uint64_t)x->p[3] << 32;
    uint64_t src = x->p[4] | (uint64_t)x->p[5] << 32, cmp = x->p[6] | (uint64_t)x->p[7] << 32;
    unsigned backoff = 20;
    if (command > 3) return bad(x, "reserved command");
    for (;;) {
        uint64_t seen = engine_wait_seen(&x->q->cp->wait);
        int err = engine_atomic(&x->q->mem, op, at, src, cmp, &x->q->atomic_return);
        if (err == -EINVAL) return bad(x, "reserved atomic code or unaligned address");
        if (err) return err;
        uint64_t mask = op & 32 ? ~0ull : 0xffffffffull;
        bool again = command == 1 && (x->q->atomic_return & mask) != (cmp & mask);
        if (!again) break;
        if (leaving(x->q)) return -EINTR;
        engine_wait_sleep(&x->q->cp->wait, seen, &backoff);
    }
    kick_waiters(x);
    return 0;
}

static int op_dma_data(struct pm4 *x) {
    unsigned src_sel = field(x, PM4_DMA_DATA__SRC_SEL), dst_sel = field(x, PM4_DMA_DATA__DST_SEL);
    uint64_t src = x->p[2] | (uint64_t)x->p[3] << 32, dst = x->p[4] | (uint64_t)x->p[5] << 32;
    uint64_t len = field(x, PM4_DMA_DATA__BYTE_COUNT);
    if (field(x, PM4_DMA_DATA__SAS) || field(x, PM4_DMA_DATA__DAS))
        return bad(x, "register address space is reserved on compute queues");
    if (src_sel == 1 || dst_sel == 1 || dst_sel == 2 || field(x, PM4_DMA_DATA__SAIC) ||
        field(x, PM4_DMA_DATA__DAIC)) {
        gpu_unimplemented(x->g, "DMA_DATA src_sel %u dst_sel %u", src_sel, dst_sel);
        return 0;
    }
    int err = src_sel == 2 ? engine_fill(&x->q->mem, dst, x->p[2], 4, len)
                           : engine_copy(&x->q->mem, dst, src, len);
    kick_waiters(x);
    return err;
}

static int op_timestamp(struct pm4 *x) {
    uint64_t bottom = (x->p[2] & ~7u) | (uint64_t)x->p[3] << 32;
    uint64_t top = (x->p[4] & ~7u) | (uint64_t)x->p[5] << 32;
    if (field(x, PM4_TIMESTAMP__ENABLE_TOP) && engine_write64(&x->q->mem, top, gpu_clock(x->g)))
        return -EFAULT;
    if (field(x, PM4_TIMESTAMP__ENABLE_BOTTOM) &&
        engine_write64(&x->q->mem, bottom, gpu_clock(x->g)))
        return -EFAULT;
    return 0;
}

/* ---- control ---- */

static int op_nop(struct pm4 *x) {
    (void)x;
    return 0;
}

static int op_cond_exec(struct pm4 *x) {
    uint32_t v;
    if (engine_read32(&x->q->mem, addr(x, PM4_COND_EXEC__ADDR_LO, PM4_COND_EXEC__ADDR_HI), &v))
        return -EFAULT;
    if (!v) x->skip = field(x, PM4_COND_EXEC__EXEC_COUNT);
    return 0;
}

static int run_ib(struct pm4 *x, uint64_t va, uint32_t dwords);

static int op_indirect_buffer(struct pm4 *x) {
    uint64_t va = addr(x, PM4_INDIRECT_BUFFER__IB_BASE_LO, PM4_INDIRECT_BUFFER__IB_BASE_HI);
    uint32_t dwords = field(x, PM4_INDIRECT_BUFFER__IB_SIZE);
    if (!dwords) return bad(x, "empty indirect buffer");
    if (field(x, PM4_INDIRECT_BUFFER__VMID)) return bad(x, "indirect buffer in another VMID");
    if (field(x, PM4_INDIRECT_BUFFER__CHAIN)) {
        if (!x->depth) return bad(x, "chain outside an indirect buffer");
        x->chain_va = va;
        x->chain_dw = dwords;
        return 0;
    }
    if (x->depth >= MAX_IB_DEPTH) return bad(x, "indirect buffers nested too deep");
    return run_ib(x, va, dwords);
}

static int op_dispatch_direct(struct pm4 *x) {
    const uint32_t dim[3] = {x->p[1], x->p[2], x->p[3]};
    return dispatch_run(x->q, dim, x->p[4]);
}

static int op_dispatch_indirect(struct pm4 *x) {
    uint32_t dim[3];
    uint64_t va = x->p[1] | (uint64_t)x->p[2] << 32;
    if (va & 3) return bad(x, "address is not dword aligned");
    if (engine_read(&x->q->mem, va, dim, sizeof dim)) return -EFAULT;
    return dispatch_run(x->q, dim, x->p[3]);
}

static int op_perfmon_control(struct pm4 *x) {
    gpu_debug(x->g, "PM4: PERFMON_CONTROL has no effect in the model");
    return 0;
}

/* ---- the table ---- */

struct op {
    uint8_t code[2]; /* gfx11, gfx12; 0: not there */
    const char *name;
    uint16_t min, max; /* payload dwords; max 0: up to the header's limit */
    int (*run)(struct pm4 *x);
    /* Bits that the tables call reserved and the reference sets on silicon without harm. */
    uint8_t loose_dw[2];
};

static const struct op ops[] = {
    {{PM4_OP_NOP, PM4_OP_NOP}, "NOP", 0, 0, op_nop, {0}},
    {{PM4_OP_SET_SH_REG, PM4_OP_SET_SH_REG}, "SET_SH_REG", 2, 0, op_set_sh_reg, {0}},
    {{PM4_OP_SET_SH_REG_INDEX, PM4_OP_SET_SH_REG_INDEX},
     "SET_SH_REG_INDEX",
     2,
     0,
     op_set_sh_reg,
     {0}},
    {{0xbb, 0xbc}, "SET_SH_REG_PAIRS_PACKED", 4, 0, op_set_sh_pairs, {2}},
    {{PM4_OP_SET_UCONFIG_REG, PM4_OP_SET_UCONFIG_REG},
     "SET_UCONFIG_REG",
     2,
     0,
     op_set_uconfig_reg,
     {0}},
    {{PM4_OP_SET_CONFIG_REG, PM4_OP_SET_CONFIG_REG},
     "SET_CONFIG_REG",
     2,
     0,
     op_set_config_reg,
     {0}},
    {{PM4_OP_DISPATCH_DIRECT, PM4_OP_DISPATCH_DIRECT},
     "DISPATCH_DIRECT",
     4,
     4,
     op_dispatch_direct,
     {0}},
    {{PM4_OP_DISPATCH_INDIRECT, PM4_OP_DISPATCH_INDIRECT},
     "DISPATCH_INDIRECT",
     3,
     3,
     op_dispatch_indirect,
     {0}},
    {{PM4_OP_ACQUIRE_MEM, PM4_OP_ACQUIRE_MEM}, "ACQUIRE_MEM", 7, 7, op_acquire_mem, {3, 5}},
    {{PM4_OP_RELEASE_MEM, PM4_OP_RELEASE_MEM}, "RELEASE_MEM", 7, 7, op_release_mem, {0}},
    {{PM4_OP_WAIT_REG_MEM, PM4_OP_WAIT_REG_MEM}, "WAIT_REG_MEM", 6, 6, op_wait_reg_mem, {0}},
    {{PM4_OP_WAIT_REG_MEM64, PM4_OP_WAIT_REG_MEM64},
     "WAIT_REG_MEM64",
     8,
     8,
     op_wait_reg_mem64,
     {0}},
    {{PM4_OP_WRITE_DATA, PM4_OP_WRITE_DATA}, "WRITE_DATA", 4, 0, op_write_data, {0}},
    {{PM4_OP_COPY_DATA, PM4_OP_COPY_DATA}, "COPY_DATA", 5, 5, op_copy_data, {0}},
    {{PM4_OP_EVENT_WRITE, PM4_OP_EVENT_WRITE}, "EVENT_WRITE", 1, 3, op_event_write, {0}},
    {{PM4_OP_INDIRECT_BUFFER, PM4_OP_INDIRECT_BUFFER},
     "INDIRECT_BUFFER",
     3,
     3,
     op_indirect_buffer,
     {0}},
    {{PM4_OP_COND_EXEC, PM4_OP_COND_EXEC}, "COND_EXEC", 4, 4, op_cond_exec, {0}},
    {{PM4_OP_ATOMIC_MEM, PM4_OP_ATOMIC_MEM}, "ATOMIC_MEM", 8, 8, op_atomic_mem, {0}},
    {{PM4_OP_DMA_DATA, PM4_OP_DMA_DATA}, "DMA_DATA", 6, 6, op_dma_data, {0}},
    {{PM4_OP_HDP_FLUSH, PM4_OP_HDP_FLUSH}, "HDP_FLUSH", 1, 1, op_hdp_flush, {0}},
    {{PM4_OP_INVALIDATE_TLBS, PM4_OP_INVALIDATE_TLBS},
     "INVALIDATE_TLBS",
     1,
     1,
     op_invalidate_tlbs,
     {0}},
    {{PM4_OP_TIMESTAMP, PM4_OP_TIMESTAMP}, "TIMESTAMP", 5, 5, op_timestamp, {0}},
    {{PM4_OP_PERFMON_CONTROL, PM4_OP_PERFMON_CONTROL},
     "PERFMON_CONTROL",
     2,
     2,
     op_perfmon_control,
     {0}},
};
enum { OP_COUNT = sizeof ops / sizeof *ops };

struct tables {
    uint8_t by_code[2][256]; /* index in ops + 1 */
    uint32_t reserved[2][OP_COUNT][MAX_DW];
};
static struct tables tables;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

/* Bits of a packet's dwords that no field covers. Dwords without any field are data. */
static void find_reserved(int gen, const struct op *op, uint32_t *reserved) {
    uint32_t used[MAX_DW] = {0};
    size_t len = strlen(op->name);
    for (int f = 0; f < HW_PM4_FIELD_COUNT; f++) {
        const char *name = hw_pm4_field_names[f];
        struct hw_pkt_bits b = hw_pm4_fields[gen][f];
        if (strncmp(name, op->name, len) || name[len] != '.') continue;
        if (b.dword > 0 && b.dword < MAX_DW) used[b.dword] |= hw_mask(b.lo, b.hi);
    }
    for (int d = 1; d < MAX_DW; d++) {
        bool loose = d == op->loose_dw[0] || d == op->loose_dw[1];
        reserved[d] = used[d] && !loose ? ~used[d] : 0;
    }
}

static void build_tables(void) {
    for (unsigned i = 0; i < OP_COUNT; i++) {
        for (int gen = 0; gen < 2; gen++) {
            if (ops[i].code[gen]) tables.by_code[gen][ops[i].code[gen]] = (uint8_t)(i + 1);
            find_reserved(gen, &ops[i], tables.reserved[gen][i]);
        }
    }
}

static int check_packet(struct pm4 *x, unsigned which) {
    const struct op *op = &ops[which];
    if (x->n < op->min || (op->max && x->n > op->max)) {
        gpu_guest_error(x->g, "PM4: %s with %u payload dwords", op->name, x->n);
        return -EBADMSG;
    }
    const uint32_t *reserved = tables.reserved[gpu_gen(x->g)][which];
    for (unsigned d = 1; d <= x->n && d < MAX_DW; d++) {
        if (!(x->p[d] & reserved[d])) continue;
        gpu_guest_error(x->g, "PM4: %s dword %u is 0x%08x: reserved bits 0x%08x", op->name, d,
                        x->p[d], x->p[d] & reserved[d]);
        return -EBADMSG;
    }
    return 0;
}

/* Raises what the micro-engine raises for a packet that it refuses. */
static int refuse(struct pm4 *x, bool opcode) {
    cp_irq(x->q,
           opcode ? F_CP_ME1_PIPE0_INT_CNTL__OPCODE_ERROR_INT_ENABLE
                  : F_CP_ME1_PIPE0_INT_CNTL__RESERVED_BIT_ERROR_INT_ENABLE,
           opcode ? GFX_11_0_0__SRCID__CP_BAD_OPCODE_ERROR
                  : GFX_11_0_0__SRCID__CP_PM4_PKT_RSVD_BIT_ERROR,
           0);
    return -EBADMSG;
}

/* Size of the packet at p in dwords, header included; 0: no valid header. */
static unsigned packet_dwords(uint32_t header) {
    unsigned type = header >> 30, count = header >> 16 & 0x3fff;
    if (type == 2) return 1;
    if (type != 3) return 0;
    /* nvd.h: count 0x3fff of a NOP means the header alone. */
    if ((header >> 8 & 0xff) == PM4_OP_NOP && count == 0x3fff) return 1;
    return count + 2;
}

static int execute(struct pm4 *x) {
    uint32_t h = x->p[0];
    if (h >> 30 == 2 || packet_dwords(h) == 1) return 0;
    if (h & 0xf9) {
        gpu_guest_error(x->g, "PM4: reserved bits in header 0x%08x", h);
        return refuse(x, false);
    }
    unsigned which = tables.by_code[gpu_gen(x->g)][h >> 8 & 0xff];
    if (!which--) {
        gpu_guest_error(x->g, "PM4: opcode 0x%02x (header 0x%08x) is none of a compute queue",
                        h >> 8 & 0xff, h);
        return refuse(x, true);
    }
    if (check_packet(x, which)) return refuse(x, false);
    int err = ops[which].run(x);
    if (err == -EBADMSG) return refuse(x, false);
    return err;
}

/* ---- streams ---- */

/* Executes the packets in buf[0..have); stops early at a packet that is not whole. Returns how
 * many dwords were consumed through *used. */
static int run_buffer(struct pm4 *x, const uint32_t *buf, uint32_t have, uint32_t *used) {
    uint32_t i = 0;
    int err = 0;
    while (i < have && !x->chain_dw && !leaving(x->q)) {
        unsigned n = packet_dwords(buf[i]);
        if (!n) {
            gpu_guest_error(x->g, "PM4: 0x%08x is no packet header (type %u)", buf[i],
                            buf[i] >> 30);
            err = refuse(x, true);
            break;
        }
        if (n > have - i) break;
        x->p = buf + i;
        x->n = n - 1;
        err = execute(x);
        if (err) break;
        uint32_t before = i;
        i += n;
        if (x->skip) {
            /* what lies beyond the buffer is skipped by the caller */
            uint32_t s = x->skip < have - i ? x->skip : have - i;
            i += s;
            x->skip -= s;
        }
        if (!x->depth) x->q->rptr += i - before;
    }
    *used = i;
    return err;
}

static int run_one_ib(struct pm4 *x, uint64_t va, uint32_t dwords) {
    uint32_t *buf = malloc(dwords * 4ull), used = 0;
    if (!buf) return -EFAULT;
    int err = engine_read(&x->q->mem, va, buf, dwords * 4ull) ? -EFAULT : 0;
    if (!err) err = run_buffer(x, buf, dwords, &used);
    if (!err && leaving(x->q)) err = -EINTR;
    if (!err && !x->chain_dw && used < dwords) err = bad(x, "packet runs past its indirect buffer");
    free(buf);
    return err;
}

static int run_ib(struct pm4 *x, uint64_t va, uint32_t dwords) {
    struct pm4 ib = {.q = x->q, .g = x->g, .depth = x->depth + 1, .p = x->p};
    for (unsigned links = 0; dwords; links++) {
        if (leaving(x->q)) return -EINTR;
        if (links > 1u << 20) return bad(x, "endless chain of indirect buffers");
        ib.chain_dw = 0;
        int err = run_one_ib(&ib, va, dwords);
        if (err) return err;
        va = ib.chain_va;
        dwords = ib.chain_dw;
    }
    return 0;
}

/* Copies what lies between the pointers, at most a buffer full. */
static int fetch(struct cp_queue *q, uint32_t *have) {
    uint64_t left = q->wptr - q->rptr;
    uint32_t n = left < CP_FETCH_DWORDS ? (uint32_t)left : CP_FETCH_DWORDS;
    uint32_t at = (uint32_t)q->rptr & (q->ring_dwords - 1);
    uint32_t first = n < q->ring_dwords - at ? n : q->ring_dwords - at;
    if (engine_read(&q->mem, q->ring_va + 4ull * at, q->fetch, 4ull * first)) return -EFAULT;
    if (engine_read(&q->mem, q->ring_va, q->fetch + first, 4ull * (n - first))) return -EFAULT;
    *have = n;
    return 0;
}

/* A packet longer than the fetch buffer: assembled whole. */
static int run_long(struct pm4 *x, unsigned dwords) {
    struct cp_queue *q = x->q;
    uint32_t *buf = malloc(dwords * 4ull), used = 0;
    int err = buf ? 0 : -EFAULT;
    for (unsigned i = 0; i < dwords && !err; i++) {
        uint64_t at = (q->rptr + i) & (q->ring_dwords - 1);
        err = engine_read(&q->mem, q->ring_va + 4 * at, &buf[i], 4);
    }
    if (!err) err = run_buffer(x, buf, dwords, &used);
    free(buf);
    return err;
}

enum pm4_status pm4_run(struct cp_queue *q) {
    pthread_once(&tables_once, build_tables);
    struct pm4 x = {.q = q, .g = q->g};
    while (q->rptr != q->wptr && !leaving(q)) {
        if (x.skip) {
            uint64_t left = q->wptr - q->rptr, s = x.skip < left ? x.skip : left;
            q->rptr += s;
            x.skip -= (unsigned)s;
            continue;
        }
        uint32_t have, used = 0;
        if (fetch(q, &have)) return PM4_STUCK;
        uint64_t wptr = q->wptr;
        int err = run_buffer(&x, q->fetch, have, &used);
        if (!err && !used && !leaving(q)) {
            unsigned n = packet_dwords(q->fetch[0]);
            if (n > wptr - q->rptr) { /* the rest is yet to come */
                q->starved = wptr;
                return PM4_DONE;
            }
            err = run_long(&x, n);
        }
        if (err == -EINTR) return PM4_LEFT;
        if (err) return q->stop ? PM4_LEFT : PM4_STUCK;
    }
    return leaving(q) ? PM4_LEFT : PM4_DONE;
}
