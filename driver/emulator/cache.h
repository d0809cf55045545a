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
 *   GL2     all of the above, CP,    any access of    gl2_inv (ACQUIRE, RELEASE,   gl2_wb
 *           SDMA (a GL2 client       MTYPE NC/RW/CC   GCR_REQ)
 *           since gfx10)             (UC: never)
 *
 * Writers: shader, CP and SDMA write through GL2, so that its readers see them (MTYPE UC: to
 * memory). Only the shader's writes stay dirty there: CP's and SDMA's bypass (linux sdma_v6_0.c
 * WR_L2_POLICY, RELEASE_MEM dst_sel 0). BAR0 (HDP), PSP and the CPU write memory behind GL2.
 *
 * Rules (each is a guest error that names page, cache and writer):
 *   R1 a shader reads through I$, K$ or V$ a page that this cache filled before another write to it
 *      and did not invalidate since;
 *   R2 anyone reads through GL2 a page that GL2 filled before a write behind it (BAR0, PSP) and
 *      that was not invalidated since;
 *   R3 BAR0 reads a page whose last write is still dirty in GL2;
 *   R4 a fence that the host can see is written to system memory while GL2 holds dirty lines of
 *      system memory (MTYPE not UC): the host would read old results;
 *   R5 CPU writes to snooped system memory are invisible to the model, so for pages read through I$
 *      or K$ it compares a hash taken at the fill: changed without an invalidation means R1.
 *   R6 a dispatch reads a page that an earlier dispatch wrote, and nothing ordered the two
 *      (CS_PARTIAL_FLUSH, or a wait for memory): on silicon they overlap;
 *
 * The granule is a page: a line beside a cached one counts as cached. Checked when a piece of
 * memory is translated, not per access; for vector accesses such a piece is large, so V$ is kept
 * per 2 MiB of memory, and of what a shader writes only the pages that translations asked for
 * count.
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

/* A read or write by an engine of [va, va + len) lying in x. Reads through GL2 check R2. */
void cache_read(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                uint64_t len);
void cache_write(struct gpu *g, enum gpu_agent who, const struct gpu_xlat *x, uint64_t va,
                 uint64_t len);
/* A dispatch begins; returns its stamp. Only writes before it are held against its reads: what
 * happens meanwhile is a race, not staleness. Drops the compute units' cached translations, so that
 * every page is judged once more. */
uint64_t cache_dispatch(struct gpu *g);
/* The stamp of the present: what was launched before is complete (cache_order.ordered). */
uint64_t cache_now(struct gpu *g);
struct cache_order {
    uint64_t stamp;   /* of the dispatch */
    uint64_t ordered; /* earlier dispatches with stamps up to this one have finished for it */
};
/* A shader's access at `asked` through I$, K$ or V$, after which it may access all of
 * [va, va + len): R1, R2, R5, R6. */
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
