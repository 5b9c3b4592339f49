/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scale.c - ranges and numbers of axes. */
#include "plot/scale.h"

#include <math.h>
#include <string.h>

#define WIDE_RATIO    20
#define TIGHT_ROOM    0.04 /* of the span, at each end */
#define POINTS_PER_CM (72 / 2.54)

void plot_span_add(struct plot_span *span, double value)
{
    if (!isfinite(value)) {
        return;
    }
    if (!span->is_used) {
        *span = (struct plot_span){true, value, value, INFINITY};
    }
    span->low = fmin(span->low, value);
    span->high = fmax(span->high, value);
    if (value > 0) {
        span->least = fmin(span->least, value);
    }
}

bool plot_span_is_wide(const struct plot_span *span)
{
    return span->is_used && span->low > 0 && span->high > WIDE_RATIO * span->low;
}

double plot_nice_step(double span, double room)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double least = span / room;
    double power = pow(10, floor(log10(least)));

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (steps[i] * power >= least * (1 - 1e-9)) {
            return steps[i] * power;
        }
    }
    return 10 * power;
}

/* How many numbers there is room for: one in five letters, or in three lines. */
static double room_of(const struct figure *figure, const char *axis)
{
    double font_cm = figure->options.style->font_pt / POINTS_PER_CM;
    double room = *axis == 'x' ? figure->width_cm * 0.8 / (font_cm * 4.2)
                               : figure->height_cm * 0.75 / (font_cm * 2.6);

    return room < 3 ? 3 : room > 12 ? 12 : floor(room);
}

static void put_linear(struct figure *figure, const char *axis, enum plot_fit fit,
                       struct plot_scale *scale)
{
    double low = scale->low / scale->divisor;
    double high = scale->high / scale->divisor;
    double step;

    if (fit == PLOT_FIT_ZERO) {
        low = fmin(low, 0);
        high = fmax(high, 0);
    }
    if (!(high > low)) {
        double half = fabs(low) > 0 ? fabs(low) / 2 : 1;

        low -= fit == PLOT_FIT_ZERO ? 0 : half;
        high += half;
    }
    step = plot_nice_step(high - low, room_of(figure, axis));
    if (fit == PLOT_FIT_TIGHT) {
        double more = TIGHT_ROOM * (high - low);

        low -= more;
        high += more;
    } else {
        low = step * floor(low / step + 1e-9);
        high = step * ceil(high / step - 1e-9);
    }
    scale->low = low * scale->divisor;
    scale->high = high * scale->divisor;
    figure_line(figure, "set %srange [%.10g:%.10g] noextend", axis, low, high);
    figure_line(figure, "set %stics %.10g", axis, step);
}

struct plot_scale plot_scale_put(struct figure *figure, const char *axis, const char *title,
                                 const char *unit, const struct plot_span *span, enum plot_fit fit)
{
    struct plot_scale scale = {.low = 0, .high = 1, .divisor = 1, .unit = unit};

    if (span->is_used) {
        scale.low = span->low;
        scale.high = span->high;
    }
    scale.is_log = fit == PLOT_FIT_LOG && span->is_used && span->high > 0;
    if (scale.is_log) {
        scale.low = span->least * 0.95;
        scale.high *= 1.05;
        axis_widen(unit, &scale.low, &scale.high);
        if (axis_log(figure, axis, unit, scale.low, scale.high)) {
            scale.unit = "";
        }
    } else {
        double highest = fmax(fabs(scale.low), fabs(scale.high));
        struct axis_unit shown =
            strcmp(unit, "s") == 0 ? axis_time_unit(highest) : axis_prefix_unit(unit, highest);

        /* Plain numbers stay as they are until they are long. */
        if (strcmp(unit, "1") == 0 && highest < 1e6) {
            shown = (struct axis_unit){unit, 1};
        }
        scale.divisor = shown.divisor;
        scale.unit = shown.unit;
        put_linear(figure, axis, fit == PLOT_FIT_LOG ? PLOT_FIT_ROUND : fit, &scale);
    }
    axis_label(figure, axis, title, scale.unit);
    return scale;
}

struct plot_column plot_scale_column(const struct plot_scale *scale, int column)
{
    struct plot_column result;

    (void)snprintf(result.text, sizeof result.text, scale->divisor > 1 ? "($%d/%.10g)" : "%d",
                   column, scale->divisor);
    return result;
}
