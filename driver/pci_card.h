/* SPDX-License-Identifier: MIT */
/* pci_card.h - what Linux says of a PCI device in sysfs, who may use it and who does. Shared by the
 * pci and vfio buses, the enumeration and the commands. Reads only, unless said otherwise. */
#ifndef RAWCL_DRIVER_PCI_CARD_H
#define RAWCL_DRIVER_PCI_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pci_card {
    char bdf[16]; /* "0000:03:00.0" */
    uint16_t vendor, device;
    uint8_t revision;
    uint32_t class_code;                               /* 24 bits */
    char driver[32];                                   /* kernel driver bound to it, "" if none */
    char iommu_type[16];                               /* of its group: "DMA", "identity" ... */
    int iommu_group;                                   /* -1: none */
    bool boot_vga, virtual_function, enabled, noiommu; /* noiommu: vfio's group without an IOMMU */
    struct {
        uint64_t start, size; /* 0: not there, or not assigned */
    } bar[6];
};

/* Where "/sys", "/proc" and "/dev" are looked for; "" (the default): as they are. For tests, before
 * anything else is called. */
void pci_set_root(const char *dir);
bool pci_root_is_real(void);
/* root + the formatted path */
int pci_path(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* First line of a file under the root, without its newline. 0 or -errno. */
int pci_read_text(const char *path, char *buf, size_t size);

/* "3:0.0", "03:00.0", "0000:03:00.0" -> the last form. -EINVAL. */
int pci_bdf_parse(const char *text, char bdf[16]);
/* -ENOENT: no such device. err receives a sentence for every failure. */
int pci_card_read(const char *bdf, struct pci_card *c, char *err, size_t err_size);
/* All display controllers of AMD's, by address; *out malloc'ed. */
int pci_cards(struct pci_card **out, size_t *count);

/* NULL, or why RawCL does not use the card at all (other vendors, virtual functions). */
const char *pci_card_foreign(const struct pci_card *c, char *buf, size_t size);
/* Why its BARs cannot serve: not assigned, too small. 0 or -ENOSPC. */
int pci_card_check_bars(const struct pci_card *c, char *err, size_t err_size);
/* Does the kernel refuse raw access (Secure Boot)? */
bool pci_locked_down(void);

/* One process at a time: an flock on the card's configuration file in sysfs, which every process
 * sees and the kernel drops when its holder dies. 0 with *fd, or -EBUSY with who has it. */
int pci_card_lock(const struct pci_card *c, int *fd, char *err, size_t err_size);
/* Who holds it, 0: nobody or not known. */
pid_t pci_card_holder(const struct pci_card *c);

/* ---- memory at fixed physical addresses (host_pages.c) ---- */

struct bus_dma;
/* Why this host's memory cannot be given to a device without an IOMMU: pages that move, addresses
 * that are hidden. 0 or -errno with a sentence. */
int host_pages_check(char *err, size_t err_size);
/* Pages that stay where they are, zeroed, at the hint if that is free; bus addresses are physical
 * ones. va given: pages of the caller's are refused, since they could be moved. */
int host_pages_map(void *va, void *hint, size_t size, struct bus_dma *out, char *err,
                   size_t err_size);
void host_pages_unmap(struct bus_dma *m);

#endif
