/* SPDX-License-Identifier: MIT */
/* rect.h - arithmetic of rectangular regions of buffers: pure. */
#ifndef RAWCL_RUNTIME_RECT_H
#define RAWCL_RUNTIME_RECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/event.h"

/* From origin, region and pitches as the API takes them (a pitch of 0: packed). end: offset behind
 * the last byte. 0, or -1 when a pointer is NULL, a pitch is too small or no multiple, a region is
 * empty, or the numbers overflow. */
int rect_make(struct rect *out, const size_t *origin, const size_t *region, size_t row_pitch,
              size_t slice_pitch, uint64_t *end);
/* Do two rectangles of one buffer, with the same region, share a byte? Interleaved rows do not.
 * (OpenCL specification, appendix "CL_MEM_COPY_OVERLAP", made exact.) */
bool rect_overlap(const struct rect *a, const struct rect *b, const uint64_t region[3]);

#endif
