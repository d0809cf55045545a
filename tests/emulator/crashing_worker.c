/* SPDX-License-Identifier: MIT */
/* A compiler process that greets and dies at its first job. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/wire.h"

int main(int argc, char **argv) {
    int fd = argc == 3 ? (int)strtol(argv[2], NULL, 10) : -1;
    struct bytes hello = {0};
    enum wire_kind kind;
    bytes_put_string(&hello, "");
    if (wire_send(fd, WIRE_HELLO, &hello)) return 1;
    bytes_free(&hello);
    if (wire_receive(fd, &kind, &hello, -1)) return 1;
    abort();
}
