/* SPDX-License-Identifier: MIT */
/* client.c - the library's side: looks into the cache, else hands the job to the worker process. */
#include "compiler/client.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cache.h"
#include "compiler/options.h"
#include "compiler/spawn.h"

#define CLIENT_HELLO_MS  60000 /* a worker that is not ready by then never will be */
#define CLIENT_TIMEOUT_S 600   /* for one job; RAWCL_COMPILER_TIMEOUT overrides */

/* One worker, one job at a time: the lock is held for the whole exchange. */
static struct {
    pthread_mutex_t lock;
    int fd;       /* -1: none */
    ino_t socket; /* what fd must still be: applications close descriptors that are not theirs */
    bool ready;   /* has greeted */
} client = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static bool client_socket_is_ours(void) {
    struct stat st;
    return client.fd >= 0 && !fstat(client.fd, &st) && S_ISSOCK(st.st_mode) &&
           st.st_ino == client.socket;
}

static void client_drop_worker(void) {
    if (client_socket_is_ours()) close(client.fd); /* the worker ends when it sees this */
    client.fd = -1;
    client.ready = false;
}

/* Starts a worker unless one is there. A worker that died idle is replaced without a word. */
static int client_start(char *err, size_t err_size) {
    char path[PATH_MAX];
    if (client.fd >= 0) {
        struct pollfd p = {.fd = client.fd, .events = POLLRDHUP};
        if (client_socket_is_ours() && poll(&p, 1, 0) == 0) return 0;
        client_drop_worker();
    }
    int r = spawn_find_worker(path, sizeof path, err, err_size);
    if (r) return r;
    struct stat st;
    int fd = spawn_worker(path, err, err_size);
    if (fd < 0) return fd;
    client.socket = fstat(fd, &st) ? 0 : st.st_ino;
    client.fd = fd;
    return 0;
}

static int client_wait_ready(char *err, size_t err_size) {
    struct bytes frame = {0};
    enum wire_kind kind;
    if (client.ready) return 0;
    int r = wire_receive(client.fd, &kind, &frame, CLIENT_HELLO_MS);
    if (r) {
        snprintf(err, err_size, "the compiler process ended before it was ready (%s)",
                 strerror(-r));
    } else {
        struct reader hello = {frame.data, frame.size, false};
        const char *text = reader_string(&hello);
        if (kind != WIRE_HELLO || hello.failed || text[0]) {
            snprintf(err, err_size, "the compiler process cannot work: %s", text);
            r = -EPROTO;
        }
    }
    bytes_free(&frame);
    if (r) client_drop_worker();
    client.ready = !r;
    return r;
}

static int client_timeout_ms(void) {
    const char *text = getenv("RAWCL_COMPILER_TIMEOUT");
    long seconds = text ? strtol(text, NULL, 10) : CLIENT_TIMEOUT_S;
    if (seconds <= 0 || seconds > INT_MAX / 1000) seconds = CLIENT_TIMEOUT_S;
    return (int)seconds * 1000;
}

static void client_fail(struct wire_result *out, enum compiler_status status, const char *text) {
    *out = (struct wire_result){.status = status};
    struct bytes log = {0};
    bytes_printf(&log, "error: %s\n", text);
    out->log = bytes_take_text(&log);
}

/* One request, one answer, with the lock held. Fills out in any case. */
static void client_exchange_locked(enum wire_kind kind, const struct bytes *request,
                                   struct wire_result *out) {
    char err[PATH_MAX + 256];
    int r = client_start(err, sizeof err);
    if (!r) r = client_wait_ready(err, sizeof err);
    if (r) {
        client_fail(out, COMPILER_UNAVAILABLE, err);
        return;
    }
    struct bytes answer = {0};
    r = wire_send(client.fd, kind, request);
    if (!r) r = wire_receive(client.fd, &kind, &answer, client_timeout_ms());
    if (!r) r = kind == WIRE_RESULT ? wire_get_result(&answer, out) : -EPROTO;
    bytes_free(&answer);
    if (!r) {
        if (out->ending) client_drop_worker();
        return;
    }
    client_drop_worker();
    if (r == -ETIMEDOUT)
        client_fail(out, COMPILER_CRASHED,
                    "the compiler did not finish in time (RAWCL_COMPILER_TIMEOUT sets the limit)");
    else if (r == -ENOMEM || r == -EMSGSIZE)
        client_fail(out, COMPILER_UNAVAILABLE, "the program is too large for the memory there is");
    else
        client_fail(out, COMPILER_CRASHED,
                    "the compiler process ended while it worked on this program (it crashed or was "
                    "killed); this build failed, the next one gets a new process");
}

static void client_exchange(enum wire_kind kind, const struct bytes *request,
                            struct wire_result *out) {
    pthread_mutex_lock(&client.lock);
    client_exchange_locked(kind, request, out);
    pthread_mutex_unlock(&client.lock);
}

static void client_identify_file(struct bytes *b, const char *path) {
    struct stat st = {0};
    bool there = !stat(path, &st);
    bytes_put_string(b, path);
    bytes_put_u64(b, there ? (uint64_t)st.st_size : UINT64_MAX);
    bytes_put_u64(b, (uint64_t)st.st_mtim.tv_sec);
    bytes_put_u64(b, (uint64_t)st.st_mtim.tv_nsec);
}

/* Everything that decides a job's output but the texts it includes. Returns false when the job is
 * not to be cached. */
static bool client_key(const struct compiler_job *job, const char *directory,
                       struct cache_key *key) {
    char path[PATH_MAX], library[PATH_MAX + 64], err[PATH_MAX + 256];
    const char *files[] = {path, library, RAWCL_LLVM_LIBRARY, RAWCL_CLANG_LIBRARY};
    struct bytes b = {0};
    if (getenv("RAWCL_COMPILER_TIMES")) return false; /* the log differs each time */
    if (spawn_find_worker(path, sizeof path, err, sizeof err)) return false;
    snprintf(library, sizeof library, "%s", path);
    char *slash = strrchr(library, '/');
    char *name = slash ? slash + 1 : library;
    snprintf(name, sizeof library - (size_t)(name - library), "%s", RAWCL_LIBRARY_FILE);
    bytes_put_string(&b, "RawCL " RAWCL_VERSION);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        client_identify_file(&b, files[i]);
    /* Where the application stands matters only to programs that may read files. */
    bool reads = job->source && (memmem(job->source, job->source_size, "include", 7) ||
                                 memmem(job->source, job->source_size, "embed", 5));
    wire_put_job(&b, job, reads ? directory : "");
    bool usable = !b.failed;
    if (usable) *key = cache_make_key(b.data, b.size);
    bytes_free(&b);
    return usable;
}

static void client_deliver(struct wire_result *from, struct compiler_result *out, bool from_cache) {
    *out = (struct compiler_result){.status = from->status,
                                    .binary = from->binary,
                                    .binary_size = from->binary_size,
                                    .log = from->log,
                                    .from_cache = from_cache};
    from->binary = NULL;
    from->log = NULL;
    if (!out->log) out->log = strdup("");
    wire_result_free(from);
}

void compiler_run(const struct compiler_job *job, struct compiler_result *out) {
    struct wire_result result = {0};
    struct cache_key key;
    char log[512], directory[PATH_MAX];
    enum compiler_status status =
        compiler_check_options(job->options, job->action, log, sizeof log);
    if (status != COMPILER_OK) {
        client_fail(&result, status, log[0] ? log : "out of memory");
        client_deliver(&result, out, false);
        return;
    }
    if (!getcwd(directory, sizeof directory)) snprintf(directory, sizeof directory, "/");
    bool cacheable = client_key(job, directory, &key);
    if (cacheable && cache_lookup(&key, &result)) {
        client_deliver(&result, out, true);
        return;
    }
    struct bytes request = {0};
    wire_put_job(&request, job, directory);
    client_exchange(WIRE_JOB, &request, &result);
    bytes_free(&request);
    if (cacheable && result.status == COMPILER_OK) cache_store(&key, &result);
    client_deliver(&result, out, false);
}

void compiler_disassemble(const char *target, const void *data, size_t size,
                          struct compiler_result *out) {
    struct bytes request = {0};
    struct wire_result result;
    bytes_put_string(&request, target);
    bytes_put_blob(&request, data, size);
    client_exchange(WIRE_DISASSEMBLE, &request, &result);
    bytes_free(&request);
    client_deliver(&result, out, false);
}

void compiler_result_free(struct compiler_result *r) {
    free(r->binary);
    free(r->log);
    *r = (struct compiler_result){0};
}

void compiler_warm_up(const char *target) {
    char err[PATH_MAX + 256];
    struct bytes request = {0};
    if (pthread_mutex_trylock(&client.lock)) return; /* somebody is at it already */
    bool running = client.fd >= 0;
    bytes_put_string(&request, target);
    if (!client_start(err, sizeof err) && !running) wire_send(client.fd, WIRE_WARM_UP, &request);
    pthread_mutex_unlock(&client.lock);
    bytes_free(&request);
}

void compiler_after_fork_child(void) {
    /* The lock may have been held by a thread that does not exist here. */
    pthread_mutex_init(&client.lock, NULL);
    client_drop_worker();
}
