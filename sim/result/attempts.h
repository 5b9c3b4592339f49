/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attempts.h - what preemption did to the jobs of a run: sums for the summary. Internal to
 * sim/result. */
#ifndef HSIM_RESULT_ATTEMPTS_H
#define HSIM_RESULT_ATTEMPTS_H

#include "result/metrics.h"

/* Zero it before use. */
struct attempts {
    int64_t preemptions;
    int64_t preempted_jobs;
    hs_int128 wasted; /* core time of restarts, core/1000 x ns */
    hs_int128 queued_ns;
    hs_time queued_max_ns;
    int64_t samples; /* behind the last two */
};

/* A job at its end; `wasted` as above; `queued_ns`: all of its waiting, -1: it is not measured. */
void attempts_job(struct attempts *attempts, const struct result_job *job, hs_int128 wasted,
                  hs_time queued_ns);

/* Appends the metrics to the summary, which has those of metrics_summarise. */
enum hs_err attempts_metrics(const struct attempts *attempts, const struct metrics *metrics,
                             struct result_summary *summary, struct hs_error *error) HS_MUST_USE;

#endif
