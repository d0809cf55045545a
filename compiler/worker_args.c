/* SPDX-License-Identifier: MIT */
#include "compiler/worker_args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/features.h"

/* Source of the version numbers: ROCm-Device-Libs, oclc_isa_version_*. */
static const struct target_row worker_targets[] = {
    {"gfx1100", 11000}, {"gfx1101", 11001}, {"gfx1102", 11002}, {"gfx1103", 11003},
    {"gfx1150", 11050}, {"gfx1151", 11051}, {"gfx1152", 11052}, {"gfx1153", 11053},
    {"gfx1200", 12000}, {"gfx1201", 12001},
};

struct arg_storage {
    struct arg_storage *next;
    char text[];
};

const struct target_row *worker_target(const char *name) {
    for (size_t i = 0; i < sizeof worker_targets / sizeof worker_targets[0]; i++)
        if (!strcmp(worker_targets[i].name, name)) return &worker_targets[i];
    return NULL;
}

static void args_add(struct arg_list *list, const char *arg) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        const char **args = realloc(list->args, capacity * sizeof *args);
        if (!args) {
            list->failed = true;
            return;
        }
        list->args = args;
        list->capacity = capacity;
    }
    list->args[list->count++] = arg;
}

static void args_add_joined(struct arg_list *list, const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    struct arg_storage *s = malloc(sizeof *s + size);
    if (!s) {
        list->failed = true;
        return;
    }
    snprintf(s->text, size, "%s%s%s", a, b, c);
    s->next = list->storage;
    list->storage = s;
    args_add(list, s->text);
}

static void args_add_features(struct arg_list *list, bool features) {
    args_add(list, "-cl-ext=-all");
    for (size_t i = 0; i < COMPILER_EXTENSION_COUNT; i++)
        args_add_joined(list, "-cl-ext=+", compiler_extensions[i].name, "");
    for (size_t i = 0; features && i < COMPILER_C_FEATURE_COUNT; i++)
        args_add_joined(list, "-cl-ext=+", compiler_c_features[i].name, "");
}

static void args_add_switches(struct arg_list *list, const struct compiler_options *o) {
    const struct {
        bool on;
        const char *arg;
    } switches[] = {
        {o->single_precision_constant, "-cl-single-precision-constant"},
        {o->denorms_are_zero, "-fdenormal-fp-math-f32=preserve-sign,preserve-sign"},
        {o->correctly_rounded, "-cl-fp32-correctly-rounded-divide-sqrt"},
        {o->mad_enable, "-cl-mad-enable"},
        {o->no_signed_zeros, "-cl-no-signed-zeros"},
        {o->unsafe_math, "-cl-unsafe-math-optimizations"},
        {o->finite_math, "-cl-finite-math-only"},
        {o->fast_relaxed_math, "-cl-fast-relaxed-math"},
        {o->uniform_work_group_size, "-cl-uniform-work-group-size"},
        {o->no_warnings, "-w"},
        {o->warnings_are_errors, "-Werror"},
        {o->debug, "-debug-info-kind=constructor"},
        {o->debug, "-dwarf-version=5"},
        {o->debug, "-debugger-tuning=gdb"},
    };
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        if (switches[i].on) args_add(list, switches[i].arg);
}

static void args_add_user(struct arg_list *list, const struct compiler_options *o,
                          const char *directory) {
    for (size_t i = 0; i < o->define_count; i++) {
        args_add(list, "-D");
        args_add(list, o->defines[i]);
    }
    args_add(list, "-I"); /* embedded headers, for <name> */
    args_add(list, ".");
    for (size_t i = 0; i < o->include_count; i++) {
        args_add(list, "-I");
        if (o->includes[i][0] == '/')
            args_add(list, o->includes[i]);
        else
            args_add_joined(list, directory, "/", o->includes[i]);
    }
    args_add(list, "-I");
    args_add(list, directory);
}

void worker_args_make(struct arg_list *list, const char *target, bool wave64,
                      const struct compiler_options *options, const char *directory) {
    static const char *const fixed[] = {
        "-triple",
        WORKER_TRIPLE,
        "-emit-llvm-only",
        "-disable-llvm-passes",
        "-discard-value-names",
        ("-mcode-object-version=" WORKER_CODE_OBJECT),
        "-main-file-name",
        WORKER_SOURCE,
        "-mrelocation-model",
        "pic",
        "-pic-level",
        "2",
        "-mframe-pointer=none",
        "-ffp-contract=on",
        "-fno-rounding-math",
        "-fvisibility=hidden",
        "-fapply-global-visibility-to-externs",
        "-fgnuc-version=4.2.1",
        "-ferror-limit",
        "100",
        "-vectorize-loops",
        "-vectorize-slp",
        "-nostdsysteminc",
        "-nobuiltininc",
        "-internal-isystem",
        WORKER_INCLUDE,
        "-finclude-default-header",
        "-fdeclare-opencl-builtins",
        "-cl-kernel-arg-info",
        "-D",
        "__OPENCL_VERSION__=300",
        "-target-cpu",
    };
    const bool cxx = !strncmp(options->standard, "CLC++", 5);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        args_add(list, fixed[i]);
    args_add(list, target);
    args_add(list, "-target-feature");
    args_add(list, wave64 ? "+wavefrontsize64" : "+wavefrontsize32");
    args_add(list, options->opt_disable ? "-O0" : "-O3");
    args_add_joined(list, "-cl-std=", options->standard, "");
    args_add_features(list, strncmp(options->standard, "CL1", 3) != 0);
    args_add_switches(list, options);
    args_add_user(list, options, directory);
    args_add(list, "-x");
    args_add(list, cxx ? "clcpp" : "cl");
    args_add(list, WORKER_SOURCE);
}

void worker_args_free(struct arg_list *list) {
    while (list->storage) {
        struct arg_storage *next = list->storage->next;
        free(list->storage);
        list->storage = next;
    }
    free(list->args);
    *list = (struct arg_list){0};
}
