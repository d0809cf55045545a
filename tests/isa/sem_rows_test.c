/* SPDX-License-Identifier: MIT */
/* sem_rows_test.c - the table of vector instructions: sorted, found by name, and complete: every
 * vector ALU mnemonic of the decode tables has a row or is one of those that move data between
 * lanes or registers, which the interpreter does itself. Prints the counts. argv[1]: the folder of
 * tables. */
#include <stdlib.h>

#include "tests/isa/sem_test.h"

static const char *tables = ".";

static void sorted(void **state) {
    (void)state;
    for (unsigned i = 1; i < sem_valu_row_count_base; i++)
        if (strcmp(sem_valu_rows_base[i - 1].name, sem_valu_rows_base[i].name) >= 0)
            fail_msg("%s is out of order", sem_valu_rows_base[i].name);
    for (unsigned i = 0; i < sem_valu_row_count_base; i++)
        assert_ptr_equal(sem_find_valu_base(sem_valu_rows_base[i].name), &sem_valu_rows_base[i]);
    assert_null(sem_find_valu_base("V_NO_SUCH"));
    assert_null(sem_find_valu_base(""));
}

static bool lane_crossing(const char *name) {
    static const char *const names[] = {"V_READFIRSTLANE_B32",  "V_READLANE_B32",
                                        "V_WRITELANE_B32",      "V_PERMLANE16_B32",
                                        "V_PERMLANEX16_B32",    "V_PERMLANE64_B32",
                                        "V_PERMLANE16_VAR_B32", "V_PERMLANEX16_VAR_B32",
                                        "V_MBCNT_LO_U32_B32",   "V_MBCNT_HI_U32_B32",
                                        "V_SWAP_B32",           "V_SWAP_B16",
                                        "V_SWAPREL_B32",        "V_MOVRELD_B32",
                                        "V_MOVRELS_B32",        "V_MOVRELSD_B32",
                                        "V_MOVRELSD_2_B32"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

static void base_name(char *name) {
    size_t n = strlen(name);
    if (n > 4 && (!strcmp(name + n - 4, "_E32") || !strcmp(name + n - 4, "_E64"))) name[n - 4] = 0;
    if (!strncmp(name, "V_DUAL_", 7)) memmove(name + 2, name + 7, strlen(name + 7) + 1);
}

static void coverage_of(const char *arch, const char *file, bool gfx12) {
    static const char *const spaces[] = {"VOP1", "VOP2", "VOP3", "VOP3P", "VOP3SD", "VOPC", "VOPD"};
    unsigned have[7] = {0}, all[7] = {0}, core = 0, missing = 0;
    char path[1024], line[2048];
    snprintf(path, sizeof path, "%s/%s", tables, file);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot open %s", path);
    while (fgets(line, sizeof line, f)) {
        char space[32], name[64], own[80];
        if (sscanf(line, "%31[^,],%*[^,],%63[^,],", space, name) != 2) continue;
        base_name(name);
        for (unsigned i = 0; i < 7; i++) {
            if (strcmp(space, spaces[i])) continue;
            all[i]++;
            snprintf(own, sizeof own, "%s_GFX12", name);
            if (lane_crossing(name))
                core++, have[i]++;
            else if (sem_find_valu_base(name) || (gfx12 && sem_find_valu_base(own)))
                have[i]++;
            else
                missing++, printf("%s: %s %s has no semantics\n", arch, space, name);
        }
    }
    fclose(f);
    printf("%s:", arch);
    for (unsigned i = 0; i < 7; i++) {
        printf(" %s %u/%u", spaces[i], have[i], all[i]);
        assert_true(all[i] > 0);
    }
    printf(" (%u of them lane-crossing: the interpreter's)\n", core);
    assert_int_equal(missing, 0);
}

static void coverage(void **state) {
    (void)state;
    coverage_of("gfx1100", "rdna3_ops.csv", false);
    coverage_of("gfx1201", "rdna4_ops.csv", true);
}

/* All builds carry the same rows. */
static void builds_agree(void **state) {
    (void)state;
    for (unsigned build = 1; build < sem_builds(); build++)
        for (unsigned i = 0; i < sem_valu_row_count_base; i++) {
            const struct sem_vrow *x = &sem_valu_rows_base[i], *y = sem_row(build, x->name);
            assert_int_equal(x->flags, y->flags);
            assert_int_equal(x->dst, y->dst);
        }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted),
        cmocka_unit_test(coverage),
        cmocka_unit_test(builds_agree),
    };
    if (argc > 1) tables = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
