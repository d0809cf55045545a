/* SPDX-License-Identifier: MIT */
/* The discovery binary: a good one is read, every broken one is refused without a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "driver/blocks.h"

struct blob {
    uint8_t b[4096];
    size_t size, ip_table, ip_table_size, gc, harvest;
};

static uint16_t sum(const uint8_t *p, size_t n) {
    uint16_t s = 0;
    while (n--)
        s = (uint16_t)(s + *p++);
    return s;
}

static void seal(struct blob *x) {
    hw_put16(x->b, OFF_binary_header__table_list + 2, sum(x->b + x->ip_table, x->ip_table_size));
    hw_put16(x->b, OFF_binary_header__table_list + SIZE_table_info + 2,
             sum(x->b + x->gc, SIZE_gc_info_v1_0));
    hw_put16(x->b, OFF_binary_header__binary_size, (uint16_t)x->size);
    hw_put16(x->b, OFF_binary_header__binary_checksum, sum(x->b + 10, x->size - 10));
}

static void build(struct blob *x, unsigned version) {
    static const struct {
        uint16_t hwid;
        uint8_t v[3];
        uint32_t base[2];
    } ips[] = {
        {GC_HWID, {11, 0, 0}, {0x1260, 0xa000}}, {MMHUB_HWID, {3, 0, 0}, {0x1a000, 0x2408800}},
        {OSSSYS_HWID, {6, 0, 0}, {0x10a0, 0}},   {MP0_HWID, {13, 0, 0}, {0x16000, 0}},
        {MP1_HWID, {13, 0, 0}, {0x16000, 0}},    {HDP_HWID, {6, 0, 0}, {0xf20, 0}},
        {NBIF_HWID, {4, 3, 0}, {0, 0x14}},       {SDMA0_HWID, {6, 0, 0}, {0x1260, 0}},
        {UMC_HWID, {8, 10, 0}, {1, 2}},
    };
    memset(x, 0, sizeof *x);
    uint8_t *b = x->b;
    hw_put32(b, OFF_binary_header__binary_signature, BINARY_SIGNATURE);
    hw_put16(b, OFF_binary_header__version_major, 1);
    x->ip_table = SIZE_binary_header;
    hw_put16(b, OFF_binary_header__table_list, (uint16_t)x->ip_table);
    uint8_t *h = b + x->ip_table;
    hw_put32(h, OFF_ip_discovery_header__signature, DISCOVERY_TABLE_SIGNATURE);
    hw_put16(h, OFF_ip_discovery_header__version, (uint16_t)version);
    hw_put16(h, OFF_ip_discovery_header__num_dies, 1);
    size_t die = x->ip_table + SIZE_ip_discovery_header;
    hw_put16(h, OFF_ip_discovery_header__die_info__die_offset, (uint16_t)die);
    bool wide = version == 4;
    if (wide) h[OFF_ip_discovery_header__base_addr_64_bit] |= 1;
    hw_put16(b, die + OFF_die_header__num_ips, sizeof ips / sizeof *ips);
    size_t at = die + SIZE_die_header;
    for (size_t i = 0; i < sizeof ips / sizeof *ips; i++) {
        hw_put16(b, at, ips[i].hwid);
        b[at + OFF_ip_v3__num_base_address] = 2;
        memcpy(b + at + OFF_ip_v3__major, ips[i].v, 3);
        for (int k = 0; k < 2; k++)
            hw_put32(b, at + SIZE_ip_v3 + (size_t)k * (wide ? 8 : 4), ips[i].base[k]);
        at += SIZE_ip_v3 + (wide ? 16 : 8);
    }
    x->ip_table_size = at - x->ip_table;
    hw_put16(h, OFF_ip_discovery_header__size, (uint16_t)x->ip_table_size);
    x->gc = at;
    hw_put16(b, OFF_binary_header__table_list + SIZE_table_info, (uint16_t)at);
    uint8_t *g = b + at;
    hw_put32(g, OFF_gpu_info_header__table_id, GC_TABLE_ID);
    hw_put16(g, OFF_gpu_info_header__version_major, 1);
    hw_put32(g, OFF_gpu_info_header__size, SIZE_gc_info_v1_0);
    hw_put32(g, OFF_gc_info_v1_0__gc_num_se, 6);
    hw_put32(g, OFF_gc_info_v1_0__gc_num_sa_per_se, 2);
    hw_put32(g, OFF_gc_info_v1_0__gc_num_wgp0_per_sa, 4);
    hw_put32(g, OFF_gc_info_v1_0__gc_lds_size, 64);
    at += SIZE_gc_info_v1_0;
    x->harvest = at;
    hw_put16(b, OFF_binary_header__table_list + 2 * SIZE_table_info, (uint16_t)at);
    hw_put32(b, at, HARVEST_TABLE_SIGNATURE);
    x->size = at + SIZE_harvest_table;
    seal(x);
}

static int parse(struct am_device *d, const struct blob *x, char *err) {
    memset(d, 0, sizeof *d);
    return discovery_parse(d, x->b, sizeof x->b, err, 256);
}

static void good(void **state) {
    (void)state;
    for (unsigned version = 1; version <= 4; version++) {
        struct blob x;
        struct am_device d;
        char err[256] = "";
        build(&x, version);
        assert_int_equal(parse(&d, &x, err), 0);
        assert_int_equal(d.ip[HW_GC].version.major, 11);
        assert_int_equal(d.ip[HW_GC].base[1], 0xa000);
        assert_int_equal(d.ip[HW_NBIO].base[1], 0x14);
        assert_int_equal(d.sdma_version.major, 6);
        assert_int_equal(d.gc.active_cus, 96);
        assert_int_equal(d.gc.lds_bytes_per_cu, 65536);
    }
}

static void expect(void (*change)(struct blob *), const char *text) {
    struct blob x;
    struct am_device d;
    char err[256] = "";
    build(&x, 3);
    change(&x);
    assert_int_not_equal(parse(&d, &x, err), 0);
    if (!strstr(err, text)) print_message("\"%s\" lacks \"%s\"\n", err, text);
    assert_non_null(strstr(err, text));
}

static void no_signature(struct blob *x) {
    x->b[0] ^= 1;
}
static void bad_total(struct blob *x) {
    x->b[x->gc + 70] ^= 1;
}
static void bad_ip_sum(struct blob *x) {
    x->b[x->ip_table + 8] ^= 1;
    hw_put16(x->b, OFF_binary_header__binary_checksum, sum(x->b + 10, x->size - 10));
}
static void many_ips(struct blob *x) {
    hw_put16(x->b, x->ip_table + SIZE_ip_discovery_header + 2, 0xffff);
    seal(x);
}
static void far_die(struct blob *x) {
    hw_put16(x->b, x->ip_table + OFF_ip_discovery_header__die_info__die_offset, 0xfffe);
    seal(x);
}
static void far_gc(struct blob *x) {
    hw_put16(x->b, OFF_binary_header__table_list + SIZE_table_info, 0xfff0);
    hw_put16(x->b, OFF_binary_header__binary_checksum, sum(x->b + 10, x->size - 10));
}
static void odd_version(struct blob *x) {
    hw_put16(x->b, x->ip_table + OFF_ip_discovery_header__version, 9);
    seal(x);
}
static void unknown_gc(struct blob *x) {
    x->b[x->ip_table + SIZE_ip_discovery_header + SIZE_die_header + OFF_ip_v3__major] = 9;
    seal(x);
}
static void harvested_hdp(struct blob *x) {
    hw_put16(x->b, x->harvest + SIZE_harvest_info_header, HDP_HWID);
    seal(x);
}
static void no_engines(struct blob *x) {
    hw_put32(x->b, x->gc + OFF_gc_info_v1_0__gc_num_se, 0);
    seal(x);
}

static void broken(void **state) {
    (void)state;
    expect(no_signature, "signature");
    expect(bad_total, "checksum of the binary");
    expect(bad_ip_sum, "checksum of the IP table");
    expect(many_ips, "past the end");
    expect(far_die, "past the end");
    expect(far_gc, "past the end");
    expect(odd_version, "version 9");
    expect(unknown_gc, "GC 9.0.0 is not supported");
    expect(harvested_hdp, "no HDP");
    expect(no_engines, "shader engines");
}

/* Random bytes, sealed so that they get past the checksums. */
static void random_bytes(void **state) {
    (void)state;
    uint32_t seed = 12345;
    for (int round = 0; round < 20000; round++) {
        struct blob x;
        struct am_device d;
        char err[256];
        build(&x, 1 + (unsigned)round % 4);
        for (int k = 0; k < 4; k++) {
            seed = seed * 1664525 + 1013904223;
            x.b[12 + (seed >> 8) % (x.size - 12)] = (uint8_t)(seed >> 24);
        }
        seal(&x);
        (void)parse(&d, &x, err);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good),
        cmocka_unit_test(broken),
        cmocka_unit_test(random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
