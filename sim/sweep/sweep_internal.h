/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_internal.h - a sweep at work: sweep.c has the whole, sweep_runs.c what the pool asks,
 * sweep_files.c the tables and reports that the folder gets. */
#ifndef HSIM_SWEEP_INTERNAL_H
#define HSIM_SWEEP_INTERNAL_H

#include "run/run.h"
#include "sweep/sweep.h"

/* A run that has a process. */
struct sweep_running {
    bool is_used;
    size_t run;
    double began_s;
};

struct sweep_work {
    const struct sweep_plan *plan;
    const struct sweep_request *request;
    struct sweep_result *result;
    struct sweep_store *store;
    const struct sweep_row *rows; /* of the plan */
    size_t row_count;
    size_t *first_rows; /* by run: the first row that has its key; runs are in order of these */
    size_t *run_of;     /* by row; SIZE_MAX: not asked for */
    enum sweep_state *states;
    size_t run_count;
    size_t next;      /* runs before it were begun, or need not be */
    size_t *deferred; /* being computed by another sweep with the same folder of runs */
    size_t deferred_count;
    size_t ended; /* by this sweep */
    struct sweep_running *running;
    struct run_warm *warm;        /* platforms, for the children */
    struct experiment experiment; /* of the run that is about to begin */
    enum hs_err prepared;         /* and whether it could be made */
    struct hs_error prepare_error;
    char *path; /* of its result */
    double began_s;
    double told_s; /* status.json is of this time */
    bool is_stop_told;
    bool has_given_up;       /* a run failed, and the first was to be the last */
    struct hs_error trouble; /* why the sweep ends; code HS_OK: it does not */
};

void sweep_tell(struct sweep_work *work, struct sweep_event event);

/* Computes what is missing, as far as it goes. HS_ERR_SYSTEM: the sweep cannot go on. */
enum hs_err sweep_compute(struct sweep_work *work, struct hs_error *error) HS_MUST_USE;

/* runs.csv, from the plan; unless it is there and `is_kept`. */
enum hs_err sweep_write_table(struct sweep_work *work, bool is_kept,
                              struct hs_error *error) HS_MUST_USE;
/* status.json. `state`: "running", "complete", "interrupted", "stopped". */
void sweep_write_status(struct sweep_work *work, const char *state);

#endif
