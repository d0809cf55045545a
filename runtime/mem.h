/* SPDX-License-Identifier: MIT */
/* mem.h - memory objects. A buffer and its sub-buffers share one backing: an allocation on each
 * device of the context that used it, and a host area that maps point into.
 */
#ifndef RAWCL_RUNTIME_MEM_H
#define RAWCL_RUNTIME_MEM_H

#include <pthread.h>

#include "driver/am.h"
#include "runtime/object.h"

struct svm_region;

struct backing {
    atomic_uint refs;
    cl_context ctx;
    uint64_t size;
    pthread_mutex_t lock;
    enum am_mem_kind kind;
    uint32_t valid;         /* several devices: bit i: dev[i] holds the contents */
    uint8_t *host;          /* where maps point; NULL until the first map */
    struct am_mem *shadow;  /* the host area as the device sees it; NULL: not visible to it */
    struct svm_region *svm; /* USE_HOST_PTR on shared memory, referenced: dev[] is its memory */
    uint64_t svm_offset;
    bool svm_own;         /* the region is the backing's, not the application's */
    bool host_owned;      /* host is from aligned_alloc */
    struct am_mem *dev[]; /* one for each device of the context */
};

struct mem_map {
    struct mem_map *next;
    uint8_t *ptr;
    uint64_t offset, size;       /* buffers: in the backing */
    size_t origin[3], region[3]; /* images */
    cl_map_flags flags;
};

struct mem_callback {
    struct mem_callback *next;
    void(CL_CALLBACK *fn)(cl_mem, void *);
    void *user_data;
};

struct _cl_mem {
    struct obj obj;
    atomic_uint shell; /* what keeps the struct: the object while it lives, kernel arguments */
    cl_context ctx;
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size;
    void *host_ptr; /* as the application gave it for USE_HOST_PTR */
    cl_mem parent;  /* sub-buffer: referenced */
    size_t origin;  /* offset in the backing */
    struct backing *backing;
    cl_mem_properties *properties; /* as given, 0-terminated; NULL if none */
    size_t property_count;
    pthread_mutex_t lock; /* maps, destructors */
    struct mem_map *maps;
    cl_uint map_count;
    struct image *image; /* NULL: not an image */
    bool has_address;    /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */
    cl_uint pipe_packet_size, pipe_max_packets;
    struct mem_callback *destructors; /* newest first */
};

/* An object of that type with memory on the first device. NULL with the reason in *err. */
cl_mem mem_create_backed(cl_context ctx, cl_mem_object_type type, cl_mem_flags flags, size_t size,
                         cl_int *err);
/* An object without memory; mem_back gives it some of its own on the first device, mem_attach that
 * of another object, which it references. */
cl_mem mem_create_bare(cl_context ctx, cl_mem_object_type type, cl_mem_flags flags);
cl_int mem_back(cl_mem mem, uint64_t bytes);
void mem_attach(cl_mem mem, cl_mem other);
/* Makes sure that mem has memory on the device (index in the context). 0 or -errno. */
int mem_allocate(cl_mem mem, int device_index);
/* Where mem starts on that device. mem_allocate has succeeded. */
uint64_t mem_va(cl_mem mem, int device_index);
/* Several devices: brings the contents to that device, blocking, before a command that may write
 * them. Otherwise does nothing. 0 or -errno. */
int mem_make_resident(cl_mem mem, int device_index);
/* Makes sure that the backing has a host area. 0 or -ENOMEM. */
int mem_need_host(cl_mem mem);

/* A kernel argument does not keep a memory object alive (its destructor callbacks run when the
 * application lets go of it), but it must be able to tell: it holds the shell. */
void mem_hold_shell(cl_mem mem);
void mem_drop_shell(cl_mem mem);
/* Takes a reference to a memory object held by its shell; false: it is gone. */
bool mem_try_get(cl_mem mem);

#endif
