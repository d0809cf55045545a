/* SPDX-License-Identifier: MIT */
/* bus_mapped.c - accesses to BARs that are mapped into this process, for the pci and vfio buses. */
#include <stdint.h>
#include <string.h>

#include "driver/enumerate.h"

/* One transaction for 4 and 8 aligned bytes; longer ones in the largest aligned pieces, in order.
 */
static size_t step(uintptr_t at, size_t left) {
    return left >= 8 && at % 8 == 0   ? 8
           : left >= 4 && at % 4 == 0 ? 4
           : left >= 2 && at % 2 == 0 ? 2
                                      : 1;
}

int bus_bar_copy_in(void *dst, const volatile uint8_t *at, size_t len) {
    uint8_t *to = dst;
    for (size_t n; len; at += n, to += n, len -= n) {
        n = step((uintptr_t)at, len);
        uint64_t v = n == 8   ? *(const volatile uint64_t *)(const volatile void *)at
                     : n == 4 ? *(const volatile uint32_t *)(const volatile void *)at
                     : n == 2 ? *(const volatile uint16_t *)(const volatile void *)at
                              : *at;
        memcpy(to, &v, n);
    }
    return 0;
}

int bus_bar_copy_out(volatile uint8_t *at, const void *src, size_t len) {
    const uint8_t *from = src;
    for (size_t n; len; at += n, from += n, len -= n) {
        uint64_t v = 0;
        n = step((uintptr_t)at, len);
        memcpy(&v, from, n);
        if (n == 8)
            *(volatile uint64_t *)(volatile void *)at = v;
        else if (n == 4)
            *(volatile uint32_t *)(volatile void *)at = (uint32_t)v;
        else if (n == 2)
            *(volatile uint16_t *)(volatile void *)at = (uint16_t)v;
        else
            *at = (uint8_t)v;
    }
    return 0;
}
