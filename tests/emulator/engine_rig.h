/* SPDX-License-Identifier: MIT */
/* engine_rig.h - an emulated GPU whose front is put straight into the state after a boot, so that
 * the engines can be tested with hand-written packet streams and nothing else.
 */
#ifndef RAWCL_TESTS_ENGINE_RIG_H
#define RAWCL_TESTS_ENGINE_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/emulator/emulator.h"
#include "driver/emulator/gpu.h"

#define RIG_VRAM_VA  0x200000000000ull /* VRAM from RIG_VRAM_OFF, MTYPE 0 (cached in GL2) */
#define RIG_SYS_VA   0x200040000000ull /* system memory, MTYPE UC, snooped */
#define RIG_NC_VA    0x200080000000ull /* the same system memory, MTYPE 0 */
#define RIG_VRAM_OFF 0x1000000ull
enum { RIG_VRAM_BYTES = 32 << 20, RIG_SYS_BYTES = 4 << 20, RIG_RING_DWORDS = 1 << 16 };
/* Places in system memory (offsets from RIG_SYS_VA). The rings come first. */
enum {
    RIG_SDMA_RING = 0x40000,
    RIG_RPTR = 0x80000,
    RIG_WPTR = 0x80008,
    RIG_SDMA_RPTR = 0x80010,
    RIG_SIGNAL = 0x81000,
    RIG_DATA = 0x100000,
};

struct rig {
    struct bus *bus;
    struct gpu *g;
    struct bus_dma dma;
    uint8_t *sys;  /* CPU view of system memory */
    uint8_t *vram; /* host view of RIG_VRAM_VA, past HDP and caches: for looking and loading */
    bool gfx12;
    uint64_t wptr, sdma_wptr;
    char log[4096]; /* guest errors, unimplemented and faults, one a line */
};

/* Opens the target and makes both queues ready. cfg may be NULL. */
void rig_open(struct rig *r, const char *target, const struct emu_config *cfg);
/* Closes; fails the test unless the counters are as expected. */
void rig_close(struct rig *r, unsigned guest_errors, unsigned unimplemented);
/* The front's state and both queues as rig_open made them, whatever a stream did to them. */
void rig_reboot(struct rig *r);
/* Maps one more page of system memory, uncached; returns its address. */
uint64_t rig_map_page(struct rig *r, uint64_t bus_addr);
void rig_compute_queue(struct rig *r);
void rig_sdma_queue(struct rig *r);

/* Appends to the compute ring; rig_ring rings the doorbell. */
void rig_emit(struct rig *r, const uint32_t *dw, unsigned n);
#define RIG_EMIT(r, ...)                                                                           \
    rig_emit((r), (const uint32_t[]){__VA_ARGS__},                                                 \
             sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
void rig_ring(struct rig *r);
void rig_sdma_emit(struct rig *r, const uint32_t *dw, unsigned n);
#define RIG_SDMA(r, ...)                                                                           \
    rig_sdma_emit((r), (const uint32_t[]){__VA_ARGS__},                                            \
                  sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* FENCE and POLL_REGMEM of sys + off. */
void rig_sdma_fence(struct rig *r, uint32_t off, uint32_t value);
void rig_sdma_poll(struct rig *r, uint32_t off, uint32_t value);
void rig_sdma_ring(struct rig *r);

/* Waits until the dword at sys + off has the value; false after ms milliseconds. */
bool rig_wait(struct rig *r, uint32_t off, uint32_t value, unsigned ms);
uint32_t rig_sys32(struct rig *r, uint32_t off);
void rig_put32(struct rig *r, uint32_t off, uint32_t v);
/* Whether the log contains the text; prints the log if not. */
bool rig_logged(struct rig *r, const char *text);

/* Streams of the reference: ACQUIRE_MEM 0xc3f1 then 0x3f0; RELEASE_MEM 0x70f514 to sys + off. */
void rig_acquire(struct rig *r, uint32_t gcr);
void rig_release(struct rig *r, uint32_t event, uint32_t off, uint32_t value);
/* Registers of a dispatch of the program at va, and the packet: groups of `items` work-items. */
void rig_program(struct rig *r, uint64_t va, uint64_t kernarg, uint32_t rsrc2_extra);
void rig_dispatch(struct rig *r, uint32_t groups, uint32_t items);

/* out[i] = i + value for 64 work-items a group; kernarg: u64 out, u32 value. */
extern const uint32_t rig_store_gfx11[], rig_store_gfx12[];
extern const unsigned rig_store_gfx11_bytes, rig_store_gfx12_bytes;

#endif
