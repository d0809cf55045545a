/* SPDX-License-Identifier: MIT */
#include "compiler/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define CACHE_VERSION       1
#define CACHE_TRIM_INTERVAL 32   /* stores of one process between two trims */
#define CACHE_TEMP_AGE      3600 /* seconds after which a temporary file is a leftover */

static const char cache_magic[8] = {'R', 'a', 'w', 'C', 'L', 'k', 'e', 'y'};

struct cache_header {
    char magic[8];
    uint64_t version;
    uint64_t key[2];
    uint64_t size;    /* of the encoded result that follows, bytes */
    uint64_t hash[2]; /* of those bytes */
};

struct cache_key cache_make_key(const void *data, size_t size) {
    XXH128_hash_t h = XXH3_128bits(data, size);
    return (struct cache_key){{h.low64, h.high64}};
}

/* The base directory, or false when there is no cache. */
static bool cache_base(char *path, size_t size) {
    const char *set = getenv("RAWCL_CACHE_DIR");
    if (set) {
        if (!set[0] || !strcmp(set, "off")) return false;
        return snprintf(path, size, "%s", set) < (int)size;
    }
    const char *xdg = getenv("XDG_CACHE_HOME");
    if (xdg && xdg[0] == '/') return snprintf(path, size, "%s/rawcl", xdg) < (int)size;
    const char *home = getenv("HOME");
    if (home && home[0] == '/') return snprintf(path, size, "%s/.cache/rawcl", home) < (int)size;
    return false;
}

static void cache_make_parents(char *path) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

/* Opens the directory of entries, made if need be. Returns a descriptor or -1. Somebody else's
 * directory, or one that others can write to, is not used. */
static int cache_open_directory(enum cache_part part, bool create) {
    static const char *const names[] = {"kernels", "jit"};
    char path[PATH_MAX], entries[PATH_MAX + 16];
    struct stat st;
    if (!cache_base(path, sizeof path)) return -1;
    snprintf(entries, sizeof entries, "%s/%s", path, names[part]);
    int fd = open(entries, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && create) {
        cache_make_parents(entries);
        fd = open(entries, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0) return -1;
    if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 077)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void cache_name(const struct cache_key *key, char name[48]) {
    snprintf(name, 48, "%016llx%016llx.rawcl", (unsigned long long)key->hash[1],
             (unsigned long long)key->hash[0]);
}

/* Reads a whole file of a sane size. Returns false on anything odd. */
static bool cache_read(int fd, struct bytes *out) {
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
        return false;
    if (st.st_size < (off_t)sizeof(struct cache_header) || st.st_size > (off_t)WIRE_FRAME_MAX)
        return false;
    size_t size = (size_t)st.st_size;
    out->data = malloc(size + 1);
    if (!out->data) return false;
    out->capacity = size + 1;
    while (out->size < size) {
        ssize_t n = read(fd, out->data + out->size, size - out->size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        out->size += (size_t)n;
    }
    return true;
}

static bool cache_dependencies_unchanged(const struct wire_result *r) {
    for (size_t i = 0; i < r->dependency_count; i++) {
        uint64_t hash[2];
        if (wire_hash_file(r->dependencies[i].path, hash)) return false;
        if (memcmp(hash, r->dependencies[i].hash, sizeof hash) != 0) return false;
    }
    return true;
}

static bool cache_decode(const struct bytes *file, const struct cache_key *key,
                         struct wire_result *out) {
    struct cache_header h;
    memcpy(&h, file->data, sizeof h);
    struct bytes payload = {.data = file->data + sizeof h, .size = file->size - sizeof h};
    if (memcmp(h.magic, cache_magic, sizeof h.magic) || h.version != CACHE_VERSION) return false;
    if (memcmp(h.key, key->hash, sizeof h.key) || h.size != payload.size) return false;
    struct cache_key check = cache_make_key(payload.data, payload.size);
    if (memcmp(check.hash, h.hash, sizeof h.hash)) return false;
    if (wire_get_result(&payload, out)) return false;
    if (out->status == COMPILER_OK && out->binary && cache_dependencies_unchanged(out)) return true;
    wire_result_free(out);
    return false;
}

bool cache_lookup(enum cache_part part, const struct cache_key *key, struct wire_result *out) {
    char name[48];
    struct bytes file = {0};
    int dir = cache_open_directory(part, false);
    if (dir < 0) return false;
    cache_name(key, name);
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool hit = fd >= 0 && cache_read(fd, &file) && cache_decode(&file, key, out);
    if (hit) futimens(fd, NULL); /* used now: the trim goes by modification time */
    if (fd >= 0) close(fd);
    close(dir);
    bytes_free(&file);
    return hit;
}

static bool cache_write(int fd, const void *data, size_t size) {
    const char *at = data;
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

void cache_store(enum cache_part part, const struct cache_key *key,
                 const struct wire_result *result) {
    static atomic_uint counter;
    char name[48], temporary[64];
    struct bytes payload = {0};
    int dir = cache_open_directory(part, true);
    if (dir < 0) return;
    wire_put_result(&payload, result);
    struct cache_key check = cache_make_key(payload.data, payload.size);
    struct cache_header h = {.version = CACHE_VERSION,
                             .key = {key->hash[0], key->hash[1]},
                             .size = payload.size,
                             .hash = {check.hash[0], check.hash[1]}};
    memcpy(h.magic, cache_magic, sizeof h.magic);
    unsigned n = atomic_fetch_add(&counter, 1);
    cache_name(key, name);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    /* Unique among processes that may share neither pid nor host. */
    snprintf(temporary, sizeof temporary, ".new-%ld-%u-%llx", (long)getpid(), n,
             (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec);
    int fd = payload.failed ? -1
                            : openat(dir, temporary,
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
        bool written = cache_write(fd, &h, sizeof h) && cache_write(fd, payload.data, payload.size);
        written = !close(fd) && written;
        if (!written || renameat(dir, temporary, dir, name)) unlinkat(dir, temporary, 0);
    }
    close(dir);
    bytes_free(&payload);
    if (n % CACHE_TRIM_INTERVAL == 0) cache_trim(part, CACHE_SIZE_MAX);
}

struct cache_file {
    struct timespec used;
    uint64_t size;
    char name[48];
};

static int cache_older(const void *a, const void *b) {
    const struct timespec *x = &((const struct cache_file *)a)->used;
    const struct timespec *y = &((const struct cache_file *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Lists the entries; leftovers of writers that died go at once. */
static size_t cache_list(DIR *stream, struct cache_file **list, uint64_t *total) {
    size_t count = 0, capacity = 0;
    struct dirent *e;
    struct stat st;
    while ((e = readdir(stream))) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (fstatat(dirfd(stream), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (!strncmp(e->d_name, ".new-", 5)) {
            if (time(NULL) - st.st_mtime > CACHE_TEMP_AGE) unlinkat(dirfd(stream), e->d_name, 0);
            continue;
        }
        size_t length = strlen(e->d_name);
        if (length >= sizeof(*list)->name) continue;
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 256;
            struct cache_file *more = realloc(*list, capacity * sizeof *more);
            if (!more) break;
            *list = more;
        }
        struct cache_file *f = &(*list)[count++];
        *f = (struct cache_file){.used = st.st_mtim, .size = (uint64_t)st.st_size};
        memcpy(f->name, e->d_name, length + 1);
        *total += f->size;
    }
    return count;
}

void cache_trim(enum cache_part part, uint64_t size_max) {
    int dir = cache_open_directory(part, false);
    DIR *stream = dir >= 0 ? fdopendir(dir) : NULL;
    if (!stream) {
        if (dir >= 0) close(dir);
        return;
    }
    struct cache_file *list = NULL;
    uint64_t total = 0;
    size_t count = cache_list(stream, &list, &total);
    if (total > size_max) {
        qsort(list, count, sizeof *list, cache_older);
        for (size_t i = 0; i < count && total > size_max - size_max / 4; i++)
            if (!unlinkat(dirfd(stream), list[i].name, 0)) total -= list[i].size;
    }
    free(list);
    closedir(stream);
}
