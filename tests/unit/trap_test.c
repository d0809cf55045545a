/* SPDX-License-Identifier: MIT */
/* The words of the trap handlers are what their source assembles to. Arguments: for each generation
 * the assembled .text as a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "driver/trap.h"

static const char *file[2];

static void same_words(enum hw_gen gen) {
    uint8_t text[TRAP_CODE_BYTES + 1];
    size_t bytes, n;
    const uint32_t *code = trap_code(gen, &bytes);
    FILE *f = fopen(file[gen], "rb");
    assert_non_null(f);
    n = fread(text, 1, sizeof(text), f);
    fclose(f);
    assert_int_equal(n, bytes);
    assert_memory_equal(text, code, bytes);
    assert_int_equal(code[bytes / 4 - 1], 0xbfb00000); /* s_endpgm: SOPP opcode 48 */
}

static void gfx11(void **state) {
    (void)state;
    same_words(HW_GFX11);
}

static void gfx12(void **state) {
    (void)state;
    same_words(HW_GFX12);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    file[HW_GFX11] = argv[1];
    file[HW_GFX12] = argv[2];
    const struct CMUnitTest tests[] = {cmocka_unit_test(gfx11), cmocka_unit_test(gfx12)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
