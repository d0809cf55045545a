/* SPDX-License-Identifier: MIT */
/* printf from a kernel: the text must arrive, whole, by clFinish. */
#include "tests/programs/util.h"

#include <string.h>
#include <unistd.h>

static const char source[] =
    "kernel void speak(float4 v)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i == 2)\n"
    "        printf(\"item %u of %lu: %s %c %08.3f %#x %.1v4hlf%%\\n\", (uint)i,\n"
    "               (ulong)get_global_size(0), \"text\", 'c', 3.14159f, 255, v);\n"
    "}\n";

int main(void) {
    char path[] = "/tmp/rawcl-printf-XXXXXX";
    int fd = mkstemp(path), out = dup(1);
    if (fd < 0 || out < 0) return report("printf", false, "no temporary file");
    struct cl cl;
    cl_start(&cl);
    cl_build(&cl, source, NULL);
    cl_kernel k = cl_kernel_named(&cl, "speak");
    cl_float4 v = {{1, 2.5f, -3, 4}};
    CHECK(clSetKernelArg(k, 0, sizeof v, &v));
    fflush(stdout);
    dup2(fd, 1); /* the implementation writes to standard output */
    size_t global = 4;
    cl_run(&cl, k, 1, &global, NULL);
    fflush(stdout);
    dup2(out, 1);
    char text[256] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    close(fd);
    unlink(path);
    if (n < 0) n = 0;
    text[n] = 0;
    CHECK(clReleaseKernel(k));
    cl_stop(&cl);
    const char want[] = "item 2 of 4: text c 0003.142 0xff 1.0,2.5,-3.0,4.0%\n";
    bool ok = strcmp(text, want) == 0;
    if (!ok) printf("got : %swant: %s", text, want);
    return report("printf", ok, "%d bytes", (int)n);
}
