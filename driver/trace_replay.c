/* SPDX-License-Identifier: MIT */
/* trace_replay.c - does on a bus what a file of trace_file.c says, and compares what is read. The
 * file is not trusted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/enumerate.h"

enum {
    MAX_MAPPINGS = 4096,
    MAX_BYTES = 64 << 20, /* of one access */
    READ_TRIES = 200,     /* a poll may have taken the recorded device longer or shorter */
    TRY_US = 500,
    MEMORY_TRIES = 4000, /* commands that the device works on */
    MAX_SHOWN = 20,      /* differences told one by one */
};

struct replay {
    struct bus *bus;
    FILE *out;
    struct trace_report *report;
    struct bus_dma map[MAX_MAPPINGS];
    char *line;
    size_t cap;
    unsigned long at; /* line */
    /* a read that waits for the next line: of several reads of one place only the last counts */
    struct {
        uint8_t *want;
        size_t n;
        int bar;
        uint64_t off;
        unsigned long at;
        char name[256];
    } read;
};

static int bad(struct replay *r, const char *what) {
    fprintf(r->out, "line %lu: %s\n", r->at, what);
    return -EBADMSG;
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal bytes at p, written over it; returns how many, *rest what follows. */
static size_t unhex(char *p, char **rest) {
    size_t n = 0;
    char *from = p;
    for (int hi, lo; (hi = digit(from[0])) >= 0 && (lo = digit(from[1])) >= 0; from += 2)
        p[n++] = (char)(hi << 4 | lo);
    *rest = from;
    return n;
}

static void pause_us(struct replay *r, unsigned us) {
    struct timespec ts = {0, (long)us * 1000};
    r->bus->ops->delay(r->bus, us);
    nanosleep(&ts, NULL);
}

static int finish_read(struct replay *r) {
    const uint8_t *want = r->read.want;
    size_t n = r->read.n;
    int bar = r->read.bar;
    uint64_t off = r->read.off;
    if (!n) return 0;
    r->read.n = 0;
    uint8_t *got = malloc(n);
    if (!got) return -ENOMEM;
    int rc = 0, tries = 0;
    r->report->reads++;
    do {
        if (tries) pause_us(r, TRY_US);
        rc = r->bus->ops->bar_read(r->bus, bar, off, got, n);
    } while (!rc && memcmp(got, want, n) && ++tries < READ_TRIES);
    if (!rc && tries == READ_TRIES) {
        if (r->report->differ++ < MAX_SHOWN) {
            uint64_t a = 0, b = 0;
            memcpy(&a, want, n < 8 ? n : 8);
            memcpy(&b, got, n < 8 ? n : 8);
            fprintf(r->out, "line %lu: bar%d +0x%llx was 0x%llx, is 0x%llx %s\n", r->read.at, bar,
                    (unsigned long long)off, (unsigned long long)a, (unsigned long long)b,
                    r->read.name);
        }
    } else if (tries) {
        r->report->later++;
    }
    free(got);
    return rc;
}

static int replay_read(struct replay *r, int bar, uint64_t off, const void *want, size_t n,
                       const char *name) {
    bool same = r->read.n == n && r->read.bar == bar && r->read.off == off;
    int rc = same ? 0 : finish_read(r);
    uint8_t *p = rc ? NULL : realloc(r->read.want, n);
    if (!p) return rc ? rc : -ENOMEM;
    r->read.want = p;
    memcpy(p, want, n);
    r->read.n = n;
    r->read.bar = bar;
    r->read.off = off;
    r->read.at = r->at;
    snprintf(r->read.name, sizeof r->read.name, "%s", name);
    return 0;
}

/* In the first mapping lie the signals, which the device writes: it gets time to do so. */
static int replay_memory(struct replay *r, unsigned long index, uint64_t off, const void *data,
                         size_t n) {
    if (index >= MAX_MAPPINGS || !r->map[index].pages) return bad(r, "no such memory");
    struct bus_dma *m = &r->map[index];
    if (n > m->size || off > m->size - n) return bad(r, "outside the memory");
    uint8_t *at = (uint8_t *)m->va + off;
    r->report->memory++;
    for (int i = 0; index == 0 && i < MEMORY_TRIES && memcmp(at, data, n); i++) {
        if (off >= BUS_PAGE_SIZE) break; /* time stamps, which are never the same */
        pause_us(r, TRY_US);
    }
    memcpy(at, data, n);
    return 0;
}

static int replay_map(struct replay *r, unsigned long index, uint64_t size, uint64_t address) {
    if (index >= MAX_MAPPINGS || r->map[index].pages || size > MAX_BYTES * 64ull)
        return bad(r, "memory that cannot be mapped");
    int rc = r->bus->ops->dma_map(r->bus, NULL, NULL, (size_t)size, &r->map[index]);
    if (rc) return rc;
    if (r->map[index].pages[0] == address) return 0;
    fprintf(r->out,
            "line %lu: memory was at 0x%llx on the bus, is at 0x%llx: the rest would not fit\n",
            r->at, (unsigned long long)address, (unsigned long long)r->map[index].pages[0]);
    return -EXDEV;
}

static int replay_call(struct replay *r, char *text) {
    const struct bus_ops *o = r->bus->ops;
    static const char *const known[] = {"cfg read", "cfg write", "resize", "reset", "delay"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i]);
        if (strncmp(text, known[i], n) != 0 || text[n] != ' ') continue;
        char *end;
        uint64_t arg = strtoull(text + n, &end, 0), value = strtoull(end, NULL, 0);
        uint32_t v;
        switch (i) {
        case 0: /* lengths are not recorded: whatever its use, it changes nothing */
            return o->cfg_read(r->bus, (uint32_t)arg & ~3u, 4, &v);
        case 1:
            return o->cfg_write(r->bus, (uint32_t)arg, arg % 4 || value < 0x10000 ? 2 : 4,
                                (uint32_t)value);
        case 2:
            o->bar_resize(r->bus, (int)arg); /* may have failed then as well */
            return 0;
        case 3:
            return o->reset(r->bus);
        default:
            o->delay(r->bus, arg < 10000000 ? arg : 10000000);
            return 0;
        }
    }
    return bad(r, "an event of no known kind");
}

static int replay_line(struct replay *r) {
    char *p = r->line + 1, *rest;
    char op = r->line[0];
    if (op == '#' || op == '\n' || op == 0) return 0;
    if (*p != ' ') return bad(r, "not an event");
    r->report->events++;
    int rc = op == 'R' ? 0 : finish_read(r);
    if (rc) return rc;
    if (op == 'C') return replay_call(r, p + 1);
    unsigned long first = strtoul(p, &p, 0);
    if (op == 'U') {
        if (first >= MAX_MAPPINGS || !r->map[first].pages) return bad(r, "no such memory");
        r->bus->ops->dma_unmap(r->bus, &r->map[first]);
        r->map[first] = (struct bus_dma){0};
        return 0;
    }
    uint64_t off = strtoull(p, &p, 0);
    if (op == 'D') return replay_map(r, first, off, strtoull(p, NULL, 0));
    p += strspn(p, " ");
    size_t n = unhex(p, &rest);
    rest[strcspn(rest, "\n")] = 0;
    if (!n || n > MAX_BYTES) return bad(r, "an access without data");
    if (op == 'M') return replay_memory(r, first, off, p, n);
    if (first > 5) return bad(r, "no such BAR");
    if (op == 'R') return replay_read(r, (int)first, off, p, n, rest);
    if (op == 'W') return r->bus->ops->bar_write(r->bus, (int)first, off, p, n);
    return bad(r, "not an event");
}

int trace_replay(FILE *in, struct bus *bus, FILE *out, struct trace_report *report) {
    *report = (struct trace_report){0};
    struct replay *r = calloc(1, sizeof *r);
    if (!r) return -ENOMEM;
    r->bus = bus;
    r->out = out;
    r->report = report;
    int rc = 0;
    struct bus_bar bar;
    for (int i = 0; i < 6; i++)
        bus->ops->bar_map(bus, i, &bar);
    while (!rc && getline(&r->line, &r->cap, in) > 0) {
        r->at++;
        if (r->at == 1)
            rc = strncmp(r->line, "rawcl-trace 1 ", 14) ? bad(r, "not a file of rawcl-trace") : 0;
        else
            rc = replay_line(r);
    }
    if (!rc) rc = finish_read(r);
    if (!rc && !r->at) rc = bad(r, "an empty file");
    if (rc) fprintf(out, "stopped at line %lu: %s\n", r->at, strerror(-rc));
    for (int i = 0; i < MAX_MAPPINGS; i++)
        if (r->map[i].pages) bus->ops->dma_unmap(bus, &r->map[i]);
    free(r->line);
    free(r->read.want);
    free(r);
    return rc;
}
