/* SPDX-License-Identifier: MIT */
/* wave.h - the state of waves and work-groups, and decoded code. Private to isa/ and its tests. */
#ifndef RAWCL_ISA_WAVE_H
#define RAWCL_ISA_WAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/emulator/isa/decode.h"
#include "driver/emulator/isa/isa.h"
#include "driver/emulator/isa/sem.h"
#include "driver/emulator/isa/sem_scalar.h"

struct wave;
struct xinst;

/* Runs one decoded instruction; returns the next one, or NULL when the wave stops for now (then
 * w->pc and w->exit are set). */
typedef const struct xinst *xfn(struct wave *w, const struct xinst *x);

enum {
    ISA_SREG_SCRAP = 128, /* where writes to NULL go: 128..131; never read */
    ISA_SREG_SLOTS = 160, /* room for a 16-dword load into the last registers */
    ISA_VGPRS = 256,
    ISA_MAX_WAVES = 64, /* 1024 work-items as wave32 make 32; room for smaller odd shapes */
    ISA_LDS_PAD = 64    /* readable bytes after the LDS allocation */
};

/* Where a source value comes from. */
enum src_kind { SRC_IMM, SRC_SGPR, SRC_VGPR, SRC_SCC, SRC_NONE };

/* Bits of xinst.flags. */
enum {
    X_MASK_OUT = 1,  /* writes e.mask_out to the SGPR mask sdst */
    X_CMPX = 2,      /* writes EXEC */
    X_NO_MEMORY = 4, /* LDS/scratch saddr absent */
    X_RETURN = 8,    /* an atomic that returns the old value */
    X_OVERLAP = 16,  /* the destination may overlap a source: compute aside first */
    X_SVE = 32,      /* scratch: VGPR address in use */
    X_SADDR = 64,    /* SGPR address in use */
    X_OFFEN = 128,
    X_IDXEN = 256,
    X_SCALAR_DST = 512 /* lane 0 of the result goes to an SGPR */
};

/* Format work of a vector ALU instruction that is more than plain VGPR/SGPR operands. */
struct valu_mods {
    uint8_t neg, abs; /* bit n = source n */
    uint8_t omod, clamp;
    uint8_t op_sel;            /* bit n: high half of source n; bit 3: of the destination */
    uint8_t op_sel_hi, neg_hi; /* VOP3P */
    bool vop3p;
    uint8_t dpp; /* 0, 8, 16 */
    bool fi, bound_ctrl;
    bool signs_only;           /* nothing but neg and abs: keep and flip below say it all */
    uint32_t keep[3], flip[3]; /* for the top dword of each source: (v & keep) ^ flip */
    uint32_t write_lanes;      /* DPP row_mask and bank_mask, one bit a lane */
    uint32_t source_valid;     /* lanes whose DPP source lies inside its row */
    uint8_t from[32];          /* DPP: lane to read */
};

/* One decoded instruction: what an executor function needs, resolved once. */
struct xinst {
    xfn *fn;
    union {
        sem_vfn *vfn; /* vector ALU */
        uint64_t aux; /* others: executor-specific */
    };
    uint64_t s[3];                /* immediate value, or register number (VGPR index, SGPR code) */
    uint8_t k[3];                 /* enum src_kind */
    uint8_t len;                  /* dwords to the next instruction */
    uint16_t dst;                 /* VGPR or SGPR */
    uint16_t sdst;                /* SGPR of a mask result */
    uint16_t smask;               /* SGPR of a mask source */
    uint16_t flags;               /* X_* */
    int32_t imm;                  /* offset, simm16, branch distance */
    uint8_t ns;                   /* vector sources in use */
    uint8_t size;                 /* memory: bytes; VALU: destination dwords */
    uint8_t sub;                  /* executor-specific selector (atomic operation, variant) */
    uint8_t types[4];             /* enum sem_type of dst, src0..2 */
    const struct valu_mods *mods; /* or NULL */
    const struct xinst *pair;     /* VOPD: the Y half */
};

enum { CODE_PAGE_BYTES = 4096, CODE_PAGE_DWORDS = CODE_PAGE_BYTES / 4, CODE_MAX_INST_DWORDS = 5 };

/* Code is decoded where it is first executed, one entry per dword. */
struct code_page {
    uint64_t va; /* of its first byte; CODE_PAGE_BYTES aligned */
    bool step;   /* for isa_step: two entries a dword, the second ends the step; half a page */
    struct code_page *next;
    struct code_block *blocks; /* memory of valu_mods and pairs */
    struct xinst x[CODE_PAGE_DWORDS + CODE_MAX_INST_DWORDS];
};

enum wave_exit {
    EXIT_NONE,
    EXIT_YIELD,   /* budget spent, s_sleep */
    EXIT_BARRIER, /* waits; w->wait_phase says for which */
    EXIT_END,     /* s_endpgm */
    EXIT_STOP     /* the group ends: g->end says how */
};

struct wave {
    struct isa_group *g;
    vu32 *v;                /* [halves][ISA_VGPRS] */
    struct code_page *page; /* while running: the page of the current instruction */
    int64_t budget;         /* instructions left in this slice, taken at back-edges */
    uint64_t pc;            /* while not running */
    uint32_t scc;
    enum wave_exit exit;
    bool ended;
    bool priv;        /* in the trap handler */
    uint32_t index;   /* in the group */
    uint32_t mode;    /* hwreg MODE */
    uint32_t trapsts; /* hwreg TRAPSTS; gfx12: EXCP_FLAG_PRIV */
    uint64_t scratch_base;
    uint32_t signal_phase;      /* barrier phase this wave signalled in */
    bool signalled;             /* has signalled and not waited yet */
    struct sem_env env[2];      /* one per half of a wave64; mode kept current */
    uint32_t s[ISA_SREG_SLOTS]; /* by operand code: SGPRs, VCC, TTMPs, M0 125, EXEC 126 */
};

enum { SEGMENT_CACHE = 8 };
struct segment_cache {
    struct isa_segment e[SEGMENT_CACHE];
    unsigned count, next;
};

/* The executor compiled for one level of the host's instruction set. */
struct isa_variant {
    const char *name;
    /* Makes x run `inst`, found at va. On failure sets an executor that reports it. */
    void (*bind)(struct isa_group *g, struct code_page *page, const struct isa_inst *inst,
                 struct xinst *x, uint64_t va);
    xfn *decode_here, *cross_page;
    xfn *illegal;   /* what bind makes of an instruction that it refuses */
    xfn *jit_enter; /* x->s: function, base, MODE; x->imm: entry number (jit_abi.h) */
    xfn *step_end;
    void (*run)(struct wave *w); /* until w->exit */
};
extern const struct isa_variant isa_variant_base, isa_variant_v3, isa_variant_v4;
const struct isa_variant *isa_pick_variant(void);

struct isa_group {
    struct isa_dispatch d;
    const struct isa_variant *variant;
    struct isa_group_start start;
    struct wave *waves;
    vu32 *vgpr_memory;
    unsigned wave_count, wave_capacity, halves;
    unsigned vgpr_limit; /* VGPRs that the dispatch allocated per work-item */
    uint8_t *lds;
    uint32_t lds_bytes, lds_capacity;
    unsigned live;                    /* waves that have not ended */
    uint32_t phase, signals;          /* barrier: completed phases, signals in the current one */
    struct segment_cache segments[3]; /* by enum isa_client */
    uint32_t translation_epoch, code_epoch;
    struct code_page *code[64]; /* hash by page number */
    struct code_page *steps[16];
    const void *jit_checked[8]; /* published code that memory holds; valid as long as code[] is */
    unsigned next_wave;         /* round robin */
    vu32 *ids;                  /* VGPR 0 of each wave at launch, for ids_key */
    uint32_t ids_key[4];        /* group size, components + 1 */
    /* Waves that compiled code takes from launch to end in one call need no launch of their own. */
    bool direct;          /* the last group was like that: try it again */
    bool unlaunched;      /* started, no wave launched yet */
    bool primed;          /* wave 0 and every VGPR 0 are as launched, but for the group's ids */
    bool touched;         /* isa_step has changed a wave's registers */
    unsigned direct_ends; /* waves of this group that ended so */
    enum isa_end end;
    struct isa_report report;
    bool reported;
};

static inline unsigned group_wave64(const struct isa_group *g) {
    return g->halves == 2;
}

/* --- code.c --- */

/* The decoded instruction at va (a multiple of 4); sets w->page. Never NULL: a page that cannot be
 * read faults when its first instruction is decoded. NULL only without memory (w->exit is set). */
const struct xinst *isa_code_at(struct wave *w, uint64_t va);
uint64_t isa_code_pc(const struct wave *w, const struct xinst *x);
/* Decodes the instruction x of w->page and binds it. False: w->exit is set. */
bool isa_code_decode(struct wave *w, struct xinst *x);
void isa_code_drop(struct isa_group *g);
/* Runs the one instruction at va, no branch, for compiled code; 0, or w->exit is set. */
uint32_t isa_step(struct wave *w, uint64_t va);
/* Memory that lives as long as the page; NULL without memory. */
void *isa_code_alloc(struct code_page *page, unsigned bytes);

/* --- jit_run.c --- */

/* Puts hooks where compiled code may be entered into a new page. */
void isa_jit_hook(struct wave *w, struct code_page *page);

/* --- memory.c --- */

/* Host address of [va, va + size), all of it in one segment with that access; NULL after the model
 * has reported a fault. */
uint8_t *isa_mem(struct isa_group *g, enum isa_client client, enum isa_access access, uint64_t va,
                 uint64_t size);
/* The cached or translated segment that holds va, or NULL (faulted). Valid until the next call. */
const struct isa_segment *isa_mem_segment(struct isa_group *g, enum isa_client client,
                                          enum isa_access access, uint64_t va);
/* Copies that may cross segments; false on a fault. */
bool isa_mem_read(struct isa_group *g, enum isa_client client, enum isa_access access, uint64_t va,
                  void *out, unsigned size);
bool isa_mem_write(struct isa_group *g, uint64_t va, const void *in, unsigned size);

/* --- isa.c --- */

/* Launches the waves of a group that has been started without. */
void isa_group_launch(struct isa_group *g);

/* --- stop.c: how a wave stops --- */

/* Ends the group at instruction x of w. They return NULL so that executors can return it. */
const struct xinst *isa_stop_fault(struct wave *w, const struct xinst *x, unsigned lane,
                                   uint64_t address, const char *what);
const struct xinst *isa_stop_illegal(struct wave *w, const struct xinst *x, bool unimplemented,
                                     const char *why);
const struct xinst *isa_stop_trap(struct wave *w, const struct xinst *x, const char *why);
/* Lets w go on in the trap handler: {ttmp1, ttmp0} name pc and the trap id. False: there is none,
 * or w is in it. */
bool isa_trap_enter(struct wave *w, uint64_t pc, unsigned id, bool from_host);
/* host->stop was seen, between slices: ISA_STOPPED, the report says where a wave was. */
enum isa_end isa_stop_killed(struct isa_group *g);
/* Leaves the executor; execution goes on at `next`. */
const struct xinst *isa_pause(struct wave *w, const struct xinst *next, enum wave_exit why);
/* Barrier bookkeeping. */
void isa_barrier_signal(struct wave *w);
bool isa_barrier_passed(const struct wave *w);
void isa_wave_end(struct wave *w);
/* MODE -> env. */
void isa_set_mode(struct wave *w, uint32_t mode);

#endif
