/* SPDX-License-Identifier: MIT */
#include "compiler/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define WIRE_MAGIC 0x314c4352u /* "RCL1" */

struct frame_header {
    uint32_t magic, kind;
    uint64_t size;
};

void bytes_free(struct bytes *b) {
    free(b->data);
    *b = (struct bytes){0};
}

/* Makes room for more bytes and a terminating NUL. */
static bool bytes_reserve(struct bytes *b, size_t more) {
    if (b->failed) return false;
    if (more < SIZE_MAX / 4 && b->size + more + 1 <= b->capacity) return true;
    size_t capacity = b->capacity ? b->capacity : 256;
    while (capacity < SIZE_MAX / 4 && capacity < b->size + more + 1)
        capacity *= 2;
    char *data = more < SIZE_MAX / 4 ? realloc(b->data, capacity) : NULL;
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

void bytes_put(struct bytes *b, const void *data, size_t size) {
    if (!bytes_reserve(b, size)) return;
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = 0;
}

void bytes_put_u32(struct bytes *b, uint32_t value) {
    bytes_put(b, &value, sizeof value);
}

void bytes_put_u64(struct bytes *b, uint64_t value) {
    bytes_put(b, &value, sizeof value);
}

void bytes_put_blob(struct bytes *b, const void *data, size_t size) {
    bytes_put_u64(b, size);
    bytes_put(b, data, size);
    bytes_put(b, "", 1);
}

void bytes_put_string(struct bytes *b, const char *text) {
    bytes_put_blob(b, text, text ? strlen(text) : 0);
}

void bytes_printf(struct bytes *b, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n >= 0 && bytes_reserve(b, (size_t)n)) {
        vsnprintf(b->data + b->size, (size_t)n + 1, format, again);
        b->size += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

char *bytes_take_text(struct bytes *b) {
    bytes_put(b, "", 0);
    char *text = b->failed ? NULL : b->data;
    if (b->failed) free(b->data);
    *b = (struct bytes){0};
    return text ? text : strdup("");
}

static const char *reader_take(struct reader *r, size_t size) {
    if (r->failed || size > r->left) {
        r->failed = true;
        return NULL;
    }
    const char *at = r->at;
    r->at += size;
    r->left -= size;
    return at;
}

uint32_t reader_u32(struct reader *r) {
    uint32_t value = 0;
    const char *at = reader_take(r, sizeof value);
    if (at) memcpy(&value, at, sizeof value);
    return value;
}

uint64_t reader_u64(struct reader *r) {
    uint64_t value = 0;
    const char *at = reader_take(r, sizeof value);
    if (at) memcpy(&value, at, sizeof value);
    return value;
}

const char *reader_blob(struct reader *r, size_t *size) {
    uint64_t n = reader_u64(r);
    const char *at = n < SIZE_MAX ? reader_take(r, (size_t)n + 1) : NULL;
    if (!at || at[n] != 0) {
        r->failed = true;
        *size = 0;
        return "";
    }
    *size = (size_t)n;
    return at;
}

const char *reader_string(struct reader *r) {
    size_t size;
    return reader_blob(r, &size);
}

static int wire_write(int fd, const void *data, size_t size) {
    const char *at = data;
    while (size) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == ECONNRESET ? -EPIPE : -errno;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

static int64_t wire_now_ms(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int wire_read(int fd, void *data, size_t size, int64_t deadline) {
    char *at = data;
    while (size) {
        if (deadline >= 0) {
            int64_t left = deadline - wire_now_ms();
            struct pollfd p = {.fd = fd, .events = POLLIN};
            if (left <= 0) return -ETIMEDOUT;
            int ready = poll(&p, 1, left > 1000000 ? 1000000 : (int)left);
            if (ready < 0 && errno != EINTR) return -errno;
            if (ready <= 0) continue;
        }
        ssize_t n = recv(fd, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == ECONNRESET ? -EPIPE : -errno;
        if (n == 0) return -EPIPE;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

int wire_send(int fd, enum wire_kind kind, const struct bytes *payload) {
    static const struct bytes nothing;
    if (!payload) payload = &nothing;
    if (payload->failed) return -ENOMEM;
    if (payload->size > WIRE_FRAME_MAX) return -EMSGSIZE;
    struct frame_header header = {WIRE_MAGIC, kind, payload->size};
    int r = wire_write(fd, &header, sizeof header);
    return r ? r : wire_write(fd, payload->data, payload->size);
}

int wire_receive(int fd, enum wire_kind *kind, struct bytes *payload, int timeout_ms) {
    int64_t deadline = timeout_ms < 0 ? -1 : wire_now_ms() + timeout_ms;
    struct frame_header header;
    int r = wire_read(fd, &header, sizeof header, deadline);
    if (r) return r;
    if (header.magic != WIRE_MAGIC || header.size > WIRE_FRAME_MAX) return -EPROTO;
    payload->size = 0;
    payload->failed = false;
    if (!bytes_reserve(payload, header.size)) return -ENOMEM;
    r = wire_read(fd, payload->data, header.size, deadline);
    if (r) return r;
    payload->size = header.size;
    payload->data[payload->size] = 0;
    *kind = (enum wire_kind)header.kind;
    return 0;
}

static void wire_put_blobs(struct bytes *b, const struct compiler_blob *blobs, size_t count) {
    bytes_put_u64(b, count);
    for (size_t i = 0; i < count; i++) {
        bytes_put_string(b, blobs[i].name);
        bytes_put_blob(b, blobs[i].data, blobs[i].size);
    }
}

void wire_put_job(struct bytes *b, const struct compiler_job *job, const char *directory) {
    bytes_put_u32(b, job->action);
    bytes_put_u32(b, job->wave64);
    bytes_put_string(b, job->target);
    bytes_put_string(b, job->options);
    bytes_put_string(b, directory);
    bytes_put_blob(b, job->source, job->source ? job->source_size : 0);
    wire_put_blobs(b, job->headers, job->header_count);
    wire_put_blobs(b, job->inputs, job->input_count);
}

/* Appends the blobs of one list to *all, which grows. Returns their number. */
static size_t wire_get_blobs(struct reader *r, struct compiler_blob **all, size_t have) {
    uint64_t count = reader_u64(r);
    if (count > r->left / 18) { /* each takes two lengths and two NULs */
        r->failed = true;
        return 0;
    }
    struct compiler_blob *blobs = realloc(*all, (have + count + 1) * sizeof *blobs);
    if (!blobs) {
        r->failed = true;
        return 0;
    }
    *all = blobs;
    for (size_t i = 0; i < count; i++) {
        struct compiler_blob *blob = &blobs[have + i];
        blob->name = reader_string(r);
        blob->data = reader_blob(r, &blob->size);
    }
    return count;
}

int wire_get_job(const struct bytes *frame, struct wire_job *out) {
    struct reader r = {frame->data, frame->size, false};
    *out = (struct wire_job){0};
    out->job.action = (enum compiler_action)reader_u32(&r);
    out->job.wave64 = reader_u32(&r) != 0;
    out->job.target = reader_string(&r);
    out->job.options = reader_string(&r);
    out->directory = reader_string(&r);
    out->job.source = reader_blob(&r, &out->job.source_size);
    out->job.header_count = wire_get_blobs(&r, &out->blobs, 0);
    out->job.input_count = wire_get_blobs(&r, &out->blobs, out->job.header_count);
    out->job.headers = out->blobs;
    out->job.inputs = out->blobs ? out->blobs + out->job.header_count : NULL;
    if (!r.failed) return 0;
    wire_job_free(out);
    return -EINVAL;
}

void wire_job_free(struct wire_job *job) {
    free(job->blobs);
    *job = (struct wire_job){0};
}

void wire_put_result(struct bytes *b, const struct wire_result *result) {
    bytes_put_u32(b, result->status);
    bytes_put_u32(b, result->ending);
    bytes_put_string(b, result->log);
    bytes_put_blob(b, result->binary, result->binary_size);
    bytes_put_u64(b, result->dependency_count);
    for (size_t i = 0; i < result->dependency_count; i++) {
        bytes_put_string(b, result->dependencies[i].path);
        bytes_put_u64(b, result->dependencies[i].hash[0]);
        bytes_put_u64(b, result->dependencies[i].hash[1]);
    }
}

static char *wire_copy(const char *data, size_t size) {
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, data, size);
    copy[size] = 0;
    return copy;
}

int wire_get_result(const struct bytes *frame, struct wire_result *out) {
    struct reader r = {frame->data, frame->size, false};
    size_t log_size, binary_size;
    *out = (struct wire_result){0};
    out->status = (enum compiler_status)reader_u32(&r);
    out->ending = reader_u32(&r) != 0;
    const char *log = reader_blob(&r, &log_size);
    const char *binary = reader_blob(&r, &binary_size);
    uint64_t count = reader_u64(&r);
    if (r.failed || count > r.left / 25 || out->status > COMPILER_UNAVAILABLE) return -EINVAL;
    out->log = wire_copy(log, log_size);
    out->binary = binary_size ? wire_copy(binary, binary_size) : NULL;
    out->binary_size = binary_size;
    out->dependencies = calloc(count + 1, sizeof *out->dependencies);
    bool memory = out->log && (out->binary || !binary_size) && out->dependencies;
    for (size_t i = 0; memory && i < count; i++) {
        struct dependency *d = &out->dependencies[out->dependency_count++];
        d->path = strdup(reader_string(&r));
        d->hash[0] = reader_u64(&r);
        d->hash[1] = reader_u64(&r);
        memory = d->path != NULL;
    }
    if (memory && !r.failed) return 0;
    wire_result_free(out);
    return memory ? -EINVAL : -ENOMEM;
}

void wire_result_free(struct wire_result *result) {
    for (size_t i = 0; i < result->dependency_count; i++)
        free(result->dependencies[i].path);
    free(result->dependencies);
    free(result->log);
    free(result->binary);
    *result = (struct wire_result){0};
}

int wire_hash_file(const char *path, uint64_t hash[2]) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -errno;
    struct stat st;
    XXH3_state_t *state = XXH3_createState();
    int r = state ? 0 : -ENOMEM;
    if (!r && (fstat(fd, &st) || !S_ISREG(st.st_mode))) r = -EINVAL;
    if (!r) XXH3_128bits_reset(state);
    char block[16384];
    ssize_t n = 0;
    while (!r && (n = read(fd, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) r = -errno;
        if (n > 0) XXH3_128bits_update(state, block, (size_t)n);
    }
    if (!r) {
        XXH128_hash_t h = XXH3_128bits_digest(state);
        hash[0] = h.low64;
        hash[1] = h.high64;
    }
    XXH3_freeState(state);
    close(fd);
    return r;
}
