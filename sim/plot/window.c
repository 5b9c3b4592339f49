/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window.c - the time axis. */
#include "plot/window.h"

#include <math.h>

/* origin + time, as far as it can be. */
static hs_time after(hs_time origin_ns, hs_time time_ns)
{
    hs_int128 sum = (hs_int128)origin_ns + time_ns;

    return sum < HS_TIME_NEVER ? (hs_time)sum : HS_TIME_NEVER;
}

enum hs_err plot_window_find(const struct plot_request *request, hs_time origin_ns, hs_time last_ns,
                             struct plot_window *window, struct hs_error *error)
{
    *window =
        (struct plot_window){.origin_ns = origin_ns, .begin_ns = origin_ns, .end_ns = last_ns};
    if (request->given & PLOT_FROM) {
        window->begin_ns = after(origin_ns, request->from_ns);
    }
    if (request->given & PLOT_TO && after(origin_ns, request->to_ns) < last_ns) {
        window->end_ns = after(origin_ns, request->to_ns);
    }
    if (window->begin_ns >= window->end_ns) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "Nothing happens in the time that is to be shown: the runs end %.0f s "
                            "after the first submission.",
                            fmax(0, plot_window_seconds(window, last_ns)));
    }
    return HS_OK;
}

double plot_window_seconds(const struct plot_window *window, hs_time time_ns)
{
    return (double)((hs_int128)time_ns - window->origin_ns) / (double)HS_NS_PER_S;
}

/* Distance of the numbers of a time axis of this length: no 2.5 hours. */
static double time_step(const struct figure *figure, const struct axis_unit *unit, double length)
{
    static const struct {
        double divisor;
        double steps[12];
    } rows[] = {
        {86400, {0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}},
        {3600, {0.25, 0.5, 1, 2, 3, 6, 12, 24, 48}},
        {60, {0.25, 0.5, 1, 2, 5, 10, 15, 30, 60}},
    };
    double least = length / axis_room(figure, "x");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; rows[i].divisor == unit->divisor && k < 12; k++) {
            if (rows[i].steps[k] >= least) {
                return rows[i].steps[k];
            }
        }
    }
    return axis_step(figure, "x", length);
}

struct axis_unit plot_window_put_axis(const struct plot_window *window, struct figure *figure)
{
    double begin = plot_window_seconds(window, window->begin_ns);
    double end = plot_window_seconds(window, window->end_ns);
    struct axis_unit unit = axis_time_unit(end - begin);

    figure_line(figure, "set xrange [%.10g:%.10g] noextend\nset xtics %.10g", begin / unit.divisor,
                end / unit.divisor, time_step(figure, &unit, (end - begin) / unit.divisor));
    return unit;
}

void plot_window_put_label(const struct axis_unit *unit, bool is_last, struct figure *figure)
{
    figure_line(figure, "set format x '%s'", is_last ? "%.10g" : "");
    if (is_last) {
        char label[64];

        axis_text(label, sizeof label, "time since the first submission", unit->unit);
        if (!figure_has_room(figure, label)) {
            axis_text(label, sizeof label, "time", unit->unit);
        }
        figure_label(figure, "x", label);
    }
}
