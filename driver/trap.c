/* SPDX-License-Identifier: MIT */
/* trap.c - the trap handler that waves run into: its code, where it lies, what it leaves behind.
 *
 * The handler (trap_gfx11.s, trap_gfx12.s) writes a record of 16 dwords for each wave that comes to
 * it, raises a flag, sends an interrupt and ends the wave. Registers: linux
 * kgd_gfx_v10_program_trap_handler_settings, kgd_gfx_v11_enable_debug_trap (TTMPs with the ids of
 * the wave), kgd_gfx_v11_wave_control_execute (SQ_CMD).
 */
#include "driver/trap.h"

#include <stdio.h>
#include <string.h>

#include "driver/queues.h"

static const uint32_t gfx11_code[] = {
    /* clang-format off */
    0xb8eff802, 0x936eff6d, 0x00080010, 0xbf07836e, 0xbfa20006, 0x806c846c, 0x826d806d, 0x8b6dff6d,
    0x0000ffff, 0xbf0d806f, 0xbe804a6c, 0xbf890000, 0xbc7c0000, 0xbeee4d82, 0xbef04d83, 0xbf89fc07,
    0x8480886e, 0xb8eef803, 0xb8eff802, 0xb8f8f817, 0x7e020280, 0xd7610001, 0x00010278, 0xd7610001,
    0x0001046c, 0xd7610001, 0x0001066d, 0xd7610001, 0x0001087e, 0xd7610001, 0x00010a7f, 0xd7610001,
    0x00010c6e, 0xd7610001, 0x00010e6f, 0xd7610001, 0x00011070, 0xd7610001, 0x00011271, 0xd7610001,
    0x00011473, 0xd7610001, 0x00011674, 0xd7610001, 0x00011875, 0xd7610001, 0x00011a76, 0xd7610001,
    0x00011c77, 0xbef900ff, 0x50415254, 0xd7610001, 0x00011e79, 0xbefe00ff, 0x0000ffff, 0xbeff0080,
    0x8b7a9f78, 0x847a867a, 0xd71f0000, 0x000100c1, 0x30000082, 0x4a00007a, 0xdc6ae040, 0x00000100,
    0xbc7c0000, 0xbefe0081, 0x7e000280, 0x7e020281, 0xdc6ae000, 0x00000100, 0xbc7c0000, 0xbefd00ff,
    0x00545250, 0xbf800000, 0xbfb60001, 0xbfb00000,
    /* clang-format on */
};

static const uint32_t gfx12_code[] = {
    /* clang-format off */
    0xb8eff804, 0x936eff6d, 0x0004001c, 0xbf07836e, 0xbfa20006, 0x806c846c, 0x826d806d, 0x8b6dff6d,
    0x0000ffff, 0xbf0d896f, 0xbe804a6c, 0xbf8a0000, 0xbeee4d82, 0xbef04d83, 0xbfc70000, 0x8480886e,
    0xb8eef811, 0xb8eff802, 0xb8f8f817, 0xbf88ff9e, 0x7e020280, 0xd7610001, 0x00010278, 0xd7610001,
    0x0001046c, 0xd7610001, 0x0001066d, 0xd7610001, 0x0001087e, 0xd7610001, 0x00010a7f, 0xd7610001,
    0x00010c6e, 0xd7610001, 0x00010e6f, 0xd7610001, 0x00011070, 0xd7610001, 0x00011271, 0xd7610001,
    0x00011473, 0xd7610001, 0x00011674, 0xd7610001, 0x00011875, 0xd7610001, 0x00011a76, 0xd7610001,
    0x00011c77, 0xbef900ff, 0x50415254, 0xd7610001, 0x00011e79, 0xbefe00ff, 0x0000ffff, 0xbeff0080,
    0x8b7a9f78, 0x847a867a, 0xbf88ff9e, 0xd71f0000, 0x000100c1, 0x30000082, 0x4a00007a, 0xee068000,
    0x008c0000, 0x00004000, 0xbfc10000, 0xbefe0081, 0x7e000280, 0x7e020281, 0xee068000, 0x008c0000,
    0x00000000, 0xbfc10000, 0xbefd00ff, 0x00545250, 0xbf800000, 0xbfb60001, 0xbfb00000,
    /* clang-format on */
};

const uint32_t *trap_code(enum hw_gen gen, size_t *bytes) {
    *bytes = gen == HW_GFX12 ? sizeof(gfx12_code) : sizeof(gfx11_code);
    return gen == HW_GFX12 ? gfx12_code : gfx11_code;
}

/* Dwords of a record, as the handlers write them. */
enum {
    REC_HW_ID = 1,
    REC_PC_LO = 2,
    REC_PC_HI = 3,
    REC_EXEC_LO = 4,
    REC_EXEC_HI = 5,
    REC_FLAGS = 6, /* gfx11 TRAPSTS, gfx12 EXCP_FLAG_PRIV */
    REC_TIME_LO = 8,
    REC_TIME_HI = 9,
    REC_TTMP7 = 10, /* ... TTMP11 = 14 */
    REC_MAGIC = 15,
    REC_DWORDS = 16,
    MAGIC = 0x50415254,
    SLOTS = 32, /* by the wave's number in its SIMD */
    FIRST = 16, /* dword of the first record; dword 0 is the flag */
};
_Static_assert(4 * (FIRST + SLOTS * REC_DWORDS) == TRAP_MEMORY_BYTES, "trap memory");

static volatile uint32_t *memory(struct am_device *d) {
    return (volatile uint32_t *)((uint8_t *)d->queues->signals->cpu + TRAP_MEMORY_OFFSET);
}

void trap_program(struct am_device *d) {
    struct am_queues *q = d->queues;
    uint64_t tba = q->trap ? q->trap->va >> 8 : 0;
    uint64_t tma = q->trap ? (q->signals->va + TRAP_MEMORY_OFFSET) >> 8 : 0;
    gfx_select(d, 0, 0, 0, 0);
    reg_wr(d, R_SQ_SHADER_TBA_LO, (uint32_t)tba);
    reg_wr(d, R_SQ_SHADER_TBA_HI,
           reg_fv(d, F_SQ_SHADER_TBA_HI__ADDR_HI, (uint32_t)(tba >> 32)) |
               reg_fv(d, F_SQ_SHADER_TBA_HI__TRAP_EN, q->trap != NULL));
    reg_wr(d, R_SQ_SHADER_TMA_LO, (uint32_t)tma);
    reg_wr(d, R_SQ_SHADER_TMA_HI, reg_fv(d, F_SQ_SHADER_TMA_HI__ADDR_HI, (uint32_t)(tma >> 32)));
    reg_upd(d, F_SPI_GDBG_PER_VMID_CNTL__TRAP_EN, q->trap != NULL);
}

int trap_install(struct am_device *d) {
    struct am_queues *q = d->queues;
    size_t bytes;
    const uint32_t *code = trap_code(q->pm4.gen, &bytes);
    struct am_mem *mem;
    int rc = am_alloc(d, TRAP_CODE_BYTES, 0, AM_MEM_VRAM, "trap handler", &mem);
    if (rc) return rc;
    /* The staging memory is free: nobody fills before the device is open. Behind the code, more of
     * it: instruction prefetch reads on. */
    uint32_t *staging = q->staging->cpu;
    for (size_t i = 0; i < TRAP_CODE_BYTES / 4; i += bytes / 4)
        memcpy(staging + i, code,
               bytes < TRAP_CODE_BYTES - 4 * i ? bytes : TRAP_CODE_BYTES - 4 * i);
    struct am_fence f;
    rc = am_submit_copy(d, NULL, 0, mem->va, q->staging->va, TRAP_CODE_BYTES, &f);
    if (!rc) rc = am_wait(d, f, 5000000000);
    if (rc) {
        am_free(d, mem);
        return rc;
    }
    q->trap = mem;
    trap_program(d);
    return 0;
}

void trap_remove(struct am_device *d) {
    struct am_mem *mem = d->queues->trap;
    d->queues->trap = NULL;
    if (mem) trap_program(d);
    am_free(d, mem);
}

bool trap_pending(struct am_device *d) {
    return d->queues->trap && (memory(d)[0] || d->queues->trap_count);
}

static void decode(enum hw_gen gen, const uint32_t *w, struct trap_record *out) {
    bool gfx12 = gen == HW_GFX12;
    uint32_t hi = w[REC_PC_HI], flags = w[REC_FLAGS];
    const uint32_t *ttmp = w + REC_TTMP7 - 7;
    /* gc_11_0_0_sh_mask.h SQ_WAVE_TRAPSTS: MEM_VIOL 8, ILLEGAL_INST 11, HOST_TRAP 16, UTC_ERROR 28;
     * gc_12_0_0_sh_mask.h SQ_WAVE_EXCP_FLAG_PRIV: MEMVIOL 4, ILLEGAL_INST 6, HOST_TRAP 7,
     * XNACK_ERROR 12 */
    uint32_t memviol = gfx12 ? 1u << 4 | 1u << 12 : 1u << 8 | 1u << 28;
    uint32_t illegal = gfx12 ? 1u << 6 : 1u << 11, host = gfx12 ? 1u << 7 : 1u << 16;
    *out = (struct trap_record){
        .valid = true,
        .pc = (uint64_t)(hi & 0xffff) << 32 | w[REC_PC_LO],
        .id = gfx12 ? hi >> 28 : hi >> 16 & 0xff,
        .exec = (uint64_t)w[REC_EXEC_HI] << 32 | w[REC_EXEC_LO],
        .ticks = (uint64_t)w[REC_TIME_HI] << 32 | w[REC_TIME_LO],
        .hw_id = w[REC_HW_ID],
        .cause = flags & memviol   ? TRAP_MEMVIOL
                 : flags & illegal ? TRAP_ILLEGAL
                                   : TRAP_CALLED,
    };
    if (out->cause == TRAP_CALLED && (flags & host || (!gfx12 && hi >> 24 & 1)))
        out->cause = TRAP_HOST;
    if (gfx12) {
        out->group[0] = ttmp[9];
        out->group[1] = ttmp[7] & 0xffff;
        out->group[2] = ttmp[7] >> 16;
        out->wave = ttmp[8] >> 25 & 0x1f;
    } else {
        memcpy(out->group, ttmp + 8, sizeof(out->group));
        out->wave = ttmp[11] & 0x3f;
    }
}

static void keep(struct am_queues *q, const struct trap_record *r) {
    unsigned at = q->trap_count;
    if (at == TRAP_RECORDS) return;
    while (at && q->traps[at - 1].ticks > r->ticks) {
        q->traps[at] = q->traps[at - 1];
        at--;
    }
    q->traps[at] = *r;
    q->trap_count++;
}

void trap_collect(struct am_device *d) {
    volatile uint32_t *m = memory(d);
    if (!d->queues->trap || !m[0]) return;
    m[0] = 0; /* first: what is written from now on raises it again */
    atomic_thread_fence(memory_order_seq_cst);
    for (unsigned s = 0; s < SLOTS; s++) {
        volatile uint32_t *slot = m + FIRST + s * REC_DWORDS;
        if (slot[REC_MAGIC] != MAGIC) continue;
        uint32_t w[REC_DWORDS];
        struct trap_record r;
        for (unsigned i = 0; i < REC_DWORDS; i++)
            w[i] = slot[i];
        slot[REC_MAGIC] = 0;
        decode(d->queues->pm4.gen, w, &r);
        keep(d->queues, &r);
    }
}

void trap_running_waves(struct am_device *d) {
    if (!d->queues->trap) return;
    reg_wr(d, R_GRBM_GFX_INDEX,
           reg_fv(d, F_GRBM_GFX_INDEX__SE_BROADCAST_WRITES, 1) |
               reg_fv(d, F_GRBM_GFX_INDEX__SA_BROADCAST_WRITES, 1) |
               reg_fv(d, F_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES, 1));
    reg_wr(d, R_SQ_CMD,
           reg_fv(d, F_SQ_CMD__CMD, SQ_IND_CMD_CMD_TRAP) |
               reg_fv(d, F_SQ_CMD__MODE, SQ_IND_CMD_MODE_BROADCAST) |
               reg_fv(d, F_SQ_CMD__CHECK_VMID, 1) | reg_fv(d, F_SQ_CMD__VM_ID, 0));
}

void trap_describe(const struct trap_record *t, const struct cmd_record *c, char *buf,
                   size_t size) {
    char what[64] = "";
    if (t->cause == TRAP_CALLED) snprintf(what, sizeof(what), "s_trap %u ", t->id);
    uint64_t lane = t->exec ? (uint64_t)__builtin_ctzll(t->exec) : 0;
    uint64_t i = (uint64_t)t->wave * c->lanes + lane;
    unsigned x = c->group[0] ? c->group[0] : 1, y = c->group[1] ? c->group[1] : 1;
    int n = snprintf(
        buf, size, "%sat pc 0x%llx, entry + 0x%llx, work-group (%u,%u,%u), work-item (%u,%u,%u)",
        what, (unsigned long long)t->pc, (unsigned long long)(t->pc - c->entry), t->group[0],
        t->group[1], t->group[2], (unsigned)(i % x), (unsigned)(i / x % y), (unsigned)(i / x / y));
    /* The wave is known, not which of its lanes. */
    int active = __builtin_popcountll(t->exec);
    if (active > 1 && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, " or another of the %d active ones of its wave",
                 active);
}
