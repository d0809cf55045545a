/* SPDX-License-Identifier: MIT */
/* Whole jobs through a real worker process: build, compile and link, logs, crashes, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/code_object.h"
#include "compiler/compiler.h"

static const char vector_add[] =
    "kernel void vector_add(global const float *a, global const float *b, global float *c, uint "
    "n)\n"
    "{ size_t i = get_global_id(0); if (i < n) c[i] = a[i] + b[i]; }\n";

static void build(const char *source, const char *options, const char *target,
                  struct compiler_result *r) {
    struct compiler_job job = {.action = COMPILER_BUILD,
                               .target = target,
                               .options = options,
                               .source = source,
                               .source_size = strlen(source)};
    compiler_run(&job, r);
}

static struct code_object *built(const char *source, const char *options, const char *target) {
    struct compiler_result r;
    struct code_object *co;
    char err[256];
    build(source, options, target, &r);
    if (r.status != COMPILER_OK) fail_msg("%s: %s", target, r.log);
    if (co_parse(r.binary, r.binary_size, &co, err, sizeof err)) fail_msg("%s", err);
    compiler_result_free(&r);
    return co;
}

static void expect_failure(const char *source, const char *options, enum compiler_status status,
                           const char *said) {
    struct compiler_result r;
    build(source, options, "gfx1100", &r);
    assert_int_equal(r.status, status);
    assert_null(r.binary);
    assert_non_null(r.log);
    if (!strstr(r.log, said)) fail_msg("expected \"%s\" in: %s", said, r.log);
    compiler_result_free(&r);
}

static void test_vector_add(void **state) {
    (void)state;
    static const char *const targets[] = {"gfx1100", "gfx1201"};
    for (int i = 0; i < 2; i++) {
        struct code_object *co = built(vector_add, "", targets[i]);
        assert_string_equal(co->target, targets[i]);
        const struct co_kernel *k = co_find_kernel(co, "vector_add");
        assert_non_null(k);
        assert_int_equal(k->explicit_arg_count, 4);
        assert_int_equal(k->wavefront_size, 32);
        assert_int_equal(k->max_flat_workgroup_size, 1024);
        assert_int_equal(k->args[0].kind, CO_ARG_GLOBAL_BUFFER);
        assert_string_equal(k->args[0].name, "a");
        assert_string_equal(k->args[0].type_name, "float*");
        assert_int_equal(k->args[0].type_qualifier & 1, 1);
        assert_int_equal(k->args[3].kind, CO_ARG_BY_VALUE);
        assert_int_equal(k->args[3].offset, 24);
        assert_int_equal(k->args[3].size, 4);
        assert_true(k->descriptor_vaddr % 64 == 0);
        co_free(co);
    }
}

static void test_wave64(void **state) {
    (void)state;
    struct compiler_job job = {.action = COMPILER_BUILD,
                               .target = "gfx1100",
                               .wave64 = true,
                               .source = vector_add,
                               .source_size = strlen(vector_add)};
    struct compiler_result r;
    struct code_object *co;
    char err[256];
    compiler_run(&job, &r);
    assert_int_equal(r.status, COMPILER_OK);
    assert_int_equal(co_parse(r.binary, r.binary_size, &co, err, sizeof err), 0);
    assert_int_equal(co->kernels[0].wavefront_size, 64);
    co_free(co);
    compiler_result_free(&r);
}

static void test_errors(void **state) {
    (void)state;
    expect_failure("kernel void f(global int *p)\n{\n  *p = nothing;\n}\n", "",
                   COMPILER_BUILD_FAILED, "<source>:3:8: error:");
    expect_failure("#include \"not_there.h\"\n", "", COMPILER_BUILD_FAILED, "<source>:1:10:");
    expect_failure("int far(int);\nkernel void f(global int *p) { *p = far(1); }", "",
                   COMPILER_BUILD_FAILED, "undefined function 'far'");
    expect_failure("kernel void f() {}", "-cl-bogus", COMPILER_INVALID_OPTIONS, "-cl-bogus");
}

static void test_warnings(void **state) {
    (void)state;
    static const char source[] = "kernel void f(global int *p) { *p = 1; return 2; }";
    static const char odd[] = "#warning look here\nkernel void f(global int *p) { *p = 1; }";
    struct compiler_result r;
    expect_failure(source, "", COMPILER_BUILD_FAILED, "<source>:1:");
    build(odd, "", "gfx1100", &r);
    assert_int_equal(r.status, COMPILER_OK);
    assert_non_null(strstr(r.log, "<source>:1:2: warning: look here"));
    compiler_result_free(&r);
    build(odd, "-w", "gfx1100", &r);
    assert_string_equal(r.log, "");
    compiler_result_free(&r);
    expect_failure(odd, "-Werror", COMPILER_BUILD_FAILED, "look here");
}

static void test_versions(void **state) {
    (void)state;
    static const struct {
        const char *options;
        int version;
    } rows[] = {{"", 120},
                {"-cl-std=CL1.1", 110},
                {"-cl-std=CL1.2", 120},
                {"-cl-std=CL2.0", 200},
                {"-cl-std=CL3.0", 300}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char source[512];
        snprintf(source, sizeof source,
                 "#if __OPENCL_C_VERSION__ != %d || __OPENCL_VERSION__ != 300\n#error no\n#endif\n"
                 "#ifndef cl_khr_fp64\n#error fp64\n#endif\n"
                 "#ifndef __ENDIAN_LITTLE__\n#error endian\n#endif\n"
                 "#ifdef __IMAGE_SUPPORT__\n#error images\n#endif\n"
                 "#if defined(__opencl_c_images)\n#error c\n#endif\n"
                 "#if __OPENCL_C_VERSION__ == 300 && !defined(__opencl_c_pipes)\n#error e\n#endif\n"
                 "#if __OPENCL_C_VERSION__ == 300 && !defined(__opencl_c_fp64)\n#error d\n#endif\n"
                 "kernel void f(global double *p) { *p = sin(*p); }\n",
                 rows[i].version);
        co_free(built(source, rows[i].options, "gfx1100"));
    }
    co_free(
        built("kernel void f(global int *p) { auto x = 1; *p = x; }", "-cl-std=CLC++", "gfx1201"));
}

static void test_defines(void **state) {
    (void)state;
    static const char source[] = "#define S1(x) #x\n#define S(x) S1(x)\n"
                                 "constant char text[] = TEXT;\n"
                                 "kernel void f(global int *p) { *p = N + sizeof text; }";
    co_free(built(source, "-D N=3 -D TEXT=\\\"two\\ words\\\"", "gfx1100"));
    co_free(built(source, "-D \"N=3 + 4\" -D \"TEXT=\\\"two words\\\"\"", "gfx1100"));
}

static void test_attributes(void **state) {
    (void)state;
    struct code_object *co =
        built("kernel __attribute__((reqd_work_group_size(8,4,2))) void a(global int *p){*p=1;}\n"
              "kernel __attribute__((work_group_size_hint(64,1,1))) void b(global int *p){*p=1;}\n"
              "kernel __attribute__((vec_type_hint(float4))) void c(local int *p){*p=1;}\n"
              "kernel __attribute__((amdgpu_flat_work_group_size(1,256))) void d(global int *p)"
              "{*p=1;}\n",
              "", "gfx1100");
    const struct co_kernel *a = co_find_kernel(co, "a"), *c = co_find_kernel(co, "c");
    assert_int_equal(a->reqd_workgroup_size[0], 8);
    assert_int_equal(a->reqd_workgroup_size[2], 2);
    assert_int_equal(a->max_flat_workgroup_size, 64);
    assert_string_equal(a->attributes, "reqd_work_group_size(8,4,2)");
    assert_string_equal(co_find_kernel(co, "b")->attributes, "work_group_size_hint(64,1,1)");
    assert_string_equal(c->attributes, "vec_type_hint(float4)");
    assert_int_equal(c->args[0].kind, CO_ARG_DYNAMIC_SHARED_POINTER);
    assert_int_equal(co_find_kernel(co, "b")->max_flat_workgroup_size, 1024);
    assert_int_equal(co_find_kernel(co, "d")->max_flat_workgroup_size, 256);
    co_free(co);
}

static void test_printf(void **state) {
    (void)state;
    static const char *const options[] = {"", "-cl-opt-disable"};
    for (int i = 0; i < 2; i++) {
        struct code_object *co =
            built("kernel void f(int n, global long *p)\n"
                  "{ printf(\"a: %d \\\"%s\\\"\\t100%%\\n\", n, \"text\"); printf(\"%ld\", *p); }",
                  options[i], "gfx1100");
        const struct co_printf *first = NULL, *second = NULL;
        for (size_t k = 0; k < co->printf_count; k++) {
            const struct co_printf *p = &co->printfs[k];
            if (!strcmp(p->format, "a: %d \"text\"\t100%%\n")) first = p;
            if (!strcmp(p->format, "%ld")) second = p;
        }
        assert_non_null(first);
        assert_non_null(second);
        assert_int_equal(first->arg_count, 1); /* the constant string is in the format */
        assert_int_equal(first->arg_sizes[0], 4);
        assert_int_equal(second->arg_sizes[0], 8);
        assert_int_equal(first->format_len, strlen(first->format));
        bool buffer = false;
        const struct co_kernel *k = co_find_kernel(co, "f");
        for (uint32_t a = 0; a < k->arg_count; a++)
            buffer = buffer || k->args[a].kind == CO_ARG_HIDDEN_PRINTF_BUFFER;
        assert_true(buffer);
        co_free(co);
    }
}

static void test_program_scope(void **state) {
    (void)state;
    struct code_object *co = built("global int value = 5; global int *global pointer = &value;\n"
                                   "kernel void f(global int *p) { *p = *pointer; pointer = p; }",
                                   "-cl-std=CL3.0", "gfx1100");
    assert_true(co->reloc_count >= 1);
    assert_int_equal(co->global_variable_size, 4 + 8);
    uint8_t *image = malloc(co->image_size);
    co_relocate(co, 0x200000000000, image);
    uint64_t address;
    memcpy(&address, image + co->relocs[0].vaddr, sizeof address);
    assert_true(address >= 0x200000000000 && address < 0x200000000000 + co->image_size);
    int value;
    memcpy(&value, image + (address - 0x200000000000), sizeof value);
    assert_int_equal(value, 5);
    free(image);
    co_free(co);
}

/* Functions that need the library under new names, and OpenCL C 3.0's generic pointers. */
static void test_library(void **state) {
    (void)state;
    static const char source[] =
        "kernel void f(global float4 *o, global atomic_int *a, local int *l, ulong n) {\n"
        "  float4 c; float4 s = sincos(o[0], &c); int4 e; s += frexp(c, &e); s += remquo(s, c, "
        "&e);\n"
        "  s += fract(s, &c) + lgamma_r(s, &e) + pow(s, c) + native_exp(s);\n"
        "  o[1] = s + c + vload4(0, (float *)o) + vload_half4(0, (global half *)o);\n"
        "  int x = 1; atomic_compare_exchange_strong_explicit(a, &x, 2, memory_order_seq_cst,\n"
        "    memory_order_relaxed, memory_scope_device);\n"
        "  atomic_fetch_add(a, work_group_reduce_add(x)); barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  event_t ev = async_work_group_copy(l, (global int *)o, 16, 0); wait_group_events(1, "
        "&ev);\n"
        "  o[2].x = l[0] + mul_hi(n, n) + n / 7 + n % (n + 3);\n"
        "}\n";
    static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL2.0",
                                          "-cl-std=CL3.0 -cl-opt-disable",
                                          ("-cl-std=CL3.0 -cl-fast-relaxed-math "
                                           "-cl-denorms-are-zero")};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        co_free(built(source, options[i], "gfx1100"));
        co_free(built(source, options[i], "gfx1201"));
    }
}

/* Fast math must reach the library: the two builds of sin differ. */
static void test_fast_math(void **state) {
    (void)state;
    static const char source[] = "kernel void f(global float *p) { *p = sin(*p) / p[1]; }";
    struct compiler_result exact, fast;
    build(source, "", "gfx1100", &exact);
    build(source, "-cl-fast-relaxed-math", "gfx1100", &fast);
    assert_int_equal(exact.status, COMPILER_OK);
    assert_int_equal(fast.status, COMPILER_OK);
    assert_true(fast.binary_size < exact.binary_size);
    compiler_result_free(&exact);
    compiler_result_free(&fast);
}

static void compile(const char *source, const struct compiler_blob *headers, size_t count,
                    struct compiler_result *r) {
    struct compiler_job job = {.action = COMPILER_COMPILE,
                               .target = "gfx1100",
                               .source = source,
                               .source_size = strlen(source),
                               .headers = headers,
                               .header_count = count};
    compiler_run(&job, r);
}

static void link_objects(const struct compiler_blob *inputs, size_t count, const char *options,
                         struct compiler_result *r) {
    struct compiler_job job = {.action = COMPILER_LINK,
                               .target = "gfx1100",
                               .options = options,
                               .inputs = inputs,
                               .input_count = count};
    compiler_run(&job, r);
}

static void test_compile_and_link(void **state) {
    (void)state;
    static const char outer[] = "#include \"inner.h\"\n#include <dir/deep/third.h>\n";
    static const char inner[] = "int helper(int);\n", third[] = "#define THREE 3\n";
    const struct compiler_blob headers[] = {
        {"dir/outer.h", outer, sizeof outer - 1},
        {"dir/inner.h", inner, sizeof inner - 1},
        {"dir/deep/third.h", third, sizeof third - 1},
    };
    struct compiler_result a, b, library, program;
    compile("#include \"dir/outer.h\"\nkernel void f(global int *p) { *p = helper(THREE); }",
            headers, 3, &a);
    if (a.status != COMPILER_OK) fail_msg("%s", a.log);
    assert_int_equal(co_identify(a.binary, a.binary_size), CO_OBJECT);
    char target[16];
    co_target(a.binary, a.binary_size, target);
    assert_string_equal(target, "gfx1100");
    compile("int helper(int x) { printf(\"helper %d\\n\", x); return x * 2; }", NULL, 0, &b);
    assert_int_equal(b.status, COMPILER_OK);

    struct compiler_blob inputs[] = {{"a", a.binary, a.binary_size},
                                     {"b", b.binary, b.binary_size}};
    link_objects(&inputs[1], 1, "-create-library -enable-link-options", &library);
    if (library.status != COMPILER_OK) fail_msg("%s", library.log);
    assert_int_equal(co_identify(library.binary, library.binary_size), CO_LIBRARY);

    struct compiler_blob with_library[] = {inputs[0], {"l", library.binary, library.binary_size}};
    link_objects(with_library, 2, NULL, &program);
    if (program.status != COMPILER_OK) fail_msg("%s", program.log);
    struct code_object *co;
    char err[256];
    assert_int_equal(co_parse(program.binary, program.binary_size, &co, err, sizeof err), 0);
    assert_non_null(co_find_kernel(co, "f"));
    assert_int_equal(co->printf_count, 1);
    co_free(co);
    compiler_result_free(&program);

    link_objects(inputs, 1, "", &program); /* without the helper */
    assert_int_equal(program.status, COMPILER_BUILD_FAILED);
    assert_non_null(strstr(program.log, "'helper'"));
    compiler_result_free(&program);
    compiler_result_free(&a);
    compiler_result_free(&b);
    compiler_result_free(&library);
}

static void test_damaged_objects(void **state) {
    (void)state;
    struct compiler_result a, r;
    compile(vector_add, NULL, 0, &a);
    assert_int_equal(a.status, COMPILER_OK);
    for (size_t size = 0; size < a.binary_size; size += size < 70 ? 1 : a.binary_size / 13) {
        struct compiler_blob cut = {"cut", a.binary, size};
        link_objects(&cut, 1, "", &r);
        assert_int_equal(r.status, COMPILER_BUILD_FAILED);
        assert_non_null(strstr(r.log, "cut"));
        compiler_result_free(&r);
    }
    ((char *)a.binary)[a.binary_size / 2] ^= 1;
    struct compiler_blob bad = {"bad", a.binary, a.binary_size};
    link_objects(&bad, 1, "", &r);
    assert_int_equal(r.status, COMPILER_BUILD_FAILED);
    assert_non_null(strstr(r.log, "checksum"));
    compiler_result_free(&r);
    compiler_result_free(&a);
}

static void test_include_directories(void **state) {
    char path[256], options[512], command[600];
    snprintf(path, sizeof path, "%s/with space -g", (const char *)*state);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(command, sizeof command, "%s/value.h", path);
    for (int value = 1; value <= 2; value++) {
        FILE *f = fopen(command, "w");
        fprintf(f, "#define VALUE %d\n", value);
        fclose(f);
        snprintf(options, sizeof options, "-I \"%s\" -D WANT=%d", path, value);
        co_free(built("#include <value.h>\n#if VALUE != WANT\n#error other\n#endif\n"
                      "kernel void f(global int *p) { *p = VALUE; }",
                      options, "gfx1100"));
    }
    unlink(command);
    rmdir(path);
}

/* A crash in clang is a failed build; the next build works. */
static void test_crash(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        expect_failure("#pragma clang __debug crash\nkernel void f() {}", "", COMPILER_CRASHED,
                       "compiler");
        expect_failure("#pragma clang __debug llvm_fatal_error\nkernel void f() {}", "",
                       COMPILER_CRASHED, "fatal error");
        char options[32];
        snprintf(options, sizeof options, "-D AFTER_CRASH=%d", i); /* not from the cache */
        co_free(built(vector_add, options, "gfx1100"));
    }
}

static volatile sig_atomic_t child_signals;

static void on_child(int signal) {
    (void)signal;
    child_signals++;
}

/* The application must not notice that a process was started. Comes after a crash, so that the
 * build here starts one. */
static void test_invisible(void **state) {
    (void)state;
    struct sigaction watch = {.sa_handler = on_child}, before;
    expect_failure("#pragma clang __debug crash\n", "", COMPILER_CRASHED, "");
    sigaction(SIGCHLD, &watch, &before);
    co_free(built(vector_add, "-D INVISIBLE", "gfx1100"));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(child_signals, 0);
    sigaction(SIGCHLD, &before, NULL);
}

static void *thread_builds(void *number) {
    for (int i = 0; i < 3; i++) {
        char options[64];
        snprintf(options, sizeof options, "-D THREAD=%d -D ROUND=%d", *(int *)number, i);
        struct compiler_result r;
        build(vector_add, options, i & 1 ? "gfx1201" : "gfx1100", &r);
        bool good =
            r.status == COMPILER_OK && co_identify(r.binary, r.binary_size) == CO_EXECUTABLE;
        compiler_result_free(&r);
        if (!good) return number;
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    int numbers[4];
    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, thread_builds, &numbers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

static void test_fork(void **state) {
    (void)state;
    co_free(built(vector_add, "-D FORK=0", "gfx1100"));
    pid_t child = fork();
    if (!child) {
        struct compiler_result r;
        compiler_after_fork_child();
        build(vector_add, "-D FORK=1", "gfx1100", &r);
        _exit(r.status == COMPILER_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    co_free(built(vector_add, "-D FORK=2", "gfx1100"));
}

/* An application that closes all descriptors, and opens a file of its own in our socket's place. */
static void test_closed_descriptors(void **state) {
    char path[256];
    struct stat st;
    co_free(built(vector_add, "-D CLOSED=0", "gfx1100"));
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    snprintf(path, sizeof path, "%s/file", (const char *)*state);
    int files[61];
    for (int i = 0; i < 61; i++) {
        files[i] = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
        assert_int_equal(files[i], 3 + i);
    }
    co_free(built(vector_add, "-D CLOSED=1", "gfx1100"));
    for (int i = 0; i < 61; i++) {
        assert_int_equal(fstat(files[i], &st), 0); /* still open, and nothing written into it */
        assert_int_equal(st.st_size, 0);
        close(files[i]);
    }
}

static void test_no_worker(void **state) {
    (void)state;
    struct compiler_result r;
    expect_failure("#pragma clang __debug crash\n", "", COMPILER_CRASHED, "");
    setenv("RAWCL_COMPILER", "/nonexistent/compiler", 1);
    build(vector_add, "-D NONE", "gfx1100", &r);
    assert_int_equal(r.status, COMPILER_UNAVAILABLE);
    assert_non_null(strstr(r.log, "/nonexistent/compiler"));
    compiler_result_free(&r);
    setenv("RAWCL_COMPILER", "/bin/true", 1);
    build(vector_add, "-D NONE", "gfx1100", &r);
    assert_int_equal(r.status, COMPILER_UNAVAILABLE);
    compiler_result_free(&r);
    unsetenv("RAWCL_COMPILER");
    co_free(built(vector_add, "-D STANDARD_PLACE", "gfx1100"));
}

static int setup(void **state) {
    static char directory[] = "/tmp/rawcl-build-test-XXXXXX";
    if (!mkdtemp(directory)) return -1;
    setenv("RAWCL_CACHE_DIR", directory, 1);
    *state = directory;
    return 0;
}

static int teardown(void **state) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", (const char *)*state);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector_add),
        cmocka_unit_test(test_wave64),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_defines),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_printf),
        cmocka_unit_test(test_program_scope),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_fast_math),
        cmocka_unit_test(test_compile_and_link),
        cmocka_unit_test(test_damaged_objects),
        cmocka_unit_test(test_include_directories),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_invisible),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_closed_descriptors),
        cmocka_unit_test(test_no_worker),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
