/* SPDX-License-Identifier: MIT */
/* Page tables in a pretended VRAM, read back by a walker of its own. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/page_table.h"

#define BASE   0x200000000000ull
#define TABLES 4096u

static struct {
    uint64_t mem[TABLES][512]; /* table n lies at n * 4096; 0 is the root */
    uint8_t used[TABLES];
    unsigned live, limit, writes;
} vram;

static int table_alloc(void *ctx, uint64_t *off) {
    (void)ctx;
    if (vram.live >= vram.limit) return -ENOSPC;
    for (unsigned i = 1; i < TABLES; i++)
        if (!vram.used[i]) {
            vram.used[i] = 1;
            vram.live++;
            memset(vram.mem[i], 0xa5, 4096); /* what an earlier owner left */
            *off = 4096ull * i;
            return 0;
        }
    return -ENOSPC;
}

static void table_free(void *ctx, uint64_t off) {
    (void)ctx;
    assert_true(vram.used[off / 4096]);
    vram.used[off / 4096] = 0;
    vram.live--;
}

static int table_write(void *ctx, uint64_t off, const void *entries, size_t bytes) {
    (void)ctx;
    assert_true(off % 4096 + bytes <= 4096);
    memcpy((uint8_t *)vram.mem + off, entries, bytes);
    vram.writes++;
    return 0;
}

static const struct pt_ops ops = {table_alloc, table_free, table_write};

static struct page_table *make(enum hw_gen gen) {
    memset(&vram, 0, sizeof(vram));
    memset(vram.mem[0], 0xff, 4096);
    vram.limit = TABLES;
    struct page_table *pt = page_table_create(&pt_formats[gen], &ops, NULL, 0, BASE);
    assert_non_null(pt);
    assert_int_equal(page_table_commit(pt), 0);
    return pt;
}

/* Translates as the hardware does: index by VA - BASE, a huge page's base plus the offset in it.
 * Bits from amdgpu_vm.h, written out on purpose. ~0: no translation. */
static uint64_t walk(enum hw_gen gen, uint64_t va, uint64_t *leaf) {
    uint64_t rel = va - BASE, table = 0;
    for (int level = 0; level < 4; level++) {
        int shift = 39 - 9 * level;
        uint64_t e = vram.mem[table / 4096][rel >> shift & 511];
        if (!(e & 1)) return ~0ull;
        int is_page = level == 3 || (gen == HW_GFX11 ? e >> 54 & 1 : e >> 63 & 1);
        if (is_page) {
            *leaf = e;
            return (e & 0xfffffffff000ull) + (rel & ((1ull << shift) - 1));
        }
        assert_int_equal(e & 0xfff, 1);
        table = e & 0xfffffffff000ull;
    }
    return ~0ull;
}

static void entries(void **state) {
    (void)state;
    uint64_t pages[2] = {0x100000000, 0x100001000}, leaf = 0;
    for (int gen = 0; gen < 2; gen++) {
        struct page_table *pt = make(gen);
        uint64_t odd[1] = {0x100000000};
        assert_int_equal(page_table_map(pt, BASE, 4096, 0, odd, PT_SYSTEM), 0);
        assert_int_equal(page_table_map(pt, BASE + 0x10000, 4096, 0x3034000, NULL, PT_VRAM), 0);
        assert_int_equal(page_table_map(pt, BASE + 0x200000, 0x200000, 0x2200000, NULL, PT_VRAM),
                         0);
        assert_int_equal(page_table_map(pt, BASE + 0x20000, 8192, 0, pages, PT_SYSTEM), 0);
        page_table_commit(pt);
        assert_int_equal(walk(gen, BASE + 5, &leaf), 0x100000005);
        assert_int_equal(leaf, gen == HW_GFX11 ? 0x0003000100000077 : 0x80c0000100000077);
        assert_int_equal(walk(gen, BASE + 0x10fff, &leaf), 0x3034fff);
        assert_int_equal(leaf, gen == HW_GFX11 ? 0x0000000003034071 : 0x8000000003034071);
        assert_int_equal(walk(gen, BASE + 0x2abcde, &leaf), 0x22abcde);
        assert_int_equal(leaf, gen == HW_GFX11 ? 0x00400000022004f1 : 0x80000000022004f1);
        assert_int_equal(walk(gen, BASE + 0x21000, &leaf), 0x100001000);
        assert_int_equal(leaf >> 7 & 31, 1); /* two pages in a row: a fragment of 8 KiB */
        assert_int_equal(walk(gen, BASE + 0x22000, &leaf), ~0ull);
        page_table_destroy(pt);
        assert_int_equal(vram.live, 0);
    }
}

/* Fragments cover only blocks that are contiguous and aligned in both spaces. */
static void fragments_honest(void **state) {
    (void)state;
    struct page_table *pt = make(HW_GFX12);
    uint64_t va = BASE + 0x7000, pa = 0x40003000, size = 0x60000000, leaf = 0;
    assert_int_equal(page_table_map(pt, va, size, pa, NULL, PT_VRAM), 0);
    page_table_commit(pt);
    for (uint64_t o = 0; o<size; o += o> 0x800000 && o < size - 0x800000 ? 0x123000 : 0x1000) {
        assert_int_equal(walk(HW_GFX12, va + o, &leaf), pa + o);
        uint64_t frag = 1ull << (12 + (leaf >> 7 & 31));
        uint64_t lo = (va + o) & ~(frag - 1);
        assert_true(lo >= va && lo + frag <= va + size);
        assert_int_equal(((lo - va) + pa) & (frag - 1), 0);
    }
    assert_int_equal(walk(HW_GFX12, va - 1, &leaf), ~0ull);
    assert_int_equal(walk(HW_GFX12, va + size, &leaf), ~0ull);
    page_table_destroy(pt);
}

static void huge_gigabyte(void **state) {
    (void)state;
    struct page_table *pt = make(HW_GFX11);
    uint64_t leaf = 0, entry;
    unsigned level;
    assert_int_equal(page_table_map(pt, BASE + (3ull << 30), 2ull << 30, 1ull << 30, NULL, PT_VRAM),
                     0);
    page_table_commit(pt);
    assert_int_equal(page_table_count(pt), 2);
    assert_int_equal(walk(HW_GFX11, BASE + (4ull << 30) + 77, &leaf), (2ull << 30) + 77);
    assert_int_equal(page_table_lookup(pt, BASE + (3ull << 30), &entry, &level), 0);
    assert_int_equal(level, 1);
    page_table_destroy(pt);
}

static void refusals(void **state) {
    (void)state;
    struct page_table *pt = make(HW_GFX11);
    assert_int_equal(page_table_map(pt, BASE + 1, 4096, 0, NULL, PT_VRAM), -EINVAL);
    assert_int_equal(page_table_map(pt, BASE - 4096, 4096, 0, NULL, PT_VRAM), -EINVAL);
    assert_int_equal(page_table_map(pt, BASE, 0, 0, NULL, PT_VRAM), -EINVAL);
    assert_int_equal(page_table_map(pt, BASE, 1ull << 49, 0, NULL, PT_VRAM), -EINVAL);
    assert_int_equal(page_table_map(pt, BASE, 4096, 1ull << 48, NULL, PT_VRAM), -EINVAL);
    assert_int_equal(page_table_map(pt, BASE, 0x400000, 0, NULL, PT_VRAM), 0);
    assert_int_equal(page_table_map(pt, BASE + 0x1000, 0x1000, 0, NULL, PT_VRAM), -EEXIST);
    assert_int_equal(page_table_map(pt, BASE + 0x200000, 0x400000, 0, NULL, PT_VRAM), -EEXIST);
    page_table_destroy(pt);
    assert_int_equal(vram.live, 0);
}

/* Running out of tables in the middle leaves nothing behind. */
static void no_tables(void **state) {
    (void)state;
    for (unsigned limit = 0; limit < 6; limit++) {
        struct page_table *pt = make(HW_GFX12);
        vram.limit = limit;
        uint64_t leaf = 0;
        int r = page_table_map(pt, BASE + 0x1ff000, 0x402000, 0x1000, NULL, PT_VRAM);
        page_table_commit(pt);
        page_table_reap(pt);
        assert_int_equal(r, limit < 6 ? -ENOSPC : 0);
        assert_int_equal(vram.live, 0);
        assert_int_equal(page_table_count(pt), 1);
        assert_int_equal(walk(HW_GFX12, BASE + 0x200000, &leaf), ~0ull);
        page_table_destroy(pt);
    }
}

/* Random maps and unmaps against a plain array. */
static void random_ops(void **state) {
    (void)state;
    enum { PAGES = 8192 };
    static uint64_t model[PAGES];
    static struct { unsigned at, n; } live[64];
    unsigned nlive = 0;
    uint64_t seed = 12345, leaf = 0;
    struct page_table *pt = make(HW_GFX12);
    memset(model, 0xff, sizeof(model));
    for (unsigned op = 0; op < 3000; op++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        unsigned r = (unsigned)(seed >> 33);
        if (nlive == 64 || (nlive && r % 3 == 0)) {
            unsigned i = r / 3 % nlive;
            page_table_unmap(pt, BASE + 4096ull * live[i].at, 4096ull * live[i].n);
            memset(&model[live[i].at], 0xff, 8ull * live[i].n);
            live[i] = live[--nlive];
        } else {
            unsigned at = r % PAGES, n = 1 + (r >> 13) % 1100;
            if (r & 1) at &= ~511u;
            if (at + n > PAGES) n = PAGES - at;
            uint64_t pa = 4096ull * ((r & 2 ? at & 511 : r >> 5) + 512);
            int taken = 0;
            for (unsigned i = 0; i < n; i++)
                taken |= model[at + i] != ~0ull;
            int e = page_table_map(pt, BASE + 4096ull * at, 4096ull * n, pa, NULL, PT_VRAM);
            assert_int_equal(e, taken ? -EEXIST : 0);
            if (!e) {
                for (unsigned i = 0; i < n; i++)
                    model[at + i] = pa + 4096ull * i;
                live[nlive].at = at;
                live[nlive++].n = n;
            }
        }
        assert_int_equal(page_table_commit(pt), 0);
        page_table_reap(pt);
        if (op % 50 == 0)
            for (unsigned i = 0; i < PAGES; i++)
                assert_int_equal(walk(HW_GFX12, BASE + 4096ull * i, &leaf), model[i]);
    }
    while (nlive--)
        page_table_unmap(pt, BASE + 4096ull * live[nlive].at, 4096ull * live[nlive].n);
    page_table_commit(pt);
    page_table_reap(pt);
    assert_int_equal(page_table_count(pt), 1);
    assert_int_equal(vram.live, 0);
    page_table_destroy(pt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries),   cmocka_unit_test(fragments_honest),
        cmocka_unit_test(refusals),  cmocka_unit_test(huge_gigabyte),
        cmocka_unit_test(no_tables), cmocka_unit_test(random_ops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
