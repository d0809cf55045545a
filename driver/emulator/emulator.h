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

enum emu_log_level { EMU_LOG_GUEST_ERROR, EMU_LOG_UNIMPLEMENTED, EMU_LOG_FAULT, EMU_LOG_DEBUG };

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
};

/* Creates a GPU in the never-initialised state and returns it as a bus. err receives a message.
 * The bus's close() stops the device's threads and frees it. */
int emu_open(const struct emu_config *config, struct bus **out, char *err, size_t err_size);

/* Valid for a bus made by emu_open only. */
void emu_get_counters(struct bus *bus, struct emu_counters *out);

/* The last guest error, unimplemented feature or fault, "" if none. Valid until the next one. */
void emu_last_message(struct bus *bus, char *buf, size_t size);

/* The address in this process of the system memory page behind a bus address that dma_map gave, or
 * NULL. For servers that hand DMA memory to clients. */
void *emu_dma_ptr(struct bus *bus, uint64_t bus_addr);

#endif
