/* SPDX-License-Identifier: MIT */
/* rawcl-setup, rawcl-smi and rawcl-trace as a person runs them. usage: commands_test FOLDER */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/pci_card.h"
#include "tests/unit/fake_pci.h"

static const char *folder;
static struct fake_pci f;
static char out[1 << 16];

/* Runs a command, both outputs into out; its status. */
__attribute__((format(printf, 1, 2))) static int run(const char *fmt, ...) {
    char command[1024], line[1280];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    snprintf(line, sizeof line, "%s/%s 2>&1", folder, command);
    FILE *p = popen(line, "r");
    assert_non_null(p);
    size_t n = fread(out, 1, sizeof out - 1, p);
    out[n] = 0;
    int status = pclose(p);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void says(const char *text) {
    if (!strstr(out, text)) fail_msg("\"%s\" is missing in:\n%s", text, out);
}

#define CARD "/sys/bus/pci/devices/" FAKE_BDF "/"

static int setup(void **state) {
    (void)state;
    fake_pci_make(&f);
    unsetenv("RAWCL_DEVICE");
    setenv("XDG_CONFIG_HOME", f.dir, 1);
    fake_pci_write(&f, "/sys/bus/pci/drivers/amdgpu/unbind", "");
    fake_pci_write(&f, "/sys/bus/pci/drivers/vfio-pci/unbind", "");
    fake_pci_write(&f, "/sys/bus/pci/drivers_probe", "");
    fake_pci_set(&f, "driver_override", "");
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/amdgpu");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fake_pci_remove(&f);
    return 0;
}

static void setup_vfio(void **state) {
    (void)state;
    assert_int_equal(run("rawcl-setup --root %s vfio 3:0.0", f.dir), 1);
    says("no IOMMU group");
    fake_pci_link(&f, "iommu_group", "../../../kernel/iommu_groups/17");
    fake_pci_write(&f, "/sys/kernel/iommu_groups/17/type", "DMA\n");
    fake_pci_set(&f, "resource0_resize", "000000000000ff00\n");

    assert_int_equal(run("rawcl-setup --root %s --dry-run vfio 3:0.0", f.dir), 0);
    says("/drivers/amdgpu/unbind");
    says("echo 15 >");
    says("driver_override");
    says("RAWCL_DEVICE=vfio:" FAKE_BDF);
    assert_string_equal(fake_pci_read(&f, "/sys/bus/pci/drivers/amdgpu/unbind"), "");
    assert_string_equal(fake_pci_read(&f, CARD "driver_override"), "");

    assert_int_equal(run("rawcl-setup --root %s vfio 3:0.0", f.dir), 0);
    assert_string_equal(fake_pci_read(&f, "/sys/bus/pci/drivers/amdgpu/unbind"), FAKE_BDF);
    assert_string_equal(fake_pci_read(&f, CARD "driver_override"), "vfio-pci");
    assert_string_equal(fake_pci_read(&f, "/sys/bus/pci/drivers_probe"), FAKE_BDF);
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/vfio-pci");
    assert_int_equal(run("rawcl-setup --root %s status", f.dir), 0);
    says("ready: RAWCL_DEVICE=vfio:" FAKE_BDF);
    assert_int_equal(run("rawcl-setup --root %s -n permit 3:0.0 root", f.dir), 0);
    says("chown root");
    assert_int_equal(run("rawcl-setup --root %s permit 3:0.0 nosuchuser", f.dir), 1);
    says("no user");
    assert_int_equal(run("rawcl-setup --root %s undo 3:0.0", f.dir), 0);
    assert_string_equal(fake_pci_read(&f, "/sys/bus/pci/drivers/vfio-pci/unbind"), FAKE_BDF);
    assert_string_equal(fake_pci_read(&f, CARD "driver_override"), "");
}

static void setup_pci(void **state) {
    (void)state;
    fake_pci_set(&f, "boot_vga", "1\n");
    assert_int_equal(run("rawcl-setup --root %s pci 3:0.0", f.dir), 1);
    says("--force");
    fake_pci_set(&f, "boot_vga", "0\n");
    fake_pci_write(&f, "/proc/sys/vm/compact_unevictable_allowed", "1\n");
    assert_int_equal(run("rawcl-setup --root %s pci 3:0.0", f.dir), 0);
    assert_string_equal(fake_pci_read(&f, "/proc/sys/vm/compact_unevictable_allowed"), "0");
    assert_string_equal(fake_pci_read(&f, "/sys/bus/pci/drivers/amdgpu/unbind"), FAKE_BDF);
    fake_pci_link(&f, "iommu_group", "../../../kernel/iommu_groups/17");
    fake_pci_write(&f, "/sys/kernel/iommu_groups/17/type", "DMA\n");
    assert_int_equal(run("rawcl-setup --root %s pci 3:0.0", f.dir), 1);
    says("rawcl-setup vfio");
    fake_pci_set(&f, "vendor", "0x8086\n");
    assert_int_equal(run("rawcl-setup --root %s pci 3:0.0", f.dir), 1);
    says("no display controller of AMD");
    assert_int_equal(run("rawcl-setup --root %s pci 4:0.0", f.dir), 1);
    says("no PCI device");
    assert_int_equal(run("rawcl-setup pci nonsense"), 2);
    assert_int_equal(run("rawcl-setup"), 2);
    assert_int_equal(run("rawcl-setup --help"), 0);
    says("--dry-run");
}

static void smi(void **state) {
    (void)state;
    assert_int_equal(run("rawcl-smi --root %s", f.dir), 0);
    says("emu:gfx1100");
    says("not asked for (the kernel driver amdgpu has it)");
    says("not available");
    fake_pci_link(&f, "driver", "../../../bus/pci/drivers/vfio-pci");
    fake_pci_link(&f, "iommu_group", "../../../kernel/iommu_groups/17");
    fake_pci_write(&f, "/dev/vfio/17", "");
    struct pci_card c;
    char err[256];
    int lock = -1;
    assert_int_equal(pci_card_read(FAKE_BDF, &c, err, sizeof err), 0);
    assert_int_equal(pci_card_lock(&c, &lock, err, sizeof err), 0);
    assert_int_equal(run("rawcl-smi --root %s --json", f.dir), 0);
    char pid[64];
    snprintf(pid, sizeof pid, "\"pid\": %d", (int)getpid());
    says(pid);
    says("\"id\": \"vfio:" FAKE_BDF "\"");
    says("\"state\": \"in use\"");
    says("\"target\": \"gfx1201\"");
    says("\"sensors\": null");
    close(lock);
    assert_int_equal(run("rawcl-setup --root %s undo 3:0.0", f.dir), 0);
    assert_int_equal(run("rawcl-smi --help"), 0);
    assert_int_equal(run("rawcl-smi --watch=never"), 2);
    assert_int_equal(run("rawcl-smi surplus"), 2);
}

static void trace(void **state) {
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/boot.trace", f.dir);
    assert_int_equal(run("rawcl-trace boot --device emu:gfx1201,cus=2,vram=512M %s", path), 0);
    says("full boot");
    assert_int_equal(run("rawcl-trace replay %s", path), 0);
    says("0 complaints");
    unsigned long events = 0, reads = 0, later = 0, differ = 99;
    const char *sum = strrchr(out, '\n');
    while (sum > out && sum[-1] != '\n')
        sum--;
    assert_int_equal(sscanf(sum, "%lu events, %lu reads (%lu equal later, %lu different)", &events,
                            &reads, &later, &differ),
                     4);
    assert_true(events > 1000 && reads > 100);
    assert_true(differ < 20); /* clocks: interrupts carry the time */
    /* another chip does not take it */
    assert_int_equal(run("rawcl-trace replay --device emu:gfx1100,cus=2,vram=512M %s", path), 1);
    assert_int_equal(run("rawcl-trace replay --device pci:3:0.0 %s", path), 1);
    says("only the emulated GPU");
    static const char *const broken[] = {
        "",
        "nonsense\n",
        "rawcl-trace 1 emu:gfx1100,vram=512M\nW 9 0 00\n",
        "rawcl-trace 1 emu:gfx1100,vram=512M\nM 0 0 00\n",
        "rawcl-trace 1 emu:gfx1100,vram=512M\nD 0 99999999999999 0\n",
        "rawcl-trace 1 emu:gfx1100,vram=512M\nU 77777\n",
        "rawcl-trace 1 emu:gfx1100,vram=512M\nW 5 0x0\n",
        "rawcl-trace 1 emu:gfx1100,vram=512M\nC fly 1 2\n"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        fake_pci_write(&f, "/broken", broken[i]);
        assert_int_equal(
            run("rawcl-trace replay --device emu:gfx1100,vram=512M,cus=2 %s/broken", f.dir), 1);
    }
    assert_int_equal(run("rawcl-trace evidence --dry-run --device pci:3:0.0 %s/e", f.dir), 0);
    assert_int_equal(run("rawcl-trace evidence --device emu:gfx1100,cus=2,vram=512M %s/e", f.dir),
                     0);
    static const char *const files[] = {"system.txt", "messages.txt", "boot-1.trace",
                                        "boot-2.trace"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/e/%s", f.dir, files[i]);
        assert_int_equal(access(path, R_OK), 0);
    }
    assert_int_equal(run("rawcl-trace --help"), 0);
    assert_int_equal(run("rawcl-trace"), 2);
}

static void decode(void **state) {
    (void)state;
    const uint32_t pm4[] = {0xc0001000, 0,                      /* NOP of two dwords */
                            0xc0027602, 0x20c, 1,         2,    /* SET_SH_REG */
                            0xc0031502, 4,     2,         1, 5, /* DISPATCH_DIRECT */
                            0,          0,     0xc0055802}; /* the dump ends within ACQUIRE_MEM */
    const uint32_t sdma[] = {5, 0x1000, 0x20, 7, 0, 6, 0, 0x12345699};
    char path[128];
    snprintf(path, sizeof path, "%s/dump", f.dir);
    FILE *d = fopen(path, "w");
    assert_int_equal(fwrite(pm4, 1, sizeof pm4, d), sizeof pm4);
    fclose(d);
    assert_int_equal(run("rawcl-trace --decode pm4 --target gfx1201 %s", path), 0);
    says("NOP 2 dwords");
    says("SET_SH_REG REG_OFFSET=0x20c");
    says("DISPATCH_DIRECT");
    says("2 zero dwords");
    says("ACQUIRE_MEM: 7 dwords, the dump has 1");
    d = fopen(path, "w");
    assert_int_equal(fwrite(sdma, 1, sizeof sdma, d), sizeof sdma);
    fclose(d);
    assert_int_equal(run("rawcl-trace --decode sdma %s", path), 0);
    says("FENCE");
    says("TRAP");
    says("0x12345699: no packet");
    assert_int_equal(run("rawcl-trace --decode pm5 %s", path), 2);
    assert_int_equal(run("rawcl-trace --decode pm4 --target gfx900 %s", path), 2);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(setup_vfio, setup, teardown),
        cmocka_unit_test_setup_teardown(setup_pci, setup, teardown),
        cmocka_unit_test_setup_teardown(smi, setup, teardown),
        cmocka_unit_test_setup_teardown(trace, setup, teardown),
        cmocka_unit_test_setup_teardown(decode, setup, teardown),
    };
    return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
