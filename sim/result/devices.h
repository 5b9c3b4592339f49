/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices.h - devices by kind and model: what jobs held of them, and where the energy went.
 *
 * What nodes draw themselves goes by the name "cpu". Internal to sim/result. */
#ifndef HSIM_RESULT_DEVICES_H
#define HSIM_RESULT_DEVICES_H

#include "result/groups.h"
#include "result/series.h"

#define DEVICES_CPU         "cpu"
#define DEVICES_UW_NS_PER_J 1e15

struct device_sums {
    hs_int128 held;   /* by jobs that ended, thousandths x ns */
    hs_int128 energy; /* microwatt x ns, see devices_energy; likewise below */
};

struct devices {
    const struct hs_cluster *cluster;
    struct result_groups groups;
    struct device_sums *sums;             /* by group */
    struct result_series_more more;       /* kinds and groups, in their order */
    int64_t capacities[RESULT_SLOTS_MAX]; /* shares installed, by slot */
    hs_int128 node_energy;
};

/* HS_ERR_INPUT: more kinds or models than a result can hold. devices_fini in either case. */
enum hs_err devices_init(struct devices *devices, const struct result_meta *meta,
                         struct hs_error *error) HS_MUST_USE;
void devices_fini(struct devices *devices);
/* A job has held `alloc` for so long. */
void devices_held(struct devices *devices, const struct hs_alloc *alloc, hs_time duration_ns);
/* Sums up the energy of the nodes and of the groups. */
void devices_energy(struct devices *devices, const struct result_energy *energy);

/* Appends the metrics of devices and energy (NULL: none) to the summary, which has the others. */
enum hs_err devices_metrics(const struct devices *devices, const struct series *series,
                            const struct result_energy *energy, struct result_summary *summary,
                            struct hs_error *error) HS_MUST_USE;

/* /platform/devices, and the powers of nodes and devices, as far as known. */
bool devices_write_platform(hid_t platform, const struct result_meta *meta);
/* /energy, and the energy of each node and device. */
bool devices_write_energy(hid_t file, const struct devices *devices,
                          const struct result_energy *energy);

#endif
