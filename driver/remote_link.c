/* SPDX-License-Identifier: MIT */
/* remote_link.c - the connection to a server of the remote PCI protocol: bytes out, bytes in. The
 * server is not trusted: every length is checked before it is used. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "driver/remote.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "BAR contents are passed as they are");

enum { CONNECT_MS = 3000 };

/* ---- connecting ---- */

static int connect_within(int fd, const struct sockaddr *a, socklen_t len, int flags_nonblock) {
    if (connect(fd, a, len) == 0) return 0;
    if (errno != EINPROGRESS || !flags_nonblock) return -errno;
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int n;
    do
        n = poll(&p, 1, CONNECT_MS);
    while (n < 0 && errno == EINTR);
    if (n == 0) return -ETIMEDOUT;
    int why = 0;
    socklen_t size = sizeof why;
    if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size)) return -errno;
    return -why;
}

static int connect_path(const char *path, int *fd, char *err, size_t err_size) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof a.sun_path) {
        snprintf(err, err_size, "socket path is too long: %s", path);
        return -ENAMETOOLONG;
    }
    memcpy(a.sun_path, path, strlen(path) + 1);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int rc = s < 0 ? -errno : connect_within(s, (struct sockaddr *)&a, sizeof a, 0);
    if (rc) {
        snprintf(err, err_size, "%s: %s", path, strerror(-rc));
        if (s >= 0) close(s);
        return rc;
    }
    *fd = s;
    return 0;
}

static int connect_tcp(const char *address, int *fd, char *err, size_t err_size) {
    char text[256];
    snprintf(text, sizeof text, "%s", address);
    char *colon = strrchr(text, ':'), *host = text;
    if (!colon || !colon[1] || colon == text) {
        snprintf(err, err_size, "\"%s\" is not HOST:PORT or a path with a '/'", address);
        return -EINVAL;
    }
    *colon = 0;
    size_t n = strlen(text);
    if (n > 2 && text[0] == '[' && text[n - 1] == ']') {
        text[n - 1] = 0;
        host++;
    }
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    int gai = getaddrinfo(host, colon + 1, &hints, &list);
    if (gai) {
        snprintf(err, err_size, "%s: %s", address, gai_strerror(gai));
        return -EHOSTUNREACH;
    }
    int rc = -EHOSTUNREACH, s = -1, one = 1;
    for (const struct addrinfo *a = list; a && rc; a = a->ai_next) {
        s = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        rc = s < 0 ? -errno : connect_within(s, a->ai_addr, a->ai_addrlen, 1);
        if (rc && s >= 0) close(s);
    }
    freeaddrinfo(list);
    if (rc) {
        snprintf(err, err_size, "%s: %s", address, strerror(-rc));
        return rc;
    }
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    *fd = s;
    return 0;
}

int remote_connect(const char *address, int *fd, char *err, size_t err_size) {
    return strchr(address, '/') ? connect_path(address, fd, err, err_size)
                                : connect_tcp(address, fd, err, err_size);
}

/* ---- bytes ---- */

static int die(struct remote_link *l, int rc, const char *what) {
    if (!l->dead) {
        l->dead = rc;
        snprintf(l->text, sizeof l->text, "%s: %s", what, strerror(-rc));
        shutdown(l->fd, SHUT_RDWR);
    }
    return l->dead;
}

int remote_broken(struct remote_link *l, const char *what) {
    if (!l->dead) {
        l->dead = -EPROTO;
        snprintf(l->text, sizeof l->text, "the server broke the protocol: %s", what);
        shutdown(l->fd, SHUT_RDWR);
    }
    return -EPROTO;
}

/* Waits until the socket is ready, for a while. */
static int ready(struct remote_link *l, short events) {
    struct pollfd p = {.fd = l->fd, .events = events};
    int n;
    do
        n = poll(&p, 1, l->patience_ms);
    while (n < 0 && errno == EINTR);
    return n > 0 ? 0 : n ? -errno : -ETIMEDOUT;
}

static int put(struct remote_link *l, const void *src, size_t len) {
    const uint8_t *p = src;
    while (len && !l->dead) {
        ssize_t n = send(l->fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            p += n;
            len -= (size_t)n;
            continue;
        }
        int rc = errno == EAGAIN ? ready(l, POLLOUT) : errno == EINTR ? 0 : -errno;
        if (rc) die(l, rc, "sending to the server");
    }
    return l->dead;
}

int remote_receive(struct remote_link *l, void *dst, size_t len) {
    uint8_t *p = dst;
    while (len && !l->dead) {
        ssize_t n = recv(l->fd, p, len, MSG_DONTWAIT);
        if (n > 0) {
            p += n;
            len -= (size_t)n;
            continue;
        }
        int rc = n == 0            ? -ECONNRESET
                 : errno == EAGAIN ? ready(l, POLLIN)
                 : errno == EINTR  ? 0
                                   : -errno;
        if (rc) die(l, rc, rc == -ETIMEDOUT ? "no answer from the server" : "the server");
    }
    return l->dead;
}

int remote_flush(struct remote_link *l) {
    size_t n = l->out_bytes;
    l->out_bytes = 0;
    return put(l, l->out, n);
}

static void encode(const struct remote_link *l, const struct remote_request *r, uint8_t *h) {
    h[0] = (uint8_t)r->cmd;
    remote_put_le(h + 1, l->dev, 4);
    remote_put_le(h + 5, r->bar, 4);
    for (unsigned i = 0; i < 3; i++)
        remote_put_le(h + 9 + 8 * i, r->arg[i], 8);
}

int remote_post(struct remote_link *l, const struct remote_request *r, const void *payload,
                size_t len) {
    size_t total = REMOTE_REQUEST_BYTES + len;
    if (total > sizeof l->out - l->out_bytes) {
        int rc = remote_flush(l);
        if (rc) return rc;
    }
    if (total > sizeof l->out) {
        uint8_t h[REMOTE_REQUEST_BYTES];
        encode(l, r, h);
        put(l, h, sizeof h);
        return put(l, payload, len);
    }
    encode(l, r, l->out + l->out_bytes);
    if (len) memcpy(l->out + l->out_bytes + REMOTE_REQUEST_BYTES, payload, len);
    l->out_bytes += total;
    return l->dead;
}

int remote_send(struct remote_link *l, const struct remote_request *r, const void *payload,
                size_t len) {
    int rc = remote_post(l, r, payload, len);
    return rc ? rc : remote_flush(l);
}

/* The first bytes of a response, and a descriptor that may come with them. */
static int receive_file(struct remote_link *l, uint8_t *h, int *file) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = {h, REMOTE_RESPONSE_BYTES};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes};
    ssize_t n;
    for (;;) {
        msg.msg_controllen = sizeof control.bytes;
        n = recvmsg(l->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n > 0) break;
        int rc = n == 0            ? -ECONNRESET
                 : errno == EAGAIN ? ready(l, POLLIN)
                 : errno == EINTR  ? 0
                                   : -errno;
        if (rc) return die(l, rc, "the server");
    }
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
            c->cmsg_len == CMSG_LEN(sizeof(int)))
            memcpy(file, CMSG_DATA(c), sizeof *file);
    return remote_receive(l, h + n, REMOTE_RESPONSE_BYTES - (size_t)n);
}

int remote_response(struct remote_link *l, uint64_t *r0, uint64_t *r1, int *file) {
    enum { MAX_REFUSAL = 1 << 16 };
    uint8_t h[REMOTE_RESPONSE_BYTES];
    if (l->dead) return l->dead;
    if (file) *file = -1;
    int rc = file ? receive_file(l, h, file) : remote_receive(l, h, sizeof h);
    if (rc) goto fail;
    *r0 = remote_le(h + 1, 8);
    *r1 = remote_le(h + 9, 8);
    if (h[0] == 0) return 0;
    if (*r0 > MAX_REFUSAL) {
        rc = remote_broken(l, "a refusal without end");
        goto fail;
    }
    uint64_t left = *r0;
    size_t keep = left < sizeof l->text - 1 ? (size_t)left : sizeof l->text - 1;
    char text[sizeof l->text] = {0};
    rc = remote_receive(l, text, keep);
    for (left -= keep; left && !rc;) {
        char rest[256];
        size_t n = left < sizeof rest ? (size_t)left : sizeof rest;
        rc = remote_receive(l, rest, n);
        left -= n;
    }
    if (!rc) {
        for (size_t i = 0; i < keep; i++) /* it goes to terminals */
            if ((unsigned char)text[i] < 32 || text[i] == 127) text[i] = ' ';
        memcpy(l->text, text, sizeof l->text);
        rc = -EREMOTEIO;
    }
fail:
    if (file && *file >= 0) close(*file);
    if (file) *file = -1;
    return rc;
}

int remote_call(struct remote_link *l, const struct remote_request *r, uint64_t *r0, uint64_t *r1) {
    uint64_t a, b;
    int rc = remote_send(l, r, NULL, 0);
    return rc ? rc : remote_response(l, r0 ? r0 : &a, r1 ? r1 : &b, NULL);
}

int remote_read(struct remote_link *l, const struct remote_request *r, void *dst, size_t len) {
    uint64_t r0 = 0, r1;
    int rc = remote_call(l, r, &r0, &r1);
    if (rc) return rc;
    if (r0 != len) return remote_broken(l, "a read of another length than asked for");
    return remote_receive(l, dst, len);
}
