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

/* Skewness of the influence of single values, from the statistics without each of them. */
static double acceleration(const double *without, size_t count)
{
    double mean = stats_mean(without, count);
    double squares = 0;
    double cubes = 0;

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

struct stats_interval stats_bca(double estimate, double *draws, size_t resamples,
                                const double *without, size_t count, double level)
{
    double tail = gsl_cdf_ugaussian_Pinv((1 - level) / 2);
    struct stats_interval interval = {estimate, NAN, NAN};
    bool is_finite = isfinite(estimate) && resamples > 0 && count > 1;
    double skew, shift;

    for (size_t i = 0; i < resamples && is_finite; i++) {
        is_finite = isfinite(draws[i]);
    }
    for (size_t i = 0; i < count && is_finite; i++) {
        is_finite = isfinite(without[i]);
    }
    if (!is_finite) {
        return interval;
    }
    skew = acceleration(without, count);
    shift = bias(draws, resamples, estimate);
    stats_sort(draws, resamples);
    interval.low = stats_quantile(draws, resamples, shifted_level(tail, shift, skew));
    interval.high = stats_quantile(draws, resamples, shifted_level(-tail, shift, skew));
    return interval;
}

enum hs_err stats_bootstrap(const double *values, size_t count, stats_statistic *statistic,
                            double level, size_t resamples, uint64_t seed,
                            struct stats_interval *interval, struct hs_error *error)
{
    double *sample = calloc(2 * count + 1, sizeof *sample);
    double *draws = calloc(resamples + 1, sizeof *draws);
    gsl_rng *generator = create_generator(seed);
    enum hs_err code = HS_OK;

    *interval = (struct stats_interval){NAN, NAN, NAN};
    if (!sample || !draws || !generator) {
        code = hs_error_memory(error);
    } else if (count > 0) {
        memcpy(sample, values, count * sizeof *values);
        interval->estimate = statistic(sample, count);
    }
    if (code == HS_OK && count > 1 && resamples > 0) {
        double *without = sample + count;

        for (size_t i = 0; i < count; i++) {
            memcpy(sample, values, i * sizeof *values);
            memcpy(sample + i, values + i + 1, (count - i - 1) * sizeof *values);
            without[i] = statistic(sample, count - 1);
        }
        for (size_t i = 0; i < resamples; i++) {
            for (size_t k = 0; k < count; k++) {
                sample[k] = values[gsl_rng_uniform_int(generator, count)];
            }
            draws[i] = statistic(sample, count);
        }
        *interval = stats_bca(interval->estimate, draws, resamples, without, count, level);
    }
    if (generator) {
        gsl_rng_free(generator);
    }
    free(draws);
    free(sample);
    return code;
}

enum hs_err stats_draw_blocks(size_t blocks, size_t resamples, uint64_t seed,
                              stats_block_visitor *visit, void *context, struct hs_error *error)
{
    uint32_t *times = calloc(blocks + 1, sizeof *times);
    gsl_rng *generator = create_generator(seed);
    enum hs_err code = times && generator ? HS_OK : hs_error_memory(error);

    for (size_t i = 0; code == HS_OK && i < resamples; i++) {
        memset(times, 0, blocks * sizeof *times);
        for (size_t k = 0; k < blocks; k++) {
            times[gsl_rng_uniform_int(generator, blocks)]++;
        }
        visit(context, i, times);
    }
    for (size_t i = 0; code == HS_OK && i < blocks; i++) {
        for (size_t k = 0; k < blocks; k++) {
            times[k] = k != i;
        }
        visit(context, resamples + i, times);
    }
    if (generator) {
        gsl_rng_free(generator);
    }
    free(times);
    return code;
}
