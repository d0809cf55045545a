/* am.h - AM, the userspace driver, as the runtime sees it. The only driver header that runtime/
 * includes.
 *
 * Functions return 0 or a negative errno. -ENODEV: the device is lost for good; -EIO: the command
 * faulted (am_fence_error tells how); -ETIMEDOUT: time is up; -ENOSPC: out of device memory.
 * All functions are thread-safe unless said otherwise. None calls back into the runtime except the
 * log callback; jit_compile is called on a thread of the emulated GPU.
 */
#ifndef RAWCL_DRIVER_AM_H
#define RAWCL_DRIVER_AM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct am_device;

enum am_log_level { AM_LOG_ERROR, AM_LOG_WARN, AM_LOG_INFO, AM_LOG_DEBUG };
typedef void am_log_fn(void *ctx, enum am_log_level level, const char *topic, const char *line);

/* ---- enumeration: takes no lock on a device and changes no device state ---- */

/* One candidate of RAWCL_DEVICE (or the configuration file, or the default). */
struct am_candidate {
    char id[96];     /* "emu:gfx1100", "pci:0000:03:00.0": unique, stable */
    char error[256]; /* why it cannot be offered; "" when it can */
    char target[16]; /* "gfx1100" */
    char name[96];   /* "AMD Radeon RX 7900 XTX (emulated)" */
    bool emulated;
    uint32_t pci_vendor, pci_device, pci_revision;
    uint32_t pci_domain, pci_bus, pci_dev, pci_func;
    uint64_t vram_bytes;
    uint32_t compute_units; /* active CUs (not WGPs) */
    uint32_t max_clock_mhz;
    uint32_t l2_bytes;
};

/* Fills *out with a malloc'ed array of *count candidates in order; spec NULL: environment,
 * configuration file, default. The caller frees it with free(). A candidate with an error is
 * listed, so that the reason can be shown. */
int am_enumerate(const char *spec, struct am_candidate **out, size_t *count);

/* ---- open = the boot ---- */

/* Compiles code of the emulated GPU for the host. request: bytes that only the model and the lifter
 * understand (driver/emulator/isa/jit_request.h); equal bytes may be answered from a cache. Called
 * on a thread of the model's with signals blocked, one call at a time for a device; may take as
 * long as it wants. It may still be running when am_close has returned, so ctx must stay valid.
 * Returns 0 (compiled) or 1 (from a cache) with *reply malloc'ed, to be freed with free(); -ENOENT:
 * only_cached was asked and there is nothing; -ENODEV: it cannot compile at all, do not ask again;
 * another -errno: not this one. why: receives a sentence after -ENODEV and other errors. */
typedef int am_jit_fn(void *ctx, const void *request, size_t size, bool only_cached, void **reply,
                      size_t *reply_size, char *why, size_t why_size);

struct am_options {
    am_log_fn *log; /* may be NULL */
    void *log_ctx;
    am_jit_fn *jit_compile; /* NULL: the emulated GPU interprets only; others need none */
    void *jit_ctx;
};

/* Boots the device. Takes its lock. On failure err holds a sentence naming the step. */
int am_open(const char *id, const struct am_options *opt, struct am_device **out, char *err,
            size_t err_size);
/* Waits for the rings to drain (bounded), leaves the device in a clean state and releases it. */
void am_close(struct am_device *dev);
/* In a forked child: forgets the device without touching it. Every later call gives -ENODEV. */
void am_abandon(struct am_device *dev);

/* ---- memory ---- */

enum am_mem_kind {
    AM_MEM_VRAM,   /* device memory; cpu is NULL; moved by am_copy only */
    AM_MEM_SYSTEM, /* snooped system memory, CPU visible; cpu == (void *)va where possible */
};

struct am_mem {
    uint64_t va;   /* GPU virtual address, 4 KiB aligned at least */
    uint64_t size; /* bytes as allocated (rounded up to pages) */
    void *cpu;     /* AM_MEM_SYSTEM: CPU address; AM_MEM_VRAM: NULL */
    enum am_mem_kind kind;
    void *priv; /* the driver's */
};

/* align: power of two, 0 = 4096. Contents are zero for AM_MEM_SYSTEM, undefined for AM_MEM_VRAM. */
int am_alloc(struct am_device *dev, uint64_t size, uint64_t align, enum am_mem_kind kind,
             const char *label, struct am_mem **out);
/* Unmaps and frees. The caller has waited for every command that uses it. */
void am_free(struct am_device *dev, struct am_mem *mem);
/* Makes AM_MEM_SYSTEM memory of another device reachable by dev at the same address. mem stays its
 * owner's and must outlive *out, which am_free(dev, ...) takes back. */
int am_share(struct am_device *dev, const struct am_mem *mem, struct am_mem **out);
/* Can this process have memory that CPU and GPU see at one address? May be asked before any device
 * is open. */
bool am_addresses_shared(void);
uint64_t am_vram_free_bytes(struct am_device *dev);

/* ---- commands ---- */

enum am_ring { AM_RING_COMPUTE, AM_RING_SDMA, AM_RING_COUNT };

/* A point on a ring's timeline: reached when the ring's signal value is >= value. value 0: none. */
struct am_fence {
    enum am_ring ring;
    uint64_t value;
};

struct am_dispatch {
    const uint8_t *kernel_descriptor; /* 64 bytes, llvm_amdhsa kernel descriptor, host copy */
    uint64_t kernel_descriptor_va;    /* where it lies on the device; entry = this + its offset */
    const char *kernel_name;          /* for messages; copied */
    uint32_t dims;                    /* 1..3 */
    uint32_t grid[3];                 /* work-items in each dimension (1 beyond dims) */
    uint16_t group[3];                /* work-items per work-group; the last group may be partial */
    uint32_t group_segment_bytes;     /* LDS, static + dynamic */
    uint32_t private_segment_bytes;   /* scratch per work-item */
    const void *kernargs;             /* explicit + implicit arguments, copied by the driver */
    uint32_t kernargs_bytes;
};

/* Every am_submit_* queues a command after all of waits[] and returns its fence. The waits are
 * fences that earlier am_submit_* calls returned. A command whose predecessor faulted still runs:
 * the runtime decides what to skip. Memory written by a command is visible to every command that
 * waits for its fence and, after am_wait, to the CPU. *out is written on success only, last of all:
 * it may be one of waits[]. */
int am_submit_dispatch(struct am_device *dev, const struct am_fence *waits, size_t nwaits,
                       const struct am_dispatch *d, struct am_fence *out);
/* Linear copy between any two GPU virtual addresses, any alignment, any size; runs on SDMA. */
int am_submit_copy(struct am_device *dev, const struct am_fence *waits, size_t nwaits, uint64_t dst,
                   uint64_t src, uint64_t size, struct am_fence *out);
/* pitches in bytes; region in bytes x rows x slices (OpenCL rect copies). */
struct am_rect {
    uint64_t base, row_pitch, slice_pitch;
};
int am_submit_copy_rect(struct am_device *dev, const struct am_fence *waits, size_t nwaits,
                        const struct am_rect *dst, const struct am_rect *src,
                        const uint64_t region[3], struct am_fence *out);
/* Fills size bytes at dst with a pattern of pattern_bytes (1, 2, 4 ... 128). */
int am_submit_fill(struct am_device *dev, const struct am_fence *waits, size_t nwaits, uint64_t dst,
                   const void *pattern, size_t pattern_bytes, uint64_t size, struct am_fence *out);

/* ---- images: what kernels read through ---- */

enum am_image_type {
    AM_IMAGE_1D,
    AM_IMAGE_1D_ARRAY,
    AM_IMAGE_2D,
    AM_IMAGE_2D_ARRAY,
    AM_IMAGE_3D,
    AM_IMAGE_BUFFER, /* texels in a buffer, without sampling */
};
enum am_texel { /* channels and their bits, from the lowest */
                AM_TEXEL_8,
                AM_TEXEL_8_8,
                AM_TEXEL_8_8_8_8,
                AM_TEXEL_16,
                AM_TEXEL_16_16,
                AM_TEXEL_16_16_16_16,
                AM_TEXEL_32,
                AM_TEXEL_32_32,
                AM_TEXEL_32_32_32_32,
                AM_TEXEL_5_6_5,
                AM_TEXEL_5_5_5_1,
                AM_TEXEL_10_10_10_2,
                AM_TEXEL_COUNT,
};
enum am_number { AM_UNORM, AM_SNORM, AM_UINT, AM_SINT, AM_FLOAT, AM_SRGB, AM_NUMBER_COUNT };
enum am_select { AM_SELECT_0, AM_SELECT_1, AM_SELECT_X, AM_SELECT_Y, AM_SELECT_Z, AM_SELECT_W };

struct am_image {
    enum am_image_type type;
    enum am_texel texel;
    enum am_number number;
    enum am_select select[4]; /* where red, green, blue and alpha come from */
    uint64_t va;              /* aligned to am_image_limits.base_align (buffers: to a texel) */
    uint32_t width, height;   /* in texels; 1 where there is no such dimension */
    uint32_t slices;          /* depth or layers */
    uint32_t row_pitch;       /* bytes; arrays and 3D: the least that pitch_align allows */
};

struct am_sampler {
    bool normalized, linear;
    enum am_address {
        AM_ADDRESS_CLAMP_TO_EDGE,
        AM_ADDRESS_CLAMP_TO_BORDER, /* transparent black */
        AM_ADDRESS_REPEAT,
        AM_ADDRESS_MIRRORED_REPEAT,
    } address;
};

struct am_image_limits {
    uint32_t base_align, pitch_align; /* bytes, of linear images */
    uint32_t width, height, depth, layers;
    uint64_t buffer_texels;
};

#define AM_IMAGE_DESCRIPTOR_DW   8
#define AM_SAMPLER_DESCRIPTOR_DW 4

/* target as in am_candidate. -ENOTSUP: unknown. Layout and reasons: runtime/README.md, "Images in
 * memory". */
int am_image_limits(const char *target, struct am_image_limits *out);
/* The T# (AM_IMAGE_BUFFER: the V#, the rest 0) and the S#. -EINVAL: no such texel and number, wrong
 * pitch, base or size; -ENOTSUP: unknown target. */
int am_image_descriptor(const char *target, const struct am_image *image,
                        uint32_t out[AM_IMAGE_DESCRIPTOR_DW]);
int am_sampler_descriptor(const char *target, const struct am_sampler *sampler,
                          uint32_t out[AM_SAMPLER_DESCRIPTOR_DW]);

/* ---- completion ---- */

/* Non-blocking: 1 reached (well or badly), 0 not yet, negative: device lost. */
int am_poll(struct am_device *dev, struct am_fence f);
/* timeout_ns < 0: for ever. 0 when reached; -EIO when it was reached by a fault. */
int am_wait(struct am_device *dev, struct am_fence f, int64_t timeout_ns);
/* How a reached fence ended: 0 well, -EIO faulted; text (may be NULL) receives the message naming
 * kernel, address and nearest allocation. */
int am_fence_error(struct am_device *dev, struct am_fence f, char *text, size_t size);
/* Start and end of the command on the GPU clock, in CLOCK_MONOTONIC nanoseconds. Kept for the last
 * few thousand commands of a ring; -ENOENT beyond. */
int am_fence_times(struct am_device *dev, struct am_fence f, uint64_t *start_ns, uint64_t *end_ns);
/* The GPU clock now, in CLOCK_MONOTONIC nanoseconds, for clGetDeviceAndHostTimer. */
int am_gpu_clock(struct am_device *dev, uint64_t *ns);

#endif
