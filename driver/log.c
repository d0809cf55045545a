/* SPDX-License-Identifier: MIT */
/* Messages of the driver. What the user asks for with AM_DEBUG goes to stderr; errors, warnings and
 * information go to the runtime's callback. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/dev.h"

int log_debug_level(void) {
    const char *s = getenv("AM_DEBUG");
    return s && *s ? (int)strtol(s, NULL, 10) : 0;
}

/* The AM_DEBUG at which a message is shown. */
static int shown_at(enum am_log_level level, const char *topic) {
    static const struct {
        const char *topic;
        int at;
    } topics[] = {
        {"firmware", 1}, {"bus", 4},  {"ih", 3},     {"fault", 3},
        {"submit", 3},   {"ring", 3}, {"memory", 3}, {"wait", 3},
    };
    if (level <= AM_LOG_WARN) return 0;
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(topics[i].topic, topic) == 0) return topics[i].at;
    return 2; /* steps of the boot */
}

void am_log(struct am_device *d, enum am_log_level level, const char *topic, const char *fmt, ...) {
    int debug = d ? d->debug : log_debug_level();
    bool wanted = level > AM_LOG_WARN && debug >= shown_at(level, topic);
    if (level == AM_LOG_DEBUG && !wanted) return; /* many: not even put together */
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (d && level == AM_LOG_ERROR) memcpy(d->last_error, line, sizeof line);
    if (d && d->quiet) return;
    if (wanted || (level <= AM_LOG_WARN && !(d && d->opt.log)))
        fprintf(stderr, "rawcl: %s: %s\n", topic, line);
    else if (d && d->opt.log && level != AM_LOG_DEBUG)
        d->opt.log(d->opt.log_ctx, level, topic, line);
}
