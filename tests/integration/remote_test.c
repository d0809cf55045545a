/* SPDX-License-Identifier: MIT */
/* The driver on a GPU behind rawcl-gpud's socket. usage: test_remote GPUD path|tcp|kill TARGET
 * REMOTE_KILLS: how many clients to kill (12). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/dev.h"
#include "tests/integration/gpud_server.h"
#include "tests/integration/submit_common.h"

static struct {
    const char *gpud, *target;
    bool tcp;
    struct gpud_server server;
} t;

/* Values through VRAM and a kernel and back. */
static void round_trip(struct rig *g, unsigned n, uint32_t mul) {
    struct am_mem *in = rig_alloc(g, 4ull * n, AM_MEM_SYSTEM, "in");
    struct am_mem *out = rig_alloc(g, 4ull * n, AM_MEM_SYSTEM, "out");
    struct am_mem *vin = rig_alloc(g, 4ull * n, AM_MEM_VRAM, "vin");
    struct am_mem *vout = rig_alloc(g, 4ull * n, AM_MEM_VRAM, "vout");
    uint32_t *a = in->cpu, *b = out->cpu;
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(a[i] | b[i], 0); /* new memory is zero */
        a[i] = (uint32_t)rig_random();
    }
    struct {
        uint64_t in, out;
        uint32_t mul, n;
    } args = {vin->va, vout->va, mul, n};
    struct am_dispatch d = rig_kernel(g, "muladd", (n + 63) / 64, &args, sizeof args);
    struct am_fence f[3];
    assert_int_equal(am_submit_copy(g->dev, NULL, 0, vin->va, in->va, 4ull * n, &f[0]), 0);
    assert_int_equal(am_submit_dispatch(g->dev, &f[0], 1, &d, &f[1]), 0);
    assert_int_equal(am_submit_copy(g->dev, &f[1], 1, out->va, vout->va, 4ull * n, &f[2]), 0);
    rig_wait(g, f[2]);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(b[i], a[i] * mul + i);
    uint64_t start = 0, end = 0;
    assert_int_equal(am_fence_times(g->dev, f[1], &start, &end), 0);
    assert_true(end >= start && start > 0); /* the clocks are compared through the socket */
    am_free(g->dev, in);
    am_free(g->dev, out);
    am_free(g->dev, vin);
    am_free(g->dev, vout);
}

static struct rig *open_rig(void) {
    void *g = NULL;
    assert_int_equal(rig_setup(&g), 0);
    return g;
}

static int start_server(void **state) {
    (void)state;
    char device[64], id[160];
    snprintf(device, sizeof device, "emu:%s,cus=4,vram=512M,threads=2", t.target);
    if (gpud_server_start(&t.server, t.gpud, device, t.tcp)) return -1;
    snprintf(id, sizeof id, "remote:%s", t.server.address);
    setenv("TEST_DEVICE", id, 1);
    setenv("TEST_TARGET", t.target, 1);
    return 0;
}

/* The kernels of a killed client run on until the next one turns bus mastering off and resets the
 * chip: the model counts what they do in between. */
static int stop_after_kills(void **state) {
    (void)state;
    int complaints = gpud_server_stop(&t.server);
    printf("the server counted %d complaints\n", complaints);
    return complaints < 0 ? -1 : 0;
}

static int stop_server(void **state) {
    (void)state;
    int complaints = gpud_server_stop(&t.server);
    if (complaints) fprintf(stderr, "the server ended with %d\n", complaints);
    return complaints ? -1 : 0;
}

/* Cold, then warm: what the first session left serves the second. */
static void cold_and_warm(void **state) {
    (void)state;
    for (int session = 0; session < 3; session++) {
        struct rig *g = open_rig();
        assert_int_equal(g->dev->partial_boot, session > 0);
        for (uint32_t i = 1; i < 6; i++)
            round_trip(g, i * i * 1111, i);
        void *p = g;
        assert_int_equal(rig_teardown(&p), 0);
    }
}

/* What enumeration says of it, without booting it. */
static void enumerated(void **state) {
    (void)state;
    struct am_candidate *c;
    size_t n = 0;
    assert_int_equal(am_enumerate(getenv("TEST_DEVICE"), &c, &n), 0);
    assert_int_equal(n, 1);
    assert_string_equal(c[0].error, "");
    assert_string_equal(c[0].target, t.target);
    assert_int_equal(c[0].vram_bytes, 512 << 20);
    assert_int_equal(c[0].pci_vendor, 0x1002);
    assert_true(c[0].emulated);
    assert_non_null(strstr(c[0].name, "(emulated)"));
    free(c);
}

/* Fills of both kinds, a kernel that faults, and one that runs afterwards. */
static void fault(void **state) {
    (void)state;
    struct rig *g = open_rig();
    struct {
        uint64_t where;
        uint32_t value;
    } args = {0x5000, 1};
    struct am_dispatch d = rig_kernel(g, "poke", 1, &args, sizeof args);
    struct am_fence f;
    assert_int_equal(am_submit_dispatch(g->dev, NULL, 0, &d, &f), 0);
    assert_int_equal(am_wait(g->dev, f, SECONDS(20)), -EIO);
    char text[512];
    am_fence_error(g->dev, f, text, sizeof text);
    assert_non_null(strstr(text, "0x5000"));
    round_trip(g, 5000, 7);
    void *p = g;
    assert_int_equal(rig_teardown(&p), 0);
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *id, *why;
    } cases[] = {
        {"remote:127.0.0.1:1", "refused"},  {"remote:/nowhere/at/all", "No such file"},
        {"remote:127.0.0.1", "HOST:PORT"},  {"remote:", "HOST:PORT"},
        {"remote:a:1,speed=3", "device=N"}, {"remote:127.0.0.1:port", "127.0.0.1:port"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct am_device *dev;
        char err[512] = "";
        assert_true(am_open(cases[i].id, NULL, &dev, err, sizeof err) < 0);
        if (!strstr(err, cases[i].why)) fail_msg("%s: %s", cases[i].id, err);
        assert_non_null(strstr(err, cases[i].id));
    }
    char other[200], err[512] = "";
    struct am_device *dev;
    snprintf(other, sizeof other, "%s,device=3", getenv("TEST_DEVICE"));
    assert_int_equal(am_open(other, NULL, &dev, err, sizeof err), -ENOENT);
    assert_non_null(strstr(err, "no device 3"));
}

/* A second client while the first is served is told so, in time. */
static void busy(void **state) {
    (void)state;
    struct rig *g = open_rig();
    char err[512] = "";
    struct am_device *dev;
    assert_int_equal(am_open(getenv("TEST_DEVICE"), NULL, &dev, err, sizeof err), -ETIMEDOUT);
    assert_non_null(strstr(err, "one client at a time"));
    round_trip(g, 1000, 3);
    void *p = g;
    assert_int_equal(rig_teardown(&p), 0);
}

/* ---- clients that are killed ---- */

/* Boots, says so, and works until it is killed. */
static void victim(int tell) {
    void *p = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (rig_setup(&p)) _exit(3);
    if (write(tell, "D", 1) != 1) _exit(4);
    for (uint32_t i = 1;; i++)
        round_trip(p, 3000 + 977 * (i % 40), i);
}

static void sleep_us(uint64_t us) {
    struct timespec ts = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    nanosleep(&ts, NULL);
}

static uint64_t now_us(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* Opens, works, closes; returns whether it came through a partial boot. */
static bool next_client(void) {
    struct rig *g = open_rig();
    bool partial = g->dev->partial_boot;
    round_trip(g, 4000, 9);
    void *p = g;
    assert_int_equal(rig_teardown(&p), 0);
    return partial;
}

static void killed(void **state) {
    (void)state;
    const char *env = getenv("REMOTE_KILLS");
    int kills = env ? (int)strtol(env, NULL, 10) : 12;
    unsigned booted = 0, early = 0, partial = 0;
    uint64_t begin = now_us();
    next_client();
    uint64_t span = (now_us() - begin) * 2; /* a cold boot, and as long at work */
    for (int i = 0; i < kills; i++) {
        int p[2];
        uint64_t when = rig_random() % span;
        assert_int_equal(pipe(p), 0);
        pid_t pid = fork();
        if (pid == 0) victim(p[1]);
        close(p[1]);
        sleep_us(when);
        kill(pid, SIGKILL);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status)); /* it did not end by itself */
        char c;
        bool was_up = read(p[0], &c, 1) == 1;
        close(p[0]);
        bool warm = next_client();
        if (warm && was_up)
            fail_msg("kill %d after %llu us: a crash looks clean", i, (unsigned long long)when);
        booted += was_up;
        early += !was_up;
        partial += warm;
        if (i % 4 == 3) assert_true(next_client()); /* a clean end serves the next one */
    }
    printf("%d killed: %u at work, %u in the boot; %u partial boots after them\n", kills, booted,
           early, partial);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    t.gpud = argv[1];
    t.target = argv[3];
    t.tcp = strcmp(argv[2], "tcp") == 0;
    unsetenv("AM_RESET");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enumerated), cmocka_unit_test(cold_and_warm), cmocka_unit_test(fault),
        cmocka_unit_test(refused),    cmocka_unit_test(busy),
    };
    const struct CMUnitTest kill_tests[] = {cmocka_unit_test(killed)};
    if (strcmp(argv[2], "kill") == 0)
        return cmocka_run_group_tests_name("remote kill", kill_tests, start_server,
                                           stop_after_kills);
    return cmocka_run_group_tests_name("remote", tests, start_server, stop_server);
}
