/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bootstrap.c - Efron's BCa interval: percentiles of the bootstrap distribution, at levels that are
 * shifted by its bias and by how fast the standard error changes with the value. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

static gsl_rng *create_generator(uint64_t seed)
{
    gsl_error_handler_t *handler = gsl_set_error_handler_off(); /* it would abort without memory */
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_mt19937);

    (void)gsl_set_error_handler(handler);
    if (generator) {
        gsl_rng_set(generator, seed);
    }
    return generator;
}

/* Skewness of the influence of single values, by leaving each out in turn. */
static double acceleration(const double *values, size_t count, stats_statistic *statistic,
                           double *sample, double *without)
{
    double mean;
    double squares = 0;
    double cubes = 0;

    for (size_t i = 0; i < count; i++) {
        memcpy(sample, values, i * sizeof *values);
        memcpy(sample + i, values + i + 1, (count - i - 1) * sizeof *values);
        without[i] = statistic(sample, count - 1);
    }
    mean = stats_mean(without, count);
    for (size_t i = 0; i < count; i++) {
        double step = mean - without[i];

        squares += step * step;
        cubes += step * step * step;
    }
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

/* How far the bootstrap distribution lies to one side; values that equal the estimate count half.
 * Kept within one resample of the ends, where the normal quantile would be infinite. */
static double bias(const double *draws, size_t resamples, double estimate)
{
    double below = 0;
    double total = (double)resamples;

    for (size_t i = 0; i < resamples; i++) {
        below += draws[i] < estimate ? 1 : draws[i] > estimate ? 0 : 0.5;
    }
    below = fmin(fmax(below, 0.5), total - 0.5);
    return gsl_cdf_ugaussian_Pinv(below / total);
}

static double shifted_level(double quantile, double shift, double skew)
{
    double sum = shift + quantile;

    return gsl_cdf_ugaussian_P(shift + sum / (1 - skew * sum));
}

enum hs_err stats_bootstrap(const double *values, size_t count, stats_statistic *statistic,
                            double level, size_t resamples, uint64_t seed,
                            struct stats_interval *interval, struct hs_error *error)
{
    double *sample = calloc(2 * count + 1, sizeof *sample);
    double *draws = calloc(resamples + 1, sizeof *draws);
    gsl_rng *generator = create_generator(seed);
    double tail = gsl_cdf_ugaussian_Pinv((1 - level) / 2);
    enum hs_err code = HS_OK;

    *interval = (struct stats_interval){NAN, NAN, NAN};
    if (!sample || !draws || !generator) {
        code = hs_error_memory(error);
    } else if (count > 0) {
        memcpy(sample, values, count * sizeof *values);
        interval->estimate = statistic(sample, count);
    }
    if (code == HS_OK && count > 1 && resamples > 0) {
        double skew = acceleration(values, count, statistic, sample, sample + count);
        double shift;

        for (size_t i = 0; i < resamples; i++) {
            for (size_t k = 0; k < count; k++) {
                sample[k] = values[gsl_rng_uniform_int(generator, count)];
            }
            draws[i] = statistic(sample, count);
        }
        shift = bias(draws, resamples, interval->estimate);
        stats_sort(draws, resamples);
        interval->low = stats_quantile(draws, resamples, shifted_level(tail, shift, skew));
        interval->high = stats_quantile(draws, resamples, shifted_level(-tail, shift, skew));
    }
    if (generator) {
        gsl_rng_free(generator);
    }
    free(draws);
    free(sample);
    return code;
}
