/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices.h - the accelerators, as their drivers' libraries and the PCI bus tell them. */
#ifndef HSIM_PROBE_DEVICES_H
#define HSIM_PROBE_DEVICES_H

#include "probe/probe.h"

/* What a child that asks a library fills. Of a device all but id, model and what PCI tells. */
struct devices_answer {
    struct probe_devices devices;
    struct probe_notes notes;
    bool is_complete; /* set last: the child came to its end */
};

/* Asks a library that dlopen finds under `library`. Without a library nothing is found; a note
 * says so only if `is_wanted`: it was asked for by name. */
typedef void devices_ask(const char *library, bool is_wanted, struct devices_answer *answer);
void nvml_ask(const char *library, bool is_wanted, struct devices_answer *answer);
void opencl_ask(const char *library, bool is_wanted, struct devices_answer *answer);

/* Fills machine->devices, with notes on what failed. Asks in child processes. */
void devices_read(const struct probe_options *options, struct probe_machine *machine);

/* Joins the devices of NVML and OpenCL: what both know is taken from NVML. */
void devices_merge(struct probe_devices *all, const struct probe_devices *more);

/* What /sys/bus/pci says of `device`: speed of its link, and its NUMA node as group if it has no
 * group yet and the machine has several. */
void devices_read_pci(const char *root, uint32_t numa_count, struct probe_device *device);

/* Notes for accelerators on the PCI bus that no library told. */
void devices_note_silent(const char *root, const struct probe_devices *devices,
                         struct probe_notes *notes);

#endif
