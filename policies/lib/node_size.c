/* SPDX-License-Identifier: MIT */
/* node_size.c - sums over the devices of a node. */
#include "lib/node_size.h"

void hp_scale_begin(struct hp_scale *scale, const struct hs_cluster *cluster)
{
    int64_t cores_milli = 1;
    uint32_t devices = 1;

    for (uint32_t i = 0; i < hs_cluster_node_count(cluster); i++) {
        const struct hs_node *node = hs_cluster_node(cluster, i);

        cores_milli = node->cores_milli > cores_milli ? node->cores_milli : cores_milli;
        devices = node->device_count > devices ? node->device_count : devices;
    }
    scale->cores_milli = scale->cores ? 1000.0 * (double)scale->cores : (double)cores_milli;
    scale->shares = HS_SHARES_PER_UNIT * (scale->devices ? (double)scale->devices : devices);
}

uint32_t hp_node_useful_shares(const struct hs_free *free, uint32_t node,
                               const struct hs_demand *demand)
{
    const struct hs_cluster *cluster = hs_free_cluster(free);
    const struct hs_node *place = hs_cluster_node(cluster, node);
    uint32_t shares = 0;

    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        if (hs_demand_admits(demand, hs_cluster_device(cluster, d))) {
            shares += hs_free_device_share(free, d);
        }
    }
    return shares;
}

uint32_t hp_task_shares(const struct hs_demand *demand)
{
    return demand->device_count * demand->device_share;
}
