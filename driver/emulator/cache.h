/* SPDX-License-Identifier: MIT */
/* cache.h - a model of staleness: not contents, but whether a cache may hold something older than
 * memory, per 4 KiB page and cache.
 *
 * Caches and who reads through them (RDNA ISA guides "Memory hierarchy"; LLVM AMDGPUUsage memory
 * model gfx10-gfx12; linux gfx_v11_0.c, gmc_v11_0.c):
 *
 *   cache   readers                  filled by        invalidated by               written back
 *   I$      shader instructions      fetch            ACQUIRE gli_inv              -
 *   K$      shader scalar loads      load             ACQUIRE glk_inv,             -
 *                                                     RELEASE glk_inv
 *   V$      shader vector loads      load             ACQUIRE glv_inv + gl1_inv    write-through
 *           (GL0 and GL1 as one)                      (gfx12: glv_inv alone),      to GL2
 *                                                     RELEASE glv_inv + gl1_inv
 *   GL2     all of the above, CP     any access of    gl2_inv (ACQUIRE, RELEASE,   gl2_wb
 *                                    MTYPE NC/RW/CC   GCR_REQ)
 *                                    (UC: never)
 *
 * Writers: shader and CP write through GL2, so that its readers see them (MTYPE UC: to memory).
 * Only the shader's writes stay dirty there: the CP's bypass (RELEASE_MEM dst_sel 0). SDMA, BAR0
 * (HDP), PSP and the CPU read and write memory behind GL2. (SDMA passes GL2 or not as policy bits
 * say that a stream does not show: what is right with it outside is right with it inside.)
 *
 * Rules (each is a guest error that names address, cache or packet, and who wrote):
 *   R1 a shader reads through I$, K$ or V$ a page that this cache filled before another write to it
 *      and did not invalidate since;
 *   R2 a shader or the CP reads through GL2 a page that GL2 filled before a write behind it (SDMA,
 *      BAR0, PSP) and that was not invalidated since;
 *   R3 SDMA or BAR0 reads what a shader wrote and GL2 has not written back; an invalidation of GL2
 *      without a writeback drops such results;
 *   R4 a fence that the host can see is written to system memory while GL2 holds dirty lines of
 *      system memory (MTYPE not UC): the host would read old results;
 *   R5 CPU writes to snooped system memory are invisible to the model, so for pages read through I$
 *      or K$, and for 512 bytes around a vector read, it compares a hash taken at the fill: changed
 *      without an invalidation means R1;
 *   R6 a dispatch reads a line that an earlier dispatch wrote, and nothing ordered the two
 *      (CS_PARTIAL_FLUSH, or a wait for memory): on silicon they overlap;
 *   R7 SDMA and a dispatch access the same line, one of them writes it, and neither queue waited
 *      for the other (order.h);
 *   R8 a copy reads what an earlier SDMA packet wrote, without FENCE and POLL_REGMEM in between.
 *
 * How exact it is. CP and SDMA packets are judged for the very bytes. A shader's access is seen
 * when its memory is translated, once for each work-group object, dispatch and piece (of vector
 * accesses: 64 KiB for the first sixteen of a dispatch, later up to 64 MiB), not one by one: the
 * address that asked is judged and counts as read or written, by its line of 128 bytes; that the
 * rest of the piece may be cached is kept per 2 MiB, that it may be written is not held against
 * anyone. So a finding is real in terms of pages and lines, but of two buffers in one piece only
 * the first that a kernel touches is looked at. A line beside a cached one of the same page counts
 * as cached.
 */
#ifndef RAWCL_EMULATOR_CACHE_H
#define RAWCL_EMULATOR_CACHE_H

#include "driver/emulator/gpu.h"

enum cache_kind { CACHE_I, CACHE_K, CACHE_V, CACHE_GL2, CACHE_COUNT };

void cache_init(struct gpu *g);
void cache_fini(struct gpu *g);
/* Power-on or mode-1 reset: everything is cold. */
void cache_reset(struct gpu *g);

/* Actions of a cache control (gcr_cntl), already decoded. */
struct cache_action {
    bool inv_i, inv_k, inv_v, inv_gl2, wb_gl2;
};
void cache_act(struct gpu *g, const struct cache_action *a);

/* A read or write by an engine of [va, va + len) lying in x: R2, and SDMA's R3, R7, R8. */
void cache_read(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                uint64_t len);
void cache_write(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                 uint64_t len);
/* The CP or SDMA is about to write a fence (its low dword) at va; called before it shows. */
void cache_fence(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                 uint32_t value);
/* ... has waited until it saw this low dword at va. */
void cache_waited(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                  uint32_t value);
/* The host moved a write pointer of the CP or of SDMA: it has seen whatever they had written. */
void cache_doorbell(struct gpu *g, enum gpu_agent who);
/* SDMA begins (data) or has ended a packet that copies, fills or writes. */
void cache_copy_packet(struct gpu *g, bool data);
/* A queue of the CP or SDMA was disabled, in the midst of its work or not. */
void cache_queue_gone(struct gpu *g);
/* A dispatch begins; returns its stamp. Only writes before it are held against its reads: what
 * happens meanwhile is a race, not staleness. Drops the compute units' cached translations, so that
 * every page is judged once more. */
uint64_t cache_dispatch(struct gpu *g);
/* How large a piece (a power of two, aligned) the next vector access of the running dispatch may be
 * given. The first are small, so that most buffers are looked at on their own; then they grow,
 * since accesses that wander would pay for it. */
uint64_t cache_window(struct gpu *g);
/* The stamp of the present: what was launched before is complete (cache_order.ordered). */
uint64_t cache_now(struct gpu *g);
struct cache_order {
    uint64_t stamp;   /* of the dispatch */
    uint64_t ordered; /* earlier dispatches with stamps up to this one have finished for it */
};
/* A shader's access at `asked` through I$, K$ or V$, after which it may access all of
 * [va, va + len): R1, R2, R5, R6, R7. */
void cache_shader(struct gpu *g, const struct cache_order *o, enum cache_kind kind, bool write,
                  uint64_t asked, const struct gpu_xlat *x, uint64_t va, uint64_t len);
/* BAR0: what the HDP flush commits (write), what a read returns (R3). off: VRAM offset. */
void cache_bar0_write(struct gpu *g, uint64_t off, uint64_t len);
void cache_bar0_read(struct gpu *g, uint64_t off, uint64_t len);
/* PSP wrote VRAM. */
void cache_psp_write(struct gpu *g, uint64_t off, uint64_t len);
/* System memory [bus, bus + size) is no longer mapped, nor is any between lo and hi: what the
 * caches know of it goes away, since bus addresses are not handed out again. */
void cache_system_unmapped(struct gpu *g, uint64_t lo, uint64_t hi, uint64_t bus, uint64_t size);
/* A fence lands in system memory (R4). what: packet name for the message. */
void cache_host_fence(struct gpu *g, const char *what);

#endif
