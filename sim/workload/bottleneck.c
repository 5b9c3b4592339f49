/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bottleneck.c - offered loads of cores, memory and sets of devices. */
#include "workload/bottleneck.h"

#include "hs/free.h"

static void consider(struct bottleneck *found, double work, double capacity, size_t class_index,
                     bool is_memory)
{
    double load = work / capacity;

    if (work > 0 && load > found->load_per_rate) {
        *found = (struct bottleneck){load, class_index, is_memory};
    }
}

/* Bytes of all nodes; 0 if one does not say. */
static double memory_of(const struct hs_cluster *cluster)
{
    double sum = 0;

    for (uint32_t i = 0; i < hs_cluster_node_count(cluster); i++) {
        int64_t mem_bytes = hs_cluster_node(cluster, i)->mem_bytes;

        if (mem_bytes == HS_MEM_UNLIMITED) {
            return 0;
        }
        sum += (double)mem_bytes;
    }
    return sum;
}

static bool may_use(const struct hs_demand *demand, const struct hs_device *device)
{
    return hs_demand_admits(demand, device) && demand->device_mem <= device->mem_bytes;
}

/* May the class use none but the devices that `outer` may use? */
static bool is_confined(const struct hs_cluster *cluster, const struct hs_demand *inner,
                        const struct hs_demand *outer)
{
    if (inner->device_count == 0) {
        return false;
    }
    for (uint32_t i = 0; i < hs_cluster_device_count(cluster); i++) {
        const struct hs_device *device = hs_cluster_device(cluster, i);

        if (may_use(inner, device) && !may_use(outer, device)) {
            return false;
        }
    }
    return true;
}

/* No device at all: which of its words is the reason. */
static enum hs_err no_device(const struct hs_cluster *cluster, const struct hs_demand *demand,
                             struct hs_error *error)
{
    int64_t most = -1;

    if (hs_cluster_device_count(cluster) == 0) {
        return hs_error_set(error, HS_ERR_CONFIG, "the platform has no devices");
    }
    for (uint32_t i = 0; i < hs_cluster_device_count(cluster); i++) {
        const struct hs_device *device = hs_cluster_device(cluster, i);

        if (hs_demand_admits(demand, device)) {
            most = device->mem_bytes > most ? device->mem_bytes : most;
        }
    }
    if (most < 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "no device has the kind, the model and the features together");
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "its device-mem is %g GB, and the largest such device has %g GB",
                        (double)demand->device_mem / 1e9, (double)most / 1e9);
}

static enum hs_err devices_consider(const struct hs_cluster *cluster,
                                    const struct bottleneck_class *classes, size_t count,
                                    size_t index, struct bottleneck *found, struct hs_error *error)
{
    const struct hs_demand *outer = classes[index].demand;
    double capacity = 0, work = 0;

    for (uint32_t i = 0; i < hs_cluster_device_count(cluster); i++) {
        capacity += may_use(outer, hs_cluster_device(cluster, i)) ? HS_SHARES_PER_UNIT : 0;
    }
    if (!(capacity > 0)) {
        return no_device(cluster, outer, error);
    }
    for (size_t i = 0; i < count; i++) {
        const struct hs_demand *inner = classes[i].demand;

        if (is_confined(cluster, inner, outer)) {
            work += classes[i].seconds * (double)inner->tasks * (double)inner->device_count *
                    (double)inner->device_share;
        }
    }
    consider(found, work, capacity, index, false);
    return HS_OK;
}

enum hs_err bottleneck_find(const struct hs_cluster *cluster, int64_t machine_procs,
                            const struct bottleneck_class *classes, size_t count,
                            struct bottleneck *found, struct hs_error *error)
{
    double cores_milli =
        cluster ? (double)hs_cluster_cores_milli(cluster) : 1000.0 * (double)machine_procs;
    double mem_bytes = cluster ? memory_of(cluster) : 0;
    double cores_work = 0, mem_work = 0;

    *found = (struct bottleneck){.class_index = SIZE_MAX};
    for (size_t i = 0; i < count; i++) {
        const struct hs_demand *demand = classes[i].demand;
        double tasks = classes[i].seconds * (double)demand->tasks;

        cores_work += tasks * (double)demand->cores_milli;
        mem_work += tasks * (double)demand->mem_bytes;
    }
    if (cores_milli > 0) {
        consider(found, cores_work, cores_milli, SIZE_MAX, false);
    }
    if (mem_bytes > 0) {
        consider(found, mem_work, mem_bytes, SIZE_MAX, true);
    }
    for (size_t i = 0; cluster && i < count; i++) {
        if (classes[i].demand->device_count > 0) {
            enum hs_err err = devices_consider(cluster, classes, count, i, found, error);

            if (err) {
                found->class_index = i;
                return err;
            }
        }
    }
    return HS_OK;
}
