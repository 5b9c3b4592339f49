/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stability.h - does the backlog of a run grow through its window?
 *
 * The waits of such a run tell how long the workload is, not how good the policy: it is marked,
 * and no mean takes it in. sim/README.md has what the rule finds at known loads. */
#ifndef HSIM_RESULT_STABILITY_H
#define HSIM_RESULT_STABILITY_H

#include "result/reader.h"

enum result_stability {
    RESULT_STABLE,
    RESULT_UNSTABLE,
    RESULT_STABILITY_UNKNOWN, /* the run has no series */
};

/* "stable", "unstable", "unknown". */
const char *result_stability_name(enum result_stability stability);
#define RESULT_STABILITY_COUNT 3

/* `early` is the mean backlog of the first half of the window, `least` the smallest one in the last
 * quarter, `served` the mean of what is being served there, all in one unit. True if throughout the
 * last quarter at least as much waits as did on average in the first half, and as is being served:
 * a queue that is stationary comes down again, and a short one is no overload. In growth from
 * nothing at an even pace the least of the last quarter is three times the mean of the first half.
 */
bool result_stability_grows(double early, double least, double served);

/* Of a run, by its window of arrivals: from the first to the last submission within the measured
 * window. */
enum hs_err result_read_stability(struct result_reader *reader, enum result_stability *stability,
                                  struct hs_error *error) HS_MUST_USE;

#endif
