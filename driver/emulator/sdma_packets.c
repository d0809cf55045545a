/* SPDX-License-Identifier: MIT */
/* sdma_packets.c - SDMA packets of version 6 (gfx11) and 7 (gfx12). Layouts: driver/hw/packets/
 * sdma_v6.csv, sdma_v7.csv; behaviour: linux sdma_v6_0.c, GPUOpen pal's SDMA command buffers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/cp.h"
#include "driver/emulator/sdma_exec.h"
#include "driver/emulator/sdma_priv.h"

enum { MAX_DW = 24, COPY_SLICE = 4 << 20, IB_ALIGN = 32 };

struct pkt {
    struct sdma *s;
    struct gpu *g;
    const uint32_t *p;
    uint32_t n; /* dwords, header included */
    uint32_t skip;
    bool in_ib;
};

/* Handlers return 0, -EFAULT (memory fault), -EINTR (asked to stop), -EBADMSG (reported). */

static uint32_t field(const struct pkt *x, enum hw_sdma_field f) {
    return hw_pkt_get(x->p, hw_sdma_fields[gpu_gen(x->g)][f]);
}

static bool v7(const struct pkt *x) {
    return gpu_gen(x->g) == HW_GFX12;
}

static uint64_t addr(const struct pkt *x, unsigned lo_dw) {
    return x->p[lo_dw] | (uint64_t)x->p[lo_dw + 1] << 32;
}

static int bad(struct pkt *x, const char *what) {
    gpu_guest_error(x->g, "SDMA: packet 0x%08x: %s", x->p[0], what);
    return -EBADMSG;
}

static int lacking(struct pkt *x, const char *what) {
    gpu_unimplemented(x->g, "SDMA: packet 0x%08x: %s", x->p[0], what);
    return -EBADMSG;
}

static void kick_waiters(struct pkt *x) {
    cp_kick(x->g);
    sdma_kick(x->g);
}

/* ---- copies and fills ---- */

static int copy_bytes(struct pkt *x, uint64_t dst, uint64_t src, uint64_t len) {
    while (len) {
        uint64_t n = len < COPY_SLICE ? len : COPY_SLICE;
        if (x->s->stop) return -EINTR;
        if (engine_copy(&x->s->mem, dst, src, n)) return -EFAULT;
        dst += n, src += n, len -= n;
    }
    return 0;
}

static int op_copy_linear(struct pkt *x) {
    uint64_t len = (uint64_t)field(x, SDMA_COPY_LINEAR__COUNT) + 1;
    uint64_t src = addr(x, 3), dst = addr(x, 5);
    if (field(x, SDMA_COPY_LINEAR__TMZ)) return lacking(x, "trusted memory");
    if (v7(x) && field(x, SDMA_COPY_LINEAR__DCC)) return lacking(x, "compressed copy");
    if (field(x, SDMA_COPY_LINEAR__BACKWARDS)) return lacking(x, "backwards copy");
    int err = copy_bytes(x, dst, src, len);
    if (!err && field(x, SDMA_COPY_LINEAR__BROADCAST)) err = copy_bytes(x, addr(x, 7), src, len);
    kick_waiters(x);
    return err;
}

/* A box of rows: everything in bytes. */
struct box {
    uint64_t src, dst, src_pitch, src_slice, dst_pitch, dst_slice, width, height, depth;
};

static int copy_box(struct pkt *x, const struct box *b) {
    int err = 0;
    for (uint64_t z = 0; z < b->depth && !err; z++)
        for (uint64_t y = 0; y < b->height && !err; y++)
            err = copy_bytes(x, b->dst + z * b->dst_slice + y * b->dst_pitch,
                             b->src + z * b->src_slice + y * b->src_pitch, b->width);
    kick_waiters(x);
    return err;
}

static int op_copy_subwin(struct pkt *x) {
    unsigned es = field(x, SDMA_COPY_LINEAR_SUBWIN__ELEMENTSIZE);
    if (es > 4) return bad(x, "elementsize beyond 16 bytes");
    /* Pitches and extents are stored minus one, in elements (pal, sdma CopyMemoryImage). */
    struct box b = {
        .src_pitch = ((uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__SRC_PITCH) + 1) << es,
        .src_slice = ((uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__SRC_SLICE_PITCH) + 1) << es,
        .dst_pitch = ((uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__DST_PITCH) + 1) << es,
        .dst_slice = ((uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__DST_SLICE_PITCH) + 1) << es,
        .width = ((uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__RECT_X) + 1) << es,
        .height = (uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__RECT_Y) + 1,
        .depth = (uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__RECT_Z) + 1,
    };
    /* What an address lacks is given as x (ROCR-Runtime amd_blit_sdma.cpp). */
    if ((addr(x, 1) | addr(x, 6)) & 3) return bad(x, "address is not dword aligned");
    if (field(x, SDMA_COPY_LINEAR_SUBWIN__TMZ)) return lacking(x, "trusted memory");
    if ((b.src_pitch | b.dst_pitch | b.src_slice | b.dst_slice) & 3)
        return bad(x, "pitch or slice pitch is no multiple of 4 bytes");
    b.src = addr(x, 1) + ((uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__SRC_X) << es) +
            field(x, SDMA_COPY_LINEAR_SUBWIN__SRC_Y) * b.src_pitch +
            field(x, SDMA_COPY_LINEAR_SUBWIN__SRC_Z) * b.src_slice;
    b.dst = addr(x, 6) + ((uint64_t)field(x, SDMA_COPY_LINEAR_SUBWIN__DST_X) << es) +
            field(x, SDMA_COPY_LINEAR_SUBWIN__DST_Y) * b.dst_pitch +
            field(x, SDMA_COPY_LINEAR_SUBWIN__DST_Z) * b.dst_slice;
    return copy_box(x, &b);
}

static int op_copy_subwin_large(struct pkt *x) {
    const uint32_t *p = x->p;
    struct box b = {
        .src_pitch = (uint64_t)p[6] + 1,
        .src_slice = (p[7] | (uint64_t)(p[8] & 0xffff) << 32) + 1,
        .dst_pitch = (uint64_t)p[14] + 1,
        .dst_slice = (p[15] | (uint64_t)(p[16] & 0xffff) << 32) + 1,
        .width = (uint64_t)p[17] + 1,
        .height = (uint64_t)p[18] + 1,
        .depth = (uint64_t)p[19] + 1,
    };
    b.src = addr(x, 1) + p[3] + p[4] * b.src_pitch + p[5] * b.src_slice;
    b.dst = addr(x, 9) + p[11] + p[12] * b.dst_pitch + p[13] * b.dst_slice;
    return copy_box(x, &b);
}

static int op_constant_fill(struct pkt *x) {
    unsigned size = field(x, SDMA_CONSTANT_FILL__FILLSIZE);
    uint64_t len = (uint64_t)field(x, SDMA_CONSTANT_FILL__COUNT) + 1, dst = addr(x, 1);
    if (size == 3) return bad(x, "reserved fillsize");
    uint64_t unit = 1ull << size;
    if ((dst | len) & (unit - 1)) return bad(x, "address or count is no multiple of the fill size");
    while (len) {
        uint64_t n = len < COPY_SLICE ? len : COPY_SLICE;
        if (x->s->stop) return -EINTR;
        if (engine_fill(&x->s->mem, dst, x->p[3], (unsigned)unit, n)) return -EFAULT;
        dst += n, len -= n;
    }
    kick_waiters(x);
    return 0;
}

static int op_write(struct pkt *x) {
    uint64_t dst = addr(x, 1);
    if (dst & 3) return bad(x, "address is not dword aligned");
    int err = engine_write(&x->s->mem, dst, x->p + 4, 4ull * (x->n - 4));
    kick_waiters(x);
    return err;
}

/* ---- synchronisation ---- */

static int op_fence(struct pkt *x) {
    uint64_t at = addr(x, 1);
    if (at & 3) return bad(x, "address is not dword aligned");
    if (engine_fence(&x->s->mem, at, x->p[3])) return -EFAULT;
    kick_waiters(x);
    return 0;
}

static int op_trap(struct pkt *x) {
    if (!gpu_field_get(x->g, F_SDMA0_CNTL__TRAP_ENABLE)) {
        gpu_debug(x->g, "SDMA: TRAP with SDMA0_CNTL.TRAP_ENABLE 0 raises nothing");
        return 0;
    }
    /* ring_id: queue 0-3, instance 4-7 (linux sdma_v6_0_process_trap_irq). */
    const uint32_t data[4] = {x->p[1], 0, 0, 0};
    gpu_irq(x->g, SOC21_IH_CLIENTID_GFX, GFX_11_0_0__SRCID__SDMA_TRAP, 0, 0, data);
    return 0;
}

static int poll_once(struct pkt *x, bool mem, uint64_t at, uint32_t *v) {
    if (mem) return engine_read32(&x->s->mem, at, v);
    *v = gpu_mmio_read(x->g, (uint32_t)at >> 2);
    return 0;
}

static int op_poll_regmem(struct pkt *x) {
    bool mem = field(x, SDMA_POLL_REGMEM__MEM_POLL);
    unsigned func = field(x, SDMA_POLL_REGMEM__FUNC);
    /* v7 calls the bits of hdp_flush "mode"; 1 is the same write-and-poll. */
    bool write_first =
        field(x, SDMA_POLL_REGMEM__HDP_FLUSH) == 1 || field(x, SDMA_POLL_REGMEM__MODE) == 1;
    uint32_t value = x->p[3], mask = x->p[4], v = 0;
    unsigned retries = field(x, SDMA_POLL_REGMEM__RETRY_COUNT), backoff = 20;
    uint64_t at = mem ? addr(x, 1) : x->p[1];
    if (func > 6) return bad(x, "reserved compare function");
    if (x->p[1] & 3) return bad(x, "address is not dword aligned");
    if (write_first && mem) return bad(x, "register write and memory poll at once");
    if (write_first) {
        gpu_mmio_write(x->g, x->p[2] >> 2, value);
        kick_waiters(x);
    }
    for (uint64_t tries = 0;; tries++) {
        uint64_t seen = engine_wait_seen(&x->s->wait);
        if (x->s->stop) return -EINTR;
        if (poll_once(x, mem, at, &v)) return -EFAULT;
        if (engine_compare(func, v & mask, value)) {
            if (mem) engine_waited(&x->s->mem, at, v);
            return 0;
        }
        if (retries != 0xfff && tries >= retries) break;
        if (tries < 64) {
            for (int i = 0; i < 20; i++)
                __builtin_ia32_pause();
        } else {
            engine_wait_sleep(&x->s->wait, seen, &backoff);
        }
    }
    gpu_guest_error(x->g, "SDMA: POLL_REGMEM of 0x%llx gave up after %u retries (0x%x)",
                    (unsigned long long)at, retries, v);
    const uint32_t data[4] = {0};
    gpu_irq(x->g, SOC21_IH_CLIENTID_GFX, GFX_11_0_0__SRCID__SDMA_POLL_TIMEOUT, 0, 0, data);
    return -EBADMSG;
}

static int op_atomic(struct pkt *x) {
    unsigned op = field(x, SDMA_ATOMIC__ATOMIC_OP), backoff = 20;
    bool loop = field(x, SDMA_ATOMIC__LOOP);
    uint64_t at = addr(x, 1), src = addr(x, 3), cmp = addr(x, 5), old;
    uint64_t mask = op & 32 ? ~0ull : 0xffffffffull;
    for (;;) {
        uint64_t seen = engine_wait_seen(&x->s->wait);
        int err = engine_atomic(&x->s->mem, op, at, src, cmp, &old);
        if (err == -EINVAL) return bad(x, "reserved atomic code or unaligned address");
        if (err) return err;
        if (!loop || (old & mask) == (cmp & mask)) break;
        if (x->s->stop) return -EINTR;
        engine_wait_sleep(&x->s->wait, seen, &backoff);
    }
    kick_waiters(x);
    return 0;
}

static int op_timestamp(struct pkt *x) {
    uint64_t at = addr(x, 1);
    if (at & 7) return bad(x, "address is not qword aligned");
    if (engine_write64(&x->s->mem, at, gpu_clock(x->g))) return -EFAULT;
    kick_waiters(x);
    return 0;
}

/* The control's bits are those of ACQUIRE_MEM (linux sdma_v6_0.h SDMA_GCR_*). */
static int op_gcr_req(struct pkt *x) {
    uint32_t c = x->p[2] >> 16 | (x->p[3] & 7) << 16;
    bool ranged = x->p[1] >> 7 || x->p[2] & 0xffff || x->p[3] >> 7 || x->p[4] & 0xffff;
    if (ranged) return lacking(x, "cache request for a range");
    struct cache_action a = {
        .inv_i = (c >> GFX11_GCR_ACQUIRE_MEM__GLI_INV & 3) == 1,
        .inv_k = c >> GFX11_GCR_ACQUIRE_MEM__GLK_INV & 1,
        .inv_v = c >> GFX11_GCR_ACQUIRE_MEM__GLV_INV & 1 &&
                 (v7(x) || c >> GFX11_GCR_ACQUIRE_MEM__GL1_INV & 1),
        .inv_gl2 = c >> GFX11_GCR_ACQUIRE_MEM__GL2_INV & 1,
        .wb_gl2 = c >> GFX11_GCR_ACQUIRE_MEM__GL2_WB & 1,
    };
    cache_act(x->g, &a);
    return 0;
}

static int op_gpuvm_inv(struct pkt *x) {
    /* All levels of VMID 0, through the GC hub's invalidation engine. */
    if (!(x->p[1] & 1)) return lacking(x, "invalidation of another VMID");
    gpu_mmio_write(x->g, gpu_reg_dw(x->g, R_GCVM_INVALIDATE_ENG17_REQ), 0x00f80001);
    return 0;
}

/* ---- registers and control ---- */

static int op_register_write(struct pkt *x) {
    if (v7(x)) {
        if (x->p[0] >> 16 & 0xf) return lacking(x, "register of another die");
        gpu_mmio_write(x->g, x->p[1] >> 2, x->p[2]);
    } else {
        if (field(x, SDMA_SRBM_WRITE__BYTE_EN) != 0xf) return lacking(x, "partial register write");
        gpu_mmio_write(x->g, field(x, SDMA_SRBM_WRITE__ADDR), x->p[2]);
    }
    kick_waiters(x);
    return 0;
}

static int op_nop(struct pkt *x) {
    (void)x;
    return 0;
}

static int op_cond_exe(struct pkt *x) {
    uint32_t v;
    if (x->p[1] & 3) return bad(x, "address is not dword aligned");
    if (engine_read32(&x->s->mem, addr(x, 1), &v)) return -EFAULT;
    if (v != x->p[3]) x->skip = field(x, SDMA_COND_EXE__EXEC_COUNT);
    return 0;
}

static int op_pre_exe(struct pkt *x) {
    if (!(x->p[0] >> 16 & 1)) x->skip = field(x, SDMA_PRE_EXE__EXEC_COUNT);
    return 0;
}

static int op_indirect(struct pkt *x);

/* ---- the table ---- */

struct op {
    uint8_t op, sub;
    const char *name[2]; /* in the v6 and v7 tables; NULL: not there */
    uint8_t dwords;      /* without variable parts */
    int (*run)(struct pkt *x);
};

static const struct op ops[] = {
    {0x00, 0, {"NOP", "NOP"}, 1, op_nop},
    {0x01, 0, {"COPY_LINEAR", "COPY_LINEAR"}, 7, op_copy_linear},
    {0x01, 4, {"COPY_LINEAR_SUBWIN", "COPY_LINEAR_SUBWIN"}, 13, op_copy_subwin},
    {0x01, 36, {"COPY_LINEAR_SUBWIN_LARGE", "COPY_LINEAR_SUBWIN_LARGE"}, 20, op_copy_subwin_large},
    {0x02, 0, {"WRITE_UNTILED", "WRITE_UNTILED"}, 4, op_write},
    {0x04, 0, {"INDIRECT", "INDIRECT"}, 6, op_indirect},
    {0x05, 0, {"FENCE", "FENCE"}, 4, op_fence},
    {0x06, 0, {"TRAP", "TRAP"}, 2, op_trap},
    {0x08, 0, {"POLL_REGMEM", "POLL_REGMEM"}, 6, op_poll_regmem},
    {0x09, 0, {"COND_EXE", "COND_EXE"}, 5, op_cond_exe},
    {0x0a, 0, {"ATOMIC", "ATOMIC"}, 8, op_atomic},
    {0x0b, 0, {"CONSTANT_FILL", "CONSTANT_FILL"}, 5, op_constant_fill},
    {0x0d, 1, {"TIMESTAMP_GET", "TIMESTAMP_GET"}, 3, op_timestamp},
    {0x0d, 2, {"TIMESTAMP_GET_GLOBAL", "TIMESTAMP_GET_GLOBAL"}, 3, op_timestamp},
    {0x0e, 0, {"SRBM_WRITE", "REGISTER_WRITE"}, 3, op_register_write},
    {0x0f, 0, {"PRE_EXE", "PRE_EXE"}, 2, op_pre_exe},
    {0x10, 0, {"GPUVM_INV", "GPUVM_INV"}, 4, op_gpuvm_inv},
    {0x11, 0, {"GCR_REQ", "GCR_REQ"}, 5, op_gcr_req},
    {0x20, 0, {"DUMMY_TRAP", "DUMMY_TRAP"}, 2, op_nop},
};
enum { OP_COUNT = sizeof ops / sizeof *ops };

static uint32_t reserved[2][OP_COUNT][MAX_DW];
static pthread_once_t reserved_once = PTHREAD_ONCE_INIT;

static void find_reserved(void) {
    for (int gen = 0; gen < 2; gen++) {
        for (unsigned i = 0; i < OP_COUNT; i++) {
            uint32_t used[MAX_DW] = {0xffff}; /* op and sub_op */
            size_t len = strlen(ops[i].name[gen]);
            for (int f = 0; f < HW_SDMA_FIELD_COUNT; f++) {
                struct hw_pkt_bits b = hw_sdma_fields[gen][f];
                if (strncmp(hw_sdma_field_names[f], ops[i].name[gen], len)) continue;
                if (hw_sdma_field_names[f][len] != '.') continue;
                if (b.dword >= 0 && b.dword < MAX_DW) used[b.dword] |= hw_mask(b.lo, b.hi);
            }
            for (int d = 0; d < MAX_DW; d++)
                reserved[gen][i][d] = used[d] ? ~used[d] : 0;
        }
    }
}

static int find_op(uint32_t header) {
    for (unsigned i = 0; i < OP_COUNT; i++)
        if (ops[i].op == (header & 0xff) && ops[i].sub == (header >> 8 & 0xff)) return (int)i;
    return -1;
}

/* Whole size of the packet at p, of which `have` dwords are there; 0: more must be seen first. */
static uint64_t packet_dwords(struct gpu *g, const struct op *op, const uint32_t *p,
                              uint64_t have) {
    bool seven = gpu_gen(g) == HW_GFX12;
    switch (op->op << 8 | op->sub) {
    case 0x0000:
        return 1 + (p[0] >> 16 & 0x3fff);
    case 0x0100:
        if (seven) return p[0] >> 19 & 1 ? 8 : 7; /* META_CONFIG follows with DCC only */
        return p[0] >> 27 & 1 ? 9 : 7;
    case 0x0200:
        return have < 4 ? 0 : 4 + (uint64_t)(p[3] & 0xfffff) + 1;
    default:
        return op->dwords;
    }
}

static int execute(struct pkt *x, unsigned which) {
    const uint32_t *r = reserved[gpu_gen(x->g)][which];
    for (unsigned d = 0; d < ops[which].dwords; d++) {
        if (!(x->p[d] & r[d])) continue;
        gpu_guest_error(x->g, "SDMA: %s dword %u is 0x%08x: reserved bits 0x%08x",
                        ops[which].name[gpu_gen(x->g)], d, x->p[d], x->p[d] & r[d]);
        return -EBADMSG;
    }
    uint8_t op = ops[which].op;
    bool data = op == 0x01 || op == 0x02 || op == 0x0b; /* copies, write, fill */
    if (data) cache_copy_packet(x->g, true);
    int err = ops[which].run(x);
    if (data) cache_copy_packet(x->g, false);
    return err;
}

/* Executes whole packets in p[0..have). *used: dwords consumed; *want: size of the packet that is
 * not whole, if it is known. */
static int run_buffer(struct pkt *x, const uint32_t *p, uint64_t have, uint64_t *used,
                      uint64_t *want) {
    *used = *want = 0;
    while (*used < have && !x->s->stop) {
        if (x->skip) {
            uint64_t n = x->skip < have - *used ? x->skip : have - *used;
            x->skip -= (uint32_t)n;
            *used += n;
            if (!x->in_ib) x->s->rptr += 4 * n;
            continue;
        }
        int which = find_op(p[*used]);
        if (which < 0) {
            gpu_guest_error(x->g, "SDMA: no packet with op 0x%02x sub_op 0x%02x (0x%08x)",
                            p[*used] & 0xff, p[*used] >> 8 & 0xff, p[*used]);
            return -EBADMSG;
        }
        uint64_t n = packet_dwords(x->g, &ops[which], p + *used, have - *used);
        if (!n || n > have - *used) {
            *want = n ? n : 5;
            return 0;
        }
        x->p = p + *used;
        x->n = (uint32_t)n;
        *used += n;
        /* Consumed before its effects show: who sees its fence may reuse its place. */
        if (!x->in_ib) x->s->rptr += 4 * n;
        int err = execute(x, (unsigned)which);
        if (err) return err;
    }
    return 0;
}

static int op_indirect(struct pkt *x) {
    uint64_t base = addr(x, 1), used, want, dwords = x->p[3] & 0xfffff;
    if (x->in_ib) return bad(x, "indirect buffer in an indirect buffer");
    if (field(x, SDMA_INDIRECT__VMID)) return bad(x, "indirect buffer in another VMID");
    if (base & (IB_ALIGN - 1)) return bad(x, "indirect buffer is not 32-byte aligned");
    if (!gpu_field_get(x->g, F_SDMA0_QUEUE0_IB_CNTL__IB_ENABLE))
        return bad(x, "SDMA0_QUEUE0_IB_CNTL.IB_ENABLE is 0");
    if (!dwords) return 0;
    uint32_t *buf = malloc(4 * dwords);
    if (!buf) return lacking(x, "out of host memory");
    struct pkt ib = {.s = x->s, .g = x->g, .in_ib = true};
    int err = engine_read(&x->s->mem, base, buf, 4 * dwords);
    if (!err) err = run_buffer(&ib, buf, dwords, &used, &want);
    if (!err && x->s->stop) err = -EINTR;
    if (!err && want) err = bad(x, "packet runs past its indirect buffer");
    free(buf);
    return err;
}

/* ---- the ring ---- */

static int ring_read(struct sdma *s, uint32_t *buf, uint64_t dwords) {
    uint64_t at = s->rptr & (s->ring_bytes - 1), bytes = 4 * dwords;
    uint64_t first = bytes < s->ring_bytes - at ? bytes : s->ring_bytes - at;
    if (engine_read(&s->mem, s->ring_va + at, buf, first)) return -EFAULT;
    return engine_read(&s->mem, s->ring_va, (uint8_t *)buf + first, bytes - first);
}

/* A packet longer than the fetch buffer (WRITE_UNTILED, NOP): assembled whole. */
static int run_long(struct pkt *x, uint64_t dwords) {
    uint64_t used, want;
    uint32_t *buf = malloc(4 * dwords);
    int err = buf ? ring_read(x->s, buf, dwords) : -EFAULT;
    if (!err) err = run_buffer(x, buf, dwords, &used, &want);
    free(buf);
    return err;
}

int sdma_run(struct sdma *s) {
    pthread_once(&reserved_once, find_reserved);
    struct pkt x = {.s = s, .g = s->g};
    while (s->rptr != s->wptr && !s->stop) {
        if (!gpu_sdma_ready(s->g, 0)) return 0;
        uint64_t wptr = s->wptr, left = (wptr - s->rptr) / 4, used, want;
        uint64_t n = left < SDMA_FETCH_DWORDS ? left : SDMA_FETCH_DWORDS;
        if (ring_read(s, s->fetch, n)) return -EFAULT;
        int err = run_buffer(&x, s->fetch, n, &used, &want);
        if (!err && !used && want) {
            if (want > left) {
                s->starved = wptr;
                return 0;
            }
            err = run_long(&x, want);
        }
        if (err) return err;
    }
    return s->stop ? -EINTR : 0;
}
