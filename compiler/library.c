/* SPDX-License-Identifier: MIT */
#include "compiler/library.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int library_check(struct library *l) {
    if (l->size < sizeof *l->header) return -EINVAL;
    l->header = (const struct library_header *)l->data;
    l->names = (const struct library_name *)(l->header + 1);
    const uint64_t names = l->header->name_count, shards = l->header->shard_count;
    l->shards = (const struct library_shard *)(l->names + names);
    if (l->header->magic != LIBRARY_MAGIC ||
        sizeof *l->header + names * sizeof *l->names + shards * sizeof *l->shards > l->size)
        return -EINVAL;
    for (uint64_t i = 0; i < names; i++)
        if (l->names[i].text >= l->size || l->names[i].shard >= shards) return -EINVAL;
    for (uint64_t i = 0; i < shards; i++)
        if ((uint64_t)l->shards[i].offset + l->shards[i].size > l->size) return -EINVAL;
    return l->data[l->size - 1] == 0 ? 0 : -EINVAL; /* so every text ends inside the file */
}

int library_open(const char *path, struct library *out) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    int r = fstat(fd, &st) ? -errno : st.st_size <= 0 ? -EINVAL : 0;
    void *data = MAP_FAILED;
    if (!r) data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (!r && data == MAP_FAILED) r = -errno;
    close(fd);
    if (r) return r;
    *out = (struct library){.data = data, .size = (size_t)st.st_size};
    return library_check(out);
}

int library_find(const struct library *library, const char *name) {
    size_t low = 0, high = library->header->name_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, (const char *)library->data + library->names[middle].text);
        if (!order) return (int)library->names[middle].shard;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}
