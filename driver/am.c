/* SPDX-License-Identifier: MIT */
/* am_open: the boot, told in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/blocks.h"
#include "driver/enumerate.h"

static const struct ip_ops *const full_blocks[] = {&soc_ops, &gmc_ops, &ih_ops, &psp_ops, &smu_ops};
static const struct ip_ops *const always_blocks[] = {&gfx_ops, &sdma_ops};
#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { FLR_US = 100000 }; /* PCIe base specification 6.6.2: a function reset ends within this */

const struct chip *chip_find(unsigned gc_major) {
    static const struct chip *const chips[] = {&chip_gfx11, &chip_gfx12};
    for (size_t i = 0; i < COUNT(chips); i++)
        if (chips[i]->gc_major == gc_major) return chips[i];
    return NULL;
}

int am_device_new(struct bus *bus, const char *id, const struct am_options *opt, bool emulated,
                  struct am_device **out) {
    struct am_device *d = calloc(1, sizeof *d);
    struct am_blocks *b = calloc(1, sizeof *b);
    if (!d || !b) {
        free(d);
        free(b);
        return -ENOMEM;
    }
    d->bus = bus;
    d->priv_blocks = b;
    b->emulated = emulated;
    d->debug = log_debug_level();
    if (opt) d->opt = *opt;
    snprintf(d->id, sizeof d->id, "%s", id);
    pthread_mutex_init(&d->reg_lock, NULL);
    pthread_mutex_init(&b->ih_lock, NULL);
    pthread_mutex_init(&b->fault_lock, NULL);
    *out = d;
    return 0;
}

void am_device_free(struct am_device *d) {
    if (!d) return;
    firmware_free(blocks(d)->fw);
    if (d->bus) d->bus->ops->close(d->bus);
    trace_file_close(blocks(d)->trace);
    pthread_mutex_destroy(&blocks(d)->ih_lock);
    pthread_mutex_destroy(&blocks(d)->fault_lock);
    pthread_mutex_destroy(&d->reg_lock);
    free(d->priv_blocks);
    free(d);
}

/* ---- the steps ---- */

static int map_bars(struct am_device *d) {
    const struct bus_ops *o = d->bus->ops;
    int rc = soc_memory_decode(d, true);
    if (!rc) rc = o->bar_map(d->bus, BUS_BAR_MMIO, &d->mmio_bar);
    if (!rc) rc = o->bar_map(d->bus, BUS_BAR_DOORBELL, &d->doorbell_bar);
    if (!rc) rc = o->bar_map(d->bus, BUS_BAR_VRAM, &d->vram_bar);
    if (rc) return rc;
    if (d->doorbell_bar.size < AM_DOORBELL_SDMA + 8 || d->vram_bar.size < AM_BOOT_MEM_BYTES) {
        am_log(d, AM_LOG_ERROR, "am", "BAR0 of %llu or BAR2 of %llu bytes is too small",
               (unsigned long long)d->vram_bar.size, (unsigned long long)d->doorbell_bar.size);
        return -ENOTSUP;
    }
    return 0;
}

static int resize_bar(struct am_device *d) {
    if (d->vram_bar.size >= d->vram_bytes) return 0;
    int rc = soc_memory_decode(d, false); /* a BAR moves only while the device does not answer */
    if (rc) return rc;
    int resized = d->bus->ops->bar_resize(d->bus, BUS_BAR_VRAM);
    rc = soc_memory_decode(d, true);
    if (rc) return rc;
    if (resized < 0) {
        am_log(d, AM_LOG_INFO, "am", "BAR0 stays at %llu of %llu bytes: the rest is reached slowly",
               (unsigned long long)d->vram_bar.size, (unsigned long long)d->vram_bytes);
        return 0;
    }
    return map_bars(d); /* the others may have moved with it */
}

static int init_sw(struct am_device *d) {
    int rc = 0;
    for (size_t i = 0; i < COUNT(full_blocks) && !rc; i++)
        rc = full_blocks[i]->init_sw(d);
    for (size_t i = 0; i < COUNT(always_blocks) && !rc; i++)
        rc = always_blocks[i]->init_sw(d);
    return rc;
}

static void report_firmware(void *ctx, const char *line) {
    am_log(ctx, AM_LOG_INFO, "firmware", "%s", line);
}

static int load_firmware(struct am_device *d) {
    struct am_blocks *b = blocks(d);
    struct firmware_options o = {.generated = b->emulated};
    if (d->debug >= 1) {
        o.report = report_firmware;
        o.report_ctx = d;
    }
    char err[512];
    int rc = firmware_load(d->target, &o, &b->fw, err, sizeof err);
    if (rc) {
        am_log(d, AM_LOG_ERROR, "firmware", "%s", err);
        return rc;
    }
    b->start_pfp = b->fw->start_pfp;
    b->start_me = b->fw->start_me;
    b->start_mec = b->fw->start_mec;
    return 0;
}

/* Alive, booted by us with this layout of boot memory, ended well, no fault latched. */
static bool ours_and_clean(struct am_device *d) {
    const char *force = getenv("AM_RESET");
    if (force && strtol(force, NULL, 10)) return false;
    if (reg_rd(d, R_SCRATCH_REG7) != AM_BOOT_VERSION) return false;
    if (reg_rd(d, R_SCRATCH_REG6) != AM_SESSION_CLEAN) {
        am_log(d, AM_LOG_INFO, "am", "the last session did not end well");
        return false;
    }
    if (reg_rd(d, d->chip->gc_fault_status)) {
        am_log(d, AM_LOG_INFO, "am", "the last session left a memory fault behind");
        return false;
    }
    return psp_alive(d);
}

/* Another driver, or a session of ours that ended badly, left the chip running or half booted. */
static int reset_chip(struct am_device *d) {
    int rc;
    atomic_store(&blocks(d)->hdp_flush, 0); /* the reset may move it */
    if (psp_alive(d) && smu_alive(d)) {
        am_log(d, AM_LOG_INFO, "am", "mode-1 reset");
        rc = soc_bus_master(d, false);
        if (!rc) rc = smu_reset_chip(d);
    } else {
        /* a session that ended within the boot: no firmware is there to ask */
        am_log(d, AM_LOG_INFO, "am", "PCI function reset");
        rc = d->bus->ops->reset(d->bus);
        if (!rc) d->bus->ops->delay(d->bus, FLR_US);
        if (!rc) rc = soc_memory_decode(d, true);
        if (!rc) rc = resize_bar(d);
    }
    if (!rc && psp_alive(d)) {
        am_log(d, AM_LOG_ERROR, "am", "the reset did not take: the PSP still runs");
        rc = -EIO;
    }
    return rc;
}

/* First of all writes that may go wrong: whoever comes after a crash resets the chip. */
static void mark_dirty(struct am_device *d) {
    reg_wr(d, R_SCRATCH_REG6, AM_SESSION_DIRTY);
}

static int init_hw(struct am_device *d, const struct ip_ops *const *list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        am_log(d, AM_LOG_DEBUG, "am", "%s", list[i]->name);
        int rc = list[i]->init_hw(d);
        if (rc) return rc;
    }
    return 0;
}

static void clock_gating(struct am_device *d) {
    soc_clock_gating(d);
    gfx_clock_gating(d);
}

/* Every step names itself when it fails. */
#define STEP(what, call)                                                                           \
    do {                                                                                           \
        am_log(d, AM_LOG_DEBUG, "am", "boot: %s", what);                                           \
        int rc_ = (call);                                                                          \
        if (!rc_ && atomic_load(&d->lost)) rc_ = -ENODEV;                                          \
        if (rc_) {                                                                                 \
            snprintf(d->failed_step, sizeof d->failed_step, "%s", what);                           \
            return rc_;                                                                            \
        }                                                                                          \
    } while (0)

int am_boot(struct am_device *d) {
    STEP("mapping the BARs", map_bars(d));
    STEP("memory size", discovery_vram_size(d));
    STEP("resizing BAR0", resize_bar(d));
    STEP("discovery", discovery_run(d));
    if (bus_trace_inner(d->bus) != d->bus) bus_trace_names(d->bus, d);
    STEP("preparing the blocks", init_sw(d));
    STEP("firmware", load_firmware(d));

    d->partial_boot = ours_and_clean(d);
    bool used = psp_alive(d) || reg_rd(d, R_SCRATCH_REG6) != AM_SESSION_CLEAN;
    mark_dirty(d);
    if (!d->partial_boot) {
        if (used) STEP("reset", reset_chip(d));
        mark_dirty(d); /* the reset cleared it */
        STEP("bus mastering", soc_bus_master(d, true));
        STEP("SOC, GMC, IH, PSP and SMU", init_hw(d, full_blocks, COUNT(full_blocks)));
    } else {
        am_log(d, AM_LOG_DEBUG, "am", "the chip is alive and ours: partial boot");
        STEP("bus mastering", soc_bus_master(d, true));
    }
    STEP("GFX and SDMA", init_hw(d, always_blocks, COUNT(always_blocks)));
    STEP("memory", memory_init(d));
    STEP("queues", queues_init(d));
    STEP("clocks", smu_set_clocks(d, true));
    clock_gating(d);
    reg_wr(d, R_SCRATCH_REG5, (uint32_t)d->tmr_bytes);
    reg_wr(d, R_SCRATCH_REG7, AM_BOOT_VERSION);
    return atomic_load(&d->lost) ? -ENODEV : 0;
}

/* ---- outside ---- */

static void trace_event(void *ctx, const struct bus_trace_event *e) {
    char line[512];
    bus_trace_format(e, line, sizeof line);
    am_log(ctx, AM_LOG_DEBUG, "bus", "%s", line);
}

/* AM_TRACE=FILE records every access, AM_DEBUG=4 shows it. */
static void watch_bus(struct am_device *d, struct bus *bus) {
    const char *path = getenv("AM_TRACE");
    struct trace_file *f = path && *path ? trace_file_create(path, d->id) : NULL;
    if (f && bus_trace_open(bus, trace_file_sink, f, &bus) == 0) {
        blocks(d)->trace = f;
        d->bus = bus;
    } else if (f) {
        trace_file_close(f);
    } else if (path && *path) {
        am_log(d, AM_LOG_WARN, "am", "AM_TRACE=%s: %s", path, strerror(errno));
    }
    if (!f && d->debug >= 4 && bus_trace_open(bus, trace_event, d, &bus) == 0) d->bus = bus;
}

int am_open(const char *id, const struct am_options *opt, struct am_device **out, char *err,
            size_t err_size) {
    struct device_spec spec;
    struct bus *bus = NULL;
    struct am_device *d = NULL;
    *out = NULL;
    if (err_size) err[0] = 0;
    int rc = device_spec_parse(id, &spec);
    if (rc) {
        snprintf(err, err_size, "%s: %s", id, spec.error);
        return rc;
    }
    rc = device_open_bus(&spec, opt, &bus, err, err_size);
    if (rc) return rc;
    rc = am_device_new(bus, id, opt, spec.emulated, &d);
    if (rc) {
        bus->ops->close(bus);
        snprintf(err, err_size, "%s: out of memory", id);
        return rc;
    }
    watch_bus(d, bus);
    rc = am_boot(d);
    if (!rc && spec.target[0] && spec.kind != DEVICE_EMU && strcmp(spec.target, d->target) != 0) {
        snprintf(d->failed_step, sizeof d->failed_step, "expecting %s", spec.target);
        am_log(d, AM_LOG_ERROR, "am", "it is %s (say so: target=%s)", d->target, d->target);
        rc = -ENOTSUP;
    }
    if (rc) {
        snprintf(err, err_size, "%s: %s failed: %s", id, d->failed_step,
                 d->last_error[0] ? d->last_error : strerror(-rc));
        queues_fini(d);
        memory_fini(d);
        am_device_free(d);
        return rc;
    }
    *out = d;
    return 0;
}

void am_abandon(struct am_device *d) {
    if (d) atomic_store(&d->abandoned, true);
}

int am_stop(struct am_device *d) {
    queues_fini(d);
    memory_fini(d);
    if (atomic_load(&d->lost) || atomic_load(&d->abandoned)) return -ENODEV;
    int rc = sdma_ops.fini_hw(d);
    int rc2 = gfx_ops.fini_hw(d);
    int rc3 = smu_ops.fini_hw(d);
    ih_ops.fini_hw(d);
    struct am_fault f;
    while (gmc_read_fault(d, AM_HUB_GC, &f) || gmc_read_fault(d, AM_HUB_MM, &f))
        fault_record(d, &f);
    if (rc || rc2 || rc3 || atomic_load(&d->lost)) return -EIO;
    /* last of all: whoever comes next may rely on what lies in boot memory */
    reg_wr(d, R_SCRATCH_REG6, AM_SESSION_CLEAN);
    return 0;
}

void am_close(struct am_device *d) {
    if (!d) return;
    am_stop(d);
    am_device_free(d);
}
