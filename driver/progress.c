/* SPDX-License-Identifier: MIT */
/* progress.c - signs of life of the two engines, for the watchdog (wait.c). A kernel may run for as
 * long as it likes while its waves come and go; so may a copy while packets are consumed.
 *
 * Compute: SPI's performance counter 0 counts the waves that it launches (SPI_PERF_CSN_WAVE of
 * linux soc21_enum.h / soc24_enum.h, the event that rocprofiler shows as SPI_CSN_WAVE), one counter
 * for each shader engine; SPI_CSQ_WF_ACTIVE_COUNT_0 says how many of our queue's run (linux
 * kgd_gfx_v9_get_cu_occupancy), which still changes when the last ones have been launched;
 * CP_HQD_PQ_RPTR moves with each packet. SDMA: its ring's read pointer.
 */
#include "driver/chip.h"
#include "driver/queues.h"

static void select_engine(struct am_device *d, uint32_t se) {
    reg_wr(d, R_GRBM_GFX_INDEX,
           reg_fv(d, F_GRBM_GFX_INDEX__SE_INDEX, se) |
               reg_fv(d, F_GRBM_GFX_INDEX__SA_BROADCAST_WRITES, 1) |
               reg_fv(d, F_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES, 1));
}

static void select_all(struct am_device *d) {
    reg_wr(d, R_GRBM_GFX_INDEX,
           reg_fv(d, F_GRBM_GFX_INDEX__SE_BROADCAST_WRITES, 1) |
               reg_fv(d, F_GRBM_GFX_INDEX__SA_BROADCAST_WRITES, 1) |
               reg_fv(d, F_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES, 1));
}

void progress_start(struct am_device *d) {
    enum hw_field state = d->chip->perfmon_state;
    enum hw_reg cntl = hw_fields[state].reg;
    reg_wr(d, cntl, reg_fv(d, state, CP_PERFMON_STATE_DISABLE_AND_RESET));
    select_all(d);
    reg_wr(d, R_SPI_PERFCOUNTER0_SELECT,
           reg_fv(d, F_SPI_PERFCOUNTER0_SELECT__PERF_SEL, d->chip->spi_event_waves));
    reg_wr(d, cntl, reg_fv(d, state, CP_PERFMON_STATE_START_COUNTING));
}

static uint64_t mix(uint64_t sum, uint32_t v) {
    return (sum ^ v) * 0x100000001b3ull; /* FNV-1a */
}

uint64_t progress_sign(struct am_device *d, enum am_ring ring) {
    uint64_t sum = 0xcbf29ce484222325ull;
    if (ring == AM_RING_SDMA) return mix(sum, reg_rd(d, R_SDMA0_QUEUE0_RB_RPTR));
    enum { MEC_ME = 1 };
    uint32_t sample = reg_fv(d, d->chip->perfmon_sample, 1) |
                      reg_fv(d, d->chip->perfmon_state, CP_PERFMON_STATE_START_COUNTING);
    reg_wr(d, hw_fields[d->chip->perfmon_state].reg, sample);
    gfx_select(d, MEC_ME, 0, 0, 0);
    sum = mix(sum, reg_rd(d, R_CP_HQD_PQ_RPTR));
    for (uint32_t se = 0; se < d->gc.num_se; se++) {
        select_engine(d, se);
        sum = mix(sum, reg_rd(d, R_SPI_PERFCOUNTER0_LO));
        sum = mix(sum, reg_rd(d, R_SPI_CSQ_WF_ACTIVE_COUNT_0));
    }
    select_all(d);
    gfx_select(d, 0, 0, 0, 0);
    return sum;
}
