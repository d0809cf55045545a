/* SPDX-License-Identifier: MIT */
#include "compiler/options.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUILD = 1 << COMPILER_BUILD, COMPILE = 1 << COMPILER_COMPILE, LINK = 1 << COMPILER_LINK };

/* Options that are one word and set one switch. actions: where the specification allows them. */
static const struct option_row {
    const char *text;
    size_t offset;
    unsigned actions;
} option_rows[] = {
#define ROW(text, field, actions)                                                                  \
    { text, offsetof(struct compiler_options, field), actions }
    ROW("-cl-single-precision-constant", single_precision_constant, BUILD | COMPILE),
    ROW("-cl-denorms-are-zero", denorms_are_zero, BUILD | COMPILE | LINK),
    ROW("-cl-fp32-correctly-rounded-divide-sqrt", correctly_rounded, BUILD | COMPILE),
    ROW("-cl-opt-disable", opt_disable, BUILD | COMPILE | LINK),
    ROW("-cl-strict-aliasing", strict_aliasing, BUILD | COMPILE),
    ROW("-cl-mad-enable", mad_enable, BUILD | COMPILE),
    ROW("-cl-no-signed-zeros", no_signed_zeros, BUILD | COMPILE | LINK),
    ROW("-cl-no-signed-zeroes", no_signed_zeros, LINK), /* as section 5.8.7.2 once spelled it */
    ROW("-cl-unsafe-math-optimizations", unsafe_math, BUILD | COMPILE | LINK),
    ROW("-cl-finite-math-only", finite_math, BUILD | COMPILE | LINK),
    ROW("-cl-fast-relaxed-math", fast_relaxed_math, BUILD | COMPILE | LINK),
    ROW("-cl-uniform-work-group-size", uniform_work_group_size, BUILD | COMPILE),
    ROW("-cl-no-subgroup-ifp", no_subgroup_ifp, BUILD | COMPILE | LINK),
    ROW("-w", no_warnings, BUILD | COMPILE | LINK),
    ROW("-Werror", warnings_are_errors, BUILD | COMPILE),
    ROW("-cl-kernel-arg-info", kernel_arg_info, BUILD | COMPILE),
    ROW("-g", debug, BUILD | COMPILE),
    ROW("-create-library", create_library, LINK),
    ROW("-enable-link-options", enable_link_options, LINK),
#undef ROW
};

static const char *const option_standards[] = {"CL1.0", "CL1.1", "CL1.2",     "CL2.0",
                                               "CL3.0", "CLC++", "CLC++2021", NULL};

static const char *const option_action_names[] = {"building", "compiling", "linking"};

/* Takes the next word of *at, unquoted, into *to, which moves on. Words end at white space; double
 * quotes keep it; a backslash keeps the next character (inside quotes only before " and \).
 * Returns NULL at the end; an open quote sets *open. */
static char *option_word(const char **at, char **to, bool *open) {
    const char *p = *at;
    while (isspace((unsigned char)*p))
        p++;
    if (!*p) return NULL;
    char *word = *to, *out = *to;
    bool quoted = false;
    for (; *p && (quoted || !isspace((unsigned char)*p)); p++) {
        if (*p == '"') {
            quoted = !quoted;
        } else if (*p == '\\' && p[1] && (!quoted || p[1] == '"' || p[1] == '\\')) {
            *out++ = *++p;
        } else {
            *out++ = *p;
        }
    }
    *out++ = 0;
    *open = quoted;
    *to = out;
    *at = p;
    return word;
}

static bool option_define_valid(const char *text) {
    return isalpha((unsigned char)text[0]) || text[0] == '_' || (text[0] & 0x80);
}

static int option_standard(const char *value, struct compiler_options *out, char *err,
                           size_t size) {
    for (size_t i = 0; option_standards[i]; i++)
        if (!strcmp(value, option_standards[i])) {
            out->standard = option_standards[i];
            return 0;
        }
    snprintf(err, size, "-cl-std=%s: no such language version (known: CL1.0 to CL3.0, CLC++)",
             value);
    return -EINVAL;
}

static int option_switch(const char *word, enum compiler_action action,
                         struct compiler_options *out, char *err, size_t size) {
    for (size_t i = 0; i < sizeof option_rows / sizeof option_rows[0]; i++) {
        const struct option_row *row = &option_rows[i];
        if (strcmp(word, row->text) != 0) continue;
        if (!(row->actions & (1u << action))) {
            snprintf(err, size, "%s: not an option for %s", word, option_action_names[action]);
            return -EINVAL;
        }
        *(bool *)((char *)out + row->offset) = true;
        return 0;
    }
    if (!strcmp(word, "-x") || !strncmp(word, "-spir-std", 9))
        snprintf(err, size, "%s: SPIR input is not supported (no cl_khr_spir)", word);
    else
        snprintf(err, size, "%s: unknown option", word);
    return -EINVAL;
}

/* -D and -I take their value in the same word or in the next one. */
static int option_with_value(char *word, const char **at, char **to, bool *open,
                             struct compiler_options *out, char *err, size_t size) {
    char *value = word[2] ? word + 2 : option_word(at, to, open);
    if (!value || !*value) {
        snprintf(err, size, "%.2s: a %s must follow", word,
                 word[1] == 'D' ? "macro name" : "directory");
        return -EINVAL;
    }
    if (word[1] == 'I') {
        out->includes[out->include_count++] = value;
        return 0;
    }
    if (!option_define_valid(value)) {
        snprintf(err, size, "-D %s: a macro name cannot start like this", value);
        return -EINVAL;
    }
    out->defines[out->define_count++] = value;
    return 0;
}

int compiler_options_parse(const char *options, enum compiler_action action,
                           struct compiler_options *out, char *err, size_t err_size) {
    *out = (struct compiler_options){.standard = "CL1.2"};
    if (err_size) err[0] = 0;
    if (!options) options = "";
    size_t length = strlen(options);
    /* A word takes no more than its text and one NUL, and no option is shorter than one byte. */
    out->storage = malloc(2 * length + 2);
    out->defines = calloc(length / 2 + 1, sizeof *out->defines);
    out->includes = calloc(length / 2 + 1, sizeof *out->includes);
    if (!out->storage || !out->defines || !out->includes) {
        compiler_options_free(out);
        return -ENOMEM;
    }
    const char *at = options;
    char *to = out->storage, *word;
    bool open = false;
    int r = 0;
    while (!r && (word = option_word(&at, &to, &open))) {
        bool on_value = word[0] == '-' && (word[1] == 'D' || word[1] == 'I');
        if (on_value)
            r = option_with_value(word, &at, &to, &open, out, err, err_size);
        else if (!strncmp(word, "-cl-std=", 8))
            r = option_standard(word + 8, out, err, err_size);
        else if (!open)
            r = option_switch(word, action, out, err, err_size);
        bool for_source = on_value || !strncmp(word, "-cl-std=", 8);
        if (!r && for_source && action == COMPILER_LINK) {
            snprintf(err, err_size, "%s: not an option for linking", word);
            r = -EINVAL;
        }
        if (!r && open) {
            snprintf(err, err_size, "%s: a double quote is never closed", word);
            r = -EINVAL;
        }
    }
    return r;
}

void compiler_options_free(struct compiler_options *o) {
    free(o->storage);
    free(o->defines);
    free(o->includes);
    *o = (struct compiler_options){0};
}

enum compiler_status compiler_check_options(const char *options, enum compiler_action action,
                                            char *log, size_t log_size) {
    struct compiler_options parsed;
    int r = compiler_options_parse(options, action, &parsed, log, log_size);
    compiler_options_free(&parsed);
    return r == -EINVAL ? COMPILER_INVALID_OPTIONS : r ? COMPILER_UNAVAILABLE : COMPILER_OK;
}
