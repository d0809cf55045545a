/* SPDX-License-Identifier: MIT */
/* trace_file.c - a session on the bus as a file of text, one event a line:
 *
 *   R BAR OFFSET BYTES # NAME {FIELDS}     a read and what it gave (bytes in hexadecimal, in order)
 *   W BAR OFFSET BYTES # NAME {FIELDS}
 *   D INDEX SIZE ADDRESS                   system memory was mapped, its first page's bus address
 *   U INDEX
 *   M INDEX OFFSET BYTES                   what had changed in it when the device was told next
 *   C WHAT ARGUMENT VALUE                  configuration space, delays, resets
 *
 * The driver writes to system memory without the bus, so the recorder keeps a twin of each mapping
 * and notes the difference before each doorbell, that of small ones before each register write. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/enumerate.h"

enum { SMALL = 256 << 10 };

struct mapping {
    const uint8_t *va;
    uint8_t *twin;
    size_t size;
    unsigned index;
    struct mapping *next;
};

struct trace_file {
    FILE *out;
    pthread_mutex_t lock;
    struct mapping *first;
    unsigned count;
};

struct trace_file *trace_file_create(const char *path, const char *device) {
    /* several devices of a process: FILE, FILE.1 ... */
    static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;
    static char last[4096];
    static unsigned serial;
    char name[4096 + 16];
    pthread_mutex_lock(&last_lock);
    serial = strcmp(last, path) == 0 ? serial + 1 : 0;
    snprintf(last, sizeof last, "%s", path);
    unsigned n = serial;
    pthread_mutex_unlock(&last_lock);
    if (n)
        snprintf(name, sizeof name, "%s.%u", path, n);
    else
        snprintf(name, sizeof name, "%s", path);
    struct trace_file *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->out = fopen(name, "we");
    if (!f->out) {
        free(f);
        return NULL;
    }
    pthread_mutex_init(&f->lock, NULL);
    fprintf(f->out, "rawcl-trace 1 %s\n", device);
    return f;
}

static void drop(struct mapping *m) {
    free(m->twin);
    free(m);
}

void trace_file_close(struct trace_file *f) {
    if (!f) return;
    while (f->first) {
        struct mapping *m = f->first;
        f->first = m->next;
        drop(m);
    }
    if (fclose(f->out)) perror("rawcl: trace");
    pthread_mutex_destroy(&f->lock);
    free(f);
}

static void hex(FILE *out, const uint8_t *p, size_t n) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        putc(digits[p[i] >> 4], out);
        putc(digits[p[i] & 15], out);
    }
}

static uint64_t word(const uint8_t *p) {
    return __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_RELAXED);
}

/* Runs of changed words. */
static void note_memory(struct trace_file *f, struct mapping *m) {
    for (size_t at = 0; at < m->size;) {
        if (at % BUS_PAGE_SIZE == 0 && !memcmp(m->va + at, m->twin + at, BUS_PAGE_SIZE)) {
            at += BUS_PAGE_SIZE;
            continue;
        }
        uint64_t v = word(m->va + at), old;
        memcpy(&old, m->twin + at, 8);
        if (v == old) {
            at += 8;
            continue;
        }
        size_t from = at;
        for (; at < m->size; at += 8) {
            v = word(m->va + at);
            memcpy(&old, m->twin + at, 8);
            if (v == old) break;
            memcpy(m->twin + at, &v, 8);
        }
        fprintf(f->out, "M %u 0x%zx ", m->index, from);
        hex(f->out, m->twin + from, at - from);
        putc('\n', f->out);
    }
}

static void note_changes(struct trace_file *f, bool all) {
    for (struct mapping *m = f->first; m; m = m->next)
        if (all || m->size <= SMALL) note_memory(f, m);
}

static void note_map(struct trace_file *f, const struct bus_dma *d) {
    struct mapping *m = calloc(1, sizeof *m), **at = &f->first;
    if (m) m->twin = calloc(1, d->size);
    if (!m || !m->twin) {
        free(m);
        fprintf(f->out, "# out of memory: a mapping is not recorded\n");
        return;
    }
    m->va = d->va;
    m->size = d->size;
    m->index = f->count++;
    while (*at)
        at = &(*at)->next;
    *at = m;
    fprintf(f->out, "D %u 0x%zx 0x%llx\n", m->index, m->size, (unsigned long long)d->pages[0]);
}

static void note_unmap(struct trace_file *f, const struct bus_dma *d) {
    for (struct mapping **at = &f->first, *m; (m = *at); at = &m->next) {
        if (m->va != d->va) continue;
        fprintf(f->out, "U %u\n", m->index);
        *at = m->next;
        drop(m);
        return;
    }
}

static void note_call(struct trace_file *f, const struct bus_trace_event *e) {
    if (strcmp(e->what, "dma map") == 0) {
        if (e->dma) note_map(f, e->dma);
    } else if (strcmp(e->what, "dma unmap") == 0) {
        if (e->dma) note_unmap(f, e->dma);
    } else {
        fprintf(f->out, "C %s 0x%llx 0x%llx\n", e->what, (unsigned long long)e->off,
                (unsigned long long)e->value);
    }
}

void trace_file_sink(void *ctx, const struct bus_trace_event *e) {
    struct trace_file *f = ctx;
    char line[512];
    pthread_mutex_lock(&f->lock);
    if (e->op == 'C') {
        note_call(f, e);
    } else {
        if (e->op == 'W' && e->bar != BUS_BAR_VRAM) note_changes(f, e->bar == BUS_BAR_DOORBELL);
        fprintf(f->out, "%c %d 0x%llx ", e->op, e->bar, (unsigned long long)e->off);
        hex(f->out, e->data, e->len);
        if (e->reg >= 0 || e->hdp_flush) {
            bus_trace_format(e, line, sizeof line);
            fprintf(f->out, " # %s", line + 2);
        }
        putc('\n', f->out);
        if (e->bar == BUS_BAR_DOORBELL) fflush(f->out); /* should the program be killed */
    }
    pthread_mutex_unlock(&f->lock);
}
