/* SPDX-License-Identifier: MIT */
#include "driver/emulator/pool.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HELPERS = POOL_WIDTH_MAX - 1 };

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, left;
    struct job *jobs;
    unsigned width, running, idle;
    bool closing;
    pthread_t thread[MAX_HELPERS];
};

/* Whole processors that cgroup v2's cpu.max of this process allows; 0: no limit. */
static unsigned cgroup_cpus(void) {
    char line[512], path[640] = "";
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "0::", 3)) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", line + 3);
    }
    if (f) fclose(f);
    unsigned best = 0;
    /* The quota of any ancestor limits too. */
    while (path[0]) {
        unsigned long quota, period;
        f = fopen(path, "re");
        if (f && fscanf(f, "%lu %lu", &quota, &period) == 2 && period) {
            unsigned n = (unsigned)((quota + period - 1) / period);
            if (n && (!best || n < best)) best = n;
        }
        if (f) fclose(f);
        char *last = strrchr(path, '/'); /* before cpu.max */
        if (!last) break;
        *last = 0;
        last = strrchr(path, '/');
        if (!last || last - path < (long)strlen("/sys/fs/cgroup")) break;
        snprintf(last, sizeof path - (size_t)(last - path), "/cpu.max");
    }
    return best;
}

static unsigned host_threads(struct gpu *g) {
    unsigned n = gpu_config(g)->threads;
    if (!n) {
        cpu_set_t set;
        n = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
        unsigned quota = cgroup_cpus();
        if (quota && quota < n) n = quota;
    }
    if (n < 1) n = 1;
    return n > MAX_HELPERS ? MAX_HELPERS : n;
}

struct pool *pool_create(struct gpu *g) {
    struct pool *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->left, NULL);
    p->width = host_threads(g);
    return p;
}

unsigned pool_width(const struct pool *p) {
    return p ? p->width : 1;
}

struct helper_arg {
    struct pool *p;
    unsigned who;
};

static void *helper(void *arg) {
    struct helper_arg a = *(struct helper_arg *)arg;
    free(arg);
    struct pool *p = a.p;
    pthread_mutex_lock(&p->lock);
    while (!p->closing) {
        struct job *j = p->jobs;
        if (!j) {
            p->idle++;
            pthread_cond_wait(&p->work, &p->lock);
            p->idle--;
            continue;
        }
        j->inside++;
        pthread_mutex_unlock(&p->lock);
        j->work(j, a.who);
        pthread_mutex_lock(&p->lock);
        /* It found nothing more to do: nobody else needs to join. */
        if (j->listed) {
            struct job **at = &p->jobs;
            while (*at != j)
                at = &(*at)->next;
            *at = j->next;
            j->listed = false;
        }
        if (!--j->inside) pthread_cond_broadcast(&p->left);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void start_helper(struct pool *p) {
    struct helper_arg *a = malloc(sizeof *a);
    if (!a) return;
    *a = (struct helper_arg){p, p->running + 1};
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&p->thread[p->running], NULL, helper, a)) {
        free(a);
    } else {
        p->running++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void pool_publish(struct pool *p, struct job *j, unsigned helpers) {
    if (!p || p->width < 2 || !helpers) return;
    pthread_mutex_lock(&p->lock);
    if (helpers > p->width - 1) helpers = p->width - 1;
    while (p->running < helpers && p->running < p->width - 1) {
        unsigned before = p->running;
        start_helper(p);
        if (p->running == before) break;
    }
    j->next = p->jobs;
    j->listed = true;
    p->jobs = j;
    if (helpers > 1) {
        pthread_cond_broadcast(&p->work);
    } else {
        pthread_cond_signal(&p->work);
    }
    pthread_mutex_unlock(&p->lock);
}

void pool_retire(struct pool *p, struct job *j) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    if (j->listed) {
        struct job **at = &p->jobs;
        while (*at != j)
            at = &(*at)->next;
        *at = j->next;
        j->listed = false;
    }
    while (j->inside)
        pthread_cond_wait(&p->left, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void pool_destroy(struct pool *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->running; i++)
        pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->left);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
