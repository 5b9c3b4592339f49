/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scale.h - axes that fit what they show: linear or logarithmic, with a unit and few numbers.
 *
 * Data stay in the unit of the metric; the script divides, so that both can be read. */
#ifndef HSIM_PLOT_SCALE_H
#define HSIM_PLOT_SCALE_H

#include "plot/axis.h"
#include "stats/stats.h"

/* Values that an axis has to show. */
struct plot_span {
    bool is_used;
    double low, high;
    double least; /* above 0; infinite: there is none */
};

/* NaN is passed over. */
void plot_span_add(struct plot_span *span, double value);
/* A mean and its interval. A bound below 0 does not count where the mean is above: few metrics can
 * be negative. */
void plot_span_add_interval(struct plot_span *span, const struct stats_interval *interval);

enum plot_fit {
    PLOT_FIT_ROUND, /* linear, from number to number */
    PLOT_FIT_ZERO,  /* so, and from or to zero */
    PLOT_FIT_TIGHT, /* linear, with a little room at both ends */
    PLOT_FIT_LOG,
};

struct plot_scale {
    bool is_log;
    double low, high; /* the ends of the axis, in the unit of the metric */
    double divisor;   /* of what is shown */
    const char *unit; /* of what is shown; "": its numbers have one, or there is none */
};

/* Is a logarithmic axis usual: do values that are all above 0 span more than a factor of 20? */
bool plot_span_is_wide(const struct plot_span *span);

/* "set xrange", numbers and label of an axis ("x", "y", "cb"). */
struct plot_scale plot_scale_put(struct figure *figure, const char *axis, const char *title,
                                 const char *unit, const struct plot_span *span, enum plot_fit fit);

/* A column as `using` takes it: "3", "($3/3600)". */
struct plot_column {
    char text[48];
};
struct plot_column plot_scale_column(const struct plot_scale *scale, int column);

/* Defines the function `name` of the script, which keeps values between the ends of the axis; and a
 * column that is kept so. Bounds of intervals may lie beyond, as may unstable runs. */
void plot_scale_clamp(struct figure *figure, const char *name, const struct plot_scale *scale);
struct plot_column plot_scale_clamped(const struct plot_scale *scale, const char *name, int column);

/* Point shapes of line types, filled and hollow ones of one outline. */
int plot_filled_point(size_t line);
int plot_hollow_point(size_t line);

#endif
