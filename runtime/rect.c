/* SPDX-License-Identifier: MIT */
#include "runtime/rect.h"

int rect_make(struct rect *out, const size_t *origin, const size_t *region, size_t row_pitch,
              size_t slice_pitch, uint64_t *end) {
    uint64_t last, rows, t;

    if (!origin || !region || !region[0] || !region[1] || !region[2]) return -1;
    if (!row_pitch) row_pitch = region[0];
    if (row_pitch < region[0]) return -1;
    if (__builtin_mul_overflow((uint64_t)row_pitch, region[1], &rows)) return -1;
    if (!slice_pitch) slice_pitch = rows;
    if (slice_pitch < rows || slice_pitch % row_pitch) return -1;
    out->row_pitch = row_pitch;
    out->slice_pitch = slice_pitch;
    if (__builtin_mul_overflow(origin[2], slice_pitch, &out->offset) ||
        __builtin_mul_overflow(origin[1], row_pitch, &t) ||
        __builtin_add_overflow(out->offset, t, &out->offset) ||
        __builtin_add_overflow(out->offset, origin[0], &out->offset))
        return -1;
    if (__builtin_mul_overflow(region[2] - 1, slice_pitch, &last) ||
        __builtin_add_overflow(last, (region[1] - 1) * row_pitch + region[0], &last) ||
        __builtin_add_overflow(out->offset, last, end))
        return -1;
    return 0;
}

static uint64_t rect_end(const struct rect *r, const uint64_t region[3]) {
    return r->offset + (region[2] - 1) * r->slice_pitch + (region[1] - 1) * r->row_pitch +
           region[0];
}

/* With equal pitches it is enough to look at the difference of the offsets: a row y, slice z of one
 * meets rows of the other whose start lies less than region[0] away. */
static bool overlap_same_pitch(const struct rect *a, const struct rect *b,
                               const uint64_t region[3]) {
    uint64_t low = a->offset < b->offset ? a->offset : b->offset;
    uint64_t diff = (a->offset < b->offset ? b->offset : a->offset) - low;

    for (uint64_t z = diff / a->slice_pitch, i = 0; i < 2; z++, i++) {
        if (z >= region[2]) break;
        int64_t rest = (int64_t)(diff - z * a->slice_pitch);
        /* rows apart by y, for the two y that come close */
        int64_t pitch = (int64_t)a->row_pitch;
        int64_t y = rest >= 0 ? rest / pitch : -((-rest + pitch - 1) / pitch);
        for (int64_t k = y; k <= y + 1; k++) {
            int64_t x = rest - k * pitch;
            int64_t rows = k < 0 ? -k : k, bytes = x < 0 ? -x : x;
            if ((uint64_t)rows < region[1] && (uint64_t)bytes < region[0]) return true;
        }
    }
    return false;
}

bool rect_overlap(const struct rect *a, const struct rect *b, const uint64_t region[3]) {
    if (a->offset >= rect_end(b, region) || b->offset >= rect_end(a, region)) return false;
    if (a->row_pitch == b->row_pitch && a->slice_pitch == b->slice_pitch)
        return overlap_same_pitch(a, b, region);
    return true;
}
