/* SPDX-License-Identifier: MIT */
#include "driver/emulator/jit_map.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/emulator/isa/jit_abi.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u /* linux/memfd.h, since 6.3 */
#endif

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
    out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (out->handle) out->object = dlsym(out->handle, JIT_SYMBOL);
    close(fd);
    if (out->object) return 0;
    const char *text = dlerror();
    snprintf(why, why_size, "compiled code cannot be mapped: %s", text ? text : "no reason given");
    jit_map_close(out);
    return -ENOEXEC;
}

void jit_map_close(struct jit_map *m) {
    if (m->handle) dlclose(m->handle);
    *m = (struct jit_map){0};
}
