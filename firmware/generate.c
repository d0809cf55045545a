/* SPDX-License-Identifier: MIT */
/* Stand-in firmware for the emulated GPU: the true container formats with the images, sizes and
 * signed-image headers that the real files have (sizes: headers of linux-firmware's files), and
 * contents without meaning. The same reader takes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/hw/hw.h"
#include "firmware/firmware.h"

enum {
    UCODE_START = 256,          /* where the images begin, as in the real files */
    PS1_MAGIC = 0x31535024,     /* "$PS1", little endian */
    PS1_MAGIC_OFF = 0x10,       /* of a signed image's header */
    PS1_SIZE_OFF = 0x14,        /* bytes that are signed */
    PS1_FLAG_OFF = 0x30,        /* 1 in every image seen */
    PS1_HEADER_TAIL = 0x200,    /* header and signature around the signed bytes */
    RS64_START_LO = 0x00003000, /* execution starts here, in RS64 address space */
    RS64_START_HI = 0x00070000,
};

struct part {
    uint32_t type, size, signed_size; /* signed_size 0: size - PS1_HEADER_TAIL */
};

struct chip_images {
    const char *prefix; /* targets that begin so */
    struct part sos[12];
    uint32_t smu_bytes, smu_tail, smu_minor; /* tail: power-play tables, not loaded */
    uint32_t sdma_th0, sdma_th1;             /* th1 0: header v3 */
    struct part pfp[2], me[2], mec[2];
    uint32_t imu;
    uint32_t rlc_g, rlc_iram, rlc_dram, rlc_p, rlc_v;
};

static const struct chip_images images[] = {
    {.prefix = "gfx110",
     .sos = {{PSP_FW_TYPE_PSP_SYS_DRV, 0x26790, 0},
             {PSP_FW_TYPE_PSP_SOS, 0x18380, 0},
             {PSP_FW_TYPE_PSP_TOC, 0x900, 0},
             {PSP_FW_TYPE_PSP_KDB, 0x1700, 0},
             {PSP_FW_TYPE_PSP_SPL, 0x2a0, 0xa0},
             {PSP_FW_TYPE_PSP_RL, 0x960, 0}},
     .smu_bytes = 0x3fe00,
     .smu_tail = 0x7764,
     .smu_minor = 1,
     .sdma_th0 = 0x4400,
     .sdma_th1 = 0x4200,
     .mec = {{0, 0x41300, 0}, {0, 0x22000, 0x1350}},
     .imu = 0x10200,
     .rlc_g = 0x6200,
     .rlc_iram = 0x10200,
     .rlc_dram = 0x8200,
     .rlc_p = 0x2200,
     .rlc_v = 0x3200},
    {.prefix = "gfx120",
     .sos = {{PSP_FW_TYPE_PSP_KDB, 0x1aa0, 0},
             {PSP_FW_TYPE_PSP_SPL, 0x340, 0},
             {PSP_FW_TYPE_PSP_SYS_DRV, 0x131c0, 0},
             {PSP_FW_TYPE_PSP_SOC_DRV, 0x19570, 0},
             {PSP_FW_TYPE_PSP_INTF_DRV, 0x91a0, 0},
             {PSP_FW_TYPE_PSP_DBG_DRV, 0xd060, 0},
             {PSP_FW_TYPE_PSP_RAS_DRV, 0x31a0, 0},
             {PSP_FW_TYPE_PSP_SOS, 0x1ea20, 0},
             {PSP_FW_TYPE_PSP_TOC, 0x900, 0}},
     .smu_bytes = 0x4fe00,
     .smu_tail = 0x16b4,
     .smu_minor = 0,
     .sdma_th0 = 0xb700,
     .pfp = {{0, 0x15e10, 0}, {0, 0x40000, 0x10140}},
     .me = {{0, 0x266c0, 0}, {0, 0x40000, 0x10090}},
     .mec = {{0, 0x2d2e0, 0}, {0, 0x40000, 0x10020}},
     .imu = 0x10200,
     .rlc_g = 0x6200,
     .rlc_iram = 0x10200,
     .rlc_dram = 0x8200},
};

struct builder {
    uint8_t *data;
    size_t size, next; /* next: where the following image goes */
    uint64_t seed;
};

static uint64_t mix(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Appends a signed image and returns its offset in the file. */
static uint32_t put_image(struct builder *b, struct part p) {
    uint32_t off = (uint32_t)b->next;
    uint8_t *at = b->data + off;
    for (uint32_t i = 0; i + 8 <= p.size; i += 8) {
        uint64_t v = mix(&b->seed);
        memcpy(at + i, &v, 8);
    }
    memset(at + PS1_MAGIC_OFF, 0, 0x28);
    hw_put32(at, PS1_MAGIC_OFF, PS1_MAGIC);
    hw_put32(at, PS1_SIZE_OFF, p.signed_size ? p.signed_size : p.size - PS1_HEADER_TAIL);
    hw_put32(at, PS1_FLAG_OFF, 1);
    b->next += p.size;
    return off;
}

static uint32_t put_plain(struct builder *b, uint32_t size) {
    return put_image(b, (struct part){0, size, 0});
}

static int begin(struct builder *b, size_t payload, unsigned major, unsigned minor,
                 uint32_t header_size, uint32_t ucode_size, unsigned ip_major) {
    b->size = UCODE_START + payload;
    b->next = UCODE_START;
    b->data = calloc(1, b->size);
    if (!b->data) return -ENOMEM;
    hw_put32(b->data, OFF_common_firmware_header__size_bytes, (uint32_t)b->size);
    hw_put32(b->data, OFF_common_firmware_header__header_size_bytes, header_size);
    hw_put16(b->data, OFF_common_firmware_header__header_version_major, (uint16_t)major);
    hw_put16(b->data, OFF_common_firmware_header__header_version_minor, (uint16_t)minor);
    hw_put16(b->data, OFF_common_firmware_header__ip_version_major, (uint16_t)ip_major);
    hw_put32(b->data, OFF_common_firmware_header__ucode_version, 0x52434c00);
    hw_put32(b->data, OFF_common_firmware_header__ucode_size_bytes, ucode_size);
    hw_put32(b->data, OFF_common_firmware_header__ucode_array_offset_bytes, UCODE_START);
    return 0;
}

static int gen_sos(struct builder *b, const struct chip_images *im, bool with_ras, unsigned ip) {
    size_t payload = 0;
    unsigned n = 0;
    for (const struct part *p = im->sos; p->size; p++)
        payload += with_ras || p->type != PSP_FW_TYPE_PSP_RAS_DRV ? p->size : 0;
    int rc = begin(b, payload, 2, 0, UCODE_START, (uint32_t)payload, ip);
    if (rc) return rc;
    for (const struct part *p = im->sos; p->size; p++) {
        if (!with_ras && p->type == PSP_FW_TYPE_PSP_RAS_DRV) continue;
        size_t d = OFF_psp_firmware_header_v2_0__psp_fw_bin + (size_t)n++ * SIZE_psp_fw_bin_desc;
        hw_put32(b->data, d + OFF_psp_fw_bin_desc__fw_type, p->type);
        hw_put32(b->data, d + OFF_psp_fw_bin_desc__fw_version, 0x52434c);
        hw_put32(b->data, d + OFF_psp_fw_bin_desc__offset_bytes, put_image(b, *p) - UCODE_START);
        hw_put32(b->data, d + OFF_psp_fw_bin_desc__size_bytes, p->size);
    }
    hw_put32(b->data, OFF_psp_firmware_header_v2_0__psp_fw_bin_count, n);
    return 0;
}

static int gen_smu(struct builder *b, const struct chip_images *im, unsigned ip) {
    int rc = begin(b, im->smu_bytes + im->smu_tail, 2, im->smu_minor, SIZE_smc_firmware_header_v2_1,
                   im->smu_bytes, ip);
    if (rc) return rc;
    put_plain(b, im->smu_bytes);
    /* v2.0: one table, described by offset and size; v2.1: none listed */
    if (im->smu_minor == 0) {
        hw_put32(b->data, OFF_smc_firmware_header_v2_0__ppt_offset_bytes, (uint32_t)b->next);
        hw_put32(b->data, OFF_smc_firmware_header_v2_0__ppt_size_bytes, im->smu_tail);
    }
    return 0;
}

static int gen_sdma(struct builder *b, const struct chip_images *im, unsigned ip) {
    uint32_t total = im->sdma_th0 + im->sdma_th1;
    bool v3 = im->sdma_th1 == 0;
    int rc = begin(b, total, v3 ? 3 : 2, 0, UCODE_START, total, ip);
    if (rc) return rc;
    uint32_t th0 = put_plain(b, im->sdma_th0);
    if (v3) {
        hw_put32(b->data, OFF_sdma_firmware_header_v3_0__ucode_offset_bytes, th0);
        hw_put32(b->data, OFF_sdma_firmware_header_v3_0__ucode_size_bytes, im->sdma_th0);
        return 0;
    }
    hw_put32(b->data, OFF_sdma_firmware_header_v2_0__ctx_ucode_size_bytes, im->sdma_th0);
    hw_put32(b->data, OFF_sdma_firmware_header_v2_0__ctl_ucode_offset, put_plain(b, im->sdma_th1));
    hw_put32(b->data, OFF_sdma_firmware_header_v2_0__ctl_ucode_size_bytes, im->sdma_th1);
    return 0;
}

static int gen_rs64(struct builder *b, const struct part p[2], unsigned ip) {
    if (p[0].size == 0) return -ENOENT;
    int rc = begin(b, p[0].size + p[1].size, 2, 0, UCODE_START, p[0].size, ip);
    if (rc) return rc;
    uint32_t code = put_image(b, p[0]), stack = put_image(b, p[1]);
    hw_put32(b->data, OFF_gfx_firmware_header_v2_0__ucode_size_bytes, p[0].size);
    hw_put32(b->data, OFF_gfx_firmware_header_v2_0__ucode_offset_bytes, code);
    hw_put32(b->data, OFF_gfx_firmware_header_v2_0__data_size_bytes, p[1].size);
    hw_put32(b->data, OFF_gfx_firmware_header_v2_0__data_offset_bytes, stack);
    hw_put32(b->data, OFF_gfx_firmware_header_v2_0__ucode_start_addr_lo, RS64_START_LO);
    hw_put32(b->data, OFF_gfx_firmware_header_v2_0__ucode_start_addr_hi, RS64_START_HI);
    return 0;
}

static int gen_imu(struct builder *b, const struct chip_images *im, unsigned ip) {
    int rc = begin(b, 2 * (size_t)im->imu, 1, 0, UCODE_START, 2 * im->imu, ip);
    if (rc) return rc;
    uint32_t i = put_plain(b, im->imu), dram = put_plain(b, im->imu);
    hw_put32(b->data, OFF_imu_firmware_header_v1_0__imu_iram_ucode_size_bytes, im->imu);
    hw_put32(b->data, OFF_imu_firmware_header_v1_0__imu_iram_ucode_offset_bytes, i);
    hw_put32(b->data, OFF_imu_firmware_header_v1_0__imu_dram_ucode_size_bytes, im->imu);
    hw_put32(b->data, OFF_imu_firmware_header_v1_0__imu_dram_ucode_offset_bytes, dram);
    return 0;
}

static void rlc_entry(struct builder *b, size_t field, uint32_t size) {
    hw_put32(b->data, field, size);
    hw_put32(b->data, field + 4, put_plain(b, size));
}

static int gen_rlc(struct builder *b, const struct chip_images *im, unsigned ip) {
    size_t total = (size_t)im->rlc_g + im->rlc_iram + im->rlc_dram + im->rlc_p + im->rlc_v;
    int rc = begin(b, total, 2, im->rlc_p ? 3 : 2, UCODE_START, im->rlc_g, ip);
    if (rc) return rc;
    put_plain(b, im->rlc_g);
    rlc_entry(b, OFF_rlc_firmware_header_v2_2__rlc_iram_ucode_size_bytes, im->rlc_iram);
    rlc_entry(b, OFF_rlc_firmware_header_v2_2__rlc_dram_ucode_size_bytes, im->rlc_dram);
    if (im->rlc_p) {
        rlc_entry(b, OFF_rlc_firmware_header_v2_3__rlcp_ucode_size_bytes, im->rlc_p);
        rlc_entry(b, OFF_rlc_firmware_header_v2_3__rlcv_ucode_size_bytes, im->rlc_v);
    }
    return 0;
}

int firmware_generate(const char *target, enum fw_kind kind, uint8_t **data, size_t *size) {
    *data = NULL;
    *size = 0;
    if (!firmware_file_name(target, kind)) return -ENOENT;
    const struct chip_images *im = NULL;
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        if (strncmp(target, images[i].prefix, strlen(images[i].prefix)) == 0) im = &images[i];
    if (!im) return -ENOENT;
    const struct hw_chip *chip = hw_find_chip(target);
    unsigned gc = chip ? chip->gc.major : 0, mp0 = chip ? chip->mp0.major : 0;
    struct builder b = {.seed = 0x5241574c};
    for (const char *c = target; *c; c++)
        b.seed = b.seed * 131 + (uint8_t)*c;
    b.seed = b.seed * 131 + (uint64_t)kind;
    int rc = -ENOENT;
    switch (kind) {
    /* gfx1200's container has no RAS driver */
    case FW_PSP_SOS:
        rc = gen_sos(&b, im, strcmp(target, "gfx1200") != 0, mp0);
        break;
    case FW_SMU:
        rc = gen_smu(&b, im, chip ? chip->mp1.major : 0);
        break;
    case FW_SDMA:
        rc = gen_sdma(&b, im, chip ? chip->sdma.major : 0);
        break;
    case FW_PFP:
        rc = gen_rs64(&b, im->pfp, gc);
        break;
    case FW_ME:
        rc = gen_rs64(&b, im->me, gc);
        break;
    case FW_MEC:
        rc = gen_rs64(&b, im->mec, gc);
        break;
    case FW_IMU:
        rc = gen_imu(&b, im, gc);
        break;
    case FW_RLC:
        rc = gen_rlc(&b, im, gc);
        break;
    default:
        break;
    }
    if (rc) return rc;
    *data = b.data;
    *size = b.size;
    return 0;
}
