/* SPDX-License-Identifier: MIT */
/* firmware.h - the microcode that AM hands to the chip: readers of the true container formats
 * (linux drivers/gpu/drm/amd/amdgpu/amdgpu_ucode.h), the search path, what each chip needs, and
 * stand-in images for the emulated GPU. Everything returns 0 or a negative errno, with a sentence
 * in err.
 */
#ifndef RAWCL_FIRMWARE_H
#define RAWCL_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fw_kind { FW_PSP_SOS, FW_SMU, FW_SDMA, FW_PFP, FW_ME, FW_MEC, FW_IMU, FW_RLC, FW_KIND_COUNT };

/* One image inside a container; points into memory that the owner of the container keeps. */
struct fw_image {
    uint32_t type; /* boot loader: PSP_FW_TYPE_*; else GFX_FW_TYPE_* of LOAD_IP_FW */
    const char *name;
    const uint8_t *data;
    uint32_t size; /* bytes */
};

enum { FW_MAX_IMAGES = 16 };

/* What one container holds, images in the order in which they are loaded. */
struct fw_container {
    enum fw_kind kind;
    uint16_t version_major, version_minor; /* of its header */
    uint32_t ucode_version;
    unsigned count;
    struct fw_image images[FW_MAX_IMAGES];
    uint64_t start_address; /* RS64 engines: where execution begins; else 0 */
};

/* Reads a container. Every offset and size is checked against the size of the file; -EBADMSG with a
 * sentence when one does not fit. data must outlive *out. */
int firmware_parse(enum fw_kind kind, const uint8_t *data, size_t size, struct fw_container *out,
                   char *err, size_t err_size);

/* What a chip is given, from sos (boot loader) to RLC. */
struct firmware {
    struct fw_container sos;
    struct fw_image smu; /* loaded before the trusted memory region is set up */
    unsigned count;      /* the rest, in load order */
    struct fw_image images[4 * FW_MAX_IMAGES];
    uint64_t start_pfp, start_me, start_mec; /* RS64 start addresses, 0 where not loaded */
    void *priv;
};

struct firmware_options {
    bool generated; /* stand-in images: for the emulated GPU only, silicon refuses them */
    /* One line per file, with SHA-256; may be NULL. */
    void (*report)(void *ctx, const char *line);
    void *report_ctx;
};

/* Finds and reads all files that target ("gfx1100") needs. -ENOENT: the sentence names the file and
 * where it was looked for. */
int firmware_load(const char *target, const struct firmware_options *opt, struct firmware **out,
                  char *err, size_t err_size);
void firmware_free(struct firmware *fw);

/* File name of a component ("gc_11_0_0_mec.bin"), NULL when the target does not load that kind or
 * is not known. */
const char *firmware_file_name(const char *target, enum fw_kind kind);
const char *firmware_kind_name(enum fw_kind kind);
/* The target whose manifest names the file, for tools; NULL if none does. */
bool firmware_target_known(const char *target);

/* A deterministic stand-in container in the true format: same images and plausible sizes, contents
 * without meaning. The caller frees *data. */
int firmware_generate(const char *target, enum fw_kind kind, uint8_t **data, size_t *size);

/* Reads a whole file, decompressing by its suffix (.xz, .zst). The caller frees *data. At most
 * FW_MAX_FILE bytes come out. */
#define FW_MAX_FILE (64u << 20)
int firmware_read_file(const char *path, uint8_t **data, size_t *size, char *err, size_t err_size);

/* FIPS 180-4. */
void firmware_sha256(const void *data, size_t size, uint8_t digest[32]);

#endif
