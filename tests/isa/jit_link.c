/* SPDX-License-Identifier: MIT */
/* jit_link.c - see jit_link.h. */
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/isa/jit_link.h"

extern char **environ;

enum jit_host jit_link_host(void) {
    const char *name = isa_pick_variant()->name;
    if (strstr(name, "v4")) return JIT_HOST_V4;
    return strstr(name, "v3") ? JIT_HOST_V3 : JIT_HOST_BASE;
}

static bool write_file(const char *path, const void *p, size_t n) {
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(p, 1, n, f) == n;
    return f && !fclose(f) && ok;
}

static bool run_linker(const char *from, const char *to) {
    char *const argv[] = {(char *)LLD, (char *)"-shared", (char *)"-o",
                          (char *)to,  (char *)from,      NULL};
    pid_t pid;
    int status;
    if (posix_spawn(&pid, LLD, NULL, NULL, argv, environ)) return false;
    return waitpid(pid, &status, 0) == pid && status == 0;
}

const struct jit_object *jit_link(const struct lift_request *rq, struct lift_result *r) {
    char dir[] = "/tmp/rawcl-jit-XXXXXX", object[64], shared[64];
    int err = lift_code(rq, r);
    if (err) return NULL;
    if (!mkdtemp(dir)) return NULL;
    snprintf(object, sizeof object, "%s/code.o", dir);
    snprintf(shared, sizeof shared, "%s/code.so", dir);
    const struct jit_object *o = NULL;
    if (write_file(object, r->object, r->object_size) && run_linker(object, shared)) {
        void *h = dlopen(shared, RTLD_NOW | RTLD_LOCAL);
        o = h ? dlsym(h, JIT_SYMBOL) : NULL;
        if (!h) snprintf(r->error, sizeof r->error, "%.200s", dlerror());
    } else {
        snprintf(r->error, sizeof r->error, "the object could not be linked");
    }
    if (!getenv("RAWCL_JIT_KEEP")) {
        unlink(object);
        unlink(shared);
        rmdir(dir);
    }
    return o;
}
