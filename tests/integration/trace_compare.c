/* SPDX-License-Identifier: MIT */
/* Compares what our driver writes with what a driver known to run on these chips writes
 * (reference/<target>.csv), register by register and field by field. Every difference needs a row
 * in trace_reasons.csv that says why; a row that explains nothing fails the test as well.
 *
 * usage: test_trace_compare TARGET DIRECTORY [-v]
 *
 * For each register the two sequences of writes are compared, repetitions dropped. A plain write
 * must have all fields alike. Of a read-modify-write the fields that the reference changed must end
 * alike, and ours must not change others. Values that stand for an address or size of the session
 * are replaced by the name of what they stand for.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/blocks.h"
#include "driver/enumerate.h"
#include "driver/queues.h"
#include "tests/integration/boot_bus.h"

enum { MAX_ROWS = 8192, MAX_REASONS = 256, MAX_DW = 16 };

struct row {
    char phase[16], bank[16], name[64], symbol[64];
    bool has_read;
    uint32_t read, value;
    uint32_t dw[MAX_DW]; /* packets */
    unsigned ndw;
    int reg;
    bool used;
};

struct reason {
    char target[16], phase[16], name[64], field[64], text[400];
    bool used;
};

static struct row reference[MAX_ROWS], ours[MAX_ROWS];
static unsigned nref, nours, differences, explained;
static struct reason reasons[MAX_REASONS];
static unsigned nreasons;
static const char *target;
static bool verbose;
static struct am_device *dev;
static const char *phase = "boot";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- differences and their reasons ---- */

static bool same(const char *pattern, const char *s) {
    size_t n = strlen(pattern);
    if (n && pattern[n - 1] == '*') return strncmp(pattern, s, n - 1) == 0;
    return strcmp(pattern, s) == 0;
}

static bool has_reason(const char *ph, const char *name, const char *field) {
    for (unsigned i = 0; i < nreasons; i++)
        if (same(reasons[i].target, target) && same(reasons[i].phase, ph) &&
            same(reasons[i].name, name) && same(reasons[i].field, field))
            return true;
    return false;
}

__attribute__((format(printf, 4, 5))) static void differ(const char *ph, const char *name,
                                                         const char *field, const char *fmt, ...) {
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (unsigned i = 0; i < nreasons; i++) {
        struct reason *r = &reasons[i];
        if (!same(r->target, target) || !same(r->phase, ph) || !same(r->name, name) ||
            !same(r->field, field))
            continue;
        r->used = true;
        explained++;
        if (verbose) printf("explained: %s %s %s: %s\n", ph, name, field, text);
        return;
    }
    differences++;
    printf("UNEXPLAINED %s,%s,%s,%s: %s\n", target, ph, name, field, text);
}

/* ---- reading the tables ---- */

static unsigned split(char *line, char **cell, unsigned max) {
    unsigned n = 0;
    for (char *p = line; n < max; p++) {
        cell[n++] = p;
        p = strchr(p, ',');
        if (!p) break;
        if (n < max) *p = 0;
        if (n == max) break;
    }
    return n;
}

static int reg_by_name(const char *name) {
    for (int r = 0; r < HW_REG_COUNT; r++)
        if (strcmp(hw_regs[r].name, name) == 0) return r;
    return -1;
}

static void copy(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from);
}

static int read_reference(const char *dir) {
    char path[1024], line[1024], *cell[6];
    snprintf(path, sizeof path, "%s/reference/%s.csv", dir, target);
    FILE *f = fopen(path, "r");
    if (!f) return perror(path), -1;
    while (fgets(line, sizeof line, f) && nref < MAX_ROWS) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] == '#' || strncmp(line, "phase,", 6) == 0) continue;
        if (split(line, cell, 6) != 6) return fprintf(stderr, "%s: bad row\n", path), -1;
        struct row *r = &reference[nref++];
        copy(r->phase, sizeof r->phase, cell[0]);
        copy(r->bank, sizeof r->bank, cell[1]);
        copy(r->name, sizeof r->name, cell[2]);
        copy(r->symbol, sizeof r->symbol, cell[5]);
        r->has_read = cell[3][0] != 0;
        r->read = (uint32_t)strtoul(cell[3], NULL, 0);
        r->reg = -1;
        if (strcmp(r->bank, "pm4") == 0 || strcmp(r->bank, "sdma") == 0) {
            char *p = cell[4], *end;
            while (r->ndw < MAX_DW && (r->dw[r->ndw] = (uint32_t)strtoul(p, &end, 16), end != p)) {
                r->ndw++;
                p = end;
            }
        } else {
            r->value = (uint32_t)strtoul(cell[4], NULL, 0);
            r->reg = reg_by_name(r->name);
        }
    }
    fclose(f);
    return nref ? 0 : -1;
}

static int read_reasons(const char *dir) {
    char path[1024], line[1024], *cell[5];
    snprintf(path, sizeof path, "%s/trace_reasons.csv", dir);
    FILE *f = fopen(path, "r");
    if (!f) return perror(path), -1;
    while (fgets(line, sizeof line, f) && nreasons < MAX_REASONS) {
        line[strcspn(line, "\r\n")] = 0;
        if (!line[0] || line[0] == '#' || strncmp(line, "target,", 7) == 0) continue;
        if (split(line, cell, 5) != 5 || strlen(cell[4]) < 15)
            return fprintf(stderr, "%s: a row without a reason: %s\n", path, line), -1;
        struct reason *r = &reasons[nreasons++];
        copy(r->target, sizeof r->target, cell[0]);
        copy(r->phase, sizeof r->phase, cell[1]);
        copy(r->name, sizeof r->name, cell[2]);
        copy(r->field, sizeof r->field, cell[3]);
        copy(r->text, sizeof r->text, cell[4]);
    }
    fclose(f);
    return 0;
}

/* ---- recording ours ---- */

static bool banked(const char *n) {
    static const char *const p[] = {"CP_HQD_*",           "CP_MQD_*",      "SH_MEM_*",
                                    "CP_MEC_RS64_PRGRM*", "CP_PFP_PRGRM*", "CP_ME_PRGRM*",
                                    "SPI_COMPUTE_QUEUE*"};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (same(p[i], n)) return true;
    return false;
}

/* Mailboxes and semaphores: a read before the write is a poll, not a read-modify-write. */
static bool polled(const char *n) {
    static const char *const p[] = {"C2PMSG",        "ENG17_SEM", "ENG17_REQ",
                                    "RLC_SAFE_MODE", "SCRATCH",   "CP_HQD_ACTIVE"};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (strstr(n, p[i])) return true;
    return strcmp(n, "IH_RB_RPTR") == 0;
}

static uint32_t current_bank, last_read[HW_REG_COUNT];
static uint32_t read_bank[HW_REG_COUNT];
static bool have_read[HW_REG_COUNT];

static struct row *new_row(const char *name) {
    if (nours == MAX_ROWS) return NULL;
    struct row *r = &ours[nours++];
    memset(r, 0, sizeof *r);
    copy(r->phase, sizeof r->phase, phase);
    copy(r->name, sizeof r->name, name);
    r->reg = -1;
    return r;
}

/* Some places have two names: the first one stands for both. */
static void canonical(struct row *r) {
    if (r->reg < 0 || !reg_has(dev, (enum hw_reg)r->reg)) return;
    for (int q = 0; q < r->reg; q++)
        if (hw_regs[q].ip == hw_regs[r->reg].ip && reg_has(dev, (enum hw_reg)q) &&
            reg_addr(dev, (enum hw_reg)q) == reg_addr(dev, (enum hw_reg)r->reg)) {
            r->reg = q;
            copy(r->name, sizeof r->name, hw_regs[q].name);
            return;
        }
}

static void on_mmio(const struct bus_trace_event *e) {
    char name[64];
    if (e->hdp_flush)
        copy(name, sizeof name, "HDP_FLUSH");
    else if (e->reg < 0)
        snprintf(name, sizeof name, "UNNAMED_%05X", (unsigned)e->off);
    else
        copy(name, sizeof name, hw_regs[e->reg].name);
    if (e->reg == R_BIF_BX_PF0_RSMU_INDEX) return;
    /* what follows the reset is the boot again */
    if (e->reg == R_RCC_DEV0_EPF2_STRAP2 && strcmp(phase, "reset") == 0) phase = "ignored";
    bool b = banked(name);
    if (e->op == 'R') {
        if (e->reg < 0) return;
        last_read[e->reg] = (uint32_t)e->value;
        read_bank[e->reg] = b ? current_bank : 0;
        have_read[e->reg] = true;
        return;
    }
    if (e->reg == R_GRBM_GFX_CNTL) current_bank = (uint32_t)e->value;
    struct row *r = new_row(name);
    if (!r) return;
    if (b) snprintf(r->bank, sizeof r->bank, "0x%x", current_bank);
    r->value = (uint32_t)e->value;
    r->reg = e->reg;
    if (e->reg >= 0) {
        r->has_read =
            have_read[e->reg] && read_bank[e->reg] == (b ? current_bank : 0) && !polled(name);
        r->read = last_read[e->reg];
        have_read[e->reg] = false;
    }
}

static uint32_t command_read;

static void on_event(void *ctx, const struct bus_trace_event *e) {
    (void)ctx;
    pthread_mutex_lock(&lock);
    if (e->op == 'C') {
        if (strcmp(e->what, "cfg read") == 0 && e->off == 4) command_read = (uint32_t)e->value;
        if (strcmp(e->what, "cfg write") == 0 && e->off == 4) {
            struct row *r = new_row("PCI_COMMAND");
            if (r) r->value = (uint32_t)e->value, r->read = command_read, r->has_read = true;
        }
    } else if (e->bar == BUS_BAR_MMIO && e->len == 4) {
        on_mmio(e);
    } else if (e->bar == BUS_BAR_DOORBELL && e->op == 'W') {
        char name[64];
        snprintf(name, sizeof name, "DOORBELL_%X", (unsigned)e->off);
        struct row *r = new_row(name);
        if (r) copy(r->symbol, sizeof r->symbol, e->len == 8 ? "DOORBELL" : "not 64 bits");
    }
    pthread_mutex_unlock(&lock);
}

/* ---- symbols ---- */

static uint64_t va_of(const struct row *r, const char *name) {
    /* rings: what was told to the hardware, put together from its two registers */
    (void)r;
    uint64_t v[2] = {0, 0};
    char reg[2][64];
    copy(reg[0], sizeof reg[0], name);
    snprintf(reg[1], sizeof reg[1], "%s", name);
    for (unsigned i = 0; i < nours; i++)
        if (strcmp(ours[i].name, reg[0]) == 0) v[0] = ours[i].value;
    return v[0];
}

/* What a symbol of the reference is worth in our session. */
static bool symbol_value(const char *text, uint64_t *out) {
    struct am_blocks *b = blocks(dev);
    struct am_queues *q = dev->queues; /* NULL once they have ended: nothing names them then */
    char name[64];
    copy(name, sizeof name, text);
    unsigned shift = 0;
    char *s = strstr(name, ">>");
    if (s) {
        *s = 0;
        shift = (unsigned)strtoul(s + 2, NULL, 10);
    }
    const struct {
        const char *name;
        uint64_t value;
    } table[] = {
        {"MC_BASE", dev->mc_base},
        {"MC_LAST_CHUNK", dev->mc_end - (16u << 20)},
        {"SCRATCH_PAGE", b->scratch_page},
        {"DUMMY_PAGE", b->dummy_page},
        {"ROOT_PDE", dev->root_pt | 1},
        {"IH_RING", dev->mc_base + b->ih_ring},
        {"IH_WPTR", dev->mc_base + b->ih_wptr},
        {"IH_RING1", dev->mc_base + b->ih_ring1},
        {"PSP_MSG", dev->mc_base + b->psp_msg},
        {"PSP_RING", dev->mc_base + b->psp_ring},
        {"SMU_TABLE", dev->mc_base + b->smu_table},
        {"MQD", dev->mc_base + b->mqd},
        {"RING", !q ? 0 : q->ring[AM_RING_COMPUTE].mem->va},
        {"SDMA_RING", !q ? 0 : q->ring[AM_RING_SDMA].mem->va},
        {"EOP", !q ? 0 : q->eop->va},
        {"VERSION", AM_BOOT_VERSION},
        {"RING_LOG2", !q ? 0 : (uint64_t)__builtin_ctz(q->ring[AM_RING_COMPUTE].size_dw) - 1},
        {"SDMA_RING_LOG2", !q ? 0 : (uint64_t)__builtin_ctz(q->ring[AM_RING_SDMA].size_dw)},
        {"EOP_LOG2", (uint64_t)__builtin_ctz(4096 / 4) - 1},
        {"RPTR", va_of(NULL, "CP_HQD_PQ_RPTR_REPORT_ADDR") |
                     va_of(NULL, "CP_HQD_PQ_RPTR_REPORT_ADDR_HI") << 32},
        {"WPTR", va_of(NULL, "CP_HQD_PQ_WPTR_POLL_ADDR") |
                     va_of(NULL, "CP_HQD_PQ_WPTR_POLL_ADDR_HI") << 32},
        {"SDMA_RPTR", va_of(NULL, "SDMA0_QUEUE0_RB_RPTR_ADDR_LO") |
                          va_of(NULL, "SDMA0_QUEUE0_RB_RPTR_ADDR_HI") << 32},
        {"SDMA_WPTR", va_of(NULL, "SDMA0_QUEUE0_RB_WPTR_POLL_ADDR_LO") |
                          va_of(NULL, "SDMA0_QUEUE0_RB_WPTR_POLL_ADDR_HI") << 32},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0) {
            *out = table[i].value >> shift;
            return true;
        }
    return false;
}

/* CLOCKn_LEVEL, CLOCKn_TOP: arguments of SMU messages about clock n (a PPCLK number). */
static bool clock_matches(const char *symbol, uint32_t v) {
    unsigned n, own = ~0u;
    char what[16];
    if (sscanf(symbol, "CLOCK%u_%15s", &n, what) != 2 || v >> 16 != n) return false;
    static const unsigned ppclk[SMU_CLOCK_COUNT] = {2, 3, 1, 0};
    for (unsigned i = 0; i < SMU_CLOCK_COUNT; i++)
        if (ppclk[i] == n) own = i;
    if (own == ~0u) return false;
    struct am_blocks *b = blocks(dev);
    unsigned levels = b->clock_levels[own];
    if (strcmp(what, "LEVEL") == 0) return (v & 0xffff) < levels;
    if (strcmp(what, "LOW") == 0) return (v & 0xffff) == (b->clocks[own][0] & 0xffff);
    return (v & 0xffff) == (b->clocks[own][levels - 1] & 0xffff);
}

/* ---- registers ---- */

static const struct hw_ip_table *table_of(int reg) {
    return reg < 0 ? NULL : dev->ip[hw_regs[reg].ip].regs;
}

static bool field_ok(const struct row *r, const struct row *o, uint32_t mask, uint32_t want) {
    uint32_t is = o->value & mask, was = o->read & mask;
    bool ref_touched = !r->has_read || ((r->value ^ r->read) & mask);
    if (is == want) return true;
    return !ref_touched && o->has_read && is == was;
}

/* Compares one pair of writes; report: whether differences are told. Returns how many. */
static unsigned compare(const struct row *r, const struct row *o, bool report) {
    unsigned bad = 0;
    uint64_t v;
    if (strncmp(r->symbol, "CLOCK", 5) == 0) {
        if (!clock_matches(r->symbol, o->value)) {
            bad++;
            if (report) differ(r->phase, r->name, "(all)", "0x%x is not %s", o->value, r->symbol);
        }
        return bad;
    }
    if (strcmp(r->symbol, "DOORBELL") == 0) {
        bad = strcmp(o->symbol, "DOORBELL") != 0;
        if (bad && report) differ(r->phase, r->name, "(all)", "%s", o->symbol);
        return bad;
    }
    if (r->symbol[0] && !strchr(r->symbol, '=')) {
        if (!symbol_value(r->symbol, &v) || (uint32_t)v != o->value) {
            bad++;
            if (report)
                differ(r->phase, r->name, "(all)", "0x%x is not %s (0x%x)", o->value, r->symbol,
                       (unsigned)v);
        }
        return bad;
    }
    const struct hw_ip_table *t = table_of(r->reg);
    uint32_t rest = ~0u;
    for (uint32_t i = 0; t && i < hw_regs[r->reg].field_count; i++) {
        enum hw_field f = (enum hw_field)(hw_regs[r->reg].first_field + i);
        struct hw_bits b = hw_field_bits(t, f);
        if (b.lo < 0) continue;
        uint32_t m = hw_mask(b.lo, b.hi), want = r->value & m;
        rest &= ~m;
        size_t n = strlen(hw_fields[f].name);
        if (strncmp(r->symbol, hw_fields[f].name, n) == 0 && r->symbol[n] == '=' &&
            symbol_value(r->symbol + n + 1, &v))
            want = (uint32_t)v << b.lo & m;
        if (field_ok(r, o, m, want)) continue;
        bad++;
        if (report)
            differ(r->phase, r->name, hw_fields[f].name, "ours 0x%x, reference 0x%x",
                   (o->value & m) >> b.lo, want >> b.lo);
    }
    /* bits without a name, one by one */
    uint32_t touched = r->has_read ? (r->value ^ r->read) & rest : rest;
    uint32_t wrong = (o->value ^ r->value) & touched;
    if (r->has_read) wrong |= (o->value ^ (o->has_read ? o->read : r->value)) & rest & ~touched;
    if (wrong) {
        bad++;
        if (report)
            differ(r->phase, r->name, t && hw_regs[r->reg].field_count ? "unnamed" : "(all)",
                   "ours 0x%x, reference 0x%x", o->value & rest, r->value & rest);
    }
    return bad;
}

static bool same_register(const struct row *a, const struct row *b) {
    return strcmp(a->phase, b->phase) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->bank, b->bank) == 0;
}

/* Sequence by sequence: each write of the reference takes the next of ours that agrees; where none
 * does, the next unused one shows the difference. */
static void compare_register(unsigned first) {
    unsigned next = 0;
    for (unsigned i = first; i < nref; i++) {
        struct row *r = &reference[i];
        if (i != first && !same_register(r, &reference[first])) continue;
        r->used = true;
        int best = -1, any = -1;
        unsigned least = ~0u;
        for (unsigned k = next; k < nours; k++) {
            if (!same_register(r, &ours[k])) continue;
            unsigned bad = compare(r, &ours[k], false);
            if (bad == 0) {
                best = (int)k;
                break;
            }
            if (bad < least) least = bad, any = (int)k;
        }
        if (best >= 0) {
            ours[best].used = true;
            next = (unsigned)best + 1;
            continue;
        }
        /* agreement with the write before is a repetition that ours leaves out */
        bool repeated = false;
        for (unsigned k = 0; k < next; k++)
            if (same_register(r, &ours[k]) && ours[k].used && compare(r, &ours[k], false) == 0)
                repeated = true;
        if (repeated) continue;
        if (any >= 0) {
            compare(r, &ours[any], true);
            ours[any].used = true;
            next = (unsigned)any + 1;
        } else {
            differ(r->phase, r->name, "(all)", "not written (reference: 0x%x %s)", r->value,
                   r->symbol);
        }
    }
}

/* A write of ours that the reference does not make, and that does not repeat one that it makes. */
static bool in(const char *phases, const char *ph);

static void compare_extra(const char *phases) {
    for (unsigned k = 0; k < nours; k++) {
        struct row *o = &ours[k];
        if (o->used || o->ndw || !in(phases, o->phase)) continue;
        bool known = false, equal = false;
        for (unsigned i = 0; i < nref && !equal; i++) {
            if (!same_register(&reference[i], o)) continue;
            known = true;
            equal = compare(&reference[i], o, false) == 0;
        }
        if (equal) continue;
        char name[80];
        snprintf(name, sizeof name, "+%s", o->name);
        bool told = false;
        for (unsigned i = 0; i < k && !told; i++)
            told = same_register(&ours[i], o) && ours[i].value == o->value && !ours[i].used;
        if (!told)
            differ(o->phase, name, "(all)",
                   known ? "another value: 0x%x" : "the reference leaves it: 0x%x", o->value);
    }
}

/* ---- packets ---- */

static void add_packet(const char *kind, const char *name, const uint32_t *dw, unsigned n) {
    struct row *r = new_row(name);
    if (!r) return;
    copy(r->bank, sizeof r->bank, kind);
    r->ndw = n < MAX_DW ? n : MAX_DW;
    memcpy(r->dw, dw, r->ndw * 4);
}

static const struct {
    unsigned op;
    const char *name;
} pm4_names[] = {
    {PM4_OP_WAIT_REG_MEM, "WAIT_REG_MEM"},
    {PM4_OP_ACQUIRE_MEM, "ACQUIRE_MEM"},
    {PM4_OP_SET_SH_REG, "SET_SH_REG"},
    {PM4_OP_DISPATCH_DIRECT, "DISPATCH_DIRECT"},
    {PM4_OP_EVENT_WRITE, "EVENT_WRITE"},
    {PM4_OP_RELEASE_MEM, "RELEASE_MEM"},
    {PM4_OP_NOP, "NOP"},
    {PM4_OP_WRITE_DATA, "WRITE_DATA"},
    {PM4_OP_COPY_DATA, "COPY_DATA"},
    {PM4_OP_SET_UCONFIG_REG, "SET_UCONFIG_REG"},
};

static void pm4_stream(const uint32_t *dw, unsigned n) {
    for (unsigned i = 0; i < n;) {
        if (dw[i] >> 30 != 3) {
            i++;
            continue;
        }
        unsigned op = dw[i] >> 8 & 0xff, len = (dw[i] >> 16 & 0x3fff) + 2;
        if (op == PM4_OP_NOP && len == 0x4001) len = 1;
        const char *name = "UNKNOWN";
        for (size_t k = 0; k < sizeof pm4_names / sizeof *pm4_names; k++)
            if (pm4_names[k].op == op) name = pm4_names[k].name;
        if (op != PM4_OP_NOP) add_packet("pm4", name, dw + i, len);
        i += len;
    }
}

static void sdma_stream(const uint32_t *dw, unsigned n) {
    static const struct {
        unsigned op, sub, len12, len11;
        const char *name;
    } p[] = {{1, 0, 8, 7, "COPY_LINEAR"},
             {5, 0, 4, 4, "FENCE"},
             {8, 0, 6, 6, "POLL_REGMEM"},
             {0, 0, 1, 1, "NOP"},
             {13, 0, 3, 3, "TIMESTAMP_SET"},
             {13, 1, 3, 3, "TIMESTAMP_GET"},
             {13, 2, 3, 3, "TIMESTAMP_GLOBAL"},
             {17, 0, 5, 5, "GCR_REQ"},
             {6, 0, 2, 2, "TRAP"}};
    for (unsigned i = 0; i < n;) {
        unsigned op = dw[i] & 0xff, sub = dw[i] >> 8 & 0xff, len = 1;
        const char *name = "UNKNOWN";
        for (size_t k = 0; k < sizeof p / sizeof *p; k++)
            if (p[k].op == op && p[k].sub == sub) {
                name = p[k].name;
                len = dev->chip->gen == HW_GFX12 ? p[k].len12 : p[k].len11;
            }
        if (op) add_packet("sdma", name, dw + i, len);
        i += len;
    }
}

/* Registers of SET_SH_REG packets become rows of their own. */
static unsigned explode(struct row *rows, unsigned n) {
    unsigned end = n;
    for (unsigned i = 0; i < n; i++) {
        struct row *r = &rows[i];
        if (strcmp(r->bank, "pm4") || strcmp(r->name, "SET_SH_REG")) continue;
        for (unsigned k = 2; k < r->ndw && end < MAX_ROWS; k++) {
            struct row *x = &rows[end++];
            memset(x, 0, sizeof *x);
            copy(x->phase, sizeof x->phase, r->phase);
            copy(x->bank, sizeof x->bank, "sh");
            x->reg = -1;
            uint32_t dw = 0x2c00 + r->dw[1] + (k - 2); /* linux PACKET3_SET_SH_REG_START */
            for (int q = 0; q < HW_REG_COUNT; q++)
                if (hw_regs[q].ip == HW_GC && reg_has(dev, q) && reg_addr(dev, q) == dw) {
                    x->reg = q;
                    break;
                }
            if (x->reg >= 0)
                copy(x->name, sizeof x->name, hw_regs[x->reg].name);
            else
                snprintf(x->name, sizeof x->name, "SH_%04X", dw);
            x->value = r->dw[k];
            if (same("COMPUTE_PGM_LO", x->name) || same("COMPUTE_PGM_HI", x->name) ||
                same("COMPUTE_DISPATCH_SCRATCH_BASE*", x->name) ||
                same("COMPUTE_USER_DATA_*", x->name))
                x->value = 0; /* addresses: program, scratch, kernel arguments */
        }
        r->used = true;
    }
    return end;
}

static bool is_address(const char *field) {
    return strstr(field, "ADDR") || strstr(field, "REFERENCE") || strstr(field, "DATA_LO") ||
           strstr(field, "DATA_HI") || strcmp(field, "DATA") == 0 || strcmp(field, "VALUE") == 0 ||
           strcmp(field, "DW_OFFSET") == 0; /* an alias of the data */
}

/* Differences of two packets by the field tables; dwords without a table entry as a whole. */
static unsigned compare_packet(const struct row *r, const struct row *o, bool report) {
    bool pm4 = strcmp(r->bank, "pm4") == 0;
    unsigned bad = 0;
    uint32_t seen[MAX_DW] = {0};
    size_t n = strlen(r->name);
    unsigned count = pm4 ? HW_PM4_FIELD_COUNT : HW_SDMA_FIELD_COUNT;
    for (unsigned i = 0; i < count; i++) {
        /* "ACQUIRE_MEM.GCR_CNTL"; SDMA's compute packets have variants that begin alike */
        const char *name = pm4 ? hw_pm4_field_names[i] : hw_sdma_field_names[i];
        if (strncmp(name, r->name, n) || name[n] != '.') continue;
        const char *field = name + n + 1;
        struct hw_pkt_bits b =
            pm4 ? hw_pm4_fields[dev->chip->gen][i] : hw_sdma_fields[dev->chip->gen][i];
        if (b.dword < 0 || (unsigned)b.dword >= r->ndw || (unsigned)b.dword >= o->ndw) continue;
        uint32_t m = hw_mask(b.lo, b.hi);
        seen[b.dword] |= m;
        if (is_address(field) || ((r->dw[b.dword] ^ o->dw[b.dword]) & m) == 0) continue;
        bad += has_reason(r->phase, r->name, field) ? 1 : MAX_DW; /* what has none weighs more */
        if (report)
            differ(r->phase, r->name, field, "ours 0x%x, reference 0x%x",
                   (o->dw[b.dword] & m) >> b.lo, (r->dw[b.dword] & m) >> b.lo);
    }
    for (unsigned k = pm4 ? 1 : 0; k < r->ndw && k < o->ndw; k++) {
        uint32_t m = ~seen[k];
        if (((r->dw[k] ^ o->dw[k]) & m) == 0) continue;
        bad += MAX_DW;
        char field[16];
        snprintf(field, sizeof field, "dword%u", k);
        if (report)
            differ(r->phase, r->name, field, "ours 0x%08x, reference 0x%08x", o->dw[k], r->dw[k]);
    }
    return bad;
}

static void compare_packets(const char *phases) {
    for (unsigned i = 0; i < nref; i++) {
        struct row *r = &reference[i];
        if (!r->ndw || r->used || !in(phases, r->phase)) continue;
        int best = -1;
        unsigned least = ~0u;
        for (unsigned k = 0; k < nours; k++) {
            if (ours[k].used || !ours[k].ndw || !same_register(r, &ours[k])) continue;
            unsigned bad = compare_packet(r, &ours[k], false);
            if (bad <= least) best = (int)k, least = bad;
        }
        r->used = true;
        if (best < 0) {
            differ(r->phase, r->name, "(all)", "no such packet of ours (reference: %08x %08x)",
                   r->dw[0], r->dw[1]);
            continue;
        }
        ours[best].used = true;
        compare_packet(r, &ours[best], true);
    }
    for (unsigned k = 0; k < nours; k++) {
        if (ours[k].used || !ours[k].ndw || !in(phases, ours[k].phase)) continue;
        char name[80];
        snprintf(name, sizeof name, "+%s", ours[k].name);
        differ(ours[k].phase, name, "(all)", "%08x %08x %08x", ours[k].dw[0], ours[k].dw[1],
               ours[k].dw[2]);
    }
}

/* ---- the session ---- */

static struct boot_bus gpu; /* outlives the driver's sessions */

static int boot(void) {
    struct bus *bus;
    current_bank = 0;
    if (bus_trace_open(&gpu.base, on_event, NULL, &bus)) return -1;
    if (am_device_new(bus, "trace", NULL, true, &dev)) return -1;
    int rc = am_boot(dev);
    if (rc) fprintf(stderr, "boot: %d, %s: %s\n", rc, dev->failed_step, dev->last_error);
    return rc;
}

static int copy_once(struct am_mem *vram, struct am_mem *sys, uint64_t bytes) {
    struct ring *r = &dev->queues->ring[AM_RING_SDMA];
    uint64_t from = r->wptr;
    struct am_fence f;
    int rc = am_submit_copy(dev, NULL, 0, vram->va, sys->va, bytes, &f);
    if (!rc) rc = am_wait(dev, f, 5000000000ll);
    if (!rc) sdma_stream(r->dw + from, (unsigned)(r->wptr - from));
    return rc;
}

/* The reference's own kernel resources with a program that ends at once. */
static int dispatch_once(struct am_mem *vram, struct am_mem *sys) {
    uint8_t *p = sys->cpu;
    memset(p, 0, 4096);
    bool gfx12 = dev->chip->gen == HW_GFX12;
    uint64_t args[3] = {vram->va, vram->va, vram->va};
    hw_put32(p, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc1,
             gfx12 ? 0xc00f0001 : 0xc0af0001);
    hw_put32(p, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc2, gfx12 ? 0x84 : 0x9e);
    hw_put32(p, OFF_llvm_amdhsa_kernel_descriptor__compute_pgm_rsrc3, 0x10);
    hw_put32(p, OFF_llvm_amdhsa_kernel_descriptor__kernarg_size, sizeof args);
    hw_put64(p, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_entry_byte_offset, 256);
    hw_put16(p, OFF_llvm_amdhsa_kernel_descriptor__kernel_code_properties, 1 << 3 | 1 << 10);
    for (int i = 0; i < 64; i++)
        hw_put32(p, 256 + 4 * (size_t)i, 0xbfb00000); /* s_endpgm */
    uint8_t descriptor[64];
    memcpy(descriptor, p, sizeof descriptor);
    int rc = copy_once(vram, sys, 576);
    if (rc) return rc;
    struct am_dispatch k = {
        .kernel_descriptor = descriptor,
        .kernel_descriptor_va = vram->va,
        .kernel_name = "ends_at_once",
        .dims = 1,
        .grid = {16, 1, 1},
        .group = {16, 1, 1},
        .kernargs = args,
        .kernargs_bytes = sizeof args,
    };
    struct ring *r = &dev->queues->ring[AM_RING_COMPUTE];
    uint64_t from = r->wptr;
    struct am_fence f;
    rc = am_submit_dispatch(dev, NULL, 0, &k, &f);
    if (!rc) rc = am_wait(dev, f, 5000000000ll);
    if (!rc) pm4_stream(r->dw + from, (unsigned)(r->wptr - from));
    return rc;
}

/* Boot, one copy, one dispatch. */
static int first_session(void) {
    int rc = boot();
    if (rc) return rc;
    struct am_mem *sys = NULL, *vram = NULL, *more = NULL;
    phase = "ignored"; /* memory for the copies */
    rc = am_alloc(dev, 65536, 0, AM_MEM_SYSTEM, "system", &sys);
    if (!rc) rc = am_alloc(dev, 65536, 0, AM_MEM_VRAM, "vram", &vram);
    phase = "copy";
    if (!rc) rc = copy_once(vram, sys, 256);
    phase = "dispatch";
    if (!rc) rc = am_alloc(dev, 4096, 0, AM_MEM_VRAM, "program", &more);
    if (!rc) rc = dispatch_once(vram, sys);
    return rc;
}

static bool in(const char *phases, const char *ph) {
    char list[128], *save = NULL;
    copy(list, sizeof list, phases);
    for (char *t = strtok_r(list, " ", &save); t; t = strtok_r(NULL, " ", &save))
        if (strcmp(t, ph) == 0) return true;
    return false;
}

/* Compares what was written in these phases, while dev is the device that wrote. */
static void compare_stage(const char *phases) {
    static unsigned done_ref, done_ours;
    for (; done_ref < nref; done_ref++)
        canonical(&reference[done_ref]);
    for (; done_ours < nours; done_ours++)
        canonical(&ours[done_ours]);
    done_ref = nref = explode(reference, nref);
    done_ours = nours = explode(ours, nours);
    for (unsigned i = 0; i < nref; i++)
        if (!reference[i].used && !reference[i].ndw && in(phases, reference[i].phase))
            compare_register(i);
    compare_packets(phases);
    compare_extra(phases);
}

static int sessions(void) {
    char err[256];
    if (boot_bus_open(&gpu, target, err, sizeof err)) return fprintf(stderr, "%s\n", err), -1;
    int rc = first_session();
    if (rc) return rc;
    compare_stage("boot copy dispatch");
    phase = "recover";
    rc = gfx_recover(dev);
    if (rc) return rc;
    compare_stage("recover");
    phase = "fini";
    rc = am_stop(dev);
    if (rc) return rc;
    compare_stage("fini");
    am_device_free(dev);
    phase = "warm";
    rc = boot();
    if (rc) return rc;
    if (!dev->partial_boot) return fprintf(stderr, "no partial boot\n"), -1;
    compare_stage("warm");
    /* The session dies; its memory stays where the engines may still write until they are reset. */
    struct am_device *dead = dev;
    am_abandon(dead);
    phase = "reset";
    rc = boot();
    if (rc) return rc;
    compare_stage("reset");
    phase = "ignored";
    am_close(dead);
    am_close(dev);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: %s TARGET DIRECTORY [-v]\n", argv[0]), 2;
    target = argv[1];
    verbose = argc > 3;
    if (read_reference(argv[2]) || read_reasons(argv[2])) return 2;
    int rc = sessions();
    if (rc) return fprintf(stderr, "session failed: %d\n", rc), 1;
    unsigned idle = 0;
    for (unsigned i = 0; i < nreasons; i++)
        if (!reasons[i].used && same(reasons[i].target, target)) {
            printf("reason without a difference: %s,%s,%s,%s\n", reasons[i].target,
                   reasons[i].phase, reasons[i].name, reasons[i].field);
            idle++;
        }
    struct emu_counters c = boot_bus_counters(&gpu);
    printf("%s: %u rows of the reference, %u of ours, %u differences explained, %u unexplained, "
           "%u idle reasons, %llu guest errors\n",
           target, nref, nours, explained, differences, idle, (unsigned long long)c.guest_errors);
    boot_bus_destroy(&gpu);
    return differences || idle || c.guest_errors || c.unimplemented;
}
