/* SPDX-License-Identifier: MIT */
#include "compiler/worker_link.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/worker_llvm.h"

/* An anonymous file for the linker. Returns a descriptor or -1. */
static int link_object_file(const char *at, size_t left) {
    int fd = memfd_create("rawcl-object", MFD_CLOEXEC);
    while (fd >= 0 && left) {
        ssize_t n = write(fd, at, left);
        if (n <= 0) {
            close(fd);
            return -1;
        }
        at += n;
        left -= (size_t)n;
    }
    return fd;
}

/* lld writes "-" to standard output, which main() made an anonymous file. */
static const char *link_take_output(struct worker_linked *out) {
    struct stat st;
    if (fstat(STDOUT_FILENO, &st) || st.st_size <= 0) return "error: the linker wrote nothing\n";
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, STDOUT_FILENO, 0);
    if (data == MAP_FAILED) return "error: the linker's output cannot be read\n";
    out->data = data;
    out->size = (size_t)st.st_size;
    return NULL;
}

void worker_link(const void *object, size_t size,
                 void (*log)(void *user, const char *text, size_t size), void *user,
                 struct worker_linked *out) {
    char path[64];
    const char *why = NULL;
    *out = (struct worker_linked){.again = true};
    int fd = link_object_file(object, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const char *args[] = {
        "ld.lld", "-shared", "--no-undefined", "--threads=1", "--build-id=none", path, "-o", "-"};
    if (fd < 0)
        why = "error: no memory for the object file\n";
    else if (ftruncate(STDOUT_FILENO, 0) || lseek(STDOUT_FILENO, 0, SEEK_SET) < 0)
        why = "error: no room for the linker's output\n";
    else if (llvm_lld(args, sizeof args / sizeof args[0], log, user, &out->again))
        why = link_take_output(out);
    if (why) log(user, why, strlen(why));
    if (fd >= 0) close(fd);
}

void worker_linked_free(struct worker_linked *linked) {
    if (linked->data) munmap(linked->data, linked->size);
    linked->data = NULL;
}
