/* SPDX-License-Identifier: MIT */
/* The remote protocol, from the client's end of a socket pair. */
#include "tests/emulator/mini.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/gpud_protocol.h"

static volatile int stop;

struct server {
    struct gpud d;
    pthread_t thread;
    int fd, client, rc;
    char why[256];
};

static void *serve(void *arg) {
    struct server *s = arg;
    s->rc = gpud_serve(&s->d, s->fd, s->why, sizeof s->why);
    close(s->fd);
    return NULL;
}

static void start(struct server *s) {
    int p[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, p), 0);
    s->client = p[0];
    s->fd = p[1];
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

/* Ends the client and returns what gpud_serve returned. */
static int finish(struct server *s) {
    close(s->client);
    pthread_join(s->thread, NULL);
    return s->rc;
}

static void open_server(struct server *s, const char *target) {
    memset(s, 0, sizeof *s);
    char err[200];
    struct emu_config c = {.target = target, .vram_bytes = 256u << 20, .cus = 2, .threads = 1};
    if (emu_open(&c, &s->d.bus, err, sizeof err)) fail_msg("%s", err);
    s->d.name = "emu";
    s->d.stop = &stop;
}

static void close_server(struct server *s) {
    gpud_free(&s->d);
    s->d.bus->ops->close(s->d.bus);
}

static void sendn(struct server *s, const void *p, size_t n) {
    assert_int_equal(send(s->client, p, n, MSG_NOSIGNAL), (ssize_t)n);
}

static void request(struct server *s, uint8_t cmd, uint32_t bar, uint64_t a, uint64_t b,
                    uint64_t c) {
    uint8_t r[33] = {cmd};
    hw_put32(r, 5, bar);
    hw_put64(r, 9, a);
    hw_put64(r, 17, b);
    hw_put64(r, 25, c);
    sendn(s, r, sizeof r);
}

static bool recvn(struct server *s, void *p, size_t n) {
    return recv(s->client, p, n, MSG_WAITALL) == (ssize_t)n;
}

/* Status; *r0, *r1 filled. */
static int response(struct server *s, uint64_t *r0, uint64_t *r1) {
    uint8_t h[17];
    if (!recvn(s, h, sizeof h)) return -1;
    *r0 = hw_get64(h, 1);
    *r1 = hw_get64(h, 9);
    return h[0];
}

static void expect_error(struct server *s) {
    uint64_t r0 = 0, r1 = 0;
    char text[256];
    assert_int_equal(response(s, &r0, &r1), 1);
    assert_in_range(r0, 1, sizeof text);
    assert_true(recvn(s, text, r0));
}

static void session(void **state) {
    struct server s;
    uint64_t r0 = 0, r1 = 0, pages[4];
    char text[64];
    (void)state;
    open_server(&s, "gfx1201");
    start(&s);
    const uint32_t ids[] = {0xffff, 0x744c, 0xffff, 0x7550};
    request(&s, 0, 0, 0, sizeof ids, 0x1002);
    sendn(&s, ids, sizeof ids);
    assert_int_equal(response(&s, &r0, &r1), 0);
    assert_true(recvn(&s, text, r0));
    assert_int_equal(r1, 1);
    assert_memory_equal(text, "emu:0", 5);
    const uint32_t other[] = {0xffff, 0x1234};
    request(&s, 0, 0, 0, sizeof other, 0x1002);
    sendn(&s, other, sizeof other);
    expect_error(&s);

    request(&s, 6, 5, 0x378c, 4, 0); /* before MAP_BAR */
    expect_error(&s);
    request(&s, 1, 5, 0, 0, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    assert_int_equal(r1, 1u << 20);
    request(&s, 1, 1, 0, 0, 0);
    expect_error(&s);
    request(&s, 6, 5, 0x378c, 4, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    uint32_t mb = 0;
    assert_true(r0 == 4 && recvn(&s, &mb, 4));
    assert_int_equal(mb, 256);
    request(&s, 6, 5, UINT64_MAX, 4, 0);
    expect_error(&s);
    request(&s, 6, 5, 0, UINT64_MAX, 0);
    expect_error(&s);

    request(&s, 3, 0, 0, 4, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    assert_int_equal(r0, 0x75501002);
    request(&s, 3, 0, UINT64_MAX, 4, 0);
    expect_error(&s);
    request(&s, 12, 0, 0, 0, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);

    request(&s, 8, 0, 4 * 4096, 0, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    assert_int_equal(r0, sizeof pages);
    assert_int_equal(r1, 0);
    assert_true(recvn(&s, pages, sizeof pages));
    uint64_t v = 0x1122334455667788, got = 0;
    request(&s, 10, 0, 0x1008, 8, 0);
    sendn(&s, &v, 8);
    request(&s, 9, 0, 0x1008, 8, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    assert_true(recvn(&s, &got, 8));
    assert_int_equal(got, v);
    assert_memory_equal(emu_dma_ptr(s.d.bus, pages[1] + 8), &v, 8);
    request(&s, 9, 0, 4 * 4096 - 4, 8, 0);
    expect_error(&s);
    request(&s, 9, 7, 0, 8, 0);
    expect_error(&s);
    request(&s, 8, 0, 1ull << 60, 0, 0);
    expect_error(&s);
    request(&s, 8, 0, 0, 0, 0);
    expect_error(&s);

    /* VRAM in one large piece, and back */
    request(&s, 1, 0, 0, 0, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    static uint8_t big[600000], back[600000];
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (uint8_t)(i * 7);
    request(&s, 7, 0, 0x100003, sizeof big, 0);
    sendn(&s, big, sizeof big);
    request(&s, 6, 0, 0x100003, sizeof back, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    assert_true(recvn(&s, back, sizeof back));
    assert_memory_equal(big, back, sizeof big);
    assert_int_equal(finish(&s), 0);

    /* the next client finds VRAM as it was, and no memory of the first */
    start(&s);
    request(&s, 1, 0, 0, 0, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    request(&s, 6, 0, 0x100003, 16, 0);
    assert_int_equal(response(&s, &r0, &r1), 0);
    assert_true(recvn(&s, back, 16));
    assert_memory_equal(big, back, 16);
    request(&s, 9, 0, 0, 8, 0);
    expect_error(&s);
    assert_int_equal(finish(&s), 0);
    close_server(&s);
}

/* A failed posted write must end the connection, or the client would wait for ever. */
static void posted_failures(void **state) {
    static const struct {
        uint8_t cmd;
        uint32_t bar;
        uint64_t off, len;
    } bad[] = {{7, 5, 0, 4},  {7, 9, 0, 4}, {10, 0, 0, 4}, {7, 0, UINT64_MAX - 3, 8},
               {77, 0, 0, 0}, {0, 0, 0, 4}};
    (void)state;
    struct server s;
    open_server(&s, "gfx1100");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        start(&s);
        request(&s, bad[i].cmd, bad[i].bar, bad[i].off, bad[i].len, 0);
        uint8_t c;
        assert_int_equal(recv(s.client, &c, 1, 0), 0);
        assert_int_not_equal(finish(&s), 0);
        assert_int_not_equal(s.why[0], 0);
    }
    /* half a request, half a payload */
    start(&s);
    sendn(&s, "\x07\0\0", 3);
    assert_int_not_equal(finish(&s), 0);
    start(&s);
    request(&s, 1, 0, 0, 0, 0);
    uint64_t r0 = 0, r1 = 0;
    assert_int_equal(response(&s, &r0, &r1), 0);
    request(&s, 7, 0, 0, 4096, 0);
    sendn(&s, "abc", 3);
    assert_int_not_equal(finish(&s), 0);
    close_server(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(session),
                                       cmocka_unit_test(posted_failures)};
    return cmocka_run_group_tests_name("gpud protocol", tests, NULL, NULL);
}
