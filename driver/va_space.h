/* SPDX-License-Identifier: MIT */
/* va_space.h - the one GPU address space of this process, shared by all its devices, and its
 * shadow in the CPU's address space. Thread-safe. */
#ifndef RAWCL_DRIVER_VA_SPACE_H
#define RAWCL_DRIVER_VA_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/heap.h"

/* Counted; the first call reserves the range on the CPU side (PROT_NONE) as far as the process
 * allows. AM_VA_RESERVE in the environment: how many GiB, 0 for none. 0 or -ENOMEM. */
int va_space_get(void);
void va_space_put(void);
/* Bytes reserved on the CPU side, from AM_VA_BASE on. */
uint64_t va_space_reserved(void);
/* Is something reserved, or, before the first va_space_get, would it be? */
bool va_space_possible(void);
/* An address range, followed by an unmapped gap so that running off its end faults. size and align
 * as in heap_alloc; *base: its first byte. -ENOSPC, -EINVAL, -ENOMEM. */
int va_space_alloc(uint64_t size, uint64_t align, struct heap_block **out);
void va_space_free(struct heap_block *b);
/* Opens the CPU's reservation over [va, va + size), so that memory can be mapped there: true when
 * it was reserved. va_space_close_hole puts the reservation back. */
bool va_space_open_hole(uint64_t va, uint64_t size);
void va_space_close_hole(uint64_t va, uint64_t size);

#endif
