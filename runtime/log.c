/* SPDX-License-Identifier: MIT */
#include "runtime/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = {"error", "warn", "info", "debug"};

static enum log_level level_parse(const char *text, size_t len) {
    static const struct {
        const char *name;
        enum log_level level;
    } names[] = {{"error", LOG_ERROR}, {"err", LOG_ERROR},   {"warn", LOG_WARN},
                 {"info", LOG_INFO},   {"debug", LOG_DEBUG}, {"dbg", LOG_DEBUG}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].name) == len && !strncmp(names[i].name, text, len))
            return names[i].level;
    return LOG_DEBUG;
}

bool log_spec_wants(const char *spec, const char *topic, enum log_level level) {
    if (level == LOG_ERROR) return true;
    while (spec && *spec) {
        size_t len = strcspn(spec, ",");
        const char *colon = memchr(spec, ':', len);
        size_t name_len = colon ? (size_t)(colon - spec) : len;
        enum log_level max = colon ? level_parse(colon + 1, len - name_len - 1) : LOG_DEBUG;
        bool all = name_len == 3 && !strncmp(spec, "all", 3);

        if (all || (strlen(topic) == name_len && !strncmp(spec, topic, name_len)))
            if (level <= max) return true;
        spec += len;
        if (*spec == ',') spec++;
    }
    return false;
}

bool log_wants(const char *topic, enum log_level level) {
    return log_spec_wants(getenv("RAWCL_LOG"), topic, level);
}

void log_line(const char *topic, enum log_level level, const char *fmt, ...) {
    char line[1024];
    va_list ap;

    if (!log_wants(topic, level)) return;
    int saved = errno;
    int n = snprintf(line, sizeof line, "rawcl: %s: %s: ", topic, level_names[level]);
    va_start(ap, fmt);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, ap);
    va_end(ap);
    size_t len = (size_t)n + (m > 0 ? (size_t)m : 0);
    if (len > sizeof line - 2) len = sizeof line - 2;
    line[len++] = '\n';
    /* One write a line, so that lines of several threads do not mix; a closed stderr is not our
     * failure. */
    ssize_t written = write(STDERR_FILENO, line, len);
    (void)written;
    errno = saved;
}
