/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups.h - the devices of a cluster by kind and model.
 *
 * A group is the devices of one kind and model; groups are numbered as their first devices are.
 * What is told of devices has a slot for each kind and, in runs with fragmentation, then one for
 * each group. */
#ifndef HSIM_RESULT_GROUPS_H
#define HSIM_RESULT_GROUPS_H

#include "result/result.h"

#define RESULT_LABEL_MAX 104

struct result_group {
    const char *kind, *model; /* of the cluster */
    uint16_t kind_index;
    int64_t count;                /* devices */
    char label[RESULT_LABEL_MAX]; /* "gpu_a100": fit for the name of a column */
};

struct result_groups {
    uint32_t *of; /* by device */
    struct result_group *groups;
    size_t count, kind_count;
};

/* result_groups_fini in either case. The cluster must outlive them. */
enum hs_err result_groups_init(struct result_groups *groups, const struct hs_cluster *cluster,
                               struct hs_error *error) HS_MUST_USE;
void result_groups_fini(struct result_groups *groups); /* takes a zeroed one too */

#endif
