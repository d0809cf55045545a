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
#include "driver/pci_card.h"

static const char *const default_spec = "emu:gfx1100";
static const char nothing_bound[] =
    "no display controller of AMD's is bound to vfio-pci (\"rawcl-setup vfio BDF\" binds one)";

/* Cards by PCI id: what the emulated products present themselves as, and what is said of a card
 * that cannot be looked at before it is opened. Ids that are not listed work as well. (PCI ids:
 * libdrm amdgpu.ids; the rest: public product specifications.) revision 0: any. */
static const struct product {
    const char *target, *name;
    uint16_t device;
    uint8_t revision, vram_gib;
    uint32_t clock_mhz;
} products[] = {
    {"gfx1100", "AMD Radeon RX 7900 XTX", 0x744c, 0xc8, 24, 2500},
    {"gfx1100", "AMD Radeon RX 7900 XT", 0x744c, 0xcc, 20, 2400},
    {"gfx1100", "AMD Radeon RX 7900 GRE", 0x744c, 0xce, 16, 2245},
    {"gfx1101", "AMD Radeon RX 7800 XT", 0x747e, 0xc8, 16, 2430},
    {"gfx1101", "AMD Radeon RX 7700 XT", 0x747e, 0xff, 12, 2544},
    {"gfx1102", "AMD Radeon RX 7600", 0x7480, 0xcf, 8, 2655},
    {"gfx1102", "AMD Radeon RX 7600 XT", 0x7480, 0xc0, 16, 2755},
    {"gfx1200", "AMD Radeon RX 9060 XT", 0x7590, 0xc0, 16, 3130},
    {"gfx1201", "AMD Radeon RX 9070 XT", 0x7550, 0xc0, 16, 2970},
    {"gfx1201", "AMD Radeon RX 9070", 0x7550, 0xc3, 16, 2520},
    {"gfx1201", "AMD Radeon AI PRO R9700", 0x7551, 0xc0, 32, 2920},
};

/* The product with these ids, or at least this device; NULL: not listed. */
static const struct product *find_product(uint16_t device, uint8_t revision) {
    const struct product *near = NULL;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (products[i].device != device) continue;
        if (products[i].revision == revision) return &products[i];
        if (!near) near = &products[i];
    }
    return near;
}

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

/* [BDF][,force][,target=gfxNNNN] */
static int parse_card(char *rest, struct device_spec *s) {
    char *save = NULL, bdf[16];
    const char *bus = s->kind == DEVICE_PCI ? "pci" : "vfio";
    char *tok = *rest == ',' ? NULL : strtok_r(rest, ",", &save);
    if (!tok || pci_bdf_parse(tok, bdf)) {
        snprintf(s->error, sizeof s->error, "%s: needs an address, as in %s:0000:03:00.0", bus,
                 bus);
        return -EINVAL;
    }
    snprintf(s->address, sizeof s->address, "%s", bdf);
    while ((tok = strtok_r(NULL, ",", &save))) {
        if (strcmp(tok, "force") == 0 && s->kind == DEVICE_PCI) {
            s->force = true;
        } else if (strncmp(tok, "target=", 7) == 0 && hw_find_chip(tok + 7)) {
            snprintf(s->target, sizeof s->target, "%s", tok + 7);
        } else {
            snprintf(s->error, sizeof s->error,
                     "%s option \"%.60s\" is not known (%starget=gfxNNNN)", bus, tok,
                     s->kind == DEVICE_PCI ? "force, " : "");
            return -EINVAL;
        }
    }
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
        if (s->kind == DEVICE_PCI) return parse_card(copy + n, s);
        if (!copy[n]) return 0; /* any that is bound to it */
        if (copy[n] == ':') return parse_card(copy + n + 1, s);
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
        if (c->name[0] || strcmp(products[i].target, s->target) != 0) continue;
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
    const struct product *p = find_product((uint16_t)c->pci_device, (uint8_t)c->pci_revision);
    if (p && strcmp(p->target, c->target) == 0) {
        snprintf(c->name, sizeof c->name, "%s%s", p->name, suffix);
        c->max_clock_mhz = p->clock_mhz;
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
    char path[2][512] = {"", ""};
    if (pci_path(path[1], sizeof path[1], "/etc/rawcl.conf")) path[1][0] = 0;
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

/* ---- the list ---- */

struct list {
    struct am_candidate *c;
    size_t count;
};

static int add(struct list *l, const char *id) {
    struct am_candidate *grown = realloc(l->c, (l->count + 1) * sizeof *grown);
    if (!grown) return -ENOMEM;
    l->c = grown;
    struct am_candidate *last = &grown[l->count++];
    describe(id, last);
    for (size_t i = 0; i + 1 < l->count && !last->error[0]; i++)
        if (strcmp(grown[i].id, last->id) == 0)
            snprintf(last->error, sizeof last->error, "listed twice");
    return 0;
}

static bool named(const struct list *l, const char *bdf) {
    for (size_t i = 0; i < l->count; i++) {
        const struct am_candidate *c = &l->c[i];
        char here[16];
        snprintf(here, sizeof here, "%04x:%02x:%02x.%x", c->pci_domain & 0xffff, c->pci_bus & 0xff,
                 c->pci_dev & 31, c->pci_func & 7);
        bool card = strncmp(c->id, "pci:", 4) == 0 || strncmp(c->id, "vfio:", 5) == 0;
        if (card && strcmp(here, bdf) == 0) return true;
    }
    return false;
}

/* Every card that is bound to vfio-pci and not in the list yet. */
static int add_vfio(struct list *l) {
    struct pci_card *cards;
    size_t n;
    char id[32];
    int rc = pci_cards(&cards, &n);
    for (size_t i = 0; i < n && !rc; i++) {
        if (strcmp(cards[i].driver, "vfio-pci") != 0 || named(l, cards[i].bdf)) continue;
        snprintf(id, sizeof id, "vfio:%s", cards[i].bdf);
        rc = add(l, id);
    }
    free(cards);
    return rc;
}

static int add_entry(struct list *l, char *tok) {
    tok += strspn(tok, " \t\n");
    for (size_t n = strlen(tok); n && strchr(" \t\n", tok[n - 1]); n--)
        tok[n - 1] = 0;
    if (!*tok) return 0;
    if (strcmp(tok, "vfio") != 0) return add(l, tok);
    size_t before = l->count;
    int rc = add_vfio(l);
    return rc || l->count > before ? rc : add(l, tok); /* says that there is none */
}

int am_enumerate(const char *spec, struct am_candidate **out, size_t *count) {
    *out = NULL;
    *count = 0;
    const char *env = getenv("RAWCL_DEVICE");
    if (!spec && env && *env) spec = env;
    char *copy = spec ? strdup(spec) : read_config();
    if (spec && !copy) return -ENOMEM;
    struct list l = {0};
    int rc = 0;
    char *save = NULL;
    for (char *tok = copy ? strtok_r(copy, ";", &save) : NULL; tok && !rc;
         tok = strtok_r(NULL, ";", &save))
        rc = add_entry(&l, tok);
    free(copy);
    if (!spec && !rc) rc = add_vfio(&l);
    if (!spec && !rc && !l.count) rc = add(&l, default_spec);
    if (rc) {
        free(l.c);
        return rc;
    }
    *out = l.c;
    *count = l.count;
    return 0;
}

static void first_of_vfio(struct device_spec *s) {
    struct pci_card *cards;
    size_t n;
    if (pci_cards(&cards, &n)) return;
    for (size_t i = 0; i < n && !s->address[0]; i++)
        if (strcmp(cards[i].driver, "vfio-pci") == 0)
            snprintf(s->address, sizeof s->address, "%s", cards[i].bdf);
    free(cards);
}

int device_open_bus(struct device_spec *s, const struct am_options *opt, struct bus **out,
                    char *err, size_t err_size) {
    s->emulated = s->kind == DEVICE_EMU;
    switch (s->kind) {
    case DEVICE_EMU:
        return bus_emulated_open(s, opt, out, err, err_size);
    case DEVICE_REMOTE:
        return bus_remote_open(s, out, err, err_size);
    case DEVICE_PCI:
        return bus_pci_open(s, out, err, err_size);
    case DEVICE_VFIO:
        break;
    }
    if (!s->address[0]) first_of_vfio(s);
    if (!s->address[0]) {
        snprintf(err, err_size, "%s", nothing_bound);
        return -ENODEV;
    }
    /* what enumeration said of it, which the boot compares with what it finds */
    struct pci_card card;
    const struct product *p = NULL;
    if (!s->target[0] && !pci_card_read(s->address, &card, err, err_size))
        p = find_product(card.device, card.revision);
    if (p) snprintf(s->target, sizeof s->target, "%s", p->target);
    return bus_vfio_open(s, out, err, err_size);
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

/* A card that sleeps, or that only vfio opens: what its PCI id stands for, unless the user says
 * what it is. The boot finds out and refuses if that was wrong. */
static void describe_unseen(struct device_spec *s, struct am_candidate *c) {
    struct pci_card card;
    if (pci_card_read(s->address, &card, c->error, sizeof c->error)) return;
    c->pci_vendor = card.vendor;
    c->pci_device = card.device;
    c->pci_revision = card.revision;
    const struct product *p = find_product(card.device, card.revision);
    const char *target = s->target[0] ? s->target : p ? p->target : "";
    const struct hw_chip *chip = hw_find_chip(target);
    if (!chip) {
        snprintf(c->error, sizeof c->error,
                 "which chip %04x:%04x is shows only when it is opened: say so, as in "
                 "%s:%s,target=gfx1201",
                 card.vendor, card.device, s->kind == DEVICE_PCI ? "pci" : "vfio", s->address);
        return;
    }
    snprintf(c->target, sizeof c->target, "%s", target);
    c->compute_units = chip->max_cu;
    c->l2_bytes = chip->gl2_kib << 10;
    c->vram_bytes = p && strcmp(p->target, target) == 0 ? (uint64_t)p->vram_gib << 30
                                                        : card.bar[BUS_BAR_VRAM].size;
}

static void place_of(const struct device_spec *s, struct am_candidate *c) {
    if (s->kind != DEVICE_PCI && s->kind != DEVICE_VFIO) return;
    if (sscanf(s->address, "%x:%x:%x.%x", &c->pci_domain, &c->pci_bus, &c->pci_dev, &c->pci_func) !=
        4)
        c->pci_domain = c->pci_bus = c->pci_dev = c->pci_func = 0;
}

/* The tables of the device itself, read and nothing written. Units that are fused off show once
 * the graphics core runs; am_open counts them. */
void device_probe(struct device_spec *s, struct am_candidate *c) {
    struct bus *bus = NULL;
    struct am_device *d = NULL;
    char err[256] = "";
    s->looking = true;
    place_of(s, c);
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
    if (rc == -EAGAIN && !bus) {
        describe_unseen(s, c);
    } else if (rc) {
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
