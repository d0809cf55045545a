/* SPDX-License-Identifier: MIT */
/* spawn.h - starts the worker so that the application never notices: it is nobody's child. */
#ifndef RAWCL_COMPILER_SPAWN_H
#define RAWCL_COMPILER_SPAWN_H

#include <stddef.h>

/* Where the worker's executable is: $RAWCL_COMPILER, or beside this code (build tree, installed).
 * Returns 0, or -ENOENT and a sentence that lists where it was looked for. */
int spawn_find_worker(char *path, size_t size, char *err, size_t err_size);

/* Starts path with one end of a socket pair. Returns our end (close-on-exec), or -errno and a
 * sentence. An executable that cannot be run shows as end of file on the socket. */
int spawn_worker(const char *path, char *err, size_t err_size);

#endif
