/* SPDX-License-Identifier: MIT */
/* pm4_sync.c - PM4 packets that order things: waits, cache actions, events, end-of-pipe writes. */
#include "driver/emulator/cache.h"
#include "driver/emulator/pm4_priv.h"

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

/* ---- waiting ---- */

struct wait {
    bool mem, wide;
    unsigned func;
    uint64_t at, ref, mask; /* at: address or register dword */
};

static int poll_once(struct pm4 *x, const struct wait *w, bool *met) {
    uint64_t v = 0;
    if (!w->mem) {
        v = pm4_reg_read(x, (uint32_t)w->at);
        if (w->wide) v |= (uint64_t)pm4_reg_read(x, (uint32_t)w->at + 1) << 32;
    } else if (w->wide) {
        if (engine_read64(&x->q->mem, w->at, &v)) return -EFAULT;
    } else {
        uint32_t v32;
        if (engine_read32(&x->q->mem, w->at, &v32)) return -EFAULT;
        v = v32;
    }
    *met = engine_compare(w->func, v & w->mask, w->ref);
    if (*met && w->mem) engine_waited(&x->q->mem, w->at, (uint32_t)v);
    return 0;
}

static int wait_until(struct pm4 *x, const struct wait *w) {
    struct cp *cp = x->q->cp;
    unsigned backoff = 20;
    for (unsigned spins = 0;; spins++) {
        uint64_t seen = engine_wait_seen(&cp->wait);
        bool met = false;
        if (pm4_leaving(x->q)) return -EINTR;
        int err = poll_once(x, w, &met);
        /* A wait for memory is taken for one that orders what went before it. */
        if (met && w->mem) x->q->ordered = cache_now(x->g);
        if (err || met) return err;
        if (spins < 64) {
            for (int i = 0; i < 20; i++)
                __builtin_ia32_pause();
        } else {
            engine_wait_sleep(&cp->wait, seen, &backoff);
        }
    }
}

int pm4_op_wait_reg_mem(struct pm4 *x) {
    unsigned func = pm4_field(x, PM4_WAIT_REG_MEM__FUNCTION);
    unsigned op = pm4_field(x, PM4_WAIT_REG_MEM__OPERATION);
    bool mem = pm4_field(x, PM4_WAIT_REG_MEM__MEM_SPACE) == 1;
    if (func > 6) return pm4_bad(x, "reserved compare function");
    if (pm4_field(x, PM4_WAIT_REG_MEM__MEM_SPACE) > 1) return pm4_bad(x, "reserved memory space");
    if (op == 2) return pm4_bad(x, "reserved operation");
    struct wait w = {.mem = mem,
                     .func = func,
                     .ref = pm4_field(x, PM4_WAIT_REG_MEM__REFERENCE),
                     .mask = pm4_field(x, PM4_WAIT_REG_MEM__MASK)};
    if (op == 1) { /* write the reference to one register, wait on the other */
        if (mem) return pm4_bad(x, "wr_wait_wr_reg needs register space");
        pm4_reg_write(x, pm4_field(x, PM4_WAIT_REG_MEM__REG_WRITE_ADDR1), (uint32_t)w.ref);
        w.at = pm4_field(x, PM4_WAIT_REG_MEM__REG_WRITE_ADDR2);
    } else if (mem) {
        if (x->p[2] & 3) return pm4_bad(x, "address is not dword aligned");
        w.at = pm4_addr(x, PM4_WAIT_REG_MEM__MEM_POLL_ADDR_LO, PM4_WAIT_REG_MEM__MEM_POLL_ADDR_HI);
    } else {
        w.at = pm4_field(x, PM4_WAIT_REG_MEM__REG_POLL_ADDR);
    }
    return wait_until(x, &w);
}

int pm4_op_wait_reg_mem64(struct pm4 *x) {
    unsigned func = pm4_field(x, PM4_WAIT_REG_MEM64__FUNCTION);
    bool mem = pm4_field(x, PM4_WAIT_REG_MEM64__MEM_SPACE) == 1;
    unsigned op = pm4_field(x, PM4_WAIT_REG_MEM64__OPERATION);
    if (func > 6) return pm4_bad(x, "reserved compare function");
    if (op != 0 && op != 3) return pm4_bad(x, "only waits are 64 bits wide");
    if (mem && x->p[2] & 7) return pm4_bad(x, "address is not qword aligned");
    struct wait w = {.mem = mem,
                     .wide = true,
                     .func = func,
                     .ref = pm4_field(x, PM4_WAIT_REG_MEM64__REFERENCE) |
                            (uint64_t)pm4_field(x, PM4_WAIT_REG_MEM64__REFERENCE_HI) << 32,
                     .mask = pm4_field(x, PM4_WAIT_REG_MEM64__MASK) |
                             (uint64_t)pm4_field(x, PM4_WAIT_REG_MEM64__MASK_HI) << 32};
    w.at = mem ? pm4_addr(x, PM4_WAIT_REG_MEM64__MEM_POLL_ADDR_LO,
                          PM4_WAIT_REG_MEM64__MEM_POLL_ADDR_HI)
               : pm4_field(x, PM4_WAIT_REG_MEM64__REG_POLL_ADDR);
    return wait_until(x, &w);
}

/* ---- caches and events ---- */

static bool bit(uint32_t v, unsigned b) {
    return v >> b & 1;
}

int pm4_op_acquire_mem(struct pm4 *x) {
    bool gfx12 = gpu_gen(x->g) == HW_GFX12;
    uint32_t c = pm4_field(x, PM4_ACQUIRE_MEM__GCR_CNTL);
    bool all = pm4_field(x, PM4_ACQUIRE_MEM__COHER_SIZE) == ~0u &&
               !pm4_field(x, PM4_ACQUIRE_MEM__COHER_BASE_LO) &&
               !pm4_field(x, PM4_ACQUIRE_MEM__COHER_BASE_HI);
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
    unsigned sel = pm4_field(x, PM4_RELEASE_MEM__DATA_SEL);
    uint64_t at32 = pm4_addr(x, PM4_RELEASE_MEM__ADDRESS_LO_32B, PM4_RELEASE_MEM__ADDRESS_HI);
    uint64_t at64 = pm4_addr(x, PM4_RELEASE_MEM__ADDRESS_LO_64B, PM4_RELEASE_MEM__ADDRESS_HI);
    uint64_t data = pm4_field(x, PM4_RELEASE_MEM__DATA_LO) |
                    (uint64_t)pm4_field(x, PM4_RELEASE_MEM__DATA_HI) << 32;
    uint64_t old;
    *host = false;
    if (sel == 0) return 0;
    if (x->p[3] & (sel == 1 || sel == 7 ? 3 : 7)) return pm4_bad(x, "address is not aligned");
    if (pm4_field(x, PM4_RELEASE_MEM__DST_SEL) > 1) {
        gpu_unimplemented(x->g, "RELEASE_MEM to a queue's write pointer");
        return 0;
    }
    const struct gpu_xlat *t = engine_xlat(m, at32, true);
    if (!t) return -EFAULT;
    *host = t->system;
    if (*host) cache_host_fence(x->g, "RELEASE_MEM");
    uint32_t low = sel == 3 || sel == 4 ? 0 : (uint32_t)data;
    cache_fence(x->g, AGENT_CP, t, sel == 1 ? at32 : at64, low);
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
    return pm4_bad(x, "reserved or unsupported data_sel");
}

int pm4_op_release_mem(struct pm4 *x) {
    bool gfx12 = gpu_gen(x->g) == HW_GFX12;
    unsigned event = pm4_field(x, PM4_RELEASE_MEM__EVENT_TYPE);
    unsigned index = pm4_field(x, PM4_RELEASE_MEM__EVENT_INDEX);
    unsigned int_sel = pm4_field(x, PM4_RELEASE_MEM__INT_SEL);
    uint32_t c = pm4_field(x, PM4_RELEASE_MEM__GCR_CNTL);
    if (!event_is_timestamp(event)) return pm4_bad(x, "event_type is no end-of-pipe event");
    if (index != 5 && index != 6)
        return pm4_bad(x, "event_index is neither end_of_pipe nor shader_done");
    if (int_sel > 4) {
        gpu_unimplemented(x->g, "RELEASE_MEM int_sel %u", int_sel);
        return 0;
    }
    struct cache_action a = {
        .inv_k = pm4_field(x, PM4_RELEASE_MEM__GLK_INV),
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
               GFX_11_0_0__SRCID__CP_EOP_INTERRUPT, pm4_field(x, PM4_RELEASE_MEM__INT_CTXID));
    pm4_kick(x);
    return 0;
}

int pm4_op_event_write(struct pm4 *x) {
    unsigned event = pm4_field(x, PM4_EVENT_WRITE__EVENT_TYPE);
    unsigned index = pm4_field(x, PM4_EVENT_WRITE__EVENT_INDEX);
    if (event == EVENT_CS_PARTIAL_FLUSH) {
        if (index != 4) return pm4_bad(x, "CS_PARTIAL_FLUSH needs event_index 4");
        x->q->ordered = cache_now(x->g); /* dispatches run in order here: nothing is in flight */
        return 0;
    }
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

int pm4_op_hdp_flush(struct pm4 *x) {
    gpu_hdp_flush(x->g);
    return 0;
}

int pm4_op_invalidate_tlbs(struct pm4 *x) {
    if (pm4_field(x, PM4_INVALIDATE_TLBS__INVALIDATE_SEL) == 1)
        return pm4_bad(x, "invalidation by PASID without a PASID");
    /* The micro-engine drives the hubs' own invalidation engines: all levels, VMID 0. */
    enum { ALL_LEVELS = 0x00f80001 };
    gpu_mmio_write(x->g, gpu_reg_dw(x->g, R_GCVM_INVALIDATE_ENG17_REQ),
                   ALL_LEVELS | pm4_field(x, PM4_INVALIDATE_TLBS__GFX_FLUSH_TYPE) << 16);
    if (pm4_field(x, PM4_INVALIDATE_TLBS__MMHUB_INVALIDATE_SEL))
        gpu_mmio_write(x->g, gpu_reg_dw(x->g, R_MMVM_INVALIDATE_ENG17_REQ), ALL_LEVELS);
    return 0;
}
