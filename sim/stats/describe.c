/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe.c - means, quantiles and intervals by Student's distribution. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

static double sum(const double *values, size_t count)
{
    double total = 0;
    double lost = 0;

    for (size_t i = 0; i < count; i++) {
        double next = total + values[i];

        lost += fabs(total) >= fabs(values[i]) ? (total - next) + values[i]
                                               : (values[i] - next) + total;
        total = next;
    }
    return total + lost;
}

double stats_mean(const double *values, size_t count)
{
    return count ? sum(values, count) / (double)count : NAN;
}

static double variance(const double *values, size_t count)
{
    double mean = stats_mean(values, count);
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return count > 1 ? squares / (double)(count - 1) : NAN;
}

double stats_deviation(const double *values, size_t count)
{
    return sqrt(variance(values, count));
}

double stats_quantile(const double *sorted, size_t count, double p)
{
    double place;
    size_t below;

    if (count == 0) {
        return NAN;
    }
    place = (double)(count - 1) * p;
    below = (size_t)place;
    if (below + 1 >= count) {
        return sorted[count - 1];
    }
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
}

double stats_median(double *values, size_t count)
{
    stats_sort(values, count);
    return stats_quantile(values, count, 0.5);
}

double stats_t_quantile(double level, double freedom)
{
    return gsl_cdf_tdist_Qinv((1 - level) / 2, freedom);
}

static struct stats_interval around(double estimate, double error, double level, double freedom)
{
    double half = stats_t_quantile(level, freedom) * error;

    return (struct stats_interval){estimate, estimate - half, estimate + half};
}

struct stats_interval stats_t_interval(const double *values, size_t count, double level)
{
    double mean = stats_mean(values, count);

    if (count < 2) {
        return (struct stats_interval){mean, NAN, NAN};
    }
    return around(mean, sqrt(variance(values, count) / (double)count), level, (double)(count - 1));
}

struct stats_interval stats_welch_interval(const double *a, size_t a_count, const double *b,
                                           size_t b_count, double level)
{
    double difference = stats_mean(a, a_count) - stats_mean(b, b_count);
    double a_part, b_part, squares;

    if (a_count < 2 || b_count < 2) {
        return (struct stats_interval){difference, NAN, NAN};
    }
    a_part = variance(a, a_count) / (double)a_count;
    b_part = variance(b, b_count) / (double)b_count;
    squares = a_part * a_part / (double)(a_count - 1) + b_part * b_part / (double)(b_count - 1);
    if (!(squares > 0)) { /* no spread at all: the difference is certain */
        return (struct stats_interval){difference, difference, difference};
    }
    return around(difference, sqrt(a_part + b_part), level,
                  (a_part + b_part) * (a_part + b_part) / squares);
}
