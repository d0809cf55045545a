/* SPDX-License-Identifier: MIT */
/* The vfio bus against a sysfs tree of files and a vfio whose answers are the test's; and which
 * devices exist then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/bus_vfio.h"
#include "driver/enumerate.h"
#include "driver/pci_card.h"
#include "tests/unit/fake_pci.h"

enum { REGION = 2 << 20 }; /* of each BAR in the device's file */

static struct fake_pci f;
static struct {
    int container;
    int device; /* a file: BARs at index * REGION, configuration space behind them */
    int group_rc, set_iommu_rc, map_rc, api;
    bool viable, noiommu, resets, hot, ranges;
    unsigned maps, hot_resets, plain_resets;
    uint64_t iova[64], size[64];
    int event;
} v;

static int fake_open(const char *path, int flags) {
    (void)flags;
    if (strstr(path, "/dev/vfio/vfio")) return v.container = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (v.group_rc) return v.group_rc;
    assert_non_null(strstr(path, v.noiommu ? "/dev/vfio/noiommu-17" : "/dev/vfio/17"));
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}

static int iommu_info(struct vfio_iommu_type1_info *i) {
    static const struct vfio_iova_range ranges[3] = {
        {0, 0xfedfffff}, {0xfef00000, 0xffffffffff}, {1ull << 50, 1ull << 55}};
    const struct vfio_iommu_type1_info_cap_iova_range head = {
        .header = {VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE, 1, 0}, .nr_iovas = 3};
    if (!v.ranges) return 0;
    assert_true(i->argsz >= sizeof *i + sizeof head + sizeof ranges);
    i->flags = VFIO_IOMMU_INFO_CAPS;
    i->cap_offset = sizeof *i;
    memcpy((uint8_t *)i + sizeof *i, &head, sizeof head);
    memcpy((uint8_t *)i + sizeof *i + sizeof head, ranges, sizeof ranges);
    return 0;
}

static int map_dma(const struct vfio_iommu_type1_dma_map *m) {
    if (v.map_rc) return v.map_rc;
    assert_int_equal(m->argsz, sizeof *m);
    assert_int_equal((m->iova | m->size | m->vaddr) % 4096, 0);
    assert_int_equal(m->flags, VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE);
    for (unsigned i = 0; i < v.maps; i++) /* the kernel refuses overlaps */
        assert_true(m->iova + m->size <= v.iova[i] || m->iova >= v.iova[i] + v.size[i]);
    v.iova[v.maps] = m->iova;
    v.size[v.maps++] = m->size;
    return 0;
}

static int unmap_dma(const struct vfio_iommu_type1_dma_unmap *u) {
    for (unsigned i = 0; i < v.maps; i++) {
        if (v.iova[i] != u->iova || v.size[i] != u->size) continue;
        v.maps--;
        v.iova[i] = v.iova[v.maps];
        v.size[i] = v.size[v.maps];
        return 0;
    }
    return -EINVAL;
}

static int device_ioctl(unsigned long request, void *arg) {
    switch (request) {
    case VFIO_DEVICE_GET_INFO:
        ((struct vfio_device_info *)arg)->flags =
            VFIO_DEVICE_FLAGS_PCI | (v.resets ? VFIO_DEVICE_FLAGS_RESET : 0);
        return 0;
    case VFIO_DEVICE_GET_REGION_INFO: {
        struct vfio_region_info *r = arg;
        bool config = r->index == VFIO_PCI_CONFIG_REGION_INDEX;
        if (r->index > 7) return -EINVAL;
        r->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE |
                   (config ? 0 : VFIO_REGION_INFO_FLAG_MMAP);
        r->size = config ? 4096 : r->index == 0 || r->index == 2 || r->index == 5 ? REGION : 0;
        r->offset = (uint64_t)r->index * REGION;
        return 0;
    }
    case VFIO_DEVICE_GET_IRQ_INFO:
        ((struct vfio_irq_info *)arg)->flags = VFIO_IRQ_INFO_EVENTFD;
        ((struct vfio_irq_info *)arg)->count = 1;
        return 0;
    case VFIO_DEVICE_SET_IRQS: {
        const struct vfio_irq_set *s = arg;
        assert_int_equal(s->index, VFIO_PCI_MSI_IRQ_INDEX);
        assert_int_equal(s->argsz, offsetof(struct vfio_irq_set, data) + 4);
        memcpy(&v.event, s->data, 4);
        return 0;
    }
    case VFIO_DEVICE_RESET:
        v.plain_resets++;
        return 0;
    case VFIO_DEVICE_PCI_HOT_RESET:
        v.hot_resets++;
        return 0;
    }
    return -ENOTTY;
}

static int fake_ioctl(int fd, unsigned long request, void *arg) {
    /* some numbers serve twice */
    if (fd != v.container && (request == VFIO_IOMMU_MAP_DMA || request == VFIO_IOMMU_GET_INFO))
        return device_ioctl(request, arg);
    switch (request) {
    case VFIO_GET_API_VERSION:
        return v.api;
    case VFIO_CHECK_EXTENSION:
        return (uintptr_t)arg == (v.noiommu ? VFIO_NOIOMMU_IOMMU : VFIO_TYPE1v2_IOMMU);
    case VFIO_GROUP_GET_STATUS:
        ((struct vfio_group_status *)arg)->flags = v.viable ? VFIO_GROUP_FLAGS_VIABLE : 0;
        return 0;
    case VFIO_GROUP_SET_CONTAINER:
        return 0;
    case VFIO_SET_IOMMU:
        return v.set_iommu_rc;
    case VFIO_GROUP_GET_DEVICE_FD:
        assert_string_equal(arg, FAKE_BDF);
        return dup(v.device);
    case VFIO_IOMMU_GET_INFO:
        return iommu_info(arg);
    case VFIO_IOMMU_MAP_DMA:
        return map_dma(arg);
    case VFIO_IOMMU_UNMAP_DMA:
        return unmap_dma(arg);
    }
    return device_ioctl(request, arg);
}

static void *fake_map(int fd, size_t size, off_t off) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, off);
}

static const struct vfio_calls fake = {fake_open, fake_ioctl, fake_map, pread, pwrite};

static int setup(void **state) {
    (void)state;
    fake_pci_make(&f);
    memset(&v, 0, sizeof v);
    v.viable = v.resets = v.ranges = true;
    v.api = VFIO_API_VERSION;
    v.device = memfd_create("card", MFD_CLOEXEC);
    if (v.device < 0 || ftruncate(v.device, 8 * REGION)) return -1;
    const uint32_t id = 0x75501002;
    if (pwrite(v.device, &id, 4, VFIO_PCI_CONFIG_REGION_INDEX * REGION) != 4) return -1;
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/vfio-pci");
    fake_pci_link(&f, "iommu_group", "../../../kernel/iommu_groups/17");
    fake_pci_write(&f, "/sys/kernel/iommu_groups/17/type", "DMA\n");
    fake_pci_write(&f, "/dev/vfio/17", "");
    bus_vfio_calls(&fake);
    unsetenv("RAWCL_DEVICE");
    setenv("XDG_CONFIG_HOME", f.dir, 1);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    bus_vfio_calls(NULL);
    close(v.device);
    fake_pci_remove(&f);
    return 0;
}

static int open_as(const char *id, struct bus **b, char *err) {
    struct device_spec s;
    if (device_spec_parse(id, &s)) fail_msg("%s", s.error);
    err[0] = 0;
    return device_open_bus(&s, NULL, b, err, 256);
}

static void refuses(int rc, const char *why) {
    struct bus *b;
    char err[256];
    int got = open_as("vfio:" FAKE_BDF, &b, err);
    if (got != rc || !strstr(err, why)) fail_msg("%d \"%s\", not %d \"%s\"", got, err, rc, why);
}

static void refusals(void **state) {
    (void)state;
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/amdgpu");
    refuses(-EBUSY, "bound to amdgpu, not to vfio-pci: \"rawcl-setup vfio");
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/vfio-pci");
    fake_pci_drop(&f, "iommu_group");
    refuses(-ENOTSUP, "no IOMMU group");
    fake_pci_link(&f, "iommu_group", "../../../kernel/iommu_groups/17");
    v.group_rc = -EACCES;
    refuses(-EACCES, "rawcl-setup permit");
    v.group_rc = -EBUSY;
    refuses(-EBUSY, "in use by process"); /* us: the lock is taken before the group */
    v.group_rc = 0;
    v.viable = false;
    fake_pci_write(&f, "/sys/bus/pci/devices/0000:03:00.1/vendor", "0x1002\n");
    fake_pci_link(&f, "../0000:03:00.1/driver", "../../../bus/pci/drivers/snd_hda_intel");
    fake_pci_write(&f, "/sys/kernel/iommu_groups/17/devices/0000:03:00.1", "");
    fake_pci_write(&f, "/sys/kernel/iommu_groups/17/devices/" FAKE_BDF, "");
    refuses(-EPERM, "0000:03:00.1 (snd_hda_intel)");
    v.viable = true;
    v.api = 7;
    refuses(-ENOTSUP, "interface version");
    v.api = VFIO_API_VERSION;
    v.set_iommu_rc = -EPERM;
    refuses(-EPERM, "allow_unsafe_interrupts");
    v.set_iommu_rc = 0;
    fake_pci_bars(&f, 0, 2 << 20, 1 << 20);
    refuses(-ENOSPC, "Above 4G");
}

static void works(void **state) {
    (void)state;
    struct bus *b;
    struct bus_bar bar;
    struct bus_dma m[8];
    char err[256];
    if (open_as("vfio", &b, err)) fail_msg("%s", err); /* the only one */
    const struct bus_ops *o = b->ops;
    uint32_t val;
    assert_int_equal(o->cfg_read(b, 0, 4, &val), 0);
    assert_int_equal(val, 0x75501002);
    assert_int_equal(o->cfg_write(b, 4, 2, 6), 0);
    assert_int_equal(o->cfg_read(b, 4, 2, &val), 0);
    assert_int_equal(val, 6);
    assert_int_equal(o->bar_map(b, 5, &bar), 0);
    assert_int_equal(bar.size, REGION);
    assert_int_equal(o->bar_map(b, 1, &bar), -ENOENT);
    uint64_t word = 0x1122334455667788, got = 0;
    assert_int_equal(o->bar_write(b, 2, 0x18, &word, 8), 0);
    assert_int_equal(pread(v.device, &got, 8, 2 * REGION + 0x18), 8);
    assert_int_equal(got, word);
    assert_int_equal(o->bar_read(b, 2, REGION - 4, &got, 8), -EFAULT);

    for (int i = 0; i < 8; i++) {
        size_t size = i % 3 == 0 ? 3 << 20 : 4096u * (unsigned)(i + 1);
        assert_int_equal(o->dma_map(b, NULL, NULL, size, &m[i]), 0);
        assert_int_equal(m[i].pages[m[i].npages - 1], m[i].pages[0] + (m[i].npages - 1) * 4096);
        assert_true(m[i].pages[0] >= 0xfef00000 && m[i].pages[0] + size <= 1ull << 40);
        memset(m[i].va, 1, size);
    }
    assert_int_equal(v.maps, 8);
    static _Alignas(4096) uint8_t own[8192];
    struct bus_dma mine;
    assert_int_equal(o->dma_map(b, own, NULL, sizeof own, &mine), 0);
    assert_ptr_equal(mine.va, own);
    o->dma_unmap(b, &mine);
    v.map_rc = -ENOMEM;
    assert_int_equal(o->dma_map(b, NULL, NULL, 4096, &mine), -ENOMEM);
    v.map_rc = 0;
    for (int i = 0; i < 8; i++)
        o->dma_unmap(b, &m[i]);
    assert_int_equal(v.maps, 0);

    assert_int_equal(o->irq_wait(b, 0), 0);
    uint64_t one = 1;
    assert_int_equal(write(v.event, &one, 8), 8);
    assert_int_equal(o->irq_wait(b, 1000000), 1);
    assert_int_equal(o->irq_wait(b, 1000), 0);
    assert_int_equal(o->reset(b), 0);
    assert_int_equal(v.plain_resets, 1);
    assert_int_equal(o->bar_resize(b, 0), -ENOTSUP);
    struct bus *second;
    assert_int_equal(open_as("vfio:" FAKE_BDF, &second, err), -EBUSY);
    o->close(b);
    v.resets = false;
    v.ranges = false;
    assert_int_equal(open_as("vfio:" FAKE_BDF, &b, err), 0);
    assert_int_equal(b->ops->reset(b), 0);
    assert_int_equal(v.hot_resets, 1);
    assert_int_equal(b->ops->dma_map(b, NULL, NULL, 4096, &m[0]), 0);
    assert_true(m[0].pages[0] >= 1ull << 32 && m[0].pages[0] < 1ull << 39);
    b->ops->dma_unmap(b, &m[0]);
    b->ops->close(b);
}

static void without_iommu(void **state) {
    (void)state;
    struct bus *b;
    struct bus_dma m;
    char err[256];
    v.noiommu = true;
    fake_pci_write(&f, "/sys/kernel/iommu_groups/17/name", "vfio-noiommu\n");
    fake_pci_write(&f, "/proc/sys/vm/compact_unevictable_allowed", "1\n");
    assert_int_equal(open_as("vfio:" FAKE_BDF, &b, err), -EPERM);
    fake_pci_write(&f, "/proc/sys/vm/compact_unevictable_allowed", "0\n");
    if (host_pages_check(err, sizeof err)) skip();
    if (open_as("vfio:" FAKE_BDF, &b, err)) fail_msg("%s", err);
    assert_int_equal(b->ops->dma_map(b, NULL, NULL, 8192, &m), 0);
    assert_int_equal(v.maps, 0);
    b->ops->dma_unmap(b, &m);
    b->ops->close(b);
}

static struct am_candidate *list(const char *spec, size_t want) {
    struct am_candidate *c;
    size_t n;
    assert_int_equal(am_enumerate(spec, &c, &n), 0);
    if (n != want) fail_msg("%zu devices, first %s", n, n ? c[0].id : "-");
    return c;
}

static void which_devices(void **state) {
    (void)state;
    /* a card bound to vfio-pci is opted in; its chip is what its id stands for, or what is said */
    struct am_candidate *c = list(NULL, 1);
    assert_string_equal(c->id, "vfio:" FAKE_BDF);
    assert_string_equal(c->error, "");
    assert_string_equal(c->target, "gfx1201");
    assert_string_equal(c->name, "AMD Radeon RX 9070 XT");
    assert_int_equal(c->vram_bytes, 16ull << 30);
    assert_int_equal(c->pci_bus, 3);
    assert_false(c->emulated);
    free(c);
    c = list("vfio; emu:gfx1100,vram=512M,cus=2", 2);
    assert_string_equal(c[0].id, "vfio:" FAKE_BDF);
    assert_true(c[1].emulated);
    free(c);
    fake_pci_set(&f, "device", "0x7341\n");
    c = list(NULL, 1);
    assert_non_null(strstr(c->error, "1002:7341"));
    free(c);
    c = list("vfio:" FAKE_BDF ",target=gfx1200", 1);
    assert_string_equal(c->error, "");
    assert_string_equal(c->target, "gfx1200");
    free(c);
    fake_pci_set(&f, "device", "0x7550\n");
    /* one that cannot be opened is reported, and nothing takes its place */
    fake_pci_bars(&f, 0, 2 << 20, 1 << 20);
    c = list(NULL, 1);
    assert_non_null(strstr(c->error, "not assigned"));
    assert_false(c->emulated);
    free(c);
    fake_pci_bars(&f, 256 << 20, 2 << 20, 1 << 20);
    /* the configuration file comes first; a card that it names is not listed again */
    fake_pci_write(&f, "/rawcl.conf", "emu:gfx1200,vram=512M,cus=2\nvfio:03:00.0\n");
    c = list(NULL, 2); /* another spelling of the address */
    free(c);
    fake_pci_write(&f, "/rawcl.conf", "vfio:" FAKE_BDF "\n");
    c = list(NULL, 1);
    free(c);
    fake_pci_write(&f, "/rawcl.conf", "# nothing\n");
    /* amdgpu's cards are left alone */
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/amdgpu");
    c = list(NULL, 1);
    assert_true(c->emulated);
    free(c);
    c = list("vfio", 1);
    assert_non_null(strstr(c->error, "bound to vfio-pci"));
    free(c);
    fake_pci_write(&f, "/etc/rawcl.conf", "pci:" FAKE_BDF "\n");
    c = list(NULL, 1);
    assert_non_null(strstr(c->error, "amdgpu"));
    free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(works, setup, teardown),
        cmocka_unit_test_setup_teardown(without_iommu, setup, teardown),
        cmocka_unit_test_setup_teardown(which_devices, setup, teardown),
    };
    return cmocka_run_group_tests_name("vfio bus", tests, NULL, NULL);
}
