/* SPDX-License-Identifier: MIT */
/* worker_link.h - from one relocatable object to a shared object, inside the worker. */
#ifndef RAWCL_COMPILER_WORKER_LINK_H
#define RAWCL_COMPILER_WORKER_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct worker_linked {
    void *data; /* mapped; NULL after an error, which the log has */
    size_t size;
    bool again; /* false: lld must not be called again in this process */
};

/* Runs ld.lld -shared over an object; it must have no undefined symbols. */
void worker_link(const void *object, size_t size,
                 void (*log)(void *user, const char *text, size_t size), void *user,
                 struct worker_linked *out);
void worker_linked_free(struct worker_linked *linked);

#endif
