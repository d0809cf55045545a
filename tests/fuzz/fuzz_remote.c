/* SPDX-License-Identifier: MIT */
/* libFuzzer: what a server of the remote protocol may answer. The input is everything that it ever
 * sends; the client asks for one of each. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/remote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct bus *b) {
    const struct bus_ops *o = b->ops;
    struct bus_bar bar;
    struct bus_dma first = {0}, m[2] = {{0}, {0}};
    uint32_t v;
    uint8_t buf[64];
    o->cfg_read(b, 0, 4, &v);
    o->bar_map(b, 5, &bar);
    o->bar_read(b, 5, 0x378c, buf, 4);
    o->bar_write(b, 5, 0x100, buf, 4);
    o->bar_resize(b, 0);
    o->bar_read(b, 0, 0, buf, sizeof buf);
    int rc = o->dma_map(b, NULL, NULL, 3 * 4096, &first);
    for (int i = 0; i < 2 && !rc; i++)
        rc = o->dma_map(b, NULL, NULL, 4096, &m[i]);
    if (!rc) {
        for (int i = 0; i < 2; i++) {
            memset(m[i].va, i + 1, 64);
            if (m[i].npages != 1) abort();
        }
        o->bar_write(b, 2, 0x18, buf, 8);
        o->irq_wait(b, 300);
        o->bar_read(b, 5, 0x100, buf, 4);
    }
    o->cfg_write(b, 4, 2, 6);
    o->reset(b);
    o->dma_unmap(b, &m[1]);
    o->dma_unmap(b, &m[0]);
    if (first.pages) o->dma_unmap(b, &first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int p[2];
    char err[256] = "";
    if (!size || size > 60000 || socketpair(AF_UNIX, SOCK_STREAM, 0, p)) return 0;
    if (send(p[1], data, size, MSG_NOSIGNAL) == (ssize_t)size && !shutdown(p[1], SHUT_WR)) {
        struct bus *b = NULL;
        if (bus_remote_attach(p[0], data[0] & 1, &b, err, sizeof err) == 0) {
            use(b);
            b->ops->close(b);
        } else if (!err[0]) {
            abort(); /* a failure without a reason */
        }
    } else {
        close(p[0]);
    }
    close(p[1]);
    return 0;
}
