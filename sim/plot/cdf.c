/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cdf.c - how a metric of the jobs is distributed: the share of jobs up to a value, or above it. */
#include <math.h>
#include <stdlib.h>

#include "plot/axis.h"
#include "plot/metric.h"

/* Steps lower than this are joined; the curve is nowhere off by as much. A picture has fewer
 * points from top to bottom. */
#define SHARE_STEP 0.001
/* On a logarithmic axis steps are joined while the share above falls by less than this ratio. */
#define TAIL_RATIO 0.98

struct curve {
    double *values; /* ascending */
    size_t count;
    size_t missing;
};

struct distribution {
    const struct plot_metric *metric;
    bool is_above; /* the share above, not up to */
    bool is_log_x, is_log_y;
    double low, high; /* of the x axis */
    struct plot_runs runs;
    struct curve *curves;
};

/* Whether the step to `rank` values is far enough from the one at `kept` to be drawn. */
static bool is_far(const struct distribution *self, size_t count, size_t kept, size_t rank)
{
    double step = (double)(rank - kept) / (double)count;

    return step >= SHARE_STEP ||
           (self->is_log_y && (double)(count - rank) <= (double)(count - kept) * TAIL_RATIO);
}

/* The curve as steps: from each value on, until the next, the share holds. */
static void put_steps(const struct distribution *self, const struct curve *curve,
                      struct figure *figure)
{
    double count = (double)curve->count;
    double row[2] = {self->low, self->is_above ? 1 : 0};
    size_t kept = 0;
    size_t i = 0;

    while (i < curve->count && curve->values[i] <= self->low) {
        i++;
    }
    kept = i;
    row[1] = self->is_above ? (count - (double)i) / count : (double)i / count;
    figure_row(figure, row, 2);
    for (; i < curve->count; i++) {
        bool is_last = i + 1 == curve->count;

        if (!is_last && (curve->values[i] == curve->values[i + 1] ||
                         !is_far(self, curve->count, kept, i + 1))) {
            continue;
        }
        kept = i + 1;
        row[0] = curve->values[i];
        if (is_last && self->is_log_y) {
            /* No share is left above the last value, and zero is nowhere on the axis. */
        } else if (self->is_above) {
            row[1] = (count - (double)kept) / count;
        } else {
            row[1] = (double)kept / count;
        }
        figure_row(figure, row, 2);
    }
}

static enum hs_err read_curves(struct distribution *self, struct figure *figure,
                               struct hs_error *error)
{
    enum hs_err code = HS_OK;

    self->curves = calloc(self->runs.count, sizeof *self->curves);
    if (!self->curves) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < self->runs.count; i++) {
        struct curve *curve = &self->curves[i];

        code = plot_metric_read(self->metric, &self->runs.list[i], &curve->values, &curve->count,
                                &curve->missing, error);
        if (code == HS_OK && curve->missing > 0) {
            figure_note(figure, "%s: %zu of %zu measured jobs have no %s and are left out.",
                        self->runs.list[i].path, curve->missing, curve->missing + curve->count,
                        self->metric->label);
        }
    }
    return code;
}

/* Begin of a logarithmic axis: where the metric has it, or a power of ten below all values. */
static double find_low(const struct distribution *self, double smallest)
{
    double least = self->metric->least;

    if (least > 0 && self->high > least) {
        return least;
    }
    return pow(10, floor(log10(smallest)));
}

/* Ends of the x axis; a logarithmic one that no value can be on becomes linear. */
static void find_range(struct distribution *self, struct figure *figure)
{
    double smallest = INFINITY;

    self->low = 0;
    for (size_t i = 0; i < self->runs.count; i++) {
        const struct curve *curve = &self->curves[i];
        size_t first = 0;

        while (first < curve->count && curve->values[first] <= 0) {
            first++;
        }
        self->high = fmax(self->high, curve->values[curve->count - 1]);
        smallest = first < curve->count ? fmin(smallest, curve->values[first]) : smallest;
    }
    if (self->is_log_x && !isfinite(smallest)) {
        figure_note(figure, "All values are 0, which a logarithmic axis cannot show: the axis is "
                            "linear.");
        self->is_log_x = false;
    }
    if (self->is_log_x) {
        self->low = find_low(self, smallest);
        self->high = fmax(self->high, self->low * 10);
    }
    self->high = self->high > 0 ? self->high : 1;
}

/* Says how many values lie before a logarithmic axis begins. */
static void tell_hidden(const struct distribution *self, struct figure *figure)
{
    const char *unit = *self->metric->unit == '1' ? "" : self->metric->unit;
    char list[1024];
    size_t length = 0;

    for (size_t i = 0; self->is_log_x && i < self->runs.count && length < sizeof list; i++) {
        const struct curve *curve = &self->curves[i];
        size_t below = 0;

        while (below < curve->count && curve->values[below] < self->low) {
            below++;
        }
        if (below > 0) {
            length +=
                (size_t)snprintf(list + length, sizeof list - length, "%s%s %zu of %zu",
                                 length ? ", " : "", self->runs.labels[i], below, curve->count);
        }
    }
    if (length > 0) {
        figure_note(
            figure,
            "Jobs with a %s below %g%s%s (0 included) lie left of the logarithmic axis, and "
            "each curve begins at their share: %s.",
            self->metric->label, self->low, *unit ? " " : "", unit, list);
    }
}

static void put_axes(const struct distribution *self, struct figure *figure, struct axis_unit *unit)
{
    const struct plot_metric *metric = self->metric;

    *unit = (struct axis_unit){metric->unit, 1};
    if (self->is_log_x) {
        bool has_units = axis_log(figure, "x", metric->unit, self->low, self->high);

        axis_label(figure, "x", metric->label, has_units ? "" : metric->unit);
    } else {
        *unit = *metric->unit == 's' ? axis_time_unit(self->high)
                                     : axis_prefix_unit(metric->unit, self->high);
        figure_line(figure, "set xrange [0:*]");
        axis_label(figure, "x", metric->label, unit->unit);
    }
    figure_label(figure, "y", self->is_above ? "share of jobs above" : "share of jobs");
    if (self->is_log_y) {
        double least = 1;

        for (size_t i = 0; i < self->runs.count; i++) {
            least = fmin(least, 1 / (double)self->curves[i].count);
        }
        (void)axis_log(figure, "y", "1", fmin(least, 0.1), 1);
    } else {
        figure_line(figure, "set yrange [0:1]");
    }
}

static void put_figure(const struct distribution *self, struct figure *figure)
{
    const struct plot_metric *metric = self->metric;
    const struct figure_column columns[] = {{metric->name, metric->unit}, {"share", "1"}};
    struct axis_unit unit;

    figure_legend(figure, self->runs.labels, self->runs.count, false);
    put_axes(self, figure, &unit);
    for (size_t i = 0; i < self->runs.count; i++) {
        char title[512];
        size_t block;

        (void)snprintf(title, sizeof title, "%s, %zu jobs: %s", self->runs.labels[i],
                       self->curves[i].count,
                       self->is_above ? "share of jobs with more" : "share of jobs up to");
        block = figure_block(figure, title, columns, 2);
        put_steps(self, &self->curves[i], figure);
        if (unit.divisor > 1) {
            figure_plot(figure, block, self->runs.labels[i],
                        "using ($1/%.0f):2 with steps lt %zu lw 1.2", unit.divisor, i + 1);
        } else {
            figure_plot(figure, block, self->runs.labels[i], "using 1:2 with steps lt %zu lw 1.2",
                        i + 1);
        }
    }
    figure_plot_end(figure);
}

static enum hs_err draw(const struct plot_request *request, bool is_above, struct figure *figure,
                        struct hs_error *error)
{
    struct distribution self = {.is_above = is_above};
    enum hs_err code =
        plot_metric_find(request->metric ? request->metric : "wait", &self.metric, error);

    if (code == HS_OK) {
        code = plot_runs_open(request, FIGURE_CURVES_MAX, &self.runs, figure, error);
    }
    if (code == HS_OK) {
        code = read_curves(&self, figure, error);
    }
    if (code == HS_OK) {
        bool is_given = request->given & PLOT_LOG;

        self.is_log_x = is_given ? request->log_axes & PLOT_X : !self.metric->is_linear;
        self.is_log_y = is_given ? request->log_axes & PLOT_Y : is_above;
        find_range(&self, figure);
        tell_hidden(&self, figure);
        put_figure(&self, figure);
    }
    for (size_t i = 0; self.curves && i < self.runs.count; i++) {
        free(self.curves[i].values);
    }
    free(self.curves);
    plot_runs_close(&self.runs);
    return code;
}

static enum hs_err draw_cdf(const struct plot_request *request, struct figure *figure,
                            struct hs_error *error)
{
    return draw(request, false, figure, error);
}

static enum hs_err draw_ccdf(const struct plot_request *request, struct figure *figure,
                             struct hs_error *error)
{
    return draw(request, true, figure, error);
}

#define METRICS                                                                                    \
    "--metric is wait (default), bsld, slowdown, turnaround, runtime, energy, queued or "          \
    "slowdown_ref."

const struct plot_kind plot_cdf = {
    .name = "cdf",
    .summary = "distribution of a metric: the share of jobs up to each value",
    .about = "One curve for each FILE.h5, of the jobs that the statistics count. " METRICS
             " The x axis is logarithmic unless --log none is given; the curve then begins at the "
             "share of the jobs that are below the axis, such as those that did not wait.",
    .input = PLOT_RUNS,
    .options = PLOT_METRIC | PLOT_LABEL | PLOT_LOG,
    .draw = draw_cdf,
};

const struct plot_kind plot_ccdf = {
    .name = "ccdf",
    .summary = "tail of a metric: the share of jobs above each value",
    .about = "One curve for each FILE.h5, of the jobs that the statistics count. " METRICS
             " Both axes are logarithmic unless --log is given, so that the few jobs that fare "
             "worst can be seen.",
    .input = PLOT_RUNS,
    .options = PLOT_METRIC | PLOT_LABEL | PLOT_LOG,
    .draw = draw_ccdf,
};
