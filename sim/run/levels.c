/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.c - sums over devices, kept up by what starts and ends. */
#include "run/levels.h"

#include <stdlib.h>
#include <string.h>

/* All nodes are there. */
static bool init_avail(struct levels *levels, size_t at)
{
    uint32_t devices = hs_cluster_device_count(levels->cluster);

    levels->avail = levels->now + at;
    levels->held = calloc((size_t)devices + 1, sizeof *levels->held);
    levels->is_away = calloc(hs_cluster_node_count(levels->cluster), sizeof *levels->is_away);
    levels->avail[0] = hs_cluster_cores_milli(levels->cluster);
    for (uint32_t i = 0; i < devices; i++) {
        levels->avail[1 + hs_cluster_device(levels->cluster, i)->kind] += HS_SHARES_PER_UNIT;
    }
    return levels->held && levels->is_away;
}

enum hs_err levels_init(struct levels *levels, const struct hs_cluster *cluster, bool has_fragments,
                        bool has_avail, const struct hs_mix *mix, struct hs_error *error)
{
    static const struct hs_mix empty;
    size_t slots = hs_cluster_kind_count(cluster);
    size_t avail = has_avail ? 1 + slots : 0;

    *levels = (struct levels){.cluster = cluster, .has_fragments = has_fragments && slots > 0};
    has_fragments = levels->has_fragments;
    if (slots == 0 && !has_avail) {
        return HS_OK;
    }
    if (has_fragments) {
        enum hs_err err = result_groups_init(&levels->groups, cluster, error);

        if (err != HS_OK) {
            return err;
        }
        slots += levels->groups.count;
    }
    levels->count = (has_fragments ? 3 * slots : slots) + avail;
    levels->now = calloc(2 * levels->count, sizeof *levels->now);
    if (!levels->now) {
        return hs_error_memory(error);
    }
    levels->last = levels->now + levels->count;
    if (has_avail && !init_avail(levels, levels->count - avail)) {
        return hs_error_memory(error);
    }
    return has_fragments
               ? fragments_init(&levels->fragments, cluster, mix ? mix : &empty, &levels->groups,
                                levels->now + slots, levels->now + 2 * slots, error)
               : HS_OK;
}

void levels_fini(struct levels *levels)
{
    fragments_fini(&levels->fragments);
    result_groups_fini(&levels->groups);
    free(levels->now);
    free(levels->held);
    free(levels->is_away);
    *levels = (struct levels){0};
}

static void count_shares(struct levels *levels, const struct hs_alloc *alloc, int sign)
{
    for (uint32_t i = 0; i < alloc->device_count; i++) {
        const struct hs_device_share *part = &alloc->devices[i];

        levels->now[hs_cluster_device(levels->cluster, part->device)->kind] +=
            sign * (int64_t)part->share;
        if (levels->has_fragments) {
            levels->now[levels->groups.kind_count + levels->groups.of[part->device]] +=
                sign * (int64_t)part->share;
        }
        if (levels->avail) {
            const struct hs_device *device = hs_cluster_device(levels->cluster, part->device);

            levels->held[part->device] += (uint32_t)(sign * (int64_t)part->share);
            levels->avail[1 + device->kind] +=
                levels->is_away[device->node] ? sign * (int64_t)part->share : 0;
        }
    }
}

void levels_started(struct levels *levels, const struct hs_demand *demand,
                    const struct hs_alloc *alloc)
{
    count_shares(levels, alloc, 1);
    if (levels->has_fragments) {
        fragments_started(&levels->fragments, demand, alloc);
    }
}

void levels_ended(struct levels *levels, const struct hs_demand *demand,
                  const struct hs_alloc *alloc)
{
    count_shares(levels, alloc, -1);
    if (levels->has_fragments) {
        fragments_ended(&levels->fragments, demand, alloc);
    }
}

void levels_set_available(struct levels *levels, uint32_t node, bool is_available)
{
    const struct hs_node *place = hs_cluster_node(levels->cluster, node);

    for (uint32_t d = place->first_device; d < place->first_device + place->device_count; d++) {
        int64_t free = (int64_t)HS_SHARES_PER_UNIT - levels->held[d];

        levels->avail[1 + hs_cluster_device(levels->cluster, d)->kind] +=
            is_available ? free : -free;
    }
    levels->is_away[node] = !is_available;
    if (levels->has_fragments) {
        fragments_set_available(&levels->fragments, node, is_available);
    }
}

bool levels_are_new(const struct levels *levels)
{
    return levels->now &&
           memcmp(levels->last, levels->now, levels->count * sizeof *levels->now) != 0;
}

void levels_keep(struct levels *levels)
{
    if (levels->now) {
        memcpy(levels->last, levels->now, levels->count * sizeof *levels->now);
    }
}
