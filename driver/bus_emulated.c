/* SPDX-License-Identifier: MIT */
/* The emulated GPU as a bus: the options of emu:TARGET,key=value… RAWCL_EMU_TIMEOUT is checked here
 * and obeyed by the driver's watchdog (wait.c), as on silicon: the model itself kills nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/dev.h"
#include "driver/emulator/emulator.h"
#include "driver/enumerate.h"

#ifdef RAWCL_HAVE_EMULATOR
/* The model outlives the call that made it, so what its messages go to is kept with the bus's
 * process: one listener for all emulated devices, the last one set. */
static struct {
    pthread_mutex_t lock;
    am_log_fn *log;
    void *ctx;
} listener = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL};

static void forward(void *ctx, enum emu_log_level level, const char *line) {
    (void)ctx;
    pthread_mutex_lock(&listener.lock);
    am_log_fn *log = listener.log;
    void *log_ctx = listener.ctx;
    pthread_mutex_unlock(&listener.lock);
    bool jit = level == EMU_LOG_JIT || level == EMU_LOG_JIT_FAILED;
    bool loud = level == EMU_LOG_GUEST_ERROR || level == EMU_LOG_UNIMPLEMENTED ||
                level == EMU_LOG_JIT_FAILED;
    if (log)
        log(log_ctx,
            loud                            ? AM_LOG_WARN
            : level == EMU_LOG_FAULT || jit ? AM_LOG_INFO
                                            : AM_LOG_DEBUG,
            jit ? "jit" : "emulator", line);
    else if (loud || (level == EMU_LOG_FAULT && log_debug_level() >= 3) || log_debug_level() >= 4)
        fprintf(stderr, "rawcl: emulator: %s\n", line);
}

int bus_emulated_open(const struct device_spec *s, const struct am_options *opt, struct bus **out,
                      char *err, size_t err_size) {
    const char *timeout = getenv("RAWCL_EMU_TIMEOUT");
    char *end = NULL;
    double seconds = timeout && *timeout ? strtod(timeout, &end) : 0;
    if (end && (*end || seconds < 0)) {
        snprintf(err, err_size, "RAWCL_EMU_TIMEOUT=%s is not a number of seconds", timeout);
        return -EINVAL;
    }
    pthread_mutex_lock(&listener.lock);
    listener.log = opt ? opt->log : NULL;
    listener.ctx = opt ? opt->log_ctx : NULL;
    pthread_mutex_unlock(&listener.lock);
    struct emu_config config = {
        .target = s->target,
        .vram_bytes = s->vram_bytes,
        .cus = s->cus,
        .threads = s->threads,
        .log = forward,
        .jit_compile = opt ? opt->jit_compile : NULL,
        .jit_ctx = opt ? opt->jit_ctx : NULL,
    };
    return emu_open(&config, out, err, err_size);
}
#else
int bus_emulated_open(const struct device_spec *s, const struct am_options *opt, struct bus **out,
                      char *err, size_t err_size) {
    (void)opt;
    *out = NULL;
    snprintf(err, err_size, "%s: this build has no emulated GPU", s->id);
    return -ENOTSUP;
}
#endif
