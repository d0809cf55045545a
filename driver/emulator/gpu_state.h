/* SPDX-License-Identifier: MIT */
/* gpu_state.h - struct gpu and the state of the blocks in front of the engines. Engines (cp, sdma)
 * keep theirs behind a pointer that they allocate in *_init.
 *
 * Locking: registers are single words read and written with relaxed atomics; accesses from the bus
 * are serialised by bus_lock, which engine threads never take. Each block has its own lock, and no
 * block calls into another while it holds it, except down the chain psp/ih -> mmu -> hdp -> dma.
 */
#ifndef RAWCL_EMULATOR_GPU_STATE_H
#define RAWCL_EMULATOR_GPU_STATE_H

#include <stdatomic.h>

#include "driver/emulator/gpu.h"

#define BAR5_BYTES     (1u << 20)
#define BAR2_BYTES     (2u << 20)
#define BAR0_MIN_BYTES (256ull << 20)
#define CFG_BYTES      4096u

/* ---- mmio.c ---- */
/* Which fields of GRBM_GFX_CNTL choose the instance. CP_HQD_* and COMPUTE_* live in the CP. */
enum reg_bank { BANK_NONE, BANK_PIPE, BANK_VMID, BANK_SDMA_QUEUE };
enum { BANK_MES = 4, BANK_PIPES = 4, BANK_VMIDS = 16 };

struct mmio_reg {
    uint32_t dw;      /* absolute dword index, or ~0: this chip has no such register */
    uint32_t slot;    /* first word of mmio.store */
    uint32_t valid;   /* bits that the version defines */
    uint32_t ro;      /* bits that writes do not change */
    uint32_t w1c;     /* bits that writing 1 clears */
    uint32_t allowed; /* undefined bits that are known to be written on silicon */
    uint32_t reset;
    uint8_t bank;       /* enum reg_bank */
    uint8_t early;      /* legal before the GC block is up */
    reg_read_fn read;   /* what a read returns, from the stored value; NULL: the stored value */
    reg_write_fn wrote; /* after the store; NULL: storage only */
};

struct mmio_far {
    uint32_t dw;
    enum hw_reg reg;
};

struct mmio_state {
    struct mmio_reg reg[HW_REG_COUNT];
    uint16_t map[BAR5_BYTES / 4]; /* dword -> enum hw_reg + 1; 0: unknown */
    struct mmio_far far_regs[64]; /* registers beyond BAR5 */
    unsigned far_count;
    _Atomic uint32_t *store;
    uint32_t store_words;
};

/* ---- pci.c ---- */
struct pci_state {
    uint8_t cfg[CFG_BYTES];
    uint8_t wmask[CFG_BYTES]; /* bits that configuration writes change */
    uint64_t bar_size[6];
    uint64_t bar_addr[6];
    uint16_t device_id;
    bool resizable;
};

/* ---- system memory: bus addresses that dma_map gave (pci.c) ---- */
struct dma_range {
    uint64_t bus, size;
    uint8_t *host;
    bool owned;
};
struct dma_state {
    pthread_rwlock_t lock;
    struct dma_range *range; /* sorted by bus */
    unsigned count, cap;
    uint64_t next;
};

/* ---- hdp.c: what the CPU wrote through BAR0, in pages of 4 KiB ---- */
struct hdp_data;
struct hdp_page {
    uint64_t page;         /* VRAM offset >> 12 */
    struct hdp_data *data; /* bytes that wait for the flush; NULL: none */
    uint64_t pending[8];   /* one bit per 8 bytes not flushed yet */
    uint64_t unwalked[2]
                     [8]; /* per hub, one bit per 8 bytes: landed since its TLB was invalidated */
};
struct hdp_state {
    pthread_mutex_t lock;
    struct hdp_page *page; /* open addressing, page == ~0: free */
    unsigned cap, count;
    uint64_t *waiting; /* pages with data, in order of their first write */
    unsigned waiting_count;
    bool overrun; /* pages with pending bits have left the list */
    _Atomic unsigned pending_pages;
    _Atomic bool unwalked[2]; /* per hub: any word changed since its last invalidation */
};

/* ---- mmu.c ---- */
struct mmu_seg {
    struct gpu_xlat x;
    uint64_t gen; /* table_gen at which the tables were last seen to agree */
};
struct mmu_hub {
    pthread_rwlock_t lock;
    struct mmu_seg *seg; /* sorted by va, disjoint */
    unsigned count, cap;
    _Atomic uint64_t epoch; /* counts invalidations */
    _Atomic bool changed;   /* page tables, since the last one */
    _Atomic bool behind;    /* and the other hub was invalidated after that */
    bool sem_held;          /* invalidation engine 17's semaphore */
    uint32_t ack;
    bool fault_latched;
};
struct mmu_state {
    struct mmu_hub hub[2];
    uint8_t *pt_bitmap;         /* one bit per VRAM page: read by a walk */
    _Atomic uint64_t table_gen; /* counts writes to such pages */
    pthread_mutex_t fault_lock;
};

/* ---- psp.c ---- */
struct psp_state {
    bool sos_alive, ring_up, toc_done, tmr_done;
    _Atomic bool rlc_loaded; /* engine threads ask */
    uint32_t bl_seen;        /* one bit per accepted bootloader component */
    uint64_t ready_at;       /* model time in us of the pending answer, 0: none */
    uint64_t no_poll_until;  /* reading C2PMSG_64 earlier is an error */
    int pending;             /* what completes at ready_at */
    uint64_t ring_mc;
    uint32_t ring_bytes, rptr;
    _Atomic uint64_t fw_seen[4]; /* bitmap of GFX_FW_TYPE */
    uint32_t tmr_size;
    uint64_t tmr_mc;
};

/* ---- smu.c ---- */
struct smu_clock {
    uint32_t soft_min, soft_max;
};
struct smu_state {
    bool alive;
    uint64_t ready_at;
    uint32_t result, arg;
    bool debug_answer; /* the debug mailbox answers although the chip is in reset */
    uint64_t dram_addr;
    bool features_on;
    uint32_t power_limit; /* watts */
    uint64_t reset_until; /* mode-1 reset: nothing answers before this model time (us) */
    struct smu_clock clock[16];
    uint32_t metrics_count;
};

/* ---- ih.c ---- */
struct ih_state {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    uint64_t raised, reported; /* interrupts */
    bool up;
};

/* ---- gfx.c ---- */
struct gfx_state {
    _Atomic uint64_t mec_active_at; /* model time in us */
    uint64_t soft_reset_at;
    _Atomic uint32_t pipe_reset_done; /* bit per MEC1 pipe: reset pulsed with a program counter */
    uint64_t clock_latch;
    _Atomic bool sdma_in_reset;
};

struct gpu {
    struct bus bus; /* first: a bus pointer is a gpu pointer */
    const struct hw_chip *chip;
    enum hw_gen gen;
    const struct hw_ip_table *ip[HW_IP_COUNT];
    struct emu_config config;
    char target[16];
    unsigned cus; /* active compute units, even */

    pthread_mutex_t bus_lock;
    uint8_t *vram;
    uint64_t vram_size;
    uint64_t mc_base; /* FB_LOCATION_BASE */

    _Atomic uint64_t guest_errors, unimplemented;
    pthread_mutex_t log_lock;
    char last_message[512];
    uint64_t log_hash;
    unsigned log_repeat, log_lines;

    _Atomic uint64_t skew_us;  /* sum of delay() */
    _Atomic uint64_t steps_us; /* one microsecond for each register access: PCIe is that slow */
    uint64_t start_ns;

    struct mmio_state mmio;
    struct pci_state pci;
    struct dma_state dma;
    struct hdp_state hdp;
    struct mmu_state mmu;
    struct psp_state psp;
    struct smu_state smu;
    struct ih_state ih;
    struct gfx_state gfx;
    void *slot[GPU_SLOT_COUNT];
};

/* ---- gpu.c ---- */
uint64_t gpu_model_us(struct gpu *g); /* clock of the handshakes: real time, delay(), accesses */
void gpu_reset_blocks(struct gpu *g); /* mode-1 reset: all but VRAM contents and configuration */

/* ---- mmio.c ---- */
int mmio_init(struct gpu *g);
void mmio_fini(struct gpu *g);
void mmio_reset(struct gpu *g);
uint32_t mmio_get_pipe(struct gpu *g, enum hw_reg r, unsigned me, unsigned pipe);
/* R_MP0_SMN_C2PMSG_n or R_MPASP_SMN_C2PMSG_n, whichever this chip has. */
enum hw_reg mmio_mp0(struct gpu *g, unsigned n);

/* ---- pci.c ---- */
int pci_init(struct gpu *g);
void pci_reset(struct gpu *g);
int pci_cfg_read(struct gpu *g, uint32_t off, uint32_t len, uint32_t *val);
int pci_cfg_write(struct gpu *g, uint32_t off, uint32_t len, uint32_t val);
bool pci_bus_master(struct gpu *g);
int pci_bar_resize(struct gpu *g, int bar);
int dma_init(struct gpu *g);
void dma_fini(struct gpu *g);
int dma_map(struct gpu *g, void *va, void *hint, size_t size, struct bus_dma *out);
void dma_unmap(struct gpu *g, struct bus_dma *m);
/* Host address behind a bus address and how many bytes are contiguous behind it; NULL if unmapped.
 * No message: the caller names what it was doing. */
uint8_t *dma_ptr(struct gpu *g, uint64_t bus, uint64_t *len);

/* ---- the rest: init registers hooks, reset forgets state ---- */
void nbio_init(struct gpu *g);
/* True if dw is where BIF_BX0_REMAP_HDP_MEM_FLUSH_CNTL put the HDP flush: it was done. */
bool nbio_remapped_flush(struct gpu *g, uint32_t dw);
void nbio_doorbell(struct gpu *g, uint32_t off, uint64_t v);
int hdp_init(struct gpu *g);
void hdp_fini(struct gpu *g);
void hdp_reset(struct gpu *g);
void hdp_flush(struct gpu *g);
/* BAR0: the bytes wait for the flush. */
void hdp_cpu_write(struct gpu *g, uint64_t off, const void *buf, size_t len);
/* BAR0: buf holds VRAM's bytes; replaces those that wait. */
void hdp_cpu_read(struct gpu *g, uint64_t off, void *buf, size_t len);
/* What waits in [off, off + len) lands: a reader for whom no flush is asked. */
void hdp_accept(struct gpu *g, uint64_t off, uint64_t len);
/* The chip is about to write there: what waits is older. */
void hdp_chip_writes(struct gpu *g, uint64_t off, uint64_t len);
void hdp_tlb_invalidated(struct gpu *g, enum gpu_hub hub);
/* Guest error if VRAM [off, off+len) holds bytes that the CPU wrote and nobody flushed. */
void hdp_check_read(struct gpu *g, enum gpu_agent who, uint64_t off, uint64_t len);
/* True if the 8 bytes at off were changed through BAR0 since the hub's last invalidation. */
bool hdp_unwalked(struct gpu *g, enum gpu_hub hub, uint64_t off);
int mmu_init(struct gpu *g);
void mmu_fini(struct gpu *g);
void mmu_reset(struct gpu *g);
/* Forgets the hub's translations (an INVALIDATE_ENGn_REQ). */
void mmu_invalidate(struct gpu *g, enum gpu_hub hub);
void mmu_table_written(struct gpu *g, uint64_t off, uint64_t len);
void mmu_drop_host(struct gpu *g, const uint8_t *host, uint64_t len);
void gmc_init(struct gpu *g);
void psp_init(struct gpu *g);
void psp_reset(struct gpu *g);
void psp_tick(struct gpu *g);
/* Guest error if VRAM [off, off+len) touches the region that SETUP_TMR gave to the PSP. */
void psp_check_tmr(struct gpu *g, enum gpu_agent who, uint64_t off, uint64_t len);
void smu_init(struct gpu *g);
void smu_reset(struct gpu *g);
void smu_firmware_loaded(struct gpu *g);
void smu_mode1_reset(struct gpu *g);
int ih_init(struct gpu *g);
void ih_init_regs(struct gpu *g);
void ih_fini(struct gpu *g);
void ih_reset(struct gpu *g);
int ih_wait(struct gpu *g, int64_t timeout_us);
void gfx_init(struct gpu *g);
void gfx_reset(struct gpu *g);
void discovery_write(struct gpu *g);

#endif
