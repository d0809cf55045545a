/* SPDX-License-Identifier: MIT */
/* Finds what a chip needs and puts it in load order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/hw/hw.h"
#include "firmware/firmware.h"

struct owned {
    uint8_t *file[FW_KIND_COUNT];
};

/* Folders of RAWCL_FIRMWARE_PATH (separated by ':'), then the system's. */
static int find_file(const char *name, char *path, size_t path_size, char *err, size_t err_size) {
    static const char *const suffixes[] = {"", ".xz", ".zst"};
    const char *env = getenv("RAWCL_FIRMWARE_PATH");
    char folders[1024];
    snprintf(folders, sizeof folders, "%s%s/lib/firmware/amdgpu:/lib/firmware/updates/amdgpu",
             env ? env : "", env && *env ? ":" : "");
    char list[1024], *save = NULL;
    memcpy(list, folders, sizeof list);
    for (char *f = strtok_r(list, ":", &save); f; f = strtok_r(NULL, ":", &save))
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
            int n = snprintf(path, path_size, "%s/%s%s", f, name, suffixes[i]);
            if (n > 0 && (size_t)n < path_size && access(path, R_OK) == 0) return 0;
        }
    snprintf(err, err_size, "firmware %s not found in %s", name, folders);
    return -ENOENT;
}

static void report(const struct firmware_options *opt, const char *name, const char *path,
                   const uint8_t *data, size_t size, const struct fw_container *c) {
    if (!opt->report) return;
    uint8_t digest[32];
    char hex[65], line[512];
    firmware_sha256(data, size, digest);
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    snprintf(line, sizeof line,
             "%s (%s) header %u.%u version 0x%x, %zu bytes, %u images, sha256 %s", name, path,
             c->version_major, c->version_minor, c->ucode_version, size, c->count, hex);
    opt->report(opt->report_ctx, line);
}

static int load_one(const char *target, enum fw_kind kind, const struct firmware_options *opt,
                    uint8_t **file, struct fw_container *c, char *err, size_t err_size) {
    const char *name = firmware_file_name(target, kind);
    char path[512] = "stand-in";
    size_t size = 0;
    int rc;
    if (opt->generated) {
        rc = firmware_generate(target, kind, file, &size);
        if (rc) snprintf(err, err_size, "no stand-in %s for %s", name, target);
    } else {
        rc = find_file(name, path, sizeof path, err, err_size);
        if (!rc) rc = firmware_read_file(path, file, &size, err, err_size);
    }
    if (rc) return rc;
    char why[256];
    rc = firmware_parse(kind, *file, size, c, why, sizeof why);
    if (rc) {
        snprintf(err, err_size, "firmware %s (%s): %s", name, path, why);
        return rc;
    }
    report(opt, name, path, *file, size, c);
    return 0;
}

int firmware_load(const char *target, const struct firmware_options *opt, struct firmware **out,
                  char *err, size_t err_size) {
    *out = NULL;
    if (!firmware_target_known(target)) {
        snprintf(err, err_size, "no list of firmware for %s", target);
        return -ENOENT;
    }
    struct firmware *fw = calloc(1, sizeof *fw);
    struct owned *own = calloc(1, sizeof *own);
    if (!fw || !own) {
        free(fw);
        free(own);
        snprintf(err, err_size, "out of memory");
        return -ENOMEM;
    }
    fw->priv = own;
    int rc = 0;
    for (int k = 0; k < FW_KIND_COUNT && !rc; k++) {
        if (!firmware_file_name(target, k)) continue;
        struct fw_container c;
        rc = load_one(target, k, opt, &own->file[k], &c, err, err_size);
        if (rc) break;
        if (k == FW_PSP_SOS) {
            fw->sos = c;
            continue;
        }
        if (k == FW_SMU) {
            fw->smu = c.images[0];
            continue;
        }
        if (k == FW_PFP) fw->start_pfp = c.start_address;
        if (k == FW_ME) fw->start_me = c.start_address;
        if (k == FW_MEC) fw->start_mec = c.start_address;
        memcpy(&fw->images[fw->count], c.images, c.count * sizeof *c.images);
        fw->count += c.count;
    }
    if (rc) {
        firmware_free(fw);
        return rc;
    }
    *out = fw;
    return 0;
}

void firmware_free(struct firmware *fw) {
    if (!fw) return;
    struct owned *own = fw->priv;
    for (int k = 0; k < FW_KIND_COUNT; k++)
        free(own->file[k]);
    free(own);
    free(fw);
}
