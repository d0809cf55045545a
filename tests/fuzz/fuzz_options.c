/* SPDX-License-Identifier: MIT */
/* Build options: the application's own text. */
#include "compiler/options.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    char err[128];
    struct compiler_options o;
    compiler_options_parse(text, (enum compiler_action)(data[0] % 3), &o, err, sizeof err);
    compiler_options_free(&o);
    free(text);
    return 0;
}
