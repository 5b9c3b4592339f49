/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gavel.h - rows of a trace of Gavel (Narayanan et al., OSDI 2020) as they stand in the file.
 *
 * No header; ten fields with tabs between: job_type, command, working_dir, num_steps_arg,
 * needs_data_dir, total_steps, scale_factor, priority, SLO, arrival_time. */
#ifndef HSIM_WORKLOAD_GAVEL_H
#define HSIM_WORKLOAD_GAVEL_H

#include "hs/base.h"

#define GAVEL_FIELDS    10
#define GAVEL_STEPS_MAX INT64_C(1000000000000000)
#define GAVEL_SCALE_MAX 100000

struct gavel_row {
    const char *job_type; /* "LM (batch size 80)"; until the next row */
    int64_t total_steps;  /* 1 to GAVEL_STEPS_MAX */
    int64_t scale_factor; /* workers at once, 1 to GAVEL_SCALE_MAX */
    double priority;      /* a weight; larger is more urgent */
    hs_time arrival_ns;
    int64_t line;
    const char *problem; /* why the row cannot be used (a clause), or NULL; until the next row */
};

struct gavel_reader;

enum hs_err gavel_open(const char *path, struct gavel_reader **reader,
                       struct hs_error *error) HS_MUST_USE;
void gavel_close(struct gavel_reader *reader); /* takes NULL */

/* The next row, one that cannot be used too: with its problem, and nothing else but its line. */
enum hs_err gavel_next(struct gavel_reader *reader, struct gavel_row *row, bool *has_row,
                       struct hs_error *error) HS_MUST_USE;

double gavel_progress(const struct gavel_reader *reader); /* as csv_progress */

#endif
