/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bound.h - no mapping ends earlier: the makespan if tasks could be cut.
 *
 * The linear relaxation: minimise z such that the shares x[t][m] >= 0 of each task sum up to 1 and
 * sum_t x[t][m] ETC[t][m] <= z for each machine. Its dual gives each machine a price p >= 0, 1 in
 * sum: every makespan is at least sum_t min_m p[m] ETC[t][m], for whatever prices. */
#ifndef HSIM_MAP_BOUND_H
#define HSIM_MAP_BOUND_H

#include "map/etc.h"

#define MAP_BOUND_GAP_MAX      1e-11 /* relative; below it a bound counts as exact */
#define MAP_BOUND_MACHINES_MAX 10000 /* 16 bytes for each pair of machines are 1.6 GB */

struct map_bound {
    double bound_s;      /* of the dual, so a true lower bound even if not exact */
    double relaxed_s;    /* makespan of the cut tasks; >= bound_s */
    bool is_exact;       /* both agree */
    uint64_t iterations; /* of the simplex method */
};

/* Solves the relaxation by the primal simplex method with generalised upper bounds (Dantzig and Van
 * Slyke, J. Computer and System Sciences 1(3), 1967): the rows of the tasks are left to one key
 * variable each, and the basis that is inverted has one row a machine. Begins from
 * `machine_of_task`, a mapping of all tasks (of Min-Min, say). `prices` (by machine) and `rounded`
 * (by task: the machine with its largest share; fewer tasks than machines are cut) may be NULL.
 * Each iteration costs machines^2 and a part of the cells. Gives up being exact after
 * `iteration_max` (0: enough for all that was tried). HS_ERR_CONFIG: more than
 * MAP_BOUND_MACHINES_MAX machines. HS_ERR_SYSTEM: no memory. */
enum hs_err map_bound_find(const struct map_etc *etc, const uint32_t *machine_of_task,
                           uint64_t iteration_max, double *prices, uint32_t *rounded,
                           struct map_bound *bound, struct hs_error *error) HS_MUST_USE;

#endif
