/* SPDX-License-Identifier: MIT */
/* libFuzzer: the discovery binary. Checksums are put right first, or little would get past them. */
#include <stdlib.h>
#include <string.h>

#include "driver/blocks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint16_t sum(const uint8_t *p, size_t n) {
    uint16_t s = 0;
    while (n--)
        s = (uint16_t)(s + *p++);
    return s;
}

static void seal(uint8_t *b, size_t size) {
    size_t ip = hw_get16(b, OFF_binary_header__table_list),
           gc = hw_get16(b, OFF_binary_header__table_list + SIZE_table_info);
    hw_put32(b, OFF_binary_header__binary_signature, BINARY_SIGNATURE);
    if (ip + SIZE_ip_discovery_header <= size) {
        size_t n = hw_get16(b, ip + OFF_ip_discovery_header__size);
        if (n <= size - ip) hw_put16(b, OFF_binary_header__table_list + 2, sum(b + ip, n));
    }
    if (gc + SIZE_gpu_info_header <= size) {
        size_t n = hw_get32(b, gc + OFF_gpu_info_header__size);
        if (n <= size - gc)
            hw_put16(b, OFF_binary_header__table_list + SIZE_table_info + 2, sum(b + gc, n));
    }
    hw_put16(b, OFF_binary_header__binary_size, (uint16_t)size);
    hw_put16(b, OFF_binary_header__binary_checksum, sum(b + 10, size - 10));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < SIZE_binary_header || size > 0xffff) return 0;
    uint8_t *copy = malloc(size); /* its own block, so that one byte too far is seen */
    struct am_device *d = calloc(1, sizeof *d);
    char err[256] = "";
    if (copy && d) {
        memcpy(copy, data, size);
        seal(copy, size);
        if (discovery_parse(d, copy, size, err, sizeof err) && !err[0]) abort();
    }
    free(copy);
    free(d);
    return 0;
}
