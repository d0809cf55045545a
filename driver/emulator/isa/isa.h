/* isa.h - the compute unit: executes gfx11/gfx12 machine code for one work-group at a time.
 *
 * The GPU model (dispatch.c) prepares work-groups and owns host threads; this side decodes, keeps
 * wave state and runs instructions. No LLVM here.
 */
#ifndef RAWCL_ISA_H
#define RAWCL_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_arch { ISA_GFX11, ISA_GFX11_5, ISA_GFX12, ISA_ARCH_COUNT };

/* Which of the GPU's caches an access goes through; the MMU applies its staleness rules by it. */
enum isa_client { ISA_CLIENT_INST, ISA_CLIENT_SCALAR, ISA_CLIENT_VECTOR };
enum isa_access { ISA_READ = 1, ISA_WRITE = 2, ISA_ATOMIC = 3, ISA_EXEC = 4 };

/* A contiguous piece of GPU virtual address space backed by contiguous host memory. */
struct isa_segment {
    uint64_t va, size; /* [va, va + size) */
    uint8_t *host;     /* host address of va */
    uint32_t access;   /* mask of 1 << enum isa_access */
};

/* Implemented by the GPU model. */
struct isa_host {
    /* Translates va for an access of this kind. 0 and *out (the largest known piece around va), or
     * -EFAULT after the model has recorded and reported the fault. Called from wave threads. */
    int (*translate)(struct isa_host *h, enum isa_client client, enum isa_access access,
                     uint64_t va, struct isa_segment *out);
    /* Reference clock, 100 MHz (s_getreg SHADER_CYCLES, s_sendmsg_rtn REALTIME, s_memrealtime). */
    uint64_t (*realtime)(struct isa_host *h);
    /* s_sendmsg MSG_INTERRUPT and the like: value is M0. */
    void (*interrupt)(struct isa_host *h, uint32_t m0);
    /* May be NULL. A wave enters the trap handler because of an exception, not of s_trap: text is
     * what the report would have said. */
    void (*exception)(struct isa_host *h, const char *text);
    /* Polled at back-edges: non-zero asks the wave to stop (reset, watchdog). */
    const volatile int *stop;
};

struct isa_jit;

/* What every work-group of a dispatch shares. */
struct isa_dispatch {
    enum isa_arch arch;
    struct isa_host *host;
    const char *name;                           /* kernel name if known, for messages; may be "" */
    uint64_t entry_va;                          /* first instruction */
    unsigned wave_size;                         /* 32 or 64 */
    uint32_t pgm_rsrc1, pgm_rsrc2, pgm_rsrc3;   /* COMPUTE_PGM_RSRC1..3 as programmed */
    uint32_t user_data[32];                     /* COMPUTE_USER_DATA_n */
    uint32_t group_size[3];                     /* work-items of a full work-group */
    uint32_t lds_bytes;                         /* allocated per work-group */
    uint64_t scratch_base_va;                   /* COMPUTE_DISPATCH_SCRATCH_BASE << 8; 0: none */
    uint32_t scratch_wave_bytes;                /* per wave (TMPRING WAVESIZE) */
    uint64_t shared_aperture, private_aperture; /* SH_MEM_BASES << 48 */
    uint64_t tba_va, tma_va;                    /* trap handler, 0: none */
    bool trap_temps;                            /* gfx11: SPI fills TTMP8-11 with ids */
    struct isa_jit *jit;                        /* compiled code (jit_run.h), NULL: none */
};

enum isa_end {
    ISA_DONE,    /* every wave reached s_endpgm */
    ISA_YIELD,   /* budget spent; call isa_group_run again */
    ISA_FAULT,   /* memory fault; the MMU has recorded it; message filled */
    ISA_ILLEGAL, /* illegal or not yet implemented instruction; message filled */
    ISA_TRAP,    /* s_trap without handler, or the wave halted itself */
    ISA_STOPPED, /* host->stop was seen; message: where a wave was */
};

/* One work-group in flight: waves, LDS. Reusable. */
struct isa_group;

struct isa_group_start {
    uint32_t id[3];        /* work-group id */
    uint32_t size[3];      /* work-items of this group (smaller at a partial edge) */
    uint32_t scratch_slot; /* first wave slot; wave w uses slot + w */
};

struct isa_group *isa_group_create(const struct isa_dispatch *d);
void isa_group_destroy(struct isa_group *g);
/* Takes a work-group that has ended over to another dispatch, with its memory and decoded code.
 * False: it does not fit (architecture, wave size, more waves or LDS than it was created for). */
bool isa_group_rebind(struct isa_group *g, const struct isa_dispatch *d);
/* Prepares all waves of the work-group as the SPI does: SGPRs, TTMPs, VGPR work-item ids, EXEC,
 * MODE, LDS zeroed only where silicon would (it does not: contents are left from before). */
void isa_group_start(struct isa_group *g, const struct isa_group_start *s);
/* Runs until an end, or about `budget` instructions per wave (0: without limit). */
enum isa_end isa_group_run(struct isa_group *g, uint64_t budget);

/* A host trap (SQ_CMD): all waves enter the trap handler when they run next. Between runs. */
void isa_group_trap(struct isa_group *g);

/* After ISA_FAULT/ISA_ILLEGAL/ISA_TRAP: what happened, where. */
struct isa_report {
    uint64_t pc;          /* address of the instruction */
    uint32_t wave, lane;  /* in the group; lane of the first faulting work-item */
    uint32_t local_id[3]; /* its work-item id in the group */
    uint64_t address;     /* faulting data address, if any */
    char text[320];       /* one sentence: instruction, pc, kernel, work-group, work-item */
    bool unimplemented;   /* ISA_ILLEGAL because the model lacks it */
};
void isa_group_report(const struct isa_group *g, struct isa_report *out);

/* Drops cached translations and decoded code (TLB invalidate, I-cache invalidate). Any thread;
 * running groups see it at their next budget check. */
void isa_invalidate_translations(void);
void isa_invalidate_code(void);

#endif
