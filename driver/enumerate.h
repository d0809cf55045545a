/* SPDX-License-Identifier: MIT */
/* enumerate.h - one entry of RAWCL_DEVICE, taken apart. Private to driver/. */
#ifndef RAWCL_DRIVER_ENUMERATE_H
#define RAWCL_DRIVER_ENUMERATE_H

#include <stdio.h>

#include "driver/am.h"
#include "driver/bus.h"

enum device_kind { DEVICE_EMU, DEVICE_PCI, DEVICE_VFIO, DEVICE_REMOTE };

struct device_spec {
    enum device_kind kind;
    char id[96], target[16], error[256];
    uint64_t vram_bytes; /* emu: 0 = the model's default, as for threads */
    unsigned cus, threads;
    char address[96]; /* remote: HOST:PORT or a path; pci, vfio: the BDF, "" for any */
    unsigned index;   /* remote: which of the server's devices */
    bool force;       /* pci: even the display that the machine boots with */
    bool looking;     /* enumeration: the bus changes nothing, takes no lock and maps no memory */
    bool emulated;    /* device_open_bus: the GPU is a model, however it is reached */
};

/* 0, or -EINVAL (malformed) or -ENOTSUP (a bus that is not built) with s->error. */
int device_spec_parse(const char *id, struct device_spec *s);
/* Opens the bus that the entry names. opt may be NULL. */
int device_open_bus(struct device_spec *s, const struct am_options *opt, struct bus **out,
                    char *err, size_t err_size);
/* Reads sizes from the device's own tables into the candidate; its error on failure. */
void device_probe(struct device_spec *s, struct am_candidate *c);

/* bus_emulated.c */
int bus_emulated_open(const struct device_spec *s, const struct am_options *opt, struct bus **out,
                      char *err, size_t err_size);

/* bus_remote.c */
int bus_remote_open(struct device_spec *s, struct bus **out, char *err, size_t err_size);

/* bus_pci.c, bus_vfio.c. -EAGAIN: the card cannot be looked at without waking it. */
int bus_pci_open(struct device_spec *s, struct bus **out, char *err, size_t err_size);
int bus_vfio_open(struct device_spec *s, struct bus **out, char *err, size_t err_size);

/* bus_mapped.c: accesses to a mapped BAR; always 0. */
int bus_bar_copy_in(void *dst, const volatile uint8_t *at, size_t len);
int bus_bar_copy_out(volatile uint8_t *at, const void *src, size_t len);

/* bus_trace.c: wraps a bus. Every access goes to the sink, with its register once the device's IP
 * table is known (bus_trace_names). Closes the inner bus on close. */
struct hw_ip_table;
struct bus_trace_event {
    char op; /* 'R', 'W': a BAR; 'C': another operation of the bus, named by what */
    int bar;
    uint64_t off; /* in the BAR; 'C': the operation's argument */
    size_t len;
    uint64_t value; /* first 8 bytes */
    const void *data;
    const char *what;
    int reg;                         /* enum hw_reg, -1 unknown */
    bool indirect;                   /* through RSMU */
    bool hdp_flush;                  /* the place that REMAP_HDP_MEM_FLUSH_CNTL names */
    const struct hw_ip_table *table; /* of reg */
    const struct bus_dma *dma; /* 'C' "dma map" (after it, NULL: failed), "dma unmap" (before) */
};
typedef void bus_trace_sink(void *ctx, const struct bus_trace_event *e);
struct am_device;
int bus_trace_open(struct bus *inner, bus_trace_sink *sink, void *ctx, struct bus **out);
void bus_trace_names(struct bus *b, const struct am_device *d);
void bus_trace_format(const struct bus_trace_event *e, char *line, size_t size);
/* trace_file.c: a sink that writes everything to a file, system memory as the device finds it
 * included; AM_TRACE names the file. NULL with errno on failure. */
struct trace_file;
struct trace_file *trace_file_create(const char *path, const char *device);
bus_trace_sink trace_file_sink;
void trace_file_close(struct trace_file *f);
/* Performs a recorded session on another bus and reports to out. 0: to its end; -errno. */
struct trace_report {
    unsigned long events, reads, later, differ, memory; /* later: equal after some waiting */
};
int trace_replay(FILE *in, struct bus *bus, FILE *out, struct trace_report *report);
/* packet_decode.c: one line a packet. pm4 or SDMA; dwords that are no packet are shown as such. */
void packet_decode(FILE *out, bool sdma, bool gfx12, const uint32_t *dw, size_t n);
/* The bus below, or b itself when it is no trace. */
struct bus *bus_trace_inner(struct bus *b);

#endif
