/* SPDX-License-Identifier: MIT */
/* The range allocator against a simple model: an array of the ranges that are out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "driver/heap.h"

#define MAX_LIVE 512

static uint64_t rng_state = 0x9e3779b97f4a7c15ull;

static uint64_t rng(void) {
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

struct live {
    struct heap_block *b;
    uint64_t size, align;
};

/* One block against the model: inside the heap, aligned, large enough, apart from all others. */
static void check_block(const struct live *all, size_t n, const struct live *l, uint64_t base,
                        uint64_t end) {
    assert_true(l->b->base >= base && l->b->base + l->b->size <= end);
    assert_true(l->b->size >= l->size);
    assert_int_equal(l->b->base & (l->align - 1), 0);
    for (size_t i = 0; i < n; i++) {
        const struct heap_block *o = all[i].b;
        if (o == l->b) continue;
        assert_true(l->b->base >= o->base + o->size || o->base >= l->b->base + l->b->size);
    }
}

/* The model's opinion: is there an aligned gap of this size? */
static int model_fits(const struct live *all, size_t n, uint64_t base, uint64_t end, uint64_t size,
                      uint64_t align) {
    uint64_t at = base;
    for (;;) {
        uint64_t a = (at + align - 1) & ~(align - 1), limit = end;
        const struct heap_block *hit = NULL;
        for (size_t i = 0; i < n; i++)
            if (all[i].b->base >= at && all[i].b->base < limit) {
                limit = all[i].b->base;
                hit = all[i].b;
            }
        if (a + size <= limit) return 1;
        if (!hit) return 0;
        at = hit->base + hit->size;
    }
}

static void random_ops(uint64_t base, uint64_t size, uint64_t max_size, unsigned ops) {
    static struct live all[MAX_LIVE];
    size_t n = 0;
    uint64_t used = 0, refused = 0;
    struct heap *h = heap_create(base, size, 4096);
    assert_non_null(h);
    for (unsigned op = 0; op < ops; op++) {
        if (n && (rng() % 100 < 45 || n == MAX_LIVE)) {
            size_t i = rng() % n;
            used -= all[i].b->size;
            heap_free(h, all[i].b);
            all[i] = all[--n];
        } else {
            struct live l = {0};
            l.size = 1 + rng() % (rng() % 8 ? max_size / 16 : max_size);
            l.align = 4096ull << (rng() % 10 ? 0 : rng() % 10);
            int r = heap_alloc(h, l.size, l.align, &l.b);
            if (r) {
                assert_int_equal(r, -ENOSPC);
                assert_null(l.b);
                uint64_t whole = (l.size + 4095) & ~4095ull;
                if (refused++ % 8 == 0)
                    assert_false(model_fits(all, n, base, base + size, whole, l.align));
            } else {
                all[n++] = l;
                used += l.b->size;
                if (op % 16 == 0) check_block(all, n, &l, base, base + size);
            }
        }
        assert_int_equal(heap_free_bytes(h), size - used);
        if (op % 1024 == 0) assert_int_equal(heap_check(h), 0);
    }
    assert_true(refused > 0);
    while (n)
        heap_free(h, all[--n].b);
    assert_int_equal(heap_check(h), 0);
    assert_int_equal(heap_free_bytes(h), size);
    assert_int_equal(heap_largest_free(h), size);
    heap_destroy(h);
}

static void against_model(void **state) {
    (void)state;
    random_ops(32u << 20, 256ull << 20, 16ull << 20, 150000);
}

static void against_model_large(void **state) {
    (void)state;
    random_ops(0x200000000000ull, 16ull << 40, 4ull << 40, 50000);
}

static void arguments(void **state) {
    (void)state;
    assert_null(heap_create(0, 4095, 4096));
    assert_null(heap_create(0, 1 << 20, 4097));
    assert_null(heap_create(UINT64_MAX - 4096, 1 << 20, 4096));
    struct heap *h = heap_create(100, 1 << 20, 4096);
    struct heap_block *b;
    assert_int_equal(heap_alloc(h, 0, 0, &b), -EINVAL);
    assert_int_equal(heap_alloc(h, 1, 3, &b), -EINVAL);
    assert_int_equal(heap_alloc(h, UINT64_MAX, 0, &b), -ENOSPC);
    assert_int_equal(heap_alloc(h, 4096, 1ull << 63, &b), -ENOSPC);
    assert_int_equal(heap_alloc(h, 1, 0, &b), 0);
    assert_int_equal(b->base, 4096);
    assert_int_equal(b->size, 4096);
    heap_free(h, b);
    heap_free(h, NULL);
    heap_destroy(h);
    heap_destroy(NULL);
}

/* An exact fit is found although its class is entered in the middle. */
static void exact_fit(void **state) {
    (void)state;
    uint64_t size = 4096 * 1037;
    struct heap *h = heap_create(0, size, 4096);
    struct heap_block *b;
    assert_int_equal(heap_alloc(h, size, 0, &b), 0);
    assert_int_equal(heap_free_bytes(h), 0);
    assert_int_equal(heap_largest_free(h), 0);
    heap_free(h, b);
    heap_destroy(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_model),
        cmocka_unit_test(against_model_large),
        cmocka_unit_test(arguments),
        cmocka_unit_test(exact_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
