/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arrivals.h - how full a machine is as jobs that never end arrive: one row an arrival, and means
 * by percent of the load that has arrived. Internal to sim/result.
 *
 * The load is what the jobs so far have asked for, over what the machine has; an arrival belongs to
 * the percent that its load rounds to, halves up. Sums of integers are exact. */
#ifndef HSIM_RESULT_ARRIVALS_H
#define HSIM_RESULT_ARRIVALS_H

#include "result/metrics.h"
#include "result/table.h"

/* The arrivals of one percent. */
struct arrivals_sum {
    int64_t percent;
    int64_t events;
    hs_int128 used_milli;
    double fragment_milli;
};

struct arrivals {
    int64_t capacity_milli; /* accelerators of the machine, thousandths; 0: nothing is kept */
    struct table rows, percents;
    struct arrivals_sum sum;
    struct { /* the arrivals at 100 % */
        int64_t events;
        double alloc, fragment;
    } full;
};

/* What `percent` an arrival belongs to; its part of the sum; the means of a sum that has events. */
int64_t arrivals_percent(int64_t requested_milli, int64_t capacity_milli);
void arrivals_count(struct arrivals_sum *sum, int64_t used_milli, double fragment_milli);
void arrivals_means(const struct arrivals_sum *sum, int64_t capacity_milli, double *alloc,
                    double *fragment);

/* Tables in `file`, unless it is < 0: then only the metrics are computed. False: no memory, or HDF5
 * failed; arrivals_fini in either case. */
bool arrivals_init(struct arrivals *arrivals, const struct result_meta *meta, hid_t file, int level,
                   struct pack *pack, struct store_cause *cause);
/* False: storing failed. */
bool arrivals_add(struct arrivals *arrivals, const struct result_arrival *arrival);
/* Writes what is left. */
bool arrivals_finish(struct arrivals *arrivals);
bool arrivals_fini(struct arrivals *arrivals); /* as table_fini */

/* Appends the metrics of an inflation to a summary; false: no memory. */
bool arrivals_summarise(const struct arrivals *arrivals, struct result_summary *summary);

#endif
