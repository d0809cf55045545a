/* SPDX-License-Identifier: MIT */
/* pm4_exec.c - PM4 of the compute micro-engine: streams, the packet table, control packets.
 * Layouts from driver/hw/packets/pm4.csv; behaviour from linux nvd.h and gfx_v11_0.c and from
 * GPUOpen pal's packet builders. */
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/pm4_priv.h"
#include "driver/emulator/sdma_exec.h"

enum { MAX_DW = 24, MAX_IB_DEPTH = 2 };

int pm4_bad(struct pm4 *x, const char *what) {
    gpu_guest_error(x->g, "PM4: opcode 0x%02x: %s", x->p[0] >> 8 & 0xff, what);
    return -EBADMSG;
}

void pm4_kick(struct pm4 *x) {
    cp_kick(x->g);
    sdma_kick(x->g);
}

/* ---- control ---- */

static int op_nop(struct pm4 *x) {
    (void)x;
    return 0;
}

static int op_cond_exec(struct pm4 *x) {
    uint32_t v;
    if (engine_read32(&x->q->mem, pm4_addr(x, PM4_COND_EXEC__ADDR_LO, PM4_COND_EXEC__ADDR_HI), &v))
        return -EFAULT;
    if (!v) x->skip = pm4_field(x, PM4_COND_EXEC__EXEC_COUNT);
    return 0;
}

static int run_ib(struct pm4 *x, uint64_t va, uint32_t dwords);

static int op_indirect_buffer(struct pm4 *x) {
    uint64_t va = pm4_addr(x, PM4_INDIRECT_BUFFER__IB_BASE_LO, PM4_INDIRECT_BUFFER__IB_BASE_HI);
    uint32_t dwords = pm4_field(x, PM4_INDIRECT_BUFFER__IB_SIZE);
    if (!dwords) return pm4_bad(x, "empty indirect buffer");
    if (pm4_field(x, PM4_INDIRECT_BUFFER__VMID))
        return pm4_bad(x, "indirect buffer in another VMID");
    if (pm4_field(x, PM4_INDIRECT_BUFFER__CHAIN)) {
        if (!x->depth) return pm4_bad(x, "chain outside an indirect buffer");
        x->chain_va = va;
        x->chain_dw = dwords;
        return 0;
    }
    if (x->depth >= MAX_IB_DEPTH) return pm4_bad(x, "indirect buffers nested too deep");
    return run_ib(x, va, dwords);
}

static int op_dispatch_direct(struct pm4 *x) {
    const uint32_t dim[3] = {x->p[1], x->p[2], x->p[3]};
    return dispatch_run(x->q, dim, x->p[4]);
}

static int op_dispatch_indirect(struct pm4 *x) {
    uint32_t dim[3];
    uint64_t va = x->p[1] | (uint64_t)x->p[2] << 32;
    if (va & 3) return pm4_bad(x, "address is not dword aligned");
    if (engine_read(&x->q->mem, va, dim, sizeof dim)) return -EFAULT;
    return dispatch_run(x->q, dim, x->p[3]);
}

static int op_perfmon_control(struct pm4 *x) {
    gpu_debug(x->g, "PM4: PERFMON_CONTROL has no effect in the model");
    return 0;
}

/* ---- the table ---- */

struct op {
    uint8_t code[2]; /* gfx11, gfx12; 0: not there */
    const char *name;
    uint16_t min, max; /* payload dwords; max 0: up to the header's limit */
    int (*run)(struct pm4 *x);
    /* Bits that the tables call reserved and the reference sets on silicon without harm. */
    uint8_t loose_dw[2];
};

static const struct op ops[] = {
    {{PM4_OP_NOP, PM4_OP_NOP}, "NOP", 0, 0, op_nop, {0}},
    {{PM4_OP_SET_SH_REG, PM4_OP_SET_SH_REG}, "SET_SH_REG", 2, 0, pm4_op_set_sh_reg, {0}},
    {{PM4_OP_SET_SH_REG_INDEX, PM4_OP_SET_SH_REG_INDEX},
     "SET_SH_REG_INDEX",
     2,
     0,
     pm4_op_set_sh_reg,
     {0}},
    {{0xbb, 0xbc}, "SET_SH_REG_PAIRS_PACKED", 4, 0, pm4_op_set_sh_pairs, {2}},
    {{PM4_OP_SET_UCONFIG_REG, PM4_OP_SET_UCONFIG_REG},
     "SET_UCONFIG_REG",
     2,
     0,
     pm4_op_set_uconfig_reg,
     {0}},
    {{PM4_OP_SET_CONFIG_REG, PM4_OP_SET_CONFIG_REG},
     "SET_CONFIG_REG",
     2,
     0,
     pm4_op_set_config_reg,
     {0}},
    {{PM4_OP_DISPATCH_DIRECT, PM4_OP_DISPATCH_DIRECT},
     "DISPATCH_DIRECT",
     4,
     4,
     op_dispatch_direct,
     {0}},
    {{PM4_OP_DISPATCH_INDIRECT, PM4_OP_DISPATCH_INDIRECT},
     "DISPATCH_INDIRECT",
     3,
     3,
     op_dispatch_indirect,
     {0}},
    {{PM4_OP_ACQUIRE_MEM, PM4_OP_ACQUIRE_MEM}, "ACQUIRE_MEM", 7, 7, pm4_op_acquire_mem, {3, 5}},
    {{PM4_OP_RELEASE_MEM, PM4_OP_RELEASE_MEM}, "RELEASE_MEM", 7, 7, pm4_op_release_mem, {0}},
    {{PM4_OP_WAIT_REG_MEM, PM4_OP_WAIT_REG_MEM}, "WAIT_REG_MEM", 6, 6, pm4_op_wait_reg_mem, {0}},
    {{PM4_OP_WAIT_REG_MEM64, PM4_OP_WAIT_REG_MEM64},
     "WAIT_REG_MEM64",
     8,
     8,
     pm4_op_wait_reg_mem64,
     {0}},
    {{PM4_OP_WRITE_DATA, PM4_OP_WRITE_DATA}, "WRITE_DATA", 4, 0, pm4_op_write_data, {0}},
    {{PM4_OP_COPY_DATA, PM4_OP_COPY_DATA}, "COPY_DATA", 5, 5, pm4_op_copy_data, {0}},
    {{PM4_OP_EVENT_WRITE, PM4_OP_EVENT_WRITE}, "EVENT_WRITE", 1, 3, pm4_op_event_write, {0}},
    {{PM4_OP_INDIRECT_BUFFER, PM4_OP_INDIRECT_BUFFER},
     "INDIRECT_BUFFER",
     3,
     3,
     op_indirect_buffer,
     {0}},
    {{PM4_OP_COND_EXEC, PM4_OP_COND_EXEC}, "COND_EXEC", 4, 4, op_cond_exec, {0}},
    {{PM4_OP_ATOMIC_MEM, PM4_OP_ATOMIC_MEM}, "ATOMIC_MEM", 8, 8, pm4_op_atomic_mem, {0}},
    {{PM4_OP_DMA_DATA, PM4_OP_DMA_DATA}, "DMA_DATA", 6, 6, pm4_op_dma_data, {0}},
    {{PM4_OP_HDP_FLUSH, PM4_OP_HDP_FLUSH}, "HDP_FLUSH", 1, 1, pm4_op_hdp_flush, {0}},
    {{PM4_OP_INVALIDATE_TLBS, PM4_OP_INVALIDATE_TLBS},
     "INVALIDATE_TLBS",
     1,
     1,
     pm4_op_invalidate_tlbs,
     {0}},
    {{PM4_OP_TIMESTAMP, PM4_OP_TIMESTAMP}, "TIMESTAMP", 5, 5, pm4_op_timestamp, {0}},
    {{PM4_OP_PERFMON_CONTROL, PM4_OP_PERFMON_CONTROL},
     "PERFMON_CONTROL",
     2,
     2,
     op_perfmon_control,
     {0}},
};
enum { OP_COUNT = sizeof ops / sizeof *ops };

struct tables {
    uint8_t by_code[2][256]; /* index in ops + 1 */
    uint32_t reserved[2][OP_COUNT][MAX_DW];
};
static struct tables tables;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

/* Bits of a packet's dwords that no field covers. Dwords without any field are data. */
static void find_reserved(int gen, const struct op *op, uint32_t *reserved) {
    uint32_t used[MAX_DW] = {0};
    size_t len = strlen(op->name);
    for (int f = 0; f < HW_PM4_FIELD_COUNT; f++) {
        const char *name = hw_pm4_field_names[f];
        struct hw_pkt_bits b = hw_pm4_fields[gen][f];
        if (strncmp(name, op->name, len) || name[len] != '.') continue;
        if (b.dword > 0 && b.dword < MAX_DW) used[b.dword] |= hw_mask(b.lo, b.hi);
    }
    for (int d = 1; d < MAX_DW; d++) {
        bool loose = d == op->loose_dw[0] || d == op->loose_dw[1];
        reserved[d] = used[d] && !loose ? ~used[d] : 0;
    }
}

static void build_tables(void) {
    for (unsigned i = 0; i < OP_COUNT; i++) {
        for (int gen = 0; gen < 2; gen++) {
            if (ops[i].code[gen]) tables.by_code[gen][ops[i].code[gen]] = (uint8_t)(i + 1);
            find_reserved(gen, &ops[i], tables.reserved[gen][i]);
        }
    }
}

static int check_packet(struct pm4 *x, unsigned which) {
    const struct op *op = &ops[which];
    if (x->n < op->min || (op->max && x->n > op->max)) {
        gpu_guest_error(x->g, "PM4: %s with %u payload dwords", op->name, x->n);
        return -EBADMSG;
    }
    const uint32_t *reserved = tables.reserved[gpu_gen(x->g)][which];
    for (unsigned d = 1; d <= x->n && d < MAX_DW; d++) {
        if (!(x->p[d] & reserved[d])) continue;
        gpu_guest_error(x->g, "PM4: %s dword %u is 0x%08x: reserved bits 0x%08x", op->name, d,
                        x->p[d], x->p[d] & reserved[d]);
        return -EBADMSG;
    }
    return 0;
}

/* Raises what the micro-engine raises for a packet that it refuses. */
static int refuse(struct pm4 *x, bool opcode) {
    cp_irq(x->q,
           opcode ? F_CP_ME1_PIPE0_INT_CNTL__OPCODE_ERROR_INT_ENABLE
                  : F_CP_ME1_PIPE0_INT_CNTL__RESERVED_BIT_ERROR_INT_ENABLE,
           opcode ? GFX_11_0_0__SRCID__CP_BAD_OPCODE_ERROR
                  : GFX_11_0_0__SRCID__CP_PM4_PKT_RSVD_BIT_ERROR,
           0);
    return -EBADMSG;
}

/* Size of the packet at p in dwords, header included; 0: no valid header. */
static unsigned packet_dwords(uint32_t header) {
    unsigned type = header >> 30, count = header >> 16 & 0x3fff;
    if (type == 2) return 1;
    if (type != 3) return 0;
    /* nvd.h: count 0x3fff of a NOP means the header alone. */
    if ((header >> 8 & 0xff) == PM4_OP_NOP && count == 0x3fff) return 1;
    return count + 2;
}

static int execute(struct pm4 *x) {
    uint32_t h = x->p[0];
    if (h >> 30 == 2 || packet_dwords(h) == 1) return 0;
    if (h & 0xf9) {
        gpu_guest_error(x->g, "PM4: reserved bits in header 0x%08x", h);
        return refuse(x, false);
    }
    unsigned which = tables.by_code[gpu_gen(x->g)][h >> 8 & 0xff];
    if (!which--) {
        gpu_guest_error(x->g, "PM4: opcode 0x%02x (header 0x%08x) is none of a compute queue",
                        h >> 8 & 0xff, h);
        return refuse(x, true);
    }
    if (check_packet(x, which)) return refuse(x, false);
    int err = ops[which].run(x);
    if (err == -EBADMSG) return refuse(x, false);
    return err;
}

/* ---- streams ---- */

/* Executes the packets in buf[0..have); stops early at a packet that is not whole. Returns how
 * many dwords were consumed through *used. */
static int run_buffer(struct pm4 *x, const uint32_t *buf, uint32_t have, uint32_t *used) {
    uint32_t i = 0;
    int err = 0;
    while (i < have && !x->chain_dw && !pm4_leaving(x->q)) {
        unsigned n = packet_dwords(buf[i]);
        if (!n) {
            gpu_guest_error(x->g, "PM4: 0x%08x is no packet header (type %u)", buf[i],
                            buf[i] >> 30);
            err = refuse(x, true);
            break;
        }
        if (n > have - i) break;
        x->p = buf + i;
        x->n = n - 1;
        i += n;
        /* Consumed before its effects show: who sees its fence may reuse its place. */
        if (!x->depth) x->q->rptr += n;
        err = execute(x);
        if (err) break;
        if (x->skip) {
            /* what lies beyond the buffer is skipped by the caller */
            uint32_t s = x->skip < have - i ? x->skip : have - i;
            i += s;
            x->skip -= s;
            if (!x->depth) x->q->rptr += s;
        }
    }
    *used = i;
    return err;
}

static int run_one_ib(struct pm4 *x, uint64_t va, uint32_t dwords) {
    uint32_t *buf = malloc(dwords * 4ull), used = 0;
    if (!buf) return -EFAULT;
    int err = engine_read(&x->q->mem, va, buf, dwords * 4ull) ? -EFAULT : 0;
    if (!err) err = run_buffer(x, buf, dwords, &used);
    if (!err && pm4_leaving(x->q)) err = -EINTR;
    if (!err && !x->chain_dw && used < dwords)
        err = pm4_bad(x, "packet runs past its indirect buffer");
    free(buf);
    return err;
}

static int run_ib(struct pm4 *x, uint64_t va, uint32_t dwords) {
    struct pm4 ib = {.q = x->q, .g = x->g, .depth = x->depth + 1, .p = x->p};
    for (unsigned links = 0; dwords; links++) {
        if (pm4_leaving(x->q)) return -EINTR;
        if (links > 1u << 20) return pm4_bad(x, "endless chain of indirect buffers");
        ib.chain_dw = 0;
        int err = run_one_ib(&ib, va, dwords);
        if (err) return err;
        va = ib.chain_va;
        dwords = ib.chain_dw;
    }
    return 0;
}

/* Copies what lies between the pointers, at most a buffer full. */
static int fetch(struct cp_queue *q, uint32_t *have) {
    uint64_t left = q->wptr - q->rptr;
    uint32_t n = left < CP_FETCH_DWORDS ? (uint32_t)left : CP_FETCH_DWORDS;
    uint32_t at = (uint32_t)q->rptr & (q->ring_dwords - 1);
    uint32_t first = n < q->ring_dwords - at ? n : q->ring_dwords - at;
    if (engine_read(&q->mem, q->ring_va + 4ull * at, q->fetch, 4ull * first)) return -EFAULT;
    if (engine_read(&q->mem, q->ring_va, q->fetch + first, 4ull * (n - first))) return -EFAULT;
    *have = n;
    return 0;
}

/* A packet longer than the fetch buffer: assembled whole. */
static int run_long(struct pm4 *x, unsigned dwords) {
    struct cp_queue *q = x->q;
    uint32_t *buf = malloc(dwords * 4ull), used = 0;
    int err = buf ? 0 : -EFAULT;
    for (unsigned i = 0; i < dwords && !err; i++) {
        uint64_t at = (q->rptr + i) & (q->ring_dwords - 1);
        err = engine_read(&q->mem, q->ring_va + 4 * at, &buf[i], 4);
    }
    if (!err) err = run_buffer(x, buf, dwords, &used);
    free(buf);
    return err;
}

enum pm4_status pm4_run(struct cp_queue *q) {
    pthread_once(&tables_once, build_tables);
    struct pm4 x = {.q = q, .g = q->g};
    while (q->rptr != q->wptr && !pm4_leaving(q)) {
        if (x.skip) {
            uint64_t left = q->wptr - q->rptr, s = x.skip < left ? x.skip : left;
            q->rptr += s;
            x.skip -= (unsigned)s;
            continue;
        }
        if (!gpu_mec_ready(q->g, q->pipe)) return PM4_DONE; /* halted: goes on when it runs again */
        uint32_t have, used = 0;
        if (fetch(q, &have)) return PM4_STUCK;
        uint64_t wptr = q->wptr;
        int err = run_buffer(&x, q->fetch, have, &used);
        if (!err && !used && !pm4_leaving(q)) {
            unsigned n = packet_dwords(q->fetch[0]);
            if (n > wptr - q->rptr) { /* the rest is yet to come */
                q->starved = wptr;
                return PM4_DONE;
            }
            err = run_long(&x, n);
        }
        if (err == -EINTR) return PM4_LEFT;
        if (err) return q->stop ? PM4_LEFT : PM4_STUCK;
    }
    return pm4_leaving(q) ? PM4_LEFT : PM4_DONE;
}
