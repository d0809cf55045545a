/* SPDX-License-Identifier: MIT */
/* Messages of the driver, through the runtime's callback. AM_DEBUG decides how much is said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/dev.h"

int log_debug_level(void) {
    const char *s = getenv("AM_DEBUG");
    return s && *s ? atoi(s) : 0;
}

void am_log(struct am_device *d, enum am_log_level level, const char *topic, const char *fmt, ...) {
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (d && level == AM_LOG_ERROR) memcpy(d->last_error, line, sizeof line);
    if (d && d->quiet) return;
    if (d && d->opt.log) {
        d->opt.log(d->opt.log_ctx, level, topic, line);
        return;
    }
    /* Without a listener only what the user asked for, and what must not be lost, is printed. */
    if (level <= AM_LOG_WARN || log_debug_level() > 0)
        fprintf(stderr, "rawcl: %s: %s\n", topic, line);
}
