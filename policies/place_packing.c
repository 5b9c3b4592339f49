/* SPDX-License-Identifier: MIT */
/* place_packing.c - placements by rules of thumb for shared devices: packing and clustering.
 *
 * Both as they are compared in Weng et al., USENIX ATC 2023, section 6: packing fills devices that
 * are shared already, then nodes that are in use; clustering keeps jobs of one size together. */
#include <math.h>

#include "lib/node_size.h"

/* The fullest device on which the share of one task still fits; UINT32_MAX: none. */
static uint32_t tightest_share(const struct hs_free *free, uint32_t node,
                               const struct hs_demand *demand)
{
    const struct hs_cluster *cluster = hs_free_cluster(free);
    const struct hs_node *place = hs_cluster_node(cluster, node);
    uint32_t best = UINT32_MAX;

    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        uint32_t share = hs_free_device_share(free, d);

        if (hs_demand_admits(demand, hs_cluster_device(cluster, d)) &&
            share >= demand->device_share && share < best) {
            best = share;
        }
    }
    return best;
}

static double packing_score(const void *self, const struct hs_free *free, uint32_t node,
                            const struct hs_demand *demand)
{
    uint32_t count = hs_cluster_node(hs_free_cluster(free), node)->device_count;
    uint32_t fresh = demand->device_count;

    (void)self;
    if (!demand->device_count) {
        return 0;
    }
    if (hs_free_node_devices(free, node) == count) {
        return 33.0 - count;
    }
    if (demand->device_count == 1 && demand->device_share < HS_SHARES_PER_UNIT) {
        uint32_t share = tightest_share(free, node, demand);

        if (share < HS_SHARES_PER_UNIT) {
            return 100.0 - share / 100;
        }
    }
    return 50.0 - fresh;
}

static double clustering_score(const void *self, const struct hs_free *free, uint32_t node,
                               const struct hs_demand *demand)
{
    enum hs_size_class own = hs_demand_size_class(demand);
    uint32_t others = 0;
    double score = 25;
    double free_devices = hs_free_node_shares(free, node) / (double)HS_SHARES_PER_UNIT;

    (void)self;
    if (!demand->device_count) {
        return 0;
    }
    for (int size = 0; size < HS_CLASS_COUNT; size++) {
        others += size != (int)own ? hs_free_class_jobs(free, node, (enum hs_size_class)size) : 0;
    }
    if (hs_free_class_jobs(free, node, own)) {
        score = others ? 50 : 75;
    } else if (others) {
        score = 0;
    }
    return floor(score + 25 * (8 - free_devices) / 8);
}

HS_PLACE_DEFINE(packing) = {
    HS_PLACE_HEADER,
    .name = "packing",
    .summary = "shares on devices that are shared already, then nodes that are in use",
    .score = packing_score,
};

HS_PLACE_DEFINE(clustering) = {
    HS_PLACE_HEADER,
    .name = "clustering",
    .summary = "nodes that hold jobs of the same number of devices",
    .score = clustering_score,
};
