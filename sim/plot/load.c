/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - a metric against an axis, usually the load: means of each policy with their intervals.
 */
#include <math.h>

#include "plot/lines.h"

/* Values of unstable runs grow with the length of the workload; beyond this multiple of all else
 * they do not stretch the axis but stand at its end. */
#define UNSTABLE_REACH 10

struct picture {
    struct plot_lines lines;
    struct plot_blocks blocks[FIGURE_CURVES_MAX];
    struct plot_scale x, y;
};

/* Room for unstable runs on the axis; how many lie beyond. */
static size_t stretch(const struct plot_lines *lines, struct plot_span *span)
{
    double reach = UNSTABLE_REACH * span->high;
    size_t beyond = 0;

    for (size_t i = 0; i < lines->sets.set.run_count; i++) {
        const struct compare_run *run = &lines->sets.set.runs[i];

        if (run->stability == RESULT_UNSTABLE && isfinite(run->values[0])) {
            beyond += run->values[0] > reach;
            plot_span_add(span, fmin(run->values[0], reach));
        }
    }
    return beyond;
}

static void put_axes(struct picture *self, const struct plot_request *request,
                     struct figure *figure)
{
    struct plot_lines *lines = &self->lines;
    struct plot_span span = lines->y;
    size_t beyond = stretch(lines, &span);
    bool is_given = request->given & PLOT_LOG;
    bool is_log_x = is_given && request->log_axes & PLOT_X && lines->x.low > 0;
    bool is_log_y = is_given ? request->log_axes & PLOT_Y : plot_span_is_wide(&span);

    self->x = plot_scale_put(figure, "x", lines->axis_title, lines->axis.unit, &lines->x,
                             is_log_x ? PLOT_FIT_LOG : PLOT_FIT_TIGHT);
    self->y = plot_scale_put(figure, "y", plot_metric_title(&lines->sets, 0),
                             lines->sets.set.metrics[0].unit, &span,
                             is_log_y ? PLOT_FIT_LOG : PLOT_FIT_ZERO);
    plot_scale_clamp(figure, "inside", &self->y);
    if (lines->unstable) {
        plot_note_unstable(figure, lines->unstable,
                           "They are small hollow points and in no mean; a mean that lacks some of "
                           "its runs is hollow, too, and one of the easier workloads.");
    }
    if (beyond) {
        figure_note(figure, "%zu of them lie%s beyond the axis and stand%s at its end.", beyond,
                    beyond == 1 ? "s" : "", beyond == 1 ? "s" : "");
    }
    plot_note_missing(figure, lines->missing);
}

/* Below the lines: intervals, and runs one by one. */
static void put_ground(const struct picture *self, struct figure *figure)
{
    const struct plot_column x = plot_scale_column(&self->x, 1);
    const struct plot_column y = plot_scale_clamped(&self->y, "inside", 2);

    for (size_t i = 0; i < self->lines.sets.line_count; i++) {
        if (self->blocks[i].has_interval) {
            figure_plot(
                figure, self->blocks[i].means, NULL,
                "using %s:%s:%s with filledcurves lc %zu fs transparent solid 0.18 noborder",
                x.text, plot_scale_clamped(&self->y, "inside", 3).text,
                plot_scale_clamped(&self->y, "inside", 4).text, i + 1);
        }
    }
    for (size_t i = 0; i < self->lines.sets.line_count; i++) {
        if (self->blocks[i].few != SIZE_MAX) {
            figure_plot(figure, self->blocks[i].few, NULL,
                        "using %s:%s with points lc %zu pt %d ps 0.35", x.text, y.text, i + 1,
                        plot_filled_point(i));
        }
        if (self->blocks[i].unstable != SIZE_MAX) {
            figure_plot(figure, self->blocks[i].unstable, NULL,
                        "using %s:%s with points lc %zu pt %d ps 0.4 lw 0.45", x.text, y.text,
                        i + 1, plot_hollow_point(i));
        }
    }
}

static void put_lines(const struct picture *self, struct figure *figure)
{
    for (size_t i = 0; i < self->lines.sets.line_count; i++) {
        if (self->blocks[i].means != SIZE_MAX) {
            figure_plot(figure, self->blocks[i].means, self->lines.sets.titles[i],
                        "using %s:%s with linespoints lt %zu pt %d ps 0.55 lw 1.1",
                        plot_scale_column(&self->x, 1).text, plot_scale_column(&self->y, 2).text,
                        i + 1, plot_filled_point(i));
        }
    }
    for (size_t i = 0; i < self->lines.sets.line_count; i++) {
        for (int is_outline = 0; self->blocks[i].is_partial && is_outline < 2; is_outline++) {
            char color[24];

            (void)snprintf(color, sizeof color, is_outline ? "%zu" : "rgb 'white'", i + 1);
            figure_plot(figure, self->blocks[i].means, NULL,
                        "using %s:($6 > 0 ? $2/%.10g : NaN) with points lc %s pt %d ps 0.55 lw 0.7",
                        plot_scale_column(&self->x, 1).text, self->y.divisor, color,
                        is_outline ? plot_hollow_point(i) : plot_filled_point(i));
        }
    }
    figure_plot_end(figure);
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    static const char *const axes[] = {"workload.load", "workload.generate.load", NULL};
    const struct plot_lines_usual usual = {"wait_mean_s", axes};
    struct picture self = {.lines = {.unstable = 0}};
    enum hs_err code = plot_lines_read(request, &usual, &self.lines, figure, error);

    if (code == HS_OK) {
        figure_remark(figure, "Intervals: Student's t over runs, %g %%.",
                      self.lines.sets.level * 100);
        figure_legend(figure, self.lines.sets.titles, self.lines.sets.line_count, false);
        put_axes(&self, request, figure);
        for (size_t i = 0; i < self.lines.sets.line_count; i++) {
            self.blocks[i] = plot_lines_blocks(&self.lines, i, figure);
        }
        put_ground(&self, figure);
        put_lines(&self, figure);
        code = plot_sets_check_labels(&self.lines.sets, error);
    }
    plot_lines_fini(&self.lines);
    return code;
}

const struct plot_kind plot_load = {
    .name = "load",
    .summary = "means of a metric against the load or another axis",
    .about =
        "A line for each policy through the means over runs that differ in seed, trace or window "
        "alone, with Student's interval (--level) as a band; with fewer than five runs there is "
        "none, but the single runs. --against is a key of the experiment (default: workload.load, "
        "or the only one that varies) or a metric, such as offered_load, the load as measured. "
        "--metric is one of `hsim inspect --json` (default: wait_mean_s). Runs whose backlog grows "
        "are hollow and in no mean. The y axis is logarithmic where values span more than a factor "
        "of 20, unless --log is given.",
    .input = PLOT_SETS,
    .options = PLOT_SET_OPTIONS | PLOT_LOG | PLOT_AGAINST | PLOT_LEVEL,
    .draw = draw,
};
