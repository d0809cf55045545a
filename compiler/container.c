/* SPDX-License-Identifier: MIT */
#include "compiler/container.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#define CONTAINER_VERSION 1

static const char container_magic[8] = {'R', 'a', 'w', 'C', 'L', 'o', 'b', 'j'};

_Static_assert(sizeof(struct container_header) == 64, "the header is a file format");

static int container_hash(const struct container_header *header, const void *bitcode,
                          uint64_t hash[2]) {
    struct container_header copy = *header;
    memset(copy.hash, 0, sizeof copy.hash);
    XXH3_state_t *state = XXH3_createState();
    if (!state) return -ENOMEM;
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, &copy, sizeof copy);
    XXH3_128bits_update(state, bitcode, header->size);
    XXH128_hash_t h = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    hash[0] = h.low64;
    hash[1] = h.high64;
    return 0;
}

void container_fill(struct container_header *out, enum co_kind kind, const char *target,
                    uint32_t flags, const void *bitcode, size_t size) {
    *out = (struct container_header){
        .version = CONTAINER_VERSION, .kind = kind, .flags = flags, .size = size};
    memcpy(out->magic, container_magic, sizeof out->magic);
    snprintf(out->target, sizeof out->target, "%s", target);
    container_hash(out, bitcode, out->hash);
}

enum co_kind container_identify(const void *data, size_t size, char target[16]) {
    struct container_header h;
    target[0] = 0;
    if (!data || size < sizeof h) return CO_INVALID;
    memcpy(&h, data, sizeof h);
    if (memcmp(h.magic, container_magic, sizeof h.magic) || h.version != CONTAINER_VERSION)
        return CO_INVALID;
    if (h.kind != CO_OBJECT && h.kind != CO_LIBRARY) return CO_INVALID;
    if (!memchr(h.target, 0, sizeof h.target)) return CO_INVALID;
    memcpy(target, h.target, sizeof h.target);
    return (enum co_kind)h.kind;
}

int container_open(const void *data, size_t size, struct container_header *header,
                   const void **bitcode, size_t *bitcode_size, const char **why) {
    char target[16];
    uint64_t hash[2];
    *why = "not a compiled object";
    if (container_identify(data, size, target) == CO_INVALID) return -EINVAL;
    memcpy(header, data, sizeof *header);
    *why = "truncated object";
    if (header->size != size - sizeof *header) return -EINVAL;
    *bitcode = (const char *)data + sizeof *header;
    *bitcode_size = header->size;
    *why = "damaged object: its checksum does not match";
    if (container_hash(header, *bitcode, hash)) return -ENOMEM;
    if (memcmp(hash, header->hash, sizeof hash)) return -EINVAL;
    return 0;
}
