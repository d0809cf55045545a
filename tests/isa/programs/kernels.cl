/* SPDX-License-Identifier: MIT */
/* Kernels for group_test.c. No device library: work-item functions are the compiler's builtins. */
#define LID    __builtin_amdgcn_workitem_id_x()
#define GID(n) (__builtin_amdgcn_workgroup_id_x() * (n) + LID)
#define BARRIER()                                                                                  \
    do {                                                                                           \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                     \
        __builtin_amdgcn_s_barrier();                                                              \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                     \
    } while (0)

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
vadd(global const float *a, global const float *b, global float *c, uint n) {
    uint i = GID(64);
    if (i < n) c[i] = a[i] + b[i];
}

/* Sum of 256 values a work-group; LDS, barriers, one global atomic. */
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduce(global const uint *in,
                                                                    global uint *out,
                                                                    local uint *tmp) {
    uint t = LID;
    tmp[t] = in[GID(256)];
    BARRIER();
    for (uint s = 128; s > 0; s >>= 1) {
        if (t < s) tmp[t] += tmp[t + s];
        BARRIER();
    }
    if (t == 0) __opencl_atomic_fetch_add((global atomic_uint *)out, tmp[0], memory_order_relaxed,
                                          memory_scope_device);
}

/* Divergent loop: Collatz steps. */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void collatz(global const uint *in,
                                                                    global uint *out) {
    uint i = GID(64), n = in[i], steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[i] = steps;
}

/* Private array with a data-dependent index: scratch. */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void scratch(global const uint *in,
                                                                    global uint *out) {
    volatile uint a[32];
    uint i = GID(64);
    for (uint k = 0; k < 32; k++) a[k] = in[i] * k;
    uint sum = 0;
    for (uint k = 0; k < 32; k++) sum += a[(k * 7 + in[i]) & 31] ^ k;
    out[i] = sum;
}

/* The same code on three address spaces through generic pointers: flat apertures. */
__attribute__((noinline)) static uint mix(uint *p, uint k) {
    p[k & 3] += k;
    return p[0] + 3 * p[1] + 5 * p[2] + 7 * p[3];
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void flat(global uint *g, global uint *out, local uint *l) {
    uint p[4], i = LID;
    for (uint k = 0; k < 4; k++) {
        p[k] = i + k;
        l[4 * i + k] = i * k;
    }
    uint *which = i % 3 == 0 ? (uint *)p : i % 3 == 1 ? (uint *)&l[4 * i] : (uint *)&g[4 * i];
    out[i] = mix(which, i);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void wild(global uint *p) {
    if (LID == 37) p[1u << 28] = 1;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void forever(global uint *p) {
    while (__opencl_atomic_load((global atomic_uint *)p, memory_order_relaxed,
                                memory_scope_device) == 0)
        ;
    p[1] = 1;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void trap(global uint *p) {
    if (p[0]) __builtin_trap();
    p[1] = 1;
}

/* 64-bit and double arithmetic. */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void wide(global ulong *u, global double *d) {
    uint i = GID(64);
    ulong x = u[i];
    for (uint k = 0; k < 10; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x = x * 0x9e3779b97f4a7c15ul + k;
    }
    u[i] = x;
    d[i] = d[i] * 3.0 + (double)(int)i;
}

/* Work-item ids in three dimensions. */
kernel __attribute__((reqd_work_group_size(4, 8, 2))) void ids(global uint *out) {
    uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
         z = __builtin_amdgcn_workitem_id_z();
    uint g = __builtin_amdgcn_workgroup_id_x() + 10 * __builtin_amdgcn_workgroup_id_y() +
             100 * __builtin_amdgcn_workgroup_id_z();
    out[x + 4 * y + 32 * z] = x | y << 8 | z << 16 | g << 20;
}

/* s_trap and two trap handlers: one goes on behind the trap, one ends the wave. {ttmp1, ttmp0} holds
 * the address of the trap and its number, on gfx11 from bit 48 on, on gfx12 from bit 60. */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void trap_three(global uint *p) {
    p[0] = 1;
    __asm volatile("s_trap 3" ::: "memory");
    p[1] = 2;
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void handler_resume(void) {
    __asm volatile("s_lshr_b32 m0, ttmp1, 16\n"
                   "s_sendmsg sendmsg(MSG_INTERRUPT)\n"
                   "s_and_b32 ttmp1, ttmp1, 0xffff\n"
                   "s_add_u32 ttmp0, ttmp0, 4\n"
                   "s_addc_u32 ttmp1, ttmp1, 0\n"
                   "s_rfe_b64 [ttmp0, ttmp1]");
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void handler_end(void) {
    __asm volatile("s_endpgm");
}
