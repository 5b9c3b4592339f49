/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand_mix.c - counts demands by what they ask for. */
#include "workload/demand_mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/names.h"

/* What one job adds to each of its rows. */
struct weight {
    hs_int128 work;
    hs_int128 device_work;
};

void demand_mix_fini(struct demand_mix *mix)
{
    free(mix->rows);
    *mix = (struct demand_mix){0};
}

static struct demand_mix_row *row_of(struct demand_mix *mix, enum demand_mix_group group,
                                     const char *name)
{
    struct demand_mix_row *row;

    for (size_t i = 0; i < mix->count; i++) {
        if (mix->rows[i].group == group && !strcmp(mix->rows[i].name, name)) {
            return &mix->rows[i];
        }
    }
    if (mix->count == mix->room) {
        size_t room = mix->room ? mix->room * 2 : 16;
        struct demand_mix_row *moved = realloc(mix->rows, room * sizeof *moved);

        if (!moved) {
            return NULL;
        }
        mix->rows = moved;
        mix->room = room;
    }
    row = &mix->rows[mix->count++];
    *row = (struct demand_mix_row){.group = group};
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

static bool count(struct demand_mix *mix, enum demand_mix_group group, const char *name,
                  const struct weight *weight)
{
    struct demand_mix_row *row =
        row_of(mix, group, mix->count < DEMAND_MIX_ROWS_MAX ? name : "others");

    if (row) {
        row->jobs++;
        row->work += weight->work;
        row->device_work += weight->device_work;
    }
    return row != NULL;
}

static bool devices_count(struct demand_mix *mix, const struct hs_demand *demand,
                          const struct workload_names *names, const struct weight *weight)
{
    const char *kind = demand->device_kind == HS_ANY_KIND
                           ? "device"
                           : workload_names_text(names, WORKLOAD_KIND, demand->device_kind);
    char name[sizeof mix->rows->name];
    size_t used = (size_t)snprintf(name, sizeof name, "%s", kind);
    bool is_counted = count(mix, DEMAND_MIX_KIND, name, weight);

    for (uint16_t i = 0; i < demand->model_count && used < sizeof name; i++) {
        used += (size_t)snprintf(name + used, sizeof name - used, "%c%s", i ? '|' : ':',
                                 workload_names_text(names, WORKLOAD_MODEL, demand->models[i]));
    }
    is_counted =
        is_counted && (demand->model_count == 0 || count(mix, DEMAND_MIX_MODEL, name, weight));
    return is_counted && count(mix, DEMAND_MIX_SHARE,
                               demand->device_share == HS_SHARES_PER_UNIT ? "whole devices"
                                                                          : "shares of a device",
                               weight);
}

bool demand_mix_add(struct demand_mix *mix, const struct workload_job *job,
                    const struct workload_names *names)
{
    const struct hs_demand *demand = &job->demand;
    const struct {
        const char *name;
        bool is_wished;
    } wishes[] = {
        {"exclusive", demand->flags & HS_DEMAND_EXCLUSIVE},
        {"contiguous", demand->flags & HS_DEMAND_CONTIGUOUS},
        {"spread", demand->flags & HS_DEMAND_SPREAD},
        {"same-node", demand->flags & HS_DEMAND_SAME_NODE},
        {"same-island", demand->flags & HS_DEMAND_SAME_ISLAND},
        {"tasks-per-node", demand->tasks_per_node > 0},
        {"features", demand->features || demand->node_features},
        {"device-mem", demand->device_mem > 0},
        {"alternatives", demand->alternative_count > 0},
    };
    hs_time run_ns = job->run_ns == HS_TIME_NEVER ? 0 : job->run_ns;
    hs_int128 device_milli = (hs_int128)demand->tasks * demand->device_count * demand->device_share;
    struct weight weight = {(hs_int128)run_ns * (demand->cores_milli * demand->tasks) / 1000,
                            device_milli * run_ns};
    bool is_counted = true;

    mix->jobs++;
    mix->work += weight.work;
    mix->device_work += weight.device_work;
    if (demand->device_count > 0) {
        mix->device_jobs++;
        is_counted = devices_count(mix, demand, names, &weight);
    }
    for (size_t i = 0; is_counted && i < sizeof wishes / sizeof wishes[0]; i++) {
        is_counted = !wishes[i].is_wished || count(mix, DEMAND_MIX_WISH, wishes[i].name, &weight);
    }
    return is_counted;
}

static int row_compare(const void *left, const void *right)
{
    const struct demand_mix_row *a = left, *b = right;

    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    if (a->jobs != b->jobs) {
        return a->jobs > b->jobs ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

void demand_mix_sort(struct demand_mix *mix)
{
    if (mix->count > 0) {
        qsort(mix->rows, mix->count, sizeof *mix->rows, row_compare);
    }
}
