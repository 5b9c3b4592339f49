/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scaling.c - how a metric grows with a size: points on logarithmic axes, and the power of each. */
#include <math.h>
#include <stdlib.h>

#include "plot/lines.h"

struct fit {
    struct stats_line line; /* of decimal logarithms */
    double from, to;        /* sizes that it is fitted to */
};

struct scaling {
    struct plot_lines lines;
    struct plot_blocks blocks[FIGURE_CURVES_MAX];
    struct fit fits[FIGURE_CURVES_MAX];
    size_t left_out; /* means that have no logarithm */
};

/* Least squares over the means, as a straight line of the picture. */
static enum hs_err fit_line(struct scaling *self, size_t line, struct hs_error *error)
{
    const struct plot_curve *curve = &self->lines.curves[line];
    struct fit *fit = &self->fits[line];
    double *x = calloc(curve->count + 1, sizeof *x);
    double *y = calloc(curve->count + 1, sizeof *y);
    size_t count = 0;

    for (size_t i = 0; x && y && i < curve->count; i++) {
        const struct plot_point *point = &curve->points[i];

        if (point->y.count == 0) {
            continue;
        }
        if (!(point->x > 0 && point->y.mean.estimate > 0)) {
            self->left_out++;
            continue;
        }
        x[count] = log10(point->x);
        y[count] = log10(point->y.mean.estimate);
        fit->from = count == 0 ? point->x : fit->from;
        fit->to = point->x;
        count++;
    }
    if (x && y) {
        fit->line = stats_fit_line(x, y, count, self->lines.sets.level);
    }
    free(x);
    free(y);
    return x && y ? HS_OK : hs_error_memory(error);
}

static void put_fit(const struct scaling *self, size_t line, struct figure *figure)
{
    const struct figure_column columns[] = {{"x", self->lines.axis.unit},
                                            {"fit", self->lines.sets.set.metrics[0].unit}};
    const struct fit *fit = &self->fits[line];
    double ends[2] = {fit->from, fit->to};
    char title[320];
    size_t block;

    if (isnan(fit->line.slope.estimate)) {
        return;
    }
    (void)snprintf(title, sizeof title, "%.200s, fit: 10^%.6g x^%.6g", self->lines.sets.lines[line],
                   fit->line.intercept, fit->line.slope.estimate);
    block = figure_block(figure, title, columns, 2);
    for (int i = 0; i < 2; i++) {
        double value = fit->line.intercept + fit->line.slope.estimate * log10(ends[i]);

        figure_row(figure, (double[]){ends[i], pow(10, value)}, 2);
    }
    figure_plot(figure, block, NULL, "using 1:2 with lines lt %zu lw 0.9", line + 1);
}

/* Says the powers, which the legend rounds. */
static void note(const struct scaling *self, struct figure *figure)
{
    const struct plot_sets *sets = &self->lines.sets;

    for (size_t i = 0; i < sets->line_count; i++) {
        const struct stats_interval *slope = &self->fits[i].line.slope;

        if (isnan(slope->estimate)) {
            figure_note(figure, "%s: no power is fitted, since there is no mean at two sizes.",
                        sets->lines[i]);
        } else if (isnan(slope->low)) {
            figure_note(figure, "%s: %s grows as %s to the power of %.4g (two sizes, no interval).",
                        sets->lines[i], sets->set.metrics[0].name, self->lines.axis.key,
                        slope->estimate);
        } else {
            figure_note(figure,
                        "%s: %s grows as %s to the power of %.4g (%g %% interval %.4g to %.4g, by "
                        "least squares over the logarithms of the means).",
                        sets->lines[i], sets->set.metrics[0].name, self->lines.axis.key,
                        slope->estimate, sets->level * 100, slope->low, slope->high);
        }
    }
    if (self->left_out) {
        figure_note(figure, "%zu mean%s not above 0, and %s left out: there is no logarithm.",
                    self->left_out, self->left_out == 1 ? " is" : "s are",
                    self->left_out == 1 ? "is" : "are");
    }
    plot_note_unstable(figure, self->lines.unstable,
                       "They are small hollow points and in no mean.");
    plot_note_missing(figure, self->lines.missing);
}

/* Labels with the power. */
static void put_legend(struct scaling *self, char titles[][160], struct figure *figure)
{
    const char *labels[FIGURE_CURVES_MAX];
    struct plot_sets *sets = &self->lines.sets;

    for (size_t i = 0; i < sets->line_count; i++) {
        double slope = self->fits[i].line.slope.estimate;

        (void)snprintf(titles[i], sizeof titles[i], isnan(slope) ? "%.120s" : "%.120s, slope %.2f",
                       sets->titles[i], slope);
        labels[i] = titles[i];
    }
    figure_legend(figure, labels, sets->line_count, true);
}

static void put_points(const struct scaling *self, char titles[][160], struct figure *figure)
{
    for (size_t i = 0; i < self->lines.sets.line_count; i++) {
        const struct plot_blocks *blocks = &self->blocks[i];

        if (blocks->unstable != SIZE_MAX) {
            figure_plot(figure, blocks->unstable, NULL,
                        "using 1:2 with points lc %zu pt %d ps 0.4 lw 0.45", i + 1,
                        plot_hollow_point(i));
        }
        if (blocks->few != SIZE_MAX) {
            figure_plot(figure, blocks->few, NULL, "using 1:2 with points lc %zu pt %d ps 0.35",
                        i + 1, plot_filled_point(i));
        }
        if (blocks->has_interval) {
            figure_plot(figure, blocks->means, NULL,
                        "using 1:(inside($3)):(0):(inside($4)-inside($3)) with vectors heads size "
                        "graph 0.006,90 lc %zu dt solid lw 0.8",
                        i + 1);
        }
        if (blocks->means != SIZE_MAX) {
            figure_plot(figure, blocks->means, titles[i],
                        "using 1:2 with points lc %zu pt %d ps 0.6", i + 1, plot_filled_point(i));
        }
    }
    figure_plot_end(figure);
}

static enum hs_err draw_lines(struct scaling *self, struct figure *figure, struct hs_error *error)
{
    struct plot_lines *lines = &self->lines;
    struct plot_span span = lines->y;
    char titles[FIGURE_CURVES_MAX][160];
    struct plot_scale y;
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && i < lines->sets.line_count; i++) {
        code = fit_line(self, i, error);
    }
    if (code != HS_OK) {
        return code;
    }
    if (!(lines->x.high > 0) || !(span.high > 0)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "No run has a size and a value above 0, and logarithmic axes show no "
                            "others. `hsim plot load` has linear ones.");
    }
    for (size_t i = 0; i < lines->sets.set.run_count; i++) {
        if (lines->sets.set.runs[i].stability == RESULT_UNSTABLE) {
            plot_span_add(&span, lines->sets.set.runs[i].values[0]);
        }
    }
    note(self, figure);
    put_legend(self, titles, figure);
    (void)plot_scale_put(figure, "x", lines->axis_title, lines->axis.unit, &lines->x, PLOT_FIT_LOG);
    y = plot_scale_put(figure, "y", plot_metric_title(&lines->sets, 0),
                       lines->sets.set.metrics[0].unit, &span, PLOT_FIT_LOG);
    plot_scale_clamp(figure, "inside", &y);
    for (size_t i = 0; i < lines->sets.line_count; i++) {
        self->blocks[i] = plot_lines_blocks(lines, i, figure);
        put_fit(self, i, figure);
    }
    put_points(self, titles, figure);
    return plot_sets_check_labels(&lines->sets, error);
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    static const char *const axes[] = {"workload.generate.jobs", "workload.lublin.jobs",
                                       "platform.nodes", NULL};
    const struct plot_lines_usual usual = {"cpu_s", axes};
    struct scaling self = {.left_out = 0};
    enum hs_err code = plot_lines_read(request, &usual, &self.lines, figure, error);

    if (code == HS_OK) {
        code = draw_lines(&self, figure, error);
    }
    plot_lines_fini(&self.lines);
    return code;
}

const struct plot_kind plot_scaling = {
    .name = "scaling",
    .summary = "growth of a metric with a size, and its power",
    .about =
        "A point for each policy and size, the mean over runs that differ in seed, trace or window "
        "alone, with Student's interval (--level); and the line of least squares through them, "
        "whose "
        "slope is the power with which the metric grows. --metric is one of `hsim inspect --json`, "
        "or cpu_s (default), wall_s or rss_bytes of the simulation. --against is the size "
        "(default: "
        "workload.generate.jobs or platform.nodes, which of them varies, or the only key that "
        "does).",
    .input = PLOT_SETS,
    .options = PLOT_SET_OPTIONS | PLOT_AGAINST | PLOT_LEVEL,
    .draw = draw,
};
