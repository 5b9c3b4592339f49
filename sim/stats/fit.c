/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fit.c - what pictures of runs show beside means: boxes and fitted lines. */
#include <math.h>

#include "stats/stats.h"

#define FENCE 1.5 /* interquartile ranges */

struct stats_box stats_box(const double *sorted, size_t count)
{
    struct stats_box box = {NAN, NAN, NAN, NAN, NAN};
    double reach;
    size_t first = 0;
    size_t last = count;

    if (count == 0) {
        return box;
    }
    box.quartile_low = stats_quantile(sorted, count, 0.25);
    box.median = stats_quantile(sorted, count, 0.5);
    box.quartile_high = stats_quantile(sorted, count, 0.75);
    reach = FENCE * (box.quartile_high - box.quartile_low);
    while (first + 1 < count && sorted[first] < box.quartile_low - reach) {
        first++;
    }
    while (last > 1 && sorted[last - 1] > box.quartile_high + reach) {
        last--;
    }
    /* Quartiles lie between values, so a whisker may find none beyond its end of the box. */
    box.whisker_low = fmin(sorted[first], box.quartile_low);
    box.whisker_high = fmax(sorted[last - 1], box.quartile_high);
    return box;
}

struct stats_line stats_fit_line(const double *x, const double *y, size_t count, double level)
{
    struct stats_line line = {{NAN, NAN, NAN}, NAN};
    double mean_x = stats_mean(x, count);
    double mean_y = stats_mean(y, count);
    double spread = 0;
    double product = 0;
    double rest = 0;

    for (size_t i = 0; i < count; i++) {
        spread += (x[i] - mean_x) * (x[i] - mean_x);
        product += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (!(spread > 0)) {
        return line;
    }
    line.slope.estimate = product / spread;
    line.intercept = mean_y - line.slope.estimate * mean_x;
    for (size_t i = 0; i < count; i++) {
        double residual = y[i] - line.intercept - line.slope.estimate * x[i];

        rest += residual * residual;
    }
    if (count > 2) {
        double freedom = (double)(count - 2);
        double half = stats_t_quantile(level, freedom) * sqrt(rest / freedom / spread);

        line.slope.low = line.slope.estimate - half;
        line.slope.high = line.slope.estimate + half;
    }
    return line;
}
