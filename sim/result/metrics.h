/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metrics.h - the numbers of the summary, computed while the jobs come. Internal to sim/result.
 *
 * Sums of times are 128-bit integers, so that no order of jobs changes a mean; sums of ratios are
 * compensated. Percentiles are exact: they read the jobs again through a `metrics_source`, block
 * by block, so that ten million jobs need no more memory than ten. */
#ifndef HSIM_RESULT_METRICS_H
#define HSIM_RESULT_METRICS_H

#include "result/growth.h"
#include "result/quantile.h"
#include "result/result.h"
#include "result/schema.h"
#include "result/series.h"
#include "result/sum.h"

/* A measured job that was started and ended. */
struct metrics_sample {
    hs_time wait_ns, turnaround_ns, run_ns; /* run: executed time */
    hs_time
        ref_ns; /* that of the bounded slowdown: with speeds on the reference device, else run */
    int64_t procs;
};

/* Quantities whose distribution is told. */
enum metrics_quantity {
    QUANTITY_WAIT,
    QUANTITY_TURNAROUND,
    QUANTITY_SLOWDOWN,
    QUANTITY_BSLD,
    QUANTITY_BSLD_PER_PROC,
    QUANTITY_COUNT
};

struct metrics_distribution {
    struct quantile_counts counts;
    struct metrics_sum sum, logs, weighted;
    double max;
};

struct metrics {
    hs_time tau_ns, from_ns, to_ns;
    int64_t capacity_milli;
    int64_t states[RESULT_STATE_COUNT];
    int64_t jobs, measured, samples, started, submitted;
    hs_time first_submit_ns, last_submit_ns;    /* of all jobs that were submitted */
    hs_time first_started_ns, last_end_ns;      /* first submit and last end of those that ran */
    hs_int128 wait_ns, turnaround_ns;           /* sums over the samples */
    struct metrics_sum weights;                 /* processors x executed time of the samples */
    hs_int128 held;                             /* cores x time of all jobs, core/1000 x ns */
    hs_int128 offered;                          /* cores x true run time, core/1000 x ns */
    hs_int128 integral_at_last_submit;          /* of held cores, at last_submit_ns */
    hs_int128 integral_at_first_submit;         /* likewise */
    hs_int128 integral_at_from, integral_at_to; /* at the ends of the measured window */
    bool has_from, has_to;
    struct growth growth; /* of the backlog */
    struct metrics_distribution distributions[QUANTITY_COUNT];
};

/* Hands out the samples in the order in which they came: *count is 0 at the end, and the next call
 * begins again. */
struct metrics_source {
    enum hs_err (*next)(void *context, const struct metrics_sample **samples, size_t *count,
                        struct hs_error *error);
    void *context;
};

enum hs_err metrics_init(struct metrics *metrics, const struct result_meta *meta,
                         struct hs_error *error) HS_MUST_USE;
void metrics_fini(struct metrics *metrics);

/* Submissions, jobs at their end and points, in the order of the run. A point is told before the
 * series takes it. False: no memory. */
bool metrics_submitted(struct metrics *metrics, const struct series *series, hs_time time_ns);
void metrics_point(struct metrics *metrics, const struct series *series,
                   const struct result_point *point);
/* `held`: core time held, core/1000 x ns; `sample` and `values` as from metrics_sample_of and
 * metrics_values, used if the job is measured and has a sample. */
void metrics_job(struct metrics *metrics, const struct result_job *job, hs_int128 held,
                 const struct metrics_sample *sample, const double values[QUANTITY_COUNT]);

/* True if the job was submitted within the measured window. */
bool metrics_is_measured(const struct metrics *metrics, hs_time submit_ns);
/* True if the job ran and ended by itself or at its request; then *sample is filled in. `run_ns`:
 * the time that it executed, without what restarts took. */
bool metrics_sample_of(enum result_state state, hs_time submit_ns, hs_time start_ns, hs_time end_ns,
                       hs_time run_ns, int64_t procs, struct metrics_sample *sample);
/* The quantities of one job; NaN: does not apply. */
void metrics_values(hs_time tau_ns, const struct metrics_sample *sample,
                    double values[QUANTITY_COUNT]);

/* The summary; `series` has been finished. */
enum hs_err metrics_summarise(struct metrics *metrics, const struct series *series,
                              const struct metrics_source *source, struct result_summary *summary,
                              struct hs_error *error) HS_MUST_USE;

#endif
