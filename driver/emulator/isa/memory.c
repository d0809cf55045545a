/* SPDX-License-Identifier: MIT */
/* memory.c - translations, kept per work-group so that no lock is needed. */
#include <string.h>

#include "driver/emulator/isa/wave.h"

static bool holds(const struct isa_segment *s, enum isa_access access, uint64_t va) {
    return va - s->va < s->size && s->access & 1u << access;
}

static const struct isa_segment *lookup(struct segment_cache *c, enum isa_access access,
                                        uint64_t va) {
    for (unsigned i = 0; i < c->count; i++) {
        if (!holds(&c->e[i], access, va)) continue;
        if (i) { /* most recent first */
            struct isa_segment hit = c->e[i];
            memmove(&c->e[1], &c->e[0], i * sizeof hit);
            c->e[0] = hit;
        }
        return &c->e[0];
    }
    return NULL;
}

const struct isa_segment *isa_mem_segment(struct isa_group *g, enum isa_client client,
                                          enum isa_access access, uint64_t va) {
    struct segment_cache *c = &g->segments[client];
    const struct isa_segment *hit = lookup(c, access, va);
    if (hit) return hit;
    struct isa_segment s = {0};
    if (g->d.host->translate(g->d.host, client, access, va, &s) < 0) return NULL;
    s.access |= 1u << access;
    if (c->count < SEGMENT_CACHE) c->count++;
    memmove(&c->e[1], &c->e[0], (c->count - 1) * sizeof s);
    c->e[0] = s;
    return holds(&c->e[0], access, va) ? &c->e[0] : NULL;
}

uint8_t *isa_mem(struct isa_group *g, enum isa_client client, enum isa_access access, uint64_t va,
                 uint64_t size) {
    const struct isa_segment *s = isa_mem_segment(g, client, access, va);
    if (!s || s->size - (va - s->va) < size) return NULL;
    return s->host + (va - s->va);
}

bool isa_mem_read(struct isa_group *g, enum isa_client client, enum isa_access access, uint64_t va,
                  void *out, unsigned size) {
    while (size) {
        const struct isa_segment *s = isa_mem_segment(g, client, access, va);
        if (!s) return false;
        uint64_t left = s->size - (va - s->va);
        unsigned n = left < size ? (unsigned)left : size;
        memcpy(out, s->host + (va - s->va), n);
        out = (uint8_t *)out + n;
        va += n;
        size -= n;
    }
    return true;
}

bool isa_mem_write(struct isa_group *g, uint64_t va, const void *in, unsigned size) {
    while (size) {
        const struct isa_segment *s = isa_mem_segment(g, ISA_CLIENT_VECTOR, ISA_WRITE, va);
        if (!s) return false;
        uint64_t left = s->size - (va - s->va);
        unsigned n = left < size ? (unsigned)left : size;
        memcpy(s->host + (va - s->va), in, n);
        in = (const uint8_t *)in + n;
        va += n;
        size -= n;
    }
    return true;
}
