/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search.h - a mapping near the bound: local search among moves and exchanges.
 *
 * Threshold accepting (Dueck and Scheuer, J. Computational Physics 90(1), 1990) in rounds. What is
 * made small is the sum over machines of ((load - z) / z)^2 where the load is above z, and z lies a
 * little above the bound of the relaxation (map/bound.h). Its prices say what it costs to have a
 * task on a machine; moves that cost little are tried more often. No logarithm takes part, so that
 * the same seed and steps give the same mapping on every machine. */
#ifndef HSIM_MAP_SEARCH_H
#define HSIM_MAP_SEARCH_H

#include "map/bound.h"

struct map_search_options {
    uint64_t seed;
    uint64_t step_count;            /* moves that are tried, all rounds together */
    bool (*is_over)(void *context); /* asked now and then; true ends the search; NULL: never */
    void *context;
};

struct map_search_result {
    double makespan_s; /* of the best mapping */
    double start_s;    /* of the mapping that was given */
    struct map_bound bound;
    uint64_t step_count; /* done */
    bool is_cut;         /* by is_over: another run may get further or less far */
};

/* Improves `machine_of_task`, a mapping of all tasks; it begins from that or from the relaxation
 * with whole tasks, whichever is better. HS_ERR_SYSTEM: no memory. */
enum hs_err map_search(const struct map_etc *etc, const struct map_search_options *options,
                       uint32_t *machine_of_task, struct map_search_result *result,
                       struct hs_error *error) HS_MUST_USE;

/* The last end of a machine when each runs its tasks in the order of their numbers. `loads_s` gets
 * the ends, by machine. */
double map_makespan(const struct map_etc *etc, const uint32_t *machine_of_task, double *loads_s);

#endif
