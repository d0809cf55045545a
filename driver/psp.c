/* SPDX-License-Identifier: MIT */
/* PSP: boot loader, ring, trusted memory region, firmware. Protocol: linux psp_v13_0.c,
 * psp_v14_0.c, amdgpu_psp.c, psp_gfx_if.h. */
#include <errno.h>
#include <string.h>

#include "driver/blocks.h"

#define PSP_READY 0x80000000u

enum { PSP_RING_TYPE_KM = 2, PSP_TIMEOUT_US = 10000000 };

bool psp_alive(struct am_device *d) {
    return reg_rd(d, d->chip->c2pmsg_81) != 0;
}

static int init_sw(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    b->psp_cmd = boot_alloc(d, PSP_CMD_BUFFER_SIZE, 4096);
    b->psp_fence = boot_alloc(d, PSP_FENCE_BUFFER_SIZE, 4096);
    b->psp_ring = boot_alloc(d, PSP_RING_BYTES, 4096);
    b->psp_msg = boot_alloc(d, PSP_MSG_BYTES, PSP_1_MEG);
    b->tmr = boot_alloc(d, TMR_MAX_BYTES, PSP_TMR_ALIGNMENT);
    if (!b->psp_cmd || !b->psp_fence || !b->psp_ring || !b->psp_msg || !b->tmr) return -ENOSPC;
    return 0;
}

/* Puts an image where the PSP reads it. It reads whole 16-byte units. */
static int put_message(struct am_device *d, const struct fw_image *im) {
    struct am_blocks *b = blocks(d);
    static const uint8_t zeros[32];
    if (im->size > PSP_MSG_BYTES - sizeof zeros) {
        am_log(d, AM_LOG_ERROR, "psp", "firmware %s has %u bytes, more than %u", im->name, im->size,
               PSP_MSG_BYTES);
        return -EFBIG;
    }
    size_t whole = im->size & ~(size_t)15, rest = im->size - whole;
    uint8_t tail[32] = {0};
    memcpy(tail, im->data + whole, rest);
    int rc = vram_write(d, b->psp_msg, im->data, whole);
    if (!rc) rc = vram_write(d, b->psp_msg + whole, tail, sizeof tail);
    gmc_hdp_flush(d);
    return rc;
}

static const struct fw_image *find_image(const struct fw_container *c, uint32_t type) {
    for (unsigned i = 0; i < c->count; i++)
        if (c->images[i].type == type) return &c->images[i];
    return NULL;
}

static int boot_loader_step(struct am_device *d, const struct chip_boot_step *s) {
    const struct chip *c = d->chip;
    const struct fw_image *im = find_image(&blocks(d)->fw->sos, s->psp_fw_type);
    if (!im) {
        bool needed = s->psp_fw_type == PSP_FW_TYPE_PSP_SOS ||
                      s->psp_fw_type == PSP_FW_TYPE_PSP_SYS_DRV ||
                      s->psp_fw_type == PSP_FW_TYPE_PSP_KDB;
        if (needed)
            am_log(d, AM_LOG_ERROR, "psp", "no component of type %u in the sos container",
                   s->psp_fw_type);
        return needed ? -ENOENT : 0; /* the drivers in between exist on some chips only */
    }
    am_log(d, AM_LOG_DEBUG, "psp", "boot loader: %s, command 0x%x, %u bytes", im->name, s->command,
           im->size);
    int rc = reg_wait(d, c->c2pmsg_35, PSP_READY, PSP_READY, PSP_TIMEOUT_US);
    if (!rc) rc = put_message(d, im);
    if (rc) return rc;
    reg_wr(d, c->c2pmsg_36, (uint32_t)((d->mc_base + blocks(d)->psp_msg) >> 20));
    reg_wr(d, c->c2pmsg_35, s->command);
    if (s->psp_fw_type == PSP_FW_TYPE_PSP_SOS) /* takes the mailbox over */
        return reg_wait_not(d, c->c2pmsg_81, ~0u, 0, PSP_TIMEOUT_US);
    return reg_wait(d, c->c2pmsg_35, PSP_READY, PSP_READY, PSP_TIMEOUT_US);
}

static int ring_create(struct am_device *d) {
    const struct chip *c = d->chip;
    if (reg_rd(d, c->c2pmsg_71)) {
        reg_wr(d, c->c2pmsg_64, GFX_CTRL_CMD_ID_DESTROY_RINGS);
        d->bus->ops->delay(d->bus, 20000);
    }
    int rc = reg_wait(d, c->c2pmsg_64, PSP_READY, PSP_READY, PSP_TIMEOUT_US);
    if (rc) return rc;
    rc = vram_zero(d, blocks(d)->psp_fence, PSP_FENCE_BUFFER_SIZE); /* no value of a past session */
    if (rc) return rc;
    mc_addr_t ring = d->mc_base + blocks(d)->psp_ring;
    reg_wr(d, c->c2pmsg_69, (uint32_t)ring);
    reg_wr(d, c->c2pmsg_70, (uint32_t)(ring >> 32));
    reg_wr(d, c->c2pmsg_71, PSP_RING_BYTES);
    reg_wr(d, c->c2pmsg_64, PSP_RING_TYPE_KM << 16);
    d->bus->ops->delay(d->bus, 20000);
    return reg_wait(d, c->c2pmsg_64, PSP_READY | 0xffff, PSP_READY, PSP_TIMEOUT_US);
}

/* One command through the ring; cmd is the 1 KiB command buffer, answered in place. */
static int submit(struct am_device *d, uint8_t cmd[SIZE_psp_gfx_cmd_resp], const char *what) {
    struct am_blocks *b = blocks(d);
    uint32_t wptr = reg_rd(d, d->chip->c2pmsg_67); /* dwords */
    uint32_t ring_dw = PSP_RING_BYTES / 4, frame_dw = SIZE_psp_gfx_rb_frame / 4;
    if (wptr >= ring_dw || wptr % frame_dw) {
        am_log(d, AM_LOG_ERROR, "psp", "ring write pointer is 0x%x", wptr);
        return -EIO;
    }
    uint8_t frame[SIZE_psp_gfx_rb_frame] = {0};
    uint32_t fence = wptr + 1, seen = 0;
    mc_addr_t cmd_mc = d->mc_base + b->psp_cmd, fence_mc = d->mc_base + b->psp_fence;
    hw_put32(frame, OFF_psp_gfx_rb_frame__cmd_buf_addr_lo, (uint32_t)cmd_mc);
    hw_put32(frame, OFF_psp_gfx_rb_frame__cmd_buf_addr_hi, (uint32_t)(cmd_mc >> 32));
    hw_put32(frame, OFF_psp_gfx_rb_frame__fence_addr_lo, (uint32_t)fence_mc);
    hw_put32(frame, OFF_psp_gfx_rb_frame__fence_addr_hi, (uint32_t)(fence_mc >> 32));
    hw_put32(frame, OFF_psp_gfx_rb_frame__fence_value, fence);
    int rc = vram_write(d, b->psp_cmd, cmd, SIZE_psp_gfx_cmd_resp);
    if (!rc) rc = vram_write(d, b->psp_ring + (vram_off_t)wptr * 4, frame, sizeof frame);
    if (rc) return rc;
    gmc_hdp_flush(d);
    reg_wr(d, d->chip->c2pmsg_67, (wptr + frame_dw) % ring_dw);

    uint64_t start = log_now_us();
    for (unsigned n = 0; seen != fence; n++) {
        rc = vram_read(d, b->psp_fence, &seen, 4);
        if (rc) return rc;
        if (seen == fence) break;
        if ((n & 63) == 63 && !psp_alive(d)) { /* died, or the whole device is gone */
            am_log(d, AM_LOG_ERROR, "psp", "%s: the PSP does not run any more", what);
            return atomic_load(&d->lost) ? -ENODEV : -EIO;
        }
        if (n > 4 && log_now_us() - start > PSP_TIMEOUT_US) {
            am_log(d, AM_LOG_ERROR, "psp", "%s: no answer, fence 0x%x, waited for 0x%x", what, seen,
                   fence);
            return -ETIMEDOUT;
        }
        d->bus->ops->delay(d->bus, n < 16 ? 1 : 100);
    }
    rc = vram_read(d, b->psp_cmd, cmd, SIZE_psp_gfx_cmd_resp);
    uint32_t status = hw_get32(cmd, OFF_psp_gfx_cmd_resp__resp__status);
    if (!rc && status) {
        am_log(d, AM_LOG_ERROR, "psp", "%s is refused with status 0x%x", what, status);
        rc = -EIO;
    }
    return rc;
}

static int load_toc(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    const struct fw_image *toc = find_image(&b->fw->sos, PSP_FW_TYPE_PSP_TOC);
    if (!toc) {
        am_log(d, AM_LOG_ERROR, "psp", "no table of contents in the sos container");
        return -ENOENT;
    }
    int rc = put_message(d, toc);
    if (rc) return rc;
    uint8_t cmd[SIZE_psp_gfx_cmd_resp] = {0};
    mc_addr_t at = d->mc_base + b->psp_msg;
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd_id, GFX_CMD_ID_LOAD_TOC);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_load_toc__toc_phy_addr_lo, (uint32_t)at);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_load_toc__toc_phy_addr_hi, (uint32_t)(at >> 32));
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_load_toc__toc_size, toc->size);
    rc = submit(d, cmd, "LOAD_TOC");
    if (rc) return rc;
    d->tmr_bytes = hw_get32(cmd, OFF_psp_gfx_cmd_resp__resp__tmr_size);
    if (d->tmr_bytes > TMR_MAX_BYTES) {
        am_log(d, AM_LOG_ERROR, "psp", "a trusted region of %llu bytes does not fit in boot memory",
               (unsigned long long)d->tmr_bytes);
        return -ENOSPC;
    }
    return 0;
}

static int setup_tmr(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    uint8_t cmd[SIZE_psp_gfx_cmd_resp] = {0};
    mc_addr_t at = d->mc_base + b->tmr;
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd_id, GFX_CMD_ID_SETUP_TMR);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_setup_tmr__buf_phy_addr_lo, (uint32_t)at);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_setup_tmr__buf_phy_addr_hi, (uint32_t)(at >> 32));
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_setup_tmr__buf_size, (uint32_t)d->tmr_bytes);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_setup_tmr__tmr_flags, 1u << 1); /* virt_phy_addr */
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_setup_tmr__system_phy_addr_lo, (uint32_t)b->tmr);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_setup_tmr__system_phy_addr_hi,
             (uint32_t)(b->tmr >> 32));
    return submit(d, cmd, "SETUP_TMR");
}

static int load_image(struct am_device *d, const struct fw_image *im) {
    int rc = put_message(d, im);
    if (rc) return rc;
    uint8_t cmd[SIZE_psp_gfx_cmd_resp] = {0};
    mc_addr_t at = d->mc_base + blocks(d)->psp_msg;
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd_id, GFX_CMD_ID_LOAD_IP_FW);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_load_ip_fw__fw_phy_addr_lo, (uint32_t)at);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_load_ip_fw__fw_phy_addr_hi, (uint32_t)(at >> 32));
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_load_ip_fw__fw_size, im->size);
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd__cmd_load_ip_fw__fw_type, im->type);
    am_log(d, AM_LOG_DEBUG, "psp", "LOAD_IP_FW %s, type %u, %u bytes", im->name, im->type,
           im->size);
    return submit(d, cmd, im->name);
}

static int autoload(struct am_device *d) {
    uint8_t cmd[SIZE_psp_gfx_cmd_resp] = {0};
    hw_put32(cmd, OFF_psp_gfx_cmd_resp__cmd_id, GFX_CMD_ID_AUTOLOAD_RLC);
    return submit(d, cmd, "AUTOLOAD_RLC");
}

static int init_hw(struct am_device *d) {
    struct firmware *fw = blocks(d)->fw;
    int rc = 0;
    if (!psp_alive(d))
        for (const struct chip_boot_step *s = d->chip->boot_steps; s->command && !rc; s++)
            rc = boot_loader_step(d, s);
    if (!rc) rc = ring_create(d);
    if (!rc) rc = load_toc(d);
    if (!rc) rc = load_image(d, &fw->smu); /* the SMU must run before the region is set up */
    if (!rc && d->chip->setup_tmr) rc = setup_tmr(d);
    for (unsigned i = 0; i < fw->count && !rc; i++)
        rc = load_image(d, &fw->images[i]);
    if (!rc) rc = autoload(d);
    return rc;
}

static int fini_hw(struct am_device *d) {
    (void)d;
    return 0;
}

static void irq(struct am_device *d, const uint32_t entry[8]) {
    am_log(d, AM_LOG_WARN, "psp", "interrupt, source %u context 0x%x", entry[0] >> 8 & 0xff,
           entry[4]);
}

const struct ip_ops psp_ops = {"PSP", init_sw, init_hw, fini_hw, irq};
