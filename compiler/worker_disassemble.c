/* SPDX-License-Identifier: MIT */
#include "compiler/worker_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Object.h>

#include "compiler/worker_args.h"

struct label {
    uint64_t address;
    const char *name;
};

static int label_order(const void *a, const void *b) {
    const struct label *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* All named symbols, by address. The names belong to the file's buffer. */
static struct label *disassemble_labels(LLVMBinaryRef file, size_t *count) {
    struct label *labels = NULL;
    size_t n = 0, capacity = 0;
    LLVMSymbolIteratorRef it = LLVMObjectFileCopySymbolIterator(file);
    for (; !LLVMObjectFileIsSymbolIteratorAtEnd(file, it); LLVMMoveToNextSymbol(it)) {
        const char *name = LLVMGetSymbolName(it);
        if (!name || !name[0]) continue;
        if (n == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            struct label *more = realloc(labels, capacity * sizeof *more);
            if (!more) break;
            labels = more;
        }
        labels[n++] = (struct label){LLVMGetSymbolAddress(it), name};
    }
    LLVMDisposeSymbolIterator(it);
    if (n) qsort(labels, n, sizeof *labels, label_order);
    *count = n;
    return labels;
}

static void disassemble_section(LLVMDisasmContextRef dis, const uint8_t *text, uint64_t size,
                                uint64_t address, const struct label *labels, size_t label_count,
                                struct bytes *out) {
    char line[256];
    size_t next = 0;
    for (uint64_t at = 0; at < size;) {
        while (next < label_count && labels[next].address < address + at)
            next++;
        for (; next < label_count && labels[next].address == address + at; next++)
            bytes_printf(out, "\n%s:\n", labels[next].name);
        size_t n = LLVMDisasmInstruction(dis, (uint8_t *)text + at, size - at, address + at, line,
                                         sizeof line);
        if (!n) snprintf(line, sizeof line, "\t.long");
        if (!n) n = size - at < 4 ? size - at : 4;
        if (!strcmp(line, "\ts_code_end")) { /* padding for the instruction prefetch */
            at += n;
            continue;
        }
        bytes_printf(out, "%-60s // %06llx:", line, (unsigned long long)(address + at));
        for (size_t i = 0; i + 4 <= n; i += 4) {
            uint32_t word;
            memcpy(&word, text + at + i, sizeof word);
            bytes_printf(out, " %08x", word);
        }
        bytes_put(out, "\n", 1);
        at += n;
    }
}

void worker_build_disassemble(const char *target, const void *data, size_t size,
                              struct wire_result *result) {
    *result = (struct wire_result){.status = COMPILER_BUILD_FAILED};
    struct bytes out = {0};
    char *message = NULL;
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(data, size, "input", 0);
    LLVMBinaryRef file = LLVMCreateBinary(buffer, ctx, &message);
    LLVMDisasmContextRef dis = file && worker_target(target)
                                   ? LLVMCreateDisasmCPU(WORKER_TRIPLE, target, NULL, 0, NULL, NULL)
                                   : NULL;
    if (dis) {
        size_t count;
        struct label *labels = disassemble_labels(file, &count);
        LLVMSectionIteratorRef it = LLVMObjectFileCopySectionIterator(file);
        for (; !LLVMObjectFileIsSectionIteratorAtEnd(file, it); LLVMMoveToNextSection(it)) {
            const char *name = LLVMGetSectionName(it);
            if (!name || strcmp(name, ".text") != 0) continue;
            disassemble_section(dis, (const uint8_t *)LLVMGetSectionContents(it),
                                LLVMGetSectionSize(it), LLVMGetSectionAddress(it), labels, count,
                                &out);
        }
        LLVMDisposeSectionIterator(it);
        free(labels);
        LLVMDisasmDispose(dis);
        result->status = COMPILER_OK;
        result->binary_size = out.size;
        result->binary = bytes_take_text(&out);
        result->log = strdup("");
    } else {
        bytes_printf(&out, "error: cannot disassemble for %s: %s\n", target,
                     message ? message : "no such target");
        result->log = bytes_take_text(&out);
    }
    if (message) LLVMDisposeMessage(message);
    if (file) LLVMDisposeBinary(file);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(ctx);
}
