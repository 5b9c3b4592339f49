/* SPDX-License-Identifier: GPL-3.0-or-later */
/* box.c - how a metric is distributed over the runs of each policy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/scale.h"
#include "plot/sets.h"
#include "plot/words.h"

#define ROW_LINES  1.9
#define BOX_HEIGHT 0.28 /* half of it; rows are 1 apart */

/* Beyond this multiple of all else unstable runs stand at the end of the axis, as in `load`. */
#define UNSTABLE_REACH 10

struct row {
    double *values; /* of stable runs, ascending */
    size_t count;
    struct stats_box box; /* of five values or more */
    size_t unstable, missing;
};

struct boxes {
    struct plot_sets sets;
    struct row *rows;
    struct plot_span span;
    struct plot_scale x;
};

static bool has_box(const struct row *row)
{
    return row->count >= STATS_INTERVAL_MIN;
}

static enum hs_err read_row(struct boxes *self, size_t line, struct hs_error *error)
{
    struct row *row = &self->rows[line];

    row->values = calloc(self->sets.set.run_count + 1, sizeof *row->values);
    if (!row->values) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < self->sets.set.run_count; i++) {
        const struct compare_run *run = &self->sets.set.runs[i];

        if (strcmp(run->label, self->sets.lines[line]) != 0) {
            continue;
        }
        if (run->stability == RESULT_UNSTABLE) {
            row->unstable++;
        } else if (isfinite(run->values[0])) {
            row->values[row->count++] = run->values[0];
            plot_span_add(&self->span, run->values[0]);
        } else {
            row->missing++;
        }
    }
    stats_sort(row->values, row->count);
    row->box = stats_box(row->values, row->count);
    return HS_OK;
}

/* Room for unstable runs; how many lie beyond. */
static size_t stretch(struct boxes *self)
{
    double reach = self->span.is_used ? UNSTABLE_REACH * self->span.high : INFINITY;
    size_t beyond = 0;

    for (size_t i = 0; i < self->sets.set.run_count; i++) {
        const struct compare_run *run = &self->sets.set.runs[i];

        if (run->stability == RESULT_UNSTABLE && isfinite(run->values[0])) {
            beyond += run->values[0] > reach;
            plot_span_add(&self->span, fmin(run->values[0], reach));
        }
    }
    return beyond;
}

/* ---- numbers */

static size_t put_box(const struct boxes *self, size_t line, struct figure *figure)
{
    const char *unit = self->sets.set.metrics[0].unit;
    const struct figure_column columns[] = {
        {"row", "1"},     {"whisker_low", unit},   {"quartile_low", unit},
        {"median", unit}, {"quartile_high", unit}, {"whisker_high", unit},
        {"runs", "1"}};
    const struct row *row = &self->rows[line];
    size_t block = figure_block(figure, self->sets.lines[line], columns, 7);

    figure_row(figure,
               (double[]){(double)line, row->box.whisker_low, row->box.quartile_low,
                          row->box.median, row->box.quartile_high, row->box.whisker_high,
                          (double)row->count},
               7);
    return block;
}

/* Runs that are drawn one by one: beyond the whiskers, or all where there is no box. */
static size_t put_points(const struct boxes *self, size_t line, struct figure *figure)
{
    const struct compare_metric *metric = &self->sets.set.metrics[0];
    const struct figure_column columns[] = {{"row", "1"}, {metric->name, metric->unit}};
    const struct row *row = &self->rows[line];
    size_t block = SIZE_MAX;

    for (size_t i = 0; i < row->count; i++) {
        double value = row->values[i];

        if (has_box(row) && value >= row->box.whisker_low && value <= row->box.whisker_high) {
            continue;
        }
        if (block == SIZE_MAX) {
            char title[256];

            (void)snprintf(title, sizeof title, "%.200s, single runs", self->sets.lines[line]);
            block = figure_block(figure, title, columns, 2);
        }
        figure_row(figure, (double[]){(double)line, value}, 2);
    }
    return block;
}

static size_t put_unstable(const struct boxes *self, size_t line, struct figure *figure)
{
    const struct compare_metric *metric = &self->sets.set.metrics[0];
    const struct figure_column columns[] = {{"row", "1"}, {metric->name, metric->unit}};
    size_t block = SIZE_MAX;

    for (size_t i = 0; i < self->sets.set.run_count; i++) {
        const struct compare_run *run = &self->sets.set.runs[i];

        if (strcmp(run->label, self->sets.lines[line]) != 0 || run->stability != RESULT_UNSTABLE ||
            !isfinite(run->values[0])) {
            continue;
        }
        if (block == SIZE_MAX) {
            char title[256];

            (void)snprintf(title, sizeof title, "%.200s, unstable runs", self->sets.lines[line]);
            block = figure_block(figure, title, columns, 2);
        }
        figure_row(figure, (double[]){(double)line, run->values[0]}, 2);
    }
    return block;
}

static void put_row(const struct boxes *self, size_t line, struct figure *figure)
{
    const struct plot_scale *x = &self->x;
    size_t color = line % FIGURE_CURVES_MAX + 1;
    size_t block;

    if (has_box(&self->rows[line])) {
        block = put_box(self, line, figure);
        figure_plot(
            figure, block, NULL,
            "using %s:1:(($6-$2)/%.10g):(0) with vectors heads size graph 0.008,90 lc %zu dt "
            "solid lw 0.9",
            plot_scale_column(x, 2).text, x->divisor, color);
        figure_plot(figure, block, NULL,
                    "using %s:1:%s:%s:($1-%g):($1+%g) with boxxyerror lc rgb 'white' fs solid 1",
                    plot_scale_column(x, 4).text, plot_scale_column(x, 3).text,
                    plot_scale_column(x, 5).text, BOX_HEIGHT, BOX_HEIGHT);
        figure_plot(figure, block, NULL,
                    "using %s:1:%s:%s:($1-%g):($1+%g) with boxxyerror lc %zu dt solid lw 0.9 fs "
                    "transparent solid 0.3 border",
                    plot_scale_column(x, 4).text, plot_scale_column(x, 3).text,
                    plot_scale_column(x, 5).text, BOX_HEIGHT, BOX_HEIGHT, color);
        figure_plot(figure, block, NULL,
                    "using %s:($1-%g):(0):(2*%g) with vectors nohead lc %zu dt solid lw 1.8",
                    plot_scale_column(x, 4).text, BOX_HEIGHT, BOX_HEIGHT, color);
    }
    block = put_points(self, line, figure);
    if (block != SIZE_MAX) {
        figure_plot(figure, block, NULL, "using %s:1 with points lc %zu pt 7 ps 0.35",
                    plot_scale_column(x, 2).text, color);
    }
    block = put_unstable(self, line, figure);
    if (block != SIZE_MAX) {
        figure_plot(figure, block, NULL, "using %s:1 with points lc %zu pt 6 ps 0.4 lw 0.45",
                    plot_scale_clamped(x, "inside", 2).text, color);
    }
}

/* ---- the picture */

static void put_axes(struct boxes *self, const struct plot_request *request, size_t beyond,
                     struct figure *figure)
{
    bool is_log =
        request->given & PLOT_LOG ? request->log_axes & PLOT_X : plot_span_is_wide(&self->span);
    size_t unstable = 0;
    size_t missing = 0;

    plot_words_down(figure, self->sets.titles, self->sets.line_count, ROW_LINES);
    self->x = plot_scale_put(figure, "x", plot_metric_title(&self->sets, 0),
                             self->sets.set.metrics[0].unit, &self->span,
                             is_log ? PLOT_FIT_LOG : PLOT_FIT_TIGHT);
    figure_line(figure, "unset key");
    figure_line(figure, "set border 1");
    figure_line(figure, "set grid noytics");
    for (size_t i = 0; i < self->sets.line_count; i++) {
        unstable += self->rows[i].unstable;
        missing += self->rows[i].missing;
    }
    plot_scale_clamp(figure, "inside", &self->x);
    plot_note_unstable(figure, unstable, "They are hollow points, and in no box.");
    plot_note_missing(figure, missing);
    if (beyond) {
        figure_note(figure, "%zu of them lie%s beyond the axis and stand%s at its end.", beyond,
                    beyond == 1 ? "s" : "", beyond == 1 ? "s" : "");
    }
}

static enum hs_err draw_boxes(struct boxes *self, const struct plot_request *request,
                              struct figure *figure, struct hs_error *error)
{
    enum hs_err code = plot_sets_gather(&self->sets, NULL, 0, error);
    const char *key = code == HS_OK ? plot_sets_mix(&self->sets) : NULL;
    size_t beyond;

    if (key) {
        figure_note(figure,
                    "The runs of a policy differ in %s, and a box shows them together. --where "
                    "%s=VALUE chooses some, --by %s tells them apart.",
                    key, key, key);
    }

    self->rows = calloc(self->sets.line_count, sizeof *self->rows);
    if (code == HS_OK && !self->rows) {
        code = hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < self->sets.line_count; i++) {
        code = read_row(self, i, error);
    }
    if (code != HS_OK) {
        return code;
    }
    beyond = stretch(self);
    if (!self->span.is_used) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "No run has %s: the metric applies to none of them.",
                            self->sets.set.metrics[0].name);
    }
    figure_remark(figure, "Quartiles by linear interpolation, whiskers to the outermost run within "
                          "1.5 interquartile ranges.");
    put_axes(self, request, beyond, figure);
    for (size_t i = 0; i < self->sets.line_count; i++) {
        put_row(self, i, figure);
    }
    figure_plot_end(figure);
    return plot_sets_check_labels(&self->sets, error);
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    struct boxes self = {.rows = NULL};
    enum hs_err code = plot_sets_read(request, request->metric ? request->metric : "wait_mean_s",
                                      &self.sets, figure, error);

    if (code == HS_OK && self.sets.set.metric_count != 1) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "--metric names %zu metrics; boxes show one. Draw a picture for each.",
                            self.sets.set.metric_count);
    }
    if (code == HS_OK) {
        code = draw_boxes(&self, request, figure, error);
    }
    for (size_t i = 0; self.rows && i < self.sets.line_count; i++) {
        free(self.rows[i].values);
    }
    free(self.rows);
    plot_sets_fini(&self.sets);
    return code;
}

const struct plot_kind plot_box = {
    .name = "box",
    .summary = "distribution of a metric over the runs of each policy",
    .about =
        "A row for each policy: quartiles and median over its runs, whiskers to the outermost run "
        "within 1.5 interquartile ranges, and the runs beyond. With fewer than five runs there are "
        "points alone. --metric is one of `hsim inspect --json` (default: wait_mean_s). Runs whose "
        "backlog grows are hollow points, and in no box. The axis is logarithmic where values span "
        "more than a factor of 20, unless --log is given.",
    .input = PLOT_SETS,
    .options = PLOT_SET_OPTIONS | PLOT_LOG,
    .draw = draw,
};
