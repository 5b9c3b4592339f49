/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scale.c - ranges and numbers of axes. */
#include "plot/scale.h"

#include <math.h>
#include <string.h>

#define WIDE_RATIO  20
#define TIGHT_ROOM  0.04 /* of the span, at each end */
#define LOG_ROOM    0.03 /* of a logarithmic span, likewise */
#define DENSE_RATIO 200  /* below it powers of ten are few, and there are numbers between them */

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

void plot_span_add_interval(struct plot_span *span, const struct stats_interval *interval)
{
    plot_span_add(span, interval->estimate);
    plot_span_add(span, interval->high);
    if (interval->low > 0 || interval->estimate < 0) {
        plot_span_add(span, interval->low);
    }
}

bool plot_span_is_wide(const struct plot_span *span)
{
    return span->is_used && span->low > 0 && span->high > WIDE_RATIO * span->low;
}

/* ---- logarithmic axes of few powers of ten: numbers between them */

/* Units of time on such an axis, with their numbers. */
static const struct {
    double size;
    const char *name;
    double numbers[10]; /* ends with 0 */
} time_units[] = {
    {1e-6, "µs", {1, 2, 5, 10, 20, 50, 100, 200, 500}},
    {1e-3, "ms", {1, 2, 5, 10, 20, 50, 100, 200, 500}},
    {1, "s", {1, 2, 5, 10, 20, 30}},
    {60, "min", {1, 2, 5, 10, 20, 30}},
    {3600, "h", {1, 2, 5, 10}},
    {86400, "d", {1, 2, 5, 10, 20, 50, 100, 200, 500}},
};

enum { TICKS_MAX = 64 };

struct ticks {
    double values[TICKS_MAX];
    char texts[TICKS_MAX][32];
    size_t count;
};

static void add_tick(struct ticks *ticks, double value, const char *text)
{
    if (ticks->count < TICKS_MAX) {
        ticks->values[ticks->count] = value;
        (void)snprintf(ticks->texts[ticks->count++], sizeof ticks->texts[0], "%s", text);
    }
}

static void list_times(struct ticks *ticks, double low, double high)
{
    for (size_t i = 0; i < sizeof time_units / sizeof time_units[0]; i++) {
        for (const double *number = time_units[i].numbers; *number > 0; number++) {
            double value = *number * time_units[i].size;
            char text[32];

            (void)snprintf(text, sizeof text, "%g %s", *number, time_units[i].name);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
                add_tick(ticks, value, text);
            }
        }
    }
}

static void list_numbers(struct ticks *ticks, const char *unit, double low, double high)
{
    static const double numbers[] = {1, 2, 5};
    bool is_plain = !*unit || strcmp(unit, "1") == 0;

    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power++) {
        for (int i = 0; i < 3; i++) {
            double value = numbers[i] * pow(10, power);
            struct axis_unit shown =
                is_plain ? (struct axis_unit){"", 1} : axis_prefix_unit(unit, 10 * value);
            char text[32];

            (void)snprintf(text, sizeof text, is_plain ? "%g%s" : "%g %s", value / shown.divisor,
                           shown.unit);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
                add_tick(ticks, value, text);
            }
        }
    }
}

static void list_ticks(struct ticks *ticks, const char *unit, double low, double high)
{
    ticks->count = 0;
    if (strcmp(unit, "s") == 0) {
        list_times(ticks, low, high);
    } else {
        list_numbers(ticks, unit, low, high);
    }
}

/* Numbers of an axis on which powers of ten would be too few; such as have room after the last. */
static void put_dense(struct figure *figure, const char *axis, const char *unit,
                      const struct plot_scale *scale)
{
    double letter = figure->options.style->font_pt / (72 / 2.54);
    double length = log(scale->high / scale->low);
    bool is_across = *axis == 'x';
    double last = -INFINITY;
    struct ticks ticks;

    list_ticks(&ticks, unit, scale->low, scale->high);
    (void)fprintf(figure->script, "set %stics (", axis);
    for (size_t i = 0; i < ticks.count; i++) {
        double at = log(ticks.values[i] / scale->low) / length *
                    (is_across ? figure->width_cm * 0.55 : figure->height_cm * 0.7);
        double half = is_across ? 0.35 * letter * ((double)strlen(ticks.texts[i]) + 1) : letter;

        if (at - half < last) {
            continue;
        }
        (void)fputs(isfinite(last) ? ", " : "", figure->script);
        figure_quote(figure->script, ticks.texts[i]);
        (void)fprintf(figure->script, " %.10g", ticks.values[i]);
        last = at + half;
    }
    (void)fputs(")\n", figure->script);
}

/* At least two numbers are to stand at an axis. */
static void widen(const char *unit, double *low, double *high)
{
    struct ticks ticks;

    for (int i = 0; i < 20; i++) {
        list_ticks(&ticks, unit, *low, *high);
        if (ticks.count >= 2) {
            return;
        }
        *low /= 1.1;
        *high *= 1.1;
    }
}

/* ---- axes */

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
    step = axis_step(figure, axis, high - low);
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
        double margin = pow(scale.high / span->least, LOG_ROOM);

        scale.low = span->least / fmax(margin, 1.03);
        scale.high *= fmax(margin, 1.03);
        widen(unit, &scale.low, &scale.high);
        if (axis_log(figure, axis, unit, scale.low, scale.high)) {
            scale.unit = "";
        }
        if (scale.high < DENSE_RATIO * scale.low) {
            put_dense(figure, axis, unit, &scale);
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

int plot_filled_point(size_t line)
{
    static const int shapes[FIGURE_CURVES_MAX] = {7, 5, 9, 13, 11, 15, 7, 5};

    return shapes[line % FIGURE_CURVES_MAX];
}

int plot_hollow_point(size_t line)
{
    return plot_filled_point(line) - 1;
}

void plot_scale_clamp(struct figure *figure, const char *name, const struct plot_scale *scale)
{
    figure_line(figure, "%s(v) = v < %.10g ? %.10g : v > %.10g ? %.10g : v", name,
                scale->low / scale->divisor, scale->low / scale->divisor,
                scale->high / scale->divisor, scale->high / scale->divisor);
}

struct plot_column plot_scale_clamped(const struct plot_scale *scale, const char *name, int column)
{
    struct plot_column result;

    (void)snprintf(result.text, sizeof result.text, "(%s($%d/%.10g))", name, column,
                   scale->divisor);
    return result;
}
