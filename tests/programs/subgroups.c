/* SPDX-License-Identifier: MIT */
/* Sub-group functions, with all work-items and with some of them; integer dot products and bit
 * fields. The host computes each from the sub-group size that the query gives. */
#include <string.h>

#include "tests/programs/util.h"

static const char source[] =
    "kernel void groups(global const uint *in, global uint *out)\n"
    "{\n"
    "    uint x = in[get_global_id(0)], n = get_max_sub_group_size();\n"
    "    global uint *o = out + get_global_id(0) * 16;\n"
    "    o[0] = sub_group_shuffle(x, x & (n - 1));\n"
    "    o[1] = (uint)(sub_group_shuffle_xor((ulong)x << 32, 5u) >> 32);\n"
    "    o[2] = sub_group_rotate(x, 7);\n"
    "    o[3] = sub_group_clustered_rotate((ushort)x, 3, 8u);\n"
    "    o[4] = o[5] = o[6] = o[7] = o[8] = o[15] = 0;\n"
    "    if (x & 6) {\n"
    "        o[4] = sub_group_non_uniform_reduce_add(x);\n"
    "        o[5] = sub_group_non_uniform_scan_exclusive_max((char)x);\n"
    "        o[6] = sub_group_clustered_reduce_xor(x, 4u);\n"
    "        uint4 b = sub_group_ballot(x & 1);\n"
    "        o[7] = b.x ^ b.y;\n"
    "        o[8] = (uint)(sub_group_non_uniform_scan_inclusive_mul((ulong)(x | 1)) >> 32);\n"
    "        o[15] = sub_group_elect() + 2 * sub_group_ballot_bit_count(b);\n"
    "    }\n"
    "    o[9] = sub_group_reduce_min((short)x);\n"
    "    o[10] = dot_acc_sat(as_char4(x), as_uchar4(x * 77), (int)(x << 3));\n"
    "    o[11] = bitfield_extract_signed(x, x & 15, 1 + (x >> 4 & 15));\n"
    "    o[12] = bit_reverse(x);\n"
    "    o[13] = as_uint(sub_group_broadcast(as_uchar4(x), 9u));\n"
    "    ulong t = clock_read_device();\n"
    "    o[14] = clock_read_sub_group() >= t && t != 0;\n"
    "}\n";

enum { GROUPS = 3, LOCAL = 128, N = GROUPS * LOCAL, WORDS = 16 };

static cl_int clamp_dot(cl_uint a, cl_uint b, cl_int acc) {
    cl_long sum = acc;
    for (int i = 0; i < 4; i++)
        sum += (cl_long)(cl_char)(a >> 8 * i) * (cl_uchar)(b >> 8 * i);
    return sum > CL_INT_MAX ? CL_INT_MAX : sum < CL_INT_MIN ? CL_INT_MIN : (cl_int)sum;
}

static cl_uint reversed(cl_uint x) {
    cl_uint r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

/* The words that depend on which work-items are active. */
static void expect_active(const cl_uint *x, size_t n, size_t lane, cl_uint *o) {
    cl_ulong ballot = 0, product = 1;
    cl_uint before = 0;
    int highest = CL_CHAR_MIN;
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] & 6)) continue;
        o[4] += x[i];
        if (i < lane && (cl_char)x[i] > highest) highest = (cl_char)x[i];
        if (i / 4 == lane / 4) o[6] ^= x[i];
        ballot |= (cl_ulong)(x[i] & 1) << i;
        if (i <= lane) product *= x[i] | 1;
        before += i < lane;
    }
    o[5] = (cl_uint)highest;
    o[7] = (cl_uint)ballot ^ (cl_uint)(ballot >> 32);
    o[8] = (cl_uint)(product >> 32);
    o[15] = (before == 0) + 2 * (cl_uint)__builtin_popcountll(ballot);
}

static void expect(const cl_uint *x, size_t n, size_t lane, cl_uint *o) {
    cl_uint v = x[lane], bits = 1 + (v >> 4 & 15);
    cl_short least = CL_SHRT_MAX;
    memset(o, 0, WORDS * sizeof *o);
    o[0] = x[v & (n - 1)];
    o[1] = x[lane ^ 5];
    o[2] = x[(lane + 7) % n];
    o[3] = (cl_ushort)x[lane / 8 * 8 + (lane + 3) % 8];
    if (v & 6) expect_active(x, n, lane, o);
    for (size_t i = 0; i < n; i++)
        if ((cl_short)x[i] < least) least = (cl_short)x[i];
    o[9] = (cl_uint)least;
    o[10] = (cl_uint)clamp_dot(v, v * 77, (cl_int)(v << 3));
    o[11] = (cl_uint)((cl_int)(v << (32 - bits - (v & 15))) >> (32 - bits));
    o[12] = reversed(v);
    o[13] = x[9];
    o[14] = 1;
}

static size_t sub_group_size(struct cl *cl, cl_kernel k) {
    size_t local = LOCAL, size = 0, count = 0;
    CHECK(clGetKernelSubGroupInfo(k, cl->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                  sizeof local, &local, sizeof size, &size, NULL));
    CHECK(clGetKernelSubGroupInfo(k, cl->device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                  sizeof local, &local, sizeof count, &count, NULL));
    return size && size * count == LOCAL ? size : 0;
}

int main(void) {
    static cl_uint in[N], out[N * WORDS];
    unsigned long long state = 5;
    struct cl cl;
    int wrong = 0, word = -1;
    for (int i = 0; i < N; i++)
        in[i] = (cl_uint)next_random(&state);
    cl_start(&cl);
    cl_build(&cl, source, "-cl-std=CL3.0");
    cl_kernel k = cl_kernel_named(&cl, "groups");
    size_t n = sub_group_size(&cl, k), global = N, local = LOCAL;
    cl_mem from = cl_buffer(&cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in);
    cl_mem to = cl_buffer(&cl, CL_MEM_WRITE_ONLY, sizeof out, NULL);
    CHECK(clSetKernelArg(k, 0, sizeof from, &from));
    CHECK(clSetKernelArg(k, 1, sizeof to, &to));
    cl_ulong ns = cl_run(&cl, k, 1, &global, &local);
    cl_read(&cl, to, sizeof out, out);
    for (size_t i = 0; n && i < N; i++) {
        cl_uint want[WORDS];
        expect(in + i / n * n, n, i % n, want);
        for (int w = 0; w < WORDS; w++) {
            if (want[w] == out[i * WORDS + w]) continue;
            if (!wrong++) word = w;
        }
    }
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(k));
    cl_stop(&cl);
    return report("subgroups", n && !wrong,
                  "sub-groups of %zu, %d values, %d wrong, first word %d, %.2f ms", n, N * WORDS,
                  wrong, word, ns / 1e6);
}
