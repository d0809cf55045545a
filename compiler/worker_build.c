/* SPDX-License-Identifier: MIT */
/* worker_build.c - a job, step by step: front end, device library, optimiser, code generation,
 * linker. The LLVM context lives for one job; of the library, only the shards that define what a
 * program calls are loaded into it, and of those only the bodies that it calls.
 */
#include "compiler/worker_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "compiler/container.h"
#include "compiler/library.h"
#include "compiler/worker_args.h"
#include "compiler/worker_llvm.h"
#include "compiler/worker_link.h"
#include "compiler/worker_printf.h"

/* Put into the executable at build time (worker_header.c). */
extern const char worker_clang_header[], worker_clang_header_end[];
extern const char worker_own_header[], worker_own_header_end[];

#define BUILD_SHARDS 4096 /* loaded in one round; the rest follow in the next */
#define BUILD_ROUNDS 64   /* deeper than calls go in the library; what is left then is undefined */

struct build {
    LLVMContextRef ctx;
    LLVMModuleRef module;
    const struct wire_job *job;
    const struct target_row *target;
    struct compiler_options options;
    uint32_t flags; /* CONTAINER_* */
    bool errors;
    char **bounded; /* kernels whose source bounds their work-group size */
    size_t bounded_count;
    struct wire_result *result;
    double started, started_cpu; /* milliseconds: when the step began */
};

static struct {
    LLVMTargetRef target;
    struct library library;
    bool times;
} worker;

static struct bytes worker_log;

char *worker_build_take_log(void) {
    return bytes_take_text(&worker_log);
}

int worker_build_setup(const char *library_path, char *err, size_t err_size) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUDisassembler();
    char *message = NULL;
    if (LLVMGetTargetFromTriple(WORKER_TRIPLE, &worker.target, &message)) {
        snprintf(err, err_size, "%s", message);
        LLVMDisposeMessage(message);
        return -ENOSYS;
    }
    int r = library_open(library_path, &worker.library);
    if (r) {
        snprintf(err, err_size, "%s: %s", library_path, strerror(-r));
        return r;
    }
    worker.times = getenv("RAWCL_COMPILER_TIMES") != NULL;
    return 0;
}

/* ---- log ---- */

static void build_log(void *user, const char *text, size_t size) {
    (void)user;
    bytes_put(&worker_log, text, size);
}

#define build_error(b, ...)                                                                        \
    do {                                                                                           \
        (b)->errors = true;                                                                        \
        bytes_printf(&worker_log, "error: " __VA_ARGS__);                                          \
        bytes_put(&worker_log, "\n", 1);                                                           \
    } while (0)

static double build_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* One line per step, with RAWCL_COMPILER_TIMES: time passed, and processor time of this thread. */
static void build_time(struct build *b, const char *what) {
    double wall = build_clock(CLOCK_MONOTONIC), cpu = build_clock(CLOCK_THREAD_CPUTIME_ID);
    if (worker.times && what)
        bytes_printf(&worker_log, "time: %-18s %7.2f ms, processor %7.2f ms\n", what,
                     wall - b->started, cpu - b->started_cpu);
    b->started = wall;
    b->started_cpu = cpu;
}

static void build_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
    struct build *b = user;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    if (severity != LLVMDSError && severity != LLVMDSWarning) return;
    if (severity == LLVMDSWarning && b->options.no_warnings) return;
    char *text = LLVMGetDiagInfoDescription(info);
    bytes_printf(&worker_log, "%s: %s\n", severity == LLVMDSError ? "error" : "warning", text);
    LLVMDisposeMessage(text);
    if (severity == LLVMDSError) b->errors = true;
}

/* ---- front end ---- */

static void build_dependency(void *user, const char *path) {
    struct wire_result *result = ((struct build *)user)->result;
    struct dependency *list =
        realloc(result->dependencies, (result->dependency_count + 1) * sizeof *list);
    if (!list) return;
    result->dependencies = list;
    struct dependency *d = &list[result->dependency_count];
    *d = (struct dependency){0};
    /* A file that cannot be read again keeps a hash that no text has: no later cache hit. */
    wire_hash_file(path, d->hash);
    d->path = strdup(path);
    if (d->path) result->dependency_count++;
}

static void build_bounded_kernel(void *user, const char *name) {
    struct build *b = user;
    char **list = realloc(b->bounded, (b->bounded_count + 1) * sizeof *list);
    if (!list) return;
    b->bounded = list;
    list[b->bounded_count] = strdup(name);
    if (list[b->bounded_count]) b->bounded_count++;
}

/* "/name" for each embedded header, so that the source beside them finds them first. */
static char *build_file_name(const char *name) {
    size_t size = strlen(name) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s%s", name[0] == '/' ? "" : "/", name);
    return path;
}

static void build_set_attribute(LLVMValueRef f, const char *key, const char *value) {
    LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(ctx, key, (unsigned)strlen(key), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, a);
}

static bool build_attribute_is(LLVMValueRef f, const char *key, const char *value) {
    LLVMAttributeRef a =
        LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, key, (unsigned)strlen(key));
    unsigned length;
    if (!a) return false;
    const char *have = LLVMGetStringAttributeValue(a, &length);
    return length == strlen(value) && !memcmp(have, value, length);
}

/* clang bounds every OpenCL kernel that says nothing to 256 work-items; here the default is what
 * the device can run. Kernel bodies sit in __clang_ocl_kern_imp_<name>. */
static void build_work_group_sizes(struct build *b) {
    static const char key[] = "amdgpu-flat-work-group-size", body[] = "__clang_ocl_kern_imp_";
    for (LLVMValueRef f = LLVMGetFirstFunction(b->module); f; f = LLVMGetNextFunction(f)) {
        if (!build_attribute_is(f, key, "1,256")) continue;
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (!strncmp(name, body, sizeof body - 1)) name += sizeof body - 1;
        bool bounded = false;
        for (size_t i = 0; i < b->bounded_count; i++)
            bounded = bounded || !strcmp(name, b->bounded[i]);
        if (!bounded) build_set_attribute(f, key, "1,1024");
    }
}

static bool build_front_end(struct build *b) {
    const struct compiler_job *job = &b->job->job;
    struct llvm_file *files = calloc(job->header_count + 3, sizeof *files);
    struct arg_list args = {0};
    worker_args_make(&args, job->target, job->wave64, &b->options, b->job->directory);
    if (files && !args.failed) {
        size_t n = 0;
        files[n++] = (struct llvm_file){"/" WORKER_SOURCE, job->source, job->source_size};
        files[n++] = (struct llvm_file){WORKER_INCLUDE "/opencl-c-base.h", worker_own_header,
                                        (size_t)(worker_own_header_end - worker_own_header)};
        files[n++] =
            (struct llvm_file){WORKER_INCLUDE "/clang-opencl-c-base.h", worker_clang_header,
                               (size_t)(worker_clang_header_end - worker_clang_header)};
        const size_t own = n; /* names beyond are allocated */
        for (size_t i = 0; i < job->header_count; i++) {
            char *name = build_file_name(job->headers[i].name);
            if (name)
                files[n++] = (struct llvm_file){name, job->headers[i].data, job->headers[i].size};
        }
        struct llvm_frontend_job front = {.args = args.args,
                                          .arg_count = args.count,
                                          .files = files,
                                          .file_count = n,
                                          .log = build_log,
                                          .dependency = build_dependency,
                                          .bounded_kernel = build_bounded_kernel,
                                          .user = b};
        b->module = llvm_frontend(b->ctx, &front);
        while (n > own)
            free((char *)files[--n].name);
    }
    free(files);
    worker_args_free(&args);
    if (!b->module) b->errors = true;
    if (b->module) build_work_group_sizes(b);
    build_time(b, "front end");
    return !b->errors;
}

/* ---- objects ---- */

static uint32_t build_option_flags(const struct compiler_options *o, bool wave64) {
    const bool fast = o->fast_relaxed_math;
    return (wave64 ? CONTAINER_WAVE64 : 0u) | (o->opt_disable ? CONTAINER_OPT_DISABLE : 0u) |
           (o->denorms_are_zero ? CONTAINER_DENORMS_ARE_ZERO : 0u) |
           (o->correctly_rounded ? CONTAINER_CORRECTLY_ROUNDED : 0u) |
           (o->unsafe_math || fast ? CONTAINER_UNSAFE_MATH : 0u) |
           (o->finite_math || fast ? CONTAINER_FINITE_MATH : 0u);
}

static void build_take_buffer(struct build *b, const void *head, size_t head_size, const void *data,
                              size_t size) {
    b->result->binary = malloc(head_size + size + 1);
    if (!b->result->binary) {
        build_error(b, "out of memory");
        return;
    }
    if (head_size) memcpy(b->result->binary, head, head_size);
    memcpy(b->result->binary + head_size, data, size);
    b->result->binary_size = head_size + size;
}

static void build_write_container(struct build *b, enum co_kind kind) {
    struct container_header header;
    LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(b->module);
    const char *data = LLVMGetBufferStart(buffer);
    size_t size = LLVMGetBufferSize(buffer);
    container_fill(&header, kind, b->target->name, b->flags, data, size);
    build_take_buffer(b, &header, sizeof header, data, size);
    LLVMDisposeMemoryBuffer(buffer);
    build_time(b, "bitcode");
}

static LLVMModuleRef build_read_container(struct build *b, const struct compiler_blob *input,
                                          uint32_t *flags) {
    struct container_header header;
    const void *bitcode;
    size_t size;
    const char *why;
    if (container_open(input->data, input->size, &header, &bitcode, &size, &why)) {
        build_error(b, "%s: %s", input->name, why);
        return NULL;
    }
    if (strcmp(header.target, b->target->name) != 0) {
        build_error(b, "%s: compiled for %s, linked for %s", input->name, header.target,
                    b->target->name);
        return NULL;
    }
    if (((header.flags & CONTAINER_WAVE64) != 0) != b->job->job.wave64) {
        build_error(b, "%s: compiled for another wave size", input->name);
        return NULL;
    }
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(bitcode, size, input->name, 0);
    LLVMModuleRef module = NULL;
    if (LLVMParseBitcodeInContext2(b->ctx, buffer, &module)) {
        build_error(b, "%s: unreadable bitcode", input->name);
        module = NULL;
    }
    LLVMDisposeMemoryBuffer(buffer);
    *flags = header.flags;
    return module;
}

/* All objects become one module. Relaxations hold for the whole only if every object has them. */
static bool build_read_inputs(struct build *b) {
    const uint32_t every = CONTAINER_DENORMS_ARE_ZERO | CONTAINER_UNSAFE_MATH |
                           CONTAINER_FINITE_MATH | CONTAINER_WAVE64;
    const struct compiler_job *job = &b->job->job;
    const uint32_t asked = b->flags;
    for (size_t i = 0; i < job->input_count; i++) {
        uint32_t flags = 0;
        LLVMModuleRef module = build_read_container(b, &job->inputs[i], &flags);
        if (!module) return false;
        if (!b->module) {
            b->module = module;
            b->flags = flags;
            continue;
        }
        b->flags = (b->flags & flags & every) | ((b->flags | flags) & ~every);
        if (LLVMLinkModules2(b->module, module)) {
            build_error(b, "%s: cannot be linked with the other objects", job->inputs[i].name);
            return false;
        }
    }
    b->flags |= asked;
    if (!b->module) build_error(b, "nothing to link");
    build_time(b, "objects");
    return !b->errors;
}

/* ---- device library ---- */

static void build_control(struct build *b, const char *name, unsigned bits, uint64_t value) {
    LLVMTypeRef type = LLVMIntTypeInContext(b->ctx, bits);
    if (LLVMGetNamedGlobal(b->module, name)) return;
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(b->module, type, name, 4);
    LLVMSetInitializer(g, LLVMConstInt(type, value, 0));
    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(g, LLVMProtectedVisibility);
}

/* The switches that the library reads; the ISA versions are those that its own files lack. */
static void build_controls(struct build *b) {
    build_control(b, "__oclc_ISA_version", 32, b->target->isa_version);
    build_control(b, "__oclc_ABI_version", 32, WORKER_ABI_VERSION);
    build_control(b, "__oclc_wavefrontsize64", 8, (b->flags & CONTAINER_WAVE64) != 0);
    build_control(b, "__oclc_unsafe_math_opt", 8, (b->flags & CONTAINER_UNSAFE_MATH) != 0);
    build_control(b, "__oclc_finite_only_opt", 8, (b->flags & CONTAINER_FINITE_MATH) != 0);
    build_control(b, "__oclc_daz_opt", 8, (b->flags & CONTAINER_DENORMS_ARE_ZERO) != 0);
    build_control(b, "__oclc_correctly_rounded_sqrt32", 8,
                  (b->flags & CONTAINER_CORRECTLY_ROUNDED) != 0);
}

/* Kernels are the only way in; everything else may be inlined, specialised and dropped. Functions
 * from the library (no target-cpu of their own) take over the program's floating-point mode:
 * the inliner refuses to mix modes. */
static void build_internalize(struct build *b) {
    for (LLVMValueRef f = LLVMGetFirstFunction(b->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        if ((b->flags & CONTAINER_DENORMS_ARE_ZERO) &&
            !LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-cpu", 10))
            build_set_attribute(f, "denormal-fp-math-f32", "preserve-sign,preserve-sign");
        if (LLVMGetFunctionCallConv(f) == LLVMAMDGPUKERNELCallConv) continue;
        LLVMSetVisibility(f, LLVMDefaultVisibility);
        LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(b->module); g; g = LLVMGetNextGlobal(g)) {
        LLVMLinkage linkage = LLVMGetLinkage(g);
        if (LLVMIsDeclaration(g) || linkage == LLVMAppendingLinkage ||
            linkage == LLVMPrivateLinkage)
            continue;
        LLVMSetVisibility(g, LLVMDefaultVisibility);
        LLVMSetLinkage(g, LLVMInternalLinkage);
    }
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(b->module); a; a = LLVMGetNextGlobalAlias(a)) {
        LLVMSetVisibility(a, LLVMDefaultVisibility);
        LLVMSetLinkage(a, LLVMInternalLinkage);
    }
}

/* The back end's printf pass will call this library function; nothing calls it yet. */
static void build_declare_printf(struct build *b) {
    LLVMValueRef f = LLVMGetNamedFunction(b->module, "printf");
    if (!f || !LLVMIsDeclaration(f)) return;
    LLVMTypeRef size = LLVMInt32TypeInContext(b->ctx);
    LLVMTypeRef type = LLVMFunctionType(LLVMPointerTypeInContext(b->ctx, 1), &size, 1, 0);
    if (!LLVMGetNamedFunction(b->module, "__printf_alloc"))
        LLVMAddFunction(b->module, "__printf_alloc", type);
}

/* What the program declares in global memory, before the optimiser drops any of it
 * (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE). */
static uint64_t build_global_size(struct build *b) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(b->module);
    uint64_t total = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(b->module); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 1)
            total += LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g));
    return total;
}

/* Leaves that number in the code object, under a name that the reader looks for. */
static void build_record_global_size(struct build *b, uint64_t size) {
    LLVMTypeRef type = LLVMInt64TypeInContext(b->ctx);
    LLVMValueRef g =
        LLVMAddGlobalInAddressSpace(b->module, type, CO_GLOBAL_VARIABLE_SIZE_SYMBOL, 4);
    LLVMSetInitializer(g, LLVMConstInt(type, size, 0));
    LLVMSetGlobalConstant(g, 1);
    LLVMSetVisibility(g, LLVMProtectedVisibility);
}

/* Adds the shard that defines an undefined symbol to the list, once. */
static void build_want(LLVMValueRef symbol, int *shards, size_t *count) {
    size_t length;
    if (!LLVMIsDeclaration(symbol)) return;
    int shard = library_find(&worker.library, LLVMGetValueName2(symbol, &length));
    for (size_t i = 0; shard >= 0 && i < *count; i++)
        if (shards[i] == shard) return;
    if (shard >= 0 && *count < BUILD_SHARDS) shards[(*count)++] = shard;
}

/* Loads and links the shards that define what is undefined now. Returns their number, -1 after an
 * error. What they call in turn may be undefined then. */
static int build_link_shards(struct build *b) {
    int shards[BUILD_SHARDS];
    LLVMModuleRef modules[BUILD_SHARDS];
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(b->module); f; f = LLVMGetNextFunction(f))
        build_want(f, shards, &count);
    for (LLVMValueRef g = LLVMGetFirstGlobal(b->module); g; g = LLVMGetNextGlobal(g))
        build_want(g, shards, &count);
    for (size_t i = 0; i < count; i++) {
        const struct library_shard *s = &worker.library.shards[shards[i]];
        LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
            (const char *)worker.library.data + s->offset, s->size, "device library", 0);
        if (!LLVMGetBitcodeModuleInContext2(b->ctx, buffer, &modules[i])) continue;
        build_error(b, "the device library of this installation is unreadable");
        while (i--)
            LLVMDisposeModule(modules[i]);
        return -1;
    }
    if (llvm_link_needed(b->module, modules, count)) return (int)count;
    build_error(b, "the program cannot be linked with the device library");
    return -1;
}

static bool build_link_library(struct build *b) {
    build_controls(b);
    worker_printf_fold_strings(b->ctx, b->module);
    build_declare_printf(b);
    const uint64_t global_size = build_global_size(b);
    int linked = 1;
    for (int round = 0; linked > 0 && round < BUILD_ROUNDS; round++)
        linked = build_link_shards(b);
    if (linked < 0) return false;
    build_internalize(b);
    if (global_size) build_record_global_size(b, global_size);
    build_time(b, "device library");
    return !b->errors;
}

/* ---- optimise, generate, link ---- */

static LLVMTargetMachineRef build_machine(struct build *b) {
    const bool optimise = !(b->flags & CONTAINER_OPT_DISABLE);
    return LLVMCreateTargetMachine(worker.target, WORKER_TRIPLE, b->target->name,
                                   b->flags & CONTAINER_WAVE64 ? "+wavefrontsize64"
                                                               : "+wavefrontsize32",
                                   optimise ? LLVMCodeGenLevelAggressive : LLVMCodeGenLevelNone,
                                   LLVMRelocPIC, LLVMCodeModelDefault);
}

/* Without optimisation the library still needs its switches (ISA version, wave size) folded: the
 * branches not taken hold instructions that the target lacks. The program's own functions are
 * optnone, so the two function passes leave them alone. */
static const char *build_pipeline(const struct build *b) {
    return b->flags & CONTAINER_OPT_DISABLE ? "function(early-cse,simplifycfg),default<O0>"
                                            : "default<O3>";
}

static bool build_optimise(struct build *b, LLVMTargetMachineRef machine) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
    LLVMErrorRef error = LLVMRunPasses(b->module, build_pipeline(b), machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *text = LLVMGetErrorMessage(error);
        build_error(b, "%s", text);
        LLVMDisposeErrorMessage(text);
    }
    build_time(b, "optimiser");
    return !b->errors;
}

/* The linker would find these too, but without the names as the user wrote them. */
static bool build_resolved(struct build *b) {
    for (LLVMValueRef f = LLVMGetFirstFunction(b->module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f) || !LLVMGetFirstUse(f)) continue;
        size_t length;
        char *name = llvm_demangle(LLVMGetValueName2(f, &length));
        build_error(b, "undefined function '%s'", name ? name : "?");
        free(name);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(b->module); g; g = LLVMGetNextGlobal(g)) {
        /* Dynamic local memory is external by design. */
        bool local = LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3;
        if (!LLVMIsDeclaration(g) || local || !LLVMGetFirstUse(g)) continue;
        size_t length;
        build_error(b, "undefined variable '%s'", LLVMGetValueName2(g, &length));
    }
    return !b->errors;
}

static void build_link(struct build *b, LLVMMemoryBufferRef object) {
    struct worker_linked linked;
    worker_link(LLVMGetBufferStart(object), LLVMGetBufferSize(object), build_log, b, &linked);
    if (linked.data)
        build_take_buffer(b, NULL, 0, linked.data, linked.size);
    else
        b->errors = true;
    if (!linked.again) b->result->ending = true;
    worker_linked_free(&linked);
    build_time(b, "linker");
}

static void build_generate(struct build *b) {
    LLVMTargetMachineRef machine = build_machine(b);
    if (build_optimise(b, machine) && build_resolved(b)) {
        LLVMMemoryBufferRef object = NULL;
        char *message = NULL;
        if (LLVMTargetMachineEmitToMemoryBuffer(machine, b->module, LLVMObjectFile, &message,
                                                &object)) {
            build_error(b, "%s", message);
            LLVMDisposeMessage(message);
        }
        build_time(b, "code generation");
        if (object && !b->errors) build_link(b, object);
        if (object) LLVMDisposeMemoryBuffer(object);
    }
    LLVMDisposeTargetMachine(machine);
}

static void build_steps(struct build *b) {
    const struct compiler_job *job = &b->job->job;
    char err[256];
    int r = compiler_options_parse(job->options, job->action, &b->options, err, sizeof err);
    if (r) {
        build_error(b, "%s", r == -EINVAL ? err : "out of memory");
        b->result->status = COMPILER_INVALID_OPTIONS;
        return;
    }
    b->target = worker_target(job->target);
    if (!b->target) {
        build_error(b, "%s: no such target", job->target);
        return;
    }
    b->flags = build_option_flags(&b->options, job->wave64);
    bool ok = job->action == COMPILER_LINK ? build_read_inputs(b) : build_front_end(b);
    if (!ok) return;
    LLVMContextSetDiagnosticHandler(b->ctx, build_diagnostic, b);
    if (job->action == COMPILER_COMPILE) {
        build_write_container(b, CO_OBJECT);
    } else if (b->options.create_library) {
        build_write_container(b, CO_LIBRARY);
    } else if (build_link_library(b)) {
        build_generate(b);
    }
}

void worker_build_run(const struct wire_job *job, struct wire_result *result) {
    struct build b = {.job = job, .result = result};
    *result = (struct wire_result){.status = COMPILER_BUILD_FAILED};
    build_time(&b, NULL);
    b.ctx = LLVMContextCreate();
    LLVMContextSetDiscardValueNames(b.ctx, 1);
    LLVMContextSetDiagnosticHandler(b.ctx, build_diagnostic, &b);
    build_time(&b, "context");
    build_steps(&b);
    if (b.module) LLVMDisposeModule(b.module);
    LLVMContextDispose(b.ctx);
    for (size_t i = 0; i < b.bounded_count; i++)
        free(b.bounded[i]);
    free(b.bounded);
    compiler_options_free(&b.options);
    if (!b.errors) result->status = COMPILER_OK;
    if (b.errors) {
        free(result->binary);
        result->binary = NULL;
        result->binary_size = 0;
        if (!worker_log.size) bytes_printf(&worker_log, "error: the build failed\n");
    }
    build_time(&b, "tidying");
    result->log = worker_build_take_log();
}
