/* SPDX-License-Identifier: MIT */
/* The instruction decoder: any words; never longer than what is there. */
#include "driver/emulator/isa/decode.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t dw[8];
    unsigned n = size / 4 > 8 ? 8 : (unsigned)(size / 4);
    memcpy(dw, data, n * 4);
    for (unsigned arch = 0; arch < ISA_ARCH_COUNT; arch++) {
        struct isa_inst inst;
        int len = isa_decode((enum isa_arch)arch, dw, n, &inst);
        if (len > (int)n) abort();
        if (len > 0) {
            char name[64];
            isa_inst_name(&inst, name, sizeof name);
            if (!name[0]) abort();
        }
    }
    return 0;
}
