/* SPDX-License-Identifier: MIT */
/* rawcl-setup - takes a card from its kernel driver, hands it to vfio-pci or to nobody, gives a
 * user permission, and undoes it all. Every step is one line that a person could type. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/pci_card.h"

static const char usage[] =
    "usage: rawcl-setup [--dry-run] COMMAND [BDF]\n"
    "\n"
    "  status          every AMD display controller, who has it, and what would have to be done\n"
    "  vfio BDF        unbind the card from its driver and bind it to vfio-pci (needs an IOMMU, "
    "or\n"
    "                  vfio's enable_unsafe_noiommu_mode=1); BAR0 is enlarged before that\n"
    "  pci BDF         unbind the card and leave it without a driver, keep the kernel from moving\n"
    "                  locked memory (vm.compact_unevictable_allowed=0); for machines without an\n"
    "                  IOMMU. Kernels that run on the card can then reach all of the host's "
    "memory\n"
    "  permit BDF USER let a user open the card's vfio group\n"
    "  undo BDF        give the card back to the kernel driver that would have it\n"
    "\n"
    "  -n, --dry-run   print what would be written, write nothing\n"
    "  --force         even the display that the machine boots with\n"
    "  --root DIR      look for /sys, /proc and /dev below DIR (for tests)\n"
    "  --help          this text\n"
    "\n"
    "Nothing lasts over a reboot. Then name the device in RAWCL_DEVICE or rawcl.conf.\n";

static bool dry, force;

__attribute__((format(printf, 1, 2))) static int complain(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("rawcl-setup: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return 1;
}

/* echo VALUE > PATH */
static int put(const char *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int put(const char *value, const char *fmt, ...) {
    char tail[PATH_MAX], path[PATH_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(tail, sizeof tail, fmt, ap);
    va_end(ap);
    if (pci_path(path, sizeof path, "%s", tail)) return complain("%s: too long", tail);
    printf("echo %s > %s\n", value[0] ? value : "''", path);
    if (dry) return 0;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    size_t n = strlen(value);
    ssize_t put = fd < 0 ? -1 : n ? write(fd, value, n) : write(fd, "\n", 1);
    int why = errno;
    if (fd >= 0) close(fd);
    if (put < 0)
        return complain("%s: %s%s", path, strerror(why),
                        why == EACCES || why == EPERM ? " (run as root)" : "");
    return 0;
}

static bool exists(const char *fmt, const char *arg) {
    char tail[PATH_MAX], path[PATH_MAX];
    snprintf(tail, sizeof tail, fmt, arg);
    return !pci_path(path, sizeof path, "%s", tail) && access(path, F_OK) == 0;
}

/* ---- steps ---- */

static int unbind(const struct pci_card *c) {
    if (!c->driver[0]) return 0;
    return put(c->bdf, "/sys/bus/pci/drivers/%s/unbind", c->driver);
}

/* The kernel moves BARs only while no driver has the card. */
static int enlarge(const struct pci_card *c) {
    char path[PATH_MAX], text[64];
    if (pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/resource0_resize", c->bdf) ||
        pci_read_text(path, text, sizeof text))
        return 0;
    unsigned long long sizes = strtoull(text, NULL, 16);
    for (int n = 43; n >= 0; n--) {
        if (!(sizes >> n & 1)) continue;
        if ((1ull << n) << 20 <= c->bar[0].size) return 0;
        snprintf(text, sizeof text, "%d", n);
        if (!put(text, "/sys/bus/pci/devices/%s/resource0_resize", c->bdf)) return 0;
    }
    printf("# BAR0 stays at %llu MiB\n", (unsigned long long)(c->bar[0].size >> 20));
    return 0;
}

static int ready(const struct pci_card *c) {
    char why[256];
    if (pci_card_foreign(c, why, sizeof why)) return complain("%s", why);
    if (c->boot_vga && !force)
        return complain("%s is the display that this machine boots with: --force takes it away",
                        c->bdf);
    pid_t pid = pci_card_holder(c);
    if (pid > 0) return complain("%s is in use by process %d", c->bdf, (int)pid);
    if (pci_card_check_bars(c, why, sizeof why)) return complain("%s", why);
    return 0;
}

static int to_vfio(const struct pci_card *c) {
    int rc = ready(c);
    if (rc) return rc;
    if (strcmp(c->driver, "vfio-pci") == 0) {
        printf("# %s is bound to vfio-pci already\n", c->bdf);
        return 0;
    }
    if (!exists("/sys/bus/pci/drivers/%s", "vfio-pci"))
        return complain("the vfio-pci module is not loaded: modprobe vfio-pci disable_idle_d3=1");
    if (c->iommu_group < 0 &&
        !exists("/sys/module/vfio/parameters/%s", "enable_unsafe_noiommu_mode"))
        return complain("%s has no IOMMU group: turn the IOMMU on in the firmware setup and the "
                        "kernel, or use \"rawcl-setup pci %s\"",
                        c->bdf, c->bdf);
    rc = unbind(c);
    if (!rc) rc = enlarge(c);
    if (!rc) rc = put("vfio-pci", "/sys/bus/pci/devices/%s/driver_override", c->bdf);
    if (!rc) rc = put(c->bdf, "/sys/bus/pci/drivers_probe");
    if (!rc) printf("# RAWCL_DEVICE=vfio:%s\n", c->bdf);
    return rc;
}

static int to_nobody(const struct pci_card *c) {
    int rc = ready(c);
    if (rc) return rc;
    if (c->iommu_group >= 0 && !c->noiommu && strcmp(c->iommu_type, "identity") != 0)
        return complain(
            "an IOMMU translates for %s: \"rawcl-setup vfio %s\" uses it, which is safer", c->bdf,
            c->bdf);
    rc = unbind(c);
    if (!rc) rc = enlarge(c);
    if (!rc) rc = put("0", "/proc/sys/vm/compact_unevictable_allowed");
    if (!rc) printf("# RAWCL_DEVICE=pci:%s\n", c->bdf);
    return rc;
}

static int undo(const struct pci_card *c) {
    pid_t pid = pci_card_holder(c);
    if (pid > 0) return complain("%s is in use by process %d", c->bdf, (int)pid);
    int rc = put("", "/sys/bus/pci/devices/%s/driver_override", c->bdf);
    if (!rc && strcmp(c->driver, "vfio-pci") == 0) rc = unbind(c);
    if (!rc && (!c->driver[0] || strcmp(c->driver, "vfio-pci") == 0))
        rc = put(c->bdf, "/sys/bus/pci/drivers_probe");
    return rc;
}

static int permit(const struct pci_card *c, const char *user) {
    char path[PATH_MAX];
    if (strcmp(c->driver, "vfio-pci") != 0 || c->iommu_group < 0)
        return complain("%s is not bound to vfio-pci yet", c->bdf);
    if (c->noiommu) return complain("without an IOMMU vfio serves root only");
    const struct passwd *p = getpwnam(user);
    if (!p) return complain("there is no user \"%s\"", user);
    if (pci_path(path, sizeof path, "/dev/vfio/%d", c->iommu_group)) return 1;
    printf("chown %s %s\n", user, path);
    if (dry || chown(path, p->pw_uid, (gid_t)-1) == 0) return 0;
    return complain("%s: %s", path, strerror(errno));
}

static int status(void) {
    struct pci_card *cards;
    size_t n;
    if (pci_cards(&cards, &n)) return complain("out of memory");
    if (!n) puts("no display controller of AMD's");
    for (size_t i = 0; i < n; i++) {
        const struct pci_card *c = &cards[i];
        char why[256];
        printf("%s  %04x:%04x rev %02x  driver %s  ", c->bdf, c->vendor, c->device, c->revision,
               c->driver[0] ? c->driver : "none");
        if (c->iommu_group >= 0)
            printf("IOMMU group %d %s  ", c->iommu_group, c->noiommu ? "(none)" : c->iommu_type);
        else
            printf("no IOMMU  ");
        printf("BAR0 %llu MiB%s\n", (unsigned long long)(c->bar[0].size >> 20),
               c->boot_vga ? "  boot display" : "");
        if (pci_card_foreign(c, why, sizeof why) || pci_card_check_bars(c, why, sizeof why))
            printf("    %s\n", why);
        else if (strcmp(c->driver, "vfio-pci") == 0)
            printf("    ready: RAWCL_DEVICE=vfio:%s\n", c->bdf);
        else
            printf("    rawcl-setup %s %s\n", c->iommu_group >= 0 ? "vfio" : "pci", c->bdf);
    }
    if (pci_locked_down()) puts("the kernel is locked down (Secure Boot): only vfio works");
    free(cards);
    return 0;
}

int main(int argc, char **argv) {
    static const struct option options[] = {{"dry-run", no_argument, NULL, 'n'},
                                            {"force", no_argument, NULL, 'f'},
                                            {"root", required_argument, NULL, 'r'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int o; (o = getopt_long(argc, argv, "nh", options, NULL)) != -1;) {
        if (o == 'n') dry = true;
        if (o == 'f') force = true;
        if (o == 'r') pci_set_root(optarg);
        if (o == 'h') return fputs(usage, stdout) < 0;
        if (o == '?') return fputs(usage, stderr), 2;
    }
    int left = argc - optind;
    const char *what = left ? argv[optind] : "";
    if (left == 1 && strcmp(what, "status") == 0) return status();
    bool user = strcmp(what, "permit") == 0;
    if (left != (user ? 3 : 2)) return fputs(usage, stderr), 2;
    char bdf[16], err[256];
    struct pci_card c;
    if (pci_bdf_parse(argv[optind + 1], bdf))
        return complain("\"%s\" is no PCI address", argv[optind + 1]), 2;
    if (pci_card_read(bdf, &c, err, sizeof err)) return complain("%s", err);
    if (user) return permit(&c, argv[optind + 2]);
    if (strcmp(what, "vfio") == 0) return to_vfio(&c);
    if (strcmp(what, "pci") == 0) return to_nobody(&c);
    if (strcmp(what, "undo") == 0) return undo(&c);
    fputs(usage, stderr);
    return 2;
}
