/* SPDX-License-Identifier: MIT */
/* Trap handlers, host traps and the counters of waves: what waves do besides running. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/emulator/engine_rig.h"

static const char *target;

enum { CODE = 0x10000, HANDLER = 0x20000, TMA = 0x2000 /* behind RIG_DATA */ };
enum { TRAP_PRESENT = 1 << 6, EXCP_MEMORY = 1 << 14 };

/* Assembled by clang 22. handler: TTMP0, TTMP1 and TRAPSTS (gfx12: EXCP_FLAG_PRIV) to TMA, TTMP8,
 * TTMP9 and TTMP11 to TMA + 16, message 0x1234, end. */
static const uint32_t handler11[] = {
    0xbe804d82, 0xbf89fc07, 0x84808800, 0xb882f803, 0x7e000280, 0x7e02026c, 0x7e04026d, 0x7e060202,
    0xbefe0081, 0xdc720000, 0x00000100, 0x7e020274, 0x7e040275, 0x7e060277, 0xdc720010, 0x00000100,
    0xbc7c0000, 0xbefd00ff, 0x00001234, 0xbf800000, 0xbfb60001, 0xbfb00000};
static const uint32_t handler12[] = {
    0xbe804d82, 0xbfc70000, 0x84808800, 0xb882f811, 0x7e000280, 0x7e02026c, 0x7e04026d, 0x7e060202,
    0xbefe0081, 0xee070000, 0x00800000, 0x00000000, 0x7e020274, 0x7e040275, 0x7e060277, 0xee070000,
    0x00800000, 0x00001000, 0xbfc10000, 0xbefd00ff, 0x00001234, 0xbf800000, 0xbfb60001, 0xbfb00000};
static const uint32_t trap5[] = {0xbf900005, 0xbfb00000};
static const uint32_t illegal[] = {0xbfff0000, 0xbfb00000};
static const uint32_t loop[] = {0xbfa0ffff, 0xbfb00000};
/* wild: stores to 0x3000_0000_0000 */
static const uint32_t wild11[] = {0x7e000280, 0xbe820080, 0xbe8300ff, 0x00003000,
                                  0xdc6a0000, 0x00020000, 0xbfb00000};
static const uint32_t wild12[] = {0x7e000280, 0xbe820080, 0xbe8300ff, 0x00003000,
                                  0xee068002, 0x00000000, 0x00000000, 0xbfb00000};

static void put_reg(struct rig *r, enum hw_reg reg, uint32_t v) {
    gpu_mmio_write(r->g, gpu_reg_dw(r->g, reg), v);
}

static uint32_t reg(struct rig *r, enum hw_reg reg) {
    return gpu_mmio_read(r->g, gpu_reg_dw(r->g, reg));
}

static void open(struct rig *r, const uint32_t *code, size_t bytes) {
    rig_open(r, target, &(struct emu_config){.threads = 1});
    memcpy(r->vram + CODE, code, bytes);
    memcpy(r->vram + HANDLER, r->gfx12 ? handler12 : handler11,
           r->gfx12 ? sizeof handler12 : sizeof handler11);
    uint64_t tba = (RIG_VRAM_VA + HANDLER) >> 8, tma = (RIG_SYS_VA + RIG_DATA + TMA) >> 8;
    put_reg(r, R_GRBM_GFX_CNTL, 0);
    put_reg(r, R_SQ_SHADER_TBA_LO, (uint32_t)tba);
    put_reg(r, R_SQ_SHADER_TBA_HI, (uint32_t)(tba >> 32) | 1u << 31);
    put_reg(r, R_SQ_SHADER_TMA_LO, (uint32_t)tma);
    put_reg(r, R_SQ_SHADER_TMA_HI, (uint32_t)(tma >> 32));
    put_reg(r, R_SPI_GDBG_PER_VMID_CNTL, 1u << 3); /* TRAP_EN */
}
#define OPEN(r, code) open((r), (code), sizeof(code))
#define OPEN2(r, name)                                                                             \
    open((r), strcmp(target, "gfx1100") ? name##12 : name##11,                                     \
         strcmp(target, "gfx1100") ? sizeof name##12 : sizeof name##11)

/* `groups` of 64 work-items; the last argument of the registers is COMPUTE_PERFCOUNT_ENABLE. */
static void launch(struct rig *r, uint32_t rsrc2, uint32_t groups) {
    rig_acquire(r, 0xc3f1);
    rig_program(r, RIG_VRAM_VA + CODE, RIG_SYS_VA + RIG_DATA, r->gfx12 ? 0 : rsrc2);
    RIG_EMIT(r, 0xc0087600, 0x204, 0, 0, 0, 64, 1, 1, 0, 1);
    RIG_EMIT(r, 0xc0031500, groups, 1, 1, 0x8005);
    RIG_EMIT(r, 0xc0004600, 0x407);
    rig_release(r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(r);
}

static void check_record(struct rig *r, uint64_t pc, unsigned id, bool host, uint32_t flags) {
    const uint32_t *t = (const uint32_t *)(const void *)(r->sys + RIG_DATA + TMA);
    uint32_t hi = (uint32_t)(pc >> 32);
    hi |= r->gfx12 ? id << 28 : id << 16 | (uint32_t)host << 24;
    assert_int_equal(t[0], (uint32_t)pc);
    assert_int_equal(t[1], hi);
    assert_int_equal(t[2], flags);
}

/* s_trap leads to the handler, which ends the wave: the dispatch completes like any other. */
static void s_trap(void **state) {
    (void)state;
    struct rig r;
    OPEN(&r, trap5);
    launch(&r, TRAP_PRESENT, 3);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    check_record(&r, RIG_VRAM_VA + CODE, 5, false, 0);
    const uint32_t *t = (const uint32_t *)(const void *)(r.sys + RIG_DATA + TMA);
    if (r.gfx12) { /* x in TTMP9, the wave of the group in TTMP8 */
        assert_int_equal(t[5], 2);
        assert_int_equal(t[4] >> 25 & 31, 1);
    } else { /* x in TTMP8, y in TTMP9, the wave in TTMP11 */
        assert_int_equal(t[4], 2);
        assert_int_equal(t[5], 0);
        assert_int_equal(t[6], 1);
    }
    rig_close(&r, 0, 0);
}

/* gfx11 waves know of a handler only if RSRC2.TRAP_PRESENT says so. */
static void no_trap_present(void **state) {
    (void)state;
    struct rig r;
    OPEN(&r, trap5);
    launch(&r, 0, 1);
    if (r.gfx12) {
        assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    } else {
        assert_false(rig_wait(&r, RIG_SIGNAL, 1, 50));
        assert_true(rig_logged(&r, "trap without a trap handler"));
    }
    rig_close(&r, 0, 0);
}

static void illegal_instruction(void **state) {
    (void)state;
    struct rig r;
    OPEN(&r, illegal);
    launch(&r, TRAP_PRESENT, 1);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    check_record(&r, RIG_VRAM_VA + CODE, 0, false, r.gfx12 ? 1 << 6 : 1 << 11);
    assert_true(rig_logged(&r, "no such instruction"));
    rig_close(&r, 0, 0);
}

/* Memory violations: on gfx11 if they are enabled, on gfx12 always. */
static void memory_violation(void **state) {
    (void)state;
    struct rig r;
    OPEN2(&r, wild);
    launch(&r, TRAP_PRESENT | EXCP_MEMORY, 1);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 2000));
    check_record(&r, RIG_VRAM_VA + CODE + 16, 0, false, r.gfx12 ? 1 << 4 : 1 << 8);
    assert_true(rig_logged(&r, "page fault in hub GC: shader write to 0x300000000000"));
    rig_close(&r, 0, 0);
    OPEN2(&r, wild);
    launch(&r, TRAP_PRESENT, 1);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 50) == r.gfx12);
    rig_close(&r, 0, 0);
}

/* What all shader engines count together. */
static uint64_t sum(struct rig *r, enum hw_reg which) {
    uint64_t n = 0;
    put_reg(r, R_GRBM_GFX_CNTL, 1 << 2); /* MEID 1, pipe 0 */
    for (unsigned se = 0; se < gpu_chip(r->g)->num_se; se++) {
        put_reg(r, R_GRBM_GFX_INDEX, se << 16 | 1u << 29 | 1u << 30);
        n += reg(r, which) & 0x7ff;
    }
    put_reg(r, R_GRBM_GFX_INDEX, 7u << 29);
    put_reg(r, R_GRBM_GFX_CNTL, 0);
    return n;
}

/* A host trap reaches waves that loop for ever; SPI counts them while they do. */
static void host_trap_and_counters(void **state) {
    (void)state;
    struct rig r;
    OPEN(&r, loop);
    enum hw_reg cntl = r.gfx12 ? R_CP_PERFMON_CNTL_1 : R_CP_PERFMON_CNTL;
    put_reg(&r, R_GRBM_GFX_INDEX, 7u << 29);
    put_reg(&r, cntl, CP_PERFMON_STATE_DISABLE_AND_RESET);
    put_reg(&r, R_SPI_PERFCOUNTER0_SELECT, r.gfx12 ? SPI_PERF_CSN_WAVE_soc24 : SPI_PERF_CSN_WAVE);
    put_reg(&r, cntl, CP_PERFMON_STATE_START_COUNTING);
    assert_int_equal(sum(&r, R_SPI_CSQ_WF_ACTIVE_COUNT_0), 0);
    launch(&r, TRAP_PRESENT, 7);
    for (unsigned i = 0; i < 2000 && sum(&r, R_SPI_CSQ_WF_ACTIVE_COUNT_0) < 14; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    assert_int_equal(sum(&r, R_SPI_CSQ_WF_ACTIVE_COUNT_0), 14);
    assert_int_equal(sum(&r, R_SPI_PERFCOUNTER0_LO), 14);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 1));
    put_reg(&r, R_SQ_CMD, SQ_IND_CMD_CMD_TRAP | SQ_IND_CMD_MODE_BROADCAST << 4 | 1 << 7);
    assert_true(rig_wait(&r, RIG_SIGNAL, 1, 5000));
    check_record(&r, RIG_VRAM_VA + CODE, 0, true, r.gfx12 ? 1 << 7 : 1 << 16);
    assert_int_equal(sum(&r, R_SPI_CSQ_WF_ACTIVE_COUNT_0), 0);
    assert_int_equal(sum(&r, R_SPI_PERFCOUNTER0_LO), 14);
    put_reg(&r, cntl, CP_PERFMON_STATE_DISABLE_AND_RESET);
    assert_int_equal(sum(&r, R_SPI_PERFCOUNTER0_LO), 0);
    rig_close(&r, 0, 0);
}

/* What SQ_CMD and the counters cannot do here is said. */
static void not_modelled(void **state) {
    (void)state;
    struct rig r;
    OPEN(&r, trap5);
    put_reg(&r, R_SQ_CMD, 3 | 1 << 4); /* KILL */
    assert_true(rig_logged(&r, "SQ_CMD 0x13"));
    put_reg(&r, R_SPI_PERFCOUNTER0_SELECT, 1);
    assert_true(rig_logged(&r, "SPI_PERFCOUNTER0_SELECT 0x1"));
    rig_acquire(&r, 0xc3f1);
    rig_program(&r, RIG_VRAM_VA + CODE, RIG_SYS_VA + RIG_DATA, 1 << 26); /* division by zero */
    rig_dispatch(&r, 1, 64);
    rig_release(&r, 0x70f514, RIG_SIGNAL, 1);
    rig_ring(&r);
    assert_false(rig_wait(&r, RIG_SIGNAL, 1, 20));
    assert_true(rig_logged(&r, "exceptions of arithmetic"));
    rig_close(&r, 0, 3);
}

int main(int argc, char **argv) {
    target = argc > 1 ? argv[1] : "gfx1100";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s_trap),
        cmocka_unit_test(no_trap_present),
        cmocka_unit_test(illegal_instruction),
        cmocka_unit_test(memory_violation),
        cmocka_unit_test(host_trap_and_counters),
        cmocka_unit_test(not_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
