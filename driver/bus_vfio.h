/* SPDX-License-Identifier: MIT */
/* bus_vfio.h - the system calls that bus_vfio.c makes, so that tests can answer them. */
#ifndef RAWCL_DRIVER_BUS_VFIO_H
#define RAWCL_DRIVER_BUS_VFIO_H

#include <stddef.h>
#include <sys/types.h>

struct vfio_calls {
    int (*open)(const char *path, int flags); /* -errno on failure, like all here */
    int (*ioctl)(int fd, unsigned long request, void *arg);
    void *(*map)(int fd, size_t size, off_t off); /* MAP_FAILED, read and write, shared */
    ssize_t (*pread)(int fd, void *buf, size_t n, off_t off);
    ssize_t (*pwrite)(int fd, const void *buf, size_t n, off_t off);
};

/* For tests, before a bus is opened; NULL: the kernel's. */
void bus_vfio_calls(const struct vfio_calls *calls);

#endif
