/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heatmap.c - a metric over two axes: means of one policy, or its ratio to another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/scale.h"
#include "plot/sets.h"
#include "text/units.h"

#define POINTS_PER_CM  (72 / 2.54)
#define VALUES_MAX     400  /* cells with their values as text */
#define TEXT_LETTERS   5    /* room that a value needs */
#define LETTER_WIDTH   0.58 /* of the mean letter, in the size of the font */
#define NUMBERS_ACROSS 6    /* letters that a number of the x axis needs */

/* One place of the grid. */
struct tile {
    double value; /* NaN: none */
    double sum;   /* of values, or of logarithms of ratios */
    size_t count; /* values in it */
    size_t unstable;
    const struct compare_run *first; /* NULL: no run is here */
};

/* The distinct values of an axis, in order. */
struct grid_axis {
    struct plot_axis axis;
    const struct compare_fact **values;
    size_t count;
};

struct heatmap {
    struct plot_sets sets;
    struct grid_axis x, y;
    struct tile *tiles; /* [y * x.count + x] */
    bool is_ratio;
    size_t base; /* line of the ratio */
    struct plot_span span;
    struct plot_scale scale;
};

/* ---- axes */

static double number_of(const struct grid_axis *axis, const struct compare_run *run)
{
    return plot_axis_value(&axis->axis, run);
}

/* Place of the run on the axis; axis->count: none. */
static size_t place_of(const struct grid_axis *axis, const struct compare_run *run)
{
    const struct compare_fact *fact = compare_find_fact(run, axis->axis.key);
    size_t place = fact ? 0 : axis->count;

    while (place < axis->count && strcmp(axis->values[place]->value, fact->value) != 0) {
        place++;
    }
    return place;
}

/* Numbers in ascending order; words as they come. */
static enum hs_err list_values(struct grid_axis *axis, const struct plot_sets *sets,
                               struct hs_error *error)
{
    double *numbers = calloc(sets->set.run_count + 1, sizeof *numbers);

    axis->values = calloc(sets->set.run_count + 1, sizeof *axis->values);
    if (!numbers || !axis->values) {
        free(numbers);
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < sets->set.run_count; i++) {
        const struct compare_run *run = &sets->set.runs[i];
        const struct compare_fact *fact = compare_find_fact(run, axis->axis.key);
        double number = number_of(axis, run);
        size_t place = axis->count;

        if (!fact || place_of(axis, run) < axis->count) {
            continue;
        }
        while (place > 0 && numbers[place - 1] > number) {
            numbers[place] = numbers[place - 1];
            axis->values[place] = axis->values[place - 1];
            place--;
        }
        numbers[place] = number;
        axis->values[place] = fact;
        axis->count++;
    }
    free(numbers);
    return HS_OK;
}

static enum hs_err find_axes(struct heatmap *self, const char *against, struct hs_error *error)
{
    const char *comma = against ? strchr(against, ',') : NULL;
    enum hs_err code;
    char *first;

    if (!comma || comma == against || !comma[1] || strchr(comma + 1, ',')) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--against %s%s%s; two keys are due, X,Y, as in --against "
                            "workload.load,scheduler.interval. Runs differ in %s.",
                            against ? "is '" : "is missing", against ? against : "",
                            against ? "'" : "", plot_sets_varying(&self->sets));
    }
    first = text_arena_copy(&self->sets.set.arena, against, (size_t)(comma - against));
    if (!first) {
        return hs_error_memory(error);
    }
    code = plot_axis_find(&self->sets, first, &self->x.axis, error);
    if (code == HS_OK) {
        code = plot_axis_find(&self->sets, comma + 1, &self->y.axis, error);
    }
    if (code == HS_OK && strcmp(self->x.axis.key, self->y.axis.key) == 0) {
        code = hs_error_set(error, HS_ERR_CONFIG, "--against names '%s' twice.", first);
    }
    if (code == HS_OK) {
        code = list_values(&self->x, &self->sets, error);
    }
    return code == HS_OK ? list_values(&self->y, &self->sets, error) : code;
}

/* ---- tiles */

static struct tile *tile_of(const struct heatmap *self, const struct compare_run *run)
{
    size_t x = place_of(&self->x, run);
    size_t y = place_of(&self->y, run);

    return x < self->x.count && y < self->y.count ? &self->tiles[y * self->x.count + x] : NULL;
}

static void add_value(struct tile *tile, const struct compare_run *run, double value,
                      bool is_unstable)
{
    tile->first = tile->first ? tile->first : run;
    tile->unstable += is_unstable;
    if (!is_unstable && isfinite(value)) {
        tile->sum += value;
        tile->count++;
    }
}

static void add_means(struct heatmap *self)
{
    for (size_t i = 0; i < self->sets.set.run_count; i++) {
        const struct compare_run *run = &self->sets.set.runs[i];
        struct tile *tile = tile_of(self, run);

        if (tile) {
            add_value(tile, run, run->values[0], run->stability == RESULT_UNSTABLE);
        }
    }
}

/* Logarithms of ratios within pairs: their mean is that of the geometric means. */
static enum hs_err add_ratios(struct heatmap *self, struct hs_error *error)
{
    struct compare_table table = {.is_paired = true};
    enum hs_err code = compare_pair(&self->sets.set, self->sets.lines[self->base], &table, error);

    for (size_t k = 0; code == HS_OK && k < table.columns; k++) {
        const struct compare_run *own = table.runs[(1 - table.baseline) * table.columns + k];
        const struct compare_run *base = table.runs[table.baseline * table.columns + k];
        struct tile *tile = own && base ? tile_of(self, own) : NULL;

        if (tile) {
            bool is_unstable =
                own->stability == RESULT_UNSTABLE || base->stability == RESULT_UNSTABLE;
            bool has_ratio = own->values[0] > 0 && base->values[0] > 0;

            add_value(tile, own, has_ratio ? log(own->values[0] / base->values[0]) : NAN,
                      is_unstable);
        }
    }
    compare_table_fini(&table);
    return code;
}

/* Cells of a line in one place differ in something that the picture does not show. */
static enum hs_err check_cells(struct heatmap *self, struct hs_error *error)
{
    const struct plot_axis axes[2] = {self->x.axis, self->y.axis};
    size_t tiles = self->x.count * self->y.count;
    const struct plot_cell **seen = calloc(tiles * self->sets.line_count + 1, sizeof *seen);
    enum hs_err code =
        seen ? plot_sets_gather(&self->sets, axes, 2, error) : hs_error_memory(error);

    for (size_t i = 0; code == HS_OK && i < self->sets.cell_count; i++) {
        const struct plot_cell *cell = &self->sets.cells[i];
        const struct tile *tile = tile_of(self, cell->runs[0]);
        const struct plot_cell **place =
            tile ? &seen[cell->line * tiles + (size_t)(tile - self->tiles)] : NULL;
        const char *key = place && *place ? plot_cells_differ(*place, cell) : NULL;

        if (key) {
            code =
                hs_error_set(error, HS_ERR_CONFIG,
                             "Runs of '%s' in one place of the map differ in %s, too, and a mean "
                             "over it would hide that. Choose one value with --where %s=VALUE.",
                             self->sets.lines[cell->line], key, key);
        } else if (place) {
            *place = cell;
        }
    }
    free(seen);
    return code;
}

static enum hs_err fill(struct heatmap *self, struct figure *figure, struct hs_error *error)
{
    size_t unstable = 0;
    enum hs_err code = HS_OK;

    self->tiles = calloc(self->x.count * self->y.count + 1, sizeof *self->tiles);
    if (!self->tiles) {
        return hs_error_memory(error);
    }
    code = check_cells(self, error);
    if (code == HS_OK && self->is_ratio) {
        code = add_ratios(self, error);
    } else if (code == HS_OK) {
        add_means(self);
    }
    for (size_t i = 0; code == HS_OK && i < self->x.count * self->y.count; i++) {
        struct tile *tile = &self->tiles[i];
        double mean = tile->count ? tile->sum / (double)tile->count : NAN;

        tile->value = self->is_ratio ? exp(mean) : mean;
        unstable += tile->unstable;
        plot_span_add(&self->span, tile->value);
    }
    plot_note_unstable(figure, unstable,
                       self->is_ratio
                           ? "Pairs with one are left out; their places have a hollow point."
                           : "They are in no mean; their places have a hollow point.");
    if (code == HS_OK && !self->span.is_used) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "No place of the map has a stable run with %s, so that there is "
                            "nothing to draw.",
                            self->sets.set.metrics[0].name);
    }
    return code;
}

/* ---- the picture */

/* Viridis (van der Walt and Smith, 2015) for amounts; PuOr (Brewer) for ratios, in which the middle
 * is 1. Both are read right without red or green, and viridis in grey, too. */
static void put_palette(const struct heatmap *self, struct figure *figure)
{
    static const char *const amounts[] = {"#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c",
                                          "#28ae80", "#5ec962", "#addc30", "#fde725"};
    static const char *const ratios[] = {"#542788", "#8073ac", "#b2abd2", "#d8daeb", "#f7f7f7",
                                         "#fee0b6", "#fdb863", "#e08214", "#b35806"};
    const char *const *colors = self->is_ratio ? ratios : amounts;

    (void)fputs("set palette defined (", figure->script);
    for (int i = 0; i < 9; i++) {
        (void)fprintf(figure->script, "%s%d '%s'", i ? ", " : "", i, colors[i]);
    }
    (void)fputs(")\n", figure->script);
}

static void put_words(const struct grid_axis *axis, const char *name, double room,
                      struct figure *figure)
{
    size_t step = (size_t)ceil((double)axis->count / room);

    (void)fprintf(figure->script, "set %stics scale 0 (", name);
    for (size_t i = 0; i < axis->count; i += step) {
        const char *text = axis->values[i]->text;
        char rounded[32];
        double number;

        if (text_units_parse_double(text, &number)) {
            (void)snprintf(rounded, sizeof rounded, "%.4g", number);
            text = rounded;
        }
        (void)fputs(i ? ", " : "", figure->script);
        figure_quote_tick(figure->script, text);
        (void)fprintf(figure->script, " %zu", i);
    }
    (void)fputs(")\n", figure->script);
    figure_line(figure, "set %srange [-0.5:%.1f] noextend", name, (double)axis->count - 0.5);
}

/* Letters of the longest value. */
static size_t longest(const struct grid_axis *axis)
{
    size_t most = 0;

    for (size_t i = 0; i < axis->count; i++) {
        size_t length = strlen(axis->values[i]->text);

        most = length > most ? length : most;
    }
    return most < 24 ? most : 24;
}

/* Ratios from 1/r to r, so that 1 is in the middle. */
static void put_ratio_scale(struct heatmap *self, const char *title, struct figure *figure)
{
    static const double steps[] = {1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 5, 10, 100, 1000};
    double reach = fmax(fmax(self->span.high, 1 / self->span.low), 1.01);
    double step = steps[0];

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        step = steps[i] <= reach ? steps[i] : step;
    }
    self->scale = (struct plot_scale){true, 1 / reach, reach, 1, ""};
    figure_line(figure, "set logscale cb 10");
    figure_line(figure, "set cbrange [%.10g:%.10g]", 1 / reach, reach);
    figure_line(figure, "set cbtics ('%.3g' %.10g, '1' 1, '%.4g' %.10g)", 1 / step, 1 / step, step,
                step);
    figure_label(figure, "cb", title);
}

static void put_axes(struct heatmap *self, const struct plot_request *request,
                     struct figure *figure)
{
    struct plot_sets *sets = &self->sets;
    double letter = figure->options.style->font_pt / POINTS_PER_CM;
    bool is_log =
        request->given & PLOT_LOG ? request->log_axes & PLOT_Y : plot_span_is_wide(&self->span);
    char title[512];

    put_palette(self, figure);
    put_words(&self->x, "x", figure->width_cm * 0.65 / (letter * LETTER_WIDTH * NUMBERS_ACROSS),
              figure);
    put_words(&self->y, "y", figure->height_cm * 0.7 / (letter * 1.3), figure);
    figure_label(figure, "x", plot_axis_title(sets, self->x.axis.key));
    figure_label(figure, "y", plot_axis_title(sets, self->y.axis.key));
    figure_line(figure, "set ylabel offset -1,0\nset lmargin %zu", longest(&self->y) + 6);
    if (self->is_ratio) {
        (void)snprintf(title, sizeof title, "%.200s, %.100s / %.100s", plot_metric_title(sets, 0),
                       sets->titles[1 - self->base], sets->titles[self->base]);
        put_ratio_scale(self, title, figure);
    } else {
        self->scale =
            plot_scale_put(figure, "cb", plot_metric_title(sets, 0), sets->set.metrics[0].unit,
                           &self->span, is_log ? PLOT_FIT_LOG : PLOT_FIT_ROUND);
    }
    figure_line(figure, "unset key");
    figure_line(figure, "unset grid");
    figure_line(figure, "set border 0");
    figure_line(figure, "set colorbox noborder");
}

enum part { PART_MEANS, PART_PARTIAL, PART_EMPTY };

static bool is_in(const struct tile *tile, enum part part)
{
    switch (part) {
    case PART_MEANS:
        return tile->count > 0;
    case PART_PARTIAL:
        return tile->count > 0 && tile->unstable > 0;
    case PART_EMPTY:
        break;
    }
    return tile->count == 0 && tile->first;
}

/* Is text on the colour of the value to be black? */
static bool is_light(const struct heatmap *self, double value)
{
    const struct plot_scale *scale = &self->scale;
    double share = scale->is_log ? log(value / scale->low) / log(scale->high / scale->low)
                                 : (value - scale->low) / (scale->high - scale->low);

    return self->is_ratio ? fabs(share - 0.5) < 0.33 : share > 0.55;
}

/* SIZE_MAX: there are none. */
static size_t put_block(const struct heatmap *self, enum part part, struct figure *figure)
{
    static const char *const titles[] = {"means", "means that lack unstable runs", "no mean"};
    const struct compare_metric *metric = &self->sets.set.metrics[0];
    const struct figure_column columns[] = {
        {"column", "1"},
        {"row", "1"},
        {self->is_ratio ? "ratio" : metric->name, self->is_ratio ? "1" : metric->unit},
        {"runs", "1"},
        {"unstable", "1"},
        {"text_rgb", "1"}};
    size_t block = SIZE_MAX;

    for (size_t y = 0; y < self->y.count; y++) {
        for (size_t x = 0; x < self->x.count; x++) {
            const struct tile *tile = &self->tiles[y * self->x.count + x];

            if (!is_in(tile, part)) {
                continue;
            }
            if (block == SIZE_MAX) {
                block = figure_block(figure, titles[part], columns, 6);
            }
            figure_row(figure,
                       (double[]){(double)x, (double)y, tile->value, (double)tile->count,
                                  (double)tile->unstable,
                                  is_light(self, tile->value) ? 0 : 0xffffff},
                       6);
        }
    }
    return block;
}

/* Values as text, where there is room for them: in three digits. */
static void put_values(const struct heatmap *self, size_t block, struct figure *figure)
{
    double letter = figure->options.style->font_pt / POINTS_PER_CM * 0.85;
    double across = figure->width_cm * 0.65 / (double)self->x.count / (letter * LETTER_WIDTH);
    double down = figure->height_cm * 0.7 / (double)self->y.count / letter;
    double divisor = self->scale.divisor;
    double highest = self->span.high / divisor;
    const char *unit = self->sets.set.metrics[0].unit;

    if (self->x.count * self->y.count > VALUES_MAX || across < TEXT_LETTERS || down < 1.3) {
        return;
    }
    if (self->scale.is_log && !self->is_ratio) {
        /* The axis has no unit of its own. */
        struct axis_unit shown = strcmp(unit, "s") == 0 ? axis_time_unit(self->span.high)
                                                        : axis_prefix_unit(unit, self->span.high);

        divisor = shown.divisor;
        highest = self->span.high / divisor;
        if (divisor > 1 || strcmp(unit, "1") != 0) {
            figure_note(figure, "The values in the picture are in %s.", shown.unit);
        }
    }
    figure_plot(
        figure, block, NULL,
        "using 1:2:(sprintf('%%.%df', $3/%.10g)):6 with labels font ',%.4g' tc rgb variable",
        self->is_ratio || highest < 10 ? 2
        : highest < 100                ? 1
                                       : 0,
        divisor,
        figure->options.style->font_pt * 0.85 * (figure->format == FIGURE_SVG ? 96. / 72 : 1));
}

static void put_tiles(const struct heatmap *self, struct figure *figure)
{
    size_t means = put_block(self, PART_MEANS, figure);
    size_t partial = put_block(self, PART_PARTIAL, figure);
    size_t empty = put_block(self, PART_EMPTY, figure);

    figure_plot(figure, means, NULL,
                "using 1:2:(0.5):(0.5):%s with boxxyerror fs solid 1 noborder palette",
                plot_scale_column(&self->scale, 3).text);
    if (empty != SIZE_MAX) {
        figure_plot(figure, empty, NULL,
                    "using 1:2:(0.5):(0.5) with boxxyerror lc rgb '#d8d8d8' fs solid 1 noborder");
    }
    if (self->x.count * self->y.count <= VALUES_MAX) {
        figure_plot(figure, means, NULL,
                    "using 1:2:(0.5):(0.5) with boxxyerror lc rgb '#ffffff' dt solid lw 0.6 fs "
                    "empty border");
    }
    put_values(self, means, figure);
    if (partial != SIZE_MAX) {
        figure_plot(figure, partial, NULL,
                    "using ($1+0.37):($2+0.33):6 with points pt 6 ps 0.35 lw 0.6 lc rgb variable");
    }
    if (empty != SIZE_MAX) {
        figure_plot(figure, empty, NULL,
                    "using 1:2 with points pt 6 ps 0.7 lw 0.8 lc rgb '#404040'");
    }
    figure_plot_end(figure);
}

static enum hs_err choose_lines(struct heatmap *self, const struct plot_request *request,
                                struct hs_error *error)
{
    const struct plot_sets *sets = &self->sets;

    self->is_ratio = sets->line_count == 2;
    if (sets->line_count > 2) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "A map shows one policy, or the ratio of one to another, and there are "
                            "%zu. Choose with --policy %s, or --policy %s,%s.",
                            sets->line_count, sets->lines[0], sets->lines[1], sets->lines[0]);
    }
    for (size_t i = 0; request->baseline && i < sets->line_count; i++) {
        if (strcmp(sets->lines[i], request->baseline) == 0) {
            self->base = i;
            return HS_OK;
        }
    }
    if (request->baseline) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--baseline is '%s', and the map is of %s%s%s. For the ratio of two "
                            "policies name both, as in --policy %s,%s.",
                            request->baseline, sets->lines[0], self->is_ratio ? " and " : "",
                            self->is_ratio ? sets->lines[1] : "", request->baseline,
                            sets->lines[0]);
    }
    return HS_OK;
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    struct heatmap self = {.base = 0};
    enum hs_err code = plot_sets_read(request, request->metric ? request->metric : "wait_mean_s",
                                      &self.sets, figure, error);

    if (code == HS_OK && self.sets.set.metric_count != 1) {
        code = hs_error_set(error, HS_ERR_CONFIG,
                            "--metric names %zu metrics; a map shows one. Draw one for each.",
                            self.sets.set.metric_count);
    }
    if (code == HS_OK) {
        code = choose_lines(&self, request, error);
    }
    if (code == HS_OK) {
        code = find_axes(&self, request->against, error);
    }
    if (code == HS_OK) {
        code = fill(&self, figure, error);
    }
    if (code == HS_OK) {
        put_axes(&self, request, figure);
        put_tiles(&self, figure);
        code = plot_sets_check_labels(&self.sets, error);
    }
    free(self.x.values);
    free(self.y.values);
    free(self.tiles);
    plot_sets_fini(&self.sets);
    return code;
}

const struct plot_kind plot_heatmap = {
    .name = "heatmap",
    .summary = "map of a metric over two axes, or of a ratio",
    .about =
        "--against is X,Y, two keys of the experiment. Of one policy (--policy A) each place is "
        "the "
        "mean over runs that differ in seed, trace or window alone; of two (--policy B,A) it is "
        "the "
        "ratio of geometric means over pairs, by default to the first, else to --baseline. "
        "Values stand in the places if there is room. --metric is one of `hsim inspect --json` "
        "(default: wait_mean_s). Places that lack unstable runs have a hollow point; grey ones "
        "have "
        "no other. "
        "Colours are logarithmic where values span more than a factor of 20, unless --log is given "
        "(y: the colours).",
    .input = PLOT_SETS,
    .options = PLOT_SET_OPTIONS | PLOT_BASELINE | PLOT_LOG | PLOT_AGAINST,
    .draw = draw,
};
