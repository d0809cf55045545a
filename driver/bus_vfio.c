/* SPDX-License-Identifier: MIT */
/* bus_vfio.c - a card that vfio-pci hands to us (linux Documentation/driver-api/vfio.rst,
 * include/uapi/linux/vfio.h): its IOMMU lets it reach our memory only, interrupts come as eventfds.
 * Where vfio runs without an IOMMU, memory is at physical addresses as on the pci bus. */
#include "driver/bus_vfio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/vfio.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "driver/enumerate.h"
#include "driver/heap.h"
#include "driver/pci_card.h"

/* Addresses that these chips put on the bus have 44 bits (linux gmc_v11_0_sw_init). */
#define IOVA_END   (1ull << 44)
#define IOVA_BASE  (1ull << 32) /* above the window of interrupt messages */
#define IOVA_ALIGN (2ull << 20) /* lets the IOMMU and our page tables use large pages */

enum { CFG_BYTES = 4096 };

struct bus_vfio {
    struct bus base;
    struct pci_card card;
    int lock_fd, container, group, device, event;
    bool noiommu, can_reset;
    uint64_t cfg_off;
    pthread_mutex_t lock;
    struct bus_bar bar[6];
    struct heap *iova;
};

/* ---- system calls ---- */

static int real_open(const char *path, int flags) {
    int fd = open(path, flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int real_ioctl(int fd, unsigned long request, void *arg) {
    int rc = ioctl(fd, request, arg);
    return rc < 0 ? -errno : rc;
}

static void *real_map(int fd, size_t size, off_t off) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, off);
}

static ssize_t real_pread(int fd, void *buf, size_t n, off_t off) {
    ssize_t got = pread(fd, buf, n, off);
    return got < 0 ? -errno : got;
}

static ssize_t real_pwrite(int fd, const void *buf, size_t n, off_t off) {
    ssize_t got = pwrite(fd, buf, n, off);
    return got < 0 ? -errno : got;
}

static const struct vfio_calls real = {real_open, real_ioctl, real_map, real_pread, real_pwrite};
static const struct vfio_calls *sys = &real;

void bus_vfio_calls(const struct vfio_calls *calls) {
    sys = calls ? calls : &real;
}

static struct bus_vfio *self(struct bus *b) {
    return (struct bus_vfio *)b;
}

/* ---- operations ---- */

static int op_cfg_read(struct bus *b, uint32_t off, uint32_t len, uint32_t *val) {
    struct bus_vfio *v = self(b);
    *val = 0;
    if ((len != 1 && len != 2 && len != 4) || off % len || off > CFG_BYTES - len) return -EINVAL;
    ssize_t n = sys->pread(v->device, val, len, (off_t)(v->cfg_off + off));
    return n < 0 ? (int)n : (uint32_t)n == len ? 0 : -EIO;
}

static int op_cfg_write(struct bus *b, uint32_t off, uint32_t len, uint32_t val) {
    struct bus_vfio *v = self(b);
    if ((len != 1 && len != 2 && len != 4) || off % len || off > CFG_BYTES - len) return -EINVAL;
    ssize_t n = sys->pwrite(v->device, &val, len, (off_t)(v->cfg_off + off));
    return n < 0 ? (int)n : (uint32_t)n == len ? 0 : -EIO;
}

static int region(struct bus_vfio *v, uint32_t index, struct vfio_region_info *r) {
    *r = (struct vfio_region_info){.argsz = sizeof *r, .index = index};
    return sys->ioctl(v->device, VFIO_DEVICE_GET_REGION_INFO, r);
}

static int map_locked(struct bus_vfio *v, int bar) {
    struct vfio_region_info r;
    if (bar < 0 || bar > 5) return -ENOENT;
    if (v->bar[bar].ptr) return 0;
    int rc = region(v, (uint32_t)bar, &r);
    if (rc) return rc;
    if (!r.size) return -ENOENT;
    if (!(r.flags & VFIO_REGION_INFO_FLAG_MMAP)) return -ENOTSUP;
    void *m = sys->map(v->device, r.size, (off_t)r.offset);
    if (m == MAP_FAILED) return -errno;
    madvise(m, r.size, MADV_DONTFORK);
    v->bar[bar] = (struct bus_bar){m, r.size, v->card.bar[bar].start};
    return 0;
}

static int op_bar_map(struct bus *b, int bar, struct bus_bar *out) {
    struct bus_vfio *v = self(b);
    pthread_mutex_lock(&v->lock);
    int rc = map_locked(v, bar);
    if (!rc) *out = v->bar[bar];
    pthread_mutex_unlock(&v->lock);
    return rc;
}

static volatile uint8_t *place(struct bus_vfio *v, int bar, uint64_t off, size_t len) {
    struct bus_bar m;
    if (op_bar_map(&v->base, bar, &m) || len > m.size || off > m.size - len) return NULL;
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

/* The kernel moves no BAR of a card that a driver is bound to: rawcl-setup does it before. */
static int op_bar_resize(struct bus *b, int bar) {
    (void)b;
    (void)bar;
    return -ENOTSUP;
}

static void say(struct bus_vfio *v, const char *what, int rc, const char *hint) {
    fprintf(stderr, "rawcl: vfio: %s: %s: %s%s\n", v->card.bdf, what, strerror(-rc), hint);
}

static void *host_memory(void *hint, size_t size) {
    int flags = MAP_SHARED | MAP_ANONYMOUS, prot = PROT_READ | PROT_WRITE;
    void *p = MAP_FAILED;
    if (hint) p = mmap(hint, size, prot, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED) p = mmap(NULL, size, prot, flags, -1, 0);
    if (p == MAP_FAILED) return NULL;
    madvise(p, size, MADV_DONTFORK);
    return p;
}

static int map_iova(struct bus_vfio *v, void *va, size_t size, uint64_t iova) {
    struct vfio_iommu_type1_dma_map m = {
        .argsz = sizeof m,
        .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
        .vaddr = (uint64_t)(uintptr_t)va,
        .iova = iova,
        .size = size,
    };
    int rc = sys->ioctl(v->container, VFIO_IOMMU_MAP_DMA, &m);
    if (rc == -ENOMEM)
        say(v, "memory for the card", rc, " (raise the locked-memory limit, ulimit -l)");
    else if (rc == -ENOSPC)
        say(v, "memory for the card", rc,
            " (more mappings than vfio_iommu_type1.dma_entry_limit allows)");
    else if (rc)
        say(v, "memory for the card", rc, "");
    return rc;
}

static void unmap_iova(struct bus_vfio *v, uint64_t iova, size_t size) {
    struct vfio_iommu_type1_dma_unmap u = {.argsz = sizeof u, .iova = iova, .size = size};
    int rc = sys->ioctl(v->container, VFIO_IOMMU_UNMAP_DMA, &u);
    if (rc) say(v, "taking memory back from the card", rc, "");
}

static int op_dma_map(struct bus *b, void *va, void *hint, size_t size, struct bus_dma *out) {
    struct bus_vfio *v = self(b);
    char err[256] = "";
    if (v->noiommu) {
        int rc = host_pages_map(va, hint, size, out, err, sizeof err);
        if (err[0]) fprintf(stderr, "rawcl: vfio: %s: %s\n", v->card.bdf, err);
        return rc;
    }
    if (!size || size > (1ull << 40) || (uintptr_t)va % BUS_PAGE_SIZE) return -EINVAL;
    size = (size + BUS_PAGE_SIZE - 1) & ~(size_t)(BUS_PAGE_SIZE - 1);
    size_t npages = size / BUS_PAGE_SIZE;
    uint64_t *pages = malloc(npages * sizeof *pages);
    void *p = va ? va : host_memory(hint, size);
    struct heap_block *block = NULL;
    pthread_mutex_lock(&v->lock);
    int rc = pages && p ? heap_alloc(v->iova, size, size >= IOVA_ALIGN ? IOVA_ALIGN : 0, &block)
                        : -ENOMEM;
    if (!rc) rc = map_iova(v, p, size, block->base);
    if (rc && block) heap_free(v->iova, block);
    pthread_mutex_unlock(&v->lock);
    if (rc) {
        if (p && !va) munmap(p, size);
        free(pages);
        return rc;
    }
    for (size_t i = 0; i < npages; i++)
        pages[i] = block->base + i * BUS_PAGE_SIZE;
    *out = (struct bus_dma){p, size, npages, pages, (uint64_t)(uintptr_t)block, !va};
    return 0;
}

static void op_dma_unmap(struct bus *b, struct bus_dma *m) {
    struct bus_vfio *v = self(b);
    if (!m->pages) return;
    if (v->noiommu) {
        host_pages_unmap(m);
        return;
    }
    struct heap_block *block = (struct heap_block *)(uintptr_t)m->handle;
    pthread_mutex_lock(&v->lock);
    unmap_iova(v, block->base, m->size);
    heap_free(v->iova, block);
    pthread_mutex_unlock(&v->lock);
    if (m->owned) munmap(m->va, m->size);
    free(m->pages);
    *m = (struct bus_dma){0};
}

static int op_irq_wait(struct bus *b, int64_t timeout_us) {
    struct bus_vfio *v = self(b);
    if (v->event < 0) return -ENOTSUP;
    struct timespec ts = {timeout_us / 1000000, timeout_us % 1000000 * 1000};
    if (timeout_us < 0) ts = (struct timespec){0, 0};
    struct pollfd p = {.fd = v->event, .events = POLLIN};
    int n = ppoll(&p, 1, &ts, NULL);
    uint64_t count;
    if (n < 0) return errno == EINTR ? 0 : -errno;
    return n && read(v->event, &count, sizeof count) == sizeof count;
}

/* The slot's reset resets every function of the card; all of them must be in our group. */
static int hot_reset(struct bus_vfio *v) {
    union {
        struct vfio_pci_hot_reset head;
        uint8_t bytes[sizeof(struct vfio_pci_hot_reset) + sizeof(int32_t)];
    } r = {.head = {.argsz = sizeof r.bytes, .count = 1}};
    int32_t group = v->group;
    memcpy(r.bytes + offsetof(struct vfio_pci_hot_reset, group_fds), &group, sizeof group);
    return sys->ioctl(v->device, VFIO_DEVICE_PCI_HOT_RESET, &r);
}

static int op_reset(struct bus *b) {
    struct bus_vfio *v = self(b);
    int rc = v->can_reset ? sys->ioctl(v->device, VFIO_DEVICE_RESET, NULL) : -ENOTTY;
    if (rc == -ENOTTY || rc == -EINVAL) rc = hot_reset(v);
    if (rc) say(v, "reset", rc, "");
    return rc;
}

static void op_delay(struct bus *b, uint64_t us) {
    (void)b;
    struct timespec ts = {(time_t)(us / 1000000u), (long)(us % 1000000u * 1000u)};
    while (nanosleep(&ts, &ts) && errno == EINTR)
        ;
}

static void op_close(struct bus *b) {
    struct bus_vfio *v = self(b);
    for (int i = 0; i < 6; i++)
        if (v->bar[i].ptr) munmap((void *)(uintptr_t)v->bar[i].ptr, v->bar[i].size);
    int fds[] = {v->device, v->event, v->group, v->container, v->lock_fd}; /* in this order */
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0) close(fds[i]);
    heap_destroy(v->iova);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

static const struct bus_ops vfio_ops = {
    .name = "vfio",
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

struct why {
    char *err;
    size_t size;
};

__attribute__((format(printf, 3, 4))) static int fail(struct why *w, int rc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(w->err, w->size, fmt, ap);
    va_end(ap);
    return rc;
}

/* Which functions of the group keep it from being handed out. */
static void name_others(struct bus_vfio *v, char *buf, size_t size) {
    char path[PATH_MAX], err[64];
    size_t n = 0;
    buf[0] = 0;
    if (pci_path(path, sizeof path, "/sys/kernel/iommu_groups/%d/devices", v->card.iommu_group))
        return;
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct pci_card c;
        if (e->d_name[0] == '.' || pci_card_read(e->d_name, &c, err, sizeof err)) continue;
        if (!c.driver[0] || strcmp(c.driver, "vfio-pci") == 0) continue;
        int k = snprintf(buf + n, size - n, "%s%s (%s)", n ? ", " : "", c.bdf, c.driver);
        if (k < 0 || (size_t)k >= size - n) break;
        n += (size_t)k;
    }
    if (dir) closedir(dir);
}

/* looking: only whether it could be opened. */
static int open_group(struct bus_vfio *v, bool looking, struct why *w) {
    char path[PATH_MAX], others[160];
    v->noiommu = v->card.noiommu;
    int rc = pci_path(path, sizeof path, "/dev/vfio/%s%d", v->noiommu ? "noiommu-" : "",
                      v->card.iommu_group);
    if (rc) return rc;
    v->group = looking ? access(path, R_OK | W_OK) ? -errno : -EAGAIN : sys->open(path, O_RDWR);
    if (v->group == -EAGAIN)
        return fail(w, -EAGAIN, "%s is not looked at before it is opened", v->card.bdf);
    if (v->group == -EBUSY) {
        pid_t pid = pci_card_holder(&v->card);
        if (pid > 0) return fail(w, -EBUSY, "%s is in use by process %d", v->card.bdf, (int)pid);
        return fail(w, -EBUSY, "%s is in use by another process (%s)", v->card.bdf, path);
    }
    if (v->group == -EACCES || v->group == -EPERM)
        return fail(w, v->group, "no permission for %s: \"rawcl-setup permit %s USER\" gives it%s",
                    path, v->card.bdf, v->noiommu ? "; without an IOMMU only root may" : "");
    if (v->group < 0) return fail(w, v->group, "%s: %s", path, strerror(-v->group));
    struct vfio_group_status status = {.argsz = sizeof status};
    rc = sys->ioctl(v->group, VFIO_GROUP_GET_STATUS, &status);
    if (rc) return fail(w, rc, "%s: status: %s", path, strerror(-rc));
    if (status.flags & VFIO_GROUP_FLAGS_VIABLE) return 0;
    name_others(v, others, sizeof others);
    return fail(w, -EPERM,
                "IOMMU group %d of %s has devices of other drivers%s%s: all of a group must be "
                "bound to vfio-pci or to nothing",
                v->card.iommu_group, v->card.bdf, others[0] ? ": " : "", others);
}

static int open_container(struct bus_vfio *v, struct why *w) {
    char path[PATH_MAX];
    unsigned long type = v->noiommu ? VFIO_NOIOMMU_IOMMU : VFIO_TYPE1v2_IOMMU;
    int rc = pci_path(path, sizeof path, "/dev/vfio/vfio");
    if (rc) return rc;
    v->container = sys->open(path, O_RDWR);
    if (v->container == -ENOENT)
        return fail(w, -ENOENT,
                    "%s is not there: the vfio module is not loaded (modprobe vfio-pci)", path);
    if (v->container < 0) return fail(w, v->container, "%s: %s", path, strerror(-v->container));
    if (sys->ioctl(v->container, VFIO_GET_API_VERSION, NULL) != VFIO_API_VERSION)
        return fail(w, -ENOTSUP, "this kernel's vfio has another interface version");
    if (sys->ioctl(v->container, VFIO_CHECK_EXTENSION, (void *)(uintptr_t)type) != 1)
        return fail(w, -ENOTSUP, "this kernel's vfio offers no %s",
                    v->noiommu ? "mode without an IOMMU" : "type 1 IOMMU");
    rc = sys->ioctl(v->group, VFIO_GROUP_SET_CONTAINER, &v->container);
    if (rc) return fail(w, rc, "group %d: %s", v->card.iommu_group, strerror(-rc));
    rc = sys->ioctl(v->container, VFIO_SET_IOMMU, (void *)(uintptr_t)type);
    if (rc == -EPERM && !v->noiommu)
        return fail(w, rc,
                    "the IOMMU cannot remap interrupts; vfio_iommu_type1.allow_unsafe_interrupts=1 "
                    "does without");
    if (rc == -EPERM) return fail(w, rc, "vfio without an IOMMU needs CAP_SYS_RAWIO: run as root");
    return rc ? fail(w, rc, "choosing the IOMMU: %s", strerror(-rc)) : 0;
}

/* The largest range that the IOMMU translates, the card reaches and no interrupt message uses. */
static int make_iova_space(struct bus_vfio *v, struct why *w) {
    uint64_t best = IOVA_BASE, best_end = 1ull << 39; /* where the kernel does not say */
    enum { INFO_BYTES = 4096 };
    struct vfio_iommu_type1_info *info = calloc(1, INFO_BYTES);
    if (!info) return -ENOMEM;
    info->argsz = INFO_BYTES;
    int rc = sys->ioctl(v->container, VFIO_IOMMU_GET_INFO, info);
    if (!rc && (info->flags & VFIO_IOMMU_INFO_CAPS)) {
        unsigned steps = 0;
        for (uint32_t at = info->cap_offset; at && at <= INFO_BYTES - 16 && steps < 64; steps++) {
            struct vfio_info_cap_header *h = (void *)((uint8_t *)info + at);
            if (h->id == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE) {
                struct vfio_iommu_type1_info_cap_iova_range *c = (void *)h;
                uint32_t room = (INFO_BYTES - at - sizeof *c) / sizeof c->iova_ranges[0];
                best = best_end = 0;
                for (uint32_t i = 0; i < c->nr_iovas && i < room; i++) {
                    uint64_t lo = c->iova_ranges[i].start, hi = c->iova_ranges[i].end;
                    if (lo < IOVA_ALIGN) lo = IOVA_ALIGN; /* 0 stays invalid */
                    if (hi >= IOVA_END) hi = IOVA_END - 1;
                    lo = (lo + IOVA_ALIGN - 1) & ~(IOVA_ALIGN - 1);
                    if (hi > lo && hi + 1 - lo > best_end - best) best = lo, best_end = hi + 1;
                }
            }
            at = h->next;
        }
    }
    free(info);
    if (rc) return fail(w, rc, "the IOMMU's addresses: %s", strerror(-rc));
    v->iova = best_end > best ? heap_create(best, best_end - best, BUS_PAGE_SIZE) : NULL;
    return v->iova ? 0 : fail(w, -ENOSPC, "the IOMMU offers no addresses that the card reaches");
}

/* MSI as an eventfd. Without it the driver polls. */
static void open_interrupt(struct bus_vfio *v) {
    struct vfio_irq_info info = {.argsz = sizeof info, .index = VFIO_PCI_MSI_IRQ_INDEX};
    if (sys->ioctl(v->device, VFIO_DEVICE_GET_IRQ_INFO, &info) || !info.count ||
        !(info.flags & VFIO_IRQ_INFO_EVENTFD))
        return;
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0) return;
    union {
        struct vfio_irq_set set;
        uint8_t bytes[sizeof(struct vfio_irq_set) + sizeof(int32_t)];
    } s = {.set = {.argsz = sizeof s.bytes,
                   .flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
                   .index = VFIO_PCI_MSI_IRQ_INDEX,
                   .count = 1}};
    int32_t fd = event;
    memcpy(s.bytes + offsetof(struct vfio_irq_set, data), &fd, sizeof fd);
    int rc = sys->ioctl(v->device, VFIO_DEVICE_SET_IRQS, &s);
    if (rc) {
        say(v, "interrupts", rc, " (the driver polls)");
        close(event);
        return;
    }
    v->event = event;
}

static int open_device(struct bus_vfio *v, struct why *w) {
    v->device = sys->ioctl(v->group, VFIO_GROUP_GET_DEVICE_FD, v->card.bdf);
    if (v->device < 0)
        return fail(w, v->device, "%s of group %d: %s", v->card.bdf, v->card.iommu_group,
                    strerror(-v->device));
    struct vfio_device_info info = {.argsz = sizeof info};
    int rc = sys->ioctl(v->device, VFIO_DEVICE_GET_INFO, &info);
    if (rc) return fail(w, rc, "%s: %s", v->card.bdf, strerror(-rc));
    v->can_reset = info.flags & VFIO_DEVICE_FLAGS_RESET;
    struct vfio_region_info r;
    rc = region(v, VFIO_PCI_CONFIG_REGION_INDEX, &r);
    if (rc) return fail(w, rc, "configuration space of %s: %s", v->card.bdf, strerror(-rc));
    v->cfg_off = r.offset;
    open_interrupt(v);
    return 0;
}

/* Why this card is none of vfio's. */
static int permitted(const struct pci_card *c, struct why *w) {
    if (pci_card_foreign(c, w->err, w->size)) return -ENOTSUP;
    if (strcmp(c->driver, "vfio-pci") != 0)
        return fail(w, -EBUSY,
                    "%s is bound to %s, not to vfio-pci: \"rawcl-setup vfio %s\" does it", c->bdf,
                    c->driver[0] ? c->driver : "no driver", c->bdf);
    if (c->iommu_group < 0)
        return fail(w, -ENOTSUP,
                    "%s has no IOMMU group: turn the IOMMU on (firmware setup: AMD-Vi or VT-d; "
                    "kernel: intel_iommu=on), or load vfio with enable_unsafe_noiommu_mode=1",
                    c->bdf);
    return pci_card_check_bars(c, w->err, w->size);
}

int bus_vfio_open(struct device_spec *s, struct bus **out, char *err, size_t err_size) {
    struct pci_card card;
    struct why w = {err, err_size};
    int rc = pci_card_read(s->address, &card, err, err_size);
    if (!rc) rc = permitted(&card, &w);
    if (rc) return rc;
    struct bus_vfio *v = calloc(1, sizeof *v);
    if (!v) return -ENOMEM;
    v->base.ops = &vfio_ops;
    v->card = card;
    v->lock_fd = v->container = v->group = v->device = v->event = -1;
    pthread_mutex_init(&v->lock, NULL);
    if (!s->looking) rc = pci_card_lock(&v->card, &v->lock_fd, err, err_size);
    if (!rc && !s->looking && card.noiommu) rc = host_pages_check(err, err_size);
    if (!rc) rc = open_group(v, s->looking, &w);
    if (!rc) rc = open_container(v, &w);
    if (!rc && !v->noiommu) rc = make_iova_space(v, &w);
    if (!rc) rc = open_device(v, &w);
    if (rc) {
        if (!err[0]) fail(&w, rc, "%s: %s", card.bdf, strerror(-rc));
        op_close(&v->base);
        return rc;
    }
    *out = &v->base;
    return 0;
}
