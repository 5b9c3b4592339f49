/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices.c - devices by kind and model. */
#include "result/devices.h"

#include <stdlib.h>

/* The group of a device; a new one if it is the first of its kind and model. */
static uint32_t find_group(struct devices *devices, const struct hs_device *device)
{
    const char *model = hs_cluster_model_name(devices->cluster, device->model);
    uint32_t g = 0;

    while (g < devices->group_count &&
           (devices->groups[g].kind_index != device->kind || devices->groups[g].model != model)) {
        g++;
    }
    if (g == devices->group_count) {
        devices->groups[devices->group_count++] = (struct device_group){
            .kind = hs_cluster_kind_name(devices->cluster, device->kind),
            .model = model,
            .kind_index = device->kind,
        };
    }
    return g;
}

enum hs_err devices_init(struct devices *devices, const struct result_meta *meta,
                         struct hs_error *error)
{
    uint32_t count = hs_cluster_device_count(meta->cluster);
    size_t kinds = hs_cluster_kind_count(meta->cluster);
    size_t models = hs_cluster_model_count(meta->cluster);

    *devices = (struct devices){.cluster = meta->cluster,
                                .more = {.has_power = meta->has_energy, .kind_count = kinds}};
    if (kinds > RESULT_KINDS_MAX) {
        devices->more.kind_count = 0;
        return hs_error_set(error, HS_ERR_INPUT,
                            "The platform has %zu kinds of devices; a result holds at most %u. "
                            "Give more devices the same property `kind`.",
                            kinds, RESULT_KINDS_MAX);
    }
    devices->group_of = calloc((size_t)count + 1, sizeof *devices->group_of);
    devices->groups = calloc(kinds * models + 1, sizeof *devices->groups);
    if (!devices->group_of || !devices->groups) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < kinds; i++) {
        devices->more.kinds[i] = hs_cluster_kind_name(meta->cluster, (uint16_t)i);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_device *device = hs_cluster_device(meta->cluster, i);

        devices->group_of[i] = find_group(devices, device);
        devices->groups[devices->group_of[i]].count++;
        devices->capacities[device->kind] += HS_SHARES_PER_UNIT;
    }
    return HS_OK;
}

void devices_fini(struct devices *devices)
{
    free(devices->group_of);
    free(devices->groups);
    *devices = (struct devices){0};
}

void devices_job(struct devices *devices, const struct result_job *job)
{
    if (!job->alloc || job->start_ns < 0 || job->end_ns < 0) {
        return;
    }
    for (uint32_t i = 0; i < job->alloc->device_count; i++) {
        const struct hs_device_share *part = &job->alloc->devices[i];

        devices->groups[devices->group_of[part->device]].held +=
            (hs_int128)part->share * (job->end_ns - job->start_ns);
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
        devices->groups[devices->group_of[i]].energy += energy->devices[i];
    }
}
