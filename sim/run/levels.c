/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.c - sums over devices, kept up by what starts and ends. */
#include "run/levels.h"

#include <stdlib.h>
#include <string.h>

enum hs_err levels_init(struct levels *levels, const struct hs_cluster *cluster, bool has_fragments,
                        const struct hs_mix *mix, struct hs_error *error)
{
    static const struct hs_mix empty;
    size_t slots = hs_cluster_kind_count(cluster);

    *levels = (struct levels){.cluster = cluster, .has_fragments = has_fragments && slots > 0};
    if (slots == 0) {
        return HS_OK;
    }
    if (has_fragments) {
        enum hs_err err = result_groups_init(&levels->groups, cluster, error);

        if (err != HS_OK) {
            return err;
        }
        slots += levels->groups.count;
    }
    levels->count = has_fragments ? 3 * slots : slots;
    levels->now = calloc(2 * levels->count, sizeof *levels->now);
    if (!levels->now) {
        return hs_error_memory(error);
    }
    levels->last = levels->now + levels->count;
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
