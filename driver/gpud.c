/* SPDX-License-Identifier: MIT */
/* rawcl-gpud - serves the emulated GPU on a socket. Its state outlives its clients. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "compiler/compiler.h"
#include "driver/emulator/emulator.h"
#include "driver/gpud_protocol.h"

static volatile int stop;
static volatile sig_atomic_t client_fd = -1, listen_fd = -1;

/* Wakes a blocked accept or recv even if the signal came just before it. */
static void on_signal(int sig) {
    (void)sig;
    stop = 1;
    if (client_fd >= 0) shutdown(client_fd, SHUT_RDWR);
    if (listen_fd >= 0) shutdown(listen_fd, SHUT_RDWR);
}

static const char usage[] =
    "usage: rawcl-gpud [--device emu:TARGET[,key=value...]] [--listen ADDRESS] [--allow-remote]\n"
    "                  [--no-jit]\n"
    "\n"
    "Serves an emulated AMD GPU over the remote PCI protocol, one client at a time.\n"
    "The GPU keeps its state between clients.\n"
    "\n"
    "  --device   emu:gfx1100 (default), emu:gfx1102, emu:gfx1200 or emu:gfx1201; keys:\n"
    "             vram=SIZE (K, M, G), cus=N, threads=N, hang=SECONDS\n"
    "  --listen   HOST:PORT (default 127.0.0.1:6667), [IPv6]:PORT, or a socket path with a '/'\n"
    "  --allow-remote  listen on an address that other machines reach. There is no password and\n"
    "             no encryption: whoever connects uses this GPU\n"
    "  --no-jit   leave all kernels to the interpreter (as RAWCL_EMU_JIT=0 does)\n"
    "  --help     this text\n";

/* ---- the device ---- */

static int parse_size(const char *s, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 0);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (errno || end == s || *s == '-' || (shift && end[1]) || (!shift && *end)) return -EINVAL;
    if (v > UINT64_MAX >> shift) return -ERANGE;
    *out = (uint64_t)v << shift;
    return 0;
}

static int set_key(struct emu_config *c, const char *key, const char *value) {
    uint64_t v;
    if (!strcmp(key, "hang")) {
        char *end;
        c->hang_seconds = strtod(value, &end);
        return end == value || *end || c->hang_seconds < 0 ? -EINVAL : 0;
    }
    int rc = parse_size(value, &v);
    if (rc) return rc;
    if (!strcmp(key, "vram"))
        c->vram_bytes = v;
    else if (!strcmp(key, "cus") && v <= 1024)
        c->cus = (unsigned)v;
    else if (!strcmp(key, "threads") && v <= 1024)
        c->threads = (unsigned)v;
    else
        return -EINVAL;
    return 0;
}

/* text is cut into pieces; c->target points into it. */
static int parse_device(char *text, struct emu_config *c) {
    if (strncmp(text, "emu:", 4)) {
        fprintf(stderr, "rawcl-gpud: \"%s\": only emu:TARGET can be served\n", text);
        return -EINVAL;
    }
    char *save = NULL, *part = strtok_r(text + 4, ",", &save);
    c->target = part ? part : "";
    while ((part = strtok_r(NULL, ",", &save))) {
        char *eq = strchr(part, '=');
        if (eq) *eq++ = 0;
        if (!eq || set_key(c, part, eq)) {
            fprintf(stderr, "rawcl-gpud: bad device setting \"%s%s%s\"\n", part, eq ? "=" : "",
                    eq ? eq : "");
            return -EINVAL;
        }
    }
    return 0;
}

/* ---- the socket ---- */

static bool is_loopback(const struct sockaddr *a) {
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127;
    if (a->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
    return false;
}

static int listen_path(const char *path) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof a.sun_path) {
        fprintf(stderr, "rawcl-gpud: socket path is too long: %s\n", path);
        return -1;
    }
    memcpy(a.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct stat st;
    if (!lstat(path, &st) && S_ISSOCK(st.st_mode)) { /* left by a dead server? */
        if (fd >= 0 && !connect(fd, (struct sockaddr *)&a, sizeof a)) {
            fprintf(stderr, "rawcl-gpud: somebody serves %s already\n", path);
            close(fd);
            return -1;
        }
        unlink(path);
        if (fd >= 0) close(fd);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    }
    mode_t old = umask(0077);
    int rc = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&a, sizeof a);
    umask(old);
    if (rc || listen(fd, 8)) {
        fprintf(stderr, "rawcl-gpud: %s: %s\n", path, strerror(errno));
        if (fd >= 0) close(fd);
        return -1;
    }
    printf("listening on %s\n", path);
    return fd;
}

/* Splits HOST:PORT or [HOST]:PORT in place. */
static int split_address(char *text, char **host, char **port) {
    char *colon = strrchr(text, ':');
    if (!colon || !colon[1]) return -EINVAL;
    *colon = 0;
    *port = colon + 1;
    *host = text;
    size_t n = strlen(text);
    if (text[0] == '[' && n > 2 && text[n - 1] == ']') {
        text[n - 1] = 0;
        *host = text + 1;
    }
    return **host ? 0 : -EINVAL;
}

static int listen_tcp(char *text, bool allow_remote) {
    char *host, *port, where[NI_MAXHOST], serv[NI_MAXSERV];
    if (split_address(text, &host, &port)) {
        fprintf(stderr, "rawcl-gpud: --listen wants HOST:PORT or a path with a '/'\n");
        return -1;
    }
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *ai = NULL;
    int rc = getaddrinfo(host, port, &hints, &ai);
    if (rc) {
        fprintf(stderr, "rawcl-gpud: %s:%s: %s\n", host, port, gai_strerror(rc));
        return -1;
    }
    if (!is_loopback(ai->ai_addr)) {
        fprintf(stderr,
                allow_remote
                    ? "rawcl-gpud: warning: %s is reachable from other machines; there is no "
                      "password and no encryption\n"
                    : "rawcl-gpud: %s is not a loopback address (--allow-remote permits it)\n",
                host);
        if (!allow_remote) {
            freeaddrinfo(ai);
            return -1;
        }
    }
    int one = 1, fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, 8)) {
        fprintf(stderr, "rawcl-gpud: %s:%s: %s\n", host, port, strerror(errno));
        if (fd >= 0) close(fd);
        freeaddrinfo(ai);
        return -1;
    }
    freeaddrinfo(ai);
    struct sockaddr_storage a; /* port 0 asks for any: say which */
    socklen_t len = sizeof a;
    getsockname(fd, (struct sockaddr *)&a, &len);
    getnameinfo((struct sockaddr *)&a, len, where, sizeof where, serv, sizeof serv,
                NI_NUMERICHOST | NI_NUMERICSERV);
    printf("listening on %s:%s\n", where, serv);
    return fd;
}

/* ---- main ---- */

static void serve_all(struct gpud *d, int fd) {
    while (!stop) {
        int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC), one = 1;
        if (client < 0) {
            if (stop || errno == EINTR || errno == ECONNABORTED) continue;
            fprintf(stderr, "rawcl-gpud: accept: %s\n", strerror(errno));
            return;
        }
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one,
                   sizeof one); /* fails on a path: no matter */
        char why[256];
        client_fd = client;
        int rc = gpud_serve(d, client, why, sizeof why);
        client_fd = -1;
        close(client);
        struct emu_counters n;
        emu_get_counters(d->bus, &n);
        if (rc && !stop) fprintf(stderr, "rawcl-gpud: client dropped: %s\n", why);
        printf("client left: %" PRIu64 " guest errors, %" PRIu64 " unimplemented so far\n",
               n.guest_errors, n.unimplemented);
        fflush(stdout);
    }
}

static void catch_signals(void) {
    struct sigaction sa = {.sa_handler = on_signal}; /* no SA_RESTART: accept and recv return */
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
}

static int run(char *address, const struct emu_config *config, bool allow_remote) {
    char name[48], err[256];
    struct gpud d = {.name = name, .stop = &stop};
    if (emu_open(config, &d.bus, err, sizeof err)) {
        fprintf(stderr, "rawcl-gpud: %s\n", err);
        return 1;
    }
    snprintf(name, sizeof name, "emu-%s", config->target);
    int fd = strchr(address, '/') ? listen_path(address) : listen_tcp(address, allow_remote);
    if (fd >= 0) {
        fflush(stdout);
        listen_fd = fd;
        catch_signals();
        serve_all(&d, fd);
        close(fd);
        if (strchr(address, '/')) unlink(address);
    }
    gpud_free(&d);
    d.bus->ops->close(d.bus);
    return fd < 0;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"device", required_argument, NULL, 'd'}, {"listen", required_argument, NULL, 'l'},
        {"allow-remote", no_argument, NULL, 'r'}, {"no-jit", no_argument, NULL, 'i'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    char device_default[] = "emu:gfx1100", listen_default[] = "127.0.0.1:6667";
    char *device = device_default, *address = listen_default;
    bool allow_remote = false, jit = true;
    for (int o; (o = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (o) {
        case 'd':
            device = optarg;
            break;
        case 'l':
            address = optarg;
            break;
        case 'r':
            allow_remote = true;
            break;
        case 'i':
            jit = false;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "rawcl-gpud: what is \"%s\"?\n%s", argv[optind], usage);
        return 2;
    }
    /* Both are cut into pieces: not argv itself, which ps shows. */
    device = strdup(device);
    address = strdup(address);
    struct emu_config config = {.jit_compile = jit ? compiler_lift : NULL};
    int rc = !device || !address             ? 1
             : parse_device(device, &config) ? 2
                                             : run(address, &config, allow_remote);
    free(device);
    free(address);
    return rc;
}
