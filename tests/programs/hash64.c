/* SPDX-License-Identifier: MIT */
/* A 64-bit integer hash (FNV-1a over bytes, then xorshift and multiply rounds), bit for bit. */
#include "tests/programs/util.h"

static const char source[] =
    "kernel void hash(global ulong *out, ulong seed, uint rounds)\n"
    "{\n"
    "    ulong x = seed + get_global_id(0), h = 0xcbf29ce484222325UL;\n"
    "    for (int i = 0; i < 8; i++) h = (h ^ ((x >> (8 * i)) & 0xff)) * 0x100000001b3UL;\n"
    "    for (uint r = 0; r < rounds; r++) {\n"
    "        h ^= h >> 12; h ^= h << 25; h ^= h >> 27;\n"
    "        h = h * 0x2545F4914F6CDD1DUL + rotate(h, (ulong)(r & 63));\n"
    "        h += mul_hi(h, x | 1) ^ (h / ((x & 1023) + 3));\n"
    "    }\n"
    "    out[get_global_id(0)] = h;\n"
    "}\n";

enum { N = 20000, ROUNDS = 20 };

static cl_ulong hash(cl_ulong x) {
    cl_ulong h = 0xcbf29ce484222325UL;
    for (int i = 0; i < 8; i++)
        h = (h ^ ((x >> (8 * i)) & 0xff)) * 0x100000001b3UL;
    for (unsigned r = 0; r < ROUNDS; r++) {
        h ^= h >> 12;
        h ^= h << 25;
        h ^= h >> 27;
        unsigned s = r & 63;
        h = h * 0x2545F4914F6CDD1DUL + (s ? h << s | h >> (64 - s) : h);
        cl_ulong hi = (cl_ulong)(((unsigned __int128)h * (x | 1)) >> 64);
        h += hi ^ (h / ((x & 1023) + 3));
    }
    return h;
}

int main(void) {
    static cl_ulong out[N];
    struct cl cl;
    cl_start(&cl);
    cl_build(&cl, source, NULL);
    cl_kernel k = cl_kernel_named(&cl, "hash");
    cl_mem m = cl_buffer(&cl, CL_MEM_WRITE_ONLY, sizeof out, NULL);
    cl_ulong seed = 0x123456789abcdefUL;
    cl_uint rounds = ROUNDS;
    CHECK(clSetKernelArg(k, 0, sizeof m, &m));
    CHECK(clSetKernelArg(k, 1, sizeof seed, &seed));
    CHECK(clSetKernelArg(k, 2, sizeof rounds, &rounds));
    size_t global = N;
    cl_ulong ns = cl_run(&cl, k, 1, &global, NULL);
    cl_read(&cl, m, sizeof out, out);
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += out[i] != hash(seed + i);
    CHECK(clReleaseMemObject(m));
    CHECK(clReleaseKernel(k));
    cl_stop(&cl);
    return report("hash64", wrong == 0, "%d hashes, %d wrong, %.2f ms", N, wrong, ns / 1e6);
}
