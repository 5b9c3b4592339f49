/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bars.c - metrics of policies as ratios to a baseline. */
#include <math.h>
#include <stdlib.h>

#include "plot/pairs.h"
#include "plot/scale.h"
#include "plot/words.h"

#define GROUP_WIDTH 0.8 /* of the bars of a metric, in which metrics are 1 apart */
#define BAR_SHARE   0.9 /* of the place of a bar, the rest is a gap */

enum {
    COLUMN_PLACE,
    COLUMN_RATIO,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_PAIRS,
    COLUMN_UNSTABLE,
    COLUMNS
};

struct bars {
    struct plot_pairs pairs;
    struct plot_scale y;
    double width; /* half of a bar */
};

/* Bars of a group lie side by side, the baseline has none. */
static double place(const struct bars *self, size_t metric, size_t policy)
{
    size_t count = self->pairs.table.policy_count - 1;
    size_t index = policy - (policy > self->pairs.table.baseline);

    return (double)metric + GROUP_WIDTH * (((double)index + 0.5) / (double)count - 0.5);
}

static void measure(const struct bars *self, struct plot_span *span)
{
    for (size_t i = 0; i < self->pairs.table.policy_count; i++) {
        for (size_t m = 0; m < self->pairs.sets.set.metric_count; m++) {
            const struct stats_cell *cell = plot_pairs_cell(&self->pairs, m, i);

            plot_span_add(span, cell->ratio.estimate);
            plot_span_add(span, cell->ratio.low);
            plot_span_add(span, cell->ratio.high);
            for (size_t k = 0; plot_pairs_are_few(cell) && k < self->pairs.table.columns; k++) {
                double own;
                double base;

                if (plot_pairs_get(&self->pairs, m, i, k, &own, &base) && own > 0 && base > 0) {
                    plot_span_add(span, own / base);
                }
            }
        }
    }
}

/* The bars of a policy that leave no pair out, or those that do; SIZE_MAX: there are none. */
static size_t put_block(const struct bars *self, size_t policy, bool is_partial,
                        struct figure *figure, bool *has_interval)
{
    static const struct figure_column columns[COLUMNS] = {{"place", "1"}, {"ratio", "1"},
                                                          {"low", "1"},   {"high", "1"},
                                                          {"pairs", "1"}, {"unstable", "1"}};
    const struct plot_pairs *pairs = &self->pairs;
    size_t unstable = plot_pairs_unstable(pairs, policy);
    size_t block = SIZE_MAX;

    for (size_t m = 0; m < pairs->sets.set.metric_count; m++) {
        const struct stats_cell *cell = plot_pairs_cell(pairs, m, policy);
        double row[COLUMNS] = {place(self, m, policy), cell->ratio.estimate, cell->ratio.low,
                               cell->ratio.high,       (double)cell->pairs,  (double)unstable};

        if ((unstable > 0) != is_partial || isnan(cell->ratio.estimate)) {
            continue;
        }
        if (block == SIZE_MAX) {
            char title[320];

            (void)snprintf(title, sizeof title, "%.200s / %.40s%s", pairs->sets.lines[policy],
                           pairs->sets.lines[pairs->table.baseline],
                           is_partial ? ", pairs with an unstable run left out" : "");
            block = figure_block(figure, title, columns, COLUMNS);
        }
        figure_remark(figure, "%s", pairs->sets.set.metrics[m].name);
        figure_row(figure, row, COLUMNS);
        *has_interval |= isfinite(cell->ratio.low);
    }
    return block;
}

/* Ratios of single pairs where they are few. */
static size_t put_few(const struct bars *self, struct figure *figure)
{
    static const struct figure_column columns[] = {{"place", "1"}, {"ratio", "1"}};
    const struct plot_pairs *pairs = &self->pairs;
    size_t block = SIZE_MAX;

    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        for (size_t m = 0; m < pairs->sets.set.metric_count; m++) {
            bool are_few = plot_pairs_are_few(plot_pairs_cell(pairs, m, i));

            for (size_t k = 0; are_few && k < pairs->table.columns; k++) {
                double own;
                double base;

                if (!plot_pairs_get(pairs, m, i, k, &own, &base) || !(own > 0 && base > 0)) {
                    continue;
                }
                if (block == SIZE_MAX) {
                    block = figure_block(figure, "single pairs", columns, 2);
                }
                figure_row(figure, (double[]){place(self, m, i), own / base}, 2);
            }
        }
    }
    return block;
}

static void put_bars(const struct bars *self, struct figure *figure)
{
    const struct plot_pairs *pairs = &self->pairs;
    size_t blocks[2 * FIGURE_CURVES_MAX];
    size_t count = 0;
    size_t few;

    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        bool is_titled = false;

        for (int is_partial = 0; is_partial < 2; is_partial++) {
            bool has_interval = false;
            size_t block = put_block(self, i, is_partial, figure, &has_interval);

            if (block == SIZE_MAX) {
                continue;
            }
            figure_plot(
                figure, block, is_titled ? NULL : pairs->sets.titles[i],
                "using 1:2:($1-%.4g):($1+%.4g):(%d):2 with boxxyerror lc %zu dt solid lw 0.7 "
                "fs %s border lc rgb '#303030'",
                self->width, self->width, self->y.is_log ? 1 : 0,
                i - (i > pairs->table.baseline) + 1, is_partial ? "pattern 4" : "solid 0.8");
            is_titled = true;
            if (has_interval) {
                blocks[count++] = block;
            }
        }
    }
    few = put_few(self, figure);
    for (size_t i = 0; i < count; i++) {
        figure_plot(
            figure, blocks[i], NULL,
            "using 1:3:(0):($4-$3) with vectors heads size graph 0.006,90 lc rgb '#000000' dt "
            "solid lw 0.7");
    }
    if (few != SIZE_MAX) {
        figure_plot(figure, few, NULL, "using 1:2 with points lc rgb '#000000' pt 7 ps 0.25");
    }
    figure_plot_end(figure);
}

static enum hs_err put_axes(struct bars *self, const struct plot_request *request,
                            struct figure *figure, struct hs_error *error)
{
    struct plot_sets *sets = &self->pairs.sets;
    const char **names = calloc(sets->set.metric_count + 1, sizeof *names);
    struct plot_span span = {0};
    char title[320];
    bool is_log;

    if (!names) {
        return hs_error_memory(error);
    }
    measure(self, &span);
    if (!span.is_used) {
        free(names);
        return hs_error_set(error, HS_ERR_CONFIG,
                            "No metric has a ratio: no pair of stable runs has values above 0.");
    }
    is_log = request->given & PLOT_LOG ? request->log_axes & PLOT_Y : plot_span_is_wide(&span);
    plot_span_add(&span, 1);
    for (size_t m = 0; m < sets->set.metric_count; m++) {
        names[m] = plot_metric_title(sets, m);
    }
    (void)snprintf(title, sizeof title, "ratio to %.200s",
                   sets->titles[self->pairs.table.baseline]);
    self->y = plot_scale_put(figure, "y", title, "1", &span, is_log ? PLOT_FIT_LOG : PLOT_FIT_ZERO);
    plot_words_across(figure, names, sets->set.metric_count);
    figure_line(figure, "set grid noxtics");
    figure_line(figure, "set arrow from graph 0, first 1 to graph 1, first 1 nohead front lc rgb "
                        "'#000000' lw 0.6");
    free(names);
    return HS_OK;
}

static void note(const struct bars *self, struct figure *figure)
{
    const struct plot_pairs *pairs = &self->pairs;

    for (size_t m = 0; m < pairs->sets.set.metric_count; m++) {
        for (size_t i = 0; i < pairs->table.policy_count; i++) {
            const struct stats_cell *cell = plot_pairs_cell(pairs, m, i);

            if (i != pairs->table.baseline && isnan(cell->ratio.estimate)) {
                figure_note(figure, "No bar of %s for '%s': %s.", pairs->sets.set.metrics[m].name,
                            pairs->sets.lines[i],
                            cell->pairs ? "a value is not above 0, and has no ratio"
                                        : "no pair of stable runs has both values");
            }
        }
    }
    plot_note_unstable(figure, pairs->table.unstable,
                       "Pairs with one are in no bar, and bars that lack some are hatched.");
}

/* The lines of the legend: without the baseline. */
static void put_legend(const struct bars *self, struct figure *figure)
{
    const char *labels[FIGURE_CURVES_MAX + 1];
    size_t count = 0;

    for (size_t i = 0; i < self->pairs.table.policy_count; i++) {
        if (i != self->pairs.table.baseline) {
            labels[count++] = self->pairs.sets.titles[i];
        }
    }
    figure_legend(figure, labels, count, true);
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    struct bars self = {.width = 0};
    enum hs_err code = plot_pairs_read(request, request->metric, &self.pairs, figure, error);

    if (code == HS_OK && self.pairs.table.policy_count > FIGURE_CURVES_MAX + 1) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "%zu policies beside the baseline cannot be told apart; a picture has "
                            "at most %d. Choose with --policy.",
                            self.pairs.table.policy_count - 1, FIGURE_CURVES_MAX);
    }
    if (code == HS_OK) {
        self.width = GROUP_WIDTH * BAR_SHARE / 2 / (double)(self.pairs.table.policy_count - 1);
        figure_remark(figure,
                      "Ratios of geometric means over pairs, intervals by Student's t on "
                      "logarithms, %g %%.",
                      self.pairs.sets.level * 100);
        put_legend(&self, figure);
        code = put_axes(&self, request, figure, error);
    }
    if (code == HS_OK) {
        note(&self, figure);
        put_bars(&self, figure);
        code = plot_sets_check_labels(&self.pairs.sets, error);
    }
    plot_pairs_fini(&self.pairs);
    return code;
}

const struct plot_kind plot_bars = {
    .name = "bars",
    .summary = "ratios of metrics to those of a baseline",
    .about =
        "A group of bars for each metric, a bar for each policy: the ratio of geometric means over "
        "pairs of runs that differ in the policy alone, with its interval (--level), as `hsim "
        "compare` prints it. With fewer than five pairs there is no interval, but the single ones. "
        "--metric names metrics of `hsim inspect --json` (default: those of `hsim compare`). Pairs "
        "with an unstable run are left out, and such bars are hatched. The axis is logarithmic "
        "where ratios span more than a factor of 20, unless --log is given.",
    .input = PLOT_SETS,
    .options = PLOT_SET_OPTIONS | PLOT_BASELINE | PLOT_LOG | PLOT_LEVEL,
    .draw = draw,
};
