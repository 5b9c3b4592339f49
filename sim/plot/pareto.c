/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pareto.c - two metrics against each other, usually energy and makespan, and the front. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/front.h"
#include "plot/labels.h"
#include "plot/scale.h"
#include "plot/sets.h"

#define POINTS_PER_CM (72 / 2.54)
#define LETTER_WIDTH  0.58 /* of the mean letter, in the size of the font */
#define LETTER_HEIGHT 1.15
#define POINT_RADIUS  0.3 /* in letters */

struct spot {
    const struct plot_cell *cell;
    struct plot_mean x, y;
    bool is_front;
};

struct pareto {
    struct plot_sets sets;
    struct spot *spots;
    size_t count;
    bool is_named; /* each line is one point: names stand beside them in place of a legend */
    struct plot_span x_span, y_span;
    struct plot_scale x, y;
    int x_sign, y_sign; /* 1: less is better */
    size_t unstable, missing;
};

/* ---- points */

static enum hs_err find_signs(struct pareto *self, struct hs_error *error)
{
    int *signs[2] = {&self->x_sign, &self->y_sign};

    if (self->sets.set.metric_count != 2) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--metric names %zu metrics; two are due, X,Y, as in --metric "
                            "makespan_s,energy_total_j.",
                            self->sets.set.metric_count);
    }
    for (size_t m = 0; m < 2; m++) {
        enum compare_direction direction = compare_direction(self->sets.set.metrics[m].name);

        if (direction == COMPARE_NEITHER) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--metric %s: neither less nor more of it is better, so that there "
                                "is no front.",
                                self->sets.set.metrics[m].name);
        }
        *signs[m] = direction == COMPARE_HIGHER ? -1 : 1;
    }
    return HS_OK;
}

static enum hs_err read_spots(struct pareto *self, struct hs_error *error)
{
    size_t lines_seen = 0;

    self->spots = calloc(self->sets.cell_count + 1, sizeof *self->spots);
    if (!self->spots) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < self->sets.cell_count; i++) {
        struct spot *spot = &self->spots[self->count];

        spot->cell = &self->sets.cells[i];
        if (!plot_cell_mean(&self->sets, spot->cell, 0, &spot->x) ||
            !plot_cell_mean(&self->sets, spot->cell, 1, &spot->y)) {
            return hs_error_memory(error);
        }
        lines_seen += i == 0 || spot->cell->line != self->sets.cells[i - 1].line;
        self->unstable += spot->x.unstable;
        self->missing += spot->x.missing + spot->y.missing;
        if (spot->x.count && spot->y.count) {
            self->count++;
        }
    }
    self->is_named = lines_seen == self->sets.cell_count;
    if (self->count == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "No stable run has both %s and %s, so that there is nothing to draw.",
                            self->sets.set.metrics[0].name, self->sets.set.metrics[1].name);
    }
    return HS_OK;
}

static const struct spot *spot_at(const struct pareto *self, double x, double y)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct spot *spot = &self->spots[i];

        if (!(spot->x.mean.estimate < x || spot->x.mean.estimate > x || spot->y.mean.estimate < y ||
              spot->y.mean.estimate > y)) {
            return spot;
        }
    }
    return NULL;
}

/* Fills `points` with the front, the best in x first; how many. */
static size_t find_front(struct pareto *self, struct plot_front_point *points)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->count; i++) {
        points[i] = (struct plot_front_point){.x = self->spots[i].x.mean.estimate,
                                              .y = self->spots[i].y.mean.estimate};
    }
    (void)plot_front_find(points, self->count, self->x_sign, self->y_sign);
    for (size_t i = 0; i < self->count; i++) {
        if (points[i].is_front) {
            points[kept++] = points[i];
        }
    }
    for (size_t i = 0; i < self->count; i++) {
        for (size_t k = 0; k < kept; k++) {
            self->spots[i].is_front |= spot_at(self, points[k].x, points[k].y) == &self->spots[i];
        }
    }
    return kept;
}

/* ---- numbers */

static size_t put_front(const struct pareto *self, const struct plot_front_point *points,
                        size_t count, struct figure *figure)
{
    const struct compare_metric *metrics = self->sets.set.metrics;
    const struct figure_column columns[] = {{metrics[0].name, metrics[0].unit},
                                            {metrics[1].name, metrics[1].unit}};
    size_t block = figure_block(figure, "front, as the edge of what it dominates", columns, 2);
    double worst_x = self->x_sign > 0 ? self->x.high : self->x.low;
    double worst_y = self->y_sign > 0 ? self->y.high : self->y.low;

    figure_row(figure, (double[]){points[0].x, worst_y}, 2);
    for (size_t i = 0; i < count; i++) {
        double next = i + 1 < count ? points[i + 1].x : worst_x;

        figure_row(figure, (double[]){points[i].x, points[i].y}, 2);
        figure_row(figure, (double[]){next, points[i].y}, 2);
    }
    return block;
}

/* Points of a line, or of all with `line` SIZE_MAX; SIZE_MAX: there are none. */
static size_t put_spots(const struct pareto *self, size_t line, bool are_front,
                        struct figure *figure)
{
    const struct compare_metric *metrics = self->sets.set.metrics;
    const struct figure_column columns[] = {{metrics[0].name, metrics[0].unit},
                                            {metrics[1].name, metrics[1].unit},
                                            {"x_low", metrics[0].unit},
                                            {"x_high", metrics[0].unit},
                                            {"y_low", metrics[1].unit},
                                            {"y_high", metrics[1].unit},
                                            {"runs", "1"},
                                            {"unstable", "1"}};
    size_t block = SIZE_MAX;

    for (size_t i = 0; i < self->count; i++) {
        const struct spot *spot = &self->spots[i];
        const char *name = self->sets.lines[spot->cell->line];

        if (spot->is_front != are_front || (line != SIZE_MAX && spot->cell->line != line)) {
            continue;
        }
        if (block == SIZE_MAX) {
            char title[256];

            (void)snprintf(title, sizeof title, "%.200s, %s", line == SIZE_MAX ? "points" : name,
                           are_front ? "of the front" : "dominated");
            block = figure_block(figure, title, columns, 8);
        }
        if (line == SIZE_MAX) {
            figure_remark(figure, "%s", name);
        }
        figure_row(figure,
                   (double[]){spot->x.mean.estimate, spot->y.mean.estimate, spot->x.mean.low,
                              spot->x.mean.high, spot->y.mean.low, spot->y.mean.high,
                              (double)spot->x.count, (double)spot->x.unstable},
                   8);
    }
    return block;
}

/* ---- the picture */

static void put_axes(struct pareto *self, const struct plot_request *request, struct figure *figure)
{
    const struct compare_metric *metrics = self->sets.set.metrics;
    bool is_given = request->given & PLOT_LOG;
    bool is_log_x;
    bool is_log_y;

    for (size_t i = 0; i < self->count; i++) {
        const struct spot *spot = &self->spots[i];

        plot_span_add_interval(&self->x_span, &spot->x.mean);
        plot_span_add_interval(&self->y_span, &spot->y.mean);
    }
    is_log_x = is_given ? request->log_axes & PLOT_X : plot_span_is_wide(&self->x_span);
    is_log_y = is_given ? request->log_axes & PLOT_Y : plot_span_is_wide(&self->y_span);
    self->x = plot_scale_put(figure, "x", plot_metric_title(&self->sets, 0), metrics[0].unit,
                             &self->x_span, is_log_x ? PLOT_FIT_LOG : PLOT_FIT_ROUND);
    self->y = plot_scale_put(figure, "y", plot_metric_title(&self->sets, 1), metrics[1].unit,
                             &self->y_span, is_log_y ? PLOT_FIT_LOG : PLOT_FIT_ROUND);
    plot_scale_clamp(figure, "inside_x", &self->x);
    plot_scale_clamp(figure, "inside_y", &self->y);
}

/* Where a value lies between the ends of its axis, 0 to 1. */
static double share(const struct plot_scale *scale, double value)
{
    value = fmin(fmax(value, scale->low), scale->high);
    return scale->is_log ? log(value / scale->low) / log(scale->high / scale->low)
                         : (value - scale->low) / (scale->high - scale->low);
}

static size_t letters(const char *text)
{
    size_t count = 0;

    for (; *text; text++) {
        count += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return count;
}

/* A line of the picture as something that names keep off. */
static struct plot_obstacle line_between(const struct pareto *self, const struct plot_area *area,
                                         const double from[2], const double to[2])
{
    double x[2] = {share(&self->x, from[0]) * area->width, share(&self->x, to[0]) * area->width};
    double y[2] = {share(&self->y, from[1]) * area->height, share(&self->y, to[1]) * area->height};
    double half = area->point / 2;

    return (struct plot_obstacle){fmin(x[0], x[1]) - half, fmin(y[0], y[1]) - half,
                                  fmax(x[0], x[1]) + half, fmax(y[0], y[1]) + half};
}

/* The intervals of all points, and the front; room for 2 (count + front). How many. */
static size_t list_obstacles(const struct pareto *self, const struct plot_area *area,
                             const struct plot_front_point *front, size_t front_count,
                             struct plot_obstacle *list)
{
    double worst_x = self->x_sign > 0 ? self->x.high : self->x.low;
    double worst_y = self->y_sign > 0 ? self->y.high : self->y.low;
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++) {
        const struct stats_interval *x = &self->spots[i].x.mean;
        const struct stats_interval *y = &self->spots[i].y.mean;

        if (isfinite(x->low)) {
            list[count++] = line_between(self, area, (double[]){x->low, y->estimate},
                                         (double[]){x->high, y->estimate});
        }
        if (isfinite(y->low)) {
            list[count++] = line_between(self, area, (double[]){x->estimate, y->low},
                                         (double[]){x->estimate, y->high});
        }
    }
    for (size_t i = 0; i < front_count; i++) {
        double above = i == 0 ? worst_y : front[i - 1].y;
        double next = i + 1 < front_count ? front[i + 1].x : worst_x;

        list[count++] = line_between(self, area, (double[]){front[i].x, above},
                                     (double[]){front[i].x, front[i].y});
        list[count++] = line_between(self, area, (double[]){front[i].x, front[i].y},
                                     (double[]){next, front[i].y});
    }
    return count;
}

static void write_names(const struct pareto *self, const struct plot_label *labels,
                        const struct plot_area *area, struct figure *figure)
{
    figure_line(figure, "set style textbox opaque noborder margins 0.1,0.1");
    for (size_t i = 0; i < self->count; i++) {
        (void)fputs("set label ", figure->script);
        figure_quote(figure->script, self->sets.titles[self->spots[i].cell->line]);
        figure_line(figure, " at graph %.4f, graph %.4f left front boxed",
                    labels[i].left / area->width,
                    (labels[i].bottom + labels[i].height / 2) / area->height);
    }
}

/* Names beside the points. Margins are fixed, so that places are known. */
static enum hs_err put_names(const struct pareto *self, const struct plot_front_point *front,
                             size_t front_count, struct figure *figure, struct hs_error *error)
{
    double letter = figure->options.style->font_pt / POINTS_PER_CM;
    struct plot_area area = {.width = figure->width_cm - 8.5 * letter,
                             .height = figure->height_cm - 5 * letter,
                             .point = POINT_RADIUS * letter};
    struct plot_label *labels = calloc(self->count, sizeof *labels);
    struct plot_obstacle *obstacles = calloc(2 * (self->count + front_count), sizeof *obstacles);

    if (labels && obstacles) {
        area.obstacles = obstacles;
        area.obstacle_count = list_obstacles(self, &area, front, front_count, obstacles);
        figure_line(figure, "set lmargin at screen %.4f", 7 * letter / figure->width_cm);
        figure_line(figure, "set rmargin at screen %.4f", 1 - 1.5 * letter / figure->width_cm);
        figure_line(figure, "set bmargin at screen %.4f", 4 * letter / figure->height_cm);
        figure_line(figure, "set tmargin at screen %.4f", 1 - 1 * letter / figure->height_cm);
        for (size_t i = 0; i < self->count; i++) {
            const char *title = self->sets.titles[self->spots[i].cell->line];

            labels[i].x = share(&self->x, self->spots[i].x.mean.estimate) * area.width;
            labels[i].y = share(&self->y, self->spots[i].y.mean.estimate) * area.height;
            labels[i].width = (double)letters(title) * LETTER_WIDTH * letter;
            labels[i].height = LETTER_HEIGHT * letter;
        }
        if (plot_labels_place(labels, self->count, &area) > 0) {
            figure_note(figure,
                        "Some names cover each other or a point; a larger --width and --height, or "
                        "shorter names by --label, give them room.");
        }
        write_names(self, labels, &area, figure);
    }
    free(labels);
    free(obstacles);
    return labels && obstacles ? HS_OK : hs_error_memory(error);
}

static void put_bars(const struct pareto *self, size_t block, struct figure *figure)
{
    bool has_x = false;
    bool has_y = false;

    for (size_t i = 0; i < self->count; i++) {
        has_x |= isfinite(self->spots[i].x.mean.low);
        has_y |= isfinite(self->spots[i].y.mean.low);
    }
    if (has_x) {
        figure_plot(
            figure, block, NULL,
            "using (inside_x($3/%.10g)):%s:(inside_x($4/%.10g)-inside_x($3/%.10g)):(0) with "
            "vectors nohead lc rgb '#909090' dt solid lw 0.6",
            self->x.divisor, plot_scale_column(&self->y, 2).text, self->x.divisor, self->x.divisor);
    }
    if (has_y) {
        figure_plot(
            figure, block, NULL,
            "using %s:(inside_y($5/%.10g)):(0):(inside_y($6/%.10g)-inside_y($5/%.10g)) with "
            "vectors nohead lc rgb '#909090' dt solid lw 0.6",
            plot_scale_column(&self->x, 1).text, self->y.divisor, self->y.divisor, self->y.divisor);
    }
}

static void put_points(const struct pareto *self, size_t front, struct figure *figure)
{
    const struct plot_column x = plot_scale_column(&self->x, 1);
    const struct plot_column y = plot_scale_column(&self->y, 2);
    size_t lines = self->is_named ? 1 : self->sets.line_count;

    figure_plot(figure, front, NULL, "using %s:%s with lines lc rgb '#000000' dt (3,2) lw 0.7",
                x.text, y.text);
    for (size_t i = 0; i < lines; i++) {
        size_t line = self->is_named ? SIZE_MAX : i;
        const char *title = self->is_named ? NULL : self->sets.titles[i];

        for (int are_front = 1; are_front >= 0; are_front--) {
            size_t block = put_spots(self, line, are_front, figure);

            if (block == SIZE_MAX) {
                continue;
            }
            put_bars(self, block, figure);
            if (!are_front) {
                figure_plot(figure, block, NULL,
                            "using %s:%s with points lc rgb 'white' pt %d ps 0.7", x.text, y.text,
                            plot_filled_point(i));
            }
            figure_plot(figure, block, title, "using %s:%s with points lc %zu pt %d ps 0.7 lw 0.8",
                        x.text, y.text, i + 1,
                        are_front ? plot_filled_point(i) : plot_hollow_point(i));
            title = NULL;
        }
    }
    figure_plot_end(figure);
}

static enum hs_err draw_spots(struct pareto *self, const struct plot_request *request,
                              struct figure *figure, struct hs_error *error)
{
    struct plot_front_point *points = calloc(self->count, sizeof *points);
    enum hs_err code = HS_OK;
    size_t count;

    if (!points) {
        return hs_error_memory(error);
    }
    count = find_front(self, points);
    figure_remark(figure, "Means over stable runs, intervals by Student's t, %g %%.",
                  self->sets.level * 100);
    if (!self->is_named && self->sets.line_count > FIGURE_CURVES_MAX) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%zu policies with several points each cannot be told apart; a picture "
                            "has at most %d. Choose with --policy or --where.",
                            self->sets.line_count, FIGURE_CURVES_MAX);
    }
    if (code == HS_OK) {
        figure_legend(figure, self->sets.titles, self->is_named ? 0 : self->sets.line_count, true);
        put_axes(self, request, figure);
        code = self->is_named ? put_names(self, points, count, figure, error) : HS_OK;
    }
    if (code == HS_OK) {
        put_points(self, put_front(self, points, count, figure), figure);
        plot_note_unstable(
            figure, self->unstable,
            "They are in no mean; a policy that lacks some is compared on its easier "
            "workloads.");
        plot_note_missing(figure, self->missing);
        code = plot_sets_check_labels(&self->sets, error);
    }
    free(points);
    return code;
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    struct pareto self = {.count = 0};
    enum hs_err code =
        plot_sets_read(request, request->metric ? request->metric : "makespan_s,energy_total_j",
                       &self.sets, figure, error);

    if (code == HS_OK) {
        code = find_signs(&self, error);
    }
    if (code == HS_OK) {
        code = plot_sets_gather(&self.sets, NULL, 0, error);
    }
    if (code == HS_OK) {
        code = read_spots(&self, error);
    }
    if (code == HS_OK) {
        code = draw_spots(&self, request, figure, error);
    }
    free(self.spots);
    plot_sets_fini(&self.sets);
    return code;
}

const struct plot_kind plot_pareto = {
    .name = "pareto",
    .summary = "front of two metrics, such as energy and makespan",
    .about =
        "A point for each policy, the means over its runs with Student's intervals (--level); "
        "where "
        "runs of a policy differ in more than seed, trace or window, a point for each such set. "
        "Filled points are of the front: no other is as good in both metrics and better in one; "
        "the "
        "broken line is the edge of what they dominate. --metric is X,Y, two of `hsim inspect "
        "--json` (default: makespan_s,energy_total_j); more is better of utilisations and "
        "throughputs, less of the others. Runs whose backlog grows are in no mean.",
    .input = PLOT_SETS,
    .options = PLOT_SET_OPTIONS | PLOT_LOG | PLOT_LEVEL,
    .draw = draw,
};
