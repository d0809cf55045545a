/* SPDX-License-Identifier: MIT */
/* prepare - build-time tool: makes one device library for the worker out of AMD's bitcode files.
 *
 * usage: prepare OUTPUT INPUT.bc...
 *
 * The inputs are linked in order; a name defined twice is an error. The chip that our own files
 * were compiled for is taken off their functions, so that they inline into code for any. Two more
 * things are changed, both because AMD's files were made for an older clang:
 *  - Names: they carry "U3AS0" on generic pointers, current clang leaves that qualifier out.
 *  - printf: the library defines one that returns -1; it would satisfy every call before the back
 *    end's printf pass could bind it, so it goes away.
 * The result is then split into shards (library.h). Writing it anew also turns typed pointers into
 * opaque ones.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>

#include "compiler/library.h"
#include "compiler/prepare_split.h"
#include "compiler/wire.h"

static LLVMModuleRef prepare_load(LLVMContextRef ctx, const char *path) {
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module = NULL;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        fprintf(stderr, "prepare: %s: %s\n", path, message);
        return NULL;
    }
    if (LLVMParseBitcodeInContext2(ctx, buffer, &module)) {
        fprintf(stderr, "prepare: %s: not readable as bitcode\n", path);
        module = NULL;
    }
    LLVMDisposeMemoryBuffer(buffer);
    return module;
}

/* Removes every "U3AS0". Back references (S4_) stay right: the qualifier and the type below it
 * count as one candidate each, before and after. */
static bool prepare_new_name(const char *name, size_t length, char *out, size_t out_size) {
    static const char mark[] = "U3AS0";
    const size_t mark_length = sizeof mark - 1;
    size_t n = 0;
    bool changed = false;
    if (length < 2 || memcmp(name, "_Z", 2) != 0 || length >= out_size) return false;
    for (size_t i = 0; i < length;) {
        if (length - i >= mark_length && memcmp(name + i, mark, mark_length) == 0) {
            i += mark_length;
            changed = true;
        } else {
            out[n++] = name[i++];
        }
    }
    out[n] = 0;
    return changed;
}

static void prepare_rename(LLVMModuleRef module, LLVMValueRef value, unsigned *renamed) {
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);
    char changed[512];
    if (!prepare_new_name(name, length, changed, sizeof changed)) return;
    LLVMValueRef other = LLVMGetNamedFunction(module, changed);
    if (other && !LLVMIsDeclaration(other)) return; /* already there under the new name */
    if (other) LLVMReplaceAllUsesWith(other, value);
    if (other) LLVMDeleteFunction(other);
    LLVMSetValueName2(value, changed, strlen(changed));
    ++*renamed;
}

static void prepare_names(LLVMModuleRef module) {
    unsigned renamed = 0;
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        next = LLVMGetNextFunction(f);
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        char changed[512];
        /* The successor could be the declaration that a rename deletes. */
        if (prepare_new_name(name, length, changed, sizeof changed) && next &&
            next == LLVMGetNamedFunction(module, changed))
            next = LLVMGetNextFunction(next);
        prepare_rename(module, f, &renamed);
    }
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
        prepare_rename(module, a, &renamed);
    LLVMValueRef printf_function = LLVMGetNamedFunction(module, "printf");
    if (printf_function) {
        LLVMValueRef undef = LLVMGetUndef(LLVMTypeOf(printf_function));
        LLVMReplaceAllUsesWith(printf_function, undef);
        LLVMDeleteFunction(printf_function);
    }
    printf("prepare: %u names rewritten%s\n", renamed, printf_function ? ", printf removed" : "");
}

static void prepare_targets(LLVMModuleRef module) {
    static const char *const keys[] = {"target-cpu", "target-features"};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, keys[i],
                                             (unsigned)strlen(keys[i]));
}

/* ---- output ---- */

struct entry {
    char *name;
    uint32_t shard;
};

struct output {
    struct entry *entries;
    size_t entry_count, entry_capacity;
    struct bytes shards; /* struct library_shard, offsets from the start of bitcode */
    struct bytes bitcode;
    uint32_t shard_count;
    bool failed;
};

static void output_shard(void *user, const char *bitcode, size_t size, const char *const *names,
                         size_t count) {
    struct output *out = user;
    struct library_shard shard = {(uint32_t)out->bitcode.size, (uint32_t)size};
    bytes_put(&out->shards, &shard, sizeof shard);
    bytes_put(&out->bitcode, bitcode, size);
    while (out->bitcode.size % 4)
        bytes_put(&out->bitcode, "", 1);
    for (size_t i = 0; i < count; i++) {
        if (out->entry_count == out->entry_capacity) {
            out->entry_capacity = out->entry_capacity ? out->entry_capacity * 2 : 1024;
            struct entry *more = realloc(out->entries, out->entry_capacity * sizeof *more);
            if (!more) out->failed = true;
            if (!more) return;
            out->entries = more;
        }
        out->entries[out->entry_count++] = (struct entry){strdup(names[i]), out->shard_count};
    }
    out->shard_count++;
}

static int entry_order(const void *a, const void *b) {
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static bool output_write(struct output *out, const char *path) {
    struct bytes file = {0}, texts = {0};
    const struct library_header header = {LIBRARY_MAGIC, (uint32_t)out->entry_count,
                                          out->shard_count, 0};
    qsort(out->entries, out->entry_count, sizeof *out->entries, entry_order);
    size_t tables = sizeof header + out->entry_count * sizeof(struct library_name) +
                    out->shard_count * sizeof(struct library_shard);
    uint32_t bitcode = (uint32_t)(tables + 3) / 4 * 4, text = bitcode + (uint32_t)out->bitcode.size;
    bytes_put(&file, &header, sizeof header);
    for (size_t i = 0; i < out->entry_count; i++) {
        struct library_name name = {text + (uint32_t)texts.size, out->entries[i].shard};
        bytes_put(&file, &name, sizeof name);
        bytes_put(&texts, out->entries[i].name, strlen(out->entries[i].name) + 1);
    }
    for (uint32_t i = 0; i < out->shard_count; i++) {
        struct library_shard shard;
        memcpy(&shard, out->shards.data + i * sizeof shard, sizeof shard);
        shard.offset += bitcode;
        bytes_put(&file, &shard, sizeof shard);
    }
    while (file.size < bitcode)
        bytes_put(&file, "", 1);
    bytes_put(&file, out->bitcode.data, out->bitcode.size);
    bytes_put(&file, texts.data, texts.size);
    if (file.failed || texts.failed || out->bitcode.failed || out->failed) return false;
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(file.data, 1, file.size, f) == file.size;
    return f && !fclose(f) && good;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: prepare OUTPUT INPUT.bc...\n");
        return 2;
    }
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef all = prepare_load(ctx, argv[2]);
    if (!all) return 1;
    for (int i = 3; i < argc; i++) {
        LLVMModuleRef one = prepare_load(ctx, argv[i]);
        if (!one || LLVMLinkModules2(all, one)) {
            fprintf(stderr, "prepare: %s: cannot be linked\n", argv[i]);
            return 1;
        }
    }
    prepare_names(all);
    prepare_targets(all);
    struct output out = {0};
    if (!prepare_split(all, output_shard, &out) || !output_write(&out, argv[1])) {
        fprintf(stderr, "prepare: cannot make %s\n", argv[1]);
        return 1;
    }
    printf("prepare: %zu names in %u shards, %zu bytes\n", out.entry_count, out.shard_count,
           out.bitcode.size);
    return 0;
}
