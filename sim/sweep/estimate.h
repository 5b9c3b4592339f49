/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate.h - how long the runs of a sweep take, judged by those that were computed.
 *
 * The policy decides most of it: a run is expected to take as long as those of its policy on the
 * average, and if there is none of it, as long as those of the slowest policy. */
#ifndef HSIM_SWEEP_ESTIMATE_H
#define HSIM_SWEEP_ESTIMATE_H

#include "sweep/plan.h"

struct sweep_estimate {
    double *wall_s;    /* per row; NaN: nothing is known at all. Owned. */
    int64_t rss_bytes; /* the most that a run has taken; 0: not known */
    size_t measured;   /* finished runs on which all this rests */
};

/* From a file timings.csv: the last complete run of each key counts. A file that is not there, and
 * lines that are no timings, tell nothing. */
enum hs_err sweep_estimate_read(const char *path, const struct sweep_row *rows, size_t row_count,
                                struct sweep_estimate *estimate,
                                struct hs_error *error) HS_MUST_USE;
void sweep_estimate_fini(struct sweep_estimate *estimate); /* takes a zeroed one, too */

#endif
