/* SPDX-License-Identifier: MIT */
/* host_pages.c - memory for a device that no IOMMU translates for: pages that stay where they are,
 * and where that is (linux Documentation/admin-guide/mm/pagemap.rst).
 *
 * mlock keeps a page in memory, not in its place: compaction may still move it unless
 * vm.compact_unevictable_allowed is 0. Pages of hugetlb are not compacted. Shared mappings are not
 * redirected by fork's copy on write, and MADV_DONTFORK keeps them out of children altogether. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/bus.h"
#include "driver/pci_card.h"

#define HUGE       (2ull << 20)
#define PM_PRESENT (1ull << 63)
#define PM_PFN     ((1ull << 55) - 1)

/* Physical addresses of npages pages. -EACCES: the kernel hides them. */
static int addresses(const void *va, size_t npages, uint64_t *out) {
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    size_t bytes = npages * sizeof *out;
    ssize_t n = pread(fd, out, bytes, (off_t)((uintptr_t)va / BUS_PAGE_SIZE * sizeof *out));
    int rc = n < 0 ? -errno : (size_t)n == bytes ? 0 : -EIO;
    close(fd);
    for (size_t i = 0; i < npages && !rc; i++) {
        if (!(out[i] & PM_PRESENT))
            rc = -EFAULT;
        else if (!(out[i] & PM_PFN))
            rc = -EACCES;
        out[i] = (out[i] & PM_PFN) * BUS_PAGE_SIZE;
    }
    return rc;
}

int host_pages_check(char *err, size_t err_size) {
    char path[PATH_MAX], text[32];
    if (sysconf(_SC_PAGESIZE) != BUS_PAGE_SIZE) {
        snprintf(err, err_size, "pages of this machine have %ld bytes, 4096 are supported",
                 sysconf(_SC_PAGESIZE));
        return -ENOTSUP;
    }
    if (!pci_path(path, sizeof path, "/proc/sys/vm/compact_unevictable_allowed") &&
        !pci_read_text(path, text, sizeof text) && strcmp(text, "0") != 0) {
        snprintf(err, err_size,
                 "the kernel may move locked pages while the card writes to them: \"sysctl "
                 "vm.compact_unevictable_allowed=0\" (or \"rawcl-setup pci BDF\") forbids it");
        return -EPERM;
    }
    static const uint8_t probe[1] = {1};
    volatile uint8_t here = probe[0]; /* a page that is present: the stack */
    uint64_t where;
    int rc = addresses((const void *)(uintptr_t)((uintptr_t)&here & ~(uintptr_t)4095), 1, &where);
    if (rc)
        snprintf(err, err_size,
                 "physical addresses are hidden from this process (CAP_SYS_ADMIN is needed without "
                 "an IOMMU): run as root, or use vfio");
    return rc;
}

static void *reserve(void *hint, size_t size) {
    int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, prot = PROT_READ | PROT_WRITE;
    void *p = MAP_FAILED;
    bool huge = size % HUGE == 0;
    if (huge && hint && (uintptr_t)hint % HUGE == 0)
        p = mmap(hint, size, prot, flags | MAP_HUGETLB | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED && hint) p = mmap(hint, size, prot, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED && huge) p = mmap(NULL, size, prot, flags | MAP_HUGETLB, -1, 0);
    if (p == MAP_FAILED) p = mmap(NULL, size, prot, flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

int host_pages_map(void *va, void *hint, size_t size, struct bus_dma *out, char *err,
                   size_t err_size) {
    if (va) return -ENOTSUP;
    if (!size || size > (1ull << 40)) return -EINVAL;
    size = (size + BUS_PAGE_SIZE - 1) & ~(size_t)(BUS_PAGE_SIZE - 1);
    size_t npages = size / BUS_PAGE_SIZE;
    uint64_t *pages = malloc(npages * sizeof *pages);
    void *p = reserve(hint, size);
    int rc = !pages || !p ? -ENOMEM : 0;
    if (!rc && mlock(p, size)) {
        rc = -errno;
        snprintf(err, err_size,
                 "%zu bytes cannot be locked in memory: %s (raise the locked-memory limit, ulimit "
                 "-l)",
                 size, strerror(-rc));
    }
    if (!rc && madvise(p, size, MADV_DONTFORK)) rc = -errno;
    if (!rc) rc = addresses(p, npages, pages);
    if (rc) {
        if (p) munmap(p, size);
        free(pages);
        return rc;
    }
    *out = (struct bus_dma){p, size, npages, pages, 0, 1};
    return 0;
}

void host_pages_unmap(struct bus_dma *m) {
    if (m->va) munmap(m->va, m->size);
    free(m->pages);
    *m = (struct bus_dma){0};
}
