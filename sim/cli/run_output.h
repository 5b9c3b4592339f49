/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_output.h - how `hsim run` shows what it does: progress, the table, JSON, notes. */
#ifndef HSIM_CLI_RUN_OUTPUT_H
#define HSIM_CLI_RUN_OUTPUT_H

#include "run/run.h"

/* One policy's run, for the outputs. */
struct run_row {
    const char *label;
    enum hs_err err;
    struct hs_error error; /* if err */
    struct run_outcome outcome;
    bool is_done; /* it was tried */
};

/* Side by side: a line for each policy. */
void run_print_table(const struct run_row *rows, size_t count);

/* {"runs": [...]}: every metric of the summary; a metric that does not apply is null. */
void run_print_json(const struct run_row *rows, size_t count);

/* What happened to the records of the workload, with the first examples; nothing if all was
 * plain. All that went well have read the same records; which jobs are rejected, policies may
 * see differently. */
void run_print_notes(FILE *file, const struct experiment *experiment, const struct run_row *rows,
                     size_t count);

/* A line on standard error that is rewritten as the run goes on. */
struct run_progress {
    const char *label;
    double started_s;
    double shown_s;
    bool is_shown;
};
void run_progress_begin(struct run_progress *progress, const char *label);
/* As the callback of a run_request; `context` is a struct run_progress. */
void run_progress_show(void *context, int64_t jobs_done, hs_time now, double share);
/* Clears the line. */
void run_progress_end(struct run_progress *progress);

#endif
