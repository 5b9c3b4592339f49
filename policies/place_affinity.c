/* SPDX-License-Identifier: MIT */
/* place_affinity.c - placements by what a node is, rather than how full: affinity, topology,
 * random.
 *
 * affinity keeps scarce abilities free: of the nodes that serve a task, one that offers the fewest
 * devices and features that it does not ask for; of equal ones the fullest. topology keeps the
 * nodes of a job behind few switches: one rack if one has room, the fullest such rack first; else
 * the emptiest racks first, so that they are few (as tree topologies are used by Slurm's
 * topology/tree). random is the baseline of placement studies. */
#include "lib/node_size.h"

static uint32_t bits(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

/* What the node offers and the demand does not ask for: devices of other kinds or models, and the
 * features of the ones that it would use. */
static double surplus(const struct hs_cluster *cluster, const struct hs_node *node,
                      const struct hs_demand *demand)
{
    uint64_t features = 0;
    uint32_t foreign = 0;

    for (uint32_t d = node->first_device; d < node->first_device + node->device_count; d++) {
        const struct hs_device *device = hs_cluster_device(cluster, d);

        if (demand->device_count && hs_demand_admits(demand, device)) {
            features |= device->features & ~demand->features;
        } else {
            foreign++;
        }
    }
    return 64.0 * foreign + bits(features) + bits(node->features & ~demand->node_features);
}

struct affinity {
    struct hp_scale scale;
};

static enum hs_err affinity_init(void *self, const struct hs_view *view, struct hs_error *error)
{
    (void)error;
    hp_scale_begin(&((struct affinity *)self)->scale, hs_view_cluster(view));
    return HS_OK;
}

static double affinity_score(const void *state, const struct hs_free *free, uint32_t node,
                             const struct hs_demand *demand)
{
    const struct affinity *self = state;
    const struct hs_cluster *cluster = hs_free_cluster(free);
    double cores = (double)hs_free_cores_milli(free, node) / self->scale.cores_milli;
    double shares = hp_node_useful_shares(free, node, demand) / self->scale.shares;

    /* How full it is decides between nodes that are equal otherwise: both parts are at most 1. */
    return -4 * surplus(cluster, hs_cluster_node(cluster, node), demand) - cores - shares;
}

static const struct hs_param affinity_params[] = {
    HP_SCALE_PARAMS(struct affinity, scale),
    HS_PARAM_END,
};

HS_PLACE_DEFINE(affinity) = {
    HS_PLACE_HEADER,
    .name = "affinity",
    .summary = "the node with the fewest devices and features that the job does not ask for",
    .params = affinity_params,
    .state_size = sizeof(struct affinity),
    .init = affinity_init,
    .score = affinity_score,
};

HS_PLACE_DEFINE(topology) = {
    HS_PLACE_HEADER,
    .name = "topology",
    .summary = "one rack if one has room (the fullest such), else the fewest racks",
    .flags = HS_PLACE_RACKS,
};

HS_PLACE_DEFINE(random) = {
    HS_PLACE_HEADER,
    .name = "random",
    .summary = "any node that has room, drawn for each job",
    .flags = HS_PLACE_RANDOM,
};
