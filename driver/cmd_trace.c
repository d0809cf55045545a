/* SPDX-License-Identifier: MIT */
/* rawcl-trace - records what the driver does on the bus, does it again on the emulated GPU, shows
 * packets, and gathers what is needed to judge a first boot on a card. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "driver/dev.h"
#include "driver/enumerate.h"
#include "driver/pci_card.h"

static const char usage[] =
    "usage: rawcl-trace record FILE PROGRAM [ARGUMENT...]\n"
    "       rawcl-trace boot [--device ID] FILE\n"
    "       rawcl-trace replay [--device emu:TARGET[,...]] FILE\n"
    "       rawcl-trace --decode pm4|sdma [--target gfx1201] FILE\n"
    "       rawcl-trace evidence [--device ID] [--dry-run] FOLDER\n"
    "\n"
    "  record    runs a program that uses OpenCL; every access to the bus goes to FILE, with the\n"
    "            names of registers and fields, and system memory as the device finds it\n"
    "  boot      the same for a boot and a clean end, without a program\n"
    "  replay    does all of it again on the emulated GPU and compares what is read. A session of\n"
    "            the emulated GPU can be replayed whole; one of a card up to its first mapping of\n"
    "            memory that lies elsewhere\n"
    "  --decode  FILE holds dwords (little endian); shows the packets in them\n"
    "  evidence  boots the device twice and writes both sessions, all messages and what the "
    "kernel\n"
    "            says of the machine to FOLDER. Use it on a new card and keep the folder\n"
    "\n"
    "  --device  default: for boot and evidence the first device of RAWCL_DEVICE, for replay the\n"
    "            target that the file was recorded with\n"
    "  --dry-run say what would be done\n"
    "  --help    this text\n";

static int complain(const char *what, const char *why) {
    fprintf(stderr, "rawcl-trace: %s: %s\n", what, why);
    return 1;
}

/* ---- packets ---- */

static int decode(const char *kind, const char *target, const char *path) {
    bool sdma = strcmp(kind, "sdma") == 0;
    const struct hw_chip *chip = hw_find_chip(target);
    if (!sdma && strcmp(kind, "pm4") != 0) return complain(kind, "is not pm4 or sdma"), 2;
    if (!chip) return complain(target, "no such chip"), 2;
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!f) return complain(path, strerror(errno));
    size_t n = 0, cap = 0, got = 0;
    uint32_t *dw = NULL, *p = NULL;
    do {
        if (n == cap) {
            cap = cap ? cap * 2 : 4096;
            p = cap > (256u << 20) / 4 ? NULL : realloc(dw, cap * 4);
            if (!p) break;
            dw = p;
        }
        got = fread(dw + n, 4, cap - n, f);
        n += got;
    } while (got);
    if (f != stdin) fclose(f);
    if (!p) {
        free(dw);
        return complain(path, "larger than 256 MiB, or out of memory");
    }
    packet_decode(stdout, sdma, chip->gc.major >= 12, dw, n);
    free(dw);
    return fflush(stdout) ? 1 : 0;
}

/* ---- sessions ---- */

static void to_file(void *ctx, enum am_log_level level, const char *topic, const char *line) {
    static const char *const names[] = {"error", "warning", "info", "debug"};
    fprintf(ctx, "%s: %s: %s\n", names[level], topic, line);
    fflush(ctx);
}

static int session(const char *id, const char *path, FILE *log, bool *partial) {
    struct am_options opt = {.log = log ? to_file : NULL, .log_ctx = log};
    struct am_device *d;
    char err[512];
    setenv("AM_TRACE", path, 1);
    int rc = am_open(id, &opt, &d, err, sizeof err);
    unsetenv("AM_TRACE");
    if (rc) {
        if (log) fprintf(log, "error: open: %s\n", err);
        return complain("open", err);
    }
    if (partial) *partial = d->partial_boot;
    printf("%s: %s, %s boot, %llu MiB of memory\n", id, d->target,
           d->partial_boot ? "partial" : "full", (unsigned long long)(d->vram_bytes >> 20));
    am_close(d);
    return 0;
}

static int first_device(char id[96]) {
    struct am_candidate *c;
    size_t n;
    int rc = am_enumerate(NULL, &c, &n);
    if (!rc && n && c[0].error[0]) fprintf(stderr, "rawcl-trace: %s: %s\n", c[0].id, c[0].error);
    if (!rc && n) snprintf(id, 96, "%s", c[0].id);
    free(c);
    return rc || !n ? complain("device", "there is none") : 0;
}

static void complaint(void *ctx, enum am_log_level level, const char *topic, const char *line) {
    if (level > AM_LOG_WARN) return;
    ++*(unsigned long *)ctx;
    fprintf(stderr, "%s: %s\n", topic, line);
}

static int replay(const char *id, const char *path) {
    char line[256] = "", recorded[96] = "";
    unsigned long complaints = 0;
    FILE *f = fopen(path, "re");
    if (!f) return complain(path, strerror(errno));
    if (fgets(line, sizeof line, f)) sscanf(line, "rawcl-trace 1 %95s", recorded);
    rewind(f);
    if (!id) id = recorded;
    struct device_spec s;
    struct bus *bus;
    struct trace_report r;
    struct am_options opt = {.log = complaint, .log_ctx = &complaints};
    char err[256] = "";
    int rc = device_spec_parse(id, &s);
    if (rc || s.kind != DEVICE_EMU) {
        fclose(f);
        return complain(id,
                        rc ? s.error : "only the emulated GPU is replayed on: --device emu:TARGET");
    }
    rc = device_open_bus(&s, &opt, &bus, err, sizeof err);
    if (rc) {
        fclose(f);
        return complain(id, err);
    }
    rc = trace_replay(f, bus, stdout, &r);
    fclose(f);
    bus->ops->close(bus);
    printf("%lu events, %lu reads (%lu equal later, %lu different), %lu pieces of memory; %lu "
           "complaints of the GPU\n",
           r.events, r.reads, r.later, r.differ, r.memory, complaints);
    return rc || complaints ? 1 : 0;
}

static int record(const char *path, char **program) {
    setenv("AM_TRACE", path, 1);
    execvp(program[0], program);
    return complain(program[0], strerror(errno));
}

/* ---- evidence ---- */

static void copy_text(FILE *out, const char *title, const char *path) {
    char full[4096], line[512];
    fprintf(out, "== %s\n", title);
    if (pci_path(full, sizeof full, "%s", path)) return;
    FILE *f = fopen(full, "re");
    if (!f) fprintf(out, "%s: %s\n", full, strerror(errno));
    while (f && fgets(line, sizeof line, f))
        fputs(line, out);
    if (f) fclose(f);
    fputc('\n', out);
}

static void describe_machine(FILE *out) {
    struct utsname u;
    struct pci_card *cards;
    size_t n;
    if (!uname(&u)) fprintf(out, "== system\n%s %s %s\n", u.sysname, u.release, u.machine);
    copy_text(out, "kernel command line", "/proc/cmdline");
    copy_text(out, "lockdown", "/sys/kernel/security/lockdown");
    if (pci_cards(&cards, &n)) return;
    for (size_t i = 0; i < n; i++) {
        char path[128];
        fprintf(out, "== card %s %04x:%04x rev %02x driver \"%s\" IOMMU group %d \"%s\"\n",
                cards[i].bdf, cards[i].vendor, cards[i].device, cards[i].revision, cards[i].driver,
                cards[i].iommu_group, cards[i].iommu_type);
        static const char *const files[] = {
            "resource",         "current_link_speed", "current_link_width", "subsystem_vendor",
            "subsystem_device", "reset_method",       "resource0_resize"};
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", cards[i].bdf, files[k]);
            copy_text(out, files[k], path);
        }
    }
    free(cards);
}

static FILE *in_folder(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "we");
}

static int evidence(const char *id, const char *folder, bool dry) {
    static const char *const names[] = {"boot-1.trace", "boot-2.trace"};
    char path[4096];
    printf("%s: system.txt, messages.txt, boot-1.trace, boot-2.trace in %s\n", id, folder);
    if (dry) return 0;
    if (mkdir(folder, 0700) && errno != EEXIST) return complain(folder, strerror(errno));
    FILE *system = in_folder(folder, "system.txt"), *log = in_folder(folder, "messages.txt");
    int rc = system && log ? 0 : complain(folder, strerror(errno));
    if (!rc) describe_machine(system);
    bool partial = false;
    setenv("AM_DEBUG", "1", 0);
    for (int i = 0; i < 2 && !rc; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        fprintf(log, "info: evidence: boot %d of %s\n", i + 1, id);
        rc = session(id, path, log, &partial);
        fprintf(log, "info: evidence: %s\n",
                rc        ? "failed"
                : partial ? "partial boot"
                          : "full boot");
    }
    if (system) fclose(system);
    if (log) fclose(log);
    return rc;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"decode", required_argument, NULL, 'c'}, {"target", required_argument, NULL, 't'},
        {"device", required_argument, NULL, 'd'}, {"dry-run", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    const char *kind = NULL, *target = "gfx1100", *device = NULL;
    bool dry = false;
    for (int o; (o = getopt_long(argc, argv, "+hn", options, NULL)) != -1;) {
        if (o == 'c') kind = optarg;
        if (o == 't') target = optarg;
        if (o == 'd') device = optarg;
        if (o == 'n') dry = true;
        if (o == 'h') return fputs(usage, stdout) < 0;
        if (o == '?') return fputs(usage, stderr), 2;
    }
    const char *command = optind < argc ? argv[optind] : "";
    if (kind && optind + 1 == argc) return decode(kind, target, command);
    if (strcmp(command, "record") == 0 && argc - optind >= 3)
        return record(argv[optind + 1], argv + optind + 2);
    optind++; /* options may follow the command */
    for (int o; !kind && *command && (o = getopt_long(argc, argv, "+n", options, NULL)) != -1;) {
        if (o == 'd') device = optarg;
        if (o == 'n') dry = true;
        if (o != 'd' && o != 'n') return fputs(usage, stderr), 2;
    }
    char id[96];
    if (kind || optind + 1 != argc) return fputs(usage, stderr), 2;
    if (strcmp(command, "replay") == 0) return replay(device, argv[optind]);
    if (device) snprintf(id, sizeof id, "%s", device);
    if (!device && first_device(id)) return 1;
    if (strcmp(command, "boot") == 0) return session(id, argv[optind], NULL, NULL);
    if (strcmp(command, "evidence") == 0) return evidence(id, argv[optind], dry);
    fputs(usage, stderr);
    return 2;
}
