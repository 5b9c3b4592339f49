/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speeds.h - the block `speeds` of an experiment carried out: libraries, tables, the model, and
 * which class a job is of. Internal to sim/run. */
#ifndef HSIM_RUN_SPEEDS_H
#define HSIM_RUN_SPEEDS_H

#include "experiment/experiment.h"
#include "map/etc.h"
#include "speed/model.h"
#include "workload/names.h"

struct throughput_table;

/* Zero it before use. One for a session: the classes have the same numbers in all its runs. */
struct run_speeds {
    const struct experiment_speeds *options; /* NULL: without speeds */
    const struct workload_options *workload;
    const char **node_models;
    struct catalogue *own_catalogue; /* if the platform has none */
    struct speed_library *library;
    struct throughput_table *throughputs;
    struct map_etc etc;
    struct speed_model *model; /* NULL: without speeds */
    int32_t fallback;          /* class, or SPEED_NO_CLASS */
    int32_t *of_row;           /* by options->rows */
    bool *is_met;              /* likewise, since the session began: a job had the number */
    int32_t *of_number;        /* by the workload's number of a class; -2: not asked yet */
    size_t number_count;
    const char **class_names, **unit_names; /* see run_speeds_names */
    size_t class_names_count, unit_count;
    bool is_killing; /* with a fixed walltime: jobs are killed at it */
};

/* Loads everything, and puts a marked copy in the place of platform->cluster, which must not be in
 * use yet. Nothing without the block. Errors of files and names, HS_ERR_CONFIG for a class that can
 * run nowhere on the platform. */
enum hs_err run_speeds_init(struct run_speeds *speeds, const struct experiment *experiment,
                            struct platform *platform, struct hs_error *error) HS_MUST_USE;
void run_speeds_fini(struct run_speeds *speeds);

/* HS_ERR_INPUT: with a matrix of times, it has no row for the job. */
enum hs_err run_speeds_check_row(const struct run_speeds *speeds, const struct workload_job *job,
                                 struct hs_error *error) HS_MUST_USE;

/* The class of a job by the rules of the block. HS_ERR_INPUT: its class is not known, and there is
 * no default. `unknown` counts those that are not known and become the default. */
enum hs_err run_speeds_class(struct run_speeds *speeds, const struct workload_names *names,
                             const struct workload_job *job, int32_t *job_class,
                             struct workload_tally *unknown, struct hs_error *error) HS_MUST_USE;

/* Rows of the map that no job has met. */
void run_speeds_unmet(const struct run_speeds *speeds, struct workload_tally *unmet);

/* Lists the names of all classes that were met so far, by number, and of what they compute on. */
enum hs_err run_speeds_names(struct run_speeds *speeds, struct hs_error *error) HS_MUST_USE;

#endif
