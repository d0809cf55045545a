/* SPDX-License-Identifier: MIT */
/* Whole files into memory, through liblzma or libzstd when the suffix says so. */
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "firmware/firmware.h"

static int read_raw(const char *path, uint8_t **data, size_t *size, char *err, size_t err_size) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        int e = errno;
        snprintf(err, err_size, "%s: %s", path, strerror(e));
        return -e;
    }
    size_t cap = 1 << 16, n = 0;
    uint8_t *buf = malloc(cap);
    while (buf) {
        n += fread(buf + n, 1, cap - n, f);
        if (n < cap || cap >= FW_MAX_FILE) break;
        cap *= 2;
        uint8_t *grown = realloc(buf, cap);
        if (!grown) free(buf);
        buf = grown;
    }
    int rc = !buf ? -ENOMEM : ferror(f) ? -EIO : n >= FW_MAX_FILE ? -EFBIG : 0;
    fclose(f);
    if (rc) {
        free(buf);
        snprintf(err, err_size, "%s: %s", path, strerror(-rc));
        return rc;
    }
    *data = buf;
    *size = n;
    return 0;
}

static int unpack_xz(const uint8_t *in, size_t in_size, uint8_t **out, size_t *out_size) {
    lzma_stream s = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&s, 256u << 20, LZMA_CONCATENATED) != LZMA_OK) return -ENOMEM;
    size_t cap = 1 << 18;
    uint8_t *buf = malloc(cap);
    int rc = buf ? 0 : -ENOMEM;
    s.next_in = in;
    s.avail_in = in_size;
    s.next_out = buf;
    s.avail_out = cap;
    while (!rc) {
        lzma_ret r = lzma_code(&s, LZMA_FINISH);
        if (r == LZMA_STREAM_END) break;
        if (r != LZMA_OK) {
            rc = -EBADMSG;
        } else if (s.avail_out == 0) {
            size_t used = cap;
            uint8_t *grown = cap >= FW_MAX_FILE ? NULL : realloc(buf, cap *= 2);
            if (!grown) {
                rc = -EFBIG;
                break;
            }
            buf = grown;
            s.next_out = buf + used;
            s.avail_out = cap - used;
        }
    }
    *out_size = rc ? 0 : cap - s.avail_out;
    lzma_end(&s);
    if (rc) free(buf);
    *out = rc ? NULL : buf;
    return rc;
}

static int unpack_zstd(const uint8_t *in, size_t in_size, uint8_t **out, size_t *out_size) {
    ZSTD_DStream *s = ZSTD_createDStream();
    size_t cap = 1 << 18;
    uint8_t *buf = malloc(cap);
    int rc = s && buf ? 0 : -ENOMEM;
    ZSTD_inBuffer ib = {in, in_size, 0};
    ZSTD_outBuffer ob = {buf, cap, 0};
    while (!rc) {
        size_t r = ZSTD_decompressStream(s, &ob, &ib);
        if (ZSTD_isError(r)) rc = -EBADMSG;
        if (rc || (r == 0 && ib.pos == ib.size)) break;
        if (ob.pos == ob.size) {
            uint8_t *grown = cap >= FW_MAX_FILE ? NULL : realloc(buf, cap *= 2);
            if (!grown) {
                rc = -EFBIG;
                break;
            }
            buf = grown;
            ob.dst = buf;
            ob.size = cap;
        } else if (ib.pos == ib.size) {
            rc = -EBADMSG; /* truncated */
        }
    }
    ZSTD_freeDStream(s);
    if (rc) free(buf);
    *out = rc ? NULL : buf;
    *out_size = rc ? 0 : ob.pos;
    return rc;
}

static bool has_suffix(const char *s, const char *suffix) {
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && strcmp(s + n - m, suffix) == 0;
}

int firmware_read_file(const char *path, uint8_t **data, size_t *size, char *err, size_t err_size) {
    uint8_t *raw = NULL;
    size_t raw_size = 0;
    *data = NULL;
    *size = 0;
    int rc = read_raw(path, &raw, &raw_size, err, err_size);
    if (rc) return rc;
    bool xz = has_suffix(path, ".xz"), zst = has_suffix(path, ".zst");
    if (!xz && !zst) {
        *data = raw;
        *size = raw_size;
        return 0;
    }
    rc = xz ? unpack_xz(raw, raw_size, data, size) : unpack_zstd(raw, raw_size, data, size);
    free(raw);
    if (rc) snprintf(err, err_size, "%s: not a complete %s file", path, xz ? "xz" : "zstd");
    return rc;
}
