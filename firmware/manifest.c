/* SPDX-License-Identifier: MIT */
/* Which files a chip needs. Source: file names of linux-firmware's amdgpu folder as linux amdgpu
 * derives them from IP versions; gfx11 runs compute without the graphics front end's firmware. */
#include <string.h>

#include "firmware/firmware.h"

static const struct {
    const char *target;
    const char *file[FW_KIND_COUNT];
} manifests[] = {
    {"gfx1100",
     {"psp_13_0_0_sos.bin", "smu_13_0_0.bin", "sdma_6_0_0.bin", NULL, NULL, "gc_11_0_0_mec.bin",
      "gc_11_0_0_imu.bin", "gc_11_0_0_rlc.bin"}},
    {"gfx1101",
     {"psp_13_0_10_sos.bin", "smu_13_0_10.bin", "sdma_6_0_3.bin", NULL, NULL, "gc_11_0_3_mec.bin",
      "gc_11_0_3_imu.bin", "gc_11_0_3_rlc.bin"}},
    {"gfx1102",
     {"psp_13_0_7_sos.bin", "smu_13_0_7.bin", "sdma_6_0_2.bin", NULL, NULL, "gc_11_0_2_mec.bin",
      "gc_11_0_2_imu.bin", "gc_11_0_2_rlc.bin"}},
    {"gfx1200",
     {"psp_14_0_2_sos.bin", "smu_14_0_2.bin", "sdma_7_0_0.bin", "gc_12_0_0_pfp.bin",
      "gc_12_0_0_me.bin", "gc_12_0_0_mec.bin", "gc_12_0_0_imu.bin", "gc_12_0_0_rlc.bin"}},
    {"gfx1201",
     {"psp_14_0_3_sos.bin", "smu_14_0_3.bin", "sdma_7_0_1.bin", "gc_12_0_1_pfp.bin",
      "gc_12_0_1_me.bin", "gc_12_0_1_mec.bin", "gc_12_0_1_imu.bin", "gc_12_0_1_rlc.bin"}},
};

const char *firmware_file_name(const char *target, enum fw_kind kind) {
    for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++)
        if (strcmp(manifests[i].target, target) == 0)
            return (unsigned)kind < FW_KIND_COUNT ? manifests[i].file[kind] : NULL;
    return NULL;
}

bool firmware_target_known(const char *target) {
    return firmware_file_name(target, FW_PSP_SOS) != NULL;
}

const char *firmware_kind_name(enum fw_kind kind) {
    static const char *const names[FW_KIND_COUNT] = {"psp sos", "smu", "sdma", "pfp",
                                                     "me",      "mec", "imu",  "rlc"};
    return (unsigned)kind < FW_KIND_COUNT ? names[kind] : "?";
}
