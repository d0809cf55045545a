/* bus.h - the one door to a GPU: PCI configuration space, BARs, DMA memory, interrupts, reset.
 *
 * The driver knows nothing below this interface; silicon (pci, vfio), a socket (remote) and the
 * emulated GPU all implement it. Every operation returns 0 or a negative errno. No slot of a
 * bus_ops table is NULL. Unless said otherwise an operation may be called from any thread and does
 * its own locking; ordering between threads is the caller's.
 */
#ifndef RAWCL_DRIVER_BUS_H
#define RAWCL_DRIVER_BUS_H

#include <stddef.h>
#include <stdint.h>

#define BUS_PAGE_SIZE 4096u /* granularity of DMA bus addresses */

enum { BUS_BAR_VRAM = 0, BUS_BAR_DOORBELL = 2, BUS_BAR_MMIO = 5 };

struct bus;

/* One BAR as seen by this process. */
struct bus_bar {
    volatile void *ptr; /* CPU mapping, or NULL: only bar_read/bar_write reach it */
    uint64_t size;      /* bytes */
    uint64_t bus_addr;  /* address on the PCI bus */
};

/* Memory that the device can reach. */
struct bus_dma {
    void *va;        /* CPU address, page aligned */
    size_t size;     /* bytes, a multiple of BUS_PAGE_SIZE */
    size_t npages;   /* size / BUS_PAGE_SIZE */
    uint64_t *pages; /* npages bus addresses, one per page; owned by the bus */
    uint64_t handle; /* private to the bus */
    int owned;       /* 1: the bus allocated va and frees it */
};

struct bus_ops {
    const char *name;
    /* Releases everything, DMA memory included. The device keeps its state where it outlives us. */
    void (*close)(struct bus *b);
    /* PCI configuration space, 1, 2 or 4 bytes, naturally aligned. */
    int (*cfg_read)(struct bus *b, uint32_t off, uint32_t len, uint32_t *val);
    int (*cfg_write)(struct bus *b, uint32_t off, uint32_t len, uint32_t val);
    /* Describes (and where possible maps) a BAR. -ENOENT if the device has none of that number. */
    int (*bar_map)(struct bus *b, int bar, struct bus_bar *out);
    /* One transaction for 4 or 8 aligned bytes; any other length is a byte copy in order. */
    int (*bar_read)(struct bus *b, int bar, uint64_t off, void *buf, size_t len);
    int (*bar_write)(struct bus *b, int bar, uint64_t off, const void *buf, size_t len);
    /* Grows the BAR to the largest size the platform allows. -ENOTSUP where it cannot. */
    int (*bar_resize)(struct bus *b, int bar);
    /* Makes memory reachable by the device. va NULL: the bus allocates size bytes of zeroed memory,
     * at the address `hint` if that is not NULL and free (no error if it lands elsewhere); else the
     * caller's pages at va (page aligned), which must stay mapped until dma_unmap. */
    int (*dma_map)(struct bus *b, void *va, void *hint, size_t size, struct bus_dma *out);
    void (*dma_unmap)(struct bus *b, struct bus_dma *m);
    /* Waits for an interrupt that was not reported before. 1: one came; 0: time is up;
     * -ENOTSUP: no interrupts here, the caller polls. Only one thread waits at a time. */
    int (*irq_wait)(struct bus *b, int64_t timeout_us);
    /* Function-level reset by the PCI side. */
    int (*reset)(struct bus *b);
    /* Every fixed wait of the driver: silicon sleeps, the emulated GPU advances its clock. */
    void (*delay)(struct bus *b, uint64_t us);
};

/* First member of every bus. */
struct bus {
    const struct bus_ops *ops;
};

static inline int bus_rd32(struct bus *b, int bar, uint64_t off, uint32_t *val) {
    return b->ops->bar_read(b, bar, off, val, 4);
}

static inline int bus_wr32(struct bus *b, int bar, uint64_t off, uint32_t val) {
    return b->ops->bar_write(b, bar, off, &val, 4);
}

static inline int bus_wr64(struct bus *b, int bar, uint64_t off, uint64_t val) {
    return b->ops->bar_write(b, bar, off, &val, 8);
}

#endif
