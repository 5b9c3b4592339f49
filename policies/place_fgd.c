/* SPDX-License-Identifier: MIT */
/* place_fgd.c - fragmentation gradient descent: where a task leaves the least that is of no use.
 *
 * The score of a node is how much its fragmentation for the mix of the workload (hs/mix.h) falls
 * with the task on it, through a sigmoid; a share goes to the device where it falls most. Scores
 * are whole numbers of 0 to 100, as in the authors' scheduler. Source: Weng et al., "Beware of
 * Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC
 * 2023, section 5. */
#include <math.h>

#include "hs/policy.h"

struct fgd {
    const struct hs_mix *mix;
};

static enum hs_err fgd_init(void *self, const struct hs_view *view, struct hs_error *error)
{
    struct fgd *fgd = self;

    fgd->mix = hs_view_mix(view);
    if (!fgd->mix || !fgd->mix->count) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Placement fgd needs to know the demands of the workload beforehand, "
                            "and there are none; take best-fit instead.");
    }
    return HS_OK;
}

static double score_of(double before, double after)
{
    return floor(100 / (1 + exp(-(before - after) / 1000)));
}

static double score_on(const struct fgd *self, const struct hs_free *free, uint32_t node,
                       const struct hs_demand *demand, const struct hs_device_share *devices)
{
    return score_of(hs_mix_fragment(self->mix, free, node, HS_ANY_KIND),
                    hs_mix_fragment_after(self->mix, free, node, HS_ANY_KIND, demand, devices));
}

static double fgd_device_score(const void *state, const struct hs_free *free, uint32_t device,
                               const struct hs_demand *demand)
{
    const struct hs_device_share given = {device, demand->device_share};

    return score_on(state, free, hs_cluster_device(hs_free_cluster(free), device)->node, demand,
                    &given);
}

/* Is an earlier device of the node of the same model and equally free? Its score is the same. */
static bool has_like_before(const struct hs_free *free, uint32_t first, uint32_t device)
{
    const struct hs_device *own = hs_cluster_device(hs_free_cluster(free), device);

    for (uint32_t d = first; d < device; d++) {
        const struct hs_device *other = hs_cluster_device(hs_free_cluster(free), d);

        if (hs_free_device_share(free, d) == hs_free_device_share(free, device) &&
            other->model == own->model && other->kind == own->kind &&
            other->features == own->features) {
            return true;
        }
    }
    return false;
}

static double fgd_score(const void *state, const struct hs_free *free, uint32_t node,
                        const struct hs_demand *demand)
{
    const struct hs_cluster *cluster = hs_free_cluster(free);
    const struct hs_node *place = hs_cluster_node(cluster, node);
    struct hs_device_share devices[HS_NODE_DEVICES_MAX];
    double before;
    double best = 0;

    if (demand->device_count != 1 || demand->device_share == HS_SHARES_PER_UNIT) {
        hs_free_pick(free, node, demand, HS_LOCAL_TIGHT, devices);
        return score_on(state, free, node, demand, devices);
    }
    before = hs_mix_fragment(((const struct fgd *)state)->mix, free, node, HS_ANY_KIND);
    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        if (hs_free_device_share(free, d) >= demand->device_share &&
            hs_demand_admits(demand, hs_cluster_device(cluster, d)) &&
            !has_like_before(free, place->first_device, d)) {
            double after;
            double score;

            devices[0] = (struct hs_device_share){d, demand->device_share};
            after = hs_mix_fragment_after(((const struct fgd *)state)->mix, free, node, HS_ANY_KIND,
                                          demand, devices);
            score = score_of(before, after);
            best = score > best ? score : best;
        }
    }
    return best;
}

HS_PLACE_DEFINE(fgd) = {
    HS_PLACE_HEADER,
    .name = "fgd",
    .summary = "where least is left that other jobs cannot use (fragmentation gradient descent)",
    .state_size = sizeof(struct fgd),
    .init = fgd_init,
    .score = fgd_score,
    .device_score = fgd_device_score,
    .flags = HS_PLACE_MIX,
};
