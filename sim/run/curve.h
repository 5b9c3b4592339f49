/* SPDX-License-Identifier: GPL-3.0-or-later */
/* curve.h - how full the machine is while an inflated workload arrives.
 *
 * Books beside the core, of what the host is told to start, so that they hold for every policy. A
 * change costs the nodes that it touches. */
#ifndef HSIM_RUN_CURVE_H
#define HSIM_RUN_CURVE_H

#include "hs/mix.h"
#include "result/result.h"
#include "workload/workload.h"

struct curve {
    const struct hs_mix *mix; /* NULL: fragmentation is not known; borrowed */
    struct hs_free *free;
    double *sums;    /* of the fragments of nodes: a tree, node i below i / 2; leaves last */
    uint32_t leaves; /* a power of two */
    int64_t requested_milli;
    int64_t used_milli;
    int64_t job; /* that has arrived since the last row; -1: none */
};

/* All of the cluster is free. `mix` may be NULL. */
enum hs_err curve_init(struct curve *curve, const struct hs_cluster *cluster,
                       const struct hs_mix *mix, struct hs_error *error) HS_MUST_USE;
void curve_fini(struct curve *curve); /* takes a zeroed one too */

void curve_arrived(struct curve *curve, const struct workload_job *job);
void curve_started(struct curve *curve, const struct hs_demand *demand,
                   const struct hs_alloc *alloc);
void curve_ended(struct curve *curve, const struct hs_demand *demand, const struct hs_alloc *alloc);

/* After the pass: the row of the job that has arrived, if one has. */
enum hs_err curve_log(struct curve *curve, struct result_writer *writer,
                      struct hs_error *error) HS_MUST_USE;

#endif
