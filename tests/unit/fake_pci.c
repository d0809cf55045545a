/* SPDX-License-Identifier: MIT */
#include "tests/unit/fake_pci.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/pci_card.h"

#define DEV "/sys/bus/pci/devices/" FAKE_BDF "/"

static void path_of(struct fake_pci *f, const char *path, char *buf) {
    snprintf(buf, PATH_MAX, "%s%s", f->dir, path);
    for (char *p = buf + strlen(f->dir) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(buf, 0700);
        *p = '/';
    }
}

static void put(struct fake_pci *f, const char *path, const void *data, size_t n, off_t size) {
    char full[PATH_MAX];
    path_of(f, path, full);
    int fd = open(full, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n || (size && ftruncate(fd, size))) perror(full);
    close(fd);
}

void fake_pci_write(struct fake_pci *f, const char *path, const char *text) {
    put(f, path, text, strlen(text), 0);
}

void fake_pci_set(struct fake_pci *f, const char *name, const char *text) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, DEV "%s", name);
    fake_pci_write(f, path, text);
}

void fake_pci_link(struct fake_pci *f, const char *name, const char *target) {
    char path[PATH_MAX], full[PATH_MAX];
    snprintf(path, sizeof path, DEV "%s", name);
    path_of(f, path, full);
    unlink(full);
    if (symlink(target, full)) perror(full);
}

void fake_pci_drop(struct fake_pci *f, const char *name) {
    char path[PATH_MAX], full[PATH_MAX];
    snprintf(path, sizeof path, DEV "%s", name);
    path_of(f, path, full);
    unlink(full);
}

void fake_pci_bars(struct fake_pci *f, uint64_t bar0, uint64_t bar2, uint64_t bar5) {
    const uint64_t size[6] = {bar0, 0, bar2, 0, 0, bar5};
    const uint64_t base[6] = {0x7c00000000, 0, 0x7bf0000000, 0, 0, 0xfc900000};
    char text[512], name[64];
    size_t n = 0;
    for (int i = 0; i < 6; i++) {
        unsigned long long start = size[i] ? base[i] : 0, end = size[i] ? base[i] + size[i] - 1 : 0;
        n += (size_t)snprintf(text + n, sizeof text - n, "0x%016llx 0x%016llx 0x%016llx\n", start,
                              end, size[i] ? 0x14220cull : 0);
        snprintf(name, sizeof name, DEV "resource%d", i);
        if (size[i]) put(f, name, "", 0, (off_t)size[i]);
    }
    fake_pci_set(f, "resource", text);
}

void fake_pci_make(struct fake_pci *f) {
    uint8_t config[4096] = {0x02, 0x10, 0x50, 0x75, 0x02, 0, 0, 0, 0xc0, 0, 0x80, 0x03};
    snprintf(f->dir, sizeof f->dir, "/tmp/rawcl-sysfs-XXXXXX");
    if (!mkdtemp(f->dir)) perror(f->dir);
    pci_set_root(f->dir);
    put(f, DEV "config", config, sizeof config, 0);
    fake_pci_set(f, "vendor", "0x1002\n");
    fake_pci_set(f, "device", "0x7550\n");
    fake_pci_set(f, "revision", "0xc0\n");
    fake_pci_set(f, "class", "0x038000\n");
    fake_pci_set(f, "boot_vga", "0\n");
    fake_pci_set(f, "enable", "1\n");
    fake_pci_set(f, "reset", "");
    fake_pci_bars(f, 256 << 20, 2 << 20, 1 << 20);
    fake_pci_write(f, "/proc/sys/vm/compact_unevictable_allowed", "0\n");
    fake_pci_write(f, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void fake_pci_remove(struct fake_pci *f) {
    nftw(f->dir, drop, 16, FTW_DEPTH | FTW_PHYS);
    pci_set_root("");
}

const char *fake_pci_read(struct fake_pci *f, const char *path) {
    static char text[256];
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s%s", f->dir, path);
    text[0] = 0;
    pci_read_text(full, text, sizeof text);
    return text;
}
