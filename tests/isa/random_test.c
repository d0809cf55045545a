/* SPDX-License-Identifier: MIT */
/* random_test.c - whatever words are executed, the group ends with a defined result and the process
 * lives. Deterministic; the number of programs is argv[1]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/emulator/isa/decode.h"
#include "tests/isa/fake_gpu.h"

#define CODE_VA    UINT64_C(0x200000001000)
#define DATA_VA    UINT64_C(0x200000100000)
#define SCRATCH_VA UINT64_C(0x200000200000)
enum { PROGRAM_DWORDS = 64, DATA_BYTES = 65536 };

static unsigned programs = 3000;
static uint64_t seed = 0x2545f4914f6cdd1d;

static uint32_t random32(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

/* Random words, most of them of a known encoding so that they get past the decoder. */
static void write_program(const struct isa_tables *t, uint32_t *code) {
    for (unsigned i = 0; i < PROGRAM_DWORDS; i++)
        code[i] = random32();
    for (unsigned i = 0; i < PROGRAM_DWORDS;) {
        const struct isa_op *op = &t->ops[random32() % t->op_count];
        for (unsigned k = 0; k < t->format_count; k++) {
            const struct isa_format_row *row = &t->formats[k];
            if (row->format != op->format) continue;
            uint32_t mask = row->mask | ((1u << row->op_width) - 1) << row->op_lo;
            code[i] = (code[i] & ~mask) | row->value | (uint32_t)op->opcode << row->op_lo;
            i += row->dwords;
            break;
        }
    }
}

static void run_arch(enum isa_arch arch, unsigned wave_size) {
    struct fake_gpu f;
    fake_gpu_init(&f);
    uint32_t *code = (uint32_t *)fake_gpu_map(&f, CODE_VA, 4096);
    assert_non_null(code);
    assert_non_null(fake_gpu_map(&f, DATA_VA, DATA_BYTES));
    assert_non_null(fake_gpu_map(&f, SCRATCH_VA, 1 << 20));
    struct isa_dispatch d = {
        .arch = arch,
        .host = &f.host,
        .entry_va = CODE_VA,
        .wave_size = wave_size,
        .pgm_rsrc1 = 0x1f | random32() << 12,
        .pgm_rsrc2 = 2 << 1,
        .user_data = {(uint32_t)DATA_VA, DATA_VA >> 32},
        .group_size = {wave_size * 2, 1, 1},
        .lds_bytes = 1024,
        .scratch_base_va = SCRATCH_VA,
        .scratch_wave_bytes = 64 * 256,
        .shared_aperture = UINT64_C(1) << 48,
        .private_aperture = UINT64_C(2) << 48,
    };
    struct isa_group *g = isa_group_create(&d);
    assert_non_null(g);
    unsigned ends[ISA_STOPPED + 1] = {0};
    for (unsigned n = 0; n < programs; n++) {
        write_program(isa_tables_of(arch), code);
        isa_invalidate_code();
        struct isa_group_start s = {.id = {n, 0, 0},
                                    .size = {wave_size + random32() % wave_size, 1, 1}};
        isa_group_start(g, &s);
        enum isa_end end = isa_group_run(g, 2000);
        assert_true(end <= ISA_STOPPED);
        ends[end]++;
        struct isa_report r;
        isa_group_report(g, &r);
        if (end == ISA_FAULT || end == ISA_ILLEGAL || end == ISA_TRAP)
            assert_true(r.text[0] != 0 && memchr(r.text, 0, sizeof r.text) != NULL);
    }
    print_message("done %u, yield %u, fault %u, illegal %u, trap %u\n", ends[ISA_DONE],
                  ends[ISA_YIELD], ends[ISA_FAULT], ends[ISA_ILLEGAL], ends[ISA_TRAP]);
    assert_true(ends[ISA_FAULT] > 0 && ends[ISA_ILLEGAL] > 0);
    isa_group_destroy(g);
    fake_gpu_fini(&f);
}

static void test_random(void **state) {
    (void)state;
    for (unsigned arch = 0; arch < ISA_ARCH_COUNT; arch++)
        for (unsigned wave = 32; wave <= 64; wave *= 2)
            run_arch((enum isa_arch)arch, wave);
}

int main(int argc, char **argv) {
    if (argc > 1) programs = (unsigned)strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
