/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.h - the runs of a sweep, before any of them is computed.
 *
 * The block `sweep` of an experiment names axes over keys. A plan has a row for each run: axes in
 * the order of the file, the first outermost, then policies, then replications; what `include` adds
 * comes last. A run's key (run/run_key.h) is the digest of all from which it is computed: two rows
 * with one key are one run. Experiments of rows are made anew on demand, so that a plan of 100,000
 * rows stays small. */
#ifndef HSIM_SWEEP_PLAN_H
#define HSIM_SWEEP_PLAN_H

#include "experiment/experiment.h"
#include "result/sweep_file.h"

#define SWEEP_RUNS_MAX 1000000

struct sweep_plan;

/* Has the experiment a `sweep`? False also where it cannot be read. */
bool sweep_plan_is_due(const char *path, const struct experiment_override *overrides,
                       size_t override_count);

/* Reads, checks every axis, value and row, and computes the keys. As experiment_load in errors:
 * `report` (caller frees; NULL if there is more to it than the experiment, or no memory) holds all
 * problems. An experiment without `sweep` is a sweep over its
 * policies. More than SWEEP_RUNS_MAX rows are refused with their number. */
enum hs_err sweep_plan_create(const char *path, const struct experiment_override *overrides,
                              size_t override_count, struct sweep_plan **plan, char **report,
                              struct hs_error *error) HS_MUST_USE;
/* The same without keys, so that no input is read: plug-ins that are not there are passed over. */
enum hs_err sweep_plan_check(const char *path, const struct experiment_override *overrides,
                             size_t override_count, struct sweep_plan **plan, char **report,
                             struct hs_error *error) HS_MUST_USE;
void sweep_plan_destroy(struct sweep_plan *plan); /* takes NULL */

/* The experiment of the first row with all its policies: name, base folder, output. Lives as the
 * plan. */
const struct experiment *sweep_plan_base(const struct sweep_plan *plan);

/* Axes and rows live as long as the plan. */
size_t sweep_plan_axes(const struct sweep_plan *plan, const struct sweep_axis **axes);
size_t sweep_plan_rows(const struct sweep_plan *plan, const struct sweep_row **rows);

/* Text that the merged file keeps: the experiment with its sweep and what --set changed. */
const char *sweep_plan_config(const struct sweep_plan *plan);

/* The experiment of a row, with its seed and one policy, whose label is that of the row. Its key is
 * that of the row as long as no input changes. Its texts live as the plan. experiment_fini in any
 * case. */
enum hs_err sweep_plan_experiment(const struct sweep_plan *plan, size_t row,
                                  struct experiment *experiment,
                                  struct hs_error *error) HS_MUST_USE;

#endif
