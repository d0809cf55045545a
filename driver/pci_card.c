/* SPDX-License-Identifier: MIT */
/* pci_card.c - a PCI device as sysfs shows it (linux Documentation/ABI/testing/sysfs-bus-pci). */
#include "driver/pci_card.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { VENDOR_AMD = 0x1002, CLASS_DISPLAY = 3, MIN_BAR0 = 256 << 20 };

static char root[256];

void pci_set_root(const char *dir) {
    snprintf(root, sizeof root, "%s", dir);
}

bool pci_root_is_real(void) {
    return !root[0];
}

int pci_path(char *buf, size_t size, const char *fmt, ...) {
    int n = snprintf(buf, size, "%s", root);
    va_list ap;
    va_start(ap, fmt);
    if (n >= 0 && (size_t)n < size) n += vsnprintf(buf + n, size - (size_t)n, fmt, ap);
    va_end(ap);
    return n >= 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

int pci_read_text(const char *path, char *buf, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    ssize_t n = read(fd, buf, size - 1);
    int rc = n < 0 ? -errno : 0;
    close(fd);
    buf[n > 0 ? n : 0] = 0;
    buf[strcspn(buf, "\n")] = 0;
    return rc;
}

int pci_bdf_parse(const char *text, char bdf[16]) {
    unsigned domain = 0, bus, dev, func;
    int n = 0;
    bool ok = sscanf(text, "%4x:%2x:%2x.%1x%n", &domain, &bus, &dev, &func, &n) == 4 && !text[n];
    if (!ok) {
        domain = 0;
        n = 0;
        ok = sscanf(text, "%2x:%2x.%1x%n", &bus, &dev, &func, &n) == 3 && !text[n];
    }
    if (!ok || dev > 31 || func > 7) return -EINVAL;
    snprintf(bdf, 16, "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff, dev & 31, func & 7);
    return 0;
}

static int attribute(const char *bdf, const char *name, char *buf, size_t size) {
    char path[PATH_MAX];
    int rc = pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/%s", bdf, name);
    return rc ? rc : pci_read_text(path, buf, size);
}

static int number(const char *bdf, const char *name, int base, unsigned long *out) {
    char text[64], *end;
    int rc = attribute(bdf, name, text, sizeof text);
    if (rc) return rc;
    errno = 0;
    *out = strtoul(text, &end, base);
    return errno || end == text ? -EINVAL : 0;
}

/* Last part of where a link of the device's leads. */
static int link_name(const char *bdf, const char *name, char *buf, size_t size) {
    char path[PATH_MAX], to[PATH_MAX];
    int rc = pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/%s", bdf, name);
    ssize_t n = rc ? -1 : readlink(path, to, sizeof to - 1);
    buf[0] = 0;
    if (n < 0) return -ENOENT;
    to[n] = 0;
    const char *slash = strrchr(to, '/');
    snprintf(buf, size, "%.*s", (int)size - 1, slash ? slash + 1 : to);
    return 0;
}

static void read_bars(struct pci_card *c) {
    char path[PATH_MAX];
    if (pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/resource", c->bdf)) return;
    FILE *f = fopen(path, "re");
    char line[128];
    for (int i = 0; i < 6 && f && fgets(line, sizeof line, f); i++) {
        unsigned long long start = 0, end = 0, flags = 0;
        if (sscanf(line, "%llx %llx %llx", &start, &end, &flags) != 3 || !start || end <= start)
            continue;
        c->bar[i].start = start;
        c->bar[i].size = end - start + 1;
    }
    if (f) fclose(f);
}

static void read_group(struct pci_card *c) {
    char text[64], path[PATH_MAX], *end;
    c->iommu_group = -1;
    if (link_name(c->bdf, "iommu_group", text, sizeof text)) return;
    long v = strtol(text, &end, 10);
    if (end == text || v < 0) return;
    c->iommu_group = (int)v;
    if (!pci_path(path, sizeof path, "/sys/kernel/iommu_groups/%ld/type", v))
        pci_read_text(path, c->iommu_type, sizeof c->iommu_type);
    if (!pci_path(path, sizeof path, "/sys/kernel/iommu_groups/%ld/name", v) &&
        !pci_read_text(path, text, sizeof text))
        c->noiommu = strcmp(text, "vfio-noiommu") == 0;
}

int pci_card_read(const char *bdf, struct pci_card *c, char *err, size_t err_size) {
    unsigned long v = 0;
    char text[64];
    memset(c, 0, sizeof *c);
    snprintf(c->bdf, sizeof c->bdf, "%s", bdf);
    int rc = number(bdf, "vendor", 0, &v);
    if (rc) {
        snprintf(err, err_size, rc == -ENOENT ? "there is no PCI device %s" : "%s: %s", bdf,
                 strerror(-rc));
        return rc;
    }
    c->vendor = (uint16_t)v;
    if (!number(bdf, "device", 0, &v)) c->device = (uint16_t)v;
    if (!number(bdf, "revision", 0, &v)) c->revision = (uint8_t)v;
    if (!number(bdf, "class", 0, &v)) c->class_code = (uint32_t)v;
    if (!number(bdf, "boot_vga", 0, &v)) c->boot_vga = v;
    if (!number(bdf, "enable", 0, &v)) c->enabled = v;
    c->virtual_function = !link_name(bdf, "physfn", text, sizeof text);
    link_name(bdf, "driver", c->driver, sizeof c->driver);
    read_bars(c);
    read_group(c);
    return 0;
}

static int by_bdf(const void *a, const void *b) {
    return strcmp(((const struct pci_card *)a)->bdf, ((const struct pci_card *)b)->bdf);
}

int pci_cards(struct pci_card **out, size_t *count) {
    char path[PATH_MAX], err[128], bdf[16];
    *out = NULL;
    *count = 0;
    int rc = pci_path(path, sizeof path, "/sys/bus/pci/devices");
    if (rc) return rc;
    DIR *dir = opendir(path);
    if (!dir) return 0; /* a machine without PCI */
    for (struct dirent *e; !rc && (e = readdir(dir));) {
        struct pci_card c;
        if (pci_bdf_parse(e->d_name, bdf) || pci_card_read(bdf, &c, err, sizeof err)) continue;
        if (c.vendor != VENDOR_AMD || c.class_code >> 16 != CLASS_DISPLAY) continue;
        struct pci_card *p = realloc(*out, (*count + 1) * sizeof *p);
        if (!p) {
            rc = -ENOMEM;
            break;
        }
        *out = p;
        p[(*count)++] = c;
    }
    closedir(dir);
    if (*count) qsort(*out, *count, sizeof **out, by_bdf);
    return rc;
}

const char *pci_card_foreign(const struct pci_card *c, char *buf, size_t size) {
    if (c->vendor != VENDOR_AMD || c->class_code >> 16 != CLASS_DISPLAY)
        snprintf(buf, size, "%s is %04x:%04x of class %06x, no display controller of AMD's", c->bdf,
                 c->vendor, c->device, c->class_code);
    else if (c->virtual_function)
        snprintf(buf, size,
                 "%s is a virtual function: its physical function's driver owns the chip, virtual "
                 "functions are not supported",
                 c->bdf);
    else
        return NULL;
    return buf;
}

int pci_card_check_bars(const struct pci_card *c, char *err, size_t err_size) {
    static const int needed[] = {0, 2, 5};
    for (size_t i = 0; i < 3; i++) {
        if (c->bar[needed[i]].size) continue;
        snprintf(
            err, err_size,
            "BAR%d of %s is not assigned: enable \"Above 4G decoding\" and \"Resizable BAR\" in "
            "the firmware setup",
            needed[i], c->bdf);
        return -ENOSPC;
    }
    if (c->bar[0].size >= MIN_BAR0) return 0;
    snprintf(
        err, err_size,
        "BAR0 of %s has %llu MiB, 256 are needed: enable \"Above 4G decoding\" and \"Resizable "
        "BAR\" in the firmware setup",
        c->bdf, (unsigned long long)(c->bar[0].size >> 20));
    return -ENOSPC;
}

bool pci_locked_down(void) {
    char path[PATH_MAX], text[128];
    return !pci_path(path, sizeof path, "/sys/kernel/security/lockdown") &&
           !pci_read_text(path, text, sizeof text) && strchr(text, '[') && !strstr(text, "[none]");
}

/* ---- one process at a time ---- */

/* /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 00:17:5678 0 EOF", device numbers in hexadecimal. */
static pid_t holder_of(int fd) {
    struct stat st;
    FILE *f = fopen("/proc/locks", "re");
    char line[256];
    pid_t found = 0;
    if (f && !fstat(fd, &st))
        while (!found && fgets(line, sizeof line, f)) {
            int pid;
            unsigned maj, min;
            unsigned long ino;
            if (sscanf(line, "%*s FLOCK %*s %*s %d %x:%x:%lu", &pid, &maj, &min, &ino) == 4 &&
                maj == major(st.st_dev) && min == minor(st.st_dev) && ino == st.st_ino)
                found = pid;
        }
    if (f) fclose(f);
    return found;
}

static int open_lock(const struct pci_card *c) {
    char path[PATH_MAX];
    int rc = pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/config", c->bdf);
    if (rc) return rc;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int pci_card_lock(const struct pci_card *c, int *fd, char *err, size_t err_size) {
    int f = open_lock(c);
    if (f < 0) {
        snprintf(err, err_size, "configuration space of %s: %s", c->bdf, strerror(-f));
        return f;
    }
    if (flock(f, LOCK_EX | LOCK_NB)) {
        int rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
        pid_t pid = holder_of(f);
        close(f);
        if (pid > 0)
            snprintf(err, err_size, "%s is in use by process %d", c->bdf, (int)pid);
        else
            snprintf(err, err_size, "%s is in use by another process", c->bdf);
        return rc;
    }
    *fd = f;
    return 0;
}

pid_t pci_card_holder(const struct pci_card *c) {
    int f = open_lock(c);
    if (f < 0) return 0;
    pid_t pid = holder_of(f);
    close(f);
    return pid;
}
