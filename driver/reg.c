/* SPDX-License-Identifier: MIT */
/* Registers by name: MMIO where BAR5 reaches, RSMU index/data beyond. */
#include <errno.h>
#include <time.h>

#include "driver/dev.h"

#define REG_ALL_ONES 0xffffffffu

uint64_t log_now_us(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

static const struct hw_reg_loc *find(struct am_device *d, enum hw_reg r) {
    const struct am_ip *ip = &d->ip[hw_regs[r].ip];
    if (!ip->present || !ip->regs) return NULL;
    const struct hw_reg_loc *loc = hw_reg_loc(ip->regs, r);
    return loc->offset < 0 || loc->seg < 0 || loc->seg > 7 ? NULL : loc;
}

bool reg_has(struct am_device *d, enum hw_reg r) {
    return find(d, r) != NULL;
}

uint32_t reg_addr(struct am_device *d, enum hw_reg r) {
    const struct hw_reg_loc *loc = find(d, r);
    return loc ? d->ip[hw_regs[r].ip].base[loc->seg] + (uint32_t)loc->offset : 0;
}

static bool usable(struct am_device *d, enum hw_reg r) {
    if (atomic_load(&d->lost) || atomic_load(&d->abandoned)) return false;
    if (find(d, r)) return true;
    am_log(d, AM_LOG_ERROR, "reg", "register %s does not exist on %s", hw_regs[r].name, d->target);
    return false;
}

uint32_t reg_rd_dw(struct am_device *d, uint32_t dw) {
    uint32_t v = 0;
    uint64_t byte = (uint64_t)dw * 4;
    if (byte + 4 <= d->mmio_bar.size) {
        if (d->mmio_bar.ptr) return ((volatile uint32_t *)d->mmio_bar.ptr)[dw];
        return bus_rd32(d->bus, BUS_BAR_MMIO, byte, &v) < 0 ? REG_ALL_ONES : v;
    }
    pthread_mutex_lock(&d->reg_lock);
    uint32_t index = reg_addr(d, R_BIF_BX_PF0_RSMU_INDEX),
             data = reg_addr(d, R_BIF_BX_PF0_RSMU_DATA);
    bus_wr32(d->bus, BUS_BAR_MMIO, (uint64_t)index * 4, (uint32_t)byte);
    if (bus_rd32(d->bus, BUS_BAR_MMIO, (uint64_t)data * 4, &v) < 0) v = REG_ALL_ONES;
    pthread_mutex_unlock(&d->reg_lock);
    return v;
}

void reg_wr_dw(struct am_device *d, uint32_t dw, uint32_t v) {
    uint64_t byte = (uint64_t)dw * 4;
    if (byte + 4 <= d->mmio_bar.size) {
        if (d->mmio_bar.ptr)
            ((volatile uint32_t *)d->mmio_bar.ptr)[dw] = v;
        else
            bus_wr32(d->bus, BUS_BAR_MMIO, byte, v);
        return;
    }
    pthread_mutex_lock(&d->reg_lock);
    uint32_t index = reg_addr(d, R_BIF_BX_PF0_RSMU_INDEX),
             data = reg_addr(d, R_BIF_BX_PF0_RSMU_DATA);
    bus_wr32(d->bus, BUS_BAR_MMIO, (uint64_t)index * 4, (uint32_t)byte);
    bus_wr32(d->bus, BUS_BAR_MMIO, (uint64_t)data * 4, v);
    pthread_mutex_unlock(&d->reg_lock);
}

/* A device that fell off the bus answers all ones to everything; the memory size register never
 * legitimately reads so. */
static bool fell_off(struct am_device *d) {
    if (!reg_has(d, R_RCC_DEV0_EPF0_RCC_CONFIG_MEMSIZE)) return false;
    uint32_t dw = reg_addr(d, R_RCC_DEV0_EPF0_RCC_CONFIG_MEMSIZE);
    for (int i = 0; i < 3; i++) {
        if (reg_rd_dw(d, dw) != REG_ALL_ONES) return false;
        d->bus->ops->delay(d->bus, 100);
    }
    return true;
}

uint32_t reg_rd(struct am_device *d, enum hw_reg r) {
    if (!usable(d, r)) return 0;
    uint32_t v = reg_rd_dw(d, reg_addr(d, r));
    if (v == REG_ALL_ONES && fell_off(d)) {
        if (!atomic_exchange(&d->lost, true))
            am_log(d, AM_LOG_ERROR, "reg", "device %s is gone: reading %s gives all ones", d->id,
                   hw_regs[r].name);
        return 0;
    }
    return v;
}

void reg_wr(struct am_device *d, enum hw_reg r, uint32_t v) {
    if (usable(d, r)) reg_wr_dw(d, reg_addr(d, r), v);
}

static const struct hw_ip_table *field_table(struct am_device *d, enum hw_field f) {
    return d->ip[hw_regs[hw_fields[f].reg].ip].regs;
}

uint32_t reg_fput(struct am_device *d, enum hw_field f, uint32_t reg_value, uint32_t v) {
    const struct hw_ip_table *t = field_table(d, f);
    if (!t || hw_field_bits(t, f).lo < 0) {
        am_log(d, AM_LOG_ERROR, "reg", "field %s of %s does not exist on %s", hw_fields[f].name,
               hw_regs[hw_fields[f].reg].name, d->target);
        return reg_value;
    }
    return hw_field_put(t, f, reg_value, v);
}

uint32_t reg_fv(struct am_device *d, enum hw_field f, uint32_t v) {
    return reg_fput(d, f, 0, v);
}

bool reg_fhas(struct am_device *d, enum hw_field f) {
    const struct hw_ip_table *t = field_table(d, f);
    return t && hw_field_bits(t, f).lo >= 0;
}

uint32_t reg_fget(struct am_device *d, enum hw_field f, uint32_t reg_value) {
    const struct hw_ip_table *t = field_table(d, f);
    return t ? hw_field_get(t, f, reg_value) : 0;
}

void reg_upd(struct am_device *d, enum hw_field f, uint32_t v) {
    enum hw_reg r = hw_fields[f].reg;
    reg_wr(d, r, reg_fput(d, f, reg_rd(d, r), v));
}

/* Polls until ((value & mask) == want) is `equal`. Short sleeps of the host between polls: the
 * bus's delay stays for the waits that the hardware asks for. */
static int poll(struct am_device *d, enum hw_reg r, uint32_t mask, uint32_t want, bool equal,
                uint64_t timeout_us) {
    uint64_t start = log_now_us();
    uint32_t v;
    for (unsigned n = 0;; n++) {
        v = reg_rd(d, r);
        if (atomic_load(&d->lost) || atomic_load(&d->abandoned)) return -ENODEV;
        if (((v & mask) == want) == equal) return 0;
        if (n > 4 && log_now_us() - start > timeout_us) break;
        d->bus->ops->delay(d->bus, n < 16 ? 1 : 50);
    }
    am_log(d, AM_LOG_ERROR, "reg", "%s stays at 0x%08x, waited %llu us for 0x%08x %s 0x%08x",
           hw_regs[r].name, v, (unsigned long long)timeout_us, mask, equal ? "==" : "!=", want);
    return -ETIMEDOUT;
}

int reg_wait(struct am_device *d, enum hw_reg r, uint32_t mask, uint32_t want,
             uint64_t timeout_us) {
    if (!usable(d, r)) return atomic_load(&d->lost) ? -ENODEV : -ENXIO;
    return poll(d, r, mask, want, true, timeout_us);
}

int reg_wait_not(struct am_device *d, enum hw_reg r, uint32_t mask, uint32_t not_want,
                 uint64_t timeout_us) {
    if (!usable(d, r)) return atomic_load(&d->lost) ? -ENODEV : -ENXIO;
    return poll(d, r, mask, not_want, false, timeout_us);
}
