/* SPDX-License-Identifier: MIT */
/* gpud_server.h - a rawcl-gpud of a test's own. */
#ifndef RAWCL_TESTS_GPUD_SERVER_H
#define RAWCL_TESTS_GPUD_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

struct gpud_server {
    pid_t pid;
    char address[128]; /* for "remote:%s" */
    char dir[64];      /* of the socket */
    int out;           /* what it prints */
};

/* Starts the program on a socket of a private directory, or on a free port of 127.0.0.1. 0 once it
 * listens. */
int gpud_server_start(struct gpud_server *s, const char *program, const char *device, bool tcp);
/* Ends it; the sum of guest errors and unimplemented features that it reported last, -1 if it did
 * not end well. */
int gpud_server_stop(struct gpud_server *s);

#endif
