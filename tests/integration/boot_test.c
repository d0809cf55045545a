/* SPDX-License-Identifier: MIT */
/* The boot on the emulated GPU: cold, partial, after a crash, after another driver, interrupted at
 * every access, without a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>
#include <time.h>
#include <cmocka.h>

#include "driver/blocks.h"
#include "tests/integration/boot_bus.h"

static char last_error[512];

static void listen(void *ctx, enum am_log_level level, const char *topic, const char *line) {
    (void)ctx;
    if (level == AM_LOG_ERROR) snprintf(last_error, sizeof last_error, "%s: %s", topic, line);
}

/* am_open less the opening of the bus. */
static int boot(struct boot_bus *b, struct am_device **out) {
    struct am_options opt = {.log = listen};
    struct am_device *d;
    last_error[0] = 0;
    *out = NULL;
    assert_int_equal(am_device_new(&b->base, "test", &opt, true, &d), 0);
    int rc = am_boot(d);
    if (rc) {
        queues_fini(d);
        memory_fini(d);
        am_device_free(d);
        return rc;
    }
    *out = d;
    return 0;
}

static void open_gpu(struct boot_bus *b, const char *target) {
    char err[256] = "";
    if (boot_bus_open(b, target, err, sizeof err)) fail_msg("%s", err);
}

static void no_complaints(struct boot_bus *b) {
    struct emu_counters c = boot_bus_counters(b);
    assert_int_equal(c.guest_errors, 0);
    assert_int_equal(c.unimplemented, 0);
}

static void boots(struct boot_bus *b, struct am_device **d) {
    int rc = boot(b, d);
    if (rc) fail_msg("boot: %d, %s", rc, last_error);
}

/* A copy there and back: rings, page tables and engines work. */
static void works(struct am_device *d) {
    struct am_mem *sys, *vram;
    assert_int_equal(am_alloc(d, 65536, 0, AM_MEM_SYSTEM, "system", &sys), 0);
    assert_int_equal(am_alloc(d, 65536, 0, AM_MEM_VRAM, "vram", &vram), 0);
    uint8_t *p = sys->cpu;
    for (int i = 0; i < 65536; i++)
        p[i] = (uint8_t)(i * 7 + i / 256);
    struct am_fence f1, f2;
    assert_int_equal(am_submit_copy(d, NULL, 0, vram->va, sys->va, 32768, &f1), 0);
    assert_int_equal(am_submit_copy(d, &f1, 1, sys->va + 32768, vram->va, 32768, &f2), 0);
    assert_int_equal(am_wait(d, f2, 5000000000ll), 0);
    assert_memory_equal(p, p + 32768, 32768);
    am_free(d, sys);
    am_free(d, vram);
}

static void cold(void **state) {
    (void)state;
    static const char *const targets[] = {"gfx1100", "gfx1102", "gfx1200", "gfx1201"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct boot_bus b;
        struct am_device *d;
        open_gpu(&b, targets[i]);
        boots(&b, &d);
        assert_string_equal(d->target, targets[i]);
        assert_false(d->partial_boot);
        assert_int_equal(d->gc.active_cus, 4);
        assert_int_equal(reg_rd(d, R_SCRATCH_REG7), AM_BOOT_VERSION);
        assert_int_equal(reg_rd(d, R_SCRATCH_REG6), AM_SESSION_DIRTY);
        works(d);
        am_close(d);
        no_complaints(&b);
        boot_bus_destroy(&b);
    }
}

static void partial(void **state) {
    (void)state;
    static const char *const targets[] = {"gfx1100", "gfx1201"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct boot_bus b;
        struct am_device *d;
        open_gpu(&b, targets[i]);
        boots(&b, &d);
        uint64_t cold_accesses = b.accesses;
        am_close(d);
        for (int round = 0; round < 3; round++) {
            uint64_t before = b.accesses;
            boots(&b, &d);
            assert_true(d->partial_boot);
            assert_true(b.accesses - before < cold_accesses);
            works(d);
            am_close(d);
        }
        no_complaints(&b);
        boot_bus_destroy(&b);
    }
}

/* AM_RESET=1 asks for the whole boot. */
static void forced_reset(void **state) {
    (void)state;
    struct boot_bus b;
    struct am_device *d;
    open_gpu(&b, "gfx1100");
    boots(&b, &d);
    am_close(d);
    setenv("AM_RESET", "1", 1);
    boots(&b, &d);
    unsetenv("AM_RESET");
    assert_false(d->partial_boot);
    assert_true(b.delay_us >= 500000); /* the reset's own wait */
    works(d);
    am_close(d);
    no_complaints(&b);
    boot_bus_destroy(&b);
}

/* The process died with the rings running. */
static void after_crash(void **state) {
    (void)state;
    static const char *const targets[] = {"gfx1100", "gfx1201"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct boot_bus b;
        struct am_device *d;
        open_gpu(&b, targets[i]);
        boots(&b, &d);
        works(d);
        /* its memory stays where the engines may still write, until they are reset */
        struct am_device *dead = d;
        am_abandon(dead);
        boots(&b, &d);
        am_close(dead);
        assert_false(d->partial_boot);
        works(d);
        am_close(d);
        boots(&b, &d);
        assert_true(d->partial_boot);
        am_close(d);
        no_complaints(&b);
        boot_bus_destroy(&b);
    }
}

/* Another driver booted it: its version is not ours. */
static void after_other_driver(void **state) {
    (void)state;
    struct boot_bus b;
    struct am_device *d;
    open_gpu(&b, "gfx1100");
    boots(&b, &d);
    reg_wr(d, R_SCRATCH_REG7, 0xa0000008);
    am_close(d);
    boots(&b, &d);
    assert_false(d->partial_boot);
    works(d);
    am_close(d);
    no_complaints(&b);
    boot_bus_destroy(&b);
}

/* The link dies at some access of the boot: an error, no hang, nothing leaked (address sanitizer);
 * and the next boot finds a chip that it resets if need be. */
static void interrupted(void **state) {
    (void)state;
    struct boot_bus b;
    struct am_device *d;
    open_gpu(&b, "gfx1201");
    boots(&b, &d);
    uint64_t all = b.accesses;
    am_close(d);
    boot_bus_destroy(&b);
    for (uint64_t at = 1; at < all; at += 1 + all / 40) {
        open_gpu(&b, "gfx1201");
        b.fail_at = at;
        int rc = boot(&b, &d);
        if (!rc) { /* fewer polls than in the first boot */
            assert_true(b.accesses < at);
            am_close(d);
            boot_bus_destroy(&b);
            break;
        }
        assert_null(d);
        b.fail_at = 0;
        rc = boot(&b, &d);
        if (rc)
            fail_msg("second boot after a failure at access %u of %u: %d, %s", (unsigned)at,
                     (unsigned)all, rc, last_error);
        works(d);
        am_close(d);
        boot_bus_destroy(&b);
    }
}

/* All ones from every register: reported as gone, quickly. */
static void fell_off(void **state) {
    (void)state;
    struct boot_bus b;
    struct am_device *d;
    open_gpu(&b, "gfx1100");
    boots(&b, &d);
    b.gone = true;
    assert_int_equal(reg_rd(d, R_SCRATCH_REG7), 0);
    assert_true(atomic_load(&d->lost));
    assert_non_null(strstr(last_error, "gone"));
    struct am_mem *m;
    assert_int_equal(am_alloc(d, 4096, 0, AM_MEM_VRAM, "late", &m), -ENODEV);
    am_close(d);
    b.gone = false;
    boots(&b, &d);
    works(d);
    am_close(d);
    b.gone = true;
    assert_int_not_equal(boot(&b, &d), 0);
    boot_bus_destroy(&b);
}

static void enumeration(void **state) {
    (void)state;
    struct am_candidate *c;
    size_t n;
    assert_int_equal(am_enumerate("emu:gfx1201,cus=6,vram=1G; pci:ffff:ff:1f.7;emu:gfx9999;"
                                  "emu:gfx1100,what=1;emu:gfx1100,vram=;zzz;emu:;remote:a:1;vfio",
                                  &c, &n),
                     0);
    assert_int_equal(n, 9);
    assert_string_equal(c[0].error, "");
    assert_string_equal(c[0].target, "gfx1201");
    assert_int_equal(c[0].compute_units, 6);
    assert_int_equal(c[0].vram_bytes, 1u << 30);
    assert_true(c[0].emulated);
    for (size_t i = 1; i < n; i++)
        assert_true(c[i].error[0]);
    free(c);
    setenv("RAWCL_DEVICE", "emu:gfx1102,cus=4", 1);
    assert_int_equal(am_enumerate(NULL, &c, &n), 0);
    assert_int_equal(n, 1);
    assert_string_equal(c[0].target, "gfx1102");
    free(c);
    unsetenv("RAWCL_DEVICE");

    /* the configuration file: one entry a line */
    char dir[] = "/tmp/rawcl-conf-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/rawcl.conf", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("# devices\n\n  emu:gfx1201,cus=4  # the first\nemu:gfx1100,cus=2\n", f);
    fclose(f);
    setenv("XDG_CONFIG_HOME", dir, 1);
    assert_int_equal(am_enumerate(NULL, &c, &n), 0);
    unsetenv("XDG_CONFIG_HOME");
    remove(path);
    rmdir(dir);
    assert_int_equal(n, 2);
    assert_string_equal(c[0].id, "emu:gfx1201,cus=4");
    assert_string_equal(c[1].error, "");
    free(c);

    struct am_device *d;
    char err[256];
    assert_int_equal(am_open("emu:gfx1100,cus=4,vram=512M", NULL, &d, err, sizeof err), 0);
    am_close(d);
    assert_int_equal(am_open("pci:ffff:ff:1f.7", NULL, &d, err, sizeof err), -ENOENT);
    assert_non_null(strstr(err, "no PCI device"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold),
        cmocka_unit_test(partial),
        cmocka_unit_test(forced_reset),
        cmocka_unit_test(after_crash),
        cmocka_unit_test(after_other_driver),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(fell_off),
        cmocka_unit_test(enumeration),
    };
    cmocka_set_test_filter(getenv("TEST_FILTER"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
