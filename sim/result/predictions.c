/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predictions.c - errors of predicted run times, summed up while the jobs come. */
#include "result/predictions.h"

#include <math.h>
#include <stdlib.h>

void predictions_job(struct predictions *predictions, const struct result_job *job,
                     const struct metrics_sample *sample, hs_time tau_ns)
{
    hs_time run_ns;
    hs_time error_ns;

    if (!sample || job->predicted_ns < 1 || job->predicted_ns == HS_TIME_NEVER) {
        return;
    }
    run_ns = sample->run_ns;
    error_ns = job->predicted_ns < run_ns ? run_ns - job->predicted_ns : job->predicted_ns - run_ns;
    predictions->jobs++;
    predictions->under += job->predicted_ns < run_ns;
    predictions->corrections += job->corrections;
    predictions->error_ns += error_ns;
    metrics_sum_add(&predictions->relative,
                    (double)error_ns / (double)(run_ns > tau_ns ? run_ns : tau_ns));
    metrics_sum_add(&predictions->accuracy, job->predicted_ns < run_ns
                                                ? (double)job->predicted_ns / (double)run_ns
                                                : (double)run_ns / (double)job->predicted_ns);
}

enum hs_err predictions_metrics(const struct predictions *predictions,
                                struct result_summary *summary, struct hs_error *error)
{
    const int64_t n = predictions->jobs;
    const double count = n > 0 ? (double)n : NAN;
    const struct result_metric more[] = {
        {"predict_error_mean_s", "s",
         "mean absolute error of the predicted run times (prediction - executed time)",
         (double)predictions->error_ns / 1e9 / count, n},
        {"predict_error_relative_mean", "1",
         "mean of the absolute error / max(executed time, tau); x 100: in percent",
         metrics_sum_value(&predictions->relative) / count, n},
        {"predict_accuracy_mean", "1",
         "mean accuracy of the predicted run times: the smaller of prediction and executed time / "
         "the larger",
         metrics_sum_value(&predictions->accuracy) / count, n},
        {"predict_under_share", "1", "share of the jobs that ran longer than predicted",
         (double)predictions->under / count, n},
        {"predict_corrections", "1", "corrections of predictions while these jobs ran",
         (double)predictions->corrections, n},
    };
    const size_t more_count = sizeof more / sizeof more[0];
    struct result_metric *metrics =
        realloc(summary->metrics, (summary->metric_count + more_count) * sizeof *metrics);

    if (!metrics) {
        return hs_error_memory(error);
    }
    summary->metrics = metrics;
    for (size_t i = 0; i < more_count; i++) {
        metrics[summary->metric_count++] = more[i];
    }
    return HS_OK;
}
