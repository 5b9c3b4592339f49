/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline.c - what goes on in the cluster over time: panels of utilisation, queue and power. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/axis.h"
#include "plot/level.h"

#define PANELS_MAX 8
/* A mean is taken over the width of so many lines: finer ones make a line that is all edges. */
#define LINES_PER_STRETCH 3
#define AREAS_MAX         1 /* of more curves the areas from least to greatest would hide the lines */

struct panel {
    const char *name;                   /* of a column of the series; borrowed from a reader */
    const char *unit;                   /* of the data */
    char text[128];                     /* what it is */
    char label[160];                    /* the same with the unit of the axis */
    double factor;                      /* the data are value x factor */
    double highest;                     /* value */
    double divisor;                     /* what is drawn is data / divisor, in another unit */
    bool has_column[FIGURE_CURVES_MAX]; /* by run */
    size_t columns[FIGURE_CURVES_MAX];
    struct level levels[FIGURE_CURVES_MAX];
};

struct timeline {
    struct plot_runs runs;
    struct plot_window window;
    struct panel panels[PANELS_MAX];
    size_t panel_count;
};

static const struct {
    const char *name, *label;
} labels[] = {
    {"util_cores", "cores in use"},      {"queue", "waiting jobs"}, {"running", "running jobs"},
    {"backlog", "processors asked for"}, {"power", "power"},
};

/* "util_gpu" is "gpu in use"; what has no words of its own is called by its column. */
static void name_panel(struct panel *panel, const struct result_column *column)
{
    const char *text = column->name;

    panel->unit = column->unit;
    panel->factor = 1;
    panel->divisor = 1;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        text = strcmp(column->name, labels[i].name) == 0 ? labels[i].label : text;
    }
    (void)snprintf(panel->text, sizeof panel->text, "%s", text);
    if (strncmp(column->name, "util_", 5) == 0) {
        if (text == column->name) {
            (void)snprintf(panel->text, sizeof panel->text, "%s in use", column->name + 5);
        }
        panel->unit = "%";
        panel->factor = 100;
    }
}

static const struct result_table *series_of(const struct timeline *self, size_t run)
{
    return result_reader_table(self->runs.list[run].reader, "series");
}

/* Finds the column in all runs; false: none has it, or it cannot be drawn. */
static bool find_columns(struct timeline *self, struct panel *panel)
{
    bool is_found = false;

    for (size_t run = 0; run < self->runs.count; run++) {
        const struct result_table *table = series_of(self, run);

        for (size_t i = SERIES_TIME + 1; i < table->column_count; i++) {
            const struct result_column *column = &table->columns[i];

            if (column->name && strcmp(column->name, panel->name) == 0) {
                if (!is_found) {
                    name_panel(panel, column);
                }
                panel->has_column[run] = is_found = true;
                panel->columns[run] = i;
            }
        }
    }
    return is_found;
}

static enum hs_err fail_metric(const struct timeline *self, const char *name,
                               struct hs_error *error)
{
    const struct result_table *table = series_of(self, 0);
    const char *names[RESULT_SERIES_COLUMNS_MAX];
    size_t count = 0;
    enum hs_err code;
    struct hs_error words = {0};

    for (size_t i = SERIES_TIME + 1; i < table->column_count; i++) {
        if (table->columns[i].name) {
            names[count++] = table->columns[i].name;
        }
    }
    if (strcmp(name, "power") == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the power was not recorded, since the platform does not say what "
                            "all of its nodes and devices draw.",
                            self->runs.list[0].path);
    }
    code = plot_word_fail("--metric", name, names, count, &words);
    return hs_error_set(error, code, "%s: the series of the run has no such column. %s",
                        self->runs.list[0].path, words.text);
}

static enum hs_err add_panel(struct timeline *self, const char *name, bool is_asked,
                             struct hs_error *error)
{
    struct panel *panel = &self->panels[self->panel_count];

    for (size_t i = 0; i < self->panel_count; i++) {
        if (strcmp(self->panels[i].name, name) == 0) {
            return is_asked ? hs_error_set(error, HS_ERR_CONFIG, "--metric names '%s' twice.", name)
                            : HS_OK;
        }
    }
    if (self->panel_count == PANELS_MAX) {
        return is_asked ? hs_error_set(error, HS_ERR_CONFIG, "--metric names more than %d panels.",
                                       PANELS_MAX)
                        : HS_OK;
    }
    *panel = (struct panel){.name = name};
    if (find_columns(self, panel)) {
        self->panel_count++;
        return HS_OK;
    }
    return is_asked ? fail_metric(self, name, error) : HS_OK;
}

/* Utilisation of the cores and of each kind of devices, the queue, and the power. */
static enum hs_err add_usual(struct timeline *self, struct hs_error *error)
{
    enum hs_err code = add_panel(self, "util_cores", false, error);

    for (size_t run = 0; code == HS_OK && run < self->runs.count; run++) {
        const struct result_series_more *more =
            result_reader_series_more(self->runs.list[run].reader);

        for (size_t i = 0; code == HS_OK && i < more->kind_count && i + 3 < PANELS_MAX; i++) {
            const struct result_column *column =
                &series_of(self, run)->columns[result_series_shares(more, i) + 1];

            code = add_panel(self, column->name, false, error);
        }
    }
    if (code == HS_OK) {
        code = add_panel(self, "queue", false, error);
    }
    return code == HS_OK ? add_panel(self, "power", false, error) : code;
}

static enum hs_err add_panels(struct timeline *self, char *metrics, struct hs_error *error)
{
    enum hs_err code = HS_OK;
    char *rest = metrics;
    char *name;

    if (!metrics) {
        return add_usual(self, error);
    }
    while (code == HS_OK && (name = strsep(&rest, ",")) != NULL) {
        code = add_panel(self, name, true, error);
    }
    return code;
}

static enum hs_err read_run(struct timeline *self, size_t run, size_t stretches,
                            struct hs_error *error)
{
    struct level *levels[PANELS_MAX];
    size_t columns[PANELS_MAX];
    size_t count = 0;
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && i < self->panel_count; i++) {
        struct panel *panel = &self->panels[i];

        if (panel->has_column[run]) {
            levels[count] = &panel->levels[run];
            columns[count++] = panel->columns[run];
            code = level_init(&panel->levels[run], self->window.begin_ns, self->window.end_ns,
                              stretches, error);
        }
    }
    return code == HS_OK ? level_read(&self->runs.list[run], columns, count, levels, error) : code;
}

static void tell_missing(const struct timeline *self, struct figure *figure)
{
    for (size_t i = 0; i < self->panel_count; i++) {
        for (size_t run = 0; run < self->runs.count; run++) {
            if (!self->panels[i].has_column[run]) {
                figure_note(figure, "%s: the run has no %s and is not in that panel.",
                            self->runs.list[run].path, self->panels[i].name);
            }
        }
    }
}

/* What the y axis reaches to, and its label. */
static void scale_panel(const struct timeline *self, struct panel *panel)
{
    struct axis_unit unit = {panel->unit, 1};

    if (strcmp(panel->unit, "%") == 0) {
        panel->highest = 100;
    } else {
        for (size_t run = 0; run < self->runs.count; run++) {
            if (panel->has_column[run]) {
                panel->highest = fmax(panel->highest, level_highest(&panel->levels[run]));
            }
        }
        unit = axis_prefix_unit(panel->unit, panel->highest);
    }
    panel->divisor = unit.divisor;
    axis_text(panel->label, sizeof panel->label, panel->text, unit.unit);
}

static void put_curve(const struct timeline *self, const struct panel *panel, size_t run,
                      double time_divisor, struct figure *figure)
{
    const struct level *level = &panel->levels[run];
    const char *label = self->runs.labels[run];
    bool is_exact = level_is_exact(level);
    const struct figure_column columns[] = {{"time", "s"},
                                            {is_exact ? panel->name : "mean", panel->unit},
                                            {"least", panel->unit},
                                            {"greatest", panel->unit}};
    char title[512];
    size_t block;

    (void)snprintf(title, sizeof title, "%s, %s: %s", label, panel->name,
                   is_exact ? "each value holds until the next"
                            : "mean, least and greatest of equal stretches of time");
    block = figure_block(figure, title, columns, is_exact ? 2 : 4);
    level_put(level, self->window.origin_ns, panel->factor, figure);
    if (is_exact) {
        figure_plot(figure, block, label, "using ($1/%.0f):($2/%.0f) with steps lt %zu lw 1.2",
                    time_divisor, panel->divisor, run + 1);
        return;
    }
    if (self->runs.count <= AREAS_MAX) {
        figure_plot(figure, block, NULL,
                    "using ($1/%.0f):($3/%.0f):($4/%.0f) with filledcurves lt %zu fs transparent "
                    "solid 0.15 noborder",
                    time_divisor, panel->divisor, panel->divisor, run + 1);
    }
    figure_plot(figure, block, label, "using ($1/%.0f):($2/%.0f) with lines lt %zu lw 1.2",
                time_divisor, panel->divisor, run + 1);
}

static void put_figure(struct timeline *self, struct figure *figure)
{
    size_t count = self->panel_count;
    const char *texts[PANELS_MAX];
    struct axis_unit unit;

    for (size_t i = 0; i < count; i++) {
        scale_panel(self, &self->panels[i]);
        texts[i] = self->panels[i].label;
    }
    figure_legend(figure, self->runs.labels, self->runs.count, false);
    figure_panels(figure, texts, count);
    unit = plot_window_put_axis(&self->window, figure);
    for (size_t i = 0; i < count; i++) {
        figure_panel(figure, i, (double)i / (double)count, 1.0 / (double)count);
        plot_window_put_label(&unit, i + 1 == count, figure);
        axis_linear(figure, "y", self->panels[i].highest / self->panels[i].divisor);
        for (size_t run = 0; run < self->runs.count; run++) {
            if (self->panels[i].has_column[run]) {
                put_curve(self, &self->panels[i], run, unit.divisor, figure);
            }
        }
        figure_plot_end(figure);
    }
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    struct timeline *self = calloc(1, sizeof *self);
    char *metrics = request->metric ? strdup(request->metric) : NULL;
    enum hs_err code = self && (metrics || !request->metric) ? HS_OK : hs_error_memory(error);

    if (code == HS_OK) {
        code = plot_runs_open(request, FIGURE_CURVES_MAX, &self->runs, figure, error);
    }
    if (code == HS_OK) {
        code = level_window(request, &self->runs, &self->window, error);
    }
    if (code == HS_OK) {
        code = add_panels(self, metrics, error);
    }
    for (size_t run = 0; code == HS_OK && run < self->runs.count; run++) {
        code = read_run(self, run, figure_points_across(figure) / LINES_PER_STRETCH, error);
    }
    if (code == HS_OK) {
        figure_scale_height(figure, 0.35 + 0.45 * (double)self->panel_count);
        tell_missing(self, figure);
        put_figure(self, figure);
    }
    for (size_t i = 0; self && i < self->panel_count; i++) {
        for (size_t run = 0; run < self->runs.count; run++) {
            level_fini(&self->panels[i].levels[run]);
        }
    }
    if (self) {
        plot_runs_close(&self->runs);
    }
    free(metrics);
    free(self);
    return code;
}

const struct plot_kind plot_timeline = {
    .name = "timeline",
    .summary = "utilisation, queue and power over time, in panels",
    .about = "One curve for each FILE.h5 in each panel. Where the picture cannot show every change "
             "the lines are means of stretches of time, three lines wide, and with up to two "
             "curves an area "
             "reaches from the least to the greatest value; the data hold both for any number. "
             "--metric chooses columns of the "
             "series: util_cores, util_KIND, queue, running, backlog, power, or any other that "
             "`hsim export --table series` has; usual are the utilisations, the queue and the "
             "power, as far as they were recorded.",
    .input = PLOT_RUNS,
    .options = PLOT_METRIC | PLOT_LABEL | PLOT_FROM | PLOT_TO,
    .draw = draw,
};
