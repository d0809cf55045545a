/* SPDX-License-Identifier: MIT */
/* spi.h - the counters of compute waves. */
#ifndef RAWCL_EMULATOR_SPI_H
#define RAWCL_EMULATOR_SPI_H

#include <stdbool.h>

struct gpu;
struct cp_queue;

/* Hooks of the counters' registers; after cp_init. */
void spi_init(struct gpu *g);
/* Whether the waves of a dispatch that starts now are counted. */
bool spi_counts(struct cp_queue *q);

#endif
