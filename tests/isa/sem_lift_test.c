/* SPDX-License-Identifier: MIT */
/* sem_lift_test.c - the semantics as the lifter compiles them (SEM_LIFT: MODE fixed, no branches)
 * against the interpreter's build, row by row, in the MODE that they share. A NaN may differ in
 * sign and payload, where two NaNs or none went in. */
#include "tests/isa/sem_test.h"

const struct sem_vrow *sem_find_valu_lift(const char *name);

static bool same32(uint32_t a, uint32_t b) {
    return a == b || ((a & INT32_MAX) > 0x7f800000 && (b & INT32_MAX) > 0x7f800000);
}
static bool same16(uint32_t a, uint32_t b) {
    return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00);
}

static bool same(const struct sem_call *x, const struct sem_call *y, unsigned lane) {
    uint64_t p = sem_get64((uint32_t(*)[LANES])x->d, lane),
             q = sem_get64((uint32_t(*)[LANES])y->d, lane);
    switch (x->row->dst) {
    case SEM_F32:
        return same32((uint32_t)p, (uint32_t)q);
    case SEM_F16:
        return same16((uint32_t)p & 0xffff, (uint32_t)q & 0xffff);
    case SEM_BF16:
        return same32((uint32_t)p << 16, (uint32_t)q << 16);
    case SEM_PKF16:
        return same16((uint32_t)p & 0xffff, (uint32_t)q & 0xffff) &&
               same16((uint32_t)p >> 16, (uint32_t)q >> 16);
    case SEM_F64:
        return p == q ||
               ((p & INT64_MAX) > 0x7ff0000000000000 && (q & INT64_MAX) > 0x7ff0000000000000);
    default:
        return p == q;
    }
}

static void fill(struct sem_call *s, unsigned n) {
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t(*ops[3])[LANES] = {s->a, s->b, s->c};
        for (unsigned k = 0; k < 3; k++) {
            if (n & 1)
                sem_set64(ops[k], i, sem_pick64());
            else
                sem_set64(ops[k], i, sem_pick32() | (uint64_t)sem_pick32() << 32);
            if (n & 2 && k)
                ops[k][0][i] = (ops[k][0][i] & 0x83ffffff) | (ops[0][0][i] & 0x7c000000);
        }
    }
    s->e.mask_in = (uint32_t)sem_random();
}

static void rows_agree(void **state) {
    (void)state;
    struct sem_call x, y;
    for (unsigned r = 0; r < sem_valu_row_count_base; r++) {
        const char *name = sem_valu_rows_base[r].name;
        /* Exact only for what a division feeds it: sem_float_test's sequences. */
        if (!strncmp(name, "V_DIV_FMAS", 10)) continue;
        /* Matrices are called, not cloned. */
        if (strstr(name, "WMMA") || strstr(name, "SWMMAC")) continue;
        sem_call_init(&x, 0, name);
        for (unsigned n = 0; n < 100; n++) {
            fill(&x, n);
            x.e.op_sel = sem_random() & 15;
            x.e.op_sel_hi = sem_random() & 7;
            x.e.neg = sem_random() & 7;
            x.e.neg_hi = sem_random() & 7;
            y = x;
            y.row = sem_find_valu_lift(name);
            assert_non_null(y.row);
            sem_run(&x);
            sem_run(&y);
            if (x.e.mask_out != y.e.mask_out)
                fail_msg("%s: mask %08x, interpreter %08x", name, y.e.mask_out, x.e.mask_out);
            for (unsigned i = 0; i < LANES; i++)
                if (!same(&x, &y, i))
                    fail_msg("%s(%lx, %lx, %lx): %lx, interpreter %lx", name, sem_get64(x.a, i),
                             sem_get64(x.b, i), sem_get64(x.c, i), sem_get64(y.d, i),
                             sem_get64(x.d, i));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
