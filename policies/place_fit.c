/* SPDX-License-Identifier: MIT */
/* place_fit.c - placements by how much a node has left: best fit, worst fit, dot product.
 *
 * Cores and devices count alike, each relative to a whole node. With `whole` scores are cut to
 * whole numbers of 0 to 100 before they are compared, as the scheduler of Kubernetes does; nodes
 * that differ by less are equal then, and the tie rule decides.
 * Sources: best and worst fit for several resources: Panigrahy et al., "Heuristics for Vector Bin
 * Packing", Microsoft Research 2011; dot product: Grandl et al., "Multi-resource Packing for
 * Cluster Schedulers", SIGCOMM 2014; weights and scales as in Weng et al., USENIX ATC 2023. */
#include <math.h>

#include "lib/node_size.h"

struct fit {
    struct hp_scale scale;
    bool whole;
};

static double finish(const struct fit *self, double score)
{
    return self->whole ? floor(score) : score;
}

static enum hs_err fit_init(void *self, const struct hs_view *view, struct hs_error *error)
{
    (void)error;
    hp_scale_begin(&((struct fit *)self)->scale, hs_view_cluster(view));
    return HS_OK;
}

/* What is left on the node behind one task, 0 to 1. */
static double left_behind(const struct fit *self, const struct hs_free *free, uint32_t node,
                          const struct hs_demand *demand)
{
    double cores = (double)(hs_free_cores_milli(free, node) - demand->cores_milli);
    double shares = (double)hs_free_node_shares(free, node) - hp_task_shares(demand);

    return 0.5 * cores / self->scale.cores_milli + 0.5 * shares / self->scale.shares;
}

static double best_score(const void *state, const struct hs_free *free, uint32_t node,
                         const struct hs_demand *demand)
{
    const struct fit *self = state;

    return finish(self, 100 * (1 - left_behind(self, free, node, demand)));
}

static double worst_score(const void *state, const struct hs_free *free, uint32_t node,
                          const struct hs_demand *demand)
{
    const struct fit *self = state;

    return finish(self, 100 * left_behind(self, free, node, demand));
}

static double dot_score(const void *state, const struct hs_free *free, uint32_t node,
                        const struct hs_demand *demand)
{
    const struct fit *self = state;
    double cores = (double)hs_free_cores_milli(free, node) / self->scale.cores_milli *
                   ((double)demand->cores_milli / self->scale.cores_milli);
    double shares = hs_free_node_shares(free, node) / self->scale.shares *
                    (hp_task_shares(demand) / self->scale.shares);

    return finish(self, 100 * (1 - (cores + shares) / 2));
}

static const struct hs_param fit_params[] = {
    HP_SCALE_PARAMS(struct fit, scale),
    HS_PARAM_BOOL(struct fit, whole, "false", "cut scores to whole numbers, as Kubernetes does"),
    HS_PARAM_END,
};

HS_PLACE_DEFINE(best_fit) = {
    HS_PLACE_HEADER,
    .name = "best-fit",
    .summary = "the node that has least left, cores and devices together",
    .params = fit_params,
    .state_size = sizeof(struct fit),
    .init = fit_init,
    .score = best_score,
};

HS_PLACE_DEFINE(worst_fit) = {
    HS_PLACE_HEADER,
    .name = "worst-fit",
    .summary = "the node that has most left, task by task: balances the load",
    .params = fit_params,
    .state_size = sizeof(struct fit),
    .init = fit_init,
    .score = worst_score,
    .flags = HS_PLACE_STEPWISE,
};

HS_PLACE_DEFINE(dot_product) = {
    HS_PLACE_HEADER,
    .name = "dot-product",
    .summary = "the node whose free resources, as a vector, are least like the demand's",
    .params = fit_params,
    .state_size = sizeof(struct fit),
    .init = fit_init,
    .score = dot_score,
};
