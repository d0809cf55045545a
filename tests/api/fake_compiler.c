/* SPDX-License-Identifier: MIT */
/* fake_compiler.c - compiler/compiler.h and compiler/code_object.h for tests of the runtime alone.
 * A "binary" is a header line and the source; parsing it finds the kernels in the source:
 * "kernel void name(type name, ...)".
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/code_object.h"
#include "compiler/compiler.h"
#include "runtime/api.h"

static const char *const magics[] = {"FAKEEXE gfx1100\n", "FAKEOBJ gfx1100\n", "FAKELIB gfx1100\n"};

enum { MAGIC = 16 };

/* ---- compiler.h ---- */

static bool has_option(const char *options, const char *what) {
    return options && strstr(options, what);
}

enum compiler_status compiler_check_options(const char *options, enum compiler_action action,
                                            char *log, size_t log_size) {
    (void)action;
    if (!has_option(options, "-nonsense")) return COMPILER_OK;
    snprintf(log, log_size, "unknown option -nonsense");
    return COMPILER_INVALID_OPTIONS;
}

void compiler_run(const struct compiler_job *job, struct compiler_result *out) {
    char *text = NULL;
    size_t size = 0;
    int kind = job->action == COMPILER_BUILD                 ? 0
               : job->action == COMPILER_COMPILE             ? 1
               : has_option(job->options, "-create-library") ? 2
                                                             : 0;
    FILE *f = open_memstream(&text, &size);

    fputs(magics[kind], f);
    if (job->source) fwrite(job->source, 1, job->source_size, f);
    for (size_t i = 0; i < job->input_count; i++)
        fwrite((const char *)job->inputs[i].data + MAGIC, 1, job->inputs[i].size - MAGIC, f);
    fclose(f);
    bool bad = strstr(text + MAGIC, "#error");
    *out = (struct compiler_result){.status = bad ? COMPILER_BUILD_FAILED : COMPILER_OK,
                                    .binary = bad ? NULL : text,
                                    .binary_size = bad ? 0 : size,
                                    .log = strdup(bad ? "<source>:1: error: #error\n" : "")};
    if (bad) free(text);
}

void compiler_result_free(struct compiler_result *r) {
    free(r->binary);
    free(r->log);
}

int compiler_lift(void *unused, const void *request, size_t size, bool only_cached, void **reply,
                  size_t *reply_size, char *why, size_t why_size) {
    (void)unused;
    (void)request;
    (void)size;
    (void)only_cached;
    *reply = NULL;
    *reply_size = 0;
    snprintf(why, why_size, "the fake compiler lifts nothing");
    return -ENODEV;
}

void compiler_warm_up(const char *target) {
    (void)target;
}
void compiler_after_fork_child(void) {}

/* ---- code_object.h ---- */

enum co_kind co_identify(const void *data, size_t size) {
    static const enum co_kind kinds[] = {CO_EXECUTABLE, CO_OBJECT, CO_LIBRARY};

    for (int i = 0; i < 3; i++)
        if (size >= MAGIC && !memcmp(data, magics[i], MAGIC)) return kinds[i];
    return CO_INVALID;
}

void co_target(const void *data, size_t size, char out[16]) {
    snprintf(out, 16, "%s", co_identify(data, size) == CO_INVALID ? "" : "gfx1100");
}

static void parse_arg(struct co_arg *a, const char *text, size_t len, uint32_t *offset) {
    char buf[128] = "";

    snprintf(buf, sizeof buf, "%.*s", (int)len, text);
    a->size = strstr(buf, "long") || strstr(buf, "double") ? 8 : strstr(buf, "char") ? 1 : 4;
    if (strstr(buf, "float4") || strstr(buf, "int4")) a->size = 16;
    if (strchr(buf, '*')) {
        a->kind = strstr(buf, "local") ? CO_ARG_DYNAMIC_SHARED_POINTER : CO_ARG_GLOBAL_BUFFER;
        a->size = a->kind == CO_ARG_GLOBAL_BUFFER ? 8 : 4;
        a->pointee_align = 4;
    }
    *offset = (*offset + a->size - 1) / a->size * a->size;
    a->offset = *offset;
    *offset += a->size;
    a->name = strdup("arg");
    a->type_name = strdup("type");
}

static void add_hidden(struct co_kernel *k) {
    for (int i = 0; i < 6; i++) {
        struct co_arg *a = &k->args[k->arg_count++];
        a->kind = i < 3 ? CO_ARG_HIDDEN_GROUP_SIZE_X + i : CO_ARG_HIDDEN_GLOBAL_OFFSET_X + i - 3;
        a->offset = i < 3 ? 64 + 2 * (uint32_t)i : 72 + 8 * (uint32_t)(i - 3);
        a->size = i < 3 ? 2 : 8;
    }
    k->kernarg_size = 128;
}

static const char *parse_kernel(struct co_kernel *k, const char *p) {
    size_t n = strcspn(p, "( ");
    uint32_t offset = 0;

    *k = (struct co_kernel){.name = strndup(p, n),
                            .wavefront_size = 32,
                            .vec_type_hint = "",
                            .attributes = "",
                            .max_flat_workgroup_size = 1024};
    k->args = calloc(64, sizeof *k->args);
    p += n + strspn(p + n, "( ");
    while (*p && *p != ')') {
        size_t len = strcspn(p, ",)");
        parse_arg(&k->args[k->arg_count++], p, len, &offset);
        p += len;
        if (*p == ',') p++;
    }
    k->explicit_arg_count = k->arg_count;
    add_hidden(k);
    return p;
}

int co_parse(const void *data, size_t size, struct code_object **out, char *err, size_t err_size) {
    if (co_identify(data, size) != CO_EXECUTABLE) {
        snprintf(err, err_size, "not a fake executable");
        return -EINVAL;
    }
    struct code_object *co = calloc(1, sizeof *co);
    char *text = strndup((const char *)data + MAGIC, size - MAGIC);
    co->kernels = calloc(64, sizeof *co->kernels);
    co->image_size = 4096;
    co->image = calloc(1, 4096);
    for (const char *p = text; (p = strstr(p, "kernel void "));)
        p = parse_kernel(&co->kernels[co->kernel_count++], p + strlen("kernel void "));
    free(text);
    *out = co;
    return 0;
}

void co_free(struct code_object *co) {
    for (size_t i = 0; i < co->kernel_count; i++) {
        struct co_kernel *k = &co->kernels[i];
        for (uint32_t a = 0; a < k->explicit_arg_count; a++) {
            free((void *)k->args[a].name);
            free((void *)k->args[a].type_name);
        }
        free(k->args);
        free((void *)k->name);
    }
    free(co->kernels);
    free(co->image);
    free(co);
}

void co_relocate(const struct code_object *co, uint64_t load_va, uint8_t *dst) {
    (void)load_va;
    memcpy(dst, co->image, co->image_size);
}

const struct co_kernel *co_find_kernel(const struct code_object *co, const char *name) {
    for (size_t i = 0; i < co->kernel_count; i++)
        if (!strcmp(co->kernels[i].name, name)) return &co->kernels[i];
    return NULL;
}
