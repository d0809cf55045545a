/* SPDX-License-Identifier: MIT */
/* rawcl-smi - which devices there are, in which state, and who uses them. Changes nothing. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver/am.h"
#include "driver/pci_card.h"

static const char usage[] =
    "usage: rawcl-smi [--json] [--watch[=SECONDS]] [--device LIST]\n"
    "\n"
    "Shows every device that RawCL would offer, why others are not offered, AMD cards that other\n"
    "drivers have, and which process uses which card.\n"
    "\n"
    "  --json      for programs\n"
    "  --watch     again and again (every 2 seconds, or as many as given)\n"
    "  --device    instead of RAWCL_DEVICE and the configuration file\n"
    "  --root DIR  look for /sys, /proc and /dev below DIR (for tests)\n"
    "  --help      this text\n"
    "\n"
    "It opens no card. Temperature, power and clocks are kept by the card's firmware, which only\n"
    "the process that uses the card can ask: they are not available here.\n";

struct row {
    struct am_candidate c;
    bool card;           /* a PCI device of this machine */
    struct pci_card pci; /* if it is one */
    pid_t pid;           /* who has it, 0: nobody */
    char process[32];    /* its name */
};

static void who(struct row *r) {
    char path[64];
    r->pid = pci_card_holder(&r->pci);
    if (r->pid <= 0) return;
    snprintf(path, sizeof path, "/proc/%d/comm", (int)r->pid);
    pci_read_text(path, r->process, sizeof r->process);
}

static const char *state(const struct row *r) {
    if (r->pid > 0) return "in use";
    if (r->c.error[0]) return "not offered";
    return "ready";
}

/* Cards that nobody opted in, at the end. */
static int add_others(struct row **rows, size_t *n) {
    struct pci_card *cards;
    size_t count;
    if (pci_cards(&cards, &count)) return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        bool listed = false;
        for (size_t k = 0; k < *n; k++)
            if ((*rows)[k].card && strcmp((*rows)[k].pci.bdf, cards[i].bdf) == 0) listed = true;
        if (listed) continue;
        struct row *p = realloc(*rows, (*n + 1) * sizeof *p);
        if (!p) break;
        *rows = p;
        struct row *r = &p[(*n)++];
        memset(r, 0, sizeof *r);
        r->card = true;
        r->pci = cards[i];
        snprintf(r->c.id, sizeof r->c.id, "pci:%s", cards[i].bdf);
        snprintf(r->c.name, sizeof r->c.name, "AMD %04x:%04x", cards[i].vendor, cards[i].device);
        snprintf(r->c.error, sizeof r->c.error, "not asked for%s%s%s",
                 cards[i].driver[0] ? " (the kernel driver " : "", cards[i].driver,
                 cards[i].driver[0] ? " has it)" : "");
        r->c.pci_vendor = cards[i].vendor;
        r->c.pci_device = cards[i].device;
        who(r);
    }
    free(cards);
    return 0;
}

static int collect(const char *spec, struct row **rows, size_t *n) {
    struct am_candidate *c;
    char err[128], bdf[16];
    int rc = am_enumerate(spec, &c, n);
    if (rc) return rc;
    *rows = calloc(*n ? *n : 1, sizeof **rows);
    if (!*rows) {
        free(c);
        return -ENOMEM;
    }
    for (size_t i = 0; i < *n; i++) {
        struct row *r = &(*rows)[i];
        r->c = c[i];
        bool local = strncmp(c[i].id, "pci:", 4) == 0 || strncmp(c[i].id, "vfio:", 5) == 0;
        if (!local) continue;
        snprintf(bdf, sizeof bdf, "%04x:%02x:%02x.%x", c[i].pci_domain & 0xffff,
                 c[i].pci_bus & 0xff, c[i].pci_dev & 31, c[i].pci_func & 7);
        r->card = !pci_card_read(bdf, &r->pci, err, sizeof err);
        if (r->card) who(r);
    }
    free(c);
    return add_others(rows, n);
}

/* ---- output ---- */

static void json_text(const char *key, const char *s) {
    printf("\"%s\": \"", key);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else if ((unsigned char)*s < 32)
            printf("\\u%04x", *s);
        else
            putchar(*s);
    }
    printf("\"");
}

static void print_json(const struct row *rows, size_t n) {
    printf("{\"devices\": [");
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        printf("%s\n  {", i ? "," : "");
        json_text("id", r->c.id);
        printf(", ");
        json_text("name", r->c.name);
        printf(", ");
        json_text("target", r->c.target);
        printf(", ");
        json_text("state", state(r));
        printf(", ");
        json_text("reason", r->c.error);
        printf(", \"emulated\": %s, \"compute_units\": %u, \"vram_bytes\": %llu",
               r->c.emulated ? "true" : "false", r->c.compute_units,
               (unsigned long long)r->c.vram_bytes);
        printf(", \"pci_vendor\": %u, \"pci_device\": %u", r->c.pci_vendor, r->c.pci_device);
        if (r->card) {
            printf(", ");
            json_text("driver", r->pci.driver);
            printf(", \"bar0_bytes\": %llu, \"iommu_group\": %d",
                   (unsigned long long)r->pci.bar[0].size, r->pci.iommu_group);
        }
        printf(", \"sensors\": null, \"processes\": [");
        if (r->pid > 0) {
            printf("{\"pid\": %d, ", (int)r->pid);
            json_text("name", r->process);
            printf("}");
        }
        printf("]}");
    }
    printf("\n]}\n");
}

static void print_table(const struct row *rows, size_t n) {
    printf("%-24s %-36s %-8s %4s %9s  %s\n", "DEVICE", "NAME", "TARGET", "CUs", "VRAM", "STATE");
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        char vram[24] = "-";
        if (r->c.vram_bytes)
            snprintf(vram, sizeof vram, "%llu MiB", (unsigned long long)(r->c.vram_bytes >> 20));
        printf("%-24s %-36s %-8s %4u %9s  %s\n", r->c.id, r->c.name,
               r->c.target[0] ? r->c.target : "-", r->c.compute_units, vram, state(r));
        if (r->c.error[0]) printf("    %s\n", r->c.error);
        if (r->card)
            printf("    driver %s, BAR0 %llu MiB, IOMMU group %d; temperature, power, clocks: not "
                   "available\n",
                   r->pci.driver[0] ? r->pci.driver : "none",
                   (unsigned long long)(r->pci.bar[0].size >> 20), r->pci.iommu_group);
        if (r->pid > 0) printf("    process %d (%s)\n", (int)r->pid, r->process);
    }
    if (!n) puts("no devices");
}

static int show(const char *spec, bool json) {
    struct row *rows = NULL;
    size_t n = 0;
    int rc = collect(spec, &rows, &n);
    if (rc) {
        fprintf(stderr, "rawcl-smi: %s\n", strerror(-rc));
        return 1;
    }
    if (json)
        print_json(rows, n);
    else
        print_table(rows, n);
    free(rows);
    return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},         {"watch", optional_argument, NULL, 'w'},
        {"device", required_argument, NULL, 'd'}, {"root", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    const char *spec = NULL;
    bool json = false;
    double every = 0;
    for (int o; (o = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        char *end = NULL;
        switch (o) {
        case 'j':
            json = true;
            break;
        case 'w':
            every = optarg ? strtod(optarg, &end) : 2;
            if (!(every >= 0.1 && every <= 86400) || (end && *end)) {
                fprintf(stderr, "rawcl-smi: --watch=SECONDS, 0.1 to 86400\n");
                return 2;
            }
            break;
        case 'd':
            spec = optarg;
            break;
        case 'r':
            pci_set_root(optarg);
            break;
        case 'h':
            return fputs(usage, stdout) < 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (optind < argc) return fputs(usage, stderr), 2;
    for (;;) {
        if (every && !json && isatty(1)) fputs("\033[H\033[2J", stdout);
        int rc = show(spec, json);
        if (rc || !every) return rc;
        struct timespec ts = {(time_t)every, (long)((every - (double)(time_t)every) * 1e9)};
        nanosleep(&ts, NULL);
    }
}
