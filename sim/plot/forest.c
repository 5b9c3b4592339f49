/* SPDX-License-Identifier: GPL-3.0-or-later */
/* forest.c - paired differences from a baseline, with intervals and tests. */
#include <math.h>
#include <stdlib.h>

#include "plot/pairs.h"
#include "plot/scale.h"
#include "plot/words.h"

#define ROW_LINES 1.7

#define P_LETTERS 9 /* of the column of p beside the picture */

struct forest {
    struct plot_pairs pairs;
    struct plot_scale x;
};

/* Rows are policies without the baseline. */
static size_t row_of(const struct forest *self, size_t policy)
{
    return policy - (policy > self->pairs.table.baseline);
}

static void measure(const struct forest *self, struct plot_span *span)
{
    const struct plot_pairs *pairs = &self->pairs;

    plot_span_add(span, 0);
    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        const struct stats_cell *cell = plot_pairs_cell(pairs, 0, i);

        plot_span_add(span, cell->difference.estimate);
        plot_span_add(span, cell->difference.low);
        plot_span_add(span, cell->difference.high);
        for (size_t k = 0; plot_pairs_are_few(cell) && k < pairs->table.columns; k++) {
            double own;
            double base;

            if (plot_pairs_get(pairs, 0, i, k, &own, &base)) {
                plot_span_add(span, own - base);
            }
        }
    }
}

static bool is_significant(const struct forest *self, const struct stats_cell *cell)
{
    return cell->p_holm < 1 - self->pairs.sets.level;
}

/* Differences that are significant, or those that are not; SIZE_MAX: there are none. */
static size_t put_block(const struct forest *self, bool are_significant, struct figure *figure,
                        bool *has_interval)
{
    const struct plot_pairs *pairs = &self->pairs;
    const char *unit = pairs->sets.set.metrics[0].unit;
    const struct figure_column columns[] = {{"difference", unit}, {"row", "1"},    {"low", unit},
                                            {"high", unit},       {"p_holm", "1"}, {"pairs", "1"}};
    size_t block = SIZE_MAX;

    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        const struct stats_cell *cell = plot_pairs_cell(pairs, 0, i);

        if (i == pairs->table.baseline || isnan(cell->difference.estimate) ||
            is_significant(self, cell) != are_significant) {
            continue;
        }
        if (block == SIZE_MAX) {
            block = figure_block(figure, are_significant ? "significant" : "not significant",
                                 columns, 6);
        }
        figure_remark(figure, "%s - %s", pairs->sets.lines[i],
                      pairs->sets.lines[pairs->table.baseline]);
        figure_row(figure,
                   (double[]){cell->difference.estimate, (double)row_of(self, i),
                              cell->difference.low, cell->difference.high, cell->p_holm,
                              (double)cell->pairs},
                   6);
        *has_interval |= isfinite(cell->difference.low);
    }
    return block;
}

static size_t put_few(const struct forest *self, struct figure *figure)
{
    const struct plot_pairs *pairs = &self->pairs;
    const struct figure_column columns[] = {{"difference", pairs->sets.set.metrics[0].unit},
                                            {"row", "1"}};
    size_t block = SIZE_MAX;

    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        bool are_few = plot_pairs_are_few(plot_pairs_cell(pairs, 0, i));

        for (size_t k = 0; are_few && k < pairs->table.columns; k++) {
            double own;
            double base;

            if (!plot_pairs_get(pairs, 0, i, k, &own, &base)) {
                continue;
            }
            if (block == SIZE_MAX) {
                block = figure_block(figure, "single pairs", columns, 2);
            }
            figure_row(figure, (double[]){own - base, (double)row_of(self, i)}, 2);
        }
    }
    return block;
}

/* p of each row beside it, on the right. */
static void put_p(const struct forest *self, struct figure *figure)
{
    const struct plot_pairs *pairs = &self->pairs;

    figure_line(figure, "set rmargin %d", P_LETTERS);
    figure_line(figure, "set label 'p (Holm)' at graph 1.02, graph 1 left offset 0,0.7");
    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        double p = plot_pairs_cell(pairs, 0, i)->p_holm;

        if (i != pairs->table.baseline) {
            char text[32];

            (void)snprintf(text, sizeof text, isnan(p) ? "-" : p < 0.001 ? "< 0.001" : "%.2g", p);
            figure_line(figure, "set label '%s' at graph 1.02, first %zu left", text,
                        row_of(self, i));
        }
    }
}

static enum hs_err put_axes(struct forest *self, struct figure *figure, struct hs_error *error)
{
    struct plot_pairs *pairs = &self->pairs;
    const struct compare_metric *metric = &pairs->sets.set.metrics[0];
    enum compare_direction direction = compare_direction(metric->name);
    const char **rows = calloc(pairs->table.policy_count, sizeof *rows);
    struct plot_span span = {0};
    char title[512];

    if (!rows) {
        return hs_error_memory(error);
    }
    measure(self, &span);
    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        if (i != pairs->table.baseline) {
            rows[row_of(self, i)] = pairs->sets.titles[i];
        }
    }
    (void)snprintf(title, sizeof title, "%.200s, difference from %.200s",
                   plot_metric_title(&pairs->sets, 0), pairs->sets.titles[pairs->table.baseline]);
    plot_words_down(figure, rows, pairs->table.policy_count - 1, ROW_LINES);
    self->x = plot_scale_put(figure, "x", title, metric->unit, &span, PLOT_FIT_TIGHT);
    figure_line(figure, "unset key");
    figure_line(figure, "set border 1");
    figure_line(figure, "set grid noytics");
    figure_line(figure, "set tmargin 2");
    figure_line(figure,
                "set arrow from 0, graph 0 to 0, graph 1 nohead back lc rgb '#404040' lw 0.8");
    if (direction != COMPARE_NEITHER) {
        figure_line(figure, "set label '%s' at graph %d, graph 1 %s offset 0,0.7 tc rgb '#606060'",
                    direction == COMPARE_LOWER ? "← better" : "better →",
                    direction == COMPARE_LOWER ? 0 : 1,
                    direction == COMPARE_LOWER ? "left" : "right");
    }
    put_p(self, figure);
    free(rows);
    return HS_OK;
}

static void put_points(const struct forest *self, struct figure *figure)
{
    const struct plot_column x = plot_scale_column(&self->x, 1);
    size_t few;
    size_t blocks[2];

    for (int are_significant = 0; are_significant < 2; are_significant++) {
        bool has_interval = false;
        size_t block = put_block(self, are_significant, figure, &has_interval);

        blocks[are_significant] = block;
        if (has_interval) {
            figure_plot(figure, block, NULL,
                        "using %s:2:(($4-$3)/%.10g):(0) with vectors nohead lc 1 dt solid lw 1",
                        plot_scale_column(&self->x, 3).text, self->x.divisor);
        }
    }
    few = put_few(self, figure);
    if (few != SIZE_MAX) {
        figure_plot(figure, few, NULL, "using %s:2 with points lc 1 pt 7 ps 0.25", x.text);
    }
    if (blocks[1] != SIZE_MAX) {
        figure_plot(figure, blocks[1], NULL, "using %s:2 with points lc 1 pt 7 ps 0.7", x.text);
    }
    if (blocks[0] != SIZE_MAX) {
        figure_plot(figure, blocks[0], NULL, "using %s:2 with points lc rgb 'white' pt 7 ps 0.7",
                    x.text);
        figure_plot(figure, blocks[0], NULL, "using %s:2 with points lc 1 pt 6 ps 0.7 lw 0.8",
                    x.text);
    }
    figure_plot_end(figure);
}

static enum hs_err check(const struct plot_pairs *pairs, struct hs_error *error)
{
    if (pairs->sets.set.metric_count != 1) {
        return hs_error_set(
            error, HS_ERR_CONFIG,
            "--metric names %zu metrics; a forest plot shows one. Draw one for each.",
            pairs->sets.set.metric_count);
    }
    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        if (isfinite(plot_pairs_cell(pairs, 0, i)->difference.estimate)) {
            return HS_OK;
        }
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "No pair of stable runs has %s, so that there is no difference to draw.",
                        pairs->sets.set.metrics[0].name);
}

static void note(const struct plot_pairs *pairs, struct figure *figure)
{
    size_t fewest = SIZE_MAX;

    for (size_t i = 0; i < pairs->table.policy_count; i++) {
        const struct stats_cell *cell = plot_pairs_cell(pairs, 0, i);

        if (i != pairs->table.baseline && isnan(cell->difference.estimate)) {
            figure_note(figure, "No pair of stable runs of '%s' has %s; its row is empty.",
                        pairs->sets.lines[i], pairs->sets.set.metrics[0].name);
        } else if (i != pairs->table.baseline) {
            fewest = cell->pairs < fewest ? cell->pairs : fewest;
        }
    }
    if (fewest < STATS_INTERVAL_MIN) {
        figure_note(figure,
                    "Fewer than %d pairs: single values, no interval and no test where that "
                    "is so.",
                    STATS_INTERVAL_MIN);
    }
    plot_note_unstable(figure, pairs->table.unstable, "Pairs with one are left out.");
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    struct forest self = {.x = {.divisor = 1}};
    enum hs_err code = plot_pairs_read(request, request->metric ? request->metric : "wait_mean_s",
                                       &self.pairs, figure, error);

    if (code == HS_OK) {
        code = check(&self.pairs, error);
    }
    if (code == HS_OK) {
        figure_remark(figure,
                      "Mean differences within pairs, intervals by Student's t, %g %%; p of "
                      "Wilcoxon's signed-rank test after Holm's correction.",
                      self.pairs.sets.level * 100);
        code = put_axes(&self, figure, error);
    }
    if (code == HS_OK) {
        note(&self.pairs, figure);
        put_points(&self, figure);
        code = plot_sets_check_labels(&self.pairs.sets, error);
    }
    plot_pairs_fini(&self.pairs);
    return code;
}

const struct plot_kind plot_forest = {
    .name = "forest",
    .summary = "differences from a baseline within pairs of runs",
    .about =
        "A row for each policy: the mean difference from the baseline over pairs of runs that "
        "differ "
        "in the policy alone, Student's interval (--level), and p of Wilcoxon's signed-rank test "
        "after Holm's correction, as `hsim compare` prints them. Filled points are significant: p "
        "is "
        "below 1 - level. With fewer than five pairs there are single differences. --metric is one "
        "of "
        "`hsim inspect --json` (default: wait_mean_s). Pairs with an unstable run are left out.",
    .input = PLOT_SETS,
    .options = PLOT_SET_OPTIONS | PLOT_BASELINE | PLOT_LEVEL,
    .draw = draw,
};
