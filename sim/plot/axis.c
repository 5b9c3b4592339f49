/* SPDX-License-Identifier: GPL-3.0-or-later */
/* axis.c - units and numbers of axes. */
#include "plot/axis.h"

#include <math.h>
#include <string.h>

struct axis_unit axis_time_unit(double span_s)
{
    static const struct axis_unit units[] = {{"days", 86400}, {"hours", 3600}, {"minutes", 60}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (span_s > 4 * units[i].divisor) {
            return units[i];
        }
    }
    return (struct axis_unit){"s", 1};
}

struct axis_unit axis_prefix_unit(const char *unit, double highest)
{
    static const struct {
        const char *unit;
        struct axis_unit prefixed[4];
    } rows[] = {
        {"W", {{"kW", 1e3}, {"MW", 1e6}, {"GW", 1e9}, {"TW", 1e12}}},
        {"J", {{"kJ", 1e3}, {"MJ", 1e6}, {"GJ", 1e9}, {"TJ", 1e12}}},
        {"B", {{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}},
        {"1", {{"thousands", 1e3}, {"millions", 1e6}, {"thousand millions", 1e9}, {NULL, 0}}},
    };
    struct axis_unit found = {unit, 1};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < 4 && strcmp(rows[i].unit, unit) == 0; k++) {
            /* 9,500 W stays, 20,000 W is 20 kW. */
            if (rows[i].prefixed[k].unit && highest >= 10 * rows[i].prefixed[k].divisor) {
                found = rows[i].prefixed[k];
            }
        }
    }
    return found;
}

void axis_text(char *label, size_t size, const char *text, const char *unit)
{
    bool is_plain = !*unit || strcmp(unit, "1") == 0;

    (void)snprintf(label, size, is_plain ? "%s" : "%s (%s)", text, unit);
}

void axis_label(struct figure *figure, const char *axis, const char *text, const char *unit)
{
    char label[256];

    axis_text(label, sizeof label, text, unit);
    figure_label(figure, axis, label);
}

/* A number of a logarithmic axis of times. The main ones go before those between. */
static const struct tick {
    double value;
    const char *text;
    bool is_main;
} time_ticks[] = {
    {1e-9, "1 ns", true},     {1e-8, "10 ns", false}, {1e-7, "100 ns", false},
    {1e-6, "1 µs", true},     {1e-5, "10 µs", false}, {1e-4, "100 µs", false},
    {1e-3, "1 ms", true},     {1e-2, "10 ms", false}, {0.1, "100 ms", false},
    {1, "1 s", true},         {10, "10 s", false},    {60, "1 min", true},
    {600, "10 min", false},   {3600, "1 h", true},    {36000, "10 h", false},
    {86400, "1 d", true},     {864000, "10 d", true}, {8.64e6, "100 d", true},
    {8.64e7, "1000 d", true},
};

enum { TIME_TICKS = sizeof time_ticks / sizeof time_ticks[0] };

/* 10 to the power of `exponent` with its unit: "100", "10⁵", "10 kW". */
static void power_text(const char *unit, int exponent, char *text, size_t size)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    static const char prefixes[] = "num kMGTPE"; /* 10^-9 to 10^18 */
    bool is_plain = !*unit || strcmp(unit, "1") == 0;
    int step = exponent >= 0 ? exponent / 3 : -((-exponent + 2) / 3);

    if (!is_plain && step >= -3 && step <= 6) {
        const char *prefix = step == -2 ? "µ" : (char[]){prefixes[step + 3], '\0'};

        (void)snprintf(text, size, "%.0f %s%s", pow(10, exponent - 3 * step),
                       step == 0 ? "" : prefix, unit);
    } else if (exponent >= -2 && exponent <= 3) {
        (void)snprintf(text, size, "%g", pow(10, exponent));
    } else {
        int positive = exponent < 0 ? -exponent : exponent;

        (void)snprintf(text, size, "10%s%s%s", exponent < 0 ? "⁻" : "",
                       positive >= 10 ? digits[positive / 10 % 10] : "", digits[positive % 10]);
    }
}

double axis_room(const struct figure *figure, const char *axis)
{
    double font_cm = figure->options.style->font_pt / 72 * 2.54;
    double panels = figure->panel_count ? (double)figure->panel_count : 1;
    double count = *axis == 'x' ? figure->width_cm * 0.8 / (font_cm * 5)
                                : figure->height_cm * 0.8 / panels / (font_cm * 2.6);

    return count < 3 ? 3 : count;
}

double axis_step(const struct figure *figure, const char *axis, double high)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double least = high / axis_room(figure, axis);
    double power = pow(10, floor(log10(least)));
    double step = 10 * power;

    for (size_t i = sizeof steps / sizeof steps[0]; i-- > 0;) {
        step = steps[i] * power >= least * 0.999 ? steps[i] * power : step;
    }
    return step;
}

void axis_linear(struct figure *figure, const char *axis, double high)
{
    double highest = high > 0 ? high : 1;
    double step = axis_step(figure, axis, highest);

    figure_line(figure, "set %srange [0:%.10g]\nset %stics %.10g", axis,
                ceil(highest / step - 1e-9) * step, axis, step);
}

void axis_whole(struct figure *figure, const char *axis, double high)
{
    double highest = high > 0 ? high : 1;

    figure_line(figure, "set %srange [0:%.10g]\nset %stics %.10g", axis, highest, axis,
                ceil(axis_step(figure, axis, highest)));
}

/* Chooses ticks that are `gap` apart, as a ratio: the main ones, then what fits between them. */
static void choose_ticks(double low, double high, double gap, bool *is_named)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < TIME_TICKS; i++) {
            double value = time_ticks[i].value;
            bool is_free = value >= low * 0.999 && value <= high * 1.001;

            for (size_t k = 0; k < TIME_TICKS; k++) {
                double ratio = k > i ? time_ticks[k].value / value : value / time_ticks[k].value;

                is_free &= !(is_named[k] && ratio < gap);
            }
            is_named[i] |= is_free && time_ticks[i].is_main == (pass == 0);
        }
    }
}

static void put_times(struct figure *figure, const char *axis, double low, double high)
{
    bool is_named[TIME_TICKS] = {false};
    const char *before = "";

    choose_ticks(low, high, pow(high / low, 1 / axis_room(figure, axis)), is_named);
    (void)fprintf(figure->script, "set %stics (", axis);
    for (size_t i = 0; i < TIME_TICKS; i++) {
        double value = time_ticks[i].value;

        if (value >= low * 0.999 && value <= high * 1.001) {
            (void)fprintf(figure->script, "%s'%s' %g%s", before,
                          is_named[i] ? time_ticks[i].text : "", value, is_named[i] ? "" : " 1");
            before = ", ";
        }
    }
    (void)fputs(")\n", figure->script);
}

static void put_powers(struct figure *figure, const char *axis, const char *unit, double low,
                       double high)
{
    int first = (int)ceil(log10(low) - 1e-9);
    int last = (int)floor(log10(high) + 1e-9);
    int step = last > first ? (last - first) / (int)axis_room(figure, axis) + 1 : 1;
    bool is_plain = !*unit || strcmp(unit, "1") == 0;
    const char *before = "";

    /* Numbers in order, and marks without numbers between them while they are few. */
    (void)fprintf(figure->script, "set %stics 1e%d,1e%d\nset m%stics %d\nset format %s '%s'\n",
                  axis, first, step, axis, step == 1 ? 10 : step, axis, is_plain ? "%g" : "");
    for (int i = first; i <= last; i += step) {
        char text[64];

        power_text(unit, i, text, sizeof text);
        if (!is_plain || i < -2 || i > 3) {
            if (!*before) {
                (void)fprintf(figure->script, "set %stics add (", axis);
            }
            (void)fprintf(figure->script, "%s'%s' 1e%d", before, text, i);
            before = ", ";
        }
    }
    (void)fputs(*before ? ")\n" : "", figure->script);
}

bool axis_log(struct figure *figure, const char *axis, const char *unit, double low, double high)
{
    bool is_time = strcmp(unit, "s") == 0;

    HS_ASSERT(low > 0 && high >= low);
    figure_line(figure, "set logscale %s 10", axis);
    figure_line(figure, "set %srange [%.10g:%.10g] noextend", axis, low, high);
    if (is_time) {
        put_times(figure, axis, low, high);
    } else {
        put_powers(figure, axis, unit, low, high);
    }
    return is_time || (*unit && strcmp(unit, "1") != 0);
}
