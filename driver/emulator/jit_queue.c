/* SPDX-License-Identifier: MIT */
/* jit_queue.c - code that waits for the compiler, and the thread that takes it there. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/jit_abi.h"
#include "driver/emulator/jit_priv.h"

enum { FAILURES_MAX = 3 }; /* in a row; then the compiler is left alone */

static uint64_t hash_bytes(const void *data, size_t size) {
    const uint8_t *p = data;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

struct jit_code *jit_code_get(struct jit *j, const struct jit_request *request, size_t size) {
    uint64_t hash = hash_bytes(request, size);
    for (struct jit_code *c = j->codes; c; c = c->next)
        if (c->hash == hash && c->size == size && !memcmp(c->request, request, size)) return c;
    struct jit_code *c = calloc(1, sizeof *c);
    void *copy = malloc(size);
    if (!c || !copy) {
        free(c);
        free(copy);
        return NULL;
    }
    memcpy(copy, request, size);
    *c = (struct jit_code){.next = j->codes, .hash = hash, .size = size, .request = copy};
    return j->codes = c;
}

#define COUNT(j, field, n)                                                                         \
    do {                                                                                           \
        pthread_mutex_lock(&(j)->counter_lock);                                                    \
        (j)->counters.field += (n);                                                                \
        pthread_mutex_unlock(&(j)->counter_lock);                                                  \
    } while (0)

static void count_reply(struct jit *j, const struct jit_reply *r, bool cached) {
    pthread_mutex_lock(&j->counter_lock);
    struct emu_jit_counters *n = &j->counters;
    if (cached) n->cache_hits++;
    if (!r->object_size)
        n->refused++;
    else if (!cached)
        n->compiled++;
    n->instructions += r->instructions;
    n->blocks += r->blocks;
    n->stepped += r->stepped;
    n->left += r->left;
    if (r->unlifted[0]) memcpy(n->unlifted, r->unlifted, sizeof n->unlifted);
    pthread_mutex_unlock(&j->counter_lock);
}

/* What came back, taken apart. 0; -ENOEXEC: it makes no sense; *map has no object when the code is
 * left to the interpreter. */
static int open_reply(const struct jit_code *c, const void *data, size_t size,
                      struct jit_reply *head, struct jit_map *map, char *why, size_t why_size) {
    if (size >= sizeof *head) memcpy(head, data, sizeof *head);
    if (size < sizeof *head || head->magic != JIT_REPLY_MAGIC ||
        head->object_size != size - sizeof *head) {
        snprintf(why, why_size, "the compiler's answer makes no sense");
        return -ENOEXEC;
    }
    head->unlifted[sizeof head->unlifted - 1] = head->text[sizeof head->text - 1] = 0;
    if (!head->object_size) return 0;
    int err =
        jit_map_open((const char *)data + sizeof *head, head->object_size, map, why, why_size);
    if (err || map->object->code_size == c->request->size) return err;
    jit_map_close(map);
    snprintf(why, why_size, "the compiler's answer is for other code");
    return -ENOEXEC;
}

/* With the lock held. */
static void failed(struct jit *j, int err, const char *why) {
    COUNT(j, failures, 1);
    if (err == -ENODEV || ++j->failures == FAILURES_MAX) j->off = true;
    if (!j->complained)
        gpu_jit_message(j->g, true, "code stays with the interpreter%s: %s",
                        j->off ? ", all of it from now on" : "", why);
    j->complained = true;
}

/* With the lock held: what became of it. */
static void settle(struct jit *j, struct jit_code *c, int r, const struct jit_reply *head,
                   const struct jit_map *map, const char *why) {
    if (r == -ENOENT) {
        c->state = CODE_MISSED;
        return;
    }
    if (r < 0) {
        c->state = CODE_INTERPRETED;
        failed(j, r, why);
        return;
    }
    j->failures = 0;
    c->map = *map;
    c->state = map->object ? CODE_READY : CODE_INTERPRETED;
    count_reply(j, head, r == 1);
    gpu_jit_message(j->g, false,
                    "%llu bytes of code %s%s%s: %u instructions, %u blocks, %u single-stepped, %u "
                    "left%s%s, %u.%u ms to compile",
                    (unsigned long long)c->request->size, map->object ? "compiled" : "interpreted",
                    r == 1 ? " (cached)" : "", head->text[0] ? head->text : "", head->instructions,
                    head->blocks, head->stepped, head->left, head->unlifted[0] ? " " : "",
                    head->unlifted, head->lift_us / 1000, head->lift_us / 100 % 10);
    if (map->object) jit_publish_code(j, c);
}

/* Takes one code to the compiler; the lock is not held meanwhile. */
static void serve(struct jit *j, struct jit_code *c) {
    bool only_cached = c->only_cached;
    struct jit_reply head = {0};
    struct jit_map map = {0};
    char why[512] = "";
    void *reply = NULL;
    size_t size = 0;
    pthread_mutex_unlock(&j->lock);
    int r = j->compile(j->compile_ctx, c->request, c->size, only_cached, &reply, &size, why,
                       sizeof why);
    if (r >= 0) {
        int err = open_reply(c, reply, size, &head, &map, why, sizeof why);
        if (err) r = err;
    }
    free(reply);
    pthread_mutex_lock(&j->lock);
    if (r == -ENOENT && !c->only_cached) { /* asked for in earnest meanwhile */
        c->state = CODE_MISSED;
        jit_code_ask(j, c, false);
    } else if (j->closing) {
        jit_map_close(&map);
    } else {
        settle(j, c, r, &head, &map, why);
    }
    pthread_cond_broadcast(&j->settled);
}

static void *thread_main(void *arg) {
    struct jit *j = arg;
    pthread_setname_np(pthread_self(), "rawcl-jit");
    pthread_mutex_lock(&j->lock);
    while (!j->closing) {
        struct jit_code *c = j->queue;
        if (!c) {
            pthread_cond_wait(&j->work, &j->lock);
            continue;
        }
        j->queue = c->queued;
        if (!j->queue) j->queue_end = &j->queue;
        serve(j, c);
    }
    jit_release(j);
    return NULL;
}

static bool start_thread(struct jit *j) {
    sigset_t all, old;
    pthread_t t;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int err = pthread_create(&t, NULL, thread_main, j);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err) return false;
    pthread_detach(t); /* nobody waits for it: it may be in the compiler for long */
    j->owners++;
    return true;
}

void jit_code_ask(struct jit *j, struct jit_code *c, bool only_cached) {
    if (c->state == CODE_ASKED && !only_cached) c->only_cached = false;
    if (c->state != CODE_NEW && (c->state != CODE_MISSED || only_cached)) return;
    if (!j->thread_up && !(j->thread_up = start_thread(j))) {
        failed(j, -ENODEV, "no thread can be started");
        return;
    }
    if (c->state == CODE_NEW) COUNT(j, requests, 1);
    c->state = CODE_ASKED;
    c->only_cached = only_cached;
    c->queued = NULL;
    *j->queue_end = c;
    j->queue_end = &c->queued;
    pthread_cond_signal(&j->work);
}

void jit_release(struct jit *j) {
    bool last = !--j->owners;
    pthread_mutex_unlock(&j->lock);
    if (!last) return;
    while (j->codes) {
        struct jit_code *c = j->codes;
        j->codes = c->next;
        jit_map_close(&c->map);
        free(c->request);
        free(c);
    }
    for (unsigned i = 0; i < JIT_BUCKETS; i++)
        while (j->bucket[i]) {
            struct jit_kernel *k = j->bucket[i];
            j->bucket[i] = k->next;
            free(k->piece);
            free(k);
        }
    pthread_mutex_destroy(&j->lock);
    pthread_mutex_destroy(&j->counter_lock);
    pthread_cond_destroy(&j->work);
    pthread_cond_destroy(&j->settled);
    free(j);
}
