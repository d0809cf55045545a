/* SPDX-License-Identifier: MIT */
/* A driver that has lost its mind: nothing it does may bring the process down, and a reset must
 * always bring the chip back. */
#include "tests/emulator/mini.h"

#include <string.h>

static uint64_t seed;

static uint32_t rnd(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33);
}

/* Values that are likely to mean something: small, single bits, addresses, anything. */
static uint32_t value(void) {
    switch (rnd() % 5) {
    case 0:
        return rnd() % 16;
    case 1:
        return 1u << rnd() % 32;
    case 2:
        return (uint32_t)(MINI_MC >> (rnd() % 2 ? 32 : 12));
    case 3:
        return 0;
    default:
        return rnd() * 2 + rnd() % 2;
    }
}

static void random_access(struct mini *m) {
    uint8_t buf[64];
    uint32_t r = rnd(), v;
    for (size_t i = 0; i < sizeof buf; i++)
        buf[i] = (uint8_t)(rnd() % 3 ? 0 : rnd());
    switch (r % 16) {
    case 0:
        m->b->ops->bar_write(m->b, 0, rnd() % m->vram, buf, rnd() % 64 + 1);
        break;
    case 1:
        m->b->ops->bar_write(m->b, 2, rnd() % 0x1000 & ~7u, buf, 8);
        break;
    case 2:
        m->b->ops->cfg_write(m->b, rnd() % 1024 * 4, 4, value());
        break;
    case 3:
        m->b->ops->bar_write(m->b, (int)(rnd() % 8), rnd(), buf, rnd() % 64);
        break;
    case 4:
        m->b->ops->bar_read(m->b, (int)(rnd() % 8), rnd(), buf, rnd() % 64);
        break;
    case 5:
        m->b->ops->delay(m->b, rnd() % 1000);
        break;
    case 6:
    case 7:
    case 8:
        bus_rd32(m->b, 5, rnd() % (1u << 20) & ~3u, &v);
        break;
    default: { /* a register that exists */
        enum hw_reg reg = (enum hw_reg)(rnd() % HW_REG_COUNT);
        uint32_t dw = gpu_reg_dw(m->g, reg);
        if (dw < 1u << 18) bus_wr32(m->b, 5, dw * 4ull, value());
        break;
    }
    }
}

static void run(const char *target, uint64_t s, bool booted) {
    struct mini m;
    seed = s;
    mini_open(&m, target);
    if (booted) {
        mini_psp_boot(&m);
        mini_bus_master(&m, true);
        mini_hubs(&m);
    }
    for (int i = 0; i < 20000; i++)
        random_access(&m);
    assert_int_equal(m.b->ops->reset(m.b), 0);
    m.b->ops->cfg_write(m.b, 4, 2, 2);
    m.b->ops->bar_resize(m.b, 0);
    mini_errors(&m);
    m.first[0] = 0;
    mini_psp_boot(&m);
    mini_close(&m);
}

static void cold(void **state) {
    (void)state;
    for (uint64_t s = 1; s <= 4; s++)
        run(s % 2 ? "gfx1100" : "gfx1201", s, false);
}

static void booted(void **state) {
    (void)state;
    for (uint64_t s = 11; s <= 16; s++)
        run(s % 2 ? "gfx1100" : "gfx1201", s, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cold), cmocka_unit_test(booted)};
    return cmocka_run_group_tests_name("emulator random", tests, NULL, NULL);
}
