/* SPDX-License-Identifier: MIT */
/* bus_pci.c - a card without an IOMMU and without a kernel driver: configuration space through
 * libpciaccess, BARs and their size through sysfs, memory at physical addresses. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pciaccess.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "driver/enumerate.h"
#include "driver/pci_card.h"

enum { PCI_COMMAND = 4, COMMAND_MEMORY = 2, COMMAND_MASTER = 4, CFG_BYTES = 4096 };

struct bus_pci {
    struct bus base;
    struct pci_card card;
    struct pci_device *dev; /* NULL: configuration space is a plain file (tests) */
    int cfg_fd, lock_fd;
    bool looking; /* enumeration: nothing is changed */
    pthread_mutex_t lock;
    struct bus_bar bar[6];
};

static struct bus_pci *self(struct bus *b) {
    return (struct bus_pci *)b;
}

/* ---- configuration space ---- */

static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static int library_rc;

static void library_start(void) {
    library_rc = -pci_system_init();
}

static int open_config(struct bus_pci *p) {
    char path[PATH_MAX];
    unsigned domain, bus, dev, func;
    if (!pci_root_is_real()) {
        int rc = pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/config", p->card.bdf);
        if (rc) return rc;
        p->cfg_fd = open(path, (p->looking ? O_RDONLY : O_RDWR) | O_CLOEXEC);
        return p->cfg_fd < 0 ? -errno : 0;
    }
    pthread_once(&library_once, library_start);
    if (library_rc) return library_rc;
    if (sscanf(p->card.bdf, "%x:%x:%x.%x", &domain, &bus, &dev, &func) != 4) return -EINVAL;
    p->dev = pci_device_find_by_slot(domain, bus, dev, func);
    return p->dev ? 0 : -ENODEV;
}

static int op_cfg_read(struct bus *b, uint32_t off, uint32_t len, uint32_t *val) {
    struct bus_pci *p = self(b);
    *val = 0;
    if ((len != 1 && len != 2 && len != 4) || off % len || off > CFG_BYTES - len) return -EINVAL;
    if (p->dev) {
        pciaddr_t n = 0;
        int rc = pci_device_cfg_read(p->dev, val, off, len, &n);
        return rc ? -rc : n == len ? 0 : -EACCES; /* all but the first 64 bytes are root's */
    }
    ssize_t n = pread(p->cfg_fd, val, len, off);
    return n < 0 ? -errno : (uint32_t)n == len ? 0 : -EACCES;
}

static int op_cfg_write(struct bus *b, uint32_t off, uint32_t len, uint32_t val) {
    struct bus_pci *p = self(b);
    if ((len != 1 && len != 2 && len != 4) || off % len || off > CFG_BYTES - len) return -EINVAL;
    if (p->looking) return -EPERM;
    if (p->dev) {
        pciaddr_t n = 0;
        int rc = pci_device_cfg_write(p->dev, &val, off, len, &n);
        return rc ? -rc : n == len ? 0 : -EACCES;
    }
    ssize_t n = pwrite(p->cfg_fd, &val, len, off);
    return n < 0 ? -errno : (uint32_t)n == len ? 0 : -EACCES;
}

/* ---- BARs ---- */

static void forget_bars_locked(struct bus_pci *p) {
    for (int i = 0; i < 6; i++) {
        if (p->bar[i].ptr) munmap((void *)(uintptr_t)p->bar[i].ptr, p->bar[i].size);
        p->bar[i] = (struct bus_bar){0};
    }
}

static int map_locked(struct bus_pci *p, int bar) {
    char path[PATH_MAX];
    if (bar < 0 || bar > 5 || !p->card.bar[bar].size) return -ENOENT;
    if (p->bar[bar].ptr) return 0;
    int rc = pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/resource%d", p->card.bdf, bar);
    if (rc) return rc;
    /* MM_INDEX, which a look through a small BAR needs, is written to as well */
    int fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
    if (fd < 0) return -errno;
    void *m = mmap(NULL, p->card.bar[bar].size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    rc = m == MAP_FAILED ? -errno : 0;
    close(fd);
    if (rc) return rc;
    madvise(m, p->card.bar[bar].size, MADV_DONTFORK);
    p->bar[bar] = (struct bus_bar){m, p->card.bar[bar].size, p->card.bar[bar].start};
    return 0;
}

static int op_bar_map(struct bus *b, int bar, struct bus_bar *out) {
    struct bus_pci *p = self(b);
    pthread_mutex_lock(&p->lock);
    int rc = map_locked(p, bar);
    if (!rc) *out = p->bar[bar];
    pthread_mutex_unlock(&p->lock);
    return rc;
}

/* Where an access lands, NULL: nowhere. */
static volatile uint8_t *place(struct bus_pci *p, int bar, uint64_t off, size_t len) {
    pthread_mutex_lock(&p->lock);
    int rc = map_locked(p, bar);
    struct bus_bar m = rc ? (struct bus_bar){0} : p->bar[bar];
    pthread_mutex_unlock(&p->lock);
    if (rc || len > m.size || off > m.size - len) return NULL;
    return (volatile uint8_t *)m.ptr + off;
}

static int op_bar_read(struct bus *b, int bar, uint64_t off, void *buf, size_t len) {
    volatile uint8_t *at = place(self(b), bar, off, len);
    return at ? bus_bar_copy_in(buf, at, len) : -EFAULT;
}

static int op_bar_write(struct bus *b, int bar, uint64_t off, const void *buf, size_t len) {
    volatile uint8_t *at = place(self(b), bar, off, len);
    return at ? bus_bar_copy_out(at, buf, len) : -EFAULT;
}

/* resourceN_resize holds a bit for each size that the card offers, bit n for 2^n MiB, and takes a
 * bit's number. The kernel moves the card's BARs about for it: all mappings go. */
static int op_bar_resize(struct bus *b, int bar) {
    struct bus_pci *p = self(b);
    char path[PATH_MAX], text[64], err[128];
    int rc =
        pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/resource%d_resize", p->card.bdf, bar);
    if (!rc) rc = pci_read_text(path, text, sizeof text);
    if (rc) return rc == -ENOENT ? -ENOTSUP : rc;
    unsigned long long sizes = strtoull(text, NULL, 16);
    pthread_mutex_lock(&p->lock);
    forget_bars_locked(p);
    rc = -ENOTSUP;
    for (int n = 43; n >= 0 && rc; n--) {
        if (!(sizes >> n & 1)) continue;
        if ((1ull << n) << 20 <= p->card.bar[bar].size) break; /* has that already */
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0) {
            rc = -errno;
            break;
        }
        int len = snprintf(text, sizeof text, "%d", n);
        rc = write(fd, text, (size_t)len) == len ? 0 : -errno;
        close(fd);
    }
    struct pci_card now;
    if (!pci_card_read(p->card.bdf, &now, err, sizeof err)) p->card = now;
    pthread_mutex_unlock(&p->lock);
    return rc == -ENOSPC || rc == -EBUSY ? -ENOTSUP : rc;
}

/* ---- memory, interrupts, reset ---- */

static int op_dma_map(struct bus *b, void *va, void *hint, size_t size, struct bus_dma *out) {
    struct bus_pci *p = self(b);
    char err[256] = "";
    if (p->looking) return -EPERM;
    int rc = host_pages_map(va, hint, size, out, err, sizeof err);
    if (err[0]) fprintf(stderr, "rawcl: pci: %s: %s\n", p->card.bdf, err);
    return rc;
}

static void op_dma_unmap(struct bus *b, struct bus_dma *m) {
    (void)b;
    host_pages_unmap(m);
}

static int op_irq_wait(struct bus *b, int64_t timeout_us) {
    (void)b;
    (void)timeout_us;
    return -ENOTSUP; /* interrupts need a kernel driver: vfio */
}

static int write_attribute(struct bus_pci *p, const char *name, const char *value) {
    char path[PATH_MAX];
    int rc = pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/%s", p->card.bdf, name);
    if (rc) return rc;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? -ENOTSUP : -errno;
    size_t n = strlen(value);
    rc = write(fd, value, n) == (ssize_t)n ? 0 : -errno;
    close(fd);
    return rc;
}

static int op_reset(struct bus *b) {
    struct bus_pci *p = self(b);
    return p->looking ? -EPERM : write_attribute(p, "reset", "1");
}

static void op_delay(struct bus *b, uint64_t us) {
    (void)b;
    struct timespec ts = {(time_t)(us / 1000000u), (long)(us % 1000000u * 1000u)};
    while (nanosleep(&ts, &ts) && errno == EINTR)
        ;
}

/* The memory goes back to the kernel: nothing may write to it any more. */
static void stop_mastering(struct bus_pci *p) {
    uint32_t cmd = 0;
    if (!op_cfg_read(&p->base, PCI_COMMAND, 2, &cmd) && (cmd & COMMAND_MASTER))
        op_cfg_write(&p->base, PCI_COMMAND, 2, cmd & ~(uint32_t)COMMAND_MASTER);
}

static void op_close(struct bus *b) {
    struct bus_pci *p = self(b);
    if (!p->looking && p->lock_fd >= 0 && (p->dev || p->cfg_fd >= 0)) stop_mastering(p);
    forget_bars_locked(p);
    if (p->cfg_fd >= 0) close(p->cfg_fd);
    if (p->lock_fd >= 0) close(p->lock_fd);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static const struct bus_ops pci_ops = {
    .name = "pci",
    .close = op_close,
    .cfg_read = op_cfg_read,
    .cfg_write = op_cfg_write,
    .bar_map = op_bar_map,
    .bar_read = op_bar_read,
    .bar_write = op_bar_write,
    .bar_resize = op_bar_resize,
    .dma_map = op_dma_map,
    .dma_unmap = op_dma_unmap,
    .irq_wait = op_irq_wait,
    .reset = op_reset,
    .delay = op_delay,
};

/* ---- opening ---- */

/* Why this card must not be touched this way. 0 or -errno with a sentence. */
static int permitted(const struct device_spec *s, const struct pci_card *c, char *err,
                     size_t err_size) {
    if (pci_card_foreign(c, err, err_size)) return -ENOTSUP;
    if (strcmp(c->driver, "vfio-pci") == 0) {
        snprintf(err, err_size, "%s is bound to vfio-pci: its name is vfio:%s", c->bdf, c->bdf);
        return -EBUSY;
    }
    if (c->driver[0] && strcmp(c->driver, "pci-stub") != 0) {
        snprintf(
            err, err_size,
            "the kernel driver %s has %s; \"rawcl-setup pci %s\" unbinds it (that is: echo %s > "
            "/sys/bus/pci/drivers/%s/unbind)",
            c->driver, c->bdf, c->bdf, c->bdf, c->driver);
        return -EBUSY;
    }
    if (c->boot_vga && !s->force) {
        snprintf(err, err_size,
                 "%s is the display that this machine boots with; pci:%s,force takes it away from "
                 "the console",
                 c->bdf, c->bdf);
        return -EPERM;
    }
    if (c->iommu_group >= 0 && !c->noiommu && strcmp(c->iommu_type, "identity") != 0) {
        snprintf(err, err_size,
                 "an IOMMU translates for %s (group %d%s%s): \"rawcl-setup vfio %s\" binds it to "
                 "vfio-pci, its name is then vfio:%s",
                 c->bdf, c->iommu_group, c->iommu_type[0] ? ", " : "", c->iommu_type, c->bdf,
                 c->bdf);
        return -EPERM;
    }
    if (pci_locked_down()) {
        snprintf(
            err, err_size,
            "the kernel is locked down (Secure Boot), which forbids raw access to %s: use vfio "
            "with an IOMMU, or turn Secure Boot off",
            c->bdf);
        return -EPERM;
    }
    return pci_card_check_bars(c, err, err_size);
}

static int access_to(struct bus_pci *p, char *err, size_t err_size) {
    char path[PATH_MAX];
    int rc = pci_path(path, sizeof path, "/sys/bus/pci/devices/%s/resource5", p->card.bdf);
    int fd = rc ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (!rc && fd < 0) rc = -errno;
    if (fd >= 0) close(fd);
    if (rc == -EACCES || rc == -EPERM)
        snprintf(err, err_size, "no permission for %s: run as root, or use vfio", path);
    else if (rc)
        snprintf(err, err_size, "%s: %s", path, strerror(-rc));
    return rc;
}

static int start(struct bus_pci *p, char *err, size_t err_size) {
    int rc = access_to(p, err, err_size);
    if (rc) return rc;
    if (!p->looking) {
        rc = host_pages_check(err, err_size);
        if (!rc) rc = pci_card_lock(&p->card, &p->lock_fd, err, err_size);
        if (!rc && !p->card.enabled) rc = write_attribute(p, "enable", "1"); /* out of D3 */
        if (rc) return rc;
    }
    rc = open_config(p);
    uint32_t cmd = 0;
    if (!rc) rc = op_cfg_read(&p->base, PCI_COMMAND, 2, &cmd);
    if (!rc && p->looking && (!(cmd & COMMAND_MEMORY) || cmd == 0xffff)) {
        snprintf(err, err_size, "%s does not answer: it is not enabled", p->card.bdf);
        return -EAGAIN;
    }
    return rc;
}

int bus_pci_open(struct device_spec *s, struct bus **out, char *err, size_t err_size) {
    struct pci_card card;
    int rc = pci_card_read(s->address, &card, err, err_size);
    if (!rc) rc = permitted(s, &card, err, err_size);
    if (rc) return rc;
    struct bus_pci *p = calloc(1, sizeof *p);
    if (!p) return -ENOMEM;
    p->base.ops = &pci_ops;
    p->card = card;
    p->looking = s->looking;
    p->cfg_fd = p->lock_fd = -1;
    pthread_mutex_init(&p->lock, NULL);
    rc = start(p, err, err_size);
    if (rc) {
        if (!err[0]) snprintf(err, err_size, "%s: %s", card.bdf, strerror(-rc));
        op_close(&p->base);
        return rc;
    }
    *out = &p->base;
    return 0;
}
