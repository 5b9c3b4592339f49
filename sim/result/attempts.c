/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attempts.c - the metrics of preemption. */
#include "result/attempts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CORE_HOUR 3.6e15 /* core/1000 x ns */

void attempts_job(struct attempts *attempts, const struct result_job *job, hs_int128 wasted,
                  hs_time queued_ns)
{
    attempts->preemptions += (int64_t)job->attempt_count;
    attempts->preempted_jobs += job->attempt_count > 0;
    attempts->wasted += wasted;
    if (queued_ns >= 0) {
        attempts->samples++;
        attempts->queued_ns += queued_ns;
        if (queued_ns > attempts->queued_max_ns) {
            attempts->queued_max_ns = queued_ns;
        }
    }
}

enum hs_err attempts_metrics(const struct attempts *attempts, const struct metrics *metrics,
                             struct result_summary *summary, struct hs_error *error)
{
    int64_t samples = attempts->samples;
    double mean = samples ? (double)attempts->queued_ns / 1e9 / (double)samples : NAN;
    double max = samples ? (double)attempts->queued_max_ns / 1e9 : NAN;
    double util = result_summary_get(summary, "util_alloc");
    double useful = metrics->held > 0 ? 1 - (double)attempts->wasted / (double)metrics->held : NAN;
    const struct result_metric more[] = {
        {"preemptions", "1", "how often a job was preempted", (double)attempts->preemptions,
         metrics->jobs},
        {"jobs_preempted", "jobs", "jobs that were preempted at least once",
         (double)attempts->preempted_jobs, metrics->jobs},
        {"queued_mean_s", "s", "mean time queued (turnaround - executed time)", mean, samples},
        {"queued_max_s", "s", "longest time queued", max, samples},
        {"overhead_core_h", "h", "core hours that restarts took",
         (double)attempts->wasted / CORE_HOUR, metrics->jobs},
        {"util_alloc_useful", "1", "util_alloc without what restarts took", util * useful,
         metrics->jobs},
    };
    size_t count = sizeof more / sizeof more[0];
    struct result_metric *metrics_moved =
        realloc(summary->metrics, (summary->metric_count + count) * sizeof *metrics_moved);

    if (!metrics_moved) {
        return hs_error_memory(error);
    }
    summary->metrics = metrics_moved;
    memcpy(&metrics_moved[summary->metric_count], more, sizeof more);
    summary->metric_count += count;
    return HS_OK;
}
