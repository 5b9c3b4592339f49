/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_engine_work.h - what the files of the engines share. */
#ifndef HSIM_CLI_SWEEP_ENGINE_WORK_H
#define HSIM_CLI_SWEEP_ENGINE_WORK_H

#include "cli/sweep_engine.h"

/* A run that is neither finished nor failed; or failed, where failed ones are wanted again. */
struct sweep_engine_run {
    const char *key;
    size_t row; /* the first that has it */
};

struct sweep_engine_work {
    const struct sweep_engine *engine;
    const struct sweep_engine_call *call;
    const struct sweep_plan *plan;
    char **words; /* hsim sweep EXP.yaml -o DIR ..., with absolute paths; owned */
    size_t word_count;
    const char *folder; /* one of the words */
    const struct sweep_row *rows;
    size_t row_count;
    struct sweep_engine_run *missing; /* in the order of the sweep; owned */
    size_t missing_count;
};

/* Merges if nothing is missing, and lists what is. */
enum hs_err sweep_engine_look(struct sweep_engine_work *work, struct sweep_result *result,
                              struct hs_error *error) HS_MUST_USE;

/* "DIR: 40 runs, 3 finished, ..." unless the person wants quiet. */
void sweep_engine_print_counts(const struct sweep_engine_work *work,
                               const struct sweep_result *result);

/* The engine `slurm`. */
enum hs_err sweep_engine_slurm(struct sweep_engine_work *work, struct sweep_result *result,
                               struct hs_error *error) HS_MUST_USE;

#endif
