/* SPDX-License-Identifier: MIT */
#include "runtime/svm.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "runtime/platform.h"

/* ---- the registry: sorted by address ---- */

static struct {
    pthread_rwlock_t lock;
    struct svm_region **list;
    size_t count, room;
} regions = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* The first region that starts above va. */
static size_t above_locked(uint64_t va) {
    size_t lo = 0, hi = regions.count;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (regions.list[mid]->base <= va)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct svm_region *find_locked(const void *p, size_t size) {
    uint64_t va = (uint64_t)(uintptr_t)p;
    size_t i = above_locked(va);
    struct svm_region *r = i ? regions.list[i - 1] : NULL;

    return r && va - r->base < r->size && size <= r->size - (va - r->base) ? r : NULL;
}

static bool enter(struct svm_region *r) {
    pthread_rwlock_wrlock(&regions.lock);
    bool ok = regions.count < regions.room;
    if (!ok) {
        size_t room = regions.room ? 2 * regions.room : 64;
        struct svm_region **list = realloc(regions.list, room * sizeof *list);
        ok = list != NULL;
        if (ok) {
            regions.list = list;
            regions.room = room;
        }
    }
    if (ok) {
        size_t i = above_locked(r->base);
        memmove(regions.list + i + 1, regions.list + i, (regions.count - i) * sizeof *regions.list);
        regions.list[i] = r;
        regions.count++;
    }
    pthread_rwlock_unlock(&regions.lock);
    return ok;
}

struct svm_region *svm_get(const void *p, size_t size) {
    pthread_rwlock_rdlock(&regions.lock);
    struct svm_region *r = find_locked(p, size);
    if (r) atomic_fetch_add(&r->refs, 1);
    pthread_rwlock_unlock(&regions.lock);
    return r;
}

bool svm_is_shared(cl_context ctx, const void *p, size_t size) {
    pthread_rwlock_rdlock(&regions.lock);
    struct svm_region *r = find_locked(p, size);
    bool yes = r && r->ctx == ctx;
    pthread_rwlock_unlock(&regions.lock);
    return yes;
}

bool svm_host_visible(const void *p) {
    pthread_rwlock_rdlock(&regions.lock);
    struct svm_region *r = find_locked(p, 0);
    bool hidden = r && r->usm_type == CL_MEM_TYPE_DEVICE_INTEL;
    pthread_rwlock_unlock(&regions.lock);
    return !hidden;
}

/* ---- memory ---- */

static void release_memory(struct svm_region *r) {
    struct am_mem *owned = NULL;
    cl_device_id owner = NULL;

    /* Whoever maps it must let go before the owner frees it. */
    for (cl_uint i = 0; i < r->ctx->device_count; i++) {
        if (!r->mem[i] || platform_is_orphan()) continue;
        if (!owned && r->mem[i]->va == r->base && r->usm_device == r->ctx->devices[i]) {
            owned = r->mem[i];
            owner = r->usm_device;
        } else {
            am_free(r->ctx->devices[i]->am, r->mem[i]);
        }
    }
    if (owned) am_free(owner->am, owned);
}

void svm_put(struct svm_region *r) {
    if (!r || atomic_fetch_sub(&r->refs, 1) != 1) return;
    cl_context ctx = r->ctx;
    release_memory(r);
    free(r);
    obj_put(ctx);
}

static int allocate(struct svm_region *r, size_t align, enum am_mem_kind kind, int owner) {
    cl_context ctx = r->ctx;
    int rc =
        am_alloc(ctx->devices[owner]->am, r->size, align, kind, "shared memory", &r->mem[owner]);

    if (rc) return rc;
    r->base = r->mem[owner]->va;
    if (kind != AM_MEM_SYSTEM) return 0;
    if ((uint64_t)(uintptr_t)r->mem[owner]->cpu != r->base) {
        log_warn("svm", "the process has no room where CPU and GPU addresses are the same");
        return -1;
    }
    for (int i = 0; !rc && i < (int)ctx->device_count; i++)
        if (i != owner) rc = am_share(ctx->devices[i]->am, r->mem[owner], &r->mem[i]);
    return rc;
}

struct svm_region *svm_create(cl_context ctx, size_t size, size_t align, enum am_mem_kind kind,
                              int owner) {
    struct svm_region *r = calloc(1, sizeof *r + ctx->device_count * sizeof r->mem[0]);

    if (!r) return NULL;
    atomic_init(&r->refs, 1);
    r->ctx = obj_get(ctx);
    r->size = size;
    r->usm_device = ctx->devices[owner];
    int rc = allocate(r, align, kind, owner);
    if (!rc && enter(r)) return r;
    if (rc) log_info("svm", "no %zu bytes of shared memory: %d", size, rc);
    svm_put(r);
    return NULL;
}

bool svm_drop(cl_context ctx, const void *p) {
    pthread_rwlock_wrlock(&regions.lock);
    struct svm_region *r = find_locked(p, 0);
    if (r && (r->ctx != ctx || r->base != (uint64_t)(uintptr_t)p)) r = NULL;
    if (r) {
        size_t i = above_locked(r->base) - 1;
        memmove(regions.list + i, regions.list + i + 1,
                (regions.count - i - 1) * sizeof *regions.list);
        regions.count--;
    }
    pthread_rwlock_unlock(&regions.lock);
    svm_put(r);
    return r != NULL;
}

/* ---- clSVMAlloc, clSVMFree ---- */

cl_device_svm_capabilities svm_capabilities(cl_device_id dev) {
    cl_device_svm_capabilities caps =
        CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;

    if (!am_addresses_shared()) {
        log_info("svm", "no shared virtual memory: the process cannot reserve the address range");
        return 0;
    }
    /* Atomics that the CPU sees need AtomicOps on the whole way to a card's root port, which the
     * driver does not tell; the emulated GPU uses the host's. */
    return dev->cand.emulated ? caps | CL_DEVICE_SVM_ATOMICS : caps;
}

#define SVM_ACCESS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define SVM_FLAGS  (SVM_ACCESS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)

static const char *bad_alloc(cl_context ctx, cl_svm_mem_flags flags, size_t size, cl_uint align) {
    cl_svm_mem_flags access = flags & SVM_ACCESS;
    bool fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER, atomics = flags & CL_MEM_SVM_ATOMICS;

    if (flags & ~(cl_svm_mem_flags)SVM_FLAGS || access & (access - 1)) return "flags";
    if (atomics && !fine) return "atomics need fine grain";
    if (!size) return "size 0";
    if (align & (align - 1) || align > DEVICE_MIN_ALIGN) return "alignment";
    for (cl_uint i = 0; i < ctx->device_count; i++) {
        cl_device_svm_capabilities caps = svm_capabilities(ctx->devices[i]);
        if (size > device_max_alloc(ctx->devices[i])) return "size above the maximum of a device";
        if (!caps) return "not supported in this process";
        if (atomics && !(caps & CL_DEVICE_SVM_ATOMICS)) return "a device has no atomics";
    }
    return NULL;
}

CL_API_ENTRY void *CL_API_CALL api_clSVMAlloc(cl_context context, cl_svm_mem_flags flags,
                                              size_t size, cl_uint alignment) {
    if (!obj_ok(context, &obj_type_context)) {
        err_refuse(CL_INVALID_CONTEXT, __func__, "not a context");
        return NULL;
    }
    const char *why = bad_alloc(context, flags, size, alignment);
    if (platform_is_orphan()) why = "forked child";
    if (why) {
        err_refuse(CL_INVALID_VALUE, __func__, "%s (%zu bytes, flags 0x%llx)", why, size,
                   (unsigned long long)flags);
        return NULL;
    }
    struct svm_region *r = svm_create(context, size, alignment, AM_MEM_SYSTEM, 0);
    if (!r) return NULL;
    r->flags = flags;
    return (void *)(uintptr_t)r->base;
}

CL_API_ENTRY void CL_API_CALL api_clSVMFree(cl_context context, void *pointer) {
    if (!pointer) return;
    if (!obj_ok(context, &obj_type_context) || !svm_drop(context, pointer))
        err_refuse(CL_INVALID_VALUE, __func__, "%p is not from clSVMAlloc of this context",
                   pointer);
}
