/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fragments.c - sums of what is lost, kept up node by node. */
#include "run/fragments.h"

#include <inttypes.h>
#include <stdlib.h>

/* Brings what the sums have of the node up to date. */
static void update_node(struct fragments *fragments, uint32_t node)
{
    const struct hs_cluster *cluster = hs_free_cluster(fragments->free);
    const struct hs_node *place = hs_cluster_node(cluster, node);
    const struct result_groups *groups = fragments->groups;
    int64_t lost[HS_NODE_DEVICES_MAX];

    if (place->device_count == 0) {
        return;
    }
    hs_mix_lost(fragments->mix, fragments->free, node, lost);
    for (uint32_t i = 0; i < place->device_count; i++) {
        uint32_t device = place->first_device + i;
        struct fragments_device *known = &fragments->devices[device];
        uint32_t share = hs_free_device_share(fragments->free, device);
        size_t kind = hs_cluster_device(cluster, device)->kind;
        size_t group = groups->kind_count + groups->of[device];
        int64_t more = (int64_t)share - known->share;

        fragments->free_milli[kind] += more;
        fragments->free_milli[group] += more;
        fragments->lost[kind] += lost[i] - known->lost;
        fragments->lost[group] += lost[i] - known->lost;
        *known = (struct fragments_device){lost[i], share};
    }
}

static void update(struct fragments *fragments, const struct hs_alloc *alloc)
{
    for (uint32_t i = 0; i < alloc->span_count; i++) {
        const struct hs_span *span = &alloc->spans[i];

        for (uint32_t k = 0; k < span->node_count; k++) {
            update_node(fragments, span->first_node + k);
        }
    }
}

enum hs_err fragments_init(struct fragments *fragments, const struct hs_cluster *cluster,
                           const struct hs_mix *mix, const struct result_groups *groups,
                           int64_t *free_milli, int64_t *lost, struct hs_error *error)
{
    int64_t devices = hs_cluster_device_count(cluster);

    *fragments =
        (struct fragments){.mix = mix, .groups = groups, .free_milli = free_milli, .lost = lost};
    if (devices > 0 && mix->job_count > INT64_MAX / HS_SHARES_PER_UNIT / devices) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "The fragmentation of %" PRId64 " devices for a mix of %" PRId64
                            " jobs has no room in 64 bits. Leave it out (output.fragmentation), "
                            "or take fewer jobs (workload.head).",
                            devices, mix->job_count);
    }
    fragments->free = hs_free_create(cluster);
    fragments->devices = calloc((size_t)devices + 1, sizeof *fragments->devices);
    if (!fragments->free || !fragments->devices) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < hs_cluster_node_count(cluster); i++) {
        update_node(fragments, i);
    }
    return HS_OK;
}

void fragments_fini(struct fragments *fragments)
{
    hs_free_destroy(fragments->free);
    free(fragments->devices);
    *fragments = (struct fragments){0};
}

void fragments_started(struct fragments *fragments, const struct hs_demand *demand,
                       const struct hs_alloc *alloc)
{
    hs_free_take(fragments->free, demand, alloc);
    update(fragments, alloc);
}

void fragments_set_available(struct fragments *fragments, uint32_t node, bool is_available)
{
    hs_free_set_available(fragments->free, node, is_available);
    update_node(fragments, node);
}

void fragments_ended(struct fragments *fragments, const struct hs_demand *demand,
                     const struct hs_alloc *alloc)
{
    hs_free_release(fragments->free, demand, alloc);
    update(fragments, alloc);
}

double fragments_total(const struct fragments *fragments)
{
    int64_t sum = 0;

    for (size_t i = 0; i < fragments->groups->kind_count; i++) {
        sum += fragments->lost[i];
    }
    return fragments->mix->job_count ? (double)sum / (double)fragments->mix->job_count : 0;
}
