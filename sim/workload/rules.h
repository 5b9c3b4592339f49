/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules.h - from a record of a trace to a rigid job: the rules of the replay.
 *
 * Which processors count, what a missing or exceeded request means, what becomes of zero-length,
 * cancelled and oversized jobs. Every choice is an option; every use of one is tallied. */
#ifndef HSIM_WORKLOAD_RULES_H
#define HSIM_WORKLOAD_RULES_H

#include "workload/source.h"

/* Fills *job and tells whether there is one; false: dropped, and counted so. job->id is -1. */
bool workload_rules_apply(const struct workload_options *options,
                          const struct workload_record *record, struct workload_job *job,
                          struct workload_stats *stats);

#endif
