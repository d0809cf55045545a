/* SPDX-License-Identifier: MIT */
/* Readers of AMD's firmware containers. Formats: linux amdgpu_ucode.h; where an image lies: the
 * *_init_microcode and psp_v*.c functions there. A cursor with a sticky error checks every access.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "driver/hw/hw.h"
#include "firmware/firmware.h"

struct cursor {
    const uint8_t *data;
    size_t size;
    int rc; /* first error, kept */
    char *err;
    size_t err_size;
    struct fw_container *out;
};

__attribute__((format(printf, 2, 3))) static void fail(struct cursor *c, const char *fmt, ...) {
    if (c->rc) return;
    c->rc = -EBADMSG;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->err, c->err_size, fmt, ap);
    va_end(ap);
}

static uint32_t rd32(struct cursor *c, size_t off) {
    if (c->rc) return 0;
    if (off + 4 > c->size || off + 4 < off) {
        fail(c, "header field at byte %zu is past the end (%zu bytes)", off, c->size);
        return 0;
    }
    return hw_get32(c->data, off);
}

static uint16_t rd16(struct cursor *c, size_t off) {
    uint32_t v = rd32(c, off & ~(size_t)3);
    return (uint16_t)(off & 2 ? v >> 16 : v);
}

static void add(struct cursor *c, uint32_t type, const char *name, uint64_t off, uint32_t size) {
    if (c->rc) return;
    if (size == 0 || off > c->size || size > c->size - off) {
        fail(c, "image %s (%u bytes at %llu) does not lie in the file (%zu bytes)", name, size,
             (unsigned long long)off, c->size);
        return;
    }
    if (c->out->count == FW_MAX_IMAGES) {
        fail(c, "more than %d images", FW_MAX_IMAGES);
        return;
    }
    c->out->images[c->out->count++] = (struct fw_image){type, name, c->data + off, size};
}

static const char *psp_name(uint32_t type) {
    static const char *const names[] = {
        [PSP_FW_TYPE_PSP_SOS] = "PSP_SOS",
        [PSP_FW_TYPE_PSP_SYS_DRV] = "PSP_SYS_DRV",
        [PSP_FW_TYPE_PSP_KDB] = "PSP_KDB",
        [PSP_FW_TYPE_PSP_TOC] = "PSP_TOC",
        [PSP_FW_TYPE_PSP_SPL] = "PSP_SPL",
        [PSP_FW_TYPE_PSP_RL] = "PSP_RL",
        [PSP_FW_TYPE_PSP_SOC_DRV] = "PSP_SOC_DRV",
        [PSP_FW_TYPE_PSP_INTF_DRV] = "PSP_INTF_DRV",
        [PSP_FW_TYPE_PSP_DBG_DRV] = "PSP_DBG_DRV",
        [PSP_FW_TYPE_PSP_RAS_DRV] = "PSP_RAS_DRV",
        [PSP_FW_TYPE_PSP_IPKEYMGR_DRV] = "PSP_IPKEYMGR_DRV",
    };
    return type < sizeof names / sizeof *names && names[type] ? names[type] : "PSP_UNKNOWN";
}

static void parse_sos(struct cursor *c, uint32_t start) {
    if (c->out->version_major != 2) {
        fail(c, "psp header version %u is not read, 2 is", c->out->version_major);
        return;
    }
    uint32_t n = rd32(c, OFF_psp_firmware_header_v2_0__psp_fw_bin_count);
    size_t list = OFF_psp_firmware_header_v2_0__psp_fw_bin;
    if (c->out->version_minor >= 1) {
        /* Descriptors from the auxiliary index on belong to a second, alternative set. */
        uint32_t aux = rd32(c, OFF_psp_firmware_header_v2_1__psp_aux_fw_bin_index);
        list = OFF_psp_firmware_header_v2_1__psp_fw_bin;
        if (aux > 0 && aux < n) n = aux;
    }
    if (n > FW_MAX_IMAGES) fail(c, "psp container lists %u images", n);
    for (uint32_t i = 0; i < n && !c->rc; i++) {
        size_t d = list + (size_t)i * SIZE_psp_fw_bin_desc;
        uint32_t type = rd32(c, d + OFF_psp_fw_bin_desc__fw_type);
        add(c, type, psp_name(type),
            (uint64_t)start + rd32(c, d + OFF_psp_fw_bin_desc__offset_bytes),
            rd32(c, d + OFF_psp_fw_bin_desc__size_bytes));
    }
}

static void parse_sdma(struct cursor *c, uint32_t start) {
    if (c->out->version_major == 2) {
        /* The control thread's microcode is loaded first (linux amdgpu_psp.c). */
        add(c, GFX_FW_TYPE_SDMA_UCODE_TH1, "SDMA_UCODE_TH1",
            rd32(c, OFF_sdma_firmware_header_v2_0__ctl_ucode_offset),
            rd32(c, OFF_sdma_firmware_header_v2_0__ctl_ucode_size_bytes));
        add(c, GFX_FW_TYPE_SDMA_UCODE_TH0, "SDMA_UCODE_TH0", start,
            rd32(c, OFF_sdma_firmware_header_v2_0__ctx_ucode_size_bytes));
    } else if (c->out->version_major == 3) {
        add(c, GFX_FW_TYPE_SDMA_UCODE_TH0, "SDMA_UCODE_TH0", start,
            rd32(c, OFF_sdma_firmware_header_v3_0__ucode_size_bytes));
    } else {
        fail(c, "sdma header version %u is not read, 2 and 3 are", c->out->version_major);
    }
}

static void parse_rs64(struct cursor *c, uint32_t start, uint32_t code, const char *code_name,
                       uint32_t stack, const char *stack_name) {
    if (c->out->version_major != 2) {
        fail(c, "gfx header version %u is not read, 2 is", c->out->version_major);
        return;
    }
    add(c, code, code_name, start, rd32(c, OFF_gfx_firmware_header_v2_0__ucode_size_bytes));
    add(c, stack, stack_name, rd32(c, OFF_gfx_firmware_header_v2_0__data_offset_bytes),
        rd32(c, OFF_gfx_firmware_header_v2_0__data_size_bytes));
    c->out->start_address = rd32(c, OFF_gfx_firmware_header_v2_0__ucode_start_addr_lo) |
                            (uint64_t)rd32(c, OFF_gfx_firmware_header_v2_0__ucode_start_addr_hi)
                                << 32;
}

static void parse_imu(struct cursor *c, uint32_t start) {
    if (c->out->version_major != 1) {
        fail(c, "imu header version %u is not read, 1 is", c->out->version_major);
        return;
    }
    uint32_t i = rd32(c, OFF_imu_firmware_header_v1_0__imu_iram_ucode_size_bytes);
    add(c, GFX_FW_TYPE_IMU_I, "IMU_I", start, i);
    add(c, GFX_FW_TYPE_IMU_D, "IMU_D", (uint64_t)start + i,
        rd32(c, OFF_imu_firmware_header_v1_0__imu_dram_ucode_size_bytes));
}

/* size and offset fields that lie next to each other, as in all RLC headers */
static void add_rlc(struct cursor *c, uint32_t type, const char *name, size_t field) {
    add(c, type, name, rd32(c, field + 4), rd32(c, field));
}

static void parse_rlc(struct cursor *c, uint32_t start, uint32_t size) {
    unsigned minor = c->out->version_minor;
    if (c->out->version_major != 2 || minor > 4) {
        fail(c, "rlc header version %u.%u is not read, 2.0 to 2.4 are", c->out->version_major,
             minor);
        return;
    }
    if (minor == 1) {
        add_rlc(c, GFX_FW_TYPE_RLC_RESTORE_LIST_SRM_CNTL, "RLC_RESTORE_LIST_CNTL",
                OFF_rlc_firmware_header_v2_1__save_restore_list_cntl_size_bytes);
        add_rlc(c, GFX_FW_TYPE_RLC_RESTORE_LIST_GPM_MEM, "RLC_RESTORE_LIST_GPM",
                OFF_rlc_firmware_header_v2_1__save_restore_list_gpm_size_bytes);
        add_rlc(c, GFX_FW_TYPE_RLC_RESTORE_LIST_SRM_MEM, "RLC_RESTORE_LIST_SRM",
                OFF_rlc_firmware_header_v2_1__save_restore_list_srm_size_bytes);
    }
    if (minor >= 2) {
        add_rlc(c, GFX_FW_TYPE_RLC_IRAM, "RLC_IRAM",
                OFF_rlc_firmware_header_v2_2__rlc_iram_ucode_size_bytes);
        add_rlc(c, GFX_FW_TYPE_RLC_DRAM_BOOT, "RLC_DRAM_BOOT",
                OFF_rlc_firmware_header_v2_2__rlc_dram_ucode_size_bytes);
    }
    if (minor >= 3) {
        add_rlc(c, GFX_FW_TYPE_RLC_P, "RLC_P", OFF_rlc_firmware_header_v2_3__rlcp_ucode_size_bytes);
        add_rlc(c, GFX_FW_TYPE_RLC_V, "RLC_V", OFF_rlc_firmware_header_v2_3__rlcv_ucode_size_bytes);
    }
    if (minor >= 4) {
        static const struct {
            uint32_t type;
            const char *name;
            size_t field;
        } taps[] = {
            {GFX_FW_TYPE_GLOBAL_TAP_DELAYS, "GLOBAL_TAP_DELAYS",
             OFF_rlc_firmware_header_v2_4__global_tap_delays_ucode_size_bytes},
            {GFX_FW_TYPE_SE0_TAP_DELAYS, "SE0_TAP_DELAYS",
             OFF_rlc_firmware_header_v2_4__se0_tap_delays_ucode_size_bytes},
            {GFX_FW_TYPE_SE1_TAP_DELAYS, "SE1_TAP_DELAYS",
             OFF_rlc_firmware_header_v2_4__se1_tap_delays_ucode_size_bytes},
            {GFX_FW_TYPE_SE2_TAP_DELAYS, "SE2_TAP_DELAYS",
             OFF_rlc_firmware_header_v2_4__se2_tap_delays_ucode_size_bytes},
            {GFX_FW_TYPE_SE3_TAP_DELAYS, "SE3_TAP_DELAYS",
             OFF_rlc_firmware_header_v2_4__se3_tap_delays_ucode_size_bytes},
        };
        for (size_t i = 0; i < sizeof taps / sizeof *taps; i++)
            if (rd32(c, taps[i].field)) add_rlc(c, taps[i].type, taps[i].name, taps[i].field);
    }
    add(c, GFX_FW_TYPE_RLC_G, "RLC_G", start, size);
}

/* Header versions name the fields that follow; the header must be long enough to hold them. */
static uint32_t least_header(enum fw_kind kind, unsigned major, unsigned minor) {
    switch (kind) {
    case FW_PSP_SOS:
        return minor ? SIZE_psp_firmware_header_v2_1 - SIZE_psp_fw_bin_desc
                     : SIZE_psp_firmware_header_v2_0 - SIZE_psp_fw_bin_desc;
    case FW_SMU:
        return SIZE_smc_firmware_header_v1_0;
    case FW_SDMA:
        return major == 2 ? SIZE_sdma_firmware_header_v2_0 : SIZE_sdma_firmware_header_v3_0;
    case FW_PFP:
    case FW_ME:
    case FW_MEC:
        return SIZE_gfx_firmware_header_v2_0;
    case FW_IMU:
        return SIZE_imu_firmware_header_v1_0;
    case FW_RLC:
        return minor == 0   ? SIZE_rlc_firmware_header_v2_0
               : minor == 1 ? SIZE_rlc_firmware_header_v2_1
               : minor == 2 ? SIZE_rlc_firmware_header_v2_2
               : minor == 3 ? SIZE_rlc_firmware_header_v2_3
                            : SIZE_rlc_firmware_header_v2_4;
    default:
        return SIZE_common_firmware_header;
    }
}

int firmware_parse(enum fw_kind kind, const uint8_t *data, size_t size, struct fw_container *out,
                   char *err, size_t err_size) {
    struct cursor c = {data, size, 0, err, err_size, out};
    memset(out, 0, sizeof *out);
    out->kind = kind;
    uint32_t total = rd32(&c, OFF_common_firmware_header__size_bytes);
    uint32_t header = rd32(&c, OFF_common_firmware_header__header_size_bytes);
    out->version_major = rd16(&c, OFF_common_firmware_header__header_version_major);
    out->version_minor = rd16(&c, OFF_common_firmware_header__header_version_minor);
    out->ucode_version = rd32(&c, OFF_common_firmware_header__ucode_version);
    uint32_t ucode_size = rd32(&c, OFF_common_firmware_header__ucode_size_bytes);
    uint32_t start = rd32(&c, OFF_common_firmware_header__ucode_array_offset_bytes);
    if (!c.rc && total != size) fail(&c, "header says %u bytes, the file has %zu", total, size);
    uint32_t least = least_header(kind, out->version_major, out->version_minor);
    if (!c.rc && (header < least || header > size))
        fail(&c, "header of %u bytes, version %u.%u needs %u", header, out->version_major,
             out->version_minor, least);
    if (!c.rc && (start > size || ucode_size > size - start))
        fail(&c, "%u bytes of microcode at %u do not lie in %zu bytes", ucode_size, start, size);
    if (c.rc) return c.rc;
    switch (kind) {
    case FW_PSP_SOS:
        parse_sos(&c, start);
        break;
    case FW_SMU:
        if (out->version_major != 1 && out->version_major != 2)
            fail(&c, "smu header version %u is not read, 1 and 2 are", out->version_major);
        add(&c, GFX_FW_TYPE_SMU, "SMU", start, ucode_size);
        break;
    case FW_SDMA:
        parse_sdma(&c, start);
        break;
    case FW_PFP:
        parse_rs64(&c, start, GFX_FW_TYPE_RS64_PFP, "RS64_PFP", GFX_FW_TYPE_RS64_PFP_P0_STACK,
                   "RS64_PFP_P0_STACK");
        break;
    case FW_ME:
        parse_rs64(&c, start, GFX_FW_TYPE_RS64_ME, "RS64_ME", GFX_FW_TYPE_RS64_ME_P0_STACK,
                   "RS64_ME_P0_STACK");
        break;
    case FW_MEC:
        parse_rs64(&c, start, GFX_FW_TYPE_RS64_MEC, "RS64_MEC", GFX_FW_TYPE_RS64_MEC_P0_STACK,
                   "RS64_MEC_P0_STACK");
        break;
    case FW_IMU:
        parse_imu(&c, start);
        break;
    case FW_RLC:
        parse_rlc(&c, start, ucode_size);
        break;
    default:
        fail(&c, "no such kind of firmware");
        break;
    }
    if (!c.rc && out->count == 0) fail(&c, "no image in the container");
    return c.rc;
}
