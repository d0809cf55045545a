/* SPDX-License-Identifier: MIT */
/* Kernels that are compiled: with the real lifter in its worker, and with compilers that lie, hang
 * or die. To tell who ran a kernel, some are given to the lifter with one instruction changed: then
 * compiled code and the interpreter leave different results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/compiler.h"
#include "driver/emulator/isa/jit_request.h"
#include "driver/emulator/jit_code.h"
#include "tests/emulator/engine_rig.h"

static const char *target, *crasher;
static char directory[64];

enum { CODE = 0x10000, OUT = 0x200000, GROUPS = 4 };

/* forever: stores 7 to [kernarg] without end, and the same with another offset. */
static const uint32_t forever11[] = {0xf4040100, 0xf8000000, 0x7e000280, 0x7e020287, 0xbf89fc07,
                                     0xdc6a0000, 0x00040100, 0xbfa0fffd, 0xbfb00000};
static const uint32_t forever12[] = {0xf4002100, 0xf8000000, 0x7e000280, 0x7e020287, 0xbfc70000,
                                     0xee068004, 0x00800000, 0x00000000, 0xbfa0fffc, 0xbfb00000};

/* ---- the compiler, as the tests want it ---- */

enum how { REAL, JUNK, FAILS, ABSENT, HANGS };

static struct {
    enum how how;
    uint32_t from, to; /* a word of the code that the lifter sees as another */
    atomic_uint asked, looked_up, inside;
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool released;
} compiler = {.lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};

static void hang(void) {
    pthread_mutex_lock(&compiler.lock);
    while (!compiler.released)
        pthread_cond_wait(&compiler.cond, &compiler.lock);
    pthread_mutex_unlock(&compiler.lock);
}

static int compile(void *ctx, const void *request, size_t size, bool only_cached, void **reply,
                   size_t *reply_size, char *why, size_t why_size) {
    atomic_fetch_add(only_cached ? &compiler.looked_up : &compiler.asked, 1);
    *reply = NULL;
    snprintf(why, why_size, "the test says so");
    if (compiler.how != REAL && only_cached) return -ENOENT;
    if (compiler.how == ABSENT) return -ENODEV;
    if (compiler.how == FAILS) return -EIO;
    if (compiler.how == JUNK) {
        *reply = strdup("nonsense");
        *reply_size = 8;
        return 0;
    }
    if (compiler.how == HANGS) {
        atomic_fetch_add(&compiler.inside, 1);
        hang();
        atomic_fetch_sub(&compiler.inside, 1);
        return -EIO;
    }
    uint32_t *changed = malloc(size);
    memcpy(changed, request, size);
    for (size_t i = sizeof(struct jit_request) / 4 + 1; i < size / 4; i++)
        if (compiler.from && changed[i] == compiler.from) changed[i] = compiler.to;
    int r = compiler_lift(ctx, changed, size, only_cached, reply, reply_size, why, why_size);
    free(changed);
    return r;
}

static void open_with(struct rig *r, enum how how, const char *mode) {
    compiler.how = how;
    compiler.from = compiler.to = 0;
    compiler.asked = compiler.looked_up = 0;
    compiler.released = false;
    setenv("RAWCL_EMU_JIT", mode, 1);
    rig_open(r, target, &(struct emu_config){.threads = 2, .jit_compile = compile});
}

/* The lifter sees v_xor_b32 v1, s6, v0 instead of v_add_nc_u32. */
static void lie_about_add(void) {
    compiler.from = 0x4a020006;
    compiler.to = 0x3a020006;
}

static struct emu_jit_counters counters(struct rig *r) {
    struct emu_jit_counters n;
    emu_get_jit_counters(r->bus, &n);
    return n;
}

/* ---- the store kernel ---- */

static void put_store(struct rig *r, uint8_t *at) {
    memcpy(at, r->gfx12 ? rig_store_gfx12 : rig_store_gfx11,
           r->gfx12 ? rig_store_gfx12_bytes : rig_store_gfx11_bytes);
}

static uint32_t signal_value;

static void launch(struct rig *r, uint64_t code_va, uint32_t value, uint32_t groups) {
    uint64_t out = RIG_VRAM_VA + OUT;
    memset(r->vram + OUT, 0, groups * 256);
    memcpy(r->sys + RIG_DATA, &out, 8);
    memcpy(r->sys + RIG_DATA + 8, &value, 4);
    rig_acquire(r, 0xc3f1);
    rig_program(r, code_va, RIG_SYS_VA + RIG_DATA, 0);
    rig_dispatch(r, groups, 64);
    rig_release(r, 0x70f514, RIG_SIGNAL, ++signal_value);
    rig_ring(r);
}

static void run_at(struct rig *r, uint64_t code_va, uint32_t value, uint32_t groups) {
    launch(r, code_va, value, groups);
    assert_true(rig_wait(r, RIG_SIGNAL, signal_value, 30000));
}

static const uint32_t *out_of(struct rig *r) {
    return (const uint32_t *)(const void *)(r->vram + OUT);
}

enum result { ADDED, XORED, OTHER };

/* Odd values tell the two apart at each odd index. */
static enum result result(struct rig *r, uint32_t value, uint32_t groups) {
    bool added = true, xored = true;
    for (uint32_t i = 0; i < groups * 64; i++) {
        added &= out_of(r)[i] == i + value;
        xored &= out_of(r)[i] == (i ^ value);
    }
    return added ? ADDED : xored ? XORED : OTHER;
}

static enum result run(struct rig *r, uint32_t value, uint32_t groups) {
    run_at(r, RIG_VRAM_VA + CODE, value, groups);
    return result(r, value, groups);
}

/* ---- compiled code ---- */

static void compiled_before_the_first_wave(void **state) {
    (void)state;
    struct rig r;
    setenv("RAWCL_CACHE_DIR", "off", 1);
    open_with(&r, REAL, "sync");
    put_store(&r, r.vram + CODE);
    assert_int_equal(run(&r, 7, GROUPS), ADDED);
    struct emu_jit_counters n = counters(&r);
    assert_int_equal(n.requests, 1);
    assert_int_equal(n.compiled, 1);
    assert_int_equal(n.cache_hits + n.refused + n.failures, 0);
    assert_true(n.instructions >= 9 && n.blocks >= 1);
    assert_int_equal(run(&r, 9, GROUPS), ADDED);
    assert_int_equal(counters(&r).requests, 1);
    rig_close(&r, 0, 0);
    /* And it was compiled code that ran. */
    open_with(&r, REAL, "sync");
    lie_about_add();
    put_store(&r, r.vram + CODE);
    assert_int_equal(run(&r, 7, GROUPS), XORED);
    rig_close(&r, 0, 0);
}

static void turned_off(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, REAL, "0");
    put_store(&r, r.vram + CODE);
    for (int i = 0; i < 20; i++)
        assert_int_equal(run(&r, 7, 2000), ADDED);
    assert_int_equal(compiler.asked + compiler.looked_up, 0);
    assert_int_equal(counters(&r).requests, 0);
    rig_close(&r, 0, 0);
}

/* The first dispatch is interpreted. After some milliseconds of the interpreter's time it changes
 * over. (That a short kernel asks nobody is a matter of time, which a busy machine stretches.)
 */
static void changes_over_when_it_pays(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, REAL, "1");
    lie_about_add();
    put_store(&r, r.vram + CODE);
    assert_int_equal(run(&r, 7, 1), ADDED);
    enum result last = ADDED;
    for (int i = 0; i < 20000 && last == ADDED; i++)
        last = run(&r, 7, 500);
    assert_int_not_equal(last, ADDED); /* the dispatch in which it changed may be half and half */
    assert_int_equal(run(&r, 7, 500), XORED);
    assert_int_equal(compiler.asked, 1);
    rig_close(&r, 0, 0);
}

/* A wave that loops for ever is in compiled code after a while. */
static void changes_over_in_a_loop(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, REAL, "1");
    compiler.from = r.gfx12 ? 0 : 0xdc6a0000;
    compiler.to = 0xdc6a0004;
    if (r.gfx12) { /* its offset lies in a word of its own, made recognisable */
        compiler.from = 0x00000800;
        compiler.to = 0x00000c00;
    }
    memcpy(r.vram + CODE, r.gfx12 ? forever12 : forever11,
           r.gfx12 ? sizeof forever12 : sizeof forever11);
    if (r.gfx12) memcpy(r.vram + CODE + 28, &compiler.from, 4);
    launch(&r, RIG_VRAM_VA + CODE, 0, 1);
    const volatile uint32_t *out = out_of(&r) + (r.gfx12 ? 2 : 0);
    for (int i = 0; i < 200000 && out[1] != 7; i++)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[1], 7);
    rig_close(&r, 0, 0);
}

/* ---- the cache ---- */

static void entry_path(char *path, size_t size, unsigned *count) {
    char jit[96];
    snprintf(jit, sizeof jit, "%s/jit", directory);
    DIR *d = opendir(jit);
    struct dirent *e;
    *count = 0;
    path[0] = 0;
    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.') {
            snprintf(path, size, "%s/%.60s", jit, e->d_name);
            ++*count;
        }
    if (d) closedir(d);
}

/* Opens, runs, closes; returns what was counted. */
static struct emu_jit_counters session(void) {
    struct rig r;
    open_with(&r, REAL, "sync");
    put_store(&r, r.vram + CODE);
    assert_int_equal(run(&r, 7, GROUPS), ADDED);
    struct emu_jit_counters n = counters(&r);
    rig_close(&r, 0, 0);
    return n;
}

static void kept_between_sessions(void **state) {
    (void)state;
    char path[200];
    unsigned count;
    struct stat st;
    setenv("RAWCL_CACHE_DIR", directory, 1);
    assert_int_equal(session().compiled, 1);
    entry_path(path, sizeof path, &count);
    assert_int_equal(count, 1);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    struct emu_jit_counters n = session();
    assert_int_equal(n.compiled, 0);
    assert_int_equal(n.cache_hits, 1);
    /* Without being asked to compile: a process of its own, which has no worker. */
    pid_t child = fork();
    if (!child) {
        compiler_after_fork_child();
        struct rig r;
        open_with(&r, REAL, "1");
        put_store(&r, r.vram + CODE);
        for (int i = 0; i < 2000 && !counters(&r).cache_hits; i++)
            run(&r, 7, 500);
        bool good = counters(&r).cache_hits == 1 && compiler.asked <= 1;
        if (!good)
            print_error("%llu hits, %llu compiled, %u looked up, %u asked\n%s",
                        (unsigned long long)counters(&r).cache_hits,
                        (unsigned long long)counters(&r).compiled, (unsigned)compiler.looked_up,
                        (unsigned)compiler.asked, r.log);
        _exit(good && run(&r, 7, 500) == ADDED ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void damage_is_noticed(void **state) {
    (void)state;
    char path[200];
    unsigned count;
    entry_path(path, sizeof path, &count);
    assert_int_equal(count, 1);
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, -100, SEEK_END), 0);
    int c = fgetc(f);
    fseek(f, -100, SEEK_END);
    fputc(c ^ 1, f);
    fclose(f);
    assert_int_equal(session().compiled, 1);
    assert_int_equal(session().cache_hits, 1);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(session().compiled, 1);
    /* A file that others could have written. */
    assert_int_equal(chmod(path, 0622), 0);
    assert_int_equal(session().compiled, 1);
    assert_int_equal(session().cache_hits, 1);
}

static void a_directory_that_others_write_to(void **state) {
    (void)state;
    char jit[96];
    snprintf(jit, sizeof jit, "%s/jit", directory);
    assert_int_equal(session().cache_hits, 1);
    assert_int_equal(chmod(jit, 0777), 0);
    assert_int_equal(session().compiled, 1);
    assert_int_equal(session().compiled, 1);
    assert_int_equal(chmod(jit, 0700), 0);
    assert_int_equal(session().cache_hits, 1);
}

/* ---- compilers that fail ---- */

static void the_worker_crashes(void **state) {
    (void)state;
    struct rig r;
    setenv("RAWCL_CACHE_DIR", "off", 1);
    setenv("RAWCL_COMPILER", crasher, 1);
    compiler_after_fork_child(); /* forgets the worker of the tests before */
    open_with(&r, REAL, "sync");
    put_store(&r, r.vram + CODE);
    for (int i = 0; i < 3; i++)
        assert_int_equal(run(&r, 7, GROUPS), ADDED);
    assert_int_equal(counters(&r).failures, 1); /* the same code is not tried again */
    assert_int_equal(compiler.asked, 1);
    assert_true(rig_logged(&r, "crashed or was killed"));
    const char *first = strstr(r.log, "crashed or was killed");
    /* Other code: two more failures, then nobody is asked any more. */
    for (uint32_t i = 1; i < 6; i++) {
        put_store(&r, r.vram + CODE + i * 4096);
        memcpy(r.vram + CODE + i * 4096 + 20, &(uint32_t){0x3ff + (i << 10)}, 4);
        run_at(&r, RIG_VRAM_VA + CODE + i * 4096, 7, 1);
        assert_int_equal(result(&r, 7, 1), ADDED);
    }
    assert_int_equal(counters(&r).failures, 3);
    assert_int_equal(compiler.asked, 3);
    assert_null(strstr(first + 1, "crashed or was killed")); /* said once */
    rig_close(&r, 0, 0);
    unsetenv("RAWCL_COMPILER");
    compiler_after_fork_child();
}

static void compilers_of_no_use(void **state) {
    (void)state;
    static const struct {
        enum how how;
        const char *text;
    } cases[] = {{JUNK, "makes no sense"}, {FAILS, "the test says so"}, {ABSENT, "all of it"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig r;
        open_with(&r, cases[i].how, "sync");
        put_store(&r, r.vram + CODE);
        assert_int_equal(run(&r, 7, GROUPS), ADDED);
        assert_int_equal(run(&r, 9, GROUPS), ADDED);
        assert_int_equal(counters(&r).failures, 1);
        assert_true(rig_logged(&r, cases[i].text));
        rig_close(&r, 0, 0);
    }
}

/* A MODE that the lifter has no code for is an answer, not a failure. */
static void left_to_the_interpreter(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, REAL, "sync");
    put_store(&r, r.vram + CODE);
    launch(&r, RIG_VRAM_VA + CODE, 7, GROUPS);
    assert_true(rig_wait(&r, RIG_SIGNAL, signal_value, 30000));
    assert_int_equal(counters(&r).compiled, 1);
    uint64_t va = RIG_VRAM_VA + CODE;
    rig_acquire(&r, 0xc3f1);
    rig_program(&r, va, RIG_SYS_VA + RIG_DATA, 0);
    RIG_EMIT(&r, 0xc0027600, 0x212, 0xc00f1001, 0x84); /* binary32 rounds up */
    rig_dispatch(&r, GROUPS, 64);
    rig_release(&r, 0x70f514, RIG_SIGNAL, ++signal_value);
    rig_ring(&r);
    assert_true(rig_wait(&r, RIG_SIGNAL, signal_value, 30000));
    assert_int_equal(result(&r, 7, GROUPS), ADDED);
    struct emu_jit_counters n = counters(&r);
    assert_int_equal(n.refused, 1);
    assert_int_equal(n.failures, 0);
    rig_close(&r, 0, 0);
}

/* ---- code that changes, devices that go ---- */

static void code_changes_in_place(void **state) {
    (void)state;
    enum { AT = 0x180000 };
    struct rig r;
    open_with(&r, REAL, "sync");
    put_store(&r, r.sys + AT);
    run_at(&r, RIG_SYS_VA + AT, 7, GROUPS);
    assert_int_equal(result(&r, 7, GROUPS), ADDED);
    uint32_t *word = (uint32_t *)(void *)(r.sys + AT);
    while (*word != 0x4a020006)
        word++;
    *word = 0x3a020006;
    run_at(&r, RIG_SYS_VA + AT, 7, GROUPS);
    assert_int_equal(result(&r, 7, GROUPS), XORED);
    struct emu_jit_counters n = counters(&r);
    assert_int_equal(n.changed, 1);
    assert_int_equal(n.compiled, 2);
    *word = 0x4a020006; /* and back: nothing new to compile */
    run_at(&r, RIG_SYS_VA + AT, 7, GROUPS);
    assert_int_equal(result(&r, 7, GROUPS), ADDED);
    assert_int_equal(counters(&r).compiled, 2);
    rig_close(&r, 0, 0);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void closes_while_compiling(void **state) {
    (void)state;
    struct rig r;
    open_with(&r, HANGS, "1");
    put_store(&r, r.vram + CODE);
    for (int i = 0; i < 2000 && !compiler.inside; i++)
        assert_int_equal(run(&r, 7, 500), ADDED); /* nobody waits for it */
    assert_int_equal(compiler.inside, 1);
    double start = now_s();
    rig_close(&r, 0, 0);
    assert_true(now_s() - start < 2);
    pthread_mutex_lock(&compiler.lock);
    compiler.released = true;
    pthread_cond_broadcast(&compiler.cond);
    pthread_mutex_unlock(&compiler.lock);
    for (int i = 0; i < 1000 && compiler.inside; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    assert_int_equal(compiler.inside, 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL); /* for what the thread frees behind us */
}

/* The parent's worker is not the child's, and the other way round. */
static void fork_in_between(void **state) {
    (void)state;
    int status;
    setenv("RAWCL_CACHE_DIR", "off", 1);
    assert_int_equal(session().compiled, 1);
    pid_t child = fork();
    if (!child) {
        compiler_after_fork_child();
        _exit(session().compiled == 1 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(session().compiled, 1);
}

/* ---- which bytes are code ---- */

static void extents(void **state) {
    (void)state;
    /* 0: s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 44; s_addc_u32 s5, s5, 0; s_swappc_b64 s[30:31],
     * s[4:5]; s_cbranch_scc1 +2; s_endpgm; (never); s_nop; s_branch -5; ...; 48: s_setpc_b64
     * s[30:31] */
    static const uint32_t code[] = {0xbe844700, 0x8004ff04, 0x0000002c, 0x82058005, 0xbe9e4904,
                                    0xbfa20002, 0xbfb00000, 0xffffffff, 0xbf800000, 0xbfa0fffb,
                                    0xffffffff, 0xffffffff, 0xbe80481e};
    enum isa_arch arch = strncmp(target, "gfx12", 5) ? ISA_GFX11 : ISA_GFX12;
    struct jit_extent e;
    const uint8_t *w = (const uint8_t *)code;
    assert_int_equal(jit_code_extent(arch, w, sizeof code, 0, &e), 0);
    assert_int_equal(e.lo, 0);
    assert_int_equal(e.hi, 40);
    assert_int_equal(e.calls, 1);
    assert_int_equal(e.call[0], 48);
    assert_int_equal(e.instructions, 8);
    assert_int_equal(jit_code_extent(arch, w, sizeof code, 32, &e), 0);
    assert_int_equal(e.lo, 20); /* a branch back */
    assert_int_equal(jit_code_extent(arch, w, sizeof code, 28, &e), -ENOEXEC);
    /* A window that ends in the middle, and entries outside. */
    assert_int_equal(jit_code_extent(arch, w, 8, 0, &e), 0);
    assert_int_equal(e.hi, 4);
    assert_int_equal(jit_code_extent(arch, w, sizeof code, sizeof code, &e), -ENOEXEC);
    assert_int_equal(jit_code_extent(arch, w, 0, 0, &e), -ENOEXEC);
    /* Any bytes. */
    uint32_t noise[256];
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        for (int i = 0; i < 256; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            noise[i] = (uint32_t)(seed >> 32);
            if (seed >> 29 & 1) noise[i] = 0xbf800000 | (uint32_t)(seed >> 40 & 0x3fffff);
        }
        int err = jit_code_extent(arch, (const uint8_t *)noise, sizeof noise, 512, &e);
        assert_true(err == 0 || err == -ENOEXEC);
        if (!err) assert_true(e.lo <= 512 && e.hi > 512 && e.hi <= sizeof noise);
    }
}

static int make_directory(void **state) {
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/rawcl-jit-test-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    char path[200];
    unsigned count;
    for (entry_path(path, sizeof path, &count); count; entry_path(path, sizeof path, &count))
        if (unlink(path)) return -1;
    snprintf(path, sizeof path, "%s/jit", directory);
    rmdir(path);
    return rmdir(directory);
}

int main(int argc, char **argv) {
    target = argc > 1 ? argv[1] : "gfx1100";
    crasher = argc > 2 ? argv[2] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_before_the_first_wave),
        cmocka_unit_test(turned_off),
        cmocka_unit_test(changes_over_when_it_pays),
        cmocka_unit_test(changes_over_in_a_loop),
        cmocka_unit_test(kept_between_sessions),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(a_directory_that_others_write_to),
        cmocka_unit_test(the_worker_crashes),
        cmocka_unit_test(compilers_of_no_use),
        cmocka_unit_test(left_to_the_interpreter),
        cmocka_unit_test(code_changes_in_place),
        cmocka_unit_test(closes_while_compiling),
        cmocka_unit_test(fork_in_between),
        cmocka_unit_test(extents),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
