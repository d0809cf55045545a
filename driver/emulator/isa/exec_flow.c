/* SPDX-License-Identifier: MIT */
/* exec_flow.c - program flow, barriers, hardware registers, messages (SOPP and the instructions of
 * SOP1 and SOPK that are not arithmetic). */
#include "driver/emulator/isa/exec.h"

static EXEC(nothing) {
    NEXT(w, x);
}

/* --- branches. x->sub: the target is on this page, x->imm entries away; else aux is its address.
 */

static const struct xinst *jump(struct wave *w, uint64_t va) {
    const struct xinst *t = isa_code_at(w, va & ~UINT64_C(3));
    if (!t) return NULL;
    w->budget -= 16;
    return w->budget < 0 ? isa_pause(w, t, EXIT_YIELD) : t;
}

static inline const struct xinst *branch_target(struct wave *w, const struct xinst *x) {
    if (!x->sub) return jump(w, x->aux);
    const struct xinst *t = x + x->imm;
    if (x->imm <= 0) {
        w->budget += x->imm - 1;
        if (w->budget < 0) return isa_pause(w, t, EXIT_YIELD);
    }
    return t;
}

#define BRANCH(name, cond)                                                                         \
    static EXEC(name) {                                                                            \
        if (!(cond)) NEXT(w, x);                                                                   \
        const struct xinst *t = branch_target(w, x);                                               \
        if (!t) return NULL;                                                                       \
        GO(w, t);                                                                                  \
    }
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !w->scc)
BRANCH(s_cbranch_scc1, w->scc)
BRANCH(s_cbranch_vccz, !exec_mask64(w, ISA_SRC_VCC_LO))
BRANCH(s_cbranch_vccnz, exec_mask64(w, ISA_SRC_VCC_LO))
BRANCH(s_cbranch_execz, !exec_mask64(w, ISA_SRC_EXEC_LO))
BRANCH(s_cbranch_execnz, exec_mask64(w, ISA_SRC_EXEC_LO))

static void set_sgpr64(struct wave *w, unsigned reg, uint64_t v) {
    w->s[reg] = (uint32_t)v;
    w->s[reg + 1] = (uint32_t)(v >> 32);
}

static EXEC(s_getpc) {
    set_sgpr64(w, x->dst, isa_code_pc(w, x + x->len));
    NEXT(w, x);
}

static EXEC(s_setpc) {
    const struct xinst *t = jump(w, exec_s64(w, x, 0));
    if (!t) return NULL;
    GO(w, t);
}

static EXEC(s_swappc) {
    uint64_t to = exec_s64(w, x, 0);
    set_sgpr64(w, x->dst, isa_code_pc(w, x + x->len));
    const struct xinst *t = jump(w, to);
    if (!t) return NULL;
    GO(w, t);
}

static EXEC(s_call) {
    set_sgpr64(w, x->dst, isa_code_pc(w, x + x->len));
    const struct xinst *t = branch_target(w, x);
    if (!t) return NULL;
    GO(w, t);
}

static EXEC(s_rfe) {
    w->priv = false;
    const struct xinst *t = jump(w, exec_s64(w, x, 0) & 0xffffffffffff);
    if (!t) return NULL;
    GO(w, t);
}

/* --- the end of a wave, traps --- */

static EXEC(s_endpgm) {
    isa_wave_end(w);
    return isa_pause(w, x, EXIT_END);
}

static EXEC(s_trap) {
    if (!isa_trap_enter(w, isa_code_pc(w, x), (unsigned)x->imm & 0xff, false))
        return isa_stop_trap(w, x, "trap without a trap handler");
    const struct xinst *t = jump(w, w->g->d.tba_va);
    if (!t) return NULL;
    GO(w, t);
}

static EXEC(s_code_end) {
    return isa_stop_illegal(w, x, false, "execution ran past the end of the program");
}

static EXEC(s_sethalt) {
    if (x->imm & 1) return isa_stop_trap(w, x, "the wave halted itself");
    NEXT(w, x);
}

/* --- barriers, sleep --- */

static EXEC(barrier_wait) {
    if (w->signalled && !isa_barrier_passed(w)) return isa_pause(w, x, EXIT_BARRIER);
    w->signalled = false;
    NEXT(w, x);
}

static EXEC(s_barrier) {
    if (!w->signalled) isa_barrier_signal(w);
    if (!isa_barrier_passed(w)) return isa_pause(w, x, EXIT_BARRIER);
    w->signalled = false;
    NEXT(w, x);
}

/* gfx12 splits the barrier. Barrier -1 is the work-group's, -3 the cluster's, others are named. */
static EXEC(s_barrier_signal) {
    int32_t id = (int32_t)exec_s32(w, x, 0);
    if (id != -1) return isa_stop_illegal(w, x, true, "only the work-group barrier (-1) is there");
    if (w->signalled && !isa_barrier_passed(w))
        return isa_stop_illegal(w, x, false, "barrier signalled twice by a wave");
    bool first = w->g->signals == 0;
    isa_barrier_signal(w);
    if (x->sub) w->scc = first;
    NEXT(w, x);
}

static EXEC(s_barrier_wait) {
    if ((int16_t)x->imm != -1)
        return isa_stop_illegal(w, x, true, "only the work-group barrier (-1) is there");
    return barrier_wait(w, x);
}

static EXEC(s_get_barrier_state) {
    /* [0] named barrier valid, [10:4] member count, [22:16] signal count. */
    w->s[x->dst] = 1 | (w->g->live & 0x7f) << 4 | (w->g->signals & 0x7f) << 16;
    NEXT(w, x);
}

/* Also what a wave that waits for another work-group does in its loop. */
static EXEC(s_sleep) {
    w->budget -= 64;
    return isa_pause(w, x + x->len, EXIT_YIELD);
}

/* --- hardware registers --- */

enum { /* hwreg ids: gfx11 name / gfx12 name (LLVM AMDGPU, tables of the ISA XML) */
       HWREG_MODE = 1,
       HWREG_STATUS = 2,
       HWREG_TRAPSTS = 3,    /* gfx12: none */
       HWREG_STATE_PRIV = 4, /* gfx12 */
       HWREG_GPR_ALLOC = 5,
       HWREG_LDS_ALLOC = 6,
       HWREG_IB_STS = 7,
       HWREG_SH_MEM_BASES = 15,
       HWREG_TBA_LO = 16,
       HWREG_TBA_HI = 17,
       HWREG_EXCP_FLAG_USER = 18,
       HWREG_TRAP_CTRL = 19,
       HWREG_SCRATCH_LO = 20, /* SHADER_FLAT_SCRATCH / WAVE_SCRATCH_BASE */
       HWREG_SCRATCH_HI = 21,
       HWREG_HW_ID1 = 23,
       HWREG_HW_ID2 = 24,
       HWREG_IB_STS2 = 28,
       HWREG_CYCLES_LO = 29,
       HWREG_CYCLES_HI = 30
};

static uint32_t status_register(const struct wave *w) {
    return (w->scc & 1) | (uint32_t)w->priv << 5 | (uint32_t)(w->g->d.tba_va != 0) << 6 |
           (uint32_t)(exec_mask64(w, ISA_SRC_EXEC_LO) == 0) << 9 |
           (uint32_t)(exec_mask64(w, ISA_SRC_VCC_LO) == 0) << 10 | 1u << 11 /* IN_TG */ |
           1u << 16 /* VALID */;
}

static bool read_hwreg(struct wave *w, unsigned id, uint32_t *v) {
    const struct isa_dispatch *d = &w->g->d;
    bool gfx12 = d->arch == ISA_GFX12;
    switch (id) {
    case HWREG_MODE:
        *v = w->mode;
        return true;
    case HWREG_STATUS:
        *v = status_register(w);
        return true;
    case HWREG_TRAPSTS:
        *v = w->trapsts;
        return !gfx12;
    case HWREG_STATE_PRIV:
        *v = (w->scc & 1) << 9;
        return gfx12;
    case HWREG_GPR_ALLOC:
        *v = (w->g->vgpr_limit / 8 - 1) << 12;
        return true;
    case HWREG_LDS_ALLOC:
        *v = (w->g->lds_bytes + 511) / 512 << 12;
        return true;
    case HWREG_SH_MEM_BASES:
        *v = (uint32_t)(d->private_aperture >> 48) | (uint32_t)(d->shared_aperture >> 48) << 16;
        return !gfx12;
    case HWREG_TBA_LO:
        *v = (uint32_t)(d->tba_va >> 8);
        return !gfx12;
    case HWREG_TBA_HI: /* gfx12: EXCP_FLAG_PRIV */
        *v = gfx12 ? w->trapsts : (uint32_t)(d->tba_va >> 40);
        return true;
    case HWREG_EXCP_FLAG_USER:
    case HWREG_TRAP_CTRL:
        *v = 0; /* no arithmetic exception is ever enabled */
        return gfx12;
    case HWREG_SCRATCH_LO:
        *v = (uint32_t)w->scratch_base;
        return true;
    case HWREG_SCRATCH_HI:
        *v = (uint32_t)(w->scratch_base >> 32);
        return true;
    case HWREG_HW_ID1:
        *v = w->index & 0x1f;
        return true;
    case HWREG_HW_ID2:
    case HWREG_IB_STS:
    case HWREG_IB_STS2:
        *v = 0;
        return true;
    case HWREG_CYCLES_LO: /* 20 bits on gfx11 */
        *v = (uint32_t)d->host->realtime(d->host) & (gfx12 ? UINT32_MAX : 0xfffff);
        return true;
    case HWREG_CYCLES_HI:
        *v = (uint32_t)(d->host->realtime(d->host) >> 32);
        return gfx12;
    default:
        return false;
    }
}

static uint32_t field_mask(uint32_t simm, unsigned *offset) {
    unsigned size = (simm >> 11 & 31) + 1;
    *offset = simm >> 6 & 31;
    return (uint32_t)((UINT64_C(1) << size) - 1);
}

static EXEC(s_getreg) {
    unsigned offset;
    uint32_t v, simm = (uint32_t)x->imm, mask = field_mask(simm, &offset);
    if (!read_hwreg(w, simm & 63, &v))
        return isa_stop_illegal(w, x, true, "hardware register that is not there");
    w->s[x->dst] = v >> offset & mask;
    NEXT(w, x);
}

static const struct xinst *set_hwreg(struct wave *w, const struct xinst *x, uint32_t value) {
    unsigned offset, id = x->imm & 63;
    uint32_t mask = field_mask((uint32_t)x->imm, &offset), old;
    bool writable = id == HWREG_MODE || (id == HWREG_TRAPSTS && w->g->d.arch != ISA_GFX12);
    if (!writable || !read_hwreg(w, id, &old))
        return isa_stop_illegal(w, x, true, "write of a hardware register that is not writable");
    uint32_t v = (old & ~(mask << offset)) | (value & mask) << offset;
    if (id == HWREG_MODE)
        isa_set_mode(w, v);
    else
        w->trapsts = v;
    return x + x->len;
}

static EXEC(s_setreg) {
    x = set_hwreg(w, x, w->s[x->dst]);
    if (!x) return NULL;
    GO(w, x);
}

static EXEC(s_setreg_imm32) {
    x = set_hwreg(w, x, (uint32_t)x->aux);
    if (!x) return NULL;
    GO(w, x);
}

static EXEC(s_round_mode) {
    isa_set_mode(w, (w->mode & ~0xfu) | (x->imm & 0xf));
    NEXT(w, x);
}

static EXEC(s_denorm_mode) {
    isa_set_mode(w, (w->mode & ~0xf0u) | (x->imm & 0xf) << 4);
    NEXT(w, x);
}

/* --- messages --- */

enum { MSG_INTERRUPT = 1, MSG_DEALLOC_VGPRS = 3 };

static EXEC(s_sendmsg) {
    switch (x->imm & 0xff) {
    case MSG_INTERRUPT:
        if (w->g->d.host->interrupt) w->g->d.host->interrupt(w->g->d.host, w->s[ISA_SRC_M0]);
        break;
    case MSG_DEALLOC_VGPRS: /* right before the end of the wave */
        break;
    default:
        return isa_stop_illegal(w, x, true, "message that compute waves do not send");
    }
    NEXT(w, x);
}

/* Message ids of s_sendmsg_rtn; sub: destination bits. */
static EXEC(s_sendmsg_rtn) {
    const struct isa_dispatch *d = &w->g->d;
    uint64_t v;
    switch ((uint32_t)x->s[0]) {
    case 128: /* MSG_RTN_GET_DOORBELL */
    case 129: /* MSG_RTN_GET_DDID */
        v = 0;
        break;
    case 130:               /* MSG_RTN_GET_TMA */
        v = d->tma_va >> 8; /* as in SQ_SHADER_TMA: handlers shift it */
        break;
    case 131: /* MSG_RTN_GET_REALTIME */
        v = d->host->realtime(d->host);
        break;
    case 133: /* MSG_RTN_GET_TBA */
        v = d->tba_va >> 8;
        break;
    default:
        return isa_stop_illegal(w, x, true, "message without an answer in this model");
    }
    w->s[x->dst] = (uint32_t)v;
    if (x->sub == 64) w->s[x->dst + 1] = (uint32_t)(v >> 32);
    NEXT(w, x);
}

/* --- binding --- */

enum { HAS_SRC = 1, IS_BRANCH = 2, LITERAL = 4 };

static const struct flow_row {
    const char *name;
    xfn *fn;
    uint8_t flags, sub;
} rows[] = {
    {"S_BRANCH", s_branch, IS_BRANCH, 0},
    {"S_CBRANCH_SCC0", s_cbranch_scc0, IS_BRANCH, 0},
    {"S_CBRANCH_SCC1", s_cbranch_scc1, IS_BRANCH, 0},
    {"S_CBRANCH_VCCZ", s_cbranch_vccz, IS_BRANCH, 0},
    {"S_CBRANCH_VCCNZ", s_cbranch_vccnz, IS_BRANCH, 0},
    {"S_CBRANCH_EXECZ", s_cbranch_execz, IS_BRANCH, 0},
    {"S_CBRANCH_EXECNZ", s_cbranch_execnz, IS_BRANCH, 0},
    /* No debugger is attached: the conditional-debug branches are never taken. */
    {"S_CBRANCH_CDBGSYS", nothing, 0, 0},
    {"S_CBRANCH_CDBGUSER", nothing, 0, 0},
    {"S_CBRANCH_CDBGSYS_OR_USER", nothing, 0, 0},
    {"S_CBRANCH_CDBGSYS_AND_USER", nothing, 0, 0},
    {"S_GETPC_B64", s_getpc, 0, 0},
    {"S_SETPC_B64", s_setpc, HAS_SRC, 0},
    {"S_SWAPPC_B64", s_swappc, HAS_SRC, 0},
    {"S_CALL_B64", s_call, IS_BRANCH, 0},
    {"S_RFE_B64", s_rfe, HAS_SRC, 0},
    {"S_ENDPGM", s_endpgm, 0, 0},
    {"S_ENDPGM_SAVED", s_endpgm, 0, 0},
    {"S_CODE_END", s_code_end, 0, 0},
    {"S_TRAP", s_trap, 0, 0},
    {"S_SETHALT", s_sethalt, 0, 0},
    {"S_BARRIER", s_barrier, 0, 0},
    {"S_BARRIER_SIGNAL", s_barrier_signal, HAS_SRC, 0},
    {"S_BARRIER_SIGNAL_ISFIRST", s_barrier_signal, HAS_SRC, 1},
    {"S_BARRIER_WAIT", s_barrier_wait, 0, 0},
    {"S_GET_BARRIER_STATE", s_get_barrier_state, 0, 0},
    {"S_SLEEP", s_sleep, 0, 0},
    {"S_SLEEP_VAR", s_sleep, 0, 0},
    {"S_GETREG_B32", s_getreg, 0, 0},
    {"S_SETREG_B32", s_setreg, 0, 0},
    {"S_SETREG_IMM32_B32", s_setreg_imm32, LITERAL, 0},
    {"S_ROUND_MODE", s_round_mode, 0, 0},
    {"S_DENORM_MODE", s_denorm_mode, 0, 0},
    {"S_SENDMSG", s_sendmsg, 0, 0},
    {"S_SENDMSGHALT", s_sendmsg, 0, 0},
    {"S_SENDMSG_RTN_B32", s_sendmsg_rtn, 0, 32},
    {"S_SENDMSG_RTN_B64", s_sendmsg_rtn, 0, 64},
    /* Execution is in order and memory is coherent: nothing to wait for, nothing to hint. */
    {"S_NOP", nothing, 0, 0},
    {"S_VERSION", nothing, 0, 0},
    {"S_CLAUSE", nothing, 0, 0},
    {"S_DELAY_ALU", nothing, 0, 0},
    {"S_WAITCNT", nothing, 0, 0},
    {"S_WAITCNT_DEPCTR", nothing, 0, 0},
    {"S_WAITCNT_VSCNT", nothing, 0, 0},
    {"S_WAITCNT_VMCNT", nothing, 0, 0},
    {"S_WAITCNT_EXPCNT", nothing, 0, 0},
    {"S_WAITCNT_LGKMCNT", nothing, 0, 0},
    {"S_WAIT_IDLE", nothing, 0, 0},
    {"S_WAIT_EVENT", nothing, 0, 0},
    {"S_WAIT_ALU", nothing, 0, 0},
    {"S_WAIT_LOADCNT", nothing, 0, 0},
    {"S_WAIT_STORECNT", nothing, 0, 0},
    {"S_WAIT_SAMPLECNT", nothing, 0, 0},
    {"S_WAIT_BVHCNT", nothing, 0, 0},
    {"S_WAIT_EXPCNT", nothing, 0, 0},
    {"S_WAIT_DSCNT", nothing, 0, 0},
    {"S_WAIT_KMCNT", nothing, 0, 0},
    {"S_WAIT_LOADCNT_DSCNT", nothing, 0, 0},
    {"S_WAIT_STORECNT_DSCNT", nothing, 0, 0},
    {"S_SET_INST_PREFETCH_DISTANCE", nothing, 0, 0},
    {"S_SETPRIO", nothing, 0, 0},
    {"S_WAKEUP", nothing, 0, 0},
    {"S_SETKILL", nothing, 0, 0},
    {"S_INCPERFLEVEL", nothing, 0, 0},
    {"S_DECPERFLEVEL", nothing, 0, 0},
    {"S_TTRACEDATA", nothing, 0, 0},
    {"S_TTRACEDATA_IMM", nothing, 0, 0},
    {"S_ICACHE_INV", nothing, 0, 0},
};

static void bind_branch(struct binding *b) {
    struct xinst *x = b->x;
    int64_t distance = 1 + (int64_t)(int16_t)b->in->f[ISA_F_simm16];
    uint64_t target = b->va + (uint64_t)distance * 4;
    x->aux = target;
    x->imm = (int32_t)distance;
    x->sub = target - b->page->va < CODE_PAGE_BYTES;
}

bool SEM_SYM(exec_bind_flow)(struct binding *b) {
    struct xinst *x = b->x;
    const struct isa_inst *in = b->in;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct flow_row *r = &rows[i];
        if (strcmp(r->name, in->op->name)) continue;
        x->fn = r->fn;
        x->sub = r->sub;
        x->imm = (int32_t)in->f[ISA_F_simm16];
        x->dst = exec_sdst(in->f[ISA_F_sdst]);
        x->s[0] = in->f[ISA_F_ssrc0]; /* message ids */
        if (r->flags & IS_BRANCH) bind_branch(b);
        if (r->flags & LITERAL) x->aux = in->literal;
        if (r->flags & HAS_SRC) return SEM_SYM(exec_bind_source)(b, 0, in->f[ISA_F_ssrc0], SEM_U64);
        return true;
    }
    return false;
}
