/* SPDX-License-Identifier: MIT */
/* Firmware containers: truncated or damaged files must be refused, and what is accepted must lie
 * inside the file. */
#include "firmware/firmware.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    char err[256];
    struct fw_container c;
    enum fw_kind kind = (enum fw_kind)(data[0] % FW_KIND_COUNT);
    if (firmware_parse(kind, data + 1, size - 1, &c, err, sizeof err)) return 0;
    volatile uint8_t sum = 0;
    for (unsigned i = 0; i < c.count; i++)
        for (uint32_t b = 0; b < c.images[i].size; b++)
            sum += c.images[i].data[b];
    return 0;
}
