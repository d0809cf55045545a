/* SPDX-License-Identifier: MIT */
/* gpu.c - the chip as a whole: opening, the bus it presents, messages, time, reset. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "driver/emulator/cache.h"
#include "driver/emulator/cp.h"
#include "driver/emulator/gpu_state.h"
#include "driver/emulator/jit.h"
#include "driver/emulator/spi.h"

#define MAX_LOG_LINES 400 /* after that only counters move */

/* ---- messages ---- */

static void emit(struct gpu *g, enum emu_log_level level, const char *line) {
    static const char *const tag[] = {"guest error", "unimplemented", "fault",
                                      "debug",       "jit",           "jit"};
    if (g->config.log)
        g->config.log(g->config.log_ctx, level, line);
    else if (level != EMU_LOG_DEBUG && level != EMU_LOG_JIT)
        fprintf(stderr, "emu:%s: %s: %s\n", g->target, tag[level], line);
}

static uint64_t hash_text(const char *s) {
    uint64_t h = 0xcbf29ce484222325u;
    while (*s)
        h = (h ^ (uint8_t)*s++) * 0x100000001b3u;
    return h;
}

/* Repeats of one line and anything past the limit are counted, not printed. */
static void message(struct gpu *g, enum emu_log_level level, const char *fmt, va_list ap) {
    char line[512];
    vsnprintf(line, sizeof line, fmt, ap);
    uint64_t h = hash_text(line);
    pthread_mutex_lock(&g->log_lock);
    memcpy(g->last_message, line, sizeof line);
    bool repeat = h == g->log_hash && g->log_lines > 0;
    g->log_hash = h;
    unsigned n = repeat ? g->log_lines : ++g->log_lines;
    pthread_mutex_unlock(&g->log_lock);
    if (repeat || n > MAX_LOG_LINES) return;
    emit(g, level, line);
    if (n == MAX_LOG_LINES) emit(g, level, "further messages are counted, not shown");
}

#define MESSAGE(level)                                                                             \
    va_list ap;                                                                                    \
    va_start(ap, fmt);                                                                             \
    message(g, level, fmt, ap);                                                                    \
    va_end(ap)

void gpu_guest_error(struct gpu *g, const char *fmt, ...) {
    atomic_fetch_add(&g->guest_errors, 1);
    MESSAGE(EMU_LOG_GUEST_ERROR);
}

void gpu_unimplemented(struct gpu *g, const char *fmt, ...) {
    atomic_fetch_add(&g->unimplemented, 1);
    MESSAGE(EMU_LOG_UNIMPLEMENTED);
}

void gpu_fault(struct gpu *g, const char *fmt, ...) {
    MESSAGE(EMU_LOG_FAULT);
}

void gpu_jit_message(struct gpu *g, bool failed, const char *fmt, ...) {
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    emit(g, failed ? EMU_LOG_JIT_FAILED : EMU_LOG_JIT, line);
}

void gpu_debug(struct gpu *g, const char *fmt, ...) {
    if (!g->config.log) return;
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    emit(g, EMU_LOG_DEBUG, line);
}

/* ---- what the blocks ask ---- */

const struct hw_chip *gpu_chip(const struct gpu *g) {
    return g->chip;
}
enum hw_gen gpu_gen(const struct gpu *g) {
    return g->gen;
}
const struct emu_config *gpu_config(const struct gpu *g) {
    return &g->config;
}
const struct hw_ip_table *gpu_ip(const struct gpu *g, enum hw_ip ip) {
    return g->ip[ip];
}
void **gpu_slot(struct gpu *g, enum gpu_slot s) {
    return &g->slot[s];
}
unsigned gpu_cu_count(struct gpu *g) {
    return g->cus;
}
void gpu_hdp_flush(struct gpu *g) {
    hdp_flush(g);
}

/* ---- time ---- */

static uint64_t host_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* 100 MHz reference clock of dGPUs (linux amdgpu_asic_get_xclk on soc21: 10000 x 10 kHz). */
uint64_t gpu_clock(struct gpu *g) {
    return (host_ns() - g->start_ns) / 10 + atomic_load(&g->skew_us) * 100;
}

uint64_t gpu_model_us(struct gpu *g) {
    return (host_ns() - g->start_ns) / 1000 + atomic_load(&g->skew_us) + atomic_load(&g->steps_us);
}

/* ---- BARs ---- */

static struct gpu *from_bus(struct bus *b) {
    return (struct gpu *)(void *)b;
}

static bool range_ok(const struct gpu *g, int bar, uint64_t off, size_t len) {
    uint64_t size = bar >= 0 && bar < 6 ? g->pci.bar_size[bar] : 0;
    return len <= size && off <= size - len;
}

static bool in_reset(struct gpu *g) {
    return g->smu.reset_until && gpu_model_us(g) < g->smu.reset_until;
}

static bool decoding(struct gpu *g, const char *what) {
    if (g->pci.cfg[4] & 2) return true; /* PCI command: memory space */
    gpu_guest_error(g, "%s with PCI memory decoding disabled", what);
    return false;
}

/* Copies that the guest and the chip's threads may race on; whole words where aligned. */
static void copy_words(void *dst, const void *src, size_t len) {
    if (len == 8 && !(((uintptr_t)dst | (uintptr_t)src) & 7))
        __atomic_store_n((uint64_t *)dst, __atomic_load_n((const uint64_t *)src, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELEASE);
    else if (len == 4 && !(((uintptr_t)dst | (uintptr_t)src) & 3))
        __atomic_store_n((uint32_t *)dst, __atomic_load_n((const uint32_t *)src, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELEASE);
    else
        memcpy(dst, src, len);
}

static int bar_read(struct bus *b, int bar, uint64_t off, void *buf, size_t len) {
    struct gpu *g = from_bus(b);
    if (!range_ok(g, bar, off, len)) return -EINVAL;
    pthread_mutex_lock(&g->bus_lock);
    atomic_fetch_add(&g->steps_us, 1);
    if (!decoding(g, "BAR read")) {
        memset(buf, 0xff, len);
    } else if (bar == BUS_BAR_VRAM) {
        psp_tick(g);
        if (off > g->vram_size || len > g->vram_size - off) {
            gpu_guest_error(g, "BAR0 read at 0x%" PRIx64 " beyond VRAM", off);
            memset(buf, 0xff, len);
        } else {
            cache_bar0_read(g, off, len);
            copy_words(buf, g->vram + off, len);
            hdp_cpu_read(g, off, buf, len);
        }
    } else if (bar == BUS_BAR_DOORBELL) {
        memset(buf, 0, len); /* doorbells are write-only */
    } else if ((off | len) & 3) {
        gpu_guest_error(g, "register read of %zu bytes at 0x%" PRIx64 " is not dword aligned", len,
                        off);
        memset(buf, 0xff, len);
    } else {
        bool dead = in_reset(g);
        if (dead && g->smu.debug_answer && off / 4 == gpu_reg_dw(g, R_MP1_SMN_C2PMSG_54))
            dead = false;
        if (dead) gpu_guest_error(g, "register read while the chip is in mode-1 reset");
        psp_tick(g);
        for (size_t i = 0; i < len; i += 4) {
            uint32_t v = dead ? ~0u : gpu_mmio_read(g, (uint32_t)((off + i) / 4));
            memcpy((uint8_t *)buf + i, &v, 4);
        }
    }
    pthread_mutex_unlock(&g->bus_lock);
    return 0;
}

static void doorbell(struct gpu *g, uint64_t off, const void *buf, size_t len) {
    if ((len != 4 && len != 8) || (off & (len - 1))) {
        gpu_guest_error(g, "doorbell write of %zu bytes at BAR2+0x%" PRIx64, len, off);
        return;
    }
    uint64_t v = 0;
    memcpy(&v, buf, len);
    nbio_doorbell(g, (uint32_t)off, v);
}

static int bar_write(struct bus *b, int bar, uint64_t off, const void *buf, size_t len) {
    struct gpu *g = from_bus(b);
    if (!range_ok(g, bar, off, len)) return -EINVAL;
    if (bar == BUS_BAR_DOORBELL) { /* the hot path: no lock shared with register accesses */
        if (decoding(g, "doorbell")) doorbell(g, off, buf, len);
        return 0;
    }
    pthread_mutex_lock(&g->bus_lock);
    atomic_fetch_add(&g->steps_us, 1);
    if (!decoding(g, "BAR write")) {
        /* lost, as on the bus */
    } else if (bar == BUS_BAR_VRAM) {
        if (off > g->vram_size || len > g->vram_size - off) {
            gpu_guest_error(g, "BAR0 write at 0x%" PRIx64 " beyond VRAM", off);
        } else {
            psp_check_tmr(g, AGENT_BAR0, off, len);
            hdp_cpu_write(g, off, buf, len);
        }
    } else if ((off | len) & 3) {
        gpu_guest_error(g, "register write of %zu bytes at 0x%" PRIx64 " is not dword aligned", len,
                        off);
    } else if (in_reset(g)) {
        gpu_guest_error(g, "register write while the chip is in mode-1 reset");
    } else {
        psp_tick(g);
        for (size_t i = 0; i < len; i += 4)
            gpu_mmio_write(g, (uint32_t)((off + i) / 4), hw_get32(buf, i));
    }
    pthread_mutex_unlock(&g->bus_lock);
    return 0;
}

static int bar_map(struct bus *b, int bar, struct bus_bar *out) {
    struct gpu *g = from_bus(b);
    if (bar < 0 || bar > 5 || !g->pci.bar_size[bar]) return -ENOENT;
    /* Not mapped: every access must pass through the model. */
    *out = (struct bus_bar){NULL, g->pci.bar_size[bar], g->pci.bar_addr[bar]};
    return 0;
}

/* ---- the other bus operations ---- */

static int op_cfg_read(struct bus *b, uint32_t off, uint32_t len, uint32_t *val) {
    return pci_cfg_read(from_bus(b), off, len, val);
}

static int op_cfg_write(struct bus *b, uint32_t off, uint32_t len, uint32_t val) {
    return pci_cfg_write(from_bus(b), off, len, val);
}

static int op_bar_resize(struct bus *b, int bar) {
    return pci_bar_resize(from_bus(b), bar);
}

static int op_dma_map(struct bus *b, void *va, void *hint, size_t size, struct bus_dma *out) {
    return dma_map(from_bus(b), va, hint, size, out);
}

static void op_dma_unmap(struct bus *b, struct bus_dma *m) {
    dma_unmap(from_bus(b), m);
}

static int op_irq_wait(struct bus *b, int64_t timeout_us) {
    return ih_wait(from_bus(b), timeout_us);
}

static int op_reset(struct bus *b) {
    struct gpu *g = from_bus(b);
    pthread_mutex_lock(&g->bus_lock);
    pci_reset(g);
    gpu_reset_blocks(g);
    pthread_mutex_unlock(&g->bus_lock);
    return 0;
}

static void op_delay(struct bus *b, uint64_t us) {
    atomic_fetch_add(&from_bus(b)->skew_us, us < 60000000 ? us : 60000000);
}

void gpu_reset_blocks(struct gpu *g) {
    cp_reset(g);
    sdma_reset(g);
    mmio_reset(g);
    hdp_reset(g);
    mmu_reset(g);
    cache_reset(g);
    psp_reset(g);
    smu_reset(g);
    ih_reset(g);
    gfx_reset(g);
    discovery_write(g);
}

static void destroy(struct gpu *g) {
    jit_quit(g);
    if (g->slot[GPU_SLOT_CP]) cp_fini(g);
    if (g->slot[GPU_SLOT_SDMA]) sdma_fini(g);
    jit_fini(g);
    if (g->slot[GPU_SLOT_CACHE]) cache_fini(g);
    ih_fini(g);
    mmu_fini(g);
    hdp_fini(g);
    dma_fini(g);
    mmio_fini(g);
    if (g->vram) munmap(g->vram, g->vram_size);
    pthread_mutex_destroy(&g->bus_lock);
    pthread_mutex_destroy(&g->log_lock);
    free(g);
}

static void op_close(struct bus *b) {
    destroy(from_bus(b));
}

static const struct bus_ops ops = {
    .name = "emulated",
    .close = op_close,
    .cfg_read = op_cfg_read,
    .cfg_write = op_cfg_write,
    .bar_map = bar_map,
    .bar_read = bar_read,
    .bar_write = bar_write,
    .bar_resize = op_bar_resize,
    .dma_map = op_dma_map,
    .dma_unmap = op_dma_unmap,
    .irq_wait = op_irq_wait,
    .reset = op_reset,
    .delay = op_delay,
};

/* ---- opening ---- */

static uint64_t read_u64(const char *path) {
    FILE *f = fopen(path, "re");
    unsigned long long v = 0;
    if (!f) return 0;
    if (fscanf(f, "%llu", &v) != 1) v = 0;
    fclose(f);
    return v;
}

/* Half of what this process may use, within what the product has. Untouched pages cost nothing. */
static uint64_t default_vram(enum hw_gen gen) {
    uint64_t mem = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t v2 = read_u64("/sys/fs/cgroup/memory.max");
    uint64_t v1 = read_u64("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    if (v2 && v2 < mem) mem = v2;
    if (v1 && v1 < mem) mem = v1;
    uint64_t max = (gen == HW_GFX11 ? 24ull : 16ull) << 30;
    uint64_t size = mem / 2 / (256ull << 20) * (256ull << 20);
    if (size > max) size = max;
    return size < (512ull << 20) ? 512ull << 20 : size;
}

static unsigned default_cus(const struct hw_chip *chip) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned cus = n < 1 ? 2 : (unsigned)n * 2;
    return cus > chip->max_cu ? chip->max_cu : cus;
}

static int fail(char *err, size_t err_size, int rc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (err && err_size) vsnprintf(err, err_size, fmt, ap);
    va_end(ap);
    return rc;
}

static int find_tables(struct gpu *g) {
    const struct hw_chip *c = g->chip;
    const struct hw_version v[HW_IP_COUNT] = {
        [HW_GC] = c->gc,   [HW_MMHUB] = c->mmhub, [HW_OSSSYS] = c->osssys, [HW_MP0] = c->mp0,
        [HW_MP1] = c->mp1, [HW_HDP] = c->hdp,     [HW_NBIO] = c->nbio,
    };
    for (int i = 0; i < HW_IP_COUNT; i++) {
        g->ip[i] = hw_find_ip((enum hw_ip)i, v[i].major, v[i].minor, v[i].rev);
        if (!g->ip[i]) return -ENOENT;
    }
    return 0;
}

static int configure(struct gpu *g, const struct emu_config *config, char *err, size_t err_size) {
    static const char *const known[] = {"gfx1100", "gfx1102", "gfx1200", "gfx1201"};
    const char *target = config->target ? config->target : "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(target, known[i])) g->chip = hw_find_chip(target);
    if (!g->chip || find_tables(g))
        return fail(err, err_size, -ENOENT,
                    "no emulated GPU \"%s\": gfx1100, gfx1102, gfx1200 and gfx1201 exist", target);
    snprintf(g->target, sizeof g->target, "%s", target);
    g->gen = g->chip->gc.major == 12 ? HW_GFX12 : HW_GFX11;
    g->config = *config;
    g->config.target = g->target;
    g->vram_size = config->vram_bytes ? config->vram_bytes : default_vram(g->gen);
    if (g->vram_size < (64ull << 20) || g->vram_size > (1ull << 38) || g->vram_size % (16ull << 20))
        return fail(err, err_size, -EINVAL,
                    "vram=%" PRIu64 " bytes: must be a multiple of 16 MiB from 64 MiB to 256 GiB",
                    g->vram_size);
    g->config.vram_bytes = g->vram_size;
    /* Whole work-group processors of two compute units are what harvesting can take away. */
    g->cus = (config->cus ? config->cus : default_cus(g->chip)) & ~1u;
    if (g->cus < 2) g->cus = 2;
    if (g->cus > g->chip->max_cu)
        return fail(err, err_size, -EINVAL, "cus=%u: %s has %u compute units", g->cus,
                    g->chip->name, g->chip->max_cu);
    g->config.cus = g->cus;
    g->mc_base = 0x8000000000u; /* the frame buffer's place in the reference traces */
    return 0;
}

/* VRAM at an address that huge pages can back. */
static uint8_t *map_vram(uint64_t size) {
    const uint64_t huge = 2ull << 20;
    uint8_t *p = mmap(NULL, size + huge, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    uint64_t head = -(uintptr_t)p & (huge - 1);
    if (head) munmap(p, head);
    munmap(p + head + size, huge - head);
    madvise(p + head, size, MADV_HUGEPAGE); /* first touches are most of a short program's time */
    return p + head;
}

static int start(struct gpu *g) {
    g->vram = map_vram(g->vram_size);
    if (!g->vram) return -ENOMEM;
    /* A child of fork must not share a GPU whose threads it lacks, nor copy its memory. */
    madvise(g->vram, g->vram_size, MADV_DONTFORK);
    int rc = mmio_init(g);
    if (!rc) rc = pci_init(g);
    if (!rc) rc = dma_init(g);
    if (!rc) rc = hdp_init(g);
    if (!rc) rc = mmu_init(g);
    if (!rc) rc = ih_init(g);
    if (rc) return rc;
    nbio_init(g);
    gmc_init(g);
    psp_init(g);
    smu_init(g);
    gfx_init(g);
    cache_init(g);
    jit_init(g);
    cp_init(g);
    sdma_init(g);
    spi_init(g);
    if (!g->slot[GPU_SLOT_CP] || !g->slot[GPU_SLOT_SDMA] || !g->slot[GPU_SLOT_CACHE])
        return -ENOMEM;
    gpu_reset_blocks(g);
    return 0;
}

int emu_open(const struct emu_config *config, struct bus **out, char *err, size_t err_size) {
    *out = NULL;
    if (err && err_size) err[0] = 0;
    struct gpu *g = calloc(1, sizeof *g);
    if (!g) return fail(err, err_size, -ENOMEM, "out of memory");
    pthread_mutex_init(&g->bus_lock, NULL);
    pthread_mutex_init(&g->log_lock, NULL);
    g->bus.ops = &ops;
    g->start_ns = host_ns();
    int rc = configure(g, config, err, err_size);
    if (!rc) {
        rc = start(g);
        if (rc)
            fail(err, err_size, rc, "emulated %s with %" PRIu64 " MiB of VRAM: %s", g->target,
                 g->vram_size >> 20, strerror(-rc));
    }
    if (rc) {
        destroy(g);
        return rc;
    }
    *out = &g->bus;
    return 0;
}

void emu_get_counters(struct bus *bus, struct emu_counters *out) {
    struct gpu *g = from_bus(bus);
    out->guest_errors = atomic_load(&g->guest_errors);
    out->unimplemented = atomic_load(&g->unimplemented);
}

void emu_last_message(struct bus *bus, char *buf, size_t size) {
    struct gpu *g = from_bus(bus);
    pthread_mutex_lock(&g->log_lock);
    snprintf(buf, size, "%s", g->last_message);
    pthread_mutex_unlock(&g->log_lock);
}

void *emu_dma_ptr(struct bus *bus, uint64_t bus_addr) {
    uint64_t len;
    return dma_ptr(from_bus(bus), bus_addr, &len);
}
