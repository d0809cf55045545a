/* SPDX-License-Identifier: MIT */
/* code_object.c - the ELF side. Sources: LLVM AMDGPUUsage (e_flags, relocation types, notes,
 * kernel descriptor symbols), System V ABI. libelf finds tables and checks their bounds; every
 * address and size that is used as one is checked here again. */
#include "compiler/code_object_internal.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/container.h"

#define CO_MACHINE_AMDGPU   224
#define CO_OSABI_HSA        64
#define CO_ABI_V5           3 /* e_ident[EI_ABIVERSION] */
#define CO_ABI_V6           4
#define CO_NOTE_METADATA    32
#define CO_IMAGE_MAX        (1u << 30) /* bytes of address space that a program may take */
#define CO_PAGE             4096u
#define CO_DESCRIPTOR_ENTRY 16u
#define CO_DESCRIPTOR_SIZE  64u

enum { R_AMDGPU_NONE = 0, R_AMDGPU_ABS64 = 3, R_AMDGPU_RELATIVE64 = 13 };

static const struct {
    uint8_t mach; /* e_flags & 0xff */
    const char *name;
} co_targets[] = {
    {0x41, "gfx1100"}, {0x46, "gfx1101"}, {0x47, "gfx1102"}, {0x44, "gfx1103"}, {0x43, "gfx1150"},
    {0x4a, "gfx1151"}, {0x55, "gfx1152"}, {0x58, "gfx1153"}, {0x48, "gfx1200"}, {0x4e, "gfx1201"},
};

struct block {
    struct block *next;
    _Alignas(16) char data[];
};

void *co_alloc(struct code_object *co, size_t count, size_t size) {
    if (size && count > (SIZE_MAX / 4) / size) return NULL;
    struct block *b = calloc(1, sizeof *b + count * size + 1);
    if (!b) return NULL;
    b->next = co->arena;
    co->arena = b;
    return b->data;
}

char *co_copy_text(struct code_object *co, const char *text, size_t size) {
    char *copy = co_alloc(co, size + 1, 1);
    if (copy && size) memcpy(copy, text, size);
    return copy;
}

void co_free(struct code_object *co) {
    if (!co) return;
    for (struct block *b = co->arena, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(co->image);
    free(co);
}

static bool co_is_amdgpu(const void *data, size_t size, Elf64_Ehdr *header) {
    if (!data || size < sizeof *header) return false;
    memcpy(header, data, sizeof *header);
    return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == CO_MACHINE_AMDGPU &&
           header->e_type == ET_DYN;
}

enum co_kind co_identify(const void *data, size_t size) {
    Elf64_Ehdr header;
    char target[16];
    if (co_is_amdgpu(data, size, &header)) return CO_EXECUTABLE;
    return container_identify(data, size, target);
}

static const char *co_target_name(uint32_t flags) {
    for (size_t i = 0; i < sizeof co_targets / sizeof co_targets[0]; i++)
        if (co_targets[i].mach == (flags & 0xff)) return co_targets[i].name;
    return "";
}

void co_target(const void *data, size_t size, char out[16]) {
    Elf64_Ehdr header;
    out[0] = 0;
    if (co_is_amdgpu(data, size, &header))
        snprintf(out, 16, "%s", co_target_name(header.e_flags));
    else
        container_identify(data, size, out);
}

struct parse {
    struct code_object *co;
    const char *data; /* aligned copy of the file */
    size_t size;
    Elf *elf;
    char *err;
    size_t err_size;
};

#define fail(p, ...) (snprintf((p)->err, (p)->err_size, __VA_ARGS__), -EINVAL)

static int parse_header(struct parse *p) {
    Elf64_Ehdr h;
    if (!co_is_amdgpu(p->data, p->size, &h))
        return fail(p, "not an AMDGPU code object (64-bit little-endian shared ELF)");
    if (h.e_ident[EI_OSABI] != CO_OSABI_HSA)
        return fail(p, "ELF OS ABI %u is not HSA (64)", h.e_ident[EI_OSABI]);
    if (h.e_ident[EI_ABIVERSION] != CO_ABI_V5 && h.e_ident[EI_ABIVERSION] != CO_ABI_V6)
        return fail(p, "code object version is not 5 or 6 (ELF ABI version %u)",
                    h.e_ident[EI_ABIVERSION]);
    snprintf(p->co->target, sizeof p->co->target, "%s", co_target_name(h.e_flags));
    if (!p->co->target[0]) return fail(p, "unknown target (e_flags 0x%x)", (unsigned)h.e_flags);
    return 0;
}

static int parse_check_segment(struct parse *p, size_t i, const GElf_Phdr *ph) {
    if (ph->p_offset > p->size || ph->p_filesz > p->size - ph->p_offset)
        return fail(p, "segment %zu lies outside the file", i);
    if (ph->p_memsz < ph->p_filesz || ph->p_vaddr > CO_IMAGE_MAX ||
        ph->p_memsz > CO_IMAGE_MAX - ph->p_vaddr)
        return fail(p, "segment %zu has an impossible size or address", i);
    return 0;
}

/* Lays the loadable segments out at their addresses. */
static int parse_image(struct parse *p) {
    size_t count;
    GElf_Phdr ph;
    if (elf_getphdrnum(p->elf, &count)) return fail(p, "unreadable program headers");
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(p->elf, (int)i, &ph)) return fail(p, "program header %zu is cut off", i);
        if (ph.p_type != PT_LOAD) continue;
        int r = parse_check_segment(p, i, &ph);
        if (r) return r;
        if (ph.p_vaddr + ph.p_memsz > end) end = ph.p_vaddr + ph.p_memsz;
    }
    if (!end) return fail(p, "nothing to load");
    p->co->image_size = (end + CO_PAGE - 1) / CO_PAGE * CO_PAGE;
    p->co->image = calloc(1, p->co->image_size);
    if (!p->co->image) return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(p->elf, (int)i, &ph) && ph.p_type == PT_LOAD)
            memcpy(p->co->image + ph.p_vaddr, p->data + ph.p_offset, ph.p_filesz);
    return 0;
}

/* The first section of a type; NULL if there is none or it is unreadable. */
static Elf_Data *parse_section(struct parse *p, uint32_t type, GElf_Shdr *sh) {
    for (Elf_Scn *s = NULL; (s = elf_nextscn(p->elf, s));) {
        if (!gelf_getshdr(s, sh) || sh->sh_type != type) continue;
        Elf_Data *d = elf_getdata(s, NULL);
        return d && d->d_buf ? d : NULL;
    }
    return NULL;
}

static int parse_relocation(struct parse *p, const GElf_Rela *rela, Elf_Data *symbols,
                            struct co_reloc *out) {
    GElf_Sym sym;
    *out = (struct co_reloc){rela->r_offset, (uint32_t)GELF_R_TYPE(rela->r_info), rela->r_addend};
    if (rela->r_offset > p->co->image_size - 8)
        return fail(p, "relocation outside the program (0x%llx)",
                    (unsigned long long)rela->r_offset);
    if (out->type == R_AMDGPU_RELATIVE64) return 0;
    if (out->type != R_AMDGPU_ABS64) return fail(p, "unsupported relocation type %u", out->type);
    if (!symbols || !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &sym))
        return fail(p, "relocation against a symbol that is not there");
    if (sym.st_shndx == SHN_UNDEF) return fail(p, "relocation against an undefined symbol");
    out->addend = (int64_t)((uint64_t)out->addend + sym.st_value);
    return 0;
}

static int parse_relocations(struct parse *p) {
    GElf_Shdr sh;
    GElf_Rela rela;
    Elf_Data *symbols = parse_section(p, SHT_DYNSYM, &sh);
    for (Elf_Scn *s = NULL; (s = elf_nextscn(p->elf, s));) {
        if (!gelf_getshdr(s, &sh)) return fail(p, "unreadable section header");
        if (sh.sh_type == SHT_REL) return fail(p, "relocations without addends");
        if (sh.sh_type != SHT_RELA || !(sh.sh_flags & SHF_ALLOC)) continue;
        Elf_Data *d = elf_getdata(s, NULL);
        if (!d || !d->d_buf) return fail(p, "unreadable relocations");
        size_t count = d->d_size / sizeof(Elf64_Rela), have = p->co->reloc_count;
        struct co_reloc *all = co_alloc(p->co, have + count, sizeof *all);
        if (!all) return -ENOMEM;
        if (have) memcpy(all, p->co->relocs, have * sizeof *all);
        for (size_t i = 0; i < count; i++) {
            if (!gelf_getrela(d, (int)i, &rela)) return fail(p, "relocations are cut off");
            if (GELF_R_TYPE(rela.r_info) == R_AMDGPU_NONE) continue;
            int r = parse_relocation(p, &rela, symbols, &all[have]);
            if (r) return r;
            have++;
        }
        p->co->relocs = all;
        p->co->reloc_count = have;
    }
    return 0;
}

static int parse_notes(struct parse *p) {
    GElf_Shdr sh;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(p->elf, s));) {
        if (!gelf_getshdr(s, &sh) || sh.sh_type != SHT_NOTE) continue;
        Elf_Data *d = elf_getdata(s, NULL);
        size_t at = 0, name, desc, next;
        GElf_Nhdr nh;
        if (!d || !d->d_buf) continue;
        while ((next = gelf_getnote(d, at, &nh, &name, &desc)) > 0) {
            const char *bytes = d->d_buf;
            if (nh.n_type == CO_NOTE_METADATA && nh.n_namesz == 7 &&
                !memcmp(bytes + name, "AMDGPU", 7))
                return co_parse_metadata(p->co, bytes + desc, nh.n_descsz, p->err, p->err_size);
            at = next;
        }
    }
    return fail(p, "no AMDGPU metadata note");
}

/* Finds the descriptor ("<name>.kd") of every kernel. */
static int parse_descriptors(struct parse *p) {
    GElf_Shdr sh;
    GElf_Sym sym;
    Elf_Data *d = parse_section(p, SHT_DYNSYM, &sh);
    size_t count = d ? d->d_size / sizeof(Elf64_Sym) : 0;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getsym(d, (int)i, &sym)) return fail(p, "symbols are cut off");
        const char *name = elf_strptr(p->elf, sh.sh_link, sym.st_name);
        size_t length = name ? strlen(name) : 0;
        if (name && !strcmp(name, CO_GLOBAL_VARIABLE_SIZE_SYMBOL) && sym.st_shndx != SHN_UNDEF &&
            sym.st_value <= p->co->image_size - 8)
            memcpy(&p->co->global_variable_size, p->co->image + sym.st_value, 8);
        if (length < 4 || strcmp(name + length - 3, ".kd") != 0) continue;
        if (sym.st_shndx == SHN_UNDEF || sym.st_value > p->co->image_size - CO_DESCRIPTOR_SIZE)
            return fail(p, "%s lies outside the program", name);
        for (size_t k = 0; k < p->co->kernel_count; k++) {
            struct co_kernel *kernel = &p->co->kernels[k];
            if (strlen(kernel->name) == length - 3 && !memcmp(kernel->name, name, length - 3))
                kernel->descriptor_vaddr = sym.st_value;
        }
    }
    for (size_t k = 0; k < p->co->kernel_count; k++) {
        const struct co_kernel *kernel = &p->co->kernels[k];
        if (!kernel->descriptor_vaddr) return fail(p, "kernel %s has no descriptor", kernel->name);
        int64_t entry; /* kernel_code_entry_byte_offset: from the descriptor to the code */
        memcpy(&entry, p->co->image + kernel->descriptor_vaddr + CO_DESCRIPTOR_ENTRY, sizeof entry);
        if (kernel->descriptor_vaddr + (uint64_t)entry >= p->co->image_size)
            return fail(p, "the code of kernel %s lies outside the program", kernel->name);
    }
    return 0;
}

static int parse_all(struct parse *p) {
    int r = parse_header(p);
    if (!r) r = parse_image(p);
    if (!r) r = parse_relocations(p);
    if (!r) r = parse_notes(p);
    if (!r) r = parse_descriptors(p);
    return r;
}

int co_parse(const void *data, size_t size, struct code_object **out, char *err, size_t err_size) {
    *out = NULL;
    if (err_size) err[0] = 0;
    struct code_object *co = calloc(1, sizeof *co);
    char *copy = malloc(size + 1); /* aligned, and not the caller's to change */
    struct parse p = {.co = co, .data = copy, .size = size, .err = err, .err_size = err_size};
    int r = -ENOMEM;
    if (co && copy && data) {
        memcpy(copy, data, size);
        elf_version(EV_CURRENT);
        p.elf = elf_memory(copy, size);
        r = p.elf ? parse_all(&p) : fail(&p, "not an ELF file");
    }
    if (p.elf) elf_end(p.elf);
    free(copy);
    if (!r) {
        *out = co;
        return 0;
    }
    co_free(co);
    if (r == -ENOMEM) snprintf(err, err_size, "out of memory");
    return -EINVAL;
}

void co_relocate(const struct code_object *co, uint64_t load_va, uint8_t *dst) {
    memcpy(dst, co->image, co->image_size);
    for (size_t i = 0; i < co->reloc_count; i++) {
        uint64_t value = load_va + (uint64_t)co->relocs[i].addend;
        memcpy(dst + co->relocs[i].vaddr, &value, sizeof value);
    }
}

const struct co_kernel *co_find_kernel(const struct code_object *co, const char *name) {
    for (size_t i = 0; i < co->kernel_count; i++)
        if (!strcmp(co->kernels[i].name, name)) return &co->kernels[i];
    return NULL;
}
