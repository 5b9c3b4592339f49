/* SPDX-License-Identifier: MIT */
/* demand.c - which demands make sense, and why one can never be met here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "free_internal.h"
#include "sched_internal.h"

static bool is_sensible(const struct hs_demand *demand)
{
    const uint32_t known = HS_DEMAND_EXCLUSIVE | HS_DEMAND_CONTIGUOUS | HS_DEMAND_SPREAD |
                           HS_DEMAND_SAME_NODE | HS_DEMAND_SAME_ISLAND;
    const int64_t limit = INT64_MAX / 4;

    if (demand->tasks < 1 || demand->cores_milli < 0 || demand->mem_bytes < 0 ||
        demand->cores_milli > limit / demand->tasks || demand->mem_bytes > limit / demand->tasks ||
        demand->reserved || (demand->flags & ~known)) {
        return false;
    }
    if (!demand->device_count) {
        return demand->cores_milli > 0 || demand->mem_bytes > 0;
    }
    return demand->device_count <= HS_NODE_DEVICES_MAX && demand->device_share >= 1 &&
           demand->device_share <= HS_SHARES_PER_UNIT && demand->device_mem >= 0 &&
           demand->model_count <= HS_MODEL_MAX &&
           (uint64_t)demand->tasks * demand->device_count < UINT32_MAX / 2;
}

static enum hs_err refuse(const struct hs_job_spec *spec, const struct hs_demand *demand,
                          struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_STATE,
                        "Job %" PRId64 " has a demand or a walltime that no job can have: %" PRIu32
                        " tasks, %" PRId64 " milli-cores, %" PRId64 " bytes, %" PRIu32
                        " devices of %" PRIu32 " shares (1 to 1000), %" PRId64 " ns.",
                        spec->key.id, demand->tasks, demand->cores_milli, demand->mem_bytes,
                        demand->device_count, demand->device_share, spec->walltime_ns);
}

enum hs_err hsi_demand_check(const struct hs_job_spec *spec, struct hs_error *error)
{
    const struct hs_demand *demand = &spec->demand;

    if (spec->walltime_ns <= 0 || !is_sensible(demand)) {
        return refuse(spec, demand, error);
    }
    if (demand->alternative_count > HSI_ALTERNATIVES_MAX ||
        (demand->alternative_count > 0) != (demand->alternatives != NULL)) {
        return hs_error_set(error, HS_ERR_STATE,
                            "Job %" PRId64 " has %" PRIu32 " alternatives; at most %u are allowed.",
                            spec->key.id, demand->alternative_count, HSI_ALTERNATIVES_MAX);
    }
    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        if (!is_sensible(&demand->alternatives[a]) || demand->alternatives[a].alternative_count) {
            return refuse(spec, &demand->alternatives[a], error);
        }
    }
    return HS_OK;
}

/* What the empty cluster has for a demand. */
struct supply {
    uint64_t tasks;        /* of the demand as it is, on all nodes */
    uint32_t most_devices; /* admissible devices on one node */
    uint32_t most_island;  /* in one group of a node */
    uint64_t all_devices;
    int64_t most_cores; /* of a node with enough devices */
    int64_t most_mem;
    bool has_features; /* some node has the features of processors that are wanted */
    bool has_memory;   /* some admissible device has the memory */
};

static uint32_t island_size(const struct hs_free *empty, const struct hs_node *node,
                            const struct hs_demand *demand, uint32_t group)
{
    uint32_t count = 0;

    for (uint32_t d = node->first_device; d < node->first_device + node->device_count; d++) {
        count += empty->devices[d].group == group && hs_demand_admits(demand, &empty->devices[d]);
    }
    return count;
}

static void look_at_node(const struct hs_free *empty, uint32_t index,
                         const struct hs_demand *demand, struct supply *supply)
{
    const struct hs_node *node = &empty->nodes[index];
    uint32_t devices = 0;

    for (uint32_t d = node->first_device; d < node->first_device + node->device_count; d++) {
        if (hs_demand_admits(demand, &empty->devices[d])) {
            uint32_t island = island_size(empty, node, demand, empty->devices[d].group);

            devices++;
            supply->most_island = island > supply->most_island ? island : supply->most_island;
            supply->has_memory |= empty->devices[d].mem_bytes >= demand->device_mem;
        }
    }
    supply->all_devices += devices;
    supply->most_devices = devices > supply->most_devices ? devices : supply->most_devices;
    supply->has_features |= !(demand->node_features & ~node->features);
    if (devices >= demand->device_count && !(demand->node_features & ~node->features)) {
        supply->most_cores =
            node->cores_milli > supply->most_cores ? node->cores_milli : supply->most_cores;
        supply->most_mem = node->mem_bytes > supply->most_mem ? node->mem_bytes : supply->most_mem;
    }
}

/* "a100-40gb", "a100-40gb or h100", "gpu", "device". */
static void name_devices(const struct hs_cluster *cluster, const struct hs_demand *demand,
                         char *text, size_t size)
{
    size_t length = 0;

    if (!demand->model_count) {
        (void)snprintf(text, size, "%s",
                       demand->device_kind == HS_ANY_KIND ||
                               demand->device_kind >= hs_cluster_kind_count(cluster)
                           ? "device"
                           : hs_cluster_kind_name(cluster, demand->device_kind));
        return;
    }
    for (uint16_t i = 0; i < demand->model_count && length < size; i++) {
        uint16_t model = demand->models[i];
        int written =
            snprintf(text + length, size - length, "%s%s", i ? " or " : "",
                     model < hs_cluster_model_count(cluster) ? hs_cluster_model_name(cluster, model)
                                                             : "an unknown model");

        length += written > 0 ? (size_t)written : 0;
    }
}

/* "1.5 GiB", "100 bytes". */
static void name_size(int64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    size_t unit = 0;

    for (; number >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++) {
        number /= 1024;
    }
    (void)snprintf(text, size, "%.6g %s", number, units[unit]);
}

/* The first thing about devices that no node has. False: devices are not the reason. */
static bool explain_devices(struct hs_sched *sched, const struct hs_demand *demand,
                            const struct supply *supply)
{
    char name[96], wanted_size[32], most_size[32];
    char *text = sched->text;
    size_t size = sizeof sched->text;
    bool is_same_node = demand->flags & HS_DEMAND_SAME_NODE;
    uint64_t wanted = (uint64_t)demand->device_count * (is_same_node ? demand->tasks : 1u);

    name_devices(sched->cluster, demand, name, sizeof name);
    if (!supply->most_devices) {
        (void)snprintf(text, size, "needs %" PRIu32 " %s%s, no node has any", demand->device_count,
                       name, demand->features ? " with the features it wants" : "");
    } else if (demand->device_share == HS_SHARES_PER_UNIT && wanted > supply->most_devices) {
        (void)snprintf(text, size,
                       "needs %" PRIu64 " %s on one node, the largest node has %" PRIu32, wanted,
                       name, supply->most_devices);
    } else if (demand->device_count > supply->most_devices) {
        (void)snprintf(text, size,
                       "needs shares of %" PRIu32
                       " different %s on one node, the largest node has %" PRIu32,
                       demand->device_count, name, supply->most_devices);
    } else if ((demand->flags & HS_DEMAND_SAME_ISLAND) &&
               demand->device_count > supply->most_island) {
        (void)snprintf(text, size,
                       "needs %" PRIu32 " %s of one island, the largest island has %" PRIu32,
                       demand->device_count, name, supply->most_island);
    } else if (!supply->has_memory) {
        name_size(demand->device_mem, wanted_size, sizeof wanted_size);
        (void)snprintf(text, size, "needs %s on each %s, none has so much", wanted_size, name);
    } else if (demand->device_share == HS_SHARES_PER_UNIT &&
               (uint64_t)demand->tasks * demand->device_count > supply->all_devices) {
        (void)snprintf(text, size, "needs %" PRIu64 " %s, the cluster has %" PRIu64,
                       (uint64_t)demand->tasks * demand->device_count, name, supply->all_devices);
    } else if (demand->cores_milli > supply->most_cores) {
        (void)snprintf(text, size,
                       "needs %g cores beside %" PRIu32 " %s on one node, the largest such node "
                       "has %g",
                       (double)demand->cores_milli / 1000.0, demand->device_count, name,
                       (double)supply->most_cores / 1000.0);
    } else if (demand->mem_bytes > supply->most_mem) {
        name_size(demand->mem_bytes, wanted_size, sizeof wanted_size);
        name_size(supply->most_mem, most_size, sizeof most_size);
        (void)snprintf(text, size,
                       "needs %s beside %" PRIu32 " %s on one node, the largest such node has %s",
                       wanted_size, demand->device_count, name, most_size);
    } else {
        return false;
    }
    return true;
}

/* The cores or the memory of one task, if no node has so much. */
static bool explain_node(struct hs_sched *sched, const struct hs_demand *demand,
                         const struct supply *supply)
{
    const char *where = demand->node_features ? "the largest with the features it wants has"
                                              : "the largest node has";
    char wanted[32], most[32];

    if (demand->cores_milli > supply->most_cores) {
        (void)snprintf(sched->text, sizeof sched->text, "needs %g cores on one node, %s %g",
                       (double)demand->cores_milli / 1000.0, where,
                       (double)supply->most_cores / 1000.0);
        return true;
    }
    if (demand->mem_bytes > supply->most_mem) {
        name_size(demand->mem_bytes, wanted, sizeof wanted);
        name_size(supply->most_mem, most, sizeof most);
        (void)snprintf(sched->text, sizeof sched->text, "needs %s of memory on one node, %s %s",
                       wanted, where, most);
        return true;
    }
    return false;
}

/* What is left: single tasks have room, but not so many, or not where they should be. */
static void explain_tasks(struct hs_sched *sched, const struct hs_demand *demand,
                          const struct supply *supply)
{
    bool is_few = supply->tasks < demand->tasks;
    char memory[48] = "", devices[128] = "", name[96], size[32];

    if (demand->mem_bytes) {
        name_size(demand->mem_bytes, size, sizeof size);
        (void)snprintf(memory, sizeof memory, ", %s", size);
    }
    if (demand->device_count) {
        name_devices(sched->cluster, demand, name, sizeof name);
        (void)snprintf(devices, sizeof devices, ", %" PRIu32 " x %g of a %s", demand->device_count,
                       (double)demand->device_share / HS_SHARES_PER_UNIT, name);
    }
    (void)snprintf(sched->text, sizeof sched->text,
                   "needs %" PRIu32 " %s of %g cores%s%s, the empty cluster takes %" PRIu64 "%s",
                   demand->tasks, demand->tasks == 1 ? "task" : "tasks",
                   (double)demand->cores_milli / 1000.0, memory, devices,
                   is_few ? supply->tasks : demand->tasks,
                   is_few ? "" : ", but not as its constraints want them");
}

/* The demand itself, without its alternatives. */
static void explain_one(struct hs_sched *sched, const struct hs_demand *demand)
{
    struct hs_demand many = *demand;
    struct supply supply = {0};

    many.tasks = UINT32_MAX;
    for (uint32_t i = 0; i < hs_cluster_node_count(sched->cluster); i++) {
        supply.tasks += hs_free_node_tasks(sched->empty, i, &many);
        look_at_node(sched->empty, i, demand, &supply);
    }
    if (!supply.has_features) {
        (void)snprintf(sched->text, sizeof sched->text,
                       "needs processors with features that no node has");
        return;
    }
    if (demand->device_count && explain_devices(sched, demand, &supply)) {
        return;
    }
    if (!demand->device_count && explain_node(sched, demand, &supply)) {
        return;
    }
    explain_tasks(sched, demand, &supply);
}

void hsi_demand_explain(struct hs_sched *sched, const struct hs_demand *demand)
{
    size_t length;

    explain_one(sched, demand);
    length = strlen(sched->text);
    if (demand->alternative_count) {
        (void)snprintf(sched->text + length, sizeof sched->text - length,
                       "; its %" PRIu32 " alternatives cannot be met either",
                       demand->alternative_count);
    }
}
