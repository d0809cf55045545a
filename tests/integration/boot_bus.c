/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/boot_bus.h"

static struct boot_bus *self(struct bus *b) {
    return (struct boot_bus *)b;
}

static int count(struct boot_bus *b) {
    b->accesses++;
    return b->fail_at && b->accesses >= b->fail_at ? -EIO : 0;
}

static void keep(struct bus *b) {
    (void)b;
}

static int cfg_read(struct bus *b, uint32_t off, uint32_t len, uint32_t *val) {
    struct boot_bus *t = self(b);
    int rc = count(t);
    if (rc) return rc;
    if (t->gone) return *val = 0xffffffffu >> (32 - 8 * len), 0;
    return t->gpu->ops->cfg_read(t->gpu, off, len, val);
}

static int cfg_write(struct bus *b, uint32_t off, uint32_t len, uint32_t val) {
    struct boot_bus *t = self(b);
    int rc = count(t);
    return rc || t->gone ? rc : t->gpu->ops->cfg_write(t->gpu, off, len, val);
}

static int bar_map(struct bus *b, int bar, struct bus_bar *out) {
    int rc = self(b)->gpu->ops->bar_map(self(b)->gpu, bar, out);
    if (!rc) out->ptr = NULL;
    return rc;
}

static int bar_read(struct bus *b, int bar, uint64_t off, void *buf, size_t len) {
    struct boot_bus *t = self(b);
    int rc = count(t);
    if (rc) return rc;
    if (t->gone) {
        memset(buf, 0xff, len);
        return 0;
    }
    rc = t->gpu->ops->bar_read(t->gpu, bar, off, buf, len);
    if (t->ack && bar == BUS_BAR_MMIO && off == t->ack * 4ull && len == 4) *(uint32_t *)buf = 1;
    return rc;
}

static int bar_write(struct bus *b, int bar, uint64_t off, const void *buf, size_t len) {
    struct boot_bus *t = self(b);
    int rc = count(t);
    if (!rc && t->lose && t->lose(t, bar, off)) return 0;
    return rc || t->gone ? rc : t->gpu->ops->bar_write(t->gpu, bar, off, buf, len);
}

static int bar_resize(struct bus *b, int bar) {
    return self(b)->gpu->ops->bar_resize(self(b)->gpu, bar);
}

static int dma_map(struct bus *b, void *va, void *hint, size_t size, struct bus_dma *out) {
    return self(b)->gpu->ops->dma_map(self(b)->gpu, va, hint, size, out);
}

static void dma_unmap(struct bus *b, struct bus_dma *m) {
    self(b)->gpu->ops->dma_unmap(self(b)->gpu, m);
}

static int irq_wait(struct bus *b, int64_t timeout_us) {
    return self(b)->gpu->ops->irq_wait(self(b)->gpu, timeout_us);
}

static int reset(struct bus *b) {
    return self(b)->gpu->ops->reset(self(b)->gpu);
}

static void delay(struct bus *b, uint64_t us) {
    self(b)->delay_us += us;
    self(b)->gpu->ops->delay(self(b)->gpu, us);
}

static const struct bus_ops ops = {
    .name = "kept",
    .close = keep,
    .cfg_read = cfg_read,
    .cfg_write = cfg_write,
    .bar_map = bar_map,
    .bar_read = bar_read,
    .bar_write = bar_write,
    .bar_resize = bar_resize,
    .dma_map = dma_map,
    .dma_unmap = dma_unmap,
    .irq_wait = irq_wait,
    .reset = reset,
    .delay = delay,
};

static void say(void *ctx, enum emu_log_level level, const char *line) {
    struct boot_bus *b = ctx;
    if (level != EMU_LOG_GUEST_ERROR && level != EMU_LOG_UNIMPLEMENTED) return;
    if (!b->lose || getenv("TEST_VERBOSE")) fprintf(stderr, "emulator: %s\n", line);
    pthread_mutex_lock(&b->log_lock);
    size_t n = strlen(b->log);
    snprintf(b->log + n, sizeof b->log - n, "%s\n", line);
    pthread_mutex_unlock(&b->log_lock);
}

bool boot_bus_logged(struct boot_bus *b, const char *text) {
    pthread_mutex_lock(&b->log_lock);
    bool yes = strstr(b->log, text) != NULL;
    pthread_mutex_unlock(&b->log_lock);
    return yes;
}

int boot_bus_open(struct boot_bus *b, const char *target, char *err, size_t err_size) {
    struct emu_config config = {.target = target,
                                .vram_bytes = 512u << 20,
                                .cus = 4,
                                .threads = 2,
                                .log = say,
                                .log_ctx = b};
    memset(b, 0, sizeof *b);
    pthread_mutex_init(&b->log_lock, NULL);
    b->base.ops = &ops;
    return emu_open(&config, &b->gpu, err, err_size);
}

void boot_bus_destroy(struct boot_bus *b) {
    if (b->gpu) b->gpu->ops->close(b->gpu);
    b->gpu = NULL;
}

struct emu_counters boot_bus_counters(struct boot_bus *b) {
    struct emu_counters c;
    emu_get_counters(b->gpu, &c);
    return c;
}
