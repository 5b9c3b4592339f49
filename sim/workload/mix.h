/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mix.h - what a workload is made of: its frequent demands, with weights.
 *
 * A demand counts as what one task of it asks for: cores, devices or a share of one, their kind,
 * models and features; memory does not count. Demands are sorted by how many jobs have them, at
 * equal counts by cores, devices and share, the larger first; they are taken until they cover 95 %
 * of the jobs, and their weights are then scaled to sum to 1 ("typical pods" of Weng et al.,
 * "Beware of Fragmentation", USENIX ATC 2023). */
#ifndef HSIM_WORKLOAD_MIX_H
#define HSIM_WORKLOAD_MIX_H

#include "workload/workload.h"

struct workload_mix {
    struct hs_demand *demands; /* owned */
    double *weights;           /* owned; sum 1 */
    int64_t *jobs;             /* behind each demand; owned */
    size_t count;
    int64_t covered;   /* their sum */
    int64_t job_count; /* all jobs that were read */
    size_t distinct;   /* different demands among them */
};

/* Reads the workload once, an inflated one before it is shuffled and repeated. */
enum hs_err workload_mix_create(const struct workload_options *options, struct workload_mix *mix,
                                struct hs_error *error) HS_MUST_USE;
void workload_mix_fini(struct workload_mix *mix); /* takes a zeroed one too */

#endif
