/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stability.h - does the backlog of a run grow through its window?
 *
 * The waits of such a run tell how long the workload is, not how good the policy: it is marked,
 * and no mean takes it in. Three metrics of every run decide it; sim/README.md has what the rule
 * finds at known loads. */
#ifndef HSIM_RESULT_STABILITY_H
#define HSIM_RESULT_STABILITY_H

#include "result/result.h"

enum result_stability {
    RESULT_STABLE,
    RESULT_UNSTABLE,
    RESULT_STABILITY_UNKNOWN, /* an older hsim wrote the run, without the metrics */
};

#define RESULT_STABILITY_COUNT 3

/* "stable", "unstable", "unknown". */
extern const char *const result_stability_names[RESULT_STABILITY_COUNT];

/* The metrics. */
#define RESULT_BACKLOG_EARLY "backlog_early_procs"
#define RESULT_BACKLOG_LATE  "backlog_late_min_procs"
#define RESULT_HELD_LATE     "held_late_cores"

/* `early` is the mean backlog of the first half of the window, `least` the smallest one in the last
 * quarter, `served` the mean of what is being served there, all in one unit. True if throughout the
 * last quarter at least as much waits as did on average in the first half, and as is being served:
 * a queue that is stationary comes down again, and a short one is no overload. In growth from
 * nothing at an even pace the least of the last quarter is three times the mean of the first half.
 * False if they are NaN: there is no window. */
bool result_stability_grows(double early, double least, double served);

enum result_stability result_stability_of(const struct result_summary *summary);

#endif
