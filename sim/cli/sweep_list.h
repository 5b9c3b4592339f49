/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_list.h - hsim sweep --list: the runs of a sweep as a table, before they are computed. */
#ifndef HSIM_CLI_SWEEP_LIST_H
#define HSIM_CLI_SWEEP_LIST_H

#include "sweep/plan.h"

enum sweep_list_state { SWEEP_LIST_MISSING, SWEEP_LIST_FINISHED, SWEEP_LIST_FAILED };

/* What the folder of the sweep tells. */
struct sweep_list {
    const enum sweep_list_state *states; /* by row; NULL: nothing is there yet */
    double mean_s;                       /* of a run; NaN: not known */
    unsigned jobs;                       /* runs at a time, for which the rest is estimated */
    bool is_json;
};

/* Prints the rows, and how many runs they are: rows of one key are one run. The exit code. */
int sweep_list_print(const struct sweep_plan *plan, const struct sweep_list *list);

#endif
