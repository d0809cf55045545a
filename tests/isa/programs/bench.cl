/* SPDX-License-Identifier: MIT */
/* Kernels for isa_bench.c. No device library. */
#define LID    __builtin_amdgcn_workitem_id_x()
#define LIDY   __builtin_amdgcn_workitem_id_y()
#define WGX    __builtin_amdgcn_workgroup_id_x()
#define WGY    __builtin_amdgcn_workgroup_id_y()
#define BARRIER()                                                                                  \
    do {                                                                                           \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                     \
        __builtin_amdgcn_s_barrier();                                                              \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                     \
    } while (0)

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void saxpy(global const float *x,
                                                                   global float *y, float a) {
    uint i = WGX * 256 + LID;
    y[i] = a * x[i] + y[i];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void mandelbrot(global uint *out) {
    uint i = WGX * 256 + LID, px = i & 511, py = i >> 9;
    float cr = (float)px * (3.0f / 512) - 2.0f, ci = (float)py * (2.0f / 512) - 1.0f;
    float zr = 0, zi = 0;
    uint n = 0;
    while (n < 256 && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        n++;
    }
    out[i] = n;
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
sgemm(global const float *a, global const float *b, global float *c, uint n, local float *ta) {
    local float *tb = ta + 256;
    uint x = LID, y = LIDY, col = WGX * 16 + x, row = WGY * 16 + y;
    float sum = 0;
    for (uint k = 0; k < n; k += 16) {
        ta[y * 16 + x] = a[row * n + k + x];
        tb[y * 16 + x] = b[(k + y) * n + col];
        BARRIER();
        for (uint j = 0; j < 16; j++) sum += ta[y * 16 + j] * tb[j * 16 + x];
        BARRIER();
    }
    c[row * n + col] = sum;
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void nbody(global const float4 *p,
                                                                   global float4 *out, uint n) {
    uint i = WGX * 256 + LID;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    for (uint k = 0; k < n; k++) {
        float4 q = p[k];
        float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
        float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        float inv = __builtin_amdgcn_rsqf(r2), s = q.w * inv * inv * inv;
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    out[i] = (float4)(ax, ay, az, 0);
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void xorshift(global ulong *u) {
    uint i = WGX * 256 + LID;
    ulong x = u[i];
    for (uint k = 0; k < 200; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x *= 0x9e3779b97f4a7c15ul;
    }
    u[i] = x;
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduce(global const uint *in,
                                                                    global uint *out,
                                                                    local uint *tmp) {
    uint t = LID;
    tmp[t] = in[WGX * 256 + t];
    BARRIER();
    for (uint s = 128; s > 0; s >>= 1) {
        if (t < s) tmp[t] += tmp[t + s];
        BARRIER();
    }
    if (t == 0) __opencl_atomic_fetch_add((global atomic_uint *)out, tmp[0], memory_order_relaxed,
                                          memory_scope_device);
}
