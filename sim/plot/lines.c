/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.c - reads curves, and writes their numbers. */
#include "plot/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the axis */

static enum hs_err fail_no_axis(struct plot_lines *lines, struct hs_error *error)
{
    return hs_error_set(
        error, HS_ERR_CONFIG,
        "--against is missing: a key of the experiment or a metric, as in --against "
        "workload.load. Runs differ in %s.",
        plot_sets_varying(&lines->sets));
}

static enum hs_err find_axis(struct plot_lines *lines, const char *against,
                             const char *const *usual, struct hs_error *error)
{
    enum hs_err code;

    if (lines->is_metric) {
        lines->axis = (struct plot_axis){against, lines->sets.set.metrics[1].unit};
        lines->axis_title = plot_metric_title(&lines->sets, 1);
        return HS_OK;
    }
    for (size_t i = 0; !against && usual[i]; i++) {
        against = plot_sets_varies(&lines->sets, usual[i]) ? usual[i] : NULL;
    }
    if (!against) {
        against = plot_sets_only_varying(&lines->sets);
    }
    if (!against) {
        return fail_no_axis(lines, error);
    }
    code = plot_axis_find(&lines->sets, against, &lines->axis, error);
    if (code == HS_OK && !*lines->axis.unit) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "--against %s: its values are words, and a line needs numbers. `hsim "
                            "plot bars --by %s` compares words.",
                            against, against);
    }
    lines->axis_title = plot_axis_title(&lines->sets, against);
    return code;
}

/* ---- curves */

static int compare_points(const void *left, const void *right)
{
    const struct plot_point *a = left;
    const struct plot_point *b = right;

    return (a->x > b->x) - (a->x < b->x);
}

static enum hs_err add_point(struct plot_lines *lines, const struct plot_cell *cell,
                             struct plot_curve *curve, struct hs_error *error)
{
    struct plot_point *point = &curve->points[curve->count];
    struct plot_mean x = {0};

    if (!plot_cell_mean(&lines->sets, cell, 0, &point->y) ||
        (lines->is_metric && !plot_cell_mean(&lines->sets, cell, 1, &x))) {
        return hs_error_memory(error);
    }
    point->cell = cell;
    point->x = plot_axis_value(&lines->axis, cell->runs[0]);
    if (lines->is_metric) {
        /* Where all runs are unstable there is no mean; the load of such a run is what it is. */
        point->x = x.count ? x.mean.estimate : cell->runs[0]->values[1];
    }
    lines->unstable += point->y.unstable;
    lines->missing += point->y.missing;
    curve->count += isfinite(point->x) != 0;
    return HS_OK;
}

/* Two cells in one place of a line differ in something that the picture does not show. */
static enum hs_err check_curve(const struct plot_lines *lines, const struct plot_curve *curve,
                               struct hs_error *error)
{
    for (size_t i = 1; i < curve->count && !lines->is_metric; i++) {
        const struct plot_point *a = &curve->points[i - 1];
        const struct plot_point *b = &curve->points[i];
        const char *key = b->x > a->x ? NULL : plot_cells_differ(a->cell, b->cell);

        if (key) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "At %s = %g the runs of '%s' differ in %s, too, and a mean over it "
                                "would hide that. Draw a line for each value with --by %s, or "
                                "choose one with --where %s=VALUE.",
                                lines->axis.key, a->x, lines->sets.lines[a->cell->line], key, key,
                                key);
        }
    }
    return HS_OK;
}

static void measure(struct plot_lines *lines, const struct plot_curve *curve)
{
    for (size_t i = 0; i < curve->count; i++) {
        const struct plot_point *point = &curve->points[i];
        bool has_singles = point->y.count < STATS_INTERVAL_MIN;

        plot_span_add(&lines->x, point->x);
        plot_span_add_interval(&lines->y, &point->y.mean);
        for (size_t k = 0; has_singles && k < point->cell->count; k++) {
            const struct compare_run *run = point->cell->runs[k];

            if (run->stability != RESULT_UNSTABLE) {
                plot_span_add(&lines->y, run->values[0]);
            }
        }
    }
}

static enum hs_err read_curves(struct plot_lines *lines, struct hs_error *error)
{
    struct plot_sets *sets = &lines->sets;
    struct plot_point *next;
    enum hs_err code = HS_OK;

    lines->curves = calloc(sets->line_count, sizeof *lines->curves);
    lines->points = next = calloc(sets->cell_count + 1, sizeof *lines->points);
    if (!lines->curves || !lines->points) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < sets->cell_count; i++) {
        struct plot_curve *curve = &lines->curves[sets->cells[i].line];

        curve->points = curve->points ? curve->points : next;
        code = add_point(lines, &sets->cells[i], curve, error);
        next = curve->points + curve->count;
    }
    for (size_t i = 0; code == HS_OK && i < sets->line_count; i++) {
        struct plot_curve *curve = &lines->curves[i];

        if (curve->count) {
            qsort(curve->points, curve->count, sizeof *curve->points, compare_points);
        }
        code = check_curve(lines, curve, error);
        measure(lines, curve);
    }
    return code;
}

/* Unstable runs are all that there is: their values make the axis. */
static enum hs_err check_any(struct plot_lines *lines, struct hs_error *error)
{
    for (size_t i = 0; !lines->y.is_used && i < lines->sets.set.run_count; i++) {
        plot_span_add(&lines->y, lines->sets.set.runs[i].values[0]);
    }
    if (!lines->y.is_used || !lines->x.is_used) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "No run has both %s and a value on the axis, so that there is nothing "
                            "to draw.",
                            lines->sets.set.metrics[0].name);
    }
    return HS_OK;
}

enum hs_err plot_lines_read(const struct plot_request *request,
                            const struct plot_lines_usual *usual, struct plot_lines *lines,
                            struct figure *figure, struct hs_error *error)
{
    const char *metric = request->metric ? request->metric : usual->metric;
    char names[256];
    enum hs_err code;

    *lines = (struct plot_lines){0};
    if (strchr(metric, ',')) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--metric is '%s'; a picture of lines shows one metric. Draw one for "
                            "each.",
                            metric);
    }
    /* Keys have a point in their names, metrics have none. */
    lines->is_metric = request->against && !strchr(request->against, '.');
    (void)snprintf(names, sizeof names, "%s%s%s", metric, lines->is_metric ? "," : "",
                   lines->is_metric ? request->against : "");
    code = plot_sets_read(request, names, &lines->sets, figure, error);
    if (code == HS_OK && lines->sets.line_count > FIGURE_CURVES_MAX) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%zu lines cannot be told apart; a picture has at most %d. Choose with "
                            "--policy or --where.",
                            lines->sets.line_count, FIGURE_CURVES_MAX);
    }
    if (code == HS_OK) {
        code = find_axis(lines, request->against, usual->axes, error);
    }
    if (code == HS_OK) {
        code = plot_sets_gather(&lines->sets, &lines->axis, lines->is_metric ? 0 : 1, error);
    }
    if (code == HS_OK) {
        code = read_curves(lines, error);
    }
    return code == HS_OK ? check_any(lines, error) : code;
}

void plot_lines_fini(struct plot_lines *lines)
{
    free(lines->curves);
    free(lines->points);
    plot_sets_fini(&lines->sets);
    *lines = (struct plot_lines){0};
}

/* ---- numbers */

/* Runs one by one: unstable ones, or those of means that are too few for an interval. */
static size_t put_singles(const struct plot_lines *lines, size_t line, bool is_unstable,
                          struct figure *figure)
{
    const struct compare_metric *metric = &lines->sets.set.metrics[0];
    const struct plot_curve *curve = &lines->curves[line];
    const struct figure_column columns[] = {{"x", lines->axis.unit}, {metric->name, metric->unit}};
    size_t block = SIZE_MAX;

    for (size_t i = 0; i < curve->count; i++) {
        const struct plot_point *point = &curve->points[i];
        bool has_few = point->y.count > 1 && point->y.count < STATS_INTERVAL_MIN;

        for (size_t k = 0; k < point->cell->count; k++) {
            const struct compare_run *run = point->cell->runs[k];

            if ((run->stability == RESULT_UNSTABLE) != is_unstable || (!is_unstable && !has_few) ||
                !isfinite(run->values[0])) {
                continue;
            }
            if (block == SIZE_MAX) {
                char title[256];

                (void)snprintf(title, sizeof title, "%.200s, %s", lines->sets.lines[line],
                               is_unstable ? "unstable runs" : "runs of means without an interval");
                block = figure_block(figure, title, columns, 2);
            }
            figure_row(figure, (double[]){point->x, run->values[0]}, 2);
        }
    }
    return block;
}

struct plot_blocks plot_lines_blocks(const struct plot_lines *lines, size_t line,
                                     struct figure *figure)
{
    const struct compare_metric *metric = &lines->sets.set.metrics[0];
    const struct plot_curve *curve = &lines->curves[line];
    const struct figure_column columns[] = {{"x", lines->axis.unit}, {metric->name, metric->unit},
                                            {"low", metric->unit},   {"high", metric->unit},
                                            {"runs", "1"},           {"unstable", "1"}};
    struct plot_blocks blocks = {.means = SIZE_MAX};

    for (size_t i = 0; i < curve->count; i++) {
        const struct plot_mean *y = &curve->points[i].y;

        if (y->count == 0) {
            continue;
        }
        if (blocks.means == SIZE_MAX) {
            char title[256];

            (void)snprintf(title, sizeof title, "%.200s, means", lines->sets.lines[line]);
            blocks.means = figure_block(figure, title, columns, 6);
        }
        blocks.has_interval |= isfinite(y->mean.low);
        blocks.is_partial |= y->unstable > 0;
        figure_row(figure,
                   (double[]){curve->points[i].x, y->mean.estimate, y->mean.low, y->mean.high,
                              (double)y->count, (double)y->unstable},
                   6);
    }
    blocks.few = put_singles(lines, line, false, figure);
    blocks.unstable = put_singles(lines, line, true, figure);
    return blocks;
}
