/* SPDX-License-Identifier: MIT */
#include "tests/integration/gpud_server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int gpud_server_start(struct gpud_server *s, const char *program, const char *device, bool tcp) {
    int p[2];
    char listen[128] = "127.0.0.1:0";
    memset(s, 0, sizeof *s);
    snprintf(s->dir, sizeof s->dir, "/tmp/rawcl-test-XXXXXX");
    if (!mkdtemp(s->dir) || pipe2(p, O_CLOEXEC)) return -1;
    if (!tcp) snprintf(listen, sizeof listen, "%s/gpu", s->dir);
    s->pid = fork();
    if (s->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(p[1], 1);
        execl(program, program, "--device", device, "--listen", listen, (char *)NULL);
        _exit(127);
    }
    close(p[1]);
    s->out = p[0];
    char line[256] = "";
    for (size_t n = 0; n + 1 < sizeof line && read(p[0], line + n, 1) == 1 && line[n] != '\n'; n++)
        ;
    line[strcspn(line, "\n")] = 0;
    return sscanf(line, "listening on %127s", s->address) == 1 ? 0 : -1;
}

int gpud_server_stop(struct gpud_server *s) {
    int status = 0;
    kill(s->pid, SIGTERM);
    waitpid(s->pid, &status, 0);
    size_t have = 0, cap = 1 << 20;
    char *text = calloc(1, cap), *last = NULL;
    for (ssize_t n; text && have + 1 < cap && (n = read(s->out, text + have, cap - 1 - have)) > 0;)
        have += (size_t)n;
    close(s->out);
    rmdir(s->dir);
    for (char *at = text; at && (at = strstr(at, "client left: ")); at++)
        last = at;
    unsigned guest = 0, missing = 0;
    if (last) sscanf(last, "client left: %u guest errors, %u unimplemented", &guest, &missing);
    free(text);
    return status ? -1 : (int)(guest + missing);
}
