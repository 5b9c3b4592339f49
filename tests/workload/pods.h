/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pods.h - lists of pods and machines for them. */
#ifndef HSIM_TESTS_WORKLOAD_PODS_H
#define HSIM_TESTS_WORKLOAD_PODS_H

#include "hs/cluster.h"
#include "support.h"

#define PODS_SHORT "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
#define PODS_LONG                                                                                  \
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"            \
    "deletion_time,scheduled_time\n"

/* `nodes` nodes with 64 cores and 2 GPUs each, T4 and V100 by turns. */
static inline struct hs_cluster *pods_cluster(int nodes)
{
    struct hs_cluster *cluster = hs_cluster_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(cluster);
    for (int i = 0; i < nodes; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%d", i);
        CU_ASSERT_FATAL(!hs_cluster_add_node(cluster, name, 64000, INT64_C(1) << 38, NULL));
        for (int k = 0; k < 2; k++) {
            CU_ASSERT_FATAL(!hs_cluster_add_device(cluster, "gpu", i % 2 ? "V100" : "T4",
                                                   HS_NO_GROUP, HS_MEM_UNLIMITED, NULL));
        }
    }
    CU_ASSERT_FATAL(!hs_cluster_seal(cluster, NULL));
    return cluster;
}

static inline void pods_options(struct workload_options *options, const struct hs_cluster *cluster)
{
    workload_options_defaults(options);
    options->format = WORKLOAD_FORMAT_OPENB;
    options->cluster = cluster;
    options->machine_procs = cluster ? hs_cluster_cores_milli(cluster) / 1000 : 0;
    options->seed = 1;
}

#endif
