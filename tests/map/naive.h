/* SPDX-License-Identifier: GPL-3.0-or-later */
/* naive.h - the heuristics as their definitions read: every step looks at everything. */
#ifndef HSIM_TESTS_NAIVE_H
#define HSIM_TESTS_NAIVE_H

#include "lib/mapping.h"

/* A plain matrix (no classes) with its ready times, which change. */
struct naive {
    uint32_t task_count, machine_count;
    const double *times_s;
    double *ready_s;           /* by machine */
    uint32_t *machine_of_task; /* HP_MAPPING_NONE: not yet, or never */
    double makespan_s;
};

/* Maps by the heuristic of this name. */
void naive_map(struct naive *naive, const char *name);

#endif
