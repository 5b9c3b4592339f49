/* SPDX-License-Identifier: GPL-3.0-or-later */
/* level.c - levels over time to stretches. */
#include "plot/level.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define CHANGES_PER_STRETCH 2 /* as long as there are no more, all are drawn */

static double seconds(hs_time time_ns)
{
    return (double)time_ns / (double)HS_NS_PER_S;
}

enum hs_err level_init(struct level *level, hs_time begin_ns, hs_time end_ns, size_t stretch_count,
                       struct hs_error *error)
{
    *level = (struct level){.begin_ns = begin_ns, .end_ns = end_ns, .stretch_count = stretch_count};
    level->change_room = CHANGES_PER_STRETCH * stretch_count;
    level->stretches = calloc(stretch_count, sizeof *level->stretches);
    level->times_ns = calloc(level->change_room, sizeof *level->times_ns);
    level->values = calloc(level->change_room, sizeof *level->values);
    if (!level->stretches || !level->times_ns || !level->values) {
        return hs_error_memory(error);
    }
    return HS_OK;
}

void level_fini(struct level *level)
{
    free(level->stretches);
    free(level->times_ns);
    free(level->values);
    *level = (struct level){0};
}

/* Where stretch `index` begins; exact, so that they have no gaps. */
static hs_time edge(const struct level *level, size_t index)
{
    hs_int128 span = level->end_ns - level->begin_ns;

    return level->begin_ns + (hs_time)(span * (hs_int128)index / (hs_int128)level->stretch_count);
}

static size_t stretch_at(const struct level *level, hs_time time_ns)
{
    hs_int128 span = level->end_ns - level->begin_ns;
    hs_int128 index =
        span > 0 ? (hs_int128)(time_ns - level->begin_ns) * (hs_int128)level->stretch_count / span
                 : 0;
    size_t at = index < (hs_int128)level->stretch_count ? (size_t)index : level->stretch_count - 1;

    while (at + 1 < level->stretch_count && edge(level, at + 1) <= time_ns) {
        at++;
    }
    return at;
}

/* The present value holds from `from` to `to`, both within what is shown. */
static void hold(struct level *level, hs_time from, hs_time to)
{
    double value = level->value;

    for (size_t i = stretch_at(level, from); from < to; i++) {
        struct level_stretch *stretch = &level->stretches[i];
        hs_time end = i + 1 < level->stretch_count ? edge(level, i + 1) : level->end_ns;
        hs_time until = to < end ? to : end;
        double held = seconds(until - from);

        if (until > from) {
            bool is_first = stretch->held_s == 0;

            stretch->sum += value * held;
            stretch->least = is_first || value < stretch->least ? value : stretch->least;
            stretch->greatest = is_first || value > stretch->greatest ? value : stretch->greatest;
            stretch->held_s += held;
        }
        from = until;
    }
}

static void keep_change(struct level *level, hs_time time_ns)
{
    size_t last = level->change_count;

    if (last > 0 && last <= level->change_room && level->values[last - 1] == level->value) {
        return;
    }
    if (last < level->change_room) {
        level->times_ns[last] = time_ns;
        level->values[last] = level->value;
    }
    level->change_count += last <= level->change_room;
}

/* What held until `time_ns`. */
static void close_value(struct level *level, hs_time time_ns)
{
    hs_time from = level->now_ns > level->begin_ns ? level->now_ns : level->begin_ns;
    hs_time to = time_ns < level->end_ns ? time_ns : level->end_ns;

    if (level->has_value && to > from && !isnan(level->value)) {
        keep_change(level, from);
        hold(level, from, to);
    }
}

void level_add(struct level *level, hs_time time_ns, double value)
{
    if (level->has_value && value == level->value) {
        return;
    }
    close_value(level, time_ns);
    level->now_ns = time_ns;
    level->value = value;
    level->has_value = true;
}

void level_finish(struct level *level, hs_time time_ns)
{
    close_value(level, time_ns);
    level->last_ns = time_ns < level->end_ns ? time_ns : level->end_ns;
    for (size_t i = 0; i < level->stretch_count; i++) {
        struct level_stretch *stretch = &level->stretches[i];

        stretch->sum = stretch->held_s > 0 ? stretch->sum / stretch->held_s : NAN;
    }
}

bool level_is_exact(const struct level *level)
{
    return level->change_count <= level->change_room;
}

double level_highest(const struct level *level)
{
    double highest = NAN;

    for (size_t i = 0; i < level->stretch_count; i++) {
        if (level->stretches[i].held_s > 0) {
            highest = fmax(highest, level->stretches[i].greatest);
        }
    }
    return highest;
}

double level_highest_mean(const struct level *level)
{
    double highest = NAN;

    for (size_t i = 0; i < level->stretch_count; i++) {
        highest = fmax(highest, level->stretches[i].sum);
    }
    return highest;
}

double level_centre(const struct level *level, size_t stretch, hs_time origin_ns)
{
    return seconds(edge(level, stretch) - origin_ns) / 2 +
           seconds(edge(level, stretch + 1) - origin_ns) / 2;
}

void level_put(const struct level *level, hs_time origin_ns, double factor, struct figure *figure)
{
    if (level_is_exact(level)) {
        for (size_t i = 0; i < level->change_count; i++) {
            figure_row(
                figure,
                (double[]){seconds(level->times_ns[i] - origin_ns), level->values[i] * factor}, 2);
        }
        if (level->change_count > 0) {
            figure_row(figure,
                       (double[]){seconds(level->last_ns - origin_ns),
                                  level->values[level->change_count - 1] * factor},
                       2);
        }
        return;
    }
    for (size_t i = 0; i < level->stretch_count; i++) {
        const struct level_stretch *stretch = &level->stretches[i];

        if (stretch->held_s > 0) {
            figure_row(figure,
                       (double[]){level_centre(level, i, origin_ns), stretch->sum * factor,
                                  stretch->least * factor, stretch->greatest * factor},
                       4);
        }
    }
}

enum hs_err level_span(const struct plot_run *run, const struct result_table **table,
                       hs_time *begin_ns, hs_time *end_ns, struct hs_error *error)
{
    enum hs_err code = HS_OK;

    *table = result_reader_table(run->reader, "series");
    if (!*table) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the run has no series, and the figure shows it. Run the "
                            "experiment with `output: {series: events}` (or an interval).",
                            run->path);
    }
    if (result_reader_rows(run->reader, *table) == 0) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the series of the run is empty, since no job came; there is "
                            "nothing to draw.",
                            run->path);
    }
    code = result_reader_ints(run->reader, *table, SERIES_TIME, 0, 1, begin_ns, error);
    return code == HS_OK ? result_reader_int(run->reader, "series", "end_ns", end_ns, error) : code;
}

/* A piece of a column as doubles; `ints` is room for as many. */
static enum hs_err read_piece(const struct plot_run *run, const struct result_table *table,
                              size_t column, int64_t first, size_t count, int64_t *ints,
                              double *values, struct hs_error *error)
{
    enum hs_err code;

    if (table->columns[column].type == RESULT_F64) {
        return result_reader_doubles(run->reader, table, column, first, count, values, error);
    }
    code = result_reader_ints(run->reader, table, column, first, count, ints, error);
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        values[i] = (double)ints[i];
    }
    return code;
}

/* Buffers for a piece of the series. */
struct piece {
    int64_t *times, *ints;
    double *values, *sums;
};

static enum hs_err piece_init(struct piece *piece, struct hs_error *error)
{
    piece->times = malloc(RESULT_READER_ROWS * sizeof *piece->times);
    piece->ints = malloc(RESULT_READER_ROWS * sizeof *piece->ints);
    piece->values = malloc(RESULT_READER_ROWS * sizeof *piece->values);
    piece->sums = malloc(RESULT_READER_ROWS * sizeof *piece->sums);
    return piece->times && piece->ints && piece->values && piece->sums ? HS_OK
                                                                       : hs_error_memory(error);
}

static void piece_fini(struct piece *piece)
{
    free(piece->times);
    free(piece->ints);
    free(piece->values);
    free(piece->sums);
}

/* Rows of the series: each column into its level, or with `sum` all into that one. */
static enum hs_err read_rows(const struct plot_run *run, const size_t *columns, size_t count,
                             struct level *const *levels, struct level *sum, struct hs_error *error)
{
    const struct result_table *table;
    struct piece piece = {0};
    hs_time end_ns = 0;
    hs_time begin_ns;
    enum hs_err code = level_span(run, &table, &begin_ns, &end_ns, error);
    int64_t rows = code == HS_OK ? result_reader_rows(run->reader, table) : 0;

    if (code == HS_OK) {
        code = piece_init(&piece, error);
    }
    for (int64_t row = 0; code == HS_OK && row < rows; row += RESULT_READER_ROWS) {
        size_t length = (size_t)(rows - row < RESULT_READER_ROWS ? rows - row : RESULT_READER_ROWS);

        code = result_reader_ints(run->reader, table, SERIES_TIME, row, length, piece.times, error);
        for (size_t i = 0; code == HS_OK && i < count; i++) {
            code = read_piece(run, table, columns[i], row, length, piece.ints, piece.values, error);
            for (size_t k = 0; code == HS_OK && k < length; k++) {
                if (!sum) {
                    level_add(levels[i], piece.times[k], piece.values[k]);
                } else {
                    piece.sums[k] = i == 0 ? piece.values[k] : piece.sums[k] + piece.values[k];
                }
            }
        }
        for (size_t k = 0; code == HS_OK && sum && k < length; k++) {
            level_add(sum, piece.times[k], piece.sums[k]);
        }
    }
    for (size_t i = 0; code == HS_OK && i < (sum ? 1 : count); i++) {
        level_finish(sum ? sum : levels[i], end_ns);
    }
    piece_fini(&piece);
    return code;
}

enum hs_err level_read(const struct plot_run *run, const size_t *columns, size_t count,
                       struct level *const *levels, struct hs_error *error)
{
    return read_rows(run, columns, count, levels, NULL, error);
}

enum hs_err level_read_sum(const struct plot_run *run, const size_t *columns, size_t count,
                           struct level *level, struct hs_error *error)
{
    return read_rows(run, columns, count, NULL, level, error);
}

enum hs_err level_window(const struct plot_request *request, const struct plot_runs *runs,
                         struct plot_window *window, struct hs_error *error)
{
    enum hs_err code = HS_OK;
    hs_time origin_ns = HS_TIME_NEVER;
    hs_time last_ns = INT64_MIN;

    for (size_t i = 0; code == HS_OK && i < runs->count; i++) {
        const struct result_table *table;
        hs_time begin_ns = 0;
        hs_time end_ns = 0;

        code = level_span(&runs->list[i], &table, &begin_ns, &end_ns, error);
        origin_ns = begin_ns < origin_ns ? begin_ns : origin_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    return code == HS_OK ? plot_window_find(request, origin_ns, last_ns, window, error) : code;
}
