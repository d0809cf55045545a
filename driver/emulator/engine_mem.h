/* SPDX-License-Identifier: MIT */
/* engine_mem.h - memory as CP and SDMA reach it: the GC hub's translation (VMID 0), with the rules
 * of HDP (hdp.c) and of the caches (cache.c) applied to every access.
 *
 * One engine_mem belongs to one thread. Failures have been recorded and reported by the MMU.
 */
#ifndef RAWCL_EMULATOR_ENGINE_MEM_H
#define RAWCL_EMULATOR_ENGINE_MEM_H

#include <stdatomic.h>

#include "driver/emulator/gpu.h"

enum { ENGINE_MEM_SLOTS = 8 };

/* Odd while its thread may hold a host address that a translation gave; each such time is short.
 * Who unmaps memory invalidates translations first, then waits for the odd ones to move on. */
typedef _Atomic uint64_t mem_guard;
static inline void mem_guard_enter(mem_guard *m) {
    atomic_fetch_add(m, 1);
}
static inline void mem_guard_leave(mem_guard *m) {
    atomic_fetch_add_explicit(m, 1, memory_order_release);
}

struct engine_mem {
    mem_guard guard;
    struct gpu *g;
    enum gpu_agent who;
    uint64_t epoch; /* of the hub's TLB when the pieces were translated */
    unsigned next;
    struct gpu_xlat x[ENGINE_MEM_SLOTS];
};

/* m is zeroed memory. */
void engine_mem_init(struct engine_mem *m, struct gpu *g, enum gpu_agent who);
/* The mapping that holds va, no access counted; NULL after a fault. */
const struct gpu_xlat *engine_xlat(struct engine_mem *m, uint64_t va, bool write);
/* 0 or -EFAULT. */
int engine_read(struct engine_mem *m, uint64_t va, void *buf, uint64_t len);
int engine_write(struct engine_mem *m, uint64_t va, const void *buf, uint64_t len);
/* Aligned and single-copy atomic, as fences need; release and acquire order. */
int engine_read32(struct engine_mem *m, uint64_t va, uint32_t *v);
int engine_read64(struct engine_mem *m, uint64_t va, uint64_t *v);
int engine_write32(struct engine_mem *m, uint64_t va, uint32_t v);
int engine_write64(struct engine_mem *m, uint64_t va, uint64_t v);
/* A dword that others wait for: what came before it is complete. */
int engine_fence(struct engine_mem *m, uint64_t va, uint32_t v);
/* A wait for memory at va ended with this value (its low dword): what came before the fence there
 * is known to be complete. */
void engine_waited(struct engine_mem *m, uint64_t va, uint32_t v);
/* memmove semantics only within one contiguous piece; engines copy upwards. */
int engine_copy(struct engine_mem *m, uint64_t dst, uint64_t src, uint64_t len);
/* Fills len bytes with a repeating pattern of unit (1, 2 or 4) bytes. */
int engine_fill(struct engine_mem *m, uint64_t dst, uint32_t pattern, unsigned unit, uint64_t len);

/* Atomic operations of the GL2 (ATOMIC_MEM, SDMA ATOMIC): op as in the packet's atomic field.
 * *old receives the value before. 0, -EFAULT, or -EINVAL for a code that is no atomic. */
int engine_atomic(struct engine_mem *m, unsigned op, uint64_t va, uint64_t src, uint64_t cmp,
                  uint64_t *old);

#endif
