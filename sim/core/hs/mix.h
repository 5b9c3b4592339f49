/* SPDX-License-Identifier: MIT */
/* mix.h - the demands that a workload is made of, and what of a node is of no use to them.
 *
 * The fragmentation of a node for a mix is the part of its free devices, in thousandths of a
 * device, that a task drawn from the mix cannot use. For one demand it is all that is free if the
 * demand asks for no device, may not use the devices, or finds too few of them or too few cores;
 * else what is free on the devices that are too full for it. Memory is left out. Of a whole mix it
 * is the mean by weight. Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing
 * Workloads with Fragmentation Gradient Descent", USENIX ATC 2023, section 4. */
#ifndef HS_MIX_H
#define HS_MIX_H

#include "hs/free.h"

/* Per-task demands with weights that sum to 1. All borrowed. */
struct hs_mix {
    const struct hs_demand *demands;
    const double *weights;
    size_t count;
    const int64_t *jobs; /* behind each demand; only for hs_mix_lost */
    int64_t job_count;   /* their sum */
};

/* Fragmentation of the free devices of `kind` (HS_ANY_KIND: of all) on the node. Cost: demands x
 * devices. */
double hs_mix_fragment(const struct hs_mix *mix, const struct hs_free *free, uint32_t node,
                       uint16_t kind);

/* The same as if one task of `demand` had also been placed there, on these devices. */
double hs_mix_fragment_after(const struct hs_mix *mix, const struct hs_free *free, uint32_t node,
                             uint16_t kind, const struct hs_demand *demand,
                             const struct hs_device_share *devices);

/* What is lost of each device of the node, in integers that add up exactly: the thousandths that
 * are free and of no use to a demand, times its jobs, summed over the mix. Whether a demand finds
 * enough depends on all of the node; so the sum over any choice of devices (a kind, a model) is
 * that choice's part of the fragmentation, times mix->job_count. `lost`: by device of the node.
 * Cost: demands x devices that differ. */
void hs_mix_lost(const struct hs_mix *mix, const struct hs_free *free, uint32_t node,
                 int64_t *lost);

/* The devices that one task of `demand` would get on the node, as the local strategy `local` has
 * it; it fits there. `devices` has room for demand->device_count. */
void hs_free_pick(const struct hs_free *free, uint32_t node, const struct hs_demand *demand,
                  enum hs_local local, struct hs_device_share *devices);

#endif
