/* SPDX-License-Identifier: MIT */
/* printf.h - what kernels print. The compiler turns printf into stores to a buffer: u32 bytes used,
 * u32 bytes in all, then records from byte 8 on: u32 id of the format string, then the arguments,
 * each as long as the code object's metadata says (a multiple of 4). The host formats them.
 */
#ifndef RAWCL_RUNTIME_PRINTF_H
#define RAWCL_RUNTIME_PRINTF_H

#include <stdio.h>

#include "compiler/code_object.h"
#include "driver/am.h"
#include "runtime/api.h"

/* RAWCL_PRINTF_SIZE, 1 MiB by default (the specification's minimum for the full profile). */
size_t printf_buffer_size(void);
/* A buffer ready for a kernel; NULL: out of memory. */
struct am_mem *printf_take_buffer(cl_device_id dev);
void printf_give_buffer(cl_device_id dev, struct am_mem *buffer);
/* Writes the records of a buffer to stdout, and a warning if the buffer was full. */
void printf_flush(const struct code_object *co, const void *buffer);
/* The same to a stream. Returns the number of records; malformed ones end it with a message in the
 * log. */
size_t printf_write(FILE *out, const struct code_object *co, const uint8_t *data, size_t size);
/* One record's arguments with its format. Returns the bytes of arguments read. */
size_t printf_format(FILE *out, const struct co_printf *p, const uint8_t *args, size_t size);

#endif
