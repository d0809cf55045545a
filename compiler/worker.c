/* SPDX-License-Identifier: MIT */
/* worker.c - rawcl-compiler, the process in which programs are compiled. It is started by the
 * client (client.c) with one end of a socket pair, serves one job after another, and ends when the
 * other end closes. Nothing but the socket connects it with the application.
 *
 * usage: rawcl-compiler --socket FD
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <llvm-c/ErrorHandling.h>

#include "compiler/worker_build.h"
#include "compiler/worker_lift.h"

/* A worker that lifts is needed while kernels are new: it does not stay for good. The client takes
 * another one well before this (CLIENT_IDLE_S). */
#define WORKER_IDLE_MS 60000

static int worker_socket = -1;

static void worker_answer(const struct wire_result *result) {
    struct bytes frame = {0};
    wire_put_result(&frame, result);
    if (wire_send(worker_socket, WIRE_RESULT, &frame)) _exit(1);
    bytes_free(&frame);
}

/* LLVM calls this when it cannot go on; it must not return. */
static void worker_fatal(const char *reason) {
    struct bytes log = {0};
    char *before = worker_build_take_log();
    bytes_printf(&log, "%serror: fatal error in the compiler: %s\n", before ? before : "", reason);
    struct wire_result result = {
        .status = COMPILER_CRASHED, .ending = true, .log = bytes_take_text(&log)};
    worker_answer(&result);
    _exit(1);
}

/* Ends the process in the middle of a job when the application has gone. */
static void *worker_watch(void *unused) {
    (void)unused;
    struct pollfd p = {.fd = worker_socket, .events = POLLRDHUP};
    for (;;)
        if (poll(&p, 1, -1) > 0) _exit(0);
}

static int worker_library_path(char *path, size_t size) {
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0) return -errno;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    size_t room = size - (size_t)(slash + 1 - path);
    return snprintf(slash + 1, room, "%s", RAWCL_LIBRARY_FILE) < (int)room ? 0 : -ENAMETOOLONG;
}

/* LLVM's register allocator takes and returns large blocks for every function: kept in the heap,
 * they need no system calls and no fresh pages (a third of the time of a small build). */
static void worker_keep_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_TOP_PAD, 4 << 20);
}

/* When memory runs out, this process goes before the application. */
static void worker_offer_to_oom_killer(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, "500", 3) < 0) errno = 0;
    close(fd);
}

static int worker_setup(void) {
    char path[4096], err[512] = "";
    pthread_t thread;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    worker_offer_to_oom_killer();
    worker_keep_memory();
    int output = memfd_create("rawcl-output", 0);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0) return -errno;
    close(output);
    if (pthread_create(&thread, NULL, worker_watch, NULL)) return -EAGAIN;
    pthread_detach(thread);
    LLVMInstallFatalErrorHandler(worker_fatal);
    int r = worker_library_path(path, sizeof path);
    if (!r) r = worker_build_setup(path, err, sizeof err);
    /* The greeting: empty when ready, else why not. */
    struct bytes hello = {0};
    if (r)
        bytes_put_string(&hello, err[0] ? err : strerror(-r));
    else
        bytes_put_string(&hello, "");
    int sent = wire_send(worker_socket, WIRE_HELLO, &hello);
    bytes_free(&hello);
    return r ? r : sent;
}

static void worker_serve_job(const struct bytes *frame) {
    struct wire_job job;
    struct wire_result result = {0};
    if (wire_get_job(frame, &job)) _exit(1);
    worker_build_run(&job, &result);
    worker_answer(&result);
    bool ending = result.ending;
    wire_result_free(&result);
    wire_job_free(&job);
    if (ending) _exit(0);
}

/* A small build whose result nobody wants: the next one finds code and data in memory. */
static void worker_serve_warm_up(const struct bytes *frame) {
    static const char source[] =
        "kernel void f(global float *p) { p[get_global_id(0)] = sqrt(p[get_local_id(0)]); }";
    struct reader r = {frame->data, frame->size, false};
    struct wire_job job = {.job = {.action = COMPILER_BUILD,
                                   .target = reader_string(&r),
                                   .options = "",
                                   .source = source,
                                   .source_size = sizeof source - 1},
                           .directory = "/"};
    struct wire_result result;
    if (r.failed) _exit(1);
    worker_build_run(&job, &result);
    if (result.ending) _exit(0);
    wire_result_free(&result);
}

static void worker_serve_disassembly(const struct bytes *frame) {
    struct reader r = {frame->data, frame->size, false};
    struct wire_result result = {0};
    size_t size;
    const char *target = reader_string(&r);
    const char *data = reader_blob(&r, &size);
    if (r.failed) _exit(1);
    worker_build_disassemble(target, data, size, &result);
    worker_answer(&result);
    wire_result_free(&result);
}

static void worker_serve_lift(const struct bytes *frame) {
    struct wire_result result;
    worker_lift_run(frame->data, frame->size, &result);
    worker_answer(&result);
    if (result.ending) _exit(0);
    wire_result_free(&result);
}

int main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[1], "--socket") != 0) {
        fprintf(stderr, "usage: rawcl-compiler --socket FD\n"
                        "Started by the RawCL library; of no use by itself (see rawclc).\n");
        return 2;
    }
    char *end;
    worker_socket = (int)strtol(argv[2], &end, 10);
    if (*end || end == argv[2]) return 2;
    if (fcntl(worker_socket, F_SETFD, FD_CLOEXEC)) return 2;
    if (worker_setup()) return 1;
    struct bytes frame = {0};
    enum wire_kind kind;
    int idle_ms = -1;
    while (!wire_receive(worker_socket, &kind, &frame, idle_ms)) {
        switch (kind) {
        case WIRE_JOB:
            worker_serve_job(&frame);
            break;
        case WIRE_DISASSEMBLE:
            worker_serve_disassembly(&frame);
            break;
        case WIRE_WARM_UP:
            worker_serve_warm_up(&frame);
            break;
        case WIRE_LIFT:
            worker_serve_lift(&frame);
            idle_ms = WORKER_IDLE_MS;
            break;
        case WIRE_HELLO:
        case WIRE_RESULT:
        default:
            _exit(1);
        }
    }
    _exit(0);
}
