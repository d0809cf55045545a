/* SPDX-License-Identifier: MIT */
#include "compiler/spawn.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPAWN_STACK_SIZE 65536 /* bytes, for each of two short-lived children */
#define SPAWN_SOCKET     3     /* the worker's descriptor */

/* AddressSanitizer does not know these functions' stacks. */
#define SPAWN_CHILD __attribute__((no_sanitize_address))

extern char **environ;

/* The directory that this code was loaded from, with a slash at the end. */
static int spawn_own_directory(char *path) {
    Dl_info info;
    char resolved[PATH_MAX];
    if (dladdr((const void *)&spawn_worker, &info) && info.dli_fname &&
        strchr(info.dli_fname, '/') && realpath(info.dli_fname, resolved)) {
        memcpy(path, resolved, sizeof resolved);
    } else {
        ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
        if (n <= 0) return -ENOENT;
        path[n] = 0;
    }
    char *slash = strrchr(path, '/');
    if (!slash) return -ENOENT;
    slash[1] = 0;
    return 0;
}

int spawn_find_worker(char *path, size_t size, char *err, size_t err_size) {
    static const char *const places[] = {
        "",                    /* all in one place */
        "../compiler/",        /* build tree, library in icd/ */
        "../../compiler/",     /* build tree, tests */
        "../libexec/rawcl/",   /* installed */
        "../../libexec/rawcl/" /* installed, library in lib/<triplet>/ */
    };
    char own[PATH_MAX] = "";
    const char *set = getenv("RAWCL_COMPILER");
    if (set && set[0]) {
        if (snprintf(path, size, "%s", set) < (int)size && !access(path, X_OK)) return 0;
        snprintf(err, err_size, "RAWCL_COMPILER=%s: %s", set, strerror(errno));
        return -ENOENT;
    }
    if (!spawn_own_directory(own))
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
            if (snprintf(path, size, "%s%srawcl-compiler", own, places[i]) < (int)size &&
                !access(path, X_OK))
                return 0;
    snprintf(err, err_size,
             "rawcl-compiler was not found beside %s, nor in ../compiler or ../libexec/rawcl; "
             "RAWCL_COMPILER can name it",
             own[0] ? own : "the library");
    return -ENOENT;
}

struct spawn {
    const char *path;
    int socket;
    char *inner_stack;
};

/* The worker to be. It shares the application's memory until execve, so it only makes system
 * calls. */
SPAWN_CHILD static int spawn_inner(void *p) {
    const struct spawn *s = p;
    char *const argv[] = {(char *)"rawcl-compiler", (char *)"--socket", (char *)"3", NULL};
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &plain, NULL);
    int socket = fcntl(s->socket, F_DUPFD, 16);
    int null = open("/dev/null", O_RDWR);
    if (socket < 0 || null < 0) _exit(127);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    if (dup2(socket, SPAWN_SOCKET) < 0) _exit(127);
    close_range(SPAWN_SOCKET + 1, ~0u, 0);
    if (chdir("/")) _exit(127);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(s->path, argv, environ);
    _exit(127);
}

/* The go-between. It ends as soon as the worker runs, which makes that an orphan. */
SPAWN_CHILD static int spawn_outer(void *p) {
    struct spawn *s = p;
    setsid();
    int pid = clone(spawn_inner, s->inner_stack + SPAWN_STACK_SIZE, CLONE_VM | CLONE_VFORK, s);
    _exit(pid < 0 ? 127 : 0);
}

/* clone with exit signal 0: no SIGCHLD is sent, and wait calls of the application do not see the
 * go-between (they would need __WALL or __WCLONE). CLONE_VM because a fork of a large process
 * takes long and runs the application's atfork handlers. Signals stay blocked meanwhile: a handler
 * must not run in a child that shares our memory. */
static int spawn_start(struct spawn *s, char *stacks) {
    sigset_t all, before;
    int cancel, status = 0, r = 0;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->inner_stack = stacks + SPAWN_STACK_SIZE;
    int pid = clone(spawn_outer, stacks + SPAWN_STACK_SIZE, CLONE_VM | CLONE_VFORK, s);
    if (pid < 0) r = -errno;
    while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
        ;
    if (!r && (!WIFEXITED(status) || WEXITSTATUS(status))) r = -EAGAIN;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancel, NULL);
    return r;
}

int spawn_worker(const char *path, char *err, size_t err_size) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        snprintf(err, err_size, "no socket for the compiler process: %s", strerror(errno));
        return -errno;
    }
    char *stacks = mmap(NULL, 2 * SPAWN_STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    struct spawn s = {.path = path, .socket = pair[1]};
    int r = stacks == MAP_FAILED ? -ENOMEM : spawn_start(&s, stacks);
    if (stacks != MAP_FAILED) munmap(stacks, 2 * SPAWN_STACK_SIZE);
    close(pair[1]);
    if (!r) return pair[0];
    close(pair[0]);
    snprintf(err, err_size, "the compiler process %s cannot be started: %s", path, strerror(-r));
    return r;
}
