/* SPDX-License-Identifier: MIT */
/* code_object_metadata.c - the MessagePack side. Source: LLVM AMDGPUUsage, "Code Object V5
 * Metadata" and the tables of V3 and V4 that it extends. */
#include "compiler/code_object_internal.h"

#include <CL/cl.h>
#include <errno.h>
#include <limits.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META_ARGS_MAX   65536 /* more arguments than any kernel has */
#define META_PRINTF_MAX 65536

struct word {
    const char *text;
    uint32_t value;
};

static const struct word meta_value_kinds[] = {
    {"by_value", CO_ARG_BY_VALUE},
    {"global_buffer", CO_ARG_GLOBAL_BUFFER},
    {"dynamic_shared_pointer", CO_ARG_DYNAMIC_SHARED_POINTER},
    {"sampler", CO_ARG_SAMPLER},
    {"image", CO_ARG_IMAGE},
    {"pipe", CO_ARG_PIPE},
    {"queue", CO_ARG_QUEUE},
    {"hidden_global_offset_x", CO_ARG_HIDDEN_GLOBAL_OFFSET_X},
    {"hidden_global_offset_y", CO_ARG_HIDDEN_GLOBAL_OFFSET_Y},
    {"hidden_global_offset_z", CO_ARG_HIDDEN_GLOBAL_OFFSET_Z},
    {"hidden_block_count_x", CO_ARG_HIDDEN_BLOCK_COUNT_X},
    {"hidden_block_count_y", CO_ARG_HIDDEN_BLOCK_COUNT_Y},
    {"hidden_block_count_z", CO_ARG_HIDDEN_BLOCK_COUNT_Z},
    {"hidden_group_size_x", CO_ARG_HIDDEN_GROUP_SIZE_X},
    {"hidden_group_size_y", CO_ARG_HIDDEN_GROUP_SIZE_Y},
    {"hidden_group_size_z", CO_ARG_HIDDEN_GROUP_SIZE_Z},
    {"hidden_remainder_x", CO_ARG_HIDDEN_REMAINDER_X},
    {"hidden_remainder_y", CO_ARG_HIDDEN_REMAINDER_Y},
    {"hidden_remainder_z", CO_ARG_HIDDEN_REMAINDER_Z},
    {"hidden_grid_dims", CO_ARG_HIDDEN_GRID_DIMS},
    {"hidden_printf_buffer", CO_ARG_HIDDEN_PRINTF_BUFFER},
    {"hidden_hostcall_buffer", CO_ARG_HIDDEN_HOSTCALL_BUFFER},
    {"hidden_multigrid_sync_arg", CO_ARG_HIDDEN_MULTIGRID_SYNC_ARG},
    {"hidden_heap_v1", CO_ARG_HIDDEN_HEAP_V1},
    {"hidden_default_queue", CO_ARG_HIDDEN_DEFAULT_QUEUE},
    {"hidden_completion_action", CO_ARG_HIDDEN_COMPLETION_ACTION},
    {"hidden_dynamic_lds_size", CO_ARG_HIDDEN_DYNAMIC_LDS_SIZE},
    {"hidden_private_base", CO_ARG_HIDDEN_PRIVATE_BASE},
    {"hidden_shared_base", CO_ARG_HIDDEN_SHARED_BASE},
    {"hidden_queue_ptr", CO_ARG_HIDDEN_QUEUE_PTR},
    {"hidden_none", CO_ARG_HIDDEN_NONE},
    {NULL, 0}};

static const struct word meta_address_spaces[] = {{"private", CL_KERNEL_ARG_ADDRESS_PRIVATE},
                                                  {"global", CL_KERNEL_ARG_ADDRESS_GLOBAL},
                                                  {"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT},
                                                  {"local", CL_KERNEL_ARG_ADDRESS_LOCAL},
                                                  {NULL, 0}};

static const struct word meta_accesses[] = {{"read_only", CL_KERNEL_ARG_ACCESS_READ_ONLY},
                                            {"write_only", CL_KERNEL_ARG_ACCESS_WRITE_ONLY},
                                            {"read_write", CL_KERNEL_ARG_ACCESS_READ_WRITE},
                                            {"default", CL_KERNEL_ARG_ACCESS_NONE},
                                            {NULL, 0}};

struct meta {
    struct code_object *co;
    char *err;
    size_t err_size;
};

#define fail(m, ...) (snprintf((m)->err, (m)->err_size, "metadata: " __VA_ARGS__), -EINVAL)

/* ---- reading maps ---- */

static const msgpack_object *meta_get(const msgpack_object *map, const char *key) {
    size_t length = strlen(key);
    if (map->type != MSGPACK_OBJECT_MAP) return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *kv = &map->via.map.ptr[i];
        if (kv->key.type == MSGPACK_OBJECT_STR && kv->key.via.str.size == length &&
            !memcmp(kv->key.via.str.ptr, key, length))
            return &kv->val;
    }
    return NULL;
}

/* A number that may be absent (then 0). Returns false when it is no 32-bit number. */
static bool meta_u32(const msgpack_object *map, const char *key, uint32_t *out) {
    const msgpack_object *o = meta_get(map, key);
    *out = 0;
    if (!o) return true;
    if (o->type != MSGPACK_OBJECT_POSITIVE_INTEGER || o->via.u64 > UINT32_MAX) return false;
    *out = (uint32_t)o->via.u64;
    return true;
}

static bool meta_flag(const msgpack_object *map, const char *key) {
    const msgpack_object *o = meta_get(map, key);
    if (!o) return false;
    if (o->type == MSGPACK_OBJECT_BOOLEAN) return o->via.boolean;
    return o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64;
}

/* A text that may be absent (then NULL). A NUL inside ends it. */
static const char *meta_text(struct meta *m, const msgpack_object *map, const char *key) {
    const msgpack_object *o = meta_get(map, key);
    if (!o || o->type != MSGPACK_OBJECT_STR) return NULL;
    return co_copy_text(m->co, o->via.str.ptr, o->via.str.size);
}

static bool meta_word(const msgpack_object *map, const char *key, const struct word *words,
                      uint32_t *out) {
    const msgpack_object *o = meta_get(map, key);
    for (; o && o->type == MSGPACK_OBJECT_STR && words->text; words++) {
        size_t length = strlen(words->text);
        if (o->via.str.size == length && !memcmp(o->via.str.ptr, words->text, length)) {
            *out = words->value;
            return true;
        }
    }
    return false;
}

static bool meta_sizes(const msgpack_object *map, const char *key, uint32_t out[3]) {
    const msgpack_object *o = meta_get(map, key);
    if (!o) return true;
    if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size != 3) return false;
    for (int i = 0; i < 3; i++) {
        const msgpack_object *e = &o->via.array.ptr[i];
        if (e->type != MSGPACK_OBJECT_POSITIVE_INTEGER || e->via.u64 > UINT32_MAX) return false;
        out[i] = (uint32_t)e->via.u64;
    }
    return true;
}

/* ---- kernels ---- */

static int meta_arg(struct meta *m, const msgpack_object *map, const struct co_kernel *kernel,
                    struct co_arg *arg) {
    uint32_t kind;
    if (map->type != MSGPACK_OBJECT_MAP || !meta_word(map, ".value_kind", meta_value_kinds, &kind))
        return fail(m, "%s: an argument of unknown kind", kernel->name);
    arg->kind = (enum co_arg_kind)kind;
    if (!meta_u32(map, ".offset", &arg->offset) || !meta_u32(map, ".size", &arg->size) ||
        !meta_u32(map, ".pointee_align", &arg->pointee_align))
        return fail(m, "%s: an argument without offset or size", kernel->name);
    if (arg->offset > kernel->kernarg_size || arg->size > kernel->kernarg_size - arg->offset)
        return fail(m, "%s: an argument outside the kernarg segment", kernel->name);
    meta_word(map, ".address_space", meta_address_spaces, &arg->address_space);
    meta_word(map, ".access", meta_accesses, &arg->access);
    if (arg->kind == CO_ARG_BY_VALUE) arg->address_space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    if (arg->kind < CO_ARG_HIDDEN_GLOBAL_OFFSET_X && !arg->access)
        arg->access = CL_KERNEL_ARG_ACCESS_NONE;
    arg->type_qualifier = (meta_flag(map, ".is_const") ? CL_KERNEL_ARG_TYPE_CONST : 0) |
                          (meta_flag(map, ".is_restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
                          (meta_flag(map, ".is_volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0) |
                          (meta_flag(map, ".is_pipe") ? CL_KERNEL_ARG_TYPE_PIPE : 0);
    arg->name = meta_text(m, map, ".name");
    arg->type_name = meta_text(m, map, ".type_name");
    return 0;
}

static int meta_args(struct meta *m, const msgpack_object *map, struct co_kernel *kernel) {
    const msgpack_object *list = meta_get(map, ".args");
    if (!list) return 0;
    if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size > META_ARGS_MAX)
        return fail(m, "%s: .args is not a list", kernel->name);
    kernel->args = co_alloc(m->co, list->via.array.size, sizeof *kernel->args);
    if (!kernel->args) return -ENOMEM;
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        struct co_arg *arg = &kernel->args[i];
        int r = meta_arg(m, &list->via.array.ptr[i], kernel, arg);
        if (r) return r;
        kernel->arg_count++;
        if (arg->kind >= CO_ARG_HIDDEN_GLOBAL_OFFSET_X) continue;
        if (kernel->explicit_arg_count != i)
            return fail(m, "%s: an explicit argument after hidden ones", kernel->name);
        kernel->explicit_arg_count++;
    }
    return 0;
}

/* CL_KERNEL_ATTRIBUTES: the attributes as in the source, separated by blanks. */
static const char *meta_attributes(struct meta *m, const struct co_kernel *k) {
    char text[512];
    int n = 0;
    text[0] = 0;
    if (k->vec_type_hint[0])
        n += snprintf(text + n, sizeof text - (size_t)n, "vec_type_hint(%.64s)", k->vec_type_hint);
    if (k->workgroup_size_hint[0])
        n += snprintf(text + n, sizeof text - (size_t)n, "%swork_group_size_hint(%u,%u,%u)",
                      n ? " " : "", k->workgroup_size_hint[0], k->workgroup_size_hint[1],
                      k->workgroup_size_hint[2]);
    if (k->reqd_workgroup_size[0])
        n += snprintf(text + n, sizeof text - (size_t)n, "%sreqd_work_group_size(%u,%u,%u)",
                      n ? " " : "", k->reqd_workgroup_size[0], k->reqd_workgroup_size[1],
                      k->reqd_workgroup_size[2]);
    return co_copy_text(m->co, text, (size_t)n);
}

static int meta_kernel(struct meta *m, const msgpack_object *map, struct co_kernel *k) {
    const struct {
        const char *key;
        uint32_t *out;
    } numbers[] = {
        {".kernarg_segment_size", &k->kernarg_size},
        {".kernarg_segment_align", &k->kernarg_align},
        {".group_segment_fixed_size", &k->group_segment_fixed},
        {".private_segment_fixed_size", &k->private_segment_fixed},
        {".wavefront_size", &k->wavefront_size},
        {".sgpr_count", &k->sgpr_count},
        {".vgpr_count", &k->vgpr_count},
        {".sgpr_spill_count", &k->sgpr_spills},
        {".vgpr_spill_count", &k->vgpr_spills},
        {".max_flat_workgroup_size", &k->max_flat_workgroup_size},
    };
    k->name = meta_text(m, map, ".name");
    if (!k->name || !k->name[0]) return fail(m, "a kernel without a name");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!meta_u32(map, numbers[i].key, numbers[i].out))
            return fail(m, "%s: %s is not a number", k->name, numbers[i].key);
    if (k->wavefront_size != 32 && k->wavefront_size != 64)
        return fail(m, "%s: wavefront size %u", k->name, k->wavefront_size);
    if (!meta_sizes(map, ".reqd_workgroup_size", k->reqd_workgroup_size) ||
        !meta_sizes(map, ".workgroup_size_hint", k->workgroup_size_hint))
        return fail(m, "%s: a work-group size is not three numbers", k->name);
    k->dynamic_stack = meta_flag(map, ".uses_dynamic_stack");
    k->uniform_workgroup_size = meta_flag(map, ".uniform_work_group_size");
    k->vec_type_hint = meta_text(m, map, ".vec_type_hint");
    if (!k->vec_type_hint) k->vec_type_hint = "";
    k->attributes = meta_attributes(m, k);
    return k->attributes ? meta_args(m, map, k) : -ENOMEM;
}

/* ---- printf ---- */

/* Undoes C escapes (\n, \", octal) in place of a copy. Returns the length of the result. */
static size_t meta_unescape(const char *in, size_t size, char *out) {
    static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
    size_t n = 0;
    for (size_t i = 0; i < size;) {
        if (in[i] != '\\' || i + 1 == size) {
            out[n++] = in[i++];
            continue;
        }
        i++;
        const char *known = in[i] ? strchr(names, in[i]) : NULL;
        if (in[i] >= '0' && in[i] <= '7') {
            unsigned value = 0;
            for (int digits = 0; digits < 3 && i < size && in[i] >= '0' && in[i] <= '7'; digits++)
                value = value * 8 + (unsigned)(in[i++] - '0');
            out[n++] = (char)value;
        } else {
            out[n++] = known ? values[known - names] : in[i];
            i++;
        }
    }
    return n;
}

/* A decimal number and the colon after it. */
static bool meta_number(const char **at, const char *end, uint32_t *out) {
    uint64_t value = 0;
    const char *start = *at;
    while (*at < end && **at >= '0' && **at <= '9' && value <= UINT32_MAX)
        value = value * 10 + (uint64_t)(*(*at)++ - '0');
    if (*at == start || value > UINT32_MAX || *at == end || **at != ':') return false;
    ++*at;
    *out = (uint32_t)value;
    return true;
}

/* "id:count:size...:format", as LLVM's AMDGPUPrintfRuntimeBinding writes it. */
static int meta_printf(struct meta *m, const msgpack_object *o, struct co_printf *p) {
    if (o->type != MSGPACK_OBJECT_STR) return fail(m, "a printf entry is not a text");
    const char *at = o->via.str.ptr, *end = at + o->via.str.size;
    if (!meta_number(&at, end, &p->id) || !meta_number(&at, end, &p->arg_count))
        return fail(m, "a printf entry without id or argument count");
    if (p->arg_count > (size_t)(end - at) / 2) return fail(m, "a printf entry is cut off");
    p->arg_sizes = co_alloc(m->co, p->arg_count + 1, sizeof *p->arg_sizes);
    if (!p->arg_sizes) return -ENOMEM;
    for (uint32_t i = 0; i < p->arg_count; i++)
        if (!meta_number(&at, end, &p->arg_sizes[i]))
            return fail(m, "a printf entry without argument sizes");
    char *text = co_alloc(m->co, (size_t)(end - at) + 1, 1);
    if (!text) return -ENOMEM;
    p->format_len = meta_unescape(at, (size_t)(end - at), text);
    p->format = text;
    return 0;
}

static int meta_printfs(struct meta *m, const msgpack_object *root) {
    const msgpack_object *list = meta_get(root, "amdhsa.printf");
    if (!list) return 0;
    if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size > META_PRINTF_MAX)
        return fail(m, "amdhsa.printf is not a list");
    m->co->printfs = co_alloc(m->co, list->via.array.size, sizeof *m->co->printfs);
    if (!m->co->printfs) return -ENOMEM;
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        int r = meta_printf(m, &list->via.array.ptr[i], &m->co->printfs[i]);
        if (r) return r;
        m->co->printf_count++;
    }
    return 0;
}

static int meta_kernels(struct meta *m, const msgpack_object *root) {
    const msgpack_object *list = meta_get(root, "amdhsa.kernels");
    if (!list || list->type != MSGPACK_OBJECT_ARRAY) return fail(m, "no list of kernels");
    m->co->kernels = co_alloc(m->co, list->via.array.size, sizeof *m->co->kernels);
    if (!m->co->kernels) return -ENOMEM;
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        int r = meta_kernel(m, &list->via.array.ptr[i], &m->co->kernels[i]);
        if (r) return r;
        m->co->kernel_count++;
    }
    return 0;
}

/* ---- plausibility ---- */

struct shape { /* of one MessagePack object: what follows its first byte */
    uint8_t first, last;
    uint8_t length_bytes; /* big-endian length or count */
    uint8_t payload;      /* bytes, when there is no length */
    enum { PLAIN, BYTES, ITEMS, PAIRS } kind;
    uint8_t mask; /* the length is in the first byte itself */
};

/* Source: the MessagePack specification, "Formats". */
static const struct shape meta_shapes[] = {
    {0x00, 0x7f, 0, 0, PLAIN, 0},    {0x80, 0x8f, 0, 0, PAIRS, 0x0f},
    {0x90, 0x9f, 0, 0, ITEMS, 0x0f}, {0xa0, 0xbf, 0, 0, BYTES, 0x1f},
    {0xc0, 0xc0, 0, 0, PLAIN, 0},    {0xc2, 0xc3, 0, 0, PLAIN, 0},
    {0xc4, 0xc4, 1, 0, BYTES, 0},    {0xc5, 0xc5, 2, 0, BYTES, 0},
    {0xc6, 0xc6, 4, 0, BYTES, 0},    {0xca, 0xca, 0, 4, PLAIN, 0},
    {0xcb, 0xcb, 0, 8, PLAIN, 0},    {0xcc, 0xcc, 0, 1, PLAIN, 0},
    {0xcd, 0xcd, 0, 2, PLAIN, 0},    {0xce, 0xce, 0, 4, PLAIN, 0},
    {0xcf, 0xcf, 0, 8, PLAIN, 0},    {0xd0, 0xd0, 0, 1, PLAIN, 0},
    {0xd1, 0xd1, 0, 2, PLAIN, 0},    {0xd2, 0xd2, 0, 4, PLAIN, 0},
    {0xd3, 0xd3, 0, 8, PLAIN, 0},    {0xd9, 0xd9, 1, 0, BYTES, 0},
    {0xda, 0xda, 2, 0, BYTES, 0},    {0xdb, 0xdb, 4, 0, BYTES, 0},
    {0xdc, 0xdc, 2, 0, ITEMS, 0},    {0xdd, 0xdd, 4, 0, ITEMS, 0},
    {0xde, 0xde, 2, 0, PAIRS, 0},    {0xdf, 0xdf, 4, 0, PAIRS, 0},
    {0xe0, 0xff, 0, 0, PLAIN, 0},
};

static const struct shape *meta_shape(uint8_t byte) {
    for (size_t i = 0; i < sizeof meta_shapes / sizeof meta_shapes[0]; i++)
        if (byte >= meta_shapes[i].first && byte <= meta_shapes[i].last) return &meta_shapes[i];
    return NULL;
}

/* Whether every object lies inside the bytes that are there. The library allocates by the counts
 * it reads, before it looks for the items: 64 GiB for five wrong bytes. Extension types do not
 * occur in this metadata. */
static bool meta_plausible(const uint8_t *at, size_t left) {
    uint64_t wanted = 1; /* objects that must follow; each takes at least one byte */
    for (; wanted; wanted--) {
        if (wanted > left) return false;
        const struct shape *s = meta_shape(*at);
        if (!s || left - 1 < s->length_bytes) return false;
        uint64_t length = *at & s->mask;
        for (unsigned i = 0; i < s->length_bytes; i++)
            length = length << 8 | at[1 + i];
        uint64_t skip = 1u + s->length_bytes + s->payload + (s->kind == BYTES ? length : 0);
        if (skip > left) return false;
        at += skip;
        left -= skip;
        wanted += s->kind == ITEMS ? length : s->kind == PAIRS ? 2 * length : 0;
    }
    return true;
}

int co_parse_metadata(struct code_object *co, const void *data, size_t size, char *err,
                      size_t err_size) {
    struct meta m = {co, err, err_size};
    msgpack_unpacked unpacked;
    size_t offset = 0;
    msgpack_unpacked_init(&unpacked);
    int r = 0;
    if (!meta_plausible(data, size) ||
        msgpack_unpack_next(&unpacked, data, size, &offset) != MSGPACK_UNPACK_SUCCESS ||
        unpacked.data.type != MSGPACK_OBJECT_MAP)
        r = fail(&m, "not a MessagePack map");
    if (!r) r = meta_kernels(&m, &unpacked.data);
    if (!r) r = meta_printfs(&m, &unpacked.data);
    msgpack_unpacked_destroy(&unpacked);
    return r;
}
