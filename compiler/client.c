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
#include <time.h>
#include <unistd.h>

#include "compiler/cache.h"
#include "compiler/options.h"
#include "compiler/spawn.h"

#define CLIENT_HELLO_MS  60000 /* a worker that is not ready by then never will be */
#define CLIENT_TIMEOUT_S 600   /* for one job; RAWCL_COMPILER_TIMEOUT overrides */
#define CLIENT_IDLE_S    45    /* less than WORKER_IDLE_MS */

/* One worker, one job at a time: the lock is held for the whole exchange. */
struct client {
    pthread_mutex_t lock;
    int fd;       /* -1: none */
    ino_t socket; /* what fd must still be: applications close descriptors that are not theirs */
    bool ready;   /* has greeted */
    time_t used;  /* when it answered last */
    int idle_s;   /* seconds after which it may be about to leave by itself; 0: it does not */
    const char *too_late, *too_large, *ended; /* what its failures are called */
};

static struct client builder = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .fd = -1,
    .too_late = "the compiler did not finish in time (RAWCL_COMPILER_TIMEOUT sets the limit)",
    .too_large = "the program is too large for the memory there is",
    .ended = "the compiler process ended while it worked on this program (it crashed or was "
             "killed); this build failed, the next one gets a new process"};

/* For the emulated GPU's code, in the background: no build waits for it. */
static struct client lifter = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .fd = -1,
    .idle_s = CLIENT_IDLE_S,
    .too_late = "the lifter did not finish in time (RAWCL_COMPILER_TIMEOUT sets the limit)",
    .too_large = "the code is too large for the memory there is",
    .ended = "the lifter's process ended while it worked on this code (it crashed or was killed)"};

static bool client_socket_is_ours(const struct client *c) {
    struct stat st;
    return c->fd >= 0 && !fstat(c->fd, &st) && S_ISSOCK(st.st_mode) && st.st_ino == c->socket;
}

static void client_drop_worker(struct client *c) {
    if (client_socket_is_ours(c)) close(c->fd); /* the worker ends when it sees this */
    c->fd = -1;
    c->ready = false;
}

/* Starts a worker unless one is there. A worker that died idle is replaced without a word. */
static int client_start(struct client *c, char *err, size_t err_size) {
    char path[PATH_MAX];
    if (c->fd >= 0) {
        struct pollfd p = {.fd = c->fd, .events = POLLRDHUP};
        bool leaving = c->idle_s && time(NULL) - c->used >= c->idle_s;
        if (!leaving && client_socket_is_ours(c) && poll(&p, 1, 0) == 0) return 0;
        client_drop_worker(c);
    }
    int r = spawn_find_worker(path, sizeof path, err, err_size);
    if (r) return r;
    struct stat st;
    int fd = spawn_worker(path, err, err_size);
    if (fd < 0) return fd;
    c->socket = fstat(fd, &st) ? 0 : st.st_ino;
    c->fd = fd;
    return 0;
}

static int client_wait_ready(struct client *c, char *err, size_t err_size) {
    struct bytes frame = {0};
    enum wire_kind kind;
    if (c->ready) return 0;
    int r = wire_receive(c->fd, &kind, &frame, CLIENT_HELLO_MS);
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
    if (r) client_drop_worker(c);
    c->ready = !r;
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
static void client_exchange_locked(struct client *c, enum wire_kind kind,
                                   const struct bytes *request, struct wire_result *out) {
    char err[PATH_MAX + 256];
    int r = client_start(c, err, sizeof err);
    if (!r) r = client_wait_ready(c, err, sizeof err);
    if (r) {
        client_fail(out, COMPILER_UNAVAILABLE, err);
        return;
    }
    struct bytes answer = {0};
    r = wire_send(c->fd, kind, request);
    if (!r) r = wire_receive(c->fd, &kind, &answer, client_timeout_ms());
    if (!r) r = kind == WIRE_RESULT ? wire_get_result(&answer, out) : -EPROTO;
    bytes_free(&answer);
    c->used = time(NULL);
    if (!r) {
        if (out->ending) client_drop_worker(c);
        return;
    }
    client_drop_worker(c);
    if (r == -ETIMEDOUT)
        client_fail(out, COMPILER_CRASHED, c->too_late);
    else if (r == -ENOMEM || r == -EMSGSIZE)
        client_fail(out, COMPILER_UNAVAILABLE, c->too_large);
    else
        client_fail(out, COMPILER_CRASHED, c->ended);
}

static void client_exchange(struct client *c, enum wire_kind kind, const struct bytes *request,
                            struct wire_result *out) {
    pthread_mutex_lock(&c->lock);
    client_exchange_locked(c, kind, request, out);
    pthread_mutex_unlock(&c->lock);
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
    if (cacheable && cache_lookup(CACHE_KERNELS, &key, &result)) {
        client_deliver(&result, out, true);
        return;
    }
    struct bytes request = {0};
    wire_put_job(&request, job, directory);
    client_exchange(&builder, WIRE_JOB, &request, &result);
    bytes_free(&request);
    if (cacheable && result.status == COMPILER_OK) cache_store(CACHE_KERNELS, &key, &result);
    client_deliver(&result, out, false);
}

void compiler_disassemble(const char *target, const void *data, size_t size,
                          struct compiler_result *out) {
    struct bytes request = {0};
    struct wire_result result;
    bytes_put_string(&request, target);
    bytes_put_blob(&request, data, size);
    client_exchange(&builder, WIRE_DISASSEMBLE, &request, &result);
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
    if (pthread_mutex_trylock(&builder.lock)) return; /* somebody is at it already */
    bool running = builder.fd >= 0;
    bytes_put_string(&request, target);
    if (!client_start(&builder, err, sizeof err) && !running)
        wire_send(builder.fd, WIRE_WARM_UP, &request);
    pthread_mutex_unlock(&builder.lock);
    bytes_free(&request);
}

/* ---- the emulated GPU's code ---- */

static bool client_lift_key(const void *request, size_t size, struct cache_key *key) {
    char path[PATH_MAX], err[PATH_MAX + 256];
    struct bytes b = {0};
    if (spawn_find_worker(path, sizeof path, err, sizeof err)) return false;
    bytes_put_string(&b, "RawCL lift " RAWCL_VERSION);
    client_identify_file(&b, path); /* the lifter is in it */
    client_identify_file(&b, RAWCL_LLVM_LIBRARY);
    bytes_put_blob(&b, request, size);
    bool usable = !b.failed;
    if (usable) *key = cache_make_key(b.data, b.size);
    bytes_free(&b);
    return usable;
}

static int client_lift_run(const void *request, size_t size, struct wire_result *result, char *why,
                           size_t why_size) {
    struct bytes frame = {0};
    bytes_put(&frame, request, size);
    if (frame.failed)
        client_fail(result, COMPILER_UNAVAILABLE, lifter.too_large);
    else
        client_exchange(&lifter, WIRE_LIFT, &frame, result);
    bytes_free(&frame);
    if (result->status == COMPILER_OK && result->binary) return 0;
    const char *log = result->log ? result->log : "out of memory";
    if (!strncmp(log, "error: ", 7)) log += 7;
    snprintf(why, why_size, "%.*s", (int)strcspn(log, "\n"), log);
    return result->status == COMPILER_UNAVAILABLE ? -ENODEV : -EIO;
}

int compiler_lift(void *unused, const void *request, size_t size, bool only_cached, void **reply,
                  size_t *reply_size, char *why, size_t why_size) {
    struct wire_result result = {0};
    struct cache_key key;
    int r = 1;
    (void)unused;
    *reply = NULL;
    *reply_size = 0;
    if (why_size) why[0] = 0;
    bool cacheable = client_lift_key(request, size, &key);
    if (!cacheable || !cache_lookup(CACHE_JIT, &key, &result)) {
        if (only_cached) return -ENOENT;
        r = client_lift_run(request, size, &result, why, why_size);
        if (!r && cacheable) cache_store(CACHE_JIT, &key, &result);
    }
    if (r >= 0) {
        *reply = result.binary;
        *reply_size = result.binary_size;
        result.binary = NULL;
    }
    wire_result_free(&result);
    return r;
}

void compiler_after_fork_child(void) {
    struct client *const clients[] = {&builder, &lifter};
    for (size_t i = 0; i < sizeof clients / sizeof clients[0]; i++) {
        /* The lock may have been held by a thread that does not exist here. */
        pthread_mutex_init(&clients[i]->lock, NULL);
        client_drop_worker(clients[i]);
    }
}
