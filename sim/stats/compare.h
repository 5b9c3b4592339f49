/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.h - policies against a baseline, over runs that are alike in all but the policy.
 *
 * One metric at a time. The values are a matrix: a row for each policy, a column for each
 * situation (workload, window, seed, ...); NaN where a run is missing, unstable or has no value. */
#ifndef HSIM_STATS_COMPARE_H
#define HSIM_STATS_COMPARE_H

#include "stats/stats.h"

/* With fewer values than this there is no interval and no test: single points say more. */
#define STATS_INTERVAL_MIN 5

struct stats_design {
    double level;   /* of the intervals, 0 < level < 1 */
    bool is_paired; /* columns belong together; else rows are independent samples */
    bool is_median; /* medians with bootstrap intervals in place of means; only if paired */
    uint64_t seed;  /* of the bootstrap */
    size_t resamples;
};

/* A policy and how it differs from the baseline. Bounds and p are NaN for fewer than
 * STATS_INTERVAL_MIN pairs, or values on either side if not paired. */
struct stats_cell {
    size_t count;                 /* values of the policy */
    struct stats_interval center; /* their mean, or median */
    double deviation;
    /* The rest is NaN and 0 for the baseline itself. */
    size_t pairs;                     /* columns in which both have a value */
    struct stats_interval difference; /* policy - baseline: mean or median of the differences */
    struct stats_interval ratio;      /* policy / baseline: of geometric means, its interval by
                                         Student's t on logarithms; NaN if a value is not above 0 */
    struct stats_wilcoxon test;       /* of the differences; only if paired */
    double p, p_holm;                 /* of the test, and adjusted over all policies */
    size_t lower, higher, equal;      /* pairs in which the policy is below the baseline, ... */
};

/* values[policy * columns + column]; cells[policies]. HS_ERR_SYSTEM: no memory. */
enum hs_err stats_compare(const double *values, size_t policies, size_t columns, size_t baseline,
                          const struct stats_design *design, struct stats_cell *cells,
                          struct hs_error *error) HS_MUST_USE;

#endif
