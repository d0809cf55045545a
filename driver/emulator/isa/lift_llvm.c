/* SPDX-License-Identifier: MIT */
/* lift_llvm.c - modules, target, passes, object file. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "driver/emulator/isa/lift_bitcode.h"
#include "driver/emulator/isa/lift_internal.h"

extern const unsigned sem_valu_row_count_base;

int lift_fail(struct lift *l, int err, const char *what) {
    if (!l->out->error[0]) snprintf(l->out->error, sizeof l->out->error, "%s", what);
    return err;
}

static LLVMModuleRef parse(struct lift *l, const struct lift_bitcode *bc) {
    LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRange(
        (const char *)bc->begin, (size_t)(bc->end - bc->begin), "bitcode", 0);
    LLVMModuleRef m = NULL;
    if (LLVMParseBitcodeInContext2(l->cx, buf, &m)) m = NULL;
    LLVMDisposeMemoryBuffer(buf);
    return m;
}

/* The functions of the table in the bitcode, in its order. */
static bool read_rows(struct lift *l) {
    LLVMValueRef g = LLVMGetNamedGlobal(l->sem, "sem_valu_rows");
    LLVMValueRef rows = g ? LLVMGetInitializer(g) : NULL;
    unsigned n = sem_valu_row_count_base;
    l->sem_fn = calloc(n, sizeof *l->sem_fn);
    if (!rows || !l->sem_fn || LLVMGetArrayLength2(LLVMTypeOf(rows)) != n) return false;
    for (unsigned i = 0; i < n; i++)
        l->sem_fn[i] = LLVMGetOperand(LLVMGetAggregateElement(rows, i), 1);
    return true;
}

static void make_types(struct lift *l) {
    l->i1 = LLVMInt1TypeInContext(l->cx);
    l->i8 = LLVMInt8TypeInContext(l->cx);
    l->i32 = LLVMInt32TypeInContext(l->cx);
    l->i64 = LLVMInt64TypeInContext(l->cx);
    l->ptr = LLVMPointerTypeInContext(l->cx, 0);
    l->v32 = LLVMVectorType(l->i32, 32);
    l->v32f = LLVMVectorType(LLVMFloatTypeInContext(l->cx), 32);
    l->v1 = LLVMVectorType(l->i1, 32);
    LLVMTypeRef fn[] = {l->ptr, l->ptr, l->i64, l->i32}, step[] = {l->ptr, l->i64};
    l->fn_type = LLVMFunctionType(l->i64, fn, 4, false);
    l->step_type = LLVMFunctionType(l->i32, step, 2, false);
}

int lift_llvm_open(struct lift *l) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, lift_llvm_init);
    const struct lift_request *rq = l->rq;
    unsigned denorm = rq->mode >> 4 & 3;
    bool ieee = rq->mode >> 9 & 1 || rq->arch == ISA_GFX12;
    if (rq->mode & 15 || (denorm != 0 && denorm != 3) || (rq->mode >> 6 & 3) != 3)
        return lift_fail(l, -ENOTSUP, "MODE with other rounding or denormals than are compiled");
    l->cx = LLVMContextCreate();
    l->sem = parse(l, &lift_bitcode_sem[denorm == 3][ieee]);
    l->mod = parse(l, &lift_bitcode_inline[rq->host]);
    l->b = LLVMCreateBuilderInContext(l->cx);
    if (!l->sem || !l->mod) return lift_fail(l, -EIO, "the lifter's bitcode cannot be read");
    make_types(l);
    if (!read_rows(l)) return lift_fail(l, -EIO, "the lifter's bitcode has another table");
    return 0;
}

void lift_llvm_close(struct lift *l) {
    if (l->b) LLVMDisposeBuilder(l->b);
    if (l->mod) LLVMDisposeModule(l->mod);
    if (l->sem) LLVMDisposeModule(l->sem);
    if (l->cx) LLVMContextDispose(l->cx);
    free(l->sem_fn);
}

LLVMValueRef lift_llvm_function(struct lift *l, const char *name) {
    return LLVMGetNamedFunction(l->mod, name);
}

void lift_llvm_init(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

static LLVMTargetMachineRef target_machine(struct lift *l) {
    static const char *const cpus[] = {"x86-64", "x86-64-v3", "x86-64-v4"};
    LLVMTargetRef t;
    char *err = NULL;
    if (LLVMGetTargetFromTriple("x86_64-unknown-linux-gnu", &t, &err)) {
        LLVMDisposeMessage(err);
        return NULL;
    }
    return LLVMCreateTargetMachine(t, "x86_64-unknown-linux-gnu", cpus[l->rq->host], "",
                                   LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
}

static int fail_text(struct lift *l, const char *what, char *text) {
    snprintf(l->out->error, sizeof l->out->error, "%s: %.200s", what, text ? text : "");
    LLVMDisposeMessage(text);
    return -EIO;
}

/* Functions of jit_inline.c that nothing calls, and those that were only there to be cloned. */
static void drop_unused(struct lift *l) {
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->mod); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMGetFirstUse(f)) {
            if (!LLVMIsDeclaration(f)) LLVMSetLinkage(f, LLVMInternalLinkage);
        } else {
            LLVMDeleteFunction(f);
        }
    }
}

int lift_llvm_finish(struct lift *l) {
    drop_unused(l);
    LLVMTargetMachineRef tm = target_machine(l);
    if (!tm) return lift_fail(l, -EIO, "LLVM has no x86 target");
    char *text = NULL;
    if (l->rq->dump) LLVMPrintModuleToFile(l->mod, l->rq->dump, NULL);
    int err = 0;
    if (LLVMVerifyModule(l->mod, LLVMReturnStatusAction, &text))
        err = fail_text(l, "IR", text);
    else
        LLVMDisposeMessage(text);
    if (!err) {
        LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
        LLVMErrorRef e = LLVMRunPasses(
            l->mod, "always-inline,function(sroa,early-cse,simplifycfg),globaldce", tm, o);
        LLVMDisposePassBuilderOptions(o);
        if (e) {
            char *m = LLVMGetErrorMessage(e);
            snprintf(l->out->error, sizeof l->out->error, "passes: %.200s", m);
            LLVMDisposeErrorMessage(m);
            err = -EIO;
        }
    }
    LLVMMemoryBufferRef buf = NULL;
    text = NULL;
    if (!err && LLVMTargetMachineEmitToMemoryBuffer(tm, l->mod, LLVMObjectFile, &text, &buf))
        err = fail_text(l, "code generation", text);
    if (!err) {
        l->out->object_size = LLVMGetBufferSize(buf);
        l->out->object = malloc(l->out->object_size);
        if (l->out->object)
            memcpy(l->out->object, LLVMGetBufferStart(buf), l->out->object_size);
        else
            err = lift_fail(l, -ENOMEM, "no memory");
    }
    if (buf) LLVMDisposeMemoryBuffer(buf);
    LLVMDisposeTargetMachine(tm);
    return err;
}
