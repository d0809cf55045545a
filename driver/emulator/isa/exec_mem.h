/* SPDX-License-Identifier: MIT */
/* exec_mem.h - moving values between memory and the lanes of VGPRs. */
#ifndef RAWCL_ISA_EXEC_MEM_H
#define RAWCL_ISA_EXEC_MEM_H

#include "driver/emulator/isa/exec.h"
#include "driver/emulator/isa/mem_ops.h"

static inline uint32_t *mem_lane(vu32 *v, unsigned lane) {
    return (uint32_t *)v + lane;
}

/* Dwords of a value of that many bytes. */
static inline unsigned mem_dwords(unsigned bytes) {
    return (bytes + 3) / 4;
}

/* What a load of less than a dword leaves in the register that held `old`. raw: zero-extended. */
static inline uint32_t mem_extend(enum mem_ext ext, uint32_t raw, uint32_t old) {
    switch (ext) {
    case MEM_I8:
        return (uint32_t)(int8_t)raw;
    case MEM_I16:
        return (uint32_t)(int16_t)raw;
    case MEM_D16_U8:
    case MEM_D16_B16:
        return (old & 0xffff0000) | raw;
    case MEM_D16_I8:
        return (old & 0xffff0000) | (uint16_t)(int8_t)raw;
    case MEM_D16_HI_U8:
    case MEM_D16_HI_B16:
        return (old & 0xffff) | raw << 16;
    case MEM_D16_HI_I8:
        return (old & 0xffff) | (uint32_t)(int8_t)raw << 16;
    default:
        return raw;
    }
}

/* The same for all lanes: raw holds the dword at the address. */
static inline vu32 mem_extend_lanes(enum mem_ext ext, vu32 raw, vu32 old) {
    const vu32 lo = old & 0xffffu, hi = old & 0xffff0000u;
    const vu32 s8 = (vu32)((vi32)(raw << 24) >> 24), s16 = (vu32)((vi32)(raw << 16) >> 16);
    switch (ext) {
    case MEM_U8:
        return raw & 0xffu;
    case MEM_I8:
        return s8;
    case MEM_U16:
        return raw & 0xffffu;
    case MEM_I16:
        return s16;
    case MEM_D16_U8:
        return hi | (raw & 0xffu);
    case MEM_D16_B16:
        return hi | (raw & 0xffffu);
    case MEM_D16_I8:
        return hi | (s8 & 0xffffu);
    case MEM_D16_HI_U8:
        return lo | (raw & 0xffu) << 16;
    case MEM_D16_HI_B16:
        return lo | raw << 16;
    case MEM_D16_HI_I8:
        return lo | s8 << 16;
    default:
        return raw;
    }
}

/* Lane `lane` of n consecutive VGPRs <- n dwords of memory, or one small value. */
static inline void mem_put_lane(vu32 *v, unsigned lane, const uint8_t *p, unsigned size,
                                enum mem_ext ext) {
    if (size < 4) {
        uint32_t raw = p[0];
        if (size == 2) raw |= (uint32_t)p[1] << 8;
        uint32_t *r = mem_lane(v, lane);
        *r = mem_extend(ext, raw, *r);
        return;
    }
    for (unsigned j = 0; j < size / 4; j++)
        memcpy(mem_lane(&v[j], lane), p + 4 * j, 4);
}

static inline void mem_get_lane(vu32 *v, unsigned lane, uint8_t *p, unsigned size,
                                enum mem_ext ext) {
    if (size < 4) {
        uint32_t r = *mem_lane(v, lane);
        if (ext == MEM_D16_HI_B16) r >>= 16;
        memcpy(p, &r, size);
        return;
    }
    for (unsigned j = 0; j < size / 4; j++)
        memcpy(p + 4 * j, mem_lane(&v[j], lane), 4);
}

/* 32- or 64-bit value of a lane. */
static inline uint64_t mem_lane_value(vu32 *v, unsigned lane, unsigned size) {
    uint64_t r = *mem_lane(v, lane);
    return size == 8 ? r | (uint64_t)*mem_lane(&v[1], lane) << 32 : r;
}

static inline void mem_set_lane_value(vu32 *v, unsigned lane, unsigned size, uint64_t r) {
    *mem_lane(v, lane) = (uint32_t)r;
    if (size == 8) *mem_lane(&v[1], lane) = (uint32_t)(r >> 32);
}

#endif
