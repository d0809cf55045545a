/* SPDX-License-Identifier: MIT */
/* Kernels of the submission tests: no library, only what the compiler itself knows. */
#define LOCAL_ID(n)  __builtin_amdgcn_workitem_id_##n()
#define GROUP_ID(n)  __builtin_amdgcn_workgroup_id_##n()
typedef unsigned int uint;
typedef unsigned long ulong;

__kernel void empty(void) {}

/* out[i] = in[i] * mul + i; group size 64 */
__kernel void muladd(__global const uint *in, __global uint *out, uint mul, uint n) {
    uint i = GROUP_ID(x) * 64 + LOCAL_ID(x);
    if (i < n) out[i] = in[i] * mul + i;
}

/* every work-item of a three-dimensional grid counts itself; groups of 8 x 4 x 2 */
__kernel void count3(__global uint *out, uint width, uint height) {
    uint x = GROUP_ID(x) * 8 + LOCAL_ID(x), y = GROUP_ID(y) * 4 + LOCAL_ID(y),
         z = GROUP_ID(z) * 2 + LOCAL_ID(z);
    out[(z * height + y) * width + x] += 1;
}

/* writes where it is told to */
__kernel void poke(__global uint *where, uint value) {
    where[0] = value;
}

/* waits until *flag is not 0, then writes value to out */
__kernel void spin(__global volatile uint *flag, __global uint *out, uint value) {
    while (__builtin_nontemporal_load((__global uint *)flag) == 0) __builtin_amdgcn_s_sleep(1);
    out[0] = value;
}

/* never ends */
__kernel void forever(__global uint *out) {
    for (;;) __asm__ volatile("s_nop 0");
}

/* the work-item that finds `n` traps */
__kernel void traps(__global uint *p, uint n) {
    uint i = GROUP_ID(x) * 64 + LOCAL_ID(x);
    if (p[i] == n) __builtin_trap();
    p[i] = n + 1;
}

/* a trap that only a debugger would stop at; SCC and EXEC survive it */
__kernel void debugtrap(__global uint *p, uint n) {
    uint i = GROUP_ID(x) * 64 + LOCAL_ID(x), s = n;
    if (i & 1) __builtin_debugtrap();
    __asm__ volatile("s_cmp_eq_u32 0, 0\n s_trap 3\n s_cselect_b32 s40, 5, 6\n"
                     "s_cmp_lg_u32 0, 0\n s_trap 3\n s_cselect_b32 s40, 7, s40\n v_mov_b32 %0, s40"
                     : "=v"(s) : : "scc", "s40");
    p[i] = s + i;
}

/* keeps each group busy for some rounds, then says that it ended */
__kernel void busy(__global uint *out, uint rounds) {
    uint v = LOCAL_ID(x);
    for (uint i = 0; i < rounds; i++) {
        v = v * 1664525u + 1013904223u;
        __asm__ volatile("" : "+v"(v));
    }
    if (LOCAL_ID(x) == 0) out[GROUP_ID(x)] = v | 1;
}

/* reverses 64 items through private memory */
__kernel void scratch(__global uint *out, uint seed) {
    volatile uint a[64];
    uint i = GROUP_ID(x) * 64 + LOCAL_ID(x);
    for (uint k = 0; k < 64; k++) a[k] = seed + i * 64 + k;
    uint sum = 0;
    for (uint k = 0; k < 64; k++) sum += a[(k * 7 + i) & 63] * (k + 1);
    out[i] = sum;
}

/* reverses a group of 64 through local memory */
__kernel void reverse(__global uint *data) {
    __local uint l[64];
    uint i = LOCAL_ID(x), base = GROUP_ID(x) * 64;
    l[i] = data[base + i];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    data[base + i] = l[63 - i];
}
