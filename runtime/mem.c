/* SPDX-License-Identifier: MIT */
#include "runtime/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/image.h"
#include "runtime/log.h"
#include "runtime/platform.h"
#include "runtime/svm.h"
#include "runtime/transfer.h"

/* ---- the backing ---- */

/* Memory of the application that the devices see already: no copy. */
static void adopt_shared(struct backing *b, const void *host_ptr) {
    struct svm_region *r = svm_get(host_ptr, b->size);

    if (!r || r->ctx != b->ctx || r->usm_type == CL_MEM_TYPE_DEVICE_INTEL) {
        svm_put(r);
        return;
    }
    b->svm = r;
    b->svm_offset = (uint64_t)(uintptr_t)host_ptr - r->base;
    b->kind = AM_MEM_SYSTEM;
    for (cl_uint i = 0; i < b->ctx->device_count; i++)
        b->dev[i] = r->mem[i];
}

/* A buffer whose address kernels may have from elsewhere: with several devices contents cannot
 * follow the commands, so the memory is one that all of them see. */
static void share_among_devices(struct backing *b) {
    struct svm_region *r = svm_create(b->ctx, b->size, 0, AM_MEM_SYSTEM, 0);

    if (!r) return; /* allocating will fail: nobody else makes the memory */
    b->host = (uint8_t *)(uintptr_t)r->base;
    adopt_shared(b, b->host);
    b->svm_own = true;
}

static struct backing *backing_create(cl_context ctx, uint64_t size, cl_mem_flags flags,
                                      void *host_ptr) {
    struct backing *b = calloc(1, sizeof *b + ctx->device_count * sizeof b->dev[0]);

    if (!b) return NULL;
    atomic_init(&b->refs, 1);
    b->ctx = ctx; /* the memory object holds the reference */
    b->size = size;
    pthread_mutex_init(&b->lock, NULL);
    b->kind = AM_MEM_VRAM;
    if (flags & CL_MEM_ALLOC_HOST_PTR && ctx->device_count == 1) b->kind = AM_MEM_SYSTEM;
    if (flags & CL_MEM_USE_HOST_PTR) b->host = host_ptr;
    if (flags & CL_MEM_USE_HOST_PTR) adopt_shared(b, host_ptr);
    return b;
}

static void backing_put(struct backing *b) {
    if (!b || atomic_fetch_sub(&b->refs, 1) != 1) return;
    for (cl_uint i = 0; i < b->ctx->device_count && !b->svm && !platform_is_orphan(); i++) {
        struct am_device *am = b->ctx->devices[i]->am;
        if (b->dev[i]) am_free(am, b->dev[i]);
        if (i == 0 && b->shadow) am_free(am, b->shadow);
    }
    if (b->host_owned) free(b->host);
    if (b->svm_own) svm_drop(b->ctx, (void *)(uintptr_t)b->svm->base);
    svm_put(b->svm);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

static int backing_allocate_locked(struct backing *b, int i) {
    if (b->dev[i]) return 0;
    int rc = am_alloc(b->ctx->devices[i]->am, b->size, 0, b->kind, "buffer", &b->dev[i]);
    if (rc)
        log_info("mem", "no %llu bytes of %s memory: %s", (unsigned long long)b->size,
                 b->kind == AM_MEM_VRAM ? "device" : "system", strerror(-rc));
    if (!rc && b->kind == AM_MEM_SYSTEM && !b->host) b->host = b->dev[i]->cpu;
    return rc;
}

int mem_allocate(cl_mem mem, int device_index) {
    struct backing *b = mem->backing;

    if (b->ctx->device_count == 1 && b->dev[0]) return 0;
    pthread_mutex_lock(&b->lock);
    int rc = backing_allocate_locked(b, device_index);
    pthread_mutex_unlock(&b->lock);
    return rc;
}

uint64_t mem_va(cl_mem mem, int device_index) {
    const struct backing *b = mem->backing;

    return b->dev[device_index]->va + b->svm_offset + mem->origin;
}

/* Device to device through the host, a block at a time. */
static int move_locked(struct backing *b, int from, int to) {
    enum { BLOCK = 4 << 20 };
    uint8_t *block = malloc(b->size < BLOCK ? b->size : BLOCK);
    int rc = block ? 0 : -ENOMEM;

    for (uint64_t at = 0; !rc && at < b->size; at += BLOCK) {
        uint64_t n = b->size - at < BLOCK ? b->size - at : BLOCK;
        rc = transfer_bytes(b->ctx->devices[from], b->dev[from]->va + at, block, n, false);
        if (!rc) rc = transfer_bytes(b->ctx->devices[to], b->dev[to]->va + at, block, n, true);
    }
    free(block);
    return rc;
}

int mem_make_resident(cl_mem mem, int device_index) {
    struct backing *b = mem->backing;

    if (b->ctx->device_count == 1 || b->svm) return 0;
    pthread_mutex_lock(&b->lock);
    uint32_t bit = 1u << device_index;
    int rc = backing_allocate_locked(b, device_index);
    if (!rc && b->valid && !(b->valid & bit))
        rc = move_locked(b, __builtin_ctz(b->valid), device_index);
    if (!rc) b->valid = mem->flags & CL_MEM_READ_ONLY ? b->valid | bit : bit;
    pthread_mutex_unlock(&b->lock);
    return rc;
}

int mem_need_host(cl_mem mem) {
    struct backing *b = mem->backing;
    int rc = 0;

    pthread_mutex_lock(&b->lock);
    if (!b->host && b->ctx->device_count == 1) {
        rc = am_alloc(b->ctx->devices[0]->am, b->size, 0, AM_MEM_SYSTEM, "map", &b->shadow);
        if (!rc) b->host = b->shadow->cpu;
    }
    if (!b->host) {
        /* Several devices, or no more memory that the device sees: plain memory and staging. */
        b->host = aligned_alloc(4096, (b->size + 4095) & ~(uint64_t)4095);
        b->host_owned = b->host != NULL;
        rc = b->host ? 0 : -ENOMEM;
    }
    pthread_mutex_unlock(&b->lock);
    return rc;
}

/* ---- the object ---- */

static void mem_destroy(void *object) {
    cl_mem mem = object;

    for (struct mem_callback *cb = mem->destructors, *next; cb; cb = next) {
        next = cb->next;
        cb->fn(mem, cb->user_data);
        free(cb);
    }
    for (struct mem_map *m = mem->maps, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    image_release(mem);
    backing_put(mem->backing);
    obj_put(mem->parent);
    cl_context ctx = mem->ctx;
    pthread_mutex_destroy(&mem->lock);
    free(mem->properties);
    mem->backing = NULL;
    mem_drop_shell(mem);
    obj_put(ctx);
}

void mem_hold_shell(cl_mem mem) {
    atomic_fetch_add(&mem->shell, 1);
}

void mem_drop_shell(cl_mem mem) {
    if (!mem || atomic_fetch_sub(&mem->shell, 1) != 1) return;
    mem->obj.type = NULL;
    free(mem);
}

bool mem_try_get(cl_mem mem) {
    unsigned refs = atomic_load(&mem->obj.refs);

    while (refs)
        if (atomic_compare_exchange_weak(&mem->obj.refs, &refs, refs + 1)) return true;
    return false;
}

const struct obj_type obj_type_mem = {"memory object", mem_destroy};

static cl_mem mem_create(cl_context ctx, cl_mem_flags flags, size_t size) {
    cl_mem mem = calloc(1, sizeof *mem);

    if (!mem) return NULL;
    obj_init(&mem->obj, &obj_type_mem);
    atomic_init(&mem->shell, 1);
    mem->ctx = obj_get(ctx);
    mem->type = CL_MEM_OBJECT_BUFFER;
    mem->flags = flags;
    mem->size = size;
    pthread_mutex_init(&mem->lock, NULL);
    return mem;
}

#define ACCESS_FLAGS      (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_ACCESS_FLAGS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define HOST_PTR_FLAGS    (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

static bool at_most_one(cl_mem_flags bits) {
    return (bits & (bits - 1)) == 0;
}

static cl_int check_flags(cl_mem_flags flags, cl_mem_flags allowed) {
    if (flags & ~allowed) return CL_INVALID_VALUE;
    if (!at_most_one(flags & ACCESS_FLAGS)) return CL_INVALID_VALUE;
    if (!at_most_one(flags & HOST_ACCESS_FLAGS)) return CL_INVALID_VALUE;
    if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

/* Allocates on the first device, so that lack of memory shows here and not later, and fills in the
 * application's data. */
static int mem_fill(cl_mem mem, void *host_ptr) {
    int rc = mem_allocate(mem, 0);

    if (rc || !host_ptr) return rc;
    if (mem->backing->svm_own) memcpy(mem->backing->host, host_ptr, mem->size);
    if (mem->backing->svm) return 0;
    rc = transfer_bytes(mem->ctx->devices[0], mem_va(mem, 0), host_ptr, mem->size, true);
    mem->backing->valid = 1;
    return rc;
}

cl_mem mem_create_bare(cl_context ctx, cl_mem_object_type type, cl_mem_flags flags) {
    cl_mem mem = mem_create(ctx, flags, 0);

    if (mem) mem->type = type;
    return mem;
}

cl_int mem_back(cl_mem mem, uint64_t bytes) {
    mem->backing = backing_create(mem->ctx, bytes, mem->flags & CL_MEM_ALLOC_HOST_PTR, NULL);
    return mem->backing && !mem_allocate(mem, 0) ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

void mem_attach(cl_mem mem, cl_mem other) {
    mem->parent = obj_get(other);
    mem->origin = other->origin;
    mem->backing = other->backing;
    atomic_fetch_add(&mem->backing->refs, 1);
}

cl_mem mem_create_backed(cl_context ctx, cl_mem_object_type type, cl_mem_flags flags, size_t size,
                         cl_int *err) {
    cl_mem mem = mem_create(ctx, flags, size);

    *err = CL_OUT_OF_HOST_MEMORY;
    if (!mem) return NULL;
    mem->type = type;
    *err = mem_back(mem, size);
    if (!*err) return mem;
    obj_put(mem);
    return NULL;
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateBuffer(cl_context context, cl_mem_flags flags,
                                                   size_t size, void *host_ptr,
                                                   cl_int *errcode_ret) {
    return api_clCreateBufferWithProperties(context, NULL, flags, size, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateBufferWithProperties(
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
    void *host_ptr, cl_int *errcode_ret) {
    if (!obj_ok(context, &obj_type_context)) REFUSE_NULL(CL_INVALID_CONTEXT, "not a context");
    if (platform_is_orphan()) REFUSE_NULL(CL_OUT_OF_RESOURCES, "forked child");
    bool address = false;
    size_t property_count = 0;
    for (; properties && properties[property_count]; property_count += 2) {
        if (properties[property_count] != CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT || property_count)
            REFUSE_NULL(CL_INVALID_PROPERTY, "property 0x%llx",
                        (unsigned long long)properties[property_count]);
        address = properties[1] != 0;
    }
    if (check_flags(flags, ACCESS_FLAGS | HOST_ACCESS_FLAGS | HOST_PTR_FLAGS))
        REFUSE_NULL(CL_INVALID_VALUE, "flags 0x%llx", (unsigned long long)flags);
    if (size == 0) REFUSE_NULL(CL_INVALID_BUFFER_SIZE, "size 0");
    for (cl_uint i = 0; i < context->device_count; i++)
        if (size > device_max_alloc(context->devices[i]))
            REFUSE_NULL(CL_INVALID_BUFFER_SIZE, "size %zu is above the maximum of %s", size,
                        context->devices[i]->cand.name);
    bool wants_ptr = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (wants_ptr != (host_ptr != NULL)) REFUSE_NULL(CL_INVALID_HOST_PTR, "host_ptr and flags");

    if (flags & CL_MEM_USE_HOST_PTR && svm_is_shared(context, host_ptr, 0) &&
        !svm_is_shared(context, host_ptr, size))
        REFUSE_NULL(CL_INVALID_BUFFER_SIZE, "size %zu is above the shared memory's", size);

    if (!(flags & ACCESS_FLAGS)) flags |= CL_MEM_READ_WRITE;
    cl_mem mem = mem_create(context, flags, size);
    if (!mem) REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "object");
    if (flags & CL_MEM_USE_HOST_PTR) mem->host_ptr = host_ptr;
    mem->backing = backing_create(context, size, flags, host_ptr);
    mem->has_address = address;
    if (address && mem->backing && context->device_count > 1 && !(flags & CL_MEM_USE_HOST_PTR))
        share_among_devices(mem->backing);
    if (properties) {
        mem->property_count = property_count + 1;
        mem->properties = calloc(mem->property_count, sizeof *properties);
        if (mem->properties)
            memcpy(mem->properties, properties, mem->property_count * sizeof *properties);
    }
    int rc = !mem->backing || (properties && !mem->properties) ? -ENOMEM : mem_fill(mem, host_ptr);
    if (rc) {
        obj_put(mem);
        REFUSE_NULL(rc == -ENOMEM ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                                  : err_to_cl(rc, CL_MEM_OBJECT_ALLOCATION_FAILURE),
                    "%zu bytes: %s", size, strerror(-rc));
    }
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return mem;
}

/* Flags of a sub-buffer: what is not said is inherited; what is said must not widen. */
static cl_int sub_flags(cl_mem_flags parent, cl_mem_flags *flags) {
    cl_mem_flags f = *flags;

    if (check_flags(f, ACCESS_FLAGS | HOST_ACCESS_FLAGS)) return CL_INVALID_VALUE;
    if (parent & CL_MEM_WRITE_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))
        return CL_INVALID_VALUE;
    if (parent & CL_MEM_READ_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))
        return CL_INVALID_VALUE;
    if (parent & CL_MEM_HOST_WRITE_ONLY && f & CL_MEM_HOST_READ_ONLY) return CL_INVALID_VALUE;
    if (parent & CL_MEM_HOST_READ_ONLY && f & CL_MEM_HOST_WRITE_ONLY) return CL_INVALID_VALUE;
    if (parent & CL_MEM_HOST_NO_ACCESS && f & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))
        return CL_INVALID_VALUE;
    if (!(f & ACCESS_FLAGS)) f |= parent & ACCESS_FLAGS;
    if (!(f & HOST_ACCESS_FLAGS)) f |= parent & HOST_ACCESS_FLAGS;
    *flags = f | (parent & HOST_PTR_FLAGS);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL api_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                                      cl_buffer_create_type type, const void *info,
                                                      cl_int *errcode_ret) {
    if (!obj_ok(buffer, &obj_type_mem) || buffer->type != CL_MEM_OBJECT_BUFFER || buffer->parent)
        REFUSE_NULL(CL_INVALID_MEM_OBJECT, "not a buffer, or itself a sub-buffer");
    if (sub_flags(buffer->flags, &flags)) REFUSE_NULL(CL_INVALID_VALUE, "flags");
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !info)
        REFUSE_NULL(CL_INVALID_VALUE, "type or info");
    const cl_buffer_region *region = info;
    if (region->size == 0) REFUSE_NULL(CL_INVALID_BUFFER_SIZE, "size 0");
    if (region->origin > buffer->size || region->size > buffer->size - region->origin)
        REFUSE_NULL(CL_INVALID_VALUE, "the region leaves the buffer");
    if (region->origin % DEVICE_BASE_ALIGN)
        REFUSE_NULL(CL_MISALIGNED_SUB_BUFFER_OFFSET, "origin %zu is not a multiple of %u",
                    region->origin, DEVICE_BASE_ALIGN);
    cl_mem mem = mem_create(buffer->ctx, flags, region->size);
    if (!mem) REFUSE_NULL(CL_OUT_OF_HOST_MEMORY, "object");
    mem->parent = obj_get(buffer);
    mem->has_address = buffer->has_address;
    mem->origin = region->origin;
    mem->backing = buffer->backing;
    atomic_fetch_add(&mem->backing->refs, 1);
    if (buffer->host_ptr) mem->host_ptr = (uint8_t *)buffer->host_ptr + region->origin;
    if (errcode_ret) *errcode_ret = CL_SUCCESS;
    return mem;
}

CL_API_ENTRY cl_int CL_API_CALL api_clRetainMemObject(cl_mem memobj) {
    if (!obj_ok(memobj, &obj_type_mem)) REFUSE(CL_INVALID_MEM_OBJECT, "not a memory object");
    obj_user_retain(memobj);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clReleaseMemObject(cl_mem memobj) {
    if (!obj_ok(memobj, &obj_type_mem)) REFUSE(CL_INVALID_MEM_OBJECT, "not a memory object");
    /* Commands that use it and that nobody waits for shall end, and let go of it. */
    if (obj_user_count(memobj) == 1 && atomic_load(&memobj->obj.refs) > 1)
        for (cl_uint i = 0; i < memobj->ctx->device_count; i++)
            sched_attend(memobj->ctx->devices[i]);
    obj_user_release(memobj);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL api_clSetMemObjectDestructorCallback(
    cl_mem memobj, void(CL_CALLBACK *pfn_notify)(cl_mem, void *), void *user_data) {
    if (!obj_ok(memobj, &obj_type_mem)) REFUSE(CL_INVALID_MEM_OBJECT, "not a memory object");
    if (!pfn_notify) REFUSE(CL_INVALID_VALUE, "pfn_notify is NULL");
    struct mem_callback *cb = malloc(sizeof *cb);
    if (!cb) return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&memobj->lock);
    *cb = (struct mem_callback){memobj->destructors, pfn_notify, user_data};
    memobj->destructors = cb;
    pthread_mutex_unlock(&memobj->lock);
    return CL_SUCCESS;
}
