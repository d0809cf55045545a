/* SPDX-License-Identifier: MIT */
/* The pci bus against a sysfs tree of files: what it refuses and why, what it does otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/enumerate.h"
#include "driver/pci_card.h"
#include "tests/unit/fake_pci.h"

static struct fake_pci f;

static int setup(void **state) {
    (void)state;
    fake_pci_make(&f);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fake_pci_remove(&f);
    return 0;
}

static int open_as(const char *id, bool looking, struct bus **b, char *err) {
    struct device_spec s;
    if (device_spec_parse(id, &s)) fail_msg("%s", s.error);
    s.looking = looking;
    err[0] = 0;
    *b = NULL;
    return device_open_bus(&s, NULL, b, err, 256);
}

static bool can_lock_memory(void) {
    char err[256];
    return host_pages_check(err, sizeof err) == 0;
}

static void refuses(const char *id, int rc, const char *why) {
    struct bus *b;
    char err[256];
    int got = open_as(id, false, &b, err);
    if (got != rc || !strstr(err, why))
        fail_msg("%s: %d \"%s\", not %d \"%s\"", id, got, err, rc, why);
    /* the same at enumeration, where there is nothing to offer instead */
    struct am_candidate *c;
    size_t n;
    assert_int_equal(am_enumerate(id, &c, &n), 0);
    assert_int_equal(n, 1);
    assert_true(c[0].error[0]);
    assert_false(c[0].emulated);
    free(c);
}

static void refusals(void **state) {
    (void)state;
    const char *id = "pci:03:00.0";
    refuses("pci:0000:04:00.0", -ENOENT, "no PCI device");
    fake_pci_set(&f, "vendor", "0x10de\n");
    refuses(id, -ENOTSUP, "no display controller of AMD");
    fake_pci_set(&f, "vendor", "0x1002\n");
    fake_pci_set(&f, "class", "0x040300\n");
    refuses(id, -ENOTSUP, "class 040300");
    fake_pci_set(&f, "class", "0x030000\n");
    fake_pci_link(&f, "physfn", "../0000:03:00.1");
    refuses(id, -ENOTSUP, "virtual function");
    fake_pci_drop(&f, "physfn");
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/amdgpu");
    refuses(id, -EBUSY, "drivers/amdgpu/unbind");
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/vfio-pci");
    refuses(id, -EBUSY, "its name is vfio:0000:03:00.0");
    fake_pci_drop(&f, "driver");
    fake_pci_set(&f, "boot_vga", "1\n");
    refuses(id, -EPERM, "force");
    fake_pci_set(&f, "boot_vga", "0\n");
    fake_pci_link(&f, "iommu_group", "../../../kernel/iommu_groups/17");
    fake_pci_write(&f, "/sys/kernel/iommu_groups/17/type", "DMA-FQ\n");
    refuses(id, -EPERM, "group 17, DMA-FQ");
    fake_pci_drop(&f, "iommu_group");
    fake_pci_write(&f, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
    refuses(id, -EPERM, "Secure Boot");
    fake_pci_write(&f, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
    fake_pci_bars(&f, 0, 2 << 20, 1 << 20);
    refuses(id, -ENOSPC, "BAR0 of 0000:03:00.0 is not assigned: enable \"Above 4G");
    fake_pci_bars(&f, 64 << 20, 2 << 20, 1 << 20);
    refuses(id, -ENOSPC, "64 MiB");
    fake_pci_bars(&f, 256 << 20, 2 << 20, 1 << 20);
    fake_pci_drop(&f, "resource5");
    refuses(id, -ENOENT, "resource5");
}

/* Root goes through permissions: the child is nobody. */
static void permission(void **state) {
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        struct bus *b;
        char err[256];
        if (!setgid(65534) && !setuid(65534) && open_as("pci:" FAKE_BDF, false, &b, err) == -EACCES)
            _exit(strstr(err, "no permission") || strstr(err, "Permission denied") ? 0 : 1);
        _exit(2);
    }
    int status;
    waitpid(pid, &status, 0);
    if (geteuid() == 0) assert_int_equal(status, 0);
}

static void memory_that_moves(void **state) {
    (void)state;
    struct bus *b;
    char err[256];
    fake_pci_write(&f, "/proc/sys/vm/compact_unevictable_allowed", "1\n");
    assert_int_equal(open_as("pci:" FAKE_BDF, false, &b, err), -EPERM);
    assert_non_null(strstr(err, "compact_unevictable_allowed"));
}

/* An identity-mapped group is as good as none. */
static void works(void **state) {
    (void)state;
    struct bus *b;
    char err[256];
    if (!can_lock_memory()) skip();
    fake_pci_link(&f, "iommu_group", "../../../kernel/iommu_groups/17");
    fake_pci_write(&f, "/sys/kernel/iommu_groups/17/type", "identity\n");
    fake_pci_set(&f, "enable", "0\n");
    if (open_as("pci:" FAKE_BDF, false, &b, err)) fail_msg("%s", err);
    assert_string_equal(fake_pci_read(&f, "/sys/bus/pci/devices/" FAKE_BDF "/enable"), "1");
    const struct bus_ops *o = b->ops;
    uint32_t v = 0;
    assert_int_equal(o->cfg_read(b, 0, 4, &v), 0);
    assert_int_equal(v, 0x75501002);
    assert_int_equal(o->cfg_read(b, 2, 2, &v), 0);
    assert_int_equal(v, 0x7550);
    assert_int_equal(o->cfg_read(b, 3, 2, &v), -EINVAL);
    assert_int_equal(o->cfg_read(b, 4096, 4, &v), -EINVAL);
    assert_int_equal(o->cfg_write(b, 4, 2, 6), 0);

    struct bus_bar bar;
    assert_int_equal(o->bar_map(b, 5, &bar), 0);
    assert_int_equal(bar.size, 1 << 20);
    assert_non_null((void *)(uintptr_t)bar.ptr);
    assert_int_equal(o->bar_map(b, 1, &bar), -ENOENT);
    uint8_t out[64], in[64];
    for (int i = 0; i < 64; i++)
        out[i] = (uint8_t)(i * 5 + 1);
    for (uint64_t at = 0; at < 9; at++)
        for (size_t n = 1; n <= 40; n++) {
            memset(in, 0, sizeof in);
            assert_int_equal(o->bar_write(b, 0, 0x1000 + at, out, n), 0);
            assert_int_equal(o->bar_read(b, 0, 0x1000 + at, in, n), 0);
            assert_memory_equal(in, out, n);
        }
    assert_int_equal(o->bar_read(b, 5, (1 << 20) - 4, in, 8), -EFAULT);
    assert_int_equal(o->bar_read(b, 5, UINT64_MAX, in, 4), -EFAULT);
    assert_int_equal(o->irq_wait(b, 0), -ENOTSUP);
    assert_int_equal(o->reset(b), 0);
    assert_string_equal(fake_pci_read(&f, "/sys/bus/pci/devices/" FAKE_BDF "/reset"), "1");

    struct bus_dma m, big;
    assert_int_equal(o->dma_map(b, NULL, NULL, 3 * 4096 + 1, &m), 0);
    assert_int_equal(m.npages, 4);
    for (size_t i = 0; i < m.npages; i++) {
        assert_int_equal(m.pages[i] % 4096, 0);
        assert_int_not_equal(m.pages[i], 0);
        assert_int_equal(((uint8_t *)m.va)[i * 4096], 0);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(m.pages[i], m.pages[k]);
    }
    void *hint = mmap(NULL, 2 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hint, 2 << 20);
    assert_int_equal(o->dma_map(b, NULL, hint, 64 << 10, &big), 0);
    assert_ptr_equal(big.va, hint);
    o->dma_unmap(b, &big);
    o->dma_unmap(b, &m);
    assert_int_equal(o->dma_map(b, hint, NULL, 4096, &m), -ENOTSUP);
    o->close(b);
    /* nothing may write to memory that the kernel has back */
    if (open_as("pci:" FAKE_BDF, false, &b, err)) fail_msg("%s", err);
    assert_int_equal(b->ops->cfg_read(b, 4, 2, &v), 0);
    assert_int_equal(v, 2);
    b->ops->close(b);
}

static void resize(void **state) {
    (void)state;
    struct bus *b;
    struct bus_bar bar;
    char err[256];
    if (!can_lock_memory()) skip();
    if (open_as("pci:" FAKE_BDF, false, &b, err)) fail_msg("%s", err);
    assert_int_equal(b->ops->bar_resize(b, 0), -ENOTSUP);
    fake_pci_set(&f, "resource0_resize", "000000000000ff00\n"); /* 256 MiB to 32 GiB */
    assert_int_equal(b->ops->bar_map(b, 0, &bar), 0);
    assert_int_equal(b->ops->bar_resize(b, 0), 0);
    assert_memory_equal(fake_pci_read(&f, "/sys/bus/pci/devices/" FAKE_BDF "/resource0_resize"),
                        "15", 2);
    fake_pci_bars(&f, 1ull << 30, 2 << 20, 1 << 20); /* as the kernel would have done before */
    fake_pci_set(&f, "resource0_resize", "0000000000000400\n");
    b->ops->close(b);
    if (open_as("pci:" FAKE_BDF, false, &b, err)) fail_msg("%s", err);
    assert_int_equal(b->ops->bar_map(b, 0, &bar), 0);
    assert_int_equal(bar.size, 1ull << 30);
    assert_int_equal(b->ops->bar_resize(b, 0), -ENOTSUP); /* it is the largest already */
    b->ops->close(b);
}

/* Two processes never share a card; the second learns who has it. */
static void second_process(void **state) {
    (void)state;
    int p[2], q[2];
    char c, err[256], who[64];
    struct bus *b;
    if (!can_lock_memory()) skip();
    assert_int_equal(pipe(p) | pipe(q), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(q[1]);
        c = open_as("pci:" FAKE_BDF, false, &b, err) ? 'n' : 'y';
        if (write(p[1], &c, 1) != 1 || read(q[0], &c, 1) < 0) _exit(1);
        _exit(0); /* without closing: the kernel drops the lock */
    }
    close(q[0]);
    assert_int_equal(read(p[0], &c, 1), 1);
    assert_int_equal(c, 'y');
    assert_int_equal(open_as("pci:" FAKE_BDF, false, &b, err), -EBUSY);
    snprintf(who, sizeof who, "in use by process %d", (int)pid);
    if (!strstr(err, who)) fail_msg("%s", err);
    assert_int_equal(open_as("pci:" FAKE_BDF, true, &b, err), 0); /* looking takes no lock */
    b->ops->close(b);
    close(q[1]);
    waitpid(pid, NULL, 0);
    assert_int_equal(open_as("pci:" FAKE_BDF, false, &b, err), 0);
    b->ops->close(b);
    close(p[0]);
    close(p[1]);
}

/* Looking changes nothing. */
static void looking(void **state) {
    (void)state;
    struct bus *b;
    struct bus_dma m;
    char err[256];
    if (open_as("pci:" FAKE_BDF, true, &b, err)) fail_msg("%s", err);
    assert_int_equal(b->ops->cfg_write(b, 4, 2, 6), -EPERM);
    assert_int_equal(b->ops->dma_map(b, NULL, NULL, 4096, &m), -EPERM);
    assert_int_equal(b->ops->reset(b), -EPERM);
    b->ops->close(b);
}

static void names(void **state) {
    (void)state;
    static const struct {
        const char *id, *address;
        bool force;
    } good[] = {{"pci:3:0.0", "0000:03:00.0", false},
                {"pci:0001:AB:1f.7,force", "0001:ab:1f.7", true},
                {"vfio", "", false},
                {"vfio:03:00.0,target=gfx1201", "0000:03:00.0", false}};
    static const char *const bad[] = {"pci:",
                                      "pci:03:00",
                                      "pci:03:20.0",
                                      "pci:03:00.8",
                                      "pci:03:00.0,",
                                      "pci:03:00.0,x",
                                      "vfio:",
                                      "vfio:1",
                                      "vfiox",
                                      "vfio:3:0.0,force",
                                      "pci:3:0.0,target=gfx900"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct device_spec s;
        if (device_spec_parse(good[i].id, &s)) fail_msg("%s: %s", good[i].id, s.error);
        assert_string_equal(s.address, good[i].address);
        assert_int_equal(s.force, good[i].force);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct device_spec s;
        if (!strcmp(bad[i], "pci:03:00.0,")) continue; /* a comma at the end is harmless */
        if (!device_spec_parse(bad[i], &s)) fail_msg("%s was taken", bad[i]);
        assert_true(s.error[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(permission, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_that_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(works, setup, teardown),
        cmocka_unit_test_setup_teardown(resize, setup, teardown),
        cmocka_unit_test_setup_teardown(second_process, setup, teardown),
        cmocka_unit_test_setup_teardown(looking, setup, teardown),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests_name("pci bus", tests, NULL, NULL);
}
