/* SPDX-License-Identifier: MIT */
/* Which devices exist: RAWCL_DEVICE, configuration file, default. Takes no lock, changes nothing.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/blocks.h"
#include "driver/enumerate.h"

static const char *const default_spec = "emu:gfx1100";

/* What the emulated products present themselves as (PCI ids: libdrm amdgpu.ids; clocks: public
 * product specifications). */
static const struct {
    const char *target, *name;
    uint16_t device;
    uint8_t revision;
    uint32_t clock_mhz;
} products[] = {
    {"gfx1100", "AMD Radeon RX 7900 XTX", 0x744c, 0xc8, 2500},
    {"gfx1101", "AMD Radeon RX 7800 XT", 0x747e, 0xc8, 2430},
    {"gfx1102", "AMD Radeon RX 7600", 0x7480, 0xcf, 2655},
    {"gfx1200", "AMD Radeon RX 9060 XT", 0x7590, 0xc0, 3130},
    {"gfx1201", "AMD Radeon RX 9070 XT", 0x7550, 0xc0, 2970},
};

static int parse_size(const char *s, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 0);
    if (end == s || errno) return -EINVAL;
    unsigned shift = *end == 'K' || *end == 'k'   ? 10
                     : *end == 'M' || *end == 'm' ? 20
                     : *end == 'G' || *end == 'g' ? 30
                     : *end == 0                  ? 0
                                                  : 99;
    if (shift == 99 || (shift && end[1]) || (shift && v >> (64 - shift))) return -EINVAL;
    *out = (uint64_t)v << shift;
    return 0;
}

/* As many compute units as keep the CPUs that this process may use busy, two each, so that the
 * count shown before the boot is the one found after it. */
static unsigned default_cus(const struct hw_chip *chip) {
    cpu_set_t set;
    unsigned cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    unsigned n = 2 * cpus < 4 ? 4 : 2 * cpus;
    return n > chip->max_cu ? chip->max_cu : n;
}

static int parse_emu(char *rest, struct device_spec *s) {
    char *save = NULL, *tok = strtok_r(rest, ",", &save);
    if (!tok || strlen(tok) >= sizeof s->target) {
        snprintf(s->error, sizeof s->error, "emu: needs a target, as in emu:gfx1100");
        return -EINVAL;
    }
    snprintf(s->target, sizeof s->target, "%s", tok);
    while ((tok = strtok_r(NULL, ",", &save))) {
        char *eq = strchr(tok, '=');
        uint64_t v = 0;
        if (!eq || parse_size(eq + 1, &v) < 0) {
            snprintf(s->error, sizeof s->error, "emu option \"%.60s\" is not key=number", tok);
            return -EINVAL;
        }
        *eq = 0;
        if (strcmp(tok, "vram") == 0)
            s->vram_bytes = v;
        else if (strcmp(tok, "cus") == 0 && v <= 1024)
            s->cus = (unsigned)v;
        else if (strcmp(tok, "threads") == 0 && v <= 4096)
            s->threads = (unsigned)v;
        else {
            snprintf(s->error, sizeof s->error,
                     "emu option \"%.40s\" is not known or out of range (vram, cus, threads)", tok);
            return -EINVAL;
        }
    }
    const struct hw_chip *chip = hw_find_chip(s->target);
    if (!s->cus && chip) s->cus = default_cus(chip);
    s->cus = s->cus > 1 ? s->cus & ~1u : 2; /* work-group processors have two each */
    return 0;
}

/* HOST:PORT or a socket's path, then perhaps ",device=N". */
static int parse_remote(char *rest, struct device_spec *s) {
    char *comma = strrchr(rest, ',');
    uint64_t index = 0;
    if (comma) {
        if (strncmp(comma, ",device=", 8) != 0 || parse_size(comma + 8, &index) < 0 ||
            index > 255) {
            snprintf(s->error, sizeof s->error, "remote option \"%.60s\" is not device=NUMBER",
                     comma + 1);
            return -EINVAL;
        }
        *comma = 0;
    }
    const char *colon = strrchr(rest, ':');
    if (!strchr(rest, '/') && (!colon || colon == rest || !colon[1])) {
        snprintf(s->error, sizeof s->error,
                 "remote: needs HOST:PORT or the path of a socket, as in remote:127.0.0.1:6667");
        return -EINVAL;
    }
    s->index = (unsigned)index;
    snprintf(s->address, sizeof s->address, "%s", rest);
    return 0;
}

int device_spec_parse(const char *id, struct device_spec *s) {
    memset(s, 0, sizeof *s);
    snprintf(s->id, sizeof s->id, "%s", id);
    char copy[256];
    if (snprintf(copy, sizeof copy, "%s", id) >= (int)sizeof copy || strlen(id) >= sizeof s->id) {
        snprintf(s->error, sizeof s->error, "device name longer than %zu characters",
                 sizeof s->id - 1);
        return -EINVAL;
    }
    static const struct {
        const char *prefix;
        enum device_kind kind;
    } kinds[] = {{"emu:", DEVICE_EMU},
                 {"pci:", DEVICE_PCI},
                 {"vfio", DEVICE_VFIO},
                 {"remote:", DEVICE_REMOTE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].prefix);
        if (strncmp(copy, kinds[i].prefix, n) != 0) continue;
        s->kind = kinds[i].kind;
        if (s->kind == DEVICE_EMU) return parse_emu(copy + n, s);
        if (s->kind == DEVICE_REMOTE) return parse_remote(copy + n, s);
        snprintf(s->error, sizeof s->error, "the %.*s bus is not built into this version",
                 (int)strcspn(copy, ":"), copy);
        return -ENOTSUP;
    }
    snprintf(s->error, sizeof s->error,
             "\"%.60s\" is not emu:TARGET, pci:BDF, vfio[:BDF] or remote:HOST:PORT", id);
    return -EINVAL;
}

static void describe_emu(const struct device_spec *s, struct am_candidate *c) {
    const struct hw_chip *chip = hw_find_chip(s->target);
    snprintf(c->target, sizeof c->target, "%s", s->target);
    c->emulated = true;
    if (!chip) {
        snprintf(c->error, sizeof c->error, "no chip is called \"%.15s\"", s->target);
        return;
    }
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (strcmp(products[i].target, s->target) != 0) continue;
        snprintf(c->name, sizeof c->name, "%s (emulated)", products[i].name);
        c->pci_vendor = 0x1002;
        c->pci_device = products[i].device;
        c->pci_revision = products[i].revision;
        c->max_clock_mhz = products[i].clock_mhz;
    }
    if (!c->name[0]) snprintf(c->name, sizeof c->name, "AMD %s (emulated)", chip->name);
    c->l2_bytes = chip->gl2_kib << 10;
    c->vram_bytes = s->vram_bytes;
    c->compute_units = s->cus;
}

/* A name for people, once the device's own tables have said what it is. Ids that are not listed
 * here work as well. */
static void describe_card(struct am_candidate *c) {
    const char *suffix = c->emulated ? " (emulated)" : "";
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (products[i].device != c->pci_device || strcmp(products[i].target, c->target) != 0)
            continue;
        snprintf(c->name, sizeof c->name, "%s%s", products[i].name, suffix);
        c->max_clock_mhz = products[i].clock_mhz;
    }
    const struct hw_chip *chip = hw_find_chip(c->target);
    if (!c->name[0])
        snprintf(c->name, sizeof c->name, "AMD %s%s", chip ? chip->name : "GPU", suffix);
}

/* Fills one candidate; its error says why it cannot be offered. */
static void describe(const char *id, struct am_candidate *c) {
    struct device_spec s;
    memset(c, 0, sizeof *c);
    snprintf(c->id, sizeof c->id, "%s", id);
    if (device_spec_parse(id, &s) < 0) {
        snprintf(c->error, sizeof c->error, "%s", s.error);
        snprintf(c->target, sizeof c->target, "%s", s.target);
        c->emulated = s.kind == DEVICE_EMU;
        return;
    }
    if (s.kind == DEVICE_EMU) describe_emu(&s, c);
    if (!c->error[0]) device_probe(&s, c);
    if (!c->name[0]) describe_card(c);
}

/* Entries of a configuration file, one a line, joined by ';'; NULL if there is none. */
static char *read_config(void) {
    char path[2][512] = {"", "/etc/rawcl.conf"};
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (xdg && *xdg)
        snprintf(path[0], sizeof path[0], "%s/rawcl.conf", xdg);
    else if (home && *home)
        snprintf(path[0], sizeof path[0], "%s/.config/rawcl.conf", home);
    for (int i = 0; i < 2; i++) {
        FILE *f = path[i][0] ? fopen(path[i], "r") : NULL;
        if (!f) continue;
        char *all = calloc(1, 1), line[512];
        while (all && fgets(line, sizeof line, f)) {
            line[strcspn(line, "#\r\n")] = 0;
            char *p = line + strspn(line, " \t");
            for (size_t n = strlen(p); n && (p[n - 1] == ' ' || p[n - 1] == '\t'); n--)
                p[n - 1] = 0;
            if (!*p) continue;
            size_t n = strlen(all);
            char *grown = realloc(all, n + strlen(p) + 2);
            if (!grown) break;
            all = grown;
            snprintf(all + n, strlen(p) + 2, "%s%s", n ? ";" : "", p);
        }
        fclose(f);
        if (all && *all) return all;
        free(all);
    }
    return NULL;
}

int am_enumerate(const char *spec, struct am_candidate **out, size_t *count) {
    *out = NULL;
    *count = 0;
    const char *env = getenv("RAWCL_DEVICE");
    char *config = NULL;
    if (!spec && env && *env) spec = env;
    if (!spec) spec = config = read_config();
    if (!spec) spec = default_spec;
    char *copy = strdup(spec);
    free(config);
    if (!copy) return -ENOMEM;
    int rc = 0;
    char *save = NULL;
    for (char *tok = strtok_r(copy, ";", &save); tok; tok = strtok_r(NULL, ";", &save)) {
        tok += strspn(tok, " \t\n");
        for (size_t n = strlen(tok); n && strchr(" \t\n", tok[n - 1]); n--)
            tok[n - 1] = 0;
        if (!*tok) continue;
        struct am_candidate *grown = realloc(*out, (*count + 1) * sizeof **out);
        if (!grown) {
            rc = -ENOMEM;
            break;
        }
        *out = grown;
        describe(tok, &grown[(*count)++]);
        for (size_t i = 0; i + 1 < *count; i++)
            if (strcmp(grown[i].id, grown[*count - 1].id) == 0 && !grown[*count - 1].error[0])
                snprintf(grown[*count - 1].error, sizeof grown->error, "listed twice");
    }
    free(copy);
    if (rc) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    return rc;
}

int device_open_bus(struct device_spec *s, const struct am_options *opt, struct bus **out,
                    char *err, size_t err_size) {
    s->emulated = s->kind == DEVICE_EMU;
    if (s->kind == DEVICE_REMOTE) return bus_remote_open(s, out, err, err_size);
    if (s->kind == DEVICE_EMU) return bus_emulated_open(s, opt, out, err, err_size);
    snprintf(err, err_size, "%s: this bus is not built into this version", s->id);
    return -ENOTSUP;
}

static int read_identity(struct bus *bus, struct am_candidate *c) {
    uint32_t id = 0, class_revision = 0;
    int rc = bus->ops->cfg_read(bus, 0, 4, &id);
    if (!rc) rc = bus->ops->cfg_read(bus, 8, 4, &class_revision);
    if (rc) return rc;
    c->pci_vendor = id & 0xffff;
    c->pci_device = id >> 16;
    c->pci_revision = class_revision & 0xff;
    return 0;
}

/* The tables of the device itself, read and nothing written. Units that are fused off show once
 * the graphics core runs; am_open counts them. */
void device_probe(struct device_spec *s, struct am_candidate *c) {
    struct bus *bus = NULL;
    struct am_device *d = NULL;
    char err[200] = "";
    int rc = device_open_bus(s, NULL, &bus, err, sizeof err);
    if (!rc && (rc = am_device_new(bus, s->id, NULL, s->emulated, &d))) bus->ops->close(bus);
    if (!rc) {
        d->quiet = true;
        const struct bus_ops *o = bus->ops;
        rc = read_identity(bus, c);
        if (!rc) rc = o->bar_map(bus, BUS_BAR_MMIO, &d->mmio_bar);
        if (!rc) rc = o->bar_map(bus, BUS_BAR_VRAM, &d->vram_bar);
        if (!rc) rc = discovery_run(d);
    }
    if (rc) {
        snprintf(c->error, sizeof c->error, "%.255s",
                 err[0]                  ? err
                 : d && d->last_error[0] ? d->last_error
                                         : strerror(-rc));
    } else {
        snprintf(c->target, sizeof c->target, "%s", d->target);
        c->vram_bytes = d->vram_bytes;
        c->l2_bytes = d->gc.gl2_bytes;
        if (!c->compute_units) c->compute_units = d->gc.active_cus;
        c->emulated = s->emulated;
    }
    am_device_free(d);
}
