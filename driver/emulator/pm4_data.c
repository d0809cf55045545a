/* SPDX-License-Identifier: MIT */
/* pm4_data.c - PM4 packets that move data: registers, memory, copies, atomics, time. */
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/pm4_priv.h"

/* Bases of the register spaces of SET_* packets, absolute dwords (linux nvd.h PACKET3_SET_*). */
enum { CONFIG_BASE = 0x2000, SH_BASE = 0x2c00, SH_END = 0x3000, UCONFIG_BASE = 0xc000 };
enum { UCONFIG_END = 0x10000, CONFIG_END = 0x2c00 };

/* ---- registers as the queue sees them ---- */

void pm4_reg_write(struct pm4 *x, uint32_t dw, uint32_t v) {
    int i = cp_sh_index(x->g, dw);
    if (i < 0) {
        gpu_mmio_write(x->g, dw, v);
        pm4_kick(x);
        return;
    }
    int r = gpu_reg_at(x->g, dw);
    if (r < 0) {
        gpu_guest_error(x->g, "PM4: write of 0x%08x to dword 0x%x, where no COMPUTE register is", v,
                        dw);
        return;
    }
    const struct mmio_reg *m = &x->g->mmio.reg[r];
    if (v & ~(m->valid | m->allowed))
        gpu_guest_error(x->g, "PM4: %s: reserved bits 0x%08x set in 0x%08x", hw_regs[r].name,
                        v & ~(m->valid | m->allowed), v);
    x->q->sh[i] = v;
}

uint32_t pm4_reg_read(struct pm4 *x, uint32_t dw) {
    int i = cp_sh_index(x->g, dw);
    return i < 0 ? gpu_mmio_read(x->g, dw) : x->q->sh[i];
}

static int set_regs(struct pm4 *x, uint32_t base, uint32_t end) {
    uint32_t at = base + (x->p[1] & 0xffff);
    if (at + x->n - 1 > end) return pm4_bad(x, "registers beyond the packet's space");
    for (unsigned i = 2; i <= x->n; i++)
        pm4_reg_write(x, at++, x->p[i]);
    return 0;
}

int pm4_op_set_sh_reg(struct pm4 *x) {
    if (x->p[1] >> 28 & 1) return pm4_bad(x, "insert_vmid from a queue of VMID 0");
    return set_regs(x, SH_BASE, SH_END);
}

int pm4_op_set_uconfig_reg(struct pm4 *x) {
    return set_regs(x, UCONFIG_BASE, UCONFIG_END);
}

int pm4_op_set_config_reg(struct pm4 *x) {
    return set_regs(x, CONFIG_BASE, CONFIG_END);
}

int pm4_op_set_sh_pairs(struct pm4 *x) {
    unsigned count = pm4_field(x, PM4_SET_SH_REG_PAIRS_PACKED__REG_WRITES_COUNT);
    if (count & 1 || x->n != 1 + count / 2 * 3)
        return pm4_bad(x, "register count disagrees with size");
    for (unsigned i = 0; i < count / 2; i++) {
        const uint32_t *t = &x->p[2 + 3 * i];
        pm4_reg_write(x, SH_BASE + (t[0] & 0xffff), t[1]);
        pm4_reg_write(x, SH_BASE + (t[0] >> 16), t[2]);
    }
    return 0;
}

/* ---- data ---- */

int pm4_op_write_data(struct pm4 *x) {
    unsigned dst = pm4_field(x, PM4_WRITE_DATA__DST_SEL);
    bool fixed = pm4_field(x, PM4_WRITE_DATA__ADDR_INCR);
    unsigned count = x->n - 3;
    if (dst == 0) {
        uint32_t dw = x->p[2] & 0x3ffff;
        for (unsigned i = 0; i < count; i++)
            pm4_reg_write(x, fixed ? dw : dw + i, x->p[4 + i]);
        return 0;
    }
    if (dst != 2 && dst != 5) {
        gpu_unimplemented(x->g, "WRITE_DATA dst_sel %u", dst);
        return 0;
    }
    if (x->p[2] & 3) return pm4_bad(x, "address is not dword aligned");
    uint64_t at = x->p[2] | (uint64_t)x->p[3] << 32;
    for (unsigned i = 0; i < count; i++)
        if (engine_write32(&x->q->mem, fixed ? at : at + 4ull * i, x->p[4 + i])) return -EFAULT;
    pm4_kick(x);
    return 0;
}

static int copy_source(struct pm4 *x, bool wide, uint64_t *v) {
    unsigned sel = pm4_field(x, PM4_COPY_DATA__SRC_SEL);
    uint64_t at = x->p[2] | (uint64_t)x->p[3] << 32;
    uint32_t v32 = 0;
    switch (sel) {
    case 0:
    case 4:
        *v = pm4_reg_read(x, x->p[2] & 0x3ffff);
        if (wide) *v |= (uint64_t)pm4_reg_read(x, (x->p[2] & 0x3ffff) + 1) << 32;
        return 0;
    case 1:
    case 2:
        if (at & (wide ? 7 : 3)) return pm4_bad(x, "source address is not aligned");
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

int pm4_op_copy_data(struct pm4 *x) {
    bool wide = pm4_field(x, PM4_COPY_DATA__COUNT_SEL);
    unsigned sel = pm4_field(x, PM4_COPY_DATA__DST_SEL);
    uint64_t v, at = x->p[4] | (uint64_t)x->p[5] << 32;
    int err = copy_source(x, wide, &v);
    if (err) return err;
    if (sel == 0 || sel == 4 || sel == 6) {
        pm4_reg_write(x, x->p[4] & 0x3ffff, (uint32_t)v);
        if (wide) pm4_reg_write(x, (x->p[4] & 0x3ffff) + 1, (uint32_t)(v >> 32));
        return 0;
    }
    if (sel != 2 && sel != 5) {
        gpu_unimplemented(x->g, "COPY_DATA dst_sel %u", sel);
        return 0;
    }
    if (at & (wide ? 7 : 3)) return pm4_bad(x, "destination address is not aligned");
    err = wide ? engine_write64(&x->q->mem, at, v) : engine_write32(&x->q->mem, at, (uint32_t)v);
    pm4_kick(x);
    return err;
}

int pm4_op_atomic_mem(struct pm4 *x) {
    unsigned op = pm4_field(x, PM4_ATOMIC_MEM__ATOMIC);
    unsigned command = pm4_field(x, PM4_ATOMIC_MEM__COMMAND);
    uint64_t at = x->p[2] | (uint64_t)x->p[3] << 32;
    uint64_t src = x->p[4] | (uint64_t)x->p[5] << 32, cmp = x->p[6] | (uint64_t)x->p[7] << 32;
    unsigned backoff = 20;
    if (command > 3) return pm4_bad(x, "reserved command");
    for (;;) {
        uint64_t seen = engine_wait_seen(&x->q->cp->wait);
        int err = engine_atomic(&x->q->mem, op, at, src, cmp, &x->q->atomic_return);
        if (err == -EINVAL) return pm4_bad(x, "reserved atomic code or unaligned address");
        if (err) return err;
        uint64_t mask = op & 32 ? ~0ull : 0xffffffffull;
        bool again = command == 1 && (x->q->atomic_return & mask) != (cmp & mask);
        if (!again) break;
        if (pm4_leaving(x->q)) return -EINTR;
        engine_wait_sleep(&x->q->cp->wait, seen, &backoff);
    }
    pm4_kick(x);
    return 0;
}

int pm4_op_dma_data(struct pm4 *x) {
    unsigned src_sel = pm4_field(x, PM4_DMA_DATA__SRC_SEL),
             dst_sel = pm4_field(x, PM4_DMA_DATA__DST_SEL);
    uint64_t src = x->p[2] | (uint64_t)x->p[3] << 32, dst = x->p[4] | (uint64_t)x->p[5] << 32;
    uint64_t len = pm4_field(x, PM4_DMA_DATA__BYTE_COUNT);
    if (pm4_field(x, PM4_DMA_DATA__SAS) || pm4_field(x, PM4_DMA_DATA__DAS))
        return pm4_bad(x, "register address space is reserved on compute queues");
    if (src_sel == 1 || dst_sel == 1 || dst_sel == 2 || pm4_field(x, PM4_DMA_DATA__SAIC) ||
        pm4_field(x, PM4_DMA_DATA__DAIC)) {
        gpu_unimplemented(x->g, "DMA_DATA src_sel %u dst_sel %u", src_sel, dst_sel);
        return 0;
    }
    int err = src_sel == 2 ? engine_fill(&x->q->mem, dst, x->p[2], 4, len)
                           : engine_copy(&x->q->mem, dst, src, len);
    pm4_kick(x);
    return err;
}

int pm4_op_timestamp(struct pm4 *x) {
    uint64_t bottom = (x->p[2] & ~7u) | (uint64_t)x->p[3] << 32;
    uint64_t top = (x->p[4] & ~7u) | (uint64_t)x->p[5] << 32;
    if (pm4_field(x, PM4_TIMESTAMP__ENABLE_TOP) && engine_write64(&x->q->mem, top, gpu_clock(x->g)))
        return -EFAULT;
    if (pm4_field(x, PM4_TIMESTAMP__ENABLE_BOTTOM) &&
        engine_write64(&x->q->mem, bottom, gpu_clock(x->g)))
        return -EFAULT;
    return 0;
}
