/* SPDX-License-Identifier: MIT */
/* log.h - messages to stderr. RAWCL_LOG chooses: a comma-separated list of topics, each with an
 * optional level ("sched,mem:info,all:warn"); a topic alone means debug. Without it only errors
 * are shown. Topics: api, device, context, sched, mem, build, kernel, printf, and the driver's.
 */
#ifndef RAWCL_RUNTIME_LOG_H
#define RAWCL_RUNTIME_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

bool log_wants(const char *topic, enum log_level level);
/* One line; a newline is added. */
void log_line(const char *topic, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define log_err(topic, ...)  log_line(topic, LOG_ERROR, __VA_ARGS__)
#define log_warn(topic, ...) log_line(topic, LOG_WARN, __VA_ARGS__)
#define log_info(topic, ...) log_line(topic, LOG_INFO, __VA_ARGS__)
#define log_dbg(topic, ...)  log_line(topic, LOG_DEBUG, __VA_ARGS__)

/* Parses a specification as RAWCL_LOG holds it and says whether it shows topic at level. */
bool log_spec_wants(const char *spec, const char *topic, enum log_level level);

#endif
