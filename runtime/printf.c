/* SPDX-License-Identifier: MIT */
#include "runtime/printf.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/device.h"
#include "runtime/log.h"
#include "runtime/platform.h"

#define HEADER_BYTES 8
#define MIN_BUFFER   4096

size_t printf_buffer_size(void) {
    const char *text = getenv("RAWCL_PRINTF_SIZE");
    unsigned long long n = text ? strtoull(text, NULL, 0) : 0;

    if (n == 0) return 1u << 20;
    if (n < MIN_BUFFER) return MIN_BUFFER;
    return n > 1u << 30 ? 1u << 30 : (size_t)n;
}

struct am_mem *printf_take_buffer(cl_device_id dev) {
    size_t size = printf_buffer_size();
    struct am_mem *mem = staging_reuse(&dev->staging, dev->staging.prints, STAGING_PRINTS);

    if (!mem && am_alloc(dev->am, size, 0, AM_MEM_SYSTEM, "printf", &mem)) return NULL;
    uint32_t header[2] = {0, (uint32_t)mem->size};
    memcpy(mem->cpu, header, sizeof header);
    return mem;
}

void printf_give_buffer(cl_device_id dev, struct am_mem *buffer) {
    if (platform_is_orphan()) return;
    staging_keep(&dev->staging, dev->am, dev->staging.prints, STAGING_PRINTS, buffer);
}

/* ---- formatting (OpenCL C specification, section "printf") ---- */

struct conversion {
    char flags[8];   /* of "-+ #0" */
    char width[12];  /* with precision: digits and '.' */
    unsigned vector; /* elements; 1: scalar */
    char length;     /* 'h' short, 'H' char (hh), 'i' int (hl), 'l' long, 0 none */
    char type;
};

static const char *parse_flags(const char *p, struct conversion *c) {
    size_t n = 0;

    for (; *p && strchr("-+ #0", *p); p++)
        if (n < sizeof c->flags - 1 && !strchr(c->flags, *p)) c->flags[n++] = *p;
    n = 0;
    for (; (*p >= '0' && *p <= '9') || *p == '.'; p++)
        if (n < sizeof c->width - 1) c->width[n++] = *p;
    return p;
}

/* A conversion from behind its '%'. Returns what follows; type 0: ends within. */
static const char *parse_conversion(const char *p, struct conversion *c) {
    *c = (struct conversion){.vector = 1};
    p = parse_flags(p, c);
    if (*p == 'v') {
        char *end;
        c->vector = (unsigned)strtoul(p + 1, &end, 10);
        if (c->vector < 1 || c->vector > 16) c->vector = 1;
        p = end;
    }
    if (p[0] == 'h' && p[1] == 'h') {
        c->length = 'H';
        p += 2;
    } else if (p[0] == 'h' && p[1] == 'l') {
        c->length = 'i';
        p += 2;
    } else if (*p == 'h' || *p == 'l') {
        c->length = *p++;
    }
    c->type = *p;
    return *p ? p + 1 : p;
}

static float half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exp = h >> 10 & 31, man = h & 1023, bits;
    float f;

    if (exp == 31) {
        bits = sign | 0x7f800000 | man << 13;
    } else if (exp) {
        bits = sign | (exp + 112) << 23 | man << 13;
    } else {
        f = (float)man * 0x1p-24f;
        return sign ? -f : f;
    }
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void print_float(FILE *out, const struct conversion *c, const uint8_t *arg, size_t size) {
    char format[40];
    double value = 0;
    float f;
    uint16_t h;

    if (size >= 8) {
        memcpy(&value, arg, 8);
    } else if (size == 4) {
        memcpy(&f, arg, 4);
        value = f;
    } else if (size == 2) {
        memcpy(&h, arg, 2);
        value = half_to_float(h);
    }
    snprintf(format, sizeof format, "%%%s%s%c", c->flags, c->width, c->type);
    fprintf(out, format, value);
}

static size_t length_bytes(const struct conversion *c, size_t size) {
    switch (c->length) {
    case 'H':
        return 1;
    case 'h':
        return 2;
    case 'l':
        return 8;
    case 'i':
        return 4;
    default:
        return size < 4 ? size : 4;
    }
}

static void print_integer(FILE *out, const struct conversion *c, const uint8_t *arg, size_t size) {
    char format[40];
    uint64_t raw = 0;
    size_t n = length_bytes(c, size);

    if (n > size) n = size;
    if (n > 8) n = 8;
    memcpy(&raw, arg, n);
    if ((c->type == 'd' || c->type == 'i') && n && n < 8) {
        unsigned shift = (unsigned)(64 - n * 8);
        raw = (uint64_t)((int64_t)(raw << shift) >> shift);
    }
    if (c->type == 'c') {
        snprintf(format, sizeof format, "%%%s%sc", c->flags, c->width);
        fprintf(out, format, (int)(unsigned char)raw);
        return;
    }
    snprintf(format, sizeof format, "%%%s%sll%c", c->flags, c->width, c->type);
    fprintf(out, format, (unsigned long long)raw);
}

static void print_pointer(FILE *out, const struct conversion *c, const uint8_t *arg, size_t size) {
    char format[40], text[24];
    uint64_t value = 0;

    memcpy(&value, arg, size < 8 ? size : 8);
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    snprintf(format, sizeof format, "%%%s%ss", strchr(c->flags, '-') ? "-" : "", c->width);
    fprintf(out, format, text);
}

/* Strings are stored in the buffer itself, padded with zeros. */
static void print_string(FILE *out, const struct conversion *c, const uint8_t *arg, size_t size) {
    char format[40];
    char *text = calloc(1, size + 1);

    if (!text) return;
    memcpy(text, arg, size);
    snprintf(format, sizeof format, "%%%s%ss", strchr(c->flags, '-') ? "-" : "", c->width);
    fprintf(out, format, text);
    free(text);
}

static void print_element(FILE *out, const struct conversion *c, const uint8_t *arg, size_t size) {
    if (strchr("diouxXc", c->type))
        print_integer(out, c, arg, size);
    else if (strchr("fFeEgGaA", c->type))
        print_float(out, c, arg, size);
    else if (c->type == 'p')
        print_pointer(out, c, arg, size);
    else if (c->type == 's')
        print_string(out, c, arg, size);
}

static void print_vector(FILE *out, const struct conversion *c, const uint8_t *arg, size_t size) {
    size_t slots = c->vector == 3 ? 4 : c->vector; /* vec3 lies in the place of a vec4 */
    size_t element = size / slots;

    /* Packed to 12 bytes (three dwords) it is divided by three. */
    if (c->vector == 3 && size % 4 == 0 && size % 3 == 0 && size % 16 != 0) element = size / 3;
    if (c->vector > 1 && strchr("diouxX", c->type) && element > length_bytes(c, element))
        element = size / slots;
    for (unsigned i = 0; i < c->vector && (i + 1) * element <= size; i++) {
        if (i) fputc(',', out);
        print_element(out, c, arg + i * element, element);
    }
}

size_t printf_format(FILE *out, const struct co_printf *p, const uint8_t *args, size_t size) {
    uint32_t next = 0;
    size_t at = 0;

    for (const char *s = p->format, *end = s + p->format_len; s < end;) {
        if (*s != '%') {
            fputc(*s++, out);
            continue;
        }
        if (s[1] == '%') {
            fputc('%', out);
            s += 2;
            continue;
        }
        struct conversion c;
        const char *after = parse_conversion(s + 1, &c);
        bool known = c.type && strchr("diouxXcfFeEgGaAps", c.type);
        if (!known || next >= p->arg_count || at + p->arg_sizes[next] > size) {
            fwrite(s, 1, (size_t)(after - s), out);
            s = after;
            continue;
        }
        print_vector(out, &c, args + at, p->arg_sizes[next]);
        at += p->arg_sizes[next++];
        s = after;
    }
    return at;
}

static const struct co_printf *find_format(const struct code_object *co, uint32_t id) {
    for (size_t i = 0; i < co->printf_count; i++)
        if (co->printfs[i].id == id) return &co->printfs[i];
    return NULL;
}

static size_t args_bytes(const struct co_printf *p) {
    size_t n = 0;

    for (uint32_t i = 0; i < p->arg_count; i++)
        n += p->arg_sizes[i];
    return n;
}

size_t printf_write(FILE *out, const struct code_object *co, const uint8_t *data, size_t size) {
    size_t at = 0, records = 0;

    while (at + 4 <= size) {
        uint32_t id;
        memcpy(&id, data + at, 4);
        at += 4;
        const struct co_printf *p = find_format(co, id);
        if (!p || args_bytes(p) > size - at) {
            log_err("printf", "the output of a kernel is damaged at byte %zu (format %u)", at - 4,
                    id);
            break;
        }
        printf_format(out, p, data + at, size - at);
        at += args_bytes(p);
        records++;
    }
    return records;
}

void printf_flush(const struct code_object *co, const void *buffer) {
    uint32_t header[2];
    size_t longest = 0;

    memcpy(header, buffer, sizeof header);
    size_t room = header[1] - HEADER_BYTES, used = header[0] < room ? header[0] : room;
    if (used) {
        printf_write(stdout, co, (const uint8_t *)buffer + HEADER_BYTES, used);
        fflush(stdout);
    }
    for (size_t i = 0; i < co->printf_count; i++) {
        size_t n = 4 + args_bytes(&co->printfs[i]);
        if (n > longest) longest = n;
    }
    /* The device does not count what found no room; a buffer that the longest record would not fit
     * into any more has probably lost some. */
    if (used + longest > room)
        log_err("printf",
                "the printf buffer of %u bytes is full: output may be lost "
                "(RAWCL_PRINTF_SIZE makes it bigger)",
                header[1]);
}
