/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window.c - which part of a run to measure, and whether it has a steady state at all. */
#include <math.h>

#include "stats/stats.h"

struct stats_warmup stats_mser5(const double *values, size_t count)
{
    struct stats_warmup warmup = {.batches = count / STATS_MSER_BATCH};
    double least = INFINITY;
    double mean = 0;
    double squares = 0; /* of the distances from the mean, of the batches from d on */
    size_t limit = warmup.batches / 2;
    size_t best = 0;

    if (warmup.batches < 2) {
        return (struct stats_warmup){0};
    }
    /* From the end, so that each d adds one batch (Welford, Technometrics 4, 1962). */
    for (size_t d = warmup.batches; d-- > 0;) {
        double batch = stats_mean(values + d * STATS_MSER_BATCH, STATS_MSER_BATCH);
        double kept = (double)(warmup.batches - d);
        double step = batch - mean;

        mean += step / kept;
        squares += step * (batch - mean);
        if (d <= limit && squares / (kept * kept) <= least) {
            least = squares / (kept * kept);
            best = d;
        }
    }
    warmup.drop = best * STATS_MSER_BATCH;
    warmup.is_at_limit = best == limit;
    return warmup;
}
