/* SPDX-License-Identifier: MIT */
#include "compiler/worker_printf.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/wire.h"

enum { PRINTF_MAX_ARGS = 1024, PRINTF_MAX_WIDTH = 4096 };

/* The characters of a constant C string, up to its NUL; NULL when v is none. */
static const char *constant_string(LLVMValueRef v, size_t *length) {
    while (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMAddrSpaceCast)
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsAGlobalVariable(v) || !LLVMIsGlobalConstant(v)) return NULL;
    LLVMValueRef init = LLVMGetInitializer(v);
    if (!init) return NULL;
    if (LLVMIsAConstantAggregateZero(init)) {
        *length = 0;
        return "";
    }
    if (!LLVMIsAConstantDataSequential(init) || !LLVMIsConstantString(init)) return NULL;
    size_t size;
    const char *text = LLVMGetAsString(init, &size);
    const char *end = memchr(text, 0, size);
    if (!end) return NULL;
    *length = (size_t)(end - text);
    return text;
}

static void append_escaped(struct bytes *out, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        bytes_put(out, text[i] == '%' ? "%%" : &text[i], text[i] == '%' ? 2 : 1);
}

/* "%-8.3s" of spec, applied to text. False when its width is beyond reason. */
static bool append_formatted(struct bytes *out, const char *spec, size_t spec_length,
                             const char *text) {
    char format[32], result[PRINTF_MAX_WIDTH + 1];
    if (spec_length >= sizeof format) return false;
    memcpy(format, spec, spec_length);
    format[spec_length] = 0;
    if (strspn(format + 1, "-+ #0123456789.") != spec_length - 2) return false;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int n = snprintf(result, sizeof result, format, text);
#pragma GCC diagnostic pop
    if (n < 0 || n >= (int)sizeof result) return false;
    append_escaped(out, result, (size_t)n);
    return true;
}

struct folding {
    LLVMValueRef args[PRINTF_MAX_ARGS]; /* without the format */
    unsigned arg_count;
    struct bytes format;
    bool folded;
};

/* Walks the format, copying it, with the strings in place. False: leave the call alone. */
static bool fold_call(LLVMValueRef call, struct folding *f) {
    unsigned operands = LLVMGetNumArgOperands(call), next = 1;
    size_t length;
    const char *text = operands ? constant_string(LLVMGetOperand(call, 0), &length) : NULL;
    if (!text || operands > PRINTF_MAX_ARGS) return false;
    for (const char *p = text, *end = text + length; p < end;) {
        const char *start = p++;
        if (*start != '%') {
            bytes_put(&f->format, start, 1);
            continue;
        }
        while (p < end && !strchr("diouxXfFeEgGaAcsp%", *p))
            p++;
        if (p == end) return false;
        p++;
        size_t n = (size_t)(p - start), string_length;
        if (p[-1] == '%') {
            bytes_put(&f->format, start, n);
            continue;
        }
        if (next >= operands) return false;
        LLVMValueRef arg = LLVMGetOperand(call, next++);
        const char *string = p[-1] == 's' ? constant_string(arg, &string_length) : NULL;
        if (string && append_formatted(&f->format, start, n, string)) {
            f->folded = true;
            continue;
        }
        bytes_put(&f->format, start, n);
        f->args[f->arg_count++] = arg;
    }
    while (next < operands) /* evaluated, then ignored (C17 7.21.6.1) */
        f->args[f->arg_count++] = LLVMGetOperand(call, next++);
    return f->folded;
}

static void replace_call(LLVMContextRef ctx, LLVMModuleRef module, LLVMValueRef call,
                         const struct folding *f) {
    LLVMValueRef printf_function = LLVMGetCalledValue(call);
    LLVMValueRef old = LLVMGetOperand(call, 0);
    LLVMValueRef init =
        LLVMConstStringInContext2(ctx, (const char *)f->format.data, f->format.size, 0);
    LLVMValueRef global = LLVMAddGlobalInAddressSpace(module, LLVMTypeOf(init), ".printf.format",
                                                      LLVMGetPointerAddressSpace(LLVMTypeOf(old)));
    LLVMSetInitializer(global, init);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMValueRef args[PRINTF_MAX_ARGS + 1] = {global};
    memcpy(args + 1, f->args, f->arg_count * sizeof args[0]);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx);
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef with = LLVMBuildCall2(builder, LLVMGetCalledFunctionType(call), printf_function,
                                       args, f->arg_count + 1, "");
    LLVMSetInstructionCallConv(with, LLVMGetInstructionCallConv(call));
    LLVMReplaceAllUsesWith(call, with);
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(builder);
}

void worker_printf_fold_strings(LLVMContextRef ctx, LLVMModuleRef module) {
    LLVMValueRef function = LLVMGetNamedFunction(module, "printf");
    if (!function) return;
    for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef call = LLVMGetUser(use);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function) continue;
        struct folding f = {0};
        if (fold_call(call, &f)) replace_call(ctx, module, call, &f);
        bytes_free(&f.format);
    }
}
