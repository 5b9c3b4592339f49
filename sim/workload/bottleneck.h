/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bottleneck.h - which resource of a cluster a stream of jobs wears out first.
 *
 * The offered load of a resource is the work that arrives for it over what it can do: arrival rate
 * x sum over the classes of (share of the jobs x amount x mean run time) / capacity. Resources are
 * all cores, all memory (if every node's is known) and, for each class that asks for devices, the
 * devices that it may use, with the work of all classes that may use no others. A share of a
 * device counts as that share; of alternatives the first counts. */
#ifndef HSIM_WORKLOAD_BOTTLENECK_H
#define HSIM_WORKLOAD_BOTTLENECK_H

#include "hs/cluster.h"
#include "hs/demand.h"

struct bottleneck_class {
    const struct hs_demand *demand;
    double seconds; /* share of the jobs x mean run time */
};

struct bottleneck {
    double load_per_rate; /* offered load of the scarcest resource at one job a second */
    size_t class_index;   /* devices of this class; SIZE_MAX: no devices */
    bool is_memory;
};

/* `cluster` NULL: only `machine_procs` processors are known. HS_ERR_CONFIG: a class may use no
 * device at all. */
enum hs_err bottleneck_find(const struct hs_cluster *cluster, int64_t machine_procs,
                            const struct bottleneck_class *classes, size_t count,
                            struct bottleneck *found, struct hs_error *error) HS_MUST_USE;

#endif
