/* SPDX-License-Identifier: MIT */
/* What BAR0 wrote: the CPU reads it back at once, the chip sees it after the HDP flush and not
 * before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/emulator/gpu_state.h"
#include "tests/emulator/engine_rig.h"

static const char *target;

enum { AT = 0x200000 };

static void put(struct rig *r, uint64_t off, const void *p, size_t n) {
    assert_int_equal(r->bus->ops->bar_write(r->bus, 0, RIG_VRAM_OFF + off, p, n), 0);
}

static void get(struct rig *r, uint64_t off, void *p, size_t n) {
    assert_int_equal(r->bus->ops->bar_read(r->bus, 0, RIG_VRAM_OFF + off, p, n), 0);
}

static void flush(struct rig *r) {
    gpu_mmio_write(r->g, gpu_reg_dw(r->g, R_BIF_BX_PF0_HDP_MEM_COHERENCY_FLUSH_CNTL), 0);
}

/* SDMA: n bytes of VRAM to r->sys + RIG_DATA. */
static void fetch(struct rig *r, uint64_t off, uint32_t n) {
    static uint32_t value;
    uint64_t src = RIG_VRAM_VA + off, dst = RIG_SYS_VA + RIG_DATA;
    RIG_SDMA(r, 1, n - 1, 0, (uint32_t)src, (uint32_t)(src >> 32), (uint32_t)dst,
             (uint32_t)(dst >> 32));
    rig_sdma_fence(r, RIG_SIGNAL, ++value);
    rig_sdma_ring(r);
    assert_true(rig_wait(r, RIG_SIGNAL, value, 5000));
}

static void the_chip_sees_old_bytes(void **state) {
    (void)state;
    struct rig r;
    uint8_t word[16], *seen;
    rig_open(&r, target, NULL);
    seen = r.sys + RIG_DATA;
    memset(r.vram + AT, 0x11, 64);
    put(&r, AT + 3, "abcdefghijk", 11); /* over word boundaries */
    get(&r, AT, word, 16);
    assert_memory_equal(word,
                        "\x11\x11\x11"
                        "abcdefghijk\x11\x11",
                        16);
    fetch(&r, AT, 16);
    assert_memory_equal(seen, "\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11\x11",
                        16);
    assert_true(rig_logged(&r, "SDMA reads VRAM 0x1200000 before the HDP flush"));
    fetch(&r, AT + 16, 16); /* nothing waits here */
    flush(&r);
    fetch(&r, AT, 16);
    assert_memory_equal(seen, word, 16);
    rig_close(&r, 2, 0); /* the translation and the read each say so */
}

/* What the chip writes is newer than what waited there. */
static void the_chip_writes_over_it(void **state) {
    (void)state;
    struct rig r;
    uint8_t b[16];
    rig_open(&r, target, NULL);
    memset(r.vram + AT, 0, 64);
    put(&r, AT, "0123456789abcdef", 16);
    uint64_t dst = RIG_VRAM_VA + AT + 4;
    RIG_SDMA(&r, 0x8000000b, (uint32_t)dst, (uint32_t)(dst >> 32), 0x5a5a5a5a, 3);
    rig_sdma_fence(&r, RIG_SIGNAL + 4, 1);
    rig_sdma_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL + 4, 1, 5000));
    get(&r, AT, b, 16);
    assert_memory_equal(b, "0123ZZZZ89abcdef", 16);
    flush(&r);
    get(&r, AT, b, 16);
    assert_memory_equal(b, "0123ZZZZ89abcdef", 16);
    assert_memory_equal(r.vram + AT, b, 16);
    rig_close(&r, 0, 0);
}

/* More than the buffer holds: nothing is lost, and what was not flushed is still named. */
static void more_than_waits(void **state) {
    (void)state;
    struct rig r;
    enum { BYTES = 20 << 20 };
    uint8_t *p = malloc(BYTES);
    rig_open(&r, target, NULL);
    assert_non_null(p);
    for (uint32_t i = 0; i < BYTES; i++)
        p[i] = (uint8_t)(i * 2654435761u >> 24);
    for (uint32_t at = 0; at < BYTES; at += 1 << 20)
        put(&r, AT + at, p + at, 1 << 20);
    uint8_t *back = malloc(BYTES);
    assert_non_null(back);
    get(&r, AT, back, BYTES);
    assert_memory_equal(back, p, BYTES);
    fetch(&r, AT, 64); /* the oldest has landed */
    assert_memory_equal(r.sys + RIG_DATA, p, 64);
    assert_true(rig_logged(&r, "before the HDP flush"));
    flush(&r);
    assert_memory_equal(r.vram + AT, p, BYTES);
    fetch(&r, AT, 64);
    free(back);
    free(p);
    rig_close(&r, 2, 0); /* the translation and the read each say so */
}

int main(int argc, char **argv) {
    target = argc > 1 ? argv[1] : "gfx1100";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chip_sees_old_bytes),
        cmocka_unit_test(the_chip_writes_over_it),
        cmocka_unit_test(more_than_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
