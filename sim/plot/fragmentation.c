/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fragmentation.c - what of the accelerators is free and of no use to the jobs: as the machine
 * fills up (workload.inflation), or over time (output.fragmentation). */
#include <math.h>
#include <stdlib.h>

#include "plot/axis.h"
#include "plot/level.h"

enum against { AGAINST_ARRIVED, AGAINST_ALLOCATED, AGAINST_TIME };
static const char *const against_names[] = {"arrived", "allocated", "time"};

#define LINES_PER_STRETCH 2 /* of the picture, for a mean over time */
#define SHARES_PER_DEVICE 1000

/* Of one run, in percent of the installed accelerators. */
struct filling {
    int64_t *arrived;
    double *held, *lost;
    size_t count;
};

struct fragmentation {
    struct plot_runs runs;
    enum against against;
    struct filling fillings[FIGURE_CURVES_MAX];
    struct plot_window window;
    struct level lost[FIGURE_CURVES_MAX], unused[FIGURE_CURVES_MAX]; /* thousandths; time alone */
};

static const struct result_table *inflation_of(const struct plot_run *run)
{
    return result_reader_table(run->reader, "inflation");
}

static enum hs_err read_filling(const struct plot_run *run, struct filling *filling,
                                struct hs_error *error)
{
    const struct result_table *table = inflation_of(run);
    enum hs_err code;

    if (!table) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the workload of the run is not inflated until the machine is full "
                            "(`workload: {inflation: ...}`). Give --against time where the run has "
                            "`output: {fragmentation: true}`.",
                            run->path);
    }
    filling->count = (size_t)result_reader_rows(run->reader, table);
    if (filling->count == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: no job arrived in the run, so there is nothing to draw.",
                            run->path);
    }
    filling->arrived = calloc(filling->count, sizeof *filling->arrived);
    filling->held = calloc(filling->count, sizeof *filling->held);
    filling->lost = calloc(filling->count, sizeof *filling->lost);
    if (!filling->arrived || !filling->held || !filling->lost) {
        return hs_error_memory(error);
    }
    code = result_reader_ints(run->reader, table, INFLATION_PERCENT, 0, filling->count,
                              filling->arrived, error);
    if (code == HS_OK) {
        code = result_reader_doubles(run->reader, table, INFLATION_ALLOC, 0, filling->count,
                                     filling->held, error);
    }
    if (code == HS_OK) {
        code = result_reader_doubles(run->reader, table, INFLATION_FRAGMENT, 0, filling->count,
                                     filling->lost, error);
    }
    return code;
}

static void put_filling(const struct fragmentation *self, size_t run, struct figure *figure)
{
    static const struct figure_column columns[] = {{"arrived", "%"}, {"held", "%"}, {"lost", "%"}};
    const struct filling *filling = &self->fillings[run];
    char title[512];

    (void)snprintf(title, sizeof title,
                   "%s: accelerators asked for, held, and free but of no use, of those installed",
                   self->runs.labels[run]);
    (void)figure_block(figure, title, columns, 3);
    for (size_t i = 0; i < filling->count; i++) {
        figure_row(
            figure,
            (double[]){(double)filling->arrived[i], 100 * filling->held[i], 100 * filling->lost[i]},
            3);
    }
}

/* Curves of all runs: column `y` against column `x`. */
static void put_curves(const struct fragmentation *self, const char *using, struct figure *figure)
{
    for (size_t run = 0; run < self->runs.count; run++) {
        figure_plot(figure, run, self->runs.labels[run], "using %s with lines lt %zu lw 1.2", using,
                    run + 1);
    }
    figure_plot_end(figure);
}

static double highest_lost(const struct fragmentation *self)
{
    double highest = 0;

    for (size_t run = 0; run < self->runs.count; run++) {
        for (size_t i = 0; i < self->fillings[run].count; i++) {
            highest = fmax(highest, 100 * self->fillings[run].lost[i]);
        }
    }
    return highest;
}

static enum hs_err draw_filling(struct fragmentation *self, struct figure *figure,
                                struct hs_error *error)
{
    static const char *const labels[] = {"accelerators held (%)", "free, of no use (%)"};
    enum hs_err code = HS_OK;

    for (size_t run = 0; code == HS_OK && run < self->runs.count; run++) {
        code = read_filling(&self->runs.list[run], &self->fillings[run], error);
    }
    if (code != HS_OK) {
        return code;
    }
    for (size_t run = 0; run < self->runs.count; run++) {
        put_filling(self, run, figure);
    }
    if (self->against == AGAINST_ALLOCATED) {
        figure_legend(figure, self->runs.labels, self->runs.count, false);
        axis_label(figure, "x", "accelerators held", "%");
        axis_label(figure, "y", "free, of no use", "%");
        axis_linear(figure, "x", 100);
        axis_linear(figure, "y", highest_lost(self));
        put_curves(self, "2:3", figure);
        return HS_OK;
    }
    figure_scale_height(figure, 1.5);
    figure_legend(figure, self->runs.labels, self->runs.count, false);
    figure_panels(figure, labels, 2);
    figure_line(figure, "set xrange [0:*] noextend");
    figure_panel(figure, 0, 0, 0.5);
    figure_line(figure, "set format x ''");
    axis_linear(figure, "y", 100);
    put_curves(self, "1:2", figure);
    figure_panel(figure, 1, 0.5, 0.5);
    figure_line(figure, "set format x '%%g'");
    axis_linear(figure, "y", highest_lost(self));
    axis_label(figure, "x", "accelerators asked for by arrivals", "%");
    put_curves(self, "1:3", figure);
    return HS_OK;
}

/* Reads what is free and what of it is lost, over all kinds of accelerators. */
static enum hs_err read_levels(struct fragmentation *self, size_t run, size_t stretches,
                               struct hs_error *error)
{
    const struct plot_run *source = &self->runs.list[run];
    const struct result_series_more *more = result_reader_series_more(source->reader);
    struct level *levels[] = {&self->lost[run], &self->unused[run]};
    size_t lost[RESULT_KINDS_MAX];
    size_t unused[RESULT_KINDS_MAX];
    enum hs_err code = HS_OK;

    if (more->kind_count == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the platform of the run has no accelerators that could be "
                            "fragmented.",
                            source->path);
    }
    if (!more->has_fragments) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the fragmentation of the run was not recorded. Run the experiment "
                            "with `output: {fragmentation: true}`.",
                            source->path);
    }
    for (size_t i = 0; i < more->kind_count; i++) {
        lost[i] = result_series_fragment(more, i);
        unused[i] = result_series_free(more, i);
    }
    for (size_t i = 0; code == HS_OK && i < 2; i++) {
        code = level_init(levels[i], self->window.begin_ns, self->window.end_ns, stretches, error);
        if (code == HS_OK) {
            code =
                level_read_sum(source, i == 0 ? lost : unused, more->kind_count, levels[i], error);
        }
    }
    return code;
}

/* Part of what is free, in percent; NaN: nothing is free, or the run has ended. */
static double percent_lost(const struct level *lost, const struct level *unused, size_t stretch)
{
    double all = unused->stretches[stretch].sum;

    return all > 0 ? 100 * lost->stretches[stretch].sum / all : NAN;
}

static double highest_percent(const struct fragmentation *self)
{
    double highest = 0;

    for (size_t run = 0; run < self->runs.count; run++) {
        for (size_t i = 0; i < self->lost[run].stretch_count; i++) {
            highest = fmax(highest, percent_lost(&self->lost[run], &self->unused[run], i));
        }
    }
    return highest;
}

static void put_levels(const struct fragmentation *self, size_t run, struct figure *figure)
{
    static const struct figure_column columns[] = {
        {"time", "s"}, {"lost", "1"}, {"free", "1"}, {"lost_of_free", "%"}};
    const struct level *lost = &self->lost[run];
    const struct level *unused = &self->unused[run];
    char title[512];

    (void)snprintf(title, sizeof title,
                   "%s: accelerators that are of no use, and that are free; means of equal "
                   "stretches of time",
                   self->runs.labels[run]);
    (void)figure_block(figure, title, columns, 4);
    for (size_t i = 0; i < lost->stretch_count; i++) {
        double of = lost->stretches[i].sum / SHARES_PER_DEVICE;
        double all = unused->stretches[i].sum / SHARES_PER_DEVICE;

        if (lost->stretches[i].held_s > 0) {
            figure_row(figure,
                       (double[]){level_centre(lost, i, self->window.origin_ns), of, all,
                                  percent_lost(lost, unused, i)},
                       4);
        }
    }
}

static enum hs_err draw_time(struct fragmentation *self, const struct plot_request *request,
                             struct figure *figure, struct hs_error *error)
{
    static const char *const labels[] = {"accelerators of no use", "% of what is free"};
    enum hs_err code = level_window(request, &self->runs, &self->window, error);
    double highest = 0;
    struct axis_unit unit;
    char using[64];

    for (size_t run = 0; code == HS_OK && run < self->runs.count; run++) {
        code = read_levels(self, run, figure_points_across(figure) / LINES_PER_STRETCH, error);
    }
    if (code != HS_OK) {
        return code;
    }
    for (size_t run = 0; run < self->runs.count; run++) {
        put_levels(self, run, figure);
        highest = fmax(highest, level_highest_mean(&self->lost[run]) / SHARES_PER_DEVICE);
    }
    figure_scale_height(figure, 1.5);
    figure_legend(figure, self->runs.labels, self->runs.count, false);
    figure_panels(figure, labels, 2);
    unit = plot_window_put_axis(&self->window, figure);
    figure_panel(figure, 0, 0, 0.5);
    plot_window_put_label(&unit, false, figure);
    axis_linear(figure, "y", highest);
    (void)snprintf(using, sizeof using, "($1/%.0f):2", unit.divisor);
    put_curves(self, using, figure);
    figure_panel(figure, 1, 0.5, 0.5);
    plot_window_put_label(&unit, true, figure);
    axis_linear(figure, "y", highest_percent(self));
    (void)snprintf(using, sizeof using, "($1/%.0f):4", unit.divisor);
    put_curves(self, using, figure);
    return HS_OK;
}

/* What the person said, or what the first run has. */
static enum hs_err choose(struct fragmentation *self, const struct plot_request *request,
                          struct hs_error *error)
{
    enum { COUNT = sizeof against_names / sizeof against_names[0] };
    size_t index;

    self->against = inflation_of(&self->runs.list[0]) ? AGAINST_ARRIVED : AGAINST_TIME;
    if (request->against) {
        index = plot_word_find(request->against, against_names, COUNT);
        if (index == COUNT) {
            return plot_word_fail("--against", request->against, against_names, COUNT, error);
        }
        self->against = (enum against)index;
    }
    if (self->against != AGAINST_TIME && request->given & (PLOT_FROM | PLOT_TO)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--from and --to go with --against time: else no time is drawn.");
    }
    return HS_OK;
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    struct fragmentation *self = calloc(1, sizeof *self);
    enum hs_err code = self ? HS_OK : hs_error_memory(error);

    if (code == HS_OK) {
        code = plot_runs_open(request, FIGURE_CURVES_MAX, &self->runs, figure, error);
    }
    if (code == HS_OK) {
        code = choose(self, request, error);
    }
    if (code == HS_OK) {
        code = self->against == AGAINST_TIME ? draw_time(self, request, figure, error)
                                             : draw_filling(self, figure, error);
    }
    for (size_t i = 0; self && i < FIGURE_CURVES_MAX; i++) {
        free(self->fillings[i].arrived);
        free(self->fillings[i].held);
        free(self->fillings[i].lost);
        level_fini(&self->lost[i]);
        level_fini(&self->unused[i]);
    }
    if (self) {
        plot_runs_close(&self->runs);
    }
    free(self);
    return code;
}

const struct plot_kind plot_fragmentation = {
    .name = "fragmentation",
    .summary = "accelerators that are free and of no use to the jobs",
    .about =
        "One curve for each FILE.h5. Of runs with workload.inflation, whose jobs never end, it "
        "shows what is held and below it what is free but of no use, against what all jobs "
        "that have arrived ask for (Weng et al., USENIX ATC 2023); with --against allocated, "
        "the latter against the former. Of other runs with output.fragmentation it shows both "
        "over time (--against time): the number of accelerators of no use, and their share of "
        "what is free.",
    .input = PLOT_RUNS,
    .options = PLOT_LABEL | PLOT_AGAINST | PLOT_FROM | PLOT_TO,
    .draw = draw,
};
