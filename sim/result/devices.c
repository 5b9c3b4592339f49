/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices.c - devices by kind and model. */
#include "result/devices.h"

#include <stdlib.h>
#include <string.h>

static enum hs_err refuse(size_t count, const char *what, unsigned most, const char *property,
                          struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_INPUT,
                        "The platform has %zu %s of devices; a result%s holds at most %u. "
                        "Give more devices the same property `%s`.",
                        count, what, strcmp(property, "model") ? "" : " with fragmentation", most,
                        property);
}

/* Two slots of one name would be one column. */
static enum hs_err check_labels(const struct devices *devices, struct hs_error *error)
{
    const struct result_series_more *more = &devices->more;

    for (size_t i = more->kind_count; i < more->slot_count; i++) {
        const struct result_group *group = &devices->groups.groups[i - more->kind_count];

        for (size_t k = 0; k < i; k++) {
            if (!strcmp(more->slots[i], more->slots[k])) {
                return hs_error_set(error, HS_ERR_INPUT,
                                    "In a result with fragmentation, the columns of devices of "
                                    "kind '%s' and model '%s' would have the names of others, "
                                    "'%s'. Give the model another name.",
                                    group->kind, group->model, more->slots[i]);
            }
        }
    }
    return HS_OK;
}

/* Kinds, and with fragmentation the groups behind them. */
static enum hs_err list_slots(struct devices *devices, const struct result_meta *meta,
                              struct hs_error *error)
{
    const struct result_groups *groups = &devices->groups;
    struct result_series_more *more = &devices->more;

    if (groups->kind_count > RESULT_KINDS_MAX) {
        return refuse(groups->kind_count, "kinds", RESULT_KINDS_MAX, "kind", error);
    }
    if (meta->has_fragments && groups->count > RESULT_MODELS_MAX) {
        return refuse(groups->count, "models", RESULT_MODELS_MAX, "model", error);
    }
    more->kind_count = more->slot_count = groups->kind_count;
    for (size_t i = 0; i < groups->kind_count; i++) {
        more->slots[i] = hs_cluster_kind_name(meta->cluster, (uint16_t)i);
    }
    for (size_t g = 0; g < groups->count; g++) {
        int64_t shares = groups->groups[g].count * HS_SHARES_PER_UNIT;

        devices->capacities[groups->groups[g].kind_index] += shares;
        if (meta->has_fragments) {
            devices->capacities[more->slot_count] = shares;
            more->slots[more->slot_count++] = groups->groups[g].label;
        }
    }
    return check_labels(devices, error);
}

enum hs_err devices_init(struct devices *devices, const struct result_meta *meta,
                         struct hs_error *error)
{
    bool has_fragments = meta->has_fragments && hs_cluster_device_count(meta->cluster) > 0;
    enum hs_err code;

    *devices = (struct devices){
        .cluster = meta->cluster,
        .more = {.has_power = meta->has_energy,
                 .has_fragments = has_fragments,
                 .has_avail = meta->has_avail,
                 .mix_jobs = meta->mix_jobs > 0 ? meta->mix_jobs : 1},
    };
    code = result_groups_init(&devices->groups, meta->cluster, error);
    if (code != HS_OK) {
        return code;
    }
    devices->sums = calloc(devices->groups.count + 1, sizeof *devices->sums);
    return devices->sums ? list_slots(devices, meta, error) : hs_error_memory(error);
}

void devices_fini(struct devices *devices)
{
    result_groups_fini(&devices->groups);
    free(devices->sums);
    *devices = (struct devices){0};
}

void devices_held(struct devices *devices, const struct hs_alloc *alloc, hs_time duration_ns)
{
    for (uint32_t i = 0; i < alloc->device_count; i++) {
        const struct hs_device_share *part = &alloc->devices[i];

        devices->sums[devices->groups.of[part->device]].held +=
            (hs_int128)part->share * duration_ns;
    }
}

void devices_energy(struct devices *devices, const struct result_energy *energy)
{
    uint32_t node_count = hs_cluster_node_count(devices->cluster);
    uint32_t device_count = hs_cluster_device_count(devices->cluster);

    for (uint32_t i = 0; i < node_count; i++) {
        devices->node_energy += energy->nodes[i];
    }
    for (uint32_t i = 0; i < device_count; i++) {
        devices->sums[devices->groups.of[i]].energy += energy->devices[i];
    }
}
