/* SPDX-License-Identifier: MIT */
/* blocks.h - what the IP blocks keep between their calls. Private to am.c and the blocks. */
#ifndef RAWCL_DRIVER_BLOCKS_H
#define RAWCL_DRIVER_BLOCKS_H

#include "driver/chip.h"
#include "driver/dev.h"
#include "firmware/firmware.h"

/* SCRATCH_REG7: booted by this driver, layout of boot memory 1. No other driver writes it. */
#define AM_BOOT_VERSION 0x52434c01u
/* SCRATCH_REG6: how the last session ended. */
enum { AM_SESSION_CLEAN = 0, AM_SESSION_DIRTY = 1 };

enum { IH_RING_BYTES = 256 << 10, PSP_RING_BYTES = 64 << 10, SMU_TABLE_BYTES = 16 << 10 };
enum { FAULT_QUEUE = 32 };
enum { MQD_BYTES = 2048, PSP_MSG_BYTES = 1 << 20 };
/* Largest trusted memory region that these chips' tables of contents ask for. */
enum { TMR_MAX_BYTES = 0x1300000 };

enum smu_clock { SMU_UCLK, SMU_FCLK, SMU_SOCCLK, SMU_GFXCLK, SMU_CLOCK_COUNT };

struct am_blocks {
    struct firmware *fw; /* NULL on a partial boot until it is needed */
    bool emulated;       /* stand-in firmware is accepted */
    /* places in boot memory */
    vram_off_t scratch_page, dummy_page;
    vram_off_t ih_ring, ih_wptr, ih_ring1;
    vram_off_t psp_cmd, psp_fence, psp_ring, psp_msg, tmr;
    vram_off_t smu_table, mqd;
    _Atomic uint32_t hdp_flush; /* byte address, 0: not read yet */
    pthread_mutex_t ih_lock;
    uint32_t eop_seen; /* signal value of the last end-of-pipe interrupt; under ih_lock */
    struct am_fault faults[FAULT_QUEUE]; /* until taken */
    unsigned fault_count;
    pthread_mutex_t fault_lock;
    uint32_t clocks[SMU_CLOCK_COUNT][16]; /* MHz by level */
    unsigned clock_levels[SMU_CLOCK_COUNT];
    bool sdma_up, sdma_bound;
    struct trace_file *trace;                /* AM_TRACE; NULL: off */
    uint64_t start_pfp, start_me, start_mec; /* RS64 entry points */
};

static inline struct am_blocks *blocks(struct am_device *d) {
    return d->priv_blocks;
}

/* discovery.c: the binary at the end of VRAM. discovery_parse is pure: nothing but *d is written.
 */
int discovery_vram_size(struct am_device *d); /* reads it; before anything is known of the chip */
int discovery_run(struct am_device *d);       /* the same, and all the rest */
int discovery_parse(struct am_device *d, const uint8_t *bin, size_t size, char *err,
                    size_t err_size);

/* gmc.c */
enum am_hub { AM_HUB_MM, AM_HUB_GC };
int gmc_init_hub(struct am_device *d, enum am_hub hub);
/* Reads and clears a hub's fault registers. false: no fault latched. */
bool gmc_read_fault(struct am_device *d, enum am_hub hub, struct am_fault *f);

/* soc.c */
void soc_doorbell_enable(struct am_device *d, unsigned port, uint32_t awid, uint32_t awaddr,
                         uint32_t offset, uint32_t size);
void soc_clock_gating(struct am_device *d);
int soc_bus_master(struct am_device *d, bool on);
int soc_memory_decode(struct am_device *d, bool on); /* whether the BARs answer */

/* psp.c */
bool psp_alive(struct am_device *d);

/* smu.c */
int smu_message(struct am_device *d, uint32_t msg, uint32_t param, uint32_t *result);
bool smu_alive(struct am_device *d); /* answers its mailbox */
int smu_reset_chip(struct am_device *d);
int smu_set_clocks(struct am_device *d, bool highest);

/* gfx.c */
int gfx_wait_autoload(struct am_device *d);
void gfx_clock_gating(struct am_device *d);
/* Writes an RS64 engine's entry point. */
void gfx_start_address(struct am_device *d, enum hw_reg lo, enum hw_reg hi, uint64_t address);

/* am.c */
int am_boot(struct am_device *d);
int am_stop(struct am_device *d); /* am_close but for the freeing; 0: left clean */
int am_device_new(struct bus *bus, const char *id, const struct am_options *opt, bool emulated,
                  struct am_device **out);
void am_device_free(struct am_device *d); /* closes its bus; NULL is ignored */

#endif
