/* SPDX-License-Identifier: MIT */
/* dispatch.c - from a dispatch packet to finished work-groups: what the dispatcher (ADC and SPI) of
 * the chip checks and hands out, on host threads.
 *
 * Work-groups are executed in slices. One whose slice ends unfinished stays resident on its host
 * thread and takes turns with the others, so that work-groups that wait for one another all make
 * progress, as many as the chip's compute units would hold. The oldest gets half of the time: long
 * work-groups end one after the other, as on silicon, instead of all together at the very end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/cp_priv.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/isa/isa.h"
#include "driver/emulator/jit.h"
#include "driver/emulator/spi.h"

enum {
    SLICE = 1 << 16,        /* instructions a wave may run before its work-group takes turns */
    PUBLISH_NS = 12 * 1000, /* a dispatch shorter than this is not worth waking a thread */
    LDS_BYTES = 64 << 10,   /* per work-group, RDNA3 ISA guide "LDS" */
    MAX_ITEMS = 1024,       /* per work-group */
    WAVES_PER_CU = 32,      /* two SIMDs of 16 */
    VGPR_FILE = 1536,       /* wave32 registers of a SIMD (1024 on the smaller chips) */
    MAX_RESIDENT = 2048,    /* of the model, all threads together */
};

struct run {
    struct job job;
    struct isa_host host;
    struct isa_dispatch d;
    struct cp_queue *q;
    struct gpu *g;
    uint32_t groups[3], last[3]; /* work-groups, and size of the last one per dimension */
    uint64_t total;
    unsigned waves; /* per full work-group */
    unsigned width; /* participants at most */
    unsigned resident;
    unsigned slots_per_se, engines; /* scratch: WAVES per shader engine */
    uint32_t chunk;
    _Atomic uint64_t next, done, last_done_ns;
    _Atomic int failed;
    uint64_t start_ns;
    struct cache_order order;
    struct jit_kernel *jit; /* what to tell of the run, by participant 0; NULL: nothing */
    uint64_t told_ns;       /* until when it was told */
    char name[24];          /* what the messages call the kernel: its entry */
    bool published;
    bool counted;        /* by SPI's performance counter */
    _Atomic bool killed; /* said so */
};

/* ---- the waves' view of the chip ---- */

static struct run *run_of(struct isa_host *h) {
    return (struct run *)((char *)h - offsetof(struct run, host));
}

static int host_translate(struct isa_host *h, enum isa_client client, enum isa_access access,
                          uint64_t va, struct isa_segment *out) {
    struct gpu *g = run_of(h)->g;
    bool write = access == ISA_WRITE || access == ISA_ATOMIC;
    enum gpu_access kind = access == ISA_EXEC ? GPU_EXEC : write ? GPU_WRITE : GPU_READ;
    struct gpu_xlat x;
    if (gpu_translate(g, HUB_GC, AGENT_SHADER, kind, va, &x)) return -EFAULT;
    enum cache_kind cache = client == ISA_CLIENT_INST     ? CACHE_I
                            : client == ISA_CLIENT_SCALAR ? CACHE_K
                                                          : CACHE_V;
    /* What a cache may hold from before is judged for the piece that is handed out, small where
     * accesses are few; HDP's pending writes were, for va alone, by gpu_translate. */
    uint64_t window = cache == CACHE_V ? cache_window(g) : 4096;
    uint64_t lo = va & ~(window - 1), hi = lo + window;
    if (lo < x.va) lo = x.va;
    if (hi > x.va + x.size) hi = x.va + x.size;
    cache_shader(g, &run_of(h)->order, cache, write, va, &x, lo, hi - lo);
    out->va = lo;
    out->size = hi - lo;
    out->host = x.host + (lo - x.va);
    /* Only the kind that was judged: the others come back and are judged then. */
    out->access = 1u << access;
    if (write) out->access |= 1u << ISA_WRITE | 1u << ISA_ATOMIC;
    return 0;
}

static uint64_t host_realtime(struct isa_host *h) {
    return gpu_clock(run_of(h)->g);
}

/* SQ interrupt words (linux kfd_int_process_v11.c): context id 1 bits 6-7 name the encoding, 1 a
 * wave's message, 2 an error; context id 0 bits 21-24 the error's type, 27-31 the wave. */
enum { SQ_ENC_INST = 1u << 6, SQ_ENC_ERROR = 2u << 6, SQ_ERR_ILLEGAL = 1u << 21, SQ_WAVE_LO = 27 };

static void sq_interrupt(struct run *r, uint32_t ctx0, uint32_t ctx1) {
    const uint32_t data[4] = {ctx0, ctx1, 0, 0};
    gpu_irq(r->g, SOC21_IH_CLIENTID_GRBM_CP, GFX_11_0_0__SRCID__SQ_INTERRUPT_ID, 0, 0, data);
}

static void host_interrupt(struct isa_host *h, uint32_t m0) {
    sq_interrupt(run_of(h), m0 & 0xffffff, SQ_ENC_INST);
}

/* One of what may be many waves: the handler reports each. */
static void host_exception(struct isa_host *h, const char *text) {
    struct run *r = run_of(h);
    if (!atomic_exchange(&r->killed, true)) gpu_fault(r->g, "%s", text);
}

/* ---- work-groups kept between dispatches, for their memory and decoded code ---- */

/* A spare that ran the same kernel, else the newest that fits, else a new one. */
static struct isa_group *group_get(struct run *r) {
    struct cp *cp = r->q->cp;
    struct isa_group *g = NULL;
    pthread_mutex_lock(&cp->spare_lock);
    int best = -1;
    for (int i = (int)cp->spares - 1; i >= 0; i--) {
        bool same = cp->spare[i].entry_va == r->d.entry_va;
        if (best >= 0 && !same) continue;
        best = i;
        if (same) break;
    }
    if (best >= 0) {
        g = cp->spare[best].group;
        cp->spare[best] = cp->spare[--cp->spares];
    }
    pthread_mutex_unlock(&cp->spare_lock);
    if (g && isa_group_rebind(g, &r->d)) return g;
    isa_group_destroy(g);
    return isa_group_create(&r->d);
}

static void group_put(struct run *r, struct isa_group *g) {
    struct cp *cp = r->q->cp;
    struct isa_group *old = NULL;
    pthread_mutex_lock(&cp->spare_lock);
    if (cp->spares == CP_SPARES) {
        old = cp->spare[0].group;
        memmove(cp->spare, cp->spare + 1, (CP_SPARES - 1) * sizeof *cp->spare);
        cp->spares--;
    }
    cp->spare[cp->spares++] = (struct cp_spare){g, r->d.entry_va};
    pthread_mutex_unlock(&cp->spare_lock);
    isa_group_destroy(old);
}

void dispatch_fini(struct cp *cp) {
    for (unsigned i = 0; i < cp->spares; i++)
        isa_group_destroy(cp->spare[i].group);
    cp->spares = 0;
}

/* ---- one participant ---- */

struct resident {
    struct isa_group *group;
    uint64_t index; /* of the work-group: among a participant's, the lowest is the oldest */
    unsigned waves;
    unsigned host_traps; /* those that came before it started or that it has taken */
    bool live;
};

struct part {
    struct run *r;
    unsigned who;
    struct resident *slot;
    unsigned slots, live, turn;
    uint64_t from, to; /* chunk taken, not started yet */
};

/* Work-groups are spread over the shader engines' shares of the scratch ring. */
static uint32_t scratch_slot(const struct run *r, unsigned place) {
    if (!r->slots_per_se) return 0;
    unsigned se = place % r->engines, k = place / r->engines * r->waves;
    return se * r->slots_per_se + k;
}

static bool take(struct part *p) {
    if (p->from < p->to) return true;
    struct run *r = p->r;
    uint64_t at = atomic_fetch_add(&r->next, r->chunk);
    if (at >= r->total) return false;
    p->from = at;
    p->to = at + r->chunk < r->total ? at + r->chunk : r->total;
    return true;
}

static void start_group(struct part *p, struct resident *s, unsigned index) {
    struct run *r = p->r;
    uint64_t id = p->from++, items = 1;
    struct isa_group_start start = {0};
    s->index = id;
    for (int k = 0; k < 3; k++) {
        start.id[k] = (uint32_t)(id % r->groups[k]);
        id /= r->groups[k];
        start.size[k] = start.id[k] == r->groups[k] - 1 ? r->last[k] : r->d.group_size[k];
        items *= start.size[k];
    }
    s->waves = (unsigned)((items + r->d.wave_size - 1) / r->d.wave_size);
    atomic_fetch_add_explicit(&r->q->waves_active, s->waves, memory_order_relaxed);
    if (r->counted)
        atomic_fetch_add_explicit(&r->q->cp->waves_launched, s->waves, memory_order_relaxed);
    s->host_traps = r->q->cp->host_traps;
    start.scratch_slot = scratch_slot(r, p->who + r->width * index);
    isa_group_start(s->group, &start);
    s->live = true;
    p->live++;
}

/* A reset of the queue ends its waves: where one of them was helps who asks why it had to be. */
static void report_killed(struct run *r, struct isa_group *group) {
    if (atomic_exchange(&r->killed, true)) return;
    struct isa_report rep;
    isa_group_report(group, &rep);
    gpu_fault(r->g, "%s (%llu of %llu work-groups had ended)", rep.text,
              (unsigned long long)r->done, (unsigned long long)r->total);
}

static void report_end(struct run *r, struct isa_group *group, enum isa_end end) {
    int none = 0;
    if (end == ISA_STOPPED) {
        report_killed(r, group);
        return;
    }
    if (!atomic_compare_exchange_strong(&r->failed, &none, 1)) return;
    r->killed = true; /* the others end because of this one */
    r->q->stuck = true;
    r->q->stop = 1;
    struct isa_report rep;
    isa_group_report(group, &rep);
    if (end == ISA_ILLEGAL && rep.unimplemented) gpu_unimplemented(r->g, "%s", rep.text);
    gpu_fault(r->g, "%s", rep.text);
    if (end == ISA_ILLEGAL || end == ISA_TRAP)
        sq_interrupt(r, SQ_ERR_ILLEGAL | (rep.wave & 31) << SQ_WAVE_LO, SQ_ENC_ERROR);
}

static void run_slot(struct part *p, struct resident *s) {
    struct run *r = p->r;
    mem_guard *guard = p->who ? &r->q->cp->helper_guard[p->who] : &r->q->guard;
    mem_guard_enter(guard);
    unsigned traps = r->q->cp->host_traps;
    if (traps != s->host_traps && r->d.tba_va) isa_group_trap(s->group);
    s->host_traps = traps;
    enum isa_end end = isa_group_run(s->group, SLICE);
    mem_guard_leave(guard);
    if (end == ISA_YIELD) return;
    s->live = false;
    p->live--;
    atomic_fetch_sub_explicit(&r->q->waves_active, s->waves, memory_order_relaxed);
    if (end == ISA_DONE) {
        atomic_fetch_add_explicit(&r->done, 1, memory_order_relaxed);
        if (gpu_config(r->g)->hang_seconds > 0) r->last_done_ns = monotonic_ns();
    } else {
        report_end(r, s->group, end);
    }
}

/* Whether the watchdog, if there is one, calls this dispatch hung. */
static bool hung(struct run *r) {
    double limit = gpu_config(r->g)->hang_seconds;
    if (limit <= 0 || r->failed) return false;
    double idle = (double)(monotonic_ns() - r->last_done_ns) * 1e-9;
    int none = 0;
    if (idle < limit || !atomic_compare_exchange_strong(&r->failed, &none, 1)) return false;
    r->q->stuck = true;
    r->q->stop = 1;
    gpu_fault(r->g,
              "hang: kernel at 0x%llx finished %llu of %llu work-groups and none for %.1f seconds",
              (unsigned long long)r->d.entry_va, (unsigned long long)r->done,
              (unsigned long long)r->total, idle);
    return true;
}

/* What is worth compiling shows by the time that it takes. */
static void tell_jit(struct run *r) {
    uint64_t now = monotonic_ns();
    if (!jit_ran(r->g, r->jit, &r->d, &r->q->guard, now - r->told_ns)) r->jit = NULL;
    r->told_ns = now;
}

/* After the first slices: is it worth waking other threads? */
static void maybe_publish(struct part *p) {
    struct run *r = p->r;
    if (r->published || r->width < 2 || r->next >= r->total) return;
    bool yields = p->live > 0;
    if (!yields && monotonic_ns() - r->start_ns < PUBLISH_NS) return;
    uint64_t left = r->total - r->next;
    r->published = true;
    pool_publish(r->q->cp->pool, &r->job, left < r->width - 1 ? (unsigned)left : r->width - 1);
}

static struct resident *free_slot(struct part *p) {
    for (unsigned i = 0; i < p->slots; i++)
        if (!p->slot[i].live) return &p->slot[i];
    unsigned limit = (p->r->resident + p->r->width - 1 - p->who) / p->r->width;
    if (p->slots >= limit) return NULL;
    unsigned want = p->slots ? p->slots * 2 : 1;
    if (want > limit) want = limit;
    struct resident *n = realloc(p->slot, want * sizeof *n);
    if (!n) return NULL;
    p->slot = n;
    memset(n + p->slots, 0, (want - p->slots) * sizeof *n);
    unsigned first = p->slots;
    p->slots = want;
    return &p->slot[first];
}

/* Starts one more work-group if there is one and room for it. */
static bool run_new(struct part *p) {
    struct resident *s = free_slot(p);
    if (!s) return false;
    if (!s->group && !(s->group = group_get(p->r))) {
        if (!p->live) {
            int none = 0;
            if (atomic_compare_exchange_strong(&p->r->failed, &none, 1))
                gpu_unimplemented(p->r->g, "dispatch: out of host memory for a work-group");
        }
        return false;
    }
    if (!take(p)) return false;
    start_group(p, s, (unsigned)(s - p->slot));
    run_slot(p, s);
    return true;
}

static bool run_next_resident(struct part *p) {
    for (unsigned i = 0; p->live && i < p->slots; i++) {
        p->turn = (p->turn + 1) % p->slots;
        if (!p->slot[p->turn].live) continue;
        run_slot(p, &p->slot[p->turn]);
        return true;
    }
    return false;
}

/* The oldest work-group, as often as others ran meanwhile. */
static void run_oldest(struct part *p, unsigned slices) {
    if (p->live < 2) return;
    struct resident *oldest = NULL;
    for (unsigned i = 0; i < p->slots; i++)
        if (p->slot[i].live && (!oldest || p->slot[i].index < oldest->index)) oldest = &p->slot[i];
    for (unsigned i = 0; i < slices && oldest->live && !p->r->q->stop; i++)
        run_slot(p, oldest);
}

/* A queue that was told to stop: those still in flight end here. */
static void drop_residents(struct part *p) {
    for (unsigned i = 0; i < p->slots; i++)
        if (p->slot[i].live) run_slot(p, &p->slot[i]);
    for (unsigned i = 0; i < p->slots; i++) {
        if (!p->slot[i].live) continue;
        p->slot[i].live = false;
        atomic_fetch_sub_explicit(&p->r->q->waves_active, p->slot[i].waves, memory_order_relaxed);
    }
}

static void participate(struct job *j, unsigned who) {
    struct run *r = (struct run *)j;
    struct part p = {.r = r, .who = who};
    if (who >= r->width) return;
    while (!r->failed && !r->q->stop) {
        bool began = run_new(&p);
        if (!who) maybe_publish(&p);
        bool turned = run_next_resident(&p);
        if (!who && r->jit) tell_jit(r);
        run_oldest(&p, (unsigned)began + turned);
        if (!began && !turned) break;
        if (turned && hung(r)) break;
    }
    if (p.live) drop_residents(&p);
    for (unsigned i = 0; i < p.slots; i++)
        if (p.slot[i].group) group_put(r, p.slot[i].group);
    free(p.slot);
}

/* ---- what the dispatcher checks ---- */

static int refuse(struct run *r, const char *what) {
    gpu_guest_error(r->g, "dispatch of kernel at 0x%llx: %s", (unsigned long long)r->d.entry_va,
                    what);
    return -EBADMSG;
}

static uint32_t initiator_bit(struct run *r, uint32_t initiator, enum hw_field f) {
    return hw_field_get(gpu_ip(r->g, HW_GC), f, initiator);
}

/* Compute units of the chip that COMPUTE_STATIC_THREAD_MGMT_SEn leaves enabled. */
static unsigned enabled_cus(struct run *r) {
    static const enum hw_reg mgmt[] = {
        R_COMPUTE_STATIC_THREAD_MGMT_SE0, R_COMPUTE_STATIC_THREAD_MGMT_SE1,
        R_COMPUTE_STATIC_THREAD_MGMT_SE2, R_COMPUTE_STATIC_THREAD_MGMT_SE3,
        R_COMPUTE_STATIC_THREAD_MGMT_SE4, R_COMPUTE_STATIC_THREAD_MGMT_SE5,
        R_COMPUTE_STATIC_THREAD_MGMT_SE6, R_COMPUTE_STATIC_THREAD_MGMT_SE7};
    const struct hw_chip *chip = gpu_chip(r->g);
    unsigned n = 0, per_sa = chip->wgp_per_sa * 2;
    for (unsigned se = 0; se < chip->num_se && se < sizeof mgmt / sizeof *mgmt; se++) {
        uint32_t v = cp_reg(r->q, mgmt[se]);
        for (unsigned sa = 0; sa < chip->sa_per_se; sa++)
            n += (unsigned)__builtin_popcount(v >> (16 * sa) & hw_mask(0, (int)per_sa - 1));
    }
    unsigned present = gpu_cu_count(r->g);
    return n < present ? n : present;
}

static int read_size(struct run *r, const uint32_t dim[3], uint32_t initiator) {
    static const enum hw_field full[3] = {F_COMPUTE_NUM_THREAD_X__NUM_THREAD_FULL,
                                          F_COMPUTE_NUM_THREAD_Y__NUM_THREAD_FULL,
                                          F_COMPUTE_NUM_THREAD_Z__NUM_THREAD_FULL};
    static const enum hw_field part[3] = {F_COMPUTE_NUM_THREAD_X__NUM_THREAD_PARTIAL,
                                          F_COMPUTE_NUM_THREAD_Y__NUM_THREAD_PARTIAL,
                                          F_COMPUTE_NUM_THREAD_Z__NUM_THREAD_PARTIAL};
    static const enum hw_reg start[3] = {R_COMPUTE_START_X, R_COMPUTE_START_Y, R_COMPUTE_START_Z};
    bool partial = initiator_bit(r, initiator, F_COMPUTE_DISPATCH_INITIATOR__PARTIAL_TG_EN);
    bool threads = initiator_bit(r, initiator, F_COMPUTE_DISPATCH_INITIATOR__USE_THREAD_DIMENSIONS);
    bool zero = initiator_bit(r, initiator, F_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000);
    uint64_t items = 1;
    r->total = 1;
    for (int k = 0; k < 3; k++) {
        uint32_t size = cp_field(r->q, full[k]), rest = cp_field(r->q, part[k]);
        if (!size) return refuse(r, "COMPUTE_NUM_THREAD is 0 in a dimension");
        if (cp_reg(r->q, start[k]) && !zero) {
            gpu_unimplemented(r->g, "dispatch with COMPUTE_START other than 0");
            return -EBADMSG;
        }
        r->d.group_size[k] = r->last[k] = size;
        r->groups[k] = dim[k];
        if (threads) {
            r->groups[k] = (uint32_t)(((uint64_t)dim[k] + size - 1) / size);
            uint32_t edge = dim[k] % size;
            if (edge && !partial)
                return refuse(r,
                              "the grid is no multiple of the work-group and PARTIAL_TG_EN is 0");
            if (edge && rest && rest != edge)
                return refuse(r, "NUM_THREAD_PARTIAL disagrees with the grid");
            if (edge) r->last[k] = edge;
        } else if (partial && rest) {
            if (rest > size) return refuse(r, "NUM_THREAD_PARTIAL exceeds NUM_THREAD_FULL");
            r->last[k] = rest;
        }
        items *= size;
        if (__builtin_mul_overflow(r->total, (uint64_t)r->groups[k], &r->total)) {
            gpu_unimplemented(r->g, "dispatch of more than 2^64 work-groups");
            return -EBADMSG;
        }
    }
    if (items > MAX_ITEMS) return refuse(r, "more than 1024 work-items in a work-group");
    r->waves = (unsigned)((items + r->d.wave_size - 1) / r->d.wave_size);
    return 0;
}

static int read_program(struct run *r, uint32_t initiator) {
    struct cp_queue *q = r->q;
    struct isa_dispatch *d = &r->d;
    bool gfx12 = gpu_gen(r->g) == HW_GFX12;
    d->entry_va = (cp_reg(q, R_COMPUTE_PGM_LO) | (uint64_t)cp_reg(q, R_COMPUTE_PGM_HI) << 32) << 8;
    d->arch = gfx12 ? ISA_GFX12 : ISA_GFX11;
    snprintf(r->name, sizeof r->name, "at 0x%llx", (unsigned long long)d->entry_va);
    d->name = r->name;
    d->wave_size = initiator_bit(r, initiator, F_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN) ? 32 : 64;
    d->pgm_rsrc1 = cp_reg(q, R_COMPUTE_PGM_RSRC1);
    d->pgm_rsrc2 = cp_reg(q, R_COMPUTE_PGM_RSRC2);
    d->pgm_rsrc3 = cp_reg(q, R_COMPUTE_PGM_RSRC3);
    for (int i = 0; i < 16; i++)
        d->user_data[i] = q->sh[cp_sh_index(r->g, gpu_reg_dw(r->g, R_COMPUTE_USER_DATA_0)) + i];
    d->lds_bytes = cp_field(q, F_COMPUTE_PGM_RSRC2__LDS_SIZE) * 512;
    uint32_t bases = gpu_reg_get_vmid(r->g, R_SH_MEM_BASES, 0);
    const struct hw_ip_table *t = gpu_ip(r->g, HW_GC);
    d->shared_aperture = (uint64_t)hw_field_get(t, F_SH_MEM_BASES__SHARED_BASE, bases) << 48;
    d->private_aperture = (uint64_t)hw_field_get(t, F_SH_MEM_BASES__PRIVATE_BASE, bases) << 48;
    uint32_t tba_hi = gpu_reg_get_vmid(r->g, R_SQ_SHADER_TBA_HI, 0);
    /* gfx12 has no TRAP_PRESENT: that bit is DYNAMIC_VGPR. */
    if (tba_hi >> 31 && (gfx12 || cp_field(q, F_COMPUTE_PGM_RSRC2__TRAP_PRESENT))) {
        d->tba_va =
            (gpu_reg_get_vmid(r->g, R_SQ_SHADER_TBA_LO, 0) | (uint64_t)(tba_hi & 0xff) << 32) << 8;
        d->tma_va = (gpu_reg_get_vmid(r->g, R_SQ_SHADER_TMA_LO, 0) |
                     (uint64_t)(gpu_reg_get_vmid(r->g, R_SQ_SHADER_TMA_HI, 0) & 0xff) << 32)
                    << 8;
        d->trap_temps = hw_field_get(t, F_SPI_GDBG_PER_VMID_CNTL__TRAP_EN,
                                     gpu_reg_get_vmid(r->g, R_SPI_GDBG_PER_VMID_CNTL, 0));
    }
    if (!initiator_bit(r, initiator, F_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN))
        return refuse(r, "COMPUTE_SHADER_EN is 0");
    if (initiator_bit(r, initiator, F_COMPUTE_DISPATCH_INITIATOR__ORDERED_APPEND_ENBL) ||
        initiator_bit(r, initiator, F_COMPUTE_DISPATCH_INITIATOR__RESTORE) ||
        initiator_bit(r, initiator, F_COMPUTE_DISPATCH_INITIATOR__AMP_SHADER_EN)) {
        gpu_unimplemented(r->g, "dispatch initiator 0x%x (ordered append, restore or task shader)",
                          initiator);
        return -EBADMSG;
    }
    if (!d->entry_va) return refuse(r, "COMPUTE_PGM is 0");
    if (d->lds_bytes > LDS_BYTES) return refuse(r, "RSRC2.LDS_SIZE exceeds 64 KiB");
    if (cp_field(q, F_COMPUTE_PGM_RSRC2__USER_SGPR) > 16)
        return refuse(r, "RSRC2.USER_SGPR exceeds the 16 COMPUTE_USER_DATA registers");
    if (cp_field(q, F_COMPUTE_PGM_RSRC2__EXCP_EN) ||
        cp_field(q, F_COMPUTE_PGM_RSRC2__EXCP_EN_MSB) & 1) {
        gpu_unimplemented(r->g, "exceptions of arithmetic or of watched addresses (RSRC2 0x%x)",
                          d->pgm_rsrc2);
        return -EBADMSG;
    }
    if (gfx12 && cp_field(q, F_COMPUTE_PGM_RSRC2__DYNAMIC_VGPR)) {
        gpu_unimplemented(r->g, "dynamic VGPRs");
        return -EBADMSG;
    }
    return 0;
}

static int read_scratch(struct run *r) {
    struct cp_queue *q = r->q;
    if (!cp_field(q, F_COMPUTE_PGM_RSRC2__SCRATCH_EN)) return 0;
    uint64_t base = cp_reg(q, R_COMPUTE_DISPATCH_SCRATCH_BASE_LO) |
                    (uint64_t)(cp_reg(q, R_COMPUTE_DISPATCH_SCRATCH_BASE_HI) & 0xff) << 32;
    r->d.scratch_base_va = base << 8;
    r->d.scratch_wave_bytes = cp_field(q, F_COMPUTE_TMPRING_SIZE__WAVESIZE) * 256;
    r->slots_per_se = cp_field(q, F_COMPUTE_TMPRING_SIZE__WAVES);
    r->engines = gpu_chip(r->g)->num_se;
    if (!r->d.scratch_wave_bytes) return refuse(r, "scratch without TMPRING_SIZE.WAVESIZE");
    if (!base) return refuse(r, "scratch without COMPUTE_DISPATCH_SCRATCH_BASE");
    if (r->slots_per_se < r->waves)
        return refuse(r, "TMPRING_SIZE.WAVES is less than the waves of one work-group");
    return 0;
}

/* How many work-groups the chip would hold at once. */
static int read_residency(struct run *r) {
    unsigned cus = enabled_cus(r);
    bool w32 = r->d.wave_size == 32;
    unsigned field = cp_field(r->q, F_COMPUTE_PGM_RSRC1__VGPRS);
    unsigned vgprs =
        (field + 1) * (w32 ? 8 : 4); /* LLVM AMDGPUUsage GRANULATED_WORKITEM_VGPR_COUNT */
    if (!cus) return refuse(r, "COMPUTE_STATIC_THREAD_MGMT enables no compute unit: nothing runs");
    if (vgprs > 256) return refuse(r, "RSRC1.VGPRS exceeds 256");
    unsigned per_simd = VGPR_FILE / vgprs / (w32 ? 1 : 2);
    unsigned waves = per_simd * 2 < WAVES_PER_CU ? per_simd * 2 : WAVES_PER_CU;
    unsigned per_cu = waves / r->waves;
    if (r->d.lds_bytes && LDS_BYTES / r->d.lds_bytes < per_cu) per_cu = LDS_BYTES / r->d.lds_bytes;
    /* A work-group larger than one unit spreads over the two of a WGP. */
    uint64_t n = per_cu ? (uint64_t)cus * per_cu : (cus + 1) / 2;
    if (r->slots_per_se) {
        uint64_t by_scratch = (uint64_t)(r->slots_per_se / r->waves) * r->engines;
        if (by_scratch < n) n = by_scratch;
    }
    r->resident = n < MAX_RESIDENT ? (unsigned)n : MAX_RESIDENT;
    r->width = pool_width(r->q->cp->pool);
    if (r->width > r->resident) r->width = r->resident;
    return 0;
}

/* Decoded code outlives dispatches, so its fetch is judged here, for the page of the entry. */
static int judge_code(struct run *r) {
    struct gpu_xlat x;
    uint64_t page = r->d.entry_va & ~4095ull;
    if (gpu_translate(r->g, HUB_GC, AGENT_SHADER, GPU_EXEC, r->d.entry_va, &x)) {
        gpu_fault(r->g, "dispatch: no code at the kernel's entry 0x%llx",
                  (unsigned long long)r->d.entry_va);
        return -EFAULT;
    }
    if (page < x.va) page = x.va;
    uint64_t len = x.va + x.size - page < 4096 ? x.va + x.size - page : 4096;
    cache_shader(r->g, &r->order, CACHE_I, false, r->d.entry_va, &x, page, len);
    return 0;
}

int dispatch_run(struct cp_queue *q, const uint32_t dim[3], uint32_t initiator) {
    struct run r = {.job = {.work = participate}, .q = q, .g = q->g};
    r.host = (struct isa_host){host_translate, host_realtime, host_interrupt, host_exception,
                               (const volatile int *)&q->stop};
    r.d.host = &r.host;
    if (read_program(&r, initiator) || read_size(&r, dim, initiator) || read_scratch(&r) ||
        read_residency(&r))
        return -EFAULT;
    if (!r.total) return 0;
    uint64_t chunk = r.total / (16ull * r.width);
    r.chunk = chunk < 1 ? 1 : chunk > 8 ? 8 : (uint32_t)chunk;
    r.start_ns = r.last_done_ns = monotonic_ns();
    r.counted = spi_counts(q);
    r.order = (struct cache_order){cache_dispatch(q->g), q->ordered};
    mem_guard_enter(&q->guard);
    int err = judge_code(&r);
    mem_guard_leave(&q->guard);
    if (err) return err;
    r.jit = jit_begin(q->g, &r.d, &q->guard);
    r.told_ns = r.jit ? monotonic_ns() : 0;
    participate(&r.job, 0);
    pool_retire(q->cp->pool, &r.job);
    if (r.done == r.total) return 0;
    return r.failed ? -EFAULT : -EINTR;
}
