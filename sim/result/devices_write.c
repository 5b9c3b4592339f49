/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices_write.c - devices, powers and energies in the file. */
#include <stdlib.h>

#include "result/devices.h"

/* Columns over the nodes or the devices; freed together. */
struct unit_columns {
    int32_t *ids, *nodes, *groups;
    int64_t *mems;
    const char **kinds, **models;
};

static bool write_device_columns(hid_t group, const struct unit_columns *columns, uint32_t count)
{
    static const struct result_column id = {"id", "1", "index of the device", RESULT_I32};
    static const struct result_column node = {"node", "1", "index of its node", RESULT_I32};
    static const struct result_column island = {
        "group", "1", "island (NVLink, NUMA) within the node; -1: none", RESULT_I32};
    static const struct result_column mem = {"mem", "B", "memory of the device; -1: not modelled",
                                             RESULT_I64};

    return store_values(group, &id, columns->ids, count) &&
           store_values(group, &node, columns->nodes, count) &&
           store_texts(group, "kind", "kind of the device", columns->kinds, count) &&
           store_texts(group, "model", "model of the device", columns->models, count) &&
           store_values(group, &mem, columns->mems, count) &&
           store_values(group, &island, columns->groups, count);
}

static bool write_devices(hid_t group, const struct hs_cluster *cluster, uint32_t count)
{
    struct unit_columns columns = {
        .ids = calloc(count, sizeof *columns.ids),
        .nodes = calloc(count, sizeof *columns.nodes),
        .groups = calloc(count, sizeof *columns.groups),
        .mems = calloc(count, sizeof *columns.mems),
        .kinds = calloc(count, sizeof *columns.kinds),
        .models = calloc(count, sizeof *columns.models),
    };
    bool is_ok = columns.ids && columns.nodes && columns.groups && columns.mems && columns.kinds &&
                 columns.models;

    for (uint32_t i = 0; is_ok && i < count; i++) {
        const struct hs_device *device = hs_cluster_device(cluster, i);

        columns.ids[i] = (int32_t)i;
        columns.nodes[i] = (int32_t)device->node;
        columns.groups[i] = device->group == HS_NO_GROUP ? -1 : (int32_t)device->group;
        columns.mems[i] = device->mem_bytes == HS_MEM_UNLIMITED ? -1 : device->mem_bytes;
        columns.kinds[i] = hs_cluster_kind_name(cluster, device->kind);
        columns.models[i] = hs_cluster_model_name(cluster, device->model);
    }
    is_ok = is_ok && write_device_columns(group, &columns, count);
    free(columns.ids);
    free(columns.nodes);
    free(columns.groups);
    free(columns.mems);
    free(columns.kinds);
    free(columns.models);
    return is_ok;
}

static bool write_powers(hid_t group, const struct hs_power *powers, uint32_t count)
{
    static const struct result_column columns[] = {
        {"p_off", "W", "power when switched off", RESULT_F64},
        {"p_idle", "W", "power when no job uses it", RESULT_F64},
        {"p_context", "W", "power when a job uses it, without load", RESULT_F64},
        {"p_busy", "W", "power when all of it works", RESULT_F64},
    };
    double *values = calloc((size_t)count + 1, sizeof *values);
    bool is_ok = values;

    for (int k = 0; is_ok && k < 4; k++) {
        for (uint32_t i = 0; i < count; i++) {
            values[i] = k == 0   ? powers[i].off_w
                        : k == 1 ? powers[i].idle_w
                        : k == 2 ? powers[i].context_w
                                 : powers[i].busy_w;
        }
        is_ok = store_values(group, &columns[k], values, count);
    }
    free(values);
    return is_ok;
}

bool devices_write_platform(hid_t platform, const struct result_meta *meta)
{
    uint32_t device_count = hs_cluster_device_count(meta->cluster);
    bool is_ok = true;

    if (meta->node_power) {
        hid_t nodes = store_group(platform, "nodes");

        is_ok = nodes >= 0 &&
                write_powers(nodes, meta->node_power, hs_cluster_node_count(meta->cluster));
        is_ok = H5Gclose(nodes) >= 0 && is_ok;
    }
    if (is_ok && device_count > 0) {
        hid_t devices = store_group(platform, "devices");

        is_ok = devices >= 0 && write_devices(devices, meta->cluster, device_count) &&
                (!meta->device_power || write_powers(devices, meta->device_power, device_count));
        is_ok = H5Gclose(devices) >= 0 && is_ok;
    }
    return is_ok;
}

/* The energy of each node or device, in joules, as a column beside the others. */
static bool write_unit_energies(hid_t file, const char *path, const hs_int128 *energies,
                                uint32_t count)
{
    static const struct result_column column = {"energy", "J", "energy during the run", RESULT_F64};
    double *values = calloc((size_t)count + 1, sizeof *values);
    hid_t group = store_group(file, path);
    bool is_ok = values && group >= 0;

    for (uint32_t i = 0; is_ok && i < count; i++) {
        values[i] = (double)energies[i] / DEVICES_UW_NS_PER_J;
    }
    is_ok = is_ok && store_values(group, &column, values, count);
    is_ok = H5Gclose(group) >= 0 && is_ok;
    free(values);
    return is_ok;
}

static bool write_sum(hid_t group, const char *name, hs_int128 sum)
{
    char text[RESULT_INT128_TEXT_MAX];

    result_int128_format(sum, text);
    return store_attr_text(group, name, text);
}

static bool write_sums(hid_t group, const struct result_energy *energy)
{
    return store_attr_text(group, "sums", "integers in 1e-15 J (microwatt x nanosecond)") &&
           write_sum(group, "total", energy->jobs + energy->uncharged) &&
           write_sum(group, "off", energy->off) && write_sum(group, "idle", energy->idle) &&
           write_sum(group, "context", energy->context) && write_sum(group, "busy", energy->busy) &&
           write_sum(group, "jobs", energy->jobs) &&
           write_sum(group, "uncharged", energy->uncharged);
}

/* A row for the nodes, then one for each kind and model of devices. */
static bool write_groups(hid_t group, const struct devices *devices)
{
    static const struct result_column number = {"count", "1", "nodes or devices", RESULT_I64};
    static const struct result_column joules = {"energy", "J", "their energy", RESULT_F64};
    size_t count = devices->groups.count + 1;
    const char **texts = calloc(3 * count, sizeof *texts);
    char(*sums)[RESULT_INT128_TEXT_MAX] = calloc(count, sizeof *sums);
    int64_t *counts = calloc(count, sizeof *counts);
    double *energies = calloc(count, sizeof *energies);
    bool is_ok = texts && sums && counts && energies;

    for (size_t i = 0; is_ok && i < count; i++) {
        const struct result_group *its = i > 0 ? &devices->groups.groups[i - 1] : NULL;
        hs_int128 energy = its ? devices->sums[i - 1].energy : devices->node_energy;

        texts[i] = its ? its->kind : DEVICES_CPU;
        texts[count + i] = its ? its->model : "";
        texts[2 * count + i] = sums[i];
        counts[i] = its ? its->count : hs_cluster_node_count(devices->cluster);
        energies[i] = (double)energy / DEVICES_UW_NS_PER_J;
        result_int128_format(energy, sums[i]);
    }
    is_ok = is_ok &&
            store_texts(group, "kind", "\"cpu\": nodes without their devices", texts, count) &&
            store_texts(group, "model", "model of the devices", texts + count, count) &&
            store_values(group, &number, counts, count) &&
            store_values(group, &joules, energies, count) &&
            store_texts(group, "exact", "the energy as an integer in 1e-15 J", texts + 2 * count,
                        count);
    free(texts);
    free(sums);
    free(counts);
    free(energies);
    return is_ok;
}

bool devices_write_energy(hid_t file, const struct devices *devices,
                          const struct result_energy *energy)
{
    uint32_t device_count = hs_cluster_device_count(devices->cluster);
    hid_t group = store_group(file, "energy");
    bool is_ok = group >= 0 && write_sums(group, energy) && write_groups(group, devices);

    is_ok = H5Gclose(group) >= 0 && is_ok;
    return is_ok &&
           write_unit_energies(file, "platform/nodes", energy->nodes,
                               hs_cluster_node_count(devices->cluster)) &&
           (device_count == 0 ||
            write_unit_energies(file, "platform/devices", energy->devices, device_count));
}
