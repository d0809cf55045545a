/* SPDX-License-Identifier: MIT */
/* sdma_exec.h - SDMA0 queue 0: ring state and the thread that executes its packets.
 *
 * SDMA0_QUEUE0_* registers live in gpu_reg storage; mmio.c stores a write, then calls
 * sdma_queue_write for any of them, and sdma_engine_write for SDMA0_F32_CNTL / SDMA0_MCU_CNTL. The
 * engine updates RB_RPTR, RB_WPTR, CONTEXT_STATUS and DOORBELL.CAPTURED through gpu_reg_set.
 */
#ifndef RAWCL_EMULATOR_SDMA_EXEC_H
#define RAWCL_EMULATOR_SDMA_EXEC_H

#include "driver/emulator/gpu.h"

/* After a write of SDMA0_QUEUE0_<any>. */
void sdma_queue_write(struct gpu *g, enum hw_reg r, uint32_t v);
/* After a write of SDMA0_F32_CNTL (gfx11) or SDMA0_MCU_CNTL (gfx12). */
void sdma_engine_write(struct gpu *g, enum hw_reg r, uint32_t v);
/* See cp_kick. */
void sdma_kick(struct gpu *g);
bool sdma_idle(struct gpu *g);
struct engine_mem;
/* The engine's memory accesses, for cp_release_memory; NULL before sdma_init. */
struct engine_mem *sdma_mem(struct gpu *g);
/* See cp_quit. */
void sdma_quit(struct gpu *g);

#endif
