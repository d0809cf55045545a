/* SPDX-License-Identifier: MIT */
/* The build cache: hits, what must not hit, damage, trimming, concurrent writers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/cache.h"
#include "compiler/code_object.h"

static char directory[64];

static const char source[] = "kernel void f(global int *p) { *p = VALUE; }";

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool run(const char *text, const char *options, bool *from_cache) {
    struct compiler_job job = {.action = COMPILER_BUILD,
                               .target = "gfx1100",
                               .options = options,
                               .source = text,
                               .source_size = strlen(text)};
    struct compiler_result r;
    compiler_run(&job, &r);
    bool good = r.status == COMPILER_OK && co_identify(r.binary, r.binary_size) == CO_EXECUTABLE;
    *from_cache = r.from_cache;
    compiler_result_free(&r);
    return good;
}

/* The only entry, by path; for tests that start with an empty cache. */
static void entry_path(char *path, size_t size) {
    char kernels[128];
    snprintf(kernels, sizeof kernels, "%s/kernels", directory);
    DIR *d = opendir(kernels);
    struct dirent *e;
    assert_non_null(d);
    path[0] = 0;
    while ((e = readdir(d)))
        if (e->d_name[0] != '.') snprintf(path, size, "%s/%s", kernels, e->d_name);
    closedir(d);
    assert_true(path[0] != 0);
}

static void test_hit(void **state) {
    (void)state;
    bool cached;
    assert_true(run(source, "-D VALUE=1", &cached));
    assert_false(cached);
    assert_true(run(source, "-D VALUE=1", &cached));
    assert_true(cached);
    assert_true(run(source, "-D VALUE=2", &cached));
    assert_false(cached);
    assert_true(run(source, "-D VALUE=1 -cl-mad-enable", &cached));
    assert_false(cached);
}

/* A hit needs no worker and is fast. */
static void test_hit_alone(void **state) {
    (void)state;
    bool cached;
    double best = 1e9;
    assert_true(run(source, "-D VALUE=1", &cached));
    for (int i = 0; i < 5; i++) {
        double start = now_ms();
        assert_true(run(source, "-D VALUE=1", &cached));
        assert_true(cached);
        if (now_ms() - start < best) best = now_ms() - start;
    }
    print_message("cached build: %.2f ms\n", best);
    assert_true(best < 10.0);
    pid_t child = fork();
    if (!child) {
        compiler_after_fork_child();
        setenv("RAWCL_COMPILER_TIMEOUT", "1", 1);
        _exit(run(source, "-D VALUE=1", &cached) && cached ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void test_damage(void **state) {
    (void)state;
    bool cached;
    char path[512];
    assert_true(run(source, "-D VALUE=1", &cached));
    entry_path(path, sizeof path);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    static const double places[] = {0.0, 0.1, 0.5, 0.99};
    for (size_t i = 0; i < 4; i++) {
        int fd = open(path, O_RDWR);
        off_t at = (off_t)((double)st.st_size * places[i]);
        char byte;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= 0x40;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        close(fd);
        assert_true(run(source, "-D VALUE=1", &cached));
        assert_false(cached);
        assert_true(run(source, "-D VALUE=1", &cached));
        assert_true(cached);
    }
    for (off_t size = 0; size < st.st_size; size += st.st_size / 5) {
        assert_int_equal(truncate(path, size), 0);
        assert_true(run(source, "-D VALUE=1", &cached));
        assert_false(cached);
    }
}

static void write_header(const char *path, int value) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#define VALUE %d\n", value);
    fclose(f);
}

static void test_included_text(void **state) {
    (void)state;
    char path[128], options[128];
    bool cached;
    static const char including[] = "#include <v.h>\nkernel void f(global int *p) { *p = VALUE; }";
    snprintf(path, sizeof path, "%s/v.h", directory);
    snprintf(options, sizeof options, "-I %s", directory);
    write_header(path, 1);
    assert_true(run(including, options, &cached));
    assert_false(cached);
    assert_true(run(including, options, &cached));
    assert_true(cached);
    write_header(path, 2);
    assert_true(run(including, options, &cached));
    assert_false(cached);
    assert_true(run(including, options, &cached));
    assert_true(cached);
    unlink(path);
    assert_false(run(including, options, &cached));
}

static void test_off(void **state) {
    (void)state;
    bool cached;
    static const char *const values[] = {"", "off"};
    for (int i = 0; i < 2; i++) {
        setenv("RAWCL_CACHE_DIR", values[i], 1);
        for (int k = 0; k < 2; k++) {
            assert_true(run(source, "-D VALUE=1", &cached));
            assert_false(cached);
        }
    }
    assert_int_not_equal(access("off", F_OK), 0);
}

/* A directory that others may write to is not trusted. */
static void test_permissions(void **state) {
    (void)state;
    bool cached;
    char path[128];
    struct stat st;
    assert_true(run(source, "-D VALUE=1", &cached));
    snprintf(path, sizeof path, "%s/kernels", directory);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    chmod(path, 0777);
    assert_true(run(source, "-D VALUE=1", &cached));
    assert_false(cached);
    chmod(path, 0700);
    assert_true(run(source, "-D VALUE=1", &cached));
    assert_true(cached);
}

static void test_trim(void **state) {
    (void)state;
    char payload[4096] = {1};
    for (int i = 0; i < 16; i++) {
        struct wire_result r = {
            .status = COMPILER_OK, .log = (char *)"", .binary = payload, .binary_size = 4096};
        struct cache_key key = cache_make_key(&i, sizeof i);
        cache_store(CACHE_KERNELS, &key, &r);
        if (i == 7) usleep(20000);
    }
    cache_trim(CACHE_KERNELS, 10 * 4096);
    int old = 0, recent = 0;
    for (int i = 0; i < 16; i++) {
        struct wire_result r;
        struct cache_key key = cache_make_key(&i, sizeof i);
        if (!cache_lookup(CACHE_KERNELS, &key, &r)) continue;
        wire_result_free(&r);
        if (i < 8)
            old++;
        else
            recent++;
    }
    assert_int_equal(old, 0);
    assert_in_range(recent, 5, 8);
}

/* Processes that fill one cache at the same time. */
static void test_processes(void **state) {
    (void)state;
    enum { PROCESSES = 4, BUILDS = 6 };
    for (int p = 0; p < PROCESSES; p++) {
        if (fork()) continue;
        compiler_after_fork_child();
        for (int i = 0; i < BUILDS; i++) {
            char options[32];
            bool cached;
            snprintf(options, sizeof options, "-D VALUE=%d", i);
            if (!run(source, options, &cached)) _exit(1);
        }
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < BUILDS; i++) {
        char options[32];
        bool cached;
        snprintf(options, sizeof options, "-D VALUE=%d", i);
        assert_true(run(source, options, &cached));
        assert_true(cached);
    }
}

static int setup(void **state) {
    (void)state;
    strcpy(directory, "/tmp/rawcl-cache-test-XXXXXX");
    if (!mkdtemp(directory)) return -1;
    return setenv("RAWCL_CACHE_DIR", directory, 1);
}

static int teardown(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_hit), TEST(test_hit_alone),   TEST(test_damage), TEST(test_included_text),
        TEST(test_off), TEST(test_permissions), TEST(test_trim),   TEST(test_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
