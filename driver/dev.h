/* SPDX-License-Identifier: MIT */
/* dev.h - the device inside AM: what the driver's files share. Private to driver/. */
#ifndef RAWCL_DRIVER_DEV_H
#define RAWCL_DRIVER_DEV_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/am.h"
#include "driver/bus.h"
#include "driver/hw/hw.h"
#include "driver/trap.h"

typedef uint64_t gpu_va_t;   /* GPU virtual address */
typedef uint64_t mc_addr_t;  /* address in the memory controller's space (VRAM aperture) */
typedef uint64_t vram_off_t; /* byte offset into VRAM (what PTEs and BAR0 use) */

#define AM_BOOT_MEM_BYTES (32u << 20)       /* fixed place 0: everything a partial boot relies on */
#define AM_VA_BASE        0x200000000000ull /* PAGE_TABLE_START, one address space for all devices */
#define AM_VA_BYTES       (16ull << 40)

struct am_device;
struct am_memory; /* memory.c */
struct am_queues; /* submit.c */

/* What differs between generations; chip_gfx11.c and chip_gfx12.c fill one each. Extend freely. */
struct chip;

/* One IP block. init_sw allocates and decides, init_hw touches registers. All return 0/-errno. */
struct ip_ops {
    const char *name;
    int (*init_sw)(struct am_device *d);
    int (*init_hw)(struct am_device *d);
    int (*fini_hw)(struct am_device *d);
    /* An interrupt whose client id is this block's; entry: 8 dwords of the IH ring. */
    void (*irq)(struct am_device *d, const uint32_t entry[8]);
};

/* One instance of an IP block as the discovery table gives it. */
struct am_ip {
    bool present;
    struct hw_version version;
    uint32_t base[8];               /* dword base of each segment */
    const struct hw_ip_table *regs; /* NULL: version not in scope */
};

/* What the discovery table's GC info says (active units after harvesting). */
struct am_gc_info {
    uint32_t num_se, sa_per_se, wgp_per_sa, cu_per_sa, active_cus;
    uint32_t wave_size, max_waves_per_simd, lds_bytes_per_cu, max_scratch_slots_per_cu;
    uint32_t gl2_bytes;
};

struct am_device {
    struct bus *bus;
    struct bus_bar vram_bar, doorbell_bar, mmio_bar;
    const struct chip *chip;
    struct am_ip ip[HW_IP_COUNT];
    struct hw_version sdma_version;
    struct am_gc_info gc;
    char id[96], target[16];

    uint64_t vram_bytes;  /* RCC_CONFIG_MEMSIZE */
    mc_addr_t mc_base;    /* FB_LOCATION_BASE << 24 */
    mc_addr_t mc_end;     /* first byte after VRAM in MC space */
    vram_off_t boot_next; /* bump pointer in boot memory */
    vram_off_t root_pt;   /* page directory PDB2 */
    uint64_t tmr_bytes;
    bool partial_boot; /* found alive and ours */

    struct am_memory *mem;
    struct am_queues *queues;
    atomic_bool lost;         /* sticky: every call gives -ENODEV */
    atomic_bool abandoned;    /* forked child */
    pthread_mutex_t reg_lock; /* held around indexed (RSMU, GRBM-banked) sequences */
    struct am_options opt;
    char last_error[512]; /* the last error message, for am_open's sentence */
    char failed_step[64]; /* of the boot */
    bool quiet;           /* enumeration: messages are kept, not printed */
    int debug;            /* AM_DEBUG when the device was opened */
    void *priv_blocks;    /* am.c: per-block state */
};

/* ---- log.c ---- */
void am_log(struct am_device *d, enum am_log_level level, const char *topic, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int log_debug_level(void); /* AM_DEBUG, 0..4 */
uint64_t log_now_us(void); /* CLOCK_MONOTONIC */

/* ---- reg.c: registers by name. A register that this version lacks is a logged -ENXIO (reads give
 * 0). All-ones reads are re-checked before the device is declared lost. ---- */
uint32_t reg_rd(struct am_device *d, enum hw_reg r);
void reg_wr(struct am_device *d, enum hw_reg r, uint32_t v);
/* One field of a value / read-modify-write of one field. */
uint32_t reg_fv(struct am_device *d, enum hw_field f, uint32_t v);
uint32_t reg_fget(struct am_device *d, enum hw_field f, uint32_t reg_value);
void reg_upd(struct am_device *d, enum hw_field f, uint32_t v);
bool reg_has(struct am_device *d, enum hw_reg r);
/* Polls until (value & mask) == want. The only polling loop on registers. -ETIMEDOUT is logged with
 * the register's name and last value. */
int reg_wait(struct am_device *d, enum hw_reg r, uint32_t mask, uint32_t want, uint64_t timeout_us);
/* Polls until (value & mask) != not_want. */
int reg_wait_not(struct am_device *d, enum hw_reg r, uint32_t mask, uint32_t not_want,
                 uint64_t timeout_us);
/* reg_value with one field replaced; a field that this version lacks is logged. */
uint32_t reg_fput(struct am_device *d, enum hw_field f, uint32_t reg_value, uint32_t v);
bool reg_fhas(struct am_device *d, enum hw_field f);
/* By dword address in the register space; beyond BAR5 through RSMU. All ones on a failed read. */
uint32_t reg_rd_dw(struct am_device *d, uint32_t dw);
void reg_wr_dw(struct am_device *d, uint32_t dw, uint32_t v);
/* Dword address in MMIO space (for PM4 packets that name registers). */
uint32_t reg_addr(struct am_device *d, enum hw_reg r);

/* ---- VRAM through BAR0 (or MM_INDEX where the BAR is small); the CPU side of boot memory and page
 * tables. Writes are pending until gmc_hdp_flush. ---- */
int vram_read(struct am_device *d, vram_off_t off, void *buf, size_t len);
int vram_write(struct am_device *d, vram_off_t off, const void *buf, size_t len);
int vram_zero(struct am_device *d, vram_off_t off, size_t len);
/* Bump allocation in boot memory; align a power of two. 0 is the root page table, so 0 = failure
 * for everyone else. */
vram_off_t boot_alloc(struct am_device *d, size_t size, size_t align);

/* ---- gmc.c ---- */
void gmc_hdp_flush(struct am_device *d);
/* HDP flush, then invalidate engine 17 of both hubs for VMID 0. After every map and unmap. */
int gmc_flush_tlb(struct am_device *d);
extern const struct ip_ops soc_ops, gmc_ops, ih_ops, psp_ops, smu_ops, gfx_ops, sdma_ops;

/* ---- queue binding (gfx.c, sdma.c) ---- */
struct am_ring_desc {
    gpu_va_t ring_va;
    uint32_t ring_bytes; /* power of two */
    gpu_va_t rptr_va, wptr_va;
    gpu_va_t eop_va; /* compute only */
    uint32_t eop_bytes;
};
/* MEC1 pipe 0 queue 0 through an MQD; doorbell at BAR2 + AM_DOORBELL_COMPUTE. */
int gfx_bind_queue(struct am_device *d, const struct am_ring_desc *r);
int gfx_unbind_queue(struct am_device *d); /* dequeue request, bounded */
/* Stops a hung or faulted MEC queue: dequeue, SPI queue reset, MEC soft reset; the caller binds
 * again. */
int gfx_recover(struct am_device *d);
int sdma_bind_queue(struct am_device *d, const struct am_ring_desc *r);
int sdma_recover(struct am_device *d);
/* Chooses whose GRBM-banked registers are meant; all 0: nobody's. */
void gfx_select(struct am_device *d, uint32_t me, uint32_t pipe, uint32_t queue, uint32_t vmid);
enum { AM_DOORBELL_COMPUTE = 0x18, AM_DOORBELL_SDMA = 0x800 }; /* byte offsets in BAR2 */

/* ---- ih.c ---- */
/* Reads new IH ring entries and hands them to the blocks' irq(). Returns how many, or -EAGAIN:
 * there is no room for more faults until some are taken. */
int ih_drain(struct am_device *d);

/* ---- fault.c: what the blocks learnt from the IH ring and status registers ---- */
enum am_fault_kind {
    AM_FAULT_NONE,
    AM_FAULT_PAGE,
    AM_FAULT_ILLEGAL,
    AM_FAULT_MEMVIOL,
    AM_FAULT_TRAP,
    AM_FAULT_HANG,
    AM_FAULT_OTHER
};
struct am_fault {
    enum am_fault_kind kind;
    enum am_ring ring; /* AM_RING_COUNT: the chip does not say */
    uint64_t address;  /* page address for AM_FAULT_PAGE, else 0 */
    bool write;
    /* Interrupts come in order: the last compute command that had ended, by its signal value. */
    bool ordered;
    uint32_t after;
    struct trap_record trap; /* of the trap handler, if one of the waves came to it */
    char detail[256];
};
void fault_record(struct am_device *d, const struct am_fault *f);
bool fault_take(struct am_device *d, struct am_fault *out); /* the oldest one */
bool fault_room(struct am_device *d);                       /* for what one interrupt may tell */
/* The compute ring's commands up to this signal value are over, without an interrupt or with one
 * that was lost. */
void fault_ended(struct am_device *d, uint32_t value);

/* ---- memory.c / page_table.c / heap.c ---- */
int memory_init(struct am_device *d); /* after GMC: heaps, root page table (kept on partial boot) */
void memory_fini(struct am_device *d);
/* Label and distance of the allocation nearest to an address, for messages. */
void memory_describe(struct am_device *d, gpu_va_t va, char *buf, size_t size);

/* ---- submit.c ---- */
int queues_init(struct am_device *d); /* after GFX and SDMA: allocates and binds both rings */
void queues_fini(struct am_device *d);

#endif
