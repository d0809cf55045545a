/* SPDX-License-Identifier: MIT */
/* fake_pci.h - a sysfs tree with one card, in a directory of its own. */
#ifndef RAWCL_TESTS_FAKE_PCI_H
#define RAWCL_TESTS_FAKE_PCI_H

#include <stdint.h>

#define FAKE_BDF "0000:03:00.0"

struct fake_pci {
    char dir[64];
};

/* A Navi48 without a driver or an IOMMU, all BARs assigned; becomes the root of pci_path. */
void fake_pci_make(struct fake_pci *f);
void fake_pci_remove(struct fake_pci *f);
/* Writes a file below the tree, making its folders; "" empties it. */
void fake_pci_write(struct fake_pci *f, const char *path, const char *text);
/* An attribute of the card. */
void fake_pci_set(struct fake_pci *f, const char *name, const char *text);
void fake_pci_link(struct fake_pci *f, const char *name, const char *target);
void fake_pci_drop(struct fake_pci *f, const char *name);
/* 0: BAR not assigned */
void fake_pci_bars(struct fake_pci *f, uint64_t bar0, uint64_t bar2, uint64_t bar5);
/* What stands in a file of the tree now. */
const char *fake_pci_read(struct fake_pci *f, const char *path);

#endif
