/* SPDX-License-Identifier: MIT */
/* SOC: bus interface, doorbell aperture and routing. */
#include <errno.h>

#include "driver/blocks.h"

enum { PCI_COMMAND = 4, PCI_COMMAND_MEMORY = 2, PCI_COMMAND_MASTER = 4 };

static int command_bits(struct am_device *d, uint32_t set, uint32_t clear) {
    uint32_t cmd = 0;
    int rc = d->bus->ops->cfg_read(d->bus, PCI_COMMAND, 2, &cmd);
    uint32_t want = (cmd | set) & ~clear;
    if (!rc && want != cmd) rc = d->bus->ops->cfg_write(d->bus, PCI_COMMAND, 2, want);
    if (!rc) rc = d->bus->ops->cfg_read(d->bus, PCI_COMMAND, 2, &cmd);
    if (rc || ((cmd & set) == set && !(cmd & clear))) return rc;
    am_log(d, AM_LOG_ERROR, "soc", "the PCI command register stays at 0x%x", cmd);
    return -EIO;
}

int soc_bus_master(struct am_device *d, bool on) {
    return on ? command_bits(d, PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY, 0)
              : command_bits(d, 0, PCI_COMMAND_MASTER);
}

int soc_memory_decode(struct am_device *d, bool on) {
    return on ? command_bits(d, PCI_COMMAND_MEMORY, 0) : command_bits(d, 0, PCI_COMMAND_MEMORY);
}

/* Which engine a doorbell port feeds: awid names the client, awaddr the upper bits of the address
 * that the write takes inside the chip; a size limits the port to a range. */
void soc_doorbell_enable(struct am_device *d, unsigned port, uint32_t awid, uint32_t awaddr,
                         uint32_t offset, uint32_t size) {
    const struct chip *c = d->chip;
    uint32_t v = reg_fv(d, c->doorbell_enable[port], 1) | reg_fv(d, c->doorbell_awid[port], awid) |
                 reg_fv(d, c->doorbell_awaddr[port], awaddr) |
                 reg_fv(d, c->doorbell_offset[port], offset) |
                 reg_fv(d, c->doorbell_size[port], size);
    reg_wr(d, c->doorbell_entry[port], v);
}

static int init_sw(struct am_device *d) {
    (void)d;
    return 0;
}

static int init_hw(struct am_device *d) {
    reg_upd(d, F_RCC_DEV0_EPF2_STRAP2__STRAP_NO_SOFT_RESET_DEV0_F2, 0);
    reg_wr(d, R_RCC_DEV0_EPF0_RCC_DOORBELL_APER_EN, 1);
    return 0;
}

void soc_clock_gating(struct am_device *d) {
    uint32_t v = reg_rd(d, R_HDP_MEM_POWER_CTRL);
    v = reg_fput(d, F_HDP_MEM_POWER_CTRL__ATOMIC_MEM_POWER_CTRL_EN, v, 1);
    v = reg_fput(d, F_HDP_MEM_POWER_CTRL__ATOMIC_MEM_POWER_DS_EN, v, 1);
    reg_wr(d, R_HDP_MEM_POWER_CTRL, v);
}

static int fini_hw(struct am_device *d) {
    (void)d;
    return 0;
}

static void irq(struct am_device *d, const uint32_t entry[8]) {
    am_log(d, AM_LOG_DEBUG, "soc", "interrupt, source %u context 0x%x", entry[0] >> 8 & 0xff,
           entry[4]);
}

const struct ip_ops soc_ops = {"SOC", init_sw, init_hw, fini_hw, irq};
