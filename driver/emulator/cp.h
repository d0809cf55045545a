/* SPDX-License-Identifier: MIT */
/* cp.h - the compute micro-engine (MEC1): hardware queue descriptors, doorbells, the thread that
 * fetches and executes PM4.
 *
 * Registers banked by GRBM_GFX_CNTL (me, pipe, queue) live here, not in gpu_reg storage:
 *   HQD bank: CP_MQD_BASE_ADDR .. CP_HQD_PQ_WPTR_HI (0x38 dwords, those without a name included)
 *   SH bank:  COMPUTE_* (dwords 0x2e00 .. 0x2eff of MMIO space; SET_SH_REG's space ends there)
 * mmio.c routes accesses to them here. One MEC with four pipes of eight queues is modelled; queue
 * activation demands what the micro-engine's firmware needs (linux gfx_v11_0.c
 * gfx_v11_0_compute_mqd_init, gfx_v11_0_kiq_init_register).
 */
#ifndef RAWCL_EMULATOR_CP_H
#define RAWCL_EMULATOR_CP_H

#include "driver/emulator/gpu.h"

enum { CP_PIPES = 4, CP_QUEUES = 8, CP_HQD_DWORDS = 0x38, CP_SH_DWORDS = 0x100 };

/* Whether an absolute MMIO dword belongs to a bank, and its index in it; -1 if not. */
int cp_hqd_index(struct gpu *g, uint32_t dw);
int cp_sh_index(struct gpu *g, uint32_t dw);

/* Banked accesses, with side effects (CP_HQD_ACTIVE, CP_HQD_DEQUEUE_REQUEST, a write to
 * CP_HQD_PQ_WPTR_LO, COMPUTE_DISPATCH_INITIATOR...). me must be 1; other engines' banks read 0 and
 * ignore writes as silicon without that queue does, after a guest error. */
uint32_t cp_hqd_read(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, unsigned index);
void cp_hqd_write(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, unsigned index,
                  uint32_t v);
uint32_t cp_sh_read(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, unsigned index);
void cp_sh_write(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, unsigned index,
                 uint32_t v);

/* After a write of CP_MEC_RS64_CNTL (storage already updated): halt, pipe reset, activation. */
void cp_mec_cntl(struct gpu *g);
/* After a write of SPI_COMPUTE_QUEUE_RESET: kills the waves of the selected queue. */
void cp_spi_queue_reset(struct gpu *g, unsigned me, unsigned pipe, unsigned queue, uint32_t v);

/* Memory or a register that a queue may be waiting for changed: wakes blocked waits (they re-poll
 * on their own too). Any thread, cheap when nothing waits. */
void cp_kick(struct gpu *g);
/* Memory is about to be unmapped, its translations are gone already: returns when no engine and no
 * wave holds a host address from before. Not on an engine's thread. */
void cp_release_memory(struct gpu *g);
/* Ends the engine's threads for good, before cp_fini or sdma_fini frees anything: the engines kick
 * each other. */
void cp_quit(struct gpu *g);
/* True when no queue has work in flight (CP_STAT, GRBM_STATUS). */
bool cp_idle(struct gpu *g);

#endif
