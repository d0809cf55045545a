/* SPDX-License-Identifier: MIT */
/* kernel_image.c - see kernel_image.h. Kernel descriptor layout: LLVM AMDGPU usage guide, "Kernel
 * Descriptor". */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/isa/kernel_image.h"

static bool read_file(struct kernel_image *k, const char *path) {
    FILE *in = fopen(path, "rb");
    if (!in) return false;
    fseek(in, 0, SEEK_END);
    k->file_size = (size_t)ftell(in);
    rewind(in);
    k->file = malloc(k->file_size);
    bool ok = k->file && fread(k->file, 1, k->file_size, in) == k->file_size;
    fclose(in);
    return ok && k->file_size > sizeof(Elf64_Ehdr) && !memcmp(k->file, ELFMAG, SELFMAG);
}

bool kernel_image_load(struct kernel_image *k, struct fake_gpu *f, const char *path, uint64_t va) {
    memset(k, 0, sizeof *k);
    if (!read_file(k, path)) return false;
    k->va = va;
    const Elf64_Ehdr *eh = (const void *)k->file;
    const Elf64_Phdr *ph = (const void *)(k->file + eh->e_phoff);
    uint64_t end = 0;
    for (unsigned i = 0; i < eh->e_phnum; i++)
        if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr + ph[i].p_memsz > end)
            end = ph[i].p_vaddr + ph[i].p_memsz;
    uint8_t *mem = fake_gpu_map(f, va, (end + 8191) & ~UINT64_C(4095));
    if (!mem) return false;
    for (unsigned i = 0; i < eh->e_phnum; i++)
        if (ph[i].p_type == PT_LOAD)
            memcpy(mem + ph[i].p_vaddr, k->file + ph[i].p_offset, ph[i].p_filesz);
    return true;
}

void kernel_image_free(struct kernel_image *k) {
    free(k->file);
    k->file = NULL;
}

static uint64_t find_symbol(const struct kernel_image *k, const char *name) {
    const Elf64_Ehdr *eh = (const void *)k->file;
    const Elf64_Shdr *sh = (const void *)(k->file + eh->e_shoff);
    for (unsigned i = 0; i < eh->e_shnum; i++) {
        if (sh[i].sh_type != SHT_DYNSYM) continue;
        const Elf64_Sym *sym = (const void *)(k->file + sh[i].sh_offset);
        const char *strings = (const char *)k->file + sh[sh[i].sh_link].sh_offset;
        for (size_t n = 0; n < sh[i].sh_size / sizeof *sym; n++)
            if (!strcmp(strings + sym[n].st_name, name)) return sym[n].st_value;
    }
    return 0;
}

static const uint8_t *host_of(const struct fake_gpu *f, uint64_t va) {
    for (unsigned i = 0; i < f->count; i++)
        if (va - f->maps[i].va < f->maps[i].size) return f->maps[i].host + (va - f->maps[i].va);
    return NULL;
}

bool kernel_image_dispatch(const struct kernel_image *k, const struct fake_gpu *f, const char *name,
                           uint64_t kernarg_va, struct isa_dispatch *d) {
    char kd_name[128];
    snprintf(kd_name, sizeof kd_name, "%s.kd", name);
    uint64_t at = find_symbol(k, kd_name);
    const uint8_t *kd = at ? host_of(f, k->va + at) : NULL;
    if (!kd) return false;
    int64_t entry;
    uint16_t properties;
    uint32_t private_bytes;
    memcpy(&private_bytes, kd + 4, 4);
    memcpy(&entry, kd + 16, 8);
    memcpy(&d->pgm_rsrc3, kd + 44, 4);
    memcpy(&d->pgm_rsrc1, kd + 48, 4);
    memcpy(&d->pgm_rsrc2, kd + 52, 4);
    memcpy(&properties, kd + 56, 2);
    d->name = name;
    d->entry_va = k->va + at + (uint64_t)entry;
    d->wave_size = properties >> 10 & 1 ? 32 : 64;
    d->scratch_wave_bytes = private_bytes * d->wave_size;
    /* Order of user SGPRs: private buffer 4 (never here), dispatch 2, queue 2, kernarg 2, ... */
    unsigned n = 0;
    if (properties & 2) n += 2;
    if (properties & 4) n += 2;
    if (properties & 8) {
        d->user_data[n] = (uint32_t)kernarg_va;
        d->user_data[n + 1] = (uint32_t)(kernarg_va >> 32);
    }
    return true;
}

const uint8_t *kernel_image_text(const struct kernel_image *k, const struct fake_gpu *f,
                                 uint64_t *va, uint64_t *size) {
    const Elf64_Ehdr *eh = (const void *)k->file;
    const Elf64_Phdr *ph = (const void *)(k->file + eh->e_phoff);
    for (unsigned i = 0; i < eh->e_phnum; i++) {
        if (ph[i].p_type != PT_LOAD || !(ph[i].p_flags & PF_X)) continue;
        *va = k->va + ph[i].p_vaddr;
        *size = ph[i].p_filesz & ~UINT64_C(3);
        return host_of(f, *va);
    }
    *va = *size = 0;
    return NULL;
}
