/* SPDX-License-Identifier: MIT */
/* psp.c - the security processor: bootloader mailbox, secure OS, command ring, firmware loading.
 *
 * Sources: linux psp_v13_0.c (bootloader_load_component, ring_create, ring_destroy), psp_v14_0.c,
 * amdgpu_psp.c (psp_hw_start, psp_load_non_psp_fw, psp_ring_cmd_submit), psp_gfx_if.h; the
 * reference traces for order, sizes and which firmware each generation loads.
 *
 * Firmware is judged by order, header and size, never by contents.
 */
#include <inttypes.h>
#include <stdio.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/gpu_state.h"

enum { PENDING_NONE, PENDING_BOOTLOADER, PENDING_SOS, PENDING_RING, PENDING_COMMANDS };

/* Model time that answers take, in microseconds. */
enum { US_BOOTLOADER = 100, US_SOS = 500, US_RING = 1000, US_COMMAND = 50, US_RING_SETTLE = 20000 };

#define READY     0x80000000u
#define MAGIC_PS1 0x31535024u /* "$PS1" at byte 16 of a signed image, payload size at byte 20 */
#define HEADER    0x200u      /* image = header + payload + signature: at least this beyond it */
#define TMR_SIZE  0x1300000u  /* reference traces: LOAD_TOC's answer */

/* Bootloader components in the order in which they are accepted (linux psp_v13_0/psp_v14_0 and
 * psp_hw_start: KDB, SPL, SYSDRV, SOCDRV, INTFDRV, DBGDRV, RASDRV, SOS). */
static const struct {
    uint32_t cmd;
    const char *name;
    bool gfx11, gfx12; /* required */
    bool bare;         /* may lack the magic (gfx11 sos.bin: KDB) */
} components[] = {
    {PSP_BL__LOAD_KEY_DATABASE, "KDB", true, true, true},
    {PSP_BL__LOAD_TOS_SPL_TABLE, "SPL", true, true, true},
    {PSP_BL__LOAD_SYSDRV, "SYS_DRV", true, true, false},
    {PSP_BL__LOAD_SOCDRV, "SOC_DRV", false, true, false},
    {PSP_BL__LOAD_INTFDRV, "INTF_DRV", false, true, false},
    {PSP_BL__LOAD_DBGDRV, "DBG_DRV", false, true, false},
    {PSP_BL__LOAD_RASDRV, "RAS_DRV", false, false, false},
    {PSP_BL__LOAD_SOSDRV, "SOS", true, true, false},
};
enum { COMPONENTS = sizeof components / sizeof *components };

/* What RLC autoload needs (reference traces coldboot). */
static const uint8_t need_gfx11[] = {
    GFX_FW_TYPE_SDMA_UCODE_TH0,    GFX_FW_TYPE_SDMA_UCODE_TH1, GFX_FW_TYPE_RS64_MEC,
    GFX_FW_TYPE_RS64_MEC_P0_STACK, GFX_FW_TYPE_IMU_I,          GFX_FW_TYPE_IMU_D,
    GFX_FW_TYPE_RLC_IRAM,          GFX_FW_TYPE_RLC_DRAM_BOOT,  GFX_FW_TYPE_RLC_G,
};
static const uint8_t need_gfx12[] = {
    GFX_FW_TYPE_SDMA_UCODE_TH0,
    GFX_FW_TYPE_RS64_PFP,
    GFX_FW_TYPE_RS64_PFP_P0_STACK,
    GFX_FW_TYPE_RS64_ME,
    GFX_FW_TYPE_RS64_ME_P0_STACK,
    GFX_FW_TYPE_RS64_MEC,
    GFX_FW_TYPE_RS64_MEC_P0_STACK,
    GFX_FW_TYPE_IMU_I,
    GFX_FW_TYPE_IMU_D,
    GFX_FW_TYPE_RLC_IRAM,
    GFX_FW_TYPE_RLC_DRAM_BOOT,
    GFX_FW_TYPE_RLC_G,
};

static uint32_t get(struct gpu *g, unsigned n) {
    return gpu_reg_get(g, mmio_mp0(g, n));
}
static void set(struct gpu *g, unsigned n, uint32_t v) {
    gpu_reg_set(g, mmio_mp0(g, n), v);
}

static void after(struct gpu *g, int what, uint64_t us) {
    g->psp.pending = what;
    g->psp.ready_at = gpu_model_us(g) + us;
}

static bool seen(const struct gpu *g, unsigned fw_type) {
    return g->psp.fw_seen[fw_type / 64] >> fw_type % 64 & 1;
}

/* The header of a signed image at an MC address. limit: bytes that were announced or may lie there.
 */
static bool image_ok(struct gpu *g, const char *what, uint64_t mc, uint32_t limit, bool bare) {
    const uint8_t *p = gpu_mc_ptr(g, mc, limit);
    if (!p) {
        gpu_guest_error(g, "PSP: %s at MC 0x%" PRIx64 " (%u bytes) is not in VRAM", what, mc,
                        limit);
        return false;
    }
    if (limit < HEADER) {
        gpu_guest_error(g, "PSP: %s of %u bytes is smaller than its header", what, limit);
        return false;
    }
    hdp_check_read(g, AGENT_PSP, (uint64_t)(p - g->vram), HEADER);
    uint32_t magic = hw_get32(p, 16), size = hw_get32(p, 20);
    if (magic != MAGIC_PS1 && !(bare && magic == 0)) {
        gpu_guest_error(g, "PSP: %s has no $PS1 header (0x%08x)", what, magic);
        return false;
    }
    if (!size || size > limit - HEADER) {
        gpu_guest_error(g, "PSP: %s: header names 0x%x bytes, 0x%x are there", what, size, limit);
        return false;
    }
    hdp_check_read(g, AGENT_PSP, (uint64_t)(p - g->vram) + HEADER, size);
    return true;
}

/* ---- bootloader ---- */

static void bootloader_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t cmd) {
    struct psp_state *p = &g->psp;
    (void)r;
    if (p->sos_alive || !(old & READY)) {
        gpu_guest_error(g, "PSP bootloader command 0x%x %s", cmd,
                        p->sos_alive ? "while the secure OS runs" : "before it was ready");
        set(g, 35, old);
        return;
    }
    unsigned i = 0;
    while (i < COMPONENTS && components[i].cmd != cmd)
        i++;
    if (i == COMPONENTS) {
        gpu_guest_error(g, "PSP bootloader: unknown command 0x%x", cmd);
        set(g, 35, READY | 0xff);
        return;
    }
    bool need_missing = false;
    for (unsigned k = 0; k < i; k++) {
        bool need = g->gen == HW_GFX12 ? components[k].gfx12 : components[k].gfx11;
        if (need && !(p->bl_seen >> k & 1)) {
            gpu_guest_error(g, "PSP bootloader: %s before %s", components[i].name,
                            components[k].name);
            need_missing = true;
        }
    }
    if (p->bl_seen >> i) {
        gpu_guest_error(g, "PSP bootloader: %s out of order", components[i].name);
        need_missing = true;
    }
    uint64_t mc = (uint64_t)get(g, 36) << 20;
    if (need_missing || !image_ok(g, components[i].name, mc, 1u << 20, components[i].bare)) {
        set(g, 35, READY | 0xff); /* an error code in the low bits */
        return;
    }
    p->bl_seen |= 1u << i;
    bool sos = cmd == PSP_BL__LOAD_SOSDRV;
    after(g, sos ? PENDING_SOS : PENDING_BOOTLOADER, sos ? US_SOS : US_BOOTLOADER);
}

/* ---- ring control (C2PMSG_64) ---- */

static uint32_t ring_cntl_read(struct gpu *g, enum hw_reg r, uint32_t stored) {
    (void)r;
    /* linux psp_v13_0_ring_create/_stop wait 20 ms after a ring command: polling sooner disturbs
     * the handshake. */
    if (gpu_model_us(g) < g->psp.no_poll_until) {
        g->psp.no_poll_until = 0;
        gpu_guest_error(g, "C2PMSG_64 polled within 20 ms of a PSP ring command");
    }
    return stored;
}

static void ring_cntl_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    struct psp_state *p = &g->psp;
    (void)r;
    if (!p->sos_alive) {
        gpu_guest_error(g, "PSP ring command 0x%x before the secure OS is alive", v);
        set(g, 64, old);
        return;
    }
    if (!(old & READY)) gpu_guest_error(g, "PSP ring command 0x%x while another is in progress", v);
    p->no_poll_until = gpu_model_us(g) + US_RING_SETTLE;
    switch (v & GFX_CMD_ID_MASK) {
    case GFX_CTRL_CMD_ID_INIT_GPCOM_RING: {
        uint64_t mc = (uint64_t)get(g, 70) << 32 | get(g, 69);
        uint32_t bytes = get(g, 71);
        if (p->ring_up) gpu_guest_error(g, "PSP ring created twice");
        if (!bytes || bytes % SIZE_psp_gfx_rb_frame || (mc & 0xfff) || !gpu_mc_ptr(g, mc, bytes)) {
            gpu_guest_error(g, "PSP ring at MC 0x%" PRIx64 ", %u bytes: not a ring in VRAM", mc,
                            bytes);
            set(g, 64, READY | 1);
            return;
        }
        p->ring_mc = mc;
        p->ring_bytes = bytes;
        p->rptr = 0;
        p->ring_up = true;
        set(g, 67, 0);
        break;
    }
    case GFX_CTRL_CMD_ID_DESTROY_RINGS:
    case GFX_CTRL_CMD_ID_DESTROY_GPCOM_RING:
        p->ring_up = false;
        break;
    case GFX_CTRL_CMD_ID_MODE1_RST:
        smu_mode1_reset(g);
        return;
    default:
        gpu_unimplemented(g, "PSP ring command 0x%x", v);
        break;
    }
    set(g, 64, 0);
    after(g, PENDING_RING, US_RING);
}

/* ---- commands ---- */

static uint64_t cmd_addr(const uint8_t *c, size_t lo) {
    return (uint64_t)hw_get32(c, lo + 4) << 32 | hw_get32(c, lo);
}

static uint32_t load_toc(struct gpu *g, uint8_t *c) {
    uint64_t mc = cmd_addr(c, OFF_psp_gfx_cmd_resp__cmd__cmd_load_toc__toc_phy_addr_lo);
    uint32_t size = hw_get32(c, OFF_psp_gfx_cmd_resp__cmd__cmd_load_toc__toc_size);
    if (!image_ok(g, "TOC", mc, size, false)) return 1;
    g->psp.toc_done = true;
    hw_put32(c, OFF_psp_gfx_cmd_resp__resp__tmr_size, TMR_SIZE);
    return 0;
}

static uint32_t setup_tmr(struct gpu *g, const uint8_t *c) {
    uint64_t mc = cmd_addr(c, OFF_psp_gfx_cmd_resp__cmd__cmd_setup_tmr__buf_phy_addr_lo);
    uint32_t size = hw_get32(c, OFF_psp_gfx_cmd_resp__cmd__cmd_setup_tmr__buf_size);
    if (g->gen == HW_GFX12) {
        /* linux psp_v14_0: boot-time TMR, psp_tmr_load is skipped. */
        gpu_guest_error(g, "SETUP_TMR on a chip with a boot-time TMR");
        return 1;
    }
    if (!g->psp.toc_done || size < TMR_SIZE || mc % PSP_TMR_ALIGNMENT || !gpu_mc_ptr(g, mc, size)) {
        gpu_guest_error(g, "SETUP_TMR: MC 0x%" PRIx64 ", 0x%x bytes%s", mc, size,
                        g->psp.toc_done ? ": not 1 MiB aligned VRAM of the size that LOAD_TOC gave"
                                        : " before LOAD_TOC");
        return 1;
    }
    g->psp.tmr_done = true;
    g->psp.tmr_mc = mc;
    g->psp.tmr_size = size;
    return 0;
}

static uint32_t load_ip_fw(struct gpu *g, const uint8_t *c) {
    uint64_t mc = cmd_addr(c, OFF_psp_gfx_cmd_resp__cmd__cmd_load_ip_fw__fw_phy_addr_lo);
    uint32_t size = hw_get32(c, OFF_psp_gfx_cmd_resp__cmd__cmd_load_ip_fw__fw_size);
    uint32_t type = hw_get32(c, OFF_psp_gfx_cmd_resp__cmd__cmd_load_ip_fw__fw_type);
    if (type == GFX_FW_TYPE_NONE || type >= GFX_FW_TYPE_MAX) {
        gpu_guest_error(g, "LOAD_IP_FW: no firmware type %u", type);
        return 1;
    }
    bool smu = type == GFX_FW_TYPE_SMU;
    if (!g->psp.toc_done || (g->gen == HW_GFX11 && !smu && !g->psp.tmr_done)) {
        gpu_guest_error(g, "LOAD_IP_FW type %u before %s", type,
                        g->psp.toc_done ? "SETUP_TMR" : "LOAD_TOC");
        return 1;
    }
    char what[32];
    snprintf(what, sizeof what, "firmware type %u", type);
    if (!image_ok(g, what, mc, size, false)) return 1;
    g->psp.fw_seen[type / 64] |= 1ull << type % 64;
    if (smu) smu_firmware_loaded(g);
    return 0;
}

static uint32_t autoload_rlc(struct gpu *g) {
    const uint8_t *need = g->gen == HW_GFX12 ? need_gfx12 : need_gfx11;
    size_t n = g->gen == HW_GFX12 ? sizeof need_gfx12 : sizeof need_gfx11;
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        if (!seen(g, need[i])) {
            gpu_guest_error(g, "AUTOLOAD_RLC without firmware type %u", need[i]);
            ok = false;
        }
    if (!g->smu.alive) {
        gpu_guest_error(g, "AUTOLOAD_RLC before the SMU runs");
        ok = false;
    }
    if (!ok) return 1;
    g->psp.rlc_loaded = true;
    /* linux gfx_v11_0_wait_for_rlc_autoload_complete. */
    gpu_reg_set(g, R_RLC_RLCS_BOOTLOAD_STATUS, 1u << 31 | 1);
    return 0;
}

static uint32_t execute(struct gpu *g, uint8_t *c) {
    uint32_t id = hw_get32(c, OFF_psp_gfx_cmd_resp__cmd_id);
    switch (id) {
    case GFX_CMD_ID_LOAD_TOC:
        return load_toc(g, c);
    case GFX_CMD_ID_SETUP_TMR:
        return setup_tmr(g, c);
    case GFX_CMD_ID_LOAD_IP_FW:
        return load_ip_fw(g, c);
    case GFX_CMD_ID_AUTOLOAD_RLC:
        return autoload_rlc(g);
    case GFX_CMD_ID_DESTROY_TMR:
        g->psp.tmr_done = false;
        return 0;
    case GFX_CMD_ID_LOAD_TA:
    case GFX_CMD_ID_UNLOAD_TA:
    case GFX_CMD_ID_INVOKE_CMD:
    case GFX_CMD_ID_LOAD_ASD:
    case GFX_CMD_ID_SAVE_RESTORE:
    case GFX_CMD_ID_SETUP_VMR:
    case GFX_CMD_ID_DESTROY_VMR:
    case GFX_CMD_ID_PROG_REG:
    case GFX_CMD_ID_GET_FW_ATTESTATION:
    case GFX_CMD_ID_BOOT_CFG:
    case GFX_CMD_ID_SRIOV_SPATIAL_PART:
        gpu_unimplemented(g, "PSP command 0x%x", id);
        return PSP_ERR_UNKNOWN_COMMAND;
    default:
        gpu_guest_error(g, "PSP: unknown command 0x%x", id);
        return PSP_ERR_UNKNOWN_COMMAND;
    }
}

/* One frame of the ring. Frames and commands may not have been flushed: the reference submits so
 * (prep_msg1 flushes the image, nothing flushes the frame). */
static void run_frame(struct gpu *g, const uint8_t *f) {
    uint64_t cmd_mc = cmd_addr(f, OFF_psp_gfx_rb_frame__cmd_buf_addr_lo);
    uint64_t fence_mc = cmd_addr(f, OFF_psp_gfx_rb_frame__fence_addr_lo);
    uint8_t *c = gpu_mc_ptr(g, cmd_mc, SIZE_psp_gfx_cmd_resp);
    uint8_t *fence = gpu_mc_ptr(g, fence_mc, 4);
    if (!c || !fence || (fence_mc & 3)) {
        gpu_guest_error(g, "PSP frame: command at MC 0x%" PRIx64 ", fence at MC 0x%" PRIx64, cmd_mc,
                        fence_mc);
        return;
    }
    hdp_accept(g, (uint64_t)(c - g->vram), SIZE_psp_gfx_cmd_resp);
    hdp_accept(g, (uint64_t)(fence - g->vram), 4);
    hw_put32(c, OFF_psp_gfx_cmd_resp__resp__status, execute(g, c));
    cache_psp_write(g, (uint64_t)(c - g->vram), SIZE_psp_gfx_cmd_resp);
    cache_psp_write(g, (uint64_t)(fence - g->vram), 4);
    __atomic_store_n((uint32_t *)(void *)fence, hw_get32(f, OFF_psp_gfx_rb_frame__fence_value),
                     __ATOMIC_RELEASE);
}

static void run_ring(struct gpu *g) {
    struct psp_state *p = &g->psp;
    uint32_t dwords = p->ring_bytes / 4, wptr = get(g, 67);
    const uint8_t *ring = gpu_mc_ptr(g, p->ring_mc, p->ring_bytes);
    if (ring) hdp_accept(g, (uint64_t)(ring - g->vram), p->ring_bytes);
    while (ring && p->rptr != wptr) {
        run_frame(g, ring + (size_t)p->rptr * 4);
        p->rptr = (p->rptr + SIZE_psp_gfx_rb_frame / 4) % dwords;
    }
}

static void wptr_wrote(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v) {
    struct psp_state *p = &g->psp;
    (void)r;
    if (!p->ring_up) {
        gpu_guest_error(g, "C2PMSG_67 written without a PSP ring");
        set(g, 67, old);
        return;
    }
    if (v % (SIZE_psp_gfx_rb_frame / 4) || v >= p->ring_bytes / 4) {
        gpu_guest_error(g, "PSP ring write pointer 0x%x is not a frame of the ring", v);
        set(g, 67, old);
        return;
    }
    after(g, PENDING_COMMANDS, US_COMMAND);
}

void psp_check_tmr(struct gpu *g, enum gpu_agent who, uint64_t off, uint64_t len) {
    const struct psp_state *p = &g->psp;
    uint64_t tmr = p->tmr_mc - g->mc_base;
    if (!p->tmr_done || off >= tmr + p->tmr_size || off + len <= tmr) return;
    gpu_guest_error(g, "%s writes VRAM 0x%" PRIx64 " inside the trusted memory region",
                    who == AGENT_BAR0 ? "BAR0" : "the chip", off);
}

/* ---- life ---- */

void psp_tick(struct gpu *g) {
    struct psp_state *p = &g->psp;
    if (p->pending == PENDING_NONE || gpu_model_us(g) < p->ready_at) return;
    int what = p->pending;
    p->pending = PENDING_NONE;
    switch (what) {
    case PENDING_BOOTLOADER:
        set(g, 35, READY);
        break;
    case PENDING_SOS:
        set(g, 35, READY);
        set(g, 64, READY);
        set(g, 81, 1);
        p->sos_alive = true;
        break;
    case PENDING_RING:
        set(g, 64, READY);
        break;
    case PENDING_COMMANDS:
        run_ring(g);
        break;
    }
}

bool gpu_fw_ready(struct gpu *g, enum gpu_fw fw) {
    if (!g->psp.rlc_loaded) return false;
    return seen(g, fw == GPU_FW_MEC ? GFX_FW_TYPE_RS64_MEC : GFX_FW_TYPE_SDMA_UCODE_TH0);
}

void psp_reset(struct gpu *g) {
    memset(&g->psp, 0, sizeof g->psp);
    set(g, 35, READY);
}

void psp_init(struct gpu *g) {
    gpu_reg_hook(g, mmio_mp0(g, 35), NULL, bootloader_wrote);
    gpu_reg_hook(g, mmio_mp0(g, 64), ring_cntl_read, ring_cntl_wrote);
    gpu_reg_hook(g, mmio_mp0(g, 67), NULL, wptr_wrote);
}
