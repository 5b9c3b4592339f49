/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_files.h - what a submission writes into its folder before Slurm is asked. */
#ifndef HSIM_SWEEP_SLURM_FILES_H
#define HSIM_SWEEP_SLURM_FILES_H

#include "sweep/slurm.h"

/* Makes DIR/slurm/N with the least N that is free and beyond the queue's; the caller frees *place.
 */
enum hs_err slurm_files_begin(const struct slurm_request *request, uint64_t *submission,
                              char **place, struct hs_error *error) HS_MUST_USE;

/* Writes tasks/0, tasks/1, ...: the keys of each task, a line each. */
enum hs_err slurm_files_tasks(const char *place, const struct slurm_work *work, const size_t *first,
                              size_t task_count, struct hs_error *error) HS_MUST_USE;

/* Writes job.sh, which computes a task of the arrays. `longest_s` is the time of the longest task;
 * NaN: not known. */
enum hs_err slurm_files_job(const struct slurm_request *request, const char *place,
                            double longest_s, int64_t rss_bytes,
                            struct hs_error *error) HS_MUST_USE;

/* Writes merge.sh. */
enum hs_err slurm_files_merge(const struct slurm_request *request, const char *place,
                              struct hs_error *error) HS_MUST_USE;

/* Writes submit.sh: the calls of sbatch. */
enum hs_err slurm_files_calls(const char *place, const char *calls,
                              struct hs_error *error) HS_MUST_USE;

#endif
