/* emulator.h - opens an emulated GPU as a bus. The only emulator header that bus_emulated.c and
 * rawcl-gpud include; everything behind it is private to driver/emulator/.
 */
#ifndef RAWCL_EMULATOR_H
#define RAWCL_EMULATOR_H

#include "driver/bus.h"

/* What the model thinks of its guest. Both are zero at the end of every test. */
struct emu_counters {
    uint64_t guest_errors;  /* the driver did what silicon would reject or ignore */
    uint64_t unimplemented; /* the model lacks something a correct driver may use */
};

enum emu_log_level {
    EMU_LOG_GUEST_ERROR,
    EMU_LOG_UNIMPLEMENTED,
    EMU_LOG_FAULT,
    EMU_LOG_DEBUG,
    EMU_LOG_JIT,       /* code was compiled, or found in the cache */
    EMU_LOG_JIT_FAILED /* the compiler failed: the first time only */
};

/* What became of the code that ran often enough. */
struct emu_jit_counters {
    uint64_t requests;     /* pieces of code that were to be compiled */
    uint64_t compiled;     /* by the compiler, in this process */
    uint64_t cache_hits;   /* found compiled */
    uint64_t refused;      /* left to the interpreter: the lifter has no way to do it */
    uint64_t failures;     /* crashes and errors of the compiler */
    uint64_t changed;      /* compiled code withdrawn because memory holds other code now */
    uint64_t instructions; /* in compiled code, as blocks, stepped and left */
    uint64_t blocks;
    uint64_t stepped;   /* instructions that compiled code asks the interpreter to run */
    uint64_t left;      /* instructions at which compiled code ends */
    char unlifted[512]; /* mnemonics of the last two with counts, "NAME:3 NAME:1" */
};

/* See am_jit_fn in driver/am.h, which is the same type. */
typedef int emu_jit_fn(void *ctx, const void *request, size_t size, bool only_cached, void **reply,
                       size_t *reply_size, char *why, size_t why_size);

struct emu_config {
    const char *target;  /* "gfx1100", "gfx1201"; others: -ENOENT with a message */
    uint64_t vram_bytes; /* 0: default for the host */
    unsigned cus;        /* compute units presented; 0: default for the host */
    unsigned threads;    /* host threads executing waves; 0: by affinity and cgroup quota */
    double hang_seconds; /* watchdog: seconds without progress before a kernel is hung, 0: off */
    /* Receives one line without newline per event, on the thread that caused it. It may ask for
     * counters and the last message, but must not use the bus. NULL: all but debug go to stderr. */
    void (*log)(void *ctx, enum emu_log_level level, const char *line);
    void *log_ctx;
    emu_jit_fn *jit_compile; /* NULL: interpreter only, as with RAWCL_EMU_JIT=0 */
    void *jit_ctx;
};

/* Creates a GPU in the never-initialised state and returns it as a bus. err receives a message.
 * The bus's close() stops the device's threads and frees it. */
int emu_open(const struct emu_config *config, struct bus **out, char *err, size_t err_size);

/* Valid for a bus made by emu_open only. */
void emu_get_counters(struct bus *bus, struct emu_counters *out);

void emu_get_jit_counters(struct bus *bus, struct emu_jit_counters *out);

/* The last guest error, unimplemented feature or fault, "" if none. Valid until the next one. */
void emu_last_message(struct bus *bus, char *buf, size_t size);

/* The address in this process of the system memory page behind a bus address that dma_map gave, or
 * NULL. For servers that hand DMA memory to clients. */
void *emu_dma_ptr(struct bus *bus, uint64_t bus_addr);

#endif
