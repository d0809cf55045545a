/* SPDX-License-Identifier: MIT */
/* Firmware containers: generated ones read back, broken ones are refused, files are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <lzma.h>
#include <zstd.h>
#include <cmocka.h>

#include "driver/hw/hw.h"
#include "firmware/firmware.h"

static const char *const targets[] = {"gfx1100", "gfx1101", "gfx1102", "gfx1200", "gfx1201"};

static void sha256_vectors(void **state) {
    (void)state;
    /* FIPS 180-4 examples */
    static const struct {
        const char *in, *hex;
    } v[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        uint8_t d[32];
        char hex[65];
        firmware_sha256(v[i].in, strlen(v[i].in), d);
        for (int k = 0; k < 32; k++)
            snprintf(hex + 2 * k, 3, "%02x", d[k]);
        assert_string_equal(hex, v[i].hex);
    }
}

/* Types in load order and sizes: those of the real files. */
struct expected {
    uint32_t type, size;
};

static void load_order(const char *target, const struct expected *e, size_t n) {
    struct firmware_options opt = {.generated = true};
    struct firmware *fw;
    char err[256];
    assert_int_equal(firmware_load(target, &opt, &fw, err, sizeof err), 0);
    assert_int_equal(fw->count, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(fw->images[i].type, e[i].type);
        assert_int_equal(fw->images[i].size, e[i].size);
        assert_int_equal(hw_get32(fw->images[i].data, 0x10), 0x31535024); /* "$PS1" */
    }
    assert_int_equal(fw->start_mec, 0x0007000000003000ull);
    firmware_free(fw);
}

static void order_gfx11(void **state) {
    (void)state;
    static const struct expected e[] = {
        {GFX_FW_TYPE_SDMA_UCODE_TH1, 16896}, {GFX_FW_TYPE_SDMA_UCODE_TH0, 17408},
        {GFX_FW_TYPE_RS64_MEC, 267008},      {GFX_FW_TYPE_RS64_MEC_P0_STACK, 139264},
        {GFX_FW_TYPE_IMU_I, 66048},          {GFX_FW_TYPE_IMU_D, 66048},
        {GFX_FW_TYPE_RLC_IRAM, 66048},       {GFX_FW_TYPE_RLC_DRAM_BOOT, 33280},
        {GFX_FW_TYPE_RLC_P, 8704},           {GFX_FW_TYPE_RLC_V, 12800},
        {GFX_FW_TYPE_RLC_G, 25088},
    };
    load_order("gfx1100", e, sizeof e / sizeof *e);
}

static void order_gfx12(void **state) {
    (void)state;
    static const struct expected e[] = {
        {GFX_FW_TYPE_SDMA_UCODE_TH0, 46848},
        {GFX_FW_TYPE_RS64_PFP, 89616},
        {GFX_FW_TYPE_RS64_PFP_P0_STACK, 262144},
        {GFX_FW_TYPE_RS64_ME, 157376},
        {GFX_FW_TYPE_RS64_ME_P0_STACK, 262144},
        {GFX_FW_TYPE_RS64_MEC, 185056},
        {GFX_FW_TYPE_RS64_MEC_P0_STACK, 262144},
        {GFX_FW_TYPE_IMU_I, 66048},
        {GFX_FW_TYPE_IMU_D, 66048},
        {GFX_FW_TYPE_RLC_IRAM, 66048},
        {GFX_FW_TYPE_RLC_DRAM_BOOT, 33280},
        {GFX_FW_TYPE_RLC_G, 25088},
    };
    load_order("gfx1201", e, sizeof e / sizeof *e);
}

static void generated_is_deterministic(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (int k = 0; k < FW_KIND_COUNT; k++) {
            if (!firmware_file_name(targets[t], k)) continue;
            uint8_t *a, *b;
            size_t na, nb;
            assert_int_equal(firmware_generate(targets[t], k, &a, &na), 0);
            assert_int_equal(firmware_generate(targets[t], k, &b, &nb), 0);
            assert_int_equal(na, nb);
            assert_memory_equal(a, b, na);
            free(a);
            free(b);
        }
}

/* Every header field set to wild values, and every truncation of the header: an answer, images
 * inside the file, never a crash (run under the address sanitizer). */
static void broken_containers(void **state) {
    (void)state;
    static const uint32_t wild[] = {0, 1, 3, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff};
    unsigned refused = 0;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (int k = 0; k < FW_KIND_COUNT; k++) {
            if (!firmware_file_name(targets[t], k)) continue;
            uint8_t *a;
            size_t n;
            assert_int_equal(firmware_generate(targets[t], k, &a, &n), 0);
            struct fw_container c;
            char err[256];
            assert_int_equal(firmware_parse(k, a, n, &c, err, sizeof err), 0);
            for (size_t cut = 0; cut < 260; cut++) {
                uint8_t *copy = malloc(cut ? cut : 1);
                memcpy(copy, a, cut);
                assert_int_not_equal(firmware_parse(k, copy, cut, &c, err, sizeof err), 0);
                assert_true(err[0]);
                free(copy);
            }
            for (size_t off = 0; off < 252; off += 4)
                for (size_t w = 0; w < sizeof wild / sizeof *wild; w++) {
                    uint32_t old = hw_get32(a, off);
                    hw_put32(a, off, wild[w]);
                    int rc = firmware_parse(k, a, n, &c, err, sizeof err);
                    if (rc) refused++;
                    for (unsigned i = 0; !rc && i < c.count; i++) {
                        assert_true(c.images[i].data >= a);
                        assert_true(c.images[i].size <= n);
                        assert_true(c.images[i].data + c.images[i].size <= a + n);
                    }
                    hw_put32(a, off, old);
                }
            free(a);
        }
    assert_true(refused > 100);
}

static void wrong_kind(void **state) {
    (void)state;
    uint8_t *a;
    size_t n;
    struct fw_container c;
    char err[256];
    assert_int_equal(firmware_generate("gfx1100", FW_IMU, &a, &n), 0);
    assert_int_not_equal(firmware_parse(FW_MEC, a, n, &c, err, sizeof err), 0);
    assert_non_null(strstr(err, "version"));
    free(a);
    assert_int_not_equal(firmware_generate("gfx1100", FW_PFP, &a, &n), 0); /* gfx11 loads none */
    assert_int_not_equal(firmware_generate("gfx900", FW_MEC, &a, &n), 0);
}

static void write_file(const char *dir, const char *name, const char *suffix, const void *p,
                       size_t n) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", dir, name, suffix);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
}

static void count_lines(void *ctx, const char *line) {
    assert_non_null(strstr(line, "sha256 "));
    ++*(int *)ctx;
}

/* One file plain, one xz, one zstd, the rest plain; then one missing, then one cut short. */
static void files(void **state) {
    (void)state;
    char dir[] = "/tmp/rawcl-fw-XXXXXX", cmd[128], err[512];
    assert_non_null(mkdtemp(dir));
    setenv("RAWCL_FIRMWARE_PATH", dir, 1);
    for (int k = 0; k < FW_KIND_COUNT; k++) {
        const char *name = firmware_file_name("gfx1100", k);
        if (!name) continue;
        uint8_t *a;
        size_t n;
        assert_int_equal(firmware_generate("gfx1100", k, &a, &n), 0);
        size_t cap = n + n / 2 + 1024, out = 0;
        uint8_t *packed = malloc(cap);
        if (k == FW_MEC) {
            assert_int_equal(
                lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, a, n, packed, &out, cap),
                LZMA_OK);
            write_file(dir, name, ".xz", packed, out);
        } else if (k == FW_RLC) {
            out = ZSTD_compress(packed, cap, a, n, 1);
            assert_false(ZSTD_isError(out));
            write_file(dir, name, ".zst", packed, out);
        } else {
            write_file(dir, name, "", a, n);
        }
        free(packed);
        free(a);
    }
    int lines = 0;
    struct firmware_options opt = {.report = count_lines, .report_ctx = &lines};
    struct firmware *fw = NULL;
    int rc = firmware_load("gfx1100", &opt, &fw, err, sizeof err);
    if (rc) print_message("%s\n", err);
    assert_int_equal(rc, 0);
    assert_int_equal(lines, 6);
    assert_int_equal(fw->images[2].size, 267008);
    firmware_free(fw);

    char path[512];
    snprintf(path, sizeof path, "%s/gc_11_0_0_mec.bin.xz", dir);
    assert_int_equal(truncate(path, 1000), 0);
    assert_int_not_equal(firmware_load("gfx1100", &opt, &fw, err, sizeof err), 0);
    assert_non_null(strstr(err, "gc_11_0_0_mec.bin.xz"));
    unlink(path);
    assert_int_not_equal(firmware_load("gfx1100", &opt, &fw, err, sizeof err), 0);
    assert_non_null(strstr(err, "gc_11_0_0_mec.bin not found"));
    unsetenv("RAWCL_FIRMWARE_PATH");
    snprintf(cmd, sizeof cmd, "rm -r %s", dir);
    assert_int_equal(system(cmd), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_vectors),
        cmocka_unit_test(order_gfx11),
        cmocka_unit_test(order_gfx12),
        cmocka_unit_test(generated_is_deterministic),
        cmocka_unit_test(broken_containers),
        cmocka_unit_test(wrong_kind),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
