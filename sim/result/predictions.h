/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predictions.h - how good predicted run times were, over the measured jobs that ran to their end
 * (by themselves, or to the request at which they were killed). Internal to sim/result.
 *
 * p is the prediction at the submission, r the executed time. The accuracy is that of Tsafrir,
 * Etsion and Feitelson, IEEE TPDS 18(6), 2007: the smaller of both / the larger. */
#ifndef HSIM_RESULT_PREDICTIONS_H
#define HSIM_RESULT_PREDICTIONS_H

#include "result/metrics.h"

/* Zero it before first use. */
struct predictions {
    int64_t jobs;                /* with a prediction; likewise the sums */
    int64_t under;               /* p < r */
    int64_t corrections;         /* while they ran */
    hs_int128 error_ns;          /* |p - r| */
    struct metrics_sum relative; /* |p - r| / max(r, tau) */
    struct metrics_sum accuracy;
};

/* A job at its end; `sample` NULL: it is not measured. */
void predictions_job(struct predictions *predictions, const struct result_job *job,
                     const struct metrics_sample *sample, hs_time tau_ns);

/* Appends the metrics to the summary, which has the usual ones. */
enum hs_err predictions_metrics(const struct predictions *predictions,
                                struct result_summary *summary, struct hs_error *error) HS_MUST_USE;

#endif
