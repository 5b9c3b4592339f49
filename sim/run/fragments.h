/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fragments.h - what of the free devices is of no use to the workload, by kind and model.
 *
 * Books beside the core, of what the host is told to start, so that they hold for every policy.
 * A change costs the nodes that it touches, each of them a look at every demand of the mix; sums
 * are integers, and so depend on the state alone, not on the changes that led to it. */
#ifndef HSIM_RUN_FRAGMENTS_H
#define HSIM_RUN_FRAGMENTS_H

#include "hs/mix.h"
#include "result/groups.h"

struct fragments_device {
    int64_t lost;   /* see hs_mix_lost */
    uint32_t share; /* free */
};

struct fragments {
    const struct hs_mix *mix; /* borrowed; so are the next */
    const struct result_groups *groups;
    int64_t *free_milli; /* by slot: what is free */
    int64_t *lost;       /* by slot: see hs_mix_lost */
    struct hs_free *free;
    struct fragments_device *devices; /* as they are in the sums */
};

/* All of the cluster is free. Keeps the sums by slot in `free_milli` and `lost`, which are zeroed;
 * a mix may be empty. HS_ERR_INPUT: so many jobs and devices that a sum has no room. */
enum hs_err fragments_init(struct fragments *fragments, const struct hs_cluster *cluster,
                           const struct hs_mix *mix, const struct result_groups *groups,
                           int64_t *free_milli, int64_t *lost, struct hs_error *error) HS_MUST_USE;
void fragments_fini(struct fragments *fragments); /* takes a zeroed one too */

void fragments_started(struct fragments *fragments, const struct hs_demand *demand,
                       const struct hs_alloc *alloc);
/* The node has left or come back. */
void fragments_set_available(struct fragments *fragments, uint32_t node, bool is_available);
void fragments_ended(struct fragments *fragments, const struct hs_demand *demand,
                     const struct hs_alloc *alloc);

/* Of all devices, in thousandths of one. */
double fragments_total(const struct fragments *fragments);

#endif
