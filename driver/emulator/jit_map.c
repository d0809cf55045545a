/* SPDX-License-Identifier: MIT */
#include "driver/emulator/jit_map.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "driver/emulator/isa/jit_abi.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u /* linux/memfd.h, since 6.3 */
#endif

/* A process that forks while one of our threads is inside the loader has a child in which the
 * loader's lock is held for ever. So a fork waits until that is over, for a bounded time: the
 * thread may itself be waiting for a constructor that forks. */
enum { FORK_WAIT_NS = 200 * 1000 * 1000 };
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static bool forking; /* the forking thread holds the lock */

static void before_fork(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += FORK_WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (!pthread_mutex_timedlock(&loading, &until)) forking = true;
}

static void after_fork(void) {
    if (!forking) return;
    forking = false;
    pthread_mutex_unlock(&loading);
}

static void after_fork_child(void) {
    if (forking)
        after_fork();
    else
        pthread_mutex_init(&loading, NULL);
}

static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, after_fork_child);
}

static void enter_loader(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&loading);
}

static int anonymous_file(const char *at, size_t left) {
    int fd = memfd_create("rawcl-jit", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
    if (fd < 0 && errno == EINVAL) fd = memfd_create("rawcl-jit", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    while (fd >= 0 && left) {
        ssize_t n = write(fd, at, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            close(fd);
            return -ENOSPC;
        }
        at += n;
        left -= (size_t)n;
    }
    if (fd < 0) return -errno;
    if (!fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return fd;
    int err = -errno;
    close(fd);
    return err;
}

/* The loader takes two libraries of one name for the same, and descriptors' numbers come again: the
 * number of this object is in the path, as "/" and "/./". */
static void unique_path(int fd, char path[192]) {
    static atomic_uint count;
    unsigned n = atomic_fetch_add(&count, 1);
    size_t at = (size_t)snprintf(path, 192, "/proc/self/fd");
    for (unsigned bit = 0; bit < 32; bit++)
        at += (size_t)snprintf(path + at, 192 - at, n >> bit & 1 ? "/." : "/");
    snprintf(path + at, 192 - at, "/%d", fd);
}

int jit_map_open(const void *data, size_t size, struct jit_map *out, char *why, size_t why_size) {
    char path[192];
    *out = (struct jit_map){0};
    int fd = anonymous_file(data, size);
    if (fd < 0) {
        snprintf(why, why_size, "no anonymous file for compiled code: %s", strerror(-fd));
        return fd;
    }
    unique_path(fd, path);
    enter_loader();
    out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (out->handle) out->object = dlsym(out->handle, JIT_SYMBOL);
    const char *text = out->object ? NULL : dlerror();
    pthread_mutex_unlock(&loading);
    close(fd);
    if (out->object) return 0;
    snprintf(why, why_size, "compiled code cannot be mapped: %s", text ? text : "no reason given");
    jit_map_close(out);
    return -ENOEXEC;
}

void jit_map_close(struct jit_map *m) {
    if (m->handle) {
        enter_loader();
        dlclose(m->handle);
        pthread_mutex_unlock(&loading);
    }
    *m = (struct jit_map){0};
}
