/* gpu.h - the chip inside: what the blocks of the model share. Private to driver/emulator/. */
#ifndef RAWCL_EMULATOR_GPU_H
#define RAWCL_EMULATOR_GPU_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/bus.h"
#include "driver/emulator/emulator.h"
#include "driver/hw/hw.h"

struct gpu;

/* Who touches memory; staleness rules depend on it (coherency table, driver/README.md). */
enum gpu_agent { AGENT_CPU, AGENT_BAR0, AGENT_PSP, AGENT_CP, AGENT_SDMA, AGENT_SHADER, AGENT_IH };
enum gpu_hub { HUB_GC, HUB_MM };

/* ---- the chip (gpu.c) ---- */
const struct hw_chip *gpu_chip(const struct gpu *g);
enum hw_gen gpu_gen(const struct gpu *g);                 /* PM4 and SDMA packet tables */
const struct emu_config *gpu_config(const struct gpu *g); /* as opened, defaults filled in */
/* The register table of an IP block, for fields of values that are not in gpu_reg storage. */
const struct hw_ip_table *gpu_ip(const struct gpu *g, enum hw_ip ip);
/* The absolute dword index of a register, UINT32_MAX where this chip lacks it. */
uint32_t gpu_reg_dw(const struct gpu *g, enum hw_reg r);
/* Whether PSP loaded it and RLC autoload delivered it. */
enum gpu_fw { GPU_FW_MEC, GPU_FW_SDMA };
bool gpu_fw_ready(struct gpu *g, enum gpu_fw fw);
/* One private pointer per engine, NULL until its init. */
enum gpu_slot { GPU_SLOT_CP, GPU_SLOT_SDMA, GPU_SLOT_CACHE, GPU_SLOT_JIT, GPU_SLOT_COUNT };
void **gpu_slot(struct gpu *g, enum gpu_slot s);

/* ---- messages (gpu.c) ---- */
void gpu_guest_error(struct gpu *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gpu_unimplemented(struct gpu *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gpu_fault(struct gpu *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* failed: people should know. */
void gpu_jit_message(struct gpu *g, bool failed, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void gpu_debug(struct gpu *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- registers (mmio.c): by name, unbanked storage unless the block says otherwise ---- */
uint32_t gpu_reg_get(struct gpu *g, enum hw_reg r);         /* no side effects */
void gpu_reg_set(struct gpu *g, enum hw_reg r, uint32_t v); /* no side effects */
uint32_t gpu_field_get(struct gpu *g, enum hw_field f);
void gpu_field_set(struct gpu *g, enum hw_field f, uint32_t v);
/* Accesses as a bus master inside the chip sees them (CP register writes), with side effects.
 * dw is the absolute dword index in MMIO space. */
uint32_t gpu_mmio_read(struct gpu *g, uint32_t dw);
void gpu_mmio_write(struct gpu *g, uint32_t dw, uint32_t v);
/* The register at an absolute dword, -1 if this chip has none there. */
int gpu_reg_at(struct gpu *g, uint32_t dw);
/* Side effects of a register, set at init only. read: what the reader sees, given the stored value.
 * wrote: called after the new value was stored. Called without locks on the accessing thread (the
 * application's for bus accesses). Either may be NULL. */
typedef uint32_t (*reg_read_fn)(struct gpu *g, enum hw_reg r, uint32_t stored);
typedef void (*reg_write_fn)(struct gpu *g, enum hw_reg r, uint32_t old, uint32_t v);
void gpu_reg_hook(struct gpu *g, enum hw_reg r, reg_read_fn read, reg_write_fn wrote);
/* SH_MEM_* and other registers banked by VMID. */
uint32_t gpu_reg_get_vmid(struct gpu *g, enum hw_reg r, unsigned vmid);

/* ---- memory (mmu.c) ---- */
/* Reads or writes through a hub's translation (VMID 0). 0 or -EFAULT after the fault was recorded
 * in the hub's fault registers and reported through IH. */
int gpu_mem_read(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, uint64_t va, void *buf,
                 size_t len);
int gpu_mem_write(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, uint64_t va, const void *buf,
                  size_t len);
/* The host address behind va, and how many bytes from va are contiguous behind it (*len). NULL
 * after a recorded fault. write: access kind. Valid until the hub's TLB is invalidated. */
void *gpu_mem_ptr(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, uint64_t va, bool write,
                  size_t *len);
/* Physical: mc is an MC address (VRAM aperture) and must lie in VRAM; NULL otherwise. */
void *gpu_mc_ptr(struct gpu *g, uint64_t mc, size_t len);

/* The longest piece around va that lies contiguous in host memory under one kind of mapping. */
struct gpu_xlat {
    uint64_t va, size; /* [va, va + size) holds the asked address */
    uint8_t *host;     /* host address of va */
    uint64_t pa;       /* of va: VRAM offset, or bus address if system */
    bool system, snooped;
    uint8_t mtype;          /* of the leaf entry: 0 NC, 1 RW, 2 CC, 3 UC (gfx11 bits 48-50) */
    bool read, write, exec; /* what the entry allows */
};
enum gpu_access { GPU_READ, GPU_WRITE, GPU_EXEC };
/* Translates va (VMID 0) for one kind of access without touching the data; the caches' staleness
 * rules are the caller's (cache.c). 0, or -EFAULT after the fault was recorded and reported. */
int gpu_translate(struct gpu *g, enum gpu_hub hub, enum gpu_agent who, enum gpu_access access,
                  uint64_t va, struct gpu_xlat *out);
/* A piece may be kept until this count changes: it counts the hub's TLB invalidations. */
uint64_t gpu_tlb_epoch(struct gpu *g, enum gpu_hub hub);

/* ---- interrupts (ih.c) ---- */
/* One IH ring entry: client and source ids, ring id, vmid, four data dwords (soc21 layout). */
void gpu_irq(struct gpu *g, unsigned client, unsigned source, unsigned ring_id, unsigned vmid,
             const uint32_t data[4]);

/* ---- time ---- */
uint64_t gpu_clock(struct gpu *g); /* 100 MHz ticks, monotonic; includes bus delay() */

/* ---- what engines ask the front ---- */
/* Compute units presented; wave slots follow from it. */
unsigned gpu_cu_count(struct gpu *g);
/* True once MEC1's pipe was configured (program counter, reset pulse) and made active long enough.
 */
bool gpu_mec_ready(struct gpu *g, unsigned pipe);
/* True when the SDMA engine's firmware is loaded and it is not halted or in reset. */
bool gpu_sdma_ready(struct gpu *g, unsigned engine);
/* CP or SDMA wrote GPU_HDP_FLUSH_REQ, or an internal HDP flush: publishes pending BAR0 writes. */
void gpu_hdp_flush(struct gpu *g);

/* ---- queues ---- */
/* Doorbell write (BAR2): byte offset and value; routes to the CP or SDMA by their enabled ranges.
 * Only wakes threads. */
void cp_doorbell(struct gpu *g, uint32_t byte_off, uint64_t value);
void sdma_doorbell(struct gpu *g, uint32_t byte_off, uint64_t value);
void cp_init(struct gpu *g); /* pm4_exec.c: thread, queue state */
void cp_fini(struct gpu *g);
void cp_reset(struct gpu *g);  /* GRBM soft reset, mode-1 reset: stop everything, forget HQDs */
void sdma_init(struct gpu *g); /* sdma_exec.c */
void sdma_fini(struct gpu *g);
void sdma_reset(struct gpu *g);

#endif
