/* SPDX-License-Identifier: MIT */
/* Code objects and compiled objects come from files that applications kept: any bytes. */
#include "compiler/code_object.h"
#include "compiler/container.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char err[256], target[16];
    struct container_header header;
    const void *bitcode;
    size_t bitcode_size;
    const char *why;
    co_identify(data, size);
    co_target(data, size, target);
    container_open(data, size, &header, &bitcode, &bitcode_size, &why);
    struct code_object *co;
    if (co_parse(data, size, &co, err, sizeof err) == 0) {
        /* Up to 1 GiB of program-scope variables is legal: parsed, but not copied here. */
        uint8_t *image = co->image_size <= 16u << 20 ? malloc(co->image_size + 1) : NULL;
        if (image) co_relocate(co, 0x200000000000, image);
        free(image);
        for (size_t i = 0; i < co->kernel_count; i++)
            if (!co_find_kernel(co, co->kernels[i].name)) abort();
        co_free(co);
    }
    return 0;
}
