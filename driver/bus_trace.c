/* SPDX-License-Identifier: MIT */
/* A bus around a bus: it maps nothing, so that every access passes through it and is shown with the
 * names of register and fields. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/dev.h"
#include "driver/enumerate.h"

struct named {
    uint32_t dw;
    enum hw_reg reg;
};

struct bus_trace {
    struct bus base;
    struct bus *inner;
    bus_trace_sink *sink;
    void *ctx;
    pthread_mutex_t lock; /* names and the RSMU index */
    struct named *names;  /* by dword address */
    size_t count;
    const struct hw_ip_table *tables[HW_IP_COUNT];
    uint32_t rsmu_index_dw, rsmu_data_dw, rsmu_index;
    uint32_t hdp_remap_dw, hdp_flush_dw;
};

static struct bus_trace *self(struct bus *b) {
    return (struct bus_trace *)b;
}

static int by_dw(const void *a, const void *b) {
    uint32_t x = ((const struct named *)a)->dw, y = ((const struct named *)b)->dw;
    return x < y ? -1 : x > y;
}

void bus_trace_names(struct bus *b, const struct am_device *d) {
    struct bus_trace *t = self(b);
    struct named *names = calloc(HW_REG_COUNT, sizeof *names);
    if (!names) return;
    size_t n = 0;
    for (int r = 0; r < HW_REG_COUNT; r++) {
        const struct am_ip *ip = &d->ip[hw_regs[r].ip];
        if (!ip->regs) continue;
        const struct hw_reg_loc *loc = hw_reg_loc(ip->regs, (enum hw_reg)r);
        if (loc->offset < 0 || loc->seg < 0 || loc->seg > 7) continue;
        uint32_t dw = ip->base[loc->seg] + (uint32_t)loc->offset;
        names[n++] = (struct named){dw, (enum hw_reg)r};
        if (r == R_BIF_BX_PF0_RSMU_INDEX) t->rsmu_index_dw = dw;
        if (r == R_BIF_BX_PF0_RSMU_DATA) t->rsmu_data_dw = dw;
        if (r == R_BIF_BX0_REMAP_HDP_MEM_FLUSH_CNTL) t->hdp_remap_dw = dw;
    }
    qsort(names, n, sizeof *names, by_dw);
    pthread_mutex_lock(&t->lock);
    free(t->names);
    t->names = names;
    t->count = n;
    for (int i = 0; i < HW_IP_COUNT; i++)
        t->tables[i] = d->ip[i].regs;
    pthread_mutex_unlock(&t->lock);
}

/* Under the lock. -1: no register of ours. Aliases (MMIO of one IP seen under two names) give the
 * first. */
static int find_reg(struct bus_trace *t, uint32_t dw) {
    struct named key = {.dw = dw};
    if (!t->names) return -1;
    struct named *n = bsearch(&key, t->names, t->count, sizeof key, by_dw);
    return n ? (int)n->reg : -1;
}

static void show(struct bus_trace *t, char op, int bar, uint64_t off, const void *data,
                 size_t len) {
    struct bus_trace_event e = {
        .op = op, .bar = bar, .off = off, .len = len, .data = data, .reg = -1};
    memcpy(&e.value, data, len < 8 ? len : 8);
    if (bar == BUS_BAR_MMIO && len == 4) {
        uint32_t dw = (uint32_t)(off / 4), v = (uint32_t)e.value;
        pthread_mutex_lock(&t->lock);
        e.reg = find_reg(t, dw);
        if (t->names) {
            if (dw == t->rsmu_index_dw && op == 'W') t->rsmu_index = v;
            if (dw == t->rsmu_data_dw) {
                e.indirect = true;
                e.reg = find_reg(t, t->rsmu_index / 4);
            }
            if (dw == t->hdp_remap_dw && op == 'R') t->hdp_flush_dw = v / 4;
            e.hdp_flush = t->hdp_flush_dw && dw == t->hdp_flush_dw;
        }
        if (e.reg >= 0) e.table = t->tables[hw_regs[e.reg].ip];
        pthread_mutex_unlock(&t->lock);
    }
    t->sink(t->ctx, &e);
}

void bus_trace_format(const struct bus_trace_event *e, char *line, size_t size) {
    if (e->op == 'C') {
        snprintf(line, size, "C %s 0x%llx = 0x%llx", e->what, (unsigned long long)e->off,
                 (unsigned long long)e->value);
        return;
    }
    if (e->reg < 0) {
        if (e->len <= 8)
            snprintf(line, size, "%c bar%d +0x%06llx = 0x%0*llx%s", e->op, e->bar,
                     (unsigned long long)e->off, (int)e->len * 2, (unsigned long long)e->value,
                     e->hdp_flush ? " (HDP flush)" : "");
        else
            snprintf(line, size, "%c bar%d +0x%06llx len 0x%zx", e->op, e->bar,
                     (unsigned long long)e->off, e->len);
        return;
    }
    const struct hw_reg_info *r = &hw_regs[e->reg];
    int n = snprintf(line, size, "%c %s %s+0x%06llx = 0x%08llx {", e->op, r->name,
                     e->indirect ? "(RSMU) " : "", (unsigned long long)e->off,
                     (unsigned long long)e->value);
    bool first = true;
    for (uint32_t i = 0; i < r->field_count && n > 0 && (size_t)n + 80 < size; i++) {
        enum hw_field f = (enum hw_field)(r->first_field + i);
        uint32_t v = hw_field_get(e->table, f, (uint32_t)e->value);
        if (!v) continue;
        n += snprintf(line + n, size - (size_t)n, "%s%s=0x%x", first ? "" : ",", hw_fields[f].name,
                      v);
        first = false;
    }
    if (n > 0 && (size_t)n + 2 < size) snprintf(line + n, size - (size_t)n, "}");
}

static void trace_close(struct bus *b) {
    struct bus_trace *t = self(b);
    t->inner->ops->close(t->inner);
    pthread_mutex_destroy(&t->lock);
    free(t->names);
    free(t);
}

static void show_call(struct bus_trace *t, const char *what, uint64_t arg, uint64_t value) {
    struct bus_trace_event e = {.op = 'C', .what = what, .off = arg, .value = value, .reg = -1};
    t->sink(t->ctx, &e);
}

static void show_memory(struct bus_trace *t, const char *what, const struct bus_dma *m,
                        size_t size) {
    struct bus_trace_event e = {
        .op = 'C', .what = what, .off = size, .value = m ? m->pages[0] : 0, .dma = m, .reg = -1};
    t->sink(t->ctx, &e);
}

static int trace_cfg_read(struct bus *b, uint32_t off, uint32_t len, uint32_t *val) {
    struct bus_trace *t = self(b);
    int rc = t->inner->ops->cfg_read(t->inner, off, len, val);
    show_call(t, "cfg read", off, *val);
    return rc;
}

static int trace_cfg_write(struct bus *b, uint32_t off, uint32_t len, uint32_t val) {
    struct bus_trace *t = self(b);
    show_call(t, "cfg write", off, val);
    return t->inner->ops->cfg_write(t->inner, off, len, val);
}

static int trace_bar_map(struct bus *b, int bar, struct bus_bar *out) {
    struct bus_trace *t = self(b);
    int rc = t->inner->ops->bar_map(t->inner, bar, out);
    if (!rc) out->ptr = NULL;
    return rc;
}

static int trace_bar_read(struct bus *b, int bar, uint64_t off, void *buf, size_t len) {
    struct bus_trace *t = self(b);
    int rc = t->inner->ops->bar_read(t->inner, bar, off, buf, len);
    if (!rc) show(t, 'R', bar, off, buf, len);
    return rc;
}

static int trace_bar_write(struct bus *b, int bar, uint64_t off, const void *buf, size_t len) {
    struct bus_trace *t = self(b);
    show(t, 'W', bar, off, buf, len);
    return t->inner->ops->bar_write(t->inner, bar, off, buf, len);
}

static int trace_bar_resize(struct bus *b, int bar) {
    struct bus_trace *t = self(b);
    show_call(t, "resize", (uint64_t)bar, 0);
    return t->inner->ops->bar_resize(t->inner, bar);
}

static int trace_dma_map(struct bus *b, void *va, void *hint, size_t size, struct bus_dma *out) {
    struct bus_trace *t = self(b);
    int rc = t->inner->ops->dma_map(t->inner, va, hint, size, out);
    show_memory(t, "dma map", rc ? NULL : out, size);
    return rc;
}

static void trace_dma_unmap(struct bus *b, struct bus_dma *m) {
    struct bus_trace *t = self(b);
    if (m->pages) show_memory(t, "dma unmap", m, m->size);
    t->inner->ops->dma_unmap(t->inner, m);
}

static int trace_irq_wait(struct bus *b, int64_t timeout_us) {
    return self(b)->inner->ops->irq_wait(self(b)->inner, timeout_us);
}

static int trace_reset(struct bus *b) {
    struct bus_trace *t = self(b);
    show_call(t, "reset", 0, 0);
    return t->inner->ops->reset(t->inner);
}

static void trace_delay(struct bus *b, uint64_t us) {
    struct bus_trace *t = self(b);
    if (us >= 1000) show_call(t, "delay", us, 0);
    t->inner->ops->delay(t->inner, us);
}

static const struct bus_ops trace_ops = {
    .name = "trace",
    .close = trace_close,
    .cfg_read = trace_cfg_read,
    .cfg_write = trace_cfg_write,
    .bar_map = trace_bar_map,
    .bar_read = trace_bar_read,
    .bar_write = trace_bar_write,
    .bar_resize = trace_bar_resize,
    .dma_map = trace_dma_map,
    .dma_unmap = trace_dma_unmap,
    .irq_wait = trace_irq_wait,
    .reset = trace_reset,
    .delay = trace_delay,
};

int bus_trace_open(struct bus *inner, bus_trace_sink *sink, void *ctx, struct bus **out) {
    struct bus_trace *t = calloc(1, sizeof *t);
    if (!t) return -ENOMEM;
    t->base.ops = &trace_ops;
    t->inner = inner;
    t->sink = sink;
    t->ctx = ctx;
    pthread_mutex_init(&t->lock, NULL);
    *out = &t->base;
    return 0;
}

struct bus *bus_trace_inner(struct bus *b) {
    return b->ops == &trace_ops ? self(b)->inner : b;
}
