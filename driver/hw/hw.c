/* SPDX-License-Identifier: MIT */
#include "driver/hw/hw.h"

const struct hw_ip_table *hw_find_ip(enum hw_ip ip, unsigned major, unsigned minor, unsigned rev) {
    for (unsigned i = 0; i < hw_ip_table_count; i++) {
        const struct hw_ip_table *t = &hw_ip_tables[i];
        if (t->ip == ip && t->major == major && t->minor == minor && t->rev == rev) return t;
    }
    return NULL;
}

const struct hw_chip *hw_find_chip(const char *target) {
    for (unsigned i = 0; i < hw_chip_count; i++)
        if (strcmp(hw_chips[i].target, target) == 0) return &hw_chips[i];
    return NULL;
}
