/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window.h - the time that a figure shows, since the first submission of its runs. */
#ifndef HSIM_PLOT_WINDOW_H
#define HSIM_PLOT_WINDOW_H

#include "plot/axis.h"
#include "plot/plot.h"

struct plot_window {
    hs_time origin_ns; /* first submission of all runs */
    hs_time begin_ns, end_ns;
};

/* What the request says of the time from the first submission to `last_ns`, or all of it.
 * HS_ERR_CONFIG: nothing lies between. */
enum hs_err plot_window_find(const struct plot_request *request, hs_time origin_ns, hs_time last_ns,
                             struct plot_window *window, struct hs_error *error) HS_MUST_USE;

/* Seconds since the origin. */
double plot_window_seconds(const struct plot_window *window, hs_time time_ns);

/* Sets range and numbers of the x axis, in the unit that is returned. */
struct axis_unit plot_window_put_axis(const struct plot_window *window, struct figure *figure);
/* Of the x axis of a panel: numbers and label if it is the last one. */
void plot_window_put_label(const struct axis_unit *unit, bool is_last, struct figure *figure);

#endif
