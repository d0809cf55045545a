/* SPDX-License-Identifier: MIT */
/* rawclc - the compiler as a command: OpenCL C source -> code object. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/client.h"
#include "compiler/code_object.h"

static const char usage[] =
    "usage: rawclc [options] FILE...\n"
    "\n"
    "Compiles OpenCL C for an AMD GPU. FILE is source (- is standard input), or, with --link or\n"
    "--disassemble, what an earlier call wrote.\n"
    "\n"
    "  --target NAME       gfx1100 (default), gfx1101 ... gfx1201\n"
    "  --options TEXT      OpenCL build options, as for clBuildProgram\n"
    "  -o FILE             output (default: FILE with .co for a code object, .rco for an object)\n"
    "  --compile           make an object for --link\n"
    "  --link              link objects to a code object\n"
    "  --wave64            compile for waves of 64 work-items\n"
    "  --disassemble       print the machine code; with source, of what it compiles to\n"
    "  --info              print kernels and their resources\n"
    "  --help, --version\n";

struct arguments {
    struct compiler_job job;
    const char *output;
    bool disassemble, info;
    char **files;
    int file_count;
};

static bool parse_arguments(int argc, char **argv, struct arguments *a) {
    static const struct option known[] = {{"target", required_argument, NULL, 't'},
                                          {"options", required_argument, NULL, 'O'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"compile", no_argument, NULL, 'c'},
                                          {"link", no_argument, NULL, 'l'},
                                          {"wave64", no_argument, NULL, 'w'},
                                          {"disassemble", no_argument, NULL, 'd'},
                                          {"info", no_argument, NULL, 'i'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    int c;
    *a = (struct arguments){.job = {.target = "gfx1100"}};
    while ((c = getopt_long(argc, argv, "o:h", known, NULL)) >= 0) {
        switch (c) {
        case 't':
            a->job.target = optarg;
            break;
        case 'O':
            a->job.options = optarg;
            break;
        case 'o':
            a->output = optarg;
            break;
        case 'c':
            a->job.action = COMPILER_COMPILE;
            break;
        case 'l':
            a->job.action = COMPILER_LINK;
            break;
        case 'w':
            a->job.wave64 = true;
            break;
        case 'd':
            a->disassemble = true;
            break;
        case 'i':
            a->info = true;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        case 'v':
            puts("rawclc " RAWCL_VERSION);
            exit(0);
        default:
            fputs(usage, stderr);
            return false;
        }
    }
    a->files = argv + optind;
    a->file_count = argc - optind;
    if (a->file_count < 1 || (a->file_count > 1 && a->job.action != COMPILER_LINK)) {
        fputs(usage, stderr);
        return false;
    }
    return true;
}

static char *read_file(const char *path, size_t *size) {
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t capacity = 65536;
    char *data = f ? malloc(capacity) : NULL;
    *size = 0;
    while (data) {
        size_t n = fread(data + *size, 1, capacity - *size - 1, f);
        *size += n;
        if (n == 0) break;
        if (capacity - *size > 1) continue;
        char *more = realloc(data, capacity *= 2);
        if (!more) free(data);
        data = more;
    }
    if (!data || ferror(f)) {
        perror(path);
        free(data);
        data = NULL;
    } else {
        data[*size] = 0;
    }
    if (f && f != stdin) fclose(f);
    return data;
}

static bool write_file(const char *path, const void *data, size_t size) {
    FILE *f = strcmp(path, "-") ? fopen(path, "wb") : stdout;
    bool good = f && fwrite(data, 1, size, f) == size;
    if (f && (f == stdout ? fflush(f) : fclose(f))) good = false;
    if (!good) perror(path);
    return good;
}

static bool write_output(const struct arguments *a, const struct compiler_result *r) {
    char name[4096];
    const char *output = a->output;
    if (!output) {
        const char *input = strcmp(a->files[0], "-") ? a->files[0] : "a.cl";
        const char *slash = strrchr(input, '/');
        const char *dot = strrchr(input, '.');
        int stem = dot && (!slash || dot > slash + 1) ? (int)(dot - input) : (int)strlen(input);
        bool object = co_identify(r->binary, r->binary_size) != CO_EXECUTABLE;
        snprintf(name, sizeof name, "%.*s%s", stem, input, object ? ".rco" : ".co");
        output = name;
    }
    return write_file(output, r->binary, r->binary_size);
}

static bool print_disassembly(const char *target, const void *data, size_t size) {
    struct compiler_result r;
    compiler_disassemble(target, data, size, &r);
    if (r.status == COMPILER_OK)
        fwrite(r.binary, 1, r.binary_size, stdout);
    else
        fputs(r.log, stderr);
    bool good = r.status == COMPILER_OK;
    compiler_result_free(&r);
    return good;
}

static bool print_info(const void *data, size_t size) {
    struct code_object *co;
    char err[256];
    if (co_parse(data, size, &co, err, sizeof err)) {
        fprintf(stderr, "rawclc: %s\n", err);
        return false;
    }
    printf("%s, image %llu bytes\n", co->target, (unsigned long long)co->image_size);
    for (size_t i = 0; i < co->kernel_count; i++) {
        const struct co_kernel *k = &co->kernels[i];
        printf("%s: %u arguments, kernarg %u, local %u, private %u%s, wave%u, %u SGPRs, %u VGPRs, "
               "spills %u/%u, up to %u work-items\n",
               k->name, k->explicit_arg_count, k->kernarg_size, k->group_segment_fixed,
               k->private_segment_fixed, k->dynamic_stack ? "+" : "", k->wavefront_size,
               k->sgpr_count, k->vgpr_count, k->sgpr_spills, k->vgpr_spills,
               k->max_flat_workgroup_size);
    }
    co_free(co);
    return true;
}

/* Everything about a code object that was asked for. */
static bool show(const struct arguments *a, const char *target, const void *data, size_t size) {
    if (a->info && !print_info(data, size)) return false;
    return !a->disassemble || print_disassembly(target, data, size);
}

static bool run(struct arguments *a, struct compiler_blob *blobs) {
    struct compiler_result r;
    char target[16];
    if (a->file_count == 1 && co_identify(blobs[0].data, blobs[0].size) == CO_EXECUTABLE) {
        co_target(blobs[0].data, blobs[0].size, target);
        return show(a, target, blobs[0].data, blobs[0].size);
    }
    if (a->job.action == COMPILER_LINK) {
        a->job.inputs = blobs;
        a->job.input_count = (size_t)a->file_count;
    } else {
        a->job.source = blobs[0].data;
        a->job.source_size = blobs[0].size;
    }
    compiler_run(&a->job, &r);
    fputs(r.log, stderr);
    bool good = r.status == COMPILER_OK;
    if (good && (a->output || (!a->disassemble && !a->info))) good = write_output(a, &r);
    if (good) good = show(a, a->job.target, r.binary, r.binary_size);
    compiler_result_free(&r);
    return good;
}

int main(int argc, char **argv) {
    struct arguments a;
    if (!parse_arguments(argc, argv, &a)) return 2;
    struct compiler_blob *blobs = calloc((size_t)a.file_count, sizeof *blobs);
    bool good = blobs != NULL;
    for (int i = 0; good && i < a.file_count; i++) {
        blobs[i].name = a.files[i];
        blobs[i].data = read_file(a.files[i], &blobs[i].size);
        good = blobs[i].data != NULL;
    }
    if (good) good = run(&a, blobs);
    for (int i = 0; blobs && i < a.file_count; i++)
        free((void *)blobs[i].data);
    free(blobs);
    return good ? 0 : 1;
}
