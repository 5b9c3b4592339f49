/* SPDX-License-Identifier: GPL-3.0-or-later */
/* power.c - from the platform's powers to the energy model, and from the model to the result. */
#include "run/power.h"

#include <stdlib.h>

/* Index of the first unit of which nothing is known; `count`: all are known. */
static uint32_t first_unknown(const struct platform_power *powers, uint32_t count)
{
    uint32_t i = 0;

    while (i < count && powers && platform_power_is_known(&powers[i])) {
        i++;
    }
    return i;
}

static struct hs_power *copy_powers(const struct platform_power *powers, uint32_t count)
{
    struct hs_power *copy = calloc((size_t)count + 1, sizeof *copy);

    for (uint32_t i = 0; copy && i < count; i++) {
        copy[i] = (struct hs_power){powers[i].off_w, powers[i].idle_w, powers[i].context_w,
                                    powers[i].busy_w};
    }
    return copy;
}

static enum hs_err fail_unknown(const struct experiment *experiment,
                                const struct hs_cluster *cluster, uint32_t node, uint32_t device,
                                struct hs_error *error)
{
    const struct hs_device *its =
        device < hs_cluster_device_count(cluster) ? hs_cluster_device(cluster, device) : NULL;
    const char *name = hs_cluster_node(cluster, its ? its->node : node)->name;

    if (!experiment->platform.file) {
        return hs_error_set(
            error, HS_ERR_CONFIG,
            "%s: `energy: always`, but the platform '%s' says nothing of power. Name "
            "a platform file whose hosts have a `model` or `wattage_per_state`; or "
            "remove the key.",
            experiment->path, experiment->platform_as_written);
    }
    if (!its) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: `energy: always`, but the platform '%s' does not say what node "
                            "'%s' draws. Give the host a property `model` that the catalogue knows "
                            "(`hsim platform devices list`), or `wattage_per_state`; or remove the "
                            "key.",
                            experiment->path, experiment->platform_as_written, name);
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: `energy: always`, but the platform '%s' does not say what the %s '%s' "
                        "of node '%s' draws. Describe the model in a catalogue (`hsim platform "
                        "devices list` shows the known ones), or give the host the property "
                        "`wattage_per_state`; or remove the key.",
                        experiment->path, experiment->platform_as_written,
                        hs_cluster_kind_name(cluster, its->kind),
                        hs_cluster_model_name(cluster, its->model), name);
}

enum hs_err run_power_init(struct run_power *power, const struct experiment *experiment,
                           const struct platform *platform, struct hs_error *error)
{
    const struct hs_cluster *cluster = platform->cluster;
    uint32_t nodes = hs_cluster_node_count(cluster);
    uint32_t devices = hs_cluster_device_count(cluster);
    uint32_t node = first_unknown(platform->node_power, nodes);
    uint32_t device = first_unknown(platform->device_power, devices);

    *power = (struct run_power){0};
    if (node < nodes || device < devices) {
        return experiment->energy == EXPERIMENT_ENERGY_ALWAYS
                   ? fail_unknown(experiment, cluster, node, node < nodes ? UINT32_MAX : device,
                                  error)
                   : HS_OK;
    }
    power->nodes = copy_powers(platform->node_power, nodes);
    power->devices = copy_powers(platform->device_power, devices);
    power->has_energy = experiment->energy != EXPERIMENT_ENERGY_NEVER;
    return power->nodes && power->devices ? HS_OK : hs_error_memory(error);
}

void run_power_fini(struct run_power *power)
{
    free(power->nodes);
    free(power->devices);
    *power = (struct run_power){0};
}

enum hs_err run_power_open(const struct run_power *power, const struct experiment *experiment,
                           const struct hs_cluster *cluster, struct energy **energy,
                           struct hs_error *error)
{
    static const enum energy_attribution attributions[] = {
        [EXPERIMENT_ATTRIBUTION_EXCLUSIVE] = ENERGY_EXCLUSIVE,
        [EXPERIMENT_ATTRIBUTION_PROPORTIONAL] = ENERGY_PROPORTIONAL,
        [EXPERIMENT_ATTRIBUTION_DYNAMIC] = ENERGY_DYNAMIC,
    };
    struct energy_options options = {
        .cluster = cluster,
        .nodes = power->nodes,
        .devices = power->devices,
        .load = experiment->energy_load,
        .attribution = attributions[experiment->attribution],
        .has_away = experiment->availability != NULL,
    };

    *energy = NULL;
    return power->has_energy ? energy_create(&options, energy, error) : HS_OK;
}

enum hs_err run_energy_collect(struct run_energy *collected, const struct energy *energy,
                               const struct hs_cluster *cluster, struct hs_error *error)
{
    struct energy_totals totals;
    uint32_t nodes = hs_cluster_node_count(cluster);
    uint32_t devices = hs_cluster_device_count(cluster);

    *collected = (struct run_energy){0};
    if (!energy) {
        return HS_OK;
    }
    collected->nodes = calloc((size_t)nodes + 1, sizeof *collected->nodes);
    collected->devices = calloc((size_t)devices + 1, sizeof *collected->devices);
    if (!collected->nodes || !collected->devices) {
        return hs_error_memory(error);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        collected->nodes[i] = energy_of_node(energy, i);
    }
    for (uint32_t i = 0; i < devices; i++) {
        collected->devices[i] = energy_of_device(energy, i);
    }
    totals = energy_totals(energy);
    collected->sums = (struct result_energy){
        .off = totals.states[ENERGY_OFF],
        .idle = totals.states[ENERGY_IDLE],
        .context = totals.states[ENERGY_CONTEXT],
        .busy = totals.states[ENERGY_BUSY],
        .jobs = totals.jobs,
        .uncharged = totals.uncharged,
        .nodes = collected->nodes,
        .devices = collected->devices,
    };
    return HS_OK;
}

void run_energy_fini(struct run_energy *collected)
{
    free(collected->nodes);
    free(collected->devices);
    *collected = (struct run_energy){0};
}
