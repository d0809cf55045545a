/* SPDX-License-Identifier: MIT */
/* svm.h - shared virtual memory: allocations that host and devices reach at one address. All of it
 * is system memory that the devices snoop, so that coarse and fine grain differ in what the
 * application may rely on only. Unified shared memory (cl_intel_unified_shared_memory) lives in the
 * same registry; its device allocations are device memory.
 */
#ifndef RAWCL_RUNTIME_SVM_H
#define RAWCL_RUNTIME_SVM_H

#include "driver/am.h"
#include "runtime/object.h"

struct svm_region {
    atomic_uint refs;
    cl_context ctx; /* referenced */
    uint64_t base, size;
    cl_svm_mem_flags flags; /* of clSVMAlloc */
    cl_uint usm_type;       /* CL_MEM_TYPE_*_INTEL; 0: from clSVMAlloc */
    cl_bitfield usm_flags;  /* CL_MEM_ALLOC_FLAGS_INTEL */
    cl_device_id usm_device;
    struct svm_region *next_free;
    struct am_mem *mem[]; /* by device of the context */
};

/* What a device offers: CL_DEVICE_SVM_CAPABILITIES. */
cl_device_svm_capabilities svm_capabilities(cl_device_id dev);
/* The region that holds all of [p, p + size), with a reference, or NULL. */
struct svm_region *svm_get(const void *p, size_t size);
void svm_put(struct svm_region *r);
/* Is p inside a region of ctx? Without a reference: for checks. */
bool svm_is_shared(cl_context ctx, const void *p, size_t size);
/* May the CPU touch it? false for device memory of unified shared memory. */
bool svm_host_visible(const void *p);
/* Makes a region, and enters it. owner: index of the device that allocates; shared: the others map
 * it too. NULL with the reason logged. */
struct svm_region *svm_create(cl_context ctx, size_t size, size_t align, enum am_mem_kind kind,
                              int owner);
/* Takes the region that starts at p out of the registry and drops it. false: there is none. */
bool svm_drop(cl_context ctx, const void *p);

#endif
