/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resample.h - one run of each policy on one trace, compared by resampling its users or weeks.
 *
 * One trace is one sample. What can be asked of it is how much the figures hang on who happened to
 * be there: whole blocks of jobs (of a user, or submitted in a week) are drawn with replacement,
 * the same for all policies, and the metrics are computed from the jobs that were drawn. The
 * schedules stay as they are: nothing is simulated anew. */
#ifndef HSIM_COMPARE_RESAMPLE_H
#define HSIM_COMPARE_RESAMPLE_H

#include "compare/runs.h"

enum compare_unit { COMPARE_RUNS, COMPARE_USERS, COMPARE_WEEKS };

/* "runs", "users", "weeks". */
extern const char *const compare_unit_names[3];

/* The metrics that can be computed from jobs, if no other are asked for. */
#define COMPARE_JOB_METRICS "wait_mean_s,wait_median_s,wait_p95_s,bsld_mean,turnaround_mean_s"

/* As compare_cells: `center` is the metric of the run, `difference` and `ratio` are those of the
 * metrics, all with BCa intervals over blocks; `count` and `pairs` are the blocks. There is no
 * test. Bounds are NaN for fewer than STATS_INTERVAL_MIN blocks. HS_ERR_CONFIG: a policy has not
 * one run, a metric is none of jobs, or no job has a user. */
enum hs_err compare_resample(const struct compare_set *set, const struct compare_table *table,
                             const struct stats_design *design, enum compare_unit unit,
                             struct stats_cell *cells, struct hs_error *error) HS_MUST_USE;

#endif
