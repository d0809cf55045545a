/* SPDX-License-Identifier: MIT */
/* chip.h - what differs between generations. One constant table each (chip_gfx11.c, chip_gfx12.c);
 * nobody else compares versions. Registers that exist in one generation only are named here as
 * well; a hook that a generation does not need is a function that does nothing.
 */
#ifndef RAWCL_DRIVER_CHIP_H
#define RAWCL_DRIVER_CHIP_H

#include "driver/dev.h"

/* One step of the PSP boot loader: component of the sos container and the command that takes it. */
struct chip_boot_step {
    uint32_t psp_fw_type; /* PSP_FW_TYPE_* */
    uint32_t command;     /* PSP_BL__* */
};

struct chip {
    const char *name;  /* "gfx11" */
    unsigned gc_major; /* of the discovery table's GC version */
    enum hw_gen gen;   /* packet layouts */

    /* PSP mailbox */
    enum hw_reg c2pmsg_35, c2pmsg_36, c2pmsg_64, c2pmsg_67, c2pmsg_69, c2pmsg_70, c2pmsg_71,
        c2pmsg_81;
    const struct chip_boot_step *boot_steps; /* ends with command 0 */
    bool setup_tmr;                          /* gfx12 has its TMR from boot time on */

    /* Doorbell routing entries of ports 0, 2 and 3 */
    enum hw_reg doorbell_entry[4];
    enum hw_field doorbell_enable[4], doorbell_awid[4], doorbell_offset[4], doorbell_size[4],
        doorbell_awaddr[4];

    enum hw_reg gc_fault_status, mm_fault_status;
    enum hw_field perfmon_state, perfmon_sample; /* of CP_PERFMON_CNTL */
    uint32_t spi_event_waves;                    /* SPI_PERF_CSN_WAVE */
    enum hw_field sdma_halt, sdma_thread_reset, sdma_wptr_poll;

    /* Points the graphics front end at its firmware and pulses its reset. */
    int (*front_end_config)(struct am_device *d);
    uint32_t image_pitch_align; /* bytes, rows of linear images */
    /* GRBM soft reset around a MEC recovery. */
    int (*mec_soft_reset)(struct am_device *d);
    void (*sdma_policy)(struct am_device *d);
};

extern const struct chip chip_gfx11, chip_gfx12;

/* The table for a GC version, NULL when it is not in scope. */
const struct chip *chip_find(unsigned gc_major);

#endif
