/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stability.c - does the backlog of a run grow through its window? */
#include <math.h>
#include <stdlib.h>

#include "result/stability.h"

const char *result_stability_name(enum result_stability stability)
{
    static const char *const names[RESULT_STABILITY_COUNT] = {"stable", "unstable", "unknown"};

    return names[stability];
}

bool result_stability_grows(double early, double least, double served)
{
    return least > 0 && least >= early && least >= served;
}

/* The window of arrivals: its begin, middle, last quarter and end. */
struct window {
    hs_time begin, middle, late, end;
    double early; /* backlog in the first half, processors x ns */
    double held;  /* in the last quarter, cores x ns */
    double least; /* in the last quarter: the smallest backlog */
};

static double overlap(hs_time from, hs_time to, hs_time begin, hs_time end)
{
    return fmax((double)(to < end ? to : end) - (double)(from > begin ? from : begin), 0);
}

/* The backlog and the cores held from `from` to `to`. */
static void integrate(struct window *window, hs_time from, hs_time to, double backlog, double held)
{
    double late = overlap(from, to, window->late, window->end);

    window->early += backlog * overlap(from, to, window->begin, window->middle);
    window->held += held * late;
    if (late > 0) {
        window->least = fmin(window->least, backlog);
    }
}

/* From the first to the last submission, within the measured window. *is_long: there is one. */
static enum hs_err find_window(struct result_reader *reader, struct window *window, int64_t *piece,
                               bool *is_long, struct hs_error *error)
{
    const struct result_table *jobs = result_reader_table(reader, "jobs");
    int64_t rows = jobs ? result_reader_rows(reader, jobs) : 0;
    hs_time first = INT64_MAX;
    hs_time last = INT64_MIN;
    int64_t from = 0;
    int64_t to = 0;
    enum hs_err code = result_reader_int(reader, ".", "measure_from_ns", &from, error);

    if (code == HS_OK) {
        code = result_reader_int(reader, ".", "measure_to_ns", &to, error);
    }
    for (int64_t row = 0; code == HS_OK && row < rows; row += RESULT_READER_ROWS) {
        size_t count = rows - row < RESULT_READER_ROWS ? (size_t)(rows - row) : RESULT_READER_ROWS;

        code = result_reader_ints(reader, jobs, JOB_SUBMIT, row, count, piece, error);
        for (size_t i = 0; code == HS_OK && i < count; i++) {
            first = piece[i] < first ? piece[i] : first;
            last = piece[i] > last ? piece[i] : last;
        }
    }
    first = from > first ? from : first;
    last = to >= 0 && to < last ? to : last;
    *is_long = code == HS_OK && rows > 0 && first < last;
    if (*is_long) {
        hs_int128 span = (hs_int128)last - first;

        window->begin = first;
        window->middle = (hs_time)(first + span / 2);
        window->late = (hs_time)(first + span * 3 / 4);
        window->end = last;
    }
    return code;
}

/* A column of a series, of levels or of means, as doubles. */
static enum hs_err read_levels(struct result_reader *reader, const struct result_table *series,
                               size_t column, int64_t row, size_t count, double *values,
                               int64_t *scratch, struct hs_error *error)
{
    enum hs_err code;

    if (series->columns[column].type == RESULT_F64) {
        return result_reader_doubles(reader, series, column, row, count, values, error);
    }
    code = result_reader_ints(reader, series, column, row, count, scratch, error);
    for (size_t i = 0; code == HS_OK && i < count; i++) {
        values[i] = (double)scratch[i];
    }
    return code;
}

struct pieces {
    int64_t times[RESULT_READER_ROWS], scratch[RESULT_READER_ROWS];
    double backlog[RESULT_READER_ROWS], held[RESULT_READER_ROWS];
};

static enum hs_err read_series(struct result_reader *reader, const struct result_table *series,
                               struct pieces *pieces, struct window *window, struct hs_error *error)
{
    int64_t rows = result_reader_rows(reader, series);
    hs_time since = INT64_MAX;
    double backlog = 0;
    double held = 0;
    enum hs_err code = HS_OK;

    for (int64_t row = 0; code == HS_OK && row < rows; row += RESULT_READER_ROWS) {
        size_t count = rows - row < RESULT_READER_ROWS ? (size_t)(rows - row) : RESULT_READER_ROWS;

        code = result_reader_ints(reader, series, SERIES_TIME, row, count, pieces->times, error);
        if (code == HS_OK) {
            code = read_levels(reader, series, SERIES_BACKLOG, row, count, pieces->backlog,
                               pieces->scratch, error);
        }
        if (code == HS_OK) {
            code = read_levels(reader, series, SERIES_ALLOC_MILLI, row, count, pieces->held,
                               pieces->scratch, error);
        }
        for (size_t i = 0; code == HS_OK && i < count; i++) {
            integrate(window, since, pieces->times[i], backlog, held);
            since = pieces->times[i];
            backlog = pieces->backlog[i];
            held = pieces->held[i] / 1000;
        }
    }
    integrate(window, since, INT64_MAX, backlog, held);
    return code;
}

enum hs_err result_read_stability(struct result_reader *reader, enum result_stability *stability,
                                  struct hs_error *error)
{
    const struct result_table *series = result_reader_table(reader, "series");
    struct window window = {.least = INFINITY};
    struct pieces *pieces;
    bool is_long = false;
    enum hs_err code;

    *stability = RESULT_STABILITY_UNKNOWN;
    if (!series) {
        return HS_OK;
    }
    pieces = malloc(sizeof *pieces);
    code = pieces ? find_window(reader, &window, pieces->times, &is_long, error)
                  : hs_error_memory(error);
    if (code == HS_OK && is_long) {
        code = read_series(reader, series, pieces, &window, error);
    }
    if (code == HS_OK) {
        double early = window.early / ((double)window.middle - (double)window.begin);
        double held = window.held / ((double)window.end - (double)window.late);
        bool is_growing = is_long && result_stability_grows(early, window.least, held);

        *stability = is_growing ? RESULT_UNSTABLE : RESULT_STABLE;
    }
    free(pieces);
    return code;
}
