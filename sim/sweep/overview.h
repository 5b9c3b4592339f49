/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overview.h - how far a sweep is, seen from outside.
 *
 * What is finished and what failed, the files tell, whoever computes them. What runs and for how
 * long, status.json tells while a whole sweep has the lock; else the result files that are being
 * written.
 */
#ifndef HSIM_SWEEP_OVERVIEW_H
#define HSIM_SWEEP_OVERVIEW_H

#include "sweep/store.h"

struct sweep_overview_run {
    const char *key; /* of the row in runs.csv that has it first */
    const char *row; /* what stands behind the key there: policy, seed, replicate, axes */
    enum sweep_state state;
    bool is_running;
    double seconds; /* since it began; NaN: not known, or not running */
    char *failure;  /* owned; NULL: it did not fail */
};

struct sweep_overview {
    bool is_running;
    bool is_merged; /* there is a sweep.h5; it may be an older one */
    int process;    /* of the sweep; 0: not known */
    size_t rows;
    size_t finished, failed, running, left; /* together the number of runs */
    double elapsed_s, left_s;               /* NaN: not known */
    struct sweep_overview_run *runs;        /* in the order of the sweep; owned */
    size_t run_count;
    char *table; /* runs.csv; owned */
};

/* HS_ERR_CONFIG: there is no sweep in the folder. sweep_overview_fini in any case. */
enum hs_err sweep_overview_read(const char *folder, struct sweep_overview *overview,
                                struct hs_error *error) HS_MUST_USE;
void sweep_overview_fini(struct sweep_overview *overview);

#endif
