/* SPDX-License-Identifier: MIT */
/* Memory, copies and fills on a booted device, against plain memcpy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/submit_common.h"

static void alloc_and_free(void **state) {
    struct rig *g = *state;
    struct am_mem *m[64];
    uint64_t before = am_vram_free_bytes(g->dev);
    for (unsigned i = 0; i < 64; i++) {
        enum am_mem_kind kind = i % 2 ? AM_MEM_VRAM : AM_MEM_SYSTEM;
        uint64_t size = 1 + rig_random() % (i % 8 == 1 ? 8u << 20 : 100000);
        uint64_t align = 4096u << rig_random() % 8;
        assert_int_equal(am_alloc(g->dev, size, align, kind, "test", &m[i]), 0);
        assert_true(m[i]->size >= size && m[i]->size % 4096 == 0);
        assert_int_equal(m[i]->va & (align - 1), 0);
        for (unsigned k = 0; k < i; k++)
            assert_true(m[k]->va + m[k]->size < m[i]->va || m[i]->va + m[i]->size < m[k]->va);
        if (kind == AM_MEM_VRAM) {
            assert_null(m[i]->cpu);
        } else {
            assert_non_null(m[i]->cpu);
            for (uint64_t b = 0; b < size; b++)
                assert_int_equal(((uint8_t *)m[i]->cpu)[b], 0);
            memset(m[i]->cpu, 0xaa, size);
        }
    }
    for (unsigned i = 0; i < 64; i++)
        am_free(g->dev, m[(i * 37) % 64]);
    assert_int_equal(am_vram_free_bytes(g->dev), before);
}

static void out_of_memory(void **state) {
    struct rig *g = *state;
    struct am_mem *m, *all[256];
    unsigned n = 0;
    uint64_t before = am_vram_free_bytes(g->dev);
    assert_int_equal(am_alloc(g->dev, 0, 0, AM_MEM_VRAM, "x", &m), -EINVAL);
    assert_int_equal(am_alloc(g->dev, 1, 3, AM_MEM_VRAM, "x", &m), -EINVAL);
    assert_int_equal(am_alloc(g->dev, UINT64_MAX, 0, AM_MEM_VRAM, "x", &m), -ENOSPC);
    assert_int_equal(am_alloc(g->dev, 1ull << 43, 0, AM_MEM_VRAM, "x", &m), -ENOSPC);
    assert_int_equal(am_alloc(g->dev, before + 4096, 0, AM_MEM_VRAM, "x", &m), -ENOSPC);
    assert_null(m);
    assert_int_equal(am_vram_free_bytes(g->dev), before);
    uint64_t part = before / 20 & ~4095ull;
    while (n < 256 && am_alloc(g->dev, part, 0, AM_MEM_VRAM, "part", &all[n]) == 0)
        n++;
    assert_in_range(n, 17, 20);
    while (n)
        am_free(g->dev, all[--n]);
    assert_int_equal(am_vram_free_bytes(g->dev), before);
}

/* Odd sizes and places, in by SDMA, across VRAM, out again; bytes around stay as they were. */
static void copies(void **state) {
    struct rig *g = *state;
    enum { N = 1 << 18 };
    struct am_mem *in = rig_alloc(g, N, AM_MEM_SYSTEM, "in");
    struct am_mem *out = rig_alloc(g, N, AM_MEM_SYSTEM, "out");
    struct am_mem *a = rig_alloc(g, N, AM_MEM_VRAM, "a"), *b = rig_alloc(g, N, AM_MEM_VRAM, "b");
    uint8_t *want = malloc(N);
    for (unsigned i = 0; i < N; i++)
        ((uint8_t *)in->cpu)[i] = (uint8_t)rig_random();
    for (unsigned round = 0; round < 60; round++) {
        uint64_t size = round < 20 ? 1 + round : 1 + rig_random() % (N / 2);
        uint64_t from = rig_random() % (N - size), mid = rig_random() % (N - size),
                 to = rig_random() % (N - size);
        struct am_fence f[3];
        memset(out->cpu, 0x55, N);
        memset(want, 0x55, N);
        memcpy(want + to, (uint8_t *)in->cpu + from, size);
        assert_int_equal(am_submit_copy(g->dev, NULL, 0, a->va + mid, in->va + from, size, &f[0]),
                         0);
        assert_int_equal(am_submit_copy(g->dev, &f[0], 1, b->va + to, a->va + mid, size, &f[1]), 0);
        assert_int_equal(am_submit_copy(g->dev, &f[1], 1, out->va + to, b->va + to, size, &f[2]),
                         0);
        rig_wait(g, f[2]);
        assert_memory_equal(out->cpu, want, N);
    }
    struct am_fence none;
    assert_int_equal(am_submit_copy(g->dev, NULL, 0, a->va, b->va, 0, &none), 0);
    rig_wait(g, none);
    assert_int_equal(am_submit_copy(g->dev, NULL, 0, UINT64_MAX - 5, b->va, 10, &none), -EINVAL);
    free(want);
    am_free(g->dev, in);
    am_free(g->dev, out);
    am_free(g->dev, a);
    am_free(g->dev, b);
}

static void rect_copy(uint8_t *dst, const struct am_rect *d, const uint8_t *src,
                      const struct am_rect *s, const uint64_t n[3]) {
    for (uint64_t z = 0; z < n[2]; z++)
        for (uint64_t y = 0; y < n[1]; y++)
            memcpy(dst + d->base + y * d->row_pitch + z * d->slice_pitch,
                   src + s->base + y * s->row_pitch + z * s->slice_pitch, n[0]);
}

static void rectangles(void **state) {
    struct rig *g = *state;
    enum { N = 1 << 20 };
    struct am_mem *in = rig_alloc(g, N, AM_MEM_SYSTEM, "in");
    struct am_mem *out = rig_alloc(g, N, AM_MEM_SYSTEM, "out");
    struct am_mem *v = rig_alloc(g, N, AM_MEM_VRAM, "v");
    uint8_t *want = malloc(N), *mid = malloc(N);
    for (unsigned i = 0; i < N; i++)
        ((uint8_t *)in->cpu)[i] = (uint8_t)rig_random();
    for (unsigned round = 0; round < 30; round++) {
        uint64_t n[3] = {1 + rig_random() % 200, 1 + rig_random() % 20, 1 + rig_random() % 8};
        struct am_rect r[3];
        for (unsigned i = 0; i < 3; i++) {
            r[i].row_pitch = n[0] + (round % 3 ? rig_random() % 50 : 0);
            r[i].slice_pitch = r[i].row_pitch * n[1] + (round % 3 ? rig_random() % 100 : 0);
            r[i].base = rig_random() % 1000;
        }
        struct am_fence f[3];
        memset(out->cpu, 0, N);
        memset(want, 0, N);
        rect_copy(mid, &r[1], in->cpu, &r[0], n);
        rect_copy(want, &r[2], mid, &r[1], n);
        struct am_rect d0 = r[1], s0 = r[0], d1 = r[2], s1 = r[1];
        d0.base += v->va;
        s0.base += in->va;
        d1.base += out->va;
        s1.base += v->va;
        assert_int_equal(am_submit_copy_rect(g->dev, NULL, 0, &d0, &s0, n, &f[0]), 0);
        assert_int_equal(am_submit_copy_rect(g->dev, &f[0], 1, &d1, &s1, n, &f[1]), 0);
        rig_wait(g, f[1]);
        assert_memory_equal(out->cpu, want, N);
    }
    /* more rows than the ring holds */
    uint64_t n[3] = {3, 100000, 1};
    struct am_rect s = {in->va, 5, 0}, d = {v->va, 4, 0}, o = {out->va, 6, 0};
    struct am_fence f[2];
    memset(out->cpu, 0, N);
    assert_int_equal(am_submit_copy_rect(g->dev, NULL, 0, &d, &s, n, &f[0]), 0);
    s = d;
    assert_int_equal(am_submit_copy_rect(g->dev, &f[0], 1, &o, &s, n, &f[1]), 0);
    rig_wait(g, f[1]);
    for (unsigned i = 0; i < 100000; i++)
        assert_memory_equal((uint8_t *)out->cpu + 6 * i, (uint8_t *)in->cpu + 5 * i, 3);
    n[1] = 0;
    assert_int_equal(am_submit_copy_rect(g->dev, NULL, 0, &d, &s, n, &f[0]), -EINVAL);
    n[1] = UINT64_MAX / 2;
    assert_int_equal(am_submit_copy_rect(g->dev, NULL, 0, &d, &s, n, &f[0]), -EINVAL);
    free(want);
    free(mid);
    am_free(g->dev, in);
    am_free(g->dev, out);
    am_free(g->dev, v);
}

/* Boxes beyond what one packet holds, and beside what it can say: in elements of every size. */
static void windows(void **state) {
    struct rig *g = *state;
    enum { N = 4 << 20 };
    static const struct {
        uint64_t width, rows, slices, src_pitch, dst_pitch, src_slice, dst_slice;
        unsigned src_off, dst_off;
    } t[] = {
        {3, 100000, 1, 8, 12, 0, 0, 1, 2},              /* more rows than a packet */
        {70000, 5, 1, 70004, 70400, 0, 0, 0, 4},        /* wider than a packet of dwords */
        {140001, 3, 1, 140004, 140008, 0, 0, 3, 1},     /* ... of bytes */
        {16, 4, 9000, 64, 32, 260, 128, 0, 0},          /* more slices */
        {1048576, 3, 1, 1048592, 1048576, 0, 0, 0, 16}, /* pitches of 16-byte elements */
        {1000, 2, 1, 1000004, 600008, 0, 0, 0, 0},      /* pitches too large for dwords */
        {5, 300, 1, 7, 8, 0, 0, 0, 0},                  /* a pitch that is no multiple of 4 */
        {8, 1, 300, 0, 0, 24, 16, 4, 4},                /* one row in each slice */
        {8, 1, 300, 0, 0, 26, 16, 4, 4},
        {2, 2, 2, 4, 8, 100, 200, 1, 3},
    };
    struct am_mem *in = rig_alloc(g, N, AM_MEM_SYSTEM, "in");
    struct am_mem *out = rig_alloc(g, N, AM_MEM_SYSTEM, "out");
    uint8_t *want = malloc(N);
    for (unsigned i = 0; i < N / 8; i++)
        ((uint64_t *)in->cpu)[i] = rig_random();
    for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        const uint64_t n[3] = {t[i].width, t[i].rows, t[i].slices};
        struct am_rect s = {t[i].src_off, t[i].src_pitch, t[i].src_slice};
        struct am_rect d = {t[i].dst_off, t[i].dst_pitch, t[i].dst_slice};
        struct am_fence f;
        memset(out->cpu, 0x33, N);
        memset(want, 0x33, N);
        rect_copy(want, &d, in->cpu, &s, n);
        s.base += in->va;
        d.base += out->va;
        assert_int_equal(am_submit_copy_rect(g->dev, NULL, 0, &d, &s, n, &f), 0);
        rig_wait(g, f);
        if (memcmp(out->cpu, want, N)) fail_msg("box %u differs", i);
    }
    free(want);
    am_free(g->dev, in);
    am_free(g->dev, out);
}

static void fills(void **state) {
    struct rig *g = *state;
    enum { N = 1 << 20 };
    struct am_mem *out = rig_alloc(g, N, AM_MEM_SYSTEM, "out");
    struct am_mem *v = rig_alloc(g, N, AM_MEM_VRAM, "v");
    uint8_t *want = malloc(N), pattern[128];
    struct am_fence f[4];
    for (size_t p = 1; p <= 128; p *= 2)
        for (unsigned round = 0; round < 5; round++) {
            uint64_t reps = round < 2 ? 1 + rig_random() % 100 : 1 + rig_random() % (N / p / 2);
            uint64_t size = reps * p, at = rig_random() % (N - size) / p * p;
            if (round == 4) at += 3; /* no alignment at all */
            if (round == 4 && size > 8) size -= 3;
            if (at + size > N) size = N - at;
            for (size_t i = 0; i < p; i++)
                pattern[i] = (uint8_t)rig_random();
            memset(want, 0x77, N);
            for (uint64_t i = 0; i < size; i++)
                want[at + i] = pattern[i % p];
            uint8_t back = 0x77;
            assert_int_equal(am_submit_fill(g->dev, NULL, 0, v->va, &back, 1, N, &f[0]), 0);
            assert_int_equal(am_submit_fill(g->dev, &f[0], 1, v->va + at, pattern, p, size, &f[1]),
                             0);
            assert_int_equal(am_submit_copy(g->dev, &f[1], 1, out->va, v->va, N, &f[2]), 0);
            rig_wait(g, f[2]);
            assert_memory_equal(out->cpu, want, N);
        }
    assert_int_equal(am_submit_fill(g->dev, NULL, 0, v->va, pattern, 3, 12, &f[0]), -EINVAL);
    assert_int_equal(am_submit_fill(g->dev, NULL, 0, v->va, pattern, 256, 256, &f[0]), -EINVAL);
    free(want);
    am_free(g->dev, out);
    am_free(g->dev, v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alloc_and_free), cmocka_unit_test(out_of_memory),
        cmocka_unit_test(copies),         cmocka_unit_test(rectangles),
        cmocka_unit_test(fills),          cmocka_unit_test(windows),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
