/* SPDX-License-Identifier: MIT */
/* boot_bus.h - a bus for tests around the emulated GPU: outlives the driver that closes it (as
 * silicon does), counts accesses and can fail one of them. */
#ifndef RAWCL_TESTS_BOOT_BUS_H
#define RAWCL_TESTS_BOOT_BUS_H

#include <pthread.h>
#include <stdbool.h>

#include "driver/bus.h"
#include "driver/emulator/emulator.h"

struct boot_bus {
    struct bus base;
    struct bus *gpu;
    uint64_t accesses; /* BAR and configuration accesses so far */
    uint64_t fail_at;  /* from this access on every one fails with -EIO; 0: none */
    bool gone;         /* reads give all ones, writes vanish: a device that fell off the bus */
    uint64_t delay_us; /* sum of delays */
    /* True for a write that the device shall not see; may be NULL. ack: dword of BAR5 that then
     * reads as 1, as if what the write asks for had been done. */
    bool (*lose)(struct boot_bus *b, int bar, uint64_t off);
    uint32_t ack;
    /* What the model complained of, one a line, as far as there is room. */
    pthread_mutex_t log_lock;
    char log[8192];
};

int boot_bus_open(struct boot_bus *b, const char *target, char *err, size_t err_size);
/* Takes the GPU away for good. */
void boot_bus_destroy(struct boot_bus *b);
struct emu_counters boot_bus_counters(struct boot_bus *b);
/* Does the log hold the text? */
bool boot_bus_logged(struct boot_bus *b, const char *text);

#endif
