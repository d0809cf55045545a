/* SPDX-License-Identifier: MIT */
#include "driver/pm4.h"

#include <errno.h>
#include <stdio.h>

#define SH_REG_BASE     0x2c00u /* PACKET3_SET_SH_REG_START (linux nvd.h) */
#define MAX_USER_SGPRS  16u
#define LDS_GRANULE     512u
#define LDS_MAX         (64u << 10)
#define MAX_GROUP_ITEMS 1024u
#define BIT(n)          (1u << (n))

/* What differs between the generations beyond field places. */
static const struct {
    uint32_t acquire;    /* gcr_cntl: shader caches, lower levels first */
    uint32_t acquire_l2; /* added: write back and drop L2 */
    /* gcr_cntl of RELEASE_MEM: write L2 back; SEQ 1: after the levels below. The vector caches
     * write through: who reads next drops them (linux gfx_v11_0_ring_emit_fence leaves them too).
     */
    uint32_t release;
    uint32_t rsrc1_no_trap; /* the reference runs gfx11 waves privileged: they cannot trap */
    /* A trap handler is present, and memory violations lead there. On gfx12 the first bit is
     * DYNAMIC_VGPR and neither is needed. */
    uint32_t rsrc2_trap;
} gens[2] = {
    [HW_GFX11] =
        {
            .acquire = BIT(GFX11_GCR_ACQUIRE_MEM__GLI_INV) | BIT(GFX11_GCR_ACQUIRE_MEM__GLM_WB) |
                       BIT(GFX11_GCR_ACQUIRE_MEM__GLM_INV) | BIT(GFX11_GCR_ACQUIRE_MEM__GLK_WB) |
                       BIT(GFX11_GCR_ACQUIRE_MEM__GLK_INV) | BIT(GFX11_GCR_ACQUIRE_MEM__GLV_INV) |
                       BIT(GFX11_GCR_ACQUIRE_MEM__GL1_INV),
            .acquire_l2 = BIT(GFX11_GCR_ACQUIRE_MEM__GL2_INV) | BIT(GFX11_GCR_ACQUIRE_MEM__GL2_WB),
            .release = BIT(GFX11_GCR_RELEASE_MEM__GLM_WB) | BIT(GFX11_GCR_RELEASE_MEM__GLM_INV) |
                       BIT(GFX11_GCR_RELEASE_MEM__GL2_WB) | BIT(GFX11_GCR_RELEASE_MEM__SEQ),
            .rsrc1_no_trap = BIT(KD_COMPUTE_PGM_RSRC1__PRIV_LO),
            .rsrc2_trap = BIT(KD_COMPUTE_PGM_RSRC2__GFX6_GFX11_ENABLE_TRAP_HANDLER_LO) |
                          BIT(KD_COMPUTE_PGM_RSRC2__ENABLE_EXCEPTION_MEMORY_LO),
        },
    [HW_GFX12] =
        {
            .acquire = BIT(GFX12_GCR_ACQUIRE_MEM__GLI_INV) | BIT(GFX12_GCR_ACQUIRE_MEM__GLK_WB) |
                       BIT(GFX12_GCR_ACQUIRE_MEM__GLK_INV) | BIT(GFX12_GCR_ACQUIRE_MEM__GLV_INV),
            .acquire_l2 = BIT(GFX12_GCR_ACQUIRE_MEM__GL2_INV) | BIT(GFX12_GCR_ACQUIRE_MEM__GL2_WB),
            .release = BIT(GFX12_GCR_RELEASE_MEM__GL2_WB) | BIT(GFX12_GCR_RELEASE_MEM__SEQ),
            .rsrc1_no_trap = 0,
            .rsrc2_trap = 0,
        },
};

static uint32_t lo32(uint64_t v) {
    return (uint32_t)v;
}

static uint32_t hi32(uint64_t v) {
    return (uint32_t)(v >> 32);
}

static void put(const struct pm4 *p, uint32_t *pkt, enum hw_pm4_field f, uint32_t v) {
    hw_pkt_put(pkt, hw_pm4_fields[p->gen][f], v);
}

/* An address field that leaves out low bits keeps them where they are: the dword is the address. */
static void put_dword(const struct pm4 *p, uint32_t *pkt, enum hw_pm4_field f, uint32_t v) {
    struct hw_pkt_bits b = hw_pm4_fields[p->gen][f];
    if (b.dword >= 0) pkt[b.dword] = v;
}

static uint32_t *packet(struct cmdbuf *c, unsigned opcode, unsigned payload) {
    uint32_t *pkt = cmdbuf_packet(c, payload + 1);
    if (pkt) pkt[0] = hw_pm4_header(opcode, payload, false);
    return pkt;
}

void pm4_wait_mem_ge(const struct pm4 *p, struct cmdbuf *c, uint64_t va, uint32_t reference) {
    uint32_t *k = packet(c, PM4_OP_WAIT_REG_MEM, 6);
    if (!k) return;
    put(p, k, PM4_WAIT_REG_MEM__FUNCTION,
        PM4_WAIT_REG_MEM__FUNCTION__GREATER_THAN_OR_EQUAL_REFERENCE_VALUE);
    put(p, k, PM4_WAIT_REG_MEM__MEM_SPACE, PM4_WAIT_REG_MEM__MEM_SPACE__MEMORY_SPACE);
    put_dword(p, k, PM4_WAIT_REG_MEM__MEM_POLL_ADDR_LO, lo32(va));
    put(p, k, PM4_WAIT_REG_MEM__MEM_POLL_ADDR_HI, hi32(va));
    put(p, k, PM4_WAIT_REG_MEM__REFERENCE, reference);
    put(p, k, PM4_WAIT_REG_MEM__MASK, ~0u);
    put(p, k, PM4_WAIT_REG_MEM__POLL_INTERVAL, 4);
}

void pm4_acquire(const struct pm4 *p, struct cmdbuf *c, bool l2) {
    uint32_t *k = packet(c, PM4_OP_ACQUIRE_MEM, 7);
    if (!k) return;
    /* The whole address space: 2^40 blocks of 256 bytes, as the reference asks for. */
    put(p, k, PM4_ACQUIRE_MEM__COHER_SIZE, ~0u);
    put(p, k, PM4_ACQUIRE_MEM__COHER_SIZE_HI, ~0u);
    uint32_t gcr = gens[p->gen].acquire | (l2 ? gens[p->gen].acquire_l2 : 0);
    put(p, k, PM4_ACQUIRE_MEM__GCR_CNTL, gcr & ~p->omit_acquire);
}

void pm4_timestamp(const struct pm4 *p, struct cmdbuf *c, uint64_t va) {
    uint32_t *k = packet(c, PM4_OP_COPY_DATA, 5);
    if (!k) return;
    put(p, k, PM4_COPY_DATA__SRC_SEL, PM4_COPY_DATA__SRC_SEL__GPU_CLOCK_COUNT);
    put(p, k, PM4_COPY_DATA__DST_SEL, PM4_COPY_DATA__DST_SEL__TC_L2);
    put(p, k, PM4_COPY_DATA__COUNT_SEL, PM4_COPY_DATA__COUNT_SEL__64_BITS_OF_DATA);
    put(p, k, PM4_COPY_DATA__WR_CONFIRM, PM4_COPY_DATA__WR_CONFIRM__WAIT_FOR_CONFIRMATION);
    put_dword(p, k, PM4_COPY_DATA__DST_64B_ADDR_LO, lo32(va));
    put(p, k, PM4_COPY_DATA__DST_ADDR_HI, hi32(va));
}

static uint32_t *release(const struct pm4 *p, struct cmdbuf *c, uint64_t va) {
    uint32_t *k = packet(c, PM4_OP_RELEASE_MEM, 7);
    if (!k) return NULL;
    put(p, k, PM4_RELEASE_MEM__EVENT_TYPE, CACHE_FLUSH_AND_INV_TS_EVENT);
    put(p, k, PM4_RELEASE_MEM__EVENT_INDEX, PM4_RELEASE_MEM__EVENT_INDEX__END_OF_PIPE);
    put_dword(p, k, PM4_RELEASE_MEM__ADDRESS_LO_32B, lo32(va));
    put(p, k, PM4_RELEASE_MEM__ADDRESS_HI, hi32(va));
    return k;
}

void pm4_release_timestamp(const struct pm4 *p, struct cmdbuf *c, uint64_t va) {
    uint32_t *k = release(p, c, va);
    if (!k) return;
    put(p, k, PM4_RELEASE_MEM__DATA_SEL, PM4_RELEASE_MEM__DATA_SEL__SEND_GPU_CLOCK_COUNTER);
}

void pm4_release_signal(const struct pm4 *p, struct cmdbuf *c, uint64_t va, uint32_t value,
                        bool irq) {
    uint32_t *k = release(p, c, va);
    if (!k) return;
    put(p, k, PM4_RELEASE_MEM__GCR_CNTL, gens[p->gen].release & ~p->omit_release);
    put(p, k, PM4_RELEASE_MEM__DATA_SEL, PM4_RELEASE_MEM__DATA_SEL__SEND_32_BIT_LOW);
    if (irq) {
        put(p, k, PM4_RELEASE_MEM__INT_SEL,
            PM4_RELEASE_MEM__INT_SEL__SEND_INTERRUPT_AFTER_WRITE_CONFIRM);
        put_dword(p, k, PM4_RELEASE_MEM__INT_CTXID, value);
    }
    put(p, k, PM4_RELEASE_MEM__DATA_LO, value);
}

void pm4_nop(struct cmdbuf *c, uint32_t n) {
    packet(c, PM4_OP_NOP, n - 1);
}

void pm4_pad(struct cmdbuf *c, uint32_t multiple) {
    uint32_t n = (multiple - c->n % multiple) % multiple;
    if (n) pm4_nop(c, n == 1 ? n + multiple : n);
}

/* ---- dispatch ---- */

static int bad(char *err, size_t size, int code, const char *why) {
    if (err && size) snprintf(err, size, "%s", why);
    return code;
}

static uint32_t reg_dw(const struct pm4 *p, enum hw_reg r) {
    const struct hw_reg_loc *loc = hw_reg_loc(p->gc, r);
    return p->gc_base[loc->seg] + (uint32_t)loc->offset;
}

static void set_sh(const struct pm4 *p, struct cmdbuf *c, enum hw_reg first, const uint32_t *v,
                   unsigned n) {
    uint32_t *k = packet(c, PM4_OP_SET_SH_REG, n + 1);
    if (!k) return;
    put(p, k, PM4_SET_SH_REG__REG_OFFSET, reg_dw(p, first) - SH_REG_BASE);
    memcpy(k + 2, v, n * sizeof(*v));
}

static void set_sh1(const struct pm4 *p, struct cmdbuf *c, enum hw_reg r, uint32_t v) {
    set_sh(p, c, r, &v, 1);
}

static uint32_t field(const struct pm4 *p, enum hw_field f, uint32_t reg, uint32_t v) {
    return hw_field_put(p->gc, f, reg, v);
}

bool pm4_is_wave32(const uint8_t *kd) {
    return hw_get16(kd, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_properties) >>
               KD_KERNEL_CODE_PROPERTY__ENABLE_WAVEFRONT_SIZE32_LO &
           1;
}

static int check(const struct pm4 *p, const struct am_dispatch *d, char *err, size_t size) {
    if (d->dims < 1 || d->dims > 3) return bad(err, size, -EINVAL, "dimensions out of range");
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!d->grid[i] || !d->group[i])
            return bad(err, size, -EINVAL, "a grid or group dimension is 0");
        if (i >= d->dims && (d->grid[i] != 1 || d->group[i] != 1))
            return bad(err, size, -EINVAL, "a dimension beyond dims is not 1");
        items *= d->group[i];
    }
    if (items > MAX_GROUP_ITEMS)
        return bad(err, size, -EINVAL, "more than 1024 work-items in a work-group");
    if (d->group_segment_bytes > LDS_MAX)
        return bad(err, size, -EINVAL, "more than 64 KiB of local memory");
    const uint8_t *kd = d->kernel_descriptor;
    uint32_t props = hw_get16(kd, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_properties);
    if (hw_get16(kd, OFF_llvm_amdhsa_kernel_descriptor__kernarg_preload))
        return bad(err, size, -ENOTSUP, "the kernel wants preloaded arguments");
    /* Scratch is architected on these chips (AMDGPUUsage, "Flat Scratch"). */
    if (props & (BIT(KD_KERNEL_CODE_PROPERTY__ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER_LO) |
                 BIT(KD_KERNEL_CODE_PROPERTY__ENABLE_SGPR_FLAT_SCRATCH_INIT_LO)))
        return bad(err, size, -ENOTSUP, "the kernel wants its scratch set up in SGPRs");
    uint64_t entry = d->kernel_descriptor_va +
                     hw_get64(kd, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset);
    if (entry & 0xff) return bad(err, size, -EINVAL, "the kernel's entry is not 256-byte aligned");
    if (entry >> 48) return bad(err, size, -EINVAL, "the kernel's entry is not an address");
    uint32_t rsrc2 = hw_get32(kd, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc2);
    if (hw_field_get(p->gc, F_COMPUTE_PGM_RSRC2__USER_SGPR, rsrc2) > MAX_USER_SGPRS)
        return bad(err, size, -EINVAL, "more than 16 user SGPRs");
    return 0;
}

/* User SGPRs in the order that LLVM's AMDGPUUsage gives ("Initial Kernel Execution State"). */
static unsigned user_data(const struct am_dispatch *d, const struct pm4_dispatch_args *a,
                          uint32_t v[MAX_USER_SGPRS]) {
    uint32_t props =
        hw_get16(d->kernel_descriptor, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_properties);
    const struct {
        unsigned bit;
        uint64_t value;
    } pairs[] = {
        {KD_KERNEL_CODE_PROPERTY__ENABLE_SGPR_DISPATCH_PTR_LO, a->aql_va},
        {KD_KERNEL_CODE_PROPERTY__ENABLE_SGPR_QUEUE_PTR_LO, a->queue_va},
        {KD_KERNEL_CODE_PROPERTY__ENABLE_SGPR_KERNARG_SEGMENT_PTR_LO, a->kernarg_va},
        {KD_KERNEL_CODE_PROPERTY__ENABLE_SGPR_DISPATCH_ID_LO, a->dispatch_id},
    };
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (!(props >> pairs[i].bit & 1)) continue;
        v[n++] = lo32(pairs[i].value);
        v[n++] = hi32(pairs[i].value);
    }
    if (props >> KD_KERNEL_CODE_PROPERTY__ENABLE_SGPR_PRIVATE_SEGMENT_SIZE_LO & 1)
        v[n++] = d->private_segment_bytes;
    return n;
}

uint64_t pm4_entry(const struct am_dispatch *d) {
    return d->kernel_descriptor_va +
           hw_get64(d->kernel_descriptor,
                    OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset);
}

static void program(const struct pm4 *p, struct cmdbuf *c, const struct am_dispatch *d,
                    bool trap_handler) {
    const uint8_t *kd = d->kernel_descriptor;
    uint64_t entry = pm4_entry(d);
    uint32_t pgm[2] = {lo32(entry >> 8), hi32(entry >> 8)};
    uint32_t rsrc[2] = {hw_get32(kd, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc1),
                        hw_get32(kd, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc2)};
    if (trap_handler)
        rsrc[1] |= gens[p->gen].rsrc2_trap;
    else
        rsrc[0] |= gens[p->gen].rsrc1_no_trap;
    rsrc[1] = field(p, F_COMPUTE_PGM_RSRC2__LDS_SIZE, rsrc[1],
                    (d->group_segment_bytes + LDS_GRANULE - 1) / LDS_GRANULE);
    if (d->private_segment_bytes) rsrc[1] = field(p, F_COMPUTE_PGM_RSRC2__SCRATCH_EN, rsrc[1], 1);
    set_sh(p, c, R_COMPUTE_PGM_LO, pgm, 2);
    set_sh(p, c, R_COMPUTE_PGM_RSRC1, rsrc, 2);
    set_sh1(p, c, R_COMPUTE_PGM_RSRC3,
            hw_get32(kd, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc3));
}

static void scratch(const struct pm4 *p, struct cmdbuf *c, const struct pm4_dispatch_args *a) {
    uint32_t ring = field(p, F_COMPUTE_TMPRING_SIZE__WAVES, 0, a->scratch_waves_per_se);
    ring = field(p, F_COMPUTE_TMPRING_SIZE__WAVESIZE, ring, a->scratch_wave_bytes / 256);
    uint32_t base[2] = {lo32(a->scratch_va >> 8), hi32(a->scratch_va >> 8)};
    set_sh1(p, c, R_COMPUTE_TMPRING_SIZE, ring);
    set_sh(p, c, R_COMPUTE_DISPATCH_SCRATCH_BASE_LO, base, 2);
}

/* Work-group size, the size of the last group of each dimension, and the dispatch itself. */
static void launch(const struct pm4 *p, struct cmdbuf *c, const struct am_dispatch *d,
                   bool count_waves) {
    static const enum hw_field full[3] = {F_COMPUTE_NUM_THREAD_X__NUM_THREAD_FULL,
                                          F_COMPUTE_NUM_THREAD_Y__NUM_THREAD_FULL,
                                          F_COMPUTE_NUM_THREAD_Z__NUM_THREAD_FULL};
    static const enum hw_field part[3] = {F_COMPUTE_NUM_THREAD_X__NUM_THREAD_PARTIAL,
                                          F_COMPUTE_NUM_THREAD_Y__NUM_THREAD_PARTIAL,
                                          F_COMPUTE_NUM_THREAD_Z__NUM_THREAD_PARTIAL};
    bool partial = false;
    for (unsigned i = 0; i < 3; i++)
        partial |= d->grid[i] % d->group[i] != 0;
    /* COMPUTE_START_X/Y/Z, NUM_THREAD_X/Y/Z, PIPELINESTAT_ENABLE, PERFCOUNT_ENABLE */
    uint32_t v[8] = {0}, dim[3];
    for (unsigned i = 0; i < 3; i++) {
        uint32_t rest = d->grid[i] % d->group[i];
        dim[i] = d->grid[i] / d->group[i] + (rest != 0);
        v[3 + i] = field(p, full[i], 0, d->group[i]);
        if (partial) v[3 + i] = field(p, part[i], v[3 + i], rest ? rest : d->group[i]);
    }
    v[7] = field(p, F_COMPUTE_PERFCOUNT_ENABLE__PERFCOUNT_ENABLE, 0, count_waves);
    set_sh(p, c, R_COMPUTE_START_X, v, 8);
    uint32_t init = field(p, F_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN, 0, 1);
    init = field(p, F_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000, init, 1);
    init = field(p, F_COMPUTE_DISPATCH_INITIATOR__PARTIAL_TG_EN, init, partial);
    init = field(p, F_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN, init,
                 pm4_is_wave32(d->kernel_descriptor));
    uint32_t *k = packet(c, PM4_OP_DISPATCH_DIRECT, 4);
    if (!k) return;
    put(p, k, PM4_DISPATCH_DIRECT__DIM_X, dim[0]);
    put(p, k, PM4_DISPATCH_DIRECT__DIM_Y, dim[1]);
    put(p, k, PM4_DISPATCH_DIRECT__DIM_Z, dim[2]);
    put(p, k, PM4_DISPATCH_DIRECT__DISPATCH_INITIATOR, init);
}

int pm4_dispatch(const struct pm4 *p, struct cmdbuf *c, const struct am_dispatch *d,
                 const struct pm4_dispatch_args *a, char *err, size_t err_size) {
    int r = check(p, d, err, err_size);
    if (r) return r;
    uint32_t start = c->n, restart[3] = {0}, user[MAX_USER_SGPRS];
    program(p, c, d, a->trap_handler);
    scratch(p, c, a);
    set_sh(p, c, R_COMPUTE_RESTART_X, restart, 3);
    unsigned n = user_data(d, a, user);
    if (n) set_sh(p, c, R_COMPUTE_USER_DATA_0, user, n);
    set_sh1(p, c, R_COMPUTE_RESOURCE_LIMITS, 0);
    launch(p, c, d, a->count_waves);
    if (!c->overrun) return 0;
    c->n = start;
    return bad(err, err_size, -E2BIG, "the command stream is full");
}
