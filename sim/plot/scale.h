/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scale.h - axes that fit what they show: linear or logarithmic, with a unit and few numbers.
 *
 * Data stay in the unit of the metric; the script divides, so that both can be read. */
#ifndef HSIM_PLOT_SCALE_H
#define HSIM_PLOT_SCALE_H

#include "plot/axis.h"

/* Values that an axis has to show. */
struct plot_span {
    bool is_used;
    double low, high;
    double least; /* above 0; infinite: there is none */
};

/* NaN is passed over. */
void plot_span_add(struct plot_span *span, double value);

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

/* A distance of numbers that are 1, 2, 2.5 or 5 times a power of ten, at most `room` of them. */
double plot_nice_step(double span, double room);

#endif
