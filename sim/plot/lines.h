/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.h - means of a metric along an axis, a curve for each policy. */
#ifndef HSIM_PLOT_LINES_H
#define HSIM_PLOT_LINES_H

#include "plot/scale.h"
#include "plot/sets.h"

struct plot_point {
    double x;
    struct plot_mean y;
    const struct plot_cell *cell;
};

struct plot_curve {
    struct plot_point *points; /* by ascending x */
    size_t count;
};

struct plot_lines {
    struct plot_sets sets;
    struct plot_axis axis; /* a key, or the name of a metric */
    const char *axis_title;
    bool is_metric;            /* the axis is the mean of the second metric */
    struct plot_curve *curves; /* by line */
    struct plot_point *points; /* of all curves */
    size_t unstable, missing;  /* runs */
    struct plot_span x;        /* of points */
    struct plot_span y;        /* of means, their intervals, and single runs */
};

/* What kinds of lines want if the person does not say it. */
struct plot_lines_usual {
    const char *metric;
    const char *const *axes; /* keys, the first that varies; ends with NULL */
};

/* Reads --metric against --against. HS_ERR_CONFIG: no such axis or one of words, runs that differ
 * in other keys, too many lines, no run that can be drawn. plot_lines_fini in any case. */
enum hs_err plot_lines_read(const struct plot_request *request,
                            const struct plot_lines_usual *usual, struct plot_lines *lines,
                            struct figure *figure, struct hs_error *error) HS_MUST_USE;
void plot_lines_fini(struct plot_lines *lines);

/* Blocks of a line; SIZE_MAX: no rows, no block. */
struct plot_blocks {
    size_t means;
    size_t few;        /* runs of means that have no interval */
    size_t unstable;   /* unstable runs */
    bool has_interval; /* some mean does */
    bool is_partial;   /* some mean leaves unstable runs out: column 6 is above 0 */
};
struct plot_blocks plot_lines_blocks(const struct plot_lines *lines, size_t line,
                                     struct figure *figure);

#endif
