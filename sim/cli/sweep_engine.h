/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_engine.h - who computes the runs of `hsim sweep`: this process, another program that runs
 * command lines, or Slurm.
 *
 * All engines share the folder: a finished run is a file, whoever wrote it. */
#ifndef HSIM_CLI_SWEEP_ENGINE_H
#define HSIM_CLI_SWEEP_ENGINE_H

#include <argp.h>

#include "sweep/sweep.h"

enum sweep_engine_kind { SWEEP_ENGINE_LOCAL, SWEEP_ENGINE_COMMANDS, SWEEP_ENGINE_SLURM };

/* Zeroed before parsing. */
struct sweep_engine {
    enum sweep_engine_kind kind;
    const char **options; /* for sbatch; owned, the texts are not */
    size_t option_count;
    double task_s; /* length of a task of Slurm that is aimed at; 0: the default */
    bool is_dry;   /* write the scripts, submit nothing */
};

/* Options of engines, a child of the command's; its input is a struct sweep_engine. */
extern const struct argp sweep_engine_argp;

void sweep_engine_fini(struct sweep_engine *engine);

/* How hsim was called. */
struct sweep_engine_call {
    const char *path; /* of the experiment */
    const struct experiment_override *overrides;
    size_t override_count;
    const struct sweep_request *request; /* folder, shared runs, limits, retrying, stop */
    bool is_quiet;
};

/* Merges if all runs are there; else prints the command lines of the missing ones, or submits them.
 * The exit code. Not for SWEEP_ENGINE_LOCAL. */
int sweep_engine_run(const struct sweep_engine *engine, const struct sweep_engine_call *call,
                     const struct sweep_plan *plan);

/* What `hsim sweep status` says about jobs of Slurm: nothing if the folder never had any. */
void sweep_engine_print_status(const char *folder);
/* Its member of the JSON object, with a comma before it. */
void sweep_engine_print_status_json(const char *folder);

#endif
