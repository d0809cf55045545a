/* SPDX-License-Identifier: MIT */
/* code_object.h - reads what the compiler made: AMDGPU ELF code objects (code object version 5),
 * their MessagePack metadata (NT_AMDGPU_METADATA), and the container of compiled objects. Pure
 * functions over untrusted bytes; no LLVM. Metadata keys: LLVM AMDGPUUsage, "Code Object V5
 * Metadata".
 */
#ifndef RAWCL_CODE_OBJECT_H
#define RAWCL_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum co_kind { CO_INVALID, CO_EXECUTABLE, CO_OBJECT, CO_LIBRARY };

/* What a blob is; CO_INVALID for anything else. Reads at most the header. */
enum co_kind co_identify(const void *data, size_t size);
/* Target of an executable ("gfx1100") or of our object container; "" if unknown. */
void co_target(const void *data, size_t size, char out[16]);

enum co_arg_kind { /* .value_kind */
                   CO_ARG_BY_VALUE,
                   CO_ARG_GLOBAL_BUFFER,          /* pointer to global or constant memory */
                   CO_ARG_DYNAMIC_SHARED_POINTER, /* __local pointer: 4-byte LDS offset */
                   CO_ARG_SAMPLER,
                   CO_ARG_IMAGE,
                   CO_ARG_PIPE,
                   CO_ARG_QUEUE,
                   CO_ARG_HIDDEN_GLOBAL_OFFSET_X,
                   CO_ARG_HIDDEN_GLOBAL_OFFSET_Y,
                   CO_ARG_HIDDEN_GLOBAL_OFFSET_Z,
                   CO_ARG_HIDDEN_BLOCK_COUNT_X,
                   CO_ARG_HIDDEN_BLOCK_COUNT_Y,
                   CO_ARG_HIDDEN_BLOCK_COUNT_Z,
                   CO_ARG_HIDDEN_GROUP_SIZE_X,
                   CO_ARG_HIDDEN_GROUP_SIZE_Y,
                   CO_ARG_HIDDEN_GROUP_SIZE_Z,
                   CO_ARG_HIDDEN_REMAINDER_X,
                   CO_ARG_HIDDEN_REMAINDER_Y,
                   CO_ARG_HIDDEN_REMAINDER_Z,
                   CO_ARG_HIDDEN_GRID_DIMS,
                   CO_ARG_HIDDEN_PRINTF_BUFFER,
                   CO_ARG_HIDDEN_HOSTCALL_BUFFER,
                   CO_ARG_HIDDEN_MULTIGRID_SYNC_ARG,
                   CO_ARG_HIDDEN_HEAP_V1,
                   CO_ARG_HIDDEN_DEFAULT_QUEUE,
                   CO_ARG_HIDDEN_COMPLETION_ACTION,
                   CO_ARG_HIDDEN_DYNAMIC_LDS_SIZE,
                   CO_ARG_HIDDEN_PRIVATE_BASE,
                   CO_ARG_HIDDEN_SHARED_BASE,
                   CO_ARG_HIDDEN_QUEUE_PTR,
                   CO_ARG_HIDDEN_NONE,
};

struct co_arg {
    enum co_arg_kind kind;
    uint32_t offset, size;        /* in the kernarg segment, bytes */
    uint32_t pointee_align;       /* dynamic shared pointers */
    uint32_t address_space;       /* CL_KERNEL_ARG_ADDRESS_*; 0: not recorded */
    uint32_t access;              /* CL_KERNEL_ARG_ACCESS_*; 0: not recorded */
    uint64_t type_qualifier;      /* CL_KERNEL_ARG_TYPE_* */
    const char *name, *type_name; /* NULL: not recorded */
};

struct co_kernel {
    const char *name;
    uint64_t descriptor_vaddr; /* address of "<name>.kd" in the image */
    uint32_t kernarg_size, kernarg_align;
    uint32_t group_segment_fixed, private_segment_fixed; /* bytes */
    bool dynamic_stack;                                  /* .uses_dynamic_stack */
    uint32_t wavefront_size;
    uint32_t sgpr_count, vgpr_count, sgpr_spills, vgpr_spills;
    uint32_t max_flat_workgroup_size;
    bool uniform_workgroup_size;     /* .uniform_work_group_size: partial groups are not allowed */
    uint32_t reqd_workgroup_size[3]; /* 0: none */
    uint32_t workgroup_size_hint[3];
    const char *vec_type_hint; /* "" if none */
    const char *attributes;    /* CL_KERNEL_ATTRIBUTES text */
    struct co_arg *args;       /* explicit first, then hidden, in order */
    uint32_t arg_count;        /* all */
    uint32_t explicit_arg_count;
};

struct co_reloc { /* one dynamic relocation; 64 bit at image + vaddr */
    uint64_t vaddr;
    uint32_t type;  /* R_AMDGPU_RELATIVE64 or R_AMDGPU_ABS64 with symbol resolved inside */
    int64_t addend; /* value = load base + addend */
};

/* printf format strings of amdhsa.printf, id -> format and argument sizes. */
struct co_printf {
    uint32_t id;
    uint32_t arg_count;
    uint32_t *arg_sizes;
    const char *format; /* unescaped, NUL terminated, length in format_len */
    size_t format_len;
};

struct code_object {
    char target[16];
    uint64_t global_variable_size; /* bytes that the source's variables in global memory take */
    uint64_t image_size; /* bytes of address space: max(p_vaddr + p_memsz), page rounded */
    uint8_t *image;      /* image_size bytes: segments at their vaddr, zero elsewhere */
    struct co_kernel *kernels;
    size_t kernel_count;
    struct co_reloc *relocs;
    size_t reloc_count;
    struct co_printf *printfs;
    size_t printf_count;
    void *arena; /* owns all strings */
};

/* Parses and checks an executable. Returns 0, or -EINVAL with a sentence in err: wrong class,
 * machine, truncated segments or notes, metadata of the wrong shape, kernels without descriptor. */
int co_parse(const void *data, size_t size, struct code_object **out, char *err, size_t err_size);
void co_free(struct code_object *co);
/* Applies relocations to a copy of the image for a load address. dst: image_size bytes. */
void co_relocate(const struct code_object *co, uint64_t load_va, uint8_t *dst);
const struct co_kernel *co_find_kernel(const struct code_object *co, const char *name);

#endif
